/* The timeline: a file of slices that ui.perfetto.dev and chrome://tracing open (Chrome's JSON trace format).
 *
 * One process a core, with a lane per warp scheduler and lanes for waits; and one for the launches, with a lane per
 * stream.  One cycle is shown as one microsecond.  Slices of one scheduler must not overlap; waits and launches may.
 * All is called from one thread; nothing is read back. */
#ifndef LOCKSTEP_REPORT_TRACE_H
#define LOCKSTEP_REPORT_TRACE_H

#include "util/arena.h"
#include "util/diagnostic.h"

#include <sys/types.h>

struct trace;

/* What a slice says beside its name; text null: the number. */
struct trace_argument {
	const char *name, *text;
	uint64_t number;
};

/* Creates the file; null and an error when it cannot.  Behind `most` slices and spans the rest is left out;
 * the file's otherData says how many they were.  A mistake in writing is remembered until trace_close. */
struct trace *trace_open(struct arena *arena, const char *path, uint64_t most, struct diagnostic *diagnostic);
/* Names a core's lanes; once, before its first slice. */
void trace_core(struct trace *trace, uint32_t core, uint32_t schedulers);
/* A launch in [start, end), of this stream.  They come in any order. */
void trace_launch(struct trace *trace, uint64_t stream, const char *name, uint64_t start, uint64_t end,
	const struct trace_argument *arguments, size_t count);
/* A scheduler issued for `name` (a warp) in [start, end). */
void trace_slice(struct trace *trace, uint32_t core, uint32_t scheduler, const char *name, uint64_t start, uint64_t end,
	const struct trace_argument *arguments, size_t count);
/* A warp of the core waited, or held a lock, in [start, end): "lock wait, warp 3", since viewers give a name a row.
 * `category`: "barrier wait", "mbarrier wait", "lock held" or "lock wait" (timeline_data.c knows them). */
void trace_span(struct trace *trace, uint32_t core, const char *category, uint32_t warp, uint64_t start, uint64_t end,
	const struct trace_argument *arguments, size_t count);
/* A phase, of the mbarrier or barrier of the core that is called `name`, which has a row of its own.  `category`:
 * "mbarrier phase" or "barrier phase". */
void trace_phase(struct trace *trace, uint32_t core, const char *category, const char *name, uint64_t start,
	uint64_t end, const struct trace_argument *arguments, size_t count);
/* Slices and spans so far; and that one is left out, which is too short to be shown. */
uint64_t trace_events(const struct trace *trace);
void trace_leave_out(struct trace *trace);
/* Slices are merged from this cycle on; the first call counts. */
void trace_note_merging(struct trace *trace, uint64_t cycle);
/* Completes the file, which then takes its name: until now it lay beside.  False and an error when it could not be
 * written whole: then what had the name before has it still. */
bool trace_close(struct trace *trace, struct diagnostic *diagnostic);
/* Of a process that has ended without trace_close: what it has left beside `path` takes that name, up to its last
 * whole event, and otherData has "cut off". */
void trace_complete(const char *path, pid_t process);
/* Whether it has no event yet; and removes it instead. */
bool trace_is_empty(const struct trace *trace);
void trace_discard(struct trace *trace);

#endif
