/* What platform and device say that they are: told as words, OPENCL-VERSION VENDOR VENDOR-ID DEVICE-NAME, it checks
 * them and what follows from the version: OpenCL 3.0 specification, tables of platform and device queries, with
 * "missing before version" in them. test_run.py gives other words than the defaults. */
#include "check.h"

static void text_of_platform(const struct test *t, cl_platform_info what, char *text, size_t size)
{
	OK(clGetPlatformInfo(t->platform, what, size, text, NULL));
}

static void text_of_device(const struct test *t, cl_device_info what, char *text, size_t size)
{
	OK(clGetDeviceInfo(t->device, what, size, text, NULL));
}

/* "OpenCL<space><major_version.minor_version><space><platform-specific information>" */
static void check_versions(const struct test *t, const char *version)
{
	char text[256], wanted[64];
	cl_version number = 0, from_platform = 0;
	snprintf(wanted, sizeof wanted, "OpenCL %s ", version);
	text_of_platform(t, CL_PLATFORM_VERSION, text, sizeof text);
	CHECK(!strncmp(text, wanted, strlen(wanted)) && text[strlen(wanted)]);
	text_of_device(t, CL_DEVICE_VERSION, text, sizeof text);
	CHECK(!strncmp(text, wanted, strlen(wanted)) && text[strlen(wanted)]);
	text_of_device(t, CL_DEVICE_OPENCL_C_VERSION, text, sizeof text);
	CHECK(!strncmp(text, "OpenCL C 1.2 ", 13));
	/* cl_khr_extended_versioning has these for all versions */
	OK(clGetDeviceInfo(t->device, CL_DEVICE_NUMERIC_VERSION, sizeof number, &number, NULL));
	OK(clGetPlatformInfo(t->platform, CL_PLATFORM_NUMERIC_VERSION, sizeof from_platform, &from_platform, NULL));
	CHECK(number == CL_MAKE_VERSION((cl_version)(version[0] - '0'), (cl_version)(version[2] - '0'), 0) &&
		number == from_platform);
}

static void check_names(const struct test *t, const char *vendor, const char *id, const char *name)
{
	char text[256];
	cl_uint number = 0;
	text_of_platform(t, CL_PLATFORM_VENDOR, text, sizeof text);
	CHECK(!strcmp(text, vendor));
	text_of_platform(t, CL_PLATFORM_NAME, text, sizeof text);
	CHECK(!strcmp(text, "Lockstep"));
	text_of_device(t, CL_DEVICE_VENDOR, text, sizeof text);
	CHECK(!strcmp(text, vendor));
	OK(clGetDeviceInfo(t->device, CL_DEVICE_VENDOR_ID, sizeof number, &number, NULL));
	CHECK(number == strtoul(id, NULL, 16));
	text_of_device(t, CL_DEVICE_NAME, text, sizeof text);
	CHECK(!strcmp(text, name));
}

static bool has_extension(const struct test *t, const char *name)
{
	char text[4096];
	text_of_device(t, CL_DEVICE_EXTENSIONS, text, sizeof text);
	size_t length = strlen(name);
	for (const char *at = text; (at = strstr(at, name)); at += length)
		if ((at == text || at[-1] == ' ') && (at[length] == ' ' || !at[length]))
			return true;
	return false;
}

/* The word that a kernel stores for the version and the extensions that it sees. */
static cl_uint seen_by_kernel(const struct test *t)
{
	static const char source[] = "kernel void see(global uint *out) {\n"
				     "  *out = __OPENCL_VERSION__;\n"
				     "#ifdef cl_khr_subgroup_ballot\n"
				     "  *out |= 0x10000;\n"
				     "#endif\n"
				     "#ifdef __opencl_c_ext_fp32_global_atomic_add\n"
				     "  *out |= 0x20000;\n"
				     "#endif\n"
				     "#ifdef cl_khr_fp64\n"
				     "  double d = *out; *out = (uint)(d + 0x40000);\n"
				     "#endif\n"
				     "}\n";
	cl_program program = test_build(t, source, "");
	cl_int why;
	cl_uint seen = 0;
	cl_kernel kernel = clCreateKernel(program, "see", &why);
	OK(why);
	cl_mem out = test_buffer(t, sizeof seen, NULL);
	test_set(kernel, 0, out);
	test_launch(t, kernel, 1, 1);
	test_read(t, out, sizeof seen, &seen);
	OK(clReleaseMemObject(out));
	OK(clReleaseKernel(kernel));
	OK(clReleaseProgram(program));
	return seen;
}

static cl_int build_with(const struct test *t, const char *options)
{
	const char *source = "kernel void nothing() {}\n";
	cl_int why;
	cl_program program = clCreateProgramWithSource(t->context, 1, &source, NULL, &why);
	OK(why);
	why = clBuildProgram(program, 1, &t->device, options, NULL, NULL);
	OK(clReleaseProgram(program));
	return why;
}

static cl_kernel test_kernel_of_1_2(const struct test *t)
{
	cl_int why;
	cl_program program = test_build(t, "kernel void f(global int *p) { *p = 1; }", "");
	cl_kernel kernel = clCreateKernel(program, "f", &why);
	OK(why);
	OK(clReleaseProgram(program));
	return kernel;
}

static void check_1_2(const struct test *t)
{
	static const cl_device_info newer[] = {CL_DEVICE_SVM_CAPABILITIES, CL_DEVICE_MAX_PIPE_ARGS,
		CL_DEVICE_MAX_NUM_SUB_GROUPS, CL_DEVICE_OPENCL_C_FEATURES, CL_DEVICE_OPENCL_C_ALL_VERSIONS,
		CL_DEVICE_ATOMIC_MEMORY_CAPABILITIES, CL_DEVICE_GENERIC_ADDRESS_SPACE_SUPPORT};
	size_t size;
	for (size_t k = 0; k < sizeof newer / sizeof *newer; k++)
		GIVES(CL_INVALID_VALUE, clGetDeviceInfo(t->device, newer[k], 0, NULL, &size));
	OK(clGetDeviceInfo(t->device, CL_DEVICE_QUEUE_PROPERTIES, 0, NULL, &size));
	OK(clGetDeviceInfo(t->device, CL_DEVICE_EXTENSIONS_WITH_VERSION, 0, NULL, &size));
	CHECK(!has_extension(t, "cl_khr_subgroups") && !has_extension(t, "cl_ext_float_atomics"));
	CHECK(has_extension(t, "cl_khr_fp64") && has_extension(t, "cl_khr_int64_base_atomics"));
	CHECK(seen_by_kernel(t) == 0x40000 + 120);
	CHECK(!clSVMAlloc(t->context, CL_MEM_READ_WRITE, 64, 0));
	GIVES(CL_INVALID_OPERATION, clEnqueueSVMMap(t->queue, CL_TRUE, CL_MAP_READ, &size, 4, 0, NULL, NULL));
	/* "if no devices in the context ... support SVM" */
	cl_kernel kernel = test_kernel_of_1_2(t);
	const void *pointer = &size;
	cl_bool no = CL_FALSE;
	GIVES(CL_INVALID_OPERATION, clSetKernelArgSVMPointer(kernel, 0, &size));
	GIVES(CL_INVALID_OPERATION,
		clSetKernelExecInfo(kernel, CL_KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM, sizeof no, &no));
	GIVES(CL_INVALID_OPERATION, clEnqueueSVMUnmap(t->queue, &size, 0, NULL, NULL));
	GIVES(CL_INVALID_OPERATION, clEnqueueSVMMemcpy(t->queue, CL_TRUE, &size, &size + 1, 0, 0, NULL, NULL));
	GIVES(CL_INVALID_OPERATION, clEnqueueSVMMemFill(t->queue, &size, &size, 8, 8, 0, NULL, NULL));
	GIVES(CL_INVALID_OPERATION, clEnqueueSVMFree(t->queue, 0, NULL, NULL, NULL, 0, NULL, NULL));
	GIVES(CL_INVALID_OPERATION, clEnqueueSVMMigrateMem(t->queue, 1, &pointer, NULL, 0, 0, NULL, NULL));
	OK(clReleaseKernel(kernel));
	GIVES(CL_BUILD_PROGRAM_FAILURE, build_with(t, "-cl-std=CL3.0"));
	OK(build_with(t, "-cl-std=CL1.1"));
}

static void check_3_0(const struct test *t)
{
	cl_device_svm_capabilities able = 0;
	OK(clGetDeviceInfo(t->device, CL_DEVICE_SVM_CAPABILITIES, sizeof able, &able, NULL));
	char text[64];
	text_of_device(t, CL_DEVICE_LATEST_CONFORMANCE_VERSION_PASSED, text, sizeof text);
	CHECK(strlen(text) == strlen("vYYYY-MM-DD-XX") && text[0] == 'v'); /* OpenCL-CTS, computeinfo */
	CHECK(has_extension(t, "cl_khr_subgroups") && has_extension(t, "cl_ext_float_atomics"));
	CHECK(seen_by_kernel(t) == 0x70000 + 300);
	OK(build_with(t, "-cl-std=CL3.0"));
}

int main(int count, char **words)
{
	struct test t = test_open();
	const char *version = count > 1 ? words[1] : "3.0";
	check_versions(&t, version);
	check_names(&t, count > 2 ? words[2] : "Lockstep", count > 3 ? words[3] : "4c53",
		count > 4 ? words[4] : "NVIDIA GeForce GTX 480 (Lockstep)");
	if (version[0] == '1')
		check_1_2(&t);
	else
		check_3_0(&t);
	test_close(&t);
	return 0;
}
