// A thread waits until three counters have reached a value: it scans them again and again, and searches no table.
// launch: --grid 4 --block 1 --arg buf:counter:s32:8:zero --arg s32:10
extern "C" __global__ void scan_of_flags(volatile int *counter, int target)
{
	int group = blockIdx.x, done;

	if (group) {
		counter[group] = group;
		return;
	}
	do {
		done = 1;
#pragma unroll 1
		for (int k = 1; k < 4; k++)
			if (counter[k] < target)
				done = 0;
	} while (!done);
}
