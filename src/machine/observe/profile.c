/* What each instruction did and cost. */
#include "machine/observe/profile.h"

#include "machine/gpu/launch_state.h"
#include "machine/lsu/load_store.h"
#include "machine/lsu/owned.h"
#include "machine/lsu/through_l1.h"
#include "machine/observe/observer.h"
#include "machine/state.h"

#include <string.h>

#define REASONS ((uint32_t)WAIT_REASONS)
#define NO_ROW UINT32_MAX

/* The columns of a row of profile.def and those behind it, up to another. */
struct columns {
	uint8_t first, end;
};

/* What may be counted while an instruction is issued. */
enum counted {
	COUNTS_NOTHING,
	COUNTS_DIVERGENCE,
	COUNTS_POLLING, /* and divergence */
	COUNTS_LOADS,   /* of global memory; likewise */
	COUNTS_STORES,
	COUNTS_SHARED,
	COUNTS_ACCESSES,
	COUNTS_ALL
};

/* Of each instruction: enum counted, and bits. */
#define TRAIT_COUNTED 0x3f
#define TRAIT_BRANCH 0x40 /* each issue counts as a branch */
#define TRAIT_RESULT 0x80 /* memory answers it */

/* A core's part of a launch's profile. */
struct profile_piece {
	struct profile_piece *next;
	const uint8_t *traits;      /* of each instruction */
	struct issue_count *issued; /* in timing mode the core counts them itself: core_launch->issued */
	struct profile_row *rows;
};

/* Cycles in which a warp was blamed, not yet attributed: what it waits for is known when it has come. */
struct blamed {
	uint64_t cycles[WAIT_REASONS];
	uint32_t reasons;                       /* bits: those with cycles */
	uint32_t pc;                            /* of the instruction that could not be issued */
	const uint64_t *registers, *predicates; /* of its frame: when each is ready */
};

struct profiling {
	struct arena *arena;
	uint64_t before[CORE_SCHEDULERS]; /* cycles that it has stalled so far */
	uint64_t is_blamed;               /* warp slots with such cycles */
	struct blamed blamed[CORE_WARPS];
	uint32_t last[CORE_WARPS]; /* pc that the warp issued last; NO_ROW: it has issued none */
	/* Of each register and predicate of a warp's files, the pc that wrote it last: as its register_ready_file and,
	 * behind that, its predicate_ready_file. */
	uint32_t *writer[CORE_WARPS], *predicate_writer[CORE_WARPS], writer_count[CORE_WARPS];
	uint64_t seen[PROFILE_COLUMNS]; /* the core's counters when what is attributed next began */
	struct profile_row *issued;     /* of the instruction that the core issued last, */
	enum counted counted;           /* if it counts anything that is not attributed yet */
	uint8_t reply;                  /* that the core has taken in last: enum message_kind */
};

_Static_assert(PROFILE_stall_unit == (int)WAIT_UNIT && PROFILE_stall_sleep == (int)WAIT_SLEEP,
	"columns of stalls are in the order of enum wait_reason");

static struct profiles *profiles_of(const struct core *core)
{
	return (struct profiles *)(uintptr_t)core->machine->gpu->observe[OBSERVER_profile];
}

static struct profile_piece *piece_of(const struct core_launch *on)
{
	return on->observed[OBSERVER_profile];
}

static struct profile_row *rows_of(const struct core_launch *on)
{
	return piece_of(on)->rows;
}

static struct profile_row *row_of(const struct core_launch *on, const struct insn *i)
{
	return &rows_of(on)[launch_pc(on->launch, i)];
}

/* ---- Beginning ---- */

/* Of an access that has no order, which counts nothing of fences. */
static enum counted counted_of_access(const struct insn *i)
{
	switch (i->access.space) {
	case space_GLOBAL:
		return i->kind == INSN_LOAD ? COUNTS_LOADS : i->kind == INSN_STORE ? COUNTS_STORES : COUNTS_ACCESSES;
	case space_SHARED: return COUNTS_SHARED;
	default: return COUNTS_ACCESSES;
	}
}

/* That a branch was issued is counted by issue_count, see sum_up. */
static enum counted counted_of_branch(const struct insn *i)
{
	if (i->flags & INSN_WAIT_BRANCH)
		return COUNTS_POLLING;
	return i->flags & INSN_GUARDED ? COUNTS_DIVERGENCE : COUNTS_NOTHING;
}

static enum counted counted_by(const struct insn *i)
{
	switch ((enum insn_kind)i->kind) {
	case INSN_PLAIN:
	case INSN_CLOCK:
	case INSN_SYNC:
	case INSN_RETURN:
	case INSN_EXIT: return COUNTS_NOTHING;
	case INSN_BRANCH: return counted_of_branch(i);
	case INSN_LOAD:
	case INSN_STORE:
	case INSN_ATOMIC: return i->access.order <= order_WEAK ? counted_of_access(i) : COUNTS_ALL;
	default: return COUNTS_ALL;
	}
}

static const uint8_t *traits_of(struct arena *arena, const struct kernel *kernel)
{
	uint8_t *traits = arena_new_array(arena, uint8_t, kernel->code_count);

	for (uint32_t pc = 0; pc < kernel->code_count; pc++) {
		const struct insn *i = &kernel->code[pc];

		traits[pc] = (uint8_t)counted_by(i);
		if (i->kind == INSN_BRANCH || i->kind == INSN_INDEXED)
			traits[pc] |= TRAIT_BRANCH;
		if (memory_kind_has_result(i))
			traits[pc] |= TRAIT_RESULT;
	}
	return traits;
}

static void create(struct core *core, void *state, struct arena *arena)
{
	(void)core;
	((struct profiling *)state)->arena = arena;
}

struct launch_profile *profile_of(const struct core *core, const struct launch *launch)
{
	struct profiles *all = profiles_of(core);
	struct launch_profile *p = all->launches;
	struct arena arena = {0};

	while (p && p->ordinal != launch->ordinal)
		p = p->next;
	if (p)
		return p;
	p = arena_new(&arena, struct launch_profile);
	*p = (struct launch_profile){.arena = arena,
		.next = all->launches,
		.ordinal = launch->ordinal,
		.code_count = launch->kernel->code_count};
	p->traits = traits_of(&p->arena, launch->kernel);
	return all->launches = p;
}

/* Between quanta.  In timing mode the core counts issues in memory that outlives the launch. */
static void launch_begins(struct core *core, void *state, struct core_launch *on)
{
	struct launch_profile *p = profile_of(core, on->launch);
	struct profile_piece *piece = arena_new(&p->arena, struct profile_piece);

	(void)state;
	piece->traits = p->traits;
	piece->issued = arena_new_array(&p->arena, struct issue_count, p->code_count);
	if (!core->machine->functional)
		on->issued = piece->issued;
	piece->rows = arena_reserve(&p->arena, p->code_count * sizeof *piece->rows);
	piece->next = p->pieces;
	p->pieces = piece;
	on->observed[OBSERVER_profile] = piece;
}

static void warp_begins(struct core *core, void *state, struct warp_slot *r)
{
	struct profiling *s = state;
	const struct launch *launch = r->core_launch->launch;
	uint32_t slot = core_slot(core, r), registers = launch->register_words / launch->kernel->lanes;
	uint32_t count = registers + launch->predicate_count;

	s->last[slot] = NO_ROW;
	if (s->writer_count[slot] < count) {
		s->writer[slot] = arena_new_array(s->arena, uint32_t, count);
		s->writer_count[slot] = count;
	}
	s->predicate_writer[slot] = s->writer[slot] + registers;
}

/* ---- Stalls ---- */

/* Where the pcs that wrote the entries of the scoreboard are kept, of a frame. */
struct writers {
	uint32_t *registers, *predicates;
};

/* `registers` and `predicates`: where the ready times of the frame are. */
static inline struct writers writers_of(
	const struct profiling *s, const struct warp_slot *r, const uint64_t *registers, const uint64_t *predicates)
{
	return (struct writers){s->writer[r->warp.slot] + (registers - r->register_ready_file),
		s->predicate_writer[r->warp.slot] + (predicates - r->predicate_ready_file)};
}

static inline uint32_t *writer_of(const struct writers *w, uint16_t entry)
{
	return entry & SCOREBOARD_PREDICATE ? &w->predicates[entry & ~SCOREBOARD_PREDICATE] : &w->registers[entry];
}

/* Of a blamed warp: where to look, and what was, or will be, there last. */
struct latest {
	const struct blamed *blamed;
	const uint8_t *traits; /* null: memory need not answer it */
	struct writers writers;
	uint64_t at;
	uint32_t pc;
};

static inline void consider(struct latest *latest, const uint16_t *scoreboard, uint32_t count)
{
	for (uint32_t k = 0; k < count; k++) {
		uint16_t entry = scoreboard[k];
		uint64_t at = entry & SCOREBOARD_PREDICATE ? latest->blamed->predicates[entry & ~SCOREBOARD_PREDICATE]
							   : latest->blamed->registers[entry];
		uint32_t pc;

		if (at <= latest->at)
			continue;
		pc = *writer_of(&latest->writers, entry);
		if (latest->traits && !(latest->traits[pc] & TRAIT_RESULT))
			continue;
		latest->at = at;
		latest->pc = pc;
	}
}

/* The instruction whose result the blamed one waited for; `traits`: one that memory answers. */
static inline uint32_t waited_for(
	const struct profiling *s, const struct warp_slot *r, const struct blamed *b, const uint8_t *traits)
{
	const struct insn *i = &r->warp.kernel->code[b->pc];
	struct latest latest = {
		.blamed = b, .traits = traits, .writers = writers_of(s, r, b->registers, b->predicates), .pc = NO_ROW};

	consider(&latest, i->scoreboard, i->scoreboard_count);
	if (i->extra) {
		const struct insn_extra *extra = &r->warp.kernel->extras[i->extra];

		consider(&latest, extra->more_scoreboard, extra->more_scoreboard_count);
	}
	return latest.pc;
}

static inline uint32_t culprit(
	const struct profiling *s, const struct warp_slot *r, const struct blamed *b, uint32_t reason)
{
	uint32_t pc = NO_ROW;

	switch ((enum wait_reason)reason) {
	case WAIT_UNIT:
	case WAIT_FETCH: break;
	case WAIT_OPERAND: pc = waited_for(s, r, b, NULL); break;
	case WAIT_MEMORY: pc = waited_for(s, r, b, piece_of(r->core_launch)->traits); break;
	default: pc = s->last[r->warp.slot]; break;
	}
	return pc == NO_ROW ? b->pc : pc;
}

/* Attributes the cycles of a warp, which has what it waited for. */
static void attribute(struct profiling *s, const struct warp_slot *r)
{
	struct blamed *b = &s->blamed[r->warp.slot];
	struct profile_row *rows = rows_of(r->core_launch);

	for (; b->reasons; b->reasons &= b->reasons - 1) {
		uint32_t reason = (uint32_t)__builtin_ctz(b->reasons);

		rows[culprit(s, r, b, reason)].value[reason] += b->cycles[reason];
		b->cycles[reason] = 0;
	}
	s->is_blamed &= ~r->bit;
}

static inline void blame(struct core *core, struct profiling *s, uint32_t slot, uint32_t reason, uint64_t cycles)
{
	const struct warp_slot *r = &core->slots[slot];
	struct blamed *b = &s->blamed[slot];

	if (b->reasons && b->pc != r->warp.path->pc) /* another path of the warp has come to run */
		attribute(s, r);
	if (!b->reasons) {
		s->is_blamed |= r->bit;
		b->pc = r->warp.path->pc;
		b->registers = r->register_ready;
		b->predicates = r->predicate_ready;
	}
	b->reasons |= 1u << reason;
	b->cycles[reason] += cycles;
}

/* Bits of a mask that has few. */
static inline uint32_t bits_of(uint64_t mask)
{
	uint32_t count = 0;

	for (; mask; mask &= mask - 1)
		count++;
	return count;
}

static inline uint32_t nth_bit(uint64_t mask, uint32_t n)
{
	while (n--)
		mask &= mask - 1;
	return (uint32_t)__builtin_ctzll(mask);
}

/* Gives the cycles to the warps, which take turns.  They go by how many cycles the scheduler has stalled so far: so
 * what is told in pieces comes out as when told at once. */
static void stalls(struct core *core, void *state, uint32_t scheduler, uint32_t reason, uint64_t warps, uint64_t cycles)
{
	struct profiling *s = state;
	uint64_t before = s->before[scheduler], end = before + cycles;
	uint32_t count = warps & (warps - 1) ? bits_of(warps) : 1;

	s->before[scheduler] = end;
	while (before < end) {
		uint64_t turn = before / PROFILE_TURN, turn_ends = (turn + 1) * PROFILE_TURN;
		uint64_t until = count == 1 || turn_ends > end ? end : turn_ends;

		blame(core, s, nth_bit(warps, count == 1 ? 0 : (uint32_t)(turn % count)), reason, until - before);
		before = until;
	}
}

/* ---- Counters ---- */

/* Of each column the counter, as an index of uint64_t. */
static const uint8_t counter_of[PROFILE_COLUMNS] = {
#define STALL(field) [PROFILE_##field] = COUNTER_INDEX(field),
#define ISSUE STALL
#define UNIT STALL
#define ANSWER STALL
#define WAIT STALL
#define L2(field)
#define PROFILED(how, field) how(field)
#include "machine/observe/profile.def"
#undef PROFILED
};

static const struct columns divergence_columns = {PROFILE_divergent_branches, PROFILE_wait_success};
static const struct columns polling_columns = {PROFILE_divergent_branches, PROFILE_global_load_instructions};
static const struct columns load_columns = {PROFILE_global_load_instructions, PROFILE_global_store_instructions};
static const struct columns store_columns = {PROFILE_global_store_instructions, PROFILE_shared_accesses};
static const struct columns shared_columns = {PROFILE_shared_accesses, PROFILE_local_accesses};
static const struct columns access_columns = {PROFILE_global_load_instructions, PROFILE_lock_requests};
static const struct columns issue_columns = {PROFILE_divergent_branches, PROFILE_shared_conflict_cycles};
static const struct columns bank_columns = {PROFILE_shared_conflict_cycles, PROFILE_bulk_lines};
static const struct columns cache_columns = {PROFILE_l1_loads, PROFILE_lock_success};
static const struct columns unit_columns = {PROFILE_shared_conflict_cycles, PROFILE_lock_success};
static const struct columns port_columns = {PROFILE_l1_stall_cycles, PROFILE_lock_success};
static const struct columns answer_columns = {PROFILE_lock_success, PROFILE_barrier_wait_cycles};

/* Attributes what was counted since these columns were last seen. */
static inline __attribute__((always_inline)) void take(
	struct profiling *s, const struct counters *c, const struct columns columns, struct profile_row *row)
{
	const uint64_t *counters = (const uint64_t *)c;

#pragma GCC unroll 32 /* then it knows which counters; it is a tenth of what a profile costs */
	for (uint32_t k = columns.first; k < columns.end; k++) {
		uint64_t now = counters[counter_of[k]];

		row->value[k] += now - s->seen[k];
		s->seen[k] = now;
	}
}

static inline void take_counted(
	struct profiling *s, const struct counters *c, enum counted counted, struct profile_row *row)
{
	switch (counted) {
	case COUNTS_NOTHING: break;
	case COUNTS_DIVERGENCE: take(s, c, divergence_columns, row); break;
	case COUNTS_POLLING: take(s, c, polling_columns, row); break;
	case COUNTS_LOADS: take(s, c, load_columns, row); break;
	case COUNTS_STORES: take(s, c, store_columns, row); break;
	case COUNTS_SHARED: take(s, c, shared_columns, row); break;
	case COUNTS_ACCESSES: take(s, c, access_columns, row); break;
	case COUNTS_ALL: take(s, c, issue_columns, row); break;
	}
}

/* The instruction that the core issued last has counted all that it counts. */
static inline void take_issued(struct profiling *s, const struct counters *c)
{
	take_counted(s, c, s->counted, s->issued);
	s->counted = COUNTS_NOTHING;
}

/* The warp, which is about to issue, was waited for. */
static inline void waited(struct core *core, struct profiling *s, const struct warp_slot *r)
{
	if (core->stalled_warps & r->bit)
		observer_end_stall(core, r->warp.slot % core->schedulers);
	if (s->is_blamed & r->bit)
		attribute(s, r);
}

/* An instruction that counts something is about to be issued: what the one before it counted is its own. */
static __attribute__((noinline)) void begins_to_count(
	struct core *core, struct profiling *s, const struct core_launch *on, uint32_t pc)
{
	const struct profile_piece *piece = piece_of(on);

	take_issued(s, &core->counters);
	s->counted = piece->traits[pc] & TRAIT_COUNTED;
	s->issued = &piece->rows[pc];
}

/* It saves no registers where nothing was waited for and nothing is counted: of most instructions. */
static inline __attribute__((always_inline)) void note_issue(
	struct core *core, struct profiling *s, const struct warp_slot *r, const struct insn *i)
{
	uint32_t pc = r->warp.path->pc, slot = r->warp.slot, count = i->scoreboard_writes;

	s->last[slot] = pc;
	for (uint32_t k = 0; k < count; k++) {
		uint16_t entry = i->scoreboard[k];

		if (entry & SCOREBOARD_PREDICATE)
			s->predicate_writer[slot][r->predicate_ready - r->predicate_ready_file +
						  (entry & ~SCOREBOARD_PREDICATE)] = pc;
		else
			s->writer[slot][r->register_ready - r->register_ready_file + entry] = pc;
	}
	if (i->kind != INSN_PLAIN)
		begins_to_count(core, s, r->core_launch, pc);
}

static __attribute__((noinline)) void issues_after_wait(
	struct core *core, struct profiling *s, const struct warp_slot *r, const struct insn *i)
{
	waited(core, s, r);
	note_issue(core, s, r, i);
}

static void issues(struct core *core, void *state, const struct warp_slot *r, const struct insn *i)
{
	struct profiling *s = state;

	if ((core->stalled_warps | s->is_blamed) & r->bit)
		issues_after_wait(core, s, r, i);
	else
		note_issue(core, s, r, i);
}

/* Which of the unit's counters an operation may change. */
static void worked(struct core *core, void *state, const struct operation *op)
{
	struct profile_row *row = row_of(op->group->core_launch, op->insn);
	uint8_t kind = op->insn->kind;

	if (op->space == space_SHARED && (kind == INSN_LOAD || kind == INSN_STORE || kind == INSN_ATOMIC))
		take(state, &core->counters, bank_columns, row);
	else if (op->kind->is_atomic && op->space != space_SHARED) /* passes the L1 by */
		take(state, &core->counters, port_columns, row);
	else if (kind == INSN_LOAD)
		take(state, &core->counters, cache_columns, row);
	else
		take(state, &core->counters, unit_columns, row);
}

/* In functional mode all is heard by hooks. */
static bool wants(const struct gpu *gpu, bool functional, const struct insn *i)
{
	(void)gpu;
	(void)i;
	return functional;
}

static void before(struct core *core, void *state, struct warp_slot *r, const struct insn *i, lane_mask lanes)
{
	struct profiling *s = state;
	struct issue_count *issued = &piece_of(r->core_launch)->issued[r->warp.path->pc];

	(void)core;
	(void)i;
	s->last[r->warp.slot] = r->warp.path->pc;
	issued->warps++;
	issued->lanes += (uint64_t)__builtin_popcountll(lanes);
}

static void after(struct core *core, void *state, struct warp_slot *r, const struct insn *i, lane_mask lanes)
{
	const struct profile_piece *piece = piece_of(r->core_launch);
	uint32_t pc = (uint32_t)(i - r->warp.kernel->code);

	(void)lanes;
	take_counted(state, &core->counters, piece->traits[pc] & TRAIT_COUNTED, &piece->rows[pc]);
}

void profile_take_answer(struct core *core, const struct core_launch *on, uint32_t pc)
{
	take(observer_state(core, OBSERVER_profile), &core->counters, answer_columns, &rows_of(on)[pc]);
}

/* ---- Waits ---- */

static void released(struct core *core, void *state, const struct warp_slot *r, uint32_t number, uint64_t since)
{
	(void)state;
	(void)number;
	row_of(r->core_launch, r->barrier_insn)->value[PROFILE_barrier_wait_cycles] += core->now - since;
}

static void fenced(struct core *core, void *state, const struct warp_slot *r, uint64_t since)
{
	const struct profiling *s = state;

	if (core->now != since)
		rows_of(r->core_launch)[s->last[r->warp.slot]].value[PROFILE_fence_wait_cycles] += core->now - since;
}

/* ---- The L2 ---- */

static void replies(struct core *core, void *state, const struct message *m)
{
	((struct profiling *)state)->reply = m->kind;
	if (m->kind == MESSAGE_LOADED) {
		const struct l1_waiter *w = &core->l1.waiters[core->l1.misses[m->token].first];
		const struct operation *op = &core->lsu.operations[w->user];
		struct profile_row *row = row_of(op->group->core_launch, op->insn);

		row->value[PROFILE_l2_loads] += message_l2_sectors(m->loaded);
		row->value[PROFILE_l2_load_hits] += message_l2_hits(m->loaded);
	} else if (m->kind == MESSAGE_GRANT) {
		const struct operation *op = owned_waiting(core, m->token);
		struct profile_row *row = row_of(op->group->core_launch, op->insn);

		row->value[PROFILE_l2_loads] += message_l2_sectors(m->loaded);
		row->value[PROFILE_l2_load_hits] += message_l2_hits(m->loaded);
	} else if (m->kind == MESSAGE_STORED) {
		const struct group *group = m->token & OPERATION_TOKEN
						    ? core->lsu.operations[m->token & ~OPERATION_TOKEN].group
						    : &core->groups[m->token >> 8];
		struct profile_row *row = &rows_of(group->core_launch)[m->pc];

		if (group->core_launch->launch->kernel->code_count > UINT16_MAX + 1u)
			return; /* the message has the low bits of the pc only */
		row->value[PROFILE_l2_stores] += message_l2_sectors(m->stored);
		row->value[PROFILE_l2_store_hits] += message_l2_hits(m->stored);
	}
}

/* ---- For those beside it ---- */

uint32_t profile_last_issued(const struct core *core, const struct warp_slot *r)
{
	const struct profiling *s = observer_state(core, OBSERVER_profile);

	return s->last[r->warp.slot];
}

enum awaited profile_last_reply(const struct core *core)
{
	const struct profiling *s = observer_state(core, OBSERVER_profile);

	switch ((enum message_kind)s->reply) {
	case MESSAGE_STORED: return AWAITED_STORES;
	case MESSAGE_DONE: return AWAITED_ATOMICS;
	case MESSAGE_LOADED: return AWAITED_LOADS;
	default: return AWAITED_OTHER;
	}
}

/* ---- The end ---- */

/* What warps wait for that nothing will end. */
static void flush(struct machine *machine, bool at_end)
{
	for (uint32_t c = 0; at_end && c < machine->core_count; c++) {
		struct core *core = &machine->cores[c];
		struct profiling *s = core->machine ? observer_state(core, OBSERVER_profile) : NULL;

		if (!s)
			continue;
		for (uint32_t k = 0; k < core->schedulers; k++)
			observer_end_stall(core, k);
		for (uint64_t m = s->is_blamed; m; m &= m - 1)
			attribute(s, &core->slots[__builtin_ctzll(m)]);
		take_issued(s, &core->counters);
	}
}

static void sum_up(struct launch_profile *p)
{
	p->issued = arena_new_array(&p->arena, struct issue_count, p->code_count);
	p->rows = arena_new_array(&p->arena, struct profile_row, p->code_count);
	for (const struct profile_piece *piece = p->pieces; piece; piece = piece->next)
		for (uint32_t pc = 0; pc < p->code_count; pc++) {
			p->issued[pc].warps += piece->issued[pc].warps;
			p->issued[pc].lanes += piece->issued[pc].lanes;
			for (uint32_t k = 0; k < PROFILE_COLUMNS; k++)
				p->rows[pc].value[k] += piece->rows[pc].value[k];
		}
	p->waits = waits_merge(&p->arena, p->wait_parts);
	for (uint32_t pc = 0; pc < p->code_count; pc++)
		if (p->traits[pc] & TRAIT_BRANCH)
			p->rows[pc].value[PROFILE_branches] = p->issued[pc].warps;
}

struct launch_profile *profile_take(struct profiles *profiles, uint64_t ordinal)
{
	struct launch_profile **at = &profiles->launches, *p;

	while (*at && (*at)->ordinal != ordinal)
		at = &(*at)->next;
	p = *at;
	if (!p)
		return NULL;
	*at = p->next;
	sum_up(p);
	return p;
}

void profile_free(struct launch_profile *profile)
{
	struct arena arena = profile->arena; /* it lies in it */

	arena_free(&arena);
}

const struct observer observer_profile = {
	.state_size = sizeof(struct profiling),
	.wants = wants,
	.create = create,
	.before = before,
	.after = after,
	.on = {.launch_begins = launch_begins,
		.warp_begins = warp_begins,
		.issues = issues,
		.stalls = stalls,
		.worked = worked,
		.replies = replies,
		.released = released,
		.fenced = fenced},
	.flush = flush,
};
