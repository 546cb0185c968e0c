/* What the observers of `--check barriers` have in common: see misuse.h. */
#include "machine/observe/misuse.h"

#include "found/found.h"
#include "machine/state/gpu.h"
#include "machine/state/machine.h"

#include <assert.h>

void misuse_take(struct machine *machine, enum observer_id id)
{
	assert(id < OBSERVER_COUNT);
	for (uint32_t c = 0; c < machine->cores.count; c++) {
		struct found_list *list = observer_state(&machine->cores.at[c], id);

		assert(!list || list->arena == &machine->cores.arenas[c]);
		if (list)
			found_take(&machine->gpu->found[FOUND_SYNC], list);
	}
}
