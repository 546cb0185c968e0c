/* Clusters: work-groups on cores of one part of the GPU that are there together, see each other's shared memory, and
 * have a barrier.
 *
 * Each group keeps what it knows of the others: where they are, and which have come to the barrier of a phase.  A group
 * tells the others when the last of its threads has come, and when its last thread has ended, by messages; in
 * functional mode at once.  A group may hear of the next phase before it has heard all of its own, so two phases are
 * kept. */
#ifndef LOCKSTEP_MACHINE_CORE_CLUSTER_H
#define LOCKSTEP_MACHINE_CORE_CLUSTER_H

#include "machine/state/core.h"

/* A group of the cluster: its core, its place there, its number in the grid. */
struct cluster_member {
	uint16_t core;
	uint8_t place;
	uint32_t number;
};

/* What a group knows of its cluster. */
struct group_cluster {
	uint32_t size, rank;
	struct cluster_member members[CLUSTER_GROUPS];
	uint32_t phase;      /* of the barrier */
	uint32_t arrived[2]; /* by the phase's parity: groups, a bit for each rank, all of whose threads have come */
	uint32_t left;       /* groups all of whose threads have ended */
	uint64_t over_at;    /* from this cycle on threads go on that came in the phase before */
	lane_mask came[CORE_WARPS]; /* by warp slot: lanes that have come in this phase and not waited */
	/* likewise: that came in the phase before, which is over, and have not waited */
	lane_mask passed[CORE_WARPS];
};

/* Between quanta: makes `count` groups that have just started, in the order of their ranks, a cluster. */
void cluster_begin(
	const struct machine *machine, struct core *const *cores, struct group *const *groups, uint32_t count);
/* Threads of the group have ended: that may be what its barrier waited for. */
void cluster_lanes_exited(struct core *core, struct group *group);
/* For the load-store unit: MESSAGE_CLUSTER has come. */
void cluster_receive(struct core *core, const struct message *m);
/* Between quanta: opens the barrier of the group's cluster, as if the rest had come. */
void cluster_open(const struct machine *machine, const struct group *group);
/* Whether a thread, which may wait at the barrier or not, has come to it in this phase. */
bool cluster_has_come(const struct core *core, const struct warp_slot *r, uint32_t lane);
/* Whether the groups are of one cluster. */
bool cluster_is_same(const struct group *a, const struct group *b);
/* The group that a member is, and its core; null: it has ended. */
struct group *cluster_group(const struct machine *machine, const struct group *of, uint32_t rank, struct core **core);

#endif
