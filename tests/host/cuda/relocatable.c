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

EMBED(whole_unit, "kernels.fatbin");

static const void *const units[] = {first_unit, second_unit, third_unit, NULL};
/* Of two the first, or the second, is left out. */
static const void *const pairs[2][3] = {{third_unit, whole_unit, NULL}, {whole_unit, third_unit, NULL}};

static const struct wrapper {
	uint32_t magic, version;
	const void *data, *modules;
} linked = {0x466243b1, 2, &empty, units},
  linked_pairs[2] = {{0x466243b1, 2, &empty, pairs[0]}, {0x466243b1, 2, &empty, pairs[1]}};

static const char map;
static char calls;

static void check_pairs(void)
{
	static char fills[2];
	int back[8] = {0}, *to, n = 8;
	OK(cudaMalloc((void **)&to, sizeof back));
	for (int k = 0; k < 2; k++) {
		void **module = __cudaRegisterFatBinary((void *)(uintptr_t)&linked_pairs[k]);
		int value = 20 + k;
		check_entry = k;
		__cudaRegisterFunction(module, &fills[k], NULL, "fill", -1, NULL, NULL, NULL, NULL, NULL);
		__cudaRegisterFatBinaryEnd(module);
		OK(LAUNCH(fills[k], 1, 32, NULL, &to, &value, &n));
		OK(cudaMemcpy(back, to, sizeof back, cudaMemcpyDeviceToHost));
		CHECK(back[0] == value && back[7] == value);
	}
	OK(cudaFree(to));
}

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
	check_pairs();
	return 0;
}
