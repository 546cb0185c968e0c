/* NW: Needleman-Wunsch alignment of two sequences, point by point with locks (paper 2, Section V; paper 3, Section 6).
 * NW1 fills the matrix of scores from the first letters on, NW2 that of the remaining scores from the last letters
 * back; within a tile threads wait for each other, tiles of an anti-diagonal are one launch.  Both matrices must be the
 * host's. */
#include "common.h"

#include <stdio.h>
#include <stdlib.h>

struct scoring {
	int32_t match, mismatch, gap;
};

static int32_t larger(int32_t a, int32_t b)
{
	return a > b ? a : b;
}

/* What the device starts from: the points of no letters at all on one side. */
static void fill_edges(int32_t *forwards, int32_t *backwards, uint32_t length, int32_t gap)
{
	uint32_t pitch = length + 1;
	for (uint32_t k = 0; k <= length; k++) {
		forwards[k] = forwards[k * pitch] = -(int32_t)k * gap;
		backwards[length * pitch + length - k] = backwards[(length - k) * pitch + length] = -(int32_t)k * gap;
	}
}

static void fill_serially(
	const uint8_t *a, const uint8_t *b, int32_t *forwards, int32_t *backwards, uint32_t length, struct scoring s)
{
	uint32_t pitch = length + 1;
	for (uint32_t i = 0; i < length; i++)
		for (uint32_t j = 0; j < length; j++) {
			int32_t *to = forwards + (i + 1) * pitch + j + 1;
			int32_t both = to[-(ptrdiff_t)pitch - 1] + (a[i] == b[j] ? s.match : s.mismatch);
			*to = larger(both, larger(to[-1], to[-(ptrdiff_t)pitch]) - s.gap);
		}
	for (uint32_t i = length; i-- > 0;)
		for (uint32_t j = length; j-- > 0;) {
			int32_t *to = backwards + i * pitch + j;
			int32_t both = to[pitch + 1] + (a[i] == b[j] ? s.match : s.mismatch);
			*to = larger(both, larger(to[1], to[pitch]) - s.gap);
		}
}

static void launch_all(const struct gpu *gpu, const char *kernel, cl_mem a, cl_mem b, cl_mem matrix, uint32_t length,
	uint32_t tile, struct scoring s)
{
	uint32_t tiles = length / tile;
	for (uint32_t diagonal = 0; diagonal < 2 * tiles - 1; diagonal++) {
		uint32_t first = diagonal < tiles ? 0 : diagonal - tiles + 1;
		uint32_t last = diagonal < tiles ? diagonal : tiles - 1;
		GPU_LAUNCH_2D(gpu, kernel, (size_t)(last - first + 1) * tile, tile, tile, tile, ARGUMENT(a),
			ARGUMENT(b), ARGUMENT(matrix), ARGUMENT(length), ARGUMENT(diagonal), ARGUMENT(first),
			ARGUMENT(s.match), ARGUMENT(s.mismatch), ARGUMENT(s.gap));
	}
}

static void check(const char *kernel, const int32_t *found, const int32_t *expected, uint32_t length)
{
	uint32_t pitch = length + 1;
	for (uint32_t k = 0; k < pitch * pitch; k++)
		if (found[k] != expected[k])
			fail("%s: point (%u, %u) has %d, not %d", kernel, k / pitch, k % pitch, found[k], expected[k]);
}

int main(int argc, char **argv)
{
	/* Paper 2 names no length; paper 3 goes up to 1984 (Table 3). */
	struct number numbers[] = {
		{"length", "letters of each sequence", 64, 1984, 1, 16384, 0},
		{"tile", "side of a tile; its square is the work-group", 32, 32, 1, 32, 0},
		{"match", "score of two equal letters", 5, 5, -100, 100, 0},
		{"mismatch", "score of two others", -4, -4, -100, 100, 0},
		{"gap", "taken off for a letter against none", 6, 6, 0, 100, 0},
	};
	uint64_t random = options_read(argc, argv, "Needleman-Wunsch, a lock per point", numbers, COUNT(numbers));
	uint32_t length = (uint32_t)numbers[0].value, tile = (uint32_t)numbers[1].value;
	char options[32];
	struct scoring scoring = {(int32_t)numbers[2].value, (int32_t)numbers[3].value, (int32_t)numbers[4].value};
	if (length % tile)
		options_refuse("--length %u: expected a multiple of --tile %u", length, tile);

	size_t points = (size_t)(length + 1) * (length + 1), bytes = points * sizeof(int32_t);
	uint8_t *a = allocate(length, 1), *b = allocate(length, 1);
	for (uint32_t k = 0; k < length; k++) {
		a[k] = (uint8_t)random_below(&random, 4);
		b[k] = (uint8_t)random_below(&random, 4);
	}
	int32_t *forwards = allocate(points, 4), *backwards = allocate(points, 4), *found = allocate(points, 4);
	fill_edges(forwards, backwards, length, scoring.gap);
	snprintf(options, sizeof options, "-DTILE=%u", tile);
	struct gpu gpu = gpu_open("nw.cl", options);
	cl_mem device_a = gpu_buffer(&gpu, length, a), device_b = gpu_buffer(&gpu, length, b);
	cl_mem device_forwards = gpu_buffer(&gpu, bytes, forwards),
	       device_backwards = gpu_buffer(&gpu, bytes, backwards);
	launch_all(&gpu, "nw1", device_a, device_b, device_forwards, length, tile, scoring);
	launch_all(&gpu, "nw2", device_a, device_b, device_backwards, length, tile, scoring);

	fill_serially(a, b, forwards, backwards, length, scoring);
	gpu_read(&gpu, device_forwards, bytes, found);
	check("nw1", found, forwards, length);
	gpu_read(&gpu, device_backwards, bytes, found);
	check("nw2", found, backwards, length);
	if (found[0] != forwards[points - 1])
		fail("the best score is %d forwards and %d backwards", forwards[points - 1], found[0]);
	free(a);
	free(b);
	free(forwards);
	free(backwards);
	free(found);
	gpu_free(device_a);
	gpu_free(device_b);
	gpu_free(device_forwards);
	gpu_free(device_backwards);
	gpu_close(&gpu);
	return pass();
}
