/* The registers that instructions read and write, and sets of registers: bits by their index in the function. */
#ifndef LOCKSTEP_KERNEL_REGISTERS_H
#define LOCKSTEP_KERNEL_REGISTERS_H

#include "kernel/flow.h"

/* Each register that an instruction reads, then each that it writes.  A guard is read; so is a register that is written
 * under a guard, since lanes whose guard is false keep what was there, and one to which the instruction adds:
 *     for (struct register_use use = {.of = i}; register_next(&use);) visit(use.reg, use.is_write); */
struct register_use {
	const struct ptx_instruction *of;
	struct ptx_register *reg;
	bool is_write;
	/* private to register_next */
	bool writes_next; /* the register, which is written, has been read, and is written next */
	uint32_t list, operand, element, destinations;
};
bool register_next(struct register_use *use);

/* Whether the instruction reads a register of the set; only such registers; or writes one. */
bool registers_read_any(const struct ptx_instruction *i, const uint64_t *set);
bool registers_read_only(const struct ptx_instruction *i, const uint64_t *set);
bool registers_write_any(const struct ptx_instruction *i, const uint64_t *set);
/* Adds what the instruction writes, or reads.  Whether the set has grown. */
bool registers_add_written(const struct ptx_instruction *i, uint64_t *set);
bool registers_add_read(const struct ptx_instruction *i, uint64_t *set);
void registers_remove_written(const struct ptx_instruction *i, uint64_t *set);

/* Adds what is computed from the set in a loop; null: in the function. */
void registers_spread(const struct flow *flow, const struct flow_loop *loop, uint64_t *set);

/* Adds each register of which all writers in the loop, or function, keep what the set promises.  This is the least such
 * set: what is computed from itself, as a counter is, never gets in.  `room`: for two sets. */
typedef bool registers_keep(const struct ptx_instruction *i, const uint64_t *set);
void registers_spread_kept(
	const struct flow *flow, const struct flow_loop *loop, uint64_t *set, registers_keep *keeps, uint64_t *room);

#endif
