/* The names of threads and words: see names.h. */
#include "explore/names.h"

const char *name_of_thread(struct arena *arena, const struct launch_values *values, uint32_t group, uint32_t thread)
{
	const uint32_t *b = values->block;
	uint32_t at[3];

	launch_place_group(values, group, at);
	return arena_printf(arena, "group (%u,%u,%u) thread (%u,%u,%u)", at[0], at[1], at[2], thread % b[0],
		thread / b[0] % b[1], thread / b[0] / b[1]);
}

const char *name_of_word(struct arena *arena, const struct address_space *memory, uint8_t space, uint64_t address)
{
	const struct allocation *a = space == space_SHARED ? NULL : space_nearest(memory, address);

	if (space == space_SHARED)
		return arena_printf(arena, "shared memory + 0x%llx", (unsigned long long)address);
	if (!a || address < a->address || !allocation_name(a))
		return arena_printf(arena, "0x%llx", (unsigned long long)address);
	return arena_printf(arena, "0x%llx (%s + 0x%llx)", (unsigned long long)address, allocation_words(arena, a),
		(unsigned long long)(address - a->address));
}

const char *name_of_value(struct arena *arena, uint32_t bytes, uint64_t value)
{
	int64_t number = bytes == 4 ? (int32_t)value : (int64_t)value;

	if (number < 0 && number > -65536)
		return arena_printf(arena, "%lld", (long long)number);
	return arena_printf(arena, "%llu", (unsigned long long)value);
}
