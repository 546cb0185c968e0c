/* The user says which branches induce spinning. */
#include "policy/spin/spin.h"

static bool branch(void *state, const struct spin_branch *event)
{
	(void)state;
	return event->marked;
}

const struct spin_detector spin_marked = {
	.name = "marked",
	.summary = "the branches, or loops, that spin.branches names",
	.branch = branch,
};
