/* Playing litmus tests: what a launch draws, by the comments of launch.c and kernel.h; and that the kernel does what
 * the test's instructions say, where only one end is possible. */
#include "litmus/launch.c"
#include "litmus/model.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

static struct arena arena;
static struct diagnostic diagnostic;

static int finish(void **state)
{
	(void)state;
	arena_free(&arena);
	return 0;
}

static struct litmus_test *read_test(const char *text)
{
	diagnostic = (struct diagnostic){0};
	struct litmus_test *test = litmus_read(&arena, "a.litmus", text, &diagnostic);

	assert_string_equal(diagnostic.message, "");
	return test;
}

/* ---- The kernel ---- */

#if LOCKSTEP_HOSTILE
/* Sanitizers are slow. */
#define LAUNCHES 2
#define SEEDS 100
#else
#define LAUNCHES 4
#define SEEDS 400
#endif

/* In all instances of a few launches, all variables have these values; by the model, too, unless it has too many ways
 * to go. */
static void check(const char *text, const int32_t *values, uint32_t count, bool model)
{
	static const char *const gpus[] = {"v100", "radeon-r9"}; /* 32 lanes and 64 */
	struct litmus_test *test = read_test(text);

	assert_int_equal(test->variables.count, count);
	for (uint64_t seed = 0; seed < LAUNCHES; seed++) {
		struct litmus_outcomes outcomes = {.variables = count};
		struct lockstep_options setup = {.size = sizeof setup, .gpu = gpus[seed % 2]};
		uint64_t runs = 0;

		assert_true(litmus_launch(&arena, test, &setup, seed, &outcomes, &runs, &diagnostic));
		assert_int_equal(outcomes.list.count, 1);
		assert_int_equal(outcomes.list.at[0].count, runs);
		for (uint32_t k = 0; k < count; k++)
			if (outcomes.list.at[0].values[k] != values[k])
				fail_msg("variable %u: %d, expected %d", k, outcomes.list.at[0].values[k], values[k]);
		if (seed || !model)
			continue;
		outcomes.list.count = 0;
		struct litmus_bound bound;
		assert_true(litmus_model(&arena, test, &outcomes, &bound, &diagnostic));
		assert_int_equal(outcomes.list.count, 1);
		assert_memory_equal(outcomes.list.at[0].values, values, count * sizeof *values);
	}
}
#define CHECK(text, model, ...)                                                                                        \
	check(text, (const int32_t[]){__VA_ARGS__}, sizeof(const int32_t[]){__VA_ARGS__} / sizeof(int32_t), model)

/* The old value of each, and x in the end.  min and max are signed. */
static void atomics_are_done(void **state)
{
	(void)state;
	CHECK("PTX a\n{ x=12; P0:r9=7; }\nP0@cta 0,gpu 0;\n"
	      "atom.relaxed.gpu.add r0, x, 3;\natom.relaxed.cta.sub r1, x, 5;\natom.acquire.gpu.and r2, x, 6;\n"
	      "atom.release.sys.or r3, x, 9;\natom.acq_rel.gpu.xor r4, x, 5;\natom.relaxed.gpu.min r5, x, -3;\n"
	      "atom.relaxed.gpu.max r6, x, 4;\natom.relaxed.gpu.exch r7, x, 100;\natom.relaxed.gpu.cas r8, x, 100, "
	      "50;\n"
	      "atom.relaxed.gpu.cas r10, x, 100, 60;\nred.relaxed.gpu.add x, -1;\natom.relaxed.gpu.sub r11, x, r9;\n"
	      "red.release.gpu.sub x, 2;\nexists x=40",
		false, 12, 15, 10, 2, 11, 14, -3, 4, 100, 50, 49, 40);
	CHECK("PTX b\n{ x=6; y=6; z=6; }\nP0@cta 0,gpu 0;\n"
	      "red.relaxed.gpu.and x, 12;\nred.relaxed.gpu.or y, 9;\nred.relaxed.gpu.xor z, 3;\n"
	      "red.relaxed.gpu.min x, -1;\nred.relaxed.gpu.max y, 20;\n"
	      "ld.relaxed.gpu r0, x;\nld.volatile r1, y;\nld.acquire.sys r2, z;\nexists x=0",
		true, -1, 20, 5, -1);
}

static void registers_are_computed(void **state)
{
	(void)state;
	CHECK("PTX a\n{ x=0; P0:r9=-2147483648; }\nP0@cta 0,gpu 0;\n"
	      "mov r0, 5;\nadd r1, r0, 3;\nsub r2, r0, 9;\nmul r3, r2, r1;\nand r4, r3, 255;\nor r5, r4, 3;\n"
	      "xor r6, r5, r1;\nmin r7, r2, r0;\nmax r8, r2, r0;\nsub r10, r9, 1;\nadd r10, r10, r10;\n"
	      "fence.sc.cta;\nfence.acq_rel.gpu;\nmembar.gl;\nmembar.sys;\nst.weak x, r3;\n"
	      "locations [P0:r1; P0:r2; P0:r3; P0:r4; P0:r5; P0:r6; P0:r7; P0:r8; P0:r10;]\nexists x=0",
		true, 8, -4, -32, 224, 227, 235, -4, 5, -2, -32);
}

/* r1 gets a bit where a branch is not taken. */
static void branches_are_taken(void **state)
{
	(void)state;
	CHECK("PTX a\n{ x=0; P0:r0=-1; }\nP0@cta 0,gpu 0;\n"
	      "beq r0, -1, LC0;\nadd r1, r1, 1;\nLC0:;\n"
	      "bne r0, -1, LC1;\nadd r1, r1, 2;\n"
	      "LC1:;\n"
	      "blt r0, 1, LC2;\nadd r1, r1, 4;\nLC2:;\n"
	      "ble r0, -1, LC3;\nadd r1, r1, 8;\n"
	      "LC3:;\n"
	      "bgt r0, 1, LC4;\nadd r1, r1, 16;\nLC4:;\n"
	      "bge r0, -1, LC5;\nadd r1, r1, 32;\n"
	      "LC5:;\n"
	      "blt r0, -1, LC6;\nadd r1, r1, 64;\nLC6:;\n"
	      "ble r0, -2, LC7;\nadd r1, r1, 128;\n"
	      "LC7:;\n"
	      "bgt r0, -2, LC8;\nadd r1, r1, 256;\nLC8:;\n"
	      "bge r0, 0, LC9;\nadd r1, r1, 512;\n"
	      "LC9:;\n"
	      "beq r0, 1, LC10;\nadd r1, r1, 1024;\nLC10:;\n"
	      "bne r0, 1, LC11;\nadd r1, r1, 2048;\nLC11:;\n"
	      "exists P0:r1=0",
		false, 2 + 16 + 64 + 128 + 512 + 1024);
	CHECK("PTX b\n{ x=0; }\nP0@cta 0,gpu 0;\ngoto LC0;\nst.weak x, 1;\nLC0:;\nexists x=0", true, 0);
}

/* Each thread has registers and an instance of its own; what is stored before a barrier is there behind it. */
static void threads_are_told_apart(void **state)
{
	(void)state;
	CHECK("PTX a\n{ x=1; y=2; z=3; w=4; P0:r0=10; P1:r0=20; P2:r0=30; P3:r0=40; }\n"
	      "P0@cta 5,gpu 0 | P1@cta 5,gpu 0 | P2@cta 7,gpu 0 | P3@cta 5,gpu 1;\n"
	      "ld.weak r1, x | ld.weak r1, y | ld.weak r1, z | ld.weak r1, w;\n"
	      "add r1, r1, r0 | add r1, r1, r0 | add r1, r1, r0 | add r1, r1, r0;\n"
	      "st.weak x, r1 | st.weak y, r1 | st.weak z, r1 | st.weak w, r1;\nexists (x=0 /\\ y=0 /\\ z=0 /\\ w=0)",
		true, 11, 22, 33, 44, 11, 22, 33, 44);
	CHECK("PTX b\n{ x=0; y=0; }\nP0@cta 0,gpu 0 | P1@cta 0,gpu 0 | P2@cta 1,gpu 0;\n"
	      "st.weak x, 1 | bar.cta.sync 3 | ;\nbar.cta.sync 3 | ld.weak r0, x | ;\n"
	      "bar.cta.sync 3 | st.weak y, 2 | ;\nld.weak r0, y | bar.cta.sync 3 | ;\n"
	      "bar.cta.sync 3 | bar.cta.sync 3 | ;\nld.weak r1, y | ld.weak r1, x | ;\nexists x=0",
		true, 2, 2, 1, 1, 1);
	/* A CTA has fewer threads than another: they wait for each other alone. */
	CHECK("PTX c\n{ x=0; y=0; }\nP0@cta 0,gpu 0 | P1@cta 0,gpu 0 | P2@cta 1,gpu 0 | P3@cta 1,gpu 0 | P4@cta 1,gpu "
	      "0;\n"
	      "st.weak x, 1 | bar.cta.sync 1 | | bar.cta.sync 0 | st.weak y, 3;\n"
	      "bar.cta.sync 1 | ld.weak r0, x | bar.cta.sync 0 | ld.weak r0, y | bar.cta.sync 0;\nexists P1:r0=0",
		true, 1, 3);
}

static void groups_are_the_ctas(void **state)
{
	struct litmus_test *test = read_test(
		"PTX a\n{ x=0; }\nP0@cta 5,gpu 0 | P1@cta 5,gpu 0 | P2@cta 7,gpu 0 | P3@cta 5,gpu 1 | P4@cta 7,gpu 0 | "
		"P5@cta 5,gpu 0;\n;exists x=0");
	struct litmus_places p = litmus_places(test, 64);
	static const uint32_t cta[] = {0, 0, 1, 2, 1, 0}, warp[] = {0, 1, 0, 0, 1, 2}, sizes[] = {3, 2, 1};

	(void)state;
	assert_int_equal(p.lanes, 64);
	assert_int_equal(p.ctas, 3);
	assert_int_equal(p.warps, 3);
	assert_true(p.several_gpus);
	assert_memory_equal(p.cta, cta, sizeof cta);
	assert_memory_equal(p.warp, warp, sizeof warp);
	assert_memory_equal(p.sizes, sizes, sizeof sizes);
	test->threads.at[3].gpu = 0;
	p = litmus_places(test, 32);
	assert_int_equal(p.ctas, 2);
	assert_false(p.several_gpus);
}

/* ---- What is drawn ---- */

/* Of 3 CTAs of 2 threads, with 2 locations that begin with 7 and -8; P1:r0 is its only register. */
static const char two_by_three[] =
	"PTX a\n{ x=7; y=-8; }\nP0@cta 0,gpu 0 | P1@cta 0,gpu 0 | P2@cta 1,gpu 0 | P3@cta 1,gpu 0 | P4@cta 2,gpu 0 | "
	"P5@cta 2,gpu 0;\n | ld.weak r0, x;\nexists (x=0 /\\ y=0)";

static struct launch launch_of(const struct litmus_test *test, const struct lockstep_options *setup, uint64_t seed)
{
	struct launch l = {.arena = &arena, .test = test, .diagnostic = &diagnostic, .random = seed};

	l.gpu = open_gpu(&l, setup);
	assert_non_null(l.gpu);
	l.places = litmus_places(test, (uint32_t)lockstep_field(l.gpu, "core.warp_size").number);
	assert_true(load(&l));
	return l;
}

static const void *table(const struct launch *l, uint64_t address, size_t bytes)
{
	const void *at = lockstep_map(l->gpu, address, bytes);

	assert_non_null(at);
	assert_null(lockstep_map(l->gpu, address, bytes + 1)); /* and no more */
	return at;
}

static const char *name_in(const struct lockstep *gpu, const char *path, double *number)
{
	struct lockstep_field field;

	for (size_t k = 0; lockstep_configuration(gpu, k, &field); k++)
		if (!strcmp(field.path, path)) {
			*number = (double)field.number;
			return field.text ? field.text : "";
		}
	fail_msg("no field %s", path);
	return NULL;
}

/* Every scheduler and spread of the lists is drawn, each by itself; what the user sets is said last. */
static void gpus_differ(void **state)
{
	static const char *const schedulers[] = {"lrr", "gto", "random", "gto-strict"};
	static const double spreads[] = {0, 100, 600, 3000};
	uint32_t seen[4][4] = {0}, in_order = 0;
	double spread, jitter;

	(void)state;
	for (uint64_t seed = 0; seed < SEEDS; seed++) {
		struct launch l = {.arena = &arena, .diagnostic = &diagnostic, .random = seed * 7919};
		struct lockstep_options setup = {.size = sizeof setup, .gpu = "v100"};
		uint32_t s = 0, p = 0;

		l.gpu = open_gpu(&l, &setup);
		assert_non_null(l.gpu);
		assert_int_equal((uint32_t)lockstep_field(l.gpu, "core.warp_size").number, 32);
		const char *name = name_in(l.gpu, "policy.scheduler", &jitter);
		name_in(l.gpu, "crossbar.spread", &spread);
		name_in(l.gpu, "crossbar.jitter", &jitter);
		while (strcmp(schedulers[s], name))
			s++;
		while (spreads[p] != spread)
			p++;
		seen[s][p]++;
		in_order += jitter == 0;
		lockstep_close(l.gpu);
	}
	for (uint32_t k = 0; k < 16; k++) /* as many of each */
		assert_in_range(seen[k / 4][k % 4], SEEDS / 50, SEEDS / 8);
	assert_in_range(in_order, SEEDS / 8, SEEDS * 3 / 8); /* a fourth */

	struct launch l = {.arena = &arena, .diagnostic = &diagnostic, .random = 1};
	static const char *const own[] = {"policy.scheduler=two-level", "crossbar.spread=5", NULL};
	struct lockstep_options setup = {.size = sizeof setup, .gpu = "radeon-r9", .settings = own};
	l.gpu = open_gpu(&l, &setup);
	assert_string_equal(name_in(l.gpu, "policy.scheduler", &spread), "two-level");
	name_in(l.gpu, "crossbar.spread", &spread);
	assert_true(spread == 5);
	assert_int_equal(lockstep_field(l.gpu, "core.warp_size").number, 64);
	lockstep_close(l.gpu);
}

/* As many teams as fit in half of the room, 16 at most, and one at least; up to 16 groups with traffic beside. */
static void teams_fit_the_gpu(void **state)
{
	static const struct {
		const char *cores, *groups;
		uint32_t room, teams, traffic; /* traffic: at most */
	} rows[] = {{"core.count=15", "core.groups=8", 120, 16, 16}, {"core.count=15", "core.groups=4", 60, 10, 16},
		{"core.count=12", "core.groups=1", 12, 2, 6}, {"core.count=5", "core.groups=1", 5, 1, 2},
		{"core.count=3", "core.groups=1", 3, 1, 0}, {"core.count=2", "core.groups=1", 2, 0, 0}};
	struct litmus_test *test = read_test(two_by_three);

	(void)state;
	for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
		const char *settings[] = {rows[k].cores, rows[k].groups, NULL};
		struct lockstep_options setup = {.size = sizeof setup, .gpu = "gtx480", .settings = settings};
		struct launch l = launch_of(test, &setup, 1);
		uint32_t most = 0, least = UINT32_MAX;

		for (uint32_t n = 0; n < 200 && rows[k].teams; n++) {
			assert_true(count_teams(&l));
			assert_int_equal(l.teams, rows[k].teams);
			assert_int_equal(l.instances, rows[k].teams * 32);
			most = l.traffic_groups > most ? l.traffic_groups : most;
			least = l.traffic_groups < least ? l.traffic_groups : least;
		}
		if (rows[k].teams) {
			assert_int_equal(most, rows[k].traffic);
			assert_int_equal(least, 0);
		} else {
			assert_false(count_teams(&l));
			assert_string_equal(diagnostic.message,
				"a.litmus: the GPU has room for 2 work-groups at a time, expected at least the test's "
				"3 CTAs");
		}
		lockstep_close(l.gpu);
	}
}

static void look_at_roles(const struct launch *l, bool *in_order)
{
	uint32_t players = l->teams * 3, groups = players + l->traffic_groups, sorted = 0;
	const uint32_t *roles = table(l, l->parameters.roles, groups * sizeof *roles);
	bool seen[64] = {false};

	for (uint32_t k = 0; k < groups; k++) {
		sorted += roles[k] == k;
		if (roles[k] == LITMUS_TRAFFIC)
			continue;
		assert_true(roles[k] < players);
		assert_false(seen[roles[k]]);
		seen[roles[k]] = true;
	}
	for (uint32_t k = 0; k < players; k++)
		assert_true(seen[k]);
	*in_order = sorted == players;
}

/* Lanes of one copy of the code draw alike, those of others differ. */
static void look_at_draws(const struct launch *l, uint32_t *warm_seen, uint32_t *gap_seen, uint32_t *most)
{
	static const uint32_t gaps[] = {15, 63, 255, 1023};
	uint32_t groups = l->teams * 3 + l->traffic_groups;
	const struct litmus_draw *draws = table(l, l->parameters.draws, groups * 64 * sizeof *draws);

	for (uint32_t k = 0; k < groups * 64; k++) {
		uint32_t lane = k % 32, gap = 0;

		if (l->roles[k / 64] == LITMUS_TRAFFIC)
			continue;
		assert_memory_equal(&draws[k], &draws[k - lane + lane % l->copies], sizeof *draws);
		assert_true(draws[k].warm < 4);
		while (gaps[gap] != draws[k].gap)
			gap++;
		warm_seen[draws[k].warm]++;
		gap_seen[gap]++;
		*most = draws[k].delay > *most ? draws[k].delay : *most;
	}
}

/* The stride, and whether the places are in the order of instances.  No two locations share bytes. */
static uint32_t look_at_locations(const struct launch *l, bool *in_order)
{
	uint32_t count = l->instances * 2, sorted = 0, stride = UINT32_MAX, last = 0;
	const uint32_t *offsets = table(l, l->parameters.offsets, (count + 1) * sizeof *offsets);

	for (uint32_t k = 0; k < count; k++) {
		stride = offsets[k] && offsets[k] < stride ? offsets[k] : stride;
		last = offsets[k] > last ? offsets[k] : last;
	}
	assert_int_equal(last, (count - 1) * stride);
	bool *used = arena_new_array(&arena, bool, count);
	const char *memory = table(l, l->parameters.memory, (size_t)count * stride + 4);
	for (uint32_t k = 0; k < count; k++) {
		int32_t value;

		assert_int_equal(offsets[k] % stride, 0);
		assert_false(used[offsets[k] / stride]);
		used[offsets[k] / stride] = true;
		memcpy(&value, memory + offsets[k], sizeof value);
		assert_int_equal(value, k % 2 ? -8 : 7);
		sorted += offsets[k] == k * stride;
	}
	*in_order = sorted == count;
	return stride;
}

static void tables_have_what_a_launch_needs(void **state)
{
	static const uint32_t strides[] = {4, 32, 36, 128, 544};
	struct litmus_test *test = read_test(two_by_three);
	struct lockstep_options setup = {.size = sizeof setup, .gpu = "gtx480"};
	struct launch l = launch_of(test, &setup, 5);
	uint32_t stride_seen[5] = {0}, in_order_seen = 0, roles_in_order = 0;
	uint32_t warm_seen[4] = {0}, gap_seen[4] = {0}, delay_most = 0, rounds_most = 0, rounds_least = UINT32_MAX;

	(void)state;
	for (uint32_t n = 0; n < SEEDS; n++) {
		bool in_order;
		uint32_t s = 0, stride;

		assert_true(count_teams(&l));
		assert_true(make_tables(&l));
		look_at_roles(&l, &in_order);
		roles_in_order += in_order;
		look_at_draws(&l, warm_seen, gap_seen, &delay_most);
		stride = look_at_locations(&l, &in_order);
		in_order_seen += in_order;
		while (strides[s] != stride)
			s++;
		stride_seen[s]++;
		rounds_most = l.parameters.rounds > rounds_most ? l.parameters.rounds : rounds_most;
		rounds_least = l.parameters.rounds < rounds_least ? l.parameters.rounds : rounds_least;
		table(&l, l.parameters.results, l.instances * 4 * sizeof(int32_t));
		for (const uint64_t *at = &l.parameters.roles; at <= &l.parameters.traffic; at++)
			lockstep_free(l.gpu, *at);
	}
	lockstep_close(l.gpu);
	for (uint32_t k = 1; k < 4; k++) { /* as many of each */
		assert_in_range(warm_seen[k], warm_seen[0] / 2, warm_seen[0] * 2);
		assert_in_range(gap_seen[k], gap_seen[0] / 2, gap_seen[0] * 2);
	}
	assert_in_range(delay_most, 900, 1023);
	for (uint32_t k = 0; k < 5; k++)
		assert_in_range(stride_seen[k], SEEDS * 3 / 40, SEEDS * 13 / 40);
	assert_in_range(in_order_seen, SEEDS / 8, SEEDS * 3 / 8); /* a fourth */
	assert_true(roles_in_order < SEEDS / 20);
	assert_int_equal(rounds_least, 1);
	assert_int_equal(rounds_most, 32);
}

/* A launch that does not end is an error, with what was found. */
static void a_launch_must_end(void **state)
{
	struct lockstep_options setup = {.size = sizeof setup, .gpu = "v100", .max_cycles = 100};
	struct litmus_outcomes outcomes = {.variables = 3};
	uint64_t runs = 0;

	(void)state;
	assert_false(litmus_launch(&arena, read_test(two_by_three), &setup, 1, &outcomes, &runs, &diagnostic));
	assert_string_equal(diagnostic.message, "a.litmus: the launch did not come to its end: a limit was reached");
	assert_int_equal(runs, 0);
	assert_int_equal(outcomes.list.count, 0);
}

/* No work-group of two warps does. */
static void a_test_must_fit_the_gpu(void **state)
{
	static const char *const settings[] = {"core.group_threads=32", NULL};
	struct lockstep_options setup = {.size = sizeof setup, .gpu = "v100", .settings = settings};
	struct litmus_outcomes outcomes = {.variables = 3};
	uint64_t runs = 0;

	(void)state;
	assert_false(litmus_launch(&arena, read_test(two_by_three), &setup, 1, &outcomes, &runs, &diagnostic));
	assert_string_equal(diagnostic.message,
		"a.litmus: the GPU has room for 0 work-groups at a time, expected at least the test's 3 CTAs");
}

/* However many settings there are, all are in effect, and none that nobody gave. */
static void settings_are_those_given(void **state)
{
	static const char *settings[24];
	struct litmus_test *test = read_test(two_by_three);

	(void)state;
	for (uint32_t count = 0; count + 1 < sizeof settings / sizeof *settings; count++) {
		struct lockstep_options setup = {.size = sizeof setup, .gpu = "gtx480", .settings = settings};
		struct launch l = launch_of(test, &setup, count);

		assert_string_equal(diagnostic.message, "");
		lockstep_close(l.gpu);
		settings[count] = "core.count=3";
	}
}

/* Whole launches, as many as it takes; the number of threads changes nothing. */
static void launches_are_played(void **state)
{
	struct lockstep_options setup = {.size = sizeof setup, .gpu = "v100", .seed = 3};
	struct litmus_play play = {.setup = &setup, .runs = 513};
	struct litmus_test *test = read_test(two_by_three);
	struct litmus_outcomes one = {0}, three = {0};
	uint64_t runs = 0, again = 0;

	(void)state;
	assert_true(litmus_play(&arena, test, &play, &one, &runs, &diagnostic));
	assert_int_equal(runs, 1024); /* 16 teams of 32 lanes */
	assert_int_equal(one.variables, 3);
	assert_int_equal(one.list.count, 1);
	assert_int_equal(one.list.at[0].count, 1024);
	assert_int_equal(one.list.at[0].values[0], 7);
	assert_int_equal(one.list.at[0].values[2], -8);
	play.jobs = 3;
	play.runs = 512;
	assert_true(litmus_play(&arena, test, &play, &three, &again, &diagnostic));
	assert_int_equal(again, 512);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(atomics_are_done),
		cmocka_unit_test(registers_are_computed),
		cmocka_unit_test(branches_are_taken),
		cmocka_unit_test(threads_are_told_apart),
		cmocka_unit_test(groups_are_the_ctas),
		cmocka_unit_test(gpus_differ),
		cmocka_unit_test(teams_fit_the_gpu),
		cmocka_unit_test(tables_have_what_a_launch_needs),
		cmocka_unit_test(a_launch_must_end),
		cmocka_unit_test(a_test_must_fit_the_gpu),
		cmocka_unit_test(settings_are_those_given),
		cmocka_unit_test(launches_are_played),
	};

	return cmocka_run_group_tests(tests, NULL, finish);
}
