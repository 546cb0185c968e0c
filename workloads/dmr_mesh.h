/* A Delaunay mesh of a square on a grid of whole numbers, and how a point comes into it: of dmr.c and dmr.cl alike, C
 * and OpenCL C.  All predicates are exact: coordinates are of 0 ... MESH_SIDE, and what they give fits in 64 bits. */
#ifndef LOCKSTEP_WORKLOADS_DMR_MESH_H
#define LOCKSTEP_WORKLOADS_DMR_MESH_H

#ifdef __OPENCL_C_VERSION__
#define MESH_GLOBAL global
typedef uint mesh_word;
typedef long mesh_wide;
#else
#include <stdint.h>
#define MESH_GLOBAL
typedef uint32_t mesh_word;
typedef int64_t mesh_wide;
#endif

#define MESH_SIDE 16384 /* 2^14: mesh_in_circle stays below 2^60 */
#define MESH_NONE 0xffffffffu
#define MESH_MOST 64u /* triangles of a cavity */

/* Wide, since the centre of a thin triangle's circle is far away: up to 2^44. */
struct mesh_point {
	mesh_wide x, y;
};

/* Corners anticlockwise; beside[k] is the triangle at the side that corner k is not on, or MESH_NONE: that side is a
 * segment of the square's border. */
struct mesh_triangle {
	mesh_word corner[3], beside[3];
};

struct mesh {
	MESH_GLOBAL struct mesh_point *points;
	MESH_GLOBAL struct mesh_triangle *triangles;
};

/* A point to insert, the triangles whose circles it is in, and the sides around them, anticlockwise from `from` to
 * `to`, with the triangle beyond.  A segment that the point lies on is not among the sides. */
struct mesh_cavity {
	struct mesh_point point;
	mesh_word triangle_count, side_count;
	mesh_word triangles[MESH_MOST];
	mesh_word from[MESH_MOST + 2], to[MESH_MOST + 2], beyond[MESH_MOST + 2];
};

/* ---- Predicates ---- */

/* Twice the area of a, b, c; positive when they are anticlockwise. */
static inline mesh_wide mesh_turn(struct mesh_point a, struct mesh_point b, struct mesh_point c)
{
	return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
}

static inline mesh_wide mesh_square(struct mesh_point a, struct mesh_point b)
{
	return (b.x - a.x) * (b.x - a.x) + (b.y - a.y) * (b.y - a.y);
}

/* Positive when d is within the circle of a, b, c, which are anticlockwise. */
static inline mesh_wide mesh_in_circle(
	struct mesh_point a, struct mesh_point b, struct mesh_point c, struct mesh_point d)
{
	return mesh_square(d, a) * mesh_turn(d, b, c) + mesh_square(d, b) * mesh_turn(d, c, a) +
	       mesh_square(d, c) * mesh_turn(d, a, b);
}

static inline struct mesh_point mesh_corner(const struct mesh *mesh, mesh_word triangle, mesh_word k)
{
	return mesh->points[mesh->triangles[triangle].corner[k % 3]];
}

/* To be refined: the radius of its circle is more than the root of 2 times its shortest side (an angle is below 20.7
 * degrees, as Ruppert's algorithm can grant), and that side has at least the length `least`. */
static inline int mesh_is_bad(const struct mesh *mesh, mesh_word triangle, mesh_wide least)
{
	struct mesh_point a = mesh_corner(mesh, triangle, 0), b = mesh_corner(mesh, triangle, 1);
	struct mesh_point c = mesh_corner(mesh, triangle, 2);
	mesh_wide p = mesh_square(a, b), q = mesh_square(b, c), r = mesh_square(c, a), area = mesh_turn(a, b, c), swap;

	if (q < p) {
		swap = p;
		p = q;
		q = swap;
	}
	if (r < p) {
		swap = p;
		p = r;
		r = swap;
	}
	return p >= least * least && q * r > 8 * area * area; /* radius^2 = p q r / (4 area^2) */
}

/* The nearest whole number; below > 0. */
static inline mesh_wide mesh_divide(mesh_wide above, mesh_wide below)
{
	mesh_wide twice = 2 * above + below;
	mesh_wide quotient = twice / (2 * below);
	return twice % (2 * below) < 0 ? quotient - 1 : quotient;
}

static inline struct mesh_point mesh_centre(struct mesh_point a, struct mesh_point b, struct mesh_point c)
{
	mesh_wide below = 2 * mesh_turn(a, b, c), ab = mesh_square(a, b), ac = mesh_square(a, c);
	struct mesh_point centre = {a.x + mesh_divide((c.y - a.y) * ab - (b.y - a.y) * ac, below),
		a.y + mesh_divide((b.x - a.x) * ac - (c.x - a.x) * ab, below)};
	return centre;
}

/* ---- Cavities ---- */

static inline int mesh_is_in(const struct mesh_cavity *cavity, mesh_word triangle)
{
	for (mesh_word k = 0; k < cavity->triangle_count; k++)
		if (cavity->triangles[k] == triangle)
			return 1;
	return 0;
}

static inline int mesh_is_hit(const struct mesh *mesh, mesh_word triangle, struct mesh_point point)
{
	return triangle != MESH_NONE && mesh_in_circle(mesh_corner(mesh, triangle, 0), mesh_corner(mesh, triangle, 1),
						mesh_corner(mesh, triangle, 2), point) > 0;
}

static inline void mesh_add_side(
	const struct mesh *mesh, struct mesh_cavity *cavity, mesh_word triangle, mesh_word side)
{
	mesh_word at = cavity->side_count++;

	cavity->from[at] = mesh->triangles[triangle].corner[(side + 1) % 3];
	cavity->to[at] = mesh->triangles[triangle].corner[(side + 2) % 3];
	cavity->beyond[at] = mesh->triangles[triangle].beside[side];
}

/* Of `point`, which is in the circle of `start`.  If it is on a segment, that is side `segment` of `start`, else
 * `segment` is 3.  0: there are too many triangles. */
static inline int mesh_find_cavity(const struct mesh *mesh, struct mesh_cavity *cavity, struct mesh_point point,
	mesh_word start, mesh_word segment)
{
	cavity->point = point;
	cavity->triangles[0] = start;
	cavity->triangle_count = 1;
	cavity->side_count = 0;
	for (mesh_word k = 0; k < cavity->triangle_count; k++)
		for (mesh_word side = 0; side < 3; side++) {
			mesh_word beside = mesh->triangles[cavity->triangles[k]].beside[side];
			if ((k == 0 && side == segment) || mesh_is_in(cavity, beside))
				continue;
			if (!mesh_is_hit(mesh, beside, point))
				mesh_add_side(mesh, cavity, cavity->triangles[k], side);
			else if (cavity->triangle_count == MESH_MOST)
				return 0;
			else
				cavity->triangles[cavity->triangle_count++] = beside;
		}
	return 1;
}

/* The triangle of side k in the mesh to be: those of the cavity, and `more` and what follows it. */
static inline mesh_word mesh_place(const struct mesh_cavity *cavity, mesh_word more, mesh_word k)
{
	return k < cavity->triangle_count ? cavity->triangles[k] : more + k - cavity->triangle_count;
}

/* The triangle whose side begins, or ends, at `corner`: MESH_NONE at a segment. */
static inline mesh_word mesh_next_to(
	const struct mesh_cavity *cavity, mesh_word more, const mesh_word *ends, mesh_word corner)
{
	for (mesh_word k = 0; k < cavity->side_count; k++)
		if (ends[k] == corner)
			return mesh_place(cavity, more, k);
	return MESH_NONE;
}

/* Puts a triangle from the point, which is `number`, to each side of the cavity; those that it has no place for are at
 * `more`. */
static inline void mesh_fill(
	const struct mesh *mesh, const struct mesh_cavity *cavity, mesh_word number, mesh_word more)
{
	mesh->points[number] = cavity->point;
	for (mesh_word k = 0; k < cavity->side_count; k++) {
		mesh_word from = cavity->from[k], to = cavity->to[k], beyond = cavity->beyond[k];
		mesh_word place = mesh_place(cavity, more, k);
		MESH_GLOBAL struct mesh_triangle *made = &mesh->triangles[place];

		made->corner[0] = number;
		made->corner[1] = from;
		made->corner[2] = to;
		made->beside[0] = beyond;
		made->beside[1] = mesh_next_to(cavity, more, cavity->from, to);
		made->beside[2] = mesh_next_to(cavity, more, cavity->to, from);
		for (mesh_word side = 0; beyond != MESH_NONE && side < 3; side++)
			if (mesh->triangles[beyond].corner[(side + 1) % 3] == to &&
				mesh->triangles[beyond].corner[(side + 2) % 3] == from)
				mesh->triangles[beyond].beside[side] = place;
	}
}

/* ---- What is to be done about a triangle ---- */

enum {
	MESH_GOOD,
	MESH_KEEP,   /* it is bad, but the segment that would have to be split is too short */
	MESH_INSERT, /* the cavity's point */
	MESH_LARGE   /* the cavity has too many triangles */
};

static inline int mesh_plan_split(
	const struct mesh *mesh, struct mesh_cavity *cavity, mesh_word triangle, mesh_word side, mesh_wide least)
{
	struct mesh_point a = mesh_corner(mesh, triangle, side + 1), b = mesh_corner(mesh, triangle, side + 2);
	struct mesh_point middle = {(a.x + b.x) / 2, (a.y + b.y) / 2};

	if (mesh_square(a, b) < 4 * least * least)
		return MESH_KEEP;
	return mesh_find_cavity(mesh, cavity, middle, triangle, side) ? MESH_INSERT : MESH_LARGE;
}

/* Where the point is, by steps from triangle to triangle towards it; for a point outside of the square the last
 * triangle, and the side that it is beyond of in `side`; else that is 3.  In a Delaunay mesh no such walk comes back to
 * where it was. */
static inline mesh_word mesh_locate(
	const struct mesh *mesh, mesh_word triangle, struct mesh_point point, mesh_word *side)
{
	for (;;) {
		mesh_word k = 0;
		while (k < 3 &&
			mesh_turn(mesh_corner(mesh, triangle, k + 1), mesh_corner(mesh, triangle, k + 2), point) >= 0)
			k++;
		*side = k;
		if (k == 3 || mesh->triangles[triangle].beside[k] == MESH_NONE)
			return triangle;
		triangle = mesh->triangles[triangle].beside[k];
	}
}

/* The point of the cavity is within the circle whose diameter is the segment. */
static inline int mesh_encroaches(struct mesh_point point, struct mesh_point a, struct mesh_point b)
{
	return (a.x - point.x) * (b.x - point.x) + (a.y - point.y) * (b.y - point.y) < 0;
}

/* A bad triangle gets the centre of its circle as a point.  If that is outside, or too near to a segment, the segment
 * is split instead. */
static inline int mesh_plan(const struct mesh *mesh, struct mesh_cavity *cavity, mesh_word triangle, mesh_wide least)
{
	struct mesh_point centre;
	mesh_word where, side;
	int plan = MESH_INSERT;

	if (!mesh_is_bad(mesh, triangle, least))
		return MESH_GOOD;
	centre = mesh_centre(
		mesh_corner(mesh, triangle, 0), mesh_corner(mesh, triangle, 1), mesh_corner(mesh, triangle, 2));
	where = mesh_locate(mesh, triangle, centre, &side);
	if (side < 3)
		return mesh_plan_split(mesh, cavity, where, side, least);
	if (!mesh_find_cavity(mesh, cavity, centre, where, 3))
		return MESH_LARGE;
	for (mesh_word k = 0; k < cavity->side_count; k++) {
		mesh_word other = MESH_NONE;
		if (cavity->beyond[k] != MESH_NONE ||
			!mesh_encroaches(centre, mesh->points[cavity->from[k]], mesh->points[cavity->to[k]]))
			continue;
		plan = MESH_KEEP;
		if (mesh_square(mesh->points[cavity->from[k]], mesh->points[cavity->to[k]]) < 4 * least * least)
			continue;
		for (mesh_word at = 0; at < 3 * cavity->triangle_count; at++)
			if (mesh->triangles[cavity->triangles[at / 3]].beside[at % 3] == MESH_NONE &&
				mesh->triangles[cavity->triangles[at / 3]].corner[(at + 1) % 3] == cavity->from[k])
				other = at;
		return mesh_plan_split(mesh, cavity, cavity->triangles[other / 3], other % 3, least);
	}
	return plan;
}

#endif
