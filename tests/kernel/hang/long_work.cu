// One warp works for long with a pause in each turn, in registers alone, while another waits for it: nothing of that is a hang, however soon one
// may be suspected.
// launch: --kernel long_work --grid 1 --block 64 --arg buf:flag:u32:1:zero --arg buf:out:u32:1:zero --dump out --hang-after 100000
extern "C" __global__ void long_work(volatile unsigned *flag, unsigned *out)
{
	if (threadIdx.x < 32) {
		unsigned x = threadIdx.x;
		for (unsigned k = 0; k < 400; k++) {
			x = x * 1664525u + 1013904223u;
			asm volatile("nanosleep.u32 2000;");
		}
		if (threadIdx.x == 0) {
			*out = x;
			__threadfence();
			*flag = 1;
		}
	} else {
		while (!*flag)
			;
	}
}
