/* Stencils and dynamic programming. */
#include "plain.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define STEPS 4    /* of a stencil; even, so that the result is where the input was */
#define TOGETHER 2 /* of hotspot in a launch; STEPS are an even number of them */

/* As in plain.cl. */
#define PATH_GROUP 32
#define PATH_ROWS 4
#define WAVE 16

static float at(const float *grid, int32_t row, int32_t column, int32_t side)
{
	row = row < 0 ? 0 : row < side ? row : side - 1;
	column = column < 0 ? 0 : column < side ? column : side - 1;
	return grid[row * side + column];
}

void plain_hotspot(struct plain *p)
{
	uint32_t side = p->side;
	int32_t n = (int32_t)side;
	size_t count = (size_t)side * side, bytes = count * sizeof(float);
	float *heat = plain_floats(p, count, 300, 350), *power = plain_floats(p, count, 0, 1);
	float *next = allocate(count, sizeof *next);
	cl_mem grids[] = {gpu_buffer(&p->gpu, bytes, heat), gpu_buffer(&p->gpu, bytes, NULL)};
	cl_mem device_power = gpu_buffer(&p->gpu, bytes, power);
	const int32_t together = TOGETHER;
	uint32_t inner = 16 - 2 * TOGETHER, threads = (side + inner - 1) / inner * 16;
	for (int launch = 0; launch < STEPS / TOGETHER; launch++)
		GPU_LAUNCH_2D(&p->gpu, "hotspot", threads, threads, 16, 16, ARGUMENT(grids[launch % 2]),
			ARGUMENT(device_power), ARGUMENT(grids[1 - launch % 2]), ARGUMENT(side), ARGUMENT(together));
	for (int step = 0; step < STEPS; step++) {
		for (int32_t row = 0; row < n; row++)
			for (int32_t column = 0; column < n; column++) {
				float here = heat[row * n + column];
				float around = at(heat, row - 1, column, n) + at(heat, row + 1, column, n) +
					       at(heat, row, column - 1, n) + at(heat, row, column + 1, n);
				next[row * n + column] =
					here + 0.1f * (around - 4 * here) + 0.05f * power[row * n + column];
			}
		memcpy(heat, next, bytes);
	}
	plain_expect_floats(p, grids[0], heat, count);
	free(power);
	free(next);
	gpu_free(grids[1]);
	gpu_free(device_power);
}

static void srad_step(const float *image, float *coefficients, float *next, int32_t n, float speckle)
{
	for (int32_t row = 0; row < n; row++)
		for (int32_t column = 0; column < n; column++) {
			float here = image[row * n + column], squares = 0, sum = 0;
			for (int side = 0; side < 4; side++) {
				float apart = at(image, row + (side == 1) - (side == 0),
						      column + (side == 3) - (side == 2), n) -
					      here;
				squares += apart * apart;
				sum += apart;
			}
			float laplacian = sum / here, denominator = 1 + 0.25f * laplacian;
			float variation = (0.5f * squares / (here * here) - 0.0625f * laplacian * laplacian) /
					  (denominator * denominator);
			float coefficient = 1 / (1 + (variation - speckle) / (speckle * (1 + speckle)));
			coefficients[row * n + column] = fminf(fmaxf(coefficient, 0), 1);
		}
	for (int32_t row = 0; row < n; row++)
		for (int32_t column = 0; column < n; column++) {
			float here = image[row * n + column], c = coefficients[row * n + column];
			float south = at(coefficients, row + 1, column, n), east = at(coefficients, row, column + 1, n);
			float flow = c * (at(image, row - 1, column, n) + at(image, row, column - 1, n) - 2 * here) +
				     south * (at(image, row + 1, column, n) - here) +
				     east * (at(image, row, column + 1, n) - here);
			next[row * n + column] = here + 0.125f * flow;
		}
}

void plain_srad(struct plain *p)
{
	uint32_t side = p->side;
	size_t count = (size_t)side * side, bytes = count * sizeof(float);
	const float speckle = 0.05f;
	float *image = plain_floats(p, count, 1, 2), *coefficients = allocate(count, sizeof *coefficients);
	float *next = allocate(count, sizeof *next);
	cl_mem images[] = {gpu_buffer(&p->gpu, bytes, image), gpu_buffer(&p->gpu, bytes, NULL)};
	cl_mem device_coefficients = gpu_buffer(&p->gpu, bytes, NULL);
	for (int step = 0; step < STEPS; step++) {
		cl_mem from = images[step % 2], to = images[1 - step % 2];
		GPU_LAUNCH_2D(&p->gpu, "srad_coefficients", side, side, 16, 16, ARGUMENT(from),
			ARGUMENT(device_coefficients), ARGUMENT(side), ARGUMENT(speckle));
		GPU_LAUNCH_2D(&p->gpu, "srad_update", side, side, 16, 16, ARGUMENT(from), ARGUMENT(device_coefficients),
			ARGUMENT(to), ARGUMENT(side));
		srad_step(image, coefficients, next, (int32_t)side, speckle);
		memcpy(image, next, bytes);
	}
	plain_expect_floats(p, images[0], image, count);
	free(coefficients);
	free(next);
	gpu_free(images[1]);
	gpu_free(device_coefficients);
}

static int32_t least_of(const int32_t *sums, uint32_t column, uint32_t side)
{
	int32_t least = sums[column];
	if (column > 0 && sums[column - 1] < least)
		least = sums[column - 1];
	if (column + 1 < side && sums[column + 1] < least)
		least = sums[column + 1];
	return least;
}

void plain_pathfinder(struct plain *p)
{
	uint32_t side = p->side;
	int32_t *costs = plain_ints(p, (size_t)side * side, 10), *sums = allocate(side, 4), *next = allocate(side, 4);
	memcpy(sums, costs, side * sizeof *sums);
	cl_mem device_costs = gpu_buffer(&p->gpu, (size_t)side * side * sizeof *costs, costs);
	cl_mem rows[] = {gpu_buffer(&p->gpu, side * sizeof *sums, sums), gpu_filled(&p->gpu, side, 0)};
	uint32_t inner = PATH_GROUP - 2 * PATH_ROWS, threads = (side + inner - 1) / inner * PATH_GROUP, launches = 0;
	for (uint32_t row = 1; row < side; row += PATH_ROWS, launches++) {
		uint32_t together = side - row < PATH_ROWS ? side - row : PATH_ROWS;
		GPU_LAUNCH(&p->gpu, "pathfinder", threads, PATH_GROUP, ARGUMENT(device_costs),
			ARGUMENT(rows[launches % 2]), ARGUMENT(rows[1 - launches % 2]), ARGUMENT(side), ARGUMENT(row),
			ARGUMENT(together));
	}
	for (uint32_t row = 1; row < side; row++) {
		for (uint32_t column = 0; column < side; column++)
			next[column] = least_of(sums, column, side) + costs[row * side + column];
		memcpy(sums, next, side * sizeof *sums);
	}
	plain_expect_ints(p, rows[launches % 2], sums, side);
	free(costs);
	free(next);
	gpu_free(device_costs);
	gpu_free(rows[1 - launches % 2]);
}

void plain_wavefront(struct plain *p)
{
	uint32_t side = p->side, pitch = side + 1;
	const int32_t gap = 6;
	int32_t *alike = plain_ints(p, (size_t)side * side, 10), *scores = allocate((size_t)pitch * pitch, 4);
	for (uint32_t k = 0; k <= side; k++)
		scores[k] = scores[k * pitch] = -(int32_t)k * gap;
	cl_mem device_alike = gpu_buffer(&p->gpu, (size_t)side * side * sizeof *alike, alike);
	cl_mem device_scores = gpu_buffer(&p->gpu, (size_t)pitch * pitch * sizeof *scores, scores);
	uint32_t tiles = side / WAVE;
	for (uint32_t diagonal = 0; diagonal < 2 * tiles - 1; diagonal++) {
		uint32_t first = diagonal < tiles ? 0 : diagonal - tiles + 1,
			 last = diagonal < tiles ? diagonal : tiles - 1;
		GPU_LAUNCH(&p->gpu, "wavefront", (size_t)(last - first + 1) * WAVE, WAVE, ARGUMENT(device_alike),
			ARGUMENT(device_scores), ARGUMENT(side), ARGUMENT(diagonal), ARGUMENT(first), ARGUMENT(gap));
	}
	for (uint32_t row = 0; row < side; row++)
		for (uint32_t column = 0; column < side; column++) {
			int32_t *to = scores + (row + 1) * pitch + column + 1, *north = to - pitch;
			int32_t aside = (to[-1] > north[0] ? to[-1] : north[0]) - gap;
			int32_t both = north[-1] + alike[row * side + column];
			*to = both > aside ? both : aside;
		}
	plain_expect_ints(p, device_scores, scores, (size_t)pitch * pitch);
	free(alike);
	gpu_free(device_alike);
}
