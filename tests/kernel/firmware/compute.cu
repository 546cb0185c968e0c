// What a window must get right: values that pass from instruction to instruction, calls, arrays in local memory, 64 bits, floating point,
// stores and loads of the same words, and branches that are foreseen wrongly.  `nothing` is there to be dispatched, and never is.
// launch: --gpu apu-2014 --mode timing --divergence stack --scheduler lrr --spin none --backoff none --coherence write-through-invalidate --control simple --firmware compute --arg buf:out:u32:64 --arg buf:input:u32:64:random=7 --dump out
// launch light-ooo-2: --gpu apu-2014 --mode timing --divergence stack --scheduler lrr --spin none --backoff none --coherence write-through-invalidate --control light-ooo-2 --firmware compute --arg buf:out:u32:64 --arg buf:input:u32:64:random=7 --dump out
// launch plain: --gpu apu-2014 --mode timing --divergence stack --scheduler lrr --spin none --backoff none --coherence write-through-invalidate --firmware compute --arg buf:out:u32:64 --arg buf:input:u32:64:random=7 --dump out
// launch ooo-4: --gpu apu-2014 --mode timing --divergence stack --scheduler lrr --spin none --backoff none --coherence write-through-invalidate --control ooo-4 --firmware compute --arg buf:out:u32:64 --arg buf:input:u32:64:random=7 --dump out
#include <lockstep_control.h>

extern "C" __global__ void nothing(void) {}

static __device__ __noinline__ unsigned collatz(unsigned n)
{
	unsigned steps = 0;

	for (; n > 1; steps++)
		n = n & 1 ? 3 * n + 1 : n / 2;
	return steps;
}

extern "C" __global__ void compute(unsigned *out, unsigned *in)
{
	unsigned table[16];
	unsigned long long sum = 0;
	float root = 0;

	for (int k = 0; k < 16; k++)
		table[in[k] % 16] = 0;
	for (int k = 0; k < 16; k++)
		table[k] = 0;
	for (int k = 0; k < 64; k++) {
		table[in[k] % 16] += k;
		sum += (unsigned long long)in[k] * (k + 1);
		if (in[k] % 3 == 0)
			root += 0.5f * k;
		out[k % 8] = out[(k + 1) % 8] + in[k];
	}
	for (int k = 0; k < 16; k++)
		out[8 + k] = table[k];
	out[24] = (unsigned)sum;
	out[25] = (unsigned)(sum >> 32);
	out[26] = (unsigned)root;
	for (int k = 0; k < 16; k++)
		out[32 + k] = collatz(in[k] % 1000 + 1);
}
