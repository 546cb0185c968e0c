/* Recording of the timeline: phases in which a scheduler issues from one warp, and spans in which a warp waits. */
#include "machine/observe/timeline.h"

#include "machine/launch.h"
#include "util/vector.h"

#define PHASE_GAP 16 /* cycles without an issue that end a phase */

struct phase {
	uint32_t warp, group;
	uint64_t start, last, count; /* count 0: none is open */
};

struct timeline {
	struct arena *arena;
	VECTOR(struct timeline_event) events;
	struct phase phases[CORE_SCHEDULERS];
	uint32_t schedulers;
};

struct timeline *timeline_create(struct arena *arena, uint32_t schedulers)
{
	struct timeline *t = arena_new(arena, struct timeline);

	t->arena = arena;
	t->schedulers = schedulers;
	return t;
}

static void close_phase(struct core *core, uint32_t scheduler)
{
	struct timeline *t = core->timeline;
	struct phase *p = &t->phases[scheduler];

	if (!p->count)
		return;
	*vector_push(t->arena, &t->events) = (struct timeline_event){
		.kind = TIMELINE_ISSUE, .core = core->index, .lane = scheduler, .warp = p->warp, .group = p->group,
		.start = p->start, .end = p->last + 1, .detail = p->count,
	};
	p->count = 0;
}

void timeline_issue(struct core *core, const struct resident *r)
{
	uint32_t slot = core_slot(core, r), scheduler = slot % core->schedulers;
	struct phase *p = &core->timeline->phases[scheduler];

	if (p->count && (p->warp != slot || p->group != r->group->number || core->now - p->last > PHASE_GAP))
		close_phase(core, scheduler);
	if (!p->count)
		*p = (struct phase){ .warp = slot, .group = r->group->number, .start = core->now };
	p->count++;
	p->last = core->now;
}

void timeline_span(struct core *core, const struct resident *r, enum timeline_kind kind, uint64_t start, uint64_t detail)
{
	struct timeline *t = core->timeline;

	if (!t || core->now <= start)
		return;
	*vector_push(t->arena, &t->events) = (struct timeline_event){
		.kind = kind, .core = core->index, .lane = core_slot(core, r), .warp = core_slot(core, r), .group = r->group->number,
		.start = start, .end = core->now, .detail = detail,
	};
}

void timeline_flush(struct machine *machine, int at_end)
{
	const struct timeline_sink *sink = machine->gpu->timeline;

	if (!sink)
		return;
	for (uint32_t c = 0; c < machine->core_count; c++) {
		struct core *core = &machine->cores[c];
		struct timeline *t = core->timeline;

		if (!t) /* no group has been there */
			continue;
		for (uint32_t s = 0; at_end && s < t->schedulers; s++)
			close_phase(core, s);
		for (uint32_t k = 0; k < t->events.count; k++)
			sink->event(sink->context, &t->events.at[k]);
		t->events.count = 0;
	}
}
