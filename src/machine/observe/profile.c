/* What each instruction did and cost. */
#include "machine/observe/profile.h"

#include "machine/core/observer.h"
#include "machine/core/schedule.h"
#include "machine/lsu/load_store.h"
#include "machine/lsu/owned.h"
#include "machine/lsu/through_l1.h"
#include "machine/state/launch_state.h"
#include "machine/state/machine.h"

#include <assert.h>
#include <string.h>

/* Columns of profile.def that the same instructions count: a set of them is a bit each. */
enum column_group {
	GROUP_DIVERGENCE,
	GROUP_POLLING,
	GROUP_LOADS, /* of global memory; likewise */
	GROUP_STORES,
	GROUP_SHARED,
	GROUP_LOCAL,
	GROUP_ATOMICS,
	GROUP_LOCKS,
	GROUP_ARRIVALS,
	GROUP_FENCES,
	GROUP_SLEEP,
	GROUP_BANKS, /* from here on while the load-store unit carries it out */
	GROUP_BULK,
	GROUP_CACHE,
	GROUP_PORT,
	COLUMN_GROUPS
};

#define IN(group) (1u << GROUP_##group)
#define IN_UNIT (IN(BANKS) | IN(BULK) | IN(CACHE) | IN(PORT))
#define IN_ISSUE (((1u << COLUMN_GROUPS) - 1) & ~IN_UNIT)

/* Of an instruction: what it may count. */
struct profile_traits {
	uint16_t issue_groups, unit_groups; /* unit: unless it is an access of shared memory */
	/* The entry of the scoreboard that the one before it in the code writes first, if this one needs it; else
	 * NO_ENTRY. */
	uint16_t previous;
	uint8_t column;      /* the first of issue_groups where it has one or two; else 0, which is in none */
	bool has_two : 1;    /* it and the one behind it */
	bool is_access : 1;  /* a load, store or atomic */
	bool is_branch : 1;  /* each issue counts as a branch */
	bool has_result : 1; /* memory answers it */
};

#define NO_ENTRY UINT16_MAX

/* A core's part of a launch's profile. */
struct profile_piece {
	struct profile_piece *next;
	const struct profile_traits *traits; /* of each instruction */
	const struct insn *code;
	uint32_t code_count;
	struct issue_count *issued; /* in timing mode the core counts them itself: core_launch->issued */
	struct profile_row *rows;
};

struct profiling {
	uint64_t seen[PROFILE_COLUMNS]; /* the core's counters when they were last attributed */
	/* Of each group of the unit's columns the row of the instruction that counts them now; null: none does. */
	struct profile_row *counting[COLUMN_GROUPS];
	bool reply_missed; /* of the last that says what the L2 had: not all that it was about */
};

_Static_assert(PROFILE_stall_unit == (int)WAIT_UNIT && PROFILE_stall_shared == (int)WAIT_SHARED,
	"columns of stalls are in the order of enum wait_reason");

#define PROFILE_PART(name) extern const struct profile_part profile_part_##name;
#include "machine/observe/profile_parts.def"
#undef PROFILE_PART

static const struct profile_part *const parts[PROFILE_PARTS] = {
#define PROFILE_PART(name) [PROFILE_PART_##name] = &profile_part_##name,
#include "machine/observe/profile_parts.def"
#undef PROFILE_PART
};

static struct profiles *profiles_of(const struct core *core)
{
	return core->machine->gpu->observe[OBSERVER_profile];
}

static struct profile_piece *piece_of(const struct core_launch *on)
{
	return on->observed[OBSERVER_profile];
}

static struct profile_row *rows_of(const struct core_launch *on)
{
	assert(piece_of(on)->code == on->launch->kernel->code);
	return piece_of(on)->rows;
}

static struct profile_row *row_of(const struct core_launch *on, const struct insn *i)
{
	assert(launch_pc(on->launch, i) < piece_of(on)->code_count);
	return &rows_of(on)[launch_pc(on->launch, i)];
}

/* ---- Beginning ---- */

static uint32_t counted_by_access(const struct insn *i)
{
	switch (i->access.space) {
	case space_GLOBAL: return i->kind == INSN_LOAD ? IN(LOADS) : i->kind == INSN_STORE ? IN(STORES) : IN(ATOMICS);
	case space_SHARED: return IN(SHARED);
	case space_LOCAL: return IN(LOCAL);
	case space_PARAM:
	case space_CONST: return 0;
	default: return IN(LOADS) | IN(STORES) | IN(SHARED) | IN(LOCAL) | IN(ATOMICS);
	}
}

/* That a branch was issued is counted by issue_count, see sum_up. */
static uint32_t counted_by_branch(const struct insn *i)
{
	if (i->flags & INSN_WAIT_BRANCH)
		return IN(DIVERGENCE) | IN(POLLING);
	return i->flags & INSN_GUARDED ? IN(DIVERGENCE) : 0;
}

/* Then there may be a fence in it. */
static bool releases(const struct insn *i)
{
	return i->access.order >= order_RELEASE && i->access.order <= order_SC;
}

static uint32_t counted_by(const struct insn *i)
{
	switch ((enum insn_kind)i->kind) {
	case INSN_PLAIN:
	case INSN_CLOCK:
	case INSN_SYNC:
	case INSN_RETURN:
	case INSN_EXIT: return 0;
	case INSN_BRANCH: return counted_by_branch(i);
	case INSN_BARRIER: return IN(ARRIVALS);
	case INSN_FENCE: return IN(FENCES);
	case INSN_NANOSLEEP: return IN(SLEEP);
	case INSN_LOAD:
	case INSN_STORE:
	case INSN_ATOMIC: return counted_by_access(i) | (releases(i) ? IN(FENCES) : 0);
	default: return IN_ISSUE;
	}
}

static uint32_t counted_by_unit(const struct insn *i)
{
	switch ((enum insn_kind)i->kind) {
	case INSN_LOAD: return IN(CACHE) | IN(PORT);
	case INSN_STORE:
	case INSN_ATOMIC: return IN(PORT); /* they pass the L1 by, or look into it for what is not attributed */
	default: return IN_UNIT;
	}
}

/* Of a set that nearly all instructions with any have one of. */
static uint8_t first_column(uint32_t groups)
{
	switch (groups) {
	case IN(DIVERGENCE): return PROFILE_divergent_branches;
	case IN(LOADS): return PROFILE_global_load_instructions;
	case IN(STORES): return PROFILE_global_store_instructions;
	case IN(SHARED): return PROFILE_shared_accesses;
	case IN(LOCAL): return PROFILE_local_accesses;
	case IN(ATOMICS): return PROFILE_atomic_lanes;
	case IN(ARRIVALS): return PROFILE_barrier_arrivals;
	case IN(FENCES): return PROFILE_fences;
	case IN(SLEEP): return PROFILE_sleep_cycles;
	default: return 0;
	}
}

static bool needs(const struct insn *i, uint16_t entry)
{
	for (uint32_t k = 0; k < i->scoreboard.count; k++)
		if (i->scoreboard.slot[k] == entry)
			return true;
	return false;
}

/* Of one frame: arguments of a call are written in another. */
static bool needs_previous(const struct insn *previous, const struct insn *i)
{
	return previous->scoreboard.writes && previous->inserted != INSERTED_ARGUMENTS &&
	       previous->function == i->function && needs(i, previous->scoreboard.slot[0]);
}

static const struct profile_traits *traits_of(struct arena *arena, const struct kernel *kernel)
{
	struct profile_traits *traits = arena_new_array(arena, struct profile_traits, kernel->code_count);

	for (uint32_t pc = 0; pc < kernel->code_count; pc++) {
		const struct insn *i = &kernel->code[pc];

		traits[pc] = (struct profile_traits){.issue_groups = (uint16_t)counted_by(i),
			.column = first_column(counted_by(i)),
			.has_two = counted_by(i) == IN(LOADS) || counted_by(i) == IN(STORES),
			.unit_groups = (uint16_t)counted_by_unit(i),
			.is_access = i->kind == INSN_LOAD || i->kind == INSN_STORE || i->kind == INSN_ATOMIC,
			.is_branch = i->kind == INSN_BRANCH || i->kind == INSN_INDEXED,
			.has_result = memory_kind_has_result(i),
			.previous = pc && needs_previous(i - 1, i) ? i[-1].scoreboard.slot[0] : NO_ENTRY};
	}
	return traits;
}

/* Which issues of it are told: a branch of all active lanes, or of none, does not diverge. */
static enum told_issue told_of(const struct profile_traits *traits)
{
	if (traits->issue_groups == IN(DIVERGENCE))
		return TOLD_DIVERGING;
	return traits->issue_groups ? TOLD_ALWAYS : TOLD_NEVER;
}

static const uint8_t *tells_of(struct arena *arena, const struct profile_traits *traits, uint32_t code_count)
{
	uint8_t *tells = arena_new_array(arena, uint8_t, code_count);

	for (uint32_t pc = 0; pc < code_count; pc++)
		tells[pc] = (uint8_t)told_of(&traits[pc]);
	return tells;
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
	for (uint32_t k = 0; k < PROFILE_PARTS; k++)
		p->part[k] = arena_alloc(&p->arena, parts[k]->size);
	p->traits = traits_of(&p->arena, launch->kernel);
	p->tells = tells_of(&p->arena, p->traits, p->code_count);
	return all->launches = p;
}

/* Between quanta.  In timing mode the core counts issues in memory that outlives the launch. */
static void launch_begins(struct core *core, void *state, struct core_launch *on)
{
	struct launch_profile *p = profile_of(core, on->launch);
	struct profile_piece *piece = arena_new(&p->arena, struct profile_piece);

	assert(p->code_count == on->launch->kernel->code_count);
	assert(!piece_of(on));
	(void)state;
	piece->traits = p->traits;
	piece->code = on->launch->kernel->code;
	piece->code_count = p->code_count;
	piece->issued = arena_new_array(&p->arena, struct issue_count, p->code_count);
	if (!core->machine->mode->counts_blocks)
		on->issued = piece->issued;
	on->tells = p->tells;
	piece->rows = arena_reserve(&p->arena, p->code_count * sizeof *piece->rows);
	piece->next = p->pieces;
	p->pieces = piece;
	on->observed[OBSERVER_profile] = piece;
}

/* ---- Stalls ---- */

/* Of some values that an instruction needs, where the ready time of the one is that comes last; null: none has been
 * written.  `answered`: only of values that memory answers. */
static inline __attribute__((always_inline)) const uint64_t *latest_of(const struct warp_slot *r,
	const uint64_t *latest, uint64_t *at, const uint16_t *scoreboard, uint32_t count, const bool answered)
{
	const struct profile_traits *traits = piece_of(r->core_launch)->traits;
	const struct issue_row *row = &r->rows[r->warp.path->pc];

	assert(piece_of(r->core_launch)->code == r->core_launch->launch->kernel->code);
	for (uint32_t k = 0; k < count; k++) {
		const uint64_t *ready = schedule_ready_time(r, scoreboard[k]);
		uint64_t then = ready[schedule_reader_offset(r, row, scoreboard[k])];

		if (then > *at && (!answered || traits[ready[r->core_launch->writer_offset]].has_result)) {
			*at = then;
			latest = ready;
		}
	}
	return latest;
}

/* Cycles in which the warp, which has not issued since, waited for a value that its next instruction needs: to the one
 * that writes it. */
static inline __attribute__((always_inline)) void attribute_value(
	const struct warp_slot *r, uint32_t reason, uint64_t cycles, const bool answered)
{
	const struct profile_piece *piece = piece_of(r->core_launch);
	uint32_t pc = r->warp.path->pc;
	const struct insn *i = &piece->code[pc];
	uint64_t at = 0;
	const uint64_t *latest = latest_of(r, NULL, &at, i->scoreboard.slot, i->scoreboard.count, answered);

	assert(pc < piece->code_count);
	if (__builtin_expect(i->extra, 0)) {
		const struct insn_extra *extra = &r->warp.kernel->extras[i->extra];

		latest = latest_of(r, latest, &at, extra->more_scoreboard, extra->more_scoreboard_count, answered);
	}
	if (latest)
		pc = (uint32_t)latest[r->core_launch->writer_offset];
	assert(pc < piece->code_count);
	piece->rows[pc].value[reason] += cycles;
}

static __attribute__((noinline)) void attribute_operand(const struct warp_slot *r, uint64_t cycles)
{
	attribute_value(r, PROFILE_stall_operand, cycles, false);
}

static __attribute__((noinline)) void attribute_shared(const struct warp_slot *r, uint64_t cycles)
{
	attribute_value(r, PROFILE_stall_shared, cycles, true);
}

static __attribute__((noinline)) void attribute_memory(const struct warp_slot *r, uint64_t cycles)
{
	attribute_value(r, PROFILE_stall_memory, cycles, true);
}

/* Whether the warp, whose next instruction is at `next`, waited for the value that the instruction before that writes
 * first. */
static inline bool waited_for_previous(
	const struct core *core, const struct warp_slot *r, const struct profile_piece *piece, uint32_t next)
{
	uint16_t entry = piece->traits[next].previous;

	assert(next < piece->code_count && (next || entry == NO_ENTRY));
	return entry != NO_ENTRY && core_issued_pc(core, r) == next - 1 &&
	       schedule_ready_time(r, entry)[schedule_reader_offset(r, &r->rows[next], entry)] ==
		       core->ready_at[core_slot(core, r)];
}

/* Whether it waited until others had read a register that it updates. */
static bool waited_to_update(const struct core *core, const struct warp_slot *r, const struct insn *i)
{
	const size_t update = (size_t)r->core_launch->reader_stride * READER_UPDATE;
	bool waited = false;

	assert(i->scoreboard.writes <= i->scoreboard.count);
	for (uint32_t k = 0; update && k < i->scoreboard.writes; k++)
		waited |= i->scoreboard.updated >> k & 1 &&
			  schedule_ready_time(r, i->scoreboard.slot[k])[update] == core->ready_at[core_slot(core, r)];
	return waited;
}

/* Attributes cycles in which the scheduler of the warp has stood still since it waited for something. */
static inline void attribute(const struct core *core, const struct warp_slot *r, uint32_t reason, uint64_t cycles)
{
	uint32_t pc = r->warp.path->pc, issued = core_issued_pc(core, r);

	assert(reason < WAIT_REASONS && pc < piece_of(r->core_launch)->code_count);
	if (reason == WAIT_OPERAND && !waited_for_previous(core, r, piece_of(r->core_launch), pc)) {
		if (waited_to_update(core, r, &piece_of(r->core_launch)->code[pc]))
			rows_of(r->core_launch)[pc].value[reason] += cycles;
		else
			attribute_operand(r, cycles);
		return;
	}
	if (reason == WAIT_MEMORY || reason == WAIT_SHARED) {
		(reason == WAIT_SHARED ? attribute_shared : attribute_memory)(r, cycles);
		return;
	}
	if (reason != WAIT_UNIT && reason != WAIT_FETCH && issued != NOT_ISSUED)
		pc = issued; /* also the one before, of those that wait for its value */
	assert(pc < piece_of(r->core_launch)->code_count);
	rows_of(r->core_launch)[pc].value[reason] += cycles;
}

/* Of those that had the reason: the one that issues now, `r`, if it is one of them. */
static const struct warp_slot *waiter_of(const struct core *core, const struct warp_slot *r, uint64_t warps)
{
	assert(warps);
	return warps & r->bit ? r : &core->slots[__builtin_ctzll(warps)];
}

/* All that there is of a scheduler. */
static __attribute__((noinline)) void attribute_all(struct core *core, const struct warp_slot *r, uint32_t scheduler)
{
	struct stall_notes *notes = &core->stalled;
	uint32_t reasons;

	assert(scheduler < core->issue.schedulers);
	assert(notes->reason[scheduler] == NO_STALL || notes->since[scheduler] <= core->now);
	stall_notes_end(notes, scheduler, core->now);
	for (reasons = notes->before[scheduler]; reasons; reasons &= reasons - 1) {
		uint32_t reason = (uint32_t)__builtin_ctz(reasons);

		attribute(core, waiter_of(core, r, notes->warps_before[scheduler][reason]), reason,
			notes->cycles_before[scheduler][reason]);
		notes->cycles_before[scheduler][reason] = 0;
	}
	notes->before[scheduler] = 0;
}

/* For whatever reason it has stood still. */
static __attribute__((noinline)) void attribute_any(struct core *core, const struct warp_slot *r, uint32_t scheduler)
{
	struct stall_notes *notes = &core->stalled;
	uint32_t reason = notes->reason[scheduler];

	assert(scheduler < core->issue.schedulers);
	assert(reason == NO_STALL || reason == STALL_REASONS || notes->since[scheduler] <= core->now);
	if (notes->before[scheduler] || reason == STALL_REASONS) {
		attribute_all(core, r, scheduler);
		return;
	}
	notes->reason[scheduler] = NO_STALL;
	attribute(core, waiter_of(core, r, notes->warps[scheduler]), reason, core->now - notes->since[scheduler]);
}

/* Mostly for one reason, which is that a warp waited for the result of what it issued last.  All else is in a function
 * of its own that is called last: so this needs no stack. */
static void stalls_end(struct core *core, void *state, const struct warp_slot *r, uint32_t scheduler)
{
	struct stall_notes *notes = &core->stalled;
	const struct profile_piece *piece;
	const struct warp_slot *waited;
	uint32_t next;

	assert(scheduler < core->issue.schedulers);
	(void)state;
	if (notes->reason[scheduler] != WAIT_OPERAND || notes->before[scheduler]) {
		attribute_any(core, r, scheduler);
		return;
	}
	waited = waiter_of(core, r, notes->warps[scheduler]);
	piece = piece_of(waited->core_launch);
	next = waited->warp.path->pc;
	if (!waited_for_previous(core, waited, piece, next)) {
		attribute_any(core, r, scheduler);
		return;
	}
	notes->reason[scheduler] = NO_STALL;
	assert(next && notes->since[scheduler] <= core->now);
	piece->rows[next - 1].value[PROFILE_stall_operand] += core->now - notes->since[scheduler];
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

/* Attributes what was counted since these columns, from `first` to before `end`, were last seen. */
static inline __attribute__((always_inline)) void take(
	struct profiling *s, const struct counters *c, uint32_t first, uint32_t end, struct profile_row *row)
{
	const uint64_t *counters = (const uint64_t *)c;

#pragma GCC unroll 32 /* then it knows which counters */
	for (uint32_t k = first; k < end; k++) {
		uint64_t now = counters[counter_of[k]];

		assert(now >= s->seen[k]);
		row->value[k] += now - s->seen[k];
		s->seen[k] = now;
	}
}

static inline __attribute__((always_inline)) void take_group(
	struct profiling *s, const struct counters *c, enum column_group group, struct profile_row *row)
{
	assert(group < COLUMN_GROUPS);
	switch (group) {
	case GROUP_DIVERGENCE: take(s, c, PROFILE_divergent_branches, PROFILE_wait_success, row); break;
	case GROUP_POLLING: take(s, c, PROFILE_wait_success, PROFILE_global_load_instructions, row); break;
	case GROUP_LOADS: take(s, c, PROFILE_global_load_instructions, PROFILE_global_store_instructions, row); break;
	case GROUP_STORES: take(s, c, PROFILE_global_store_instructions, PROFILE_shared_accesses, row); break;
	case GROUP_SHARED: take(s, c, PROFILE_shared_accesses, PROFILE_local_accesses, row); break;
	case GROUP_LOCAL: take(s, c, PROFILE_local_accesses, PROFILE_atomic_lanes, row); break;
	case GROUP_ATOMICS: take(s, c, PROFILE_atomic_lanes, PROFILE_lock_requests, row); break;
	case GROUP_LOCKS: take(s, c, PROFILE_lock_requests, PROFILE_barrier_arrivals, row); break;
	case GROUP_ARRIVALS: take(s, c, PROFILE_barrier_arrivals, PROFILE_fences, row); break;
	case GROUP_FENCES: take(s, c, PROFILE_fences, PROFILE_sleep_cycles, row); break;
	case GROUP_SLEEP: take(s, c, PROFILE_sleep_cycles, PROFILE_shared_conflict_cycles, row); break;
	case GROUP_BANKS: take(s, c, PROFILE_shared_conflict_cycles, PROFILE_bulk_lines, row); break;
	case GROUP_BULK: take(s, c, PROFILE_bulk_lines, PROFILE_l1_loads, row); break;
	case GROUP_CACHE: take(s, c, PROFILE_l1_loads, PROFILE_l1_stall_cycles, row); break;
	case GROUP_PORT: take(s, c, PROFILE_l1_stall_cycles, PROFILE_lock_success, row); break;
	case COLUMN_GROUPS: break;
	}
}

static void take_groups(struct profiling *s, const struct counters *c, uint32_t groups, struct profile_row *row)
{
	assert(!(groups >> COLUMN_GROUPS));
	for (; groups; groups &= groups - 1)
		take_group(s, c, (enum column_group)__builtin_ctz(groups), row);
}

static inline void take_column(struct profiling *s, const struct counters *c, uint32_t k, struct profile_row *row)
{
	uint64_t now = ((const uint64_t *)c)[counter_of[k]];

	assert(k < PROFILE_COLUMNS);
	assert(now >= s->seen[k]);
	row->value[k] += now - s->seen[k];
	s->seen[k] = now;
}

/* Nothing else counts these columns. */
static void issued(struct core *core, void *state, const struct warp_slot *r, uint32_t pc)
{
	const struct profile_piece *piece = piece_of(r->core_launch);
	const struct profile_traits *traits = &piece->traits[pc];
	struct profile_row *row = &piece->rows[pc];

	assert(pc < piece->code_count);
	if (!traits->column) {
		take_groups(state, &core->counters, traits->issue_groups, row);
		return;
	}
	take_column(state, &core->counters, traits->column, row);
	if (traits->has_two)
		take_column(state, &core->counters, traits->column + 1u, row);
}

/* From now on the unit counts the group's columns for the instruction, if it is one of `groups`; what was counted
 * before is another's. */
static inline __attribute__((always_inline)) void begin_to_count(struct profiling *s, const struct counters *c,
	uint32_t groups, enum column_group group, struct profile_row *row)
{
	struct profile_row *before = s->counting[group];

	assert(group >= GROUP_BANKS && group < COLUMN_GROUPS);
	if (!(groups >> group & 1) || before == row)
		return;
	if (before)
		take_group(s, c, group, before);
	s->counting[group] = row;
}

/* Those of a launch count no more. */
static void stop_counting(struct core *core, struct profiling *s, const struct profile_piece *piece)
{
	assert(!(s->counting[GROUP_BANKS] && !core->machine->notes_issues));
	for (uint32_t group = GROUP_BANKS; group < COLUMN_GROUPS; group++) {
		struct profile_row *row = s->counting[group];

		if (row < piece->rows || row >= piece->rows + piece->code_count)
			continue;
		take_group(s, &core->counters, (enum column_group)group, row);
		s->counting[group] = NULL;
	}
	core->lsu.told.insn = NULL;
}

/* The unit works on another instruction. */
static void works(struct core *core, void *state, const struct operation *op)
{
	const struct core_launch *on = op->group->core_launch;
	const struct profile_piece *piece = piece_of(on);
	uint32_t pc = launch_pc(on->launch, op->insn);
	const struct profile_traits *traits = &piece->traits[pc];
	uint32_t groups = traits->is_access && op->space == space_SHARED ? IN(BANKS) : traits->unit_groups;
	const struct counters *c = &core->counters;
	struct profile_row *row = &piece->rows[pc];

	assert(pc < piece->code_count);
	core->lsu.told.insn = op->insn;
	core->lsu.told.on = on;
	core->lsu.told.space = op->space;
	begin_to_count(state, c, groups, GROUP_BANKS, row);
	begin_to_count(state, c, groups, GROUP_BULK, row);
	begin_to_count(state, c, groups, GROUP_CACHE, row);
	begin_to_count(state, c, groups, GROUP_PORT, row);
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
	struct issue_count *issues = &piece_of(r->core_launch)->issued[r->warp.path->pc];

	assert(r->warp.path->pc < piece_of(r->core_launch)->code_count);
	(void)state;
	(void)i;
	core->issued_pc[r->warp.slot] = r->warp.path->pc;
	issues->warps++;
	issues->lanes += (uint64_t)__builtin_popcountll(lanes);
}

static void after(struct core *core, void *state, struct warp_slot *r, const struct insn *i, lane_mask lanes)
{
	(void)lanes;
	issued(core, state, r, (uint32_t)(i - r->warp.kernel->code));
}

struct profile_row *profile_row_of(const struct core_launch *on, const struct insn *i)
{
	return row_of(on, i);
}

/* ---- The L2 ---- */

static void looked_up(struct profile_row *row, enum profile_column sectors, enum profile_column hits, uint8_t what)
{
	assert(message_l2_hits(what) <= message_l2_sectors(what));
	row->value[sectors] += message_l2_sectors(what);
	row->value[hits] += message_l2_hits(what);
}

static struct profile_row *row_of_operation(const struct operation *op)
{
	assert(op->group->used);
	return row_of(op->group->core_launch, op->insn);
}

static void loaded(const struct core *core, const struct message *m)
{
	const struct l1_waiter *w = &core->l1.waiters[core->l1.misses[m->token].first];

	assert(w->user < core->lsu.operation_fresh);
	assert(core->l1.misses[m->token].first != L1_NONE);
	looked_up(row_of_operation(&core->lsu.operations[w->user]), PROFILE_l2_loads, PROFILE_l2_load_hits, m->loaded);
}

static void stored(const struct core *core, const struct message *m)
{
	const struct group *group = m->token & OPERATION_TOKEN ? core->lsu.operations[m->token & ~OPERATION_TOKEN].group
							       : &core->groups.at[m->token >> 8];

	if (group->core_launch->launch->kernel->code_count > UINT16_MAX + 1u)
		return; /* the message has the low bits of the pc only */
	assert(m->pc < group->core_launch->launch->kernel->code_count);
	looked_up(&rows_of(group->core_launch)[m->pc], PROFILE_l2_stores, PROFILE_l2_store_hits, m->stored);
}

static bool has_missed(uint8_t what)
{
	return message_l2_hits(what) < message_l2_sectors(what);
}

static void replies(struct core *core, void *state, const struct message *m)
{
	struct profiling *s = state;

	switch ((enum message_kind)m->kind) {
	case MESSAGE_LOADED:
		s->reply_missed = has_missed(m->loaded);
		loaded(core, m);
		break;
	case MESSAGE_GRANT:
		s->reply_missed = has_missed(m->loaded);
		looked_up(row_of_operation(owned_waiting(core, m->token)), PROFILE_l2_loads, PROFILE_l2_load_hits,
			m->loaded);
		break;
	case MESSAGE_STORED:
		s->reply_missed = has_missed(m->stored);
		stored(core, m);
		break;
	default: break;
	}
}

/* ---- For those beside it ---- */

enum awaited profile_last_reply(const struct core *core)
{
	switch ((enum message_kind)core->lsu.told.reply) {
	case MESSAGE_STORED: return AWAITED_STORES;
	case MESSAGE_DONE: return AWAITED_ATOMICS;
	case MESSAGE_LOADED: return AWAITED_LOADS;
	default: return AWAITED_OTHER;
	}
}

bool profile_last_missed(const struct core *core)
{
	const struct profiling *s = observer_state(core, OBSERVER_profile);

	switch ((enum message_kind)core->lsu.told.reply) {
	case MESSAGE_LOADED:
	case MESSAGE_STORED:
	case MESSAGE_GRANT: return s->reply_missed;
	default: return false;
	}
}

/* ---- The end ---- */

static void launch_ends(struct launch *launch)
{
	for (uint32_t c = 0; c < launch->machine->cores.count; c++) {
		struct core *core = &launch->machine->cores.at[c];
		struct profiling *s = core->machine ? observer_state(core, OBSERVER_profile) : NULL;

		if (s && launch->on[c])
			stop_counting(core, s, piece_of(launch->on[c]));
	}
}

/* What warps wait for that nothing will end. */
static void flush(struct machine *machine, bool at_end)
{
	static const struct warp_slot nobody; /* issues */

	for (uint32_t c = 0; at_end && c < machine->cores.count; c++) {
		struct core *core = &machine->cores.at[c];

		if (!core->machine || !observer_state(core, OBSERVER_profile))
			continue;
		for (uint32_t k = 0; k < core->issue.schedulers; k++)
			attribute_all(core, &nobody, k);
	}
}

static void sum_up(struct launch_profile *p)
{
	assert(!p->issued && !p->rows);
	p->issued = arena_new_array(&p->arena, struct issue_count, p->code_count);
	p->rows = arena_new_array(&p->arena, struct profile_row, p->code_count);
	for (const struct profile_piece *piece = p->pieces; piece; piece = piece->next)
		for (uint32_t pc = 0; pc < p->code_count; pc++) {
			p->issued[pc].warps += piece->issued[pc].warps;
			p->issued[pc].lanes += piece->issued[pc].lanes;
			for (uint32_t k = 0; k < PROFILE_COLUMNS; k++)
				p->rows[pc].value[k] += piece->rows[pc].value[k];
		}
	for (uint32_t k = 0; k < PROFILE_PARTS; k++)
		if (parts[k]->sum_up)
			parts[k]->sum_up(p, p->part[k]);
	for (uint32_t pc = 0; pc < p->code_count; pc++)
		if (p->traits[pc].is_branch)
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
	.before = before,
	.after = after,
	.on = {.launch_begins = launch_begins,
		.issued = issued,
		.stalls_end = stalls_end,
		.works = works,
		.replies = replies},
	.launch_ends = launch_ends,
	.flush = flush,
};
