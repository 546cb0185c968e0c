/* Findings that are known and not to be reported: files of entries, in the way of valgrind's suppressions.
 *
 *     # the last group reads the sums without a fence
 *     {
 *         name: sums of the reduction
 *         kind: race
 *         cause: missing-fence
 *         kernel: reduce*
 *         line: threadFenceReduction_kernel.cuh:117
 *         line: threadFenceReduction_kernel.cuh:192-195
 *         object: sums
 *     }
 *
 * An entry suppresses the findings that match all of its lines; what it does not name may be anything.  `*` matches any
 * text, `?` any character.  docs/checks.md is the manual. */
#ifndef LOCKSTEP_REPORT_SUPPRESSIONS_H
#define LOCKSTEP_REPORT_SUPPRESSIONS_H

#include "util/text.h"
#include "util/vector.h"

struct json_object;

#define SUPPRESSION_LINES 2 /* the two sides of a race */

struct suppression {
	struct place place;                         /* of its { */
	const char *name;                           /* "": none */
	const char *kind, *cause, *kernel, *object; /* patterns; null: any */
	struct suppression_line {
		const char *file;     /* a pattern */
		uint32_t first, last; /* both count; any line: 0 and UINT32_MAX */
		uint32_t column;      /* where the file says so */
	} lines[SUPPRESSION_LINES];
	uint32_t line_count;
	uint64_t findings, count; /* suppressed by it so far, and the sum of their counts */
};

struct suppressions {
	VECTOR(struct suppression) list;
};

/* Adds the entries of a file, which live as long as the arena.  False, and an error with file, line and column, when it
 * cannot be read or is not right. */
bool suppressions_read(
	struct suppressions *suppressions, struct arena *arena, const char *path, struct diagnostic *diagnostic);

/* Of each finding of the array (as in the JSON report) the first entry that matches suppresses it: it gets a member
 * "suppression", and the entry counts it.  Once for each array. */
void suppressions_mark(struct suppressions *suppressions, struct json_object *findings);
/* Whether one of the array's findings is suppressed. */
bool suppressions_is_marked(struct json_object *findings, size_t k);
/* Those that are not suppressed: how many, and as a new array, which is the caller's. */
size_t suppressions_count_left(struct json_object *findings);
struct json_object *suppressions_left(struct json_object *findings);

/* What each entry suppressed, for reports: a new array, and lines of text. */
struct json_object *suppressions_json(const struct suppressions *suppressions);
void suppressions_text(struct text *out, const struct suppressions *suppressions);

/* Writes a file with an entry for each finding that is not suppressed, whole or not at all; an error in `diagnostic`
 * when it could not. */
void suppressions_write(
	const char *path, struct arena *arena, struct json_object *findings, struct diagnostic *diagnostic);

#endif
