/* Carrying out what cores have put off (deferred.h). */
#include "machine/core/deferred.h"

#include "machine/state/machine.h"

#include <assert.h>

#define DEFERRED(name) extern const struct deferred deferred_##name;
#include "machine/state/deferred.def"
#undef DEFERRED

static const struct deferred *const rows[DEFERRED_COUNT] = {
#define DEFERRED(name) [DEFERRED_##name] = &deferred_##name,
#include "machine/state/deferred.def"
#undef DEFERRED
};

void deferred_create(struct deferred_states *states, struct arena *arena)
{
	for (uint32_t id = 0; id < DEFERRED_COUNT; id++)
		states->state[id] = arena_alloc(arena, rows[id]->state_size);
}

void deferred_carry_out(struct machine *machine)
{
	uint32_t pending = 0;

	EACH_USED_CORE(machine, c) {
		pending |= machine->cores.at[c].deferred.pending;
		machine->cores.at[c].deferred.pending = 0;
	}
	assert(pending >> DEFERRED_COUNT == 0);
	for (uint32_t id = 0; pending; id++, pending >>= 1)
		if (pending & 1)
			rows[id]->carry_out(machine);
}
