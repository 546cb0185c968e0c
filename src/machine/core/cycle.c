/* The cycle loop of a core: wake, pick, issue; nothing scans what cannot run.  schedule.h says where a warp is
 * meanwhile.
 *
 * Units are a property of the cycle, not of the warp: they mask the ready warps at the pick. */
#include "machine/core/cycle.h"

#include "machine/core/control.h"
#include "machine/core/path.h"
#include "machine/core/schedule.h"
#include "machine/lsu/load_store.h"
#include "machine/observe/observer.h"
#include "machine/state.h"

#include <assert.h>
#include <string.h>

/* Functions that are compiled twice, for `told` true and false: whether an observer hears of issues and stalls.  So
 * when none does that costs nothing. */
#define TWICE static inline __attribute__((always_inline))

/* Which of the entries of unit_earliest and busy_units is a scheduler's. */
static uint32_t units_of(const struct core *core, uint32_t scheduler)
{
	return core->subcores ? scheduler : 0;
}

static bool unit_is_free(const struct core *core, uint32_t unit, uint32_t scheduler)
{
	if (unit == UNIT_MEMORY && !load_store_has_room(core))
		return false;
	return core->unit_earliest[unit][units_of(core, scheduler)] <= core->now;
}

/* The warps that want a unit without a free instance.  Only units that were taken are looked at. */
TWICE uint64_t with_busy_unit(struct core *core, uint32_t units)
{
	uint64_t busy = 0;

	for (uint32_t left = core->busy_units[units]; left; left &= left - 1) {
		uint32_t unit = (uint32_t)__builtin_ctz(left);

		if (core->unit_earliest[unit][units] > core->now)
			busy |= core->wants[unit];
		else
			core->busy_units[units] &= ~(left & -left);
	}
	return busy;
}

/* Of the warps in `can`, those whose unit has a free instance. */
TWICE uint64_t with_free_unit(struct core *core, uint64_t can, uint32_t scheduler)
{
	uint32_t units = units_of(core, scheduler);

	if (!load_store_has_room(core))
		can &= ~core->wants[UNIT_MEMORY];
	return core->busy_units[units] ? can & ~with_busy_unit(core, units) : can;
}

/* The instance that is free first is taken; free[0] is that one again afterwards, which instance is which means
 * nothing. */
static uint64_t take_instance(uint64_t *free, uint32_t instances, uint64_t until)
{
	uint32_t k = 0;

	for (; k + 1 < instances && free[k + 1] < until; k++)
		free[k] = free[k + 1];
	free[k] = until;
	return free[0];
}

TWICE void take_unit(struct core *core, const struct issue_row *row, uint32_t scheduler)
{
	uint64_t earliest = core->now + row->interval;
	uint32_t units = units_of(core, scheduler);

	if (!core->subcores)
		earliest = take_instance(core->unit_free[row->unit], core->unit_instances[row->unit], earliest);
	core->unit_earliest[row->unit][units] = earliest;
	core->busy_units[units] |= (uint32_t)(earliest > core->now) << row->unit;
}

/* Whether the issue that is about to be is to be told when it has been, when its path is another: 0 if not. */
TWICE uint32_t is_told(const struct warp_slot *r, uint32_t pc, lane_mask lanes)
{
	uint32_t tells = r->core_launch->tells[pc];

	return tells == TOLD_DIVERGING ? lanes && lanes != r->warp.path->active : tells;
}

/* Places a warp that has issued the instruction at `pc`, wherever it is now. */
static void issued_from(struct core *core, struct warp_slot *r, uint32_t pc)
{
	if (r->warp.path->pc != pc + 1) {
		r->flush = r->buffered != 0;
		r->buffered = 0;
	}
	schedule_place(core, r);
}

/* Carries out an instruction that changes registers only, and places the warp for the next. */
TWICE void issue_plain(struct core *core, struct warp_slot *r, const struct insn *i, const struct issue_row *row,
	lane_mask lanes, const bool told)
{
	struct path *path = r->warp.path;

	if (lanes)
		i->exec(&r->warp, i, lanes);
	if (told)
		schedule_results_ready_noted(r, i, core->now + row->latency, path->pc);
	else
		schedule_results_ready(r, row, core->now + row->latency);
	if (++path->pc != path->reconvergence_pc) {
		schedule_next(core, r, row + 1);
		return;
	}
	control_reconverge(core, r);
	issued_from(core, r, (uint32_t)(row - r->rows));
}

/* Issues one instruction of a warp. */
TWICE void issue_one(struct core *core, struct warp_slot *r, uint32_t scheduler, const bool told)
{
	struct warp *w = &r->warp;
	uint32_t pc = w->path->pc;
	const struct insn *i = &r->code[pc];
	const struct issue_row *row = &r->rows[pc];
	lane_mask lanes = w->path->active & (w->predicates[row->guard] ^ -(lane_mask)row->guard_invert);
	struct issue_count *issued = &r->core_launch->issued[pc];
	uint32_t tells;

	if (told)
		core->issued_pc[r->warp.slot] = pc;
	core->last_activity = core->now;
	issued->warps++;
	issued->lanes += (uint64_t)__builtin_popcountll(lanes);
	take_unit(core, row, scheduler);
	r->buffered--;
	if (i->kind == INSN_PLAIN) {
		issue_plain(core, r, i, row, lanes, told);
		return;
	}
	tells = told ? is_told(r, pc, lanes) : 0;
	if (told)
		schedule_note_writer(r, i, pc);
	if (row->unit == UNIT_MEMORY)
		core->first_scheduler = scheduler + 1 < core->schedulers ? scheduler + 1 : 0;
	w->now = core->now;
	core->issuing = r;
	control_execute(core, r, i, lanes);
	core->issuing = NULL;
	if (tells)
		observe_issued(core, r, pc);
	if (!r->finished)
		issued_from(core, r, pc);
}

static __attribute__((noinline)) void issue(struct core *core, struct warp_slot *r, uint32_t scheduler)
{
	issue_one(core, r, scheduler, false);
}

static __attribute__((noinline)) void issue_told(struct core *core, struct warp_slot *r, uint32_t scheduler)
{
	issue_one(core, r, scheduler, true);
}

/* A second instruction of the same warp in the same cycle, to another unit, when the model issues two. */
TWICE void issue_again(struct core *core, struct warp_slot *r, uint8_t first_unit, uint32_t scheduler, const bool told)
{
	const struct issue_row *row;

	if (r->finished || r->reason == WAIT_FENCE || r->parked || !r->warp.path->active || !r->buffered ||
		r->fetched_at > core->now)
		return;
	row = &r->rows[r->warp.path->pc];
	if (r->warp.kernel->code[r->warp.path->pc].kind != INSN_PLAIN || row->unit == first_unit ||
		r->hold_until > core->now || schedule_operands_ready(r, row) > core->now ||
		!unit_is_free(core, row->unit, scheduler))
		return;
	schedule_take_out(core, r);
	observe_issues_again(core, r);
	(told ? issue_told : issue)(core, r, scheduler);
}

static __attribute__((noinline)) void end_stall(struct core *core, uint32_t scheduler)
{
	stall_notes_end(&core->stalled, scheduler, core->now);
}

/* Told by observe_stalls_end.  From this cycle on; it lasts until another is noted, or the scheduler issues. */
TWICE void note_stall(struct core *core, uint32_t scheduler, uint32_t reason, uint64_t warps)
{
	struct stall_notes *notes = &core->stalled;

	if (notes->reason[scheduler] != reason) {
		if (notes->reason[scheduler] != NO_STALL)
			end_stall(core, scheduler);
		notes->reason[scheduler] = reason;
		notes->since[scheduler] = core->now;
	}
	notes->warps[scheduler] = warps;
}

/* Blames the first reason that any of the scheduler's warps has. */
TWICE void count_stall(struct core *core, uint32_t scheduler, uint64_t ready, uint64_t cycles, const bool told)
{
	uint64_t mine = core->mine[scheduler], warps = ready;
	/* in the order of enum wait_reason, then stall_empty: see counters.def */
	uint64_t *stall = &core->counters.stall_unit;
	uint32_t reason = 0;

	if (!ready)
		while (reason < WAIT_REASONS && !(warps = core->waiting[reason] & mine))
			reason++;
	stall[reason] += cycles;
	if (told)
		note_stall(core, scheduler, reason, warps);
}

TWICE void pick_and_issue(struct core *core, uint32_t scheduler, const bool told)
{
	uint64_t ready = core->ready & core->mine[scheduler], can = ready ? with_free_unit(core, ready, scheduler) : 0;
	struct warp_slot *r;
	uint8_t unit;
	int w = -1;

	if (can && core->slots_taken[scheduler] <= core->now) {
		core->view[scheduler].ready = can;
		core->view[scheduler].now = core->now;
		w = core->pick(core->pick_state[scheduler], &core->view[scheduler]);
	}
	if (w < 0) {
		count_stall(core, scheduler, ready, 1, told);
		return;
	}
	assert(can >> w & 1);
	core->counters.issue_cycles++;
	r = &core->slots[w];
	core->ready &= ~r->bit;
	unit = r->unit;
	if (told && core->stalled.reason[scheduler] != NO_STALL)
		observe_stalls_end(core, r, scheduler);
	(told ? issue_told : issue)(core, r, scheduler);
	if (core->dual_issue)
		issue_again(core, r, unit, scheduler, told);
}

/* Nothing can issue: jumps to the next event, at most to `until`. */
TWICE void skip_idle(struct core *core, uint64_t until, const bool told)
{
	uint64_t next = core_next_event(core);
	uint64_t cycles;

	if (next > until)
		next = until;
	cycles = next - core->now;
	for (uint32_t s = 0; s < core->schedulers; s++)
		count_stall(core, s, 0, cycles, told);
	core->counters.active_cycles += core->used_groups ? cycles : 0;
	core->counters.warp_cycles += cycles * core->resident_warps;
	core->now = next;
}

TWICE void run(struct core *core, uint64_t until, const bool told)
{
	while (core->now < until && !core->stopped) {
		if (core->lsu.next_arrival <= core->now)
			(told ? load_store_receive_told : load_store_receive)(core);
		schedule_wake(core);
		if (core->lsu.queue_count && core->lsu.queue_time <= core->now)
			(told ? load_store_run_told : load_store_run)(core);
		if (!core->ready) {
			skip_idle(core, until, told);
			continue;
		}
		core->counters.active_cycles++;
		core->counters.warp_cycles += core->resident_warps; /* those that end in this cycle included */
		for (uint32_t k = 0, s = core->first_scheduler; k < core->schedulers;
			k++, s = s + 1 < core->schedulers ? s + 1 : 0)
			pick_and_issue(core, s, told);
		core->now++;
	}
	if (core->now < until) { /* it has stopped: what no cycle has been counted for is no stall */
		for (uint32_t s = 0; told && s < core->schedulers; s++)
			end_stall(core, s);
		core->now = until;
	}
}

static __attribute__((noinline)) void run_told(struct core *core, uint64_t until)
{
	run(core, until, true);
}

void core_run(struct core *core, uint64_t until)
{
	if (core->machine->notes_issues)
		run_told(core, until);
	else
		run(core, until, false);
}

uint64_t core_next_event(const struct core *core)
{
	uint64_t next, memory;

	if (core->stopped)
		return NEVER;
	if (core->ready)
		return core->now;
	next = core->wheel[core->now % WHEEL_SLOTS] ? core->now : schedule_next_wake(core);
	memory = load_store_next_event(core);
	return memory < next ? memory : next;
}
