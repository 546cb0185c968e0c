/* Who waited for a lock (machine/observe/contention.h): one thread takes a lock and works, another waits for it, and
 * then takes a second lock twice, for which nobody waits. */
#include "lockstep.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define TAKE(lock)                                                                                                     \
	lock "_try: atom.global.cas.b32 %v, [%" lock "], 0, 1; setp.ne.u32 %p, %v, 0; @%p bra " lock "_try;\n"
#define GIVE_BACK(lock) " atom.global.exch.b32 %v, [%" lock "], 0;\n"

/* memory: the locks at 0 and 128; at 256 says that the first is taken. */
static const char ptx[] =
	".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry k(.param .u64 memory) {\n"
	" .reg .b64 %m, %a, %b, %c, %d, %flag; .reg .b32 %v, %t, %n; .reg .pred %p, %q;\n"
	" ld.param.u64 %m, [memory]; add.u64 %a, %m, 0; add.u64 %b, %m, 0; add.u64 %c, %m, 128; add.u64 %d, %m, 128;\n"
	" add.u64 %flag, %m, 256; mov.u32 %t, %tid.x;\n"
	" setp.eq.u32 %q, %t, 0; @%q bra first; setp.eq.u32 %q, %t, 37; @%q bra second; ret;\n"
	"first:\n" TAKE("a") " st.volatile.global.u32 [%flag], 1; mov.u32 %n, 500;\n"
			     "work: sub.u32 %n, %n, 1; setp.ne.u32 %p, %n, 0; @%p bra work;\n" GIVE_BACK(
				     "a") " ret;\n"
					  "second: ld.volatile.global.u32 %v, [%flag]; setp.eq.u32 %p, %v, 0; @%p bra "
					  "second;\n" TAKE("b") GIVE_BACK("b") TAKE("c") GIVE_BACK("c") TAKE("d")
						  GIVE_BACK("d") " ret;\n}\n";

static void who_waits_is_named(void **state)
{
	static const char *const settings[] = {"core.count=1", NULL};
	struct lockstep_error error = {0};
	struct lockstep_options options = {
		.size = sizeof options, .settings = settings, .max_cycles = 1000000, .profile = LOCKSTEP_PROFILE};
	struct lockstep *gpu = lockstep_open(&options, &error);
	struct lockstep_module *module = lockstep_load(gpu, "contention.ptx", ptx, &error);
	uint64_t parameters[] = {lockstep_allocate(gpu, 512, "memory")};
	struct lockstep_launch launch = {.size = sizeof launch,
		.module = module,
		.kernel = "k",
		.grid = {1, 1, 1},
		.block = {64, 1, 1},
		.parameters = parameters,
		.parameter_bytes = sizeof parameters};
	const struct lockstep_result *result;
	const struct lockstep_lock *contended, *uncontended;

	(void)state;
	assert_string_equal(error.message, "");
	memset(lockstep_map(gpu, parameters[0], 512), 0, 512);
	result = lockstep_run(gpu, &launch, &error);
	assert_string_equal(error.message, "");
	assert_int_equal(result->outcome, LOCKSTEP_COMPLETED);
	assert_int_equal(result->lock_count, 2);
	contended = &result->locks[!strstr(result->locks[0].address, "+ 0x0)")];
	uncontended = &result->locks[contended == result->locks];
	assert_non_null(strstr(contended->address, "+ 0x0)"));
	assert_non_null(strstr(uncontended->address, "+ 0x80)"));
	assert_int_equal(contended->acquires, 2);
	assert_true(contended->failed >= 1);
	assert_true(contended->waited >= 1 && contended->waited < result->cycles);
	assert_int_equal(contended->worst, contended->waited); /* one thread waited, once */
	assert_int_equal(contended->worst_thread.group[0], 0);
	assert_int_equal(contended->worst_thread.thread[0], 37);
	assert_int_equal(contended->from_same_warp, 0);
	assert_int_equal(contended->from_same_core, 1);
	assert_int_equal(contended->from_other_core, 0);
	assert_true(contended->held >= 500 && contended->held < result->cycles);
	assert_int_equal(uncontended->acquires, 2);
	assert_int_equal(uncontended->failed, 0);
	assert_int_equal(uncontended->waited, 0);
	assert_int_equal(uncontended->worst, 0);
	assert_int_equal(uncontended->from_same_warp, 1);
	assert_int_equal(uncontended->from_same_core, 0);
	lockstep_close(gpu);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(who_waits_is_named)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
