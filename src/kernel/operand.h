/* What the operands of an instruction are: their roles and widths, and what kind of instruction it is.
 * Everything here is derived from the instruction's row in ops.def and its modifiers. */
#ifndef LOCKSTEP_KERNEL_OPERAND_H
#define LOCKSTEP_KERNEL_OPERAND_H

#include "kernel/insn.h"

#include <stdbool.h>

/* The letter of operand `k` in the shape of the instruction (see shapes.def); 0 when the shape has no such operand. */
char operand_letter(const struct ptx_instruction *instruction, uint32_t k);
/* Whether operand `k` is written: letters d and p, and v in front. */
bool operand_is_destination(const struct ptx_instruction *instruction, uint32_t k);
/* Of which that is so: bit k. */
uint32_t operand_destinations(const struct ptx_instruction *instruction);
/* Whether the instruction also reads what it writes: wgmma adds to its sums. */
bool operand_accumulates(const struct ptx_instruction *instruction);
/* Bytes of the slots that hold a value of a type: 4, 8 or 16; 0 for a predicate. */
uint32_t type_slot_bytes(enum ptx_type type);

/* Whether the spelling begins with this mnemonic, or has this word after it. */
bool op_is(enum op op, const char *mnemonic);
bool op_has(enum op op, const char *word);

enum insn_kind instruction_kind(const struct ptx_instruction *instruction);
enum unit instruction_unit(const struct ptx_instruction *instruction, enum latency_class latency);
enum atomic_op instruction_atomic(const struct ptx_instruction *instruction);

/* Whether it reads a special register that goes on by itself, such as %clock. */
bool instruction_reads_clock(const struct ptx_instruction *instruction);

/* Whether control never goes on to the next instruction: unguarded bra, brx, ret, exit, trap, call of a noreturn
 * function. */
bool instruction_ends_path(const struct ptx_instruction *instruction);
/* A branch, an exit or a return, guarded or not: the last instruction of a block. */
bool instruction_ends_block(const struct ptx_instruction *instruction);

#endif
