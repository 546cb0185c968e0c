/* What launches access in global memory, for what orders launches and copies (race/footprint.h).
 *
 * An observer; gpu->observe has the struct footprints of the GPU.  In functional mode each access is added at once.  In
 * timing mode a core writes down what it accesses, and between quanta one thread adds it. */
#include "race/footprint.h"

#include "machine/core/fence.h"
#include "machine/core/observer.h"
#include "machine/state/launch_state.h"

#include <assert.h>

/* Bytes that an instruction of a launch has accessed; an empty span: a group of it has ended. */
struct note {
	uint64_t ordinal;
	struct span span;
	uint32_t pc;
	bool writes, fence, awaited;
};

struct watched {
	struct arena *arena;
	VECTOR(struct note) notes; /* timing mode */
	/* Slots whose warps may know that the grids are over on which theirs depends: see knows(). */
	uint64_t awaited;
	const struct kernel *kernel; /* looked through last: */
	bool awaits;                 /* whether it has a griddepcontrol.wait */
};

static struct footprints *footprints_of(const struct core *core)
{
	assert(core->machine->gpu->observe[OBSERVER_footprint]);
	return core->machine->gpu->observe[OBSERVER_footprint];
}

static void tell(struct footprints *all, const struct note *n)
{
	assert(n->span.first <= n->span.end);
	assert(!(n->fence && n->span.end));
	if (n->fence)
		footprint_fence(all, n->ordinal);
	else if (n->span.end)
		footprint_add(all, n->ordinal, n->pc, n->writes, n->awaited, &n->span);
	else
		footprint_group_ends(all, n->ordinal);
}

/* Blocks of device malloc are given again and again, in an order that the heap itself makes. */
static bool is_in_heap(const struct core *core, const struct note *n)
{
	const struct heap *heap = &core->machine->gpu->heap;

	assert(n->span.first <= n->span.end);
	return n->span.end && heap->address && n->span.first - heap->address < heap->bytes;
}

static void happens(const struct core *core, struct watched *s, const struct note *n)
{
	assert(!s->notes.count || !observer_at_once(core));
	if (is_in_heap(core, n))
		return;
	if (observer_at_once(core))
		tell(footprints_of(core), n);
	else
		*vector_push(s->arena, &s->notes) = *n;
}

/* ---- What the grid depends on ----
 *
 * griddepcontrol.wait orders the executing thread after the grids before.  Others know of it by what synchronises them
 * with that thread.  Here a warp counts as one thread, and counts as one that knows when it has executed the
 * instruction; when a barrier of a group opens, or a phase of an mbarrier is over for it, and a warp of its group
 * knows; and from its first synchronising access of global memory, or barrier of its cluster, on if the kernel has a
 * wait at all: so none is reported that does wait. */

static bool has_wait(struct watched *s, const struct kernel *kernel)
{
	if (s->kernel == kernel)
		return s->awaits;
	assert(kernel->code_count);
	s->kernel = kernel;
	s->awaits = false;
	for (uint32_t pc = 0; pc < kernel->code_count && !s->awaits; pc++)
		s->awaits = kernel->code[pc].op == OP_griddepcontrol_wait;
	return s->awaits;
}

/* The slots have synchronised with others of the kernel, whose warps know it if any is to. */
static void may_know(struct watched *s, const struct kernel *kernel, uint64_t slots)
{
	assert(slots);
	if (has_wait(s, kernel))
		s->awaited |= slots;
}

static void opens(struct core *core, void *state, const struct group *group, uint32_t number)
{
	struct watched *s = state;

	assert(group->slots);
	(void)core, (void)number;
	if (s->awaited & group->slots)
		s->awaited |= group->slots;
}

static void cluster_over(struct core *core, void *state, const struct warp_slot *r, lane_mask lanes, uint32_t phase)
{
	assert(lanes);
	(void)core, (void)lanes, (void)phase;
	may_know(state, r->warp.kernel, r->bit);
}

static void looks(
	struct core *core, void *state, const struct operation *op, lane_mask odd, lane_mask complete, bool goes_on)
{
	struct watched *s = state;

	assert(op->slot->bit);
	(void)core, (void)odd, (void)goes_on;
	if (complete && s->awaited & op->group->slots)
		s->awaited |= op->slot->bit;
}

static bool synchronises(const struct insn *i)
{
	return i->kind == INSN_ATOMIC || i->kind == INSN_ACQUIRE || i->access.order > order_WEAK;
}

/* Neighbouring lanes mostly access neighbouring bytes. */
static void accesses(struct core *core, void *state, const struct warp_slot *r, const struct insn *i, lane_mask lanes,
	uint8_t space, const uint64_t *address)
{
	const struct launch *launch = r->core_launch->launch;
	struct watched *s = state;
	struct note n = {.ordinal = launch->ordinal, .writes = i->kind != INSN_LOAD, .awaited = s->awaited & r->bit};
	uint64_t bytes = (uint64_t)i->access.bytes * i->access.elements;

	assert(!(lanes & ~r->warp.full));
	if (lanes && !n.awaited && synchronises(i))
		may_know(s, r->warp.kernel, r->bit);
	if (space != space_GLOBAL || !lanes || !bytes)
		return;
	n.pc = launch_pc(launch, i);
	EACH_LANE(l, lanes) {
		if (n.span.end == address[l]) {
			n.span.end += bytes;
			continue;
		}
		if (n.span.end)
			happens(core, state, &n);
		n.span = (struct span){address[l], address[l] + bytes};
	}
	happens(core, state, &n);
}

/* Constants lie in global memory, where the host may write them. */
static void constants(struct core *core, void *state, const struct warp_slot *r, const struct insn *i, lane_mask lanes,
	const uint64_t *address)
{
	assert(i->kind == INSN_LOAD);
	accesses(core, state, r, i, lanes, space_GLOBAL, address);
}

static void moves(struct core *core, void *state, const struct warp_slot *r, const struct insn *i, uint32_t lane,
	uint8_t space, uint64_t address, uint64_t bytes, bool writes)
{
	const struct launch *launch = r->core_launch->launch;
	const struct watched *s = state;
	struct note n = {.ordinal = launch->ordinal,
		.span = {address, address + bytes},
		.writes = writes,
		.awaited = s->awaited & r->bit};

	assert(r->warp.full >> lane & 1);
	(void)lane;
	if (space != space_GLOBAL || !bytes)
		return;
	n.pc = launch_pc(launch, i);
	happens(core, state, &n);
}

static bool wants(const struct gpu *gpu, bool functional, const struct insn *i)
{
	(void)gpu;
	(void)functional;
	return (i->kind == INSN_FENCE && !fence_is_of_group(i)) || i->op == OP_griddepcontrol_wait;
}

static void before(struct core *core, void *state, struct warp_slot *r, const struct insn *i, lane_mask lanes)
{
	struct watched *s = state;

	assert(!(lanes & ~r->warp.path->active));
	if (lanes && i->op == OP_griddepcontrol_wait)
		s->awaited |= r->bit;
	else if (lanes)
		happens(core, state, &(struct note){.ordinal = r->core_launch->launch->ordinal, .fence = true});
}

static void group_begins(struct core *core, void *state, struct group *group)
{
	const struct launch *launch = group->core_launch->launch;
	struct watched *s = state;

	assert(group->used);
	assert(group->number < launch->total_groups);
	s->awaited &= ~group->slots;
	footprint_group_begins(footprints_of(core), launch->ordinal, launch->kernel, launch->total_groups);
}

static void group_ends(struct core *core, void *state, struct group *group)
{
	assert(group->launch == group->core_launch->launch->ordinal);
	happens(core, state, &(struct note){.ordinal = group->core_launch->launch->ordinal});
}

static void flush(struct machine *machine, bool at_end)
{
	(void)at_end;
	for (uint32_t c = 0; c < machine->cores.count; c++) {
		struct core *core = &machine->cores.at[c];
		struct watched *s = observer_state(core, OBSERVER_footprint);

		assert(!s || !s->notes.count || !observer_at_once(core));
		for (uint32_t k = 0; s && k < s->notes.count; k++)
			tell(footprints_of(core), &s->notes.at[k]);
		if (s)
			s->notes.count = 0;
	}
}

const struct observer observer_footprint = {
	.state_size = sizeof(struct watched),
	.wants = wants,
	.has_arena = true,
	.before = before,
	.on = {.access = accesses,
		.opens = opens,
		.cluster_over = cluster_over,
		.looks = looks,
		.constants = constants,
		.moves = moves,
		.group_begins = group_begins,
		.group_ends = group_ends},
	.flush = flush,
};
