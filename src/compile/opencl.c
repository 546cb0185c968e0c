/* OpenCL C to PTX, in three runs of clang.
 *
 * The first gives LLVM's intermediate code with the built-in functions linked; it has what OpenCL asks of kernels, and
 * PTX does not say (metadata.c).  The second optimises it, and the third makes PTX of it (compilation.h).  After
 * the first the code is prepared (prepare.c), which has to be before any pass.  No run does another's work. Some
 * programs show by the first run's result that they need it done otherwise: struct attempt. */
#include "compile/builtins.h"
#include "compile/compilation.h"
#include "compile/device_files.h"
#include "compile/kernel_info.h"
#include "compile/makefile.h"
#include "compile/overlay.h"
#include "compile/rewrite.h"
#include "compile/subset.h"
#include "compile/target.h"

#include <stdio.h>
#include <string.h>

#define VERSION "opencl 12" /* change it when the code here makes another result of the same words */

/* Where the compiler sees headers given in memory, and ours. */
#define HEADERS "/lockstep/headers"
#define DEVICE "/lockstep/device"

static const char *const generation_words[] = {"-x", "ir", "-target", "nvptx64--nvidiacl", TARGET_MACHINE_WORDS, "-O1",
	"-fno-color-diagnostics", "-fno-crash-diagnostics", "-S", "-o", "-", "-", NULL};

/* How the source is run. */
struct attempt {
	const char *subset; /* of the libraries; null: the whole */
	size_t subset_length;
	bool asm_is_keyword; /* as for NVIDIA's compiler; in OpenCL C it is a name like others */
};

/* ---- The source ---- */

static void add_options(struct digest *key, const char *const *words, uint32_t count)
{
	digest_add(key, &count, sizeof count);
	for (uint32_t k = 0; k < count; k++)
		digest_add_text(key, words[k]);
}

static void add_to_key(struct compilation *job, struct digest *key)
{
	const struct compile_request *request = job->request;
	digest_add(key, job->source.at, job->source.length);
	digest_add_text(key, job->options.standard);
	add_options(key, job->options.source.at, job->options.source.count);
	add_options(key, job->options.generation.at, job->options.generation.count);
	digest_add_text(key, request->is_1_2 ? "1.2" : "3.0");
	digest_add_text(key, request->is_no_file ? "no file" : "");
	digest_add_text(key, request->is_whole ? "no other functions" : "");
	for (size_t k = 0; k < request->header_count; k++) {
		digest_add_text(key, request->headers[k].name);
		digest_add(key, request->headers[k].text, request->headers[k].length);
	}
	const char *const *const lists[] = {target_words, target_macros, target_features_3, generation_words};
	for (size_t k = 0; k < sizeof lists / sizeof *lists; k++)
		digest_add_words(key, lists[k]);
}

/* ---- The runs ---- */

static bool add_headers(struct tool *tool, const struct compile_request *request)
{
	struct overlay overlay = {.tool = tool};
	for (size_t k = 0; k < request->header_count; k++)
		if (!overlay_add(&overlay, HEADERS, request->headers[k].name, request->headers[k].text,
			    request->headers[k].length))
			return false;
	for (size_t k = 0; k < device_file_count; k++)
		if (!strcmp(device_files[k].name, "opencl/declare.h") ||
			!strncmp(device_files[k].name, "lockstep_", 9)) {
			const char *text = device_files[k].text;
			if (!overlay_add(&overlay, DEVICE, device_files[k].name, text, strlen(text)))
				return false;
		}
	tool_add_all(tool, (const char *const[]){"-isystem", DEVICE, "-include", DEVICE "/opencl/declare.h", NULL});
	if (request->header_count) {
		tool_add(tool, "-iquote");
		tool_add(tool, HEADERS);
		tool_add(tool, "-I" HEADERS);
	}
	return overlay_end(&overlay);
}

static enum compile_outcome no_room(struct compilation *job, const struct tool *tool)
{
	tool_say_why(tool, &job->log);
	return COMPILE_UNAVAILABLE;
}

/* All texts that may name a function, but for included files. */
static const char *find_subset(struct compilation *job, struct libraries *libraries, size_t *length)
{
	VECTOR(const char *) texts = {0};
	*vector_push(&job->arena, &texts) = job->source.at;
	for (uint32_t k = 0; k < job->options.source.count; k++)
		*vector_push(&job->arena, &texts) = job->options.source.at[k];
	for (size_t k = 0; k < job->request->header_count; k++) {
		const struct compile_header *header = &job->request->headers[k];
		*vector_push(&job->arena, &texts) = arena_copy(&job->arena, header->text, header->length);
	}
	return subset_of(&job->arena, libraries, texts.at, texts.count, length);
}

static bool link_libraries(struct tool *tool, const struct libraries *libraries, const struct attempt *attempt)
{
	const char *first = attempt->subset ? tool_file(tool, attempt->subset, attempt->subset_length)
					    : tool_file(tool, libraries->builtins, libraries->builtins_length);
	if (!first)
		return false;
	tool_link(tool, first);
	if (!attempt->subset)
		tool_link(tool, libraries->libclc);
	return true;
}

/* `tool` is ended by the caller. */
static enum compile_outcome run_source(struct compilation *job, struct tool *tool, const struct libraries *libraries,
	const struct attempt *attempt, const char **ir)
{
	static const char *const words[] = {"-cl-kernel-arg-info", "-O1", "-Xclang", "-disable-llvm-passes",
		"-gline-tables-only", "-S", "-emit-llvm", "-o", "-", "-", NULL};
	size_t ir_length;
	tool_add(tool, job->tools.clang);
	tool_add_all(tool, target_words);
	tool_add_all(tool, target_macros);
	if (!strcmp(job->options.standard, "CL3.0"))
		tool_add_all(tool, target_features_3);
	if (job->request->is_1_2)
		tool_add_all(tool, target_words_1_2);
	tool_add(tool, arena_printf(&job->arena, "-cl-std=%s", job->options.standard));
	if (attempt->asm_is_keyword)
		tool_add(tool, "-Dasm=__asm__");
	if (!add_headers(tool, job->request))
		return no_room(job, tool);
	for (uint32_t k = 0; k < job->options.source.count; k++)
		tool_add(tool, job->options.source.at[k]);
	if (!link_libraries(tool, libraries, attempt))
		return no_room(job, tool);
	if (job->request->is_no_file)
		tool_leave_folder_out(tool);
	tool_add_all(tool, words);
	if (!tool_watch(tool))
		return no_room(job, tool);
	bool good = tool_run(tool, job->source.at, job->source.length, ir, &ir_length, &job->log);
	compilation_note(job, tool);
	return good ? COMPILE_DONE : tool->cannot_run ? COMPILE_UNAVAILABLE : COMPILE_FAILED;
}

static enum compile_outcome try(
	struct compilation *job, const struct libraries *libraries, const struct attempt *attempt, const char **ir)
{
	struct tool tool = {.arena = &job->arena};
	enum compile_outcome outcome = run_source(job, &tool, libraries, attempt, ir);
	tool_end(&tool);
	return outcome;
}

static uint32_t count_errors(const char *log)
{
	uint32_t count = 0;
	for (const char *at = log; (at = strstr(at, " error: ")); at++)
		count++;
	return count;
}

/* The program again with `asm` as a keyword; what has no fewer errors so was not written for it. */
static enum compile_outcome try_asm(struct compilation *job, const struct libraries *libraries, struct attempt *attempt,
	size_t log_length, const char **ir)
{
	const char *first = arena_copy(&job->arena, job->log.at + log_length, job->log.length - log_length);
	attempt->asm_is_keyword = true;
	job->log.length = log_length;
	enum compile_outcome outcome = try(job, libraries, attempt, ir);
	if (outcome == COMPILE_FAILED && count_errors(job->log.at + log_length) >= count_errors(first)) {
		job->log.length = log_length;
		text_append(&job->log, first, strlen(first));
	}
	return outcome;
}

static enum compile_outcome make_ir(struct compilation *job, const char **ir)
{
	struct libraries libraries = {
		.clang = job->tools.clang, .libclc = job->tools.libclc, .no_cache = job->request->no_cache};
	struct attempt attempt = {0};
	libraries.builtins = builtins_bitcode(
		&job->arena, job->tools.clang, libraries.no_cache, &libraries.builtins_length, &job->log);
	if (!libraries.builtins) {
		text_print(&job->log, "lockstep: %s cannot compile the built-in functions of OpenCL C\n",
			job->tools.clang);
		return COMPILE_UNAVAILABLE;
	}
	attempt.subset = find_subset(job, &libraries, &attempt.subset_length);
	for (size_t log_length = job->log.length;; job->log.length = log_length) {
		enum compile_outcome outcome = try(job, &libraries, &attempt, ir);
		if (outcome == COMPILE_FAILED && !attempt.asm_is_keyword && strstr(job->log.at + log_length, "asm"))
			outcome = try_asm(job, &libraries, &attempt, log_length, ir);
		if (outcome != COMPILE_DONE)
			return outcome;
		if (!attempt.subset || subset_was_enough(&libraries, *ir))
			return COMPILE_DONE;
		attempt.subset = NULL;
	}
}

/* Pinned PTX is for both ways. */
static bool keeps_all(const struct compilation *job)
{
	return !job->request->is_whole || pinned_is_wanted();
}

static enum compile_outcome run_generation(struct compilation *job, const char *ir)
{
	size_t length;
	bool cannot_run = false;
	const char *needed = keeps_all(job) ? ir : reachable_functions(&job->arena, ir);
	const char *prepared = prepare_ir(&job->arena, inline_keep(&job->arena, needed), &length);
	const char *changed = rewrite_ir(&job->arena, prepared, &length);
	const char *ptx = compilation_generate(job, generation_words, job->options.generation.at,
		job->options.generation.count, changed, &length, &cannot_run);
	if (!ptx)
		return cannot_run ? COMPILE_UNAVAILABLE : COMPILE_FAILED;
	rewrite_ptx(&job->ptx, called_kernels(&job->arena, ptx));
	text_print(&job->ptx,
		".pragma \"lockstep_shared_null\"; // NULL of local memory is 0: no variable may be there\n");
	if (needed != ir)
		text_print(&job->ptx, COMPILE_LEFT_OUT);
	metadata_to_kernel_info(ir, &job->ptx);
	return COMPILE_DONE;
}

/* ---- Pinned PTX ---- */

/* declare.h is included before all else. */
static const char *built_ins(struct arena *arena, size_t *length)
{
	struct text text = {.arena = arena};
	const char *source = builtins_source(arena, length);
	text_append(&text, source, *length);
	const char *declarations = makefile_device_file(DEVICE "/opencl/declare.h");
	text_append(&text, declarations, strlen(declarations));
	*length = text.length;
	return text.at;
}

static bool describe(struct compilation *job, struct pinned_source *source)
{
	source->standard = job->options.standard;
	source->device = job->request->is_1_2 ? "OpenCL 1.2" : NULL;
	source->built_ins = built_ins(&job->arena, &source->built_ins_length);
	return true;
}

/* ---- The whole ---- */

static bool refuses(struct compilation *job)
{
	if (!job->request->is_1_2 || strcmp(job->options.standard, "CL1.2") <= 0)
		return false;
	text_print(&job->log, "error: -cl-std=%s: the device has OpenCL C 1.2\n", job->options.standard);
	return true;
}

static enum compile_outcome compile(struct compilation *job)
{
	const char *ir = NULL;
	enum compile_outcome outcome = make_ir(job, &ir);
	return outcome == COMPILE_DONE ? run_generation(job, ir) : outcome;
}

static const struct language opencl = {.name = "OpenCL C",
	.version = VERSION,
	.needs_libclc = true,
	.read_options = compile_options_read,
	.refuses = refuses,
	.describe = describe,
	.add_to_key = add_to_key,
	.compile = compile};

enum compile_outcome compile_opencl(const struct compile_request *request, char **ptx, char **log)
{
	return compilation_run(&opencl, request, ptx, log);
}

bool compile_options_valid(const char *options, char *why, size_t size)
{
	struct arena arena = {0};
	struct compile_options read = {.arena = &arena};
	bool good = compile_options_read(&read, options);
	if (!good)
		snprintf(why, size, "%s", read.bad);
	arena_free(&arena);
	return good;
}
