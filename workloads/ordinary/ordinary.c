/* Ordinary kernels on the GPU at hand, a real one or Lockstep's, as CSV: docs/ordinary.md. */
#include "ordinary.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* nvcc's image of kernels.cu, which has PTX for any GPU from compute capability 7.5 on.  It is made anew by
 * nvcc -std=c++17 -fatbin -gencode arch=compute_75,code=compute_75 -Xfatbin -compress-all kernels.cu */
__asm__(".pushsection .rodata\n.balign 16\nordinary_kernels:\n.incbin \"" ORDINARY_FOLDER
	"/kernels.fatbin\"\n.popsection\n");
extern const char ordinary_kernels[];

enum { REPEAT_MOST = 99, BUFFERS_MOST = 16 };

const struct ordinary ordinary[] = {
	{"stream_init", "GB/s", "stores 8 bytes a thread", 1 << 19, 1 << 24, 1024, run_stream_init},
	{"stream_read", "GB/s", "loads 8 bytes a thread", 1 << 19, 1 << 24, 1024, run_stream_read},
	{"stream_copy", "GB/s", "a[k] = b[k], 8 bytes a thread", 1 << 19, 1 << 24, 1024, run_stream_copy},
	{"stream_scale", "GB/s", "a[k] = s b[k]", 1 << 19, 1 << 24, 1024, run_stream_scale},
	{"stream_add", "GB/s", "a[k] = b[k] + c[k]", 1 << 19, 1 << 24, 1024, run_stream_add},
	{"stream_triad", "GB/s", "a[k] = s b[k] + c[k]", 1 << 19, 1 << 24, 1024, run_stream_triad},
	{"stencil_3", "GB/s", "three neighbours", 1 << 19, 1 << 24, 1024, run_stencil_3},
	{"stencil_5", "GB/s", "five neighbours", 1 << 19, 1 << 24, 1024, run_stencil_5},
	{"copy_1", "GB/s", "16,384 threads copy bytes", 1 << 20, 49999872, 256, run_copy_1},
	{"copy_2", "GB/s", "the same, 2 bytes at a time", 1 << 20, 49999872, 256, run_copy_2},
	{"copy_4", "GB/s", "the same, 4 bytes", 1 << 21, 49999872, 256, run_copy_4},
	{"copy_8", "GB/s", "the same, 8 bytes", 1 << 21, 49999872, 256, run_copy_8},
	{"copy_16", "GB/s", "the same, 16 bytes", 1 << 21, 49999872, 256, run_copy_16},
	{"transpose_copy", "GB/s", "a square matrix copied in tiles", 1024, 1024, 256, run_transpose_copy},
	{"transpose_naive", "GB/s", "transposed without shared memory", 1024, 1024, 256, run_transpose_naive},
	{"transpose_coalesced", "GB/s", "by shared memory, with bank conflicts", 1024, 1024, 256,
		run_transpose_coalesced},
	{"transpose_optimized", "GB/s", "by shared memory, without", 1024, 1024, 256, run_transpose_optimized},
	{"matmul_uncoalesced", "GF/s", "a product of matrices; a warp has 32 rows", 256, 1024, 1024,
		run_matmul_uncoalesced},
	{"matmul_naive", "GF/s", "a warp has 32 columns", 256, 1024, 1024, run_matmul_naive},
	{"matmul_tiled", "GF/s", "in tiles of 32 x 32", 256, 1024, 1024, run_matmul_tiled},
	{"matmul_column", "GF/s", "in tiles of 64 x 64, 8 elements a thread", 256, 1024, 512, run_matmul_column},
	{"matmul_registers", "GF/s", "in tiles of 128 x 128, 64 elements a thread", 256, 1024, 256,
		run_matmul_registers},
	{"nbody", "G/s", "interactions of N bodies", 4096, 40960, 256, run_nbody},
	{"reduction", "GB/s", "a sum by 64 groups", 1 << 20, 1 << 24, 256, run_reduction},
	{"scan", "G/s", "arrays of 1,024 scanned in shared memory", 1 << 18, 6815744, 256, run_scan},
	{"histogram", "GB/s", "256 bins, of bytes", 1 << 20, 1 << 26, 192, run_histogram},
	{"bitonic", "G/s", "arrays of 1,024 pairs sorted in shared memory", 1 << 16, 1 << 20, 512, run_bitonic},
	{"convolution", "G/s", "17 taps along rows and columns of N x N pixels", 512, 3072, 128, run_convolution},
	{"options", "GB/s", "prices of options by Black and Scholes", 1 << 18, 4000000, 128, run_options},
	{"spmv_scalar", "GF/s", "a sparse matrix by a vector; a thread a row of 16", 1 << 15, 1 << 20, 256,
		run_spmv_scalar},
	{"spmv_vector", "GF/s", "the same; a warp a row", 1 << 14, 1 << 20, 256, run_spmv_vector},
	{"bfs", "G/s", "edges, a level of the search a launch", 1 << 15, 1 << 20, 256, run_bfs},
	{"fft", "GF/s", "transforms of 512 points in shared memory", 1 << 18, 1 << 23, 64, run_fft},
	{"radix_sort", "G/s", "keys of 32 bits, a byte a pass", 1 << 18, 1 << 24, 256, run_radix_sort},
};
const size_t ordinary_count = sizeof ordinary / sizeof *ordinary;

/* The buffers of a job, which are freed behind it. */
static device_address buffers[BUFFERS_MOST];
static size_t buffers_count;

void *job_memory(size_t bytes)
{
	void *at = malloc(bytes);
	if (!at) {
		fprintf(stderr, "ordinary: there are no %zu bytes of memory\n", bytes);
		exit(1);
	}
	return at;
}

device_address job_buffer(const void *from, size_t bytes)
{
	device_address at = driver_allocate(bytes);
	if (buffers_count == BUFFERS_MOST)
		abort();
	buffers[buffers_count++] = at;
	if (from)
		driver_write(at, from, bytes);
	return at;
}

/* SplitMix64. */
uint32_t job_random(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15;
	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return (uint32_t)((z ^ z >> 31) >> 32);
}

bool job_near(double a, double b)
{
	return fabs(a - b) <= 1e-3 * (fabs(b) + 1);
}

static struct kernel *kernel_of(const char *name)
{
	struct kernel *found = driver_kernel(name);
	if (!found) {
		fprintf(stderr, "ordinary: the module has no kernel '%s'\n", name);
		exit(1);
	}
	return found;
}

void job_launch(struct job *job, const char *kernel, const struct driver_shape *shape, void **arguments)
{
	struct kernel *found = kernel_of(kernel);
	if (job->warm)
		driver_timed_launches(found, shape, job->warm, arguments);
	job->nanoseconds += driver_timed_launches(found, shape, job->repeat, arguments);
}

void job_launch_once(struct job *job, const char *kernel, const struct driver_shape *shape, void **arguments)
{
	job->nanoseconds += driver_timed_launches(kernel_of(kernel), shape, 1, arguments);
}

struct options {
	const char *kernel, *kernels, *gpu;
	unsigned n, threads, inner, base, width, tile, warm, repeat;
	bool small, list;
};

static void refuse(const char *option, const char *value, const char *expected)
{
	fprintf(stderr, "ordinary: %s %s: expected %s\n", option, value, expected);
	exit(2);
}

static unsigned number(const char *option, const char *text, unsigned least, unsigned most)
{
	char *rest = NULL, expected[64];
	errno = 0;
	unsigned long value = *text >= '0' && *text <= '9' ? strtoul(text, &rest, 10) : 0;
	if (!rest || *rest || errno || value < least || value > most) {
		snprintf(expected, sizeof expected, "a number from %u to %u", least, most);
		refuse(option, text, expected);
	}
	return (unsigned)value;
}

static const struct ordinary *row_of(const char *name)
{
	for (size_t k = 0; k < ordinary_count; k++)
		if (strcmp(ordinary[k].name, name) == 0)
			return &ordinary[k];
	return NULL;
}

/* An option with a value; false: there is none of this name. */
static bool take(struct options *o, const char *option, const char *value)
{
	if (strcmp(option, "--kernel") == 0)
		o->kernel = value;
	else if (strcmp(option, "--kernels") == 0)
		o->kernels = value;
	else if (strcmp(option, "--gpu") == 0)
		o->gpu = value;
	else if (strcmp(option, "--n") == 0)
		o->n = number(option, value, 256, 1 << 28);
	else if (strcmp(option, "--threads") == 0)
		o->threads = number(option, value, 32, 1024);
	else if (strcmp(option, "--inner") == 0)
		o->inner = number(option, value, 64, 1 << 20);
	else if (strcmp(option, "--base") == 0)
		o->base = number(option, value, 32, 1 << 20);
	else if (strcmp(option, "--width") == 0)
		o->width = number(option, value, 128, 1 << 20);
	else if (strcmp(option, "--tile") == 0)
		o->tile = strcmp(value, "32") == 0 ? 32 : number(option, value, 16, 16);
	else if (strcmp(option, "--warm") == 0)
		o->warm = number(option, value, 0, 1000);
	else if (strcmp(option, "--repeat") == 0)
		o->repeat = number(option, value, 1, REPEAT_MOST);
	else if (strcmp(option, "--size") == 0 && (strcmp(value, "small") == 0 || strcmp(value, "paper") == 0))
		o->small = *value == 's';
	else
		return false;
	if (o->kernel && !row_of(o->kernel))
		refuse(option, value, "a kernel that --list names");
	return true;
}

static struct options read_options(int argc, char **argv)
{
	struct options o = {.warm = 1, .repeat = 1};
	for (int k = 1; k < argc; k++) {
		if (strcmp(argv[k], "--list") == 0)
			o.list = true;
		else if (k + 1 == argc || !take(&o, argv[k], argv[k + 1]))
			refuse(argv[k], k + 1 < argc ? argv[k + 1] : "",
				"--list, --kernel NAME, --size small|paper, --n N, --threads N, --inner N, "
				"--base N, --width N, --tile 16|32, --warm N, --repeat N, --kernels FILE or --gpu "
				"NAME");
		else
			k++;
	}
	return o;
}

static bool measure(const struct options *o, const struct driver *driver, const struct ordinary *row)
{
	struct job job = {.n = o->n       ? o->n
			       : o->small ? row->small
					  : row->paper,
		.threads = o->threads ? o->threads : row->threads,
		.inner = o->inner,
		.base = o->base,
		.width = o->width,
		.tile = o->tile,
		.warm = o->warm,
		.repeat = o->repeat,
		.cores = driver->cores,
		.shared = driver->shared,
		.right = true};
	row->run(&job);
	while (buffers_count)
		driver_free(buffers[--buffers_count]);
	printf("%s,%s,%u,%u,%.0f,%.4g,%s,%s\n", o->gpu ? o->gpu : driver->name, row->name, job.n, job.threads,
		job.nanoseconds, job.figure, row->unit, job.right ? "right" : "wrong");
	fflush(stdout);
	return job.right;
}

int main(int argc, char **argv)
{
	struct options o = read_options(argc, argv);
	bool right = true;
	for (size_t k = 0; o.list && k < ordinary_count; k++)
		printf("%-20s %-5s %s\n", ordinary[k].name, ordinary[k].unit, ordinary[k].what);
	if (o.list)
		return 0;
	struct driver driver = driver_open("ordinary");
	if (o.kernels)
		driver_load_file(o.kernels);
	else
		driver_load(ordinary_kernels);
	puts("gpu,kernel,n,threads,nanoseconds,figure,unit,result");
	for (size_t k = 0; k < ordinary_count; k++)
		if (!o.kernel || strcmp(o.kernel, ordinary[k].name) == 0)
			right &= measure(&o, &driver, &ordinary[k]);
	return !right;
}
