// A reader-writer lock: one word counts readers, -1 means a writer; writers keep two words equal, readers must never see them differ.
// launch: --grid 8 --block 64 --arg buf:lock:s32:1:zero --arg buf:pair:u32:64:zero --arg buf:torn:u32:1:zero --arg buf:reads:u32:1:zero --dump lock --dump pair --dump torn --dump reads
extern "C" __global__ void reader_writer(int *lock, volatile unsigned *pair, unsigned *torn, unsigned *reads)
{
	bool writer = threadIdx.x % 8 == 3, done = false;
	while (!done) {
		if (writer) {
			if (atomicCAS(lock, 0, -1) == 0) {
				__threadfence();
				pair[0] = pair[0] + 1;
				pair[40] = pair[40] + 1;
				__threadfence();
				atomicExch(lock, 0);
				done = true;
			}
		} else {
			int readers = *(volatile int *)lock;
			if (readers >= 0 && atomicCAS(lock, readers, readers + 1) == readers) {
				__threadfence();
				if (pair[0] != pair[40])
					atomicAdd(torn, 1);
				atomicAdd(reads, 1);
				__threadfence();
				atomicSub(lock, 1);
				done = true;
			}
		}
	}
}
