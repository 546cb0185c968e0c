/* The packets of atomics that have the shape of sectors: see packets.h. */
#include "machine/lsu/packets.h"

#include <assert.h>

#define SECTOR_BYTES 32
#define LEAST_BYTES 2 /* of an atomic */

static bool returns_value(const struct insn *i)
{
	assert(i->access.atomic || i->kind == INSN_ACQUIRE || i->kind == INSN_RELEASE);
	return !(i->flags & INSN_NO_RESULT) || i->access.atomic == ATOMIC_CAS || i->access.atomic == ATOMIC_EXCH;
}

static uint32_t at_least(uint32_t hundredths, uint32_t flits)
{
	assert(flits);
	return hundredths > flits * 100 ? hundredths : flits * 100;
}

/* Of a cycle of the core, for the packet of a lane. */
static uint32_t lone_hundredths(const struct gpu_model *model, const struct insn *i, uint32_t flits)
{
	return at_least(returns_value(i) ? model->atomic_lone_swap : model->atomic_lone, flits);
}

/* The same of a port that cores share. */
static uint32_t link_hundredths(const struct gpu_model *model, const struct insn *i, uint32_t flits)
{
	bool is_swap = i->access.atomic == ATOMIC_CAS || i->access.atomic == ATOMIC_EXCH;

	assert(model->crossbar_cores);
	return at_least(is_swap ? model->atomic_link_swap : model->atomic_link, flits);
}

struct port_packets packets_of(
	const struct gpu_model *model, const struct insn *i, const struct atomic_entry *entries, uint32_t count)
{
	bool is_swap = i->access.atomic == ATOMIC_CAS;
	uint32_t lone_flits = is_swap ? model->atomic_lone_flits : 1, lone = count, together = 0;
	uint64_t words = 0, sectors = 0; /* a bit for each place of one in the line */

	assert(count);
	for (uint32_t k = 0; k < count; k++) {
		words |= 1ull << entries[k].address % LINE_BYTES / LEAST_BYTES;
		sectors |= 1ull << entries[k].address % LINE_BYTES / SECTOR_BYTES;
	}
	assert((uint32_t)__builtin_popcountll(words) <= count);
	if (__builtin_popcountll(words) > (is_swap ? 2 : 1)) {
		lone = count - (uint32_t)__builtin_popcountll(words);
		together = (1 + (uint32_t)__builtin_popcountll(sectors)) * (is_swap ? 2 : 1);
	}
	return (struct port_packets){
		.flits = together + lone * lone_flits,
		.arriving = together + lone,
		.first = together ? together : lone_flits,
		.hundredths = together * 100 + lone * lone_hundredths(model, i, lone_flits),
		.linked = together * 100 + lone * link_hundredths(model, i, lone_flits),
	};
}
