/* CUDA C to PTX, in two runs of clang as for OpenCL C (opencl.c), without NVIDIA's toolkit: device/ has the headers. */
#include "compile/compile.h"
#include "compile/device_files.h"
#include "compile/named.h"
#include "compile/options.h"
#include "compile/overlay.h"
#include "compile/prepare.h"
#include "compile/result.h"
#include "compile/target.h"

#include <string.h>

#define DEVICE "/lockstep/device" /* where the compiler sees the headers */
#define MACROS "given_macros.h"

/* What is compiled: the file, or a text, which has it for its folder. */
static void add_source(struct tool *tool, const struct compile_request *request)
{
	const char *slash = strrchr(request->name, '/');
	if (!request->text)
		tool_add(
			tool, *request->name == '-' ? arena_printf(tool->arena, "./%s", request->name) : request->name);
	else {
		tool_add(tool, "-iquote");
		tool_add(tool,
			slash ? arena_copy(tool->arena, request->name, (size_t)(slash - request->name) + 1) : ".");
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

static bool add_words(struct tool *tool, const char *libclc, const struct compile_options *options)
{
	static const char *const words[] = {
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
	static const char *const link[] = {"-Xclang", "-mlink-builtin-bitcode", "-Xclang", NULL};
	struct overlay overlay = {.tool = tool};
	tool_add_all(tool, words);
	if (libclc) { /* sin, exp and so on; without it they stay undefined, which the loader tells */
		tool_add_all(tool, link);
		tool_add(tool, libclc);
	}
	for (size_t k = 0; k < device_file_count; k++)
		if (!strchr(device_files[k].name, '/') && !overlay_add(&overlay, DEVICE, device_files[k].name,
								  device_files[k].text, strlen(device_files[k].text)))
			return false;
	const char *defined = macros(tool->arena, options);
	if (!overlay_add(&overlay, DEVICE, MACROS, defined, strlen(defined)) || !overlay_end(&overlay))
		return false;
	tool_add_all(tool, (const char *const[]){"-isystem", DEVICE, "-include", DEVICE "/cuda_kernel.h", "-include",
				   DEVICE "/" MACROS, "-O1", "-Xclang", "-disable-llvm-passes", "-gline-tables-only",
				   "-S", "-emit-llvm", "-o", "-", NULL});
	for (uint32_t k = 0; k < options->source.count; k++)
		if (options->source.at[k][1] != 'D')
			tool_add(tool, options->source.at[k]);
	return true;
}

static bool make_ptx(struct arena *arena, const char *clang, const char *ir, const char **ptx, size_t *length,
	struct text *log, bool *cannot_run)
{
	static const char *const words[] = {
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
	struct tool tool = {.arena = arena};
	tool_add(&tool, clang);
	tool_add_all(&tool, words);
	const char *prepared = prepare_ir(arena, ir, length);
	bool good = tool_run(&tool, prepared, *length, ptx, length, log);
	*cannot_run = tool.cannot_run;
	tool_end(&tool);
	return good;
}

static enum compile_outcome run(
	struct arena *arena, const struct compile_request *request, const char **ptx, size_t *length, struct text *log)
{
	struct tool tool = {.arena = arena};
	struct text source = {.arena = arena};
	struct compile_options options = {.arena = arena};
	const char *clang = tools_find_clang(arena, NULL), *ir;
	bool good = false;
	if (!compile_options_read_cuda(&options, request->options)) {
		text_print(log, "lockstep: %s\n", options.bad);
		return COMPILE_BAD_OPTIONS;
	}
	if (!clang) {
		text_print(
			log, "lockstep: CUDA C needs clang 14 or later on PATH (Debian: apt-get install clang-14)\n");
		return COMPILE_UNAVAILABLE;
	}
	tool_add(&tool, clang);
	if (request->text)
		named_source(&source, request->name, request->text, request->length);
	if (add_words(&tool, tools_find_libclc(arena, clang), &options)) {
		add_source(&tool, request);
		good = tool_run(&tool, source.at ? source.at : "", source.length, &ir, length, log);
	} else
		tool.cannot_run = true;
	tool_end(&tool);
	if (good)
		good = make_ptx(arena, clang, ir, ptx, length, log, &tool.cannot_run);
	return good ? COMPILE_DONE : tool.cannot_run ? COMPILE_UNAVAILABLE : COMPILE_FAILED;
}

enum compile_outcome compile_cuda(const struct compile_request *request, char **ptx, char **log)
{
	struct arena arena = {0};
	struct text messages = {.arena = &arena};
	const char *text = NULL;
	size_t length = 0;
	enum compile_outcome outcome = run(&arena, request, &text, &length, &messages);
	*ptx = outcome == COMPILE_DONE ? result_copy(text, length) : NULL;
	*log = result_copy(messages.at, messages.length);
	arena_free(&arena);
	return outcome;
}
