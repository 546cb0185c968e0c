/* From prepared intermediate code to PTX: compilation_generate. */
#include "compile/compilation.h"
#include "compile/inlined.h"

static const char *run(struct compilation *job, const char *const *last, const char *const *words,
	const char *const *more, uint32_t more_count, const char *in, size_t *length, bool *cannot_run,
	const char **command)
{
	struct tool tool = {.arena = &job->arena};
	const char *out = NULL;

	tool_add(&tool, job->tools.clang);
	for (uint32_t k = 0; k < more_count; k++)
		tool_add(&tool, more[k]);
	tool_add_all(&tool, words);
	tool_add_all(&tool, last);
	if (!tool_run(&tool, in, *length, &out, length, &job->log))
		out = NULL;
	*command = tool_command(&tool);
	*cannot_run |= tool.cannot_run;
	tool_end(&tool);
	return out;
}

const char *compilation_generate(struct compilation *job, const char *const *words, const char *const *more,
	uint32_t more_count, const char *ir, size_t *length, bool *cannot_run)
{
	/* without the order of uses the second run would number registers otherwise than one run does */
	static const char *const optimise[] = {"-Xclang", "-emit-llvm-uselists", "-emit-llvm", NULL};
	static const char *const generate[] = {"-Xclang", "-disable-llvm-passes", NULL};
	const char *optimised = run(job, optimise, words, more, more_count, ir, length, cannot_run, &job->commands[1]),
		   *marked, *ptx;
	bool any;

	if (!optimised)
		return NULL;
	marked = inlined_mark(&job->arena, optimised, length, &any);
	ptx = run(job, generate, words, more, more_count, marked, length, cannot_run, &job->commands[2]);
	return ptx && any ? inlined_tell(&job->arena, optimised, ptx, length) : ptx;
}
