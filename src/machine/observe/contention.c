/* How lanes wait for locks: events of cores, added up between quanta. */
#include "machine/observe/contention.h"

#include "machine/core/observer.h"
#include "machine/observe/tape.h"
#include "machine/state/launch_state.h"

#include <assert.h>
#include <string.h>

#define FLUSH_QUANTA 32

#define MOST_SHARED (1u << 18) /* locks of shared memory that are known apart; handovers and queues of more are not */
#define ALL_OTHERS UINT64_MAX  /* the key of groups of the rest */

enum kind { TAKEN, FAILED, GIVEN_BACK, BEGAN, LEFT };

struct event {
	struct tape_event in;
	uint64_t amount; /* TAKEN: cycles that the lane waited; GIVEN_BACK: that it was held; FAILED: attempts */
	uint64_t failed; /* TAKEN: attempts of the lane by the same instruction that failed before */
	bool waited;     /* TAKEN: the lane began to wait before */
	uint32_t pc, lane;
};

/* A lane's attempts since the first that failed: those of one instruction are written down together. */
struct trying {
	uint64_t word, since; /* the address, plus 1; 0: none */
	uint64_t failed;
	const struct insn *insn;
};

struct watched {
	struct tape tape;
	uint64_t tries; /* warp slots with a lane that tries */
	/* The instruction whose attempts were answered last, and its row. */
	const struct core_launch *on;
	const struct insn *insn;
	struct profile_row *row;
	uint64_t same_warp;                           /* of the core's counters, when it was last looked at */
	struct trying trying[CORE_WARPS][CORE_WARPS]; /* by slot and lane */
};

static struct event *add(
	const struct core *core, struct watched *s, const struct warp_slot *r, enum kind kind, uint64_t address)
{
	return tape_add(&s->tape, sizeof(struct event), core, r, kind, address);
}

static void write_failed(struct core *core, struct watched *s, const struct warp_slot *r, struct trying *trying)
{
	struct event *e;

	if (!trying->failed)
		return;
	assert(trying->word);
	assert(trying->insn);
	e = add(core, s, r, FAILED, trying->word - 1);
	e->pc = launch_pc(r->core_launch->launch, trying->insn);
	e->amount = trying->failed;
	trying->failed = 0;
}

/* The lane waits no more. */
static void leave(struct core *core, struct watched *s, const struct warp_slot *r, struct trying *trying)
{
	assert(!trying->word || trying->since <= core->now);
	write_failed(core, s, r, trying);
	if (trying->word)
		add(core, s, r, LEFT, trying->word - 1);
	trying->word = 0;
}

/* What the warp's lanes have tried in vain: it ends, or nothing runs any more. */
static void stop_trying(struct core *core, void *state, struct warp_slot *r)
{
	struct watched *s = state;

	assert(r->bit == 1ull << r->warp.slot);
	assert(r->warp.lanes <= CORE_WARPS);
	for (uint32_t lane = 0; s->tries & r->bit && lane < r->warp.lanes; lane++)
		leave(core, s, r, &s->trying[r->warp.slot][lane]);
	s->tries &= ~r->bit;
}

/* Its first failure there, or by this instruction. */
static __attribute__((noinline)) void begin_to_try(struct core *core, struct watched *s, const struct warp_slot *r,
	const struct insn *i, uint64_t address, struct trying *trying)
{
	assert(r->warp.slot < CORE_WARPS);
	if (trying->word != address + 1) {
		leave(core, s, r, trying);
		add(core, s, r, BEGAN, address);
		trying->word = address + 1;
		trying->since = core->now;
		s->tries |= r->bit;
	} else {
		write_failed(core, s, r, trying);
	}
	trying->insn = i;
	trying->failed = 1;
	assert(s->tries & r->bit);
	assert(trying->since <= core->now);
}

static void took(struct core *core, struct watched *s, const struct warp_slot *r, const struct insn *i,
	uint64_t address, uint32_t lane)
{
	struct trying *trying = &s->trying[r->warp.slot][lane];
	struct event *e;

	assert(!trying->word || trying->since <= core->now);
	assert(lane < r->warp.lanes);
	if (trying->word != address + 1)
		leave(core, s, r, trying);
	if (trying->insn != i)
		write_failed(core, s, r, trying);
	assert(!trying->failed || trying->insn == i);
	e = add(core, s, r, TAKEN, address);
	e->pc = launch_pc(r->core_launch->launch, i);
	e->failed = trying->failed;
	e->lane = lane;
	e->waited = trying->word != 0;
	e->amount = e->waited ? core->now - trying->since : 0;
	trying->failed = 0;
	trying->word = 0;
}

static __attribute__((noinline)) void took_all(struct core *core, struct watched *s, const struct warp_slot *r,
	const struct insn *i, const uint64_t *address, lane_mask won)
{
	assert(s->on == r->core_launch);
	assert(s->insn == i);
	EACH_LANE(w, won)
		took(core, s, r, i, address[w], (uint32_t)w);
}

static __attribute__((noinline)) void find_row(struct watched *s, const struct core_launch *on, const struct insn *i)
{
	s->on = on;
	s->insn = i;
	s->row = profile_row_of(on, i);
}

/* As the ledger has counted them: failed because of the same warp is what its counter has more. */
static inline void count(struct core *core, struct watched *s, lane_mask won, lane_mask lost)
{
	uint64_t same_warp = core->counters.lock_fail_same_warp - s->same_warp;
	uint64_t *value = s->row->value;

	assert(s->row == profile_row_of(s->on, s->insn));
	assert(same_warp <= (uint64_t)__builtin_popcountll(lost));
	s->same_warp += same_warp;
	value[PROFILE_lock_success] += (uint64_t)__builtin_popcountll(won);
	value[PROFILE_lock_fail_same_warp] += same_warp;
	value[PROFILE_lock_fail_other_warp] += (uint64_t)__builtin_popcountll(lost) - same_warp;
}

static void attempts(struct core *core, void *state, const struct warp_slot *r, const struct insn *i,
	const uint64_t *address, lane_mask won, lane_mask lost)
{
	struct watched *s = state;
	struct trying *trying = s->trying[r->warp.slot];

	assert(!(won & lost));
	assert(!((won | lost) & ~r->warp.full));
	if (i != s->insn || r->core_launch != s->on)
		find_row(s, r->core_launch, i);
	count(core, s, won, lost);
	if (won)
		took_all(core, s, r, i, address, won);
	EACH_LANE(l, lost)
		if (trying[l].word == address[l] + 1 && trying[l].insn == i)
			trying[l].failed++;
		else
			begin_to_try(core, s, r, i, address[l], &trying[l]);
}

static void lock_given_back(struct core *core, void *state, const struct warp_slot *r, uint64_t address, uint64_t since)
{
	assert(r->core_launch->launch->machine == core->machine);
	assert(since <= core->now);
	add(core, state, r, GIVEN_BACK, address)->amount = core->now - since;
}

/* ---- Between quanta ---- */

/* Locks of shared memory are those of a group; addresses there are below 2^31, and none is above 2^63. */
static uint64_t key_of(uint64_t address, uint64_t group_key)
{
	assert(address >> 63 == 0);
	assert(!group_key || address < 1ull << 31);
	return group_key ? 1ull << 63 | (uint64_t)(uint32_t)group_key << 31 | address : address;
}

static struct contended *lock_of(struct arena *arena, struct contention *c, uint64_t address, uint64_t group_key)
{
	uint64_t place = lookup_get(&c->places, key_of(address, group_key));

	assert(c->shared <= MOST_SHARED);
	if (!place && group_key && c->shared == MOST_SHARED)
		place = lookup_get(&c->places, key_of(address, group_key = ALL_OTHERS));
	if (!place) {
		*vector_push(arena, &c->locks) = (struct contended){.address = address, .group_key = group_key};
		*lookup_at(arena, &c->places, key_of(address, group_key)) = place = c->locks.count;
		c->shared += group_key && group_key != ALL_OTHERS;
	}
	assert(place <= c->locks.count);
	assert(c->locks.at[place - 1].address == address);
	assert(c->locks.at[place - 1].group_key == group_key);
	return &c->locks.at[place - 1];
}

static struct contention_site *site_of(struct arena *arena, struct contended *lock, uint32_t pc)
{
	for (uint32_t k = 0; k < lock->sites.count; k++)
		if (lock->sites.at[k].pc == pc)
			return &lock->sites.at[k];
	*vector_push(arena, &lock->sites) = (struct contention_site){.pc = pc};
	return &lock->sites.at[lock->sites.count - 1];
}

static void hand_over(struct contended *lock, const struct event *e)
{
	assert(e->in.kind == TAKEN);
	if (lock->was_taken && lock->group_key != ALL_OTHERS)
		lock->handovers[lock->core != e->in.core                                 ? FROM_OTHER_CORE
				: lock->group == e->in.group && lock->warp == e->in.warp ? FROM_SAME_WARP
											 : FROM_SAME_CORE]++;
	lock->was_taken = true;
	lock->core = e->in.core;
	lock->group = e->in.group;
	lock->warp = e->in.warp;
}

static void take(struct contended *lock, const struct event *e)
{
	assert(!e->waited || lock->queue);
	assert(e->waited || !e->amount);
	hand_over(lock, e);
	lock->queue -= e->waited;
	lock->acquires++;
	lock->waited += e->amount;
	if (e->amount > lock->worst) {
		lock->worst = e->amount;
		lock->worst_group = e->in.group;
		lock->worst_thread = e->in.warp + e->lane;
	}
	assert(lock->worst <= lock->waited);
}

static void begin_to_wait(struct contended *lock)
{
	assert(lock->queue <= lock->longest_queue || lock->group_key == ALL_OTHERS);
	lock->queue++;
	if (lock->queue > lock->longest_queue && lock->group_key != ALL_OTHERS)
		lock->longest_queue = lock->queue;
}

static void add_up(struct launch_profile *p, const void *event)
{
	const struct event *e = event;
	uint64_t group_key = e->in.address >= GLOBAL_BASE ? 0 : e->in.group + 1ull;
	struct contended *lock = lock_of(&p->arena, profile_contention(p), e->in.address, group_key);
	struct contention_site *site;

	assert(e->in.kind != LEFT || lock->queue);
	switch ((enum kind)e->in.kind) {
	case TAKEN:
		take(lock, e);
		site = site_of(&p->arena, lock, e->pc);
		site->acquires++;
		site->failed += e->failed;
		lock->failed += e->failed;
		break;
	case FAILED:
		lock->failed += e->amount;
		site_of(&p->arena, lock, e->pc)->failed += e->amount;
		break;
	case GIVEN_BACK: lock->held += e->amount; break;
	case BEGAN: begin_to_wait(lock); break;
	case LEFT: lock->queue--; break;
	}
}

static struct watched *watched_of(const struct machine *machine, uint32_t c)
{
	assert(c < machine->cores.count);
	return observer_state(&machine->cores.at[c], OBSERVER_contention);
}

/* In the order of what happened whenever it is done: in functional mode, where no clock says that order, after each
 * round; else it can wait, and most quanta have few events. */
static void flush(struct machine *machine, bool at_end)
{
	bool can_wait = !machine->mode->takes_turns && machine->rounds % FLUSH_QUANTA;

	assert(!at_end || !machine->launches.first);
	for (uint32_t c = 0; at_end && c < machine->cores.count; c++)
		for (uint64_t m = watched_of(machine, c) ? watched_of(machine, c)->tries : 0; m; m &= m - 1)
			stop_trying(&machine->cores.at[c], watched_of(machine, c),
				&machine->cores.at[c].slots[__builtin_ctzll(m)]);
	if (at_end || !can_wait)
		tapes_add_up(machine, OBSERVER_contention, add_up);
}

/* ---- The end ---- */

/* Adds a group's lock to the one that represents those of all groups. */
static void add_lock(struct arena *arena, struct contended *all, const struct contended *lock)
{
	assert(all->address == lock->address);
	assert(!all->group_key);
	assert(lock->group_key);
	all->groups++;
	all->acquires += lock->acquires;
	all->failed += lock->failed;
	all->waited += lock->waited;
	all->held += lock->held;
	for (uint32_t k = 0; k < CONTENTION_FROM; k++)
		all->handovers[k] += lock->handovers[k];
	if (lock->longest_queue > all->longest_queue)
		all->longest_queue = lock->longest_queue;
	if (lock->worst > all->worst) {
		all->worst = lock->worst;
		all->worst_group = lock->worst_group;
		all->worst_thread = lock->worst_thread;
	}
	assert(all->worst <= all->waited);
	for (uint32_t k = 0; k < lock->sites.count; k++) {
		struct contention_site *site = site_of(arena, all, lock->sites.at[k].pc);

		site->acquires += lock->sites.at[k].acquires;
		site->failed += lock->sites.at[k].failed;
	}
}

/* Locks of shared memory become one for each place there. */
static void sum_up(struct launch_profile *profile, void *part)
{
	struct arena *arena = &profile->arena;
	struct contention *c = part;
	struct contention together = {0};

	for (uint32_t k = 0; c->shared && k < c->locks.count; k++) {
		struct contended *lock = lock_of(arena, &together, c->locks.at[k].address, 0);

		if (c->locks.at[k].group_key)
			add_lock(arena, lock, &c->locks.at[k]);
		else
			*lock = c->locks.at[k];
	}
	assert(!together.shared);
	assert(together.locks.count <= c->locks.count);
	if (c->shared)
		*c = together;
}

/* All that its cores have written down is added up. */
static void launch_ends(struct launch *launch)
{
	tapes_add_up(launch->machine, OBSERVER_contention, add_up);
	for (uint32_t c = 0; c < launch->machine->cores.count; c++)
		if (watched_of(launch->machine, c))
			watched_of(launch->machine, c)->insn = NULL; /* its row goes */
}

const struct profile_part profile_part_contention = {.size = sizeof(struct contention), .sum_up = sum_up};

const struct observer observer_contention = {
	.state_size = sizeof(struct watched),
	.has_arena = true,
	.profiles = true,
	.on = {.warp_ends = stop_trying, .attempts = attempts, .lock_given_back = lock_given_back},
	.launch_ends = launch_ends,
	.flush = flush,
};
