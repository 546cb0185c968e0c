/* Maps: absent, present and replaced keys, growth, order, keys that are parts of a text. */
#include "util/map.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static struct arena arena;

static int free_arena(void **state)
{
	(void)state;
	arena_free(&arena);
	return 0;
}

static void an_empty_map_has_nothing(void **state)
{
	(void)state;
	struct map map = {0};
	assert_null(map_get(&map, "warp"));
	assert_null(map_get(&map, ""));
	assert_int_equal(map.count, 0);
}

static void a_key_is_its_bytes_not_its_neighbours(void **state)
{
	(void)state;
	struct map map = {0};
	int one, two, none;
	const char *line = "lane.mask";
	assert_null(map_put(&arena, &map, line, 4, &one));
	assert_null(map_put(&arena, &map, line, 9, &two));
	assert_null(map_put(&arena, &map, "", 0, &none));
	assert_ptr_equal(map_get(&map, "lane"), &one);
	assert_ptr_equal(map_get(&map, "lane.mask"), &two);
	assert_ptr_equal(map_get_length(&map, "lanes", 4), &one);
	assert_ptr_equal(map_get(&map, ""), &none);
	assert_null(map_get(&map, "lan"));
	assert_null(map_get(&map, "lanes"));
	assert_string_equal(map.entry[0].key, "lane");
}

static void the_key_is_copied(void **state)
{
	(void)state;
	struct map map = {0};
	int value;
	char key[] = "before";
	map_put(&arena, &map, key, 6, &value);
	memcpy(key, "behind", 6);
	assert_ptr_equal(map_get(&map, "before"), &value);
	assert_null(map_get(&map, "behind"));
}

static void putting_again_replaces_in_place(void **state)
{
	(void)state;
	struct map map = {0};
	int one, two;
	map_put(&arena, &map, "a", 1, &one);
	map_put(&arena, &map, "b", 1, &one);
	assert_ptr_equal(map_put(&arena, &map, "a", 1, &two), &one);
	assert_ptr_equal(map_get(&map, "a"), &two);
	assert_int_equal(map.count, 2);
	assert_string_equal(map.entry[0].key, "a");
}

static void many_keys_survive_growth_in_order(void **state)
{
	(void)state;
	struct map map = {0};
	static int values[5000];
	char key[16];
	for (int i = 0; i < 5000; i++) {
		int length = snprintf(key, sizeof key, "key%d", i);
		assert_null(map_put(&arena, &map, key, (size_t)length, &values[i]));
	}
	assert_int_equal(map.count, 5000);
	for (int i = 0; i < 5000; i++) {
		snprintf(key, sizeof key, "key%d", i);
		assert_ptr_equal(map_get(&map, key), &values[i]);
		assert_string_equal(map.entry[i].key, key);
	}
	assert_null(map_get(&map, "key5000"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(an_empty_map_has_nothing, free_arena),
		cmocka_unit_test_teardown(a_key_is_its_bytes_not_its_neighbours, free_arena),
		cmocka_unit_test_teardown(the_key_is_copied, free_arena),
		cmocka_unit_test_teardown(putting_again_replaces_in_place, free_arena),
		cmocka_unit_test_teardown(many_keys_survive_growth_in_order, free_arena),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
