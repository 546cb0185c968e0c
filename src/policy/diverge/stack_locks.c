/* The reconvergence stack with call, lock and lock-retry entries: paper 1, chapter 4; with lock queues, 6.3.
 *
 * A lock instruction pushes a retry entry (LR) with all its lanes, at its own pc.  Lanes that get their lock go on as a
 * lock entry (L) above it; it stops nowhere, as a call's does.  An unlock takes its lanes out of the topmost retry
 * entry that has them: that is the lock they took last.  When no lane of the topmost lock entry is left in any retry
 * entry under it, all its locks are given back: the lock entry goes, the entry under the retry entry goes on where it
 * ended, and the lanes that are still in the retry entry try again.  So nobody of a warp asks for a lock while others
 * of it hold one (4.4); and lanes that diverge within the critical section reconverge there as everywhere (4.3).
 *
 * The thesis counts: locks for each warp, unlocks for each lane, and finds by their difference which entries an unlock
 * is about.  The masks of the retry entries say the same without counters: locks are retry entries, and a lane has
 * unlocked as many as do not have it.  Its counters go wrong where a lane that has unlocked takes another lock before
 * the entry of the first is gone (its Example 10 goes round a loop); the masks do not.  And the thesis takes lanes out
 * of the lock entry as well, when they unlock; here they stay in it, so that those of a critical section in which
 * others have more to do are not forgotten.  What is shown of a lock entry (each_entry) is the thesis's mask: lanes
 * that hold something.
 *
 * Critical sections of one lock instruction may end at different places.  The first says where the entry below goes on;
 * others that end elsewhere become entries of their own beside it.
 *
 * As published, a branch outside of a critical section that reconverges inside of it is never reconverged (4.5,
 * Examples 12 and 13): the entry of its first side, moved past its stop by an unlock, cannot be popped.  It stays at
 * the top when its lanes have exited, and nobody else of the warp runs again. */
#include "policy/diverge/stack.h"

#include <assert.h>
#include <string.h>

#define NESTED_LOCKS 64 /* two entries each */

static uint32_t capacity_of(uint32_t lanes, uint32_t call_depth)
{
	/* sides, reconvergence points, and entries beside that critical sections made */
	return 3 * lanes + call_depth + 1 + 2 * NESTED_LOCKS;
}

static size_t state_size(uint32_t lanes, uint32_t call_depth)
{
	return sizeof(struct stack) + capacity_of(lanes, call_depth) * sizeof(struct path);
}

static void start(void *state, lane_mask live, const struct path *entry, uint32_t lanes, uint32_t call_depth)
{
	stack_begin(state, live, entry, lanes, call_depth, capacity_of(lanes, call_depth));
}

/* Lanes that have not given back all that they took. */
static lane_mask holders(const struct stack *s)
{
	lane_mask lanes = 0;
	for (uint32_t i = 0; i < s->count; i++)
		if (s->below[i].kind & PATH_RETRY)
			lanes |= s->below[i].active;
	return lanes;
}

/* The nearest retry entry under the top. */
static uint32_t retry_under(const struct stack *s)
{
	uint32_t i = s->count - 1;
	while (!(s->below[i].kind & PATH_RETRY))
		i--;
	return i;
}

/* The critical section of `ended` is over: where its lanes go on, under the retry entry.  There stands the entry that
 * asked for the lock with all its lanes, and above it one for each place where critical sections ended otherwise than
 * the first did. */
static void continue_below(struct stack *s, uint32_t retry, const struct path *ended)
{
	uint32_t asked = retry - 1;
	while (s->below[asked].kind & PATH_BESIDE)
		asked--;
	struct path *all = &s->below[asked];
	if (s->below[retry].kind & PATH_FIRST) {
		s->below[retry].kind &= ~(uint32_t)PATH_FIRST;
		all->pc = ended->pc;
		all->kind |= PATH_MOVED;
		return;
	}
	if (all->pc == ended->pc)
		return;
	all->active &= ~ended->active;
	for (uint32_t i = asked + 1; i < retry; i++)
		if (s->below[i].pc == ended->pc) {
			s->below[i].active |= ended->active;
			return;
		}
	assert(s->count < s->capacity);
	memmove(&s->below[retry + 1], &s->below[retry], (s->count++ - retry) * sizeof *s->below);
	s->below[retry] = *all;
	s->below[retry].active = ended->active;
	s->below[retry].pc = ended->pc;
	s->below[retry].kind |= PATH_BESIDE;
}

/* A retry entry is at the top: lanes that have their lock run, or else those that try again, while others wait for an
 * answer. */
static void run_retry(struct stack *s)
{
	struct lock_lanes *locks = &s->locks;
	lane_mask lanes = s->now.active, granted = lanes & locks->granted;
	if (granted) {
		stack_push(s);
		s->now.kind = PATH_LOCK;
		s->now.active = granted;
		s->now.pc++;
		s->now.reconvergence_pc = NO_RECONVERGENCE;
		locks->granted &= ~granted;
		return;
	}
	locks->hidden = lanes & locks->asked;
	s->now.active &= ~locks->hidden;
}

/* After any change: what is at the top may be over. */
static void settle(struct stack *s)
{
	while (!s->blocked && s->now.active && s->now.kind & (PATH_RETRY | PATH_LOCK)) {
		if (s->now.kind & PATH_RETRY) {
			run_retry(s);
			return;
		}
		if (s->now.active & holders(s))
			return;
		struct path ended = s->now;
		continue_below(s, retry_under(s), &ended);
		s->now = s->below[--s->count];
		stack_continue(s, s->now.pc);
	}
}

static void reconverge(void *state)
{
	stack_reconverge(state);
	settle(state);
}

static void branch(void *state, lane_mask taken, uint32_t target, uint32_t next, uint32_t reconvergence_pc)
{
	stack_branch(state, taken, target, next, reconvergence_pc);
	settle(state);
}

static void ret(void *state, lane_mask returning)
{
	stack_ret(state, returning);
	settle(state);
}

static bool others_wait(const struct stack *s, lane_mask done)
{
	for (uint32_t i = 0; i < s->count; i++)
		if (s->below[i].active & ~done)
			return true;
	return false;
}

static void exit_lanes(void *state, lane_mask done)
{
	struct stack *s = state;
	bool is_stuck = s->now.kind & PATH_MOVED && s->now.reconvergence_pc != NO_RECONVERGENCE &&
			!(s->now.active & ~done) && others_wait(s, done);
	if (!is_stuck) {
		stack_exit(s, done);
		settle(s);
		return;
	}
	s->now.active = 0;
	for (uint32_t i = s->count; i--;)
		s->below[i].active &= ~done;
}

static void unblock(void *state, lane_mask lanes)
{
	stack_unblock(state, lanes);
	settle(state);
}

static bool lock(void *state)
{
	struct stack *s = state;
	struct lock_lanes *locks = &s->locks;
	lane_mask asking = s->now.active;
	if (!(s->now.kind & PATH_RETRY)) {
		uint32_t nested = 0;
		for (uint32_t i = 0; i < s->count; i++)
			nested += (s->below[i].kind & PATH_RETRY) != 0;
		if (nested == NESTED_LOCKS || s->count + 2 > s->capacity)
			return false;
		s->now.kind &= ~(uint32_t)PATH_BESIDE; /* it is the one with all lanes, of this lock */
		stack_push(s);
		s->now.kind = PATH_RETRY | PATH_FIRST;
		s->now.reconvergence_pc = NO_RECONVERGENCE;
	}
	locks->asked |= asking;
	locks->hidden |= asking;
	s->now.active = 0;
	return true;
}

static void answered(void *state, lane_mask granted, lane_mask refused)
{
	struct stack *s = state;
	struct lock_lanes *locks = &s->locks;
	locks->asked &= ~(granted | refused);
	locks->granted |= granted;
	if (!(s->now.kind & PATH_RETRY))
		return;
	s->now.active |= locks->hidden;
	locks->hidden = 0;
	settle(s);
}

static void unlock(void *state, lane_mask lanes)
{
	struct stack *s = state;
	for (uint32_t i = s->count; i-- && lanes;)
		if (s->below[i].kind & PATH_RETRY) {
			lane_mask of_this = s->below[i].active & lanes;
			s->below[i].active &= ~of_this;
			lanes &= ~of_this;
		}
	stack_continue(s, s->now.pc + 1);
	settle(s);
}

static void each_path(const void *state,
	void (*visit)(void *context, uint32_t pc, lane_mask lanes, const char *waiting), void *context)
{
	const struct stack *s = state;
	bool is_passed = !s->now.active && !s->blocked && !(s->now.kind & PATH_RETRY);
	lane_mask above = s->now.active | s->blocked | s->locks.hidden;
	if (s->now.active | s->blocked)
		visit(context, s->now.pc, s->now.active | s->blocked, s->blocked ? WAITS_FOR_BARRIER : NULL);
	if (s->locks.hidden)
		visit(context, s->now.pc, s->locks.hidden, WAITS_FOR_LOCK);
	for (uint32_t i = s->count; i--; above |= s->below[i].active) {
		const struct path *entry = &s->below[i];
		lane_mask here = entry->active & ~above,
			  granted = entry->kind & PATH_RETRY ? here & s->locks.granted : 0;
		if (granted)
			visit(context, entry->pc, granted, "other lanes' critical section, having its own lock");
		if (here & ~granted)
			visit(context, entry->pc, here & ~granted,
				is_passed                  ? WAITS_FOR_PASSED
				: entry->kind & PATH_RETRY ? WAITS_FOR_LOCK
				: entry->active & above    ? "lanes that have yet to reconverge"
							   : WAITS_FOR_OTHER_SIDE);
	}
}

const struct divergence_model diverge_stack_locks = {
	.name = "stack-locks",
	.summary = "reconvergence stack with call, lock and lock-retry entries (paper 1, chapter 4)",
	.state_size = state_size,
	.state_used = stack_used,
	.start = start,
	.reconverge = reconverge,
	.branch = branch,
	.call = stack_call,
	.ret = ret,
	.exit = exit_lanes,
	.block = stack_block,
	.unblock = unblock,
	.sync = stack_sync,
	.lock = lock,
	.answered = answered,
	.unlock = unlock,
	.each_path = each_path,
	.each_entry = stack_each_entry,
};
