/* What may be wrong with mbarriers: see mbarrier_mends.h.  Each rule wants evidence in what has happened at an object,
 * as a change that only lets a thread pass would confirm anything. */
#include "check/mbarrier_mends.h"
#include "check/mbarrier_rules.h"

#include "explore/left.h"
#include "machine/state/launch_state.h"

struct mbarrier_bytes mbarrier_bytes_of(const struct mbarrier_wait *wait)
{
	struct mbarrier_bytes bytes = {0};

	EACH_RECORD(r, wait->object, wait->object->phase, MBARRIER_ARRIVED)
		bytes.expected += r->bytes;
	EACH_RECORD(r, wait->object, wait->object->phase, MBARRIER_EXPECTED)
		bytes.expected += r->bytes;
	bytes.come = (uint64_t)((int64_t)bytes.expected - wait->now.transactions);
	return bytes;
}

/* ---- What belongs together ---- */

bool rule_same_line(const struct kernel *kernel, uint32_t a, uint32_t b)
{
	return a == b || (kernel->code[a].op == kernel->code[b].op && kernel_same_place(kernel, a, b));
}

/* Whether they lie in different variables, as far as these are known. */
static bool are_apart(const struct kernel *kernel, const struct mbarrier_object *a, const struct mbarrier_object *b)
{
	const struct shared_place *of_a = kernel_shared_at(kernel, a->offset),
				  *of_b = kernel_shared_at(kernel, b->offset);

	return of_a && of_b && of_a != of_b;
}

/* Two objects with the same use, as the full mbarriers of all stages: they have the same count, and are initialised or
 * waited for at the same line. */
bool rule_same_kind(const struct rule_case *c, const struct mbarrier_object *a, const struct mbarrier_object *b)
{
	const struct kernel *kernel = c->e->kernel;

	if (a == b)
		return true;
	if (a->count != b->count || are_apart(kernel, a, b))
		return false;
	return rule_same_line(kernel, a->begun.pc, b->begun.pc) ||
	       (a->looked && b->looked && rule_same_line(kernel, a->looked_pc, b->looked_pc));
}

void rule_mean(struct change *change, uint32_t pc)
{
	if (!change_means(change, pc) && change->pc_count < CHANGE_PCS)
		change->pcs[change->pc_count++] = pc;
}

/* The instructions of a line, as where a loop is unrolled: what is wrong with one of them is with all. */
struct change rule_at_line(const struct rule_case *c, uint32_t pc, struct change change)
{
	change.pc = pc;
	for (uint32_t k = 0; k < c->e->kernel->code_count; k++)
		if (rule_same_line(c->e->kernel, pc, k))
			rule_mean(&change, k);
	return change;
}

/* All copies of an instruction, also those of other calls around it. */
struct change rule_at_copies(const struct rule_case *c, uint32_t pc, struct change change)
{
	const struct kernel *kernel = c->e->kernel;

	change.pc = pc;
	for (uint32_t k = 0; k < kernel->code_count; k++)
		if (kernel->code[k].op == kernel->code[pc].op && kernel_same_line(kernel, pc, k))
			rule_mean(&change, k);
	return change;
}

/* The initialisations of all objects of a kind. */
struct change rule_at_kind(const struct rule_case *c, const struct mbarrier_object *object, struct change change)
{
	change.pc = change.pc ? change.pc : object->begun.pc;
	for (uint32_t k = 0; k < c->object_count; k++)
		if (rule_same_kind(c, object, c->objects[k]))
			rule_mean(&change, c->objects[k]->begun.pc);
	return change;
}

static bool means_same(const struct change *a, const struct change *b)
{
	for (uint32_t k = 0; k < a->pc_count; k++)
		if (!change_means(b, a->pcs[k]))
			return false;
	return a->pc_count == b->pc_count;
}

/* Lanes that wait together give the same change. */
static bool is_same(const struct change *a, const struct change *b)
{
	return a->mend == b->mend && (a->mend != MEND_IN_ORDER || a->stages->parity_alone == b->stages->parity_alone) &&
	       (a->mend != MEND_DUE || (a->stages->rank == b->stages->rank && !a->stages->next == !b->stages->next &&
					       a->of_copies == b->of_copies && (!a->of_copies || a->pc == b->pc))) &&
	       (a->mend != MEND_MAP || (means_same(a, b) && a->stages->from[0] == b->stages->from[0] &&
					       a->stages->to[0] == b->stages->to[0])) &&
	       (a->mend != MEND_BYTES || a->value_count == b->value_count) &&
	       (a->mend == MEND_NO_INIT || means_same(a, b)) &&
	       (a->mend != MEND_PARITY || (a->value_count == b->value_count && a->values[0] == b->values[0])) &&
	       (a->mend != MEND_ARRIVAL ||
		       (a->thread == b->thread && a->address == b->address &&
			       (a->values[1] == MEND_EACH_PHASE) == (b->values[1] == MEND_EACH_PHASE)));
}

void rule_add_doubtful(const struct rule_case *c, enum hang_cause cause, struct change change, const char *doubt)
{
	struct finding_detail *d = c->e->detail;
	bool is_known = change.kind == CHANGE_MBARRIER; /* the group of its thread */

	if (!d->mend_count) {
		*c->at = *c->t;
		*c->of = *c->wait;
	}

	change.kind = CHANGE_MBARRIER;
	change.launch = c->t->r->core_launch->launch->ordinal;
	change.group = is_known ? change.group : c->t->group;
	change.space = space_SHARED;
	for (uint32_t k = 0; k < d->mend_count; k++)
		if (is_same(&d->mends[k].change, &change))
			return;
	if (d->mend_count == FINDING_MENDS)
		return;
	c->e->of_mend[d->mend_count].t = c->t;
	c->e->of_mend[d->mend_count].wait = c->wait;
	d->mends[d->mend_count++] = (struct finding_mend){.cause = cause_name(cause), .change = change, .doubt = doubt};
}

void rule_add(const struct rule_case *c, enum hang_cause cause, struct change change)
{
	rule_add_doubtful(c, cause, change, NULL);
}

#define MOST_WAITS 4096 /* threads that are looked at */

struct waiting {
	struct thread t;
	struct mbarrier_wait wait;
	struct rule_case c; /* of these */
};

/* The threads that wait for mbarriers, or the first of them; returns how many. */
static uint32_t list_waiting(const struct explanation *e, struct waiting *list)
{
	uint32_t count = 0;

	EACH_WARP(e->launch, at)
		for (lane_mask m = mbarrier_lanes_waiting(at.core, at.r); m && count < MOST_WAITS; m &= m - 1) {
			list[count].t = thread_at(at.core, at.r, (uint32_t)__builtin_ctzll(m));
			count += mbarrier_wait_of(&list[count].t, &list[count].wait);
		}
	return count;
}

/* Of lanes that follow each other in the list. */
static bool waits_for_same(const struct waiting *a, const struct waiting *b)
{
	return a->t.r == b->t.r && a->wait.object == b->wait.object && a->wait.means == b->wait.means &&
	       a->wait.pc == b->wait.pc;
}

/* What rules tell those behind them. */
struct rule_state {
	bool count_is_right, bytes_are_right, bytes_were_right;
	const bool *uses;
};

static void gather(
	struct waiting *w, struct explanation *e, struct thread *at, struct mbarrier_wait *of, struct rule_state *state)
{
	w->c = (struct rule_case){.e = e,
		.t = &w->t,
		.wait = &w->wait,
		.object = w->wait.object,
		.at = at,
		.of = of,
		.count_is_right = &state->count_is_right,
		.bytes_are_right = &state->bytes_are_right,
		.bytes_were_right = &state->bytes_were_right,
		.uses = state->uses};
	w->c.object_count = mbarrier_objects_of(w->t.core, w->t.r->group, &w->c.objects);
}

static void apply(void (*const *rules)(const struct rule_case *c), size_t rule_count, struct explanation *e,
	struct thread *at, struct mbarrier_wait *wait)
{
	struct waiting *list = arena_new_array(e->arena, struct waiting, MOST_WAITS);
	uint32_t count = list_waiting(e, list);
	struct rule_state state = {.uses = left_find_uses(e->arena, e->kernel)};

	for (uint32_t w = 0; w < count; w++)
		gather(&list[w], e, at, wait, &state);
	for (uint32_t w = 0; w < count; w++)
		list[w].c.is_first = !w || !waits_for_same(&list[w - 1], &list[w]);
	for (size_t k = 0; k < rule_count; k++)
		for (uint32_t w = 0; w < count; w++)
			rules[k](&list[w].c);
}

bool mbarrier_mends(struct explanation *e, struct thread *at, struct mbarrier_wait *wait)
{
	static void (*const rules[])(const struct rule_case *c) = {rule_lapped, rule_before_first,
		rule_initialised_again, rule_wrong_mbarrier, rule_expects_elsewhere, rule_copy_left_out,
		rule_no_arrival, rule_wrong_bytes, rule_second_arrival, rule_ended_early, rule_other_rank,
		rule_rank_left_out, rule_own_rank_alone, rule_rank_without, rule_left_out, rule_other_stage,
		rule_arrives_ahead, rule_out_of_order, rule_lanes_left_out, rule_fewer_lanes, rule_waits_without,
		rule_passed_without, rule_count_too_large, rule_never_arrives, rule_count_too_small,
		rule_parity_at_start, rule_first_turn, rule_same_parity};

	apply(rules, sizeof rules / sizeof *rules, e, at, wait);
	return e->detail->mend_count;
}

void mbarrier_mends_last(struct explanation *e)
{
	static void (*const rules[])(const struct rule_case *c) = {rule_other_array};
	uint32_t before = e->detail->mend_count;
	struct thread at;
	struct mbarrier_wait wait;

	apply(rules, sizeof rules / sizeof *rules, e, &at, &wait);
	for (uint32_t k = before; k < e->detail->mend_count; k++)
		e->detail->mends[k].is_last = true;
}
