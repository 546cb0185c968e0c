/* Spread: groups by flat index, to a core of each shared port first, then to the next core of each.  NVIDIA's
 * dispatcher gives work to an idle GPC and an idle TPC before it doubles up.  A port is that of a TPC, or of two; the
 * TPCs are numbered round-robin over the GPCs, so the order of ports alternates between GPCs, too.
 *
 * In all else like in-order: no group overtakes another, and a started group is never taken off its core. */
#include "policy/dispatch/dispatch.h"

#include <assert.h>

struct turn {
	uint32_t place; /* first to be considered */
};

/* The core at a place of the order: port 0's first, port 1's first, ..., port 0's second, ...  The last port may have
 * fewer cores than the others: what it lacks are numbers that no core has. */
static uint32_t core_at(const struct dispatch_view *view, uint32_t place, uint32_t ports)
{
	assert(ports);
	assert(place < ports * view->port_cores);
	return place % ports * view->port_cores + place / ports;
}

static int next(void *state, const struct dispatch_view *view)
{
	struct turn *t = state;
	uint32_t ports = (view->core_count + view->port_cores - 1) / view->port_cores,
		 places = ports * view->port_cores;

	assert(view->port_cores);
	for (uint32_t i = 0, place = t->place; i < places; i++) {
		uint32_t after = place + 1 < places ? place + 1 : 0, core = core_at(view, place, ports);

		if (core < view->core_count && view->room[core]) {
			t->place = after;
			return (int)core;
		}
		place = after;
	}
	return -1;
}

const struct group_dispatcher dispatch_spread = {
	.name = "spread",
	.summary = "groups in order, to a core of each shared port first",
	.state_size = sizeof(struct turn),
	.next = next,
};
