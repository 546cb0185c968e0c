/* Extensions and features: what the device says that it has is what kernels see by #ifdef, and nothing else is there.
 * PoCL 3.1: fails, for it has several blanks between names, and scope all_devices in the query, not among the
 * features. */
#include "check.h"

#define NAMES 256

/* OpenCL C 3.0 specification, 6.2.1, and the extensions whose features have names of this kind; then those of the
 * extension specification that belong to OpenCL C. */
static const char *const all_names[] = {
	"__opencl_c_3d_image_writes",
	"__opencl_c_atomic_order_acq_rel",
	"__opencl_c_atomic_order_seq_cst",
	"__opencl_c_atomic_scope_device",
	"__opencl_c_atomic_scope_all_devices",
	"__opencl_c_device_enqueue",
	"__opencl_c_fp64",
	"__opencl_c_generic_address_space",
	"__opencl_c_images",
	"__opencl_c_int64",
	"__opencl_c_pipes",
	"__opencl_c_program_scope_global_variables",
	"__opencl_c_read_write_images",
	"__opencl_c_subgroups",
	"__opencl_c_work_group_collective_functions",
	"__opencl_c_integer_dot_product_input_4x8bit",
	"__opencl_c_integer_dot_product_input_4x8bit_packed",
	"__opencl_c_ext_fp16_global_atomic_load_store",
	"__opencl_c_ext_fp16_local_atomic_load_store",
	"__opencl_c_ext_fp16_global_atomic_add",
	"__opencl_c_ext_fp32_global_atomic_add",
	"__opencl_c_ext_fp64_global_atomic_add",
	"__opencl_c_ext_fp16_local_atomic_add",
	"__opencl_c_ext_fp32_local_atomic_add",
	"__opencl_c_ext_fp64_local_atomic_add",
	"__opencl_c_ext_fp16_global_atomic_min_max",
	"__opencl_c_ext_fp32_global_atomic_min_max",
	"__opencl_c_ext_fp64_global_atomic_min_max",
	"__opencl_c_ext_fp16_local_atomic_min_max",
	"__opencl_c_ext_fp32_local_atomic_min_max",
	"__opencl_c_ext_fp64_local_atomic_min_max",
	"cl_khr_3d_image_writes",
	"cl_khr_byte_addressable_store",
	"cl_khr_depth_images",
	"cl_khr_device_enqueue_local_arg_types",
	"cl_khr_extended_bit_ops",
	"cl_khr_fp16",
	"cl_khr_fp64",
	"cl_khr_gl_msaa_sharing",
	"cl_khr_global_int32_base_atomics",
	"cl_khr_global_int32_extended_atomics",
	"cl_khr_int64_base_atomics",
	"cl_khr_int64_extended_atomics",
	"cl_khr_integer_dot_product",
	"cl_khr_local_int32_base_atomics",
	"cl_khr_local_int32_extended_atomics",
	"cl_khr_mipmap_image",
	"cl_khr_mipmap_image_writes",
	"cl_khr_srgb_image_writes",
	"cl_khr_subgroup_ballot",
	"cl_khr_subgroup_clustered_reduce",
	"cl_khr_subgroup_extended_types",
	"cl_khr_subgroup_named_barrier",
	"cl_khr_subgroup_non_uniform_arithmetic",
	"cl_khr_subgroup_non_uniform_vote",
	"cl_khr_subgroup_rotate",
	"cl_khr_subgroup_shuffle",
	"cl_khr_subgroup_shuffle_relative",
	"cl_khr_subgroups",
	"cl_khr_work_group_uniform_arithmetic",
	"cl_ext_float_atomics",
};

/* Of the host's functions alone. */
static const char *const host_names[] = {"cl_khr_icd", "cl_khr_extended_versioning"};

static bool is_among(const char *name, const char *const *names, size_t count)
{
	for (size_t k = 0; k < count; k++)
		if (!strcmp(names[k], name))
			return true;
	return false;
}

#define AMONG(name, names) is_among(name, names, sizeof(names) / sizeof *(names))

/* ---- What the device says ---- */

static size_t query(const struct test *t, cl_device_info what, cl_name_version *list)
{
	size_t bytes = 0;
	OK(clGetDeviceInfo(t->device, what, 0, NULL, &bytes));
	CHECK(bytes && bytes <= NAMES * sizeof *list);
	OK(clGetDeviceInfo(t->device, what, bytes, list, NULL));
	return bytes / sizeof *list;
}

static bool says(const struct test *t, cl_device_info what, const char *name)
{
	static cl_name_version list[NAMES];
	size_t count = query(t, what, list);
	for (size_t k = 0; k < count; k++)
		if (!strcmp(list[k].name, name))
			return true;
	return false;
}

/* The list with versions and the text have the same names, in the same order. */
static void texts(const struct test *t)
{
	static cl_name_version list[NAMES];
	static char text[NAMES * 64], joined[NAMES * (CL_NAME_VERSION_MAX_NAME_SIZE + 1)];
	size_t count = query(t, CL_DEVICE_EXTENSIONS_WITH_VERSION, list), at = 0;
	OK(clGetDeviceInfo(t->device, CL_DEVICE_EXTENSIONS, sizeof text, text, NULL));
	for (size_t k = 0; k < count; k++)
		at += (size_t)snprintf(joined + at, sizeof joined - at, "%s%s", k ? " " : "", list[k].name);
	CHECK(!strcmp(joined, text));
}

/* Where a feature has a query of its own: OpenCL 3.0 API specification, table 5, and 6.2.1 of OpenCL C's. */
static void queries(const struct test *t)
{
	static const struct {
		cl_device_info what;
		const char *feature;
		cl_bitfield bits; /* 0: any */
	} rows[] = {
		{CL_DEVICE_IMAGE_SUPPORT, "__opencl_c_images", 0},
		{CL_DEVICE_MAX_READ_WRITE_IMAGE_ARGS, "__opencl_c_read_write_images", 0},
		{CL_DEVICE_PIPE_SUPPORT, "__opencl_c_pipes", 0},
		{CL_DEVICE_DEVICE_ENQUEUE_CAPABILITIES, "__opencl_c_device_enqueue", 0},
		{CL_DEVICE_GENERIC_ADDRESS_SPACE_SUPPORT, "__opencl_c_generic_address_space", 0},
		{CL_DEVICE_MAX_NUM_SUB_GROUPS, "__opencl_c_subgroups", 0},
		{CL_DEVICE_MAX_GLOBAL_VARIABLE_SIZE, "__opencl_c_program_scope_global_variables", 0},
		{CL_DEVICE_WORK_GROUP_COLLECTIVE_FUNCTIONS_SUPPORT, "__opencl_c_work_group_collective_functions", 0},
		{CL_DEVICE_DOUBLE_FP_CONFIG, "__opencl_c_fp64", 0},
		{CL_DEVICE_ATOMIC_MEMORY_CAPABILITIES, "__opencl_c_atomic_order_acq_rel",
			CL_DEVICE_ATOMIC_ORDER_ACQ_REL},
		{CL_DEVICE_ATOMIC_MEMORY_CAPABILITIES, "__opencl_c_atomic_order_seq_cst",
			CL_DEVICE_ATOMIC_ORDER_SEQ_CST},
		{CL_DEVICE_ATOMIC_MEMORY_CAPABILITIES, "__opencl_c_atomic_scope_device", CL_DEVICE_ATOMIC_SCOPE_DEVICE},
		{CL_DEVICE_ATOMIC_MEMORY_CAPABILITIES, "__opencl_c_atomic_scope_all_devices",
			CL_DEVICE_ATOMIC_SCOPE_ALL_DEVICES},
	};
	for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
		cl_bitfield value = 0; /* or fewer bytes */
		OK(clGetDeviceInfo(t->device, rows[k].what, sizeof value, &value, NULL));
		bool has = rows[k].bits ? value & rows[k].bits : value != 0;
		if (has != says(t, CL_DEVICE_OPENCL_C_FEATURES, rows[k].feature))
			fprintf(stderr, "%s: the query says %d\n", rows[k].feature, has);
		CHECK(has == says(t, CL_DEVICE_OPENCL_C_FEATURES, rows[k].feature));
	}
	CHECK(says(t, CL_DEVICE_OPENCL_C_FEATURES, "__opencl_c_3d_image_writes") ==
		says(t, CL_DEVICE_EXTENSIONS_WITH_VERSION, "cl_khr_3d_image_writes"));
}

/* ---- What kernels see ---- */

/* Which of the names are macros: of value 1, or seen[k] is 2. */
static void see(const struct test *t, const char *const *names, size_t count, const char *options, cl_int *seen)
{
	static char source[NAMES * 256];
	size_t at = 0;
	cl_int why;
	at += (size_t)snprintf(source + at, sizeof source - at, "kernel void f(global int *seen)\n{\n");
	for (size_t k = 0; k < count; k++)
		at += (size_t)snprintf(source + at, sizeof source - at,
			"#ifdef %s\n	seen[%zu] = %s == 1 ? 1 : 2;\n#endif\n", names[k], k, names[k]);
	snprintf(source + at, sizeof source - at, "}\n");
	memset(seen, 0, count * sizeof *seen);
	cl_program program = test_build(t, source, options);
	cl_kernel kernel = clCreateKernel(program, "f", &why);
	OK(why);
	cl_mem buffer = test_buffer(t, count * sizeof *seen, seen);
	test_set(kernel, 0, buffer);
	test_launch(t, kernel, 1, 1);
	test_read(t, buffer, count * sizeof *seen, seen);
	OK(clReleaseMemObject(buffer));
	OK(clReleaseKernel(kernel));
	OK(clReleaseProgram(program));
}

/* All that have a name, and all that the device says. */
static size_t gather(const struct test *t, const char **names)
{
	static cl_name_version lists[2][NAMES];
	static const cl_device_info what[2] = {CL_DEVICE_OPENCL_C_FEATURES, CL_DEVICE_EXTENSIONS_WITH_VERSION};
	size_t count = 0;
	for (; count < sizeof all_names / sizeof *all_names; count++)
		names[count] = all_names[count];
	for (int l = 0; l < 2; l++)
		for (size_t k = 0, n = query(t, what[l], lists[l]); k < n; k++)
			if (!is_among(lists[l][k].name, names, count) && !AMONG(lists[l][k].name, host_names)) {
				CHECK(count < NAMES);
				names[count++] = lists[l][k].name;
			}
	return count;
}

int main(void)
{
	static const char *names[NAMES];
	static cl_int seen[NAMES], seen_before[NAMES];
	struct test t = test_open();
	size_t count = gather(&t, names), wrong = 0;
	texts(&t);
	queries(&t);
	see(&t, names, count, "-cl-std=CL3.0", seen);
	see(&t, names, count, "-cl-std=CL1.2", seen_before);
	for (size_t k = 0; k < count; k++) {
		bool is_feature = !strncmp(names[k], "__opencl_c_", 11);
		bool has = says(
			&t, is_feature ? CL_DEVICE_OPENCL_C_FEATURES : CL_DEVICE_EXTENSIONS_WITH_VERSION, names[k]);
		/* OpenCL C 1.2 has no feature macros; cl_khr_subgroups wants 2.0 (extension specification, 26.2). */
		bool of_1_2 = !is_feature && strcmp(names[k], "cl_khr_subgroups");
		if (seen[k] != has || (of_1_2 && seen_before[k] != has)) {
			fprintf(stderr, "%s: the device says %d, OpenCL C 3.0 %d, 1.2 %d\n", names[k], has, seen[k],
				seen_before[k]);
			wrong++;
		}
	}
	CHECK(!wrong);
	test_close(&t);
	return 0;
}
