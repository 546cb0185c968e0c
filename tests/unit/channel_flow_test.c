/* device/lockstep_flow.h on the host: which tasks its scheduler takes, with channels that are wide and narrow (paper 5,
 * sections 4.2 and 5); the host executes them itself. */
#include "../../device/lockstep_flow.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* ---- Fibonacci numbers, as in Figure 11 ---- */

enum { LEVELS = 10, TOP = 0xffffffffu };

struct fibonacci {
	fl_graph graph;
	void *memory;
	ch_uint_ calls, sums, result, dispatches;
	ch_uint_ first[LEVELS],
		last[LEVELS]; /* the dispatch of calls of a level that came first, and that of sums that came last */
};

static struct fibonacci fibonacci(ch_uint_ width, ch_uint_ done, ch_uint_ n)
{
	struct fibonacci f = {0};
	f.calls = fl_stack(&f.graph, LEVELS, width, done, 8, 2);
	f.sums = fl_stack(&f.graph, LEVELS, width, done, 12, 1);
	fl_output(&f.graph, f.calls, f.calls, 1, 2);
	fl_output(&f.graph, f.calls, f.sums, 0, 1);
	fl_kernel(&f.graph, f.sums, NULL, FL_SYNC);
	f.memory = calloc(1, fl_bytes(&f.graph));
	fl_build(&f.graph, f.memory);
	ch_uint_ *task = fl_put(f.memory, f.calls, 0);
	task[0] = n;
	task[1] = TOP;
	return f;
}

static void give(struct fibonacci *f, ch_uint_ word, ch_uint_ value)
{
	*(word == TOP ? &f->result : fl_word_at(f->memory, word)) = value;
}

static void call(struct fibonacci *f, ch_uint_ level, const ch_uint_ *task)
{
	if (task[0] <= 2) {
		give(f, task[1], 1);
		return;
	}
	ch_channel below = fl_channel(f->memory, f->calls, level + 1), here = fl_channel(f->memory, f->sums, level);
	ch_uint_ first = fl_talloc(&below, 2), behind = fl_talloc(&here, 1), *sum = ch_at(&here, behind);
	sum[2] = task[1];
	for (ch_uint_ k = 0; k < 2; k++) {
		ch_uint_ *spawned = ch_at(&below, first + k);
		spawned[0] = task[0] - 1 - k;
		spawned[1] = fl_word(f->memory, &sum[k]);
	}
	ch_enq(&here, behind, 1);
	ch_enq(&below, first, 2);
}

static void execute(struct fibonacci *f, const fl_dispatch *d)
{
	ch_channel c = fl_channel(f->memory, d->node, d->level);
	for (ch_uint_ k = 0; k < d->count; k++) {
		ch_uint_ element = ch_deq(&c, d->offset + k), *task = ch_at(&c, element);
		if (d->node == f->calls)
			call(f, d->level, task);
		else
			give(f, task[2], task[0] + task[1]);
		ch_tfree(&c, element);
	}
}

static void run(struct fibonacci *f, ch_uint_ least)
{
	fl_dispatch d;
	for (; fl_next(f->memory, least, &d); f->dispatches++) {
		if (d.node == f->calls && f->first[d.level] == 0)
			f->first[d.level] = f->dispatches + 1;
		if (d.node == f->sums)
			f->last[d.level] = f->dispatches + 1;
		execute(f, &d);
	}
	assert_int_equal(fl_left(f->memory), 0);
}

/* fib(10): a level of calls after another, down to level 8; then sums from level 7 up (Figure 10). */
static void wide_channels_take_a_dispatch_a_level(void **state)
{
	(void)state;
	struct fibonacci f = fibonacci(256, 4, 10);
	run(&f, 64);
	assert_int_equal(f.result, 55);
	assert_int_equal(f.dispatches, 9 + 8);
	for (ch_uint_ level = 0; level < 9; level++)
		assert_int_equal(f.first[level], level + 1);
	for (ch_uint_ level = 0; level < 8; level++)
		assert_int_equal(f.last[level], 17 - level);
	free(f.memory);
}

/* fl_talloc aborts where there is no room, so that this ends means that memory is bounded (section 5.3). */
static void narrow_channels_take_more_dispatches(void **state)
{
	(void)state;
	for (ch_uint_ width = 2; width <= 32; width *= 2)
		for (ch_uint_ done = 1; done <= width / 2; done *= 2) {
			struct fibonacci f = fibonacci(width, done, 10);
			run(&f, 4);
			assert_int_equal(f.result, 55);
			assert_true(width == 32 || f.dispatches > 17);
			free(f.memory);
		}
}

/* Tasks that have no room stay, and are counted. */
static void a_task_without_room_is_left_and_a_sync_waits_for_it(void **state)
{
	(void)state;
	for (ch_uint_ flags = 0; flags <= FL_SYNC; flags++) {
		fl_graph g = {0};
		fl_dispatch d;
		ch_uint_ behind = fl_stack(&g, 1, 4, 1, 4, 1), tasks = fl_stack(&g, 2, 4, 1, 4, 1),
			 more = fl_stack(&g, 2, 4, 1, 4, 4);
		fl_kernel(&g, behind, NULL, flags);
		fl_output(&g, tasks, more, 0, 3);
		void *memory = calloc(1, fl_bytes(&g));
		fl_build(&g, memory);
		assert_non_null(fl_put(memory, behind, 0));
		assert_non_null(fl_put(memory, tasks, 1));
		ch_channel c = fl_channel(memory, more, 1);
		assert_int_equal(ch_talloc(&c, 2), 0);
		assert_int_equal(fl_next(memory, 1, &d), flags == 0); /* behind the sync is what waits for level 1 */
		assert_int_equal(fl_left(memory), flags == 0 ? 1 : 2);
		free(memory);
	}
}

/* The predicate of section 3.1: a dispatch that has room for less than `least` comes behind a full one of its level. */
static void a_small_dispatch_comes_behind_a_full_one(void **state)
{
	(void)state;
	fl_graph g = {0};
	fl_dispatch d;
	ch_uint_ tasks = fl_node(&g, 8, 1, 4, 1), out = fl_node(&g, 8, 1, 4, 8), others = fl_node(&g, 8, 1, 4, 1);
	ch_uint_ more = fl_node(&g, 8, 1, 4, 1);
	fl_output(&g, tasks, out, 0, 2);
	fl_output(&g, more, out, 0, 2);
	void *memory = calloc(1, fl_bytes(&g));
	fl_build(&g, memory);
	for (int k = 0; k < 4; k++)
		assert_true(fl_put(memory, tasks, 0) != NULL && fl_put(memory, more, 0) != NULL);
	assert_non_null(fl_put(memory, others, 0));
	ch_channel c = fl_channel(memory, out, 0);
	assert_int_equal(ch_talloc(&c, 3), 0); /* room for 5: two tasks */
	assert_true(fl_next(memory, 3, &d));
	assert_int_equal(d.node, others);
	assert_true(fl_next(memory, 3, &d));
	assert_int_equal(d.node, tasks);
	assert_int_equal(d.count, 2);
	assert_true(fl_next(memory, 2, &d)); /* nobody has reserved for the two */
	assert_int_equal(d.node, tasks);
	assert_int_equal(d.count, 2);
	assert_int_equal(fl_left(memory), 4);
	free(memory);
}

/* The same, but a node says itself from how many tasks on its dispatch is full. */
static void a_node_may_have_a_predicate_of_its_own(void **state)
{
	(void)state;
	for (ch_uint_ own = 1; own <= 3; own++) {
		fl_graph g = {0};
		fl_dispatch d;
		ch_uint_ tasks = fl_node(&g, 8, 1, 4, 1), out = fl_node(&g, 8, 1, 4, 8),
			 others = fl_node(&g, 8, 1, 4, 1);
		fl_output(&g, tasks, out, 0, 2);
		fl_predicate(&g, tasks, own);
		void *memory = calloc(1, fl_bytes(&g));
		fl_build(&g, memory);
		for (int k = 0; k < 4; k++)
			assert_non_null(fl_put(memory, tasks, 0));
		assert_non_null(fl_put(memory, others, 0));
		ch_channel c = fl_channel(memory, out, 0);
		assert_int_equal(ch_talloc(&c, 3), 0); /* room for two tasks */
		assert_true(fl_next(memory, 3, &d));
		assert_int_equal(d.node, own <= 2 ? tasks : others);
		free(memory);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(wide_channels_take_a_dispatch_a_level),
		cmocka_unit_test(narrow_channels_take_more_dispatches),
		cmocka_unit_test(a_task_without_room_is_left_and_a_sync_waits_for_it),
		cmocka_unit_test(a_small_dispatch_comes_behind_a_full_one),
		cmocka_unit_test(a_node_may_have_a_predicate_of_its_own),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
