/* The table of what can be measured. */
#include "primitives.h"

#include <string.h>

/* Two rows: a chain, and eight chains at a time, whose kernels have 5 places in an iteration. */
#define ARITHMETIC_OF(name, type, times, what)                                                                         \
	{name "_chain", type, NO_MEMORY, 20 * (times), what ", each of the one before's result"},                      \
	{                                                                                                              \
		name "_rate", type, NO_MEMORY, 40 * (times), what ", eight that do not wait for each other"            \
	}

const struct primitive primitives[] = {
	{"atomicadd_array_v2", "int ull float double", OWN_WORDS, 20, "atomicAdd to own words, no result"},
	{"atomicadd_scalar_v2", "int ull float double", ONE_WORD, 20, "atomicAdd to one word, no result"},
	{"atomiccas_array_pass_v2", "int ull", OWN_WORDS, 20, "atomicCAS of own words that finds what it expects"},
	{"atomiccas_array_fail", "int ull", OWN_WORDS, 20, "atomicCAS of own words that does not"},
	{"atomiccas_scalar_pass_v2", "int ull", ONE_WORD, 20, "atomicCAS of one word that finds what it expects"},
	{"atomiccas_scalar_fail", "int ull", ONE_WORD, 20, "atomicCAS of one word that does not"},
	{"atomicexch_v2", "int ull float", ONE_WORD, 20, "atomicExch of one word"},
	{"atomicexch_array", "int ull", OWN_WORDS, 20, "atomicExch of own words"},
	{"atomicadd_chain", "int ull", OWN_WORDS, 20, "atomicAdd whose result is the next one's value"},
	{"shared_atomicadd_array", "int", NO_MEMORY, 20, "atomicAdd to own words of shared memory"},
	{"shared_atomicadd_scalar", "int", NO_MEMORY, 20, "atomicAdd to one word of shared memory"},
	{"shared_atomiccas_array", "int", NO_MEMORY, 20, "atomicCAS of own words of shared memory"},
	{"shared_atomiccas_scalar", "int", NO_MEMORY, 20, "atomicCAS of one word of shared memory"},
	{"threadfence_block_array", "int ull float double", TWO_OWN_WORDS, 20,
		"__threadfence_block between updates of two own words"},
	{"threadfence_array", "int ull float double", TWO_OWN_WORDS, 20, "__threadfence, likewise"},
	{"threadfence_system_array", "int ull float double", TWO_OWN_WORDS, 20, "__threadfence_system, likewise"},
	{"syncthreads", "int", NO_MEMORY, 20, "__syncthreads"},
	{"shfl_up_sync", "int ull float double", NO_MEMORY, 20,
		"__shfl_up_sync by 1, of the value that the one before gave"},
	{"shfl_down_sync", "int ull float double", NO_MEMORY, 20, "__shfl_down_sync, likewise"},
	{"shfl_xor_sync", "int ull float double", NO_MEMORY, 20, "__shfl_xor_sync, likewise"},
	{"shfl_sync", "int ull float double", NO_MEMORY, 20, "__shfl_sync of the next lane, likewise"},
	{"vote_ballot_chain", "int", NO_MEMORY, 20, "__ballot_sync, and a comparison of the ballot before with 0"},
	{"match_any_chain", "int ull", NO_MEMORY, 20,
		"__match_any_sync, 16 values in a warp, of the mask that the one before gave"},
	{"match_any_sync", "int ull float double", NO_MEMORY, 20,
		"likewise, of the same values, among the lanes that the one before gave"},
	{"match_all_chain", "int ull", NO_MEMORY, 20, "__match_all_sync, one value in a warp, likewise"},
	{"chase_l1", "ull", CHAIN, 20, "a load from where the load before says, through the L1"},
	{"chase_l2", "ull", CHAIN, 20, "likewise, past the L1"},
	{"chase_shared", "int", NO_MEMORY, 20, "likewise, of shared memory"},
	{"stream_l1", "vec", GROUP_SWEEP, 20, "a load of 16 bytes a thread, through the L1"},
	{"stream_read", "vec", SWEEP, 20, "a load of 16 bytes a thread, past the L1"},
	{"stream_write", "vec", SWEEP, 20, "a store of 16 bytes a thread"},
	{"stream_shared", "vec", NO_MEMORY, 20, "a load of 16 bytes a thread from shared memory"},
	ARITHMETIC_OF("fadd", "float", 1, "add.f32"),
	ARITHMETIC_OF("fmul", "float", 1, "mul.f32"),
	ARITHMETIC_OF("ffma", "float", 1, "fma.rn.f32"),
	ARITHMETIC_OF("fmax", "float", 1, "max.f32"),
	ARITHMETIC_OF("fdiv", "float", 1, "div.rn.f32"),
	ARITHMETIC_OF("fsqrt", "float", 1, "sqrt.rn.f32"),
	ARITHMETIC_OF("ex2", "float", 1, "ex2.approx.ftz.f32"),
	ARITHMETIC_OF("rsqrt", "float", 1, "rsqrt.approx.ftz.f32"),
	ARITHMETIC_OF("xor_add", "int", 2, "xor.b32 and add.u32 in turn"),
	ARITHMETIC_OF("imad", "int", 1, "mad.lo.u32"),
	ARITHMETIC_OF("imulhi", "int", 1, "mul.hi.u32"),
	ARITHMETIC_OF("not_max", "int", 2, "not.b32 and max.u32 in turn"),
	ARITHMETIC_OF("idiv", "int", 1, "div.u32"),
	ARITHMETIC_OF("popc", "int", 1, "popc.b32"),
	ARITHMETIC_OF("lop3", "int", 1, "lop3.b32"),
	ARITHMETIC_OF("shift", "int", 1, "shf.l.wrap.b32 by an amount that is not constant"),
	ARITHMETIC_OF("setp_selp", "int", 2, "setp.lt.u32 and selp.b32 in turn"),
	ARITHMETIC_OF("add_carry", "int", 2, "add.cc.u32 and addc.u32 in turn"),
	ARITHMETIC_OF("imul", "int", 1, "mul.lo.u32"),
	ARITHMETIC_OF("prmt", "int", 1, "prmt.b32"),
	ARITHMETIC_OF("bfind", "int", 1, "bfind.u32"),
	ARITHMETIC_OF("brev", "int", 1, "brev.b32"),
	ARITHMETIC_OF("hadd2", "int", 1, "add.f16x2"),
	ARITHMETIC_OF("hfma2", "int", 1, "fma.rn.f16x2"),
	ARITHMETIC_OF("f2i", "float", 1, "cvt.rni.s32.f32"),
	ARITHMETIC_OF("i2f", "float", 1, "cvt.rn.f32.s32"),
	ARITHMETIC_OF("cvt_f64_f32", "float", 2, "cvt.f64.f32 and cvt.rn.f32.f64 in turn"),
	ARITHMETIC_OF("dadd", "double", 1, "add.f64"),
	ARITHMETIC_OF("dmul", "double", 1, "mul.f64"),
	ARITHMETIC_OF("dfma", "double", 1, "fma.rn.f64"),
};
const size_t primitive_count = sizeof primitives / sizeof *primitives;

unsigned primitive_bytes(const char *type)
{
	return strcmp(type, "ull") == 0 || strcmp(type, "double") == 0 ? 8 : 4;
}

bool primitive_is_strided(const struct primitive *primitive)
{
	return primitive->memory == OWN_WORDS || primitive->memory == TWO_OWN_WORDS || primitive->memory == CHAIN;
}
