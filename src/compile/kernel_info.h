/* What OpenCL wants to know about kernels and PTX does not say: comments at the end of the PTX, which travel with it
 * when it is a program's binary.
 *
 *     // lockstep.kernel NAME reqd X Y Z hint X Y Z vec TYPE subgroup N attributes TEXT
 *     // lockstep.arg NAME INDEX SPACE ACCESS TYPE QUALIFIERS ARGUMENT
 *
 * One `kernel` line for each kernel, then its `arg` lines, in order, one for each argument.
 *     reqd, hint   work-group sizes; 0 0 0 where the source gives none
 *     vec          type of vec_type_hint, - for none
 *     subgroup     intel_reqd_sub_group_size, 0 for none
 *     attributes   as CL_KERNEL_ATTRIBUTES is to give them, to the end of the line; - for none
 *     SPACE        private global constant local
 *     ACCESS       none read_only write_only read_write
 *     TYPE         as CL_KERNEL_ARG_TYPE_NAME is to give it, blanks written as ~
 *     QUALIFIERS   letters of: c const, v volatile, r restrict, p pipe; - for none
 *     ARGUMENT     the argument's name; - when unknown
 *
 * All else in the text is passed over; what does not have this form is no line of ours. */
#ifndef LOCKSTEP_COMPILE_KERNEL_INFO_H
#define LOCKSTEP_COMPILE_KERNEL_INFO_H

#include "util/text.h"

enum kernel_info_kind { KERNEL_INFO_KERNEL, KERNEL_INFO_ARGUMENT };
enum kernel_info_space { KERNEL_INFO_PRIVATE, KERNEL_INFO_GLOBAL, KERNEL_INFO_CONSTANT, KERNEL_INFO_LOCAL };
enum kernel_info_access { KERNEL_INFO_NONE, KERNEL_INFO_READ_ONLY, KERNEL_INFO_WRITE_ONLY, KERNEL_INFO_READ_WRITE };
enum kernel_info_qualifier { /* bits */
	KERNEL_INFO_CONST = 1,
	KERNEL_INFO_VOLATILE = 2,
	KERNEL_INFO_RESTRICT = 4,
	KERNEL_INFO_PIPE = 8,
};

/* One line. */
struct kernel_info {
	enum kernel_info_kind kind;
	char kernel[256];
	/* Of a kernel: */
	uint32_t required[3], hint[3]; /* work-group sizes, 0: not given */
	uint32_t sub_group;            /* required size, 0: not given */
	char vector[64];               /* "float4"; empty: not given */
	char attributes[256];          /* "reqd_work_group_size(8,8,1)"; empty: none */
	/* Of an argument: */
	uint32_t index;
	enum kernel_info_space space;
	enum kernel_info_access access;
	uint32_t qualifiers;
	char type[256];
	char name[256]; /* empty: unknown */
};

/* The next line of ours at or after *at, which moves past it; false when there is none left.  *at begins as the PTX
 * text, ended by NUL.  Any text is safe. */
bool kernel_info_next(const char **at, struct kernel_info *info);

/* Appends the lines of all kernels in LLVM's textual intermediate code, where clang writes what OpenCL asks of kernels,
 * in the order of their definition. */
void metadata_to_kernel_info(const char *ir, struct text *out);

#endif
