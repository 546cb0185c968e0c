/* The races that were found: one for each pair of places and cause. */
#include "race/parts.h"

const struct race_cause_text race_causes[RACE_CAUSES] = {
#define RACE_CAUSE(id, name, missing, remedy) [RACE_##id] = {name, missing, remedy},
#include "race/causes.def"
#undef RACE_CAUSE
};

const struct race_launch *launch_of(const struct races *races, uint32_t thread)
{
	for (const struct race_launch *l = races->launches; l; l = l->next)
		if (thread - l->first < l->threads)
			return l;
	return NULL;
}

static struct race_side side_of(const struct races *races, uint32_t thread, uint16_t site)
{
	const struct race_launch *launch = launch_of(races, thread);
	uint32_t number = thread - launch->first;

	return (struct race_side){.kernel = races->sites.at[site].kernel,
		.pc = races->sites.at[site].pc,
		.launch = launch->ordinal,
		.group = number / launch->group_stride,
		.thread = number % launch->group_stride};
}

static bool is_same(const struct race_found *f, const struct race_side *earlier, const struct race_side *later)
{
	return f->earlier.kernel == earlier->kernel && f->earlier.pc == earlier->pc &&
	       f->later.kernel == later->kernel && f->later.pc == later->pc;
}

void found_add(struct races *races, const struct race_warp *warp, uint32_t lane, uint16_t site,
	const struct record *earlier, uint8_t space, uint64_t address, enum race_cause cause, const struct heard *heard)
{
	struct race_side before = side_of(races, earlier->thread, earlier->site),
			 after = side_of(races, warp->first + lane, site);
	uint64_t ordinal = warp->group->launch->ordinal;

	for (uint32_t k = 0; k < races->found.count; k++) {
		struct race_found *f = &races->found.at[k];

		/* either way, since which came first is chance */
		if (f->cause == cause && f->launch == ordinal && f->space == space &&
			(is_same(f, &before, &after) || is_same(f, &after, &before))) {
			f->count++;
			return;
		}
	}
	*vector_push(races->arena, &races->found) = (struct race_found){.cause = cause,
		.earlier = before,
		.later = after,
		.space = space,
		.address = address,
		.count = 1,
		.launch = ordinal,
		.heard = heard ? heard->word : 0,
		.heard_space = heard ? heard->space : 0,
		.has_heard = heard != NULL};
}

const struct race_found *races_found(const struct races *races, uint32_t *count)
{
	*count = races->found.count;
	return races->found.at;
}
