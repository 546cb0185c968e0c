/* What a memory access does with the lanes of a warp: compiled once per warp size and processor, in lanes/memory.c. */
#ifndef LOCKSTEP_WARP_MEMORY_H
#define LOCKSTEP_WARP_MEMORY_H

#include "kernel/insn.h"

/* Where address 0 of a space would be in host memory.  Not a pointer: global memory lies in the host at its own
 * addresses, so this may be 0, and C knows no sums of null. */
typedef uintptr_t memory_base;

static inline uint8_t *memory_byte(memory_base memory, uint64_t address)
{
	return (uint8_t *)(memory + address);
}

/* Where accesses may go: addresses from `first` to `first + room`, which is less than 4 GiB away.  An address in the
 * window_bytes from `window` on is first made an offset in it. */
struct memory_span {
	uint64_t window, window_bytes; /* window_bytes 0: there is none */
	uint64_t first, room;
};

/* An access of words by all lanes, taken in rows of WARP_ROW, where the lanes of each row go to neighbouring words or
 * all to one.  Lanes are taken in rows since a row of a work-group of 16 x 16 has neighbours, but no more of them. */
#define WARP_ROW 16
struct memory_rows {
	uint32_t at[4]; /* of each row's first lane, as a distance from the span's first */
	uint8_t is_one; /* bit per row: its lanes go to one word */
};

struct lane_memory {
	/* address[l] = base[l] + offset, of all lanes. */
	void (*addresses)(uint64_t *address, const uint64_t *base, uint64_t offset);
	/* The same of addresses of 32 bits, whose sums wrap. */
	void (*addresses_narrow)(uint64_t *address, const uint32_t *base, uint32_t offset);
	/* Addresses, of all lanes, in the `bytes` from `window` on become offsets in it. */
	void (*leave_window)(uint64_t *address, uint64_t window, uint64_t bytes);
	/* Whether the addresses of `lanes` are all from `first` to `first + room`, and have no bit of `odd` set.
	 * Nothing ends above half of the address space. */
	bool (*fit)(const uint64_t *address, lane_mask lanes, uint64_t first, uint64_t room, uint64_t odd);
	/* Of all lanes, those whose address is one of the `bytes`, a power of two, from `first` on, a multiple of it.
	 */
	lane_mask (*in_block)(const uint64_t *address, uint64_t first, uint64_t bytes);
	/* The words of 4 bytes, of 32 from `first` on, that `lanes` go to, one each: bit per word. */
	uint32_t (*words_in)(const uint64_t *address, lane_mask lanes, uint64_t first);
	/* Words of 32 bits between a register and memory, the lowest lane first. */
	void (*load_words)(uint32_t *to, memory_base memory, const uint64_t *address, lane_mask lanes);
	void (*store_words)(memory_base memory, const uint64_t *address, const uint32_t *from, lane_mask lanes);
	/* Words of 32 bits of all lanes, at base[l] + offset, the lowest lane first.
	 * False, and nothing is done: a lane goes elsewhere than the span says, or is not aligned. */
	bool (*load_all)(uint32_t *to, memory_base memory, const uint64_t *base, uint64_t offset,
		const struct memory_span *span);
	bool (*store_all)(memory_base memory, const uint64_t *base, uint64_t offset, const uint32_t *from,
		const struct memory_span *span);
	/* The rows of base[l] + offset, as for load_all; narrow: of addresses of 32 bits, whose sums wrap.  False: a
	 * row is none of these, or a lane goes elsewhere than the span says, or is not aligned. */
	bool (*find_rows)(
		struct memory_rows *rows, const uint64_t *base, uint64_t offset, const struct memory_span *span);
	bool (*find_rows_narrow)(
		struct memory_rows *rows, const uint32_t *base, uint32_t offset, const struct memory_span *span);
	/* Between a register and rows from `memory` on.  Of lanes that write one word the last one does. */
	void (*load_rows)(uint32_t *to, memory_base memory, const struct memory_rows *rows);
	void (*store_rows)(memory_base memory, const struct memory_rows *rows, const uint32_t *from);
	/* Whether all rows lie within `bytes`, and the addresses of their lanes. */
	bool (*rows_are_within)(const struct memory_rows *rows, uint32_t bytes);
	void (*rows_addresses)(uint64_t *address, const struct memory_rows *rows);
	/* Whether no two of `lanes` go to different units of one bank. A unit has 1 << shift bytes, neighbours are in
	 * different banks; banks: a power of two, at most 64. Addresses of shared memory, below 4 GiB. */
	bool (*is_conflict_free)(const uint64_t *address, lane_mask lanes, uint32_t shift, uint32_t banks);
	/* The same value for `lanes` of a register of 4 or 8 bytes. */
	void (*broadcast)(uint32_t *to, lane_mask lanes, uint32_t value);
	void (*broadcast_wide)(uint64_t *to, lane_mask lanes, uint64_t value);
	/* to[l] = first + l, of all lanes. */
	void (*count_up)(uint32_t *to, uint32_t first);
	const struct lane_texture *texture;     /* warp/texture.h */
	const struct lane_warpgroup *warpgroup; /* warp/warpgroup.h */
};

/* The best for this processor. */
const struct lane_memory *warp_memory(uint32_t lanes);

#endif
