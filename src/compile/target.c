/* Words for clang: what the simulated GPU is to OpenCL C. */
#include "compile/target.h"

#include <stddef.h>

/* -cl-ext=-all,+... : one string of the names that clang knows itself. */
#define CLANG(name) ",+" #name
#define MACRO(name)
#define ALWAYS(name)
#define HOST(name)
#define EXTENSION(name, version, KIND) KIND(name)
#define FEATURE(name, KIND) KIND(name)
static const char known_to_clang[] = "-cl-ext=-all"
#include "compile/features.def"
	;
#undef CLANG
#undef MACRO
#undef ALWAYS

const char *const target_words[] = {"-x", "cl", "-target", "nvptx64--nvidiacl", TARGET_MACHINE_WORDS, "-Xclang",
	known_to_clang, "-fno-color-diagnostics", "-fno-crash-diagnostics", NULL};

#define CLANG(name)
#define MACRO(name) "-D" #name "=1",
#define ALWAYS(name) MACRO(name)
const char *const target_macros[] = {
	"-D__OPENCL_VERSION__=300",
	"-D__ENDIAN_LITTLE__=1",
	"-D__IMAGE_SUPPORT__=1",
#define EXTENSION(name, version, KIND) KIND(name)
#define FEATURE(name, KIND) FEATURE_##KIND(name)
#define FEATURE_CLANG(name)
#define FEATURE_MACRO(name)
#define FEATURE_ALWAYS(name) MACRO(name)
#include "compile/features.def"
	NULL,
};
#undef ALWAYS

#define NEWER(X)                                                                                                       \
	X(cl_khr_subgroups)                                                                                            \
	X(cl_khr_subgroup_extended_types)                                                                              \
	X(cl_khr_subgroup_non_uniform_vote)                                                                            \
	X(cl_khr_subgroup_ballot)                                                                                      \
	X(cl_khr_subgroup_non_uniform_arithmetic)                                                                      \
	X(cl_khr_subgroup_shuffle)                                                                                     \
	X(cl_khr_subgroup_shuffle_relative)                                                                            \
	X(cl_khr_subgroup_clustered_reduce)                                                                            \
	X(cl_khr_integer_dot_product)                                                                                  \
	X(cl_ext_float_atomics)

#define NAME(name) #name,
const char *const target_newer_extensions[] = {NEWER(NAME) NULL};
#undef NAME

#define UNDEFINED(name) "-U" #name,
const char *const target_words_1_2[] = {
	"-U__OPENCL_VERSION__",
	"-D__OPENCL_VERSION__=120",
	NEWER(UNDEFINED)
#define EXTENSION(name, version, KIND)
#define FEATURE(name, KIND) UNDEFINED(name)
#include "compile/features.def"
		NULL,
};

const char *const target_features_3[] = {
#define ALWAYS(name)
#define EXTENSION(name, version, KIND)
#define FEATURE(name, KIND) KIND(name)
#include "compile/features.def"
	NULL,
};
