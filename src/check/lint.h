/* Spin loops, found before anything runs: whether lanes of one warp can block each other there, and whether the loop
 * waits for other work-groups.
 *
 * Causes: "simt": with a reconvergence stack, lanes that leave the loop wait at its reconvergence point until the
 * others of the warp have left it too, but what these wait for comes after that point (paper 1, chapter 3; paper 2,
 * section IV); "occupancy": another work-group must write what the loop reads, so that one must be resident or still
 * start (paper 4, section 2.2); "none": neither.  It is only a lint: it takes addresses that are computed in different
 * ways for different, and work-groups for one-dimensional. */
#ifndef LOCKSTEP_CHECK_LINT_H
#define LOCKSTEP_CHECK_LINT_H

#include "ptx/module.h"

#define LINT_LINES 3

struct lint_finding {
	bool may_block; /* a warp may wait for itself, or for one that waits for it */
	const char *cause;
	const char *message; /* one line */
	struct lint_line {
		struct place place;
		const char *role;
	} lines[LINT_LINES]; /* the first is the loop's */
	uint32_t line_count;
};

struct lint {
	struct lint_finding *at;
	uint32_t count;
};

/* Everything in `arena`; in the order of functions and loops. */
struct lint lint_module(struct arena *arena, const struct ptx_module *module);

#endif
