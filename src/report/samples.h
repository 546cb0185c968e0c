/* How counters grew while a launch ran, as JSON (docs/report-json.md). */
#ifndef LOCKSTEP_REPORT_SAMPLES_H
#define LOCKSTEP_REPORT_SAMPLES_H

#include "lockstep.h"

struct json_object;

/* Adds "samples" to a launch of a report, whose result has some. */
void samples_add_to(struct json_object *launch, const struct lockstep_result *result);

#endif
