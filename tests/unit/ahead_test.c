/* What a thread can still do (check/ahead.h): which store it can reach, whether it leaves, depends on an external
 * branch, or reaches a barrier; from its start, from its pc, and out of a loop.  Each case is a kernel of its own, with
 * what must be known of it. */
#include "check/ahead.h"

#include "check/verdict.h"
#include "lockstep.h"
#include "machine/state/gpu.h"
#include "machine/state/machine.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Two buffers.  memory[0] is 16, memory + 8 has the address of `memory + 64`, memory + 16 that of `memory`, memory + 24
 * its own; box[10] and sixteen[0] are 16; memory[16] is 5, memory[17] 6, all else
 * 0.  `other` is 0.  The word is memory[16], or box[2] (8 bytes into shared memory), which is 0. */
#define HEAD                                                                                                           \
	".version 8.3\n.target sm_80\n.address_size 64\n.const .align 4 .b32 sixteen[2] = {16, 16};\n"                 \
	".extern .func __lockstep_lock(.reg .u64 lock);\n.extern .func __lockstep_unlock(.reg .u64 lock);\n"           \
	".func send(.param .b64 to) { .reg .b64 %x; ld.param.u64 %x, [to]; st.global.u32 [%x], 7; ret; }\n"            \
	".func (.param .b64 r) get() { .reg .b64 %x; mov.u64 %x, 0; st.param.b64 [r], %x; ret; }\n"                    \
	".func linger(.param .b64 to, .param .b64 flag) {\n"                                                           \
	" .reg .b64 %x, %y; .reg .b32 %v, %w; .reg .pred %p, %q;\n"                                                    \
	" .local .align 16 .b8 own[16]; ld.param.u64 %x, [to]; ld.param.u64 %y, [flag];\n%s ret; }\n"                  \
	".visible .entry k(.param .u64 memory, .param .u64 other) {\n"                                                 \
	" .reg .b128 %o; .reg .b64 %a, %b, %x, %y; .reg .b32 %v, %w, %t, %u; .reg .b16 %h; .reg .pred %p, %q, %r;\n"   \
	" .shared .align 16 .b8 box[64]; .local .align 16 .b8 own[16];\n"                                              \
	" ld.param.u64 %a, [memory]; ld.param.u64 %b, [other];\n"

/* %p, of which nothing is known, though it depends on nothing outside. */
#define COUNT_UP "mov.u32 %w, 0; count: add.u32 %w, %w, 1; setp.lt.u32 %p, %w, 10; @%p bra count;\n"

enum what { FROM_START, PAST, LIVING, BEHIND_CALL, ELSEWHERE, TO_BARRIER, FREES, FREES_ELSEWHERE };
#define LANE 5

struct one {
	const char *body; /* of the entry; behind a $ that of `linger` */
	const char *expected;
	uint64_t at; /* the word, from `memory` on; or in shared memory, with: */
	bool shared;
};

static const struct one *now;
static enum what what;
static uint64_t memory;
static uint32_t explained, failures;

/* The store among all that write, in the order of the kernel. */
static uint32_t ordinal(const struct kernel *kernel, uint32_t pc)
{
	uint32_t count = 0;

	for (uint32_t k = 0; k < pc; k++)
		switch (kernel->code[k].kind) {
		case INSN_STORE:
		case INSN_STORE_UNLOCK:
		case INSN_ATOMIC:
		case INSN_CALL:
		case INSN_RETURN:
		case INSN_COPY: count += kernel->code[k].function == 0;
		}
	return count;
}

static void expect(const struct kernel *kernel, const struct ahead *ahead)
{
	static const char *const reaches[] = {"nothing", "unknown", "buffer", "as-is", "certain"};
	char seen[100];
	int length = snprintf(seen, sizeof seen, "%s", reaches[ahead->reach]);

	if (ahead->reach)
		length += snprintf(seen + length, sizeof seen - (size_t)length, "@%u", ordinal(kernel, ahead->store));
	length += snprintf(seen + length, sizeof seen - (size_t)length, "%s%s%s", ahead->leaves ? " leaves" : "",
		ahead->reaches_barrier ? " barrier" : "", ahead->external_branch ? " external" : "");
	if (ahead->attempts_lock)
		snprintf(seen + length, sizeof seen - (size_t)length, " takes@%u", ordinal(kernel, ahead->attempt));
	if (strcmp(seen, now->expected)) {
		print_error("%s\n    is \"%s\", not \"%s\"\n", now->body, seen, now->expected);
		failures++;
	}
}

static uint32_t loop_in(const struct kernel *kernel, const struct kernel_function *f, uint32_t *first)
{
	for (uint32_t pc = f->first_pc; pc < f->first_pc + f->count; pc++)
		if (kernel->code[pc].kind == INSN_BRANCH && kernel->code[pc].target <= pc) {
			*first = kernel->code[pc].target;
			return pc;
		}
	fail_msg("there is no loop");
	return 0;
}

/* The innermost loop around the place where the warp is; in a function without one, the entry's. */
static uint32_t loop_of(const struct kernel *kernel, uint32_t at, uint32_t *first)
{
	uint32_t function = kernel->code[at].function;

	for (uint32_t pc = at; pc < kernel->code_count && kernel->code[pc].function == function; pc++)
		if (kernel->code[pc].kind == INSN_BRANCH && kernel->code[pc].target <= at) {
			*first = kernel->code[pc].target;
			return pc;
		}
	assert_int_not_equal(function, 0);
	return loop_in(kernel, &kernel->functions[0], first);
}

static const struct kernel_function *function_of(const struct kernel *kernel, const char *name)
{
	const struct kernel_function *f = kernel->functions;

	while (strcmp(f->ptx->name, name) != 0)
		f++;
	return f;
}

/* Behind the last call of the entry, or where a function begins that the thread is not in, or behind its loop. */
static uint32_t place_of(const struct kernel *kernel, uint32_t behind_loop)
{
	uint32_t pc = kernel->functions[0].count;

	if (what == BEHIND_CALL) {
		while (kernel->code[pc - 1].kind != INSN_CALL)
			pc--;
		return pc;
	}
	return what == ELSEWHERE ? function_of(kernel, "send")->first_pc : behind_loop;
}

/* In place of the one that explains. */
void verdict_give(struct machine *machine, struct launch *launch, bool proved)
{
	struct core *core = &machine->cores.at[0];
	struct warp_slot *r = &core->slots[0];
	struct word word = {.space = now->shared ? space_SHARED : space_GLOBAL,
		.address = now->shared ? now->at : memory + now->at};
	struct thread at = {.core = core, .r = r, .lane = LANE};
	uint32_t first = 0, last, group = 11, thread = 37, sixteen = 16;
	struct ahead ahead;

	(void)proved;
	explained++;
	memcpy(r->warp.shared + 40, &sixteen, 4);
	if (what <= PAST) {
		ahead = ahead_from_start(&at, group, thread, &word, what == PAST);
		expect(launch->kernel, &ahead);
	} else {
		last = what == FREES_ELSEWHERE ? loop_in(launch->kernel, function_of(launch->kernel, "linger"), &first)
					       : loop_of(launch->kernel, r->warp.path->pc, &first);
		if (what >= FREES) {
			if (ahead_leaves(&at, (struct code_range){first, last}, &word, NULL) ==
				!!strcmp(now->expected, "unblocks")) {
				print_error("%s\n    not \"%s\"\n", now->body, now->expected);
				failures++;
			}
		} else {
			ahead = what == TO_BARRIER ? ahead_of(&at, last + 1, &word, true)
						   : ahead_of(&at, place_of(launch->kernel, last + 1), &word, false);
			expect(launch->kernel, &ahead);
		}
	}
	assert_false(core->stopped);
	assert_false(core->finding.found); /* what is only thought of is no fault */
}

static void run(const char *ptx, enum lockstep_mode mode, bool many)
{
	static const char *const settings[] = {"core.count=1", "core.groups=2", "shared.lock_bits=1024", NULL};
	struct lockstep_error error = {0};
	struct lockstep_options options = {.size = sizeof options,
		.settings = settings,
		.mode = mode,
		.max_cycles = 20000000,
		.hang_after = 100000,
		.explain_limit = LOCKSTEP_EXPLAIN_NEVER};
	struct lockstep *gpu = lockstep_open(&options, &error);
	struct lockstep_module *module = lockstep_load(gpu, "ahead.ptx", ptx, &error);
	struct lockstep_launch launch = {.size = sizeof launch,
		.module = module,
		.kernel = "k",
		.grid = {many ? 3 : 1, many ? 2 : 1, many ? 2 : 1},
		.block = {many ? 64 : 32, 1, 1}};
	uint64_t parameters[2] = {lockstep_allocate(gpu, 256, "memory"), lockstep_allocate(gpu, 256, "other")};
	uint32_t *words = lockstep_map(gpu, parameters[0], 256);
	const struct lockstep_result *result;

	assert_string_equal(error.message, "");
	memory = parameters[0];
	words[0] = 16;
	words[16] = 5;
	words[17] = 6;
	memcpy(words + 2, &(uint64_t){memory + 64}, 8);
	memcpy(words + 4, &memory, 8);
	memcpy(words + 6, &(uint64_t){memory + 24}, 8);
	launch.parameters = parameters;
	launch.parameter_bytes = sizeof parameters;
	explained = 0;
	result = lockstep_run(gpu, &launch, &error);
	assert_string_equal(error.message, "");
	assert_non_null(result);
	if (result->outcome != LOCKSTEP_HANG || explained != 1)
		print_error("%s\n", ptx);
	assert_int_equal(result->outcome, LOCKSTEP_HANG);
	assert_int_equal(explained, 1);
	lockstep_close(gpu);
}

static void write_kernel(char *ptx, size_t bytes, const char *prologue, const char *body, const char *epilogue)
{
	const char *head = HEAD, *gap = strstr(head, "%s"), *helper = strchr(body, '$');
	int length = snprintf(ptx, bytes, "%.*s%s%s%s\n%.*s\nexit;\n%s}\n", (int)(gap - head), head,
		helper ? helper + 1 : "", gap + 2, prologue, (int)strcspn(body, "$"), body, epilogue);

	assert_true((size_t)length < bytes);
}

/* Of a work-group that has not started, as two of twelve hang on the only core: what is between the branch to `hang`
 * and the end. */
static void follow_from_start(const struct one *cases, size_t count)
{
	static char ptx[65536];

	failures = 0;
	for (size_t k = 0; k < count; k++) {
		now = &cases[k];
		write_kernel(ptx, sizeof ptx, "mov.u32 %w, %ctaid.z; setp.eq.u32 %p, %w, 0; @%p bra hang;", now->body,
			"hang: ld.volatile.global.u32 %v, [%b]; setp.eq.u32 %p, %v, 0; @%p bra hang; exit;");
		run(ptx, k % 2 ? LOCKSTEP_FUNCTIONAL : LOCKSTEP_TIMING, true);
	}
	assert_int_equal(failures, 0);
}

static void follow_thread_in(enum lockstep_mode mode, const struct one *cases, size_t count)
{
	static char ptx[65536];

	failures = 0;
	for (size_t k = 0; k < count; k++) {
		now = &cases[k];
		write_kernel(ptx, sizeof ptx, "", now->body, "");
		run(ptx, mode, false);
	}
	assert_int_equal(failures, 0);
}

/* A warp hangs in the last loop of the body, or of `linger`. */
static void follow_thread(const struct one *cases, size_t count)
{
	follow_thread_in(LOCKSTEP_TIMING, cases, count);
	follow_thread_in(LOCKSTEP_FUNCTIONAL, cases, count);
}

#define COUNT(a) (sizeof(a) / sizeof *(a))

static void the_store_is_found(void **state)
{
	static const struct one cases[] = {
		{"st.global.u32 [%a+64], 7;", "certain@0 leaves", 64, 0},
		{"st.global.u32 [%b+64], 7;", "nothing leaves", 64, 0},
		{"st.global.u32 [%a+60], 7;", "nothing leaves", 64, 0},
		{"st.global.u32 [%a+68], 7;", "nothing leaves", 64, 0},
		{"st.global.u32 [%a+68], 7; st.global.u32 [%a+64], 7;", "certain@1 leaves", 64, 0},
		{"st.global.u32 [%a+64], 7; st.global.u32 [%a+64], 8;", "certain@0 leaves", 64, 0},
		/* of what is there nothing changes */
		{"st.global.u32 [%a+64], 5;", "nothing leaves", 64, 0},
		{"st.global.u64 [%a+64], 0x600000005;", "nothing leaves", 64, 0},
		{"st.global.u64 [%a+64], 0x700000005;", "certain@0 leaves", 64, 0},
		{"mov.u32 %v, 5; st.global.u32 [%a+64], %v;", "nothing leaves", 64, 0},
		{"mov.u64 %x, 5; st.global.u32 [%a+64], %x;", "certain@0 leaves", 64,
			0}, /* of other width: not compared */
		{"st.global.u8 [%a+64], 5;", "certain@0 leaves", 64, 0},
		{"st.global.v2.u32 [%a+56], {5, 6};", "nothing leaves", 64, 0},
		{"st.global.v2.u32 [%a+64], {5, 6};", "certain@0 leaves", 64, 0},
		{"st.global.v4.u32 [%a+52], {5, 6, 7, 8};", "certain@0 leaves", 64, 0},
		{"st.global.v4.u32 [%a+48], {5, 6, 7, 8};", "nothing leaves", 64, 0},
		{"ld.global.u32 %v, [%a+64]; st.global.u32 [%a+64], %v;", "certain@0 leaves", 64, 0},
		/* guards */
		{"setp.eq.u32 %p, 1, 2; @%p st.global.u32 [%a+64], 7;", "nothing leaves", 64, 0},
		{"setp.eq.u32 %p, 1, 2; @!%p st.global.u32 [%a+64], 7;", "certain@0 leaves", 64, 0},
		{"ld.global.u32 %v, [%a]; setp.eq.u32 %p, %v, 2; @%p st.global.u32 [%a+64], 7;", "certain@0 leaves", 64,
			0},
		/* who it is */
		{"mov.u32 %v, %tid.x; setp.eq.u32 %p, %v, 37; @%p st.global.u32 [%a+64], 7;", "certain@0 leaves", 64,
			0},
		{"mov.u32 %v, %tid.x; setp.ne.u32 %p, %v, 37; @%p st.global.u32 [%a+64], 7;", "nothing leaves", 64, 0},
		{"mov.u32 %v, %ctaid.x; setp.eq.u32 %p, %v, 2; @%p st.global.u32 [%a+64], 7;", "certain@0 leaves", 64,
			0},
		{"mov.u32 %v, %ctaid.y; setp.eq.u32 %p, %v, 1; @%p st.global.u32 [%a+64], 7;", "certain@0 leaves", 64,
			0},
		{"mov.u32 %v, %ctaid.z; setp.eq.u32 %p, %v, 1; @%p st.global.u32 [%a+64], 7;", "certain@0 leaves", 64,
			0},
		/* shared memory */
		{"st.shared.u32 [box+8], 7;", "certain@0 leaves", 8, 1},
		{"st.shared.u32 [box+8], 0;", "nothing leaves", 8, 1},
		{"st.shared.u32 [box+8], 7;", "nothing leaves", 12, 1},
		{"st.shared.u32 [box+8], 7;", "nothing leaves", 64, 0},
		{"st.global.u32 [%a+64], 7;", "nothing leaves", 8, 1},
		{"st.shared.u32 [box+60], 7;", "certain@0 leaves", 60, 1},
		{"st.shared.u32 [box+60], 0;", "nothing leaves", 60, 1},
		{"st.u32 [%a+64], 7;", "certain@0 leaves", 64, 0},
		{"mov.u64 %x, box; cvta.shared.u64 %x, %x; st.u32 [%x+8], 7;", "certain@0 leaves", 8, 1},
		{"mov.u64 %x, own; cvta.local.u64 %x, %x; st.u32 [%x+8], 7;", "nothing leaves", 8, 1},
		{"st.local.u32 [own+8], 7;", "nothing leaves", 8, 1},
		{"st.shared.u32 [box+40], 16;", "nothing leaves", 40, 1},
		{"st.shared.u32 [box+40], 17;", "certain@0 leaves", 40, 1},
		/* the bit of the word is freed, whatever is stored */
		{"stsul.shared.b32 [box+8], 7;", "certain@0 leaves", 8, 1},
		{"stsul.shared.b32 [box+8], 0;", "certain@0 leaves", 8, 1},
		{"stsul.shared.b32 [box+12], 0;", "nothing leaves", 8, 1},
		{"mov.u64 %x, 0x600000005; mov.u64 %y, 0; mov.b128 %o, {%x, %y}; st.global.b128 [%a+64], %o;",
			"certain@0 leaves", 64, 0},
		{"call __lockstep_unlock, (%a);", "certain@0 leaves", 0, 0},
		{"call __lockstep_unlock, (%a);", "nothing leaves", 64, 0},
		{"call __lockstep_unlock, (%a);", "nothing leaves", 8, 1},
		{"ld.global.u64 %x, [%a+8]; call __lockstep_unlock, (%x);", "as-is@0 leaves", 64, 0},
		{"ld.global.v2.u64 {%x, %y}, [%a]; call __lockstep_unlock, (%x);", "unknown@0 leaves", 64, 0},
	};

	(void)state;
	what = FROM_START;
	follow_from_start(cases, COUNT(cases));
}

static void atomics_may_change_nothing(void **state)
{
	static const struct one cases[] = {
		/* nothing depends on a register that is not named */
		{"add.s64 %y, %a, 32; ld.global.v2.u64 {%a, %b}, [%a]; ld.global.v2.u32 {%v, %w}, [%y];\n"
		 "add.s64 %y, %y, 32; st.global.u32 [%y], 7; st.global.u64 [%a], %b; st.global.u32 [%b], %v;",
			"certain@0 leaves", 64, 0},
		{"atom.global.add.u32 %v, [%a+64], 1;", "certain@0 leaves", 64, 0},
		{"atom.global.add.u32 %v, [%a+64], 0;", "nothing leaves", 64, 0},
		{"atom.global.add.u32 %v, [%a+68], 1;", "nothing leaves", 64, 0},
		{"atom.global.add.u64 %x, [%a+64], 1;", "certain@0 leaves", 64, 0},
		{"atom.global.add.u64 %x, [%a+64], 0;", "nothing leaves", 64, 0},
		{"atom.global.exch.b32 %v, [%a+64], 5;", "nothing leaves", 64, 0},
		{"atom.global.exch.b32 %v, [%a+64], 6;", "certain@0 leaves", 64, 0},
		{"atom.global.max.u32 %v, [%a+64], 4;", "nothing leaves", 64, 0},
		{"atom.global.max.u32 %v, [%a+64], 9;", "certain@0 leaves", 64, 0},
		{"atom.global.max.s32 %v, [%a+64], -1;", "nothing leaves", 64, 0},
		{"atom.global.cas.b32 %v, [%a+64], 4, 9;", "nothing leaves", 64, 0},
		{"atom.global.cas.b32 %v, [%a+64], 5, 9;", "certain@0 leaves", 64, 0},
		{"atom.global.cas.b32 %v, [%a+64], 5, 5;", "nothing leaves", 64, 0},
		{"atom.global.cas.b64 %x, [%a+64], 0x600000005, 9;", "certain@0 leaves", 64, 0},
		{"atom.global.cas.b64 %x, [%a+64], 5, 9;", "nothing leaves", 64, 0},
		{"ld.global.u32 %w, [%a]; atom.global.cas.b32 %v, [%a+64], %w, 9;", "certain@0 leaves", 64, 0},
		{"ld.global.u32 %w, [%a+64]; atom.global.cas.b32 %v, [%a+64], 5, %w;", "certain@0 leaves", 64, 0},
		{"ld.global.u32 %w, [%a+64]; atom.global.cas.b32 %v, [%a+64], 4, %w;", "nothing leaves", 64, 0},
		{"atom.shared.add.u32 %v, [box+8], 1;", "certain@0 leaves", 8, 1},
		{"atom.shared.add.u32 %v, [box+8], 0;", "nothing leaves", 8, 1},
		/* of what it finds nothing is known */
		{"atom.global.add.u32 %v, [%a], 0; mad.wide.u32 %x, %v, 4, %a; st.global.u32 [%x], 7;",
			"buffer@1 leaves", 64, 0},
		{"atom.global.add.u32 %v, [%a], 0; setp.eq.u32 %p, %v, 16; @%p bra end; st.global.u32 [%a+64], 7; end:",
			"certain@1 leaves external", 64, 0},
		{"setp.eq.u32 %p, 1, 2; mov.u32 %v, 16; @%p atom.global.add.u32 %v, [%a], 0;\n"
		 "mad.wide.u32 %x, %v, 4, %a; st.global.u32 [%x], 7;",
			"certain@1 leaves", 64, 0},
		/* whether it is done is not known: then its result depends on others, too */
		{COUNT_UP "mov.u32 %v, 1; @%p atom.global.add.u32 %v, [%a], 0; setp.eq.u32 %q, %v, 1; @%q bra end;\n"
			  "st.global.u32 [%a+64], 7; end:",
			"certain@1 leaves external", 64, 0},
		{"ld.global.u32 %w, [%a]; setp.eq.u32 %p, %w, 2; mov.u32 %v, 16; @%p atom.global.add.u32 %v, [%a], 0;\n"
		 "mad.wide.u32 %x, %v, 4, %a; st.global.u32 [%x], 7;",
			"buffer@1 leaves", 64, 0},
	};

	(void)state;
	what = FROM_START;
	follow_from_start(cases, COUNT(cases));
}

static void addresses_are_known_as_they_are(void **state)
{
	static const struct one cases[] = {
		/* a pointer, or an index, that lies in memory now */
		{"ld.global.u64 %x, [%a+8]; st.global.u32 [%x], 7;", "as-is@0 leaves", 64, 0},
		{"ld.global.u64 %x, [%a+8]; st.global.u32 [%x], 5;", "nothing leaves", 64, 0},
		{"ld.global.u64 %x, [%a+16]; st.global.u32 [%x], 7;", "nothing leaves", 64, 0},
		{"ld.global.u64 %x, [%a+16]; ld.global.u64 %x, [%x+8]; st.global.u32 [%x], 7;", "as-is@0 leaves", 64,
			0},
		{"ld.global.u32 %v, [%a]; mad.wide.u32 %x, %v, 4, %a; st.global.u32 [%x], 7;", "as-is@0 leaves", 64, 0},
		{"ld.shared.u32 %v, [box+60]; mad.wide.u32 %x, %v, 4, %a; st.global.u32 [%x+64], 7;", "as-is@0 leaves",
			64, 0},
		{"ld.shared.u64 %y, [box+56]; add.u64 %x, %y, %a; st.global.u32 [%x+64], 7;", "as-is@0 leaves", 64, 0},
		{"mov.u64 %x, box; ld.shared.u32 %v, [%x+61]; mad.wide.u32 %x, %v, 4, %a; st.global.u32 [%x+64], 7;",
			"buffer@0 leaves", 64, 0}, /* across the end */
		{"mov.u64 %x, box; ld.shared.u64 %y, [%x+60]; add.u64 %x, %y, %a; st.global.u32 [%x+64], 7;",
			"buffer@0 leaves", 64, 0},
		{"ld.global.u32 %v, [%a+256]; mad.wide.u32 %x, %v, 4, %a; st.global.u32 [%x+64], 7;", "buffer@0 leaves",
			64, 0},
		/* of these nothing is known: of other width than the register, vectors, half words */
		{"ld.global.u32 %x, [%a]; shl.b64 %x, %x, 2; add.u64 %x, %x, %a; st.global.u32 [%x], 7;",
			"buffer@0 leaves", 64, 0},
		{"ld.global.u16 %h, [%a]; cvt.u32.u16 %v, %h; mad.wide.u32 %x, %v, 4, %a; st.global.u32 [%x], 7;",
			"buffer@0 leaves", 64, 0},
		{"ld.global.v2.u32 {%v, %t}, [%a]; mad.wide.u32 %x, %v, 4, %a; st.global.u32 [%x], 7;",
			"buffer@0 leaves", 64, 0},
		{"ld.global.v2.u64 {%x, %y}, [%a]; st.global.u32 [%x], 7;", "unknown@0 leaves", 64, 0},
		{"ld.global.v2.u64 {%x, %y}, [%a]; ld.global.u64 %x, [%x]; st.global.u32 [%x], 7;", "unknown@0 leaves",
			64, 0},
		/* in the buffer, but where? */
		{"ld.global.v2.u64 {%x, %y}, [%a]; add.u64 %x, %x, %b; st.global.u32 [%x], 7;", "nothing leaves", 64,
			0},
		{"ld.global.v2.u64 {%x, %y}, [%a]; sub.u64 %x, %a, %x; st.global.u32 [%x], 7;", "buffer@0 leaves", 64,
			0},
		{"ld.global.v2.u64 {%x, %y}, [%a]; sub.u64 %x, %a, %x; mov.b64 %y, %x; st.global.u32 [%y], 7;",
			"buffer@0 leaves", 64, 0},
		{"ld.global.v2.u64 {%x, %y}, [%a]; xor.b64 %x, %x, %a; st.global.u32 [%x], 7;", "unknown@0 leaves", 64,
			0},
		{"ld.global.v2.u64 {%x, %y}, [%a]; add.u64 %x, %x, %a; ld.global.u32 %v, [%x]; mad.wide.u32 %x, %v, 4, "
		 "%b;\n"
		 "st.global.u32 [%x], 7;",
			"nothing leaves", 64, 0},
		{"ld.shared.v2.u64 {%x, %y}, [box]; st.shared.u32 [%x], 7;", "buffer@0 leaves", 8, 1},
		{"ld.shared.v2.u64 {%x, %y}, [box]; st.shared.u32 [%x], 7;", "nothing leaves", 64, 0},
		{"ld.shared.v2.u64 {%x, %y}, [box]; st.u32 [%x], 7;", "unknown@0 leaves", 8, 1},
		/* time and other lanes */
		{"mov.u32 %v, %clock; mad.wide.u32 %x, %v, 4, %a; st.global.u32 [%x], 7;", "buffer@0 leaves", 64, 0},
		{"activemask.b32 %v; mad.wide.u32 %x, %v, 4, %a; st.global.u32 [%x], 7;", "buffer@0 leaves", 64, 0},
		{"shfl.sync.idx.b32 %v, 16, 0, 31, -1; mad.wide.u32 %x, %v, 4, %a; st.global.u32 [%x], 7;",
			"buffer@0 leaves external", 64, 0},
		/* the carry is another value that it reads */
		{"add.cc.u32 %t, 8, 8; addc.u32 %v, 8, 8; mad.wide.u32 %x, %v, 4, %a; st.global.u32 [%x], 7;",
			"buffer@0 leaves", 64, 0},
		/* local memory, as long as nothing is stored there */
		{"ld.local.u32 %v, [own]; ld.local.u32 %v, [own+4]; mov.u32 %v, 16; mad.wide.u32 %x, %v, 4, %a;\n"
		 "st.global.u32 [%x], 7;",
			"certain@0 leaves", 64, 0},
		{"st.local.u32 [own], 16; ld.local.u32 %v, [own]; mad.wide.u32 %x, %v, 4, %a; st.global.u32 [%x], 7;",
			"buffer@1 leaves", 64, 0},
		/* whether the one that is not known is true does not matter */
		{"atom.global.add.u32 %v, [%b], 0; setp.eq.u32 %q, %v, 3; setp.eq.or.u32 %p, 1, 1, %q;\n"
		 "add.u64 %x, %a, 64; selp.b64 %x, %x, %b, %p; st.global.u32 [%x], 7;",
			"as-is@1 leaves", 64, 0},
		{"atom.global.add.u32 %v, [%b], 0; setp.eq.u32 %q, %v, 3; setp.eq.and.u32 %p, 1, 2, %q;\n"
		 "add.u64 %x, %a, 64; selp.b64 %x, %b, %x, %p; st.global.u32 [%x], 7;",
			"as-is@1 leaves", 64, 0},
		{"atom.global.add.u32 %v, [%b], 0; setp.eq.u32 %q, %v, 3; setp.eq.and.u32 %p, 1, 1, %q;\n"
		 "add.u64 %x, %a, 64; selp.b64 %x, %x, %b, %p; st.global.u32 [%x], 7;",
			"unknown@1 leaves", 64, 0},
		{"atom.global.add.u32 %v, [%b], 0; setp.eq.u32 %q, %v, 3; setp.eq.or.u32 %p, %v, %v, %q;\n"
		 "add.u64 %x, %a, 64; selp.b64 %x, %x, %b, %p; st.global.u32 [%x], 7;",
			"unknown@1 leaves", 64, 0},
		{"ld.shared.u32 %v, [box+40]; mad.wide.u32 %x, %v, 4, %a; st.global.u32 [%x], 7;", "as-is@0 leaves", 64,
			0},
		{"ld.global.u64 %x, [%a+24]; st.global.u64 [%x], 7;", "as-is@0 leaves", 24, 0},
		{"ld.const.u32 %v, [sixteen]; mad.wide.u32 %x, %v, 4, %a; st.global.u32 [%x], 7;", "certain@0 leaves",
			64, 0},
		{"ld.param.u64 %y, [memory]; st.global.u32 [%y+64], 7;", "certain@0 leaves", 64, 0},
		{COUNT_UP "mov.u64 %x, %a; @%p ld.param.u64 %x, [memory]; st.global.u32 [%x+64], 7;",
			"unknown@0 leaves", 64, 0},
		{COUNT_UP "mov.u64 %x, %a; @%p mov.u64 %x, %a; st.global.u32 [%x+64], 7;", "unknown@0 leaves", 64, 0},
		{"mov.u64 %x, own; ld.local.u32 %v, [%x+1000000]; mad.wide.u32 %x, %v, 4, %a; st.global.u32 [%x+64], "
		 "7;",
			"buffer@0 leaves", 64, 0},
		/* what is loaded of local memory, or from an unknown place, depends on what went there */
		{"st.local.u32 [own], 16; ld.local.u32 %v, [own]; setp.eq.u32 %p, %v, 1; @%p bra end; st.global.u32 "
		 "[%a+64], 7; end:",
			"certain@1 leaves", 64, 0},
		{"mov.u32 %t, %clock; st.local.u32 [own], %t; ld.local.u32 %v, [own]; setp.eq.u32 %p, %v, 1; @%p bra "
		 "end;\n"
		 "st.global.u32 [%a+64], 7; end:",
			"certain@1 leaves external", 64, 0},
		{"mov.u32 %t, %clock; st.local.v2.u32 [own], {1, %t}; ld.local.u32 %v, [own]; setp.eq.u32 %p, %v, 1; "
		 "@%p bra end;\n"
		 "st.global.u32 [%a+64], 7; end:",
			"certain@1 leaves external", 64, 0},
		{"mov.u32 %t, %clock; st.local.u32 [own], %t; st.local.u32 [own], 1; ld.local.u32 %v, [own];\n"
		 "setp.eq.u32 %p, %v, 1; @%p bra end; st.global.u32 [%a+64], 7; end:",
			"certain@2 leaves external", 64, 0},
		{"st.local.u32 [own], 1; mov.u64 %x, %a; st.global.u32 [%x+64], 7;", "certain@1 leaves", 64, 0},
		{"mov.u32 %t, %clock; mul.wide.u32 %x, %t, 0; mov.u64 %y, sixteen; add.u64 %x, %x, %y; ld.const.u32 "
		 "%v, [%x];\n"
		 "setp.eq.u32 %p, %v, 1; @%p bra end; st.global.u32 [%a+64], 7; end:",
			"certain@0 leaves external", 64, 0},
		{COUNT_UP "mul.wide.u32 %x, %w, 0; mov.u64 %y, sixteen; add.u64 %x, %x, %y; ld.const.u32 %v, [%x];\n"
			  "setp.eq.u32 %p, %v, 1; @%p bra end; st.global.u32 [%a+64], 7; end:",
			"certain@0 leaves", 64, 0},
		{COUNT_UP "mov.u32 %t, %clock; st.local.u32 [own], %t; mul.wide.u32 %x, %w, 0; mov.u64 %y, sixteen;\n"
			  "add.u64 %x, %x, %y; ld.const.u32 %v, [%x]; setp.eq.u32 %p, %v, 1; @%p bra end; "
			  "st.global.u32 [%a+64], 7; end:",
			"certain@1 leaves", 64, 0},
		/* predicates */
		{"setp.eq.u32 %p, 1, 1; setp.eq.u32 %q, 1, 2; or.pred %r, %q, %p; @%r st.global.u32 [%a+64], 7;",
			"certain@0 leaves", 64, 0},
		{"setp.eq.u32 %p, 1, 1; setp.eq.u32 %q, 1, 2; and.pred %r, %q, %p; @%r st.global.u32 [%a+64], 7;",
			"nothing leaves", 64, 0},
		{"setp.eq.u32 %p, 1, 1; not.pred %r, %p; @%r bra end; st.global.u32 [%a+64], 7; end:",
			"certain@0 leaves", 64, 0},
		{COUNT_UP "setp.eq.u32 %q, 1, 1; and.pred %r, %q, %p; @%r bra end; st.global.u32 [%a+64], 7; end:",
			"certain@0 leaves", 64, 0},
		{COUNT_UP "setp.eq.u32 %q, 1, 1; and.pred %r, %q, !%p; @%r bra end; st.global.u32 [%a+64], 7; end:",
			"certain@0 leaves", 64, 0},
		{COUNT_UP "setp.eq.u32 %q, 1, 1; or.pred %r, %q, %p; add.u64 %x, %a, 64; selp.b64 %x, %x, %b, %r; "
			  "st.global.u32 [%x], 7;",
			"unknown@0 leaves", 64, 0},
		{COUNT_UP "setp.eq.or.u32 %p, 1, 1, %p; add.u64 %x, %a, 64; selp.b64 %x, %x, %b, %p; st.global.u32 "
			  "[%x], 7;",
			"as-is@0 leaves", 64, 0},
		{COUNT_UP "setp.eq.and.u32 %p, 1, 1, %p; add.u64 %x, %a, 64; selp.b64 %x, %x, %b, %p; st.global.u32 "
			  "[%x], 7;",
			"unknown@0 leaves", 64, 0},
		{COUNT_UP "setp.eq.or.u32 %q|%r, 1, 1, %p; add.u64 %x, %a, 64; selp.b64 %x, %x, %b, %q; st.global.u32 "
			  "[%x], 7;",
			"unknown@0 leaves", 64, 0},
		{COUNT_UP "add.u64 %x, %a, 64; selp.b64 %x, %x, %x, %p; st.global.u32 [%x], 7;", "unknown@0 leaves", 64,
			0},
		{COUNT_UP "ld.global.u32 %t, [%a]; setp.eq.or.u32 %q, %t, 16, %p; add.u64 %x, %a, 64; selp.b64 %x, %x, "
			  "%b, %q;\n"
			  "st.global.u32 [%x], 7;",
			"as-is@0 leaves", 64, 0},
	};

	(void)state;
	what = FROM_START;
	follow_from_start(cases, COUNT(cases));
}

static void branches_go_where_they_must(void **state)
{
	static const struct one cases[] = {
		{"bra end; st.global.u32 [%a+64], 7; end:", "nothing leaves", 64, 0},
		{"setp.eq.u32 %p, 1, 1; @%p bra end; st.global.u32 [%a+64], 7; end:", "nothing leaves", 64, 0},
		{"setp.eq.u32 %p, 1, 2; @%p bra end; st.global.u32 [%a+64], 7; end:", "certain@0 leaves", 64, 0},
		{"ld.global.u32 %v, [%a]; setp.eq.u32 %p, %v, 16; @%p bra end; st.global.u32 [%a+64], 7; end:",
			"certain@0 leaves external", 64, 0},
		{"ld.global.u32 %v, [%a]; setp.ne.u32 %p, %v, 16; @%p bra end; st.global.u32 [%a+68], 7; end:",
			"nothing leaves external", 64, 0},
		{"mov.u32 %v, %clock; setp.ne.u32 %p, %v, 16; @%p bra end; st.global.u32 [%a+68], 7; end:",
			"nothing leaves external", 64, 0},
		/* one that comes back is not followed for ever; and depends on nothing outside */
		{"again: bra again; st.global.u32 [%a+64], 7;", "nothing", 64, 0},
		{"again: st.global.u32 [%a+64], 7; bra again;", "certain@0", 64, 0},
		{"mov.u32 %v, 0; again: add.u32 %v, %v, 1; setp.lt.u32 %p, %v, 10; @%p bra again; st.global.u32 "
		 "[%a+64], 7;",
			"certain@0 leaves", 64, 0},
		{"mov.u32 %v, 15; again: add.u32 %v, %v, 1; setp.lt.u32 %p, %v, 18; mad.wide.u32 %x, %v, 4, %a;\n"
		 "@%p bra again; st.global.u32 [%x], 7;",
			"buffer@0 leaves", 64, 0},
		{"mov.u32 %v, 15; again: add.u32 %v, %v, 1; setp.lt.u32 %p, %v, 18; mad.wide.u32 %x, %v, 4, %b;\n"
		 "@%p bra again; st.global.u32 [%x], 7;",
			"nothing leaves", 64, 0},
		/* a load that would be a fault, behind a branch that may not be taken */
		{COUNT_UP "@%p bra end; ld.const.u32 %v, [sixteen+4096]; st.global.u32 [%a+64], %v; end:",
			"certain@0 leaves", 64, 0},
		{COUNT_UP
			"@%p bra end; mov.u64 %x, own; ld.local.u32 %v, [%x+1000000]; st.global.u32 [%a+64], %v; end:",
			"certain@0 leaves", 64, 0},
		{COUNT_UP "@%p bra end; ld.const.u32 %v, [sixteen+2]; st.global.u32 [%a+64], %v; end:",
			"certain@0 leaves", 64, 0},
		/* what two ways agree on */
		{"ld.global.u32 %v, [%a]; setp.eq.u32 %p, %v, 1; mov.u64 %x, %a; @%p bra join; mov.u64 %x, %a;\n"
		 "join: st.global.u32 [%x+64], 7;",
			"certain@0 leaves external", 64, 0},
		{"ld.global.u32 %v, [%a]; setp.eq.u32 %p, %v, 1; mov.u64 %x, %a; @%p bra join; mov.u64 %x, %b;\n"
		 "join: st.global.u32 [%x+64], 7;",
			"unknown@0 leaves external", 64, 0},
		{"ld.global.u32 %v, [%a]; setp.eq.u32 %p, %v, 1; ld.global.v2.u64 {%x, %y}, [%a]; add.u64 %x, %x, %a;\n"
		 "@%p bra join; add.u64 %x, %a, 4; join: st.global.u32 [%x+64], 7;",
			"buffer@0 leaves external", 64, 0},
		{"ld.global.u32 %v, [%a]; setp.eq.u32 %p, %v, 1; ld.global.v2.u64 {%x, %y}, [%a]; add.u64 %x, %x, %a;\n"
		 "@%p bra join; add.u64 %x, %b, 4; join: st.global.u32 [%x+64], 7;",
			"unknown@0 leaves external", 64, 0},
		{"ld.global.u32 %v, [%a]; setp.eq.u32 %p, %v, 1; ld.global.u64 %x, [%a+8]; @%p bra join; add.u64 %x, "
		 "%a, 64;\n"
		 "join: st.global.u32 [%x], 7;",
			"as-is@0 leaves external", 64, 0},
		{"ld.global.u32 %v, [%a]; setp.eq.u32 %p, %v, 1; setp.eq.u32 %q, 1, 2; @%p bra join; setp.eq.u32 %q, "
		 "1, 1;\n"
		 "join: @!%q bra end; st.global.u32 [%a+64], 7; end:",
			"certain@0 leaves external", 64, 0},
		{"ld.global.u32 %v, [%a]; setp.eq.u32 %p, %v, 1; setp.eq.u32 %q, 1, 2; @%p bra join; setp.eq.u32 %q, "
		 "1, 2;\n"
		 "join: @!%q bra end; st.global.u32 [%a+64], 7; end:",
			"nothing leaves external", 64, 0},
		/* how it ends */
		{"trap;", "nothing leaves", 64, 0},
		{"exit; st.global.u32 [%a+64], 7;", "nothing leaves", 64, 0},
		{"ld.global.u32 %v, [%a]; setp.eq.u32 %p, %v, 1; @%p exit; again: bra again;",
			"nothing leaves external", 64, 0},
		{"setp.eq.u32 %p, 1, 2; @%p exit; again: bra again;", "nothing", 64, 0},
		/* indexed */
		{"ts: .branchtargets one, two; brx.idx 1, ts; one: st.global.u32 [%a+64], 7; exit; two: again: bra "
		 "again;",
			"nothing", 64, 0},
		{"ts: .branchtargets one, two; brx.idx 0, ts; one: st.global.u32 [%a+64], 7; exit; two: again: bra "
		 "again;",
			"certain@0 leaves", 64, 0},
		{"ts: .branchtargets one, two, one; ld.global.u32 %v, [%b]; brx.idx %v, ts; two: again: bra again;\n"
		 "one: st.global.u32 [%a+64], 7; exit;",
			"certain@0 leaves external", 64, 0},
		{"ts: .branchtargets one, two; ld.global.u32 %v, [%b]; brx.idx %v, ts; two: again: bra again; one: bra "
		 "two;",
			"nothing external", 64, 0},
		{"ts: .branchtargets one, two; mov.u32 %v, 0; count: add.u32 %v, %v, 1; setp.lt.u32 %p, %v, 5; @%p bra "
		 "count;\n"
		 "brx.idx %v, ts; two: again: bra again; one: bra two;",
			"nothing", 64, 0},
		{"ld.global.u32 %v, [%a]; setp.eq.u32 %p, %v, 1; ts: .branchtargets one, one; @%p brx.idx 0, ts;\n"
		 "st.global.u32 [%a+64], 7; one: again: bra again;",
			"certain@0", 64, 0},
		/* barriers */
		{"bar.sync 0; st.global.u32 [%a+64], 7; again: bra again;", "certain@0 leaves barrier", 64, 0},
		/* functions */
		{"call send, (%a);", "unknown@0 leaves external", 64, 0},
		{"call send, (%a); again: bra again;", "unknown@0 leaves external", 64, 0},
		{"call send, (%a); st.global.u32 [%a+64], 7;", "certain@1 leaves external", 64, 0},
		{"call send, (%a);", "nothing leaves external", 8, 1},
		{"call send, (%a); ld.local.u32 %v, [own]; mad.wide.u32 %x, %v, 4, %a; st.global.u32 [%x], 7;",
			"buffer@1 leaves external", 64, 0},
		/* copies and matrices go anywhere */
		{"cp.async.ca.shared.global [box], [%a], 16; cp.async.wait_all;", "unknown@0 leaves external", 8, 1},
		{"bar.warp.sync -1;", "nothing leaves external", 64, 0},
		/* each way with the values that it began with */
		{COUNT_UP "mov.u64 %x, %a; @%p bra other; mov.u64 %x, %b; exit; other: st.global.u32 [%x+64], 7;",
			"certain@0 leaves", 64, 0},
		{COUNT_UP "mov.u32 %t, 16; @%p bra other; mov.u32 %t, 0; exit; other: mad.wide.u32 %x, %t, 4, %a;\n"
			  "st.global.u32 [%x], 7;",
			"certain@0 leaves", 64, 0},
		{COUNT_UP "setp.eq.u32 %q, 1, 1; @%p bra other; setp.eq.u32 %q, 1, 2; exit; other: @!%q bra end;\n"
			  "st.global.u32 [%a+64], 7; end:",
			"certain@0 leaves", 64, 0},
		{COUNT_UP "setp.eq.u32 %q, 1, 2; @%p bra other; setp.eq.u32 %q, 1, 1; exit; other: @!%q bra end;\n"
			  "st.global.u32 [%a+64], 7; end:",
			"nothing leaves", 64, 0},
		{COUNT_UP "mov.u32 %t, 0; @%p bra join; mov.u32 %t, %clock; join: setp.eq.u32 %q, %t, 3; @%q bra end;\n"
			  "st.global.u32 [%a+68], 7; end:",
			"nothing leaves external", 64, 0},
		{COUNT_UP "mov.u32 %t, %clock; @%p bra join; mov.u32 %t, 0; join: setp.eq.u32 %q, %t, 3; @%q bra end;\n"
			  "st.global.u32 [%a+68], 7; end:",
			"nothing leaves external", 64, 0},
		{COUNT_UP "add.u64 %x, %a, 64; @%p bra join; ld.global.u64 %x, [%a+8]; join: st.global.u32 [%x], 7;",
			"as-is@0 leaves", 64, 0},
		{COUNT_UP "mov.u64 %x, 5; @%p bra join; mov.u64 %x, 6; join: st.global.u32 [%x], 7;",
			"unknown@0 leaves", 64, 0},
		{COUNT_UP "mov.u64 %x, %a; ld.global.v2.u64 {%x, %y}, [%a]; @%p bra join; add.u64 %x, %a, 4;\n"
			  "join: st.global.u32 [%x+64], 7;",
			"unknown@0 leaves", 64, 0},
		/* the external value of the second iteration reaches the branch in the third */
		{"mov.u32 %t, 0; mov.u32 %u, 1; again: setp.eq.u32 %q, %t, 3; @%q bra end; mov.u32 %t, %u; mov.u32 %u, "
		 "%clock;\n"
		 "bra again; end:",
			"nothing leaves external", 64, 0},
		{COUNT_UP "@%p bra end; st.global.u32 [%a+64], 7; end:", "certain@0 leaves", 64, 0},
		{"ts: .branchtargets one, two; ld.global.u32 %v, [%b]; mov.u64 %x, %b; brx.idx %v, ts; one: mov.u64 "
		 "%x, %a;\n"
		 "two: st.global.u32 [%x+64], 7;",
			"unknown@0 leaves external", 64, 0},
		{"ld.global.u32 %v, [%a]; setp.eq.u32 %p, %v, 1; ts: .branchtargets one, one; @%p bra one; brx.idx 0, "
		 "ts;\n"
		 "one: again: bra again;",
			"nothing external", 64, 0},
		{"setp.eq.u32 %p, 1, 1; barrier.red.popc.aligned.u32 %v, 0, %p; setp.eq.u32 %p, %v, 0; @%p bra end;\n"
		 "st.global.u32 [%a+64], 7; end:",
			"certain@0 leaves barrier external", 64, 0},
		{"ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%v}, [box]; setp.eq.u32 %p, %v, 1; @%p bra end;\n"
		 "st.global.u32 [%a+64], 7; end:",
			"certain@0 leaves external", 64, 0},
		{"call (%x), get, (); setp.eq.u64 %p, %x, 0; @%p bra end; st.global.u32 [%a+68], 7; end:",
			"unknown@0 leaves external", 64, 0},
		{"mov.u64 %x, %a; call (%x), get, (); st.global.u32 [%x+64], 7;", "unknown@0 leaves external", 64, 0},
		/* whether there is any store to go to */
		{"call send, (%a); atom.shared.add.u32 %v, [box+32], 1;", "unknown@0 leaves external", 8, 1},
		{"call send, (%a); st.u32 [%a+128], 1;", "unknown@0 leaves external", 8, 1},
		{"call send, (%a); cp.async.ca.shared.global [box], [%a], 16;", "unknown@0 leaves external", 8, 1},
		{"call send, (%a); call __lockstep_unlock, (%a);", "unknown@0 leaves external", 8, 1},
		{"call send, (%a); again: atom.shared.exch.b32 %v, [box+32], 1; setp.ne.u32 %p, %v, 0; @%p bra again;",
			"nothing leaves external", 8, 1},
		{"call send, (%a); ld.shared.u32 %v, [box];", "nothing leaves external", 8, 1},
	};

	(void)state;
	what = FROM_START;
	follow_from_start(cases, COUNT(cases));
}

/* Of the past: memory was something else then, so each store may have changed it, and each attempt to take a lock may
 * have had it. */
static void the_past_is_not_as_it_is_now(void **state)
{
	static const struct one cases[] = {
		{"st.global.u32 [%a+64], 5;", "certain@0 leaves", 64, 0},
		{"st.global.u32 [%a+60], 5;", "nothing leaves", 64, 0},
		{"atom.global.add.u32 %v, [%a+64], 0;", "certain@0 leaves", 64, 0},
		{"atom.global.cas.b32 %v, [%a+64], 4, 9;", "nothing leaves takes@0", 64, 0},
		{"st.global.u32 [%b], 5; atom.global.cas.b32 %v, [%a+64], 4, 9;", "nothing leaves takes@1", 64, 0},
		{"atom.global.cas.b32 %v, [%a+60], 4, 9;", "nothing leaves", 64, 0},
		{"atom.global.cas.b32 %v, [%a+64], 4, 9; st.global.u32 [%a+64], 4;", "certain@1 leaves takes@0", 64, 0},
		{"again: atom.global.exch.b32 %v, [%a+64], 1; setp.ne.u32 %p, %v, 0; @%p bra again;",
			"nothing leaves external takes@0", 64, 0},
		{"atom.global.exch.b32 %v, [%a+64], 1;", "certain@0 leaves", 64, 0},
	};
	static const struct one present[] = {
		{"again: atom.global.exch.b32 %v, [%a+64], 1; setp.ne.u32 %p, %v, 0; @%p bra again;",
			"nothing leaves external", 64, 0},
		{"again: atom.global.cas.b32 %v, [%a+64], 5, 1; setp.ne.u32 %p, %v, 0; @%p bra again;",
			"nothing leaves external", 64, 0},
	};

	(void)state;
	what = PAST;
	follow_from_start(cases, COUNT(cases));
	what = FROM_START;
	follow_from_start(present, COUNT(present));
}

#define LINGER " spin: ld.volatile.global.u32 %v, [%y]; setp.eq.u32 %p, %v, 0; @%p bra spin;\n"
#define CALL "call linger, (%a, %b);\n"
#define SPIN " spin: ld.volatile.global.u32 %v, [%b]; setp.eq.u32 %p, %v, 0; @%p bra spin;\n"

static void a_thread_goes_on_from_where_it_is(void **state)
{
	static const struct one ahead[] = {
		{SPIN, "nothing leaves", 64, 0},
		{"add.u64 %x, %a, 64;" SPIN "st.global.u32 [%x], 7;", "certain@0 leaves", 64, 0},
		{"ld.global.u64 %x, [%a+8];" SPIN "st.global.u32 [%x], 7;", "certain@0 leaves", 64, 0},
		{"st.global.u32 [%a+64], 5;" SPIN, "nothing leaves", 64, 0},
		{"setp.eq.u32 %q, 1, 1;" SPIN "@%q bra end; st.global.u32 [%a+64], 7; end:", "nothing leaves", 64, 0},
		{"setp.eq.u32 %q, 1, 2;" SPIN "@%q bra end; st.global.u32 [%a+64], 7; end:", "certain@0 leaves", 64, 0},
		{"ld.global.u32 %w, [%a];" SPIN "mad.wide.u32 %x, %w, 4, %a; bar.sync 0; st.global.u32 [%x], 7;",
			"certain@0 leaves barrier", 64, 0},
		{"st.local.u32 [own+4], 16;" SPIN
		 "ld.local.u32 %w, [own+4]; mad.wide.u32 %x, %w, 4, %a; st.global.u32 [%x], 7;",
			"certain@1 leaves", 64, 0},
	};
	static const struct one barrier[] = {
		{SPIN "st.global.u32 [%a+64], 7;", "certain@0 leaves", 64, 0},
		{SPIN "bar.sync 0; st.global.u32 [%a+64], 7;", "nothing leaves barrier", 64, 0},
		{SPIN "st.global.u32 [%a+64], 7; bar.sync 0;", "certain@0 leaves barrier", 64, 0},
		{"setp.eq.u32 %q, 1, 2;" SPIN "@%q bar.sync 0; st.global.u32 [%a+64], 7;", "certain@0 leaves", 64, 0},
		{SPIN "ld.global.u32 %w, [%a]; setp.eq.u32 %q, %w, 2; @%q bar.sync 0; st.global.u32 [%a+64], 7;",
			"certain@0 leaves barrier", 64, 0},
	};
	/* `linger` is given `memory` and `other`; the word by a pointer, in the frame of the function and in the
	 * entry's */
	static const struct one in_function[] = {
		{CALL "$" LINGER "st.global.u32 [%x+64], 7;", "certain@1 leaves external", 64, 0},
		{CALL "$" LINGER, "nothing leaves external", 64, 0},
		{CALL "$ setp.eq.u32 %q, 1, 2;" LINGER "@%q bra end; st.global.u32 [%x+64], 7; end:",
			"certain@1 leaves external", 64, 0},
		{CALL "$ setp.eq.u32 %q, 1, 1;" LINGER "@%q bra end; st.global.u32 [%x+64], 7; end:",
			"unknown@1 leaves external", 64, 0},
		{CALL "$ st.local.u32 [own+4], 16;" LINGER
		      "ld.local.u32 %w, [own+4]; mad.wide.u32 %x, %w, 4, %x; st.global.u32 [%x], 7;",
			"certain@1 leaves external", 64, 0},
		{CALL "$" LINGER "bra on; off: bra off; on: bra off;", "nothing", 64, 0},
		{CALL "$" LINGER "ts: .branchtargets on, off; brx.idx 1, ts; on: st.global.u32 [%x+64], 7; off: bra "
		      "gone; gone: bra gone;",
			"nothing", 64, 0},
	};
	static const struct one behind_call[] = {
		{CALL "st.global.u32 [%a+64], 7; $" LINGER, "certain@1 leaves", 64, 0},
		{"add.u64 %x, %a, 64;" CALL "st.global.u32 [%x], 7; $" LINGER, "certain@1 leaves", 64, 0},
		{"setp.eq.u32 %q, 1, 1;" CALL "@%q bra end; st.global.u32 [%a+64], 7; end: $"
		 "setp.eq.u32 %p, 1, 2; setp.eq.u32 %q, 1, 2;" LINGER "@%q st.global.u32 [%x+128], 1;",
			"nothing leaves", 64, 0},
		{"mov.u32 %t, 16; st.local.u32 [own+4], %t;" CALL
		 "ld.local.u32 %v, [own+4]; mad.wide.u32 %x, %v, 4, %a;\n"
		 "st.global.u32 [%x], 7; $ st.local.u32 [own+4], 17;" LINGER,
			"certain@2 leaves", 64, 0},
	};
	static const struct one elsewhere[] = {
		{CALL "call send, (%a); $" LINGER, "unknown@2 leaves external", 64, 0},
	};
	/* what the loop has loaded last is still on its way, in timing mode */
	static const struct one pending[] = {
		{SPIN "setp.eq.u32 %q, %v, 0; @%q bra end; st.global.u32 [%a+64], 7; end:", "certain@0 leaves external",
			64, 0},
		{"ld.global.u64 %x, [%a+8];" SPIN "st.global.u32 [%x], 7;", "certain@0 leaves", 64, 0},
	};
	static const struct one not_pending[] = {
		{SPIN "setp.eq.u32 %q, %v, 0; @%q bra end; st.global.u32 [%a+64], 7; end:", "nothing leaves", 64, 0},
	};

	(void)state;
	what = LIVING;
	follow_thread(ahead, COUNT(ahead));
	what = TO_BARRIER;
	follow_thread(barrier, COUNT(barrier));
	follow_thread_in(LOCKSTEP_TIMING, pending, 1);
	what = LIVING;
	follow_thread(in_function, COUNT(in_function));
	follow_thread_in(LOCKSTEP_TIMING, pending, COUNT(pending));
	follow_thread_in(LOCKSTEP_FUNCTIONAL, not_pending, COUNT(not_pending));
	what = BEHIND_CALL;
	follow_thread(behind_call, COUNT(behind_call));
	what = ELSEWHERE;
	follow_thread(elsewhere, COUNT(elsewhere));
}

#define BOTH(condition)                                                                                                \
	"again: ld.volatile.global.u32 %v, [%a+64]; ld.volatile.global.u32 %w, [%a+68]; " condition " @%p bra again;"

/* Out of the loop, when one word changes and all else stays. */
static void another_value_unblocks(void **state)
{
	static const struct one cases[] = {
		{SPIN, "stays", 64, 0},
		{"again: ld.volatile.global.u32 %v, [%a+64]; setp.eq.u32 %p, %v, 5; @%p bra again;", "unblocks", 64, 0},
		{"again: ld.volatile.global.u32 %v, [%a+64]; setp.eq.u32 %p, %v, 5; @%p bra again;", "stays", 68, 0},
		{"again: ld.volatile.global.u64 %x, [%a+64]; setp.eq.u64 %p, %x, 0x600000005; @%p bra again;",
			"unblocks", 64, 0},
		{"again: ld.volatile.global.u64 %x, [%a+64]; setp.eq.u64 %p, %x, 0x600000005; @%p bra again;", "stays",
			8, 0},
		{BOTH("setp.eq.u32 %q, %v, 5; setp.eq.and.u32 %p, %w, 6, %q;"), "unblocks", 64, 0},
		{BOTH("setp.eq.u32 %q, %v, 5; setp.eq.and.u32 %p, %w, 6, %q;"), "unblocks", 68, 0},
		{BOTH("setp.eq.u32 %q, %v, 5; setp.eq.or.u32 %p, %w, 6, %q;"), "stays", 64, 0},
		{BOTH("setp.eq.u32 %q, %v, 4; setp.eq.or.u32 %p, %w, 6, %q;"), "stays", 64, 0},
		{BOTH("setp.eq.u32 %q, %v, 4; setp.eq.or.u32 %p, %w, 6, %q;"), "unblocks", 68, 0},
		{BOTH("setp.eq.u32 %q, %v, 4; setp.ne.or.u32 %p, %w, 7, %q;"), "stays", 64, 0},
		{"again: ld.volatile.shared.u32 %v, [box+8]; setp.eq.u32 %p, %v, 0; @%p bra again;", "unblocks", 8, 1},
		{"again: ld.volatile.shared.u32 %v, [box+8]; setp.eq.u32 %p, %v, 0; @%p bra again;", "stays", 12, 1},
		{"again: ld.volatile.shared.u32 %v, [box+8]; setp.eq.u32 %p, %v, 0; @%p bra again;", "stays", 64, 0},
		{"again: atom.global.cas.b32 %v, [%a+64], 0, 1; setp.ne.u32 %p, %v, 0; @%p bra again;", "unblocks", 64,
			0},
		{"again: atom.global.cas.b32 %v, [%a+64], 0, 1; setp.ne.u32 %p, %v, 0; @%p bra again;", "stays", 68, 0},
		/* the address is as it is */
		{"again: ld.volatile.global.u64 %x, [%a+8]; ld.volatile.global.u32 %v, [%x]; setp.eq.u32 %p, %v, 5; "
		 "@%p bra again;",
			"unblocks", 64, 0},
		{"again: ld.volatile.global.u64 %x, [%a+8]; ld.volatile.global.u32 %v, [%x]; setp.eq.u32 %p, %v, 5; "
		 "@%p bra again;",
			"unblocks", 8, 0},
		{"again: ld.volatile.global.u64 %x, [%a+8]; ld.volatile.global.u32 %v, [%x]; setp.eq.u32 %p, %v, 5; "
		 "@%p bra again;",
			"stays", 16, 0},
		/* in a branch within the loop, or by a way out in its middle */
		{"again: ld.volatile.global.u32 %v, [%a+64]; setp.ne.u32 %p, %v, 5; @%p bra out; "
		 "ld.volatile.global.u32 %w, [%a];\n"
		 "setp.ne.u32 %q, %w, 0; @%q bra again; out:",
			"unblocks", 64, 0},
		{"again: ld.volatile.global.u32 %v, [%a+64]; setp.ne.u32 %p, %v, 5; @%p bra out; "
		 "ld.volatile.global.u32 %w, [%a];\n"
		 "setp.ne.u32 %q, %w, 0; @%q bra again; out:",
			"unblocks", 0, 0},
		{"again: ld.volatile.global.u32 %v, [%a+64]; setp.ne.u32 %p, %v, 5; @%p exit; ld.volatile.global.u32 "
		 "%w, [%a];\n"
		 "setp.ne.u32 %q, %w, 0; @%q bra again;",
			"unblocks", 64, 0},
		{"again: ld.volatile.global.u32 %v, [%a+64]; setp.eq.u32 %p, %v, 5; @%p bra back; add.u32 %v, %v, 1;\n"
		 "back: bra again;",
			"stays", 64, 0},
		/* of what is not known, any value would do */
		{"again: ld.volatile.global.v2.u32 {%v, %w}, [%b]; setp.eq.u32 %p, %v, 0; @%p bra again;", "unblocks",
			64, 0},
		{"pre: add.u32 %t, %t, 1; again: ld.volatile.global.u32 %v, [%a+64]; setp.ne.u32 %p, %v, 5; @%p bra "
		 "pre;\n"
		 "ld.volatile.global.u32 %w, [%b]; setp.eq.u32 %q, %w, 0; @%q bra again;",
			"unblocks", 64, 0},
		{"again: call send, (%a); ld.volatile.global.u32 %v, [%b]; setp.eq.u32 %p, %v, 0; @%p bra again;",
			"unblocks", 64, 0},
	};

	(void)state;
	what = FREES;
	follow_thread(cases, COUNT(cases));
}

/* The loop is in a function that the thread is not in, as where it has called another: what its registers have there is
 * not known. */
static void registers_of_another_frame_are_not_known(void **state)
{
	static const struct one cases[] = {
		{SPIN "call linger, (%a, %b);$ again: setp.ne.u32 %p, %v, 305419896; @%p bra again;", "unblocks", 64,
			0},
		{SPIN "call linger, (%a, %b);$ again: setp.ne.u64 %p, %x, 305419896; @%p bra again;", "unblocks", 64,
			0},
		{SPIN "call linger, (%a, %b);$ again: @%q bra out; bra again; out:", "unblocks", 64, 0},
		{SPIN "call linger, (%a, %b);$ again: ld.local.u32 %w, [own+4]; setp.ne.u32 %p, %w, 305419896; @%p bra "
		      "again;",
			"unblocks", 64, 0},
		{SPIN "call linger, (%a, %b);$ again: mov.u32 %v, 1; setp.ne.u32 %p, %v, 2; @%p bra again;", "stays",
			64, 0},
	};

	(void)state;
	what = FREES_ELSEWHERE;
	follow_thread(cases, COUNT(cases));
}

/* Values that change one by one, a turn of the loop for each: it gives up, and takes the thread as one that may do
 * anything. */
static void too_long_a_way_is_not_followed(void **state)
{
	static char body[65536];
	int length = snprintf(body, sizeof body, ".reg .b32 %%m<602>; mov.u32 %%m0, %%clock;\n");
	struct one endless = {body, "unknown@0 leaves external", 64, 0};

	(void)state;
	for (uint32_t k = 1; k <= 600; k++)
		length += snprintf(body + length, sizeof body - (size_t)length, "mov.u32 %%m%u, %u;\n", k, k);
	length += snprintf(body + length, sizeof body - (size_t)length, "again:\n");
	for (uint32_t k = 600; k; k--)
		length += snprintf(body + length, sizeof body - (size_t)length, "mov.u32 %%m%u, %%m%u;\n", k, k - 1);
	snprintf(body + length, sizeof body - (size_t)length, "bra again; st.global.u32 [%%a+68], %%m600;\n");
	what = FROM_START;
	follow_from_start(&endless, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_store_is_found),
		cmocka_unit_test(atomics_may_change_nothing),
		cmocka_unit_test(addresses_are_known_as_they_are),
		cmocka_unit_test(branches_go_where_they_must),
		cmocka_unit_test(the_past_is_not_as_it_is_now),
		cmocka_unit_test(a_thread_goes_on_from_where_it_is),
		cmocka_unit_test(another_value_unblocks),
		cmocka_unit_test(registers_of_another_frame_are_not_known),
		cmocka_unit_test(too_long_a_way_is_not_followed),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
