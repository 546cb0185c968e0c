/* Distances between points. */
#include "plain.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

#define CLUSTERS 5
#define FEATURES 8

/* Feature f of point k stands at [f * items + k]. */
static float distance_to(const float *points, uint32_t items, uint32_t point, const float *centre, uint32_t step)
{
	float distance = 0;
	for (uint32_t f = 0; f < FEATURES; f++) {
		float apart = points[f * items + point] - centre[f * step];
		distance += apart * apart;
	}
	return distance;
}

/* Two centres may be equally near, up to rounding: the chosen one must be as near as the nearest. */
static void check_nearest(const int32_t *found, const float *points, const float *centres, uint32_t items)
{
	for (uint32_t k = 0; k < items; k++) {
		float least = FLT_MAX;
		for (uint32_t c = 0; c < CLUSTERS; c++)
			least = fminf(least, distance_to(points, items, k, centres + c * FEATURES, 1));
		if (found[k] < 0 || found[k] >= CLUSTERS)
			fail("kmeans: point %u is in cluster %d of %d", k, found[k], CLUSTERS);
		float chosen = distance_to(points, items, k, centres + found[k] * FEATURES, 1);
		if (!(chosen <= least * 1.0001f))
			fail("kmeans: point %u is %g away from its centre, %g from the nearest", k, (double)chosen,
				(double)least);
	}
}

void plain_kmeans(struct plain *p)
{
	uint32_t items = p->items, clusters = CLUSTERS, features = FEATURES;
	float *points = plain_floats(p, (size_t)items * FEATURES, 0, 10);
	float *centres = plain_floats(p, CLUSTERS * FEATURES, 0, 10);
	int32_t *found = allocate(items, sizeof *found);
	cl_mem device_points = gpu_buffer(&p->gpu, (size_t)items * FEATURES * sizeof *points, points);
	cl_mem device_centres = gpu_buffer(&p->gpu, CLUSTERS * FEATURES * sizeof *centres, centres);
	cl_mem nearest = gpu_filled(&p->gpu, items, -1);
	GPU_LAUNCH(&p->gpu, "kmeans", items, 128, ARGUMENT(device_points), ARGUMENT(device_centres), ARGUMENT(nearest),
		ARGUMENT(items), ARGUMENT(clusters), ARGUMENT(features));
	gpu_read(&p->gpu, nearest, items * sizeof *found, found);
	check_nearest(found, points, centres, items);
	free(points);
	free(centres);
	free(found);
	gpu_free(device_points);
	gpu_free(device_centres);
	gpu_free(nearest);
}

void plain_nn(struct plain *p)
{
	uint32_t items = p->items;
	const float x = 30, y = 60;
	float *places = plain_floats(p, (size_t)items * 2, 0, 100), *expected = allocate(items, sizeof *expected);
	for (uint32_t k = 0; k < items; k++)
		expected[k] = hypotf(places[2 * k] - x, places[2 * k + 1] - y);
	cl_mem from = gpu_buffer(&p->gpu, (size_t)items * 2 * sizeof *places, places);
	cl_mem distances = gpu_filled(&p->gpu, items, 0);
	GPU_LAUNCH(&p->gpu, "nn", items, 128, ARGUMENT(from), ARGUMENT(distances), ARGUMENT(x), ARGUMENT(y));
	plain_expect_floats(p, distances, expected, items);
	free(places);
	gpu_free(from);
}

#define BOX 32 /* particles, as in plain.cl */

static void add_force(float *sum, const float *me, const float *other)
{
	float apart[3], square = 0;
	for (int k = 0; k < 3; k++) {
		apart[k] = me[k] - other[k];
		square += apart[k] * apart[k];
	}
	float near = other[3] * expf(-square);
	for (int k = 0; k < 3; k++)
		sum[k] += near * apart[k];
	sum[3] += near;
}

void plain_lavamd(struct plain *p)
{
	uint32_t items = p->items, boxes = items / BOX;
	float *particles = plain_floats(p, (size_t)items * 4, 0, 2), *expected = allocate((size_t)items * 4, 4);
	for (uint32_t k = 0; k < items; k++) {
		uint32_t box = k / BOX, first = box ? box - 1 : 0, end = box + 2 < boxes ? box + 2 : boxes;
		for (uint32_t other = first * BOX; other < end * BOX; other++)
			add_force(expected + 4 * k, particles + 4 * k, particles + 4 * other);
	}
	cl_mem from = gpu_buffer(&p->gpu, (size_t)items * 4 * sizeof *particles, particles);
	cl_mem forces = gpu_filled(&p->gpu, (size_t)items * 4, 0);
	GPU_LAUNCH(&p->gpu, "lavamd", items, BOX, ARGUMENT(from), ARGUMENT(forces));
	plain_expect_floats(p, forces, expected, (size_t)items * 4);
	free(particles);
	gpu_free(from);
}

void plain_streamcluster(struct plain *p)
{
	uint32_t items = p->items, features = FEATURES, candidate = items / 3;
	float *points = plain_floats(p, (size_t)items * FEATURES, 0, 10), *costs = plain_floats(p, items, 0, 200);
	float *expected = allocate(items, sizeof *expected);
	for (uint32_t k = 0; k < items; k++)
		expected[k] = fmaxf(0, costs[k] - distance_to(points, items, k, points + candidate, items));
	cl_mem device_points = gpu_buffer(&p->gpu, (size_t)items * FEATURES * sizeof *points, points);
	cl_mem device_costs = gpu_buffer(&p->gpu, items * sizeof *costs, costs),
	       savings = gpu_filled(&p->gpu, items, 0);
	GPU_LAUNCH(&p->gpu, "streamcluster", items, 128, ARGUMENT(device_points), ARGUMENT(device_costs),
		ARGUMENT(savings), ARGUMENT(items), ARGUMENT(features), ARGUMENT(candidate));
	plain_expect_floats(p, savings, expected, items);
	free(points);
	free(costs);
	gpu_free(device_points);
	gpu_free(device_costs);
}
