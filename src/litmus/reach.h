/* What a model of a GPU can show of a test at all: the ends of an abstract machine, whose rules are the model's fields.
 *
 * THE MACHINE.  A thread issues its instructions in order, each when the registers that it reads and writes are there.
 * - An access is on its way from then until the L2 carries it out.  What one core has under way for one location is
 *   carried out in order, all else in any order.  The L2 is one for all.
 * - A load that an L1 may serve can find its line there.  The line may have come at any time at which the core had
 *   nothing under way for it, since it was last dropped; with the value of then, and what the core stored since.
 * - The coherence policy says which loads these are, and what drops lines.
 * - A fence beyond the CTA waits until all that the CTA had under way is carried out.  So does a release before its
 *   access.  An acquire waits for its value.  A fence of the CTA orders nothing.
 * - CTAs are on different cores or on one: all ways are tried.
 *
 * It has no time: it can do whatever the simulated GPU can, however long that takes there.  So an end that is seen and
 * that it cannot reach is a mistake in one of the two. */
#ifndef LOCKSTEP_LITMUS_REACH_H
#define LOCKSTEP_LITMUS_REACH_H

#include "litmus/outcome.h"

#include "lockstep.h"

/* What a memory may do: first what fields say, then what no model does and what is only there to name what an end would
 * need. */
enum litmus_freedom {
	LITMUS_PASS,       /* accesses of different lines are carried out in another order than issued */
	LITMUS_STALE,      /* an L1 keeps a value that others have overwritten */
	LITMUS_KEPT,       /* so it does behind membar and loads past the L1 */
	LITMUS_LOADS_PASS, /* weak loads of one location pass each other */
	LITMUS_PROXIES,    /* other addresses and ways of access see any value that a location has had */
	LITMUS_LIGHT,      /* a fence.acq_rel lets later loads pass earlier stores */
	LITMUS_HALVES,     /* an atomic is a load and a store for those beyond its scope */
	LITMUS_APART,      /* what has .gpu scope orders nothing for other GPUs */
	LITMUS_OWN,        /* threads of a CTA share no core */
	LITMUS_LATE,       /* a store reaches some cores later than others */
	LITMUS_BACK,       /* a load sees any value that its location has had */
	LITMUS_UNORDERED,  /* a store takes its place before one that was carried out earlier */
	LITMUS_FREEDOMS
};

/* Of a model: what memory may do, a bit each, and which field says so, and why. */
struct litmus_freedoms {
	bool known; /* false: a plug-in decides what an L1 keeps */
	uint32_t has;
	struct lockstep_field fields[LITMUS_FREEDOMS]; /* its path is null where no field says it */
};

extern const char *const litmus_freedom_names[LITMUS_FREEDOMS];   /* "pass", for reports */
extern const char *const litmus_freedom_words[LITMUS_FREEDOMS];   /* as above */
extern const char *const litmus_freedom_reasons[LITMUS_FREEDOMS]; /* why there is none; null: a field says it */

struct litmus_freedoms litmus_freedoms(struct arena *arena, const struct lockstep *gpu);

/* Marks the ends that are there: those that such a memory can show, and those that it cannot, with what an allowed one
 * would need beside.  When the test has too many states they stay LITMUS_UNKNOWN. */
void litmus_reach(const struct litmus_test *test, const struct litmus_freedoms *freedoms, struct arena *arena,
	struct litmus_outcomes *outcomes);

/* All ends of the abstract machine; false: there are too many states. */
bool litmus_explore(
	struct arena *arena, const struct litmus_test *test, uint32_t freedoms, struct litmus_outcomes *outcomes);

#endif
