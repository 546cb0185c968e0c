/* The phases of mbarriers and barriers in a timeline: each one of a work-group has a row, and a slice for each phase.
 *
 * Where the timeline has become coarse (timeline.c), phases of one that are near each other become one slice. */
#include "api/api.h"

#include "machine/state/core.h"
#include "report/trace.h"

#include <assert.h>
#include <inttypes.h>

#define BARRIER_KEYS (1u << 23) /* the numbers of barriers are from there on, beyond all offsets of mbarriers */
#define LENGTH 256              /* cycles of a slice of several phases, at level 0, at which there is none */

/* Phases of one that become one slice. */
struct several {
	struct timeline_event first;
	uint64_t end, phases, arrivals, bytes, idle; /* phases: 0: none */
};

struct trace_phases {
	struct arena arena;
	VECTOR(struct several) rows;
	struct lookup places; /* of each, plus one: by launch, group, and object or number */
};

static bool is_barrier(const struct timeline_event *e)
{
	assert(e->kind == TIMELINE_PHASE || e->kind == TIMELINE_BARRIER_PHASE);
	return e->kind == TIMELINE_BARRIER_PHASE;
}

static uint64_t key_of(const struct timeline_event *e)
{
	assert(e->detail < BARRIER_KEYS);
	return e->launch << 56 | (uint64_t)e->group << 24 | e->detail | (is_barrier(e) ? BARRIER_KEYS : 0);
}

static struct several *row_of(struct lockstep *lockstep, const struct timeline_event *e)
{
	struct trace_phases *p = lockstep->trace_phases;

	if (!p)
		p = lockstep->trace_phases = arena_new(&lockstep->arena, struct trace_phases);

	uint64_t *place = lookup_at(&p->arena, &p->places, key_of(e));

	if (!*place) {
		vector_push(&p->arena, &p->rows);
		*place = p->rows.count;
	}
	return &p->rows.at[*place - 1];
}

/* "mbarrier full + 0x8, work-group 3", "barrier 1, work-group 3": viewers give a name a row. */
static const char *row_name(struct arena *arena, const struct started *started, const struct timeline_event *e)
{
	const struct shared_place *s = started && !is_barrier(e) ? kernel_shared_at(started->kernel, e->detail) : NULL;
	uint64_t offset = e->detail - (s ? s->offset : 0);

	if (is_barrier(e))
		return arena_printf(arena, "barrier %s, work-group %" PRIu32,
			e->detail == CLUSTER_BARRIER ? "of the cluster" : arena_printf(arena, "%" PRIu64, e->detail),
			e->group);
	return arena_printf(arena, "mbarrier %s%s, work-group %" PRIu32, s ? s->variable->name : "shared memory",
		offset || !s ? arena_printf(arena, " + 0x%" PRIx64, offset) : "", e->group);
}

static uint64_t idle_of(const struct timeline_event *e)
{
	uint64_t first = e->phase.first < e->end ? e->phase.first : e->end;

	return first > e->start ? first - e->start : 0;
}

/* Of a cluster's barrier a group does not know what other groups did. */
static const char *ended_by(const struct timeline_event *e)
{
	if (!e->phase.is_over)
		return "nothing: it is open";
	if (is_barrier(e) && e->detail == CLUSTER_BARRIER)
		return "arrivals or exits in all work-groups of the cluster";
	if (e->phase.by_exit)
		return "the exit of threads";
	return e->phase.by_bytes ? "bytes" : "an arrival";
}

/* At most so many arguments of a slice. */
#define ARGUMENTS 8

/* What has come in a phase, or in several: a barrier has no bytes. */
static size_t put_come(struct trace_argument *arguments, const struct timeline_event *e, uint64_t arrivals,
	uint64_t bytes, uint64_t idle)
{
	size_t count = 0;

	arguments[count++] =
		(struct trace_argument){.name = is_barrier(e) ? "threads" : "arrivals", .number = arrivals};
	if (!is_barrier(e))
		arguments[count++] = (struct trace_argument){.name = "bytes", .number = bytes};
	arguments[count++] = (struct trace_argument){.name = "idle", .number = idle};
	return count;
}

static void draw(struct lockstep *lockstep, const struct timeline_event *e, uint64_t end,
	const struct trace_argument *arguments, size_t count)
{
	struct arena arena = {0};

	assert(count <= ARGUMENTS);
	trace_phase(lockstep->trace, e->core, is_barrier(e) ? "barrier phase" : "mbarrier phase",
		row_name(&arena, timeline_running(lockstep, e->launch), e), e->start, end, arguments, count);
	arena_free(&arena);
}

static void draw_exactly(struct lockstep *lockstep, const struct timeline_event *e)
{
	struct started *started = timeline_running(lockstep, e->launch);
	struct trace_argument arguments[ARGUMENTS] = {{.name = "launch", .number = e->launch},
		{.name = "work-group", .number = e->group}, {.name = "phase", .number = (uint64_t)e->phase.number}};
	size_t count = 3;

	count += put_come(&arguments[count], e, e->phase.arrivals, e->phase.bytes, idle_of(e));
	arguments[count++] = (struct trace_argument){.name = "ended by", .text = ended_by(e)};
	if (started)
		arguments[count++] = (struct trace_argument){.name = "last", .text = timeline_instruction(started, e)};
	draw(lockstep, e, e->end, arguments, count);
}

/* What of them is true of all. */
static void draw_several(struct lockstep *lockstep, struct several *s)
{
	const struct timeline_event *e = &s->first;
	struct trace_argument arguments[ARGUMENTS] = {{.name = "launch", .number = e->launch},
		{.name = "work-group", .number = e->group},
		{.name = "first phase", .number = (uint64_t)e->phase.number}, {.name = "phases", .number = s->phases}};
	size_t count = 4 + put_come(&arguments[4], e, s->arrivals, s->bytes, s->idle);

	if (s->phases == 1)
		draw_exactly(lockstep, e);
	else if (s->phases)
		draw(lockstep, e, s->end, arguments, count);
	s->phases = 0;
}

void timeline_draw_phase(struct lockstep *lockstep, const struct timeline_event *e, uint32_t shift)
{
	struct several *s = shift ? row_of(lockstep, e) : NULL;

	if (!s) {
		draw_exactly(lockstep, e);
		return;
	}
	if (s->phases && e->end - s->first.start > (uint64_t)LENGTH << shift)
		draw_several(lockstep, s);
	trace_note_merging(lockstep->trace, e->start);
	if (!s->phases)
		*s = (struct several){.first = *e};
	s->end = e->end;
	s->phases++;
	s->arrivals += e->phase.arrivals;
	s->bytes += e->phase.bytes;
	s->idle += idle_of(e);
}

void timeline_draw_phases(struct lockstep *lockstep)
{
	struct trace_phases *p = lockstep->trace_phases;

	for (uint32_t k = 0; p && k < p->rows.count; k++)
		draw_several(lockstep, &p->rows.at[k]);
	if (p) {
		arena_free(&p->arena);
		*p = (struct trace_phases){0};
	}
}
