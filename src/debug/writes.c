/* The last change of a word: the search for it, and the stores to the word that were issued before it.
 *
 * In functional mode a store takes effect where it is issued, so the last one before the change has made it.  In timing
 * mode it takes effect when a slice or the shared memory serves it, and several may be on their way: then all that were
 * issued are told, and none is blamed. */
#include "debug/engine.h"
#include "machine/core/observer.h"

#include <assert.h>
#include <inttypes.h>

#define STORES_KEPT 8

struct store {
	uint64_t at; /* position */
	struct warp_name warp;
	lane_mask lanes;
	const struct kernel *kernel;
	uint32_t pc;
};

struct writes_asked {
	struct watched_place place;
	bool was_known, records;
	uint64_t asked_at; /* 0: at the end */
	uint64_t last, before;
	uint64_t since; /* position from which stores are recorded */
	uint64_t count; /* of stores; the k-th is at k % STORES_KEPT */
	struct store at[STORES_KEPT];
};

void writes_ask(struct debugger *d, const struct watched_place *place)
{
	struct writes_asked *a = arena_new(&d->arena, struct writes_asked);

	assert(!d->asked);
	a->place = *place;
	a->asked_at = d->has_ended ? 0 : d->at;
	d->asked = a;
}

uint64_t writes_asked_at(const struct debugger *d)
{
	return d->asked->asked_at;
}

void writes_look_anew(struct debugger *d)
{
	if (!d->asked)
		return;
	d->asked->was_known = value_read(d, &d->asked->place, &d->asked->last);
	d->asked->since = d->at;
}

void writes_record(struct debugger *d)
{
	d->asked->records = true;
	d->asked->count = 0;
}

bool writes_changed(struct debugger *d)
{
	struct writes_asked *a = d->asked;
	uint64_t value;
	bool known = value_read(d, &a->place, &value), changed = known && a->was_known && value != a->last;

	a->was_known = known;
	a->before = changed ? a->last : a->before;
	a->last = value;
	return changed;
}

static bool may_write(const struct insn *i)
{
	return i->kind != INSN_LOAD;
}

void writes_note(struct debugger *d, const struct warp_slot *r, const struct insn *i, lane_mask lanes, uint8_t space,
	const uint64_t *address)
{
	struct writes_asked *a = d->asked;
	uint32_t bytes = (uint32_t)i->access.bytes * (i->access.elements ? i->access.elements : 1);
	lane_mask hits = 0;

	if (!a->records || space != a->place.space || !may_write(i) ||
		(space == space_SHARED && r->group->number != a->place.group))
		return;
	EACH_LANE(lane, lanes)
		if (address[lane] < a->place.address + a->place.bytes && a->place.address < address[lane] + bytes)
			hits |= 1ull << lane;
	if (hits)
		a->at[a->count++ % STORES_KEPT] = (struct store){.at = d->at,
			.warp = name_of(r),
			.lanes = hits,
			.kernel = r->warp.kernel,
			.pc = (uint32_t)(i - r->warp.kernel->code)};
}

static void tell_store(struct debugger *d, const struct store *s)
{
	text_print(&d->out, "  position %" PRIu64 ": warp %u.%u, %d lane%s from %d on, %s\n", s->at, s->warp.group,
		s->warp.warp, __builtin_popcountll(s->lanes), text_plural((uint64_t)__builtin_popcountll(s->lanes)),
		__builtin_ctzll(s->lanes), kernel_place_text(&d->scratch, s->kernel, s->pc));
}

void writes_tell(struct debugger *d, bool found)
{
	struct writes_asked *a = d->asked;
	uint64_t kept = a->count < STORES_KEPT ? a->count : STORES_KEPT;
	bool at_once = d->here.core && observer_at_once(d->here.core);

	d->asked = NULL;
	if (!found) {
		text_print(&d->out,
			"%s has not changed since position %" PRIu64 ", the first that can be visited again\n",
			value_place_words(&d->scratch, &a->place), engine_first_position(d));
		return;
	}
	text_print(&d->out, "%s changed from %" PRIu64 " to %" PRIu64 " just before this position\n",
		value_place_words(&d->scratch, &a->place), a->before, a->last);
	if (!kept)
		text_print(&d->out,
			"no store or atomic of a warp to it was issued since position %" PRIu64
			": a copy has changed it\n",
			a->since);
	else if (at_once)
		text_print(&d->out, "it was changed by\n");
	else
		text_print(&d->out,
			"stores and atomics to it since position %" PRIu64
			", the last first; which of them was served last is not known:\n",
			a->since);
	for (uint64_t k = 0; k < (at_once && kept ? 1 : kept); k++)
		tell_store(d, &a->at[(a->count - 1 - k) % STORES_KEPT]);
}
