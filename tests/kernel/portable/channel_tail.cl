// A thread fills its slot of the control array late, and alone: 2,047 elements are enqueued behind it.  It moves the tail over them bit by bit: who looks
// meanwhile sees some of them, not none until it has passed them all.  `seen`: how many are ready in the end, and whether the first look that found some found fewer.
// launch wide: --gpu v100 --mode timing --divergence independent --scheduler lrr --spin none --backoff none --grid 34 --block 64 --arg buf:channel:u32:16384:zero --arg buf:words:u32:64:zero --arg buf:seen:u32:2:zero --dump seen
#include <lockstep_channels.h>

#define OTHERS 2047u

void wait_for(global uint *word, uint value)
{
	while (ch_load_acquire_(word) != value)
		;
}

void enqueue_late(const ch_channel *c, global uint *reserved, global uint *enqueued)
{
	const uint first = ch_talloc(c, 1);

	ch_swap_long_relaxed_(CH_TAILS_(c), 0, ch_tails_(1, 0));
	ch_store_release_(reserved, 1);
	wait_for(enqueued, OTHERS);
	ch_store_release_(ch_slot_(c, 0), first | ch_filled_(c, 0));
	ch_publish_(c, CH_TOGETHER_(), 0, 1);
}

kernel void tail(global void *memory, global uint *words, global uint *seen)
{
	const uint me = get_global_id(0), group = get_group_id(0);
	ch_channel c = ch_open(memory, 4096, 64, 4, 1);

	if (group == 0 && get_local_id(0) == 0) {
		enqueue_late(&c, &words[0], &words[32]);
	} else if (group == 33 && get_local_id(0) == 0) {
		uint ready, first;
		while ((first = ch_ready(&c)) == 0)
			;
		while ((ready = ch_ready(&c)) < OTHERS + 1)
			;
		seen[0] = ready;
		seen[1] = first < OTHERS + 1;
	} else if (group > 0 && me - 64 < OTHERS) {
		wait_for(&words[0], 1);
		ch_enq(&c, ch_talloc(&c, 1), 1);
		ch_add_release_(&words[32], 1);
	}
}
