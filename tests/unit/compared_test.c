/* What a loop that hangs compares with the word that it loads (check/waits.h), and which values would end the wait
 * (check/change.h).  Each case is a kernel of its own, whose lane LANE is looked at in its loop. */
#include "check/change.h"
#include "check/verdict.h"
#include "check/waits.h"
#include "lockstep.h"
#include "machine/state/gpu.h"
#include "machine/state/machine.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define LANE 5

/* %v gets the word, which is 5 (others are 0 to 2); %w is 40 + the lane, %n is 7, %o has the word behind, which is 6.
 */
#define HEAD                                                                                                           \
	".version 8.3\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 memory) {\n"                     \
	" .reg .b64 %a, %x, %y; .reg .b32 %v, %w, %n, %o, %c, %t, %u; .reg .pred %p, %q, %r; .reg .f32 %f;\n"          \
	" .shared .align 8 .b32 box[2];\n"                                                                             \
	" ld.param.u64 %a, [memory]; mov.u32 %w, %laneid; add.u32 %w, %w, 40; mov.u32 %n, 7;\n"                        \
	" mov.u64 %y, 0x500000009; ld.global.u32 %o, [%a+68]; mov.u32 %v, 0; setp.eq.u32 %r, %n, 8; mov.u32 %t, 3;\n"  \
	" mov.u32 %u, 5; st.shared.u32 [box], %u; setp.eq.u32 %q, %n, 8;\n"
#define LOAD "ld.volatile.global.u32 %v, [%a+64]; "
#define AGAIN " @%p bra loop;"

struct one {
	const char *body;
	const char *compared; /* values, and "decides" */
	const char *change;   /* values of the word; where it is null it is not asked for */
};

static const struct one *now;
static uint32_t explained, failures;

static void expect(const char *what, const char *seen, const char *expected)
{
	if (!strcmp(seen, expected))
		return;
	print_error("%s\n    %s \"%s\", not \"%s\"\n", now->body, what, seen, expected);
	failures++;
}

static void expect_compared(struct warp_slot *r, uint32_t pc, struct code_range range)
{
	struct compared c = compared_with(&(struct thread){.r = r, .lane = LANE}, pc, range);
	char seen[200] = "";
	size_t length = 0;

	for (uint32_t k = 0; k < c.count; k++)
		length += (size_t)snprintf(seen + length, sizeof seen - length, "%" PRIu64 " ", c.values[k]);
	snprintf(seen + length, sizeof seen - length, "%s", c.decides ? "decides" : "");
	expect("compares with", seen, now->compared);
}

static void expect_change(struct core *core, struct warp_slot *r)
{
	struct thread t = thread_at(core, r, LANE);
	struct wait wait[1];
	struct change change;
	char seen[200] = "";
	size_t length = 0;

	assert_int_equal(waits_of(&t, wait, 1), 1);
	change = change_word(&t, &wait[0]);
	assert_int_equal(change.kind, CHANGE_WORD);
	assert_int_equal(change.thread, LANE);
	assert_int_equal(change.address, wait[0].word.address);
	assert_int_equal(change.space, wait[0].word.space);
	for (uint32_t k = 0; k < change.value_count; k++)
		length += (size_t)snprintf(
			seen + length, sizeof seen - length, "%s%" PRIu64, k ? " " : "", change.values[k]);
	expect("is ended by", seen, now->change);
}

/* In place of the one that explains. */
void verdict_give(struct machine *machine, struct launch *launch, bool proved)
{
	struct core *core = &machine->cores.at[0];
	struct warp_slot *r = &core->slots[0];
	const struct kernel *kernel = launch->kernel;
	struct code_range range = {.last = UINT32_MAX};
	uint32_t load = UINT32_MAX;

	(void)proved;
	explained++;
	for (uint32_t pc = 0; pc < kernel->code_count; pc++)
		if (kernel->code[pc].kind == INSN_BRANCH && kernel->code[pc].target <= pc) {
			range.first = kernel->code[pc].target;
			range.last = pc;
		}
	for (uint32_t pc = range.first; pc <= range.last; pc++)
		if (kernel->code[pc].kind == INSN_LOAD || kernel->code[pc].kind == INSN_ATOMIC)
			load = pc;
	assert_int_not_equal(load, UINT32_MAX);
	expect_compared(r, load, range);
	if (now->change)
		expect_change(core, r);
}

static void hang(const struct one *one)
{
	static const char *const settings[] = {"core.count=1", NULL};
	struct lockstep_error error = {0};
	struct lockstep_options options = {.size = sizeof options,
		.settings = settings,
		.mode = LOCKSTEP_FUNCTIONAL,
		.max_cycles = 20000000,
		.hang_after = 100000,
		.explain_limit = LOCKSTEP_EXPLAIN_NEVER};
	struct lockstep *gpu = lockstep_open(&options, &error);
	char ptx[8192];
	uint64_t memory = lockstep_allocate(gpu, 256, "memory");
	uint32_t *words = lockstep_map(gpu, memory, 256);
	struct lockstep_launch launch = {.size = sizeof launch,
		.kernel = "k",
		.grid = {1, 1, 1},
		.block = {32, 1, 1},
		.parameters = &memory,
		.parameter_bytes = 8};
	const struct lockstep_result *result;

	now = one;
	snprintf(ptx, sizeof ptx, "%s loop: %s\nout: exit;\n}\n", HEAD, one->body);
	launch.module = lockstep_load(gpu, "compared.ptx", ptx, &error);
	assert_string_equal(error.message, "");
	words[16] = 5;
	words[17] = 6;
	words[18] = 1;
	words[19] = 2;
	explained = 0;
	result = lockstep_run(gpu, &launch, &error);
	assert_non_null(result);
	if (result->outcome != LOCKSTEP_HANG || explained != 1)
		print_error("%s\n", one->body);
	assert_int_equal(result->outcome, LOCKSTEP_HANG);
	assert_int_equal(explained, 1);
	lockstep_close(gpu);
}

static void hang_all(const struct one *cases, size_t count)
{
	failures = 0;
	for (size_t k = 0; k < count; k++)
		hang(&cases[k]);
	assert_int_equal(failures, 0);
}

static void values_are_those_that_are_compared(void **state)
{
	static const struct one cases[] = {
		{LOAD "setp.eq.u32 %p, %v, 5;" AGAIN, "5 decides", NULL},
		{LOAD "setp.eq.u32 %p, 5, %v;" AGAIN, "5 decides", NULL},
		{LOAD "setp.ne.u32 %p, %v, %w;" AGAIN, "45 decides", NULL},
		{LOAD "setp.ne.u32 %p, %w, %v;" AGAIN, "45 decides", NULL},
		{LOAD "add.u32 %v, %v, 1; setp.ne.u32 %p, %v, 8;" AGAIN, "8 decides", NULL},
		{LOAD "setp.eq.u32 %p, %v, %v;" AGAIN, "decides", NULL},
		{LOAD "setp.eq.u32 %q, %v, 5; setp.ne.u32 %p, %v, 8; and.pred %p, %p, %q;" AGAIN, "5 8 decides", NULL},
		{LOAD "setp.eq.u32 %q, %v, 5; setp.ne.u32 %p, %v, 5;" AGAIN " bra loop;", "5 decides", NULL},
		/* others do not count */
		{LOAD "add.u32 %c, %o, 1; setp.ne.u32 %p, %c, 0;" AGAIN " bra loop;", "", NULL},
		{LOAD "mov.u32 %v, 7; setp.eq.u32 %p, %v, 7;" AGAIN, "", NULL},
		{LOAD "setp.eq.u32 %q, %v, 5; setp.eq.u32 %p, %n, 7;" AGAIN, "5 ", NULL},
		{LOAD "@%r mov.u32 %v, 7; setp.eq.u32 %p, %v, 5;" AGAIN, "5 decides", NULL},
		{LOAD "setp.eq.u32 %p, %v, 5; setp.eq.u32 %p, %n, 7;" AGAIN, "5 ", NULL},
		/* predicates and selections */
		{LOAD "setp.eq.u32 %q, %v, 5; or.pred %p, %r, %q;" AGAIN, "5 decides", NULL},
		{LOAD "setp.eq.u32 %q, %v, 5; not.pred %p, %q; @!%p bra loop;", "5 decides", NULL},
		{LOAD "setp.eq.u32 %q, %v, 5; selp.u32 %t, 1, 9, %q; setp.eq.u32 %p, %t, 1;" AGAIN, "5 1 decides",
			NULL},
		{LOAD "setp.eq.u32 %q, %v, 5; setp.ne.and.u32 %p, %n, 8, %q;" AGAIN, "5 7 8 decides", NULL},
		{LOAD "setp.eq.u32 %q, %v, 5; setp.ne.and.u32 %q, %n, 8, %q; @!%q bra out; bra loop;", "5 7 8 decides",
			NULL},
		{LOAD "setp.eq.u32 %q, %v, 5; @!%q exit; bra loop;", "5 decides", NULL},
		{LOAD "set.eq.u32.u32 %t, %v, 5; setp.ne.u32 %p, %t, 0;" AGAIN, "5 0 decides", NULL},
		{LOAD "cvt.rn.f32.u32 %f, %v; setp.eq.f32 %p, %f, 0f40A00000;" AGAIN, "1084227584 decides", NULL},
		{LOAD "setp.eq.u32 %q, %v, 5; @%q mov.u32 %t, 2; setp.eq.u32 %p, %n, 7;" AGAIN, "5 ", NULL},
		/* 64 bits */
		{"ld.volatile.global.u64 %x, [%a+64]; setp.ne.u64 %p, %x, %y;" AGAIN, "21474836489 decides", NULL},
		{LOAD "cvt.u64.u32 %x, %v; setp.ne.u64 %p, %x, 8;" AGAIN, "8 decides", NULL},
		/* what is compared in the next iteration */
		{"setp.eq.u32 %q, %v, 77; " LOAD "@%q bra out; bra loop;", "77 decides", NULL},
		{"mov.u32 %t, %v; setp.eq.u32 %q, %t, 9; " LOAD "@%q bra out; bra loop;", "9 decides", NULL},
		/* four at most, each once */
		{LOAD "setp.eq.u32 %q, %v, 1; setp.eq.u32 %q, %v, 2; setp.eq.u32 %q, %v, 1; setp.eq.u32 %q, %v, 3;\n"
		      "setp.eq.u32 %q, %v, 4; setp.eq.u32 %q, %v, 6; setp.eq.u32 %p, %v, 5;" AGAIN,
			"1 2 3 4 decides", NULL},
		{LOAD "setp.eq.u32 %q, %v, 1; setp.eq.u32 %q, %v, 2; setp.eq.u32 %q, %v, 3; setp.eq.u32 %p, %v, "
		      "5;" AGAIN,
			"1 2 3 5 decides", NULL},
	};

	(void)state;
	hang_all(cases, sizeof cases / sizeof *cases);
}

/* The word is 5: what it is compared with, one more than it is, one more and less than these, 1 and 0; not what it is.
 */
static void values_that_end_a_wait(void **state)
{
	static const struct one cases[] = {
		{LOAD "setp.eq.u32 %p, %v, 5;" AGAIN, "5 decides", "6 1 0 4"},
		{LOAD "setp.ne.u32 %p, %v, 8;" AGAIN, "8 decides", "8 6 9 1 0 7"},
		{LOAD "setp.lt.u32 %p, %v, %w;" AGAIN, "45 decides", "45 6 46 1 0 44"},
		{LOAD "setp.ne.u32 %p, %v, 0;" AGAIN, "0 decides", "0 6 1 4294967295"},
		{"ld.volatile.global.u64 %x, [%a+64]; setp.ne.u64 %p, %x, 0;" AGAIN, "0 decides",
			"0 25769803782 1 18446744073709551615"},
		{"ld.volatile.shared.u32 %v, [box]; setp.eq.u32 %p, %v, 5;" AGAIN, "5 decides", "6 1 0 4"},
		/* a word that is 0, 1 or 2 already */
		{"ld.volatile.global.u32 %v, [%a+80]; setp.eq.u32 %p, %v, 0;" AGAIN, "0 decides", "1 4294967295"},
		{"ld.volatile.global.u32 %v, [%a+72]; setp.eq.u32 %p, %v, 1;" AGAIN, "1 decides", "2 0"},
		{"ld.volatile.global.u32 %v, [%a+76]; setp.eq.u32 %p, %v, 2;" AGAIN, "2 decides", "3 1 0"},
		/* a lock: what the swap compares with, and 0 */
		{"atom.global.cas.b32 %v, [%a+64], 7, 1; setp.ne.u32 %p, %v, 7;" AGAIN, "7 decides", "7 0"},
		{"atom.global.cas.b32 %v, [%a+64], 0, 1; setp.ne.u32 %p, %v, 0;" AGAIN, "0 decides", "0"},
		{"atom.global.cas.b32 %v, [%a+64], 7, 1; setp.ne.u32 %p, %v, 9;" AGAIN, "9 decides", "7 0"},
		{"atom.global.cas.b64 %x, [%a+64], 0x500000009, 1; setp.ne.u64 %p, %x, %y;" AGAIN,
			"21474836489 decides", "21474836489 0"},
	};

	(void)state;
	hang_all(cases, sizeof cases / sizeof *cases);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(values_are_those_that_are_compared),
		cmocka_unit_test(values_that_end_a_wait),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
