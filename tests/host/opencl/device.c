/* What the device and the platform say of themselves: the type of every answer, the values that OpenCL 3.0 fixes or
 * sets bounds to for a full profile (table 5, "Device Queries"), and the GTX 480's own. */
#include "check.h"

#include <CL/cl_ext.h>

enum bound { EXACTLY, AT_LEAST };

static const struct {
	cl_device_info name;
	size_t bytes;
	enum bound bound;
	cl_ulong value;
} queries[] = {
	{CL_DEVICE_TYPE, 8, EXACTLY, CL_DEVICE_TYPE_GPU},
	{CL_DEVICE_MAX_COMPUTE_UNITS, 4, EXACTLY, 15},
	{CL_DEVICE_MAX_WORK_ITEM_DIMENSIONS, 4, EXACTLY, 3},
	{CL_DEVICE_MAX_WORK_GROUP_SIZE, sizeof(size_t), EXACTLY, 1024},
	/* Lanes are scalar. */
	{CL_DEVICE_PREFERRED_VECTOR_WIDTH_CHAR, 4, EXACTLY, 1},
	{CL_DEVICE_PREFERRED_VECTOR_WIDTH_SHORT, 4, EXACTLY, 1},
	{CL_DEVICE_PREFERRED_VECTOR_WIDTH_INT, 4, EXACTLY, 1},
	{CL_DEVICE_PREFERRED_VECTOR_WIDTH_LONG, 4, EXACTLY, 1},
	{CL_DEVICE_PREFERRED_VECTOR_WIDTH_FLOAT, 4, EXACTLY, 1},
	{CL_DEVICE_PREFERRED_VECTOR_WIDTH_DOUBLE, 4, EXACTLY, 1},
	{CL_DEVICE_NATIVE_VECTOR_WIDTH_CHAR, 4, EXACTLY, 1},
	{CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT, 4, EXACTLY, 1},
	{CL_DEVICE_PREFERRED_VECTOR_WIDTH_HALF, 4, EXACTLY, 0}, /* no cl_khr_fp16 */
	{CL_DEVICE_NATIVE_VECTOR_WIDTH_HALF, 4, EXACTLY, 0},
	{CL_DEVICE_NATIVE_VECTOR_WIDTH_LONG, 4, EXACTLY, 1},
	{CL_DEVICE_MAX_CLOCK_FREQUENCY, 4, EXACTLY, 700},
	{CL_DEVICE_ADDRESS_BITS, 4, EXACTLY, 64},
	{CL_DEVICE_MAX_MEM_ALLOC_SIZE, 8, AT_LEAST, 128 << 20},
	{CL_DEVICE_MIN_DATA_TYPE_ALIGN_SIZE, 4, EXACTLY, 128}, /* bytes of a long16 */
	{CL_DEVICE_HOST_UNIFIED_MEMORY, 4, EXACTLY, CL_FALSE},
	{CL_DEVICE_PREFERRED_INTEROP_USER_SYNC, 4, EXACTLY, CL_TRUE},
	{CL_DEVICE_VENDOR_ID, 4, AT_LEAST, 1},
	{CL_DEVICE_IMAGE_PITCH_ALIGNMENT, 4, EXACTLY, 1}, /* texels may lie anywhere */
	{CL_DEVICE_IMAGE_BASE_ADDRESS_ALIGNMENT, 4, EXACTLY, 1},
	{CL_DEVICE_SUB_GROUP_INDEPENDENT_FORWARD_PROGRESS, 4, EXACTLY, CL_TRUE},
	{CL_DEVICE_WORK_GROUP_COLLECTIVE_FUNCTIONS_SUPPORT, 4, EXACTLY, CL_TRUE},
	{CL_DEVICE_NON_UNIFORM_WORK_GROUP_SUPPORT, 4, EXACTLY, CL_TRUE},
	{CL_DEVICE_GENERIC_ADDRESS_SPACE_SUPPORT, 4, EXACTLY, CL_TRUE},
	{CL_DEVICE_PREFERRED_GLOBAL_ATOMIC_ALIGNMENT, 4, EXACTLY, 0}, /* "aligned to the natural size of the type" */
	{CL_DEVICE_PREFERRED_LOCAL_ATOMIC_ALIGNMENT, 4, EXACTLY, 0},
	{CL_DEVICE_PREFERRED_PLATFORM_ATOMIC_ALIGNMENT, 4, EXACTLY, 0},
	{CL_DEVICE_MAX_ON_DEVICE_EVENTS, 4, EXACTLY, 0},
	{CL_DEVICE_QUEUE_ON_DEVICE_MAX_SIZE, 4, EXACTLY, 0},
	{CL_DEVICE_QUEUE_ON_DEVICE_PREFERRED_SIZE, 4, EXACTLY, 0},
	{CL_DEVICE_PIPE_MAX_ACTIVE_RESERVATIONS, 4, EXACTLY, 0},
	{CL_DEVICE_PIPE_MAX_PACKET_SIZE, 4, EXACTLY, 0},
	{CL_DEVICE_DEVICE_ENQUEUE_CAPABILITIES, 8, EXACTLY, 0},
	{CL_DEVICE_PARTITION_AFFINITY_DOMAIN, 8, EXACTLY, 0},
	{CL_DEVICE_HALF_FP_CONFIG, 8, EXACTLY, 0}, /* no cl_khr_fp16 */
	{CL_DEVICE_GLOBAL_MEM_SIZE, 8, AT_LEAST, 512 << 20},
	{CL_DEVICE_MAX_GLOBAL_VARIABLE_SIZE, sizeof(size_t), AT_LEAST, 64 << 10},
	{CL_DEVICE_GLOBAL_VARIABLE_PREFERRED_TOTAL_SIZE, sizeof(size_t), AT_LEAST, 64 << 10},
	/* All orders and all scopes that the table has. */
	{CL_DEVICE_ATOMIC_MEMORY_CAPABILITIES, 8, EXACTLY,
		CL_DEVICE_ATOMIC_ORDER_RELAXED | CL_DEVICE_ATOMIC_ORDER_ACQ_REL | CL_DEVICE_ATOMIC_ORDER_SEQ_CST |
			CL_DEVICE_ATOMIC_SCOPE_WORK_ITEM | CL_DEVICE_ATOMIC_SCOPE_WORK_GROUP |
			CL_DEVICE_ATOMIC_SCOPE_DEVICE | CL_DEVICE_ATOMIC_SCOPE_ALL_DEVICES},
	{CL_DEVICE_ATOMIC_FENCE_CAPABILITIES, 8, EXACTLY,
		CL_DEVICE_ATOMIC_ORDER_RELAXED | CL_DEVICE_ATOMIC_ORDER_ACQ_REL | CL_DEVICE_ATOMIC_ORDER_SEQ_CST |
			CL_DEVICE_ATOMIC_SCOPE_WORK_ITEM | CL_DEVICE_ATOMIC_SCOPE_WORK_GROUP |
			CL_DEVICE_ATOMIC_SCOPE_DEVICE | CL_DEVICE_ATOMIC_SCOPE_ALL_DEVICES},
	{CL_DEVICE_SVM_CAPABILITIES, 8, EXACTLY,
		CL_DEVICE_SVM_COARSE_GRAIN_BUFFER | CL_DEVICE_SVM_FINE_GRAIN_BUFFER | CL_DEVICE_SVM_ATOMICS},
	/* cl_ext_float_atomics: load, store and exchange, add, min and max, in global and in local memory; not of half
	 */
	{0x4231, 8, EXACTLY, 0x70007},
	{0x4232, 8, EXACTLY, 0x70007},
	{0x4233, 8, EXACTLY, 0},
	{CL_DEVICE_IMAGE_SUPPORT, 4, EXACTLY, CL_TRUE},
	{CL_DEVICE_MAX_READ_IMAGE_ARGS, 4, EXACTLY, 128},
	{CL_DEVICE_MAX_WRITE_IMAGE_ARGS, 4, EXACTLY, 64},
	{CL_DEVICE_MAX_READ_WRITE_IMAGE_ARGS, 4, EXACTLY, 64},
	{CL_DEVICE_IMAGE2D_MAX_WIDTH, sizeof(size_t), EXACTLY, 16384},
	{CL_DEVICE_IMAGE2D_MAX_HEIGHT, sizeof(size_t), EXACTLY, 16384},
	{CL_DEVICE_IMAGE3D_MAX_WIDTH, sizeof(size_t), EXACTLY, 2048},
	{CL_DEVICE_IMAGE3D_MAX_HEIGHT, sizeof(size_t), EXACTLY, 2048},
	{CL_DEVICE_IMAGE3D_MAX_DEPTH, sizeof(size_t), EXACTLY, 2048},
	{CL_DEVICE_IMAGE_MAX_BUFFER_SIZE, sizeof(size_t), AT_LEAST, 65536},
	{CL_DEVICE_IMAGE_MAX_ARRAY_SIZE, sizeof(size_t), EXACTLY, 2048},
	{CL_DEVICE_MAX_SAMPLERS, 4, EXACTLY, 16},
	{CL_DEVICE_MAX_PARAMETER_SIZE, sizeof(size_t), AT_LEAST, 1024},
	{CL_DEVICE_MEM_BASE_ADDR_ALIGN, 4, EXACTLY, 1024}, /* bits of a long16 */
	/* PTX ISA, "Floating Point Instructions": subnormals, .rn, .rz, .rm and .rp, fma; div.rn and sqrt.rn */
	{CL_DEVICE_SINGLE_FP_CONFIG, 8, EXACTLY,
		CL_FP_DENORM | CL_FP_INF_NAN | CL_FP_ROUND_TO_NEAREST | CL_FP_ROUND_TO_ZERO | CL_FP_ROUND_TO_INF |
			CL_FP_FMA | CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT},
	{CL_DEVICE_DOUBLE_FP_CONFIG, 8, EXACTLY,
		CL_FP_DENORM | CL_FP_INF_NAN | CL_FP_ROUND_TO_NEAREST | CL_FP_ROUND_TO_ZERO | CL_FP_ROUND_TO_INF |
			CL_FP_FMA},
	{CL_DEVICE_GLOBAL_MEM_CACHE_TYPE, 4, EXACTLY, CL_READ_WRITE_CACHE},
	{CL_DEVICE_GLOBAL_MEM_CACHELINE_SIZE, 4, EXACTLY, 128},
#if !LOCKSTEP_HOSTILE /* where caches are tiny */
	{CL_DEVICE_GLOBAL_MEM_CACHE_SIZE, 8, EXACTLY, 768 << 10},
#endif
	{CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE, 8, EXACTLY, 64 << 10},
	{CL_DEVICE_MAX_CONSTANT_ARGS, 4, AT_LEAST, 8},
	{CL_DEVICE_LOCAL_MEM_TYPE, 4, EXACTLY, CL_LOCAL},
	{CL_DEVICE_LOCAL_MEM_SIZE, 8, EXACTLY, 48 << 10},
	{CL_DEVICE_ERROR_CORRECTION_SUPPORT, 4, EXACTLY, CL_FALSE},
	{CL_DEVICE_PROFILING_TIMER_RESOLUTION, sizeof(size_t), EXACTLY, 1},
	{CL_DEVICE_ENDIAN_LITTLE, 4, EXACTLY, CL_TRUE},
	{CL_DEVICE_AVAILABLE, 4, EXACTLY, CL_TRUE},
	{CL_DEVICE_COMPILER_AVAILABLE, 4, EXACTLY, CL_TRUE},
	{CL_DEVICE_LINKER_AVAILABLE, 4, EXACTLY, CL_TRUE},
	{CL_DEVICE_EXECUTION_CAPABILITIES, 8, EXACTLY, CL_EXEC_KERNEL},
	{CL_DEVICE_QUEUE_ON_HOST_PROPERTIES, 8, EXACTLY,
		CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE},
	{CL_DEVICE_QUEUE_ON_DEVICE_PROPERTIES, 8, EXACTLY, 0},
	{CL_DEVICE_MAX_ON_DEVICE_QUEUES, 4, EXACTLY, 0},
	{CL_DEVICE_PIPE_SUPPORT, 4, EXACTLY, CL_FALSE},
	{CL_DEVICE_MAX_PIPE_ARGS, 4, EXACTLY, 0},
	{CL_DEVICE_PARTITION_MAX_SUB_DEVICES, 4, EXACTLY, 0},
	{CL_DEVICE_PARTITION_PROPERTIES, 8, EXACTLY, 0},
	{CL_DEVICE_PARTITION_TYPE, 8, EXACTLY, 0},
	{CL_DEVICE_PARENT_DEVICE, sizeof(cl_device_id), EXACTLY, 0},
	{CL_DEVICE_REFERENCE_COUNT, 4, EXACTLY, 1},
	{CL_DEVICE_PRINTF_BUFFER_SIZE, sizeof(size_t), AT_LEAST, 1 << 20},
	{CL_DEVICE_PREFERRED_WORK_GROUP_SIZE_MULTIPLE, sizeof(size_t), EXACTLY, 32},
	{CL_DEVICE_MAX_NUM_SUB_GROUPS, 4, EXACTLY, 32},
	{CL_DEVICE_NUMERIC_VERSION, 4, EXACTLY, CL_MAKE_VERSION(3, 0, 0)},
	{CL_DEVICE_ILS_WITH_VERSION, 0, EXACTLY, 0},
	{CL_DEVICE_BUILT_IN_KERNELS_WITH_VERSION, 0, EXACTLY, 0},
};

static void numbers(const struct test *t)
{
	for (size_t k = 0; k < sizeof queries / sizeof *queries; k++) {
		cl_ulong value = 0;
		size_t bytes = 99;

		check_entry = (int)k;
		OK(clGetDeviceInfo(t->device, queries[k].name, sizeof value, &value, &bytes));
		CHECK(bytes == queries[k].bytes);
		CHECK(queries[k].bound == EXACTLY ? value == queries[k].value : value >= queries[k].value);
		if (bytes)
			GIVES(CL_INVALID_VALUE, clGetDeviceInfo(t->device, queries[k].name, bytes - 1, &value, NULL));
		GIVES(CL_INVALID_DEVICE,
			clGetDeviceInfo((cl_device_id)t->queue, queries[k].name, sizeof value, &value, NULL));
	}
	GIVES(CL_INVALID_VALUE, clGetDeviceInfo(t->device, 0x1, 0, NULL, NULL));
	size_t sizes[3] = {0};
	OK(clGetDeviceInfo(t->device, CL_DEVICE_MAX_WORK_ITEM_SIZES, sizeof sizes, sizes, NULL));
	CHECK(sizes[0] == 1024 && sizes[1] == 1024 && sizes[2] == 64);
	GIVES(CL_INVALID_VALUE,
		clGetDeviceInfo(t->device, CL_DEVICE_MAX_WORK_ITEM_SIZES, sizeof sizes - 1, sizes, NULL));
}

/* With the zero at its end, whatever its length. */
static void texts(const struct test *t)
{
	static const struct {
		cl_device_info name;
		const char *begins;
	} table[] = {{CL_DEVICE_NAME, "NVIDIA GeForce GTX 480"}, {CL_DEVICE_VENDOR, "Lockstep"},
		{CL_DEVICE_PROFILE, "FULL_PROFILE"}, {CL_DEVICE_VERSION, "OpenCL 3.0 "},
		{CL_DEVICE_OPENCL_C_VERSION, "OpenCL C 1.2 "}, {CL_DRIVER_VERSION, "0."}, {CL_DEVICE_IL_VERSION, ""},
		{CL_DEVICE_BUILT_IN_KERNELS, ""}, {CL_DEVICE_EXTENSIONS, "cl_"}};
	char text[8192];
	size_t bytes;

	for (size_t k = 0; k < sizeof table / sizeof *table; k++) {
		check_entry = (int)k;
		OK(clGetDeviceInfo(t->device, table[k].name, sizeof text, text, &bytes));
		CHECK(bytes == strlen(text) + 1 && !strncmp(text, table[k].begins, strlen(table[k].begins)));
		OK(clGetDeviceInfo(t->device, table[k].name, bytes, text, NULL));
		GIVES(CL_INVALID_VALUE, clGetDeviceInfo(t->device, table[k].name, bytes - 1, text, NULL));
	}
	OK(clGetPlatformInfo(t->platform, CL_PLATFORM_PROFILE, sizeof text, text, &bytes));
	CHECK(!strcmp(text, "FULL_PROFILE") && bytes == 13);
	OK(clGetPlatformInfo(t->platform, CL_PLATFORM_VERSION, sizeof text, text, &bytes));
	CHECK(!strncmp(text, "OpenCL 3.0 ", 11));
	GIVES(CL_INVALID_VALUE, clGetPlatformInfo(t->platform, CL_PLATFORM_PROFILE, 12, text, NULL));
	GIVES(CL_INVALID_VALUE, clGetPlatformInfo(t->platform, 0x1, 0, NULL, NULL));
	cl_ulong resolution = 9;
	cl_version version = 0;
	OK(clGetPlatformInfo(t->platform, CL_PLATFORM_HOST_TIMER_RESOLUTION, sizeof resolution, &resolution, &bytes));
	CHECK(resolution == 0 &&
		bytes == sizeof resolution); /* "0 ... do not support device and host timer synchronization" */
	OK(clGetPlatformInfo(t->platform, CL_PLATFORM_NUMERIC_VERSION, sizeof version, &version, &bytes));
	CHECK(version == CL_MAKE_VERSION(3, 0, 0) && bytes == sizeof version);
}

/* cl_khr_icd, cl_khr_extended_versioning and 4.1 of the API, "Querying Platform Info". */
static void platform(const struct test *t)
{
	static const struct {
		cl_platform_info name;
		const char *text;
	} table[] = {{CL_PLATFORM_NAME, "Lockstep"}, {CL_PLATFORM_VENDOR, "Lockstep"},
		{CL_PLATFORM_EXTENSIONS, "cl_khr_icd cl_khr_extended_versioning"},
		{CL_PLATFORM_ICD_SUFFIX_KHR, "LOCKSTEP"}};
	cl_platform_id wrong = (cl_platform_id)t->queue, got = NULL;
	cl_int (*ask)(cl_uint, cl_platform_id *, cl_uint *);
	cl_name_version list[4];
	cl_uint count = 9;
	char text[256];
	size_t bytes;
	for (size_t k = 0; k < sizeof table / sizeof *table; k++) {
		check_entry = (int)k;
		OK(clGetPlatformInfo(t->platform, table[k].name, sizeof text, text, &bytes));
		CHECK(!strcmp(text, table[k].text) && bytes == strlen(text) + 1);
		GIVES(CL_INVALID_PLATFORM, clGetPlatformInfo(wrong, table[k].name, sizeof text, text, NULL));
	}
	check_entry = 0;
	OK(clGetPlatformInfo(t->platform, CL_PLATFORM_EXTENSIONS_WITH_VERSION, sizeof list, list, &bytes));
	CHECK(bytes == 2 * sizeof *list && !strcmp(list[0].name, "cl_khr_icd") &&
		!strcmp(list[1].name, "cl_khr_extended_versioning"));
	CHECK(list[0].version == CL_MAKE_VERSION(1, 0, 0) && list[1].version == CL_MAKE_VERSION(1, 0, 0));
	GIVES(CL_INVALID_PLATFORM, clGetDeviceIDs(wrong, CL_DEVICE_TYPE_ALL, 1, &(cl_device_id){NULL}, NULL));
	CHECK(!clGetExtensionFunctionAddressForPlatform(t->platform, "clNoSuchCall"));
	*(void **)&ask = clGetExtensionFunctionAddressForPlatform(t->platform, "clIcdGetPlatformIDsKHR");
	CHECK(ask);
	OK(ask(1, &got, &count));
	CHECK(count == 1 && got == t->platform);
	count = 9;
	OK(ask(0, NULL, &count));
	CHECK(count == 1);
	OK(ask(1, &got, NULL));
	GIVES(CL_INVALID_VALUE, ask(0, &got, &count));
	GIVES(CL_INVALID_VALUE, ask(0, NULL, NULL));
}

static void identifiers(const struct test *t)
{
	static const struct {
		cl_device_type type;
		cl_int code;
	} table[] = {{CL_DEVICE_TYPE_GPU, CL_SUCCESS}, {CL_DEVICE_TYPE_ALL, CL_SUCCESS},
		{CL_DEVICE_TYPE_DEFAULT, CL_SUCCESS}, {CL_DEVICE_TYPE_CPU, CL_DEVICE_NOT_FOUND},
		{CL_DEVICE_TYPE_ACCELERATOR, CL_DEVICE_NOT_FOUND},
		{CL_DEVICE_TYPE_CPU | CL_DEVICE_TYPE_GPU, CL_SUCCESS}, {0, CL_INVALID_DEVICE_TYPE},
		{1 << 9, CL_INVALID_DEVICE_TYPE}};
	cl_device_id device;
	cl_uint count;
	cl_ulong times[2];

	for (size_t k = 0; k < sizeof table / sizeof *table; k++) {
		check_entry = (int)k;
		device = NULL;
		count = 9;
		GIVES(table[k].code, clGetDeviceIDs(t->platform, table[k].type, 1, &device, &count));
		CHECK(table[k].code ? !device : device == t->device && count == 1);
	}
	GIVES(CL_INVALID_VALUE, clGetDeviceIDs(t->platform, CL_DEVICE_TYPE_ALL, 0, &device, NULL));
	GIVES(CL_INVALID_VALUE, clGetDeviceIDs(t->platform, CL_DEVICE_TYPE_ALL, 0, NULL, NULL));
	OK(clRetainDevice(t->device));
	OK(clReleaseDevice(t->device));
	OK(clReleaseDevice(t->device)); /* a root device: nothing happens */
	GIVES(CL_INVALID_DEVICE, clRetainDevice((cl_device_id)t->queue));
	GIVES(CL_INVALID_DEVICE, clReleaseDevice((cl_device_id)t->queue));
	GIVES(CL_INVALID_VALUE,
		clCreateSubDevices(t->device, (cl_device_partition_property[]){CL_DEVICE_PARTITION_EQUALLY, 1, 0}, 1,
			&device, &count));
	GIVES(CL_INVALID_OPERATION, clGetDeviceAndHostTimer(t->device, &times[0], &times[1]));
	GIVES(CL_INVALID_VALUE, clGetDeviceAndHostTimer(t->device, NULL, &times[1]));
	GIVES(CL_INVALID_OPERATION, clGetHostTimer(t->device, times));
	GIVES(CL_INVALID_VALUE, clGetHostTimer(t->device, NULL));
	GIVES(CL_INVALID_OPERATION, clSetDefaultDeviceCommandQueue(t->context, t->device, t->queue));
}

int main(void)
{
	struct test t = test_open();

	numbers(&t);
	texts(&t);
	platform(&t);
	identifiers(&t);
	test_close(&t);
	return 0;
}
