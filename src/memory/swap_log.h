/* Which compare-and-swaps have stored, in the order in which they took effect.  The core that sent one hears of it only
 * with the answer, and by then others may have read what it stored. */
#ifndef LOCKSTEP_MEMORY_SWAP_LOG_H
#define LOCKSTEP_MEMORY_SWAP_LOG_H

#include "memory/message.h"
#include "util/vector.h"

/* Of a message. */
struct swap {
	uint64_t stored; /* its entries that stored, a bit each */
	uint32_t token;  /* these two are the message's */
	uint16_t source;
};

struct swap_log {
	struct arena *arena; /* in which it grows */
	VECTOR(struct swap) swaps;
};

/* A message of compare-and-swaps has found `old`, as MESSAGE_DONE has it. */
void swap_log_add(struct swap_log *log, const struct message *m, const uint64_t *old);

#endif
