/* A kernel that waits for a flag which nobody sets, and counts its turns in memory, so that a hang is suspected, late:
 * for tests/host/test_run.py, which ends it from outside or by a limit. With an argument the program prints it when the
 * kernel runs, so that the test knows when to strike.  With a second one its main thread, which is its only one, then
 * ends by itself. */
#include "check.h"

#include <pthread.h>
#include <stdint.h>

int main(int count, char **words)
{
	struct test t = test_open();
	cl_kernel kernel = test_kernel(&t,
		"kernel void wait(global atomic_int *flag)\n"
		"{ while (!atomic_load_explicit(&flag[0], memory_order_acquire, memory_scope_device)) "
		"atomic_fetch_add(&flag[1], 1); }",
		"wait");
	volatile int *flag =
		clSVMAlloc(t.context, CL_MEM_READ_WRITE | CL_MEM_SVM_FINE_GRAIN_BUFFER, 2 * sizeof *flag, 0);
	CHECK(flag);
	flag[0] = flag[1] = 0;
	OK(clSetKernelArgSVMPointer(kernel, 0, (const void *)(uintptr_t)flag));
	test_launch(&t, kernel, 64, 64);
	OK(clFlush(t.queue));
	if (count > 1) {
		while (!flag[1])
			;
		puts(words[1]);
		fflush(stdout);
	}
	if (count > 2)
		pthread_exit(NULL);
	GIVES(CL_OUT_OF_RESOURCES, clFinish(t.queue));
	puts("stopped");
	return 0;
}
