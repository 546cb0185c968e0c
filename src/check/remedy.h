/* What to change about a hang, by cause; and where a kernel that needs more work-groups than are resident would fit. */
#ifndef LOCKSTEP_CHECK_REMEDY_H
#define LOCKSTEP_CHECK_REMEDY_H

#include "util/arena.h"

#include <stdbool.h>

struct launch;

/* One sentence; empty for a cause that is none of ours. */
const char *remedy_of(const char *cause);
/* The same; with `followed`, part of the advice is so already and is left out: threads are independent; the load is not a plain one. */
const char *remedy_for(const char *cause, bool followed);
/* What limits how many of the launch's groups a core holds. */
const char *remedy_limiter(const struct launch *launch);
/* The models on which all its groups would be resident at once, "a, b and c", without the one it runs on; null: none. */
const char *remedy_models(struct arena *arena, const struct launch *launch);

#endif
