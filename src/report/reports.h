/* What a run gives its user: the JSON object of the contract, or tables for reading. */
#ifndef LOCKSTEP_REPORT_REPORTS_H
#define LOCKSTEP_REPORT_REPORTS_H

#include "lockstep.h"
#include "report/values.h"
#include "util/text.h"

/* Values of a buffer after the run. */
struct dumped {
	const char *name;
	const struct value_type *type;
	const void *values;    /* the first one shown */
	uint64_t first, count; /* index of the first one shown, and how many */
};

/* Parts, for a report that is put together elsewhere: a launch, which is the caller's; its findings; and
 * {"gpu": "...", "configuration": {...}} of a GPU.  `kernel`: what the findings are of, null: no launch.  The texts are
 * one line each, without the newline. */
struct json_object *report_launch(const struct lockstep_result *result);
void report_json_findings(struct text *out, const struct lockstep_finding *findings, size_t count, const char *kernel);
/* What --profile, --samples and --observe add to a launch, an object. */
void report_json_profile(struct text *out, const struct lockstep_result *result);
void report_json_session(struct text *out, const struct lockstep *gpu, const struct lockstep_options *options);

/* The findings of everything that has run, as in the JSON report; the caller's. */
struct json_object *report_findings(const struct lockstep *gpu);
/* These, likewise. */
struct json_object *report_finding_list(const struct lockstep_finding *findings, size_t count, const char *kernel);

/* A string of JSON, the caller's; bytes that are not UTF-8, as file names and sources may have, become '?'. */
struct json_object *report_string(const char *text);

/* The whole report as text, for files and people; the object goes. */
void report_print(struct text *out, struct json_object *report);
/* The same as json-c has it with these flags, JSON_C_TO_STRING_*, in which slashes stay as they are; no newline. */
void report_print_as(struct text *out, struct json_object *object, int flags);

/* "timing", "functional" */
const char *report_mode(enum lockstep_mode mode);

/* "completed", "hang", "fault", "limit" */
const char *report_outcome(enum lockstep_outcome outcome);
/* "always finishes", "may hang", "hangs", "faults", "undecided" */
const char *report_verdict(enum lockstep_verdict verdict);
/* The cause of races of commands and of what the host does, by its name in found/causes.def; and "what is missing. What
 * would mend it".  `early`: of a kernel that programmatic launch lets begin early. */
const char *report_host_cause(bool early);
const char *report_host_cause_words(struct arena *arena, bool early);
/* Whether it is one of the two. */
bool report_is_host_cause(const char *name);

/* The counter of this name, as lockstep_counter has it; false: there is none.  And how many there are. */
bool report_counter(const char *name, struct lockstep_counter *counter);
size_t report_counter_count(void);

#endif
