/* Back-off: the queue, the pending delay, and the adaptive limit of paper 2, Figure 5, against values worked out by
 * hand; and that a policy hears of every instruction. */
#include "lockstep.h"
#include "policy/policy.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Table II, with the maximum of section VI-E. */
static const struct backoff_fields paper = {.queue = true,
	.limit = 1000,
	.window = 1000,
	.step = 250,
	.frac1 = 500,
	.frac2 = 800,
	.minimum = 1000,
	.maximum = 10000};

struct run {
	const struct backoff_policy *policy;
	void *state;
};

static struct run begin(const char *name, const struct backoff_fields *fields)
{
	struct diagnostic diagnostic = {0};
	struct run run = {.policy = backoff_find(name, &diagnostic)};
	assert_non_null(run.policy);
	run.state = calloc(1, run.policy->state_size);
	run.policy->start(run.state, fields);
	return run;
}

static void the_queue_is_behind_all_others(void **state)
{
	(void)state;
	static const char *const names[] = {"bows", "bows-adaptive"};
	for (size_t k = 0; k < 2; k++) {
		struct run r = begin(names[k], &paper);
		assert_int_equal(r.policy->choose(r.state, 0xf), 0xf);
		r.policy->spin(r.state, 2, true, 10);
		r.policy->spin(r.state, 0, true, 11);
		r.policy->spin(r.state, 3, false, 12); /* leaves the loop: not backed off */
		assert_int_equal(r.policy->choose(r.state, 0xf), 0xa);
		assert_int_equal(r.policy->choose(r.state, 0x5), 0x4); /* first come, first */
		assert_int_equal(r.policy->choose(r.state, 0x1), 0x1);
		assert_false(r.policy->issue(r.state, 1, 13));
		assert_true(r.policy->issue(r.state, 2, 14));
		assert_int_equal(r.policy->choose(r.state, 0x5), 0x4); /* as before it spun */
		assert_false(r.policy->issue(r.state, 2, 15));
		r.policy->spin(r.state, 2, true, 16);
		assert_int_equal(r.policy->choose(r.state, 0x5), 0x1); /* at the end now */
		r.policy->retire(r.state, 0);
		assert_int_equal(r.policy->choose(r.state, 0x5), 0x1); /* the slot's next warp */
		free(r.state);
	}
}

/* Without the queue a backed-off warp is one like others, but for its delay. */
static void there_may_be_no_queue(void **state)
{
	(void)state;
	static const char *const names[] = {"bows", "bows-adaptive"};
	struct backoff_fields fields = paper;
	fields.queue = false;
	for (size_t k = 0; k < 2; k++) {
		struct run r = begin(names[k], &fields);
		r.policy->spin(r.state, 2, true, 10);
		assert_int_equal(r.policy->choose(r.state, 0xf), 0xf);
		assert_true(r.policy->issue(r.state, 2, 14));
		assert_int_equal(r.policy->spin(r.state, 2, true, 16), 1014);
		free(r.state);
	}
}

/* Figure 4: no delay before the first; then a turn begins `limit` cycles after the last one at the earliest. */
static void turns_are_a_limit_apart(void **state)
{
	(void)state;
	struct run r = begin("bows", &paper);
	assert_true(r.policy->spin(r.state, 5, true, 100) <= 100);
	r.policy->issue(r.state, 5, 130); /* the pending delay begins */
	assert_int_equal(r.policy->spin(r.state, 5, true, 400), 1130);
	r.policy->issue(r.state, 5, 1200);
	assert_int_equal(r.policy->spin(r.state, 5, true, 3000), 2200); /* a long turn: it is over already */
	r.policy->retire(r.state, 5);
	assert_true(r.policy->spin(r.state, 5, true, 3001) <= 3001);
	assert_int_equal(r.policy->limit(r.state), 1000);
	free(r.state);
}

/* `total` instructions in the window from `start` on, of them `spins` spin-inducing branches. */
static void window(struct run *r, uint64_t start, uint32_t total, uint32_t spins)
{
	for (uint32_t k = 0; k < total; k++) {
		r->policy->issue(r->state, 1, start + k % 1000);
		if (k < spins)
			r->policy->spin(r->state, 1, false, start + k % 1000);
	}
}

/* The limit after a first instruction has closed the windows before `now`. */
static uint64_t limit_at(struct run *r, uint64_t now)
{
	r->policy->issue(r->state, 1, now);
	return r->policy->limit(r->state);
}

static void the_limit_follows_figure_5(void **state)
{
	(void)state;
	struct run r = begin("bows-adaptive", &paper);
	assert_int_equal(r.policy->limit(r.state), 1000);
	window(&r, 0, 100, 60);                           /* 60 > 0.5 * 100: + 250 */
	assert_int_equal(r.policy->limit(r.state), 1000); /* not before the window ends */
	assert_int_equal(limit_at(&r, 1000), 1250);
	window(&r, 1000, 99, 50); /* 100 with the one above; 50 is not more than half; 2 < 0.8 * 1.67 does not hold */
	assert_int_equal(limit_at(&r, 2000), 1250);
	window(&r, 2000, 99, 80); /* + 250; 1.25 < 0.8 * 2 = 1.6: - 500; 1000 is the minimum */
	assert_int_equal(limit_at(&r, 3000), 1000);
	for (uint64_t k = 3; k < 9; k++) { /* six windows of the same ratio: + 250 each */
		window(&r, 1000 * k, 99, 80);
		assert_int_equal(limit_at(&r, 1000 * k + 1000), 1000 + 250 * (k - 2));
	}
	window(&r, 9000, 99, 0); /* no branch: neither rule */
	assert_int_equal(limit_at(&r, 10000), 2500);
	window(&r, 10000, 99, 90); /* nor has the window before a ratio: + 250 only */
	assert_int_equal(limit_at(&r, 11000), 2750);
	assert_int_equal(limit_at(&r, 50000), 2750); /* windows in which nothing issued */
	window(&r, 50001, 9, 9);                     /* of the window that ends at 51000, after all those */
	assert_int_equal(limit_at(&r, 50999), 2750);
	assert_int_equal(limit_at(&r, 51000), 3000);
	free(r.state);
}

static void the_limit_shrinks_by_two_steps(void **state)
{
	(void)state;
	struct run r = begin("bows-adaptive", &paper);
	for (uint64_t k = 0; k < 40; k++) {
		window(&r, 1000 * k, k ? 99 : 100, 80);
		limit_at(&r, 1000 * k + 1000);
	}
	assert_int_equal(r.policy->limit(r.state), 10000); /* 1000 + 40 * 250, and no further */
	window(&r, 40000, 99, 80);
	assert_int_equal(limit_at(&r, 41000), 10000);
	window(&r, 41000, 99, 1);
	assert_int_equal(limit_at(&r, 42000), 10000); /* 100 is not less than 0.8 * 1.25 */
	window(&r, 42000, 99, 2);
	assert_int_equal(limit_at(&r, 43000), 9500); /* 50 < 0.8 * 100 */
	free(r.state);
}

/* A limit of 350 after a window of much spinning and one with a ratio of 10. */
static struct run at_ratio_10(const struct backoff_fields *fields)
{
	struct run r = begin("bows-adaptive", fields);
	window(&r, 0, 100, 80);
	assert_int_equal(limit_at(&r, 1000), 350);
	window(&r, 1000, 99, 10);
	return r;
}

/* The second rule: a ratio of exactly frac2 times the last is not less; and behind an empty window there is none to
 * compare with. */
static void ratios_are_of_neighbours_and_less(void **state)
{
	(void)state;
	struct backoff_fields fields = paper;
	fields.minimum = 100;
	struct run r = at_ratio_10(&fields);
	assert_int_equal(limit_at(&r, 2000), 350);
	window(&r, 2000, 79, 10);
	assert_int_equal(limit_at(&r, 3000), 350); /* 8 is 0.8 * 10 */
	window(&r, 3000, 62, 10);
	assert_int_equal(limit_at(&r, 4000), 100); /* 6.3 < 0.8 * 8: two steps down, to the minimum */
	free(r.state);
	r = at_ratio_10(&fields);
	assert_int_equal(limit_at(&r, 3000), 350); /* nothing has issued from 2000 on */
	window(&r, 3000, 49, 10);
	assert_int_equal(limit_at(&r, 4000), 350); /* 5 < 0.8 * 10, but that window is not the one before */
	free(r.state);
}

/* ---- In a machine ---- */

static uint64_t heard; /* issues, over all cores */

static void count_start(void *state, const struct backoff_fields *fields)
{
	(void)state, (void)fields;
}

static uint64_t count_spin(void *state, int warp, bool again, uint64_t now)
{
	(void)state, (void)warp, (void)again;
	return now;
}

static uint64_t count_choose(void *state, uint64_t can)
{
	(void)state;
	return can;
}

static bool count_issue(void *state, int warp, uint64_t now)
{
	(void)state, (void)warp, (void)now;
	heard++;
	return false;
}

static void count_retire(void *state, int warp)
{
	(void)state, (void)warp;
}

static uint64_t count_limit(const void *state)
{
	(void)state;
	return 0;
}

/* Never backs off. */
static const struct backoff_policy counting = {
	.name = "counting",
	.summary = "hears of instructions",
	.start = count_start,
	.spin = count_spin,
	.choose = count_choose,
	.issue = count_issue,
	.retire = count_retire,
	.limit = count_limit,
};

/* Ten turns of instructions of two units, none of which needs another's result. */
static const char pairs[] =
	".version 7.0\n.target sm_60\n.address_size 64\n"
	".visible .entry pairs() {\n"
	" .reg .b32 %r<4>; .reg .f32 %f<3>; .reg .pred %p;\n"
	" mov.u32 %r1, 0; mov.u32 %r2, 0; mov.u32 %r3, 0; mov.f32 %f1, 0f3f800000; mov.f32 %f2, %f1;\n"
	"again: add.u32 %r2, %r2, 3; sin.approx.f32 %f1, %f1;\n"
	" add.u32 %r3, %r3, 5; cos.approx.f32 %f2, %f2;\n"
	" add.u32 %r1, %r1, 1; setp.lt.u32 %p, %r1, 10; @%p bra again; ret;\n}\n";

static uint64_t counter(const struct lockstep_result *result, const char *name)
{
	for (size_t k = 0; k < result->counter_count; k++)
		if (!strcmp(result->counters[k].name, name))
			return result->counters[k].value;
	fail_msg("no counter %s", name);
	return 0;
}

static void every_instruction_is_told(void **state)
{
	(void)state;
	static const char *const models[] = {"gtx480", "gtx1080ti"}; /* one and two instructions of a warp in a cycle */
	struct diagnostic diagnostic = {0};
	assert_true(policy_add(POLICY_backoff, &counting, &diagnostic));
	for (size_t k = 0; k < 2; k++) {
		const char *settings[] = {"policy.spin=marked", "policy.backoff=counting", NULL};
		struct lockstep_options options = {
			.size = sizeof options, .gpu = models[k], .settings = settings, .mode = LOCKSTEP_TIMING};
		struct lockstep_error error;
		struct lockstep *gpu = lockstep_open(&options, &error);
		assert_non_null(gpu);
		struct lockstep_launch launch = {.size = sizeof launch,
			.module = lockstep_load(gpu, "pairs.ptx", pairs, &error),
			.kernel = "pairs",
			.grid = {2, 1, 1},
			.block = {128, 1, 1}};
		assert_non_null(launch.module);
		heard = 0;
		const struct lockstep_result *result = lockstep_run(gpu, &launch, &error);
		assert_non_null(result);
		uint64_t issued = counter(result, "smsp__inst_executed.sum");
		uint64_t cycles = counter(result, "smsp__issue_active.sum");
		assert_true(k ? issued > cycles : issued == cycles);
		assert_int_equal(heard, issued);
		lockstep_close(gpu);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_queue_is_behind_all_others),
		cmocka_unit_test(there_may_be_no_queue),
		cmocka_unit_test(turns_are_a_limit_apart),
		cmocka_unit_test(the_limit_follows_figure_5),
		cmocka_unit_test(the_limit_shrinks_by_two_steps),
		cmocka_unit_test(ratios_are_of_neighbours_and_less),
		cmocka_unit_test(every_instruction_is_told),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
