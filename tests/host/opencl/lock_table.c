/* A hash table whose buckets have locks; every key must be found in the chain of its bucket.  The loop is the one that
 * a reconvergence stack can run: the lock is released in the same turn in which it was taken. PoCL 3.1: passes. */
#include "check.h"

#define KEYS 1024
#define BUCKETS 64

static const char source[] =
	"kernel void insert(global const uint *keys, global atomic_int *locks, global int *heads, global int *next)\n"
	"{\n"
	"  int i = get_global_id(0), bucket = keys[i] % 64, done = 0;\n"
	"  while (!done) {\n"
	"    int free = 0;\n"
	"    if (atomic_compare_exchange_strong_explicit(&locks[bucket], &free, 1, memory_order_acquire,\n"
	"          memory_order_relaxed, memory_scope_device)) {\n"
	"      next[i] = ((volatile global int *)heads)[bucket];\n"
	"      ((volatile global int *)heads)[bucket] = i;\n"
	"      atomic_store_explicit(&locks[bucket], 0, memory_order_release, memory_scope_device);\n"
	"      done = 1;\n"
	"    }\n"
	"  }\n"
	"}\n";

int main(void)
{
	struct test t = test_open();
	static cl_uint keys[KEYS];
	static cl_int zero[BUCKETS], heads[BUCKETS], next[KEYS];
	for (cl_uint k = 0; k < KEYS; k++)
		keys[k] = k * 2654435761u >> 7;
	memset(heads, -1, sizeof heads);
	cl_kernel kernel = test_kernel(&t, source, "insert");
	cl_mem buffers[] = {test_buffer(&t, sizeof keys, keys), test_buffer(&t, sizeof zero, zero),
		test_buffer(&t, sizeof heads, heads), test_buffer(&t, sizeof next, NULL)};
	for (cl_uint k = 0; k < 4; k++)
		test_set(kernel, k, buffers[k]);
	test_launch(&t, kernel, KEYS, 64);
	test_read(&t, buffers[2], sizeof heads, heads);
	test_read(&t, buffers[3], sizeof next, next);
	int found = 0;
	for (cl_uint b = 0; b < BUCKETS; b++)
		for (cl_int i = heads[b]; i >= 0 && found <= KEYS; i = next[i]) {
			CHECK(i < KEYS && keys[i] % BUCKETS == b);
			found++;
		}
	CHECK(found == KEYS);
	for (int k = 0; k < 4; k++)
		OK(clReleaseMemObject(buffers[k]));
	OK(clReleaseKernel(kernel));
	test_close(&t);
	return 0;
}
