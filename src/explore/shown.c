/* The checks of a launch that is run again: see shown.h. */
#include "explore/shown.h"

#include "init/init.h"
#include "machine/observe/races.h"

#include <assert.h>
#include <string.h>

/* ---- The checks ---- */

void shown_begin(struct shown *shown, struct gpu *gpu, bool laps)
{
	assert(!shown->arena.head);
	assert(!gpu->machine);
	for (enum found_kind kind = 0; kind < FOUND_KINDS; kind++)
		shown->found[kind].arena = &shown->arena;
	gpu->found = shown->found;
	gpu->observe[OBSERVER_races] =
		races_create(&shown->found[FOUND_RACE], &(struct races_asked){0}, GLOBAL_BASE, gpu->space.size);
	gpu->observe[OBSERVER_init] = inits_create(&shown->found[FOUND_INIT], GLOBAL_BASE, gpu->space.size);
	if (laps)
		gpu->observe[OBSERVER_phases] = shown;
}

void shown_end(struct shown *shown)
{
	arena_free(&shown->arena);
}

/* ---- What is new ---- */

static bool is_same_line(const struct found_side *a, const struct found_side *b)
{
	return a->kernel == b->kernel && kernel_same_line(a->kernel, a->pc, b->pc);
}

/* About the same lines, whatever is said of them. */
static bool is_about_same(const struct found *a, const struct found *b)
{
	const struct found_side *x = a->side, *y = b->side;
	uint32_t last = a->places - 1u;

	assert(a->places && b->places);
	return a->places == b->places && ((is_same_line(&x[0], &y[0]) && is_same_line(&x[last], &y[last])) ||
						 (is_same_line(&x[0], &y[last]) && is_same_line(&x[last], &y[0])));
}

static bool is_in(const struct found_list *list, const struct found *found)
{
	for (uint32_t k = 0; k < list->of.count; k++)
		if (is_about_same(&list->of.at[k], found))
			return true;
	return false;
}

const struct found *shown_new(const struct shown *shown, const struct shown *before)
{
	for (enum found_kind kind = 0; kind < FOUND_KINDS; kind++)
		for (uint32_t k = 0; k < shown->found[kind].of.count; k++) {
			const struct found *f = &shown->found[kind].of.at[k];

			if (f->space == space_SHARED && !f->is_part && !is_in(&before->found[kind], f))
				return f;
		}
	return NULL;
}

/* ---- Words ---- */

static const char *side_words(struct arena *arena, const struct found_side *side)
{
	static const char *const names[] = {
		[INSN_LOAD] = "load", [INSN_STORE] = "store", [INSN_ATOMIC] = "atomic", [INSN_COPY] = "copy"};
	const struct insn *i = &side->kernel->code[side->pc];
	const char *name = i->kind < sizeof names / sizeof *names ? names[i->kind] : NULL;

	return arena_printf(arena, "the %s at %s", name ? name : ptx_ops[i->op].spelling,
		kernel_place_text(arena, side->kernel, side->pc));
}

/* Of two sides with the same words. */
static const char *other_one(const struct found_side *a, const struct found_side *b)
{
	assert(a->kernel && b->kernel);
	return a->group == b->group && a->thread == b->thread ? "another one of the same thread"
							      : "that of another thread";
}

const char *shown_words(struct arena *arena, const struct found *found)
{
	const char *one = side_words(arena, &found->side[0]), *other;

	switch (found_causes[found->cause].kind) {
	case FOUND_RACE:
		other = side_words(arena, &found->side[1]);
		return arena_printf(arena, "%s races with %s", one,
			strcmp(one, other) ? other : other_one(&found->side[0], &found->side[1]));
	case FOUND_INIT: return arena_printf(arena, "%s reads shared memory that nothing has written", one);
	default: return arena_printf(arena, "a phase can end before %s has seen the one before", one);
	}
}
