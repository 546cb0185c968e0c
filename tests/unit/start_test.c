/* Room on a core for more work-groups.  A place that is used again: a group begins there as in one that was never used,
 * and when it ends the core has all back that it gave. */
#include "api/api.h" /* the parts that only the simulator sees */

#include "machine/core/group.h"
#include "machine/core/schedule.h"
#include "machine/nodes/start.h"
#include "machine/state/launch_state.h"
#include "machine/state/machine.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* What a warp and a work-group can have: both register files, one read before it is written, predicates, the carry,
 * shared and local memory, alloca, a call, a named barrier.  The last warp has 8 threads.  If it `waits`, it does so
 * for ever, so that the machine can be looked at. */
static const char ptx[] =
	".version 7.3\n.target sm_70\n.address_size 64\n"
	".func f() { ret; }\n"
	".visible .entry k(.param .u64 waits) {\n"
	" .reg .b64 %a; .reg .b32 %v, %n; .reg .pred %p;\n"
	" .shared .align 4 .b8 box[64]; .local .align 4 .b8 own[16];\n"
	" add.cc.u32 %v, %n, 1; st.shared.u32 [box], %v;\n"
	" st.local.u32 [own], %v; alloca.u64 %a, 16; call f, (); ld.param.u64 %a, [waits]; setp.ne.u64 %p, %a, 0;\n"
	" @%p bar.sync 3, 256; ret;\n}\n";

#define THREADS 72
#define WARPS 3  /* of 32 threads; 2 of 64 */
#define NUMBER 4 /* of the group that begins: (1, 1, 0) in a grid of (3, 2, 1) */
#define LATER 7  /* cycles */
#define USED_WORD 0x01010101u
#define MOST_BYTES 65536

/* Everything by which the core's parts know of a warp, and what of it is free. */
struct known {
	uint64_t ready, asleep, fresh, free_warps, used_groups, used_registers, used_shared, resident_warps;
	uint64_t free_places, free_groups; /* of the launch, on the core */
	uint64_t wants[UNIT_COUNT], waiting[WAIT_REASONS];
};

/* What there is of a group that has just begun. */
struct begun {
	struct group group;
	struct warp_slot slot[WARPS];
	uint32_t issued_pc[WARPS];
	uint8_t shared[64];
	uint8_t state[WARPS][MOST_BYTES]; /* predicates, ready times, registers, tops of stacks, paths */
	struct known known;
};

static struct begun plain, again;
static uint32_t explained;

/* ---- Members ---- */

struct member {
	const char *name;
	size_t at, bytes;
};

#define MEMBER(of, name)                                                                                               \
	{                                                                                                              \
#name, offsetof(struct of, name), sizeof((struct of *)0)->name                                         \
	}
#define GROUP(name) MEMBER(group, name)
#define SLOT(name) MEMBER(warp_slot, name)

/* Which a group that begins must set.  The others: `outstanding` is 0 at the end of each, `epoch` goes on. */
static const struct member of_group[] = {GROUP(used), GROUP(number), GROUP(signature), GROUP(since), GROUP(launch),
	GROUP(code_count), GROUP(warps), GROUP(live_warps), GROUP(threads), GROUP(live_threads), GROUP(core_launch),
	GROUP(place), GROUP(shared), GROUP(shared_at), GROUP(barriers), GROUP(barriers_used), GROUP(fencing),
	GROUP(slots), GROUP(cluster)};

/* Which a warp that begins must set.  The others are written before they are read: by a fence, the start of a turn, an
 * issue; and barrier_lanes, _bank, _predicates and waits_since by the barrier that barrier_insn names. */
static const struct member of_slot[] = {SLOT(warp.path), SLOT(warp.bank), SLOT(warp.predicates), SLOT(warp.kernel),
	SLOT(warp.divergence), SLOT(warp.registers), SLOT(warp.wide_registers), SLOT(warp.predicate_file),
	SLOT(warp.carry), SLOT(warp.carry_bits), SLOT(warp.live), SLOT(warp.full), SLOT(warp.memory), SLOT(warp.local),
	SLOT(warp.local_bytes), SLOT(warp.stack_base), SLOT(warp.stack_tops), SLOT(warp.shared),
	SLOT(warp.shared_bytes), SLOT(warp.group), SLOT(warp.first_thread), SLOT(warp.core), SLOT(warp.slot),
	SLOT(warp.lanes), SLOT(warp.launch), SLOT(group), SLOT(code), SLOT(rows), SLOT(core_launch),
	SLOT(register_ready), SLOT(predicate_ready), SLOT(bit), SLOT(hold_until), SLOT(buffered), SLOT(flush),
	SLOT(unit), SLOT(place), SLOT(used), SLOT(finished), SLOT(held), SLOT(parts), SLOT(released), SLOT(in_fence),
	SLOT(parked), SLOT(parked_for), SLOT(waiting_lanes), SLOT(barrier.insn), SLOT(register_ready_file),
	SLOT(predicate_ready_file)};

static void compare(const struct member *members, size_t count, const void *fresh, const void *used)
{
	for (size_t k = 0; k < count; k++) {
		const struct member *m = &members[k];

		if (memcmp((const char *)fresh + m->at, (const char *)used + m->at, m->bytes))
			fail_msg("%s is another in a place that was used before", m->name);
	}
}

/* ---- A group that has begun ---- */

static struct known known_of(const struct core *core, const struct core_launch *on)
{
	struct known known = {.ready = core->ready,
		.asleep = core->asleep,
		.fresh = core->fresh,
		.free_warps = core->warps.unused,
		.used_groups = core->groups.used,
		.used_registers = core->groups.registers,
		.used_shared = core->groups.shared,
		.resident_warps = core->warps.resident,
		.free_places = on->free_warps,
		.free_groups = on->free_groups};

	memcpy(known.wants, core->wants, sizeof known.wants);
	memcpy(known.waiting, core->waiting, sizeof known.waiting);
	return known;
}

static uint8_t *add(uint8_t *to, const void *from, size_t bytes)
{
	memcpy(to, from, bytes);
	return to + bytes;
}

/* Of a copy of the divergence state: the bytes behind the last member of the path, which nothing sets. */
static void clear_padding(uint8_t *state, const struct warp_slot *r)
{
	size_t at = (size_t)((const uint8_t *)r->warp.path - (const uint8_t *)r->warp.divergence);

	memset(state + at + offsetof(struct path, kind) + sizeof r->warp.path->kind, 0,
		sizeof(struct path) - offsetof(struct path, kind) - sizeof r->warp.path->kind);
}

/* What the entry function has: a frame of a call sets its own. */
static void note_state(uint8_t *to, const struct core *core, const struct warp_slot *r)
{
	const struct kernel_function *entry = &r->warp.kernel->functions[0];
	const uint8_t *from = to;
	size_t words = (size_t)entry->slot_count * r->warp.lanes;

	to = add(to, r->warp.predicate_file, entry->predicate_count * sizeof(lane_mask));
	to = add(to, r->register_ready_file, entry->slot_count * sizeof(uint64_t));
	to = add(to, r->predicate_ready_file, entry->predicate_count * sizeof(uint64_t));
	to = add(to, r->warp.registers, words * sizeof(uint32_t));
	to = add(to, r->warp.wide_registers, words * sizeof(uint32_t));
	to = add(to, r->warp.stack_tops, r->warp.lanes * sizeof(uint32_t));
	to = add(to, r->warp.divergence, core->machine->divergence->state_used(r->warp.divergence));
	clear_padding(to - core->machine->divergence->state_used(r->warp.divergence), r);
	assert_true((size_t)(to - from) <= MOST_BYTES);
}

static void note_begun(struct begun *b, const struct core *core, const struct group *group)
{
	uint32_t k = 0;

	memset(b, 0, sizeof *b);
	b->group = *group;
	memcpy(b->shared, group->shared, sizeof b->shared);
	for (uint64_t m = group->slots; m; m &= m - 1, k++) {
		const struct warp_slot *r = &core->slots[__builtin_ctzll(m)];

		b->slot[k] = *r;
		b->issued_pc[k] = core->issued_pc[__builtin_ctzll(m)];
		note_state(b->state[k], core, &core->slots[__builtin_ctzll(m)]);
	}
	b->known = known_of(core, group->core_launch);
}

/* The place of a group that has ended as that left it, at its worst.  What stays is what its end makes sure of. */
static void use_up(struct core *core, const struct group *group, uint64_t slots, int byte)
{
	struct group *used = &core->groups.at[group - core->groups.at];
	uint8_t *shared = used->shared;
	const struct core_launch *on = used->core_launch;

	memset(shared, byte, on->shared_stride);
	memset(used, byte, sizeof *used);
	memset(used->outstanding, 0, sizeof used->outstanding);
	for (; slots; slots &= slots - 1) {
		uint32_t slot = (uint32_t)__builtin_ctzll(slots);
		struct warp_slot *r = &core->slots[slot];

		memset(core_launch_warp(on, r->place), byte, on->warp_bytes);
		memset(r, byte, sizeof *r);
		r->parked = false;
		r->bit = 1ull << slot;
		core->issued_pc[slot] = (uint32_t)byte;
	}
}

static void check_residents(const struct core *core)
{
	for (uint32_t k = 0; k < core->issue.schedulers; k++)
		assert_int_equal(
			core->issue.scheduler[k].view.resident, core->issue.scheduler[k].mine & ~core->warps.unused);
}

/* Its warps end; a request of any epoch holds its place until it is answered. */
static void end_group(struct core *core, struct group *group, uint32_t epoch)
{
	const uint64_t slots = group->slots;

	core->changed = core->last_activity = core->emptied_at = 0;
	group->outstanding[epoch] = 1;
	for (uint64_t m = slots; m; m &= m - 1) {
		struct warp_slot *r = &core->slots[__builtin_ctzll(m)];

		core_unschedule(core, r);
		core->fresh &= ~r->bit;
		core->changed = 0;
		core_warp_finished(core, r);
		assert_true(r->finished && r->used);
		assert_int_equal(core->changed, r->bit);
		assert_true(group->used);
	}
	assert_int_equal(group->live_warps, 0);
	core_retire_group(core, group);
	assert_true(group->used);
	assert_int_equal(core->emptied_at, 0);
	group->outstanding[epoch] = 0;
	core_retire_group(core, group);
	assert_false(group->used);
	assert_false(core->slots[__builtin_ctzll(slots)].used);
	assert_int_equal(core->emptied_at, core->now);
	assert_int_equal(core->last_activity, core->now);
	check_residents(core);
}

static bool is_zero(const void *at, size_t bytes)
{
	for (size_t k = 0; k < bytes; k++)
		if (((const uint8_t *)at)[k])
			return false;
	return true;
}

/* Its place is its own. */
static void check_place(const struct core *core, const struct group *group, const struct known *before)
{
	const struct core_launch *on = group->core_launch;
	uint32_t index = (uint32_t)(group - core->groups.at);

	assert_int_equal(core->groups.used, 1u << index | before->used_groups);
	assert_int_equal(core->warps.unused, before->free_warps & ~group->slots);
	assert_int_equal(core->fresh, before->fresh | group->slots);
	assert_int_equal(on->free_groups, before->free_groups & ~(1ull << group->place));
	assert_int_equal(__builtin_popcountll(before->free_places & ~on->free_warps), group->warps);
	assert_int_equal(core->warps.taken & group->slots, group->slots);
	assert_int_equal(group->signature, index << 16);
	assert_ptr_equal(group->shared, on->shared + group->place * on->shared_stride);
	check_residents(core);
}

static void check_group(const struct core *core, const struct group *group)
{
	const struct launch *launch = group->core_launch->launch;

	assert_int_equal(group->number, NUMBER);
	assert_int_equal(group->launch, launch->ordinal);
	assert_int_equal(group->since, core->machine->time.cycle);
	assert_int_equal(group->code_count, launch->kernel->code_count);
	assert_int_equal(group->threads, THREADS);
	assert_int_equal(group->live_threads, THREADS);
	assert_int_equal(group->live_warps, group->warps);
	assert_int_equal(group->barriers_used, 0);
	assert_true(is_zero(group->barriers, sizeof group->barriers));
	assert_true(is_zero(group->shared, launch->group.shared_bytes));
	assert_int_equal(__builtin_popcountll(group->slots), group->warps);
}

/* The k-th of the group. */
static void check_warp(const struct core *core, const struct warp_slot *r, uint32_t k, bool is_last)
{
	const struct launch *launch = r->core_launch->launch;
	const struct core_launch *on = r->core_launch;
	const struct warp *w = &r->warp;
	const struct kernel_function *entry = &launch->kernel->functions[0];
	const uint32_t lanes = core->machine->model->warp_size;
	const lane_mask all = lanes == 64 ? ~0ull : (1ull << lanes) - 1;

	assert_int_equal(w->lanes, lanes);
	assert_int_equal(w->core, core->index);
	assert_ptr_equal(&core->slots[w->slot], r);
	assert_ptr_equal(w->carry, &w->carry_bits);
	assert_int_equal(w->first_thread, k * lanes);
	assert_int_equal(w->live, is_last ? 0xff : all);
	assert_int_equal(w->full, w->live);
	assert_int_equal(w->path->active, w->live);
	assert_int_equal(w->path->pc, entry->first_pc);
	assert_int_equal(w->local_bytes, launch->warp.stack_bytes);
	assert_int_equal(w->shared_bytes, launch->group.shared_bytes);
	assert_ptr_equal(w->local, on->locals + r->place * launch_local_bytes(launch));
	assert_ptr_equal(w->registers, core_launch_warp(on, r->place));
	assert_int_equal(w->group[0], 1);
	assert_int_equal(w->group[1], 1);
	assert_int_equal(w->group[2], 0);
	assert_int_equal(w->carry_bits, 0);
	for (uint32_t word = 0; word < entry->slot_count * lanes; word++) /* one is read before it is written */
		assert_true(w->registers[word] != USED_WORD && w->wide_registers[word] != USED_WORD);
	assert_int_equal(r->parts, 0);
	assert_true(r->used && !r->finished && !r->held && !r->in_fence && !r->released && !r->parked);
	assert_int_equal(r->hold_until, core->now + LATER);
	assert_int_equal(r->parked_for, WAIT_BARRIER);
	assert_int_equal(r->unit, launch->rows[entry->first_pc].unit);
	assert_int_equal(core->wants[r->unit] & r->bit, r->bit);
	assert_int_equal(core->issued_pc[w->slot], NOT_ISSUED);
	assert_int_equal(core->warps.arrived[w->slot], core->warps.started - (is_last ? 0 : r->group->warps - 1 - k));
	assert_true(is_zero(r->waiting_lanes, sizeof r->waiting_lanes));
	assert_true(is_zero(r->register_ready_file, entry->slot_count * sizeof(uint64_t)));
	assert_true(is_zero(r->predicate_ready_file, entry->predicate_count * sizeof(uint64_t)));
	assert_int_equal(w->predicates[0], ~0ull);
	assert_true(is_zero(w->predicate_file + 1, (entry->predicate_count - 1) * sizeof(lane_mask)));
	assert_int_equal(w->stack_tops[lanes - 1], w->local_bytes);
}

static void check_begun(const struct core *core, const struct group *group, const struct known *before)
{
	uint32_t k = 0;

	check_place(core, group, before);
	check_group(core, group);
	for (uint64_t m = group->slots; m; m &= m - 1, k++)
		check_warp(core, &core->slots[__builtin_ctzll(m)], k, k == group->warps - 1);
}

/* Begins and ends a second group of the launch, in a place that holds `byte`; -1: as it is. */
static void begin_in(struct begun *b, struct core *core, struct core_launch *on, int byte)
{
	static struct group *last;
	static uint64_t slots;
	const struct launch *launch = on->launch;
	struct known before, after;
	struct group *group;

	if (byte >= 0)
		use_up(core, last, slots, byte);
	core->issue.fetch_free = core->now; /* the first of the cycle that fetches */
	core->issue.fetches = 0;
	before = known_of(core, on);
	group = core_start_group(core, on, NUMBER, core->now + LATER);
	check_begun(core, group, &before);
	assert_int_equal(
		group->shared[launch->group.shared_bytes], byte > 0 ? byte : 0); /* another's, for all it knows */
	note_begun(b, core, group);
	last = group;
	slots = group->slots;
	for (uint32_t epoch = 0; epoch < FENCE_EPOCHS - 1; epoch++) {
		end_group(core, group, epoch);
		group = core_start_group(core, on, NUMBER, core->now + LATER);
	}
	end_group(core, group, FENCE_EPOCHS - 1);
	after = known_of(core, on);
	assert_memory_equal(&before, &after, sizeof before);
}

static void compare_warps(const struct warp_slot *a, const struct warp_slot *b)
{
	compare(of_slot, sizeof of_slot / sizeof *of_slot, a, b);
	assert_int_equal(a->path_checked, b->path_checked);
	if (a->core_launch->launch->functional) /* without time there are no fetches, and a ready warp has no reason */
		return;
	assert_int_equal(a->fetched_at, b->fetched_at);
	assert_int_equal(a->reason, b->reason);
}

/* Of the memory that the launch before had, cleared: all but what the one group of this launch here has. */
static void check_cleared(const struct core *core, const struct core_launch *on)
{
	const struct launch *launch = on->launch;
	uint32_t taken = launch->group.warps, places = launch_groups_on(launch, core->index) * taken;

	assert_true(places >= 2 * taken && core->warps.given >= taken);
	assert_true(on->expected >= taken && !on->more_warps);
	assert_true(is_zero(on->warps + taken * on->warp_bytes, (on->expected - taken) * on->warp_bytes));
	assert_true(is_zero(
		on->locals + taken * launch_local_bytes(launch), (places - taken) * launch_local_bytes(launch)));
	assert_true(is_zero(on->shared + on->shared_stride, on->shared_stride));
	assert_true(is_zero(core->slots + taken, (core->warps.count - taken) * sizeof *core->slots));
}

static void look(struct machine *machine, struct launch *launch, bool proved)
{
	struct core *core = &machine->cores.at[0];
	struct core_launch *on = launch->on[0];
	uint64_t groups = core->counters.groups_started + 1, warps = core->counters.warps_started + launch->group.warps;

	(void)proved;
	explained++;
	check_cleared(core, on);
	core_give_place(on, 0);
	core_start_group(core, on, NUMBER + 1, core->now); /* so that what two groups have is in use beside the third */
	core_give_place(on, 0);
	begin_in(&plain, core, on, -1); /* the code's line is there from now on */
	assert_int_equal(core->counters.groups_started, groups + FENCE_EPOCHS);
	assert_int_equal(core->counters.warps_started, warps + FENCE_EPOCHS * launch->group.warps);
	begin_in(&plain, core, on, 0);
	begin_in(&again, core, on, 1);
	compare(of_group, sizeof of_group / sizeof *of_group, &plain.group, &again.group);
	for (uint32_t k = 0; k < launch->group.warps; k++)
		compare_warps(&plain.slot[k], &again.slot[k]);
	assert_memory_equal(plain.issued_pc, again.issued_pc, sizeof plain.issued_pc);
	assert_memory_equal(plain.state, again.state, sizeof plain.state);
	assert_memory_equal(plain.shared, again.shared, sizeof plain.shared);
	assert_memory_equal(&plain.known, &again.known, sizeof plain.known);
}

static void a_place_is_used_again(void **state)
{
	(void)state;
	static const char *const gpus[] = {"gtx480", "v100", "radeon-r9"};

	for (uint32_t k = 0; k < 6; k++) {
		struct lockstep_error error;
		struct lockstep_options options = {.size = sizeof options,
			.gpu = gpus[k / 2],
			.mode = k & 1 ? LOCKSTEP_FUNCTIONAL : LOCKSTEP_TIMING,
			.profile = k == 2,
			.max_cycles = 100000};
		struct lockstep *lockstep = lockstep_open(&options, &error);
		struct lockstep_module *module = lockstep_load(lockstep, "k.ptx", ptx, &error);
		uint64_t waits = 0;
		struct lockstep_launch launch = {.size = sizeof launch,
			.module = module,
			.kernel = "k",
			.grid = {40, 20, 1},
			.block = {THREADS, 1, 1},
			.parameters = &waits,
			.parameter_bytes = sizeof waits};
		const struct lockstep_result *result;

		assert_non_null(module);
		lockstep->gpu.explain = look;
		explained = 0;
		result = lockstep_run(lockstep, &launch, &error);
		assert_non_null(result);
		assert_int_equal(result->outcome, LOCKSTEP_COMPLETED);
		waits = 1;
		launch.grid[0] = 3;
		launch.grid[1] = 2;
		result = lockstep_run(lockstep, &launch, &error);
		assert_non_null(result);
		assert_int_equal(result->outcome, LOCKSTEP_HANG);
		assert_int_equal(explained, 1);
		lockstep_close(lockstep);
	}
}

/* ---- Starts that the seed draws ---- */

#define DRAWS 400

/* How much later than told the warps of a group start, the group ending at once. */
static void starts_of(struct core *core, struct core_launch *on, uint32_t number, uint64_t later[WARPS])
{
	struct group *group;
	uint32_t k = 0;

	core_give_place(on, 0);
	group = core_start_group(core, on, number, core->now + LATER);
	for (uint64_t m = group->slots; m; m &= m - 1) {
		const struct warp_slot *r = &core->slots[__builtin_ctzll(m)];
		uint64_t told = r->fetched_at > core->now + LATER ? r->fetched_at : core->now + LATER;

		later[k++] = r->hold_until > told ? r->hold_until - told : 0;
	}
	assert_int_equal(k, WARPS);
	end_group(core, group, 0);
}

struct starts {
	uint64_t later[DRAWS][WARPS];
};

static void draw(struct machine *machine, uint64_t seed, uint32_t jitter, uint32_t warp_jitter, struct starts *starts)
{
	machine->seed = seed;
	machine->time.delays.dispatch_jitter = jitter;
	machine->time.delays.dispatch_warp_jitter = warp_jitter;
	for (uint32_t k = 0; k < DRAWS; k++)
		starts_of(&machine->cores.at[0], machine->cores.at[0].groups.at[0].core_launch->launch->on[0], k,
			starts->later[k]);
}

/* Every delay up to `most` occurs, and none above. */
static void check_range(const struct starts *starts, uint64_t most)
{
	bool seen[32] = {false};

	for (uint32_t k = 0; k < DRAWS; k++)
		for (uint32_t w = 0; w < WARPS; w++) {
			assert_true(starts->later[k][w] <= most);
			seen[starts->later[k][w]] = true;
		}
	for (uint64_t delay = 0; delay <= most; delay++)
		assert_true(seen[delay]);
}

/* How many of `a` are those of `b`, `ahead` groups before. */
static uint32_t count_same(const struct starts *a, const struct starts *b, uint32_t ahead)
{
	uint32_t same = 0;

	for (uint32_t k = 0; k + ahead < DRAWS; k++)
		same += a->later[k + ahead][0] == b->later[k][0];
	return same;
}

static void look_at_starts(struct machine *machine, struct launch *launch, bool proved)
{
	static struct starts a, b;
	uint32_t apart = 0;

	(void)launch;
	(void)proved;
	explained++;
	draw(machine, 1, 0, 0, &a);
	check_range(&a, 0);
	draw(machine, 1, 7, 0, &a);
	check_range(&a, 7);
	for (uint32_t k = 0; k < DRAWS; k++)
		for (uint32_t w = 1; w < WARPS; w++)
			assert_int_equal(a.later[k][w], a.later[k][0]);
	draw(machine, 1, 7, 0, &b);
	assert_memory_equal(&a, &b, sizeof a);
	/* One in eight is the same by chance, whichever groups are compared. */
	draw(machine, 2, 7, 0, &b);
	for (uint32_t ahead = 0; ahead < 3; ahead++)
		assert_in_range(count_same(&a, &b, ahead), 25, 80);
	draw(machine, 1, 0, 4, &a);
	check_range(&a, 4);
	for (uint32_t k = 0; k < DRAWS; k++)
		apart += a.later[k][0] != a.later[k][1] || a.later[k][1] != a.later[k][2];
	assert_in_range(apart, DRAWS / 2, DRAWS - 1);
	draw(machine, 1, 7, 4, &b);
	check_range(&b, 7 + 4);
	machine->time.delays.dispatch_jitter = machine->time.delays.dispatch_warp_jitter = 0;
}

static void starts_vary_with_the_seed(void **state)
{
	(void)state;
	struct lockstep_error error;
	struct lockstep_options options = {.size = sizeof options, .gpu = "gtx480", .max_cycles = 100000};
	struct lockstep *lockstep = lockstep_open(&options, &error);
	struct lockstep_module *module = lockstep_load(lockstep, "k.ptx", ptx, &error);
	uint64_t waits = 1;
	struct lockstep_launch launch = {.size = sizeof launch,
		.module = module,
		.kernel = "k",
		.grid = {3, 2, 1},
		.block = {THREADS, 1, 1},
		.parameters = &waits,
		.parameter_bytes = sizeof waits};

	assert_non_null(module);
	lockstep->gpu.explain = look_at_starts;
	explained = 0;
	assert_non_null(lockstep_run(lockstep, &launch, &error));
	assert_int_equal(explained, 1);
	lockstep_close(lockstep);
}

/* ---- Room beside the groups of other launches ---- */

struct taken {
	uint32_t groups, warps, registers, shared; /* of the core, by all launches */
	uint32_t own;                              /* groups, of this launch */
};

/* A core has the same room if all groups but the launch's own are promised to it, in two parts, and it is not made yet.
 */
static void check_promised(struct launch *launch, const struct taken *taken, uint32_t room)
{
	struct machine *machine = launch->machine;
	struct core before = machine->cores.at[2];
	struct launch others[2] = {{.group = {.warps = taken->warps}},
		{.group = {.registers = taken->registers, .shared = taken->shared}}};
	struct core_launch on[2] = {{.launch = &others[0]}, {.launch = &others[1]}};
	struct core_start starts[2] = {{.on = &on[0], .next = 2}, {.on = &on[1]}};

	if (taken->groups - taken->own < 2)
		return;
	machine->cores.at[2].groups.used >>= 2;
	machine->cores.at[2].groups.registers = machine->cores.at[2].groups.shared = 0;
	machine->cores.at[2].warps.resident = 0;
	machine->cores.at[2].machine = NULL;
	machine->cores.starts.at = starts;
	machine->cores.starts.count = 2;
	machine->cores.starts_on[2] = (struct core_starts){1, 2};
	assert_int_equal(core_free_groups(launch, 2), room);
	machine->cores.starts_on[2] = (struct core_starts){0};
	machine->cores.starts.count = 0;
	machine->cores.at[2] = before;
}

/* Of a core for 16 groups, 48 warps, 32,768 registers and 48 KiB of shared memory, for a launch of 8 groups a core. */
static uint32_t room_of(const struct taken *taken, uint32_t warps, uint32_t registers, uint32_t shared)
{
	struct gpu_model model = {.core_count = 4,
		.core_groups = 16,
		.core_warps = 48,
		.core_registers = 32768,
		.core_shared = 49152,
		.lesser_shared = 49152};
	struct machine machine = {.model = &model};
	struct core_launch own = {.free_groups = (0xffu << taken->own) & 0xff},
			   *on[4] = {[2] = taken->own ? &own : NULL};
	struct launch launch = {.machine = &machine,
		.on = on,
		.group = {
			.warps = warps, .registers = registers, .shared = shared, .per_core = 8, .per_lesser_core = 5}};
	struct core *cores = aligned_alloc(64, 4 * sizeof *cores), *core = &cores[2];
	struct core_starts starts_on[4] = {0};
	uint32_t room;

	memset(cores, 0, 4 * sizeof *cores);
	machine.cores.at = cores;
	machine.cores.starts_on = starts_on;
	machine.cores.count = 4;
	machine.cores.used[0] = 1 << 2;
	core->index = 2;
	core->machine = &machine;
	core->groups.count = 16;
	core->groups.used = (1ull << taken->groups) - 1;
	core->groups.registers = taken->registers;
	core->groups.shared = taken->shared;
	core->warps.count = 48;
	core->warps.resident = taken->warps;
	room = core_free_groups(&launch, 2);
	check_promised(&launch, taken, room);
	launch.kept = 1; /* the last core */
	assert_int_equal(core_free_groups(&launch, 2), room);
	launch.kept = 2;
	if (!taken->own)
		assert_int_equal(core_free_groups(&launch, 2), 0);
	launch.kept = 0;
	model.lesser_cores = 2;
	if (taken->own <= 5) {
		own.free_groups &= 0x1f;
		assert_int_equal(core_free_groups(&launch, 2), room < 5 - taken->own ? room : 5 - taken->own);
	}
	core->stopped = true;
	assert_int_equal(core_free_groups(&launch, 2), 0);
	free(cores);
	return room;
}

static void room_beside_other_launches(void **state)
{
	(void)state;
	static const struct {
		struct taken taken;
		uint32_t warps, registers, shared; /* of a group */
		uint32_t room;
	} rows[] = {
		{{0, 0, 0, 0, 0}, 4, 4096, 1000, 8},            /* alone: what the launch may have on a core */
		{{3, 48, 32768, 49152, 3}, 16, 8192, 20000, 5}, /* likewise, the rest of it */
		{{2, 8, 8192, 2000, 0}, 4, 2048, 1000, 8},
		{{2, 8, 8192, 2000, 0}, 4, 4096, 1000, 6}, /* (32768 - 8192) / 4096 */
		{{2, 8, 8193, 2000, 0}, 4, 4096, 1000, 5},
		{{2, 8, 32768, 2000, 0}, 4, 4096, 1000, 0},
		{{2, 8, 40000, 2000, 0}, 4, 4096, 1000, 0},
		{{2, 8, 32767, 2000, 0}, 4, 0, 1000, 8},    /* who takes none has room beside all but all */
		{{2, 36, 8192, 2000, 0}, 4, 2048, 1000, 3}, /* (48 - 36) / 4 */
		{{2, 37, 8192, 2000, 0}, 4, 2048, 1000, 2},
		{{2, 8, 8192, 46152, 0}, 4, 2048, 1000, 3},
		{{2, 8, 8192, 46153, 0}, 4, 2048, 1000, 2},
		{{2, 8, 8192, 46152, 0}, 4, 2048, 0, 8},
		{{14, 8, 8192, 2000, 0}, 4, 2048, 1000, 2}, /* places */
		{{5, 20, 8192, 2000, 3}, 4, 2048, 1000, 5}, /* 3 of them are its own */
		{{5, 44, 8192, 2000, 3}, 4, 2048, 1000, 1},
		{{11, 44, 8192, 2000, 8}, 4, 2048, 1000, 0},
	};

	for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
		assert_int_equal(
			room_of(&rows[k].taken, rows[k].warps, rows[k].registers, rows[k].shared), rows[k].room);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_place_is_used_again),
		cmocka_unit_test(starts_vary_with_the_seed),
		cmocka_unit_test(room_beside_other_launches),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
