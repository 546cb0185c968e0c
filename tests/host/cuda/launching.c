/* A program whose kernels launch kernels. */
#include "kernels.h"

#include <stdint.h>

EMBED(unit, "launching.fatbin");

/* What nvcc's linker makes of PTX alone: an empty fat binary. */
static const struct {
	uint32_t magic;
	uint16_t version, header_bytes;
	uint64_t bytes;
} empty = {0xba55ed50, 1, 16, 0};

static const void *const units[] = {unit, NULL};

static const struct {
	uint32_t magic, version;
	const void *data, *modules;
} linked = {0x466243b1, 2, &empty, units};

static const char parent;

int main(void)
{
	int *to;
	void **module = __cudaRegisterFatBinary((void *)(uintptr_t)&linked);
	__cudaRegisterFunction(module, &parent, NULL, "parent", -1, NULL, NULL, NULL, NULL, NULL);
	__cudaRegisterFatBinaryEnd(module);
	OK(cudaMallocManaged((void **)&to, sizeof *to, cudaMemAttachGlobal));
	*to = 1;
	OK(LAUNCH(parent, 1, 1, NULL, &to));
	OK(cudaDeviceSynchronize());
	CHECK(*to == 5);
	OK(cudaFree(to));
	return 0;
}
