/* The tables of observers (machine/observe/table.h), in results. */
#include "api/api.h"
#include "machine/observe/table.h"
#include "util/text.h"

#include <string.h>

const char *lockstep_table_name(size_t k)
{
	for (uint32_t id = 0; id < OBSERVER_COUNT; id++)
		if (observers[id]->table && !k--)
			return observers[id]->table->name;
	return NULL;
}

static enum observer_id observer_of(const char *name)
{
	uint32_t id = 0;

	while (id < OBSERVER_COUNT && !(observers[id]->table && !strcmp(observers[id]->table->name, name)))
		id++;
	return (enum observer_id)id;
}

/* "one, two" */
static const char *names(struct arena *arena)
{
	struct text list = {.arena = arena};
	const char *name;

	for (size_t k = 0; (name = lockstep_table_name(k)); k++)
		text_print(&list, "%s%s", k ? ", " : "", name);
	return list.at;
}

static void open_part(struct lockstep *lockstep, struct diagnostic *diagnostic)
{
	const char *const *name = lockstep->gpu.options.observe;

	for (; name && *name; name++) {
		enum observer_id id = observer_of(*name);

		if (id == OBSERVER_COUNT) {
			diagnose(diagnostic, (struct place){0}, "no table '%s', expected one of: %s", *name,
				names(&lockstep->arena));
			return;
		}
		lockstep->gpu.observe[id] = arena_new(&lockstep->arena, struct tables);
	}
}

static struct lockstep_row row_of(struct arena *arena, const struct kernel *kernel, uint32_t pc, const uint64_t *values)
{
	struct place place = kernel_place(kernel, pc);

	return (struct lockstep_row){.pc = pc,
		.file = arena_text(arena, place.file),
		.line = place.line,
		.text = kernel_text(arena, kernel, pc),
		.values = values};
}

static struct lockstep_table table_of(struct arena *arena, const struct launch_table *t)
{
	struct lockstep_row *rows = arena_new_array(arena, struct lockstep_row, t->kernel->code_count);
	struct lockstep_table table = {.name = t->table->name,
		.title = t->table->title,
		.columns = t->table->columns,
		.column_count = t->table->column_count,
		.rows = rows};

	for (uint32_t pc = 0; pc < t->kernel->code_count; pc++) {
		uint64_t *sums = arena_new_array(arena, uint64_t, t->table->column_count);

		if (table_sum(t, pc, sums))
			rows[table.row_count++] = row_of(arena, t->kernel, pc, sums);
	}
	return table;
}

static void add(struct lockstep *lockstep, struct started *started)
{
	struct lockstep_table *tables = arena_new_array(&started->arena, struct lockstep_table, OBSERVER_COUNT);

	for (uint32_t id = 0; id < OBSERVER_COUNT; id++) {
		struct tables *all = observers[id]->table ? lockstep->gpu.observe[id] : NULL;
		struct launch_table *t = all ? table_take(all, started->result.number - 1) : NULL;

		if (!t)
			continue;
		tables[started->result.table_count++] = table_of(&started->arena, t);
		table_free(t);
	}
	started->result.tables = tables;
}

static void close_part(struct lockstep *lockstep)
{
	for (uint32_t id = 0; id < OBSERVER_COUNT; id++) {
		struct tables *all = observers[id]->table ? lockstep->gpu.observe[id] : NULL;

		for (struct launch_table *t = all ? all->launches : NULL, *next; t; t = next) {
			next = t->next;
			table_free(t);
		}
	}
}

const struct result_part result_part_tables = {.open = open_part, .add = add, .close = close_part};
