/* Rules of mbarrier_rules.h: waits for the wrong parity, waits that were lapped, mbarriers that are initialised again.
 */
#include "check/mbarrier_rules.h"

#include "machine/core/cluster.h"
#include "machine/lsu/mbarrier_trace.h"
#include "machine/state/launch_state.h"

#include <string.h>

/* A thread was rule_lapped. */
bool rule_is_lapped(const struct rule_case *c)
{
	for (uint32_t k = 0; k < c->e->detail->mend_count; k++)
		if (c->e->detail->mends[k].change.mend == MEND_LOOK)
			return true;
	return false;
}

static void add_look(const struct rule_case *c, const struct mbarrier_object *object, uint32_t thread, int64_t phase)
{
	rule_add(c, CAUSE_LAPPED_WAIT,
		rule_at_kind(
			c, object, (struct change){.mend = MEND_LOOK, .thread = thread, .values = {(uint64_t)phase}}));
}

/* A thread that waits for wrong parities may lap another one: that is tried as well, at each kind of object. */
static void add_turns(const struct rule_case *c)
{
	for (uint32_t k = 0; k < c->object_count; k++)
		if (c->objects[k]->looked)
			rule_add(c, CAUSE_WRONG_PARITY,
				rule_at_kind(c, c->objects[k],
					rule_at_line(
						c, c->objects[k]->looked_pc, (struct change){.mend = MEND_IN_TURN})));
}

bool rule_any_in_use(const struct rule_case *c)
{
	for (uint32_t k = 0; k < c->object_count; k++)
		if (c->objects[k]->was_in_use)
			return true;
	return false;
}

/* A thread has asked twice for the same phase of an object, one after the other. */
static bool was_asked_again(const struct mbarrier_object *object)
{
	lane_mask any = 0;

	for (uint32_t w = 0; w < CORE_WARPS; w++)
		any |= object->again[w];
	return any;
}

bool rule_asked_again(const struct rule_case *c)
{
	for (uint32_t k = 0; k < c->object_count; k++)
		if (was_asked_again(c->objects[k]))
			return true;
	return false;
}

/* The parities for which a thread has asked at an object change from wait to wait. `now`: the one for which it waits;
 * -1: none. */
static bool alternates(const struct rule_case *c, const struct mbarrier_object *object, uint32_t thread, int now)
{
	uint32_t lanes = c->t->r->warp.lanes;
	const struct mbarrier_trace *trace = mbarrier_trace_of(c->t->core, c->t->r->group, thread / lanes);
	int before = -1;

	for (uint32_t k = 0; trace && k < mbarrier_events(trace); k++) {
		const struct mbarrier_event *e = mbarrier_event(trace, k);

		if (e->step != STEP_PASSED || e->offset != object->offset || !(e->lanes >> thread % lanes & 1))
			continue;
		if (before == (int)(e->phase & 1))
			return false;
		before = (int)(e->phase & 1);
	}
	return now < 0 || before != now;
}

/* The phase that the thread means was over before it looked, and so is the next one; or a thread was rule_lapped so
 * before, and found the parity that it asked for by chance. */
void rule_lapped(const struct rule_case *c)
{
	if (rule_any_in_use(c) || rule_asked_again(c))
		return;
	if (mbarrier_wait_is_lapped(c->wait) && c->wait->by_parity &&
		alternates(c, c->object, c->t->number, c->wait->odd))
		add_look(c, c->object, c->t->number, c->wait->means);
	for (uint32_t k = 0; k < c->object_count; k++)
		if (c->objects[k]->was_passed && alternates(c, c->objects[k], c->objects[k]->passed, -1))
			add_look(c, c->objects[k], c->objects[k]->passed, c->objects[k]->passed_phase);
	if (rule_is_lapped(c))
		add_turns(c);
}

/* The lines at which threads wait that fill stages of the kind, as the case's does, and ask for their first phase. */
static struct change at_first_waits(const struct rule_case *c, struct change change)
{
	EACH_WARP(c->e->launch, at)
		for (lane_mask m = at.group == c->t->group ? mbarrier_lanes_waiting(at.core, at.r) : 0; m; m &= m - 1) {
			struct thread t = thread_at(at.core, at.r, (uint32_t)__builtin_ctzll(m));
			struct mbarrier_wait wait;

			if (mbarrier_wait_of(&t, &wait) && rule_same_kind(c, wait.object, c->object) &&
				wait.means == c->wait->means && !change_means(&change, wait.pc))
				change = rule_at_line(c, wait.pc, change);
		}
	return change;
}

/* The lines at which the thread itself has waited for stages of the kind. */
static struct change at_own_waits(const struct rule_case *c, struct change change)
{
	const struct mbarrier_trace *trace =
		mbarrier_trace_of(c->t->core, c->t->r->group, c->t->r->warp.first_thread / c->t->r->warp.lanes);

	for (uint32_t k = 0; trace && k < mbarrier_events(trace); k++) {
		const struct mbarrier_event *e = mbarrier_event(trace, k);
		const struct mbarrier_object *object =
			e->step == STEP_PASSED && e->lanes >> c->t->lane & 1
				? mbarrier_object_of(c->t->core, c->t->r->group, e->offset)
				: NULL;

		if (object && rule_same_kind(c, object, c->object) && !change_means(&change, e->pc))
			change = rule_at_line(c, e->pc, change);
	}
	return change;
}

/* At the line of the wait alone; then also at others, which the text names. */
static void add_other_parity(const struct rule_case *c, uint32_t ranks)
{
	struct change alone = rule_at_line(c, c->wait->pc, (struct change){.mend = MEND_PARITY, .ranks = ranks}),
		      more = alone;

	rule_add(c, CAUSE_WRONG_PARITY, alone);
	more = at_own_waits(c, at_first_waits(c, more));
	more.pc = alone.pc;
	rule_add(c, CAUSE_WRONG_PARITY, more);
}

/* All objects that were initialised so, also by copies of the instruction, as in an unrolled loop. */
static struct change again_in_use(const struct rule_case *c, struct change change)
{
	uint32_t pc = change.pc;

	for (uint32_t k = 0; k < c->object_count; k++)
		if (c->objects[k]->was_in_use)
			change = rule_at_line(c, c->objects[k]->begun.pc, change);
	change.pc = pc;
	return change;
}

/* A valid object that had been used was initialised. */
void rule_initialised_again(const struct rule_case *c)
{
	if (c->object->was_in_use)
		rule_add(c, CAUSE_MBARRIER_IN_USE,
			again_in_use(c, rule_at_kind(c, c->object, (struct change){.mend = MEND_NO_INIT})));
}

/* All warps of the group that have not ended wait at untouched mbarriers of the case's kind. */
static bool all_wait_at_first(const struct rule_case *c)
{
	EACH_WARP(c->e->launch, at) {
		lane_mask waiting = mbarrier_lanes_waiting(at.core, at.r);

		if (at.group != c->t->group)
			continue;
		if (!waiting)
			return false;
		for (lane_mask m = waiting; m; m &= m - 1) {
			struct thread t = thread_at(at.core, at.r, (uint32_t)__builtin_ctzll(m));
			struct mbarrier_wait wait;

			if (mbarrier_wait_of(&t, &wait) && (wait.object->phase || wait.object->recorded ||
								   !rule_same_kind(c, wait.object, c->object)))
				return false;
		}
	}
	return true;
}

/* Nobody has the first turn. */
void rule_first_turn(const struct rule_case *c)
{
	if (!c->wait->by_parity || c->wait->odd || c->object->phase || c->object->recorded ||
		c->e->detail->mend_count || !all_wait_at_first(c))
		return;
	for (uint32_t k = 0; k < c->object_count; k++)
		if (rule_same_kind(c, c->objects[k], c->object))
			rule_add(c, CAUSE_WRONG_PARITY,
				rule_at_line(c, c->wait->pc,
					(struct change){.mend = MEND_PARITY,
						.values = {c->objects[k]->offset},
						.value_count = 1,
						.address = c->objects[k]->offset}));
}

/* Some thread has asked twice for the same phase of an object, or asks for the one behind the next: its parity did not
 * change in between. */
void rule_same_parity(const struct rule_case *c)
{
	struct change all = rule_at_line(c, c->wait->pc, (struct change){.mend = MEND_IN_TURN});
	uint32_t own_count = all.pc_count;
	int64_t seen = mbarrier_seen(c->object, c->t->r, c->t->lane);

	if (rule_any_in_use(c))
		return;
	if (c->wait->by_parity && seen >= 0 && (seen & 1) == c->wait->odd)
		rule_add(c, CAUSE_WRONG_PARITY, rule_at_kind(c, c->object, all));
	for (uint32_t k = 0; k < c->object_count; k++)
		if (was_asked_again(c->objects[k])) {
			rule_add(c, CAUSE_WRONG_PARITY,
				rule_at_kind(c, c->objects[k],
					rule_at_line(
						c, c->objects[k]->again_pc, (struct change){.mend = MEND_IN_TURN})));
			all = rule_at_kind(c, c->objects[k], all);
		}
	if (all.pc_count > own_count)
		rule_add(c, CAUSE_WRONG_PARITY, all);
}

#define CODE_SEEN 400 /* instructions */

/* Both instructions are of the same wait, as far as its user wrote it. */
static bool is_same_wait(const struct kernel *kernel, uint32_t a, uint32_t b)
{
	struct frame of_a[KERNEL_FRAMES], of_b[KERNEL_FRAMES];

	kernel_frames(kernel, a, of_a);
	kernel_frames(kernel, b, of_b);
	return of_a->place.line == of_b->place.line && !strcmp(of_a->place.file, of_b->place.file);
}

/* Behind the wait, and before the thread arrives anywhere or waits again, it fills a stage: it begins copies, expects
 * bytes or stores. */
static bool fills_next(const struct kernel *kernel, uint32_t pc)
{
	for (uint32_t k = pc + 1; k < kernel->code_count && k < pc + CODE_SEEN; k++) {
		const struct insn *i = &kernel->code[k];

		if (i->kind == INSN_COPY || i->op == OP_mbarrier_expect_tx || i->op == OP_mbarrier_arrive_expect_tx)
			return true;
		if (i->kind == INSN_STORE && i->access.space != space_GLOBAL && i->access.space != space_LOCAL)
			return true;
		if (i->kind == INSN_MBARRIER &&
			(ptx_ops[i->op].effects != EFFECT_READS || !is_same_wait(kernel, pc, k)))
			return false;
	}
	return false;
}

/* The ranks of the cluster that do not get through the case's wait at once, as the free stage lets them; 0: all. */
static uint32_t ranks_that_wait(const struct rule_case *c)
{
	uint32_t size = launch_cluster_size(&c->e->launch->values), ranks = 0;

	for (uint32_t rank = 0; rank < size && size > 1; rank++) {
		struct core *core;
		const struct group *group = cluster_group(c->e->machine, c->t->r->group, rank, &core);
		bool passes = false;

		for (uint32_t w = 0; group && w < group->warps; w++) {
			const struct mbarrier_trace *trace = mbarrier_trace_of(core, group, w);

			for (uint32_t k = 0; trace && k < mbarrier_events(trace); k++) {
				const struct mbarrier_event *e = mbarrier_event(trace, k);

				passes |= e->step == STEP_PASSED && e->phase < 0 &&
					  rule_same_line(c->e->kernel, e->pc, c->wait->pc);
			}
		}
		ranks |= (uint32_t)!passes << rank;
	}
	return ranks == (1u << size) - 1 ? 0 : ranks;
}

/* The thread has passed the case's wait for the phase before the first, of any mbarrier, and fills nothing behind it.
 */
static bool began_before_first(const struct rule_case *c)
{
	const struct mbarrier_trace *trace =
		mbarrier_trace_of(c->t->core, c->t->r->group, c->t->r->warp.first_thread / c->t->r->warp.lanes);

	for (uint32_t k = 0; trace && k < mbarrier_events(trace); k++) {
		const struct mbarrier_event *e = mbarrier_event(trace, k);

		if (e->step == STEP_PASSED && e->phase < 0 && e->lanes >> c->t->lane & 1 &&
			rule_same_line(c->e->kernel, e->pc, c->wait->pc))
			return !fills_next(c->e->kernel, c->wait->pc);
	}
	return false;
}

/* A lapped thread has asked for the phase before the first: perhaps it should have asked for the first one. */
void rule_before_first(const struct rule_case *c)
{
	if (mbarrier_wait_is_lapped(c->wait) && c->wait->by_parity && (c->wait->means < 0 || began_before_first(c)))
		add_other_parity(c, 0);
}

/* The first wait of a thread that fills stages, at an object where nothing has happened: the stage is free, and it asks
 * for the phase in which it will be freed. */
void rule_parity_at_start(const struct rule_case *c)
{
	if (c->wait->by_parity && !c->wait->odd && !c->object->phase && !c->object->recorded &&
		mbarrier_seen(c->object, c->t->r, c->t->lane) < -1 && fills_next(c->e->kernel, c->wait->pc))
		add_other_parity(c, ranks_that_wait(c));
}
