/* The table of back-off policies, from list.def. */
#include "policy/retry/retry.h"
#include "policy/policy.h"

#define TABLE retry_policies
#define VTABLE retry_policy
#define POLICY_NAME(choice) retry_##choice
#define LIST "policy/retry/list.def"
#include "policy/table.def"

/* See policy.h. */
const char *retry_lacks(const void *policy)
{
	const struct retry_policy *p = policy;

	return !p->delay ? "delay" : NULL;
}
