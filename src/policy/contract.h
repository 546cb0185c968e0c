/* What policies return, checked where it enters: plug-ins may return anything. */
#ifndef LOCKSTEP_POLICY_CONTRACT_H
#define LOCKSTEP_POLICY_CONTRACT_H

#include "policy/policy.h"

#include <inttypes.h>

#define POLICY_DELAY_MAX (1ull << 40) /* cycles: minutes of the GPU's time */

/* A hook of the policy has returned what its contract excludes.  The simulation cannot go on: one line says which
 * plug-in and what it did, and the process ends with status 2.  Of our own policies it is an assert. */
_Noreturn void contract_broken(enum policy_kind kind, const void *policy, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* The warp that a scheduler picked among `ready`. */
static inline void contract_check_pick(const struct warp_scheduler *scheduler, int warp, uint64_t ready)
{
	if (warp < -1 || warp > 63 || (warp >= 0 && !(ready >> warp & 1)))
		contract_broken(POLICY_scheduler, scheduler,
			"pick returned %d, expected -1 or one of the ready warps, 0x%" PRIx64, warp, ready);
}

/* The hooks of a coherence policy. */
static inline enum l1_load contract_load(
	const struct coherence_policy *policy, void *state, const struct l1_access *access)
{
	enum l1_load load = policy->load(state, access, false);
	if ((unsigned)load > L1_LOAD_BYPASS_EVICT)
		contract_broken(POLICY_coherence, policy, "load returned %d, which is no enum l1_load", (int)load);
	return load;
}

static inline enum l1_store contract_store(
	const struct coherence_policy *policy, void *state, const struct l1_access *access)
{
	enum l1_store store = policy->store(state, access, false);
	if ((unsigned)store > L1_STORE_EVICT)
		contract_broken(POLICY_coherence, policy, "store returned %d, which is no enum l1_store", (int)store);
	return store;
}

static inline enum l1_sync contract_acquire(
	const struct coherence_policy *policy, void *state, const struct l1_fence *fence)
{
	enum l1_sync sync = policy->acquire(state, fence);
	if ((unsigned)sync > L1_INVALIDATE)
		contract_broken(POLICY_coherence, policy, "acquire returned %d, which is no enum l1_sync", (int)sync);
	return sync;
}

#endif
