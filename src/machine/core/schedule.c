/* When a warp issues next: operands, fetches, the time wheel, and what parks it. */
#include "machine/core/schedule.h"

static uint64_t bit(uint32_t slot)
{
	return 1ull << slot;
}

static void stop_waiting(struct core *core, struct warp_slot *r)
{
	core->waiting[r->reason] &= ~r->bit;
}

static void wait_for(struct core *core, struct warp_slot *r, enum wait_reason reason)
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

/* A mark left at an empty slot would be an event again at every turn of the wheel: a core with nothing to do would seem
 * to have something. */
static void out_of_wheel(struct core *core, uint64_t mask, uint32_t slot)
{
	core->wheel[slot] &= ~mask;
	if (!core->wheel[slot])
		core->wheel_used[slot / 64] &= ~bit(slot % 64);
}

/* The warp, which waits for nothing yet, can issue at cycle `at`. */
static void wake_at(struct core *core, struct warp_slot *r, uint64_t at, enum wait_reason reason)
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
static uint64_t code_line_ready(const struct core *core, const struct warp_slot *r, uint32_t line, uint64_t at)
{
	uint64_t *ready = &r->core_launch->code_line_ready[line];

	if (!*ready)
		*ready = at + core->machine->model->fetch_miss;
	return *ready > at ? *ready : at;
}

/* Reserves the fetch that refills an empty instruction buffer.  Served in order of request, `fetch.rate` a cycle. After
 * a taken branch the instructions behind it are first thrown away, which the scheduler does when it comes to the warp
 * again. */
static void fetch(struct core *core, struct warp_slot *r)
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
	r->fetched_at =
		code_line_ready(core, r, r->warp.path->pc / FETCH_LINE, core->fetch_free) + model->fetch_latency;
	r->buffered = model->fetch_width < to_line_end ? model->fetch_width : to_line_end;
}

static uint64_t entry_ready(const struct warp_slot *r, uint16_t entry)
{
	const uint64_t *ready = entry & SCOREBOARD_PREDICATE ? r->predicate_ready : r->register_ready;

	return ready[entry & ~SCOREBOARD_PREDICATE];
}

uint64_t schedule_operands_ready(const struct warp_slot *r, const struct insn *i)
{
	uint64_t latest = 0;

	for (uint32_t k = 0; k < i->scoreboard_count; k++) {
		uint64_t at = entry_ready(r, i->scoreboard[k]);

		latest = at > latest ? at : latest;
	}
	if (i->extra) {
		const struct insn_extra *extra = &r->warp.kernel->extras[i->extra];

		for (uint32_t k = 0; k < extra->more_scoreboard_count; k++) {
			uint64_t at = entry_ready(r, extra->more_scoreboard[k]);

			latest = at > latest ? at : latest;
		}
	}
	return latest;
}

static void want_unit(struct core *core, struct warp_slot *r, uint8_t unit)
{
	if (unit == r->unit && core->wants[unit] & r->bit)
		return;
	core->wants[r->unit] &= ~r->bit;
	core->wants[unit] |= r->bit;
	r->unit = unit;
}

/* Where the warp, which has just issued or stopped waiting, goes: into the wheel or to the parked ones. */
void schedule_place(struct core *core, struct warp_slot *r)
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
	operands = schedule_operands_ready(r, &r->code[path->pc]);
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

void core_schedule(struct core *core, struct warp_slot *r)
{
	stop_waiting(core, r);
	schedule_place(core, r);
}

void core_unschedule(struct core *core, struct warp_slot *r)
{
	core->ready &= ~r->bit;
	for (uint32_t k = 0; k < WHEEL_SLOTS; k++)
		out_of_wheel(core, r->bit, k);
}

void core_delay(struct core *core, struct warp_slot *r, uint64_t cycles)
{
	uint64_t parked = core->waiting[WAIT_MEMORY] | core->waiting[WAIT_FENCE] | core->waiting[WAIT_BARRIER] |
			  core->waiting[WAIT_LOCK];

	if (core->now + cycles > r->hold_until)
		r->hold_until = core->now + cycles;
	if (parked & r->bit)
		return;
	core_unschedule(core, r);
	core_schedule(core, r);
}

void schedule_again(struct core *core, struct warp_slot *r)
{
	wake_at(core, r, r->ready_at, r->reason);
}

/* Cycle of the next wake-up after now, NEVER when the wheel is empty. */
uint64_t schedule_next_wake(const struct core *core)
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

void schedule_take_out(struct core *core, struct warp_slot *r)
{
	stop_waiting(core, r);
	out_of_wheel(core, r->bit, (uint32_t)(r->ready_at % WHEEL_SLOTS));
}
