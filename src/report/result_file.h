/* JSON files that Lockstep has written, for what is put together from them, and their shapes (docs/report-json.md has
 * their members). */
#ifndef LOCKSTEP_REPORT_RESULT_FILE_H
#define LOCKSTEP_REPORT_RESULT_FILE_H

#include "util/json_file.h"

/* Schema lockstep-report/1; a timeline, as --trace writes it. */
extern const struct json_shape result_shape, timeline_shape;

/* A report of schema lockstep-report/1, the caller's, of which each known member has its type: it may be read with
 * report/members.h.  Where `is_timeline` is not null, the file may also be a timeline, which it tells.
 * Null and an error in `diagnostic`: it is none. */
struct json_object *result_file_read(
	struct arena *arena, const char *file, bool *is_timeline, struct diagnostic *diagnostic);

#endif
