/* The core's port where atomics pass other packets (crossbar.atomics_pass), and warps that wait for their atomics
 * (atomic.waits): what comes sooner, what stays in order, what waits. */
#include "lockstep.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

/* One warp.  behind: each lane stores 7 to a line of its own, then lane 0 adds 1 to the word at `which`; out[0] is what
 * it found, out[1] how many cycles that took.  waits: an atomic whose value nobody needs, and the cycles to the next
 * instruction, the second time, when the code has been fetched.
 *
 * A store takes the port for several cycles, and many may wait for it. */
#define PORT "crossbar.flit=8", "l1.queue=256"
#define NARROW "crossbar.flit=1", "l1.queue=1"

static const char ptx[] =
	".version 7.0\n.target sm_60\n.address_size 64\n"
	".visible .entry behind(.param .u64 lines, .param .u64 which, .param .u64 out) {\n"
	" .reg .b64 %l, %w, %o, %a; .reg .b32 %t, %v, %c, %d; .reg .pred %p;\n"
	" ld.param.u64 %l, [lines]; ld.param.u64 %w, [which]; ld.param.u64 %o, [out]; mov.u32 %t, %tid.x;\n"
	" mad.wide.u32 %a, %t, 128, %l; mov.u32 %c, %clock; st.global.u32 [%a], 7;\n"
	" setp.ne.u32 %p, %t, 0; @%p exit; atom.global.add.u32 %v, [%w], 1; add.u32 %v, %v, 0; mov.u32 %d, %clock;\n"
	" sub.u32 %d, %d, %c; st.global.u32 [%o], %v; st.global.u32 [%o+4], %d; ret;\n}\n"
	".visible .entry after(.param .u64 lines, .param .u64 which, .param .u64 out) {\n"
	" .reg .b64 %l, %w, %o, %a; .reg .b32 %t, %v, %c, %d; .reg .pred %p;\n"
	" ld.param.u64 %l, [lines]; ld.param.u64 %w, [which]; ld.param.u64 %o, [out]; mov.u32 %t, %tid.x;\n"
	" mad.wide.u32 %a, %t, 128, %l; mov.u32 %c, %clock; red.global.add.u32 [%a], 7;\n"
	" setp.ne.u32 %p, %t, 0; @%p exit; ld.global.u32 %v, [%w]; add.u32 %v, %v, 0; mov.u32 %d, %clock;\n"
	" sub.u32 %d, %d, %c; st.global.u32 [%o], %v; st.global.u32 [%o+4], %d; ret;\n}\n"
	".visible .entry reads(.param .u64 lines, .param .u64 which, .param .u64 out) {\n"
	" .reg .b64 %l, %o, %a; .reg .b32 %t, %v, %c, %d; .reg .pred %p;\n"
	" ld.param.u64 %l, [lines]; ld.param.u64 %o, [out]; mov.u32 %t, %tid.x; mad.wide.u32 %a, %t, 128, %l;\n"
	" mov.u32 %c, %clock; ld.global.u32 %v, [%a]; add.u32 %v, %v, 0; mov.u32 %d, %clock; sub.u32 %d, %d, %c;\n"
	" setp.ne.u32 %p, %t, 0; @%p exit; st.global.u32 [%o], %v; st.global.u32 [%o+4], %d; ret;\n}\n"
	".visible .entry shares(.param .u64 lines, .param .u64 which, .param .u64 out) {\n"
	" .reg .b64 %o; .reg .b32 %v, %c, %d, %k; .reg .pred %p; .shared .b32 word;\n"
	" ld.param.u64 %o, [out]; mov.u32 %k, 0;\n"
	"again: mov.u32 %c, %clock; atom.shared.add.u32 %v, [word], 1; mov.u32 %d, %clock; sub.u32 %d, %d, %c;\n"
	" add.u32 %v, %v, 0; add.u32 %k, %k, 1; setp.lt.u32 %p, %k, 2; @%p bra again;\n"
	" st.global.u32 [%o], %v; st.global.u32 [%o+4], %d; ret;\n}\n"
	".visible .entry waits(.param .u64 lines, .param .u64 which, .param .u64 out) {\n"
	" .reg .b64 %w, %o; .reg .b32 %v, %c, %d, %k; .reg .pred %p;\n"
	" ld.param.u64 %w, [which]; ld.param.u64 %o, [out]; mov.u32 %k, 0;\n"
	"again: mov.u32 %c, %clock; atom.global.add.u32 %v, [%w], 1; mov.u32 %d, %clock; sub.u32 %d, %d, %c;\n"
	" add.u32 %v, %v, 0; add.u32 %k, %k, 1; setp.lt.u32 %p, %k, 2; @%p bra again;\n"
	" st.global.u32 [%o], %v; st.global.u32 [%o+4], %d; ret;\n}\n";

#define LINES 32
#define LINE 128

struct outcome {
	uint32_t found, cycles; /* what the kernel says */
	uint32_t after;         /* the word when it is over */
};

/* `which`: the word's offset in the lines; behind them is one that nothing is stored to. */
static struct outcome run_with(
	const char *kernel, const char *setting, const char *flit, const char *queue, uint32_t which)
{
	const char *settings[] = {setting, flit, queue, NULL};
	struct lockstep_options options = {
		.size = sizeof options, .gpu = "gtx480", .settings = settings, .mode = LOCKSTEP_TIMING};
	struct lockstep_error error;
	struct lockstep *gpu = lockstep_open(&options, &error);
	struct outcome outcome;
	assert_non_null(gpu);
	uint64_t lines = lockstep_allocate(gpu, (LINES + 1) * LINE, "lines"), out = lockstep_allocate(gpu, 8, "out");
	uint64_t parameters[3] = {lines, lines + which, out};
	struct lockstep_launch launch = {.size = sizeof launch,
		.module = lockstep_load(gpu, "port.ptx", ptx, &error),
		.kernel = kernel,
		.grid = {1, 1, 1},
		.block = {strcmp(kernel, "waits") && strcmp(kernel, "shares") ? 32 : 1, 1, 1},
		.parameters = parameters,
		.parameter_bytes = sizeof parameters};
	assert_non_null(launch.module);
	assert_non_null(lockstep_run(gpu, &launch, &error));
	assert_true(lockstep_read(gpu, &outcome.found, out, 8, &error));
	assert_true(lockstep_read(gpu, &outcome.after, lines + which, 4, &error));
	lockstep_close(gpu);
	return outcome;
}

static struct outcome run(const char *kernel, const char *setting, uint32_t which)
{
	return run_with(kernel, setting, PORT, which);
}

/* The stores are 31 packets in front of the atomic, of at least a cycle each. */
static void atomics_pass_stores(void **state)
{
	(void)state;
	struct outcome queue = run("behind", "crossbar.atomics_pass=0", LINES * LINE),
		       pass = run("behind", "crossbar.atomics_pass=1", LINES * LINE);
	assert_int_equal(queue.found, 0);
	assert_int_equal(pass.found, 0);
	assert_int_equal(pass.after, 1);
	assert_true(pass.cycles + LINES / 2 < queue.cycles);
}

/* The last store is to the atomic's line: it adds to what was stored, and does not come sooner. */
static void one_line_stays_in_order(void **state)
{
	(void)state;
	struct outcome queue = run("behind", "crossbar.atomics_pass=0", (LINES - 1) * LINE),
		       pass = run("behind", "crossbar.atomics_pass=1", (LINES - 1) * LINE);
	assert_int_equal(queue.found, 7);
	assert_int_equal(pass.found, 7);
	assert_int_equal(pass.after, 8);
	assert_true(pass.cycles + 4 > queue.cycles);
}

/* A way to the L2 and back is more than 100 cycles. */
static void warps_wait_for_atomics(void **state)
{
	(void)state;
	struct outcome goes = run("waits", "atomic.waits=0", 0), waits = run("waits", "atomic.waits=1", 0);
	assert_true(goes.cycles < 50);
	assert_true(waits.cycles > 100);
	assert_int_equal(waits.after, 2);
}

/* A store takes 40 cycles of the port then, and no other store comes to it meanwhile: an atomic does. */
static void atomics_need_no_room_behind_stores(void **state)
{
	(void)state;
	struct outcome queue = run_with("behind", "crossbar.atomics_pass=0", NARROW, LINES * LINE),
		       pass = run_with("behind", "crossbar.atomics_pass=1", NARROW, LINES * LINE);
	assert_int_equal(pass.found, 0);
	assert_true(pass.cycles + 30 < queue.cycles);
}

/* The port is one: what comes behind atomics waits for it. */
static void others_wait_for_atomics(void **state)
{
	(void)state;
	struct outcome queue = run("after", "crossbar.atomics_pass=0", LINES * LINE),
		       pass = run("after", "crossbar.atomics_pass=1", LINES * LINE);
	assert_true(pass.cycles + 8 > queue.cycles);
}

/* Replies come one behind the other, too: 32 lines, a byte of each in a cycle. */
static void replies_share_a_port(void **state)
{
	(void)state;
	uint32_t wide = run_with("reads", "crossbar.atomics_pass=0", "crossbar.flit=256", "l1.queue=256", 0).cycles,
		 narrow = run_with("reads", "crossbar.atomics_pass=0", NARROW, 0).cycles;
	assert_true(wide < narrow);
	assert_in_range(narrow, LINES * LINE, 2 * LINES * LINE);
}

/* Shared memory is the core's own. */
static void atomics_in_shared_memory_are_not_waited_for(void **state)
{
	(void)state;
	assert_true(run("shares", "atomic.waits=1", 0).cycles < 50);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(atomics_pass_stores),
		cmocka_unit_test(atomics_need_no_room_behind_stores),
		cmocka_unit_test(others_wait_for_atomics),
		cmocka_unit_test(replies_share_a_port),
		cmocka_unit_test(atomics_in_shared_memory_are_not_waited_for),
		cmocka_unit_test(one_line_stays_in_order),
		cmocka_unit_test(warps_wait_for_atomics),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
