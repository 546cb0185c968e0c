/* What a core tells of its warps while a window of the proof is open: whether they come back to an earlier state, and
 * which premises their instructions break. */
#include "machine/observe/watch_parts.h"

#include "kernel/clocks.h"
#include "machine/core/warp_state.h"
#include "machine/lsu/access.h"

#include <assert.h>
#include <string.h>

/* bytes; a larger one is not copied, so its warp is never seen to come back */
#define LARGEST_STATE ((size_t)1 << 20)

/* ---- A warp's state ---- */

/* Copies the pieces, one after another, to *copy, which grows.  Returns how many bytes they are; 0: too many. */
static size_t gather(struct arena *arena, uint8_t **copy, size_t *room, const struct piece *piece, uint32_t count)
{
	size_t bytes = 0, at = 0;

	assert(count);
	assert(count <= STATE_PIECES);
	for (uint32_t k = 0; k < count; k++)
		bytes += piece[k].bytes;
	if (bytes > LARGEST_STATE)
		return 0;
	if (bytes > *room) {
		*room = bytes + bytes / 4;
		*copy = arena_alloc(arena, *room);
	}
	for (uint32_t k = 0; k < count; k++) {
		memcpy(*copy + at, piece[k].at, piece[k].bytes);
		at += piece[k].bytes;
	}
	assert(at == bytes);
	assert(bytes <= *room);
	return bytes;
}

static bool is_copied_state(const struct watched_warp *w, const struct piece *piece, uint32_t count)
{
	size_t at = 0;

	assert(w->bytes <= w->room);
	assert(count <= STATE_PIECES);
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

/* Clears, in a copied file of registers, what the frame of the entry has of clocks, and all after the frame. */
static void forget_registers(const struct warp_slot *r, const struct clock_values *values, uint8_t *file, bool wide)
{
	const struct kernel *kernel = r->warp.kernel;
	size_t words = r->core_launch->launch->warp.register_words;

	assert(r->core_launch->launch->kernel == kernel);
	for (uint32_t k = 0; k < values->slot_count; k++)
		if (wide == !!(values->slot[k] & SLOT_WIDE))
			forget_words(file, words, values->slot[k] & SLOT_OFFSET, kernel->lanes);
	forget_words(file, words, (size_t)kernel->functions[0].slot_count * kernel->lanes, words);
}

static void forget_predicates(const struct warp_slot *r, const struct clock_values *values, uint8_t *file)
{
	size_t count = r->core_launch->launch->warp.predicate_count, own = r->warp.kernel->functions[0].predicate_count;

	assert(own <= count);
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
	size_t bytes = gather(watch->arena, &watch->scratch, &watch->scratch_room, piece, count);
	uint8_t *at = watch->scratch;

	if (!bytes)
		return false;
	for (uint32_t k = 0; k < count; k++) {
		if (piece[k].at == r->warp.predicate_file)
			forget_predicates(r, values, at);
		else if (piece[k].at == r->warp.registers || piece[k].at == r->warp.wide_registers)
			forget_registers(r, values, at, piece[k].at == r->warp.wide_registers);
		at += piece[k].bytes;
	}
	assert(at == watch->scratch + bytes);
	piece[0] = (struct piece){watch->scratch, bytes};
	return true;
}

/* A register's value is outstanding, so what is in there now is not what the program sees. */
static bool has_outstanding_value(const struct warp_slot *r)
{
	const struct launch *launch = r->core_launch->launch;

	assert(r->warp.kernel == launch->kernel);
	assert(r->warp.lanes);
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
	assert(w->state == WATCH_MOVING);
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
	assert(r->group->slots & r->bit);
	for (uint32_t k = 0; k < FENCE_EPOCHS; k++)
		if (r->group->outstanding[k])
			return false;
	return true;
}

static bool is_memory_restored(const struct watch *watch)
{
	assert(watch->alone);
	for (uint32_t p = 0; p < watch->journals; p++)
		if (!journal_is_restored(&watch->memory[p]))
			return false;
	return journal_is_restored(&watch->journal);
}

static bool is_memory_untouched(const struct watch *watch)
{
	assert(watch->alone);
	for (uint32_t p = 0; p < watch->journals; p++)
		if (watch->memory[p].count)
			return false;
	return !watch->journal.count;
}

static void begin_round(struct watch *watch, struct watched_warp *w)
{
	assert(w->state == WATCH_MOVING);
	assert(watch->moving);
	forget_round(watch, w);
	for (uint32_t p = 0; watch->alone && p < watch->journals; p++)
		journal_clear(&watch->memory[p]);
	journal_clear(&watch->journal);
}

/* Other paths of the warp could run as well, and have not had their turn since the copy. */
static bool neglects_paths(const struct core *core, const struct warp_slot *r, const struct watched_warp *w)
{
	assert(!(r->warp.path->active & ~r->warp.live));
	return core->machine->independent && r->warp.path->active != r->warp.live && !w->offers;
}

static void note_extent(struct watched_warp *w, const struct insn *i, uint32_t pc)
{
	assert(w->state == WATCH_MOVING);
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
	w->bytes = gather(watch->arena, &w->copy, &w->room, piece, count);
	assert(w->bytes <= w->room);
	assert(w->next_copy > w->branches);
	begin_round(watch, w);
}

static bool is_written_by_host(const struct core *core, uint64_t address)
{
	const struct allocation *a = space_find(core->machine->space, address, 1);

	return a && (a->host_writes || a->shared);
}

/* Where schedules or placements are tried, the host may have said that it waits: then it writes nothing. */
static bool host_may_write(const struct machine *machine)
{
	assert(machine->space);
	return machine->space->host_writes &&
	       !((machine->progress || machine->gpu->placement) && machine->gpu->host.waits);
}

/* Whether any lane looks at memory that the host writes, which no journal of ours tells. */
static bool reads_from_host(const struct core *core, const struct warp_slot *r, const struct insn *i, lane_mask lanes)
{
	uint64_t address[CORE_WARPS];

	assert(!(lanes & ~r->warp.path->active));
	if (!host_may_write(core->machine) || i->access.space == space_SHARED ||
		access_addresses_of(address, &r->warp, i, &lanes) != space_GLOBAL)
		return false;
	EACH_LANE(l, lanes)
		if (is_written_by_host(core, address[l]))
			return true;
	return false;
}

static bool is_stale(const struct core *core, uint64_t address, uint32_t bytes)
{
	const uint8_t *line = l1_peek(&core->l1, l1_line_of(&core->l1, address));
	uint64_t offset = address - l1_line_of(&core->l1, address);

	assert(bytes);
	assert(offset + bytes <= l1_line_bytes(&core->l1));
	return line && memcmp(line + offset, space_host(core->machine->space, address), bytes);
}

/* Whether a load may find in the L1 what is no longer in memory: how long depends on other lines. */
static bool may_load_stale(const struct core *core, const struct warp_slot *r, const struct insn *i, lane_mask lanes)
{
	uint64_t address[CORE_WARPS];

	assert(!(lanes & ~r->warp.path->active));
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

	assert(!(r->warp.path->active & ~r->warp.live));
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
	assert(list->count <= WATCH_ACCESSES);
}

static void note_access(
	const struct watch *watch, struct warp_slot *r, struct watched_warp *w, const struct insn *i, lane_mask lanes)
{
	assert(w->state == WATCH_MOVING);
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

static void before(struct core *core, void *state, struct warp_slot *r, const struct insn *i, lane_mask lanes)
{
	struct watch *watch = state;
	struct watched_warp *w = &watch->warps[core_slot(core, r)];
	const struct kernel_clocks *clocks = r->warp.kernel->clocks;

	assert(core_slot(core, r) < core->warps.count);
	assert(!(lanes & ~r->warp.path->active));
	if (w->state == WATCH_NOT)
		return;
	watch->broken |= broken_by(core, i);
	if (reads_clock(i))
		watch->undecided |= !clocks || clocks->decides || clocks->escape;
	if (watch->timed && i->kind == INSN_BRANCH)
		w->tests |= clock_marks(r, r->warp.path->pc) & (CLOCK_TEST | CLOCK_WRAPS);
	/* after any time: a thread that unlocks goes on after its critical section */
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
static void let_go(struct core *core, void *state, const struct warp_slot *r)
{
	struct watch *watch = state;
	struct watched_warp *w = &watch->warps[core_slot(core, r)];

	assert(core_slot(core, r) < core->warps.count);
	if (w->state != WATCH_BLOCKED)
		return;
	if (watch->alone)
		watch->broken |= PREMISE_COURSE;
	w->state = WATCH_MOVING;
	watch->moving++;
	assert(watch->moving <= core->warps.count);
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

static void arrives(
	struct core *core, void *state, const struct warp_slot *r, uint32_t number, lane_mask lanes, bool waits)
{
	struct watch *watch = state;

	assert((size_t)(r->group - core->groups.at) < core->groups.count);
	assert(number < GROUP_BARRIERS);
	(void)lanes;
	if (!waits)
		watch->arrivals[r->group - core->groups.at] |= 1u << number;
}

/* It may give others what they wait for. */
static void registers(struct core *core, void *state, const struct warp_slot *r, const struct insn *i, lane_mask lanes)
{
	struct watch *watch = state;

	assert((size_t)(r->group - core->groups.at) < core->groups.count);
	(void)i;
	(void)lanes;
	watch->arrivals[r->group - core->groups.at] |= 1u << REGISTER_WAIT;
}

/* Another path of the warp could have its turn now. */
static void yields(struct core *core, void *state, const struct warp_slot *r)
{
	struct watch *watch = state;

	assert(core_slot(core, r) < core->warps.count);
	watch->warps[core_slot(core, r)].offers++;
}

static void warp_ends(struct core *core, void *state, struct warp_slot *r)
{
	struct watch *watch = state;

	(void)core;
	(void)r;
	assert(r->bit == 1ull << core_slot(core, r));
	watch->broken |= PREMISE_COURSE;
}

static void changed(struct core *core, void *state, const struct warp_slot *r, const uint8_t *where, const uint8_t *was,
	uint32_t bytes)
{
	struct watch *watch = state;

	assert(bytes);
	assert(bytes <= LINE_BYTES);
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

	assert(what < sizeof premise);
	assert(premise[what]);
	(void)core;
	(void)r;
	watch->broken |= premise[what];
}

static bool wants(const struct gpu *gpu, bool functional, const struct insn *i)
{
	(void)gpu;
	(void)functional;
	return i->kind == INSN_PLAIN ? reads_whoever_is_there(i) : !(insn_kinds[i->kind].flags & KIND_UNWATCHED);
}

/* It comes and goes with its windows. */
const struct observer observer_watch = {
	.state_size = sizeof(struct watch),
	.wants = wants,
	.before = before,
	.on.released = released,
	.on.lock_over = lock_over,
	.on.goes_on = let_go,
	.on.arrives = arrives,
	.on.registers = registers,
	.on.yields = yields,
	.on.warp_ends = warp_ends,
	.on.changed = changed,
	.on.effect = effect,
};
