/* Running points as child processes: once each, with a limit of time, and what is kept of what they print. */
#include "experiment_harness.h"

#include "experiment/end.h"
#include "experiment/run.h"

/* The words of a point are: lockstep run --report json --output FILE ... */
static struct run_outcome run_with(struct folder *f, const char *lockstep, double time_limit, struct points *points)
{
	struct diagnostic diagnostic = {0};
	struct run_outcome outcome;
	struct sigaction file_limit = {.sa_handler = SIG_DFL};
	write_program(f, "lockstep", lockstep);
	*points = points_of(f);
	assert_true(run_points(points,
		&(struct run_options){
			.folder = f->path, .jobs = 2, .time_limit = time_limit, .file_limit = &file_limit},
		&outcome, &diagnostic));
	assert_false(outcome.stopped);
	return outcome;
}

static struct end end_of(struct folder *f, const struct points *points, uint32_t point)
{
	struct diagnostic diagnostic = {0};
	struct end end = {0};
	assert_true(end_read(&f->arena, &points->points.at[point], f->path, &end, &diagnostic));
	assert_int_not_equal(access(points_file(&f->arena, &points->points.at[point], f->path, "log"), F_OK), 0);
	return end;
}

static void points_run_once(void **state)
{
	(void)state;
	const char *good =
		"#!/bin/sh\necho out; echo err >&2\necho '{\"program\": {\"status\": 0}, \"launches\": []}' > \"$5\"\n";
	struct folder f = make_folder(plain);
	struct points points;
	struct run_outcome outcome = run_with(&f, good, 60, &points);
	assert_int_equal(outcome.ran, 4);
	assert_int_equal(outcome.had, 0);
	struct end end = end_of(&f, &points, 3);
	assert_string_equal(end.reason, "exit");
	assert_int_equal(end.status, 0);
	assert_string_equal(end.output, "out\nerr\n");
	assert_int_equal(strlen(end.date), 10);
	assert_true(end.seconds > 0 && end.seconds < 60);
	assert_true(end.cpu_seconds > 0 && end.cpu_seconds < end.seconds + 0.5); /* of one process */
	assert_true(end.peak_bytes > 200000 && end.peak_bytes < 1 << 30);        /* a shell */
	assert_int_equal(unlink(points_file(&f.arena, &points.points.at[2], f.path, "json")), 0);
	outcome = run_with(&f, good, 60, &points);
	assert_int_equal(outcome.ran, 1);
	assert_int_equal(outcome.had, 3);
	remove_folder(&f);
}

/* A file beyond the limit ends a point as it would by itself, although the experiment ignores that signal. */
static void points_have_the_signal_of_large_files(void **state)
{
	(void)state;
	struct folder f = make_folder(plain);
	struct points points;
	void (*before)(int) = signal(SIGXFSZ, SIG_IGN);
	run_with(&f, "#!/bin/sh\nulimit -f 1\nexec head -c 5000 /dev/zero > \"$5\"\n", 60, &points);
	signal(SIGXFSZ, before);
	struct end end = end_of(&f, &points, 0);
	assert_string_equal(end.reason, "signal");
	assert_int_equal(end.status, SIGXFSZ);
	remove_folder(&f);
}

/* Bytes 1,000 to 17,000 of 1,700 lines of ten bytes: the first of them may be part of a line and is left out. */
static void the_last_lines_are_kept(void **state)
{
	(void)state;
	struct folder f = make_folder(plain);
	struct points points;
	run_with(&f, "#!/bin/sh\nk=0\nwhile [ $k -lt 1700 ]; do echo $((100000000 + k)); k=$((k + 1)); done\nexit 3\n",
		60, &points);
	struct end end = end_of(&f, &points, 0);
	assert_int_equal(end.status, 3);
	assert_int_equal(strlen(end.output), 15990);
	assert_memory_equal(end.output, "100000101\n", 10);
	run_with(&f,
		"#!/bin/sh\nk=0\nwhile [ $k -lt 1600 ]; do echo $((100000000 + k)); k=$((k + 1)); done\nkill -9 $$\n",
		60, &points);
	end = end_of(&f, &points, 1);
	assert_string_equal(end.reason, "signal");
	assert_int_equal(end.status, 9);
	assert_int_equal(strlen(end.output), 16000);
	remove_folder(&f);
}

/* Whether there is no such process, or what is left of it waits for its parent: it has no words then. */
static bool is_gone(struct arena *arena, const char *process)
{
	struct diagnostic none = {0};
	size_t length = 0;
	return !text_read_file(arena, arena_printf(arena, "/proc/%s/cmdline", process), &length, &none) || !length;
}

/* It never ends by itself, so that its speed does not matter; what it has started is ended, too. */
static void a_point_that_takes_too_long_is_ended(void **state)
{
	(void)state;
	struct folder f = make_folder(plain);
	struct points points;
	struct run_outcome outcome = run_with(&f, "#!/bin/sh\nsleep 1000 &\necho $!\nwait\n", 0.02, &points);
	assert_int_equal(outcome.ran, 4);
	for (uint32_t k = 0; k < 4; k++) {
		const char *output = end_of(&f, &points, k).output;
		const char *process = arena_copy(&f.arena, output, strcspn(output, "\n"));
		if (!*process) /* it was ended before it had started any */
			continue;
		for (int looks = 0; looks < 1000 && !is_gone(&f.arena, process); looks++)
			usleep(10000);
		assert_true(is_gone(&f.arena, process));
	}
	struct end end = end_of(&f, &points, 0);
	assert_string_equal(end.reason, "time limit");
	assert_true(end.seconds > 0.02);
	remove_folder(&f);
}

/* A third of a second on the wall, with next to no processor time, is within a limit of 0.05 s; a loop is not. */
static void the_limit_is_of_processor_time(void **state)
{
	(void)state;
	struct folder f = make_folder(plain);
	struct points points;
	run_with(&f, "#!/bin/sh\nsleep 0.33\n", 0.05, &points);
	assert_string_equal(end_of(&f, &points, 0).reason, "exit");
	remove_folder(&f);
	f = make_folder(plain);
	run_with(&f, "#!/bin/sh\nwhile :; do :; done\n", 0.05, &points);
	assert_string_equal(end_of(&f, &points, 0).reason, "time limit");
	remove_folder(&f);
	/* What a child of the group's has used counts, too. */
	f = make_folder(plain);
	run_with(&f, "#!/bin/sh\nsh -c 'while :; do :; done' & wait\n", 0.05, &points);
	assert_string_equal(end_of(&f, &points, 0).reason, "time limit");
	remove_folder(&f);
}

/* By the plan's figures; a program without one counts for a second. */
static void the_time_of_all_is_estimated(void **state)
{
	(void)state;
	struct folder f = make_two_sets(two_sets);
	struct points points = points_of(&f);
	assert_true(run_estimate(&points) == 2.5 + 2.5 + 1);
	remove_folder(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(points_run_once),
		cmocka_unit_test(points_have_the_signal_of_large_files),
		cmocka_unit_test(the_last_lines_are_kept),
		cmocka_unit_test(a_point_that_takes_too_long_is_ended),
		cmocka_unit_test(the_limit_is_of_processor_time),
		cmocka_unit_test(the_time_of_all_is_estimated),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
