/* A parsed PTX module: what the text says, with names resolved, before any analysis.
 *
 * Everything lives in the program arena.  Places (line, column) are those of the PTX text; `.loc` places are kept
 * apart. */
#ifndef LOCKSTEP_PTX_MODULE_H
#define LOCKSTEP_PTX_MODULE_H

#include "ptx/ops.h"
#include "util/arena.h"
#include "util/diagnostic.h"
#include "util/map.h"
#include "util/vector.h"

#include <stdbool.h>
#include <stdint.h>

/* A source line named by .loc; file 0 is "none". */
struct ptx_loc {
	uint16_t file;     /* index into ptx_module.files */
	uint16_t function; /* index into ptx_module.inlined: in which it is, where that was inlined; 0: not known */
	uint32_t line;
	uint32_t site; /* index into ptx_module.sites: the call that was inlined there; 0: none */
};

/* A call in the source that the compiler has inlined. */
struct ptx_site {
	struct ptx_loc loc; /* with the site of the call around it */
	uint32_t column;
};

enum ptx_special { /* %tid.x ... ; component in ptx_operand.component (0 x, 1 y, 2 z, 3 w) */
	SPECIAL_NONE,
#define SPECIAL(id, name, bits, is_vector, home) SPECIAL_##id,
#include "ptx/specials.def"
#undef SPECIAL
	SPECIAL_COUNT
};

/* When the value of a special register is known. */
enum special_home {
	HOME_FIXED,  /* when the kernel is decoded */
	HOME_LAUNCH, /* at a launch: the same for all threads */
	HOME_WARP,   /* when the warp starts */
	HOME_PLACE,  /* when it is read: it depends on where the warp runs */
	HOME_CLOCK,  /* likewise: it goes on by itself, as clocks, timers and performance counters do */
};

extern const struct ptx_special_info {
	const char *name; /* without % and component; null for the numbered ones */
	uint8_t bits;
	bool is_vector; /* .x .y .z .w must follow */
	uint8_t home;   /* enum special_home */
} ptx_specials[SPECIAL_COUNT];

struct ptx_register {
	const char *name;
	enum ptx_type type; /* as declared; B128 possible */
	uint32_t index;     /* dense within its function, in order of declaration */
};

/* .texref and so on: what a variable of no other type refers to. */
enum ptx_opaque { OPAQUE_NONE, OPAQUE_TEXTURE, OPAQUE_SURFACE, OPAQUE_SAMPLER };

/* A variable: module scope (global, const, shared) or function scope (local, shared, param, reg-less). */
struct ptx_variable {
	const char *name;
	uint8_t space;      /* space_GLOBAL, CONST, SHARED, LOCAL, PARAM */
	enum ptx_type type; /* of an element */
	uint8_t vector;     /* 1, 2 or 4 elements side by side */
	uint32_t align;     /* bytes */
	uint64_t size;      /* bytes, all dimensions; 0 for an extern array of no size (dynamic shared memory) */
	bool is_extern, is_visible, is_weak, is_common, is_pointer /* kernel parameter with .ptr */;
	bool is_formal; /* a parameter or return value of its owner */
	/* a reference to an image: 8 bytes, which are never looked at; its address stands for the image */
	enum ptx_opaque opaque;
	uint8_t *data;           /* `size` initial bytes, or null for zero */
	uint64_t data_bytes;     /* of data are written by the initialiser: the rest is zero */
	struct ptx_relocation {  /* initialisers that are addresses */
		uint64_t offset; /* where in data */
		uint8_t bytes;   /* width of the slot: 8 or 4; 1 or 2 with a mask */
		/* `0xff00(var)`: the slot gets (address & mask) >> the mask's trailing zeros; else all ones */
		uint64_t mask;
		bool generic;                  /* generic(var): convert to a generic address */
		struct ptx_variable *variable; /* or */
		struct ptx_function *function;
		int64_t addend;
	} * relocations;
	uint32_t relocation_count;
	struct ptx_function *owner; /* null at module scope */
	struct place place;
	uint64_t offset; /* of a kernel parameter: byte offset in the parameter block; otherwise 0 */
	/* in owner->variables, or in module->variables; 0 for `.reg` formals, which are in neither */
	uint32_t index;
};

enum ptx_operand_kind {
	OPERAND_NONE, /* an optional operand left out */
	OPERAND_REGISTER,
	/* bits: the value as the instruction's type needs it is made by the decoder from is_float and bits */
	OPERAND_IMMEDIATE,
	OPERAND_SPECIAL,
	OPERAND_VARIABLE, /* the address of a variable (mov, cvta, call argument), plus offset */
	OPERAND_FUNCTION,
	OPERAND_ADDRESS, /* [reg + offset], [variable + offset], [immediate]; [image, {x, y}]: elements are the
			  * coordinates; with has_sampler [image, sampler, {x, y}]: the last element is the sampler */
	OPERAND_LABEL,
	OPERAND_VECTOR,    /* {a, b, ...}; elements registers, immediates or sinks */
	OPERAND_SINK,      /* _ */
	OPERAND_TABLE,     /* branch-target list of brx.idx: elements are labels */
	OPERAND_PROTOTYPE, /* call prototype, or call-target list */
};

enum ptx_selector {
	SELECT_NONE,
	SELECT_B0,
	SELECT_B1,
	SELECT_B2,
	SELECT_B3,
	SELECT_H0,
	SELECT_H1, /* video: lanes */
	SELECT_B00,
	/* others: packed index lists are kept in `selector_text` */ SELECT_LIST
};

struct ptx_operand {
	enum ptx_operand_kind kind;
	bool negated; /* !p, or -a in video */
	bool has_sampler;
	/* immediate: bits holds a double's bits; 0f immediates: float_bits holds the exact 32 bits */
	bool is_float;
	bool is_float32;
	uint8_t component; /* special registers */
	enum ptx_selector selector;
	const char *selector_text; /* without the dot, e.g. "b3210"; null when absent */
	enum ptx_special special;
	/* immediate: two's complement 64 bit, or bits of a double, or of a float when is_float32 */
	uint64_t bits;
	int64_t offset;                /* OPERAND_ADDRESS, OPERAND_VARIABLE */
	struct ptx_register *reg;      /* OPERAND_REGISTER; OPERAND_ADDRESS with a register base */
	struct ptx_variable *variable; /* OPERAND_VARIABLE; OPERAND_ADDRESS with a variable base */
	struct ptx_function *function; /* OPERAND_FUNCTION */
	/* OPERAND_LABEL: index of the instruction it stands before (may be = instruction count) */
	uint32_t target;
	struct ptx_prototype *prototype;
	struct ptx_operand *element; /* OPERAND_VECTOR, OPERAND_TABLE, OPERAND_ADDRESS */
	uint32_t count;
	uint32_t line, column;
};

/* Operand indices by role for shapes with `d|p`: operand[0] is d, operand[1] is p (OPERAND_NONE when absent); the same
 * for `p|p` of setp.  In general operand[k] is the k-th letter of the shape, absent optional ones being OPERAND_NONE,
 * except CALL: operand[0] the function (FUNCTION or REGISTER), operand[1] PROTOTYPE or NONE, and `returns`, `arguments`
 * below. */
#define PTX_MAX_OPERANDS 8

/* In a `.pragma`: the innermost loop around it spins.  The headers in device/ write it. */
#define PTX_SPIN_PRAGMA "lockstep_spin"
/* The next instruction, a trap, is executed for the reason that follows in the string.  Likewise. */
#define PTX_TRAP_PRAGMA "lockstep_trap "
/* of a module: 0 is NULL in shared memory, and no variable's address */
#define PTX_SHARED_NULL_PRAGMA "lockstep_shared_null"

struct ptx_instruction {
	enum op op;
	const char *opcode; /* as written, hints and all: "ld.volatile.global.u32" */
	struct ptx_modifiers modifiers;
	enum ptx_type type[4]; /* as written, in order; type_count of them */
	uint8_t type_count;
	struct ptx_register *guard; /* null: unconditional */
	bool guard_negated;
	bool spins;                              /* a `.pragma "lockstep_spin"` stands before it */
	const char *trap_reason;                 /* of a PTX_TRAP_PRAGMA before a trap, or null */
	uint8_t operand_count;                   /* slots used, absent optional ones included */
	struct ptx_operand *operand;             /* operand_count of them; null when 0 */
	struct ptx_operand *returns, *arguments; /* OP_call: each VARIABLE (.param), REGISTER or IMMEDIATE */
	uint32_t return_count, argument_count;
	uint32_t line, column; /* in the PTX text */
	struct ptx_loc loc;
};

/* A signature: of a function, or of an indirect call. */
struct ptx_prototype {
	const char *name;
	/* space PARAM, or register-declared formals as space_NONE variables */
	struct ptx_variable **returns, **parameters;
	uint32_t return_count, parameter_count;
	bool noreturn;
	struct ptx_function **targets; /* .calltargets: the possible callees; null: any function of this shape */
	uint32_t target_count;
};

/* An instruction that is not supported.  It is not in its function's code: whoever reaches the function is refused. */
struct ptx_refusal {
	const char *opcode; /* as written */
	const char *reason; /* one clause */
	uint32_t since;     /* the first target that has it, 90 for sm_90; 0: not known */
	uint32_t line, column;
	struct ptx_loc loc;
};

/* A label of a function's body: for people, who know places by them; branches have their targets. */
struct ptx_label {
	const char *name;
	uint32_t target; /* index of the instruction it stands before (may be = instruction count) */
};

struct ptx_function {
	const char *name;
	bool is_entry, is_defined, is_visible, is_extern, is_weak, noreturn;
	struct ptx_prototype signature;
	/* per parameter, then per return: the register for `.reg` formals, else null */
	struct ptx_register **formal_registers;
	/* entry: size of the parameter block, natural alignment as CUDA lays it out */
	uint32_t parameter_bytes;
	VECTOR(struct ptx_register *) registers;
	/* function scope: .param formals (is_formal) first, then .local .shared .param */
	VECTOR(struct ptx_variable *) variables;
	VECTOR(struct ptx_instruction) code;
	VECTOR(struct ptx_label) labels;     /* in the order of the text */
	VECTOR(struct ptx_refusal) refusals; /* likewise */
	uint32_t required_threads[3];        /* .reqntid; 0 when absent */
	uint32_t required_cluster[3];        /* .reqnctapercluster; 0 when absent */
	uint32_t max_cluster;                /* .maxclusterrank; 0 when absent */
	bool explicit_cluster;               /* .explicitcluster */
	uint32_t max_threads[3];             /* .maxntid; 0 when absent */
	uint32_t min_groups_per_core;        /* .minnctapersm; 0 when absent */
	uint32_t max_registers;              /* .maxnreg; 0 when absent */
	uint32_t index;                      /* in module->functions */
	bool address_taken;
	/* .alias: the function this name stands for; the parser has put it in its place everywhere */
	struct ptx_function *alias;
	struct place place;
};

/* A `.section` of debug information, unread but for .debug_str: src/debug/ reads it. */
struct ptx_section {
	const char *name;      /* ".debug_info" without the dot */
	const char *text;      /* in the module's, from the `{` on */
	uint32_t line, column; /* of the `{` */
};

struct ptx_module {
	struct arena *arena;
	const char *file; /* name of the PTX file, as given */
	uint32_t version_major, version_minor;
	const char *target;                      /* "sm_35" */
	bool has_samplers;                       /* texmode_independent: samplers apart from textures */
	uint32_t address_bits;                   /* 32 or 64 */
	bool shared_null;                        /* see PTX_SHARED_NULL_PRAGMA */
	VECTOR(const char *) files;              /* .file: index is the number; null holes */
	VECTOR(struct ptx_section) sections;     /* in the order of the text */
	VECTOR(struct ptx_site) sites;           /* of inlined calls, once each; [0] is not used */
	VECTOR(const char *) inlined;            /* functions that were inlined, as linkers name them; null: no name */
	VECTOR(struct ptx_function *) functions; /* entries, device functions and undefined ones */
	VECTOR(struct ptx_variable *) variables; /* module scope */
	struct map symbols;                      /* functions and variables by name: private to the parser */
};

/* Parses a whole module.  On a mistake returns null with the first error in `diagnostic` as file:line:column.
 * Refuses unknown instructions, type-incompatible operands, undefined names, wrong operand counts, and declarations
 * that are not supported.  An instruction whose words are not supported is a refusal of its function: other kernels of
 * the module may run.  `text` must stay as long as the arena. */
struct ptx_module *ptx_parse(struct arena *arena, const char *file, const char *text, struct diagnostic *diagnostic);

struct text;
/* One instruction as text, for messages: "@%p1 bra LBB0_1". */
void ptx_print_instruction(
	struct text *out, const struct ptx_function *function, const struct ptx_instruction *instruction);

/* The nearest label at or before an instruction, but for those of compilers' debug information, which say nothing about
 * the code; null: none. */
const struct ptx_label *ptx_find_label(const struct ptx_function *function, uint32_t instruction);

struct ptx_function *ptx_find_function(const struct ptx_module *module, const char *name); /* null when absent */

#endif
