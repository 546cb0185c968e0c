/* Write through, invalidate on acquire: Volta and later.
 *
 * A store writes through and updates the bytes of a present line.  An acquire, fence or membar that reaches beyond the
 * work-group invalidates the L1, so weak loads behind it fetch anew; one of .cta scope leaves it, as all concerned
 * share it.
 *
 * Coherence of one location (once a thread has read a value it never reads an older one from the same place): strong
 * loads of wide scope are all served by one L2 slice in the order they were sent, which is the order in which they were
 * written.  Strong loads of .cta scope and weak ones may use the L1, and a line there could be older than what a
 * bypassing load of the same thread has just read; so a load that bypasses takes the line away.  An atomic does the
 * same, for its result is made at the L2. */
#include "policy/coherence/coherence.h"

static enum l1_load load(void *state, const struct l1_access *access, bool present)
{
	(void)state, (void)present;
	bool wide = access->strong && access->scope == L1_SCOPE_WIDE;
	return access->skip || wide ? L1_LOAD_BYPASS_EVICT : L1_LOAD_CACHED;
}

static enum l1_store store(void *state, const struct l1_access *access, bool present)
{
	(void)state, (void)present;
	return access->atomic ? L1_STORE_EVICT : L1_STORE_UPDATE;
}

static enum l1_sync acquire(void *state, const struct l1_fence *fence)
{
	(void)state;
	return fence->scope == L1_SCOPE_GROUP ? L1_LEAVE : L1_INVALIDATE;
}

const struct coherence_policy coherence_write_through_invalidate = {
	.name = "write-through-invalidate",
	.summary = "stores update the L1 and write through; acquires and fences beyond the work-group empty it (Volta)",
	.load = load,
	.store = store,
	.acquire = acquire,
};
