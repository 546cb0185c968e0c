/* From instructions to what coherence policies decide on.  Apart from coherence.h, which plug-ins read alone. */
#ifndef LOCKSTEP_POLICY_COHERENCE_ACCESS_H
#define LOCKSTEP_POLICY_COHERENCE_ACCESS_H

#include "kernel/insn.h"
#include "policy/coherence/coherence.h"

/* PTX: a fence or an access that names no scope, but an order, has .gpu's; weak accesses have none. */
static inline enum l1_scope l1_scope_of(uint8_t scope)
{
	return scope == scope_CTA ? L1_SCOPE_GROUP : L1_SCOPE_WIDE;
}

static inline struct l1_access l1_access_of(const struct insn_access *a)
{
	bool atomic = a->atomic != ATOMIC_NONE;
	bool lasting = a->order == order_VOLATILE || a->order == order_MMIO;
	return (struct l1_access){
		.read_only = a->cache == cache_NC,
		.skip = a->cache == cache_CG || a->cache == cache_CV || a->cache == cache_WT,
		.strong = atomic || (a->order != order_NONE && a->order != order_WEAK),
		.atomic = atomic,
		.scope = lasting || atomic ? L1_SCOPE_WIDE : l1_scope_of(a->scope),
	};
}

/* Must the core ask `acquire` when the access has its value? */
static inline bool l1_acquires(const struct insn_access *a)
{
	return a->order == order_ACQUIRE || a->order == order_ACQ_REL || a->order == order_SC;
}

#endif
