/* Work-group dispatchers: which group starts where. */
#ifndef LOCKSTEP_POLICY_DISPATCH_H
#define LOCKSTEP_POLICY_DISPATCH_H

#include <stddef.h>
#include <stdint.h>

/* What a dispatcher may look at.  The machine asks at an exchange point, when no core is running, again and again until the
 * answer is -1 or no group is left; after each group that it places it refreshes room and next. */
struct dispatch_view {
	const uint32_t *room; /* per core: groups of this launch that would fit now */
	uint32_t core_count;
	uint64_t next, total; /* flat index of the next group to start; groups of the launch; next < total */
	uint64_t now;         /* core cycle */
};

/* One state per launch, zeroed, in the launch arena. */
struct group_dispatcher {
	const char *name, *summary;
	size_t state_size;
	/* The core, one with room, for group view->next; -1: not now. */
	int (*next)(void *state, const struct dispatch_view *view);
};

extern const struct group_dispatcher *const group_dispatchers[]; /* null-terminated, from list.def */

#endif
