/* What the checks looked at: a line of text and a member of JSON for each. */
#include "report/checked.h"

#include "report/members.h"
#include "report/reports.h"
#include "report/style.h"
#include "report/suppressions.h"

#include <inttypes.h>
#include <string.h>

static const struct row {
	const char *name, *words; /* the word of --check; what it is for people */
	uint32_t check;
	const char *kind; /* of its findings */
	bool host;        /* of these, those of report_is_host_cause; else the others */
	const char *unit; /* of what it looks at */
	size_t offset;    /* in struct checked */
	size_t more;      /* likewise: what is not among the findings; 0: they are all */
} rows[] = {
#define COUNT(kind)                                                                                                    \
	offsetof(struct checked, counts) + sizeof(uint64_t) * LOCKSTEP_CHECKED_##kind,                                 \
		offsetof(struct checked, not_listed) + sizeof(uint64_t) * LOCKSTEP_CHECKED_##kind
	{"races", "races", LOCKSTEP_CHECK_RACES, "race", false, "access", COUNT(RACES)},
	{"host", "races with the host", LOCKSTEP_CHECK_RACES, "race", true, "command",
		offsetof(struct checked, commands), 0},
	{"init", "init", LOCKSTEP_CHECK_INIT, "uninitialised", false, "access", COUNT(INIT)},
	{"barriers", "barriers", LOCKSTEP_CHECK_BARRIERS, "barrier-misuse", false, "use", COUNT(BARRIERS)},
#undef COUNT
};
#define ROW_COUNT (sizeof rows / sizeof *rows)

static bool is_asked(const struct checked *checked, const struct row *row)
{
	return (checked->check & row->check) == row->check && (!row->host || checked->has_host);
}

static uint64_t count_at(const struct checked *checked, size_t offset)
{
	uint64_t count;
	memcpy(&count, (const char *)checked + offset, sizeof count);
	return count;
}

static uint64_t count_of(const struct checked *checked, const struct row *row)
{
	return count_at(checked, row->offset);
}

static uint64_t not_listed_of(const struct checked *checked, const struct row *row)
{
	return row->more ? count_at(checked, row->more) : 0;
}

static uint64_t found_by(const struct row *row, json_object *findings)
{
	uint64_t found = 0;
	for (size_t k = 0; k < length_of(findings); k++) {
		json_object *finding = element(findings, k);
		bool of_host = report_is_host_cause(text_of(finding, "cause"));
		found += !strcmp(text_of(finding, "kind"), row->kind) && of_host == row->host &&
			 !suppressions_is_marked(findings, k);
	}
	return found;
}

void checked_add(struct checked *checked, const struct lockstep_result *result)
{
	for (size_t k = 0; k < LOCKSTEP_CHECKED_KINDS; k++) {
		checked->counts[k] += result->checked[k];
		checked->not_listed[k] += result->not_listed[k];
	}
	for (size_t k = 0; k < LOCKSTEP_APART_KINDS; k++)
		if (result->apart[k] > checked->apart[k])
			checked->apart[k] = result->apart[k];
}

static const struct {
	uint32_t check; /* whose findings they would be */
	const char *name, *one, *several, *option;
} aparts[LOCKSTEP_APART_KINDS] = {
	[LOCKSTEP_APART_VOLATILE] = {LOCKSTEP_CHECK_RACES, "volatile",
		"pair of lines whose volatile accesses nothing orders",
		"pairs of lines whose volatile accesses nothing orders", "races=volatile"},
	[LOCKSTEP_APART_SAME_VALUE] = {LOCKSTEP_CHECK_RACES, "same_value", "pair of lines that write the same value",
		"pairs of lines that write the same value", "races=all"},
	[LOCKSTEP_APART_BARRIERS] = {LOCKSTEP_CHECK_BARRIERS, "not_all_threads",
		"barrier that not all threads of a work-group reach, as GPUs allow",
		"barriers that not all threads of a work-group reach, as GPUs allow", "barriers=all"},
};

static void write_apart(struct text *out, const struct checked *checked)
{
	char digits[TEXT_DIGITS];
	for (size_t k = 0; k < LOCKSTEP_APART_KINDS; k++)
		if (checked->apart[k])
			text_print(out, "left out: %s %s; see --check %s\n", text_grouped(checked->apart[k], digits),
				checked->apart[k] == 1 ? aparts[k].one : aparts[k].several, aparts[k].option);
}

static void add_apart(json_object *object, const struct row *row, const struct checked *checked)
{
	json_object *all = json_object_new_object();
	for (size_t k = 0; k < LOCKSTEP_APART_KINDS; k++)
		if (checked->apart[k] && aparts[k].check == row->check && !row->host)
			add_number(all, aparts[k].name, checked->apart[k]);
	if (json_object_object_length(all))
		add_member(object, "left_out", all);
	else
		json_object_put(all);
}

void checked_text(struct text *out, const struct checked *checked, json_object *findings)
{
	char digits[TEXT_DIGITS];
	bool any = false;
	for (const struct row *row = rows; row < rows + ROW_COUNT; row++) {
		if (!is_asked(checked, row))
			continue;
		uint64_t count = count_of(checked, row), found = found_by(row, findings);
		uint64_t more = not_listed_of(checked, row);
		const char *plural = count == 1 ? "" : row->unit[strlen(row->unit) - 1] == 's' ? "es" : "s";
		if (!any)
			style_gap(out);
		any = true;
		text_print(out, "checked: %s, %s %s%s, ", row->words, text_grouped(count, digits), row->unit, plural);
		if (found)
			text_print(out, "%" PRIu64 " finding%s", found, found == 1 ? "" : "s");
		else
			text_print(out, more ? "nothing found that is listed" : "nothing found");
		if (more)
			text_print(out, ", and %s more that are not listed", text_grouped(more, digits));
		text_print(out, "\n");
	}
	write_apart(out, checked);
}

void checked_add_to(json_object *report, const struct checked *checked, json_object *findings)
{
	json_object *all = json_object_new_object();
	for (const struct row *row = rows; row < rows + ROW_COUNT; row++) {
		if (!is_asked(checked, row))
			continue;
		json_object *object = json_object_new_object();
		add_number(object, "looked_at", count_of(checked, row));
		add_number(object, "findings", found_by(row, findings));
		if (not_listed_of(checked, row))
			add_number(object, "not_listed", not_listed_of(checked, row));
		add_apart(object, row, checked);
		add_member(all, row->name, object);
	}
	if (checked->check)
		add_member(report, "checked", all);
	else
		json_object_put(all);
}
