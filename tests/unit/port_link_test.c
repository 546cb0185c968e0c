/* Cores that share a way to the slices (crossbar.cores): whose packets wait for whose. */
#include "machine/core/port.h"
#include "machine/state/machine.h"

#include "memory_model.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define CORES 4 /* two and two share a way */

static struct arena arena;
static struct gpu_model model;
static struct machine machine;
static struct core cores[CORES];
static struct port_link links[CORES];

static int begin(void **state)
{
	(void)state;
	model = memory_model();
	model.core_count = CORES;
	model.crossbar_cores = 2;
	model.crossbar_jitter = model.crossbar_spread = model.crossbar_atomics_pass = 0;
	machine = (struct machine){
		.model = &model, .map = address_map_of(&model), .cores = {.at = cores, .count = CORES, .links = links}};
	for (uint32_t k = 0; k < CORES; k++) {
		cores[k] = (struct core){.machine = &machine, .index = k};
		links[k] = (struct port_link){0};
		port_create(&cores[k], &arena);
		cores[k].outbox = outbox_create(&arena, CORES, model.slices);
	}
	return 0;
}

static int end(void **state)
{
	(void)state;
	arena_free(&arena);
	return 0;
}

/* The cycle in which a store of so many flits begins to leave, that a core sends at `now`. */
static uint64_t leaves(uint32_t core, uint64_t now, uint32_t flits)
{
	struct message *m = outbox_write(cores[core].outbox, 0);
	uint32_t bytes = flits * model.crossbar_flit - model.crossbar_header;

	assert_int_equal(port_flits(&model, bytes), flits);
	cores[core].now = now;
	m->payload_bytes = 0;
	port_post(&cores[core], m, MESSAGE_STORE, GLOBAL_BASE, bytes, 0);
	return m->time - model.crossbar_request_latency - (flits - 1);
}

static void a_way_is_taken_by_one_at_a_time(void **state)
{
	(void)state;
	assert_int_equal(leaves(0, 100, 4), 100);
	assert_int_equal(leaves(2, 100, 4), 100); /* has another way */
	assert_int_equal(leaves(1, 100, 2), 104);
	assert_int_equal(leaves(0, 101, 1), 106);
	assert_int_equal(leaves(1, 200, 3), 200);
	assert_int_equal(leaves(0, 202, 1), 203);
	assert_int_equal(leaves(3, 202, 1), 202);
	assert_int_equal(port_free(&cores[0], false), 204);
	assert_int_equal(port_free(&cores[1], false), 204); /* as the way is */
	assert_int_equal(port_free(&cores[2], false), 203);
}

/* A core that is not ready to send before 150 sends then; the way is booked from now on, so another core waits for as
 * many cycles as that will need, and no longer. */
static void what_a_core_has_yet_to_finish_keeps_no_other(void **state)
{
	(void)state;
	cores[0].lsu.port_free = 150;
	assert_int_equal(leaves(0, 100, 4), 150);
	assert_int_equal(cores[0].lsu.port_free, 154);
	assert_int_equal(leaves(1, 100, 2), 104);
	assert_int_equal(leaves(1, 100, 2), 106);
	assert_int_equal(leaves(0, 110, 4), 154);
	assert_int_equal(leaves(1, 110, 1), 114);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_way_is_taken_by_one_at_a_time, begin, end),
		cmocka_unit_test_setup_teardown(what_a_core_has_yet_to_finish_keeps_no_other, begin, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
