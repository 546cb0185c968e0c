/* A kernel that hangs behind one that does not: the cause is looked for by running it again, and memory is afterwards
 * as the hang left it. After that no command works any more, so the buffers are shared with the host, which reads them
 * by itself. */
#include "check.h"

static int *shared_words(struct test *t, size_t count)
{
	int *words = clSVMAlloc(t->context, CL_MEM_READ_WRITE, count * sizeof(int), 0);

	CHECK(words);
	for (size_t k = 0; k < count; k++)
		words[k] = 0;
	return words;
}

int main(void)
{
	struct test t = test_open();
	int *values = shared_words(&t, 64), *lock = shared_words(&t, 1), *count = shared_words(&t, 1);
	cl_kernel fill = test_kernel(
		&t, "kernel void fill(global int *to) { to[get_global_id(0)] = get_global_id(0); }", "fill");
	cl_kernel spin = test_kernel(&t,
		"kernel void spin(global int *to, volatile global int *lock, global int *count)\n"
		"{ to[get_global_id(0)] += 100; while (atomic_cmpxchg(lock, 0, 1)); ++*count; atomic_xchg(lock, 0); }",
		"spin");

	OK(clSetKernelArgSVMPointer(fill, 0, values));
	test_launch(&t, fill, 64, 64);
	OK(clFinish(t.queue));
	OK(clSetKernelArgSVMPointer(spin, 0, values));
	OK(clSetKernelArgSVMPointer(spin, 1, lock));
	OK(clSetKernelArgSVMPointer(spin, 2, count));
	test_launch(&t, spin, 64, 64);
	GIVES(CL_OUT_OF_RESOURCES, clFinish(t.queue));
	for (int k = 0; k < 64; k++)
		CHECK(values[k] == k + 100);
	CHECK(*lock == 1);
	CHECK(*count == 0);
	clSVMFree(t.context, values);
	clSVMFree(t.context, lock);
	clSVMFree(t.context, count);
	OK(clReleaseKernel(fill));
	OK(clReleaseKernel(spin));
	OK(clReleaseCommandQueue(t.queue));
	OK(clReleaseContext(t.context));
	puts("passed");
	return 0;
}
