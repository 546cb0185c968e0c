/* The table of control processors, from list.def. */
#include "policy/control/control.h"
#include "policy/policy.h"

#define TABLE control_policies
#define VTABLE control_policy
#define POLICY_NAME(choice) control_##choice
#define LIST "policy/control/list.def"
#include "policy/table.def"

/* See policy.h. */
const char *control_lacks(const void *policy)
{
	const struct control_policy *p = policy;

	return p->exists && !p->size ? "size" : NULL;
}
