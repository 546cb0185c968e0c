// The two parts of an L2, each near to half of the cores: what a load, a store, an atomic and a hand-over cost by where the word and who wants it are.
//
//     nvcc -std=c++17 -arch=sm_90 -o parts workloads/silicon/parts.cu
//     parts [MB] [PART...]        lines first sweep fence hand lock rate; all when none is named; MB of memory, 96 when it is not said
//
// Prints CSV: part,what,a,b,cycles.  A unit is 4 KB, which lie in one part; it is near to a core if chains of atomics take less than the mean of the
// shortest and the longest.  Cores near to unit 0 are of part 0.  Times are core cycles by clock64 of one thread; `empty` says what a time of nothing is.
//
//     lines   a: unit of 128 bytes from 0 on; its part: where parts change
//     first   a single load of a line that the core has loaded before, behind what another core (or itself) did to it meanwhile: a 0 near, 1 far;
//             b 0 the first load, 1 the next; the median of 128 lines
//     sweep   the second of two rounds over a MB, a line after the other: a; b: 100 x (0 near, 1 far) + the time in units of 20 cycles; cycles: how many loads
//     fence   a store or nothing, and a device or system fence: a 0 near, 1 far; the median of 64
//     hand    one round trip of a word between two cores: a: 0 of one part, near to both; 1 of one part, far from both; 2 of two parts
//     lock    every core's one thread takes one lock over and over: a: the part of the core; b: how many cores; cycles: times taken, the mean of them
//     rate    every core writes, or adds to, whole lines: a: 0 near, 1 far, 2 each in turn; cycles of a line and core
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#define CHECK(call)                                                                                    \
    do {                                                                                               \
        cudaError_t error_ = (call);                                                                   \
        if (error_ != cudaSuccess) {                                                                   \
            std::fprintf(stderr, "parts: %s: %s\n", #call, cudaGetErrorString(error_));                \
            std::exit(1);                                                                              \
        }                                                                                              \
    } while (0)

static const int UNIT = 4096, LINE = 128, CHAIN = 4;
static const int ALONE = 160 * 1024;  // bytes of shared memory: one group a core
static const uint32_t MOST = 96u << 20;

struct place {
    uint32_t* memory;
    uint32_t* flags;  // of the groups that speak with each other, a line each
    uint32_t* units;  // byte offsets
    uint32_t* out;
    uint32_t zero;
};

static __device__ uint32_t smid()
{
    uint32_t id;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(id));
    return id;
}

static __device__ uint32_t load(const uint32_t* at)
{
    uint32_t value;
    asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(value) : "l"(at) : "memory");
    return value;
}

static __device__ uint32_t load_weak(const uint32_t* at)
{
    uint32_t value;
    asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(value) : "l"(at) : "memory");
    return value;
}

static __device__ void store(uint32_t* at, uint32_t value)
{
    asm volatile("st.relaxed.gpu.global.u32 [%0], %1;" ::"l"(at), "r"(value) : "memory");
}

static __device__ uint32_t* unit(const struct place& p, int k) { return p.memory + p.units[k] / 4; }

// The other core has come to this step.
static __device__ void tell(const struct place& p, int who, uint32_t step)
{
    __threadfence();
    store(p.flags + who * 1024, step);
}

static __device__ void wait_for(const struct place& p, int who, uint32_t step)
{
    while (load(p.flags + who * 1024) < step) {
    }
    __threadfence();
}

// The clock once `value` is there: a store to shared memory needs it.
static __device__ uint32_t clock_behind(uint32_t value, volatile uint32_t* sink)
{
    *sink = value;
    return (uint32_t)clock64();
}

// ---- Which part ----

__global__ void time_atomics(struct place p, int count, int core)
{
    if (smid() != (uint32_t)core || threadIdx.x)
        return;
    for (int k = 0; k < count; k++) {
        uint32_t *at = unit(p, k), best = ~0u, value = 0;
        for (int run = 0; run < 3; run++) {
            __shared__ volatile uint32_t sink;
            uint32_t start = (uint32_t)clock64();
            for (int c = 0; c < CHAIN; c++)
                asm volatile("atom.global.add.u32 %0, [%1], 1;" : "=r"(value) : "l"(at + (value & p.zero)) : "memory");
            best = min(best, (clock_behind(value, &sink) - start) / CHAIN);
        }
        p.out[k] = best;
    }
}

// ---- One load ----

enum { NOTHING, LOADS, STORES, ATOMICS };

static __device__ void prepare(const struct place& p, int count, int what)
{
    for (int k = 0; k < count; k++) {
        if (what == LOADS)
            load(unit(p, k));
        else if (what == STORES)
            store(unit(p, k), k);
        else if (what == ATOMICS)
            atomicAdd(unit(p, k), 1);
    }
    __threadfence();
}

template <bool weak> __global__ void time_first(struct place p, int count, int reader, int other, int what)
{
    __shared__ volatile uint32_t sink;
    if (threadIdx.x || (smid() != (uint32_t)reader && smid() != (uint32_t)other))
        return;
    if (smid() == (uint32_t)reader) {
        prepare(p, count, LOADS);
        prepare(p, count, LOADS);
        tell(p, 0, 1);
    }
    if (smid() == (uint32_t)other) {
        wait_for(p, 0, 1);
        prepare(p, count, what);
        tell(p, 1, 1);
    }
    if (smid() != (uint32_t)reader)
        return;
    wait_for(p, 1, 1);
    for (int again = 0; again < 2; again++)
        for (int k = 0; k < count; k++) {
            const uint32_t* at = unit(p, k);
            uint32_t start = (uint32_t)clock64() + p.zero;
            uint32_t value = weak ? load_weak(at) : load(at);
            p.out[again * count + k] = clock_behind(value, &sink) - start;
        }
    uint32_t start = (uint32_t)clock64();
    p.out[2 * count] = clock_behind(start, &sink) - start;
}

__global__ void time_sweep(struct place p, const uint32_t* far, int core, uint32_t bytes)
{
    __shared__ uint32_t is_far[MOST / UNIT / 32], counts[2][64];
    __shared__ volatile uint32_t sink;
    if (smid() != (uint32_t)core)
        return;
    for (uint32_t k = threadIdx.x; k < MOST / UNIT / 32; k += blockDim.x)
        is_far[k] = far[k];
    for (uint32_t k = threadIdx.x; k < 128; k += blockDim.x)
        counts[k / 64][k % 64] = 0;
    __syncthreads();
    if (threadIdx.x == 0)
        for (int round = 0; round < 2; round++)
            for (uint32_t at = 0; at < bytes; at += LINE) {
                uint32_t start = (uint32_t)clock64();
                uint32_t value = load(p.memory + at / 4);
                uint32_t cycles = clock_behind(value, &sink) - start;
                if (round)
                    counts[is_far[at / UNIT / 32] >> at / UNIT % 32 & 1][min(cycles / 20, 63)]++;
            }
    __syncthreads();
    for (uint32_t k = threadIdx.x; k < 128; k += blockDim.x)
        p.out[k] = counts[k / 64][k % 64];
}

template <int kind> __global__ void time_fence(struct place p, int count, int core)
{
    if (smid() != (uint32_t)core || threadIdx.x)
        return;
    for (int turn = 0; turn < 2; turn++)  // the first brings the code
        for (int k = 0; k < count; k++) {
            uint32_t start = (uint32_t)clock64();
            if (kind & 1)
                store(unit(p, k), k);
            if (kind & 2)
                asm volatile("fence.acq_rel.sys;" ::: "memory");
            else
                asm volatile("fence.acq_rel.gpu;" ::: "memory");
            p.out[k] = (uint32_t)clock64() - start;
            __threadfence();
        }
}

// ---- Between cores ----

template <bool atomics> __global__ void time_hand(struct place p, int first, int second, int word, int rounds)
{
    bool leads = smid() == (uint32_t)first;
    if (threadIdx.x || (!leads && smid() != (uint32_t)second))
        return;
    uint32_t* at = unit(p, word);
    uint32_t start = 0;
    for (int k = 0; k < rounds + 8; k++) {
        if (k == 8)
            start = (uint32_t)clock64();
        uint32_t mine = leads ? 2 * k : 2 * k + 1;  // the value that gives me the turn
        if (atomics) {
            while (atomicCAS(at, mine, mine + 1) != mine) {
            }
        } else {
            while (load(at) != mine) {
            }
            store(at, mine + 1);
        }
    }
    if (leads)
        p.out[0] = ((uint32_t)clock64() - start) / rounds;
}

__global__ void take_lock(struct place p, int word, uint32_t cycles, int cores)
{
    uint32_t *lock = unit(p, word), taken = 0;
    if (threadIdx.x)
        return;
    atomicAdd(p.flags, 1);
    while (load(p.flags) < (uint32_t)cores) {
    }
    long long end = clock64() + cycles;
    while (clock64() < end) {
        if (atomicCAS(lock, 0, 1))
            continue;
        __threadfence();
        store(lock + 1, load(lock + 1) + 1);
        __threadfence();
        atomicExch(lock, 0);
        taken++;
    }
    p.out[smid()] = taken;
}

// Each warp has two units near and two far: unit 4 (warp of the grid) on, as the host has put them.
template <bool atomics> __global__ void time_rate(struct place p, int from, int turns)
{
    uint32_t warp = smid() * (blockDim.x / 32) + threadIdx.x / 32, lane = threadIdx.x % 32;
    atomicAdd(p.flags, 1);
    while (load(p.flags) < gridDim.x * blockDim.x) {
    }
    __syncthreads();
    long long start = clock64();
    for (int turn = 0; turn < turns; turn++)
        for (int line = 0; line < 64; line++) {
            int chosen = from == 2 ? (line & 1) * 2 : from * 2;
            uint32_t* at = unit(p, 4 * warp + chosen + (line >> 5)) + (line & 31) * 32 + lane;
            if (atomics)
                asm volatile("red.relaxed.gpu.global.add.u32 [%0], 1;" ::"l"(at) : "memory");
            else
                store(at, line);
        }
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0)
        p.out[smid()] = (uint32_t)(clock64() - start);
}

// ---- Running ----

static struct place p;
static uint32_t bytes = MOST;
static int cores;
static uint32_t threshold;
static std::vector<int> part_of_core;
static std::vector<uint8_t> part_of_unit;

static void use_units(const std::vector<uint32_t>& offsets)
{
    CHECK(cudaMemcpy(p.units, offsets.data(), offsets.size() * 4, cudaMemcpyHostToDevice));
    CHECK(cudaMemset(p.flags, 0, 65536));
    CHECK(cudaMemset(p.out, 0, 65536 * 4));
}

static std::vector<uint32_t> results(int count)
{
    std::vector<uint32_t> out(count);
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemcpy(out.data(), p.out, count * 4, cudaMemcpyDeviceToHost));
    return out;
}

template <class... Types, class... Values> static void start(void (*kernel)(Types...), int threads, Values... values)
{
    CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, ALONE));
    kernel<<<cores, threads, ALONE>>>(p, values...);
    CHECK(cudaGetLastError());
}

static std::vector<uint32_t> atomics_of(const std::vector<uint32_t>& offsets, int core)
{
    use_units(offsets);
    start(time_atomics, 32, (int)offsets.size(), core);
    return results((int)offsets.size());
}

static uint32_t median(std::vector<uint32_t> v)
{
    std::sort(v.begin(), v.end());
    return v.empty() ? 0 : v[v.size() / 2];
}

static void find_parts()
{
    std::vector<uint32_t> offsets;
    for (uint32_t at = 0; at < bytes; at += UNIT)
        offsets.push_back(at);
    std::vector<uint32_t> times = atomics_of(offsets, 0), sorted = times;
    std::sort(sorted.begin(), sorted.end());
    threshold = (sorted[sorted.size() / 100] + sorted[sorted.size() - 1 - sorted.size() / 100]) / 2;
    for (uint32_t time : times)
        part_of_unit.push_back((time >= threshold) != (times[0] >= threshold));
    for (int core = 0; core < cores; core++)
        part_of_core.push_back(atomics_of({0}, core)[0] >= threshold);
    std::vector<uint32_t> near, far;
    for (size_t k = 0; k < times.size(); k++)
        (times[k] >= threshold ? far : near).push_back(times[k]);
    std::printf("parts,near_units,0,,%zu\nparts,far_units,0,,%zu\n", near.size(), far.size());
    std::printf("parts,near_atomic,0,,%u\nparts,far_atomic,0,,%u\n", median(near), median(far));
    for (int core = 0; core < cores; core++)
        std::printf("parts,core,%d,,%d\n", core, part_of_core[core]);
}

// `count` units of a part, none twice in a run of the program's part.
static std::vector<uint32_t> units_of(int part, int count, int skip = 0)
{
    std::vector<uint32_t> offsets;
    for (size_t k = 0; k < part_of_unit.size() && (int)offsets.size() < count; k++)
        if (part_of_unit[k] == part && skip-- <= 0)
            offsets.push_back((uint32_t)k * UNIT + (uint32_t)(k * 7 % 32) * LINE);
    if ((int)offsets.size() < count) {
        std::fprintf(stderr, "parts: the L2 has one part here, or too few units are of part %d\n", part);
        std::exit(1);
    }
    return offsets;
}

// The n-th core of a part.
static int core_of(int part, int n)
{
    for (int core = 0; core < cores; core++)
        if (part_of_core[core] == part && n-- == 0)
            return core;
    std::fprintf(stderr, "parts: all cores are of one part\n");
    std::exit(1);
}

static void part_lines()
{
    std::vector<uint32_t> offsets;
    for (uint32_t line = 0; line < 8192; line++)
        offsets.push_back(line * LINE);
    std::vector<uint32_t> times = atomics_of(offsets, core_of(0, 0));
    for (uint32_t line = 0, was = 2; line < offsets.size(); line++) {
        uint32_t is = times[line] >= threshold;
        if (is != was)
            std::printf("lines,part_from,%u,,%u\n", line, is);
        was = is;
    }
}

static void part_first()
{
    static const struct {
        const char* name;
        int other_part, other, what;
    } cases[] = {{"nothing", 1, 0, NOTHING}, {"loads_near", 0, 1, LOADS}, {"loads_far", 1, 0, LOADS}, {"stores_self", 0, 0, STORES}, {"stores_near", 0, 1, STORES},
        {"stores_far", 1, 0, STORES}, {"atomics_self", 0, 0, ATOMICS}, {"atomics_near", 0, 1, ATOMICS}, {"atomics_far", 1, 0, ATOMICS}};
    static const int COUNT = 128;
    for (const auto& c : cases)
        for (int weak = 0; weak < 2; weak++)
            for (int far = 0; far < 2; far++) {
                use_units(units_of(far, COUNT));
                start(weak ? time_first<true> : time_first<false>, 32, COUNT, core_of(0, 0), core_of(c.other_part, c.other), c.what);
                std::vector<uint32_t> out = results(2 * COUNT + 1);
                for (int again = 0; again < 2; again++)
                    std::printf("first,%s%s,%d,%d,%u\n", c.name, weak ? "_weak" : "", far, again,
                        median(std::vector<uint32_t>(out.begin() + again * COUNT, out.begin() + (again + 1) * COUNT)));
                if (!far && !weak && c.what == NOTHING)
                    std::printf("first,empty,,,%u\n", out[2 * COUNT]);
            }
}

static void part_sweep()
{
    std::vector<uint32_t> bits(MOST / UNIT / 32);
    for (size_t k = 0; k < part_of_unit.size(); k++)
        bits[k / 32] |= (uint32_t)part_of_unit[k] << k % 32;
    uint32_t* far;
    CHECK(cudaMalloc(&far, bits.size() * 4));
    CHECK(cudaMemcpy(far, bits.data(), bits.size() * 4, cudaMemcpyHostToDevice));
    for (uint32_t megabytes : {16, 24, 28, 32, 36, 40, 48, 56, 60, 72, 96}) {
        if (megabytes << 20 > bytes)
            break;
        use_units({0});
        start(time_sweep, 32, (const uint32_t*)far, core_of(0, 0), megabytes << 20);
        std::vector<uint32_t> out = results(128);
        for (int k = 0; k < 128; k++)
            if (out[k])
                std::printf("sweep,loads,%u,%d,%u\n", megabytes, k / 64 * 100 + k % 64, out[k]);
    }
    CHECK(cudaFree(far));
}

template <int kind> static void time_fences(const char* name)
{
    for (int far = 0; far < 2; far++) {
        use_units(units_of(far, 64));
        start(time_fence<kind>, 32, 64, core_of(0, 0));
        std::printf("fence,%s,%d,,%u\n", name, far, median(results(64)));
    }
}

static void part_fence()
{
    time_fences<0>("device");
    time_fences<1>("store_device");
    time_fences<2>("system");
    time_fences<3>("store_system");
}

static void part_hand()
{
    static const struct {
        int second_part, second, word;
    } cases[] = {{0, 4, 0}, {0, 4, 1}, {1, 0, 0}};
    for (int atomics = 0; atomics < 2; atomics++)
        for (int k = 0; k < 3; k++) {
            std::vector<uint32_t> times;
            for (int word = 0; word < 16; word++) {
                use_units(units_of(cases[k].word, 1, word * 5));
                CHECK(cudaMemset(p.memory, 0, bytes));
                start(atomics ? time_hand<true> : time_hand<false>, 32, core_of(0, 0), core_of(cases[k].second_part, cases[k].second), 0, 64);
                times.push_back(results(1)[0]);
            }
            std::printf("hand,%s,%d,,%u\n", atomics ? "atomics" : "loads", k, median(times));
        }
}

static void part_lock()
{
    for (int word = 0; word < 2; word++) {
        use_units(units_of(word, 1));
        CHECK(cudaMemset(p.memory, 0, bytes));
        start(take_lock, 32, 0, 4000000u, cores);
        std::vector<uint32_t> out = results(cores);
        for (int part = 0; part < 2; part++) {
            uint64_t sum = 0, count = 0, least = ~0ull, most = 0;
            for (int core = 0; core < cores; core++)
                if (part_of_core[core] == part)
                    sum += out[core], count++, least = std::min<uint64_t>(least, out[core]), most = std::max<uint64_t>(most, out[core]);
            const char* where = word == part ? "near" : "far";
            std::printf("lock,%s_mean,%d,%d,%.2f\nlock,%s_least,%d,%d,%d\nlock,%s_most,%d,%d,%d\n", where, part, (int)count, (double)sum / (double)count,
                where, part, (int)count, (int)least, where, part, (int)count, (int)most);
        }
    }
}

static void part_rate()
{
    static const int WARPS = 8, TURNS = 16;
    std::vector<uint32_t> of[2] = {units_of(0, cores * WARPS * 2 + 64), units_of(1, cores * WARPS * 2 + 64)}, offsets;
    size_t next[2] = {};
    for (int core = 0; core < cores; core++)
        for (int warp = 0; warp < WARPS; warp++)
            for (int k = 0; k < 4; k++) {
                int part = part_of_core[core] ^ (k >> 1);
                offsets.push_back(of[part][next[part]++] / UNIT * UNIT);
            }
    for (int atomics = 0; atomics < 2; atomics++)
        for (int from = 0; from < 3; from++) {
            uint32_t best = ~0u;
            for (int run = 0; run < 5; run++) {
                use_units(offsets);
                start(atomics ? time_rate<true> : time_rate<false>, WARPS * 32, from, TURNS);
                std::vector<uint32_t> out = results(cores);
                best = std::min(best, *std::max_element(out.begin(), out.end()));
            }
            std::printf("rate,%s,%d,,%.2f\n", atomics ? "reductions" : "stores", from, (double)best / (WARPS * TURNS * 64));
        }
}

int main(int argc, char** argv)
{
    static const struct {
        const char* name;
        void (*run)();
    } parts[] = {{"lines", part_lines}, {"first", part_first}, {"sweep", part_sweep}, {"fence", part_fence}, {"hand", part_hand}, {"lock", part_lock}, {"rate", part_rate}};
    cudaDeviceProp properties;

    if (argc > 1 && std::atoi(argv[1]) > 0) {
        bytes = std::min(MOST, (uint32_t)std::atoi(argv[1]) << 20);
        argc--, argv++;
    }
    CHECK(cudaGetDeviceProperties(&properties, 0));
    cores = properties.multiProcessorCount;
    CHECK(cudaMalloc(&p.memory, bytes));
    CHECK(cudaMemset(p.memory, 0, bytes));
    CHECK(cudaMalloc(&p.flags, 65536));
    CHECK(cudaMalloc(&p.units, MOST / UNIT * 4));
    CHECK(cudaMalloc(&p.out, 65536 * 4));
    std::printf("# %s, %d cores, %d KB of L2\npart,what,a,b,cycles\n", properties.name, cores, properties.l2CacheSize / 1024);
    find_parts();
    for (const auto& part : parts) {
        bool wanted = argc == 1;
        for (int k = 1; k < argc; k++)
            wanted |= !std::strcmp(argv[k], part.name);
        if (wanted)
            part.run();
        std::fflush(stdout);
    }
    return 0;
}
