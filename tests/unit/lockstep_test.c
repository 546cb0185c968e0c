/* The public interface (lockstep.h): what it refuses and with which words, memory, symbols, the order of launches and
 * results. */
#include "lockstep.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

static const char ptx[] =
	".version 6.3\n.target sm_70, texmode_independent\n.address_size 64\n"
	".global .align 4 .u32 g[3] = {7, 8, 9};\n.global .align 1 .u8 h = 1;\n.const .align 8 .u64 c[2];\n"
	".global .u64 where = generic(g) + 4;\n.global .u8 parts[3] = {0xff(g), 0xff00(g), 0xff000000(g)};\n.global "
	".texref t;\n.global .surfref s;\n"
	".visible .entry one(.param .u32 a, .param .u64 b, .param .u8 c)\n.reqntid 32, 2\n{\n\tret;\n}\n"
	".visible .entry two()\n.maxntid 16, 4\n{\n\tret;\n}\n"
	".visible .entry wide()\n{\n\t.shared .align 4 .b8 room[40000];\n\t.reg .b32 %r;\n\tmov.u32 %r, room;\n"
	"\tst.shared.u32 [%r], %r;\n\tret;\n}\n";

static struct lockstep_error error;

static struct lockstep *open_with(const char *const *settings, enum lockstep_mode mode)
{
	struct lockstep_options options = {.size = sizeof options, .gpu = "gtx480", .settings = settings, .mode = mode};
	struct lockstep *gpu = lockstep_open(&options, &error);
	assert_non_null(gpu);
	return gpu;
}

static struct lockstep_module *load(struct lockstep *gpu)
{
	struct lockstep_module *module = lockstep_load(gpu, "a.ptx", ptx, &error);
	if (!module)
		fail_msg("%s", error.message);
	return module;
}

static struct lockstep_launch launch_of(struct lockstep_module *module, const char *kernel)
{
	static const char zero[32];
	return (struct lockstep_launch){.size = sizeof(struct lockstep_launch),
		.module = module,
		.kernel = kernel,
		.grid = {1, 1, 1},
		.block = {1, 1, 1},
		.parameters = zero};
}

static void refused(struct lockstep *gpu, const struct lockstep_launch *launch, const char *why)
{
	*error.message = 0;
	assert_int_equal(lockstep_start(gpu, launch, &error), 0);
	assert_string_equal(error.message, why);
	assert_null(lockstep_run(gpu, launch, &error));
	assert_null(lockstep_finish(gpu)); /* nothing was started */
}

/* gtx480 allows 1024 threads of a work-group, 1536 of a core, 48 KB of shared memory (paper 2, Table II). */
static void test_bad_launches(void **state)
{
	static const char *const settings[] = {"core.registers_override=20", NULL};
	struct lockstep *gpu = open_with(settings, LOCKSTEP_TIMING);
	struct lockstep_module *module = load(gpu);
	struct lockstep_launch launch = launch_of(module, NULL);
	static const char shape[] = "grid and block need at least 1 in every dimension";
	(void)state;
	refused(gpu, &launch, "a.ptx has 3 kernels: name one");
	launch.kernel = "tw";
	refused(gpu, &launch, "a.ptx: no kernel 'tw'");
	launch.kernel = "two";
	for (uint32_t k = 0; k < 3; k++) {
		launch.grid[k] = 0;
		refused(gpu, &launch, shape);
		launch.grid[k] = 1;
		launch.block[k] = 0;
		refused(gpu, &launch, shape);
		launch.block[k] = 1;
	}
	launch.grid[0] = launch.grid[2] = 65536;
	refused(gpu, &launch, "a grid of more than 4294967295 work-groups is not supported");
	launch.grid[0] = launch.grid[2] = 1;
	launch.block[1] = 1025;
	refused(gpu, &launch,
		"a work-group of 1x1025x1 threads is larger than the 1024 that gtx480 allows (core.group_threads)");
	launch.block[1] = 65; /* .maxntid is about the product (PTX ISA, .maxntid) */
	refused(gpu, &launch, "kernel two allows work-groups of at most 64 threads (.maxntid)");
	launch.block[1] = 64;
	launch.parameter_bytes = 4;
	refused(gpu, &launch, "kernel two takes 0 bytes of parameters, 4 were given");
	launch.parameter_bytes = 0;
	launch.shared_bytes = 49153;
	refused(gpu, &launch,
		"a work-group of kernel two (64 threads, 20 registers each, 49153 bytes of shared memory) does not "
		"fit a core of gtx480, expected at most 49152 bytes of shared memory (core.group_shared, core.shared)");
	launch.shared_bytes = 49152;
	assert_non_null(lockstep_run(gpu, &launch, &error));
	launch = launch_of(module, "one");
	launch.parameter_bytes = 17;
	for (uint32_t k = 0; k < 2; k++) { /* 1,1 and 32,1; the third is any */
		refused(gpu, &launch, "kernel one requires work-groups of 32x2x1 threads (.reqntid)");
		launch.block[0] = 32;
	}
	launch.block[1] = 2;
	assert_non_null(lockstep_run(gpu, &launch, &error));
	launch.parameter_bytes = 16;
	refused(gpu, &launch, "kernel one takes 17 bytes of parameters, 16 were given");
	lockstep_close(gpu);
	lockstep_close(NULL);
}

static void test_kernels(void **state)
{
	struct lockstep *gpu = open_with(NULL, LOCKSTEP_TIMING);
	struct lockstep_module *module = load(gpu);
	struct lockstep_needs needs = {.size = sizeof needs};
	struct lockstep_occupancy occupancy = {.size = sizeof occupancy};
	(void)state;
	assert_string_equal(lockstep_target(module), "sm_70");
	assert_int_equal(lockstep_kernel_count(module), 3);
	assert_string_equal(lockstep_kernel_name(module, 2), "wide");
	assert_null(lockstep_kernel_name(module, 3));
	assert_true(lockstep_kernel_needs(module, "one", &needs, &error));
	assert_int_equal(needs.required[0], 32);
	assert_int_equal(needs.required[1], 2);
	assert_int_equal(needs.group_threads, 1024);
	assert_true(lockstep_kernel_needs(module, "wide", &needs, &error));
	assert_int_equal(needs.shared_bytes, 40000);
	assert_int_equal(needs.required[0], 0);
	assert_false(lockstep_kernel_needs(module, "none", &needs, &error));
	assert_string_equal(error.message, "a.ptx: no kernel 'none'");
	/* 15 cores of 8 groups, 1536 threads and 48 KB. */
	static const struct {
		const char *kernel;
		uint32_t threads;
		size_t shared;
		uint32_t per_core;
	} cases[] = {{"two", 32, 0, 8}, {"two", 512, 0, 3}, {"two", 1024, 0, 1}, {"two", 1025, 0, 0}, {"two", 0, 0, 0},
		{"two", 32, 24576, 2}, {"two", 32, 49152, 1}, {"two", 32, 49153, 0}, {"wide", 32, 0, 1},
		{"wide", 32, 9152, 1}, {"wide", 32, 9153, 0}};
	for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
		assert_true(lockstep_kernel_occupancy(
			module, cases[k].kernel, cases[k].threads, cases[k].shared, &occupancy, &error));
		assert_int_equal(occupancy.groups_per_core, cases[k].per_core);
		assert_int_equal(occupancy.groups, cases[k].per_core * 15);
	}
	assert_false(lockstep_kernel_occupancy(module, "none", 1, 0, &occupancy, &error));
	assert_string_equal(error.message, "a.ptx: no kernel 'none'");
	lockstep_close(gpu);
}

static void test_variables(void **state)
{
	static const uint32_t initial[] = {7, 8, 9};
	struct lockstep *gpu = open_with(NULL, LOCKSTEP_TIMING);
	struct lockstep_module *module = load(gpu), *second;
	uint64_t address, other, pointer;
	uint32_t values[3];
	uint8_t parts[3];
	size_t bytes;
	(void)state;
	assert_true(lockstep_symbol(gpu, module, "g", &address, &bytes));
	assert_int_equal(bytes, 12);
	assert_true(lockstep_read(gpu, values, address, 12, &error));
	assert_memory_equal(values, initial, 12);
	assert_true(lockstep_symbol(gpu, module, "where", &other, &bytes));
	assert_true(lockstep_read(gpu, &pointer, other, 8, &error));
	assert_int_equal(pointer, address + 4);
	/* PTX ISA, "Initializers" of "Variables": a byte of an address by its mask. */
	assert_true(lockstep_symbol(gpu, module, "parts", &other, &bytes));
	assert_true(lockstep_read(gpu, parts, other, 3, &error));
	assert_int_equal(parts[0], address & 0xff);
	assert_int_equal(parts[1], address >> 8 & 0xff);
	assert_int_equal(parts[2], address >> 24 & 0xff);
	assert_true(lockstep_symbol(gpu, module, "c", &other, &bytes));
	assert_int_equal(bytes, 16);
	assert_false(lockstep_symbol(gpu, module, "room", &other, &bytes));
	assert_false(lockstep_symbol(gpu, module, "gg", &other, &bytes));
	/* A module has variables of its own, which go with it. */
	second = load(gpu);
	assert_true(lockstep_symbol(gpu, second, "g", &other, &bytes));
	assert_int_not_equal(other, address);
	lockstep_unload(module);
	lockstep_unload(NULL);
	assert_false(lockstep_read(gpu, values, address, 12, &error));
	assert_true(lockstep_read(gpu, values, other, 12, &error));
	assert_memory_equal(values, initial, 12);
	assert_null(lockstep_load(
		gpu, "b.ptx", ".version 6.3\n.target sm_70\n.address_size 64\n.entry k() { rett; }\n", &error));
	assert_non_null(strstr(error.message, "b.ptx:4:"));
	lockstep_close(gpu);
}

/* The first instruction of a function counts as any. */
static void test_lock_bits(void **state)
{
	struct lockstep *gpu = lockstep_open(
		&(struct lockstep_options){.size = sizeof(struct lockstep_options), .gpu = "v100"}, &error);
	struct lockstep_needs needs = {.size = sizeof needs};
	struct lockstep_module *module = lockstep_load(gpu, "c.ptx",
		".version 6.3\n.target sm_70\n.address_size 64\n.shared .b32 w;\n"
		".entry k() { .reg .b32 %r;\n ldslk.shared.b32 %r, [w]; ret; }\n.entry other() { ret; }\n",
		&error);
	(void)state;
	assert_non_null(module);
	assert_false(lockstep_kernel_needs(module, "k", &needs, &error));
	assert_non_null(strstr(
		error.message, "c.ptx:6:2: kernel k: ldslk.shared.b32: GPU v100 has no lock bits; expected one "));
	assert_string_equal(lockstep_kernel_refusal(module, "k"), error.message);
	assert_null(lockstep_kernel_refusal(module, "other"));
	assert_true(lockstep_kernel_needs(module, "other", &needs, &error));
	lockstep_close(gpu);
	/* Whether atomics take lock bits, too, is another matter. */
	gpu = open_with((const char *const[]){"shared.atomic_locks=0", NULL}, LOCKSTEP_TIMING);
	assert_non_null(lockstep_load(gpu, "c.ptx",
		".version 6.3\n.target sm_70\n.address_size 64\n.shared .b32 w;\n"
		".entry k() { .reg .b32 %r;\n ldslk.shared.b32 %r, [w]; ret; }\n",
		&error));
	lockstep_close(gpu);
}

/* Bits that are taken still when their work-groups end: one finding, with how many. */
static void test_left_lock_bits(void **state)
{
	struct lockstep *gpu = open_with(NULL, LOCKSTEP_TIMING);
	struct lockstep_module *module = lockstep_load(gpu, "l.ptx",
		".version 6.3\n.target sm_70\n.address_size 64\n.shared .b32 w[2];\n"
		".visible .entry k() { .reg .b32 %r; .reg .b64 %d; .reg .pred %p; mov.u32 %r, %tid.x;\n"
		" setp.gt.u32 %p, %r, 1; @%p ret; mov.u64 %d, w; mad.wide.u32 %d, %r, 4, %d;\n ldslk.shared.b32 %r, "
		"[%d]; ret; }\n",
		&error);
	struct lockstep_launch launch = launch_of(module, "k");
	const struct lockstep_result *result;
	(void)state;
	launch.grid[0] = 20;
	launch.block[0] = 32;
	result = lockstep_run(gpu, &launch, &error);
	if (!result)
		fail_msg("%s", error.message);
	assert_int_equal(result->finding_count, 1);
	assert_string_equal(result->findings->cause, "bits");
	assert_int_equal(result->findings->count, 40);
	lockstep_close(gpu);
}

/* A kernel that launches itself, three deep: each knows which launched it, and which the host did. */
static const char nest[] =
	".version 8.0\n.target sm_70\n.address_size 64\n"
	".extern .func (.param .b64 r) __cudaCDP2GetParameterBufferV2(.param .b64 f, .param .align 4 .b8 g[12], .param "
	".align 4 .b8 b[12], .param .b32 s);\n"
	".extern .func (.param .b32 r) __cudaCDP2LaunchDeviceV2(.param .b64 p, .param .b64 s);\n"
	".visible .entry nest(.param .u32 left) {\n.reg .b32 %l; .reg .b64 %f; .reg .pred %p;\n"
	"ld.param.u32 %l, [left]; setp.eq.u32 %p, %l, 0; @%p ret; sub.u32 %l, %l, 1; mov.u64 %f, nest;\n"
	"{ .param .b64 f; .param .align 4 .b8 g[12]; .param .align 4 .b8 b[12]; .param .b32 s; .param .b64 r;\n"
	"st.param.b64 [f], %f; st.param.b32 [g], 1; st.param.b32 [g+4], 1; st.param.b32 [g+8], 1;\n"
	"st.param.b32 [b], 1; st.param.b32 [b+4], 1; st.param.b32 [b+8], 1; st.param.b32 [s], 0;\n"
	"call (r), __cudaCDP2GetParameterBufferV2, (f, g, b, s); ld.param.b64 %f, [r]; }\n"
	"st.u32 [%f], %l;\n"
	"{ .param .b64 p; .param .b64 s; .param .b32 r; st.param.b64 [p], %f; st.param.b64 [s], 0;\n"
	"call (r), __cudaCDP2LaunchDeviceV2, (p, s); }\nret;\n}\n";

static void test_families(void **state)
{
	struct lockstep *gpu = open_with(NULL, LOCKSTEP_TIMING);
	struct lockstep_launch launch = launch_of(lockstep_load(gpu, "n.ptx", nest, &error), "nest");
	const struct lockstep_result *result;
	uint32_t left = 3, seen = 0;
	(void)state;
	launch.parameters = &left;
	launch.parameter_bytes = sizeof left;
	assert_int_equal(lockstep_start(gpu, &launch, &error), 1);
	for (; (result = lockstep_finish(gpu)); seen |= 1u << result->number) {
		assert_int_equal(result->outcome, LOCKSTEP_COMPLETED);
		assert_int_equal(result->parent, result->number - 1);
		assert_int_equal(result->root, result->number > 1);
		assert_int_equal(result->children, result->number < 4);
	}
	assert_int_equal(seen, 0x1e);
	lockstep_close(gpu);
}

static void test_memory(void **state)
{
	struct lockstep *gpu = open_with(NULL, LOCKSTEP_TIMING);
	uint64_t address = lockstep_allocate(gpu, 16, "name");
	char data[17] = "0123456789abcdef", back[17] = "";
	char wanted[100];
	(void)state;
	assert_true(lockstep_write(gpu, address, data, 16, &error));
	assert_true(lockstep_read(gpu, back, address + 3, 13, &error));
	assert_string_equal(back, "3456789abcdef");
	assert_false(lockstep_write(gpu, address + 1, data, 16, &error));
	snprintf(wanted, sizeof wanted, "write of 16 bytes at 0x%llx: not within one allocation",
		(unsigned long long)address + 1);
	assert_string_equal(error.message, wanted);
	assert_false(lockstep_read(gpu, back, address - 1, 2, &error));
	snprintf(wanted, sizeof wanted, "read of 2 bytes at 0x%llx: not within one allocation",
		(unsigned long long)address - 1);
	assert_string_equal(error.message, wanted);
	assert_non_null(lockstep_map(gpu, address, 16));
	assert_null(lockstep_map(gpu, address, 17));
	lockstep_fill(gpu, lockstep_map(gpu, address, 16), 5, "xyz", 3);
	assert_true(lockstep_read(gpu, back, address, 16, &error));
	assert_string_equal(back, "xyzxy56789abcdef");
	assert_false(lockstep_free(gpu, address + 8));
	assert_true(lockstep_free(gpu, address));
	assert_false(lockstep_free(gpu, address));
	assert_false(lockstep_unregister(gpu, address));
	assert_int_equal(lockstep_allocate(gpu, SIZE_MAX / 2, NULL), 0);
	assert_false(lockstep_set_heap(gpu, (uint64_t)UINT32_MAX + 1));
	assert_true(lockstep_set_heap(gpu, UINT32_MAX));
	lockstep_close(gpu);
}

/* The first byte that has no contents, or none: all bytes, as they are undefined and written, and nothing beside them.
 */
static void test_contents(void **state)
{
	static const char reads[] =
		".version 6.3\n.target sm_70\n.address_size 64\n.visible .entry reads(.param .u64 at)\n{\n"
		"\t.reg .b32 %r<3>;\n\t.reg .b64 %d<2>;\n\tld.param.u64 %d0, [at];\n\tmov.u32 %r0, %tid.x;\n"
		"\tcvt.u64.u32 %d1, %r0;\n\tadd.u64 %d0, %d0, %d1;\n\tld.global.u8 %r1, [%d0];\n\tret;\n}\n";
	static const struct {
		uint32_t first, bytes, written, count; /* undefined, and of these the first ones written again */
	} cases[] = {
		{0, 16, 0, 16}, {0, 1, 0, 1}, {15, 1, 0, 1}, {3, 7, 0, 7}, {3, 7, 6, 1}, {3, 7, 7, 0}, {8, 9, 0, 0}};
	static const char zeros[16];
	(void)state;
	for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
		struct lockstep_options options = {
			.size = sizeof options, .gpu = "gtx480", .check = LOCKSTEP_CHECK_INIT};
		struct lockstep *gpu = lockstep_open(&options, &error);
		uint64_t address = lockstep_allocate(gpu, 16, "data");
		struct lockstep_launch launch = launch_of(lockstep_load(gpu, "a.ptx", reads, &error), "reads");
		launch.block[0] = 16;
		launch.parameters = &address;
		launch.parameter_bytes = sizeof address;
		assert_true(lockstep_write(gpu, address, zeros, 16, &error));
		lockstep_undefine(gpu, address + cases[k].first, cases[k].bytes);
		if (cases[k].written)
			assert_true(lockstep_write(gpu, address + cases[k].first, zeros, cases[k].written, &error));
		const struct lockstep_result *result = lockstep_run(gpu, &launch, &error);
		assert_non_null(result);
		assert_int_equal(result->finding_count, cases[k].count != 0);
		if (result->finding_count)
			assert_int_equal(result->findings->count, cases[k].count);
		lockstep_close(gpu);
	}
}

/* What a kernel needs of shared memory: its own, and where that of the launch begins, by its alignment. */
static void test_needs(void **state)
{
	static const char text[] =
		".version 6.3\n.target sm_70\n.address_size 64\n.extern .shared .align 16 .b8 rest[];\n"
		".visible .entry k()\n{\n.shared .align 4 .b8 five[5];\n.local .align 8 .b8 own[24];\n.reg .b32 "
		"%r<2>;\n"
		"mov.u32 %r0, five; mov.u32 %r1, rest; st.shared.u32 [%r0], %r1; mov.u32 %r0, own; mov.u32 %r1, "
		"%tid.x;\n"
		"ret;\n}\n.visible .entry n()\n{\nret;\n}\n";
	struct lockstep *gpu = open_with(NULL, LOCKSTEP_TIMING);
	struct lockstep_module *module = lockstep_load(gpu, "k.ptx", text, &error);
	struct lockstep_needs needs = {.size = sizeof needs};
	(void)state;
	assert_non_null(module);
	assert_true(lockstep_kernel_needs(module, "k", &needs, &error));
	assert_int_equal(needs.shared_bytes, 5);
	assert_int_equal(needs.shared_first, 0);
	assert_int_equal(needs.dynamic_offset, 16);
	assert_in_range(needs.local_bytes, 24, 32);
	assert_true(needs.reads_threads);
	assert_true(lockstep_kernel_needs(module, "n", &needs, &error));
	assert_int_equal(needs.shared_bytes, 0);
	assert_int_equal(needs.local_bytes, 0);
	assert_false(needs.reads_threads);
	lockstep_close(gpu);
}

/* Of a kernel that needs more shared memory than a work-group may have, though a core has it, no work-group fits. */
static void test_too_much_shared(void **state)
{
	struct lockstep *gpu = open_with((const char *const[]){"core.group_shared=32768", NULL}, LOCKSTEP_TIMING);
	struct lockstep_module *module = load(gpu);
	struct lockstep_launch launch = launch_of(module, "wide");
	struct lockstep_needs needs = {.size = sizeof needs};
	(void)state;
	assert_true(lockstep_kernel_needs(module, "wide", &needs, &error));
	assert_int_equal(needs.group_threads, 0);
	assert_int_equal(lockstep_start(gpu, &launch, &error), 0);
	assert_non_null(strstr(error.message, "40000 bytes of shared memory) does not fit a core of gtx480, expected "
					      "at most 32768 bytes of shared memory (core.group_shared, core.shared)"));
	lockstep_close(gpu);
}

/* In the kernel or what it calls: a thread's number, or the work-group's size; not the work-group's number. */
static void test_reads_threads(void **state)
{
	static const struct {
		const char *own, *called;
		bool reads;
	} rows[] = {{"ctaid", "ctaid", false}, {"tid", "ctaid", true}, {"ntid", "ctaid", true}, {"ctaid", "tid", true},
		{"nctaid", "nctaid", false}};
	struct lockstep *gpu = open_with(NULL, LOCKSTEP_TIMING);
	char text[512];
	(void)state;
	for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
		struct lockstep_needs needs = {.size = sizeof needs};
		snprintf(text, sizeof text,
			".version 6.3\n.target sm_70\n.address_size 64\n.func f(.param .u64 a) {\n.reg .b64 %%a; .reg "
			".b32 %%r;\n"
			"ld.param.u64 %%a, [a]; mov.u32 %%r, %%%s.x; st.global.u32 [%%a], %%r; ret;\n}\n"
			".visible .entry k(.param .u64 a) {\n.reg .b64 %%a; .reg .b32 %%r;\nld.param.u64 %%a, [a];\n"
			"mov.u32 %%r, %%%s.x; st.global.u32 [%%a], %%r; call f, (%%a); ret;\n}\n",
			rows[k].called, rows[k].own);
		struct lockstep_module *module = lockstep_load(gpu, "k.ptx", text, &error);
		assert_non_null(module);
		assert_true(lockstep_kernel_needs(module, "k", &needs, &error));
		if (needs.reads_threads != rows[k].reads)
			fail_msg("%s and %s", rows[k].own, rows[k].called);
	}
	lockstep_close(gpu);
}

/* A texture reference has its image no longer than its module is loaded. */
static void test_images_of_modules(void **state)
{
	struct lockstep *gpu = open_with(NULL, LOCKSTEP_TIMING);
	struct lockstep_module *module = load(gpu), *other = load(gpu);
	struct lockstep_image image = {.use = LOCKSTEP_TEXTURE,
		.dimensions = 1,
		.channel = LOCKSTEP_CHANNEL_FLOAT,
		.channel_bits = 32,
		.channels = 1,
		.level_count = 1,
		.level[0] = {.width = 16, .height = 1, .depth = 1, .row_bytes = 64}};
	uint64_t at, others;
	size_t bytes;
	(void)state;
	image.level[0].address = lockstep_allocate(gpu, 64, NULL);
	assert_true(lockstep_symbol(gpu, module, "t", &at, &bytes));
	assert_true(lockstep_symbol(gpu, other, "t", &others, &bytes));
	assert_true(at != others);
	assert_null(lockstep_image(gpu, at));
	if (!lockstep_image_bind(gpu, module, "t", &image, &error) ||
		!lockstep_image_bind(gpu, other, "t", &image, &error))
		fail_msg("%s", error.message);
	assert_non_null(lockstep_image(gpu, at));
	lockstep_unload(module);
	assert_null(lockstep_image(gpu, at));
	assert_non_null(lockstep_image(gpu, others));
	lockstep_close(gpu);
}

static void test_images(void **state)
{
	struct lockstep *gpu = open_with(NULL, LOCKSTEP_TIMING);
	struct lockstep_module *module = load(gpu);
	uint64_t memory = lockstep_allocate(gpu, 64, NULL);
	struct lockstep_image image = {.use = LOCKSTEP_TEXTURE};
	(void)state;
	assert_false(lockstep_image_bind(gpu, module, "s", &image, &error));
	assert_string_equal(error.message, "a.ptx: no texture reference 's'");
	image.use = LOCKSTEP_SURFACE;
	assert_false(lockstep_image_bind(gpu, module, "t", &image, &error));
	assert_string_equal(error.message, "a.ptx: no surface reference 't'");
	assert_false(lockstep_image_bind(gpu, module, "g", NULL, &error));
	assert_string_equal(error.message, "a.ptx: no image reference 'g'");
	assert_true(lockstep_image_bind(gpu, module, "t", NULL, &error));
	assert_true(lockstep_image_bind(gpu, module, "s", NULL, &error));
	assert_int_equal(lockstep_image_create(gpu, &image, &error), 0);
	assert_true(*error.message);
	assert_false(lockstep_image_destroy(gpu, memory));
	assert_null(lockstep_image(gpu, memory));
	lockstep_close(gpu);
}

/* One thing is wrong with each of an image that is otherwise right: 16 x 4 texels of 4 bytes. */
static void test_images_are_refused(void **state)
{
	struct lockstep *gpu = open_with(NULL, LOCKSTEP_TIMING);
	uint64_t memory = lockstep_allocate(gpu, 256, NULL);
	static const char *const texts[] = {"", "channels have", "channels have", "order of the channels", "",
		"no floating-point channels", "1 to 3 dimensions", "1 to 3 dimensions", "1 to 3 dimensions",
		"1 to 3 dimensions", "1 to 16 levels", "1 to 16 levels", "texels in every direction",
		"texels in every direction", "texels in every direction", "multiples of a texel's size",
		"multiples of a texel's size", "not within one allocation", "not within one allocation", ""};
	(void)state;
	for (uint32_t k = 0; k < sizeof texts / sizeof *texts; k++) {
		struct lockstep_image image = {.use = LOCKSTEP_TEXTURE,
			.dimensions = 2,
			.channel = LOCKSTEP_CHANNEL_FLOAT,
			.channel_bits = 32,
			.channels = 1,
			.level_count = 1,
			.level[0] = {.address = memory, .width = 16, .height = 4, .depth = 1, .row_bytes = 64}};
		uint64_t handle;
		switch (k) {
		case 1: image.channel_bits = 24; break;
		case 2: image.channels = 3; break;
		case 3: image.order = LOCKSTEP_ORDER_RA; break;
		case 4:
			image.order = LOCKSTEP_ORDER_RA;
			image.channels = 2;
			image.level[0].width = 8;
			break;
		case 5: image.channel_bits = 8; break;
		case 6: image.dimensions = 0; break;
		case 7: image.dimensions = 4; break;
		case 8:
			image.dimensions = 3;
			image.cube = true;
			break;
		case 9:
			image.dimensions = 3;
			image.layered = true;
			break;
		case 10: image.level_count = 0; break;
		case 11: image.level_count = LOCKSTEP_IMAGE_LEVELS + 1; break;
		case 12: image.level[0].width = 0; break;
		case 13: image.level[0].height = (1u << 28) + 1; break;
		case 14: image.level[0].depth = 0; break;
		case 15: image.level[0].row_bytes = 62; break;
		case 16: image.level[0].address += 2; break;
		case 17: image.level[0].height = 5; break;
		case 18: image.level[0].address += 4; break;
		case 19: image.level[0].height = 3; break;
		}
		*error.message = '\0';
		handle = lockstep_image_create(gpu, &image, &error);
		assert_int_equal(handle != 0, !*texts[k]);
		if (!strstr(error.message, texts[k]))
			fail_msg("%u: '%s' does not say '%s'", k, error.message, texts[k]);
	}
	lockstep_close(gpu);
}

/* A store behind the buffer, by thread 5 of the third group: the finding names it. */
static void test_fault(void **state)
{
	static const char text[] = ".version 6.3\n.target sm_70\n.address_size 64\n.entry k(.param .u64 p) {\n"
				   ".reg .b64 %a, %o; .reg .b32 %c, %t; .reg .pred %q;\n"
				   "ld.param.u64 %a, [p]; mov.u32 %c, %ctaid.y; mov.u32 %t, %tid.x;\n"
				   "mad.lo.u32 %c, %c, 8, %t; mul.wide.u32 %o, %c, 4; add.u64 %a, %a, %o;\n"
				   "st.global.u32 [%a], %c;\nret;\n}\n";
	struct lockstep *gpu = open_with(NULL, LOCKSTEP_FUNCTIONAL);
	struct lockstep_module *module = lockstep_load(gpu, "f.ptx", text, &error);
	uint64_t address = lockstep_allocate(gpu, 84, "out");
	struct lockstep_launch launch = {.size = sizeof launch,
		.module = module,
		.grid = {1, 4, 1},
		.block = {8, 1, 1},
		.parameters = &address,
		.parameter_bytes = 8};
	const struct lockstep_result *r = lockstep_run(gpu, &launch, &error);
	const struct lockstep_finding *f;
	char at[32];
	(void)state;
	snprintf(at, sizeof at, "0x%llx", (unsigned long long)address + 84);
	assert_int_equal(r->outcome, LOCKSTEP_FAULT);
	assert_int_equal(r->finding_count, 1);
	f = &r->findings[0];
	assert_string_equal(f->cause, "address");
	assert_string_equal(f->certainty, "proved");
	assert_false(f->confirmed);
	assert_int_equal(f->count, 1);
	assert_int_equal(f->line_count, 1);
	assert_string_equal(f->lines[0].file, "f.ptx");
	assert_int_equal(f->lines[0].line, 8);
	assert_int_equal(f->thread_count, 1);
	assert_int_equal(f->threads[0].group[0], 0);
	assert_int_equal(f->threads[0].group[1], 2);
	assert_int_equal(f->threads[0].group[2], 0);
	assert_int_equal(f->threads[0].thread[0], 5);
	assert_int_equal(f->threads[0].thread[1], 0);
	assert_string_equal(f->threads[0].state, "at f.ptx:8: st.global.u32 [%a], %c");
	assert_int_equal(f->address_count, 1);
	assert_string_equal(f->addresses[0], at);
	assert_non_null(strstr(f->message, "f.ptx:8: group (0,2,0) thread (5,0,0): "));
	lockstep_close(gpu);
}

/* Launches are numbered from 1; what ends before the one that lockstep_run is about is returned by lockstep_finish, in
 * order. */
static void test_order(void **state)
{
	struct lockstep *gpu = open_with(NULL, LOCKSTEP_FUNCTIONAL);
	struct lockstep_module *module = load(gpu);
	struct lockstep_launch launch = launch_of(module, "two");
	const struct lockstep_result *third, *one;
	(void)state;
	assert_null(lockstep_finish(gpu));
	assert_int_equal(lockstep_start(gpu, &launch, &error), 1);
	assert_int_equal(lockstep_start(gpu, &launch, &error), 2);
	third = lockstep_run(gpu, &launch, &error);
	assert_int_equal(third->number, 3);
	assert_int_equal(third->mode, LOCKSTEP_FUNCTIONAL);
	assert_int_equal(lockstep_result_count(gpu), 3);
	for (uint64_t k = 1; k <= 2; k++) {
		one = lockstep_finish(gpu);
		assert_int_equal(one->number, k);
		assert_ptr_equal(lockstep_result(gpu, k - 1), one);
	}
	assert_null(lockstep_finish(gpu));
	assert_null(lockstep_result(gpu, 3));
	lockstep_forget(gpu, lockstep_result(gpu, 1));
	assert_int_equal(lockstep_result_count(gpu), 2);
	assert_int_equal(lockstep_result(gpu, 0)->number, 1);
	assert_ptr_equal(lockstep_result(gpu, 1), third);
	lockstep_forget(gpu, NULL);
	assert_int_equal(lockstep_result_count(gpu), 2);
	lockstep_set_mode(gpu, LOCKSTEP_TIMING);
	one = lockstep_run(gpu, &launch, &error);
	assert_int_equal(one->number, 4);
	assert_int_equal(one->mode, LOCKSTEP_TIMING);
	assert_true(one->cycles > 0);
	lockstep_close(gpu);
}

/* In the order of the code, whichever is executed first; of each launch its own. */
static void test_accesses(void **state)
{
	static const char text[] = ".version 6.3\n.target sm_70\n.address_size 64\n.global .align 4 .u32 "
				   "g[8];\n.visible .entry k(.param .u64 at)\n{\n"
				   ".reg .b32 %r; .reg .b64 %d;\nld.param.u64 %d, [at];\nbra later;\n"
				   "sooner: st.global.u32 [%d], 1;\nbra end;\nlater: ld.global.u32 %r, [%d+4];\nbra "
				   "sooner;\nend: ret;\n}\n";
	struct lockstep_options options = {.size = sizeof options,
		.gpu = "gtx480",
		.mode = LOCKSTEP_FUNCTIONAL,
		.check = LOCKSTEP_CHECK_RACES,
		.footprints = true};
	struct lockstep *gpu = lockstep_open(&options, &error);
	(void)state;
	assert_non_null(gpu);
	uint64_t memory = lockstep_allocate(gpu, 64, "m"), at[2] = {memory, memory + 32};
	struct lockstep_launch launch = launch_of(lockstep_load(gpu, "k.ptx", text, &error), "k");
	launch.parameter_bytes = sizeof *at;
	for (uint32_t k = 0; k < 2; k++) {
		launch.parameters = &at[k];
		const struct lockstep_result *r = lockstep_run(gpu, &launch, &error);
		assert_int_equal(r->access_count, 2);
		assert_string_equal(r->accesses[0].what, "a store");
		assert_string_equal(r->accesses[1].what, "a load");
		assert_int_equal(r->accesses[0].line, 10);
		assert_int_equal(r->accesses[1].line, 12);
		for (uint32_t n = 0; n < 2; n++) {
			assert_int_equal(r->accesses[n].writes, n == 0);
			assert_int_equal(r->accesses[n].span_count, 1);
			assert_int_equal(r->accesses[n].spans[0].first, at[k] + 4 * n);
			assert_int_equal(r->accesses[n].spans[0].end, at[k] + 4 * n + 4);
		}
	}
	lockstep_close(gpu);
}

static double now(void)
{
	struct timespec time;
	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

/* What launches have taken is theirs alone: those that ran side by side do not count the same time twice, nor does one
 * count what was before it began. */
static void test_wall_seconds(void **state)
{
	static const char text[] =
		".version 6.3\n.target sm_70\n.address_size 64\n.visible .entry k()\n{\n.reg .b32 %r; .reg .pred %p;\n"
		"mov.u32 %r, 0;\nagain: add.u32 %r, %r, 1; setp.lt.u32 %p, %r, 20000; @%p bra again;\nret;\n}\n";
	struct lockstep *gpu = open_with(NULL, LOCKSTEP_TIMING);
	struct lockstep_module *module = lockstep_load(gpu, "k.ptx", text, &error);
	struct lockstep_launch launch = launch_of(module, "k");
	const struct lockstep_result *one, *other;
	(void)state;
	for (uint32_t k = 0; k < 2; k++) { /* again, after a pause */
		double begun = now();
		launch.stream = 0;
		assert_true(lockstep_start(gpu, &launch, &error) != 0);
		launch.stream = 1;
		assert_true(lockstep_start(gpu, &launch, &error) != 0);
		one = lockstep_finish(gpu);
		other = lockstep_finish(gpu);
		double ended = now();
		assert_true(one->wall_seconds > 0 && other->wall_seconds > 0);
		assert_true(one->wall_seconds + other->wall_seconds <= ended - begun);
		assert_true(one->wall_seconds + other->wall_seconds > (ended - begun) / 4);
		while (now() < ended + 2 * (ended - begun))
			;
	}
	lockstep_close(gpu);
}

static struct told {
	uint64_t cycles, instructions, done, groups;
	uint32_t times;
} told;

static void hear(void *context, uint64_t cycles, uint64_t instructions, uint64_t done, uint64_t groups)
{
	struct told *heard = context;
	*heard = (struct told){cycles, instructions, done, groups, heard->times + 1};
}

/* Under a progress model it is told every 65,536 steps of work-groups: of three, two end at once, and one loads 70,000
 * times. */
static void test_progress(void **state)
{
	static const char *const settings[] = {"policy.dispatch=fair", NULL};
	static const char text[] =
		".version 6.3\n.target sm_70\n.address_size 64\n.global .u32 g;\n.visible .entry k()\n{\n"
		".reg .b32 %r<3>; .reg .pred %p;\nmov.u32 %r0, %ctaid.x; setp.ne.u32 %p, %r0, 1; @%p ret;\n"
		"again: ld.volatile.global.u32 %r1, [g]; add.u32 %r0, %r0, 1; setp.le.u32 %p, %r0, 70000;\n"
		"@%p bra again;\nret;\n}\n";
	struct lockstep_options options = {.size = sizeof options,
		.gpu = "gtx480",
		.settings = settings,
		.mode = LOCKSTEP_FUNCTIONAL,
		.progress = hear,
		.progress_context = &told};
	struct lockstep *gpu = lockstep_open(&options, &error);
	struct lockstep_module *module = lockstep_load(gpu, "p.ptx", text, &error);
	struct lockstep_launch launch = {
		.size = sizeof launch, .module = module, .kernel = "k", .grid = {3, 1, 1}, .block = {1, 1, 1}};
	(void)state;
	assert_non_null(lockstep_run(gpu, &launch, &error));
	assert_int_equal(told.times, 1);
	assert_int_equal(told.cycles, 0); /* there is no time */
	assert_in_range(told.instructions, 4 * 65000, 4 * 66000);
	assert_int_equal(told.done, 2);
	assert_int_equal(told.groups, 3);
	lockstep_close(gpu);
}

static void test_search(void **state)
{
	struct lockstep_options options = {.size = sizeof options, .schedule = "0,1"};
	static const char *const settings[] = {"policy.dispatch=obe", NULL};
	struct lockstep *gpu = open_with(NULL, LOCKSTEP_FUNCTIONAL);
	struct lockstep_launch launch = launch_of(load(gpu), "two");
	(void)state;
	assert_null(lockstep_search(gpu, &launch, 9, &error));
	assert_string_equal(error.message,
		"trying schedules is for a progress model, dispatch policy 'obe' for instance, not for 'in-order'");
	lockstep_close(gpu);
	assert_null(lockstep_open(&options, &error));
	assert_string_equal(error.message,
		"a schedule is for a progress model, dispatch policy 'obe' for instance, not for 'in-order'");
	gpu = open_with(settings, LOCKSTEP_TIMING);
	launch = launch_of(load(gpu), "two");
	refused(gpu, &launch,
		"dispatch policy 'obe' is a progress model: expected functional mode (--mode functional)");
	lockstep_set_mode(gpu, LOCKSTEP_FUNCTIONAL);
	launch.grid[0] = 121; /* 15 cores of 8 */
	refused(gpu, &launch,
		"121 work-groups of kernel two: under dispatch policy 'obe' all of them are on the GPU, and gtx480 "
		"holds 120");
	launch.grid[0] = 65;
	assert_null(lockstep_search(gpu, &launch, 9, &error));
	assert_string_equal(error.message, "trying schedules is for at most 64 work-groups, not for 65");
	launch.grid[0] = 2;
	const struct lockstep_result *result = lockstep_search(gpu, &launch, 9, &error);
	assert_int_equal(result->search->verdict, LOCKSTEP_FINISHES);
	assert_null(result->search->schedule);
	assert_null(lockstep_run(gpu, &launch, &error)->search);
	assert_int_equal(lockstep_start(gpu, &launch, &error), 3);
	assert_int_equal(
		lockstep_search(gpu, &launch, 9, &error)->search->verdict, LOCKSTEP_FINISHES); /* in its turn */
	assert_int_equal(lockstep_finish(gpu)->number, 3);
	lockstep_close(gpu);
	options.settings = settings;
	options.schedule = "0,2";
	options.mode = LOCKSTEP_FUNCTIONAL;
	gpu = lockstep_open(&options, &error);
	launch = launch_of(load(gpu), "two");
	launch.grid[0] = 2;
	refused(gpu, &launch, "the schedule names work-group 2: expected one below 2");
	launch.grid[0] = 3;
	assert_non_null(lockstep_run(gpu, &launch, &error));
	lockstep_close(gpu);
}

/* Options are the caller's: what is wrong with one is said, with its value. */
static void test_bad_options(void **state)
{
	static const char *const unknown[] = {"core.count=3", "core.cont=1", NULL},
				 *const no_value[] = {"core.count", NULL}, *const too_small[] = {"core.count=0", NULL};
	static const uint32_t last = 14, past = 15;
	static const struct lockstep_cores cores[] = {{13, 14}, {15, 15}};
	const struct {
		struct lockstep_options options;
		const char *why;
	} rows[] = {
		{{.gpu = "gtx48"}, "unknown GPU 'gtx48', did you mean 'gtx480'?"},
		{{.settings = unknown}, "unknown key 'core.cont', did you mean 'core.count'?"},
		{{.settings = no_value}, "bad setting 'core.count', expected KEY=VALUE"},
		{{.settings = too_small}, "'core.count' is 0, expected 1 to 256 cores"},
		{{.check = 0x404}, "check 0x404: expected bits of enum lockstep_check, 0x7f at most"},
		{{.trace_window = {9, 2}}, "a trace window from cycle 9 to 2: expected one that ends after it begins"},
		{{.trace_window = {2, 9}, .trace_cores = cores, .trace_core_count = 2},
			"core 15 is to be shown in the timeline: expected one below 15"},
		{{.show_lock_bits = &past}, "lock bits of core 15 are to be shown: expected one below 15"},
		{{.weak = LOCKSTEP_WEAK, .mode = LOCKSTEP_FUNCTIONAL},
			"weak memory: expected timing mode, in functional mode memory is one and at once"},
		{{.check = LOCKSTEP_CHECK_ALL,
			 .trace_window = {.from = 5},
			 .trace_cores = cores,
			 .trace_core_count = 1,
			 .show_lock_bits = &last,
			 .weak = LOCKSTEP_WEAK},
			NULL},
	};
	(void)state;
	for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
		struct lockstep_options options = rows[k].options;
		options.size = sizeof options;
		struct lockstep *gpu = lockstep_open(&options, &error);
		assert_int_equal(!gpu, rows[k].why != NULL);
		if (rows[k].why)
			assert_string_equal(error.message, rows[k].why);
		lockstep_close(gpu);
	}
}

static void test_lists(void **state)
{
	static const char *const settings[] = {"core.count=3", NULL};
	struct lockstep *gpu = open_with(settings, LOCKSTEP_TIMING);
	struct lockstep_field field;
	struct lockstep_counter counter;
	struct lockstep_policy policy;
	size_t k = 0, found = 0;
	(void)state;
	for (; lockstep_configuration(gpu, k, &field); k++) {
		assert_non_null(field.path);
		assert_non_null(field.meaning);
		if (!strcmp(field.path, "core.count")) {
			found++;
			assert_null(field.text);
			assert_int_equal(field.number, 3);
		} else if (!strcmp(field.path, "policy.divergence")) {
			found++;
			assert_string_equal(field.text, "stack");
		}
	}
	assert_int_equal(found, 2);
	assert_false(lockstep_configuration(gpu, k + 1, &field));
	for (k = 0; lockstep_counter(k, &counter); k++)
		assert_int_equal(counter.value, 0);
	assert_string_equal(counter.name, "energy__total.sum"); /* the last */
	assert_int_equal(lockstep_run(gpu,
				 &(struct lockstep_launch){.size = sizeof(struct lockstep_launch),
					 .module = load(gpu),
					 .kernel = "two",
					 .grid = {1, 1, 1},
					 .block = {1, 1, 1}},
				 &error)
				 ->counter_count,
		k);
	for (k = 0; lockstep_gpu_name(k); k++)
		;
	assert_true(k > 10);
	assert_null(lockstep_gpu_name(k + 1));
	for (k = 0, found = 0; lockstep_policy(k, &policy); k++)
		found += !strcmp(policy.kind, "divergence") && !strcmp(policy.name, "independent");
	assert_int_equal(found, 1);
	assert_false(lockstep_policy(k + 1, &policy));
	lockstep_close(gpu);
}

/* As the PTX above has them; offsets by natural alignment. */
static void test_parameters(void **state)
{
	static const struct lockstep_parameter expected[] = {
		{"a", "u32", 4, 4, 0}, {"b", "u64", 8, 8, 8}, {"c", "u8", 1, 1, 16}};
	struct lockstep *gpu = open_with(NULL, LOCKSTEP_TIMING);
	struct lockstep_module *module = load(gpu);
	struct lockstep_parameter p;
	(void)state;
	for (size_t k = 0; k < 3; k++) {
		assert_true(lockstep_kernel_parameter(module, "one", k, &p));
		assert_string_equal(p.name, expected[k].name);
		assert_string_equal(p.type, expected[k].type);
		assert_int_equal(p.size, expected[k].size);
		assert_int_equal(p.align, expected[k].align);
		assert_int_equal(p.offset, expected[k].offset);
	}
	assert_false(lockstep_kernel_parameter(module, "one", 3, &p));
	assert_false(lockstep_kernel_parameter(module, "two", 0, &p));
	assert_false(lockstep_kernel_parameter(module, "none", 0, &p));
	lockstep_close(gpu);
}

/* What a report says outlives the texts that the GPU was opened with. */
static void test_reports(void **state)
{
	char name[] = "v100";
	struct lockstep_options options = {.size = sizeof options, .gpu = name, .seed = 9};
	struct lockstep *gpu = lockstep_open(&options, &error);
	assert_non_null(gpu);
	struct lockstep_launch launch = launch_of(load(gpu), "two");
	const struct lockstep_result *result = lockstep_run(gpu, &launch, &error);
	(void)state;
	assert_non_null(result);
	memset(name, 'x', 4);
	const char *one = lockstep_report_launch(gpu, result);
	assert_memory_equal(one, "{\"kernel\":\"two\",", 16);
	assert_non_null(strstr(one, "\"outcome\":\"completed\""));
	assert_non_null(strstr(one, "\"findings\":[]"));
	const char *all = lockstep_report(gpu);
	assert_non_null(strstr(all, "\"gpu\": \"v100\""));
	assert_non_null(strstr(all, "\"run.seed\": 9"));
	assert_non_null(strstr(all, "\"launches\": ["));
	lockstep_close(gpu);
}

static void no_compile(const char *file, const char *text, const char *options, const char *why)
{
	char *log;
	assert_null(lockstep_compile(file, text, options, &log, &error));
	assert_string_equal(error.message, why);
	free(log);
}

/* What needs no compiler. */
static void test_compile(void **state)
{
	char *log, *text = lockstep_compile("a.ptx", ptx, NULL, &log, &error);
	(void)state;
	assert_string_equal(text, ptx);
	assert_null(log);
	free(text);
	no_compile("none.ptx", NULL, NULL, "none.ptx: cannot open: No such file or directory");
	no_compile("none.cu", NULL, NULL, "none.cu: cannot open: No such file or directory");
	no_compile("a.cu", "", "-O3", "a.cu: option '-O3' of CUDA C: expected -D or -I");
	no_compile("a.cu", "", "-D", "a.cu: -D wants a macro behind it");
	no_compile("a.cl", "", "-O3", "a.cl: unknown option '-O3'");
}

/* ---- Structs of other versions of the header ---- */

/* A caller's options: in their own memory, so that whatever is read behind their size is seen. */
struct of_newer_header {
	struct lockstep_options options;
	uint64_t more[2];
};

#define NO_SIZE(structure, size)                                                                                       \
	"struct " structure " of size " size ": expected .size = sizeof(struct " structure "), here "

static const char *with_size_of(const char *start, size_t bytes)
{
	static char text[256];
	snprintf(text, sizeof text, "%s%zu", start, bytes);
	return text;
}

/* What an older header's struct lacks is not given, whatever lies behind it. */
static void test_older_options(void **state)
{
	struct lockstep_options options = {.size = offsetof(struct lockstep_options, schedule),
		.gpu = "v100",
		.schedule = "nonsense",
		.print_context = &options};
	struct lockstep *gpu = lockstep_open(&options, &error);
	(void)state;
	assert_non_null(gpu);
	assert_non_null(strstr(lockstep_report(gpu), "\"gpu\": \"v100\""));
	lockstep_close(gpu);
	options.size = sizeof options;
	assert_null(lockstep_open(&options, &error));
}

static void test_newer_options(void **state)
{
	struct of_newer_header newer = {.options = {.size = sizeof newer, .gpu = "v100"}};
	char expected[256];
	struct lockstep *gpu = lockstep_open(&newer.options, &error);
	(void)state;
	assert_non_null(gpu);
	lockstep_close(gpu);
	snprintf(expected, sizeof expected,
		"struct lockstep_options of size %zu: expected 0 behind the %zu bytes that this library knows",
		sizeof newer, sizeof newer.options);
	for (size_t k = 0; k < sizeof newer.more; k += sizeof newer.more - 1) { /* the first byte and the last */
		memset(newer.more, 0, sizeof newer.more);
		((char *)newer.more)[k] = 1;
		assert_null(lockstep_open(&newer.options, &error));
		assert_string_equal(error.message, expected);
	}
}

static void test_forgotten_sizes(void **state)
{
	static const size_t sizes[] = {0, sizeof(size_t) - 1, 4097, SIZE_MAX};
	struct lockstep_options options = {.gpu = "v100"};
	struct lockstep_needs needs = {0};
	struct lockstep_occupancy occupancy = {0};
	struct lockstep *gpu = open_with(NULL, LOCKSTEP_TIMING);
	struct lockstep_module *module = load(gpu);
	struct lockstep_launch launch = launch_of(module, "two");
	(void)state;
	for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
		options.size = sizes[k];
		assert_null(lockstep_open(&options, &error));
		assert_memory_equal(error.message, "struct lockstep_options of size ", 32);
		assert_non_null(strstr(error.message, ": expected .size = sizeof(struct lockstep_options), here "));
	}
	launch.size = 0;
	refused(gpu, &launch, with_size_of(NO_SIZE("lockstep_launch", "0"), sizeof launch));
	assert_int_equal(lockstep_start(gpu, &launch, &error), 0);
	assert_null(lockstep_search(gpu, &launch, 9, &error));
	assert_false(lockstep_kernel_needs(module, "two", &needs, &error));
	assert_string_equal(error.message, with_size_of(NO_SIZE("lockstep_needs", "0"), sizeof needs));
	assert_false(lockstep_kernel_occupancy(module, "two", 32, 0, &occupancy, &error));
	assert_string_equal(error.message, with_size_of(NO_SIZE("lockstep_occupancy", "0"), sizeof occupancy));
	lockstep_close(gpu);
}

static void test_other_launches(void **state)
{
	struct {
		struct lockstep_launch launch;
		uint64_t more;
	} newer = {.more = 0};
	struct lockstep *gpu = open_with(NULL, LOCKSTEP_TIMING);
	struct lockstep_module *module = load(gpu);
	struct lockstep_launch older = launch_of(module, "two");
	(void)state;
	older.size = offsetof(struct lockstep_launch, firmware);
	older.firmware = true; /* else the launch is refused: there is no control processor */
	assert_int_equal(lockstep_run(gpu, &older, &error)->outcome, LOCKSTEP_COMPLETED);
	newer.launch = launch_of(module, "two");
	newer.launch.size = sizeof newer;
	assert_int_equal(lockstep_run(gpu, &newer.launch, &error)->outcome, LOCKSTEP_COMPLETED);
	newer.more = 1;
	assert_null(lockstep_run(gpu, &newer.launch, &error));
	assert_memory_equal(error.message, "struct lockstep_launch of size ", 31);
	lockstep_close(gpu);
}

/* What the library fills is filled as far as the caller has it, and no further. */
static void test_other_needs(void **state)
{
	struct {
		struct lockstep_needs needs;
		uint64_t more;
	} newer = {.needs.size = sizeof newer, .more = 7};
	struct lockstep_needs older = {.size = offsetof(struct lockstep_needs, required), .required = {7, 8, 9}};
	struct lockstep *gpu = open_with(NULL, LOCKSTEP_TIMING);
	struct lockstep_module *module = load(gpu);
	(void)state;
	assert_true(lockstep_kernel_needs(module, "one", &older, &error));
	assert_int_equal(older.size, offsetof(struct lockstep_needs, required));
	assert_true(older.group_threads);
	assert_int_equal(older.required[0], 7);
	assert_true(lockstep_kernel_needs(module, "one", &newer.needs, &error));
	assert_int_equal(newer.needs.size, sizeof newer);
	assert_int_equal(newer.needs.required[0], 32);
	assert_int_equal(newer.more, 0);
	lockstep_close(gpu);
}

static void test_layout(void **state)
{
	struct lockstep_member member;
	size_t k = 0, found = 0;
	(void)state;
	for (; lockstep_layout(k, &member); k++)
		if (!strcmp(member.structure, "lockstep_launch") && !strcmp(member.name, "envreg")) {
			assert_int_equal(member.offset, offsetof(struct lockstep_launch, envreg));
			assert_int_equal(member.bytes, 32 * sizeof(uint32_t));
			assert_int_equal(member.structure_bytes, sizeof(struct lockstep_launch));
			found++;
		}
	assert_int_equal(found, 1);
	assert_false(lockstep_layout(k + 1, &member));
}

/* Of the models that run a target the largest of the lowest, unless the GPU itself does. */
static void models_for_targets(void **state)
{
	(void)state;
	struct lockstep *gpu =
		lockstep_open(&(struct lockstep_options){.size = sizeof(struct lockstep_options)}, &error);
	static const char *const targets[][2] = {{"sm_90a", "h200"}, {"sm_90", "h200"}, {"sm_80", "a100"},
		{"sm_90f", "h200"}, {"sm_100a", NULL}, {"sm_100", "rtx5090"}, {"sm_120a", "rtx5090"}, {"sm_121", NULL},
		{"sm_86", "rtx3060"}, {"sm_89a", "rtx4090"}, {"sm_20", NULL}, {"sm_10", NULL}, {"sm_", NULL},
		{"sm_90b", NULL}, {"compute_90", NULL}};
	for (size_t t = 0; t < sizeof targets / sizeof *targets; t++) {
		const char *other = lockstep_gpu_for(gpu, targets[t][0]);
		assert_string_equal(other ? other : "", targets[t][1] ? targets[t][1] : "");
	}
	lockstep_close(gpu);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_parameters),
		cmocka_unit_test(test_older_options),
		cmocka_unit_test(test_newer_options),
		cmocka_unit_test(test_forgotten_sizes),
		cmocka_unit_test(test_other_launches),
		cmocka_unit_test(test_other_needs),
		cmocka_unit_test(test_layout),
		cmocka_unit_test(test_reports),
		cmocka_unit_test(test_compile),
		cmocka_unit_test(test_bad_launches),
		cmocka_unit_test(test_kernels),
		cmocka_unit_test(test_variables),
		cmocka_unit_test(test_lock_bits),
		cmocka_unit_test(test_left_lock_bits),
		cmocka_unit_test(test_families),
		cmocka_unit_test(test_memory),
		cmocka_unit_test(test_contents),
		cmocka_unit_test(test_needs),
		cmocka_unit_test(test_too_much_shared),
		cmocka_unit_test(test_reads_threads),
		cmocka_unit_test(test_images_of_modules),
		cmocka_unit_test(test_images),
		cmocka_unit_test(test_images_are_refused),
		cmocka_unit_test(test_fault),
		cmocka_unit_test(test_order),
		cmocka_unit_test(test_accesses),
		cmocka_unit_test(test_wall_seconds),
		cmocka_unit_test(test_progress),
		cmocka_unit_test(test_search),
		cmocka_unit_test(test_lists),
		cmocka_unit_test(models_for_targets),
		cmocka_unit_test(test_bad_options),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
