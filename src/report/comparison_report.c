/* A comparison, for a person and for a program. */
#include "report/comparison.h"
#include "report/kernel_name.h"

#include <inttypes.h>
#include <json-c/json.h>
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

/* Of two models only what a user chooses is worth a line each. */
static bool is_worth_a_line(const struct comparison *c, const char *path)
{
	return !strcmp(c->gpu[BEFORE], c->gpu[AFTER]) || !strncmp(path, "policy.", 7) || !strncmp(path, "run.", 4);
}

static void write_fields(struct text *out, const struct comparison *c)
{
	uint32_t others = 0;
	if (c->fields.count)
		text_print(out, "\nconfiguration\n");
	for (uint32_t k = 0; k < c->fields.count; k++) {
		const struct compared_field *f = &c->fields.at[k];
		if (is_worth_a_line(c, f->path))
			text_print(out, "  %-32s %s -> %s\n", f->path,
				f->value[BEFORE] ? f->value[BEFORE] : "(not there)",
				f->value[AFTER] ? f->value[AFTER] : "(not there)");
		else
			others++;
	}
	if (others)
		text_print(out, "  %u field%s of the model (--report json has them)\n", others, others == 1 ? "" : "s");
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
	text_print(out, "\nkernel %s, ", kernel_name_short(out->arena, kernel->name));
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
			*f->kernel ? kernel_name_short(out->arena, f->kernel) : "", f->cause, f->message);
	}
}

void comparison_text(struct text *out, const struct comparison *c, uint32_t most)
{
	write_head(out, c);
	write_fields(out, c);
	for (uint32_t k = 0; k < c->kernels.count; k++)
		write_kernel(out, &c->kernels.at[k], most);
	write_findings(out, c);
}

/* ---- JSON ---- */

static json_object *text_or_null(const char *text)
{
	return text ? json_object_new_string(text) : NULL;
}

static json_object *pair(const uint64_t value[2])
{
	json_object *both = json_object_new_array_ext(2);
	for (int side = BEFORE; side <= AFTER; side++)
		json_object_array_add(both, json_object_new_uint64(value[side]));
	return both;
}

static json_object *pair_of_texts(const char *const value[2])
{
	json_object *both = json_object_new_array_ext(2);
	for (int side = BEFORE; side <= AFTER; side++)
		json_object_array_add(both, text_or_null(value[side]));
	return both;
}

static json_object *kernel_object(const struct compared_kernel *kernel)
{
	json_object *object = json_object_new_object(), *counters = json_object_new_object();
	for (uint32_t k = 0; k < kernel->counters.count; k++)
		json_object_object_add(counters, kernel->counters.at[k].name, pair(kernel->counters.at[k].value));
	json_object_object_add(object, "kernel", json_object_new_string(kernel->name));
	json_object_object_add(object, "launches", pair(kernel->launches));
	json_object_object_add(object, "counters", counters);
	return object;
}

static json_object *finding_object(const struct compared_finding *finding)
{
	json_object *object = json_object_new_object();
	json_object_object_add(object, "cause", json_object_new_string(finding->cause));
	json_object_object_add(object, "kernel", text_or_null(*finding->kernel ? finding->kernel : NULL));
	json_object_object_add(object, "message", json_object_new_string(finding->message));
	json_object_object_add(object, "count", pair(finding->count));
	return object;
}

json_object *comparison_object(const struct comparison *c)
{
	json_object *report = json_object_new_object(), *fields = json_object_new_object(),
		    *kernels = json_object_new_array(), *findings = json_object_new_array();
	for (uint32_t k = 0; k < c->fields.count; k++)
		json_object_object_add(fields, c->fields.at[k].path, pair_of_texts(c->fields.at[k].value));
	for (uint32_t k = 0; k < c->kernels.count; k++)
		json_object_array_add(kernels, kernel_object(&c->kernels.at[k]));
	for (uint32_t k = 0; k < c->findings.count; k++)
		json_object_array_add(findings, finding_object(&c->findings.at[k]));
	json_object_object_add(report, "schema", json_object_new_string("lockstep-comparison/1"));
	json_object_object_add(report, "files", pair_of_texts(c->file));
	json_object_object_add(report, "gpu", pair_of_texts(c->gpu));
	json_object_object_add(report, "launches", pair(c->launches));
	json_object_object_add(report, "cycles", pair(c->cycles));
	json_object_object_add(report, "configuration", fields);
	json_object_object_add(report, "kernels", kernels);
	json_object_object_add(report, "findings", findings);
	return report;
}

void comparison_json(struct text *out, const struct comparison *c, uint32_t most)
{
	json_object *report = comparison_object(c);
	(void)most;
	text_print(out, "%s\n",
		json_object_to_json_string_ext(report, JSON_C_TO_STRING_PRETTY | JSON_C_TO_STRING_NOSLASHESCAPE));
	json_object_put(report);
}
