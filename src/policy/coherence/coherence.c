/* The table of coherence policies, from list.def. */
#include "policy/coherence/coherence.h"
#include "policy/policy.h"

#define TABLE coherence_policies
#define VTABLE coherence_policy
#define POLICY_NAME(choice) coherence_##choice
#define LIST "policy/coherence/list.def"
#include "policy/table.def"

/* See policy.h. */
const char *coherence_lacks(const void *policy)
{
	const struct coherence_policy *p = policy;

	return !p->load ? "load" : !p->store ? "store" : !p->acquire ? "acquire" : NULL;
}
