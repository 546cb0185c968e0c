/* What a program lacks, or the GPU cannot do, is told by the build: its code, its status, and a log with name and line.
 * PoCL 3.1: not to be compared, for it knows no PTX, and tells of missing functions when a kernel runs. */
#include "check.h"

static const struct {
	const char *source, *options;
	const char *words[3]; /* in the log */
	bool links_late;      /* compiles, and fails when it is linked */
} wrong[] = {
	{"int other(int);\nkernel void good(global int *p) { *p = 1; }\n"
	 "kernel void f(global int *p)\n{\n	*p = 2;\n	*p = other(*p);\n}\n",
		NULL, {".cl:6: error:", "'other'"}, true},
	/* A function that no kernel calls is linked with the rest. */
	{"int other(int);\nint unused(int x)\n{\n	return other(x);\n}\nkernel void f(global int *p) { *p = 1; "
	 "}\n",
		NULL, {".cl:4: error:", "'other'"}, true},
	{"extern kernel void other(global int *p);\nkernel void f(global int *p) { other(p); }\n", NULL,
		{".cl:2: error:", "'other'"}, true},
	{"extern constant int absent;\nkernel void f(global int *p)\n{\n	*p = absent;\n}\n", NULL,
		{".cl:4: error:", "'absent'"}, true},
	{"extern global int absent;\nkernel void f(global int *p)\n{\n	*p = absent;\n}\n", "-cl-std=CL3.0",
		{".cl:4: error:", "'absent'"}, true},
	{"inline int g(int x);\nkernel void f(global int *p) { *p = g(*p) + g(p[1]); }\n", NULL,
		{".cl:2: error:", "'g'"}, true},
	/* PTX that there is not. */
	{"kernel void f(global int *p)\n{\n	__asm__ volatile(\"frobnicate.u32 %0, 1;\" : \"=r\"(*p));\n}\n", NULL,
		{".cl:3: error:", "frobnicate"}, true},
	/* `asm` is a keyword as well where the program does not compile otherwise, and so no error. */
	{"kernel void f(global int *p)\n{\n	asm volatile(\"mov.u32 %0, 1;\" : \"=r\"(*p));\n	*p = "
	 "undeclared;\n}\n",
		NULL, {":4:", "undeclared"}, false},
	{"int asm_of(int asm) { return asm; }\nkernel void f(global int *p) { *p = asm_of(1) + undeclared; }\n", NULL,
		{":2:", "undeclared"}, false},
};

static void has_failed(const struct test *t, cl_program program, const char *const *words)
{
	cl_build_status status = 99;
	cl_int why;
	const char *log = test_log(t, program);
	OK(clGetProgramBuildInfo(program, t->device, CL_PROGRAM_BUILD_STATUS, sizeof status, &status, NULL));
	CHECK(status == CL_BUILD_ERROR);
	for (int k = 0; k < 3 && words[k]; k++) {
		if (!strstr(log, words[k]))
			fprintf(stderr, "no '%s' in: %s", words[k], log);
		CHECK(strstr(log, words[k]));
	}
	CHECK(!strstr(log, "'asm'"));
	CHECK(!clCreateKernel(program, "f", &why) && why == CL_INVALID_PROGRAM_EXECUTABLE);
}

static void CL_CALLBACK told(cl_program program, void *where)
{
	*(cl_program *)where = program;
}

/* What the GPU does not do fails where it is launched: other kernels run. */
static void unsupported_kernels_are_not_launched(const struct test *t)
{
	cl_int why;
	const size_t one = 1;
	cl_mem buffer = clCreateBuffer(t->context, CL_MEM_READ_WRITE, 4, NULL, &why);
	cl_program program = test_program(t,
		"kernel void good(global int *p) { *p = 1; }\nkernel void bad(global int *p)\n{\n	__asm__ "
		"volatile(\"applypriority.global.L2::evict_normal [%0], 128;\" ::\"l\"(p));\n}\n");
	OK(clBuildProgram(program, 0, NULL, NULL, NULL, NULL));
	CHECK(strstr(test_log(t, program), ".cl:4: warning: "));
	CHECK(strstr(test_log(t, program), "cache control is not supported"));
	cl_kernel good = clCreateKernel(program, "good", &why), bad = clCreateKernel(program, "bad", &why);
	OK(clSetKernelArg(good, 0, sizeof buffer, &buffer));
	OK(clSetKernelArg(bad, 0, sizeof buffer, &buffer));
	OK(clEnqueueNDRangeKernel(t->queue, good, 1, NULL, &one, NULL, 0, NULL, NULL));
	GIVES(CL_INVALID_PROGRAM_EXECUTABLE, clEnqueueNDRangeKernel(t->queue, bad, 1, NULL, &one, NULL, 0, NULL, NULL));
	OK(clFinish(t->queue));
	OK(clReleaseKernel(good));
	OK(clReleaseKernel(bad));
	OK(clReleaseProgram(program));
	OK(clReleaseMemObject(buffer));
}

int main(void)
{
	struct test t = test_open();
	cl_program called_for = NULL;
	cl_int why;
	for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
		cl_program program = test_program(&t, wrong[k].source), whole;
		GIVES(CL_BUILD_PROGRAM_FAILURE, clBuildProgram(program, 0, NULL, wrong[k].options, NULL, NULL));
		has_failed(&t, program, wrong[k].words);
		OK(clBuildProgram(program, 0, NULL, wrong[k].options, told, &called_for));
		CHECK(called_for == program);
		has_failed(&t, program, wrong[k].words);
		GIVES(wrong[k].links_late ? CL_SUCCESS : CL_COMPILE_PROGRAM_FAILURE,
			clCompileProgram(program, 0, NULL, wrong[k].options, 0, NULL, NULL, NULL, NULL));
		if (wrong[k].links_late) {
			whole = clLinkProgram(t.context, 0, NULL, NULL, 1, &program, NULL, NULL, &why);
			GIVES(CL_LINK_PROGRAM_FAILURE, why);
			has_failed(&t, whole, wrong[k].words);
			OK(clReleaseProgram(whole));
			whole = clLinkProgram(t.context, 0, NULL, "-create-library", 1, &program, NULL, NULL, &why);
			OK(why);
			OK(clReleaseProgram(whole));
		}
		OK(clReleaseProgram(program));
	}
	unsupported_kernels_are_not_launched(&t);
	test_close(&t);
	return 0;
}
