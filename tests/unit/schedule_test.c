/* Warp schedulers: who is picked, the rotation of gto, and that nobody starves where the policy says so. */
#include "policy/policy.h"
#include "policy/schedule/fields.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct arena arena;

static const struct warp_scheduler *scheduler(const char *name)
{
	struct diagnostic diagnostic = {0};
	const struct warp_scheduler *found = scheduler_find(name, &diagnostic);
	assert_non_null(found);
	return found;
}

/* The values that a scheduler's fields have unless they are set. */
static const uint32_t *defaults(const struct warp_scheduler *s)
{
	struct diagnostic diagnostic = {0};
	return schedule_read_fields(&arena, s, NULL, &diagnostic);
}

static void lrr_goes_round(void **state)
{
	(void)state;
	uint64_t arrived[64] = {0}, memory[8] = {0};
	const struct warp_scheduler *lrr = scheduler("lrr");
	struct issue_view view = {.ready = 1ull << 3 | 1ull << 5 | 1ull << 63, .arrived = arrived, .slots = 64};
	static const int expected[] = {3, 5, 63, 3, 5, 63};
	for (size_t i = 0; i < 6; i++)
		assert_int_equal(lrr->pick(memory, &view), expected[i]);
	view.ready = 1ull << 4;
	assert_int_equal(lrr->pick(memory, &view), 4);
}

static void greedy_stays_then_takes_the_oldest(void **state)
{
	(void)state;
	static const char *const names[] = {"gto", "gto-strict"};
	for (size_t i = 0; i < 2; i++) {
		uint64_t arrived[64] = {9, 4, 7, 5}, memory[8] = {0};
		const struct warp_scheduler *gto = scheduler(names[i]);
		struct issue_view view = {.ready = 0xd, .arrived = arrived, .slots = 4};
		assert_int_equal(gto->pick(memory, &view), 3);
		view.ready = 0xf; /* 1 is older, but 3 has not stalled */
		assert_int_equal(gto->pick(memory, &view), 3);
		view.ready = 0x7;
		assert_int_equal(gto->pick(memory, &view), 1);
		view.ready = 0xf;
		gto->retire(memory, 1);
		arrived[1] = 10; /* the next warp in the slot is the youngest */
		assert_int_equal(gto->pick(memory, &view), 3);
	}
}

/* The state in which no warp is held: what a pick is by age alone. */
static int pick_by_age(
	const struct warp_scheduler *gto, const uint64_t *memory, const struct issue_view *view, int leader)
{
	uint64_t at_ease[8];
	memcpy(at_ease, memory, sizeof at_ease);
	for (int warp = 0; warp < 4; warp++)
		if (warp != leader)
			gto->retire(at_ease, warp);
	return gto->pick(at_ease, view);
}

/* Four warps, oldest 1, 3, 2, 0; the order begins one warp later after each 100 cycles.  The held warp is never ready:
 * none is held. */
static void gto_rotates(void **state)
{
	(void)state;
	static const int oldest_first[] = {1, 3, 2, 0};
	uint64_t arrived[64] = {9, 4, 7, 5}, memory[8] = {0};
	const struct warp_scheduler *gto = scheduler("gto");
	for (uint64_t now = 0; now < 1000; now += 10) {
		struct issue_view view = {
			.arrived = arrived, .slots = 4, .rotation = 100, .now = now, .resident = 0xf, .ready = 0xf};
		size_t first = now / 100 % 4;
		assert_int_equal(gto->pick(memory, &view), oldest_first[first]);
		for (view.ready = 1; view.ready < 16; view.ready++) {
			int expected = -1;
			for (size_t k = 0; k < 4 && expected < 0; k++) {
				/* from the leader to the youngest, then the older ones */
				int warp = oldest_first[k < 4 - first ? first + k : k - (4 - first)];
				if (view.ready >> warp & 1)
					expected = warp;
			}
			assert_int_equal(pick_by_age(gto, memory, &view, oldest_first[first]), expected);
		}
	}
}

/* The lead passes on when the leader has finished, and the next one has a whole period at least. */
static void gto_leads_pass_with_the_leader(void **state)
{
	(void)state;
	uint64_t arrived[64] = {9, 4, 7, 5}, memory[8] = {0};
	const struct warp_scheduler *gto = scheduler("gto");
	struct issue_view view = {.arrived = arrived, .slots = 4, .rotation = 100, .resident = 0xf, .ready = 0xf};
	assert_int_equal(gto->pick(memory, &view), 1);
	gto->retire(memory, 1);
	view.resident = view.ready = 0xd;
	for (view.now = 50; view.now < 200; view.now++)
		assert_int_equal(gto->pick(memory, &view), 3);
	view.now = 200;
	assert_int_equal(gto->pick(memory, &view), 2);
}

/* A leader that has finished was not the one that is held: the next lead takes nothing from it. */
static void gto_hold_outlasts_a_finished_leader(void **state)
{
	(void)state;
	uint64_t arrived[64] = {9, 4, 7, 5}, memory[8] = {0};
	const struct warp_scheduler *gto = scheduler("gto");
	struct issue_view view = {.arrived = arrived, .slots = 4, .rotation = 100, .resident = 0xf, .ready = 0xf};
	assert_int_equal(gto->pick(memory, &view), 1);
	view.ready = 0x1;
	assert_int_equal(gto->pick(memory, &view), 0);
	gto->retire(memory, 1);
	view.resident = view.ready = 0xd;
	assert_int_equal(gto->pick(memory, &view), 0); /* 3 leads, but 0 has not stalled */
	view.ready = 0xc;
	assert_int_equal(gto->pick(memory, &view), 3);
}

/* Plainly: the next one has what is left of the period. */
static void gto_may_rotate_plainly(void **state)
{
	(void)state;
	uint64_t arrived[64] = {9, 4, 7, 5}, memory[8] = {0};
	const struct warp_scheduler *gto = scheduler("gto");
	struct issue_view view = {.arrived = arrived,
		.slots = 4,
		.rotation = 100,
		.rotates_plainly = true,
		.resident = 0xf,
		.ready = 0xf};
	assert_int_equal(gto->pick(memory, &view), 1);
	gto->retire(memory, 1);
	view.resident = view.ready = 0xd;
	for (view.now = 50; view.now < 100; view.now++)
		assert_int_equal(gto->pick(memory, &view), 3);
	for (view.now = 100; view.now < 200; view.now++)
		assert_int_equal(gto->pick(memory, &view), 2);
}

/* The oldest leads, ready or not: it comes first when it is. */
static void gto_leader_may_wait(void **state)
{
	(void)state;
	uint64_t arrived[64] = {9, 4, 7, 5}, memory[8] = {0};
	const struct warp_scheduler *gto = scheduler("gto");
	struct issue_view view = {.arrived = arrived, .slots = 4, .rotation = 100, .resident = 0xf, .ready = 0x4};
	assert_int_equal(gto->pick(memory, &view), 2);
	view.ready = 0xb;
	assert_int_equal(gto->pick(memory, &view), 1);
}

/* The livelock of paper 2, IV-C: old warps are always ready, the young one must issue for them to stop. */
static bool young_issues(const char *name, uint64_t rotation)
{
	uint64_t arrived[64], memory[8] = {0};
	const struct warp_scheduler *s = scheduler(name);
	for (uint64_t w = 0; w < 64; w++)
		arrived[w] = w;
	if (s->start)
		s->start(memory, 1, defaults(s));
	for (uint64_t now = 0; now < 100000; now++) {
		struct issue_view view = {.ready = 0xff,
			.now = now,
			.arrived = arrived,
			.rotation = rotation,
			.slots = 8,
			.resident = 0xff};
		int stalled = (int)(now % 9);
		view.ready &= ~(1ull << stalled) | 1ull << 7;
		if (s->pick(memory, &view) == 7)
			return true;
	}
	return false;
}

static void rotation_ends_starvation(void **state)
{
	(void)state;
	assert_false(young_issues("gto-strict", 1000));
	assert_false(young_issues("gto", 0));
	assert_true(young_issues("gto", 1000));
	assert_true(young_issues("lrr", 0));
	assert_true(young_issues("random", 0));
}

static void random_is_fair_and_seeded(void **state)
{
	(void)state;
	const struct warp_scheduler *random = scheduler("random");
	uint64_t arrived[64] = {0}, one[8] = {0}, two[8] = {0}, other[8] = {0};
	uint32_t counts[64] = {0}, differ = 0;
	struct issue_view view = {.ready = 0x8000000000010012, .arrived = arrived, .slots = 64};
	random->start(one, 42, NULL);
	random->start(two, 42, NULL);
	random->start(other, 43, NULL);
	for (uint32_t i = 0; i < 40000; i++) {
		int warp = random->pick(one, &view);
		assert_true(view.ready >> warp & 1);
		assert_int_equal(random->pick(two, &view), warp);
		differ += random->pick(other, &view) != warp;
		counts[warp]++;
	}
	assert_true(differ > 20000);
	for (int w = 0; w < 64; w++)
		if (view.ready >> w & 1)
			assert_in_range(counts[w], 9500, 10500);
}

/* Criticality: remaining instructions * CPI + stall, and the greedy hold. */
static void cawa_prefers_who_has_most_to_do(void **state)
{
	(void)state;
	const struct warp_scheduler *cawa = scheduler("cawa");
	void *memory = calloc(1, cawa->state_size);
	uint64_t arrived[64] = {1, 2, 3};
	struct issue_view view = {.ready = 7, .arrived = arrived, .slots = 3};
	for (int w = 0; w < 3; w++)
		cawa->begin(memory, w, 100, 0);
	for (; view.now < 10; view.now++)
		assert_int_equal(cawa->pick(memory, &view), 0); /* all alike: the oldest; then it stays */
	/* At 10, 90 are left to 0 at a CPI of 1: 90.  The others have 100 at 10 cycles for no instruction, and stalled
	 * for 10: 1010. */
	view.ready = 6;
	assert_int_equal(cawa->pick(memory, &view), 1);
	/* At 20: 1 has 99 left at a CPI of 20, 19 stalled: 1999.  2 jumps over 80 of its 100: 20 * 20 + 20 = 420; 0: 90
	 * * 2 + 10 = 190. */
	view.now = 20;
	cawa->branch(memory, 2, &(struct branch_outcome){.pc = 3, .target = 84, .taken = true});
	view.ready = 5;
	assert_int_equal(cawa->pick(memory, &view), 2);
	/* At 30: 2 has 19 left, 30 cycles, 1 instruction: 570 + 29 = 599; 0 has 90 * 3 + 20 = 290, and goes back over
	 * 150: 240 * 3 + 20. */
	view.now = 30;
	cawa->branch(memory, 0, &(struct branch_outcome){.pc = 149, .target = 0, .taken = true, .passed = true});
	/* Of a branch that splits the warp forwards, both sides are to come. */
	cawa->branch(memory, 0, &(struct branch_outcome){.pc = 0, .target = 90, .taken = true, .passed = true});
	view.ready = 1;
	assert_int_equal(cawa->pick(memory, &view), 0);
	cawa->retire(memory, 0);
	view.ready = 5;
	assert_int_equal(cawa->pick(memory, &view), 0); /* 239 * 30 / 11 + 19 = 670, more than 599 */
	cawa->retire(memory, 0);
	cawa->begin(memory, 0, 10, 30); /* the slot's next warp has just begun: nothing to multiply with */
	assert_int_equal(cawa->pick(memory, &view), 2);
	free(memory);
}

/* Eight warps in groups of two; the test says who is ready and who waits for memory. */
struct turn {
	uint64_t ready, waiting;
	int expected;
};

static void two_level_keeps_a_group_first(void **state)
{
	(void)state;
	static const struct turn turns[] = {
		{0xff, 0x00, 0}, {0xff, 0x00, 1}, {0xff, 0x00, 0}, /* within the group in turn */
		/* the group stalls for a moment: the next one helps out */
		{0xfe, 0x00, 1}, {0xfc, 0x00, 2}, {0xff, 0x00, 0}, /* and yields */
		{0xfc, 0x03, 2}, {0xfc, 0x03, 3},                  /* now all of it waits for memory */
		{0xff, 0x00, 2}, {0xf3, 0x00, 4},                  /* its return does not bring it back to the front */
		{0xc3, 0x3c, 6}, {0x83, 0x7c, 7}, {0x03, 0xfc, 0}, /* round to the first */
	};
	const struct warp_scheduler *two_level = scheduler("two-level");
	const char *const settings[] = {"two-level.group=2", NULL};
	struct diagnostic diagnostic = {0};
	uint64_t arrived[64] = {0}, memory[8] = {0}, waiting[LONG_WAITS] = {0};
	two_level->start(memory, 0, schedule_read_fields(&arena, two_level, settings, &diagnostic));
	for (size_t k = 0; k < sizeof turns / sizeof *turns; k++) {
		struct issue_view view = {
			.ready = turns[k].ready, .resident = 0xff, .arrived = arrived, .slots = 8, .waiting = waiting};
		waiting[k % LONG_WAITS] = turns[k].waiting; /* for whatever */
		assert_int_equal(two_level->pick(memory, &view), turns[k].expected);
		waiting[k % LONG_WAITS] = 0;
	}
	assert_int_equal(defaults(two_level)[0], 8);
}

/* Groups of 24: the third one has but 16 warps, 48 to 63; a group of 64 is all. */
static void two_level_groups_of_any_size(void **state)
{
	(void)state;
	static const struct {
		const char *setting;
		uint64_t ready[3];
		int expected[3];
	} rows[] = {
		{"two-level.group=24",
			{1ull << 60 | 1ull << 63, 1ull << 63 | 1ull << 23 | 1ull << 60, 1ull << 24 | 1ull << 23},
			{60, 63, 23}},
		{"two-level.group=64", {1ull << 62 | 1ull << 63, 1ull << 63 | 1ull << 5, 1ull << 62 | 1ull << 6},
			{62, 63, 6}},
	};
	const struct warp_scheduler *two_level = scheduler("two-level");
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		const char *const settings[] = {rows[i].setting, NULL};
		struct diagnostic diagnostic = {0};
		uint64_t arrived[64] = {0}, memory[8] = {0}, waiting[LONG_WAITS] = {0};
		two_level->start(memory, 0, schedule_read_fields(&arena, two_level, settings, &diagnostic));
		for (size_t k = 0; k < 3; k++) {
			struct issue_view view = {.ready = rows[i].ready[k],
				.resident = rows[i].ready[k],
				.arrived = arrived,
				.slots = 64,
				.waiting = waiting};
			assert_int_equal(two_level->pick(memory, &view), rows[i].expected[k]);
		}
	}
}

static int pick_none(void *state, const struct issue_view *view)
{
	(void)state;
	(void)view;
	return -1;
}

/* A setting is of the scheduler that it names, whichever is asked for its own. */
static void fields_are_of_the_scheduler_that_is_named(void **state)
{
	(void)state;
	static const struct schedule_field fields[] = {
		{.name = "group", .unit = "warps", .meaning = "of its own", .value = 3, .minimum = 1, .maximum = 9},
		{.name = "step", .unit = "cycles", .meaning = "likewise", .value = 5, .minimum = 0, .maximum = 7},
		{0},
	};
	static const struct warp_scheduler own = {
		.name = "two", .summary = "has fields", .fields = fields, .pick = pick_none};
	static const struct {
		const char *settings[3];
		uint32_t group, step, two_level; /* two_level: its group */
	} rows[] = {{{NULL}, 3, 5, 8}, {{"two-level.group=2"}, 3, 5, 2}, {{"two.group=9"}, 9, 5, 8},
		{{"two.step=7", "two-level.group=64"}, 3, 7, 64}, {{"two-level.group=1", "two.group=1"}, 1, 5, 1},
		{{"two.step=6", "two.step=0"}, 3, 0, 8}};
	static const struct {
		const char *setting, *message;
	} bad[] = {{"two.group=10", "'two.group' is '10', expected 1 to 9 warps"},
		{"two.group=0", "'two.group' is '0', expected 1 to 9 warps"},
		{"two.step=-1", "'two.step' is '-1', expected 0 to 7 cycles"},
		{"two.group", "bad setting 'two.group', expected KEY=VALUE"},
		{"two.groop=1", "scheduler 'two' has no field 'groop', did you mean 'group'?"},
		{"two.x=1", "scheduler 'two' has no field 'x'; it has group, step"}};
	struct diagnostic diagnostic = {0};

	assert_true(policy_add(POLICY_scheduler, &own, &diagnostic));
	for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
		const uint32_t *values = schedule_read_fields(&arena, &own, rows[k].settings, &diagnostic);

		assert_int_equal(values[0], rows[k].group);
		assert_int_equal(values[1], rows[k].step);
		values = schedule_read_fields(&arena, scheduler("two-level"), rows[k].settings, &diagnostic);
		assert_int_equal(values[0], rows[k].two_level);
	}
	for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
		const char *const settings[] = {bad[k].setting, NULL};

		diagnostic = (struct diagnostic){0};
		assert_true(schedule_owns(bad[k].setting));
		assert_null(schedule_read_fields(&arena, scheduler("lrr"), settings, &diagnostic));
		assert_string_equal(diagnostic.message, bad[k].message);
	}
	assert_false(schedule_owns("two=1"));
	assert_false(schedule_owns("lrr.group=1")); /* it has no fields */
	assert_false(schedule_owns("tw.group=1"));
}

/* Of warps that have nothing left, as those that spin, the one that stood still longest: since its start, but for the
 * cycles in which it issued. */
static void cawa_counts_stalls_without_issues(void **state)
{
	(void)state;
	const struct warp_scheduler *cawa = scheduler("cawa");
	static const struct {
		uint64_t started[2];
		uint32_t issues[2]; /* of each */
		uint64_t now;
		int expected;
	} rows[] = {{{0, 0}, {3, 1}, 20, 1}, {{0, 0}, {1, 3}, 20, 0}, {{0, 0}, {2, 2}, 20, 1}, {{0, 5}, {7, 1}, 20, 1},
		{{0, 5}, {5, 1}, 20, 0}, {{5, 0}, {1, 5}, 20, 1}, {{0, 0}, {19, 20}, 20, 0}, {{0, 0}, {8, 9}, 5, 1}};
	for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
		void *memory = calloc(1, cawa->state_size);
		uint64_t arrived[64] = {8, 7, 9};
		struct issue_view view = {.arrived = arrived, .slots = 3};
		for (int w = 0; w < 2; w++) {
			cawa->begin(memory, w, 1, rows[k].started[w]);
			view.ready = 1ull << w;
			for (uint32_t n = 0; n < rows[k].issues[w]; n++)
				assert_int_equal(cawa->pick(memory, &view), w);
		}
		cawa->begin(memory, 2, 1, 0);
		view.ready = 4; /* nobody of the two is held on to */
		assert_int_equal(cawa->pick(memory, &view), 2);
		view.ready = 3;
		view.now = rows[k].now;
		assert_int_equal(cawa->pick(memory, &view), rows[k].expected);
		free(memory);
	}
}

/* A branch may jump over more than is left, where a loop came again more often than it was counted: nothing is left
 * then. */
static void cawa_jumps_over_all_that_is_left(void **state)
{
	(void)state;
	const struct warp_scheduler *cawa = scheduler("cawa");
	void *memory = calloc(1, cawa->state_size);
	uint64_t arrived[64] = {1, 2};
	struct issue_view view = {.ready = 3, .now = 10, .arrived = arrived, .slots = 2};
	cawa->begin(memory, 0, 10, 0);
	cawa->begin(memory, 1, 10, 0);
	cawa->branch(memory, 0, &(struct branch_outcome){.pc = 0, .target = 21, .taken = true});
	assert_int_equal(cawa->pick(memory, &view), 1); /* 0 has but its stall of 10; 1 has 10 * 10 + 10 */
	free(memory);
}

/* Back from 5 to 3: 3, 4 and the branch itself are executed again. */
static void cawa_counts_the_branch_of_a_loop(void **state)
{
	(void)state;
	const struct warp_scheduler *cawa = scheduler("cawa");
	void *memory = calloc(1, cawa->state_size);
	uint64_t arrived[64] = {2, 1}; /* of two alike 1 is picked */
	struct issue_view view = {.ready = 3, .now = 10, .arrived = arrived, .slots = 2};
	cawa->begin(memory, 0, 10, 0);
	cawa->begin(memory, 1, 12, 0);
	cawa->branch(memory, 0, &(struct branch_outcome){.pc = 5, .target = 3, .taken = true});
	assert_int_equal(cawa->pick(memory, &view), 0); /* 13 are left of it, 12 of the other */
	free(memory);
}

static void every_pick_is_ready(void **state)
{
	(void)state;
	for (size_t i = 0; scheduler_at(i) && !policy_is_added(POLICY_scheduler, scheduler_at(i)); i++) {
		const struct warp_scheduler *s = scheduler_at(i);
		uint64_t arrived[64], *memory = calloc(1, s->state_size + 8), random = 1, waiting[LONG_WAITS] = {0};
		for (uint64_t w = 0; w < 64; w++)
			arrived[w] = (w * 37) % 64;
		if (s->start)
			s->start(memory, 5, defaults(s));
		for (uint64_t now = 0; now < 20000; now++) {
			random = random * 6364136223846793005u + 1442695040888963407u;
			struct issue_view view = {.ready = random | 1ull << (now % 64),
				.now = now,
				.arrived = arrived,
				.rotation = 7,
				.slots = 64,
				.waiting = waiting};
			int warp = s->pick(memory, &view);
			assert_true(warp >= 0 && warp < 64 && view.ready >> warp & 1);
			if (s->retire && now % 5 == 0)
				s->retire(memory, warp);
		}
		free(memory);
	}
}

/* Of a plug-in: first of the two is set twice, the second not. */
static void fields_of_its_own(void **state)
{
	(void)state;
	static const struct schedule_field fields[] = {{"size", "warps", "of a group", 8, 1, 64},
		{"patience", "cycles", "before it changes", 100, 0, 1000}, {0}};
	static struct warp_scheduler own = {.name = "own", .summary = "with fields", .fields = fields};
	const struct warp_scheduler *lrr = scheduler("lrr");
	static const struct {
		const char *setting, *error;
	} bad[] = {
		{"own.size=0", "'own.size' is '0', expected 1 to 64 warps"},
		{"own.size=x", "'own.size' is 'x', expected 1 to 64 warps"},
		{"own.size", "bad setting 'own.size', expected KEY=VALUE"},
		{"own.sizes=4", "scheduler 'own' has no field 'sizes', did you mean 'size'?"},
		{"own.zzzzzzzzzzzz=4", "scheduler 'own' has no field 'zzzzzzzzzzzz'; it has size, patience"},
	};
	struct diagnostic diagnostic = {0};
	own.pick = lrr->pick;
	assert_true(policy_add(POLICY_scheduler, &own, &diagnostic));
	const char *const settings[] = {"own.size=4", "core.count=3", "own.size=16", NULL};
	assert_true(schedule_owns(settings[0]));
	assert_false(schedule_owns(settings[1]));
	assert_false(schedule_owns("own=3"));
	assert_false(schedule_owns("gto.size=3"));
	const uint32_t *values = schedule_read_fields(&arena, &own, settings, &diagnostic);
	assert_int_equal(values[0], 16);
	assert_int_equal(values[1], 100);
	assert_non_null(schedule_read_fields(&arena, lrr, settings, &diagnostic)); /* another is chosen: no harm */
	for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
		struct diagnostic refused = {0};
		const char *const one[] = {bad[k].setting, NULL};
		assert_null(schedule_read_fields(&arena, lrr, one, &refused));
		assert_string_equal(refused.message, bad[k].error);
	}
}

static int free_arena(void **state)
{
	(void)state;
	arena_free(&arena);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lrr_goes_round),
		cmocka_unit_test(greedy_stays_then_takes_the_oldest),
		cmocka_unit_test(gto_rotates),
		cmocka_unit_test(gto_leads_pass_with_the_leader),
		cmocka_unit_test(gto_hold_outlasts_a_finished_leader),
		cmocka_unit_test(gto_may_rotate_plainly),
		cmocka_unit_test(gto_leader_may_wait),
		cmocka_unit_test(rotation_ends_starvation),
		cmocka_unit_test(random_is_fair_and_seeded),
		cmocka_unit_test(cawa_prefers_who_has_most_to_do),
		cmocka_unit_test(two_level_keeps_a_group_first),
		cmocka_unit_test(two_level_groups_of_any_size),
		cmocka_unit_test(fields_are_of_the_scheduler_that_is_named),
		cmocka_unit_test(cawa_jumps_over_all_that_is_left),
		cmocka_unit_test(cawa_counts_stalls_without_issues),
		cmocka_unit_test(cawa_counts_the_branch_of_a_loop),
		cmocka_unit_test(every_pick_is_ready),
		cmocka_unit_test(fields_of_its_own),
	};
	return cmocka_run_group_tests(tests, NULL, free_arena);
}
