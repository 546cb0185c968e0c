/* The JSON report, "lockstep-report/1": built with json-c; buffers print themselves, they may hold millions of
 * values. */
#include "report/reporter.h"

#include "options/run_options.h"
#include "report/comparison.h"
#include "report/kernel_name.h"
#include "report/profile.h"
#include "report/samples.h"
#include "report/sources.h"
#include "report/suppressions.h"
#include "report/triple.h"

#include <assert.h>
#include <json-c/json.h>
#include <string.h>

const char *report_outcome(enum lockstep_outcome outcome)
{
	static const char *const names[] = {"completed", "hang", "fault", "limit", "interrupted"};
	return names[outcome];
}

const char *report_verdict(enum lockstep_verdict verdict)
{
	static const char *const names[] = {"always finishes", "may hang", "hangs", "faults", "undecided"};
	return names[verdict];
}

const char *report_mode(enum lockstep_mode mode)
{
	return mode == LOCKSTEP_FUNCTIONAL ? "functional" : "timing";
}

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

static json_object *number_of(double value)
{
	char text[VALUE_TEXT_BYTES];
	value_json_double(value, text);
	return json_object_new_double_s(value, text);
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
		value = json_object_new_array();
		for (const char *const *at = run_option_list(option, options); *at; at++)
			json_object_array_add(value, report_string(*at));
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
	const char *name = kernel_name_whole(&arena, kernel);
	if (name)
		add(object, "demangled", report_string(name));
	arena_free(&arena);
}

static json_object *search_of(const struct lockstep_search *search)
{
	json_object *object = json_object_new_object();
	add(object, "verdict", report_string(report_verdict(search->verdict)));
	add(object, "schedules", json_object_new_uint64(search->schedules));
	add(object, "states", json_object_new_uint64(search->states));
	add(object, "schedule", search->schedule ? report_string(search->schedule) : NULL);
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

static json_object *launch_of(const struct lockstep_result *result)
{
	json_object *object = json_object_new_object();
	add(object, "kernel", report_string(result->kernel));
	add_demangled(object, result->kernel);
	add(object, "grid", triple_of(result->grid));
	add(object, "block", triple_of(result->block));
	if (result->parent || result->children)
		add(object, "number", json_object_new_uint64(result->number));
	if (result->parent)
		add(object, "parent", json_object_new_uint64(result->parent));
	if (result->children)
		add(object, "children", json_object_new_uint64(result->children));
	add(object, "outcome", json_object_new_string(report_outcome(result->outcome)));
	add(object, "cycles", json_object_new_uint64(result->cycles));
	add(object, "warp_instructions", json_object_new_uint64(result->warp_instructions));
	add(object, "thread_instructions", json_object_new_uint64(result->thread_instructions));
	add(object, "wall_seconds", number_of(result->wall_seconds));
	add(object, "registers_per_thread", json_object_new_uint64(result->registers_per_thread));
	add(object, "shared_bytes", json_object_new_uint64(result->shared_bytes));
	json_object *occupancy = json_object_new_object();
	add(occupancy, "groups_per_core", json_object_new_uint64(result->groups_per_core));
	add(occupancy, "groups", json_object_new_uint64(result->groups));
	add(occupancy, "limiter", report_string(result->limiter));
	add(object, "occupancy", occupancy);
	if (result->search)
		add(object, "progress", search_of(result->search));
	json_object *counters = json_object_new_object();
	for (size_t k = 0; k < result->counter_count; k++)
		add(counters, result->counters[k].name, json_object_new_uint64(result->counters[k].value));
	add(object, "counters", counters);
	add_observed(object, result);
	return object;
}

static json_object *inlined_of(const struct lockstep_line *line)
{
	json_object *array = json_object_new_array();
	for (size_t k = 0; k < line->inlined_count; k++) {
		const struct lockstep_frame *of = &line->inlined[k];
		json_object *frame = json_object_new_object();
		add(frame, "file", report_string(of->file));
		add(frame, "line", json_object_new_uint64(of->line));
		add(frame, "function", of->function ? report_string(of->function) : NULL);
		json_object_array_add(array, frame);
	}
	return array;
}

static json_object *lines_of(const struct lockstep_finding *finding)
{
	json_object *array = json_object_new_array();
	for (size_t k = 0; k < finding->line_count; k++) {
		json_object *line = json_object_new_object();
		add(line, "file", report_string(finding->lines[k].file));
		add(line, "line", json_object_new_uint64(finding->lines[k].line));
		if (finding->lines[k].role)
			add(line, "role", report_string(finding->lines[k].role));
		if (finding->lines[k].inlined_count)
			add(line, "inlined", inlined_of(&finding->lines[k]));
		json_object_array_add(array, line);
	}
	return array;
}

static json_object *threads_of(const struct lockstep_finding *finding)
{
	json_object *array = json_object_new_array();
	for (size_t k = 0; k < finding->thread_count; k++) {
		json_object *thread = json_object_new_object();
		add(thread, "group", triple_of(finding->threads[k].group));
		add(thread, "thread", triple_of(finding->threads[k].thread));
		add(thread, "state", report_string(finding->threads[k].state));
		json_object_array_add(array, thread);
	}
	return array;
}

static json_object *rivals_of(const struct lockstep_finding *finding)
{
	json_object *array = json_object_new_array();
	for (size_t k = 0; k < finding->rival_count; k++) {
		json_object *rival = json_object_new_object();
		add(rival, "cause", report_string(finding->rivals[k].cause));
		add(rival, "went_on", json_object_new_boolean(finding->rivals[k].went_on));
		json_object_array_add(array, rival);
	}
	return array;
}

static void add_part(json_object *parts, const char *name, const char *words)
{
	if (words && *words)
		add(parts, name, report_string(words));
}

/* What only hangs have. */
static void add_verdict(json_object *object, const struct lockstep_finding *finding)
{
	if (!finding->what)
		return;
	if (finding->would_go_on)
		add(object, "would_go_on", json_object_new_boolean(true));
	add(object, "rivals", rivals_of(finding));
	json_object *parts = json_object_new_object();
	add_part(parts, "what", finding->what);
	add_part(parts, "who", finding->who);
	add_part(parts, "checked", finding->checked);
	add_part(parts, "fix", finding->fix);
	add(object, "verdict", parts);
}

/* `kernel`: that it is of; null: none. */
static json_object *finding_of(const struct lockstep_finding *finding, const char *kernel)
{
	json_object *object = json_object_new_object();
	add(object, "kind", report_string(finding->kind));
	if (kernel)
		add(object, "kernel", report_string(kernel));
	add(object, "certainty", report_string(finding->certainty));
	add(object, "cause", report_string(finding->cause));
	add(object, "confirmed", json_object_new_boolean(finding->confirmed));
	add_verdict(object, finding);
	add(object, "count", json_object_new_uint64(finding->count));
	add(object, "message", report_string(finding->message));
	add(object, "lines", lines_of(finding));
	add(object, "threads", threads_of(finding));
	json_object *addresses = json_object_new_array();
	for (size_t k = 0; k < finding->address_count; k++)
		json_object_array_add(addresses, report_string(finding->addresses[k]));
	add(object, "addresses", addresses);
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

static void print_object(struct text *out, json_object *object, int flags)
{
	size_t length = 0;
	const char *text = json_object_to_json_string_length(object, flags | JSON_C_TO_STRING_NOSLASHESCAPE, &length);
	text_append(out, text, length);
	json_object_put(object);
}

void report_print(struct text *out, json_object *report)
{
	print_object(out, report, JSON_C_TO_STRING_PRETTY | JSON_C_TO_STRING_SPACED);
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
	print_object(out, object, JSON_C_TO_STRING_PLAIN);
}

void report_json_findings(struct text *out, const struct lockstep_finding *findings, size_t count, const char *kernel)
{
	print_object(out, report_finding_list(findings, count, kernel), JSON_C_TO_STRING_PLAIN);
}

void report_json_session(struct text *out, const struct lockstep *gpu, const struct lockstep_options *options)
{
	json_object *object = json_object_new_object();
	add(object, "gpu", report_string(options->gpu));
	add(object, "configuration", configuration_of(gpu, options));
	print_object(out, object, JSON_C_TO_STRING_PLAIN);
}

static void report_lint(struct text *out, const char *file, const struct lockstep_finding *findings, size_t count)
{
	json_object *report = json_object_new_object();
	add(report, "schema", json_object_new_string("lockstep-lint/1"));
	add(report, "file", report_string(file));
	add(report, "findings", report_finding_list(findings, count, NULL));
	report_print(out, report);
}

static void report_kernel(struct text *out, const struct lockstep *gpu, const struct lockstep_options *options,
	const struct report_findings *findings, const struct dumped *dumps, size_t dump_count)
{
	json_object *report = json_object_new_object(), *launches = json_object_new_array();
	for (size_t k = 0; k < lockstep_result_count(gpu); k++)
		json_object_array_add(launches, launch_of(lockstep_result(gpu, k)));
	add(report, "schema", json_object_new_string("lockstep-report/1"));
	add(report, "gpu", report_string(options->gpu));
	add(report, "configuration", configuration_of(gpu, options));
	add(report, "launches", launches);
	add(report, "findings", suppressions_left(findings->all));
	if (findings->suppressions->list.count)
		add(report, "suppressed", suppressions_json(findings->suppressions));
	sources_add_to(report);
	add(report, "buffers", buffers_of(dumps, dump_count));
	report_print(out, report);
}

const struct reporter reporter_json = {.name = "json",
	.litmus = true,
	.complete = true,
	.kernel = report_kernel,
	.run = report_run_json,
	.lint = report_lint,
	.compare = comparison_json};
