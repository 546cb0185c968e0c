/* Steps of a compilation: what is pinned, what is kept, what clang makes. */
#include "compile/compilation.h"

#include "compile/result.h"
#include "compile/witness.h"
#include "util/ptx_maker.h"

#include <string.h>

/* ---- Pinned PTX ---- */

static bool source_of(struct compilation *job, struct pinned_source *source)
{
	*source = (struct pinned_source){.name = job->name,
		.is_no_file = job->request->is_no_file,
		.text = job->request->text,
		.length = job->request->length,
		.words = job->options.source.at,
		.word_count = job->options.source.count,
		.by = job->language->version};
	return job->language->describe(job, source);
}

/* Takes it, or notes why not. */
static enum pinned_outcome take_pinned(struct compilation *job, struct text *why)
{
	const struct compile_request *request = job->request;
	struct pinned_source source;
	if (request->header_count || !pinned_is_asked(&job->arena, job->name, request->is_no_file) ||
		!source_of(job, &source))
		return PINNED_NONE;
	return pinned_find(&job->arena, &source, toolchain_chosen(request->program), &job->ptx, why);
}

static bool is_to_be_pinned(struct compilation *job)
{
	struct pinned_source source;
	return pinned_is_wanted() && source_of(job, &source) &&
	       !pinned_is_there(&job->arena, &source, job->tools.clang);
}

static bool pin(struct compilation *job)
{
	struct pinned_source source;
	const char *makefile = job->request->header_count ? NULL : job->dependencies;
	return source_of(job, &source) &&
	       pinned_write(&job->arena, &source, &job->ptx, makefile, job->tools.clang, &job->log);
}

/* ---- What is kept ---- */

void compilation_note(struct compilation *job, struct tool *tool)
{
	size_t length = 0;
	job->commands[0] = tool_command(tool);
	const char *lookups = tool_file_text(tool, tool->lookups, &length);
	text_append(&job->lookups, lookups ? lookups : "", length);
	job->dependencies = tool_file_text(tool, tool->dependencies, &length);
}

static void make_key(struct compilation *job)
{
	kept_begin(&job->kept, &job->arena, job->language->version, job->tools.clang, job->tools.libclc);
	job->language->add_to_key(job, &job->kept.key);
	digest_end(&job->kept.key);
}

static void keep(struct compilation *job)
{
	const struct compile_request *request = job->request;
	bool compares_times = job->source.at && witness_compares_times(job->source.at);
	for (size_t k = 0; k < request->header_count && !compares_times; k++)
		compares_times = witness_compares_times(
			arena_copy(&job->arena, request->headers[k].text, request->headers[k].length));
	if (!compares_times)
		kept_put(&job->kept, &job->ptx, &job->log, job->dependencies, &job->lookups);
}

/* ---- The whole ---- */

/* A line that gives the name, then the text: the compiler reads it from its standard input. */
static void name_source(struct text *out, const char *name, const char *text, size_t length)
{
	text_print(out, "#line 1 \"");
	for (const char *c = name; *c; c++) {
		if (*c == '"' || *c == '\\')
			text_append(out, "\\", 1);
		text_append(out, *c == '\n' ? " " : c, 1);
	}
	text_print(out, "\"\n");
	text_append(out, text, length);
}

/* False, and a line that says what is missing. */
static bool find_tools(struct compilation *job)
{
	toolchain_find(&job->arena, job->request->program, &job->tools);
	if (job->tools.clang && !(job->language->needs_libclc && job->tools.lacks))
		return true;
	text_print(&job->log, "lockstep: %s cannot be compiled: %s\n", job->language->name, job->tools.lacks);
	return false;
}

/* The PTX says what made it.  False: it cannot say all, so it must not be kept. */
static bool name_maker(struct compilation *job)
{
	const char *compiler = tool_version(&job->arena, job->tools.clang), *library = "";
	if (job->language->needs_libclc)
		library = arena_printf(&job->arena, "; libclc of LLVM %d", job->tools.library);
	ptx_maker_write(&job->ptx, &(struct ptx_maker){.compiler = compiler,
					   .options = arena_printf(&job->arena, "%s | %s | %s%s", job->commands[0],
						   job->commands[1], job->commands[2], library)});
	return compiler != job->tools.clang && (job->tools.library || !job->language->needs_libclc);
}

/* By a compiler, or what one has made before. */
static enum compile_outcome run_compiler(struct compilation *job)
{
	const struct compile_request *request = job->request;
	if (!find_tools(job))
		return COMPILE_UNAVAILABLE;
	if (request->text)
		name_source(&job->source, job->name, request->text, request->length);
	make_key(job);
	bool pins = is_to_be_pinned(job);
	if (!request->no_cache && !pins && kept_find(&job->kept, &job->ptx, &job->log))
		return COMPILE_DONE;
	enum compile_outcome outcome = job->language->compile(job);
	if (outcome != COMPILE_DONE)
		return outcome;
	if (name_maker(job) && !request->no_cache)
		keep(job);
	return pins && !pin(job) ? COMPILE_BAD_PINNED : COMPILE_DONE;
}

static enum compile_outcome run(struct compilation *job)
{
	struct text why = {.arena = &job->arena};
	if (!job->language->read_options(&job->options, job->request->options)) {
		text_print(&job->log, "lockstep: %s\n", job->options.bad);
		return COMPILE_BAD_OPTIONS;
	}
	if (job->language->refuses && job->language->refuses(job))
		return COMPILE_FAILED;
	enum pinned_outcome pinned = take_pinned(job, &why);
	if (pinned == PINNED_FOUND)
		return COMPILE_DONE;
	if (pinned == PINNED_DAMAGED) {
		text_print(&job->log, "lockstep: %s\n", why.at);
		return COMPILE_BAD_PINNED;
	}
	enum compile_outcome outcome = run_compiler(job);
	if (outcome == COMPILE_DONE && pinned == PINNED_OTHER)
		pinned_tell(&job->arena, job->request->unpinned, why.at, job->tools.clang);
	return outcome;
}

enum compile_outcome compilation_run(
	const struct language *language, const struct compile_request *request, char **ptx, char **log)
{
	struct compilation job = {
		.language = language, .request = request, .name = request->name ? request->name : "program.cl"};
	job.options.arena = job.source.arena = job.log.arena = job.ptx.arena = job.lookups.arena = &job.arena;
	enum compile_outcome outcome = run(&job);
	*ptx = outcome == COMPILE_DONE ? result_copy(job.ptx.at, job.ptx.length) : NULL;
	*log = result_copy(job.log.at, job.log.length);
	arena_free(&job.arena);
	return outcome;
}
