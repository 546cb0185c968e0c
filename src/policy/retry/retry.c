/* The table of back-off policies, from list.def. */
#include "policy/retry/retry.h"
#include "policy/policy.h"

#define RETRY(choice) extern const struct retry_policy retry_##choice;
#include "policy/retry/list.def"
#undef RETRY

const struct retry_policy *const retry_policies[] = {
#define RETRY(choice) &retry_##choice,
#include "policy/retry/list.def"
#undef RETRY
	NULL,
};

/* See policy.h. */
const char *retry_lacks(const void *policy)
{
	const struct retry_policy *p = policy;

	return !p->delay ? "delay" : NULL;
}
