/* What the lint says of waits whose word the waiting lanes write too: behind the loop, before it, or on a way that does
 * not lead to it. docs/hangs.md, "Before it runs". */
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

static void waits_are_judged_by_who_has_arrived(void **state)
{
	static const char *const causes[] = {"simt", "occupancy", "simt"};
	struct lockstep_error error = {0};
	struct lockstep *gpu = lockstep_open(&(struct lockstep_options){.gpu = "gtx480"}, &error);
	struct lockstep_module *module = lockstep_load(gpu, "lint.ptx", text, &error);
	const struct lockstep_finding *findings;

	(void)state;
	assert_string_equal(error.message, "");
	assert_int_equal(lockstep_lint(module, &findings), 3);
	for (size_t k = 0; k < 3; k++) {
		assert_string_equal(findings[k].kind, "spin");
		assert_string_equal(findings[k].cause, causes[k]);
	}
	lockstep_close(gpu);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(waits_are_judged_by_who_has_arrived)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
