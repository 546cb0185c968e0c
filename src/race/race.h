/* Data races: accesses of two threads to the same byte, one of them at least a write, that nothing orders.
 *
 * THE RULES are those of the memory model of PTX: PTX ISA, chapter 8, "Memory Consistency Model", with the section
 * numbers of edition 9, as in src/litmus; of instructions the titles of their sections, whose numbers change.  Two
 * accesses conflict when they overlap and one writes.  Conflicting accesses race (8.7.1, "Conflict and Data-races")
 * unless one happens before the other (8.9.5, "Causality Order") or both are morally strong (8.7: both are strong, each
 * names a scope that has the other's thread, and they are of the same bytes).  Happens-before is
 *   - the order of a thread's program (8.9.1);
 *   - barriers of a work-group: what threads did before they came to one is before what those that waited do behind it
 *     (8.9.4, "Memory synchronization"; bar.arrive does not wait); bar.warp.sync, of the lanes that come together;
 *   - a release that is observed (8.8, "Release and Acquire Patterns"): a release operation, or a fence and then a
 *     strong write; observed by an acquire operation, or by a strong read and then a fence, or an acquire of the same
 *     word.  Atomics that come between hand on what they read (8.9.2, "Observation Order").  Both ends name a scope
 * with the other's thread, else nothing is ordered.  A fence is one for those, too, that the thread meets at a barrier
 * between the fence and the write, or between the read and the fence (8.9.3, "Fence-SC Order");
 *   - a strong write that is observed by a strong read: before what follows that (8.9.5);
 *   - mbarrier objects: a thread that arrives is before those that have found the phase over in which it did
 * ("mbarrier", 8.8); lock instructions and lock bits: the one that gave back is before the one that gets; device malloc
 * and free: one before the next;
 *   - a launch, that ended before another began: all of it before all of that;
 *   - a grid that a kernel has launched (CUDA C++ Programming Guide, "CUDA Dynamic Parallelism"): what the thread did
 *     before the launch is before all of it.  All of it, and of what it has launched, is before what is behind it in
 *     its stream, or behind an event recorded there; before its parent's tail launches; and before what a thread does
 *     that has waited for it.
 * A volatile access is a relaxed one of the whole system (8.4.2, "volatile Operation").  vote, shfl and match order
 * nothing.
 *
 * ASYNCHRONOUS COPIES are performed as by another thread (8.9.1.1, "Asynchronous Operations"): a copy is behind what
 * its thread did before, but nothing that the thread does behind the instruction is ordered with it, nor is another
 * copy. It is over
 *   - cp.async: for its thread behind a cp.async.wait_group that leaves out no group as late as the copy's, or a
 *     wait_all ("cp.async.wait_group / cp.async.wait_all"); for those that have found a phase of an mbarrier over to
 *     which cp.async.mbarrier.arrive told of it;
 *   - cp.async.bulk with groups: likewise behind cp.async.bulk.wait_group; with .read only its reads are over;
 *   - cp.async.bulk with an mbarrier: for those that have found the phase over in which its bytes were completed;
 * and for other threads behind a further barrier, or what else orders threads.  The completion orders the copy alone,
 * and not what its thread did before it.  Source and destination count alike ("Completion Mechanisms for Asynchronous
 * Copy Operations": neither may be used before).  cp.async is of the generic proxy; cp.async.bulk of the asynchronous
 * one, to which what the generic proxy has written is visible behind fence.proxy.async only ("Async Proxy", 8.6); the
 * other way the completion has such a fence.  This is asked of threads of the copy's own work-group, and any of their
 * fences behind the write counts.  That a read by the generic proxy comes before an asynchronous write wants such a
 * fence is not held: the ISA has no rule for it, and pipelines of the maker's own libraries do without.
 *
 * CLUSTERS.  The scope .cluster has the threads of a cluster's work-groups.  What they do in each other's shared memory
 * (.shared::cluster) is judged as any access.  barrier.cluster.arrive, if not .relaxed, is before what those do that
 * wait for that phase ("barrier.cluster"); .relaxed only what a fence of that scope released before.  Operations on an
 * mbarrier of another group order whatever scope they name.
 *
 * LANES OF A WARP.  Where the GPU schedules lanes one by one they are threads like others.  With a reconvergence stack
 * they go in lockstep, and what the warp did with one instruction is before the next; two lanes in one instruction are
 * not ordered.  `strict` judges such a GPU as if it had no stack.
 *
 * WHAT IS KEPT.  Each thread has an epoch, which grows when it releases, or goes on behind a strong write, and a clock:
 * what it knows of others' epochs.  Each granule of memory (its bytes that have so far been accessed together) has the
 * accesses that nothing orders among each other, or that later ones do not stand for.  An access at epoch e of thread t
 * is before another of thread u if u's clock has e or more for t.
 *
 * WHAT MAY BE MISSED.  Only what is executed is judged, with the values it got.  In timing mode a release counts from
 * the moment its write is issued, so an acquire that reads just before it is taken for one that has read it (but a
 * compare-and-swap counts when it has stored, with what its thread has released or learned until then); in
 * functional mode memory is one and at once, and this is exact.  A store by the
 * thread whose own atomic has handed on what others released does not hide that.  Not looked at: what the host does
 * while a kernel runs: host/host_race.h has what is done about that.  Local memory is a thread's own, and constant
 * memory is not written.
 *
 * It includes nothing of the machine: an observer (machine/observe/races.c) says what happens, on one thread, each
 * core's events in their order, and an event that others depend on (a release) before theirs (the acquire). */
#ifndef LOCKSTEP_RACE_RACE_H
#define LOCKSTEP_RACE_RACE_H

#include "found/found.h"

struct races;
struct race_launch;
struct race_group;
struct race_warp;
struct race_grid;

/* What the user asks for. */
struct races_asked {
	bool strict;      /* lanes are threads, also under a reconvergence stack */
	bool same_values; /* two writes of the same value are told, too */
	bool volatiles;   /* volatile accesses order as relaxed ones do, but race as plain ones do: so it is in C++ */
};

/* All memory is of the arena of `found`, where races go; `global_bytes` from `global_base` on are global memory. */
struct races *races_create(
	struct found_list *found, const struct races_asked *asked, uint64_t global_base, uint64_t global_bytes);

/* A launch, when its first group begins; `lockstep`: the GPU has a reconvergence stack.  Null: threads cannot be
 * numbered any more, as launches that overlap never end; nothing more is judged. */
struct race_launch *races_launch(struct races *races, uint64_t ordinal);
struct race_launch *races_begin_launch(struct races *races, uint64_t ordinal, const struct kernel *kernel,
	bool lockstep, uint32_t groups, uint32_t group_threads);
/* Launched by a kernel: what `grid` knows, it knows when it begins.  Before any group begins. */
void races_begin_grid(struct races *races, struct race_launch *launch, struct race_grid *grid);
/* A work-group, with its warps, which have so many lanes; and its end.  The launch ends with the last of `groups`. */
struct race_group *races_begin_group(struct races *races, struct race_launch *launch, uint32_t number);
/* Before any group begins: the launch has clusters of so many groups, more than one.  Then shared memory is that of all
 * groups of a cluster, by race_shared; and a group begins as one of a cluster, of a rank there. */
void races_have_clusters(struct races *races, struct race_launch *launch, uint32_t size);
struct race_group *races_begin_member(
	struct races *races, struct race_launch *launch, uint32_t number, uint32_t cluster, uint32_t rank);
#define RACE_SHARED_BITS 18 /* of an offset in shared memory */
static inline uint64_t race_shared(uint32_t rank, uint64_t offset)
{
	return (uint64_t)rank << RACE_SHARED_BITS | offset;
}
void races_end_group(struct races *races, struct race_group *group);
/* Nothing runs any more, whether or not it came to its end. */
void races_end_launches(struct races *races);
struct race_warp *races_warp(struct race_group *group, uint32_t warp);
struct race_group *races_group(const struct race_warp *warp);

/* An access of lanes, by the instruction at `pc`.  `written`: of each lane 16 bits of what it stores, that tell one
 * value from another; null where it stores none.  `failed`: lanes whose compare-and-swap is known to have found another
 * value; `unsure`: it is not known yet, and for those that store races_swapped follows.  Strong reads are `pending`
 * until races_read. */
struct race_access {
	const struct insn *insn;
	uint32_t pc;
	lane_mask lanes, failed;
	bool unsure, pending;
	uint8_t space;
	const uint64_t *address; /* by lane */
	const uint16_t *written; /* by lane */
};
void races_access(struct races *races, struct race_warp *warp, const struct race_access *access);
/* The threads of a scope; and of a fence's. */
enum race_scope { RACE_SCOPE_GROUP, RACE_SCOPE_CLUSTER, RACE_SCOPE_WIDE };
enum race_scope race_scope_of(uint8_t scope);
enum race_scope race_fence_scope(const struct insn *i);
/* The lanes' compare-and-swaps, that were unsure, take effect, and store. */
void races_swapped(struct races *races, struct race_warp *warp, const struct race_access *access);
/* The lanes' strong reads, that were pending, have their values. */
void races_read(struct races *races, struct race_warp *warp, const struct race_access *access);
/* A fence of the lanes, which may be one to acquire or to release alone. */
enum race_fence { RACE_FENCE_ACQUIRES = 1, RACE_FENCE_RELEASES = 2, RACE_FENCE_BOTH = 3 };
void races_fence(
	struct races *races, struct race_warp *warp, lane_mask lanes, enum race_fence what, enum race_scope scope);
/* The lanes go on from a bar.warp.sync, where all `members` have come. */
void races_together(struct races *races, struct race_warp *warp, lane_mask lanes, lane_mask members);
/* Lanes come to a barrier; it opens: those that wait there go on. */
void races_arrive(struct races *races, struct race_warp *warp, uint32_t barrier, lane_mask lanes, bool waits);
void races_open(struct races *races, struct race_group *group, uint32_t barrier);
/* Lanes come to the barrier of their cluster, in this phase of it; `relaxed`: that hands on what a fence before it
 * does. And have found a phase over. */
void races_cluster_arrive(struct races *races, struct race_warp *warp, lane_mask lanes, uint32_t phase, bool relaxed);
void races_cluster_over(struct races *races, struct race_warp *warp, lane_mask lanes, uint32_t phase);
/* Lanes give something up, or get it: a lock, a lock bit, the heap, memory for the parameters of a launch.  `what` are
 * its names, by lane. */
enum race_handle { RACE_HANDLE_LOCK, RACE_HANDLE_BIT, RACE_HANDLE_HEAP, RACE_HANDLE_PARAMETERS };
void races_give(
	struct races *races, struct race_warp *warp, lane_mask lanes, enum race_handle kind, const uint64_t *what);
void races_get(
	struct races *races, struct race_warp *warp, lane_mask lanes, enum race_handle kind, const uint64_t *what);

/* Plain accesses of one lane to so many bytes: part of a matrix, a texel. */
void races_block(struct races *races, struct race_warp *warp, uint32_t pc, uint32_t lane, uint8_t space,
	uint64_t address, uint64_t bytes, bool writes);

/* ---- What kernels launch ---- */

/* What is before a grid, or before what waits for several of them: nothing yet.  It is one that will end, or it only
 * hands on what it follows.  A grid is of a launch when that begins; with `races_grid_of`, which makes it, the host's
 * is. */
struct race_grid *races_grid(struct races *races, bool ends);
struct race_grid *races_grid_of(struct races *races, struct race_launch *launch);
/* The lane launches it. */
void races_launches(struct races *races, struct race_warp *warp, uint32_t lane, struct race_grid *grid);
/* It is behind another, which has ended; or behind all of a launch that has, and what that has launched so far. */
void races_follow(struct races *races, struct race_grid *grid, const struct race_grid *ended);
/* It has ended, with all that it has launched. */
void races_grid_ends(struct races *races, struct race_grid *grid);
/* The lanes go on behind it. */
void races_awaited(struct races *races, struct race_warp *warp, lane_mask lanes, const struct race_grid *grid);

/* ---- mbarrier objects, by their address in shared memory ---- */

/* Lanes initialise objects, or invalidate them; arrive at them, in the current phase; have found an earlier phase over.
 * And a phase of an object ends.  `relaxed`: an arrival hands on what a fence before it does, and a wait orders behind
 * the next fence. */
void races_object(struct races *races, struct race_warp *warp, lane_mask lanes, const uint64_t *object);
void races_arrive_at(
	struct races *races, struct race_warp *warp, lane_mask lanes, bool relaxed, const uint64_t *object);
void races_find_over(
	struct races *races, struct race_warp *warp, lane_mask lanes, bool relaxed, const uint64_t *object);
void races_end_phase(struct races *races, struct race_group *group, uint64_t object);

/* ---- Asynchronous copies ---- */

/* By what it is known that a copy is over: groups of cp.async, groups of cp.async.bulk, an mbarrier. */
enum race_completion { RACE_BY_GROUP, RACE_BY_BULK_GROUP, RACE_BY_OBJECT };

/* A lane begins a copy of `read` bytes, which writes `written` bytes. */
struct race_copy {
	uint64_t from, to; /* addresses; shared memory: offsets */
	uint64_t object;   /* the mbarrier that is told of its end */
	uint32_t read, written;
	uint32_t pc, lane;
	uint32_t token; /* for races_copied */
	uint8_t from_space, to_space;
	uint8_t by;   /* enum race_completion */
	bool is_bulk; /* by the asynchronous proxy */
};
void races_copy(struct races *races, struct race_warp *warp, const struct race_copy *copy);
/* An mbarrier is to be told when the copies are over that the lane has begun by cp.async. */
void races_track(struct races *races, struct race_warp *warp, uint32_t lane, uint32_t token);
/* It is told: of a copy, or what it is to track. */
void races_copied(struct races *races, struct race_group *group, uint32_t lane, uint32_t token, uint64_t object);
/* Lanes put the copies that they have begun into a group; and wait until all but the `pending` last groups are over,
 * or, `read`, have read their sources. */
void races_commit(struct races *races, struct race_warp *warp, lane_mask lanes, bool bulk);
void races_wait(struct races *races, struct race_warp *warp, lane_mask lanes, bool bulk, bool read, uint32_t pending);
/* Lanes execute a fence between the generic and the asynchronous proxy, for global or shared memory. */
void races_proxy_fence(struct races *races, struct race_warp *warp, lane_mask lanes, bool global, bool shared);

#endif
