/* The ledger of locks: taking, giving back, and what is counted of attempts. */
#include "machine/observe/locks.h"

#include "machine/core/observer.h"
#include "machine/lsu/element.h"
#include "machine/state/launch_state.h"

#include <assert.h>
#include <string.h>

struct ledger {
	struct warp_locks *warps; /* per slot */
	struct held_lock *held;   /* of all of them; touched when used */
	uint64_t used;            /* slots of which a warp has tried to get a lock: the others' rows are zero */
	uint64_t reaching;        /* warp slots with a lock in reach: of these alone it hears what is written */
	struct left_lock left[LEFT_LOCKS]; /* the last of them, a ring */
	uint32_t left_count;               /* ever */
};

/* It counts what every report has. */
static bool is_asked(const struct gpu *gpu, bool functional)
{
	(void)gpu;
	(void)functional;
	return true;
}

static void create(struct core *core, void *state, struct arena *arena)
{
	struct ledger *ledger = state;

	assert(core->warps.count <= CORE_WARPS);
	assert(!ledger->used);
	ledger->warps = arena_new_array(arena, struct warp_locks, core->warps.count);
	ledger->held = arena_reserve(arena, core->warps.count * WARP_LOCKS * sizeof *ledger->held);
	for (uint32_t k = 0; k < core->warps.count; k++)
		ledger->warps[k].at = ledger->held + (size_t)k * WARP_LOCKS;
	observer_hear(core, OBSERVER_locks, OBSERVE_written, 0);
}

static void clear(struct core *core, void *state, struct arena *arena)
{
	struct ledger *ledger = state;

	(void)core;
	assert(!(ledger->reaching & ~ledger->used));
	for (uint64_t m = ledger->used; m; m &= m - 1)
		memset(ledger->warps[__builtin_ctzll(m)].at, 0, WARP_LOCKS * sizeof *ledger->held);
	arena_keep(arena, ledger->held, 0);
}

const struct warp_locks *locks_of(const struct core *core, const struct warp_slot *r)
{
	const struct ledger *ledger = observer_state(core, OBSERVER_locks);

	assert(r->warp.slot < core->warps.count);
	return &ledger->warps[r->warp.slot];
}

const struct left_lock *locks_left(const struct core *core, uint32_t *count)
{
	const struct ledger *ledger = observer_state(core, OBSERVER_locks);

	*count = ledger->left_count < LEFT_LOCKS ? ledger->left_count : LEFT_LOCKS;
	return ledger->left;
}

static struct warp_locks *row_of(const struct ledger *ledger, const struct warp_slot *r)
{
	assert(r->warp.slot < CORE_WARPS);
	assert(r->bit == 1ull << r->warp.slot);
	return &ledger->warps[r->warp.slot];
}

/* So many more, modulo 2^32, are in reach of the warp. */
static void change_reach(struct core *core, struct ledger *ledger, const struct warp_slot *r, uint32_t by)
{
	struct warp_locks *locks = row_of(ledger, r);
	bool had_any = locks->in_reach;

	ledger->used |= r->bit;
	locks->in_reach += by;
	assert(locks->in_reach <= WARP_LOCKS * CORE_WARPS);
	if (had_any != (locks->in_reach != 0))
		observer_hear(core, OBSERVER_locks, OBSERVE_written, ledger->reaching ^= r->bit);
	assert(!(ledger->reaching & r->bit) == !locks->in_reach);
}

/* ---- Warps ---- */

static void warp_begins(struct core *core, void *state, struct warp_slot *r)
{
	struct ledger *ledger = state;
	struct warp_locks *locks = row_of(ledger, r);

	if (!(ledger->used & r->bit))
		return;
	assert(locks->held <= WARP_LOCKS);
	if (locks->in_reach)
		change_reach(core, ledger, r, -locks->in_reach);
	assert(!locks->in_reach);
	locks->held = 0;
	locks->waiting_since = 0;
}

static void warp_ends(struct core *core, void *state, struct warp_slot *r)
{
	struct ledger *ledger = state;
	const struct warp_locks *locks = row_of(ledger, r);

	(void)core;
	if (!(ledger->used & r->bit))
		return;
	assert(locks->held <= WARP_LOCKS);
	assert(locks->in_reach >= locks->held);
	for (uint32_t k = 0; k < locks->held; k++) {
		const struct held_lock *lock = &locks->at[k];

		ledger->left[ledger->left_count++ % LEFT_LOCKS] = (struct left_lock){.launch = r->core_launch->launch,
			.address = lock->address,
			.order = lock->order,
			.bits = lock->bits,
			.group = r->group->number,
			.thread = r->warp.first_thread + lock->lane,
			.pc = lock->pc};
	}
}

/* ---- Giving back ---- */

/* A group's lock comes into the reach of the other warps, which may release it, or goes. */
static void change_reach_of_others(struct core *core, struct ledger *ledger, const struct warp_slot *r, uint32_t by)
{
	assert(r->group->slots & r->bit);
	for (uint64_t m = r->group->slots & ~r->bit; m; m &= m - 1)
		change_reach(core, ledger, &core->slots[__builtin_ctzll(m)], by);
}

#define ONE_LESS UINT32_MAX

/* A lock is given back by a warp that has ended: by a store that left the core after that, or another warp of the
 * group.  So it has not been left locked, as it seemed. */
static void take_from_left(struct ledger *ledger, const struct warp_slot *r, const struct held_lock *lock)
{
	assert(r->finished);
	assert(r->warp.full >> lock->lane & 1);
	for (uint32_t k = 0; k < LEFT_LOCKS; k++) {
		struct left_lock *left = &ledger->left[k];

		if (left->address == lock->address && left->launch == r->core_launch->launch &&
			left->group == r->group->number && left->thread == r->warp.first_thread + lock->lane)
			left->launch = NULL;
	}
}

/* The operand `k` of a lane's atomic: of 16 bytes the lower 8. */
static uint64_t operand(const struct operation *atomic, uint32_t lane, uint32_t k)
{
	uint32_t bytes = atomic->insn->access.bytes;

	assert(k < 2);
	assert(atomic->lanes >> lane & 1);
	return element_low_bits(atomic->data + (lane * 2 + k) * bytes, bytes < 8 ? bytes : 8);
}

/* The bits that a lane's write may clear; `atomic` null: a store. */
static uint64_t cleared(const struct operation *atomic, uint32_t lane)
{
	assert(!atomic || atomic->lanes >> lane & 1);
	if (!atomic || atomic->insn->access.elements > 1)
		return ~0ull;
	switch (atomic->insn->access.atomic) {
	case ATOMIC_OR: return 0;
	case ATOMIC_AND:
	case ATOMIC_EXCH: return ~operand(atomic, lane, 0);
	case ATOMIC_CAS: return ~operand(atomic, lane, 1);
	case ATOMIC_XOR: return operand(atomic, lane, 0);
	case ATOMIC_ADD: return 0 - operand(atomic, lane, 0);
	default: return ~0ull;
	}
}

static void forget(struct core *core, struct ledger *ledger, const struct warp_slot *r, uint32_t k)
{
	struct warp_locks *locks = row_of(ledger, r);
	struct held_lock lock = locks->at[k];

	assert(k < locks->held);
	assert(locks->held <= WARP_LOCKS);
	assert(lock.since <= core->now);
	observe_lock_given_back(core, r, lock.address, lock.since);
	if (lock.of_group)
		change_reach_of_others(core, ledger, r, ONE_LESS);
	if (r->finished)
		take_from_left(ledger, r, &lock);
	change_reach(core, ledger, r, ONE_LESS);
	locks->at[k] = locks->at[--locks->held];
	assert(locks->in_reach >= locks->held);
}

/* A write to a word gives back the lock that it is, or of those that its bits are, all that it clears. */
static void forget_written(
	struct core *core, struct ledger *ledger, const struct warp_slot *r, uint64_t address, uint64_t bits)
{
	struct warp_locks *locks = row_of(ledger, r);

	for (uint32_t k = locks->held; k--;) {
		struct held_lock *lock = &locks->at[k];

		assert(lock->address >= locks->lowest);
		assert(lock->address <= locks->highest);
		if (lock->address != address)
			continue;
		if (!lock->bits) {
			forget(core, ledger, r, k);
			return;
		}
		if (!(lock->bits & ~bits))
			forget(core, ledger, r, k);
		else
			lock->bits &= ~bits;
	}
}

static inline void forget_those_of(struct core *core, struct ledger *ledger, const struct warp_slot *holder,
	const uint64_t *address, lane_mask lanes, const struct operation *atomic)
{
	const struct warp_locks *locks = row_of(ledger, holder);

	assert(!locks->held || locks->lowest <= locks->highest);
	EACH_LANE(l, lanes) /* the data that a lock guards is mostly in another buffer */
		if (address[l] >= locks->lowest && address[l] <= locks->highest)
			forget_written(core, ledger, holder, address[l], cleared(atomic, (uint32_t)l));
}

static void written(struct core *core, void *state, const struct warp_slot *r, const uint64_t *address, lane_mask lanes,
	const struct operation *atomic)
{
	struct ledger *ledger = state;
	const struct warp_locks *locks = row_of(ledger, r);

	assert(locks->in_reach >= locks->held);
	assert(r->group->slots & r->bit);
	forget_those_of(core, ledger, r, address, lanes, atomic);
	if (locks->in_reach == locks->held)
		return;
	for (uint64_t m = r->group->slots & ~r->bit; m; m &= m - 1) {
		const struct warp_slot *holder = &core->slots[__builtin_ctzll(m)];

		if (row_of(ledger, holder)->held)
			forget_those_of(core, ledger, holder, address, lanes, atomic);
	}
}

/* ---- Taking ---- */

/* Tells which of two locks was taken later, on whatever cores. In functional mode each core has a clock of its own, and
 * they have turns in the order of their numbers. */
static uint64_t order_of_taking(const struct core *core)
{
	const struct machine *machine = core->machine;

	assert(core->machine->mode->takes_turns || core->now >= core->machine->time.start);
	return machine->mode->takes_turns
		       ? machine->rounds * machine->cores.count + (uint64_t)(core - machine->cores.at)
		       : core->now;
}

static void remember(struct core *core, struct ledger *ledger, const struct warp_slot *r, uint64_t address,
	uint64_t bits, uint32_t lane, const struct insn *i)
{
	struct warp_locks *locks = row_of(ledger, r);

	assert(locks->held <= WARP_LOCKS);
	assert(r->warp.full >> lane & 1);
	if (locks->held == WARP_LOCKS)
		return;
	if (!locks->held)
		locks->lowest = locks->highest = address;
	locks->lowest = address < locks->lowest ? address : locks->lowest;
	locks->highest = address > locks->highest ? address : locks->highest;
	locks->at[locks->held++] = (struct held_lock){.address = address,
		.since = core->now,
		.order = order_of_taking(core),
		.bits = bits,
		.pc = launch_pc(r->core_launch->launch, i),
		.lane = (uint16_t)lane,
		.of_group = i->flags & INSN_GROUP_TRY};
	if (i->flags & INSN_GROUP_TRY)
		change_reach_of_others(core, ledger, r, 1);
	change_reach(core, ledger, r, 1);
	assert(locks->in_reach >= locks->held);
	assert(locks->lowest <= address);
	assert(address <= locks->highest);
	observe_lock_taken(core, r, address, lane);
}

/* A warp waits from its first failed attempt to its next success. */
static inline __attribute__((always_inline)) void note_waiting(struct core *core, struct ledger *ledger,
	struct warp_locks *locks, const struct warp_slot *r, lane_mask winners, lane_mask losers, uint64_t address)
{
	assert(!(winners & losers));
	assert(locks->waiting_since <= core->now);
	if (winners && locks->waiting_since) {
		observe_lock_waited(core, r, address, locks->waiting_since);
		locks->waiting_since = 0;
	}
	if (losers && !locks->waiting_since) {
		locks->waiting_since = core->now;
		ledger->used |= r->bit;
	}
}

/* `bits` 0: it tries for the word. */
static bool is_held(const struct warp_locks *locks, uint64_t address, uint64_t bits)
{
	assert(locks->held <= WARP_LOCKS);
	for (uint32_t k = 0; k < locks->held; k++)
		if (locks->at[k].address == address && (!bits || !locks->at[k].bits || locks->at[k].bits & bits))
			return true;
	return false;
}

/* Within `answered`, which has its lanes at hand: a call costs half a percent of a program that spins. */
static inline __attribute__((always_inline)) void note_attempts(struct core *core, struct ledger *ledger,
	const struct warp_slot *r, const struct insn *i, const uint64_t *address, lane_mask winners, lane_mask losers,
	const struct operation *atomic)
{
	struct warp_locks *locks = row_of(ledger, r);
	struct counters *c = &core->counters;
	bool by_bits =
		atomic && atomic->insn->access.atomic == ATOMIC_OR; /* what a lane tries for: bits, or the word */

	assert(winners | losers);
	c->lock_success += (uint64_t)__builtin_popcountll(winners);
	note_waiting(core, ledger, locks, r, winners, losers, address[__builtin_ctzll(winners | losers)]);
	EACH_LANE(w, winners)
		remember(core, ledger, r, address[w], by_bits ? operand(atomic, (uint32_t)w, 0) : 0, (uint32_t)w, i);
	if (!locks->held) {
		c->lock_fail_other_warp += (uint64_t)__builtin_popcountll(losers);
	} else {
		EACH_LANE(f, losers) /* winners of this very instruction count: the others fail because of them */
			*(is_held(locks, address[f], by_bits ? operand(atomic, (uint32_t)f, 0) : 0)
					? &c->lock_fail_same_warp
					: &c->lock_fail_other_warp) += 1;
	}
	observe_attempts(core, r, i, address, winners, losers);
}

static void lock_answered(struct core *core, void *state, const struct warp_slot *r, const struct insn *i,
	const uint64_t *address, lane_mask granted, lane_mask refused)
{
	assert(!(granted & refused));
	assert(!((granted | refused) & ~r->warp.full));
	note_attempts(core, state, r, i, address, granted, refused, NULL);
}

/* Of compare-and-swaps on 32-bit words, as nearly all are: those that found what they compared with. */
static lane_mask equal_words(const uint8_t *data, lane_mask lanes, const uint64_t *old)
{
	lane_mask equal = 0;

	assert(lanes);
	EACH_LANE(l, lanes) {
		uint32_t compared;

		memcpy(&compared, data + l * 2 * sizeof compared, sizeof compared);
		equal |= (lane_mask)(*old++ == compared) << l;
	}
	return equal;
}

/* Whether a lane took the lock, given what it found: a compare-and-swap what it compared with (of 16 bytes the lower 8
 * count), a fetch-or its bits clear, an exchange zero or, if nothing but its own value means that the lock is taken,
 * any other. */
static inline bool has_won(const struct operation *op, uint32_t lane, uint64_t old)
{
	assert(op->insn->flags & INSN_LOCK_TRY);
	switch (op->insn->access.atomic) {
	case ATOMIC_CAS: return old == operand(op, lane, 0);
	case ATOMIC_OR: return !(old & operand(op, lane, 0));
	default: return op->insn->flags & INSN_TAKES_ANY ? old != operand(op, lane, 0) : !old;
	}
}

/* The lanes that did. */
static lane_mask successful(const struct operation *op, lane_mask lanes, const uint64_t *old)
{
	uint32_t bytes = op->insn->access.bytes, words = bytes == 16 ? 2 : 1;
	lane_mask winners = 0;

	assert(!(lanes & ~op->slot->warp.full));
	if (op->insn->access.atomic == ATOMIC_CAS && bytes == 4)
		return equal_words(op->data, lanes, old);
	EACH_LANE(l, lanes) {
		winners |= (lane_mask)has_won(op, (uint32_t)l, *old) << l;
		old += words;
	}
	return winners;
}

static void answered(struct core *core, void *state, const struct operation *op, lane_mask lanes, const uint64_t *old)
{
	lane_mask winners;

	if ((op->insn->flags & (INSN_LOCK_TRY | INSN_NO_RESULT)) != INSN_LOCK_TRY)
		return;
	assert(lanes);
	assert(!(lanes & ~op->lanes));
	winners = successful(op, lanes, old);
	note_attempts(core, state, op->slot, op->insn, op->address, winners, lanes & ~winners, op);
}

const struct observer observer_locks = {
	.state_size = sizeof(struct ledger),
	.is_asked = is_asked,
	.begins_apart = true,
	.create = create,
	.clear = clear,
	.on.warp_begins = warp_begins,
	.on.warp_ends = warp_ends,
	.on.written = written,
	.on.answered = answered,
	.on.lock_answered = lock_answered,
};
