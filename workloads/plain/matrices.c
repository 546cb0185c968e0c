/* Products and eliminations. */
#include "plain.h"

#include <math.h>
#include <stdlib.h>

#define LUD_TILE 16 /* as in plain.cl */

void plain_backprop(struct plain *p)
{
	uint32_t side = p->side;
	float *inputs = plain_floats(p, side, 0, 1), *weights = plain_floats(p, (size_t)side * side, -1, 1);
	float *expected = allocate(side, sizeof *expected);
	for (uint32_t neuron = 0; neuron < side; neuron++) {
		float sum = 0;
		for (uint32_t k = 0; k < side; k++)
			sum += inputs[k] * weights[neuron * side + k];
		expected[neuron] = 1 / (1 + expf(-sum));
	}
	cl_mem from = gpu_buffer(&p->gpu, side * sizeof(float), inputs), outputs = gpu_filled(&p->gpu, side, 0);
	cl_mem by = gpu_buffer(&p->gpu, (size_t)side * side * sizeof(float), weights);
	GPU_LAUNCH(&p->gpu, "backprop", (size_t)side * 64, 64, ARGUMENT(from), ARGUMENT(by), ARGUMENT(outputs),
		ARGUMENT(side));
	plain_expect_floats(p, outputs, expected, side);
	free(inputs);
	free(weights);
	gpu_free(from);
	gpu_free(by);
}

/* Random, with a diagonal that outweighs its row, so that no pivot is needed. */
static float *draw_dominant(struct plain *p, uint32_t side)
{
	float *matrix = plain_floats(p, (size_t)side * side, -1, 1);
	for (uint32_t k = 0; k < side; k++)
		matrix[k * side + k] += (float)side;
	return matrix;
}

/* The rows below each step; what is left of the lower triangle is zero, or nearly. */
static void eliminate(float *matrix, float *right, uint32_t side)
{
	for (uint32_t step = 0; step + 1 < side; step++)
		for (uint32_t row = step + 1; row < side; row++) {
			float multiplier = matrix[row * side + step] / matrix[step * side + step];
			for (uint32_t column = step; column < side; column++)
				matrix[row * side + column] -= multiplier * matrix[step * side + column];
			right[row] -= multiplier * right[step];
		}
}

void plain_gaussian(struct plain *p)
{
	uint32_t side = p->side;
	float *matrix = draw_dominant(p, side), *right = plain_floats(p, side, -1, 1);
	cl_mem device_matrix = gpu_buffer(&p->gpu, (size_t)side * side * sizeof(float), matrix);
	cl_mem device_right = gpu_buffer(&p->gpu, side * sizeof(float), right);
	cl_mem multipliers = gpu_filled(&p->gpu, side, 0);
	for (uint32_t step = 0; step + 1 < side; step++) {
		GPU_LAUNCH(&p->gpu, "gaussian_multipliers", side, 16, ARGUMENT(device_matrix), ARGUMENT(multipliers),
			ARGUMENT(side), ARGUMENT(step));
		GPU_LAUNCH_2D(&p->gpu, "gaussian_rows", side, side, 16, 16, ARGUMENT(device_matrix),
			ARGUMENT(device_right), ARGUMENT(multipliers), ARGUMENT(side), ARGUMENT(step));
	}
	eliminate(matrix, right, side);
	plain_expect_floats(p, device_matrix, matrix, (size_t)side * side);
	plain_expect_floats(p, device_right, right, side);
	gpu_free(multipliers);
}

void plain_lud(struct plain *p)
{
	uint32_t side = p->side;
	float *matrix = draw_dominant(p, side);
	cl_mem device = gpu_buffer(&p->gpu, (size_t)side * side * sizeof(float), matrix);
	for (uint32_t first = 0; first < side; first += LUD_TILE) {
		uint32_t rest = side - first - LUD_TILE;
		GPU_LAUNCH(
			&p->gpu, "lud_diagonal", LUD_TILE, LUD_TILE, ARGUMENT(device), ARGUMENT(side), ARGUMENT(first));
		if (!rest)
			break;
		GPU_LAUNCH(&p->gpu, "lud_perimeter", (size_t)rest * 2, (size_t)LUD_TILE * 2, ARGUMENT(device),
			ARGUMENT(side), ARGUMENT(first));
		GPU_LAUNCH_2D(&p->gpu, "lud_internal", rest, rest, LUD_TILE, LUD_TILE, ARGUMENT(device), ARGUMENT(side),
			ARGUMENT(first));
	}
	for (uint32_t step = 0; step + 1 < side; step++)
		for (uint32_t row = step + 1; row < side; row++) {
			matrix[row * side + step] /= matrix[step * side + step];
			for (uint32_t column = step + 1; column < side; column++)
				matrix[row * side + column] -= matrix[row * side + step] * matrix[step * side + column];
		}
	plain_expect_floats(p, device, matrix, (size_t)side * side);
}
