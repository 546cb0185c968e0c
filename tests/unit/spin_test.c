/* Which loops synchronise, loop by loop: kernel/spin.h says what each must be. */
#include "kernel/assign.h"
#include "kernel/spin.h"
#include "util/text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static struct arena arena;

static int free_arena(void **state)
{
	(void)state;
	arena_free(&arena);
	return 0;
}

/* What is found, in words: kind and number of the instruction, the loop by its first instruction, and what else holds.
 */
static const char *const kind_names[] = {
	[SPIN_LOCK] = "lock", [SPIN_UPDATE] = "update", [SPIN_TWIN] = "twin", [SPIN_WAIT] = "wait"};

static struct flow *flow_of(const char *body, struct ptx_module **module)
{
	struct diagnostic diagnostic = {0};
	const char *text = arena_printf(&arena,
		".version 8.0\n.target sm_90\n.address_size 64\n.shared .b32 w; .shared .b32 v; .shared .b64 m;\n"
		".visible .entry k(.param .u32 n) {\n.reg .pred %%p<10>;\n.reg .b32 %%r<10>;\n.reg .b64 "
		"%%rd<10>;\n%s\n}\n",
		body);
	*module = ptx_parse(&arena, "test.ptx", text, &diagnostic);
	if (!*module)
		fail_msg("%s: %s", body, diagnostic.message);
	return flow_analyse(&arena, ptx_find_function(*module, "k"));
}

static const char *spins_of(const char *body)
{
	struct ptx_module *module;
	struct text out = {.arena = &arena};
	struct flow *flow = flow_of(body, &module);
	struct spins spins = spins_find(&arena, module, flow, assign_slots(&arena, flow, 0)->dead_result);
	text_print(&out, "%s", "");
	for (uint32_t k = 0; k < spins.count; k++) {
		const struct spin *s = &spins.at[k];
		text_print(&out, "%s%s %u in %u", k ? "; " : "", kind_names[s->kind], s->instruction,
			flow->blocks[flow->loops[s->loop].header].first);
		text_print(&out, "%s%s", s->endless ? " endless" : "", s->of_group ? " group" : "");
		if (s->condition != NO_BLOCK)
			text_print(&out, " condition %u", s->condition);
	}
	return out.at;
}

static const char *lone_loops_of(const char *body)
{
	struct ptx_module *module;
	struct text out = {.arena = &arena};
	struct flow *flow = flow_of(body, &module);
	struct spins spins = spins_find(&arena, module, flow, assign_slots(&arena, flow, 0)->dead_result);
	text_print(&out, "%s", "");
	for (uint32_t l = 0; l < flow->loop_count; l++)
		if (spins.ends_alone[l])
			text_print(&out, "%s%u", *out.at ? " " : "", flow->blocks[flow->loops[l].header].first);
	return out.at;
}

struct row {
	const char *body, *found;
};

static void check(const struct row *rows, size_t count)
{
	bool failed = false;
	for (size_t k = 0; k < count; k++) {
		const char *found = spins_of(rows[k].body);
		if (strcmp(found, rows[k].found)) {
			print_error("%s\n    is '%s', not '%s'\n", rows[k].body, found, rows[k].found);
			failed = true;
		}
	}
	assert_false(failed);
}

#define CHECK(rows) check(rows, sizeof(rows) / sizeof *(rows))

/* An exchange, a compare-and-swap or an `or`, whose result decides whether the loop is left. */
static void what_is_an_attempt(void **state)
{
	static const struct row rows[] = {
		/* what it might be changed to is not made of what it is then */
		{"L: atom.global.cas.b32 %r1, [%rd1], 0, %r5; setp.ne.s32 %p1, %r1, 0;"
		 "atom.global.cas.b32 %r4, [%rd1], %r2, %r6; @%p1 bra L; ret;",
			"update 0 in 0"},
		/* what may put it back are two counters, each made of itself */
		{"L: atom.global.cas.b32 %r1, [%rd1], 0, %r5; setp.ne.s32 %p1, %r1, 0; add.u32 %r2, %r2, 1;"
		 "add.u32 %r3, %r3, 1; atom.global.cas.b32 %r4, [%rd1], %r2, %r3; @%p1 bra L; ret;",
			"update 0 in 0"},
		{"L: atom.global.exch.b32 %r1, [%rd1], 1; setp.ne.s32 %p1, %r1, 0; @%p1 bra L; ret;",
			"lock 0 in 0 endless"},
		{"L: atom.global.cas.b32 %r1, [%rd1], 0, 1; setp.ne.s32 %p1, %r1, 0; @%p1 bra L; ret;",
			"lock 0 in 0 endless"},
		{"L: atom.global.or.b32 %r1, [%rd1], 1; setp.ne.s32 %p1, %r1, 0; @%p1 bra L; ret;",
			"lock 0 in 0 endless"},
		{"L: atom.global.add.u32 %r1, [%rd1], 1; setp.ne.s32 %p1, %r1, 0; @%p1 bra L; ret;", ""},
		{"L: atom.global.and.b32 %r1, [%rd1], 1; setp.ne.s32 %p1, %r1, 0; @%p1 bra L; ret;", ""},
		{"L: atom.global.max.u32 %r1, [%rd1], 1; setp.ne.s32 %p1, %r1, 0; @%p1 bra L; ret;", ""},
		/* by its exit: a guarded return, the other side of the branch, a value computed from it */
		{"L: atom.global.exch.b32 %r1, [%rd1], 1; setp.eq.s32 %p1, %r1, 0; @%p1 ret; bra L;",
			"lock 0 in 0 endless"},
		{"L: atom.global.exch.b32 %r1, [%rd1], 1; setp.eq.s32 %p1, %r1, 0; @!%p1 bra L; ret;",
			"lock 0 in 0 endless"},
		{"L: atom.global.exch.b32 %r1, [%rd1], 1; shr.u32 %r2, %r1, 4; and.b32 %r3, %r2, 1; setp.ne.s32 %p1, "
		 "%r3, 0;"
		 "@%p1 bra L; ret;",
			"lock 0 in 0 endless"},
		/* nobody asks, or something else is asked */
		{"L: atom.global.exch.b32 %r1, [%rd1], 1; ld.volatile.global.u32 %r2, [%rd2]; setp.ne.s32 %p1, %r2, 0;"
		 "@%p1 bra L; ret;",
			""},
		{"L: atom.global.exch.b32 %r1, [%rd1], 1; ld.volatile.global.u32 %r2, [%rd2]; setp.ne.s32 %p1, %r2, 0;"
		 "st.global.u32 [%rd3], %r1; @%p1 bra L; ret;",
			""},
		{"atom.global.exch.b32 %r1, [%rd1], 1; setp.ne.s32 %p1, %r1, 0; @%p1 bra E; st.global.u32 [%rd2], %r1; "
		 "E: ret;",
			""},
		{"L: atom.global.exch.b32 %r1, [%rd1], 1; st.global.u32 [%rd2], %r1; bra L;", ""},
	};
	(void)state;
	CHECK(rows);
}

/* What changes nothing only looks: a loop of it is a wait. */
static void atomics_that_only_look(void **state)
{
	static const struct row rows[] = {
		{"L: atom.global.add.u32 %r1, [%rd1], 0; setp.eq.u32 %p1, %r1, 0; @%p1 bra L; ret;",
			"wait 0 in 0 endless"},
		{"L: atom.global.or.b32 %r1, [%rd1], 0; setp.eq.u32 %p1, %r1, 0; @%p1 bra L; ret;",
			"wait 0 in 0 endless"},
		{"L: atom.global.xor.b32 %r1, [%rd1], 0; setp.eq.u32 %p1, %r1, 0; @%p1 bra L; ret;",
			"wait 0 in 0 endless"},
		{"L: atom.global.cas.b32 %r1, [%rd1], 5, 5; setp.eq.u32 %p1, %r1, 0; @%p1 bra L; ret;",
			"wait 0 in 0 endless"},
		{"L: atom.global.cas.b32 %r1, [%rd1], %r2, %r2; setp.eq.u32 %p1, %r1, 0; @%p1 bra L; ret;",
			"wait 0 in 0 endless"},
		{"L: atom.global.cas.b32 %r1, [%rd1], 5, 6; setp.eq.u32 %p1, %r1, 0; @%p1 bra L; ret;",
			"lock 0 in 0 endless"},
		{"L: atom.global.cas.b32 %r1, [%rd1], %r2, %r3; setp.eq.u32 %p1, %r1, 0; @%p1 bra L; "
		 "st.global.u32 [%rd1], %r2; ret;",
			"lock 0 in 0 endless"},
		{"L: atom.global.cas.b32 %r1, [%rd1], %r2, 5; setp.eq.u32 %p1, %r1, 0; @%p1 bra L; "
		 "st.global.u32 [%rd1], %r2; ret;",
			"lock 0 in 0 endless"},
		{"L: atom.global.exch.b32 %r1, [%rd1], 0; setp.eq.u32 %p1, %r1, 0; @%p1 bra L; "
		 "st.global.u32 [%rd1], 1; ret;",
			"lock 0 in 0 endless"},
		{"L: atom.global.and.b32 %r1, [%rd1], 0; setp.eq.u32 %p1, %r1, 0; @%p1 bra L; ret;", ""},
		{"L: red.global.add.u32 [%rd2], 0; ld.volatile.global.u32 %r1, [%rd1]; setp.eq.u32 %p1, %r1, 0; @%p1 "
		 "bra L; ret;",
			""},
	};
	(void)state;
	CHECK(rows);
}

/* The same address and the same values in each iteration, no count of iterations, no clock. */
static void what_ends_by_itself(void **state)
{
	static const struct row rows[] = {
		{"L: atom.global.cas.b32 %r1, [%rd1], 0, 1; add.s32 %r3, %r3, 1; setp.ne.s32 %p1, %r1, 0;"
		 "setp.lt.s32 %p2, %r3, 10; and.pred %p3, %p1, %p2; @%p3 bra L; ret;",
			"lock 0 in 0"},
		{"L: atom.global.cas.b32 %r1, [%rd1], 0, 1; setp.eq.s32 %p1, %r1, 0; @%p1 bra E; add.s32 %r3, %r3, 1;"
		 "setp.lt.s32 %p2, %r3, 10; @%p2 bra L; E: ret;",
			"lock 0 in 0"},
		{"L: atom.global.cas.b32 %r1, [%rd1], 0, 1; add.s64 %rd1, %rd1, 4; setp.ne.s32 %p1, %r1, 0; @%p1 bra "
		 "L; ret;",
			"update 0 in 0"},
		{"L: atom.global.cas.b32 %r1, [%rd1], 0, %r3; add.s32 %r3, %r3, 1; setp.ne.s32 %p1, %r1, 0; @%p1 bra "
		 "L; st.global.u32 [%rd1], 0; ret;",
			"lock 0 in 0"},
		{"L: atom.global.cas.b32 %r1, [%rd1], 0, 1; mov.u32 %r4, %clock; setp.ne.s32 %p1, %r1, 0;"
		 "setp.lt.u32 %p2, %r4, %r5; and.pred %p3, %p1, %p2; @%p3 bra L; ret;",
			"lock 0 in 0"},
		{"L: atom.global.cas.b32 %r1, [%rd1], 0, 1; sub.s64 %rd4, %clock64, %rd3; setp.ne.s32 %p1, %r1, 0;"
		 "setp.lt.s64 %p2, %rd4, 99; and.pred %p3, %p1, %p2; @%p3 bra L; ret;",
			"lock 0 in 0"},
		{"L: ld.volatile.global.u32 %r1, [%rd1]; mov.u32 %r4, %globaltimer_lo; setp.ne.s32 %p1, %r1, 0;"
		 "setp.lt.s32 %p2, %r4, 99; and.pred %p3, %p1, %p2; @%p3 bra L; ret;",
			""},
		{"L: ld.volatile.global.u32 %r1, [%rd1]; setp.eq.s32 %p1, %r1, 0; @%p1 bra E; mov.u32 %r4, %clock_hi;"
		 "setp.lt.s32 %p2, %r4, 99; @%p2 bra L; E: ret;",
			"wait 0 in 0"},
		{"L: atom.global.cas.b32 %r1, [%rd1], 0, 1; mov.u32 %r4, %smid; setp.ne.s32 %p1, %r1, 0;"
		 "setp.lt.u32 %p2, %r4, %r5; and.pred %p3, %p1, %p2; @%p3 bra L; ret;",
			"lock 0 in 0 endless"},
		/* a counter that no exit asks; what is made anew from outside in each iteration */
		{"L: atom.global.cas.b32 %r1, [%rd1], 0, 1; add.s32 %r3, %r3, 1; setp.ne.s32 %p1, %r1, 0; @%p1 bra L;"
		 "st.global.u32 [%rd2], %r3; ret;",
			"lock 0 in 0 endless"},
		{"L: mul.lo.s32 %r3, %r4, 5; atom.global.cas.b32 %r1, [%rd1], 0, %r3; setp.ne.s32 %p1, %r1, 0; @%p1 "
		 "bra L; st.global.u32 [%rd1], 0; ret;",
			"lock 1 in 0 endless"},
		{"L: ld.volatile.global.u32 %r1, [%rd1]; setp.ne.s32 %p1, %r1, 0; @%p1 bra E; add.s32 %r3, %r3, 1;"
		 "setp.lt.s32 %p2, %r3, 10; @%p2 bra L; E: ret;",
			"wait 0 in 0"},
	};
	(void)state;
	CHECK(rows);
}

/* A compare-and-swap that expects what this iteration has read is an update; not where iterations leave it out. */
static void updates_are_no_locks_for_ever(void **state)
{
	static const struct row rows[] = {
		{"L: ld.global.u32 %r2, [%rd1]; add.s32 %r3, %r2, 1; atom.global.cas.b32 %r1, [%rd1], %r2, %r3;"
		 "setp.ne.s32 %p1, %r1, %r2; @%p1 bra L; ret;",
			"update 2 in 0"},
		{"ld.global.u32 %r2, [%rd1]; L: add.s32 %r3, %r2, 1; atom.global.cas.b32 %r1, [%rd1], %r2, %r3;"
		 "setp.ne.s32 %p1, %r1, %r2; @%p1 bra L; ret;",
			"update 2 in 1"},
		{"L: ld.volatile.global.u32 %r2, [%rd1]; setp.eq.u32 %p2, %r2, 0; @%p2 bra N; add.s32 %r3, %r2, -1;"
		 "atom.global.cas.b32 %r1, [%rd1], %r2, %r3; setp.eq.u32 %p1, %r1, %r2; @%p1 bra E; N: bra L; "
		 "E: atom.global.add.u32 %r1, [%rd1], 1; ret;",
			"lock 4 in 0 endless condition 0; wait 0 in 0 endless"}, /* at zero it only looks */
	};
	(void)state;
	CHECK(rows);
}

#define PROBES "and.b32 %r2, %r2, 63; mul.wide.u32 %rd3, %r2, 4; add.s64 %rd4, %rd1, %rd3;"

/* A lock's address stays, and something may put the free value back; compilers put the first attempt before the loop.
 */
static void what_is_a_lock(void **state)
{
	static const struct row rows[] = {
		/* a table: the address moves on; a walk that locks one node after another puts each back */
		{"L: " PROBES "atom.global.cas.b32 %r1, [%rd4], 0, %r3; add.u32 %r2, %r2, 1; setp.ne.s32 %p1, %r1, 0;"
		 "@%p1 bra L; ret;",
			"update 3 in 0"},
		{"L: " PROBES "atom.global.cas.b32 %r1, [%rd4], 0, 1; add.u32 %r2, %r2, 1; setp.ne.s32 %p1, %r1, 0;"
		 "@%p1 bra N; st.global.u32 [%rd4], 0; setp.eq.u32 %p1, %r2, %r3; @%p1 bra E; N: bra L; E: ret;",
			"lock 3 in 0"},
		/* the value that is put back is not the free one; another word is put back */
		{"L: " PROBES "atom.global.cas.b32 %r1, [%rd4], 0, 1; add.u32 %r2, %r2, 1; setp.ne.s32 %p1, %r1, 0;"
		 "@%p1 bra N; st.global.u32 [%rd4], 2; setp.eq.u32 %p1, %r2, %r3; @%p1 bra E; N: bra L; E: ret;",
			"update 3 in 0"},
		{"L: " PROBES "atom.global.cas.b32 %r1, [%rd4], 0, 1; add.u32 %r2, %r2, 1; setp.ne.s32 %p1, %r1, 0;"
		 "@%p1 bra N; st.global.u32 [%rd4+4], 0; setp.eq.u32 %p1, %r2, %r3; @%p1 bra E; N: bra L; E: ret;",
			"update 3 in 0"},
		/* a stack: what is put is no mark of what was read */
		{"L: ld.volatile.global.u32 %r2, [%rd1]; setp.eq.u32 %p2, %r2, 0; @%p2 bra L; cvt.u64.u32 %rd4, %r2;"
		 "ld.global.u32 %r3, [%rd4]; atom.global.cas.b32 %r1, [%rd1], %r2, %r3; setp.ne.u32 %p1, %r1, %r2;"
		 "@%p1 bra L; st.global.u32 [%rd1], 0; ret;",
			"update 5 in 0; wait 0 in 0 endless"},
		/* a place in a ring: another word decides; a bit of a word: the word itself */
		{"L: ld.volatile.global.u32 %r2, [%rd1]; ld.volatile.global.u32 %r4, [%rd2]; setp.ne.u32 %p2, %r4, %r2;"
		 "@%p2 bra L; add.u32 %r3, %r2, 1; atom.global.cas.b32 %r1, [%rd1], %r2, %r3;"
		 "setp.ne.u32 %p1, %r1, %r2; @%p1 bra L; st.global.u32 [%rd1], 0; ret;",
			"update 5 in 0; wait 0 in 0 endless"},
		{"L: ld.volatile.global.u32 %r2, [%rd1]; and.b32 %r4, %r2, 1; setp.ne.u32 %p2, %r4, 0;"
		 "@%p2 bra L; or.b32 %r3, %r2, 1; atom.global.cas.b32 %r1, [%rd1], %r2, %r3;"
		 "setp.ne.u32 %p1, %r1, %r2; @%p1 bra L; atom.global.and.b32 %r1, [%rd1], -2; ret;",
			"lock 5 in 0 endless condition 0; wait 0 in 0 endless"},
		/* a bit that is expected to be free whatever was read, in each turn; and what was read, bit and all */
		{"L: ld.volatile.global.u32 %r2, [%rd1]; and.b32 %r4, %r2, -2; or.b32 %r3, %r4, 1;"
		 "atom.global.cas.b32 %r1, [%rd1], %r4, %r3; setp.ne.u32 %p1, %r1, %r4; @%p1 bra L;"
		 "atom.global.and.b32 %r1, [%rd1], -2; ret;",
			"lock 3 in 0"},
		{"L: ld.volatile.global.u32 %r2, [%rd1]; or.b32 %r3, %r2, 1; atom.global.cas.b32 %r1, [%rd1], %r2, %r3;"
		 "setp.ne.u32 %p1, %r1, %r2; @%p1 bra L; atom.global.and.b32 %r1, [%rd1], -2; ret;",
			"update 2 in 0"},
		/* an item taken out of a mailbox, and one put in */
		{"L: atom.global.exch.b32 %r1, [%rd1], 0; setp.eq.u32 %p1, %r1, 0; @%p1 bra L; st.shared.u32 [w], %r1;"
		 "st.global.u32 [%rd1], 0; ret;",
			"update 0 in 0"},
		/* the end of a queue moves: the function writes the pointer through which the loop goes */
		{"L: ld.volatile.global.u64 %rd4, [%rd1]; atom.global.cas.b32 %r1, [%rd4], 0, %r3; setp.ne.u32 %p1, "
		 "%r1, "
		 "0; @%p1 bra L; st.global.u32 [%rd4], 0; ret;",
			"lock 1 in 0 endless condition 0"},
		{"L: ld.volatile.global.u64 %rd4, [%rd1]; atom.global.cas.b32 %r1, [%rd4], 0, %r3; setp.ne.u32 %p1, "
		 "%r1, "
		 "0; @%p1 bra L; st.global.u32 [%rd5], 0; st.global.u64 [%rd1], %rd5; ret;",
			"update 1 in 0"},
		/* the first attempt before the loop; one at another place, one with another value */
		{"atom.global.cas.b32 %r1, [%rd1], 0, 1; setp.eq.u32 %p1, %r1, 0; @%p1 bra E;"
		 "mov.u32 %r2, 0; L: atom.global.cas.b32 %r1, [%rd1], %r2, 1; setp.ne.u32 %p1, %r1, 0; @%p1 bra L; E: "
		 "ret;",
			"lock 4 in 4 endless; twin 0 in 4"},
		{"atom.global.cas.b32 %r1, [%rd1+4], 0, 1; setp.eq.u32 %p1, %r1, 0; @%p1 bra E;"
		 "L: atom.global.cas.b32 %r1, [%rd1], 0, 1; setp.ne.u32 %p1, %r1, 0; @%p1 bra L; E: ret;",
			"lock 3 in 3 endless"},
		{"atom.global.cas.b32 %r1, [%rd1], 0, 2; setp.eq.u32 %p1, %r1, 0; @%p1 bra E;"
		 "L: atom.global.cas.b32 %r1, [%rd1], 0, 1; setp.ne.u32 %p1, %r1, 0; @%p1 bra L; E: ret;",
			"lock 3 in 3 endless"},
	};
	(void)state;
	CHECK(rows);
}

/* The first load from a place that stays the same on which the exit depends, beside the attempt. */
static void conditions_of_locks(void **state)
{
	static const struct row rows[] = {
		{"L: ld.volatile.global.u32 %r2, [%rd2]; atom.global.cas.b32 %r1, [%rd1], 0, 1; setp.ne.u32 %p1, %r1, "
		 "0;"
		 "setp.ne.u32 %p2, %r2, 7; and.pred %p3, %p1, %p2; @%p3 bra L; ret;",
			"lock 1 in 0 endless condition 0"},
		{"L: ld.volatile.global.u32 %r4, [%rd3]; ld.volatile.shared.u32 %r2, [w];"
		 "atom.global.cas.b32 %r1, [%rd1], 0, 1; setp.ne.u32 %p1, %r1, 0; setp.ne.u32 %p2, %r2, 7;"
		 "and.pred %p3, %p1, %p2; @%p3 bra L; st.global.u32 [%rd2], %r4; ret;",
			"lock 2 in 0 endless condition 1"},
		{"L: ld.param.u32 %r2, [n]; atom.global.cas.b32 %r1, [%rd1], 0, 1; setp.ne.u32 %p1, %r1, 0;"
		 "setp.ne.u32 %p2, %r2, 7; and.pred %p3, %p1, %p2; @%p3 bra L; ret;",
			"lock 1 in 0 endless"},
		{"L: ld.volatile.global.u32 %r2, [%rd2]; add.s64 %rd2, %rd2, 4; atom.global.cas.b32 %r1, [%rd1], 0, 1;"
		 "setp.ne.u32 %p1, %r1, 0; setp.ne.u32 %p2, %r2, 7; and.pred %p3, %p1, %p2; @%p3 bra L; ret;",
			"lock 2 in 0"},
	};
	(void)state;
	CHECK(rows);
}

/* The innermost loop that is left, or not, by the result. */
static void the_loop_of_a_lock(void **state)
{
	static const struct row rows[] = {
		{"O: mov.u32 %r5, 0; L: atom.global.exch.b32 %r1, [%rd1], 1; setp.ne.u32 %p1, %r1, 0; @%p1 bra L;"
		 "st.global.u32 [%rd1], %r5; add.s32 %r6, %r6, 1; setp.lt.s32 %p2, %r6, 10; @%p2 bra O; ret;",
			"lock 1 in 1 endless"},
		{"O: mov.u32 %r3, 0; L: atom.global.exch.b32 %r1, [%rd1], 1; add.s32 %r3, %r3, 1; setp.lt.s32 %p3, "
		 "%r3, 10;"
		 "@%p3 bra L; setp.ne.u32 %p1, %r1, 0; @%p1 bra O; ret;",
			"lock 1 in 0 endless"}, /* ten times again and again */
		{"L: atom.global.exch.b32 %r1, [%rd1], 1; atom.global.exch.b32 %r2, [%rd2], 1; or.b32 %r3, %r1, %r2;"
		 "setp.ne.u32 %p1, %r3, 0; @%p1 bra L; ret;",
			"lock 0 in 0 endless; lock 1 in 0 endless"},
		/* control: done is set in the branch that the result decides, and the exit asks for it */
		{"L: atom.global.cas.b32 %r1, [%rd1], 0, 1; mov.u32 %r2, 0; setp.ne.s32 %p1, %r1, 0; @%p1 bra N;"
		 "mov.u32 %r2, 1; N: setp.eq.s32 %p2, %r2, 0; @%p2 bra L; ret;",
			"lock 0 in 0 endless"},
		/* what lies behind the place where the sides meet again does not depend on it */
		{"L: atom.global.cas.b32 %r1, [%rd1], 0, 1; setp.ne.s32 %p1, %r1, 0; @%p1 bra N; st.global.u32 [%rd3], "
		 "1;"
		 "N: ld.volatile.global.u32 %r2, [%rd2]; setp.eq.s32 %p2, %r2, 0; @%p2 bra L; ret;",
			""},
	};
	(void)state;
	CHECK(rows);
}

/* A loop that changes nothing, and an exit that depends on what it reads from a place that stays the same. */
static void what_is_a_wait(void **state)
{
	static const struct row rows[] = {
		{"L: ld.volatile.global.u32 %r1, [%rd1]; setp.eq.s32 %p1, %r1, 0; @%p1 bra L; ret;",
			"wait 0 in 0 endless"},
		{"L: ld.volatile.shared.u32 %r1, [w]; setp.eq.s32 %p1, %r1, 0; @%p1 bra L; ret;",
			"wait 0 in 0 endless"},
		{"L: ld.volatile.u32 %r1, [%rd1]; setp.eq.s32 %p1, %r1, 0; @%p1 bra L; ret;", "wait 0 in 0 endless"},
		{"L: ld.param.u32 %r1, [n]; setp.eq.s32 %p1, %r1, 0; @%p1 bra L; ret;", ""},
		{"L: ld.const.u32 %r1, [%rd1]; setp.eq.s32 %p1, %r1, 0; @%p1 bra L; ret;", ""},
		{"L: ld.local.u32 %r1, [%rd1]; setp.eq.s32 %p1, %r1, 0; @%p1 bra L; ret;", ""},
		{"L: setp.eq.s32 %p1, %r1, 0; @%p1 bra L; ret;", ""},
		{"L: ld.volatile.global.u32 %r5, [%rd2]; ld.volatile.global.u32 %r1, [%rd1]; setp.eq.s32 %p1, %r1, 0;"
		 "@%p1 bra L; st.global.u32 [%rd3], %r5; ret;",
			"wait 0 in 0 endless"},
		{"L: ld.volatile.global.u32 %r1, [%rd1]; setp.ne.s32 %p1, %r1, 0; @%p1 exit; bra L;",
			"wait 0 in 0 endless"},
		{"L: ld.volatile.global.u32 %r1, [%rd1]; setp.eq.s32 %p1, %r1, 0; @!%p1 bra E; bra L; E: ret;",
			"wait 0 in 0 endless"},
		{"L: ld.volatile.global.u32 %r1, [%rd1]; add.s64 %rd1, %rd1, 4; setp.eq.s32 %p1, %r1, 0; @%p1 bra L; "
		 "ret;",
			""},
		{"L: ld.volatile.global.u32 %r1, [%rd1]; add.s32 %r2, %r2, 1; setp.lt.s32 %p1, %r2, %r1; @%p1 bra L; "
		 "ret;",
			""},
		{"L: mbarrier.test_wait.shared.b64 %p1, [m], %rd1; @!%p1 bra L; ret;", "wait 0 in 0 endless"},
		/* work: a store, an atomic, a barrier, an arrival */
		{"L: ld.volatile.global.u32 %r1, [%rd1]; st.shared.u32 [w], %r1; setp.eq.s32 %p1, %r1, 0; @%p1 bra L; "
		 "ret;",
			""},
		{"L: ld.volatile.global.u32 %r1, [%rd1]; red.global.add.u32 [%rd2], 1; setp.eq.s32 %p1, %r1, 0; @%p1 "
		 "bra L; ret;",
			""},
		{"L: mbarrier.arrive.shared.b64 %rd1, [m]; mbarrier.test_wait.shared.b64 %p1, [m], %rd1; @!%p1 bra L; "
		 "ret;",
			""},
		/* of two nested loops each by itself */
		{"O: ld.volatile.global.u32 %r1, [%rd1]; L: ld.volatile.global.u32 %r2, [%rd2]; setp.eq.s32 %p2, %r2, "
		 "0;"
		 "@%p2 bra L; setp.eq.s32 %p1, %r1, 0; @%p1 bra O; ret;",
			"wait 1 in 1 endless; wait 0 in 0 endless"},
	};
	(void)state;
	CHECK(rows);
}

/* One thread tries, and a word of shared memory, behind a barrier, tells the others. */
static void attempts_of_groups(void **state)
{
	static const struct row rows[] = {
		{"L: @%p3 bra B; atom.global.cas.b32 %r1, [%rd1], 0, 1; st.shared.u32 [w], %r1; B: bar.sync 0;"
		 "ld.shared.u32 %r2, [w]; setp.ne.s32 %p2, %r2, 0; @%p2 bra L; ret;",
			"lock 1 in 0 endless group"},
		{"L: @%p3 bra B; atom.global.cas.b32 %r1, [%rd1], 0, 1; st.shared.u32 [w], %r1; B: bar.sync 0;"
		 "ld.shared.u32 %r2, [w]; setp.eq.s32 %p2, %r2, 0; @%p2 bra E; add.s32 %r3, %r3, 1; setp.lt.s32 %p4, "
		 "%r3, 9;"
		 "@%p4 bra L; E: ret;",
			"lock 1 in 0 group"},
		/* by another register, another variable, another offset; the address moves on */
		{"L: @%p3 bra B; atom.global.cas.b32 %r1, [%rd1], 0, 1; st.shared.u32 [%r5], %r1; B: bar.sync 0;"
		 "ld.shared.u32 %r2, [%r5]; setp.ne.s32 %p2, %r2, 0; @%p2 bra L; ret;",
			"lock 1 in 0 endless group"},
		{"L: @%p3 bra B; atom.global.cas.b32 %r1, [%rd1], 0, 1; st.shared.u32 [%r5], %r1; B: bar.sync 0;"
		 "ld.shared.u32 %r2, [%r6]; setp.ne.s32 %p2, %r2, 0; @%p2 bra L; ret;",
			""},
		{"L: @%p3 bra B; atom.global.cas.b32 %r1, [%rd1], 0, 1; st.shared.u32 [w+4], %r1; B: bar.sync 0;"
		 "ld.shared.u32 %r2, [w]; setp.ne.s32 %p2, %r2, 0; @%p2 bra L; ret;",
			""},
		/* whether the lock was free: with 0, however it is written; not with another value */
		{"mov.u32 %r9, 0; L: @%p3 bra B; atom.global.exch.b32 %r1, [%rd1], 1; setp.ne.u32 %p1, %r1, %r9; @%p1 "
		 "bra B;"
		 "st.shared.u32 [w], 1; B: bar.sync 0; ld.shared.u32 %r2, [w]; setp.eq.s32 %p2, %r2, 0; @%p2 bra L; "
		 "ret;",
			"lock 2 in 1 endless group"},
		{"mov.u32 %r9, 0; L: @%p3 bra B; atom.global.exch.b32 %r1, [%rd1], 1; setp.ne.u32 %p1, %r9, %r1; @%p1 "
		 "bra B;"
		 "st.shared.u32 [w], 1; B: bar.sync 0; ld.shared.u32 %r2, [w]; setp.eq.s32 %p2, %r2, 0; @%p2 bra L; "
		 "ret;",
			"lock 2 in 1 endless group"},
		{"mov.u32 %r9, 1; L: @%p3 bra B; atom.global.exch.b32 %r1, [%rd1], 1; setp.ne.u32 %p1, %r1, %r9; @%p1 "
		 "bra B;"
		 "st.shared.u32 [w], 1; B: bar.sync 0; ld.shared.u32 %r2, [w]; setp.eq.s32 %p2, %r2, 0; @%p2 bra L; "
		 "ret;",
			""},
		{"mov.u32 %r9, 0; @%p4 mov.u32 %r9, 0; L: @%p3 bra B; atom.global.exch.b32 %r1, [%rd1], 1;"
		 "setp.ne.u32 %p1, %r1, %r9; @%p1 bra B; st.shared.u32 [w], 1; B: bar.sync 0; ld.shared.u32 %r2, [w];"
		 "setp.eq.s32 %p2, %r2, 0; @%p2 bra L; ret;",
			""},
		/* a compare-and-swap with what it expects, in a register or not */
		{"L: @%p3 bra B; atom.global.cas.b32 %r1, [%rd1], %r7, 1; setp.ne.u32 %p1, %r1, %r7; @%p1 bra B;"
		 "st.shared.u32 [w], 1; B: bar.sync 0; ld.shared.u32 %r2, [w]; setp.eq.s32 %p2, %r2, 0; @%p2 bra L; "
		 "st.global.u32 [%rd1], %r7; ret;",
			"lock 1 in 0 endless group"},
		{"L: @%p3 bra B; atom.global.cas.b32 %r1, [%rd1], 5, 1; setp.ne.u32 %p1, %r1, 5; @%p1 bra B;"
		 "st.shared.u32 [w], 1; B: bar.sync 0; ld.shared.u32 %r2, [w]; setp.eq.s32 %p2, %r2, 0; @%p2 bra L; "
		 "ret;",
			"lock 1 in 0 endless group"},
		{"L: @%p3 bra B; atom.global.cas.b32 %r1, [%rd1], 5, 1; setp.ne.u32 %p1, %r1, 0; @%p1 bra B;"
		 "st.shared.u32 [w], 1; B: bar.sync 0; ld.shared.u32 %r2, [w]; setp.eq.s32 %p2, %r2, 0; @%p2 bra L; "
		 "ret;",
			""},
		/* left by the result itself, and told to the others beside that; without a barrier nobody is told */
		{"L: atom.global.exch.b32 %r1, [%rd1], 1; st.shared.u32 [w], %r1; bar.sync 0; setp.ne.s32 %p1, %r1, 0;"
		 "@%p1 bra L; ret;",
			"lock 0 in 0 endless group"},
		{"L: atom.global.exch.b32 %r1, [%rd1], 1; st.shared.u32 [w], %r1; setp.ne.s32 %p1, %r1, 0; @%p1 bra L; "
		 "ret;",
			"lock 0 in 0 endless"},
		{"L: atom.global.exch.b32 %r1, [%rd1], 1; st.shared.u32 [w], %r5; bar.sync 0; setp.ne.s32 %p1, %r1, 0;"
		 "@%p1 bra L; ret;",
			"lock 0 in 0 endless"},
		/* what the first tells is not told by the second */
		{"L: atom.global.exch.b32 %r1, [%rd1], 1; st.shared.u32 [w], %r1; bar.sync 0; setp.ne.s32 %p1, %r1, 0;"
		 "@%p1 bra L; M: atom.global.exch.b32 %r4, [%rd2], 1; bar.sync 0; setp.ne.s32 %p5, %r4, 0; @%p5 bra M; "
		 "ret;",
			"lock 0 in 0 endless group; lock 5 in 5 endless"},
	};
	(void)state;
	CHECK(rows);
}

/* Loops that end whatever other threads do, by their first instructions. */
static void what_ends_alone(void **state)
{
	static const struct row rows[] = {
		/* a count, whatever else the loop reads */
		{"L: ld.relaxed.gpu.global.u32 %r1, [%rd1]; st.global.u32 [%rd2], %r1; add.u32 %r2, %r2, 1;"
		 "setp.lt.u32 %p1, %r2, 9; @%p1 bra L; ret;",
			"0"},
		/* a weak load, which no fence or barrier of the loop orders */
		{"L: ld.global.u32 %r1, [%rd1]; setp.ne.s32 %p1, %r1, 0; @%p1 bra L; ret;", "0"},
		{"L: ld.global.u32 %r1, [%rd1]; membar.gl; setp.ne.s32 %p1, %r1, 0; @%p1 bra L; ret;", ""},
		{"L: ld.shared.u32 %r1, [w]; bar.sync 0; setp.ne.s32 %p1, %r1, 0; @%p1 bra L; ret;", ""},
		{"L: ld.global.cv.u32 %r1, [%rd1]; setp.ne.s32 %p1, %r1, 0; @%p1 bra L; ret;", ""},
		{"L: ld.volatile.global.u32 %r1, [%rd1]; setp.ne.s32 %p1, %r1, 0; @%p1 bra L; ret;", ""},
		{"L: ld.local.u32 %r1, [%rd1]; setp.ne.s32 %p1, %r1, 0; @%p1 bra L; ret;", ""},
		{"L: atom.global.exch.b32 %r1, [%rd1], 1; setp.ne.s32 %p1, %r1, 0; @%p1 bra L; ret;", ""},
		/* through a branch; in one of two exits; in the outer of two loops */
		{"mov.u32 %r2, 1; L: ld.acquire.gpu.global.u32 %r1, [%rd1]; setp.ne.s32 %p1, %r1, 0; @%p1 bra M;"
		 "mov.u32 %r2, 0; M: setp.ne.s32 %p2, %r2, 0; @%p2 bra L; ret;",
			""},
		{"L: ld.volatile.global.u32 %r1, [%rd1]; setp.eq.s32 %p1, %r1, 0; @%p1 ret; add.u32 %r2, %r2, 1;"
		 "setp.lt.u32 %p2, %r2, 9; @%p2 bra L; ret;",
			""},
		{"L: mov.u32 %r2, 0; M: add.u32 %r2, %r2, 1; setp.lt.u32 %p2, %r2, 9; @%p2 bra M;"
		 "ld.volatile.global.u32 %r1, [%rd1]; setp.ne.s32 %p1, %r1, 0; @%p1 bra L; ret;",
			"1"},
		/* it has no end */
		{"L: add.u32 %r2, %r2, 1; bra L;", ""},
	};
	(void)state;
	for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
		assert_string_equal(lone_loops_of(rows[k].body), rows[k].found);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(what_is_an_attempt, free_arena),
		cmocka_unit_test_teardown(atomics_that_only_look, free_arena),
		cmocka_unit_test_teardown(what_ends_by_itself, free_arena),
		cmocka_unit_test_teardown(updates_are_no_locks_for_ever, free_arena),
		cmocka_unit_test_teardown(what_is_a_lock, free_arena),
		cmocka_unit_test_teardown(conditions_of_locks, free_arena),
		cmocka_unit_test_teardown(the_loop_of_a_lock, free_arena),
		cmocka_unit_test_teardown(what_is_a_wait, free_arena),
		cmocka_unit_test_teardown(attempts_of_groups, free_arena),
		cmocka_unit_test_teardown(what_ends_alone, free_arena),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
