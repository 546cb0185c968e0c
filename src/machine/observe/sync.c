/* `--check barriers`: how warps use barriers and member masks, for the check for misuse of them (sync/sync.h).
 *
 * An observer; gpu->observe has what is asked for, a struct syncs_asked.  A barrier's work-group belongs to a core, so
 * each core judges what happens on it; between quanta what was found goes to the GPU's list, core after core. */
#include "sync/sync.h"

#include "machine/core/control.h"
#include "machine/core/matrix_groups.h"
#include "machine/core/observer.h"
#include "machine/core/registers.h"
#include "machine/observe/misuse.h"
#include "machine/state/launch_state.h"

#include <assert.h>
#include <string.h>

struct watched {
	struct found_list list;                                  /* found since the last flush */
	struct found_list apart;                                 /* likewise, what is only counted */
	struct sync_warp warp[CORE_WARPS];                       /* by slot */
	struct sync_barrier barrier[CORE_WARPS][GROUP_BARRIERS]; /* by the lowest slot of the group's */
	struct sync_registers *registers[CORE_WARPS];            /* likewise; null: no group there has had any */
	uint64_t has_registers;                                  /* the group there has executed a setmaxnreg */
	struct sync_matrices *matrices[CORE_WARPS];              /* likewise, for wgmma */
	uint64_t has_matrices;
	VECTOR(uint64_t) maps[CORE_WARPS]; /* likewise: the tensor maps that its threads have acquired */
};

_Static_assert(SYNC_BARRIERS >= GROUP_BARRIERS && SYNC_WARPS >= CORE_WARPS, "of all barriers and warps of a group");

/* What is asked for. */
static const struct syncs_asked *asked_of(const struct gpu *gpu)
{
	assert(gpu->observe[OBSERVER_sync]);
	return gpu->observe[OBSERVER_sync];
}

static struct sync_place place_of(
	const struct core *core, struct watched *s, const struct warp_slot *r, const struct insn *i)
{
	const struct syncs_asked *asked = asked_of(core->machine->gpu);

	assert(core_slot(core, r) < core->warps.count);
	s->apart.arena = s->list.arena;
	return (struct sync_place){.list = &s->list,
		.warp = &s->warp[core_slot(core, r)],
		.kernel = r->warp.kernel,
		.launch = r->core_launch->launch->ordinal,
		.pc = launch_pc(r->core_launch->launch, i),
		.group = r->group->number,
		.first_thread = r->warp.first_thread,
		.live = r->warp.live,
		.stack = !core->machine->independent,
		.noted = asked->all      ? &s->list
			 : asked->counts ? &s->apart
					 : NULL};
}

static struct sync_barrier *barriers_of(struct watched *s, const struct group *group)
{
	assert(group->slots);
	return s->barrier[__builtin_ctzll(group->slots)];
}

/* ---- setmaxnreg ---- */

/* Null: the group has not executed any. */
static struct sync_registers *registers_of(const struct watched *s, const struct group *group)
{
	uint32_t slot = (uint32_t)__builtin_ctzll(group->slots);

	assert(group->slots);
	return s->has_registers >> slot & 1 ? s->registers[slot] : NULL;
}

static uint32_t rank_of(const struct warp_slot *r)
{
	assert(r->warp.first_thread % r->warp.lanes == 0);
	return r->warp.first_thread / r->warp.lanes;
}

static struct sync_registers *make_registers(
	const struct core *core, struct watched *s, const struct group *group, uint32_t lanes)
{
	uint32_t slot = (uint32_t)__builtin_ctzll(group->slots);

	assert(!registers_of(s, group));
	if (!s->registers[slot])
		s->registers[slot] = arena_new(s->list.arena, struct sync_registers);
	sync_registers_begin(s->registers[slot], group->threads, lanes);
	s->has_registers |= 1ull << slot;
	for (uint64_t m = group->slots; m; m &= m - 1) {
		const struct warp_slot *r = &core->slots[__builtin_ctzll(m)];

		s->registers[slot]->warp[rank_of(r)].ended = r->finished;
	}
	return s->registers[slot];
}

/* Where nothing gives the group a pool, setmaxnreg does nothing, and is not judged. */
static void registers(struct core *core, void *state, const struct warp_slot *r, const struct insn *i, lane_mask lanes)
{
	const struct group *group = r->group;
	struct sync_registers *s = registers_of(state, group);
	uint32_t count = *(const uint32_t *)slot_at(&r->warp, i->s[0]), has;
	struct sync_place at;

	assert(lanes);
	if (!group->pool)
		return;
	at = place_of(core, state, r, i);
	at.list->checked++;
	has = group->pool->has[core_slot(core, r)];
	sync_registers_use(&at, s ? s : make_registers(core, state, group, r->warp.lanes), lanes, count, has,
		registers_are_given(i, has, count));
}

/* ---- wgmma ---- */

/* Null: the group has not executed any. */
static struct sync_matrices *matrices_of(const struct watched *s, const struct group *group)
{
	uint32_t slot = (uint32_t)__builtin_ctzll(group->slots);

	assert(group->slots);
	return s->has_matrices >> slot & 1 ? s->matrices[slot] : NULL;
}

static struct sync_matrices *make_matrices(
	const struct core *core, struct watched *s, const struct warp_slot *r, const struct sync_place *at)
{
	uint32_t slot = (uint32_t)__builtin_ctzll(r->group->slots);

	assert(!matrices_of(s, r->group));
	if (!s->matrices[slot])
		s->matrices[slot] = arena_new(s->list.arena, struct sync_matrices);
	sync_matrices_begin(s->matrices[slot], s->list.arena, at, r->group->threads, r->warp.lanes);
	s->has_matrices |= 1ull << slot;
	for (uint64_t m = r->group->slots; m; m &= m - 1) {
		const struct warp_slot *other = &core->slots[__builtin_ctzll(m)];

		s->matrices[slot]->warp[rank_of(other)].ended = other->finished;
	}
	return s->matrices[slot];
}

static void matrices(struct core *core, void *state, const struct warp_slot *r, const struct insn *i, lane_mask lanes)
{
	struct sync_place at = place_of(core, state, r, i);
	struct sync_matrices *s = matrices_of(state, r->group);

	assert(lanes);
	at.list->checked++;
	sync_matrices_use(&at, s ? s : make_matrices(core, state, r, &at), i, lanes,
		i->op == OP_wgmma_wait ? *(const uint32_t *)slot_at(&r->warp, i->s[0]) : 0);
}

/* Instructions of wgmma have an event of their own. */
static bool is_touch(const struct insn *i)
{
	return i->flags & INSN_OF_MATRICES && !i->inserted && i->kind != INSN_WARPGROUP;
}

static void touches(
	struct core *core, struct watched *s, const struct warp_slot *r, const struct insn *i, lane_mask lanes)
{
	struct sync_place at = place_of(core, s, r, i);
	struct sync_matrices *of = matrices_of(s, r->group);

	assert(is_touch(i));
	if (of)
		sync_matrices_touch(&at, of, i, lanes);
}

static void warp_ends(struct core *core, void *state, struct warp_slot *r)
{
	struct sync_registers *s = registers_of(state, r->group);
	struct sync_matrices *all = matrices_of(state, r->group);
	struct sync_place at;

	assert(r->finished);
	if (!s && !all)
		return;
	at = place_of(core, state, r, r->warp.kernel->code);
	if (s)
		sync_registers_end(&at, s);
	if (all)
		sync_matrices_end(&at, all);
}

/* The waiting warps of a group, by their order in it. */
static uint64_t ranks_of(const struct core *core, uint64_t slots)
{
	uint64_t ranks = 0;

	assert(!(slots & ~core_warps(core)));
	for (; slots; slots &= slots - 1)
		ranks |= 1ull << rank_of(&core->slots[__builtin_ctzll(slots)]);
	return ranks;
}

/* ---- Tensor maps in global memory ---- */

static bool has_acquired(const struct watched *s, uint32_t slot, uint64_t map)
{
	assert(slot < CORE_WARPS);
	for (uint32_t k = 0; k < s->maps[slot].count; k++)
		if (s->maps[slot].at[k] == map)
			return true;
	return false;
}

static void acquires_maps(struct watched *s, const struct warp_slot *r, const struct insn *i, lane_mask lanes)
{
	uint32_t slot = (uint32_t)__builtin_ctzll(r->group->slots);

	assert(i->op == OP_fence_tensormap_acquire);
	EACH_LANE(l, lanes) {
		uint64_t map = slot_value(&r->warp, i->s[0], i->s_bytes[0], (uint32_t)l) + (uint64_t)i->offset;

		if (!has_acquired(s, slot, map))
			*vector_push(s->list.arena, &s->maps[slot]) = map;
	}
}

static void map_reads(struct core *core, void *state, const struct warp_slot *r, const struct insn *i, uint32_t lane,
	uint64_t address)
{
	struct watched *s = state;
	struct sync_place at = place_of(core, s, r, i);

	assert(lane < r->warp.lanes);
	at.list->checked++;
	if (!has_acquired(s, (uint32_t)__builtin_ctzll(r->group->slots), address))
		sync_unacquired(&at, (lane_mask)1 << lane);
}

/* ---- Barriers of the work-group ---- */

static void warp_begins(struct core *core, void *state, struct warp_slot *r)
{
	struct watched *s = state;

	assert(core_slot(core, r) < core->warps.count);
	s->warp[core_slot(core, r)] = (struct sync_warp){0};
}

static void group_begins(struct core *core, void *state, struct group *group)
{
	struct watched *s = state;

	assert(group->used);
	(void)core;
	s->has_registers &= ~(1ull << __builtin_ctzll(group->slots));
	s->has_matrices &= ~(1ull << __builtin_ctzll(group->slots));
	s->maps[__builtin_ctzll(group->slots)].count = 0;
	memset(barriers_of(state, group), 0, GROUP_BARRIERS * sizeof(struct sync_barrier));
}

static bool is_reduction(const struct insn *i)
{
	return i->op != OP_bar_sync && i->op != OP_bar_arrive && i->op != OP_barrier_sync && i->op != OP_barrier_arrive;
}

static bool is_aligned(const struct insn *i)
{
	return i->op == OP_bar_sync || i->op == OP_bar_arrive || i->op == OP_bar_red_popc || i->op == OP_bar_red_and ||
	       i->op == OP_bar_red_or || i->modifiers.flags & FLAG_ALIGNED;
}

static void arrives(
	struct core *core, void *state, const struct warp_slot *r, uint32_t number, lane_mask lanes, bool waits)
{
	struct watched *s = state;
	const struct insn *i = &r->warp.kernel->code[r->warp.path->pc];
	struct sync_place at = place_of(core, s, r, i);
	s->list.checked++;
	uint32_t all = (r->group->threads + 31) / 32 * 32, lane = (uint32_t)__builtin_ctzll(lanes);
	uint32_t count = i->s[1] == SLOT_NONE ? 0 : ((const uint32_t *)slot_at(&r->warp, i->s[1]))[lane];
	enum sync_form form = is_reduction(i) ? SYNC_REDUCES : waits ? SYNC_WAITS : SYNC_ARRIVES;

	assert(number < GROUP_BARRIERS);
	assert(lanes);
	assert(!(lanes & ~r->warp.live));
	if (registers_of(s, r->group))
		sync_registers_arrive(registers_of(s, r->group), rank_of(r), number);
	sync_come(&at, lanes, is_aligned(i));
	at.warp->came[number] = at.pc;
	sync_use(&at, &barriers_of(s, r->group)[number], lanes, form, count != 0, count || !waits ? count : all);
}

/* On a stack a warp arrives as a whole. */
static struct sync_member member_of(
	const struct core *core, struct watched *s, const struct warp_slot *r, const struct barrier *b, uint32_t number)
{
	lane_mask here = core->machine->independent ? r->waiting_lanes[number] : r->warp.live;

	assert(r->used);
	return (struct sync_member){.warp = &s->warp[core_slot(core, r)],
		.first_thread = r->warp.first_thread,
		.full = r->warp.full,
		.live = r->warp.live,
		.here = b->waiting & r->bit ? here : 0};
}

static void judge_opening(struct core *core, struct watched *s, const struct group *group, uint32_t number)
{
	const struct barrier *b = &group->barriers[number];
	struct sync_opening opening = {.number = number, .counted = b->expected != 0};
	const struct warp_slot *first = &core->slots[__builtin_ctzll(group->slots)];
	struct sync_place at = place_of(core, s, first, first->warp.kernel->code);

	assert(group->slots);
	for (uint64_t m = group->slots; m; m &= m - 1)
		opening.member[opening.count++] = member_of(core, s, &core->slots[__builtin_ctzll(m)], b, number);
	if (b->waiting)
		sync_open(&at, &opening);
}

static void opens(struct core *core, void *state, const struct group *group, uint32_t number)
{
	struct sync_registers *s = registers_of(state, group);

	assert(number < GROUP_BARRIERS);
	if (s)
		sync_registers_open(s, ranks_of(core, group->barriers[number].waiting), number);
	judge_opening(core, state, group, number);
	barriers_of(state, group)[number] = (struct sync_barrier){0};
}

/* ---- Member masks, shuffles, and what shows which lanes are together ---- */

static bool is_shuffle(const struct insn *i)
{
	return i->op >= OP_shfl_sync_up && i->op <= OP_shfl_idx;
}

/* With such instructions threads synchronise in other ways than by barriers of the work-group. */
static bool may_synchronise(const struct insn *i)
{
	assert(i->kind < INSN_KINDS);
	return i->kind == INSN_MBARRIER || i->kind == INSN_FENCE || i->kind == INSN_CLUSTER || i->kind == INSN_ATOMIC ||
	       (i->kind == INSN_LOAD && i->access.order > order_WEAK);
}

static bool wants(const struct gpu *gpu, bool functional, const struct insn *i)
{
	(void)functional;
	if (is_touch(i) || i->flags & INSN_BEHIND || (is_shuffle(i) && asked_of(gpu)->all))
		return true;
	return i->kind == INSN_STORE || i->kind == INSN_SYNC || may_synchronise(i);
}

/* The lane of its half warp from which each lane would take its value; 32: it keeps its own (PTX ISA, shfl). */
static void sources_of(const struct warp *w, const struct insn *i, lane_mask lanes, uint8_t *source)
{
	const uint32_t *b = slot_at(w, i->s[1]), *c = slot_at(w, i->s[2]);
	bool up = i->op == OP_shfl_sync_up || i->op == OP_shfl_up;
	bool down = i->op == OP_shfl_sync_down || i->op == OP_shfl_down;
	bool butterfly = i->op == OP_shfl_sync_bfly || i->op == OP_shfl_bfly;

	assert(!(lanes & ~w->path->active));
	EACH_LANE(l, lanes) {
		int32_t lane = (int32_t)(l & 31), offset = (int32_t)(b[l] & 31), segment = (int32_t)(c[l] >> 8 & 31);
		int32_t last = (lane & segment) | ((int32_t)(c[l] & 31) & ~segment);
		int32_t from = up          ? lane - offset
			       : down      ? lane + offset
			       : butterfly ? lane ^ offset
					   : (lane & segment) | (offset & ~segment);

		source[l] = (up ? from >= last : from <= last) ? (uint8_t)(from & 31) : 32;
	}
}

/* What shows which lanes are together. */
static void stores(
	struct core *core, struct watched *s, const struct warp_slot *r, const struct insn *i, lane_mask lanes)
{
	struct sync_place at;

	assert(lanes);
	if (core->machine->independent)
		return;
	at = place_of(core, s, r, i);
	sync_pass(&at, lanes);
}

/* Whatever the guard says. */
static void goes_on(struct core *core, struct watched *s, const struct warp_slot *r, const struct insn *i)
{
	struct sync_place at = place_of(core, s, r, i);

	assert(i->flags & INSN_BEHIND);
	sync_go_on(&at, r->warp.path->active);
}

static void before(struct core *core, void *state, struct warp_slot *r, const struct insn *i, lane_mask lanes)
{
	struct sync_place at;
	uint8_t source[CORE_WARPS];
	const uint32_t *masks;
	bool vary;

	assert(!(lanes & ~r->warp.path->active));
	if (i->flags & INSN_BEHIND)
		goes_on(core, state, r, i);
	if (!lanes)
		return;
	if (is_touch(i))
		touches(core, state, r, i, lanes);
	if (may_synchronise(i) && !(i->kind == INSN_ATOMIC && core->machine->independent) &&
		registers_of(state, r->group))
		sync_registers_learn(registers_of(state, r->group), rank_of(r));
	if (i->kind == INSN_STORE || i->kind == INSN_ATOMIC)
		stores(core, state, r, i, lanes);
	if (i->op == OP_fence_tensormap_acquire)
		acquires_maps(state, r, i, lanes);
	if (i->kind != INSN_SYNC && !is_shuffle(i))
		return;
	at = place_of(core, state, r, i);
	at.list->checked++;
	masks = control_member_masks(&r->warp, i, &vary);
	if (masks)
		sync_meet(&at, lanes, masks, vary);
	if (is_shuffle(i) && asked_of(core->machine->gpu)->all) {
		sources_of(&r->warp, i, lanes, source);
		sync_shuffle(&at, lanes, source, masks);
	}
}

/* ---- Between quanta ---- */

/* Whether a warp of the group waits for others in wgmma.wait_group. */
static bool awaits_warps(const struct core *core, const struct group *group)
{
	bool awaits = false;

	assert(group->used);
	for (uint64_t m = group->slots; m; m &= m - 1)
		awaits |= matrix_groups_awaited(core, &core->slots[__builtin_ctzll(m)]);
	return awaits;
}

/* Work-groups that have not ended, without a fault: some of their warps may have left out what others wait for. */
static void stop(struct machine *machine)
{
	assert(machine->cores.count);
	for (uint32_t c = 0; c < machine->cores.count; c++)
		if (machine->cores.at[c].stopped)
			return;
	for (uint32_t c = 0; c < machine->cores.count; c++) {
		struct core *core = &machine->cores.at[c];
		struct watched *s = observer_state(core, OBSERVER_sync);

		for (uint64_t m = s ? core->groups.used : 0; m; m &= m - 1) {
			const struct group *group = &core->groups.at[__builtin_ctzll(m)];
			struct sync_matrices *all = matrices_of(s, group);

			if (all && awaits_warps(core, group))
				sync_matrices_stop(&s->list, all);
		}
	}
}

static void flush(struct machine *machine, bool at_end)
{
	struct syncs_asked *asked = machine->gpu->observe[OBSERVER_sync];

	assert(asked);
	if (at_end)
		stop(machine);
	misuse_take(machine, OBSERVER_sync);
	for (uint32_t c = 0; c < machine->cores.count && asked->counts; c++) {
		struct watched *s = observer_state(&machine->cores.at[c], OBSERVER_sync);

		if (s)
			found_take(&asked->apart, &s->apart);
	}
}

const struct observer observer_sync = {
	.state_size = sizeof(struct watched),
	.wants = wants,
	.has_arena = true,
	.before = before,
	.on = {.group_begins = group_begins,
		.warp_begins = warp_begins,
		.warp_ends = warp_ends,
		.arrives = arrives,
		.opens = opens,
		.registers = registers,
		.matrices = matrices,
		.map_reads = map_reads},
	.flush = flush,
};
