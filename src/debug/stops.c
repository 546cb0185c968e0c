/* Breakpoints, watches, and the goals of steps: whether a run stops at what is about to be carried out. */
#include "debug/engine.h"
#include "kernel/bits.h"
#include "machine/core/observer.h"
#include "machine/state/launch_state.h"
#include "util/pages.h"

#include <assert.h>
#include <string.h>

struct stop *stops_add(struct debugger *d, struct stop stop)
{
	struct stop *made = arena_new(&d->arena, struct stop);

	*made = stop;
	made->number = ++d->stops_made;
	if (made->kind == STOP_WATCH)
		made->was_known = value_read(d, &made->place, &made->last);
	*vector_push(&d->arena, &d->stops) = made;
	return made;
}

static void forget_shown(struct stop *s)
{
	arena_free(&s->shown.arena);
	arena_free(&s->shown_before.arena);
}

void stops_forget(struct debugger *d)
{
	for (uint32_t k = 0; k < d->stops.count; k++)
		forget_shown(d->stops.at[k]);
	d->stops.count = 0;
}

bool stops_remove(struct debugger *d, uint32_t number)
{
	for (uint32_t k = 0; k < d->stops.count; k++)
		if (d->stops.at[k]->number == number) {
			forget_shown(d->stops.at[k]);
			for (; k + 1 < d->stops.count; k++)
				d->stops.at[k] = d->stops.at[k + 1];
			d->stops.count--;
			return true;
		}
	return false;
}

void stops_look_anew(struct debugger *d)
{
	d->focus_ended = false;
	for (uint32_t k = 0; k < d->stops.count; k++) {
		struct stop *s = d->stops.at[k];

		s->has_ended = false;
		if (s->kind == STOP_WATCH)
			s->was_known = value_read(d, &s->place, &s->last);
		if (s->kind == STOP_VALUE)
			s->was_known = false;
	}
}

void stops_note_phase(struct debugger *d, uint32_t group, uint64_t object)
{
	for (uint32_t k = 0; k < d->stops.count; k++) {
		struct stop *s = d->stops.at[k];

		if (s->kind == STOP_PHASE && s->object == object && (s->group == UINT32_MAX || s->group == group))
			s->has_ended = true;
	}
}

/* The watched value has changed since the last look. */
static bool has_changed(const struct debugger *d, struct stop *s)
{
	uint64_t value;
	bool known = value_read(d, &s->place, &value), changed = known && s->was_known && value != s->last;

	s->was_known = known;
	s->before = changed ? s->last : s->before;
	s->last = value;
	return changed;
}

/* A warp's values change by its own instructions, so they are looked at when it issues the next one; the lane must be
 * of the path that runs, and the value one that the place knows. */
static bool value_has_changed(struct debugger *d, struct stop *s)
{
	struct arena before = d->scratch;
	struct shown_value value;
	const char *why;
	bool changed = false, apart;

	if (!has_name(d->here.r, &s->place.warp) || !(d->here.r->warp.path->active >> s->lane & 1))
		return false;
	if (d->plan.kind == PLAN_SEARCH && !d->plan.first)
		d->plan.first = d->at;
	apart = pages_apart(true);
	d->scratch = (struct arena){0};
	if (value_of_words(d, d->here.r, s->lane, s->path, &value, &why)) {
		changed = s->was_known && strcmp(value.text, s->shown.text) != 0;
		if (!s->was_known || changed) {
			arena_free(&s->shown_before.arena);
			s->shown_before = s->shown;
			s->shown = (struct shown){0};
			s->shown.text = arena_text(&s->shown.arena, value.text);
		}
		s->was_known = true;
	}
	arena_free(&d->scratch);
	d->scratch = before;
	pages_apart(apart);
	return changed;
}

static bool is_hit(struct debugger *d, struct stop *s, uint32_t pc)
{
	bool phase = s->has_ended;

	switch (s->kind) {
	case STOP_BREAKPOINT: return s->kernel == d->here.r->warp.kernel && d->here.lanes && bits_has(s->pcs, pc);
	case STOP_PHASE: s->has_ended = false; return phase;
	case STOP_WATCH: return has_changed(d, s);
	case STOP_VALUE: return value_has_changed(d, s);
	}
	return false;
}

static bool is_reached(const struct debugger *d, const struct goal *goal)
{
	const struct path *path = d->here.r->warp.path;

	switch (goal->kind) {
	case GOAL_NONE: return false;
	case GOAL_ANY: return true;
	case GOAL_CYCLE: return observer_clock(d->here.core) >= goal->cycle;
	case GOAL_INSTRUCTION: return has_name(d->here.r, &goal->warp);
	case GOAL_LINE:
		return has_name(d->here.r, &goal->warp) &&
		       (path->depth != goal->depth || !kernel_same_place(goal->kernel, goal->pc, path->pc));
	case GOAL_NEXT:
		return has_name(d->here.r, &goal->warp) && path->depth <= goal->depth &&
		       (path->depth < goal->depth || !kernel_same_place(goal->kernel, goal->pc, path->pc));
	case GOAL_RETURN: return has_name(d->here.r, &goal->warp) && path->depth < goal->depth;
	}
	return false;
}

/* Backwards, a step ends where its warp came to a line, at the first instruction of it. */
static bool begins_line(struct plan *plan, const struct debugger *d)
{
	const struct path *path = d->here.r->warp.path;
	const struct goal *goal = &plan->goal;
	bool known = plan->first, begins;

	if (!has_name(d->here.r, &goal->warp) || (goal->kind == GOAL_NEXT && path->depth > goal->depth))
		return false;
	begins = known && (path->depth != plan->last_depth ||
				  !kernel_same_place(d->here.r->warp.kernel, plan->last_pc, path->pc));
	if (!known)
		plan->first = d->at;
	plan->last_pc = path->pc;
	plan->last_depth = path->depth;
	return begins;
}

bool stops_reached(struct debugger *d)
{
	struct goal *goal = &d->plan.goal;
	bool reached = false;

	assert(d->here.r);
	for (uint32_t k = 0; k < d->stops.count; k++)
		if (is_hit(d, d->stops.at[k], d->here.r->warp.path->pc) && !goal->without_stops) {
			d->reached = d->stops.at[k];
			reached = true;
		}
	if (reached)
		return true;
	d->reached = NULL;
	if (d->focus_ended && goal->warp.known && goal->kind != GOAL_NONE && d->plan.kind == PLAN_FORWARD)
		return true;
	if (d->plan.kind == PLAN_SEARCH && (goal->kind == GOAL_LINE || goal->kind == GOAL_NEXT))
		return begins_line(&d->plan, d);
	if (!is_reached(d, goal))
		return false;
	if (d->plan.kind == PLAN_FORWARD && goal->times > 1) {
		goal->times--;
		return false;
	}
	return true;
}
