/* What launches have accessed: spans of bytes, and when groups began and ended. */
#include "race/footprint.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

static void spans_are_those_of_a_bitmap(void **state)
{
	enum { BYTES = 4096, ADDED = 3000 };
	struct arena arena = {0};
	struct spans spans = {0};
	uint8_t set[BYTES] = {0};
	uint64_t random = 1, bytes = 0;

	(void)state;
	for (uint32_t k = 0; k < ADDED; k++) {
		uint64_t first, end;

		random = random * 6364136223846793005u + 1442695040888963407u;
		first = random >> 40 & (BYTES - 1);
		end = first + 1 + (random >> 60);
		end = end > BYTES ? BYTES : end;
		memset(set + first, 1, end - first);
		spans_add(&spans, &arena, first, end);
		assert_true(spans.list.count <= BYTES);
	}
	spans_order(&spans);
	for (uint32_t k = 0; k < spans.list.count; k++) {
		const struct span *s = &spans.list.at[k];

		assert_true(s->first < s->end);
		assert_true(!k || spans.list.at[k - 1].end < s->first); /* they do not touch */
		for (uint64_t at = s->first; at < s->end; at++)
			assert_true(set[at]);
		bytes += s->end - s->first;
	}
	for (uint32_t at = 0; at < BYTES; at++)
		bytes -= set[at];
	assert_int_equal(bytes, 0);
	arena_free(&arena);
}

static void neighbours_are_one_span(void **state)
{
	struct arena arena = {0};
	struct spans spans = {0};

	(void)state;
	for (uint64_t k = 0; k < 10; k++)
		spans_add(&spans, &arena, 100 + 4 * k, 104 + 4 * k);
	assert_int_equal(spans.list.count, 1);
	spans_add(&spans, &arena, 96, 100);
	assert_int_equal(spans.list.count, 1);
	assert_int_equal(spans.list.at[0].first, 96);
	assert_int_equal(spans.list.at[0].end, 140);
	spans_add(&spans, &arena, 141, 142);
	assert_int_equal(spans.list.count, 2);
	arena_free(&arena);
}

/* A load, a store, an atomic of the GPU and one of the work-group, a volatile load. */
static struct insn code[] = {
	{.kind = INSN_LOAD, .access = {.bytes = 4}},
	{.kind = INSN_STORE, .access = {.bytes = 4}},
	{.kind = INSN_ATOMIC, .access = {.bytes = 4}},
	{.kind = INSN_ATOMIC, .access = {.bytes = 4, .scope = scope_CTA}},
	{.kind = INSN_LOAD, .access = {.bytes = 4, .order = order_VOLATILE, .scope = scope_CTA}},
	{.kind = INSN_LOAD, .access = {.bytes = 4, .order = order_RELAXED, .scope = scope_CTA}},
	{.kind = INSN_LOAD, .access = {.bytes = 4, .order = order_ACQUIRE, .scope = scope_GPU}},
};
#define CODE (sizeof code / sizeof *code)

static void strong_is_what_other_launches_see(void **state)
{
	static const bool strong[CODE] = {false, false, true, false, true, false, true};
	struct kernel kernel = {.code = code, .code_count = CODE};
	struct footprints all = {0};
	struct footprint *f;

	(void)state;
	footprint_group_begins(&all, 3, &kernel, 1);
	for (uint32_t pc = 0; pc < CODE; pc++)
		footprint_add(&all, 3, pc, code[pc].kind != INSN_LOAD, false, &(struct span){8 * pc, 8 * pc + 4});
	f = footprint_take(&all, 3);
	assert_true(f->fences); /* the acquire */
	assert_int_equal(f->sites.count, CODE);
	for (uint32_t pc = 0; pc < CODE; pc++) {
		assert_int_equal(f->sites.at[pc].pc, pc);
		assert_int_equal(f->sites.at[pc].strong, strong[pc]);
		assert_int_equal(f->sites.at[pc].writes, code[pc].kind != INSN_LOAD);
		assert_int_equal(f->sites.at[pc].spans.list.at[0].first, 8 * pc);
	}
	footprint_free(f);
}

static void launches_have_times_and_bytes_of_their_own(void **state)
{
	struct kernel kernel = {.code = code, .code_count = CODE};
	struct footprints all = {0};
	struct footprint *a, *b;

	(void)state;
	footprint_group_begins(&all, 1, &kernel, 2);
	footprint_group_begins(&all, 1, &kernel, 2);
	footprint_group_begins(&all, 2, &kernel, 1);
	footprint_add(&all, 1, 0, false, false, &(struct span){0, 4});
	footprint_add(&all, 2, 0, false, false, &(struct span){4, 8});
	footprint_group_ends(&all, 1);
	footprint_fence(&all, 2);
	footprint_group_ends(&all, 2);
	footprint_group_ends(&all, 1);
	a = footprint_take(&all, 1);
	b = footprint_take(&all, 2);
	assert_null(footprint_take(&all, 1));
	assert_null(all.launches);
	assert_true(a->began < b->began && b->began < b->ended && b->ended < a->ended); /* they overlapped */
	assert_true(b->fences && !a->fences);
	assert_int_equal(a->sites.at[0].spans.list.at[0].end, 4);
	assert_int_equal(b->sites.at[0].spans.list.at[0].first, 4);
	footprint_free(a);
	footprint_free(b);
	footprint_free(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(spans_are_those_of_a_bitmap),
		cmocka_unit_test(neighbours_are_one_span),
		cmocka_unit_test(strong_is_what_other_launches_see),
		cmocka_unit_test(launches_have_times_and_bytes_of_their_own),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
