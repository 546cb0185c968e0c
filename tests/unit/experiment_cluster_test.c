/* Following job arrays, with programs in the place of Slurm's: what is asked for, tasks that lose points, points that
 * never end, jobs of an earlier call, a controller that does not answer. tests/slurm.py has a real Slurm. */
#include "experiment_harness.h"

#include "experiment/cluster.h"
#include "experiment/end.h"

#include <fcntl.h>
#include <signal.h>

/* Points: three of p (seconds 50 each, so two to a task of 100), one of q, whose time nobody knows. */
static const char plan_text[] =
	"title = \"t\";\n"
	"programs = ( { name = \"p\"; file = \"p\"; seconds = 50; }, { name = \"q\"; file = \"q\"; } );\n"
	"benchmarks = ();\n"
	"policies = ( { name = \"a\"; options = \"\"; } );\n"
	"sets = ( { name = \"s\"; programs = \"p\"; gpus = \"g\"; policies = \"a\"; seeds = [1, 2, 3]; },\n"
	"  { name = \"u\"; programs = \"q\"; gpus = \"g\"; policies = \"a\"; seeds = [1]; } );\n";

struct cluster {
	struct folder folder;
	struct plan *plan;
	struct points points;
	struct cluster_options options;
	const char *old_path;
};

static const char *read_back(struct folder *f, const char *name)
{
	struct diagnostic diagnostic = {0};
	size_t length;
	const char *text =
		text_read_file(&f->arena, arena_printf(&f->arena, "%s/%s", f->path, name), &length, &diagnostic);
	return text ? text : "";
}

/* sbatch notes its options, and runs the tasks' points in its own way: of those whose name is in the file `lost`, one
 * line each, a try is left out, and that line; the others leave NAME.end.  It counts jobs from 100.  squeue says what
 * is in the file `queue`, or fails as often as the file `silent` has lines; scancel notes its words. */
static struct cluster make(void)
{
	static const char *const words[] = {"lockstep", "experiment", NULL};
	struct cluster c = {.folder = make_folder(plan_text)};
	struct folder *f = &c.folder;
	write_program(f, "workloads/q", "another program");
	assert_int_equal(system(arena_printf(&f->arena, "mkdir '%s/bin'", f->path)), 0);
	write_program(f, "bin/scontrol", "#!/bin/sh\necho MaxArraySize = 1001\n");
	write_program(f, "bin/sbatch",
		arena_printf(&f->arena,
			"#!/bin/sh\ncd '%s'\n[ -e before ] && . ./before\n[ -e refuse ] && { echo no >&2; exit 1; }\n"
			"for w; do printf '%%s ' \"$w\"; done >> submitted; echo >> submitted\n"
			"echo x >> jobs_made; for last; do :; done\n"
			"tr '\\t' '\\n' < \"$last\" | while read -r name; do\n"
			"  if grep -qx \"$name\" lost 2>/dev/null; then sed -i \"0,/^$name\\$/{//d}\" lost\n"
			"  else echo '{\"reason\": \"exit\", \"seconds\": 8, \"peak_bytes\": 1048576}' > "
			"\"$name.end\"; fi\n"
			"done\n[ -e after ] && . ./after\n"
			"echo $((99 + $(wc -l < jobs_made)))\n",
			f->path));
	write_program(f, "bin/squeue",
		arena_printf(&f->arena,
			"#!/bin/sh\ncd '%s'\n[ -s silent ] && { sed -i 1d silent; exit 1; }\n[ -e look ] && . ./look\n"
			"cat queue 2>/dev/null; exit 0\n",
			f->path));
	write_program(f, "bin/scancel",
		arena_printf(&f->arena,
			"#!/bin/sh\necho \"$@\" >> '%s/cancelled'\n! grep -qx \"$2\" '%s/deaf' 2>/dev/null\n", f->path,
			f->path));
	c.old_path = arena_printf(&f->arena, "%s", getenv("PATH"));
	setenv("PATH", arena_printf(&f->arena, "%s/bin:%s", f->path, c.old_path), 1);
	c.plan = plan_of(f);
	assert_true(points_make(
		&f->arena, c.plan, SIZE_SMALL, &(struct names){0}, f->path, &c.points, &(struct diagnostic){0}));
	assert_int_equal(c.points.points.count, 4);
	c.options = (struct cluster_options){.results = f->path,
		.folder = arena_printf(&f->arena, "%s/slurm", f->path),
		.here = "/here",
		.words = words,
		.task_seconds = 100,
		.waits = {.least = 0.01, .most = 0.01, .share = 0, .lost_after = 0.02}};
	return c;
}

static void remove_cluster(struct cluster *c)
{
	setenv("PATH", c->old_path, 1);
	remove_folder(&c->folder);
}

static const char *name_of(struct cluster *c, uint32_t point)
{
	return c->points.points.at[point].name;
}

/* What it says on standard error, and its outcome. */
static const char *run(struct cluster *c, struct run_outcome *outcome, struct diagnostic *diagnostic)
{
	const char *said = arena_printf(&c->folder.arena, "%s/said", c->folder.path);
	fflush(stderr);
	int before = dup(STDERR_FILENO);
	assert_non_null(freopen(said, "w", stderr));
	bool good = cluster_run(c->plan, &c->points, &c->options, outcome, diagnostic);
	fflush(stderr);
	dup2(before, STDERR_FILENO);
	close(before);
	assert_int_equal(good, !diagnostic->failed);
	return read_back(&c->folder, "said");
}

/* The words of an array that differ: its range, time and memory, and its list of tasks. */
static const char *submission(struct cluster *c, const char *range, int minutes, const char *more, int list)
{
	const char *path = c->folder.path;
	return arena_printf(&c->folder.arena,
		"--parsable --requeue --open-mode=append --ntasks=1 --cpus-per-task=1 --output=%%A-%%a.log "
		"--job-name=lockstep-%s --chdir=%s/slurm --array=%s --time=%d %s%s/slurm/task.sh /here lockstep "
		"experiment "
		"--task %s/slurm/tasks-%d \n",
		c->plan->name, path, range, minutes, more, path, path, list);
}

/* Two tasks of p, of two points and one: 3 * 2 * 50 s and 5 min are 10 minutes; one of q: 3 * 1 s and 5 min, so 6. */
static void all_points_run(void **state)
{
	(void)state;
	struct cluster c = make();
	struct run_outcome outcome;
	struct diagnostic diagnostic = {0};
	write_result(&c.folder, &c.points.points.at[1], "json", "half of a result");
	assert_string_equal(run(&c, &outcome, &diagnostic), "");
	assert_int_equal(outcome.ran, 4);
	assert_int_equal(outcome.had, 0);
	assert_int_equal(outcome.lost, 0);
	assert_false(outcome.stopped);
	assert_string_equal(read_back(&c.folder, "submitted"),
		arena_printf(
			&c.folder.arena, "%s%s", submission(&c, "0-1", 10, "", 0), submission(&c, "0-0", 6, "", 1)));
	assert_int_not_equal(
		access(points_file(&c.folder.arena, &c.points.points.at[1], c.folder.path, "json"), F_OK), 0);
	/* Nothing is left of the lists. */
	assert_int_not_equal(access(arena_printf(&c.folder.arena, "%s/jobs", c.options.folder), F_OK), 0);
	assert_int_not_equal(access(arena_printf(&c.folder.arena, "%s/tasks-0", c.options.folder), F_OK), 0);
	/* Those with a result have run; of the others what such took is known: 3 * 8 s, and 1 MiB and a half and 256
	 * MiB. */
	for (uint32_t k = 0; k < 2; k++)
		write_result(&c.folder, &c.points.points.at[k], "json", "{\"program\": {\"status\": 0}}");
	write_file(&c.folder, "submitted", "");
	c.options.together = 7;
	c.options.partition = "part";
	c.options.account = "acc";
	c.options.sbatch = (const char *const[]){"--more"};
	c.options.sbatch_count = 1;
	assert_string_equal(run(&c, &outcome, &diagnostic), "");
	assert_int_equal(outcome.had, 2);
	assert_int_equal(outcome.ran, 2);
	/* q's only NAME.end went with what it had no result for, so its memory is not known. */
	static const char more[] = "--partition=part --account=acc --more ";
	assert_string_equal(read_back(&c.folder, "submitted"),
		arena_printf(&c.folder.arena, "%s%s",
			submission(&c, "0-0%7", 6, arena_printf(&c.folder.arena, "--mem=258M %s", more), 0),
			submission(&c, "0-0%7", 6, more, 1)));
	remove_cluster(&c);
}

/* A point is tried three times, with twice the time and memory each; one that has a result without an end is none that
 * was lost. */
static void lost_points_run_again(void **state)
{
	(void)state;
	struct cluster c = make();
	struct folder *f = &c.folder;
	struct run_outcome outcome;
	struct diagnostic diagnostic = {0};
	write_file(f, "lost",
		arena_printf(&f->arena, "%s\n%s\n%s\n%s\n%s\n", name_of(&c, 0), name_of(&c, 2), name_of(&c, 2),
			name_of(&c, 2), name_of(&c, 3)));
	write_file(f, "after",
		arena_printf(&f->arena,
			"[ -e '%s.end' ] || echo '{\"program\": {\"status\": 0}}' > '%s.json'\n"
			"printf 'first\\nslurmstepd: killed\\n\\n' > slurm/100-0.log; touch slurm/102-0.log\n",
			name_of(&c, 3), name_of(&c, 3)));
	c.options.bytes = 300 << 20;
	const char *said = run(&c, &outcome, &diagnostic);
	assert_string_equal(said, "lockstep experiment: 2 tasks ended without all their points: slurmstepd: killed\n"
				  "lockstep experiment: 1 task ended without all its points\n"
				  "lockstep experiment: 1 task ended without all its points\n");
	assert_int_equal(outcome.ran, 3);
	assert_int_equal(outcome.lost, 1);
	static const char memory[] = "--mem=300M ";
	/* Of p 8 s are known from the second time on: (2 * 8 * 3 + 300) * 2 is 11.6 minutes, (8 * 3 + 300) * 4 is 21.6.
	 */
	assert_string_equal(read_back(f, "submitted"),
		arena_printf(&f->arena, "%s%s%s%s", submission(&c, "0-1", 10, memory, 0),
			submission(&c, "0-0", 6, memory, 1), submission(&c, "0-0", 12, memory, 2),
			submission(&c, "0-0", 22, memory, 3)));
	/* What a task that lost points printed stays; that of another is removed. */
	assert_int_equal(access(arena_printf(&f->arena, "%s/100-0.log", c.options.folder), F_OK), 0);
	remove_cluster(&c);
}

/* Memory that is known doubles, too: (1.5 * 2^20 + 2^28) * 2 are 515 MiB. */
static void memory_doubles(void **state)
{
	(void)state;
	struct cluster c = make();
	struct run_outcome outcome;
	struct diagnostic diagnostic = {0};
	write_result(&c.folder, &(struct point){.name = "q-g-0"}, "end",
		"{\"reason\": \"exit\", \"seconds\": 100, \"peak_bytes\": 1048576}");
	write_file(&c.folder, "lost", arena_printf(&c.folder.arena, "%s\n", name_of(&c, 3)));
	run(&c, &outcome, &diagnostic);
	assert_int_equal(outcome.ran, 4);
	const char *submitted = read_back(&c.folder, "submitted");
	assert_non_null(strstr(submitted, submission(&c, "0-0", 10, "--mem=258M ", 1)));
	assert_non_null(strstr(submitted, submission(&c, "0-0", 20, "--mem=515M ", 2)));
	remove_cluster(&c);
}

/* Before a job is taken a refusal is an error; behind one it may be the controller's restart, and is asked again, ten
 * times in a row. */
static void refusals_are_told(void **state)
{
	(void)state;
	struct cluster c = make();
	struct run_outcome outcome;
	struct diagnostic diagnostic = {0};
	write_file(&c.folder, "refuse", "");
	run(&c, &outcome, &diagnostic);
	assert_string_equal(diagnostic.message, "sbatch: no");
	assert_string_equal(read_back(&c.folder, "submitted"), "");
	assert_int_not_equal(access(arena_printf(&c.folder.arena, "%s/tasks-0", c.options.folder), F_OK), 0);
	unlink(arena_printf(&c.folder.arena, "%s/refuse", c.folder.path));
	/* The first array is taken.  The second is refused nine times; its point is lost, and the third is refused nine
	 * times, too. */
	write_file(&c.folder, "before",
		"echo x >> tries; case $(wc -l < tries) in 1 | 11 | 21) rm -f refuse ;; *) touch refuse ;; esac\n");
	write_file(&c.folder, "lost", arena_printf(&c.folder.arena, "%s\n", name_of(&c, 3)));
	diagnostic = (struct diagnostic){0};
	run(&c, &outcome, &diagnostic);
	assert_false(diagnostic.failed);
	assert_int_equal(outcome.ran, 4);
	assert_int_equal(strlen(read_back(&c.folder, "tries")), 2 * 21);
	/* Ten times in a row are an error. */
	assert_int_equal(
		system(arena_printf(&c.folder.arena, "cd '%s' && rm -f *.end tries refuse", c.folder.path)), 0);
	diagnostic = (struct diagnostic){0};
	write_file(&c.folder, "before", "echo x >> tries; [ $(wc -l < tries) -eq 1 ] || touch refuse\n");
	write_file(&c.folder, "cancelled", "");
	run(&c, &outcome, &diagnostic);
	assert_string_equal(diagnostic.message, "sbatch: no");
	assert_int_equal(strlen(read_back(&c.folder, "tries")), 2 * 11);
	assert_non_null(strstr(read_back(&c.folder, "cancelled"), "--quiet 10")); /* what runs is not left behind */
	remove_cluster(&c);
}

/* A controller that does not answer is waited for, and said once; tasks that are held are cancelled. */
static void the_controller_is_waited_for(void **state)
{
	(void)state;
	struct cluster c = make();
	struct run_outcome outcome;
	struct diagnostic diagnostic = {0};
	write_file(&c.folder, "silent", "1\n2\n3\n");
	/* At the first looks task 1 of job 100 is held, and job 101 runs and has not ended; jobs of others do not
	 * count. */
	write_file(&c.folder, "lost", arena_printf(&c.folder.arena, "%s\n%s\n", name_of(&c, 2), name_of(&c, 3)));
	write_file(&c.folder, "look",
		arena_printf(&c.folder.arena,
			"if [ -e cancelled ]; then rm queue; echo '{\"reason\": \"exit\"}' > '%s.end'\n"
			"else printf "
			"'100\\t1\\tPENDING\\tn\\tJobHoldMaxRequeue\\n101\\t0\\tRUNNING\\tn\\tNone\\n7\\t0\\tPENDING\\t"
			"n\\tJobHoldMaxRequeue\\n' > queue; fi\n",
			name_of(&c, 3)));
	assert_string_equal(run(&c, &outcome, &diagnostic),
		"lockstep experiment: Slurm's controller does not answer; waiting for it\n"
		"lockstep experiment: 1 task ended without all its points\n");
	assert_int_equal(outcome.ran, 4);
	assert_string_equal(read_back(&c.folder, "cancelled"), "--quiet 100_1\n");
	remove_cluster(&c);
}

/* Tasks of an earlier call that are queued are followed; the rest is submitted. */
static void jobs_of_an_earlier_call_are_followed(void **state)
{
	(void)state;
	struct cluster c = make();
	struct folder *f = &c.folder;
	struct run_outcome outcome;
	struct diagnostic diagnostic = {0};
	assert_int_equal(mkdir(c.options.folder, 0777), 0);
	const char *list = arena_printf(&f->arena, "%s/tasks-0", c.options.folder);
	write_file(f, "slurm/tasks-0", arena_printf(&f->arena, "%s\n%s\n", name_of(&c, 0), name_of(&c, 1)));
	write_file(f, "slurm/tasks-9", arena_printf(&f->arena, "%s\n", name_of(&c, 2)));
	write_file(f, "slurm/jobs", arena_printf(&f->arena, "55\t%s\n56\t%s/tasks-9\n", list, c.options.folder));
	/* Task 1 of 55 is queued and ends at the second look; 56 is a job of that number, but another's. */
	write_file(f, "queue",
		arena_printf(
			&f->arena, "55\t1\tPENDING\tlockstep-%s\tNone\n56\t0\tPENDING\tother\tNone\n", c.plan->name));
	write_file(f, "look",
		arena_printf(&f->arena,
			"echo x >> looks; if [ $(wc -l < looks) -eq 2 ]; then rm queue; echo '{}' > '%s.end'; fi\n",
			name_of(&c, 1)));
	write_file(f, "silent", "1\n2\n");
	assert_string_equal(run(&c, &outcome, &diagnostic),
		"lockstep experiment: Slurm's controller does not answer; waiting for it\n"
		"lockstep experiment: follows 1 job array of an earlier call\n");
	assert_int_equal(outcome.ran, 4);
	/* tasks-0 is in use */
	assert_string_equal(read_back(f, "submitted"),
		arena_printf(&f->arena, "%s%s", submission(&c, "0-0", 10, "", 1), submission(&c, "0-0", 6, "", 2)));
	remove_cluster(&c);
}

/* Job 55 of an earlier call, whose only task runs. */
static void leave_a_job(struct cluster *c)
{
	struct folder *f = &c->folder;
	assert_int_equal(mkdir(c->options.folder, 0777), 0);
	write_file(f, "slurm/tasks-0", arena_printf(&f->arena, "%s\n", name_of(c, 0)));
	write_file(f, "slurm/jobs", arena_printf(&f->arena, "55\t%s/tasks-0\n", c->options.folder));
	write_file(f, "queue", arena_printf(&f->arena, "55\t0\tRUNNING\tlockstep-%s\tNone\n", c->plan->name));
}

/* A point of an earlier call that is lost runs for the second time: twice 3 * 8 s and 5 min are 11 minutes, and
 * 257.5 MiB 515. */
static void an_earlier_call_counts_as_a_try(void **state)
{
	(void)state;
	struct cluster c = make();
	struct folder *f = &c.folder;
	struct run_outcome outcome;
	struct diagnostic diagnostic = {0};
	leave_a_job(&c);
	write_file(f, "look", "echo x >> looks; [ $(wc -l < looks) -lt 2 ] || rm -f queue\n");
	assert_string_equal(run(&c, &outcome, &diagnostic),
		"lockstep experiment: follows 1 job array of an earlier call\n"
		"lockstep experiment: 1 task ended without all its points\n");
	assert_int_equal(outcome.ran, 4);
	assert_int_equal(outcome.lost, 0);
	assert_string_equal(read_back(f, "submitted"),
		arena_printf(&f->arena, "%s%s%s", submission(&c, "0-0", 10, "", 1), submission(&c, "0-0", 6, "", 2),
			submission(&c, "0-0", 11, "--mem=515M ", 3)));
	remove_cluster(&c);
}

/* A terminal in the place of standard error; its other end. */
static int open_terminal(void)
{
	int other = posix_openpt(O_RDWR | O_NOCTTY);
	assert_true(other >= 0 && !grantpt(other) && !unlockpt(other));
	int terminal = open(ptsname(other), O_RDWR | O_NOCTTY);
	assert_int_equal(dup2(terminal, STDERR_FILENO), STDERR_FILENO);
	close(terminal);
	return other;
}

/* Points that have ended, whether or not their task has, and how many tasks run and wait. */
static void progress_is_shown_on_a_terminal(void **state)
{
	(void)state;
	struct cluster c = make();
	struct folder *f = &c.folder;
	struct run_outcome outcome;
	struct diagnostic diagnostic = {0};
	char seen[4096];
	write_file(f, "lost", arena_printf(&f->arena, "%s\n%s\n", name_of(&c, 2), name_of(&c, 3)));
	/* Of job 100 task 1 runs, and task 0 has left with its points; then that of 101 runs; then both end. */
	write_file(f, "look",
		arena_printf(&f->arena,
			"echo x >> looks; case $(wc -l < looks) in\n"
			"1) printf '100\\t1\\tRUNNING\\tn\\tNone\\n101\\t0\\tPENDING\\tn\\tNone\\n' > queue ;;\n"
			"2) printf '100\\t1\\tRUNNING\\tn\\tNone\\n101\\t0\\tRUNNING\\tn\\tNone\\n' > queue\n"
			"   echo '{}' > '%s.end' ;;\n"
			"*) rm -f queue; echo '{}' > '%s.end' ;; esac\n",
			name_of(&c, 2), name_of(&c, 3)));
	fflush(stderr);
	int before = dup(STDERR_FILENO), other = open_terminal();
	assert_true(cluster_run(c.plan, &c.points, &c.options, &outcome, &diagnostic));
	fflush(stderr);
	dup2(before, STDERR_FILENO); /* with which the terminal is closed */
	close(before);
	size_t length = 0;
	for (ssize_t got; (got = read(other, seen + length, sizeof seen - 1 - length)) > 0;)
		length += (size_t)got;
	close(other);
	seen[length] = '\0';
	assert_string_equal(seen,
		"\r\033[J2 of 4 points; 0 tasks run, 0 wait\r\r\033[J2 of 4 points; 1 task runs, 1 waits\r"
		"\r\033[J3 of 4 points; 2 tasks run, 0 wait\r\r\033[J");
	assert_int_equal(outcome.ran, 4);
	remove_cluster(&c);
}

/* A task that runs for longer than one may be missing leaves the queue, and its point is there a look later. */
static void what_has_just_left_is_not_lost(void **state)
{
	(void)state;
	struct cluster c = make();
	struct folder *f = &c.folder;
	struct run_outcome outcome;
	struct diagnostic diagnostic = {0};
	leave_a_job(&c);
	write_file(f, "look",
		arena_printf(&f->arena,
			"echo x >> looks; case $(wc -l < looks) in 6) rm queue ;; 7) echo '{}' > '%s.end' ;; esac\n",
			name_of(&c, 0)));
	assert_string_equal(
		run(&c, &outcome, &diagnostic), "lockstep experiment: follows 1 job array of an earlier call\n");
	assert_int_equal(outcome.ran, 4);
	assert_int_equal(outcome.lost, 0);
	remove_cluster(&c);
}

/* A signal stops it and cancels its jobs; SIGHUP leaves them and their list. */
static void signals_stop_it(void **state)
{
	(void)state;
	static const struct {
		const char *name, *cancelled, *said;
		bool leaves, deaf;
	} cases[] = {{"INT", "--quiet 100\n--quiet 101\n", "", false, false},
		{"TERM", "--quiet 100\n--quiet 101\n", "", false, false}, {"HUP", "", "", true, false},
		{"INT", "--quiet 100\n--quiet 101\n",
			"lockstep experiment: Slurm's controller does not answer, so the jobs are not cancelled; the "
			"same "
			"command finds them again\n",
			true, true}};
	for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
		struct cluster c = make();
		struct folder *f = &c.folder;
		struct run_outcome outcome;
		struct diagnostic diagnostic = {0};
		write_file(f, "queue", "100\t0\tRUNNING\tn\tNone\n");
		write_file(f, "look", arena_printf(&f->arena, "kill -%s %d\n", cases[k].name, (int)getpid()));
		if (cases[k].deaf) /* for the first job alone */
			write_file(f, "deaf", "100\n");
		assert_string_equal(run(&c, &outcome, &diagnostic), cases[k].said);
		assert_true(outcome.stopped);
		assert_string_equal(read_back(f, "cancelled"), cases[k].cancelled);
		const char *jobs = cases[k].leaves
					   ? arena_printf(&f->arena, "100\t%s/slurm/tasks-0\n101\t%s/slurm/tasks-1\n",
						     f->path, f->path)
					   : "";
		assert_string_equal(read_back(f, "slurm/jobs"), jobs);
		remove_cluster(&c);
	}
}

static void folders_are_made(void **state)
{
	(void)state;
	struct cluster c = make();
	struct run_outcome outcome;
	struct diagnostic diagnostic = {0};
	c.options.folder = "/dev/null/slurm";
	run(&c, &outcome, &diagnostic);
	assert_string_equal(diagnostic.message, "/dev/null/slurm: cannot make the folder: Not a directory");
	diagnostic = (struct diagnostic){0};
	setenv("PATH", "/nowhere", 1);
	run(&c, &outcome, &diagnostic);
	assert_string_equal(diagnostic.message, "--on slurm: there is no sbatch in PATH, expected Slurm's commands");
	remove_cluster(&c);
}

/* The constants of cluster.h: 2 % of the time gone, from a second to half a minute. */
static void looks_become_rarer(void **state)
{
	(void)state;
	const struct cluster_waits waits = CLUSTER_WAITS;
	assert_true(cluster_wait(&waits, 0) == 1 && cluster_wait(&waits, 49) == 1);
	assert_true(cluster_wait(&waits, 100) == 2 && cluster_wait(&waits, 1000) == 20);
	assert_true(cluster_wait(&waits, 1600) == 30);
	assert_true(waits.lost_after == 5);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_points_run),
		cmocka_unit_test(lost_points_run_again),
		cmocka_unit_test(memory_doubles),
		cmocka_unit_test(refusals_are_told),
		cmocka_unit_test(the_controller_is_waited_for),
		cmocka_unit_test(jobs_of_an_earlier_call_are_followed),
		cmocka_unit_test(an_earlier_call_counts_as_a_try),
		cmocka_unit_test(progress_is_shown_on_a_terminal),
		cmocka_unit_test(what_has_just_left_is_not_lost),
		cmocka_unit_test(signals_stop_it),
		cmocka_unit_test(folders_are_made),
		cmocka_unit_test(looks_become_rarer),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
