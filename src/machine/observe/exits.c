/* `--check barriers`: what still uses the shared memory of a work-group that ends (race/exits.h).
 *
 * An observer; gpu->observe has the struct exits of the GPU.  As in races.c each event is judged at once in functional
 * mode; in timing mode a core writes it down, and between quanta one thread judges it, core after core: what one core
 * does reaches another in a later quantum.  Of groups that are no part of a cluster only asynchronous operations
 * matter, of kernels without these nothing. */
#include "race/exits.h"

#include "machine/core/observer.h"
#include "machine/lsu/access.h"
#include "machine/lsu/remote.h"
#include "machine/observe/misuse.h"
#include "machine/state/launch_state.h"

#include <assert.h>

enum what {
	ACCESS,
	COPY,
	COPIED,
	ARRIVE,
	OPEN,
	CLUSTER_ARRIVE,
	CLUSTER_OVER,
	ARRIVE_AT,
	END_PHASE,
	FIND_OVER,
	GIVE,
	GET,
	END_WARP,
	END_GROUP
};

struct note {
	struct exits_group *group;
	lane_mask lanes;
	uint64_t where; /* an offset; GIVE, GET: the word; CLUSTER_*: the phase */
	uint64_t object, token;
	uint32_t pc;
	uint8_t what, warp, rank;
	bool waits;
};

struct watched {
	struct arena *arena;
	VECTOR(struct note) notes;             /* timing mode: not judged yet */
	struct exits_group *group[CORE_WARPS]; /* by slot; null: it is not followed */
	uint32_t exit[CORE_WARPS];             /* by slot: pc of the warp's last exit */
	uint64_t followed, clusters, strong;   /* slots of groups; in clusters; with strong accesses */
	uint64_t launch;                       /* of the kernel that was looked at last, its ordinal; plus one */
	bool copies, is_strong;                /* what that does */
};

static struct exits *exits_of(const struct core *core)
{
	assert(core->machine->gpu->observe[OBSERVER_exits]);
	return core->machine->gpu->observe[OBSERVER_exits];
}

/* ---- Judging ---- */

static void judge_more(struct exits *exits, const struct note *n, const struct exits_at *at)
{
	assert(n->group);
	switch ((enum what)n->what) {
	case ARRIVE_AT: exits_arrive_at(exits, at, n->rank, n->where); break;
	case END_PHASE: exits_end_phase(exits, n->group, n->where); break;
	case FIND_OVER: exits_find_over(exits, at, n->where); break;
	case GIVE: exits_give(exits, at, n->where); break;
	case GET: exits_get(exits, at, n->where); break;
	case END_WARP: exits_end_warp(exits, at); break;
	case END_GROUP: exits_end_group(exits, n->group); break;
	default: break;
	}
}

static void judge(struct exits *exits, const struct note *n)
{
	const struct exits_at at = {.group = n->group, .warp = n->warp, .pc = n->pc, .lanes = n->lanes};

	assert(n->group);
	switch ((enum what)n->what) {
	case ACCESS: exits_access(exits, &at, n->rank, n->where); break;
	case COPY:
		exits_copy(exits, &at,
			&(struct exits_copy){.to = n->where, .object = n->object, .token = n->token, .rank = n->rank});
		break;
	case COPIED: exits_copied(n->group, n->object, n->token); break;
	case ARRIVE: exits_arrive(exits, &at, (uint32_t)n->where, n->waits); break;
	case OPEN: exits_open(exits, n->group, (uint32_t)n->where); break;
	case CLUSTER_ARRIVE: exits_cluster_arrive(exits, &at, (uint32_t)n->where); break;
	case CLUSTER_OVER: exits_cluster_over(exits, &at, (uint32_t)n->where); break;
	default: judge_more(exits, n, &at);
	}
}

static void note_down(struct core *core, struct watched *s, struct note n)
{
	assert(n.group);
	if (observer_at_once(core))
		judge(exits_of(core), &n);
	else
		*vector_push(s->arena, &s->notes) = n;
}

/* By the warp. */
static void happens(struct core *core, struct watched *s, const struct warp_slot *r, struct note n)
{
	n.group = s->group[core_slot(core, r)];
	n.warp = (uint8_t)(r->warp.first_thread / r->warp.lanes);
	note_down(core, s, n);
	assert(n.warp < EXITS_WARPS);
}

static void flush(struct machine *machine, bool at_end)
{
	assert(!at_end || !machine->launches.first);
	(void)at_end;
	for (uint32_t c = 0; c < machine->cores.count; c++) {
		struct watched *s = observer_state(&machine->cores.at[c], OBSERVER_exits);

		assert(!s || !s->notes.count || !observer_at_once(&machine->cores.at[c]));
		for (uint32_t k = 0; s && k < s->notes.count; k++)
			judge(exits_of(&machine->cores.at[c]), &s->notes.at[k]);
		if (s)
			s->notes.count = 0;
	}
}

/* ---- Groups ---- */

static void look_at_kernel(struct watched *s, const struct launch *launch)
{
	assert(launch->kernel->code_count);
	if (s->launch == launch->ordinal + 1)
		return;
	s->launch = launch->ordinal + 1;
	s->copies = s->is_strong = false;
	for (uint32_t pc = 0; pc < launch->kernel->code_count; pc++) {
		s->copies |= (insn_kinds[launch->kernel->code[pc].kind].flags & KIND_ASYNC) != 0;
		s->is_strong |= misuse_is_strong(&launch->kernel->code[pc]);
	}
}

/* Hears of the groups that it follows; of those of clusters what orders; of accesses in any case only of these. */
static void hear(struct core *core, const struct watched *s)
{
	static const enum observer_event all[] = {OBSERVE_copies, OBSERVE_copied, OBSERVE_phase_ends, OBSERVE_looks,
		OBSERVE_warp_ends, OBSERVE_group_ends};
	static const enum observer_event clusters[] = {
		OBSERVE_arrives, OBSERVE_opens, OBSERVE_cluster_arrives, OBSERVE_cluster_over, OBSERVE_access};
	static const enum observer_event strong[] = {OBSERVE_completed, OBSERVE_lock_answered};

	assert(!(s->strong & ~s->clusters) && !(s->clusters & ~s->followed));
	for (size_t k = 0; k < sizeof all / sizeof *all; k++)
		observer_hear(core, OBSERVER_exits, all[k], s->followed);
	for (size_t k = 0; k < sizeof clusters / sizeof *clusters; k++)
		observer_hear(core, OBSERVER_exits, clusters[k], s->clusters);
	for (size_t k = 0; k < sizeof strong / sizeof *strong; k++)
		observer_hear(core, OBSERVER_exits, strong[k], s->strong);
}

static void create(struct core *core, void *state, struct arena *arena)
{
	const struct watched *s = state;

	assert(s->arena == arena);
	(void)arena;
	hear(core, s);
}

/* The cluster's number in the grid. */
static uint32_t cluster_of(const struct warp *w)
{
	const struct launch_values *values = w->launch;
	uint32_t at = 0;

	for (uint32_t k = 3; k--;)
		at = at * (values->grid[k] / values->cluster[k]) + w->group[k] / values->cluster[k];
	assert(values->cluster[0]);
	return at;
}

static void group_begins(struct core *core, void *state, struct group *group)
{
	struct watched *s = state;
	const struct warp *first = &core->slots[__builtin_ctzll(group->slots)].warp;
	uint32_t size = launch_cluster_size(first->launch);
	struct exits_group *of;

	assert(group->slots);
	look_at_kernel(s, group->core_launch->launch);
	if (size == 1 && !s->copies)
		return;
	of = exits_begin_group(exits_of(core), &(struct exits_shape){.kernel = first->kernel,
						       .launch = group->launch,
						       .number = group->number,
						       .cluster = cluster_of(first),
						       .size = size,
						       .rank = launch_cluster_rank(first->launch, first->group),
						       .warps = group->warps,
						       .lanes = first->lanes});
	EACH_LANE(slot, group->slots)
		s->group[slot] = of;
	s->followed |= group->slots;
	s->clusters |= size > 1 ? group->slots : 0;
	s->strong |= size > 1 && s->is_strong ? group->slots : 0;
	hear(core, s);
}

static void warp_ends(struct core *core, void *state, struct warp_slot *r)
{
	struct watched *s = state;

	assert(r->finished);
	happens(core, s, r, (struct note){.what = END_WARP, .pc = s->exit[core_slot(core, r)], .lanes = r->warp.full});
}

static void group_ends(struct core *core, void *state, struct group *group)
{
	struct watched *s = state;
	struct exits_group *of = s->group[__builtin_ctzll(group->slots)];

	assert(of);
	note_down(core, s, (struct note){.what = END_GROUP, .group = of});
	EACH_LANE(slot, group->slots)
		s->group[slot] = NULL;
	s->followed &= ~group->slots;
	s->clusters &= ~group->slots;
	s->strong &= ~group->slots;
	hear(core, s);
}

static bool wants(const struct gpu *gpu, bool functional, const struct insn *i)
{
	(void)gpu;
	(void)functional;
	return i->kind == INSN_EXIT || i->kind == INSN_RETURN;
}

static void before(struct core *core, void *state, struct warp_slot *r, const struct insn *i, lane_mask lanes)
{
	struct watched *s = state;

	assert(!(lanes & ~r->warp.full));
	if (lanes)
		s->exit[core_slot(core, r)] = launch_pc(r->core_launch->launch, i);
}

/* ---- Uses ---- */

static uint32_t own_rank(const struct warp *w)
{
	assert(launch_cluster_size(w->launch) <= EXITS_RANKS);
	return launch_cluster_rank(w->launch, w->group);
}

static void reaches_out(struct core *core, struct watched *s, const struct warp_slot *r, const struct insn *i,
	lane_mask lanes, const uint64_t *address)
{
	assert(lanes);
	for (lane_mask left = lanes, same; left; left &= ~same) {
		uint32_t first = (uint32_t)__builtin_ctzll(left), rank = remote_rank(address[first]);

		same = remote_same_rank(address, left);
		if (rank == own_rank(&r->warp))
			continue;
		happens(core, s, r,
			(struct note){.what = ACCESS,
				.pc = launch_pc(r->core_launch->launch, i),
				.lanes = same,
				.rank = (uint8_t)rank,
				.where = remote_offset(address[first])});
	}
}

/* What tells the end of a copy which one it is of. */
static uint64_t token_of(uint32_t core, uint32_t operation, uint32_t lane)
{
	assert(lane < CORE_WARPS);
	return ((uint64_t)core << 32 | operation) << 6 | lane;
}

static void copies(struct core *core, void *state, const struct warp_slot *r, const struct insn *i, uint32_t lane,
	const struct observed_copy *copy)
{
	struct watched *s = state;
	bool is_own = copy->to_space != space_CLUSTER;
	struct note n = {.what = COPY,
		.pc = launch_pc(r->core_launch->launch, i),
		.lanes = (lane_mask)1 << lane,
		.rank = (uint8_t)(is_own ? own_rank(&r->warp) : remote_rank(copy->to)),
		.where = is_own ? copy->to : remote_offset(copy->to),
		.object = is_own ? copy->object : remote_offset(copy->object),
		.token = token_of(core->index, copy->token, lane)};

	assert(lane < r->warp.lanes);
	if (!copy->has_object)
		return;
	if (i->op == OP_cp_async_arrive) {
		n.what = ARRIVE_AT;
		n.where = n.object;
	}
	happens(core, s, r, n);
}

static void copied(struct core *core, void *state, const struct operation *op, uint32_t lane, uint64_t object)
{
	const struct remote_access *from = core->lsu.serving;
	struct watched *s = state;
	uint32_t operation = from ? from->token : (uint32_t)(op - core->lsu.operations);

	assert(op->lanes >> lane & 1);
	note_down(core, s,
		(struct note){.what = COPIED,
			.group = s->group[core_slot(core, op->slot)],
			.object = object,
			.token = token_of(from ? from->core : core->index, operation, lane)});
}

/* ---- Order ---- */

static void arrives(
	struct core *core, void *state, const struct warp_slot *r, uint32_t number, lane_mask lanes, bool waits)
{
	assert(lanes);
	if (number < NAMED_BARRIERS)
		happens(core, state, r, (struct note){.what = ARRIVE, .lanes = lanes, .where = number, .waits = waits});
}

static void opens(struct core *core, void *state, const struct group *group, uint32_t number)
{
	struct watched *s = state;

	assert(group->slots);
	if (number < NAMED_BARRIERS)
		note_down(core, s,
			(struct note){.what = OPEN, .group = s->group[__builtin_ctzll(group->slots)], .where = number});
}

static void cluster_arrives(
	struct core *core, void *state, const struct warp_slot *r, lane_mask lanes, uint32_t phase, bool relaxed)
{
	assert(lanes);
	(void)relaxed;
	happens(core, state, r, (struct note){.what = CLUSTER_ARRIVE, .lanes = lanes, .where = phase});
}

static void cluster_over(struct core *core, void *state, const struct warp_slot *r, lane_mask lanes, uint32_t phase)
{
	assert(lanes);
	happens(core, state, r, (struct note){.what = CLUSTER_OVER, .lanes = lanes, .where = phase});
}

/* A word, by the space and, in shared memory, the group. */
static uint64_t word_of(const struct warp_slot *r, uint8_t space, uint64_t address)
{
	if (space == space_GLOBAL)
		return address << 1;
	assert(space == space_SHARED || space == space_CLUSTER);
	if (space == space_SHARED)
		address += SHARED_PART_BYTES * (own_rank(&r->warp) + 1ull);
	return (((uint64_t)cluster_of(&r->warp) << 32) + address) << 1 | 1;
}

static void word_happens(struct core *core, void *state, const struct warp_slot *r, enum what what, lane_mask lanes,
	uint8_t space, const uint64_t *address)
{
	uint64_t last = 0;

	assert(what == GIVE || what == GET);
	EACH_LANE(l, lanes) {
		uint64_t word = word_of(r, space, address[l]);

		if (word != last)
			happens(core, state, r,
				(struct note){.what = (uint8_t)what, .lanes = (lane_mask)1 << l, .where = word});
		last = word;
	}
}

static void arrives_at(struct core *core, void *state, const struct warp_slot *r, lane_mask lanes, uint8_t space,
	const uint64_t *address)
{
	uint64_t last = UINT64_MAX;

	assert(space == space_SHARED || space == space_CLUSTER);
	EACH_LANE(l, lanes) {
		bool is_own = space == space_SHARED;

		if (address[l] != last)
			happens(core, state, r,
				(struct note){.what = ARRIVE_AT,
					.lanes = (lane_mask)1 << l,
					.rank = (uint8_t)(is_own ? own_rank(&r->warp) : remote_rank(address[l])),
					.where = is_own ? address[l] : remote_offset(address[l])});
		last = address[l];
	}
}

static void accesses(struct core *core, void *state, const struct warp_slot *r, const struct insn *i, lane_mask lanes,
	uint8_t space, const uint64_t *address)
{
	assert(lanes);
	if (insn_kinds[i->kind].flags & KIND_ASYNC) /* see copies */
		return;
	if (space == space_CLUSTER)
		reaches_out(core, state, r, i, lanes, address);
	if (i->kind == INSN_MBARRIER && !misuse_is_wait(i) && i->op != OP_mbarrier_init && i->op != OP_mbarrier_inval)
		arrives_at(core, state, r, lanes, space, address);
	if (!misuse_is_strong(i) || (space != space_GLOBAL && space != space_SHARED && space != space_CLUSTER))
		return;
	if (observer_at_once(core) && misuse_reads(i))
		word_happens(core, state, r, GET, lanes, space, address);
	if (i->kind != INSN_LOAD && i->kind != INSN_ACQUIRE)
		word_happens(core, state, r, GIVE, lanes, space, address);
}

/* In timing mode a read has its value. */
static void completed(struct core *core, void *state, const struct operation *op)
{
	if (observer_at_once(core) || !misuse_is_strong(op->insn) || !misuse_reads(op->insn) ||
		op->space == space_LOCAL)
		return;
	assert(op->slot->group == op->group);
	word_happens(core, state, op->slot, GET, op->lanes, op->space, op->address);
}

static void lock_answered(struct core *core, void *state, const struct warp_slot *r, const struct insn *i,
	const uint64_t *address, lane_mask granted, lane_mask refused)
{
	assert(!(granted & refused));
	(void)i;
	(void)refused;
	word_happens(core, state, r, GET, granted, space_GLOBAL, address);
}

static void phase_ends(struct core *core, void *state, const struct operation *op, uint64_t object)
{
	struct watched *s = state;

	assert(op->slot->group == op->group);
	note_down(core, s,
		(struct note){.what = END_PHASE, .group = s->group[core_slot(core, op->slot)], .where = object});
}

static void looks(
	struct core *core, void *state, const struct operation *op, lane_mask odd, lane_mask complete, bool goes_on)
{
	uint64_t last = UINT64_MAX;

	assert(!((complete | odd) & ~op->lanes));
	(void)odd;
	(void)goes_on;
	assert(op->space == space_SHARED);
	EACH_LANE(l, complete) {
		if (op->address[l] != last)
			happens(core, state, op->slot,
				(struct note){.what = FIND_OVER, .lanes = (lane_mask)1 << l, .where = op->address[l]});
		last = op->address[l];
	}
}

const struct observer observer_exits = {
	.state_size = sizeof(struct watched),
	.has_arena = true,
	.create = create,
	.wants = wants,
	.before = before,
	.on = {.group_begins = group_begins,
		.warp_ends = warp_ends,
		.group_ends = group_ends,
		.copies = copies,
		.copied = copied,
		.arrives = arrives,
		.opens = opens,
		.cluster_arrives = cluster_arrives,
		.cluster_over = cluster_over,
		.access = accesses,
		.completed = completed,
		.lock_answered = lock_answered,
		.phase_ends = phase_ends,
		.looks = looks},
	.flush = flush,
};
