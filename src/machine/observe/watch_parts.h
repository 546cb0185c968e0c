/* What the files of the proof share: watch.h says what it is. */
#ifndef LOCKSTEP_MACHINE_OBSERVE_WATCH_PARTS_H
#define LOCKSTEP_MACHINE_OBSERVE_WATCH_PARTS_H

#include "machine/observe/watch.h"
#include "machine/state/machine.h"
#include "util/lookup.h"

enum phase {
	PHASE_CLOSED,
	PHASE_ONE_WARP,
	PHASE_ALL_WARPS,
	PHASE_DRAINING,
	PHASE_TIMED,          /* all warps, whatever clocks say */
	PHASE_ALONE_DRAINING, /* until what others have written has arrived */
	PHASE_ALONE,
	PHASE_UNSTEADY, /* all warps, whatever happens to memory */
};

struct watcher {
	bool (*begins_later)(struct machine *machine);
	enum phase phase;
	uint64_t next;          /* when to look again */
	uint64_t opened;        /* when the window was */
	uint64_t longest_limit; /* of the try_waits since then, in cycles */
	uint64_t quiet_since;   /* no more than looking has been seen since */
	uint64_t quiet_work;    /* warp instructions issued until then */
	uint32_t quiet_looks;   /* windows since then */
	/* states that warps came back to while memory changed, since `ended` */
	struct lookup returns;
	uint64_t progress; /* groups started and ended, when last looked */
	uint64_t exits;    /* threads of groups that go on which had ended, when last looked */
	bool has_verdict;  /* a hang was seen, and the window left open */
	bool asked_host;   /* since quiet_since a warp has looked at memory that the host writes */
	bool read_clock;   /* likewise at a clock, and it is not known what for */
	bool times;        /* a clock was read in the last window: next time, compare states without the time */
	/* memory changed in the last window: next time, look at it as something that may come back */
	bool changes;
	uint64_t ended; /* when a group last started or ended, or a thread ended */
	uint32_t pause, span, limit, attempts;
	struct journal *memory; /* by partition */
	uint64_t *misses;       /* of each core's L1, when all warps were looked at */
};

/* Cycles; in functional mode, rounds of turns for all cores, each of which counts as machine_mode.clock_cycles. */
static inline uint64_t watcher_now(const struct machine *machine)
{
	assert(machine->mode->clock_cycles);
	return machine->mode->clock(machine) * machine->mode->clock_cycles;
}

static inline uint64_t misses_of(const struct core *core)
{
	assert(core->counters.l1_loads >= core->counters.l1_hits);
	return core->counters.l1_loads - core->counters.l1_hits;
}

/* Of what writes memory: partitions and, under a directory, cores. */
static inline uint32_t journals_of(const struct machine *machine)
{
	return machine->partition_count + (machine->coherence->directory ? machine->cores.count : 0);
}

/* ---- watch.c ---- */

/* States that warps come back to, over many windows: a warp that waits where all others wait too comes back to the same
 * few states again and again, while one that makes progress, however slowly, comes back to a state in which it has
 * never been.  Adds the state of a warp, `bytes` at `state`, by its hash; `warp` tells the warps of the machine apart.
 * Whether it is new: two states of the same hash count as one, once in 2^64 pairs. */
bool returns_add(struct arena *arena, struct lookup *returns, uint32_t warp, const uint8_t *state, size_t bytes);

/* ---- watch_window.c ---- */

/* Memory is watched in every core and partition; the warps are yet to be chosen. */
void window_open(struct machine *machine, struct watcher *w);
void window_close(struct machine *machine);
/* Calls `visit` for each warp that has not ended. */
void window_each_warp(struct machine *machine, void (*visit)(struct core *core, struct warp_slot *r));
/* All its lanes wait for what others do: at barriers, for locks in a queue, whose coming changes memory, or for grids
 * to end. */
bool window_is_blocked(const struct core *core, const struct warp_slot *r);
void window_watch(struct core *core, struct warp_slot *r);
/* Watches one that can run, another one at each attempt.  False: there is none. */
bool window_choose(struct machine *machine, struct watcher *w);
/* Everything that was outstanding in these epochs of fences, and of copies, has arrived. */
void window_close_epochs(struct machine *machine);
bool window_is_drained(const struct machine *machine);
/* A stale line may be thrown out of the L1 in the end, by a line that comes: it proves something only where none did.
 */
bool window_lines_may_change(struct machine *machine, const struct watcher *w);
/* Somebody waits at a barrier to which others come again and again without waiting: in the end it may be full. */
bool window_barriers_may_fill(const struct machine *machine);

#endif
