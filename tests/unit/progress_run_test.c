/* What comes of a run under a progress model beside what its kernel computes (machine/progress/progress.c): where the
 * limit of instructions ends it, what it tells on the way, and when it is suspected to hang. */
#include "lockstep.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

/* Of one warp each.  "some_end": groups 0, 1 and 2 end at once, the others never.  "sleepers": group g looks g *
 * `number` times at a word, and ends; group 0 looks for ever, and at the clock. */
#define PARAMETERS ".param .u64 memory, .param .u32 number, .param .u32 spinner"
static const char ptx[] =
	".version 7.0\n.target sm_80\n.address_size 64\n"
	".visible .entry some_end(" PARAMETERS ") {\n"
	" .reg .b64 %a; .reg .b32 %g, %v; .reg .pred %p;\n"
	" ld.param.u64 %a, [memory]; mov.u32 %g, %ctaid.x; setp.lt.u32 %p, %g, 3; @%p ret;\n"
	"again: atom.global.add.u32 %v, [%a], 1; bra again;\n}\n"
	".visible .entry sleepers(" PARAMETERS ") {\n"
	" .reg .b64 %a; .reg .b32 %g, %n, %v; .reg .pred %p;\n"
	" ld.param.u64 %a, [memory]; ld.param.u32 %n, [number]; mov.u32 %g, %ctaid.x;\n"
	" setp.eq.u32 %p, %g, 0; @%p bra again; mul.lo.u32 %n, %n, %g;\n"
	"look: ld.volatile.global.u32 %v, [%a]; sub.u32 %n, %n, 1; setp.ne.u32 %p, %n, 0; @%p bra look; ret;\n"
	"again: mov.u32 %n, %clock; ld.volatile.global.u32 %v, [%a]; setp.eq.u32 %p, %v, 0; @%p bra again; ret;\n}\n"
	".visible .entry hands_on(" PARAMETERS ") {\n"
	" .reg .b64 %a; .reg .b32 %g, %n, %v; .reg .pred %p, %q;\n"
	" ld.param.u64 %a, [memory]; ld.param.u32 %n, [number]; ld.param.u32 %v, [spinner]; mov.u32 %g, %ctaid.x;\n"
	" setp.eq.u32 %p, %g, %n; setp.eq.u32 %q, %g, %v; @%q bra again; @!%p ret;\n"
	" ld.volatile.global.u32 %v, [%a]; add.u32 %v, %v, 1; st.volatile.global.u32 [%a], %v; ret;\n"
	"again: ld.volatile.global.u32 %v, [%a]; setp.eq.u32 %p, %v, 0; @%p bra again; ret;\n}\n";

static struct heard {
	uint32_t times;
	uint64_t cycles, instructions, done, groups; /* the last time */
} heard;

static void hear(void *context, uint64_t cycles, uint64_t instructions, uint64_t done, uint64_t groups)
{
	(void)context;
	heard = (struct heard){heard.times + 1, cycles, instructions, done, groups};
}

struct run {
	const char *kernel, *setting;
	uint32_t groups, number, spinner;
	struct lockstep_options options;
};

/* The warp instructions. */
static uint64_t run(const struct run *run, enum lockstep_outcome outcome)
{
	const char *const settings[] = {run->setting, NULL};
	struct lockstep_error error = {0};
	struct lockstep_options options = run->options;
	options.size = sizeof options;
	options.gpu = "gtx480";
	options.settings = settings;
	options.mode = LOCKSTEP_FUNCTIONAL;
	options.explain_limit = LOCKSTEP_EXPLAIN_NEVER;
	options.progress = hear;
	heard = (struct heard){0};
	struct lockstep *gpu = lockstep_open(&options, &error);
	assert_string_equal(error.message, "");
	struct {
		uint64_t memory;
		uint32_t number, spinner;
	} parameters = {lockstep_allocate(gpu, 64, "memory"), run->number, run->spinner};
	struct lockstep_launch launch = {.size = sizeof launch,
		.module = lockstep_load(gpu, "k.ptx", ptx, &error),
		.kernel = run->kernel,
		.grid = {run->groups, 1, 1},
		.block = {32, 1, 1},
		.parameters = &parameters,
		.parameter_bytes = sizeof parameters};
	const struct lockstep_result *result = lockstep_run(gpu, &launch, &error);
	assert_string_equal(error.message, "");
	assert_int_equal(result->outcome, outcome);
	uint64_t instructions = result->warp_instructions;
	lockstep_close(gpu);
	return instructions;
}

/* The limit is of all cores together, 8 groups on each, and exact but for the rest of the last step, which has two
 * instructions. */
static void the_limit(void **state)
{
	static const char *const models[] = {"policy.dispatch=fair", "policy.dispatch=obe", "policy.dispatch=unfair"};
	static const uint32_t groups[] = {4, 8, 9, 40};
	(void)state;
	for (uint32_t k = 0; k < 3; k++)
		for (uint32_t g = 0; g < 4; g++)
			assert_in_range(run(&(struct run){.kernel = "some_end",
						    .setting = models[k],
						    .groups = groups[g],
						    .options.max_cycles = 5000},
						LOCKSTEP_LIMIT),
				5000, 5001);
}

/* It tells after each 65,536 steps: groups that have ended, and instructions, two in each step but the first. */
static void what_it_tells(void **state)
{
	(void)state;
	run(&(struct run){.kernel = "some_end",
		    .setting = "policy.dispatch=fair",
		    .groups = 24,
		    .options.max_cycles = 2 * 3 * 65536 + 1000},
		LOCKSTEP_LIMIT);
	assert_int_equal(heard.times, 3);
	assert_int_equal(heard.cycles, 0);
	assert_int_equal(heard.done, 3);
	assert_int_equal(heard.groups, 24);
	assert_in_range(heard.instructions, 2 * 3 * 65536, 2 * 3 * 65536 + 24 * 8);
}

/* All groups take turns, and a look is a step of about 4 instructions.  With WAIT / 12 looks each more than the one
 * before, the last of three sleepers ends when about 3 WAIT instructions have been executed in all; from then on
 * nothing but looking happens.  That is looked at each 65,536 steps. */
static void a_group_that_ends_is_progress(void **state)
{
	enum { WAIT = 700000, CHECK = 4 * 65536 };
	(void)state;
	for (uint32_t sleepers = 0; sleepers < 4; sleepers += 3)
		assert_in_range(run(&(struct run){.kernel = "sleepers",
					    .setting = "policy.dispatch=fair",
					    .groups = 1 + sleepers,
					    .number = WAIT / 12,
					    .options.hang_after = 2 * WAIT,
					    .options.schedule = sleepers ? "(0,1,2,3)" : "(0)"},
					LOCKSTEP_HANG),
			sleepers * WAIT / 10 * 9 + 2 * WAIT, sleepers * WAIT + 2 * WAIT + 2 * CHECK);
}

/* A list ends in steps of the spinner over and over.  It goes on so if the model does not guarantee that the setter
 * progresses, the only one that has not ended and may be guaranteed it: hsa the lowest that has not, obe those that
 * have started, lobe those that have started and all below them. */
static void whom_a_model_guarantees_progress(void **state)
{
	static const struct row {
		const char *model, *schedule;
		uint32_t setter, spinner;
		enum lockstep_outcome outcome;
	} rows[] = {
		{"policy.dispatch=unfair", "1,0,2,(3)", 2, 3, LOCKSTEP_HANG},
		{"policy.dispatch=fair", "0,1,4,(3)", 2, 3, LOCKSTEP_COMPLETED},
		{"policy.dispatch=hsa", "1,0,(3)", 2, 3,
			LOCKSTEP_COMPLETED}, /* 2 is the lowest, though 1 ended first */
		{"policy.dispatch=hsa", "0,1,(3)", 2, 3, LOCKSTEP_COMPLETED},
		{"policy.dispatch=hsa", "2,1,0,(3)", 3, 4, LOCKSTEP_COMPLETED}, /* setter and lowest: 3 */
		{"policy.dispatch=hsa", "3,1,(0)", 3, 0, LOCKSTEP_HANG},
		{"policy.dispatch=hsa-obe", "3,1,(0)", 3, 0, LOCKSTEP_COMPLETED},
		{"policy.dispatch=hsa-obe", "1,(0)", 3, 0, LOCKSTEP_HANG},
		{"policy.dispatch=hsa-obe", "2,1,0,(4)", 3, 4, LOCKSTEP_COMPLETED},
		{"policy.dispatch=obe", "1,0,(3)", 2, 3, LOCKSTEP_HANG},
		{"policy.dispatch=obe", "1,0,2,(3)", 2, 3, LOCKSTEP_COMPLETED},
		{"policy.dispatch=obe", "4,(0)", 3, 0, LOCKSTEP_HANG},
		{"policy.dispatch=lobe", "1,2,4,(0)", 3, 0, LOCKSTEP_COMPLETED},
		{"policy.dispatch=lobe", "1,2,3,(0)", 3, 0, LOCKSTEP_COMPLETED},
		{"policy.dispatch=lobe", "2,1,(0)", 3, 0, LOCKSTEP_HANG},
		{"policy.dispatch=lobe", "0,1,(3)", 2, 3, LOCKSTEP_COMPLETED},
	};
	(void)state;
	for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
		const struct row *row = &rows[k];
		run(&(struct run){.kernel = "hands_on",
			    .setting = row->model,
			    .groups = 5,
			    .number = row->setter,
			    .spinner = row->spinner,
			    .options.schedule = row->schedule},
			row->outcome);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_limit),
		cmocka_unit_test(what_it_tells),
		cmocka_unit_test(a_group_that_ends_is_progress),
		cmocka_unit_test(whom_a_model_guarantees_progress),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
