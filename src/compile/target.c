/* Words for clang: what the simulated GPU is to OpenCL C. */
#include "compile/target.h"

#include <stddef.h>

const char *const target_words[] = {
	"-x",
	"cl",
	"-target",
	"nvptx64--nvidiacl",
	"-Xclang",
	"-target-cpu",
	"-Xclang",
	"sm_70",
	"-Xclang",
	"-target-feature",
	"-Xclang",
	"+ptx63",
	"-Xclang",
	"-cl-ext=-all,+cl_khr_byte_addressable_store,+cl_khr_global_int32_base_atomics,+cl_khr_global_int32_extended_"
	"atomics,"
	"+cl_khr_local_int32_base_atomics,+cl_khr_local_int32_extended_atomics,+cl_khr_int64_base_atomics,"
	"+cl_khr_int64_extended_atomics,+cl_khr_fp64,+cl_khr_subgroups,+__opencl_c_fp64,+__opencl_c_int64,"
	"+__opencl_c_generic_address_space,+__opencl_c_program_scope_global_variables,+__opencl_c_subgroups",
	"-fno-color-diagnostics",
	"-fno-crash-diagnostics",
	NULL,
};

const char *const target_macros[] = {
	"-D__OPENCL_VERSION__=300",
	"-D__ENDIAN_LITTLE__=1",
	"-Dcl_khr_subgroup_extended_types=1",
	"-Dcl_khr_subgroup_non_uniform_vote=1",
	"-Dcl_khr_subgroup_ballot=1",
	"-Dcl_khr_subgroup_non_uniform_arithmetic=1",
	"-Dcl_khr_subgroup_shuffle=1",
	"-Dcl_khr_subgroup_shuffle_relative=1",
	"-Dcl_khr_subgroup_clustered_reduce=1",
	"-Dcl_khr_extended_bit_ops=1",
	"-Dcl_khr_integer_dot_product=1",
	"-Dcl_ext_float_atomics=1",
	"-D__opencl_c_ext_fp32_global_atomic_add=1",
	"-D__opencl_c_ext_fp32_local_atomic_add=1",
	"-D__opencl_c_ext_fp32_global_atomic_min_max=1",
	"-D__opencl_c_ext_fp32_local_atomic_min_max=1",
	"-D__opencl_c_ext_fp64_global_atomic_add=1",
	"-D__opencl_c_ext_fp64_local_atomic_add=1",
	"-D__opencl_c_ext_fp64_global_atomic_min_max=1",
	"-D__opencl_c_ext_fp64_local_atomic_min_max=1",
	NULL,
};

const char *const target_features_3[] = {
	"-D__opencl_c_atomic_order_acq_rel=1",
	"-D__opencl_c_atomic_order_seq_cst=1",
	"-D__opencl_c_atomic_scope_device=1",
	"-D__opencl_c_atomic_scope_all_devices=1",
	"-D__opencl_c_work_group_collective_functions=1",
	"-D__opencl_c_integer_dot_product_input_4x8bit=1",
	"-D__opencl_c_integer_dot_product_input_4x8bit_packed=1",
	NULL,
};
