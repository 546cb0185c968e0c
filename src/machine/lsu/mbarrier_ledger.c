/* Which threads have initialised and invalidated mbarrier objects, and where.
 *
 * An entry belongs to a place for a group and an offset.  The next group in that place takes the entry over, so a core
 * has no more entries than its groups have objects at a time. */
#include "machine/lsu/mbarrier_ledger.h"

#include "machine/state/launch_state.h"
#include "machine/state/machine.h"

#include "util/vector.h"

#include <assert.h>

struct moment {
	uint32_t pc, thread; /* flat in the group */
};

struct object {
	const struct group *place;
	uint64_t offset;
	uint64_t launch; /* ordinal of the group's, and its number */
	uint32_t group;
	uint32_t count;
	bool is_over;
	struct moment begun, over;
};

struct mbarrier_ledger {
	VECTOR(struct object) objects;
};

struct mbarrier_ledger *mbarrier_ledger_create(struct arena *arena)
{
	struct mbarrier_ledger *ledger = arena_new(arena, struct mbarrier_ledger);

	assert(ledger && !ledger->objects.count);
	return ledger;
}

static struct object *entry_of(const struct mbarrier_ledger *ledger, const struct group *place, uint64_t offset)
{
	assert(place);
	for (uint32_t k = 0; k < ledger->objects.count; k++)
		if (ledger->objects.at[k].place == place && ledger->objects.at[k].offset == offset)
			return &ledger->objects.at[k];
	return NULL;
}

/* The entry, if it is of this group and not of one that had its place before. */
static struct object *object_of(const struct mbarrier_ledger *ledger, const struct group *group, uint64_t offset)
{
	struct object *object = entry_of(ledger, group, offset);

	assert(group->used);
	return object && object->launch == group->launch && object->group == group->number ? object : NULL;
}

static struct moment moment_of(const struct operation *op, uint32_t lane)
{
	assert(op->lanes >> lane & 1);
	return (struct moment){launch_pc(op->group->core_launch->launch, op->insn), op->slot->warp.first_thread + lane};
}

void mbarrier_ledger_begins(
	struct core *core, struct mbarrier_ledger *ledger, const struct operation *op, uint32_t lane, uint32_t count)
{
	struct object *object = entry_of(ledger, op->group, op->address[lane]);

	assert(op->space == space_SHARED);
	if (!object)
		object = vector_push(&core->machine->cores.arenas[core->index], &ledger->objects);
	*object = (struct object){.place = op->group,
		.offset = op->address[lane],
		.launch = op->group->launch,
		.group = op->group->number,
		.count = count,
		.begun = moment_of(op, lane)};
}

void mbarrier_ledger_ends(struct mbarrier_ledger *ledger, const struct operation *op, uint32_t lane)
{
	struct object *object = object_of(ledger, op->group, op->address[lane]);

	assert(op->space == space_SHARED);
	if (!object)
		return;
	object->is_over = true;
	object->over = moment_of(op, lane);
}

/* "thread (0,0,0)" and the place. */
static const char *tell(struct core *core, const struct operation *op, const char *format, const struct moment *moment)
{
	struct arena *arena = &core->machine->cores.arenas[core->index];
	const struct launch *launch = op->group->core_launch->launch;
	const uint32_t *block = launch->values.block, thread = moment->thread;
	const char *who = arena_printf(arena, "thread (%u,%u,%u)", thread % block[0], thread / block[0] % block[1],
		thread / block[0] / block[1]);

	assert(moment->pc < launch->kernel->code_count);
	return arena_printf(arena, format, who, kernel_place_text(arena, launch->kernel, moment->pc));
}

const char *mbarrier_ledger_why_invalid(
	struct core *core, const struct mbarrier_ledger *ledger, const struct operation *op, uint64_t offset)
{
	const struct object *object = object_of(ledger, op->group, offset);

	assert(op->group->used);
	if (!object)
		return ": no thread of the work-group has initialised an object there";
	if (object->is_over)
		return tell(core, op, ": %s invalidated it at %s", &object->over);
	return tell(core, op, ": %s initialised it at %s, and its bytes have been overwritten since", &object->begun);
}

const char *mbarrier_ledger_count(
	struct core *core, const struct mbarrier_ledger *ledger, const struct operation *op, uint64_t offset)
{
	const struct object *object = object_of(ledger, op->group, offset);
	const char *whose;

	assert(op->group->used);
	if (!object || object->is_over)
		return "";
	whose = tell(core, op, "%s initialised it at %s", &object->begun);
	return arena_printf(
		&core->machine->cores.arenas[core->index], ": %s, with a count of %u", whose, object->count);
}
