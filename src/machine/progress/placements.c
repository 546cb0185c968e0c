/* Tries placements, each in a run from the start: see placements.h. */
#include "machine/progress/placements.h"

#include "machine/gpu/launches.h"
#include "util/vector.h"

#include <assert.h>
#include <string.h>

#define NO_LAUNCH UINT32_MAX

/* ---- A placement that is written down ---- */

struct listed {
	struct placement base;
	const struct schedule_list *list;
};

static uint32_t first_of(uint64_t launches)
{
	assert(launches);
	return (uint32_t)__builtin_ctzll(launches);
}

static uint32_t choose_listed(struct placement *placement, uint64_t can, uint32_t number, bool again)
{
	const struct listed *l = (struct listed *)placement;

	(void)again;
	for (uint32_t k = 0; k < l->list->count; k++) {
		const struct schedule_run *run = &l->list->runs[k];
		uint64_t index = run->group - l->base.first;

		assert(run->part == PART_LAUNCH);
		if (number < run->count)
			return index < PLACEMENT_LAUNCHES && can >> index & 1 ? (uint32_t)index : first_of(can);
		number -= run->count;
	}
	return first_of(can);
}

struct placement *placement_of_list(struct arena *arena, uint64_t first, const struct schedule_list *list)
{
	struct listed *l = arena_new(arena, struct listed);

	assert(list->loop == list->count);
	*l = (struct listed){.base = {.first = first, .choose = choose_listed}, .list = list};
	return &l->base;
}

/* ---- Whether orders at one moment make a difference ---- */

/* What groups take of a core: of all launches the least and the most. */
struct range {
	uint64_t least, most;
};

static void add_to(struct range *range, uint64_t value)
{
	range->least = value < range->least ? value : range->least;
	range->most = value > range->most ? value : range->most;
}

/* Whether it never says which launches' groups still fit on a core: all take as much, or there is enough for as many
 * groups as a core can have. */
static bool is_no_limit(const struct gpu_model *model, const struct range *range, uint64_t room)
{
	assert(range->least <= range->most);
	return range->least == range->most || (!model->lesser_cores && range->most * model->core_groups <= room);
}

/* Whether it only depends on how many groups are on a core which others fit there. */
static bool only_numbers_count(const struct gpu_model *model, const struct gpu_launch *const *launches, uint32_t count)
{
	struct range warps = {UINT64_MAX, 0}, registers = warps, shared = warps;

	for (uint32_t k = 0; k < count; k++) {
		const struct launch_group *g = &launches[k]->group;

		add_to(&warps, (g->threads + model->warp_size - 1) / model->warp_size);
		add_to(&registers, g->registers);
		add_to(&shared, g->shared);
	}
	return is_no_limit(model, &warps, model_core_warps(model, 0)) &&
	       is_no_limit(model, &registers, model->core_registers) &&
	       is_no_limit(model, &shared, model_core_shared(model, 0));
}

/* ---- One run ---- */

/* What is chosen where several launches may be, as long as there is something in it; then the first of them. */
struct choices {
	uint8_t *at;
	uint32_t count;
};

/* A choice that was made: one of `among`. */
struct choice {
	uint64_t among;
	uint32_t made;
};

struct walk {
	struct placement base;
	struct choices given;
	uint32_t favoured; /* takes places before all others; NO_LAUNCH: none does */
	uint32_t last;     /* that was placed last */
	bool narrows;      /* some orders at one moment stand for others */
	bool is_twin;      /* another one stands for it */
	VECTOR(struct choice) made;
	VECTOR(struct schedule_run) order; /* of all groups */
	uint32_t decided; /* of these runs, and of the last one so many groups: up to the last choice */
	uint32_t decided_of_last;
	struct arena *arena;
};

struct placements {
	struct gpu *gpu;
	const struct gpu_launch *const *launches;
	uint32_t count;
	uint64_t most, first;
	bool narrows;
	struct arena own;
	VECTOR(struct schedule_list) favoured; /* of the runs in which some launch but the first was */
	VECTOR(struct choices) todo;
	uint32_t next;  /* in `todo` */
	bool truncated; /* something is not in it that should be, or a run ended before it was known how */
	struct arena *arena;
	struct placements_outcome *outcome;
};

/* Right after another group only those of the same launch and later ones: see placements.h. */
static uint64_t narrowed(struct walk *w, uint64_t can, bool again)
{
	uint64_t later = again && w->narrows ? can & ~((1ull << w->last) - 1) : can;

	assert(!again || w->last < PLACEMENT_LAUNCHES);
	w->is_twin |= !later;
	return later ? later : can;
}

static uint32_t choose_one(struct walk *w, uint64_t can, bool again)
{
	uint64_t among;
	struct choice *choice;

	if (w->favoured != NO_LAUNCH)
		return can >> w->favoured & 1 ? w->favoured : first_of(can);
	among = narrowed(w, can, again);
	if (!(among & (among - 1)))
		return first_of(among);
	choice = vector_push(w->arena, &w->made);
	*choice = (struct choice){.among = among, .made = first_of(among)};
	if (w->made.count <= w->given.count)
		choice->made = w->given.at[w->made.count - 1];
	assert(among >> choice->made & 1);
	return choice->made;
}

static void record(struct walk *w, uint32_t index, bool is_choice)
{
	uint32_t launch = (uint32_t)(w->base.first + index);
	struct schedule_run *last = w->order.count ? &w->order.at[w->order.count - 1] : NULL;

	assert(index < PLACEMENT_LAUNCHES);
	if (last && last->group == launch)
		last->count++;
	else
		*vector_push(w->arena, &w->order) = (struct schedule_run){launch, 1, PART_LAUNCH};
	if (!is_choice)
		return;
	w->decided = w->order.count;
	w->decided_of_last = w->order.at[w->order.count - 1].count;
}

static uint32_t choose(struct placement *placement, uint64_t can, uint32_t number, bool again)
{
	struct walk *w = (struct walk *)placement;

	(void)number;
	w->last = choose_one(w, can, again);
	record(w, w->last, can & (can - 1));
	return w->last;
}

/* Up to the last group for whose place there were several. */
static void list_of(const struct walk *w, struct arena *arena, struct schedule_list *list)
{
	struct schedule_run *runs = arena_new_array(arena, struct schedule_run, w->decided + 1u);

	assert(w->decided <= w->order.count);
	if (w->decided) {
		memcpy(runs, w->order.at, w->decided * sizeof *runs);
		runs[w->decided - 1].count = w->decided_of_last;
	}
	*list = (struct schedule_list){.runs = runs, .count = w->decided, .loop = w->decided};
}

enum end { ALL_COMPLETED, HUNG, FAULTED, UNKNOWN };

static enum end end_of(enum gpu_outcome outcome, bool proved)
{
	switch (outcome) {
	case GPU_COMPLETED: return ALL_COMPLETED;
	case GPU_FAULT: return FAULTED;
	case GPU_HANG: return proved ? HUNG : UNKNOWN;
	default: return UNKNOWN;
	}
}

/* Memory is put back then. */
static enum end run(struct placements *p, struct walk *walk)
{
	struct gpu *gpu = p->gpu;
	struct gpu_result result;
	enum end end = ALL_COMPLETED;
	bool proved = false;

	assert(!gpu->machine && !gpu->waiting);
	gpu->placement = &walk->base;
	gpu->launches = p->first;
	for (uint32_t k = 0; k < p->count; k++)
		gpu_start(gpu, p->launches[k]);
	for (uint32_t ended = 0; ended < p->count;) {
		enum end one;

		if (!gpu_finish(gpu, &result)) {
			proved = gpu_is_stuck_for_ever(gpu);
			gpu_give_up(gpu);
			continue;
		}
		one = end_of(result.outcome, proved);
		end = one > end ? one : end;
		ended++;
	}
	return end;
}

/* ---- One run after another ---- */

/* All groups, in the order in which they took places. */
static bool is_order(const struct walk *walk, const struct schedule_list *list)
{
	if (walk->order.count != list->count)
		return false;
	for (uint32_t k = 0; k < list->count; k++)
		if (walk->order.at[k].group != list->runs[k].group || walk->order.at[k].count != list->runs[k].count)
			return false;
	return true;
}

/* Whether it has been tried with a launch favoured; keeps it, if one is. */
static bool was_tried(struct placements *p, const struct walk *walk)
{
	size_t bytes = walk->order.count * sizeof(struct schedule_run);
	struct schedule_run *runs;

	for (uint32_t k = 0; k < p->favoured.count; k++)
		if (is_order(walk, &p->favoured.at[k]))
			return true;
	if (walk->favoured == NO_LAUNCH)
		return false;
	runs = arena_alloc(&p->own, bytes + 1);
	memcpy(runs, walk->order.at, bytes);
	*vector_push(&p->own, &p->favoured) = (struct schedule_list){.runs = runs, .count = walk->order.count};
	return false;
}

static void note(struct placements *p, enum end end, const struct walk *walk)
{
	struct placements_outcome *o = p->outcome;

	if (was_tried(p, walk) || (walk->is_twin && end == ALL_COMPLETED))
		return;
	o->tried++;
	o->finished += end == ALL_COMPLETED;
	p->truncated |= end == UNKNOWN;
	if (end == FAULTED || (end == HUNG && o->verdict == SEARCH_UNDECIDED)) {
		o->verdict = end == FAULTED ? SEARCH_FAULTS : SEARCH_MAY_HANG;
		list_of(walk, p->arena, &o->list);
	}
}

/* What differs from the run in one choice, after those that it was given. */
static void vary(struct placements *p, const struct walk *walk)
{
	for (uint32_t k = walk->given.count; k < walk->made.count; k++) {
		uint64_t others = walk->made.at[k].among & ~(1ull << walk->made.at[k].made);

		for (; others; others &= others - 1) {
			struct choices *new;

			if (p->todo.count - p->next >= p->most - p->outcome->tried) {
				p->truncated = true;
				return;
			}
			new = vector_push(&p->own, &p->todo);
			new->count = k + 1;
			new->at = arena_alloc(&p->own, new->count);
			for (uint32_t c = 0; c < k; c++)
				new->at[c] = (uint8_t)walk->made.at[c].made;
			new->at[k] = (uint8_t)first_of(others);
		}
	}
}

static void try_one(struct placements *p, const struct choices *given, uint32_t favoured)
{
	struct arena arena = {0};
	struct walk walk = {.base = {.first = p->first, .choose = choose},
		.given = *given,
		.favoured = favoured,
		.narrows = p->narrows,
		.arena = &arena};

	note(p, run(p, &walk), &walk);
	if (favoured == NO_LAUNCH && !walk.is_twin)
		vary(p, &walk);
	arena_free(&arena);
}

/* With no launch favoured the first one is. */
static void try_each_first(struct placements *p)
{
	static const struct choices none;

	try_one(p, &none, NO_LAUNCH);
	for (uint32_t k = 1; k < p->count && p->outcome->tried < p->most && p->outcome->verdict != SEARCH_FAULTS; k++)
		try_one(p, &none, k);
	p->truncated |= p->outcome->tried < p->count;
}

static void try_all(struct placements *p)
{
	try_each_first(p);
	while (p->outcome->verdict == SEARCH_UNDECIDED && p->next < p->todo.count && p->outcome->tried < p->most &&
		!gpu_is_interrupted(p->gpu)) {
		struct choices given = p->todo.at[p->next++];

		try_one(p, &given, NO_LAUNCH);
	}
	p->outcome->all = !p->truncated && p->next == p->todo.count;
}

void gpu_try_placements(struct gpu *gpu, const struct gpu_launch *const *launches, uint32_t count, uint64_t most,
	struct arena *arena, struct placements_outcome *outcome)
{
	struct placements p = {.gpu = gpu,
		.launches = launches,
		.count = count,
		.most = most,
		.first = gpu->launches,
		.narrows = only_numbers_count(gpu->model, launches, count),
		.arena = arena,
		.outcome = outcome};
	struct gpu before = *gpu;

	assert(count > 1 && count <= PLACEMENT_LAUNCHES);
	*outcome = (struct placements_outcome){.verdict = SEARCH_UNDECIDED};
	gpu_hide(gpu);
	gpu->options.pause_when_stuck = gpu->pause.when_dead = true;
	gpu->experiment.keeps_start = gpu->experiment.puts_back = true;
	try_all(&p);
	gpu->options = before.options;
	gpu->pause = before.pause;
	gpu->experiment = before.experiment;
	gpu->explain = before.explain;
	memcpy(gpu->observe, before.observe, sizeof gpu->observe);
	gpu->placement = NULL;
	gpu->launches = before.launches;
	arena_free(&p.own);
}
