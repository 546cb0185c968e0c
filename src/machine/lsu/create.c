/* Making the load-store unit of a core. */
#include "machine/lsu/load_store.h"

#include "machine/core/cluster.h"
#include "machine/core/port.h"
#include "machine/lsu/access.h"
#include "machine/lsu/multicast.h"
#include "machine/lsu/owned.h"
#include "machine/lsu/remote.h"
#include "machine/lsu/through_l1.h"
#include "machine/state/machine.h"

#include <assert.h>

#define OPERATIONS_PER_WARP 4
#define CLEARED_OPERATIONS 32 /* at most: memory of more goes back to the system sooner than it is cleared */

static size_t most_state_bytes(uint32_t lanes)
{
	size_t most = 0;

	assert(lanes && lanes <= CORE_WARPS);
	for (uint32_t k = 0; k < INSN_KINDS; k++) {
		size_t bytes = memory_kinds[k]->state_bytes + (size_t)memory_kinds[k]->lane_bytes * lanes;

		most = bytes > most ? bytes : most;
	}
	return (most + 63) & ~(size_t)63;
}

static void create_kinds(struct core *core, struct arena *arena)
{
	uint32_t starts = 0;

	for (uint32_t k = 0; k < UNIT_TIMERS; k++)
		core->lsu.timers[k].at = NEVER;
	core->lsu.receive[MESSAGE_LOADED] = through_l1_loaded;
	core->lsu.receive[MESSAGE_STORED] = through_l1_stored;
	core->lsu.receive[MESSAGE_CLUSTER] = cluster_receive;
	core->lsu.receive[MESSAGE_REMOTE] = remote_serve;
	core->lsu.receive[MESSAGE_BLOCK] = remote_serve_block;
	core->lsu.receive[MESSAGE_ANSWERED] = remote_answered;
	core->lsu.receive[MESSAGE_MULTICAST] = multicast_receive;
	core->lsu.remote = &remote_way;
	for (uint32_t k = 0; k < INSN_KINDS; k++) {
		if (memory_kinds[k]->start_warp) {
			assert(starts < UNIT_STARTS);
			core->lsu.starts[starts++] = memory_kinds[k];
		}
		if (memory_kinds[k]->create)
			core->lsu.kind_state[k] = memory_kinds[k]->create(core, arena);
		if (memory_kinds[k]->reply)
			core->lsu.receive[memory_kinds[k]->reply] = memory_kinds[k]->receive;
	}
}

void load_store_create(struct core *core, struct arena *arena)
{
	struct load_store_unit *unit = &core->lsu;
	uint32_t limit = core->warps.count * OPERATIONS_PER_WARP, lanes = core->machine->model->warp_size;
	uint32_t count = limit + 1; /* a generic access may be two operations: of shared and of global memory */

	unit->operations_limit = limit;
	assert(core->warps.count && core->warps.count <= CORE_WARPS);
	unit->operations = arena_reserve(arena, count * sizeof *unit->operations);
	unit->operation_count = count;
	unit->state_bytes = most_state_bytes(lanes);
	unit->operation_free = L1_NONE;
	unit->queue_limit = core->machine->model->lsu_queue;
	unit->queue_size = (unit->queue_limit + 1) * MOST_TRANSACTIONS(lanes);
	unit->queue = arena_new_array(arena, struct transaction, unit->queue_size);
	port_create(core, arena);
	l1_create(&core->l1, arena, core->machine->model);
	create_kinds(core, arena);
	if (core->machine->coherence->directory && !core->machine->mode->at_once)
		core->owned = owned_create(core, arena);
}

void load_store_clear(struct core *core, struct arena *arena)
{
	struct load_store_unit *unit = &core->lsu;

	assert(unit->operation_fresh <= unit->operations_given);
	assert(unit->operations_given <= unit->operation_count);
	for (uint32_t k = 0; k < INSN_KINDS; k++)
		if (memory_kinds[k]->clear)
			memory_kinds[k]->clear(core, arena);
	if (unit->operations_given <= CLEARED_OPERATIONS)
		arena_keep(arena, unit->operations, unit->operations_given * sizeof *unit->operations);
}
