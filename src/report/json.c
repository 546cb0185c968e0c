/* The JSON report, "lockstep-report/1": built with json-c; buffers print themselves, they may hold millions of
 * values. */
#include "report/reporter.h"

#include "options/run_options.h"
#include "report/checked.h"
#include "report/comparison.h"
#include "report/members.h"
#include "report/profile.h"
#include "report/provenance.h"
#include "report/samples.h"
#include "report/sources.h"
#include "report/suppressions.h"
#include "util/demangle.h"

#include <assert.h>
#include <string.h>

/* First bytes of UTF-8 and what may follow first, RFC 3629, section 4: neither longer than need be, nor halves of pairs
 * (U+D800 to U+DFFF), nor beyond U+10FFFF. */
static const struct {
	unsigned char from, to, second_from, second_to, length;
} characters[] = {
	{0x00, 0x7f, 0x00, 0xff, 1},
	{0xc2, 0xdf, 0x80, 0xbf, 2},
	{0xe0, 0xe0, 0xa0, 0xbf, 3},
	{0xe1, 0xec, 0x80, 0xbf, 3},
	{0xed, 0xed, 0x80, 0x9f, 3},
	{0xee, 0xef, 0x80, 0xbf, 3},
	{0xf0, 0xf0, 0x90, 0xbf, 4},
	{0xf1, 0xf3, 0x80, 0xbf, 4},
	{0xf4, 0xf4, 0x80, 0x8f, 4},
};

/* Length of the UTF-8 character at `text`, 0 when it is none. */
static size_t character_length(const char *text)
{
	const unsigned char *at = (const unsigned char *)text;
	size_t row = 0, count = sizeof characters / sizeof *characters;

	while (row < count && !(*at >= characters[row].from && *at <= characters[row].to))
		row++;
	if (row == count ||
		(at[0] >= 0x80 && !(at[1] >= characters[row].second_from && at[1] <= characters[row].second_to)))
		return 0;
	for (size_t k = 2; k < characters[row].length; k++)
		if ((at[k] & 0xc0) != 0x80)
			return 0;
	return characters[row].length;
}

static bool is_clean(const char *text)
{
	size_t length;
	while (*text && (length = character_length(text)))
		text += length;
	return !*text;
}

json_object *report_string(const char *text)
{
	if (is_clean(text))
		return json_object_new_string(text);
	struct arena arena = {0};
	struct text clean = {.arena = &arena};
	text_append(&clean, "", 0);
	while (*text) {
		size_t length = character_length(text);
		text_append(&clean, length ? text : "?", length ? length : 1);
		text += length ? length : 1;
	}
	json_object *result = json_object_new_string_len(clean.at, (int)clean.length);
	arena_free(&arena);
	return result;
}

/* Keys are not copied: they outlive the object. */
static void add(json_object *object, const char *key, json_object *value)
{
	json_object_object_add_ex(object, key, value, JSON_C_OBJECT_ADD_CONSTANT_KEY);
}

/* An option's value, or what it means not to give it. */
static json_object *option_of(const struct run_option *option, const struct run_options *options)
{
	struct arena arena = {0};
	json_object *value = NULL;
	if (option->type == RUN_OPTION_NUMBER) {
		value = json_object_new_uint64(run_option_number(option, options));
	} else if (option->type == RUN_OPTION_CHOICE) {
		value = report_string(run_option_word(option, options, &arena));
	} else {
		assert(option->type == RUN_OPTION_LIST);
		const char *const *list = run_option_list(option, options);
		size_t count = 0;
		while (list[count])
			count++;
		value = array_of_texts(list, count);
	}
	arena_free(&arena);
	return value;
}

/* All that the result depends on beside the kernel: the model's fields, and what else the GPU was opened with.  The
 * number of host threads is not among it. */
static json_object *configuration_of(const struct lockstep *gpu, const struct lockstep_options *options)
{
	json_object *object = json_object_new_object();
	struct lockstep_field field;
	for (size_t k = 0; lockstep_configuration(gpu, k, &field); k++)
		add(object, field.path, field.text ? report_string(field.text) : json_object_new_uint64(field.number));
	struct run_options run = {.setup = *options};
	const struct run_option *option;
	for (uint32_t k = 0; (option = run_option_reported(k)); k++)
		add(object, option->key, option_of(option, &run));
	return object;
}

/* The kernel as C++ writes it, if its name is one of C++. */
static void add_demangled(json_object *object, const char *kernel)
{
	struct arena arena = {0};
	const char *name = demangle(&arena, kernel, true);
	if (name)
		add(object, "demangled", report_string(name));
	arena_free(&arena);
}

static json_object *placements_of(const struct lockstep_placements *placements)
{
	json_object *object = json_object_new_object(), *launches = json_object_new_array();
	for (size_t k = 0; k < placements->launch_count; k++)
		json_object_array_add(launches, json_object_new_uint64(placements->launches[k]));
	add(object, "launches", launches);
	add_number(object, "finished", placements->finished);
	add(object, "all", json_object_new_boolean(placements->all));
	return object;
}

/* `placements`: null: none were tried. */
static json_object *search_of(const struct lockstep_search *search, const struct lockstep_placements *placements)
{
	static const struct member_row rows[] = {MEMBER(lockstep_search, schedules), MEMBER(lockstep_search, states),
		MEMBER_OR_NULL(lockstep_search, schedule), {0}};
	json_object *object = json_object_new_object();
	add(object, "verdict", report_string(report_verdict(search->verdict)));
	members_add(object, rows, search);
	if (placements)
		add(object, "placements", placements_of(placements));
	return object;
}

/* What observers found, each of which is asked for. */
static void add_observed(json_object *launch, const struct lockstep_result *result)
{
	if (result->costs)
		profile_add_to(launch, result);
	if (result->samples)
		samples_add_to(launch, result);
	if (result->table_count)
		tables_add_to(launch, result);
}

#define RESULT(member) MEMBER(lockstep_result, member)

static json_object *launch_of(const struct lockstep_result *result)
{
	static const struct member_row shape[] = {RESULT(grid), RESULT(block), {0}},
				       family[] = {MEMBER_IF_ANY(lockstep_result, parent),
					       MEMBER_IF_ANY(lockstep_result, children), {0}},
				       figures[] = {RESULT(cycles), RESULT(warp_instructions),
					       RESULT(thread_instructions), RESULT(wall_seconds),
					       RESULT(registers_per_thread), RESULT(shared_bytes), {0}},
				       occupancy[] = {RESULT(groups_per_core), RESULT(groups), RESULT(limiter), {0}};
	json_object *object = json_object_new_object(), *counters = json_object_new_object();
	add(object, "kernel", report_string(result->kernel));
	add_demangled(object, result->kernel);
	members_add(object, shape, result);
	if (result->parent || result->children)
		add_number(object, "number", result->number);
	members_add(object, family, result);
	if (result->origin)
		add(object, "ptx", report_string(result->origin->ptx));
	add(object, "outcome", json_object_new_string(report_outcome(result->outcome)));
	members_add(object, figures, result);
	add(object, "occupancy", members_object(occupancy, result));
	if (result->search)
		add(object, "progress", search_of(result->search, result->placements));
	for (size_t k = 0; k < result->counter_count; k++)
		add(counters, result->counters[k].name, json_object_new_uint64(result->counters[k].value));
	add(object, "counters", counters);
	add_observed(object, result);
	return object;
}

static json_object *lines_of(const struct lockstep_finding *finding)
{
	static const struct member_row rows[] = {MEMBER(lockstep_line, file), MEMBER(lockstep_line, line),
		MEMBER_IF_ANY(lockstep_line, role), {0}},
				       frame[] = {MEMBER(lockstep_frame, file), MEMBER(lockstep_frame, line),
					       MEMBER_OR_NULL(lockstep_frame, function), {0}};
	json_object *lines = json_object_new_array();
	for (size_t k = 0; k < finding->line_count; k++) {
		const struct lockstep_line *line = &finding->lines[k];
		json_object *object = add_object(lines);
		members_add(object, rows, line);
		if (line->inlined_count)
			add(object, "inlined", MEMBERS_ARRAY(frame, line->inlined, line->inlined_count));
	}
	return lines;
}

#define FINDING(member) MEMBER(lockstep_finding, member)
#define FINDING_IF(member) MEMBER_IF_ANY(lockstep_finding, member)

/* An mbarrier has an address, and bytes; another barrier a number. */
static json_object *barrier_of(const struct lockstep_stuck_barrier *b)
{
	static const struct member_row address[] = {MEMBER(lockstep_stuck_barrier, address), {0}},
				       number[] = {MEMBER(lockstep_stuck_barrier, number), {0}},
				       state[] = {MEMBER(lockstep_stuck_barrier, phase),
					       MEMBER(lockstep_stuck_barrier, expected),
					       MEMBER(lockstep_stuck_barrier, arrived), {0}},
				       bytes[] = {MEMBER(lockstep_stuck_barrier, bytes_expected),
					       MEMBER(lockstep_stuck_barrier, bytes_arrived), {0}},
				       place[] = {MEMBER(lockstep_line, file), MEMBER(lockstep_line, line), {0}};
	json_object *object = members_object(b->address ? address : number, b);
	members_add(object, state, b);
	if (!b->address)
		return object;
	members_add(object, bytes, b);
	add(object, "initialised_at", members_object(place, b->initialised_at));
	return object;
}

/* What only hangs have. */
static void add_verdict(json_object *object, const struct lockstep_finding *finding)
{
	static const struct member_row hint[] = {FINDING_IF(would_go_on), {0}},
				       rival[] = {MEMBER(lockstep_rival, cause), MEMBER(lockstep_rival, went_on), {0}},
				       parts[] = {FINDING_IF(what), FINDING_IF(who), FINDING_IF(checked),
					       FINDING_IF(fix), {0}};
	if (!finding->what)
		return;
	members_add(object, hint, finding);
	add(object, "rivals", MEMBERS_ARRAY(rival, finding->rivals, finding->rival_count));
	add(object, "verdict", members_object(parts, finding));
	if (finding->barrier)
		add(object, "barrier", barrier_of(finding->barrier));
}

/* `kernel`: that it is of; null: none. */
static json_object *finding_of(const struct lockstep_finding *finding, const char *kernel)
{
	static const struct member_row causes[] = {FINDING(certainty), FINDING(cause), FINDING(confirmed), {0}},
				       seen[] = {FINDING(count), FINDING(message), {0}},
				       thread[] = {MEMBER(lockstep_thread, group), MEMBER(lockstep_thread, thread),
					       MEMBER(lockstep_thread, state), {0}};
	json_object *object = json_object_new_object();
	add(object, "kind", report_string(finding->kind));
	if (kernel)
		add(object, "kernel", report_string(kernel));
	members_add(object, causes, finding);
	add_verdict(object, finding);
	members_add(object, seen, finding);
	add(object, "lines", lines_of(finding));
	add(object, "threads", MEMBERS_ARRAY(thread, finding->threads, finding->thread_count));
	add(object, "addresses", array_of_texts(finding->addresses, finding->address_count));
	return object;
}

json_object *report_finding_list(const struct lockstep_finding *findings, size_t count, const char *kernel)
{
	json_object *list = json_object_new_array();
	for (size_t k = 0; k < count; k++)
		json_object_array_add(list, finding_of(&findings[k], kernel));
	return list;
}

json_object *report_findings(const struct lockstep *gpu)
{
	json_object *findings = json_object_new_array();
	for (size_t k = 0; k < lockstep_result_count(gpu); k++) {
		const struct lockstep_result *result = lockstep_result(gpu, k);
		for (size_t f = 0; f < result->finding_count; f++)
			json_object_array_add(findings, finding_of(&result->findings[f], result->kernel));
	}
	return findings;
}

/* Called by json-c to print a buffer. */
static int print_values(json_object *object, struct printbuf *out, int level, int flags)
{
	(void)level;
	(void)flags;
	const struct dumped *dump = json_object_get_userdata(object);
	char text[VALUE_TEXT_BYTES];
	printbuf_memappend(out, "[", 1);
	for (uint64_t k = 0; k < dump->count; k++) {
		if (k)
			printbuf_memappend(out, ", ", 2);
		int length = value_json(dump->type, value_load(dump->type, dump->values, k), text);
		printbuf_memappend(out, text, length);
	}
	printbuf_memappend(out, "]", 1);
	return 0;
}

static json_object *buffers_of(const struct dumped *dumps, size_t count)
{
	json_object *object = json_object_new_object();
	for (size_t k = 0; k < count; k++) {
		json_object *values = json_object_new_array();
		json_object_set_serializer(values, print_values, (void *)&dumps[k], NULL);
		add(object, dumps[k].name, values);
	}
	return object;
}

void report_print_as(struct text *out, json_object *object, int flags)
{
	size_t length = 0;
	const char *text = json_object_to_json_string_length(object, flags | JSON_C_TO_STRING_NOSLASHESCAPE, &length);
	text_append(out, text, length);
	json_object_put(object);
}

void report_print(struct text *out, json_object *report)
{
	report_print_as(out, report, JSON_C_TO_STRING_PRETTY | JSON_C_TO_STRING_SPACED);
	text_append(out, "\n", 1);
}

json_object *report_launch(const struct lockstep_result *result)
{
	json_object *launch = launch_of(result);
	add(launch, "mode", json_object_new_string(report_mode(result->mode))); /* may differ from launch to launch */
	return launch;
}

void report_json_profile(struct text *out, const struct lockstep_result *result)
{
	json_object *object = json_object_new_object();
	add_observed(object, result);
	report_print_as(out, object, JSON_C_TO_STRING_PLAIN);
}

void report_json_findings(struct text *out, const struct lockstep_finding *findings, size_t count, const char *kernel)
{
	report_print_as(out, report_finding_list(findings, count, kernel), JSON_C_TO_STRING_PLAIN);
}

void report_json_session(struct text *out, const struct lockstep *gpu, const struct lockstep_options *options)
{
	json_object *object = json_object_new_object();
	add(object, "gpu", report_string(options->gpu));
	add(object, "configuration", configuration_of(gpu, options));
	add(object, "settings", provenance_settings(gpu));
	report_print_as(out, object, JSON_C_TO_STRING_PLAIN);
}

json_object *report_kernel_provenance(const struct lockstep *gpu, const struct provenance *known)
{
	struct arena arena = {0};
	struct provenance all = known ? *known : (struct provenance){0};
	json_object *settings = provenance_settings(gpu);
	for (size_t k = 0; k < lockstep_result_count(gpu); k++) {
		const struct lockstep_result *result = lockstep_result(gpu, k);
		provenance_add_kernel(&all, &arena, result->kernel, result->origin);
	}
	json_object *object = provenance_object(&all, settings);
	json_object_put(settings);
	arena_free(&arena);
	return object;
}

static void report_lint(struct text *out, const char *file, const struct lockstep_finding *findings, size_t count)
{
	json_object *report = json_object_new_object();
	add(report, "schema", json_object_new_string("lockstep-lint/1"));
	add(report, "file", report_string(file));
	add(report, "findings", report_finding_list(findings, count, NULL));
	report_print(out, report);
}

json_object *report_kernel_object(const struct lockstep *gpu, const struct lockstep_options *options,
	const struct report_findings *findings, const struct dumped *dumps, size_t dump_count)
{
	json_object *report = json_object_new_object(), *launches = json_object_new_array();
	struct checked checked = {.check = options->check};
	for (size_t k = 0; k < lockstep_result_count(gpu); k++) {
		json_object_array_add(launches, launch_of(lockstep_result(gpu, k)));
		checked_add(&checked, lockstep_result(gpu, k));
	}
	add(report, "schema", json_object_new_string("lockstep-report/1"));
	add(report, "gpu", report_string(options->gpu));
	add(report, "configuration", configuration_of(gpu, options));
	add(report, "provenance", report_kernel_provenance(gpu, findings->known));
	add(report, "launches", launches);
	add(report, "findings", suppressions_left(findings->all));
	checked_add_to(report, &checked, findings->all);
	if (findings->suppressions->list.count)
		add(report, "suppressed", suppressions_json(findings->suppressions));
	sources_add_to(report);
	if (findings->seeds)
		add(report, "seeds", json_object_get(findings->seeds));
	add(report, "buffers", buffers_of(dumps, dump_count));
	return report;
}

static void report_kernel(struct text *out, const struct lockstep *gpu, const struct lockstep_options *options,
	const struct report_findings *findings, const struct dumped *dumps, size_t dump_count)
{
	report_print(out, report_kernel_object(gpu, options, findings, dumps, dump_count));
}

const struct reporter reporter_json = {.name = "json",
	.litmus = true,
	.complete = true,
	.kernel = report_kernel,
	.run = report_run_json,
	.lint = report_lint,
	.compare = comparison_json};
