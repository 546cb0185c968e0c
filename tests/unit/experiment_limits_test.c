/* Questions to the database that do not end, or give too much, are stopped. */
#include "experiment_harness.h"

#include "experiment/database.h"

static void tick(sqlite3_context *context, int count, sqlite3_value **values)
{
	(void)count;
	(void)values;
	sqlite3_int64 *ticks = sqlite3_user_data(context);
	sqlite3_result_int64(context, ++*ticks);
}

#define TICKS "WITH RECURSIVE c(x) AS (SELECT tick() UNION ALL SELECT tick() FROM c LIMIT %d) SELECT count(*) FROM c"

/* Steps of SQLite's machine that so many calls of tick() take. */
static int steps_of(sqlite3 *db, int ticks)
{
	char sql[256];
	sqlite3_stmt *statement = NULL;
	snprintf(sql, sizeof sql, TICKS, ticks);
	assert_int_equal(sqlite3_prepare_v2(db, sql, -1, &statement, NULL), SQLITE_OK);
	assert_int_equal(sqlite3_step(statement), SQLITE_ROW);
	int steps = sqlite3_stmt_status(statement, SQLITE_STMTSTATUS_VM_STEP, 0);
	sqlite3_finalize(statement);
	return steps;
}

/* SQLite looks each 10^6 steps, so one such look too many or too few is 1 %. */
static void a_question_is_stopped_after_the_steps_that_are_said(void **state)
{
	(void)state;
	struct arena arena = {0};
	struct diagnostic diagnostic = {0};
	sqlite3_int64 ticks = 0;
	char sql[256];
	sqlite3 *db = database_open(NULL, &diagnostic);
	sqlite3_create_function(db, "tick", 0, SQLITE_UTF8, &ticks, tick, NULL, NULL);
	double steps_each = (steps_of(db, 3000) - steps_of(db, 1000)) / 2000.0;
	ticks = 0;
	snprintf(sql, sizeof sql, TICKS, -1);
	assert_int_equal(database_ask(&arena, db, sql, (struct place){0}, &diagnostic).kind, ANSWER_WRONG);
	assert_string_equal(diagnostic.message, "the database says: this does not end: stopped after 10^8 steps");
	assert_in_range((uint64_t)((double)ticks * steps_each), 99500000, 100500000);
	sqlite3_close(db);
	arena_free(&arena);
}

/* 100,000 rows are an answer, and one more is none (docs/experiments.md). */
static void an_answer_has_a_limit(void **state)
{
	(void)state;
	struct arena arena = {0};
	struct diagnostic diagnostic = {0};
	static const char rows[] =
		"WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c LIMIT %u) SELECT x FROM c";
	sqlite3 *db = database_open(NULL, &diagnostic);
	struct answer a = database_ask(&arena, db, arena_printf(&arena, rows, 100000), (struct place){0}, &diagnostic);
	assert_int_equal(a.kind, ANSWER_VALUES);
	assert_int_equal(a.rows, 100000);
	assert_string_equal(a.values[99999], "100000");
	a = database_ask(&arena, db, arena_printf(&arena, rows, 100001), (struct place){0}, &diagnostic);
	assert_int_equal(a.kind, ANSWER_WRONG);
	assert_string_equal(diagnostic.message, "this gives more than 100000 rows, expected fewer");
	sqlite3_close(db);
	arena_free(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_question_is_stopped_after_the_steps_that_are_said),
		cmocka_unit_test(an_answer_has_a_limit),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
