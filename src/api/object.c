/* What lies at an address, in words. */
#include "api/api.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* A variable of a function: "_ZZ4loopPiE4tile", as C++ has it, or clang's "loop_$_tile", is "tile". */
static const char *plain_name(const char *name)
{
	const char *of_function = strstr(name, "_$_");

	if (of_function)
		return of_function + 3;
	for (const char *at = strncmp(name, "_ZZ", 3) ? NULL : strchr(name, 'E'); at; at = strchr(at + 1, 'E')) {
		char *end;
		unsigned long length = isdigit((unsigned char)at[1]) ? strtoul(at + 1, &end, 10) : 0;

		if (length && strlen(end) == length)
			return end;
	}
	return name;
}

static const char *shared_object(struct arena *arena, const struct kernel *kernel, uint64_t address)
{
	const struct shared_place *s = kernel_shared_at(kernel, address);

	if (!s)
		return arena_printf(arena, "shared memory + 0x%" PRIx64, address);
	return arena_printf(arena, "shared memory + 0x%" PRIx64 " ('%s' + 0x%" PRIx64 ")", address,
		plain_name(s->variable->name), address - s->offset);
}

const char *api_object(struct arena *arena, const struct lockstep *lockstep, const struct kernel *kernel, uint8_t space,
	uint64_t address)
{
	if (space == space_LOCAL)
		return arena_printf(arena, "local memory + 0x%" PRIx64, address);
	if (space == space_SHARED)
		return shared_object(arena, kernel, address);
	const struct allocation *a = space_find(&lockstep->gpu.space, address, 1);
	if (!a)
		return arena_printf(arena, "0x%" PRIx64, address);
	return arena_printf(
		arena, "0x%" PRIx64 " (%s + 0x%" PRIx64 ")", address, allocation_words(arena, a), address - a->address);
}
