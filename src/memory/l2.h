/* The tags of one L2 slice: which sectors are valid, dirty or outstanding.  It has no times and no data.
 *
 * Write-back, write-allocate, least recently used.  A store to a sector that is not there takes the sector without
 * fetching it and remembers the bytes; only a load of a sector that is known in part fetches the rest. */
#ifndef LOCKSTEP_MEMORY_L2_H
#define LOCKSTEP_MEMORY_L2_H

#include "util/arena.h"

#include <assert.h>
#include <stdint.h>

/* Of an L2: bytes of a line, 128 at most, and of a sector. */
struct l2_shape {
	uint32_t sets, ways, line_bytes, sector_bytes;
};

struct l2_line {
	uint64_t settled;    /* of the caller: core cycle at which the last atomic on the line is answered */
	uint64_t written[2]; /* bit per byte, meaningful for sectors that are not valid */
	void *waiters;       /* of the caller: requests that wait for sectors, in order of arrival */
	uint8_t valid;       /* bit per sector: may be read */
	uint8_t dirty;       /* differs from DRAM; possibly known only in part */
	uint8_t pending;     /* requested from DRAM; changed by l2_ask and l2_fill only */
};

struct l2 {
	uint64_t *tags;        /* line address, or L2_EMPTY; sets * ways */
	uint64_t *used;        /* as the tags: larger means more recently; L2_PENDING added: cannot be evicted */
	struct l2_line *lines; /* as the tags */
	uint32_t sets, ways;
	uint32_t sector_bytes, sectors; /* of a line */
	uint32_t sector_bits;           /* of an address within its line, those below the sector's number */
	uint32_t line_bits;             /* of an address, those within its line */
	uint64_t bytes_of[4][2];        /* the bytes of each sector: bit per byte of the line */
	uint64_t clock;                 /* counts uses */
	uint64_t filled;                /* empty places that were taken, those that a line had left counted again */
};

#define L2_EMPTY 0ull /* no line is at address 0, and memory that is never touched costs nothing */
#define L2_NONE UINT32_MAX
#define L2_PENDING (1ull << 63)

void l2_create(struct l2 *l2, struct arena *arena, const struct l2_shape *shape);

/* The index of the line at `address`, which is not 0, within its set, or L2_NONE. */
uint32_t l2_find(const struct l2 *l2, uint32_t set, uint64_t address);
/* The index of the line to replace in `set`: an empty one, else the least recently used; L2_NONE when every line has
 * outstanding sectors. */
uint32_t l2_victim(const struct l2 *l2, uint32_t set);
/* Replaces a victim by the line of `address`, with nothing valid.  The caller has written back what was dirty. */
void l2_take(struct l2 *l2, uint32_t index, uint64_t address);

/* The line at `index`, which is neither dirty nor outstanding, is no longer there. */
void l2_leave(struct l2 *l2, uint32_t index);

static inline void l2_use(struct l2 *l2, uint32_t index)
{
	assert(l2->tags[index] != L2_EMPTY);
	l2->used[index] = ++l2->clock | (l2->used[index] & L2_PENDING);
}

/* The sectors that any of the bytes in `mask` lie in. */
uint8_t l2_sectors_of(const struct l2 *l2, const uint64_t mask[2]);
/* A store of the bytes in `mask`: their sectors become dirty, and valid if all their bytes are now known. */
void l2_write(struct l2 *l2, uint32_t index, const uint64_t mask[2]);
/* l2_ask: sectors are requested from DRAM; l2_fill: they have arrived. */
void l2_ask(struct l2 *l2, uint32_t index, uint8_t sectors);
void l2_fill(struct l2 *l2, uint32_t index, uint8_t sectors);

#endif
