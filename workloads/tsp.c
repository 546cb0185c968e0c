/* TSP: many climbers look for a short tour of all cities, and write down the best under a global lock (paper 2, Section
 * V and Fig. 6b).  The host climbs as well: the best tour must be the best of all climbers, the first of equals, and
 * its length what its cities say. */
#include "common.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#define MAP 10000.0f /* cities lie in a square of this side: a distance has 16 bits */

static void draw_map(uint16_t *distances, uint32_t cities, uint64_t random)
{
	float *x = allocate(cities, sizeof *x), *y = allocate(cities, sizeof *y);
	for (uint32_t k = 0; k < cities; k++) {
		x[k] = random_unit(&random) * MAP;
		y[k] = random_unit(&random) * MAP;
	}
	for (uint32_t k = 0; k < cities; k++)
		for (uint32_t j = 0; j < cities; j++)
			distances[k * cities + j] = (uint16_t)hypotf(x[k] - x[j], y[k] - y[j]);
	free(x);
	free(y);
}

static int32_t length_of(const uint16_t *distances, const uint8_t *tour, uint32_t cities)
{
	int32_t length = 0;
	for (uint32_t k = 0; k < cities; k++)
		length += distances[tour[k] * cities + tour[(k + 1) % cities]];
	return length;
}

/* Makes the best 2-opt move, the first of equals; false when none shortens the tour. */
static bool improve(const uint16_t *distances, uint8_t *tour, uint32_t cities)
{
	int32_t best = 0;
	uint32_t first = 0, last = 0;
	for (uint32_t i = 0; i < cities; i++)
		for (uint32_t j = i + 2; j < cities; j++) {
			uint8_t a = tour[i], b = tour[i + 1], c = tour[j], d = tour[(j + 1) % cities];
			int32_t change = distances[a * cities + c] + distances[b * cities + d] -
					 distances[a * cities + b] - distances[c * cities + d];
			if (change < best && d != a) {
				best = change;
				first = i + 1;
				last = j;
			}
		}
	for (uint32_t i = first, j = last; i < j; i++, j--) {
		uint8_t city = tour[i];
		tour[i] = tour[j];
		tour[j] = city;
	}
	return best < 0;
}

/* The tour at which this climber ends; its length. */
static int32_t climb(const uint16_t *distances, uint8_t *tour, uint32_t cities, uint64_t seed)
{
	uint64_t random = random_next(&seed);
	for (uint32_t k = 0; k < cities; k++)
		tour[k] = (uint8_t)k;
	for (uint32_t k = cities - 1; k > 0; k--) {
		uint32_t other = random_below(&random, k + 1);
		uint8_t city = tour[k];
		tour[k] = tour[other];
		tour[other] = city;
	}
	while (improve(distances, tour, cities))
		;
	return length_of(distances, tour, cities);
}

static void check(const uint16_t *distances, const int32_t *best, uint32_t cities, uint32_t climbers, uint64_t seed)
{
	uint8_t tour[256], seen[256] = {0};
	int32_t shortest = INT32_MAX;
	uint32_t who = 0;
	for (uint32_t k = 0; k < climbers; k++) {
		int32_t length = climb(distances, tour, cities, seed + k);
		if (length < shortest) {
			shortest = length;
			who = k;
		}
	}
	if (best[0] != shortest || best[1] != (int32_t)who)
		fail("best is %d of climber %d, %d of climber %u on the host", best[0], best[1], shortest, who);
	if (best[2] != (int32_t)climbers)
		fail("%d of %u climbers are counted: they did not come to the best one by one", best[2], climbers);
	for (uint32_t k = 0; k < cities; k++) {
		if (best[3 + k] < 0 || best[3 + k] >= (int32_t)cities || seen[best[3 + k]]++)
			fail("the best tour does not visit each city once");
		tour[k] = (uint8_t)best[3 + k];
	}
	if (length_of(distances, tour, cities) != shortest)
		fail("the best tour has length %d, not %d", length_of(distances, tour, cities), shortest);
}

int main(int argc, char **argv)
{
	struct number numbers[] = {
		{"cities", "of a tour", 16, 76, 4, 255, 0},
		{"climbers", "each a thread", 512, 3000, 1, 1 << 20, 0},
		{"group", "threads of a work-group", 128, 128, 1, 1024, 0},
	};
	uint64_t random =
		options_read(argc, argv, "travelling salesman by 2-opt, a global lock", numbers, COUNT(numbers));
	uint32_t cities = (uint32_t)numbers[0].value, climbers = (uint32_t)numbers[1].value;
	size_t group = (size_t)numbers[2].value, threads = (climbers + group - 1) / group * group;

	uint16_t *distances = allocate((size_t)cities * cities, sizeof *distances);
	cl_ulong seed = random_next(&random);
	draw_map(distances, cities, random);
	struct gpu gpu = gpu_open("tsp.cl", "");
	cl_mem map = gpu_buffer(&gpu, (size_t)cities * cities * sizeof *distances, distances);
	cl_mem tours = gpu_buffer(&gpu, cities * threads, NULL), lock = gpu_filled(&gpu, 1, 0);
	int32_t found[3 + 255] = {INT32_MAX, INT32_MAX, 0};
	cl_mem best = gpu_buffer(&gpu, (3 + cities) * sizeof *found, found);
	GPU_LAUNCH(&gpu, "climb", threads, group, ARGUMENT(map), ARGUMENT(tours), ARGUMENT(lock), ARGUMENT(best),
		ARGUMENT(cities), ARGUMENT(climbers), ARGUMENT(seed));

	gpu_read(&gpu, best, (3 + cities) * sizeof *found, found);
	check(distances, found, cities, climbers, seed);
	free(distances);
	gpu_free(map);
	gpu_free(tours);
	gpu_free(lock);
	gpu_free(best);
	gpu_close(&gpu);
	return pass();
}
