/* Reads comma-separated files into the database.
 *
 * Lines that begin with '#' are comments; the first other line names the columns.  A field is a number where all of it
 * is one, nothing where it is empty, else a text; there are no quotes, so no field has a comma. */
#include "experiment/collect.h"

#include "util/text.h"

#include <ctype.h>
#include <string.h>

struct table {
	struct arena *arena;
	sqlite3 *db;
	sqlite3_stmt *insert;
	const char *name;
	struct place place; /* of the line that is read */
	int columns;
	struct diagnostic *diagnostic;
};

static bool is_name(const char *text)
{
	static const char letters[] = "_abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
	return *text && !isdigit((unsigned char)*text) && !text[strspn(text, letters)];
}

static void create(struct table *t, char *header)
{
	struct text create = {.arena = t->arena}, insert = {.arena = t->arena};
	text_print(&create, "CREATE TABLE %s(", t->name);
	text_print(&insert, "INSERT INTO %s VALUES(", t->name);
	for (const char *field; (field = strsep(&header, ",")); t->columns++) {
		if (!is_name(field)) {
			diagnose(t->diagnostic, t->place,
				"'%s' is no name of a column, expected letters, digits and '_'", field);
			return;
		}
		text_print(&create, "%s[%s]", t->columns ? ", " : "", field);
		text_print(&insert, "%s", t->columns ? ",?" : "?");
	}
	text_print(&create, ");");
	text_print(&insert, ")");
	if (database_run(t->db, create.at, t->place, t->diagnostic) &&
		sqlite3_prepare_v2(t->db, insert.at, -1, &t->insert, NULL) != SQLITE_OK)
		diagnose(t->diagnostic, t->place, "the database says: %s", sqlite3_errmsg(t->db));
}

static void bind(struct table *t, int column, const char *field)
{
	double number;
	if (!*field)
		sqlite3_bind_null(t->insert, column);
	else if (text_to_f64(field, &number))
		sqlite3_bind_double(t->insert, column, number);
	else
		sqlite3_bind_text(t->insert, column, field, -1, SQLITE_TRANSIENT);
}

static void insert_line(struct table *t, char *line)
{
	int count = 0;
	for (const char *field; (field = strsep(&line, ",")); count++)
		if (count < t->columns)
			bind(t, count + 1, field);
	if (count != t->columns)
		diagnose(t->diagnostic, t->place, "the line has %d fields, expected %d", count, t->columns);
	else if (sqlite3_step(t->insert) != SQLITE_DONE)
		diagnose(t->diagnostic, t->place, "the database says: %s", sqlite3_errmsg(t->db));
	sqlite3_reset(t->insert);
}

static void read_lines(struct table *t, char *text)
{
	for (char *line; !t->diagnostic->failed && (line = strsep(&text, "\n")) && (*line || text);) {
		t->place.line++;
		if (*line != '#' && !t->columns)
			create(t, line);
		else if (*line != '#')
			insert_line(t, line);
	}
	if (!t->columns && !t->diagnostic->failed)
		diagnose(t->diagnostic, (struct place){.file = t->place.file}, "there is no line that names columns");
}

static void load(struct table *t, const char *path, const char *file)
{
	size_t length = 0, end = strlen(file);
	const char *slash = strrchr(file, '/'), *name = slash ? slash + 1 : file;
	bool is_csv = end > 4 && !strcmp(file + end - 4, ".csv");
	t->name = arena_copy(t->arena, name, strlen(name) - (is_csv ? 4 : 0));
	if (!is_csv || !is_name(t->name)) {
		diagnose(t->diagnostic, t->place,
			"'%s' is no table, expected a file NAME.csv, with letters, digits and '_'", file);
		return;
	}
	const char *text = text_read_file(t->arena, path, &length, t->diagnostic);
	t->place = (struct place){.file = path};
	if (text)
		read_lines(t, arena_copy(t->arena, text, length));
}

bool tables_load(sqlite3 *db, const struct plan *plan, struct diagnostic *diagnostic)
{
	for (uint32_t k = 0; k < plan->tables.count && !diagnostic->failed; k++) {
		struct arena scratch = {0};
		struct table table = {
			.arena = &scratch, .db = db, .place = {.file = plan->file}, .diagnostic = diagnostic};
		const char *file = plan->tables.at[k];
		load(&table, plan_path(&scratch, plan, file), file);
		sqlite3_finalize(table.insert);
		arena_free(&scratch);
	}
	return !diagnostic->failed;
}
