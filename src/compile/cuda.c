/* CUDA C to PTX, in three runs of clang as for OpenCL C (opencl.c), without NVIDIA's toolkit: device/ has the headers.
 */
#include "compile/compilation.h"
#include "compile/device_files.h"
#include "compile/overlay.h"
#include "compile/rewrite.h"
#include "compile/target.h"

#include <string.h>

#define DEVICE "/lockstep/device" /* where the compiler sees the headers */
#define MACROS "given_macros.h"
#define VERSION "cuda 5" /* change it when the code here makes another result of the same words */

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

/* The macros of -D as lines, to follow our own header: its templates' parameters have names that programs may define.
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

static const char *const language_words[] = {"-x", "cuda", "--cuda-device-only", "-nocudainc", "-nocudalib",
	"--cuda-gpu-arch=sm_70", "-Xclang", "-target-feature", "-Xclang", "+ptx63", "-Xclang",
	"-fno-cuda-host-device-constexpr", "-Wno-unknown-cuda-version", "-Wno-linker-warnings", NULL};

static const char *const source_words[] = {"-isystem", DEVICE, "-include", DEVICE "/cuda_kernel.h", "-include",
	DEVICE "/" MACROS, "-O1", "-Xclang", "-disable-llvm-passes", "-gline-tables-only", "-S", "-emit-llvm", "-o",
	"-", NULL};

static const char *const generation_words[] = {"-x", "ir", "-target", "nvptx64-nvidia-cuda", TARGET_MACHINE_WORDS,
	"-nocudalib", "-Wno-unknown-cuda-version", "-O1", "-S", "-o", "-", "-", NULL};

static void add_to_key(struct compilation *job, struct digest *key)
{
	digest_add_text(key, job->request->name);
	digest_add_text(key, job->request->is_no_file ? "no file" : "");
	digest_add(key, job->source.at ? job->source.at : "", job->source.length);
	digest_add_text(key, job->request->options);
	const char *const *const lists[] = {language_words, source_words, generation_words};
	for (size_t k = 0; k < sizeof lists / sizeof *lists; k++)
		digest_add_words(key, lists[k]);
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

/* The words of the first run, but for the source.  False: there is no room for its files. */
static bool add_words(struct compilation *job, struct tool *tool)
{
	tool_add(tool, job->tools.clang);
	tool_add_all(tool, language_words);
	if (job->tools.libclc)
		tool_link(tool, job->tools.libclc);
	if (!add_headers(tool, &job->options))
		return false;
	tool_add_all(tool, source_words);
	for (uint32_t k = 0; k < job->options.source.count; k++)
		if (job->options.source.at[k][1] != 'D')
			tool_add(tool, job->options.source.at[k]);
	if (job->request->is_no_file)
		tool_leave_folder_out(tool);
	return tool_watch(tool);
}

/* Null when the tool failed. */
static const char *make_ir(struct compilation *job, struct tool *tool)
{
	const char *ir = NULL;
	size_t length;
	if (!add_words(job, tool)) {
		tool_say_why(tool, &job->log);
		return NULL;
	}
	add_source(tool, job->request);
	bool good = tool_run(tool, job->source.at ? job->source.at : "", job->source.length, &ir, &length, &job->log);
	compilation_note(job, tool);
	for (uint32_t k = 0; k < job->options.source.count; k++) /* which are in the file of macros */
		if (job->options.source.at[k][1] == 'D')
			job->commands[0] =
				arena_printf(&job->arena, "%s %s", job->commands[0], job->options.source.at[k]);
	return good ? ir : NULL;
}

static const char *make_ptx(struct compilation *job, const char *ir, size_t *length, bool *cannot_run)
{
	const char *prepared = prepare_ir(&job->arena, grid_constants(&job->arena, ir), length);
	return compilation_generate(job, generation_words, NULL, 0, prepared, length, cannot_run);
}

static enum compile_outcome compile(struct compilation *job)
{
	struct tool first = {.arena = &job->arena};
	const char *ir = make_ir(job, &first);
	size_t length;
	tool_end(&first);
	bool cannot_run = first.cannot_run;
	const char *ptx = ir ? make_ptx(job, ir, &length, &cannot_run) : NULL;
	if (!ptx)
		return cannot_run ? COMPILE_UNAVAILABLE : COMPILE_FAILED;
	text_append(&job->ptx, ptx, length);
	return COMPILE_DONE;
}

/* Its folder is among those in which headers are looked for; a file is read. */
static bool describe(struct compilation *job, struct pinned_source *source)
{
	struct diagnostic ignored = {0}; /* clang will say it */
	VECTOR(const char *) words = {0};
	const char *folder = folder_of(&job->arena, source->name);
	size_t length = strlen(folder);
	*vector_push(&job->arena, &words) =
		arena_printf(&job->arena, "-I%.*s", (int)(length - (folder[length - 1] == '/')), folder);
	for (uint32_t k = 0; k < source->word_count; k++)
		*vector_push(&job->arena, &words) = source->words[k];
	source->words = words.at;
	source->word_count = words.count;
	if (!source->text)
		source->text = text_read_file(&job->arena, source->name, &source->length, &ignored);
	return source->text;
}

enum compile_outcome compile_cuda(const struct compile_request *request, char **ptx, char **log)
{
	/* without libclc sin, exp and so on stay undefined, which the loader tells */
	static const struct language cuda = {.name = "CUDA C",
		.version = VERSION,
		.read_options = compile_options_read_cuda,
		.describe = describe,
		.add_to_key = add_to_key,
		.compile = compile};
	return compilation_run(&cuda, request, ptx, log);
}
