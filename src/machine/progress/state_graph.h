/* The states that a kernel can be in under all schedules, as a graph, and the endless walks in it that a progress model
 * allows.
 *
 * An endless run stays, from some step on, in one strongly connected part of the graph.  There, which groups have
 * started and which have finished does not change, so neither do the groups that are guaranteed progress; and the model
 * (weak fairness) allows the run if each of those, unless it waits within itself, takes a step that stays in the part.
 * So the kernel always finishes if there is no such part and no state in which nobody can run; all parts are looked at,
 * so this is exact once every edge is known. */
#ifndef LOCKSTEP_MACHINE_PROGRESS_STATE_GRAPH_H
#define LOCKSTEP_MACHINE_PROGRESS_STATE_GRAPH_H

#include "machine/progress/schedule_list.h"
#include "policy/dispatch/dispatch.h"
#include "util/map.h"
#include "util/vector.h"

#define GRAPH_GROUPS 64
#define GRAPH_NONE UINT32_MAX

struct state_node {
	uint64_t can_run, started, finished; /* groups, a bit each */
	uint32_t parent, via; /* the shortest way known from the first state: from there by a step of group `via` */
	uint32_t depth;
};

struct state_graph {
	struct arena *arena;
	uint32_t groups;
	struct map index;                /* by print */
	VECTOR(struct state_node) nodes; /* the first one is the state before all */
	VECTOR(uint32_t) edges;          /* groups of them per node: where a step leads, GRAPH_NONE: not known */
	uint32_t unknown;                /* edges */
};

/* The node of that print, made with no edge known when there is none. */
uint32_t graph_node(struct state_graph *g, const uint64_t print[2], const struct state_node *node);
/* A step of the group leads from one node to the other. */
void graph_connect(struct state_graph *g, uint32_t from, uint32_t group, uint32_t to);
/* A group whose step from there is not known; GRAPH_NONE: all are. */
uint32_t graph_unknown(const struct state_graph *g, uint32_t node);
/* The steps to the node, and one of a group after them; GRAPH_NONE: no more. */
void graph_path(
	const struct state_graph *g, uint32_t node, uint32_t group, struct arena *arena, struct schedule_list *list);
/* Whether a run that finishes is known. */
bool graph_can_finish(const struct state_graph *g);
/* The shortest way known into an endless walk that the model allows, or to a state in which no group can run; false:
 * none is known. */
bool graph_endless(const struct state_graph *g, const struct group_dispatcher *model, struct arena *arena,
	struct schedule_list *list);

#endif
