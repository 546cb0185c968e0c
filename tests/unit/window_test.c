/* The window of a control processor, cycle by cycle, by hand: an instruction that enters in cycle n begins in n + 1,
 * its result is there `latency` cycles later, what needs it begins in that cycle, and it leaves in that cycle or later.
 */
#include "machine/control/window.h"
#include "util/arena.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#define MOST 64

/* A program without branches: instruction k reads and writes one register each, and takes so long. */
struct program {
	struct arena arena;
	struct window window;
	struct window_entry like[MOST];
	uint32_t latency[MOST];
	uint32_t count, entered;
	uint64_t now, begun_at[MOST + 1], left_at[MOST + 1]; /* by number, which counts from 1 */
};

static bool leave(void *context, struct window_entry *entry)
{
	struct program *p = context;

	p->left_at[entry->number] = p->now;
	if (entry->kind == WINDOW_STORE)
		window_store_complete(&p->window);
	return true;
}

static uint64_t begin(void *context, struct window_entry *entry)
{
	struct program *p = context;

	p->begun_at[entry->number] = p->now;
	return p->now + p->latency[entry->number - 1];
}

static bool enter(void *context)
{
	struct program *p = context;

	if (p->entered == p->count || !window_has_room(&p->window, &p->like[p->entered]))
		return false;
	window_enter(&p->window, &p->like[p->entered++]);
	return true;
}

static const struct window_hooks hooks = {.leave = leave, .begin = begin, .enter = enter};

static void add(struct program *p, uint8_t kind, uint16_t reads, uint16_t writes, uint32_t latency)
{
	p->latency[p->count] = latency;
	p->like[p->count++] = (struct window_entry){
		.kind = kind, .read_count = 1, .reads = {reads}, .write_count = 1, .writes = {writes}};
}

/* The cycle in which the last instruction leaves. */
static uint64_t run(struct program *p, struct control_window size)
{
	window_create(&p->window, &p->arena, &size, 64);
	for (p->now = 0; p->entered < p->count || !window_is_empty(&p->window); p->now++) {
		assert_true(p->now < 1000);
		window_cycle(&p->window, &hooks, p, p->now);
	}
	return p->left_at[p->count];
}

static const struct control_window two_way = {
	.overlaps = true, .width = 2, .registers = 48, .queue = 32, .window = 64, .loads = 32, .stores = 32};

static void a_chain_takes_a_cycle_each(void **state)
{
	struct program p = {0};

	(void)state;
	for (uint32_t k = 0; k < 8; k++)
		add(&p, WINDOW_PLAIN, 1, 1, 1);
	/* begin in 1, 2 ... 8; the last is done, and leaves, in 9 */
	assert_int_equal(run(&p, two_way), 9);
	for (uint32_t k = 1; k <= 8; k++)
		assert_int_equal(p.begun_at[k], k);
	arena_free(&p.arena);
}

static void independent_ones_go_as_wide_as_it_is(void **state)
{
	struct program p = {0}, wide = {0};
	struct control_window four = two_way;

	(void)state;
	four.width = 4;
	for (uint16_t k = 0; k < 8; k++) {
		add(&p, WINDOW_PLAIN, k, (uint16_t)(32 + k), 1);
		add(&wide, WINDOW_PLAIN, k, (uint16_t)(32 + k), 1);
	}
	/* two enter in each of the cycles 0 to 3, begin in 1 to 4, leave in 2 to 5; or four in 0 and 1 */
	assert_int_equal(run(&p, two_way), 5);
	assert_int_equal(run(&wide, four), 3);
	arena_free(&p.arena);
	arena_free(&wide.arena);
}

static void loads_overlap_and_leave_in_order(void **state)
{
	struct program p = {0};

	(void)state;
	add(&p, WINDOW_LOAD, 0, 1, 50);
	add(&p, WINDOW_PLAIN, 1, 2, 1); /* needs it */
	add(&p, WINDOW_LOAD, 0, 3, 50); /* does not */
	add(&p, WINDOW_PLAIN, 3, 4, 1);
	/* the loads begin in 1 and 2, are there in 51 and 52; what needs them begins then */
	assert_int_equal(run(&p, two_way), 53);
	assert_int_equal(p.begun_at[3], 2);
	assert_int_equal(p.begun_at[2], 51);
	assert_int_equal(p.begun_at[4], 52);
	assert_int_equal(p.left_at[1], 51);
	assert_int_equal(p.left_at[3], 52);
	arena_free(&p.arena);
}

static void one_place_is_one_at_a_time(void **state)
{
	struct program p = {0};
	struct control_window one = {.width = 1, .registers = 1, .queue = 1, .window = 1, .loads = 1, .stores = 1};

	(void)state;
	for (uint16_t k = 0; k < 4; k++)
		add(&p, WINDOW_PLAIN, k, (uint16_t)(32 + k), 1);
	/* enters in 0, begins in 1, leaves in 2, in which the next enters */
	assert_int_equal(run(&p, one), 8);
	arena_free(&p.arena);
}

static void a_full_window_lets_none_enter(void **state)
{
	struct program p = {0};
	struct control_window eight = two_way;

	(void)state;
	eight.window = 8;
	add(&p, WINDOW_LOAD, 0, 1, 50);
	for (uint16_t k = 0; k < 8; k++)
		add(&p, WINDOW_PLAIN, 2, (uint16_t)(8 + k), 1);
	/* the load is there, and leaves, in 51, with one behind it; in that cycle the ninth enters */
	run(&p, eight);
	assert_int_equal(p.begun_at[8], 4);
	assert_int_equal(p.begun_at[9], 52);
	arena_free(&p.arena);
}

static void queues_and_registers_are_limits(void **state)
{
	struct program loads = {0}, results = {0};
	struct control_window size = two_way;

	(void)state;
	size.loads = 1;
	add(&loads, WINDOW_LOAD, 0, 1, 20);
	add(&loads, WINDOW_LOAD, 0, 2, 20);
	run(&loads, size);
	assert_int_equal(loads.begun_at[2], 22); /* enters in 21, in which the first leaves */
	size = two_way;
	size.registers = 2;
	for (uint16_t k = 0; k < 3; k++)
		add(&results, WINDOW_PLAIN, 0, (uint16_t)(8 + k), 20);
	run(&results, size);
	assert_int_equal(results.begun_at[2], 1);
	assert_int_equal(results.begun_at[3], 22);
	arena_free(&loads.arena);
	arena_free(&results.arena);
}

/* A store holds its place until it is complete, whatever enters behind it. */
static void stores_in_flight_are_counted(void **state)
{
	struct arena arena = {0};
	struct window window;
	struct control_window size = two_way;
	struct window_entry store = {.kind = WINDOW_STORE}, load = {.kind = WINDOW_LOAD},
			    plain = {.kind = WINDOW_PLAIN};
	uint64_t kept;

	(void)state;
	size.stores = 3;
	window_create(&window, &arena, &size, 64);
	window_enter(&window, &store);
	window_enter(&window, &plain);
	kept = window_enter(&window, &store);
	window_enter(&window, &load);
	assert_int_equal(window.stores, 2);
	assert_int_equal(window.loads, 1);
	assert_true(window_has_room(&window, &store));
	window_enter(&window, &store);
	assert_int_equal(window.stores, 3);
	assert_false(window_has_room(&window, &store));
	assert_true(window_has_room(&window, &plain));
	window_cut(&window, kept); /* without the third store and the load */
	assert_int_equal(window.stores, 2);
	assert_int_equal(window.loads, 0);
	window_store_complete(&window);
	assert_int_equal(window.stores, 1);
	arena_free(&arena);
}

/* A cycle says whether anything left, began or entered: in one that says no, time may jump. */
static void a_cycle_says_whether_it_did_anything(void **state)
{
	struct program p = {0};

	(void)state;
	add(&p, WINDOW_PLAIN, 0, 1, 10);
	window_create(&p.window, &p.arena, &two_way, 64);
	/* it enters in 0 and begins in 1; its result is there, and it leaves, in 11 */
	for (p.now = 0; p.now < 13; p.now++)
		assert_int_equal(window_cycle(&p.window, &hooks, &p, p.now), p.now < 2 || p.now == 11);
	assert_int_equal(p.begun_at[1], 1);
	assert_int_equal(p.left_at[1], 11);
	arena_free(&p.arena);
}

static void the_next_end_is_known(void **state)
{
	struct arena arena = {0};
	struct window window;
	struct window_entry plain = {.kind = WINDOW_PLAIN};
	static const uint64_t ends[] = {30, 20, 25};

	(void)state;
	window_create(&window, &arena, &two_way, 64);
	for (uint32_t k = 0; k < 3; k++)
		window_at(&window, window_enter(&window, &plain))->done_at = ends[k];
	assert_int_equal(window_next(&window, 0), 20);
	assert_int_equal(window_next(&window, 20), 20);
	assert_int_equal(window_next(&window, 21), 25);
	assert_int_equal(window_next(&window, 26), 30);
	assert_int_equal(window_next(&window, 31), WINDOW_NEVER);
	arena_free(&arena);
}

static void a_cut_forgets_the_younger(void **state)
{
	struct arena arena = {0};
	struct window window;
	struct window_entry like = {.write_count = 1, .writes = {5}, .read_count = 1, .reads = {5}};
	uint64_t first, second;

	(void)state;
	window_create(&window, &arena, &two_way, 64);
	first = window_enter(&window, &like);
	window_enter(&window, &like);
	window_enter(&window, &like);
	window_cut(&window, first);
	assert_int_equal(window.queued, 1);
	assert_int_equal(window.results, 1);
	second = window_enter(&window, &like);
	assert_int_equal(window_at(&window, second)->producer[0], first); /* not one that was cut off */
	arena_free(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_chain_takes_a_cycle_each),
		cmocka_unit_test(independent_ones_go_as_wide_as_it_is),
		cmocka_unit_test(loads_overlap_and_leave_in_order),
		cmocka_unit_test(one_place_is_one_at_a_time),
		cmocka_unit_test(a_full_window_lets_none_enter),
		cmocka_unit_test(queues_and_registers_are_limits),
		cmocka_unit_test(stores_in_flight_are_counted),
		cmocka_unit_test(a_cycle_says_whether_it_did_anything),
		cmocka_unit_test(the_next_end_is_known),
		cmocka_unit_test(a_cut_forgets_the_younger),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
