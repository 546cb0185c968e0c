/* The sources that a report names, so that a later reader knows whether a file is still what ran. */
#ifndef LOCKSTEP_REPORT_SOURCES_H
#define LOCKSTEP_REPORT_SOURCES_H

struct json_object;

/* Adds to a report "sources", by file, if its launches or findings have lines of any: of each that can be read its
 * size, a hash of its text, and the text of these lines. */
void sources_add_to(struct json_object *report);

/* The sources of a report for a page, the caller's, by file: what has become of it ("state": "same", "changed", "gone";
 * "none": it could not be read when the report was written; "unknown": the report is of an older version), and of one
 * that is the same its "text", unless it is too long; else "lines", as far as the report has them. */
struct json_object *sources_of(struct json_object *report);

#endif
