/* Which cause a verdict names, and whether that is confirmed, by what the runs with one thing changed have shown
 * (check/verdict.h).  The explanation and the runs are scripted here: each row says what came of each change. */
#include "check/verdict.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

enum came { STILL_HANGS, GOT_FURTHER, ENDED, UNTRIED, NO_TIME };
#define KINDS (CHANGE_GIVE_BACK + 1)

static struct {
	enum hang_cause cause;
	enum change_kind change, wish;
	bool stale;
	enum came came[KINDS];
	uint32_t tried[KINDS]; /* how often */
	uint32_t shown;        /* the test that was shown last */
} script;
static struct stale_read some_read;
static struct arena arena;

double again_clock(void)
{
	return 0;
}

/* One after another, and never more than there are. */
void again_show(const struct gpu *gpu, uint64_t cycles)
{
	assert_int_equal(cycles, 0);
	assert_int_equal(gpu->experiment.test, ++script.shown);
	assert_in_range(gpu->experiment.test, 1, gpu->experiment.tests);
}

struct counterfactual counterfactual_try(
	struct machine *m, const struct change *change, double seconds, struct arena *words)
{
	static const char *const names[] = {"still hangs", "got further", "ended", "untried", "no time"};
	enum came came = script.came[change->kind];

	(void)m;
	assert_true(seconds == 7);
	script.tried[change->kind]++;
	return (struct counterfactual){.verdict = came == STILL_HANGS ? COUNTERFACTUAL_CONTRADICTED
						  : came >= UNTRIED   ? COUNTERFACTUAL_UNTRIED
								      : COUNTERFACTUAL_WENT_ON,
		.completed = came == ENDED,
		.no_time = came == NO_TIME,
		.words = arena_printf(words, "%d %s", change->kind, names[came])};
}

bool firmware_hang_explain(struct machine *m, struct launch *launch, bool proved)
{
	(void)m, (void)launch, (void)proved;
	return false;
}

void hang_explain(struct machine *m, struct launch *launch, bool proved)
{
	struct finding_detail *d = arena_new(m->gpu->arena, struct finding_detail);

	*d = (struct finding_detail){.proved = proved,
		.change.kind = script.change,
		.wish.kind = script.wish,
		.what = "a thread waits",
		.remedy = cause_remedy(script.cause, false, false)};
	launch->result.finding.cause = cause_name(script.cause);
	launch->result.finding.detail = d;
}

void hang_begin_sentence(char *sentence)
{
	(void)sentence;
}

const struct stale_read *stale_next(const struct machine *m, const struct stale_read *previous)
{
	(void)m;
	return script.stale && !previous ? &some_read : NULL;
}

const struct stale_read *stale_first(const struct machine *m, const struct launch *launch)
{
	(void)m, (void)launch;
	return NULL;
}

const char *stale_words(struct machine *m, struct launch *launch, struct arena *words)
{
	(void)m, (void)launch, (void)words;
	return "a load was stale";
}

struct change queued_change(const struct machine *m, const struct change *word)
{
	(void)m, (void)word;
	return (struct change){.kind = CHANGE_QUEUED};
}

const char *queued_words(
	const struct machine *m, const struct change *change, uint32_t k, bool confirmed, struct arena *a)
{
	(void)m, (void)change, (void)k, (void)confirmed, (void)a;
	return "queued";
}

const char *queued_grid_words(const struct machine *m, const struct change *word, struct arena *a)
{
	(void)m, (void)word, (void)a;
	return NULL;
}

/* No warp is left to be looked at. */
bool thread_next_warp(const struct launch *launch, uint32_t *core, uint32_t *slot, struct thread *t)
{
	(void)launch, (void)core, (void)slot, (void)t;
	return false;
}

struct thread thread_at(struct core *core, struct warp_slot *r, uint32_t lane)
{
	return (struct thread){.core = core, .r = r, .lane = lane};
}

bool thread_is_parked(const struct thread *t)
{
	(void)t;
	return false;
}

bool wait_choose_lane(struct thread *t)
{
	(void)t;
	return false;
}

uint32_t waits_of(const struct thread *t, struct wait *waits, uint32_t most)
{
	(void)t, (void)waits, (void)most;
	return 0;
}

uint32_t waits_of_unsteady(const struct thread *t, struct wait *waits, uint32_t most)
{
	(void)t, (void)waits, (void)most;
	return 0;
}

struct change change_word(const struct thread *t, const struct wait *wait)
{
	(void)t, (void)wait;
	return (struct change){.kind = CHANGE_WORD};
}

/* The finding of a launch whose lanes are on a stack unless `independent`, of which groups are left to start or not. */
static const struct finding *give(bool independent, bool groups_left)
{
	static struct launch launch;
	static struct machine machine;
	static struct gpu gpu;

	arena_free(&arena);
	arena = (struct arena){0};
	memset(script.tried, 0, sizeof script.tried);
	script.shown = 0;
	gpu = (struct gpu){.arena = &arena, .explain_seconds = 7};
	launch = (struct launch){.total_groups = 4, .dispatch.next_group = groups_left ? 3 : 4};
	machine = (struct machine){.gpu = &gpu, .independent = independent};
	machine.launches.first = &launch;
	verdict_give(&machine, &launch, true);
	return &launch.result.finding;
}

/* The own change that removes the cause: of a root it is tried first, of a symptom when no rival ends the launch. */
static void the_most_effective_change_names_the_cause(void **state)
{
	static const struct {
		enum hang_cause cause;
		enum change_kind change;
		enum came own, fresh, resident, independent;
		enum hang_cause named;
		bool confirmed, own_tried;
	} rows[] = {
		/* a root: alone, beside rivals of less and of more effect, and of the same */
		{CAUSE_LOST_RELEASE, CHANGE_RELEASE, ENDED, STILL_HANGS, STILL_HANGS, STILL_HANGS, CAUSE_LOST_RELEASE,
			true, true},
		{CAUSE_LOST_RELEASE, CHANGE_RELEASE, GOT_FURTHER, STILL_HANGS, STILL_HANGS, STILL_HANGS,
			CAUSE_LOST_RELEASE, true, true},
		{CAUSE_LOST_RELEASE, CHANGE_RELEASE, GOT_FURTHER, GOT_FURTHER, STILL_HANGS, STILL_HANGS,
			CAUSE_LOST_RELEASE, true, true}, /* at a moment it is surer than from the start */
		{CAUSE_LOST_RELEASE, CHANGE_RELEASE, GOT_FURTHER, ENDED, STILL_HANGS, STILL_HANGS, CAUSE_STALE_CACHE,
			true, true},
		{CAUSE_LOST_RELEASE, CHANGE_RELEASE, ENDED, ENDED, STILL_HANGS, STILL_HANGS, CAUSE_LOST_RELEASE, false,
			true},
		{CAUSE_LOST_RELEASE, CHANGE_RELEASE, STILL_HANGS, STILL_HANGS, ENDED, STILL_HANGS, CAUSE_OCCUPANCY,
			true, true},
		{CAUSE_LOST_RELEASE, CHANGE_RELEASE, STILL_HANGS, GOT_FURTHER, ENDED, STILL_HANGS, CAUSE_OCCUPANCY,
			true, true},
		{CAUSE_LOST_RELEASE, CHANGE_RELEASE, STILL_HANGS, ENDED, GOT_FURTHER, STILL_HANGS, CAUSE_STALE_CACHE,
			true, true},
		{CAUSE_LOST_RELEASE, CHANGE_RELEASE, STILL_HANGS, ENDED, ENDED, STILL_HANGS, CAUSE_STALE_CACHE, false,
			true},
		{CAUSE_LOST_RELEASE, CHANGE_RELEASE, STILL_HANGS, STILL_HANGS, STILL_HANGS, ENDED, CAUSE_UNKNOWN, false,
			true}, /* lanes are no rival of a root, where none is parked */
		{CAUSE_LOST_RELEASE, CHANGE_RELEASE, UNTRIED, STILL_HANGS, STILL_HANGS, STILL_HANGS, CAUSE_LOST_RELEASE,
			false, true},
		{CAUSE_LOST_RELEASE, CHANGE_RELEASE, ENDED, NO_TIME, STILL_HANGS, STILL_HANGS, CAUSE_LOST_RELEASE,
			false, true},
		{CAUSE_LOST_RELEASE, CHANGE_RELEASE, ENDED, UNTRIED, STILL_HANGS, STILL_HANGS, CAUSE_LOST_RELEASE, true,
			true},
		/* the rivals' own changes are not tried twice */
		{CAUSE_OCCUPANCY, CHANGE_RESIDENT, STILL_HANGS, STILL_HANGS, ENDED, STILL_HANGS, CAUSE_OCCUPANCY, true,
			true},
		/* a symptom */
		{CAUSE_ENDLESS_LOOP, CHANGE_END, ENDED, STILL_HANGS, STILL_HANGS, STILL_HANGS, CAUSE_ENDLESS_LOOP, true,
			true},
		{CAUSE_ENDLESS_LOOP, CHANGE_END, ENDED, GOT_FURTHER, STILL_HANGS, STILL_HANGS, CAUSE_ENDLESS_LOOP, true,
			true},
		{CAUSE_ENDLESS_LOOP, CHANGE_END, GOT_FURTHER, GOT_FURTHER, GOT_FURTHER, STILL_HANGS, CAUSE_ENDLESS_LOOP,
			true, true},
		{CAUSE_ENDLESS_LOOP, CHANGE_END, STILL_HANGS, GOT_FURTHER, STILL_HANGS, STILL_HANGS, CAUSE_STALE_CACHE,
			true, true},
		{CAUSE_ENDLESS_LOOP, CHANGE_END, ENDED, ENDED, STILL_HANGS, STILL_HANGS, CAUSE_STALE_CACHE, true,
			false},
		{CAUSE_ENDLESS_LOOP, CHANGE_END, ENDED, STILL_HANGS, STILL_HANGS, ENDED, CAUSE_SIMT, true, false},
		{CAUSE_ENDLESS_LOOP, CHANGE_END, ENDED, STILL_HANGS, ENDED, ENDED, CAUSE_OCCUPANCY, false, false},
		{CAUSE_ENDLESS_LOOP, CHANGE_END, STILL_HANGS, STILL_HANGS, STILL_HANGS, STILL_HANGS, CAUSE_UNKNOWN,
			false, true},
		{CAUSE_BARRIER, CHANGE_GIVE_BACK, ENDED, STILL_HANGS, STILL_HANGS, ENDED, CAUSE_BARRIER, true, true},
	};

	(void)state;
	for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
		const struct finding *f;
		bool is_own_rival = rows[k].change == CHANGE_RESIDENT;

		script.cause = rows[k].cause;
		script.change = rows[k].change;
		script.wish = CHANGE_NONE;
		script.stale = true;
		memset(script.came, 0, sizeof script.came);
		script.came[rows[k].change] = rows[k].own;
		script.came[CHANGE_FRESH] = rows[k].fresh;
		script.came[CHANGE_RESIDENT] = rows[k].resident;
		script.came[CHANGE_INDEPENDENT] = rows[k].independent;
		f = give(false, true);
		if (strcmp(f->cause, cause_name(rows[k].named)) || f->detail->confirmed != rows[k].confirmed)
			fail_msg("row %zu: %s, %d", k, f->cause, f->detail->confirmed);
		assert_int_equal(script.tried[rows[k].change], rows[k].own_tried);
		assert_int_equal(script.tried[CHANGE_FRESH], 1);
		assert_int_equal(script.tried[CHANGE_RESIDENT], 1);
		assert_int_equal(script.tried[CHANGE_INDEPENDENT], rows[k].cause == CAUSE_ENDLESS_LOOP);
		assert_false(f->detail->would_go_on);
		assert_int_equal(!f->detail->remedy, rows[k].named == CAUSE_UNKNOWN);
		/* what was tried beside is told, but for what could not be tried and the cause that is named */
		assert_int_equal(f->detail->rival_count,
			2u - is_own_rival + (rows[k].cause == CAUSE_ENDLESS_LOOP) - (rows[k].fresh >= UNTRIED) -
				(rows[k].named != rows[k].cause && rows[k].named != CAUSE_UNKNOWN));
		assert_int_equal(!strncmp(f->detail->checked, "Confirmed: ", 11), rows[k].confirmed);
	}
}

/* Rivals are those that may hide behind the cause. */
static void rivals_are_tried_where_they_may_be(void **state)
{
	(void)state;
	for (uint32_t k = 0; k < 8; k++) {
		bool independent = k & 1, left = k & 2;

		script.cause = CAUSE_ENDLESS_LOOP;
		script.change = CHANGE_END;
		script.stale = k & 4;
		memset(script.came, 0, sizeof script.came);
		script.came[CHANGE_END] = ENDED;
		give(independent, left);
		assert_int_equal(script.tried[CHANGE_FRESH], script.stale);
		assert_int_equal(script.tried[CHANGE_RESIDENT], left);
		assert_int_equal(script.tried[CHANGE_INDEPENDENT], !independent);
	}
}

/* What gives the waiting thread its word confirms nothing, and is tried when nothing else has helped. */
static void what_is_wished_for_confirms_nothing(void **state)
{
	static const struct {
		enum hang_cause cause;
		enum change_kind change, wish;
		enum came own, wished, fresh;
		enum hang_cause named;
		bool would_go_on;
		uint32_t wishes; /* tried */
	} rows[] = {
		{CAUSE_MISSING_SIGNAL, CHANGE_WORD, CHANGE_NONE, ENDED, ENDED, STILL_HANGS, CAUSE_MISSING_SIGNAL, true,
			1},
		{CAUSE_MISSING_SIGNAL, CHANGE_WORD, CHANGE_NONE, STILL_HANGS, STILL_HANGS, STILL_HANGS, CAUSE_UNKNOWN,
			false, 1},
		{CAUSE_MISSING_SIGNAL, CHANGE_WORD, CHANGE_NONE, ENDED, ENDED, ENDED, CAUSE_STALE_CACHE, false, 0},
		{CAUSE_LOST_RELEASE, CHANGE_RELEASE, CHANGE_WORD, STILL_HANGS, ENDED, STILL_HANGS, CAUSE_LOST_RELEASE,
			true, 1},
		{CAUSE_LOST_RELEASE, CHANGE_RELEASE, CHANGE_WORD, ENDED, ENDED, STILL_HANGS, CAUSE_LOST_RELEASE, false,
			0},
	};

	(void)state;
	for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
		const struct finding *f;

		script.cause = rows[k].cause;
		script.change = rows[k].change;
		script.wish = rows[k].wish;
		script.stale = true;
		memset(script.came, 0, sizeof script.came);
		script.came[CHANGE_WORD] = rows[k].wished;
		script.came[rows[k].change] = rows[k].own;
		script.came[CHANGE_FRESH] = rows[k].fresh;
		f = give(true, false);
		assert_string_equal(f->cause, cause_name(rows[k].named));
		assert_int_equal(f->detail->would_go_on, rows[k].would_go_on);
		assert_int_equal(script.tried[CHANGE_WORD], rows[k].wishes);
		assert_int_equal(f->detail->confirmed, !rows[k].would_go_on && rows[k].named != CAUSE_UNKNOWN);
		assert_int_equal(
			!!strstr(f->detail->checked, "but that shows what is missing, not why"), rows[k].would_go_on);
	}
}

static int end(void **state)
{
	(void)state;
	arena_free(&arena);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_most_effective_change_names_the_cause),
		cmocka_unit_test(rivals_are_tried_where_they_may_be),
		cmocka_unit_test(what_is_wished_for_confirms_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, end);
}
