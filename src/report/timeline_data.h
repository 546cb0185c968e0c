/* A timeline, as --trace writes it, for a page: what each warp did when. */
#ifndef LOCKSTEP_REPORT_TIMELINE_DATA_H
#define LOCKSTEP_REPORT_TIMELINE_DATA_H

#include <stdbool.h>

struct json_object;

/* Whether a JSON file is one. */
bool timeline_is(struct json_object *file);
/* The caller's: "rows", the names of warps; "slices", each [row, first cycle, cycles, what, work-group]; "left_out",
 * how many there are more. */
struct json_object *timeline_data(struct json_object *file);

#endif
