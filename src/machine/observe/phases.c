/* `--check barriers`: how warps wait for phases of mbarriers, for the check for waits that can be lapped
 * (race/phases.h).
 *
 * An observer; gpu->observe has it where it has that of misuse (sync.c).  A work-group belongs to a core, so each core
 * judges what happens on it, at once; between quanta what was found goes to the GPU's list, core after core.  Of groups
 * whose kernel waits for no mbarrier nothing is heard, and of others no access but strong ones. */
#include "race/phases.h"

#include "machine/core/matrix_groups.h"
#include "machine/core/observer.h"
#include "machine/lsu/mbarrier_mend.h"
#include "machine/observe/misuse.h"
#include "machine/state/launch_state.h"

#include <assert.h>

struct watched {
	struct found_list list; /* found since the last flush */
	struct phases *phases;
	struct phases_group *group[CORE_WARPS]; /* by slot; null: its kernel waits for no mbarrier */
	uint64_t followed, strong;              /* slots of groups; of those whose kernel has strong accesses */
	uint64_t launch;                        /* of the kernel that was looked at last, its ordinal; plus one */
	bool waits, is_strong;                  /* what that does */
};

/* ---- Groups ---- */

static void look_at_kernel(struct watched *s, const struct launch *launch)
{
	assert(launch->kernel->code_count);
	if (s->launch == launch->ordinal + 1)
		return;
	s->launch = launch->ordinal + 1;
	s->waits = s->is_strong = false;
	for (uint32_t pc = 0; pc < launch->kernel->code_count; pc++) {
		s->waits |= misuse_is_wait(&launch->kernel->code[pc]);
		s->is_strong |= misuse_is_strong(&launch->kernel->code[pc]);
	}
}

/* Hears of the groups that it follows, and of accesses of those of kernels with strong ones. */
static void hear(struct core *core, const struct watched *s)
{
	static const enum observer_event events[] = {OBSERVE_uses_objects, OBSERVE_begins_objects,
		OBSERVE_arrives_outside, OBSERVE_looks, OBSERVE_phase_ends, OBSERVE_copies, OBSERVE_copied,
		OBSERVE_arrives, OBSERVE_opens, OBSERVE_cluster_over, OBSERVE_together, OBSERVE_meets,
		OBSERVE_commits_matrices, OBSERVE_awaited_matrices, OBSERVE_group_ends};
	static const enum observer_event strong[] = {OBSERVE_access, OBSERVE_completed, OBSERVE_lock_answered};

	assert(!(s->strong & ~s->followed));
	for (size_t k = 0; k < sizeof events / sizeof *events; k++)
		observer_hear(core, OBSERVER_phases, events[k], s->followed);
	for (size_t k = 0; k < sizeof strong / sizeof *strong; k++)
		observer_hear(core, OBSERVER_phases, strong[k], s->strong);
}

static void create(struct core *core, void *state, struct arena *arena)
{
	struct watched *s = state;

	assert(s->list.arena == arena);
	(void)arena;
	s->phases = phases_create(&s->list);
	hear(core, s);
}

static void group_begins(struct core *core, void *state, struct group *group)
{
	struct watched *s = state;
	const struct warp *first = &core->slots[__builtin_ctzll(group->slots)].warp;
	struct phases_group *of;

	assert(group->slots);
	look_at_kernel(s, group->core_launch->launch);
	if (!s->waits)
		return;
	of = phases_begin_group(s->phases, &(struct phases_shape){.kernel = first->kernel,
						   .launch = group->launch,
						   .number = group->number,
						   .warps = group->warps,
						   .lanes = first->lanes,
						   .threads = group->threads,
						   .lockstep = !core->machine->independent});
	EACH_LANE(slot, group->slots)
		s->group[slot] = of;
	s->followed |= group->slots;
	s->strong |= s->is_strong ? group->slots : 0;
	hear(core, s);
}

static void group_ends(struct core *core, void *state, struct group *group)
{
	struct watched *s = state;

	assert(!(group->slots & ~s->followed));
	phases_end_group(s->phases, s->group[__builtin_ctzll(group->slots)]);
	EACH_LANE(slot, group->slots)
		s->group[slot] = NULL;
	s->followed &= ~group->slots;
	s->strong &= ~group->slots;
	hear(core, s);
}

/* Of its warp, at an instruction; null: at none. */
static struct phases_at at_of(const struct core *core, const struct watched *s, const struct warp_slot *r,
	const struct insn *i, lane_mask lanes)
{
	uint32_t slot = core_slot(core, r);

	assert(s->group[slot]);
	assert(!(lanes & ~r->warp.full));
	return (struct phases_at){.group = s->group[slot],
		.warp = r->warp.first_thread / r->warp.lanes,
		.lanes = lanes,
		.pc = i ? launch_pc(r->core_launch->launch, i) : 0};
}

/* ---- Order ---- */

static void meets(struct core *core, void *state, const struct warp_slot *r, lane_mask lanes, lane_mask members)
{
	const struct watched *s = state;
	struct phases_at at = at_of(core, s, r, NULL, (lanes | members) & r->warp.full);

	assert(lanes);
	phases_meet(s->phases, &at);
}

static void arrives(
	struct core *core, void *state, const struct warp_slot *r, uint32_t number, lane_mask lanes, bool waits)
{
	const struct watched *s = state;
	struct phases_at at = at_of(core, s, r, NULL, lanes);

	assert(number < GROUP_BARRIERS);
	if (number < NAMED_BARRIERS) /* else see cluster_over */
		phases_arrive(s->phases, &at, number, waits);
}

static void opens(struct core *core, void *state, const struct group *group, uint32_t number)
{
	const struct watched *s = state;

	(void)core;
	assert(number < GROUP_BARRIERS);
	if (number < NAMED_BARRIERS)
		phases_open(s->phases, s->group[__builtin_ctzll(group->slots)], number);
}

static void cluster_over(struct core *core, void *state, const struct warp_slot *r, lane_mask lanes, uint32_t phase)
{
	const struct watched *s = state;
	struct phases_at at = at_of(core, s, r, NULL, lanes);

	assert(lanes);
	(void)phase;
	phases_know_all(s->phases, &at);
}

#define MATRIX_KEYS 16 /* groups of a warpgroup that are told apart: more than can be pending */

/* The key of a group of wgmma, of space_NONE: a warp that waits for the group goes on when all warps have committed it.
 */
static void matrix_keys(const struct warp_slot *r, uint64_t count, uint64_t *key)
{
	assert(count);
	EACH_LANE(l, r->warp.live)
		key[l] = (r->warp.first_thread / WARPGROUP_THREADS * MATRIX_KEYS + count % MATRIX_KEYS) << 8 |
			 space_NONE;
}

static void commits_matrices(struct core *core, void *state, const struct warp_slot *r, uint64_t count)
{
	const struct watched *s = state;
	struct phases_at at = at_of(core, s, r, NULL, r->warp.live);
	uint64_t key[CORE_WARPS];

	assert(r->warp.live);
	matrix_keys(r, count, key);
	phases_give(s->phases, &at, key);
}

static void awaited_matrices(struct core *core, void *state, const struct warp_slot *r, uint64_t count)
{
	const struct watched *s = state;
	struct phases_at at = at_of(core, s, r, NULL, r->warp.live);
	uint64_t key[CORE_WARPS];

	assert(r->warp.live);
	matrix_keys(r, count, key);
	phases_get(s->phases, &at, key);
}

/* The words of lanes, as keys. */
static void keys_of(lane_mask lanes, uint8_t space, const uint64_t *address, uint64_t *key)
{
	assert(space != space_LOCAL);
	EACH_LANE(l, lanes)
		key[l] = address[l] << 8 | space;
}

static void accesses(struct core *core, void *state, const struct warp_slot *r, const struct insn *i, lane_mask lanes,
	uint8_t space, const uint64_t *address)
{
	const struct watched *s = state;
	struct phases_at at = at_of(core, s, r, i, lanes);
	uint64_t key[CORE_WARPS];

	if (!misuse_is_strong(i) || space == space_LOCAL)
		return;
	assert(lanes);
	keys_of(lanes, space, address, key);
	if (observer_at_once(core) && misuse_reads(i))
		phases_get(s->phases, &at, key);
	if (i->kind != INSN_LOAD && i->kind != INSN_ACQUIRE)
		phases_give(s->phases, &at, key);
}

/* In timing mode a read has its value. */
static void completed(struct core *core, void *state, const struct operation *op)
{
	const struct watched *s = state;
	uint64_t key[CORE_WARPS];
	struct phases_at at;

	if (observer_at_once(core) || !misuse_is_strong(op->insn) || !misuse_reads(op->insn) ||
		op->space == space_LOCAL)
		return;
	assert(op->slot->group == op->group);
	at = at_of(core, s, op->slot, op->insn, op->lanes);
	keys_of(at.lanes, op->space, op->address, key);
	phases_get(s->phases, &at, key);
}

static void lock_answered(struct core *core, void *state, const struct warp_slot *r, const struct insn *i,
	const uint64_t *address, lane_mask granted, lane_mask refused)
{
	const struct watched *s = state;
	struct phases_at at = at_of(core, s, r, i, granted);
	uint64_t key[CORE_WARPS];

	assert(!(granted & refused));
	(void)refused;
	keys_of(granted, space_GLOBAL, address, key);
	phases_get(s->phases, &at, key);
}

/* ---- mbarriers ---- */

/* Else another group's lanes do it, by a message. */
static bool is_own(const struct core *core, const struct operation *op)
{
	assert(op->lanes);
	return op >= core->lsu.operations && op < core->lsu.operations + core->lsu.operation_fresh;
}

static void uses_objects(struct core *core, void *state, const struct warp_slot *r, const struct insn *i,
	lane_mask lanes, const uint64_t *object)
{
	const struct watched *s = state;
	struct phases_at at = at_of(core, s, r, i, lanes);

	assert(lanes);
	if (i->op == OP_mbarrier_init)
		phases_object(s->phases, &at, object);
	else if (i->op != OP_mbarrier_inval &&
		 (i->op != OP_mbarrier_expect_tx || mbarrier_mend_arrives(core, r->group, i)))
		phases_arrive_at(s->phases, &at, object, i->d != SLOT_NONE && !(i->flags & INSN_NO_RESULT));
}

static void begins_objects(struct core *core, void *state, const struct operation *op)
{
	const struct watched *s = state;
	struct phases_at at = at_of(core, s, op->slot, op->insn, op->lanes);

	assert(is_own(core, op));
	phases_begun(&at, op->address);
}

static void arrives_outside(struct core *core, void *state, const struct operation *op)
{
	const struct watched *s = state;

	assert(!is_own(core, op));
	assert(s->group[core_slot(core, op->slot)]);
	EACH_LANE(l, op->lanes)
		phases_arrive_outside(s->phases, s->group[core_slot(core, op->slot)], op->address[l]);
}

static void looks(
	struct core *core, void *state, const struct operation *op, lane_mask odd, lane_mask complete, bool goes_on)
{
	struct watched *s = state;
	struct phases_at at = at_of(core, s, op->slot, op->insn, op->lanes);
	bool by_state = op->insn->op == OP_mbarrier_test || op->insn->op == OP_mbarrier_try;

	assert(!((complete | odd) & ~op->lanes));
	assert(op->space == space_SHARED);
	s->list.checked += goes_on && complete;
	phases_look(s->phases, &at, op->address,
		&(struct phases_asked){.odd = odd, .complete = complete, .goes_on = goes_on, .by_state = by_state});
}

static void copies(struct core *core, void *state, const struct warp_slot *r, const struct insn *i, uint32_t lane,
	const struct observed_copy *copy)
{
	const struct watched *s = state;
	struct phases_at at = at_of(core, s, r, i, (lane_mask)1 << lane);
	uint64_t object[CORE_WARPS];

	if (!copy->has_object || copy->to_space == space_CLUSTER) /* another group's object: see copied */
		return;
	assert(lane < CORE_WARPS);
	object[lane] = copy->object;
	phases_copy(s->phases, &at, object);
}

static void copied(struct core *core, void *state, const struct operation *op, uint32_t lane, uint64_t object)
{
	const struct watched *s = state;

	assert(op->lanes >> lane & 1);
	(void)lane;
	if (!is_own(core, op))
		phases_arrive_outside(s->phases, s->group[core_slot(core, op->slot)], object);
}

static void phase_ends(struct core *core, void *state, const struct operation *op, uint64_t object)
{
	const struct watched *s = state;
	struct phases_at at = at_of(core, s, op->slot, NULL, is_own(core, op) ? op->lanes : 0);

	assert(op->slot->group == op->group);
	at.pc = launch_pc(op->group->core_launch->launch, op->insn);
	phases_end_phase(s->phases, &at, object);
}

/* ---- Between quanta ---- */

static void flush(struct machine *machine, bool at_end)
{
	(void)at_end;
	misuse_take(machine, OBSERVER_phases);
}

const struct observer observer_phases = {
	.state_size = sizeof(struct watched),
	.has_arena = true,
	.create = create,
	.on = {.group_begins = group_begins,
		.group_ends = group_ends,
		.arrives = arrives,
		.opens = opens,
		.cluster_over = cluster_over,
		.together = meets,
		.meets = meets,
		.access = accesses,
		.completed = completed,
		.lock_answered = lock_answered,
		.uses_objects = uses_objects,
		.begins_objects = begins_objects,
		.arrives_outside = arrives_outside,
		.looks = looks,
		.copies = copies,
		.copied = copied,
		.phase_ends = phase_ends,
		.commits_matrices = commits_matrices,
		.awaited_matrices = awaited_matrices},
	.flush = flush,
};
