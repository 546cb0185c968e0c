/* What may be wrong with the thread counts and the numbers of named barriers, as changes that are tried: the rules.
 *
 * Each wants evidence in what the group's warps have done: where they came, with which count.  A count may be wrong
 * - where instructions of one barrier give different counts (PTX ISA, "bar": "the same barrier name and thread count"):
 *   one gets that of the others, or the other way round; or they are two uses of one number, and one gets a number of
 *   its own;
 * - where all warps that ever came to the barrier wait there or have arrived, and it has never opened: all of its
 *   instructions get the number of threads that came.  Not where other warps may be missing: as many as would make up
 *   the rest, unless they have another role. */
#ifndef LOCKSTEP_CHECK_BARRIER_MENDS_H
#define LOCKSTEP_CHECK_BARRIER_MENDS_H

#include "check/cause_parts.h"

/* Adds what may be wrong at the named barrier where the link waits, and says which facts suggest it. */
void barrier_mends_add(struct explanation *e, const struct link *link);
/* Whether it would add anything. */
bool barrier_mends_any(const struct explanation *e, const struct link *link);

#endif
