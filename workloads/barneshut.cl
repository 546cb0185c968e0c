/* BarnesHut's octree.  A child is a body (0 to bodies - 1), cell c as bodies + c, or: */
#ifndef __lockstep_spin /* says that the loop around it waits: nothing, elsewhere than under Lockstep */
#define __lockstep_spin()
#endif

#ifndef __LOCKSTEP__ /* elsewhere than under Lockstep */
#include "lockstep_locks.h"
#endif

#define EMPTY (-1)
#define LOCKED (-2)

/* A cube by its centre and half its side. */
struct cube {
	float x, y, z, reach;
};

uint octant(struct cube cube, float4 body)
{
	return (body.x > cube.x) + 2 * (body.y > cube.y) + 4 * (body.z > cube.z);
}

/* The eighth of the cube that has this octant's number. */
struct cube eighth(struct cube cube, uint octant)
{
	cube.reach *= 0.5f;
	cube.x += octant & 1 ? cube.reach : -cube.reach;
	cube.y += octant & 2 ? cube.reach : -cube.reach;
	cube.z += octant & 4 ? cube.reach : -cube.reach;
	return cube;
}

/* What TB works on: the child of octant k of cell c is children[c * 8 + k]; `count` bodies. */
struct octree {
	global const float4 *bodies;
	volatile global int *children, *cells;
	int count, room;
};

/* New cells, each within the one before, until the two bodies are in different octants of the last.  Nobody sees them yet.  The child that
 * takes the place of body `old`; EMPTY when there is no room. */
int part(struct octree tree, struct cube cube, int old, int body)
{
	int top = EMPTY, cell, slot = 0;
	uint of_old, of_body;
	do {
		cell = atomic_inc(tree.cells);
		if (cell >= tree.room)
			return EMPTY;
		if (top == EMPTY)
			top = tree.count + cell;
		else
			tree.children[slot] = tree.count + cell;
		of_old = octant(cube, tree.bodies[old]);
		of_body = octant(cube, tree.bodies[body]);
		slot = cell * 8 + (int)of_old;
		cube = eighth(cube, of_old);
	} while (of_old == of_body);
	tree.children[slot] = old;
	tree.children[cell * 8 + (int)of_body] = body;
	return top;
}

/* TB: puts bodies into the tree.  A lock on a child is its exchange for LOCKED.  Between attempts all threads of the group wait for each
 * other, so that few try at once.  Cell 0 is the unit cube; *cells beyond `room` says that there was none. */
kernel void build(global const float4 *bodies, volatile global int *children, volatile global int *cells, int count, int room)
{
	/* Whether threads of the group have bodies left: a word for a turn, cleared two turns ahead of its next use, so that one barrier a
	 * turn does. */
	local int more[4];
	struct octree tree = {bodies, children, cells, count, room};
	int body = get_global_id(0), step = get_global_size(0), node = 0, turn = 0;
	struct cube cube = {0.5f, 0.5f, 0.5f, 0.5f};
	bool first = get_local_id(0) == 0, left = body < count;
	uint where = left ? octant(cube, bodies[body]) : 0; /* in the cube of `node`: stays while the child there is locked */
	if (get_local_id(0) < 4)
		more[get_local_id(0)] = 0;
	barrier(CLK_LOCAL_MEM_FENCE);
	do {
		turn = (turn + 1) & 3;
		if (first)
			more[(turn + 2) & 3] = 0;
		volatile global int *slot = children;
		int put = LOCKED;
		if (left) {
			int child = children[node * 8 + (int)where];
			while (child >= count) {
				node = child - count;
				cube = eighth(cube, where);
				where = octant(cube, bodies[body]);
				child = children[node * 8 + (int)where];
			}
			slot = &children[node * 8 + (int)where];
			if (child != LOCKED && atomic_cmpxchg(slot, child, LOCKED) == child) {
				put = body;
				mem_fence(CLK_GLOBAL_MEM_FENCE);
				if (child != EMPTY) {
					put = part(tree, eighth(cube, where), child, body);
					if (put == EMPTY)
						put = child;
				}
				mem_fence(CLK_GLOBAL_MEM_FENCE);
				node = 0;
				cube = (struct cube){0.5f, 0.5f, 0.5f, 0.5f};
				body += step;
				left = body < count;
				if (left)
					where = octant(cube, bodies[body]);
			}
			if (left)
				more[turn] = 1;
		}
		__lockstep_spin();
		barrier(CLK_LOCAL_MEM_FENCE);
		if (put != LOCKED)
			atomic_xchg(slot, put);
	} while (more[turn]);
}

/* A child of a cell, by the cell and the octant, and the cell's cube. */
struct place {
	int node;
	uint where;
	struct cube cube;
};

/* The root's child that has the body in its octant. */
struct place start(float4 body)
{
	struct place place = {0, 0, {0.5f, 0.5f, 0.5f, 0.5f}};
	place.where = octant(place.cube, body);
	return place;
}

int slot_of(struct place place)
{
	return place.node * 8 + (int)place.where;
}

/* Goes down to a child that is no cell; that child. */
int descend(struct octree tree, struct place *place, float4 body)
{
	int child = tree.children[slot_of(*place)];
	while (child >= tree.count) {
		place->node = child - tree.count;
		place->cube = eighth(place->cube, place->where);
		place->where = octant(place->cube, body);
		child = tree.children[slot_of(*place)];
	}
	return child;
}

/* Puts the body into a child that is EMPTY or a body, and that only this thread may change. */
void put(struct octree tree, struct place place, int child, int body)
{
	int next = body;
	if (child != EMPTY) {
		next = part(tree, eighth(place.cube, place.where), child, body);
		if (next == EMPTY)
			next = child;
		mem_fence(CLK_GLOBAL_MEM_FENCE); /* who goes down to the new cells takes no lock */
	}
	tree.children[slot_of(place)] = next;
}

/* TB of paper 1, Example 17: one attempt to exchange a child for LOCKED, which the insertion itself takes back, then a barrier. */
kernel void build_atomics(global const float4 *bodies, volatile global int *children, volatile global int *cells, int count, int room)
{
	local int more[4]; /* as in `build` */
	struct octree tree = {bodies, children, cells, count, room};
	int body = get_global_id(0), step = get_global_size(0), turn = 0;
	struct place place = {0};
	bool first = get_local_id(0) == 0, left = body < count;
	if (left)
		place = start(bodies[body]);
	if (get_local_id(0) < 4)
		more[get_local_id(0)] = 0;
	barrier(CLK_LOCAL_MEM_FENCE);
	do {
		turn = (turn + 1) & 3;
		if (first)
			more[(turn + 2) & 3] = 0;
		if (left) {
			int child = descend(tree, &place, bodies[body]);
			if (child != LOCKED && atomic_cmpxchg(&children[slot_of(place)], child, LOCKED) == child) {
				mem_fence(CLK_GLOBAL_MEM_FENCE);
				put(tree, place, child, body);
				body += step;
				left = body < count;
				if (left)
					place = start(bodies[body]);
			}
			if (left)
				more[turn] = 1;
		}
		__lockstep_spin();
		barrier(CLK_LOCAL_MEM_FENCE);
	} while (more[turn]);
}

/* Waits for the lock, or with `once` makes one attempt; whether it was got. */
bool take(volatile global int *lock, bool once)
{
	if (once)
		return __lockstep_try_lock(lock);
	__lockstep_lock(lock);
	return true;
}

/* TB of paper 1, Example 18.  Each child has a lock at its place in `locks`, LOCKSTEP_UNLOCKED or the owner's number; who sees it taken does
 * not wait for it but goes down again.  While a thread waits, another may put a cell there: then it has the lock for nothing, which
 * `in_vain` counts by thread. */
void build_beside(struct octree tree, volatile global int *locks, global int *in_vain, bool once)
{
	int body = get_global_id(0), step = get_global_size(0), vain = 0;
	struct place place = {0};
	if (body < tree.count)
		place = start(tree.bodies[body]);
	while (body < tree.count) {
		descend(tree, &place, tree.bodies[body]);
		volatile global int *lock = &locks[slot_of(place)];
		if (*lock == LOCKSTEP_UNLOCKED && take(lock, once)) {
			int child = tree.children[slot_of(place)];
			if (child < tree.count)
				put(tree, place, child, body);
			__lockstep_unlock(lock);
			if (child < tree.count) {
				body += step;
				if (body < tree.count)
					place = start(tree.bodies[body]);
			} else {
				vain++;
			}
		}
	}
	in_vain[get_global_id(0)] = vain;
}

kernel void build_locks(global const float4 *bodies, volatile global int *children, volatile global int *cells, int count, int room,
	volatile global int *locks, global int *in_vain)
{
	build_beside((struct octree){bodies, children, cells, count, room}, locks, in_vain, false);
}

kernel void build_try(global const float4 *bodies, volatile global int *children, volatile global int *cells, int count, int room,
	volatile global int *locks, global int *in_vain)
{
	build_beside((struct octree){bodies, children, cells, count, room}, locks, in_vain, true);
}

/* ST: the bodies in the tree's order (paper 2, Fig. 6c).  A thread waits until it is known where the bodies of its cell start, writes them, and
 * signals to the cells within where theirs do.  A cell comes before those within it, so the first that has not been done never waits. */
kernel void sort(global const int *children, global const int *counts, volatile global int *starts, global int *sorted, int count, int cells)
{
	int cell = get_global_id(0), step = get_global_size(0);
	while (cell < cells) {
		__lockstep_spin();
		int start = starts[cell];
		if (start >= 0) {
			for (int k = 0; k < 8; k++) {
				int child = children[cell * 8 + k];
				if (child >= count) {
					starts[child - count] = start;
					start += counts[child - count];
				} else if (child >= 0) {
					sorted[start++] = child;
				}
			}
			cell += step;
		}
	}
}
