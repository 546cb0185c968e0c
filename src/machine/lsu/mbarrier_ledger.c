/* Which threads have initialised and invalidated mbarrier objects, and where: lists of the objects of each group on the
 * core. */
#include "machine/lsu/mbarrier_ledger.h"

#include "machine/state/launch_state.h"
#include "machine/state/machine.h"

#include "util/vector.h"

#include <assert.h>

struct moment {
	uint32_t pc, thread; /* flat in the group */
};

struct object {
	uint64_t offset;
	uint32_t count;
	bool is_over;
	struct moment begun, over;
};

/* Of a place for a group: the objects of the group, known by its launch's ordinal and its number, that was there when
 * the last was initialised. */
struct objects {
	uint64_t launch;
	uint32_t group;
	VECTOR(struct object) list;
};

struct mbarrier_ledger {
	const struct group *places; /* the core's */
	struct objects *of;         /* each place */
};

struct mbarrier_ledger *mbarrier_ledger_create(const struct core *core, struct arena *arena)
{
	struct mbarrier_ledger *ledger = arena_new(arena, struct mbarrier_ledger);

	assert(core->groups.count);
	ledger->places = core->groups.at;
	ledger->of = arena_new_array(arena, struct objects, core->groups.count);
	return ledger;
}

static struct objects *objects_of(const struct mbarrier_ledger *ledger, const struct group *group)
{
	assert(group->used && group >= ledger->places);
	return &ledger->of[group - ledger->places];
}

/* Null: the group has initialised none there. */
static struct object *object_of(const struct mbarrier_ledger *ledger, const struct group *group, uint64_t offset)
{
	const struct objects *objects = objects_of(ledger, group);

	assert(offset < group->core_launch->launch->group.shared_bytes);
	if (objects->launch != group->launch || objects->group != group->number)
		return NULL;
	for (uint32_t k = 0; k < objects->list.count; k++)
		if (objects->list.at[k].offset == offset)
			return &objects->list.at[k];
	return NULL;
}

static struct moment moment_of(const struct operation *op, uint32_t lane)
{
	assert(op->lanes >> lane & 1);
	return (struct moment){launch_pc(op->group->core_launch->launch, op->insn), op->slot->warp.first_thread + lane};
}

void mbarrier_ledger_begins(
	struct core *core, struct mbarrier_ledger *ledger, const struct operation *op, uint32_t lane, uint32_t count)
{
	struct objects *objects = objects_of(ledger, op->group);
	struct object *object = object_of(ledger, op->group, op->address[lane]);

	assert(op->space == space_SHARED);
	assert(count);
	if (objects->launch != op->group->launch || objects->group != op->group->number)
		objects->list.count = 0;
	objects->launch = op->group->launch;
	objects->group = op->group->number;
	if (!object)
		object = vector_push(&core->machine->cores.arenas[core->index], &objects->list);
	*object = (struct object){.offset = op->address[lane], .count = count, .begun = moment_of(op, lane)};
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

const char *mbarrier_ledger_why_too_many(
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
