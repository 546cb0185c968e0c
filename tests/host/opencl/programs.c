/* Programs: the log of a failed build, binaries there and back, compiling with headers, linking, libraries, queries.
 * PoCL 3.1: passes, but links what is not complete. */
#include "check.h"

static cl_build_status status_of(const struct test *t, cl_program program)
{
	cl_build_status status = 99;
	OK(clGetProgramBuildInfo(program, t->device, CL_PROGRAM_BUILD_STATUS, sizeof status, &status, NULL));
	return status;
}

static cl_build_status notified;

static void CL_CALLBACK note_status(cl_program program, void *test)
{
	notified = status_of(test, program);
}

/* With a function to call, what comes of it is in the program's status, which is there when the function is called
 * (5.8.4: clCompileProgram "can return immediately once the compile operation can begin"). */
static void notification(const struct test *t)
{
	cl_program wrong = test_program(t, "kernel void f(global int *p) { *p = undeclared_name; }");
	cl_program right = test_program(t, "kernel void f(global int *p) { *p = 1; }");
	OK(clCompileProgram(wrong, 0, NULL, NULL, 0, NULL, NULL, note_status, (void *)(size_t)t));
	CHECK(notified == CL_BUILD_ERROR);
	OK(clCompileProgram(right, 0, NULL, NULL, 0, NULL, NULL, note_status, (void *)(size_t)t));
	CHECK(notified == CL_BUILD_SUCCESS);
	GIVES(CL_COMPILE_PROGRAM_FAILURE, clCompileProgram(wrong, 0, NULL, NULL, 0, NULL, NULL, NULL, NULL));
	OK(clBuildProgram(wrong, 0, NULL, NULL, note_status, (void *)(size_t)t));
	CHECK(notified == CL_BUILD_ERROR);
	OK(clBuildProgram(right, 0, NULL, NULL, note_status, (void *)(size_t)t));
	CHECK(notified == CL_BUILD_SUCCESS);
	OK(clReleaseProgram(wrong));
	OK(clReleaseProgram(right));
	/* Neither has been built before. */
	wrong = test_program(t, "kernel void f(global int *p) { *p = undeclared_name; }");
	right = test_program(t, "kernel void f(global int *p) { *p = 1; }");
	OK(clBuildProgram(wrong, 0, NULL, NULL, note_status, (void *)(size_t)t));
	CHECK(notified == CL_BUILD_ERROR);
	OK(clBuildProgram(right, 0, NULL, NULL, note_status, (void *)(size_t)t));
	CHECK(notified == CL_BUILD_SUCCESS);
	notified = CL_BUILD_NONE;
	GIVES(CL_INVALID_BUILD_OPTIONS,
		clBuildProgram(right, 0, NULL, "-no-such-option", note_status, (void *)(size_t)t));
	OK(clReleaseProgram(wrong));
	OK(clReleaseProgram(right));
}

/* Of clLinkProgram: the callback comes when all is known, also of what does not link; words that are no options, and
 * what only goes together. */
static void link_errors(const struct test *t)
{
	static const char *const bad[] = {
		"-create-lib", "-create-library2", "-cl-fast", "-enable-link-options", "-no-such-option"};
	cl_int why;
	cl_program part = test_program(t, "int missing(void); kernel void f(global int *p) { *p = missing(); }");
	cl_program whole = test_program(t, "int missing(void) { return 1; }"), linked, parts[2] = {part, whole};
	const char *name = NULL;
	GIVES(CL_INVALID_VALUE, clCompileProgram(part, 0, NULL, NULL, 1, &whole, NULL, NULL, NULL));
	GIVES(CL_INVALID_VALUE, clCompileProgram(part, 0, NULL, NULL, 1, &whole, &name, NULL, NULL));
	OK(clCompileProgram(part, 0, NULL, NULL, 0, NULL, NULL, NULL, NULL));
	OK(clCompileProgram(whole, 0, NULL, NULL, 0, NULL, NULL, NULL, NULL));
	CHECK(!clLinkProgram(t->context, 0, NULL, NULL, 2, parts, NULL, (void *)1, &why) && why == CL_INVALID_VALUE);
	for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
		check_entry = (int)k;
		CHECK(!clLinkProgram(t->context, 0, NULL, bad[k], 2, parts, NULL, NULL, &why) &&
			why == CL_INVALID_LINKER_OPTIONS);
	}
	notified = CL_BUILD_NONE;
	linked = clLinkProgram(t->context, 0, NULL, NULL, 2, parts, note_status, (void *)(size_t)t, &why);
	OK(why);
	CHECK(notified == CL_BUILD_SUCCESS);
	OK(clReleaseProgram(linked));
	linked = clLinkProgram(t->context, 0, NULL, NULL, 1, parts, note_status, (void *)(size_t)t, &why);
	CHECK(notified == CL_BUILD_ERROR && why == CL_LINK_PROGRAM_FAILURE);
	OK(clReleaseProgram(linked));
	OK(clReleaseProgram(part));
	OK(clReleaseProgram(whole));
}

static cl_program_binary_type type_of(const struct test *t, cl_program program)
{
	cl_program_binary_type type = 99;
	OK(clGetProgramBuildInfo(program, t->device, CL_PROGRAM_BINARY_TYPE, sizeof type, &type, NULL));
	return type;
}

/* A build that fails leaves no program; variables of the program's scope count in bytes. */
static void rebuilt(const struct test *t)
{
	size_t bytes = 0;
	cl_program program =
		test_build(t, "global int kept[10]; kernel void f(global int *p) { kept[1] = VALUE; *p = kept[1]; }",
			"-cl-std=CL3.0 -DVALUE=1");
	OK(clGetProgramBuildInfo(
		program, t->device, CL_PROGRAM_BUILD_GLOBAL_VARIABLE_TOTAL_SIZE, sizeof bytes, &bytes, NULL));
	CHECK(bytes == 40 && type_of(t, program) == CL_PROGRAM_BINARY_TYPE_EXECUTABLE);
	GIVES(CL_BUILD_PROGRAM_FAILURE,
		clBuildProgram(program, 0, NULL, "-cl-std=CL3.0 -DVALUE=undeclared_name", NULL, NULL));
	CHECK(type_of(t, program) == CL_PROGRAM_BINARY_TYPE_NONE);
	OK(clReleaseProgram(program));
}

static void failure(const struct test *t)
{
	cl_program program = test_program(t, "kernel void f(global int *p)\n{\n  p[0] = undeclared_name;\n}\n");
	CHECK(status_of(t, program) == CL_BUILD_NONE);
	GIVES(CL_INVALID_PROGRAM_EXECUTABLE, clGetProgramInfo(program, CL_PROGRAM_KERNEL_NAMES, 0, NULL, NULL));
	GIVES(CL_BUILD_PROGRAM_FAILURE, clBuildProgram(program, 0, NULL, NULL, NULL, NULL));
	CHECK(status_of(t, program) == CL_BUILD_ERROR);
	CHECK(strstr(test_log(t, program), "undeclared_name") && strstr(test_log(t, program), ":3:"));
	OK(clReleaseProgram(program));
}

/* Runs kernel `f` of the program, which is to write `wanted`. */
static void runs(const struct test *t, cl_program program, int wanted)
{
	cl_int why, value = 0;
	cl_kernel kernel = clCreateKernel(program, "f", &why);
	OK(why);
	cl_mem buffer = test_buffer(t, sizeof value, &value);
	test_set(kernel, 0, buffer);
	test_launch(t, kernel, 1, 1);
	test_read(t, buffer, sizeof value, &value);
	CHECK(value == wanted);
	OK(clReleaseMemObject(buffer));
	OK(clReleaseKernel(kernel));
}

static void round_trip(const struct test *t)
{
	cl_int why, status;
	size_t length = 0;
	cl_program program = test_build(t, "kernel void f(global int *p) { *p = VALUE; }", "-DVALUE=42"), again;
	runs(t, program, 42);
	OK(clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof length, &length, NULL));
	unsigned char *binary = malloc(length);
	CHECK(length && binary);
	OK(clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof binary, &binary, NULL));
	again = clCreateProgramWithBinary(
		t->context, 1, &t->device, &length, (const unsigned char **)&binary, &status, &why);
	OK(why);
	OK(status);
	OK(clBuildProgram(again, 0, NULL, NULL, NULL, NULL));
	runs(t, again, 42);
	free(binary);
	/* What the GPU does not accept stays the binary that it is, though there is no code of it. */
	const char *const bad = ".version 7.0\n.target sm_70\n.address_size 64\nnonsense\n";
	length = strlen(bad);
	cl_program refused = clCreateProgramWithBinary(
		t->context, 1, &t->device, &length, (const unsigned char *[]){(const unsigned char *)bad}, NULL, &why);
	OK(why);
	CHECK(type_of(t, refused) == CL_PROGRAM_BINARY_TYPE_EXECUTABLE);
	GIVES(CL_BUILD_PROGRAM_FAILURE, clBuildProgram(refused, 0, NULL, NULL, NULL, NULL));
	CHECK(type_of(t, refused) == CL_PROGRAM_BINARY_TYPE_EXECUTABLE);
	OK(clReleaseProgram(refused));
	OK(clReleaseProgram(program));
	OK(clReleaseProgram(again));
}

static void linking(const struct test *t)
{
	cl_int why;
	cl_program header = test_program(t, "int twice(int);\n#define THREE 3\n");
	cl_program caller =
		test_program(t, "#include \"sub/twice.h\"\nkernel void f(global int *p) { *p = twice(THREE); }\n");
	cl_program callee = test_program(t, "int twice(int x) { return 2 * x; }\n");
	const char *name = "sub/twice.h";
	OK(clCompileProgram(caller, 0, NULL, NULL, 1, &header, &name, NULL, NULL));
	OK(clCompileProgram(callee, 0, NULL, NULL, 0, NULL, NULL, NULL, NULL));
	cl_program parts[2] = {caller, callee}, missing;
	cl_program linked = clLinkProgram(t->context, 0, NULL, NULL, 2, parts, NULL, NULL, &why);
	OK(why);
	runs(t, linked, 6);
	cl_program library = clLinkProgram(t->context, 0, NULL, "-create-library", 1, &callee, NULL, NULL, &why);
	OK(why);
	parts[1] = library;
	cl_program with_library = clLinkProgram(t->context, 0, NULL, NULL, 2, parts, NULL, NULL, &why);
	OK(why);
	runs(t, with_library, 6);
	missing = clLinkProgram(t->context, 0, NULL, NULL, 1, &caller, NULL, NULL, &why);
	if (!test_is_foreign(t))
		CHECK(why == CL_LINK_PROGRAM_FAILURE && missing && strstr(test_log(t, missing), "twice"));
	if (missing)
		OK(clReleaseProgram(missing));
	OK(clReleaseProgram(header));
	OK(clReleaseProgram(caller));
	OK(clReleaseProgram(callee));
	OK(clReleaseProgram(linked));
	OK(clReleaseProgram(library));
	OK(clReleaseProgram(with_library));
}

static bool binary_has(cl_program program, const char *word)
{
	static char text[65536];
	unsigned char *at = (unsigned char *)text;
	size_t length = 0;
	OK(clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof length, &length, NULL));
	CHECK(length && length < sizeof text);
	OK(clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof at, &at, NULL));
	text[length] = 0;
	return strstr(text, word);
}

/* Functions that no kernel reaches are left out, until another program may call them. */
static void left_out(const struct test *t)
{
	static const char source[] = "int twice(int x) { return 2 * x; }\nint further(int x) { return x + 1; }\n"
				     "int never(int x) { return further(x); }\n"
				     "kernel void NAME(global int *p) { *p = twice(3); }\n";
	cl_int why;
	if (test_is_foreign(t))
		return;
	cl_program built = test_build(t, source, "-DNAME=f");
	runs(t, built, 6);
	CHECK(binary_has(built, "twice(") && !binary_has(built, "never(") && !binary_has(built, "further("));
	cl_program parts[2] = {test_program(t, source),
		test_program(t, "int never(int x);\nkernel void f(global int *p) { *p = never(4); }\n")};
	OK(clCompileProgram(parts[0], 0, NULL, "-DNAME=f", 0, NULL, NULL, NULL, NULL));
	cl_program alone = clLinkProgram(t->context, 0, NULL, NULL, 1, parts, NULL, NULL, &why);
	OK(why);
	runs(t, alone, 6);
	CHECK(!binary_has(alone, "never(") && binary_has(parts[0], "never("));
	for (int k = 0; k < 2; k++)
		OK(clCompileProgram(parts[k], 0, NULL, "-DNAME=g", 0, NULL, NULL, NULL, NULL));
	cl_program both = clLinkProgram(t->context, 0, NULL, NULL, 2, parts, NULL, NULL, &why);
	OK(why);
	runs(t, both, 5);
	cl_program library = clLinkProgram(t->context, 0, NULL, "-create-library", 1, parts, NULL, NULL, &why);
	OK(why);
	CHECK(binary_has(library, "never("));
	cl_program all[] = {built, parts[0], parts[1], alone, both, library};
	for (size_t k = 0; k < sizeof all / sizeof *all; k++)
		OK(clReleaseProgram(all[k]));
}

static void queries(const struct test *t)
{
	cl_program program = test_build(t,
		"kernel void first(global const float *restrict in, local float4 *tmp, constant int *c, uint n) { }\n"
		"kernel __attribute__((reqd_work_group_size(4, 2, 1))) void second(void) { }\n",
		"-cl-kernel-arg-info");
	cl_kernel kernels[2];
	cl_uint count = 0, arguments = 9;
	size_t number = 0, group[3] = {0};
	char text[256];
	cl_kernel_arg_address_qualifier space;
	cl_kernel_arg_type_qualifier qualifiers;
	OK(clGetProgramInfo(program, CL_PROGRAM_NUM_KERNELS, sizeof number, &number, NULL));
	CHECK(number == 2);
	OK(clGetProgramInfo(program, CL_PROGRAM_KERNEL_NAMES, sizeof text, text, NULL));
	CHECK(!strcmp(text, "first;second") || !strcmp(text, "second;first"));
	OK(clCreateKernelsInProgram(program, 2, kernels, &count));
	CHECK(count == 2);
	for (int k = 0; k < 2; k++) {
		OK(clGetKernelInfo(kernels[k], CL_KERNEL_FUNCTION_NAME, sizeof text, text, NULL));
		OK(clGetKernelInfo(kernels[k], CL_KERNEL_NUM_ARGS, sizeof arguments, &arguments, NULL));
		CHECK(arguments == (strcmp(text, "first") ? 0 : 4));
		OK(clGetKernelWorkGroupInfo(
			kernels[k], t->device, CL_KERNEL_COMPILE_WORK_GROUP_SIZE, sizeof group, group, NULL));
		CHECK(group[0] == (arguments ? 0 : 4) && group[1] == (arguments ? 0 : 2));
		if (!arguments)
			continue;
		OK(clGetKernelArgInfo(kernels[k], 0, CL_KERNEL_ARG_ADDRESS_QUALIFIER, sizeof space, &space, NULL));
		CHECK(space == CL_KERNEL_ARG_ADDRESS_GLOBAL);
		OK(clGetKernelArgInfo(kernels[k], 1, CL_KERNEL_ARG_ADDRESS_QUALIFIER, sizeof space, &space, NULL));
		CHECK(space == CL_KERNEL_ARG_ADDRESS_LOCAL);
		OK(clGetKernelArgInfo(kernels[k], 2, CL_KERNEL_ARG_ADDRESS_QUALIFIER, sizeof space, &space, NULL));
		CHECK(space == CL_KERNEL_ARG_ADDRESS_CONSTANT);
		OK(clGetKernelArgInfo(
			kernels[k], 0, CL_KERNEL_ARG_TYPE_QUALIFIER, sizeof qualifiers, &qualifiers, NULL));
		CHECK(qualifiers == (CL_KERNEL_ARG_TYPE_CONST | CL_KERNEL_ARG_TYPE_RESTRICT));
		OK(clGetKernelArgInfo(kernels[k], 1, CL_KERNEL_ARG_TYPE_NAME, sizeof text, text, NULL));
		CHECK(!strcmp(text, "float4*"));
		OK(clGetKernelArgInfo(kernels[k], 3, CL_KERNEL_ARG_NAME, sizeof text, text, NULL));
		CHECK(!strcmp(text, "n"));
	}
	OK(clReleaseKernel(kernels[0]));
	OK(clReleaseKernel(kernels[1]));
	OK(clReleaseProgram(program));
}

/* A clone has its own arguments. */
static void clones(const struct test *t)
{
	cl_int why, one = 1, two = 2, out[2] = {0};
	cl_kernel kernel = test_kernel(t, "kernel void f(global int *p, int i) { p[i - 1] = i; }", "f");
	cl_mem buffer = test_buffer(t, sizeof out, out);
	test_set(kernel, 0, buffer);
	OK(clSetKernelArg(kernel, 1, sizeof one, &one));
	cl_kernel clone = clCloneKernel(kernel, &why);
	OK(why);
	OK(clSetKernelArg(clone, 1, sizeof two, &two));
	test_launch(t, kernel, 1, 1);
	test_launch(t, clone, 1, 1);
	test_read(t, buffer, sizeof out, out);
	CHECK(out[0] == 1 && out[1] == 2);
	OK(clReleaseKernel(kernel));
	OK(clReleaseKernel(clone));
	OK(clReleaseMemObject(buffer));
}

/* Program-scope variables without a value are 0, also where a buffer lay before. */
static void variables(const struct test *t)
{
	enum { BUFFERS = 16, BYTES = 65536 };
	cl_int out = -1, all_ones = -1;
	cl_mem buffers[BUFFERS];
	for (int k = 0; k < BUFFERS; k++) {
		buffers[k] = test_buffer(t, BYTES, NULL);
		OK(clEnqueueFillBuffer(t->queue, buffers[k], &all_ones, sizeof all_ones, 0, BYTES, 0, NULL, NULL));
	}
	OK(clFinish(t->queue));
	for (int k = 0; k < BUFFERS; k++)
		OK(clReleaseMemObject(buffers[k]));
	cl_kernel kernel = test_kernel(t,
		"global int count, many[1000];\n"
		"kernel void f(global int *p) { *p = count++; for (int k = 0; k < 1000; k++) *p += many[k]++; }\n",
		"f");
	cl_mem buffer = test_buffer(t, sizeof out, &out);
	test_set(kernel, 0, buffer);
	test_launch(t, kernel, 1, 1);
	test_read(t, buffer, sizeof out, &out);
	CHECK(out == 0);
	test_launch(t, kernel, 1, 1);
	test_read(t, buffer, sizeof out, &out);
	CHECK(out == 1001);
	OK(clReleaseKernel(kernel));
	OK(clReleaseMemObject(buffer));
}

/* A vector of three takes the place of four. */
static void vectors_of_three(const struct test *t)
{
	cl_int out[6];
	cl_kernel kernel = test_kernel(t,
		"global uchar3 g = {1, 2, 3};\n"
		"global uchar tail = 9;\n"
		"constant short3 c = {4, 5, 6};\n"
		"global long3 big;\n"
		"kernel void f(global int *p)\n"
		"{\n"
		"	local uchar3 l;\n"
		"	local uchar behind;\n"
		"	behind = 7;\n"
		"	l = (uchar3)(1, 2, (uchar)*p);\n"
		"	barrier(CLK_LOCAL_MEM_FENCE);\n"
		"	uchar3 v = g;\n"
		"	g = v + (uchar)1;\n"
		"	big = convert_long3(v);\n"
		"	p[0] = g.x + g.y + g.z;\n"
		"	p[1] = tail;\n"
		"	p[2] = c.x + c.y + c.z;\n"
		"	p[3] = l.x + l.z;\n"
		"	p[4] = behind;\n"
		"	p[5] = (int)big.z;\n"
		"}\n",
		"f");
	static const cl_int zero[6], wanted[6] = {9, 9, 15, 1, 7, 3};
	cl_mem buffer = test_buffer(t, sizeof out, zero);
	test_set(kernel, 0, buffer);
	test_launch(t, kernel, 1, 1);
	test_read(t, buffer, sizeof out, out);
	CHECK(!memcmp(out, wanted, sizeof out));
	OK(clReleaseKernel(kernel));
	OK(clReleaseMemObject(buffer));
}

/* The names of built-in functions can be made by the preprocessor, and then are no words of the source. */
static void names_of_pieces(const struct test *t)
{
	cl_program program = test_build(t,
		"#define JOIN(a, b) a##b\n"
		"kernel void f(global int *p) { *p = JOIN(pop, count)(7) + JOIN(convert_, int_sat)(JOIN(ro, "
		"und)(3.7f)); }",
		NULL);
	runs(t, program, 7);
	OK(clReleaseProgram(program));
	program = test_build(t, "kernel void f(global int *p) { *p = JOIN(a,bs)(-8); }", "-DJOIN(a,b)=a##b");
	runs(t, program, 8);
	OK(clReleaseProgram(program));
}

int main(void)
{
	struct test t = test_open();
	failure(&t);
	notification(&t);
	link_errors(&t);
	rebuilt(&t);
	round_trip(&t);
	linking(&t);
	left_out(&t);
	queries(&t);
	clones(&t);
	variables(&t);
	vectors_of_three(&t);
	names_of_pieces(&t);
	test_close(&t);
	return 0;
}
