/* Bit sets over blocks or registers, as arrays of 64-bit words. */
#ifndef LOCKSTEP_KERNEL_BITS_H
#define LOCKSTEP_KERNEL_BITS_H

#include <stdbool.h>
#include <stdint.h>

static inline uint32_t bits_words(uint32_t count)
{
	return (count + 63) / 64;
}

static inline bool bits_has(const uint64_t *bits, uint32_t k)
{
	return bits[k / 64] >> (k % 64) & 1;
}

static inline void bits_add(uint64_t *bits, uint32_t k)
{
	bits[k / 64] |= 1ull << (k % 64);
}

static inline void bits_remove(uint64_t *bits, uint32_t k)
{
	bits[k / 64] &= ~(1ull << (k % 64));
}

/* The first member at or after `from`; `count` when there is none. */
static inline uint32_t bits_next(const uint64_t *bits, uint32_t count, uint32_t from)
{
	for (uint32_t word = from / 64; word < bits_words(count); word++) {
		uint64_t rest = bits[word] & (word == from / 64 ? ~0ull << (from % 64) : ~0ull);
		if (rest)
			return word * 64 + (uint32_t)__builtin_ctzll(rest);
	}
	return count;
}

/* A loop over the members: `for_each_bit (k, live, count) ...`. */
#define for_each_bit(k, bits, count)                                                                                   \
	for (uint32_t k = bits_next((bits), (count), 0); k < (count); k = bits_next((bits), (count), k + 1))

#endif
