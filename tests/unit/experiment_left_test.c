/* How long an experiment still takes, from the points that have ended, and what is said of it; what had run before;
 * when a job is over its limit; and that a point that was ended from outside leaves nothing (experiment/run.c,
 * util/jobs.c). */
#include "experiment/run.c"
#include "util/jobs.c"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#define SIZE 1 /* in which points are planned */

/* Five points of two programs, which the plan gives 10 and 40 seconds in this size. */
static const struct program quick = {.seconds = {1, 10}}, slow = {.seconds = {4, 40}}, unknown = {.name = "u"};
static struct point point[5];
static struct job jobs[5];
static struct points points;
static struct run_outcome outcome;
static struct diagnostic diagnostic;
static struct runner r;

static void begin(void)
{
	const struct program *programs[] = {&quick, &quick, &slow, &slow, &unknown};

	for (size_t k = 0; k < 5; k++) {
		point[k] = (struct point){.program = programs[k], .name = "point"};
		jobs[k] = (struct job){.state = JOB_WAITING};
	}
	points = (struct points){.size = SIZE, .points = {.at = point, .count = 4}};
	outcome = (struct run_outcome){0};
	r = (struct runner){.points = &points,
		.outcome = &outcome,
		.diagnostic = &diagnostic,
		.jobs = {.count = 4, .together = 2, .job = jobs, .context = &r, .end = end, .forget = forget}};
}

static void ended(uint32_t k, double seconds)
{
	jobs[k] = (struct job){.state = JOB_ENDED, .start = 77, .seconds = seconds};
}

static void same(double a, double b)
{
	if (fabs(a - b) > 0.05)
		fail_msg("%g, not %g", a, b);
}

static void points_take_what_others_took(void **state)
{
	(void)state;
	begin();
	same(expected(&r, 0), 10); /* as planned */
	same(expected(&r, 3), 40);
	same(expected(&r, 4), 1);
	ended(0, 25); /* of the same program: the mean; of others: the plan's, as wrong as for those */
	same(expected(&r, 1), 25);
	same(expected(&r, 2), 100);
	ended(1, 35);
	same(expected(&r, 1), 30);
	same(expected(&r, 2), 120);
	ended(2, 20); /* 80 seconds for 60 */
	same(expected(&r, 3), 20);
	same(expected(&r, 4), 80 / 60.0);
	jobs[2].state = JOB_RUNNING; /* it counts when it has ended, and took some time */
	same(expected(&r, 3), 120);
	ended(2, 0);
	same(expected(&r, 3), 120);
}

static void what_runs_is_partly_done(void **state)
{
	(void)state;
	same(time_left(100, 0), 100);
	same(time_left(100, 89), 11);
	same(time_left(100, 90), 10); /* from here on it takes a ninth of what it has taken */
	same(time_left(100, 900), 100);
}

/* As many at a time as there are jobs, but not less than one of them takes. */
static void the_rest_is_shared_by_jobs(void **state)
{
	(void)state;
	begin();
	same(seconds_left(&r), 50);
	r.jobs.together = 4;
	same(seconds_left(&r), 40);
	point[3].program = &quick; /* the longest is not the last */
	same(seconds_left(&r), 40);
	point[3].program = &slow;
	r.jobs.together = 1;
	same(seconds_left(&r), 100);
	ended(0, 10);
	same(seconds_left(&r), 90);
	jobs[2] = (struct job){.state = JOB_RUNNING, .start = jobs_now() - 30};
	same(seconds_left(&r), 60);
	jobs[2].start = jobs_now() - 90;
	same(seconds_left(&r), 60); /* 10, 10 and 40 */
	assert_int_equal(done(&r), 0);
	outcome = (struct run_outcome){.ran = 3, .had = 4, .lost = 9};
	assert_int_equal(done(&r), 7);
}

/* What it has written by then would be taken for its result. */
static void a_forgotten_point_has_no_files(void **state)
{
	char folder[] = "/tmp/lockstep-left-test-XXXXXX";
	struct arena arena = {0};
	const char *endings[] = {"log", "json"};

	(void)state;
	begin();
	r.folder = mkdtemp(folder);
	for (size_t k = 0; k < 2; k++)
		assert_true(text_write_file(points_file(&arena, &point[2], folder, endings[k]), "", 0, &diagnostic));
	forget(&r, 2);
	assert_int_equal(rmdir(folder), 0); /* it is empty */
	arena_free(&arena);
}

/* Rounded up, in two units. */
static void times_are_for_people(void **state)
{
	static const struct {
		double seconds;
		const char *words;
	} rows[] = {{0, "1 s"}, {0.9, "1 s"}, {1, "2 s"}, {58.9, "59 s"}, {59, "1 min 00 s"}, {61.5, "1 min 02 s"},
		{3598, "59 min 59 s"}, {3599, "1 h 00 min"}, {3719, "1 h 02 min"}, {90000, "25 h 00 min"}};
	struct arena arena = {0};

	(void)state;
	for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
		struct text line = {.arena = &arena};
		print_time(&line, rows[k].seconds);
		assert_string_equal(line.at, rows[k].words);
	}
	arena_free(&arena);
}

/* Three names at most, without the key's 17 characters at their ends; what was there before counts as done. */
static void progress_names_what_runs(void **state)
{
	static const char *const names[] = {"a-0123456789abcdef", "bb-0123456789abcdef", "c-0123456789abcdef",
		"d-0123456789abcdef", "e-0123456789abcdef"};
	static const struct {
		uint32_t runs; /* the first so many */
		const char *words;
	} rows[] = {{1, "5 of 5 points, about 1 s left; a"}, {3, "5 of 5 points, about 1 s left; a, bb, c"},
		{4, "5 of 5 points, about 1 s left; a, bb, c and 1 more"},
		{5, "5 of 5 points, about 1 s left; a, bb, c and 2 more"}};
	struct arena arena = {0};

	(void)state;
	for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
		begin();
		points.points.count = r.jobs.count = 5;
		outcome = (struct run_outcome){.ran = 1, .had = 4};
		r.jobs.running = rows[k].runs;
		for (uint32_t n = 0; n < 5; n++) {
			point[n].program = &unknown; /* of a second; half of it is over */
			point[n].name = names[n];
			jobs[n] = (struct job){
				.state = n < rows[k].runs ? JOB_RUNNING : JOB_ENDED, .start = jobs_now() - 0.5};
		}
		r.jobs.together = 5;
		struct text line = {.arena = &arena};
		print_progress(&line, &r);
		assert_string_equal(line.at, rows[k].words);
	}
	arena_free(&arena);
}

/* Those that had ended count with the time that they took; those that are not wanted neither run nor count. */
static void what_has_run_is_found(void **state)
{
	static const bool wanted[] = {true, false, true, true};
	static const char *const names[] = {"a", "b", "c", "d"};
	char folder[] = "/tmp/lockstep-left-test-XXXXXX";
	struct arena arena = {0};

	(void)state;
	assert_non_null(mkdtemp(folder));
	for (int chosen = 0; chosen < 2; chosen++) {
		begin();
		r.folder = folder;
		for (uint32_t k = 0; k < 4; k++)
			point[k].name = names[k];
		for (uint32_t k = 0; k < 3; k++) { /* c was stopped */
			const char *result = arena_printf(&arena, "{\"program\": {\"%s\": %d}}",
				k < 2 ? "status" : "signal", k < 2 ? 0 : SIGKILL);
			assert_true(text_write_file(
				points_file(&arena, &point[k], folder, "json"), result, strlen(result), &diagnostic));
			assert_true(end_write(
				&point[k], folder, &(struct end){"exit", 0, 2.5 + k, "", "", 100, 0}, &diagnostic));
		}
		find_done(&r, chosen ? wanted : NULL);
		assert_int_equal(outcome.had, chosen ? 1 : 2);
		assert_int_equal(outcome.ran, 0);
		for (uint32_t k = 0; k < 4; k++) {
			assert_int_equal(jobs[k].state, k < 2 ? JOB_ENDED : JOB_WAITING);
			same(jobs[k].seconds, k < (chosen ? 1u : 2u) ? 2.5 + k : 0);
			assert_int_equal(end_is_there(&point[k], folder), k < 2);
		}
	}
	for (uint32_t k = 0; k < 2; k++) {
		unlink(points_file(&arena, &point[k], folder, "json"));
		unlink(points_file(&arena, &point[k], folder, "end"));
	}
	assert_int_equal(rmdir(folder), 0);
	assert_false(diagnostic.failed);
	arena_free(&arena);
}

/* Over its limit is what has used more processor time, or has slept for twenty times as long. */
static void limits_are_of_processor_time_or_twenty_times_as_long(void **state)
{
	struct job job = {.state = JOB_RUNNING, .start = 1000, .process = 1 << 30}; /* a group that there is not */

	(void)state;
	begin();
	assert_false(is_over_limit(&r.jobs, &job, 1e9)); /* there is none */
	r.jobs.time_limit = 3;
	assert_false(is_over_limit(&r.jobs, &job, 1000));
	assert_false(is_over_limit(&r.jobs, &job, 1059.5));
	assert_true(is_over_limit(&r.jobs, &job, 1060.5));
}

/* That the wait is what is left of 100 seconds since `start`, and a millisecond. */
static void waits_for(double start)
{
	double before = jobs_now(), seconds = (double)patience(&r.jobs).tv_nsec * 1e-9;

	assert_true(seconds <= start + 100.0011 - before && seconds >= start + 100.0009 - jobs_now());
}

/* A quarter of a second, or until the first job may be over its limit. */
static void jobs_are_looked_at_in_time(void **state)
{
	(void)state;
	for (uint32_t k = 0; k < 3; k++) {
		double now = jobs_now();

		begin();
		r.jobs.time_limit = 100;
		for (uint32_t n = 0; n < 3; n++)
			jobs[n] = (struct job){.state = JOB_RUNNING, .start = now - (n == k ? 99.76 : 10 * n)};
		waits_for(jobs[k].start);
		jobs[k].timed_out = true; /* it is being ended */
		assert_int_equal(patience(&r.jobs).tv_nsec, 251000000);
		jobs[k].timed_out = false;
		jobs[k].state = JOB_ENDED;
		assert_int_equal(patience(&r.jobs).tv_nsec, 251000000);
		jobs[k] = (struct job){.state = JOB_RUNNING, .start = now - 101}; /* it has used less than that */
		assert_int_equal(patience(&r.jobs).tv_nsec, 251000000);
	}
}

/* A point that ends while a signal to stop is pending did not end of itself, unless it ran out of time. */
static void what_a_stop_ends_is_forgotten(void **state)
{
	const struct rusage usage = {0};
	char folder[] = "/tmp/lockstep-left-test-XXXXXX";
	struct arena arena = {0};

	(void)state;
	r.folder = mkdtemp(folder);
	for (uint32_t k = 0; k < 3; k++) {
		bool forgotten = k == 1, has_end;

		begin();
		r.folder = folder;
		r.jobs.stopped = k > 0; /* the signal was taken before */
		sigemptyset(&r.jobs.signals);
		jobs[0] = (struct job){.state = JOB_RUNNING, .start = jobs_now() - 2, .timed_out = k == 2};
		r.jobs.running = 1;
		end_job(&r.jobs, 0, SIGTERM, &usage);
		same(jobs[0].seconds, 2);
		assert_int_equal(r.jobs.running, 0);
		assert_int_equal(jobs[0].state, forgotten ? JOB_WAITING : JOB_ENDED);
		assert_int_equal(outcome.ran, !forgotten);
		has_end = unlink(points_file(&arena, &point[0], folder, "end")) == 0;
		assert_int_equal(has_end, !forgotten);
	}
	assert_int_equal(rmdir(folder), 0);
	arena_free(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(points_take_what_others_took),
		cmocka_unit_test(what_runs_is_partly_done),
		cmocka_unit_test(the_rest_is_shared_by_jobs),
		cmocka_unit_test(times_are_for_people),
		cmocka_unit_test(progress_names_what_runs),
		cmocka_unit_test(what_has_run_is_found),
		cmocka_unit_test(limits_are_of_processor_time_or_twenty_times_as_long),
		cmocka_unit_test(jobs_are_looked_at_in_time),
		cmocka_unit_test(a_forgotten_point_has_no_files),
		cmocka_unit_test(what_a_stop_ends_is_forgotten),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
