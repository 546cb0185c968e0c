/* The table of work-group dispatchers, from list.def. */
#include "policy/dispatch/dispatch.h"

#define DISPATCHER(choice) extern const struct group_dispatcher dispatch_##choice;
#include "policy/dispatch/list.def"
#undef DISPATCHER

const struct group_dispatcher *const group_dispatchers[] = {
#define DISPATCHER(choice) &dispatch_##choice,
#include "policy/dispatch/list.def"
#undef DISPATCHER
	NULL,
};
