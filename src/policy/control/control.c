/* The table of control processors, from list.def. */
#include "policy/control/control.h"
#include "policy/policy.h"

#define CONTROL(choice) extern const struct control_policy control_##choice;
#include "policy/control/list.def"
#undef CONTROL

const struct control_policy *const control_policies[] = {
#define CONTROL(choice) &control_##choice,
#include "policy/control/list.def"
#undef CONTROL
	NULL,
};

/* See policy.h. */
const char *control_lacks(const void *policy)
{
	const struct control_policy *p = policy;

	return p->exists && !p->size ? "size" : NULL;
}
