/* Liveness of registers and predicates at block borders, by the usual backward iteration.
 *
 * Most registers of a large kernel are written and read within one block, so only those are looked at that some block
 * reads before it writes them: no other is alive at a border.
 *
 * A thread is a scalar here: lanes of a warp own their columns of the register file, so that what another lane of the
 * same warp does to its column of a slot never matters. */
#include "kernel/bits.h"
#include "kernel/flow_parts.h"
#include "kernel/registers.h"

#define LOCAL UINT32_MAX

struct sets {
	uint64_t *reads;  /* upward exposed */
	uint64_t *writes; /* before any read */
};

/* Per register, its place in flow->live, which it fills, or LOCAL. */
static uint32_t *find_live(struct arena *arena, struct flow *flow)
{
	uint32_t count = flow->function->registers.count;
	uint32_t *place = arena_new_array(arena, uint32_t, count);
	uint32_t *written = arena_new_array(arena, uint32_t, count); /* the last block that writes it, from 1 */
	for (uint32_t r = 0; r < count; r++)
		place[r] = LOCAL;
	for (uint32_t k = 0; k < flow->function->code.count; k++)
		for (struct register_use use = {.of = &flow->function->code.at[k]}; register_next(&use);)
			if (use.is_write) /* a guarded write has just been seen as a read */
				written[use.reg->index] = flow->block_of[k] + 1;
			else if (written[use.reg->index] != flow->block_of[k] + 1)
				place[use.reg->index] = 0;
	flow->live = arena_new_array(arena, struct ptx_register *, count);
	for (uint32_t r = 0; r < count; r++)
		if (place[r] != LOCAL) {
			place[r] = flow->live_count;
			flow->live[flow->live_count++] = flow->function->registers.at[r];
		}
	return place;
}

static void fill_sets(const struct flow *flow, const uint32_t *place, struct sets *all)
{
	for (uint32_t k = 0; k < flow->function->code.count; k++)
		for (struct register_use use = {.of = &flow->function->code.at[k]}; register_next(&use);) {
			const struct sets *sets = &all[flow->block_of[k]];
			uint32_t at = place[use.reg->index];
			if (at != LOCAL && use.is_write)
				bits_add(sets->writes, at);
			else if (at != LOCAL && !bits_has(sets->writes, at))
				bits_add(sets->reads, at);
		}
}

/* live_in of a block from its live_out; true when it grew. */
static bool transfer(uint64_t *in, const uint64_t *out, const struct sets *sets, uint32_t words)
{
	bool grew = false;
	for (uint32_t w = 0; w < words; w++) {
		uint64_t value = sets->reads[w] | (out[w] & ~sets->writes[w]);
		grew |= value != in[w];
		in[w] = value;
	}
	return grew;
}

void flow_find_liveness(struct arena *arena, struct flow *flow)
{
	uint32_t count = flow->block_count;
	struct sets *sets = arena_new_array(arena, struct sets, count);
	const uint32_t *place = find_live(arena, flow);
	uint32_t words = bits_words(flow->live_count);
	flow->live_in = arena_new_array(arena, uint64_t *, count);
	flow->live_out = arena_new_array(arena, uint64_t *, count);
	for (uint32_t b = 0; b < count; b++) {
		sets[b].reads = arena_new_array(arena, uint64_t, words);
		sets[b].writes = arena_new_array(arena, uint64_t, words);
		flow->live_in[b] = arena_new_array(arena, uint64_t, words);
		flow->live_out[b] = arena_new_array(arena, uint64_t, words);
	}
	fill_sets(flow, place, sets);
	for (bool changed = true; changed;) {
		changed = false;
		for (uint32_t b = count; b-- > 0;) {
			for (uint32_t s = 0; s < flow->blocks[b].successor_count; s++)
				for (uint32_t w = 0; w < words; w++)
					flow->live_out[b][w] |= flow->live_in[flow->blocks[b].successors[s]][w];
			changed |= transfer(flow->live_in[b], flow->live_out[b], &sets[b], words);
		}
	}
}
