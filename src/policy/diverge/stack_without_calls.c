/* The reconvergence stack without call entries: paper 1, 2.2.3.  Wrong on purpose: it shows why call entries are
 * needed.
 *
 * A call only moves the top entry into the callee; the entry still stops at the reconvergence point of the branch that
 * made it.  When a recursive callee comes to that pc, the entry goes although its lanes are a call deeper than those
 * that they join: the entry below runs on for all of them at its own depth, with its own frames, and the deeper lanes
 * skip the rest of the inner call.  In the paper's Example 2 lanes above 4 then give X = 3 instead of 4.
 *
 * Return addresses are kept per lane and depth, as hardware keeps them in local memory; the depth is the entry's. */
#include "policy/diverge/stack.h"

struct return_place {
	uint32_t pc, register_base, predicate_base, stack_base; /* the caller's */
};

/* Behind the stack's entries. */
struct returns {
	uint32_t deepest, unused[3]; /* deepest: depths in use so far */
	struct return_place at[];    /* [depth of the caller * lanes + lane] */
};

static size_t entries_size(uint32_t lanes, uint32_t call_depth)
{
	return (stack_size(lanes, call_depth) + 15) / 16 * 16;
}

static struct returns *returns_of(const struct stack *s)
{
	return (struct returns *)((uintptr_t)s + entries_size(s->lanes, s->call_depth));
}

static size_t state_size(uint32_t lanes, uint32_t call_depth)
{
	return entries_size(lanes, call_depth) + sizeof(struct returns) +
	       (size_t)call_depth * lanes * sizeof(struct return_place);
}

static size_t state_used(const void *state)
{
	const struct stack *s = state;
	uint32_t deepest = returns_of(s)->deepest;
	return deepest ? state_size(s->lanes, s->call_depth) -
				 (size_t)(s->call_depth - deepest) * s->lanes * sizeof(struct return_place)
		       : stack_used(state);
}

static void start(void *state, lane_mask live, const struct path *entry, uint32_t lanes, uint32_t call_depth)
{
	stack_start(state, live, entry, lanes, call_depth);
	returns_of(state)->deepest = 0;
}

static bool call(void *state, lane_mask calling, uint32_t target, uint32_t next, const struct call_frame *frame)
{
	struct stack *s = state;
	struct path *now = &s->now;
	struct returns *returns = returns_of(s);
	if (now->depth >= s->call_depth)
		return false;
	struct return_place *places = &returns->at[(size_t)now->depth * s->lanes];
	for (lane_mask left = calling; left; left &= left - 1)
		places[__builtin_ctzll(left)] =
			(struct return_place){next, now->register_base, now->predicate_base, now->stack_base};
	if (calling != now->active && next != now->reconvergence_pc) { /* a guarded call is a branch around it */
		now->pc = next;
		stack_push(s);
		now->reconvergence_pc = next;
	}
	now->active = calling;
	now->depth++;
	now->register_base += frame->register_words;
	now->predicate_base += frame->predicates;
	now->stack_base += frame->stack_bytes;
	if (returns->deepest < now->depth)
		returns->deepest = now->depth;
	stack_continue(s, target);
	return true;
}

static bool same_place(const struct return_place *a, const struct return_place *b)
{
	return a->pc == b->pc && a->register_base == b->register_base && a->predicate_base == b->predicate_base &&
	       a->stack_base == b->stack_base;
}

/* Pushes `now` unless it has already come to where it stops; its lanes then are in the entry that reconverges there. */
static void push_side(struct stack *s)
{
	if (s->now.active && s->now.pc != s->now.reconvergence_pc)
		stack_push(s);
}

static void ret(void *state, lane_mask returning)
{
	struct stack *s = state;
	const struct return_place *places = &returns_of(s)->at[(size_t)(s->now.depth - 1) * s->lanes];
	struct path callee = s->now;
	s->now.active &= ~returning;
	s->now.pc++;
	while (returning) { /* once, but for lanes of different callers that met by mistake */
		push_side(s);
		const struct return_place *place = &places[__builtin_ctzll(returning)];
		lane_mask together = 0;
		for (lane_mask left = returning; left; left &= left - 1)
			if (same_place(&places[__builtin_ctzll(left)], place))
				together |= left & -left;
		s->now = (struct path){place->pc, callee.reconvergence_pc, together, callee.depth - 1,
			place->register_base, place->predicate_base, place->stack_base, 0, 0};
		returning &= ~together;
	}
	stack_continue(s, s->now.pc);
}

static void each_entry(
	const void *state, void (*visit)(void *context, const struct divergence_entry *entry), void *context)
{
	stack_visit_entries(state, false, visit, context);
}

const struct divergence_model diverge_stack_without_calls = {
	.name = "stack-without-calls",
	.summary = "reconvergence stack without call entries: recursion can go wrong (paper 1, 2.2.3)",
	.state_size = state_size,
	.state_used = state_used,
	.start = start,
	.reconverge = stack_reconverge,
	.branch = stack_branch,
	.call = call,
	.ret = ret,
	.exit = stack_exit,
	.block = stack_block,
	.unblock = stack_unblock,
	.sync = stack_sync,
	.each_path = stack_each_path,
	.each_entry = each_entry,
};
