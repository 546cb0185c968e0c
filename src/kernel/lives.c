/* Lives of registers, gathered backwards through the blocks.  Whether a result may overlap a source that dies in the
 * same instruction: see assign.c. */
#include "kernel/lives.h"

#include "kernel/bits.h"
#include "kernel/operand.h"
#include "kernel/registers.h"

struct gather {
	struct arena *arena;
	struct life *lives; /* per register */
	uint64_t *live;
	const uint64_t *open; /* what is alive now, at the start of the block before: of flow->live; null: nothing */
	uint32_t *end;        /* per live register: where the segment being gathered ends */
};

static void open_life(struct gather *g, struct ptx_register *reg, uint32_t end)
{
	if (bits_has(g->live, reg->index))
		return;
	bits_add(g->live, reg->index);
	g->end[reg->index] = end;
}

static void close_life(struct gather *g, struct ptx_register *reg, uint32_t start)
{
	struct life *life = &g->lives[reg->index];
	uint32_t end = g->end[reg->index];
	bits_remove(g->live, reg->index);
	life->reg = reg;
	if (life->segments.count && life->segments.at[life->segments.count - 1].start <= end) {
		life->segments.at[life->segments.count - 1].start = start;
		return;
	}
	*vector_push(g->arena, &life->segments) = (struct segment){start, end};
}

/* Whether results may be written over sources that die here. */
static bool goes_lane_by_lane(const struct ptx_instruction *instruction)
{
	uint32_t width = 0;
	if (ptx_ops[instruction->op].kind != OP_KIND_LANE)
		return false;
	for (uint32_t k = 0; k < instruction->operand_count; k++)
		if (instruction->operand[k].kind == OPERAND_VECTOR || instruction->operand[k].kind == OPERAND_SPECIAL ||
			(instruction->operand[k].kind == OPERAND_REGISTER &&
				instruction->operand[k].reg->type == TYPE_PRED))
			return false;
	for (struct register_use use = {.of = instruction}; register_next(&use);) {
		uint32_t bytes = type_slot_bytes(use.reg->type);
		if (bytes && width && bytes != width)
			return false;
		width = bytes ? bytes : width;
	}
	return true;
}

/* Backwards: what the instruction writes, then what it reads. */
static void gather_instruction(
	struct gather *g, const struct ptx_instruction *i, uint32_t number, struct assignment *assignment)
{
	uint32_t write_position = 2 * number + goes_lane_by_lane(i);
	/* some result, of those some predicate, is read later; there are results, predicates among them */
	bool used = false, used_predicate = false, any = false, any_predicate = false;
	for (struct register_use use = {.of = i}; register_next(&use);) {
		bool is_live = bits_has(g->live, use.reg->index), is_predicate = use.reg->type == TYPE_PRED;
		if (!use.is_write)
			continue;
		any = true;
		used |= is_live;
		any_predicate |= is_predicate;
		used_predicate |= is_predicate && is_live;
		open_life(g, use.reg, 2 * number + 2); /* a dead result still occupies its slot while it is written */
		close_life(g, use.reg, write_position);
	}
	for (struct register_use use = {.of = i}; register_next(&use);)
		if (!use.is_write)
			open_life(g, use.reg, 2 * number + 1);
	assignment->dead_result[number] = any && !used;
	assignment->dead_predicate[number] = any_predicate && !used_predicate;
}

/* From the start of the next block, whose live-ins are alive, back to the end of this one: most lives continue. */
static void cross_to(struct gather *g, const struct flow *flow, const uint64_t *live_out, uint32_t position)
{
	for (uint32_t word = 0; word < bits_words(flow->live_count); word++) {
		uint64_t now = g->open ? g->open[word] : 0, out = live_out[word];
		for (uint64_t left = now & ~out; left; left &= left - 1)
			close_life(g, flow->live[64 * word + (uint32_t)__builtin_ctzll(left)], position);
		for (uint64_t left = out & ~now; left; left &= left - 1)
			open_life(g, flow->live[64 * word + (uint32_t)__builtin_ctzll(left)], position);
	}
}

static void gather_block(
	struct gather *g, const struct flow *flow, const struct flow_block *block, struct assignment *assignment)
{
	uint32_t number = (uint32_t)(block - flow->blocks), end = block->first + block->count;
	cross_to(g, flow, flow->live_out[number], 2 * end);
	for (uint32_t k = end; k-- > block->first;)
		gather_instruction(g, &flow->function->code.at[k], k, assignment);
	g->open = flow->live_in[number];
}

struct life *lives_gather(struct arena *arena, const struct flow *flow, struct assignment *assignment)
{
	uint32_t count = flow->function->registers.count;
	struct gather g = {.arena = arena};
	g.lives = arena_new_array(arena, struct life, count);
	g.live = arena_new_array(arena, uint64_t, bits_words(count));
	g.end = arena_new_array(arena, uint32_t, count);
	for (uint32_t b = flow->block_count; b-- > 0;) /* they follow one another, from instruction 0 on */
		gather_block(&g, flow, &flow->blocks[b], assignment);
	for_each_bit(r, g.open, g.open ? flow->live_count : 0) close_life(&g, flow->live[r], 0);
	for (uint32_t r = 0; r < count; r++) {
		struct life *life = &g.lives[r];
		for (uint32_t s = 0; s < life->segments.count / 2; s++) {
			struct segment other = life->segments.at[life->segments.count - 1 - s];
			life->segments.at[life->segments.count - 1 - s] = life->segments.at[s];
			life->segments.at[s] = other;
		}
	}
	return g.lives;
}

uint32_t lives_first_behind(const struct life *life, uint32_t position)
{
	uint32_t low = 0, high = life->segments.count;
	while (low < high) {
		uint32_t middle = (low + high) / 2;
		if (life->segments.at[middle].end > position)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

bool lives_at(const struct life *life, uint32_t position)
{
	uint32_t at = lives_first_behind(life, position);
	return at < life->segments.count && life->segments.at[at].start <= position;
}
