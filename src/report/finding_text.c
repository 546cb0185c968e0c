/* A finding for people: the verdict and what to change, as one paragraph; then its places with their source, its
 * threads and addresses. */
#include "report/members.h"
#include "report/source.h"
#include "report/style.h"
#include "report/triple.h"

#include <inttypes.h>
#include <json-c/json.h>

#define THREADS_SHOWN 16
#define INDENT 2

static void write_head(struct text *out, const struct report_style *style, json_object *finding)
{
	struct text head = {.arena = out->arena};
	text_print(&head, "%s", text_of(finding, "kind"));
	if (member(finding, "launch"))
		text_print(&head, " in launch %" PRIu64, number_of(finding, "launch"));
	text_print(&head, " (%s, %s%s): ", text_of(finding, "cause"), text_of(finding, "certainty"),
		json_object_get_boolean(member(finding, "confirmed")) ? ", confirmed" : "");
	style_gap(out);
	style_paragraph(out, style, COLOUR_BAD, head.at, text_of(finding, "message"), INDENT);
}

static void write_line(struct text *out, const struct report_style *style, json_object *line)
{
	struct text place = {.arena = out->arena};
	const char *role = text_of(line, "role");
	text_print(&place, "  at %s:%" PRIu64, text_of(line, "file"), number_of(line, "line"));
	style_print(out, style, COLOUR_HEAD, place.at);
	text_print(out, "%s%s\n", *role ? ": " : "", role);
	report_source(out, text_of(line, "file"), number_of(line, "line"));
}

static void write_thread(struct text *out, const struct report_style *style, json_object *thread)
{
	struct text name = {.arena = out->arena};
	json_object *group = member(thread, "group"), *index = member(thread, "thread");
	text_print(&name, "  group %u,%u,%u thread %u,%u,%u: ", triple_element(group, 0), triple_element(group, 1),
		triple_element(group, 2), triple_element(index, 0), triple_element(index, 1), triple_element(index, 2));
	style_paragraph(out, style, COLOUR_HEAD, name.at, text_of(thread, "state"), 2 * INDENT);
}

void finding_text(struct text *out, const struct report_style *style, json_object *finding)
{
	json_object *lines = member(finding, "lines"), *threads = member(finding, "threads");
	json_object *addresses = member(finding, "addresses");
	size_t count = json_object_array_length(threads);
	write_head(out, style, finding);
	for (size_t k = 0; k < json_object_array_length(lines); k++)
		write_line(out, style, json_object_array_get_idx(lines, k));
	for (size_t k = 0; k < count && k < THREADS_SHOWN; k++)
		write_thread(out, style, json_object_array_get_idx(threads, k));
	if (count > THREADS_SHOWN)
		text_print(
			out, "  and %zu more thread%s\n", count - THREADS_SHOWN, count == THREADS_SHOWN + 1 ? "" : "s");
	for (size_t k = 0; k < json_object_array_length(addresses); k++)
		text_print(out, "  address %s\n", json_object_get_string(json_object_array_get_idx(addresses, k)));
}
