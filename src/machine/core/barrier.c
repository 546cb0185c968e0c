/* Work-group barriers: bar.sync, bar.arrive, bar.red and the barrier.* forms.
 *
 * Under a reconvergence stack a warp arrives as a whole: all its live lanes count, as before Volta.  With independent
 * threads each lane counts when its path arrives.  Nothing waits for threads that have exited. */
#include "machine/core/barrier.h"

#include "machine/core/barrier_mend.h"
#include "machine/core/barrier_trace.h"
#include "machine/core/executors.h"
#include "machine/core/fault.h"
#include "machine/core/observer.h"
#include "machine/core/path.h"
#include "machine/core/port.h"
#include "machine/core/schedule.h"
#include "machine/state/machine.h"

#include <assert.h>
#include <string.h>

static uint32_t arriving_threads(const struct core *core, const struct warp_slot *r, lane_mask lanes, bool counted)
{
	assert(lanes);
	assert((lanes & ~r->warp.live) == 0);
	if (core->machine->independent)
		return (uint32_t)__builtin_popcountll(lanes);
	/* A thread count is a multiple of the warp size, and a partial warp counts as a whole one (ISA, bar). */
	return counted ? r->warp.lanes : (uint32_t)__builtin_popcountll(r->warp.live);
}

static bool is_full(const struct group *group, const struct barrier *b)
{
	assert(group->live_threads <= group->threads);
	return b->arrived && b->arrived >= (b->expected ? b->expected : group->live_threads);
}

static void note_use(struct barrier_note *n, const struct warp_slot *r, uint32_t count)
{
	uint32_t pc = r->warp.path->pc, k = 0;

	assert(r->bit);
	while (k < BARRIER_USES && n->uses[k].slots && (n->uses[k].pc != pc || n->uses[k].count != count))
		k++;
	if (k == BARRIER_USES) {
		n->more_uses = true;
		return;
	}
	n->uses[k].pc = pc;
	n->uses[k].count = count;
	n->uses[k].slots |= r->bit;
}

/* Notes for messages who comes, and from where. */
static void note_arrival(struct barrier_note *n, const struct warp_slot *r, lane_mask lanes, uint32_t threads)
{
	uint32_t pc = r->warp.path->pc;
	struct barrier_source *from = !n->from[0].threads || n->from[0].pc == pc ? &n->from[0] : &n->from[1];

	assert(threads);
	if (n->came & r->bit) {
		n->twice |= r->bit;
		n->twice_pc = pc;
	}
	if (lanes == r->warp.live) /* else other lanes of the warp may come by themselves */
		n->came |= r->bit;
	if (!from->threads)
		from->pc = pc;
	from->threads += from->pc == pc ? threads : 0;
}

static void note_event(struct core *core, const struct warp_slot *r, uint32_t number, uint32_t expected, bool waits)
{
	assert(r->warp.path->active);
	if (expected)
		barrier_trace_add(core, r->group, r->warp.first_thread / r->warp.lanes,
			(struct barrier_event){.waits = waits,
				.number = (uint8_t)number,
				.pc = r->warp.path->pc,
				.count = expected,
				.phase = r->group->barrier_notes[number].phase});
}

static bool is_reduction(const struct insn *i)
{
	return i->d != SLOT_NONE || i->pd != NO_PREDICATE;
}

/* The result of bar.red, as recorded when the warp began to wait. */
static void give_result(const struct warp_slot *r, const struct barrier *b)
{
	const struct insn *i = r->barrier.insn;
	bool all = b->population == b->contributors, any = b->population != 0;

	assert(b->population <= b->contributors);
	if (!i || !is_reduction(i))
		return;
	if (i->op == OP_bar_red_popc || i->op == OP_barrier_red_popc) {
		EACH_LANE(l, r->barrier.lanes)
			(r->barrier.bank + (i->d & 0x7fffffffu))[l] = b->population;
	} else {
		bool value = i->op == OP_bar_red_and || i->op == OP_barrier_red_and ? all : any;
		lane_mask *p = &r->barrier.predicates[i->pd];

		*p = value ? *p | r->barrier.lanes : *p & ~r->barrier.lanes;
	}
}

/* MEND_TWICE: a warp that has arrived in this phase arrives in the next. */
static bool puts_off(struct core *core, const struct change *c, const struct warp_slot *r, uint32_t number)
{
	struct barrier_note *n = &r->group->barrier_notes[number];

	assert(number < NAMED_BARRIERS);
	if (c->mend != MEND_TWICE || c->barrier != number || !(n->came & r->bit))
		return false;
	if (!n->ahead)
		n->ahead = arena_new_array(&core->machine->cores.arenas[core->index], uint64_t, CORE_WARPS);
	n->ahead[core_slot(core, r)]++;
	return true;
}

/* Those that were put off come, one arrival of each warp; nobody waits yet, so the phase cannot be over. */
static void come_ahead(const struct core *core, const struct group *group, struct barrier *b, struct barrier_note *n,
	uint32_t expected)
{
	assert(!b->waiting);
	for (uint64_t m = group->slots; m; m &= m - 1) {
		struct warp_slot *r = &core->slots[__builtin_ctzll(m)];
		uint64_t *ahead = &n->ahead[__builtin_ctzll(m)];

		if (!*ahead)
			continue;
		--*ahead;
		n->came |= r->bit;
		b->arrived += r->warp.lanes;
		b->expected = expected;
	}
}

/* A new phase begins. */
static void begin_phase(const struct core *core, struct group *group, uint32_t number)
{
	struct barrier *b = &group->barriers[number];
	struct barrier_note *n = &group->barrier_notes[number];
	uint32_t expected = b->expected;

	assert(number < GROUP_BARRIERS);
	*b = (struct barrier){0};
	if (number >= NAMED_BARRIERS)
		return;
	n->came = 0;
	memset(n->from, 0, sizeof n->from);
	n->phase++;
	if (n->ahead)
		come_ahead(core, group, b, n, expected);
}

void barrier_let_go(struct core *core, struct warp_slot *r, uint32_t number, uint64_t at)
{
	lane_mask lanes = r->waiting_lanes[number];
	bool runs_already = r->warp.path->active != 0;

	assert(r->used);
	assert(!r->finished);
	assert(lanes);
	assert(core->now >= r->waits_since);
	observe_released(core, r, number, r->waits_since);
	r->waiting_lanes[number] = 0;
	r->barrier.insn = NULL;
	core->machine->divergence->unblock(r->warp.divergence, lanes);
	control_follow(r);
	if (runs_already)
		return;
	r->hold_until = at;
	r->buffered = 0;
	if (r != core->issuing)
		core_schedule(core, r);
}

void barrier_open_at(struct core *core, struct group *group, uint32_t number, uint64_t at)
{
	const struct gpu_model *model = core->machine->model;
	struct barrier *b = &group->barriers[number];
	uint64_t waiting = b->waiting;
	uint32_t apart = model->barrier_in_turn ? model->barrier_per_warp : 0;

	assert(number < GROUP_BARRIERS);
	assert(group->used);
	observe_opens(core, group, number);
	port_fence_group(core);
	for (uint64_t m = waiting; m; m &= m - 1) {
		struct warp_slot *r = &core->slots[__builtin_ctzll(m)];
		assert(r->group == group);

		at += apart;
		give_result(r, b);
		core->counters.barrier_wait_cycles += core->now - r->waits_since;
		barrier_let_go(core, r, number, at);
	}
	begin_phase(core, group, number);
}

static void release(struct core *core, struct group *group, struct barrier *b)
{
	const struct gpu_model *model = core->machine->model;
	uint64_t at = core->now + model->barrier_latency + (uint64_t)model->barrier_per_warp * group->warps;
	uint32_t apart = model->barrier_in_turn ? model->barrier_per_warp : 0;

	assert((uint32_t)__builtin_popcountll(b->waiting) <= group->warps);
	at -= (uint64_t)apart * (uint32_t)__builtin_popcountll(b->waiting);
	barrier_open_at(core, group, (uint32_t)(b - group->barriers), at);
}

static void contribute(struct barrier *b, const struct warp_slot *r, const struct insn *i, lane_mask lanes)
{
	assert(lanes);
	assert((lanes & ~r->warp.live) == 0);
	lane_mask p = (r->warp.predicates[i->ps] ^ -(lane_mask)i->ps_invert) & lanes;

	b->population += (uint32_t)__builtin_popcountll(p);
	b->contributors += (uint32_t)__builtin_popcountll(lanes);
}

void barrier_wait(struct core *core, struct warp_slot *r, const struct insn *i, uint32_t number)
{
	assert(number < GROUP_BARRIERS && r->warp.path->active);
	r->barrier.insn = i;
	r->waiting_lanes[number] |= r->warp.path->active;
	r->waits_since = core->now;
	r->group->barriers[number].waiting |= r->bit;
	observe_barrier_waits(core, r, number);
	core->machine->divergence->block(r->warp.divergence);
	control_follow(r);
}

void barrier_execute(struct core *core, struct warp_slot *r, const struct insn *i, lane_mask lanes)
{
	struct group *group = r->group;
	bool arrive_only = i->op == OP_bar_arrive || i->op == OP_barrier_arrive;
	uint32_t lane, number, expected = 0;
	const struct change *change;
	struct barrier *b;

	assert(lanes);
	lane = (uint32_t)__builtin_ctzll(lanes);
	number = ((const uint32_t *)slot_at(&r->warp, i->s[0]))[lane];
	if (i->s[1] != SLOT_NONE)
		expected = ((const uint32_t *)slot_at(&r->warp, i->s[1]))[lane];
	if (number >= NAMED_BARRIERS) {
		core_fault(
			core, r, i, lane, FAULT_barrier, "barrier %u does not exist: a work-group has 0 to 15", number);
		return;
	}
	change = barrier_mend_of(core, group);
	if (change)
		barrier_mend_operands(change, r, &number, &expected);
	group->barriers_used |= 1u << number;
	b = &group->barriers[number];
	b->expected = expected;
	if (change && arrive_only && (puts_off(core, change, r, number) || barrier_mend_drops(change, r, number))) {
		observe_arrives(core, r, number, lanes, false);
		control_advance(core, r);
		return;
	}
	if (change && !arrive_only)
		b->arrived += barrier_mend_first(change, r, number);
	note_event(core, r, number, expected, !arrive_only);
	b->arrived += arriving_threads(core, r, lanes, expected != 0);
	note_arrival(&group->barrier_notes[number], r, lanes, arriving_threads(core, r, lanes, expected != 0));
	note_use(&group->barrier_notes[number], r, expected);
	observe_arrives(core, r, number, lanes, !arrive_only);
	core->counters.barrier_arrivals++;
	if (is_reduction(i))
		contribute(b, r, i, lanes);
	if (!arrive_only) {
		r->barrier.lanes = r->barrier.insn == i ? r->barrier.lanes | lanes : lanes;
		assert(!r->waiting_lanes[number] || !core->machine->independent || !(r->waiting_lanes[number] & lanes));
		r->barrier.bank = r->warp.bank[0];
		r->barrier.predicates = r->warp.predicates;
		barrier_wait(core, r, i, number);
	} else {
		control_advance(core, r);
	}
	if (is_full(group, b))
		release(core, group, b);
	if (change)
		barrier_mend_settle(core, group, change);
}

void barrier_open(struct core *core, struct group *group, uint32_t number)
{
	assert(number < GROUP_BARRIERS);
	release(core, group, &group->barriers[number]);
}

void barrier_lanes_exited(struct core *core, struct group *group)
{
	assert(group->used);
	for (uint32_t used = group->barriers_used; used; used &= used - 1) {
		struct barrier *b = &group->barriers[__builtin_ctz(used)];

		if (!b->expected && is_full(group, b))
			release(core, group, b);
	}
	if (barrier_mend_of(core, group))
		barrier_mend_settle(core, group, barrier_mend_of(core, group));
}
