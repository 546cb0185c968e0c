/* Control flow of a warp: branches, calls, returns, exits, traps; and instructions in which its lanes work together. */
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
#include <inttypes.h>

static void count_wait(struct core *core, const struct warp_slot *r, lane_mask taken, lane_mask stayed)
{
	assert((taken & stayed) == 0);
	core->counters.wait_fail += (uint64_t)__builtin_popcountll(taken);
	core->counters.wait_success += (uint64_t)__builtin_popcountll(stayed);
	observe_polls(core, r, taken);
}

/* So many turns long is the turn of a loop that ends by itself.  It waits for nobody, so nobody has to be let go for
 * its sake: ptxas puts no YIELD into such a loop.  Not for ever, since what it waits for may escape the decoder. */
#define TURNS_OF_LONE_LOOP 16

/* Under a progress model turns do not depend on time, which is no part of the state that progress.h compares. */
static bool has_had_turn(const struct core *core, const struct warp_slot *r, const struct insn *i)
{
	uint64_t turn = core->machine->model->yield_interval;

	assert(r->warp.now >= r->turn_start);
	if (i->flags & INSN_ENDS_ALONE)
		turn *= TURNS_OF_LONE_LOOP;
	return core->machine->progress || r->warp.now - r->turn_start >= turn;
}

/* Fairness among diverged paths: at every taken back edge another path may run. */
static void yield_at_back_edge(struct core *core, struct warp_slot *r, const struct insn *i)
{
	assert(r->warp.live);
	if (!core->machine->divergence->yield || !has_had_turn(core, r, i))
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
		yield_at_back_edge(core, r, i);
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

/* Of a copy of the code with hooks, whose kind the cycle loop does not see. */
void control_timed_branch(struct core *core, struct warp_slot *r, const struct insn *i, lane_mask taken)
{
	uint64_t until = core->now + r->rows[r->warp.path->pc].latency;

	assert(r->used && i->kind == INSN_BRANCH);
	control_branch(core, r, i, taken);
	r->fetched_at = schedule_later(r->fetched_at, until);
}

/* An index past the table is undefined in the ISA; here it takes the last entry. */
static uint32_t indexed_target(const struct insn_extra *extra, uint32_t index)
{
	assert(extra->target_count);
	return extra->targets[index < extra->target_count ? index : extra->target_count - 1];
}

/* brx.idx: peels off one target at a time. */
void control_branch_indexed(struct core *core, struct warp_slot *r, const struct insn *i, lane_mask lanes)
{
	const struct insn_extra *extra = &r->warp.kernel->extras[i->extra];
	const uint32_t *index = slot_at(&r->warp, i->s[0]);
	struct path *path = r->warp.path;
	lane_mask same = 0;
	uint32_t target;

	assert((lanes & ~path->active) == 0);
	core->counters.branches++;
	if (!lanes) {
		control_advance(core, r);
		return;
	}
	target = indexed_target(extra, index[__builtin_ctzll(lanes)]);
	EACH_LANE(l, lanes)
		same |= (lane_mask)(indexed_target(extra, index[l]) == target) << l;
	if (same == path->active) { /* the lanes that remain go together */
		path->pc = target;
		if (path->pc == path->reconvergence_pc)
			control_reconverge(core, r);
		return;
	}
	core->counters.divergent_branches++;
	/* Those that stay are parked at this very instruction (or after it when guarded off): it runs again for them.
	 */
	core->machine->divergence->branch(
		r->warp.divergence, same, target, same == lanes ? path->pc + 1 : path->pc, i->reconvergence_pc);
	control_follow(r);
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
			"the call exceeds limit.call_depth (%u) or limit.stack (%u bytes)",
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
	uint32_t pc = r->warp.path->pc, first = (uint32_t)__builtin_ctzll(lanes), target;
	uint64_t pointer = slot_value(&r->warp, i->s[0], i->s_bytes[0], first);
	lane_mask same = 0;
	bool known = false;

	assert(lanes && !(lanes & ~r->warp.path->active));
	target = kernel_call_target(r->warp.kernel, pointer);
	for (uint32_t k = 0; k < extra->target_count; k++)
		known |= extra->targets[k] == target;
	if (target == NO_PC || !known) {
		core_fault(core, r, i, first, FAULT_call,
			"indirect call of 0x%" PRIx64 ", which is not a function of this prototype", pointer);
		return;
	}
	EACH_LANE(l, lanes)
		same |= (lane_mask)(slot_value(&r->warp, i->s[0], i->s_bytes[0], (uint32_t)l) == pointer) << l;
	if (same == r->warp.path->active) {
		call(core, r, i, same, target);
		return;
	}
	/* split first; the call is then issued again by each part */
	core->machine->divergence->branch(r->warp.divergence, same, pc, same == lanes ? pc + 1 : pc, pc + 1);
	control_follow(r);
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
		r->warp.path->pc--; /* those that stay continue after it, as after an exit */
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
	if (r->warp.path->depth == 0) {
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

/* The members that the lane names; none, if it is not among them. */
static lane_mask sync_awaited(const struct warp *w, const uint32_t *masks, uint32_t lane)
{
	return sync_is_outsider(masks, lane) ? 0 : sync_members(w, masks, lane);
}

/* Whether lanes of a half warp, bits of `lanes`, have one mask, which names them all: nearly always. */
static bool names_all(const uint32_t *masks, uint32_t lanes)
{
	uint32_t mask = masks[__builtin_ctz(lanes)], other = 0;

	assert(lanes);
	for (uint32_t l = 0; l < 32; l++)
		other |= (masks[l] ^ mask) & -(lanes >> l & 1);
	return !other && !(lanes & ~mask);
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
		uint32_t first = rest ? (uint32_t)__builtin_ctzll(rest) : 0, base = first & 32;

		if (rest && names_all(masks + base, (uint32_t)(rest >> base))) {
			same |= rest;
			continue;
		}
		EACH_LANE(l, rest)
			if (sync_is_outsider(masks, first)
					? sync_is_outsider(masks, (uint32_t)l)
					: sync_members(w, masks, (uint32_t)l) == sync_members(w, masks, first))
				same |= (lane_mask)1 << l;
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

	*ok &= !(sync_awaited(w, masks, first) & ~lanes);
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
		observe_meets(core, r, part, part);
		i->exec(&r->warp, i, part);
	}
	core_set_results_ready(r, i, core->now + latency);
	control_advance(core, r);
	return true;
}

/* Of a warp of 64 lanes each half has masks, and members, of its own. */
static void each_half_meets(
	struct core *core, const struct warp_slot *r, const struct insn *i, const uint32_t *masks, lane_mask lanes)
{
	assert(lanes && !(lanes & ~r->warp.live));
	assert(masks);
	for (lane_mask half = UINT32_MAX; half; half <<= 32) {
		lane_mask part = lanes & half, members;

		if (!part)
			continue;
		members = sync_awaited(&r->warp, masks, (uint32_t)__builtin_ctzll(part));
		if (i->op == OP_bar_warp_sync)
			observe_together(core, r, part, members);
		else
			observe_meets(core, r, part, members);
	}
}

/* The path waits for `members`; false: some are still to come.  Others may have joined it: *lanes become those of now.
 */
static bool come_together(
	struct core *core, struct warp_slot *r, const struct insn *i, lane_mask members, lane_mask *lanes)
{
	bool together = core->machine->divergence->sync(r->warp.divergence, members);

	assert((members & ~r->warp.live) == 0);
	control_follow(r);
	*lanes = r->warp.path->active & (r->warp.predicates[i->guard] ^ -(lane_mask)i->guard_invert);
	return together;
}

bool control_gather_warp(struct core *core, struct warp_slot *r, const struct insn *i, lane_mask *lanes)
{
	assert(!(*lanes & ~r->warp.live));
	return come_together(core, r, i, r->warp.live, lanes);
}

/* Gathers the lanes that name each other in the masks at `slot`.  False: not all are here, or they go in parts. */
static bool gather(struct core *core, struct warp_slot *r, const struct insn *i, slot_ref slot, lane_mask *lanes)
{
	const uint32_t *masks = slot_at(&r->warp, slot);
	lane_mask same = slot & SLOT_CONSTANT ? *lanes : sync_together(&r->warp, masks, *lanes);
	uint32_t pc = r->warp.path->pc, first = (uint32_t)__builtin_ctzll(*lanes);

	assert(same && !(same & ~*lanes));
	if (same != *lanes) {
		if (match_parts(core, r, i, masks, *lanes))
			return false;
		/* Each part issues it again: `m = match.any(x); ballot(m, y)` is one ballot per m. */
		core->machine->divergence->branch(r->warp.divergence, same, pc, pc, pc + 1);
		control_follow(r);
		return false;
	}
	if (!come_together(core, r, i, sync_awaited(&r->warp, masks, first), lanes))
		return false;
	if (i->op == OP_bar_warp_sync || observer_hears(core, OBSERVE_meets, r->bit))
		each_half_meets(core, r, i, masks, *lanes);
	return true;
}

/* Instructions that read other lanes or the time. */
void control_special(struct core *core, struct warp_slot *r, const struct insn *i, lane_mask lanes)
{
	slot_ref slot = i->kind == INSN_SYNC && lanes && !is_of_warp(i) ? sync_slot(i) : SLOT_NONE;
	uint64_t latency;

	assert((lanes & ~r->warp.path->active) == 0);
	if (slot != SLOT_NONE && !gather(core, r, i, slot, &lanes))
		return;
	if (is_of_warp(i)) {
		if (!control_gather_warp(core, r, i, &lanes))
			return;
		observe_meets(core, r, lanes, r->warp.live);
	}
	latency = r->rows[r->warp.path->pc].latency;
	if (i->latency == LATENCY_SHUFFLE)
		latency = shuffle_latency(core, r, i, lanes, latency);
	if (lanes && i->exec)
		i->exec(&r->warp, i, lanes);
	if (i->latency == LATENCY_MATRIX)
		schedule_results_ready(r, &r->rows[r->warp.path->pc], core->now);
	else
		core_set_results_ready(r, i, core->now + latency);
	control_advance(core, r);
}

void control_sleep(struct core *core, struct warp_slot *r, const struct insn *i, lane_mask lanes)
{
	const struct launch_values *v = r->warp.launch;
	const uint32_t *nanoseconds = slot_at(&r->warp, i->s[0]);
	uint64_t longest = 0, cycles;

	assert(v->nanoseconds_numerator);
	EACH_LANE(l, lanes)
		longest = nanoseconds[l] > longest ? nanoseconds[l] : longest;
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
	schedule_results_ready(r, &r->rows[r->warp.path->pc], core->now);
	control_advance(core, r);
}
