/* The tables of observers: as JSON, added up over launches, and for people. */
#include "report/members.h"
#include "report/profile.h"
#include "report/reports.h"
#include "report/style.h"
#include "util/demangle.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define ROWS_SHOWN 8
#define COLUMN_WIDTH 14

/* ---- As JSON ---- */

static json_object *row_object(const struct profile_row *row, const char *const *columns, size_t column_count)
{
	json_object *object = json_object_new_object(), *counts = json_object_new_object();
	add_member(object, "file", report_string(row->file));
	add_number(object, "line", row->line);
	add_number(object, "pc", row->pc);
	add_member(object, "text", report_string(row->text));
	for (size_t c = 0; c < column_count; c++)
		add_number(counts, columns[c], row->counts[c]);
	add_member(object, "counts", counts);
	return object;
}

static json_object *rows_of(const struct lockstep_table *table)
{
	json_object *rows = json_object_new_array();
	for (size_t r = 0; r < table->row_count; r++) {
		const struct lockstep_row *from = &table->rows[r];
		struct profile_row row = {
			.file = from->file ? from->file : "", .line = from->line, .pc = from->pc, .text = from->text};
		memcpy(row.counts, from->values, table->column_count * sizeof *row.counts);
		json_object_array_add(rows, row_object(&row, table->columns, table->column_count));
	}
	return rows;
}

void tables_add_to(json_object *launch, const struct lockstep_result *result)
{
	json_object *tables = json_object_new_array();
	for (size_t k = 0; k < result->table_count; k++) {
		const struct lockstep_table *table = &result->tables[k];
		json_object *object = add_object(tables);
		assert(table->column_count <= PROFILE_COLUMNS_MOST);
		add_text(object, "name", table->name);
		add_text(object, "title", table->title);
		add_member(object, "rows", rows_of(table));
	}
	add_member(launch, "tables", tables);
}

/* ---- From JSON ---- */

static struct profile_table *find_table(struct arena *arena, struct profile_kernel *kernel, json_object *object)
{
	const char *name = text_of(object, "name");
	for (uint32_t k = 0; k < kernel->tables.count; k++)
		if (!strcmp(kernel->tables.at[k].name, name))
			return &kernel->tables.at[k];
	struct profile_table *table = vector_push(arena, &kernel->tables);
	*table = (struct profile_table){
		.name = arena_text(arena, name), .title = arena_text(arena, text_of(object, "title"))};
	return table;
}

static struct profile_row *find_row(struct arena *arena, struct profile_table *table, json_object *object)
{
	uint64_t pc = number_of(object, "pc");
	for (uint32_t k = 0; k < table->rows.count; k++)
		if (table->rows.at[k].pc == pc)
			return &table->rows.at[k];
	struct profile_row *row = vector_push(arena, &table->rows);
	*row = (struct profile_row){.file = arena_text(arena, text_of(object, "file")),
		.line = number_of(object, "line"),
		.pc = pc,
		.text = arena_text(arena, text_of(object, "text"))};
	return row;
}

/* PROFILE_COLUMNS_MOST: there is no room for another. */
static uint32_t column_of(struct arena *arena, struct profile_table *table, const char *name)
{
	uint32_t c = 0;
	while (c < table->column_count && strcmp(table->columns[c], name))
		c++;
	if (c == table->column_count && c < PROFILE_COLUMNS_MOST)
		table->columns[table->column_count++] = arena_text(arena, name);
	return c;
}

static void add_row(struct arena *arena, struct profile_table *table, json_object *object)
{
	struct profile_row *row = find_row(arena, table, object);
	json_object *counts = member(object, "counts");
	if (!counts)
		return;
	json_object_object_foreach(counts, name, count)
	{
		uint32_t c = column_of(arena, table, name);
		if (c < PROFILE_COLUMNS_MOST)
			row->counts[c] += json_object_get_uint64(count);
	}
}

void profile_add_tables(struct arena *arena, struct profile_kernel *kernel, json_object *launch)
{
	json_object *tables = member(launch, "tables");
	for (size_t k = 0; k < length_of(tables); k++) {
		json_object *object = element(tables, k), *rows = member(object, "rows");
		struct profile_table *table = find_table(arena, kernel, object);
		for (size_t r = 0; r < length_of(rows); r++)
			add_row(arena, table, element(rows, r));
	}
}

static int by_first_count(const void *left, const void *right)
{
	const struct profile_row *a = left, *b = right;
	if (a->counts[0] != b->counts[0])
		return a->counts[0] < b->counts[0] ? 1 : -1;
	return a->pc < b->pc ? -1 : 1;
}

void profile_sort_tables(struct profile_kernel *kernel)
{
	for (uint32_t k = 0; k < kernel->tables.count; k++)
		if (kernel->tables.at[k].rows.count)
			qsort(kernel->tables.at[k].rows.at, kernel->tables.at[k].rows.count,
				sizeof *kernel->tables.at[k].rows.at, by_first_count);
}

json_object *profile_table_object(const struct profile_table *table, uint32_t most)
{
	json_object *object = json_object_new_object(), *rows = json_object_new_array();
	for (uint32_t r = 0; r < table->rows.count && r < most; r++)
		json_object_array_add(rows, row_object(&table->rows.at[r], table->columns, table->column_count));
	add_text(object, "title", table->title);
	add_number(object, "row_count", table->rows.count);
	add_member(object, "rows", rows);
	return object;
}

/* ---- For people ---- */

static void write_names(struct text *out, const struct profile_table *table)
{
	text_print(out, "  ");
	for (uint32_t c = 0; c < table->column_count; c++) {
		char *words = arena_text(out->arena, table->columns[c]);
		for (char *at = words; *at; at++)
			*at = *at == '_' ? ' ' : *at;
		text_print(out, "%*s", COLUMN_WIDTH, words);
	}
	text_print(out, "  instruction\n");
}

static void write_row(struct text *out, const struct profile_table *table, const struct profile_row *row)
{
	char digits[TEXT_DIGITS];
	text_print(out, "  ");
	for (uint32_t c = 0; c < table->column_count; c++)
		text_print(out, "%*s", COLUMN_WIDTH, text_grouped(row->counts[c], digits));
	text_print(out, "  ");
	if (*row->file)
		text_print(out, "%s:%" PRIu64 "  ", profile_base_of(row->file), row->line);
	text_print(out, "%s\n", row->text);
}

void profile_text_tables(struct text *out, const struct profile_kernel *kernel, bool is_only)
{
	for (uint32_t k = 0; k < kernel->tables.count; k++) {
		const struct profile_table *table = &kernel->tables.at[k];
		if (!table->rows.count && !is_only)
			continue;
		style_gap(out);
		text_print(out, "%s, kernel %s%s\n", table->title, demangle_brief(out->arena, kernel->name),
			table->rows.count ? "" : ": none counted");
		if (table->rows.count)
			write_names(out, table);
		for (uint32_t r = 0; r < table->rows.count && r < ROWS_SHOWN; r++)
			write_row(out, table, &table->rows.at[r]);
		if (table->rows.count > ROWS_SHOWN)
			text_print(out, "  and %" PRIu32 " more (--report json has them all)\n",
				table->rows.count - ROWS_SHOWN);
	}
}
