/* How counters grew while a launch ran, in its result. */
#include "machine/observe/samples.h"
#include "api/api.h"
#include "api/counter_names.h"
#include "machine/state/core.h"

const char *lockstep_sampled(size_t k)
{
	const char *const list[] = {
#define CORE(field) counter_names.core.field,
#define PARTITION(field) counter_names.memory.field,
#include "machine/observe/samples.def"
	};

	return k < SAMPLED ? list[k] : NULL;
}

/* By counter, where they were by time. */
static const uint64_t *values_of(struct arena *arena, const struct launch_samples *s, uint32_t field)
{
	uint64_t *values = arena_new_array(arena, uint64_t, s->count + 1u);

	for (uint32_t k = 0; k < s->count; k++)
		values[k] = s->samples[k].grown[field];
	return values;
}

static const char *states_of(struct arena *arena, const struct launch_samples *s, uint32_t row)
{
	static const char letters[] = ".rwnmfblsh"; /* in the order of enum wait_reason, behind the first */
	char *states = arena_alloc(arena, s->count + 1u);

	_Static_assert(sizeof letters == 1 + WAIT_REASONS + 1, "a letter for each");
	for (uint32_t k = 0; k < s->count; k++)
		states[k] = letters[s->samples[k].states[row]];
	return states;
}

static const struct lockstep_sampled_warp *warps_of(struct arena *arena, const struct launch_samples *s)
{
	struct lockstep_sampled_warp *warps = arena_new_array(arena, struct lockstep_sampled_warp, s->warp_count + 1u);

	for (uint32_t k = 0; k < s->warp_count; k++)
		warps[k] = (struct lockstep_sampled_warp){
			.core = s->warps[k].core, .warp = s->warps[k].slot, .states = states_of(arena, s, k)};
	return warps;
}

static void open_part(struct lockstep *lockstep, struct diagnostic *diagnostic)
{
	struct sampler *sampler;

	(void)diagnostic;
	if (!lockstep->gpu.options.samples)
		return;
	sampler = arena_new(&lockstep->arena, struct sampler);
	sampler->interval = lockstep->gpu.options.samples;
	lockstep->gpu.observe[OBSERVER_samples] = sampler;
}

static void add(struct lockstep *lockstep, struct started *started)
{
	struct sampler *sampler = lockstep->gpu.observe[OBSERVER_samples];
	struct launch_samples *s = sampler ? samples_take(sampler, started->result.number - 1) : NULL;
	struct arena *arena = &started->arena;
	struct lockstep_samples *samples;
	const uint64_t **values;
	uint64_t *cycles;

	if (!s)
		return;
	samples = arena_new(arena, struct lockstep_samples);
	values = arena_new_array(arena, const uint64_t *, SAMPLED);
	cycles = arena_new_array(arena, uint64_t, s->count + 1u);
	for (uint32_t k = 0; k < s->count; k++)
		cycles[k] = s->samples[k].cycles;
	for (uint32_t f = 0; f < SAMPLED; f++)
		values[f] = values_of(arena, s, f);
	*samples = (struct lockstep_samples){.interval = s->interval,
		.count = s->count,
		.cycles = cycles,
		.values = values,
		.warps = warps_of(arena, s),
		.warp_count = s->warp_count};
	started->result.samples = samples;
	samples_free(s);
}

static void close_part(struct lockstep *lockstep)
{
	struct sampler *sampler = lockstep->gpu.observe[OBSERVER_samples];

	for (struct launch_samples *s = sampler ? sampler->launches : NULL, *next; s; s = next) {
		next = s->next;
		samples_free(s);
	}
}

const struct result_part result_part_samples = {.open = open_part, .add = add, .close = close_part};
