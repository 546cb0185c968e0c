/* The table of divergence models, from list.def. */
#include "policy/diverge/diverge.h"
#include "policy/policy.h"

#define DIVERGENCE(choice) extern const struct divergence_model diverge_##choice;
#include "policy/diverge/list.def"
#undef DIVERGENCE

const struct divergence_model *const divergence_models[] = {
#define DIVERGENCE(choice) &diverge_##choice,
#include "policy/diverge/list.def"
#undef DIVERGENCE
	NULL,
};

/* See policy.h. */
const char *divergence_lacks(const void *policy)
{
	const struct divergence_model *p = policy;

	return !p->state_size   ? "state_size"
	       : !p->start      ? "start"
	       : !p->reconverge ? "reconverge"
	       : !p->branch     ? "branch"
	       : !p->call       ? "call"
	       : !p->ret        ? "ret"
	       : !p->exit       ? "exit"
	       : !p->block      ? "block"
	       : !p->unblock    ? "unblock"
	       : !p->sync       ? "sync"
				: NULL;
}
