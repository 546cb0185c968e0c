/* Liveness of registers and predicates at block borders, by the usual backward iteration.
 *
 * A thread is a scalar here: lanes of a warp own their columns of the register file, so that what another lane of the same
 * warp does to its column of a slot never matters. */
#include "kernel/bits.h"
#include "kernel/flow_parts.h"

#include <string.h>

struct sets {
	uint64_t *reads;  /* upward exposed */
	uint64_t *writes; /* before any read */
};

static void visit(void *context, struct ptx_register *reg, bool is_write)
{
	struct sets *sets = context;
	if (!is_write && !bits_has(sets->writes, reg->index))
		bits_add(sets->reads, reg->index);
	if (is_write) /* a guarded write has just been seen as a read, which then stands in `reads` */
		bits_add(sets->writes, reg->index);
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
	uint32_t count = flow->block_count, words = bits_words(flow->function->registers.count);
	struct sets *sets = arena_new_array(arena, struct sets, count);
	flow->live_words = words;
	flow->live_in = arena_new_array(arena, uint64_t *, count);
	flow->live_out = arena_new_array(arena, uint64_t *, count);
	for (uint32_t b = 0; b < count; b++) {
		sets[b].reads = arena_new_array(arena, uint64_t, words);
		sets[b].writes = arena_new_array(arena, uint64_t, words);
		flow->live_in[b] = arena_new_array(arena, uint64_t, words);
		flow->live_out[b] = arena_new_array(arena, uint64_t, words);
		for (uint32_t k = 0; k < flow->blocks[b].count; k++)
			flow_registers(&flow->function->code.at[flow->blocks[b].first + k], visit, &sets[b]);
	}
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
