/* A launch as programs send it to `lockstep run` (channel.h): its numbers as they are in memory, since many launches
 * are short, and a report mostly wants their sums.  Both sides are of one build. */
#ifndef LOCKSTEP_REPORT_LAUNCH_RECORD_H
#define LOCKSTEP_REPORT_LAUNCH_RECORD_H

#include "lockstep.h"
#include "util/text.h"

void launch_record_write(struct text *out, const struct lockstep_result *result);
/* What was written, but for the findings: these are JSON, an array, and null when there are none;
 * *process is the id of the one that wrote it.  Names point into the
 * record.  False: it is none of this build's. */
bool launch_record_read(struct arena *arena, const char *data, size_t length, struct lockstep_result *result,
	const char **findings, uint64_t *process);

#endif
