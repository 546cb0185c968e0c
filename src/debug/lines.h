/* The lines of a kernel's source and its instructions, in both directions.
 *
 * An instruction has the line of its .loc, and those of the calls that were inlined there.  Without .loc, or for the
 * name of the PTX file itself, lines are those of the PTX. */
#ifndef LOCKSTEP_DEBUG_LINES_H
#define LOCKSTEP_DEBUG_LINES_H

#include "kernel/kernel.h"

/* A line of a file, and what the debugger has to say of it. */
struct source_line {
	const char *file; /* as the module names it */
	uint32_t line;    /* that has code */
	uint32_t asked;   /* the line asked for: another one when that has no code */
	bool is_inlined;  /* only instructions of calls that were inlined in this line have it */
	bool is_ptx;      /* of the PTX itself, not of a source */
};

/* The line of a file, or the next of the file that has code in any function of the module.  `file` is the whole name
 * that a .file has, or the end of it from a '/' on; null: the only file of the module's code that is not an installed
 * header. False and an error in `diagnostic`: no such file (with the nearest name), several (with their names), no code
 * there or below. */
bool lines_find(const struct ptx_module *module, const char *file, uint32_t line, struct source_line *found,
	struct diagnostic *diagnostic);

/* The pcs of a kernel that have the line, in order; what decode has inserted around a call belongs to the call.  The
 * array lies in `arena`; none: the line belongs to other kernels of the module. */
const uint32_t *lines_pcs(
	struct arena *arena, const struct kernel *kernel, const struct source_line *line, uint32_t *count);

/* Whether the instruction has the line. */
bool lines_has(const struct kernel *kernel, uint32_t pc, const struct source_line *line);

/* The first instruction after the function's prologue, which compilers give the line of the function's head: there,
 * parameters are in their places.  0 when it begins with its body, or branches before. */
uint32_t lines_body(const struct ptx_function *function);

/* "app.cu:17"; when another line was asked for: "app.cu:17, the next line after 15 that has code"; when calls only:
 * "app.cu:17, whose call is inlined". */
void lines_print(struct text *out, const struct source_line *line);

#endif
