/* What is queued behind the kernel that hangs: see queued.h.  A copy writes what it writes.  Of a kernel it is not
 * known without running it; it may write the word when it has stores and is given a pointer into the word's buffer, and
 * a run shows whether it does. */
#include "check/queued.h"

#include "check/ahead.h"
#include "machine/state.h"

#include <string.h>

static bool writes_word(const struct queued_work *work, const struct change *word)
{
	return word->address >= work->address && word->address + word->bytes <= work->address + work->bytes;
}

/* A parameter of the kernel points into the buffer. */
static bool gets_pointer(const struct queued_work *work, const struct allocation *buffer)
{
	const struct gpu_launch *launch = work->launch;
	uint64_t value;

	if (!launch || !ahead_has_stores(launch->kernel, space_GLOBAL))
		return false;
	for (uint32_t at = 0; at + sizeof value <= launch->values.parameter_bytes; at += sizeof value) {
		memcpy(&value, launch->values.parameters + at, sizeof value);
		if (value >= buffer->address && value - buffer->address < buffer->bytes)
			return true;
	}
	return false;
}

static bool may_write(const struct queued_work *work, const struct change *word, const struct allocation *buffer)
{
	if (work->is_kernel)
		return gets_pointer(work, buffer);
	return work->bytes ? writes_word(work, word) : buffer->host_writes; /* a function of the host */
}

struct change queued_change(const struct machine *machine, const struct change *word)
{
	struct change change = {
		.kind = CHANGE_QUEUED, .space = word->space, .bytes = word->bytes, .address = word->address};
	const struct gpu *gpu = machine->gpu;
	const struct allocation *buffer = word->kind == CHANGE_WORD && word->space == space_GLOBAL
						  ? space_find(&gpu->space, word->address, word->bytes)
						  : NULL;

	for (uint32_t k = 0; buffer && k < gpu->queued_count && change.value_count < CHANGE_VALUES; k++)
		if (may_write(&gpu->queued[k], word, buffer))
			change.values[change.value_count++] = k;
	return change;
}

const char *queued_words(
	const struct machine *machine, const struct change *change, uint32_t k, bool confirmed, struct arena *arena)
{
	const struct queued_work *work = &machine->gpu->queued[change->values[k]];

	return arena_printf(arena, "%s, which %s write it, is queued %s", work->what,
		confirmed || work->bytes ? "would" : "may", work->where);
}
