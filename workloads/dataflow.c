/* dataflow: programs whose threads wait for single other threads by lock bits (paper 3, sections 4.4.1 and 6): a scan,
 * and Gauss-Seidel sweeps over a grid.  Both must be the host's. */
#include "common.h"

#include <stdio.h>
#include <stdlib.h>

#define INNER 30u /* of a tile of 32 points a side, whose edges are of other tiles */

/* ---- Scan ---- */

/* A work-group scans its part of the array by itself. */
static void run_scan(const struct gpu *gpu, uint32_t items, uint32_t run, uint64_t random)
{
	uint32_t group = 1024, part = group * run;
	int32_t *from = allocate(items, sizeof *from), *to = allocate(items, sizeof *to);
	cl_uint length = run;
	if (items % part)
		options_refuse("--items %u: expected a multiple of %u (1,024 threads, --run %u)", items, part, run);
	for (uint32_t k = 0; k < items; k++)
		from[k] = (int32_t)random_below(&random, 1000);
	cl_mem from_there = gpu_buffer(gpu, items * sizeof *from, from), to_there = gpu_filled(gpu, items, -1);
	GPU_LAUNCH(gpu, "scan", items / run, group, ARGUMENT(from_there), ARGUMENT(to_there), ARGUMENT(length));
	gpu_read(gpu, to_there, items * sizeof *to, to);
	for (uint32_t k = 0, sum = 0; k < items; k++) {
		sum = (k % part ? sum : 0) + (uint32_t)from[k];
		if (to[k] != (int32_t)sum)
			fail("scan: element %u is %d, not %d", k, to[k], (int32_t)sum);
	}
	free(from);
	free(to);
	gpu_free(from_there);
	gpu_free(to_there);
}

/* ---- Gauss-Seidel ---- */

static void sweep_on_host(int32_t *grid, uint32_t side)
{
	uint32_t pitch = side + 2;
	for (uint32_t y = 1; y <= side; y++)
		for (uint32_t x = 1; x <= side; x++) {
			int32_t *at = &grid[y * pitch + x];
			*at = (at[-(ptrdiff_t)pitch] + at[-1] + at[pitch] + at[1]) / 4;
		}
}

static void sweep_on_device(const struct gpu *gpu, cl_mem grid, uint32_t side)
{
	uint32_t tiles = side / INNER;
	for (uint32_t diagonal = 0; diagonal < 2 * tiles - 1; diagonal++) {
		cl_uint pitch = side + 2, which = diagonal, first = diagonal < tiles ? 0 : diagonal - tiles + 1;
		uint32_t groups = (diagonal < tiles ? diagonal : tiles - 1) - first + 1;
		GPU_LAUNCH_2D(gpu, "sweep", (size_t)groups * 32, 32, 32, 32, ARGUMENT(grid), ARGUMENT(pitch),
			ARGUMENT(which), ARGUMENT(first));
	}
}

static void run_stencil(const struct gpu *gpu, uint32_t side, uint32_t sweeps, uint64_t random)
{
	size_t count = (size_t)(side + 2) * (side + 2);
	int32_t *grid = allocate(count, sizeof *grid), *found = allocate(count, sizeof *found);
	if (side % INNER)
		options_refuse("--side %u: expected a multiple of %u", side, INNER);
	for (size_t k = 0; k < count; k++)
		grid[k] = (int32_t)random_below(&random, 1u << 20);
	cl_mem there = gpu_buffer(gpu, count * sizeof *grid, grid);
	for (uint32_t k = 0; k < sweeps; k++) {
		sweep_on_device(gpu, there, side);
		sweep_on_host(grid, side);
	}
	gpu_read(gpu, there, count * sizeof *found, found);
	for (size_t k = 0; k < count; k++)
		if (found[k] != grid[k])
			fail("stencil: point %zu is %d, not %d", k, found[k], grid[k]);
	free(grid);
	free(found);
	gpu_free(there);
}

int main(int argc, char **argv)
{
	static const char *const programs[] = {"both", "scan", "stencil", NULL};
	struct number numbers[] = {
		{"items", "elements of the scan", 8192, 1 << 20, 1024, 1 << 24, 0},
		{"run", "elements of a thread", 4, 16, 1, 1024, 0},
		{"side", "points of the stencil's grid a side", 60, 480, 30, 3000, 0},
		{"sweeps", "over the grid", 2, 4, 1, 1000, 0},
	};
	struct choice choice = {"program", "what runs", programs, 0};
	uint64_t random = options_read_choice(
		argc, argv, "a scan and Gauss-Seidel sweeps as dataflows", numbers, COUNT(numbers), &choice);
	char options[32];
	/* More than half, so that a core has one work-group. */
	snprintf(options, sizeof options, "-DWORDS=%zu", gpu_local_bytes() / 8 + 64);
	struct gpu gpu = gpu_open("dataflow.cl", options);
	if (choice.value != 2)
		run_scan(&gpu, (uint32_t)numbers[0].value, (uint32_t)numbers[1].value, random);
	if (choice.value != 1)
		run_stencil(&gpu, (uint32_t)numbers[2].value, (uint32_t)numbers[3].value, random);
	gpu_close(&gpu);
	return pass();
}
