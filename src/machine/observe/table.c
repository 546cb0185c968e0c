/* Tables of launches: begun by cores, summed for results. */
#include "machine/observe/table.h"

#include "machine/state/machine.h"

#include <assert.h>

/* A core's counts, by pc and column. */
struct table_piece {
	struct table_piece *next;
	uint64_t *counts;
};

static struct launch_table *table_of(const struct core *core, const struct launch *launch, enum observer_id id)
{
	struct tables *all = core->machine->gpu->observe[id];
	struct launch_table *t = all->launches;
	struct arena arena = {0};

	assert(observers[id]->table && all);
	while (t && t->ordinal != launch->ordinal)
		t = t->next;
	if (t)
		return t;
	t = arena_new(&arena, struct launch_table);
	*t = (struct launch_table){.arena = arena,
		.next = all->launches,
		.ordinal = launch->ordinal,
		.table = observers[id]->table,
		.kernel = launch->kernel};
	return all->launches = t;
}

void table_begin(const struct core *core, struct core_launch *on, enum observer_id id)
{
	struct launch_table *t = table_of(core, on->launch, id);
	struct table_piece *piece = arena_new(&t->arena, struct table_piece);

	assert(!on->observed[id]);
	assert(t->kernel == on->launch->kernel);
	piece->counts = arena_reserve(
		&t->arena, (size_t)t->kernel->code_count * t->table->column_count * sizeof *piece->counts);
	piece->next = t->pieces;
	t->pieces = piece;
	on->observed[id] = piece->counts;
}

struct launch_table *table_take(struct tables *tables, uint64_t ordinal)
{
	struct launch_table **at = &tables->launches, *t;

	while (*at && (*at)->ordinal != ordinal)
		at = &(*at)->next;
	t = *at;
	assert(!t || (t->ordinal == ordinal && t->pieces));
	if (t)
		*at = t->next;
	return t;
}

void table_free(struct launch_table *table)
{
	struct arena arena = table->arena;

	arena_free(&arena);
}

bool table_sum(const struct launch_table *table, uint32_t pc, uint64_t *sums)
{
	uint32_t columns = table->table->column_count;
	bool any = false;

	assert(pc < table->kernel->code_count);
	for (uint32_t c = 0; c < columns; c++) {
		sums[c] = 0;
		for (const struct table_piece *piece = table->pieces; piece; piece = piece->next)
			sums[c] += piece->counts[(size_t)pc * columns + c];
		any |= sums[c] != 0;
	}
	return any;
}
