/* Coherence policies: their tables of decisions, and litmus shapes on a toy L1 of one line in front of a toy L2. */
#include "policy/coherence/access.h"
#include "policy/policy.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

static const struct coherence_policy *policy(const char *name)
{
	struct diagnostic diagnostic = {0};
	const struct coherence_policy *found = coherence_find(name, &diagnostic);
	assert_non_null(found);
	return found;
}

static struct l1_access of(uint8_t cache, uint8_t order, uint8_t scope)
{
	return l1_access_of(&(struct insn_access){.cache = cache, .order = order, .scope = scope});
}

static void loads(void **state)
{
	(void)state;
	static const struct {
		uint8_t cache, order, scope;
		enum l1_load none, invalidate;
	} rows[] = {
		{cache_NONE, order_NONE, scope_NONE, L1_LOAD_CACHED, L1_LOAD_CACHED},
		{cache_CA, order_WEAK, scope_NONE, L1_LOAD_CACHED, L1_LOAD_CACHED},
		{cache_CS, order_NONE, scope_NONE, L1_LOAD_CACHED, L1_LOAD_CACHED},
		{cache_LU, order_NONE, scope_NONE, L1_LOAD_CACHED, L1_LOAD_CACHED},
		{cache_NC, order_NONE, scope_NONE, L1_LOAD_CACHED, L1_LOAD_CACHED},
		{cache_CG, order_NONE, scope_NONE, L1_LOAD_BYPASS, L1_LOAD_BYPASS_EVICT},
		{cache_CV, order_NONE, scope_NONE, L1_LOAD_BYPASS, L1_LOAD_BYPASS_EVICT},
		{cache_NONE, order_VOLATILE, scope_NONE, L1_LOAD_BYPASS, L1_LOAD_BYPASS_EVICT},
		{cache_NONE, order_MMIO, scope_SYS, L1_LOAD_BYPASS, L1_LOAD_BYPASS_EVICT},
		{cache_NONE, order_RELAXED, scope_GPU, L1_LOAD_BYPASS, L1_LOAD_BYPASS_EVICT},
		{cache_NONE, order_ACQUIRE, scope_CLUSTER, L1_LOAD_BYPASS, L1_LOAD_BYPASS_EVICT},
		{cache_NONE, order_ACQUIRE, scope_SYS, L1_LOAD_BYPASS, L1_LOAD_BYPASS_EVICT},
		{cache_NONE, order_RELAXED, scope_CTA, L1_LOAD_BYPASS, L1_LOAD_CACHED},
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		for (int present = 0; present < 2; present++) {
			struct l1_access access = of(rows[i].cache, rows[i].order, rows[i].scope);
			assert_int_equal(policy("none")->load(NULL, &access, present), rows[i].none);
			assert_int_equal(
				policy("write-through-invalidate")->load(NULL, &access, present), rows[i].invalidate);
		}
}

static void fences(void **state)
{
	(void)state;
	static const struct {
		struct l1_fence fence;
		enum l1_sync none, invalidate;
	} rows[] = {
		{{.membar = true, .scope = L1_SCOPE_GROUP}, L1_LEAVE, L1_LEAVE},
		{{.membar = true, .scope = L1_SCOPE_WIDE}, L1_LEAVE, L1_INVALIDATE},
		{{.membar = false, .scope = L1_SCOPE_GROUP}, L1_LEAVE, L1_LEAVE},
		{{.membar = false, .scope = L1_SCOPE_WIDE}, L1_INVALIDATE, L1_INVALIDATE},
	};
	for (size_t i = 0; i < 4; i++) {
		assert_int_equal(policy("none")->acquire(NULL, &rows[i].fence), rows[i].none);
		assert_int_equal(policy("write-through-invalidate")->acquire(NULL, &rows[i].fence), rows[i].invalidate);
	}
	assert_true(l1_acquires(&(struct insn_access){.order = order_ACQ_REL}));
	assert_false(l1_acquires(&(struct insn_access){.order = order_RELEASE}));
}

/* ---- A toy: one location, an L1 line for it per core ---- */

struct toy {
	const struct coherence_policy *policy;
	int l2, line[2];
	bool present[2];
};

static int toy_load(struct toy *t, int core, struct l1_access access)
{
	switch (t->policy->load(NULL, &access, t->present[core])) {
	case L1_LOAD_CACHED:
		if (!t->present[core])
			t->line[core] = t->l2;
		t->present[core] = true;
		return t->line[core];
	case L1_LOAD_BYPASS_EVICT: t->present[core] = false; break;
	case L1_LOAD_BYPASS: break;
	}
	return t->l2;
}

static void toy_store(struct toy *t, int core, struct l1_access access, int value)
{
	enum l1_store what = t->policy->store(NULL, &access, t->present[core]);
	t->l2 = value;
	if (what == L1_STORE_EVICT)
		t->present[core] = false;
	else if (what == L1_STORE_UPDATE)
		t->line[core] = value;
}

static void toy_fence(struct toy *t, int core, bool membar, enum l1_scope scope)
{
	if (t->policy->acquire(NULL, &(struct l1_fence){membar, scope}) == L1_INVALIDATE)
		t->present[core] = false;
}

#define WEAK of(cache_NONE, order_NONE, scope_NONE)

/* A thread reads its own writes and atomics, whatever the L1 holds. */
static void own_writes_are_read(void **state)
{
	(void)state;
	for (size_t i = 0; coherence_at(i); i++) {
		struct toy t = {.policy = coherence_at(i)};
		toy_load(&t, 0, WEAK);
		toy_store(&t, 0, WEAK, 1);
		assert_int_equal(toy_load(&t, 0, WEAK), 1);
		toy_store(&t, 0, l1_access_of(&(struct insn_access){.atomic = ATOMIC_ADD}), 2);
		assert_int_equal(toy_load(&t, 0, WEAK), 2);
	}
}

/* The message-passing reader: it has the old line, then sees the flag and fences. */
static int after_fence(const char *name, bool membar, enum l1_scope scope)
{
	struct toy t = {.policy = policy(name)};
	toy_load(&t, 0, WEAK);
	toy_store(&t, 1, WEAK, 1);
	assert_int_equal(toy_load(&t, 0, WEAK), 0); /* stale without a fence: nothing is coherent by itself */
	toy_fence(&t, 0, membar, scope);
	return toy_load(&t, 0, WEAK);
}

static void stale_lines(void **state)
{
	(void)state;
	assert_int_equal(after_fence("none", true, L1_SCOPE_WIDE), 0); /* mp-L1 on Fermi */
	assert_int_equal(after_fence("none", false, L1_SCOPE_WIDE), 1);
	assert_int_equal(after_fence("write-through-invalidate", true, L1_SCOPE_WIDE), 1);
	assert_int_equal(after_fence("write-through-invalidate", false, L1_SCOPE_WIDE), 1);
	assert_int_equal(after_fence("write-through-invalidate", true, L1_SCOPE_GROUP), 0);
}

/* coRR: two reads of one location, the first strong. */
static int second_read(const char *name, struct l1_access first, struct l1_access second)
{
	struct toy t = {.policy = policy(name)};
	toy_load(&t, 0, WEAK);
	toy_store(&t, 1, WEAK, 1);
	assert_int_equal(toy_load(&t, 0, first), 1);
	return toy_load(&t, 0, second);
}

static void one_location(void **state)
{
	(void)state;
	struct l1_access gpu = of(cache_NONE, order_RELAXED, scope_GPU), cta = of(cache_NONE, order_RELAXED, scope_CTA);
	struct l1_access cg = of(cache_CG, order_NONE, scope_NONE);
	assert_int_equal(second_read("none", gpu, gpu), 1);
	assert_int_equal(second_read("none", gpu, cta), 1);
	assert_int_equal(second_read("none", cg, WEAK), 0); /* coRR-L2-L1 on Fermi */
	assert_int_equal(second_read("write-through-invalidate", gpu, gpu), 1);
	assert_int_equal(second_read("write-through-invalidate", gpu, cta), 1);
	assert_int_equal(second_read("write-through-invalidate", gpu, WEAK), 1);
	assert_int_equal(second_read("write-through-invalidate", cg, WEAK), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(loads),
		cmocka_unit_test(fences),
		cmocka_unit_test(own_writes_are_read),
		cmocka_unit_test(stale_lines),
		cmocka_unit_test(one_location),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
