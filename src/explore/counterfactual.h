/* A test of a supposed cause: the launch that hangs is run again from its own start with one thing changed (finding.h,
 * struct change), and it makes progress, or still hangs.
 *
 * It makes progress if it completes; or if it runs twice as long as it took to find the hang (up to sixteen times as
 * long, until it is decided) and is not found to hang, and more threads have ended than in the hang, or instructions
 * have been issued that the hang never issued, or clearly more outside of the code in which the hang waits.  After a
 * change that is made at the hang: if an instruction is issued that was not issued while it hung, a lock is taken, a
 * polling loop left, or a thread ends.  After a lock is released where its owner missed that: if more threads have
 * ended, or as above.  A thread that gives a lock back while it waits must end itself.
 *
 * If it completes with a change to a barrier or an mbarrier, it runs once more with the checks of shown.h.
 *
 * If caches did not begin empty, as at any launch but the first, or the host may have written during the launch, it is
 * also run with nothing changed, and must hang. */
#ifndef LOCKSTEP_EXPLORE_COUNTERFACTUAL_H
#define LOCKSTEP_EXPLORE_COUNTERFACTUAL_H

#include "machine/state/finding.h"
#include "util/arena.h"

struct machine;

enum counterfactual_verdict {
	COUNTERFACTUAL_WENT_ON,      /* it made progress */
	COUNTERFACTUAL_CONTRADICTED, /* it still hangs */
	COUNTERFACTUAL_UNTRIED,
};

struct counterfactual {
	enum counterfactual_verdict verdict;
	bool completed; /* WENT_ON: to its end */
	/* completed, but with races or the like in shared memory that it does not have up to the hang, so that the
	   change only hides what is wrong */
	bool hides;
	/* completed; the checks find nothing in shared memory; or just what they find up to the hang; neither: no
	 * checks */
	bool is_clean, is_racy;
	bool no_time; /* UNTRIED for that reason */
	const char
		*words; /* "with ..., the kernel ...": what was changed and what came of it; or why nothing was tried */
	uint32_t attempt; /* of a change with several values: by which */
};

/* For a machine whose launches hang, stopped at the hang.  Takes at most `seconds` of the process's time.  Memory and
 * machine are as before afterwards.  Words are in `arena`. */
struct counterfactual counterfactual_try(
	struct machine *machine, const struct change *change, double seconds, struct arena *arena);

#endif
