/* Running a launch again, its parts one by one: what shows that it gets further, by hand from counts; turns by chance,
 * by hand from the numbers drawn; threads that hold locks, and launches beside each other. */
#include "api/api.h" /* the parts that only the simulator sees */
#include "machine/observe/show.h"

#include "explore/again_change.c"
#include "explore/again_evidence.c"
#include "explore/again_turns.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

/* ---- Evidence ---- */

#define CODE 8

static const struct machine_mode counts_issues;

/* A machine that hangs with two launches of a kernel of 8 instructions, and the one on which they run again. */
static struct scene {
	struct kernel kernel;
	struct watch watch;
	struct warp_slot slots[4];
	struct core core;
	struct machine machine, now_machine;
	struct launch launch, other, now;
	struct core_launch on, on_other, on_now;
	struct core_launch *ons[1], *ons_now[1];
	struct issue_count issued[CODE], issued_now[CODE];
	struct again again;
} scene;

static void set_scene(void)
{
	struct scene *s = &scene;

	memset(s, 0, sizeof *s);
	s->kernel.code_count = CODE;
	s->core.attached.observers = 1u << OBSERVER_watch;
	s->core.attached.state[OBSERVER_watch] = &s->watch;
	s->core.warps.count = 4;
	s->core.slots = s->slots;
	s->machine = (struct machine){
		.mode = &counts_issues, .cores.at = &s->core, .cores.count = 1, .launches.first = &s->launch};
	s->now_machine = (struct machine){.cores.at = &s->core, .cores.count = 1, .launches.first = &s->now};
	s->ons[0] = &s->on;
	s->ons_now[0] = &s->on_now;
	s->launch = (struct launch){.machine = &s->machine, .kernel = &s->kernel, .on = s->ons, .used = &s->on};
	s->now =
		(struct launch){.machine = &s->now_machine, .kernel = &s->kernel, .on = s->ons_now, .used = &s->on_now};
	s->on = (struct core_launch){.launch = &s->launch, .issued = s->issued};
	s->on_now = (struct core_launch){.launch = &s->now, .issued = s->issued_now};
	s->on_other.launch = &s->other;
	s->again.gpu.machine = &s->now_machine;
	for (uint32_t k = 0; k < 4; k++)
		s->slots[k].core_launch = &s->on;
}

/* More by a quarter and 1024: of a few turns more or less nothing follows. */
static void clearly_more_is_more_by_a_quarter_and_1024(void **state)
{
	(void)state;
	assert_false(is_clearly_more(1024, 0));
	assert_true(is_clearly_more(1025, 0));
	assert_false(is_clearly_more(4000 + 1000 + 1024, 4000));
	assert_true(is_clearly_more(4000 + 1000 + 1025, 4000));
}

static void the_code_that_warps_go_through_again_and_again_is_waiting(void **state)
{
	const bool expected[CODE] = {[2] = true, [3] = true, [7] = true};
	bool waits[CODE] = {false};
	struct watched_warp *w = scene.watch.warps;

	(void)state;
	set_scene();
	w[0] = (struct watched_warp){.state = WATCH_BACK, .first_pc = 2, .last_pc = 3};
	w[1] = (struct watched_warp){.state = WATCH_MOVING, .first_pc = 5, .last_pc = 5};
	w[2] = (struct watched_warp){.state = WATCH_BACK, .first_pc = 6, .last_pc = 6};
	scene.slots[2].core_launch = &scene.on_other;
	w[3] = (struct watched_warp){.state = WATCH_BACK, .first_pc = 7, .last_pc = 7};
	mark_waits(&scene.machine, &scene.launch, waits);
	assert_memory_equal(waits, expected, sizeof waits);
}

static void what_is_issued_outside_of_waiting_is_further(void **state)
{
	(void)state;
	set_scene();
	scene.watch.warps[0] = (struct watched_warp){.state = WATCH_BACK, .first_pc = 2, .last_pc = 3};
	for (uint32_t k = 0; k < 4; k++)
		scene.issued[k].lanes = scene.issued_now[k].lanes = 32;
	assert_false(again_is_further(&scene.again, &scene.machine));
	scene.issued_now[2].lanes = scene.issued_now[3].lanes = 100000;
	assert_false(again_is_further(&scene.again, &scene.machine));
	scene.issued_now[1].lanes = 32 + 64 / 4 + 1024;
	assert_false(again_is_further(&scene.again, &scene.machine));
	scene.issued_now[1].lanes++;
	assert_true(again_is_further(&scene.again, &scene.machine));
	scene.machine.mode = &(struct machine_mode){.counts_blocks = true};
	assert_false(again_is_further(&scene.again, &scene.machine));
	scene.machine.mode = &counts_issues;
	scene.now.kernel = &(struct kernel){.code_count = CODE}; /* or of another kernel */
	assert_false(again_is_further(&scene.again, &scene.machine));
	scene.now.kernel = &scene.kernel;
	scene.now_machine.launches.first = NULL;
	assert_false(again_is_further(&scene.again, &scene.machine));
	scene.now_machine.launches.first = &scene.now;
	scene.again.gpu.machine = NULL;
	assert_false(again_is_further(&scene.again, &scene.machine));
	scene.again.gpu.machine = &scene.now_machine;
	assert_true(again_is_further(&scene.again, &scene.machine));
	scene.issued_now[1].lanes = 32;
	scene.issued_now[4].lanes = 1; /* where no lane had been */
	assert_true(again_is_further(&scene.again, &scene.machine));
}

static void leaving_is_what_was_not_seen_while_it_hung(void **state)
{
	uint64_t issued[CODE] = {0};
	bool waits[CODE] = {[2] = true};
	struct counters *had = &scene.core.counters;

	(void)state;
	set_scene();
	scene.again.waits = waits;
	scene.again.issued = issued;
	assert_false(again_left_waits(&scene.again));
	scene.issued_now[2].lanes = 32;
	assert_false(again_left_waits(&scene.again));
	scene.issued_now[3].lanes = 32;
	assert_true(again_left_waits(&scene.again));
	assert_false(again_left_waits(&scene.again)); /* since the last call */
	had->lock_success++;
	assert_true(again_left_waits(&scene.again));
	assert_false(again_left_waits(&scene.again));
	had->wait_success++;
	assert_true(again_left_waits(&scene.again));
	scene.again.waits_succeed = true; /* they did so while it hung, too */
	had->wait_success++;
	had->lock_success++;
	assert_false(again_left_waits(&scene.again));
	scene.issued_now[3].lanes++;
	assert_true(again_left_waits(&scene.again));
	scene.now_machine.launches.first = NULL; /* all have ended */
	assert_true(again_left_waits(&scene.again));
}

/* The waits are those of the first launch: that one has ended when the kernel in its place is another. */
static void the_first_launch_has_left_its_waits_when_it_has_ended(void **state)
{
	uint64_t issued[CODE] = {0};
	bool waits[CODE] = {[2] = true};
	struct kernel other = {.code_count = CODE};

	(void)state;
	set_scene();
	scene.again.machine = &scene.machine;
	scene.again.waits = waits;
	scene.again.issued = issued;
	scene.issued_now[2].lanes = 32;
	assert_false(again_first_left_waits(&scene.again));
	scene.now.kernel = &other;
	assert_true(again_first_left_waits(&scene.again));
	scene.now.kernel = &scene.kernel;
	scene.again.ended = true;
	assert_true(again_first_left_waits(&scene.again));
	scene.again.ended = false;
	scene.issued_now[3].lanes = 32;
	assert_true(again_first_left_waits(&scene.again));
	scene.again.gpu.machine = NULL;
	assert_true(again_first_left_waits(&scene.again));
}

/* ---- A launch that hangs ---- */

/* All threads wait until a word is set that none sets; were it set to 2, they would fault. */
static const char ptx[] = ".version 7.0\n.target sm_70\n.address_size 64\n"
			  ".visible .entry wait(.param .u64 memory) {\n"
			  " .shared .align 4 .b8 s[8];\n"
			  " .reg .b64 %a; .reg .b32 %v, %t; .reg .pred %p;\n"
			  " ld.param.u64 %a, [memory]; mov.u32 %t, %tid.x; mov.u32 %v, 0; st.shared.u32 [s], %v;\n"
			  "again: ld.global.u32 %v, [%a]; setp.eq.u32 %p, %v, 0; @%p bra again;\n"
			  " setp.eq.u32 %p, %v, 1; @%p ret; mov.u64 %a, 16; st.global.u32 [%a], 1; ret;\n}\n";

#define WORDS 128
#define THREADS 64 /* of a group: 2 warps */
#define LAUNCHES_MOST 16

static struct lockstep *lockstep;
static uint64_t address;
static uint64_t word_at; /* of the word that they wait for, in bytes behind `address` */
static void (*looks)(struct machine *machine);
static uint32_t looked;

static uint32_t *memory(void)
{
	return space_host(&lockstep->gpu.space, address);
}

static void look(struct machine *machine, struct launch *launch, bool proved)
{
	(void)launch;
	(void)proved;
	looked++;
	looks(machine);
}

static void look_at_hang(void (*how)(struct machine *machine), enum lockstep_mode mode, uint32_t launches)
{
	const char *settings[] = {"policy.divergence=independent", NULL};
	struct lockstep_error error;
	struct lockstep_options options = {.size = sizeof options, .gpu = "gtx480", .settings = settings, .mode = mode};

	lockstep = lockstep_open(&options, &error);
	struct lockstep_module *module = lockstep_load(lockstep, "k.ptx", ptx, &error);
	assert_non_null(module);
	lockstep->gpu.experiment.keeps_start = true;
	lockstep->gpu.explain = look;
	looks = how;
	looked = 0;
	address = lockstep_allocate(lockstep, WORDS * sizeof(uint32_t), "memory");
	memset(memory(), 0, WORDS * sizeof(uint32_t));
	uint64_t word = address + word_at;
	struct lockstep_launch launch = {.size = sizeof launch,
		.module = module,
		.kernel = "wait",
		.grid = {2, 1, 1},
		.block = {THREADS, 1, 1},
		.parameters = &word,
		.parameter_bytes = sizeof word};
	for (uint32_t k = 0; k < launches; k++)
		assert_int_not_equal(lockstep_start(lockstep, &launch, &error), 0);
	for (uint32_t k = 0; k < launches; k++)
		assert_int_equal(lockstep_finish(lockstep)->outcome, LOCKSTEP_HANG);
	assert_true(looked > 0);
	lockstep_close(lockstep);
}

static struct again_limits until(uint64_t cycles)
{
	return (struct again_limits){.cycles = cycles, .until = again_clock() + 60};
}

/* The first warp of group 0 of what runs again, which goes through its loop. */
static struct warp_slot *go_until_it_waits(struct again *again, struct core **core)
{
	uint32_t lane;
	struct warp_slot *r;

	assert_int_equal(again_run(again, until(2000000)), AGAIN_HANGS);
	r = again_find_thread(again, &(struct change){.thread = 3}, core, &lane);
	assert_non_null(r);
	assert_int_equal(lane, 3);
	return r;
}

/* ---- Turns by chance ---- */

/* A state from which the first number drawn is `draws` modulo `of`, the second not 0. */
static uint64_t seed_for(uint64_t draws, uint64_t of)
{
	for (uint64_t seed = 1;; seed++) {
		uint64_t s = seed, drawn = splitmix64(&s) % of;

		if (drawn == draws && splitmix64(&s) % 16)
			return seed;
	}
}

static uint64_t after_one(uint64_t seed)
{
	splitmix64(&seed);
	return seed;
}

struct places {
	uint32_t pcs[64];
	lane_mask seen;
};

static void note_place(void *context, uint32_t pc, lane_mask lanes, const char *waiting)
{
	struct places *p = context;

	(void)waiting;
	p->seen |= lanes;
	for (lane_mask m = lanes; m; m &= m - 1)
		p->pcs[__builtin_ctzll(m)] = pc;
}

static struct places places_of(const struct core *core, const struct warp_slot *r)
{
	struct places p = {.seen = 0};

	core->machine->divergence->each_path(r->warp.divergence, note_place, &p);
	assert_int_equal(p.seen, r->warp.live);
	return p;
}

/* Nothing is done to the warp, but that a number is drawn. */
static void expect_left_alone(
	struct again *again, struct core *core, struct warp_slot *r, lane_mask *held, uint64_t draws)
{
	lane_mask active = r->warp.path->active, was_held = *held;
	uint64_t seed = again->random = seed_for(draws, 16);

	hold_path(again, core, r, held);
	assert_int_equal(again->random, after_one(seed));
	assert_int_equal(r->warp.path->active, active);
	assert_int_equal(*held, was_held);
}

static void hold_paths(struct machine *machine)
{
	struct again *again = again_begin(machine, NULL, NULL);
	struct core *core;
	struct warp_slot *r = go_until_it_waits(again, &core);
	struct places before, after;
	lane_mask held = 0, active;
	uint64_t seed;
	uint8_t buffered = r->buffered;

	again_shuffle(again, 7);
	assert_int_equal(again->random, 7);
	assert_int_equal(r->warp.path->active, 0xffffffff); /* so far all lanes have run together */
	/* What must complete first does so, with all lanes together */
	r->held = true;
	expect_left_alone(again, core, r, &held, 0);
	r->held = false;
	r->parked = true;
	expect_left_alone(again, core, r, &held, 0);
	r->parked = false;
	r->in_fence = true;
	expect_left_alone(again, core, r, &held, 0);
	r->in_fence = false;

	r->buffered = 1;
	r->warp.path->active = 1; /* of one lane some are none or all */
	for (uint64_t all = 0; all < 2; all++) {
		again->random = seed_for(all, 2);
		split_path(again, core, r);
		assert_int_equal(r->buffered, 1);
	}
	r->warp.live = 1; /* nor is one lane alone put aside */
	expect_left_alone(again, core, r, &held, 0);
	r->warp.live = r->warp.path->active = 0xffffffff;
	r->buffered = buffered;

	before = places_of(core, r);
	again->random = seed = seed_for(9, 16);
	hold_path(again, core, r, &held);
	splitmix64(&seed);
	active = splitmix64(&seed) & 0xffffffff;
	assert_int_equal(again->random, seed);
	assert_int_equal(held, 0);
	assert_true(r->warp.path->active == active || r->warp.path->active == (0xffffffff & ~active));

	active = r->warp.path->active;
	expect_left_alone(again, core, r, &held, 4); /* held in four of sixteen */
	expect_left_alone(again, core, r, &held, 8);
	again->random = seed_for(3, 16);
	core->ready |= r->bit; /* it was, and now sleeps, to be where it would not be left by chance */
	r->hold_until = core->now + 50;
	r->buffered = 1; /* of a path that is held: other instructions are fetched */
	hold_path(again, core, r, &held);
	assert_int_not_equal(r->buffered, 1);
	assert_true(machine->functional || !(core->ready & r->bit));
	assert_int_equal(held, active);
	assert_int_equal(r->warp.path->active, 0xffffffff & ~active);
	expect_left_alone(again, core, r, &held, 1); /* let go in one of sixteen */
	expect_left_alone(again, core, r, &held, 2);
	expect_left_alone(again, core, r, &held, 8);
	again->random = seed_for(0, 16);
	core->ready |= r->bit;
	r->hold_until = core->now + 50;
	hold_path(again, core, r, &held);
	assert_true(machine->functional || !(core->ready & r->bit));
	assert_int_equal(held, 0);
	after = places_of(core, r); /* each lane where it was: no instruction left out or done twice */
	assert_memory_equal(before.pcs, after.pcs, 32 * sizeof *before.pcs);
	again_end(again);
}

/* A state from which the first warp of a core gets the longest delay and lets nothing go, and the second puts nothing
 * aside. */
static uint64_t seed_of_delay(void)
{
	for (uint64_t seed = 1;; seed++) {
		uint64_t s = seed, delay = splitmix64(&s) % AGAIN_DELAY, lets_go = splitmix64(&s) % 16, other;

		(void)splitmix64(&s); /* its delay */
		other = splitmix64(&s) % 16;
		if (delay == AGAIN_DELAY - 1 && lets_go && other > 4)
			return seed;
	}
}

static void delay_warps(struct machine *machine)
{
	struct again *again = again_begin(machine, NULL, NULL);
	struct core *core;
	struct warp_slot *r = go_until_it_waits(again, &core);
	uint64_t before, seed;
	lane_mask *held;

	assert_ptr_equal(r, &core->slots[0]);
	again_shuffle(again, 7);
	held = &again->held[core->index * CORE_WARPS];
	again->gpu.machine->rounds = 15;
	again->gpu.experiment.between_holds = true;
	shuffle(again);
	assert_int_equal(again->random, 7); /* only every seventh time */
	assert_true(again->gpu.experiment.between_holds);
	again->gpu.machine->rounds = 14;
	seed = again->random = 5;
	shuffle(again);
	assert_int_equal(again->model.yield_interval, 1 + splitmix64(&seed) % 256);
	assert_int_equal(again->model.functional_turn, 1 + splitmix64(&seed) % 256);
	assert_false(
		again->gpu.experiment.between_holds); /* each warp had all its lanes together: nothing to put aside */

	held[0] = held[2] = 1;
	assert_true(core->warps.unused >> 2 & 1); /* whose warp has ended */
	again->random = seed_of_delay();
	before = r->hold_until;
	assert_true(shuffle_core(again, core));
	assert_int_equal(held[0], 1);
	assert_int_equal(held[1], 0);
	assert_int_equal(held[2], 0);
	assert_int_equal(r->hold_until, machine->functional ? before : core->now + AGAIN_DELAY - 1);
	again_end(again);
}

/* ---- Locks ---- */

static uint32_t quanta;

static void release_in_the_third(void *context)
{
	struct warp_locks *locks = context;

	if (++quanta == 3)
		locks->held = 0;
}

static struct warp_slot *going;
static struct core *going_on;

static void end_in_the_third(void *context)
{
	(void)context;
	if (++quanta == 3)
		control_end_lanes(going_on, going, 1 << 5);
}

static void give_locks(struct machine *machine)
{
	bool held_locks;
	struct again *again = again_begin(machine, NULL, NULL);
	struct core *core;
	struct warp_slot *r = go_until_it_waits(again, &core);
	uint32_t *shared = (uint32_t *)(void *)r->group->shared;
	struct warp_locks *locks = (struct warp_locks *)(uintptr_t)locks_of(core, r);

	assert_int_equal(r->group->core_launch->launch->group.shared_bytes, 8);
	assert_true(again_word(again, &(struct change){.space = space_SHARED, .bytes = 4, .address = 4}, 0));
	assert_false(again_word(again, &(struct change){.space = space_SHARED, .bytes = 8, .address = 4}, 0));
	assert_false(again_word(again, &(struct change){.space = space_SHARED, .bytes = 4, .address = 5}, 0));
	assert_false(
		again_word(again, &(struct change){.space = space_SHARED, .bytes = 4, .address = 4, .group = 2}, 0));
	assert_false(again_word(again, &(struct change){.space = space_GLOBAL, .bytes = 4, .address = 16}, 0));
	assert_false(holds_lock(core, r, 0));
	locks->held = 3;
	locks->at[0] = (struct held_lock){.address = address + 4, .lane = 0};
	locks->at[1] = (struct held_lock){.address = address + 8, .lane = 3};
	locks->at[2] = (struct held_lock){.address = 4, .lane = 3};
	assert_true(holds_lock(core, r, 0));
	assert_false(holds_lock(core, r, 1));
	assert_true(holds_lock(core, r, 3));
	memory()[1] = memory()[2] = shared[1] = 1;
	assert_false(
		again_remove_thread(again, &(struct change){.thread = 3}, &held_locks)); /* it never gives them back */
	assert_int_equal(r->warp.live, 0xffffffff);
	r->group->launch += 2; /* the word in shared memory is that of its own launch and group */
	r->group->number += 5;
	release_locks(again, core, r, 1 << 3);
	r->group->launch -= 2;
	r->group->number -= 5;
	assert_int_equal(memory()[1], 1); /* lane 0's */
	assert_int_equal(memory()[2], 0);
	assert_int_equal(shared[1], 0);
	locks->held = 0;
	assert_true(again_remove_thread(again, &(struct change){.thread = 3}, &held_locks));
	assert_int_equal(r->warp.live, 0xffffffff & ~8u);
	locks->held = 1; /* lane 0's, which it gives back a little later */
	again->gpu.experiment.between = release_in_the_third;
	again->gpu.experiment.between_context = locks;
	quanta = 0;
	assert_true(again_remove_thread(again, &(struct change){.thread = 0}, &held_locks));
	assert_int_equal(quanta, 3);
	assert_int_equal(r->warp.live, 0xffffffff & ~9u);
	locks->held = 1; /* lane 0's, who has ended; then lane 5's, who ends by itself a little later */
	locks->at[0].lane = 5;
	going = r;
	going_on = core;
	again->gpu.experiment.between = end_in_the_third;
	quanta = 0;
	assert_false(again_remove_thread(again, &(struct change){.thread = 5}, &held_locks));
	assert_int_equal(quanta, 3);
	again_end(again);
}

/* An attempt is under way while memory has not answered an atomic whose result is used, or a lock instruction. */
static void attempts_are_those_under_way(void **state)
{
	static struct core core;
	struct insn insn = {.kind = INSN_ATOMIC};
	struct operation operations[3] = {[1] = {.insn = &insn, .slot = &scene.slots[1], .lanes = 5, .pending = 1}};

	(void)state;
	set_scene();
	core.lsu.operations = operations;
	core.lsu.operation_fresh = 2; /* the third was never used */
	assert_true(tries_for_lock(&core, &scene.slots[1], 0));
	assert_false(tries_for_lock(&core, &scene.slots[1], 1));
	assert_true(tries_for_lock(&core, &scene.slots[1], 2));
	assert_false(tries_for_lock(&core, &scene.slots[0], 0));
	insn.flags = INSN_NO_RESULT;
	assert_false(tries_for_lock(&core, &scene.slots[1], 0));
	insn.kind = INSN_ACQUIRE;
	assert_true(tries_for_lock(&core, &scene.slots[1], 0));
	insn.kind = INSN_LOAD_LOCK;
	assert_true(tries_for_lock(&core, &scene.slots[1], 0));
	insn.kind = INSN_LOAD;
	insn.flags = 0;
	assert_false(tries_for_lock(&core, &scene.slots[1], 0));
	insn.kind = INSN_ATOMIC;
	operations[1].pending = 0;
	assert_false(tries_for_lock(&core, &scene.slots[1], 0));
	operations[0] = (struct operation){.insn = &insn, .slot = &scene.slots[1], .lanes = 5, .pending = 1};
	assert_true(tries_for_lock(&core, &scene.slots[1], 0));
	operations[0].pending = 0;
	operations[2] = (struct operation){.insn = &insn, .slot = &scene.slots[1], .lanes = 5, .pending = 1};
	assert_false(tries_for_lock(&core, &scene.slots[1], 0));
}

/* Ends all that are in the loop of a thread, warp by warp, and gives back what they hold.  The first warp of group 0 is
 * elsewhere, and holds a lock, too. */
static void end_loop(struct machine *machine)
{
	struct again *again = again_begin(machine, NULL, NULL);
	struct core *core;
	struct warp_slot *r = go_until_it_waits(again, &core), *next = NULL;
	struct watch *watch = (struct watch *)(uintptr_t)watch_of(core);
	struct warp_locks *locks, *others = (struct warp_locks *)(uintptr_t)locks_of(core, r);
	const struct group *group = r->group;
	struct core *core_of_other;
	uint32_t elsewhere = 0;

	for (uint64_t m = group->slots; m; m &= m - 1)
		if (&core->slots[__builtin_ctzll(m)] != r)
			next = &core->slots[__builtin_ctzll(m)];
	assert_non_null(next);
	locks = (struct warp_locks *)(uintptr_t)locks_of(core, next);
	locks->held = others->held = 1;
	assert_int_equal(address, GLOBAL_BASE); /* the first byte is of global memory, too */
	locks->at[0] = (struct held_lock){.address = address, .lane = 9};
	others->at[0] = (struct held_lock){.address = address + 8, .lane = 9};
	memory()[0] = memory()[2] = 1;
	while (elsewhere < watch->warps[core_slot(core, next)].first_pc && elsewhere == r->warp.path->pc)
		elsewhere++;
	r->warp.path->pc = elsewhere; /* in front of the loop */
	assert_non_null(find_group(again, &(struct change){.group = 1}, &core_of_other));
	assert_int_equal(again_end_loop(again, &(struct change){.thread = 32 + 3}), 32 + THREADS); /* and group 1 */
	assert_int_equal(memory()[0], 0);
	assert_int_equal(memory()[2], 1);
	assert_int_equal(r->warp.live, 0xffffffff);
	assert_null(find_group(again, &(struct change){.group = 1}, &core_of_other));
	assert_int_equal(again_end_loop(again, &(struct change){.thread = 32 + 3}), 0); /* it is gone */
	/* The observer clears what it has written, and its memory is kept for the next run. */
	locks->at[0] = others->at[0] = (struct held_lock){0};
	again_end(again);
}

/* ---- The other GPU ---- */

static void look_at_gpu(struct machine *machine)
{
	volatile sig_atomic_t interrupt = 0;
	struct gpu *hangs = machine->gpu;
	const bool functional = hangs->functional;
	static struct show_target target;
	struct again *again;

	hangs->options.interrupt = &interrupt;
	hangs->observe[OBSERVER_show] = &target; /* not even touched */
	hangs->functional = !machine->functional;
	again = again_begin(machine, NULL, NULL);
	hangs->observe[OBSERVER_show] = NULL;
	hangs->functional = functional;
	assert_null(again->gpu.observe[OBSERVER_show]);
	assert_int_equal(again->gpu.functional, machine->functional);
	assert_int_equal(again->gpu.cycle, machine->time.start);
	interrupt = 1;
	again_shuffle(again, 1); /* so that no hang is proved before somebody looks */
	assert_int_equal(again_run(again, until(1000000)), AGAIN_TIME_OVER);
	again_end(again);
	hangs->options.interrupt = NULL;
}

static void count_launches(struct machine *machine)
{
	static struct launch others[LAUNCHES_MOST];
	struct launch *launch = machine->launches.first, *next = launch->next;

	for (uint32_t k = 0; k < LAUNCHES_MOST; k++)
		others[k].next = k ? &others[k - 1] : NULL;
	assert_null(again_refuses(machine));
	launch->next = &others[LAUNCHES_MOST - 2];
	assert_null(again_refuses(machine));
	launch->next = &others[LAUNCHES_MOST - 1];
	assert_string_equal(again_refuses(machine), "other kernels have ended since it began");
	launch->next = next;
	machine->gpu->schedule = (struct schedule *)(void *)others;
	assert_string_equal(again_refuses(machine), "its schedule is one of many that are tried");
	machine->gpu->schedule = NULL;
	lockstep->gpu.space.host_writes = true; /* whoever may write at any time does so, unless it waits */
	assert_string_equal(again_refuses(machine), "the program may read some of the memory at any time");
	lockstep_host_waits(lockstep, true, NULL);
	assert_null(again_refuses(machine));
	lockstep_host_waits(lockstep, false, NULL);
	assert_non_null(again_refuses(machine));
	lockstep->gpu.space.host_writes = false;
	machine->was_interrupted = true;
	assert_string_equal(again_refuses(machine), "the program has written to memory since the launch began");
	machine->was_interrupted = false;
	machine->launches.ended = 1;
	assert_string_equal(again_refuses(machine), "other kernels have ended since it began");
	machine->launches.ended = 0;
	assert_null(again_refuses(machine));
}

/* Two launches of two groups each: in each place a group of its own launch. */
static void look_at_two(struct machine *machine)
{
	struct launch *first = machine->launches.first, *second = first->next;
	struct again *again = again_begin(machine, NULL, NULL);
	struct change of_first = {.launch = first->ordinal}, of_second = {.launch = second->ordinal};
	struct core *core;
	struct machine *now;
	bool held_locks;

	assert_non_null(second);
	go_until_it_waits(again, &core);
	now = again->gpu.machine;
	first = now->launches.first;
	second = first->next;
	for (uint32_t group = 0; group < 2; group++) {
		of_first.group = of_second.group = group;
		assert_ptr_equal(find_group(again, &of_first, &core)->core_launch->launch, first);
		assert_ptr_equal(find_group(again, &of_second, &core)->core_launch->launch, second);
	}
	now->launches.first = first;
	assert_true(again_remove_thread(again, &(struct change){.thread = 3}, &held_locks));
	assert_int_equal(again_ended(again), 1);
	now->launches.first = second;
	assert_int_equal(again_ended(again), 0); /* none of its own */
	second->next = first;
	first->next = NULL;
	assert_int_equal(again_ended(again), 1);
	second->next = NULL;
	first->next = second;
	now->launches.first = first;
	assert_int_equal(again_ended(again), 1);
	again_end(again);
}

/* As where locks are taken while no thread gets further. */
static void succeed(void *context)
{
	struct again *again = context;

	again->gpu.machine->cores.at[0].counters.wait_success++;
}

static void note_waits(struct machine *machine)
{
	struct again *again = again_begin(machine, NULL, NULL);
	uint32_t count = machine->launches.first->kernel->code_count, waits = 0;

	assert_int_equal(again_run(again, until(2000000)), AGAIN_HANGS);
	assert_true(again_note_waits(again, until(again_elapsed(again) + 100000)));
	for (uint32_t pc = 0; pc < count; pc++)
		waits += again->waits[pc];
	assert_false(again->waits[0]);
	assert_int_equal(waits, 3); /* load, setp, bra */
	assert_false(again->waits_succeed);
	again->gpu.experiment.between = succeed;
	again->gpu.experiment.between_context = again;
	assert_true(again_note_waits(again, until(again_elapsed(again) + 100000)));
	assert_true(again->waits_succeed);
	again_end(again);
}

static void let_fault(struct machine *machine)
{
	struct change word = {.kind = CHANGE_WORD, .space = space_GLOBAL, .bytes = 4, .address = address};
	uint64_t loads = 0;
	struct again *again = again_begin(machine, NULL, NULL);

	assert_int_equal(again_run(again, until(2000000)), AGAIN_HANGS);
	for (uint32_t p = 0; !machine->functional && p < again->gpu.model->channels; p++) {
		const struct partition_counters c = partition_counters(again->gpu.partitions[p]);

		assert_int_equal(c.l2_load_hits, c.l2_loads); /* as at the GPU's first launch: l2.prefill of this GPU */
		loads += c.l2_loads;
	}
	assert_true(loads || machine->functional);
	assert_true(again_word(again, &word, 2));
	assert_int_equal(again_run(again, until(4000000)), AGAIN_FAULT);
	again_end(again);
}

/* A copy that is queued behind it and ends in the line of the word: all wait in vain until that line has left the L1.
 */
static void let_copy_past(struct machine *machine)
{
	const uint32_t contents[4] = {0, 0, 1, 0};
	struct queued_work copy = {
		.address = address + word_at - 8, .bytes = 16, .contents = (const uint8_t *)contents};
	struct queued_work unknown = copy, outside = copy;
	struct again *again = again_begin(machine, NULL, NULL);

	unknown.contents = NULL;
	outside.address = address + WORDS * sizeof(uint32_t) - 8;
	assert_int_equal(again_run(again, until(2000000)), AGAIN_HANGS);
	assert_false(again_let_past(again, &unknown));
	assert_false(again_let_past(again, &outside));
	assert_true(again_let_past(again, &copy));
	assert_int_equal(again_run(again, until(4000000)), AGAIN_COMPLETED);
	again_end(again);
}

/* A copy that begins and ends in other lines than that of the word, which lies in its middle. */
static void let_long_copy_past(struct machine *machine)
{
	const uint32_t contents[LINE_BYTES / 4 + 4] = {[2] = 1};
	const struct queued_work copy = {
		.address = address + word_at - 8, .bytes = sizeof contents, .contents = (const uint8_t *)contents};
	struct again *again = again_begin(machine, NULL, NULL);

	assert_int_equal(again_run(again, until(2000000)), AGAIN_HANGS);
	assert_true(again_let_past(again, &copy));
	assert_int_equal(again_run(again, until(4000000)), AGAIN_COMPLETED);
	again_end(again);
}

/* A kernel with a heap, or that launches others, is not begun beside it. */
static void refuse_kernels(struct machine *machine)
{
	struct again *again = again_begin(machine, NULL, NULL);
	struct kernel kernel = *machine->launches.first->kernel;
	const struct gpu_launch launch = {.kernel = &kernel};
	const struct queued_work none = {.is_kernel = true}, work = {.is_kernel = true, .launch = &launch};

	assert_int_equal(again_run(again, until(2000000)), AGAIN_HANGS);
	assert_false(again_let_past(again, &none));
	kernel.uses.heap = true;
	assert_false(again_let_past(again, &work));
	again_end(again);
}

static void turns_by_chance_hold_paths(void **state)
{
	(void)state;
	look_at_hang(hold_paths, LOCKSTEP_TIMING, 1);
	look_at_hang(hold_paths, LOCKSTEP_FUNCTIONAL, 1);
}

static void turns_by_chance_delay_warps(void **state)
{
	(void)state;
	look_at_hang(delay_warps, LOCKSTEP_TIMING, 1);
	look_at_hang(delay_warps, LOCKSTEP_FUNCTIONAL, 1);
}

static void locks_are_those_of_a_lane(void **state)
{
	(void)state;
	look_at_hang(give_locks, LOCKSTEP_TIMING, 1);
	look_at_hang(give_locks, LOCKSTEP_FUNCTIONAL, 1);
}

static void loops_end_with_their_locks(void **state)
{
	(void)state;
	look_at_hang(end_loop, LOCKSTEP_TIMING, 1);
	look_at_hang(end_loop, LOCKSTEP_FUNCTIONAL, 1);
}

static void the_other_gpu_shows_nothing_and_can_be_interrupted(void **state)
{
	(void)state;
	look_at_hang(look_at_gpu, LOCKSTEP_TIMING, 1);
	look_at_hang(look_at_gpu, LOCKSTEP_FUNCTIONAL, 1);
}

static void at_most_sixteen_launches_run_again(void **state)
{
	(void)state;
	look_at_hang(count_launches, LOCKSTEP_TIMING, 1);
}

static void launches_beside_each_other_are_told_apart(void **state)
{
	(void)state;
	look_at_hang(look_at_two, LOCKSTEP_TIMING, 2);
}

static void waiting_is_the_loop(void **state)
{
	(void)state;
	look_at_hang(note_waits, LOCKSTEP_TIMING, 1);
}

static void a_fault_is_one(void **state)
{
	(void)state;
	look_at_hang(let_fault, LOCKSTEP_TIMING, 1);
	look_at_hang(let_fault, LOCKSTEP_FUNCTIONAL, 1);
}

static void what_is_queued_may_go_past(void **state)
{
	(void)state;
	look_at_hang(refuse_kernels, LOCKSTEP_TIMING, 1);
	word_at = LINE_BYTES;
	look_at_hang(let_copy_past, LOCKSTEP_TIMING, 1);
	look_at_hang(let_copy_past, LOCKSTEP_FUNCTIONAL, 1);
	look_at_hang(let_long_copy_past, LOCKSTEP_TIMING, 1);
	word_at = 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(clearly_more_is_more_by_a_quarter_and_1024),
		cmocka_unit_test(the_code_that_warps_go_through_again_and_again_is_waiting),
		cmocka_unit_test(what_is_issued_outside_of_waiting_is_further),
		cmocka_unit_test(leaving_is_what_was_not_seen_while_it_hung),
		cmocka_unit_test(the_first_launch_has_left_its_waits_when_it_has_ended),
		cmocka_unit_test(turns_by_chance_hold_paths),
		cmocka_unit_test(turns_by_chance_delay_warps),
		cmocka_unit_test(locks_are_those_of_a_lane),
		cmocka_unit_test(attempts_are_those_under_way),
		cmocka_unit_test(loops_end_with_their_locks),
		cmocka_unit_test(the_other_gpu_shows_nothing_and_can_be_interrupted),
		cmocka_unit_test(at_most_sixteen_launches_run_again),
		cmocka_unit_test(launches_beside_each_other_are_told_apart),
		cmocka_unit_test(waiting_is_the_loop),
		cmocka_unit_test(a_fault_is_one),
		cmocka_unit_test(what_is_queued_may_go_past),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
