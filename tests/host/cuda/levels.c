/* cudaLimitDevRuntimeSyncDepth: how many levels of grids may wait for what they have launched.  The guide: two when it
 * is not set, and cudaErrorSyncDepthExceeded below. */
#include "kernels.h"

EMBED(unit, "levels.fatbin");
LINKED(unit);

static const char level;

enum { LEVELS = 4, LIMIT_DEPTH = 3, TOO_DEEP = 68 };

/* Of the levels the host's is the first: errors[LEVELS]. */
static void check(int *errors, int depth)
{
	int left = LEVELS;

	memset(errors, 0, 8 * sizeof *errors);
	OK(LAUNCH(level, 1, 1, NULL, &errors, &left));
	OK(cudaDeviceSynchronize());
	CHECK(errors[0] == 1 && errors[7] == depth);
	for (int k = 0; k < LEVELS; k++)
		CHECK(errors[LEVELS - k] == (k < depth ? 0 : TOO_DEEP));
}

int main(void)
{
	int *errors;
	void **module = __cudaRegisterFatBinary((void *)(uintptr_t)&linked);

	__cudaRegisterFunction(module, &level, NULL, "level", -1, NULL, NULL, NULL, NULL, NULL);
	__cudaRegisterFatBinaryEnd(module);
	OK(cudaMallocManaged((void **)&errors, 8 * sizeof *errors, cudaMemAttachGlobal));
	check(errors, 2);
	OK(cudaDeviceSetLimit(LIMIT_DEPTH, 1));
	check(errors, 1);
	OK(cudaDeviceSetLimit(LIMIT_DEPTH, 3));
	check(errors, 3);
	OK(cudaFree(errors));
	return 0;
}
