/* JSON files that Lockstep has written, for what is put together from them. */
#ifndef LOCKSTEP_REPORT_RESULT_FILE_H
#define LOCKSTEP_REPORT_RESULT_FILE_H

#include "util/arena.h"
#include "util/diagnostic.h"

struct json_object;

/* A report of schema lockstep-report/1, the caller's, of which each known member has its type (result_shape.h): it may
 * be read with report/members.h.  Null and an error in `diagnostic`: it is none. */
struct json_object *result_file_read(struct arena *arena, const char *file, struct diagnostic *diagnostic);

/* The same for a report or a timeline (timeline_data.h), which `is_timeline` tells. */
struct json_object *result_file_read_any(
	struct arena *arena, const char *file, bool *is_timeline, struct diagnostic *diagnostic);

#endif
