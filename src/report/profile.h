/* Profiles: what the source lines of kernels cost, over all their launches.
 *
 * They are put together from launches of JSON reports, so that those of other processes, and of files, are the same to
 * what writes them.  A line's cycles are the scheduler cycles in which its instructions were issued, one each, or
 * waited for.  docs/profile.md says what is attributed to which. */
#ifndef LOCKSTEP_REPORT_PROFILE_H
#define LOCKSTEP_REPORT_PROFILE_H

#include "lockstep.h"
#include "util/map.h"
#include "util/text.h"
#include "util/vector.h"

struct json_object;

#define PROFILE_COUNTERS 64 /* at least as many as lockstep_profiled lists */

struct profile_cost {
	uint64_t issued, lanes;
	uint64_t values[PROFILE_COUNTERS]; /* in the order of lockstep_profiled */
};

struct profile_instruction {
	uint64_t pc;
	const char *text;
	struct profile_cost cost;
};

struct profile_line {
	const char *file; /* "" where none is known */
	uint64_t line;
	struct profile_cost cost;
	VECTOR(struct profile_instruction) instructions;
};

struct profile_lock {
	const char *address;
	uint64_t groups; /* that had it, in shared memory, counted as one lock; else 0 */
	uint64_t acquires, failed, longest_queue, waited, held, worst;
	uint64_t from_same_warp, from_same_core, from_other_core;
	const char *worst_thread; /* in words */
};

/* A barrier or a fence, by line and instruction. */
struct profile_wait {
	const char *file, *text;
	uint64_t line;
	uint64_t times; /* phases; fences */
	uint64_t waited, worst;
	const char *worst_thread;                /* in words */
	uint64_t last_warp, last_times;          /* barriers: that came last most often, in the launch where it did */
	const char *last_group;                  /* likewise, where words are polled: of which group it is; or null */
	uint64_t words;                          /* that are polled; 0: a barrier of work-groups */
	uint64_t waits;                          /* at such a barrier: of warps, */
	uint64_t idle, filling;                  /* and its phases: see struct lockstep_barrier */
	uint64_t stores, atomics, loads, others; /* fences: of `waited` */
	uint64_t missed, fixed, emptied;         /* fences: see struct lockstep_fence */
	const char *scope;                       /* likewise; of an older result empty, or null */
};

struct profile_waits {
	VECTOR(struct profile_wait) list;
};

/* An instruction that initialises mbarriers, and those that wait for them. */
struct profile_mbarrier_wait {
	const char *file, *text, *worst_thread;
	uint64_t line, passed, waits, failed, waited, suspended, worst;
};
struct profile_mbarrier {
	const char *file, *text, *address;
	uint64_t line, waited; /* waited: at all of `waits` */
	uint64_t objects, phases, arrivals, bytes, idle, filling, ready, seen, unseen;
	VECTOR(struct profile_mbarrier_wait) waits;
};
struct profile_mbarriers {
	VECTOR(struct profile_mbarrier) list;
};

#define PROFILE_COLUMNS_MOST 16

/* A table of an observer, by instruction; most of the first column is first, once sorted. */
struct profile_row {
	const char *file, *text; /* file: "" where none is known */
	uint64_t line, pc;
	uint64_t counts[PROFILE_COLUMNS_MOST];
};
struct profile_table {
	const char *name, *title;
	const char *columns[PROFILE_COLUMNS_MOST];
	uint32_t column_count;
	VECTOR(struct profile_row) rows;
};

struct profile_kernel {
	const char *name;
	uint64_t launches;
	uint64_t idle; /* scheduler cycles in which no warp was resident */
	uint64_t warp_size;
	struct profile_cost cost;
	VECTOR(struct profile_line) lines;
	VECTOR(struct profile_lock) locks;
	struct map lock_numbers; /* by address: in `locks`, one more, until they are sorted */
	struct profile_waits barriers, fences;
	struct profile_mbarriers mbarriers;
	VECTOR(struct profile_table) tables;
};

struct profile {
	struct arena *arena;
	VECTOR(struct profile_kernel) kernels; /* in the order of their first launches, until they are sorted */
};

/* Adds to a launch of a JSON report "lines", the costliest first, "locks", "barriers" and "fences"; "mbarriers" if it
 * has initialised some. */
void profile_add_to(struct json_object *launch, const struct lockstep_result *result);
/* A line as in "lines", the caller's. */
struct json_object *profile_line_object(const struct profile_line *line);
/* Adds a launch of a report; nothing where it has neither lines nor tables. */
void profile_add(struct profile *profile, struct json_object *launch, uint64_t warp_size);
/* The costliest kernel and, in each, the costliest line first; of the same cost by name and line. */
void profile_sort(struct profile *profile);

/* What a line of source cost; null: nothing. */
struct profile_line *profile_line_at(const struct profile_kernel *kernel, const char *file, uint64_t line);
/* Adds a cost to another. */
void profile_add_cost(struct profile_cost *to, const struct profile_cost *cost);
/* Scheduler cycles in which the instructions were waited for; with those in which they were issued. */
uint64_t profile_stalled(const struct profile_cost *cost);
uint64_t profile_cycles(const struct profile_cost *cost);
/* Its part of a counter, by the counter's name. */
uint64_t profile_value(const struct profile_cost *cost, const char *counter);
/* A reason's name, "long_sb": of the k-th counter, which is one of stalls; the name lies in `to`. */
#define PROFILE_REASON 32
const char *profile_reason(size_t k, char to[PROFILE_REASON]);
/* The reason for which its instructions were waited for most, and its part of its cycles in percent; of a small part it
 * is not said what for. */
#define PROFILE_LEAST_STALL 5
size_t profile_main_stall(const struct profile_cost *cost, double *share);

/* ---- Forms ---- */

/* locks_report.c: the locks of a launch as JSON, the caller's; those of a launch of a report added to the kernel's;
 * those for which most was waited first; and the worst of them for people. */
struct json_object *profile_locks(const struct lockstep_result *result);
void profile_add_locks(struct arena *arena, struct profile_kernel *kernel, struct json_object *launch);
void profile_sort_locks(struct profile_kernel *kernel);
void profile_text_locks(struct text *out, const struct profile_kernel *kernel);

/* profile_text.c: of a path, the name of the file. */
const char *profile_base_of(const char *file);

/* waits_report.c: likewise, barriers and fences. */
void profile_waits_to(struct json_object *launch, const struct lockstep_result *result);
void profile_add_waits(struct arena *arena, struct profile_kernel *kernel, struct json_object *launch);
void profile_sort_waits(struct profile_kernel *kernel);
void profile_text_waits(struct text *out, const struct profile_kernel *kernel);

/* mbarriers_report.c: likewise, mbarriers; and as they are in a page, at most `most`, the caller's. */
void profile_mbarriers_to(struct json_object *launch, const struct lockstep_result *result);
void profile_add_mbarriers(struct arena *arena, struct profile_kernel *kernel, struct json_object *launch);
void profile_sort_mbarriers(struct profile_kernel *kernel);
void profile_text_mbarriers(struct text *out, const struct profile_kernel *kernel);
struct json_object *profile_mbarriers_object(const struct profile_kernel *kernel, uint32_t most);

/* tables_report.c: likewise, what observers counted.  `is_only`: the run has no other kernel; of several, those without
 * rows are left out.  And one table as JSON, with at most `most` rows, the caller's. */
void tables_add_to(struct json_object *launch, const struct lockstep_result *result);
void profile_add_tables(struct arena *arena, struct profile_kernel *kernel, struct json_object *launch);
void profile_sort_tables(struct profile_kernel *kernel);
void profile_text_tables(struct text *out, const struct profile_kernel *kernel, bool is_only);
struct json_object *profile_table_object(const struct profile_table *table, uint32_t most);

/* A line in words: its source, or where that is not to be had its instruction that cost most. */
const char *profile_words(struct arena *arena, const struct profile_line *line);
/* What a counter of profiles means. */
const char *profile_meaning(size_t k);

/* For people: the costliest lines, and the source with what each line cost. */
void profile_text(struct text *out, const struct profile *profile);

#define PROFILE_NAMES "NAME.callgrind, callgrind.out.NAME or NAME.speedscope.json"
/* What writes a file of this name: what other programs read, from a sorted profile.  Null: no such form. */
typedef void profile_form(struct text *out, const struct profile *profile);
profile_form *profile_form_of(const char *path);
/* Whole or not at all; an error when it could not be written. */
void profile_write(const char *path, const struct profile *profile, struct diagnostic *diagnostic);
profile_form profile_callgrind, profile_speedscope;

/* The member `worst` of a lock or a wait: added, unless none has waited; and read, where it is worse than what is
 * known: "group 0,0,0 WHO 1,0,0". */
void profile_add_worst(struct json_object *object, uint64_t worst, const struct lockstep_thread *thread);
void profile_take_worst(
	struct arena *arena, struct json_object *object, const char *who, uint64_t *worst, const char **worst_thread);

#endif
