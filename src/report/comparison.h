/* Two JSON reports, and what differs between them: `lockstep compare`.
 *
 * Launches are compared as sums by kernel, since programs differ in how often they launch.  Host time is left out: it
 * differs from run to run. */
#ifndef LOCKSTEP_REPORT_COMPARISON_H
#define LOCKSTEP_REPORT_COMPARISON_H

#include "util/text.h"
#include "util/vector.h"

struct json_object;

/* The two sides: index of all arrays of two below. */
enum { BEFORE, AFTER };

/* "cycles", or a counter of the report. */
struct compared_counter {
	const char *name, *unit; /* unit: "" where this version has no such counter */
	uint64_t value[2];       /* sums over the kernel's launches; 0 where a side has none of them */
};

struct compared_kernel {
	const char *name; /* as in the PTX */
	uint64_t launches[2];
	VECTOR(struct compared_counter) counters; /* those that differ: cycles, then the largest change first */
};

/* A field of the configuration; null where a side has none. */
struct compared_field {
	const char *path, *value[2];
};

/* A finding: how often it was seen, by cause, kernel and message. */
struct compared_finding {
	const char *cause, *kernel, *message; /* kernel: "" where it is of none */
	uint64_t count[2];
};

/* What results depend on, and what of it is not the same: "setting" "core.count", "compiler".  "": a side has none. */
struct compared_part {
	const char *kind, *name; /* name: null where there is one of a kind */
	const char *value[2];
};

struct comparison {
	const char *file[2], *gpu[2];
	struct json_object *report[2];
	uint64_t launches[2], cycles[2];
	VECTOR(struct compared_kernel) kernels;   /* in the order of their first launches, those of BEFORE first */
	VECTOR(struct compared_field) fields;     /* those that differ */
	VECTOR(struct compared_part) parts;       /* in what the results differ, before any number */
	uint32_t model_fields;                    /* of `fields`, those that follow from two GPUs, and are no parts */
	VECTOR(struct compared_finding) findings; /* those whose counts differ */
};

/* What differs between two reports, which stay the caller's and are to live as long. */
void comparison_of(struct comparison *comparison, struct arena *arena, const char *const files[2],
	struct json_object *const reports[2]);
/* Reads both files; comparison_free frees the reports.  False and an error in `diagnostic`: one is no report of schema
 * lockstep-report/1, with its line and column where it is no JSON. */
bool comparison_read(
	struct comparison *comparison, struct arena *arena, const char *const files[2], struct diagnostic *diagnostic);

void comparison_free(struct comparison *comparison);

/* comparison_parts.c: fills `parts`, once the rest is there.  Then what differs as a sentence; and as text, with its
 * values. */
void comparison_add_parts(struct comparison *comparison, struct arena *arena);
const char *comparison_summary(struct arena *arena, const struct comparison *comparison);
void comparison_parts_text(struct text *out, const struct comparison *comparison);

/* By how much a value changed: of two the one whose larger value is the larger multiple of its smaller one; negative
 * when that is `a`, so that qsort puts the largest change first.  From or to 0 is the largest of all. */
int comparison_order(const uint64_t a[2], const uint64_t b[2]);

/* A JSON object of schema lockstep-comparison/1 (docs/report-json.md), the caller's. */
struct json_object *comparison_object(const struct comparison *comparison);

/* Hooks of reporters.  As text for a person, with at most `most` counters a kernel; that object, with all of them. */
void comparison_text(struct text *out, const struct comparison *comparison, uint32_t most);
void comparison_json(struct text *out, const struct comparison *comparison, uint32_t most);

#endif
