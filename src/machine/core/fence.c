/* Fences: wait until the group's earlier requests are answered; see struct group for why the group is the unit.
 *
 * A CTA fence waits for nothing: the threads of a group share a core, whose load-store unit is in order and whose
 * messages to a line stay in order, so the core's own accesses are seen by each other in the order they were
 * issued.  Where loads of a line may pass each other it holds those back. */
#include "machine/core/fence.h"

#include "machine/core/deferred.h"
#include "machine/core/executors.h"
#include "machine/core/group.h"
#include "machine/core/observer.h"
#include "machine/core/path.h"
#include "machine/core/port.h"
#include "machine/core/schedule.h"
#include "machine/state/machine.h"
#include "policy/contract.h"

#include <assert.h>

/* Requests of the group up to and including the epoch that are not answered; `all`: with waits for phases. */
static bool any_outstanding(const struct group *group, uint32_t epoch, bool all)
{
	assert((int32_t)(group->epoch - epoch) >= 0);
	for (uint32_t k = 0; k < FENCE_EPOCHS; k++) {
		uint32_t of = group->epoch - k; /* from the current epoch back to the oldest that can be open */
		uint32_t at = of % FENCE_EPOCHS;

		if ((int32_t)(of - epoch) <= 0 && group->outstanding[at] > (all ? 0 : group->suspended[at]))
			return true;
	}
	return false;
}

bool fence_drained(const struct group *group, uint32_t epoch)
{
	return !any_outstanding(group, epoch, true);
}

bool fence_is_over(const struct warp_slot *r)
{
	assert(r->used);
	return !r->suspended && !any_outstanding(r->group, r->fence_epoch, false);
}

/* Closes the current epoch, so that requests sent from now on do not delay this fence.  When all epochs are open the
 * current one goes on: the fence then waits longer than it must, never shorter. */
uint32_t fence_close_epoch(struct group *group)
{
	uint32_t closed = group->epoch;

	assert(group->used);
	if (!group->outstanding[(group->epoch + 1) % FENCE_EPOCHS])
		group->epoch++;
	return closed;
}

bool fence_acquire(struct core *core, const struct l1_fence *fence)
{
	if (contract_acquire(core->machine->coherence, core->coherence_state, fence) == L1_LEAVE)
		return false;
	l1_invalidate(&core->l1);
	core->counters.l1_invalidations++;
	return true;
}

static uint32_t latency_of(const struct gpu_model *model, const struct warp_slot *r)
{
	return r->fences_system && model->fence_system_latency ? model->fence_system_latency : model->fence_latency;
}

/* --- Rounds of the whole GPU's fences of system scope ---
 *
 * One unit of the GPU flushes what is on its way to the host: one flush, a round, at a time.  Requests that come while
 * it is busy wait, and the next round is for all of them.  It answers one core, or one warp, after another.
 *
 * With fence.system_window a core has one request on the way.  Its fences that come soon after the first are part of
 * it.  Later ones wait until it is answered, and are the core's next request. */

struct fence_turn {
	struct warp_slot *slot;
	uint64_t cycle; /* in which all before the fence was answered */
};

/* Of a core: those of this quantum, one a warp at most; and its latest request. */
struct fence_turns {
	uint64_t round;                     /* number of the request's; 0: there was none */
	uint64_t sent, answer;              /* cycles in which the request is sent and answered */
	uint32_t count, next;               /* written down, and the first that has no round yet */
	struct fence_turn list[CORE_WARPS]; /* in order of cycle */
};

static void await_turn(struct core *core, struct warp_slot *r)
{
	struct fence_turns *turns = defer(&core->deferred, DEFERRED_fence);

	assert(turns->count < CORE_WARPS);
	turns->list[turns->count++] = (struct fence_turn){.slot = r, .cycle = core->now};
	r->held = true;
}

/* The core of the next in order of cycle, then of cores; null: there is none. */
static struct core *next_turn(struct machine *machine)
{
	struct core *next = NULL;
	uint64_t earliest = NEVER;

	for (uint32_t c = 0; c < machine->cores.count; c++) {
		const struct fence_turns *turns = machine->cores.at[c].deferred.state[DEFERRED_fence];
		assert(!turns || turns->next <= turns->count);

		if (turns && turns->next < turns->count && turns->list[turns->next].cycle < earliest) {
			next = &machine->cores.at[c];
			earliest = turns->list[turns->next].cycle;
		}
	}
	return next;
}

/* Once a round has begun, the one that has been waiting for it takes requests. */
static void settle(struct fence_round rounds[2], uint64_t cycle)
{
	assert(rounds[0].busy_until >= rounds[0].start);
	if (cycle <= rounds[0].start || !rounds[1].number)
		return;
	assert(rounds[1].number == rounds[0].number + 1);
	rounds[0] = rounds[1];
	rounds[1].number = 0;
}

/* The round of a request of this cycle that must be after round `not_in`: one that has not begun, or a new one. */
static struct fence_round *round_at(struct machine *machine, uint64_t cycle, uint64_t not_in)
{
	struct fence_round *rounds = machine->time.fence_rounds, *round;

	settle(rounds, cycle);
	assert(!rounds[1].number || cycle <= rounds[0].start);
	if (rounds[0].number && cycle <= rounds[0].start) {
		if (rounds[0].number != not_in)
			return &rounds[0];
		if (rounds[1].number)
			return &rounds[1];
		round = &rounds[1];
	} else {
		round = &rounds[0];
	}
	round->number = rounds[0].number + 1;
	round->start = cycle > rounds[0].busy_until ? cycle : rounds[0].busy_until;
	round->busy_until = round->start + machine->time.delays.fence_system_interval;
	round->delay = 0;
	return round;
}

/* Makes the round longer, and the one that waits for it later. */
static void lengthen(struct fence_round rounds[2], struct fence_round *round, uint32_t cycles)
{
	assert(round->number);
	round->delay += cycles;
	round->busy_until += cycles;
	if (round == &rounds[0] && rounds[1].number) {
		rounds[1].start += cycles;
		rounds[1].busy_until += cycles;
	}
}

/* The cycle in which the fence is over.  A request that waits for a round which has not begun is not put off by what
 * still joins that round: its answer would have to be taken back. */
static uint64_t join_round(struct machine *machine, struct fence_turns *turns, const struct fence_turn *turn)
{
	const struct gpu_model *model = machine->model;
	bool in_flight = model->fence_system_window && turns->round && turn->cycle < turns->answer;
	struct fence_round *round;

	assert(turn->slot->held);
	if (in_flight && turn->cycle <= turns->sent + model->fence_system_window)
		return turns->answer;
	round = round_at(machine, turn->cycle, in_flight ? turns->round : 0);
	lengthen(machine->time.fence_rounds, round,
		model->fence_system_warp + (turns->round != round->number ? model->fence_system_core : 0));
	turns->round = round->number;
	turns->sent = in_flight ? turns->answer : turn->cycle;
	turns->answer = round->start + latency_of(model, turn->slot) + round->delay;
	return turns->answer;
}

static void give_turns(struct machine *machine)
{
	struct core *core;

	while ((core = next_turn(machine))) {
		struct fence_turns *turns = core->deferred.state[DEFERRED_fence];
		const struct fence_turn *turn = &turns->list[turns->next++];
		struct warp_slot *r = turn->slot;

		assert(turns->next <= turns->count);
		assert(r->held);
		r->hold_until = join_round(machine, turns, turn);
		r->held = false;
		core_schedule(core, r);
	}
	for (uint32_t c = 0; c < machine->cores.count; c++) {
		struct fence_turns *turns = machine->cores.at[c].deferred.state[DEFERRED_fence];

		if (turns)
			turns->count = turns->next = 0;
	}
}

const struct deferred deferred_fence = {.state_size = sizeof(struct fence_turns), .carry_out = give_turns};

/* --- Waiting --- */

/* The host must see what was written before the fence, before anything after the fence is read. */
static void finish(struct core *core, struct warp_slot *r)
{
	bool emptied;

	assert(core->now >= r->waits_since);
	if (core->machine->space->host_writes)
		__atomic_thread_fence(__ATOMIC_SEQ_CST);
	core->counters.fence_wait_cycles += core->now - r->waits_since;
	r->in_fence = false;
	r->hold_until = core->now + latency_of(core->machine->model, r);
	if (r->fences_system && core->machine->time.delays.fence_system_interval)
		await_turn(core, r);
	emptied = fence_acquire(core, &r->fence);
	observe_fenced(core, r, r->waits_since, emptied);
}

/* Starts to wait; true when there is nothing to wait for. */
static bool begin(struct core *core, struct warp_slot *r, struct l1_fence fence)
{
	struct group *group = r->group;

	assert(!r->in_fence);
	assert(r->used);
	assert(!r->finished);
	core->counters.fences++;
	r->fence_epoch = fence_close_epoch(group);
	r->fence = fence;
	r->waits_since = core->now;
	if (core->machine->functional || fence_is_over(r)) {
		finish(core, r);
		return true;
	}
	r->in_fence = true;
	group->fencing |= 1ull << core_slot(core, r);
	return false;
}

bool fence_is_of_group(const struct insn *i)
{
	return i->op == OP_membar_cta || (i->op == OP_fence && i->modifiers.scope == scope_CTA);
}

/* How far a fence reaches and whether it is of the old form. */
static struct l1_fence fence_of(const struct insn *i)
{
	bool group = fence_is_of_group(i);

	return (struct l1_fence){.membar = i->op == OP_membar_cta || i->op == OP_membar_gl || i->op == OP_membar_sys,
		.scope = group ? L1_SCOPE_GROUP : L1_SCOPE_WIDE};
}

static void fence_group(struct core *core, struct warp_slot *r)
{
	const struct gpu_model *model = core->machine->model;
	uint64_t free = core->lsu.queue_time > core->now ? core->lsu.queue_time : core->now;

	assert(r->used);
	assert(!r->finished);
	port_fence_group(core);
	if (model->fence_group_cycles)
		core->lsu.queue_time = free + model->fence_group_cycles;
	if (model->fence_group_latency)
		r->hold_until = core->now + model->fence_group_latency;
}

static bool is_system(const struct insn *i)
{
	return i->op == OP_membar_sys || (i->op == OP_fence && i->modifiers.scope == scope_SYS);
}

void fence_execute(struct core *core, struct warp_slot *r, const struct insn *i, lane_mask lanes)
{
	struct l1_fence fence = fence_of(i);

	assert(!r->in_fence);
	assert(!r->held);
	(void)lanes;
	r->fences_system = is_system(i);
	if (fence.scope == L1_SCOPE_WIDE)
		begin(core, r, fence);
	else
		fence_group(core, r);
	control_advance(core, r);
}

bool fence_release(struct core *core, struct warp_slot *r)
{
	assert(!r->in_fence);
	if (core->machine->functional) /* in which all that came before is complete */
		return true;
	if (r->released) {
		r->released = false;
		return true;
	}
	r->fences_system = false;
	if (begin(core, r, (struct l1_fence){.scope = L1_SCOPE_GROUP}))
		return true;
	r->released = true;
	return false;
}

bool fence_release_whole(struct core *core, struct warp_slot *r)
{
	bool again = r->released;

	if (!fence_release(core, r))
		return false;
	if (again || core->machine->functional || r->hold_until <= core->now)
		return true;
	r->released = true;
	return false;
}

/* Fences that have waited for nothing else go on. */
static void go_on(struct core *core, struct group *group)
{
	assert(!(group->fencing & ~group->slots));
	for (uint64_t m = group->fencing; m; m &= m - 1) {
		struct warp_slot *r = &core->slots[__builtin_ctzll(m)];

		assert(r->in_fence);
		assert(r->group == group);
		if (!fence_is_over(r))
			continue;
		group->fencing &= ~(m & -m);
		finish(core, r);
		core_schedule(core, r);
	}
}

void fence_answered(struct core *core, struct group *group, uint32_t epoch)
{
	uint32_t at = epoch % FENCE_EPOCHS;

	assert(group->used);
	assert(group->outstanding[at] > group->suspended[at]);
	if (--group->outstanding[at] > group->suspended[at])
		return;
	if (!group->outstanding[at] && !group->live_warps)
		core_retire_group(core, group);
	go_on(core, group);
}

void fence_suspended(struct core *core, struct warp_slot *r, uint32_t epoch)
{
	struct group *group = r->group;
	uint32_t at = epoch % FENCE_EPOCHS;

	assert(group->outstanding[at] > group->suspended[at]);
	assert(r->suspended < UINT16_MAX);
	r->suspended++;
	if (++group->suspended[at] == group->outstanding[at])
		go_on(core, group);
}

void fence_resumed(struct warp_slot *r, uint32_t epoch)
{
	assert(r->suspended);
	assert(r->group->suspended[epoch % FENCE_EPOCHS]);
	r->suspended--;
	r->group->suspended[epoch % FENCE_EPOCHS]--;
}
