// A ticket lock among the lanes of a warp: who is served stands behind the loop in which the others wait.
// launch: --kernel ticket --block 32 --arg buf:next:s32:1:zero --arg buf:serving:s32:1:zero --arg buf:count:s32:1:zero --dump count
extern "C" __global__ void ticket(int *next, volatile int *serving, int *count)
{
	int mine = atomicAdd(next, 1);
	while (*serving != mine) {
	}
	++*count;
	__threadfence();
	*serving = mine + 1;
}
