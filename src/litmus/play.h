/* A litmus test on the simulated GPU: many launches with seeds of their own, and what they left behind. */
#ifndef LOCKSTEP_LITMUS_PLAY_H
#define LOCKSTEP_LITMUS_PLAY_H

#include "litmus/kernel.h"
#include "litmus/outcome.h"

#include "lockstep.h"

struct litmus_play {
	/* What the GPU is opened with; `seed` is that from which the launches' are drawn, and what settings says is
	 * said last, so that it overrules the settings that the launches draw. */
	const struct lockstep_options *setup;
	uint64_t runs; /* instances, at least; whole launches are played */
	uint32_t jobs; /* host threads, on which the result does not depend */
};

/* Adds what was seen, with its counts, and the runs to *runs.  False and an error when a launch could not be carried
 * out. */
bool litmus_play(struct arena *arena, const struct litmus_test *test, const struct litmus_play *play,
	struct litmus_outcomes *outcomes, uint64_t *runs, struct diagnostic *diagnostic);

/* One launch: `seed` decides all that is drawn.  Used by litmus_play, on several threads at once. */
bool litmus_launch(struct arena *arena, const struct litmus_test *test, const struct lockstep_options *setup,
	uint64_t seed, struct litmus_outcomes *outcomes, uint64_t *runs, struct diagnostic *diagnostic);

#endif
