/* Control flow of one PTX function: basic blocks, immediate post-dominators, loops, liveness. */
#ifndef LOCKSTEP_KERNEL_FLOW_H
#define LOCKSTEP_KERNEL_FLOW_H

#include "ptx/module.h"

#define NO_BLOCK 0xffffffffu

struct flow_block {
	uint32_t first, count; /* instructions */
	uint32_t *successors;
	uint32_t successor_count;
	uint32_t *predecessors;
	uint32_t predecessor_count;
	/* may leave the function: ret, exit (guarded ones too), falling off; not trap or a noreturn call */
	bool ends;
	uint32_t post_dominator; /* block, or NO_BLOCK: the function's end */
	uint32_t dominator;      /* block, or NO_BLOCK for the first and for unreachable ones */
	uint32_t loop;           /* innermost loop, index into flow.loops, or NO_BLOCK */
};

struct flow_loop {
	uint32_t header;  /* block */
	uint32_t parent;  /* enclosing loop or NO_BLOCK */
	uint32_t *blocks; /* ascending */
	uint32_t block_count;
};

struct flow {
	const struct ptx_function *function;
	struct flow_block *blocks; /* [0] holds the first instruction */
	uint32_t block_count;
	uint32_t *block_of; /* per instruction */
	/* inner ones first; those that the search could afford (loops.c), which is all of any but a huge knot */
	struct flow_loop *loops;
	uint32_t loop_count;
	struct ptx_register **live; /* those that live across a border of blocks, which are few beside all, by index */
	uint32_t live_count;
	uint64_t **live_out; /* per block: bit set over `live` */
	uint64_t **live_in;
	uint64_t steps; /* what the walks over blocks and edges took: in proportion to the code, whatever its shape */
};

/* Analyses a function; never fails.  All in `arena`. */
struct flow *flow_analyse(struct arena *arena, const struct ptx_function *function);

/* Whether the block is in the loop. */
bool flow_loop_has(const struct flow_loop *loop, uint32_t block);
/* Whether an edge leads from the block out of the loop. */
bool flow_leaves(const struct flow *flow, const struct flow_loop *loop, uint32_t block);
/* A block's last instruction: every block has one. */
static inline const struct ptx_instruction *flow_last(const struct flow *flow, uint32_t block)
{
	return &flow->function->code.at[flow->blocks[block].first + flow->blocks[block].count - 1];
}

/* The n-th block of the loop; null: of the function.  NO_BLOCK: it has fewer. */
static inline uint32_t flow_block_at(const struct flow *flow, const struct flow_loop *loop, uint32_t n)
{
	if (n >= (loop ? loop->block_count : flow->block_count))
		return NO_BLOCK;
	return loop ? loop->blocks[n] : n;
}
/* All blocks, or instructions, of a loop; null: of the function. */
#define each_block(b, flow, loop) for (uint32_t at_ = 0, b; (b = flow_block_at((flow), (loop), at_)) != NO_BLOCK; at_++)
#define each_pc(k, flow, loop)                                                                                         \
	each_block(b_, flow, loop) for (uint32_t k = (flow)->blocks[b_].first;                                         \
					k < (flow)->blocks[b_].first + (flow)->blocks[b_].count; k++)

/* As bits, the blocks that are reached from `from` without entering `avoided`: along the edges, or against them. */
struct flow_way {
	uint32_t from, avoided; /* NO_BLOCK: none */
	bool backward;
	bool leaves_first;              /* `from`, which may be `avoided`, counts only if it is reached again */
	const struct flow_loop *within; /* null: the whole function */
};
uint64_t *flow_reach(const struct flow *flow, struct arena *arena, struct flow_way way);

/* Memory for such walks that is used again and again: the result is good until the next. */
struct flow_room {
	uint64_t *reached;
	uint32_t *stack;
};
struct flow_room flow_new_room(const struct flow *flow, struct arena *arena);
uint64_t *flow_reach_in(const struct flow *flow, struct flow_room room, struct flow_way way);

/* Whether a turn of the loop may go on from the block to the header without passing the block `missed`. */
bool flow_can_miss(
	const struct flow *flow, struct flow_room room, const struct flow_loop *loop, uint32_t from, uint32_t missed);

#endif
