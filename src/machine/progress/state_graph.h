/* The states that a kernel can be in under all schedules, as a graph, and the endless walks in it that a progress model
 * allows.  Steps are taken by actors: a group; or each warp and each asynchronous copy of a group, and of each warp
 * some more for the paths that it may take steps by in place of that which runs.
 *
 * An endless run stays, from some step on, in one strongly connected part of the graph.  There, which groups have
 * started and which have finished does not change, so neither do the groups that are guaranteed progress; and the model
 * (weak fairness) allows the run if each actor of those, unless it waits within the group, takes a step that stays in
 * the part.  Where warps may choose their paths, that is asked of each lane that can run in all of the part's states,
 * in place of its warp.  A copy that has begun ends, whatever the model: the hardware carries it out. So the kernel
 * always finishes if there is no such part and no state in which nobody can run; all parts are looked at, so this is
 * exact once every edge is known. */
#ifndef LOCKSTEP_MACHINE_PROGRESS_STATE_GRAPH_H
#define LOCKSTEP_MACHINE_PROGRESS_STATE_GRAPH_H

#include "machine/progress/schedule_list.h"
#include "policy/dispatch/dispatch.h"
#include "policy/diverge/diverge.h"
#include "util/map.h"
#include "util/vector.h"

#define GRAPH_GROUPS 64
#define GRAPH_ACTORS 64
#define GRAPH_NONE UINT32_MAX

/* Where a step of an actor leads. */
struct state_edge {
	uint32_t to;    /* GRAPH_NONE: not known */
	uint32_t count; /* of steps as a schedule counts them */
	uint32_t label; /* the caller's */
};

struct state_node {
	uint64_t can_run; /* actors, a bit each */
	uint64_t matters; /* those whose steps are to be known: all that can run, or one that stands for all */
	uint64_t started, finished; /* groups, a bit each */
	uint32_t parent, via; /* the shortest way known from the first state: from there by a step of actor `via` */
	uint32_t depth;
};

struct state_graph {
	struct arena *arena;
	uint32_t groups;
	/* Actors of a group: its warps, then copies, and then, of each warp, its other paths; 1 and no copies: the
	 * group itself. */
	uint32_t parts, warps, copies, paths;
	struct map index;                /* by print */
	VECTOR(struct state_node) nodes; /* the first one is the state before all */
	VECTOR(struct state_edge) edges; /* as many as actors per node */
	uint32_t unknown;                /* edges that matter */
	/* With paths: of each node the lanes that can run, a mask for each warp of all groups; and of each edge those
	 * that have run. */
	VECTOR(lane_mask) can_run, ran;
};

/* The node of that print, made with no edge known when there is none. */
uint32_t graph_node(struct state_graph *g, const uint64_t print[2], const struct state_node *node);
/* A step of the actor leads from one node to another. */
void graph_connect(struct state_graph *g, uint32_t from, uint32_t actor, const struct state_edge *edge);
const struct state_edge *graph_edge(const struct state_graph *g, uint32_t node, uint32_t actor);
/* From this node on it is enough to follow the actor, whose step from there is known.  False: it is not, as the steps
 * of those that are enough would lead round to the node, and others would never be followed. */
bool graph_follow_one(struct state_graph *g, uint32_t node, uint32_t actor);
/* An actor whose step from there matters and is not known, of `first` if there is one; GRAPH_NONE: all are known. */
uint32_t graph_unknown(const struct state_graph *g, uint32_t node, uint64_t first);
static inline uint32_t graph_actors(const struct state_graph *g)
{
	return g->groups * g->parts;
}
/* One step of the actor. */
struct schedule_run graph_step(const struct state_graph *g, uint32_t actor);
uint32_t graph_actor(const struct state_graph *g, const struct schedule_run *step);
/* With paths: where a node's lanes are, a mask for each warp of all groups; and the lanes that have run, which the edge
 * gets. */
lane_mask *graph_lanes(struct state_graph *g, uint32_t node);
void graph_ran(struct state_graph *g, uint32_t node, uint32_t actor, lane_mask lanes);
/* The warp, of all groups, whose actor it is; GRAPH_NONE: it is a copy. */
uint32_t graph_warp(const struct state_graph *g, uint32_t actor);
/* The steps to the node, and `then` after them; null: no more. */
void graph_path(const struct state_graph *g, uint32_t node, const struct schedule_run *then, struct arena *arena,
	struct schedule_list *list);
/* Whether a run that finishes is known. */
bool graph_can_finish(const struct state_graph *g);
/* The shortest way known into an endless walk that the model allows, or to a state in which no group can run; false:
 * none is known. */
bool graph_endless(const struct state_graph *g, const struct group_dispatcher *model, struct arena *arena,
	struct schedule_list *list);

#endif
