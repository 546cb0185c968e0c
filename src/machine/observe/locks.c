/* The ledger of locks: taking, giving back, and what is counted of attempts. */
#include "machine/observe/locks.h"

#include "machine/launch.h"
#include "machine/observe/timeline.h"

#include <string.h>

void lock_ledger_create(struct core *core, struct arena *arena)
{
	core->locks = arena_new(arena, struct lock_ledger);
	core->locks->warps =
		arena_reserve(arena, core->warp_slots * sizeof *core->locks->warps); /* touched when used */
}

void lock_ledger_clear(struct core *core, struct arena *arena)
{
	for (uint64_t m = core->warps_taken; m; m &= m - 1)
		memset(&core->locks->warps[__builtin_ctzll(m)], 0, sizeof *core->locks->warps);
	arena_keep(arena, core->locks->warps);
}

static struct warp_locks *locks_of(const struct core *core, const struct resident *r)
{
	return &core->locks->warps[r->warp.slot];
}

/* So many more, modulo 2^32, are in reach of the warp. */
static void change_reach(struct core *core, const struct resident *r, uint32_t by)
{
	struct warp_locks *locks = locks_of(core, r);

	locks->in_reach += by;
	core->locks->reaching = locks->in_reach ? core->locks->reaching | r->bit : core->locks->reaching & ~r->bit;
}

/* ---- Warps ---- */

void lock_ledger_begin(struct core *core, const struct resident *r)
{
	struct warp_locks *locks = locks_of(core, r);

	locks->held = locks->in_reach = 0;
	locks->waiting_since = 0;
	core->locks->reaching &= ~r->bit;
}

void lock_ledger_end(struct core *core, const struct resident *r)
{
	const struct warp_locks *locks = locks_of(core, r);

	for (uint32_t k = 0; k < locks->held; k++) {
		const struct held_lock *lock = &locks->at[k];

		core->locks->left[core->locks->left_count++ % LEFT_LOCKS] =
			(struct left_lock){.launch = r->residency->launch,
				.address = lock->address,
				.order = lock->order,
				.group = r->group->number,
				.thread = r->warp.first_thread + lock->lane,
				.pc = lock->pc};
	}
}

/* ---- Giving back ---- */

/* A group's lock comes into the reach of the other warps, which may release it, or goes. */
static void change_reach_of_others(struct core *core, const struct resident *r, uint32_t by)
{
	for (uint64_t m = r->group->slots & ~r->bit; m; m &= m - 1)
		change_reach(core, &core->residents[__builtin_ctzll(m)], by);
}

#define ONE_LESS UINT32_MAX

/* A group's lock is given back.  If the warp that took it has ended, it seemed that it had left it behind. */
static void forget_group_lock(struct core *core, const struct resident *r, uint64_t address)
{
	change_reach_of_others(core, r, ONE_LESS);
	for (uint32_t k = 0; r->finished && k < LEFT_LOCKS; k++) {
		struct left_lock *left = &core->locks->left[k];

		if (left->address == address && left->launch == r->residency->launch && left->group == r->group->number)
			left->launch = NULL;
	}
}

static void forget(struct core *core, const struct resident *r, uint64_t address)
{
	struct warp_locks *locks = locks_of(core, r);

	for (uint32_t k = 0; k < locks->held; k++)
		if (locks->at[k].address == address) {
			timeline_span(core, r, TIMELINE_LOCK_HELD, locks->at[k].since, address);
			if (locks->at[k].of_group)
				forget_group_lock(core, r, address);
			change_reach(core, r, ONE_LESS);
			locks->at[k] = locks->at[--locks->held];
			return;
		}
}

static inline void forget_those_of(
	struct core *core, const struct resident *holder, const uint64_t *address, lane_mask lanes)
{
	const struct warp_locks *locks = locks_of(core, holder);

	EACH_LANE (l, lanes) /* the data that a lock guards is mostly in another buffer */
		if (address[l] >= locks->lowest && address[l] <= locks->highest)
			forget(core, holder, address[l]);
}

void lock_ledger_give_back(struct core *core, const struct resident *r, const uint64_t *address, lane_mask lanes)
{
	const struct warp_locks *locks = locks_of(core, r);

	forget_those_of(core, r, address, lanes);
	if (locks->in_reach == locks->held)
		return;
	for (uint64_t m = r->group->slots & ~r->bit; m; m &= m - 1) {
		const struct resident *holder = &core->residents[__builtin_ctzll(m)];

		if (locks_of(core, holder)->held)
			forget_those_of(core, holder, address, lanes);
	}
}

/* ---- Taking ---- */

/* Tells which of two locks was taken later, on whatever cores. In functional mode each core has a clock of its own, and they have turns in the
 * order of their numbers. */
static uint64_t order_of_taking(const struct core *core)
{
	const struct machine *machine = core->machine;

	return machine->functional ? machine->rounds * machine->core_count + (uint64_t)(core - machine->cores)
				   : core->now;
}

static void remember(struct core *core, const struct resident *r, uint64_t address, uint32_t lane, const struct insn *i)
{
	struct warp_locks *locks = locks_of(core, r);

	if (locks->held == WARP_LOCKS)
		return;
	if (!locks->held)
		locks->lowest = locks->highest = address;
	locks->lowest = address < locks->lowest ? address : locks->lowest;
	locks->highest = address > locks->highest ? address : locks->highest;
	locks->at[locks->held++] = (struct held_lock){.address = address,
		.since = core->now,
		.order = order_of_taking(core),
		.pc = launch_pc(r->residency->launch, i),
		.lane = (uint16_t)lane,
		.of_group = i->flags & INSN_GROUP_TRY};
	if (i->flags & INSN_GROUP_TRY)
		change_reach_of_others(core, r, 1);
	change_reach(core, r, 1);
}

/* A warp waits from its first failed attempt to its next success. */
static void note_waiting(struct core *core, const struct resident *r, struct warp_locks *locks, lane_mask winners,
	lane_mask losers, uint64_t address)
{
	if (winners && locks->waiting_since) {
		timeline_span(core, r, TIMELINE_LOCK_WAITING, locks->waiting_since, address);
		locks->waiting_since = 0;
	}
	if (losers && !locks->waiting_since)
		locks->waiting_since = core->now;
}

static bool is_held(const struct warp_locks *locks, uint64_t address)
{
	for (uint32_t k = 0; k < locks->held; k++)
		if (locks->at[k].address == address)
			return true;
	return false;
}

/* Within lock_ledger_answered, which has its lanes at hand: a call costs half a percent of a program that spins. */
static inline __attribute__((always_inline)) void note_attempts(struct core *core, const struct resident *r,
	const struct insn *i, const uint64_t *address, lane_mask winners, lane_mask losers)
{
	struct warp_locks *locks = locks_of(core, r);
	struct counters *c = &core->counters;

	c->lock_success += (uint64_t)__builtin_popcountll(winners);
	note_waiting(core, r, locks, winners, losers, address[__builtin_ctzll(winners | losers)]);
	EACH_LANE (w, winners)
		remember(core, r, address[w], (uint32_t)w, i);
	if (!locks->held) {
		c->lock_fail_other_warp += (uint64_t)__builtin_popcountll(losers);
		return;
	}
	EACH_LANE (f, losers) /* winners of this very instruction count: the others fail because of them */
		*(is_held(locks, address[f]) ? &c->lock_fail_same_warp : &c->lock_fail_other_warp) += 1;
}

void lock_ledger_attempted(struct core *core, const struct resident *r, const struct insn *i, const uint64_t *address,
	lane_mask winners, lane_mask losers)
{
	note_attempts(core, r, i, address, winners, losers);
}

/* Of compare-and-swaps on 32-bit words, as nearly all are: those that found what they compared with. */
static lane_mask equal_words(const uint8_t *data, lane_mask lanes, const uint64_t *old)
{
	lane_mask equal = 0;

	EACH_LANE (l, lanes) {
		uint32_t compared;

		memcpy(&compared, data + l * 2 * sizeof compared, sizeof compared);
		equal |= (lane_mask)(*old++ == compared) << l;
	}
	return equal;
}

/* The lanes that took the lock, given what each found: a compare-and-swap what it compared with (of 16 bytes the lower 8 count), other
 * test-and-sets zero. */
static lane_mask successful(const struct operation *op, lane_mask lanes, const uint64_t *old)
{
	uint32_t bytes = op->insn->access.bytes, words = bytes == 16 ? 2 : 1;
	bool compares = op->insn->access.atomic == ATOMIC_CAS;
	lane_mask winners = 0;

	if (compares && bytes == 4)
		return equal_words(op->data, lanes, old);
	EACH_LANE (l, lanes) {
		bool won = compares ? !memcmp(old, op->data + l * 2 * bytes, bytes < 8 ? bytes : 8) : !*old;

		winners |= (lane_mask)won << l;
		old += words;
	}
	return winners;
}

void lock_ledger_answered(struct core *core, const struct operation *op, lane_mask lanes, const uint64_t *old)
{
	lane_mask winners;

	if (!(op->insn->flags & INSN_LOCK_TRY))
		return;
	winners = successful(op, lanes, old);
	note_attempts(core, op->resident, op->insn, op->address, winners, lanes & ~winners);
}
