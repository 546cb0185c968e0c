/* Several host threads, each with its own context, queue and program, and all with one context that they share.
 * PoCL 3.1: passes. */
#include "check.h"

#include <pthread.h>

#define THREADS 4
#define COUNT 512

static const char source[] =
	"kernel void f(global int *p, int by) { p[get_global_id(0)] = by * (int)get_global_id(0); }\n";
static struct test shared;

static void use(const struct test *t, int by)
{
	int values[COUNT];
	cl_kernel kernel = test_kernel(t, source, "f");
	cl_mem buffer = test_buffer(t, sizeof values, NULL);
	test_set(kernel, 0, buffer);
	OK(clSetKernelArg(kernel, 1, sizeof by, &by));
	test_launch(t, kernel, COUNT, 64);
	test_read(t, buffer, sizeof values, values);
	for (int k = 0; k < COUNT; k++)
		CHECK(values[k] == by * k);
	OK(clReleaseKernel(kernel));
	OK(clReleaseMemObject(buffer));
}

static void *run(void *number)
{
	struct test own = test_open();
	for (int round = 0; round < 3; round++) {
		use(&own, *(int *)number + round);
		use(&shared, *(int *)number - round);
	}
	OK(clReleaseCommandQueue(own.queue));
	OK(clReleaseContext(own.context));
	return NULL;
}

int main(void)
{
	pthread_t threads[THREADS];
	int numbers[THREADS];
	shared = test_open();
	for (int k = 0; k < THREADS; k++) {
		numbers[k] = 10 * k;
		CHECK(!pthread_create(&threads[k], NULL, run, &numbers[k]));
	}
	for (int k = 0; k < THREADS; k++)
		CHECK(!pthread_join(threads[k], NULL));
	test_close(&shared);
	return 0;
}
