/* Streams over long arrays, and copies by few threads. */
#include "ordinary.h"

#include <stdlib.h>
#include <string.h>

enum { COPY_GROUPS = 64, COPY_THREADS = 256 };

/* What a stream's kernel is to compute of element k. */
typedef double element(const double *b, const double *c, size_t k);

static double value_init(const double *b, const double *c, size_t k)
{
	return (void)b, (void)c, (void)k, 0.25;
}
static double value_copy(const double *b, const double *c, size_t k)
{
	return (void)c, b[k];
}
static double value_scale(const double *b, const double *c, size_t k)
{
	return (void)c, b[k] * 1.25;
}
static double value_add(const double *b, const double *c, size_t k)
{
	return b[k] + c[k];
}
static double value_triad(const double *b, const double *c, size_t k)
{
	return b[k] * 1.25 + c[k];
}
static double value_3(const double *b, const double *c, size_t k)
{
	return (void)c, 0.5 * b[k - 1] - b[k] + 0.5 * b[k + 1];
}
static double value_5(const double *b, const double *c, size_t k)
{
	return (void)c, 0.25 * b[k - 2] + 0.25 * b[k - 1] - b[k] + 0.5 * b[k + 1] + 0.5 * b[k + 2];
}

/* So much shared memory that two groups, and no third, are on a core: what gpu-benches does. */
static unsigned two_groups(const struct job *job)
{
	return job->shared / 5 * 2 & ~255u;
}

/* `arrays`: those that count in the figure; `edge`: elements at either end that are left alone. */
static void run_stream(struct job *job, const char *kernel, unsigned arrays, unsigned edge, element *value)
{
	size_t n = job->n, bytes = n * sizeof(double);
	double *b = job_memory(bytes), *c = job_memory(bytes), *got = job_memory(bytes);
	uint64_t state = 1;
	for (size_t k = 0; k < n; k++) {
		b[k] = job_random(&state) % 1000;
		c[k] = job_random(&state) % 1000;
	}
	device_address a = job_buffer(NULL, bytes), at_b = job_buffer(b, bytes), at_c = job_buffer(c, bytes);
	struct driver_shape shape = {(job->n + job->threads - 1) / job->threads, 1, job->threads, 1, 0};
	if (job->threads < 1024)
		shape.shared = two_groups(job);
	job_launch(job, kernel, &shape, (void *[]){&a, &at_b, &at_c, &job->n});
	job->figure = arrays * (double)bytes / job->nanoseconds;
	driver_read(got, a, bytes);
	for (size_t k = edge; value && k < n - edge; k++)
		job->right = job->right && got[k] == value(b, c, k);
	free(b);
	free(c);
	free(got);
}

void run_stream_init(struct job *job)
{
	run_stream(job, "stream_init", 1, 0, value_init);
}
void run_stream_read(struct job *job)
{
	run_stream(job, "stream_read", 1, 0, NULL);
}
void run_stream_copy(struct job *job)
{
	run_stream(job, "stream_copy", 2, 0, value_copy);
}
void run_stream_scale(struct job *job)
{
	run_stream(job, "stream_scale", 2, 0, value_scale);
}
void run_stream_add(struct job *job)
{
	run_stream(job, "stream_add", 3, 0, value_add);
}
void run_stream_triad(struct job *job)
{
	run_stream(job, "stream_triad", 3, 0, value_triad);
}
void run_stencil_3(struct job *job)
{
	run_stream(job, "stencil_3", 2, 1, value_3);
}
void run_stencil_5(struct job *job)
{
	run_stream(job, "stencil_5", 2, 2, value_5);
}

/* The figure counts each byte once, as its publishers do. */
static void run_copy(struct job *job, const char *kernel, unsigned size)
{
	size_t bytes = (size_t)job->n / size * size;
	unsigned char *in = job_memory(bytes), *got = job_memory(bytes);
	uint64_t state = 1;
	for (size_t k = 0; k < bytes; k++)
		in[k] = (unsigned char)job_random(&state);
	device_address from = job_buffer(in, bytes), to = job_buffer(NULL, bytes);
	unsigned elements = job->n / size;
	struct driver_shape shape = {COPY_GROUPS, 1, COPY_THREADS, 1, 0};
	job_launch(job, kernel, &shape, (void *[]){&to, &from, &elements});
	job->figure = (double)bytes / job->nanoseconds;
	driver_read(got, to, bytes);
	job->right = memcmp(in, got, bytes) == 0;
	free(in);
	free(got);
}

void run_copy_1(struct job *job)
{
	run_copy(job, "copy_1", 1);
}
void run_copy_2(struct job *job)
{
	run_copy(job, "copy_2", 2);
}
void run_copy_4(struct job *job)
{
	run_copy(job, "copy_4", 4);
}
void run_copy_8(struct job *job)
{
	run_copy(job, "copy_8", 8);
}
void run_copy_16(struct job *job)
{
	run_copy(job, "copy_16", 16);
}
