/* The cycle loop of a core: wake, pick, issue; nothing scans what cannot run.
 *
 * A warp is in exactly one of three states: in the ready mask; in the time wheel, because the cycle of its next issue is known;
 * parked, because only an event (a reply, a barrier's last arrival) can tell.  After every issue and every such event
 * core_schedule decides which.  Units are a property of the cycle, not of the warp: they mask the ready warps at the pick. */
#include "machine/core/core.h"

#include "machine/core/control.h"
#include "machine/gpu/launch.h"
#include "machine/lsu/load_store.h"
#include "machine/observe/observer.h"

#include <assert.h>
#include <string.h>

static uint64_t bit(uint32_t slot)
{
	return 1ull << slot;
}

static void stop_waiting(struct core *core, struct resident *r)
{
	core->waiting[r->reason] &= ~r->bit;
}

static void wait_for(struct core *core, struct resident *r, enum wait_reason reason)
{
	r->reason = (uint8_t)reason;
	core->waiting[reason] |= r->bit;
}

static void into_wheel(struct core *core, uint64_t mask, uint64_t at)
{
	uint32_t slot = (uint32_t)(at % WHEEL_SLOTS);

	core->wheel[slot] |= mask;
	core->wheel_used[slot / 64] |= bit(slot % 64);
}

/* A mark left at an empty slot would be an event again at every turn of the wheel: a core with nothing to do would seem to have something. */
static void out_of_wheel(struct core *core, uint64_t mask, uint32_t slot)
{
	core->wheel[slot] &= ~mask;
	if (!core->wheel[slot])
		core->wheel_used[slot / 64] &= ~bit(slot % 64);
}

/* The warp, which waits for nothing yet, can issue at cycle `at`. */
static void wake_at(struct core *core, struct resident *r, uint64_t at, enum wait_reason reason)
{
	r->ready_at = at;
	if (at <= core->now) {
		core->ready |= r->bit;
		return;
	}
	wait_for(core, r, reason);
	into_wheel(core, r->bit, at - core->now < WHEEL_SLOTS ? at : core->now + WHEEL_SLOTS - 1);
}

/* When a line of code is in the core's instruction cache, which is large enough to keep every line once fetched. */
static uint64_t code_line_ready(const struct core *core, const struct resident *r, uint32_t line, uint64_t at)
{
	uint64_t *ready = &r->residency->code_line_ready[line];

	if (!*ready)
		*ready = at + core->machine->model->fetch_miss;
	return *ready > at ? *ready : at;
}

/* Reserves the fetch that refills an empty instruction buffer.  Served in order of request, `fetch.rate` a cycle.  After a taken
 * branch the instructions behind it are first thrown away, which the scheduler does when it comes to the warp again. */
static void fetch(struct core *core, struct resident *r)
{
	const struct gpu_model *model = core->machine->model;
	uint32_t to_line_end = FETCH_LINE - r->warp.path->pc % FETCH_LINE;

	uint64_t earliest = core->now + (r->flush ? model->fetch_flush : 0);

	r->flush = false;
	if (core->fetch_free < earliest) {
		core->fetch_free = earliest;
		core->fetch_started = 0;
	}
	if (core->fetch_started == model->fetch_rate) {
		core->fetch_free++;
		core->fetch_started = 0;
	}
	core->fetch_started++;
	r->fetched_at = code_line_ready(core, r, r->warp.path->pc / FETCH_LINE, core->fetch_free) + model->fetch_latency;
	r->buffered = model->fetch_width < to_line_end ? model->fetch_width : to_line_end;
}

/* The cycle at which all operands of an instruction are there; NEVER when memory owes one. */
static uint64_t operands_ready(const struct resident *r, const struct insn *i)
{
	uint64_t latest = 0;

	for (uint32_t k = 0; k < i->scoreboard_count; k++) {
		uint16_t entry = i->scoreboard[k];
		const uint64_t *ready = entry & 0x8000 ? r->predicate_ready : r->register_ready;
		uint64_t at = ready[entry & 0x7fff];

		latest = at > latest ? at : latest;
	}
	if (i->extra) {
		const struct insn_extra *extra = &r->warp.kernel->extras[i->extra];

		for (uint32_t k = 0; k < extra->more_scoreboard_count; k++) {
			uint16_t entry = extra->more_scoreboard[k];
			uint64_t at = entry & 0x8000 ? r->predicate_ready[entry & 0x7fff] : r->register_ready[entry];

			latest = at > latest ? at : latest;
		}
	}
	return latest;
}

static void want_unit(struct core *core, struct resident *r, uint8_t unit)
{
	if (unit == r->unit && core->wants[unit] & r->bit)
		return;
	core->wants[r->unit] &= ~r->bit;
	core->wants[unit] |= r->bit;
	r->unit = unit;
}

/* Where the warp, which has just issued or stopped waiting, goes: into the wheel or to the parked ones. */
static void place_warp(struct core *core, struct resident *r)
{
	const struct path *path = r->warp.path;
	uint64_t at = core->now + 1, operands;
	enum wait_reason reason = WAIT_OPERAND;

	if (!path->active || r->parked) {
		wait_for(core, r, r->parked_for);
		return;
	}
	if (core->machine->functional) {
		if (r->held)
			wait_for(core, r, WAIT_FENCE);
		else
			wake_at(core, r, core->now, WAIT_OPERAND);
		return;
	}
	want_unit(core, r, r->cost[path->pc].unit);
	if (!r->buffered)
		fetch(core, r);
	if (r->held || r->in_fence) {
		wait_for(core, r, WAIT_FENCE);
		return;
	}
	operands = operands_ready(r, &r->code[path->pc]);
	if (operands == NEVER) {
		wait_for(core, r, WAIT_MEMORY);
		return;
	}
	if (operands > at)
		at = operands;
	if (r->fetched_at > at) {
		at = r->fetched_at;
		reason = WAIT_FETCH;
	}
	if (r->hold_until > at) {
		at = r->hold_until;
		reason = WAIT_SLEEP;
	}
	wake_at(core, r, at, reason);
}

void core_schedule(struct core *core, struct resident *r)
{
	stop_waiting(core, r);
	place_warp(core, r);
}

void core_unschedule(struct core *core, struct resident *r)
{
	core->ready &= ~r->bit;
	for (uint32_t k = 0; k < WHEEL_SLOTS; k++)
		out_of_wheel(core, r->bit, k);
}

void core_delay(struct core *core, struct resident *r, uint64_t cycles)
{
	uint64_t parked = core->waiting[WAIT_MEMORY] | core->waiting[WAIT_FENCE] | core->waiting[WAIT_BARRIER] | core->waiting[WAIT_LOCK];

	if (core->now + cycles > r->hold_until)
		r->hold_until = core->now + cycles;
	if (parked & r->bit)
		return;
	core_unschedule(core, r);
	core_schedule(core, r);
}

/* Moves the warps whose time has come from the wheel to the ready mask. */
static void wake(struct core *core)
{
	uint32_t slot = (uint32_t)(core->now % WHEEL_SLOTS);
	uint64_t woken = core->wheel[slot];

	if (!woken)
		return;
	core->wheel[slot] = 0;
	core->wheel_used[slot / 64] &= ~bit(slot % 64);
	while (woken) {
		uint32_t w = (uint32_t)__builtin_ctzll(woken);
		struct resident *r = &core->residents[w];

		woken &= woken - 1;
		stop_waiting(core, r);
		wake_at(core, r, r->ready_at, r->reason);
	}
}

/* Cycle of the next wake-up after now, NEVER when the wheel is empty. */
static uint64_t next_wake(const struct core *core)
{
	uint32_t start = (uint32_t)((core->now + 1) % WHEEL_SLOTS), words = WHEEL_SLOTS / 64;

	for (uint32_t k = 0; k <= words; k++) {
		uint32_t word = (start / 64 + k) % words;
		uint64_t used = core->wheel_used[word];

		if (k == 0)
			used &= ~0ull << start % 64;
		if (k == words)
			used &= bit(start % 64) - 1;
		if (used) {
			uint32_t slot = word * 64 + (uint32_t)__builtin_ctzll(used);

			return core->now + 1 + (slot + WHEEL_SLOTS - start) % WHEEL_SLOTS;
		}
	}
	return NEVER;
}

static bool unit_is_free(const struct core *core, uint32_t unit, uint32_t scheduler)
{
	if (unit == UNIT_MEMORY && !load_store_has_room(core))
		return false;
	return core->unit_earliest[unit][scheduler] <= core->now;
}

/* Of the warps in `can`, those whose unit has a free instance.  Without a branch: which units are busy changes all the time. */
static uint64_t with_free_unit(const struct core *core, uint64_t can, uint32_t scheduler)
{
	uint64_t busy = core->wants[UNIT_MEMORY] & -(uint64_t)!load_store_has_room(core);

	for (uint32_t unit = 0; unit < UNIT_COUNT; unit++)
		busy |= core->wants[unit] & -(uint64_t)(core->unit_earliest[unit][scheduler] > core->now);
	return can & ~busy;
}

/* The instance that is free first is taken; free[0] is that one again afterwards, which instance is which means nothing. */
static uint64_t take_instance(uint64_t *free, uint32_t instances, uint64_t until)
{
	uint32_t k = 0;

	for (; k + 1 < instances && free[k + 1] < until; k++)
		free[k] = free[k + 1];
	free[k] = until;
	return free[0];
}

static void take_unit(struct core *core, const struct issue_cost *cost, uint32_t scheduler)
{
	uint64_t until = core->now + cost->interval, earliest;

	if (core->subcores) {
		core->unit_earliest[cost->unit][scheduler] = until;
		return;
	}
	earliest = take_instance(core->unit_free[cost->unit], core->unit_instances[cost->unit], until);
	for (uint32_t s = 0; s < core->schedulers; s++)
		core->unit_earliest[cost->unit][s] = earliest;
}

void core_set_results_ready(struct resident *r, const struct insn *i, uint64_t at)
{
	for (uint32_t k = 0; k < i->scoreboard_writes; k++) {
		uint16_t entry = i->scoreboard[k];

		if (entry & 0x8000)
			r->predicate_ready[entry & 0x7fff] = at;
		else
			r->register_ready[entry] = at;
	}
}

/* Issues one instruction of a warp. */
static void issue(struct core *core, struct resident *r, uint32_t scheduler)
{
	struct warp *w = &r->warp;
	uint32_t pc = w->path->pc;
	const struct insn *i = &r->code[pc];
	const struct issue_cost *cost = &r->cost[pc];
	lane_mask lanes = w->path->active & (w->predicates[i->guard] ^ -(lane_mask)i->guard_invert);
	struct issue_count *issued = &r->residency->issued[pc];

	core->last_activity = core->now;
	issued->warps++;
	issued->lanes += (uint64_t)__builtin_popcountll(lanes);
	take_unit(core, cost, scheduler);
	r->buffered--;
	if (i->kind == INSN_PLAIN) {
		if (lanes)
			i->exec(w, i, lanes);
		core_set_results_ready(r, i, core->now + cost->latency);
		control_advance(core, r);
	} else {
		if (cost->unit == UNIT_MEMORY)
			core->first_scheduler = scheduler + 1 < core->schedulers ? scheduler + 1 : 0;
		w->now = core->now;
		core->issuing = r;
		control_execute(core, r, i, lanes);
		core->issuing = NULL;
	}
	if (r->finished)
		return;
	if (w->path->pc != pc + 1) {
		r->flush = r->buffered != 0;
		r->buffered = 0;
	}
	place_warp(core, r);
}

/* A second instruction of the same warp in the same cycle, to another unit, when the model issues two. */
static void issue_again(struct core *core, struct resident *r, uint8_t first_unit, uint32_t scheduler)
{
	const struct insn *i;
	uint8_t unit;

	if (r->finished || r->reason == WAIT_FENCE || r->parked || !r->warp.path->active || !r->buffered || r->fetched_at > core->now)
		return;
	i = &r->code[r->warp.path->pc];
	unit = r->cost[r->warp.path->pc].unit;
	if (r->warp.kernel->code[r->warp.path->pc].kind != INSN_PLAIN || unit == first_unit || r->hold_until > core->now ||
	    operands_ready(r, i) > core->now || !unit_is_free(core, unit, scheduler))
		return;
	stop_waiting(core, r);
	out_of_wheel(core, r->bit, (uint32_t)(r->ready_at % WHEEL_SLOTS));
	observe_issues_again(core, r);
	issue(core, r, scheduler);
}

/* Blames the first reason that any of the scheduler's warps has. */
static void count_stall(struct core *core, uint64_t mine, uint64_t ready, uint64_t cycles)
{
	uint64_t *stall = &core->counters.stall_unit; /* in the order of enum wait_reason, then stall_empty: see counters.def */
	uint32_t reason = 0;

	if (!ready)
		while (reason < WAIT_REASONS && !(core->waiting[reason] & mine))
			reason++;
	stall[reason] += cycles;
}

static void pick_and_issue(struct core *core, uint32_t scheduler)
{
	uint64_t ready = core->ready & core->mine[scheduler], can = ready ? with_free_unit(core, ready, scheduler) : 0;
	struct resident *r;
	uint8_t unit;
	int w = -1;

	if (can && core->slots_taken[scheduler] <= core->now) {
		core->view[scheduler].ready = can;
		core->view[scheduler].now = core->now;
		w = core->pick(core->pick_state[scheduler], &core->view[scheduler]);
	}
	if (w < 0) {
		count_stall(core, core->mine[scheduler], ready, 1);
		return;
	}
	assert(can >> w & 1);
	core->counters.issue_cycles++;
	r = &core->residents[w];
	core->ready &= ~r->bit;
	unit = r->unit;
	issue(core, r, scheduler);
	if (core->dual_issue)
		issue_again(core, r, unit, scheduler);
}

/* Nothing can issue: jumps to the next event, at most to `until`. */
static void skip_idle(struct core *core, uint64_t until)
{
	uint64_t next = core_next_event(core);
	uint64_t cycles;

	if (next > until)
		next = until;
	cycles = next - core->now;
	for (uint32_t s = 0; s < core->schedulers; s++)
		count_stall(core, core->mine[s], 0, cycles);
	core->counters.active_cycles += core->used_groups ? cycles : 0;
	core->counters.warp_cycles += cycles * core->resident_warps;
	core->now = next;
}

void core_run(struct core *core, uint64_t until)
{
	while (core->now < until && !core->stopped) {
		if (core->lsu.next_arrival <= core->now)
			load_store_receive(core);
		wake(core);
		if (core->lsu.queue_count && core->lsu.queue_time <= core->now)
			load_store_run(core);
		if (!core->ready) {
			skip_idle(core, until);
			continue;
		}
		core->counters.active_cycles++;
		core->counters.warp_cycles += core->resident_warps; /* those that end in this cycle included */
		for (uint32_t k = 0, s = core->first_scheduler; k < core->schedulers; k++, s = s + 1 < core->schedulers ? s + 1 : 0)
			pick_and_issue(core, s);
		core->now++;
	}
	if (core->now < until)
		core->now = until;
}

uint64_t core_next_event(const struct core *core)
{
	uint64_t next, memory;

	if (core->stopped)
		return NEVER;
	if (core->ready)
		return core->now;
	next = core->wheel[core->now % WHEEL_SLOTS] ? core->now : next_wake(core);
	memory = load_store_next_event(core);
	return memory < next ? memory : next;
}
