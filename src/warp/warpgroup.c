/* Matrices in shared memory, as wgmma's descriptors have them (PTX ISA, "Shared Memory Matrix Layout", "Strides" and
 * "Canonical Layouts").  In chunks of 16 bytes, with S the stride and L the leading dimension byte offset, w chunks in
 * a row of the pattern: K-major   row r, chunk c along k:  r % 8 * w + r / 8 * S + c, without swizzle c * L MN-major
 * chunk c, k:              c % w + c / w * L + k % 8 * w + k / 8 * S, without swizzle S and L changed The swizzle
 * changes the address that results: its chunk within 128, 64 or 32 bytes by the row of 128 bytes.  So a start address
 * that is moved along a row, to the next k, still finds what a swizzled copy has put there.  Of a pattern that does not
 * begin at a multiple of its size, the base offset is the row at which it does. */
#include "warp/warpgroup.h"

#include <assert.h>

#define ADDRESS_BITS 18

static uint32_t field(uint64_t bits, uint32_t first)
{
	return (uint32_t)(bits >> first & 0x3fff) * MATRIX_CHUNK;
}

struct matrix_descriptor matrix_descriptor_read(uint64_t bits, bool by_columns)
{
	static const uint8_t chunks[] = {1, 8, 4, 2};

	return (struct matrix_descriptor){.start = field(bits, 0),
		.leading = field(bits, 16),
		.stride = field(bits, 32),
		.base = (uint8_t)(bits >> 49 & 7),
		.chunks = chunks[bits >> 62],
		.by_columns = by_columns};
}

uint32_t matrix_descriptor_chunk(const struct matrix_descriptor *d, uint32_t line, uint32_t chunk)
{
	uint32_t w = d->chunks, offset = line % 8 * w * MATRIX_CHUNK, address;

	assert(w && w <= 8 && !(w & (w - 1)));
	if (!d->by_columns)
		offset += line / 8 * d->stride + chunk * (w == 1 ? d->leading : MATRIX_CHUNK);
	else if (w == 1)
		offset += line / 8 * d->leading + chunk * d->stride;
	else
		offset += line / 8 * d->stride + chunk % w * MATRIX_CHUNK + chunk / w * d->leading;
	address = (d->start + offset) & ((1u << ADDRESS_BITS) - 1);
	return address ^ (((address >> 7) - d->base) & (w - 1)) * MATRIX_CHUNK;
}
