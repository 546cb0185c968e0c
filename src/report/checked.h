/* What the checks of --check looked at, whether they found anything or not. */
#ifndef LOCKSTEP_REPORT_CHECKED_H
#define LOCKSTEP_REPORT_CHECKED_H

#include "lockstep.h"
#include "util/text.h"

struct json_object;

struct checked {
	uint32_t check;                              /* what was asked for: bits of enum lockstep_check */
	bool has_host;                               /* races with what the host does were looked for, too */
	uint64_t counts[LOCKSTEP_CHECKED_KINDS];     /* as of struct lockstep_result */
	uint64_t not_listed[LOCKSTEP_CHECKED_KINDS]; /* likewise */
	uint64_t apart[LOCKSTEP_APART_KINDS];        /* likewise */
	uint64_t commands;                           /* of the host, with `has_host` */
};

/* Adds what was looked at for a launch. */
void checked_add(struct checked *checked, const struct lockstep_result *result);
/* "checked: races, 4,096 accesses, nothing found": a line for each check.  `findings`: an array as in a JSON report;
 * the suppressed do not count. */
void checked_text(struct text *out, const struct checked *checked, struct json_object *findings);
/* Adds the member `checked` to a JSON report, if anything was asked for. */
void checked_add_to(struct json_object *report, const struct checked *checked, struct json_object *findings);

#endif
