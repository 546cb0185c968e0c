/* When lines of global memory were last written, and by which instruction: so that a core can tell whether a line in
 * its L1 is stale.
 *
 * Time is counted in stamps, which go on over all that ever runs on a space: each quantum has one of its own, later
 * than that of any quantum before (struct machine_time).  A line has a mark, a byte, and a record that is used only
 * if the line is written after it was loaded: a line that no L1 can hold is never asked about.  Both are written by the
 * one slice that owns the line.
 *
 * While slices run, cores may ask whether a line was written in an earlier quantum than the present one.  The answer
 * does not depend on how far the slice has run, since a write in this quantum keeps the former stamp in `previous`. */
#ifndef LOCKSTEP_MEMORY_LINE_HISTORY_H
#define LOCKSTEP_MEMORY_LINE_HISTORY_H

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>

/* Bits of a mark. */
#define LINE_LOADED 1  /* by a core whose L1 may have kept it */
#define LINE_WRITTEN 2 /* after that: it has a record */
#define LINE_SAVED 4   /* the snapshot has it: see snapshot.h */

struct line_record {
	uint64_t latest;   /* stamp of the last quantum in which it was written, even with the same value */
	uint64_t previous; /* of the last one before that; 0: none */
	uint64_t writer;   /* in `latest`: line_writer */
};

#define LINE_WRITER_UNKNOWN UINT64_MAX /* or several */

/* The writer: the core, the group slot of the work-group there, and the low bits of the instruction's pc. */
static inline uint64_t line_writer(uint16_t core, uint8_t group, uint16_t pc)
{
	return (uint64_t)group << 32 | (uint64_t)pc << 16 | core;
}

static inline uint32_t line_writer_core(uint64_t writer)
{
	return writer & 0xffff;
}

static inline uint32_t line_writer_pc(uint64_t writer)
{
	return writer >> 16 & 0xffff;
}

static inline uint32_t line_writer_group(uint64_t writer)
{
	return writer >> 32 & 0xff;
}

/* For the slice that owns the line: it is written in the quantum `now`. */
static inline void line_record_write(struct line_record *r, uint64_t now, uint64_t writer)
{
	assert(r->latest <= now);
	assert(r->previous <= r->latest);
	if (r->latest == now) {
		r->writer = r->writer == writer ? writer : LINE_WRITER_UNKNOWN;
		return;
	}
	r->writer = writer;
	__atomic_store_n(&r->previous, r->latest, __ATOMIC_RELAXED);
	__atomic_store_n(&r->latest, now, __ATOMIC_RELEASE);
}

/* For any unit, in the quantum `now`: whether the line was written at `since` or later, in an earlier quantum than this
 * one. */
static inline bool line_record_is_written(const struct line_record *r, uint64_t since, uint64_t now)
{
	assert(since <= now);
	uint64_t at = __atomic_load_n(&r->latest, __ATOMIC_ACQUIRE);
	if (at == now)
		at = __atomic_load_n(&r->previous, __ATOMIC_RELAXED);
	return at >= since;
}

#endif
