/* Transposes, products of matrices, N bodies, and Fourier transforms. */
#include "ordinary.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static float *random_floats(size_t count)
{
	float *at = job_memory(count * sizeof *at);
	uint64_t state = 1;
	for (size_t k = 0; k < count; k++)
		at[k] = (float)(job_random(&state) % 16);
	return at;
}

/* In tiles of 16 x 16 or, with --tile 32, of 32 x 32. */
static void run_transpose(struct job *job, const char *name, bool turns)
{
	size_t side = job->n, bytes = side * side * sizeof(float);
	unsigned tile = job->tile ? job->tile : 16;
	char kernel[32];
	float *in = random_floats(side * side), *got = job_memory(bytes);
	device_address from = job_buffer(in, bytes), to = job_buffer(NULL, bytes);
	struct driver_shape shape = {job->n / tile, job->n / tile, tile, 16, 0};
	snprintf(kernel, sizeof kernel, "%s_%u", name, tile);
	job_launch(job, kernel, &shape, (void *[]){&to, &from, &job->n});
	job->figure = 2 * (double)bytes / job->nanoseconds;
	driver_read(got, to, bytes);
	for (size_t y = 0; y < side; y++)
		for (size_t x = 0; x < side; x++)
			job->right = job->right && got[y * side + x] == in[turns ? x * side + y : y * side + x];
	free(in);
	free(got);
}

void run_transpose_copy(struct job *job)
{
	run_transpose(job, "transpose_copy", false);
}
void run_transpose_naive(struct job *job)
{
	run_transpose(job, "transpose_naive", true);
}
void run_transpose_coalesced(struct job *job)
{
	run_transpose(job, "transpose_coalesced", true);
}
void run_transpose_optimized(struct job *job)
{
	run_transpose(job, "transpose_optimized", true);
}

/* Some elements of the product; small whole numbers have exact sums. */
static bool is_product(const float *c, const float *a, const float *b, size_t height, size_t inner, size_t width)
{
	uint64_t state = 2;
	for (int tries = 0; tries < 2000; tries++) {
		size_t row = job_random(&state) % height, column = job_random(&state) % width;
		double sum = 0;
		for (size_t k = 0; k < inner; k++)
			sum += (double)a[row * inner + k] * (double)b[k * width + column];
		if ((double)c[row * width + column] != sum)
			return false;
	}
	return true;
}

/* `tile`: the side of what a group computes.  A shorter inner dimension gives as many groups as the whole has, each of
 * which does less.  With a base, the time of that inner dimension, launch and stores included, is taken out. */
static void run_matmul(struct job *job, const char *kernel, unsigned tile, struct driver_shape shape)
{
	unsigned width = job->width ? job->width : job->n;
	unsigned inner = job->inner ? job->inner : job->n, counted = inner;
	size_t of_a = (size_t)job->n * inner, of_b = (size_t)inner * width, of_c = (size_t)job->n * width;
	float *a = random_floats(of_a), *b = random_floats(of_b), *c = job_memory(of_c * sizeof *c);
	device_address at_a = job_buffer(a, of_a * sizeof *a), at_b = job_buffer(b, of_b * sizeof *b);
	device_address at_c = job_buffer(NULL, of_c * sizeof *c);
	shape.groups_x = width / tile;
	shape.groups_y = job->n / tile;
	if (job->base && job->base < inner) {
		job_launch(job, kernel, &shape, (void *[]){&at_c, &at_a, &at_b, &job->base, &width});
		job->nanoseconds = -job->nanoseconds;
		counted -= job->base;
	}
	job_launch(job, kernel, &shape, (void *[]){&at_c, &at_a, &at_b, &inner, &width});
	job->figure = 2 * (double)of_c * counted / job->nanoseconds;
	driver_read(c, at_c, of_c * sizeof *c);
	job->right = is_product(c, a, b, job->n, inner, width);
	free(a);
	free(b);
	free(c);
}

void run_matmul_uncoalesced(struct job *job)
{
	run_matmul(job, "matmul_uncoalesced", 32, (struct driver_shape){.threads_x = 32, .threads_y = 32});
}
void run_matmul_naive(struct job *job)
{
	run_matmul(job, "matmul_naive", 32, (struct driver_shape){.threads_x = 32, .threads_y = 32});
}
void run_matmul_tiled(struct job *job)
{
	run_matmul(job, "matmul_tiled", 32, (struct driver_shape){.threads_x = 32, .threads_y = 32});
}
void run_matmul_column(struct job *job)
{
	run_matmul(job, "matmul_column", 64, (struct driver_shape){.threads_x = 512, .threads_y = 1});
}
void run_matmul_registers(struct job *job)
{
	run_matmul(job, "matmul_registers", 128, (struct driver_shape){.threads_x = 256, .threads_y = 1});
}

/* The force on a body, as the kernel says. */
static void force(const float *bodies, size_t body, size_t sources, double *sum)
{
	const float *own = bodies + 4 * body;
	sum[0] = sum[1] = sum[2] = 0;
	for (size_t k = 0; k < sources; k++) {
		const float *other = bodies + 4 * k;
		double d[3], square = 1;
		for (int i = 0; i < 3; i++) {
			d[i] = (double)other[i] - (double)own[i];
			square += d[i] * d[i];
		}
		for (int i = 0; i < 3; i++)
			sum[i] += d[i] * (double)other[3] / (square * sqrt(square));
	}
}

/* Fewer sources than bodies: each has the same work, and the figure, interactions a second, is the same. */
void run_nbody(struct job *job)
{
	unsigned sources = job->inner && job->inner < job->n ? job->inner : job->n;
	size_t n = job->n, bytes = 4 * n * sizeof(float);
	float *bodies = random_floats(4 * n), *forces = job_memory(bytes), softening = 1;
	device_address at = job_buffer(bodies, bytes), to = job_buffer(NULL, bytes);
	struct driver_shape shape = {job->n / 256, 1, 256, 1, 0};
	job_launch(job, "nbody", &shape, (void *[]){&to, &at, &sources, &softening});
	job->figure = (double)n * sources / job->nanoseconds;
	driver_read(forces, to, bytes);
	for (size_t body = 0; body < n; body += n / 64) {
		double sum[3];
		force(bodies, body, sources, sum);
		for (int i = 0; i < 3; i++)
			job->right = job->right && job_near((double)forces[4 * body + (size_t)i], sum[i]);
	}
	free(bodies);
	free(forces);
}

enum { POINTS = 512 };

/* One value of the transform of `in`, pairs of a real and an imaginary part. */
static bool is_transform(const float *got, const float *in, unsigned at)
{
	double sum[2] = {0, 0};
	for (unsigned k = 0; k < POINTS; k++) {
		double angle = -2 * acos(-1) * (double)(at * k % POINTS) / POINTS;
		double re = (double)in[2 * k], im = (double)in[2 * k + 1];
		sum[0] += re * cos(angle) - im * sin(angle);
		sum[1] += re * sin(angle) + im * cos(angle);
	}
	return fabs((double)got[2 * at] - sum[0]) < 0.05 && fabs((double)got[2 * at + 1] - sum[1]) < 0.05;
}

/* The figure counts 5 N log2 N operations for a transform, as publishers do. */
void run_fft(struct job *job)
{
	unsigned count = job->n / POINTS;
	size_t values = (size_t)count * POINTS * 2, bytes = values * sizeof(float);
	float *in = random_floats(values), *got = job_memory(bytes);
	uint64_t state = 4;
	device_address from = job_buffer(in, bytes), to = job_buffer(NULL, bytes);
	struct driver_shape shape = {count, 1, 64, 1, 0};
	job_launch(job, "fft", &shape, (void *[]){&to, &from});
	job->figure = 5.0 * POINTS * 9 * count / job->nanoseconds;
	driver_read(got, to, bytes);
	for (int tries = 0; tries < 500; tries++) {
		size_t first = (size_t)(job_random(&state) % count) * POINTS * 2;
		job->right = job->right && is_transform(got + first, in + first, job_random(&state) % POINTS);
	}
	free(in);
	free(got);
}
