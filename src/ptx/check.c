/* What operands an instruction may have: the role and the type of each, by the row's shape; and a call's arguments.
 *
 * Types agree as the PTX manual says: sizes are equal, .b types agree with all of their size, signed with unsigned
 * integers, floats with floats.  Loads, stores and conversions may use wider registers. */
#include "ptx/matrix.h"
#include "ptx/parser.h"
#include "util/tensor_map.h"

#include <string.h>

struct checking {
	struct parser *p;
	const struct token *mnemonic;
	const struct ptx_instruction *insn;
	const struct op_info *info;
};

#define FAIL(c, operand, ...)                                                                                          \
	do {                                                                                                           \
		struct token place_ = {.line = (operand)->line, .column = (operand)->column};                          \
		parse_error((c)->p, &place_, __VA_ARGS__);                                                             \
	} while (0)

/* ---- types ---- */

static bool is_integer(enum ptx_type_kind kind)
{
	return kind == KIND_SIGNED || kind == KIND_UNSIGNED;
}

static bool agree(const struct ptx_type_info *want, const struct ptx_type_info *have)
{
	if (want->kind == KIND_PREDICATE || have->kind == KIND_PREDICATE)
		return want->kind == have->kind;
	if (want->bits != have->bits)
		return false;
	if (want->kind == KIND_BITS || have->kind == KIND_BITS || want->kind == have->kind)
		return true;
	if (want->kind == KIND_PACKED || have->kind == KIND_PACKED)
		return want->kind != KIND_FLOAT && have->kind != KIND_FLOAT;
	return is_integer(want->kind) && is_integer(have->kind);
}

/* Loads, stores, conversions: integers and bits may stand in a wider register, floats in a wider .b register. */
static bool agree_relaxed(const struct ptx_type_info *want, const struct ptx_type_info *have)
{
	if (have->kind == KIND_PREDICATE || have->bits <= want->bits || want->kind == KIND_PREDICATE)
		return agree(want, have);
	if (want->kind == KIND_FLOAT || want->kind == KIND_PACKED)
		return have->kind == KIND_BITS;
	return want->kind == KIND_BITS || have->kind != KIND_FLOAT;
}

static bool is_relaxed(const struct checking *c)
{
	if (ptx_is_mnemonic(c->info, "tex") || ptx_is_mnemonic(c->info, "tld4"))
		return false;
	return c->info->effects == EFFECT_READS || c->info->effects == EFFECT_WRITES || ptx_is_mnemonic(c->info, "cvt");
}

static void check_register(const struct checking *c, const struct ptx_operand *o, enum ptx_type type)
{
	const struct ptx_type_info *want = &ptx_types[type], *have = &ptx_types[o->reg->type];

	if (type == TYPE_NONE) {
		if ((have->bits != 32 && have->bits != 64) || have->kind == KIND_FLOAT || have->kind == KIND_PACKED)
			FAIL(c, o, "'%s' is .%s: expected an integer register of 32 or 64 bits for an address",
				o->reg->name, have->text);
	} else if (!(is_relaxed(c) ? agree_relaxed(want, have) : agree(want, have))) {
		FAIL(c, o, "'%s' is .%s: '%.*s' expects .%s here", o->reg->name, have->text, TOKEN_TEXT(c->mnemonic),
			want->text);
	}
}

static void check_immediate(const struct checking *c, const struct ptx_operand *o, enum ptx_type type)
{
	enum ptx_type_kind kind = ptx_types[type].kind;

	if (o->is_float && kind != KIND_FLOAT && kind != KIND_BITS && kind != KIND_PACKED)
		FAIL(c, o, "a floating-point constant cannot be .%s", type ? ptx_types[type].text : "an address");
	else if (!o->is_float && kind == KIND_FLOAT)
		FAIL(c, o, "an integer constant cannot be .%s: write it as a floating-point constant",
			ptx_types[type].text);
}

/* Special registers are integers of 32 or 64 bits; the grid's number is taken in both. */
static void check_special(const struct checking *c, const struct ptx_operand *o, enum ptx_type type)
{
	const struct ptx_type_info *want = &ptx_types[type];
	uint32_t bits = ptx_specials[o->special].bits;

	if (o->special == SPECIAL_WARP_SZ || o->special == SPECIAL_GRIDID)
		bits = want->bits > 32 ? 64 : 32;
	if (bits == 1 ? want->kind != KIND_PREDICATE
		      : want->kind == KIND_PREDICATE || want->kind == KIND_FLOAT || (want->bits > 32) != (bits > 32))
		FAIL(c, o, "this special register has %u bits: '%.*s' expects .%s here", bits, TOKEN_TEXT(c->mnemonic),
			type ? want->text : "an address");
}

/* The address of a variable or function: an integer of 32 or 64 bits. */
static void check_symbol(const struct checking *c, const struct ptx_operand *o, enum ptx_type type)
{
	const struct ptx_type_info *want = &ptx_types[type];

	if (want->kind == KIND_FLOAT || want->kind == KIND_PREDICATE || (type && want->bits != 32 && want->bits != 64))
		FAIL(c, o, "the address of '%s' cannot be .%s", o->variable ? o->variable->name : o->function->name,
			want->text);
	if (o->function)
		o->function->address_taken = true;
}

static void check_value(const struct checking *c, const struct ptx_operand *o, enum ptx_type type)
{
	switch (o->kind) {
	case OPERAND_REGISTER: check_register(c, o, type); break;
	case OPERAND_IMMEDIATE: check_immediate(c, o, type); break;
	case OPERAND_SPECIAL: check_special(c, o, type); break;
	case OPERAND_VARIABLE:
	case OPERAND_FUNCTION: check_symbol(c, o, type); break;
	default: FAIL(c, o, "expected a register or a constant here");
	}
}

/* ---- vectors ---- */

/* Elements of a vector: `type` each; sinks where they are written. */
static void check_elements(const struct checking *c, const struct ptx_operand *o, enum ptx_type type, bool is_written)
{
	for (uint32_t i = 0; i < o->count; i++) {
		const struct ptx_operand *element = &o->element[i];
		if (is_written && element->kind == OPERAND_SINK)
			continue;
		if (is_written && element->kind != OPERAND_REGISTER)
			FAIL(c, element, "expected a register: this vector is written");
		else
			check_value(c, element, type);
	}
}

/* `mov.b64 {a, b}, c`: the parts together have the bits of the type. */
static void check_parts(const struct checking *c, const struct ptx_operand *o, bool is_written)
{
	uint32_t bits = ptx_types[c->insn->type[0]].bits;

	if (!ptx_is_mnemonic(c->info, "mov") || ptx_types[c->insn->type[0]].kind != KIND_BITS ||
		(o->count != 2 && o->count != 4) || bits / o->count < 8) {
		FAIL(c, o, "'%s' does not take a vector of %u here", c->insn->opcode, o->count);
		return;
	}
	for (uint32_t i = 0; i < o->count; i++) {
		const struct ptx_operand *element = &o->element[i];
		bool is_register = element->kind == OPERAND_REGISTER, is_sink = element->kind == OPERAND_SINK;
		if (is_register && ptx_types[element->reg->type].bits != bits / o->count)
			FAIL(c, element, "'%s' has %u bits: each of the %u parts of a .%s has %u", element->reg->name,
				ptx_types[element->reg->type].bits, o->count, ptx_types[c->insn->type[0]].text,
				bits / o->count);
		else if (!is_register && !(is_written ? is_sink : element->kind == OPERAND_IMMEDIATE))
			FAIL(c, element, "expected a register as a part");
	}
}

/* The data of a load, a store or an atomic of vectors: one register, or as many as .v2, .v4 or .v8 says. */
static void check_data(const struct checking *c, const struct ptx_operand *o, enum ptx_type type, bool is_written)
{
	static const uint32_t counts[] = {[vector_NONE] = 1, [vector_V2] = 2, [vector_V4] = 4, [vector_V8] = 8};
	uint32_t want = counts[c->insn->modifiers.vector];

	if (is_written && o->kind == OPERAND_SINK) {
		if (!(c->info->effects & EFFECT_WRITES))
			FAIL(c, o, "expected a register to load");
		return;
	}
	if (o->kind == OPERAND_VECTOR ? o->count != want : want != 1)
		FAIL(c, o, "'%s' expects %s%u register%s here", c->insn->opcode, want > 1 ? "a vector of " : "", want,
			want > 1 ? "s" : "");
	else if (o->kind == OPERAND_VECTOR)
		check_elements(c, o, type, is_written);
	else if (is_written && o->kind != OPERAND_REGISTER)
		FAIL(c, o, "expected a register to load");
	else
		check_value(c, o, type);
}

/* ---- roles ---- */

static void check_destination(const struct checking *c, const struct ptx_operand *o, enum ptx_type type)
{
	if (o->kind == OPERAND_REGISTER)
		check_register(c, o, type);
	else if (o->kind == OPERAND_VECTOR)
		check_parts(c, o, true);
	else if (o->kind != OPERAND_SINK)
		FAIL(c, o, "expected a register as destination of '%.*s'", TOKEN_TEXT(c->mnemonic));
}

static const char *space_name(uint8_t space)
{
	static const char *const names[] = {[space_NONE] = "generic",
		[space_CONST] = ".const",
		[space_GLOBAL] = ".global",
		[space_LOCAL] = ".local",
		[space_PARAM] = ".param",
		[space_SHARED] = ".shared"};

	return names[space];
}

/* How many values a geometry takes as coordinates; three-dimensional ones have a fourth, which means nothing. */
static uint32_t coordinate_count(uint8_t geometry)
{
	switch (geometry) {
	case geometry_NONE: return 0;
	case geometry_1D: return 1;
	case geometry_2D:
	case geometry_A1D: return 2;
	default: return 4;
	}
}

static void check_coordinates(const struct checking *c, const struct ptx_operand *o)
{
	const struct ptx_modifiers *m = &c->insn->modifiers;
	uint8_t geometry = m->geometry;
	bool layered = geometry == geometry_A1D || geometry == geometry_A2D || geometry == geometry_ACUBE;
	enum ptx_type type = c->insn->type_count > 1 ? c->insn->type[1] : TYPE_S32;
	uint32_t want = coordinate_count(geometry), count = o->count - o->has_sampler;

	if (count != want && !(want == 4 && count == 3))
		FAIL(c, o, "'%s' expects %u coordinates here", c->insn->opcode, want);
	for (uint32_t i = 0; i < count && !parse_failed(c->p); i++)
		check_value(c, &o->element[i], layered && i == 0 ? TYPE_U32 : type);
}

static void check_sampler(const struct checking *c, const struct ptx_operand *sampler)
{
	if (!ptx_is_mnemonic(c->info, "tex") && !ptx_is_mnemonic(c->info, "tld4"))
		FAIL(c, sampler, "'%s' takes no sampler", c->insn->opcode);
	else if (sampler->kind != OPERAND_REGISTER || ptx_types[sampler->reg->type].bits != 64)
		FAIL(c, sampler, "expected a register of 64 bits with a sampler");
}

/* [image, {x, y}], or [image] of queries: a .u64 register with a handle, or a reference. */
static void check_image(const struct checking *c, const struct ptx_operand *o)
{
	bool is_surface = c->insn->opcode[0] == 's';
	enum ptx_opaque want = is_surface ? OPAQUE_SURFACE : OPAQUE_TEXTURE;

	if (o->kind != OPERAND_ADDRESS)
		FAIL(c, o, "expected a %s in brackets", is_surface ? "surface" : "texture");
	else if (!o->reg && (!o->variable || o->variable->opaque != want))
		FAIL(c, o, "expected a register with a handle, or a %s variable", is_surface ? ".surfref" : ".texref");
	else if (o->offset)
		FAIL(c, o, "a %s takes no offset", is_surface ? "surface" : "texture");
	else if (o->reg)
		check_register(c, o, TYPE_NONE);
	if (!parse_failed(c->p))
		check_coordinates(c, o);
	if (!parse_failed(c->p) && o->has_sampler)
		check_sampler(c, &o->element[o->count - 1]);
}

/* A value for each direction, as in coordinates. */
static void check_gradient(const struct checking *c, const struct ptx_operand *o, enum ptx_type type)
{
	uint8_t geometry = c->insn->modifiers.geometry;
	uint32_t want = geometry == geometry_1D || geometry == geometry_A1D   ? 1
			: geometry == geometry_2D || geometry == geometry_A2D ? 2
									      : 4;

	if (o->kind != OPERAND_VECTOR ? want != 1 : o->count != want && !(want == 4 && o->count == 3))
		FAIL(c, o, "'%s' expects a gradient of %u values here", c->insn->opcode, want);
	else if (o->kind == OPERAND_VECTOR)
		check_elements(c, o, type, false);
	else
		check_value(c, o, type);
}

static bool is_of_image(const struct checking *c)
{
	static const char *const mnemonics[] = {"tex", "tld4", "txq", "suld", "sust", "sured", "suq"};

	for (unsigned i = 0; i < sizeof mnemonics / sizeof *mnemonics; i++)
		if (ptx_is_mnemonic(c->info, mnemonics[i]))
			return true;
	return false;
}

static void check_address(const struct checking *c, const struct ptx_operand *o, uint8_t space)
{
	bool writes = c->info->effects & EFFECT_WRITES;

	if (o->kind != OPERAND_ADDRESS) {
		FAIL(c, o, "expected an address in brackets");
		return;
	}
	if (o->count)
		FAIL(c, o, "'%s' takes an address without coordinates", c->insn->opcode);
	if (o->reg)
		check_register(c, o, TYPE_NONE);
	if (o->variable && space != space_NONE && o->variable->space != space)
		FAIL(c, o, "'%s' is a %s variable: '%s' accesses %s memory", o->variable->name,
			space_name(o->variable->space), c->insn->opcode, space_name(space));
	else if (writes && (space == space_CONST || (o->variable && o->variable->space == space_CONST)))
		FAIL(c, o, "'%s' cannot write constant memory", c->insn->opcode);
	else if (writes && o->variable && o->variable->is_formal && o->variable->owner->is_entry)
		FAIL(c, o, "'%s' cannot write the kernel's parameter '%s'", c->insn->opcode, o->variable->name);
}

static void check_predicate(const struct checking *c, const struct ptx_operand *o, bool is_written)
{
	if (is_written ? o->kind == OPERAND_SINK : o->kind == OPERAND_IMMEDIATE && !o->is_float)
		return;
	if (o->kind != OPERAND_REGISTER)
		FAIL(c, o, "expected a predicate register");
	else
		check_register(c, o, TYPE_PRED);
}

/* `!` belongs to predicates that are read, `-` and selectors to video instructions. */
static void check_decorations(const struct checking *c, const struct ptx_operand *o, char letter)
{
	bool is_video = c->mnemonic->text[0] == 'v' && !ptx_is_mnemonic(c->info, "vote");
	bool is_predicate = o->kind == OPERAND_REGISTER && o->reg->type == TYPE_PRED;

	if (o->negated && !(is_predicate ? strchr("absq", letter) != NULL : is_video && strchr("abc", letter)))
		FAIL(c, o, "this operand of '%.*s' cannot be negated", TOKEN_TEXT(c->mnemonic));
	else if (o->selector && !is_video)
		FAIL(c, o, "'%.*s' does not take parts of registers such as .%s", TOKEN_TEXT(c->mnemonic),
			o->selector_text);
}

/* Of cp.async: how many bytes are copied, a predicate that says whether none is, or a cache policy in its place. */
static void check_copied(const struct checking *c, const struct ptx_operand *o)
{
	bool is_register = o->kind == OPERAND_REGISTER;

	if (is_register && o->reg->type == TYPE_PRED)
		check_predicate(c, o, false);
	else if (is_register && ptx_types[o->reg->type].bits == 64 && (c->insn->modifiers.flags & FLAG_CACHE_HINT))
		check_value(c, o, TYPE_B64);
	else
		check_value(c, o, TYPE_U32);
}

/* The registers of a matrix. */
static void check_fragment(const struct checking *c, const struct ptx_operand *o, uint32_t slot)
{
	bool is_multiply = c->info->shape == SHAPE_W_W_W_W || c->info->shape == SHAPE_W_X_X_S,
	     is_written = is_multiply ? slot == 0 : slot == 0 && c->info->shape != SHAPE_M_W;
	struct matrix x;
	const char *problem = matrix_read(c->insn->opcode, &x);
	enum matrix_part part = is_multiply ? (enum matrix_part)slot : (enum matrix_part)x.part;
	uint32_t want = matrix_registers(&x, part), bits = matrix_register_bits(&x, part);

	if (problem)
		FAIL(c, o, "%s", problem);
	else if ((o->kind == OPERAND_VECTOR ? o->count : 1) != want)
		FAIL(c, o, "'%s' expects %u register%s here", c->insn->opcode, want, want > 1 ? "s" : "");
	for (uint32_t k = 0; k < want && !parse_failed(c->p); k++) {
		const struct ptx_operand *e = o->kind == OPERAND_VECTOR ? &o->element[k] : o;
		if (e->kind == OPERAND_REGISTER ? ptx_types[e->reg->type].bits != bits
						: !(is_written && e->kind == OPERAND_SINK))
			FAIL(c, e, "'%s' expects registers of %u bits here", c->insn->opcode, bits);
	}
}

/* Dimensions of a tensor copy. */
static uint32_t tensor_rank(const struct checking *c)
{
	switch (c->insn->modifiers.geometry) {
	case geometry_1D: return 1;
	case geometry_2D: return 2;
	case geometry_3D: return 3;
	case geometry_4D: return 4;
	default: return 5;
	}
}

/* [map, {x, y}]: the map's generic address, and as many coordinates as it has dimensions. */
static void check_tensor(const struct checking *c, const struct ptx_operand *o)
{
	uint32_t rank = tensor_rank(c);

	if (o->kind != OPERAND_ADDRESS || o->has_sampler) {
		FAIL(c, o, "expected a tensor map and coordinates in brackets");
		return;
	}
	if (o->reg)
		check_register(c, o, TYPE_NONE);
	if (o->count != rank)
		FAIL(c, o, "'%s' expects %u coordinate%s here", c->insn->opcode, rank, rank > 1 ? "s" : "");
	for (uint32_t k = 0; k < o->count && !parse_failed(c->p); k++)
		check_value(c, &o->element[k], TYPE_S32);
}

/* How far an im2col copy's pixels are moved: a value for each dimension but the channels' and the images'. */
static void check_pixel_offsets(const struct checking *c, const struct ptx_operand *o)
{
	uint32_t rank = tensor_rank(c);

	if (c->insn->modifiers.box != box_IM2COL || rank < 3)
		FAIL(c, o, "offsets go with .im2col of 3 to 5 dimensions");
	else if (o->kind != OPERAND_VECTOR || o->count != rank - 2)
		FAIL(c, o, "'%s' expects %u offset%s here", c->insn->opcode, rank - 2, rank > 3 ? "s" : "");
	else
		check_elements(c, o, TYPE_U16, false);
}

/* Of wgmma: A is in registers, or in shared memory as B is. */
static void check_descriptor(const struct checking *c, const struct ptx_operand *o, uint32_t slot)
{
	if (o->kind == OPERAND_VECTOR && slot == MATRIX_A)
		check_fragment(c, o, slot);
	else if (o->kind != OPERAND_REGISTER || ptx_types[o->reg->type].bits != 64)
		FAIL(c, o, "expected a register of 64 bits with the descriptor of a matrix%s",
			slot == MATRIX_A ? ", or a vector of registers" : "");
}

/* Of wgmma: imm-scale-a and -b, imm-trans-a and -b, of which those are written that the types and a in registers leave.
 */
static void check_scales(const struct checking *c)
{
	const struct ptx_instruction *insn = c->insn;
	const struct ptx_operand *first = &insn->operand[4];
	uint32_t want, given = 0;
	struct matrix x;

	if (matrix_read(insn->opcode, &x))
		return;
	want = (matrix_has_scales(&x) ? 2u : 0u) +
	       (matrix_is_transposable(&x) ? insn->operand[MATRIX_A].kind == OPERAND_VECTOR ? 1u : 2u : 0u);
	for (; given < 4 && first[given].kind != OPERAND_NONE; given++) {
		const struct ptx_operand *o = &first[given];
		bool is_scale = given < 2, fits = is_scale ? o->bits == 1 || o->bits == UINT64_MAX : o->bits <= 1;

		if (o->kind != OPERAND_IMMEDIATE || o->is_float || !fits)
			FAIL(c, o, "expected %s",
				is_scale ? "1 or -1, the sign of a multiplicand"
					 : "0 or 1: whether a multiplicand is transposed");
	}
	if (given != want && !parse_failed(c->p))
		parse_error(c->p, c->mnemonic, "'%s' expects %u constants behind scale-d; found %u", insn->opcode, want,
			given);
}

static void check_operand(const struct checking *c, uint32_t slot, char letter)
{
	const struct ptx_operand *o = &c->insn->operand[slot];
	enum ptx_type type = ptx_operand_type(c->insn->op, c->insn->type, slot);

	check_decorations(c, o, letter);
	switch (letter) {
	case 'd': check_destination(c, o, type); break;
	case 'p': check_predicate(c, o, true); break;
	case 's': check_predicate(c, o, false); break;
	case 'm':
		if (is_of_image(c))
			check_image(c, o);
		else
			check_address(c, o, c->insn->modifiers.space);
		break;
	case 'i': check_gradient(c, o, type); break;
	case 'g': check_address(c, o, space_GLOBAL); break;
	case 'h': check_address(c, o, space_SHARED); break;
	case 'n': check_tensor(c, o); break;
	case 'o': check_pixel_offsets(c, o); break;
	case 'w': check_fragment(c, o, slot); break;
	case 'x': check_descriptor(c, o, slot); break;
	case 'q': check_copied(c, o); break;
	case 'v': check_data(c, o, type, slot == 0); break;
	case 'l': break;
	case 'y':
		if (o->kind == OPERAND_REGISTER && ptx_types[o->reg->type].bits != 64)
			FAIL(c, o, "'%s' is .%s: a cache policy is .b64", o->reg->name, ptx_types[o->reg->type].text);
		else
			check_value(c, o, type);
		break;
	case 't':
		if (o->kind != OPERAND_TABLE)
			FAIL(c, o, "expected the label of a .branchtargets list");
		break;
	default:
		if (o->kind == OPERAND_VECTOR)
			check_parts(c, o, false);
		else
			check_value(c, o, type);
	}
}

/* Of alloca: a constant power of two, 2^23 at most. */
static void check_alignment(const struct checking *c, const struct ptx_operand *o)
{
	if (o->kind != OPERAND_IMMEDIATE || !o->bits || (o->bits & (o->bits - 1)) || o->bits > 1u << 23)
		FAIL(c, o, "an alignment is a constant power of two, at most 8388608");
}

/* Of cp.async: how much a thread copies. */
static void check_copy_size(const struct checking *c, const struct ptx_operand *o)
{
	bool is_ca = c->insn->op == OP_cp_async_ca;

	if (o->kind != OPERAND_IMMEDIATE || !(o->bits == 16 || (is_ca && (o->bits == 4 || o->bits == 8))))
		FAIL(c, o, "'%s' copies %s", c->insn->opcode, is_ca ? "4, 8 or 16 bytes" : "16 bytes");
}

/* Of waits for groups: a constant. */
static bool needs_constant(enum op op)
{
	return op == OP_cp_async_wait || op == OP_cp_async_bulk_wait || op == OP_cp_async_bulk_wait_read ||
	       op == OP_wgmma_wait;
}

/* The slot that words of the opcode call for, and which is empty without them; SHAPE_ITEMS when there is no such
 * slot. */
static uint32_t called_for_slot(const struct checking *c, bool *called, const char **what)
{
	const struct ptx_instruction *insn = c->insn;

	switch (c->info->shape) {
	case SHAPE_P_A_B:
	case SHAPE_D_A_B_OS:
		*called = insn->modifiers.boolean != boolean_NONE;
		*what = "a predicate behind the comparison goes with .and .or .xor";
		return c->info->shape == SHAPE_P_A_B ? 4 : 3;
	case SHAPE_VIDEO:
	case SHAPE_VIDEO_SET: /* without need it means nothing, and ptxas takes it */
		*called = insn->modifiers.secondary || insn->operand[0].selector;
		*what = "needs a third source with .add .min .max, or with a part of the destination";
		return *called ? 3 : SHAPE_ITEMS;
	case SHAPE_DP_A_B_C_N_S:
	case SHAPE_DP_A:
		*called = true;
		*what = "the destination is a register and a predicate, d|p";
		return 1;
	case SHAPE_D_A_B_OC:
		*called = insn->modifiers.flags & FLAG_ABS;
		*what = ".abs goes with three inputs, .xorsign.abs with two";
		return insn->modifiers.flags & (FLAG_ABS | FLAG_XORSIGN_ABS) ? 3 : SHAPE_ITEMS;
	default: return SHAPE_ITEMS;
	}
}

/* Whether an operand that may be left out is there exactly when a word calls for it. */
static void check_called_for(const struct checking *c)
{
	bool called = false;
	const char *what = "";
	uint32_t slot = called_for_slot(c, &called, &what);

	if (slot < SHAPE_ITEMS && called != (c->insn->operand[slot].kind != OPERAND_NONE))
		parse_error(c->p, c->mnemonic, "'%s': %s", c->insn->opcode, what);
	else if (slot < SHAPE_ITEMS && c->insn->modifiers.secondary && c->insn->operand[0].selector)
		FAIL(c, &c->insn->operand[0], "'%s' has a part of the destination or .add .min .max, not both",
			c->insn->opcode);
}

/* A cache policy is the last operand, a register of 64 bits, exactly when .L2::cache_hint is written. */
static void check_cache_policy(const struct checking *c, const struct shape_item *items, uint32_t count)
{
	const struct ptx_operand *last = count && items[count - 1].letter == 'y' ? &c->insn->operand[count - 1] : NULL;
	const struct ptx_operand *copied = count > 3 && items[3].letter == 'q' ? &c->insn->operand[3] : NULL;
	bool is_policy = copied && copied->kind == OPERAND_REGISTER && ptx_types[copied->reg->type].bits == 64;

	if (!last)
		return;
	if ((last->kind != OPERAND_NONE || is_policy) != ((c->insn->modifiers.flags & FLAG_CACHE_HINT) != 0))
		parse_error(c->p, c->mnemonic, "'%s': a cache policy goes with .L2::cache_hint", c->insn->opcode);
}

/* PTX ISA, "createpolicy": a fraction above 0.0, 1.0 at most; of a range the primary part is no larger than all. */
static void check_policy(const struct checking *c)
{
	const struct ptx_operand *o = c->insn->operand;
	uint32_t narrow = (uint32_t)o[1].bits;
	double fraction;
	float single;

	if (c->insn->op == OP_createpolicy_range && o[2].kind == OPERAND_IMMEDIATE && o[3].kind == OPERAND_IMMEDIATE &&
		(uint32_t)o[2].bits > (uint32_t)o[3].bits)
		FAIL(c, &o[2], "the primary size of a cache policy is at most the total size");
	if (c->insn->op != OP_createpolicy_fractional || o[1].kind != OPERAND_IMMEDIATE)
		return;
	memcpy(&fraction, &o[1].bits, sizeof fraction);
	memcpy(&single, &narrow, sizeof single);
	if (o[1].is_float32)
		fraction = (double)single;
	if (!(fraction > 0 && fraction <= 1))
		FAIL(c, &o[1], "the fraction of a cache policy is above 0.0 and at most 1.0");
}

/* Of lop3: the table of the function, eight bits. */
static void check_table(const struct checking *c, const struct ptx_operand *o)
{
	if (o->kind != OPERAND_IMMEDIATE || o->bits > 255)
		FAIL(c, o, "the function of lop3 is a constant from 0 to 255");
}

/* Of setmaxnreg: how many registers a thread shall have (PTX ISA, "Miscellaneous Instructions: setmaxnreg"). */
static void check_register_count(const struct checking *c, const struct ptx_operand *o)
{
	if (o->kind != OPERAND_IMMEDIATE || o->is_float || o->bits < 24 || o->bits > 256 || o->bits % 8)
		FAIL(c, o, "the registers of setmaxnreg are a constant from 24 to 256, a multiple of 8");
}

/* PTX ISA, "tensormap.replace": the dimension is a constant, and what stands for a word is; a rank may come from a
 * register there, too. */
static void check_map_field(const struct checking *c)
{
	static const uint8_t most[] = {[OP_tensormap_rank - OP_tensormap_address] = 4,
		[OP_tensormap_box - OP_tensormap_address] = 4,
		[OP_tensormap_size - OP_tensormap_address] = 4,
		[OP_tensormap_stride - OP_tensormap_address] = 3,
		[OP_tensormap_step - OP_tensormap_address] = 4,
		[OP_tensormap_type - OP_tensormap_address] = 15,
		[OP_tensormap_interleave - OP_tensormap_address] = 2,
		[OP_tensormap_swizzle - OP_tensormap_address] = 3,
		[OP_tensormap_atom - OP_tensormap_address] = 3,
		[OP_tensormap_fill - OP_tensormap_address] = 1};
	const struct ptx_operand *o = &c->insn->operand[1];

	if (c->insn->op != OP_tensormap_address &&
		(o->kind != OPERAND_IMMEDIATE || o->is_float || o->bits > most[c->insn->op - OP_tensormap_address]))
		FAIL(c, o, "'%s' expects a constant from 0 to %u here", c->insn->opcode,
			most[c->insn->op - OP_tensormap_address]);
}

/* PTX ISA, "membar / fence", "tensormap.cp_fenceproxy": the size of a tensor map. */
static void check_map_size(const struct checking *c, const struct ptx_operand *o)
{
	if (o->kind != OPERAND_IMMEDIATE || o->is_float || o->bits != TENSOR_MAP_BYTES)
		FAIL(c, o, "'%s' takes the size of a tensor map, the constant %d", c->insn->opcode, TENSOR_MAP_BYTES);
}

static bool has_offsets(const struct ptx_instruction *insn, const struct shape_item *items, uint32_t count)
{
	for (uint32_t k = 0; k < count; k++)
		if (items[k].letter == 'o')
			return insn->operand[k].kind != OPERAND_NONE;
	return true;
}

void check_instruction(struct parser *p, const struct token *mnemonic, const struct ptx_instruction *insn)
{
	struct checking c = {p, mnemonic, insn, &ptx_ops[insn->op]};
	struct shape_item items[SHAPE_ITEMS];
	uint32_t count = shape_items(c.info->shape, items);

	for (uint32_t i = 0; i < count && !parse_failed(p); i++)
		if (insn->operand[i].kind != OPERAND_NONE)
			check_operand(&c, i, items[i].letter);
	if (!parse_failed(p))
		check_called_for(&c);
	if (!parse_failed(p))
		check_cache_policy(&c, items, count);
	if (ptx_is_mnemonic(c.info, "createpolicy") && !parse_failed(p))
		check_policy(&c);
	if (ptx_is_mnemonic(c.info, "lop3") && !parse_failed(p))
		check_table(&c, &insn->operand[insn->op == OP_lop3 ? 4 : 5]);
	if (insn->op == OP_alloca && insn->operand[2].kind != OPERAND_NONE && !parse_failed(p))
		check_alignment(&c, &insn->operand[2]);
	if ((insn->op == OP_cp_async_ca || insn->op == OP_cp_async_cg) && !parse_failed(p))
		check_copy_size(&c, &insn->operand[2]);
	if (insn->op >= OP_tensormap_address && insn->op <= OP_tensormap_fill && !parse_failed(p))
		check_map_field(&c);
	if ((insn->op == OP_tensormap_copy || insn->op == OP_fence_tensormap_acquire) && !parse_failed(p))
		check_map_size(&c, &insn->operand[insn->op == OP_tensormap_copy ? 2 : 1]);
	if (insn->modifiers.box == box_IM2COL && !has_offsets(insn, items, count) && !parse_failed(p))
		parse_error(p, mnemonic, "'%s' expects offsets of the pixels", insn->opcode);
	if (needs_constant(insn->op) && insn->operand[0].kind != OPERAND_IMMEDIATE && !parse_failed(p))
		FAIL(&c, &insn->operand[0], "'%s' takes a constant", insn->opcode);
	if (insn->op == OP_wgmma && !parse_failed(p))
		check_scales(&c);
	if (ptx_is_mnemonic(c.info, "setmaxnreg") && !parse_failed(p))
		check_register_count(&c, &insn->operand[0]);
	if (count > 1 && insn->operand[0].kind == OPERAND_VECTOR && insn->operand[1].kind == OPERAND_VECTOR &&
		ptx_is_mnemonic(c.info, "mov"))
		parse_error(p, mnemonic, "'mov' does not take vectors on both sides");
}

/* ---- calls ---- */

static void check_argument(
	const struct checking *c, const struct ptx_operand *o, const struct ptx_variable *formal, bool is_return)
{
	uint64_t bits = formal->size * 8;
	bool is_predicate = ptx_types[formal->type].kind == KIND_PREDICATE;

	if (o->kind == OPERAND_VARIABLE && o->variable->space == space_PARAM && !o->offset) {
		if (formal->space != space_PARAM || (formal->size && o->variable->size != formal->size))
			FAIL(c, o, "'%s' has %llu bytes: parameter '%s' has %llu", o->variable->name,
				(unsigned long long)o->variable->size, formal->name, (unsigned long long)formal->size);
	} else if (o->kind == OPERAND_REGISTER) {
		bool fits = is_predicate ? o->reg->type == TYPE_PRED
					 : !formal->size || ptx_types[o->reg->type].bits == bits;

		if (!fits)
			FAIL(c, o, "'%s' is .%s: parameter '%s' is .%s", o->reg->name, ptx_types[o->reg->type].text,
				formal->name, ptx_types[formal->type].text);
	} else if (!(o->kind == OPERAND_IMMEDIATE && !is_return) && !(o->kind == OPERAND_SINK && is_return)) {
		FAIL(c, o, "expected a .param variable%s", is_return ? " or a register" : ", a register or a constant");
	}
}

static void check_arguments(const struct checking *c, const struct ptx_operand *list, uint32_t count,
	struct ptx_variable **formals, uint32_t formal_count, const char *what)
{
	bool is_open = formal_count && !formals[formal_count - 1]->size &&
		       ptx_types[formals[formal_count - 1]->type].kind != KIND_PREDICATE;

	if (count != formal_count && !(is_open && count + 1 >= formal_count)) {
		parse_error(c->p, c->mnemonic, "this call has %u %s: the function has %u", count, what, formal_count);
		return;
	}
	for (uint32_t i = 0; i < count && !parse_failed(c->p); i++)
		check_argument(c, &list[i], formals[i < formal_count ? i : formal_count - 1], what[0] == 'r');
}

void check_call(struct parser *p, const struct token *mnemonic, const struct ptx_instruction *insn)
{
	struct checking c = {p, mnemonic, insn, &ptx_ops[insn->op]};
	const struct ptx_operand *callee = &insn->operand[0], *prototype = &insn->operand[1];
	const struct ptx_prototype *signature = NULL;

	if (callee->kind == OPERAND_FUNCTION)
		signature = &callee->function->signature;
	else if (callee->kind != OPERAND_REGISTER)
		FAIL(&c, callee, "expected a function or a register that holds a function's address");
	else if (prototype->kind != OPERAND_PROTOTYPE)
		parse_error(p, mnemonic, "an indirect call needs the label of a .callprototype or .calltargets list");
	else if (check_register(&c, callee, TYPE_NONE), !parse_failed(p))
		signature = prototype->prototype;
	if (prototype->kind != OPERAND_NONE && prototype->kind != OPERAND_PROTOTYPE && !parse_failed(p))
		FAIL(&c, prototype, "expected the label of a .callprototype or .calltargets list");
	if (parse_failed(p) || !signature)
		return;
	if (callee->kind == OPERAND_FUNCTION && callee->function->is_entry)
		FAIL(&c, callee, "'%s' is an .entry: a kernel cannot be called", callee->function->name);
	check_arguments(
		&c, insn->returns, insn->return_count, signature->returns, signature->return_count, "returned values");
	check_arguments(&c, insn->arguments, insn->argument_count, signature->parameters, signature->parameter_count,
		"arguments");
}
