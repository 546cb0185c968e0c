/* plain: sixteen kernels in which no thread waits for another work-group, in the style of Rodinia, which paper 2 runs
 * to see what its detector takes for spinning (Section VI-B).  merge_sort and heartwall have loops that go on by large
 * powers of two. */
#include "plain/plain.h"

static const struct {
	const char *name;
	void (*run)(struct plain *p);
} cases[] = {
	{"backprop", plain_backprop},
	{"bfs", plain_bfs},
	{"gaussian", plain_gaussian},
	{"heartwall", plain_heartwall},
	{"histogram", plain_histogram},
	{"hotspot", plain_hotspot},
	{"kmeans", plain_kmeans},
	{"lavamd", plain_lavamd},
	{"lud", plain_lud},
	{"merge_sort", plain_merge_sort},
	{"nn", plain_nn},
	{"pathfinder", plain_pathfinder},
	{"prefix_sum", plain_prefix_sum},
	{"srad", plain_srad},
	{"streamcluster", plain_streamcluster},
	{"wavefront", plain_wavefront},
};

static void need_power_of_two(const struct number *number)
{
	if (number->value & (number->value - 1))
		options_refuse("--%s %lld: expected a power of two", number->name, (long long)number->value);
}

int main(int argc, char **argv)
{
	/* Paper 2 names no inputs of Rodinia. */
	struct number numbers[] = {
		{"kernel", "this one alone, from 1, in alphabetical order; 0: all", 0, 0, 0, COUNT(cases), 0},
		{"side", "of matrices and grids, a power of two", 32, 256, 16, 4096, 0},
		{"items", "of arrays, a power of two", 4096, 65536, 512, 1 << 24, 0},
	};
	struct plain p = {
		.random = options_read(argc, argv, "sixteen kernels without synchronisation", numbers, COUNT(numbers))};
	size_t only = (size_t)numbers[0].value;
	need_power_of_two(&numbers[1]);
	need_power_of_two(&numbers[2]);
	p.side = (uint32_t)numbers[1].value;
	p.items = (uint32_t)numbers[2].value;
	p.gpu = gpu_open("plain.cl", "");
	for (size_t k = 0; k < COUNT(cases); k++)
		if (!only || only == k + 1) {
			p.name = cases[k].name;
			cases[k].run(&p);
		}
	gpu_close(&p.gpu);
	return pass();
}
