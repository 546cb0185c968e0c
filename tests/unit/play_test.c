/* A loop that is played on (check/play.h): what it looks at in a round, whether it leaves or writes, and what it gives
 * up at.  The thread hangs at a word that points at itself; then memory is changed below it. */
#include "check/play.h"

#include "check/verdict.h"
#include "lockstep.h"
#include "machine/state/gpu.h"
#include "machine/state/machine.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

/* list: follows pointers until one is null.  swap: takes the word, when it is 9.  back: goes back twice on its way out,
 * and changes no register between. */
static const char ptx[] =
	".version 7.0\n.target sm_70\n.address_size 64\n"
	".visible .entry list(.param .u64 memory) {\n.reg .b64 %x; .reg .pred %p;\nld.param.u64 %x, [memory];\n"
	"again: ld.volatile.global.u64 %x, [%x]; setp.ne.u64 %p, %x, 0; @%p bra again; ret;\n}\n"
	".visible .entry swap(.param .u64 memory) {\n.reg .b64 %x, %y; .reg .pred %p;\nld.param.u64 %x, [memory];\n"
	"again: atom.global.cas.b64 %y, [%x], 9, 1; setp.ne.u64 %p, %y, 9; @%p bra again; ret;\n}\n"
	".visible .entry back(.param .u64 memory) {\n.reg .b64 %x, %y; .reg .pred %p;\nld.param.u64 %x, [memory];\n"
	"again: ld.volatile.global.u64 %y, [%x]; setp.eq.u64 %p, %y, 0; @%p bra one; bra last;\n"
	"first: bra two;\nsecond: bra out;\none: bra first;\ntwo: bra second;\nlast: bra again;\nout: ret;\n}\n";

static uint64_t base, *memory;
static uint32_t explained;
static const char *kernel;

static struct play played(const struct thread *t, struct arena *arena, uint32_t most)
{
	struct code_range range;

	assert_true(wait_loop(t, &range));
	return play_on(arena, t, range, NULL, most);
}

/* At most so many steps, which end it so. */
static void ends(const struct thread *t, uint32_t most, enum play_end end)
{
	struct arena arena = {0};

	assert_int_equal(played(t, &arena, most).end, end);
	arena_free(&arena);
}

static void play_list(const struct thread *t)
{
	struct arena arena = {0};
	struct play play = played(t, &arena, 1000);

	assert_int_equal(play.end, PLAY_ROUNDS);
	assert_true(play.count);
	for (uint32_t k = 0; k < play.count; k++) {
		assert_int_equal(play.looks[k].word.address, base);
		assert_int_equal(play.looks[k].word.space, space_GLOBAL);
		assert_int_equal(play.looks[k].value, base);
	}
	/* Three words on the way to two that point at each other: only these are in the round. */
	for (uint32_t k = 0; k < 4; k++)
		memory[k] = base + 8 * (k + 1);
	memory[4] = base + 24;
	play = played(t, &arena, 1000);
	assert_int_equal(play.end, PLAY_ROUNDS);
	assert_true(play.count >= 2 && play.count % 2 == 0);
	for (uint32_t k = 0; k < play.count; k++) {
		assert_true(play.looks[k].word.address == base + 24 || play.looks[k].word.address == base + 32);
		assert_int_equal(play.looks[k].value, base + 24 + 32 - (play.looks[k].word.address - base));
	}
	for (uint32_t most = 0; most < 9; most++)
		ends(t, most, PLAY_LOST); /* it takes longer */
	memory[3] = 0;
	play = played(t, &arena, 1000);
	assert_int_equal(play.end, PLAY_LEAVES);
	assert_int_equal(play.count, 4); /* all of them */
	assert_int_equal(play.looks[0].word.address, base);
	assert_int_equal(play.looks[3].word.address, base + 24);
	assert_int_equal(play.looks[3].value, 0);
	memory[0] = 16; /* no memory: what follows is not known */
	ends(t, 1000, PLAY_LOST);
	arena_free(&arena);
}

static void play_swap(const struct thread *t)
{
	struct arena arena = {0};
	struct play play = played(t, &arena, 1000);

	assert_int_equal(play.end, PLAY_ROUNDS);
	assert_int_equal(play.looks[0].operand, 9);
	assert_int_equal(play.looks[0].value, base);
	memory[0] = 9;
	play = played(t, &arena, 1000);
	assert_int_equal(play.end, PLAY_WRITES);
	assert_int_equal(play.count, 1);
	assert_int_equal(play.looks[0].value, 9);
	assert_int_equal(memory[0], 9); /* nothing is written */
	arena_free(&arena);
}

/* The same registers at another branch are no round. */
static void play_back(const struct thread *t)
{
	ends(t, 1000, PLAY_ROUNDS);
	memory[0] = 0;
	ends(t, 1000, PLAY_LEAVES);
}

/* In place of the one that explains. */
void verdict_give(struct machine *machine, struct launch *launch, bool proved)
{
	struct core *core = &machine->cores.at[0];
	struct thread t = thread_at(core, &core->slots[0], 0);

	(void)launch;
	(void)proved;
	explained++;
	(!strcmp(kernel, "list") ? play_list : !strcmp(kernel, "swap") ? play_swap : play_back)(&t);
}

static void run(const char *name)
{
	static const char *const settings[] = {"core.count=1", NULL};
	struct lockstep_error error = {0};
	struct lockstep_options options = {.size = sizeof options,
		.settings = settings,
		.hang_after = 100000,
		.explain_limit = LOCKSTEP_EXPLAIN_NEVER};
	struct lockstep *gpu = lockstep_open(&options, &error);
	struct lockstep_module *module = lockstep_load(gpu, "play.ptx", ptx, &error);
	struct lockstep_launch launch = {
		.size = sizeof launch, .module = module, .kernel = name, .grid = {1, 1, 1}, .block = {1, 1, 1}};

	assert_string_equal(error.message, "");
	kernel = name;
	base = lockstep_allocate(gpu, 64, "memory");
	memory = lockstep_map(gpu, base, 64);
	memory[0] = base;
	launch.parameters = &base;
	launch.parameter_bytes = sizeof base;
	explained = 0;
	assert_int_equal(lockstep_run(gpu, &launch, &error)->outcome, LOCKSTEP_HANG);
	assert_int_equal(explained, 1);
	lockstep_close(gpu);
}

static void a_round_has_its_own_looks(void **state)
{
	(void)state;
	run("list");
}

static void a_round_is_of_one_branch(void **state)
{
	(void)state;
	run("back");
}

static void a_swap_that_would_succeed_ends_it(void **state)
{
	(void)state;
	run("swap");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_round_has_its_own_looks),
		cmocka_unit_test(a_round_is_of_one_branch),
		cmocka_unit_test(a_swap_that_would_succeed_ends_it),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
