/* The graph of states: which endless walks each progress model allows. */
#include "machine/progress/state_graph.h"
#include "policy/policy.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

struct row {
	uint64_t started, finished, can_run;
};

/* Nodes as in the rows, two groups. */
static struct state_graph make(struct arena *arena, const struct row *rows, uint32_t count)
{
	struct state_graph g = {.arena = arena, .groups = 2, .parts = 1, .warps = 1};
	for (uint32_t k = 0; k < count; k++) {
		const uint64_t print[2] = {k, 7};
		struct state_node node = {.started = rows[k].started,
			.finished = rows[k].finished,
			.can_run = rows[k].can_run,
			.depth = UINT32_MAX - 1};
		assert_int_equal(graph_node(&g, print, &node), k);
		assert_int_equal(graph_node(&g, print, &node), k);
	}
	g.nodes.at[0].depth = 0;
	return g;
}

/* One step of the actor leads from one node to the other. */
static void step(struct state_graph *g, uint32_t from, uint32_t actor, uint32_t to)
{
	graph_connect(g, from, actor, &(struct state_edge){.to = to, .count = 1});
}

static bool endless(const struct state_graph *g, const char *model, struct arena *arena, const char *schedule)
{
	struct diagnostic diagnostic = {0};
	struct schedule_list list;
	if (!graph_endless(g, dispatch_find(model, &diagnostic), arena, &list))
		return false;
	assert_string_equal(schedule_list_text(arena, &list), schedule);
	return true;
}

/* Group 0 spins until group 1, a single step, has run: 0 --0--> 1 --0--> 1, and by group 1's step to 2 and 3, where
 * group 0 finishes. */
static void a_wait_for_a_higher_group(void **state)
{
	(void)state;
	static const struct row rows[] = {{0, 0, 3}, {1, 0, 3}, {2, 2, 1}, {3, 2, 1}, {3, 3, 0}};
	struct arena arena = {0};
	struct state_graph g = make(&arena, rows, 5);
	assert_int_equal(g.unknown, 6);
	step(&g, 0, 0, 1);
	step(&g, 1, 0, 1);
	assert_int_equal(graph_unknown(&g, 1, 0), 1);
	step(&g, 0, 1, 2);
	step(&g, 1, 1, 3);
	step(&g, 2, 0, 4);
	assert_false(graph_can_finish(&g) && g.unknown == 0);
	step(&g, 3, 0, 4);
	assert_int_equal(g.unknown, 0);
	assert_true(graph_can_finish(&g));
	assert_false(endless(&g, "fair", &arena, ""));
	assert_true(endless(&g, "hsa", &arena, "0,(0)"));
	assert_true(endless(&g, "obe", &arena, "0,(0)"));
	assert_true(endless(&g, "hsa-obe", &arena, "0,(0)"));
	assert_true(endless(&g, "lobe", &arena, "0,(0)"));
	assert_true(endless(&g, "unfair", &arena, "0,(0)"));
	arena_free(&arena);
}

/* Two states that the groups' steps exchange: whoever is alone finishes. */
static void a_livelock(void **state)
{
	(void)state;
	static const struct row rows[] = {{3, 0, 3}, {3, 0, 3}, {3, 1, 2}, {3, 2, 1}, {3, 3, 0}};
	struct arena arena = {0};
	struct state_graph g = make(&arena, rows, 5);
	step(&g, 0, 0, 1);
	step(&g, 1, 1, 0);
	step(&g, 0, 1, 3);
	step(&g, 1, 0, 2);
	step(&g, 2, 1, 4);
	step(&g, 3, 0, 4);
	assert_true(endless(&g, "fair", &arena, "(0,1)"));
	arena_free(&arena);
}

/* A state in which nobody can run is the end of every schedule. */
static void a_standstill(void **state)
{
	(void)state;
	static const struct row rows[] = {{0, 0, 3}, {3, 0, 0}};
	struct arena arena = {0};
	struct state_graph g = make(&arena, rows, 2);
	step(&g, 0, 0, 1);
	step(&g, 0, 1, 1);
	assert_true(endless(&g, "fair", &arena, "0"));
	assert_false(graph_can_finish(&g));
	arena_free(&arena);
}

/* A group that waits within itself need not run, although it is guaranteed progress. */
static void a_group_that_cannot_run_is_guaranteed_nothing(void **state)
{
	(void)state;
	static const struct row rows[] = {{3, 0, 1}};
	struct arena arena = {0};
	struct state_graph g = make(&arena, rows, 1);
	step(&g, 0, 0, 0);
	assert_true(endless(&g, "fair", &arena, "(0)"));
	arena_free(&arena);
}

/* Nor one that can run now and then: it would end the kernel, from the second of two states. */
static void a_group_that_can_run_now_and_then_is_guaranteed_nothing(void **state)
{
	(void)state;
	static const struct row rows[] = {{3, 0, 1}, {3, 0, 3}, {3, 3, 0}};
	struct arena arena = {0};
	struct state_graph g = make(&arena, rows, 3);
	step(&g, 0, 0, 1);
	step(&g, 1, 0, 0);
	step(&g, 1, 1, 2);
	assert_true(endless(&g, "fair", &arena, "(0*2)"));
	arena_free(&arena);
}

/* Both groups spin in place: each that is guaranteed progress has a step in the round, of none the first. */
static void whose_steps_a_round_has(void **state)
{
	(void)state;
	static const struct {
		uint64_t started;
		const char *model, *schedule;
	} cases[] = {{3, "fair", "(0,1)"}, {0, "fair", "(0,1)"}, {3, "obe", "(0,1)"}, {2, "obe", "(1)"},
		{1, "obe", "(0)"}, {2, "hsa-obe", "(0,1)"}, {3, "hsa", "(0)"}, {2, "lobe", "(0,1)"}, {1, "lobe", "(0)"},
		{3, "unfair", "(0)"}};
	for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
		const struct row rows[] = {{cases[k].started, 0, 3}};
		struct arena arena = {0};
		struct state_graph g = make(&arena, rows, 1);
		step(&g, 0, 0, 0);
		step(&g, 0, 1, 0);
		assert_true(endless(&g, cases[k].model, &arena, cases[k].schedule));
		arena_free(&arena);
	}
}

/* Of as many groups as there may be two are left: the first spins until the last has run, which ends the kernel. */
static void the_last_of_many_groups(void **state)
{
	(void)state;
	for (uint32_t groups = 2; groups <= GRAPH_GROUPS; groups += groups < 62 ? 10 : 1) {
		const uint64_t last = 1ull << (groups - 1), all = last | (last - 1);
		const struct state_node nodes[] = {{.can_run = 1 | last, .started = all, .finished = all & ~(1 | last)},
			{.started = all, .finished = all, .depth = 1}};
		struct arena arena = {0};
		struct state_graph g = {.arena = &arena, .groups = groups, .parts = 1, .warps = 1};
		for (uint64_t k = 0; k < 2; k++)
			assert_int_equal(graph_node(&g, (const uint64_t[2]){k, 7}, &nodes[k]), k);
		step(&g, 0, 0, 0);
		step(&g, 0, groups - 1, 1);
		assert_false(endless(&g, "fair", &arena, ""));
		assert_false(endless(&g, "obe", &arena, ""));
		assert_false(endless(&g, "lobe", &arena, ""));
		assert_true(endless(&g, "hsa", &arena, "(0)"));
		assert_true(endless(&g, "unfair", &arena, "(0)"));
		assert_true(graph_can_finish(&g));
		arena_free(&arena);
	}
}

/* The way to a node becomes shorter when a shorter one is found. */
static void the_shortest_way(void **state)
{
	(void)state;
	static const struct row rows[] = {{0, 0, 3}, {1, 0, 3}, {3, 0, 3}};
	struct arena arena = {0};
	struct state_graph g = make(&arena, rows, 3);
	struct schedule_list list;
	step(&g, 0, 0, 1);
	step(&g, 1, 0, 2);
	graph_path(&g, 2, NULL, &arena, &list);
	assert_string_equal(schedule_list_text(&arena, &list), "0*2");
	graph_path(&g, 2, &(struct schedule_run){.group = 1, .count = 1}, &arena, &list);
	assert_string_equal(schedule_list_text(&arena, &list), "0*2,1");
	step(&g, 0, 1, 2);
	graph_path(&g, 2, NULL, &arena, &list);
	assert_string_equal(schedule_list_text(&arena, &list), "1");
	arena_free(&arena);
}

/* One group of two warps: warp 0 goes round, warp 1 would leave by a step that counts as three. */
static void warps_of_a_group(void **state)
{
	(void)state;
	static const struct row rows[] = {{1, 0, 3}, {1, 0, 1}, {1, 1, 0}};
	struct arena arena = {0};
	struct state_graph g = make(&arena, rows, 3);
	struct schedule_list list;
	g.groups = 1;
	g.parts = g.warps = 2;
	step(&g, 0, 0, 0);
	graph_connect(&g, 0, 1, &(struct state_edge){.to = 1, .count = 3});
	step(&g, 1, 0, 2);
	assert_false(endless(&g, "fair", &arena, ""));
	assert_false(endless(&g, "obe", &arena, ""));
	assert_true(endless(&g, "unfair", &arena, "(0.0)"));
	graph_path(&g, 2, NULL, &arena, &list);
	assert_string_equal(schedule_list_text(&arena, &list), "0.1*3,0.0");
	g.warps = g.copies = 1; /* the second is a copy, which ends under every model */
	assert_false(endless(&g, "unfair", &arena, ""));
	graph_path(&g, 1, &(struct schedule_run){.part = PART_COPY, .count = 2}, &arena, &list);
	assert_string_equal(schedule_list_text(&arena, &list), "0.c0*5");
	arena_free(&arena);
}

/* A warp polls by one path, and by the other one goes on; or comes back to the same state by both. */
static void paths_of_a_warp(void **state)
{
	(void)state;
	struct arena arena = {0};
	struct state_graph g = {.arena = &arena, .groups = 1, .parts = 2, .warps = 1, .paths = 1};
	for (uint64_t k = 0; k < 2; k++) {
		struct state_node node = {.can_run = 3, .started = 1, .depth = k ? UINT32_MAX - 1 : 0};
		graph_node(&g, (const uint64_t[2]){k, k}, &node);
		graph_lanes(&g, (uint32_t)k)[0] = 6;
	}
	assert_int_equal(graph_warp(&g, 1), 0);
	graph_connect(&g, 0, 0, &(struct state_edge){.to = 0, .count = 1});
	graph_ran(&g, 0, 0, 2);
	graph_connect(&g, 0, 1, &(struct state_edge){.to = 1, .count = 1});
	graph_ran(&g, 0, 1, 4);
	assert_false(endless(&g, "fair", &arena, "")); /* the other lane has to run, too */
	graph_connect(&g, 1, 0, &(struct state_edge){.to = 1, .count = 1});
	graph_ran(&g, 1, 0, 4);
	graph_connect(&g, 1, 1, &(struct state_edge){.to = 1, .count = 1});
	graph_ran(&g, 1, 1, 2);
	assert_true(endless(&g, "fair", &arena, "0.0/1,(0,0.0/1)"));
	arena_free(&arena);
}

/* Steps that are enough by themselves, as long as they do not lead round. */
static void one_actor_is_enough(void **state)
{
	(void)state;
	static const struct row rows[] = {{3, 0, 3}, {3, 0, 3}, {3, 0, 3}};
	struct arena arena = {0};
	struct state_graph g = make(&arena, rows, 3);
	step(&g, 0, 1, 1);
	step(&g, 1, 1, 2);
	assert_int_equal(g.unknown, 4);
	assert_int_equal(graph_unknown(&g, 2, 2), 1); /* the first of those that are asked for */
	assert_int_equal(graph_unknown(&g, 2, 4), 0);
	assert_true(graph_follow_one(&g, 0, 1));
	assert_int_equal(g.unknown, 3);
	assert_int_equal(graph_unknown(&g, 0, 0), GRAPH_NONE);
	assert_true(graph_follow_one(&g, 1, 1));
	step(&g, 2, 1, 0);
	assert_false(graph_follow_one(&g, 2, 1)); /* 0, 1, 2, 0 */
	assert_int_equal(graph_unknown(&g, 2, 0), 0);
	assert_int_equal(g.unknown, 1);
	arena_free(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(warps_of_a_group),
		cmocka_unit_test(paths_of_a_warp),
		cmocka_unit_test(one_actor_is_enough),
		cmocka_unit_test(a_wait_for_a_higher_group),
		cmocka_unit_test(a_livelock),
		cmocka_unit_test(a_standstill),
		cmocka_unit_test(a_group_that_cannot_run_is_guaranteed_nothing),
		cmocka_unit_test(a_group_that_can_run_now_and_then_is_guaranteed_nothing),
		cmocka_unit_test(whose_steps_a_round_has),
		cmocka_unit_test(the_last_of_many_groups),
		cmocka_unit_test(the_shortest_way),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
