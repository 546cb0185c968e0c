/* Which accesses of a search's steps nothing keeps apart.  An observer; gpu->observe has the struct steps. */
#include "machine/observe/steps.h"

#include "machine/core/observer.h"
#include "machine/lsu/mbarrier_ledger.h"
#include "machine/state/launch_state.h"
#include "machine/state/machine.h"
#include "util/tensor_map.h"
#include "warp/mbarrier.h"

#include <assert.h>
#include <string.h>

#define MOST_OPEN 4096u /* accesses of an actor that are kept */

static uint64_t bit(uint32_t actor)
{
	assert(actor < STEP_ACTORS);
	return 1ull << actor;
}

static struct steps *steps_of(const struct core *core)
{
	assert(core->machine->gpu->observe[OBSERVER_steps]);
	return core->machine->gpu->observe[OBSERVER_steps];
}

static bool is_copy(const struct steps *s, uint32_t actor)
{
	assert(s->warps && s->warps <= s->parts);
	return actor % s->parts >= s->warps;
}

void steps_begin(struct steps *s, struct arena *arena)
{
	assert(s->actors <= STEP_ACTORS);
	s->arena = arena;
	s->present = 0;
	for (uint32_t k = 0; k < s->actors; k++)
		s->present |= is_copy(s, k) ? 0 : bit(k);
	s->taken = (struct step_accesses){0};
	memset(s->open, 0, sizeof s->open);
	s->objects = 0;
	s->actor = 0;
	s->copy_pc = NO_PC;
}

void steps_next(struct steps *s, uint32_t actor)
{
	assert(actor < s->actors);
	s->taken.count = 0;
	s->opened = s->signalled = s->loud_here = false;
	s->actor = actor;
}

void steps_loud(struct steps *s, uint32_t actor)
{
	assert(actor < s->actors);
	s->open[actor].count = 0;
}

/* ---- What is open ---- */

/* A loop over all accesses that are open. */
#define EACH_OPEN(a, s)                                                                                                \
	for (uint32_t list_ = 0; list_ <= STEP_ACTORS; list_++)                                                        \
		for (uint32_t at_ = 0; at_ < (s)->open[list_].count; at_++)                                            \
			for (struct step_access *a = &(s)->open[list_].at[at_], *rest_ = a; rest_; rest_ = NULL)

static bool is_known(const struct step_access *a, uint32_t actor)
{
	assert(a->quiet);
	return !(a->open & bit(actor));
}

/* Forgets what is open to nobody. */
static void drop_closed(struct steps *s)
{
	for (uint32_t k = 0; k <= STEP_ACTORS; k++) {
		struct step_accesses *list = &s->open[k];
		uint32_t kept = 0;

		for (uint32_t j = 0; j < list->count; j++)
			if (list->at[j].open)
				list->at[kept++] = list->at[j];
		assert(kept <= list->count);
		list->count = kept;
	}
}

/* The actors are gone. */
static void leave(struct steps *s, uint64_t actors)
{
	assert(!(actors & ~s->present));
	s->present &= ~actors;
	EACH_OPEN(a, s)
	a->open &= ~actors;
	drop_closed(s);
}

/* ---- Conflicts ---- */

static bool overlap(const struct step_access *a, const struct step_access *b)
{
	assert(a->first < a->end && b->first < b->end);
	return a->where == b->where && a->first < b->end && b->first < a->end && (a->quiet || b->quiet);
}

/* Whether both are at an mbarrier, and do what search.h has rules for. */
static bool are_at_object(const struct step_access *a, const struct step_access *b)
{
	assert(overlap(a, b));
	return a->kind > STEP_MEETS && b->kind > STEP_MEETS && a->kind != STEP_RESETS && b->kind != STEP_RESETS;
}

/* Whether two that can be the next ones do not commute. What is quiet at mbarriers and barriers is judged when the
 * other one comes: a step that has it is followed alone. */
static bool is_in_conflict(const struct step_access *a, const struct step_access *b)
{
	return overlap(a, b) && !are_at_object(a, b) && (a->writes || b->writes || a->threads != b->threads);
}

/* Whether `a` might have come before `b`, which its actor does not know of, with another result for either.  `strict`:
 * it matters which arrivals were before it. */
static bool is_in_conflict_behind(const struct step_access *a, const struct step_access *b, bool strict)
{
	if (!overlap(a, b))
		return false;
	assert((a->kind == STEP_MEETS) == (b->kind == STEP_MEETS));
	if (!are_at_object(a, b))
		return is_in_conflict(a, b) || (a->kind == STEP_MEETS && a->phase != b->phase);
	assert(b->phase <= a->phase);
	switch (a->kind) {
	/* one that is loud need not have waited */
	case STEP_TESTS: return b->kind != STEP_TESTS && b->phase + a->quiet < a->phase;
	case STEP_FAILS: return b->kind != STEP_TESTS && b->phase < a->phase;
	default: return b->kind != STEP_TESTS && (b->phase != a->phase || b->has_result || strict);
	}
}

static void note_conflict(struct steps *s, const struct step_access *a)
{
	assert(a->first < a->end);
	assert(!a->quiet || s->quiet[a->pc]);
	if (!a->quiet || s->in_conflict[a->pc])
		return;
	s->in_conflict[a->pc] = true;
	s->conflicts++;
}

bool steps_conflict(
	struct steps *s, const struct step_access *a, uint32_t a_count, const struct step_access *b, uint32_t b_count)
{
	bool any = false;

	for (uint32_t j = 0; j < a_count; j++)
		for (uint32_t k = 0; k < b_count; k++) {
			if (!is_in_conflict(&a[j], &b[k]))
				continue;
			note_conflict(s, &a[j]);
			note_conflict(s, &b[k]);
			any = true;
		}
	assert(!any || s->conflicts);
	return any;
}

/* With what others have done that is not ordered before this. */
static void check_open(struct steps *s, const struct step_access *a, bool strict)
{
	EACH_OPEN(b, s)
	{
		if (is_known(b, s->actor) || !is_in_conflict_behind(a, b, strict))
			continue;
		note_conflict(s, a);
		note_conflict(s, b);
	}
}

/* ---- Accesses ---- */

/* The actors that can come to what is `where`. */
static uint64_t all_that_reach(const struct steps *s, uint32_t where)
{
	uint64_t all = s->actors == 64 ? ~0ull : bit(s->actors) - 1, parts = s->parts == 64 ? ~0ull : bit(s->parts) - 1;

	assert(s->parts && s->parts <= s->actors);
	return where == STEP_GLOBAL ? all : parts << (where - 1) / 2 * s->parts;
}

/* Joins the bytes to what the same instruction has accessed, if others know as much of that. */
static bool extend(struct step_access *b, const struct step_access *a)
{
	assert(a->pc == b->pc && a->where == b->where);
	if (a->kind != STEP_MEMORY || a->first > b->end || b->first > a->end || a->open != b->open || b->pending ||
		b->complete)
		return false;
	b->first = a->first < b->first ? a->first : b->first;
	b->end = a->end > b->end ? a->end : b->end;
	assert(b->first < b->end);
	return true;
}

static void keep_open(struct steps *s, const struct step_access *a)
{
	struct step_accesses *list = &s->open[is_copy(s, s->actor) ? STEP_ACTORS : s->actor];

	assert(a->quiet);
	assert(!a->pending && !a->complete);
	for (uint32_t k = list->count; k--;) {
		struct step_access *b = &list->at[k];

		if (b->pc != a->pc || b->threads != a->threads || b->where != a->where || b->kind != a->kind ||
			b->writes != a->writes || b->has_result != a->has_result)
			continue;
		if (!is_copy(s, s->actor) && extend(b, a)) /* copies end in any order */
			return;
		if (b->first != a->first || b->end != a->end || (b->phase != a->phase && a->kind != STEP_TESTS))
			continue;
		*b = *a; /* an actor that knows of this access knows of that one, too */
		return;
	}
	if (list->count < MOST_OPEN)
		*vector_push(s->arena, list) = *a;
	else
		s->too_many = true;
}

/* Bytes of an mbarrier are written past it: what is known of its phases does not hold. */
static bool breaks_object(const struct steps *s, const struct step_access *a)
{
	assert(s->objects <= STEP_OBJECTS);
	for (uint32_t k = 0; k < s->objects && a->kind == STEP_MEMORY && a->writes; k++)
		if (s->object[k].where == a->where && s->object[k].offset < a->end &&
			a->first < s->object[k].offset + sizeof(uint64_t))
			return true;
	return false;
}

static void add(struct steps *s, struct step_access *a, bool strict)
{
	s->too_many |= breaks_object(s, a);
	if (a->kind == STEP_MEMORY && s->data_only[a->pc])
		return;
	a->open = all_that_reach(s, a->where) & ~bit(s->actor) & s->present;
	assert(a->first < a->end);
	check_open(s, a, strict);
	if (s->taken.count < MOST_OPEN)
		*vector_push(s->arena, &s->taken) = *a;
	else
		s->too_many = true;
	if (a->quiet && a->open)
		keep_open(s, a);
}

/* ---- Paths ---- */

/* The paths of a warp beside the one that runs. */
struct others {
	const struct warp *warp;
	bool any;
};

static bool only_exits(const struct insn *i)
{
	assert(i->kind < INSN_KINDS);
	return i->kind == INSN_EXIT && !(i->flags & INSN_GUARDED);
}

/* Whether the path may go on whatever the one that runs does meanwhile: it can run, or has its lock soon, or waits at a
 * barrier to which other warps' threads alone may come; but not if all that it does then is to exit.  Else it is the
 * warp alone that lets it go on. */
static void visit_other(void *context, uint32_t pc, lane_mask lanes, const char *waiting)
{
	struct others *others = context;
	const struct insn *code = others->warp->kernel->code;

	assert(pc < others->warp->kernel->code_count);
	assert(lanes);
	if (!waiting || !(lanes & ~others->warp->path->active) || only_exits(&code[pc]))
		return;
	if (!strcmp(waiting, WAITS_FOR_BARRIER))
		others->any |= !pc || code[pc - 1].kind != INSN_BARRIER || code[pc - 1].s[1] != SLOT_NONE;
	else
		others->any |= !strcmp(waiting, WAITS_FOR_TURN) || !strcmp(waiting, WAITS_FOR_LOCK);
}

/* Whether which of its paths runs is not for the warp alone to say. */
static bool has_other_paths(const struct core *core, const struct warp_slot *r)
{
	const struct divergence_model *divergence = core->machine->divergence;
	struct others others = {.warp = &r->warp};

	assert(!divergence->others == !divergence->choose);
	if (!divergence->others || r->finished || r->warp.path->active == r->warp.live)
		return false;
	if (!divergence->each_path)
		return true;
	divergence->each_path(r->warp.divergence, visit_other, &others);
	return others.any;
}

/* Whether what the warp, or its copy, does by this instruction is quiet: nothing is that one of several paths does. */
static bool is_quiet(const struct core *core, struct steps *s, const struct warp_slot *r, uint32_t pc)
{
	assert(pc < r->warp.kernel->code_count);
	if (!is_copy(s, s->actor) && has_other_paths(core, r))
		s->loud_here = true;
	return s->quiet[pc] && !s->loud_here;
}

/* ---- Memory ---- */

/* Neighbouring lanes mostly access neighbouring bytes, or the same. */
static void accesses(struct core *core, void *state, const struct warp_slot *r, const struct insn *i, lane_mask lanes,
	uint8_t space, const uint64_t *address)
{
	struct steps *s = steps_of(core);
	struct step_access a = {.pc = launch_pc(r->core_launch->launch, i),
		.where = space == space_GLOBAL ? STEP_GLOBAL : STEP_SHARED(r->group->number),
		.writes = i->kind != INSN_LOAD};
	uint64_t bytes = (uint64_t)i->access.bytes * i->access.elements;

	assert(!(lanes & ~r->warp.full));
	(void)state;
	a.quiet = is_quiet(core, s, r, a.pc);
	if (i->kind == INSN_MBARRIER)
		return;
	if (space != space_GLOBAL && space != space_SHARED) {
		s->too_many |= space != space_LOCAL && a.quiet;
		return;
	}
	EACH_LANE(l, bytes ? lanes : 0) {
		if (a.end && address[l] >= a.first && address[l] <= a.end) {
			a.end = address[l] + bytes > a.end ? address[l] + bytes : a.end;
			continue;
		}
		if (a.end)
			add(s, &a, false);
		a.first = address[l];
		a.end = a.first + bytes;
	}
	if (a.end)
		add(s, &a, false);
}

static void moves(struct core *core, void *state, const struct warp_slot *r, const struct insn *i, uint32_t lane,
	uint8_t space, uint64_t address, uint64_t bytes, bool writes)
{
	struct step_access a = {.pc = launch_pc(r->core_launch->launch, i),
		.where = space == space_GLOBAL ? STEP_GLOBAL : STEP_SHARED(r->group->number),
		.first = address,
		.end = address + bytes,
		.writes = writes};

	assert(r->warp.full >> lane & 1);
	(void)state;
	(void)lane;
	a.quiet = is_quiet(core, steps_of(core), r, a.pc);
	if (bytes && (space == space_GLOBAL || space == space_SHARED))
		add(steps_of(core), &a, false);
}

static void map_reads(struct core *core, void *state, const struct warp_slot *r, const struct insn *i, uint32_t lane,
	uint64_t address)
{
	assert(address >= GLOBAL_BASE);
	moves(core, state, r, i, lane, space_GLOBAL, address, TENSOR_MAP_BYTES, false);
}

/* ---- Copies ---- */

/* It knows what the warp knows that has begun it. */
static void copy_begins(struct steps *s, uint32_t actor)
{
	assert(is_copy(s, actor) && !is_copy(s, s->actor));
	assert(!(s->present & bit(actor)));
	s->present |= bit(actor);
	EACH_OPEN(a, s)
	a->open = is_known(a, s->actor) ? a->open & ~bit(actor) : a->open | bit(actor);
}

/* Where more have begun than can take steps, the search gives up. */
static void copies(struct core *core, void *state, const struct warp_slot *r, const struct insn *i, uint32_t lane,
	const struct observed_copy *copy)
{
	struct steps *s = steps_of(core);
	uint32_t next = s->actor / s->parts * s->parts + s->warps, end = next + s->parts - s->warps;

	assert(next <= end);
	(void)state;
	(void)r;
	(void)lane;
	(void)copy;
	while (next < end && s->present & bit(next))
		next++;
	if (i->kind == INSN_COPY && i->op != OP_cp_async_arrive && !s->signalled && next < end)
		copy_begins(s, next);
	s->signalled = true;
}

static void add_copy(
	struct steps *s, const struct operation *op, uint8_t space, uint64_t first, uint64_t bytes, bool writes)
{
	struct step_access a = {.pc = s->copy_pc,
		.where = space == space_GLOBAL ? STEP_GLOBAL : STEP_SHARED(op->group->number),
		.first = first,
		.end = first + bytes,
		.writes = writes,
		.quiet = s->quiet[s->copy_pc]};

	assert(is_copy(s, s->actor));
	if (bytes)
		add(s, &a, false);
}

static void copy_ends(struct core *core, void *state, const struct operation *op, const struct observed_copy *copy)
{
	struct steps *s = steps_of(core);

	assert(!copy->written || copy->written >= copy->read);
	assert(copy->from_space != copy->to_space || copy->from_space == space_SHARED);
	(void)state;
	s->signalled = true;
	s->copy_pc = launch_pc(op->slot->core_launch->launch, op->insn);
	add_copy(s, op, copy->from_space, copy->from, copy->read, false);
	add_copy(s, op, copy->to_space, copy->to, copy->written, true);
}

/* Copies are numbered anew when one has ended: of `set`, the bits behind the actor's, up to that of the group's last,
 * move into its place. */
static uint64_t without(const struct steps *s, uint64_t set, uint32_t actor)
{
	uint32_t last = actor / s->parts * s->parts + s->parts - 1;
	uint64_t below = bit(actor) - 1, within = (bit(last) - 1) | bit(last);

	assert(is_copy(s, actor));
	return (set & below) | ((set & within & ~below) >> 1 & ~below & within) | (set & ~within);
}

void steps_copies(struct steps *s, uint32_t count)
{
	uint32_t first = s->actor / s->parts * s->parts + s->warps, most = s->parts - s->warps;
	uint64_t copies = most ? (bit(most - 1) - 1 + bit(most - 1)) << first : 0;
	uint32_t before = (uint32_t)__builtin_popcountll(s->present & copies);

	assert(before <= most);
	if (count >= before)
		return;
	if (!is_copy(s, s->actor)) { /* the group has ended */
		leave(s, s->present & copies);
		return;
	}
	assert(count + 1 == before);
	s->present = without(s, s->present, s->actor);
	EACH_OPEN(a, s)
	a->open = without(s, a->open, s->actor);
	drop_closed(s);
}

/* ---- mbarriers ---- */

/* The number of the object. */
static uint32_t object_of(struct steps *s, uint32_t where, uint64_t offset)
{
	uint32_t k = 0;

	assert(s->objects <= STEP_OBJECTS);
	while (k < s->objects && (s->object[k].where != where || s->object[k].offset != offset))
		k++;
	if (k == s->objects && k < STEP_OBJECTS)
		s->object[s->objects++] = (struct step_object){.where = where, .offset = offset};
	return k;
}

/* A warp that waits for the current phase will know what the actor knows. */
static void tell_object(struct steps *s, uint32_t object)
{
	assert(object < s->objects);
	EACH_OPEN(a, s)
	if (is_known(a, s->actor))
		a->pending |= bit(object);
}

static void learn_from_object(struct steps *s, uint32_t object)
{
	assert(object < s->objects);
	EACH_OPEN(a, s)
	if (a->complete & bit(object))
		a->open &= ~bit(s->actor);
	drop_closed(s);
}

/* Of an object that begins or ends: a warp that waits there learns nothing of what was before. */
static void forget_phases(struct steps *s, uint32_t object, const struct mbarrier_record *what)
{
	assert(object < s->objects);
	if (what->act != MBARRIER_INITIALISED && what->act != MBARRIER_INVALIDATED)
		return;
	EACH_OPEN(a, s)
	{
		a->pending &= ~bit(object);
		a->complete &= ~bit(object);
	}
}

static uint8_t kind_of(const struct operation *op, const struct mbarrier_record *what)
{
	if (what->act == MBARRIER_BYTES)
		return STEP_COMPLETES;
	assert(op->insn->kind == INSN_MBARRIER || op->insn->kind == INSN_COPY || op->insn->kind == INSN_ASYNC);
	return what->act == MBARRIER_ARRIVED && op->insn->op != OP_mbarrier_drop &&
			       op->insn->op != OP_mbarrier_drop_expect_tx
		       ? STEP_ARRIVES
		       : STEP_RESETS;
}

static struct step_access access_to(
	const struct core *core, const struct operation *op, uint32_t object, uint64_t offset, uint8_t kind)
{
	struct steps *s = steps_of(core);
	uint32_t pc = launch_pc(op->slot->core_launch->launch, op->insn);

	assert(op->group);
	return (struct step_access){.pc = pc,
		.where = STEP_SHARED(op->group->number),
		.first = offset,
		.end = offset + sizeof(uint64_t),
		.phase = object < STEP_OBJECTS ? s->object[object].phase : 0,
		.kind = kind,
		.writes = kind != STEP_TESTS && kind != STEP_FAILS,
		.has_result = op->insn->d != SLOT_NONE && !(op->insn->flags & INSN_NO_RESULT),
		.quiet = is_quiet(core, s, op->slot, pc)};
}

/* Beyond what can be told apart all is loud; and so is what may come to more bytes in another order than an object
 * can count. */
static void mbarrier(struct core *core, void *state, const struct operation *op, uint32_t lane, uint64_t offset,
	const struct mbarrier_record *what, const struct mbarrier *now)
{
	struct steps *s = steps_of(core);
	uint32_t object = object_of(s, STEP_SHARED(op->group->number), offset);
	struct step_access a = access_to(core, op, object, offset, kind_of(op, what));

	assert(op->lanes >> lane & 1);
	(void)state;
	(void)lane;
	if (what->act == MBARRIER_COPIES)
		return;
	s->signalled = true;
	if (object == STEP_OBJECTS) {
		note_conflict(s, &a);
		return;
	}
	if (a.kind == STEP_RESETS)
		forget_phases(s, object, what);
	s->object[object].bytes += what->bytes;
	if (s->object[object].bytes > MBARRIER_COUNT_MAX)
		note_conflict(s, &a);
	add(s, &a, a.has_result || (!now->pending && now->transactions < 0));
	tell_object(s, object);
}

/* A warp that has found the phase before complete might not have done so. */
static void phase_ends(struct core *core, void *state, const struct operation *op, uint64_t offset)
{
	struct steps *s = steps_of(core);
	uint32_t object = object_of(s, STEP_SHARED(op->group->number), offset);
	struct step_access a = access_to(core, op, object, offset, STEP_ARRIVES);

	assert(insn_kinds[op->insn->kind].flags & KIND_ORDERED);
	(void)state;
	if (object == STEP_OBJECTS)
		return;
	EACH_OPEN(b, s)
	{
		if (b->kind == STEP_TESTS && !is_known(b, s->actor) && overlap(&a, b)) {
			note_conflict(s, &a);
			note_conflict(s, b);
		}
		if (b->pending & bit(object))
			b->complete |= bit(object);
		b->pending &= ~bit(object);
	}
	s->object[object].phase++;
	s->object[object].bytes = 0;
}

/* A path of a warp, beside one that polls. */
struct beside {
	const struct warp *warp;
	lane_mask polls;
	bool works; /* some path has more to do than to exit */
};

static void visit_path(void *context, uint32_t pc, lane_mask lanes, const char *waiting)
{
	struct beside *b = context;
	const struct insn *i = &b->warp->kernel->code[pc];

	assert(pc < b->warp->kernel->code_count);
	(void)waiting;
	if (lanes & ~b->polls)
		b->works |= !only_exits(i);
}

/* Whether the loop around the look does nothing but wait (await.h): all lanes of the path ask the same, and what other
 * paths of the warp do when they get their turn meanwhile is to exit.  The warp alone decides that. */
static bool only_waits(const struct core *core, const struct operation *op, lane_mask odd)
{
	const struct divergence_model *divergence = core->machine->divergence;
	struct beside beside = {.warp = &op->slot->warp, .polls = op->lanes};
	uint64_t offset = op->address[__builtin_ctzll(op->lanes)];

	assert(!(odd & ~op->lanes));
	EACH_LANE(l, op->lanes)
		if (op->address[l] != offset)
			return false;
	if ((odd && odd != op->lanes) || op->lanes != beside.warp->path->active)
		return false;
	if (!divergence->yield || op->lanes == beside.warp->live)
		return true;
	if (!divergence->each_path)
		return false;
	divergence->each_path(beside.warp->divergence, visit_path, &beside);
	return !beside.works;
}

static void looks(
	struct core *core, void *state, const struct operation *op, lane_mask odd, lane_mask complete, bool goes_on)
{
	struct steps *s = steps_of(core);
	uint64_t before = UINT64_MAX;

	(void)state;
	(void)goes_on;
	assert(op->lanes);
	s->signalled = true;
	s->loud_here = !only_waits(core, op, odd);
	EACH_LANE(l, op->lanes) {
		uint64_t offset = op->address[l];
		uint32_t object = object_of(s, STEP_SHARED(op->group->number), offset);
		bool is_complete = complete >> l & 1;
		struct step_access a = access_to(core, op, object, offset, is_complete ? STEP_TESTS : STEP_FAILS);

		if (object == STEP_OBJECTS)
			note_conflict(s, &a);
		if (object == STEP_OBJECTS || (offset == before && !s->loud_here))
			continue;
		a.quiet &= !s->loud_here;
		before = offset;
		check_open(s, &a, false);
		if (!is_complete)
			continue;
		if (!has_other_paths(core, op->slot)) /* they have learnt nothing */
			learn_from_object(s, object);
		add(s, &a, false);
	}
}

/* ---- Barriers ---- */

static uint32_t actor_of(const struct core *core, const struct warp_slot *r)
{
	const struct steps *s = steps_of(core);

	assert(r->warp.first_thread % core->machine->model->warp_size == 0);
	return r->group->number * s->parts + r->warp.first_thread / core->machine->model->warp_size;
}

/* For how many threads the barrier waits, as the instruction says; 0: for all of the group. */
static uint32_t barrier_threads(const struct warp_slot *r, uint32_t pc, lane_mask lanes)
{
	const struct insn *i = &r->warp.kernel->code[pc];

	assert(lanes);
	if (i->kind != INSN_BARRIER || i->s[1] == SLOT_NONE)
		return 0;
	return ((const uint32_t *)slot_at(&r->warp, i->s[1]))[__builtin_ctzll(lanes)];
}

/* Who only arrives may let others go on in another order, if not in this. */
static void arrives(
	struct core *core, void *state, const struct warp_slot *r, uint32_t number, lane_mask lanes, bool waits)
{
	struct steps *s = steps_of(core);
	uint32_t pc = r->warp.path->pc, object = object_of(s, STEP_BARRIER(r->group->number), number);
	struct step_access a = {.pc = pc,
		.threads = barrier_threads(r, pc, lanes),
		.where = STEP_BARRIER(r->group->number),
		.phase = object < STEP_OBJECTS ? s->object[object].phase : 0,
		.kind = STEP_MEETS,
		.first = number,
		.end = number + 1,
		.quiet = is_quiet(core, s, r, pc)};

	assert(lanes & r->warp.full);
	assert(actor_of(core, r) == s->actor);
	(void)state;
	s->signalled |= !waits;
	if (object == STEP_OBJECTS) {
		note_conflict(s, &a);
		return;
	}
	add(s, &a, false);
	tell_object(s, object);
}

/* What those know that have come there, and those that wait, is known to all that wait; and, where all threads of the
 * group are waited for, what those have done that have ended. */
static void opens(struct core *core, void *state, const struct group *group, uint32_t number)
{
	struct steps *s = steps_of(core);
	const struct barrier *b = &group->barriers[number];
	uint32_t object = object_of(s, STEP_BARRIER(group->number), number);
	uint64_t waiting = 0;

	assert(number < GROUP_BARRIERS);
	(void)state;
	s->opened = true;
	for (uint64_t m = b->waiting; m; m &= m - 1)
		if (!has_other_paths(core, &core->slots[__builtin_ctzll(m)]))
			waiting |= bit(actor_of(core, &core->slots[__builtin_ctzll(m)]));
	EACH_OPEN(a, s)
	{
		if ((object < STEP_OBJECTS && a->pending & bit(object)) || (a->open & waiting) != waiting)
			a->open &= ~waiting;
		a->pending &= object < STEP_OBJECTS ? ~bit(object) : ~0ull;
	}
	for (uint64_t m = b->expected ? 0 : group->slots; m; m &= m - 1) {
		struct step_accesses *list = &s->open[actor_of(core, &core->slots[__builtin_ctzll(m)])];

		for (uint32_t k = 0; core->slots[__builtin_ctzll(m)].finished && k < list->count; k++)
			list->at[k].open &= ~waiting;
	}
	drop_closed(s);
	if (object < STEP_OBJECTS)
		s->object[object].phase++;
}

/* It comes to nothing any more. */
static void warp_ends(struct core *core, void *state, struct warp_slot *r)
{
	assert(actor_of(core, r) < steps_of(core)->actors);
	(void)state;
	leave(steps_of(core), bit(actor_of(core, r)));
}

const struct observer observer_steps = {
	.on = {.access = accesses,
		.moves = moves,
		.map_reads = map_reads,
		.copies = copies,
		.copy_ends = copy_ends,
		.mbarrier = mbarrier,
		.phase_ends = phase_ends,
		.looks = looks,
		.arrives = arrives,
		.opens = opens,
		.warp_ends = warp_ends},
};
