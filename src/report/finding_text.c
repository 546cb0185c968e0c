/* A finding for people: what is wrong and what to change, of a hang under four headings, else in one paragraph; then
 * its places with their source, its threads and addresses. */
#include "report/members.h"
#include "report/seeds.h"
#include "report/source.h"
#include "report/style.h"

#include <inttypes.h>
#include <string.h>

#define THREADS_SHOWN 16
#define INDENT 2
#define PART_LABEL 7 /* letters of the longest name of a part after its first, and a blank */

/* Of a hang, in this order. */
static const char *const part_names[] = {"what", "who", "checked", "fix"};

static void write_part(struct text *out, const struct report_style *style, json_object *parts, const char *name)
{
	struct text label = {.arena = out->arena};
	const char *words = text_of(parts, name);
	if (!*words)
		return;
	text_print(&label, "  %c%-*s ", name[0] - 'a' + 'A', PART_LABEL, name + 1);
	style_paragraph(out, style, COLOUR_HEAD, label.at, words, INDENT + PART_LABEL + 2);
}

static const char *certainty_of(json_object *finding)
{
	if (json_object_get_boolean(member(finding, "confirmed")))
		return ", confirmed";
	return member(finding, "verdict") && strcmp(text_of(finding, "cause"), "unknown") ? ", not confirmed" : "";
}

static void write_head(struct text *out, const struct report_style *style, json_object *finding)
{
	struct text head = {.arena = out->arena};
	json_object *parts = member(finding, "verdict");
	text_print(&head, "%s", text_of(finding, "kind"));
	if (member(finding, "launch"))
		text_print(&head, " in launch %" PRIu64, number_of(finding, "launch"));
	text_print(&head, " (%s, %s%s)%s", text_of(finding, "cause"), text_of(finding, "certainty"),
		certainty_of(finding), parts ? "" : ": ");
	style_gap(out);
	style_paragraph(out, style, COLOUR_BAD, head.at, parts ? "" : text_of(finding, "message"), INDENT);
	for (size_t k = 0; parts && k < sizeof part_names / sizeof *part_names; k++)
		write_part(out, style, parts, part_names[k]);
}

/* Whether one of the first `count` lines has this place, itself or in a function that was inlined there. */
static bool has_shown(json_object *lines, size_t count, json_object *place)
{
	for (size_t k = 0; k < count; k++) {
		if (is_same_place(element(lines, k), place))
			return true;
		json_object *frames = member(element(lines, k), "inlined");
		for (size_t f = 0; f < length_of(frames); f++)
			if (is_same_place(element(frames, f), place))
				return true;
	}
	return false;
}

/* The places in the functions that were inlined at lines[number], each with its source once in the finding. */
static void write_inlined(struct text *out, const struct report_style *style, json_object *lines, size_t number)
{
	json_object *frames = member(element(lines, number), "inlined");
	for (size_t k = 0; k < length_of(frames); k++) {
		json_object *frame = element(frames, k);
		struct text place = {.arena = out->arena};
		const char *function = text_of(frame, "function");
		text_print(&place, "    in %s at %s:%" PRIu64, *function ? function : "inlined code",
			text_of(frame, "file"), number_of(frame, "line"));
		style_print(out, style, COLOUR_HEAD, place.at);
		text_print(out, "\n");
		if (!has_shown(lines, number, frame))
			report_source(out, text_of(frame, "file"), number_of(frame, "line"));
	}
}

static void write_line(struct text *out, const struct report_style *style, json_object *lines, size_t number)
{
	json_object *line = element(lines, number);
	struct text place = {.arena = out->arena};
	const char *role = text_of(line, "role");
	text_print(&place, "  at %s:%" PRIu64, text_of(line, "file"), number_of(line, "line"));
	style_print(out, style, COLOUR_HEAD, place.at);
	text_print(out, "%s%s\n", *role ? ": " : "", role);
	if (!has_shown(lines, number, line))
		report_source(out, text_of(line, "file"), number_of(line, "line"));
	write_inlined(out, style, lines, number);
}

static void write_thread(struct text *out, const struct report_style *style, json_object *thread)
{
	struct text name = {.arena = out->arena};
	text_print(&name, "  group %s thread %s: ", triple_text(out->arena, member(thread, "group")),
		triple_text(out->arena, member(thread, "thread")));
	style_paragraph(out, style, COLOUR_HEAD, name.at, text_of(thread, "state"), 2 * INDENT);
}

void finding_text(struct text *out, const struct report_style *style, json_object *finding)
{
	json_object *lines = member(finding, "lines"), *threads = member(finding, "threads");
	json_object *addresses = member(finding, "addresses");
	char digits[TEXT_DIGITS];
	size_t count = json_object_array_length(threads);
	write_head(out, style, finding);
	for (size_t k = 0; k < json_object_array_length(lines); k++)
		write_line(out, style, lines, k);
	for (size_t k = 0; k < count && k < THREADS_SHOWN; k++)
		write_thread(out, style, element(threads, k));
	if (count > THREADS_SHOWN)
		text_print(
			out, "  and %zu more thread%s\n", count - THREADS_SHOWN, count == THREADS_SHOWN + 1 ? "" : "s");
	for (size_t k = 0; k < json_object_array_length(addresses); k++)
		text_print(out, "  address %s\n", json_object_get_string(element(addresses, k)));
	seeds_finding_text(out, finding);
	if (number_of(finding, "count") > 1)
		text_print(out, "  seen %s times\n", text_grouped(number_of(finding, "count"), digits));
}
