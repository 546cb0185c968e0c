/* The proof that kernels hang: spinning warps are seen to return to an earlier state while nothing else happens.
 *
 * THE PROOF.  A window of time in which none of the premises below is broken.  Each warp's next step then depends on
 * its own state alone, and on when barriers let it continue.  No launch begins by itself later.  Warps that wait at a
 * barrier, in a queue of locks, or for grids that their group has launched, through the whole window stay there; every
 * other warp has returned, at a backward branch, to an earlier state, byte for byte.  So each repeats its loop for
 * ever.  What was outstanding to memory when the last warp returned is waited for, and it too must change nothing.
 * Where a warp has several paths, each of those that can run has had its turn in between.
 *
 * WHAT A STEP DEPENDS ON, all of it, and what is done about each:
 *   - registers, predicates, the carry bit, local memory, pc, masks, calls, divergence state: compared (state.h); not
 *     while a register waits for memory;
 *   - global and shared memory, mbarriers among it: PREMISE_MEMORY;
 *   - lines of the L1, which may be older than memory: an iteration that loads from such a line proves nothing if any
 *     line has been filled on that core since, which may have evicted it;
 *   - memory that the host writes, at any lane's address of any access: PREMISE_HOST;
 *   - images, whose memory is not compared: PREMISE_IMAGE;
 *   - barriers: which paths wait is part of the divergence state, and each is counted as long as it waits; an arrival
 *     that does not wait (bar.arrive) is counted and visible nowhere else, and if a path waits at that barrier when all
 *     is judged, more arrivals may release it: then nothing is proved;
 *   - the data of bar.red: PREMISE_CLOCK, as it depends on how fast other warps run;
 *   - clocks: PREMISE_TIME; time limits of locks: PREMISE_CLOCK;
 *   - time limits of try_wait: when one is over, the answer is the state of the phase, which is memory; so it is the
 *     same in each iteration, and the limit decides only how long one takes.  A warp that counts its attempts has
 *     another state after each, and one that asks how long it has tried reads a clock.  A window is open for several
 *     limits: before the first is over a warp takes no branch;
 *   - which lanes run together, where lanes are scheduled one by one: a matter of time, visible to whatever reads other
 *     lanes without naming them (activemask, vote, shfl ... without .sync): PREMISE_MASK;
 *   - warps and lanes that end, groups that start, asynchronous copies, the heap, what is printed: PREMISE_COURSE;
 *   - queues of locks: no request and no answer of theirs is outstanding when all is judged;
 *   - lock bits of shared memory: they change as memory does; an ldslk that fails for an atomic in its loop:
 *     PREMISE_CLOCK.
 *
 * ONE WARP ALONE.  When all other warps wait at barriers, memory may change within an iteration, if it holds the same
 * again when the warp returns to its state: no other warp writes, so what follows is the same again.  States are
 * compared at branches at which the warp has nothing outstanding to memory; its loads must not find old lines in the
 * L1, and its paths must not depend on time.  A condition that is polled under a lock is such a wait.
 *
 * THE SUSPICION.  Warps that all return to earlier states while memory changes may make progress after all, if their
 * timing changes; but a warp that works has counted, or read something else, when it returns to a branch.  Slow work
 * may not show in any window: the words that all poll then hold other values from one window to the next, so that a
 * warp returns to a state in which it was never seen (returns.h), and the time of the suspicion begins anew.  A hang is
 * suspected after `hang_after` cycles in which no thread ended and no warp returned to a new state, or after warp
 * instructions that count for as many (and WATCH_LEAST_WORK), whichever is sooner, since a user waits for work, not for
 * cycles (only the former if a clock was read and it is not known what for); and after several checks, since between
 * two of them any amount of work may be done.
 *
 * WAITS FOR A TIME.  A window that a clock broke is followed by one in which clocks may be read (`timed`), and states
 * are compared without the time: kernel/clocks.h says which registers hold nothing else.  A register that counts is
 * never one of them, nor a deadline that is moved on by adding to it.  Three things can be seen then.
 *   - A warp has come back to where it was, but for the time, at a branch of a loop that does not end by the clock: it
 *     has been through all its waits for a time and has got nowhere.  It polls.
 *   - A warp comes to an exit by the clock, and takes no branch back in any other loop for the whole window: it waits
 *     for a time, which comes, so the machine does not hang and the time of the suspicion begins anew.  That is
 * bounded: in one execution of the loop the deadline stays the same and the clock rises, so at most 2^64 cycles; a warp
 * that begins another execution has left the loop, so it is at the branch of an outer one, or not in a loop.  A wait
 * that is longer than the window shows no outer branch even when it is part of a poll; but windows that were too short
 *     are doubled, up to LONGEST_SPAN.  Of 32 bits of a clock, which begin anew, all values have been seen after 2^32
 *     cycles: then such a wait counts no longer.
 *   - A warp goes back in other loops and does not come to an earlier state: it gets on if a loop gives up after some
 *     turns, or does more than look.  Else it counts what nothing depends on, or draws its pauses, and polls.
 * A hang is suspected in such a window, while it is open, so that what each warp accessed in all its round is known:
 * the list of a round is not begun anew at each copy.  It is never proved.  Where memory changes too, the window is one
 * of THE SUSPICION that lets clocks be read.
 *
 * THE COST.  Nothing is checked until a while has passed, and then from time to time, ever more rarely.  First one warp
 * is watched, the others only once it has returned to an earlier state.  The observer is attached as long as a window
 * is open. */
#ifndef LOCKSTEP_MACHINE_OBSERVE_WATCH_H
#define LOCKSTEP_MACHINE_OBSERVE_WATCH_H

#include "machine/core/observer.h"
#include "memory/journal.h"

#define WATCH_ACCESSES 16
/* An instruction counts for so many cycles of hang_after: where nothing changes, and where memory does, which is less
 * sure. */
#define WATCH_CYCLES_PER_LOOK 12
#define WATCH_CYCLES_PER_CHANGE 4
#define WATCH_LEAST_WORK ((uint64_t)1 << 20) /* warp instructions */

/* What must hold in a window: see above.  Bits of watch.broken. */
enum premise {
	PREMISE_MEMORY = 1 << 0, /* no byte of memory gets another value */
	PREMISE_COURSE = 1 << 1, /* nothing starts or ends, and nothing is done that does not repeat */
	PREMISE_CLOCK = 1 << 2,  /* no instruction reads what depends on the timing of others */
	PREMISE_MASK = 1 << 3,   /* none reads which lanes run together by chance */
	PREMISE_HOST = 1 << 4,   /* none reads what the host may write */
	PREMISE_IMAGE = 1 << 5,  /* none reads images */
	PREMISE_TIME = 1 << 6,   /* none reads a clock */
	PREMISES_OF_CHANGE = PREMISE_MEMORY | PREMISE_COURSE,
	/* if only these are broken, a hang may still be suspected */
	PREMISES_OF_TIME = PREMISE_CLOCK | PREMISE_MASK | PREMISE_HOST | PREMISE_IMAGE | PREMISE_TIME,
};

enum watch_state {
	WATCH_NOT,     /* no warp here, or it is not watched */
	WATCH_BLOCKED, /* at barriers, or in queues of locks, since the window was opened */
	WATCH_MOVING,  /* has not returned to an earlier state yet */
	WATCH_BACK,    /* has */
};

/* A load or an atomic of a warp that spins. */
struct watched_access {
	uint32_t pc;
	uint8_t space; /* space_GLOBAL or space_SHARED */
	lane_mask lanes;
	uint64_t address[CORE_WARPS]; /* of each of the lanes; shared: offset */
};

/* Of a warp: what it has accessed, each pc once; beyond WATCH_ACCESSES none is added. */
struct watched_list {
	uint32_t count;
	struct watched_access *at; /* null: none so far */
};

struct watched_warp {
	enum watch_state state;
	uint32_t branches; /* backward ones, since the window was opened */
	/* the state is copied when so many have been taken: each time twice as many (Brent's way of finding cycles) */
	uint32_t next_copy;
	uint32_t offers;    /* turns that other paths of the warp could have had since the copy */
	uint8_t *copy;      /* of the state; null: none yet */
	size_t bytes, room; /* of it, 0: none */
	/* the code between the targets and the places of the backward branches since the copy */
	uint32_t first_pc, last_pc;
	bool stale; /* a load since the copy found a line in the L1 that is older than memory */
	/* all backward branches since the window was opened are of loops that only look, or try to take a lock */
	bool looks;
	struct watched_list round; /* since the copy; in a window of `timed` since it was opened */
	/* In a window of `timed`: */
	bool outer;    /* a branch went back in a loop that does not end by the clock */
	bool counted;  /* one of these loops gives up after some turns */
	uint8_t tests; /* exits by the clock that were come to: CLOCK_TEST, CLOCK_WRAPS */
	/* in all windows in which memory changed since nothing more started or ended: one round may be a failed attempt
	 * to get the lock under which another has looked at the word that matters */
	struct watched_list unsteady;
	uint64_t unsteady_since; /* `ended` of struct watch, when the first of these was opened */
};

/* A core's part of a window: touched by the core alone while it runs. */
struct watch {
	uint32_t broken; /* enum premise, bits; of memory only what no journal tells */
	bool alone;      /* all other warps of the machine wait at barriers */
	/* memory may change while the warps spin: for a suspicion; or `alone`, and it has, though it is restored */
	bool unsteady;
	bool timed;       /* clocks may be read: states are compared without what the registers have of them */
	bool undecided;   /* a clock was read of which clocks.h does not say all */
	uint8_t *scratch; /* for a state without the time */
	size_t scratch_room;
	struct journal *memory; /* of every unit that writes memory, `journals` of them */
	uint32_t journals;
	uint64_t ended;         /* cycle, or round, at which a group last started or ended, or a thread ended */
	struct journal journal; /* of shared memory; in functional mode of all memory */
	bool endless; /* a warp took more backward branches than `limit` and did not return to an earlier state */
	uint32_t limit;
	uint32_t moving;               /* warps */
	uint32_t arrivals[CORE_WARPS]; /* per group slot, bit k: a warp has come to barrier k and did not wait */
	uint32_t epochs[CORE_WARPS];   /* per group slot: of its fences, closed when all its warps were seen to spin */
	struct arena *arena;           /* for the copies */
	struct watched_warp warps[CORE_WARPS];
};

/* Of the whole machine: between quanta, or rounds of turns. */
struct watcher;
/* A new one, in the arena.  `begins_later`: whether a launch will begin even if nothing happens before. */
struct watcher *watcher_create(struct arena *arena, bool (*begins_later)(struct machine *machine));
enum watch_verdict { WATCH_GOES_ON, WATCH_PROVED, WATCH_SUSPECTED };
/* Advances hang detection.  WATCH_PROVED: everything on the machine hangs; the window stays open, so that watch_of
 * tells which warps spin.  WATCH_SUSPECTED: for gpu->options.hang_after cycles no warp has done more than poll. */
enum watch_verdict watcher_step(struct machine *machine);

/* For how long no more than looking has been seen: cycles (functional mode: turns of all cores, 64 each; 0 under a
 * progress model) and warp instructions. */
struct watch_quiet {
	uint64_t cycles, instructions;
};
struct watch_quiet watch_quiet(const struct machine *machine);
/* How long it may take to see that the machine hangs, in cycles, beyond what it takes where all poll without a pause:
 * 0, or two windows that are open for several time limits of try_wait. */
uint64_t watch_longest_proof(const struct machine *machine);
/* Whether a warp has looked at memory that the host writes meanwhile. */
bool watch_asked_host(const struct machine *machine);

/* What a window has seen in all cores and partitions. */
struct window_seen {
	bool changed; /* a byte of memory has changed, or what does not repeat has happened */
	bool timed;   /* what depends on time was read */
	bool endless;
	bool host;  /* memory that the host writes was looked at */
	bool clock; /* what depends on time was read, in a way that is not known */
	bool times; /* a clock was read */
	uint32_t moving;
	uint64_t longest_limit; /* of the try_waits that wait now, in cycles; 0: none does */
};
struct window_seen watch_seen(const struct machine *machine);

/* Under a progress model, which has a proof of its own (progress.h): opens a window on everyone, so that what each warp
 * looks at is noted; and says whether more than looking has been done since then. */
void watch_everyone(struct machine *machine);
bool watch_saw_work(const struct machine *machine);
void watch_forget_changes(struct machine *machine); /* and work */

/* Null: no window is open. */
static inline struct watch *watch_of(const struct core *core)
{
	return observer_state(core, OBSERVER_watch);
}
/* From outside, while a window is open. */
static inline void watch_break(const struct core *core, enum premise premise)
{
	if (watch_of(core))
		watch_of(core)->broken |= premise;
}
/* Whether a warp that goes round reads from the L1 what is no longer in memory. */
bool watch_reads_stale(const struct core *core, const struct warp_slot *r);

#endif
