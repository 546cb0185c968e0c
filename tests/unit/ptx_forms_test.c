/* Which words of an instruction go together: every combination of them is accepted exactly when a line of the PTX ISA
 * manual writes it so.
 *
 * The forms are the manual's own syntax lines (version 9.0, 9.7), a list of alternatives for each place, and do not
 * come from the tables of src/ptx. */
#include "ptx/ops.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

enum { PLACES = 5, FORMS = 24 };

/* Alternatives are separated by spaces; "-" is none. */
struct syntax {
	const char *name;
	const char *all[PLACES];          /* what is tried in each place */
	const char *forms[FORMS][PLACES]; /* what the manual writes */
};

#define ORDERS "- weak relaxed acquire release acq_rel sc volatile mmio mmio.relaxed"
#define SCOPES "- cta cluster gpu sys"
#define SPACES "- const global local param shared shared::cta shared::cluster"
#define CACHES "- ca cg cs lu cv wb wt nc ca.nc cg.nc cs.nc lu.nc cv.nc"
#define EACH_SCOPE "cta cluster gpu sys"
#define SHARED "shared shared::cta shared::cluster"
#define THREADS "- global " SHARED /* what several threads reach */
#define OBJECTS "- " SHARED

static const struct syntax memory[] = {
	{"ld", {ORDERS, SCOPES, SPACES, CACHES, "u32"},
		{{"- weak", "-", SPACES, "- ca cg cs lu cv", "u32"},
			{"-", "-", "global", "nc ca.nc cg.nc cs.nc", "u32"}, {"volatile", "-", THREADS, "-", "u32"},
			{"relaxed acquire", EACH_SCOPE, THREADS, "-", "u32"},
			{"mmio.relaxed", "sys", "- global", "-", "u32"}}},
	{"ld", {"- volatile mmio.relaxed.sys", "- global shared local", "- v2 v4 v8", "b8 u16 f32 s64 b128"},
		{{"- volatile", "- global shared", "- v2 v4", "b8 u16 f32"},
			{"- volatile", "- global shared", "v8", "b8 u16"},
			{"- volatile", "- global shared", "- v2", "s64"},
			{"- volatile", "- global shared", "-", "b128"}, {"-", "local", "- v2 v4", "b8 u16 f32"},
			{"-", "local", "v8", "b8 u16"}, {"-", "local", "- v2", "s64"}, {"-", "local", "-", "b128"},
			{"- volatile", "- global", "v8", "f32"}, {"- volatile", "- global", "v4", "s64"}, /* 256 bits */
			{"mmio.relaxed.sys", "- global", "-", "b8 u16 f32 s64 b128"}}},
	{"ld.global",
		{"- volatile relaxed.gpu", "- ca nc", "- L1::evict_last L1::no_allocate", "- L2::64B L2::256B", "u32"},
		{{"-", "- nc", "- L1::evict_last L1::no_allocate", "- L2::64B L2::256B", "u32"},
			{"-", "ca", "-", "- L2::64B L2::256B", "u32"},
			{"volatile", "-", "-", "- L2::64B L2::256B", "u32"},
			{"relaxed.gpu", "-", "- L1::evict_last L1::no_allocate", "- L2::64B L2::256B", "u32"}}},
	{"st.global", {"- volatile release.gpu", "- wt", "- L1::evict_last L2::64B", "u32"},
		{{"-", "-", "- L1::evict_last", "u32"}, {"-", "wt", "-", "u32"}, {"volatile", "-", "-", "u32"},
			{"release.gpu", "-", "- L1::evict_last", "u32"}}},
	{"atom.add", {"- global", "- L1::evict_last L2::64B", "u32"}, {{"- global", "-", "u32"}}},
	{"ldu", {ORDERS, SCOPES, SPACES, CACHES, "u32"}, {{"-", "-", "- global", "-", "u32"}}},
	{"ldu.global", {"- v2 v4 v8", "b8 f32 b64 b128"}, {{"- v2 v4", "b8 f32"}, {"- v2", "b64"}, {"-", "b128"}}},
	{"st", {ORDERS, SCOPES, "- global local param shared shared::cta shared::cluster", CACHES, "u32"},
		{{"- weak", "-", "- global local param " SHARED, "- wb cg cs wt", "u32"},
			{"volatile", "-", THREADS, "-", "u32"}, {"relaxed release", EACH_SCOPE, THREADS, "-", "u32"},
			{"mmio.relaxed", "sys", "- global", "-", "u32"}}},
	{"atom.add", {ORDERS, SCOPES, SPACES, CACHES, "u32"},
		{{"- relaxed acquire release acq_rel", SCOPES, THREADS, "-", "u32"}}},
	{"atom.cas", {ORDERS, SCOPES, SPACES, "- ca", "b16 b32 b128"},
		{{"- relaxed acquire release acq_rel", SCOPES, THREADS, "-", "b16 b32 b128"}}},
	{"red.add", {ORDERS, SCOPES, SPACES, CACHES, "u32"}, {{"- relaxed release", SCOPES, THREADS, "-", "u32"}}},
	{"red.xor", {ORDERS, SCOPES, SPACES, "- ca", "b64"}, {{"- relaxed release", SCOPES, THREADS, "-", "b64"}}},
	{"atom.exch", {"b8 b16 b32 b64 b128"}, {{"b32 b64 b128"}}},
	{"atom.add", {"- noftz", "u32 s32 u64 s64 f32 f64 f16 f16x2 bf16 bf16x2"},
		{{"-", "u32 s32 u64 f32 f64 s64"}, {"noftz", "f16 f16x2 bf16 bf16x2"}}},
	{"red.add", {"- noftz", "u32 f32 f16 f16x2 bf16 bf16x2"},
		{{"-", "u32 f32"}, {"noftz", "f16 f16x2 bf16 bf16x2"}}},
	{"prefetch.L1", {SPACES}, {{"- global local"}}},
	{"prefetch.L2", {SPACES}, {{"- global local"}}},
	{"prefetch.L2::evict_last", {SPACES}, {{"- global"}}},
	{"prefetch.L2::evict_normal", {SPACES}, {{"- global"}}},
};

static const struct syntax synchronisation[] = {
	{"fence", {ORDERS, SCOPES}, {{"- sc acq_rel acquire release", EACH_SCOPE}}},
	{"bar.sync", {SCOPES, "- aligned"}, {{"- cta", "-"}}},
	{"bar.arrive", {SCOPES, "- aligned"}, {{"- cta", "-"}}},
	{"bar.red.popc", {SCOPES, "- aligned", "u32"}, {{"- cta", "-", "u32"}}},
	{"bar.red.or", {SCOPES, "- aligned", "pred"}, {{"- cta", "-", "pred"}}},
	{"barrier.sync", {SCOPES, "- aligned"}, {{"- cta", "- aligned"}}},
	{"barrier.arrive", {SCOPES, "- aligned"}, {{"- cta", "- aligned"}}},
	{"barrier.cluster.arrive", {ORDERS, SCOPES, "- aligned"}, {{"- release relaxed", "-", "- aligned"}}},
	{"barrier.cluster.wait", {ORDERS, SCOPES, "- aligned"}, {{"- acquire", "-", "- aligned"}}},
	{"barrier.red.and", {SCOPES, "- aligned", "pred"}, {{"- cta", "- aligned", "pred"}}},
	{"mbarrier.init", {ORDERS, SCOPES, SPACES, "b64"}, {{"-", "-", OBJECTS, "b64"}}},
	{"mbarrier.inval", {ORDERS, SCOPES, SPACES, "b64"}, {{"-", "-", OBJECTS, "b64"}}},
	{"mbarrier.expect_tx", {ORDERS, SCOPES, SPACES, "b64"},
		{{"-", "-", OBJECTS, "b64"}, {"relaxed", "cta cluster", OBJECTS, "b64"}}},
	{"mbarrier.complete_tx", {ORDERS, SCOPES, SPACES, "b64"},
		{{"-", "-", OBJECTS, "b64"}, {"relaxed", "cta cluster", OBJECTS, "b64"}}},
	{"mbarrier.arrive", {ORDERS, SCOPES, SPACES, "- expect_tx", "b64"},
		{{"-", "-", OBJECTS, "- expect_tx", "b64"},
			{"release relaxed", "cta cluster", OBJECTS, "- expect_tx", "b64"}}},
	{"mbarrier.arrive_drop", {ORDERS, SCOPES, SPACES, "- expect_tx", "b64"},
		{{"-", "-", OBJECTS, "- expect_tx", "b64"},
			{"release relaxed", "cta cluster", OBJECTS, "- expect_tx", "b64"}}},
	{"mbarrier.arrive.noComplete", {ORDERS, SCOPES, SPACES, "b64"},
		{{"-", "-", OBJECTS, "b64"}, {"release", "cta", OBJECTS, "b64"}}},
	{"mbarrier.arrive_drop.noComplete", {ORDERS, SCOPES, SPACES, "b64"},
		{{"-", "-", OBJECTS, "b64"}, {"release", "cta", OBJECTS, "b64"}}},
	{"mbarrier.test_wait", {"- parity", ORDERS, SCOPES, SPACES, "b64"},
		{{"- parity", "-", "-", OBJECTS, "b64"},
			{"- parity", "acquire relaxed", "cta cluster", OBJECTS, "b64"}}},
	{"mbarrier.try_wait", {"- parity", ORDERS, SCOPES, SPACES, "b64"},
		{{"- parity", "-", "-", OBJECTS, "b64"},
			{"- parity", "acquire relaxed", "cta cluster", OBJECTS, "b64"}}},
	{"cp.async.mbarrier.arrive", {"- noinc", SPACES, "b64"}, {{"- noinc", OBJECTS, "b64"}}},
};

#define ROUNDINGS "- rn rz rm rp rna rni rzi rmi rpi"
#define FLOAT_ROUNDINGS "rn rz rm rp"
#define WHOLE_ROUNDINGS "rni rzi rmi rpi"
#define FLAGS "- ftz sat ftz.sat relu satfinite satfinite.relu ftz.relu sat.relu ftz.satfinite sat.satfinite"
#define FTZ_SAT "- ftz sat ftz.sat"
#define SMALL "e4m3x2 e5m2x2 e2m3x2 e3m2x2 e2m1x2 ue8m0x2"
#define INTS "u8 u16 u32 u64 s8 s16 s32 s64"

static const struct syntax conversions[] = {
	{"cvt", {ROUNDINGS, FLAGS, INTS, INTS},
		{{"-", "-", INTS, INTS},
			/* .sat where the destination cannot hold all: "legal only in cases where the destination type's
			   value range is not a superset" */
			{"-", "sat", "u8", "u16 u32 u64"}, {"-", "sat", "u16", "u32 u64"}, {"-", "sat", "u32", "u64"},
			{"-", "sat", "u8 u16 u32 u64", "s8 s16 s32 s64"},
			{"-", "sat", "s8", "u8 u16 u32 u64 s16 s32 s64"}, {"-", "sat", "s16", "u16 u32 u64 s32 s64"},
			{"-", "sat", "s32", "u32 u64 s64"}, {"-", "sat", "s64", "u64"}}},
	{"cvt", {ROUNDINGS, FLAGS, INTS, "f16 bf16 f32 f64"},
		{{WHOLE_ROUNDINGS, FTZ_SAT, INTS, "f32"}, {WHOLE_ROUNDINGS, "- sat", INTS, "f16 f64"},
			{WHOLE_ROUNDINGS, "-", INTS, "bf16"}}},
	{"cvt", {ROUNDINGS, FLAGS, "f16 bf16 f32 f64", INTS},
		{{FLOAT_ROUNDINGS, FTZ_SAT, "f32", INTS}, {FLOAT_ROUNDINGS, "- sat", "f16 f64", INTS},
			{FLOAT_ROUNDINGS, "-", "bf16", INTS}}},
	{"cvt", {ROUNDINGS, FLAGS, "f16 bf16 f32 f64", "f16 bf16 f32 f64"},
		{{"- " WHOLE_ROUNDINGS, FTZ_SAT, "f32", "f32"}, {"- " WHOLE_ROUNDINGS, "- sat", "f64", "f64"},
			{"- " WHOLE_ROUNDINGS, "- sat", "f16", "f16"}, {"- " WHOLE_ROUNDINGS, "-", "bf16", "bf16"},
			{"-", FTZ_SAT, "f64", "f32"}, {FLOAT_ROUNDINGS, FTZ_SAT, "f32", "f64"},
			{FLOAT_ROUNDINGS, FTZ_SAT, "f16", "f32"}, {FLOAT_ROUNDINGS, "- sat", "f16", "f64"},
			{FLOAT_ROUNDINGS, "-", "bf16", "f16 f64"}, {FLOAT_ROUNDINGS, "- ftz", "bf16", "f32"},
			{"rn rz", "relu satfinite satfinite.relu", "f16 bf16", "f32"},
			{"-", "-", "f16 f32 f64", "bf16"}, {"-", "ftz", "f32", "bf16"}, {"-", "- sat", "f64", "f16"},
			{"-", FTZ_SAT, "f32", "f16"}}},
	{"cvt", {ROUNDINGS, FLAGS, "tf32", "f32 f16 f64 s32"},
		{{"rn rz", "- relu satfinite satfinite.relu", "tf32", "f32"}, {"rna", "- satfinite", "tf32", "f32"}}},
	{"cvt", {ROUNDINGS, FLAGS, "f16x2 bf16x2", "f32 f16 f64"},
		{{"rn rz", "- relu satfinite satfinite.relu", "f16x2 bf16x2", "f32"}}},
	/* Small floats.  That .e2m1x2 is made of .f16x2, too, is from ptxas of CUDA 13.0. */
	{"cvt", {ROUNDINGS, FLAGS, SMALL, "f32 f16x2 bf16x2 f16 " SMALL},
		{{"rn", "satfinite satfinite.relu", "e4m3x2 e5m2x2 e2m3x2 e3m2x2 e2m1x2", "f32"},
			{"rn", "satfinite satfinite.relu", "e4m3x2 e5m2x2 e2m1x2", "f16x2"},
			{"rz rp", "- satfinite", "ue8m0x2", "f32 bf16x2"}}},
	{"cvt", {ROUNDINGS, FLAGS, "f16x2 bf16x2 f32 f16", SMALL},
		{{"rn", "- relu", "f16x2", "e4m3x2 e5m2x2 e2m3x2 e3m2x2 e2m1x2"}, {"rn", "-", "bf16x2", "ue8m0x2"}}},
	{"cvt", {ROUNDINGS, FLAGS, "f32 f16", "f16x2 bf16x2"}, {{"none", "none", "none", "none"}}},
	{"cvt.pack.sat", {"u16 s16 u8 s8", "s32 u32", "- b32 b16"}, {{"u16 s16", "s32", "-"}, {"u8 s8", "s32", "b32"}}},
	{"mapa", {SPACES, "u32 u64 s64 b64"}, {{"- shared::cluster", "u32 u64"}}},
	{"getctarank", {SPACES, "u32 u64 s64 b64"}, {{"- shared::cluster", "u32 u64"}}},
	{"cvta", {"- to", SPACES, "u32 u64 s64 b64"}, {{"- to", "const global local param " SHARED, "u32 u64"}}},
};

#define COMPARISONS "- eq ne lt le gt ge lo ls hi hs equ neu ltu leu gtu geu num nan"
#define ORDERED "eq ne lt le gt ge"
#define UNORDERED "equ neu ltu leu gtu geu num nan"
#define HALVES "f16 f16x2 bf16 bf16x2"

static const struct syntax comparisons[] = {
	{"setp", {COMPARISONS, "- ftz", "b16 b32 b64 u16 u32 u64 s16 s32 s64 f32 f64 " HALVES},
		{{"eq ne", "-", "b16 b32 b64"}, {ORDERED " lo ls hi hs", "-", "u16 u32 u64"},
			{ORDERED, "-", "s16 s32 s64"}, {ORDERED " " UNORDERED, "-", "f32 f64 " HALVES},
			{ORDERED " " UNORDERED, "ftz", "f32 f16 f16x2"}}},
	{"set", {COMPARISONS, "- ftz", "u32 s32 f32", "b16 u32 s64 f32 f64"},
		{{"eq ne", "-", "u32 s32 f32", "b16"}, {ORDERED " lo ls hi hs", "-", "u32 s32 f32", "u32"},
			{ORDERED, "-", "u32 s32 f32", "s64"}, {ORDERED " " UNORDERED, "-", "u32 s32 f32", "f32 f64"},
			{ORDERED " " UNORDERED, "ftz", "u32 s32 f32", "f32"}}},
	{"set.lt", {"- ftz", "u16 s16 u32 s32 f32 f16 bf16 f16x2 bf16x2", "f16 bf16 f16x2 bf16x2"},
		{{"- ftz", "u16 s16 u32 s32 f16", "f16"}, {"-", "u16 s16 u32 s32 bf16", "bf16"}, {"-", "bf16", "f16"},
			{"- ftz", "u32 s32 f16x2", "f16x2"}, {"-", "u32 s32 bf16x2", "bf16x2"}}},
	{"set.lt", {"- ftz", "u16 f16 bf16", "u32 s16 f32 f64"},
		{{"-", "f16 bf16", "u32 s16 f32 f64"}, {"ftz", "f16", "f32"}}},
	{"slct", {"- ftz", "b32 f64 s16", "s32 f32 u32"},
		{{"-", "b32 f64 s16", "s32 f32"}, {"ftz", "b32 f64 s16", "f32"}}},
	{"vset", {COMPARISONS, "u32 s32", "u32 s32 b32"},
		{{ORDERED, "u32 s32", "u32 s32"}, {"lo ls hi hs", "u32 s32", "u32"}}},
	{"vset2", {COMPARISONS, "- add min", "u32", "u32 s32 b32"},
		{{ORDERED, "- add", "u32", "u32 s32"}, {"lo ls hi hs", "- add", "u32", "u32"}}},
};

#define WORDS32 "u32 s32"

static const struct syntax arithmetic[] = {
	{"fma", {"- rn rz rm rp", "- ftz sat ftz.sat relu ftz.relu sat.relu", "f32 f64 f16 bf16 f16x2 bf16x2"},
		{{"rn rz rm rp", FTZ_SAT, "f32"}, {"rn rz rm rp", "-", "f64"},
			{"rn", FTZ_SAT " relu ftz.relu", "f16 f16x2"}, {"rn", "- relu", "bf16 bf16x2"}}},
	{"fma", {"- rn rz", "f32", "f16 bf16 f64"}, {{"rn rz", "f32", "f16 bf16"}}},
	{"abs", {"- ftz", "f32 f64 " HALVES " s32 u32"}, {{"-", "f32 f64 " HALVES " s32"}, {"ftz", "f32 f16 f16x2"}}},
	{"neg", {"- ftz", "f32 f64 " HALVES " s32 u32"}, {{"-", "f32 f64 " HALVES " s32"}, {"ftz", "f32 f16 f16x2"}}},
	{"max", {"- ftz NaN ftz.NaN", HALVES " f32 f64 s32"},
		{{"-", HALVES " f32 f64 s32"}, {"NaN", HALVES " f32"}, {"ftz ftz.NaN", "f16 f16x2 f32"}}},
	{"min", {"- ftz xorsign.abs", HALVES " f64"}, {{"- xorsign.abs", HALVES}, {"-", "f64"}, {"ftz", "f16 f16x2"}}},
	{"ex2.approx", {"- ftz", "f32 " HALVES}, {{"- ftz", "f32"}, {"-", "f16 f16x2"}, {"ftz", "bf16 bf16x2"}}},
	{"redux.sync.min", {"- abs NaN abs.NaN", WORDS32 " f32 b32"},
		{{"-", WORDS32 " f32"}, {"abs NaN abs.NaN", "f32"}}},
	{"shl", {"b16 b32 b64 u32 s32 u64"}, {{"b16 b32 b64"}}},
	{"shr", {"b16 b32 b64 u32 s32 u64"}, {{"b16 b32 b64 u32 s32 u64"}}},
	{"sub", {"- sat", "u16 u32 u64 s16 s32 s64 u16x2 s16x2"}, {{"-", "u16 u32 u64 s16 s32 s64"}, {"sat", "s32"}}},
	{"add", {"- sat", "u16 u32 u64 s16 s32 s64 u16x2 s16x2"},
		{{"-", "u16 u32 u64 s16 s32 s64 u16x2 s16x2"}, {"sat", "s32"}}},
	{"dp4a", {"u32 s32 b32", "u32 s32 b32"}, {{WORDS32, WORDS32}}},
	{"dp2a.lo", {WORDS32, "u32 s32 b32 u16"}, {{WORDS32, WORDS32}}},
	{"vadd", {WORDS32, "u32 b32 s32", "u32 s32 u16"}, {{WORDS32, WORDS32, WORDS32}}},
	{"vshl", {WORDS32, WORDS32, WORDS32, "- clamp wrap", "- sat"},
		{{WORDS32, WORDS32, "u32", "clamp wrap", "- sat"}}},
	{"vmad", {WORDS32, WORDS32, WORDS32, "- shr7 shr15 shr7.shr15"}, {{WORDS32, WORDS32, WORDS32, "- shr7 shr15"}}},
	{"vadd4", {WORDS32, WORDS32, WORDS32 " b32", "- sat add min sat.add"},
		{{WORDS32, WORDS32, WORDS32, "- sat add"}}},
	{"vmax2", {WORDS32, WORDS32 " b32", WORDS32, "- sat add max sat.add"},
		{{WORDS32, WORDS32, WORDS32, "- sat add"}}},
};

/* ---- the walk over all combinations ---- */

/* Whether `word` (of this length) is in the list. */
static bool is_in(const char *list, const char *word, size_t length)
{
	while (list && *list) {
		size_t have = strcspn(list, " ");
		if (have == length && !memcmp(list, word, length))
			return true;
		list += have + (list[have] == ' ');
	}
	return false;
}

static bool is_written(const struct syntax *syntax, const char *const words[PLACES], const size_t lengths[PLACES])
{
	for (unsigned f = 0; f < FORMS && syntax->forms[f][0]; f++) {
		bool fits = true;
		for (unsigned p = 0; p < PLACES && syntax->all[p]; p++)
			fits &= is_in(syntax->forms[f][p], words[p], lengths[p]);
		if (fits)
			return true;
	}
	return false;
}

static bool is_found(char *text, char reason[300])
{
	struct ptx_words words = {.mnemonic = text};
	struct ptx_modifiers modifiers;
	enum ptx_type types[4];
	uint32_t count;

	for (char *dot = strchr(text, '.'); dot; dot = strchr(dot + 1, '.')) {
		*dot = 0;
		words.word[words.count++] = dot + 1;
	}
	return ptx_find_op(&words, &modifiers, types, &count, reason, 300) != OP_NONE;
}

static void judge(const struct syntax *syntax, const char *const words[PLACES], const size_t lengths[PLACES])
{
	char text[200], shown[200], reason[300] = "";
	size_t length = (size_t)snprintf(text, sizeof text, "%s", syntax->name);

	for (unsigned p = 0; p < PLACES && syntax->all[p]; p++)
		if (*words[p] != '-')
			length += (size_t)snprintf(
				text + length, sizeof text - length, ".%.*s", (int)lengths[p], words[p]);
	memcpy(shown, text, sizeof shown);
	if (is_found(text, reason) != is_written(syntax, words, lengths))
		fail_msg("%s: %s", shown, *reason ? reason : "accepted, and the manual does not write it");
}

static unsigned walk(const struct syntax *syntax, unsigned place, const char *words[PLACES], size_t lengths[PLACES])
{
	unsigned count = 0;

	if (place == PLACES || !syntax->all[place]) {
		judge(syntax, words, lengths);
		return 1;
	}
	for (const char *at = syntax->all[place]; *at; at += strspn(at, " ")) {
		words[place] = at;
		lengths[place] = strcspn(at, " ");
		count += walk(syntax, place + 1, words, lengths);
		at += lengths[place];
	}
	return count;
}

static void walk_all(const struct syntax *list, size_t count)
{
	for (size_t k = 0; k < count; k++) {
		const char *words[PLACES];
		size_t lengths[PLACES];
		assert_true(walk(&list[k], 0, words, lengths) > 1);
	}
}

#define TEST(name)                                                                                                     \
	static void name##_are_written_as_the_manual_does(void **state)                                                \
	{                                                                                                              \
		(void)state;                                                                                           \
		walk_all(name, sizeof name / sizeof *name);                                                            \
	}
TEST(memory)
TEST(synchronisation)
TEST(conversions)
TEST(comparisons)
TEST(arithmetic)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(memory_are_written_as_the_manual_does),
		cmocka_unit_test(synchronisation_are_written_as_the_manual_does),
		cmocka_unit_test(conversions_are_written_as_the_manual_does),
		cmocka_unit_test(comparisons_are_written_as_the_manual_does),
		cmocka_unit_test(arithmetic_are_written_as_the_manual_does),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
