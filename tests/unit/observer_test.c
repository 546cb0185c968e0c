/* Observers in general: several at once, order, attaching and detaching, hooks in copies of the code. All rows of the
 * list are observers of this test's, which write down what they hear. */
#include "machine/core/observer.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#define MOST 512

enum { HEARD_BEFORE = OBSERVER_EVENTS, HEARD_AFTER, HEARD_EXECUTE, HEARD_FLUSH, HEARD_CLEAR };

static struct {
	uint32_t id, what;
} heard[MOST];
static uint32_t heard_count, created;

static void note(uint32_t id, uint32_t what)
{
	assert_true(heard_count < MOST);
	heard[heard_count].id = id;
	heard[heard_count++].what = what;
}

static void expect(uint32_t k, uint32_t id, uint32_t what)
{
	assert_true(k < heard_count);
	assert_int_equal(heard[k].id, id);
	assert_int_equal(heard[k].what, what);
}

/* ---- The observers: the state is the row ---- */

struct fake {
	uint32_t id;
};

static uint32_t id_of(const void *state)
{
	return ((const struct fake *)state)->id;
}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"
static void yields(struct core *core, void *state, const struct warp_slot *r)
{
	note(id_of(state), OBSERVE_yields);
}

static void released(struct core *core, void *state, const struct warp_slot *r, uint32_t number, uint64_t since)
{
	assert_int_equal(number, 3);
	assert_int_equal(since, 77);
	note(id_of(state), OBSERVE_released);
}

static void group_begins(struct core *core, void *state, struct group *group)
{
	note(id_of(state), OBSERVE_group_begins);
}

static void before(struct core *core, void *state, struct warp_slot *r, const struct insn *i, lane_mask lanes)
{
	note(id_of(state), HEARD_BEFORE);
}

static void after(struct core *core, void *state, struct warp_slot *r, const struct insn *i, lane_mask lanes)
{
	note(id_of(state), HEARD_AFTER);
}

static void clear(struct core *core, void *state, struct arena *arena)
{
	note(id_of(state), HEARD_CLEAR);
}

void core_execute(struct core *core, struct warp_slot *r, const struct insn *i, lane_mask lanes)
{
	assert_ptr_equal(i, &r->warp.kernel->code[r->warp.path->pc]);
	note(OBSERVER_COUNT, HEARD_EXECUTE);
}

/* Row k wants instructions whose type is k, and those whose type is OBSERVER_COUNT. */
#define OBSERVER(name)                                                                                                 \
	static void create_##name(struct core *core, void *state, struct arena *arena)                                 \
	{                                                                                                              \
		((struct fake *)state)->id = OBSERVER_##name;                                                          \
		created++;                                                                                             \
	}                                                                                                              \
	static bool wants_##name(const struct gpu *gpu, bool functional, const struct insn *i)                         \
	{                                                                                                              \
		return i->type == OBSERVER_##name || i->type == OBSERVER_COUNT;                                        \
	}                                                                                                              \
	static void flush_##name(struct machine *machine, bool at_end)                                                 \
	{                                                                                                              \
		note(OBSERVER_##name, HEARD_FLUSH);                                                                    \
	}
#include "machine/state/observers.def"
#undef OBSERVER
#pragma GCC diagnostic pop

#define OBSERVER(name)                                                                                                 \
	const struct observer observer_##name = {.state_size = sizeof(struct fake),                                    \
		.wants = wants_##name,                                                                                 \
		.create = create_##name,                                                                               \
		.clear = clear,                                                                                        \
		.before = before,                                                                                      \
		.after = after,                                                                                        \
		.flush = flush_##name,                                                                                 \
		.on = {.yields = yields, .released = released, .group_begins = group_begins}};
#include "machine/state/observers.def"
#undef OBSERVER

/* ---- A core with two warps, and a kernel with an instruction for each row, one for all and one for none ---- */

#define CODE (OBSERVER_COUNT + 2)
#define FOR_ALL OBSERVER_COUNT
#define FOR_NONE (OBSERVER_COUNT + 1)

static struct arena arena, core_arena;
static struct core core;
static struct warp_slot residents[2];
static struct path path;
static struct group group;
static struct insn code[CODE];
static struct kernel kernel;
static struct gpu gpu;
static struct machine machine;
static struct launch launch;
static struct core_launch residency;

static int make(void **state)
{
	(void)state;
	memset(&core, 0, sizeof core);
	memset(&path, 0, sizeof path);
	for (uint32_t pc = 0; pc < CODE; pc++)
		code[pc] = (struct insn){.type = (uint8_t)pc};
	kernel = (struct kernel){.code = code, .code_count = CODE};
	gpu = (struct gpu){0};
	machine = (struct machine){.gpu = &gpu, .cores.at = &core, .cores.count = 1, .cores.arenas = &core_arena};
	launch = (struct launch){.kernel = &kernel, .code = code};
	residency = (struct core_launch){.launch = &launch};
	core.machine = &machine;
	core.slots = residents;
	for (uint32_t k = 0; k < 2; k++)
		residents[k] = (struct warp_slot){.bit = 1ull << k,
			.core_launch = &residency,
			.code = code,
			.warp = {.kernel = &kernel, .path = &path}};
	group.slots = 3;
	heard_count = created = 0;
	return 0;
}

static int drop(void **state)
{
	(void)state;
	arena_free(&arena);
	arena_free(&core_arena);
	arena_free(&launch.arena);
	return 0;
}

static void attach_all(void)
{
	for (uint32_t id = OBSERVER_COUNT; id-- > 0;)
		observer_attach(&machine, &core, (enum observer_id)id);
}

/* ---- Events ---- */

static void nothing_is_told_when_nothing_is_attached(void **state)
{
	(void)state;
	observe_yields(&core, &residents[0]);
	observe_released(&core, &residents[1], 3, 77);
	observe_group_begins(&core, &group);
	assert_int_equal(heard_count, 0);
	assert_null(observer_state(&core, OBSERVER_watch));
}

static void several_hear_the_same_in_the_order_of_the_list(void **state)
{
	(void)state;
	machine.cores.start_apart = true;
	attach_all();
	assert_false(machine.cores.start_apart); /* those of the test hear of what begins, and say no more */
	observe_yields(&core, &residents[0]);
	observe_released(&core, &residents[1], 3, 77);
	observe_group_begins(&core, &group);
	assert_int_equal(heard_count, 3 * OBSERVER_COUNT);
	for (uint32_t id = 0; id < OBSERVER_COUNT; id++) {
		expect(id, id, OBSERVE_yields);
		expect(OBSERVER_COUNT + id, id, OBSERVE_released);
		expect(2 * OBSERVER_COUNT + id, id, OBSERVE_group_begins);
	}
}

static void one_alone_hears_what_it_hears_among_others(void **state)
{
	(void)state;
	observer_attach(&machine, &core, OBSERVER_show);
	observe_yields(&core, &residents[0]);
	observer_attach(&machine, &core, OBSERVER_watch);
	observe_yields(&core, &residents[0]);
	observer_detach(&core, OBSERVER_show);
	observe_yields(&core, &residents[0]);
	assert_int_equal(heard_count, 4);
	expect(0, OBSERVER_show, OBSERVE_yields);
	expect(1, OBSERVER_watch, OBSERVE_yields);
	expect(2, OBSERVER_show, OBSERVE_yields);
	expect(3, OBSERVER_watch, OBSERVE_yields);
}

static void detached_ones_hear_nothing_and_keep_their_state(void **state)
{
	const void *first = observer_attach(&machine, &core, OBSERVER_watch);

	(void)state;
	observer_detach(&core, OBSERVER_watch);
	observe_yields(&core, &residents[0]);
	observe_group_begins(&core, &group);
	assert_int_equal(heard_count, 0);
	assert_null(observer_state(&core, OBSERVER_watch));
	assert_ptr_equal(observer_attach(&machine, &core, OBSERVER_watch), first);
	assert_ptr_equal(observer_state(&core, OBSERVER_watch), first);
	assert_int_equal(created, 1);
	observe_yields(&core, &residents[0]);
	assert_int_equal(heard_count, 1);
}

static void an_observer_hears_the_warps_that_it_chose(void **state)
{
	(void)state;
	observer_attach(&machine, &core, OBSERVER_locks);
	observer_hear(&core, OBSERVER_locks, OBSERVE_yields, 2);
	observe_yields(&core, &residents[0]);
	assert_int_equal(heard_count, 0);
	observer_attach(&machine, &core, OBSERVER_show);
	observe_yields(&core, &residents[0]);
	observe_yields(&core, &residents[1]);
	observe_released(&core, &residents[0], 3, 77);
	assert_int_equal(heard_count, 5);
	expect(0, OBSERVER_show, OBSERVE_yields);
	expect(1, OBSERVER_locks, OBSERVE_yields);
	expect(2, OBSERVER_show, OBSERVE_yields);
	expect(3, OBSERVER_locks, OBSERVE_released);
	expect(4, OBSERVER_show, OBSERVE_released);
	observer_hear(&core, OBSERVER_show, OBSERVE_yields, 0);
	assert_true(observer_hears(&core, OBSERVE_yields, 2));
	assert_false(observer_hears(&core, OBSERVE_yields, 1));
	observe_group_begins(&core, &group); /* heard of any of its warps */
	assert_int_equal(heard_count, 7);
}

/* ---- Those asked for ---- */

static void cores_have_those_that_are_asked_for(void **state)
{
	(void)state;
	gpu.observe[OBSERVER_timeline] = gpu.observe[OBSERVER_show] = &gpu;
	observers_create(&core, &core_arena);
	assert_int_equal(core.attached.observers, 1u << OBSERVER_timeline | 1u << OBSERVER_show);
	assert_int_equal(observers_of_code(&launch, &gpu), core.attached.observers);
	observers_flush(&machine, true);
	assert_int_equal(heard_count, 0); /* not attached to any core of this machine, as far as it knows */
	machine.observers = core.attached.observers;
	observers_flush(&machine, true);
	observers_clear(&core, &core_arena);
	assert_int_equal(heard_count, 4);
	expect(0, OBSERVER_timeline, HEARD_FLUSH);
	expect(1, OBSERVER_show, HEARD_FLUSH);
	expect(2, OBSERVER_timeline, HEARD_CLEAR);
	expect(3, OBSERVER_show, HEARD_CLEAR);
}

static void code_is_for_those_that_want_any_of_it(void **state)
{
	(void)state;
	gpu.observe[OBSERVER_timeline] = gpu.observe[OBSERVER_show] = &gpu;
	code[OBSERVER_COUNT].type = FOR_NONE; /* else all want it */
	assert_int_equal(observers_of_code(&launch, &gpu), 1u << OBSERVER_timeline | 1u << OBSERVER_show);
	code[OBSERVER_show].type = FOR_NONE;
	assert_int_equal(observers_of_code(&launch, &gpu), 1u << OBSERVER_timeline);
	code[OBSERVER_timeline].type = FOR_NONE;
	assert_int_equal(observers_of_code(&launch, &gpu), 0);
}

/* ---- Code ---- */

static void carry_out(uint32_t pc)
{
	const struct insn *i = &residents[0].code[pc];

	path.pc = pc;
	heard_count = 0;
	if (i->kind == INSN_OBSERVED)
		observer_execute(&core, &residents[0], i, 1);
}

static void hooks_are_where_observers_want_them(void **state)
{
	(void)state;
	attach_all();
	observer_follow(&core, &residents[0], OBSERVER_locks);
	observer_follow(&core, &residents[0], OBSERVER_timeline);
	carry_out(OBSERVER_locks);
	assert_int_equal(heard_count, 3);
	expect(0, OBSERVER_locks, HEARD_BEFORE);
	expect(1, OBSERVER_COUNT, HEARD_EXECUTE);
	expect(2, OBSERVER_locks, HEARD_AFTER);
	carry_out(FOR_ALL);
	assert_int_equal(heard_count, 5);
	expect(0, OBSERVER_timeline, HEARD_BEFORE);
	expect(1, OBSERVER_locks, HEARD_BEFORE);
	expect(2, OBSERVER_COUNT, HEARD_EXECUTE);
	expect(3, OBSERVER_timeline, HEARD_AFTER);
	expect(4, OBSERVER_locks, HEARD_AFTER);
	assert_int_equal(residents[0].code[OBSERVER_show].kind, INSN_PLAIN);
	assert_int_equal(residents[0].code[FOR_NONE].kind, INSN_PLAIN);
	assert_ptr_equal(residents[1].code, code); /* the other warp is not followed */
}

static void one_that_leaves_hears_no_instruction(void **state)
{
	const struct insn *both;

	(void)state;
	attach_all();
	observer_follow(&core, &residents[0], OBSERVER_watch);
	observer_follow(&core, &residents[0], OBSERVER_show);
	both = residents[0].code;
	observer_leave(&core, &residents[0], OBSERVER_watch);
	carry_out(FOR_ALL);
	assert_int_equal(heard_count, 3);
	expect(0, OBSERVER_show, HEARD_BEFORE);
	observer_leave(&core, &residents[0], OBSERVER_watch); /* it has */
	observer_follow(&core, &residents[0], OBSERVER_watch);
	assert_ptr_equal(residents[0].code, both); /* made once */
	observer_detach(&core, OBSERVER_watch);    /* though its hooks are still in the code */
	carry_out(FOR_ALL);
	assert_int_equal(heard_count, 3);
	expect(0, OBSERVER_show, HEARD_BEFORE);
	observer_leave(&core, &residents[0], OBSERVER_show);
	observer_leave(&core, &residents[0], OBSERVER_watch);
	assert_ptr_equal(residents[0].code, code);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(nothing_is_told_when_nothing_is_attached, make, drop),
		cmocka_unit_test_setup_teardown(several_hear_the_same_in_the_order_of_the_list, make, drop),
		cmocka_unit_test_setup_teardown(one_alone_hears_what_it_hears_among_others, make, drop),
		cmocka_unit_test_setup_teardown(detached_ones_hear_nothing_and_keep_their_state, make, drop),
		cmocka_unit_test_setup_teardown(an_observer_hears_the_warps_that_it_chose, make, drop),
		cmocka_unit_test_setup_teardown(cores_have_those_that_are_asked_for, make, drop),
		cmocka_unit_test_setup_teardown(code_is_for_those_that_want_any_of_it, make, drop),
		cmocka_unit_test_setup_teardown(hooks_are_where_observers_want_them, make, drop),
		cmocka_unit_test_setup_teardown(one_that_leaves_hears_no_instruction, make, drop),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
