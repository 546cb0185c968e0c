/* The table of divergence models, from list.def. */
#include "policy/diverge/diverge.h"
#include "policy/policy.h"

#define TABLE divergence_models
#define VTABLE divergence_model
#define POLICY_NAME(choice) diverge_##choice
#define LIST "policy/diverge/list.def"
#include "policy/table.def"

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
