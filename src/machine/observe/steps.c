/* Which accesses of a search's steps nothing keeps apart.  An observer; gpu->observe has the struct steps. */
#include "machine/observe/steps.h"

#include "machine/core/observer.h"
#include "machine/state/launch_state.h"
#include "machine/state/machine.h"

#include <assert.h>

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

void steps_begin(struct steps *s, struct arena *arena)
{
	assert(s->actors <= STEP_ACTORS);
	s->arena = arena;
	s->ended = 0;
	s->taken = (struct step_accesses){0};
	memset(s->open, 0, sizeof s->open);
}

void steps_next(struct steps *s, uint32_t actor)
{
	assert(actor < s->actors);
	s->taken.count = 0;
	s->opened = false;
	s->actor = actor;
}

void steps_loud(struct steps *s, uint32_t actor)
{
	assert(actor < s->actors);
	s->open[actor].count = 0;
}

/* ---- Conflicts ---- */

static bool is_in_conflict(const struct step_access *a, const struct step_access *b)
{
	bool matters = a->writes || b->writes || a->threads != b->threads;

	assert(a->first < a->end && b->first < b->end);
	return a->where == b->where && a->first < b->end && b->first < a->end && matters && (a->quiet || b->quiet);
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
static void check_open(struct steps *s, const struct step_access *a)
{
	for (uint32_t k = 0; k < s->actors; k++)
		for (uint32_t j = 0; k != s->actor && j < s->open[k].count; j++) {
			const struct step_access *b = &s->open[k].at[j];

			assert(b->quiet);
			if (b->open & bit(s->actor) && is_in_conflict(a, b)) {
				note_conflict(s, a);
				note_conflict(s, b);
			}
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

static void keep_open(struct steps *s, const struct step_access *a)
{
	struct step_accesses *list = &s->open[s->actor];

	assert(a->quiet);
	for (uint32_t k = 0; k < list->count; k++) {
		struct step_access *b = &list->at[k];

		if (b->pc != a->pc || b->threads != a->threads || b->where != a->where || b->first != a->first ||
			b->end != a->end || b->writes != a->writes)
			continue;
		b->open |= a->open;
		return;
	}
	if (list->count < MOST_OPEN)
		*vector_push(s->arena, list) = *a;
	else
		s->too_many = true;
}

static void add(struct steps *s, struct step_access *a)
{
	a->open = all_that_reach(s, a->where) & ~bit(s->actor) & ~s->ended;
	assert(a->first < a->end);
	check_open(s, a);
	if (s->taken.count < MOST_OPEN)
		*vector_push(s->arena, &s->taken) = *a;
	else
		s->too_many = true;
	if (a->quiet && a->open)
		keep_open(s, a);
}

/* Neighbouring lanes mostly access neighbouring bytes. */
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
	a.quiet = s->quiet[a.pc];
	if (space != space_GLOBAL && space != space_SHARED) {
		s->too_many |= space != space_LOCAL && a.quiet;
		return;
	}
	EACH_LANE(l, bytes ? lanes : 0) {
		if (a.end == address[l] && a.end) {
			a.end += bytes;
			continue;
		}
		if (a.end)
			add(s, &a);
		a.first = address[l];
		a.end = a.first + bytes;
	}
	if (a.end)
		add(s, &a);
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
	a.quiet = steps_of(core)->quiet[a.pc];
	if (bytes && (space == space_GLOBAL || space == space_SHARED))
		add(steps_of(core), &a);
}

static void add_copy(
	struct steps *s, const struct operation *op, uint8_t space, uint64_t first, uint64_t bytes, bool writes)
{
	struct step_access a = {.pc = launch_pc(op->slot->core_launch->launch, op->insn),
		.where = space == space_GLOBAL ? STEP_GLOBAL : STEP_SHARED(op->group->number),
		.first = first,
		.end = first + bytes,
		.writes = writes};

	assert(!s->quiet[a.pc]);
	if (bytes)
		add(s, &a);
}

static void copy_ends(struct core *core, void *state, const struct operation *op, const struct observed_copy *copy)
{
	assert(!copy->written || copy->written >= copy->read);
	assert(copy->from_space != copy->to_space || copy->from_space == space_SHARED);
	(void)state;
	add_copy(steps_of(core), op, copy->from_space, copy->from, copy->read, false);
	add_copy(steps_of(core), op, copy->to_space, copy->to, copy->written, true);
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

static void arrives(
	struct core *core, void *state, const struct warp_slot *r, uint32_t number, lane_mask lanes, bool waits)
{
	struct steps *s = steps_of(core);
	uint32_t pc = r->warp.path->pc;
	struct step_access a = {.pc = pc,
		.threads = barrier_threads(r, pc, lanes),
		.where = STEP_BARRIER(r->group->number),
		.first = number,
		.end = number + 1};

	assert(lanes & r->warp.full);
	assert(actor_of(core, r) == s->actor);
	(void)state;
	(void)waits;
	a.quiet = s->quiet[pc];
	add(s, &a);
}

/* What `list` has last of that barrier has opened it.  Null: it has nothing. */
static const struct step_access *note_opened(struct step_accesses *list, uint32_t where, uint32_t number)
{
	for (uint32_t k = list->count; k--;) {
		struct step_access *a = &list->at[k];

		if (a->where != where || a->first != number)
			continue;
		assert(a->end == number + 1);
		a->writes = true;
		return a;
	}
	return NULL;
}

static void close_towards(struct step_accesses *list, uint64_t actors)
{
	uint32_t kept = 0;

	for (uint32_t k = 0; k < list->count; k++) {
		list->at[k].open &= ~actors;
		if (list->at[k].open)
			list->at[kept++] = list->at[k];
	}
	assert(kept <= list->count);
	list->count = kept;
}

/* What those that wait there have done before is over for all of them; and, where all threads of the group are waited
 * for, what those have done that have ended. */
static void opens(struct core *core, void *state, const struct group *group, uint32_t number)
{
	struct steps *s = steps_of(core);
	const struct barrier *b = &group->barriers[number];
	const struct step_access *by;
	uint64_t waiting = 0, over = 0;

	assert(number < GROUP_BARRIERS);
	(void)state;
	s->opened = true;
	for (uint64_t m = b->waiting; m; m &= m - 1)
		waiting |= bit(actor_of(core, &core->slots[__builtin_ctzll(m)]));
	for (uint64_t m = b->expected ? 0 : group->slots; m; m &= m - 1)
		if (core->slots[__builtin_ctzll(m)].finished)
			over |= bit(actor_of(core, &core->slots[__builtin_ctzll(m)]));
	note_opened(&s->open[s->actor], STEP_BARRIER(group->number), number);
	for (uint32_t k = 0; k < s->actors; k++)
		if ((waiting | over) >> k & 1)
			close_towards(&s->open[k], waiting);
	by = note_opened(&s->taken, STEP_BARRIER(group->number), number);
	if (by)
		check_open(s, by);
}

/* It comes to nothing any more. */
static void warp_ends(struct core *core, void *state, struct warp_slot *r)
{
	struct steps *s = steps_of(core);

	assert(actor_of(core, r) < s->actors);
	(void)state;
	s->ended |= bit(actor_of(core, r));
	for (uint32_t k = 0; k < s->actors; k++)
		close_towards(&s->open[k], s->ended);
}

const struct observer observer_steps = {
	.on = {.access = accesses,
		.moves = moves,
		.copy_ends = copy_ends,
		.arrives = arrives,
		.opens = opens,
		.warp_ends = warp_ends},
};
