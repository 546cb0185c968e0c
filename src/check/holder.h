/* Where a lane goes with a lock that it has got: what follows from its attempt's success, along the branches that
 * success decides. */
#ifndef LOCKSTEP_CHECK_HOLDER_H
#define LOCKSTEP_CHECK_HOLDER_H

#include "check/facts.h"

/* Whether a lane whose attempt succeeded can come to the start of block `to` before it releases the lock.  `releases`,
 * per instruction: what releases this lock, or may.  False where nothing tells success from failure. */
bool holder_reaches(const struct facts *facts, uint32_t attempt, const bool *releases, uint32_t to);

#endif
