/* Findings as SARIF 2.1.0 (OASIS), so that a continuous integration system shows them on their lines. */
#include "check/causes.h"
#include "report/members.h"
#include "report/reporter.h"

#include <ctype.h>
#include <string.h>

static json_object *message_of(const char *text)
{
	json_object *message = json_object_new_object();
	add_text(message, "text", text);
	return message;
}

/* RFC 3986: a relative path stays one, what begins with a slash is a file's URI. */
static const char *uri_of(struct arena *arena, const char *path)
{
	struct text uri = {.arena = arena};
	if (*path == '/')
		text_print(&uri, "file://");
	for (const char *at = path; *at; at++)
		if (isalnum((unsigned char)*at) || strchr("/-._~", *at))
			text_append(&uri, at, 1);
		else
			text_print(&uri, "%%%02X", (unsigned char)*at);
	return uri.at ? uri.at : "";
}

static json_object *location_of(struct arena *arena, json_object *line, const char *role)
{
	json_object *location = json_object_new_object(), *physical = json_object_new_object(),
		    *artifact = json_object_new_object(), *region = json_object_new_object();
	add_text(artifact, "uri", uri_of(arena, text_of(line, "file")));
	add_number(region, "startLine", number_of(line, "line"));
	add_member(physical, "artifactLocation", artifact);
	add_member(physical, "region", region);
	add_member(location, "physicalLocation", physical);
	if (*role)
		add_member(location, "message", message_of(role));
	return location;
}

/* The lines within the functions that were inlined there; null: none. */
static void add_inlined(struct arena *arena, json_object *related, json_object *frames)
{
	for (size_t k = 0; k < length_of(frames); k++) {
		json_object *frame = element(frames, k);
		const char *function = text_of(frame, "function");
		json_object_array_add(
			related, location_of(arena, frame,
					 *function ? arena_printf(arena, "in %s", function) : "in inlined code"));
	}
}

/* "hang/simt" */
static const char *rule_of(struct arena *arena, json_object *finding)
{
	return arena_printf(arena, "%s/%s", text_of(finding, "kind"), text_of(finding, "cause"));
}

static const char *level_of(const char *certainty)
{
	return !strcmp(certainty, "proved") ? "error" : !strcmp(certainty, "noted") ? "note" : "warning";
}

/* SARIF, 3.27.23 and 3.35: suppressed elsewhere than in the source. */
static json_object *suppressions_of(const char *why)
{
	json_object *list = json_object_new_array(), *suppression = add_object(list);
	add_text(suppression, "kind", "external");
	add_text(suppression, "justification", why);
	return list;
}

/* CI systems refuse a result without a place: of a finding without a line, as a race between two copies, it is the
 * beginning of the file that ran. */
static json_object *place_without_line(struct arena *arena, const char *file)
{
	json_object *line = json_object_new_object(), *location;
	add_text(line, "file", file);
	add_number(line, "line", 1);
	location = location_of(arena, line, "");
	json_object_put(line);
	return location;
}

static json_object *result_of(struct arena *arena, const char *file, json_object *finding)
{
	json_object *result = json_object_new_object(), *locations = json_object_new_array(),
		    *related = json_object_new_array();
	json_object *lines = member(finding, "lines");
	add_text(result, "ruleId", rule_of(arena, finding));
	add_text(result, "level", level_of(text_of(finding, "certainty")));
	add_member(result, "message", message_of(text_of(finding, "message")));
	for (size_t k = 0; k < json_object_array_length(lines); k++) {
		json_object *line = element(lines, k);
		json_object_array_add(k ? related : locations, location_of(arena, line, text_of(line, "role")));
		add_inlined(arena, related, member(line, "inlined"));
	}
	if (!length_of(lines))
		json_object_array_add(locations, place_without_line(arena, file));
	add_number(result, "occurrenceCount", number_of(finding, "count"));
	if (*text_of(finding, "suppression"))
		add_member(result, "suppressions", suppressions_of(text_of(finding, "suppression")));
	add_member(result, "locations", locations);
	add_member(result, "relatedLocations", related);
	return result;
}

/* What to change; empty: nothing is known.  A fault may have a cause of the same name as a hang: that is another. */
static const char *remedy_of(json_object *finding)
{
	const char *kind = text_of(finding, "kind");
	enum hang_cause cause = cause_of_name(text_of(finding, "cause"));
	return cause < HANG_CAUSES && (!strcmp(kind, "hang") || !strcmp(kind, "spin"))
		       ? cause_remedy(cause, false, false)
		       : "";
}

/* Each rule that a finding names, once. */
static json_object *rules_of(struct arena *arena, json_object *findings)
{
	json_object *rules = json_object_new_array();
	for (size_t k = 0; k < json_object_array_length(findings); k++) {
		json_object *finding = element(findings, k);
		const char *id = rule_of(arena, finding), *remedy = remedy_of(finding);
		size_t known = 0;
		while (known < length_of(rules) && strcmp(text_of(element(rules, known), "id"), id))
			known++;
		if (known < length_of(rules))
			continue;
		json_object *rule = add_object(rules);
		add_text(rule, "id", id);
		if (*remedy)
			add_member(rule, "help", message_of(remedy));
	}
	return rules;
}

void sarif_write(struct text *out, const char *file, json_object *findings)
{
	json_object *log = json_object_new_object(), *runs = json_object_new_array(), *run = add_object(runs),
		    *tool = json_object_new_object(), *driver = json_object_new_object(),
		    *results = json_object_new_array();
	for (size_t k = 0; k < json_object_array_length(findings); k++)
		json_object_array_add(results, result_of(out->arena, file, element(findings, k)));
	add_text(driver, "name", "Lockstep");
	add_member(driver, "rules", rules_of(out->arena, findings));
	add_member(tool, "driver", driver);
	add_member(run, "tool", tool);
	add_member(run, "results", results);
	add_text(log, "$schema", "https://json.schemastore.org/sarif-2.1.0.json");
	add_text(log, "version", "2.1.0");
	add_member(log, "runs", runs);
	report_print(out, log);
}
