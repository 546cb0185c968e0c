/* What the processes under `lockstep run` have sent, put together for the reporters. */
#include "cli/run.h"
#include "report/launch_record.h"
#include "report/launch_sum.h"
#include "report/members.h"
#include "report/profile.h"
#include "report/provenance.h"
#include "report/source.h"
#include "util/demangle.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A launch with findings, which are side by side among all. */
struct having {
	uint64_t process, launch; /* as the process counts them */
	size_t first, count;
};

/* A launch, by its number in its process, among all. */
struct launched {
	uint64_t process, number;
	size_t index;
};

/* A finding of no launch alone. */
struct other_finding {
	uint64_t process, id;
	size_t index;  /* among all */
	uint64_t base; /* how often it was seen by others */
};

/* What was received, put together. */
struct gathered {
	struct arena *arena;
	bool all; /* the report will hold all that is known, and not only what a person reads */
	bool sums_launches;
	struct run_summary run;
	struct provenance *known;
	struct launch_sums sums; /* where launches are summed */
	json_object *session;    /* null: no process opened the GPU */
	json_object *modules;    /* what CHANNEL_MODULE told */
	VECTOR(const struct lockstep_origin *) origins;
	const uint64_t *chosen;             /* by --launch; null: none */
	bool has_chosen, is_missed;         /* it was launched; and is not what the option says */
	bool is_unfinished;                 /* a launch, perhaps that one, was interrupted */
	int status;                         /* of the first launch that went wrong */
	const char *outcome;                /* likewise */
	uint32_t stage;                     /* the furthest of all processes */
	uint64_t never_ran;                 /* launches that were enqueued */
	const char *unsupported;            /* the first call that is not supported; null: there was none */
	uint64_t clocks[CHANNEL_SLOTS + 1]; /* of each process's GPU, cycles; the last: of those without a slot */
	VECTOR(struct having) having;
	VECTOR(struct launched) launched;
	VECTOR(struct other_finding) others;
};

/* ---- Gathering ---- */

__attribute__((format(printf, 2, 3))) static void note(struct gathered *g, const char *format, ...)
{
	va_list list;
	va_start(list, format);
	json_object_array_add(g->run.notes, json_object_new_string(arena_vprintf(g->arena, format, list)));
	va_end(list);
}

static struct kernel_sum *sum_of(struct gathered *g, const char *name)
{
	for (uint32_t k = 0; k < g->run.kernels.count; k++)
		if (!strcmp(g->run.kernels.at[k].name, name))
			return &g->run.kernels.at[k];
	struct kernel_sum *sum = vector_push(g->arena, &g->run.kernels);
	sum->name = arena_text(g->arena, name);
	sum->counters = arena_new_array(g->arena, uint64_t, report_counter_count());
	return sum;
}

static void add_to_sums(struct gathered *g, const struct lockstep_result *launch)
{
	struct kernel_sum *sum = sum_of(g, launch->kernel);
	sum->launches++;
	sum->timed += launch->mode == LOCKSTEP_TIMING;
	sum->cycles += launch->cycles;
	sum->warp_instructions += launch->warp_instructions;
	sum->thread_instructions += launch->thread_instructions;
	sum->seconds += launch->wall_seconds;
	for (size_t k = 0; k < launch->counter_count; k++)
		sum->counters[k] += launch->counters[k].value;
	g->run.cycles += launch->cycles;
	g->run.seconds += launch->wall_seconds;
}

static void add_to_stream(struct gathered *g, uint32_t process, uint64_t stream, uint64_t cycles)
{
	struct stream_sum *sum = NULL;
	for (uint32_t k = 0; k < g->run.streams.count && !sum; k++)
		if (g->run.streams.at[k].process == process && g->run.streams.at[k].stream == stream)
			sum = &g->run.streams.at[k];
	if (!sum) {
		sum = vector_push(g->arena, &g->run.streams);
		*sum = (struct stream_sum){.process = process, .stream = stream};
	}
	sum->launches++;
	sum->cycles += cycles;
}

/* Keeps what the report will show of the launch. */
static void show_launch(struct gathered *g, json_object *launch, uint32_t process)
{
	add_number(launch, "process", process);
	json_object_array_add(g->run.launches, launch);
}

/* `place`: of the launch, or its sum, in the report. */
static void take_findings(struct gathered *g, const char *text, uint64_t process, uint64_t number, size_t place)
{
	json_object *findings = text ? json_tokener_parse(text) : NULL;
	if (json_object_is_type(findings, json_type_array))
		*vector_push(g->arena, &g->having) = (struct having){.process = process,
			.launch = number,
			.first = json_object_array_length(g->run.findings),
			.count = json_object_array_length(findings)};
	for (size_t k = 0; k < length_of(findings); k++) {
		json_object *finding = element(findings, k);
		add_number(finding, "launch", place);
		json_object_array_add(g->run.findings, json_object_get(finding));
	}
	json_object_put(findings);
}

/* Findings of earlier launches that this one has, too. */
static void take_again(struct gathered *g, const struct lockstep_result *result, uint64_t process)
{
	for (size_t k = 0; k < result->again_count; k++) {
		const struct lockstep_again *again = &result->again[k];
		for (uint32_t h = 0; h < g->having.count; h++) {
			const struct having *having = &g->having.at[h];
			if (having->process != process || having->launch != again->launch ||
				again->finding >= having->count)
				continue;
			json_object *finding = element(g->run.findings, having->first + again->finding);
			add_number(finding, "count", number_of(finding, "count") + again->count);
		}
	}
}

/* The members that --profile, --samples and --observe add to a launch. */
static void take_profile(struct gathered *g, json_object *launch, const char *text)
{
	json_object *object = json_tokener_parse(text);
	json_object_object_foreach(object, key, value) json_object_object_add(launch, key, json_object_get(value));
	json_object_put(object);
	profile_add(g->run.profile, launch, number_of(member(g->session, "configuration"), "core.warp_size"));
}

/* Most of a launch's memory, which a person does not read. */
static void strip_launch(json_object *launch)
{
	static const char *const members[] = {"counters", "lines", "locks", "barriers", "fences", "samples", "tables"};
	for (size_t k = 0; k < sizeof members / sizeof *members; k++)
		json_object_object_del(launch, members[k]);
}

static void take_single(struct gathered *g, const struct channel_record *record, const struct lockstep_result *result,
	const struct launch_record *written)
{
	bool is_shown = g->all || g->run.launch_count < LAUNCHES_SHOWN || result->search;
	json_object *launch = is_shown || written->profile ? report_launch(result) : NULL;
	if (written->profile)
		take_profile(g, launch, written->profile);
	if (launch && !g->all)
		strip_launch(launch);
	if (!is_shown) {
		json_object_put(launch);
		return;
	}
	add_number(launch, "stream", written->stream);
	if (g->chosen) /* launches are in the order of their ends */
		add_number(launch, "begun", result->number - 1);
	if (result->search)
		add_number(member(launch, "progress"), "launch", result->number - 1);
	show_launch(g, launch, record->process);
}

/* Of a module's digest; null: nothing has told of it. */
static const struct lockstep_origin *find_origin(const struct gathered *g, const char *ptx)
{
	for (uint32_t k = 0; k < g->origins.count; k++)
		if (!strcmp(g->origins.at[k]->ptx, ptx))
			return g->origins.at[k];
	return NULL;
}

static void take_module(struct gathered *g, const char *text)
{
	json_object *module = json_tokener_parse(text);
	json_object_array_add(g->modules, module);
	if (!find_origin(g, text_of(module, "ptx")))
		*vector_push(g->arena, &g->origins) = provenance_origin(g->arena, module);
}

/* The launch that --launch names. */
static void take_chosen(struct gathered *g, const struct lockstep_result *result)
{
	if (!g->chosen || *g->chosen != result->number - 1)
		return;
	g->has_chosen = true;
	g->is_missed |= result->parent || result->not_searched;
	if (result->parent)
		note(g, "--launch %" PRIu64 ": a kernel has launched it: expected one of the program's own",
			*g->chosen);
	else if (result->not_searched)
		note(g, "--launch %" PRIu64 ": %s", *g->chosen, result->not_searched);
}

static void take_launch(struct gathered *g, const struct channel_record *record)
{
	struct lockstep_result result;
	struct arena arena = {0};
	struct launch_record written;
	if (launch_record_read(&arena, record->text, record->length, &result, &written)) {
		uint64_t process = written.process;
		result.origin = find_origin(g, written.ptx);
		provenance_add_kernel(g->known, g->arena, result.kernel, result.origin);
		size_t place = g->run.launch_count;
		if (g->sums_launches)
			place = launch_sums_add(g->arena, &g->sums, &result, record->process, written.stream);
		else
			take_single(g, record, &result, &written);
		take_findings(g, written.findings, process, result.number, place);
		take_again(g, &result, process);
		take_chosen(g, &result);
		add_to_sums(g, &result);
		checked_add(&g->run.checked, &result);
		add_to_stream(g, record->process, written.stream, result.cycles);
		if (result.mode == LOCKSTEP_TIMING && g->clocks[record->process] < result.start + result.cycles)
			g->clocks[record->process] = result.start + result.cycles;
		if (!g->status && outcome_status(result.outcome))
			g->outcome = report_outcome(result.outcome);
		g->status = g->status ? g->status : outcome_status(result.outcome);
		*vector_push(g->arena, &g->launched) =
			(struct launched){.process = process, .number = result.number, .index = place};
		g->run.launch_count++;
	}
	arena_free(&arena);
}

static void show_sums(struct gathered *g)
{
	for (uint32_t k = 0; k < g->sums.all.count; k++)
		show_launch(g, launch_sum_record(g->arena, &g->sums.all.at[k]), (uint32_t)g->sums.all.at[k].process);
}

/* The launch of a process as the report counts all; false: it has none of this number. */
static bool find_launch(const struct gathered *g, uint64_t process, uint64_t number, size_t *index)
{
	for (uint32_t k = 0; k < g->launched.count; k++)
		if (g->launched.at[k].process == process && g->launched.at[k].number == number) {
			*index = g->launched.at[k].index;
			return true;
		}
	return false;
}

/* The same two lines, and the same cause: launches that overlapped, and others that did not.  Its place among all, or
 * behind them. */
static size_t find_same(const struct gathered *g, json_object *finding)
{
	json_object *lines = member(finding, "lines");
	size_t count = json_object_array_length(g->run.findings), k = 0;
	if (json_object_array_length(lines) != 2)
		return count;
	for (; k < count; k++) {
		json_object *other = element(g->run.findings, k), *theirs = member(other, "lines");
		json_object *a = element(lines, 0), *b = element(lines, 1);
		if (json_object_array_length(theirs) != 2 || strcmp(text_of(finding, "cause"), text_of(other, "cause")))
			continue;
		json_object *c = element(theirs, 0), *d = element(theirs, 1);
		if ((is_same_place(a, c) && is_same_place(b, d)) || (is_same_place(a, d) && is_same_place(b, c)))
			break;
	}
	return k;
}

/* The same one, received before; else a new one, which may have been seen by others, too. */
static const struct other_finding *find_other(struct gathered *g, json_object *finding, uint64_t process, uint64_t id)
{
	for (uint32_t k = 0; k < g->others.count; k++)
		if (g->others.at[k].process == process && g->others.at[k].id == id)
			return &g->others.at[k];
	struct other_finding *other = vector_push(g->arena, &g->others);
	size_t same = find_same(g, finding);
	*other = (struct other_finding){.process = process,
		.id = id,
		.index = same,
		.base = number_of(element(g->run.findings, same), "count")};
	return other;
}

/* A finding of no launch alone; or how often one was seen by now. */
static void take_finding(struct gathered *g, const char *text)
{
	json_object *finding = json_tokener_parse(text);
	if (!json_object_is_type(finding, json_type_object)) {
		json_object_put(finding);
		return;
	}
	size_t launch;
	uint64_t process = number_of(finding, "process");
	const struct other_finding *other = find_other(g, finding, process, number_of(finding, "id"));
	json_object *known = element(g->run.findings, other->index);
	if (known) {
		add_number(known, "count", other->base + number_of(finding, "count"));
		json_object_put(finding);
		return;
	}
	bool has_launch = find_launch(g, process, number_of(finding, "launch"), &launch);
	json_object_object_del(finding, "process");
	json_object_object_del(finding, "id");
	json_object_object_del(finding, "launch");
	if (has_launch)
		add_number(finding, "launch", launch);
	json_object_array_add(g->run.findings, finding);
}

static void take_source(struct gathered *g, const struct channel_record *record)
{
	size_t name = strlen(record->text) + 1;
	if (name <= record->length)
		report_source_keep(arena_copy(g->arena, record->text, name),
			arena_copy(g->arena, record->text + name, record->length - name), record->length - name);
}

static void take_unsupported(struct gathered *g, const struct channel_record *record)
{
	size_t name = strnlen(record->text, record->length);
	if (name < record->length)
		note(g, "%s", record->text + name + 1);
	if (!g->unsupported)
		g->unsupported = arena_text(g->arena, record->text);
}

static void take_unpinned(struct gathered *g, const char *text)
{
	json_object *object = json_tokener_parse(text);
	if (!object)
		return;
	note(g, "%s was compiled by %s, not pinned: %s", text_of(object, "source"), text_of(object, "compiler"),
		text_of(object, "why"));
	json_object_array_add(g->run.unpinned, object);
}

/* Whether two refusals differ in nothing but how many there were. */
static bool is_same_refusal(json_object *a, json_object *b)
{
	static const char *const members[] = {"kernel", "grid", "block", "shared_bytes", "error"};
	for (size_t k = 0; k < sizeof members / sizeof *members; k++)
		if (!json_object_equal(member(a, members[k]), member(b, members[k])))
			return false;
	return true;
}

static void take_refused(struct gathered *g, const char *text)
{
	json_object *refused = json_tokener_parse(text);
	size_t count = json_object_array_length(g->run.refused), k = 0;
	if (!json_object_is_type(refused, json_type_object)) {
		json_object_put(refused);
		return;
	}
	while (k < count && !is_same_refusal(element(g->run.refused, k), refused))
		k++;
	g->run.refused_count++;
	if (k == count)
		json_object_array_add(g->run.refused, json_object_get(refused));
	json_object *same = element(g->run.refused, k);
	add_number(same, "count", k == count ? 1 : number_of(same, "count") + 1);
	json_object_put(refused);
}

static void take_record(struct gathered *g, const struct channel_record *record)
{
	if (record->kind == CHANNEL_NOTE) {
		json_object_array_add(g->run.notes, json_object_new_string_len(record->text, (int)record->length));
		return;
	}
	if (record->kind == CHANNEL_LAUNCH)
		take_launch(g, record);
	else if (record->kind == CHANNEL_UNSUPPORTED)
		take_unsupported(g, record);
	else if (record->kind == CHANNEL_SOURCE)
		take_source(g, record);
	else if (record->kind == CHANNEL_FINDING)
		take_finding(g, record->text);
	else if (record->kind == CHANNEL_REFUSED)
		take_refused(g, record->text);
	else if (record->kind == CHANNEL_UNPINNED)
		take_unpinned(g, record->text);
	else if (record->kind == CHANNEL_MODULE)
		take_module(g, record->text);
	else if (record->kind == CHANNEL_SESSION && !g->session)
		g->session = json_tokener_parse(record->text);
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
	add_text(launch, "kernel", name);
	add_member(launch, "grid", triple_of(slot->grid));
	add_member(launch, "block", triple_of(slot->block));
	add_text(launch, "outcome", "interrupted");
	add_number(launch, "cycles", sums.cycles);
	add_number(launch, "warp_instructions", sums.warp_instructions);
	add_member(launch, "wall_seconds", json_object_new_double(sums.wall_seconds));
	add_number(launch, "groups_done", atomic_load(&slot->groups_done));
	sums.kernel = name;
	sums.origin = find_origin(g, arena_printf(g->arena, "%.*s", (int)sizeof slot->ptx - 1, slot->ptx));
	provenance_add_kernel(g->known, g->arena, name, sums.origin);
	add_to_sums(g, &sums);
	g->clocks[process] += sums.cycles;
	show_launch(g, launch, process);
	g->run.launch_count++;
	g->is_unfinished = true;
	g->run.went_wrong = true;
}

/* Why what a process enqueued never ran. */
static const char *reason_of(struct gathered *g, const struct run *run, const struct channel_slot *slot)
{
	static const char *const reasons[] = {
		[CHANNEL_END_UNTOLD] = "the process ended without exit (_exit, quick_exit, exec or a signal)",
		[CHANNEL_END_DONE] = "they were enqueued while the process was ending",
		[CHANNEL_END_BLOCKED] = "they wait for a user event or a value in memory that never came",
		[CHANNEL_END_INSIDE] = ("exit was called in a callback of the GPU, or in a signal handler that "
					"interrupted a call of its"),
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
		text_print(&names, "%s%s", sum ? ", " : "", *name ? demangle_brief(g->arena, name) : "others");
		if (count > 1)
			text_print(&names, " (%" PRIu32 ")", count);
		sum += count;
	}
	if (!sum)
		return;
	g->never_ran += sum;
	note(g, "%" PRIu64 " launch%s enqueued and never ran: %s: %s", sum, sum == 1 ? " was" : "es were", names.at,
		reason_of(g, run, slot));
}

static void take_lost(struct gathered *g, const struct channel_slot *slot)
{
	uint32_t lost = atomic_load(&slot->lost);
	int why = atomic_load(&slot->lost_why);
	const char *reason = why == EFBIG ? "there is a limit on the size of files (ulimit -f)"
					  : arena_printf(g->arena, "they could not be written: %s", strerror(why));
	if (lost)
		note(g, "%" PRIu32 " records of the process are not in this report, as %s", lost, reason);
}

static int by_cost(const void *left, const void *right)
{
	const struct kernel_sum *a = left, *b = right;
	uint64_t x = a->cycles, y = b->cycles;
	if (x == y)
		x = a->warp_instructions, y = b->warp_instructions;
	return x == y ? strcmp(a->name, b->name) : x < y ? 1 : -1;
}

static void take_slots(struct gathered *g, const struct run *run)
{
	uint32_t damaged = 0;
	for (uint32_t k = 0; k < CHANNEL_SLOTS; k++) {
		const struct channel_slot *slot = &run->channel.slots[k];
		uint32_t stage = atomic_load(&slot->process) ? atomic_load(&slot->stage) : 0;
		if (!channel_slot_is_whole(slot)) {
			damaged++;
			continue;
		}
		g->stage = stage > g->stage ? stage : g->stage;
		if (stage && atomic_load(&slot->running))
			take_unfinished(g, slot, k);
		if (stage) {
			g->run.checked.commands += atomic_load(&slot->commands);
			take_waiting(g, run, slot);
			take_lost(g, slot);
		}
	}
	if (!damaged)
		return;
	note(g, "the program has overwritten Lockstep's memory: unfinished work is not in this report");
	g->run.went_wrong = true;
}

static void gather(struct gathered *g, struct run *run)
{
	struct channel_reader reader = {.channel = &run->channel};
	struct channel_record record;
	g->run.launches = json_object_new_array();
	g->run.findings = json_object_new_array();
	g->run.notes = json_object_new_array();
	g->run.unpinned = json_object_new_array();
	g->modules = json_object_new_array();
	g->run.refused = json_object_new_array();
	g->run.checked.check = run->options->run.setup.check;
	g->run.checked.has_host = true;
	while (channel_next(&reader, &record))
		take_record(g, &record);
	if (reader.why)
		diagnose(run->diagnostic, (struct place){0}, "lockstep run: cannot read the program's results: %s",
			strerror(reader.why));
	if (reader.hole)
		note(g, "the program has extended Lockstep's file of results: some results may be missing");
	arena_free(&reader.arena);
	show_sums(g);
	take_slots(g, run);
	for (uint32_t k = 0; k <= CHANNEL_SLOTS; k++)
		g->run.simulated += g->clocks[k];
	if (g->run.kernels.count)
		qsort(g->run.kernels.at, g->run.kernels.count, sizeof *g->run.kernels.at, by_cost);
}

static const char *reason_for_nothing(const struct gathered *g, struct run *run)
{
	if (g->never_ran)
		return "the program's launches never began";
	if (g->run.refused_count)
		return "all launches of the program were refused";
	return g->stage == CHANNEL_LAUNCHED ? "or no record of it could be written"
					    : run_reason(run, g->stage, g->unsupported);
}

/* ---- --only KERNEL[:N] ---- */

#define NAMES_SHOWN 12

static const char *nearest_kernel(const struct gathered *g, const char *name)
{
	const char **names = arena_new_array(g->arena, const char *, g->run.kernels.count + 1);
	for (uint32_t k = 0; k < g->run.kernels.count; k++)
		names[k] = demangle_brief(g->arena, g->run.kernels.at[k].name);
	return text_nearest(name, names, g->run.kernels.count);
}

/* The kernels' names, for a message. */
static const char *kernel_list(const struct gathered *g)
{
	struct text list = {.arena = g->arena};
	for (uint32_t k = 0; k < g->run.kernels.count && k < NAMES_SHOWN; k++)
		text_print(&list, "%s%s", k ? ", " : "", demangle_brief(g->arena, g->run.kernels.at[k].name));
	if (g->run.kernels.count > NAMES_SHOWN)
		text_print(&list, " and %u more of the report", g->run.kernels.count - NAMES_SHOWN);
	return list.at;
}

/* Says so when the option has chosen nothing; false then. */
static bool check_only(struct gathered *g, const char *given, bool wants_timing)
{
	const char *colon = strrchr(given, ':'), *name = given, *why = NULL, *nearest;
	uint64_t which = 0, launches = 0, timed = 0;
	if (colon && text_to_u64(colon + 1, &which))
		name = arena_copy(g->arena, given, (size_t)(colon - given));
	for (uint32_t k = 0; k < g->run.kernels.count; k++)
		if (demangle_is(g->run.kernels.at[k].name, name)) {
			launches += g->run.kernels.at[k].launches;
			timed += g->run.kernels.at[k].timed;
		}
	if (!launches && (nearest = nearest_kernel(g, name)))
		why = arena_printf(g->arena, "no kernel of this name was launched, did you mean '%s'?", nearest);
	else if (!launches)
		why = arena_printf(
			g->arena, "no kernel of this name was launched, expected one of: %s", kernel_list(g));
	else if (which && wants_timing && !timed)
		why = "the kernel was launched fewer times";
	if (why)
		note(g, "--only %s: %s", given, why);
	return !why;
}

static void check_all_only(struct gathered *g, struct run *run)
{
	const char *const *all = run_option_list(&run_options[RUN_OPTION_only], &run->options->run);
	for (size_t k = 0; g->run.launch_count && all[k]; k++)
		run->is_missed |= !check_only(g, all[k], run->options->run.setup.mode == LOCKSTEP_TIMING);
}

/* Says so when no process had the launch that --launch names. */
static void check_launch(struct gathered *g, struct run *run)
{
	if (g->chosen && g->run.launch_count && !g->has_chosen && !g->is_unfinished) {
		g->is_missed = true;
		note(g, "--launch %" PRIu64 ": no launch has this number: the program made %zu", *g->chosen,
			g->run.launch_count);
	}
	run->is_missed |= g->is_missed;
}

/* What the reporters see of the run. */
static void complete_summary(struct gathered *g, struct run *run)
{
	const struct options *o = run->options;
	struct run_summary *s = &g->run;
	s->words = o->program;
	s->killed = run->end.killed;
	s->status = run->end.status;
	s->gpu = g->session ? text_of(g->session, "gpu") : "none";
	s->suppressions = &o->report.suppressions;
	s->settings = g->session ? o->run.setup.settings : NULL;
	while (s->settings && s->settings[s->setting_count])
		s->setting_count++;
	s->mode = o->run.setup.mode;
	s->configuration = member(g->session, "configuration");
	s->provenance = provenance_object(g->known, member(g->session, "settings"));
	s->nothing = s->launch_count ? NULL : reason_for_nothing(g, run);
	s->went_wrong |= g->status || run->end.killed;
	s->style = style_on(&o->report.style, o->report.output ? -1 : STDERR_FILENO);
}

/* The runs with other seeds. */
static void take_seeds(struct gathered *g, struct run *run)
{
	const struct options *o = run->options;
	struct seed_result first = {.seed = o->run.setup.seed,
		.options = arena_printf(g->arena, "--seed %" PRIu64, o->run.setup.seed),
		.outcome = g->outcome ? g->outcome : "completed",
		.status = run->end.killed ? 128 + run->end.status : run->end.status,
		.cycles = g->run.cycles,
		.findings = json_object_array_length(g->run.findings)};
	for (uint32_t k = 0; k < g->run.kernels.count; k++)
		first.warp_instructions += g->run.kernels.at[k].warp_instructions;
	seed_result_end(&first);
	run->seeds_status = run->end.killed ? 0 : run->end.status;
	g->run.seeds = seeds_run(o, &first, g->run.findings, &run->seeds_status, run->diagnostic);
}

/* The report, and the files beside it. */
static void write_parts(struct gathered *g, struct run *run, struct text *out)
{
	profile_sort(g->run.profile);
	check_all_only(g, run);
	check_launch(g, run);
	complete_summary(g, run);
	take_seeds(g, run);
	suppressions_mark(&run->options->report.suppressions, g->run.findings);
	run->options->report.reporter->run(out, &g->run);
	if (run->options->report.profile)
		profile_write(run->options->report.profile, g->run.profile, run->diagnostic);
	if (run->options->report.findings)
		reporter_write_findings(run->options->report.findings, g->arena, run->options->program[0],
			g->run.findings, run->diagnostic);
	if (run->options->report.generated)
		suppressions_write(run->options->report.generated, g->arena, g->run.findings, run->diagnostic);
}

bool run_report(struct run *run, struct text *out, int *status)
{
	struct arena arena = {0};
	struct profile profile = {.arena = &arena};
	struct gathered g = {.arena = &arena,
		.all = run->options->report.reporter->complete,
		.sums_launches = run->options->report.sums_launches,
		.chosen = run->options->run.setup.launch,
		.known = &run->known,
		.run.profile = &profile};
	gather(&g, run);
	bool whole = !run->diagnostic->failed;
	if (whole)
		write_parts(&g, run, out);
	*status = g.status;
	run->finding_count = suppressions_count_left(g.run.findings);
	json_object_put(g.session);
	json_object_put(g.run.launches);
	json_object_put(g.run.findings);
	json_object_put(g.run.notes);
	json_object_put(g.run.unpinned);
	json_object_put(g.run.provenance);
	json_object_put(g.run.seeds);
	json_object_put(g.modules);
	json_object_put(g.run.refused);
	arena_free(&arena);
	return whole;
}
