// A lock-free stack with counted pointers by 64-bit compare-and-swap, and a sequence lock whose readers must see both halves agree.
typedef unsigned long long u64;
extern "C" __global__ void stack_seqlock(volatile unsigned *next, u64 *head, unsigned *popped, volatile unsigned *seq, unsigned *torn)
{
	unsigned t = blockIdx.x * blockDim.x + threadIdx.x, node = t;
	for (int round = 0; round < 3; round++) {
		u64 old = *(volatile u64 *)head, seen;
		for (;;) {
			next[node] = (unsigned)old;
			__threadfence();
			seen = atomicCAS(head, old, ((old >> 32) + 1) << 32 | node);
			if (seen == old)
				break;
			old = seen;
		}
		old = *(volatile u64 *)head;
		for (;;) {
			unsigned top = (unsigned)old;
			u64 to = ((old >> 32) + 1) << 32 | next[top];
			seen = atomicCAS(head, old, to);
			if (seen == old) {
				node = top;
				break;
			}
			old = seen;
		}
		atomicAdd(&popped[node], 1);
	}
	if (t % 64 == 5) {
		for (unsigned i = 0; i < 4; i++) {
			bool done = false;
			while (!done) {
				unsigned s = seq[0];
				if (!(s & 1) && atomicCAS((unsigned *)&seq[0], s, s + 1) == s) {
					unsigned v = seq[1] + 1;
					seq[1] = v;
					__threadfence();
					seq[2] = v * 7;
					__threadfence();
					seq[0] = s + 2;
					done = true;
				}
			}
		}
	} else {
		for (unsigned i = 0; i < 4; i++) {
			unsigned s, a, b;
			do {
				s = seq[0];
				__threadfence();
				a = seq[1];
				b = seq[2];
				__threadfence();
			} while ((s & 1) || seq[0] != s);
			if (a * 7 != b)
				atomicAdd(torn, 1);
		}
	}
}
