/* A decoded instruction: fixed size, everything looked up, ready to execute.
 *
 * Immediates, special registers that do not change and kernel constants are slots too, in the launch's constant bank,
 * so a lane body never asks what kind its operand is.  Predicates are lane masks in a separate small file. */
#ifndef LOCKSTEP_KERNEL_INSN_H
#define LOCKSTEP_KERNEL_INSN_H

#include "kernel/kinds.h"
#include "ptx/matrix.h"
#include "ptx/module.h"

#include <stdint.h>

/* One bit per lane; bit l is lane l.  Warps are 32 or 64 lanes wide. */
typedef uint64_t lane_mask;

/* Runs the body for every lane of a mask, lowest first; `lane` is declared by it. */
#define EACH_LANE(lane, lanes)                                                                                         \
	for (lane_mask lane##_rest = (lanes), lane;                                                                    \
		lane##_rest && (lane = (lane_mask)__builtin_ctzll(lane##_rest), true); lane##_rest &= lane##_rest - 1)

struct warp;
struct insn;

/* Executes one instruction for the lanes in `active` (never empty): reads and writes registers and predicates of `w`,
 * nothing else.  The program counter is the machine's affair. */
typedef void exec_function(struct warp *w, const struct insn *i, lane_mask active);

/* Where a source or destination lives: bank in the two highest bits (0: the frame's narrow registers, SLOT_WIDE: its
 * wide ones, SLOT_CONSTANT: launch constants), word offset below, already multiplied by the warp size: slot s of width
 * W lanes begins at word s * W.  A 64-bit register takes two consecutive slots holding uint64_t[W]; a 128-bit one four:
 * low halves uint64_t[W], then high halves.  8- and 16-bit registers take a whole slot of uint32_t[W], zero-extended.
 *
 * Narrow and wide registers have banks of their own, though slots are numbered together, because slots are shared by
 * registers that are not live at the same time in one lane.  Lanes on diverged paths use a shared slot at the same
 * time, each its own column; in one bank the columns of uint32_t[W] and uint64_t[W] would not be the same bytes. */
typedef uint32_t slot_ref;
#define SLOT_CONSTANT 0x80000000u
#define SLOT_WIDE 0x40000000u
#define SLOT_OFFSET 0x3fffffffu /* the bits of the word offset */
#define SLOT_NONE 0x7fffffffu   /* absent operand, or a sink */

/* What decode made of an operand or a call beyond the written instruction; exec comes from frame_exec_lookup
 * (warp/frame.h), never from the row.  Kind is INSN_PLAIN, or INSN_CLOCK for a special register that depends on time or
 * place. */
enum insn_inserted {
	INSERTED_NONE,
	INSERTED_SPECIAL,       /* d = special register `special`, `component`: also a written mov */
	INSERTED_STACK_ADDRESS, /* d = the frame's stack base + offset: the address of a .local or .param variable */
	INSERTED_ARGUMENTS,     /* before a call: the extra's `arguments`, caller's frame to callee's */
	INSERTED_RETURNS,       /* behind a call, at its return pc: the extra's `returns`, callee's frame to caller's */
};

/* Execution units: what is busy for interval cycles. */
enum unit {
	UNIT_ALU,
	UNIT_INT /* chosen by the machine where the model has one */,
	UNIT_SFU,
	UNIT_DP,
	UNIT_MEMORY,
	UNIT_CONTROL,
	UNIT_COUNT
};

/* Flags of struct insn. */
enum {
	INSN_BACKWARD = 1 << 0, /* branch to a lower pc: a loop's back edge */
	INSN_LOCK_TRY = 1 << 1, /* an attempt to take a lock: in a loop whose exit depends on its result (attempt.h) */
	/* back edge of a polling loop: exit depends on a loaded value, nothing else changes */
	INSN_WAIT_BRANCH = 1 << 2,
	INSN_GUARDED = 1 << 3,     /* has a guard predicate */
	INSN_NO_RESULT = 1 << 4,   /* atomic whose result is not used (red, or dead destination) */
	INSN_UNIFORM = 1 << 5,     /* .uni */
	INSN_SIGNED = 1 << 6,      /* load: sign-extend into a wider register */
	INSN_LOOP_BRANCH = 1 << 7, /* from a loop to its header, which the compiler may have put behind it */
	/* likewise, of a loop that tries to take a lock or polls, as spin.h finds or a hint says */
	INSN_SPIN_BRANCH = 1 << 8,
	INSN_HINTED_BRANCH = 1 << 9, /* likewise, of the innermost loop around a __lockstep_spin() */
	/* INSN_LOCK_TRY of one thread for its whole work-group: any thread of it may release the lock */
	INSN_GROUP_TRY = 1 << 10,
	/* a mov between a pair and its halves that machine code does not have (pairs.h): it takes no issue */
	INSN_VANISHES = 1 << 11,
	/* INSN_LOCK_TRY by an exchange that fails only if it finds what it puts: any other value is a free lock's */
	INSN_TAKES_ANY = 1 << 12,
	/* reads or writes a register of wgmma, or one that has its value by movs (struct kernel_function) */
	INSN_OF_MATRICES = 1 << 13,
	INSN_BEHIND = 1 << 14,     /* a mark of struct kernel_behind */
	INSN_ENDS_ALONE = 1 << 15, /* INSN_BACKWARD, within a loop that ends by itself (spin.h) */
};

/* A memory access as the machine needs it. */
struct insn_access {
	uint8_t space; /* space_NONE (generic), GLOBAL, SHARED, LOCAL, CONST, PARAM (device-function frames: LOCAL after
			* decode); SURFACE: s[0] is a handle and the extra has coordinates, which become global
			* addresses */
	uint8_t bytes; /* of one element: 1 2 4 8 16 */
	uint8_t elements; /* 1 2 4 8 */
	uint8_t order;    /* order_... as written; order_NONE is weak */
	uint8_t scope;    /* scope_... ; NONE: default of the instruction */
	uint8_t cache;    /* cache_... as written */
	uint8_t atomic;   /* enum atomic_op */
	uint8_t type;     /* enum ptx_type of an element */
	/* LOCAL only, 1: base + offset counts from the frame's stack base; 0: from the lane's local memory */
	uint8_t in_frame;
	/* width of the slots loaded into or stored from, 4 8 16: a load extends, a store takes the low bytes */
	uint8_t register_bytes;
	uint8_t patience; /* INSN_ACQUIRE: enum lock_patience */
	uint8_t cluster;  /* SHARED only, 1: of any group of the cluster */
};

enum atomic_op {
	ATOMIC_NONE,
	ATOMIC_EXCH,
	ATOMIC_CAS,
	ATOMIC_ADD,
	ATOMIC_MIN,
	ATOMIC_MAX,
	ATOMIC_INC,
	ATOMIC_DEC,
	ATOMIC_AND,
	ATOMIC_OR,
	ATOMIC_XOR,
	ATOMIC_TAKE,   /* of a semaphore: one less where it is above zero */
	ATOMIC_ADD_FTZ /* of no instruction: what ATOMIC_ADD of .f32 is in global memory (atomic_in_global) */
};

/* For how long an INSN_ACQUIRE goes on trying. */
enum lock_patience {
	PATIENCE_FOREVER, /* lock, wait */
	PATIENCE_NONE,    /* try_lock: one attempt */
	PATIENCE_TIMED,   /* try_lock_for: the cycles of its second argument */
};

/* What an INSN_FIRMWARE asks of the control processor: its `component`. */
enum firmware_call {
	FIRMWARE_DISPATCH,
	FIRMWARE_FREE,
	FIRMWARE_OUTSTANDING,
	FIRMWARE_WAIT,
	FIRMWARE_TAKE,
	FIRMWARE_RESTART,
	FIRMWARE_CALLS
};

#define INSN_SOURCES 5
#define INSN_SCOREBOARD 8

/* The registers whose values an instruction waits for. */
struct insn_scoreboard {
	uint8_t count; /* entries below: the first `writes` are destinations, the rest sources */
	uint8_t writes;
	uint8_t updated; /* bit k: destination k is a source, too */
	/* Frame-relative register slot s: s; predicate p: SCOREBOARD_PREDICATE | p; warp constants and launch constants
	 * never appear.  A destination lists every slot it covers, so that a later owner of one of them cannot be
	 * overtaken; a source only its first.  Sources that do not fit: see insn.extra. */
	uint16_t slot[INSN_SCOREBOARD];
};

struct insn {
	exec_function *exec;
	uint16_t op;     /* enum op */
	uint8_t kind;    /* enum insn_kind */
	uint8_t unit;    /* enum unit */
	uint8_t latency; /* enum latency_class */
	/* enum ptx_type, as written; isspacep, written without one: U32 or U64 as its operand is */
	uint8_t type, type2, type3;
	uint16_t flags;           /* INSN_... */
	uint16_t guard;           /* predicate register of the guard; predicate 0 is always all lanes */
	uint16_t guard_invert;    /* 1: @!p */
	slot_ref d;               /* destination; a predicate destination is pd instead */
	slot_ref s[INSN_SOURCES]; /* sources in the shape's order (predicate sources of selp, setp, vote left out: see
				   * ps); for memory s[0] is the address base (a 64-bit constant zero when none), then
				   * the values; of a branch by brx.idx the index; of an indirect call the function's
				   * address.  Rows of type .pred (and.pred, mov.pred ...) hold predicate numbers here,
				   * with PREDICATE_INVERT for !p */
	uint16_t pd, pd2;         /* predicate destinations, 0xffff: none (p|q of setp, d|p of shfl) */
	uint16_t ps;              /* predicate source (selp, vote, setp's boolean), 0 (all lanes) when none */
	uint16_t ps_invert;       /* 1: !p; `false` is predicate 0 inverted */
	uint8_t d_bytes;          /* width of d's slot: 4, 8, 16; 0: no d */
	uint8_t s_bytes[INSN_SOURCES]; /* likewise; for memory s_bytes[0] is the width of the address base */
	uint8_t inserted;              /* enum insn_inserted */
	uint8_t special, component; /* INSERTED_SPECIAL: enum ptx_special; which component.  Of matrices: half passes */
	struct ptx_modifiers modifiers;
	struct insn_access access;
	int64_t offset;  /* memory: added to the base; mov of an address: resolved constant */
	uint32_t target; /* branch, call: pc */
	/* branch, indexed: reconvergence pc (immediate post-dominator); NO_RECONVERGENCE at function end */
	uint32_t reconvergence_pc;
	/* index into kernel->extras: vectors, branch tables, video selectors, call information; 0: none */
	uint32_t extra;
	struct insn_scoreboard scoreboard;
	uint32_t source;   /* index of the ptx_instruction in its function */
	uint16_t function; /* index into kernel->functions */
	/* 32-bit words of registers that a lane reads and writes; constants and predicates not */
	uint8_t reads, writes;
};

#define NO_RECONVERGENCE 0xffffffffu
#define SCOREBOARD_PREDICATE 0x8000u
#define NO_PREDICATE 0xffffu
#define PREDICATE_INVERT 0x8000u /* in s[k] of .pred rows */

/* The registers of a matrix instruction: of a multiplication by part, of loads and stores those of slot[MATRIX_D].  Of
 * wgmma D, which is C, too, and A unless s[0] has its descriptor. */
struct insn_matrix {
	struct matrix shape;
	slot_ref *slot[MATRIX_PARTS];
	uint8_t count[MATRIX_PARTS];
	uint8_t bytes[MATRIX_PARTS]; /* of a register */
};

/* What does not fit into struct insn. */
struct insn_extra {
	slot_ref vector[8]; /* ld, st, mov, and results of atomics: one slot per element; SLOT_NONE for a sink */
	slot_ref values[8]; /* atomics of vectors: the sources, likewise */
	uint32_t vector_count, value_count;
	struct insn_matrix *matrix; /* of matrix instructions */
	int64_t offsets[2];         /* INSN_COPY: added to s[1] and s[3]; INSN_ASYNC: to s[2] */
	slot_ref coordinates[5];    /* textures and surfaces, as written: layer first, then x, y, z; tensor copies */
	slot_ref moved[3];          /* tensor copies: the offsets of pixels */
	uint32_t moved_count;
	bool is_parameter; /* tensor copies: the map is a parameter of the kernel, insn.offset its place among them */
	slot_ref gradients[2][3]; /* tex.grad: along x and y of the screen, a value per direction */
	uint32_t coordinate_count, gradient_count;
	/* INSN_INDEXED: pcs; INSN_CALL_INDIRECT: candidate functions' first pcs (see kernel_call_target) */
	uint32_t *targets;
	uint32_t target_count;
	uint32_t selector[4]; /* video: per operand d a b c.  Scalar (vadd): enum ptx_selector, SELECT_NONE the whole
			       * word. vadd2, vadd4: d a mask of the parts written (bit k: part k); a b c four bits per
			       * lane, lane 0 lowest: which part of the four halves or eight bytes of b:a */
	bool negate[4];
	uint32_t frame_words;     /* calls: the caller's frame, by how much the callee's registers move up (words) */
	uint32_t predicate_frame; /* calls: the same for predicates */
	uint32_t stack_bytes;     /* calls: caller's bytes of local memory, by how much the callee's stack base moves */
	uint16_t *more_scoreboard;
	uint32_t more_scoreboard_count; /* sources beyond the fixed list */
	const char *trap_reason;        /* INSN_TRAP: why the program executes it, or null when it does not say */
	/* INSERTED_ARGUMENTS, INSERTED_RETURNS; PRINTF and ASSERT use arguments[k].from only */
	struct call_copy {
		uint32_t from, to;            /* a slot_ref, or a byte offset from the frame's stack base */
		uint8_t from_stack, to_stack; /* 1: byte offset */
		uint8_t from_bytes, to_bytes; /* width of the register's slot when it is one: 4, 8, 16 */
		uint32_t bytes;               /* to copy */
	} * arguments, *returns;
	uint32_t argument_count, return_count;
};

/* A compare-and-swap of the program; lock instructions are none. */
static inline bool insn_is_swap(const struct insn *i)
{
	return i->kind == INSN_ATOMIC && i->access.atomic == ATOMIC_CAS;
}

#endif
