/* The phases of mbarriers that are open: see mbarrier_phases.h.  A core has few objects at a time, so a list will do.
 */
#include "machine/observe/mbarrier_phases.h"

#include "machine/core/observer.h"
#include "machine/lsu/mbarrier_ledger.h"
#include "machine/state/launch_state.h"

#include <assert.h>

static bool is_of(const struct mbarrier_phase *p, const struct group *group, uint64_t object)
{
	assert(group->used);
	return p->object == object && p->open.group == group->number && p->open.launch == group->launch;
}

struct mbarrier_phase *mbarrier_phases_at(struct mbarrier_phases *phases, const struct group *group, uint64_t object)
{
	uint32_t count = phases->open.count;

	assert(group->used);
	if (phases->found < count && is_of(&phases->open.at[phases->found], group, object))
		return &phases->open.at[phases->found];
	for (uint32_t k = 0; k < count; k++)
		if (is_of(&phases->open.at[k], group, object))
			return &phases->open.at[phases->found = k];
	return NULL;
}

static void begin(struct core *core, struct arena *arena, struct mbarrier_phases *phases, const struct operation *op,
	uint64_t object)
{
	struct mbarrier_phase *p = mbarrier_phases_at(phases, op->group, object);

	assert(op->insn->op == OP_mbarrier_init);
	if (!p)
		p = vector_push(arena, &phases->open);
	*p = (struct mbarrier_phase){
		.open = {.launch = op->group->launch, .group = op->group->number, .start = core->now},
		.object = object,
		.begun = launch_pc(op->group->core_launch->launch, op->insn)};
}

void mbarrier_phases_note(struct core *core, struct arena *arena, struct mbarrier_phases *phases,
	const struct operation *op, uint64_t object, const struct mbarrier_record *what)
{
	struct mbarrier_phase *p = mbarrier_phases_at(phases, op->group, object);

	assert(!p || p->open.start <= core->now);
	if (what->act == MBARRIER_INITIALISED) {
		begin(core, arena, phases, op, object);
		return;
	}
	if (!p || what->act == MBARRIER_COPIES)
		return;
	if (what->act == MBARRIER_INVALIDATED) {
		mbarrier_phases_forget(phases, p);
		return;
	}
	open_phase_come(&p->open, core->now, launch_pc(op->group->core_launch->launch, op->insn));
	p->by_bytes = what->act == MBARRIER_BYTES;
	p->open.arrivals += what->act == MBARRIER_ARRIVED ? what->count : 0;
	p->bytes += p->by_bytes ? what->bytes : 0;
}

void mbarrier_phases_next(const struct core *core, struct mbarrier_phase *phase)
{
	assert(phase->open.is_begun);
	open_phase_next(&phase->open, core->now);
	phase->bytes = 0;
	phase->by_bytes = phase->was_seen = false;
}

void mbarrier_phases_forget(struct mbarrier_phases *phases, const struct mbarrier_phase *phase)
{
	size_t at = (size_t)(phase - phases->open.at);

	assert(at < phases->open.count);
	phases->open.at[at] = phases->open.at[--phases->open.count];
}
