/* The report of `lockstep run`: from what the program's processes have sent, as JSON or for people. */
#include "cli/cli.h"
#include "cli/run.h"
#include "report/kernel_name.h"
#include "report/launch_record.h"
#include "report/reports.h"
#include "report/sarif.h"
#include "report/source.h"

#include <inttypes.h>
#include <json-c/json.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LAUNCHES_SHOWN 100 /* to a person */

/* All launches of one kernel. */
struct kernel_sum {
	const char *name;
	uint64_t launches, cycles, warp_instructions, thread_instructions;
	double seconds;
	uint64_t *counters; /* by lockstep_counter's index */
};

/* What was received, put together. */
struct gathered {
	struct arena *arena;
	bool all;       /* the report will hold all that is known, and not only what a person reads */
	json_object *session, *launches, *findings, *notes; /* session null: no process opened the GPU */
	VECTOR(struct kernel_sum) kernels;
	uint64_t cycles;
	double seconds;
	size_t launch_count; /* those that are shown are `launches` */
	int status;          /* of the first launch that went wrong */
	uint32_t stage; /* the furthest of all processes */
	uint64_t never_ran; /* launches that were enqueued */
};

static json_object *member(json_object *object, const char *key)
{
	json_object *value = NULL;
	json_object_object_get_ex(object, key, &value);
	return value;
}

static uint64_t number_of(json_object *object, const char *key)
{
	return json_object_get_uint64(member(object, key));
}

static const char *text_of(json_object *object, const char *key)
{
	const char *text = json_object_get_string(member(object, key));
	return text ? text : "";
}

static uint32_t element(json_object *array, size_t k)
{
	return (uint32_t)json_object_get_uint64(json_object_array_get_idx(array, k));
}

/* ---- Gathering ---- */

static size_t counter_count(void)
{
	struct lockstep_counter counter;
	size_t count = 0;
	while (lockstep_counter(count, &counter))
		count++;
	return count;
}

static struct kernel_sum *sum_of(struct gathered *g, const char *name)
{
	for (uint32_t k = 0; k < g->kernels.count; k++)
		if (!strcmp(g->kernels.at[k].name, name))
			return &g->kernels.at[k];
	struct kernel_sum *sum = vector_push(g->arena, &g->kernels);
	sum->name = arena_copy(g->arena, name, strlen(name));
	sum->counters = arena_new_array(g->arena, uint64_t, counter_count());
	return sum;
}

static void add_to_sums(struct gathered *g, const struct lockstep_result *launch)
{
	struct kernel_sum *sum = sum_of(g, launch->kernel);
	sum->launches++;
	sum->cycles += launch->cycles;
	sum->warp_instructions += launch->warp_instructions;
	sum->thread_instructions += launch->thread_instructions;
	sum->seconds += launch->wall_seconds;
	for (size_t k = 0; k < launch->counter_count; k++)
		sum->counters[k] += launch->counters[k].value;
	g->cycles += launch->cycles;
	g->seconds += launch->wall_seconds;
}

/* Keeps what the report will show of the launch. */
static void show_launch(struct gathered *g, json_object *launch, uint32_t process)
{
	json_object_object_add(launch, "process", json_object_new_uint64(process));
	json_object_array_add(g->launches, launch);
}

static void take_findings(struct gathered *g, const char *text)
{
	json_object *findings = text ? json_tokener_parse(text) : NULL;
	for (size_t k = 0; json_object_is_type(findings, json_type_array) && k < json_object_array_length(findings);
		k++) {
		json_object *finding = json_object_array_get_idx(findings, k);
		json_object_object_add(finding, "launch", json_object_new_uint64(g->launch_count));
		json_object_array_add(g->findings, json_object_get(finding));
	}
	json_object_put(findings);
}

static int status_of(enum lockstep_outcome outcome)
{
	static const int statuses[] = {[LOCKSTEP_COMPLETED] = STATUS_COMPLETED,
		[LOCKSTEP_HANG] = STATUS_HANG,
		[LOCKSTEP_FAULT] = STATUS_FAULT,
		[LOCKSTEP_LIMIT] = STATUS_LIMIT};
	return statuses[outcome];
}

static void take_launch(struct gathered *g, const struct channel_record *record)
{
	struct lockstep_result result;
	struct arena arena = {0};
	const char *findings;
	if (launch_record_read(&arena, record->text, record->length, &result, &findings)) {
		take_findings(g, findings);
		add_to_sums(g, &result);
		g->status = g->status ? g->status : status_of(result.outcome);
		if (!g->all)
			result.counter_count = 0; /* most of the memory */
		if (g->all || g->launch_count < LAUNCHES_SHOWN)
			show_launch(g, report_launch(&result), record->process);
		g->launch_count++;
	}
	arena_free(&arena);
}

static void take_record(struct gathered *g, const struct channel_record *record)
{
	if (record->kind == CHANNEL_NOTE) {
		json_object_array_add(g->notes, json_object_new_string_len(record->text, (int)record->length));
		return;
	}
	if (record->kind == CHANNEL_LAUNCH)
		take_launch(g, record);
	else if (record->kind == CHANNEL_SESSION && !g->session)
		g->session = json_tokener_parse(record->text);
}

static json_object *triple_of(const uint32_t size[3])
{
	json_object *array = json_object_new_array();
	for (int k = 0; k < 3; k++)
		json_object_array_add(array, json_object_new_uint64(size[k]));
	return array;
}

/* A launch that had begun when its process ended: what it had done by then. */
static void take_unfinished(struct gathered *g, const struct channel_slot *slot, uint32_t process)
{
	json_object *launch = json_object_new_object();
	struct lockstep_result sums = {.cycles = atomic_load(&slot->cycles),
		.warp_instructions = atomic_load(&slot->warp_instructions),
		.wall_seconds = channel_seconds(slot)};
	char name[sizeof slot->kernel];
	snprintf(name, sizeof name, "%s", slot->kernel);
	json_object_object_add(launch, "kernel", json_object_new_string(name));
	json_object_object_add(launch, "grid", triple_of(slot->grid));
	json_object_object_add(launch, "block", triple_of(slot->block));
	json_object_object_add(launch, "outcome", json_object_new_string("interrupted"));
	json_object_object_add(launch, "cycles", json_object_new_uint64(sums.cycles));
	json_object_object_add(launch, "warp_instructions", json_object_new_uint64(sums.warp_instructions));
	json_object_object_add(launch, "wall_seconds", json_object_new_double(sums.wall_seconds));
	json_object_object_add(launch, "groups_done", json_object_new_uint64(atomic_load(&slot->groups_done)));
	sums.kernel = name;
	add_to_sums(g, &sums);
	show_launch(g, launch, process);
	g->launch_count++;
}

/* Why what a process enqueued never ran. */
static const char *reason_of(struct gathered *g, const struct run *run, const struct channel_slot *slot)
{
	static const char *const reasons[] = {
		[CHANNEL_END_UNTOLD] = "the process ended without exit (_exit, quick_exit, exec or a signal)",
		[CHANNEL_END_DONE] = "they were enqueued when the process had carried out its work and was ending",
		[CHANNEL_END_BLOCKED] = "they come after something that never came: a user event, or a value in memory",
		[CHANNEL_END_INSIDE] = ("exit was called in a callback of the GPU's, or in a signal's handler that had "
					"interrupted one of its calls"),
	};
	uint32_t end = atomic_load(&slot->end);
	if (end == CHANNEL_END_UNTOLD && run->end.killed && atomic_load(&slot->process) == run->end.process)
		return arena_printf(
			g->arena, "signal %d (%s) killed the process", run->end.status, strsignal(run->end.status));
	return reasons[end < sizeof reasons / sizeof *reasons ? end : CHANNEL_END_UNTOLD];
}

/* Launches that had not begun when their process ended. */
static void take_waiting(struct gathered *g, const struct run *run, const struct channel_slot *slot)
{
	struct text names = {.arena = g->arena};
	uint64_t sum = 0;
	for (uint32_t k = 0; k < CHANNEL_KERNELS; k++) {
		const struct channel_waiting *waiting = &slot->waiting[k];
		uint32_t count = atomic_load(&waiting->count);
		const char *name = arena_printf(g->arena, "%.*s", (int)sizeof waiting->kernel - 1, waiting->kernel);
		if (!count)
			continue;
		text_print(&names, "%s%s", sum ? ", " : "", *name ? name : "others");
		if (count > 1)
			text_print(&names, " (%" PRIu32 ")", count);
		sum += count;
	}
	if (!sum)
		return;
	g->never_ran += sum;
	const char *note = arena_printf(g->arena, "%" PRIu64 " launch%s enqueued and never ran: %s: %s", sum,
		sum == 1 ? " was" : "es were", names.at, reason_of(g, run, slot));
	json_object_array_add(g->notes, json_object_new_string(note));
}

static void take_lost(struct gathered *g, const struct channel_slot *slot)
{
	uint32_t lost = atomic_load(&slot->lost);
	if (lost)
		json_object_array_add(g->notes, json_object_new_string(arena_printf(g->arena,
							"%" PRIu32 " records of the process are not in this report, as "
							"there is a limit on the size of files (ulimit -f)",
							lost)));
}

static int by_cost(const void *left, const void *right)
{
	const struct kernel_sum *a = left, *b = right;
	uint64_t x = a->cycles, y = b->cycles;
	if (x == y)
		x = a->warp_instructions, y = b->warp_instructions;
	return x == y ? strcmp(a->name, b->name) : x < y ? 1 : -1;
}

static void gather(struct gathered *g, struct run *run)
{
	struct channel_reader reader = {.channel = &run->channel};
	struct channel_record record;
	g->launches = json_object_new_array();
	g->findings = json_object_new_array();
	g->notes = json_object_new_array();
	while (channel_next(&reader, &record))
		take_record(g, &record);
	arena_free(&reader.arena);
	for (uint32_t k = 0; k < CHANNEL_SLOTS; k++) {
		const struct channel_slot *slot = &run->channel.slots[k];
		uint32_t stage = atomic_load(&slot->process) ? atomic_load(&slot->stage) : 0;
		g->stage = stage > g->stage ? stage : g->stage;
		if (stage && atomic_load(&slot->running))
			take_unfinished(g, slot, k);
		if (stage) {
			take_waiting(g, run, slot);
			take_lost(g, slot);
		}
	}
	if (g->kernels.count)
		qsort(g->kernels.at, g->kernels.count, sizeof *g->kernels.at, by_cost);
}

static const char *reason_for_nothing(const struct gathered *g, struct run *run)
{
	if (g->never_ran)
		return "what the program launched never began";
	return g->stage == CHANNEL_LAUNCHED ? "or no record of it could be written" : run_reason(run, g->stage);
}

/* ---- JSON ---- */

static json_object *kernels_of(const struct gathered *g)
{
	json_object *array = json_object_new_array();
	for (uint32_t k = 0; k < g->kernels.count; k++) {
		const struct kernel_sum *sum = &g->kernels.at[k];
		json_object *object = json_object_new_object();
		json_object_object_add(object, "kernel", json_object_new_string(sum->name));
		json_object_object_add(object, "launches", json_object_new_uint64(sum->launches));
		json_object_object_add(object, "cycles", json_object_new_uint64(sum->cycles));
		json_object_object_add(object, "warp_instructions", json_object_new_uint64(sum->warp_instructions));
		json_object_object_add(object, "thread_instructions", json_object_new_uint64(sum->thread_instructions));
		json_object_object_add(object, "wall_seconds", json_object_new_double(sum->seconds));
		json_object_array_add(array, object);
	}
	return array;
}

static json_object *program_of(const struct run *run)
{
	json_object *object = json_object_new_object(), *words = json_object_new_array();
	for (char **word = run->options.program; *word; word++)
		json_object_array_add(words, json_object_new_string(*word));
	json_object_object_add(object, "words", words);
	json_object_object_add(object, run->end.killed ? "signal" : "status", json_object_new_int(run->end.status));
	return object;
}

static void write_json(struct run *run, struct gathered *g, struct text *out)
{
	json_object *report = json_object_new_object(), *configuration = member(g->session, "configuration");
	json_object_object_add(report, "schema", json_object_new_string("lockstep-report/1"));
	json_object_object_add(report, "gpu", json_object_new_string(run->options.run.setup.gpu));
	json_object_object_add(
		report, "configuration", configuration ? json_object_get(configuration) : json_object_new_object());
	json_object_object_add(report, "program", program_of(run));
	json_object_object_add(report, "launches", json_object_get(g->launches));
	json_object_object_add(report, "kernels", kernels_of(g));
	json_object_object_add(report, "findings", json_object_get(g->findings));
	if (!g->launch_count)
		json_object_array_add(
			g->notes, json_object_new_string(arena_printf(g->arena, "nothing ran on the simulated GPU: %s",
					  reason_for_nothing(g, run))));
	json_object_object_add(report, "notes", json_object_get(g->notes));
	json_object_object_add(report, "buffers", json_object_new_object());
	size_t length = 0;
	const char *text = json_object_to_json_string_length(report,
		JSON_C_TO_STRING_PRETTY | JSON_C_TO_STRING_SPACED | JSON_C_TO_STRING_NOSLASHESCAPE, &length);
	text_append(out, text, length);
	text_append(out, "\n", 1);
	json_object_put(report);
}

/* ---- Text ---- */

static double ratio(double a, double b)
{
	return b > 0 ? a / b : 0;
}

static void write_head(const struct run *run, const struct gathered *g, struct text *out)
{
	const struct lockstep_options *setup = &run->options.run.setup;
	text_print(out, "lockstep: GPU %s", setup->gpu);
	for (size_t k = 0; setup->settings && setup->settings[k]; k++)
		text_print(out, "%s %s", k ? "," : " with", setup->settings[k]);
	text_print(
		out, "%s; %s", setup->mode == LOCKSTEP_FUNCTIONAL ? "; functional mode" : "", run->options.program[0]);
	if (run->end.killed)
		text_print(out, " was killed by signal %d (%s)", run->end.status, strsignal(run->end.status));
	else
		text_print(out, " ended with status %d", run->end.status);
	size_t launches = g->launch_count;
	if (launches)
		text_print(out, "; %zu launch%s of %u kernel%s, simulated in %.3f s", launches, launches == 1 ? "" : "es",
			g->kernels.count, g->kernels.count == 1 ? "" : "s", g->seconds);
	text_print(out, "\n");
}

static void write_kernels(const struct gathered *g, uint64_t lanes, struct text *out)
{
	char cycles[TEXT_DIGITS], instructions[TEXT_DIGITS];
	text_print(out, "\nkernels, the costliest first\n  %15s %7s %8s %17s %7s %7s  %s\n", "cycles", "share",
		"launches", "warp instructions", "SIMD", "IPC", "kernel");
	for (uint32_t k = 0; k < g->kernels.count; k++) {
		const struct kernel_sum *s = &g->kernels.at[k];
		double warp = (double)s->warp_instructions;
		text_print(out, "  %15s %5.1f %% %8" PRIu64 " %17s %5.1f %% %7.3f  %s\n", text_grouped(s->cycles, cycles),
			100 * ratio((double)s->cycles, (double)g->cycles), s->launches,
			text_grouped(s->warp_instructions, instructions),
			100 * ratio((double)s->thread_instructions, warp * (double)lanes),
			ratio(warp, (double)s->cycles), kernel_name_short(g->arena, s->name));
	}
}

static void write_launch(json_object *launch, size_t number, struct text *out)
{
	json_object *grid = member(launch, "grid"), *block = member(launch, "block");
	char cycles[TEXT_DIGITS], instructions[TEXT_DIGITS], shape[96];
	const char *outcome = text_of(launch, "outcome"), *mode = text_of(launch, "mode");
	snprintf(shape, sizeof shape, "%u,%u,%u x %u,%u,%u", element(grid, 0), element(grid, 1), element(grid, 2),
		element(block, 0), element(block, 1), element(block, 2));
	text_print(out, "  %5zu %15s %17s  %-11s %-10s %-24s %s\n", number, text_grouped(number_of(launch, "cycles"), cycles),
		text_grouped(number_of(launch, "warp_instructions"), instructions), outcome, mode, shape,
		kernel_name_short(out->arena, text_of(launch, "kernel")));
}

static void write_launches(const struct gathered *g, struct text *out)
{
	size_t count = json_object_array_length(g->launches);
	text_print(out, "\nlaunches, in order\n  %5s %15s %17s  %-11s %-10s %-24s %s\n", "", "cycles",
		"warp instructions", "outcome", "mode", "grid x block", "kernel");
	for (size_t k = 0; k < count && k < LAUNCHES_SHOWN; k++) /* one that was interrupted may come behind */
		write_launch(json_object_array_get_idx(g->launches, k), k, out);
	if (g->launch_count > LAUNCHES_SHOWN)
		text_print(out, "  and %zu more (--report json has them all)\n", g->launch_count - LAUNCHES_SHOWN);
}

static void write_lines(json_object *lines, struct text *out)
{
	for (size_t k = 0; k < json_object_array_length(lines); k++) {
		json_object *line = json_object_array_get_idx(lines, k);
		const char *role = text_of(line, "role");
		text_print(out, "  at %s:%" PRIu64 "%s%s\n", text_of(line, "file"), number_of(line, "line"), *role ? ": " : "", role);
		report_source(out, text_of(line, "file"), number_of(line, "line"));
	}
}

static void write_findings(const struct gathered *g, struct text *out)
{
	for (size_t k = 0; k < json_object_array_length(g->findings); k++) {
		json_object *f = json_object_array_get_idx(g->findings, k);
		text_print(out, "\n%s in launch %" PRIu64 " (%s, %s%s): %s\n", text_of(f, "kind"), number_of(f, "launch"),
			text_of(f, "cause"), text_of(f, "certainty"),
			json_object_get_boolean(member(f, "confirmed")) ? ", confirmed" : "", text_of(f, "message"));
		write_lines(member(f, "lines"), out);
		json_object *threads = member(f, "threads"), *addresses = member(f, "addresses");
		for (size_t t = 0; t < json_object_array_length(threads); t++) {
			json_object *thread = json_object_array_get_idx(threads, t);
			json_object *group = member(thread, "group"), *index = member(thread, "thread");
			text_print(out, "  group %u,%u,%u thread %u,%u,%u: %s\n", element(group, 0), element(group, 1),
				element(group, 2), element(index, 0), element(index, 1), element(index, 2),
				text_of(thread, "state"));
		}
		for (size_t a = 0; a < json_object_array_length(addresses); a++)
			text_print(out, "  address %s\n", json_object_get_string(json_object_array_get_idx(addresses, a)));
	}
	for (size_t k = 0; k < json_object_array_length(g->notes); k++)
		text_print(out, "%snote: %s\n", k ? "" : "\n", json_object_get_string(json_object_array_get_idx(g->notes, k)));
}

#define COUNTED_KERNELS 8

/* Counters of the costliest kernels, all their launches together. */
static void write_counters(const struct gathered *g, struct text *out)
{
	struct lockstep_counter counter;
	char digits[TEXT_DIGITS];
	for (uint32_t k = 0; k < g->kernels.count && k < COUNTED_KERNELS; k++) {
		const struct kernel_sum *s = &g->kernels.at[k];
		text_print(out, "\nkernel %s, all launches\n", kernel_name_short(g->arena, s->name));
		for (size_t c = 0; lockstep_counter(c, &counter); c++)
			if (s->counters[c])
				text_print(out, "  %-52s %20s %-13s %s\n", counter.name,
					text_grouped(s->counters[c], digits), counter.unit, counter.meaning);
	}
}

static void write_text(struct run *run, const struct gathered *g, struct text *out)
{
	write_head(run, g, out);
	if (!g->launch_count) {
		text_print(out, "nothing ran on the simulated GPU: %s\n", reason_for_nothing(g, run));
		write_findings(g, out);
		return;
	}
	write_kernels(g, number_of(member(g->session, "configuration"), "core.warp_size"), out);
	write_launches(g, out);
	write_findings(g, out);
	write_counters(g, out);
}

void run_report(struct run *run, struct text *out, int *status)
{
	struct arena arena = {0};
	struct gathered g = {.arena = &arena, .all = run->options.json};
	gather(&g, run);
	if (run->options.json)
		write_json(run, &g, out);
	else
		write_text(run, &g, out);
	if (run->options.findings)
		report_sarif_file(run->options.findings, g.arena, g.findings, &run->report);
	*status = g.status;
	run->finding_count = json_object_array_length(g.findings);
	json_object_put(g.session);
	json_object_put(g.launches);
	json_object_put(g.findings);
	json_object_put(g.notes);
	arena_free(&arena);
}
