/* A kernel ready to launch: one entry and every function it can reach, analysed and decoded into one flat array.
 *
 * How calls work.  A function's `.param` variables (its own formals and the argument blocks of its call sites) and
 * `.local` variables live in its stack frame in local memory; `.reg` values live in its register frame.  A call moves
 * the register frame, the predicate frame and the stack base up by the caller's sizes (extra of the call).  Around
 * every call decode inserts two plain instructions under the call's guard: INSERTED_ARGUMENTS before it writes the
 * callee's formals, which lie above the caller's frame, and INSERTED_RETURNS at the return pc fetches the results from
 * there, where nobody has been since.  Either is left out when there is nothing to copy.  So the machine only moves the
 * bases; but it must have room for one frame more than it allows calls, since the arguments of a call that is too deep
 * are written before the call is refused. Formals lie at the start of the frame (stack or registers) by signature
 * alone, so an indirect call needs no callee's name: parameters, then returns, each naturally aligned.  `ret` in the
 * entry is decoded as `exit`. Frames of diverged lanes may overlap: every lane owns its column.  So a call must make
 * predicate 0 of the new frame true for the calling lanes, and for those only: its word may be another predicate in the
 * frame of lanes that are elsewhere. */
#ifndef LOCKSTEP_KERNEL_KERNEL_H
#define LOCKSTEP_KERNEL_KERNEL_H

#include "kernel/insn.h"
#include "model/model.h"

struct kernel_clocks;

struct kernel_function {
	const struct ptx_function *ptx;
	uint32_t first_pc, count; /* instructions in kernel->code */
	uint32_t slot_count;      /* register slots of a frame (32 bits x lanes each) */
	uint32_t predicate_count; /* including predicate 0, which is all ones */
	uint32_t register_count;  /* 32-bit registers at the widest point, as a compiler would count them */
	uint32_t stack_bytes;     /* .local and .param variables of a frame, 16-byte aligned */
	bool recursive;           /* can reach itself */
	/* Registers that wgmma has for sums or for A, and those to which movs carry them: numbers from 1 on, by the
	 * register's index, 0: it is none; how many.  Null: the function has no wgmma. */
	uint16_t *matrix_number;
	uint32_t matrix_registers;
	/* For debuggers.  Per register: its first slot or, of a predicate, its number; 0xffffffff: no instruction
	 * mentions it.  Per variable of the function: bytes from the frame's stack base, for those that lie there. */
	const uint32_t *slots;
	const uint64_t *stack_offset;
};

/* What some instruction of a kernel does, for which the machine has to be prepared. */
struct kernel_uses {
	bool stack_top;       /* moves the stack's top: see struct warp */
	bool heap;            /* calls malloc or free */
	bool textures;        /* reads a texture */
	bool participants;    /* is participant */
	bool lock_bits;       /* is ldslk or stsul */
	bool register_pool;   /* is setmaxnreg */
	bool waves;           /* is wave.* */
	bool yield;           /* calls __lockstep_yield */
	bool device_wait;     /* calls cudaDeviceSynchronize of CUDA's device runtime */
	const char *firmware; /* a function that it calls and that only firmware may; null: none */
	const char *device;   /* a function of CUDA's device runtime that it calls; null: none */
};

/* The layout of a kernel's shared memory. */
struct kernel_shared {
	uint32_t first;                    /* address of its first byte: above 0 where 0 is NULL */
	uint32_t static_bytes;             /* with what is reserved */
	uint32_t reserved, reserved_bytes; /* for system software, where the kernel asks for it: its address */
	struct shared_place {
		const struct ptx_variable *variable;
		uint32_t offset;
	} * places; /* of .shared variables */
	uint32_t count;
	uint32_t dynamic; /* where extern .shared begins, as an address */
};

/* A thread that comes to this place has passed the barrier for the last time, or in this round of a loop; or it has
 * left it out.  It has not ended early: see behind.c. */
struct kernel_behind {
	uint32_t barrier, mark; /* pcs, of the entry */
	bool is_round;          /* of a loop around the barrier; else of the whole kernel */
	bool is_exact;          /* once there, a thread passes the barrier once at most, as it does the mark */
};
#define KERNEL_BEHIND 64 /* of others nothing is known */

struct kernel {
	const struct ptx_module *module;
	const struct ptx_function *entry;
	uint32_t lanes; /* warp size it was decoded for */
	struct insn *code;
	uint32_t code_count;
	struct kernel_function *functions; /* [0] is the entry */
	uint32_t function_count;
	struct insn_extra *extras; /* [0] unused */

	/* Constant bank: slots of `lanes` words, the same for every warp of a launch, in three parts:
	 * immediates (filled at decode), launch values (grid, block and so on: see launch_constants), kernel parameters
	 * are in parameter memory and read by loads. */
	uint32_t *constants;
	uint32_t constant_words;
	struct launch_constant { /* a constant slot the launch fills in: the same value in every lane */
		uint32_t word;   /* offset in constants of its first lane */
		/* enum ptx_special: NTID NCTAID NWARPID NSMID GRIDID ENVREG NCLUSTERID and the *_SMEM_SIZE */
		uint8_t special;
		uint8_t component;
		uint8_t bytes; /* width of the slot: 4 or 8 */
	} * launch_constants;
	uint32_t launch_constant_count;
	/* a slot of the entry's frame, never reused, that the machine fills when a warp starts */
	struct warp_constant {
		uint32_t word;   /* a slot_ref in the entry's frame, with which the register file begins */
		uint8_t special; /* TID, CTAID, CLUSTERID, LANEID, LANEMASK_* */
		uint8_t component;
		uint8_t bytes; /* width of the slot: 4 or 8 */
	} * warp_constants;    /* functions that are called read these by INSERTED_SPECIAL instead */
	uint32_t warp_constant_count;
	/* 64-bit constant slots holding addresses of module variables; the loader fills them */
	struct variable_address {
		uint32_t word;
		/* .global or .const; shared and function addresses are known at decode */
		const struct ptx_variable *variable;
		int64_t addend;
		uint8_t bytes; /* 4 or 8 */
	} * variable_addresses;
	uint32_t variable_address_count;

	uint32_t slot_count;      /* frames of the deepest non-recursive call chain, the entry's included */
	uint32_t predicate_count; /* likewise */
	uint32_t stack_bytes;     /* likewise, local memory */
	struct kernel_uses uses;
	/* registers of the entry's frame may be read before they are written: they start as 0 */
	bool reads_unwritten;
	struct kernel_clocks *clocks; /* clocks.h; null: it reads no clock */
	bool recursive;               /* some function is: register files are sized by limit.call_depth */
	uint32_t frame_slots_max, frame_predicates_max, frame_stack_max; /* of one frame, for recursion */
	uint32_t registers_per_thread; /* for occupancy; model.registers_override wins in occupancy(), not here */
	struct kernel_shared shared;
	uint32_t parameter_bytes;
	uint32_t *pc_of_function; /* per module function: first pc, or NO_PC when the kernel does not reach it */
	struct kernel_behind *behind;
	uint32_t behind_count;
};

/* Address of a function, as function pointers hold it: the same in every kernel of the module, so that a pointer which
 * one kernel has stored, or an initialiser, can be called from another. */
#define FUNCTION_ADDRESS_BASE 0x100u
#define FUNCTION_ADDRESS_STEP 16u
#define NO_PC 0xffffffffu
static inline uint64_t kernel_function_address(const struct ptx_function *function)
{
	return FUNCTION_ADDRESS_BASE + (uint64_t)function->index * FUNCTION_ADDRESS_STEP;
}
/* The module's function at `address`; null: none. */
const struct ptx_function *kernel_function_at(const struct ptx_module *module, uint64_t address);
/* First pc of the function at `address`; NO_PC when it is no function of this kernel. */
uint32_t kernel_call_target(const struct kernel *kernel, uint64_t address);

/* Why the kernel cannot be launched, "FILE:LINE:COL: kernel ...": all that it can reach and that is not supported.
 * Null: nothing is.  `no_lock_bits`: of a GPU without them, what is to be said of instructions that need them; else
 * null. */
const char *kernel_refusal(struct arena *arena, const struct ptx_module *module, const struct ptx_function *entry,
	const char *no_lock_bits);

/* Analyses and decodes a kernel that is not refused.  Null and an error (with the PTX place) for what cannot be
 * executed: undefined callee, unsupported feature.  `arena` is the program arena. */
struct kernel *kernel_decode(struct arena *arena, const struct ptx_module *module, const struct ptx_function *entry,
	uint32_t lanes, struct diagnostic *diagnostic);

/* The kernel's .shared variable at an address of shared memory; null: none of known size. */
const struct shared_place *kernel_shared_at(const struct kernel *kernel, uint64_t address);

/* Source place of an instruction: .loc when the module has one, else the PTX line.  Of what was inlined from an
 * installed header (/usr, /opt) the place of the call. */
struct place instruction_place(const struct ptx_module *module, const struct ptx_instruction *instruction);
struct place kernel_place(const struct kernel *kernel, uint32_t pc);
struct place kernel_ptx_place(const struct kernel *kernel, uint32_t pc);
/* The calls that lead to an instruction's place, as far as they were inlined: the outermost place first, the one that
 * kernel_place gives last.  Places in installed headers are left out, and all of them count as one where there are no
 * others.  Of more than KERNEL_FRAMES those before the last are left out.  Returns how many: one at least. */
#define KERNEL_FRAMES 8
struct frame {
	struct place place;
	const char
		*function; /* that was inlined and has this place, as linkers name it; null: not known, or none was */
};
uint32_t kernel_frames(const struct kernel *kernel, uint32_t pc, struct frame to[KERNEL_FRAMES]);
/* The same for messages: "app.cu:17 (in wait_for at app.cu:4)". */
const char *kernel_place_text(struct arena *arena, const struct kernel *kernel, uint32_t pc);
/* Whether two instructions have the same source line, as copies of an unrolled loop do. */
bool kernel_same_line(const struct kernel *kernel, uint32_t a, uint32_t b);
/* Likewise, and the same calls around it (kernel_frames). */
bool kernel_same_place(const struct kernel *kernel, uint32_t a, uint32_t b);
/* Appends where an instruction stands, as who wrote the PTX knows it: the nearest label before it, or its function's
 * name, how many instructions behind that, and its line: "LOOP+2:31".  The copying behind a call belongs to what
 * follows. */
struct text;
void kernel_name_pc(struct text *out, const struct kernel *kernel, uint32_t pc);
/* The instruction as PTX text, in `arena`. */
const char *kernel_text(struct arena *arena, const struct kernel *kernel, uint32_t pc);

enum occupancy_limiter { LIMIT_THREADS, LIMIT_GROUPS, LIMIT_REGISTERS, LIMIT_SHARED };
struct occupancy {
	uint32_t groups_per_core;        /* 0: the group does not fit at all */
	uint32_t groups_per_lesser_core; /* on each of the model's lesser.cores */
	uint64_t groups;                 /* on the whole GPU */
	enum occupancy_limiter limiter;
	uint32_t registers_per_thread;          /* as counted, after the override */
	uint32_t group_registers, group_shared; /* that a group takes of a core, in whole units */
};
/* How many registers a thread has when a kernel with setmaxnreg starts; 0: it has none, or nothing fixes the number,
 * and setmaxnreg does nothing.  The number does not depend on the model, unless that has core.registers_override. */
uint32_t kernel_pool_registers(const struct gpu_model *model, const struct kernel *kernel);
/* How many work-groups of `threads` threads and `shared_bytes` bytes (static and dynamic) the model holds at once. */
struct occupancy kernel_occupancy(
	const struct gpu_model *model, const struct kernel *kernel, uint32_t threads, uint32_t shared_bytes);

/* The exec function of an instruction: provided by src/warp (a layer above), installed at start-up, since includes go
 * one way. */
typedef exec_function *exec_lookup(const struct insn *insn, const struct insn_extra *extra, uint32_t lanes);
void kernel_set_exec_lookup(exec_lookup *lookup);

#endif
