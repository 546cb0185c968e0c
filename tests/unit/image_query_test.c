/* What txq and suq answer: of each type and order of channels the number that OpenCL has for it, and the sizes and the
 * sampling of images of every shape. */
#include "lockstep.h"

#include "util/text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define MEMORY 65536
#define MOST_WORDS 32

static struct lockstep *lockstep;
static uint64_t memory, out;

static int make(void **state)
{
	struct lockstep_error error;

	(void)state;
	lockstep = lockstep_open(
		&(struct lockstep_options){
			.size = sizeof(struct lockstep_options), .gpu = "gtx480", .mode = LOCKSTEP_FUNCTIONAL},
		&error);
	memory = lockstep_allocate(lockstep, MEMORY, "texels");
	out = lockstep_allocate(lockstep, MOST_WORDS * sizeof(uint32_t), "out");
	return !lockstep;
}

static int drop(void **state)
{
	(void)state;
	lockstep_close(lockstep);
	return 0;
}

/* The answers to the queries, words with commas between. */
static void ask(const struct lockstep_image *image, const char *queries, uint32_t *answers)
{
	struct arena arena = {0};
	struct text ptx = {.arena = &arena};
	struct lockstep_error error;
	struct {
		uint64_t image, out;
	} parameters = {lockstep_image_create(lockstep, image, &error), out};
	struct lockstep_launch launch = {.size = sizeof launch,
		.kernel = "k",
		.grid = {1, 1, 1},
		.block = {1, 1, 1},
		.parameters = &parameters,
		.parameter_bytes = 16};
	const struct lockstep_result *result;
	uint32_t count = 0;

	assert_true(parameters.image);
	text_print(&ptx, ".version 7.0\n.target sm_75\n.address_size 64\n"
			 ".visible .entry k(.param .u64 image, .param .u64 out) {\n"
			 " .reg .b64 %%i, %%o; .reg .b32 %%v, %%l;\n"
			 " ld.param.u64 %%i, [image]; ld.param.u64 %%o, [out]; mov.u32 %%l, 1;\n");
	for (; *queries; queries += strcspn(queries, ",") + (queries[strcspn(queries, ",")] == ',')) {
		int length = (int)strcspn(queries, ",");

		text_print(&ptx, " %.*s.b32 %%v, [%%i]%s; st.global.u32 [%%o+%u], %%v;\n", length, queries,
			strstr(queries, "level") == queries + 4 ? ", %l" : "", 4 * count++);
		assert_true(count <= MOST_WORDS);
	}
	text_print(&ptx, " ret;\n}\n");
	launch.module = lockstep_load(lockstep, "k.ptx", ptx.at, &error);
	assert_non_null(launch.module);
	result = lockstep_run(lockstep, &launch, &error);
	assert_non_null(result);
	assert_int_equal(result->outcome, LOCKSTEP_COMPLETED);
	assert_true(lockstep_read(lockstep, answers, out, count * sizeof *answers, &error));
	assert_true(lockstep_image_destroy(lockstep, parameters.image));
	arena_free(&arena);
}

/* 2 x 2 texels. */
static struct lockstep_image plain(void)
{
	return (struct lockstep_image){.use = LOCKSTEP_TEXTURE_AND_SURFACE,
		.channel_bits = 8,
		.channels = 4,
		.dimensions = 2,
		.level_count = 1,
		.level[0] = {memory, 2, 2, 1, 256, 512}};
}

/* cl_channel_type. */
static void types_of_channels(void **state)
{
	static const struct {
		enum lockstep_channel channel;
		uint8_t bits;
		bool normalized_float;
		uint32_t number;
	} types[] = {
		{LOCKSTEP_CHANNEL_SIGNED, 8, true, 0x10d0},    /* CL_SNORM_INT8 */
		{LOCKSTEP_CHANNEL_SIGNED, 16, true, 0x10d1},   /* CL_SNORM_INT16 */
		{LOCKSTEP_CHANNEL_UNSIGNED, 8, true, 0x10d2},  /* CL_UNORM_INT8 */
		{LOCKSTEP_CHANNEL_UNSIGNED, 16, true, 0x10d3}, /* CL_UNORM_INT16 */
		{LOCKSTEP_CHANNEL_SIGNED, 8, false, 0x10d7},   /* CL_SIGNED_INT8 */
		{LOCKSTEP_CHANNEL_SIGNED, 16, false, 0x10d8}, {LOCKSTEP_CHANNEL_SIGNED, 32, false, 0x10d9},
		{LOCKSTEP_CHANNEL_UNSIGNED, 8, false, 0x10da}, /* CL_UNSIGNED_INT8 */
		{LOCKSTEP_CHANNEL_UNSIGNED, 16, false, 0x10db}, {LOCKSTEP_CHANNEL_UNSIGNED, 32, false, 0x10dc},
		{LOCKSTEP_CHANNEL_FLOAT, 16, false, 0x10dd}, /* CL_HALF_FLOAT */
		{LOCKSTEP_CHANNEL_FLOAT, 32, false, 0x10de}, /* CL_FLOAT */
	};

	(void)state;
	for (size_t k = 0; k < sizeof types / sizeof *types; k++) {
		struct lockstep_image image = plain();
		uint32_t answers[2];

		image.channel = types[k].channel;
		image.channel_bits = types[k].bits;
		image.normalized_float = types[k].normalized_float;
		ask(&image, "txq.channel_data_type,suq.channel_data_type", answers);
		assert_int_equal(answers[0], types[k].number);
		assert_int_equal(answers[1], types[k].number);
	}
}

/* cl_channel_order. */
static void orders_of_channels(void **state)
{
	static const struct {
		enum lockstep_order order;
		uint8_t channels;
		bool srgb;
		uint32_t number;
	} orders[] = {
		{LOCKSTEP_ORDER_RGBA, 1, false, 0x10b0},      /* CL_R */
		{LOCKSTEP_ORDER_A, 1, false, 0x10b1},         /* CL_A */
		{LOCKSTEP_ORDER_RGBA, 2, false, 0x10b2},      /* CL_RG */
		{LOCKSTEP_ORDER_RA, 2, false, 0x10b3},        /* CL_RA */
		{LOCKSTEP_ORDER_RGBA, 4, false, 0x10b5},      /* CL_RGBA */
		{LOCKSTEP_ORDER_BGRA, 4, false, 0x10b6},      /* CL_BGRA */
		{LOCKSTEP_ORDER_ARGB, 4, false, 0x10b7},      /* CL_ARGB */
		{LOCKSTEP_ORDER_INTENSITY, 1, false, 0x10b8}, /* CL_INTENSITY */
		{LOCKSTEP_ORDER_LUMINANCE, 1, false, 0x10b9}, /* CL_LUMINANCE */
		{LOCKSTEP_ORDER_DEPTH, 1, false, 0x10bd},     /* CL_DEPTH */
		{LOCKSTEP_ORDER_RGBA, 4, true, 0x10c1},       /* CL_sRGBA */
		{LOCKSTEP_ORDER_BGRA, 4, true, 0x10c2},       /* CL_sBGRA */
		{LOCKSTEP_ORDER_ABGR, 4, false, 0x10c3},      /* CL_ABGR */
	};

	(void)state;
	for (size_t k = 0; k < sizeof orders / sizeof *orders; k++) {
		struct lockstep_image image = plain();
		uint32_t answers[2];

		image.order = orders[k].order;
		image.channels = orders[k].channels;
		image.srgb = image.normalized_float = orders[k].srgb;
		ask(&image, "txq.channel_order,suq.channel_order", answers);
		assert_int_equal(answers[0], orders[k].number);
		assert_int_equal(answers[1], orders[k].number);
	}
}

/* Directions that an image lacks have size 0, and so has the number of layers where there are none. */
static void sizes(void **state)
{
	static const struct {
		uint8_t dimensions;
		bool layered, cube;
		uint32_t width, height, depth; /* of the image */
		uint32_t answers[4];           /* width, height, depth, layers */
	} shapes[] = {
		{1, false, false, 9, 1, 1, {9, 0, 0, 0}},
		{2, false, false, 9, 5, 1, {9, 5, 0, 0}},
		{3, false, false, 9, 5, 4, {9, 5, 4, 0}},
		{1, true, false, 9, 1, 3, {9, 0, 0, 3}},
		{2, true, false, 9, 5, 3, {9, 5, 0, 3}},
		{2, false, true, 5, 5, 6, {5, 5, 0, 0}},
		{2, true, true, 5, 5, 12, {5, 5, 0, 2}},
	};

	(void)state;
	for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k++) {
		struct lockstep_image image = plain();
		uint32_t answers[8];

		image.dimensions = shapes[k].dimensions;
		image.layered = shapes[k].layered;
		image.cube = shapes[k].cube;
		image.level[0] = (struct lockstep_image_level){
			memory, shapes[k].width, shapes[k].height, shapes[k].depth, 256, 2048};
		ask(&image,
			"txq.width,txq.height,txq.depth,txq.array_size,suq.width,suq.height,suq.depth,suq.array_size",
			answers);
		assert_memory_equal(answers, shapes[k].answers, sizeof shapes[k].answers);
		assert_memory_equal(answers + 4, shapes[k].answers, sizeof shapes[k].answers);
	}
}

/* Level 1, or the last where there is none; each property of the sampling by itself. */
static void levels_and_sampling(void **state)
{
	static const char queries[] =
		"txq.level.width,txq.level.height,txq.level.depth,txq.num_mipmap_levels,"
		"txq.num_samples,txq.normalized_coords,txq.force_unnormalized_coords,"
		"txq.filter_mode,txq.addr_mode_0,txq.addr_mode_1,txq.addr_mode_2,suq.memory_layout";
	struct lockstep_image image = plain();
	uint32_t answers[12];

	(void)state;
	image.dimensions = 3;
	image.level[0] = (struct lockstep_image_level){memory, 16, 8, 4, 256, 2048};
	ask(&image, queries, answers);
	assert_memory_equal(answers, ((uint32_t[]){16, 8, 4, 1, 1, 0, 0, 0, 0, 0, 0, 0}), sizeof answers);
	image.level_count = 3;
	image.level[1] = (struct lockstep_image_level){memory, 8, 5, 2, 256, 2048};
	image.level[2] = (struct lockstep_image_level){memory, 4, 2, 1, 256, 2048};
	image.linear = true;
	image.addressing[0] = LOCKSTEP_ADDRESS_MIRROR;
	image.addressing[1] = LOCKSTEP_ADDRESS_CLAMP;
	image.addressing[2] = LOCKSTEP_ADDRESS_BORDER;
	ask(&image, queries, answers);
	assert_memory_equal(answers, ((uint32_t[]){8, 5, 2, 3, 1, 0, 0, 1, 2, 1, 3, 0}), sizeof answers);
	image.linear = false;
	image.normalized = true;
	ask(&image, queries, answers);
	assert_memory_equal(answers, ((uint32_t[]){8, 5, 2, 3, 1, 1, 0, 0, 2, 1, 3, 0}), sizeof answers);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(types_of_channels),
		cmocka_unit_test(orders_of_channels),
		cmocka_unit_test(sizes),
		cmocka_unit_test(levels_and_sampling),
	};
	return cmocka_run_group_tests(tests, make, drop);
}
