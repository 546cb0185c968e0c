/* Global memory, as the host sees it. */
#include "api/api.h"
#include "init/init.h"
#include "util/lookup.h"

#include <string.h>

uint64_t lockstep_allocate(struct lockstep *lockstep, size_t bytes, const char *name)
{
	return space_allocate(&lockstep->gpu.space, bytes, api_text(&lockstep->arena, name));
}

/* The whole allocation that begins there counts as written again. */
static void define_all(struct lockstep *lockstep, uint64_t address)
{
	struct inits *inits = lockstep->gpu.observe[OBSERVER_init];
	const struct allocation *a = inits ? space_find(&lockstep->gpu.space, address, 1) : NULL;

	if (a)
		init_bits_define(&inits->global, a->address, a->bytes);
}

bool lockstep_free(struct lockstep *lockstep, uint64_t address)
{
	define_all(lockstep, address);
	return space_free(&lockstep->gpu.space, address);
}

uint64_t lockstep_register(struct lockstep *lockstep, void *host, size_t bytes, const char *name)
{
	return space_share(&lockstep->gpu.space, host, bytes, name);
}

bool lockstep_unregister(struct lockstep *lockstep, uint64_t address)
{
	return space_unshare(&lockstep->gpu.space, address);
}

void *lockstep_map(struct lockstep *lockstep, uint64_t address, size_t bytes)
{
	return space_find(&lockstep->gpu.space, address, bytes) ? space_host(&lockstep->gpu.space, address) : NULL;
}

bool lockstep_write(
	struct lockstep *lockstep, uint64_t address, const void *host, size_t bytes, struct lockstep_error *error)
{
	void *to = lockstep_map(lockstep, address, bytes);

	if (!to)
		return api_fail_with(error, "write of %zu bytes at 0x%llx: not within one allocation", bytes,
			(unsigned long long)address);
	memcpy(to, host, bytes);
	lockstep_wrote(lockstep, to, bytes);
	return true;
}

void lockstep_undefine(struct lockstep *lockstep, uint64_t address, size_t bytes)
{
	struct inits *inits = lockstep->gpu.observe[OBSERVER_init];

	if (inits && space_find(&lockstep->gpu.space, address, bytes))
		init_bits_undefine(&inits->global, address, bytes);
}

void lockstep_wrote(const struct lockstep *lockstep, const void *at, size_t bytes)
{
	const struct address_space *space = &lockstep->gpu.space;
	uint64_t offset = (uint64_t)((uintptr_t)at - (uintptr_t)space->bytes);
	struct inits *inits = lockstep->gpu.observe[OBSERVER_init];

	if (inits && offset < space->size && bytes <= space->size - offset)
		init_bits_define(&inits->global, GLOBAL_BASE + offset, bytes);
}

uint64_t lockstep_memory_hash(const struct lockstep *lockstep)
{
	const struct address_space *space = &lockstep->gpu.space;
	uint64_t hash = 0, word;

	for (uint32_t k = 0; k < space->count; k++) {
		const struct allocation *a = &space->allocations[k];
		const uint8_t *bytes = space_host(space, a->address);
		if (!a->live)
			continue;
		hash = lookup_mix(lookup_mix(hash, a->address), a->bytes);
		for (uint64_t at = 0; at < a->bytes; at += sizeof word) {
			word = 0;
			memcpy(&word, bytes + at, a->bytes - at < sizeof word ? a->bytes - at : sizeof word);
			hash = lookup_mix(hash, word);
		}
	}
	return hash;
}

bool lockstep_read(struct lockstep *lockstep, void *host, uint64_t address, size_t bytes, struct lockstep_error *error)
{
	const void *from = lockstep_map(lockstep, address, bytes);

	if (!from)
		return api_fail_with(error, "read of %zu bytes at 0x%llx: not within one allocation", bytes,
			(unsigned long long)address);
	memcpy(host, from, bytes);
	return true;
}

void lockstep_fill(const struct lockstep *lockstep, void *to, size_t bytes, const void *pattern, size_t pattern_bytes)
{
	space_fill(&lockstep->gpu.space, to, bytes, pattern, pattern_bytes);
	lockstep_wrote(lockstep, to, bytes);
}

void lockstep_expect_host_writes(struct lockstep *lockstep, uint64_t address)
{
	space_expect_host_writes(&lockstep->gpu.space, address);
}

bool lockstep_set_heap(struct lockstep *lockstep, uint64_t bytes)
{
	if (lockstep->gpu.heap.blocks || bytes > UINT32_MAX)
		return false;
	lockstep->gpu.heap.bytes = bytes;
	return true;
}

void lockstep_name_by(struct lockstep *lockstep, uint64_t address, const char *(*make_name)(void *origin), void *origin)
{
	space_name_by(&lockstep->gpu.space, address, make_name, origin);
}

void lockstep_freed_by(struct lockstep *lockstep, uint64_t address, const char *(*make_name)(void *origin),
	void *origin, const char *where)
{
	space_freed_by(&lockstep->gpu.space, address, &(struct freeing){make_name, origin, where});
}
