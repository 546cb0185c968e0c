/* Liveness of registers and predicates at block borders, by the usual backward iteration.
 *
 * Most registers of a large kernel are written and read within one block, so only those are looked at that some block
 * reads before it writes them: no other is alive at a border.
 *
 * A thread is a scalar here: lanes of a warp own their columns of the register file, so that what another lane of the
 * same warp does to its column of a slot never matters. */
#include "kernel/bits.h"
#include "kernel/flow_parts.h"

#define LOCAL UINT32_MAX

struct sets {
	uint64_t *reads;  /* upward exposed */
	uint64_t *writes; /* before any read */
};

struct borders {
	uint32_t block;    /* at hand, counted from 1 */
	uint32_t *written; /* per register: the last block that writes it */
	uint32_t *place;   /* per register: in flow->live, or LOCAL */
	struct sets *sets; /* per block */
};

/* Marks, with 0, what the block reads before it writes it. */
static void find_exposed(void *context, struct ptx_register *reg, bool is_write)
{
	struct borders *b = context;
	if (is_write) /* a guarded write has just been seen as a read */
		b->written[reg->index] = b->block;
	else if (b->written[reg->index] != b->block)
		b->place[reg->index] = 0;
}

static void visit(void *context, struct ptx_register *reg, bool is_write)
{
	const struct borders *b = context;
	struct sets *sets = &b->sets[b->block - 1];
	uint32_t place = b->place[reg->index];
	if (place == LOCAL)
		return;
	if (!is_write && !bits_has(sets->writes, place))
		bits_add(sets->reads, place);
	if (is_write)
		bits_add(sets->writes, place);
}

static void each_register(struct borders *b, const struct flow *flow,
	void (*what)(void *context, struct ptx_register *reg, bool is_write))
{
	for (b->block = 1; b->block <= flow->block_count; b->block++) {
		const struct flow_block *block = &flow->blocks[b->block - 1];
		for (uint32_t k = 0; k < block->count; k++)
			flow_registers(&flow->function->code.at[block->first + k], what, b);
	}
}

static void find_live(struct arena *arena, struct flow *flow, struct borders *b)
{
	uint32_t count = flow->function->registers.count;
	b->written = arena_new_array(arena, uint32_t, count);
	b->place = arena_new_array(arena, uint32_t, count);
	for (uint32_t r = 0; r < count; r++)
		b->place[r] = LOCAL;
	each_register(b, flow, find_exposed);
	flow->live = arena_new_array(arena, struct ptx_register *, count);
	for (uint32_t r = 0; r < count; r++)
		if (b->place[r] != LOCAL) {
			b->place[r] = flow->live_count;
			flow->live[flow->live_count++] = flow->function->registers.at[r];
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
	struct borders borders = {.sets = arena_new_array(arena, struct sets, count)};
	find_live(arena, flow, &borders);
	uint32_t words = bits_words(flow->live_count);
	flow->live_in = arena_new_array(arena, uint64_t *, count);
	flow->live_out = arena_new_array(arena, uint64_t *, count);
	for (uint32_t b = 0; b < count; b++) {
		borders.sets[b].reads = arena_new_array(arena, uint64_t, words);
		borders.sets[b].writes = arena_new_array(arena, uint64_t, words);
		flow->live_in[b] = arena_new_array(arena, uint64_t, words);
		flow->live_out[b] = arena_new_array(arena, uint64_t, words);
	}
	each_register(&borders, flow, visit);
	for (bool changed = true; changed;) {
		changed = false;
		for (uint32_t b = count; b-- > 0;) {
			for (uint32_t s = 0; s < flow->blocks[b].successor_count; s++)
				for (uint32_t w = 0; w < words; w++)
					flow->live_out[b][w] |= flow->live_in[flow->blocks[b].successors[s]][w];
			changed |= transfer(flow->live_in[b], flow->live_out[b], &borders.sets[b], words);
		}
	}
}
