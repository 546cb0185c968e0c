/* The states that warps have come back to, over many windows of the watcher (watch.h): a warp that waits where all
 * others wait too comes back to the same few states again and again, while one that makes progress, however slowly,
 * comes back to a state in which it has never been. */
#ifndef LOCKSTEP_MACHINE_OBSERVE_RETURNS_H
#define LOCKSTEP_MACHINE_OBSERVE_RETURNS_H

#include "util/lookup.h"

/* Adds the state of a warp, `bytes` at `state`, by its hash; `warp` tells the warps of the machine apart.  Whether it
 * is new: two states of the same hash count as one, once in 2^64 pairs. */
bool returns_add(struct arena *arena, struct lookup *returns, uint32_t warp, const uint8_t *state, size_t bytes);

#endif
