/* Stores and atomics on the bytes of global memory. */
#include "memory/message.h"

#include "warp/warp.h"

#include <assert.h>
#include <string.h>

/* Of 8 bytes.  A word is written at once: the host may look at it at any time. */
static void store_some(uint8_t *to, const uint8_t *from, uint32_t mask)
{
	assert(mask);
	assert(mask <= 0xff);
	if (mask == 0x0f || mask == 0xf0) { /* mostly */
		uint32_t k = mask == 0xf0 ? 4 : 0;
		memcpy(to + k, from + k, 4);
		return;
	}
	for (uint32_t k = 0; k < 8; k += 2) {
		if (!(k & 2) && (mask >> k & 0xf) == 0xf) {
			memcpy(to + k, from + k, 4);
			k += 2;
		} else if ((mask >> k & 3) == 3) {
			memcpy(to + k, from + k, 2);
		} else if (mask >> k & 3) {
			uint32_t odd = mask >> k >> 1 & 1;
			to[k + odd] = from[k + odd];
		}
	}
}

void apply_store(uint8_t *line, const struct store_payload *store)
{
	if ((store->mask[0] & store->mask[1]) == UINT64_MAX) {
		memcpy(line, store->data, LINE_BYTES);
		return;
	}
	for (uint32_t half = 0; half < LINE_BYTES / 64; half++)
		for (uint64_t left = store->mask[half]; left;) {
			uint32_t shift = (uint32_t)__builtin_ctzll(left) & ~7u, k = half * 64 + shift,
				 mask = left >> shift & 0xff;
			if (mask == 0xff)
				memcpy(line + k, store->data + k, 8);
			else
				store_some(line + k, store->data + k, mask);
			left &= ~(UINT64_C(0xff) << shift);
		}
}

/* Exchange and compare-and-swap of 16 bytes; a and b are low half, high half. */
static void apply_wide(uint64_t *at, enum atomic_op op, const uint64_t a[2], const uint64_t b[2], uint64_t *old)
{
	assert(op == ATOMIC_EXCH || op == ATOMIC_CAS);
	assert((uintptr_t)at % 16 == 0);
	uint64_t before[2] = {at[0], at[1]};
	if (op == ATOMIC_EXCH)
		memcpy(at, a, sizeof(before));
	else if (before[0] == a[0] && before[1] == a[1])
		memcpy(at, b, sizeof(before));
	if (old)
		memcpy(old, before, sizeof(before));
}

static __attribute__((noinline)) void apply_all_wide(
	const struct address_space *space, const struct atomic_payload *atomic, uint64_t *old)
{
	assert(atomic->bytes == 16);
	assert(atomic->count);
	const struct atomic_entry *entry = atomic_entries(atomic);
	const uint64_t *high = (const uint64_t *)(const void *)(entry + atomic->count);
	for (uint32_t k = 0; k < atomic->count; k++, entry++)
		apply_wide(space_host(space, entry->address), atomic->op, (const uint64_t[]){entry->a, high[2 * k]},
			(const uint64_t[]){entry->b, high[2 * k + 1]}, old ? old + 2 * k : NULL);
}

/* Compare-and-swaps of words, of which most locks are made. */
static void swap_words(const struct address_space *space, const struct atomic_entry *entry,
	const struct atomic_entry *end, uint64_t *old)
{
	for (; entry < end; entry++) {
		uint32_t *at = space_host(space, entry->address), before = *at;
		assert(entry->address % sizeof *at == 0);
		if (before == (uint32_t)entry->a)
			*at = (uint32_t)entry->b;
		if (old)
			*old++ = before;
	}
}

void apply_atomic(const struct address_space *space, const struct atomic_payload *atomic, uint64_t *old)
{
	const struct atomic_entry *entry = atomic_entries(atomic), *end = entry + atomic->count;
	enum ptx_type type = atomic->type;
	enum atomic_op op = atomic_in_global(atomic->op, type);
	assert(atomic->count);
	assert((atomic->bytes & (atomic->bytes - 1)) == 0);
	if (atomic->bytes == 16) {
		apply_all_wide(space, atomic, old);
		return;
	}
	if (op == ATOMIC_CAS && atomic->bytes == 4 && !space->host_writes) {
		swap_words(space, entry, end, old);
		return;
	}
	for (; entry < end; entry++) {
		void *at = space_host(space, entry->address);
		assert(entry->address % atomic->bytes == 0);
		uint64_t before = space->host_writes ? atomic_apply_shared(op, type, at, entry->a, entry->b)
						     : atomic_apply(op, type, at, entry->a, entry->b);
		if (old)
			*old++ = before;
	}
}
