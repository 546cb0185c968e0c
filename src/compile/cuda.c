/* CUDA C to PTX, in two runs of clang as for OpenCL C (opencl.c), without NVIDIA's toolkit: device/ has the headers. */
#include "compile/compile.h"
#include "compile/device_files.h"
#include "compile/kept.h"
#include "compile/named.h"
#include "compile/options.h"
#include "compile/overlay.h"
#include "compile/pinned.h"
#include "compile/prepare.h"
#include "compile/result.h"
#include "compile/target.h"
#include "compile/toolchain.h"

#include <string.h>

#define DEVICE "/lockstep/device" /* where the compiler sees the headers */
#define MACROS "given_macros.h"
#define VERSION "cuda 3" /* change it when the code here makes another result of the same words */

static const char *folder_of(struct arena *arena, const char *name)
{
	const char *slash = strrchr(name, '/');
	return slash ? arena_copy(arena, name, (size_t)(slash - name) + 1) : ".";
}

/* What is compiled: the file, or a text, which has it for its folder.  clang reads words from @FILE. */
static void add_source(struct tool *tool, const struct compile_request *request)
{
	if (!request->text)
		tool_add(tool, strchr("-@", *request->name) ? arena_printf(tool->arena, "./%s", request->name)
							    : request->name);
	else {
		tool_add(tool, "-iquote");
		tool_add(tool, folder_of(tool->arena, request->name));
		tool_add(tool, "-");
	}
}

/* The macros of -D as lines, for behind our own header: its templates' parameters have names that programs may define.
 */
static const char *macros(struct arena *arena, const struct compile_options *options)
{
	struct text lines = {.arena = arena};
	text_print(&lines, "%s", "");
	for (uint32_t k = 0; k < options->source.count; k++) {
		const char *word = options->source.at[k], *equals = strchr(word, '=');
		if (word[1] == 'D')
			text_print(&lines, "#define %.*s %s\n",
				equals ? (int)(equals - word - 2) : (int)strlen(word + 2), word + 2,
				equals ? equals + 1 : "1");
	}
	return lines.at;
}

/* One compilation. */
struct job {
	struct arena arena;
	const struct compile_request *request;
	struct compile_options options;
	struct toolchain tools; /* without libclc sin, exp and so on stay undefined, which the loader tells */
	struct kept kept;
	struct text source; /* with a line in front that gives its name; empty: clang reads the file */
	struct text log, ptx;
	const char *dependencies; /* as the compiler lists them, for make; null: not known */
	const char *search;       /* and the folders in which it looked; null: not known */
};

static const char *const language_words[] = {
	"-x",
	"cuda",
	"--cuda-device-only",
	"-nocudainc",
	"-nocudalib",
	"--cuda-gpu-arch=sm_70",
	"-Xclang",
	"-target-feature",
	"-Xclang",
	"+ptx63",
	"-Xclang",
	"-fno-cuda-host-device-constexpr",
	"-Wno-unknown-cuda-version",
	"-Wno-linker-warnings",
	NULL,
};

static const char *const source_words[] = {
	SEARCH_WORDS,
	"-isystem",
	DEVICE,
	"-include",
	DEVICE "/cuda_kernel.h",
	"-include",
	DEVICE "/" MACROS,
	"-O1",
	"-Xclang",
	"-disable-llvm-passes",
	"-gline-tables-only",
	"-S",
	"-emit-llvm",
	"-o",
	"-",
	NULL,
};

static const char *const generation_words[] = {
	"-x",
	"ir",
	"-target",
	"nvptx64-nvidia-cuda",
	TARGET_MACHINE_WORDS,
	"-nocudalib",
	"-Wno-unknown-cuda-version",
	"-O1",
	"-S",
	"-o",
	"-",
	"-",
	NULL,
};

/* All that the result depends on but files that are read, which an entry lists. */
static void make_key(struct job *job)
{
	struct cache_key *key = &job->kept.key;
	kept_begin(&job->kept, &job->arena, VERSION, job->tools.clang, job->tools.libclc);
	cache_key_add_text(key, job->request->name);
	cache_key_add_text(key, job->request->is_no_file ? "no file" : "");
	cache_key_add(key, job->source.at ? job->source.at : "", job->source.length);
	cache_key_add_text(key, job->request->options);
	const char *const *const lists[] = {language_words, source_words, generation_words};
	for (size_t k = 0; k < sizeof lists / sizeof *lists; k++)
		kept_key_add_words(key, lists[k]);
	cache_key_end(key);
}

static void keep(struct job *job)
{
	const struct compile_request *request = job->request;
	if (request->text) {
		kept_gave_text(&job->kept, job->source.at, job->source.length);
		kept_gave_word(&job->kept, arena_printf(&job->arena, "-I%s", folder_of(&job->arena, request->name)));
	} else {
		job->kept.source = request->name;
	}
	for (uint32_t k = 0; k < job->options.source.count; k++)
		kept_gave_word(&job->kept, job->options.source.at[k]);
	kept_put(&job->kept, &job->ptx, &job->log, job->dependencies, job->search);
}

static bool add_headers(struct tool *tool, const struct compile_options *options)
{
	struct overlay overlay = {.tool = tool};
	for (size_t k = 0; k < device_file_count; k++)
		if (!strchr(device_files[k].name, '/') && !overlay_add(&overlay, DEVICE, device_files[k].name,
								  device_files[k].text, strlen(device_files[k].text)))
			return false;
	const char *defined = macros(tool->arena, options);
	return overlay_add(&overlay, DEVICE, MACROS, defined, strlen(defined)) && overlay_end(&overlay);
}

/* The words of the first run.  Null: no room; else the file in memory that will name what was read. */
static const char *add_words(struct job *job, struct tool *tool)
{
	static const char *const link[] = {"-Xclang", "-mlink-builtin-bitcode", "-Xclang", NULL};
	tool_add(tool, job->tools.clang);
	tool_add_all(tool, language_words);
	if (job->tools.libclc) {
		tool_add_all(tool, link);
		tool_add(tool, job->tools.libclc);
	}
	if (!add_headers(tool, &job->options))
		return NULL;
	tool_add_all(tool, source_words);
	for (uint32_t k = 0; k < job->options.source.count; k++)
		if (job->options.source.at[k][1] != 'D')
			tool_add(tool, job->options.source.at[k]);
	if (job->request->is_no_file)
		tool_leave_folder_out(tool);
	const char *dependencies = tool_file(tool, "", 0);
	if (dependencies)
		tool_add_all(tool, (const char *const[]){"-MD", "-MT", "-", "-MF", dependencies, NULL});
	return dependencies;
}

/* Null when the tool failed. */
static const char *make_ir(struct job *job, struct tool *tool)
{
	const char *ir = NULL, *dependencies = add_words(job, tool);
	size_t length;
	if (!dependencies) {
		tool_say_why(tool, &job->log);
		return NULL;
	}
	add_source(tool, job->request);
	bool good = tool_run(tool, job->source.at ? job->source.at : "", job->source.length, &ir, &length, &job->log);
	job->search = search_take(&job->log, 0);
	if (!good)
		return NULL;
	job->dependencies = tool_file_text(tool, dependencies, &length);
	return ir;
}

static bool make_ptx(struct job *job, struct tool *tool, const char *ir)
{
	const char *ptx;
	size_t length;
	tool_add(tool, job->tools.clang);
	tool_add_all(tool, generation_words);
	const char *prepared = prepare_ir(&job->arena, ir, &length);
	if (!tool_run(tool, prepared, length, &ptx, &length, &job->log))
		return false;
	text_append(&job->ptx, ptx, length);
	return true;
}

static enum compile_outcome compile(struct job *job)
{
	struct tool first = {.arena = &job->arena}, second = {.arena = &job->arena};
	const char *ir = make_ir(job, &first);
	tool_end(&first);
	bool good = ir && make_ptx(job, &second, ir);
	tool_end(&second);
	return good ? COMPILE_DONE : first.cannot_run || second.cannot_run ? COMPILE_UNAVAILABLE : COMPILE_FAILED;
}

/* ---- Pinned PTX ---- */

/* False: the file cannot be read, which clang will say. */
static bool pinned_source_of(struct job *job, struct pinned_source *source)
{
	const struct compile_request *request = job->request;
	struct diagnostic ignored = {0};
	VECTOR(const char *) words = {0};
	const char *folder = folder_of(&job->arena, request->name);
	size_t length = strlen(folder);
	*vector_push(&job->arena, &words) =
		arena_printf(&job->arena, "-I%.*s", (int)(length - (folder[length - 1] == '/')), folder);
	for (uint32_t k = 0; k < job->options.source.count; k++)
		*vector_push(&job->arena, &words) = job->options.source.at[k];
	*source = (struct pinned_source){.name = request->name,
		.is_no_file = request->is_no_file,
		.text = request->text,
		.length = request->length,
		.words = words.at,
		.word_count = words.count,
		.by = VERSION};
	if (!source->text)
		source->text = text_read_file(&job->arena, request->name, &source->length, &ignored);
	return source->text;
}

static enum pinned_outcome take_pinned(struct job *job, struct text *why)
{
	struct pinned_source source;
	if (!pinned_is_asked(&job->arena, job->request->name, job->request->is_no_file) ||
		!pinned_source_of(job, &source))
		return PINNED_NONE;
	return pinned_find(&job->arena, &source, toolchain_chosen(NULL), &job->ptx, why);
}

static bool pin(struct job *job)
{
	struct pinned_source source;
	return pinned_source_of(job, &source) &&
	       pinned_write(&job->arena, &source, &job->ptx, job->dependencies, job->tools.clang, &job->log);
}

static bool is_to_be_pinned(struct job *job)
{
	struct pinned_source source;
	return pinned_is_wanted() && pinned_source_of(job, &source) &&
	       !pinned_is_there(&job->arena, &source, job->tools.clang);
}

/* ---- The whole ---- */

static enum compile_outcome run_compiler(struct job *job)
{
	const struct compile_request *request = job->request;
	toolchain_find(&job->arena, NULL, &job->tools);
	if (!job->tools.clang) {
		text_print(&job->log, "lockstep: CUDA C cannot be compiled: %s\n", job->tools.lacks);
		return COMPILE_UNAVAILABLE;
	}
	if (request->text)
		named_source(&job->source, request->name, request->text, request->length);
	make_key(job);
	bool pins = is_to_be_pinned(job);
	if (!request->no_cache && !pins && kept_find(&job->kept, &job->ptx, &job->log))
		return COMPILE_DONE;
	enum compile_outcome outcome = compile(job);
	if (outcome == COMPILE_DONE && !request->no_cache)
		keep(job);
	return outcome == COMPILE_DONE && pins && !pin(job) ? COMPILE_BAD_PINNED : outcome;
}

static enum compile_outcome run(struct job *job)
{
	struct text why = {.arena = &job->arena};
	if (!compile_options_read_cuda(&job->options, job->request->options)) {
		text_print(&job->log, "lockstep: %s\n", job->options.bad);
		return COMPILE_BAD_OPTIONS;
	}
	enum pinned_outcome pinned = take_pinned(job, &why);
	enum compile_outcome outcome;
	if (pinned_ends(pinned, &why, &job->log, &outcome))
		return outcome;
	outcome = run_compiler(job);
	if (outcome == COMPILE_DONE && pinned == PINNED_OTHER)
		pinned_tell(&job->arena, job->request->unpinned, why.at, job->tools.clang);
	return outcome;
}

enum compile_outcome compile_cuda(const struct compile_request *request, char **ptx, char **log)
{
	struct job job = {.request = request};
	job.options.arena = job.source.arena = job.log.arena = job.ptx.arena = &job.arena;
	enum compile_outcome outcome = run(&job);
	*ptx = outcome == COMPILE_DONE ? result_copy(job.ptx.at, job.ptx.length) : NULL;
	*log = result_copy(job.log.at, job.log.length);
	arena_free(&job.arena);
	return outcome;
}
