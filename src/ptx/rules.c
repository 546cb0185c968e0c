/* Rules that the rows of ops.def cannot say: which words and types go together.  From the instructions' pages in the
 * PTX ISA manual. */
#include "ptx/rules.h"

#include "ptx/type_sets.h"

#include <stddef.h>
#include <string.h>

static const char *first_problem(const char *one, const char *other)
{
	return one ? one : other;
}

/* Conversions: the roundings that the types call for. */

static bool is_float(enum ptx_type type)
{
	return ptx_types[type].kind == KIND_FLOAT;
}

/* Significand bits, as far as they order the formats. */
static int precision_of(enum ptx_type type)
{
	switch (type) {
	case TYPE_BF16: return 8;
	case TYPE_F16:
	case TYPE_TF32: return 11;
	case TYPE_F32: return 24;
	default: return 53;
	}
}

/* Null when the roundings of a `cvt` are those of its types, else what is wrong. */
static const char *cvt_rounding_problem(const struct ptx_modifiers *modifiers, enum ptx_type to, enum ptx_type from)
{
	bool integral = modifiers->rounding >= rounding_RNI, rounded = modifiers->rounding != rounding_NONE;
	if (!(TYPE_BITS(CVT) >> from & 1) || (from == TYPE_TF32))
		return "the second type is not one that can be converted";
	if (to == TYPE_TF32)
		return from != TYPE_F32 ? "only .f32 converts to .tf32"
		       : modifiers->rounding == rounding_RN || modifiers->rounding == rounding_RZ ||
				       modifiers->rounding == rounding_RNA
			       ? NULL
			       : "needs .rn .rz or .rna";
	if (modifiers->rounding == rounding_RNA)
		return "only conversions to .tf32 take .rna";
	if (!is_float(to) && !is_float(from))
		return rounded ? "conversions between integers take no rounding" : NULL;
	if (!is_float(to))
		return integral ? NULL : "needs .rni .rzi .rmi or .rpi";
	if (!is_float(from))
		return rounded && !integral ? NULL : "needs .rn .rz .rm or .rp";
	if (to == from)
		return rounded && !integral ? "takes only .rni .rzi .rmi .rpi" : NULL;
	if (precision_of(to) > precision_of(from))
		return rounded ? "a widening conversion takes no rounding" : NULL;
	return rounded && !integral ? NULL : "needs .rn .rz .rm or .rp";
}

static bool is_brain(enum ptx_type type)
{
	return type == TYPE_BF16 || type == TYPE_BF16X2;
}

/* Whether a value of one integer type may lie outside another: only then is there something to saturate. */
static bool may_not_fit(enum ptx_type to, enum ptx_type from)
{
	const struct ptx_type_info *t = &ptx_types[to], *f = &ptx_types[from];
	bool signs = t->kind == KIND_SIGNED, signed_values = f->kind == KIND_SIGNED;

	if (signs == signed_values)
		return f->bits > t->bits;
	return signed_values || f->bits >= t->bits;
}

/* Null when `cvt` may be written with these flags, else what is wrong. */
static const char *cvt_flags_problem(const struct ptx_modifiers *modifiers, enum ptx_type to, enum ptx_type from)
{
	uint32_t flags = modifiers->flags;
	bool narrows = from == TYPE_F32 && (to == TYPE_F16 || to == TYPE_BF16 || to == TYPE_TF32);
	bool nearest_or_zero = modifiers->rounding == rounding_RN || modifiers->rounding == rounding_RZ;

	if ((flags & FLAG_FTZ) && ((to != TYPE_F32 && from != TYPE_F32) || to == TYPE_TF32))
		return ".ftz goes with .f32";
	if ((flags & FLAG_SAT) && (is_brain(to) || is_brain(from) || to == TYPE_TF32))
		return ".sat does not go with .bf16 and .tf32";
	if ((flags & FLAG_SAT) && !is_float(to) && !is_float(from) && !may_not_fit(to, from))
		return "every value fits: there is nothing to saturate";
	if (!(flags & (FLAG_RELU | FLAG_SATFINITE)))
		return NULL;
	if (!narrows)
		return ".relu and .satfinite go with conversions of .f32 to .f16 .bf16 .tf32";
	if (flags & (FLAG_FTZ | FLAG_SAT))
		return ".relu and .satfinite go with neither .ftz nor .sat";
	if (modifiers->rounding == rounding_RNA)
		return flags & FLAG_RELU ? ".relu goes with .rn and .rz" : NULL;
	return nearest_or_zero ? NULL : ".relu and .satfinite go with .rn and .rz";
}

static const char *pair_problem(const struct ptx_modifiers *modifiers)
{
	return modifiers->rounding ? NULL : "needs .rn or .rz";
}

static bool is_pair(enum ptx_type type)
{
	return type == TYPE_F16X2 || type == TYPE_BF16X2;
}

/* Floats of 8, 6 and 4 bits, and .ue8m0, which is an exponent: to the former numbers are rounded to nearest. */
static const char *to_small_problem(const struct ptx_modifiers *modifiers, enum ptx_type to)
{
	if (to == TYPE_UE8M0X2) {
		if (modifiers->flags & FLAG_RELU)
			return ".relu does not go with .ue8m0x2";
		return modifiers->rounding == rounding_RZ || modifiers->rounding == rounding_RP ? NULL
												: "needs .rz or .rp";
	}
	if (modifiers->rounding != rounding_RN)
		return "needs .rn";
	return modifiers->flags & FLAG_SATFINITE ? NULL : "needs .satfinite";
}

static const char *from_small_problem(const struct ptx_modifiers *modifiers, enum ptx_type to, enum ptx_type from)
{
	bool is_small = TYPE_BITS(SMALL_FLOATS) >> from & 1;

	if (!is_small || (from == TYPE_UE8M0X2) != (to == TYPE_BF16X2))
		return to == TYPE_BF16X2 ? "a pair of .bf16 is made of two .f32, or of .ue8m0x2"
					 : "a pair of .f16 is made of two .f32, or of .e4m3x2 .e5m2x2 .e2m3x2 .e3m2x2 "
					   ".e2m1x2";
	if (modifiers->rounding != rounding_RN)
		return "needs .rn";
	if (modifiers->flags & FLAG_SATFINITE)
		return "every value fits: .satfinite does not go with it";
	return modifiers->flags && to == TYPE_BF16X2 ? ".relu does not go with .ue8m0x2" : NULL;
}

static const char *small_problem(const struct ptx_modifiers *modifiers, enum ptx_type to, enum ptx_type from)
{
	if (is_pair(to))
		return from_small_problem(modifiers, to, from);
	if (to == TYPE_UE8M0X2)
		return from == TYPE_BF16X2 ? to_small_problem(modifiers, to)
					   : ".ue8m0x2 is made of two .f32, or of .bf16x2";
	if (to == TYPE_E2M3X2 || to == TYPE_E3M2X2)
		return "floats of 6 bits are made of two .f32";
	return from == TYPE_F16X2 ? to_small_problem(modifiers, to)
				  : "floats of 8 and 4 bits are made of two .f32, or of .f16x2";
}

static bool is_float_or_pair(enum ptx_type type)
{
	return is_float(type) || is_pair(type);
}

/* Integers without a sign have two names for each order; bits are equal or not. */
static const char *comparison_problem(const struct ptx_modifiers *modifiers, enum ptx_type compared)
{
	unsigned compare = modifiers->compare;

	if (!compare)
		return "needs a comparison (.eq .ne .lt .le .gt .ge ...)";
	if (is_float_or_pair(compared))
		return compare >= compare_LO && compare <= compare_HS ? ".lo .ls .hi .hs compare integers" : NULL;
	if (compare >= compare_EQU)
		return "compares integers: only .eq .ne .lt .le .gt .ge .lo .ls .hi .hs";
	if (ptx_types[compared].kind == KIND_BITS)
		return compare > compare_NE ? "bits have no order: only .eq .ne" : NULL;
	return compare >= compare_LO && ptx_types[compared].kind == KIND_SIGNED
		       ? ".lo .ls .hi .hs compare unsigned integers"
		       : NULL;
}

/* Denormals of .bf16 and .f64 are never flushed; integers have none. */
static const char *flush_problem(const struct ptx_modifiers *modifiers, enum ptx_type type)
{
	bool has_flush = type == TYPE_F32 || type == TYPE_F16 || type == TYPE_F16X2;

	return (modifiers->flags & FLAG_FTZ) && !has_flush ? ".ftz goes with .f32 .f16 .f16x2" : NULL;
}

/* Which sources a result of `set` has: the manual lists those of halves one by one. */
static const char *set_source_problem(enum ptx_type to, enum ptx_type compared)
{
	bool is_half = compared == TYPE_F16 || compared == TYPE_BF16;

	if (is_pair(compared))
		return to == compared || to == TYPE_U32 || to == TYPE_S32
			       ? NULL
			       : "a pair is compared to a pair of its type, .u32 or .s32";
	if (is_pair(to))
		return "a pair of results needs a pair to compare";
	if (to == TYPE_U16 || to == TYPE_S16)
		return is_half ? NULL : "results of 16 bits are of .f16 or .bf16";
	if (to == TYPE_F32)
		return is_half ? "halves are not compared to .f32" : NULL;
	return to == TYPE_F16 && compared == TYPE_BF16 ? ".bf16 is not compared to .f16" : NULL;
}

static const char *set_problem(const struct ptx_modifiers *modifiers, enum ptx_type to, enum ptx_type compared)
{
	const char *problem = set_source_problem(to, compared);

	if (!((TYPE_BITS(ORDERED) | TYPE_BITS(COMPARED_FLOATS)) >> compared & 1))
		return "the second type is not one that can be compared";
	if (!problem)
		problem = comparison_problem(modifiers, compared);
	return problem ? problem : flush_problem(modifiers, is_brain(to) ? to : compared);
}

static const char *multi_way_problem(const struct ptx_modifiers *modifiers)
{
	if (modifiers->secondary > secondary_ADD)
		return "2- and 4-way forms take only .add as secondary operation";
	return modifiers->secondary && (modifiers->flags & FLAG_SAT) ? ".sat and .add exclude each other" : NULL;
}

/* 16 bytes at most, in global memory; halves are never flushed. */
static const char *vector_atomic_problem(const struct ptx_modifiers *modifiers, enum ptx_type type)
{
	bool is_half = type == TYPE_F16 || type == TYPE_BF16;
	if (!modifiers->vector)
		return "this type goes with .v2 .v4 or .v8";
	if (modifiers->vector == vector_V8 && !is_half)
		return "of this type there are vectors .v2 and .v4";
	if (modifiers->space && modifiers->space != space_GLOBAL)
		return "vectors are in global memory";
	if (!(modifiers->flags & FLAG_NOFTZ) != (type == TYPE_F32))
		return type == TYPE_F32 ? ".f32 does not take .noftz" : "needs .noftz";
	return NULL;
}

/* PTX ISA, "cp.reduce.async.bulk": halves keep their subnormals, and it must be said. */
static const char *bulk_add_problem(const struct ptx_modifiers *modifiers, enum ptx_type type)
{
	bool is_half = type == TYPE_F16 || type == TYPE_BF16;
	if (is_half == ((modifiers->flags & FLAG_NOFTZ) != 0))
		return NULL;
	return is_half ? "needs .noftz with this type" : ".noftz goes with .f16 .bf16";
}

static bool is_cube(const struct ptx_modifiers *modifiers)
{
	return modifiers->geometry == geometry_CUBE || modifiers->geometry == geometry_ACUBE;
}

/* Types written: of a texel, of a coordinate. */
static const char *texture_problem(const struct ptx_modifiers *modifiers, const enum ptx_type types[4])
{
	if (modifiers->vector != vector_V4)
		return "a texel is four values: .v4";
	if (!modifiers->geometry)
		return "needs a geometry: .1d .2d .3d .a1d .a2d .cube or .acube";
	if (types[1] != TYPE_F32 && types[1] != TYPE_S32)
		return "coordinates are .f32 or .s32";
	return is_cube(modifiers) && types[1] != TYPE_F32 ? "coordinates of cubes are .f32" : NULL;
}

static const char *gather_problem(const struct ptx_modifiers *modifiers, const enum ptx_type types[4])
{
	if (modifiers->geometry != geometry_2D && modifiers->geometry != geometry_NONE)
		return "only .2d is supported";
	return types[1] != TYPE_F32 ? "coordinates are .f32" : texture_problem(modifiers, types);
}

static const char *surface_problem(const struct ptx_modifiers *modifiers)
{
	if (modifiers->vector == vector_V8)
		return "a surface is accessed by one, two or four values";
	return modifiers->geometry ? NULL : "needs a geometry: .1d .2d .3d .a1d or .a2d";
}

/* PTX ISA, "cp.async.bulk.tensor": pixels are those of images, which have three dimensions at least. */
static const char *tensor_problem(enum op op, const struct ptx_modifiers *modifiers)
{
	bool leaves = op != OP_cp_tensor_load && op != OP_cp_tensor_load_cta && op != OP_cp_tensor_multicast &&
		      op != OP_cp_tensor_prefetch;
	bool is_few = modifiers->geometry == geometry_1D || modifiers->geometry == geometry_2D;

	if (!modifiers->geometry)
		return "needs the number of dimensions: .1d .2d .3d .4d or .5d";
	if (modifiers->box == (leaves ? box_IM2COL : box_IM2COL_NO_OFFSETS))
		return leaves ? "a copy to global memory has .im2col_no_offs" : ".im2col_no_offs goes to global memory";
	return is_few && modifiers->box > box_TILE ? ".im2col has .3d .4d or .5d" : NULL;
}

static bool is_integer32(enum ptx_type type)
{
	return type == TYPE_U32 || type == TYPE_S32;
}

static const char *video_set_problem(const struct ptx_modifiers *modifiers, enum ptx_type type)
{
	return is_integer32(type) ? comparison_problem(modifiers, type) : "the second type is .u32 or .s32";
}

static const char *video_problem(const enum ptx_type types[4])
{
	return is_integer32(types[1]) && is_integer32(types[2]) ? NULL : "the types are .u32 or .s32";
}

static const char *video_shift_problem(const struct ptx_modifiers *modifiers, const enum ptx_type types[4])
{
	if (types[2] != TYPE_U32)
		return "shifts by a .u32";
	return modifiers->limit ? video_problem(types) : "needs .clamp or .wrap";
}

/* Words and types of what computes. */
static const char *value_rule_broken(enum op op, const struct ptx_modifiers *modifiers, const enum ptx_type types[4])
{
	switch (op) {
	case OP_cvt:
		return first_problem(cvt_rounding_problem(modifiers, types[0], types[1]),
			cvt_flags_problem(modifiers, types[0], types[1]));
	case OP_cvt_pair: return pair_problem(modifiers);
	case OP_cvt_small_pair: return to_small_problem(modifiers, types[0]);
	case OP_cvt_small: return small_problem(modifiers, types[0], types[1]);
	case OP_cvt_pack_short: return types[1] == TYPE_S32 ? NULL : "packs .s32 only";
	case OP_cvt_pack_byte:
		return types[1] != TYPE_S32   ? "packs .s32 only"
		       : types[2] == TYPE_B32 ? NULL
					      : "the third type is .b32";
	case OP_setp: return comparison_problem(modifiers, types[0]);
	case OP_setp_float:
		return first_problem(comparison_problem(modifiers, types[0]), flush_problem(modifiers, types[0]));
	case OP_set: return set_problem(modifiers, types[0], types[1]);
	case OP_abs_half:
	case OP_neg_half:
	case OP_min_half:
	case OP_max_half: return flush_problem(modifiers, types[0]);
	case OP_fma_f32:
	case OP_fma_f64:
	case OP_fma_f32x2:
	case OP_fma_f16:
	case OP_fma_bf16:
		if (!modifiers->rounding)
			return "needs a rounding: .rn, and in .f32 and .f64 also .rz .rm .rp";
		return (modifiers->flags & FLAG_RELU) && (modifiers->flags & FLAG_SAT)
			       ? ".relu and .sat exclude each other"
			       : NULL;
	case OP_ex2_bf16: return modifiers->flags & FLAG_FTZ ? NULL : "needs .ftz with this type";
	case OP_redux_min:
	case OP_redux_max: return modifiers->flags && types[0] != TYPE_F32 ? ".abs and .NaN go with .f32" : NULL;
	case OP_dp4a:
	case OP_dp2a_lo:
	case OP_dp2a_hi: return is_integer32(types[1]) ? NULL : "the second type is .u32 or .s32";
	case OP_vset: return video_set_problem(modifiers, types[1]);
	case OP_vset2:
	case OP_vset4: return first_problem(video_set_problem(modifiers, types[1]), multi_way_problem(modifiers));
	case OP_vadd:
	case OP_vsub:
	case OP_vabsdiff:
	case OP_vmin:
	case OP_vmax: return video_problem(types);
	case OP_vshl:
	case OP_vshr: return video_shift_problem(modifiers, types);
	case OP_vmad:
		if ((modifiers->flags & FLAG_SHR7) && (modifiers->flags & FLAG_SHR15))
			return ".shr7 and .shr15 exclude each other";
		return video_problem(types);
	case OP_vadd2:
	case OP_vsub2:
	case OP_vavrg2:
	case OP_vabsdiff2:
	case OP_vmin2:
	case OP_vmax2:
	case OP_vadd4:
	case OP_vsub4:
	case OP_vavrg4:
	case OP_vabsdiff4:
	case OP_vmin4:
	case OP_vmax4: return first_problem(multi_way_problem(modifiers), video_problem(types));
	case OP_add_mixed:
	case OP_sub_mixed:
	case OP_fma_mixed:
		if (op == OP_fma_mixed && !modifiers->rounding)
			return "needs a rounding: .rn .rz .rm .rp";
		return types[1] == TYPE_F16 || types[1] == TYPE_BF16 ? NULL : "the second type must be .f16 or .bf16";
	case OP_slct:
		if (types[1] != TYPE_S32 && types[1] != TYPE_F32)
			return "selects by .s32 or .f32";
		return flush_problem(modifiers, types[1]);
	default: return NULL;
	}
}

/* Words and types of textures, surfaces, copies and addresses. */
static const char *place_rule_broken(enum op op, const struct ptx_modifiers *modifiers, const enum ptx_type types[4])
{
	switch (op) {
	case OP_atom_add_vector:
	case OP_atom_min_vector:
	case OP_atom_max_vector:
	case OP_red_add_vector:
	case OP_red_min_vector:
	case OP_red_max_vector: return vector_atomic_problem(modifiers, types[0]);
	case OP_createpolicy_fractional:
	case OP_createpolicy_range:
		return modifiers->primary ? NULL : "needs a priority: .L2::evict_last _normal _first or _unchanged";
	case OP_cp_reduce_add: return bulk_add_problem(modifiers, types[0]);
	case OP_cp_tensor_multicast:
	case OP_cp_tensor_load:
	case OP_cp_tensor_load_cta:
	case OP_cp_tensor_store:
	case OP_cp_tensor_prefetch:
	case OP_cp_tensor_add:
	case OP_cp_tensor_min:
	case OP_cp_tensor_max:
	case OP_cp_tensor_inc:
	case OP_cp_tensor_dec:
	case OP_cp_tensor_and:
	case OP_cp_tensor_or:
	case OP_cp_tensor_xor: return tensor_problem(op, modifiers);
	case OP_cp_async_ca:
	case OP_cp_async_cg: return modifiers->space == space_SHARED ? NULL : "copies from .global to .shared";
	case OP_tex:
	case OP_tex_base:
	case OP_tex_level:
	case OP_tex_grad: return texture_problem(modifiers, types);
	case OP_tld4_r:
	case OP_tld4_g:
	case OP_tld4_b:
	case OP_tld4_a: return gather_problem(modifiers, types);
	case OP_suld:
	case OP_sust:
	case OP_sust_formatted:
	case OP_sured_add:
	case OP_sured_min:
	case OP_sured_max:
	case OP_sured_and:
	case OP_sured_or: return surface_problem(modifiers);
	case OP_cvta:
	case OP_cvta_to:
	case OP_isspacep: return modifiers->space ? NULL : "needs a state space";
	case OP_mapa:
	case OP_getctarank:
		return modifiers->space && !modifiers->cluster ? "its only state space is .shared::cluster" : NULL;
	default: return NULL;
	}
}

const char *ptx_rule_broken(
	enum op op, const struct ptx_words *words, const struct ptx_modifiers *modifiers, const enum ptx_type types[4])
{
	const char *problem = value_rule_broken(op, modifiers, types);

	if (!problem)
		problem = place_rule_broken(op, modifiers, types);
	if ((op == OP_cluster_arrive || op == OP_cluster_wait) && strcmp(words->word[0], "cluster"))
		problem = "is written .cluster first";
	if ((op == OP_cvt_pair || op == OP_cvt_small_pair) && strcmp(words->word[words->count - 1], "f32"))
		problem = "no .f32 is made of that";
	return problem ? problem : ptx_access_rule_broken(op, words, modifiers, types);
}
