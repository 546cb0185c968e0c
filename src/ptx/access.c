/* Rules for what reaches memory or orders it: which orders, scopes, spaces and cache operators each instruction has,
 * and which of them go together.  From the syntax of each instruction in the PTX ISA manual, 9.7.9 (data movement)
 * and 9.7.13 (synchronisation). */
#include "ptx/rules.h"

#include <stddef.h>
#include <string.h>

#define ORDER(name) (1u << order_##name)
#define SPACE(name) (1u << space_##name)
#define CACHE(name) (1u << cache_##name)
#define SCOPE(name) (1u << scope_##name)

#define NO_ORDER ORDER(NONE)
#define NO_CACHE CACHE(NONE)
#define ALL_SCOPES (SCOPE(NONE) | SCOPE(CTA) | SCOPE(CLUSTER) | SCOPE(GPU) | SCOPE(SYS))
#define ALL_SPACES UINT8_MAX

/* Orders that synchronise, and so say with whom. */
#define STRONG (ORDER(RELAXED) | ORDER(ACQUIRE) | ORDER(RELEASE) | ORDER(ACQ_REL) | ORDER(MMIO))

enum scope_rule {
	SCOPE_FREE,     /* may be left out: the GPU's */
	SCOPE_OF_ORDER, /* written with an order that synchronises, and only with one */
	SCOPE_NEEDED,
};

/* The values that may be written, a bit each; bit 0, the value NONE: may be left out. */
static const struct access {
	const char *names[2]; /* with which the spellings of its rows begin; null: one alone */
	uint32_t orders, scopes, spaces, caches;
	enum scope_rule scope_rule;
	const char *orders_text, *scopes_text, *spaces_text, *caches_text; /* what to say of another one */
} accesses[] = {
#define NEAR SCOPE(NONE) | SCOPE(CTA) | SCOPE(CLUSTER)
#define OBJECT SPACE(NONE) | SPACE(SHARED)
	{{"ld"}, NO_ORDER | ORDER(WEAK) | ORDER(RELAXED) | ORDER(ACQUIRE) | ORDER(VOLATILE) | ORDER(MMIO), ALL_SCOPES,
		ALL_SPACES, NO_CACHE | CACHE(CA) | CACHE(CG) | CACHE(CS) | CACHE(LU) | CACHE(CV) | CACHE(NC),
		SCOPE_OF_ORDER, "its orders are .weak .relaxed .acquire .volatile .mmio", NULL, NULL,
		"its cache operators are .ca .cg .cs .lu .cv .nc"},
	{{"ldu"}, NO_ORDER, SCOPE(NONE), SPACE(NONE) | SPACE(GLOBAL), NO_CACHE, SCOPE_FREE, "it takes no order",
		"it takes no scope", "its only state space is .global", "it takes no cache operator"},
	{{"st.async.release"}, NO_ORDER | ORDER(MMIO), SCOPE(GPU) | SCOPE(SYS), SPACE(NONE) | SPACE(GLOBAL), NO_CACHE,
		SCOPE_FREE, "beside .release there is only .mmio", "needs a scope: .gpu or .sys",
		"with .release its only state space is .global", NULL},
	{{"st.async"}, NO_ORDER | ORDER(WEAK), SCOPE(NONE) | SCOPE(CLUSTER), OBJECT, NO_CACHE, SCOPE_FREE,
		"its orders are .weak, and .release with one value and no mbarrier",
		"without .release its only scope is .cluster", "its only state space is .shared::cluster", NULL},
	{{"red.async.release"}, NO_ORDER | ORDER(MMIO), SCOPE(CLUSTER) | SCOPE(GPU) | SCOPE(SYS),
		SPACE(NONE) | SPACE(GLOBAL), NO_CACHE, SCOPE_FREE, "beside .release there is only .mmio",
		"needs a scope: .cluster .gpu or .sys", "with .release its only state space is .global", NULL},
	{{"red.async"}, ORDER(RELAXED), SCOPE(CLUSTER), OBJECT, NO_CACHE, SCOPE_FREE,
		"needs an order: .relaxed, or .release of .add and no mbarrier",
		"with .relaxed its only scope is .cluster", "its only state space is .shared::cluster", NULL},
	{{"st"}, NO_ORDER | ORDER(WEAK) | ORDER(RELAXED) | ORDER(RELEASE) | ORDER(VOLATILE) | ORDER(MMIO), ALL_SCOPES,
		ALL_SPACES, NO_CACHE | CACHE(WB) | CACHE(CG) | CACHE(CS) | CACHE(WT), SCOPE_OF_ORDER,
		"its orders are .weak .relaxed .release .volatile .mmio", NULL, NULL,
		"its cache operators are .wb .cg .cs .wt"},
	{{"atom"}, NO_ORDER | ORDER(RELAXED) | ORDER(ACQUIRE) | ORDER(RELEASE) | ORDER(ACQ_REL), ALL_SCOPES,
		SPACE(NONE) | SPACE(GLOBAL) | SPACE(SHARED), NO_CACHE, SCOPE_FREE,
		"its orders are .relaxed .acquire .release .acq_rel", NULL, "its state spaces are .global .shared",
		"it takes no cache operator"},
	{{"red"}, NO_ORDER | ORDER(RELAXED) | ORDER(RELEASE), ALL_SCOPES, SPACE(NONE) | SPACE(GLOBAL) | SPACE(SHARED),
		NO_CACHE, SCOPE_FREE, "its orders are .relaxed .release", NULL, "its state spaces are .global .shared",
		"it takes no cache operator"},
	{{"fence"}, NO_ORDER | ORDER(SC) | ORDER(ACQ_REL) | ORDER(ACQUIRE) | ORDER(RELEASE), ALL_SCOPES, ALL_SPACES,
		NO_CACHE, SCOPE_NEEDED, "its orders are .sc .acq_rel .acquire .release", NULL, NULL, NULL},
	{{"tensormap.cp_fenceproxy"}, NO_ORDER, ALL_SCOPES, ALL_SPACES, NO_CACHE, SCOPE_NEEDED, NULL, NULL, NULL, NULL},
	{{"barrier.cluster.arrive"}, NO_ORDER | ORDER(RELEASE) | ORDER(RELAXED), SCOPE(NONE), ALL_SPACES, NO_CACHE,
		SCOPE_FREE, "its orders are .release .relaxed", NULL, NULL, NULL},
	{{"barrier.cluster.wait"}, NO_ORDER | ORDER(ACQUIRE), SCOPE(NONE), ALL_SPACES, NO_CACHE, SCOPE_FREE,
		"its only order is .acquire", NULL, NULL, NULL},
	{{"bar", "barrier"}, NO_ORDER, SCOPE(NONE) | SCOPE(CTA), ALL_SPACES, NO_CACHE, SCOPE_FREE, NULL,
		"its only scope is .cta", NULL, NULL},
	{{"mapa", "getctarank"}, NO_ORDER, SCOPE(NONE), SPACE(NONE) | SPACE(SHARED), NO_CACHE, SCOPE_FREE, NULL, NULL,
		"its only state space is .shared::cluster", NULL},
	{{"mbarrier.init", "mbarrier.inval"}, NO_ORDER, SCOPE(NONE), OBJECT, NO_CACHE, SCOPE_FREE, "it takes no order",
		"it takes no scope", "its only state space is .shared", NULL},
	{{"mbarrier.complete_tx", "mbarrier.expect_tx"}, NO_ORDER | ORDER(RELAXED), NEAR, OBJECT, NO_CACHE,
		SCOPE_OF_ORDER, "its only order is .relaxed", "its scopes are .cta .cluster",
		"its only state space is .shared", NULL},
	{{"mbarrier.arrive.noComplete", "mbarrier.arrive_drop.noComplete"}, NO_ORDER | ORDER(RELEASE),
		SCOPE(NONE) | SCOPE(CTA), OBJECT, NO_CACHE, SCOPE_OF_ORDER, "its only order is .release",
		"its only scope is .cta", "its only state space is .shared", NULL},
	{{"mbarrier.test_wait", "mbarrier.try_wait"}, NO_ORDER | ORDER(ACQUIRE) | ORDER(RELAXED), NEAR, OBJECT,
		NO_CACHE, SCOPE_OF_ORDER, "its orders are .acquire .relaxed", "its scopes are .cta .cluster",
		"its only state space is .shared", NULL},
	{{"mbarrier"}, NO_ORDER | ORDER(RELEASE) | ORDER(RELAXED), NEAR, OBJECT, NO_CACHE, SCOPE_OF_ORDER,
		"its orders are .release .relaxed", "its scopes are .cta .cluster", "its only state space is .shared",
		NULL},
	{{"cp.async.mbarrier.arrive"}, NO_ORDER, SCOPE(NONE), OBJECT, NO_CACHE, SCOPE_FREE, NULL, NULL,
		"its only state space is .shared", NULL},
	{{"createpolicy.range"}, NO_ORDER, SCOPE(NONE), SPACE(NONE) | SPACE(GLOBAL), NO_CACHE, SCOPE_FREE, NULL, NULL,
		"its only state space is .global", NULL},
	{{"prefetch.L2::evict_last", "prefetch.L2::evict_normal"}, NO_ORDER, SCOPE(NONE), SPACE(NONE) | SPACE(GLOBAL),
		NO_CACHE, SCOPE_FREE, NULL, NULL, "its only state space is .global", NULL},
	{{"prefetch.tensormap"}, NO_ORDER, SCOPE(NONE), SPACE(NONE) | SPACE(CONST) | SPACE(PARAM), NO_CACHE, SCOPE_FREE,
		NULL, NULL, "its state spaces are .const .param", NULL},
	{{"prefetch"}, NO_ORDER, SCOPE(NONE), SPACE(NONE) | SPACE(GLOBAL) | SPACE(LOCAL), NO_CACHE, SCOPE_FREE, NULL,
		NULL, "its state spaces are .global .local", NULL},
#undef NEAR
#undef OBJECT
};

static const char *first_of(const char *one, const char *other)
{
	return one ? one : other;
}

static bool begins_with(const char *spelling, const char *name)
{
	size_t length = name ? strlen(name) : 0;

	return length && !strncmp(spelling, name, length) && (!spelling[length] || spelling[length] == '.');
}

static const struct access *access_of(enum op op)
{
	for (size_t k = 0; k < sizeof accesses / sizeof *accesses; k++)
		if (begins_with(ptx_ops[op].spelling, accesses[k].names[0]) ||
			begins_with(ptx_ops[op].spelling, accesses[k].names[1]))
			return &accesses[k];
	return NULL;
}

static bool has_word(const struct ptx_words *words, const char *word)
{
	for (uint32_t w = 0; w < words->count; w++)
		if (!strcmp(words->word[w], word))
			return true;
	return false;
}

/* Which values there are of each kind. */
static const char *value_problem(const struct access *access, const struct ptx_modifiers *m)
{
	if (!(access->orders >> m->order & 1))
		return access->orders_text;
	if (!(access->scopes >> m->scope & 1))
		return access->scopes_text;
	if (!(access->spaces >> m->space & 1))
		return access->spaces_text;
	return access->caches >> m->cache & 1 ? NULL : access->caches_text;
}

static const char *scope_problem(const struct access *access, const struct ptx_modifiers *m)
{
	bool is_strong = STRONG >> m->order & 1;

	if (access->scope_rule == SCOPE_NEEDED)
		return m->scope ? NULL : "needs a scope: .cta .cluster .gpu .sys";
	if (access->scope_rule == SCOPE_FREE || is_strong == (m->scope != scope_NONE))
		return NULL;
	return is_strong ? "this order needs a scope" : "a scope goes only with an order that synchronises";
}

/* What loads and stores have beside: orders and cache operators exclude each other, and memory that no other thread
 * reaches has no order. */
static const char *load_or_store_problem(const struct ptx_words *words, const struct ptx_modifiers *m)
{
	bool is_ordered = m->order != order_NONE && m->order != order_WEAK;

	if (is_ordered && !((SPACE(NONE) | SPACE(GLOBAL) | SPACE(SHARED)) >> m->space & 1))
		return "an order goes with .global, .shared or generic addresses";
	if (m->cache == cache_NC ? m->order != order_NONE : m->cache && is_ordered)
		return "an order goes with no cache operator";
	if (m->cache == cache_NC && m->space != space_GLOBAL)
		return ".nc goes with .global";
	if (m->cache == cache_NC && (has_word(words, "lu") || has_word(words, "cv")))
		return "beside .nc there are .ca .cg .cs";
	if (m->order != order_MMIO)
		return NULL;
	if (!has_word(words, "relaxed") || m->scope != scope_SYS)
		return ".mmio is written .mmio.relaxed.sys";
	return m->vector || m->space == space_SHARED ? ".mmio goes with one value in .global memory" : NULL;
}

/* 16 bytes at most, or 32 of words in global memory; ldu has 16. */
static const char *vector_problem(enum op op, const struct ptx_modifiers *m, enum ptx_type type)
{
	static const uint32_t counts[] = {[vector_NONE] = 1, [vector_V2] = 2, [vector_V4] = 4, [vector_V8] = 8};
	uint32_t bits = ptx_types[type].bits, all = bits * counts[m->vector];
	bool is_uniform = op == OP_ldu, is_global = !is_uniform && (m->space == space_GLOBAL || m->space == space_NONE);

	if (m->vector == vector_V8 && is_uniform)
		return "its vectors are .v2 .v4";
	if (all <= 128 || (all == 256 && is_global && (bits == 32 || bits == 64)))
		return NULL;
	return all == 256 && bits <= 64 ? "vectors of 32 bytes are in .global memory"
					: "a vector has 16 bytes, or 32 of words in .global memory";
}

/* Halves are added without flushing, and it must be said. */
static const char *flushing_problem(const struct ptx_modifiers *m, enum ptx_type type)
{
	bool is_half = type == TYPE_F16 || type == TYPE_F16X2 || type == TYPE_BF16 || type == TYPE_BF16X2;

	if (is_half == ((m->flags & FLAG_NOFTZ) != 0))
		return NULL;
	return is_half ? "needs .noftz with this type" : ".noftz goes with .f16 .f16x2 .bf16 .bf16x2";
}

/* Hints for caches: sizes to fetch ahead are of loads; atomics have none that is supported. */
static const char *hint_problem(enum op op, const struct ptx_words *words, const struct ptx_modifiers *m)
{
	bool is_load = ptx_is_mnemonic(&ptx_ops[op], "ld"), is_store = ptx_is_mnemonic(&ptx_ops[op], "st");

	for (uint32_t w = 0; w < words->count; w++) {
		const char *word = words->word[w],
			   *kind = strncmp(word, "L1::", 4) && strncmp(word, "L2::", 4) ? "" : word + 4;
		bool is_size = *kind >= '0' && *kind <= '9';
		if (!*kind || !strcmp(kind, "cache_hint"))
			continue;
		if (is_size ? !is_load : !is_load && !is_store)
			return is_size ? "sizes to fetch ahead go with loads"
				       : "eviction priorities go with loads and stores";
		if (!is_size &&
			(m->order == order_VOLATILE || m->order == order_MMIO || (m->cache && m->cache != cache_NC)))
			return "an eviction priority goes with no .volatile, no .mmio and no cache operator";
	}
	return NULL;
}

/* PTX ISA, "Cache Eviction Priority Hints", "ld": a policy is for global memory, and no .volatile or .mmio has one. */
static const char *cache_hint_problem(const struct ptx_modifiers *m)
{
	if (!(m->flags & FLAG_CACHE_HINT))
		return NULL;
	if (m->space && m->space != space_GLOBAL)
		return ".L2::cache_hint goes with .global or generic addresses";
	return m->order == order_VOLATILE || m->order == order_MMIO
		       ? ".L2::cache_hint goes with no .volatile and no .mmio"
		       : NULL;
}

static bool is_asynchronous(const struct op_info *row)
{
	return begins_with(row->spelling, "st.async") || begins_with(row->spelling, "red.async");
}

/* PTX ISA, "st.async" and "red.async": what goes to global memory is a release, and nothing tells of its end; what
 * goes to shared memory has up to 16 bytes, and an mbarrier.  red.async may leave the word for that out. */
static const char *async_problem(enum op op, const struct ptx_modifiers *m, enum ptx_type type)
{
	bool is_wide = ptx_types[type].bits > 32;

	if (op == OP_st_async_release || op == OP_red_async_release)
		return m->order == order_MMIO && m->scope != scope_SYS ? ".mmio goes with .sys" : NULL;
	if (op == OP_st_async && !(m->flags & FLAG_COMPLETE_TX))
		return "needs .mbarrier::complete_tx::bytes, or .release in global memory";
	if (m->space && !m->cluster)
		return "its only state space is .shared::cluster";
	if (m->order == order_WEAK && m->scope)
		return ".weak takes no scope";
	if (m->vector == vector_V8 || (m->vector == vector_V4 && is_wide) ||
		(m->vector == vector_V2 && type == TYPE_B128))
		return "a vector has 16 bytes at most";
	return NULL;
}

const char *ptx_access_rule_broken(
	enum op op, const struct ptx_words *words, const struct ptx_modifiers *modifiers, const enum ptx_type types[4])
{
	const struct op_info *row = &ptx_ops[op];
	/* Rows that take none of these words (fence.proxy.alias) have nothing to be judged. */
	const struct access *access =
		row->allow & (ALLOW_ORDER | ALLOW_SCOPE | ALLOW_SPACE | ALLOW_CACHE) ? access_of(op) : NULL;
	const char *problem = access ? value_problem(access, modifiers) : NULL;
	bool is_load_or_store = ptx_is_mnemonic(row, "ld") || ptx_is_mnemonic(row, "st");
	bool is_atomic = ptx_is_mnemonic(row, "atom") || ptx_is_mnemonic(row, "red");

	if (!access || problem)
		return problem;
	if (is_asynchronous(row))
		return async_problem(op, modifiers, types[0]);
	problem = scope_problem(access, modifiers);
	if (!problem && is_load_or_store)
		problem = load_or_store_problem(words, modifiers);
	if (!problem && (is_load_or_store || ptx_is_mnemonic(row, "ldu")))
		problem = vector_problem(op, modifiers, types[0]);
	if (!problem && is_atomic && !modifiers->vector)
		problem = flushing_problem(modifiers, types[0]);
	if (!problem && (is_load_or_store || is_atomic))
		problem = first_of(hint_problem(op, words, modifiers), cache_hint_problem(modifiers));
	return problem;
}
