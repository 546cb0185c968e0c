/* A directory: paper 5's APU (Orr et al., ISCA 2014, section 7: "all caches are kept coherent through a
 * read-for-ownership MOESI directory protocol").
 *
 * A core may write a line only while no other L1 has it, so no load ever finds an old value, in the L1 or past it, and
 * an acquire has nothing to invalidate.  What is left weak is the order in which accesses to different lines take
 * effect: they wait for their lines each by itself. */
#include "policy/coherence/coherence.h"

static enum l1_load load(void *state, const struct l1_access *access, bool present)
{
	(void)state, (void)access, (void)present;
	return L1_LOAD_CACHED;
}

static enum l1_store store(void *state, const struct l1_access *access, bool present)
{
	(void)state, (void)access, (void)present;
	return L1_STORE_UPDATE;
}

static enum l1_sync acquire(void *state, const struct l1_fence *fence)
{
	(void)state, (void)fence;
	return L1_LEAVE;
}

const struct coherence_policy coherence_moesi = {
	.name = "moesi",
	.summary = "a directory at the L2: L1s own the lines that they write, and nothing is ever stale (paper 5)",
	.directory = true,
	.load = load,
	.store = store,
	.acquire = acquire,
};
