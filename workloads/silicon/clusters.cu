// Clusters, distributed shared memory, the two parts of the L2, and what shared memory leaves of the L1: measured on the GPU at hand.
//
//     nvcc -std=c++17 -arch=sm_90 -o clusters workloads/silicon/clusters.cu
//     clusters [PART...]          barrier chain bandwidth places l2 l1; all when none is named
//
// Prints CSV: part,what,a,b,cycles.  A figure is core cycles by clock64 of one thread, the least of several runs, divided by the operations
// between; `places` has no cycles but what it says.
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
            std::fprintf(stderr, "clusters: %s: %s\n", #call, cudaGetErrorString(error_));             \
            std::exit(1);                                                                              \
        }                                                                                              \
    } while (0)

static const int RUNS = 7;
static const int LOOPS = 64;
static const int CHAIN = 8;

static __device__ uint32_t shared_address(const void* p) { return (uint32_t)__cvta_generic_to_shared(p); }

static __device__ uint32_t mapped(uint32_t address, uint32_t rank)
{
    uint32_t to;
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(to) : "r"(address), "r"(rank));
    return to;
}

static __device__ uint32_t own_rank()
{
    uint32_t rank;
    asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    return rank;
}

static __device__ uint32_t ranks()
{
    uint32_t count;
    asm volatile("mov.u32 %0, %%cluster_nctarank;" : "=r"(count));
    return count;
}

static __device__ uint32_t smid()
{
    uint32_t id;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(id));
    return id;
}

static __device__ void sync_cluster()
{
    asm volatile("barrier.cluster.arrive.release.aligned;\nbarrier.cluster.wait.acquire.aligned;" ::: "memory");
}

template <int kind> __global__ void time_barrier(long long* out)
{
    sync_cluster();
    long long start = clock64();
    for (int k = 0; k < LOOPS; k++) {
        if (kind == 0)
            sync_cluster();
        else if (kind == 1)
            asm volatile("barrier.cluster.arrive.relaxed.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory");
        else
            __syncthreads();
    }
    long long end = clock64();
    if (threadIdx.x == 0)
        out[blockIdx.x] = end - start;
    sync_cluster();
}

// A chain of loads, or of atomics, by one thread of rank 0 in the memory of another rank.
template <int kind> __global__ void time_chain(long long* out, int rank)
{
    __shared__ uint32_t next[256];

    // an address of its own memory as its readers see it
    for (int k = threadIdx.x; k < 256; k += blockDim.x)
        next[k] = kind == 0 ? shared_address(&next[(k + 32) % 256]) : kind == 1 ? mapped(shared_address(&next[(k + 32) % 256]), rank) : 0;
    sync_cluster();
    if (own_rank() == 0 && threadIdx.x == 0) {
        uint32_t at = kind == 0 ? shared_address(next) : mapped(shared_address(next), rank), old = 0;
        long long start = clock64();
        for (int k = 0; k < LOOPS; k++) {
            if (kind == 0)
                asm volatile("ld.shared.u32 %0, [%0];" : "+r"(at));
            else if (kind == 1)
                asm volatile("ld.shared::cluster.u32 %0, [%0];" : "+r"(at));
            else if (kind == 2)
                asm volatile("atom.shared::cluster.add.u32 %0, [%1], %0;" : "+r"(old) : "r"(at));
            else
                asm volatile("atom.shared.add.u32 %0, [%1], %0;" : "+r"(old) : "r"(shared_address(next)));
        }
        long long end = clock64();
        out[0] = end - start;
        out[1] = at + old;
    }
    sync_cluster();
}

// Every thread loads or stores 16 bytes at a time: in the next group's memory, or all but rank 0 in that of rank 0.  Kinds: 2, 3 load; 4, 5 store.
template <int kind> __global__ void time_bandwidth(long long* out)
{
    extern __shared__ uint4 words[];
    uint32_t rank = kind & 1 ? 0 : (own_rank() + 1) % ranks(), sum = 0;
    uint32_t first = mapped(shared_address(&words[threadIdx.x]), rank);

    for (int k = 0; k < 4; k++)
        words[threadIdx.x + k * blockDim.x] = make_uint4(threadIdx.x, 0, 0, 0);
    sync_cluster();
    long long start = clock64();
    if (!(kind & 1) || own_rank() != 0)
#pragma unroll 1  // else ptxas makes one of several to the same address
        for (int k = 0; k < LOOPS; k++) {
            uint32_t a, b, c, d, at = first + (k & 3) * blockDim.x * 16;
            if (kind < 4) {
                asm volatile("ld.shared::cluster.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(a), "=r"(b), "=r"(c), "=r"(d) : "r"(at));
                sum += a + b + c + d;
            } else
                asm volatile("st.shared::cluster.v4.u32 [%0], {%1, %1, %1, %1};" ::"r"(at), "r"(k) : "memory");
        }
    __syncthreads();
    sync_cluster();
    long long end = clock64();
    if (threadIdx.x == 0)
        out[blockIdx.x] = end - start;
    if (sum == 0xffffffff)
        out[0] = 0;
    sync_cluster();
}

__global__ void find_places(uint32_t* out)
{
    extern __shared__ uint4 words[];
    out[2 * blockIdx.x] = smid();
    out[2 * blockIdx.x + 1] = shared_address(words);
    for (int k = 0; k < 1000; k++)
        __nanosleep(100);
    sync_cluster();
}

// From the core `core`: atomics, and loads past the L1, of each of `count` lines.
__global__ void time_l2(uint32_t* memory, const uint32_t* lines, int count, int core, uint32_t zero, uint32_t* atomics, uint32_t* loads)
{
    if (smid() != (uint32_t)core || threadIdx.x)
        return;
    for (int l = 0; l < count; l++) {
        uint32_t* at = memory + (size_t)lines[l] * 32;
        uint32_t best_atomic = ~0u, best_load = ~0u, value = 0;
        for (int run = 0; run < 4; run++) {
            long long start = clock64();
            for (int k = 0; k < CHAIN; k++)
                asm volatile("atom.global.add.u32 %0, [%1], 0;" : "=r"(value) : "l"(at + (value & zero)) : "memory");
            atomics[count] = value;
            long long end = clock64();
            best_atomic = min(best_atomic, (uint32_t)(end - start) / CHAIN);
        }
        for (int run = 0; run < 4; run++) {
            long long start = clock64();
            for (int k = 0; k < CHAIN; k++)
                asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(value) : "l"(at + (value & zero)) : "memory");
            loads[count] = value;
            long long end = clock64();
            best_load = min(best_load, (uint32_t)(end - start) / CHAIN);
        }
        atomics[l] = best_atomic;
        loads[l] = best_load;
    }
}

__global__ void time_l1(const uint32_t* memory, int steps, long long* out)
{
    extern __shared__ uint4 words[];
    uint32_t at = 0;
    for (int k = 0; k < 2 * steps; k++)
        asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(at) : "l"(memory + at));
    long long start = clock64();
    for (int k = 0; k < steps; k++)
        asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(at) : "l"(memory + at));
    long long end = clock64();
    out[0] = end - start;
    out[1] = at;
    if (at == ~0u)
        words[0].x = at;
}

// ---- Running ----

template <class... Types, class... Values>
static cudaError_t launch(void (*kernel)(Types...), int groups, int threads, int cluster, size_t shared, Values... values)
{
    cudaLaunchConfig_t config = {};
    cudaLaunchAttribute attribute[1] = {};
    config.gridDim = groups;
    config.blockDim = threads;
    config.dynamicSmemBytes = shared;
    attribute[0].id = cudaLaunchAttributeClusterDimension;
    attribute[0].val.clusterDim.x = cluster;
    attribute[0].val.clusterDim.y = attribute[0].val.clusterDim.z = 1;
    config.attrs = attribute;
    config.numAttrs = 1;
    return cudaLaunchKernelEx(&config, kernel, values...);
}

template <class Kernel> static void allow(Kernel* kernel, int shared)
{
    CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
    CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, shared));
}

static long long* results;

template <class... Types, class... Values>
static double least(void (*kernel)(Types...), int groups, int threads, int cluster, size_t shared, Values... values)
{
    long long best = -1;
    for (int run = 0; run < RUNS; run++) {
        cudaError_t error = launch(kernel, groups, threads, cluster, shared, results, values...);
        if (error != cudaSuccess || (error = cudaDeviceSynchronize()) != cudaSuccess) {
            std::fprintf(stderr, "clusters: %d groups: %s\n", cluster, cudaGetErrorString(error));
            cudaGetLastError();
            return -1;
        }
        if (best < 0 || results[0] < best)
            best = results[0];
    }
    return (double)best;
}

static const int sizes[] = {1, 2, 4, 8, 16};

template <int kind> static void time_barriers(const char* name)
{
    allow(time_barrier<kind>, 0);
    for (int size : sizes)
        for (int threads : {32, 256, 1024})
            std::printf("barrier,%s,%d,%d,%.2f\n", name, size, threads, least(time_barrier<kind>, size, threads, size, 0) / LOOPS);
}

static void part_barrier()
{
    time_barriers<0>("sync");
    time_barriers<1>("relaxed");
    time_barriers<2>("syncthreads");
}

template <int kind> static void time_chains(const char* name, bool own)
{
    allow(time_chain<kind>, 0);
    for (int size : {2, 8, 16})
        for (int rank = 0; rank < (own ? 1 : size); rank++)
            std::printf("chain,%s,%d,%d,%.2f\n", name, size, rank, least(time_chain<kind>, size, 32, size, 0, rank) / LOOPS);
}

static void part_chain()
{
    time_chains<0>("own_load", true);
    time_chains<1>("load", false);
    time_chains<2>("atomic", false);
    time_chains<3>("own_atomic", true);
}

// cycles: bytes a cycle of each core that loads or stores
template <int kind> static void time_bandwidths(const char* name)
{
    allow(time_bandwidth<kind>, 65536);
    for (int size : sizes)
        for (int threads : {32, 256, 1024})
            if (size > 1)
                std::printf("bandwidth,%s,%d,%d,%.2f\n", name, size, threads,
                    (double)threads * 16 * LOOPS / least(time_bandwidth<kind>, size, threads, size, 65536));
}

static void part_bandwidth()
{
    time_bandwidths<2>("load_next");
    time_bandwidths<3>("load_first");
    time_bandwidths<4>("store_next");
    time_bandwidths<5>("store_first");
}

static void part_places()
{
    allow(find_places, 200 * 1024);
    cudaDeviceProp properties;
    CHECK(cudaGetDeviceProperties(&properties, 0));
    int cores = properties.multiProcessorCount;
    uint32_t* out;
    CHECK(cudaMallocManaged(&out, 1024 * sizeof *out));
    for (int size = 1; size <= 16; size++) {
        cudaLaunchConfig_t config = {};
        cudaLaunchAttribute attribute[1] = {};
        int clusters = 0;
        config.gridDim = size * 64;
        config.blockDim = 32;
        config.dynamicSmemBytes = 200 * 1024;
        attribute[0].id = cudaLaunchAttributeClusterDimension;
        attribute[0].val.clusterDim.x = size;
        attribute[0].val.clusterDim.y = attribute[0].val.clusterDim.z = 1;
        config.attrs = attribute;
        config.numAttrs = 1;
        cudaError_t error = cudaOccupancyMaxActiveClusters(&clusters, find_places, &config);
        std::printf("places,most_clusters,%d,%d,%s\n", size, clusters, cudaGetErrorString(error));
        cudaGetLastError();
    }
    for (int size : {2, 4, 8, 16}) {
        int groups = cores / size * size;
        std::memset(out, 0, 1024 * sizeof *out);
        if (launch(find_places, groups, 32, size, 200 * 1024, out) != cudaSuccess || cudaDeviceSynchronize() != cudaSuccess) {
            std::printf("places,failed,%d,0,%s\n", size, cudaGetErrorString(cudaGetLastError()));
            continue;
        }
        for (int k = 0; k < groups; k++)
            std::printf("places,core,%d,%d,%u\n", size, k, out[2 * k]);
        for (int k = 0; k < size; k++)
            std::printf("places,own_address,%d,%d,%u\n", size, k, out[2 * k + 1]);
    }
}

static void part_l2()
{
    static const int LINES = 96;
    cudaDeviceProp properties;
    CHECK(cudaGetDeviceProperties(&properties, 0));
    int cores = properties.multiProcessorCount;
    uint32_t *memory, *lines, *atomics, *loads;
    CHECK(cudaMalloc(&memory, 64 << 20));
    CHECK(cudaMemset(memory, 0, 64 << 20));
    CHECK(cudaMallocManaged(&lines, LINES * 4));
    CHECK(cudaMalloc(&atomics, LINES * 4 + 4));
    CHECK(cudaMalloc(&loads, LINES * 4 + 4));
    for (int l = 0; l < LINES; l++)  // the first two thirds side by side, the others scattered over 16 MB
        lines[l] = l < 64 ? l * 4 : (uint32_t)(l * 2654435761u) % 131072;
    std::vector<uint32_t> a(LINES), b(LINES);
    for (int core = 0; core < cores; core++) {
        time_l2<<<cores * 2, 32>>>(memory, lines, LINES, core, 0, atomics, loads);
        CHECK(cudaDeviceSynchronize());
        CHECK(cudaMemcpy(a.data(), atomics, LINES * 4, cudaMemcpyDeviceToHost));
        CHECK(cudaMemcpy(b.data(), loads, LINES * 4, cudaMemcpyDeviceToHost));
        for (int l = 0; l < LINES; l++) {
            std::printf("l2,atomic,%d,%u,%u\n", core, lines[l], a[l]);
            std::printf("l2,load,%d,%u,%u\n", core, lines[l], b[l]);
        }
    }
}

static void part_l1()
{
    uint32_t* memory;
    CHECK(cudaMalloc(&memory, 1 << 20));
    CHECK(cudaFuncSetAttribute(time_l1, cudaFuncAttributeMaxDynamicSharedMemorySize, 227 * 1024));
    for (int shared : {0, 32, 64, 96, 128, 160, 200, 227}) {
        for (int kilobytes = 8; kilobytes <= 256; kilobytes += 8) {
            int steps = kilobytes * 1024 / 128;
            std::vector<uint32_t> next(steps * 32);
            for (int k = 0; k < steps; k++)
                next[k * 32] = (k + 1) % steps * 32;
            CHECK(cudaMemcpy(memory, next.data(), next.size() * 4, cudaMemcpyHostToDevice));
            long long best = -1;
            for (int run = 0; run < 3; run++) {
                time_l1<<<1, 1, shared * 1024>>>(memory, steps, results);
                CHECK(cudaDeviceSynchronize());
                best = best < 0 || results[0] < best ? results[0] : best;
            }
            std::printf("l1,chain,%d,%d,%.2f\n", shared, kilobytes, (double)best / steps);
        }
    }
}

int main(int argc, char** argv)
{
    static const struct {
        const char* name;
        void (*run)();
    } parts[] = {{"barrier", part_barrier}, {"chain", part_chain}, {"bandwidth", part_bandwidth}, {"places", part_places}, {"l2", part_l2}, {"l1", part_l1}};

    CHECK(cudaMallocManaged(&results, 1024 * sizeof *results));
    std::printf("part,what,a,b,cycles\n");
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
