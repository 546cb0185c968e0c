/* Tapes of cores, merged: see tape.h. */
#include "machine/observe/tape.h"

#include "machine/core/observer.h"
#include "machine/state/machine.h"

#include <assert.h>
#include <string.h>

#define FIRST_ROOM 16  /* events */
#define MOST_CORES 256 /* that a model may have: core.count */

static struct tape_event *event_at(const struct tape *tape, uint32_t k)
{
	assert(k < tape->count);
	assert(tape->count <= tape->room);
	return (struct tape_event *)(void *)(tape->events + (size_t)k * tape->event_bytes);
}

void *tape_add(struct tape *tape, size_t event_bytes, const struct core *core, const struct warp_slot *r, uint32_t kind,
	uint64_t address)
{
	struct tape_event *e;

	assert(event_bytes >= sizeof *e);
	assert(event_bytes % 8 == 0);
	assert(!tape->event_bytes || tape->event_bytes == event_bytes);
	assert(!tape->done);
	assert(r->group->core_launch == r->core_launch);
	assert(r->warp.slot < CORE_WARPS);
	assert(!tape->count || event_at(tape, tape->count - 1)->at <= core->now);
	tape->event_bytes = (uint32_t)event_bytes;
	if (tape->count == tape->room) {
		uint8_t *old = tape->events;

		tape->room = tape->room ? 2 * tape->room : FIRST_ROOM;
		tape->events = arena_alloc(tape->arena, (size_t)tape->room * tape->event_bytes);
		if (old)
			memcpy(tape->events, old, (size_t)tape->count * tape->event_bytes);
	}
	tape->count++;
	assert(tape->count <= tape->room);
	e = event_at(tape, tape->count - 1);
	memset(e, 0, event_bytes);
	*e = (struct tape_event){.ordinal = r->core_launch->launch->ordinal,
		.at = core->now,
		.address = address,
		.core = core->index,
		.group = r->group->number,
		.warp = r->warp.first_thread,
		.kind = kind};
	return e;
}

/* A tape with events that are not added up yet, and the order of its next one: when it was, of one cycle by cores;
 * where cores take turns, by cores alone. */
struct source {
	uint64_t order;
	struct tape *tape;
};

/* Those of a machine, as a heap: the one with the next event of all is first. */
struct sources {
	struct source heap[MOST_CORES];
	uint32_t count;
	bool by_core;
};

static uint64_t order_of_next(const struct sources *s, const struct tape *t)
{
	const struct tape_event *e = event_at(t, t->done);

	assert(t->done < t->count);
	assert(e->core < MOST_CORES);
	return (s->by_core ? 0 : e->at * MOST_CORES) + e->core;
}

static void sift_down(struct sources *s, uint32_t at)
{
	struct source moved = s->heap[at];

	assert(at < s->count || !s->count);
	for (uint32_t child; (child = 2 * at + 1) < s->count; at = child) {
		child += child + 1 < s->count && s->heap[child + 1].order < s->heap[child].order;
		if (s->heap[child].order > moved.order)
			break;
		s->heap[at] = s->heap[child];
	}
	s->heap[at] = moved;
}

static void collect(struct sources *s, const struct machine *machine, enum observer_id observer)
{
	assert(machine->cores.count <= MOST_CORES);
	s->count = 0;
	s->by_core = machine->mode->takes_turns;
	for (uint32_t c = 0; c < machine->cores.count; c++) {
		struct tape *tape = observer_state(&machine->cores.at[c], observer);

		assert(!tape || (!tape->done && (!tape->count || event_at(tape, 0)->core == c)));
		if (tape && tape->count)
			s->heap[s->count++] = (struct source){order_of_next(s, tape), tape};
	}
	for (uint32_t k = s->count / 2; k--;)
		sift_down(s, k);
	assert(!s->count || s->heap[0].order <= s->heap[s->count - 1].order);
}

/* The next event of all; null: there is none left. */
static const struct tape_event *next_of(struct sources *s)
{
	struct source *first = s->heap;
	struct tape *tape = first->tape;
	const struct tape_event *e;

	if (!s->count)
		return NULL;
	e = event_at(tape, tape->done++);
	if (tape->done == tape->count) {
		tape->count = tape->done = 0; /* what was in it stays as it is until the cores run on */
		*first = s->heap[--s->count];
	} else {
		uint64_t order = order_of_next(s, tape);

		assert(order >= first->order);
		if (order == first->order) /* of the same cycle */
			return e;
		first->order = order;
	}
	sift_down(s, 0);
	return e;
}

void tapes_add_up(const struct machine *machine, enum observer_id observer,
	void (*add_up)(struct launch_profile *profile, const void *event))
{
	const struct profiles *profiles = machine->gpu->observe[OBSERVER_profile];
	struct sources sources;
	const struct tape_event *e;

	assert(profiles);
	assert(observers[observer]->profiles);
	collect(&sources, machine, observer);
	while ((e = next_of(&sources))) {
		struct launch_profile *p = profiles->launches;

		while (p && p->ordinal != e->ordinal)
			p = p->next;
		if (p)
			add_up(p, e);
	}
	assert(!sources.count);
}
