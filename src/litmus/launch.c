/* One launch of a litmus test: what is drawn, the tables of the kernel, and the outcomes of its instances.
 *
 * The stress is that of the testing of GPUs: Alglave et al., GPU Concurrency: Weak Behaviours and Programming
 * Assumptions, ASPLOS 2015 (general memory stress, bank conflicts, random threads), and Levine et al., GPUHarbor,
 * ISSTA 2023 (many instances at a time, of permuted places). */
#include "litmus/barriers.h"
#include "litmus/play.h"
#include "litmus/races.h"

#include <string.h>

/* Teams of a launch, when the GPU has room for them beside as many groups with traffic. */
#define TEAMS 16
/* Bytes between locations, at most. */
#define STRIDE 544

struct launch {
	struct arena *arena;
	const struct litmus_test *test;
	struct litmus_places places;
	struct diagnostic *diagnostic;
	uint64_t random;
	struct lockstep *gpu;
	struct lockstep_module *module;
	const char *ptx; /* of the module */
	const struct lockstep_result *result;
	uint32_t teams, traffic_groups, instances;
	struct litmus_parameters parameters;
	uint32_t *offsets; /* of the host: by instance and location */
	uint32_t *roles;   /* of the host: by group */
	uint32_t copies;   /* of the code of each thread */
};

static uint32_t draw(struct launch *l, uint32_t below)
{
	return (uint32_t)(splitmix64(&l->random) % below);
}

/* ---- Opening ---- */

/* How every launch is opened: the one place for what the machine itself is to do, beside the user's options. */
static struct lockstep *open_gpu(struct launch *l, const struct lockstep_options *setup)
{
	static const char *const schedulers[] = {"lrr", "gto", "random", "gto-strict"};
	static const uint32_t spreads[] = {0, 100, 600, 3000};
	struct lockstep_options options = *setup;
	struct lockstep_error error;
	VECTOR(const char *) settings = {0};
	*vector_push(l->arena, &settings) = arena_printf(l->arena, "policy.scheduler=%s", schedulers[draw(l, 4)]);
	*vector_push(l->arena, &settings) = arena_printf(l->arena, "crossbar.spread=%u", spreads[draw(l, 4)]);
	for (const char *const *own = setup->settings; own && *own; own++)
		*vector_push(l->arena, &settings) = *own;
	*vector_push(l->arena, &settings) = NULL;
	options.settings = settings.at;
	options.weak = draw(l, 4) && setup->mode == LOCKSTEP_TIMING ? LOCKSTEP_WEAK : LOCKSTEP_IN_ORDER;
	options.seed = splitmix64(&l->random);
	options.explain_limit = LOCKSTEP_EXPLAIN_NEVER; /* what hangs here has no other cause than its options */
	struct lockstep *gpu = lockstep_open(&options, &error);
	if (!gpu)
		diagnose(l->diagnostic, (struct place){0}, "%s", error.message);
	return gpu;
}

static bool load(struct launch *l)
{
	struct lockstep_error error;
	static const uint32_t copies[] = {1, 4, 8, 32};
	static const uint32_t touches[] = {0, 0, 2, 8};
	struct litmus_form form = {.gaps = draw(l, 2), .touches = touches[draw(l, 4)], .copies = copies[draw(l, 4)]};
	if (litmus_has_barriers(l->test))
		form.copies = 1;
	l->copies = form.copies;
	l->ptx = litmus_kernel(l->arena, l->test, &l->places, &form);
	l->module = lockstep_load(l->gpu, "litmus.ptx", l->ptx, &error);
	if (!l->module)
		diagnose(l->diagnostic, (struct place){.file = l->test->file}, "%s", error.message);
	return l->module;
}

/* All teams must be there at a time: they meet. */
static bool count_teams(struct launch *l)
{
	struct lockstep_occupancy room = {.size = sizeof room};
	struct lockstep_error error;
	if (!lockstep_kernel_occupancy(l->module, "litmus", l->places.warps * l->places.lanes, 0, &room, &error)) {
		diagnose(l->diagnostic, (struct place){.file = l->test->file}, "%s", error.message);
		return false;
	}
	l->teams = room.groups / 2 / l->places.ctas < TEAMS ? (uint32_t)(room.groups / 2 / l->places.ctas) : TEAMS;
	l->teams += !l->teams;
	l->instances = l->teams * l->places.lanes;
	uint64_t left = room.groups - l->teams * l->places.ctas;
	if (room.groups >= l->teams * l->places.ctas) {
		l->traffic_groups = draw(l, left < 16 ? (uint32_t)left + 1 : 17);
		return true;
	}
	diagnose(l->diagnostic, (struct place){.file = l->test->file},
		"the GPU has room for %u work-groups at a time, expected at least the test's %u CTAs",
		(uint32_t)room.groups, l->places.ctas);
	return false;
}

/* ---- Tables ---- */

static uint64_t new_buffer(struct launch *l, const char *name, size_t bytes, const void *from)
{
	struct lockstep_error error = {"there is no memory left"};
	uint64_t address = lockstep_allocate(l->gpu, bytes, name);
	if (!address || (from && !lockstep_write(l->gpu, address, from, bytes, &error)))
		diagnose(l->diagnostic, (struct place){.file = l->test->file}, "%s", error.message);
	return address;
}

static void shuffle(struct launch *l, uint32_t *at, uint32_t count)
{
	for (uint32_t k = count; k > 1; k--) {
		uint32_t other = draw(l, k), kept = at[k - 1];
		at[k - 1] = at[other];
		at[other] = kept;
	}
}

static void make_roles(struct launch *l)
{
	uint32_t players = l->teams * l->places.ctas, groups = players + l->traffic_groups;
	uint32_t *roles = l->roles = arena_new_array(l->arena, uint32_t, groups);
	for (uint32_t k = 0; k < groups; k++)
		roles[k] = k < players ? k : LITMUS_TRAFFIC;
	shuffle(l, roles, groups);
	l->parameters.roles = new_buffer(l, "roles", groups * sizeof *roles, roles);
}

/* How the threads of a team draw; lanes of one copy of the code alike, as they wait for each other. */
struct team {
	uint32_t limit, gap; /* of rounds of waiting: before the start, and between instructions, a mask */
	struct litmus_draw draws[LITMUS_THREADS * LITMUS_THREADS * LITMUS_COPIES]; /* by CTA, warp and copy */
};

/* Rounds of waiting: up to a few, for the closest races, or more than memory and barriers take. */
static struct team draw_team(struct launch *l)
{
	static const uint32_t limits[] = {1, 16, 128, 1024}, gaps[] = {15, 63, 255, 1023};
	return (struct team){.limit = limits[draw(l, 4)], .gap = gaps[draw(l, 4)]};
}

static struct litmus_draw draw_thread(struct launch *l, const struct team *team)
{
	return (struct litmus_draw){.delay = draw(l, team->limit),
		.warm = draw(l, 1u << l->test->locations.count),
		.seed = draw(l, UINT32_MAX),
		.gap = team->gap};
}

static void make_draws(struct launch *l)
{
	uint32_t groups = l->teams * l->places.ctas + l->traffic_groups, size = l->places.warps * l->places.lanes;
	struct litmus_draw *draws = arena_new_array(l->arena, struct litmus_draw, groups * size);
	struct team *teams = arena_new_array(l->arena, struct team, l->teams);
	for (uint32_t k = 0; k < l->teams; k++)
		teams[k] = draw_team(l);
	for (uint32_t k = 0; k < groups * size; k++) {
		uint32_t role = l->roles[k / size], warp = k / l->places.lanes % l->places.warps;
		if (role == LITMUS_TRAFFIC)
			continue;
		struct team *team = &teams[role / l->places.ctas];
		uint32_t thread = role % l->places.ctas * l->places.warps + warp, lane = k % l->places.lanes;
		struct litmus_draw *alike = &team->draws[thread * LITMUS_COPIES + lane % l->copies];
		if (lane < l->copies)
			*alike = draw_thread(l, team);
		draws[k] = *alike;
	}
	l->parameters.draws = new_buffer(l, "draws", groups * size * sizeof *draws, draws);
}

/* Slots of one size, in the order of instances or shuffled; then locations of different instances share lines. */
static void make_locations(struct launch *l)
{
	static const uint32_t strides[] = {4, 32, 36, 128, STRIDE};
	uint32_t count = l->instances * l->test->locations.count, stride = strides[draw(l, 5)];
	uint32_t *offsets = l->offsets = arena_new_array(l->arena, uint32_t, count + 1);
	size_t bytes = (size_t)count * stride + 4;
	int32_t *memory = arena_new_array(l->arena, int32_t, bytes / 4);
	for (uint32_t k = 0; k < count; k++)
		offsets[k] = k * stride;
	if (draw(l, 4))
		shuffle(l, offsets, count);
	for (uint32_t k = 0; k < count; k++)
		memory[offsets[k] / 4] = l->test->locations.at[k % l->test->locations.count].initial;
	l->parameters.offsets = new_buffer(l, "offsets", (count + 1) * sizeof *offsets, offsets);
	l->parameters.memory = new_buffer(l, "memory", bytes, memory);
}

static bool make_tables(struct launch *l)
{
	uint32_t variables = l->test->variables.count;
	make_roles(l);
	make_draws(l);
	make_locations(l);
	l->parameters.results = new_buffer(l, "results", l->instances * (variables + 1) * sizeof(int32_t), NULL);
	l->parameters.meetings = new_buffer(l, "meetings", l->teams * LITMUS_MEETING_BYTES, NULL);
	l->parameters.traffic = new_buffer(l, "traffic", LITMUS_TRAFFIC_BYTES, NULL);
	l->parameters.rounds = 1 + draw(l, 32);
	return !l->diagnostic->failed;
}

/* ---- Running ---- */

static bool run(struct launch *l)
{
	struct lockstep_error error;
	struct lockstep_launch launch = {.size = sizeof launch,
		.module = l->module,
		.kernel = "litmus",
		.grid = {l->teams * l->places.ctas + l->traffic_groups, 1, 1},
		.block = {l->places.warps * l->places.lanes, 1, 1},
		.parameters = &l->parameters,
		.parameter_bytes = offsetof(struct litmus_parameters, rounds) + sizeof l->parameters.rounds};
	const struct lockstep_result *result = l->result = lockstep_run(l->gpu, &launch, &error);
	if (!result)
		diagnose(l->diagnostic, (struct place){.file = l->test->file}, "%s", error.message);
	else if (result->outcome != LOCKSTEP_COMPLETED)
		diagnose(l->diagnostic, (struct place){.file = l->test->file}, "the launch did not come to its end: %s",
			result->finding_count ? result->findings[0].message : "a limit was reached");
	return !l->diagnostic->failed;
}

/* Registers from the results, locations from memory. */
static void count_outcomes(struct launch *l, struct litmus_outcomes *outcomes)
{
	uint32_t variables = l->test->variables.count, locations = l->test->locations.count;
	size_t bytes = l->instances * (variables + 1) * sizeof(int32_t);
	const int32_t *results = lockstep_map(l->gpu, l->parameters.results, bytes);
	const char *memory = lockstep_map(l->gpu, l->parameters.memory, 4);
	for (uint32_t i = 0; i < l->instances; i++) {
		int32_t values[LITMUS_VARIABLES] = {0};
		const int32_t *result = results + i * (variables + 1);
		if (result[variables]) {
			outcomes->endless++;
			continue;
		}
		for (uint32_t k = 0; k < variables; k++) {
			const struct litmus_variable *v = &l->test->variables.at[k];
			if (v->thread == LITMUS_IN_MEMORY)
				memcpy(&values[k], memory + l->offsets[i * locations + v->index], sizeof *values);
			else
				values[k] = result[k];
		}
		litmus_outcome(l->arena, outcomes, values)->count++;
	}
}

bool litmus_launch(struct arena *arena, const struct litmus_test *test, const struct lockstep_options *setup,
	uint64_t seed, struct litmus_outcomes *outcomes, uint64_t *runs, struct diagnostic *diagnostic)
{
	struct launch l = {.arena = arena, .test = test, .diagnostic = diagnostic, .random = seed};
	l.gpu = open_gpu(&l, setup);
	if (l.gpu)
		l.places = litmus_places(test, (uint32_t)lockstep_field(l.gpu, "core.warp_size").number);
	bool good = l.gpu && load(&l) && count_teams(&l) && make_tables(&l) && run(&l);
	if (good) {
		count_outcomes(&l, outcomes);
		litmus_note_races(l.arena, test, l.ptx, l.result, outcomes);
		*runs += l.instances;
	}
	if (l.gpu)
		lockstep_close(l.gpu);
	return good;
}
