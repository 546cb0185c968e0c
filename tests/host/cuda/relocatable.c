/* A program with relocatable device code: its modules are linked when the first of its kernels is launched. */
#include "kernels.h"

#include <stdint.h>

EMBED(first_unit, "relocatable_1.fatbin");
EMBED(second_unit, "relocatable_2.fatbin");
EMBED(third_unit, "relocatable_3.fatbin");

/* The fat binary of what nvcc's linker made: nothing, when there is only PTX. */
static const struct {
	uint32_t magic;
	uint16_t version, header_bytes;
	uint64_t bytes;
} empty = {0xba55ed50, 1, 16, 0};

static const void *const units[] = {first_unit, second_unit, third_unit, NULL};

static const struct {
	uint32_t magic, version;
	const void *data, *modules;
} linked = {0x466243b1, 2, &empty, units};

static const char map;
static char calls;

int main(void)
{
	float *to;
	int count = 0;
	void **module = __cudaRegisterFatBinary((void *)(uintptr_t)&linked);
	__cudaRegisterFunction(module, &map, NULL, "map", -1, NULL, NULL, NULL, NULL, NULL);
	__cudaRegisterVar(module, &calls, NULL, "calls", 0, 4, 0, 0);
	__cudaRegisterFatBinaryEnd(module);
	OK(cudaMallocManaged((void **)&to, 32 * sizeof *to, cudaMemAttachGlobal));
	OK(LAUNCH(map, 1, 32, NULL, &to));
	OK(cudaDeviceSynchronize());
	for (int i = 0; i < 32; i++)
		CHECK(to[i] == (float)(2 * i + 1));
	OK(cudaMemcpyFromSymbol(&count, &calls, sizeof count, 0, cudaMemcpyDeviceToHost));
	CHECK(count == 7 + 32);
	OK(cudaFree(to));
	return 0;
}
