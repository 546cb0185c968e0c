/* One DRAM channel: banks, rows, a first-ready first-come window, and the timing between commands.
 *
 * Times at the interface are core cycles; inside, DRAM command cycles. */
#ifndef LOCKSTEP_MEMORY_DRAM_H
#define LOCKSTEP_MEMORY_DRAM_H

#include "model/model.h"

#include <stdbool.h>
#include <stdint.h>

/* Of two cycles. */
static inline uint64_t later(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}
static inline uint64_t earlier(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

struct dram_request {
	uint64_t cookie; /* returned when a read's data is there */
	uint32_t bank, row;
	uint8_t bursts; /* column commands it takes; they need not follow one another */
	uint8_t weight; /* requests it counts for in backlog and window: sectors of a line travel together */
	bool write;
};

struct dram_counters {
	uint64_t reads, writes;        /* bursts */
	uint64_t row_hits, row_misses; /* bursts that found their row open, or were the first in it */
	uint64_t busy_cycles;          /* of the data bus */
	uint64_t precharges;
};

struct dram;
struct dram *dram_create(struct arena *arena, const struct gpu_model *model);
/* Requests, by weight, pushed but not yet in the window.  Nothing is pushed when it is dram.backlog or more, but two
 * requests may be pushed together. */
uint32_t dram_backlog(const struct dram *dram);
/* Sends a request; it reaches the window at core cycle `ready` or later, after those pushed before it. */
void dram_push(struct dram *dram, const struct dram_request *request, uint64_t ready);

/* What a channel begins with, for the two functions that ask for it. */
struct dram_ahead {
	uint64_t event, done;
};

/* The core cycle of the next command or arrival, or one a little before it; UINT64_MAX when idle. */
static inline uint64_t dram_next_event(const struct dram *dram)
{
	return ((const struct dram_ahead *)dram)->event;
}
/* Advances over all events before core cycle `until` and before the oldest finished read not yet taken, and returns
 * `until`; or stops behind the first event that leaves the backlog below `room`, and returns the core cycle behind it.
 *  So a caller that takes reads when they are done, and then pushes, pushes nothing into the past. */
uint64_t dram_run(struct dram *dram, uint64_t until, uint32_t room);

/* When the oldest finished read's data is there; UINT64_MAX when there is none that has been issued. */
static inline uint64_t dram_done_time(const struct dram *dram)
{
	return ((const struct dram_ahead *)dram)->done;
}
uint64_t dram_take_done(struct dram *dram); /* its cookie */

struct dram_counters *dram_counters(struct dram *dram);

#endif
