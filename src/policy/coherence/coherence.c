/* The table of coherence policies, from list.def. */
#include "policy/coherence/coherence.h"
#include "policy/policy.h"

#define COHERENCE(choice) extern const struct coherence_policy coherence_##choice;
#include "policy/coherence/list.def"
#undef COHERENCE

const struct coherence_policy *const coherence_policies[] = {
#define COHERENCE(choice) &coherence_##choice,
#include "policy/coherence/list.def"
#undef COHERENCE
	NULL,
};

/* See policy.h. */
const char *coherence_lacks(const void *policy)
{
	const struct coherence_policy *p = policy;

	return !p->load ? "load" : !p->store ? "store" : !p->acquire ? "acquire" : NULL;
}
