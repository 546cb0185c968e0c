/* Running a launch again to record who writes a few words: see history.h. */
#include "explore/history.h"

#include "explore/again.h"
#include "machine/gpu/machine.h"

#include <string.h>

static void observe(struct gpu *gpu, struct gpu_model *model, void *context)
{
	(void)model;
	gpu->observe[OBSERVER_writes] = context;
}

static bool value_of(const struct machine *machine, const struct written_word *word, uint64_t *value)
{
	const uint8_t *at = NULL;
	const struct group *group;
	struct core *core;

	if (word->space == space_SHARED) {
		group = machine_group(machine, word->launch, word->group, &core);
		at = group ? group->shared + word->address : NULL;
	} else if (space_find(machine->space, word->address, word->bytes)) {
		at = space_host(machine->space, word->address);
	}
	*value = 0;
	if (at)
		memcpy(value, at, word->bytes);
	return at;
}

static void note_start(const struct machine *machine, struct writes *writes)
{
	for (uint32_t k = 0; k < writes->count; k++) {
		struct written_word *word = &writes->words[k];

		if (word->space != space_SHARED)
			word->has_initial = value_of(machine, word, &word->initial);
		word->value = word->initial;
	}
}

/* The run came to the same end: each word has the value that it has in the hang. */
static bool is_same_end(const struct machine *machine, const struct writes *writes)
{
	uint64_t value;

	for (uint32_t k = 0; k < writes->count; k++)
		if (!value_of(machine, &writes->words[k], &value) || value != writes->words[k].value)
			return false;
	return true;
}

static bool can_watch(const struct machine *machine, const struct writes *writes)
{
	uint64_t value;

	for (uint32_t k = 0; k < writes->count; k++)
		if ((writes->words[k].bytes != 4 && writes->words[k].bytes != 8) ||
			writes->words[k].address % writes->words[k].bytes ||
			!value_of(machine, &writes->words[k], &value))
			return false;
	return writes->count && writes->count <= WRITES_WORDS;
}

/* The buffer of the first word. */
static void find_buffer(const struct machine *machine, struct writes *writes)
{
	const struct written_word *word = &writes->words[0];
	const struct allocation *a =
		word->space == space_GLOBAL ? space_find(machine->space, word->address, word->bytes) : NULL;

	writes->first = a ? a->address : 0;
	writes->end = a ? a->address + a->bytes : word->space == space_SHARED ? UINT32_MAX : 0;
}

bool history_of(struct machine *machine, const struct launch *launch, struct writes *writes, double until)
{
	enum again_outcome outcome;
	struct again *again;

	if (again_clock() >= until || again_refuses(machine) || !can_watch(machine, writes))
		return false;
	writes->group_threads = launch->group.threads;
	writes->groups = launch->total_groups;
	find_buffer(machine, writes);
	again = again_begin(machine, observe, writes);
	note_start(machine, writes);
	outcome = again_run(again, (struct again_limits){.cycles = again_limit_for(machine), .until = until});
	writes->as_before = again_elapsed(again) == again_elapsed_on(machine);
	again_end(again);
	return outcome == AGAIN_HANGS && is_same_end(machine, writes);
}
