/* Options, random numbers, the verdict and the device, as common.h says. */
#include "common.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *program_name = "workload";

/* ---- Options ---- */

void options_refuse(const char *format, ...)
{
	va_list list;
	va_start(list, format);
	fprintf(stderr, "%s: ", program_name);
	vfprintf(stderr, format, list);
	fprintf(stderr, "\n");
	va_end(list);
	exit(2);
}

static int64_t read_number(const char *option, const char *text, int64_t least, int64_t most)
{
	char *end;
	errno = 0;
	long long value = strtoll(text, &end, 10);
	if (errno || end == text || *end || value < least || value > most)
		options_refuse("%s %s: expected a number from %" PRId64 " to %" PRId64, option, text, least, most);
	return value;
}

/* The words of a choice with `between` between them. */
static const char *words_of(const struct choice *choice, const char *between)
{
	static char text[256];
	text[0] = 0;
	for (size_t k = 0, at = 0; choice->words[k] && at < sizeof text; k++)
		at += (size_t)snprintf(text + at, sizeof text - at, "%s%s", k ? between : "", choice->words[k]);
	return text;
}

static void print_help(const char *what, const struct options *own)
{
	printf("%s: %s\n", program_name, what);
	printf("    --%-10s %-12s all numbers at once: small for tests, or the paper's (the default)\n", "size",
		"small|paper");
	printf("    --%-10s %-12s of all that is drawn (default 1)\n", "seed", "N");
	if (own->choice)
		printf("    --%-10s %-12s %s (default %s)\n", own->choice->name, words_of(own->choice, "|"),
			own->choice->help, own->choice->words[own->choice->value]);
	if (own->text)
		printf("    --%-10s %-12s %s (small %s, paper %s)\n", own->text->name, "TEXT", own->text->help,
			own->text->small, own->text->paper);
	for (size_t k = 0; k < own->count; k++)
		printf("    --%-10s %-12s %s (small %" PRId64 ", paper %" PRId64 ")\n", own->numbers[k].name, "N",
			own->numbers[k].help, own->numbers[k].small, own->numbers[k].paper);
	exit(0);
}

static bool is_choice(const char *option, const struct options *own)
{
	return own->choice && !strncmp(option, "--", 2) && !strcmp(option + 2, own->choice->name);
}

static bool is_text(const char *option, const struct options *own)
{
	return own->text && !strncmp(option, "--", 2) && !strcmp(option + 2, own->text->name);
}

static void read_choice(struct choice *choice, const char *word)
{
	for (size_t k = 0; choice->words[k]; k++)
		if (!strcmp(word, choice->words[k])) {
			choice->value = k;
			return;
		}
	options_refuse("--%s %s: expected %s", choice->name, word, words_of(choice, " or "));
}

static struct number *find_number(const char *option, const struct options *own)
{
	for (size_t k = 0; k < own->count; k++)
		if (!strncmp(option, "--", 2) && !strcmp(option + 2, own->numbers[k].name))
			return &own->numbers[k];
	options_refuse("unknown option '%s', expected one that --help lists", option);
}

/* --size comes first, wherever it stands, so that a number of its own overrides it. */
static void read_size(const char *size, const struct options *own)
{
	if (strcmp(size, "small") && strcmp(size, "paper"))
		options_refuse("--size %s: expected small or paper", size);
	for (size_t k = 0; k < own->count; k++)
		own->numbers[k].value = !strcmp(size, "small") ? own->numbers[k].small : own->numbers[k].paper;
	if (own->text)
		own->text->value = !strcmp(size, "small") ? own->text->small : own->text->paper;
}

/* `size` and the names of all options are known to be good. */
static uint64_t read_values(int argc, char **argv, const struct options *own)
{
	uint64_t seed = 1;
	for (int k = 1; k < argc; k += 2) {
		if (!strcmp(argv[k], "--seed")) {
			seed = (uint64_t)read_number(argv[k], argv[k + 1], 0, INT64_MAX);
		} else if (is_choice(argv[k], own)) {
			read_choice(own->choice, argv[k + 1]);
		} else if (is_text(argv[k], own)) {
			own->text->value = argv[k + 1];
		} else if (strcmp(argv[k], "--size")) {
			struct number *number = find_number(argv[k], own);
			number->value = read_number(argv[k], argv[k + 1], number->least, number->most);
		}
	}
	return seed;
}

uint64_t options_read_all(int argc, char **argv, const char *what, const struct options *own)
{
	const char *slash = strrchr(argv[0], '/'), *size = "paper";
	program_name = slash ? slash + 1 : argv[0];
	for (int k = 1; k < argc; k += 2) {
		if (!strcmp(argv[k], "--help"))
			print_help(what, own);
		if (strcmp(argv[k], "--size") && strcmp(argv[k], "--seed") && !is_choice(argv[k], own) &&
			!is_text(argv[k], own))
			find_number(argv[k], own);
		if (k + 1 == argc)
			options_refuse("%s: expected a value behind it", argv[k]);
		if (!strcmp(argv[k], "--size"))
			size = argv[k + 1];
	}
	read_size(size, own);
	return read_values(argc, argv, own);
}

uint64_t options_read_choice(
	int argc, char **argv, const char *what, struct number *numbers, size_t count, struct choice *choice)
{
	const struct options own = {numbers, count, choice, NULL};
	return options_read_all(argc, argv, what, &own);
}

uint64_t options_read(int argc, char **argv, const char *what, struct number *numbers, size_t count)
{
	const struct options own = {numbers, count, NULL, NULL};
	return options_read_all(argc, argv, what, &own);
}

/* ---- Random numbers ---- */

uint64_t random_next(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15u;
	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return z ^ z >> 31;
}

uint32_t random_below(uint64_t *state, uint32_t count)
{
	return (uint32_t)((random_next(state) >> 32) * count >> 32);
}

float random_unit(uint64_t *state)
{
	return (float)(random_next(state) >> 40) * 0x1p-24f;
}

/* ---- The verdict ---- */

void fail(const char *format, ...)
{
	va_list list;
	va_start(list, format);
	printf("FAILED: ");
	vprintf(format, list);
	printf("\n");
	va_end(list);
	exit(1);
}

int pass(void)
{
	puts("PASSED");
	return 0;
}

void *allocate(size_t count, size_t size)
{
	void *memory = calloc(count ? count : 1, size);
	if (!memory)
		fail("no memory for %zu elements of %zu bytes", count, size);
	return memory;
}

/* ---- The device ---- */

static void need(cl_int code, const char *call)
{
	if (code)
		fail("%s gives %d", call, code);
}
#define NEED(call) need(call, #call)

/* A folder of kernels or of what they include: where it is installed, seen from this program; else that of the source,
 * `built`. */
static const char *find_folder(const char *name, const char *built, char whole[PATH_MAX])
{
	char self[PATH_MAX], path[PATH_MAX + 64];
	ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
	self[length > 0 ? length : 0] = '\0';
	char *slash = strrchr(self, '/');
	snprintf(path, sizeof path, "%.*s/../../../share/lockstep/%s", slash ? (int)(slash - self) : 0, self, name);
	return realpath(path, whole) ? whole : built;
}

static char *read_source(const char *folder, const char *file)
{
	char path[4096];
	if (snprintf(path, sizeof path, "%s/%s", folder, file) >= (int)sizeof path)
		fail("the path of %s is too long", file);
	FILE *stream = fopen(path, "rb");
	if (!stream)
		fail("%s: %s", path, strerror(errno));
	size_t room = 1 << 20;
	char *text = allocate(room, 1);
	size_t length = fread(text, 1, room - 1, stream);
	if (ferror(stream) || length == room - 1)
		fail("%s: cannot be read whole", path);
	fclose(stream);
	return text;
}

static void build(struct gpu *gpu, const char *file, const char *options)
{
	cl_int why;
	char words[4096], places[2][PATH_MAX];
	const char *device = find_folder("device", DEVICE_FOLDER, places[0]);
	const char *kernels = find_folder("workloads", WORKLOADS_FOLDER, places[1]);
	char *text = read_source(kernels, file);
	const char *quote = strchr(device, ' ') ? "\"" : ""; /* PoCL 3.1 takes it for part of the path */
	const char *standard = strstr(options, "-cl-std=") ? "" : "-cl-std=CL1.2 ";
	if (snprintf(words, sizeof words, "%s-I%s%s%s -I%s%s%s %s", standard, quote, device, quote, quote, kernels,
		    quote, options) >= (int)sizeof words)
		fail("the path of %s is too long", device);
	gpu->program = clCreateProgramWithSource(gpu->context, 1, (const char **)&text, NULL, &why);
	need(why, "clCreateProgramWithSource");
	free(text);
	why = clBuildProgram(gpu->program, 1, &gpu->device, words, NULL, NULL);
	if (why) {
		static char log[65536];
		clGetProgramBuildInfo(gpu->program, gpu->device, CL_PROGRAM_BUILD_LOG, sizeof log - 1, log, NULL);
		fprintf(stderr, "%s\n", log);
		fail("%s: clBuildProgram gives %d", file, why);
	}
}

static cl_device_id first_device(cl_platform_id *platform)
{
	cl_device_id device;
	NEED(clGetPlatformIDs(1, platform, NULL));
	NEED(clGetDeviceIDs(*platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL));
	return device;
}

size_t gpu_local_bytes(void)
{
	cl_platform_id platform;
	cl_ulong bytes;
	NEED(clGetDeviceInfo(first_device(&platform), CL_DEVICE_LOCAL_MEM_SIZE, sizeof bytes, &bytes, NULL));
	return (size_t)bytes;
}

const char *gpu_atomics_standard(void)
{
	cl_platform_id platform;
	char version[256] = ""; /* "OpenCL MAJOR.MINOR ..." */
	NEED(clGetDeviceInfo(first_device(&platform), CL_DEVICE_VERSION, sizeof version - 1, version, NULL));
	return strncmp(version, "OpenCL 3", 8) ? "-cl-std=CL2.0" : "-cl-std=CL3.0";
}

#ifndef CL_DEVICE_PREFERRED_WORK_GROUP_SIZE_MULTIPLE /* of OpenCL 3.0 */
#define CL_DEVICE_PREFERRED_WORK_GROUP_SIZE_MULTIPLE 0x1067
#endif
uint32_t gpu_lanes(void)
{
	cl_platform_id platform;
	size_t lanes = 0; /* a device before OpenCL 3.0 does not know the question */
	if (clGetDeviceInfo(
		    first_device(&platform), CL_DEVICE_PREFERRED_WORK_GROUP_SIZE_MULTIPLE, sizeof lanes, &lanes, NULL))
		return 0;
	return (uint32_t)lanes;
}

struct gpu gpu_open(const char *file, const char *options)
{
	struct gpu gpu;
	cl_platform_id platform;
	cl_int why;
	gpu.device = first_device(&platform);
	gpu.context = clCreateContext(NULL, 1, &gpu.device, NULL, NULL, &why);
	need(why, "clCreateContext");
	gpu.queue = clCreateCommandQueue(gpu.context, gpu.device, CL_QUEUE_PROFILING_ENABLE, &why);
	need(why, "clCreateCommandQueue");
	build(&gpu, file, options);
	return gpu;
}

void gpu_close(struct gpu *gpu)
{
	NEED(clFinish(gpu->queue));
	NEED(clReleaseProgram(gpu->program));
	NEED(clReleaseCommandQueue(gpu->queue));
	NEED(clReleaseContext(gpu->context));
}

cl_mem gpu_buffer(const struct gpu *gpu, size_t bytes, const void *contents)
{
	cl_int why;
	cl_mem buffer = clCreateBuffer(gpu->context, CL_MEM_READ_WRITE, bytes, NULL, &why);
	need(why, "clCreateBuffer");
	if (contents)
		NEED(clEnqueueWriteBuffer(gpu->queue, buffer, CL_TRUE, 0, bytes, contents, 0, NULL, NULL));
	return buffer;
}

cl_mem gpu_filled(const struct gpu *gpu, size_t words, int32_t word)
{
	cl_mem buffer = gpu_buffer(gpu, words * sizeof word, NULL);
	NEED(clEnqueueFillBuffer(gpu->queue, buffer, &word, sizeof word, 0, words * sizeof word, 0, NULL, NULL));
	return buffer;
}

void gpu_read(const struct gpu *gpu, cl_mem buffer, size_t bytes, void *to)
{
	NEED(clEnqueueReadBuffer(gpu->queue, buffer, CL_TRUE, 0, bytes, to, 0, NULL, NULL));
}

void gpu_launch(const struct gpu *gpu, const char *kernel, const size_t global[2], const size_t local[2],
	const struct argument *arguments, size_t count)
{
	cl_int why;
	cl_kernel made = clCreateKernel(gpu->program, kernel, &why);
	need(why, kernel);
	for (size_t k = 0; k < count; k++)
		need(clSetKernelArg(made, (cl_uint)k, arguments[k].bytes, arguments[k].at), kernel);
	cl_uint dimensions = global[1] == 1 && local[1] == 1 ? 1 : 2;
	need(clEnqueueNDRangeKernel(gpu->queue, made, dimensions, NULL, global, local, 0, NULL, NULL), kernel);
	NEED(clReleaseKernel(made));
}

double gpu_time(const struct gpu *gpu)
{
	cl_event marker;
	cl_ulong at;
	NEED(clEnqueueMarkerWithWaitList(gpu->queue, 0, NULL, &marker));
	NEED(clWaitForEvents(1, &marker));
	NEED(clGetEventProfilingInfo(marker, CL_PROFILING_COMMAND_END, sizeof at, &at, NULL));
	NEED(clReleaseEvent(marker));
	return (double)at;
}

void gpu_free(cl_mem buffer)
{
	NEED(clReleaseMemObject(buffer));
}
