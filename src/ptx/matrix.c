/* The opcodes of matrix instructions: words to shape, layouts and types, and which of them go together (PTX ISA, "Warp
 * Level Matrix Multiply-Accumulate Instructions" and "Asynchronous Warpgroup Level Matrix Instructions"). */
#include "ptx/matrix.h"

#include <stdio.h>
#include <string.h>

/* What the words say, before it is known whether they go together. */
struct words {
	struct matrix matrix;
	uint32_t types, layouts;
	uint8_t type[4];
	bool by_columns[2];
	bool is_wmma, is_popc, is_and, has_shape;
	const char *problem;
};

static const struct {
	const char *text;
	uint8_t type, bits;
} types[] = {
	{"f16", MATRIX_F16, 16},
	{"bf16", MATRIX_BF16, 16},
	{"tf32", MATRIX_TF32, 32},
	{"f32", MATRIX_F32, 32},
	{"f64", MATRIX_F64, 64},
	{"s8", MATRIX_S8, 8},
	{"u8", MATRIX_U8, 8},
	{"s4", MATRIX_S4, 4},
	{"u4", MATRIX_U4, 4},
	{"b1", MATRIX_B1, 1},
	{"s32", MATRIX_S32, 32},
	{"b16", MATRIX_B16, 16},
	{"e4m3", MATRIX_E4M3, 8},
	{"e5m2", MATRIX_E5M2, 8},
};

uint32_t matrix_bits(enum matrix_type type)
{
	for (size_t k = 0; k < sizeof types / sizeof *types; k++)
		if (types[k].type == type)
			return types[k].bits;
	return 0;
}

const char *matrix_type_name(enum matrix_type type)
{
	for (size_t k = 0; k < sizeof types / sizeof *types; k++)
		if (types[k].type == type)
			return types[k].text;
	return "";
}

/* ---- One word ---- */

static bool take_type(struct words *w, const char *word)
{
	for (size_t k = 0; k < sizeof types / sizeof *types; k++)
		if (!strcmp(types[k].text, word)) {
			if (w->types < 4)
				w->type[w->types] = types[k].type;
			w->types++;
			return true;
		}
	return false;
}

static bool take_shape(struct words *w, const char *word)
{
	unsigned m = 0, n = 0, k = 0;
	int length = 0;

	if (sscanf(word, "m%un%u%n", &m, &n, &length) == 2 && word[length] == 'k' &&
		sscanf(word + length, "k%u", &k) != 1)
		return false;
	if (!m || m > 64 || n > 256 || k > 256)
		return false;
	w->matrix.m = (uint8_t)m;
	w->matrix.n = (uint16_t)n;
	w->matrix.k = (uint16_t)k;
	w->has_shape = true;
	return true;
}

static bool take_layout(struct words *w, const char *word)
{
	bool by_columns = !strcmp(word, "col");

	if (!by_columns && strcmp(word, "row"))
		return false;
	if (w->layouts < 2)
		w->by_columns[w->layouts] = by_columns;
	w->layouts++;
	return true;
}

static bool take_part(struct words *w, const char *word)
{
	static const char letters[] = "dabc";

	if (strlen(word) != 1 || !strchr(letters, *word))
		return false;
	w->matrix.part = (uint8_t)(strchr(letters, *word) - letters);
	return true;
}

static bool take_flag(struct words *w, const char *word)
{
	static const char *const silent[] = {
		"sync", "aligned", "mma", "mma_async", "rn", "global", "shared", "shared::cta"};

	for (size_t k = 0; k < sizeof silent / sizeof *silent; k++)
		if (!strcmp(word, silent[k]))
			return true;
	if (!strcmp(word, "load") || !strcmp(word, "store"))
		w->matrix.kind = *word == 'l' ? MATRIX_LOAD : MATRIX_STORE;
	else if (!strcmp(word, "satfinite"))
		w->matrix.saturate = true;
	else if (!strcmp(word, "xor"))
		w->matrix.exclusive_or = true;
	else if (!strcmp(word, "and"))
		w->is_and = true;
	else if (!strcmp(word, "popc"))
		w->is_popc = true;
	else if (!strcmp(word, "trans"))
		w->by_columns[0] = true;
	else if (!strcmp(word, "x1") || !strcmp(word, "x2") || !strcmp(word, "x4"))
		w->matrix.matrices = (uint8_t)(word[1] - '0');
	else
		return false;
	return true;
}

#define UNSUPPORTED "PTX has it, but it is not supported here"

/* Words of PTX for what is not supported: sparse matrices, floats of less than 8 bits, scaled blocks. */
static bool is_unsupported(const char *word)
{
	static const char *const begins[] = {
		"sp", "e3m2", "e2m3", "e2m1", "ue8m0", "ue4m3", "kind::", "block_scale", "scale_vec::", "b8"};

	for (size_t k = 0; k < sizeof begins / sizeof *begins; k++)
		if (!strncmp(word, begins[k], strlen(begins[k])))
			return true;
	return false;
}

static void take_mnemonic(struct words *w, const char *word)
{
	w->is_wmma = !strcmp(word, "wmma");
	w->matrix.kind = !strcmp(word, "ldmatrix")   ? MATRIX_ROWS_LOAD
			 : !strcmp(word, "stmatrix") ? MATRIX_ROWS_STORE
			 : !strcmp(word, "wgmma")    ? MATRIX_GROUP_MULTIPLY
						     : MATRIX_MULTIPLY;
}

/* ---- What goes together ---- */

static bool is_one_of(uint32_t type, uint32_t a, uint32_t b)
{
	return type == a || type == b;
}

/* All that PTX has for these types. */
const struct matrix_shape matrix_shapes[] = {
#define SHAPES(is_wmma, type, ...)                                                                                     \
	{                                                                                                              \
		is_wmma, MATRIX_##type,                                                                                \
		{                                                                                                      \
			__VA_ARGS__                                                                                    \
		}                                                                                                      \
	}
	SHAPES(false, F16, {8, 8, 4}, {16, 8, 8}, {16, 8, 16}),
	SHAPES(false, BF16, {16, 8, 8}, {16, 8, 16}),
	SHAPES(false, TF32, {16, 8, 4}, {16, 8, 8}),
	SHAPES(false, F64, {8, 8, 4}, {16, 8, 4}, {16, 8, 8}, {16, 8, 16}),
	SHAPES(false, S8, {8, 8, 16}, {16, 8, 16}, {16, 8, 32}),
	SHAPES(false, U8, {8, 8, 16}, {16, 8, 16}, {16, 8, 32}),
	SHAPES(false, S4, {8, 8, 32}, {16, 8, 32}, {16, 8, 64}),
	SHAPES(false, U4, {8, 8, 32}, {16, 8, 32}, {16, 8, 64}),
	SHAPES(false, B1, {8, 8, 128}, {16, 8, 128}, {16, 8, 256}),
	SHAPES(true, F16, {16, 16, 16}, {32, 8, 16}, {8, 32, 16}),
	SHAPES(true, BF16, {16, 16, 16}, {32, 8, 16}, {8, 32, 16}),
	SHAPES(true, TF32, {16, 16, 8}),
	SHAPES(true, F64, {8, 8, 4}),
	SHAPES(true, S8, {16, 16, 16}, {32, 8, 16}, {8, 32, 16}),
	SHAPES(true, U8, {16, 16, 16}, {32, 8, 16}, {8, 32, 16}),
	SHAPES(true, S4, {8, 8, 32}),
	SHAPES(true, U4, {8, 8, 32}),
	SHAPES(true, B1, {8, 8, 128}),
	{0},
};

/* Whether the shape is one of the type's. */
static bool is_shape(const struct matrix *x, bool is_wmma, uint8_t type)
{
	for (const struct matrix_shape *row = matrix_shapes; row->type; row++)
		for (size_t k = 0; k < MATRIX_SHAPES && row->is_wmma == is_wmma && row->type == type; k++)
			if (row->shape[k].m == x->m && row->shape[k].n == x->n && row->shape[k].k == x->k)
				return true;
	return false;
}

/* The types of sums that go with a type of factors. */
bool matrix_is_sum(enum matrix_type factor, enum matrix_type sum)
{
	switch (factor) {
	case MATRIX_F16:
	case MATRIX_E4M3:
	case MATRIX_E5M2: return is_one_of(sum, MATRIX_F16, MATRIX_F32);
	case MATRIX_BF16:
	case MATRIX_TF32: return sum == MATRIX_F32;
	case MATRIX_F64: return sum == MATRIX_F64;
	default: return sum == MATRIX_S32;
	}
}

static bool are_factors(uint8_t a, uint8_t b)
{
	if (is_one_of(a, MATRIX_S8, MATRIX_U8))
		return is_one_of(b, MATRIX_S8, MATRIX_U8);
	if (is_one_of(a, MATRIX_S4, MATRIX_U4))
		return is_one_of(b, MATRIX_S4, MATRIX_U4);
	if (is_one_of(a, MATRIX_E4M3, MATRIX_E5M2))
		return is_one_of(b, MATRIX_E4M3, MATRIX_E5M2);
	return a == b;
}

static const char *check_multiply(struct words *w)
{
	struct matrix *x = &w->matrix;

	if (w->types == 2 && w->is_wmma) { /* of f16 only those of D and C are written */
		w->type[3] = w->type[1];
		w->type[1] = w->type[2] = MATRIX_F16;
	} else if (w->types != 4) {
		return "needs the types of d, a, b and c";
	}
	memcpy(x->type, w->type, sizeof x->type);
	if (is_one_of(x->type[MATRIX_A], MATRIX_E4M3, MATRIX_E5M2))
		return UNSUPPORTED;
	if (!are_factors(x->type[MATRIX_A], x->type[MATRIX_B]) ||
		!matrix_is_sum((enum matrix_type)x->type[MATRIX_A], (enum matrix_type)x->type[MATRIX_D]) ||
		!matrix_is_sum((enum matrix_type)x->type[MATRIX_A], (enum matrix_type)x->type[MATRIX_C]))
		return "these types do not go together";
	if (!is_shape(x, w->is_wmma, x->type[MATRIX_A]))
		return "PTX has no such shape for these types (docs/ptx-support.md lists all)";
	if (w->layouts != 2)
		return "needs .row or .col for a and for b";
	x->quad_pairs = !w->is_wmma && x->type[MATRIX_A] == MATRIX_F16 && x->k == 4;
	memcpy(x->columns, w->by_columns, sizeof x->columns);
	if (x->quad_pairs && x->type[MATRIX_C] == MATRIX_F32 && x->type[MATRIX_D] == MATRIX_F16)
		return "with a .f32 c, d is .f32";
	if (!w->is_wmma && !x->quad_pairs && (w->by_columns[0] || !w->by_columns[1]))
		return "takes .row.col only";
	if ((x->type[MATRIX_A] == MATRIX_B1) != (w->is_popc && x->exclusive_or != w->is_and))
		return "bits, and only these, take .xor.popc or .and.popc";
	if (x->saturate && x->type[MATRIX_D] != MATRIX_S32)
		return ".satfinite is supported for integers only";
	return NULL;
}

bool matrix_is_transposable(const struct matrix *x)
{
	return is_one_of(x->type[MATRIX_A], MATRIX_F16, MATRIX_BF16);
}

bool matrix_has_scales(const struct matrix *x)
{
	return x->type[MATRIX_D] != MATRIX_S32;
}

/* PTX ISA, "Asynchronous Warpgroup Level Matrix Shape": m is 64, k is 32 bytes, n a multiple of 8; with integers and
 * bits above 32 a multiple of 16. */
static const char *check_group_shape(const struct matrix *x)
{
	uint32_t step = !matrix_has_scales(x) && x->n > 32 ? 16 : 8;

	if (x->m != 64 || x->k * matrix_bits((enum matrix_type)x->type[MATRIX_A]) != 256 || x->n < 8 || x->n > 256 ||
		x->n % step)
		return "PTX has no such shape for these types (docs/ptx-support.md lists all)";
	return NULL;
}

static const char *check_group_multiply(struct words *w)
{
	struct matrix *x = &w->matrix;
	bool is_bits, is_known;

	if (w->types != 3)
		return "needs the types of d, a and b";
	memcpy(x->type, w->type, 3);
	x->type[MATRIX_C] = x->type[MATRIX_D];
	is_bits = x->type[MATRIX_A] == MATRIX_B1;
	is_known = is_bits || is_one_of(x->type[MATRIX_A], MATRIX_F16, MATRIX_BF16) ||
		   is_one_of(x->type[MATRIX_A], MATRIX_TF32, MATRIX_S8) ||
		   is_one_of(x->type[MATRIX_A], MATRIX_U8, MATRIX_E4M3) || x->type[MATRIX_A] == MATRIX_E5M2;
	if (!is_known || !are_factors(x->type[MATRIX_A], x->type[MATRIX_B]) ||
		!matrix_is_sum((enum matrix_type)x->type[MATRIX_A], (enum matrix_type)x->type[MATRIX_D]))
		return "these types do not go together";
	if (w->layouts)
		return "takes neither .row nor .col";
	if (is_bits != (w->is_popc && w->is_and) || x->exclusive_or)
		return "bits, and only these, take .and.popc";
	if (x->saturate && (is_bits || x->type[MATRIX_D] != MATRIX_S32))
		return ".satfinite goes with .s8 and .u8";
	return check_group_shape(x);
}

static const char *check_fragment(struct words *w)
{
	struct matrix *x = &w->matrix;
	bool is_sum = x->part == MATRIX_C || x->part == MATRIX_D;
	static const uint8_t factors[] = {
		MATRIX_F16, MATRIX_BF16, MATRIX_TF32, MATRIX_F64, MATRIX_S8, MATRIX_S4, MATRIX_B1};
	bool fits = !is_sum && is_shape(x, true, w->type[0]);

	if (w->types != 1)
		return "takes one type";
	for (size_t k = 0; k < sizeof factors && is_sum; k++)
		fits |= matrix_is_sum((enum matrix_type)factors[k], (enum matrix_type)w->type[0]) &&
			is_shape(x, true, factors[k]);
	if (!fits)
		return "PTX has no such shape for this type (docs/ptx-support.md lists all)";
	if (w->layouts != 1)
		return "needs .row or .col";
	if ((x->kind == MATRIX_STORE) != (x->part == MATRIX_D))
		return "a, b and c are loaded, d is stored";
	x->by_columns = w->by_columns[0];
	if (matrix_bits(w->type[0]) < 8 && x->by_columns != (x->part == MATRIX_B))
		return "of this type a is .row and b is .col";
	x->type[x->part] = w->type[0];
	return NULL;
}

static const char *check_rows(struct words *w)
{
	struct matrix *x = &w->matrix;

	if (x->m != 8 || x->n != 8 || x->k)
		return "of the shapes of PTX only .m8n8 is supported";
	if (w->types != 1 || w->type[0] != MATRIX_B16)
		return "of the types of PTX only .b16 is supported";
	if (!x->matrices)
		return "needs .x1 .x2 or .x4";
	x->by_columns = w->by_columns[0];
	return NULL;
}

const char *matrix_read(const char *opcode, struct matrix *matrix)
{
	struct words w = {.matrix = {.kind = MATRIX_MULTIPLY}};
	bool is_first = true;
	char word[32];

	for (const char *at = opcode; *at; is_first = false) {
		size_t length = strcspn(at, ".");

		snprintf(word, sizeof word, "%.*s", (int)length, at);
		at += length + (at[length] == '.');
		if (is_first)
			take_mnemonic(&w, word);
		else if (!take_type(&w, word) && !take_layout(&w, word) && !take_part(&w, word) &&
			 !take_flag(&w, word) && !take_shape(&w, word))
			return is_unsupported(word) ? UNSUPPORTED : "PTX has no such matrix instruction";
	}
	const char *problem = !w.has_shape                                                    ? "needs a shape"
			      : w.matrix.kind == MATRIX_MULTIPLY                              ? check_multiply(&w)
			      : w.matrix.kind == MATRIX_GROUP_MULTIPLY                        ? check_group_multiply(&w)
			      : w.matrix.kind == MATRIX_LOAD || w.matrix.kind == MATRIX_STORE ? check_fragment(&w)
											      : check_rows(&w);
	*matrix = w.matrix;
	return problem;
}

/* ---- Registers ---- */

uint32_t matrix_lanes(const struct matrix *matrix)
{
	return matrix->kind == MATRIX_GROUP_MULTIPLY ? 128 : 32;
}

bool matrix_is_integer(enum matrix_type type)
{
	return type >= MATRIX_S8 && type <= MATRIX_B1;
}

uint32_t matrix_work(const struct matrix *x)
{
	uint32_t warps = matrix_lanes(x) / 32;

	return (uint32_t)x->m * x->n * x->k / 16 * matrix_bits((enum matrix_type)x->type[MATRIX_A]) / warps;
}

uint32_t matrix_register_bits(const struct matrix *matrix, enum matrix_part part)
{
	return matrix->type[part] == MATRIX_F64 ? 64 : 32;
}

uint32_t matrix_registers(const struct matrix *matrix, enum matrix_part part)
{
	uint32_t elements = part == MATRIX_A   ? (uint32_t)matrix->m * matrix->k
			    : part == MATRIX_B ? (uint32_t)matrix->k * matrix->n
					       : (uint32_t)matrix->m * matrix->n;
	bool is_wmma_half = matrix->type[part] == MATRIX_F16 && (part == MATRIX_A || part == MATRIX_B) &&
			    matrix->m * matrix->n == 256 && matrix->kind != MATRIX_GROUP_MULTIPLY;

	if (matrix->kind == MATRIX_ROWS_LOAD || matrix->kind == MATRIX_ROWS_STORE)
		return matrix->matrices;
	if (matrix->quad_pairs)
		elements *= 4;
	return is_wmma_half ? 8
			    : elements * matrix_bits(matrix->type[part]) / matrix_lanes(matrix) /
				      matrix_register_bits(matrix, part);
}
