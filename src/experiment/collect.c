/* Reads result files and fills the tables: a row for each point, launch and counter, and the table `runs` with sums for
 * each benchmark. */
#include "experiment/collect.h"

#include "experiment/end.h"
#include "experiment/tables.h"
#include "report/members.h"
#include "util/map.h"
#include "util/text.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const char schema[] =
	"CREATE TABLE points(point INTEGER PRIMARY KEY, key TEXT UNIQUE, name TEXT, program TEXT, gpu TEXT,"
	" options TEXT, arguments TEXT, seed INTEGER, size TEXT, command TEXT, simulator TEXT, build TEXT,"
	" outcome TEXT, exit_status INTEGER, wall_seconds REAL, date TEXT, output TEXT, configuration TEXT,"
	" unpinned TEXT);"
	"CREATE TABLE entries([set] TEXT, point INTEGER REFERENCES points, gpu TEXT, policy TEXT, variation TEXT,"
	" x REAL, seed INTEGER);"
	"CREATE TABLE benchmarks(benchmark TEXT, program TEXT, kernel TEXT, number INTEGER);"
	"CREATE TABLE policies(policy TEXT PRIMARY KEY, number INTEGER, options TEXT);"
	"CREATE TABLE launches(launch INTEGER PRIMARY KEY, point INTEGER REFERENCES points, number INTEGER,"
	" launches INTEGER, kernel TEXT, grid TEXT, block TEXT, outcome TEXT, cycles INTEGER, warp_instructions "
	"INTEGER,"
	" thread_instructions INTEGER, registers_per_thread INTEGER, shared_bytes INTEGER, groups_per_core INTEGER,"
	" limiter TEXT);"
	"CREATE TABLE counter_names(counter INTEGER PRIMARY KEY, name TEXT UNIQUE);"
	"CREATE TABLE counter_values(launch INTEGER REFERENCES launches, counter INTEGER REFERENCES counter_names,"
	" value, PRIMARY KEY(launch, counter)) WITHOUT ROWID;";

static const char counters_view[] =
	"CREATE VIEW counters AS SELECT l.point, l.number AS launch, l.kernel, n.name, v.value FROM counter_values v"
	" JOIN launches l USING (launch) JOIN counter_names n USING (counter);";

/* Of `runs`, before the counters. */
static const char runs_columns[] =
	"benchmark TEXT, number INTEGER, program TEXT, gpu TEXT, policy TEXT, variation TEXT, x REAL, seed INTEGER,"
	" point INTEGER, launches INTEGER, cycles INTEGER, warp_instructions INTEGER, thread_instructions INTEGER";
#define RUNS_FIXED 13

/* A sum of whole numbers, or of others when one was among them. */
struct sum {
	bool any, is_real;
	uint64_t whole;
	double real;
};

enum { SUM_LAUNCHES, SUM_CYCLES, SUM_WARP, SUM_THREAD, SUM_FIXED };

/* What a benchmark has at a point. */
struct sums {
	struct sum fixed[SUM_FIXED];
	VECTOR(struct sum) counters; /* by number of the counter */
};

struct collector {
	struct arena *arena;
	const struct plan *plan;
	const struct points *points;
	const char *folder, *file; /* of the results; the database */
	struct diagnostic *diagnostic;
	sqlite3 *db;
	sqlite3_stmt *insert_launch, *insert_counter;
	struct map counters; /* name -> its number + 1 */
	VECTOR(const char *) counter_names;
	struct sums **sums; /* of each point, its benchmarks in the plan's order; null: not passed */
	sqlite3_int64 launch;
};

static bool good(struct collector *c, int status)
{
	if (status == SQLITE_OK || status == SQLITE_DONE || status == SQLITE_ROW)
		return true;
	diagnose(
		c->diagnostic, (struct place){.file = c->file}, "cannot write the database: %s", sqlite3_errmsg(c->db));
	return false;
}

static sqlite3_stmt *prepare(struct collector *c, const char *sql)
{
	sqlite3_stmt *statement = NULL;
	good(c, sqlite3_prepare_v2(c->db, sql, -1, &statement, NULL));
	return statement;
}

static void bind_text(sqlite3_stmt *statement, int at, const char *text)
{
	if (text)
		sqlite3_bind_text(statement, at, text, -1, SQLITE_TRANSIENT);
	else
		sqlite3_bind_null(statement, at);
}

static void step(struct collector *c, sqlite3_stmt *statement)
{
	good(c, sqlite3_step(statement));
	sqlite3_reset(statement);
}

bool collect_schema(sqlite3 *db, struct diagnostic *diagnostic)
{
	const char *runs = sqlite3_mprintf("CREATE TABLE runs(%s);", runs_columns);
	bool fine = database_run(db, schema, (struct place){0}, diagnostic) &&
		    database_run(db, runs, (struct place){0}, diagnostic);
	sqlite3_free((char *)runs);
	return fine;
}

/* ---- JSON ---- */

/* Null when there is none. */
static const char *text_at(json_object *object, const char *key)
{
	return json_object_get_string(member(object, key));
}

static const char *size_of(struct arena *arena, json_object *array)
{
	return json_object_is_type(array, json_type_array) && json_object_array_length(array) == 3
		       ? arena_printf(arena, "%s,%s,%s", json_object_get_string(json_object_array_get_idx(array, 0)),
				 json_object_get_string(json_object_array_get_idx(array, 1)),
				 json_object_get_string(json_object_array_get_idx(array, 2)))
		       : NULL;
}

static void bind_number(sqlite3_stmt *statement, int at, json_object *value)
{
	if (json_object_is_type(value, json_type_double))
		sqlite3_bind_double(statement, at, json_object_get_double(value));
	else if (json_object_is_type(value, json_type_int))
		sqlite3_bind_int64(statement, at, json_object_get_int64(value));
	else
		sqlite3_bind_null(statement, at);
}

/* ---- Sums ---- */

static void add(struct sum *sum, json_object *value)
{
	if (json_object_is_type(value, json_type_double))
		sum->is_real = true;
	else if (!json_object_is_type(value, json_type_int))
		return;
	sum->any = true;
	sum->whole += sum->is_real ? 0 : json_object_get_uint64(value);
	sum->real += json_object_get_double(value);
}

static void bind_sum(sqlite3_stmt *statement, int at, const struct sum *sum)
{
	if (!sum->any)
		sqlite3_bind_null(statement, at);
	else if (sum->is_real)
		sqlite3_bind_double(statement, at, sum->real);
	else
		sqlite3_bind_int64(statement, at, (sqlite3_int64)sum->whole);
}

static uint32_t counter_number(struct collector *c, const char *name)
{
	uintptr_t known = (uintptr_t)map_get(&c->counters, name);
	if (known)
		return (uint32_t)known - 1;
	*vector_push(c->arena, &c->counter_names) = arena_copy(c->arena, name, strlen(name));
	map_put(c->arena, &c->counters, name, strlen(name), (void *)(uintptr_t)c->counter_names.count);
	return c->counter_names.count - 1;
}

static bool is_of(const struct benchmark *b, const char *program, const char *kernel)
{
	return !strcmp(b->program, program) && (!b->kernels.count || names_have(&b->kernels, kernel));
}

static void add_launch(struct collector *c, struct sums *sums, json_object *launch)
{
	static const char *const keys[SUM_FIXED] = {NULL, "cycles", "warp_instructions", "thread_instructions"};
	sums->fixed[SUM_LAUNCHES].any = true;
	sums->fixed[SUM_LAUNCHES].whole += launches_of_record(launch);
	for (int k = SUM_CYCLES; k < SUM_FIXED; k++)
		add(&sums->fixed[k], member(launch, keys[k]));
	json_object_object_foreach(member(launch, "counters"), name, value)
	{
		uint32_t number = counter_number(c, name);
		while (sums->counters.count <= number)
			vector_push(c->arena, &sums->counters);
		add(&sums->counters.at[number], value);
	}
}

/* ---- Points ---- */

static void insert_launch(struct collector *c, uint32_t point, size_t number, json_object *launch)
{
	static const char *const numbers[] = {
		"cycles", "warp_instructions", "thread_instructions", "registers_per_thread", "shared_bytes"};
	sqlite3_stmt *s = c->insert_launch;
	json_object *occupancy = member(launch, "occupancy"), *counters = member(launch, "counters");
	c->launch++;
	sqlite3_bind_int64(s, 1, c->launch);
	sqlite3_bind_int64(s, 2, point + 1);
	sqlite3_bind_int64(s, 3, (sqlite3_int64)number);
	sqlite3_bind_int64(s, 4, (int64_t)launches_of_record(launch));
	bind_text(s, 5, text_at(launch, "kernel"));
	bind_text(s, 6, size_of(c->arena, member(launch, "grid")));
	bind_text(s, 7, size_of(c->arena, member(launch, "block")));
	bind_text(s, 8, text_at(launch, "outcome"));
	for (int k = 0; k < 5; k++)
		bind_number(s, 9 + k, member(launch, numbers[k]));
	bind_number(s, 14, member(occupancy, "groups_per_core"));
	bind_text(s, 15, text_at(occupancy, "limiter"));
	step(c, s);
	if (!counters)
		return;
	json_object_object_foreach(counters, name, value)
	{
		sqlite3_bind_int64(c->insert_counter, 1, c->launch);
		sqlite3_bind_int64(c->insert_counter, 2, counter_number(c, name) + 1);
		bind_number(c->insert_counter, 3, value);
		step(c, c->insert_counter);
	}
}

static void take_launches(struct collector *c, uint32_t point, json_object *launches)
{
	const char *program = c->points->points.at[point].program->name;
	struct sums *sums = arena_new_array(c->arena, struct sums, c->plan->benchmarks.count + 1);
	for (size_t k = 0; k < json_object_array_length(launches) && !c->diagnostic->failed; k++) {
		json_object *launch = json_object_array_get_idx(launches, k);
		const char *kernel = text_at(launch, "kernel");
		insert_launch(c, point, k, launch);
		for (uint32_t b = 0; b < c->plan->benchmarks.count; b++)
			if (member(launch, "counters") &&
				is_of(&c->plan->benchmarks.at[b], program, kernel ? kernel : ""))
				add_launch(c, &sums[b], launch);
	}
	c->sums[point] = sums;
}

/* What became of it, by its report: the first launch that went wrong, else how the program ended. */
static const char *outcome_of(json_object *report)
{
	json_object *launches = member(report, "launches"), *program = member(report, "program");
	for (size_t k = 0; k < json_object_array_length(launches); k++) {
		const char *outcome = text_at(json_object_array_get_idx(launches, k), "outcome");
		for (const char *const *bad = (const char *const[]){"hang", "fault", "limit", "interrupted", NULL};
			*bad; bad++)
			if (outcome && !strcmp(outcome, *bad))
				return *bad;
	}
	if (member(program, "signal"))
		return "killed";
	return json_object_get_int(member(program, "status")) ? "failed" : "passed";
}

static double simulated_seconds(json_object *launches)
{
	double sum = 0;
	for (size_t k = 0; k < json_object_array_length(launches); k++)
		sum += json_object_get_double(member(json_object_array_get_idx(launches, k), "wall_seconds"));
	return sum;
}

/* Of a point without a result. */
static const char *missing_outcome(const struct end *end)
{
	if (!end->reason)
		return "missing";
	return !strcmp(end->reason, "exit") ? "failed" : !strcmp(end->reason, "signal") ? "killed" : "time limit";
}

/* By which compiler, and why the pinned PTX was not taken. */
static const char *unpinned_words(struct arena *arena, json_object *source)
{
	return arena_printf(arena, "%s: %s", text_at(source, "compiler"), text_at(source, "why"));
}

static void insert_point(
	struct collector *c, uint32_t k, const struct status *status, const struct end *end, json_object *report)
{
	sqlite3_stmt *s = prepare(c, "INSERT INTO points VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)");
	const struct point *p = &c->points->points.at[k];
	json_object *program = member(report, "program"), *exit_status = member(program, "status");
	json_object *unpinned = member(report, "unpinned");
	if (!s)
		return;
	sqlite3_bind_int64(s, 1, k + 1);
	bind_text(s, 2, p->key);
	bind_text(s, 3, p->name);
	bind_text(s, 4, p->program->name);
	bind_text(s, 5, p->gpu);
	bind_text(s, 6, p->options);
	bind_text(s, 7, p->arguments);
	sqlite3_bind_int64(s, 8, (sqlite3_int64)p->seed);
	bind_text(s, 9, size_names[c->points->size]);
	bind_text(s, 10, p->shown);
	bind_text(s, 11, c->points->build.simulator);
	bind_text(s, 12, p->build);
	bind_text(s, 13, status->outcome);
	if (exit_status)
		bind_number(s, 14, exit_status);
	else if (end->reason && !strcmp(end->reason, "exit"))
		sqlite3_bind_int(s, 14, end->status);
	if (report || end->reason)
		sqlite3_bind_double(s, 15, status->seconds);
	bind_text(s, 16, end->date);
	bind_text(s, 17, end->output);
	if (report)
		bind_text(s, 18,
			json_object_to_json_string_ext(member(report, "configuration"),
				JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE));
	if (unpinned && json_object_array_length(unpinned))
		bind_text(s, 19, unpinned_words(c->arena, json_object_array_get_idx(unpinned, 0)));
	step(c, s);
	sqlite3_finalize(s);
}

/* Not one that was stopped from outside, or has no result. */
static bool is_own_end(const char *outcome)
{
	return !strcmp(outcome, "hang") || !strcmp(outcome, "fault") || !strcmp(outcome, "limit") ||
	       !strcmp(outcome, "failed");
}

/* All sets that name it say so. */
static bool may_fail(const struct collector *c, uint32_t point)
{
	for (uint32_t k = 0; k < c->points->entries.count; k++)
		if (c->points->entries.at[k].point == point && !c->points->entries.at[k].set->may_fail)
			return false;
	return true;
}

/* By a point that ran elsewhere, and has no end; null: nothing. */
static const char *printed_so_far(struct collector *c, const struct point *p)
{
	const char *output = end_output(c->arena, p, c->folder);
	return *output ? output : NULL;
}

static void take_point(struct collector *c, uint32_t k, struct status *status)
{
	const struct point *p = &c->points->points.at[k];
	struct end end = {0};
	json_object *report = end_read_result(c->arena, p, c->folder, c->diagnostic);
	if (report && !(member(report, "launches") && member(report, "program"))) {
		json_object_put(report);
		report = NULL;
	}
	if (!end_read(c->arena, p, c->folder, &end, c->diagnostic))
		end.output = printed_so_far(c, p);
	status->outcome = report ? outcome_of(report) : missing_outcome(&end);
	status->output = end.output ? end.output : "";
	status->seconds = end.reason || !report ? end.seconds : simulated_seconds(member(report, "launches"));
	insert_point(c, k, status, &end, report);
	if (report)
		take_launches(c, k, member(report, "launches"));
	bool passed = !strcmp(status->outcome, "passed");
	status->failed = !passed && !(is_own_end(status->outcome) && may_fail(c, k));
	if (!passed)
		c->sums[k] = NULL;
	json_object_put(report);
}

/* ---- Tables of the whole ---- */

static void insert_benchmarks(struct collector *c)
{
	sqlite3_stmt *s = prepare(c, "INSERT INTO benchmarks VALUES(?,?,?,?)");
	for (uint32_t k = 0; s && k < c->plan->benchmarks.count; k++) {
		const struct benchmark *b = &c->plan->benchmarks.at[k];
		for (uint32_t n = 0; n < (b->kernels.count ? b->kernels.count : 1); n++) {
			bind_text(s, 1, b->name);
			bind_text(s, 2, b->program);
			bind_text(s, 3, b->kernels.count ? b->kernels.at[n] : NULL);
			sqlite3_bind_int64(s, 4, k + 1);
			step(c, s);
		}
	}
	sqlite3_finalize(s);
}

static void insert_policies(struct collector *c)
{
	sqlite3_stmt *s = prepare(c, "INSERT INTO policies VALUES(?,?,?)");
	for (uint32_t k = 0; s && k < c->plan->policies.count; k++) {
		bind_text(s, 1, c->plan->policies.at[k].name);
		sqlite3_bind_int64(s, 2, k + 1);
		bind_text(s, 3, c->plan->policies.at[k].options);
		step(c, s);
	}
	sqlite3_finalize(s);
}

static void insert_entries(struct collector *c)
{
	sqlite3_stmt *s = prepare(c, "INSERT INTO entries VALUES(?,?,?,?,?,?,?)");
	for (uint32_t k = 0; s && k < c->points->entries.count; k++) {
		const struct entry *e = &c->points->entries.at[k];
		const struct point *p = &c->points->points.at[e->point];
		bind_text(s, 1, e->set->name);
		sqlite3_bind_int64(s, 2, e->point + 1);
		bind_text(s, 3, p->gpu);
		bind_text(s, 4, e->policy->name);
		bind_text(s, 5, e->variation ? e->variation->name : "");
		sqlite3_bind_double(s, 6, e->variation ? e->variation->value : 0);
		sqlite3_bind_int64(s, 7, (sqlite3_int64)p->seed);
		step(c, s);
	}
	sqlite3_finalize(s);
}

static void insert_counter_names(struct collector *c)
{
	sqlite3_stmt *s = prepare(c, "INSERT INTO counter_names VALUES(?,?)");
	for (uint32_t k = 0; s && k < c->counter_names.count; k++) {
		sqlite3_bind_int64(s, 1, k + 1);
		bind_text(s, 2, c->counter_names.at[k]);
		step(c, s);
	}
	sqlite3_finalize(s);
}

static void insert_run(struct collector *c, sqlite3_stmt *s, const struct entry *e, uint32_t benchmark)
{
	const struct point *p = &c->points->points.at[e->point];
	const struct sums *sums = &c->sums[e->point][benchmark];
	bind_text(s, 1, c->plan->benchmarks.at[benchmark].name);
	sqlite3_bind_int64(s, 2, benchmark + 1);
	bind_text(s, 3, p->program->name);
	bind_text(s, 4, p->gpu);
	bind_text(s, 5, e->policy->name);
	bind_text(s, 6, e->variation ? e->variation->name : "");
	sqlite3_bind_double(s, 7, e->variation ? e->variation->value : 0);
	sqlite3_bind_int64(s, 8, (sqlite3_int64)p->seed);
	sqlite3_bind_int64(s, 9, e->point + 1);
	for (int k = 0; k < SUM_FIXED; k++)
		bind_sum(s, 10 + k, &sums->fixed[k]);
	for (uint32_t k = 0; k < c->counter_names.count; k++)
		bind_sum(s, RUNS_FIXED + 1 + (int)k,
			k < sums->counters.count ? &sums->counters.at[k] : &(struct sum){0});
	step(c, s);
}

/* The table has a column for each counter that any result has; what several sets name is in it once. */
static void make_runs(struct collector *c)
{
	struct text table = {.arena = c->arena}, insert = {.arena = c->arena};
	text_print(&insert, "INSERT OR IGNORE INTO runs VALUES(?");
	for (int k = 1; k < RUNS_FIXED; k++)
		text_print(&insert, ",?");
	text_print(&table, "DROP TABLE runs; CREATE TABLE runs(%s", runs_columns);
	for (uint32_t k = 0; k < c->counter_names.count; k++) {
		text_print(&table, ", [%s]", c->counter_names.at[k]);
		text_print(&insert, ",?");
	}
	text_print(&table, ", UNIQUE(benchmark, gpu, policy, variation, seed));");
	text_print(&insert, ")");
	if (!database_run(c->db, table.at, (struct place){.file = c->file}, c->diagnostic))
		return;
	sqlite3_stmt *s = prepare(c, insert.at);
	for (uint32_t k = 0; s && k < c->points->entries.count; k++) {
		const struct entry *e = &c->points->entries.at[k];
		for (uint32_t b = 0; b < c->plan->benchmarks.count && c->sums[e->point]; b++)
			if (c->sums[e->point][b].fixed[SUM_LAUNCHES].any)
				insert_run(c, s, e, b);
	}
	sqlite3_finalize(s);
}

bool collect_views(sqlite3 *db, const struct plan *plan, struct diagnostic *diagnostic)
{
	struct arena scratch = {0};
	size_t length;
	bool good = database_run(db, counters_view, (struct place){0}, diagnostic) && tables_load(db, plan, diagnostic);
	if (good && plan->views) {
		const char *path = plan_path(&scratch, plan, plan->views),
			   *sql = text_read_file(&scratch, path, &length, diagnostic);
		good = sql && database_run(db, sql, (struct place){.file = path, .line = 1}, diagnostic);
	}
	arena_free(&scratch);
	return good;
}

static void fill(struct collector *c, struct status *statuses)
{
	const struct place place = {.file = c->file};
	if (!database_run(c->db, "PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF; BEGIN;", place, c->diagnostic) ||
		!collect_schema(c->db, c->diagnostic))
		return;
	c->insert_launch = prepare(c, "INSERT INTO launches VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)");
	c->insert_counter = prepare(c, "INSERT INTO counter_values VALUES(?,?,?)");
	for (uint32_t k = 0; k < c->points->points.count && !c->diagnostic->failed; k++)
		take_point(c, k, &statuses[k]);
	sqlite3_finalize(c->insert_launch);
	sqlite3_finalize(c->insert_counter);
	if (!c->diagnostic->failed)
		insert_benchmarks(c);
	if (!c->diagnostic->failed)
		insert_policies(c);
	if (!c->diagnostic->failed)
		insert_entries(c);
	if (!c->diagnostic->failed)
		insert_counter_names(c);
	if (!c->diagnostic->failed)
		make_runs(c);
	if (!c->diagnostic->failed)
		collect_views(c->db, c->plan, c->diagnostic);
	if (!c->diagnostic->failed)
		database_run(c->db, "COMMIT;", place, c->diagnostic);
}

bool collect(struct arena *arena, const struct plan *plan, const struct points *points, const char *folder,
	const char *file, struct status *statuses, struct diagnostic *diagnostic)
{
	struct arena scratch = {0};
	struct collector c = {.arena = &scratch,
		.plan = plan,
		.points = points,
		.folder = folder,
		.file = file,
		.diagnostic = diagnostic};
	const char *beside = arena_printf(&scratch, "%s.new", file);
	unlink(beside);
	c.sums = arena_new_array(&scratch, struct sums *, points->points.count + 1);
	c.db = database_open(beside, diagnostic);
	if (c.db)
		fill(&c, statuses);
	if (c.db && sqlite3_close(c.db) != SQLITE_OK)
		diagnose(diagnostic, (struct place){.file = file}, "cannot close the database");
	if (!diagnostic->failed && rename(beside, file))
		diagnose(diagnostic, (struct place){.file = file}, "cannot write: %s", strerror(errno));
	if (diagnostic->failed)
		unlink(beside);
	for (uint32_t k = 0; k < points->points.count && !diagnostic->failed; k++) { /* which the scratch arena has */
		statuses[k].output = arena_printf(arena, "%s", statuses[k].output);
	}
	arena_free(&scratch);
	return !diagnostic->failed;
}
