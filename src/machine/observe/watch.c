/* The proof that kernels hang: windows, the states that warps come back to, and when all is seen.  See watch.h for why
 * it is one. */
#include "machine/observe/watch.h"

#include "kernel/clocks.h"
#include "machine/core/fence.h"
#include "machine/core/warp_state.h"
#include "machine/lsu/access.h"
#include "machine/lsu/atomic.h"
#include "machine/lsu/copy.h"
#include "machine/lsu/lock.h"
#include "machine/lsu/owned.h"
#include "machine/observe/returns.h"
#include "machine/state/child.h"
#include "machine/state/launch_state.h"
#include "machine/state/machine.h"

#include <assert.h>
#include <string.h>

/* Cycles; in functional mode, rounds of turns for all cores, each of which counts as machine_mode.clock_cycles. */
#define FIRST_PAUSE 4096u
#define LONGEST_PAUSE (1u << 20)
#define FIRST_SPAN (1u << 14) /* of a window, doubled when it was too short */
#define LONGEST_SPAN (1u << 24)
#define FIRST_LIMIT 256u /* backward branches, doubled when they were too few */
#define LAST_LIMIT (1u << 20)
#define UNSTEADY_AFTER (1u << 20) /* nothing has started or ended */
/* windows that a suspicion rests on: pauses are in cycles, and in one of them any amount of work may be done */
#define LEAST_LOOKS 4u
/* bytes; a larger one is not copied, so its warp is never seen to come back */
#define LARGEST_STATE ((size_t)1 << 20)

enum phase {
	PHASE_CLOSED,
	PHASE_ONE_WARP,
	PHASE_ALL_WARPS,
	PHASE_DRAINING,
	PHASE_TIMED,          /* all warps, whatever clocks say */
	PHASE_ALONE_DRAINING, /* until what others have written has arrived */
	PHASE_ALONE,
	PHASE_UNSTEADY, /* all warps, whatever happens to memory */
};

struct watcher {
	bool (*begins_later)(struct machine *machine);
	enum phase phase;
	uint64_t next;        /* when to look again */
	uint64_t opened;      /* when the window was */
	uint64_t quiet_since; /* no more than looking has been seen since */
	uint64_t quiet_work;  /* warp instructions issued until then */
	uint32_t quiet_looks; /* windows since then */
	/* states that warps came back to while memory changed, since `ended` */
	struct lookup returns;
	uint64_t progress; /* groups started and ended, when last looked */
	uint64_t exits;    /* threads of groups that go on which had ended, when last looked */
	bool has_verdict;  /* a hang was seen, and the window left open */
	bool asked_host;   /* since quiet_since a warp has looked at memory that the host writes */
	bool read_clock;   /* likewise at a clock, and it is not known what for */
	bool times;        /* a clock was read in the last window: next time, compare states without the time */
	/* memory changed in the last window: next time, look at it as something that may come back */
	bool changes;
	uint64_t ended; /* when a group last started or ended, or a thread ended */
	uint32_t pause, span, limit, attempts;
	struct core *chosen; /* PHASE_ONE_WARP: whose it is */
	uint32_t chosen_slot;
	struct journal *memory; /* by partition */
	uint64_t *misses;       /* of each core's L1, when all warps were looked at */
};

/* ---- A warp's state ---- */

static void copy_state(struct watch *watch, struct watched_warp *w, const struct piece *piece, uint32_t count)
{
	size_t bytes = 0;

	assert(count <= STATE_PIECES);
	for (uint32_t k = 0; k < count; k++)
		bytes += piece[k].bytes;
	w->bytes = 0;
	if (bytes > LARGEST_STATE)
		return;
	if (bytes > w->room) {
		w->room = bytes + bytes / 4;
		w->copy = arena_alloc(watch->arena, w->room);
	}
	for (uint32_t k = 0; k < count; k++) {
		memcpy(w->copy + w->bytes, piece[k].at, piece[k].bytes);
		w->bytes += piece[k].bytes;
	}
}

static bool is_copied_state(const struct watched_warp *w, const struct piece *piece, uint32_t count)
{
	size_t at = 0;

	for (uint32_t k = 0; k < count; k++) {
		if (at + piece[k].bytes > w->bytes || memcmp(w->copy + at, piece[k].at, piece[k].bytes))
			return false;
		at += piece[k].bytes;
	}
	return at == w->bytes && at;
}

/* What clocks.h says of an instruction. */
static uint8_t clock_marks(const struct warp_slot *r, uint32_t pc)
{
	const struct kernel *kernel = r->warp.kernel;

	assert(pc < kernel->code_count);
	return kernel->clocks && pc < kernel->functions[0].count ? kernel->clocks->marks[pc] : 0;
}

static void forget_words(uint8_t *file, size_t words, size_t from, size_t count)
{
	if (from < words)
		memset(file + from * sizeof(uint32_t), 0,
			(count < words - from ? count : words - from) * sizeof(uint32_t));
}

/* Takes what the frame of the entry has of clocks out of a copied file of registers; and what lies behind the frame. */
static void forget_registers(const struct warp_slot *r, const struct clock_values *values, uint8_t *file, bool wide)
{
	const struct kernel *kernel = r->warp.kernel;
	size_t words = r->core_launch->launch->warp.register_words;

	for (uint32_t k = 0; k < values->slot_count; k++)
		if (wide == !!(values->slot[k] & SLOT_WIDE))
			forget_words(file, words, values->slot[k] & SLOT_OFFSET, kernel->lanes);
	forget_words(file, words, (size_t)kernel->functions[0].slot_count * kernel->lanes, words);
}

static void forget_predicates(const struct warp_slot *r, const struct clock_values *values, uint8_t *file)
{
	size_t count = r->core_launch->launch->warp.predicate_count, own = r->warp.kernel->functions[0].predicate_count;

	for (uint32_t k = 0; k < values->predicate_count; k++)
		memset(file + values->predicate[k] * sizeof(lane_mask), 0, sizeof(lane_mask));
	if (own < count)
		memset(file + own * sizeof(lane_mask), 0, (count - own) * sizeof(lane_mask));
}

/* Makes one piece of the state, in which the entry's registers hold nothing of clocks; `values` as at the warp's pc.
 * False: it is too large. */
static bool forget_time(struct watch *watch, struct warp_slot *r, const struct clock_values *values,
	struct piece *piece, uint32_t count)
{
	size_t bytes = 0;

	assert(count && count <= STATE_PIECES);
	for (uint32_t k = 0; k < count; k++)
		bytes += piece[k].bytes;
	if (bytes > LARGEST_STATE)
		return false;
	if (bytes > watch->scratch_room) {
		watch->scratch_room = bytes + bytes / 4;
		watch->scratch = arena_alloc(watch->arena, watch->scratch_room);
	}
	bytes = 0;
	for (uint32_t k = 0; k < count; k++) {
		uint8_t *to = watch->scratch + bytes;

		memcpy(to, piece[k].at, piece[k].bytes);
		bytes += piece[k].bytes;
		if (piece[k].at == r->warp.predicate_file)
			forget_predicates(r, values, to);
		else if (piece[k].at == r->warp.registers || piece[k].at == r->warp.wide_registers)
			forget_registers(r, values, to, piece[k].at == r->warp.wide_registers);
	}
	piece[0] = (struct piece){watch->scratch, bytes};
	return true;
}

/* A register's value is outstanding, so what is in there now is not what the program sees. */
static bool has_outstanding_value(const struct warp_slot *r)
{
	const struct launch *launch = r->core_launch->launch;

	for (uint32_t k = 0; k < launch->warp.register_words / r->warp.lanes; k++)
		if (r->register_ready_file[k] == NEVER)
			return true;
	for (uint32_t k = 0; k < launch->warp.predicate_count; k++)
		if (r->predicate_ready_file[k] == NEVER)
			return true;
	return false;
}

/* ---- What a core tells ---- */

/* Whether the loop only looks, or tries to take a lock: its code lies between its target and its branch. */
static bool only_looks(const struct warp_slot *r, const struct insn *i, uint32_t pc)
{
	assert(pc < r->warp.kernel->code_count);
	if (i->flags & INSN_WAIT_BRANCH)
		return true;
	for (uint32_t k = i->target; k <= pc; k++)
		if (r->warp.kernel->code[k].flags & INSN_LOCK_TRY)
			return true;
	return false;
}

static void forget_round(const struct watch *watch, struct watched_warp *w)
{
	w->offers = 0;
	w->stale = false;
	if (watch->timed) /* a wait for a time may be most of the round, and the state is seldom compared */
		return;
	w->round.count = 0;
	w->first_pc = UINT32_MAX;
	w->last_pc = 0;
}

/* Nothing that its group has sent to memory is on its way. */
static bool is_settled(const struct warp_slot *r)
{
	for (uint32_t k = 0; k < FENCE_EPOCHS; k++)
		if (r->group->outstanding[k])
			return false;
	return true;
}

static bool is_memory_restored(const struct watch *watch)
{
	for (uint32_t p = 0; p < watch->journals; p++)
		if (!journal_is_restored(&watch->memory[p]))
			return false;
	return journal_is_restored(&watch->journal);
}

static bool is_memory_untouched(const struct watch *watch)
{
	for (uint32_t p = 0; p < watch->journals; p++)
		if (watch->memory[p].count)
			return false;
	return !watch->journal.count;
}

static void begin_round(struct watch *watch, struct watched_warp *w)
{
	forget_round(watch, w);
	for (uint32_t p = 0; watch->alone && p < watch->journals; p++)
		journal_clear(&watch->memory[p]);
	journal_clear(&watch->journal);
}

/* Other paths of the warp could run as well, and have not had their turn since the copy. */
static bool neglects_paths(const struct core *core, const struct warp_slot *r, const struct watched_warp *w)
{
	return core->machine->independent && r->warp.path->active != r->warp.live && !w->offers;
}

static void note_extent(struct watched_warp *w, const struct insn *i, uint32_t pc)
{
	w->last_pc = pc > w->last_pc ? pc : w->last_pc;
	if (i->kind == INSN_BRANCH && i->target < w->first_pc)
		w->first_pc = i->target;
	if (i->kind == INSN_ACQUIRE && pc < w->first_pc)
		w->first_pc = pc;
}

/* The warp is about to branch: backward or to one of several places; or anywhere, when it is alone.  Or to ask for a
 * lock, as it may have done before. */
static void look_at_state(
	struct core *core, struct watch *watch, struct warp_slot *r, struct watched_warp *w, const struct insn *i)
{
	uint32_t pc = r->warp.path->pc, count;
	uint8_t marks = watch->timed ? clock_marks(r, pc) : 0;
	const struct clock_values *times;
	struct piece piece[STATE_PIECES];

	assert(w->state == WATCH_MOVING);
	note_extent(w, i, pc);
	if (marks & CLOCK_LOOP)
		return; /* it waits for a time */
	w->branches++;
	w->outer = true;
	w->counted |= (marks & CLOCK_COUNTED) != 0;
	if (i->kind != INSN_ACQUIRE && (i->kind != INSN_BRANCH || i->flags & INSN_BACKWARD))
		w->looks &= i->kind == INSN_BRANCH && only_looks(r, i, pc);
	if (w->branches > watch->limit) {
		watch->endless = true;
		return;
	}
	if ((!core->machine->mode->at_once && has_outstanding_value(r)) || (watch->alone && !is_settled(r)))
		return;
	count = state_pieces(core, r, piece);
	times = watch->timed && r->warp.kernel->clocks && pc < r->warp.kernel->functions[0].count
			? r->warp.kernel->clocks->times[pc]
			: NULL;
	if (times) {
		if (!forget_time(watch, r, times, piece, count))
			return;
		count = 1;
	}
	if (!neglects_paths(core, r, w) && is_copied_state(w, piece, count) &&
		(!watch->alone || is_memory_restored(watch))) {
		w->state = WATCH_BACK;
		assert(watch->moving);
		watch->moving--;
		if (watch->alone && is_memory_untouched(watch))
			watch->unsteady = false;
		return;
	}
	if (w->branches < w->next_copy)
		return;
	w->next_copy = w->branches * 2;
	copy_state(watch, w, piece, count);
	begin_round(watch, w);
}

static bool is_written_by_host(const struct core *core, uint64_t address)
{
	const struct allocation *a = space_find(core->machine->space, address, 1);

	return a && (a->host_writes || a->shared);
}

/* Whether any lane looks at memory that the host writes, which no journal of ours tells. */
static bool reads_from_host(const struct core *core, const struct warp_slot *r, const struct insn *i, lane_mask lanes)
{
	uint64_t address[CORE_WARPS];

	if (!core->machine->space->host_writes || i->access.space == space_SHARED ||
		access_addresses_of(address, &r->warp, i, &lanes) != space_GLOBAL)
		return false;
	EACH_LANE(l, lanes)
		if (is_written_by_host(core, address[l]))
			return true;
	return false;
}

static bool is_stale(const struct core *core, uint64_t address, uint32_t bytes)
{
	const uint8_t *line = l1_peek(&core->l1, address & ~(uint64_t)(LINE_BYTES - 1));

	return line && memcmp(line + address % LINE_BYTES, space_host(core->machine->space, address), bytes);
}

/* Whether a load may find in the L1 what is no longer in memory: how long depends on other lines. */
static bool may_load_stale(const struct core *core, const struct warp_slot *r, const struct insn *i, lane_mask lanes)
{
	uint64_t address[CORE_WARPS];

	if (core->machine->mode->at_once || !core->machine->model->l1_global || i->kind != INSN_LOAD ||
		i->access.order != order_NONE || (i->access.space != space_GLOBAL && i->access.space != space_NONE) ||
		access_addresses_of(address, &r->warp, i, &lanes) != space_GLOBAL)
		return false;
	for (; lanes; lanes &= lanes - 1)
		if (is_stale(core, address[__builtin_ctzll(lanes)], (uint32_t)i->access.bytes * i->access.elements))
			return true;
	return false;
}

/* Paths of a warp that time puts in order: what they write may come in another order in the next round. */
static bool races_with_itself(const struct core *core, const struct warp_slot *r, const struct insn *i, lane_mask lanes)
{
	lane_mask active = r->warp.path->active;

	return core->machine->independent &&
	       (active != r->warp.live || (i->kind == INSN_BRANCH && lanes && lanes != active));
}

/* Of independent threads other lanes may come to the same instruction later. */
static void note_more_lanes(const struct warp_slot *r, struct watched_access *a, const struct insn *i, lane_mask lanes)
{
	uint64_t address[CORE_WARPS];

	lanes &= ~a->lanes;
	if (!lanes || access_addresses_of(address, &r->warp, i, &lanes) != a->space)
		return;
	assert(!(lanes & a->lanes));
	EACH_LANE(l, lanes)
		a->address[l] = address[l];
	a->lanes |= lanes;
}

static void note_in(const struct watch *watch, struct warp_slot *r, struct watched_list *list, const struct insn *i,
	lane_mask lanes)
{
	uint32_t pc = r->warp.path->pc;
	struct watched_access *a;

	assert(list->count <= WATCH_ACCESSES);
	for (uint32_t k = 0; k < list->count; k++)
		if (list->at[k].pc == pc) {
			note_more_lanes(r, &list->at[k], i, lanes);
			return;
		}
	if (!lanes || list->count == WATCH_ACCESSES ||
		(i->access.space != space_GLOBAL && i->access.space != space_SHARED && i->access.space))
		return;
	if (!list->at)
		list->at = arena_new_array(watch->arena, struct watched_access, WATCH_ACCESSES);
	a = &list->at[list->count];
	a->pc = pc;
	a->lanes = lanes;
	a->space = access_addresses_of(a->address, &r->warp, i, &a->lanes);
	list->count += a->lanes != 0;
}

static void note_access(
	const struct watch *watch, struct warp_slot *r, struct watched_warp *w, const struct insn *i, lane_mask lanes)
{
	note_in(watch, r, &w->round, i, lanes);
	if (watch->unsteady && !watch->alone)
		note_in(watch, r, &w->unsteady, i, lanes);
}

/* Time goes on, so what was read will not be read again. */
static bool reads_clock(const struct insn *i)
{
	return i->kind == INSN_CLOCK &&
	       !(i->inserted == INSERTED_SPECIAL && (i->special == SPECIAL_SMID || i->special == SPECIAL_WARPID));
}

static bool depends_on_others(const struct insn *i)
{
	if (i->kind == INSN_ACQUIRE)
		return i->access.patience == PATIENCE_TIMED;
	return i->kind == INSN_BARRIER && (i->d != SLOT_NONE || i->pd != NO_PREDICATE); /* bar.red: other warps' data */
}

/* Reads other lanes of its path, whichever these are. */
static bool reads_whoever_is_there(const struct insn *i)
{
	return i->kind == INSN_PLAIN && ptx_ops[i->op].effects & EFFECT_CROSS_LANE;
}

/* Of independent threads time puts the paths in order, and so decides which lanes are together; under a progress model
 * nothing does but their state. */
static bool depends_on_company(const struct core *core, const struct insn *i)
{
	return reads_whoever_is_there(i) && core->machine->independent && !core->machine->progress;
}

/* Whose memory is not looked at: the host may write to it. */
static bool reads_image(const struct insn *i)
{
	return i->kind == INSN_TEXTURE || i->access.space == space_SURFACE;
}

/* What it reads may be another group's, which no journal of this core tells. */
static bool reads_cluster(const struct core *core, const struct insn *i)
{
	return core->groups.clusters &&
	       (i->access.cluster || i->kind == INSN_CLUSTER ||
		       (insn_kinds[i->kind].unit == KIND_UNIT_MEMORY && i->access.space == space_NONE));
}

/* Premises that the instruction breaks, whatever the warp's state is. */
static uint32_t broken_by(const struct core *core, const struct insn *i)
{
	if (reads_cluster(core, i))
		return PREMISE_COURSE;
	return (reads_clock(i) ? PREMISE_TIME : 0u) | (depends_on_others(i) ? PREMISE_CLOCK : 0u) |
	       (depends_on_company(core, i) ? PREMISE_MASK : 0u) | (reads_image(i) ? PREMISE_IMAGE : 0u) |
	       (i->kind == INSN_PRINTF ? PREMISE_COURSE : 0u);
}

static bool reads_memory(const struct insn *i)
{
	return i->kind == INSN_LOAD || i->kind == INSN_ATOMIC || i->kind == INSN_LOAD_LOCK;
}

static void note_clock(struct watch *watch, const struct warp_slot *r)
{
	const struct kernel_clocks *clocks = r->warp.kernel->clocks;

	watch->undecided |= !clocks || clocks->decides || clocks->escape;
}

static void before(struct core *core, void *state, struct warp_slot *r, const struct insn *i, lane_mask lanes)
{
	struct watch *watch = state;
	struct watched_warp *w = &watch->warps[core_slot(core, r)];

	assert(core_slot(core, r) < core->warps.count);
	if (w->state == WATCH_NOT)
		return;
	watch->broken |= broken_by(core, i);
	if (reads_clock(i))
		note_clock(watch, r);
	if (watch->timed && i->kind == INSN_BRANCH)
		w->tests |= clock_marks(r, r->warp.path->pc) & (CLOCK_TEST | CLOCK_WRAPS);
	/* after any time: a thread that unlocks goes on behind its critical section */
	w->looks &= i->kind != INSN_RELEASE;
	if (w->state != WATCH_MOVING)
		return;
	if (reads_memory(i) && reads_from_host(core, r, i, lanes))
		watch->broken |= PREMISE_HOST;
	w->stale = w->stale || may_load_stale(core, r, i, lanes);
	if (watch->alone && (w->stale || races_with_itself(core, r, i, lanes)))
		watch->broken |= PREMISE_MEMORY;
	if (reads_memory(i))
		note_access(watch, r, w, i, lanes);
	else if (i->kind == INSN_INDEXED || i->kind == INSN_ACQUIRE ||
		 (i->kind == INSN_BRANCH && (watch->alone || (lanes && i->flags & INSN_BACKWARD))))
		look_at_state(core, watch, r, w, i);
}

/* A barrier, or a queue of locks, lets the warp go on. */
static void let_go(const struct core *core, struct watch *watch, const struct warp_slot *r)
{
	struct watched_warp *w = &watch->warps[core_slot(core, r)];

	assert(core_slot(core, r) < core->warps.count);
	if (w->state != WATCH_BLOCKED)
		return;
	if (watch->alone)
		watch->broken |= PREMISE_COURSE;
	w->state = WATCH_MOVING;
	watch->moving++;
}

static void released(struct core *core, void *state, const struct warp_slot *r, uint32_t number, uint64_t since)
{
	(void)number;
	(void)since;
	let_go(core, state, r);
}

static void lock_over(struct core *core, void *state, const struct warp_slot *r)
{
	if (core->machine->lock->queues)
		let_go(core, state, r);
}

static void goes_on(struct core *core, void *state, const struct warp_slot *r)
{
	let_go(core, state, r);
}

static void arrives(
	struct core *core, void *state, const struct warp_slot *r, uint32_t number, lane_mask lanes, bool waits)
{
	struct watch *watch = state;

	assert(number < GROUP_BARRIERS);
	(void)lanes;
	if (!waits)
		watch->arrivals[r->group - core->groups.at] |= 1u << number;
}

/* Another path of the warp could have its turn now. */
static void yields(struct core *core, void *state, const struct warp_slot *r)
{
	struct watch *watch = state;

	watch->warps[core_slot(core, r)].offers++;
}

static void warp_ends(struct core *core, void *state, struct warp_slot *r)
{
	struct watch *watch = state;

	(void)core;
	(void)r;
	watch->broken |= PREMISE_COURSE;
}

static void changed(struct core *core, void *state, const struct warp_slot *r, const uint8_t *where, const uint8_t *was,
	uint32_t bytes)
{
	struct watch *watch = state;

	(void)core;
	(void)r;
	journal_wrote(&watch->journal, where, was, bytes);
}

static void effect(struct core *core, void *state, const struct warp_slot *r, enum observed_effect what)
{
	static const uint8_t premise[] = {
		[EFFECT_COPY] = PREMISE_COURSE, /* also of memory: there are no old values to compare with */
		[EFFECT_HEAP] = PREMISE_COURSE, /* the next call depends on it */
		[EFFECT_IMAGE] = PREMISE_IMAGE,
		[EFFECT_TIME] = PREMISE_CLOCK,
		[EFFECT_MATRIX] = PREMISE_MEMORY, /* or left as it was: no loop waits by matrices */
		[EFFECT_OBJECT] = PREMISE_MEMORY,
	};
	struct watch *watch = state;

	(void)core;
	(void)r;
	watch->broken |= premise[what];
}

/* ---- Windows ---- */

struct watcher *watcher_create(struct arena *arena, bool (*begins_later)(struct machine *machine))
{
	struct watcher *w = arena_new(arena, struct watcher);

	w->begins_later = begins_later;
	w->next = w->pause = FIRST_PAUSE;
	w->span = FIRST_SPAN;
	w->limit = FIRST_LIMIT;
	return w;
}

/* Of what writes memory: partitions and, under a directory, cores. */
static uint32_t journals_of(const struct machine *machine)
{
	return machine->partition_count + (machine->coherence->directory ? machine->cores.count : 0);
}

static uint64_t now_of(const struct machine *machine)
{
	return machine->mode->clock(machine) * machine->mode->clock_cycles;
}

/* It comes and goes with its windows. */
static bool is_asked(const struct gpu *gpu, bool functional)
{
	(void)gpu;
	(void)functional;
	return false;
}

static bool wants(const struct gpu *gpu, bool functional, const struct insn *i)
{
	(void)gpu;
	(void)functional;
	return i->kind == INSN_PLAIN ? reads_whoever_is_there(i) : !(insn_kinds[i->kind].flags & KIND_UNWATCHED);
}

/* All its lanes wait for what others do: at barriers, for locks in a queue, whose coming changes memory, or for grids
 * to end. */
static bool is_blocked(const struct core *core, const struct warp_slot *r)
{
	const struct path *path = r->warp.path;
	const uint64_t *address;
	uint32_t pc;
	bool is_queued = r->parked && r->warp.kernel->code[path->pc].access.patience == PATIENCE_FOREVER;

	if (r->held && (device_call_waits(r) || atomic_lanes_stopped(core, r, &pc, &address)))
		return true;
	return core->machine->lock->queues ? !path->active || is_queued : !path->active && !lock_lanes_asking(core, r);
}

static void watch_warp(struct core *core, struct warp_slot *r)
{
	struct watch *watch = watch_of(core);
	struct watched_warp *w = &watch->warps[core_slot(core, r)];

	assert(r->used && !r->finished);
	if (w->unsteady_since != watch->ended)
		w->unsteady.count = 0;
	*w = (struct watched_warp){.state = is_blocked(core, r) ? WATCH_BLOCKED : WATCH_MOVING,
		.next_copy = 1,
		.looks = true,
		.first_pc = watch->timed ? UINT32_MAX : 0,
		.copy = w->copy,
		.room = w->room,
		.round.at = w->round.at,
		.unsteady = w->unsteady,
		.unsteady_since = watch->ended};
	watch->moving += w->state == WATCH_MOVING;
	observer_follow(core, r, OBSERVER_watch);
}

/* Calls `visit` for each warp that has not ended. */
static void each_warp(struct machine *machine, void (*visit)(struct core *core, struct warp_slot *r))
{
	for (uint32_t c = 0; c < machine->cores.count; c++) {
		struct core *core = &machine->cores.at[c];

		for (uint64_t m = core->machine ? ~core->warps.unused : 0; m; m &= m - 1) {
			uint32_t slot = (uint32_t)__builtin_ctzll(m);

			if (slot >= core->warps.count)
				break;
			if (core->slots[slot].used && !core->slots[slot].finished)
				visit(core, &core->slots[slot]);
		}
	}
}

static void unwatch_warp(struct core *core, struct warp_slot *r)
{
	observer_leave(core, r, OBSERVER_watch);
}

static void close_window(struct machine *machine)
{
	each_warp(machine, unwatch_warp);
	for (uint32_t c = 0; c < machine->cores.count; c++)
		observer_detach(&machine->cores.at[c], OBSERVER_watch);
	for (uint32_t p = 0; p < machine->partition_count; p++)
		partition_watch(machine->partitions[p], NULL);
	for (uint32_t c = 0; c < machine->cores.count; c++)
		if (machine->cores.at[c].owned)
			owned_watch(&machine->cores.at[c], NULL);
}

/* Memory is watched in every core and partition; the warps are yet to be chosen. */
static void open_window(struct machine *machine, struct watcher *w)
{
	if (!w->memory) {
		w->memory = arena_new_array(&machine->arena, struct journal, journals_of(machine));
		w->misses = arena_new_array(&machine->arena, uint64_t, machine->cores.count);
	}
	for (uint32_t c = 0; c < machine->cores.count; c++) {
		struct core *core = &machine->cores.at[c];
		struct watch *watch;

		if (!core->machine)
			continue;
		watch = observer_attach(machine, core, OBSERVER_watch);
		watch->broken = 0;
		memset(watch->arrivals, 0, sizeof watch->arrivals);
		watch->endless = false;
		watch->alone = watch->unsteady = watch->timed = watch->undecided = false;
		watch->memory = w->memory;
		watch->journals = journals_of(machine);
		watch->ended = w->ended;
		journal_open(&watch->journal, false);
		watch->moving = 0;
		watch->limit = w->limit;
		watch->arena = &machine->cores.arenas[c];
		for (uint32_t k = 0; k < core->warps.count; k++)
			watch->warps[k].state = WATCH_NOT;
	}
	for (uint32_t p = 0; p < journals_of(machine); p++)
		journal_open(&w->memory[p], false);
	for (uint32_t p = 0; p < machine->partition_count; p++)
		partition_watch(machine->partitions[p], &w->memory[p]);
	for (uint32_t c = 0; c < machine->cores.count; c++)
		if (machine->cores.at[c].owned)
			owned_watch(&machine->cores.at[c], &w->memory[machine->partition_count + c]);
	w->opened = now_of(machine);
}

/* One that can run; another one at each attempt. */
static bool choose_warp(struct machine *machine, struct watcher *w)
{
	for (uint32_t k = 0; k < machine->cores.count; k++) {
		struct core *core = &machine->cores.at[(w->attempts + k) % machine->cores.count];
		uint32_t slots = core->machine ? core->warps.count : 0;

		for (uint32_t j = 0; j < slots; j++) {
			uint32_t slot = (w->attempts + j) % slots;
			struct warp_slot *r = &core->slots[slot];

			if (core->warps.unused >> slot & 1 || !r->used || r->finished || is_blocked(core, r))
				continue;
			watch_warp(core, r);
			w->chosen = core;
			w->chosen_slot = slot;
			return true;
		}
	}
	return false;
}

static void close_epochs(struct machine *machine)
{
	for (uint32_t c = 0; c < machine->cores.count; c++) {
		struct core *core = &machine->cores.at[c];
		struct watch *watch = watch_of(core);

		for (uint64_t m = watch ? core->groups.used : 0; m; m &= m - 1)
			watch->epochs[__builtin_ctzll(m)] = fence_close_epoch(&core->groups.at[__builtin_ctzll(m)]);
	}
}

static bool is_drained(const struct machine *machine)
{
	for (uint32_t c = 0; c < machine->cores.count; c++)
		for (uint32_t slot = 0; machine->cores.at[c].machine && slot < machine->cores.at[c].warps.count; slot++)
			if (!(machine->cores.at[c].warps.unused >> slot & 1) &&
				copy_is_outstanding(&machine->cores.at[c], &machine->cores.at[c].slots[slot]))
				return false;
	for (uint32_t c = 0; c < machine->cores.count; c++) {
		const struct core *core = &machine->cores.at[c];
		const struct watch *watch = watch_of(core);

		for (uint64_t m = watch ? core->groups.used : 0; m; m &= m - 1)
			if (!fence_drained(&core->groups.at[__builtin_ctzll(m)], watch->epochs[__builtin_ctzll(m)]))
				return false;
	}
	return true;
}

/* What has been seen in all cores and partitions. */
struct seen {
	bool changed, timed, endless;
	bool host;  /* memory that the host writes was looked at */
	bool clock; /* what depends on time was read, in a way that is not known */
	bool times; /* a clock was read */
	uint32_t moving;
};

static struct seen seen_by(const struct machine *machine, const struct watcher *w)
{
	struct seen seen = {0};

	for (uint32_t p = 0; w->memory && p < journals_of(machine); p++) /* null: no window has been opened yet */
		seen.changed |= w->memory[p].changed;
	for (uint32_t c = 0; c < machine->cores.count; c++) {
		const struct watch *watch = watch_of(&machine->cores.at[c]);

		if (!watch)
			continue;
		seen.changed |= (watch->broken & PREMISES_OF_CHANGE) || watch->journal.changed;
		seen.timed |= (watch->broken & PREMISES_OF_TIME & ~(watch->timed ? PREMISE_TIME : 0u)) != 0;
		seen.endless |= watch->endless;
		seen.host |= (watch->broken & PREMISE_HOST) != 0;
		seen.clock |= (watch->broken & PREMISE_CLOCK) || watch->undecided;
		seen.times |= (watch->broken & PREMISE_TIME) != 0;
		seen.moving += watch->moving;
	}
	return seen;
}

/* ---- Stale lines ---- */

static uint64_t misses_of(const struct core *core)
{
	return core->counters.l1_loads - core->counters.l1_hits;
}

/* Whether the warp, which has come back, reads from the L1 what is no longer in memory. */
bool watch_reads_stale(const struct core *core, const struct warp_slot *r)
{
	const struct watched_warp *w = watch_of(core) ? &watch_of(core)->warps[core_slot(core, r)] : NULL;

	return w && w->state == WATCH_BACK && w->stale;
}

/* A stale line may be thrown out of the L1 in the end, by a line that comes: it proves something only where none
 * did. */
static bool lines_may_change(struct machine *machine, const struct watcher *w)
{
	for (uint32_t c = 0; c < machine->cores.count; c++) {
		struct core *core = &machine->cores.at[c];

		if (!watch_of(core) || misses_of(core) == w->misses[c])
			continue;
		for (uint32_t slot = 0; slot < core->warps.count; slot++)
			if (watch_reads_stale(core, &core->slots[slot]))
				return true;
	}
	return false;
}

/* ---- Arrivals ---- */

/* Somebody waits at a barrier to which others come again and again without waiting: in the end it may be full. */
static bool barriers_may_fill(const struct machine *machine)
{
	for (uint32_t c = 0; c < machine->cores.count; c++) {
		const struct core *core = &machine->cores.at[c];
		const struct watch *watch = watch_of(core);

		for (uint64_t m = watch ? core->groups.used : 0; m; m &= m - 1) {
			uint32_t g = (uint32_t)__builtin_ctzll(m);

			for (uint32_t came = watch->arrivals[g]; came; came &= came - 1)
				if (core->groups.at[g].barriers[__builtin_ctz(came)].waiting)
					return true;
		}
	}
	return false;
}

/* ---- Looking ---- */

static uint32_t doubled(uint32_t value, uint32_t most)
{
	return value < most / 2 ? value * 2 : most;
}

/* Often enough for a suspicion to rest on several looks. */
static uint32_t longest_pause(const struct machine *machine)
{
	uint64_t part = machine->gpu->options.hang_after / 8;

	return part && part < LONGEST_PAUSE ? (uint32_t)part : LONGEST_PAUSE;
}

/* Whether a warp that has not come back in a window of `timed` gets somewhere: it waits for a time and nothing else, or
 * its loops count. */
static bool gets_on_in_time(const struct machine *machine, const struct warp_slot *r, const struct watched_warp *w)
{
	const struct kernel_clocks *clocks = r->warp.kernel->clocks;
	bool wrapped = (now_of(machine) - machine->watcher->ended) >> 32;

	if (!w->outer)
		return w->tests & CLOCK_TEST || (w->tests & CLOCK_WRAPS && !wrapped);
	return w->counted || (!w->looks && !(clocks && clocks->escape));
}

/* Whether a warp that has not come back goes on in a loop that does more than look; with `branchless`, one that has not
 * branched at all will do, too. */
static bool gets_on(const struct machine *machine, const struct watch *watch, const struct warp_slot *r,
	const struct watched_warp *w, bool branchless)
{
	if (w->state != WATCH_MOVING)
		return false;
	if (branchless && !w->branches && !w->tests)
		return true;
	return watch->timed ? gets_on_in_time(machine, r, w) : !w->looks;
}

/* Whether any warp does. */
static bool has_worker(const struct machine *machine, bool branchless)
{
	for (uint32_t c = 0; c < machine->cores.count; c++) {
		const struct core *core = &machine->cores.at[c];
		const struct watch *watch = watch_of(core);

		for (uint32_t k = 0; watch && k < core->warps.count; k++)
			if (gets_on(machine, watch, &core->slots[k], &watch->warps[k], branchless))
				return true;
	}
	return false;
}

/* A warp went on and on in a loop that does more than look, or in none for the whole window. */
static bool computes(const struct machine *machine, const struct seen *seen)
{
	return !seen->timed && (seen->endless || seen->moving) && has_worker(machine, !seen->endless);
}

static uint64_t work_of(const struct machine *machine)
{
	uint64_t sum = 0;

	for (const struct launch *launch = machine->launches.first; launch; launch = launch->next)
		sum += launch_instructions(launch);
	return sum;
}

/* More than looking has been seen. */
static void end_quiet(struct machine *machine, struct watcher *w)
{
	w->quiet_since = now_of(machine);
	w->quiet_work = work_of(machine);
	w->asked_host = w->read_clock = false;
	w->quiet_looks = 0;
}

/* Nothing but looking has been seen for so long that a hang is suspected; `instructions`: cycles that one counts
 * for. */
static bool is_quiet_for_long(const struct machine *machine, const struct watcher *w, uint64_t instructions)
{
	uint64_t cycles = machine->gpu->options.hang_after, work = work_of(machine), most = cycles / instructions;

	if (most < WATCH_LEAST_WORK)
		most = WATCH_LEAST_WORK;
	if (w->read_clock) /* what waits for a time gets there by cycles, however many others wait with it */
		most = UINT64_MAX;
	/* What a launch that has ended has done is no longer in the sum. */
	return cycles && w->quiet_looks >= LEAST_LOOKS &&
	       (now_of(machine) - w->quiet_since >= cycles || (work > w->quiet_work && work - w->quiet_work >= most));
}

struct watch_quiet watch_quiet(const struct machine *machine)
{
	const struct watcher *w = machine->watcher;
	struct watch_quiet quiet = {.instructions = work_of(machine)};

	if (machine->progress) {
		quiet.instructions -= machine->progress_quiet_since;
		return quiet;
	}
	quiet.cycles = now_of(machine) - w->quiet_since;
	quiet.instructions -= w->quiet_work < quiet.instructions ? w->quiet_work : quiet.instructions;
	return quiet;
}

/* The window has shown nothing. */
static void give_up(struct machine *machine, struct watcher *w, const struct seen *seen)
{
	uint64_t now = now_of(machine);
	bool works = !seen->changed && computes(machine, seen);

	close_window(machine);
	w->pause = doubled(w->pause, longest_pause(machine));
	w->next = now + w->pause;
	w->quiet_looks++;
	if (w->phase >= PHASE_ALONE_DRAINING || (seen->changed ? now - w->ended < UNSTEADY_AFTER : works))
		end_quiet(machine, w);
	w->changes = seen->changed && w->phase <= PHASE_TIMED;
	w->times = seen->times;
	w->phase = PHASE_CLOSED;
	if (seen->endless)
		w->limit = doubled(w->limit, LAST_LIMIT);
}

static uint64_t progress_of(const struct machine *machine)
{
	uint64_t sum = 0;

	for (const struct launch *launch = machine->launches.first; launch; launch = launch->next)
		sum += launch->dispatch.next_group + launch_groups_done(launch) + launch->ordinal;
	return sum;
}

/* Threads of groups that go on which have ended. */
static uint64_t exits_of(const struct machine *machine)
{
	uint64_t sum = 0;

	for (uint32_t c = 0; c < machine->cores.count; c++)
		for (uint64_t m = machine->cores.at[c].machine ? machine->cores.at[c].groups.used : 0; m; m &= m - 1) {
			const struct group *group = &machine->cores.at[c].groups.at[__builtin_ctzll(m)];

			sum += group->threads - group->live_threads;
		}
	return sum;
}

void watch_everyone(struct machine *machine)
{
	close_window(machine);
	open_window(machine, machine->watcher);
	each_warp(machine, watch_warp);
}

bool watch_asked_host(const struct machine *machine)
{
	return machine->watcher->asked_host;
}

bool watch_saw_time(const struct machine *machine)
{
	return seen_by(machine, machine->watcher).timed;
}

bool watch_saw_change(const struct machine *machine)
{
	return seen_by(machine, machine->watcher).changed;
}

bool watch_saw_work(const struct machine *machine)
{
	struct seen seen = seen_by(machine, machine->watcher);

	return seen.changed || (seen.endless && computes(machine, &seen));
}

void watch_forget_changes(struct machine *machine)
{
	for (uint32_t c = 0; c < machine->cores.count; c++) {
		struct watch *watch = watch_of(&machine->cores.at[c]);

		if (!watch)
			continue;
		watch->broken &= ~(uint32_t)PREMISES_OF_CHANGE;
		watch->endless = false;
		journal_open(&watch->journal, false);
	}
}

static void look_at_all(struct machine *machine, struct watcher *w)
{
	watch_everyone(machine);
	for (uint32_t c = 0; c < machine->cores.count; c++)
		w->misses[c] = misses_of(&machine->cores.at[c]);
	w->phase = PHASE_ALL_WARPS;
}

/* The only warp that does not wait at a barrier; null: there is none. */
static struct warp_slot *only_runner(const struct machine *machine)
{
	struct warp_slot *only = NULL;

	for (uint32_t c = 0; c < machine->cores.count; c++) {
		struct core *core = &machine->cores.at[c];

		for (uint64_t m = core->machine ? ~core->warps.unused : 0; m; m &= m - 1) {
			uint32_t slot = (uint32_t)__builtin_ctzll(m);
			struct warp_slot *r = &core->slots[slot];

			if (slot >= core->warps.count)
				break;
			if (!r->used || r->finished || is_blocked(core, r))
				continue;
			if (only)
				return NULL;
			only = r;
		}
	}
	return only;
}

/* Memory may change from now on. */
static void tolerate_changes(struct machine *machine, struct watcher *w, bool alone)
{
	for (uint32_t p = 0; p < journals_of(machine); p++)
		journal_open(&w->memory[p], true);
	for (uint32_t c = 0; c < machine->cores.count; c++) {
		struct watch *watch = watch_of(&machine->cores.at[c]);

		if (!watch)
			continue;
		watch->unsteady = true;
		watch->alone = alone;
		watch->timed = w->times && !alone;
		journal_open(&watch->journal, true);
		w->misses[c] = misses_of(&machine->cores.at[c]);
	}
}

/* Nobody but one warp can write, if there is only one. */
static bool look_at_one_alone(struct machine *machine, struct watcher *w)
{
	if (!only_runner(machine))
		return false;
	tolerate_changes(machine, w, true);
	close_epochs(machine);
	w->phase = PHASE_ALONE_DRAINING;
	return true;
}

static bool look_at_unsteady(struct machine *machine, struct watcher *w)
{
	if (now_of(machine) - w->ended < UNSTEADY_AFTER)
		return false;
	tolerate_changes(machine, w, false);
	each_warp(machine, watch_warp);
	w->phase = PHASE_UNSTEADY;
	return true;
}

/* Clocks may be read from now on. */
static void look_at_timed(struct machine *machine, struct watcher *w)
{
	for (uint32_t c = 0; c < machine->cores.count; c++)
		if (watch_of(&machine->cores.at[c]))
			watch_of(&machine->cores.at[c])->timed = true;
	each_warp(machine, watch_warp);
	w->phase = PHASE_TIMED;
}

/* A warp has come back to a state in which it was in no window before: it got somewhere in between. */
static bool has_new_return(struct machine *machine, struct watcher *w)
{
	bool is_new = false;

	for (uint32_t c = 0; c < machine->cores.count; c++) {
		const struct watch *watch = watch_of(&machine->cores.at[c]);

		for (uint32_t k = 0; watch && k < machine->cores.at[c].warps.count; k++) {
			const struct watched_warp *warp = &watch->warps[k];

			if (warp->state == WATCH_BACK)
				is_new |= returns_add(
					&machine->arena, &w->returns, c * CORE_WARPS + k, warp->copy, warp->bytes);
		}
	}
	return is_new;
}

/* All warps have come back once more: the window shows nothing, or where they are after so many. */
static enum watch_verdict end_unsteady(struct machine *machine, struct watcher *w, const struct seen *seen)
{
	if (has_new_return(machine, w))
		end_quiet(machine, w);
	if (is_quiet_for_long(machine, w, WATCH_CYCLES_PER_CHANGE)) {
		w->has_verdict = true;
		return WATCH_SUSPECTED;
	}
	w->phase = PHASE_ALL_WARPS; /* not a window that failed: the quiet goes on */
	give_up(machine, w, seen);
	w->changes = true;
	return WATCH_GOES_ON;
}

/* All warps have come back once more, but for what they have of clocks: where it is not known what for, they may have
 * got somewhere since they were last looked at. */
static enum watch_verdict end_timed(struct machine *machine, struct watcher *w, const struct seen *seen)
{
	if (seen->clock && has_new_return(machine, w))
		end_quiet(machine, w);
	if (is_quiet_for_long(machine, w, WATCH_CYCLES_PER_LOOK)) {
		w->has_verdict = true;
		return WATCH_SUSPECTED;
	}
	give_up(machine, w, seen);
	return WATCH_GOES_ON;
}

/* A window has not shown what it was opened for. */
static enum watch_verdict fail(struct machine *machine, struct watcher *w, const struct seen *seen)
{
	bool is_last = w->phase == PHASE_TIMED && !seen->changed && !seen->timed && !computes(machine, seen);

	if (is_last && is_quiet_for_long(machine, w, WATCH_CYCLES_PER_LOOK)) {
		w->has_verdict = true;
		return WATCH_SUSPECTED;
	}
	give_up(machine, w, seen);
	return WATCH_GOES_ON;
}

static enum watch_verdict open_first(struct machine *machine, struct watcher *w)
{
	uint64_t progress = progress_of(machine), exits = exits_of(machine), now = now_of(machine);

	if (progress != w->progress || exits != w->exits || w->begins_later(machine)) {
		w->progress = progress;
		w->exits = exits;
		w->pause = FIRST_PAUSE;
		w->ended = now;
		lookup_clear(&w->returns);
		end_quiet(machine, w);
		w->next = now + w->pause;
		return WATCH_GOES_ON;
	}
	if (!w->changes && !w->times && is_quiet_for_long(machine, w, WATCH_CYCLES_PER_LOOK)) {
		open_window(machine, w);
		w->has_verdict = true;
		return WATCH_SUSPECTED;
	}
	w->attempts++;
	open_window(machine, w);
	if (w->changes && ((!w->times && look_at_one_alone(machine, w)) || look_at_unsteady(machine, w)))
		return WATCH_GOES_ON;
	if (w->times) {
		look_at_timed(machine, w);
		return WATCH_GOES_ON;
	}
	if (choose_warp(machine, w)) {
		w->phase = PHASE_ONE_WARP;
	} else {
		close_window(machine);
		w->next = now + w->pause;
	}
	return WATCH_GOES_ON;
}

/* The machine runs again although it was seen to hang: something may have been written. */
static void go_on(struct machine *machine, struct watcher *w)
{
	close_window(machine);
	w->has_verdict = false;
	w->phase = PHASE_CLOSED;
	end_quiet(machine, w);
	w->pause = FIRST_PAUSE;
	w->next = now_of(machine) + w->pause;
}

/* Each request for a lock that has no answer waits in a queue: none is on its way there, and no answer on its way
 * back. */
static bool locks_rest(const struct machine *machine)
{
	uint32_t asked = 0, waiting = 0;

	if (machine->mode->at_once || !machine->lock->queues)
		return true;
	for (uint32_t c = 0; c < machine->cores.count; c++) {
		const struct core *core = &machine->cores.at[c];

		for (uint64_t m = core->machine ? ~core->warps.unused : 0;
			m && (uint32_t)__builtin_ctzll(m) < core->warps.count; m &= m - 1)
			asked += (uint32_t)__builtin_popcountll(
				lock_lanes_asking(core, &core->slots[__builtin_ctzll(m)]));
	}
	for (uint32_t p = 0; p < machine->partition_count; p++)
		waiting += partition_locks_waiting(machine->partitions[p]);
	return asked == waiting;
}

enum watch_verdict watcher_step(struct machine *machine)
{
	struct watcher *w = machine->watcher;
	struct seen seen;

	if (w->has_verdict)
		go_on(machine, w);
	if (w->phase == PHASE_CLOSED)
		return now_of(machine) < w->next ? WATCH_GOES_ON : open_first(machine, w);
	seen = seen_by(machine, w);
	w->asked_host |= seen.host;
	w->read_clock |= seen.clock;
	if (seen.changed || seen.timed || seen.endless || progress_of(machine) != w->progress ||
		w->begins_later(machine))
		return fail(machine, w, &seen);
	if (now_of(machine) - w->opened > w->span) {
		w->span = doubled(w->span, LONGEST_SPAN);
		return fail(machine, w, &seen);
	}
	if (w->phase == PHASE_ALONE_DRAINING) {
		if (!only_runner(machine)) { /* another has been let go meanwhile */
			give_up(machine, w, &seen);
		} else if (is_drained(machine)) {
			each_warp(machine, watch_warp);
			w->phase = PHASE_ALONE;
		}
		return WATCH_GOES_ON;
	}
	if (seen.moving || !locks_rest(machine))
		return WATCH_GOES_ON;
	if (w->phase == PHASE_UNSTEADY)
		return end_unsteady(machine, w, &seen);
	if (w->phase == PHASE_TIMED)
		return end_timed(machine, w, &seen);
	if (w->phase == PHASE_ONE_WARP) {
		look_at_all(machine, w);
	} else if (w->phase == PHASE_ALL_WARPS) {
		close_epochs(machine);
		w->phase = PHASE_DRAINING;
	} else if (w->phase == PHASE_ALONE || is_drained(machine)) {
		w->has_verdict = !lines_may_change(machine, w) && !barriers_may_fill(machine);
		if (w->has_verdict)
			return WATCH_PROVED;
		give_up(machine, w, &seen);
	}
	return WATCH_GOES_ON;
}

const struct observer observer_watch = {
	.state_size = sizeof(struct watch),
	.is_asked = is_asked,
	.wants = wants,
	.before = before,
	.on.released = released,
	.on.lock_over = lock_over,
	.on.goes_on = goes_on,
	.on.arrives = arrives,
	.on.yields = yields,
	.on.warp_ends = warp_ends,
	.on.changed = changed,
	.on.effect = effect,
};
