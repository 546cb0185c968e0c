/* A program whose kernels launch kernels. */
#include "kernels.h"

EMBED(unit, "launching.fatbin");
LINKED(unit);

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
