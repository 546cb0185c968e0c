/* The shapes of the JSON files that Lockstep writes and reads again (docs/report.md has their members). */
#ifndef LOCKSTEP_REPORT_RESULT_SHAPE_H
#define LOCKSTEP_REPORT_RESULT_SHAPE_H

#include "util/json_shape.h"

/* Schema lockstep-report/1; a timeline, as --trace writes it. */
extern const struct json_shape result_shape, timeline_shape;

#endif
