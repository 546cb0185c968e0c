/* Back-off: when a warp that spins may issue again.  It filters what any warp scheduler picks from.
 *
 * Which branches induce spinning is the spin detector's finding.  A warp that takes one for another iteration is backed
 * off until it issues its next instruction. */
#ifndef LOCKSTEP_POLICY_BACKOFF_H
#define LOCKSTEP_POLICY_BACKOFF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The model's fields backoff.*, in cycles or thousandths. */
struct backoff_fields {
	bool queue;      /* spinning warps issue behind all others */
	uint32_t limit;  /* of a fixed delay */
	uint32_t window; /* of an adaptive one: see bows_adaptive.c */
	uint32_t step, frac1, frac2;
	uint32_t minimum, maximum;
};

/* One state per core, zeroed, in the machine's arena.  Warps are warp slots of the core, from 0 to 63.  A policy
 * without `spin` does nothing; with it, all hooks must be there. */
struct backoff_policy {
	const char *name, *summary;
	size_t state_size;
	void (*start)(void *state, const struct backoff_fields *fields);
	/* The warp executes a spin-inducing branch; again: some lane takes it and spins, so the warp is backed off now.
	 * The cycle before which it may not issue; not after `now`: it may at once. */
	uint64_t (*spin)(void *state, int warp, bool again, uint64_t now);
	/* Of `can`, warps of one scheduler that could issue, not empty: those among which it picks, not empty. */
	uint64_t (*choose)(void *state, uint64_t can);
	/* The warp issues an instruction, two in a cycle where the model does.  True: it was backed off, and is no
	 * longer. */
	bool (*issue)(void *state, int warp, uint64_t now);
	void (*retire)(void *state, int warp); /* the warp in this slot has finished */
	uint64_t (*limit)(const void *state);  /* the delay that a warp gets that leaves the backed-off state now */
};

#endif
