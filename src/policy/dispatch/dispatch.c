/* The table of work-group dispatchers, from list.def. */
#include "policy/dispatch/dispatch.h"
#include "policy/policy.h"

#define DISPATCHER(choice) extern const struct group_dispatcher dispatch_##choice;
#include "policy/dispatch/list.def"
#undef DISPATCHER

const struct group_dispatcher *const group_dispatchers[] = {
#define DISPATCHER(choice) &dispatch_##choice,
#include "policy/dispatch/list.def"
#undef DISPATCHER
	NULL,
};

/* See policy.h. */
const char *dispatch_lacks(const void *policy)
{
	const struct group_dispatcher *p = policy;

	if (p->guarantees)
		return NULL; /* a progress model needs nothing else */
	return !p->next ? "next" : NULL;
}
