/* A launch as programs send it to `lockstep run` (channel.h): its numbers as they are in memory, since many launches
 * are short, and a report mostly wants their sums.  Both sides are of one build. */
#ifndef LOCKSTEP_REPORT_LAUNCH_RECORD_H
#define LOCKSTEP_REPORT_LAUNCH_RECORD_H

#include "lockstep.h"
#include "util/text.h"

void launch_record_write(struct text *out, const struct lockstep_result *result, uint64_t stream);
/* What is not in the result. */
struct launch_record {
	const char *ptx;      /* the digest of its module, of which CHANNEL_MODULE tells */
	uint64_t process;     /* the id of the one that wrote it */
	uint64_t stream;      /* of that process */
	const char *findings; /* JSON, an array; null: there are none */
	const char *profile;  /* likewise, an object: what report_profile has added to a launch */
};

/* What was written, except what *record has.  Names point into the record.  False: another build has written it. */
bool launch_record_read(struct arena *arena, const char *data, size_t length, struct lockstep_result *result,
	struct launch_record *record);

#endif
