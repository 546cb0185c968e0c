/* Delaunay mesh refinement: bad triangles get points until there are none left that can have one.  A thread takes a triangle from the list,
 * finds the cavity of its point, and claims all triangles in it and around it.  Who has all that it claimed makes new ones of them; what
 * the others wanted is listed again.  All is one launch, with three barriers between work-groups for as many triangles as there are
 * threads. */
#include "persistent_device.h"

#include "dmr_mesh.h"

/* words */
enum {
	COUNTS, /* three: triangles in the lists of this step, the next, and the one after it */
	POINTS = 3,
	TRIANGLES,
	FAULT, /* 1: no room for points or triangles; 2: a cavity is too large */
	SWEEPS
};

struct work {
	struct mesh mesh;
	global uint *owner; /* of a triangle: the greatest claim; between two turns 0 */
	global uint *listed; /* 1: the triangle is in a list */
	global uint *words;
	uint most_points, most_triangles;
	long least;
};

static void list_once(const struct work *w, uint triangle, local struct gather *found, global uint *list, global uint *count)
{
	if (atomic_xchg(&w->listed[triangle], 1) == 0)
		list_add(found, list, count, triangle);
}

/* No two claims of a turn are equal: the factor is odd. */
static uint claim_of(uint place)
{
	return (place + 1) * 2654435761u;
}

static void claim(const struct work *w, const struct mesh_cavity *cavity, uint claim)
{
	for (uint k = 0; k < cavity->triangle_count; k++)
		atomic_max(&w->owner[cavity->triangles[k]], claim);
	for (uint k = 0; k < cavity->side_count; k++)
		if (cavity->beyond[k] != MESH_NONE)
			atomic_max(&w->owner[cavity->beyond[k]], claim);
}

static int has_all(const struct work *w, const struct mesh_cavity *cavity, uint claim)
{
	for (uint k = 0; k < cavity->triangle_count; k++)
		if (w->owner[cavity->triangles[k]] != claim)
			return 0;
	for (uint k = 0; k < cavity->side_count; k++)
		if (cavity->beyond[k] != MESH_NONE && w->owner[cavity->beyond[k]] != claim)
			return 0;
	return 1;
}

static void release(const struct work *w, const struct mesh_cavity *cavity)
{
	for (uint k = 0; k < cavity->triangle_count; k++)
		store_relaxed(&w->owner[cavity->triangles[k]], 0);
	for (uint k = 0; k < cavity->side_count; k++)
		if (cavity->beyond[k] != MESH_NONE)
			store_relaxed(&w->owner[cavity->beyond[k]], 0);
}

static void insert(const struct work *w, const struct mesh_cavity *cavity, local struct gather *found, global uint *list, global uint *count)
{
	uint more = cavity->side_count - cavity->triangle_count, number = atomic_inc(&w->words[POINTS]);
	uint place = atomic_add(&w->words[TRIANGLES], more);

	if (number >= w->most_points || place + more > w->most_triangles) {
		store_relaxed(&w->words[FAULT], 1);
		return;
	}
	mesh_fill(&w->mesh, cavity, number, place);
	for (uint k = 0; k < cavity->side_count; k++)
		if (mesh_is_bad(&w->mesh, mesh_place(cavity, place, k), w->least))
			list_once(w, mesh_place(cavity, place, k), found, list, count);
}

/* Group: a thread's triangle, which is `place` of `count` in the list. */
static void refine(const struct work *w, p_context *p, uint place, uint count, global const uint *list, local struct gather *found,
	global uint *next, global uint *next_count)
{
	struct mesh_cavity cavity;
	int plan = MESH_GOOD;
	uint triangle = 0;

	if (place < count) {
		triangle = list[place];
		store_relaxed(&w->listed[triangle], 0);
		plan = mesh_plan(&w->mesh, &cavity, triangle, w->least);
		if (plan == MESH_LARGE)
			store_relaxed(&w->words[FAULT], 2);
		if (plan == MESH_INSERT)
			claim(w, &cavity, claim_of(place));
	}
	p_barrier_xf(p);
	if (plan == MESH_INSERT) {
		if (has_all(w, &cavity, claim_of(place)))
			insert(w, &cavity, found, next, next_count);
		else
			list_once(w, triangle, found, next, next_count);
	}
	list_write(found, next, next_count);
	p_barrier_xf(p);
	if (plan == MESH_INSERT)
		release(w, &cavity);
	p_barrier_xf(p); /* no claim of the next turn is lost, so that the greatest has all and each turn inserts a point */
}

/* Group: lists all that are bad. */
static void sweep(const struct work *w, const p_context *p, local struct gather *found, global uint *list, global uint *count)
{
	uint triangles = min(w->words[TRIANGLES], w->most_triangles);

	for (uint at = p_get_group_id(p) * get_local_size(0); at < triangles; at += p_get_global_size(p)) {
		uint triangle = at + get_local_id(0);
		if (triangle < triangles && mesh_is_bad(&w->mesh, triangle, w->least))
			list_once(w, triangle, found, list, count);
		list_write(found, list, count);
	}
}

/* A triangle that cannot have a point now may be able to later: the mesh is swept again until nothing comes of it. */
kernel void dmr(global uint *state, global uint *taking, global struct mesh_point *points, global struct mesh_triangle *triangles,
	global uint *owner, global uint *listed, global uint *lists, global uint *words, uint most_points, uint most_triangles, uint least)
{
	const struct work w = {{points, triangles}, owner, listed, words, most_points, most_triangles, least};
	local struct gather found;
	uint step = 0, sweeps = 0, before, count;
	p_context p;

	if (!enter(&p, state, taking))
		return;
	list_begin(&found);
	do {
		before = words[POINTS];
		sweep(&w, &p, &found, lists + step % 2 * most_triangles, &words[COUNTS + step % 3]);
		p_barrier_xf(&p);
		for (; (count = words[COUNTS + step % 3]) > 0; step++) {
			global uint *list = lists + step % 2 * most_triangles, *next = lists + (step + 1) % 2 * most_triangles;
			/* The number of the step before: all have read it before the last barrier, and none adds to it before the next. */
			if (p_get_global_id(&p) == 0)
				words[COUNTS + (step + 2) % 3] = 0;
			for (uint at = 0; at < count; at += p_get_global_size(&p))
				refine(&w, &p, at + p_get_global_id(&p), count, list, &found, next, &words[COUNTS + (step + 1) % 3]);
		}
		p_barrier_xf(&p); /* all have read the count, to which the next sweep adds */
		sweeps++;
	} while (words[POINTS] != before);
	if (p_get_global_id(&p) == 0)
		words[SWEEPS] = sweeps;
}
