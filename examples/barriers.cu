/* The barriers of lockstep_barrier.h on the GPU at hand, real or simulated: what one costs, and how many groups discovery finds.
 *
 *     nvcc -O2 -arch=native -I PREFIX/include/lockstep barriers.cu -o barriers
 *     ./barriers [LARGEST-GROUPS [RUNS]]                          a real GPU
 *     lockstep run ./barriers [LARGEST-GROUPS [RUNS]]             a simulated one
 *
 * Prints CSV: barrier,KIND,threads,groups,cycles of one,words that were old   and   discovery,LOCK,threads,launched,resident,found. */
#include <lockstep_barrier.h>

#include <cooperative_groups.h>
#include <cstdio>
#include <cstdlib>

enum kind { XF, CENTRAL, TREE, DISSEMINATION, GRID, COOPERATIVE, KINDS };
static const char *const names[] = {"xf", "central", "tree", "dissemination", "grid", "cooperative"};
enum { CHECKED = 10, WARM = 8, TIMED = 64, MOST_THREADS = 1024 * 2048 };

#define CHECK(call) check((call), #call)
static void check(cudaError_t error, const char *what)
{
	if (error == cudaSuccess)
		return;
	fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(error));
	exit(1);
}

static __device__ void barrier(p_context *p, int kind)
{
	switch (kind) {
	case XF: p_barrier_xf(p); break;
	case CENTRAL: p_barrier_central(p); break;
	case TREE: p_barrier_tree(p); break;
	case DISSEMINATION: p_barrier_dissemination(p); break;
	case GRID: p_barrier_grid(p); break;
	default: cooperative_groups::this_grid().sync(); break;
	}
}

/* In the rounds that are checked each thread reads what one of the next group wrote before the barrier. */
__global__ void cost(unsigned *state, unsigned *data, unsigned *old, long long *cycles, int kind)
{
	p_context p;
	p_assume(&p, state);
	unsigned size = p_get_global_size(&p), me = p_get_global_id(&p), next = (me + blockDim.x) % size;
	for (unsigned round = 0; round < CHECKED; round++) {
		data[round % 2 * size + me] = round + 1;
		barrier(&p, kind);
		if (data[round % 2 * size + next] != round + 1)
			atomicAdd(old, 1);
	}
	for (int k = 0; k < WARM; k++)
		barrier(&p, kind);
	long long start = clock64();
	for (int k = 0; k < TIMED; k++)
		barrier(&p, kind);
	long long end = clock64();
	if (me == 0)
		*cycles = (end - start) / TIMED;
}

__global__ void discover(unsigned *state, unsigned *found, int lock)
{
	p_context p;
	if (!p_discover_with(&p, state, lock, 0))
		return;
	p_barrier_xf(&p);
	if (p_get_global_id(&p) == 0)
		*found = p_get_num_groups(&p);
}

static unsigned *state, *word, *data;
static long long *cycles;

static unsigned take_word(void)
{
	unsigned value;
	CHECK(cudaMemcpy(&value, word, sizeof(value), cudaMemcpyDeviceToHost));
	return value;
}

static void clear(unsigned groups)
{
	CHECK(cudaMemset(state, 0, P_STATE_WORDS(groups) * sizeof(*state)));
	CHECK(cudaMemset(word, 0, sizeof(*word)));
}

static void one_cost(int kind, int threads, int groups)
{
	void *arguments[] = {&state, &data, &word, &cycles, &kind};
	long long each;

	clear(groups);
	CHECK(cudaLaunchCooperativeKernel((const void *)cost, dim3(groups), dim3(threads), arguments, 0, 0));
	CHECK(cudaMemcpy(&each, cycles, sizeof(each), cudaMemcpyDeviceToHost));
	printf("barrier,%s,%d,%d,%lld,%u\n", names[kind], threads, groups, each, take_word());
}

/* Powers of two, and one, two, four and eight groups for each multiprocessor, as far as they are resident together. */
static void costs(int kind, int threads, int most, int processors)
{
	int each, resident;

	CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&each, cost, threads, 0));
	resident = each * processors < MOST_THREADS / threads ? each * processors : MOST_THREADS / threads;
	if (most < resident)
		resident = most;
	for (int groups = 1; groups <= resident; groups *= 2)
		one_cost(kind, threads, groups);
	for (int groups = processors; groups <= 8 * processors && groups <= resident; groups *= 2)
		one_cost(kind, threads, groups);
}

/* Twice as many groups are launched as are resident together. */
static void discovery(int lock, int threads, int processors)
{
	int each, resident;

	CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&each, discover, threads, 0));
	resident = each * processors;
	clear(2 * resident);
	discover<<<2 * resident, threads>>>(state, word, lock);
	printf("discovery,%s,%d,%d,%d,%u\n", lock == P_SPIN_LOCK ? "spin" : "ticket", threads, 2 * resident, resident, take_word());
}

int main(int argc, char **argv)
{
	cudaDeviceProp gpu;
	CHECK(cudaGetDeviceProperties(&gpu, 0));
	int processors = gpu.multiProcessorCount, most = argc > 1 ? atoi(argv[1]) : 8 * processors, runs = argc > 2 ? atoi(argv[2]) : 1;

	printf("# %s, %d multiprocessors, capability %d.%d\n", gpu.name, processors, gpu.major, gpu.minor);
	CHECK(cudaMalloc(&state, P_STATE_WORDS(P_MOST_GROUPS) * sizeof(*state)));
	CHECK(cudaMalloc(&word, sizeof(*word)));
	CHECK(cudaMalloc(&data, 2 * MOST_THREADS * sizeof(*data)));
	CHECK(cudaMalloc(&cycles, sizeof(*cycles)));
	for (int run = 0; run < runs; run++) {
		for (int kind = 0; kind < KINDS; kind++)
			for (int threads = 32; threads <= 512; threads *= 4)
				costs(kind, threads, most, processors);
		for (int lock = 0; lock < 2; lock++)
			for (int threads = 32; threads <= 1024; threads *= 2)
				discovery(lock, threads, processors);
	}
	return 0;
}
