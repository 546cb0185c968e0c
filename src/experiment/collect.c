/* Reads result files and fills the tables: a row for each point, launch and counter, and the table `runs` with sums for
 * each benchmark. */
#include "experiment/collect.h"

#include "experiment/end.h"
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
	" unpinned TEXT, compilation TEXT, compiler TEXT, ptx TEXT);"
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
	uint64_t launch;
};

static bool good(struct collector *c, int status)
{
	if (status == SQLITE_OK || status == SQLITE_DONE || status == SQLITE_ROW)
		return true;
	diagnose(
		c->diagnostic, (struct place){.file = c->file}, "cannot write the database: %s", sqlite3_errmsg(c->db));
	return false;
}

/* Into a table, that many values. */
static sqlite3_stmt *prepare_insert(struct collector *c, const char *into, uint32_t columns)
{
	sqlite3_stmt *statement = NULL;
	struct text sql = {.arena = c->arena};
	text_print(&sql, "INSERT %s VALUES(?", into);
	for (uint32_t k = 1; k < columns; k++)
		text_print(&sql, ",?");
	text_print(&sql, ")");
	good(c, sqlite3_prepare_v2(c->db, sql.at, -1, &statement, NULL));
	return statement;
}

/* Of a column. */
struct value {
	enum { NOTHING, TEXT, WHOLE, REAL } kind;
	const char *text;
	int64_t whole;
	double real;
};

static struct value text(const char *words)
{
	return words ? (struct value){.kind = TEXT, .text = words} : (struct value){0};
}

static struct value whole(uint64_t number)
{
	return (struct value){.kind = WHOLE, .whole = (int64_t)number};
}

static struct value real(double number)
{
	return (struct value){.kind = REAL, .real = number};
}

static void insert(struct collector *c, sqlite3_stmt *s, const struct value *values, int count)
{
	for (int k = 0; k < count; k++)
		switch (values[k].kind) {
		case NOTHING: sqlite3_bind_null(s, k + 1); break;
		case TEXT: sqlite3_bind_text(s, k + 1, values[k].text, -1, SQLITE_TRANSIENT); break;
		case WHOLE: sqlite3_bind_int64(s, k + 1, values[k].whole); break;
		case REAL: sqlite3_bind_double(s, k + 1, values[k].real); break;
		}
	good(c, sqlite3_step(s));
	sqlite3_reset(s);
}

#define INSERT(c, s, ...)                                                                                              \
	insert(c, s, (const struct value[]){__VA_ARGS__},                                                              \
		(int)(sizeof(const struct value[]){__VA_ARGS__} / sizeof(struct value)))

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

static struct value number(json_object *value)
{
	return json_object_is_type(value, json_type_double) ? real(json_object_get_double(value))
	       : json_object_is_type(value, json_type_int)  ? whole((uint64_t)json_object_get_int64(value))
							    : (struct value){0};
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

static struct value total(const struct sum *sum)
{
	return !sum->any ? (struct value){0} : sum->is_real ? real(sum->real) : whole(sum->whole);
}

static uint32_t counter_number(struct collector *c, const char *name)
{
	uintptr_t known = (uintptr_t)map_get(&c->counters, name);
	if (known)
		return (uint32_t)known - 1;
	*vector_push(c->arena, &c->counter_names) = arena_text(c->arena, name);
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

static void insert_launch(struct collector *c, uint32_t point, size_t number_of_launch, json_object *launch)
{
	json_object *occupancy = member(launch, "occupancy"), *counters = member(launch, "counters");
	c->launch++;
	INSERT(c, c->insert_launch, whole(c->launch), whole(point + 1), whole(number_of_launch),
		whole(launches_of_record(launch)), text(text_at(launch, "kernel")),
		text(size_of(c->arena, member(launch, "grid"))), text(size_of(c->arena, member(launch, "block"))),
		text(text_at(launch, "outcome")), number(member(launch, "cycles")),
		number(member(launch, "warp_instructions")), number(member(launch, "thread_instructions")),
		number(member(launch, "registers_per_thread")), number(member(launch, "shared_bytes")),
		number(member(occupancy, "groups_per_core")), text(text_at(occupancy, "limiter")));
	if (!counters)
		return;
	json_object_object_foreach(counters, name, value)
	{
		INSERT(c, c->insert_counter, whole(c->launch), whole(counter_number(c, name) + 1), number(value));
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

/* Null: nothing ran, or an older version. */
static const char *compilation_of(json_object *provenance)
{
	bool compiled = member(provenance, "compiler"), pinned = compiled;
	json_object *modules = member(provenance, "modules");
	for (size_t k = 0; k < length_of(modules); k++)
		pinned = pinned && json_object_get_boolean(member(element(modules, k), "pinned"));
	return !length_of(modules) ? NULL : pinned ? "pinned" : compiled ? "anew" : "the program's own";
}

/* Of the PTX that ran. */
static const char *maker_of(json_object *provenance)
{
	json_object *modules = member(provenance, "modules"), *first = length_of(modules) ? element(modules, 0) : NULL;
	return member(provenance, "compiler") ? text_at(provenance, "compiler")
	       : member(first, "producer")    ? text_at(first, "producer")
					      : NULL;
}

static void insert_point(
	struct collector *c, uint32_t k, const struct status *status, const struct end *end, json_object *report)
{
	sqlite3_stmt *s = prepare_insert(c, "INTO points", 22);
	const struct point *p = &c->points->points.at[k];
	json_object *exit_status = member(member(report, "program"), "status"), *unpinned = member(report, "unpinned");
	json_object *provenance = member(report, "provenance");
	bool exited = end->reason && !strcmp(end->reason, "exit"),
	     is_unpinned = unpinned && json_object_array_length(unpinned);
	const char *configuration = !report ? NULL
					    : json_object_to_json_string_ext(member(report, "configuration"),
						      JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE);
	if (!s)
		return;
	INSERT(c, s, whole(k + 1), text(p->key), text(p->name), text(p->program->name), text(p->gpu), text(p->options),
		text(p->arguments), whole(p->seed), text(size_names[c->points->size]), text(p->shown),
		text(c->points->build.simulator), text(p->build), text(status->outcome),
		exit_status ? number(exit_status)
		: exited    ? whole((uint64_t)end->status)
			    : (struct value){0},
		report || end->reason ? real(status->seconds) : (struct value){0}, text(end->date), text(end->output),
		text(configuration),
		text(is_unpinned ? unpinned_words(c->arena, json_object_array_get_idx(unpinned, 0)) : NULL),
		text(compilation_of(provenance)), text(maker_of(provenance)),
		text(member(provenance, "ptx") ? text_at(provenance, "ptx") : NULL));
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
	sqlite3_stmt *s = prepare_insert(c, "INTO benchmarks", 4);
	for (uint32_t k = 0; s && k < c->plan->benchmarks.count; k++) {
		const struct benchmark *b = &c->plan->benchmarks.at[k];
		for (uint32_t n = 0; n < (b->kernels.count ? b->kernels.count : 1); n++)
			INSERT(c, s, text(b->name), text(b->program), text(b->kernels.count ? b->kernels.at[n] : NULL),
				whole(k + 1));
	}
	sqlite3_finalize(s);
}

static void insert_policies(struct collector *c)
{
	sqlite3_stmt *s = prepare_insert(c, "INTO policies", 3);
	for (uint32_t k = 0; s && k < c->plan->policies.count; k++)
		INSERT(c, s, text(c->plan->policies.at[k].name), whole(k + 1), text(c->plan->policies.at[k].options));
	sqlite3_finalize(s);
}

static void insert_entries(struct collector *c)
{
	sqlite3_stmt *s = prepare_insert(c, "INTO entries", 7);
	for (uint32_t k = 0; s && k < c->points->entries.count; k++) {
		const struct entry *e = &c->points->entries.at[k];
		const struct point *p = &c->points->points.at[e->point];
		INSERT(c, s, text(e->set->name), whole(e->point + 1), text(p->gpu), text(e->policy->name),
			text(e->variation ? e->variation->name : ""), real(e->variation ? e->variation->value : 0),
			whole(p->seed));
	}
	sqlite3_finalize(s);
}

static void insert_counter_names(struct collector *c)
{
	sqlite3_stmt *s = prepare_insert(c, "INTO counter_names", 2);
	for (uint32_t k = 0; s && k < c->counter_names.count; k++)
		INSERT(c, s, whole(k + 1), text(c->counter_names.at[k]));
	sqlite3_finalize(s);
}

/* `row` has room for all columns. */
static void insert_run(
	struct collector *c, sqlite3_stmt *s, const struct entry *e, uint32_t benchmark, struct value *row)
{
	const struct point *p = &c->points->points.at[e->point];
	const struct sums *sums = &c->sums[e->point][benchmark];
	const struct value fixed[RUNS_FIXED] = {text(c->plan->benchmarks.at[benchmark].name), whole(benchmark + 1),
		text(p->program->name), text(p->gpu), text(e->policy->name),
		text(e->variation ? e->variation->name : ""), real(e->variation ? e->variation->value : 0),
		whole(p->seed), whole(e->point + 1), total(&sums->fixed[SUM_LAUNCHES]), total(&sums->fixed[SUM_CYCLES]),
		total(&sums->fixed[SUM_WARP]), total(&sums->fixed[SUM_THREAD])};
	memcpy(row, fixed, sizeof fixed);
	for (uint32_t k = 0; k < c->counter_names.count; k++)
		row[RUNS_FIXED + k] = k < sums->counters.count ? total(&sums->counters.at[k]) : (struct value){0};
	insert(c, s, row, (int)(RUNS_FIXED + c->counter_names.count));
}

/* The table has a column for each counter that any result has; what several sets name is in it once. */
static void make_runs(struct collector *c)
{
	struct text table = {.arena = c->arena};
	text_print(&table, "DROP TABLE runs; CREATE TABLE runs(%s", runs_columns);
	for (uint32_t k = 0; k < c->counter_names.count; k++)
		text_print(&table, ", [%s]", c->counter_names.at[k]);
	text_print(&table, ", UNIQUE(benchmark, gpu, policy, variation, seed));");
	if (!database_run(c->db, table.at, (struct place){.file = c->file}, c->diagnostic))
		return;
	uint32_t columns = RUNS_FIXED + c->counter_names.count;
	struct value *row = arena_array(c->arena, columns, sizeof *row);
	sqlite3_stmt *s = prepare_insert(c, "OR IGNORE INTO runs", columns);
	for (uint32_t k = 0; s && k < c->points->entries.count; k++) {
		const struct entry *e = &c->points->entries.at[k];
		for (uint32_t b = 0; b < c->plan->benchmarks.count && c->sums[e->point]; b++)
			if (c->sums[e->point][b].fixed[SUM_LAUNCHES].any)
				insert_run(c, s, e, b, row);
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
	c->insert_launch = prepare_insert(c, "INTO launches", 15);
	c->insert_counter = prepare_insert(c, "INTO counter_values", 3);
	for (uint32_t k = 0; k < c->points->points.count && !c->diagnostic->failed; k++)
		take_point(c, k, &statuses[k]);
	sqlite3_finalize(c->insert_launch);
	sqlite3_finalize(c->insert_counter);
	static void (*const rest[])(struct collector *) = {
		insert_benchmarks, insert_policies, insert_entries, insert_counter_names, make_runs};
	for (size_t k = 0; k < sizeof rest / sizeof *rest && !c->diagnostic->failed; k++)
		rest[k](c);
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
		statuses[k].output = arena_text(arena, statuses[k].output);
	}
	arena_free(&scratch);
	return !diagnostic->failed;
}
