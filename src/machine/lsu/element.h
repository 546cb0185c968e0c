/* One lane's element between a register and plain bytes. */
#ifndef LOCKSTEP_MACHINE_LSU_ELEMENT_H
#define LOCKSTEP_MACHINE_LSU_ELEMENT_H

#include "kernel/kernel.h"
#include "warp/warp.h"

#include <assert.h>
#include <string.h>

/* Bytes that a lane accesses. */
static inline uint32_t access_bytes(const struct insn *i)
{
	return (uint32_t)i->access.bytes * i->access.elements;
}

/* One 32-bit word per lane between memory and a register of that width: nearly every access, and worth a loop of its
 * own. */
static inline bool element_is_word(const struct insn *i)
{
	return i->access.bytes == 4 && i->access.elements == 1 && i->access.register_bytes == 4;
}

/* The register of an element: `single` where there are no vectors. */
static inline slot_ref element_slot(
	const struct insn *i, const struct kernel *kernel, uint32_t element, slot_ref single)
{
	return i->access.elements == 1 ? single : kernel->extras[i->extra].vector[element];
}

/* The lowest 8 bytes of a value of `bytes`. */
static inline uint64_t element_low_bits(const void *from, uint32_t bytes)
{
	uint64_t value = 0;
	uint32_t word;

	if (bytes == 4) { /* these two nearly always, and a copy of a known length is one instruction */
		memcpy(&word, from, 4);
		return word;
	}
	if (bytes >= 8) {
		memcpy(&value, from, 8);
		return value;
	}
	memcpy(&value, from, bytes);
	return value;
}

static inline uint64_t element_extend(uint64_t value, uint32_t bytes, bool is_signed)
{
	uint32_t shift = 64 - 8 * bytes;

	return is_signed && bytes < 8 ? (uint64_t)((int64_t)(value << shift) >> shift) : value;
}

/* Writes one lane of a register from memory bytes; `width`: lanes of the warp. */
static inline void element_put(
	uint32_t *const *bank, slot_ref slot, uint32_t lane, uint32_t width, const struct insn *i, const void *from)
{
	uint32_t *at;
	uint64_t value;

	assert(lane < width);
	if (slot == SLOT_NONE)
		return;
	at = bank[slot >> 30] + (slot & SLOT_OFFSET);
	if (i->access.bytes == 16) {
		memcpy((uint64_t *)at + lane, from, 8);
		memcpy((uint64_t *)at + width + lane, (const char *)from + 8, 8);
		return;
	}
	value = element_extend(element_low_bits(from, i->access.bytes), i->access.bytes, i->flags & INSN_SIGNED);
	if (i->access.register_bytes >= 8)
		((uint64_t *)at)[lane] = value;
	else
		at[lane] = (uint32_t)value;
	if (i->access.register_bytes == 16)
		((uint64_t *)at)[width + lane] = i->flags & INSN_SIGNED ? (uint64_t)((int64_t)value >> 63) : 0;
}

/* Reads one lane of a register of source_bytes as memory bytes. */
static inline void element_get(
	const struct warp *w, slot_ref slot, uint32_t lane, uint32_t source_bytes, uint32_t bytes, void *to)
{
	const uint32_t *at;

	assert(lane < w->lanes);
	if (slot == SLOT_NONE) {
		memset(to, 0, bytes);
		return;
	}
	at = slot_at(w, slot);
	if (bytes == 16) {
		memcpy(to, (const uint64_t *)at + lane, 8);
		memcpy((char *)to + 8, (const uint64_t *)at + w->lanes + lane, 8);
	} else if (source_bytes >= 8) {
		memcpy(to, (const uint64_t *)at + lane, bytes);
	} else if (bytes == 4) {
		memcpy(to, at + lane, 4);
	} else if (bytes < 4) {
		memcpy(to, at + lane, bytes);
	} else {
		uint64_t wide = at[lane];

		memcpy(to, &wide, bytes);
	}
}

#endif
