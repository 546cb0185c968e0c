/* OpenCL C and CUDA C to PTX, by the clang and libclc that are installed, with our built-in functions linked first.
 *
 *     struct compile_request request = {.name = "program.cl", .text = text, .length = length, .options = "-DN=4"};
 *     char *ptx, *log;
 *     switch (compile_opencl(&request, &ptx, &log)) ...
 *     free(ptx), free(log);
 *
 * -O1, because from -O2 on clang turns a correct lock into one that deadlocks inside a warp.  Always sm_70: its PTX has
 * the .sync instructions and scoped atomics, and every model runs it.
 *
 * Any number of threads and processes may compile at the same time. */
#ifndef LOCKSTEP_COMPILE_COMPILE_H
#define LOCKSTEP_COMPILE_COMPILE_H

#include <stdbool.h>
#include <stddef.h>

/* A header given in memory: what clCompileProgram calls an embedded header. */
struct compile_header {
	const char *name; /* as #include names it; may have folders: "sub/x.h" */
	const char *text;
	size_t length;
};

/* What was compiled although LOCKSTEP_PINNED names pinned PTX (compile/pinned.h); empty texts: nothing. */
struct compile_unpinned {
	char why[1024];     /* that was not taken */
	char compiler[256]; /* the first line of what it says to --version */
};

struct compile_request {
	const char *name; /* file name for messages and .loc; null: "program.cl" */
	bool is_no_file;  /* that is a name only, and gets no folder in .loc */
	const char *text;
	size_t length;
	const char *options; /* as given to clBuildProgram; words may be quoted; null: none */
	const struct compile_header *headers;
	size_t header_count;
	bool is_whole; /* nothing is linked with it: functions that no kernel can reach are left out */
	bool is_1_2;   /* for a device of OpenCL 1.2, which knows no later language; else of 3.0 */
	/* the clang to use; null: as compile/toolchain.h has it.  The environment's LOCKSTEP_CLANG goes before both */
	const char *program;
	bool no_cache;                     /* neither look for a kept result nor keep it: compile/kept.h */
	struct compile_unpinned *unpinned; /* filled where that is so; null: nobody wants to know */
};

enum compile_outcome {
	COMPILE_DONE,
	COMPILE_FAILED,      /* the source's fault: see the log */
	COMPILE_BAD_OPTIONS, /* an option that OpenCL does not know; the log names it */
	COMPILE_BAD_PINNED,  /* pinned PTX is damaged, or cannot be written: the log says which */
	COMPILE_UNAVAILABLE, /* no clang or no libclc, or they cannot run; the log says what to install */
};

/* OpenCL C to PTX.  *ptx and *log are from malloc, end in NUL and are the caller's; *ptx is null unless COMPILE_DONE,
 * *log is never null: the compiler's own words, unchanged, warnings included.  At the end of the PTX stand comments
 * that tell the kernels' arguments: compile/kernel_info.h. */
enum compile_outcome compile_opencl(const struct compile_request *request, char **ptx, char **log);

/* A line of the PTX where functions were left out. */
#define COMPILE_LEFT_OUT "// lockstep.left_out\n"

/* Are the options ones that OpenCL knows?  Starts no process.  Of a bad one `why` says which. */
bool compile_options_valid(const char *options, char *why, size_t size);

/* CUDA C to PTX.  `name` is the file, whose neighbours may be included; `text` is what it holds, null: it is read.  Of
 * the rest only `options` count, -D and -I, program, is_no_file and no_cache. */
enum compile_outcome compile_cuda(const struct compile_request *request, char **ptx, char **log);

#endif
