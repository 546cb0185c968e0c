/* A minimum spanning forest (Boruvka): each component takes its lightest edge to another, and components that edges connect become one,
 * until none has an edge left.  All rounds are one launch, with four barriers between work-groups in each.  Of edges of one weight the one
 * with the lowest number is lighter, so that all components choose by the same order and no cycle comes about. */
#include "persistent_device.h"

#define NONE 0xffffffffu

struct forest {
	global uint *component; /* of a vertex: the number of its root */
	global uint *parent; /* of a root: the root of the component that it joins, or itself */
	global uint *lightest; /* of a root: the weight of its component's lightest edge outwards */
	global uint *edge; /* and which it is, of those of this weight */
};

static void offer(global uint *least, uint value)
{
	if (load_relaxed(least) > value)
		atomic_min(least, value);
}

/* An edge is offered to the components of both ends. */
static void offer_weight(const struct forest *f, uint a, uint b, uint weight)
{
	if (a == b)
		return;
	offer(&f->lightest[a], weight);
	offer(&f->lightest[b], weight);
}

static void offer_edge(const struct forest *f, uint a, uint b, uint weight, uint edge)
{
	if (a == b)
		return;
	if (f->lightest[a] == weight)
		offer(&f->edge[a], edge);
	if (f->lightest[b] == weight)
		offer(&f->edge[b], edge);
}

/* Root: joins the component at the other end of its edge.  Of two that chose one edge the one with the lower number stays.  Of an edge and
 * its reverse both chose the one with the lower number, since both were offered to both. */
static int join(const struct forest *f, uint root, global const uint *from, global const uint *to, global uint *chosen)
{
	uint edge = f->edge[root], other;

	if (edge == NONE)
		return 0;
	other = f->component[from[edge]];
	if (other == root)
		other = f->component[to[edge]];
	if (f->edge[other] == edge && root < other)
		return 0;
	f->parent[root] = other;
	chosen[edge] = 1;
	return 1;
}

static uint root_of(global const uint *parent, uint at)
{
	while (parent[at] != at)
		at = parent[at];
	return at;
}

/* component and parent: each vertex's own number; lightest, edge: NONE; chosen: 0, and 1 of the forest's edges in the end.  words: whether
 * a component has joined another, and the number of rounds. */
kernel void mst(global uint *state, global uint *taking, global const uint *from, global const uint *to, global const uint *weight,
	global uint *component, global uint *parent, global uint *lightest, global uint *edge, global uint *chosen, global uint *words,
	uint vertices, uint edges)
{
	const struct forest f = {component, parent, lightest, edge};
	uint rounds = 0, me, size, joined;
	p_context p;

	if (!enter(&p, state, taking))
		return;
	me = p_get_global_id(&p);
	size = p_get_global_size(&p);
	do {
		for (uint k = me; k < edges; k += size)
			offer_weight(&f, component[from[k]], component[to[k]], weight[k]);
		p_barrier_xf(&p);
		if (me == 0)
			words[0] = 0;
		for (uint k = me; k < edges; k += size)
			offer_edge(&f, component[from[k]], component[to[k]], weight[k], k);
		p_barrier_xf(&p);
		for (uint k = me; k < vertices; k += size)
			if (component[k] == k && join(&f, k, from, to, chosen))
				store_relaxed(&words[0], 1);
		p_barrier_xf(&p);
		for (uint k = me; k < vertices; k += size) {
			component[k] = root_of(parent, component[k]);
			lightest[k] = NONE;
			edge[k] = NONE;
		}
		joined = words[0];
		p_barrier_xf(&p);
		rounds++;
	} while (joined);
	if (me == 0)
		words[1] = rounds;
}
