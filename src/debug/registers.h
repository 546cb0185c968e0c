/* The registers of a function as its instructions see them: where the values lie in a warp's register file, and whether
 * a register has its own value at an instruction, since registers that are not alive at the same time share slots. */
#ifndef LOCKSTEP_DEBUG_REGISTERS_H
#define LOCKSTEP_DEBUG_REGISTERS_H

#include "kernel/kernel.h"

struct registers;

/* For questions about one function of the kernel, `function` being insn.function; one thread at a time may ask.  Never
 * null. */
const struct registers *registers_of(struct arena *arena, const struct kernel *kernel, uint32_t function);

/* Whether the register has its value before the instruction, an index into the function's code, executes: the value is
 * read there or later; or every way there has assigned it, and nothing else can have taken its slot since. */
bool registers_hold(const struct registers *registers, const struct ptx_register *reg, uint32_t instruction);

/* Where it lies, as an operand of an instruction would say it: relative to the function's frame.  SLOT_NONE: no
 * instruction mentions it, or it is a predicate. */
slot_ref registers_slot(const struct registers *registers, const struct ptx_register *reg);
/* Likewise the number of a predicate; NO_PREDICATE. */
uint16_t registers_predicate(const struct registers *registers, const struct ptx_register *reg);

/* Bytes from the stack base of the function's frame to one of its .local or .param variables; false: it does not lie
 * there (the parameters of a kernel, shared variables). */
bool registers_frame_offset(const struct registers *registers, const struct ptx_variable *variable, uint64_t *offset);

#endif
