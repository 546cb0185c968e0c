/* What limits how many work-groups of a launch are resident, and on which GPU models all would be. */
#ifndef LOCKSTEP_CHECK_RESIDENCE_H
#define LOCKSTEP_CHECK_RESIDENCE_H

#include "util/arena.h"

struct launch;

/* What limits how many of the launch's groups a core holds. */
const char *residence_limiter(const struct launch *launch);
/* The other models on which all its groups would be resident at once, "a, b, c"; null: none. */
const char *residence_models(struct arena *arena, const struct launch *launch);

#endif
