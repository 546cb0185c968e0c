/* The timeline's phases and spans, and when they are handed on. */
#include "machine/core/observer.h"
#include "machine/observe/timeline.h"
#include "machine/state/gpu.h"
#include "machine/state/machine.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static struct arena arena;
static struct timeline_event seen[32];
static uint32_t seen_count;
static struct core cores[3];
static struct warp_slot residents[6];
static struct group groups[2];
static struct path path;
static struct gpu gpu;
static const struct machine_mode clocked;
static struct machine machine;

static void note(void *context, const struct timeline_event *event)
{
	(void)context;
	seen[seen_count++] = *event;
}

static struct timeline_sink sink = {.event = note};

extern const struct observer observer_timeline;

static void *state_of(uint32_t core)
{
	return observer_state(&cores[core], OBSERVER_timeline);
}

/* Three cores; no group has been on the first; two schedulers on the others. */
static int make(void **state)
{
	(void)state;
	memset(cores, 0, sizeof cores);
	memset(residents, 0, sizeof residents);
	for (uint32_t k = 0; k < 6; k++) {
		residents[k].group = &groups[0];
		residents[k].warp.path = &path;
	}
	groups[0].number = 70;
	groups[1].number = 71;
	for (uint32_t c = 1; c < 3; c++) {
		cores[c].index = c;
		cores[c].issue.schedulers = 2;
		cores[c].slots = residents;
		cores[c].attached.observers = 1u << OBSERVER_timeline;
		cores[c].attached.state[OBSERVER_timeline] = arena_alloc(&arena, observer_timeline.state_size);
		*(struct arena **)state_of(c) = &arena; /* observer.has_arena */
	}
	gpu = (struct gpu){.observe = {[OBSERVER_timeline] = &sink}};
	machine = (struct machine){.gpu = &gpu, .mode = &clocked, .cores.at = cores, .cores.count = 3};
	seen_count = 0;
	return 0;
}

static int drop(void **state)
{
	(void)state;
	arena_free(&arena);
	return 0;
}

static void issue(uint32_t core, uint32_t slot, uint64_t at)
{
	cores[core].now = at;
	observer_timeline.before(&cores[core], state_of(core), &residents[slot], NULL, 0);
}

static void expect(uint32_t k, uint32_t core, uint32_t scheduler, uint32_t slot, uint32_t group, uint64_t start,
	uint64_t end, uint64_t count)
{
	assert_int_equal(seen[k].kind, TIMELINE_ISSUE);
	assert_int_equal(seen[k].core, core);
	assert_int_equal(seen[k].lane, scheduler);
	assert_int_equal(seen[k].warp, slot);
	assert_int_equal(seen[k].group, group);
	assert_int_equal(seen[k].start, start);
	assert_int_equal(seen[k].end, end);
	assert_int_equal(seen[k].detail, count);
}

/* A phase goes on over 16 cycles without an issue, and not over 17; nor to another warp or to another group's warp in
 * the same slot. */
static void phases(void **state)
{
	(void)state;
	issue(1, 2, 100);
	issue(1, 2, 101);
	issue(1, 2, 117);
	issue(1, 3, 117); /* of the other scheduler */
	issue(1, 2, 134);
	issue(1, 4, 135);
	residents[4].group = &groups[1];
	issue(1, 4, 136);
	observer_timeline.flush(&machine, false);
	assert_int_equal(seen_count, 3);
	expect(0, 1, 0, 2, 70, 100, 118, 3);
	expect(1, 1, 0, 2, 70, 134, 135, 1);
	expect(2, 1, 0, 4, 70, 135, 136, 1);
	issue(2, 1, 140);
	issue(1, 3, 130);
	seen_count = 0;
	observer_timeline.flush(&machine, true);
	assert_int_equal(seen_count, 3);
	expect(0, 1, 0, 4, 71, 136, 137, 1);
	expect(1, 1, 1, 3, 70, 117, 131, 2);
	expect(2, 2, 1, 1, 70, 140, 141, 1);
	seen_count = 0;
	observer_timeline.flush(&machine, true);
	assert_int_equal(seen_count, 0);
}

/* A span of no cycle is none; one of a single cycle is. */
static void spans(void **state)
{
	(void)state;
	cores[2].now = 50;
	observer_timeline.on.released(&cores[2], state_of(2), &residents[5], 1, 50);
	observer_timeline.on.lock_given_back(&cores[2], state_of(2), &residents[5], 0x1234, 49);
	observer_timeline.flush(&machine, false);
	assert_int_equal(seen_count, 1);
	assert_int_equal(seen[0].kind, TIMELINE_LOCK_HELD);
	assert_int_equal(seen[0].core, 2);
	assert_int_equal(seen[0].lane, 5);
	assert_int_equal(seen[0].warp, 5);
	assert_int_equal(seen[0].group, 70);
	assert_int_equal(seen[0].start, 49);
	assert_int_equal(seen[0].end, 50);
	assert_int_equal(seen[0].detail, 0x1234);
}

/* Without a sink nothing is handed on, and nothing lost. */
static void no_sink(void **state)
{
	(void)state;
	issue(1, 0, 5);
	gpu.observe[OBSERVER_timeline] = NULL;
	observer_timeline.flush(&machine, true);
	assert_int_equal(seen_count, 0);
	gpu.observe[OBSERVER_timeline] = &sink;
	observer_timeline.flush(&machine, true);
	assert_int_equal(seen_count, 1);
	expect(0, 1, 0, 0, 70, 5, 6, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(phases, make, drop),
		cmocka_unit_test_setup_teardown(spans, make, drop),
		cmocka_unit_test_setup_teardown(no_sink, make, drop),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
