/* What the host has enqueued behind what is stuck (lockstep_queue): all of it is copied, and forgotten in time. */
#include "api/api.h"

static uint32_t freed;

static void free_counted(struct started *started)
{
	freed++;
	api_free_started(started);
}

#define api_free_started free_counted
#include "api/queued.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#undef api_free_started

static const char ptx[] =
	".version 6.3\n.target sm_70\n.address_size 64\n.visible .entry k(.param .u32 a)\n{\n\tret;\n}\n";

static struct lockstep_error error;
static struct lockstep *gpu;
static struct lockstep_launch launch;
static const uint32_t argument = 77;
static uint8_t contents[65537];

static int open_gpu(void **state)
{
	(void)state;
	gpu = lockstep_open(
		&(struct lockstep_options){.size = sizeof(struct lockstep_options), .gpu = "gtx480"}, &error);
	launch = (struct lockstep_launch){.size = sizeof(struct lockstep_launch),
		.module = lockstep_load(gpu, "k.ptx", ptx, &error),
		.kernel = "k",
		.grid = {2, 1, 1},
		.block = {32, 1, 1},
		.parameters = &argument,
		.parameter_bytes = sizeof argument};
	return !launch.module;
}

static int close_gpu(void **state)
{
	(void)state;
	lockstep_close(gpu);
	return 0;
}

/* Contents are kept of up to 64 KiB; a kernel that cannot be launched has no launch. */
static void all_is_copied(void **state)
{
	char what[] = "kernel k", where[] = "behind it";
	struct lockstep_launch bad = launch;
	(void)state;
	bad.block[0] = 0;
	contents[65535] = 9;
	struct lockstep_queued queued[] = {{.launch = &launch, .what = what, .where = where},
		{.launch = &bad, .what = what, .where = where},
		{.address = 3, .bytes = 65536, .contents = contents, .what = what, .where = where},
		{.address = 4, .bytes = 65537, .contents = contents, .what = what, .where = where}};
	lockstep_queue(gpu, queued, 4);
	memset(what, 'x', 3);
	memset(where, 'x', 3);
	memset(queued, 0xff, sizeof queued);
	contents[65535] = 0;
	assert_int_equal(gpu->gpu.host.queued_count, 4);
	for (uint32_t k = 0; k < 4; k++) {
		assert_string_equal(gpu->gpu.host.queued[k].what, "kernel k");
		assert_string_equal(gpu->gpu.host.queued[k].where, "behind it");
		assert_int_equal(gpu->gpu.host.queued[k].is_kernel, k < 2);
	}
	const struct queued_work *work = gpu->gpu.host.queued;
	assert_string_equal(work[0].launch->kernel->entry->name, "k");
	assert_memory_equal(work[0].launch->values.parameters, &argument, sizeof argument);
	assert_null(work[0].launch->owner); /* it gets no result */
	assert_null(work[1].launch);
	assert_int_equal(work[2].address, 3);
	assert_int_equal(work[2].bytes, 65536);
	assert_non_null(work[2].contents);
	assert_int_equal(work[2].contents[65535], 9);
	assert_int_equal(work[3].address, 4);
	assert_null(work[3].contents);
}

static void assert_nothing_is_queued(void)
{
	assert_int_equal(gpu->gpu.host.queued_count, 0);
	assert_null(gpu->gpu.host.queued);
	assert_null(gpu->queued.head);
}

/* By the next list, also by an empty one, and by giving up what is stuck. */
static void it_is_forgotten(void **state)
{
	const struct lockstep_queued one = {.launch = &launch, .what = "one", .where = ""},
				     two[] = {{.what = "two", .where = ""}, one}, both[] = {one, one};
	(void)state;
	lockstep_queue(gpu, &one, 1);
	lockstep_queue(gpu, two, 2);
	assert_int_equal(gpu->gpu.host.queued_count, 2);
	assert_string_equal(gpu->gpu.host.queued[0].what, "two");
	freed = 0;
	lockstep_queue(gpu, NULL, 0);
	assert_nothing_is_queued();
	assert_int_equal(freed, 1); /* of the copy nothing */
	lockstep_queue(gpu, both, 2);
	lockstep_queue(gpu, &one, 1);
	assert_int_equal(freed, 3);
	lockstep_give_up(gpu);
	assert_nothing_is_queued();
	assert_non_null(lockstep_run(gpu, &launch, &error)); /* what was only queued is no launch of its own */
	assert_null(lockstep_finish(gpu));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(all_is_copied, open_gpu, close_gpu),
		cmocka_unit_test_setup_teardown(it_is_forgotten, open_gpu, close_gpu),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
