/* The phases of mbarriers in a timeline: each object of a work-group has a row, and a slice for each phase.
 *
 * Where the timeline has become coarse (timeline.c), phases of an object that are near each other become one slice. */
#include "api/api.h"

#include "report/trace.h"

#include <assert.h>
#include <inttypes.h>

#define LENGTH 256 /* cycles of a slice of several phases, at level 0, at which there is none */

/* Phases of an object that become one. */
struct several {
	struct timeline_event first;
	uint64_t end, phases, arrivals, bytes, idle; /* phases: 0: none */
};

struct trace_phases {
	struct arena arena;
	VECTOR(struct several) rows;
	struct lookup places; /* of each, plus one: by launch, group and object */
};

static uint64_t key_of(const struct timeline_event *e)
{
	assert(e->kind == TIMELINE_PHASE && e->detail < 1u << 24);
	return e->launch << 56 | (uint64_t)e->group << 24 | e->detail;
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

/* "mbarrier full + 0x8, work-group 3": viewers give a name a row. */
static const char *row_name(struct arena *arena, const struct started *started, const struct timeline_event *e)
{
	const struct shared_place *s = started ? kernel_shared_at(started->kernel, e->detail) : NULL;
	uint64_t offset = e->detail - (s ? s->offset : 0);

	return arena_printf(arena, "mbarrier %s%s, work-group %" PRIu32, s ? s->variable->name : "shared memory",
		offset || !s ? arena_printf(arena, " + 0x%" PRIx64, offset) : "", e->group);
}

static uint64_t idle_of(const struct timeline_event *e)
{
	uint64_t first = e->phase.first < e->end ? e->phase.first : e->end;

	return first > e->start ? first - e->start : 0;
}

static void draw_exactly(struct lockstep *lockstep, const struct timeline_event *e)
{
	struct arena arena = {0};
	struct started *started = timeline_running(lockstep, e->launch);
	const struct trace_argument arguments[] = {{.name = "launch", .number = e->launch},
		{.name = "work-group", .number = e->group}, {.name = "phase", .number = (uint64_t)e->phase.number},
		{.name = "arrivals", .number = e->phase.arrivals}, {.name = "bytes", .number = e->phase.bytes},
		{.name = "idle", .number = idle_of(e)},
		{.name = "ended by",
			.text = !e->phase.is_over   ? "nothing: it is open"
				: e->phase.by_bytes ? "bytes"
						    : "an arrival"},
		{.name = "last", .text = started ? timeline_instruction(started, e->pc) : NULL}};

	trace_phase(
		lockstep->trace, e->core, row_name(&arena, started, e), e->start, e->end, arguments, started ? 8 : 7);
	arena_free(&arena);
}

/* What of them is true of all. */
static void draw_several(struct lockstep *lockstep, struct several *s)
{
	struct arena arena = {0};
	const struct timeline_event *e = &s->first;
	const struct trace_argument arguments[] = {{.name = "launch", .number = e->launch},
		{.name = "work-group", .number = e->group},
		{.name = "first phase", .number = (uint64_t)e->phase.number}, {.name = "phases", .number = s->phases},
		{.name = "arrivals", .number = s->arrivals}, {.name = "bytes", .number = s->bytes},
		{.name = "idle", .number = s->idle}};

	if (s->phases == 1)
		draw_exactly(lockstep, e);
	else if (s->phases)
		trace_phase(lockstep->trace, e->core, row_name(&arena, timeline_running(lockstep, e->launch), e),
			e->start, s->end, arguments, sizeof arguments / sizeof *arguments);
	s->phases = 0;
	arena_free(&arena);
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
