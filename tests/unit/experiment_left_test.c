/* How long an experiment still takes, from the points that have ended; and that a point that was ended from outside
 * leaves nothing (experiment/run.c, util/jobs.c). */
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
		cmocka_unit_test(a_forgotten_point_has_no_files),
		cmocka_unit_test(what_a_stop_ends_is_forgotten),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
