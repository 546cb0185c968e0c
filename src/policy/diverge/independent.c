/* Independent threads: Volta and later.  A warp is a set of warp splits, each with lanes and a pc of its own; one runs
 * at a time.
 *
 * Where a branch diverges, the lanes of the warp split take part in a convergence barrier at the reconvergence point.
 * A warp split that arrives there waits until every other lane of the barrier has arrived too, has exited, or has left
 * by a return; then all go on as one warp split.  A call is a convergence barrier as well: at the return address, for
 * lanes as they return.  Convergence barriers nest; a warp split knows the innermost one of its lanes, each convergence
 * barrier knows the next outer one.
 *
 * Convergence barriers are a matter of speed only, so they must never hold a lane for ever: a lane that waits may hold
 * the lock which the others spin on (paper 1, Example 1).  A waiting warp split is let go, and the convergence barrier
 * then expects the others alone,
 *     when no warp split can run: the missing lanes wait at barriers of the work-group or of the warp, or at other
 *     convergence barriers;
 *     when the others have been given PATIENCE turns since a warp split was last let go.
 * Warp splits take turns in a ring, so each that can run does, and each that waits is let go in the end, whatever
 * others do.
 *
 * The work-group's barrier is a convergence barrier of the whole warp, too: ptxas puts a WARPSYNC of all lanes before a
 * BAR that lanes may reach apart.  Lanes count there as they come, but those that are released together at the same
 * place go on as one warp split.
 *
 * bar.warp.sync and the like are promises to the program: only their members' arrival or exit ends the wait.  Members
 * that are at the same instruction of the same call, or of calls from the same places, then execute it as one warp
 * split and stay one, at the price of the convergence barriers which they do not share; members elsewhere execute
 * theirs on their own.
 *
 * State is bounded: warp splits have lanes, so there are at most `lanes`; each lane is at one call convergence barrier
 * per depth; a split for which no convergence barrier is left (never seen: nested splits hold ever fewer lanes) is left
 * without one.  The order in which warp splits run depends on nothing that counts up, so a warp that spins returns to
 * an earlier state bit by bit. */
#include "policy/diverge/diverge.h"

#include <assert.h>
#include <string.h>

#define PATIENCE 16 /* turns */
#define NONE 0xffffffffu

/* Lanes that run together.  A warp split that does not run keeps its path here; the running one's is in `now`. */
struct warp_split {
	struct path path;
	lane_mask members; /* waits for these in a .sync instruction */
	uint32_t barrier;  /* innermost, or NONE */
	uint32_t granted;  /* may execute the .sync instruction it is at */
};

struct convergence_barrier {
	lane_mask missing; /* expected, have not come; includes lanes at inner convergence barriers */
	uint32_t waiting;  /* warp split of those that have come, or NONE */
	uint32_t outer;    /* or NONE; of a free convergence barrier: the next free one */
	uint32_t pc, depth, register_base, predicate_base, stack_base; /* where it is, and in which frame */
	uint32_t is_call;
};

/* Bit i of a set is split[i]. */
struct independent {
	struct path now;
	lane_mask live;
	/* used: is in one of the others; the running one in ready */
	uint64_t used, ready, waiting, syncing, blocked, locking;
	uint32_t running;     /* warp split, or NONE */
	uint32_t turns;       /* given while a warp split waits at a convergence barrier */
	uint32_t last_let_go; /* warp split */
	uint32_t lanes, call_depth;
	uint32_t free, made;       /* convergence barriers: list of free ones, how many have ever been in use */
	uint32_t branch_barriers;  /* convergence barriers in use that are not calls */
	struct warp_split split[]; /* `lanes` of them; behind them, the convergence barriers */
};

static struct convergence_barrier *barriers(const struct independent *s)
{
	return (struct convergence_barrier *)((uintptr_t)s->split + s->lanes * sizeof(struct warp_split));
}

static size_t size_with(uint32_t lanes, uint32_t barrier_count)
{
	return sizeof(struct independent) + lanes * sizeof(struct warp_split) +
	       barrier_count * sizeof(struct convergence_barrier);
}

static size_t state_size(uint32_t lanes, uint32_t call_depth)
{
	return size_with(lanes, lanes * (call_depth + 2)); /* one a lane and call, and 2 * lanes for splits */
}

static size_t state_used(const void *state)
{
	const struct independent *s = state;
	return size_with(s->lanes, s->made);
}

/* ---- Which warp split runs ---- */

static uint64_t bit(uint32_t split)
{
	return 1ull << split;
}

/* The member of `set` (not empty) that follows `warp split` in the ring. */
static uint32_t next_in_ring(uint64_t set, uint32_t split)
{
	uint64_t behind = set & ~(bit(split) | (bit(split) - 1));
	return (uint32_t)__builtin_ctzll(behind ? behind : set);
}

static void save(struct independent *s)
{
	if (s->running != NONE)
		s->split[s->running].path = s->now;
}

static void run(struct independent *s, uint32_t split)
{
	s->running = split;
	s->now = s->split[split].path;
}

static void let_go_one(struct independent *s);

/* After any change: goes on with the running warp split if it still can, else with the next that can. */
static void resume(struct independent *s)
{
	uint32_t from = s->running == NONE ? 0 : s->running;
	while (!s->ready && s->waiting)
		let_go_one(s);
	if (s->running != NONE && s->ready & bit(s->running))
		run(s, s->running);
	else if (s->ready)
		run(s, next_in_ring(s->ready, from));
	else {
		s->running = NONE;
		s->now.active = 0;
	}
}

static uint32_t new_split(struct independent *s, const struct path *path, uint32_t barrier)
{
	uint32_t i = (uint32_t)__builtin_ctzll(~s->used);
	assert(i < s->lanes);
	s->used |= bit(i);
	s->ready |= bit(i);
	s->split[i] = (struct warp_split){.path = *path, .barrier = barrier};
	return i;
}

static void end_split(struct independent *s, uint32_t i)
{
	uint64_t others = ~bit(i);
	s->used &= others, s->ready &= others, s->waiting &= others, s->syncing &= others, s->blocked &= others,
		s->locking &= others;
	memset(&s->split[i], 0, sizeof s->split[i]);
}

/* ---- Convergence barriers ---- */

static uint32_t new_barrier(struct independent *s, const struct warp_split *split, uint32_t pc, bool is_call)
{
	if (!is_call && s->branch_barriers == 2 * s->lanes)
		return NONE;
	s->branch_barriers += !is_call;
	uint32_t m = s->free;
	if (m != NONE)
		s->free = barriers(s)[m].outer;
	else
		m = s->made++;
	const struct path *p = &split->path;
	barriers(s)[m] = (struct convergence_barrier){.missing = p->active,
		.waiting = NONE,
		.outer = split->barrier,
		.pc = pc,
		.depth = p->depth,
		.register_base = p->register_base,
		.predicate_base = p->predicate_base,
		.stack_base = p->stack_base,
		.is_call = is_call};
	return m;
}

/* The warp split is to meet at `m` next, on its way there. */
static void head_for(struct independent *s, uint32_t i, uint32_t m)
{
	const struct convergence_barrier *barrier = &barriers(s)[m];
	s->split[i].barrier = m;
	s->split[i].path.reconvergence_pc = m == NONE || barrier->is_call ? NO_RECONVERGENCE : barrier->pc;
}

static void arrive(struct independent *s, uint32_t i);

/* The warp split waits at `m` no longer and goes on towards the outer convergence barrier. */
static void let_go(struct independent *s, uint32_t m)
{
	struct convergence_barrier *barrier = &barriers(s)[m];
	uint32_t i = barrier->waiting;
	barrier->waiting = NONE;
	s->waiting &= ~bit(i);
	s->ready |= bit(i);
	head_for(s, i, barrier->outer);
}

/* Lanes no longer miss at `m`: they have come or will not come.  With nobody left to wait for, the convergence barrier
 * is over; answers the warp split that goes on from there and has yet to be looked at, or NONE. */
static uint32_t expect_no_more(struct independent *s, uint32_t m, lane_mask lanes)
{
	struct convergence_barrier *barrier = &barriers(s)[m];
	barrier->missing &= ~lanes;
	if (barrier->missing)
		return NONE;
	uint32_t i = barrier->waiting;
	if (i != NONE)
		let_go(s, m);
	s->branch_barriers -= !barrier->is_call;
	*barrier = (struct convergence_barrier){.outer = s->free};
	s->free = m;
	return i;
}

/* The warp split has come to the place of its innermost convergence barrier, which may also be that of the next, and so
 * on. */
static void arrive(struct independent *s, uint32_t i)
{
	do {
		uint32_t m = s->split[i].barrier;
		struct convergence_barrier *barrier = &barriers(s)[m];
		lane_mask lanes = s->split[i].path.active;
		if (barrier->waiting != NONE) {
			s->split[barrier->waiting].path.active |= lanes;
			end_split(s, i);
		} else {
			barrier->waiting = i;
			s->ready &= ~bit(i);
			s->waiting |= bit(i);
		}
		i = expect_no_more(s, m, lanes);
	} while (i != NONE && s->split[i].path.pc == s->split[i].path.reconvergence_pc);
}

/* The warp split goes on at pc. */
static void go_to(struct independent *s, uint32_t i, uint32_t pc)
{
	s->split[i].path.pc = pc;
	if (pc == s->split[i].path.reconvergence_pc)
		arrive(s, i);
}

/* Lanes leave every convergence barrier from `m` outwards, up to but not including `end`. */
static void leave(struct independent *s, lane_mask lanes, uint32_t m, uint32_t end)
{
	while (m != end) {
		uint32_t outer = barriers(s)[m].outer;
		uint32_t i = expect_no_more(s, m, lanes);
		if (i != NONE && s->split[i].path.pc == s->split[i].path.reconvergence_pc)
			arrive(s, i); /* the lanes that leave keep `outer` from ending here */
		m = outer;
	}
}

/* Fairness: the next warp split in the ring that waits at a convergence barrier need not wait any more. */
static void let_go_one(struct independent *s)
{
	uint32_t i = next_in_ring(s->waiting, s->last_let_go);
	s->last_let_go = i;
	s->turns = 0;
	let_go(s, s->split[i].barrier);
	if (s->split[i].path.pc == s->split[i].path.reconvergence_pc)
		arrive(s, i);
}

/* ---- Barriers of the warp ---- */

static uint32_t call_around(const struct independent *s, uint32_t m)
{
	while (m != NONE && !barriers(s)[m].is_call)
		m = barriers(s)[m].outer;
	return m;
}

static bool is_around(const struct independent *s, uint32_t outer, uint32_t m)
{
	while (m != outer && m != NONE)
		m = barriers(s)[m].outer;
	return m == outer;
}

static bool same_frame(const struct path *a, const struct path *b)
{
	return a->depth == b->depth && a->register_base == b->register_base && a->predicate_base == b->predicate_base &&
	       a->stack_base == b->stack_base;
}

/* Whether two warp splits stand at the same instruction of the same call; or of calls made apart, one after the other,
 * that return to the same places: a function that was called by lanes which had not met before, __shfl_sync without
 * inlining. */
static bool can_join(const struct independent *s, uint32_t a, uint32_t b)
{
	const struct warp_split *x = &s->split[a], *y = &s->split[b];
	if (x->path.pc != y->path.pc || !same_frame(&x->path, &y->path))
		return false;
	uint32_t call_a = call_around(s, x->barrier), call_b = call_around(s, y->barrier);
	while (call_a != call_b) {
		if (call_a == NONE || call_b == NONE)
			return false;
		const struct convergence_barrier *m = &barriers(s)[call_a], *n = &barriers(s)[call_b];
		if (m->pc != n->pc || m->depth != n->depth || m->register_base != n->register_base ||
			m->predicate_base != n->predicate_base || m->stack_base != n->stack_base)
			return false;
		call_a = call_around(s, m->outer);
		call_b = call_around(s, n->outer);
	}
	return true;
}

/* Joins warp split b into a: both leave the splits of this call which they do not share, and b's lanes return as a's
 * do. */
static void join(struct independent *s, uint32_t a, uint32_t b)
{
	uint32_t from_a = s->split[a].barrier, from_b = s->split[b].barrier, shared = from_a;
	while (!is_around(s, shared, from_b))
		shared = barriers(s)[shared].outer;
	uint32_t next = call_around(s, from_a) == call_around(s, from_b) ? shared : call_around(s, from_a);
	lane_mask lanes_a = s->split[a].path.active, lanes_b = s->split[b].path.active;
	s->split[a].path.active |= lanes_b;
	head_for(s, a, next);
	end_split(s, b);
	for (uint32_t m = next; m != shared; m = barriers(s)[m].outer)
		barriers(s)[m].missing |= lanes_b;
	leave(s, lanes_a, from_a, next);
	leave(s, lanes_b, from_b, shared);
}

/* Those of `group` that stand together become one warp split; answers the warp splits that are left. */
static uint64_t join_all(struct independent *s, uint64_t group)
{
	assert((group & ~s->ready) == 0);
	for (uint64_t left = group; left; left &= group & (left - 1)) {
		uint32_t a = (uint32_t)__builtin_ctzll(left);
		for (uint64_t rest = group & left & (left - 1); rest; rest &= rest - 1) {
			uint32_t b = (uint32_t)__builtin_ctzll(rest);
			if (!can_join(s, a, b))
				continue;
			join(s, a, b);
			group &= ~bit(b);
		}
	}
	return group;
}

/* All members of a barrier have come: the warp splits of `group` may execute it. */
static void grant(struct independent *s, uint64_t group)
{
	s->syncing &= ~group;
	s->ready |= group;
	for (group = join_all(s, group); group; group &= group - 1)
		s->split[__builtin_ctzll(group)].granted = 1;
}

static void settle_barriers(struct independent *s)
{
	for (uint64_t left = s->syncing; left; left &= s->syncing & (left - 1)) {
		uint32_t i = (uint32_t)__builtin_ctzll(left);
		lane_mask members = s->split[i].members & s->live, come = 0;
		uint64_t group = 0;
		for (uint64_t others = s->syncing; others; others &= others - 1) {
			uint32_t j = (uint32_t)__builtin_ctzll(others);
			if ((s->split[j].members & s->live) == members) {
				group |= bit(j);
				come |= s->split[j].path.active;
			}
		}
		if (!(members & ~come))
			grant(s, group);
	}
}

static bool sync(void *state, lane_mask members)
{
	struct independent *s = state;
	struct warp_split *split = &s->split[s->running];
	members &= s->live;
	if (split->granted || !(members & ~s->now.active)) {
		split->granted = 0;
		return true;
	}
	save(s);
	split->members = members;
	s->ready &= ~bit(s->running);
	s->syncing |= bit(s->running);
	settle_barriers(s);
	resume(s); /* if it came last it may be at once again what runs, now with the lanes that have joined it */
	return false;
}

/* ---- Control flow ---- */

static void start(void *state, lane_mask live, const struct path *entry, uint32_t lanes, uint32_t call_depth)
{
	struct independent *s = state;
	memset(s, 0, size_with(lanes, 0));
	s->live = live;
	s->lanes = lanes;
	s->call_depth = call_depth;
	s->free = NONE;
	struct path path = *entry;
	path.active = live;
	path.reconvergence_pc = NO_RECONVERGENCE;
	run(s, new_split(s, &path, NONE));
}

static void reconverge(void *state)
{
	struct independent *s = state;
	save(s);
	arrive(s, s->running);
	resume(s);
}

/* Splits the running warp split: `other` lanes become a warp split of their own; answers it. */
static uint32_t split(struct independent *s, lane_mask other)
{
	struct warp_split *split = &s->split[s->running];
	struct path path = split->path;
	path.active = other;
	split->path.active &= ~other;
	return new_split(s, &path, split->barrier);
}

static void branch(void *state, lane_mask taken, uint32_t target, uint32_t next, uint32_t reconvergence_pc)
{
	struct independent *s = state;
	lane_mask stay = s->now.active & ~taken;
	if (reconvergence_pc == NO_RECONVERGENCE)
		reconvergence_pc = s->now.reconvergence_pc;
	if (!taken || !stay || (target == next && target == reconvergence_pc)) {
		s->now.pc = taken ? target : next;
		if (s->now.pc == s->now.reconvergence_pc)
			reconverge(s);
		return;
	}
	save(s);
	uint32_t first = s->running;
	if (reconvergence_pc != s->now.reconvergence_pc) {
		uint32_t m = new_barrier(s, &s->split[first], reconvergence_pc, false);
		if (m != NONE)
			head_for(s, first, m);
	}
	bool taken_last = taken > stay; /* the side without the highest lane runs first, as in the stack model */
	uint32_t last = split(s, taken_last ? taken : stay);
	go_to(s, first, taken_last ? next : target);
	go_to(s, last, taken_last ? target : next);
	resume(s);
}

static bool call(void *state, lane_mask calling, uint32_t target, uint32_t next, const struct call_frame *frame)
{
	struct independent *s = state;
	if (s->now.depth >= s->call_depth)
		return false;
	save(s);
	uint32_t caller = s->running;
	uint32_t m = new_barrier(s, &s->split[caller], next, true);
	head_for(s, caller, m);
	lane_mask rest = s->now.active & ~calling;
	if (rest) {
		uint32_t others = split(s, rest);
		s->split[others].path.pc = next;
		arrive(s, others);
	}
	struct path *path = &s->split[caller].path;
	path->pc = target;
	path->depth++;
	path->register_base += frame->register_words;
	path->predicate_base += frame->predicates;
	path->stack_base += frame->stack_bytes;
	resume(s);
	return true;
}

/* The warp split leaves the function: it gives up the convergence barriers inside and comes to that of the call. */
static void return_split(struct independent *s, uint32_t i)
{
	uint32_t from = s->split[i].barrier, m = call_around(s, from);
	const struct convergence_barrier *place = &barriers(s)[m];
	lane_mask lanes = s->split[i].path.active;
	s->split[i].path = (struct path){.pc = place->pc,
		.reconvergence_pc = NO_RECONVERGENCE,
		.active = lanes,
		.depth = place->depth,
		.register_base = place->register_base,
		.predicate_base = place->predicate_base,
		.stack_base = place->stack_base};
	s->split[i].barrier = m;
	leave(s, lanes, from, m);
	arrive(s, i);
}

static void ret(void *state, lane_mask returning)
{
	struct independent *s = state;
	save(s);
	uint32_t staying = s->running, leaving = s->running;
	if (returning != s->now.active) {
		leaving = split(s, returning);
		go_to(s, staying, s->now.pc + 1);
	}
	return_split(s, leaving);
	resume(s);
}

/* Takes exited lanes out of warp split i; answers the convergence barrier from which on outwards they are still
 * expected. */
static uint32_t strip(struct independent *s, uint32_t i, lane_mask gone)
{
	uint32_t m = s->split[i].barrier;
	bool waits = s->waiting & bit(i);
	s->split[i].path.active &= ~gone;
	if (!s->split[i].path.active) {
		if (waits)
			barriers(s)[m].waiting = NONE;
		end_split(s, i);
	}
	return waits ? barriers(s)[m].outer : m;
}

static void exit_lanes(void *state, lane_mask done)
{
	struct independent *s = state;
	lane_mask gone[64];
	uint32_t from[64];
	uint64_t touched = 0;
	save(s);
	s->live &= ~done;
	if (s->now.active & done)
		s->split[s->running].path.pc++;
	for (uint64_t left = s->used; left; left &= left - 1) {
		uint32_t i = (uint32_t)__builtin_ctzll(left);
		gone[i] = s->split[i].path.active & done;
		if (gone[i]) {
			touched |= bit(i);
			from[i] = strip(s, i, gone[i]);
		}
	}
	/* Only now: a warp split that is let go here must not carry exited lanes along. */
	for (; touched; touched &= touched - 1) {
		uint32_t i = (uint32_t)__builtin_ctzll(touched);
		leave(s, gone[i], from[i], NONE);
	}
	if (s->running != NONE && s->ready & bit(s->running))
		go_to(s, s->running, s->split[s->running].path.pc);
	settle_barriers(s);
	resume(s);
}

static void block(void *state)
{
	struct independent *s = state;
	save(s);
	s->split[s->running].path.pc++;
	s->ready &= ~bit(s->running);
	s->blocked |= bit(s->running);
	resume(s);
}

static void unblock(void *state, lane_mask lanes)
{
	struct independent *s = state;
	uint64_t released = 0;
	save(s);
	for (uint64_t left = s->blocked; left; left &= left - 1) {
		uint32_t i = (uint32_t)__builtin_ctzll(left);
		struct path *path = &s->split[i].path;
		if (!(path->active & lanes))
			continue;
		if (path->active & ~lanes) { /* some of its lanes only: the others go on waiting */
			struct path rest = *path;
			rest.active &= ~lanes;
			path->active &= lanes;
			uint32_t others = new_split(s, &rest, s->split[i].barrier);
			s->ready &= ~bit(others);
			s->blocked |= bit(others);
		}
		s->blocked &= ~bit(i);
		s->ready |= bit(i);
		released |= bit(i);
	}
	for (released = join_all(s, released); released; released &= released - 1) {
		uint32_t i = (uint32_t)__builtin_ctzll(released);
		go_to(s, i, s->split[i].path.pc);
	}
	resume(s);
}

/* Each lane goes on when it has its lock, apart from those that wait: hardware without a stack has no other order to
 * keep. */
static bool lock(void *state)
{
	struct independent *s = state;
	save(s);
	s->ready &= ~bit(s->running);
	s->locking |= bit(s->running);
	resume(s);
	return true;
}

/* Of a warp split that waits for locks, `lanes` go on at pc: as a warp split of their own unless they are all. */
static void go_on(struct independent *s, uint32_t i, lane_mask lanes, uint32_t pc)
{
	lane_mask rest = s->split[i].path.active & ~lanes;
	if (rest) {
		struct path path = s->split[i].path;
		path.active = lanes;
		s->split[i].path.active = rest;
		i = new_split(s, &path, s->split[i].barrier);
	} else {
		s->locking &= ~bit(i);
		s->ready |= bit(i);
	}
	go_to(s, i, pc);
}

static void answered(void *state, lane_mask granted, lane_mask refused)
{
	struct independent *s = state;
	save(s);
	for (uint64_t left = s->locking; left; left &= left - 1) {
		uint32_t i = (uint32_t)__builtin_ctzll(left), pc = s->split[i].path.pc;
		lane_mask lanes = s->split[i].path.active;
		if (lanes & granted)
			go_on(s, i, lanes & granted, pc + 1);
		if (lanes & refused)
			go_on(s, i, lanes & refused, pc);
	}
	resume(s);
}

static bool yield(void *state)
{
	struct independent *s = state;
	if (!s->waiting && !(s->ready & (s->ready - 1)))
		return false;
	if (s->running == NONE)
		return false;
	save(s);
	if (s->waiting && ++s->turns >= PATIENCE)
		let_go_one(s);
	uint32_t before = s->running;
	run(s, next_in_ring(s->ready, before));
	return s->running != before;
}

static uint32_t others(const void *state)
{
	const struct independent *s = state;
	return s->running == NONE ? 0 : (uint32_t)__builtin_popcountll(s->ready & ~bit(s->running));
}

static void choose(void *state, uint32_t k)
{
	struct independent *s = state;
	uint32_t next = s->running;
	assert(k && k <= others(s));
	save(s);
	while (k--)
		next = next_in_ring(s->ready, next);
	run(s, next);
}

static const char *what_for(const struct independent *s, uint32_t i)
{
	if (s->waiting & bit(i))
		return barriers(s)[s->split[i].barrier].is_call ? "the return of lanes that made a call"
								: "lanes that have yet to reconverge";
	if (s->syncing & bit(i))
		return WAITS_FOR_WARP_BARRIER;
	if (s->blocked & bit(i))
		return WAITS_FOR_BARRIER;
	if (s->locking & bit(i))
		return WAITS_FOR_LOCK;
	return i == s->running ? NULL : WAITS_FOR_TURN;
}

static void each_path(const void *state,
	void (*visit)(void *context, uint32_t pc, lane_mask lanes, const char *waiting), void *context)
{
	const struct independent *s = state;
	for (uint64_t left = s->used; left; left &= left - 1) {
		uint32_t i = (uint32_t)__builtin_ctzll(left);
		const struct path *path = i == s->running ? &s->now : &s->split[i].path;
		visit(context, path->pc, path->active, what_for(s, i));
	}
}

static void each_entry(
	const void *state, void (*visit)(void *context, const struct divergence_entry *entry), void *context)
{
	const struct independent *s = state;
	for (uint64_t left = s->used; left; left &= left - 1) {
		uint32_t i = (uint32_t)__builtin_ctzll(left);
		const struct path *p = i == s->running ? &s->now : &s->split[i].path;
		struct divergence_entry entry = {
			p->pc, p->reconvergence_pc, p->depth, p->active, i == s->running, NULL, what_for(s, i)};
		visit(context, &entry);
	}
}

const struct divergence_model diverge_independent = {
	.name = "independent",
	.summary = "each path has its own pc and gets its turn; lanes reconverge after branches (Volta)",
	.state_size = state_size,
	.state_used = state_used,
	.start = start,
	.reconverge = reconverge,
	.branch = branch,
	.call = call,
	.ret = ret,
	.exit = exit_lanes,
	.block = block,
	.unblock = unblock,
	.sync = sync,
	.yield = yield,
	.others = others,
	.choose = choose,
	.lock = lock,
	.answered = answered,
	.each_path = each_path,
	.each_entry = each_entry,
};
