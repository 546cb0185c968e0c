/* What makes two states of a launch the same under a progress model (machine/progress/progress.h): each part of a
 * group's state that decides what it does next is in its print, each byte of memory in that of memory, and no time. */
#include "api/api.h" /* the parts that only the simulator sees */

#include "machine/lsu/lock_bits.h"
#include "machine/progress/progress.h"
#include "machine/state/machine.h"
#include "memory/snapshot.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Three warps with a carry, shared and local memory, alloca and wide registers. */
static const char ptx[] =
	".version 7.3\n.target sm_70\n.address_size 64\n"
	".visible .entry k(.param .u64 memory) {\n"
	" .reg .b64 %a, %b; .reg .b32 %v; .reg .pred %p;\n"
	" .shared .align 4 .b8 box[64]; .local .align 4 .b8 own[16];\n"
	" ld.param.u64 %a, [memory]; mov.u32 %v, %tid.x; add.cc.u32 %v, %v, 1;\n"
	" st.shared.u32 [box], %v; st.local.u32 [own], %v; alloca.u64 %b, 16;\n"
	" setp.eq.u32 %p, %v, 1; @%p st.global.u32 [%a], %v; st.global.u32 [%a+4], %v; bar.sync 3; ret;\n}\n"
	/* Thread 0 has the lock bit of a word for a while, for which lanes of the second warp wait. */
	".visible .entry stops(.param .u64 memory) {\n"
	" .reg .b64 %a; .reg .b32 %v, %t; .reg .pred %p, %q;\n"
	" .shared .align 4 .b8 box[64];\n"
	" ld.param.u64 %a, [memory]; mov.u32 %t, %tid.x; setp.eq.u32 %p, %t, 0; setp.ge.u32 %q, %t, 32;\n"
	" @%p ldslk.shared.b32 %v, [box]; bar.sync 0; @%q red.shared.add.u32 [box], 1;\n"
	" ld.volatile.global.u32 %v, [%a]; ld.volatile.global.u32 %v, [%a]; @%p stsul.shared.b32 [box], 7; ret;\n}\n";

static uint32_t looked;

/* A byte of the state becomes another, and what it was; `seen`: whether the group's print is then another. */
static bool group_sees(const struct progress *p, const void *at)
{
	uint8_t *byte = (uint8_t *)(uintptr_t)at;
	uint64_t before[2], changed[2], after[2];

	progress_group_print(p, 0, before);
	*byte ^= 1;
	progress_group_print(p, 0, changed);
	*byte ^= 1;
	progress_group_print(p, 0, after);
	assert_memory_equal(before, after, sizeof before);
	assert_int_equal(before[0] != changed[0], before[1] != changed[1]);
	return before[0] != changed[0];
}

#define SEES(at) assert_true(group_sees(p, &(at)))
#define IGNORES(at) assert_false(group_sees(p, &(at)))

/* Its first and last byte. */
static void sees_all(const struct progress *p, const void *at, size_t bytes)
{
	assert_true(group_sees(p, at));
	assert_true(group_sees(p, (const uint8_t *)at + bytes - 1));
}

static void check_warp(const struct progress *p, struct warp_slot *r)
{
	const struct launch *launch = r->core_launch->launch;
	struct warp *w = &r->warp;

	SEES(r->held);
	SEES(r->in_fence);
	SEES(r->finished);
	sees_all(p, r->waiting_lanes, sizeof r->waiting_lanes);
	sees_all(p, w->divergence, sizeof(struct path));
	sees_all(p, w->predicate_file, launch->warp.predicate_count * sizeof(lane_mask));
	sees_all(p, w->registers, launch->warp.register_words * sizeof(uint32_t));
	sees_all(p, w->wide_registers, launch->warp.register_words * sizeof(uint32_t));
	sees_all(p, &w->carry_bits, sizeof w->carry_bits);
	sees_all(p, w->local, (size_t)launch->warp.stack_bytes * w->lanes);
	sees_all(p, w->stack_tops, ((size_t)launch->warp.call_depth + 1) * w->lanes * sizeof(uint32_t));
	IGNORES(w->now);
	IGNORES(r->hold_until);
	IGNORES(r->waits_since);
	r->finished = true; /* what it was says nothing any more */
	IGNORES(w->registers[0]);
	IGNORES(w->carry_bits);
	r->finished = false;
}

/* What holds a warp is told apart. */
static void check_flags(const struct progress *p, struct warp_slot *r)
{
	uint64_t held[2], fencing[2], both[2];

	r->held = true;
	progress_group_print(p, 0, held);
	r->in_fence = true;
	progress_group_print(p, 0, both);
	r->held = false;
	progress_group_print(p, 0, fencing);
	r->in_fence = false;
	assert_true(held[0] != fencing[0] && held[0] != both[0] && fencing[0] != both[0]);
}

/* The same of a byte that groups have together, and the print of memory. */
static void memory_sees(const struct progress *p, uint8_t *byte)
{
	uint64_t before[2], changed[2], after[2];

	progress_memory_print(p, before);
	*byte ^= 1;
	progress_memory_print(p, changed);
	*byte ^= 1;
	progress_memory_print(p, after);
	assert_memory_equal(before, after, sizeof before);
	assert_true(before[0] != changed[0] && before[1] != changed[1]);
}

/* A byte of global memory, which is saved before it is written. */
static void global_sees(const struct progress *p, size_t offset)
{
	uint64_t before[2], saved[2];

	progress_memory_print(p, before);
	snapshot_save_range(&p->machine->at_start.snapshot->logs[0], GLOBAL_BASE + offset, 1);
	progress_memory_print(p, saved);
	assert_memory_equal(before, saved, sizeof before);
	memory_sees(p, p->machine->space->bytes + offset);
}

/* The same contents have the same print, and others another, whatever was written first. */
static void check_order(const struct progress *p, size_t one, size_t other)
{
	uint8_t *bytes = p->machine->space->bytes;
	uint64_t both[2], exchanged[2];

	bytes[one] ^= 1;
	bytes[other] ^= 2;
	progress_memory_print(p, both);
	bytes[one] ^= 3;
	bytes[other] ^= 3;
	progress_memory_print(p, exchanged);
	bytes[one] ^= 2;
	bytes[other] ^= 1;
	assert_true(both[0] != exchanged[0] && both[1] != exchanged[1]);
}

static void check_memory(const struct progress *p)
{
	size_t used = p->machine->space->used;

	global_sees(p, 0);
	global_sees(p, used / 2);
	global_sees(p, used - 1);
	check_order(p, 0, used / 2);
}

/* While lanes wait for a lock bit: which of them do, and which bits are taken. */
static void look_at_bits(void *context)
{
	const struct gpu *gpu = context;
	const struct progress *p = gpu->machine->progress;
	const struct progress_group *g = &p->groups[0];
	const struct load_store_unit *unit = &g->core->lsu;
	struct lock_bits *bits = lock_bits_of(g->core);
	uint32_t k = 0;

	while (k < unit->operation_fresh && !(unit->operations[k].pending && unit->operations[k].group == g->group))
		k++;
	if (g->finished || k == unit->operation_fresh || looked++)
		return;
	assert_true(bits->taken_count > 0);
	sees_all(p, &unit->operations[k].lanes, 4); /* the warp has 32 */
	memory_sees(p, bits->taken);
	memory_sees(p, bits->taken + bits->count - 1);
}

/* Once, between two steps of group 0. */
static void look(void *context)
{
	const struct gpu *gpu = context;
	const struct progress *p = gpu->machine->progress;
	struct progress_group *g = &p->groups[0];
	struct group *group = g->group;
	uint32_t warps = 0;
	uint64_t print[2], other[2];

	if (!p->view.started[0] || g->finished || looked++)
		return;
	SEES(g->finished);
	SEES(g->last_slot);
	SEES(group->live_warps);
	sees_all(p, group->barriers, sizeof group->barriers);
	sees_all(p, group->shared, p->launch->group.shared_bytes);
	IGNORES(group->since);
	for (uint64_t m = group->slots; m; m &= m - 1, warps++)
		check_warp(p, &g->core->slots[__builtin_ctzll(m)]);
	assert_int_equal(warps, 3);
	check_flags(p, &g->core->slots[__builtin_ctzll(group->slots)]);
	g->finished = true; /* what it was says nothing any more */
	IGNORES(g->last_slot);
	IGNORES(group->live_warps);
	g->finished = false;
	check_memory(p);
	progress_group_print(p, 0, print);
	progress_group_print(p, 1, other);
	assert_true(print[0] != other[0]); /* it has not begun */
}

/* `between` looks between two steps; it must come to look. */
static void run(const char *kernel, uint32_t threads, void (*between)(void *context))
{
	static const char *const settings[] = {"policy.dispatch=fair", NULL};
	struct lockstep_error error;
	struct lockstep_options options = {
		.size = sizeof options, .gpu = "gtx480", .settings = settings, .mode = LOCKSTEP_FUNCTIONAL};
	struct lockstep *lockstep = lockstep_open(&options, &error);
	struct lockstep_module *module = lockstep_load(lockstep, "k.ptx", ptx, &error);
	uint64_t memory = lockstep_allocate(lockstep, 256, "memory");
	struct lockstep_launch launch = {.size = sizeof launch,
		.module = module,
		.kernel = kernel,
		.grid = {2, 1, 1},
		.block = {threads, 1, 1},
		.parameters = &memory,
		.parameter_bytes = sizeof memory};
	const struct lockstep_result *result;

	assert_non_null(module);
	looked = 0;
	lockstep->gpu.experiment.between = between;
	lockstep->gpu.experiment.between_context = &lockstep->gpu;
	result = lockstep_run(lockstep, &launch, &error);
	assert_non_null(result);
	assert_int_equal(result->outcome, LOCKSTEP_COMPLETED);
	assert_true(looked > 0);
	lockstep_close(lockstep);
}

static void what_makes_states_the_same(void **state)
{
	(void)state;
	run("k", 72, look);
}

static void lock_bits_are_part_of_states(void **state)
{
	(void)state;
	run("stops", 64, look_at_bits);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_makes_states_the_same),
		cmocka_unit_test(lock_bits_are_part_of_states),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
