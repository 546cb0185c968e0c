/* Two-level round robin over fetch groups: Narasiman et al., "Improving GPU Performance via Large Warps and Two-Level
 * Warp Scheduling", MICRO 2011, section 3.2.
 *
 * Warp slots of the core that follow each other are a fetch group.  One group goes before all others, the next ones
 * follow in turn; within a group warps take turns.  A group keeps its place until each of its warps waits for something
 * long; then the next group that has one which does not goes first.  So groups come to their loads at different times,
 * and one computes while another waits.
 *
 * A core with several schedulers has the slots of a group dealt out among them; each puts a group first on its own. */
#include "policy/schedule/schedule.h"

enum { FIELD_GROUP };
static const struct schedule_field fields[] = {
	[FIELD_GROUP] = {.name = "group",
		.unit = "warps",
		.meaning = "of the core in a fetch group; 8 was best in the paper",
		.value = 8,
		.minimum = 1,
		.maximum = 64},
	{0},
};

struct two_level {
	uint32_t size;  /* of a group */
	uint32_t first; /* the group that goes before the others */
	uint32_t next;  /* slot behind the last that issued */
};

static void start(void *state, uint64_t seed, const uint32_t *values)
{
	struct two_level *t = state;
	(void)seed;
	t->size = values[FIELD_GROUP];
}

/* The warps of `set` in the group. */
static uint64_t in_group(const struct two_level *t, uint64_t set, uint32_t group)
{
	uint64_t all = t->size == 64 ? ~0ull : (1ull << t->size) - 1;
	return set & all << group * t->size;
}

/* The first group, from `group` on, that has a warp of `set`, which is not empty. */
static uint32_t group_with(const struct two_level *t, uint64_t set, uint32_t group)
{
	uint32_t groups = (64 + t->size - 1) / t->size;
	while (!in_group(t, set, group))
		group = (group + 1) % groups;
	return group;
}

static int pick(void *state, const struct issue_view *view)
{
	struct two_level *t = state;
	uint64_t runs = (view->resident & ~schedule_waiting(view)) | view->ready;
	t->first = group_with(t, runs, t->first);
	uint64_t ready = in_group(t, view->ready, group_with(t, view->ready, t->first));
	uint64_t behind = ready >> t->next << t->next;
	int warp = __builtin_ctzll(behind ? behind : ready);
	t->next = ((uint32_t)warp + 1) % 64;
	return warp;
}

const struct warp_scheduler schedule_two_level = {
	.name = "two-level",
	.summary = "round robin over fetch groups of two-level.group warps, and within them (Narasiman et al.)",
	.state_size = sizeof(struct two_level),
	.fields = fields,
	.start = start,
	.pick = pick,
};
