/* Functional mode with a seed: how long each turn is, where it ends, and which warps and cores take turns.
 *
 * Kernels that synchronise badly fail in few orders, and no single way to draw an order finds them all: some need warps
 * that alternate at each access, others need one warp that stays far behind.  So a run is divided into spells of some
 * rounds, and each spell draws its own way.  A spell ends soon, so each warp runs again. */
#ifndef LOCKSTEP_MACHINE_GPU_DRAWN_H
#define LOCKSTEP_MACHINE_GPU_DRAWN_H

#include "kernel/insn.h"
#include "machine/state/drawn.h"

/* `on`: the seed is not 0. */
void drawn_begin(struct drawn *drawn, uint64_t seed, bool on);
/* Each round, before turns are taken. */
void drawn_begin_round(struct drawn *drawn);
/* How many instructions the next turn has at most. */
uint32_t drawn_length(struct drawn *drawn);
/* Whether the turn ends before this instruction, which is not its first. */
bool drawn_end_before(struct drawn *drawn, const struct insn *i);
/* The core's warps of `ready` from which the next turn's is chosen. */
uint64_t drawn_choose_from(const struct drawn *drawn, uint32_t core, uint64_t ready);
/* Whether the core takes turns only if no other core can. */
bool drawn_pause(const struct drawn *drawn, uint32_t core);
/* Where the core comes among those of which one takes all turns: the least that can. */
uint64_t drawn_rank(const struct drawn *drawn, uint32_t core);
/* Whether the core comes before those for which this is false, in this round. */
bool drawn_early(const struct drawn *drawn, uint32_t core);
/* Which of so many other paths of a warp begins its turn, from 1 on; 0: the path that ran last. */
uint32_t drawn_path(struct drawn *drawn, uint32_t others);

#endif
