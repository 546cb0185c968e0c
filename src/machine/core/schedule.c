/* When a warp issues next: operands, fetches, the time wheel, and what parks it. */
#include "machine/core/schedule.h"

#include "machine/core/executors.h"

#include <assert.h>
#include <string.h>

static void stop_waiting(struct core *core, struct warp_slot *r)
{
	assert(r->reason < WAIT_REASONS);
	core->waiting[r->reason] &= ~r->bit;
}

/* A mark left at an empty slot would be an event again at every turn of the wheel: a core with nothing to do would seem
 * to have something. */
static void out_of_wheel(struct core *core, uint64_t mask, uint32_t slot)
{
	assert(slot < WHEEL_SLOTS);
	core->wheel.slot[slot] &= ~mask;
	core->wheel.used[slot] = core->wheel.slot[slot] != 0;
}

/* Of what the instruction with this row needs. */
static uint64_t latest_of(
	const struct warp_slot *r, const struct issue_row *row, const uint16_t *scoreboard, uint32_t count)
{
	uint64_t latest = 0;

	assert(row >= r->rows);
	for (uint32_t k = 0; k < count; k++) {
		uint64_t at = schedule_ready_time(r, scoreboard[k])[schedule_reader_offset(r, row, scoreboard[k])];

		latest = at > latest ? at : latest;
	}
	return latest;
}

uint64_t schedule_more_operands_ready(const struct warp_slot *r, const struct issue_row *row, uint64_t latest)
{
	const struct insn *i = &r->code[row - r->rows];
	const struct insn_extra *extra = &r->warp.kernel->extras[i->extra];

	assert(row >= r->rows);
	assert(row->values > ROW_LOOKED_AT);
	if (row->values != ROW_BY_INSN) {
		for (uint32_t k = ROW_LOOKED_AT; k < row->values; k++)
			latest = schedule_later(latest, r->register_ready_file[row->scoreboard[k]]);
		return latest;
	}
	if (i->flags & INSN_VANISHES)
		return NEVER;
	latest = latest_of(r, row, i->scoreboard.slot, i->scoreboard.count);
	return i->extra
		       ? schedule_later(latest, latest_of(r, row, extra->more_scoreboard, extra->more_scoreboard_count))
		       : latest;
}

static void hold_updates(const struct warp_slot *r, const uint16_t *scoreboard, uint32_t count, uint64_t until)
{
	const size_t stride = r->core_launch->reader_stride;

	assert(stride);
	for (uint32_t k = 0; k < count; k++) {
		uint64_t *at = schedule_ready_time(r, scoreboard[k]) + READER_UPDATE * stride;

		*at = schedule_later(*at, until);
	}
}

void schedule_reads_late(const struct warp_slot *r, const struct issue_row *row, uint64_t now)
{
	const struct insn *i = &r->code[row - r->rows];
	const struct insn_scoreboard *own = &i->scoreboard;
	uint64_t until = now + r->core_launch->times[row->times].reads_for;

	assert(row->times && own->writes <= own->count);
	hold_updates(r, own->slot + own->writes, own->count - own->writes, until);
	if (i->extra) {
		const struct insn_extra *extra = &r->warp.kernel->extras[i->extra];

		hold_updates(r, extra->more_scoreboard, extra->more_scoreboard_count, until);
	}
}

void schedule_results_by_reader(struct warp_slot *r, const struct issue_row *row, uint64_t now)
{
	const struct issue_times *times = &r->core_launch->times[row->times];
	const struct insn *i = &r->code[row - r->rows];
	const size_t stride = r->core_launch->reader_stride;

	assert(stride);
	for (uint32_t k = 0; k < i->scoreboard.writes; k++) {
		uint64_t *ready = schedule_ready_time(r, i->scoreboard.slot[k]);

		for (uint32_t reader = 0; reader < READERS; reader++)
			ready[reader * stride] = now + times->latency[reader];
	}
	if (times->reads_for)
		schedule_reads_late(r, row, now);
}

/* ---- Shared memory ---- */

void schedule_note_shared(struct core *core, const struct warp_slot *r, const struct insn *i, uint64_t at)
{
	assert(i->scoreboard.writes <= i->scoreboard.count);
	core->lsu.shared_users |= r->bit;
	for (uint32_t k = 0; k < i->scoreboard.writes; k++)
		schedule_set_ready(
			r, schedule_ready_time(r, i->scoreboard.slot[k]) + r->core_launch->shared_offset, at);
	if (at != NEVER)
		core->lsu.shared_queued &= ~r->bit;
}

/* Of the values that come at cycle `at`: whether shared memory gives one of them (`any`), or all. */
static bool come_from_shared(
	const struct warp_slot *r, const uint16_t *scoreboard, uint32_t count, uint64_t at, bool any)
{
	assert(r->core_launch);
	for (uint32_t k = 0; k < count; k++) {
		const uint64_t *ready = schedule_ready_time(r, scoreboard[k]);

		if (*ready == at && (ready[r->core_launch->shared_offset] == at) == any)
			return any;
	}
	return !any;
}

static bool insn_waits_for_shared(const struct warp_slot *r, const struct insn *i, uint64_t at, bool any)
{
	const struct insn_extra *extra = &r->warp.kernel->extras[i->extra];
	bool first = come_from_shared(r, i->scoreboard.slot, i->scoreboard.count, at, any);

	assert(i->scoreboard.count <= INSN_SCOREBOARD);
	if (!i->extra || first == any)
		return first;
	return come_from_shared(r, extra->more_scoreboard, extra->more_scoreboard_count, at, any);
}

/* come_from_shared of an instruction whose row says all. */
static inline bool row_comes_from_shared(const struct warp_slot *r, const struct issue_row *row, uint64_t at, bool any)
{
	const uint64_t *ready = r->register_ready_file, *shared = ready + r->core_launch->shared_offset;

	assert(at && row->values <= ROW_LOOKED_AT); /* at: predicate 0 has its value from cycle 0 on */
	for (uint32_t k = 0; k < ROW_LOOKED_AT; k++) {
		uint32_t entry = row->scoreboard[k];

		if (ready[entry] == at && (shared[entry] == at) == any)
			return any;
	}
	return !any;
}

static bool wait_is_for_shared(const struct warp_slot *r, uint64_t at, bool any)
{
	const struct issue_row *row = &r->rows[r->warp.path->pc];

	assert(r->warp.path->pc < r->warp.kernel->code_count);
	if (row->values <= ROW_LOOKED_AT)
		return row_comes_from_shared(r, row, at, any);
	return insn_waits_for_shared(r, &r->code[r->warp.path->pc], at, any);
}

bool schedule_waits_for_shared(const struct core *core, const struct warp_slot *r)
{
	assert(r->used && !r->finished);
	if (!(core->lsu.shared_users & r->bit))
		return false;
	return core->waiting[WAIT_MEMORY] & r->bit ? core->lsu.shared_queued & r->bit
						   : wait_is_for_shared(r, core->ready_at[core_slot(core, r)], true);
}

static __attribute__((noinline)) void note_queued(struct core *core, const struct warp_slot *r)
{
	assert(core->lsu.shared_users & r->bit);
	assert(core->waiting[WAIT_MEMORY] & r->bit);
	core->lsu.shared_queued &= ~r->bit;
	if (wait_is_for_shared(r, NEVER, false))
		core->lsu.shared_queued |= r->bit;
}

/* Carries out an instruction that vanishes: it takes neither issue nor time, and nothing of the instruction buffer. */
static void vanish(struct core *core, struct warp_slot *r)
{
	uint32_t pc = r->warp.path->pc;
	lane_mask lanes = r->warp.path->active;
	struct issue_count *issued = &r->core_launch->issued[pc];

	assert(lanes);
	assert(r->code[pc].flags & INSN_VANISHES);
	issued->warps++;
	issued->lanes += (uint64_t)__builtin_popcountll(lanes);
	core_execute(core, r, &r->code[pc], lanes);
	if (r->warp.path->pc == pc + 1)
		return;
	r->flush = r->buffered != 0;
	r->buffered = 0;
}

static bool can_vanish(const struct warp_slot *r)
{
	const struct insn *i = &r->warp.kernel->code[r->warp.path->pc];

	assert(r->warp.path->pc < r->warp.kernel->code_count);
	return r->warp.path->active && i->flags & INSN_VANISHES &&
	       latest_of(r, &r->rows[r->warp.path->pc], i->scoreboard.slot, i->scoreboard.count) != NEVER;
}

void schedule_without_time(struct core *core, struct warp_slot *r)
{
	assert(!r->finished);
	assert(!core->machine->functional);
	if (!can_vanish(r)) {
		schedule_wait_for(core, r, WAIT_MEMORY);
		if (core->lsu.shared_users & r->bit)
			note_queued(core, r);
		return;
	}
	while (can_vanish(r))
		vanish(core, r);
	schedule_place(core, r);
}

void schedule_place(struct core *core, struct warp_slot *r)
{
	const struct issue_row *row = &r->rows[r->warp.path->pc];

	assert(r->used);
	assert(!r->finished);
	if (!r->warp.path->active || r->parked) {
		schedule_wait_for(core, r, r->parked_for);
	} else if (r->held || r->in_fence) {
		schedule_want_unit(core, r, row->unit);
		if (!r->buffered)
			schedule_fetch(core, r, row);
		schedule_wait_for(core, r, WAIT_FENCE);
	} else {
		schedule_next(core, r, row);
	}
}

/* Functional mode has no time but what a warp sleeps: it is ready, or waits for an event. */
static void place_without_time(struct core *core, struct warp_slot *r)
{
	if (!r->warp.path->active || r->parked) {
		schedule_wait_for(core, r, r->parked_for);
	} else if (r->held) {
		schedule_wait_for(core, r, WAIT_FENCE);
	} else if (core->asleep & r->bit) {
		schedule_wait_for(core, r, WAIT_SLEEP);
	} else {
		assert(core->machine->functional);
		core->ready_at[core_slot(core, r)] = core->now;
		core->ready |= r->bit;
	}
}

void core_schedule(struct core *core, struct warp_slot *r)
{
	assert(r->used);
	assert(!r->finished);
	assert(core->machine->functional || !(core->ready & r->bit));
	stop_waiting(core, r);
	core->changed |= r->bit;
	if (core->machine->functional) {
		core->ready &= ~r->bit; /* it may have been released in its own turn, and wait again */
		place_without_time(core, r);
	} else {
		schedule_place(core, r);
	}
}

void core_unschedule(struct core *core, struct warp_slot *r)
{
	assert(r->used);
	core->ready &= ~r->bit;
	core->asleep &= ~r->bit;
	core->changed |= r->bit;
	core->wheel.again &= ~r->bit;
	for (uint32_t k = 0; k < WHEEL_SLOTS; k++)
		out_of_wheel(core, r->bit, k);
}

void core_delay(struct core *core, struct warp_slot *r, uint64_t cycles)
{
	uint64_t parked = core->waiting[WAIT_MEMORY] | core->waiting[WAIT_FENCE] | core->waiting[WAIT_BARRIER] |
			  core->waiting[WAIT_LOCK];

	assert(r->used);
	assert(!r->finished);
	if (core->now + cycles > r->hold_until)
		r->hold_until = core->now + cycles;
	if (parked & r->bit)
		return;
	core_unschedule(core, r);
	core_schedule(core, r);
}

/* Functional mode has no other holds than this one, and under a progress model none: time is no part of the state that
 * progress.h compares. */
void core_sleep(struct core *core, struct warp_slot *r, uint64_t cycles)
{
	assert(r->used);
	assert(!r->finished);
	if (!core->machine->functional) {
		r->hold_until = core->now + 1 + cycles;
	} else if (!r->core_launch->launch->dispatch.policy->guarantees) {
		r->hold_until = r->warp.now + cycles;
		core->asleep |= r->bit;
	}
}

uint64_t schedule_again(struct core *core, uint64_t woken)
{
	uint64_t again = woken & core->wheel.again;

	core->wheel.again &= ~again;
	for (; again; again &= again - 1) {
		uint32_t slot = (uint32_t)__builtin_ctzll(again);
		struct warp_slot *r = &core->slots[slot];
		assert(r->bit == (again & -again));

		if (core->ready_at[slot] > core->now) {
			schedule_wake_later(core, r, core->ready_at[slot], r->reason);
		} else if (!r->buffered) { /* its code was not there: see code_cache.h */
			stop_waiting(core, r);
			schedule_place(core, r);
		} else {
			continue;
		}
		woken &= ~r->bit;
	}
	return woken;
}

uint64_t schedule_next_wake(const struct core *core)
{
	uint64_t at = core->now + 1, end = core->now + WHEEL_SLOTS, eight;

	if (!(core->waiting[WAIT_OPERAND] | core->waiting[WAIT_FETCH] | core->waiting[WAIT_SLEEP]))
		return NEVER;
	while (at < end && !core->wheel.used[at % WHEEL_SLOTS]) {
		memcpy(&eight, &core->wheel.used[at % WHEEL_SLOTS & ~7u], sizeof eight);
		at = eight ? at + 1 : (at | 7) + 1;
	}
	return at < end ? at : NEVER;
}

void schedule_take_out(struct core *core, struct warp_slot *r)
{
	assert(core->machine->functional || !(core->ready & r->bit));
	stop_waiting(core, r);
	core->wheel.again &= ~r->bit;
	out_of_wheel(core, r->bit, (uint32_t)(core->ready_at[core_slot(core, r)] % WHEEL_SLOTS));
}
