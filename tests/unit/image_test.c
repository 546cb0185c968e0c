/* Images: which can be made, and the table of handles and references. */
#include "memory/image.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static struct arena arena;
static struct address_space space;
static struct image_table table;
static uint64_t buffer;

#define BYTES 4096

static int make(void **state)
{
	(void)state;
	space_create(&space, &arena, 1 << 20, LINE_BYTES, true);
	buffer = space_allocate(&space, BYTES, "buffer");
	table = (struct image_table){.arena = &arena};
	return 0;
}

static int drop(void **state)
{
	(void)state;
	arena_free(&arena);
	return 0;
}

/* 8 x 4 x 2 texels of two channels of 16 bits, rows of 64 bytes and slices of 512: from the first byte to the last
 * 512 + 3 * 64 + 8 * 4. */
static struct lockstep_image sample(void)
{
	return (struct lockstep_image){.channel_bits = 16,
		.channels = 2,
		.dimensions = 3,
		.level_count = 1,
		.level[0] = {
			.address = buffer, .width = 8, .height = 4, .depth = 2, .row_bytes = 64, .slice_bytes = 512}};
}

static void check(const struct lockstep_image *image, const char *words)
{
	const char *problem = image_problem(&space, image);
	if (words ? !problem || !strstr(problem, words) : problem != NULL)
		fail_msg("'%s', not '%s'", problem ? problem : "nothing", words ? words : "nothing");
}

static void channels(void **state)
{
	(void)state;
	for (uint8_t bits = 0; bits < 40; bits++)
		for (uint8_t count = 0; count < 6; count++) {
			struct lockstep_image image = sample();
			bool right =
				(bits == 8 || bits == 16 || bits == 32) && (count == 1 || count == 2 || count == 4);
			image.channel_bits = bits;
			image.channels = count;
			check(&image, right ? NULL : "there are 1, 2 or 4 of them");
		}
}

/* The order of channels fixes how many there are; OpenCL 3.0, Table 16. */
static void orders(void **state)
{
	static const struct {
		enum lockstep_order order;
		uint8_t channels;
	} rows[] = {{LOCKSTEP_ORDER_BGRA, 4}, {LOCKSTEP_ORDER_ARGB, 4}, {LOCKSTEP_ORDER_ABGR, 4},
		{LOCKSTEP_ORDER_RA, 2}, {LOCKSTEP_ORDER_A, 1}, {LOCKSTEP_ORDER_INTENSITY, 1},
		{LOCKSTEP_ORDER_LUMINANCE, 1}};
	(void)state;
	for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
		for (uint8_t count = 1; count <= 4; count *= 2) {
			struct lockstep_image image = sample();
			image.order = rows[k].order;
			image.channels = count;
			check(&image, count == rows[k].channels ? NULL : "another number of them");
		}
	struct lockstep_image image = sample();
	image.channels = 1;
	image.order = LOCKSTEP_ORDER_DEPTH;
	check(&image, NULL);
	image.order++;
	check(&image, "no such order");
}

static void kinds(void **state)
{
	struct lockstep_image image = sample();
	(void)state;
	image.channel = LOCKSTEP_CHANNEL_FLOAT;
	check(&image, NULL);
	image.channel_bits = 8;
	check(&image, "no floating-point channels of 8 bits");
	image.normalized_float = true;
	image.channel_bits = 32;
	check(&image, NULL);
	for (uint32_t channel = LOCKSTEP_CHANNEL_UNSIGNED; channel <= LOCKSTEP_CHANNEL_SIGNED; channel++) {
		image.channel = (enum lockstep_channel)channel;
		image.channel_bits = 16;
		check(&image, NULL);
		image.channel_bits = 32;
		check(&image, "integers of 32 bits");
	}
	for (uint8_t dimensions = 0; dimensions < 5; dimensions++)
		for (uint32_t what = 0; what < 4; what++) {
			bool right = dimensions >= 1 && dimensions <= 3 && !(what & 1 && dimensions != 2) &&
				     !(what & 2 && dimensions == 3);
			image = sample();
			image.dimensions = dimensions;
			image.cube = what & 1;
			image.level[0].depth = 6;
			image.layered = what >> 1;
			check(&image, right ? NULL : "1 to 3 dimensions, cubes 2, and there are no layers of 3");
		}
	image = sample();
	image.dimensions = 2;
	image.cube = true;
	check(&image, "six faces");
}

static void sizes(void **state)
{
	struct lockstep_image image = sample();
	uint32_t *const size[] = {&image.level[0].width, &image.level[0].height, &image.level[0].depth};
	(void)state;
	image.level[0].row_bytes = image.level[0].slice_bytes = 0; /* so that the largest needs no memory but its row */
	for (uint32_t k = 0; k < 3; k++) {
		uint32_t before = *size[k];
		*size[k] = 0;
		check(&image, "from 1 to 2^28 texels");
		*size[k] = (1u << 28) + 1;
		check(&image, "from 1 to 2^28 texels");
		*size[k] = 1u << 28;
		check(&image, k ? NULL : "not within one allocation");
		*size[k] = 1;
		check(&image, NULL);
		*size[k] = before;
	}
	image.level_count = 0;
	check(&image, "1 to 16 levels");
	image.level_count = LOCKSTEP_IMAGE_LEVELS + 1;
	check(&image, "1 to 16 levels");
	for (uint32_t k = 1; k < LOCKSTEP_IMAGE_LEVELS; k++)
		image.level[k] = image.level[0];
	image.level_count = LOCKSTEP_IMAGE_LEVELS;
	check(&image, NULL);
	image.level[LOCKSTEP_IMAGE_LEVELS - 1].depth = 0;
	check(&image, "from 1 to 2^28 texels");
}

/* Rows and slices begin at multiples of a texel, of 4 bytes here, where there is more than one. */
static void rows_begin_with_a_texel(void **state)
{
	static const char words[] = "multiples of a texel's size";
	struct lockstep_image image = sample();
	(void)state;
	for (uint32_t off = 1; off < 4; off++) {
		image = sample();
		image.level[0].address += off;
		check(&image, words);
		image = sample();
		image.level[0].row_bytes += off;
		check(&image, words);
		image.level[0].height = 1;
		check(&image, NULL);
		image = sample();
		image.level[0].slice_bytes += off;
		check(&image, words);
		image.level[0].depth = 1;
		check(&image, NULL);
	}
}

static void all_of_it_is_allocated(void **state)
{
	struct lockstep_image image = sample();
	uint64_t last = buffer + BYTES - (512 + 3 * 64 + 8 * 4);
	(void)state;
	image.level[0].address = last;
	check(&image, NULL);
	assert_true(image_is_allocated(&space, &image));
	image.level[0].address = last + 4;
	check(&image, "not within one allocation");
	assert_false(image_is_allocated(&space, &image));
	image.level[1] = image.level[0];
	image.level[0].address = buffer;
	check(&image, NULL);
	image.level_count = 2;
	check(&image, "not within one allocation");
	image.level_count = 1;
	space_free(&space, buffer);
	assert_false(image_is_allocated(&space, &image));
}

/* No handle is used twice, in whatever order objects come and go; what one stands for stays where it is. */
static void handles_are_of_one_object(void **state)
{
	struct lockstep_image image = sample();
	uint64_t handle[8];
	const struct lockstep_image *third;
	(void)state;
	assert_null(image_find(&table, 0));
	assert_null(image_find(&table, 1));
	for (uint32_t k = 0; k < 4; k++) {
		image.level[0].width = k + 1;
		handle[k] = image_create(&table, &image);
		assert_true(handle[k]);
	}
	third = image_find(&table, handle[2]);
	assert_true(image_destroy(&table, handle[1]));
	assert_false(image_destroy(&table, handle[1]));
	assert_null(image_find(&table, handle[1]));
	for (uint32_t k = 4; k < 8; k++) {
		image.level[0].width = k + 1;
		handle[k] = image_create(&table, &image);
	}
	assert_int_equal(table.objects.count, 7); /* one place was free */
	for (uint32_t k = 0; k < 8; k++) {
		for (uint32_t other = 0; other < k; other++)
			assert_true(handle[k] != handle[other]);
		if (k != 1)
			assert_int_equal(image_find(&table, handle[k])->level[0].width, k + 1);
	}
	assert_null(image_find(&table, handle[1]));
	assert_ptr_equal(image_find(&table, handle[2]), third);
	assert_false(image_destroy(&table, 0));
	assert_false(image_destroy(&table, handle[7] + 1));
	for (uint32_t k = 0; k < 8; k++)
		assert_int_equal(image_destroy(&table, handle[k]), k != 1);
	for (uint32_t k = 0; k < 8; k++)
		assert_null(image_find(&table, handle[k]));
}

static void references_are_bound_anew(void **state)
{
	struct lockstep_image image = sample();
	(void)state;
	for (uint32_t k = 0; k < 3; k++) {
		image.level[0].width = k + 1;
		image_bind(&table, buffer + 8 * k, &image);
	}
	image.level[0].width = 9;
	image_bind(&table, buffer + 8, &image);
	assert_int_equal(table.references.count, 3);
	assert_int_equal(image_find(&table, buffer)->level[0].width, 1);
	assert_int_equal(image_find(&table, buffer + 8)->level[0].width, 9);
	assert_int_equal(image_find(&table, buffer + 16)->level[0].width, 3);
	image_bind(&table, buffer, NULL);
	image_bind(&table, buffer + 64, NULL);
	assert_null(image_find(&table, buffer));
	assert_null(image_find(&table, buffer + 64));
	assert_int_equal(image_find(&table, buffer + 8)->level[0].width, 9);
	assert_int_equal(image_find(&table, buffer + 16)->level[0].width, 3);
	assert_false(image_destroy(&table, buffer + 8)); /* no object */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(channels, make, drop),
		cmocka_unit_test_setup_teardown(orders, make, drop),
		cmocka_unit_test_setup_teardown(kinds, make, drop),
		cmocka_unit_test_setup_teardown(sizes, make, drop),
		cmocka_unit_test_setup_teardown(rows_begin_with_a_texel, make, drop),
		cmocka_unit_test_setup_teardown(all_of_it_is_allocated, make, drop),
		cmocka_unit_test_setup_teardown(handles_are_of_one_object, make, drop),
		cmocka_unit_test_setup_teardown(references_are_bound_anew, make, drop),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
