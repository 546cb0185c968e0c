/* What the host has enqueued behind the kernel that hangs, and which may write the word that it waits for. */
#ifndef LOCKSTEP_CHECK_QUEUED_H
#define LOCKSTEP_CHECK_QUEUED_H

#include "machine/state/finding.h"

struct arena;
struct machine;

/* CHANGE_QUEUED: what may write the word of `word`, a CHANGE_WORD, is let past; value_count 0: there is nothing. */
struct change queued_change(const struct machine *machine, const struct change *word);

/* "kernel sets, which would write it, is queued behind kernel waits in stream 2": the k-th of such a change.
 * `confirmed`: it has been seen to help. */
const char *queued_words(
	const struct machine *machine, const struct change *change, uint32_t k, bool confirmed, struct arena *arena);

/* The same of a grid that a kernel has launched on the GPU, in its stream for tail launches or behind another grid, and
 * that gets a pointer into the word's buffer: "a grid that ... may write it ..."; null: there is none. */
const char *queued_grid_words(const struct machine *machine, const struct change *word, struct arena *arena);

#endif
