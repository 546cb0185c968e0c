// What is pending: a grid that runs is, and one that waits for what it has launched, but not one that has tail launches alone left.
extern "C" __global__ void wait_long(int *counts)
{
	for (long long begin = clock64(); clock64() - begin < 1000000;)
		;
}

extern "C" __global__ void running(int *counts)
{
	for (int k = 0; k < 40 && !counts[1]; k++) {
		wait_long<<<1, 1, 0, cudaStreamFireAndForget>>>(counts);
		counts[1] = cudaGetLastError();
		counts[0] += !counts[1];
	}
}

extern "C" __global__ void chain(int *counts, int left)
{
	if (!left)
		return;
	chain<<<1, 1, 0, cudaStreamFireAndForget>>>(counts, left - 1);
	int error = cudaGetLastError();
	atomicOr(counts + 1, error);
	atomicAdd(counts, !error);
}

extern "C" __global__ void tails(int *counts, int left)
{
	if (!left)
		return;
	tails<<<1, 1, 0, cudaStreamTailLaunch>>>(counts, left - 1);
	int error = cudaGetLastError();
	atomicOr(counts + 1, error);
	atomicAdd(counts, !error);
}
