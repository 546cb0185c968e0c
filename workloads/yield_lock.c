/* yield_lock: a hash table as ht's, whose threads wait for the bucket's lock by spinning, or by a wavefront yield
 * (paper 5, section 6): then the context is free for another wavefront, until firmware finds the lock free. */
#include "common.h"

#include "../device/lockstep_control.h"

#include <stdio.h>
#include <stdlib.h>

enum { ITEMS, THREADS, BUCKETS, WORK, TRIES };
#define GROUP 64
#define MOST_GROUPS 1024

struct table {
	cl_mem keys, locks, heads, next;
	uint32_t items, buckets, work, groups;
};

static void spin(const struct gpu *gpu, const struct table *t)
{
	GPU_LAUNCH(gpu, "insert", (size_t)t->groups * GROUP, GROUP, ARGUMENT(t->keys), ARGUMENT(t->locks),
		ARGUMENT(t->heads), ARGUMENT(t->next), ARGUMENT(t->items), ARGUMENT(t->buckets), ARGUMENT(t->work));
}

static cl_kernel kernel_of(const struct gpu *gpu, const char *name)
{
	cl_int why;
	cl_kernel kernel = clCreateKernel(gpu->program, name, &why);
	if (why)
		fail("clCreateKernel: %s: %d", name, why);
	return kernel;
}

static void yield(const struct gpu *gpu, const struct table *t)
{
	const struct argument arguments[] = {ARGUMENT(t->keys), ARGUMENT(t->locks), ARGUMENT(t->heads),
		ARGUMENT(t->next), ARGUMENT(t->items), ARGUMENT(t->buckets), ARGUMENT(t->work), ARGUMENT(t->groups)};
	cl_kernel insert = kernel_of(gpu, "insert"), firmware = kernel_of(gpu, "restart");
	cl_platform_id platform;
	void *function = NULL;
	cl_int why;
	if (!clGetDeviceInfo(gpu->device, CL_DEVICE_PLATFORM, sizeof(cl_platform_id), &platform, NULL))
		function = clGetExtensionFunctionAddressForPlatform(platform, "clEnqueueFirmwareLOCKSTEP");
	if (!function)
		fail("the device has no cl_lockstep_firmware");
	for (cl_uint k = 0; k < COUNT(arguments); k++)
		if (clSetKernelArg(firmware, k, arguments[k].bytes, arguments[k].at))
			fail("clSetKernelArg: %u", k);
	why = ((clEnqueueFirmwareLOCKSTEP_fn)function)(gpu->queue, firmware, 1, &insert, GROUP, 0, NULL, NULL);
	if (why)
		fail("clEnqueueFirmwareLOCKSTEP: %d", why);
	if (clReleaseKernel(insert) || clReleaseKernel(firmware))
		fail("clReleaseKernel");
}

/* Every key is in the chain of its bucket, once, and every lock is free. */
static void check(const struct gpu *gpu, const struct table *t, const uint32_t *keys)
{
	int32_t *locks = allocate(t->buckets, 4), *heads = allocate(t->buckets, 4), *next = allocate(t->items, 4);
	uint8_t *seen = allocate(t->items, 1);
	uint32_t found = 0;
	gpu_read(gpu, t->locks, t->buckets * sizeof *locks, locks);
	gpu_read(gpu, t->heads, t->buckets * sizeof *heads, heads);
	gpu_read(gpu, t->next, t->items * sizeof *next, next);
	for (uint32_t bucket = 0; bucket < t->buckets; bucket++) {
		if (locks[bucket])
			fail("the lock of bucket %u is still taken", bucket);
		for (int32_t item = heads[bucket]; item != -1; item = next[item], found++)
			if (item < 0 || (uint32_t)item >= t->items || keys[item] % t->buckets != bucket || seen[item]++)
				fail("the chain of bucket %u has item %d", bucket, item);
	}
	if (found != t->items)
		fail("%u of %u items are in the table", found, t->items);
	free(locks);
	free(heads);
	free(next);
	free(seen);
}

int main(int argc, char **argv)
{
	static const char *const waits[] = {"spin", "yield", NULL};
	struct number numbers[] = {
		[ITEMS] = {"items", "insertions", 4096, 65536, 1, 1 << 26, 0},
		[THREADS] = {"threads", "that insert, a multiple of 64", 2048, 32768, GROUP, MOST_GROUPS * GROUP, 0},
		[BUCKETS] = {"buckets", "of the table, each with a lock", 256, 1024, 1, 1 << 24, 0},
		[WORK] = {"work", "instructions in a critical section, beside those of the insertion", 0, 0, 0, 1 << 20,
			0},
		[TRIES] = {"tries", "of a thread, before its wavefront yields", 4, 4, 1, 1 << 20, 0},
	};
	struct choice wait = {"wait", "for the lock", waits, 0};
	uint64_t random = options_read_choice(
		argc, argv, "insertions into a hash table, locks that spin or yield", numbers, COUNT(numbers), &wait);
	struct table t = {.items = (uint32_t)numbers[ITEMS].value,
		.buckets = (uint32_t)numbers[BUCKETS].value,
		.work = (uint32_t)numbers[WORK].value,
		.groups = (uint32_t)numbers[THREADS].value / GROUP};
	char options[80] = "";
	if (numbers[THREADS].value % GROUP)
		options_refuse("--threads %d: expected a multiple of %d", (int)numbers[THREADS].value, GROUP);
	uint32_t *keys = allocate(t.items, sizeof *keys);
	for (uint32_t k = 0; k < t.items; k++)
		keys[k] = (uint32_t)random_next(&random);
	if (wait.value)
		snprintf(options, sizeof options, "%s -DYIELDS -DTRIES=%u -DMOST_GROUPS=%u", gpu_atomics_standard(),
			(unsigned)numbers[TRIES].value, MOST_GROUPS);
	struct gpu gpu = gpu_open("yield_lock.cl", options);
	t.keys = gpu_buffer(&gpu, t.items * sizeof *keys, keys);
	t.locks = gpu_filled(&gpu, t.buckets, 0);
	t.heads = gpu_filled(&gpu, t.buckets, -1);
	t.next = gpu_filled(&gpu, t.items, -2);
	(wait.value ? yield : spin)(&gpu, &t);
	check(&gpu, &t, keys);
	free(keys);
	gpu_free(t.keys);
	gpu_free(t.locks);
	gpu_free(t.heads);
	gpu_free(t.next);
	gpu_close(&gpu);
	return pass();
}
