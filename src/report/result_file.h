/* JSON reports that were written to files, for what is put together from them. */
#ifndef LOCKSTEP_REPORT_RESULT_FILE_H
#define LOCKSTEP_REPORT_RESULT_FILE_H

#include "util/arena.h"
#include "util/diagnostic.h"

struct json_object;

/* A report of schema lockstep-report/1, the caller's.  Null and an error in `diagnostic`: it is none, with line and
 * column where it is no JSON. */
struct json_object *result_file_read(struct arena *arena, const char *file, struct diagnostic *diagnostic);
/* Its two parts, for what reads other JSON files, too. */
struct json_object *result_file_parse(struct arena *arena, const char *file, struct diagnostic *diagnostic);
void result_file_check(struct json_object *report, const char *file, struct diagnostic *diagnostic);

#endif
