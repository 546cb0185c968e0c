/* What to change about a hang, by cause; and where a kernel that needs more work-groups than are resident would fit. */
#ifndef LOCKSTEP_CHECK_REMEDY_H
#define LOCKSTEP_CHECK_REMEDY_H

#include "util/arena.h"

struct launch;

/* One sentence; empty for a cause that is none of ours. */
const char *remedy_of(const char *cause);
/* What limits how many of the launch's groups a core holds. */
const char *remedy_limiter(const struct launch *launch);
/* The models on which all its groups would be resident at once, "a, b and c"; null: none. */
const char *remedy_models(struct arena *arena, const struct launch *launch);

#endif
