/* Atomics on their way to memory: what each passes on, as of when its thread issued it. */
#include "race/parts.h"

#include <assert.h>
#include <string.h>

/* ---- What they pass on ---- */

static struct passing *passing_take(struct races *races)
{
	struct passing *passes = races->free_passing;

	if (passes)
		races->free_passing = passes->next_free;
	else
		passes = arena_new(races->arena, struct passing);
	*passes = (struct passing){.references = 1};
	return passes;
}

static void passing_drop(struct races *races, struct passing *passes)
{
	assert(!passes || passes->references);
	if (!passes || --passes->references)
		return;
	clock_drop(&races->clocks, passes->heard);
	known_forget(&races->clocks, &passes->event);
	for (uint32_t reach = 0; reach < REACHES; reach++) {
		known_forget(&races->clocks, &passes->fenced[reach]);
		known_forget(&races->clocks, &passes->fenced_sc[reach]);
	}
	passes->next_free = races->free_passing;
	races->free_passing = passes;
}

/* Whether the strand would pass on the same now, by an atomic that does not release itself. */
static bool is_as_before(const struct race_warp *warp, const struct strand *u)
{
	const struct passing *p = u->passes;

	if (!p || p->event.clock != CLOCK_NOTHING || p->epoch != u->epoch || p->floor != u->floor ||
		p->heard != u->knows.clock)
		return false;
	assert(p->fenced_to == u->fenced_to);
	for (uint32_t reach = 0; reach < warp->group->launch->reaches; reach++)
		if (p->fenced_sc[reach].clock != u->fenced_sc[reach].clock)
			return false;
	return true;
}

/* Taken by the strand, which has one at most. */
static void take_anew(struct races *races, const struct race_warp *warp, struct strand *u, const struct site *site)
{
	struct passing *p = passing_take(races);

	assert(u->epoch);
	passing_drop(races, u->passes);
	u->passes = p;
	p->epoch = u->epoch;
	p->floor = u->floor;
	p->fenced_to = u->fenced_to;
	for (uint32_t reach = 0; reach < warp->group->launch->reaches; reach++) {
		known_become(&races->clocks, &p->fenced[reach], &u->fenced[reach]);
		known_become(&races->clocks, &p->fenced_sc[reach], &u->fenced_sc[reach]);
	}
	u->wrote = u->epoch;
	if (rule_releases_alone(site)) {
		p->event = chain_event(races, u, order_number(warp, u));
		u->epoch++;
	}
	p->heard = clock_keep(u->knows.clock);
}

/* ---- A lane's atomics ---- */

static uint32_t new_number(struct races *races, struct race_warp *warp)
{
	uint32_t number = warp->free_sent;

	if (!warp->first_sent) {
		warp->first_sent = arena_new_array(races->arena, uint32_t, warp->group->launch->lanes);
		vector_push(races->arena, &warp->sent); /* NO_SENT */
	}
	if (number != NO_SENT) {
		warp->free_sent = warp->sent.at[number].next;
		return number;
	}
	vector_push(races->arena, &warp->sent);
	assert(warp->sent.count > 1);
	return warp->sent.count - 1;
}

void sent_add(struct races *races, struct race_warp *warp, uint32_t lane, const struct site *site, uint64_t address)
{
	struct strand *u = strand_of(warp, lane);
	uint32_t number = new_number(races, warp), *at = &warp->first_sent[lane];

	assert(site->is_rmw);
	assert(lane < warp->group->launch->lanes);
	if (rule_releases_alone(site) || !is_as_before(warp, u))
		take_anew(races, warp, u, site);
	u->passes->references++;
	while (*at != NO_SENT)
		at = &warp->sent.at[*at].next;
	*at = number;
	warp->sent.at[number] = (struct sent){.address = address, .passes = u->passes, .site = site->number};
}

struct sent *sent_find(struct race_warp *warp, uint32_t lane, uint16_t site, uint64_t address, uint32_t bytes)
{
	assert(site);
	assert(bytes);
	assert(warp->first_sent);
	for (uint32_t k = warp->first_sent[lane]; k != NO_SENT; k = warp->sent.at[k].next)
		if (warp->sent.at[k].site == site && warp->sent.at[k].address - address < bytes)
			return &warp->sent.at[k];
	return NULL;
}

void sent_arrived(struct races *races, struct race_warp *warp, uint32_t lane, struct sent *sent)
{
	uint32_t number = (uint32_t)(sent - warp->sent.at), *at = &warp->first_sent[lane];

	assert(number != NO_SENT);
	assert(number < warp->sent.count);
	while (*at != number)
		at = &warp->sent.at[*at].next;
	*at = sent->next;
	passing_drop(races, sent->passes);
	sent->next = warp->free_sent;
	warp->free_sent = number;
}

void sent_end_warp(struct races *races, struct race_warp *warp)
{
	for (uint32_t l = 0; warp->first_sent && l < warp->group->launch->lanes; l++)
		while (warp->first_sent[l] != NO_SENT)
			sent_arrived(races, warp, l, &warp->sent.at[warp->first_sent[l]]);
	for (uint32_t k = 0; k < warp->strands; k++) {
		passing_drop(races, warp->strand[k].passes);
		warp->strand[k].passes = NULL;
	}
	assert(!warp->first_sent || warp->sent.count);
}
