/* Bank conflicts of shared memory, by instruction: --observe bank-conflicts. */
#include "machine/lsu/banks.h"
#include "machine/lsu/element.h"
#include "machine/observe/table.h"
#include "machine/state/machine.h"

#include <assert.h>

enum column { EXCESS_CYCLES, CONFLICTS, ACCESSES, CYCLES, LANES, COLUMNS };

static void launch_begins(struct core *core, void *state, struct core_launch *on)
{
	(void)state;
	table_begin(core, on, OBSERVER_bank_conflicts);
}

/* The least cycles in which the banks serve as many lanes, each with words of its own. */
static uint32_t least_cycles(const struct core *core, const struct insn *i, lane_mask lanes)
{
	uint32_t bytes = access_bytes(i) > 4 ? access_bytes(i) : 4, width = core->machine->model->shared_banks * 4;

	return ((uint32_t)__builtin_popcountll(lanes) * bytes + width - 1) / width;
}

/* Matrices, copies and mbarriers have addresses of another meaning. */
static void accesses(struct core *core, void *state, const struct warp_slot *r, const struct insn *i, lane_mask lanes,
	uint8_t space, const uint64_t *address)
{
	uint64_t *row;
	uint32_t cycles, least;

	(void)state;
	if (space != space_SHARED || !lanes ||
		(i->kind != INSN_LOAD && i->kind != INSN_STORE && i->kind != INSN_ATOMIC))
		return;
	row = table_row(r->core_launch, OBSERVER_bank_conflicts, i);
	cycles = banks_cycles(core->machine->model, r->warp.memory, i, address, lanes);
	least = least_cycles(core, i, lanes);
	assert(cycles && least);
	row[EXCESS_CYCLES] += cycles > least ? cycles - least : 0;
	row[CONFLICTS] += cycles > least;
	row[ACCESSES]++;
	row[CYCLES] += cycles;
	row[LANES] += (uint64_t)__builtin_popcountll(lanes);
	assert(row[CONFLICTS] <= row[ACCESSES] && row[EXCESS_CYCLES] < row[CYCLES]);
}

static const char *const columns[COLUMNS] = {"excess_cycles", "conflicts", "accesses", "cycles", "lanes"};
static const struct observer_table table = {.name = "bank-conflicts",
	.title = "bank conflicts of shared memory",
	.columns = columns,
	.column_count = COLUMNS};

const struct observer observer_bank_conflicts = {
	.table = &table,
	.on = {.launch_begins = launch_begins, .access = accesses},
};
