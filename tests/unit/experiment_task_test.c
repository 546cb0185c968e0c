/* Points put together to tasks for a cluster: what they take, how they are divided, the file that has them. */
#include "experiment/end.h"
#include "experiment/task.h"
#include "experiment_harness.h"

/* Twelve points: six of p-q and six of p, whose name begins those of the files of p-q, too. */
static const char two_programs[] =
	"title = \"t\";\n"
	"programs = ( { name = \"p-q\"; file = \"p\"; seconds = 4.0; }, { name = \"p\"; file = \"q\"; } );\n"
	"benchmarks = ( { name = \"B\"; program = \"p\"; } );\n"
	"policies = ( { name = \"a\"; options = \"\"; }, { name = \"b\"; options = \"--x\"; } );\n"
	"sets = ( { name = \"s\"; programs = [\"p-q\", \"p\"]; gpus = \"g\"; policies = [\"a\", \"b\"]; seeds = [1, 2, "
	"3]; } "
	");\n";

struct experiment {
	struct folder folder;
	const struct plan *plan;
	struct points points;
};

static struct experiment make(void)
{
	struct diagnostic diagnostic = {0};
	struct experiment x = {.folder = make_folder(two_programs)};
	write_file(&x.folder, "workloads/q", "another program");
	assert_int_equal(chmod(arena_printf(&x.folder.arena, "%s/workloads/q", x.folder.path), 0777), 0);
	x.plan = plan_read(&x.folder.arena, x.folder.path, &diagnostic);
	assert_non_null(x.plan);
	assert_true(points_make(
		&x.folder.arena, x.plan, SIZE_SMALL, &(struct names){0}, x.folder.path, &x.points, &diagnostic));
	assert_int_equal(x.points.points.count, 12);
	return x;
}

static void write_end(struct experiment *x, const char *name, struct end end)
{
	struct diagnostic diagnostic = {0};
	struct point point = {.name = name};
	end.date = end.output = "";
	assert_true(end_write(&point, x->folder.path, &end, &diagnostic));
}

/* Of all builds; points that did not end by themselves took less than they would have. */
static void costs_are_of_what_ran(void **state)
{
	(void)state;
	struct experiment x = make();
	const struct cost *costs = task_costs(&x.folder.arena, x.plan, &x.points, x.folder.path);
	assert_true(costs[0].mean == 4 && costs[0].most == 4 && !costs[0].bytes && !costs[0].measured);
	assert_true(costs[1].mean == 1 && costs[1].most == 1);
	write_end(&x, "p-q-g-a-0", (struct end){.reason = "exit", .seconds = 2, .peak_bytes = 100});
	write_end(&x, "p-q-g-a-1", (struct end){.reason = "exit", .seconds = 8, .peak_bytes = 70});
	write_end(&x, "p-q-g-a-2", (struct end){.reason = "time limit", .seconds = 100, .peak_bytes = 5000});
	write_end(&x, "p-g-b-0", (struct end){.reason = "exit", .seconds = 0.5, .peak_bytes = 9});
	write_end(&x, "q-g-b-0", (struct end){.reason = "exit", .seconds = 50, .peak_bytes = 900});
	write_file(&x.folder, "p-g-b-1.end", "not JSON");
	write_file(&x.folder, "p-g-b-2.json", "{ \"reason\": \"exit\", \"seconds\": 900 }");
	costs = task_costs(&x.folder.arena, x.plan, &x.points, x.folder.path);
	assert_true(costs[0].mean == 5 && costs[0].most == 8);
	assert_int_equal(costs[0].bytes, 100);
	assert_int_equal(costs[0].measured, 2);
	assert_true(costs[1].mean == 0.5 && costs[1].most == 0.5);
	assert_int_equal(costs[1].bytes, 9);
	remove_folder(&x.folder);
}

/* Sizes of the tasks of p-q's points that are wanted: all but the first `left_out`. */
static void assert_sizes(
	struct experiment *x, uint32_t left_out, double mean, double seconds, uint32_t most, const char *expected)
{
	bool wanted[12];
	struct tasks tasks;
	struct text sizes = {.arena = &x->folder.arena};
	uint32_t seen = 0;
	for (uint32_t k = 0; k < 12; k++)
		wanted[k] = x->points.points.at[k].program != x->plan->programs.at || seen++ >= left_out;
	task_make(&x->folder.arena, &x->points, x->plan->programs.at, wanted, &(struct cost){.mean = mean}, seconds,
		most, &tasks);
	seen = 0;
	for (uint32_t t = 0; t < tasks.all.count; t++) {
		text_print(&sizes, "%u ", tasks.all.at[t].count);
		for (uint32_t k = 0; k < tasks.all.at[t].count; k++) {
			uint32_t point = tasks.all.at[t].points[k];
			assert_true(wanted[point] && x->points.points.at[point].program == x->plan->programs.at);
			seen++;
		}
	}
	assert_int_equal(seen, 6 - left_out);
	assert_string_equal(sizes.at ? sizes.at : "", expected);
}

static void points_fill_tasks(void **state)
{
	(void)state;
	struct experiment x = make();
	assert_sizes(&x, 0, 1, 60, 100, "6 ");
	assert_sizes(&x, 0, 30, 60, 100, "2 2 2 ");
	assert_sizes(&x, 1, 30, 60, 100, "2 2 1 ");
	assert_sizes(&x, 0, 600, 60, 100, "1 1 1 1 1 1 "); /* each takes longer */
	assert_sizes(&x, 0, 600, 60, 4, "2 2 2 ");         /* more than an array has room for */
	assert_sizes(&x, 0, 600, 60, 1, "6 ");
	assert_sizes(&x, 6, 1, 60, 100, "");
	remove_folder(&x.folder);
}

static const char *wanted_by(struct experiment *x, const char *number, bool wanted[12])
{
	static struct diagnostic diagnostic;
	diagnostic = (struct diagnostic){0};
	memset(wanted, 0, 12);
	if (number)
		setenv("SLURM_ARRAY_TASK_ID", number, 1);
	else
		unsetenv("SLURM_ARRAY_TASK_ID");
	const char *file = arena_printf(&x->folder.arena, "%s/tasks", x->folder.path);
	bool good = task_wanted(&x->folder.arena, &x->points, file, wanted, &diagnostic);
	assert_int_equal(good, !diagnostic.failed);
	return diagnostic.message;
}

static void a_task_is_a_line(void **state)
{
	(void)state;
	struct experiment x = make();
	struct diagnostic diagnostic = {0};
	const char *file = arena_printf(&x.folder.arena, "%s/tasks", x.folder.path);
	uint32_t points[] = {3, 7, 0};
	struct task two[] = {{.points = points, .count = 2}, {.points = points + 2, .count = 1}};
	struct tasks written = {.all = {two, 2, 2}}, found;
	bool wanted[12];
	assert_true(task_write(&x.points, &written, file, &diagnostic));
	assert_true(task_read(&x.folder.arena, &x.points, file, &found, &diagnostic));
	assert_int_equal(found.all.count, 2);
	assert_int_equal(found.all.at[0].count, 2);
	assert_int_equal(found.all.at[0].points[1], 7);
	assert_int_equal(found.all.at[1].points[0], 0);
	assert_string_equal(wanted_by(&x, "0", wanted), "");
	for (uint32_t k = 0; k < 12; k++)
		assert_int_equal(wanted[k], k == 3 || k == 7);
	assert_string_equal(wanted_by(&x, "1", wanted), "");
	assert_true(wanted[0]);
	assert_non_null(strstr(wanted_by(&x, "2", wanted), "tasks:3: there is no task 2"));
	assert_non_null(strstr(wanted_by(&x, "x", wanted), "there is no SLURM_ARRAY_TASK_ID"));
	assert_non_null(strstr(wanted_by(&x, NULL, wanted), "there is no SLURM_ARRAY_TASK_ID"));
	remove_folder(&x.folder);
}

/* Other executables make other points: the list of an earlier build names some that there are no more. */
static void points_of_other_builds_are_told(void **state)
{
	(void)state;
	struct experiment x = make();
	struct diagnostic diagnostic = {0};
	struct tasks found;
	bool wanted[12];
	const char *file = arena_printf(&x.folder.arena, "%s/tasks", x.folder.path);
	write_file(&x.folder, "tasks",
		arena_printf(
			&x.folder.arena, "%s\tgone\n%s\n", x.points.points.at[2].name, x.points.points.at[4].name));
	assert_non_null(strstr(wanted_by(&x, "0", wanted), "tasks:1: 'gone' is no point of this build"));
	assert_string_equal(wanted_by(&x, "1", wanted), "");
	assert_true(task_read(&x.folder.arena, &x.points, file, &found, &diagnostic));
	assert_int_equal(found.all.count, 2);
	assert_int_equal(found.all.at[0].count, 1);
	assert_int_equal(found.all.at[0].points[0], 2);
	remove_folder(&x.folder);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(costs_are_of_what_ran),
		cmocka_unit_test(points_fill_tasks),
		cmocka_unit_test(a_task_is_a_line),
		cmocka_unit_test(points_of_other_builds_are_told),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
