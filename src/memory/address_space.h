/* Global memory: one reserved range of host memory, and the list of allocations in it.
 *
 * The first space of a process lies at the host addresses equal to its own, if these are free, as they are in programs
 * that are not linked to that range: so a host program and its kernels can share pointers.  Nothing else depends on it.
 *
 * Cores do not touch the bytes: partitions do, when a request is served (timing), or the functional mode.  The list of
 * allocations does not change while a kernel runs, so cores may search it.  The history of lines is also kept here.
 *
 * Generic addresses: [GLOBAL_BASE, ...) global and module constants; [SHARED_BASE, +16 MiB) the group's shared memory,
 * and behind its SHARED_PART_BYTES that of each group of its cluster, in the order of their ranks;
 * [LOCAL_BASE, +16 MiB) the thread's local memory; [PARAMETER_BASE, +64 KiB) the kernel's parameters.  All windows lie
 * below 4 GiB so that modules of 32-bit addresses work; null and the first megabytes are never mapped. */
#ifndef LOCKSTEP_MEMORY_ADDRESS_SPACE_H
#define LOCKSTEP_MEMORY_ADDRESS_SPACE_H

#include "memory/line_history.h"
#include "util/arena.h"

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>

#define PARAMETER_BASE 0x00800000ull
#define SHARED_BASE 0x01000000ull
#define LOCAL_BASE 0x02000000ull
#define WINDOW_BYTES 0x01000000ull
#define SHARED_PART_BYTES 0x00080000ull
#define CLUSTER_GROUPS 16 /* of a cluster, at most */
#define GLOBAL_BASE 0x10000000ull
/* Bytes of a line, at most and at least; a model's lines have line.bytes. */
#define LINE_BYTES 128
#define LEAST_LINE 64

/* What ended an allocation, for messages: the name of the call is made when one wants it, as the allocation's. */
struct freeing {
	const char *(*make_name)(void *origin); /* null: nothing is known */
	void *origin;
	const char *where; /* "stream 2", in whose order it was freed; null: when the host called */
};

struct allocation {
	uint64_t address, bytes; /* exact; address is a multiple of 256, but for shared pages */
	uint32_t lead, tail;     /* of shared pages: bytes of them before and behind, which no other allocation has */
	void *shared;            /* where the host has the same bytes; null: they are not shared */
	const char *name;        /* buffer or variable name, or null */
	/* Instead of it: the name is made when a message wants one, of what it was allocated by. */
	const char *(*make_name)(void *origin);
	void *origin;
	struct freeing freed; /* not when it is live */
	bool live;
	bool constant;    /* a .const variable: stores fault */
	bool host_writes; /* the host may write it at any time */
};

#define BURIED 64

struct address_space {
	uint8_t *bytes;                 /* host memory of GLOBAL_BASE */
	uint64_t size;                  /* bytes reserved */
	uint32_t line_bits;             /* of an address within its line */
	uint64_t used;                  /* high-water mark */
	struct allocation *allocations; /* by address */
	uint32_t count, capacity;
	uint32_t full;    /* the first so many are live, with no room between them */
	bool host_writes; /* some allocation was made that the host may write at any time */
	struct arena *arena;
	/* Freed ones whose place was taken again: of `bury` so far the last BURIED, in turn. */
	struct allocation buried[BURIED];
	uint32_t bury;
	uint8_t *marks;            /* for each line from GLOBAL_BASE on: see line_history.h */
	struct line_record *lines; /* likewise */
	uint64_t now;              /* stamp of the current or last quantum: see line_history.h */
};

/* Its history is kept by lines of `line_bytes`.  `at_own`: at the host addresses equal to its own, if these are free;
 * else anywhere, though no process finds out what another had free. */
void space_create(struct address_space *space, struct arena *arena, uint64_t size, uint32_t line_bytes, bool at_own);
/* 0 when it does not fit.  Neighbours are at least 256 bytes apart, so a stray access just behind one is caught.
 * Freed addresses may be used again; contents read as zero all the same. */
uint64_t space_allocate(struct address_space *space, uint64_t bytes, const char *name);
bool space_free(struct address_space *space, uint64_t address); /* false: not the start of a live allocation */
/* What will free the allocation that starts at `address`; to be called before space_free. */
void space_freed_by(struct address_space *space, uint64_t address, const struct freeing *freeing);
/* Makes [host, host + bytes) of the process's memory an allocation, at an address that lies in its page as `host` does.
 * The host's pages become others with the same contents, so no other thread may write to them meanwhile.  0: no room,
 * or the system does not allow it. space_unshare gives the host pages of its own again; false: not the start of such an
 * allocation. */
uint64_t space_share(struct address_space *space, void *host, uint64_t bytes, const char *name);
bool space_unshare(struct address_space *space, uint64_t address);
/* Stores to the allocation that starts at `address` fault from now on. */
void space_set_constant(struct address_space *space, uint64_t address);
/* From now on the host may write the allocation that starts at `address` while kernels run. */
void space_expect_host_writes(struct address_space *space, uint64_t address);
/* From now on the allocation that starts at `address` is called make_name(origin): words that stay, or null. */
void space_name_by(struct address_space *space, uint64_t address, const char *(*make_name)(void *origin), void *origin);
/* What an allocation is in messages: its name; null: it has none. */
const char *allocation_name(const struct allocation *allocation);
/* The same within a sentence: "buf 'out'", "cudaMalloc at app.cu:12", "an allocation". */
const char *allocation_words(struct arena *arena, const struct allocation *allocation);
/* The live allocation that holds [address, address + bytes), or null. */
const struct allocation *space_find(const struct address_space *space, uint64_t address, uint64_t bytes);
/* The last allocation that held `address` until it was freed, for fault messages; null: none.  Its place may have been
 * taken again; some of those are forgotten. */
const struct allocation *space_find_freed(const struct address_space *space, uint64_t address);
/* Of such a one: "cudaMalloc at app.cu:12 (0x10000200, 256 bytes), freed by cudaFree at app.cu:20". */
void freed_words(const struct allocation *freed, char *words, size_t size);
/* Whether the address is in the guard bytes that follow the allocation. */
bool allocation_guards(const struct allocation *allocation, uint64_t address);
/* Fills `bytes` of the host's from `to` on, within an allocation or elsewhere, with copies of the pattern; the last may
 * be cut off. */
void space_fill(const struct address_space *space, void *to, size_t bytes, const void *pattern, size_t pattern_bytes);
/* The live allocation nearest to address, for fault messages; null when there is none. */
const struct allocation *space_nearest(const struct address_space *space, uint64_t address);

static inline void *space_host(const struct address_space *space, uint64_t address)
{
	return space->bytes + (address - GLOBAL_BASE);
}

/* Of the line that holds `address`: where it begins, its mark and its record. */
static inline uint64_t space_line_start(const struct address_space *space, uint64_t address)
{
	assert(space->line_bits);
	return address >> space->line_bits << space->line_bits;
}

static inline uint8_t *space_mark(const struct address_space *space, uint64_t address)
{
	assert(address - GLOBAL_BASE <= space->size);
	return &space->marks[(address - GLOBAL_BASE) >> space->line_bits];
}

static inline struct line_record *space_line(const struct address_space *space, uint64_t address)
{
	assert(address - GLOBAL_BASE <= space->size);
	return &space->lines[(address - GLOBAL_BASE) >> space->line_bits];
}

/* For cores: whether the line was written at `since` or later, in an earlier quantum than the one that runs.  A mark
 * that is set concurrently belongs to this quantum, and does not count. */
static inline bool space_was_written(const struct address_space *space, uint64_t line, uint64_t since)
{
	assert(line % LEAST_LINE == 0);
	assert(since <= space->now);
	if (!(__atomic_load_n(space_mark(space, line), __ATOMIC_RELAXED) & LINE_WRITTEN))
		return false;
	return line_record_is_written(space_line(space, line), since, space->now);
}

#endif
