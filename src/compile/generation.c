/* From prepared intermediate code to PTX: compilation_generate. */
#include "compile/compilation.h"
#include "compile/inlined.h"

static const char *run(struct compilation *job, const char *const *first, const char *const *words,
	const char *const *more, uint32_t more_count, const char *in, size_t *length, bool *cannot_run,
	const char **command)
{
	struct tool tool = {.arena = &job->arena};
	const char *out = NULL;

	tool_add(&tool, job->tools.clang);
	tool_add_all(&tool, first);
	for (uint32_t k = 0; k < more_count; k++)
		tool_add(&tool, more[k]);
	tool_add_all(&tool, words);
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
	static const char *const optimise[] = {"-emit-llvm", NULL}, *const generate[] = {
									    "-Xclang", "-disable-llvm-passes", NULL};
	const char *optimised = run(job, optimise, words, more, more_count, ir, length, cannot_run, &job->commands[1]);
	size_t marked_length;
	const char *marked = optimised ? inlined_mark(&job->arena, optimised, &marked_length) : NULL, *ptx;

	if (!optimised)
		return NULL;
	if (marked)
		*length = marked_length;
	ptx = run(job, generate, words, more, more_count, marked ? marked : optimised, length, cannot_run,
		&job->commands[2]);
	return ptx && marked ? inlined_tell(&job->arena, optimised, ptx, length) : ptx;
}
