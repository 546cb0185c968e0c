/* The number of leaves of the tree of calls by which Fibonacci numbers are computed, on a channel (paper 5, Figures 6 and 7): an element is a
 * call.  There is no aggregator: threads take what they find, until no call is left.
 * WIDTH and DONE are the channel's. */
#include <lockstep_channels.h>
#ifndef WIDTH
#define WIDTH 1024u
#define DONE 64u
#endif

struct call {
	uint n;
};

/* What a call comes to without a channel. */
uint leaves_of(uint n)
{
	uint last = 1, this = 1;

	for (uint k = 2; k < n; k++) {
		uint next = last + this;
		last = this;
		this = next;
	}
	return this;
}

/* A call, in an element.  `left`: calls that are not over; what is spawned counts before it can be taken. */
void fibonacci(const ch_channel *c, uint n, global uint *left, global uint *sum, global uint *serial)
{
	uint first;

	if (n <= 2) {
		atomic_inc(sum);
		atomic_dec(left);
		return;
	}
	first = ch_talloc(c, 2);
	if (first == CH_NONE) { /* no room, and nobody to yield to */
		atomic_add(sum, leaves_of(n));
		atomic_inc(serial);
		atomic_dec(left);
		return;
	}
	((global struct call *)ch_at(c, first))->n = n - 1;
	((global struct call *)ch_at(c, first + 1))->n = n - 2;
	atomic_inc(left);
	ch_enq(c, first, 2);
}

/* The host has put in the first call.  counts[0]: calls left; [1]: leaves; [2]: calls for which there was no room. */
kernel void work(global uchar *memory, global uint *counts)
{
	ch_channel c = ch_open(memory, WIDTH, DONE, sizeof(struct call), 2);

	while (atomic_load_explicit((volatile global atomic_uint *)counts, memory_order_relaxed, memory_scope_device) != 0) {
		uint offset;
		if (ch_claim(&c, &offset)) {
			uint element = ch_deq(&c, offset), n = ((global struct call *)ch_at(&c, element))->n;
			ch_tfree(&c, element);
			fibonacci(&c, n, counts, counts + 1, counts + 2);
		}
	}
}
