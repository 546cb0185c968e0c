/* Who wrote a word: two writes are by the same thread only if all that names a thread is the same. */
#include "check/past.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void each_part_of_the_name_tells_threads_apart(void **state)
{
	const struct word_write taken = {.known = true, .launch = 4, .group = 2, .thread = 7};
	struct word_write back = taken;

	(void)state;
	back.pc = 5;
	back.before = 1;
	assert_true(is_by_same(&taken, &back));
	back = taken;
	back.launch++;
	assert_false(is_by_same(&taken, &back));
	back = taken;
	back.group++;
	assert_false(is_by_same(&taken, &back));
	back = taken;
	back.thread++;
	assert_false(is_by_same(&taken, &back));
	back = taken;
	back.known = false;
	assert_false(is_by_same(&taken, &back));
	assert_false(is_by_same(&back, &taken));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_part_of_the_name_tells_threads_apart),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
