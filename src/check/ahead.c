/* What a thread can still do: see ahead.h.  A forward data-flow analysis of the instructions of its function, for one
 * lane: the values lie in the registers of a copy of the warp, so that the instructions' own functions compute them
 * (ahead_state.h). */
#include "check/ahead_state.h"

#include "machine/lsu/access.h"
#include "machine/lsu/in_core.h"
#include "machine/lsu/lock.h"
#include "machine/state/machine.h"

#include <string.h>

#define MOST_STEPS 200000u /* instructions; a thread that needs more may do anything, as far as is known */

/* ---- Memory ---- */

/* Null: nothing is allocated there. */
static uint8_t *memory_at(struct walk *w, uint8_t space, uint64_t address, uint64_t bytes)
{
	if (space == space_GLOBAL)
		return space_find(w->core->machine->space, address, bytes)
			       ? space_host(w->core->machine->space, address)
			       : NULL;
	return address + bytes <= w->scratch.warp.shared_bytes ? w->scratch.warp.shared + address : NULL;
}

const uint8_t *walk_memory(struct walk *w, const struct word *word, uint64_t bytes)
{
	return memory_at(w, word->space, word->address, bytes);
}

/* Loads what memory holds now; false: this is not possible, and the result is unknown. */
static bool load_as_is(struct walk *w, const struct insn *i)
{
	lane_mask lane = 1ull << w->lane;
	uint64_t address[CORE_WARPS];
	uint8_t space;
	const uint8_t *at = NULL;

	if (walk_slot_value(w, i->s[0]).certainty < AS_IS || i->d == SLOT_NONE || i->access.elements != 1 ||
		i->access.bytes != i->access.register_bytes || i->access.bytes > 8 || i->access.space == space_SURFACE)
		return false;
	space = access_addresses_of(address, &w->scratch.warp, i, &lane);
	if (lane && (space == space_GLOBAL || space == space_SHARED))
		at = memory_at(w, space, address[w->lane], i->access.bytes);
	if (!at)
		return false;
	if (w->frozen && space == w->word->space && address[w->lane] == w->word->address) {
		if (!w->given)
			return false;
		at = (const uint8_t *)w->given;
	}
	if (i->access.bytes == 4)
		memcpy((uint32_t *)slot_at(&w->scratch.warp, i->d) + w->lane, at, 4);
	else
		memcpy((uint64_t *)slot_at(&w->scratch.warp, i->d) + w->lane, at, 8);
	return true;
}

/* A load from memory that other threads may write, or the old value that an atomic returns. */
static void look(struct walk *w, const struct insn *i)
{
	enum certainty certainty = i->kind == INSN_ATOMIC && !w->frozen ? UNKNOWN : load_as_is(w, i) ? AS_IS : UNKNOWN;

	walk_set_results(w, i, certainty == AS_IS && w->frozen ? KNOWN : certainty, true);
}

bool walk_load_fixed(struct walk *w, const struct insn *i)
{
	bool stopped = w->core->stopped, loaded;

	w->core->stopped = true; /* so that a fault here is not recorded as the core's */
	loaded = in_core_access(w->core, &w->scratch, i, 1ull << w->lane, i->access.space);
	w->core->stopped = stopped;
	return loaded;
}

static void note_reach(struct walk *w, const struct insn *i, enum reach reach)
{
	if (reach <= w->ahead.reach || (uint32_t)(i - w->kernel->code) == w->ignored)
		return;
	w->ahead.reach = reach;
	w->ahead.store = (uint32_t)(i - w->kernel->code);
}

/* walk_changes_nothing, by operands that are known. */
static bool is_known_to_change_nothing(const struct walk *w, const struct insn *i, const uint8_t *at)
{
	uint64_t before = 0;
	bool fails;

	if (i->access.bytes > sizeof before || i->s[1] == SLOT_NONE || walk_slot_value(w, i->s[1]).certainty != KNOWN)
		return false;
	memcpy(&before, at, i->access.bytes);
	fails = insn_is_swap(i) && walk_bits(w, i->s[1], i->access.bytes) != before;
	return walk_changes_nothing(w, i, before) &&
	       (fails || !insn_is_swap(i) || walk_slot_value(w, i->s[2]).certainty == KNOWN);
}

static bool is_lock_attempt(const struct insn *i)
{
	return i->kind == INSN_ATOMIC && (i->access.atomic == ATOMIC_CAS || i->flags & INSN_LOCK_TRY);
}

/* Where the instruction goes; lanes that go to another group's shared memory count only if the word is there. */
static uint8_t addresses_of(const struct walk *w, uint64_t *address, const struct insn *i, lane_mask *lane)
{
	lane_mask of[SPACES];

	if (w->word->space != space_CLUSTER)
		return access_addresses_of(address, &w->scratch.warp, i, lane);
	access_resolve(of, &w->scratch.warp, i, *lane);
	*lane = of[space_CLUSTER];
	access_addresses(address, &w->scratch.warp, i, *lane, space_CLUSTER);
	return space_CLUSTER;
}

/* A store or an atomic whose address is known: is it to the word? */
static void visit_address(struct walk *w, const struct insn *i, enum certainty certainty)
{
	lane_mask lane = 1ull << w->lane;
	uint64_t address[CORE_WARPS];
	uint8_t space = addresses_of(w, address, i, &lane);
	uint64_t bytes = (uint64_t)i->access.bytes * i->access.elements, at = address[w->lane];
	const uint8_t *memory;

	if (!lane || space != w->word->space || w->word->address < at || w->word->address - at >= bytes)
		return;
	memory = space == space_CLUSTER ? NULL : memory_at(w, space, at, bytes);
	if (w->past && is_lock_attempt(i)) {
		w->ahead.attempts_lock = true;
		w->ahead.attempt = (uint32_t)(i - w->kernel->code);
	} else if (w->past || !memory || !is_known_to_change_nothing(w, i, memory)) {
		note_reach(w, i, certainty == KNOWN ? REACH_CERTAIN : REACH_AS_IS);
	}
}

/* Of an instruction that names its space: whether it may go there. */
static bool is_in(const struct insn *i, uint8_t space)
{
	return space == space_CLUSTER ? i->access.cluster : i->access.space == space;
}

static bool foresee_store(struct walk *w, const struct insn *i)
{
	struct value to = walk_slot_value(w, i->s[0]);
	uint8_t space = i->access.space;

	if (space == space_LOCAL) {
		struct value in = walk_sources_of(w, i);

		walk_local_of(w, w->now)->certainty = UNKNOWN;
		walk_local_of(w, w->now)->external |= in.external;
	}
	if (!w->word || w->word->is_mbarrier || (i->flags & INSN_LOCK_TRY && !w->past) ||
		(space != space_NONE && space != space_SURFACE && !is_in(i, w->word->space)))
		return true;
	if (space == space_SURFACE || to.certainty == UNKNOWN)
		note_reach(w, i, space == space_SHARED ? REACH_BUFFER : REACH_UNKNOWN);
	else if (to.certainty >= AS_IS)
		visit_address(w, i, (enum certainty)to.certainty);
	else if (w->buffer && space_find(w->core->machine->space,
				      ((const uint64_t *)slot_at(&w->scratch.warp, i->s[0]))[w->lane], 1) == w->buffer)
		note_reach(w, i, REACH_BUFFER);
	return true;
}

/* ---- Analysing ---- */

/* Of setmaxnreg.dec: how many registers it leaves the thread. */
static void note_registers(struct walk *w, const struct insn *i)
{
	uint32_t count;

	if (i->kind != INSN_REGISTERS || i->op != OP_setmaxnreg_dec)
		return;
	count = *(const uint32_t *)slot_at(&w->scratch.warp, i->s[0]);
	if (w->ahead.registers && w->ahead.registers <= count)
		return;
	w->ahead.registers = count;
	w->ahead.gives_registers = (uint32_t)(i - w->kernel->code);
}

/* As if it could reach all of them. */
static void note_all_registers(struct walk *w)
{
	for (uint32_t pc = 0; w->kernel->uses.register_pool && pc < w->kernel->code_count; pc++)
		note_registers(w, &w->kernel->code[pc]);
}

/* A function that is called, or returned to, may do anything: it is not analysed. */
static void assume_anything(struct walk *w, const struct insn *i)
{
	note_all_registers(w);
	if (w->word && (w->word->is_mbarrier || ahead_has_stores(w->kernel, w->word->space)))
		note_reach(w, i, REACH_UNKNOWN);
	w->ahead.leaves = w->ahead.external_branch = true;
	walk_local_of(w, w->now)->certainty = UNKNOWN;
	walk_local_of(w, w->now)->external = true;
}

/* One function for each kind: analyses an instruction that may be executed.  False: the path ends here. */

static bool foresee_branch(struct walk *w, const struct insn *i)
{
	walk_branch_to(w, i->target);
	return w->guard == GUARD_EITHER;
}

static bool foresee_indexed(struct walk *w, const struct insn *i)
{
	const struct insn_extra *extra = &w->kernel->extras[i->extra];
	struct value index = walk_slot_value(w, i->s[0]);
	uint32_t which = (uint32_t)walk_bits(w, i->s[0], 4);

	w->ahead.external_branch |= index.certainty != KNOWN && index.external;
	for (uint32_t k = 0; k < extra->target_count; k++)
		if (index.certainty != KNOWN || k == which)
			walk_branch_to(w, extra->targets[k]);
	return w->guard == GUARD_EITHER;
}

static bool foresee_return(struct walk *w, const struct insn *i)
{
	assume_anything(w, i);
	return w->guard == GUARD_EITHER;
}

static bool foresee_exit(struct walk *w, const struct insn *i)
{
	(void)i;
	w->ahead.leaves = true;
	return w->guard == GUARD_EITHER;
}

static bool foresee_call(struct walk *w, const struct insn *i)
{
	assume_anything(w, i);
	return true;
}

static bool foresee_load(struct walk *w, const struct insn *i)
{
	uint8_t space = i->access.space;
	bool is_fixed = space == space_PARAM || space == space_CONST;
	const struct value *local = walk_local_of(w, w->now);
	struct value in = walk_sources_of(w, i);

	if (w->guard == GUARD_EITHER) {
		walk_set_results(w, i, UNKNOWN, true);
	} else if ((is_fixed || (space == space_LOCAL && local->certainty == KNOWN)) && in.certainty == KNOWN) {
		walk_set_results(w, i, walk_load_fixed(w, i) ? KNOWN : UNKNOWN, in.external);
	} else if (is_fixed || space == space_LOCAL) {
		walk_set_results(w, i, UNKNOWN, in.external | (space == space_LOCAL && local->external));
	} else {
		look(w, i);
	}
	return true;
}

static bool foresee_atomic(struct walk *w, const struct insn *i)
{
	foresee_store(w, i);
	if (w->guard == GUARD_TRUE)
		look(w, i);
	else
		walk_set_results(w, i, UNKNOWN, true);
	return true;
}

/* A lock instruction that releases a lock. */
static bool foresee_release(struct walk *w, const struct insn *i)
{
	struct value in = walk_sources_of(w, i);
	uint64_t address[CORE_WARPS];

	if (!w->word || w->word->space != space_GLOBAL)
		return true;
	lock_addresses(address, &w->scratch.warp, i, 1ull << w->lane);
	if (in.certainty < AS_IS)
		note_reach(w, i, REACH_UNKNOWN);
	else if (address[w->lane] == w->word->address)
		note_reach(w, i, in.certainty == KNOWN ? REACH_CERTAIN : REACH_AS_IS);
	return true;
}

static void note_barrier(struct walk *w, const struct insn *i)
{
	struct barrier_ahead what = {.pc = (uint32_t)(i - w->kernel->code),
		.number = NAMED_BARRIERS,
		.waits = i->op != OP_bar_arrive && i->op != OP_barrier_arrive};

	if (!w->barriers || i->s[1] == SLOT_NONE || w->barrier_count == w->barrier_most)
		return;
	if (walk_slot_value(w, i->s[0]).certainty >= AS_IS && walk_bits(w, i->s[0], 4) < NAMED_BARRIERS)
		what.number = (uint32_t)walk_bits(w, i->s[0], 4);
	if (walk_slot_value(w, i->s[1]).certainty >= AS_IS)
		what.count = (uint32_t)walk_bits(w, i->s[1], 4);
	for (uint32_t k = 0; k < w->barrier_count; k++)
		if (w->barriers[k].pc == what.pc && w->barriers[k].number == what.number &&
			w->barriers[k].count == what.count)
			return;
	w->barriers[w->barrier_count++] = what;
}

static bool foresee_barrier(struct walk *w, const struct insn *i)
{
	note_barrier(w, i);
	w->ahead.leaves = w->ahead.reaches_barrier = true;
	walk_set_results(w, i, UNKNOWN, true);
	return !w->stops_at_barrier || w->guard == GUARD_EITHER;
}

/* That it may wait for other threads is not analysed. */
static bool foresee_registers(struct walk *w, const struct insn *i)
{
	note_registers(w, i);
	return true;
}

/* Its result, and whether it completes, depends on other threads. */
static bool foresee_external(struct walk *w, const struct insn *i)
{
	w->ahead.external_branch = true;
	walk_set_results(w, i, UNKNOWN, true);
	return true;
}

/* It writes to addresses that are not analysed. */
static bool foresee_anywhere(struct walk *w, const struct insn *i)
{
	if (w->word)
		note_reach(w, i, REACH_UNKNOWN);
	walk_set_results(w, i, UNKNOWN, true);
	return true;
}

/* An instruction that arrives at an mbarrier, or lets a copy tell one: that at `address`, if it is known. */
static void visit_object(struct walk *w, const struct insn *i, enum certainty certainty, uint64_t address)
{
	if (certainty < AS_IS)
		note_reach(w, i, REACH_BUFFER);
	else if (address == w->word->address)
		note_reach(w, i, certainty == KNOWN ? REACH_CERTAIN : REACH_AS_IS);
}

static bool foresee_mbarrier(struct walk *w, const struct insn *i)
{
	lane_mask lane = 1ull << w->lane;
	uint64_t address[CORE_WARPS];
	bool acts = ptx_ops[i->op].effects != EFFECT_READS && i->op != OP_mbarrier_init && i->op != OP_mbarrier_inval;

	if (w->word && w->word->is_mbarrier && acts) {
		uint8_t space = addresses_of(w, address, i, &lane);

		if (lane && space == w->word->space)
			visit_object(w, i, (enum certainty)walk_slot_value(w, i->s[0]).certainty, address[w->lane]);
	}
	return foresee_external(w, i);
}

/* The source of a copy, or of cp.async.mbarrier.arrive, that is an mbarrier of the thread's own work-group. */
static bool foresee_copy(struct walk *w, const struct insn *i)
{
	uint32_t source = i->op == OP_cp_async_arrive ? 1 : 3;
	bool has_object = i->s[source] != SLOT_NONE && (source == 1 || i->op != OP_cp_async_bulk_store);

	if (!w->word || !w->word->is_mbarrier)
		return foresee_anywhere(w, i);
	if (has_object && w->word->space == space_SHARED) {
		uint64_t address = walk_bits(w, i->s[source], i->s_bytes[source]) +
				   (uint64_t)w->kernel->extras[i->extra].offsets[source == 3];

		address -= address - SHARED_BASE < WINDOW_BYTES ? SHARED_BASE : 0;
		visit_object(w, i, (enum certainty)walk_slot_value(w, i->s[source]).certainty,
			access_own_part(&w->scratch.warp, address));
	}
	walk_set_results(w, i, UNKNOWN, true);
	return true;
}

static bool foresee_compute(struct walk *w, const struct insn *i)
{
	walk_compute(w, i);
	return true;
}

typedef bool kind_follower(struct walk *w, const struct insn *i);

static kind_follower *const foresee_kind[INSN_KINDS] = {
#define KIND(id, class, unit, decode, execute, foresee, memory, flags) [INSN_##id] = foresee_##foresee,
#include "kernel/kinds.def"
#undef KIND
};

static void follow_from(struct walk *w, uint32_t pc)
{
	memcpy(w->now, w->at[pc - w->first_pc], w->count * sizeof *w->now);
	walk_restore_bits(w);
	for (uint32_t start = pc; pc - w->first_pc < w->code_count; pc++) {
		const struct insn *i = &w->kernel->code[pc];
		bool external;

		w->guard = walk_guard_of(w, i, &external);

		if (pc != start && w->joins[pc - w->first_pc]) {
			walk_branch_to(w, pc);
			return;
		}
		if (w->frozen && (pc < w->range.first || pc > w->range.last) &&
			i->function == w->kernel->code[w->range.first].function) {
			w->escapes = true;
			return;
		}
		if (++w->steps > MOST_STEPS)
			return;
		w->ahead.external_branch |= w->guard == GUARD_EITHER && external &&
					    (i->kind == INSN_BRANCH || i->kind == INSN_EXIT || i->kind == INSN_RETURN);
		if (w->guard != GUARD_FALSE && !foresee_kind[i->kind](w, i))
			return;
	}
	w->ahead.leaves = true;
}

static void mark_joins(struct walk *w)
{
	for (uint32_t pc = w->first_pc; pc < w->first_pc + w->code_count; pc++) {
		const struct insn *i = &w->kernel->code[pc];
		const struct insn_extra *extra = &w->kernel->extras[i->extra];

		if (i->kind == INSN_BRANCH && i->target - w->first_pc < w->code_count)
			w->joins[i->target - w->first_pc] = true;
		for (uint32_t k = 0; i->kind == INSN_INDEXED && k < extra->target_count; k++)
			w->joins[extra->targets[k] - w->first_pc] = true;
	}
}

/* Gives the copy of the warp registers of its own, with the values of the frame that begins at these banks. */
static void copy_registers(struct walk *w, uint32_t *const bank[2], const lane_mask *predicates)
{
	struct warp *warp = &w->scratch.warp;
	size_t words = (size_t)w->slots * warp->lanes;

	for (uint32_t k = 0; k < 2; k++) {
		warp->bank[k] = arena_new_array(&w->arena, uint32_t, words + 4u * warp->lanes);
		memcpy(warp->bank[k], bank[k], words * sizeof(uint32_t));
	}
	warp->registers = warp->bank[0];
	warp->wide_registers = warp->bank[1];
	warp->predicates = arena_new_array(&w->arena, lane_mask, w->predicates + 1u);
	memcpy(warp->predicates, predicates, w->predicates * sizeof(lane_mask));
	warp->predicate_file = warp->predicates;
	warp->carry = &warp->carry_bits;
}

/* The analysis of a thread in the function of `pc`, whose frame begins at these banks. */
static struct walk *begin(const struct thread *t, uint32_t pc, uint32_t *const bank[2], const lane_mask *predicates,
	const struct word *word)
{
	struct arena arena = {0};
	struct walk *w = arena_new(&arena, struct walk);
	struct launch_values *values;
	const struct kernel *kernel = t->r->warp.kernel;
	const struct kernel_function *function = &kernel->functions[kernel->code[pc].function];

	*w = (struct walk){.core = t->core,
		.scratch = *t->r,
		.kernel = kernel,
		.lane = t->lane,
		.first_pc = function->first_pc,
		.code_count = function->count,
		.slots = function->slot_count,
		.predicates = function->predicate_count,
		.ignored = AHEAD_ALL,
		.word = word};
	w->arena = arena;
	w->scratch.bit = 0; /* observers do not hear what is only thought, and no group says that it takes part */
	values = arena_new(&w->arena, struct launch_values);
	*values = *t->r->warp.launch;
	values->participants = NULL;
	w->scratch.warp.launch = values;
	w->count = w->slots + w->predicates + 1;
	w->now = arena_new_array(&w->arena, struct value, w->count);
	w->at = arena_new_array(&w->arena, struct value *, w->code_count);
	w->joins = arena_new_array(&w->arena, bool, w->code_count);
	w->queued = arena_new_array(&w->arena, bool, w->code_count);
	w->todo = arena_new_array(&w->arena, uint32_t, w->code_count);
	w->buffer = word && word->space == space_GLOBAL ? space_find(t->core->machine->space, word->address, 1) : NULL;
	copy_registers(w, bank, predicates);
	mark_joins(w);
	for (uint32_t k = 0; k < w->count; k++)
		w->now[k].certainty = KNOWN;
	return w;
}

static void follow_all(struct walk *w, uint32_t pc)
{
	walk_branch_to(w, pc);
	while (w->todo_count && w->steps <= MOST_STEPS) {
		uint32_t next = w->todo[--w->todo_count];

		w->queued[next - w->first_pc] = false;
		follow_from(w, next);
	}
	if (w->steps > MOST_STEPS)
		assume_anything(w, &w->kernel->code[pc]);
}

static struct ahead finish(struct walk *w, uint32_t pc)
{
	struct ahead ahead;

	follow_all(w, pc);
	ahead = w->ahead;
	walk_end(w);
	return ahead;
}

/* Registers with an outstanding load are unknown; so are all registers if their frame is not accessible. */
static void forget_pending(struct walk *w, const struct warp_slot *r, bool at_hand, bool runs)
{
	for (uint32_t k = 0; k < w->slots + w->predicates; k++) {
		const uint64_t *ready = k < w->slots ? &r->register_ready[k] : &r->predicate_ready[k - w->slots];

		if (k == w->slots) /* predicate 0 is all lanes */
			continue;
		if (!at_hand || (runs && *ready == NEVER))
			w->now[k] = (struct value){.certainty = UNKNOWN, .external = true};
	}
	if (!at_hand)
		*walk_local_of(w, w->now) = (struct value){.certainty = UNKNOWN, .external = true};
}

static bool is_active(const struct thread *t)
{
	return t->r->warp.path->active >> t->lane & 1;
}

/* The analysis of a living thread, with its own registers; *at_hand: whether the frame of `pc` is accessible. */
static struct walk *begin_living(const struct thread *t, uint32_t pc, const struct word *word, bool *at_hand)
{
	const struct warp *warp = &t->r->warp;
	bool in_entry = warp->kernel->code[pc].function == 0;
	uint32_t *const entry_frame[2] = {warp->registers, warp->wide_registers}, *const frame[2] = {
											  warp->bank[0], warp->bank[1]};
	bool in_frame = is_active(t) && warp->kernel->code[pc].function == warp->kernel->code[warp->path->pc].function;
	struct walk *w = begin(t, pc, in_entry ? entry_frame : frame, /* the entry function has one frame only */
		in_frame ? warp->predicates : warp->predicate_file, word);

	if (in_entry)
		w->scratch.warp.stack_base = 0;
	*at_hand = in_entry || in_frame;
	return w;
}

struct walk *walk_begin_at(const struct thread *t, uint32_t pc)
{
	bool at_hand;

	return begin_living(t, pc, NULL, &at_hand);
}

void walk_end(struct walk *w)
{
	struct arena arena = w->arena;

	arena_free(&arena);
}

struct ahead ahead_of(const struct thread *t, uint32_t pc, const struct word *word, bool to_barrier)
{
	bool at_hand;
	struct walk *w = begin_living(t, pc, word, &at_hand);

	w->stops_at_barrier = to_barrier;
	forget_pending(w, t->r, at_hand, is_active(t));
	return finish(w, pc);
}

uint32_t ahead_barriers(const struct thread *t, uint32_t pc, struct barrier_ahead *list, uint32_t most)
{
	bool at_hand;
	struct walk *w = begin_living(t, pc, NULL, &at_hand);
	uint32_t count;

	w->barriers = list;
	w->barrier_most = most;
	forget_pending(w, t->r, at_hand, is_active(t));
	follow_all(w, pc);
	count = w->barrier_count;
	walk_end(w);
	return count;
}

bool ahead_leaves(const struct thread *t, struct code_range range, const struct word *word, const uint64_t *value)
{
	bool at_hand, leaves;
	struct walk *w = begin_living(t, range.first, word, &at_hand);

	forget_pending(w, t->r, at_hand, false);
	w->frozen = true;
	w->range = range;
	w->given = value;
	follow_all(w, range.first);
	leaves = w->escapes || w->ahead.leaves;
	walk_end(w);
	return leaves;
}

struct ahead ahead_from_start(
	const struct thread *like, uint32_t group, uint32_t thread, const struct word *word, bool past)
{
	uint32_t place[3];

	launch_place_group(&like->r->core_launch->launch->values, group, place);
	return ahead_of_group(like, place, thread, word, past, AHEAD_ALL);
}

/* A warp past the end of a group of one dimension: its threads are numbered as if the group went on. */
static void number_past_end(struct walk *w, struct warp *warp)
{
	uint32_t end = warp->first_thread + warp->lanes;
	struct launch_values *values;

	if (end <= warp->launch->block[0] || warp->launch->block[1] > 1 || warp->launch->block[2] > 1)
		return;
	values = arena_new(&w->arena, struct launch_values);
	*values = *warp->launch;
	values->block[0] = end;
	warp->launch = values;
}

struct ahead ahead_of_group(const struct thread *like, const uint32_t group[3], uint32_t thread,
	const struct word *word, bool past, uint32_t ignored)
{
	const struct warp *warp = &like->r->warp;
	struct thread first = {.core = like->core, .r = like->r, .lane = thread % warp->lanes};
	uint32_t *const frame[2] = {warp->registers, warp->wide_registers}, pc = warp->kernel->functions[0].first_pc;
	struct walk *w = begin(&first, pc, frame, warp->predicate_file, word);
	struct warp *fresh = &w->scratch.warp;

	memcpy(fresh->group, group, sizeof fresh->group);
	fresh->first_thread = thread / warp->lanes * warp->lanes;
	number_past_end(w, fresh);
	fresh->stack_base = 0;
	fresh->predicates[0] = ~0ull;
	warp_fill_start(fresh);
	w->past = past;
	w->ignored = ignored;
	return finish(w, pc);
}

bool ahead_has_stores(const struct kernel *kernel, uint8_t space)
{
	for (uint32_t pc = 0; pc < kernel->code_count; pc++) {
		const struct insn *i = &kernel->code[pc];
		bool stores = i->kind == INSN_STORE || (i->kind == INSN_ATOMIC && !(i->flags & INSN_LOCK_TRY));

		if (i->kind == INSN_RELEASE || i->kind == INSN_FRAGMENT || i->kind == INSN_MAP_COPY ||
			insn_kinds[i->kind].flags & KIND_ASYNC)
			return true;
		if (stores && (is_in(i, space) || i->access.space == space_NONE || i->access.space == space_SURFACE))
			return true;
	}
	return false;
}
