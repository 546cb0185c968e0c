/* The decoder's working state and its parts; private to src/kernel. */
#ifndef LOCKSTEP_KERNEL_DECODE_H
#define LOCKSTEP_KERNEL_DECODE_H

#include "kernel/assign.h"
#include "kernel/flow.h"
#include "kernel/kernel.h"
#include "kernel/operand.h"

/* One function while it is decoded; parallel to kernel->functions. */
struct function_state {
	const struct ptx_function *ptx;
	struct flow *flow;
	struct assignment *slots;
	uint64_t *stack_offset; /* per function-scope variable: bytes from the frame's stack base (.local, .param) */
	uint32_t *pc_of;        /* per instruction, and one past the last: its first pc */
	uint32_t temporaries;   /* most slots that inserted instructions need beside the assigned ones */
};

struct decoder {
	struct arena *arena;
	struct diagnostic *diagnostic;
	const struct ptx_module *module;
	struct kernel *kernel;
	VECTOR(struct insn) code;
	VECTOR(struct insn_extra) extras;
	VECTOR(uint32_t) constants;
	VECTOR(struct launch_constant) launch_constants;
	VECTOR(struct warp_constant) warp_constants;
	VECTOR(struct variable_address) variable_addresses;
	VECTOR(struct shared_place) shared;
	struct map immediates;

	VECTOR(struct function_state) functions; /* [0] the entry */
	uint32_t *index_of;                      /* per module function: index above, or NO_FUNCTION */

	/* The function and instruction at hand */
	struct function_state *function;
	uint32_t function_index, instruction, temporary;
};
#define NO_FUNCTION 0xffffffffu

void decode_error(struct decoder *d, const struct ptx_instruction *instruction, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* reach.c: the entry and every function that it can reach, in order of discovery. */
void reach_functions(struct decoder *d);

/* layout.c: where variables live. */
void layout_shared(struct decoder *d);
void layout_stack(struct decoder *d, struct function_state *function);
uint64_t layout_shared_offset(const struct decoder *d, const struct ptx_variable *variable);
/* Byte offset of the k-th .param formal (parameters, then returns) by signature alone. */
uint64_t formal_offset(const struct ptx_prototype *signature, uint32_t formal);
/* Frames of the deepest chain of calls, recursion, the largest frame. */
void layout_frames(struct decoder *d);
/* Whether an indirect call may be of the function. */
bool layout_calls(const struct decoder *d, const struct ptx_instruction *instruction, uint32_t callee);

/* constants.c: slots of the constant bank. */
slot_ref constant_bits(struct decoder *d, uint32_t bytes, uint64_t low, uint64_t high);
slot_ref constant_launch(struct decoder *d, enum ptx_special special, uint32_t component, uint32_t bytes);
slot_ref constant_address(struct decoder *d, const struct ptx_variable *variable, int64_t addend, uint32_t bytes);
/* An immediate as an operand of a type needs it. */
slot_ref constant_immediate(struct decoder *d, const struct ptx_operand *operand, enum ptx_type type);

/* special.c: special registers. */
/* Gives the entry a slot for every special register of a warp that it reads; before assign_slots.  Returns how many
 * slots. */
uint32_t special_reserve(struct decoder *d, const struct ptx_function *entry);
/* A slot that holds the special register, by an inserted instruction where none does. */
slot_ref special_slot(struct decoder *d, const struct ptx_operand *operand, uint32_t bytes);
/* Whether a slot holds it without one. */
bool special_has_slot(const struct decoder *d, const struct ptx_operand *operand);

/* decode_operands.c: operands to slots. */
/* A slot of the frame for a value of `bytes` bytes. */
slot_ref slot_reference(const struct decoder *d, uint32_t slot, uint32_t bytes);
slot_ref register_slot(const struct decoder *d, const struct ptx_register *reg);
slot_ref source_slot(struct decoder *d, const struct ptx_instruction *instruction, const struct ptx_operand *operand,
	enum ptx_type type, uint8_t *bytes);
slot_ref address_slot(struct decoder *d, const struct ptx_instruction *instruction, const struct ptx_variable *variable,
	int64_t offset, uint32_t bytes);
slot_ref temporary_slot(struct decoder *d, uint32_t bytes);
void decode_operands(struct decoder *d, const struct ptx_instruction *instruction, struct insn *insn);
/* Operand k, a register that is written. */
void decode_destination(struct decoder *d, const struct ptx_instruction *instruction, uint32_t k, struct insn *insn);
/* The predicate source. */
void decode_predicate(struct decoder *d, const struct ptx_operand *operand, struct insn *insn);
void decode_guard(struct decoder *d, const struct ptx_instruction *instruction, struct insn *insn);
/* The vector part of the instruction's extra, made when it has none. */
struct insn_extra *decode_extra(struct decoder *d, struct insn *insn);
/* Whether a variable lives in the frame of a device function (or is .local of the entry), and where. */
bool variable_in_frame(const struct decoder *d, const struct ptx_variable *variable);
uint64_t frame_offset(const struct decoder *d, const struct ptx_variable *variable);

/* decode_memory.c, decode_matrix.c, decode_call.c */
/* The base, the space and the offset of a memory operand. */
void decode_address(struct decoder *d, const struct ptx_instruction *instruction, const struct ptx_operand *address,
	struct insn *insn);
void decode_access(struct decoder *d, const struct ptx_instruction *instruction, struct insn *insn);
void decode_async(struct decoder *d, const struct ptx_instruction *instruction, struct insn *insn);
void decode_copy(struct decoder *d, const struct ptx_instruction *instruction, struct insn *insn);
void decode_fence(struct decoder *d, const struct ptx_instruction *instruction, struct insn *insn);
void decode_map_copy(struct decoder *d, const struct ptx_instruction *instruction, struct insn *insn);
/* A call of a function that the machine provides, begun as an instruction of this kind: arguments and results are in
 * its extra. */
struct insn *decode_provided(struct decoder *d, const struct ptx_instruction *instruction,
	const struct ptx_function *function, enum insn_kind kind);
/* decode_provided.c.  Decodes a call of a lock instruction, or of a function that the module does not define: the
 * machine provides it, or that is an error.  False: it is neither. */
bool decode_by_machine(
	struct decoder *d, const struct ptx_instruction *instruction, const struct ptx_function *function);
/* Whether the function is one of the lock instructions: a call of it is one, even where the module defines it (for GPUs
 * that have none). */
bool is_lock_function(const struct ptx_function *function);
void decode_matrix(struct decoder *d, const struct ptx_instruction *instruction, struct insn *insn);
void decode_warpgroup(struct decoder *d, const struct ptx_instruction *instruction, struct insn *insn);
void decode_lock_bit(struct decoder *d, const struct ptx_instruction *instruction, struct insn *insn);
void decode_mbarrier(struct decoder *d, const struct ptx_instruction *instruction, struct insn *insn);
void decode_call(struct decoder *d, const struct ptx_instruction *instruction);
/* decode_image.c: textures and queries; and of surfaces the handle and the coordinates, as decode_access needs them. */
void decode_texture(struct decoder *d, const struct ptx_instruction *instruction, struct insn *insn);
void decode_image_query(struct decoder *d, const struct ptx_instruction *instruction, struct insn *insn);
void decode_image(struct decoder *d, const struct ptx_instruction *instruction, const struct ptx_operand *image,
	struct insn *insn);
/* Sizes of frames in the extras of calls, once all functions are decoded. */
void decode_call_frames(struct decoder *d);

/* matrix_registers.c: numbers the registers of wgmma, and marks what touches them. */
void mark_matrix_registers(struct decoder *d);
/* behind.c: the places behind the barriers of the entry. */
void find_behind_barriers(struct decoder *d);

/* scoreboard.c: what is done last for each instruction. */
void decode_scoreboard(struct decoder *d, struct insn *insn);

/* decode.c: a new instruction at the end of the code, with place and function filled in.  The pointer is good until the
 * next. */
struct insn *decode_push(struct decoder *d, enum op op, enum insn_kind kind);

/* pressure.c: fills in register_count of every function and returns that of the kernel; after layout_frames, which
 * knows what is recursive. */
uint32_t pressure_with_calls(const struct decoder *d);

#endif
