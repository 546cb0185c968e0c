/* SQLite: opening, and questions whose mistakes are told apart from counters that are not there. */
#include "experiment/database.h"

#include "util/text.h"
#include "util/vector.h"

#include <string.h>

/* ---- Questions that do not end ----
 *
 * SQLite counts the steps of its machine, so where a statement is stopped does not depend on the host.  The longest
 * question of lock-instructions, which has 111 points, takes 64,000. */

#define STEPS_A_CALL 1000000
#define CALLS_MOST 100 /* 10^8 steps */
#define ROWS_MOST 100000

static int count_steps(void *calls)
{
	return ++*(uint32_t *)calls >= CALLS_MOST;
}

/* The statements that follow begin to count at `calls`, which is 0. */
static void limit_steps(sqlite3 *db, uint32_t *calls)
{
	sqlite3_progress_handler(db, STEPS_A_CALL, count_steps, calls);
}

static const char *complaint(sqlite3 *db)
{
	if (sqlite3_errcode(db) == SQLITE_INTERRUPT)
		return "this does not end: stopped after 10^8 steps";
	return sqlite3_errmsg(db);
}

/* ---- Opening and running ---- */

sqlite3 *database_open(const char *path, struct diagnostic *diagnostic)
{
	sqlite3 *db = NULL;
	int status = sqlite3_open(path ? path : ":memory:", &db);
	if (status == SQLITE_OK) {
		/* A name in double quotes that no column has is an error, and not a text. */
		sqlite3_db_config(db, SQLITE_DBCONFIG_DQS_DML, 0, NULL);
		sqlite3_db_config(db, SQLITE_DBCONFIG_DQS_DDL, 0, NULL);
		return db;
	}
	diagnose(diagnostic, (struct place){.file = path}, "cannot open the database: %s",
		db ? sqlite3_errmsg(db) : "out of memory");
	sqlite3_close(db);
	return NULL;
}

/* Lines before what is wrong in `sql`, as far as SQLite knows it; else before its first word. */
static uint32_t lines_before(sqlite3 *db, const char *sql)
{
	int offset = sqlite3_error_offset(db);
	uint32_t lines = 0;
	for (int k = 0; k < (offset < 0 ? (int)strspn(sql, " \t\n") : offset); k++)
		lines += sql[k] == '\n';
	return lines;
}

bool database_run(sqlite3 *db, const char *sql, struct place place, struct diagnostic *diagnostic)
{
	const char *rest = sql;
	while (*rest) {
		sqlite3_stmt *statement = NULL;
		const char *from = rest;
		uint32_t calls = 0;
		limit_steps(db, &calls);
		int status = sqlite3_prepare_v2(db, from, -1, &statement, &rest);
		while (status == SQLITE_OK && statement && (status = sqlite3_step(statement)) == SQLITE_ROW)
			status = SQLITE_OK;
		bool good = status == SQLITE_OK || status == SQLITE_DONE;
		if (!good) {
			for (const char *c = sql; place.line && c < from; c++)
				place.line += *c == '\n';
			if (place.line)
				place.line += lines_before(db, from);
			diagnose(diagnostic, place, "the database says: %s", complaint(db));
		}
		sqlite3_finalize(statement);
		sqlite3_progress_handler(db, 0, NULL, NULL);
		if (!good)
			return false;
	}
	return true;
}

/* ---- Questions ---- */

/* "no such column: r.sync__backoffs.sum": counters, and they alone, have two underscores in a row. */
static const char *missing_counter(struct arena *arena, const char *message)
{
	static const char begin[] = "no such column: ";
	const char *name = message + sizeof begin - 1, *underscores;
	if (strncmp(message, begin, sizeof begin - 1) || !(underscores = strstr(name, "__")))
		return NULL;
	for (const char *dot = strchr(name, '.'); dot && dot < underscores; dot = strchr(name, '.'))
		name = dot + 1; /* the table's name */
	return arena_text(arena, name);
}

static const char *value_of(struct arena *arena, sqlite3_stmt *statement, int column)
{
	switch (sqlite3_column_type(statement, column)) {
	case SQLITE_NULL: return NULL;
	case SQLITE_FLOAT: return arena_printf(arena, "%.15g", sqlite3_column_double(statement, column));
	default: return arena_text(arena, (const char *)sqlite3_column_text(statement, column));
	}
}

/* The rows, up to one more than there may be; what SQLite said last. */
static int read_rows(struct arena *arena, sqlite3_stmt *statement, struct answer *answer)
{
	VECTOR(const char *) values = {0};
	int status = SQLITE_ROW;
	answer->columns = (uint32_t)sqlite3_column_count(statement);
	answer->names = arena_new_array(arena, const char *, answer->columns + 1);
	for (uint32_t k = 0; k < answer->columns; k++)
		answer->names[k] = arena_text(arena, sqlite3_column_name(statement, (int)k));
	while (answer->rows <= ROWS_MOST && (status = sqlite3_step(statement)) == SQLITE_ROW) {
		answer->rows++;
		for (uint32_t k = 0; k < answer->columns; k++) {
			const char *value = value_of(arena, statement, (int)k);
			*vector_push(arena, &values) = value;
		}
	}
	answer->values = values.at;
	return status;
}

/* Why there is no answer, in `diagnostic`, or which counter is missing. */
static void refuse(struct arena *arena, sqlite3 *db, bool is_question, struct answer *answer, struct place place,
	struct diagnostic *diagnostic)
{
	answer->missing = missing_counter(arena, sqlite3_errmsg(db));
	answer->kind = answer->missing ? ANSWER_MISSING : ANSWER_WRONG;
	if (answer->missing)
		return;
	if (answer->rows > ROWS_MOST)
		diagnose(diagnostic, place, "this gives more than %d rows, expected fewer", ROWS_MOST);
	else
		diagnose(diagnostic, place, "the database says: %s",
			is_question ? complaint(db) : "this is no question");
}

struct answer database_ask(
	struct arena *arena, sqlite3 *db, const char *sql, struct place place, struct diagnostic *diagnostic)
{
	struct answer answer = {.kind = ANSWER_VALUES};
	sqlite3_stmt *statement = NULL;
	uint32_t calls = 0;
	limit_steps(db, &calls);
	int status = sqlite3_prepare_v2(db, sql, -1, &statement, NULL);
	bool is_question = status != SQLITE_OK || statement;
	if (status == SQLITE_OK && statement)
		status = read_rows(arena, statement, &answer);
	if (status != SQLITE_DONE || !answer.columns)
		refuse(arena, db, is_question, &answer, place, diagnostic);
	sqlite3_progress_handler(db, 0, NULL, NULL);
	sqlite3_finalize(statement);
	return answer;
}
