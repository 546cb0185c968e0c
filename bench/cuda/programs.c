/* CUDA programs whose cost is the host's side: many small launches, big copies and fills, big blocks that come and go.
 *
 *     programs NAME [SIZE]     NAME: launches synchronised zeros ones upload download between blocks; SIZE: launches,
 * MiB or blocks
 *
 * Every result is checked at places a page or more apart, cheaply, since the whole process is what is timed. */
#include "host/cuda/runtime.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char source[] = ".version 7.0\n.target sm_50\n.address_size 64\n"
			     ".visible .entry tick(.param .u64 count)\n"
			     "{\n"
			     ".reg .b32 %r<3>;\n"
			     ".reg .b64 %rd<4>;\n"
			     "ld.param.u64 %rd1, [count];\n"
			     "mov.u32 %r1, %tid.x;\n"
			     "mul.wide.u32 %rd2, %r1, 4;\n"
			     "add.s64 %rd3, %rd1, %rd2;\n"
			     "ld.global.u32 %r2, [%rd3];\n"
			     "add.s32 %r2, %r2, 1;\n"
			     "st.global.u32 [%rd3], %r2;\n"
			     "ret;\n"
			     "}\n";

enum { THREADS = 64, STEP = 1 << 16 }; /* STEP: bytes from one place that is looked at to the next */

static void need(int condition, const char *what)
{
	if (condition)
		return;
	fprintf(stderr, "programs: not so: %s\n", what);
	exit(1);
}
#define NEED(condition) need(condition, #condition)

static uint8_t *device_block(size_t bytes)
{
	void *at;
	NEED(!cudaMalloc(&at, bytes));
	return at;
}

static uint8_t *host_block(size_t bytes, int value)
{
	uint8_t *at = malloc(bytes);
	NEED(at != NULL);
	memset(at, value, bytes);
	return at;
}

static void need_bytes(const uint8_t *device, size_t bytes, uint8_t value)
{
	uint8_t byte;
	for (size_t k = 0; k < bytes; k += bytes / 8) {
		NEED(!cudaMemcpy(&byte, device + k, 1, cudaMemcpyDeviceToHost));
		NEED(byte == value);
	}
}

/* ---- The programs ---- */

static void launch_often(int times, int waits)
{
	cudaLibrary_t library;
	cudaKernel_t kernel;
	uint32_t *count = (uint32_t *)(void *)device_block(THREADS * sizeof *count), first, last;
	NEED(!cudaMemset(count, 0, THREADS * sizeof *count));
	NEED(!cudaLibraryLoadData(&library, source, NULL, NULL, 0, NULL, NULL, 0));
	NEED(!cudaLibraryGetKernel(&kernel, library, "tick"));
	for (int k = 0; k < times; k++) {
		NEED(!cudaLaunchKernel(kernel, (dim3){1, 1, 1}, (dim3){THREADS, 1, 1}, (void *[]){&count}, 0, NULL));
		NEED(!waits || !cudaDeviceSynchronize());
	}
	NEED(!cudaMemcpy(&first, count, sizeof first, cudaMemcpyDeviceToHost));
	NEED(!cudaMemcpy(&last, count + THREADS - 1, sizeof last, cudaMemcpyDeviceToHost));
	NEED(first == (uint32_t)times && last == first);
}

static void run_launches(size_t size)
{
	launch_often((int)size, 0);
}

static void run_synchronised(size_t size)
{
	launch_often((int)size, 1);
}

static void fill(size_t megabytes, int value)
{
	size_t bytes = megabytes << 20;
	uint8_t *a = device_block(bytes);
	NEED(!cudaMemset(a, value, bytes));
	NEED(!cudaDeviceSynchronize());
	need_bytes(a, bytes, (uint8_t)value);
}

static void run_zeros(size_t size)
{
	fill(size, 0);
}

static void run_ones(size_t size)
{
	fill(size, 1);
}

static void run_upload(size_t size)
{
	size_t bytes = size << 20;
	uint8_t *host = host_block(bytes, 5), *device = device_block(bytes);
	NEED(!cudaMemcpy(device, host, bytes, cudaMemcpyHostToDevice));
	need_bytes(device, bytes, 5);
}

static void run_download(size_t size)
{
	size_t bytes = size << 20;
	uint8_t *device = device_block(bytes), *host = malloc(bytes);
	NEED(!cudaMemset(device, 7, bytes));
	NEED(host && !cudaMemcpy(host, device, bytes, cudaMemcpyDeviceToHost));
	for (size_t k = 0; k < bytes; k += STEP)
		NEED(host[k] == 7);
}

static void run_between(size_t size)
{
	size_t bytes = size << 20;
	uint8_t *a = device_block(bytes), *b = device_block(bytes);
	NEED(!cudaMemset(a, 3, bytes));
	NEED(!cudaMemcpy(b, a, bytes, cudaMemcpyDeviceToDevice));
	need_bytes(b, bytes, 3);
}

/* A quarter of a gigabyte each, of which some bytes are written. */
static void run_blocks(size_t size)
{
	for (size_t k = 0; k < size; k++) {
		uint8_t *a = device_block((size_t)256 << 20);
		NEED(!cudaMemset(a, 1, STEP));
		NEED(!cudaFree(a));
	}
}

static const struct {
	const char *name;
	void (*run)(size_t size);
	size_t size;
} programs[] = {
	{"launches", run_launches, 5000},
	{"synchronised", run_synchronised, 5000},
	{"zeros", run_zeros, 1024},
	{"ones", run_ones, 1024},
	{"upload", run_upload, 1024},
	{"download", run_download, 1024},
	{"between", run_between, 512},
	{"blocks", run_blocks, 1000},
};

int main(int count, char **words)
{
	for (size_t k = 0; count > 1 && k < sizeof programs / sizeof *programs; k++)
		if (!strcmp(words[1], programs[k].name)) {
			programs[k].run(count > 2 ? strtoul(words[2], NULL, 10) : programs[k].size);
			return 0;
		}
	fprintf(stderr, "usage: programs NAME [SIZE]\n");
	return 2;
}
