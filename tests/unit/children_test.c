/* What kernels launch on the GPU: how deep a grid may be that waits, whose the handles of streams and events are, and
 * what a stream that waits for an event waits for. */
#include "machine/gpu/children.h"
#include "machine/state/gpu.h"
#include "machine/state/launch.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

/* One core, and one of the kernels that run together, is left to each depth below, and the deepest needs some, too. */
static void how_deep_a_grid_may_wait(void **state)
{
	static const struct {
		uint32_t depth, cores, kernels, waiting; /* depths at which grids may wait */
	} rows[] = {
		{24, 80, 128, 24},
		{2, 80, 128, 2},
		{0, 80, 128, 0},
		{24, 16, 128, 15}, /* 15 cores, of which none has all, and one for the last */
		{24, 80, 16, 15},
		{16, 16, 16, 15},
		{15, 16, 16, 15},
		{24, 2, 128, 1},
		{24, 1, 128, 0},
		{24, 80, 1, 0},
	};

	(void)state;
	for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
		struct gpu_model model = {.core_count = rows[k].cores, .concurrent_kernels = rows[k].kernels};
		const struct gpu gpu = {.model = &model, .device.depth = rows[k].depth};

		for (uint32_t depth = 0; depth < 30; depth++)
			assert_int_equal(children_may_wait(&gpu, depth), depth < rows[k].waiting);
	}
}

static void handles(void **state)
{
	struct launch launch = {.total_groups = 3};
	struct child_block *blocks[3] = {NULL};
	struct family family = {.launch = &launch, .blocks = blocks}, other = family;
	uint64_t stream[2], event[2];

	(void)state;
	for (uint32_t k = 0; k < 2; k++) {
		stream[k] = children_new_stream(&family);
		event[k] = children_new_event(&family);
	}
	assert_ptr_equal(children_stream(&family, 0, stream[0]) + 1, children_stream(&family, 2, stream[1]));
	assert_ptr_equal(children_event(&family, event[0]) + 1, children_event(&family, event[1]));
	assert_null(children_stream(&family, 0, stream[1] + 1));
	assert_null(children_stream(&family, 0, stream[0] - 1));
	assert_null(children_event(&family, event[1] + 1));
	assert_null(children_event(&family, stream[0])); /* a handle is of a stream, or of an event */
	assert_null(children_stream(&family, 0, event[0]));
	assert_null(children_stream(&other, 0, stream[0])); /* and of one launch */
	assert_null(children_event(&other, event[0]));
	children_stream(&family, 0, stream[0])->open = false;
	children_event(&family, event[1])->open = false;
	assert_null(children_stream(&family, 0, stream[0]));
	assert_non_null(children_stream(&family, 0, stream[1]));
	assert_null(children_event(&family, event[1]));
	assert_non_null(children_event(&family, event[0]));
	/* the streams that have no handle of their own are one for each work-group: null, legacy, per thread */
	for (uint32_t number = 0; number < 3; number++) {
		struct child_stream *own = children_stream(&family, number, 0);

		assert_true(own->open);
		assert_ptr_equal(children_stream(&family, number, 1), own);
		assert_ptr_equal(children_stream(&family, number, 2), own);
		for (uint32_t before = 0; before < number; before++)
			assert_ptr_not_equal(children_stream(&family, before, 0), own);
	}
	arena_free(&launch.arena);
}

/* What comes next in the stream waits for what was in it and for the event, as far as these have not ended. */
static void waits_for_events(void **state)
{
	static const struct {
		bool recorded_ended, last, last_ended;
		uint32_t waits;
	} rows[] = {
		{false, true, false, 2},
		{true, true, false, 1},
		{false, true, true, 1},
		{true, true, true, 0},
		{false, false, false, 1},
		{true, false, false, 0},
	};
	struct gpu gpu = {0};
	struct machine machine = {.gpu = &gpu};

	(void)state;
	for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
		struct launch launch = {.machine = &machine, .total_groups = 1};
		struct family family = {.launch = &launch};
		struct child recorded = {.family = &family, .done = rows[k].recorded_ended};
		struct child last = {.family = &family, .done = rows[k].last_ended};
		struct child_stream stream = {.open = true, .last = rows[k].last ? &last : NULL};
		struct child_event event = {.open = true, .recorded = &recorded};
		const struct child *next;

		launch.family = &family;
		children_wait(&family, &stream, &event);
		next = stream.last;
		assert_true(next && next != &last && next != &recorded);
		assert_int_equal(next->waits, rows[k].waits);
		assert_int_equal(next->done, !rows[k].waits);
		assert_false(next->is_grid);
		assert_int_equal(recorded.then.count, !rows[k].recorded_ended);
		assert_int_equal(last.then.count, rows[k].last && !rows[k].last_ended);
		event.recorded = NULL; /* nothing is waited for */
		children_wait(&family, &stream, &event);
		assert_ptr_equal(stream.last, next);
		arena_free(&launch.arena);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(how_deep_a_grid_may_wait),
		cmocka_unit_test(handles),
		cmocka_unit_test(waits_for_events),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
