/* A hanging machine: what memory was when it began, a launch that runs again from there, and the stale read that made
 * it hang. */
#include "api/api.h" /* the parts that only the simulator sees */

#include "machine/gpu/launches.h"
#include "machine/gpu/machine.h"
#include "machine/lsu/stale.h"
#include "machine/state/machine.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Each thread counts, writes its element, takes a block of the heap and writes there.  Group 0 then waits for a flag,
 * with loads that the L1 answers, which group 1 sets later; or, if `sets` is 0, never. */
static const char ptx[] = ".version 7.0\n.target sm_70\n.address_size 64\n"
			  ".extern .func (.param .b64 r) malloc(.param .b64 s);\n"
			  ".visible .entry k(.param .u64 memory, .param .u32 sets) {\n"
			  " .reg .b64 %a, %e, %h, %s; .reg .b32 %v, %t, %g, %n; .reg .pred %p;\n"
			  " ld.param.u64 %a, [memory]; mov.u32 %g, %ctaid.x; mov.u32 %t, %tid.x;\n"
			  " mad.lo.u32 %t, %g, 32, %t; mad.wide.u32 %e, %t, 4, %a;\n"
			  " atom.global.add.u32 %v, [%a+4], 1; st.global.u32 [%e+256], %t;\n"
			  " mov.u64 %s, 48; { .param .b64 r0; .param .b64 s0; st.param.b64 [s0], %s;\n"
			  " call (r0), malloc, (s0); ld.param.b64 %h, [r0]; } st.global.u64 [%h], %h;\n"
			  " setp.ne.u32 %p, %g, 0; @%p bra other;\n"
			  "again: ld.global.u32 %v, [%a]; setp.eq.u32 %p, %v, 0; @%p bra again; ret;\n"
			  "other: mov.u32 %n, 0;\n"
			  "count: add.u32 %n, %n, 1; setp.lt.u32 %p, %n, 300; @%p bra count;\n"
			  " ld.param.u32 %n, [sets]; setp.ne.u32 %p, %n, 0;\n"
			  " @%p st.volatile.global.u32 [%a], 1; ret;\n}\n";

#define WORDS 1024

static uint32_t at_start[WORDS], present[WORDS];
static uint64_t address, first_block;
static uint32_t explained;

static uint32_t *memory_of(const struct gpu *gpu)
{
	return space_host(&gpu->space, address);
}

static void say_nothing(struct machine *machine, struct launch *launch, bool proved)
{
	(void)machine;
	(void)launch;
	(void)proved;
}

/* The launch again, on a GPU of its own that has the same memory; with volatile loads it would end, here it hangs
 * again. */
static void run_again(const struct machine *machine, const struct launch *launch)
{
	struct arena arena = {0};
	struct gpu child = *machine->gpu;
	struct gpu_result result;

	child.arena = &arena;
	child.machine = NULL;
	child.waiting = child.finished = NULL;
	child.cycle = machine->time.start;
	child.launches = launch->ordinal;
	child.explain = say_nothing;
	child.experiment.puts_back = true;
	gpu_create(&child);
	gpu_start(&child, &(struct gpu_launch){.kernel = launch->kernel,
				  .constants = launch->constants,
				  .values = launch->values,
				  .group = launch->group});
	assert_true(gpu_finish(&child, &result));
	assert_int_equal(result.outcome, GPU_HANG);
	assert_int_equal(result.counters.lock_success, 0);
	assert_int_equal(result.counters.stale_hits, machine->cores.at[0].counters.stale_hits);
	gpu_destroy(&child);
	arena_free(&arena);
}

static void look_at_stale_reads(const struct machine *machine, const struct launch *launch)
{
	const struct stale_read *read = stale_next(machine, NULL);
	uint32_t count = 0;

	assert_non_null(read);
	assert_int_equal(read->group, 0);
	assert_int_equal(read->thread, 0);
	assert_int_equal(read->address, address);
	assert_true(read->first_cycle <= read->cycle && read->write.cycle < read->cycle &&
		    read->fetched <= read->write.cycle);
	assert_true(read->times > 10);
	assert_int_equal(launch->kernel->code[read->pc].kind, INSN_LOAD);
	assert_true(read->write.is_known && read->write.once);
	assert_int_equal(read->write.core, 1); /* in order, one group a core */
	assert_int_equal(read->write.group, 1);
	assert_int_equal(launch->kernel->code[read->write.pc].kind, INSN_STORE);
	assert_int_equal(read->reader[address - read->line], 0); /* the byte that is another now, and no other */
	for (uint64_t k = 1; k < 8; k++)
		assert_int_equal(read->reader[address + k - read->line], STALE_NO_LANE);
	for (const struct stale_read *r = stale_next(machine, NULL); r; r = stale_next(machine, r))
		count++;
	assert_int_equal(count, 1);
}

static void look(struct machine *machine, struct launch *launch, bool proved)
{
	struct gpu *gpu = machine->gpu;

	(void)proved;
	explained++;
	if (!machine->functional)
		look_at_stale_reads(machine, launch);
	memcpy(present, memory_of(gpu), sizeof present);
	assert_int_equal(present[1], at_start[1] + 64);
	assert_true(machine_swap(machine));
	assert_memory_equal(memory_of(gpu), at_start, sizeof at_start);
	first_block = heap_allocate(&gpu->heap, 48);
	assert_true(heap_free(&gpu->heap, first_block));
	run_again(machine, launch);
	assert_memory_equal(memory_of(gpu), at_start, sizeof at_start);
	assert_int_equal(heap_allocate(&gpu->heap, 48), first_block);
	assert_true(heap_free(&gpu->heap, first_block));
	assert_true(machine_swap(machine));
	assert_memory_equal(memory_of(gpu), present, sizeof present);
	assert_int_not_equal(heap_allocate(&gpu->heap, 48), first_block); /* all threads have one */
}

static void a_hanging_launch_runs_again(void **state)
{
	static const char *const settings[] = {"core.groups=1", NULL};

	(void)state;
	for (uint32_t k = 0; k < 4; k++) {
		struct lockstep_error error;
		struct lockstep_options options = {.size = sizeof options,
			.gpu = "gtx480",
			.settings = settings,
			.threads = 1 + k / 2,
			.mode = k % 2 ? LOCKSTEP_FUNCTIONAL : LOCKSTEP_TIMING};
		struct {
			uint64_t memory;
			uint32_t sets;
		} parameters = {.sets = 1 - k % 2};
		struct lockstep *lockstep = lockstep_open(&options, &error);
		struct lockstep_module *module = lockstep_load(lockstep, "k.ptx", ptx, &error);
		struct lockstep_launch launch = {.size = sizeof launch,
			.module = module,
			.kernel = "k",
			.grid = {2, 1, 1},
			.block = {32, 1, 1},
			.parameters = &parameters,
			.parameter_bytes = 12};
		const struct lockstep_result *result;

		assert_non_null(module);
		lockstep->gpu.experiment.keeps_start = true;
		lockstep->gpu.explain = look;
		parameters.memory = address = lockstep_allocate(lockstep, sizeof at_start, "memory");
		for (uint32_t w = 0; w < WORDS; w++)
			at_start[w] = w ? w * 2654435761u : 0;
		memcpy(memory_of(&lockstep->gpu), at_start, sizeof at_start);
		explained = 0;
		result = lockstep_run(lockstep, &launch, &error);
		assert_non_null(result);
		assert_int_equal(result->outcome, LOCKSTEP_HANG);
		assert_int_equal(explained, 1);
		assert_memory_equal(memory_of(&lockstep->gpu), present, sizeof present);
		lockstep_close(lockstep);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_hanging_launch_runs_again),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
