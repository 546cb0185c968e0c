/* dmr: refines a Delaunay mesh of a square until no triangle has an angle below 20.7 degrees, but for those that are
 * too small or beside a segment of the border that is too short to be split, in one launch whose work-groups meet at
 * barriers (Lonestar's dmr of paper 4, section 5.3; written from Ruppert's algorithm, J. Algorithms 18, 1995).  Points
 * are on a grid of whole numbers and all predicates exact.  Which points come in, and so the mesh, depends on the order
 * of insertions; checked on the host is that it is a triangulation of the square that has all points, that it is
 * Delaunay, and that no triangle is left that can be refined.  Needs OpenCL C 2.0. */
#include "persistent.h"

#include "dmr_mesh.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { POINTS = PERSISTENT_NUMBERS, LEAST };

/* words of dmr.cl */
enum { WORD_POINTS = 3, WORD_TRIANGLES, WORD_FAULT, WORD_SWEEPS, WORDS };

/* How many times the points that it begins with the mesh has room for. */
#define ROOM 8

struct host_mesh {
	struct mesh mesh;
	uint32_t points, triangles;           /* that there are */
	uint32_t most_points, most_triangles; /* that there is room for */
};

/* ---- The mesh to begin with ---- */

static const struct mesh_point square[4] = {{0, 0}, {MESH_SIDE, 0}, {MESH_SIDE, MESH_SIDE}, {0, MESH_SIDE}};
static const struct mesh_triangle halves[2] = {
	{{0, 1, 2}, {MESH_NONE, 1, MESH_NONE}}, {{0, 2, 3}, {MESH_NONE, MESH_NONE, 0}}};

/* Within the square, unless there is a point already. */
static void insert(struct host_mesh *m, struct mesh_point point)
{
	struct mesh_cavity cavity;
	uint32_t side, where = mesh_locate(&m->mesh, m->triangles - 1, point, &side);
	for (uint32_t k = 0; k < 3; k++)
		if (mesh_square(mesh_corner(&m->mesh, where, k), point) == 0)
			return;
	if (!mesh_find_cavity(&m->mesh, &cavity, point, where, 3))
		fail("a point is in the circles of more than %u triangles", MESH_MOST);
	mesh_fill(&m->mesh, &cavity, m->points++, m->triangles);
	m->triangles += cavity.side_count - cavity.triangle_count;
}

static struct host_mesh begin(uint32_t points, uint64_t random)
{
	struct host_mesh m = {.points = 4, .triangles = 2, .most_points = ROOM * (points + 64)};
	m.most_triangles = 2 * m.most_points;
	m.mesh.points = allocate(m.most_points, sizeof *m.mesh.points);
	m.mesh.triangles = allocate(m.most_triangles, sizeof *m.mesh.triangles);
	memcpy(m.mesh.points, square, sizeof square);
	memcpy(m.mesh.triangles, halves, sizeof halves);
	while (m.points < points + 4) {
		int64_t x = 1 + random_below(&random, MESH_SIDE - 1), y = 1 + random_below(&random, MESH_SIDE - 1);
		insert(&m, (struct mesh_point){x, y});
	}
	return m;
}

/* ---- The check: with predicates of its own, apart from what can be refined ---- */

static int64_t dot(struct mesh_point at, struct mesh_point a, struct mesh_point b)
{
	return (a.x - at.x) * (b.x - at.x) + (a.y - at.y) * (b.y - at.y);
}

static int64_t cross(struct mesh_point at, struct mesh_point a, struct mesh_point b)
{
	return (a.x - at.x) * (b.y - at.y) - (a.y - at.y) * (b.x - at.x);
}

/* Two points of one side of the square. */
static bool on_border(struct mesh_point a, struct mesh_point b)
{
	return (a.x == b.x && (a.x == 0 || a.x == MESH_SIDE)) || (a.y == b.y && (a.y == 0 || a.y == MESH_SIDE));
}

/* The side of `beyond` that goes from b to a. */
static uint32_t side_of(const struct mesh *mesh, uint32_t beyond, uint32_t b, uint32_t a)
{
	const uint32_t *corner = mesh->triangles[beyond].corner;
	for (uint32_t k = 0; k < 3; k++)
		if (corner[(k + 1) % 3] == b && corner[(k + 2) % 3] == a)
			return k;
	fail("triangle %u has no side from %u to %u", beyond, b, a);
}

/* 1 for a side on the border.  The other sides: the angles that face one add up to half a turn at most, so that each
 * triangle's circle is empty of the other's corner, and with it of all points (Delaunay's lemma). */
static uint32_t check_side(const struct host_mesh *m, uint32_t triangle, uint32_t k)
{
	const struct mesh_triangle *t = &m->mesh.triangles[triangle];
	uint32_t a = t->corner[(k + 1) % 3], b = t->corner[(k + 2) % 3], beyond = t->beside[k];
	const struct mesh_point *at = m->mesh.points;
	if (beyond == MESH_NONE) {
		if (!on_border(at[a], at[b]))
			fail("nothing is beside triangle %u, which is not at the border there", triangle);
		return 1;
	}
	if (beyond >= m->triangles)
		fail("triangle %u is beside %u, of %u", triangle, beyond, m->triangles);
	uint32_t other = side_of(&m->mesh, beyond, b, a);
	if (m->mesh.triangles[beyond].beside[other] != triangle)
		fail("triangle %u is beside %u, but not the other way", triangle, beyond);
	struct mesh_point c = at[t->corner[k]], d = at[m->mesh.triangles[beyond].corner[other]];
	if (cross(c, at[a], at[b]) * dot(d, at[a], at[b]) + cross(d, at[b], at[a]) * dot(c, at[a], at[b]) < 0)
		fail("triangles %u and %u are not Delaunay", triangle, beyond);
	return 0;
}

/* All are anticlockwise, fit together and cover the square: a triangulation.  By Euler's formula it has all points. */
static void check_mesh(const struct host_mesh *m)
{
	int64_t area = 0;
	uint32_t border = 0;
	for (uint32_t t = 0; t < m->triangles; t++) {
		for (uint32_t k = 0; k < 3; k++)
			if (m->mesh.triangles[t].corner[k] >= m->points)
				fail("triangle %u has corner %u, of %u", t, m->mesh.triangles[t].corner[k], m->points);
		int64_t own =
			cross(mesh_corner(&m->mesh, t, 0), mesh_corner(&m->mesh, t, 1), mesh_corner(&m->mesh, t, 2));
		if (own <= 0)
			fail("triangle %u has an area of %lld", t, (long long)own);
		area += own;
		for (uint32_t k = 0; k < 3; k++)
			border += check_side(m, t, k);
	}
	if (area != 2 * (int64_t)MESH_SIDE * MESH_SIDE)
		fail("the triangles' area is %lld", (long long)area);
	if (m->triangles + border != 2 * (m->points - 1))
		fail("%u triangles, %u segments, %u points", m->triangles, border, m->points);
}

/* Some angle has a sine whose square is below 1/8: it, or one beside it, is below 20.7 degrees. */
static bool is_bad(const struct mesh *mesh, uint32_t triangle, int64_t least)
{
	bool thin = false;
	for (uint32_t k = 0; k < 3; k++) {
		struct mesh_point at = mesh_corner(mesh, triangle, k), a = mesh_corner(mesh, triangle, k + 1),
				  b = mesh_corner(mesh, triangle, k + 2);
		int64_t sine = cross(at, a, b);
		if (dot(a, at, at) < least * least)
			return false;
		thin |= 8 * sine * sine < dot(at, a, a) * dot(at, b, b);
	}
	return thin;
}

/* Those that are left cannot be refined; how many. */
static uint32_t check_quality(const struct host_mesh *m, int64_t least)
{
	struct mesh_cavity cavity;
	uint32_t kept = 0;
	for (uint32_t t = 0; t < m->triangles; t++)
		if (is_bad(&m->mesh, t, least)) {
			if (mesh_plan(&m->mesh, &cavity, t, least) != MESH_KEEP)
				fail("triangle %u is bad and could be refined", t);
			kept++;
		}
	return kept;
}

static uint32_t count_bad(const struct host_mesh *m, int64_t least)
{
	uint32_t bad = 0;
	for (uint32_t t = 0; t < m->triangles; t++)
		bad += is_bad(&m->mesh, t, least);
	return bad;
}

/* ---- The device ---- */

static void refuse_faults(uint32_t fault)
{
	if (fault == 1)
		fail("there is no room for more than %u times the points", ROOM);
	if (fault == 2)
		fail("a point is in the circles of more than %u triangles", MESH_MOST);
}

/* Refines the mesh; how many times it was swept. */
static uint32_t refine(struct persistent *p, struct host_mesh *m, cl_uint least)
{
	uint32_t words[WORDS] = {[WORD_POINTS] = m->points, [WORD_TRIANGLES] = m->triangles};
	size_t point_bytes = m->most_points * sizeof *m->mesh.points;
	size_t triangle_bytes = m->most_triangles * sizeof *m->mesh.triangles;
	cl_mem points = gpu_buffer(&p->gpu, point_bytes, m->mesh.points);
	cl_mem triangles = gpu_buffer(&p->gpu, triangle_bytes, m->mesh.triangles);
	cl_mem owner = gpu_filled(&p->gpu, m->most_triangles, 0), listed = gpu_filled(&p->gpu, m->most_triangles, 0);
	cl_mem lists = gpu_filled(&p->gpu, 2 * (size_t)m->most_triangles, 0);
	cl_mem device_words = gpu_buffer(&p->gpu, sizeof words, words);
	PERSISTENT_LAUNCH(p, "dmr", ARGUMENT(points), ARGUMENT(triangles), ARGUMENT(owner), ARGUMENT(listed),
		ARGUMENT(lists), ARGUMENT(device_words), ARGUMENT(m->most_points), ARGUMENT(m->most_triangles),
		ARGUMENT(least));
	persistent_finish(p);
	gpu_read(&p->gpu, device_words, sizeof words, words);
	refuse_faults(words[WORD_FAULT]);
	m->points = words[WORD_POINTS];
	m->triangles = words[WORD_TRIANGLES];
	gpu_read(&p->gpu, points, point_bytes, m->mesh.points);
	gpu_read(&p->gpu, triangles, triangle_bytes, m->mesh.triangles);
	cl_mem buffers[] = {points, triangles, owner, listed, lists, device_words};
	for (size_t k = 0; k < COUNT(buffers); k++)
		gpu_free(buffers[k]);
	return words[WORD_SWEEPS];
}

/* Points that the mesh began with are where they were. */
static void check_points(const struct host_mesh *m, const struct mesh_point *before, uint32_t count)
{
	for (uint32_t k = 0; k < count; k++)
		if (m->mesh.points[k].x != before[k].x || m->mesh.points[k].y != before[k].y)
			fail("point %u has moved", k);
}

static void run(struct persistent *p, struct host_mesh *m, uint32_t least)
{
	uint32_t points = m->points;
	struct mesh_point *before = allocate(points, sizeof *before);
	memcpy(before, m->mesh.points, points * sizeof *before);
	check_mesh(m);
	printf("%u triangles, %u of them bad\n", m->triangles, count_bad(m, least));
	uint32_t sweeps = refine(p, m, least);
	check_points(m, before, points);
	check_mesh(m);
	printf("%u triangles in %u sweeps, %u of them bad\n", m->triangles, sweeps, check_quality(m, least));
	free(before);
}

int main(int argc, char **argv)
{
	struct number numbers[] = {
		PERSISTENT_OPTIONS,
		[POINTS] = {"points", "at random, to begin with", 200, 20000, 1, 1 << 20, 0},
		[LEAST] = {"least", "shortest side of a triangle that is refined; the square's side is 16,384", 32, 32,
			2, MESH_SIDE, 0},
	};
	struct choice form = PERSISTENT_FORM;
	uint64_t seed = options_read_choice(
		argc, argv, "Delaunay mesh refinement, in one launch", numbers, COUNT(numbers), &form);
	struct host_mesh mesh = begin((uint32_t)numbers[POINTS].value, seed);
	struct persistent p = persistent_open("dmr.cl", "", (enum persistent_form)form.value, numbers);
	run(&p, &mesh, (uint32_t)numbers[LEAST].value);
	persistent_close(&p);
	free(mesh.mesh.points);
	free(mesh.mesh.triangles);
	return pass();
}
