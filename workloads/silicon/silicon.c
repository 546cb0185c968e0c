/* Cycles of primitives of synchronisation, of memory and of arithmetic, measured on the GPU at hand, a real one or
 * Lockstep's: the method of SyncPerformance (Burtchell and Burtscher, IISWC 2024).  A point is a primitive, its type,
 * threads, groups and, where it has some, stride or footprint.  Two loops that differ in one primitive a place are
 * timed in turn, several times; a figure is the difference of the medians over the runs, of the median over the threads
 * and of the slowest thread, for one operation. */
#include "../driver.h"
#include "options.h"
#include "points.h"
#include "primitives.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* nvcc's image of kernels.cu, which has PTX for any GPU from compute capability 7.5 on.  It is made anew by
 * nvcc -std=c++17 -fatbin -gencode arch=compute_75,code=compute_75 -Xfatbin -compress-all kernels.cu */
__asm__(".pushsection .rodata\n.balign 16\nsilicon_kernels:\n.incbin \"" SILICON_FOLDER
	"/kernels.fatbin\"\n.popsection\n");
extern const char silicon_kernels[];

/* What kernels.cu calls `struct work`. */
struct work {
	device_address words, others;
	uint32_t stride, footprint, warm, iterations, drain, unused;
};

enum { REPEAT_MOST = 99, ITERATIONS_MOST = 1000, WARM_MOST = 1 << 20 };

/* A loop's time: of the median thread and the slowest. */
struct time {
	double median, slowest;
};

/* The device's memory, which is kept from point to point. */
struct memory_pool {
	device_address words, others, ticks, sink;
	size_t words_bytes, others_bytes, ticks_bytes;
	uint32_t *host;  /* ticks */
	uint64_t random; /* state */
	bool drain;
};

static void *host_memory(size_t bytes)
{
	void *at = malloc(bytes);
	if (!at) {
		fprintf(stderr, "silicon: there are no %zu bytes of memory\n", bytes);
		exit(1);
	}
	return at;
}

static void need(device_address *at, size_t *has, size_t bytes)
{
	if (*has >= bytes)
		return;
	if (*has)
		driver_free(*at);
	*at = driver_allocate(bytes);
	*has = bytes;
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

static double median(double *values, size_t count)
{
	qsort(values, count, sizeof *values, by_value);
	return values[count / 2];
}

/* Puts the k-th smallest at its place, with no greater one before it and no smaller one behind (Hoare's quickselect).
 */
static uint32_t select_tick(uint32_t *ticks, size_t count, size_t k)
{
	size_t from = 0, to = count - 1;
	while (from < to) {
		uint32_t pivot = ticks[from + (to - from) / 2];
		size_t low = from, high = to;
		while (low <= high) {
			while (ticks[low] < pivot)
				low++;
			while (ticks[high] > pivot)
				high--;
			if (low > high)
				break;
			uint32_t kept = ticks[low];
			ticks[low++] = ticks[high];
			ticks[high] = kept;
			if (high-- == 0)
				break;
		}
		if (k <= high && high < count)
			to = high;
		else if (k >= low)
			from = low;
		else
			break;
	}
	return ticks[k];
}

/* Of an even number of threads the median is between two. */
static struct time time_of(uint32_t *ticks, size_t count)
{
	uint32_t upper = select_tick(ticks, count, count / 2), slowest = upper, lower = upper;
	if (count % 2 == 0)
		for (size_t k = lower = 0; k < count / 2; k++)
			lower = ticks[k] > lower ? ticks[k] : lower;
	for (size_t k = count / 2; k < count; k++)
		slowest = ticks[k] > slowest ? ticks[k] : slowest;
	return (struct time){.median = (upper + (double)lower) / 2, .slowest = slowest};
}

/* Numbers that are the same in every run: SplitMix64. */
static uint64_t random_next(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15;
	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return z ^ z >> 31;
}

static size_t nodes_of(const struct point *p)
{
	return p->footprint / (p->stride * sizeof(uint64_t));
}

/* One cycle through all nodes, `stride` elements apart: the order is a random permutation (Fisher and Yates). */
static void write_chain(const struct point *p, device_address words)
{
	size_t nodes = nodes_of(p), elements = p->footprint / sizeof(uint64_t);
	uint64_t *image = host_memory(elements * sizeof *image), state = 1;
	uint32_t *order = host_memory(nodes * sizeof *order);
	memset(image, 0, elements * sizeof *image);
	for (size_t k = 0; k < nodes; k++)
		order[k] = (uint32_t)k;
	for (size_t k = nodes - 1; k > 0; k--) {
		size_t other = random_next(&state) % (k + 1);
		uint32_t kept = order[k];
		order[k] = order[other];
		order[other] = kept;
	}
	for (size_t k = 0; k < nodes; k++)
		image[(size_t)order[k] * p->stride] =
			words + (uint64_t)order[(k + 1) % nodes] * p->stride * sizeof(uint64_t);
	driver_write(words, image, elements * sizeof *image);
	free(order);
	free(image);
}

static size_t bytes_of(const struct point *p)
{
	size_t threads = (size_t)p->groups * p->threads;
	switch (p->primitive->memory) {
	case OWN_WORDS:
	case TWO_OWN_WORDS: return threads * p->stride * primitive_bytes(p->type);
	case CHAIN:
	case SWEEP: return p->footprint;
	case GROUP_SWEEP: return (size_t)p->footprint * p->groups;
	default: return sizeof(uint64_t);
	}
}

static void prepare(struct memory_pool *pool, const struct point *p)
{
	size_t bytes = bytes_of(p), threads = (size_t)p->groups * p->threads;
	if (threads * sizeof *pool->host > pool->ticks_bytes) {
		free(pool->host);
		pool->host = host_memory(threads * sizeof *pool->host);
	}
	need(&pool->ticks, &pool->ticks_bytes, threads * sizeof *pool->host);
	need(&pool->words, &pool->words_bytes, bytes);
	driver_zero(pool->words, bytes);
	if (p->primitive->memory == TWO_OWN_WORDS) {
		need(&pool->others, &pool->others_bytes, bytes);
		driver_zero(pool->others, bytes);
	}
	if (p->primitive->memory == CHAIN)
		write_chain(p, pool->words);
	if (!pool->sink)
		pool->sink = driver_allocate(sizeof(uint32_t));
}

static struct time run(
	struct memory_pool *pool, const struct point *p, struct kernel *kernel, unsigned warm, unsigned iterations)
{
	size_t threads = (size_t)p->groups * p->threads;
	/* The fence that waits for answers would empty the L1, and a chain's loads have been answered but for the last.
	 */
	bool drain = pool->drain && p->primitive->memory != CHAIN;
	struct work work = {pool->words, pool->others, p->stride, p->footprint, warm, iterations, drain, 0};
	if (p->primitive->memory < OWN_WORDS)
		work.stride = work.footprint = 0;
	if (p->primitive->memory == CHAIN)
		work.others = pool->words + random_next(&pool->random) % nodes_of(p) * p->stride * sizeof(uint64_t);
	driver_launch(kernel, p->groups, p->threads, (void *[]){&work, &pool->ticks, &pool->sink});
	driver_read(pool->host, pool->ticks, threads * sizeof *pool->host);
	return time_of(pool->host, threads);
}

/* The first six columns, which are the point's name. */
static void name_point(const struct options *o, const struct point *p, const char *gpu, char *name, size_t size)
{
	char footprint[16] = "", stride[16] = "";
	if (p->primitive->memory >= CHAIN)
		snprintf(footprint, sizeof footprint, ":%u", p->footprint);
	if (primitive_is_strided(p->primitive))
		snprintf(stride, sizeof stride, "%u", p->stride);
	snprintf(name, size, "%s,%s%s,%s,%s,%u,%u", o->gpu ? o->gpu : gpu, p->primitive->name, footprint, stride,
		p->type, p->groups, p->threads);
}

/* FNV-1a of 32 bits (Fowler, Noll, Vo). */
static uint32_t hash_of(const char *text)
{
	uint32_t hash = 2166136261;
	for (; *text; text++)
		hash = (hash ^ (unsigned char)*text) * 16777619;
	return hash;
}

/* Iterations of the longer loop that take about so many cycles. */
static unsigned fitting(const struct options *o, struct memory_pool *pool, const struct point *p, struct kernel *longer)
{
	if (o->iterations)
		return (unsigned)o->iterations;
	double one = run(pool, p, longer, 1, 1).slowest, fit = (double)o->cycles / (one > 1 ? one : 1);
	return fit < 1 ? 1 : fit > ITERATIONS_MOST ? ITERATIONS_MOST : (unsigned)fit;
}

static unsigned warm_of(const struct options *o, const struct point *p)
{
	if (o->warm != ~0ul)
		return (unsigned)o->warm;
	if (p->primitive->memory == CHAIN)
		return (unsigned)(nodes_of(p) < WARM_MOST ? nodes_of(p) : WARM_MOST) / 20 + 1;
	return 1;
}

static void measure(const struct options *o, struct memory_pool *pool, const struct point *p, const char *gpu)
{
	char name[512], kernel[128];
	struct kernel *kernels[2];
	double medians[2][REPEAT_MOST], slowest[2][REPEAT_MOST], differences[REPEAT_MOST];
	for (int k = 0; k < 2; k++) {
		snprintf(kernel, sizeof kernel, "%s_%s_%d", p->primitive->name, p->type, k + 1);
		kernels[k] = driver_kernel(kernel);
		if (!kernels[k]) {
			fprintf(stderr, "silicon: the module has no kernel '%s'\n", kernel);
			exit(1);
		}
	}
	name_point(o, p, gpu, name, sizeof name);
	if ((hash_of(name) >> 8) % o->sample)
		return;
	prepare(pool, p);
	unsigned iterations = fitting(o, pool, p, kernels[1]);
	for (size_t turn = 0; turn < o->repeat; turn++) {
		for (int k = 0; k < 2; k++) {
			struct time time = run(pool, p, kernels[k], warm_of(o, p), iterations);
			medians[k][turn] = time.median;
			slowest[k][turn] = time.slowest;
		}
		differences[turn] = medians[1][turn] - medians[0][turn];
	}
	double operations = (double)iterations * p->primitive->operations;
	printf("%s,%.2f,%.2f", name, (median(medians[1], o->repeat) - median(medians[0], o->repeat)) / operations,
		(median(slowest[1], o->repeat) - median(slowest[0], o->repeat)) / operations);
	median(differences, o->repeat);
	if (o->spread)
		printf(",%.2f,%.2f", differences[0] / operations, differences[o->repeat - 1] / operations);
	if (o->hash)
		printf(",%u", hash_of(name));
	puts("");
	fflush(stdout);
}

static void each_point(const struct options *o, struct memory_pool *pool, const struct driver *driver, struct point p)
{
	enum memory memory = p.primitive->memory;
	size_t strides = primitive_is_strided(p.primitive) && o->strides.count ? o->strides.count : 1;
	size_t footprints = memory >= CHAIN ? o->footprints.count : 1;
	for (size_t f = 0; f < footprints; f++)
		for (size_t s = 0; s < strides; s++)
			for (size_t g = 0; g < o->groups.count; g++)
				for (size_t t = 0; t < o->threads.count; t++) {
					unsigned long groups = o->groups.of_cores[g]
								       ? o->groups.value[g] * driver->cores / 1000
								       : o->groups.value[g];
					p.stride = o->strides.count  ? (unsigned)o->strides.value[s]
						   : memory == CHAIN ? CHAIN_STRIDE
								     : 1;
					p.footprint = (unsigned)o->footprints.value[f];
					p.groups = groups ? (unsigned)groups : 1;
					p.threads = (unsigned)o->threads.value[t];
					const char *why = point_impossible(&p);
					if (why) {
						fprintf(stderr, "silicon: --stride %u --footprint %u: %s\n", p.stride,
							p.footprint, why);
						exit(2);
					}
					measure(o, pool, &p, driver->name);
				}
}

/* For each type of a primitive that is asked for; with `pool` null only tells whether there is one. */
static bool each_type(const struct options *o, struct memory_pool *pool, const struct driver *driver,
	const struct primitive *primitive)
{
	bool any = false;
	for (const char *at = primitive->types; *at;) {
		size_t length = strcspn(at, " ");
		struct point p = {.primitive = primitive};
		snprintf(p.type, sizeof p.type, "%.*s", (int)length, at);
		at += length + (at[length] == ' ');
		if (!options_name(o->types, p.type))
			continue;
		any = true;
		if (pool)
			each_point(o, pool, driver, p);
	}
	return any;
}

/* Those of the file, in its order. */
static void measure_file(const struct options *o, struct memory_pool *pool, const struct driver *driver)
{
	size_t count;
	struct point *points = points_read(o->points, &count);
	for (size_t k = 0; k < count; k++)
		measure(o, pool, &points[k], driver->name);
	free(points);
}

static void list(void)
{
	for (size_t k = 0; k < primitive_count; k++)
		printf("%-26s %-22s %s\n", primitives[k].name, primitives[k].types, primitives[k].what);
}

int main(int argc, char **argv)
{
	struct options o = options_read(argc, argv);
	struct memory_pool pool = {.drain = o.drain};
	bool any = false;
	if (o.help || o.list) {
		o.help ? options_help() : list();
		return 0;
	}
	for (size_t k = 0; k < primitive_count; k++)
		any |= options_name(o.primitives, primitives[k].name) && each_type(&o, NULL, NULL, &primitives[k]);
	if (!any) {
		fprintf(stderr, "silicon: --primitive %s --type %s: none has such a type\n", o.primitives, o.types);
		return 2;
	}
	struct driver driver = driver_open("silicon");
	if (o.kernels)
		driver_load_file(o.kernels);
	else
		driver_load(silicon_kernels);
	printf("gpu,primitive,stride_words,type,blocks,threads_per_block,cycles_per_op,cycles_per_op_slowest_thread%s%"
	       "s\n",
		o.spread ? ",least,greatest" : "", o.hash ? ",hash" : "");
	if (o.points)
		measure_file(&o, &pool, &driver);
	for (size_t k = 0; k < primitive_count && !o.points; k++)
		if (options_name(o.primitives, primitives[k].name))
			each_type(&o, &pool, &driver, &primitives[k]);
	free(pool.host);
	return 0;
}
