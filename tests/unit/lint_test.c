/* What the lint says of waits whose word the waiting lanes write too: behind the loop, before it, or on a way that does
 * not lead to it. docs/lint.md. */
#include "lockstep.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define BEGIN                                                                                                          \
	"(.param .u64 a, .param .u32 n) {\n.reg .b64 %a; .reg .b32 %v, %n; .reg .pred %p, %q;\n"                       \
	"ld.param.u64 %a, [a]; ld.param.u32 %n, [n]; setp.eq.u32 %q, %n, 0;\n"
#define WAIT                                                                                                           \
	"wait: ld.volatile.global.u32 %v, [%a]; setp.eq.u32 %p, %v, 0; @%p bra wait;\n"                                \
	"st.volatile.global.u32 [%a], 2; ret;\n"

/* `late`: a lane waits for what a lane of its warp writes when all have left the loop.  `arrived`: each has written
 * before.  `elsewhere`: only those have that do not come to the loop, all lanes alike. */
static const char text[] =
	".version 7.0\n.target sm_70\n.address_size 64\n"
	".visible .entry late" BEGIN WAIT "}\n"
	".visible .entry arrived" BEGIN "st.volatile.global.u32 [%a], 1;\n" WAIT "}\n"
	".visible .entry elsewhere" BEGIN "@%q bra away;\n" WAIT "away: st.volatile.global.u32 [%a], 1; ret;\n}\n";

static struct lockstep *gpu;

/* What lint finds in the PTX, of which there is so much; `gpu` is open until the test closes it. */
static const struct lockstep_finding *lint(const char *name, const char *ptx, size_t count)
{
	struct lockstep_options options = {.size = sizeof options, .gpu = "gtx480"};
	struct lockstep_error error = {0};
	const struct lockstep_finding *findings;

	gpu = lockstep_open(&options, &error);
	assert_int_equal(lockstep_lint(lockstep_load(gpu, name, ptx, &error), &findings), count);
	assert_string_equal(error.message, "");
	return findings;
}

static void waits_are_judged_by_who_has_arrived(void **state)
{
	static const char *const causes[] = {"simt", "occupancy", "simt"};
	const struct lockstep_finding *findings = lint("lint.ptx", text, 3);

	(void)state;
	for (size_t k = 0; k < 3; k++) {
		assert_string_equal(findings[k].kind, "spin");
		assert_string_equal(findings[k].cause, causes[k]);
	}
	lockstep_close(gpu);
}

/* A loop with two attempts, until `done`: lock a is released in each turn, and lanes leave with lock b. */
#define TRY_A "atom.global.cas.b32 %v, [%a], 0, 1; setp.ne.u32 %p, %v, 0;\n"
#define TRY_B "atom.global.cas.b32 %w, [%b], 0, 1;\n"
#define TRY_MOVING "atom.global.exch.b32 %w, [%b], %n; add.u32 %n, %n, 1;\n" /* another one each time: no spin */
#define UNTIL_DONE(second)                                                                                             \
	"(.param .u64 a, .param .u64 b) {\n.reg .b64 %a, %b; .reg .b32 %v, %w, %n, %done; .reg .pred %p, %q, %r;\n"    \
	"ld.param.u64 %a, [a]; ld.param.u64 %b, [b]; mov.u32 %n, 1; mov.u32 %done, 0;\nagain:\n" TRY_A                 \
	"@%p bra next;\n" second "setp.ne.u32 %q, %w, 0; @%q bra give;\nmov.u32 %done, 1;\n"                           \
	"give: st.volatile.global.u32 [%a], 0;\nnext: setp.eq.u32 %r, %done, 0; @%r bra again;\n"
#define GIVE_B "st.volatile.global.u32 [%b], 0; ret;\n}\n"

/* `apart`: lanes leave a second loop with lock b, no matter what they do in the first. */
static const char locks[] =
	".version 7.0\n.target sm_70\n.address_size 64\n"
	".visible .entry second" UNTIL_DONE(TRY_B) GIVE_B ".visible .entry moving" UNTIL_DONE(TRY_MOVING) GIVE_B
	".visible .entry apart" UNTIL_DONE("mov.u32 %w, 0;\n") "spin:\n" TRY_B
							       "setp.ne.u32 %p, %w, 0; @%p bra spin;\n" GIVE_B;

static void the_attempt_that_blocks_is_chosen_in_its_loop(void **state)
{
	static const struct {
		const char *cause;
		uint32_t line;
	} expected[] = {{"simt", 10}, {"none", 21}, {"none", 34}, {"simt", 42}};
	const struct lockstep_finding *findings = lint("locks.ptx", locks, 4);

	(void)state;
	for (size_t k = 0; k < 4; k++) {
		assert_string_equal(findings[k].cause, expected[k].cause);
		assert_int_equal(findings[k].lines[0].line, expected[k].line);
	}
	lockstep_close(gpu);
}

/* The owner of the lock chooses by a number that it has not always the same of: with 1 it gives the lock back, with
 * another it leaves the loop with it. */
#define CHOOSES(one, other)                                                                                            \
	"(.param .u64 a, .param .u32 n) {\n.reg .b64 %a; .reg .b32 %v, %n, %k, %done; .reg .pred %p, %q, %r;\n"        \
	"ld.param.u64 %a, [a]; ld.param.u32 %n, [n]; setp.eq.u32 %q, %n, 0; mov.u32 %done, 0;\nagain:\n" TRY_A         \
	"@%p bra next;\n@%q bra zero; mov.u32 %k, " one "; bra chosen;\nzero: mov.u32 %k, " other ";\n"                \
	"chosen: setp.ne.u32 %r, %k, 1; @%r bra keep; st.volatile.global.u32 [%a], 0;\nkeep: mov.u32 %done, 1;\n"      \
	"next: setp.eq.u32 %r, %done, 0; @%r bra again;\nst.volatile.global.u32 [%a], 0; ret;\n}\n"

static const char choices[] = ".version 7.0\n.target sm_70\n.address_size 64\n"
			      ".visible .entry always" CHOOSES("1", "1") ".visible .entry first" CHOOSES(
				      "2", "1") ".visible .entry second" CHOOSES("1", "2");

static void an_owner_may_come_by_two_ways(void **state)
{
	static const char *const causes[] = {"none", "simt", "simt"};
	const struct lockstep_finding *findings = lint("choices.ptx", choices, 3);

	(void)state;
	for (size_t k = 0; k < 3; k++)
		assert_string_equal(findings[k].cause, causes[k]);
	lockstep_close(gpu);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(waits_are_judged_by_who_has_arrived),
		cmocka_unit_test(the_attempt_that_blocks_is_chosen_in_its_loop),
		cmocka_unit_test(an_owner_may_come_by_two_ways)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
