/* No coherence: Fermi.  The L1 keeps what weak loads bring and nothing ever tells it that another core wrote.
 *
 * A store writes through and evicts the line from its own core's L1, so a thread always reads its own writes.  What
 * other cores wrote is seen when the line happens to go, or by loads that do not use the L1: .cg, .cv, volatile and the
 * strong forms. Such a load leaves a line that is there, and membar does not invalidate either: a weak load behind both
 * can still read the old line.  Alglave et al., "GPU concurrency: weak behaviours and programming assumptions" (ASPLOS
 * 2015), measured both on a Tesla C2075 (tests mp-L1 and coRR-L2-L1), against the letter of the PTX manual.
 *
 * The PTX 6 forms (fence.acq_rel, fence.sc, .acquire) came after Fermi and promise more: what they are to order would
 * be wrong on every Fermi, so here they do invalidate, unless all who take part share the L1. */
#include "policy/coherence/coherence.h"

static enum l1_load load(void *state, const struct l1_access *access, bool present)
{
	(void)state, (void)present;
	return access->skip || access->strong ? L1_LOAD_BYPASS : L1_LOAD_CACHED;
}

static enum l1_store store(void *state, const struct l1_access *access, bool present)
{
	(void)state, (void)access, (void)present;
	return L1_STORE_EVICT;
}

static enum l1_sync acquire(void *state, const struct l1_fence *fence)
{
	(void)state;
	return fence->membar || fence->scope == L1_SCOPE_GROUP ? L1_LEAVE : L1_INVALIDATE;
}

const struct coherence_policy coherence_none = {
	.name = "none",
	.summary = "an L1 keeps lines that other cores have overwritten; membar does not help (Fermi)",
	.load = load,
	.store = store,
	.acquire = acquire,
};
