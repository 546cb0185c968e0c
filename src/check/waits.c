/* What a thread waits for: the words that it polls, the locks among them, and their owners. */
#include "check/waits.h"

#include "check/play.h"
#include "machine/lsu/access.h"
#include "machine/lsu/lock.h"
#include "machine/lsu/lock_bits.h"
#include "machine/observe/locks.h"

#include <string.h>

bool wait_loop(const struct thread *t, struct code_range *range)
{
	const struct watched_warp *w = thread_watched(t);

	if (!w || w->first_pc > w->last_pc || w->last_pc >= t->r->warp.kernel->code_count)
		return false;
	*range = (struct code_range){w->first_pc, w->last_pc};
	return true;
}

/* How likely an access is to be what the thread waits for.  An attempt to take a lock is the likeliest.  But where
 * memory changes in each iteration, locks are taken and released again, and the thread rather waits for a value that it
 * loads between. */
static uint32_t rank_of(const struct thread *t, const struct wait *wait)
{
	bool is_load = t->r->warp.kernel->code[wait->pc].kind == INSN_LOAD;

	if (!watch_of(t->core)->unsteady && wait->is_own)
		return 0;
	if (!watch_of(t->core)->unsteady)
		return (wait->is_lock ? 3u : wait->compared.decides ? 2u : 1u) + (wait->unblocks ? 3u : 0u);
	return is_load && wait->compared.decides ? 4 : wait->is_lock ? 3 : is_load ? 2 : 1;
}

/* Where the code may go on behind the instruction at `pc`: the k-th place; NO_PC: there are no more. */
static uint32_t next_pc(const struct kernel *kernel, uint32_t pc, uint32_t k)
{
	const struct insn *i = &kernel->code[pc];
	const struct insn_extra *extra = &kernel->extras[i->extra];
	bool is_branch = i->kind == INSN_BRANCH || i->kind == INSN_INDEXED;
	bool goes_on = i->flags & INSN_GUARDED || !(is_branch || i->kind == INSN_EXIT);
	uint32_t targets = i->kind == INSN_INDEXED ? extra->target_count : i->kind == INSN_BRANCH;

	if (k < targets)
		return i->kind == INSN_INDEXED ? extra->targets[k] : i->target;
	return k == targets && goes_on && pc + 1 < kernel->code_count ? pc + 1 : NO_PC;
}

/* Marks the instructions that can be reached from `at`, or, `back`, those from which it can be reached. */
static bool *mark_ways(const struct kernel *kernel, struct arena *scratch, uint32_t at, bool back)
{
	bool *marked = arena_new_array(scratch, bool, kernel->code_count), any = true;

	while (any) {
		any = false;
		for (uint32_t j = 0; j < kernel->code_count; j++) {
			uint32_t pc = back ? kernel->code_count - 1 - j : j, next;

			for (uint32_t k = 0; (next = next_pc(kernel, pc, k)) != NO_PC; k++) {
				bool *to = back ? &marked[pc] : &marked[next];
				bool is_reached = back ? next == at || marked[next] : pc == at || marked[pc];

				any |= is_reached && !*to;
				*to |= is_reached;
			}
		}
	}
	return marked;
}

/* Whether the thread, which is at `at`, executes the instruction in each iteration of its loop.  A thread whose loop
 * reads nothing counts as in all loops of its warp: what the other paths poll is then what it waits for. */
static bool is_in_loop(const struct thread *t, uint32_t at, uint32_t pc)
{
	const struct kernel *kernel = t->r->warp.kernel;
	struct arena scratch = {0};
	struct code_range range;
	bool *ahead, *behind, is_in, reads = false;

	if (!wait_loop(t, &range) || at < range.first || at > range.last)
		return false;
	ahead = mark_ways(kernel, &scratch, at, false);
	behind = mark_ways(kernel, &scratch, at, true);
	for (uint32_t k = 0; k < kernel->code_count; k++)
		reads |= ahead[k] && behind[k] && kernel->code[k].access.bytes;
	is_in = ahead[pc] && behind[pc];
	arena_free(&scratch);
	return is_in || !reads;
}

/* The address that a lane would access, if it was not seen to do so but is in the same loop: from its registers. */
static bool address_now(const struct thread *t, uint32_t pc, struct word *word)
{
	struct warp warp = t->r->warp;
	lane_mask lane = 1ull << t->lane;
	uint64_t address[CORE_WARPS];
	struct position p = thread_position(t);

	if (p.state != THREAD_RUNS || warp.kernel->code[pc].function != 0 || !is_in_loop(t, p.pc, pc))
		return false;
	warp.bank[0] = warp.registers;
	warp.bank[1] = warp.wide_registers;
	word->space = access_addresses_of(address, &warp, &warp.kernel->code[pc], &lane);
	word->address = address[t->lane];
	return lane && (word->space == space_GLOBAL || word->space == space_SHARED);
}

static bool seen_there(const struct thread *t, const struct watched_access *a, struct word *word)
{
	if (a->pc >= t->r->warp.kernel->code_count)
		return false;
	if (!(a->lanes >> t->lane & 1))
		return address_now(t, a->pc, word);
	*word = (struct word){.space = a->space, .address = a->address[t->lane]};
	return true;
}

/* The compare-and-swap may come after the code that it repeats: the thread gets there when the other word lets it, and
 * goes back if the swap fails. */
static bool updates(const struct thread *t, uint32_t pc, struct wait *own)
{
	const struct insn *i = &t->r->warp.kernel->code[pc];

	*own = (struct wait){.found = true, .is_own = true, .pc = pc, .bytes = i->access.bytes};
	return insn_is_swap(i) && !(i->flags & INSN_LOCK_TRY) && address_now(t, pc, &own->word);
}

bool wait_own_word(const struct thread *t, struct wait *own)
{
	for (uint32_t pc = 0; pc < t->r->warp.kernel->code_count; pc++)
		if (updates(t, pc, own) && waits_include(t, &own->word))
			return true;
	return false;
}

/* Not of the compare-and-swap itself. */
static bool is_own(const struct thread *t, const struct wait *wait)
{
	struct wait own;

	for (uint32_t pc = 0; pc < t->r->warp.kernel->code_count; pc++)
		if (pc != wait->pc && updates(t, pc, &own) && own.word.space == wait->word.space &&
			own.word.address == wait->word.address)
			return true;
	return false;
}

static struct wait wait_at(const struct thread *t, uint32_t pc, struct word word)
{
	const struct insn *i = &t->r->warp.kernel->code[pc];
	struct wait wait = {.found = true,
		.is_lock = i->flags & INSN_LOCK_TRY || i->kind == INSN_LOAD_LOCK,
		.bit = i->kind == INSN_LOAD_LOCK,
		.pc = pc,
		.word = word,
		.bytes = i->access.bytes};
	struct code_range range;

	if (!wait_loop(t, &range))
		return wait;
	wait.compared = compared_with(t, pc, range);
	wait.is_own = is_own(t, &wait);
	wait.unblocks = watch_of(t->core)->unsteady || ahead_leaves(t, range, &word, NULL);
	return wait;
}

/* Inserts a wait after those of the same or a higher rank; returns the new count. */
static uint32_t insert(const struct thread *t, struct wait *waits, uint32_t count, const struct wait *wait)
{
	uint32_t k = count;

	for (; k && rank_of(t, &waits[k - 1]) < rank_of(t, wait); k--)
		waits[k] = waits[k - 1];
	waits[k] = *wait;
	return count + 1;
}

static uint32_t seen_in(const struct thread *t, const struct watched_list *list, struct wait *waits, uint32_t most)
{
	uint32_t count = 0;

	for (uint32_t k = 0; k < list->count; k++) {
		struct word word;
		struct wait wait;

		if (count == most || !seen_there(t, &list->at[k], &word))
			continue;
		wait = wait_at(t, list->at[k].pc, word);
		count = insert(t, waits, count, &wait);
	}
	return count;
}

/* Of a lock that it has asked for, by a lock instruction or an atomic, without having been answered. */
static bool find_request(const struct thread *t, struct wait *wait)
{
	const struct lock_wait *lock = t->r ? lock_wait_of(t->core, t->r, t->lane) : NULL;
	uint32_t pc = 0;
	uint64_t address = 0;

	*wait = (struct wait){.found = true, .is_lock = true};
	if (lock) {
		wait->pc = lock->pc;
		wait->word = (struct word){.space = space_GLOBAL, .address = lock->address};
		wait->bytes = 4;
		return true;
	}
	if (!(thread_stopped_atomic(t, &pc, &address) >> t->lane & 1))
		return false;
	wait->bit = true;
	wait->pc = pc;
	wait->word = (struct word){.space = space_SHARED, .address = address};
	wait->bytes = t->r->warp.kernel->code[pc].access.bytes;
	return true;
}

uint32_t waits_of(const struct thread *t, struct wait *waits, uint32_t most)
{
	const struct watched_warp *w = thread_watched(t);

	if (find_request(t, &waits[0]))
		return 1;
	return w ? seen_in(t, &w->round, waits, most) : 0;
}

uint32_t waits_of_unsteady(const struct thread *t, struct wait *waits, uint32_t most)
{
	const struct watched_warp *w = thread_watched(t);

	return w && t->r ? seen_in(t, &w->unsteady, waits, most) : 0;
}

bool waits_include(const struct thread *t, const struct word *word)
{
	const struct watched_warp *w = thread_watched(t);
	struct wait request;
	struct word seen;

	if (find_request(t, &request))
		return word->space == request.word.space && word->address == request.word.address;
	for (uint32_t k = 0; w && k < w->round.count; k++)
		if (seen_there(t, &w->round.at[k], &seen) && seen.space == word->space && seen.address == word->address)
			return true;
	return false;
}

struct wait wait_of(const struct thread *t)
{
	struct wait waits[WATCH_ACCESSES];

	return waits_of(t, waits, WATCH_ACCESSES) ? waits[0] : (struct wait){0};
}

/* Changes *t to the first of the lanes if wait_of finds a word for that. */
static bool choose(struct thread *t, lane_mask lanes)
{
	struct thread first = *t;

	if (lanes)
		first = thread_at(t->core, t->r, (uint32_t)__builtin_ctzll(lanes));
	if (!lanes || !wait_of(&first).found)
		return false;
	*t = first;
	return true;
}

bool wait_choose_lane(struct thread *t)
{
	const struct watched_warp *w = thread_watched(t);

	if (wait_of(t).found || choose(t, lock_lanes_waiting(t->core, t->r)))
		return true;
	for (uint32_t k = 0; w && k < w->round.count; k++)
		if (choose(t, w->round.at[k].lanes & t->r->warp.live))
			return true;
	return false;
}

uint64_t wait_value(const struct thread *t, const struct wait *wait)
{
	const uint8_t *at = NULL;
	uint64_t bits = 0;

	if (wait->bytes != 4 && wait->bytes != 8)
		return 0;
	if (wait->word.space == space_GLOBAL && space_find(t->core->machine->space, wait->word.address, wait->bytes))
		at = space_host(t->core->machine->space, wait->word.address);
	if (wait->word.space == space_SHARED && wait->word.address + wait->bytes <= t->r->warp.shared_bytes)
		at = t->r->warp.shared + wait->word.address;
	if (at)
		memcpy(&bits, at, wait->bytes);
	return bits;
}

/* What an operand of the instruction at `pc` has for certain: a constant, as an immediate or moved to a register
 * before. Registers are used again for other values, so what they have now is no answer. */
static bool find_constant(const struct thread *t, uint32_t pc, uint32_t operand, uint64_t *value)
{
	const struct insn *code = t->r->warp.kernel->code, *i = &code[pc];
	slot_ref slot = i->s[operand];

	for (uint32_t k = pc; slot != SLOT_NONE && !(slot & SLOT_CONSTANT) && k--;) {
		const struct insn *before = &code[k];

		if (before->function != i->function || before->kind == INSN_CALL)
			return false;
		if (before->d != slot)
			continue;
		if (before->kind != INSN_PLAIN || before->op != OP_mov || before->guard ||
			before->d_bytes != i->s_bytes[operand])
			return false;
		slot = before->s[0];
		break;
	}
	if (slot == SLOT_NONE || !(slot & SLOT_CONSTANT))
		return false;
	*value = thread_register(t, slot, i->s_bytes[operand]); /* the same for all lanes */
	return true;
}

/* The bits of the word that the thread's fetch-or tries to set; 0: it does not try for bits. */
static uint64_t wanted_bits(const struct thread *t, const struct wait *wait)
{
	const struct insn *i = &t->r->warp.kernel->code[wait->pc];
	uint64_t bits;

	if (!wait->is_lock || i->kind != INSN_ATOMIC || i->access.atomic != ATOMIC_OR)
		return 0;
	return play_operand(t, wait, &bits) ? bits : 0;
}

/* The value that a lock has when it is free: what the compare-and-swap that took it compares with.  False: that is no
 * constant. */
static bool free_value(const struct owner *owner, const struct thread *t, uint64_t *value)
{
	const struct insn *i = &t->r->warp.kernel->code[owner->pc];

	*value = i->kind == INSN_ACQUIRE ? UINT32_MAX : 0;
	return !insn_is_swap(i) || find_constant(t, owner->pc, 1, value);
}

/* Whether the word says that the lock is taken, as far as that is known. */
static bool is_taken(const struct thread *t, const struct wait *wait, const struct owner *owner)
{
	uint64_t now = wait_value(t, wait), is_free = 0;

	if (owner->bits)
		return now & owner->bits;
	if (t->r->warp.kernel->code[owner->pc].flags & INSN_TAKES_ANY)
		return true;
	return free_value(owner, t, &is_free) && now != is_free;
}

static void take_later(struct owner *owner, const struct owner *candidate)
{
	if (!owner->found || candidate->order > owner->order)
		*owner = *candidate;
}

/* A lock of these bits is one that a thread waits for which wants those; 0: the whole word. */
static bool is_of(uint64_t held, uint64_t wanted)
{
	return !held || !wanted || held & wanted;
}

static void look_in_held(
	const struct thread *t, const struct wait *wait, const struct thread *holder, struct owner *owner)
{
	const struct warp_locks *locks = locks_of(holder->core, holder->r);
	uint64_t bits = wanted_bits(t, wait);

	if (wait->word.space == space_SHARED && holder->r->group != t->r->group)
		return;
	for (uint32_t k = 0; k < locks->held; k++)
		if (locks->at[k].address == wait->word.address && is_of(locks->at[k].bits, bits))
			take_later(owner, &(struct owner){.found = true,
						  .at = thread_at(holder->core, holder->r, locks->at[k].lane),
						  .pc = locks->at[k].pc,
						  .bits = locks->at[k].bits,
						  .order = locks->at[k].order});
}

static void look_in_left(const struct thread *t, const struct wait *wait, struct owner *owner)
{
	const struct launch *launch = t->r->core_launch->launch;
	bool shared = wait->word.space == space_SHARED;
	uint64_t bits = wanted_bits(t, wait);

	for (uint32_t c = 0; c < launch->machine->cores.count; c++) {
		const struct core *core = &launch->machine->cores.at[c];
		uint32_t count = 0;
		const struct left_lock *left = core->machine ? locks_left(core, &count) : NULL;

		for (; count; count--, left++)
			if (left->address == wait->word.address && left->launch == launch &&
				(!shared || left->group == t->group) && is_of(left->bits, bits))
				take_later(owner, &(struct owner){.found = true,
							  .at = {.group = left->group, .number = left->thread},
							  .pc = left->pc,
							  .bits = left->bits,
							  .order = left->order});
	}
}

/* Of a warp that has ended: only the numbers. */
static struct thread find_taker(const struct core *core, const struct lock_bit_taker *taker)
{
	for (uint32_t slot = 0; slot < core->warps.count; slot++) {
		struct warp_slot *r = &core->slots[slot];

		if (!(core->warps.unused >> slot & 1) && r->used && !r->finished &&
			r->core_launch->launch == taker->launch && r->group->number == taker->group &&
			taker->thread - r->warp.first_thread < r->warp.lanes)
			return thread_at((struct core *)(uintptr_t)core, r, taker->thread - r->warp.first_thread);
	}
	return (struct thread){.group = taker->group, .number = taker->thread};
}

static struct owner owner_of_bit(const struct thread *t, const struct wait *wait)
{
	const struct lock_bit_taker *taker = lock_bits_taker(t->core, t->r->group, wait->word.address);

	if (!taker)
		return (struct owner){0};
	return (struct owner){.found = true,
		.at = find_taker(t->core, taker),
		.pc = taker->pc,
		.order = taker->since,
		.is_alias = taker->place != lock_bits_word(t->r->group, wait->word.address / 4 * 4),
		.word = taker->word};
}

struct owner wait_owner(const struct thread *t, const struct wait *wait)
{
	struct owner owner = {0};

	if (wait->bit)
		return owner_of_bit(t, wait);

	EACH_WARP(t->r->core_launch->launch, holder)
		look_in_held(t, wait, &holder, &owner);
	look_in_left(t, wait, &owner);
	/* A thread that only polls the word waits for the lock while that is taken, and for something else when it is
	 * free, or when that is not known. */
	if (owner.found && !wait->is_lock)
		owner.found = is_taken(t, wait, &owner);
	return owner;
}

/* Asked of the whole warp: hang detection records stale loads per warp, not per word. */
bool wait_is_stale(const struct thread *t, const struct wait *wait)
{
	return wait->word.space == space_GLOBAL && t->r->warp.kernel->code[wait->pc].kind == INSN_LOAD &&
	       watch_reads_stale(t->core, t->r);
}

/* ---- Rings ---- */

static int64_t extend(uint64_t value, uint8_t bytes)
{
	return bytes == 4 ? (int32_t)value : (int64_t)value;
}

bool ring_find(const struct thread *t, const struct wait *wait, struct ring *ring)
{
	struct wait own;
	uint64_t wanted[2];

	if (wait->is_lock || wait->is_own || !wait_own_word(t, &own) || own.word.address == wait->word.address ||
		play_wishes(t, wait, wanted, 2) != 1)
		return false;
	ring->place = (uint64_t)extend(wait_value(t, &own), own.bytes);
	ring->now = (uint64_t)extend(wait_value(t, wait), wait->bytes);
	ring->wanted = (uint64_t)extend(wanted[0], wait->bytes);
	ring->kind = ring->wanted == ring->place       ? RING_FULL
		     : ring->wanted == ring->place + 1 ? RING_EMPTY
						       : RING_UNKNOWN;
	return true;
}
