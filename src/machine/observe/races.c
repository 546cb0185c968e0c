/* What warps do, for the race check. */
#include "machine/observe/races.h"

#include "machine/core/cluster.h"
#include "machine/core/matrix_groups.h"
#include "machine/core/observer.h"
#include "machine/lsu/access.h"
#include "machine/lsu/atomic.h"
#include "machine/lsu/element.h"
#include "machine/lsu/lock_bits.h"
#include "machine/lsu/mbarrier_mend.h"
#include "machine/lsu/remote.h"
#include "machine/state/child.h"
#include "machine/state/launch_state.h"

#include <assert.h>
#include <string.h>

enum what {
	ACCESS,
	READ,
	EFFECT, /* of an atomic: where and when it reads and writes */
	FENCE,
	TOGETHER,
	ARRIVE,
	OPEN,
	CLUSTER_ARRIVE,
	CLUSTER_OVER,
	GIVE,
	GET,
	END_GROUP,
	/* mbarriers, whose offsets are the lanes' addresses: init and inval, arrivals, waits that found a phase over;
	 * and the end of a phase */
	OBJECT,
	ARRIVE_AT,
	FIND_OVER,
	END_PHASE,
	/* a part of a matrix, a texel; asynchronous copies, which may be tracked by an mbarrier */
	BLOCK,
	COPY,
	TRACK,
	COPIED,
	COMMIT,
	WAIT,
	COMMIT_MATRICES,
	WAIT_MATRICES,
	PROXY,
	/* tensor maps: a copy reads one; the fences of their proxy */
	MAP_READ,
	MAP_RELEASE,
	MAP_ACQUIRE,
	/* what kernels launch: see race.h */
	LAUNCH,
	AWAITED,
	/* programmatic launch: the launch before is over */
	GRID_AWAITED,
};

/* Something that happened, followed by `words` words: the addresses of the lanes that are kept of it, lowest lane
 * first, and then what they store, four to a word.  Of COPY they are a struct race_copy, and `lanes` has a bit for
 * each.  Members of the unions say to which notes they belong. */
struct note {
	const struct insn *insn;
	lane_mask lanes;
	union {
		lane_mask failed;       /* ACCESS, EFFECT */
		lane_mask members;      /* TOGETHER */
		uint64_t bytes;         /* BLOCK */
		uint64_t token;         /* TRACK, COPIED */
		uint64_t pending;       /* WAIT: groups of copies */
		uint64_t count;         /* WAIT_MATRICES: groups of wgmma */
		uint64_t phase;         /* CLUSTER_ARRIVE, CLUSTER_OVER */
		struct race_grid *grid; /* LAUNCH, AWAITED */
		uint64_t ordinal;       /* GRID_AWAITED */
	};
	uint32_t pc;
	uint16_t words;
	uint8_t what, slot; /* slot: the warp's; OPEN, END_GROUP and END_PHASE: any of the group's */
	union {
		uint8_t space;
		uint8_t scope;      /* FENCE: enum race_scope */
		uint8_t handle;     /* GIVE, GET: enum race_handle */
		bool read;          /* WAIT: until sources are read */
		bool is_shared;     /* PROXY: for shared memory */
		uint8_t warp_lanes; /* WAIT_MATRICES */
	};
	union {
		uint8_t barrier;
		uint8_t fence;   /* FENCE: enum race_fence */
		uint8_t arrival; /* ARRIVE_AT: enum race_arrival */
	};
	union {
		bool waits;     /* ARRIVE */
		bool relaxed;   /* FIND_OVER, CLUSTER_ARRIVE */
		bool valued;    /* ACCESS: it has values */
		bool writes;    /* BLOCK */
		bool bulk;      /* COMMIT, WAIT */
		bool is_global; /* PROXY: for global memory */
	};
	uint32_t other; /* EFFECT, COPIED: one more than the core of the warp; 0: this one */
};

struct watched {
	struct arena *arena;
	struct race_warp *warp[CORE_WARPS];   /* by slot */
	struct race_group *group[CORE_WARPS]; /* by the lowest slot of the group's */
	VECTOR(uint64_t) notes;               /* timing mode: not judged yet */
	uint64_t checked;                     /* accesses by lanes since the last flush */
};

static struct races *races_of(const struct core *core)
{
	assert(core->machine->gpu->observe[OBSERVER_races]);
	return races_of_gpu(core->machine->gpu);
}

/* ---- Judging ---- */

static void judge_access(struct races *races, struct race_warp *warp, const struct note *n, bool at_once,
	const uint64_t *address, const uint16_t *written)
{
	struct race_access access = {.insn = n->insn,
		.pc = n->pc,
		.lanes = n->lanes,
		.failed = n->what == READ ? 0 : n->failed,
		.later = !at_once && n->insn->kind == INSN_ATOMIC,
		.pending = !at_once && !(n->insn->flags & INSN_NO_RESULT),
		.space = n->space,
		.address = address,
		.written = n->valued ? written : NULL};

	assert(!(access.failed & ~n->lanes));
	if (n->what == READ)
		races_read(races, warp, &access);
	else if (n->what == EFFECT)
		races_take_effect(races, warp, &access);
	else
		races_access(races, warp, &access);
}

_Static_assert(sizeof(struct race_copy) % sizeof(uint64_t) == 0, "copies are whole words");
#define COPY_WORDS (sizeof(struct race_copy) / sizeof(uint64_t))

static void judge_copy(struct races *races, struct race_warp *warp, const uint64_t *words)
{
	struct race_copy copy;

	memcpy(&copy, words, sizeof copy);
	assert(copy.read <= copy.written || copy.by == RACE_BY_MATRICES);
	assert(copy.lane < CORE_WARPS);
	races_copy(races, warp, &copy);
}

/* What has one lane, or is of copies, of mbarriers, and of what kernels launch. */
static void judge_more(struct races *races, struct race_warp *warp, const struct note *n, const uint64_t *address)
{
	uint32_t lane = n->lanes ? (uint32_t)__builtin_ctzll(n->lanes) : 0;

	assert((n->what != BLOCK && n->what != TRACK && n->what != COPIED && n->what != LAUNCH &&
		       n->what != MAP_READ) ||
		!(n->lanes & (n->lanes - 1)));
	switch ((enum what)n->what) {
	case OBJECT: races_object(races, warp, n->lanes, address); break;
	case ARRIVE_AT: races_arrive_at(races, warp, n->lanes, n->arrival, address); break;
	case FIND_OVER: races_find_over(races, warp, n->lanes, n->relaxed, address); break;
	case END_PHASE: races_end_phase(races, races_group(warp), address[lane]); break;
	case BLOCK: races_block(races, warp, n->pc, lane, n->space, address[lane], n->bytes, n->writes); break;
	case COPY: judge_copy(races, warp, address); break;
	case TRACK: races_track(races, warp, lane, (uint32_t)n->token); break;
	case COPIED: races_copied(races, races_group(warp), lane, (uint32_t)n->token, address[lane]); break;
	case COMMIT: races_commit(races, warp, n->lanes, n->bulk); break;
	case WAIT: races_wait(races, warp, n->lanes, n->bulk, n->read, (uint32_t)n->pending); break;
	case COMMIT_MATRICES: races_commit_matrices(races, warp); break;
	case WAIT_MATRICES:
		races_wait_matrices(races, warp, n->lanes, WARPGROUP_THREADS / n->warp_lanes, (uint32_t)n->count);
		break;
	case PROXY: races_proxy_fence(races, warp, n->lanes, n->is_global, n->is_shared); break;
	case MAP_READ: races_map_read(races, warp, n->pc, lane, address[lane]); break;
	case MAP_RELEASE: races_map_release(races, warp, n->lanes); break;
	case MAP_ACQUIRE: races_map_acquire(races, warp, n->lanes, address); break;
	case LAUNCH: races_launches(races, warp, lane, n->grid); break;
	case AWAITED: races_awaited(races, warp, n->lanes, n->grid); break;
	case GRID_AWAITED: races_overlap_over(races, warp, n->lanes, n->ordinal); break;
	default: break;
	}
}

static void judge(const struct core *core, struct watched *s, const struct note *n, const uint64_t *address,
	const uint16_t *written)
{
	struct races *races = races_of(core);
	bool is_remote = n->other;
	const struct watched *of =
		is_remote ? observer_state(&core->machine->cores.at[n->other - 1], OBSERVER_races) : s;
	struct race_warp *warp = of->warp[n->slot];

	assert(n->slot < CORE_WARPS);
	assert(!is_remote || n->what == EFFECT || n->what == COPIED);
	assert(!is_remote || n->other <= core->machine->cores.count);
	if (!warp) /* threads could not be numbered any more */
		return;
	switch ((enum what)n->what) {
	case ACCESS:
	case READ:
	case EFFECT: judge_access(races, warp, n, observer_at_once(core), address, written); break;
	case FENCE: races_fence(races, warp, n->lanes, n->fence, n->scope); break;
	case TOGETHER: races_together(races, warp, n->lanes, n->members); break;
	case ARRIVE: races_arrive(races, warp, n->barrier, n->lanes, n->waits); break;
	case OPEN: races_open(races, s->group[n->slot], n->barrier); break;
	case CLUSTER_ARRIVE: races_cluster_arrive(races, warp, n->lanes, (uint32_t)n->phase, n->relaxed); break;
	case CLUSTER_OVER: races_cluster_over(races, warp, n->lanes, (uint32_t)n->phase); break;
	case GIVE: races_give(races, warp, n->lanes, n->handle, address); break;
	case GET: races_get(races, warp, n->lanes, n->handle, address); break;
	case END_GROUP: races_end_group(races, s->group[n->slot]); break;
	default: judge_more(races, warp, n, address);
	}
}

/* ---- Writing down ---- */

/* What is kept of a note's lanes: all from the first of the warp to the last that the note has, as they lie; where most
 * of these have no part in it, those of the note alone. */
static uint32_t kept_of(lane_mask lanes, bool *as_they_lie)
{
	uint32_t all = lanes ? 64 - (uint32_t)__builtin_clzll(lanes) : 0, own;

	*as_they_lie = !(lanes & (lanes + 1));
	if (*as_they_lie)
		return all;
	own = (uint32_t)__builtin_popcountll(lanes);
	assert(own);
	assert(own < all);
	*as_they_lie = all <= 2 * own;
	return *as_they_lie ? all : own;
}

static bool has_values(const struct note *n)
{
	return n->valued && n->what == ACCESS;
}

static void write_lanes(uint64_t *to, const struct note *n, const uint64_t *address, const uint16_t *written)
{
	bool as_they_lie;
	uint32_t kept = kept_of(n->lanes, &as_they_lie), k = 0;
	uint16_t *values = (uint16_t *)(void *)(to + kept);

	assert(n->lanes);
	if (as_they_lie) {
		memcpy(to, address, kept * sizeof *address);
		if (has_values(n))
			memcpy(values, written, kept * sizeof *written);
		return;
	}
	EACH_LANE(l, n->lanes) {
		to[k] = address[l];
		if (has_values(n))
			values[k] = written[l];
		k++;
	}
}

static void write_down(struct watched *s, struct note n, const uint64_t *address, const uint16_t *written)
{
	bool as_they_lie;
	uint32_t kept = address ? kept_of(n.lanes, &as_they_lie) : 0, head = sizeof n / sizeof(uint64_t);
	uint64_t *to;

	assert(n.slot < CORE_WARPS);
	assert(!has_values(&n) || (address && written));
	n.words = (uint16_t)(kept + (has_values(&n) ? (kept + 3) / 4 : 0));
	if (s->notes.capacity - s->notes.count >= head + n.words)
		s->notes.count += head + n.words;
	else
		for (uint32_t word = 0; word < head + n.words; word++)
			vector_push(s->arena, &s->notes);
	assert(s->notes.count >= head + n.words);
	assert(s->notes.count <= s->notes.capacity);
	to = &s->notes.at[s->notes.count - head - n.words];
	memcpy(to, &n, sizeof n);
	if (kept)
		write_lanes(to + head, &n, address, written);
}

_Static_assert(sizeof(struct note) % sizeof(uint64_t) == 0, "notes are whole words");

static void judge_note(const struct core *core, struct watched *s, const struct note *n, const uint64_t *words)
{
	uint64_t address[CORE_WARPS];
	uint16_t written[CORE_WARPS];
	bool as_they_lie;
	uint32_t kept = n->words ? kept_of(n->lanes, &as_they_lie) : 0, k = 0;
	const uint16_t *values = (const uint16_t *)(const void *)(words + kept);

	assert(n->words <= CORE_WARPS + CORE_WARPS / 4);
	assert(n->words == kept + (has_values(n) ? (kept + 3) / 4 : 0));
	if (!kept || as_they_lie) {
		judge(core, s, n, words, values);
		return;
	}
	EACH_LANE(l, n->lanes) {
		address[l] = words[k];
		if (has_values(n))
			written[l] = values[k];
		k++;
	}
	judge(core, s, n, address, written);
}

static void judge_notes(const struct core *core, struct watched *s)
{
	struct note n;

	for (uint32_t at = 0; at < s->notes.count; at += n.words) {
		assert(at + sizeof n / sizeof(uint64_t) <= s->notes.count);
		memcpy(&n, &s->notes.at[at], sizeof n);
		at += sizeof n / sizeof(uint64_t);
		assert(at + n.words <= s->notes.count);
		judge_note(core, s, &n, s->notes.at + at);
	}
	s->notes.count = 0;
}

/* An address in shared memory as the check has it (race_shared). */
static uint64_t in_cluster(const struct warp *w, uint8_t space, uint64_t address)
{
	assert(space != space_LOCAL);
	if (space == space_CLUSTER)
		return race_shared(remote_rank(address), remote_offset(address));
	return space == space_SHARED && launch_cluster_size(w->launch) > 1
		       ? race_shared(launch_cluster_rank(w->launch, w->group), address)
		       : address;
}

/* Likewise of lanes, in `changed` if they are others. */
static const uint64_t *all_in_cluster(
	const struct warp *w, lane_mask lanes, uint8_t *space, const uint64_t *address, uint64_t changed[CORE_WARPS])
{
	assert(!(lanes & ~w->full));
	if (*space != space_CLUSTER && (*space != space_SHARED || launch_cluster_size(w->launch) == 1))
		return address;
	EACH_LANE(l, lanes)
		changed[l] = in_cluster(w, *space, address[l]);
	*space = space_SHARED;
	return changed;
}

static void note_down(
	struct core *core, struct watched *s, struct note n, const uint64_t *address, const uint16_t *written)
{
	assert(n.slot < CORE_WARPS);
	assert(!n.words);
	if (observer_at_once(core))
		judge(core, s, &n, address, written);
	else
		write_down(s, n, address, written);
}

static void happens_to(struct core *core, struct watched *s, const struct warp_slot *r, struct note n,
	const uint64_t *address, const uint16_t *written)
{
	assert(core_slot(core, r) < core->warps.count);
	n.slot = (uint8_t)core_slot(core, r);
	note_down(core, s, n, address, written);
}

/* What is of no addresses. */
static void happens(struct core *core, struct watched *s, const struct warp_slot *r, struct note n)
{
	happens_to(core, s, r, n, NULL, NULL);
}

/* Of the lanes those whose bit is set, where each has one, the lowest first. */
static lane_mask lanes_of(lane_mask lanes, uint64_t set)
{
	lane_mask of = 0;

	EACH_LANE(l, lanes) {
		of |= (lane_mask)(set & 1) << l;
		set >>= 1;
	}
	assert(!set);
	return of;
}

/* Atomics of global memory that have taken effect: before what cores have heard since, as some of that may follow
 * them. */
static void judge_effects(struct machine *machine, const struct atomic_effect *effects, uint32_t count)
{
	for (uint32_t k = 0; k < count; k++) {
		const struct atomic_effect *effect = &effects[k];
		struct core *core = effect->source < machine->cores.count ? &machine->cores.at[effect->source] : NULL;
		struct watched *s = core ? observer_state(core, OBSERVER_races) : NULL;
		const struct operation *op;

		if (!s)
			continue;
		op = atomic_sent(core, effect->token);
		assert(!(effect->lanes & ~op->lanes));
		if (op->insn->kind == INSN_ATOMIC)
			judge(core, s,
				&(struct note){.what = EFFECT,
					.insn = op->insn,
					.lanes = effect->lanes,
					.failed = lanes_of(effect->lanes, effect->failed),
					.pc = launch_pc(op->group->core_launch->launch, op->insn),
					.slot = (uint8_t)core_slot(core, op->slot),
					.space = space_GLOBAL},
				op->address, NULL);
	}
}

static void flush(struct machine *machine, bool at_end)
{
	assert(!at_end || !machine->launches.first);
	for (uint32_t p = 0; p < machine->partition_count; p++) {
		uint32_t count;
		const struct atomic_effect *effects = partition_take_effects(machine->partitions[p], &count);

		judge_effects(machine, effects, count);
	}
	for (uint32_t c = 0; c < machine->cores.count; c++) {
		struct core *core = &machine->cores.at[c];
		struct watched *s = observer_state(core, OBSERVER_races);

		assert(!s || !s->notes.count || !observer_at_once(core));
		if (s && s->notes.count)
			judge_notes(core, s);
		if (s) {
			machine->gpu->found[FOUND_RACE].checked += s->checked;
			s->checked = 0;
		}
	}
	if (at_end)
		races_end_launches(races_of_gpu(machine->gpu));
}

/* ---- Groups.  They begin between quanta, when all is judged that was written down ---- */

static struct race_launch *begin_launch(
	const struct core *core, struct races *races, const struct launch *launch, uint32_t group_threads)
{
	uint32_t cluster = launch_cluster_size(&launch->values);
	struct race_launch *of = races_begin_launch(races, launch->ordinal, launch->kernel,
		!core->machine->divergence->yield, launch->total_groups, group_threads);

	assert(cluster);
	assert(launch->machine == core->machine);
	if (of && cluster > 1)
		races_have_clusters(races, of, cluster);
	if (of && launch->early.after)
		races_may_overlap(of, launch->early.after - 1);
	if (of && launch->child)
		races_begin_grid(races, of, launch->child->race);
	if (launch->family)
		launch->family->race = launch->child ? launch->child->race : of ? races_grid_of(races, of) : NULL;
	return of;
}

static struct race_group *begin_group(
	struct races *races, struct race_launch *of, const struct group *group, const struct warp *w)
{
	const struct launch_values *values = w->launch;
	uint32_t at = 0;

	assert(group->number < group->core_launch->launch->total_groups);
	if (launch_cluster_size(values) == 1)
		return races_begin_group(races, of, group->number);
	for (uint32_t k = 3; k--;)
		at = at * (values->grid[k] / values->cluster[k]) + w->group[k] / values->cluster[k];
	return races_begin_member(races, of, group->number, at, launch_cluster_rank(values, w->group));
}

static void group_begins(struct core *core, void *state, struct group *group)
{
	struct watched *s = state;
	struct races *races = races_of(core);
	const struct launch *launch = group->core_launch->launch;
	struct race_launch *of = races_launch(races, launch->ordinal);
	struct race_group *begun;

	assert(group->slots);
	assert(launch->ordinal == group->launch);
	if (!of)
		of = begin_launch(core, races, launch, group->threads);
	begun = of ? begin_group(races, of, group, &core->slots[__builtin_ctzll(group->slots)].warp) : NULL;
	assert(!begun || of);
	s->group[__builtin_ctzll(group->slots)] = begun;
	EACH_LANE(slot, group->slots) {
		const struct warp *w = &core->slots[slot].warp;

		s->warp[slot] = begun ? races_warp(begun, w->first_thread / w->lanes) : NULL;
	}
}

static void group_ends(struct core *core, void *state, struct group *group)
{
	assert(group->slots);
	happens(core, state, &core->slots[__builtin_ctzll(group->slots)], (struct note){.what = END_GROUP});
}

/* ---- Accesses ---- */

/* Different for different values, but for one in 65,536. */
static uint16_t sixteen_bits(uint64_t value)
{
	value ^= value >> 32;
	return (uint16_t)(value ^ (value >> 16) * 0x9e37u);
}

/* What lanes store, all elements of a vector together; of mbarrier.init its count, from which the object follows. */
static void values(const struct warp_slot *r, const struct insn *i, lane_mask lanes, uint16_t *written)
{
	const struct kernel *kernel = r->warp.kernel;

	assert(!(lanes & ~r->warp.full));
	EACH_LANE(l, i->op == OP_mbarrier_init ? lanes : 0)
		written[l] = sixteen_bits(slot_value(&r->warp, i->s[1], 4, (uint32_t)l));
	EACH_LANE(l, i->op == OP_mbarrier_init ? 0 : lanes) {
		uint64_t all = 0;

		for (uint32_t e = 0; e < i->access.elements; e++) {
			uint64_t value[2] = {0};

			element_get(&r->warp, element_slot(i, kernel, e, i->s[1]), (uint32_t)l,
				i->access.register_bytes, i->access.bytes, value);
			all = all * 31 + value[0] + value[1];
		}
		written[l] = sixteen_bits(all);
	}
}

/* Whether it is known what the instruction writes: `values` tells it. */
static bool is_valued(const struct insn *i)
{
	assert(i->kind < INSN_KINDS);
	return i->op == OP_mbarrier_init || (i->kind == INSN_STORE && i->access.space != space_SURFACE);
}

/* Null: it is of a group that has ended. */
static const uint8_t *memory_at(const struct core *core, const struct warp_slot *r, uint8_t space, uint64_t address)
{
	const struct group *group;
	struct core *there;

	assert(space == space_GLOBAL || space == space_SHARED || space == space_CLUSTER);
	if (space != space_CLUSTER)
		return memory_byte(access_memory(core, r, space), address);
	group = cluster_group(core->machine, r->group, remote_rank(address), &there);
	return group ? group->shared + remote_offset(address) : NULL;
}

/* The lanes whose compare-and-swap will find something else: functional mode. */
static lane_mask failing(const struct core *core, const struct warp_slot *r, const struct insn *i, lane_mask lanes,
	uint8_t space, const uint64_t *address)
{
	lane_mask failed = 0;

	assert(!(lanes & ~r->warp.full));
	if (!insn_is_swap(i) || !observer_at_once(core))
		return 0;
	EACH_LANE(l, lanes) {
		const uint8_t *where = memory_at(core, r, space, address[l]);
		uint8_t expected[16];

		element_get(&r->warp, i->s[1], (uint32_t)l, i->s_bytes[1], i->access.bytes, expected);
		if (!where || memcmp(expected, where, i->access.bytes))
			failed |= (lane_mask)1 << l;
	}
	return failed;
}

/* An atomic of shared memory, or of global memory in the L1, takes effect: compare-and-swaps that find what they
 * compare with store. */
static void answered(struct core *core, void *state, const struct operation *op, lane_mask lanes, const uint64_t *old)
{
	const struct insn *i = op->insn;
	uint32_t bytes = i->access.bytes, words = bytes == 16 ? 2 : 1;
	struct note n = {.what = EFFECT, .insn = i, .lanes = lanes, .space = op->space};
	uint64_t changed[CORE_WARPS];

	assert(!(lanes & ~op->lanes));
	assert(op->slot->group == op->group);
	if (observer_at_once(core) || (op->space != space_SHARED && !core->owned) || i->kind != INSN_ATOMIC)
		return;
	EACH_LANE(l, insn_is_swap(i) ? lanes : 0) {
		n.failed |= (lane_mask)(memcmp(old, op->data + l * 2 * bytes, bytes) != 0) << l;
		old += words;
	}
	n.pc = launch_pc(op->group->core_launch->launch, i);
	happens_to(
		core, state, op->slot, n, all_in_cluster(&op->slot->warp, lanes, &n.space, op->address, changed), NULL);
}

/* Of another group's memory, where it is carried out: the notes of this core are in that order. */
static void served(struct core *core, void *state, const struct group *group, const struct remote_access *a)
{
	uint64_t address[CORE_WARPS];
	struct note n = {.what = EFFECT,
		.insn = a->insn,
		.lanes = a->lanes,
		.failed = insn_is_swap(a->insn) ? a->lanes & ~a->swapped : 0,
		.other = a->core + 1u,
		.slot = (uint8_t)a->slot,
		.space = space_SHARED};

	assert(a->core < core->machine->cores.count);
	assert(a->slot < CORE_WARPS);
	assert(!(a->swapped & ~a->lanes));
	if (observer_at_once(core) || a->insn->kind != INSN_ATOMIC)
		return;
	n.pc = launch_pc(group->core_launch->launch, a->insn);
	EACH_LANE(l, a->lanes)
		address[l] = race_shared(a->rank, a->offset[l]);
	write_down(state, n, address, NULL);
}

static bool is_wait(const struct insn *i)
{
	return i->op == OP_mbarrier_test || i->op == OP_mbarrier_test_parity || i->op == OP_mbarrier_try ||
	       i->op == OP_mbarrier_try_parity;
}

static enum race_arrival arrival_of(const struct insn *i)
{
	assert(i->kind == INSN_MBARRIER);
	if (i->op == OP_mbarrier_expect_tx || i->op == OP_mbarrier_complete_tx)
		return RACE_COUNTS_BYTES;
	return i->modifiers.order == order_RELAXED ? RACE_ARRIVES_RELAXED : RACE_ARRIVES;
}

/* The names of lock bits: of a core's, those of other groups are others. */
static void bits_of(
	const struct core *core, const struct warp_slot *r, lane_mask lanes, const uint64_t *address, uint64_t *bit)
{
	assert(!(lanes & ~r->warp.full));
	EACH_LANE(l, lanes)
		bit[l] = lock_bits_bit(lock_bits_of(core), r->group, address[l]);
}

static void gives(struct core *core, struct watched *s, const struct warp_slot *r, const struct insn *i,
	lane_mask lanes, const uint64_t *address)
{
	uint64_t bit[CORE_WARPS];
	struct note n = {.what = GIVE, .lanes = lanes};

	assert(!(lanes & ~r->warp.full));
	if (i->kind == INSN_RELEASE) {
		n.handle = RACE_HANDLE_LOCK;
	} else if (i->kind == INSN_MBARRIER && !is_wait(i)) {
		n.what = i->op == OP_mbarrier_init || i->op == OP_mbarrier_inval ? OBJECT : ARRIVE_AT;
		n.arrival = (uint8_t)arrival_of(i);
	} else if (i->kind == INSN_STORE_UNLOCK) {
		n.handle = RACE_HANDLE_BIT;
		bits_of(core, r, lanes, address, bit);
		address = bit;
	} else {
		return;
	}
	happens_to(core, s, r, n, address, NULL);
}

static void note_checked(struct watched *s, lane_mask lanes)
{
	s->checked += (uint32_t)__builtin_popcountll(lanes);
}

static void accesses(struct core *core, void *state, const struct warp_slot *r, const struct insn *i, lane_mask lanes,
	uint8_t space, const uint64_t *address)
{
	uint64_t changed[CORE_WARPS], mapped[CORE_WARPS];
	uint16_t written[CORE_WARPS];
	struct note n = {.what = ACCESS, .insn = i, .lanes = lanes, .space = space};

	assert(!(lanes & ~r->warp.full));
	/* see `moves` and `copies` */
	if (space == space_LOCAL || i->op == OP_sust_formatted || insn_kinds[i->kind].flags & KIND_ASYNC)
		return;
	note_checked(state, lanes);
	n.pc = launch_pc(r->core_launch->launch, i);
	n.failed = failing(core, r, i, lanes, space, address);
	if (i->kind == INSN_MBARRIER)
		address = mbarrier_mend_mapped(core, r, i, lanes, space, address, mapped);
	address = all_in_cluster(&r->warp, lanes, &n.space, address, changed);
	n.valued = is_valued(i);
	if (n.valued)
		values(r, i, lanes, written);
	happens_to(core, state, r, n, address, written);
	gives(core, state, r, i, lanes, address);
}

static void completed(struct core *core, void *state, const struct operation *op)
{
	const struct insn *i = op->insn;
	bool loads = i->kind == INSN_LOAD || (i->kind == INSN_ATOMIC && !(i->flags & INSN_NO_RESULT));
	struct note n = {.what = READ, .insn = i, .lanes = op->lanes, .space = op->space};
	uint64_t changed[CORE_WARPS];
	const uint64_t *address;

	assert(op->slot->group == op->group);
	if (i->kind == INSN_MBARRIER && is_wait(i)) {
		n.what = FIND_OVER;
		n.relaxed = i->modifiers.order == order_RELAXED;
		n.lanes = i->pd == NO_PREDICATE || i->flags & INSN_NO_RESULT ? 0 : n.lanes & op->predicates[i->pd];
		if (!n.lanes)
			return;
	} else if (!loads || observer_at_once(core) || (i->kind == INSN_LOAD && i->access.order <= order_WEAK) ||
		   !op->lanes) {
		return;
	} else {
		n.pc = launch_pc(op->group->core_launch->launch, i);
	}
	address = all_in_cluster(&op->slot->warp, n.lanes, &n.space, op->address, changed);
	happens_to(core, state, op->slot, n, address, NULL);
}

/* ---- Blocks, and asynchronous copies ---- */

static void moves(struct core *core, void *state, const struct warp_slot *r, const struct insn *i, uint32_t lane,
	uint8_t space, uint64_t address, uint64_t bytes, bool writes)
{
	uint64_t of_lane[CORE_WARPS];

	assert(lane < r->warp.lanes);
	if (space == space_LOCAL)
		return;
	note_checked(state, (lane_mask)1 << lane);
	of_lane[lane] = in_cluster(&r->warp, space, address);
	happens_to(core, state, r,
		(struct note){.what = BLOCK,
			.lanes = (lane_mask)1 << lane,
			.pc = launch_pc(r->core_launch->launch, i),
			.space = space,
			.bytes = bytes,
			.writes = writes},
		of_lane, NULL);
}

static uint8_t race_space(uint8_t space)
{
	assert(space == space_GLOBAL || space == space_SHARED || space == space_CLUSTER);
	return space == space_CLUSTER ? space_SHARED : space;
}

/* A copy's, by the operation and by whose mbarrier is told: a multicast one has one for each group that gets it. */
static uint32_t token_of(uint32_t operation, uint64_t object)
{
	assert(object >> RACE_SHARED_BITS < CLUSTER_GROUPS);
	return operation * CLUSTER_GROUPS + (uint32_t)(object >> RACE_SHARED_BITS);
}

static bool is_bulk(const struct insn *i)
{
	return i->kind == INSN_COPY && i->op != OP_cp_async_ca && i->op != OP_cp_async_cg;
}

static void copies(struct core *core, void *state, const struct warp_slot *r, const struct insn *i, uint32_t lane,
	const struct observed_copy *told)
{
	struct race_copy copy = {.from = in_cluster(&r->warp, told->from_space, told->from),
		.to = in_cluster(&r->warp, told->to_space, told->to),
		.read = told->read,
		.written = told->written,
		.object = told->has_object ? in_cluster(&r->warp, told->to_space, told->object) : 0,
		.pc = launch_pc(r->core_launch->launch, i),
		.lane = lane,
		.from_space = race_space(told->from_space),
		.to_space = race_space(told->to_space),
		.element = told->element,
		.by = told->has_object ? RACE_BY_OBJECT
		      : is_bulk(i)     ? RACE_BY_BULK_GROUP
				       : RACE_BY_GROUP,
		.is_bulk = is_bulk(i)};
	struct note n = {.what = COPY, .lanes = ((lane_mask)1 << COPY_WORDS) - 1};
	uint64_t words[COPY_WORDS];

	assert(lane < r->warp.lanes);
	copy.token = token_of(told->token, copy.object);
	if (i->op == OP_cp_async_arrive) {
		n = (struct note){.what = TRACK, .lanes = (lane_mask)1 << lane, .token = copy.token};
		happens(core, state, r, n);
		return;
	}
	memcpy(words, &copy, sizeof copy);
	note_checked(state, (lane_mask)1 << lane);
	happens_to(core, state, r, n, words, NULL);
}

static void copied(struct core *core, void *state, const struct operation *op, uint32_t lane, uint64_t object)
{
	const struct remote_access *from = core->lsu.serving;
	struct note n = {.what = COPIED, .lanes = (lane_mask)1 << lane};
	uint64_t of_lane[CORE_WARPS];

	assert(op->lanes >> lane & 1);
	assert(from || (size_t)(op - core->lsu.operations) < core->lsu.operation_fresh);
	of_lane[lane] = in_cluster(&op->slot->warp, space_SHARED, object);
	n.token = token_of(from ? from->token : (uint32_t)(op - core->lsu.operations), of_lane[lane]);
	n.slot = (uint8_t)(from ? from->slot : core_slot(core, op->slot));
	n.other = from ? from->core + 1u : 0;
	note_down(core, state, n, of_lane, NULL);
}

static void phase_ends(struct core *core, void *state, const struct operation *op, uint64_t object)
{
	assert(op->slot->group == op->group);
	object = in_cluster(&op->slot->warp, space_SHARED, object);
	happens_to(core, state, op->slot, (struct note){.what = END_PHASE, .lanes = 1}, &object, NULL);
}

static void credited(
	struct core *core, void *state, const struct warp_slot *r, lane_mask lanes, uint64_t object, bool is_over)
{
	uint64_t of_lane[CORE_WARPS];

	assert(lanes && !(lanes & ~r->warp.full));
	EACH_LANE(l, lanes)
		of_lane[l] = in_cluster(&r->warp, space_SHARED, object);
	happens_to(core, state, r, (struct note){.what = ARRIVE_AT, .lanes = lanes, .arrival = RACE_ARRIVES}, of_lane,
		NULL);
	if (is_over)
		happens_to(core, state, r, (struct note){.what = END_PHASE, .lanes = lanes & -lanes}, of_lane, NULL);
}

/* commit_group, wait_group and wait_all. */
static void groups_copies(
	struct core *core, void *state, const struct warp_slot *r, const struct insn *i, lane_mask lanes)
{
	struct note n = {.what = COMMIT, .lanes = lanes};

	assert(lanes);
	assert(!(lanes & ~r->warp.path->active));
	n.bulk = i->op == OP_cp_async_bulk_commit || i->op == OP_cp_async_bulk_wait ||
		 i->op == OP_cp_async_bulk_wait_read;
	if (i->op == OP_cp_async_commit || i->op == OP_cp_async_bulk_commit || i->op == OP_cp_async_wait_all)
		happens(core, state, r, n);
	if (i->op == OP_cp_async_commit || i->op == OP_cp_async_bulk_commit)
		return;
	n.what = WAIT;
	n.read = i->op == OP_cp_async_bulk_wait_read;
	n.pending = i->op == OP_cp_async_wait_all ? 0 : *(const uint32_t *)slot_at(&r->warp, i->s[0]);
	happens(core, state, r, n);
}

/* ---- Matrices ---- */

static void matrix_reads(struct core *core, void *state, const struct warp_slot *r, const struct insn *i,
	uint64_t address, uint64_t bytes)
{
	struct race_copy copy = {.from = in_cluster(&r->warp, space_SHARED, address),
		.read = (uint32_t)bytes,
		.pc = launch_pc(r->core_launch->launch, i),
		.from_space = space_SHARED,
		.to_space = space_SHARED,
		.by = RACE_BY_MATRICES,
		.is_bulk = true};
	struct note n = {.what = COPY, .lanes = ((lane_mask)1 << COPY_WORDS) - 1};
	uint64_t words[COPY_WORDS];

	assert(bytes);
	memcpy(words, &copy, sizeof copy);
	note_checked(state, 1);
	happens_to(core, state, r, n, words, NULL);
}

static void commits_matrices(struct core *core, void *state, const struct warp_slot *r, uint64_t count)
{
	assert(count);
	(void)count;
	happens(core, state, r, (struct note){.what = COMMIT_MATRICES});
}

static void awaited_matrices(struct core *core, void *state, const struct warp_slot *r, uint64_t count)
{
	assert(count);
	happens(core, state, r,
		(struct note){.what = WAIT_MATRICES,
			.lanes = r->warp.live,
			.count = count,
			.warp_lanes = (uint8_t)r->warp.lanes});
}

/* ---- Order ---- */

/* Fences between the generic and the asynchronous proxy: for which memory; none: it is none. */
static void proxy_fence(const struct insn *i, bool *global, bool *shared)
{
	bool both = i->op == OP_fence_proxy_async;

	*global = both || i->op == OP_fence_proxy_async_global;
	*shared = both || i->op == OP_fence_proxy_async_shared || i->op == OP_fence_proxy_async_cluster ||
		  i->op == OP_fence_proxy_async_acquire || i->op == OP_fence_proxy_async_release;
}

static enum race_fence fence_of(const struct insn *i)
{
	assert(i->kind == INSN_FENCE);
	if (i->op == OP_fence_mbarrier || i->op == OP_fence_tensormap_release)
		return RACE_FENCE_RELEASES;
	if (race_is_fence_sc(i))
		return RACE_FENCE_SC;
	if (i->op == OP_fence_tensormap_acquire)
		return RACE_FENCE_ACQUIRES;
	if (i->op != OP_fence)
		return RACE_FENCE_BOTH;
	switch (i->modifiers.order) {
	case order_ACQUIRE: return RACE_FENCE_ACQUIRES;
	case order_RELEASE: return RACE_FENCE_RELEASES;
	default: return RACE_FENCE_BOTH;
	}
}

static bool wants(const struct gpu *gpu, bool functional, const struct insn *i)
{
	bool global, shared;

	(void)gpu;
	(void)functional;
	proxy_fence(i, &global, &shared);
	return i->kind == INSN_FENCE || i->kind == INSN_COPY_WAIT || global || shared;
}

/* A fence that is no proxy's alone: also one of tensor maps, which releases what it knows before it, and acquires what
 * it has learnt. */
static void fence(struct core *core, void *state, const struct warp_slot *r, const struct insn *i, lane_mask lanes)
{
	uint64_t address[CORE_WARPS];

	assert(i->kind == INSN_FENCE && lanes);
	if (i->op == OP_fence_tensormap_release)
		happens(core, state, r, (struct note){.what = MAP_RELEASE, .lanes = lanes});
	happens(core, state, r,
		(struct note){.what = FENCE,
			.lanes = lanes,
			.fence = (uint8_t)fence_of(i),
			.scope = (uint8_t)race_fence_scope(i)});
	if (i->op != OP_fence_tensormap_acquire)
		return;
	EACH_LANE(l, lanes)
		address[l] = slot_value(&r->warp, i->s[0], i->s_bytes[0], (uint32_t)l) + (uint64_t)i->offset;
	happens_to(core, state, r, (struct note){.what = MAP_ACQUIRE, .lanes = lanes}, address, NULL);
}

static void map_reads(struct core *core, void *state, const struct warp_slot *r, const struct insn *i, uint32_t lane,
	uint64_t address)
{
	uint64_t of_lane[CORE_WARPS];

	assert(lane < r->warp.lanes);
	of_lane[lane] = address;
	note_checked(state, (lane_mask)1 << lane);
	happens_to(core, state, r,
		(struct note){
			.what = MAP_READ, .lanes = (lane_mask)1 << lane, .pc = launch_pc(r->core_launch->launch, i)},
		of_lane, NULL);
}

static void before(struct core *core, void *state, struct warp_slot *r, const struct insn *i, lane_mask lanes)
{
	bool global, shared;

	assert(!(lanes & ~r->warp.path->active));
	proxy_fence(i, &global, &shared);
	if (!lanes)
		return;
	if (i->kind == INSN_COPY_WAIT)
		groups_copies(core, state, r, i, lanes);
	else if (global || shared)
		happens(core, state, r,
			(struct note){.what = PROXY, .lanes = lanes, .is_global = global, .is_shared = shared});
	else
		fence(core, state, r, i, lanes);
}

static void together(struct core *core, void *state, const struct warp_slot *r, lane_mask lanes, lane_mask members)
{
	assert(!((lanes | members) & ~r->warp.live));
	happens(core, state, r, (struct note){.what = TOGETHER, .lanes = lanes, .members = members});
}

static void arrives(
	struct core *core, void *state, const struct warp_slot *r, uint32_t number, lane_mask lanes, bool waits)
{
	assert(lanes);
	assert(number < GROUP_BARRIERS);
	if (number >= NAMED_BARRIERS) /* see cluster_arrives */
		return;
	happens(core, state, r,
		(struct note){.what = ARRIVE, .lanes = lanes, .barrier = (uint8_t)number, .waits = waits});
}

static void opens(struct core *core, void *state, const struct group *group, uint32_t number)
{
	assert(group->slots);
	if (number >= NAMED_BARRIERS)
		return;
	happens(core, state, &core->slots[__builtin_ctzll(group->slots)],
		(struct note){.what = OPEN, .barrier = (uint8_t)number});
}

static void cluster_arrives(
	struct core *core, void *state, const struct warp_slot *r, lane_mask lanes, uint32_t phase, bool relaxed)
{
	assert(lanes);
	assert(!(lanes & ~r->warp.full));
	happens(core, state, r,
		(struct note){.what = CLUSTER_ARRIVE, .lanes = lanes, .phase = phase, .relaxed = relaxed});
}

static void cluster_over(struct core *core, void *state, const struct warp_slot *r, lane_mask lanes, uint32_t phase)
{
	assert(lanes);
	assert(!(lanes & ~r->warp.full));
	happens(core, state, r, (struct note){.what = CLUSTER_OVER, .lanes = lanes, .phase = phase});
}

static void lock_answered(struct core *core, void *state, const struct warp_slot *r, const struct insn *i,
	const uint64_t *address, lane_mask granted, lane_mask refused)
{
	assert(!(granted & refused));
	(void)refused;
	if (granted && i->kind == INSN_ACQUIRE)
		happens_to(core, state, r, (struct note){.what = GET, .handle = RACE_HANDLE_LOCK, .lanes = granted},
			address, NULL);
}

static void lock_bits(struct core *core, void *state, const struct operation *op, lane_mask got)
{
	uint64_t bit[CORE_WARPS];

	assert(!(got & ~op->lanes));
	if (op->insn->kind != INSN_LOAD_LOCK || !got)
		return;
	bits_of(core, op->slot, got, op->address, bit);
	happens_to(
		core, state, op->slot, (struct note){.what = GET, .handle = RACE_HANDLE_BIT, .lanes = got}, bit, NULL);
}

/* malloc and free: what was freed is handed on to the thread that gets it next. */
static void effect(struct core *core, void *state, const struct warp_slot *r, enum observed_effect what)
{
	static const uint64_t heap[CORE_WARPS];
	lane_mask lanes = r->warp.path->active;
	struct note n = {.handle = RACE_HANDLE_HEAP, .lanes = lanes, .slot = (uint8_t)core_slot(core, r)};

	assert(!(lanes & ~r->warp.full));
	if (what != EFFECT_HEAP || !lanes)
		return;
	/* Calls of all cores are served in the order of time, between quanta: what cores did before comes first. */
	if (!observer_at_once(core))
		flush(r->core_launch->launch->machine, false);
	n.what = GET;
	judge(core, state, &n, heap, NULL);
	n.what = GIVE;
	judge(core, state, &n, heap, NULL);
}

/* ---- What kernels launch.  Told between quanta ---- */

static void launches(
	struct core *core, void *state, const struct warp_slot *r, uint32_t lane, const struct child *child)
{
	assert(lane < r->warp.lanes);
	assert(child->is_grid);
	happens(core, state, r, (struct note){.what = LAUNCH, .lanes = (lane_mask)1 << lane, .grid = child->race});
}

/* The runtime has it from the thread that has given it back. */
static void parameters(
	struct core *core, void *state, const struct warp_slot *r, uint32_t lane, uint64_t address, bool back)
{
	uint64_t of_lane[CORE_WARPS];

	assert(lane < r->warp.lanes);
	of_lane[lane] = address;
	happens_to(core, state, r,
		(struct note){
			.what = back ? GIVE : GET, .lanes = (lane_mask)1 << lane, .handle = RACE_HANDLE_PARAMETERS},
		of_lane, NULL);
}

static void awaited(struct core *core, void *state, const struct warp_slot *r, lane_mask lanes, const struct child *all)
{
	assert(!all->is_grid);
	assert(lanes);
	happens(core, state, r, (struct note){.what = AWAITED, .lanes = lanes, .grid = all->race});
}

static void grid_awaited(struct core *core, void *state, const struct warp_slot *r, lane_mask lanes, uint64_t ordinal)
{
	assert(lanes);
	assert(r->core_launch->launch->early.after == ordinal + 1);
	happens(core, state, r, (struct note){.what = GRID_AWAITED, .lanes = lanes, .ordinal = ordinal});
}

const struct observer observer_races = {
	.state_size = sizeof(struct watched),
	.wants = wants,
	.has_arena = true,
	.before = before,
	.on = {.group_begins = group_begins,
		.group_ends = group_ends,
		.access = accesses,
		.moves = moves,
		.copies = copies,
		.map_reads = map_reads,
		.copied = copied,
		.matrix_reads = matrix_reads,
		.commits_matrices = commits_matrices,
		.awaited_matrices = awaited_matrices,
		.phase_ends = phase_ends,
		.credited = credited,
		.answered = answered,
		.served = served,
		.completed = completed,
		.arrives = arrives,
		.opens = opens,
		.cluster_arrives = cluster_arrives,
		.cluster_over = cluster_over,
		.together = together,
		.lock_answered = lock_answered,
		.lock_bits = lock_bits,
		.launches = launches,
		.parameters = parameters,
		.awaited = awaited,
		.grid_awaited = grid_awaited,
		.effect = effect},
	.flush = flush,
};
