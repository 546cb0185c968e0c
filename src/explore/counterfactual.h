/* Whether a cause is one: the launch that hangs is run again from its own start with one thing changed (finding.h,
 * struct change), and it goes on, or hangs all the same.
 *
 * It goes on when it completes; or when, after twice the time in which the hang was seen (up to sixteen times, until it
 * is decided), it is not found to hang, and more threads have ended than in the hang, or instructions have been issued
 * that never were there, or clearly more outside the code in which that waits.  Of a change that is made at the hang:
 * when something is issued that was not while it hung, a lock is had, a loop left, or a thread ends.
 *
 * Where caches did not begin empty, as at any launch but the first, or the host may have written meanwhile, it is run
 * once more with nothing changed, and must hang. */
#ifndef LOCKSTEP_EXPLORE_COUNTERFACTUAL_H
#define LOCKSTEP_EXPLORE_COUNTERFACTUAL_H

#include "machine/core/finding.h"
#include "util/arena.h"

struct machine;

enum counterfactual_verdict {
	COUNTERFACTUAL_CONFIRMED,
	COUNTERFACTUAL_CONTRADICTED, /* it hangs all the same */
	COUNTERFACTUAL_UNTRIED,
};

struct counterfactual {
	enum counterfactual_verdict verdict;
	const char *words; /* what was changed and what came of it; or why nothing was tried */
};

/* Of a machine whose launches hang, while it is as it hangs.  `seconds` of the process's time at most.  Memory and
 * machine are afterwards as before. Words in `arena`. */
struct counterfactual counterfactual_try(
	struct machine *machine, const struct change *change, double seconds, struct arena *arena);

#endif
