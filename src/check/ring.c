/* Rings of slots with sequence numbers (ring.h). */
#include "check/ring.h"

#include "check/play.h"

static int64_t extend(uint64_t value, uint8_t bytes)
{
	return bytes == 4 ? (int32_t)value : (int64_t)value;
}

bool ring_find(const struct thread *t, const struct wait *wait, struct ring *ring)
{
	struct wait own;
	uint64_t wanted[2];

	if (wait->is_lock || wait->is_own || !wait_own_word(t, &own) || own.word.address == wait->word.address ||
		play_wishes(t, wait, wanted, 2) != 1)
		return false;
	ring->place = (uint64_t)extend(wait_value(t, &own), own.bytes);
	ring->now = (uint64_t)extend(wait_value(t, wait), wait->bytes);
	ring->wanted = (uint64_t)extend(wanted[0], wait->bytes);
	ring->kind = ring->wanted == ring->place       ? RING_FULL
		     : ring->wanted == ring->place + 1 ? RING_EMPTY
						       : RING_UNKNOWN;
	return true;
}
