/* A kernel that waits for a flag which nobody sets, and counts its turns in memory, so that a hang is suspected, late: for
 * tests/host/test_run.py, which ends it from outside or by a limit.
 * With an argument the program prints it when the kernel is launched, so that the test knows when to strike.  With a second one its main
 * thread, which is its only one, then ends by itself. */
#include "check.h"

#include <pthread.h>

int main(int count, char **words)
{
	struct test t = test_open();
	int zero[2] = {0};
	cl_kernel kernel = test_kernel(&t,
		"kernel void wait(global atomic_int *flag)\n"
		"{ while (!atomic_load_explicit(&flag[0], memory_order_acquire, memory_scope_device)) atomic_fetch_add(&flag[1], 1); }",
		"wait");
	cl_mem flag = test_buffer(&t, sizeof zero, zero);
	test_set(kernel, 0, flag);
	test_launch(&t, kernel, 64, 64);
	OK(clFlush(t.queue));
	if (count > 1) {
		puts(words[1]);
		fflush(stdout);
	}
	if (count > 2)
		pthread_exit(NULL);
	GIVES(CL_OUT_OF_RESOURCES, clFinish(t.queue));
	puts("stopped");
	return 0;
}
