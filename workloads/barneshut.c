/* BarnesHut: the octree of bodies in a cube is built (TB, a lock on each child and a barrier between attempts), and the
 * bodies are sorted in its order (ST, wait and signal: paper 2, Section V and Fig. 6c).  The built tree must be the
 * host's, which no order of insertions changes but for the cells' numbers; the order of bodies that of a walk through
 * it. */
#include "common.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EMPTY (-1) /* as in barneshut.cl */
#define FREE (-1)  /* a lock that nobody has */
#define DEPTH 64   /* that no two bodies need to be told apart, positions having 24 bits */

struct body {
	float at[3], mass;
};

struct tree {
	int32_t *children; /* eight a cell: EMPTY, a body, or bodies + a cell */
	int32_t *counts;   /* bodies in a cell */
	int32_t cells, bodies;
};

/* ---- The host's tree ---- */

struct cube {
	float centre[3], reach;
};

static const struct cube unit_cube = {{0.5f, 0.5f, 0.5f}, 0.5f};

static int octant(const struct cube *cube, const struct body *body)
{
	int where = 0;
	for (int k = 0; k < 3; k++)
		where |= (body->at[k] > cube->centre[k]) << k;
	return where;
}

static void narrow(struct cube *cube, int where)
{
	cube->reach *= 0.5f;
	for (int k = 0; k < 3; k++)
		cube->centre[k] += where >> k & 1 ? cube->reach : -cube->reach;
}

static void insert(struct tree *tree, const struct body *bodies, int32_t body, int32_t room)
{
	struct cube cube = unit_cube;
	int32_t node = 0;
	for (int depth = 0; depth < DEPTH; depth++) {
		int where = octant(&cube, &bodies[body]);
		int32_t *child = &tree->children[node * 8 + where];
		if (*child == EMPTY) {
			*child = body;
			return;
		}
		narrow(&cube, where);
		if (*child < tree->bodies) {
			int32_t other = *child;
			if (tree->cells == room)
				fail("the tree needs more than %d cells", room);
			*child = tree->bodies + tree->cells;
			tree->children[tree->cells++ * 8 + octant(&cube, &bodies[other])] = other;
		}
		node = *child - tree->bodies;
	}
	fail("two bodies are at one place");
}

static struct tree tree_new(int32_t bodies, int32_t room)
{
	struct tree tree = {allocate((size_t)room * 8, 4), allocate((size_t)room, 4), 1, bodies};
	memset(tree.children, -1, (size_t)room * 8 * sizeof *tree.children);
	return tree;
}

static void tree_free(struct tree *tree)
{
	free(tree->children);
	free(tree->counts);
}

/* Cells come before those within them. */
static void count_bodies(struct tree *tree)
{
	for (int32_t cell = tree->cells; cell-- > 0;)
		for (int k = 0; k < 8; k++) {
			int32_t child = tree->children[cell * 8 + k];
			if (child >= tree->bodies)
				tree->counts[cell] += tree->counts[child - tree->bodies];
			else
				tree->counts[cell] += child != EMPTY;
		}
}

/* ---- TB ---- */

/* Fails where the trees differ; the mass of all bodies within `found`. */
static double compare(
	const struct tree *tree, int32_t cell, const struct tree *found, int32_t other, const struct body *bodies)
{
	double mass = 0;
	for (int k = 0; k < 8; k++) {
		int32_t a = tree->children[cell * 8 + k], b = found->children[other * 8 + k];
		if (a >= tree->bodies && b >= tree->bodies && b - tree->bodies < found->cells) {
			mass += compare(tree, a - tree->bodies, found, b - tree->bodies, bodies);
		} else {
			if (a != b)
				fail("tb: octant %d of cell %d is %d, not %d", k, other, b, a);
			mass += a == EMPTY ? 0 : (double)bodies[a].mass;
		}
	}
	return mass;
}

enum sync { DEFERRED, ATOMICS, LOCKS, TRY };
static const char *const sync_words[] = {"deferred", "atomics", "locks", "try", NULL};
static const char *const build_kernels[] = {"build", "build_atomics", "build_locks", "build_try"};

static void check_build(const struct tree *tree, const struct tree *found, const struct body *bodies)
{
	if (found->cells != tree->cells)
		fail("tb: the tree has %d cells, not %d", found->cells, tree->cells);
	double mass = compare(tree, 0, found, 0, bodies), all = 0;
	for (int32_t k = 0; k < tree->bodies; k++)
		all += (double)bodies[k].mass;
	if (mass != all) /* whole numbers: exact in any order */
		fail("tb: the tree has mass %g, the bodies %g", mass, all);
}

/* Each body needs one critical section, and there are those in which nothing was inserted (paper 1, Figure 7.2). */
static void print_sections(const struct gpu *gpu, cl_mem in_vain, int32_t bodies, size_t threads)
{
	int32_t *of_threads = allocate(threads, sizeof *of_threads);
	int64_t sum = 0;
	gpu_read(gpu, in_vain, threads * sizeof *of_threads, of_threads);
	for (size_t k = 0; k < threads; k++)
		sum += of_threads[k];
	printf("tb: %lld of %lld critical sections inserted nothing\n", (long long)sum, (long long)(bodies + sum));
	free(of_threads);
}

static void check_locks(const struct gpu *gpu, cl_mem locks, size_t count)
{
	int32_t *words = allocate(count, sizeof *words);
	gpu_read(gpu, locks, count * sizeof *words, words);
	for (size_t k = 0; k < count; k++)
		if (words[k] != FREE)
			fail("tb: the lock of octant %zu of cell %zu is still taken", k % 8, k / 8);
	free(words);
}

static void run_build(const struct gpu *gpu, enum sync sync, const struct tree *tree, const struct body *bodies,
	int32_t room, size_t threads, size_t group)
{
	int32_t count = tree->bodies;
	size_t words = (size_t)room * 8;
	struct tree found = tree_new(count, room);
	cl_mem device_bodies = gpu_buffer(gpu, (size_t)count * sizeof *bodies, bodies);
	cl_mem children = gpu_filled(gpu, words, EMPTY), cells = gpu_filled(gpu, 1, 1);
	if (sync == LOCKS || sync == TRY) {
		cl_mem locks = gpu_filled(gpu, words, FREE), in_vain = gpu_filled(gpu, threads, 0);
		GPU_LAUNCH(gpu, build_kernels[sync], threads, group, ARGUMENT(device_bodies), ARGUMENT(children),
			ARGUMENT(cells), ARGUMENT(count), ARGUMENT(room), ARGUMENT(locks), ARGUMENT(in_vain));
		print_sections(gpu, in_vain, count, threads);
		check_locks(gpu, locks, words);
		gpu_free(locks);
		gpu_free(in_vain);
	} else {
		GPU_LAUNCH(gpu, build_kernels[sync], threads, group, ARGUMENT(device_bodies), ARGUMENT(children),
			ARGUMENT(cells), ARGUMENT(count), ARGUMENT(room));
	}
	gpu_read(gpu, children, words * sizeof *found.children, found.children);
	gpu_read(gpu, cells, sizeof found.cells, &found.cells);
	check_build(tree, &found, bodies);
	tree_free(&found);
	gpu_free(device_bodies);
	gpu_free(children);
	gpu_free(cells);
}

/* ---- ST ---- */

/* Compares the bodies from sorted[at] on with those of the cell; where the next follow. */
static int32_t walk(const struct tree *tree, int32_t cell, const int32_t *sorted, int32_t at)
{
	for (int k = 0; k < 8; k++) {
		int32_t child = tree->children[cell * 8 + k];
		if (child >= tree->bodies) {
			at = walk(tree, child - tree->bodies, sorted, at);
		} else if (child != EMPTY) {
			if (sorted[at] != child)
				fail("st: place %d has body %d, not %d", at, sorted[at], child);
			at++;
		}
	}
	return at;
}

static void run_sort(const struct gpu *gpu, const struct tree *tree, size_t threads, size_t group)
{
	int32_t count = tree->bodies, cells = tree->cells;
	size_t cell_bytes = (size_t)cells * sizeof *tree->counts;
	int32_t *starts = allocate((size_t)cells, 4), *sorted = allocate((size_t)count, 4);
	memset(starts, -1, cell_bytes);
	starts[0] = 0;
	cl_mem children = gpu_buffer(gpu, cell_bytes * 8, tree->children),
	       counts = gpu_buffer(gpu, cell_bytes, tree->counts);
	cl_mem device_starts = gpu_buffer(gpu, cell_bytes, starts),
	       device_sorted = gpu_filled(gpu, (size_t)count, EMPTY);
	GPU_LAUNCH(gpu, "sort", threads, group, ARGUMENT(children), ARGUMENT(counts), ARGUMENT(device_starts),
		ARGUMENT(device_sorted), ARGUMENT(count), ARGUMENT(cells));
	gpu_read(gpu, device_sorted, (size_t)count * sizeof *sorted, sorted);
	if (walk(tree, 0, sorted, 0) != count)
		fail("st: the tree has not all of the bodies");
	free(starts);
	free(sorted);
	gpu_free(children);
	gpu_free(counts);
	gpu_free(device_starts);
	gpu_free(device_sorted);
}

int main(int argc, char **argv)
{
	/* The threads of ST must all be on the GPU at once: any may wait for any other.  7,680 are 512 a core of a GTX
	 * 480. */
	struct number numbers[] = {
		{"bodies", "in a cube", 2048, 30000, 1, 1 << 22, 0},
		{"threads", "of each kernel; all must be resident", 1024, 7680, 1, 1 << 20, 0},
		{"group", "threads of a work-group", 128, 256, 1, 1024, 0},
		{"tb", "0 leaves tree building out", 1, 1, 0, 1, 0},
		{"st", "0 leaves sorting out", 1, 1, 0, 1, 0},
	};
	struct choice sync = {"sync", "tb: compare-and-swap, released behind the barrier or at once; lock instructions",
		sync_words, DEFERRED};
	uint64_t random = options_read_choice(
		argc, argv, "an octree of bodies: locks, wait and signal", numbers, COUNT(numbers), &sync);
	int32_t count = (int32_t)numbers[0].value, room = 2 * count + DEPTH;
	size_t threads = (size_t)numbers[1].value, group = (size_t)numbers[2].value;
	if (threads % group)
		options_refuse("--threads %zu: expected a multiple of --group %zu", threads, group);

	struct body *bodies = allocate((size_t)count, sizeof *bodies);
	struct tree tree = tree_new(count, room);
	for (int32_t k = 0; k < count; k++) {
		for (int axis = 0; axis < 3; axis++)
			bodies[k].at[axis] = random_unit(&random);
		bodies[k].mass = (float)(1 + random_below(&random, 100));
	}
	for (int32_t k = 0; k < count; k++)
		insert(&tree, bodies, k, room);
	count_bodies(&tree);
	struct gpu gpu = gpu_open("barneshut.cl", "");
	if (numbers[3].value)
		run_build(&gpu, (enum sync)sync.value, &tree, bodies, room, threads, group);
	if (numbers[4].value)
		run_sort(&gpu, &tree, threads, group);
	free(bodies);
	tree_free(&tree);
	gpu_close(&gpu);
	return pass();
}
