/* The proof that kernels hang: spinning warps seen to return to an earlier state of theirs while nothing else happens.
 *
 * THE PROOF.  A window in which no byte of memory changes, no work-group starts, no warp ends and nobody looks at a clock.  Each warp's
 * next step then depends on its own state alone, and on when it is let through barriers, which carry no data.  Warps that wait at a
 * barrier, or in a queue of locks, through the whole window stay there; every other warp has come back, at a backward branch, to a state that it was in before:
 * registers, predicates, local memory, pc, mask, divergence state, byte for byte.  So each goes round for ever.  What was on its way to
 * memory when the last warp came back is waited for, and it too must change nothing.  Where a warp has several paths, each of those that
 * can run has had its turn in between.
 *
 * ONE WARP ALONE.  When all other warps wait at barriers, memory may change in between, too, if only it is as it was when the warp is: nobody
 * else writes, so what comes next is the same again.  Compared is at branches at which nothing of the warp is on its way to memory; its loads
 * must not find old lines in the L1, and its paths must not depend on time.  A condition that is looked at under a lock is such a wait.
 *
 * THE SUSPICION.  Warps that all come back to earlier states while memory changes may go on in the end, when one meets another moment: but
 * who works has counted, or read something else, when he comes back.
 *
 * THE COST.  Nothing is looked at until a while has passed, and then now and again, ever more rarely.  First one warp is looked at, the
 * others only once that one has come back to where it was: hooks are in a copy of the code, for as long as a window is open. */
#ifndef LOCKSTEP_MACHINE_WATCH_H
#define LOCKSTEP_MACHINE_WATCH_H

#include "machine/core.h"
#include "memory/journal.h"

#define WATCH_ACCESSES 8

enum watch_state {
	WATCH_NOT,     /* no warp here, or nobody looks at it */
	WATCH_BLOCKED, /* at barriers, or in queues of locks, since the window was opened */
	WATCH_MOVING,  /* has not come back to an earlier state yet */
	WATCH_BACK,    /* has */
};

/* A load or an atomic of a warp that goes round. */
struct watched_access {
	uint32_t pc;
	uint8_t space;       /* space_GLOBAL or space_SHARED */
	lane_mask lanes;
	uint64_t address[CORE_WARPS]; /* of each of the lanes; shared: offset */
};

struct watched_warp {
	enum watch_state state;
	uint32_t branches;   /* backward ones, since the window was opened */
	uint32_t next_copy;  /* the state is copied when so many have been taken: each time twice as many (Brent's way of finding cycles) */
	uint32_t offers;     /* turns that other paths of the warp could have had since the copy */
	uint8_t *copy;       /* of the state; null: none yet */
	size_t bytes, room;  /* of it, 0: none */
	uint32_t first_pc, last_pc; /* the code between the targets and the places of the backward branches since the copy */
	bool looks;          /* all backward branches since the window was opened are of loops that only look, or try to take a lock */
	uint32_t access_count;
	struct watched_access *accesses; /* WATCH_ACCESSES, since the copy, each pc once; null: none so far */
};

/* A core's part of a window: touched by the core alone while it runs. */
struct watch {
	bool changed;        /* what only goes one way: a warp has ended, a copy has begun ... */
	bool alone;          /* all other warps of the machine wait at barriers */
	bool unsteady;       /* memory may change while the warps go round: alone, or for a suspicion */
	struct journal *memory; /* of every partition, `partitions` of them */
	uint32_t partitions;
	struct journal journal; /* of shared memory; in functional mode of all memory */
	bool timed;          /* somebody looked at a clock, or at what depends on time, or at memory that the host may write */
	bool endless;        /* a warp took more backward branches than `limit` and did not come back */
	uint32_t limit;
	uint32_t moving;     /* warps */
	struct arena *arena; /* for the copies */
	struct watched_warp warps[CORE_WARPS];
};

/* Of the whole machine: between quanta, or rounds of turns. */
struct watcher;
/* One that has seen nothing yet; it goes with the arena. */
struct watcher *watcher_create(struct arena *arena);
enum watch_verdict { WATCH_GOES_ON, WATCH_PROVED, WATCH_SUSPECTED };
/* Looks how things stand.  WATCH_PROVED: everything on the machine hangs; the window stays open, so that cores[].watch tells who goes
 * round.  WATCH_SUSPECTED: for gpu->hang_after cycles nobody has done more than looking. */
enum watch_verdict watcher_step(struct machine *machine);

/* Under a progress model, which has a proof of its own (progress.h): opens a window on everyone, so that what each warp looks at is noted; and
 * says whether since then somebody has looked at what depends on time, a byte of memory has changed, or more than looking has been done. */
void watch_everyone(struct machine *machine);
bool watch_saw_time(const struct machine *machine);
bool watch_saw_change(const struct machine *machine);
bool watch_saw_work(const struct machine *machine);
void watch_forget_changes(struct machine *machine); /* and work */

/* What a core tells while its window is open: core->watch is not null. */
void watch_instruction(struct core *core, struct resident *r, const struct insn *i, lane_mask lanes);
/* A barrier, or a queue of locks, lets the warp go on. */
void watch_released(struct core *core, const struct resident *r);
/* Whether a warp that goes round reads from the L1 what is no longer in memory. */
bool watch_reads_stale(const struct core *core, const struct resident *r);
/* Another path of the warp could have its turn now. */
void watch_offered(struct core *core, const struct resident *r);

#endif
