/* What launches accessed, in their results. */
#include "race/footprint.h"
#include "api/api.h"

#include <stdlib.h>

static const char *what_of(const struct insn *i)
{
	return i->kind == INSN_LOAD      ? "a load"
	       : i->kind == INSN_STORE   ? "a store"
	       : i->kind == INSN_ATOMIC  ? "an atomic"
	       : i->kind == INSN_ACQUIRE ? "a lock instruction"
	       : i->kind == INSN_RELEASE ? "a lock instruction"
					 : ptx_ops[i->op].spelling;
}

static struct lockstep_access access_of(
	struct arena *arena, const struct footprint *f, const struct footprint_site *site)
{
	struct place place = kernel_place(f->kernel, site->pc);
	struct lockstep_span *spans = arena_new_array(arena, struct lockstep_span, site->spans.list.count);

	for (uint32_t k = 0; k < site->spans.list.count; k++)
		spans[k] = (struct lockstep_span){site->spans.list.at[k].first, site->spans.list.at[k].end};
	return (struct lockstep_access){.file = api_text(arena, place.file),
		.line = place.line,
		.what = what_of(&f->kernel->code[site->pc]),
		.writes = site->writes,
		.strong = site->strong,
		.awaited = site->awaited,
		.spans = spans,
		.span_count = site->spans.list.count};
}

/* By place in the code: which instruction comes first depends on the machine. */
static int by_pc(const void *left, const void *right)
{
	const struct footprint_site *a = left, *b = right;

	return a->pc != b->pc ? (a->pc < b->pc ? -1 : 1) : (int)a->awaited - (int)b->awaited;
}

static void open_part(struct lockstep *lockstep, struct diagnostic *diagnostic)
{
	(void)diagnostic;
	if (lockstep->gpu.options.check & LOCKSTEP_CHECK_RACES && lockstep->gpu.options.footprints)
		lockstep->gpu.observe[OBSERVER_footprint] = arena_new(&lockstep->arena, struct footprints);
}

static void add(struct lockstep *lockstep, struct started *started)
{
	struct footprints *all = lockstep->gpu.observe[OBSERVER_footprint];
	struct footprint *f = all ? footprint_take(all, started->result.number - 1) : NULL;

	if (!f)
		return;
	if (f->sites.count)
		qsort(f->sites.at, f->sites.count, sizeof *f->sites.at, by_pc);
	struct lockstep_access *list = arena_new_array(&started->arena, struct lockstep_access, f->sites.count);
	for (uint32_t k = 0; k < f->sites.count; k++)
		list[k] = access_of(&started->arena, f, &f->sites.at[k]);
	started->result.accesses = list;
	started->result.access_count = f->sites.count;
	started->result.first_group = f->began;
	started->result.last_group = f->ended;
	started->result.fences = f->fences;
	footprint_free(f);
}

const struct result_part result_part_footprint = {.open = open_part, .add = add};
