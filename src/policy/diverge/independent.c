/* Independent threads: Volta and later.  A warp is a set of strands, each with lanes and a pc of its own; one runs at a time.
 *
 * Where a branch splits a strand, its lanes agree to meet at the rejoin point.  A strand that comes there waits until every
 * other lane of the meeting has come too, has exited, or has left by a return; then all go on as one strand.  A call is a
 * meeting as well: at the return address, for lanes as they return.  Meetings nest; a strand knows the innermost one of its
 * lanes, each meeting knows the next outer one.
 *
 * Meetings are a matter of speed only, so they must never hold a lane for ever: a lane that waits may hold the lock which the
 * others spin on (paper 1, Example 1).  A waiting strand is let go, and the meeting then expects the others alone,
 *     when no strand can run: the missing lanes wait at barriers of the work-group or of the warp, or at other meetings;
 *     when the others have been given PATIENCE turns since a strand was last let go.
 * Strands take turns in a ring, so each that can run does, and each that waits is let go in the end, whatever others do.
 *
 * bar.warp.sync and the like are promises to the program: only their members' arrival or exit ends the wait.  Members that
 * stand at the same instruction of the same call, or of calls from the same places, then execute it as one strand and stay one,
 * at the price of the meetings which they do not share; members elsewhere execute theirs on their own.
 *
 * State is bounded: strands have lanes, so there are at most `lanes`; each lane is at one call meeting per depth; a split for
 * which no meeting is left (never seen: nested splits hold ever fewer lanes) is left without one.  The order in which strands
 * run depends on nothing that counts up, so a warp that spins returns to an earlier state bit by bit. */
#include "policy/diverge/diverge.h"

#include <assert.h>
#include <string.h>

#define PATIENCE 16 /* turns */
#define NONE 0xffffffffu

/* Lanes that run together.  A strand that does not run keeps its path here; the running one's is in `now`. */
struct strand {
	struct path path;
	lane_mask members; /* waits for these in a .sync instruction */
	uint32_t meeting;  /* innermost, or NONE */
	uint32_t granted;  /* may execute the .sync instruction it stands at */
};

struct meeting {
	lane_mask missing; /* expected, have not come; includes lanes at inner meetings */
	uint32_t waiting;  /* strand of those that have come, or NONE */
	uint32_t outer;    /* or NONE; of a free meeting: the next free one */
	uint32_t pc, depth, register_base, predicate_base, stack_base; /* where it is, and in which frame */
	uint32_t is_call;
};

/* Bit i of a set stands for strand[i]. */
struct independent {
	struct path now;
	lane_mask live;
	uint64_t used, ready, waiting, syncing, blocked, locking; /* used: is in one of the others; the running one in ready */
	uint32_t running;                                /* strand, or NONE */
	uint32_t turns;                                  /* given while a strand waits at a meeting */
	uint32_t last_let_go;                            /* strand */
	uint32_t lanes, call_depth;
	uint32_t free, made;    /* meetings: list of free ones, how many have ever been in use */
	uint32_t splits;        /* meetings in use that are not calls */
	struct strand strand[]; /* `lanes` of them; behind them, the meetings */
};

static struct meeting *meetings(const struct independent *s)
{
	return (struct meeting *)((uintptr_t)s->strand + s->lanes * sizeof(struct strand));
}

static size_t size_with(uint32_t lanes, uint32_t meeting_count)
{
	return sizeof(struct independent) + lanes * sizeof(struct strand) + meeting_count * sizeof(struct meeting);
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

/* ---- Which strand runs ---- */

static uint64_t bit(uint32_t strand)
{
	return 1ull << strand;
}

/* The member of `set` (not empty) that follows `strand` in the ring. */
static uint32_t next_in_ring(uint64_t set, uint32_t strand)
{
	uint64_t behind = set & ~(bit(strand) | (bit(strand) - 1));
	return (uint32_t)__builtin_ctzll(behind ? behind : set);
}

static void save(struct independent *s)
{
	if (s->running != NONE)
		s->strand[s->running].path = s->now;
}

static void run(struct independent *s, uint32_t strand)
{
	s->running = strand;
	s->now = s->strand[strand].path;
}

static void let_go_one(struct independent *s);

/* After any change: goes on with the running strand if it still can, else with the next that can. */
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

static uint32_t new_strand(struct independent *s, const struct path *path, uint32_t meeting)
{
	uint32_t i = (uint32_t)__builtin_ctzll(~s->used);
	assert(i < s->lanes);
	s->used |= bit(i);
	s->ready |= bit(i);
	s->strand[i] = (struct strand){.path = *path, .meeting = meeting};
	return i;
}

static void end_strand(struct independent *s, uint32_t i)
{
	uint64_t others = ~bit(i);
	s->used &= others, s->ready &= others, s->waiting &= others, s->syncing &= others, s->blocked &= others,
		s->locking &= others;
	memset(&s->strand[i], 0, sizeof s->strand[i]);
}

/* ---- Meetings ---- */

static uint32_t new_meeting(struct independent *s, const struct strand *strand, uint32_t pc, bool is_call)
{
	if (!is_call && s->splits == 2 * s->lanes)
		return NONE;
	s->splits += !is_call;
	uint32_t m = s->free;
	if (m != NONE)
		s->free = meetings(s)[m].outer;
	else
		m = s->made++;
	const struct path *p = &strand->path;
	meetings(s)[m] = (struct meeting){.missing = p->active,
		.waiting = NONE,
		.outer = strand->meeting,
		.pc = pc,
		.depth = p->depth,
		.register_base = p->register_base,
		.predicate_base = p->predicate_base,
		.stack_base = p->stack_base,
		.is_call = is_call};
	return m;
}

/* The strand is to meet at `m` next, on its way there. */
static void head_for(struct independent *s, uint32_t i, uint32_t m)
{
	const struct meeting *meeting = &meetings(s)[m];
	s->strand[i].meeting = m;
	s->strand[i].path.stop = m == NONE || meeting->is_call ? NO_REJOIN : meeting->pc;
}

static void arrive(struct independent *s, uint32_t i);

/* The strand waits at `m` no longer and goes on towards the outer meeting. */
static void let_go(struct independent *s, uint32_t m)
{
	struct meeting *meeting = &meetings(s)[m];
	uint32_t i = meeting->waiting;
	meeting->waiting = NONE;
	s->waiting &= ~bit(i);
	s->ready |= bit(i);
	head_for(s, i, meeting->outer);
}

/* Lanes no longer miss at `m`: they have come or will not come.  With nobody left to wait for, the meeting is over; answers
 * the strand that goes on from there and has yet to be looked at, or NONE. */
static uint32_t expect_no_more(struct independent *s, uint32_t m, lane_mask lanes)
{
	struct meeting *meeting = &meetings(s)[m];
	meeting->missing &= ~lanes;
	if (meeting->missing)
		return NONE;
	uint32_t i = meeting->waiting;
	if (i != NONE)
		let_go(s, m);
	s->splits -= !meeting->is_call;
	*meeting = (struct meeting){.outer = s->free};
	s->free = m;
	return i;
}

/* The strand has come to the place of its innermost meeting, which may also be that of the next, and so on. */
static void arrive(struct independent *s, uint32_t i)
{
	do {
		uint32_t m = s->strand[i].meeting;
		struct meeting *meeting = &meetings(s)[m];
		lane_mask lanes = s->strand[i].path.active;
		if (meeting->waiting != NONE) {
			s->strand[meeting->waiting].path.active |= lanes;
			end_strand(s, i);
		} else {
			meeting->waiting = i;
			s->ready &= ~bit(i);
			s->waiting |= bit(i);
		}
		i = expect_no_more(s, m, lanes);
	} while (i != NONE && s->strand[i].path.pc == s->strand[i].path.stop);
}

/* The strand goes on at pc. */
static void go_to(struct independent *s, uint32_t i, uint32_t pc)
{
	s->strand[i].path.pc = pc;
	if (pc == s->strand[i].path.stop)
		arrive(s, i);
}

/* Lanes leave every meeting from `m` outwards, up to but not including `end`. */
static void leave(struct independent *s, lane_mask lanes, uint32_t m, uint32_t end)
{
	while (m != end) {
		uint32_t outer = meetings(s)[m].outer;
		uint32_t i = expect_no_more(s, m, lanes);
		if (i != NONE && s->strand[i].path.pc == s->strand[i].path.stop)
			arrive(s, i); /* the lanes that leave keep `outer` from ending here */
		m = outer;
	}
}

/* Fairness: the next strand in the ring that waits at a meeting need not wait any more. */
static void let_go_one(struct independent *s)
{
	uint32_t i = next_in_ring(s->waiting, s->last_let_go);
	s->last_let_go = i;
	s->turns = 0;
	let_go(s, s->strand[i].meeting);
	if (s->strand[i].path.pc == s->strand[i].path.stop)
		arrive(s, i);
}

/* ---- Barriers of the warp ---- */

static uint32_t call_around(const struct independent *s, uint32_t m)
{
	while (m != NONE && !meetings(s)[m].is_call)
		m = meetings(s)[m].outer;
	return m;
}

static bool is_around(const struct independent *s, uint32_t outer, uint32_t m)
{
	while (m != outer && m != NONE)
		m = meetings(s)[m].outer;
	return m == outer;
}

static bool same_frame(const struct path *a, const struct path *b)
{
	return a->depth == b->depth && a->register_base == b->register_base && a->predicate_base == b->predicate_base &&
		a->stack_base == b->stack_base;
}

/* Whether two strands stand at the same instruction of the same call; or of calls made apart, one after the other, that return to
 * the same places: a function that was called by lanes which had not met before, __shfl_sync without inlining. */
static bool can_join(const struct independent *s, uint32_t a, uint32_t b)
{
	const struct strand *x = &s->strand[a], *y = &s->strand[b];
	if (x->path.pc != y->path.pc || !same_frame(&x->path, &y->path))
		return false;
	uint32_t call_a = call_around(s, x->meeting), call_b = call_around(s, y->meeting);
	while (call_a != call_b) {
		if (call_a == NONE || call_b == NONE)
			return false;
		const struct meeting *m = &meetings(s)[call_a], *n = &meetings(s)[call_b];
		if (m->pc != n->pc || m->depth != n->depth || m->register_base != n->register_base ||
			m->predicate_base != n->predicate_base || m->stack_base != n->stack_base)
			return false;
		call_a = call_around(s, m->outer);
		call_b = call_around(s, n->outer);
	}
	return true;
}

/* Joins strand b into a: both leave the splits of this call which they do not share, and b's lanes return as a's do. */
static void join(struct independent *s, uint32_t a, uint32_t b)
{
	uint32_t from_a = s->strand[a].meeting, from_b = s->strand[b].meeting, shared = from_a;
	while (!is_around(s, shared, from_b))
		shared = meetings(s)[shared].outer;
	uint32_t next = call_around(s, from_a) == call_around(s, from_b) ? shared : call_around(s, from_a);
	lane_mask lanes_a = s->strand[a].path.active, lanes_b = s->strand[b].path.active;
	s->strand[a].path.active |= lanes_b;
	head_for(s, a, next);
	end_strand(s, b);
	for (uint32_t m = next; m != shared; m = meetings(s)[m].outer)
		meetings(s)[m].missing |= lanes_b;
	leave(s, lanes_a, from_a, next);
	leave(s, lanes_b, from_b, shared);
}

/* All members of a barrier have come: the strands of `group` may execute it. */
static void grant(struct independent *s, uint64_t group)
{
	s->syncing &= ~group;
	s->ready |= group;
	for (; group; group &= group - 1) {
		uint32_t a = (uint32_t)__builtin_ctzll(group);
		s->strand[a].granted = 1;
		for (uint64_t rest = group & (group - 1); rest; rest &= rest - 1) {
			uint32_t b = (uint32_t)__builtin_ctzll(rest);
			if (!can_join(s, a, b))
				continue;
			join(s, a, b);
			group &= ~bit(b);
		}
	}
}

static void settle_barriers(struct independent *s)
{
	for (uint64_t left = s->syncing; left; left &= s->syncing & (left - 1)) {
		uint32_t i = (uint32_t)__builtin_ctzll(left);
		lane_mask members = s->strand[i].members & s->live, come = 0;
		uint64_t group = 0;
		for (uint64_t others = s->syncing; others; others &= others - 1) {
			uint32_t j = (uint32_t)__builtin_ctzll(others);
			if ((s->strand[j].members & s->live) == members) {
				group |= bit(j);
				come |= s->strand[j].path.active;
			}
		}
		if (!(members & ~come))
			grant(s, group);
	}
}

static bool sync(void *state, lane_mask members)
{
	struct independent *s = state;
	struct strand *strand = &s->strand[s->running];
	members &= s->live;
	if (strand->granted || !(members & ~s->now.active)) {
		strand->granted = 0;
		return true;
	}
	save(s);
	strand->members = members;
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
	path.stop = NO_REJOIN;
	run(s, new_strand(s, &path, NONE));
}

static void rejoin(void *state)
{
	struct independent *s = state;
	save(s);
	arrive(s, s->running);
	resume(s);
}

/* Splits the running strand: `other` lanes become a strand of their own; answers it. */
static uint32_t split(struct independent *s, lane_mask other)
{
	struct strand *strand = &s->strand[s->running];
	struct path path = strand->path;
	path.active = other;
	strand->path.active &= ~other;
	return new_strand(s, &path, strand->meeting);
}

static void branch(void *state, lane_mask taken, uint32_t target, uint32_t next, uint32_t rejoin_pc)
{
	struct independent *s = state;
	lane_mask stay = s->now.active & ~taken;
	if (rejoin_pc == NO_REJOIN)
		rejoin_pc = s->now.stop;
	if (!taken || !stay || (target == next && target == rejoin_pc)) {
		s->now.pc = taken ? target : next;
		if (s->now.pc == s->now.stop)
			rejoin(s);
		return;
	}
	save(s);
	uint32_t first = s->running;
	if (rejoin_pc != s->now.stop) {
		uint32_t m = new_meeting(s, &s->strand[first], rejoin_pc, false);
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
	uint32_t m = new_meeting(s, &s->strand[caller], next, true);
	head_for(s, caller, m);
	lane_mask rest = s->now.active & ~calling;
	if (rest) {
		uint32_t others = split(s, rest);
		s->strand[others].path.pc = next;
		arrive(s, others);
	}
	struct path *path = &s->strand[caller].path;
	path->pc = target;
	path->depth++;
	path->register_base += frame->register_words;
	path->predicate_base += frame->predicates;
	path->stack_base += frame->stack_bytes;
	resume(s);
	return true;
}

/* The strand leaves the function: it gives up the meetings inside and comes to that of the call. */
static void return_strand(struct independent *s, uint32_t i)
{
	uint32_t from = s->strand[i].meeting, m = call_around(s, from);
	const struct meeting *place = &meetings(s)[m];
	lane_mask lanes = s->strand[i].path.active;
	s->strand[i].path = (struct path){place->pc, NO_REJOIN, lanes, place->depth, place->register_base,
		place->predicate_base, place->stack_base, 0};
	s->strand[i].meeting = m;
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
	return_strand(s, leaving);
	resume(s);
}

/* Takes exited lanes out of strand i; answers the meeting from which on outwards they are still expected. */
static uint32_t strip(struct independent *s, uint32_t i, lane_mask gone)
{
	uint32_t m = s->strand[i].meeting;
	bool waits = s->waiting & bit(i);
	s->strand[i].path.active &= ~gone;
	if (!s->strand[i].path.active) {
		if (waits)
			meetings(s)[m].waiting = NONE;
		end_strand(s, i);
	}
	return waits ? meetings(s)[m].outer : m;
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
		s->strand[s->running].path.pc++;
	for (uint64_t left = s->used; left; left &= left - 1) {
		uint32_t i = (uint32_t)__builtin_ctzll(left);
		gone[i] = s->strand[i].path.active & done;
		if (gone[i]) {
			touched |= bit(i);
			from[i] = strip(s, i, gone[i]);
		}
	}
	/* Only now: a strand that is let go here must not carry exited lanes along. */
	for (; touched; touched &= touched - 1) {
		uint32_t i = (uint32_t)__builtin_ctzll(touched);
		leave(s, gone[i], from[i], NONE);
	}
	if (s->running != NONE && s->ready & bit(s->running))
		go_to(s, s->running, s->strand[s->running].path.pc);
	settle_barriers(s);
	resume(s);
}

static void block(void *state)
{
	struct independent *s = state;
	save(s);
	s->strand[s->running].path.pc++;
	s->ready &= ~bit(s->running);
	s->blocked |= bit(s->running);
	resume(s);
}

static void unblock(void *state, lane_mask lanes)
{
	struct independent *s = state;
	save(s);
	for (uint64_t left = s->blocked; left; left &= left - 1) {
		uint32_t i = (uint32_t)__builtin_ctzll(left);
		struct path *path = &s->strand[i].path;
		if (!(path->active & lanes))
			continue;
		if (path->active & ~lanes) { /* some of its lanes only: the others go on waiting */
			struct path rest = *path;
			rest.active &= ~lanes;
			path->active &= lanes;
			uint32_t others = new_strand(s, &rest, s->strand[i].meeting);
			s->ready &= ~bit(others);
			s->blocked |= bit(others);
		}
		s->blocked &= ~bit(i);
		s->ready |= bit(i);
		go_to(s, i, path->pc);
	}
	resume(s);
}

/* Each lane goes on when it has its lock, apart from those that wait: hardware without a stack has no other order to keep. */
static bool lock(void *state)
{
	struct independent *s = state;
	save(s);
	s->ready &= ~bit(s->running);
	s->locking |= bit(s->running);
	resume(s);
	return true;
}

/* Of a strand that waits for locks, `lanes` go on at pc: as a strand of their own unless they are all. */
static void go_on(struct independent *s, uint32_t i, lane_mask lanes, uint32_t pc)
{
	lane_mask rest = s->strand[i].path.active & ~lanes;
	if (rest) {
		struct path path = s->strand[i].path;
		path.active = lanes;
		s->strand[i].path.active = rest;
		i = new_strand(s, &path, s->strand[i].meeting);
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
		uint32_t i = (uint32_t)__builtin_ctzll(left), pc = s->strand[i].path.pc;
		lane_mask lanes = s->strand[i].path.active;
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

static const char *what_for(const struct independent *s, uint32_t i)
{
	if (s->waiting & bit(i))
		return meetings(s)[s->strand[i].meeting].is_call ? "the return of lanes that made a call"
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
		const struct path *path = i == s->running ? &s->now : &s->strand[i].path;
		visit(context, path->pc, path->active, what_for(s, i));
	}
}

static void each_entry(const void *state, void (*visit)(void *context, const struct divergence_entry *entry), void *context)
{
	const struct independent *s = state;
	for (uint64_t left = s->used; left; left &= left - 1) {
		uint32_t i = (uint32_t)__builtin_ctzll(left);
		const struct path *p = i == s->running ? &s->now : &s->strand[i].path;
		struct divergence_entry entry = {p->pc, p->stop, p->depth, p->active, i == s->running, NULL, what_for(s, i)};
		visit(context, &entry);
	}
}

const struct divergence_model diverge_independent = {
	.name = "independent",
	.summary = "each path has its own pc and gets its turn; lanes meet where branches rejoin (Volta)",
	.state_size = state_size,
	.state_used = state_used,
	.start = start,
	.rejoin = rejoin,
	.branch = branch,
	.call = call,
	.ret = ret,
	.exit = exit_lanes,
	.block = block,
	.unblock = unblock,
	.sync = sync,
	.yield = yield,
	.lock = lock,
	.answered = answered,
	.each_path = each_path,
	.each_entry = each_entry,
};
