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

/* All of the loop of `a`, which has that and its `flow`: each_block (b, a) ..., each_pc (k, a) .... */
#define each_block(b, a)                                                                                               \
	for (uint32_t at_ = 0, b; at_ < (a)->loop->block_count && (b = (a)->loop->blocks[at_], true); at_++)
#define each_pc(k, a)                                                                                                  \
	each_block(b_, a) for (uint32_t k = (a)->flow->blocks[b_].first;                                               \
			       k < (a)->flow->blocks[b_].first + (a)->flow->blocks[b_].count; k++)

/* As bits, the blocks that are reached from `from` without entering `avoided`, `from` itself included: along the edges,
 * or against them; within the loop where one is given, whose header is reached, but not gone on from. */
struct flow_way {
	uint32_t from, avoided; /* NO_BLOCK: none */
	bool backward;
	const struct flow_loop *within;
};
uint64_t *flow_reach(const struct flow *flow, struct arena *arena, struct flow_way way);

/* Registers read and written by an instruction: calls `visit` per register, reads first; guards are reads; a guarded
 * write also reads, since lanes whose guard is false keep what was there. */
void flow_registers(const struct ptx_instruction *instruction,
	void (*visit)(void *context, struct ptx_register *reg, bool is_write), void *context);

#endif
