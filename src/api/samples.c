/* How counters grew while a launch ran, in its result. */
#include "api/api.h"
#include "api/counter_names.h"

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

void api_add_samples(struct lockstep *lockstep, struct started *started)
{
	struct launch_samples *s = samples_take(&lockstep->sampler, started->result.number - 1);
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
	*samples = (struct lockstep_samples){
		.interval = s->interval, .count = s->count, .cycles = cycles, .values = values};
	started->result.samples = samples;
	samples_free(s);
}
