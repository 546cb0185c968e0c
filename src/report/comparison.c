/* Reads two JSON reports and finds what differs. */
#include "report/comparison.h"

#include "report/members.h"
#include "report/reports.h"
#include "report/result_file.h"

#include <stdlib.h>
#include <string.h>

#define CYCLES "cycles"

/* ---- Launches ---- */

static struct compared_kernel *kernel_of(struct comparison *c, struct arena *arena, const char *name)
{
	for (uint32_t k = 0; k < c->kernels.count; k++)
		if (!strcmp(c->kernels.at[k].name, name))
			return &c->kernels.at[k];
	struct compared_kernel *kernel = vector_push(arena, &c->kernels);
	kernel->name = arena_text(arena, name);
	return kernel;
}

static const char *unit_of(const char *name)
{
	struct lockstep_counter counter;
	return report_counter(name, &counter) ? counter.unit : "";
}

/* `next` is where it is likely to be: launches have the same counters in the same order. */
static void add_value(
	struct compared_kernel *kernel, struct arena *arena, uint32_t next, const char *name, uint64_t value, int side)
{
	uint32_t k = next < kernel->counters.count && !strcmp(kernel->counters.at[next].name, name) ? next : 0;
	while (k < kernel->counters.count && strcmp(kernel->counters.at[k].name, name))
		k++;
	if (k == kernel->counters.count)
		*vector_push(arena, &kernel->counters) = (struct compared_counter){
			.name = arena_text(arena, name), .unit = strcmp(name, CYCLES) ? unit_of(name) : "core cycles"};
	kernel->counters.at[k].value[side] += value;
}

static void add_launch(struct comparison *c, struct arena *arena, json_object *launch, int side)
{
	struct compared_kernel *kernel = kernel_of(c, arena, text_of(launch, "kernel"));
	uint32_t next = 0;
	kernel->launches[side] += launches_of_record(launch);
	c->launches[side] += launches_of_record(launch);
	c->cycles[side] += number_of(launch, CYCLES);
	add_value(kernel, arena, next++, CYCLES, number_of(launch, CYCLES), side);
	if (!json_object_is_type(member(launch, "counters"), json_type_object))
		return;
	json_object_object_foreach(member(launch, "counters"), name, value)
		add_value(kernel, arena, next++, name, json_object_get_uint64(value), side);
}

/* ---- The rest ---- */

static void add_fields(struct comparison *c, struct arena *arena, json_object *configuration, int side)
{
	uint32_t next = 0;
	if (!json_object_is_type(configuration, json_type_object))
		return;
	json_object_object_foreach(configuration, path, value)
	{
		uint32_t k = next < c->fields.count && !strcmp(c->fields.at[next].path, path) ? next : 0;
		while (k < c->fields.count && strcmp(c->fields.at[k].path, path))
			k++;
		if (k == c->fields.count)
			vector_push(arena, &c->fields)->path = arena_text(arena, path);
		const char *text = json_object_is_type(value, json_type_string)
					   ? json_object_get_string(value)
					   : json_object_to_json_string_ext(
						     value, JSON_C_TO_STRING_SPACED | JSON_C_TO_STRING_NOSLASHESCAPE);
		c->fields.at[k].value[side] = arena_text(arena, text ? text : "null");
		next = k + 1;
	}
}

static void add_finding(struct comparison *c, struct arena *arena, json_object *finding, int side)
{
	const char *cause = text_of(finding, "cause"), *kernel = text_of(finding, "kernel"),
		   *message = text_of(finding, "message");
	uint64_t count = number_of(finding, "count");
	uint32_t k = 0;
	while (k < c->findings.count &&
		(strcmp(c->findings.at[k].cause, cause) || strcmp(c->findings.at[k].kernel, kernel) ||
			strcmp(c->findings.at[k].message, message)))
		k++;
	if (k == c->findings.count)
		*vector_push(arena, &c->findings) = (struct compared_finding){
			arena_text(arena, cause), arena_text(arena, kernel), arena_text(arena, message), {0}};
	c->findings.at[k].count[side] += count ? count : 1;
}

static void add_report(struct comparison *c, struct arena *arena, json_object *report, int side)
{
	json_object *launches = member(report, "launches"), *findings = member(report, "findings");
	c->gpu[side] = arena_text(arena, text_of(report, "gpu"));
	add_fields(c, arena, member(report, "configuration"), side);
	for (size_t k = 0; k < length_of(launches); k++)
		add_launch(c, arena, element(launches, k), side);
	for (size_t k = 0; k < length_of(findings); k++)
		add_finding(c, arena, element(findings, k), side);
}

/* ---- What differs ---- */

int comparison_order(const uint64_t a[2], const uint64_t b[2])
{
	uint64_t a_low = a[0] < a[1] ? a[0] : a[1], a_high = a[0] < a[1] ? a[1] : a[0];
	uint64_t b_low = b[0] < b[1] ? b[0] : b[1], b_high = b[0] < b[1] ? b[1] : b[0];
	__uint128_t left = (__uint128_t)a_high * b_low, right = (__uint128_t)b_high * a_low;
	if (left == right) /* as where both are from 0 */
		return (a_high < b_high) - (a_high > b_high);
	return left > right ? -1 : 1;
}

static int by_change(const void *a, const void *b)
{
	const struct compared_counter *x = a, *y = b;
	if (!strcmp(x->name, CYCLES) || !strcmp(y->name, CYCLES))
		return strcmp(x->name, CYCLES) ? 1 : -1;
	int order = comparison_order(x->value, y->value);
	return order ? order : strcmp(x->name, y->name);
}

/* Keeps those that differ. */
static void sift(struct comparison *c)
{
	uint32_t kept = 0;
	for (uint32_t k = 0; k < c->fields.count; k++) {
		const struct compared_field *f = &c->fields.at[k];
		if (!f->value[BEFORE] || !f->value[AFTER] || strcmp(f->value[BEFORE], f->value[AFTER]))
			c->fields.at[kept++] = *f;
	}
	c->fields.count = kept;
	kept = 0;
	for (uint32_t k = 0; k < c->findings.count; k++)
		if (c->findings.at[k].count[BEFORE] != c->findings.at[k].count[AFTER])
			c->findings.at[kept++] = c->findings.at[k];
	c->findings.count = kept;
	for (uint32_t n = 0; n < c->kernels.count; n++) {
		struct compared_kernel *kernel = &c->kernels.at[n];
		kept = 0;
		for (uint32_t k = 0; k < kernel->counters.count; k++)
			if (kernel->counters.at[k].value[BEFORE] != kernel->counters.at[k].value[AFTER])
				kernel->counters.at[kept++] = kernel->counters.at[k];
		kernel->counters.count = kept;
		if (kept)
			qsort(kernel->counters.at, kept, sizeof *kernel->counters.at, by_change);
	}
}

void comparison_of(struct comparison *c, struct arena *arena, const char *const files[2], json_object *const reports[2])
{
	*c = (struct comparison){0};
	for (int side = BEFORE; side <= AFTER; side++) {
		c->file[side] = files[side];
		c->report[side] = reports[side];
		add_report(c, arena, reports[side], side);
	}
	sift(c);
	comparison_add_parts(c, arena);
}

bool comparison_read(
	struct comparison *c, struct arena *arena, const char *const files[2], struct diagnostic *diagnostic)
{
	json_object *reports[2] = {NULL, NULL};
	*c = (struct comparison){0};
	for (int side = BEFORE; side <= AFTER && !diagnostic->failed; side++)
		reports[side] = result_file_read(arena, files[side], NULL, diagnostic);
	if (!diagnostic->failed)
		comparison_of(c, arena, files, reports);
	else
		json_object_put(reports[BEFORE]);
	return !diagnostic->failed;
}

void comparison_free(struct comparison *c)
{
	for (int side = BEFORE; side <= AFTER; side++)
		json_object_put(c->report[side]);
}
