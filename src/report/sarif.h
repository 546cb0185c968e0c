/* Findings as SARIF 2.1.0 (OASIS), so that a continuous integration system shows them on their lines. */
#ifndef LOCKSTEP_REPORT_SARIF_H
#define LOCKSTEP_REPORT_SARIF_H

#include "util/text.h"

struct json_object;

/* Appends one log with a result for each of `findings`, an array as in the JSON report. */
void report_sarif(struct text *out, struct json_object *findings);

#endif
