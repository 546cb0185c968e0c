/* What still uses the shared memory of a work-group when the group ends.
 *
 * THE RULES.  The shared memory of a work-group is gone when its last thread has ended.  "The user also needs to ensure
 * that all distributed shared memory operations happen before the exit of a thread block" (CUDA C++ Programming Guide,
 * "Distributed Shared Memory"): an access of a thread of another group of the cluster must come before the exit.
 * And an asynchronous operation that writes there must be complete: a bulk copy, st.async, red.async.  Its completion
 * is known to a thread only by a wait for the phase of the mbarrier that it completes (PTX ISA, "Data Movement and
 * Conversion Instructions: Completion mechanisms for asynchronous copy operations").  In a run the memory may be there
 * long enough by chance; what nothing orders is told all the same.
 *
 * ORDER here is that in which threads execute, as in phases.h: what no thread can do before another has done something.
 * It is known of warps, not of lanes: a warp knows what any of its lanes knows.  So what is called unordered is so.
 * These order: the program order of a warp, barriers of the group and the cluster, at which a thread that ends counts
 * as one that comes, waits for phases of mbarriers to which others have arrived, and strong accesses of a word.
 *
 * It includes nothing of the machine: an observer (machine/observe/exits.c) says what happens, in the order of time as
 * far as one depends on the other. */
#ifndef LOCKSTEP_RACE_EXITS_H
#define LOCKSTEP_RACE_EXITS_H

#include "found/found.h"

#define EXITS_WARPS 64 /* of a group, at most */
#define EXITS_RANKS 16 /* of a cluster */

struct exits;
struct exits_group;

/* What is found goes to `found`, in whose arena everything lies. */
struct exits *exits_create(struct found_list *found);

/* A work-group begins, one of a cluster of `size` groups. */
struct exits_shape {
	const struct kernel *kernel;
	uint64_t launch;  /* ordinal */
	uint32_t number;  /* of the group */
	uint32_t cluster; /* number in the launch */
	uint32_t size, rank;
	uint32_t warps, lanes; /* of the group; of a warp */
};
struct exits_group *exits_begin_group(struct exits *exits, const struct exits_shape *shape);

/* Lanes of a warp of the group at an instruction. */
struct exits_at {
	struct exits_group *group;
	uint32_t warp; /* in the group */
	uint32_t pc;
	lane_mask lanes;
};

/* A warp ends at an instruction: with the last one the group does, and what still uses its memory is told.  The group
 * is gone, and all that it asked of memory is answered. */
void exits_end_warp(struct exits *exits, const struct exits_at *at);
void exits_end_group(struct exits *exits, struct exits_group *group);

/* ---- Uses ---- */

/* Lanes access the shared memory of the group of that rank, the first of them at this offset. */
void exits_access(struct exits *exits, const struct exits_at *at, uint32_t rank, uint64_t offset);
/* A lane begins an asynchronous operation which writes there, and tells the mbarrier at `object` there; `token`: what
 * it has of its own until then. */
struct exits_copy {
	uint64_t to, object, token;
	uint32_t rank;
};
void exits_copy(struct exits *exits, const struct exits_at *at, const struct exits_copy *copy);
/* It is done, and the mbarrier, of this group, is told. */
void exits_copied(struct exits_group *group, uint64_t object, uint64_t token);

/* ---- Order ---- */

/* They come to a barrier of the group, which opens. */
void exits_arrive(struct exits *exits, const struct exits_at *at, uint32_t barrier, bool waits);
void exits_open(struct exits *exits, struct exits_group *group, uint32_t barrier);
/* They come to the barrier of the cluster in this phase; they find it over. */
void exits_cluster_arrive(struct exits *exits, const struct exits_at *at, uint32_t phase);
void exits_cluster_over(struct exits *exits, const struct exits_at *at, uint32_t phase);
/* They arrive at the mbarrier at this offset of the memory of that rank; its phase ends; they find that over. */
void exits_arrive_at(struct exits *exits, const struct exits_at *at, uint32_t rank, uint64_t object);
void exits_end_phase(struct exits *exits, struct exits_group *group, uint64_t object);
void exits_find_over(struct exits *exits, const struct exits_at *at, uint64_t object);
/* They write a word strongly, or read it; `word`: a key of it. */
void exits_give(struct exits *exits, const struct exits_at *at, uint64_t word);
void exits_get(struct exits *exits, const struct exits_at *at, uint64_t word);

#endif
