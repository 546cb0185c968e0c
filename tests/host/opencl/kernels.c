/* Kernels and programs: what they say of themselves, what each argument may be, and what wrong calls get. Expectations:
 * OpenCL 3.0, 5.8 (programs) and 5.9 (kernels), the tables and the lists of errors of each call. */
#include "check.h"

#define BUFFER_BYTES 64

static const char source[] =
	"kernel void store(global int *to, int value, local int *room) { room[0] = value; to[1] = room[0]; }\n"
	"kernel __attribute__((reqd_work_group_size(4, 2, 1))) void shaped(constant float *restrict table, const uint "
	"n) {}\n"
	"kernel void look(read_only image2d_t in, write_only image2d_t out, sampler_t s) {\n"
	"	write_imagef(out, (int2)(0, 0), read_imagef(in, s, (int2)(0, 0)));\n"
	"}\n"
	"kernel void holds(global volatile int *p, global const float4 *restrict q) { local int here[25]; int i = *p; "
	"here[i] = i; barrier(CLK_LOCAL_MEM_FENCE); p[1] = here[p[2]]; }\n";

/* Asks for a value of a type: where it fits, where it is one byte short, and for its size alone. */
#define IS(type, expected, ...)                                                                                        \
	do {                                                                                                           \
		type value_ = (type)-1;                                                                                \
		size_t size_ = 99;                                                                                     \
		OK(ASKED(__VA_ARGS__, sizeof value_, &value_, &size_));                                                \
		CHECK(size_ == sizeof value_ && value_ == (type)(expected));                                           \
		GIVES(CL_INVALID_VALUE, ASKED(__VA_ARGS__, sizeof value_ - 1, &value_, NULL));                         \
		size_ = 99;                                                                                            \
		OK(ASKED(__VA_ARGS__, 0, NULL, &size_));                                                               \
		CHECK(size_ == sizeof value_);                                                                         \
	} while (0)
#define ASKED(get, ...) get(__VA_ARGS__)

/* As IS, of text. */
#define READS(expected, ...)                                                                                           \
	do {                                                                                                           \
		char text_[2048] = "none";                                                                             \
		size_t size_ = 99;                                                                                     \
		OK(ASKED(__VA_ARGS__, sizeof text_, text_, &size_));                                                   \
		CHECK(!strcmp(text_, expected) && size_ == strlen(expected) + 1);                                      \
		GIVES(CL_INVALID_VALUE, ASKED(__VA_ARGS__, strlen(expected), text_, NULL));                            \
		OK(ASKED(__VA_ARGS__, strlen(expected) + 1, text_, NULL));                                             \
	} while (0)

static cl_kernel make(cl_program program, const char *name)
{
	cl_int why;
	cl_kernel kernel = clCreateKernel(program, name, &why);
	OK(why);
	return kernel;
}

/* ---- Programs ---- */

static void check_program(const struct test *t, cl_program program)
{
	cl_program none = (cl_program)t->queue;
	cl_device_id no_device = (cl_device_id)t->queue, device;
	size_t length = 99;
	char *binary = NULL;
	IS(cl_uint, 1, clGetProgramInfo, program, CL_PROGRAM_REFERENCE_COUNT);
	OK(clRetainProgram(program));
	IS(cl_uint, 2, clGetProgramInfo, program, CL_PROGRAM_REFERENCE_COUNT);
	OK(clReleaseProgram(program));
	IS(cl_uint, 1, clGetProgramInfo, program, CL_PROGRAM_REFERENCE_COUNT);
	IS(cl_context, t->context, clGetProgramInfo, program, CL_PROGRAM_CONTEXT);
	IS(cl_uint, 1, clGetProgramInfo, program, CL_PROGRAM_NUM_DEVICES);
	OK(clGetProgramInfo(program, CL_PROGRAM_DEVICES, sizeof device, &device, &length));
	CHECK(device == t->device && length == sizeof device);
	READS(source, clGetProgramInfo, program, CL_PROGRAM_SOURCE);
	IS(size_t, 4, clGetProgramInfo, program, CL_PROGRAM_NUM_KERNELS);
	IS(cl_bool, CL_FALSE, clGetProgramInfo, program, CL_PROGRAM_SCOPE_GLOBAL_CTORS_PRESENT);
	IS(cl_bool, CL_FALSE, clGetProgramInfo, program, CL_PROGRAM_SCOPE_GLOBAL_DTORS_PRESENT);
	READS("store;shaped;look;holds", clGetProgramInfo, program, CL_PROGRAM_KERNEL_NAMES);
	OK(clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof length, &length, NULL));
	OK(clGetProgramInfo(
		program, CL_PROGRAM_BINARIES, sizeof binary, &binary, NULL)); /* a null pointer: not wanted */
	OK(clGetProgramInfo(program, CL_PROGRAM_BINARIES, 0, NULL, &length));
	CHECK(length == sizeof binary);
	GIVES(CL_INVALID_VALUE, clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof binary - 1, &binary, NULL));
	GIVES(CL_INVALID_VALUE, clGetProgramInfo(program, 0x1159, 0, NULL, NULL));
	GIVES(CL_INVALID_PROGRAM, clGetProgramInfo(none, CL_PROGRAM_CONTEXT, 0, NULL, NULL));
	IS(cl_build_status, CL_BUILD_SUCCESS, clGetProgramBuildInfo, program, t->device, CL_PROGRAM_BUILD_STATUS);
	IS(cl_program_binary_type, CL_PROGRAM_BINARY_TYPE_EXECUTABLE, clGetProgramBuildInfo, program, t->device,
		CL_PROGRAM_BINARY_TYPE);
	READS("-cl-kernel-arg-info -DX=1", clGetProgramBuildInfo, program, t->device, CL_PROGRAM_BUILD_OPTIONS);
	GIVES(CL_INVALID_VALUE, clGetProgramBuildInfo(program, t->device, 0x1180, 0, NULL, NULL));
	GIVES(CL_INVALID_DEVICE, clGetProgramBuildInfo(program, no_device, CL_PROGRAM_BUILD_STATUS, 0, NULL, NULL));
	GIVES(CL_INVALID_PROGRAM, clGetProgramBuildInfo(none, t->device, CL_PROGRAM_BUILD_STATUS, 0, NULL, NULL));
	GIVES(CL_INVALID_PROGRAM, clRetainProgram(none));
	GIVES(CL_INVALID_PROGRAM, clReleaseProgram(none));
}

/* Before it is built, and of other origins. */
static void check_unbuilt(const struct test *t)
{
	cl_int why;
	cl_uint count;
	const char *pieces[] = {"kernel void f(global int *p) { *p = 1", "23xxx", "; }\n"};
	const size_t lengths[] = {0, 2, 4};
	cl_context none = (cl_context)t->queue;
	cl_program program = clCreateProgramWithSource(t->context, 3, pieces, lengths, &why), all;
	OK(why);
	READS("kernel void f(global int *p) { *p = 123; }\n", clGetProgramInfo, program, CL_PROGRAM_SOURCE);
	IS(cl_build_status, CL_BUILD_NONE, clGetProgramBuildInfo, program, t->device, CL_PROGRAM_BUILD_STATUS);
	IS(cl_program_binary_type, CL_PROGRAM_BINARY_TYPE_NONE, clGetProgramBuildInfo, program, t->device,
		CL_PROGRAM_BINARY_TYPE);
	IS(size_t, 0, clGetProgramBuildInfo, program, t->device, CL_PROGRAM_BUILD_GLOBAL_VARIABLE_TOTAL_SIZE);
	IS(size_t, 0, clGetProgramInfo, program, CL_PROGRAM_BINARY_SIZES);
	READS("", clGetProgramBuildInfo, program, t->device, CL_PROGRAM_BUILD_OPTIONS);
	READS("", clGetProgramBuildInfo, program, t->device, CL_PROGRAM_BUILD_LOG);
	GIVES(CL_INVALID_PROGRAM_EXECUTABLE, clGetProgramInfo(program, CL_PROGRAM_NUM_KERNELS, 0, NULL, NULL));
	GIVES(CL_INVALID_PROGRAM_EXECUTABLE, clGetProgramInfo(program, CL_PROGRAM_KERNEL_NAMES, 0, NULL, NULL));
	GIVES(CL_INVALID_PROGRAM_EXECUTABLE, clCreateKernelsInProgram(program, 0, NULL, &count));
	OK(clReleaseProgram(program));
	CHECK(!clCreateProgramWithSource(none, 3, pieces, lengths, &why) && why == CL_INVALID_CONTEXT);
	CHECK(!clCreateProgramWithSource(t->context, 3, NULL, lengths, &why) && why == CL_INVALID_VALUE);
	CHECK(!clCreateProgramWithSource(t->context, 0, pieces, lengths, &why) && why == CL_INVALID_VALUE);
	CHECK(!clCreateProgramWithSource(t->context, 2, (const char *[]){pieces[0], NULL}, NULL, &why) &&
		why == CL_INVALID_VALUE);
	all = clCreateProgramWithSource(t->context, 1, pieces, NULL, NULL);
	OK(clReleaseProgram(all));
}

static void check_binaries(const struct test *t, cl_program program)
{
	cl_int why, status[2] = {9, 9};
	cl_device_id no_device = (cl_device_id)t->queue;
	size_t length, zero = 0;
	OK(clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof length, &length, NULL));
	unsigned char *bytes = malloc(length), *null = NULL;
	const unsigned char *binary = bytes, *none = null, *junk = (const unsigned char *)"no PTX";
	OK(clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof bytes, &bytes, NULL));
	CHECK(!memchr(bytes, 0, length));
	cl_program again = clCreateProgramWithBinary(t->context, 1, &t->device, &length, &binary, status, &why);
	OK(why);
	CHECK(status[0] == CL_SUCCESS && status[1] == 9);
	READS("", clGetProgramInfo, again, CL_PROGRAM_SOURCE);
	IS(size_t, length, clGetProgramInfo, again, CL_PROGRAM_BINARY_SIZES);
	IS(cl_program_binary_type, CL_PROGRAM_BINARY_TYPE_EXECUTABLE, clGetProgramBuildInfo, again, t->device,
		CL_PROGRAM_BINARY_TYPE);
	OK(clReleaseProgram(again));
	struct {
		cl_int code;
		cl_context context;
		cl_uint count;
		const cl_device_id *device;
		const size_t *length;
		const unsigned char **binary;
	} wrong[] = {
		{CL_INVALID_CONTEXT, (cl_context)t->queue, 1, &t->device, &length, &binary},
		{CL_INVALID_VALUE, t->context, 0, &t->device, &length, &binary},
		{CL_INVALID_VALUE, t->context, 1, NULL, &length, &binary},
		{CL_INVALID_VALUE, t->context, 1, &t->device, NULL, &binary},
		{CL_INVALID_VALUE, t->context, 1, &t->device, &length, NULL},
		{CL_INVALID_VALUE, t->context, 1, &t->device, &zero, &binary},
		{CL_INVALID_VALUE, t->context, 1, &t->device, &length, &none},
		{CL_INVALID_DEVICE, t->context, 1, &no_device, &length, &binary},
		{CL_INVALID_BINARY, t->context, 1, &t->device, &(size_t){6}, &junk},
	};
	for (check_entry = 0; check_entry < (int)(sizeof wrong / sizeof *wrong); check_entry++) {
		CHECK(!clCreateProgramWithBinary(wrong[check_entry].context, wrong[check_entry].count,
			wrong[check_entry].device, wrong[check_entry].length, wrong[check_entry].binary, NULL, &why));
		GIVES(wrong[check_entry].code, why);
	}
	check_entry = 0;
	CHECK(!clCreateProgramWithBinary(t->context, 1, &t->device, &zero, &binary, status, &why) &&
		status[0] == CL_INVALID_VALUE);
	CHECK(!clCreateProgramWithBinary(t->context, 1, &t->device, &length, &none, status, &why) &&
		status[0] == CL_INVALID_VALUE);
	CHECK(!clCreateProgramWithBinary(t->context, 1, &t->device, &(size_t){6}, &junk, status, &why) &&
		status[0] == CL_INVALID_BINARY);
	/* Of two binaries each its own. */
	const cl_device_id twice[2] = {t->device, t->device};
	for (int k = 0; k < 3; k++) {
		const size_t lengths[2] = {k == 0 ? 0 : length, k == 1 ? 0 : length};
		const unsigned char *both[2] = {binary, k == 2 ? none : binary};
		status[0] = status[1] = 9;
		CHECK(!clCreateProgramWithBinary(t->context, 2, twice, lengths, both, status, &why) &&
			why == CL_INVALID_VALUE);
		CHECK(status[0] == (k ? CL_SUCCESS : CL_INVALID_VALUE) &&
			status[1] == (k ? CL_INVALID_VALUE : CL_SUCCESS));
	}
	bytes[length / 2] = 0; /* PTX is text */
	CHECK(!clCreateProgramWithBinary(t->context, 1, &t->device, &length, &binary, status, &why) &&
		why == CL_INVALID_BINARY);
	free(bytes);
}

/* ---- Kernels ---- */

static void check_kernel(const struct test *t, cl_program program)
{
	cl_int why;
	cl_uint count = 0;
	cl_kernel store = make(program, "store"), all[5] = {NULL}, none = (cl_kernel)t->queue;
	READS("store", clGetKernelInfo, store, CL_KERNEL_FUNCTION_NAME);
	IS(cl_uint, 3, clGetKernelInfo, store, CL_KERNEL_NUM_ARGS);
	IS(cl_context, t->context, clGetKernelInfo, store, CL_KERNEL_CONTEXT);
	IS(cl_program, program, clGetKernelInfo, store, CL_KERNEL_PROGRAM);
	IS(cl_uint, 1, clGetKernelInfo, store, CL_KERNEL_REFERENCE_COUNT);
	OK(clRetainKernel(store));
	IS(cl_uint, 2, clGetKernelInfo, store, CL_KERNEL_REFERENCE_COUNT);
	OK(clReleaseKernel(store));
	IS(cl_uint, 1, clGetKernelInfo, store, CL_KERNEL_REFERENCE_COUNT);
	GIVES(CL_INVALID_VALUE, clGetKernelInfo(store, 0x1180, 0, NULL, NULL));
	GIVES(CL_INVALID_KERNEL, clGetKernelInfo(none, CL_KERNEL_NUM_ARGS, 0, NULL, NULL));
	GIVES(CL_INVALID_KERNEL, clRetainKernel(none));
	GIVES(CL_INVALID_KERNEL, clReleaseKernel(none));
	CHECK(!clCreateKernel((cl_program)t->queue, "store", &why) && why == CL_INVALID_PROGRAM);
	CHECK(!clCreateKernel(program, "stor", &why) && why == CL_INVALID_KERNEL_NAME);
	CHECK(!clCreateKernel(program, "", NULL));
	CHECK(!clCreateKernel(program, NULL, &why) && why == CL_INVALID_VALUE);
	GIVES(CL_INVALID_PROGRAM, clCreateKernelsInProgram((cl_program)t->queue, 4, all, &count));
	GIVES(CL_INVALID_VALUE, clCreateKernelsInProgram(program, 3, all, &count));
	OK(clCreateKernelsInProgram(program, 0, NULL, &count));
	CHECK(count == 4);
	OK(clCreateKernelsInProgram(program, 5, all, NULL));
	CHECK(!all[4]);
	const char *const names[] = {"store", "shaped", "look", "holds"};
	for (check_entry = 0; check_entry < 4; check_entry++) {
		READS(names[check_entry], clGetKernelInfo, all[check_entry], CL_KERNEL_FUNCTION_NAME);
		OK(clReleaseKernel(all[check_entry]));
	}
	check_entry = 0;
	CHECK(!clCloneKernel(none, &why) && why == CL_INVALID_KERNEL);
	GIVES(CL_INVALID_OPERATION,
		clBuildProgram(program, 0, NULL, NULL, NULL, NULL)); /* "there are kernel objects attached" */
	OK(clReleaseKernel(store));
}

static void check_arguments(const struct test *t, cl_program program)
{
	cl_kernel store = make(program, "store"), shaped = make(program, "shaped"), look = make(program, "look"),
		  holds = make(program, "holds");
	const struct {
		cl_kernel kernel;
		cl_uint index;
		cl_kernel_arg_address_qualifier space;
		cl_kernel_arg_access_qualifier access;
		cl_kernel_arg_type_qualifier qualifiers;
		const char *type, *name;
	} arguments[] = {
		{store, 0, CL_KERNEL_ARG_ADDRESS_GLOBAL, CL_KERNEL_ARG_ACCESS_NONE, CL_KERNEL_ARG_TYPE_NONE, "int*",
			"to"},
		{store, 1, CL_KERNEL_ARG_ADDRESS_PRIVATE, CL_KERNEL_ARG_ACCESS_NONE, CL_KERNEL_ARG_TYPE_NONE, "int",
			"value"},
		{store, 2, CL_KERNEL_ARG_ADDRESS_LOCAL, CL_KERNEL_ARG_ACCESS_NONE, CL_KERNEL_ARG_TYPE_NONE, "int*",
			"room"},
		/* "CL_KERNEL_ARG_TYPE_CONST ... is also returned if the argument is a pointer with the constant address
		   space qualifier" */
		{shaped, 0, CL_KERNEL_ARG_ADDRESS_CONSTANT, CL_KERNEL_ARG_ACCESS_NONE,
			CL_KERNEL_ARG_TYPE_CONST | CL_KERNEL_ARG_TYPE_RESTRICT, "float*", "table"},
		{shaped, 1, CL_KERNEL_ARG_ADDRESS_PRIVATE, CL_KERNEL_ARG_ACCESS_NONE, CL_KERNEL_ARG_TYPE_NONE, "uint",
			"n"},
		{look, 0, CL_KERNEL_ARG_ADDRESS_GLOBAL, CL_KERNEL_ARG_ACCESS_READ_ONLY, CL_KERNEL_ARG_TYPE_NONE,
			"image2d_t", "in"},
		{look, 1, CL_KERNEL_ARG_ADDRESS_GLOBAL, CL_KERNEL_ARG_ACCESS_WRITE_ONLY, CL_KERNEL_ARG_TYPE_NONE,
			"image2d_t", "out"},
		{look, 2, CL_KERNEL_ARG_ADDRESS_PRIVATE, CL_KERNEL_ARG_ACCESS_NONE, CL_KERNEL_ARG_TYPE_NONE,
			"sampler_t", "s"},
		{holds, 0, CL_KERNEL_ARG_ADDRESS_GLOBAL, CL_KERNEL_ARG_ACCESS_NONE, CL_KERNEL_ARG_TYPE_VOLATILE, "int*",
			"p"},
		{holds, 1, CL_KERNEL_ARG_ADDRESS_GLOBAL, CL_KERNEL_ARG_ACCESS_NONE,
			CL_KERNEL_ARG_TYPE_CONST | CL_KERNEL_ARG_TYPE_RESTRICT, "float4*", "q"},
	};
	for (check_entry = 0; check_entry < (int)(sizeof arguments / sizeof *arguments); check_entry++) {
		cl_kernel kernel = arguments[check_entry].kernel;
		cl_uint index = arguments[check_entry].index;
		IS(cl_kernel_arg_address_qualifier, arguments[check_entry].space, clGetKernelArgInfo, kernel, index,
			CL_KERNEL_ARG_ADDRESS_QUALIFIER);
		IS(cl_kernel_arg_access_qualifier, arguments[check_entry].access, clGetKernelArgInfo, kernel, index,
			CL_KERNEL_ARG_ACCESS_QUALIFIER);
		IS(cl_kernel_arg_type_qualifier, arguments[check_entry].qualifiers, clGetKernelArgInfo, kernel, index,
			CL_KERNEL_ARG_TYPE_QUALIFIER);
		READS(arguments[check_entry].type, clGetKernelArgInfo, kernel, index, CL_KERNEL_ARG_TYPE_NAME);
		READS(arguments[check_entry].name, clGetKernelArgInfo, kernel, index, CL_KERNEL_ARG_NAME);
	}
	check_entry = 0;
	GIVES(CL_INVALID_ARG_INDEX, clGetKernelArgInfo(store, 3, CL_KERNEL_ARG_NAME, 0, NULL, NULL));
	GIVES(CL_INVALID_VALUE, clGetKernelArgInfo(store, 0, 0x119b, 0, NULL, NULL));
	GIVES(CL_INVALID_KERNEL, clGetKernelArgInfo((cl_kernel)t->queue, 0, CL_KERNEL_ARG_NAME, 0, NULL, NULL));
	OK(clReleaseKernel(store));
	OK(clReleaseKernel(shaped));
	OK(clReleaseKernel(look));
	OK(clReleaseKernel(holds));
}

static void check_sizes(const struct test *t, cl_program program)
{
	cl_kernel store = make(program, "store"), shaped = make(program, "shaped"), holds = make(program, "holds");
	size_t group[3] = {9, 9, 9}, size, largest, warp, sub_groups;
	cl_device_id no_device = (cl_device_id)t->queue;
	cl_ulong private;
	OK(clGetDeviceInfo(t->device, CL_DEVICE_MAX_WORK_GROUP_SIZE, sizeof largest, &largest, NULL));
	OK(clGetKernelWorkGroupInfo(
		store, NULL, CL_KERNEL_WORK_GROUP_SIZE, sizeof size, &size, NULL)); /* the context has one device */
	CHECK(size >= 32 && size <= largest);
	OK(clGetKernelWorkGroupInfo(
		store, t->device, CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE, sizeof warp, &warp, NULL));
	CHECK(warp == 32);
	OK(clGetKernelWorkGroupInfo(store, t->device, CL_KERNEL_PRIVATE_MEM_SIZE, sizeof private, &private, &size));
	CHECK(size == sizeof private && private == 0); /* nothing of it is in memory */
	OK(clGetKernelWorkGroupInfo(store, t->device, CL_KERNEL_COMPILE_WORK_GROUP_SIZE, sizeof group, group, &size));
	CHECK(size == sizeof group && !group[0] && !group[1] && !group[2]);
	OK(clGetKernelWorkGroupInfo(shaped, t->device, CL_KERNEL_COMPILE_WORK_GROUP_SIZE, sizeof group, group, NULL));
	CHECK(group[0] == 4 && group[1] == 2 && group[2] == 1);
	/* Local memory: of the kernel's variables, and of the arguments set. */
	IS(cl_ulong, 0, clGetKernelWorkGroupInfo, store, t->device, CL_KERNEL_LOCAL_MEM_SIZE);
	OK(clSetKernelArg(store, 2, 48, NULL));
	IS(cl_ulong, 48, clGetKernelWorkGroupInfo, store, t->device, CL_KERNEL_LOCAL_MEM_SIZE);
	IS(cl_ulong, 100, clGetKernelWorkGroupInfo, holds, t->device, CL_KERNEL_LOCAL_MEM_SIZE);
	GIVES(CL_INVALID_VALUE,
		clGetKernelWorkGroupInfo(store, t->device, CL_KERNEL_GLOBAL_WORK_SIZE, sizeof group, group, NULL));
	GIVES(CL_INVALID_VALUE, clGetKernelWorkGroupInfo(store, t->device, 0x11c0, 0, NULL, NULL));
	GIVES(CL_INVALID_DEVICE, clGetKernelWorkGroupInfo(store, no_device, CL_KERNEL_LOCAL_MEM_SIZE, 0, NULL, NULL));
	GIVES(CL_INVALID_KERNEL,
		clGetKernelWorkGroupInfo((cl_kernel)t->queue, t->device, CL_KERNEL_LOCAL_MEM_SIZE, 0, NULL, NULL));
	OK(clGetKernelSubGroupInfo(
		store, t->device, CL_KERNEL_MAX_NUM_SUB_GROUPS, 0, NULL, sizeof sub_groups, &sub_groups, NULL));
	OK(clGetKernelWorkGroupInfo(store, t->device, CL_KERNEL_WORK_GROUP_SIZE, sizeof size, &size, NULL));
	CHECK(sub_groups == size / 32);
	OK(clReleaseKernel(store));
	OK(clReleaseKernel(shaped));
	OK(clReleaseKernel(holds));
}

/* Questions about sub-groups (5.9.3, table 38), of sub-groups of 32. */
static void check_sub_groups(const struct test *t, cl_program program)
{
	cl_kernel kernel = make(program, "store");
	cl_device_id no_device = (cl_device_id)t->queue;
	const struct {
		cl_kernel_sub_group_info name;
		size_t input[3], dimensions, expected;
	} cases[] = {
		{CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE, {64}, 1, 32},
		{CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE, {7, 3}, 2, 21},
		{CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE, {8, 2, 2}, 3, 32},
		{CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE, {64}, 1, 2},
		{CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE, {65}, 1, 3},
		{CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE, {31, 1}, 2, 1},
		{CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE, {8, 4, 3}, 3, 3},
		{CL_KERNEL_COMPILE_NUM_SUB_GROUPS, {0}, 0, 0},
	};
	size_t value, group[3], size, large = 1 << 20, three = 3;
	for (check_entry = 0; check_entry < (int)(sizeof cases / sizeof *cases); check_entry++) {
		value = 99;
		OK(clGetKernelSubGroupInfo(kernel, t->device, cases[check_entry].name,
			cases[check_entry].dimensions * sizeof(size_t),
			cases[check_entry].dimensions ? cases[check_entry].input : NULL, sizeof value, &value, &size));
		CHECK(value == cases[check_entry].expected && size == sizeof value);
	}
	check_entry = 0;
	for (cl_uint dimensions = 1; dimensions <= 3; dimensions++) {
		group[0] = group[1] = group[2] = 77;
		OK(clGetKernelSubGroupInfo(kernel, t->device, CL_KERNEL_LOCAL_SIZE_FOR_SUB_GROUP_COUNT, sizeof three,
			&three, dimensions * sizeof *group, group, &size));
		CHECK(size == dimensions * sizeof *group && group[0] == 96 && group[1] == (dimensions > 1 ? 1 : 77) &&
			group[2] == (dimensions > 2 ? 1 : 77));
	}
	/* As many as there may be at most, and one more: "If there is no work-group size ..., 0" */
	OK(clGetKernelSubGroupInfo(
		kernel, t->device, CL_KERNEL_MAX_NUM_SUB_GROUPS, 0, NULL, sizeof large, &large, NULL));
	for (value = large; large <= value + 1; large++) {
		OK(clGetKernelSubGroupInfo(kernel, t->device, CL_KERNEL_LOCAL_SIZE_FOR_SUB_GROUP_COUNT, sizeof large,
			&large, sizeof *group, group, NULL));
		CHECK(group[0] == (large == value ? value * 32 : 0));
	}
	large = 1 << 20;
	OK(clGetKernelSubGroupInfo(kernel, t->device, CL_KERNEL_LOCAL_SIZE_FOR_SUB_GROUP_COUNT, sizeof large, &large,
		sizeof group, group, NULL));
	CHECK(!group[0] && !group[1] && !group[2]);
	OK(clGetKernelSubGroupInfo(
		kernel, t->device, CL_KERNEL_LOCAL_SIZE_FOR_SUB_GROUP_COUNT, sizeof three, &three, 0, NULL, &size));
	CHECK(size == sizeof group);
	const struct {
		cl_int code;
		cl_kernel_sub_group_info name;
		size_t input_bytes;
		const void *input;
		size_t bytes;
	} wrong[] = {
		{CL_INVALID_VALUE, CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE, 8, NULL, 8},
		{CL_INVALID_VALUE, CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE, 0, group, 8},
		{CL_INVALID_VALUE, CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE, 12, group, 8},
		{CL_INVALID_VALUE, CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE, 32, group, 8},
		{CL_INVALID_VALUE, CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE, 8, group, 7},
		{CL_INVALID_VALUE, CL_KERNEL_LOCAL_SIZE_FOR_SUB_GROUP_COUNT, 16, group, 8},
		{CL_INVALID_VALUE, CL_KERNEL_LOCAL_SIZE_FOR_SUB_GROUP_COUNT, 8, NULL, 8},
		{CL_INVALID_VALUE, CL_KERNEL_LOCAL_SIZE_FOR_SUB_GROUP_COUNT, 8, &three, 12},
		{CL_INVALID_VALUE, CL_KERNEL_LOCAL_SIZE_FOR_SUB_GROUP_COUNT, 8, &three, 32},
		{CL_INVALID_VALUE, CL_KERNEL_LOCAL_SIZE_FOR_SUB_GROUP_COUNT, 8, &three, 4},
		{CL_INVALID_VALUE, 0x2000, 8, group, 8},
	};
	size_t room[4];
	for (check_entry = 0; check_entry < (int)(sizeof wrong / sizeof *wrong); check_entry++)
		GIVES(wrong[check_entry].code, clGetKernelSubGroupInfo(kernel, t->device, wrong[check_entry].name,
						       wrong[check_entry].input_bytes, wrong[check_entry].input,
						       wrong[check_entry].bytes, room, NULL));
	check_entry = 0;
	GIVES(CL_INVALID_DEVICE,
		clGetKernelSubGroupInfo(kernel, no_device, CL_KERNEL_MAX_NUM_SUB_GROUPS, 0, NULL, 8, room, NULL));
	GIVES(CL_INVALID_KERNEL, clGetKernelSubGroupInfo((cl_kernel)t->queue, t->device, CL_KERNEL_MAX_NUM_SUB_GROUPS,
					 0, NULL, 8, room, NULL));
	OK(clReleaseKernel(kernel));
}

/* ---- Setting arguments ---- */

static cl_mem image_of(cl_context context, cl_mem_flags flags, cl_mem_object_type type)
{
	cl_int why;
	const cl_image_format format = {CL_RGBA, CL_FLOAT};
	const cl_image_desc desc = {
		.image_type = type, .image_width = 4, .image_height = type == CL_MEM_OBJECT_IMAGE2D ? 4 : 0};
	cl_mem image = clCreateImage(context, flags, &format, &desc, NULL, &why);
	OK(why);
	return image;
}

static void check_setting(const struct test *t, cl_program program)
{
	cl_int why, seven = 7;
	cl_context other = clCreateContext(NULL, 1, &t->device, NULL, NULL, &why);
	OK(why);
	cl_kernel store = make(program, "store"), look = make(program, "look"), no_kernel = (cl_kernel)t->queue;
	cl_mem buffer = test_buffer(t, BUFFER_BYTES, NULL),
	       foreign = clCreateBuffer(other, 0, BUFFER_BYTES, NULL, &why);
	cl_mem image = image_of(t->context, 0, CL_MEM_OBJECT_IMAGE2D),
	       line = image_of(t->context, 0, CL_MEM_OBJECT_IMAGE1D);
	cl_mem readable = image_of(t->context, CL_MEM_READ_ONLY, CL_MEM_OBJECT_IMAGE2D);
	cl_mem writable = image_of(t->context, CL_MEM_WRITE_ONLY, CL_MEM_OBJECT_IMAGE2D);
	cl_mem away = image_of(other, 0, CL_MEM_OBJECT_IMAGE2D), no_memory = (cl_mem)t->queue;
	cl_sampler sampler = clCreateSampler(t->context, CL_FALSE, CL_ADDRESS_CLAMP, CL_FILTER_NEAREST, &why);
	cl_sampler far = clCreateSampler(other, CL_FALSE, CL_ADDRESS_CLAMP, CL_FILTER_NEAREST, &why),
		   no_sampler = (cl_sampler)buffer;
	const struct {
		cl_int code;
		cl_kernel kernel;
		cl_uint index;
		size_t size;
		const void *value;
	} cases[] = {
		{CL_SUCCESS, store, 0, 8, &buffer},
		{CL_SUCCESS, store, 0, 8,
			NULL}, /* "if the argument is a buffer object, the arg_value pointer can be NULL" */
		{CL_SUCCESS, store, 0, 8, &(cl_mem){NULL}},
		{CL_INVALID_ARG_SIZE, store, 0, 4, &buffer},
		{CL_INVALID_ARG_SIZE, store, 0, 16, &buffer},
		{CL_INVALID_MEM_OBJECT, store, 0, 8, &no_memory},
		{CL_INVALID_MEM_OBJECT, store, 0, 8, &foreign},
		{CL_INVALID_MEM_OBJECT, store, 0, 8, &image},
		{CL_SUCCESS, store, 1, 4, &seven},
		{CL_INVALID_ARG_VALUE, store, 1, 4, NULL},
		{CL_INVALID_ARG_SIZE, store, 1, 3, &seven},
		{CL_INVALID_ARG_SIZE, store, 1, 8, &buffer},
		{CL_SUCCESS, store, 2, 1, NULL},
		{CL_INVALID_ARG_SIZE, store, 2, 0, NULL},
		{CL_INVALID_ARG_VALUE, store, 2, 4, &seven},
		{CL_INVALID_ARG_INDEX, store, 3, 4, &seven},
		{CL_INVALID_KERNEL, no_kernel, 0, 8, &buffer},
		{CL_SUCCESS, look, 0, 8, &image},
		{CL_SUCCESS, look, 0, 8, &readable},
		{CL_INVALID_ARG_VALUE, look, 0, 8, &writable},
		{CL_INVALID_ARG_VALUE, look, 0, 8, &line},
		{CL_INVALID_ARG_VALUE, look, 0, 8, NULL},
		{CL_INVALID_ARG_SIZE, look, 0, 4, &image},
		{CL_INVALID_MEM_OBJECT, look, 0, 8, &buffer},
		{CL_INVALID_MEM_OBJECT, look, 0, 8, &away},
		{CL_INVALID_MEM_OBJECT, look, 0, 8, &no_memory},
		{CL_SUCCESS, look, 1, 8, &image},
		{CL_SUCCESS, look, 1, 8, &writable},
		{CL_INVALID_ARG_VALUE, look, 1, 8, &readable},
		{CL_SUCCESS, look, 2, 8, &sampler},
		{CL_INVALID_SAMPLER, look, 2, 8, &no_sampler},
		{CL_INVALID_SAMPLER, look, 2, 8, &far},
		{CL_INVALID_SAMPLER, look, 2, 8, NULL},
		{CL_INVALID_ARG_SIZE, look, 2, 4, &sampler},
	};
	for (check_entry = 0; check_entry < (int)(sizeof cases / sizeof *cases); check_entry++)
		GIVES(cases[check_entry].code, clSetKernelArg(cases[check_entry].kernel, cases[check_entry].index,
						       cases[check_entry].size, cases[check_entry].value));
	check_entry = 0;
	/* What failed left what was there: the kernel runs with it. */
	cl_int got[BUFFER_BYTES / 4];
	OK(clEnqueueFillBuffer(t->queue, buffer, &(cl_int){-1}, 4, 0, BUFFER_BYTES, 0, NULL, NULL));
	test_set(store, 0, buffer);
	OK(clSetKernelArg(store, 2, 16, NULL));
	GIVES(CL_INVALID_ARG_SIZE, clSetKernelArg(store, 1, 2, &seven));
	test_launch(t, store, 1, 1);
	test_read(t, buffer, sizeof got, got);
	CHECK(got[0] == -1 && got[1] == 7 && got[2] == -1);
	OK(clReleaseKernel(store));
	OK(clReleaseKernel(look));
	cl_mem memories[] = {buffer, foreign, image, line, readable, writable, away};
	for (size_t k = 0; k < sizeof memories / sizeof *memories; k++)
		OK(clReleaseMemObject(memories[k]));
	OK(clReleaseSampler(sampler));
	OK(clReleaseSampler(far));
	OK(clReleaseContext(other));
}

/* Pointers of shared memory, and what else a kernel is told of it (5.6.2, 5.9.2). */
static void check_pointers(const struct test *t, cl_program program)
{
	cl_kernel store = make(program, "store"), shaped = make(program, "shaped"), look = make(program, "look"),
		  none = (cl_kernel)t->queue;
	cl_int *shared = clSVMAlloc(t->context, CL_MEM_READ_WRITE | CL_MEM_SVM_FINE_GRAIN_BUFFER, 64, 0), value = 31;
	void *pointers[2] = {shared, shared};
	cl_bool no = CL_FALSE, yes = CL_TRUE;
	CHECK(shared);
	shared[0] = shared[1] = shared[2] = 5;
	OK(clSetKernelArgSVMPointer(store, 0, shared));
	OK(clSetKernelArg(store, 1, sizeof value, &value));
	OK(clSetKernelArg(store, 2, 4, NULL));
	test_launch(t, store, 1, 1);
	OK(clFinish(t->queue));
	CHECK(shared[0] == 5 && shared[1] == 31 && shared[2] == 5);
	OK(clSetKernelArgSVMPointer(store, 0, shared + 1));
	test_launch(t, store, 1, 1);
	OK(clFinish(t->queue));
	CHECK(shared[0] == 5 && shared[1] == 31 && shared[2] == 31);
	OK(clSetKernelArgSVMPointer(shaped, 0, shared));                         /* constant */
	GIVES(CL_INVALID_ARG_VALUE, clSetKernelArgSVMPointer(store, 1, shared)); /* int */
	GIVES(CL_INVALID_ARG_VALUE, clSetKernelArgSVMPointer(store, 2, shared)); /* local */
	GIVES(CL_INVALID_ARG_VALUE, clSetKernelArgSVMPointer(look, 0, shared));
	GIVES(CL_INVALID_ARG_INDEX, clSetKernelArgSVMPointer(store, 3, shared));
	GIVES(CL_INVALID_KERNEL, clSetKernelArgSVMPointer(none, 0, shared));
	OK(clSetKernelExecInfo(store, CL_KERNEL_EXEC_INFO_SVM_PTRS, sizeof pointers, pointers));
	OK(clSetKernelExecInfo(store, CL_KERNEL_EXEC_INFO_SVM_PTRS, 0, NULL));
	OK(clSetKernelExecInfo(store, CL_KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM, sizeof no, &no));
	GIVES(CL_INVALID_OPERATION,
		clSetKernelExecInfo(store, CL_KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM, sizeof yes, &yes));
	GIVES(CL_INVALID_VALUE, clSetKernelExecInfo(store, CL_KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM, 1, &no));
	GIVES(CL_INVALID_VALUE, clSetKernelExecInfo(store, CL_KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM, sizeof no, NULL));
	GIVES(CL_INVALID_VALUE, clSetKernelExecInfo(store, CL_KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM, 0, NULL));
	GIVES(CL_INVALID_VALUE, clSetKernelExecInfo(store, CL_KERNEL_EXEC_INFO_SVM_PTRS, 12, pointers));
	GIVES(CL_INVALID_VALUE, clSetKernelExecInfo(store, CL_KERNEL_EXEC_INFO_SVM_PTRS, 0, pointers));
	GIVES(CL_INVALID_VALUE, clSetKernelExecInfo(store, CL_KERNEL_EXEC_INFO_SVM_PTRS, 8, NULL));
	GIVES(CL_INVALID_VALUE, clSetKernelExecInfo(store, 0x11b8, 8, pointers));
	GIVES(CL_INVALID_KERNEL, clSetKernelExecInfo(none, CL_KERNEL_EXEC_INFO_SVM_PTRS, sizeof pointers, pointers));
	clSVMFree(t->context, shared);
	OK(clReleaseKernel(store));
	OK(clReleaseKernel(shaped));
	OK(clReleaseKernel(look));
}

/* An argument of many bytes arrives whole: 5.9.2, arg_value of clSetKernelArg. */
static void check_large(const struct test *t)
{
	enum { BYTES = 1001 };
	unsigned char bytes[BYTES], seen[BYTES] = {0};
	cl_program program = test_build(t,
		"struct wide { uchar bytes[1001]; };\n"
		"kernel void copy(global uchar *to, struct wide w) { for (int i = 0; i < 1001; i++) to[i] = "
		"w.bytes[i]; }\n",
		"");
	cl_kernel copy = make(program, "copy");
	cl_mem to = test_buffer(t, BYTES, NULL);
	for (int k = 0; k < BYTES; k++)
		bytes[k] = (unsigned char)(k * 7 + 1);
	test_set(copy, 0, to);
	OK(clSetKernelArg(copy, 1, sizeof bytes, bytes));
	OK(clEnqueueNDRangeKernel(t->queue, copy, 1, NULL, &(size_t){1}, NULL, 0, NULL, NULL));
	OK(clEnqueueReadBuffer(t->queue, to, CL_TRUE, 0, sizeof seen, seen, 0, NULL, NULL));
	CHECK(!memcmp(seen, bytes, sizeof seen));
	OK(clReleaseMemObject(to));
	OK(clReleaseKernel(copy));
	OK(clReleaseProgram(program));
}

int main(void)
{
	struct test t = test_open();
	cl_program program = test_build(&t, source, "-cl-kernel-arg-info -DX=1");
	check_program(&t, program);
	check_unbuilt(&t);
	check_binaries(&t, program);
	check_kernel(&t, program);
	check_arguments(&t, program);
	check_sizes(&t, program);
	check_sub_groups(&t, program);
	check_setting(&t, program);
	check_pointers(&t, program);
	check_large(&t);
	OK(clReleaseProgram(program));
	test_close(&t);
	return 0;
}
