/* The lock unit beside shared memory (Fermi and Kepler; paper 3, section 3.1).  It has lock bits: programs take one by
 * ldslk and free it by stsul; atomics of shared memory take one while they last.
 *
 * The bit of a word is the word's index in the core's shared memory modulo the number of bits, so words of two
 * work-groups may share one.  The unit knows no owner: struct lock_bit_taker, which thread took a bit, is for
 * explanations alone.
 *
 * Where atomics are loops of load-and-lock, operation, store-and-unlock (shared.atomic_locks), lanes on one bit go one
 * after another, also those of different warps; the load-store unit is taken for the two accesses of each turn only,
 * and between them other warps have it.  Native atomics take no time for bits.  Both kinds wait for a bit that a
 * program has. */
#ifndef LOCKSTEP_MACHINE_LSU_LOCK_BITS_H
#define LOCKSTEP_MACHINE_LSU_LOCK_BITS_H

#include "machine/state/core.h"
#include "machine/state/launch.h"

/* Of a core. */
struct lock_bits {
	uint32_t count;
	uint64_t *busy_until;         /* of each bit: the last cycle of an atomic's loop; null: atomics are native */
	uint8_t *taken;               /* of each bit, 1: a program has it; null: none has ever asked on this core */
	struct lock_bit_taker *taker; /* of those taken */
	uint32_t taken_count;
};

/* Null where the model has none (shared.lock_bits). */
struct lock_bits *lock_bits_create(const struct gpu_model *model, struct arena *arena);
/* A core's; null likewise. */
struct lock_bits *lock_bits_of(const struct core *core);
/* Where the work-group's shared memory is to lie in the core's: the first gap that is large enough. */
uint32_t lock_bits_place(const struct core *core, const struct group *group);
/* Where the word at this address of the group's shared memory lies in the core's: bytes. */
uint32_t lock_bits_word(const struct group *group, uint64_t address);
/* The bit of a word of a group, at this address of its shared memory. */
uint32_t lock_bits_bit(const struct lock_bits *bits, const struct group *group, uint64_t address);

/* The thread that has the bit of the word at this address of the group's shared memory; null: no program has it. */
const struct lock_bit_taker *lock_bits_taker(const struct core *core, const struct group *group, uint64_t address);
/* Frees that bit, as a thread would: for experiments. */
void lock_bits_release(struct core *core, const struct group *group, uint64_t address);

/* ---- Programs ---- */

/* ldslk: the lanes that get their bits, the lowest of those on one bit.  `address`: of each lane, in the group's shared
 * memory. */
lane_mask lock_bits_take(struct core *core, const struct operation *op);
/* stsul: frees the bits of the lanes, whoever has them. */
void lock_bits_free(struct core *core, const struct operation *op);
/* All threads of the group have ended: the bits that it has taken are freed, and noted in core_launch.left_bits. */
void lock_bits_end_group(struct core *core, struct group *group);
/* Those that the groups of a launch had when they ended: how many, and the first. */
struct drop lock_bits_left(const struct launch *launch);

/* ---- Atomics ---- */

/* Those of the lanes whose bit a program has: they must wait. */
lane_mask lock_bits_stop(struct core *core, const struct group *group, const uint64_t *address, lane_mask lanes);
/* Cycles that an atomic which is a loop needs of the load-store unit: two accesses for each lane on its most wanted
 * bit, or for each of the `bank_cycles` passes of the banks, whichever are more. */
uint32_t lock_bits_cycles(uint32_t count, const uint64_t *address, lane_mask lanes, uint32_t bank_cycles);
/* Takes the bits of an atomic that is a loop and is served by the load-store unit now, each when it is free and for
 * shared.atomic_interval cycles; returns the cycle at which the last is given back. */
uint64_t lock_bits_pass(struct core *core, struct lock_bits *bits, const struct operation *op);

#endif
