// What launches from kernels cost (CUDA dynamic parallelism): measured on the GPU at hand.
//
//     nvcc -std=c++17 -arch=sm_90 -rdc=true -o launches workloads/silicon/launches.cu -lcudadevrt
//     launches [PART...]          clock depth pending call begin rate many tail tails stream create; all when none is named
//
// Prints CSV: part,what,a,b,ns.  `depth` has how many grids of a chain ran, and the error of its last launch, `pending` how
// many launches came about before the first error with so many pending ones allowed, and that error; `call` and `create` have cycles by clock64 of the calling warp in the column b; all else is time by
// %globaltimer, or by events around the first grid, divided by the launches between.  The least of several runs.
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iterator>

#define CHECK(call)                                                                                    \
    do {                                                                                               \
        cudaError_t error_ = (call);                                                                   \
        if (error_ != cudaSuccess) {                                                                   \
            std::fprintf(stderr, "launches: %s: %s\n", #call, cudaGetErrorString(error_));             \
            std::exit(1);                                                                              \
        }                                                                                              \
    } while (0)

static const int RUNS = 5;

static __device__ uint64_t now()
{
    uint64_t ns;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(ns) : : "memory");
    return ns;
}

__global__ void empty() {}

__global__ void stamp(uint64_t *at) { *at = now(); }

// Each lane launches `each` grids, none of which waits for another.  took: cycles of the warp for all of its calls.
__global__ void launch_apart(int each, uint64_t *took)
{
    uint64_t begin = clock64();
    for (int k = 0; k < each; k++)
        empty<<<1, 1, 0, cudaStreamFireAndForget>>>();
    if (threadIdx.x == 0 && blockIdx.x == 0)
        *took = clock64() - begin;
}

// One grid into the NULL stream of its group, behind which the next waits.
__global__ void launch_behind(int each)
{
    for (int k = 0; k < each; k++)
        empty<<<1, 1>>>();
}

// What a grid launches that many lanes launch: `apart` grids that nothing waits for, and a tail launch behind them.
__global__ void launch_both(int apart, int tail)
{
    for (int k = 0; k < apart; k++)
        empty<<<1, 1, 0, cudaStreamFireAndForget>>>();
    if (tail)
        empty<<<1, 1, 0, cudaStreamTailLaunch>>>();
}

__global__ void launch_parents(int each, int apart, int tail)
{
    for (int k = 0; k < each; k++)
        launch_both<<<1, 1, 0, cudaStreamFireAndForget>>>(apart, tail);
}

__global__ void launch_tail(int left)
{
    if (left)
        launch_tail<<<1, 1, 0, cudaStreamTailLaunch>>>(left - 1);
}

// A chain that counts its grids, and keeps the error of the launch that did not come about.
__global__ void count_chain(int left, bool tail, uint64_t *counts)
{
    counts[0]++;
    if (!left)
        return;
    if (tail)
        count_chain<<<1, 1, 0, cudaStreamTailLaunch>>>(left - 1, tail, counts);
    else
        count_chain<<<1, 1, 0, cudaStreamFireAndForget>>>(left - 1, tail, counts);
    counts[1] |= cudaGetLastError();
}

__global__ void wait_long(uint64_t ns)
{
    for (uint64_t begin = now(); now() - begin < ns;)
        ;
}

// Launches grids that run long, all at once as far as there is room, until one does not come about.
__global__ void count_running(int most, uint64_t ns, uint64_t *counts)
{
    for (int k = 0; k < most && !counts[1]; k++) {
        wait_long<<<1, 1, 0, cudaStreamFireAndForget>>>(ns);
        counts[1] = cudaGetLastError();
        counts[0] += !counts[1];
    }
}

// A tree: each grid launches two.  2^(depth + 1) - 1 grids in all.
__global__ void launch_tree(int depth)
{
    if (!depth)
        return;
    launch_tree<<<1, 1, 0, cudaStreamFireAndForget>>>(depth - 1);
    launch_tree<<<1, 1, 0, cudaStreamFireAndForget>>>(depth - 1);
}

__global__ void begin_of_child(uint64_t *at)
{
    at[0] = now();
    stamp<<<1, 1, 0, cudaStreamFireAndForget>>>(at + 2);
    at[1] = now();
}

__global__ void create(uint64_t *took)
{
    cudaStream_t stream;
    uint64_t begin = clock64();
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    uint64_t made = clock64();
    cudaStreamDestroy(stream);
    took[0] = made - begin;
    took[1] = clock64() - made;
}

// Steps of %globaltimer, the first of which is not whole.
__global__ void steps(uint64_t *at, int count)
{
    uint64_t last = now();
    for (int k = 0; k < count;) {
        uint64_t t = now();
        if (t != last)
            at[k++] = last = t;
    }
}

static uint64_t *memory;

static uint64_t word(int k)
{
    uint64_t value;
    CHECK(cudaMemcpy(&value, memory + k, sizeof value, cudaMemcpyDeviceToHost));
    return value;
}

// The least time of several runs between events around what `run` launches.
template <typename Run> static double least(Run run)
{
    cudaEvent_t begin, end;
    double best = 1e30;
    CHECK(cudaEventCreate(&begin));
    CHECK(cudaEventCreate(&end));
    for (int k = 0; k < RUNS; k++) {
        float ms;
        CHECK(cudaDeviceSynchronize());
        CHECK(cudaEventRecord(begin));
        run();
        CHECK(cudaEventRecord(end));
        CHECK(cudaDeviceSynchronize());
        CHECK(cudaEventElapsedTime(&ms, begin, end));
        best = std::min(best, ms * 1e6);
    }
    CHECK(cudaEventDestroy(begin));
    CHECK(cudaEventDestroy(end));
    return best;
}

static void part_clock()
{
    steps<<<1, 1>>>(memory, 64);
    CHECK(cudaDeviceSynchronize());
    std::printf("clock,step,,,%.1f\n", (double)(word(63) - word(3)) / 60);
}

static void part_depth()
{
    for (int length : {128, 4096, 65536})
        for (bool tail : {true, false}) {
            CHECK(cudaMemset(memory, 0, 2 * sizeof *memory));
            count_chain<<<1, 1>>>(length - 1, tail, memory);
            CHECK(cudaDeviceSynchronize());
            std::printf("depth,%s of %d,%llu,%llu,\n", tail ? "tail launches" : "fire and forget", length, (unsigned long long)word(0),
                (unsigned long long)word(1));
        }
}

static void part_pending()
{
    size_t before, allowed;
    CHECK(cudaDeviceGetLimit(&before, cudaLimitDevRuntimePendingLaunchCount));
    for (int limit : {32, 64}) {
        CHECK(cudaDeviceSetLimit(cudaLimitDevRuntimePendingLaunchCount, limit));
        CHECK(cudaDeviceGetLimit(&allowed, cudaLimitDevRuntimePendingLaunchCount));
        CHECK(cudaMemset(memory, 0, 2 * sizeof *memory));
        count_running<<<1, 1>>>(120, 4000000, memory);
        CHECK(cudaDeviceSynchronize());
        std::printf("pending,running with %zu,%llu,%llu,\n", allowed, (unsigned long long)word(0), (unsigned long long)word(1));
        for (bool tail : {true, false}) {
            CHECK(cudaMemset(memory, 0, 2 * sizeof *memory));
            count_chain<<<1, 1>>>(120, tail, memory);
            CHECK(cudaDeviceSynchronize());
            std::printf("pending,%s with %zu,%llu,%llu,\n", tail ? "chain of tail launches" : "chain", allowed,
                (unsigned long long)word(0) - 1, (unsigned long long)word(1));
        }
    }
    CHECK(cudaDeviceSetLimit(cudaLimitDevRuntimePendingLaunchCount, before));
}

static void part_call()
{
    for (int lanes : {1, 2, 4, 8, 16, 32})
        for (int each : {1, 2, 8}) {
            uint64_t best = ~0ull;
            for (int k = 0; k < RUNS; k++) {
                launch_apart<<<1, lanes>>>(each, memory);
                CHECK(cudaDeviceSynchronize());
                best = std::min(best, word(0));
            }
            std::printf("call,lanes %d,%d,%llu,\n", lanes, each, (unsigned long long)best);
        }
}

static void part_begin()
{
    uint64_t call = ~0ull, child = ~0ull;
    for (int k = 0; k < 4 * RUNS; k++) {
        begin_of_child<<<1, 1>>>(memory);
        CHECK(cudaDeviceSynchronize());
        call = std::min(call, word(1) - word(0));
        child = std::min(child, word(2) - word(0));
    }
    std::printf("begin,call,,,%llu\nbegin,child,,,%llu\n", (unsigned long long)call, (unsigned long long)child);
}

// The slope between few and many launches, so that what a launch from the host takes falls out.
template <typename Run> static void slope(const char *part, const char *what, int few, int many, int grids_each, Run run)
{
    double a = least([&] { run(few); }), b = least([&] { run(many); });
    std::printf("%s,%s,%d,%d,%.1f\n", part, what, few * grids_each, many * grids_each, (b - a) / ((double)(many - few) * grids_each));
}

static void part_rate()
{
    slope("rate", "one lane", 64, 512, 1, [](int n) { launch_apart<<<1, 1>>>(n, memory); });
    slope("rate", "a warp", 2, 16, 32, [](int n) { launch_apart<<<1, 32>>>(n, memory); });
    slope("rate", "warp of the NULL stream", 2, 16, 32, [](int n) { launch_behind<<<1, 32>>>(n); });
}

static void part_many()
{
    for (int groups : {2, 8, 32, 128})
        slope("many", "groups of one lane", 2, 16, groups, [=](int n) { launch_apart<<<groups, 1>>>(n, memory); });
    for (int groups : {2, 8, 32})
        slope("many", "groups of a warp", 1, 2, 32 * groups, [=](int n) { launch_apart<<<groups, 32>>>(n, memory); });
    double a = least([] { launch_tree<<<1, 1>>>(7); }), b = least([] { launch_tree<<<1, 1>>>(10); });
    std::printf("many,tree,255,2047,%.1f\n", (b - a) / (2047 - 255));
}

static void part_tail()
{
    slope("tail", "chain", 16, 128, 1, [](int n) { launch_tail<<<1, 1>>>(n); });
}

static void part_tails()
{
    for (int apart : {0, 1, 2})
        for (int tail : {0, 1}) {
            char what[64];
            std::snprintf(what, sizeof what, "parents with %d and %d tail", apart, tail);
            slope("tails", what, 2, 16, 32, [=](int n) { launch_parents<<<1, 32>>>(n, apart, tail); });
        }
}

static void part_stream()
{
    slope("stream", "NULL stream", 16, 128, 1, [](int n) { launch_behind<<<1, 1>>>(n); });
}

static void part_create()
{
    uint64_t made = ~0ull, ended = ~0ull;
    for (int k = 0; k < RUNS; k++) {
        create<<<1, 1>>>(memory);
        CHECK(cudaDeviceSynchronize());
        made = std::min(made, word(0));
        ended = std::min(ended, word(1));
    }
    std::printf("create,stream,,%llu,\ncreate,end of stream,,%llu,\n", (unsigned long long)made, (unsigned long long)ended);
}

struct part {
    const char *name;
    void (*run)();
};

static const part parts[] = {{"clock", part_clock}, {"depth", part_depth}, {"pending", part_pending}, {"call", part_call}, {"begin", part_begin}, {"rate", part_rate}, {"many", part_many},
    {"tail", part_tail}, {"tails", part_tails}, {"stream", part_stream}, {"create", part_create}};

int main(int argc, char **argv)
{
    cudaDeviceProp properties;
    for (int k = 1; k < argc; k++)
        if (std::none_of(std::begin(parts), std::end(parts), [&](const part &p) { return !std::strcmp(p.name, argv[k]); })) {
            std::fprintf(stderr, "launches: there is no part %s: clock depth pending call begin rate many tail tails stream create\n", argv[k]);
            return 2;
        }
    CHECK(cudaGetDeviceProperties(&properties, 0));
    CHECK(cudaDeviceSetLimit(cudaLimitDevRuntimePendingLaunchCount, 16384));
    CHECK(cudaMalloc(&memory, 64 * sizeof *memory));
    std::printf("# %s\npart,what,a,b,ns\n", properties.name);
    for (const part &p : parts)
        if (argc == 1 || std::any_of(argv + 1, argv + argc, [&](char *name) { return !std::strcmp(name, p.name); }))
            p.run();
    return 0;
}
