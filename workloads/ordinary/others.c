/* Reduction, scan, histogram, sorts, convolution, and prices of options. */
#include "ordinary.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { REDUCTION_GROUPS = 64, HISTOGRAM_GROUPS = 240, ARRAY = 1024, TAPS = 17, TILE = 4096, PASSES = 4, DIGITS = 256 };

static uint32_t *random_words(size_t count)
{
	uint32_t *at = job_memory(count * sizeof *at);
	uint64_t state = 1;
	for (size_t k = 0; k < count; k++)
		at[k] = job_random(&state);
	return at;
}

void run_reduction(struct job *job)
{
	size_t n = job->n, bytes = n * sizeof(uint32_t);
	uint32_t *in = random_words(n), sum = 0, got = 0;
	unsigned groups = REDUCTION_GROUPS;
	device_address from = job_buffer(in, bytes), parts = job_buffer(NULL, groups * sizeof *in);
	device_address to = job_buffer(NULL, sizeof got);
	struct driver_shape first = {groups, 1, job->threads, 1, 0}, second = {1, 1, groups / 2, 1, 0};
	job_launch(job, "reduction", &first, (void *[]){&parts, &from, &job->n});
	job_launch(job, "reduction", &second, (void *[]){&to, &parts, &groups});
	job->figure = (double)bytes / job->nanoseconds;
	driver_read(&got, to, sizeof got);
	for (size_t k = 0; k < n; k++)
		sum += in[k];
	job->right = got == sum;
	free(in);
}

void run_scan(struct job *job)
{
	size_t n = job->n, bytes = n * sizeof(uint32_t);
	uint32_t *in = random_words(n), *got = job_memory(bytes), sum = 0;
	device_address from = job_buffer(in, bytes), to = job_buffer(NULL, bytes);
	struct driver_shape shape = {job->n / ARRAY, 1, 256, 1, 0};
	job_launch(job, "scan", &shape, (void *[]){&to, &from});
	job->figure = (double)n / job->nanoseconds;
	driver_read(got, to, bytes);
	for (size_t k = 0; k < n; k++) {
		if (k % ARRAY == 0)
			sum = 0;
		job->right = job->right && got[k] == sum;
		sum += in[k];
	}
	free(in);
	free(got);
}

void run_histogram(struct job *job)
{
	size_t n = job->n, bytes = n / 4 * 4;
	unsigned groups = HISTOGRAM_GROUPS, words = job->n / 4;
	uint32_t *in = random_words(words), bins[256] = {0}, got[256];
	device_address from = job_buffer(in, bytes), parts = job_buffer(NULL, groups * sizeof bins);
	device_address to = job_buffer(NULL, sizeof bins);
	struct driver_shape first = {groups, 1, 192, 1, 0}, second = {256, 1, 256, 1, 0};
	job_launch(job, "histogram", &first, (void *[]){&parts, &from, &words});
	job_launch(job, "histogram_merge", &second, (void *[]){&to, &parts, &groups});
	job->figure = (double)bytes / job->nanoseconds;
	driver_read(got, to, sizeof got);
	for (size_t k = 0; k < bytes; k++)
		bins[((const unsigned char *)in)[k]]++;
	job->right = memcmp(bins, got, sizeof bins) == 0;
	free(in);
}

/* Keys come in order, and each with a value that is its own: the value is the key turned round. */
void run_bitonic(struct job *job)
{
	size_t n = job->n, bytes = n * sizeof(uint32_t);
	uint32_t *keys = random_words(n), *values = job_memory(bytes), before = 0, sum = 0;
	for (size_t k = 0; k < n; k++) {
		values[k] = ~keys[k];
		sum += keys[k];
	}
	device_address at_keys = job_buffer(keys, bytes), at_values = job_buffer(values, bytes);
	device_address to_keys = job_buffer(NULL, bytes), to_values = job_buffer(NULL, bytes);
	struct driver_shape shape = {job->n / ARRAY, 1, ARRAY / 2, 1, 0};
	job_launch(job, "bitonic", &shape, (void *[]){&to_keys, &to_values, &at_keys, &at_values});
	job->figure = (double)n / job->nanoseconds;
	driver_read(keys, to_keys, bytes);
	driver_read(values, to_values, bytes);
	for (size_t k = 0; k < n; k++) {
		if (k % ARRAY == 0)
			before = 0;
		job->right = job->right && before <= keys[k] && values[k] == ~keys[k];
		before = keys[k];
		sum -= keys[k];
	}
	job->right = job->right && sum == 0;
	free(keys);
	free(values);
}

/* Whether `got` has the keys of `keys` in their order; a sum of a mix of each tells whether they are the same. */
static bool is_sorted_of(const uint32_t *got, const uint32_t *keys, size_t n)
{
	uint32_t sum = 0;
	for (size_t k = 0; k < n; k++) {
		uint64_t before = keys[k], behind = got[k];
		if (k && got[k - 1] > got[k])
			return false;
		sum += job_random(&before) - job_random(&behind);
	}
	return sum == 0;
}

void run_radix_sort(struct job *job)
{
	unsigned tiles = job->n / TILE, n = tiles * TILE;
	size_t bytes = n * sizeof(uint32_t), of_states = (size_t)PASSES * tiles * DIGITS * sizeof(uint32_t);
	uint32_t *keys = random_words(n), *got = job_memory(bytes);
	device_address planes[2] = {job_buffer(keys, bytes), job_buffer(NULL, bytes)};
	device_address counts = job_buffer(NULL, PASSES * DIGITS * sizeof *keys);
	device_address states = job_buffer(NULL, of_states), taken = job_buffer(NULL, PASSES * sizeof *keys);
	struct driver_shape all = {2 * job->cores, 1, 256, 1, 0}, passes = {PASSES, 1, 256, 1, 0};
	struct driver_shape one = {tiles, 1, 256, 1, 0};
	driver_zero(counts, PASSES * DIGITS * sizeof *keys);
	driver_zero(states, of_states);
	driver_zero(taken, PASSES * sizeof *keys);
	job_launch_once(job, "radix_count", &all, (void *[]){&counts, &planes[0], &n});
	job_launch_once(job, "radix_scan", &passes, (void *[]){&counts});
	for (unsigned pass = 0; pass < PASSES; pass++) {
		unsigned shift = 8 * pass;
		device_address own_counts = counts + pass * DIGITS * sizeof *keys;
		device_address own_states = states + of_states / PASSES * pass, own_taken = taken + pass * sizeof *keys;
		job_launch_once(job, "radix_pass", &one,
			(void *[]){&planes[(pass + 1) % 2], &planes[pass % 2], &own_counts, &own_states, &own_taken,
				&shift});
	}
	job->figure = n / job->nanoseconds;
	driver_read(got, planes[PASSES % 2], bytes);
	job->right = is_sorted_of(got, keys, n);
	free(keys);
	free(got);
}

/* The taps of kernels.cu: 1 to 9, and back. */
static double tap(int k)
{
	return k <= TAPS / 2 ? k + 1 : TAPS - k;
}

static double pixel(const float *in, long side, long x, long y)
{
	return x < 0 || y < 0 || x >= side || y >= side ? 0 : (double)in[y * side + x];
}

static double convolved(const float *in, long side, long x, long y)
{
	double sum = 0;
	for (int i = 0; i < TAPS; i++)
		for (int k = 0; k < TAPS; k++)
			sum += tap(i) * tap(k) * pixel(in, side, x + k - TAPS / 2, y + i - TAPS / 2);
	return sum;
}

void run_convolution(struct job *job)
{
	size_t side = job->n, bytes = side * side * sizeof(float);
	float *in = job_memory(bytes), *got = job_memory(bytes);
	uint64_t state = 1;
	for (size_t k = 0; k < side * side; k++)
		in[k] = (float)(job_random(&state) % 16);
	device_address from = job_buffer(in, bytes), between = job_buffer(NULL, bytes), to = job_buffer(NULL, bytes);
	struct driver_shape rows = {job->n / 128, job->n / 4, 16, 4, 0}, columns = {job->n / 16, job->n / 64, 16, 8, 0};
	job_launch(job, "convolution_rows", &rows, (void *[]){&between, &from, &job->n});
	job_launch(job, "convolution_columns", &columns, (void *[]){&to, &between, &job->n, &job->n});
	job->figure = (double)side * (double)side / job->nanoseconds;
	driver_read(got, to, bytes);
	for (int tries = 0; tries < 500; tries++) {
		long x = job_random(&state) % job->n, y = job_random(&state) % job->n;
		job->right = job->right && (double)got[y * (long)side + x] == convolved(in, (long)side, x, y);
	}
	free(in);
	free(got);
}

static double normal(double d)
{
	return 0.5 * erfc(-d / sqrt(2));
}

/* The call's price by the closed form; the put's follows from parity. */
static double call_price(double stock, double strike, double years, double rate, double volatility)
{
	double root = volatility * sqrt(years);
	double d = (log(stock / strike) + (rate + 0.5 * volatility * volatility) * years) / root;
	return stock * normal(d) - strike * exp(-rate * years) * normal(d - root);
}

void run_options(struct job *job)
{
	size_t n = job->n, bytes = n * sizeof(float);
	float *in[3], *call = job_memory(bytes), *put = job_memory(bytes), rate = 0.02f, volatility = 0.3f;
	static const float least[3] = {5, 1, 0.25f}, most[3] = {30, 100, 10};
	uint64_t state = 1;
	device_address from[3], calls = job_buffer(NULL, bytes), puts = job_buffer(NULL, bytes);
	for (int i = 0; i < 3; i++) {
		in[i] = job_memory(bytes);
		for (size_t k = 0; k < n; k++)
			in[i][k] = least[i] + (most[i] - least[i]) * (float)(job_random(&state) % 65536) / 65536;
		from[i] = job_buffer(in[i], bytes);
	}
	unsigned pairs = job->n / 2;
	struct driver_shape shape = {(pairs + 127) / 128, 1, 128, 1, 0};
	job_launch(job, "options_price", &shape,
		(void *[]){&calls, &puts, &from[0], &from[1], &from[2], &rate, &volatility, &pairs});
	job->figure = 5 * (double)bytes / job->nanoseconds;
	driver_read(call, calls, bytes);
	driver_read(put, puts, bytes);
	for (size_t k = 0; k < n; k += n / 1000 + 1) {
		double s = (double)in[0][k], x = (double)in[1][k], years = (double)in[2][k];
		double expected = call_price(s, x, years, (double)rate, (double)volatility);
		job->right = job->right && fabs((double)call[k] - expected) < 1e-3 &&
			     fabs((double)put[k] - (expected - s + x * exp(-(double)rate * years))) < 1e-3;
	}
	for (int i = 0; i < 3; i++)
		free(in[i]);
	free(call);
	free(put);
}
