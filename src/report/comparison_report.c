/* A comparison, for a person and for a program. */
#include "report/comparison.h"
#include "report/members.h"
#include "report/reports.h"
#include "util/demangle.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* ---- Text ---- */

/* "+22.3 %"; from 0 there is none. */
static const char *change(const uint64_t value[2], char text[TEXT_DIGITS])
{
	double percent =
		value[BEFORE] ? 100 * ((double)value[AFTER] - (double)value[BEFORE]) / (double)value[BEFORE] : 0;
	if (value[BEFORE])
		snprintf(text, TEXT_DIGITS, "%+.1f %%", percent);
	else
		snprintf(text, TEXT_DIGITS, "from 0");
	return text;
}

static void write_head(struct text *out, const struct comparison *c)
{
	char cycles[TEXT_DIGITS], text[TEXT_DIGITS];
	for (int side = BEFORE; side <= AFTER; side++)
		text_print(out, "%-7s %s: GPU %s, %" PRIu64 " launch%s, %s cycles\n",
			side == BEFORE ? "before" : "after", c->file[side], c->gpu[side], c->launches[side],
			c->launches[side] == 1 ? "" : "es", text_grouped(c->cycles[side], cycles));
	if (c->cycles[BEFORE] && c->cycles[AFTER])
		text_print(out, "cycles  %s\n", change(c->cycles, text));
}

static void write_counters(struct text *out, const struct compared_kernel *kernel, uint32_t most)
{
	char before[TEXT_DIGITS], after[TEXT_DIGITS], text[TEXT_DIGITS];
	for (uint32_t k = 0; k < kernel->counters.count && k < most; k++) {
		const struct compared_counter *counter = &kernel->counters.at[k];
		text_print(out, "  %15s %15s %12s  %s%s%s%s\n", text_grouped(counter->value[BEFORE], before),
			text_grouped(counter->value[AFTER], after), change(counter->value, text), counter->name,
			*counter->unit ? " (" : "", counter->unit, *counter->unit ? ")" : "");
	}
	if (kernel->counters.count > most)
		text_print(out, "  and %u more (--counters 0 has them all)\n", kernel->counters.count - most);
}

static void write_kernel(struct text *out, const struct compared_kernel *kernel, uint32_t most)
{
	const uint64_t *n = kernel->launches;
	text_print(out, "\nkernel %s, ", demangle_brief(out->arena, kernel->name));
	if (!n[BEFORE] || !n[AFTER]) {
		text_print(out, "only %s: %" PRIu64 " launch%s\n", n[BEFORE] ? "before" : "after", n[BEFORE] + n[AFTER],
			n[BEFORE] + n[AFTER] == 1 ? "" : "es");
		return;
	}
	if (n[BEFORE] == n[AFTER])
		text_print(out, "%" PRIu64 " launch%s", n[BEFORE], n[BEFORE] == 1 ? "" : "es");
	else
		text_print(out, "%" PRIu64 " and %" PRIu64 " launches", n[BEFORE], n[AFTER]);
	if (!kernel->counters.count) {
		text_print(out, ": no counter differs\n");
		return;
	}
	text_print(out, "\n  %15s %15s %12s  counter, the largest change first\n", "before", "after", "change");
	write_counters(out, kernel, most);
}

static void write_findings(struct text *out, const struct comparison *c)
{
	if (c->findings.count)
		text_print(out, "\nfindings\n");
	for (uint32_t k = 0; k < c->findings.count; k++) {
		const struct compared_finding *f = &c->findings.at[k];
		if (f->count[BEFORE] && f->count[AFTER])
			text_print(out, "  %" PRIu64 " times -> %" PRIu64 " times", f->count[BEFORE], f->count[AFTER]);
		else
			text_print(out, "  only %s", f->count[BEFORE] ? "before" : "after");
		text_print(out, "%s%s: %s: %s\n", *f->kernel ? ", kernel " : "",
			*f->kernel ? demangle_brief(out->arena, f->kernel) : "", f->cause, f->message);
	}
}

void comparison_text(struct text *out, const struct comparison *c, uint32_t most)
{
	comparison_parts_text(out, c);
	write_head(out, c);
	for (uint32_t k = 0; k < c->kernels.count; k++)
		write_kernel(out, &c->kernels.at[k], most);
	write_findings(out, c);
}

/* ---- JSON ---- */

static json_object *pair(const uint64_t value[2])
{
	return array_of_numbers(value, 2);
}

static json_object *kernel_object(const struct compared_kernel *kernel)
{
	json_object *object = json_object_new_object(), *counters = json_object_new_object();
	for (uint32_t k = 0; k < kernel->counters.count; k++)
		add_member(counters, kernel->counters.at[k].name, pair(kernel->counters.at[k].value));
	add_text(object, "kernel", kernel->name);
	add_member(object, "launches", pair(kernel->launches));
	add_member(object, "counters", counters);
	return object;
}

static json_object *finding_object(const struct compared_finding *finding)
{
	json_object *object = json_object_new_object();
	add_text(object, "cause", finding->cause);
	add_member(object, "kernel", *finding->kernel ? json_object_new_string(finding->kernel) : NULL);
	add_text(object, "message", finding->message);
	add_member(object, "count", pair(finding->count));
	return object;
}

static json_object *part_object(const struct compared_part *part)
{
	json_object *object = json_object_new_object();
	add_text(object, "what", part->kind);
	if (part->name)
		add_member(object, "name", report_string(part->name));
	add_member(object, "values", array_of_texts(part->value, 2));
	return object;
}

json_object *comparison_object(const struct comparison *c)
{
	json_object *report = json_object_new_object(), *fields = json_object_new_object(),
		    *kernels = json_object_new_array(), *findings = json_object_new_array(),
		    *parts = json_object_new_array();
	struct arena arena = {0};
	for (uint32_t k = 0; k < c->parts.count; k++)
		json_object_array_add(parts, part_object(&c->parts.at[k]));
	for (uint32_t k = 0; k < c->fields.count; k++)
		add_member(fields, c->fields.at[k].path, array_of_texts(c->fields.at[k].value, 2));
	for (uint32_t k = 0; k < c->kernels.count; k++)
		json_object_array_add(kernels, kernel_object(&c->kernels.at[k]));
	for (uint32_t k = 0; k < c->findings.count; k++)
		json_object_array_add(findings, finding_object(&c->findings.at[k]));
	add_text(report, "schema", "lockstep-comparison/1");
	add_member(report, "files", array_of_texts(c->file, 2));
	add_text(report, "summary", comparison_summary(&arena, c));
	add_member(report, "differs", parts);
	add_member(report, "gpu", array_of_texts(c->gpu, 2));
	add_member(report, "launches", pair(c->launches));
	add_member(report, "cycles", pair(c->cycles));
	add_member(report, "configuration", fields);
	add_member(report, "kernels", kernels);
	add_member(report, "findings", findings);
	arena_free(&arena);
	return report;
}

void comparison_json(struct text *out, const struct comparison *c, uint32_t most)
{
	(void)most;
	report_print_as(out, comparison_object(c), JSON_C_TO_STRING_PRETTY);
	text_append(out, "\n", 1);
}
