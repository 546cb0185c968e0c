/* Other programs: what they say and how they end; Slurm's commands, their words and answers, by programs of their names
 * that note the words and say what a test wants; which options are tried; processor time of a process group. */
#include "experiment_harness.h"

#include "experiment/slurm.h"
#include "experiment/subprocess.h"
#include "experiment/trial.h"
#include "util/jobs.h"

#include <signal.h>
#include <sys/wait.h>
#include <time.h>

/* ---- A folder of programs, first in PATH ---- */

static const char *read_back(struct folder *f, const char *name)
{
	struct diagnostic diagnostic = {0};
	size_t length;
	const char *text =
		text_read_file(&f->arena, arena_printf(&f->arena, "%s/%s", f->path, name), &length, &diagnostic);
	return text ? text : "";
}

/* It notes its words, a line each and a line "." behind them, in NAME.words, and goes on with `script`. */
static void write_noting(struct folder *f, const char *name, const char *script)
{
	write_program(f, name,
		arena_printf(&f->arena,
			"#!/bin/sh\nfor word; do printf '%%s\\n' \"$word\"; done >> '%s/%s.words'\necho . >> "
			"'%s/%s.words'\n%s\n",
			f->path, name, f->path, name, script));
}

static const char *old_path;

static struct folder make_programs(void)
{
	struct folder f = make_folder(plain);
	old_path = arena_printf(&f.arena, "%s", getenv("PATH"));
	setenv("PATH", arena_printf(&f.arena, "%s:%s", f.path, old_path), 1);
	return f;
}

static void remove_programs(struct folder *f)
{
	setenv("PATH", old_path, 1);
	remove_folder(f);
}

/* ---- Programs ---- */

static void programs_say_and_end(void **state)
{
	(void)state;
	struct folder f = make_programs();
	struct subprocess_result r;
	const char *words[] = {"it", "a b", "", NULL};
	write_noting(&f, "it", "echo out; echo; echo more; echo; echo first >&2; echo second >&2; exit 3");
	assert_false(subprocess_run(&f.arena, words, &r));
	assert_int_equal(r.status, 3);
	assert_string_equal(r.output, "out\n\nmore\n\n");
	assert_string_equal(r.error, "first");
	assert_string_equal(read_back(&f, "it.words"), "a b\n\n.\n");
	write_program(&f, "it", "#!/bin/sh\nprintf '\\n\\nword' >&2\n");
	assert_true(subprocess_run(&f.arena, words, &r));
	assert_int_equal(r.status, 0);
	assert_string_equal(r.output, "");
	assert_string_equal(r.error, "word");
	write_program(&f, "it", "#!/bin/sh\nkill -9 $$\n");
	assert_false(subprocess_run(&f.arena, words, &r));
	assert_int_equal(r.status, -1);
	assert_string_equal(r.error, "");
	/* More than a pipe holds, on either first. */
	write_program(&f, "it",
		"#!/bin/sh\nhead -c 200000 /dev/zero | tr '\\0' e >&2\nhead -c 300001 /dev/zero | tr "
		"'\\0' o\n");
	assert_true(subprocess_run(&f.arena, words, &r));
	assert_int_equal(strlen(r.output), 300001);
	assert_int_equal(strlen(r.error), 200000);
	words[0] = "there-is-no-such-program";
	assert_false(subprocess_run(&f.arena, words, &r));
	assert_int_equal(r.status, -1);
	assert_string_equal(r.output, "");
	assert_string_equal(r.error, "cannot run there-is-no-such-program: No such file or directory");
	remove_programs(&f);
}

static void programs_are_found_in_the_path(void **state)
{
	(void)state;
	struct folder f = make_programs();
	assert_true(subprocess_is_there("sh"));
	assert_false(subprocess_is_there("sbutch"));
	write_file(&f, "sbutch", "no program");
	assert_false(subprocess_is_there("sbutch"));
	write_program(&f, "sbutch", "#!/bin/sh\n");
	assert_true(subprocess_is_there("sbutch"));
	setenv("PATH", arena_printf(&f.arena, "/nowhere:%s", f.path), 1); /* the last one */
	assert_true(subprocess_is_there("sbutch"));
	struct diagnostic diagnostic = {0};
	assert_false(slurm_is_there(&diagnostic));
	assert_string_equal(diagnostic.message, "--on slurm: there is no sbatch in PATH, expected Slurm's commands");
	diagnostic = (struct diagnostic){0};
	write_program(&f, "sbatch", "#!/bin/sh\n");
	assert_true(slurm_is_there(&diagnostic));
	setenv("PATH", "", 1);
	assert_false(subprocess_is_there("sbutch"));
	remove_programs(&f);
}

/* ---- Slurm ---- */

/* slurm.conf(5): MaxArraySize is 1001 if nothing else is said, and the first index that there is not. */
static void arrays_have_a_limit(void **state)
{
	(void)state;
	static const struct {
		const char *script;
		uint32_t limit;
	} cases[] = {{"echo 'A = 1'; echo 'MaxArraySize            = 500'; echo 'MaxB = 7'", 500},
		{"echo 'MaxArraySize = 2'", 2}, {"echo 'MaxArraySize = 1'", 1001}, {"echo 'MaxArraySize = 0'", 1001},
		{"echo 'MaxArraySize = n'", 1001}, {"echo 'A = 1'", 1001}, {"echo 'MaxArraySize = 500'; exit 1", 1001}};
	struct folder f = make_programs();
	for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
		write_noting(&f, "scontrol", cases[k].script);
		assert_int_equal(slurm_array_limit(&f.arena), cases[k].limit);
	}
	assert_memory_equal(read_back(&f, "scontrol.words"), "show\nconfig\n.\n", 14);
	remove_programs(&f);
}

static void arrays_are_submitted(void **state)
{
	(void)state;
	struct folder f = make_programs();
	static const char *const words[] = {"here", "a b", "c", NULL}, *const options[] = {"--x=1", "--y"};
	struct slurm_array a = {.name = "n", .folder = f.path, .words = words, .count = 1, .seconds = 60};
	const char *refused;
	write_noting(&f, "sbatch", "echo '17;cluster'");
	assert_int_equal(slurm_submit(&f.arena, &a, &refused), 17);
	assert_null(refused);
	static const char begin[] = "--parsable\n--requeue\n--open-mode=append\n--ntasks=1\n--cpus-per-task=1\n"
				    "--output=%A-%a.log\n--job-name=n\n";
	assert_string_equal(read_back(&f, "sbatch.words"),
		arena_printf(&f.arena, "%s--chdir=%s\n--array=0-0\n--time=1\n%s/task.sh\nhere\na b\nc\n.\n", begin,
			f.path, f.path));
	/* Minutes and MiB are rounded up. */
	write_file(&f, "sbatch.words", "");
	a = (struct slurm_array){.name = "n",
		.folder = f.path,
		.words = words,
		.count = 12,
		.together = 5,
		.seconds = 60.5,
		.bytes = (3 << 20) + 1,
		.partition = "p",
		.account = "q",
		.options = options,
		.option_count = 2};
	assert_int_equal(slurm_submit(&f.arena, &a, &refused), 17);
	assert_string_equal(read_back(&f, "sbatch.words"),
		arena_printf(&f.arena,
			"%s--chdir=%s\n--array=0-11%%5\n--time=2\n--mem=4M\n--partition=p\n--account=q\n--x=1\n--y\n"
			"%s/task.sh\nhere\na b\nc\n.\n",
			begin, f.path, f.path));
	write_file(&f, "sbatch.words", "");
	a.bytes = 3 << 20;
	a.together = 1;
	slurm_submit(&f.arena, &a, &refused);
	assert_non_null(strstr(read_back(&f, "sbatch.words"), "--mem=3M\n"));
	assert_non_null(strstr(read_back(&f, "sbatch.words"), "--array=0-11%1\n"));
	/* A task goes where the user is, its first word, and becomes the others; or ends where it cannot. */
	assert_int_equal(system(arena_printf(&f.arena,
				 "cd / && sh '%s/task.sh' '%s/workloads' sh -c 'pwd; echo \"$1\"' it 'x y' > '%s/said'",
				 f.path, f.path, f.path)),
		0);
	assert_string_equal(read_back(&f, "said"), arena_printf(&f.arena, "%s/workloads\nx y\n", f.path));
	assert_int_not_equal(
		system(arena_printf(&f.arena, "sh '%s/task.sh' /nowhere/at/all true 2>/dev/null", f.path)), 0);
	/* What is refused. */
	write_noting(&f, "sbatch", "echo 'sbatch: error: no' >&2; exit 1");
	assert_int_equal(slurm_submit(&f.arena, &a, &refused), 0);
	assert_string_equal(refused, "sbatch: error: no");
	write_noting(&f, "sbatch", "exit 1");
	assert_int_equal(slurm_submit(&f.arena, &a, &refused), 0);
	assert_string_equal(refused, "it does not say why");
	a.folder = "/nowhere/at/all";
	assert_int_equal(slurm_submit(&f.arena, &a, &refused), 0);
	assert_non_null(strstr(refused, "/nowhere/at/all/task.sh: "));
	remove_programs(&f);
}

static void the_queue_is_read(void **state)
{
	(void)state;
	struct folder f = make_programs();
	static const struct {
		uint64_t job;
		uint32_t task;
		const char *name;
		bool runs, is_held;
	} expected[] = {{5, 0, "lockstep-a", false, false}, {5, 12, "lockstep-a", true, false},
		{18446744073709551615u, 3, "other name", true, false}, {6, 1, "b", false, true},
		{6, 2, "b", false, true}, {6, 3, "b", true, false}};
	struct slurm_queue queue;
	write_noting(&f, "squeue",
		"printf '5\\t0\\tPENDING\\tlockstep-a\\tPriority\\n'\n"
		"printf '5\\t12\\tRUNNING\\tlockstep-a\\tNone\\n'\n"
		"printf '\\n5\\t13\\tRUNNING\\tlockstep-a\\n'\n" /* which is not whole */
		"printf '18446744073709551615\\t3\\tCOMPLETING\\tother name\\tNone\\n'\n"
		"printf '6\\t1\\tPENDING\\tb\\tlaunch failed requeued held\\n'\n"
		"printf '6\\t2\\tPENDING\\tb\\tJobHoldMaxRequeue\\n'\n"
		"printf '6\\t3\\tRUNNING\\tb\\tJobHoldMaxRequeued'");
	assert_true(slurm_list(&f.arena, &queue));
	assert_string_equal(
		read_back(&f, "squeue.words"), "--me\n--noheader\n--array\n--format=%F\t%K\t%T\t%j\t%r\n.\n");
	assert_int_equal(queue.tasks.count, 6);
	for (uint32_t k = 0; k < 6; k++) {
		assert_true(queue.tasks.at[k].job == expected[k].job);
		assert_int_equal(queue.tasks.at[k].task, expected[k].task);
		assert_string_equal(queue.tasks.at[k].name, expected[k].name);
		assert_int_equal(queue.tasks.at[k].runs, expected[k].runs);
		assert_int_equal(queue.tasks.at[k].is_held, expected[k].is_held);
	}
	write_noting(&f, "squeue", "exit 0");
	assert_true(slurm_list(&f.arena, &queue));
	assert_int_equal(queue.tasks.count, 0);
	write_noting(&f, "squeue", "exit 1");
	assert_false(slurm_list(&f.arena, &queue));
	remove_programs(&f);
}

static void jobs_and_tasks_are_cancelled(void **state)
{
	(void)state;
	struct folder f = make_programs();
	uint32_t task = 0;
	write_noting(&f, "scancel", "exit 0");
	assert_true(slurm_cancel(&f.arena, 7, NULL));
	assert_true(slurm_cancel(&f.arena, 7, &task));
	assert_string_equal(read_back(&f, "scancel.words"), "--quiet\n7\n.\n--quiet\n7_0\n.\n");
	write_noting(&f, "scancel",
		"echo 'scancel: error: Kill job error on job id 7: Invalid job id specified' >&2; exit 1");
	assert_true(slurm_cancel(&f.arena, 7, NULL));
	write_noting(&f, "scancel", "echo 'scancel: error: Unable to contact slurm controller' >&2; exit 1");
	assert_false(slurm_cancel(&f.arena, 7, NULL));
	remove_programs(&f);
}

/* ---- Options ---- */

static const char two_gpus[] =
	"title = \"t\"; fixed_starts = true;\n"
	"programs = ( { name = \"p\"; file = \"p\"; } );\n"
	"benchmarks = ( { name = \"B\"; program = \"p\"; } );\n"
	"policies = ( { name = \"a\"; options = \"-a\"; },\n { name = \"b\"; options = \"-b 1\"; } );\n"
	"sets = ( { name = \"s\"; programs = \"p\"; gpus = \"g\"; policies = [\"a\", \"b\"]; seeds = [1, 2]; },\n"
	" { name = \"u\"; programs = \"p\"; gpus = [\"h\", \"g\"]; policies = \"b\"; seeds = [1]; } );\n";

/* Each GPU and each policy once, on a program that does nothing; of points that have run neither. */
static void options_are_tried_once(void **state)
{
	(void)state;
	struct folder f = make_folder(two_gpus);
	struct diagnostic diagnostic = {0};
	write_noting(&f, "lockstep", "exit 0");
	struct points points = points_of(&f);
	static const char head[] = "run\n--report\njson\n--gpu\n";
	const char *all = arena_printf(&f.arena,
		"%sg\n--\ntrue\n.\n%sg\n-a\n--seed\n1\n--threads\n1\n--\ntrue\n.\n"
		"%sg\n-b\n1\n--seed\n1\n--threads\n1\n--\ntrue\n.\n%sh\n--\ntrue\n.\n",
		head, head, head, head);
	assert_true(trial_of_options(&f.arena, &points, f.path, &diagnostic));
	assert_string_equal(read_back(&f, "lockstep.words"), all);
	/* All of set s has run. */
	write_file(&f, "lockstep.words", "");
	for (uint32_t k = 0; k < 4; k++)
		write_result(&f, &points.points.at[k], "json", "{}");
	assert_true(trial_of_options(&f.arena, &points, f.path, &diagnostic));
	assert_string_equal(read_back(&f, "lockstep.words"),
		arena_printf(
			&f.arena, "%sh\n--\ntrue\n.\n%sh\n-b\n1\n--seed\n1\n--threads\n1\n--\ntrue\n.\n", head, head));
	for (uint32_t k = 0; k < 4; k++)
		unlink(points_file(&f.arena, &points.points.at[k], f.path, "json"));
	/* A GPU is refused at its set, a policy at the policy; then nothing more is tried. */
	static const char *const refusals[][2] = {{"[ \"$5\" = h ]", "7:2"}, {"[ \"$6\" = -b ]", "5:2"}};
	for (int k = 0; k < 2; k++) {
		write_noting(&f, "lockstep",
			arena_printf(&f.arena, "%s && { echo no >&2; exit 2; }; exit 0", refusals[k][0]));
		diagnostic = (struct diagnostic){0};
		assert_false(trial_of_options(&f.arena, &points, f.path, &diagnostic));
		assert_string_equal(diagnostic.message,
			arena_printf(&f.arena, "%s/experiment.cfg:%s: lockstep run does not take this: no", f.path,
				refusals[k][1]));
	}
	remove_folder(&f);
}

/* Pinned PTX is tried once for each program that has some and a point to run, with that point's GPU and options. */
static void pinned_ptx_is_tried_once(void **state)
{
	(void)state;
	static const char plan[] =
		"title = \"t\"; pinned = \"pins\"; fixed_starts = true;\n"
		"programs = ( { name = \"p\"; file = \"p\"; sources = \"k.cl\"; },\n"
		" { name = \"q\"; file = \"q\"; sources = \"k.cl\"; },\n { name = \"r\"; file = \"r\"; } );\n"
		"benchmarks = ();\npolicies = ( { name = \"a\"; options = \"-a\"; } );\n"
		"sets = ( { name = \"s\"; programs = [\"p\", \"q\", \"r\"]; gpus = \"g\"; policies = \"a\"; seeds = "
		"[1, 2]; } );\n";
	struct folder f = make_folder(plan);
	struct diagnostic diagnostic = {0};
	write_program(&f, "workloads/q", "q");
	write_program(&f, "workloads/r", "r");
	write_noting(&f, "lockstep", "exit 0");
	struct points points = points_of(&f);
	assert_int_equal(points.points.count, 6);
#define TRIED "run\n--report\njson\n--gpu\ng\n-a\n--seed\n%d\n--threads\n1\n--pinned\n%s/pins/%s\n--\ntrue\n.\n"
	assert_true(trial_of_pinned(&f.arena, &points, f.path, &diagnostic));
	assert_string_equal(
		read_back(&f, "lockstep.words"), arena_printf(&f.arena, TRIED TRIED, 1, f.path, "p", 1, f.path, "q"));
	/* p has run, q with its first seed: with the second it is tried; a refusal is said at the program. */
	for (uint32_t k = 0; k < 3; k++)
		write_result(&f, &points.points.at[k], "json", "{}");
	write_file(&f, "lockstep.words", "");
	write_noting(&f, "lockstep", "echo no >&2; exit 2");
	assert_false(trial_of_pinned(&f.arena, &points, f.path, &diagnostic));
	assert_string_equal(read_back(&f, "lockstep.words"), arena_printf(&f.arena, TRIED, 2, f.path, "q"));
	assert_string_equal(diagnostic.message,
		arena_printf(&f.arena, "%s/experiment.cfg:3:2: lockstep run does not take this: no", f.path));
	remove_folder(&f);
}

/* ---- Processor time ---- */

static double own_seconds(void)
{
	return (double)clock() / CLOCKS_PER_SEC;
}

static void burn(double seconds)
{
	for (double begin = own_seconds(); own_seconds() - begin < seconds;)
		;
}

/* A group of a process that has used 0.1 s, and its ended child, whose time it has waited for, as much; not this one's.
 * Linux counts in hundredths of a second. */
static void a_group_has_its_processor_time(void **state)
{
	(void)state;
	int ready[2];
	char byte;
	assert_int_equal(pipe(ready), 0);
	burn(0.1); /* which must not count */
	pid_t process = fork();
	if (!process) {
		setpgid(0, 0);
		pid_t child = fork();
		burn(0.1);
		if (!child)
			_exit(0);
		waitpid(child, NULL, 0);
		(void)!write(ready[1], "x", 1);
		pause();
	}
	assert_int_equal(read(ready[0], &byte, 1), 1);
	double seconds = jobs_cpu_time(process);
	kill(process, SIGKILL);
	waitpid(process, NULL, 0);
	assert_true(seconds > 0.15 && seconds < 0.28);
	assert_true(jobs_cpu_time(process) == 0);
	close(ready[0]);
	close(ready[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(programs_say_and_end),
		cmocka_unit_test(programs_are_found_in_the_path),
		cmocka_unit_test(arrays_have_a_limit),
		cmocka_unit_test(arrays_are_submitted),
		cmocka_unit_test(the_queue_is_read),
		cmocka_unit_test(jobs_and_tasks_are_cancelled),
		cmocka_unit_test(options_are_tried_once),
		cmocka_unit_test(pinned_ptx_is_tried_once),
		cmocka_unit_test(a_group_has_its_processor_time),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
