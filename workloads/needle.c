/* needle: Needleman-Wunsch in the four forms of paper 3, section 6, in one outer framework, that of Rodinia: sub-grids
 * of (tile - 1) x (tile - 1) points, a launch for each anti-diagonal of them. */
#include "common.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PENALTY 10 /* Rodinia's own */

enum form { FORM_TINY, FORM_DATA, FORM_ATOMIC, FORM_PRIVATE };

struct needle {
	enum form form;
	uint32_t side, tile;
	int32_t *scores, *matrix; /* side x side; (side + 1) x (side + 1), by the host */
};

static uint32_t sub_of(const struct needle *n)
{
	return n->tile - 1;
}

/* ---- On the host ---- */

/* Scores of pairs of letters, as BLOSUM62 has them: -4 to 11. */
static void draw_scores(struct needle *n, uint64_t random)
{
	size_t count = (size_t)n->side * n->side;
	n->scores = allocate(count, sizeof *n->scores);
	for (size_t k = 0; k < count; k++)
		n->scores[k] = (int32_t)random_below(&random, 16) - 4;
}

static int32_t larger(int32_t a, int32_t b)
{
	return a > b ? a : b;
}

/* Row and column 0, which the device is given, too. */
static void fill_edges(const struct needle *n, int32_t *matrix)
{
	size_t row = (size_t)n->side + 1;
	for (uint32_t k = 0; k <= n->side; k++)
		matrix[k] = matrix[k * row] = -(int32_t)k * PENALTY;
}

static void fill_matrix(struct needle *n)
{
	size_t row = (size_t)n->side + 1;
	n->matrix = allocate(row * row, sizeof *n->matrix);
	fill_edges(n, n->matrix);
	for (size_t i = 1; i < row; i++)
		for (size_t j = 1; j < row; j++) {
			int32_t *at = &n->matrix[i * row + j];
			*at = larger(at[-(ptrdiff_t)row - 1] + n->scores[(i - 1) * n->side + j - 1],
				larger(at[-(ptrdiff_t)row], at[-1]) - PENALTY);
		}
}

/* ---- On the device ---- */

static void launch(const struct needle *n, const struct gpu *gpu, cl_mem scores, cl_mem matrix, uint32_t diagonal)
{
	static const char *const kernels[] = {"needle_tiny", "needle_data", "needle_atomic", "needle_private"};
	uint32_t across = n->side / sub_of(n), from = diagonal < across ? 0 : diagonal - across + 1;
	uint32_t groups = (diagonal < across ? diagonal : across - 1) - from + 1;
	uint32_t height = n->form == FORM_DATA ? 1 : n->tile;
	cl_uint side = n->side, which = diagonal, first = from;
	cl_int penalty = PENALTY;
	GPU_LAUNCH_2D(gpu, kernels[n->form], (size_t)groups * n->tile, height, n->tile, height, ARGUMENT(scores),
		ARGUMENT(matrix), ARGUMENT(side), ARGUMENT(which), ARGUMENT(first), ARGUMENT(penalty));
}

static void compare(const struct needle *n, const int32_t *matrix)
{
	size_t row = (size_t)n->side + 1;
	for (size_t k = 0; k < row * row; k++)
		if (matrix[k] != n->matrix[k])
			fail("point %zu, %zu has %d, not %d", k / row, k % row, matrix[k], n->matrix[k]);
}

static void run(const struct needle *n, const struct gpu *gpu)
{
	size_t row = (size_t)n->side + 1, bytes = row * row * sizeof *n->matrix;
	int32_t *matrix = allocate(row * row, sizeof *matrix);
	fill_edges(n, matrix);
	cl_mem scores_there = gpu_buffer(gpu, (size_t)n->side * n->side * sizeof *n->scores, n->scores);
	cl_mem matrix_there = gpu_buffer(gpu, bytes, matrix);
	for (uint32_t d = 0; d < 2 * (n->side / sub_of(n)) - 1; d++)
		launch(n, gpu, scores_there, matrix_there, d);
	gpu_read(gpu, matrix_there, bytes, matrix);
	compare(n, matrix);
	gpu_free(matrix_there);
	gpu_free(scores_there);
	free(matrix);
}

/* ---- Lock bits ---- */

/* Whether `groups` work-groups, one behind another in the local memory of a core with so many bits, have bits of their
 * own, if each uses those of its first `words` words. */
static bool are_apart(uint32_t groups, uint32_t pitch, uint32_t words, uint32_t bits)
{
	for (uint32_t k = 1; k < groups; k++) {
		uint32_t from = k * pitch % bits;
		if (from < words || bits - from < words)
			return false;
	}
	return true;
}

/* The least local memory, at least so many words, the first `used` of which have their bits used, with which all groups
 * that fit into a core have bits of their own: other groups' bits would let a point fire too early, or never. */
static uint32_t words_apart(uint32_t words, uint32_t used, uint32_t bits)
{
	uint32_t room = (uint32_t)(gpu_local_bytes() / 4), pitch = (words + 63) / 64 * 64;
	while (pitch <= room && !are_apart(room / pitch, pitch, used, bits))
		pitch += 64; /* the unit of 256 bytes in which cores give it out */
	return pitch > room ? words : pitch;
}

int main(int argc, char **argv)
{
	static const char *const forms[] = {"tiny", "data", "atomic", "private", NULL};
	struct number numbers[] = {
		{"grid", "points a side, a multiple of tile - 1", 62, 1984, 7, 1984, 0},
		{"tile", "points of a tile a side, edges included: 32, 16 or 8", 32, 32, 8, 32, 0},
		{"bits", "lock bits of a core, by which its work-groups are kept apart", 1024, 1024, 64, 65536, 0},
	};
	struct choice form = {"form", "how points wait for their neighbours", forms, FORM_TINY};
	uint64_t random =
		options_read_choice(argc, argv, "Needleman-Wunsch as a dataflow", numbers, COUNT(numbers), &form);
	struct needle n = {
		.form = (enum form)form.value, .side = (uint32_t)numbers[0].value, .tile = (uint32_t)numbers[1].value};
	bool has_bits = n.form == FORM_TINY || n.form == FORM_PRIVATE; /* else it is for all GPUs */
	char options[48];
	if (n.tile & (n.tile - 1))
		options_refuse("--tile %u: expected 32, 16 or 8", n.tile);
	if (n.side % sub_of(&n))
		options_refuse("--grid %u: expected a multiple of %u (--tile %u less 1)", n.side, sub_of(&n), n.tile);
	if (n.form == FORM_PRIVATE && n.tile > 16)
		options_refuse(
			"--tile %u: expected 16 or 8, as the three channels of a point have a lock bit each", n.tile);
	uint32_t points = n.tile * n.tile; /* with FORM_PRIVATE a point has three channels beside its word */
	uint32_t words = n.form == FORM_PRIVATE ? 4 * points : points;
	uint32_t used = n.form == FORM_PRIVATE ? 3 * points : points;
	if (has_bits)
		snprintf(options, sizeof options, "-DTILE=%u -DWORDS=%u", n.tile,
			words_apart(words, used, (uint32_t)numbers[2].value));
	else
		snprintf(options, sizeof options, "-DTILE=%u -DWITHOUT_BITS", n.tile);
	draw_scores(&n, random);
	fill_matrix(&n);
	struct gpu gpu = gpu_open("needle.cl", options);
	run(&n, &gpu);
	gpu_close(&gpu);
	free(n.scores);
	free(n.matrix);
	return pass();
}
