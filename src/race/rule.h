/* THE RULE: when two accesses race.  It is the memory consistency model of PTX (PTX ISA, chapter 8; section numbers of
 * edition 9) as the check decides by it, in the order of its sections, to be read against its text.  Nothing here knows
 * how it is found out what a run did: which write a read has read, who met at a barrier.  That comes as arguments, from
 * order.c (strong accesses and fences), meet.c (barriers), copy.c (asynchronous operations) and judge.c (accesses).
 *
 * src/litmus has the same model as axioms of whole executions, written apart from this; tests/litmus_rule.py plays
 * litmus tests through both.  Where the check knows less than the rule says, race.h and docs/races.md say so. */
#ifndef LOCKSTEP_RACE_RULE_H
#define LOCKSTEP_RACE_RULE_H

#include "race/race.h"

#include <assert.h>

/* What an instruction does to memory. */
struct site {
	const struct kernel *kernel;
	uint32_t pc;
	uint8_t bytes; /* of an element */
	bool reads, writes, strong, releases, acquires;
	uint8_t scope;    /* enum race_scope */
	bool is_rmw;      /* reads and writes at once */
	bool is_copy;     /* an asynchronous copy: its records have a thread of their own, see copy.c */
	bool is_bulk;     /* by the asynchronous proxy */
	bool is_object;   /* an operation on an mbarrier */
	bool is_map;      /* a copy's read of its tensor map */
	bool no_value;    /* the value that it stores is not known */
	uint8_t by;       /* enum race_completion */
	bool is_atomic;   /* does not race with others that are: strong, or an operation on an mbarrier */
	bool is_volatile; /* strong, as it is volatile */
	bool updates;     /* its line loads from an address and stores there: x++ */
	bool takes;       /* a compare-and-swap or an exchange */
	uint16_t number;
	uint16_t other; /* the number of the instruction's site of elements of another size; 0: none */
};

/* ---- 8.4 Operation types ---- */

/* Strong operations are relaxed or more, or volatile, which is relaxed for the whole system (8.4.2); or mmio (8.4.1).
 * Atomics have no weak form. */
static inline bool rule_is_strong(uint8_t order)
{
	return order > order_WEAK;
}

static inline bool rule_is_acquire(uint8_t order)
{
	return order == order_ACQUIRE || order == order_ACQ_REL || order == order_SC;
}

static inline bool rule_is_release(uint8_t order)
{
	return order == order_RELEASE || order == order_ACQ_REL || order == order_SC;
}

/* ---- 8.5 Scope ---- */

/* Whether an operation of a thread, with that scope, includes another thread; `between`: the narrowest scope that has
 * both. */
static inline bool rule_includes(uint8_t scope, enum race_scope between)
{
	assert(scope <= RACE_SCOPE_WIDE);
	assert(between <= RACE_SCOPE_WIDE);
	return scope >= between;
}

/* ---- 8.6 Proxies ---- */

/* Bulk copies and wgmma access memory by the asynchronous proxy, and what a tensor copy reads of its map is read by a
 * proxy for tensor maps.  All else is of the generic proxy. */
static inline bool rule_is_generic(const struct site *site)
{
	assert(!site->is_map || !site->writes);
	return !site->is_bulk && !site->is_map;
}

/* ---- 8.7 Morally strong operations ---- */

/* Operations overlap completely if they are of the same bytes.  They are known to overlap, and are aligned to their
 * size. */
static inline bool rule_overlap_completely(const struct site *a, const struct site *b)
{
	assert(a->kernel);
	assert(b->kernel);
	return a->bytes == b->bytes;
}

/* The part of "morally strong" that is left where both are strong. */
static inline bool rule_strong_ones_agree(const struct site *a, const struct site *b, enum race_scope between)
{
	return rule_includes(a->scope, between) && rule_includes(b->scope, between) && rule_overlap_completely(a, b);
}

/* Of operations of two threads: each is strong and includes the other's thread; they overlap completely.  Those of one
 * thread are in program order, and never race.  That both use one proxy is not asked: reductions by bulk copies are
 * taken for atomics like others. */
static inline bool rule_is_morally_strong(const struct site *a, const struct site *b, enum race_scope between)
{
	return a->is_atomic && b->is_atomic && rule_strong_ones_agree(a, b, between);
}

/* ---- 8.7.1 Conflict and data-races ---- */

/* Overlapping operations conflict if at least one writes. */
static inline bool rule_conflict(const struct site *a, const struct site *b)
{
	assert(a->reads || a->writes);
	assert(b->reads || b->writes);
	return a->writes || b->writes;
}

/* They are in a data-race if they conflict, are not morally strong, and are not in causality order (8.9.5).  This is
 * all but the last. */
static inline bool rule_may_race(const struct site *a, const struct site *b, enum race_scope between)
{
	return rule_conflict(a, b) && !rule_is_morally_strong(a, b, between);
}

/* ---- 8.8 Release and acquire patterns ---- */

/* A release pattern ends with a strong write.  It releases what its thread did before the write, if that `releases`
 * itself; else before the last fence that releases; and before an earlier release of the same location (rule_hides). */
static inline bool rule_releases_alone(const struct site *write)
{
	assert(write->strong);
	assert(write->writes);
	return write->releases;
}

/* An acquire pattern begins with a strong read.  What that observes is acquired by the read, if it `acquires` itself;
 * else by the next fence that acquires, or the next acquire of the same location. */
static inline bool rule_acquires_alone(const struct site *read)
{
	assert(read->strong);
	assert(read->reads);
	return read->acquires;
}

/* ---- 8.9.1 Program order ----
 *
 * Operations have the number of their thread, and are in order with all of that number.  Asynchronous operations
 * (8.9.1.1) have numbers of their own (copy.c): what their thread did before is in order with them, nothing later is.
 */

/* ---- 8.9.2 Observation order ---- */

/* A read observes the write that it reads, and what the atomic that did this write has observed.  Any other write ends
 * that: it hides what was written before, but for release patterns of its own thread, whose first operation may be an
 * earlier release of the location (8.8).  That the write and the read are morally strong is only asked of what follows
 * that is strong itself: otherwise they race with each other, unless something else orders them. */
static inline bool rule_hides(const struct site *write, bool by_last_writer)
{
	assert(write->writes);
	return !write->is_rmw && !by_last_writer;
}

/* ---- 8.9.3 Fence-SC order ---- */

/* Two fence.sc are ordered.  Their order cannot contradict causality, so it is known where the thread of one has
 * strongly read what that of the other has strongly written: as if these were release and acquire pattern, but also for
 * threads that meet (8.9.4) between the fence and the access. */
static inline bool rule_has_fence_sc_order(enum race_fence fence)
{
	assert(fence);
	return fence == RACE_FENCE_SC;
}

/* ---- 8.9.4 Memory synchronization ---- */

/* A release pattern synchronizes with an acquire pattern that observes its write, if the ends of both are morally
 * strong: what is released for the threads that the scopes of both include.  A fence releases, or acquires, for threads
 * so near. */
static inline bool rule_fence_releases(enum race_fence fence)
{
	assert(fence);
	return fence & RACE_FENCE_RELEASES;
}

static inline bool rule_fence_acquires(enum race_fence fence)
{
	assert(fence);
	return fence & RACE_FENCE_ACQUIRES;
}

/* At a barrier all arrivals synchronize with those that wait, by bar.sync, bar.red or barrier.cluster.wait.  bar.arrive
 * does not wait. */
static inline bool rule_barrier_orders(bool waits)
{
	return waits;
}

/* Arrivals at mbarriers and at the barrier of a cluster, and waits for their phases, are release and acquire patterns,
 * but for relaxed ones: these need a fence of their thread ("mbarrier", "barrier.cluster"). */
static inline bool rule_is_synchronizing(bool relaxed)
{
	return !relaxed;
}

/* ---- 8.9.5 Causality order ---- */

/* Base causality is program order and synchronization, and on; it is kept for accesses of one proxy, and by one way.
 * What the generic proxy writes comes before what the asynchronous proxy does only behind a proxy fence.  The
 * completion of asynchronous operations includes such a fence in the other direction ("Async Proxy"). */
static inline bool rule_needs_proxy_fence(const struct site *first, const struct site *second)
{
	assert(!second->is_map);
	return first->writes && rule_is_generic(first) && second->is_bulk;
}

/* Likewise of what a tensor copy reads of its map, by the fences of that proxy (maps.c). */
static inline bool rule_needs_map_fences(const struct site *first, const struct site *second)
{
	assert(!second->writes || !second->is_map);
	return first->writes && second->is_map;
}

/* The last operation of an acquire pattern comes itself after what it acquires. */
static inline bool rule_is_after_own_acquire(const struct site *site)
{
	assert(site->strong || !site->acquires);
	return site->acquires;
}

/* Observation, and then base causality: a strong write comes before what follows a strong read that observes it, alone
 * or by atomics in between (8.9.2).
 *
 * The check takes it for more: what was strongly written there before, in this run, and what the writing thread did to
 * the same bytes before, count as observed, too. */
static inline bool rule_may_be_observed(const struct site *write)
{
	assert(write->strong || !write->is_rmw || write->is_copy);
	return write->strong && write->writes;
}

#endif
