/* The table of instructions: what ops.def says, as data.
 *
 * A row of ops.def is the only place that knows an instruction: spelling, modifiers, operand shape, types, latency
 * class, effects and meaning.  The parser, the printer, the decoder, execution and docs/ptx-support.md are derived from
 * it. */
#ifndef LOCKSTEP_PTX_OPS_H
#define LOCKSTEP_PTX_OPS_H

#include <stdbool.h>
#include <stdint.h>

enum ptx_type {
	TYPE_NONE,
#define TYPE(name, text, bits, kind) TYPE_##name,
#include "ptx/types.def"
#undef TYPE
	TYPE_COUNT
};
enum ptx_type_kind { KIND_NONE, KIND_BITS, KIND_UNSIGNED, KIND_SIGNED, KIND_FLOAT, KIND_PACKED, KIND_PREDICATE };
struct ptx_type_info {
	const char *text; /* without the dot */
	uint16_t bits;    /* 1 for a predicate */
	enum ptx_type_kind kind;
};
extern const struct ptx_type_info ptx_types[TYPE_COUNT];

/* Modifier values: <class>_NONE, which is 0, <class>_RN, ...: modifiers.def. */
enum modifier_row {
#define CLASS(class) class##_ROW,
#define MODIFIER(class, name, word) class##_##name##_ROW,
#include "ptx/modifiers.def"
};
enum {
#define CLASS(class) class##_NONE = 0,
#define MODIFIER(class, name, word) class##_##name = class##_##name##_ROW - class##_ROW,
#include "ptx/modifiers.def"
};
/* Beside the written spaces, and space_NONE, which is generic addressing. */
enum {
	space_SURFACE = space_SHARED + 1, /* made by the decoder */
	space_CLUSTER,                    /* found by the machine: shared memory of another group of the cluster */
	SPACES
};

enum ptx_flag {
#define FLAG(name, word) FLAG_BIT_##name,
#include "ptx/modifiers.def"
#define FLAG(name, word) FLAG_##name = 1 << FLAG_BIT_##name,
#include "ptx/modifiers.def"
};

/* The modifiers of one instruction, one small value per class (0: absent). */
struct ptx_modifiers {
	uint8_t rounding, precision, compare, boolean, space, order, scope, cache, vector, limit, permute, secondary,
		geometry, box, bounds, primary, others;
	uint8_t cluster; /* 1: the space is written shared::cluster */
	uint32_t flags;  /* FLAG_... */
};

/* What a row accepts beside its spelling: one bit per class, plus flags. */
enum {
	ALLOW_RND = 1 << 0,  /* rn rz rm rp */
	ALLOW_IRND = 1 << 1, /* rni rzi rmi rpi (cvt) and rna */
	ALLOW_PRECISION = 1 << 2,
	ALLOW_COMPARE = 1 << 3,
	ALLOW_BOOLEAN = 1 << 4,
	ALLOW_SPACE = 1 << 5,
	ALLOW_ORDER = 1 << 6,
	ALLOW_SCOPE = 1 << 7,
	ALLOW_CACHE = 1 << 8,
	ALLOW_VECTOR = 1 << 9,
	ALLOW_LIMIT = 1 << 10,
	ALLOW_PERMUTE = 1 << 11,
	ALLOW_HINTS = 1 << 12,
	ALLOW_RN = 1 << 13, /* of the roundings only rn */
	ALLOW_SECONDARY = 1 << 14,
	ALLOW_TYPE2 = 1 << 15,    /* written with exactly two types ... */
	ALLOW_TYPE3 = 1 << 16,    /* ... or exactly three; otherwise at most one */
	ALLOW_RZ = 1 << 17,       /* of the roundings rz */
	ALLOW_MATRIX = 1 << 18,   /* any word: matrix_read judges */
	ALLOW_GEOMETRY = 1 << 19, /* of a texture ... */
	ALLOW_FLAT = 1 << 20,     /* ... or without cubes, of a surface */
	ALLOW_BOUNDS = 1 << 21,
	ALLOW_POLICY = 1 << 22,
	ALLOW_TENSOR = 1 << 23, /* of a tensor map: 1d to 5d, and how the box lies in it */
};

/* Latency classes: index of the model's `latency.*` and `interval.*` fields; see model/fields.def. */
enum latency_class {
	LATENCY_INT_ADD,
	LATENCY_INT_MUL,
	LATENCY_INT_MAD,
	LATENCY_INT_MAX,
	LATENCY_INT_DIV,
	LATENCY_FP_ADD,
	LATENCY_FP_MUL,
	LATENCY_FP_MAD,
	LATENCY_FP_MAX,
	LATENCY_FP_DIV,
	LATENCY_DP_ADD,
	LATENCY_DP_MUL,
	LATENCY_DP_MAD,
	LATENCY_DP_MAX,
	LATENCY_DP_DIV,
	LATENCY_SFU,     /* transcendental approximations, sqrt, rcp */
	LATENCY_SHUFFLE, /* shfl, vote, match, redux */
	LATENCY_MATRIX,  /* mma, per 2048 multiply-adds of 16 bits */
	LATENCY_BRANCH,  /* control flow */
	LATENCY_SYNC,    /* barriers, fences, nanosleep: time is the machine's affair */
	LATENCY_MEMORY,  /* loads, stores, atomics: time is the memory's affair */
	LATENCY_COUNT
};

/* Effects: what analysis, the machine and observers need to know. */
enum {
	EFFECT_READS = 1 << 0,  /* memory */
	EFFECT_WRITES = 1 << 1, /* memory */
	EFFECT_ATOMIC = 1 << 2,
	EFFECT_ENDS_BLOCK = 1 << 3, /* branch, exit, ret, trap */
	EFFECT_CALL = 1 << 4,
	EFFECT_BARRIER = 1 << 5, /* bar, barrier */
	EFFECT_FENCE = 1 << 6,
	EFFECT_CROSS_LANE = 1 << 7,   /* reads other lanes' registers */
	EFFECT_CARRY = 1 << 8,        /* reads the condition-code carry */
	EFFECT_MEMBERS = 1 << 9,      /* the lanes of a member mask carry it out together */
	EFFECT_UNSUPPORTED = 1 << 10, /* recognised, refused with the row's reason */
};

/* How many operands and which role each has; see shapes.def. */
enum op_shape {
#define SHAPE(name, text, types) SHAPE_##name,
#include "ptx/shapes.def"
#undef SHAPE
	SHAPE_COUNT
};

/* The type of the destination, relative to the instruction's (first) type. */
enum op_result { RESULT_SAME, RESULT_WIDE, RESULT_U32, RESULT_PRED, RESULT_OWN /* first of two types */, RESULT_NONE };

enum op {
	OP_NONE,
#define LANE(id, spelling, allow, flags, shape, types, result, latency, effects, meaning) OP_##id,
#define WARP(id, spelling, allow, flags, shape, types, result, latency, effects, function) OP_##id,
#define CORE(id, spelling, allow, flags, shape, types, result, latency, effects, kind) OP_##id,
#define REFUSED(id, spelling, since, reason) OP_##id,
#include "ptx/ops.def"
#undef LANE
#undef WARP
#undef CORE
#undef REFUSED
	OP_COUNT
};

/* How a row is carried out. */
enum op_kind { OP_KIND_NONE, OP_KIND_LANE, OP_KIND_WARP, OP_KIND_CORE, OP_KIND_REFUSED };

struct op_info {
	const char *name;     /* the row's id, for messages and documentation */
	const char *spelling; /* "mul.lo": mnemonic, then words that must be present, in any order */
	enum op_kind kind;
	uint32_t allow; /* ALLOW_... */
	uint32_t flags; /* FLAG_... accepted */
	enum op_shape shape;
	/* bit per ptx_type accepted as the instruction's first type; bit TYPE_NONE: none needed */
	uint64_t types;
	enum op_result result;
	enum latency_class latency;
	uint32_t effects; /* EFFECT_... */
	/* the C expression or function name of the row, for documentation; reason when refused */
	const char *meaning;
	uint32_t since; /* refused: the first target that has it, 90 for sm_90 */
};
extern const struct op_info ptx_ops[OP_COUNT];
extern const char *const ptx_shapes[SHAPE_COUNT];      /* "d, a, b" */
extern const char *const ptx_shape_types[SHAPE_COUNT]; /* "R1U": see shapes.def */

/* Whether this is the row's mnemonic, the first word of its spelling. */
bool ptx_is_mnemonic(const struct op_info *row, const char *mnemonic);

/* The type that operand `index` (the index-th letter of the shape's text) must have: .pred for predicates, TYPE_NONE
 * where any integer register will do (an address) or no register stands (label).  Immediates are made in this type. */
enum ptx_type ptx_operand_type(enum op op, const enum ptx_type types[4], uint32_t index);
/* The row's latency class, in its double-precision form where a row serves several types and one of them is .f64. */
enum latency_class ptx_latency(enum op op, const enum ptx_type types[4]);

/* Words behind the mnemonic, already split at the dots ("shared::cta" is one word; "xorsign.abs" arrives as two). */
struct ptx_words {
	const char *mnemonic;
	const char *word[16];
	uint32_t count;
};

/* Finds the row for an instruction and sorts its words into modifiers and types (in order of appearance, up to 4).
 * Rows are tried in order; the first whose spelling words are all present, whose remaining words it accepts and whose
 * type set has the first type wins.  On failure returns OP_NONE and writes into `reason` (size bytes) one clause saying
 * what is wrong and what is supported, e.g. "unknown instruction 'foo' (nearest: 'fma')", "add does not take .wide
 * (accepts .sat .ftz .rn .rz .rm .rp)", "add does not take type .b32 (takes ...)", "unknown type .u33, add takes ...
 * there", or the reason of a REFUSED row. */
enum op ptx_find_op(const struct ptx_words *words, struct ptx_modifiers *modifiers, enum ptx_type types[4],
	uint32_t *type_count, char *reason, uint32_t size);

/* The REFUSED row that is meant, when ptx_find_op returns OP_NONE; null: none. */
const struct op_info *ptx_refused_row(const struct ptx_words *words);

#endif
