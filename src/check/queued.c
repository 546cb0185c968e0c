/* What is queued behind the kernel that hangs: see change.h.  A copy writes what it writes.  Of a kernel it is not
 * known without running it; it may write the word when it has stores and is given a pointer into the word's buffer, and
 * a run shows whether it does. */
#include "check/change.h"

#include "machine/gpu/children.h"
#include "machine/state/machine.h"
#include "util/demangle.h"

#include <string.h>

/* A parameter points into the buffer. */
static bool has_pointer(const uint8_t *parameters, uint32_t bytes, const struct allocation *buffer)
{
	uint64_t value;

	for (uint32_t at = 0; at + sizeof value <= bytes; at += sizeof value) {
		memcpy(&value, parameters + at, sizeof value);
		if (value >= buffer->address && value - buffer->address < buffer->bytes)
			return true;
	}
	return false;
}

static bool may_write(const struct queued_work *work, const struct change *word, const struct allocation *buffer)
{
	const struct gpu_launch *launch = work->launch;

	if (work->is_kernel)
		return launch && ahead_has_stores(launch->kernel, space_GLOBAL) &&
		       has_pointer(launch->values.parameters, launch->values.parameter_bytes, buffer);
	if (!work->bytes) /* a function of the host */
		return buffer->host_writes;
	return word->address >= work->address && word->address + word->bytes <= work->address + work->bytes;
}

static const struct allocation *buffer_of(const struct machine *machine, const struct change *word)
{
	return word->kind == CHANGE_WORD && word->space == space_GLOBAL
		       ? space_find(machine->space, word->address, word->bytes)
		       : NULL;
}

struct change queued_change(const struct machine *machine, const struct change *word)
{
	struct change change = {
		.kind = CHANGE_QUEUED, .space = word->space, .bytes = word->bytes, .address = word->address};
	const struct gpu *gpu = machine->gpu;
	const struct allocation *buffer = buffer_of(machine, word);

	for (uint32_t k = 0; buffer && k < gpu->host.queued_count && change.value_count < CHANGE_VALUES; k++)
		if (may_write(&gpu->host.queued[k], word, buffer))
			change.values[change.value_count++] = k;
	return change;
}

const char *queued_words(
	const struct machine *machine, const struct change *change, uint32_t k, bool confirmed, struct arena *arena)
{
	const struct queued_work *work = &machine->gpu->host.queued[change->values[k]];

	return arena_printf(arena, "%s, which %s write it, is queued %s", work->what,
		confirmed || work->bytes ? "would" : "may", work->where);
}

/* ---- Grids that kernels have launched on the GPU ---- */

static bool is_setter(const struct child *child, const struct allocation *buffer)
{
	return child->is_grid && !child->done && child->grid.parameters &&
	       has_pointer(child->grid.parameters, child->grid.parameter_bytes, buffer);
}

static bool has_tail_setter(const struct family *family, const struct allocation *buffer)
{
	for (const struct child *child = family->tail; child; child = child->next)
		if (is_setter(child, buffer))
			return true;
	return false;
}

static bool has_next_setter(const struct child *child, const struct allocation *buffer)
{
	for (uint32_t k = 0; k < child->then.count; k++)
		if (is_setter(child->then.at[k], buffer))
			return true;
	return false;
}

const char *queued_grid_words(const struct machine *machine, const struct change *word, struct arena *arena)
{
	const struct allocation *buffer = buffer_of(machine, word);

	for (const struct launch *l = buffer ? machine->launches.first : NULL; l; l = l->next) {
		bool in_tail = l->family && has_tail_setter(l->family, buffer);
		const char *name = demangle_brief(arena, l->kernel->entry->name);

		if (in_tail || (l->child && has_next_setter(l->child, buffer)))
			return arena_printf(arena,
				"a grid that %s%s%s may write it, and begins when that kernel has ended",
				in_tail ? "kernel " : "was launched on the GPU behind kernel ", name,
				in_tail ? " has launched into its tail-launch stream" : " in its stream");
	}
	return NULL;
}
