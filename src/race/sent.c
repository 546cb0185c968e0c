/* Atomics on their way to memory: what each passes on, as of when its thread issued it. */
#include "race/parts.h"

#include <assert.h>
#include <string.h>

void sent_add(struct races *races, struct race_warp *warp, uint32_t lane, const struct site *site, uint64_t address)
{
	struct strand *u = strand_of(warp, lane);
	struct sent *sent = vector_push(races->arena, &warp->sent);

	assert(site->is_rmw);
	assert(u->epoch);
	*sent = (struct sent){.address = address,
		.epoch = u->epoch,
		.floor = u->floor,
		.fenced_to = u->fenced_to,
		.site = site->number,
		.lane = (uint8_t)lane};
	for (uint32_t reach = 0; reach < warp->group->launch->reaches; reach++) {
		known_become(&races->clocks, &sent->fenced[reach], &u->fenced[reach]);
		known_become(&races->clocks, &sent->fenced_sc[reach], &u->fenced_sc[reach]);
	}
	u->wrote = u->epoch;
	if (rule_releases_alone(site)) {
		sent->event = chain_event(races, u, order_number(warp, u));
		u->epoch++;
	}
	sent->heard = clock_keep(u->knows.clock);
}

struct sent *sent_find(struct race_warp *warp, uint32_t lane, uint16_t site, uint64_t address, uint32_t bytes)
{
	assert(site);
	assert(bytes);
	for (uint32_t k = 0; k < warp->sent.count; k++) {
		struct sent *sent = &warp->sent.at[k];

		if (sent->lane == lane && sent->site == site && sent->address - address < bytes)
			return sent;
	}
	return NULL;
}

static void forget(struct races *races, struct sent *sent)
{
	assert(sent->epoch);
	clock_drop(&races->clocks, sent->heard);
	known_forget(&races->clocks, &sent->event);
	for (uint32_t reach = 0; reach < REACHES; reach++) {
		known_forget(&races->clocks, &sent->fenced[reach]);
		known_forget(&races->clocks, &sent->fenced_sc[reach]);
	}
}

void sent_arrived(struct races *races, struct race_warp *warp, struct sent *sent)
{
	uint32_t at = (uint32_t)(sent - warp->sent.at);

	assert(at < warp->sent.count);
	forget(races, sent);
	warp->sent.count--;
	memmove(sent, sent + 1, (warp->sent.count - at) * sizeof *sent);
}

void sent_end_warp(struct races *races, struct race_warp *warp)
{
	for (uint32_t k = 0; k < warp->sent.count; k++)
		forget(races, &warp->sent.at[k]);
	warp->sent.count = 0;
}
