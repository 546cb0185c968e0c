/* When a warp issues next.
 *
 * A warp is in exactly one of three states: in the ready mask; in the time wheel, because the cycle of its next issue
 * is known; parked, because only an event (a reply, a barrier's last arrival) can tell.  After every issue and every
 * such event core_schedule decides which. */
#ifndef LOCKSTEP_MACHINE_CORE_SCHEDULE_H
#define LOCKSTEP_MACHINE_CORE_SCHEDULE_H

#include "machine/core/code_cache.h"
#include "machine/state/machine.h"

#include <assert.h>

void core_schedule(struct core *core, struct warp_slot *r);   /* works out when the warp issues next */
void core_unschedule(struct core *core, struct warp_slot *r); /* a warp that could issue, or will, does not */
/* between quanta: it issues nothing for so long, for experiments */
void core_delay(struct core *core, struct warp_slot *r, uint64_t cycles);
/* by its own nanosleep: from the next cycle on, or in functional mode from where its turn is */
void core_sleep(struct core *core, struct warp_slot *r, uint64_t cycles);

/* Where the ready time of an entry of the scoreboard is. */
static inline uint64_t *schedule_ready_time(const struct warp_slot *r, uint16_t entry)
{
	return entry & SCOREBOARD_PREDICATE ? &r->predicate_ready[entry & ~SCOREBOARD_PREDICATE]
					    : &r->register_ready[entry];
}

/* A value, whose ready time for the first class of readers is at `ready`, may be read by all of them from cycle `at`
 * on. */
static inline void schedule_set_ready(const struct warp_slot *r, uint64_t *ready, uint64_t at)
{
	const size_t stride = r->core_launch->reader_stride;

	*ready = at;
	if (stride)
		for (uint32_t k = READER_ALU + 1; k < READERS; k++)
			ready[k * stride] = at;
}

/* The destinations of an instruction have their values from cycle `at` on; NEVER: when memory answers. */
static inline void core_set_results_ready(struct warp_slot *r, const struct insn *i, uint64_t at)
{
	assert(i->scoreboard.writes <= i->scoreboard.count);
	for (uint32_t k = 0; k < i->scoreboard.writes; k++)
		schedule_set_ready(r, schedule_ready_time(r, i->scoreboard.slot[k]), at);
}

/* From the ready time of an entry of the scoreboard to that which counts for the instruction whose row it is: a guard
 * has its predicate later than an operand. */
static inline size_t schedule_reader_offset(const struct warp_slot *r, const struct issue_row *row, uint16_t entry)
{
	const struct core_launch *on = r->core_launch;

	if (!on->reader_stride)
		return 0;
	assert(row->times);
	return on->reader_stride *
	       (entry == (SCOREBOARD_PREDICATE | row->guard) ? (size_t)READER_MEMORY : on->times[row->times].reads_as);
}

/* The destinations have their values from shared memory: from cycle `at` on; NEVER: when it has begun; 0: not from it
 * after all. */
void schedule_note_shared(struct core *core, const struct warp_slot *r, const struct insn *i, uint64_t at);
/* Whether the warp, which waits for an operand or for memory, waits for shared memory. */
bool schedule_waits_for_shared(const struct core *core, const struct warp_slot *r);

/* ---- For the cycle loop ---- */

/* Where issues are noted: the instruction at `pc` writes these values. */
static inline void schedule_note_writer(const struct warp_slot *r, const struct insn *i, uint32_t pc)
{
	assert(i->scoreboard.writes <= i->scoreboard.count);
	for (uint32_t k = 0; k < i->scoreboard.writes; k++)
		schedule_ready_time(r, i->scoreboard.slot[k])[r->core_launch->writer_offset] = pc;
}

static inline uint64_t schedule_later(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}
/* Where the row says that it does not say all: the later of `latest` and the other operands. */
uint64_t schedule_more_operands_ready(const struct warp_slot *r, const struct issue_row *row, uint64_t latest);
/* The cycle at which all operands of the warp's next instruction, whose row it is, are there; NEVER when one is
 * outstanding, and where the instruction vanishes. */
static inline uint64_t schedule_operands_ready(const struct warp_slot *r, const struct issue_row *row)
{
	const uint64_t *ready = r->register_ready_file;
	const uint16_t *entry = row->scoreboard;
	uint64_t latest = schedule_later(
		schedule_later(ready[entry[0]], ready[entry[1]]), schedule_later(ready[entry[2]], ready[entry[3]]));

	assert(row->values == ROW_BY_INSN || row->values <= INSN_SCOREBOARD);
	return row->values > ROW_LOOKED_AT ? schedule_more_operands_ready(r, row, latest) : latest;
}

/* Each class of readers has the results at a time of its own. */
void schedule_results_by_reader(struct warp_slot *r, const struct issue_row *row, uint64_t now);
/* An instruction that issues now reads its registers late: others may not update them before. */
void schedule_reads_late(const struct warp_slot *r, const struct issue_row *row, uint64_t now);
/* core_set_results_ready by the row, of an instruction that issues now. */
static inline __attribute__((always_inline)) void schedule_results_ready(
	struct warp_slot *r, const struct issue_row *row, uint64_t now)
{
	uint64_t *ready = r->register_ready_file, at = now + row->latency;

	assert(row->values == ROW_BY_INSN || row->writes <= row->values);
	if (row->writes) {
		ready[row->scoreboard[0]] = at;
		for (uint32_t k = 1; k < row->writes; k++)
			ready[row->scoreboard[k]] = at;
	} else if (row->times) {
		schedule_results_by_reader(r, row, now);
	} else if (row->values == ROW_BY_INSN) {
		core_set_results_ready(r, &r->code[row - r->rows], at);
	}
}

/* `reason`: enum wait_reason. */
static inline void schedule_wait_for(struct core *core, struct warp_slot *r, uint32_t reason)
{
	assert(reason < WAIT_REASONS);
	r->reason = (uint8_t)reason;
	core->waiting[reason] |= r->bit;
}

/* The warp, which waits for nothing yet, can issue at cycle `at`, which is later than now. */
static inline void schedule_wake_later(struct core *core, struct warp_slot *r, uint64_t at, uint32_t reason)
{
	const uint64_t now = core->now, warp = r->bit;
	uint32_t slot = (uint32_t)(at % WHEEL_SLOTS);

	assert(at > core->now);
	assert(at != NEVER);
	assert(reason < WAIT_REASONS);
	assert(!(core->ready & r->bit));
	if (at - now >= WHEEL_SLOTS) {
		core->wheel.again |= warp;
		slot = (uint32_t)((now + WHEEL_SLOTS - 1) % WHEEL_SLOTS);
	}
	core->ready_at[core_slot(core, r)] = at;
	r->reason = (uint8_t)reason;
	core->waiting[reason] |= warp;
	core->wheel.slot[slot] |= warp;
	core->wheel.used[slot] = true;
}

static inline void schedule_want_unit(struct core *core, struct warp_slot *r, uint8_t unit)
{
	assert(unit < UNIT_COUNT);
	if (unit == r->unit)
		return;
	core->wants[r->unit] &= ~r->bit;
	core->wants[unit] |= r->bit;
	r->unit = unit;
}

/* The cycle in which the core starts a fetch for the warp, from `earliest` on.  Served in order of request,
 * `fetch.rate` a cycle.  After a taken branch the instructions after it are first thrown away, which the scheduler does
 * when it comes to the warp again. */
static inline uint64_t schedule_start_fetch(struct core *core, struct warp_slot *r, uint64_t earliest)
{
	const struct gpu_model *model = core->machine->model;
	uint64_t at = core->issue.fetch_free;

	assert(!r->buffered);
	assert(earliest >= core->now);
	if (r->flush) {
		r->flush = false;
		earliest += model->fetch_flush;
	}
	if (at < earliest) {
		at = earliest;
		core->issue.fetches = 0;
	} else if (core->issue.fetches == model->fetch_rate) {
		at++;
		core->issue.fetches = 0;
	}
	core->issue.fetch_free = at;
	core->issue.fetches++;
	assert(core->issue.fetches <= model->fetch_rate);
	return at;
}

/* Reserves the fetch that refills an empty instruction buffer.  An instruction cache of the core's own is large enough
 * to keep every line that has come; if all share one, the buffer may stay empty: see code_cache.h. */
static inline void schedule_fetch(struct core *core, struct warp_slot *r, const struct issue_row *row)
{
	const struct gpu_model *model = core->machine->model;
	const struct core_launch *on = r->core_launch;
	uint64_t *line, at;

	assert(row >= r->rows);
	if (on->code) {
		code_cache_fetch(core, r, row);
		return;
	}
	line = &on->code_line_ready[(uint32_t)(row - r->rows) >> on->code_line_bits];
	at = schedule_start_fetch(core, r, core->now);
	assert(at >= core->now);
	if (*line > at)
		at = *line;
	else if (!*line)
		at = *line = at + model->fetch_miss;
	r->fetched_at = schedule_later(r->fetched_at, at + model->fetch_latency); /* the former: after a branch */
	r->buffered = row->fetched;
}

static inline __attribute__((always_inline)) void schedule_prefetch_register(const struct warp_slot *r, slot_ref slot)
{
	const char *at = slot_at(&r->warp, slot);

	assert(!r->finished);
	__builtin_prefetch(at);
	__builtin_prefetch(at + 64);
}

/* The warp's next instruction will be carried out soon.  Other warps have run since its registers were used last, and
 * on a large GPU other cores. */
static inline __attribute__((always_inline)) void schedule_prefetch(const struct warp_slot *r, const struct insn *i)
{
	assert(i == &r->code[r->warp.path->pc]);
	for (uint32_t k = 0; k < 2; k++)
		if (i->s_bytes[k])
			schedule_prefetch_register(r, i->s[k]);
	if (i->d_bytes)
		schedule_prefetch_register(r, i->d);
}

/* Why nothing is issued before hold_until: wgmma computes, else see counters.def. */
static inline uint32_t schedule_hold_reason(const struct core *core, const struct warp_slot *r)
{
	const struct warpgroup_matrices *matrices = r->group->matrices;

	assert(r->hold_until > core->now);
	return matrices && matrices->holds[core_slot(core, r)] == r->hold_until ? WAIT_OPERAND : WAIT_SLEEP;
}

/* The warp's next instruction has no cycle at which its operands are there: it vanishes, and the warp goes on behind
 * it, or waits until memory answers. */
void schedule_without_time(struct core *core, struct warp_slot *r);
/* Where the warp goes whose next instruction, with this row, is held up by nothing but itself: into the wheel, or
 * parked until memory answers.  Part of every issue. */
static inline __attribute__((always_inline)) void schedule_next(
	struct core *core, struct warp_slot *r, const struct issue_row *row)
{
	uint64_t at = core->now + 1, operands = schedule_operands_ready(r, row);
	uint32_t reason = WAIT_OPERAND;

	assert(row == &r->rows[r->warp.path->pc]);
	assert(!r->finished);
	schedule_want_unit(core, r, row->unit);
	if (!r->buffered)
		schedule_fetch(core, r, row);
	if (operands > at) {
		if (operands == NEVER) {
			schedule_without_time(core, r);
			return;
		}
		at = operands;
	}
	if (r->fetched_at > at) {
		at = r->fetched_at;
		reason = WAIT_FETCH;
	}
	if (r->hold_until > at) {
		at = r->hold_until;
		reason = schedule_hold_reason(core, r);
	}
	schedule_wake_later(core, r, at, reason);
	schedule_prefetch(r, &r->code[row - r->rows]);
}
/* Where the warp, which has just issued or stopped waiting, goes in timing mode: into the wheel or to the parked
 * ones. */
void schedule_place(struct core *core, struct warp_slot *r);
/* A warp that is in the wheel issues a second time in this cycle. */
void schedule_take_out(struct core *core, struct warp_slot *r);
/* Those of `woken` whose time has come; the others, which have come out of the wheel before it, go into it again. */
uint64_t schedule_again(struct core *core, uint64_t woken);
/* Moves the warps whose time has come from the wheel to the ready mask. */
static inline void schedule_wake(struct core *core)
{
	uint32_t slot = (uint32_t)(core->now % WHEEL_SLOTS);
	uint64_t woken = core->wheel.slot[slot];

	assert(!(woken & core->ready));
	if (!woken)
		return;
	core->wheel.slot[slot] = 0;
	core->wheel.used[slot] = false;
	if (woken & core->wheel.again)
		woken = schedule_again(core, woken);
	core->waiting[WAIT_OPERAND] &= ~woken;
	core->waiting[WAIT_FETCH] &= ~woken;
	core->waiting[WAIT_SLEEP] &= ~woken;
	core->ready |= woken;
	core->changed |= woken;
}
/* Cycle of the next wake-up after now, NEVER when the wheel is empty. */
uint64_t schedule_next_wake(const struct core *core);
#endif
