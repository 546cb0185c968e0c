/* Building, compiling and linking of programs. */
#include "host/device.h"
#include "host/link.h"
#include "host/need.h"
#include "host/opencl/identity.h"
#include "host/opencl/program.h"
#include "host/opencl/program_text.h"
#include "host/source_line.h"

#include "compile/compile.h"
#include "compile/rewrite.h"
#include "util/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef void(CL_CALLBACK *notify_function)(cl_program, void *);

/* What one build made of a program. */
struct outcome {
	cl_int error; /* CL_SUCCESS, or what the entry point returns */
	char *ptx, *log;
	cl_program_binary_type type;
	struct program_code *code;
};

static char *copy_of(const char *text)
{
	return need(strdup(text ? text : ""));
}

/* The program becomes what was made, and forgets what it was. */
static void conclude(cl_program program, struct outcome *made, const char *options)
{
	char *kept = copy_of(options), *log = made->log ? made->log : copy_of("");
	mutex_lock(&driver_lock);
	code_drop(program->code);
	free(program->options);
	free(program->log);
	program->options = kept;
	program->log = log;
	program->code = made->code;
	program->status = made->error ? CL_BUILD_ERROR : CL_BUILD_SUCCESS;
	if (made->error) {
		free(made->ptx);
		program->type = program->source ? CL_PROGRAM_BINARY_TYPE_NONE : program->type;
	} else {
		free(program->ptx);
		free(program->all);
		program->ptx = made->ptx;
		program->all = NULL;
		program->type = made->type;
	}
	mutex_unlock(&driver_lock);
}

/* Makes it a failure, with one line more in the log. */
static void refuse(struct outcome *made, cl_int error, const char *line)
{
	char *log;
	need(asprintf(&log, "%s%s\n", made->log ? made->log : "", line) < 0 ? NULL : log);
	free(made->log);
	made->log = log;
	made->error = error;
	device_complain("the GPU cannot run the program: %s", line);
}

/* A line of the log for each kernel that cannot be launched. */
static void warn(struct outcome *made, struct arena *arena)
{
	struct text log = {.arena = arena};
	text_print(&log, "%s", made->log ? made->log : "");
	for (cl_uint k = 0; k < made->code->kernel_count; k++) {
		const char *why = made->code->kernels[k].refusal,
			   *line = why ? source_line_of_message(arena, made->ptx, why) : NULL;
		if (why)
			text_print(&log, "%s%swarning: %s\n", line ? line : "", line ? ": " : "", why);
	}
	free(made->log);
	made->log = copy_of(log.at);
}

/* Puts the module onto the GPU; what is missing or the GPU does not accept is the build's failure. */
static void load(struct outcome *made, cl_int error)
{
	char why[1100], *missing = NULL;
	struct arena arena = {0};
	if (!link_is_complete(made->ptx, &missing)) {
		refuse(made, error, missing);
	} else if (!(made->code = code_load(made->ptx, why, sizeof why))) {
		const char *line = source_line_of_message(&arena, made->ptx, why);
		refuse(made, error, arena_printf(&arena, "%s%serror: %s", line ? line : "", line ? ": " : "", why));
	} else {
		warn(made, &arena);
	}
	free(missing);
	arena_free(&arena);
}

/* ---- From source ---- */

/* Prints the first error of the log, for users that do not read the log. */
static void complain(const char *log)
{
	const char *line = strstr(log, "error:");
	while (line && line > log && line[-1] != '\n')
		line--;
	if (!line)
		line = log;
	device_complain("the program does not compile: %.*s", (int)strcspn(line, "\n"), line);
}

static void compile(const char *source, const char *options, const struct compile_header *headers, size_t header_count,
	bool is_build, bool is_whole, struct outcome *made)
{
	struct compile_unpinned unpinned = {0};
	struct compile_request request = {.name = program_text_name(source),
		.is_no_file = true,
		.text = source,
		.length = strlen(source),
		.options = options,
		.headers = headers,
		.header_count = header_count,
		.is_whole = is_whole,
		.is_1_2 = identity_get()->is_old,
		.unpinned = &unpinned};
	switch (compile_opencl(&request, &made->ptx, &made->log)) {
	case COMPILE_DONE:
		need(made->ptx);
		if (*unpinned.compiler)
			device_tell_unpinned(request.name, unpinned.compiler, unpinned.why);
		return;
	case COMPILE_BAD_OPTIONS:
		made->error = is_build ? CL_INVALID_BUILD_OPTIONS : CL_INVALID_COMPILER_OPTIONS;
		break;
	case COMPILE_UNAVAILABLE:
	case COMPILE_BAD_PINNED:
	case COMPILE_FAILED: made->error = is_build ? CL_BUILD_PROGRAM_FAILURE : CL_COMPILE_PROGRAM_FAILURE; break;
	}
	complain(made->log);
}

static cl_int check_devices(cl_uint count, const cl_device_id *devices)
{
	if (!count != !devices)
		return CL_INVALID_VALUE;
	for (cl_uint k = 0; k < count; k++)
		if (!object_is(devices[k], OBJECT_DEVICE))
			return CL_INVALID_DEVICE;
	return CL_SUCCESS;
}

static cl_int check_program(cl_program program, cl_uint device_count, const cl_device_id *devices,
	notify_function notify, const void *user_data)
{
	if (!object_is(program, OBJECT_PROGRAM))
		return CL_INVALID_PROGRAM;
	cl_int why = check_devices(device_count, devices);
	if (why)
		return why;
	if (!notify && user_data)
		return CL_INVALID_VALUE;
	return atomic_load(&program->kernels) ? CL_INVALID_OPERATION : CL_SUCCESS;
}

/* Modules to one.  Symbols that are missing in an executable are reported when it is loaded. */
static void link_modules(const char *const *modules, size_t count, cl_int error, struct outcome *made)
{
	struct arena arena = {0};
	char *why, *linked = link_ptx(modules, count, true, &why);
	if (linked)
		made->ptx = copy_of(called_kernels(&arena, linked));
	else
		refuse(made, error, why);
	free(linked);
	free(why);
	arena_free(&arena);
}

CL_API_ENTRY cl_int CL_API_CALL clBuildProgram(cl_program program, cl_uint device_count, const cl_device_id *devices,
	const char *options, notify_function notify, void *user_data)
{
	struct outcome made = {.type = CL_PROGRAM_BINARY_TYPE_EXECUTABLE};
	cl_int why = check_program(program, device_count, devices, notify, user_data);
	char bad[256];
	if (why)
		return why;
	if (!program->source && !compile_options_valid(options, bad, sizeof bad))
		return CL_INVALID_BUILD_OPTIONS;
	if (program->source)
		compile(program->source, options, NULL, 0, true, true, &made);
	else if (program->type == CL_PROGRAM_BINARY_TYPE_EXECUTABLE)
		made.ptx = copy_of(program->ptx);
	else if (program->ptx)
		link_modules((const char *const[]){program->ptx}, 1, CL_BUILD_PROGRAM_FAILURE, &made);
	else
		made.error = CL_INVALID_BINARY;
	if (!made.error)
		load(&made, CL_BUILD_PROGRAM_FAILURE);
	conclude(program, &made, options);
	if (notify)
		notify(program, user_data);
	/* With a callback, the program's status tells how the build went. */
	return notify && made.error == CL_BUILD_PROGRAM_FAILURE ? CL_SUCCESS : made.error;
}

static char *with_mark(const char *mark, char *ptx)
{
	char *text;
	need(asprintf(&text, "%s%s", mark, ptx) < 0 ? NULL : text);
	free(ptx);
	return text;
}

static cl_int check_headers(cl_uint count, const cl_program *programs, const char **names)
{
	if (!count != !programs || !count != !names)
		return CL_INVALID_VALUE;
	for (cl_uint k = 0; k < count; k++)
		if (!object_is(programs[k], OBJECT_PROGRAM))
			return CL_INVALID_PROGRAM;
	for (cl_uint k = 0; k < count; k++)
		if (!programs[k]->source || !names[k])
			return CL_INVALID_VALUE;
	return CL_SUCCESS;
}

CL_API_ENTRY cl_int CL_API_CALL clCompileProgram(cl_program program, cl_uint device_count, const cl_device_id *devices,
	const char *options, cl_uint header_count, const cl_program *headers, const char **names,
	notify_function notify, void *user_data)
{
	struct outcome made = {.type = CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT};
	cl_int why = check_program(program, device_count, devices, notify, user_data);
	if (!why)
		why = check_headers(header_count, headers, names);
	if (!why && !program->source)
		why = CL_INVALID_OPERATION;
	if (why)
		return why;
	struct compile_header *list = need(calloc(header_count + 1, sizeof *list));
	for (cl_uint k = 0; k < header_count; k++)
		list[k] = (struct compile_header){names[k], headers[k]->source, strlen(headers[k]->source)};
	compile(program->source, options, list, header_count, false, !header_count, &made);
	free(list);
	if (!made.error)
		made.ptx = with_mark(PROGRAM_OBJECT_MARK, made.ptx);
	conclude(program, &made, options);
	if (notify)
		notify(program, user_data);
	return notify && made.error == CL_COMPILE_PROGRAM_FAILURE ? CL_SUCCESS : made.error;
}

/* Most objects are linked alone, and so compiled once. */
const char *program_all(cl_program program)
{
	static pthread_mutex_t mutex = MUTEX_INITIALIZER;
	bool lacks = program->type == CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT && program->source &&
		     strstr(program->ptx, COMPILE_LEFT_OUT);
	if (!lacks)
		return program->ptx;
	mutex_lock(&mutex);
	if (!program->all) {
		struct outcome made = {0};
		compile(program->source, program->options, NULL, 0, false, false, &made);
		program->all = made.error ? NULL : with_mark(PROGRAM_OBJECT_MARK, made.ptx);
		free(made.log);
	}
	const char *ptx = program->all ? program->all : program->ptx;
	mutex_unlock(&mutex);
	return ptx;
}

/* ---- Linking ---- */

/* Reads the options of clLinkProgram; false: one that it does not know. */
static bool read_link_options(const char *options, bool *library)
{
	static const char *const harmless[] = {"-enable-link-options", "-cl-denorms-are-zero", "-cl-no-signed-zeros",
		"-cl-unsafe-math-optimizations", "-cl-finite-math-only", "-cl-fast-relaxed-math",
		"-cl-no-subgroup-ifp"};
	bool asked = false;
	*library = false;
	while (options && *options) {
		size_t length = strcspn(options, " \t");
		bool known = !length;
		for (size_t k = 0; k < sizeof harmless / sizeof *harmless; k++)
			known |= strlen(harmless[k]) == length && !strncmp(options, harmless[k], length);
		if (length == 15 && !strncmp(options, "-create-library", 15))
			*library = known = true;
		asked |= length == 20 && !strncmp(options, harmless[0], 20);
		if (!known)
			return false;
		options += length + (options[length] != '\0');
	}
	return !asked || *library;
}

static cl_int check_link(cl_context context, cl_uint device_count, const cl_device_id *devices, cl_uint count,
	const cl_program *programs, notify_function notify, const void *user_data)
{
	if (!object_is(context, OBJECT_CONTEXT))
		return CL_INVALID_CONTEXT;
	cl_int why = check_devices(device_count, devices);
	if (why)
		return why;
	if (!count || !programs || (!notify && user_data))
		return CL_INVALID_VALUE;
	for (cl_uint k = 0; k < count; k++)
		if (!object_is(programs[k], OBJECT_PROGRAM))
			return CL_INVALID_PROGRAM;
	for (cl_uint k = 0; k < count; k++)
		if (programs[k]->type != CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT &&
			programs[k]->type != CL_PROGRAM_BINARY_TYPE_LIBRARY)
			return CL_INVALID_OPERATION;
	return CL_SUCCESS;
}

static void link_programs(cl_uint count, const cl_program *programs, bool library, struct outcome *made)
{
	const char **modules = need(calloc(count, sizeof *modules));
	for (cl_uint k = 0; k < count; k++)
		modules[k] = count == 1 && !library ? programs[k]->ptx : program_all(programs[k]);
	made->type = library ? CL_PROGRAM_BINARY_TYPE_LIBRARY : CL_PROGRAM_BINARY_TYPE_EXECUTABLE;
	link_modules(modules, count, CL_LINK_PROGRAM_FAILURE, made);
	free(modules);
	if (!made->error && library)
		made->ptx = with_mark(PROGRAM_LIBRARY_MARK, made->ptx);
	else if (!made->error)
		load(made, CL_LINK_PROGRAM_FAILURE);
}

CL_API_ENTRY cl_program CL_API_CALL clLinkProgram(cl_context context, cl_uint device_count, const cl_device_id *devices,
	const char *options, cl_uint count, const cl_program *programs, notify_function notify, void *user_data,
	cl_int *errcode_ret)
{
	struct outcome made = {0};
	cl_program program = NULL;
	bool library;
	cl_int why = check_link(context, device_count, devices, count, programs, notify, user_data);
	if (!why && !read_link_options(options, &library))
		why = CL_INVALID_LINKER_OPTIONS;
	if (!why && !(program = program_new(context)))
		why = CL_OUT_OF_HOST_MEMORY;
	if (!why) {
		link_programs(count, programs, library, &made);
		conclude(program, &made, options);
		why = made.error;
	}
	if (program && notify)
		notify(program, user_data);
	return created(program, why, errcode_ret);
}

/* The compiler is a program of its own: there is nothing to unload. */
CL_API_ENTRY cl_int CL_API_CALL clUnloadCompiler(void)
{
	return CL_SUCCESS;
}

CL_API_ENTRY cl_int CL_API_CALL clUnloadPlatformCompiler(cl_platform_id platform)
{
	return platform == platform_object() ? CL_SUCCESS : CL_INVALID_PLATFORM;
}
