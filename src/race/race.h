/* Data races: accesses of two threads to the same byte, at least one of them a write, that nothing orders.
 *
 * THE RULES are those of the memory model of PTX: PTX ISA, chapter 8, "Memory Consistency Model", with the section
 * numbers of edition 9, as in src/litmus; instructions are cited by the titles of their sections, whose numbers change.
 * rule.h has each section's definitions as the check decides by them.
 * Two accesses conflict when they overlap and one writes.  Conflicting accesses race (8.7.1, "Conflict and Data-races")
 * unless one happens before the other (8.9.5, "Causality Order") or both are morally strong (8.7: both are strong, each
 * names a scope that has the other's thread, and they are of the same bytes).  Happens-before is
 *   - program order within a thread (8.9.1);
 *   - barriers of a work-group: what a thread did before it arrived happens before what the waiting threads do after it
 *     (8.9.4, "Memory synchronization"; bar.arrive does not wait); bar.warp.sync likewise for the lanes that meet;
 *   - a release that is observed (8.8, "Release and Acquire Patterns"): a release operation, or a fence and then a
 *     strong write; observed by an acquire operation, or by a strong read and then a fence, or an acquire of the same
 *     word.  Atomics in between pass on what they read (8.9.2, "Observation Order").  Each end names a scope with the
 *     other's thread, else nothing is ordered.  Fence and access are of one thread;
 *   - a fence.sc before another (8.9.3, "Fence-SC Order"): if its thread, or one that it met at a barrier after it,
 *     wrote a word strongly, and the other's thread, or one that it met at a barrier before it, read that.  The other
 *     order would contradict what was read.  membar is fence.sc ("membar / fence");
 *   - a strong write that a strong read observes: before what follows the read (8.9.5);
 *   - mbarrier objects: an arrival happens before what follows a test that finds its phase complete ("mbarrier", 8.8);
 *     lock instructions and lock bits: a release before the next acquire; device malloc and free: one before the next;
 *   - launches: all of a launch that ended before another began happens before all of that;
 *   - grids that a kernel launches (CUDA C++ Programming Guide, "CUDA Dynamic Parallelism"): what the thread did before
 *     the launch happens before all of the grid.  All of the grid, and of what it launches, happens before what follows
 *     in its stream, or follows an event recorded there; before its parent's tail launches; and before what a thread
 *     does that has waited for it.
 * A volatile access is a relaxed one of system scope (8.4.2, "volatile Operation").  vote, shfl and match order
 * nothing.
 *
 * ASYNCHRONOUS COPIES are performed as if by another thread (8.9.1.1, "Asynchronous Operations"): what its thread did
 * before the instruction happens before a copy, but nothing that the thread does later is ordered with it, nor is
 * another copy.  A copy is over
 *   - cp.async: for its thread after a cp.async.wait_group that covers its group, or a wait_all ("cp.async.wait_group /
 *     cp.async.wait_all"); for threads that find a phase of an mbarrier complete to which cp.async.mbarrier.arrive
 *     bound it;
 *   - cp.async.bulk with groups: likewise after cp.async.bulk.wait_group; with .read only its reads are over;
 *   - cp.async.bulk with an mbarrier: for threads that find the phase complete in which its bytes arrived;
 * and for other threads after a further barrier, or whatever else orders threads.  The completion orders the copy
 * alone, and not what its thread did before it.  Source and destination count alike ("Completion Mechanisms for
 * Asynchronous Copy Operations": neither may be used before).  cp.async belongs to the generic proxy; cp.async.bulk to
 * the asynchronous one, which sees writes of the generic proxy only after fence.proxy.async ("Async Proxy", 8.6); in
 * the other direction the completion includes such a fence.  Lockstep checks this for threads of the copy's own
 * work-group, and accepts a fence by any of them after the write.  It does not require the fence between a generic read
 * and an asynchronous write: the ISA has no rule for it, and pipelines of the vendor's own libraries do without.
 *
 * CLUSTERS.  The scope .cluster has the threads of a cluster's work-groups.  Their accesses to each other's shared
 * memory
 * (.shared::cluster) are judged as any access.  barrier.cluster.arrive, if not .relaxed, happens before what the
 * threads do that wait for that phase ("barrier.cluster"); with .relaxed only what a fence of that scope released
 * before it. Operations on an mbarrier of another group order whatever scope they name.
 *
 * LANES OF A WARP.  Where the GPU schedules lanes independently, they are threads like others.  With a reconvergence
 * stack they go in lockstep: what the warp did with one instruction happens before the next; two lanes in one
 * instruction are not ordered.  `strict` judges such a GPU as if it had no stack.
 *
 * WHAT IS KEPT.  Each thread has an epoch, which grows when it releases, or goes on after a strong write, and a clock:
 * what it knows of others' epochs.  Each granule of memory (bytes that have so far been accessed together) has those
 * accesses that nothing orders among each other, or that later ones do not stand for.  An access at epoch e of thread t
 * happens before one of thread u if u's clock has e or more for t.
 *
 * WHAT MAY BE MISSED.  Only what is executed is judged, with the values it got.  In timing mode a store
 * counts from the moment it is issued, so an acquire that reads just before it is taken for one that has read it; an
 * atomic counts when it takes effect, and passes on what its thread knew and did when it was issued.  In functional
 * mode memory is one and at once, and this is exact.  If a thread's own atomic has passed on what others released, a
 * later store by it does not hide that.  Not judged: what the host does while a kernel runs (see host/host_race.h).
 * Local memory is a thread's own, and constant memory is not written.
 *
 * It includes nothing of the machine: an observer (machine/observe/races.c) reports what happens, on one thread: each
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
	bool same_values; /* report two writes of the same value, too */
	bool volatiles;   /* volatile accesses order as relaxed ones do, but race as plain ones do, as in C++ */
	bool all;         /* what is not reported is counted: races_apart */
};

/* Races are added to `found`, in whose arena everything lies.  Global memory is `global_bytes` from `global_base` on.
 */
struct races *races_create(
	struct found_list *found, const struct races_asked *asked, uint64_t global_base, uint64_t global_bytes);

/* With `all`: pairs of lines which would be reported with `volatiles`, or `same_values`, and are not. */
enum races_apart { RACES_APART_VOLATILE, RACES_APART_SAME_VALUE, RACES_APART };
uint64_t races_apart(const struct races *races, enum races_apart what);

/* The launch; null: none of its groups has begun. */
struct race_launch *races_launch(struct races *races, uint64_t ordinal);
/* Begins a launch, when its first group begins; `lockstep`: the GPU has a reconvergence stack.  Null: there are no
 * numbers left for its threads, as launches kept overlapping; nothing more is judged. */
struct race_launch *races_begin_launch(struct races *races, uint64_t ordinal, const struct kernel *kernel,
	bool lockstep, uint32_t groups, uint32_t group_threads);
/* The launch is that grid, which a kernel has launched: it begins with what `grid` knows.  Before any group begins. */
void races_begin_grid(struct races *races, struct race_launch *launch, struct race_grid *grid);
/* A work-group begins, and ends.  The launch ends with its last group. */
struct race_group *races_begin_group(struct races *races, struct race_launch *launch, uint32_t number);
/* The launch has clusters of `size` groups, more than one; before any group begins.  Shared memory is then that of all
 * groups of a cluster, by race_shared, and a group begins as a member of its cluster, with its rank there. */
void races_have_clusters(struct races *races, struct race_launch *launch, uint32_t size);
struct race_group *races_begin_member(
	struct races *races, struct race_launch *launch, uint32_t number, uint32_t cluster, uint32_t rank);
#define RACE_SHARED_BITS 18 /* bits of an offset in shared memory */
static inline uint64_t race_shared(uint32_t rank, uint64_t offset)
{
	return (uint64_t)rank << RACE_SHARED_BITS | offset;
}
void races_end_group(struct races *races, struct race_group *group);
/* Nothing runs any more, whether or not it has ended. */
void races_end_launches(struct races *races);
struct race_warp *races_warp(struct race_group *group, uint32_t warp);
struct race_group *races_group(const struct race_warp *warp);

/* An access of lanes, by the instruction at `pc`.  `written`: for each lane 16 bits that tell the values it stores
 * apart; null where it stores none.  `failed`: lanes whose compare-and-swap is known to have found another value.  An
 * atomic may take effect `later`: races_take_effect follows, and the access is judged then.  Strong reads are `pending`
 * until races_read. */
struct race_access {
	const struct insn *insn;
	uint32_t pc;
	lane_mask lanes, failed;
	bool later, pending;
	uint8_t space;
	const uint64_t *address; /* by lane */
	const uint16_t *written; /* by lane */
};
void races_access(struct races *races, struct race_warp *warp, const struct race_access *access);
/* Which threads a scope has; and the scope of a fence. */
enum race_scope { RACE_SCOPE_GROUP, RACE_SCOPE_CLUSTER, RACE_SCOPE_WIDE };
enum race_scope race_scope_of(uint8_t scope);
enum race_scope race_fence_scope(const struct insn *i);
/* Whether it is a fence.sc, or a membar, which is one. */
bool race_is_fence_sc(const struct insn *i);
/* The lanes' atomics take effect, in the order in which they do; of `failed` lanes a compare-and-swap finds another
 * value. */
void races_take_effect(struct races *races, struct race_warp *warp, const struct race_access *access);
/* The lanes' strong reads, which were pending, have their values. */
void races_read(struct races *races, struct race_warp *warp, const struct race_access *access);
/* A fence of the lanes, which may only acquire or only release; SC: it is a fence.sc, which does both. */
enum race_fence { RACE_FENCE_ACQUIRES = 1, RACE_FENCE_RELEASES = 2, RACE_FENCE_BOTH = 3, RACE_FENCE_SC = 7 };
void races_fence(
	struct races *races, struct race_warp *warp, lane_mask lanes, enum race_fence what, enum race_scope scope);
/* The lanes leave a bar.warp.sync, at which all `members` have arrived. */
void races_together(struct races *races, struct race_warp *warp, lane_mask lanes, lane_mask members);
/* Lanes arrive at a barrier; it opens, and those that wait there go on. */
void races_arrive(struct races *races, struct race_warp *warp, uint32_t barrier, lane_mask lanes, bool waits);
void races_open(struct races *races, struct race_group *group, uint32_t barrier);
/* Lanes arrive at the barrier of their cluster, in its phase `phase`; `relaxed`: that hands on only what a fence before
 * it released.  Lanes find a phase complete. */
void races_cluster_arrive(struct races *races, struct race_warp *warp, lane_mask lanes, uint32_t phase, bool relaxed);
void races_cluster_over(struct races *races, struct race_warp *warp, lane_mask lanes, uint32_t phase);
/* Lanes give something up, or get it: a lock, a lock bit, the heap, memory for the parameters of a launch.  `what`: its
 * name, by lane. */
enum race_handle { RACE_HANDLE_LOCK, RACE_HANDLE_BIT, RACE_HANDLE_HEAP, RACE_HANDLE_PARAMETERS };
void races_give(
	struct races *races, struct race_warp *warp, lane_mask lanes, enum race_handle kind, const uint64_t *what);
void races_get(
	struct races *races, struct race_warp *warp, lane_mask lanes, enum race_handle kind, const uint64_t *what);

/* Plain accesses of one lane to `bytes` bytes: part of a matrix, a texel. */
void races_block(struct races *races, struct race_warp *warp, uint32_t pc, uint32_t lane, uint8_t space,
	uint64_t address, uint64_t bytes, bool writes);

/* The launch may begin before the one of this ordinal is over, which it follows; lanes of it have waited for that. */
void races_may_overlap(struct race_launch *launch, uint64_t ordinal);
void races_overlap_over(struct races *races, struct race_warp *warp, lane_mask lanes, uint64_t ordinal);

/* ---- What kernels launch ---- */

/* A grid, or a point in a stream that only follows others and never ends; nothing happens before it yet.  A kernel's
 * grid becomes a launch when that begins; races_grid_of makes one for a launch of the host. */
struct race_grid *races_grid(struct races *races, bool ends);
struct race_grid *races_grid_of(struct races *races, struct race_launch *launch);
/* The lane launches the grid. */
void races_launches(struct races *races, struct race_warp *warp, uint32_t lane, struct race_grid *grid);
/* It follows another, which has ended, with what that has launched so far. */
void races_follow(struct races *races, struct race_grid *grid, const struct race_grid *ended);
/* It has ended, and so has all that it launched. */
void races_grid_ends(struct races *races, struct race_grid *grid);
/* The lanes have waited for it. */
void races_awaited(struct races *races, struct race_warp *warp, lane_mask lanes, const struct race_grid *grid);

/* ---- mbarrier objects, by their address in shared memory ---- */

/* Lanes initialise objects, or invalidate them; arrive in the current phase; find an earlier phase complete.  A phase
 * of an object ends.  A relaxed arrival, or what only counts bytes, hands on only what a fence before it released; a
 * `relaxed` wait takes effect at the next fence. */
void races_object(struct races *races, struct race_warp *warp, lane_mask lanes, const uint64_t *object);
enum race_arrival { RACE_ARRIVES, RACE_ARRIVES_RELAXED, RACE_COUNTS_BYTES };
void races_arrive_at(
	struct races *races, struct race_warp *warp, lane_mask lanes, enum race_arrival how, const uint64_t *object);
void races_find_over(
	struct races *races, struct race_warp *warp, lane_mask lanes, bool relaxed, const uint64_t *object);
void races_end_phase(struct races *races, struct race_group *group, uint64_t object);

/* ---- Asynchronous copies ---- */

/* What tells that a copy is over: groups of cp.async, groups of cp.async.bulk, an mbarrier; of what wgmma reads its
 * groups. */
enum race_completion { RACE_BY_GROUP, RACE_BY_BULK_GROUP, RACE_BY_OBJECT, RACE_BY_MATRICES };

/* A lane begins a copy of `read` bytes, which writes `written` bytes. */
struct race_copy {
	uint64_t from, to; /* addresses; shared memory: offsets */
	uint64_t object;   /* the mbarrier on which it completes */
	uint32_t read, written;
	uint32_t pc, lane;
	uint32_t token; /* for races_copied */
	uint8_t from_space, to_space;
	uint8_t element; /* bytes of each element that it reduces; 0: it copies */
	uint8_t by;      /* enum race_completion */
	bool is_bulk;    /* by the asynchronous proxy */
};
void races_copy(struct races *races, struct race_warp *warp, const struct race_copy *copy);
/* cp.async.mbarrier.arrive: an mbarrier tracks the copies that the lane has begun by cp.async. */
void races_track(struct races *races, struct race_warp *warp, uint32_t lane, uint32_t token);
/* The copy, or the tracked copies, have completed on the mbarrier. */
void races_copied(struct races *races, struct race_group *group, uint32_t lane, uint32_t token, uint64_t object);
/* Lanes commit the copies that they have begun as a group; and wait until all but the last `pending` groups are over,
 * or, with `read`, have read their sources. */
void races_commit(struct races *races, struct race_warp *warp, lane_mask lanes, bool bulk);
void races_wait(struct races *races, struct race_warp *warp, lane_mask lanes, bool bulk, bool read, uint32_t pending);
/* wgmma: the warp commits what it has begun to read as a group; and goes on when the first `count` groups of its
 * warpgroup, of that many warps, are over.  What a warp reads is a copy by its lane 0 that writes nothing. */
void races_commit_matrices(struct races *races, struct race_warp *warp);
void races_wait_matrices(struct races *races, struct race_warp *warp, lane_mask lanes, uint32_t warps, uint32_t count);
/* Lanes execute a fence between the generic and the asynchronous proxy, for global or shared memory. */
void races_proxy_fence(struct races *races, struct race_warp *warp, lane_mask lanes, bool global, bool shared);

/* ---- Tensor maps in global memory ---- */

/* A lane begins a copy by the map at `address`.  Lanes execute fence.proxy.tensormap::generic.release; .acquire, with
 * the addresses of maps.  As fences they are told of, too: after the former, before the latter. */
void races_map_read(struct races *races, struct race_warp *warp, uint32_t pc, uint32_t lane, uint64_t address);
void races_map_release(struct races *races, struct race_warp *warp, lane_mask lanes);
void races_map_acquire(struct races *races, struct race_warp *warp, lane_mask lanes, const uint64_t *address);

#endif
