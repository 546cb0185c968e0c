/* Basic blocks and edges of a function; the other analyses start from here. */
#include "kernel/bits.h"
#include "kernel/flow_parts.h"
#include "kernel/operand.h"

#include <stdbool.h>
#include <string.h>

/* Where blocks begin: the function's start, every label, and what follows the end of a block. */
static uint32_t mark_leaders(const struct ptx_function *function, bool *leader)
{
	uint32_t count = function->code.count, blocks = 0;
	leader[0] = count > 0;
	for (uint32_t k = 0; k < count; k++) {
		const struct ptx_instruction *i = &function->code.at[k];
		for (uint32_t o = 0; o < i->operand_count; o++) {
			if (i->operand[o].kind == OPERAND_LABEL)
				leader[i->operand[o].target] = true;
			for (uint32_t e = 0; i->operand[o].kind == OPERAND_TABLE && e < i->operand[o].count; e++)
				leader[i->operand[o].element[e].target] = true;
		}
		if (instruction_ends_block(i))
			leader[k + 1] = true;
	}
	for (uint32_t k = 0; k < count; k++)
		blocks += leader[k];
	return blocks;
}

static void make_blocks(struct arena *arena, struct flow *flow)
{
	const struct ptx_function *function = flow->function;
	uint32_t count = function->code.count, block = 0;
	bool *leader = arena_new_array(arena, bool, count + 1);
	flow->block_count = mark_leaders(function, leader);
	flow->blocks = arena_new_array(arena, struct flow_block, flow->block_count);
	flow->block_of = arena_new_array(arena, uint32_t, count);
	for (uint32_t k = 0; k < count; k++) {
		if (leader[k] && k)
			block++;
		if (leader[k])
			flow->blocks[block].first = k;
		flow->blocks[block].count++;
		flow->block_of[k] = block;
	}
}

/* Adds an edge to the block that begins at instruction `target`, unless there is one; the end of the code is the
 * function's end.  `last`, per block: the last block that got an edge to it, counted from 1. */
static void add_successor(struct flow *flow, struct flow_block *from, uint32_t target, uint32_t *last)
{
	if (target >= flow->function->code.count) {
		from->ends = true;
		return;
	}
	uint32_t to = flow->block_of[target], number = (uint32_t)(from - flow->blocks) + 1;
	if (last[to] == number)
		return;
	last[to] = number;
	from->successors[from->successor_count++] = to;
	flow->blocks[to].predecessor_count++;
}

/* The edges out of one block.  Traps and calls that do not come back lead nowhere: were they edges to the end, every
 * assert would keep the branches around it from reconverging. */
static void connect(struct arena *arena, struct flow *flow, struct flow_block *block, uint32_t *last_edge)
{
	uint32_t next = block->first + block->count;
	const struct ptx_instruction *last = &flow->function->code.at[next - 1];
	const struct ptx_operand *table = NULL;
	enum insn_kind kind = instruction_kind(last);
	for (uint32_t o = 0; o < last->operand_count; o++)
		if (last->operand[o].kind == OPERAND_TABLE)
			table = &last->operand[o];
	block->successors = arena_new_array(arena, uint32_t, 2 + (table ? table->count : 0));
	if (kind == INSN_BRANCH)
		add_successor(flow, block, last->operand[0].target, last_edge);
	for (uint32_t e = 0; table && e < table->count; e++)
		add_successor(flow, block, table->element[e].target, last_edge);
	if (kind == INSN_RETURN || kind == INSN_EXIT)
		block->ends = true;
	if (!instruction_ends_path(last))
		add_successor(flow, block, next, last_edge);
}

static void make_edges(struct arena *arena, struct flow *flow)
{
	uint32_t *last_edge = arena_new_array(arena, uint32_t, flow->block_count);
	for (uint32_t b = 0; b < flow->block_count; b++)
		connect(arena, flow, &flow->blocks[b], last_edge);
	for (uint32_t b = 0; b < flow->block_count; b++) {
		flow->blocks[b].predecessors = arena_new_array(arena, uint32_t, flow->blocks[b].predecessor_count);
		flow->blocks[b].predecessor_count = 0;
	}
	for (uint32_t b = 0; b < flow->block_count; b++)
		for (uint32_t s = 0; s < flow->blocks[b].successor_count; s++) {
			struct flow_block *to = &flow->blocks[flow->blocks[b].successors[s]];
			to->predecessors[to->predecessor_count++] = b;
		}
}

struct flow *flow_analyse(struct arena *arena, const struct ptx_function *function)
{
	struct flow *flow = arena_new(arena, struct flow);
	flow->function = function;
	if (function->code.count) {
		make_blocks(arena, flow);
		make_edges(arena, flow);
		flow_find_dominators(arena, flow);
		flow_find_loops(arena, flow);
	}
	flow_find_liveness(arena, flow);
	return flow;
}

bool flow_leaves(const struct flow *flow, const struct flow_loop *loop, uint32_t block)
{
	for (uint32_t s = 0; s < flow->blocks[block].successor_count; s++)
		if (!flow_loop_has(loop, flow->blocks[block].successors[s]))
			return true;
	return false;
}

struct flow_room flow_new_room(const struct flow *flow, struct arena *arena)
{
	return (struct flow_room){.reached = arena_new_array(arena, uint64_t, bits_words(flow->block_count)),
		.stack = arena_new_array(arena, uint32_t, flow->block_count + 1)};
}

uint64_t *flow_reach(const struct flow *flow, struct arena *arena, struct flow_way way)
{
	return flow_reach_in(flow, flow_new_room(flow, arena), way);
}

uint64_t *flow_reach_in(const struct flow *flow, struct flow_room room, struct flow_way way)
{
	uint32_t depth = 0;
	memset(room.reached, 0, bits_words(flow->block_count) * sizeof *room.reached);
	if (way.leaves_first || way.from != way.avoided)
		room.stack[depth++] = way.from;
	if (depth && !way.leaves_first)
		bits_add(room.reached, way.from);
	while (depth) {
		const struct flow_block *block = &flow->blocks[room.stack[--depth]];
		const uint32_t *next = way.backward ? block->predecessors : block->successors;
		uint32_t count = way.backward ? block->predecessor_count : block->successor_count;
		for (uint32_t k = 0; k < count; k++) {
			if (next[k] == way.avoided || bits_has(room.reached, next[k]) ||
				(way.within && !flow_loop_has(way.within, next[k])))
				continue;
			bits_add(room.reached, next[k]);
			room.stack[depth++] = next[k];
		}
	}
	return room.reached;
}

bool flow_can_miss(
	const struct flow *flow, struct flow_room room, const struct flow_loop *loop, uint32_t from, uint32_t missed)
{
	struct flow_way way = {.from = from, .avoided = missed, .leaves_first = true, .within = loop};
	return from != missed && bits_has(flow_reach_in(flow, room, way), loop->header);
}
