/* Control flow of a warp: branches, calls, returns, exits; and the table of what carries out each kind of
 * instruction. */
#include "machine/core/control.h"

#include "machine/core/barrier.h"
#include "machine/core/dynamic_stack.h"
#include "machine/core/executors.h"
#include "machine/core/fault.h"
#include "machine/core/group.h"
#include "machine/core/observer.h"
#include "machine/core/path.h"
#include "machine/core/schedule.h"
#include "machine/state/machine.h"

#include <assert.h>

static void count_wait(struct core *core, const struct warp_slot *r, lane_mask taken, lane_mask stayed)
{
	assert((taken & stayed) == 0);
	core->counters.wait_fail += (uint64_t)__builtin_popcountll(taken);
	core->counters.wait_success += (uint64_t)__builtin_popcountll(stayed);
	observe_polls(core, r, taken);
}

/* Under a progress model turns do not depend on time, which is no part of the state that progress.h compares. */
static bool has_had_turn(const struct core *core, const struct warp_slot *r)
{
	assert(r->warp.now >= r->turn_start);
	return core->machine->progress || r->warp.now - r->turn_start >= core->machine->model->yield_interval;
}

/* Fairness among diverged paths: at every taken back edge another path may run. */
static void yield_at_back_edge(struct core *core, struct warp_slot *r)
{
	assert(r->warp.live);
	if (!core->machine->divergence->yield || !has_had_turn(core, r))
		return;
	r->turn_start = r->warp.now;
	observe_yields(core, r);
	core->machine->divergence->yield(r->warp.divergence);
	control_follow(r);
}

static inline void branch(struct core *core, struct warp_slot *r, const struct insn *i, lane_mask taken)
{
	struct path *path = r->warp.path;
	lane_mask active = path->active;

	assert((taken & ~active) == 0);
	core->counters.branches++;
	if (taken == 0) {
		control_advance(core, r);
		return;
	}
	if (taken == active) {
		assert(i->target < r->warp.kernel->code_count);
		path->pc = i->target;
		if (path->pc == path->reconvergence_pc)
			control_reconverge(core, r);
	} else {
		core->counters.divergent_branches++;
		core->machine->divergence->branch(
			r->warp.divergence, taken, i->target, path->pc + 1, i->reconvergence_pc);
		control_follow(r);
	}
	if (i->flags & INSN_BACKWARD)
		yield_at_back_edge(core, r);
}

/* Apart, since the call costs every other branch two instructions. */
static __attribute__((noinline)) void wait_branch(
	struct core *core, struct warp_slot *r, const struct insn *i, lane_mask taken)
{
	assert(i->flags & INSN_WAIT_BRANCH);
	count_wait(core, r, taken, r->warp.path->active & ~taken);
	branch(core, r, i, taken);
}

void control_branch(struct core *core, struct warp_slot *r, const struct insn *i, lane_mask taken)
{
	if (i->flags & INSN_WAIT_BRANCH)
		wait_branch(core, r, i, taken);
	else
		branch(core, r, i, taken);
}

/* brx.idx: peels off one target at a time.  An index past the table is undefined in the ISA; here it takes the last
 * entry. */
void control_branch_indexed(struct core *core, struct warp_slot *r, const struct insn *i, lane_mask lanes)
{
	const struct insn_extra *extra = &r->warp.kernel->extras[i->extra];
	const uint32_t *index = slot_at(&r->warp, i->s[0]);
	struct path *path = r->warp.path;
	uint32_t next = path->pc + 1;
	lane_mask left = lanes, guarded_off = path->active & ~lanes;

	assert(extra->target_count);
	core->counters.branches++;
	if (!lanes) {
		control_advance(core, r);
		return;
	}
	for (;;) {
		uint32_t lane = (uint32_t)__builtin_ctzll(left), target;
		lane_mask same = 0;
		uint32_t which = index[lane] < extra->target_count ? index[lane] : extra->target_count - 1;

		target = extra->targets[which];
		for (lane_mask m = left; m; m &= m - 1) {
			uint32_t l = (uint32_t)__builtin_ctzll(m),
				 k = index[l] < extra->target_count ? index[l] : extra->target_count - 1;

			if (extra->targets[k] == target)
				same |= 1ull << l;
		}
		left &= ~same;
		if (!left && !guarded_off) { /* the lanes that remain go together */
			path->pc = target;
			if (path->pc == path->reconvergence_pc)
				control_reconverge(core, r);
			return;
		}
		core->counters.divergent_branches++;
		/* Those that stay are parked at this very instruction (or behind it when guarded off): it runs again
		 * for them. */
		core->machine->divergence->branch(
			r->warp.divergence, same, target, left ? path->pc : next, i->reconvergence_pc);
		control_follow(r);
		return;
	}
}

static void call(struct core *core, struct warp_slot *r, const struct insn *i, lane_mask lanes, uint32_t target)
{
	const struct insn_extra *extra = &r->warp.kernel->extras[i->extra];
	struct call_frame frame = {.register_words = extra->frame_words,
		.predicates = extra->predicate_frame,
		.stack_bytes = extra->stack_bytes};
	struct path *path = r->warp.path;

	assert(target < r->warp.kernel->code_count);
	assert(lanes);
	if (path->stack_base + 2 * extra->stack_bytes > r->warp.local_bytes ||
		!dynamic_stack_has_room(&r->warp, i, lanes, target) ||
		!core->machine->divergence->call(r->warp.divergence, lanes, target, path->pc + 1, &frame)) {
		core_fault(core, r, i, (uint32_t)__builtin_ctzll(lanes), FAULT_stack,
			"call deeper than limit.call_depth = %u or limit.stack = %u bytes allow",
			core->machine->model->call_depth, core->machine->model->stack_bytes);
		return;
	}
	control_follow(r);
	dynamic_stack_enter(&r->warp, lanes);
	r->warp.predicates[0] |= lanes; /* the other lanes' column may be another predicate of another frame */
}

/* The callee of the first lane; the lanes that agree with it go, the others issue the call again. */
void control_call_indirect(struct core *core, struct warp_slot *r, const struct insn *i, lane_mask lanes)
{
	const struct insn_extra *extra = &r->warp.kernel->extras[i->extra];
	uint64_t pointer[CORE_WARPS];
	uint32_t first = (uint32_t)__builtin_ctzll(lanes);
	uint32_t target;
	lane_mask same = 0;
	bool known = false;

	assert(lanes);
	assert(r->warp.lanes <= CORE_WARPS);
	for (uint32_t l = 0; l < r->warp.lanes; l++)
		pointer[l] = i->s_bytes[0] == 8 ? ((const uint64_t *)slot_at(&r->warp, i->s[0]))[l]
						: ((const uint32_t *)slot_at(&r->warp, i->s[0]))[l];
	target = kernel_call_target(r->warp.kernel, pointer[first]);
	for (uint32_t k = 0; k < extra->target_count; k++)
		known |= extra->targets[k] == target;
	if (target == NO_PC || !known) {
		core_fault(core, r, i, first, FAULT_call,
			"indirect call of 0x%llx, which is no function of this prototype",
			(unsigned long long)pointer[first]);
		return;
	}
	for (lane_mask m = lanes; m; m &= m - 1) {
		uint32_t lane = (uint32_t)__builtin_ctzll(m);

		if (pointer[lane] == pointer[first])
			same |= 1ull << lane;
	}
	if (same != r->warp.path->active) { /* split first; the call is then issued again by each part */
		uint32_t pc = r->warp.path->pc;
		lane_mask skipping = r->warp.path->active & ~lanes;

		if (skipping && same == lanes)
			core->machine->divergence->branch(r->warp.divergence, same, pc, pc + 1, pc + 1);
		else
			core->machine->divergence->branch(r->warp.divergence, same, pc, pc, pc + 1);
		control_follow(r);
		return;
	}
	call(core, r, i, same, target);
}

void control_call(struct core *core, struct warp_slot *r, const struct insn *i, lane_mask lanes)
{
	call(core, r, i, lanes, i->target);
}

static void end_lanes(struct core *core, struct warp_slot *r, lane_mask lanes)
{
	struct warp *w = &r->warp;

	assert(lanes);
	assert((lanes & ~w->live) == 0);
	assert(r->group->live_threads >= (uint32_t)__builtin_popcountll(lanes));
	w->live &= ~lanes;
	r->group->live_threads -= (uint32_t)__builtin_popcountll(lanes);
	core->machine->divergence->exit(w->divergence, lanes);
	control_follow(r);
	if (!w->live)
		core_warp_finished(core, r);
	else
		core_lanes_exited(core, r->group);
}

void control_end_lanes(struct core *core, struct warp_slot *r, lane_mask lanes)
{
	assert((lanes & ~r->warp.live) == 0);
	core_unschedule(core, r);
	r->buffered = 0;
	if (r->warp.path->active & lanes)
		r->warp.path->pc--; /* those that stay go on behind it, as behind an exit */
	end_lanes(core, r, lanes);
	if (!r->finished)
		core_schedule(core, r);
}

void control_exit(struct core *core, struct warp_slot *r, const struct insn *i, lane_mask lanes)
{
	assert((lanes & ~r->warp.path->active) == 0);
	(void)i;
	end_lanes(core, r, lanes);
}

void control_return(struct core *core, struct warp_slot *r, const struct insn *i, lane_mask lanes)
{
	assert((lanes & ~r->warp.path->active) == 0);
	(void)i;
	if (!lanes) {
		control_advance(core, r);
	} else if (r->warp.path->depth == 0) {
		end_lanes(core, r, lanes);
	} else {
		core->machine->divergence->ret(r->warp.divergence, lanes);
		control_follow(r);
	}
}

/* Of matrices: the whole warp carries it out together, and no mask says so. */
static bool is_of_warp(const struct insn *i)
{
	return i->latency == LATENCY_MATRIX || i->op == OP_movmatrix;
}

/* Where the member masks of a .sync instruction are, one per lane: its last register source. */
static slot_ref sync_slot(const struct insn *i)
{
	uint32_t source = INSN_SOURCES;

	while (source && i->s[source - 1] == SLOT_NONE)
		source--;
	return source ? i->s[source - 1] : SLOT_NONE;
}

const uint32_t *control_member_masks(const struct warp *w, const struct insn *i, bool *vary)
{
	slot_ref slot = i->kind == INSN_SYNC && !is_of_warp(i) ? sync_slot(i) : SLOT_NONE;

	*vary = slot != SLOT_NONE && !(slot & SLOT_CONSTANT);
	return slot == SLOT_NONE ? NULL : slot_at(w, slot);
}

/* The lanes that lane `lane` names in `masks` and that still live. */
static lane_mask sync_members(const struct warp *w, const uint32_t *masks, uint32_t lane)
{
	assert(lane < w->lanes);
	return (lane >= 32 ? (lane_mask)masks[lane] << 32 : masks[lane]) & w->live;
}

/* PTX leaves undefined what a lane does that is not among the members it names.  Here it does not wait, and takes
 * part with all others of the kind that have come together: so programs that count with `ballot(lanes before mine, x)`
 * get what they mean, as they do on GPUs. */
static bool sync_is_outsider(const uint32_t *masks, uint32_t lane)
{
	assert(lane < 64);
	return !(masks[lane] >> (lane & 31) & 1);
}

/* Those of `lanes` that name the same members as the first of their half warp, or like it are none of those they
 * name. */
static lane_mask sync_together(const struct warp *w, const uint32_t *masks, lane_mask lanes)
{
	assert(masks);
	assert(lanes);
	lane_mask same = 0;

	for (lane_mask half = UINT32_MAX; half; half <<= 32) {
		lane_mask rest = lanes & half;
		uint32_t first = rest ? (uint32_t)__builtin_ctzll(rest) : 0;

		for (; rest; rest &= rest - 1) {
			uint32_t lane = (uint32_t)__builtin_ctzll(rest);
			if (sync_is_outsider(masks, first)
					? sync_is_outsider(masks, lane)
					: sync_members(w, masks, lane) == sync_members(w, masks, first))
				same |= rest & -rest;
		}
	}
	return same;
}

/* The core's unit for matches, if it has one, takes them one after another. */
static uint64_t match_latency(struct core *core, const struct insn *i, uint64_t values)
{
	const struct gpu_model *model = core->machine->model;
	uint64_t starts = core->now;
	bool wide = ptx_types[i->type].bits == 64;

	assert(values);
	if (core->issue.match_free > starts)
		starts = core->issue.match_free;
	core->issue.match_free = starts + values * model->match_interval * (wide ? 2 : 1);
	return starts - core->now + (i->op == OP_match_any ? model->match_any : model->match_all) +
	       values * (model->match_value + (wide ? model->match_wide : 0));
}

/* Of those that compare lanes with each other, on models that have figures for that; and of bar.warp.sync, which then
 * makes the warp wait. */
static uint64_t shuffle_latency(
	struct core *core, struct warp_slot *r, const struct insn *i, lane_mask lanes, uint64_t latency)
{
	const struct gpu_model *model = core->machine->model;

	if (i->op == OP_bar_warp_sync && model->latency_warp_barrier)
		r->hold_until = core->now + model->latency_warp_barrier;
	else if ((i->op == OP_match_any || i->op == OP_match_all) && model->match_any)
		latency = match_latency(core, i, warp_different_values(&r->warp, i, lanes));
	return latency;
}

/* A match whose lanes name different members is one instruction all the same, if all that they name are here: the cards
 * take as long for sixteen parts of a warp, each of one value, as for sixteen values of a whole one (docs/silicon.md).
 * The next part of `rest`; `ok` becomes false where some of its members are not among `lanes`. */
static lane_mask match_part(const struct warp *w, const uint32_t *masks, lane_mask lanes, lane_mask rest, bool *ok)
{
	assert(rest);
	assert((rest & ~lanes) == 0);
	lane_mask part = sync_together(w, masks, rest);
	uint32_t first = (uint32_t)__builtin_ctzll(part);

	if (!sync_is_outsider(masks, first) && sync_members(w, masks, first) & ~lanes)
		*ok = false;
	return part;
}

/* Carries out a match for all parts at once; false: it cannot. */
static bool match_parts(
	struct core *core, struct warp_slot *r, const struct insn *i, const uint32_t *masks, lane_mask lanes)
{
	const struct gpu_model *model = core->machine->model;
	uint64_t latency = r->rows[r->warp.path->pc].latency, values = 0;
	bool ok = i->op == OP_match_any || i->op == OP_match_all;

	assert(lanes);
	assert((lanes & ~r->warp.live) == 0);
	for (lane_mask rest = lanes, part; rest && ok; rest &= ~part) {
		part = match_part(&r->warp, masks, lanes, rest, &ok);
		values += warp_different_values(&r->warp, i, part);
	}
	if (!ok)
		return false;
	if (model->match_any)
		latency = match_latency(core, i, values);
	for (lane_mask rest = lanes, part; rest; rest &= ~part) {
		part = sync_together(&r->warp, masks, rest);
		i->exec(&r->warp, i, part);
	}
	core_set_results_ready(r, i, core->now + latency);
	control_advance(core, r);
	return true;
}

/* Of a warp of 64 lanes each half has masks, and members, of its own. */
static void each_half_meets(struct core *core, const struct warp_slot *r, const uint32_t *masks, lane_mask lanes)
{
	assert(lanes && !(lanes & ~r->warp.live));
	assert(masks);
	for (lane_mask half = UINT32_MAX; half; half <<= 32) {
		lane_mask part = lanes & half;
		uint32_t first = part ? (uint32_t)__builtin_ctzll(part) : 0;

		if (part)
			observe_together(core, r, part,
				sync_is_outsider(masks, first) ? 0 : sync_members(&r->warp, masks, first));
	}
}

/* Instructions that read other lanes or the time. */
void control_special(struct core *core, struct warp_slot *r, const struct insn *i, lane_mask lanes)
{
	assert((lanes & ~r->warp.path->active) == 0);
	slot_ref slot = i->kind == INSN_SYNC && lanes && !is_of_warp(i) ? sync_slot(i) : SLOT_NONE;

	if (slot != SLOT_NONE) {
		const uint32_t *masks = slot_at(&r->warp, slot);
		lane_mask same = slot & SLOT_CONSTANT ? lanes : sync_together(&r->warp, masks, lanes);

		if (same != lanes && match_parts(core, r, i, masks, lanes))
			return;
		/* Each part issues it again: `m = match.any(x); ballot(m, y)` is one ballot per m. */
		if (same != lanes) {
			uint32_t pc = r->warp.path->pc;

			core->machine->divergence->branch(r->warp.divergence, same, pc, pc, pc + 1);
			control_follow(r);
			return;
		}
		uint32_t first = (uint32_t)__builtin_ctzll(lanes);
		lane_mask members = sync_is_outsider(masks, first) ? 0 : sync_members(&r->warp, masks, first);
		if (!core->machine->divergence->sync(r->warp.divergence, members)) {
			control_follow(r);
			return;
		}
		/* Others may have joined the path: its lanes are those of now. */
		control_follow(r);
		lanes = r->warp.path->active & (r->warp.predicates[i->guard] ^ -(lane_mask)i->guard_invert);
		if (i->op == OP_bar_warp_sync)
			each_half_meets(core, r, masks, lanes);
	}
	if (is_of_warp(i)) {
		bool together = core->machine->divergence->sync(r->warp.divergence, r->warp.live);

		control_follow(r);
		if (!together)
			return;
		lanes = r->warp.path->active & (r->warp.predicates[i->guard] ^ -(lane_mask)i->guard_invert);
	}
	uint64_t latency = r->rows[r->warp.path->pc].latency;
	if (i->latency == LATENCY_SHUFFLE)
		latency = shuffle_latency(core, r, i, lanes, latency);
	if (lanes && i->exec)
		i->exec(&r->warp, i, lanes);
	core_set_results_ready(r, i, core->now + latency);
	control_advance(core, r);
}

void control_sleep(struct core *core, struct warp_slot *r, const struct insn *i, lane_mask lanes)
{
	const struct launch_values *v = r->warp.launch;
	const uint32_t *nanoseconds = slot_at(&r->warp, i->s[0]);
	uint64_t longest = 0, cycles;

	assert(v->nanoseconds_numerator);
	for (lane_mask m = lanes; m; m &= m - 1) {
		uint32_t lane = (uint32_t)__builtin_ctzll(m);

		longest = nanoseconds[lane] > longest ? nanoseconds[lane] : longest;
	}
	if (longest > 1000000) /* the ISA's limit: one millisecond */
		longest = 1000000;
	cycles = longest * v->nanoseconds_denominator / v->nanoseconds_numerator;
	core->counters.sleep_cycles += cycles;
	control_advance(core, r);
	observe_yields(core, r);
	if (core->machine->divergence->yield && core->machine->divergence->yield(r->warp.divergence))
		control_follow(r);
	else
		core_sleep(core, r, cycles);
}

void control_trap(struct core *core, struct warp_slot *r, const struct insn *i, lane_mask lanes)
{
	const char *why = r->warp.kernel->extras[i->extra].trap_reason;

	assert(lanes);
	core_fault(core, r, i, (uint32_t)__builtin_ctzll(lanes), FAULT_trap, "the kernel executed trap%s%s",
		why ? ": " : "", why ? why : "");
}

void control_breakpoint(struct core *core, struct warp_slot *r, const struct insn *i, lane_mask lanes)
{
	assert(lanes);
	core_fault(core, r, i, (uint32_t)__builtin_ctzll(lanes), FAULT_breakpoint, "the kernel executed brkpt");
}

/* Of firmware, which runs elsewhere: kernels that have such a call are refused. */
void control_firmware(struct core *core, struct warp_slot *r, const struct insn *i, lane_mask lanes)
{
	(void)core, (void)r, (void)i, (void)lanes;
	assert(false);
}

/* The original of an observed instruction; others of the kind are issued without a table. */
void control_plain(struct core *core, struct warp_slot *r, const struct insn *i, lane_mask lanes)
{
	assert((lanes & ~r->warp.path->active) == 0);
	if (lanes)
		i->exec(&r->warp, i, lanes);
	core_set_results_ready(r, i, core->now + r->rows[r->warp.path->pc].latency);
	control_advance(core, r);
}
