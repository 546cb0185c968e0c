/* The L1 data cache of a core: tags, data, and outstanding misses (MSHRs).
 *
 * Lines carry data, so a hit returns what memory held when the line was filled, not what it holds now: stale reads
 * occur as on hardware.  Three rules keep one location coherent for the threads of the core itself:
 *   - a store (or atomic) to a line closes its outstanding request: later loads start a new one, and the data of the
 *     old one goes to the loads that wait for it but is not kept, as it may have been read before the store was
 *     served;
 *   - an invalidation closes all outstanding requests, for the same reason;
 *   - a request that bypasses the cache is never shared.
 * Messages from one core about one line stay in order, so a new request is served after the store. */
#ifndef LOCKSTEP_MEMORY_L1_H
#define LOCKSTEP_MEMORY_L1_H

#include "memory/message.h"
#include "model/model.h"

#include <assert.h>

#define L1_NONE 0xffffffffu

/* One load that waits for (part of) a line. `user` and `lanes` are the caller's. */
struct l1_waiter {
	lane_mask lanes;
	uint32_t user;
	uint32_t next; /* index, or L1_NONE */
};

/* A missing line, whose request is outstanding. */
struct l1_miss {
	uint64_t line;
	uint32_t first, last; /* waiters in order of arrival */
	uint16_t waiting;     /* how many */
	uint8_t sectors;      /* that were requested */
	uint8_t open;         /* other loads may join it, and the line is kept when it arrives */
	uint8_t used;
	uint32_t next; /* free list, or list of used ones */
	uint32_t previous;
};

/* Lines of a set are a list by last use, those of a bucket one without order.  Links are an index plus one; 0: none. */
struct l1_line {
	uint32_t older, newer;
	uint32_t next;   /* of its bucket */
	uint8_t sectors; /* valid ones */
};

/* Of its ways the first `used` are in the list: all that have been filled since the cache was empty. */
struct l1_set {
	uint32_t oldest, newest, used;
};

#define L1_OPEN 64       /* a power of two */
#define L1_OWN_STORES 64 /* a power of two */

struct l1 {
	uint32_t sets, ways, hash, line_shift /* log2 of a line's bytes */, sector_shift /* likewise */, merges;
	uint8_t all_sectors;
	uint32_t most_ways;    /* what there is room for; `ways` of them are the cache's */
	struct arena *arena;   /* its own */
	uint64_t *tags;        /* [set * ways + way]: the line's address, or 0 when empty: never a line's */
	struct l1_line *lines; /* likewise; null until the first line comes, with `data` and `since` */
	uint8_t *data;         /* LINE_BYTES each, of which shorter lines have the first */
	struct l1_set *use;    /* of each set */
	uint32_t *buckets;     /* by a hash of the address: the first line, plus one; 0: none */
	uint32_t bucket_bits;
	/* of each line, the stamp of a quantum: its bytes are what memory held then or later, or own stores */
	uint64_t *since;
	uint64_t now; /* stamp of the quantum, which the owner keeps up to date: see line_history.h */
	uint16_t own_stores[L1_OWN_STORES]; /* by line: outstanding stores that also wrote to the line here */
	bool is_filled;                     /* something has come since the last invalidation */
	struct l1_miss *misses;
	uint64_t *miss_since; /* of each miss: stamp of the quantum in which it was sent */
	/* lists through `next`; entries from miss_fresh on were never used and are in neither */
	uint32_t miss_free, miss_used;
	uint32_t miss_fresh, miss_limit;
	uint32_t miss_count;       /* used */
	uint32_t open_count;       /* of them, those that other loads may join: never bypassing ones */
	uint32_t open_in[L1_OPEN]; /* of them, those of lines with this place: see l1_open_in */
	struct l1_waiter *waiters;
	uint32_t waiter_free, waiter_count; /* waiter_count: ever used */
};

void l1_create(struct l1 *cache, struct arena *arena, const struct gpu_model *model);

/* The line that an address lies in, and the bytes of each. */
static inline uint64_t l1_line_of(const struct l1 *cache, uint64_t address)
{
	assert(cache->line_shift);
	return address >> cache->line_shift << cache->line_shift;
}
static inline uint32_t l1_line_bytes(const struct l1 *cache)
{
	assert(cache->line_shift);
	return 1u << cache->line_shift;
}

/* The set of a line. */
static inline uint32_t l1_set_of(const struct l1 *cache, uint64_t line)
{
	uint64_t index = line >> cache->line_shift;

	assert(line % LEAST_LINE == 0);
	if (cache->hash)
		index ^= index >> 5 ^ index >> 11 ^ index >> 17;
	return (uint32_t)index & (cache->sets - 1);
}

/* The sectors that bytes [offset, offset + bytes) of a line touch. */
static inline uint8_t l1_sector_mask(const struct l1 *cache, uint32_t offset, uint32_t bytes)
{
	assert(bytes);
	assert(offset + bytes <= l1_line_bytes(cache));
	uint32_t first = offset >> cache->sector_shift, last = (offset + bytes - 1) >> cache->sector_shift;
	return (uint8_t)((2u << last) - (1u << first));
}

/* The line when all `sectors` are present, else null.  Counts as a use. */
struct l1_line *l1_lookup(struct l1 *cache, uint64_t line, uint8_t sectors);

static inline uint8_t *l1_data(const struct l1 *cache, const struct l1_line *line)
{
	assert(line >= cache->lines);
	assert(line < cache->lines + (size_t)cache->sets * cache->most_ways);
	return cache->data + (size_t)(line - cache->lines) * LINE_BYTES;
}

static inline uint64_t *l1_since(const struct l1 *cache, const struct l1_line *line)
{
	return &cache->since[line - cache->lines];
}

/* The number of outstanding stores whose bytes were also written to this line in the cache, or to a line with the same
 * number modulo L1_OWN_STORES. The owner of the cache counts.  While it is not 0, memory may be older than the line. */
static inline uint16_t *l1_own_stores(struct l1 *cache, uint64_t line)
{
	assert(line % LEAST_LINE == 0);
	return &cache->own_stores[(line >> cache->line_shift) % L1_OWN_STORES];
}

/* The same for any sectors, without a use. */
const uint8_t *l1_peek(const struct l1 *cache, uint64_t line);

enum l1_join {
	L1_JOINED, /* waits for an outstanding request */
	L1_SEND,   /* a new request was entered: the caller sends MESSAGE_LOAD with *token */
	L1_FULL,   /* no room: try again after a reply */
};
/* Enters a load that missed, or bypasses (then never shared). */
enum l1_join l1_join(
	struct l1 *cache, uint64_t line, uint8_t sectors, bool bypass, struct l1_waiter waiter, uint32_t *token);

/* A MESSAGE_LOADED has arrived: keeps the data if the request is still open.  Afterwards the caller walks the waiters
 * from misses[token].first and then calls l1_release. */
void l1_fill(struct l1 *cache, uint32_t token, uint8_t sectors, const uint8_t *data);
void l1_release(struct l1 *cache, uint32_t token);

/* Where the bucket of a line begins. */
static inline uint32_t *l1_bucket(const struct l1 *cache, uint64_t line)
{
	assert(cache->bucket_bits);
	assert(cache->bucket_bits < 32);
	return &cache->buckets[(line >> cache->line_shift) * 0x9e3779b97f4a7c15u >> (64 - cache->bucket_bits)];
}
/* How many outstanding requests that may be joined are of the line, or of one that shares its place. */
static inline uint32_t *l1_open_in(struct l1 *cache, uint64_t line)
{
	assert(line % LEAST_LINE == 0);
	return &cache->open_in[(line >> cache->line_shift) % L1_OPEN];
}
/* For l1_write only. */
bool l1_write_line(struct l1 *cache, uint64_t line, const struct store_payload *payload, bool keep);
/* For a store or atomic: closes outstanding requests of the line; with `keep`, the new bytes are written to a present
 * line (`payload` not null), else the line is evicted.  True if the line was present. */
static inline bool l1_write(struct l1 *cache, uint64_t line, const struct store_payload *payload, bool keep)
{
	assert(line % LEAST_LINE == 0);
	return (*l1_bucket(cache, line) || *l1_open_in(cache, line)) && l1_write_line(cache, line, payload, keep);
}

/* Empties the cache and closes all outstanding requests. */
void l1_invalidate(struct l1 *cache);
/* Gives it so many ways, 1 to most_ways, and empties it; if it has them nothing happens. */
void l1_resize(struct l1 *cache, uint32_t ways);

#endif
