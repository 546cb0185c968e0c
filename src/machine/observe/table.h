/* Tables: what an observer counts of each instruction of a launch, for --observe.
 *
 * Such an observer is a file and a row of observers.def.  It names its columns (struct observer_table), calls
 * table_begin when a launch begins on a core, and adds to the counts of table_row when it hears an event.  All else
 * works for every table alike: whether it is asked for, the sums over cores, results, JSON, text and pages.
 *
 * A core adds to counts of its own, and sums do not depend on the number of threads. */
#ifndef LOCKSTEP_MACHINE_OBSERVE_TABLE_H
#define LOCKSTEP_MACHINE_OBSERVE_TABLE_H

#include "machine/core/observer.h"
#include "machine/state/launch_state.h"

/* Of a launch: all in its arena, this included. */
struct launch_table {
	struct arena arena;
	struct launch_table *next;
	uint64_t ordinal;
	const struct observer_table *table;
	const struct kernel *kernel;
	struct table_piece *pieces; /* the cores' counts */
};

/* Of a GPU, in gpu->observe: of launches whose table was not taken. */
struct tables {
	struct launch_table *launches;
};

/* Between quanta: a core begins to count for a launch. */
void table_begin(const struct core *core, struct core_launch *on, enum observer_id id);

/* The counts of an instruction on a core, in the order of the columns. */
static inline uint64_t *table_row(const struct core_launch *on, enum observer_id id, const struct insn *i)
{
	return (uint64_t *)on->observed[id] + (size_t)launch_pc(on->launch, i) * observers[id]->table->column_count;
}

/* The table of a launch that is over; the caller frees it.  Null: no group of it has begun. */
struct launch_table *table_take(struct tables *tables, uint64_t ordinal);
void table_free(struct launch_table *table);
/* An instruction's sums over the cores, in `sums`, in the order of the columns; false where nothing was counted. */
bool table_sum(const struct launch_table *table, uint32_t pc, uint64_t *sums);

#endif
