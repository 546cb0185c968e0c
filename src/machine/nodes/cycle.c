/* The cycle loop of a core: wake, pick, issue; nothing scans what cannot run.  schedule.h says where a warp is
 * meanwhile.
 *
 * Units are a property of the cycle, not of the warp: they mask the ready warps at the pick.
 *
 * A scheduler with nothing to issue sleeps until one of its warps changes state (core->changed), until the cycle when
 * its unit or its slots are free (look_at), or until the load-store unit has room (want_room).  Waking it without need
 * changes nothing; not waking it after a change is a mistake. */
#include "machine/nodes/cycle.h"

#include "machine/core/control.h"
#include "machine/core/executors.h"
#include "machine/core/observer.h"
#include "machine/core/path.h"
#include "machine/core/schedule.h"
#include "machine/lsu/load_store.h"
#include "machine/state/machine.h"

#include <assert.h>
#include <string.h>

/* Functions that are compiled twice, for `told` true and false: whether an observer hears of issues and stalls.  So
 * when none does that costs nothing. */
#define TWICE static inline __attribute__((always_inline))

static bool unit_is_free(const struct core *core, const struct units *units, uint32_t unit)
{
	assert(unit < UNIT_COUNT);
	if (unit == UNIT_MEMORY && !load_store_has_room(core))
		return false;
	return units->unit[unit].free <= core->now;
}

/* The warps that want a unit without a free instance.  Only units that were taken are looked at. */
TWICE uint64_t with_busy_unit(struct core *core, struct units *units)
{
	uint64_t busy = 0;

	for (uint32_t left = units->busy; left; left &= left - 1) {
		uint32_t unit = (uint32_t)__builtin_ctz(left);

		if (units->unit[unit].free > core->now)
			busy |= core->wants[unit];
		else
			units->busy &= ~(left & -left);
	}
	return busy;
}

/* Of the warps in `can`, those whose unit has a free instance. */
TWICE uint64_t with_free_unit(struct core *core, uint64_t can, struct units *units)
{
	assert(can && !(can & ~core->ready));
	if (can & core->wants[UNIT_MEMORY] && !load_store_has_room(core))
		can &= ~core->wants[UNIT_MEMORY];
	return units->busy ? can & ~with_busy_unit(core, units) : can;
}

/* The instance that is free first is taken until then: when is the next one free?  Which instance is which means
 * nothing. */
static inline uint64_t take_instance(struct instances *unit, uint64_t until)
{
	uint64_t *free = unit->other_free, next = free[0];
	uint32_t k = 0;

	assert(unit->others < CORE_SCHEDULERS);
	if (!unit->others || next >= until)
		return until;
	for (; k + 1 < unit->others && free[k + 1] < until; k++)
		free[k] = free[k + 1];
	free[k] = until;
	return next;
}

TWICE void take_unit(struct core *core, const struct issue_row *row, struct units *units)
{
	struct instances *unit = &units->unit[row->unit];

	assert(row->unit < UNIT_COUNT);
	assert(unit->free <= core->now);
	unit->free = take_instance(unit, core->now + row->interval);
	if (unit->free > core->now)
		units->busy |= 1u << row->unit;
}

/* Whether the issue that is about to be is to be told when it has been, when its path is another: 0 if not. */
TWICE uint32_t is_told(const struct warp_slot *r, uint32_t pc, lane_mask lanes)
{
	uint32_t tells = r->core_launch->tells[pc];

	assert(pc < r->warp.kernel->code_count);
	return tells == TOLD_DIVERGING ? lanes && lanes != r->warp.path->active : tells;
}

/* Schedulers that stand still since the load-store unit has no room look again when it has. */
static inline void look_for_room(struct core *core)
{
	assert(core->issue.want_room);
	if (!load_store_has_room(core))
		return;
	core->changed |= core->issue.want_room;
	core->issue.want_room = 0;
}

/* Where a warp that has issued the instruction at `pc` goes on: the row of the next; null: it waits, and has been
 * placed. */
TWICE const struct issue_row *go_on_from(struct core *core, struct warp_slot *r, uint32_t pc)
{
	const struct path *path = r->warp.path;

	assert(!r->finished);
	assert(path->pc < r->warp.kernel->code_count);
	if (path->pc != pc + 1) {
		r->flush = r->buffered != 0;
		r->buffered = 0;
	}
	if (path->active && !(r->parked | r->held | r->in_fence))
		return &r->rows[path->pc];
	schedule_place(core, r);
	return NULL;
}

/* Carries out an instruction that changes registers only.  Returns what go_on_from does. */
TWICE const struct issue_row *carry_out_plain(struct core *core, struct warp_slot *r, const struct insn *i,
	const struct issue_row *row, lane_mask lanes, const bool told)
{
	struct path *path = r->warp.path;

	assert(i->kind == INSN_PLAIN);
	if (lanes)
		i->exec(&r->warp, i, lanes);
	if (told)
		schedule_note_writer(r, i, path->pc);
	schedule_results_ready(r, row, core->now);
	if (++path->pc != path->reconvergence_pc)
		return row + 1;
	control_reconverge(core, r);
	return go_on_from(core, r, (uint32_t)(row - r->rows));
}

/* Likewise any other, after which the warp may have finished: then null. */
TWICE const struct issue_row *carry_out(struct core *core, struct warp_slot *r, const struct insn *i,
	const struct issue_row *row, lane_mask lanes, const struct scheduler *s, const bool told)
{
	uint32_t pc = (uint32_t)(row - r->rows), tells = told ? is_told(r, pc, lanes) : 0;

	assert(!core->issuing);
	if (told)
		schedule_note_writer(r, i, pc);
	if (row->unit == UNIT_MEMORY)
		core->issue.first = s->behind;
	r->warp.now = core->now;
	core->issuing = r;
	if (i->kind == INSN_BRANCH) {
		control_branch(core, r, i, lanes);
		r->fetched_at = schedule_later(r->fetched_at, core->now + row->latency);
	} else {
		core_execute(core, r, i, lanes);
	}
	if (row->times && row->unit == UNIT_MEMORY && r->core_launch->times[row->times].reads_for)
		schedule_reads_late(r, row, core->now);
	core->issuing = NULL;
	if (core->issue.want_room)
		look_for_room(core);
	if (tells)
		observe_issued(core, r, pc);
	return r->finished ? NULL : go_on_from(core, r, pc);
}

/* Most instructions have no guard: for them no line of the warp's predicates is touched. */
static inline const lane_mask *guard_of(const struct warp *w, const struct issue_row *row)
{
	static const lane_mask all = ~0ull;

	assert(!(w->path->active & ~w->predicates[0]));
	return row->guard ? &w->predicates[row->guard] : &all;
}

/* Issues one instruction of a warp. */
TWICE void issue(struct core *core, struct warp_slot *r, const struct scheduler *s, const bool told)
{
	struct warp *w = &r->warp;
	uint32_t pc = w->path->pc;
	const struct insn *i = &r->code[pc];
	const struct issue_row *row = &r->rows[pc], *next;
	lane_mask lanes = w->path->active & (*guard_of(w, row) ^ -(lane_mask)row->guard_invert);
	struct issue_count *issued = &r->core_launch->issued[pc];

	assert(r->used);
	assert(!r->finished);
	assert(w->path->active);
	assert(pc < w->kernel->code_count);
	assert(r->buffered);
	assert(!r->parked);
	assert(!r->held);
	assert(!r->in_fence);
	if (told)
		core->issued_pc[r->warp.slot] = pc;
	core->last_activity = core->now;
	issued->warps++;
	issued->lanes += (uint64_t)__builtin_popcountll(lanes);
	take_unit(core, row, s->units);
	r->buffered--;
	if (i->kind == INSN_PLAIN)
		next = carry_out_plain(core, r, i, row, lanes, told);
	else
		next = carry_out(core, r, i, row, lanes, s, told);
	if (next)
		schedule_next(core, r, next);
}

static __attribute__((noinline)) void issue_apart(struct core *core, struct warp_slot *r, const struct scheduler *s)
{
	issue(core, r, s, false);
}

static __attribute__((noinline)) void issue_told(struct core *core, struct warp_slot *r, const struct scheduler *s)
{
	issue(core, r, s, true);
}

/* Whether the warp, which has issued to a unit in this cycle, can issue to another. */
static bool can_issue_again(
	const struct core *core, const struct warp_slot *r, uint8_t first_unit, const struct scheduler *s)
{
	const struct issue_row *row;

	assert(core->issue.is_dual);
	if (r->finished || r->reason == WAIT_FENCE || r->parked || !r->warp.path->active || !r->buffered ||
		r->fetched_at > core->now)
		return false;
	row = &r->rows[r->warp.path->pc];
	return r->warp.kernel->code[r->warp.path->pc].kind == INSN_PLAIN && row->unit != first_unit &&
	       r->hold_until <= core->now && schedule_operands_ready(r, row) <= core->now &&
	       unit_is_free(core, s->units, row->unit);
}

/* Two instructions of a warp, if it can, where the model issues two. */
static __attribute__((noinline)) void issue_two(
	struct core *core, struct warp_slot *r, const struct scheduler *s, bool told)
{
	uint8_t unit = r->unit;

	assert(core->issue.is_dual);
	(told ? issue_told : issue_apart)(core, r, s);
	if (!can_issue_again(core, r, unit, s))
		return;
	schedule_take_out(core, r);
	observe_issues_again(core, r);
	(told ? issue_told : issue_apart)(core, r, s);
}

/* ---- Schedulers that stand still ---- */

static __attribute__((noinline)) void end_stall(struct core *core, uint32_t scheduler)
{
	stall_notes_end(&core->stalled, scheduler, core->now);
}

/* Told by observe_stalls_end.  From this cycle on; it lasts until another is noted, or the scheduler issues. */
TWICE void note_stall(struct core *core, uint32_t scheduler, uint32_t reason, uint64_t warps)
{
	struct stall_notes *notes = &core->stalled;

	assert(reason <= WAIT_REASONS);
	if (notes->reason[scheduler] != reason) {
		if (notes->reason[scheduler] != NO_STALL)
			end_stall(core, scheduler);
		notes->reason[scheduler] = reason;
		notes->since[scheduler] = core->now;
	}
	notes->warps[scheduler] = warps;
}

/* When a ready warp of the scheduler may find its unit free, unless that is when the load-store unit has room. */
static uint64_t unit_free_at(struct core *core, const struct scheduler *s, uint64_t ready)
{
	uint64_t at = NEVER;

	assert(ready);
	for (uint32_t left = s->units->busy; left; left &= left - 1) {
		uint32_t unit = (uint32_t)__builtin_ctz(left);

		if (core->wants[unit] & ready && s->units->unit[unit].free < at)
			at = s->units->unit[unit].free;
	}
	if (!load_store_has_room(core))
		core->issue.want_room |= ready & core->wants[UNIT_MEMORY];
	return at;
}

/* Of these warps, which wait for `reason`, those that wait for shared memory; 0: another reason is to be blamed.
 * Arithmetic comes before shared memory, and memory after it. */
static __attribute__((noinline)) uint64_t shared_to_blame(const struct core *core, uint32_t reason, uint64_t warps)
{
	assert(warps && reason < WAIT_SHARED);
	if (reason == WAIT_MEMORY)
		return warps & core->lsu.shared_users & core->lsu.shared_queued;
	if (reason != WAIT_OPERAND || warps & ~core->lsu.shared_users)
		return 0;
	for (uint64_t left = warps; left; left &= left - 1)
		if (!schedule_waits_for_shared(core, &core->slots[__builtin_ctzll(left)]))
			return 0;
	return warps;
}

/* In this cycle the scheduler issues nothing, though these warps are ready and `can` find their units free.  Blames the
 * first reason that any of its warps has. */
TWICE void stand_still(struct core *core, struct scheduler *s, uint64_t ready, uint64_t can, const bool told)
{
	uint64_t warps = ready, shared;
	uint32_t reason = 0;

	assert((can & ~ready) == 0);
	if (!ready) {
		while (reason < WAIT_REASONS && !(warps = core->waiting[reason] & s->mine))
			reason++;
		if (core->lsu.shared_users & warps && (shared = shared_to_blame(core, reason, warps))) {
			reason = WAIT_SHARED;
			warps = shared;
		}
	}
	s->still = true;
	s->still_since = core->now;
	s->still_for = reason;
	s->look_at = NEVER;
	if (ready)
		s->look_at = can ? s->slots_taken : unit_free_at(core, s, ready);
	if (s->look_at <= core->now + 1)
		core->changed |= s->mine;
	else if (s->look_at < core->issue.look_at)
		core->issue.look_at = s->look_at;
	if (told)
		note_stall(core, s->index, reason, warps);
}

/* Counts the cycles for which it has stood still so far. */
TWICE void count_still(struct core *core, struct scheduler *s)
{
	assert(s->still);
	assert(s->still_for <= WAIT_REASONS);
	assert(core->now >= s->still_since);
	/* in the order of enum wait_reason, then stall_empty: see counters.def */
	uint64_t *stall = &core->counters.stall_unit;

	stall[s->still_for] += core->now - s->still_since;
	s->still_since = core->now;
}

/* Those that stand still until this cycle look again. */
static __attribute__((noinline)) void look_again(struct core *core)
{
	core->issue.look_at = NEVER;
	for (uint32_t k = 0; k < core->issue.schedulers; k++) {
		struct scheduler *s = &core->issue.scheduler[k];

		if (!s->still)
			continue;
		if (s->look_at <= core->now)
			core->changed |= s->mine;
		else if (s->look_at < core->issue.look_at)
			core->issue.look_at = s->look_at;
	}
}

/* ---- The loop ---- */

TWICE void pick_and_issue(struct core *core, struct scheduler *s, const bool told)
{
	uint64_t ready = core->ready & s->mine, can = ready ? with_free_unit(core, ready, s->units) : 0;
	struct warp_slot *r;
	int w = -1;

	core->changed &= ~s->mine;
	if (s->still)
		count_still(core, s);
	if (can && s->slots_taken <= core->now) {
		assert((can & ~s->mine) == 0);
		s->view.ready = can;
		s->view.now = core->now;
		w = core->issue.pick(s->pick_state, &s->view);
	}
	if (w < 0) {
		stand_still(core, s, ready, can, told);
		return;
	}
	assert(can >> w & 1);
	s->still = false;
	core->counters.issue_cycles++;
	r = &core->slots[w];
	core->ready &= ~r->bit;
	core->changed |= r->bit;
	if (told && core->stalled.reason[s->index] != NO_STALL)
		observe_stalls_end(core, r, s->index);
	if (core->issue.is_dual)
		issue_two(core, r, s, told);
	else
		issue(core, r, s, told);
}

/* The schedulers take their turns in this cycle, those with nothing new excepted. */
TWICE void take_turns(struct core *core, const bool told)
{
	struct scheduler *const first = core->issue.first, *s = first;

	assert(first);
	do {
		if (core->changed & s->mine)
			pick_and_issue(core, s, told);
		s = s->behind;
	} while (s != first);
}

/* No scheduler has anything new before it: the next event, at most `until`. */
static inline uint64_t next_change(const struct core *core, uint64_t until)
{
	uint64_t next = schedule_next_wake(core), memory = load_store_next_event(core);

	assert(until > core->now);
	next = memory < next ? memory : next;
	next = core->issue.look_at < next ? core->issue.look_at : next;
	return until < next ? until : next;
}

/* Since when the core has had this number of warps. */
struct residence {
	uint64_t since;
	uint32_t warps;
};

static void count_residence(struct core *core, struct residence *residence)
{
	uint64_t cycles = core->now - residence->since;

	assert(core->now >= residence->since);
	assert(core->warps.resident <= core->warps.count);
	core->counters.active_cycles += residence->warps ? cycles : 0;
	core->counters.warp_cycles += cycles * residence->warps;
	*residence = (struct residence){core->now, core->warps.resident};
}

/* Nothing is counted for what is left of the quantum when the core has stopped; if it goes on, all look again. */
static void stop(struct core *core, uint64_t until)
{
	assert(core->now < until);
	core->now = until;
	for (uint32_t k = 0; k < core->issue.schedulers; k++) {
		core->issue.scheduler[k].still_since = until;
		core->changed |= core->issue.scheduler[k].mine;
	}
}

/* Other cores have run since, and what they touched has filled the host's caches. */
static inline __attribute__((always_inline)) void prefetch_warps(const struct core *core)
{
	uint64_t soon =
		core->ready | core->waiting[WAIT_OPERAND] | core->waiting[WAIT_FETCH] | core->waiting[WAIT_SLEEP];

	assert(!(soon & core->warps.unused));
	for (uint64_t left = soon; left; left &= left - 1) {
		const struct warp_slot *r = &core->slots[__builtin_ctzll(left)];

		__builtin_prefetch(r);
		__builtin_prefetch(&r->warp);
	}
	for (uint64_t left = soon; left; left &= left - 1) {
		const struct warp_slot *r = &core->slots[__builtin_ctzll(left)];

		__builtin_prefetch(r->warp.path);
		__builtin_prefetch(r->register_ready_file);
	}
}

TWICE void run(struct core *core, uint64_t until, const bool told)
{
	struct residence residence = {core->now, core->warps.resident};

	assert(!core->issuing);
	prefetch_warps(core);
	while (core->now < until && !core->stopped) {
		if (core->lsu.next_arrival <= core->now)
			(told ? load_store_receive_told : load_store_receive)(core);
		schedule_wake(core);
		if (core->lsu.queue_count && core->lsu.queue_time <= core->now)
			(told ? load_store_run_told : load_store_run)(core);
		if (core->warps.resident != residence.warps) /* those that end in this cycle still count for it */
			count_residence(core, &residence);
		if (core->issue.look_at <= core->now)
			look_again(core);
		if (core->issue.want_room)
			look_for_room(core);
		if (core->changed) {
			take_turns(core, told);
			core->now++;
		} else {
			core->now = next_change(core, until);
		}
	}
	count_residence(core, &residence);
	for (uint32_t k = 0; k < core->issue.schedulers; k++) {
		if (core->issue.scheduler[k].still)
			count_still(core, &core->issue.scheduler[k]);
		if (told && core->now < until)
			end_stall(core, k);
	}
	if (core->now < until)
		stop(core, until);
}

static __attribute__((noinline)) void run_told(struct core *core, uint64_t until)
{
	run(core, until, true);
}

void core_run(struct core *core, uint64_t until)
{
	assert(until >= core->now);
	if (core->machine->notes_issues)
		run_told(core, until);
	else
		run(core, until, false);
}

uint64_t core_next_event(const struct core *core)
{
	uint64_t next, memory;

	assert(!core->issuing);
	if (core->stopped)
		return NEVER;
	if (core->ready)
		return core->now;
	next = core->wheel.slot[core->now % WHEEL_SLOTS] ? core->now : schedule_next_wake(core);
	memory = load_store_next_event(core);
	return memory < next ? memory : next;
}
