/* Parts of firmware: see parts.h. */
#include "machine/control/parts.h"

#include "machine/state/counters.h"

#include <assert.h>

static void add(struct control_counters *c, uint32_t part, uint64_t instructions, uint64_t cycles)
{
	assert(part < CONTROL_PARTS);
	if (part == 1) {
		c->part1_instructions += instructions;
		c->part1_cycles += cycles;
	} else if (part == 2) {
		c->part2_instructions += instructions;
		c->part2_cycles += cycles;
	}
}

void control_parts_begin(struct control_parts *p, struct arena *arena, struct control_counters *c, uint32_t event,
	uint64_t own, uint64_t at)
{
	if (event >= CONTROL_PARTS)
		return;
	assert(own >= p->since);
	assert(c->instructions >= p->instructions);
	c->turns += event == 0;
	add(c, p->part, c->instructions - p->instructions, own - p->since);
	p->part = event;
	p->since = own;
	p->instructions = c->instructions;
	*vector_push(arena, &p->changes) = (struct control_change){.at = at, .part = event};
}

void control_parts_blocked(const struct control_parts *p, struct control_counters *c, uint64_t from, uint64_t to)
{
	for (uint32_t k = 0; k < p->changes.count; k++) {
		const struct control_change *change = &p->changes.at[k];
		uint64_t begin = change->at > from ? change->at : from;
		uint64_t end = k + 1 < p->changes.count && change[1].at < to ? change[1].at : to;

		assert(change->part < CONTROL_PARTS);
		if (begin >= end)
			continue;
		c->part1_blocked += change->part == 1 ? end - begin : 0;
		c->part2_blocked += change->part == 2 ? end - begin : 0;
	}
}

void control_parts_forget(struct control_parts *p)
{
	if (!p->changes.count)
		return;
	assert(p->changes.at[p->changes.count - 1].part == p->part);
	p->changes.at[0] = p->changes.at[p->changes.count - 1];
	p->changes.count = 1;
}
