/* Barriers, pipelines, asynchronous copies, semaphores and latches of libcu++, wmma, new and delete: as nvcc compiles
 * them for two architectures, of which the later has instructions of its own. */
#include "kernels.h"

#include <stdint.h>

EMBED(code_of_80, "async_80.fatbin");
EMBED(code_of_90, "async_90.fatbin");

enum { THREADS = 128, WORDS = 4096, INVALID_VALUE = 1, LIMIT_HEAP = 2 };
enum kernel { BARRIERS, COPIES, PIPELINES, SEMAPHORES, MATRICES, HEAP, KERNELS };

static const char *const names[KERNELS] = {"barriers", "copies", "pipelines", "semaphores", "matrices", "heap"};
static char handles[2][KERNELS];
static struct {
	uint32_t magic, version;
	const void *data, *modules;
} wrappers[2] = {{0x466243b1, 1, code_of_80, NULL}, {0x466243b1, 1, code_of_90, NULL}};

static int in[WORDS], *device_in, *device_out;

static void register_code(int which)
{
	void **module = __cudaRegisterFatBinary(&wrappers[which]);
	for (int k = 0; k < KERNELS; k++)
		__cudaRegisterFunction(module, &handles[which][k], NULL, names[k], -1, NULL, NULL, NULL, NULL, NULL);
	__cudaRegisterFatBinaryEnd(module);
}

static void run(
	int which, enum kernel kernel, unsigned blocks, unsigned threads, void **arguments, void *out, size_t bytes)
{
	OK(cudaMemset(device_out, 0xff, WORDS * sizeof *device_out));
	OK(cudaLaunchKernel(&handles[which][kernel], (dim3){blocks, 1, 1}, (dim3){threads, 1, 1}, arguments, 0, NULL));
	OK(cudaMemcpy(out, device_out, bytes, cudaMemcpyDeviceToHost));
}

static void check_barriers(int which)
{
	int out[2 * THREADS];
	run(which, BARRIERS, 2, THREADS, (void *[]){&device_out}, out, sizeof out);
	for (int i = 0; i < 2 * THREADS; i++)
		CHECK(out[i] == (i % THREADS + 10) % THREADS + 10);
}

static void check_copies(int which)
{
	int out[2 * THREADS];
	run(which, COPIES, 2, THREADS, (void *[]){&device_in, &device_out}, out, sizeof out);
	for (int i = 0; i < 2 * THREADS; i++) {
		int t = i % THREADS, sum = in[8 * THREADS - 1 - t];
		for (int k = 0; k < 4; k++)
			sum += in[(t + k * 37) % (4 * THREADS)];
		CHECK(out[i] == sum);
	}
}

static void check_pipelines(int which)
{
	int out[2 * THREADS], batches = 9;
	run(which, PIPELINES, 2, THREADS, (void *[]){&device_in, &device_out, &batches}, out, sizeof out);
	for (int i = 0; i < 2 * THREADS; i++) {
		int sum = 0;
		for (int k = 0; k < batches; k++)
			sum = sum * 3 + in[k * THREADS + THREADS - 1 - i % THREADS];
		CHECK(out[i] == sum);
	}
}

static void check_semaphores(int which)
{
	int out[3 * THREADS / 32];
	run(which, SEMAPHORES, 3, THREADS, (void *[]){&device_out}, out, sizeof out);
	for (int i = 0; i < 3 * THREADS / 32; i++)
		CHECK(out[i] == 1);
}

static void check_matrices(int which)
{
	float out[256];
	run(which, MATRICES, 1, 32, (void *[]){&device_in, &device_out}, out, sizeof out);
	for (int row = 0; row < 16; row++)
		for (int column = 0; column < 16; column++) {
			int sum = 1;
			for (int k = 0; k < 16; k++)
				sum += in[row * 16 + k] % 8 * (in[256 + column * 16 + k] % 8);
			CHECK(out[row * 16 + column] == (float)sum);
		}
}

static void check_heap(int which)
{
	int out[3 * THREADS], length = 12;
	run(which, HEAP, 3, THREADS, (void *[]){&device_out, &length}, out, sizeof out);
	for (int i = 0; i < 3 * THREADS; i++)
		CHECK(out[i] == 66);
}

int main(void)
{
	size_t bytes = 0;
	for (int i = 0; i < WORDS; i++)
		in[i] = i * 7 % 101;
	OK(cudaMalloc((void **)&device_in, sizeof in));
	OK(cudaMalloc((void **)&device_out, sizeof in));
	OK(cudaMemcpy(device_in, in, sizeof in, cudaMemcpyHostToDevice));
	OK(cudaDeviceGetLimit(&bytes, LIMIT_HEAP));
	CHECK(bytes == 8 << 20);
	OK(cudaDeviceSetLimit(LIMIT_HEAP, 1 << 20));
	for (int which = 0; which < 2; which++) {
		register_code(which);
		check_barriers(which);
		check_copies(which);
		check_pipelines(which);
		check_semaphores(which);
		check_matrices(which);
		check_heap(which);
	}
	GIVES(INVALID_VALUE, cudaDeviceSetLimit(LIMIT_HEAP, 2 << 20)); /* too late: there is a heap */
	OK(cudaFree(device_in));
	OK(cudaFree(device_out));
	return 0;
}
