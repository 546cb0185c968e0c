/* Threads that all put items into a channel and take them off.  WIDTH, DONE and MOST are the channel's. */
#include <lockstep_channels.h>
#ifndef WIDTH
#define WIDTH 1024u
#define DONE 64u
#define MOST 2u
#endif

struct item {
	uint number, from, twice, not;
};

/* Each thread enqueues `items` of its own, up to MOST at a time, and takes as many as it finds, so that a full channel holds nobody up: it
 * leaves when it has enqueued its own and found the channel empty.  So the last to leave leaves nothing behind. */
kernel void work(global uchar *memory, global uint *seen, global uint *wrong, uint items)
{
	ch_channel c = ch_open(memory, WIDTH, DONE, sizeof(struct item), MOST);
	const uint me = get_global_id(0);
	uint made = 0, found = 1;

	while (made < items || found) {
		uint offset, count = min(1 + (me + made) % MOST, items - made);
		if (count > 0) {
			uint first = ch_talloc(&c, count);
			if (first != CH_NONE) {
				for (uint k = 0; k < count; k++) {
					uint number = me * items + made + k;
					*(global struct item *)ch_at(&c, first + k) =
						(struct item){number, me, 2 * number, ~number};
				}
				ch_enq(&c, first, count);
				made += count;
			}
		}
		found = (uint)ch_claim(&c, &offset);
		if (found) {
			uint element = ch_deq(&c, offset);
			global struct item *item = ch_at(&c, element);
			if (item->from != item->number / items || item->twice != 2 * item->number || item->not != ~item->number)
				atomic_inc(wrong);
			else
				atomic_inc(&seen[item->number]);
			ch_tfree(&c, element);
		}
	}
}
