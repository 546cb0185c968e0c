/* What programs that are compiled apart share: kernels, variables, and C99's inline functions; and building a program
 * anew. PoCL 3.1: knows no -cl-fast-relaxed-math for a link and no extern __global variables, and does not build the
 * long inline functions. */
#include "check.h"

#define PARTS 4

static cl_program compiled(const struct test *t, const char *source, const char *options)
{
	cl_program program = test_program(t, source);
	OK(clCompileProgram(program, 0, NULL, options, 0, NULL, NULL, NULL, NULL));
	return program;
}

static cl_program linked(const struct test *t, const char *options, cl_uint count, const cl_program *parts)
{
	static char log[65536];
	cl_int why;
	cl_program program = clLinkProgram(t->context, 0, NULL, options, count, parts, NULL, NULL, &why);
	if (program && why) {
		clGetProgramBuildInfo(program, t->device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL);
		fprintf(stderr, "%s\n", log);
	}
	OK(why);
	return program;
}

/* Kernel `name` on { 10, 20 }: its first value becomes this one. */
static void gives(const struct test *t, cl_program program, const char *name, cl_int wanted)
{
	cl_int why, values[2] = {10, 20};
	cl_kernel kernel = clCreateKernel(program, name, &why);
	OK(why);
	cl_mem buffer = test_buffer(t, sizeof values, values);
	test_set(kernel, 0, buffer);
	test_launch(t, kernel, 1, 1);
	test_read(t, buffer, sizeof values, values);
	if (values[0] != wanted)
		fprintf(stderr, "%s: %d, not %d\n", name, values[0], wanted);
	CHECK(values[0] == wanted);
	OK(clReleaseMemObject(buffer));
	OK(clReleaseKernel(kernel));
}

static void release(cl_uint count, const cl_program *programs)
{
	for (cl_uint k = 0; k < count; k++)
		OK(clReleaseProgram(programs[k]));
}

/* ---- extern kernel ---- */

/* The called kernel has parameters below 32 bits, a structure and local memory; it is launched as well. */
static const char callee[] = "struct pair { char a; int b; };\n"
			     "kernel void add(global int *p, char c, struct pair pair, local int *scratch)\n"
			     "{\n"
			     "	local int kept;\n"
			     "	kept = *p + c;\n"
			     "	scratch[0] = pair.a + pair.b;\n"
			     "	barrier(CLK_LOCAL_MEM_FENCE);\n"
			     "	*p = kept + scratch[0];\n"
			     "}\n"
			     "kernel void one(global int *p) { *p += 1; }\n";
static const char caller[] = "struct pair { char a; int b; };\n"
			     "extern kernel void add(global int *p, char c, struct pair pair, local int *scratch);\n"
			     "extern __kernel void one(global int *p);\n"
			     "void twice(global int *p) { one(p); one(p); }\n"
			     "kernel void calls(global int *p)\n"
			     "{\n"
			     "	local int scratch[1];\n"
			     "	struct pair pair = {-100, 1000};\n"
			     "	add(p, -3, pair, scratch);\n"
			     "	one(p);\n"
			     "}\n";
/* Through a function of another program. */
static const char through[] = "void twice(global int *p);\n"
			      "extern kernel void calls(global int *p);\n"
			      "kernel void calls_twice(global int *p) { twice(p); calls(p); }\n";

static void kernels_run(const struct test *t, cl_program program)
{
	gives(t, program, "one", 11);
	gives(t, program, "calls", 10 - 3 + 900 + 1);
	gives(t, program, "calls_twice", 10 + 2 - 3 + 900 + 1);
}

static void kernels(const struct test *t)
{
	cl_program parts[PARTS] = {compiled(t, through, NULL), compiled(t, caller, NULL), compiled(t, callee, NULL)};
	cl_program backwards[3] = {parts[2], parts[1], parts[0]};
	cl_program whole[2] = {linked(t, NULL, 3, parts), linked(t, NULL, 3, backwards)};
	kernels_run(t, whole[0]);
	kernels_run(t, whole[1]);
	/* A library of what calls and what is called, and one of what calls alone. */
	cl_program libraries[3] = {linked(t, "-create-library -enable-link-options", 2, parts + 1),
		linked(t, "-create-library", 1, parts + 1), linked(t, "-create-library", 1, parts + 2)};
	cl_program with[2] = {parts[0], libraries[0]}, with_two[3] = {libraries[1], parts[0], libraries[2]};
	cl_program of_libraries[2] = {linked(t, "-cl-fast-relaxed-math", 2, with), linked(t, "", 3, with_two)};
	kernels_run(t, of_libraries[0]);
	kernels_run(t, of_libraries[1]);
	release(3, parts);
	release(2, whole);
	release(3, libraries);
	release(2, of_libraries);
}

/* ---- Variables ---- */

static void variables(const struct test *t)
{
	cl_program parts[2] = {
		compiled(t,
			"extern constant int table[3];\n"
			"extern constant float half_of;\n"
			"kernel void f(global int *p) { *p = table[*p - 9] + (int)(half_of * 2); }\n",
			"-cl-std=CL3.0"),
		compiled(t, "constant int table[3] = {5, 6, 7};\nconstant float half_of = 1.5f;\n", "-cl-std=CL3.0"),
	};
	cl_program whole = linked(t, NULL, 2, parts);
	gives(t, whole, "f", 6 + 3);
	release(2, parts);
	release(1, &whole);
	if (test_is_foreign(t))
		return;
	parts[0] = compiled(t, "extern global int count; kernel void f(global int *p) { count += *p; *p = count; }\n",
		"-cl-std=CL3.0");
	parts[1] = compiled(t, "global int count = 3; kernel void g(global int *p) { *p = count; }\n", "-cl-std=CL3.0");
	whole = linked(t, NULL, 2, parts);
	gives(t, whole, "f", 13);
	gives(t, whole, "g", 13);
	release(2, parts);
	release(1, &whole);
}

/* ---- C99's inline ---- */

/* Too long for the compiler to put into its callers. */
#define STEP "s = s * 5 ^ (s >> 3); s += s << 7; s ^= s >> 11; s = s * 17 + 3; s -= x * s;\n"
#define STEPS STEP STEP STEP STEP STEP STEP STEP STEP STEP STEP STEP STEP STEP STEP STEP STEP
#define LONG_FUNCTION(how, name, add)                                                                                  \
	how " int " name "(int x)\n{\n	uint s = x;\n" STEPS STEPS STEPS STEPS "	return s + " add ";\n}\n"

static cl_int long_function(cl_int x, cl_uint add)
{
	cl_uint s = (cl_uint)x;
	for (int k = 0; k < 64; k++) {
		s = (s * 5) ^ (s >> 3);
		s += s << 7;
		s ^= s >> 11;
		s = s * 17 + 3;
		s -= (cl_uint)x * s;
	}
	return (cl_int)(s + add);
}

static cl_int both(cl_uint add)
{
	return (cl_int)((cl_uint)long_function(10, add) + (cl_uint)long_function(20, add));
}

/* `g` in one program, in every way to say it; the first with every option that might matter. */
static void inline_in_one(const struct test *t)
{
	static const struct {
		const char *function, *options;
	} rows[] = {
		{LONG_FUNCTION("inline", "g", "1"), NULL},
		{LONG_FUNCTION("inline", "g", "1"), "-cl-opt-disable"},
		{LONG_FUNCTION("inline", "g", "1"), "-cl-std=CL3.0"},
		{LONG_FUNCTION("static inline", "g", "1"), NULL},
		{LONG_FUNCTION("extern inline", "g", "1"), NULL},
		{LONG_FUNCTION("inline", "g", "1") "extern int g(int x);\n", NULL},
		{LONG_FUNCTION("__inline __attribute__((noinline))", "g", "1"), NULL},
		/* With what it calls in turn, functions of the language among that. */
		{LONG_FUNCTION("inline", "h", "1") "inline int g(int x) { return clamp(h(x), INT_MIN, INT_MAX); }\n"
						   "inline int unused(int x) { return not_there(x); }\n",
			NULL},
	};
	static char source[65536];
	for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
		snprintf(source, sizeof source,
			"int not_there(int x);\n%s"
			"kernel void f(global int *p) { *p = g(p[0]) + g(p[1]); }\n",
			rows[k].function);
		cl_program program = test_build(t, source, rows[k].options);
		gives(t, program, "f", both(1));
		release(1, &program);
	}
}

/* Each program has its own, of one name and by one header or by none; another has it without `inline`. */
static void inline_in_many(const struct test *t)
{
	static const char name[] = "header.h";
	const char *pointer = name;
	cl_program header = test_program(t, LONG_FUNCTION("inline", "g", "2"));
	cl_program parts[PARTS] = {
		test_program(t, "#include \"header.h\"\nkernel void f1(global int *p) { *p = g(p[0]) + g(p[1]); }\n"),
		test_program(t, "#include <header.h>\nkernel void f2(global int *p) { *p = g(p[0]) + g(p[1]); }\n"),
		test_program(t, LONG_FUNCTION("static inline", "g",
					"3") "kernel void f3(global int *p) { *p = g(p[0]) + g(p[1]); }\n"),
		test_program(
			t, LONG_FUNCTION("", "g", "2") "kernel void f4(global int *p) { *p = g(p[0]) + g(p[1]); }\n"),
	};
	for (int k = 0; k < PARTS; k++)
		OK(clCompileProgram(parts[k], 0, NULL, NULL, 1, &header, &pointer, NULL, NULL));
	cl_program library = linked(t, "-create-library", 2, parts);
	cl_program with[3] = {parts[2], library, parts[3]};
	cl_program wholes[3] = {linked(t, NULL, PARTS, parts), linked(t, NULL, 3, with), linked(t, NULL, 3, parts)};
	for (int k = 0; k < 3; k++) {
		gives(t, wholes[k], "f1", both(2));
		gives(t, wholes[k], "f2", both(2));
		gives(t, wholes[k], "f3", both(3));
		if (k < 2)
			gives(t, wholes[k], "f4", both(2));
	}
	release(1, &header);
	release(1, &library);
	release(3, wholes);
	release(PARTS, parts);
}

/* ---- Building anew ---- */

/* A kernel that commands still have is not attached once the application has released it (clBuildProgram). */
static void again(const struct test *t)
{
	cl_int why, value = 0;
	cl_program program = test_program(t, "kernel void f(global int *p) { *p = *p * 10 + VALUE; }");
	cl_mem buffer = test_buffer(t, sizeof value, &value);
	for (int k = 1; k <= 3; k++) {
		char option[32];
		snprintf(option, sizeof option, "-DVALUE=%d", k);
		OK(clBuildProgram(program, 0, NULL, option, NULL, NULL));
		cl_kernel kernel = clCreateKernel(program, "f", &why);
		OK(why);
		if (!test_is_foreign(t)) /* PoCL builds under the kernel's feet */
			GIVES(CL_INVALID_OPERATION, clBuildProgram(program, 0, NULL, option, NULL, NULL));
		test_set(kernel, 0, buffer);
		test_launch(t, kernel, 1, 1);
		if (test_is_foreign(t))
			OK(clFinish(t->queue));
		OK(clReleaseKernel(kernel));
	}
	test_read(t, buffer, sizeof value, &value);
	CHECK(value == 123);
	OK(clReleaseMemObject(buffer));
	OK(clReleaseProgram(program));
}

int main(void)
{
	struct test t = test_open();
	kernels(&t);
	variables(&t);
	inline_in_one(&t);
	inline_in_many(&t);
	again(&t);
	test_close(&t);
	return 0;
}
