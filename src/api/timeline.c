/* The timeline file of a GPU: what the machine tells of, and the launches, drawn in it, and its end. */
#include "api/api.h"

#include "machine/state/core.h"
#include "report/reports.h"
#include "report/trace.h"
#include "util/demangle.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define EVENTS_MOST 2000000 /* some 300 MB, which viewers still open */

/* A file that grows becomes coarser, so that it has the whole run and can still be opened: each time that it has got so
 * many more events, slices of a scheduler with gaps four times as long become one slice, of four times the length. */
#define LEVEL_EVENTS 20000 /* some 3 MB */
#define LEVELS 16
#define GAP 16     /* cycles between slices that become one, at level 0, at which none does: the observer's */
#define LENGTH 256 /* cycles of such a slice */

/* Slices of a scheduler that become one. */
struct merged {
	struct timeline_event first;
	uint64_t end, instructions, slices; /* slices: 0: none */
	uint64_t warps;                     /* by slot */
	bool several_groups;
};

struct started *timeline_running(const struct lockstep *lockstep, uint64_t launch)
{
	for (uint32_t k = 0; k < lockstep->running.count; k++)
		if (lockstep->running.at[k]->result.number == launch + 1)
			return lockstep->running.at[k];
	return NULL;
}

static struct trace_texts *texts_of(struct started *started, const struct kernel *kernel)
{
	struct trace_texts *t = started->trace_texts;

	while (t && t->kernel != kernel)
		t = t->next;
	if (!t) {
		t = arena_new(&started->arena, struct trace_texts);
		t->kernel = kernel;
		t->of = arena_new_array(&started->arena, const char *, kernel->code_count);
		t->next = started->trace_texts;
		started->trace_texts = t;
	}
	return t;
}

/* Each is made once. */
const char *timeline_instruction(struct started *started, const struct timeline_event *e)
{
	const struct kernel *kernel = e->kernel ? e->kernel : started->kernel;
	const char **text = &texts_of(started, kernel)->of[e->pc];

	assert(e->pc < kernel->code_count);
	if (!*text) {
		struct place place = kernel_place(kernel, e->pc);

		*text = arena_printf(&started->arena, "%s:%u: %s", place.file ? basename(place.file) : "?", place.line,
			kernel_text(&started->arena, kernel, e->pc));
	}
	return *text;
}

static uint32_t level_of(const struct lockstep *lockstep)
{
	uint64_t level = trace_events(lockstep->trace) / LEVEL_EVENTS;

	return level < LEVELS ? (uint32_t)level : LEVELS;
}

static void draw_exactly(struct lockstep *lockstep, const struct timeline_event *e)
{
	char warp[32];
	struct started *started = timeline_running(lockstep, e->launch);
	const struct trace_argument arguments[] = {{.name = "launch", .number = e->launch},
		{.name = "work-group", .number = e->group}, {.name = "instructions", .number = e->detail},
		{.name = "from", .text = started ? timeline_instruction(started, e) : NULL}};

	snprintf(warp, sizeof warp, "warp %u", e->warp);
	trace_slice(lockstep->trace, e->core, e->lane, warp, e->start, e->end, arguments, started ? 4 : 3);
}

/* What of them is true of all. */
static void draw_merged(struct lockstep *lockstep, struct merged *m)
{
	char name[32];
	uint32_t warps = (uint32_t)__builtin_popcountll(m->warps);
	const struct trace_argument arguments[] = {{.name = "launch", .number = m->first.launch},
		{.name = "slices", .number = m->slices}, {.name = "instructions", .number = m->instructions},
		{.name = "work-group", .number = m->first.group}};

	if (m->slices == 1) {
		draw_exactly(lockstep, &m->first);
	} else if (m->slices) {
		snprintf(name, sizeof name, warps == 1 ? "warp %u" : "%u warps", warps == 1 ? m->first.warp : warps);
		trace_slice(lockstep->trace, m->first.core, m->first.lane, name, m->first.start, m->end, arguments,
			m->several_groups ? 3 : 4);
	}
	m->slices = 0;
}

static void draw_all_merged(struct lockstep *lockstep)
{
	const struct gpu_model *model = lockstep->gpu.model;

	if (lockstep->trace)
		timeline_draw_phases(lockstep);

	for (uint32_t k = 0; lockstep->trace && k < model->core_count * model->schedulers; k++)
		draw_merged(lockstep, &lockstep->trace_merged[k]);
}

static void draw_issues(struct lockstep *lockstep, const struct timeline_event *e)
{
	struct merged *m = &lockstep->trace_merged[e->core * lockstep->gpu.model->schedulers + e->lane];
	uint32_t shift = 2 * level_of(lockstep);

	assert(!m->slices || m->end <= e->start);
	if (m->slices && (m->first.launch != e->launch || e->start - m->end > (uint64_t)GAP << shift ||
				 e->end - m->first.start > (uint64_t)LENGTH << shift))
		draw_merged(lockstep, m);
	if (!shift) {
		draw_exactly(lockstep, e);
		return;
	}
	trace_note_merging(lockstep->trace, e->start);
	if (!m->slices)
		*m = (struct merged){.first = *e};
	m->end = e->end;
	m->instructions += e->detail;
	m->slices++;
	m->warps |= 1ull << e->warp;
	m->several_groups |= e->group != m->first.group;
}

/* Null: it has its number alone. */
static const char *barrier_name(uint64_t number)
{
	return number == CLUSTER_BARRIER ? "of the cluster" : NULL;
}

static void draw_wait(struct lockstep *lockstep, const struct timeline_event *e)
{
	static const char *const waits[] = {[TIMELINE_BARRIER] = "barrier wait",
		[TIMELINE_MBARRIER_WAIT] = "mbarrier wait",
		[TIMELINE_LOCK_HELD] = "lock held",
		[TIMELINE_LOCK_WAITING] = "lock wait"};
	char address[24];
	uint32_t shift = 2 * level_of(lockstep);
	bool is_barrier = e->kind == TIMELINE_BARRIER;
	const struct trace_argument arguments[] = {{.name = "launch", .number = e->launch},
		{.name = "work-group", .number = e->group},
		{.name = is_barrier ? "barrier" : "address",
			.text = is_barrier ? barrier_name(e->detail) : address,
			.number = e->detail}};

	if (shift && e->end - e->start < (uint64_t)GAP << shift) {
		trace_leave_out(lockstep->trace);
		return;
	}
	snprintf(address, sizeof address, "0x%llx", (unsigned long long)e->detail);
	trace_span(lockstep->trace, e->core, waits[e->kind], e->lane, e->start, e->end, arguments, 3);
}

static void draw(void *context, const struct timeline_event *event)
{
	struct lockstep *lockstep = context;
	struct timeline_event e = *event;

	if (!lockstep->trace)
		return; /* the file is complete: the process ends */
	if (e.start < lockstep->trace_from)
		e.start = lockstep->trace_from;
	if (e.end > lockstep->trace_to)
		e.end = lockstep->trace_to;
	if (e.start >= e.end || (lockstep->trace_shown && !lockstep->trace_shown[e.core]))
		return;
	if (!lockstep->trace_named[e.core]) {
		lockstep->trace_named[e.core] = true;
		trace_core(lockstep->trace, e.core, lockstep->gpu.model->schedulers);
	}
	if (e.kind == TIMELINE_ISSUE)
		draw_issues(lockstep, &e);
	else if (e.kind == TIMELINE_PHASE || e.kind == TIMELINE_BARRIER_PHASE)
		timeline_draw_phase(lockstep, &e, 2 * level_of(lockstep));
	else
		draw_wait(lockstep, &e);
}

static void add(struct lockstep *lockstep, struct started *started)
{
	const struct lockstep_result *r = &started->result;
	struct arena arena = {0};
	const struct trace_argument arguments[] = {{.name = "launch", .number = r->number - 1},
		{.name = "grid", .text = arena_printf(&arena, "%u,%u,%u", r->grid[0], r->grid[1], r->grid[2])},
		{.name = "block", .text = arena_printf(&arena, "%u,%u,%u", r->block[0], r->block[1], r->block[2])},
		{.name = "outcome", .text = report_outcome(r->outcome)},
		{.name = "instructions", .number = r->warp_instructions}};

	draw_all_merged(lockstep);
	if (lockstep->trace && r->mode == LOCKSTEP_TIMING) /* else there is no clock */
		trace_launch(lockstep->trace, started->stream, demangle_short(&arena, r->kernel), r->start,
			r->start + r->cycles, arguments, sizeof arguments / sizeof *arguments);
	arena_free(&arena);
}

/* An error where the GPU has no such core. */
static void choose_cores(struct lockstep *lockstep, const struct lockstep_cores *cores, size_t cores_count,
	struct diagnostic *diagnostic)
{
	uint32_t count = lockstep->gpu.model->core_count;

	if (!cores)
		return;
	lockstep->trace_shown = arena_new_array(&lockstep->arena, bool, count);
	for (const struct lockstep_cores *c = cores; c < cores + cores_count; c++) {
		if (c->last >= count)
			diagnose(diagnostic, (struct place){0},
				"core %u is to be shown in the timeline: expected one below %u", c->last, count);
		for (uint32_t k = c->first; k <= c->last && k < count; k++)
			lockstep->trace_shown[k] = true;
	}
}

static void open_part(struct lockstep *lockstep, struct diagnostic *diagnostic)
{
	struct gpu *gpu = &lockstep->gpu;
	const struct lockstep_options *options = &gpu->options;

	lockstep->trace_from = options->trace_window.from;
	lockstep->trace_to = options->trace_window.to ? options->trace_window.to : UINT64_MAX;
	if (lockstep->trace_from >= lockstep->trace_to)
		diagnose(diagnostic, (struct place){0},
			"a trace window from cycle %" PRIu64 " to %" PRIu64 ": expected one that ends after it begins",
			lockstep->trace_from, lockstep->trace_to);
	choose_cores(lockstep, options->trace_cores, options->trace_core_count, diagnostic);
	if (!options->trace || diagnostic->failed)
		return;
	lockstep->trace = trace_open(&lockstep->arena, options->trace, EVENTS_MOST, diagnostic);
	lockstep->trace_named = arena_new_array(&lockstep->arena, bool, gpu->model->core_count);
	lockstep->trace_merged = arena_new_array(
		&lockstep->arena, struct merged, gpu->model->core_count * (size_t)gpu->model->schedulers);
	lockstep->sink = (struct timeline_sink){.context = lockstep, .event = draw};
	gpu->observe[OBSERVER_timeline] = &lockstep->sink;
}

bool lockstep_end_trace(struct lockstep *lockstep, struct lockstep_error *error)
{
	struct diagnostic diagnostic = {0};

	draw_all_merged(lockstep);

	struct trace *trace = lockstep->trace;

	lockstep->trace = NULL;
	return !trace || trace_close(trace, &diagnostic) || api_fail(error, &diagnostic);
}

static void close_part(struct lockstep *lockstep)
{
	struct lockstep_error ignored;

	if (lockstep->trace && trace_is_empty(lockstep->trace))
		trace_discard(lockstep->trace); /* what is there of an earlier run says more than an empty one */
	else
		lockstep_end_trace(lockstep, &ignored);
}

const struct result_part result_part_timeline = {.open = open_part, .add = add, .close = close_part};
