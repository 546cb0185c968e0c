/* Tables of an experiment's own: which files are tables of which name, what a field becomes, and where a mistake is. */
#include "experiment_harness.h"

#include "experiment/collect.h"

/* Loads files of the folder, of which `error` says what is wrong, without the folder; null: nothing. */
static sqlite3 *loaded(struct folder *f, const char *const *files, const char *error)
{
	struct diagnostic diagnostic = {0};
	struct plan plan = {.folder = f->path, .file = "experiment.cfg"};
	sqlite3 *db = database_open(NULL, &diagnostic);
	for (; *files; files++)
		*vector_push(&f->arena, &plan.tables) = *files;
	assert_int_equal(tables_load(db, &plan, &diagnostic), !error);
	const char *said = diagnostic.message;
	size_t length = strlen(f->path);
	if (!strncmp(said, f->path, length))
		said += length + 1;
	assert_string_equal(diagnostic.failed ? said : "", error ? error : "");
	return db;
}

static const char *asked(struct folder *f, sqlite3 *db, const char *sql)
{
	struct diagnostic diagnostic = {0};
	struct text text = {.arena = &f->arena};
	struct answer a = database_ask(&f->arena, db, sql, (struct place){0}, &diagnostic);
	assert_string_equal(diagnostic.message, "");
	text_append(&text, "", 0);
	for (uint32_t k = 0; k < a.rows * a.columns; k++)
		text_print(&text, "%s%s", a.values[k] ? a.values[k] : "-", (k + 1) % a.columns ? " " : "\n");
	return text.at;
}

#define FILES(...) ((const char *const[]){__VA_ARGS__, NULL})

/* A number where all of it is one, nothing where it is empty, else a text. */
static void fields_are_numbers_texts_or_nothing(void **state)
{
	(void)state;
	static const char *const fields[][2] = {{"12", "real 12"}, {"-.5", "real -0.5"}, {".25", "real 0.25"},
		{"+3", "real 3"}, {"1e3", "real 1000"}, {"7.", "real 7"}, {"", "null -"}, {"1x", "text 1x"},
		{"1 2", "text 1 2"}, {"x1", "text x1"}, {"#", "text #"}, {"'", "text '"}, {"\"2\"", "text \"2\""},
		{"-", "text -"}};
	struct folder f = make_folder(plain);
	struct text table = {.arena = &f.arena}, expected = {.arena = &f.arena};
	/* Comments before and between; each field in the first, a middle and the last column. */
	text_print(&table, "# a, b\n#\nn,a,b,c\n");
	for (size_t k = 0; k < sizeof fields / sizeof *fields; k++) {
		text_print(&table, "%zu,%s,%s,%s\n# %zu\n", k, fields[k][0], fields[k][0], fields[k][0], k);
		for (int column = 0; column < 3; column++)
			text_print(&expected, "%s\n", fields[k][1]);
	}
	text_print(&table, "last,,,4"); /* without a line's end */
	text_print(&expected, "null -\nnull -\nreal 4\n");
	write_file(&f, "t_1.csv", table.at);
	sqlite3 *db = loaded(&f, FILES("t_1.csv"), NULL);
	assert_string_equal(
		asked(&f, db,
			"SELECT typeof(v), v FROM (SELECT rowid AS r, 1 AS k, a AS v FROM t_1 UNION ALL SELECT "
			"rowid, 2, b FROM t_1 UNION ALL SELECT rowid, 3, c FROM t_1) ORDER BY r, k"),
		expected.at);
	assert_string_equal(asked(&f, db, "SELECT count(*), max(n) FROM t_1"), "15 last\n");
	sqlite3_close(db);
	remove_folder(&f);
}

static void tables_are_named_by_their_files(void **state)
{
	(void)state;
	struct folder f = make_folder(plain);
	write_file(&f, "workloads/a.csv", "x\n1\n");
	write_file(&f, "_b2.csv", "_x1,Y\n3,4\n");
	sqlite3 *db = loaded(&f, FILES("workloads/a.csv", "./_b2.csv"), NULL);
	assert_string_equal(asked(&f, db, "SELECT a.x, b._x1, b.Y FROM a, _b2 b"), "1 3 4\n");
	sqlite3_close(db);
	static const char *const bad[] = {"a", "a.cs", ".csv", "1a.csv", "a-b.csv", "a.b.csv", "a.CSV", "csv"};
	for (size_t k = 0; k < sizeof bad / sizeof *bad; k++)
		sqlite3_close(loaded(&f, FILES(bad[k]),
			arena_printf(&f.arena,
				"experiment.cfg: '%s' is no table, expected a file NAME.csv, with letters, digits and "
				"'_'",
				bad[k])));
	remove_folder(&f);
}

/* Lines are counted with their comments; the first mistake is said, and nothing behind it is read. */
static void mistakes_have_their_line(void **state)
{
	(void)state;
	static const char *const cases[][2] = {{"", "t.csv: there is no line that names columns"},
		{"# a\n#b", "t.csv: there is no line that names columns"},
		{"#\na,,b\n", "t.csv:2: '' is no name of a column, expected letters, digits and '_'"},
		{"a,1b\n", "t.csv:1: '1b' is no name of a column, expected letters, digits and '_'"},
		{"a,b,\n", "t.csv:1: '' is no name of a column, expected letters, digits and '_'"},
		{"a b\n", "t.csv:1: 'a b' is no name of a column, expected letters, digits and '_'"},
		{"a,b\n1,2\n#\n\n3,4\n", "t.csv:4: the line has 1 fields, expected 2"},
		{"#\na\n1,2\n", "t.csv:3: the line has 2 fields, expected 1"},
		{"a,b\n1,2,\n", "t.csv:2: the line has 3 fields, expected 2"},
		{"a,A\n", "t.csv:1: the database says: duplicate column name: A"}};
	struct folder f = make_folder(plain);
	for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
		write_file(&f, "t.csv", cases[k][0]);
		sqlite3_close(loaded(&f, FILES("t.csv", "none.csv"), cases[k][1]));
	}
	sqlite3_close(loaded(&f, FILES("none.csv"), "none.csv: cannot open: No such file or directory"));
	remove_folder(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fields_are_numbers_texts_or_nothing),
		cmocka_unit_test(tables_are_named_by_their_files),
		cmocka_unit_test(mistakes_have_their_line),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
