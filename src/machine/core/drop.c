/* Accesses that a kernel must not make, dropped so that it goes on: where, and how often. */
#include "machine/core/drop.h"

#include "machine/state/core.h"
#include "machine/state/launch_state.h"
#include "machine/state/machine.h"

#include "util/vector.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static bool is_dropped(const struct insn *i)
{
	return i->kind == INSN_LOAD || i->kind == INSN_STORE || i->kind == INSN_ATOMIC || i->kind == INSN_COPY;
}

static bool is_of(const struct drop *drop, uint32_t pc, const char *cause)
{
	return drop->first.pc == pc && !strcmp(drop->first.cause, cause);
}

bool drop_again(const struct warp_slot *r, const struct insn *i, enum fault_cause cause)
{
	struct drops *drops = r->core_launch->drops;

	assert(!drops || drops->count <= DROP_PLACES);
	for (uint32_t k = 0; drops && k < drops->count; k++)
		if (k == DROP_PLACES - 1 ||
			is_of(&drops->at[k], launch_pc(r->core_launch->launch, i), fault_name(cause))) {
			drops->at[k].count++;
			return true;
		}
	return false;
}

bool drop_take(struct core *core, const struct warp_slot *r, const struct insn *i)
{
	struct drops *drops = r->core_launch->drops;

	assert(!drops || drops->count <= DROP_PLACES);
	if (!drops || !core->finding.found || !is_dropped(i))
		return false;
	assert(drops->count < DROP_PLACES);
	assert(core->stopped);
	drops->at[drops->count++] = (struct drop){.count = 1, .first = core->finding};
	core->finding = (struct finding){0};
	core->stopped = false;
	return true;
}

/* --- All cores together --- */

/* Adds it to what is known of its place and cause; false: nothing is. */
static bool add(struct drop *at, uint32_t count, const struct drop *drop)
{
	for (uint32_t k = 0; k < count; k++) {
		if (!is_of(&at[k], drop->first.pc, drop->first.cause))
			continue;
		at[k].count += drop->count;
		if (drop->first.cycle < at[k].first.cycle)
			at[k].first = drop->first;
		return true;
	}
	return false;
}

static int by_place(const void *a, const void *b)
{
	const struct finding *x = &((const struct drop *)a)->first, *y = &((const struct drop *)b)->first;

	return x->pc != y->pc ? (x->pc > y->pc) - (x->pc < y->pc) : strcmp(x->cause, y->cause);
}

struct drop_list drop_gather(struct arena *arena, const struct launch *launch, uint32_t cores)
{
	struct drop_list list = {0};
	VECTOR(struct drop) all = {0};

	for (uint32_t c = 0; c < cores; c++) {
		const struct drops *drops = launch->on[c] ? launch->on[c]->drops : NULL;

		for (uint32_t k = 0; drops && k < drops->count; k++)
			if (k == DROP_PLACES - 1)
				list.elsewhere += drops->at[k].count;
			else if (!add(all.at, all.count, &drops->at[k]))
				*vector_push(arena, &all) = drops->at[k];
	}
	if (all.count)
		qsort(all.at, all.count, sizeof *all.at, by_place);
	list.at = all.at;
	list.count = all.count;
	return list;
}
