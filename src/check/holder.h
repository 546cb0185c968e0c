/* Where the owner of a lock can go: the branches that depend on the success of its attempt are decided, all others are
 * not. */
#ifndef LOCKSTEP_CHECK_HOLDER_H
#define LOCKSTEP_CHECK_HOLDER_H

#include "check/facts.h"

/* Whether a lane whose attempt succeeded can reach the start of block `to` before it releases the lock.  `releases`,
 * per instruction: whether it releases this lock, or may.  False if no comparison tells success from failure. */
bool holder_reaches(const struct facts *facts, uint32_t attempt, const bool *releases, uint32_t to);

#endif
