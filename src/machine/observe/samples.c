/* How counters grow while launches run: see samples.h. */
#include "machine/observe/samples.h"

#include "machine/core/observer.h"
#include "machine/core/schedule.h"
#include "machine/state/launch_state.h"
#include "machine/state/machine.h"

#include <assert.h>
#include <string.h>

static void read_counters(uint64_t values[SAMPLED], const struct counters *c, const struct partition_counters *p)
{
#define CORE(field) values[SAMPLED_CORE_##field] = c->field;
#define PARTITION(field) values[SAMPLED_PARTITION_##field] = p->field;
#include "machine/observe/samples.def"
}

static struct sampler *sampler_of(const struct gpu *gpu)
{
	return gpu->observe[OBSERVER_samples];
}

/* Of a launch that is seen for the first time: what has been counted since it began is in the first sample. */
static struct launch_samples *samples_of(struct sampler *sampler, const struct launch *launch)
{
	struct launch_samples *s = sampler->launches;
	struct arena arena = {0};

	assert(sampler->interval);
	while (s && s->ordinal != launch->ordinal)
		s = s->next;
	if (s)
		return s;
	s = arena_new(&arena, struct launch_samples);
	*s = (struct launch_samples){.arena = arena,
		.next = sampler->launches,
		.ordinal = launch->ordinal,
		.interval = sampler->interval,
		.due = sampler->interval};
	read_counters(s->last, &launch->before, &launch->partitions_before);
	sampler->launches = s;
	return s;
}

/* Neighbours become one. */
static void halve(struct launch_samples *s)
{
	assert(s->count <= s->capacity);
	for (uint32_t k = 0; k + 1 < s->count; k += 2) {
		struct sample *into = &s->samples[k / 2];

		*into = s->samples[k];
		into->cycles += s->samples[k + 1].cycles;
		for (uint32_t f = 0; f < SAMPLED; f++)
			into->grown[f] += s->samples[k + 1].grown[f];
		memcpy(into->states, s->samples[k + 1].states, sizeof into->states);
	}
	if (s->count % 2)
		s->samples[s->count / 2] = s->samples[s->count - 1];
	s->count = (s->count + 1) / 2;
	s->interval *= 2;
}

static struct sample *new_sample(struct launch_samples *s)
{
	if (s->count == SAMPLES_MOST)
		halve(s);
	if (s->count == s->capacity) {
		uint32_t capacity = s->capacity ? 2 * s->capacity : 16;

		s->samples = arena_grow(
			&s->arena, s->samples, s->capacity * sizeof *s->samples, capacity * sizeof *s->samples);
		s->capacity = capacity;
	}
	assert(s->count < s->capacity && s->count < SAMPLES_MOST);
	return &s->samples[s->count++];
}

/* ---- Warps ---- */

static uint8_t state_of(const struct launch *launch, const struct core *core, uint32_t slot)
{
	const struct warp_slot *r = &core->slots[slot];
	uint32_t reason;

	assert(slot < core->warps.count);
	if (core->warps.unused & 1ull << slot || r->finished || r->core_launch->launch != launch)
		return 0;
	for (reason = 0; reason < WAIT_REASONS; reason++)
		if (core->waiting[reason] & r->bit)
			break;
	if (reason == WAIT_REASONS)
		return SAMPLED_READY;
	if ((reason == WAIT_OPERAND || reason == WAIT_MEMORY) && schedule_waits_for_shared(core, r))
		reason = WAIT_SHARED;
	return (uint8_t)(1 + reason);
}

static bool has_row(const struct launch_samples *s, uint32_t core, uint32_t slot)
{
	assert(s->warp_count <= SAMPLED_WARPS);
	for (uint32_t k = 0; k < s->warp_count; k++)
		if (s->warps[k].core == core && s->warps[k].slot == slot)
			return true;
	return false;
}

static void add_rows(struct launch_samples *s, const struct launch *launch, uint32_t c)
{
	const struct core *core = &launch->machine->cores.at[c];

	assert(s->warp_count <= SAMPLED_WARPS && launch->on[c]);
	for (uint32_t slot = 0; slot < core->warps.count && s->warp_count < SAMPLED_WARPS; slot++)
		if (state_of(launch, core, slot) && !has_row(s, c, slot))
			s->warps[s->warp_count++] = (struct sampled_warp){c, slot};
}

static void take_states(struct launch_samples *s, const struct launch *launch, struct sample *sample)
{
	const struct machine *machine = launch->machine;

	for (uint32_t c = 0; c < machine->cores.count && s->warp_count < SAMPLED_WARPS; c++)
		if (launch->on[c])
			add_rows(s, launch, c);
	assert(s->warp_count <= SAMPLED_WARPS);
	memset(sample->states, 0, sizeof sample->states);
	for (uint32_t k = 0; k < s->warp_count; k++)
		sample->states[k] = state_of(launch, &machine->cores.at[s->warps[k].core], s->warps[k].slot);
}

/* Ends a sample at this cycle of the launch. */
static void take(struct launch_samples *s, const struct launch *launch, uint64_t at)
{
	const struct machine *machine = launch->machine;
	struct counters counters = machine_core_totals(machine);
	struct partition_counters partitions = machine_partition_totals(machine);
	struct sample *sample = new_sample(s);
	uint64_t now[SAMPLED];

	assert(at > s->at);
	read_counters(now, &counters, &partitions);
	sample->cycles = at - s->at;
	for (uint32_t f = 0; f < SAMPLED; f++) {
		assert(now[f] >= s->last[f]);
		sample->grown[f] = now[f] - s->last[f];
		s->last[f] = now[f];
	}
	take_states(s, launch, sample);
	s->at = at;
	s->due = at - at % s->interval + s->interval;
	assert(s->due > at && s->due % s->interval == 0);
}

static bool is_asked(const struct gpu *gpu, bool functional)
{
	return !functional && sampler_of(gpu);
}

static void flush(struct machine *machine, bool at_end)
{
	for (struct launch *launch = machine->launches.first; launch && !at_end; launch = launch->next) {
		struct launch_samples *s = samples_of(sampler_of(machine->gpu), launch);
		uint64_t at = machine->time.cycle - launch->start;

		assert(launch->start <= machine->time.cycle);
		if (at >= s->due)
			take(s, launch, at);
	}
}

/* Its last sample. */
static void launch_ends(struct launch *launch)
{
	struct sampler *sampler = sampler_of(launch->machine->gpu);
	struct launch_samples *s = samples_of(sampler, launch);
	uint64_t at = launch->machine->time.cycle - launch->start;

	assert(launch->start <= launch->machine->time.cycle);
	if (at > s->at)
		take(s, launch, at);
}

struct launch_samples *samples_take(struct sampler *sampler, uint64_t ordinal)
{
	struct launch_samples **at = &sampler->launches, *s;

	while (*at && (*at)->ordinal != ordinal)
		at = &(*at)->next;
	s = *at;
	if (s)
		*at = s->next;
	return s;
}

void samples_free(struct launch_samples *samples)
{
	struct arena arena = samples->arena; /* it lies in it */

	arena_free(&arena);
}

const struct observer observer_samples = {
	.is_asked = is_asked,
	.launch_ends = launch_ends,
	.flush = flush,
};
