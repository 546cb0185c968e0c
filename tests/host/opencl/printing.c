/* printf in a kernel: what it writes is on standard output when the queue has finished.  PoCL 3.1: passes. */
#include "check.h"

#include <unistd.h>

static const char source[] = "kernel void say(global const int *x)\n"
			     "{ if (get_global_id(0) == 2) printf(\"%d %5.2f %s %c %x %ld %%|%v4hld\\n\", x[1], 1.5f, "
			     "\"text\", 'q', 255, 1l << 40,\n"
			     "    (int4)(1, 2, 3, 4)); }\n";

int main(void)
{
	struct test t = test_open();
	int x[2] = {3, -42};
	char line[256] = "";
	cl_kernel say = test_kernel(&t, source, "say");
	cl_mem buffer = test_buffer(&t, sizeof x, x);
	test_set(say, 0, buffer);
	fflush(stdout);
	int before = dup(STDOUT_FILENO);
	FILE *file = tmpfile();
	CHECK(file && dup2(fileno(file), STDOUT_FILENO) >= 0);
	test_launch(&t, say, 4, 4);
	OK(clFinish(t.queue));
	fflush(stdout);
	CHECK(dup2(before, STDOUT_FILENO) >= 0);
	rewind(file);
	CHECK(fgets(line, sizeof line, file));
	fputs(line, stdout);
	CHECK(!strcmp(line, "-42  1.50 text q ff 1099511627776 %|1,2,3,4\n"));
	OK(clReleaseKernel(say));
	OK(clReleaseMemObject(buffer));
	test_close(&t);
	return 0;
}
