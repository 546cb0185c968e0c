/* Clusters of work-groups: where a member is found, and which groups are of one cluster. */
#include "machine/core/cluster.h"
#include "machine/state/machine.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define CORES 3
#define PLACES 4

static struct machine machine;
static struct core cores[CORES];
static struct arena arenas[CORES];
static struct group groups[CORES][PLACES];

/* Each place of three cores has a group of its own number, of launch 5. */
static int begin(void **state)
{
	(void)state;
	machine = (struct machine){.cores = {.at = cores, .count = CORES, .arenas = arenas}};
	memset(cores, 0, sizeof cores);
	memset(groups, 0, sizeof groups);
	for (uint32_t c = 0; c < CORES; c++) {
		cores[c].machine = &machine;
		cores[c].index = c;
		cores[c].groups.at = groups[c];
		cores[c].groups.count = PLACES;
		for (uint32_t g = 0; g < PLACES; g++)
			groups[c][g] = (struct group){.used = true, .launch = 5, .number = 10 * c + g};
	}
	return 0;
}

static int end(void **state)
{
	(void)state;
	for (uint32_t c = 0; c < CORES; c++)
		arena_free(&arenas[c]);
	return 0;
}

/* Three groups, of which two share a core. */
static void members(void **state)
{
	static const uint32_t where[3][2] = {{1, 3}, {2, 0}, {1, 1}};
	struct core *on[3], *core;
	struct group *of[3];

	(void)state;
	for (uint32_t k = 0; k < 3; k++) {
		on[k] = &cores[where[k][0]];
		of[k] = &groups[where[k][0]][where[k][1]];
	}
	cluster_begin(&machine, on, of, 3);
	for (uint32_t k = 0; k < 3; k++) {
		assert_int_equal(of[k]->cluster->size, 3);
		assert_int_equal(of[k]->cluster->rank, k);
		for (uint32_t rank = 0; rank < 3; rank++) {
			assert_ptr_equal(cluster_group(&machine, of[k], rank, &core), of[rank]);
			assert_ptr_equal(core, on[rank]);
		}
	}
	of[2]->used = false; /* it has ended */
	assert_null(cluster_group(&machine, of[0], 2, &core));
	of[2]->used = true; /* and another group came to its place: of another number, of another launch, of both */
	of[2]->number++;
	assert_null(cluster_group(&machine, of[0], 2, &core));
	of[2]->launch++;
	assert_null(cluster_group(&machine, of[0], 2, &core));
	of[2]->number--;
	assert_null(cluster_group(&machine, of[0], 2, &core));
	assert_ptr_equal(cluster_group(&machine, of[0], 1, &core), of[1]);
}

/* What a group knew of its cluster is forgotten by the next one in its place. */
static void a_place_again(void **state)
{
	struct core *on[2] = {&cores[0], &cores[1]};
	struct group *of[2] = {&groups[0][0], &groups[1][2]};
	const struct group_cluster fresh = {.size = 2, .rank = 1};

	(void)state;
	cluster_begin(&machine, on, of, 2);
	memset(of[1]->cluster, 0xff, sizeof *of[1]->cluster);
	of[1]->number = 77;
	cluster_begin(&machine, on, of, 2);
	assert_int_equal(of[1]->cluster->members[1].number, 77);
	assert_int_equal(of[0]->cluster->members[1].number, 77);
	memset(of[1]->cluster->members, 0, sizeof of[1]->cluster->members);
	assert_int_equal(of[1]->cluster->size, fresh.size);
	assert_int_equal(of[1]->cluster->rank, fresh.rank);
	assert_memory_equal(&of[1]->cluster->phase, &fresh.phase, sizeof fresh - offsetof(struct group_cluster, phase));
}

static void groups_of_one_cluster(void **state)
{
	struct core *on[2] = {&cores[0], &cores[0]}, *other_on[2] = {&cores[1], &cores[2]};
	struct group *of[2] = {&groups[0][0], &groups[0][1]}, *other[2] = {&groups[1][0], &groups[2][0]};
	struct group *alone = &groups[0][3];

	(void)state;
	cluster_begin(&machine, on, of, 2);
	cluster_begin(&machine, other_on, other, 2);
	assert_true(cluster_is_same(of[0], of[1]) && cluster_is_same(of[1], of[0]));
	assert_true(cluster_is_same(other[0], other[1]));
	assert_false(cluster_is_same(of[0], other[0]) || cluster_is_same(other[1], of[1]));
	assert_true(cluster_is_same(alone, alone)); /* of no cluster */
	assert_false(cluster_is_same(alone, of[0]) || cluster_is_same(of[0], alone));
	assert_false(cluster_is_same(alone, &groups[0][2]));
	/* clusters of the same numbers, of two launches that run at the same time */
	other[0]->number = of[0]->number;
	other[1]->number = of[1]->number;
	other[0]->launch = other[1]->launch = 6;
	cluster_begin(&machine, other_on, other, 2);
	assert_true(cluster_is_same(other[0], other[1]));
	assert_false(cluster_is_same(of[0], other[0]) || cluster_is_same(of[0], other[1]));
}

/* A lane has come where the cluster's barrier counts it; a group without a cluster has no barrier. */
static void lanes_that_have_come(void **state)
{
	static struct warp_slot slots[2];
	struct core *on[1] = {&cores[0]};
	struct group *of[1] = {&groups[0][0]};

	(void)state;
	cores[0].slots = slots;
	slots[0].group = slots[1].group = of[0];
	assert_false(cluster_has_come(&cores[0], &slots[1], 3));
	cluster_begin(&machine, on, of, 1);
	of[0]->cluster->came[1] = 1u << 3;
	of[0]->cluster->passed[1] = 1u << 4;
	assert_true(cluster_has_come(&cores[0], &slots[1], 3));
	assert_false(cluster_has_come(&cores[0], &slots[1], 4));
	assert_false(cluster_has_come(&cores[0], &slots[0], 3));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(members, begin, end),
		cmocka_unit_test_setup_teardown(a_place_again, begin, end),
		cmocka_unit_test_setup_teardown(groups_of_one_cluster, begin, end),
		cmocka_unit_test_setup_teardown(lanes_that_have_come, begin, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
