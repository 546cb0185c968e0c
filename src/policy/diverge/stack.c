/* The reconvergence stack with call entries: pre-Volta GPUs; paper 1, 1.3.2 and 2.2.3.
 *
 * The lanes of the top entry run until they come to the immediate post-dominator of the branch that split them; then
 * the entry under it runs.  Nothing else ever switches: lanes that wait for lanes of an entry below wait for ever (SIMT
 * deadlock). A call pushes an entry that stops nowhere and goes when its lanes have returned, so lanes of different
 * call depth never meet.
 *
 * Of the two sides of a branch the one without the highest lane runs first, as in GPGPU-Sim: the order then depends on
 * the data alone and not on how the compiler laid out the code. */
#include "policy/diverge/stack.h"

#include <assert.h>

size_t stack_size(uint32_t lanes, uint32_t call_depth)
{
	return sizeof(struct stack) + (2 * (size_t)lanes + call_depth + 1) * sizeof(struct path);
}

size_t stack_used(const void *state)
{
	const struct stack *s = state;
	return sizeof *s + s->count * sizeof(struct path);
}

void stack_begin(struct stack *s, lane_mask live, const struct path *entry, uint32_t lanes, uint32_t call_depth,
	uint32_t capacity)
{
	*s = (struct stack){.now = *entry, .lanes = lanes, .call_depth = call_depth, .capacity = capacity};
	s->now.active = live;
	s->now.reconvergence_pc = NO_RECONVERGENCE;
}

void stack_start(void *state, lane_mask live, const struct path *entry, uint32_t lanes, uint32_t call_depth)
{
	stack_begin(state, live, entry, lanes, call_depth, 2 * lanes + call_depth + 1);
}

void stack_push(struct stack *s)
{
	assert(s->count < s->capacity);
	s->below[s->count++] = s->now;
}

void stack_continue(struct stack *s, uint32_t pc)
{
	s->now.pc = pc;
	while (s->count && (s->now.pc == s->now.reconvergence_pc || !s->now.active))
		s->now = s->below[--s->count];
}

void stack_reconverge(void *state)
{
	struct stack *s = state;
	stack_continue(s, s->now.pc);
}

void stack_branch(void *state, lane_mask taken, uint32_t target, uint32_t next, uint32_t reconvergence_pc)
{
	struct stack *s = state;
	lane_mask active = s->now.active, stay = active & ~taken;
	/* The function's end: stops nowhere, or where the whole function does. */
	if (reconvergence_pc == NO_RECONVERGENCE)
		reconvergence_pc = s->now.reconvergence_pc;
	if (!taken || !stay || (target == next && target == reconvergence_pc)) {
		stack_continue(s, taken ? target : next);
		return;
	}
	bool taken_last = taken > stay; /* it has the highest lane */
	uint32_t last_pc = taken_last ? target : next, first_pc = taken_last ? next : target;
	if (reconvergence_pc != s->now.reconvergence_pc) {
		s->now.pc = reconvergence_pc;
		stack_push(s);
		s->now.reconvergence_pc = reconvergence_pc;
		s->now.kind = 0;
	}
	s->now.kind &= PATH_MOVED;
	if (last_pc != reconvergence_pc) {
		s->now.active = taken_last ? taken : stay;
		s->now.pc = last_pc;
		stack_push(s);
	}
	s->now.active = taken_last ? stay : taken;
	stack_continue(s, first_pc);
}

/* Takes lanes out of every entry of at least this call depth, from the top down to the first that is less deep. */
static void remove_lanes(struct stack *s, lane_mask lanes, uint32_t depth)
{
	s->now.active &= ~lanes;
	for (uint32_t i = s->count; i-- && s->below[i].depth >= depth;)
		s->below[i].active &= ~lanes;
}

void stack_exit(void *state, lane_mask done)
{
	struct stack *s = state;
	bool ran = s->now.active & done;
	remove_lanes(s, done, 0);
	s->blocked &= ~done;
	if (!s->blocked) /* else the path stays where it waits */
		stack_continue(s, s->now.pc + ran);
}

bool stack_call(void *state, lane_mask calling, uint32_t target, uint32_t next, const struct call_frame *frame)
{
	struct stack *s = state;
	if (s->now.depth >= s->call_depth)
		return false;
	s->now.pc = next;
	stack_push(s);
	s->now = (struct path){
		.pc = target,
		.reconvergence_pc = NO_RECONVERGENCE,
		.active = calling,
		.depth = s->now.depth + 1,
		.register_base = s->now.register_base + frame->register_words,
		.predicate_base = s->now.predicate_base + frame->predicates,
		.stack_base = s->now.stack_base + frame->stack_bytes,
	};
	return true;
}

void stack_ret(void *state, lane_mask returning)
{
	struct stack *s = state;
	remove_lanes(s, returning, s->now.depth);
	stack_continue(s, s->now.pc + 1);
}

void stack_block(void *state)
{
	struct stack *s = state;
	s->blocked = s->now.active;
	s->now.active = 0;
	s->now.pc++;
}

void stack_unblock(void *state, lane_mask lanes)
{
	struct stack *s = state;
	if (!(s->blocked & lanes))
		return;
	s->now.active = s->blocked; /* a path waits and is released as one */
	s->blocked = 0;
	stack_continue(s, s->now.pc);
}

bool stack_sync(void *state, lane_mask members)
{
	(void)state, (void)members; /* lanes elsewhere could not come before these go on */
	return true;
}

void stack_each_path(const void *state, void (*visit)(void *context, uint32_t pc, lane_mask lanes, const char *waiting),
	void *context)
{
	const struct stack *s = state;
	const struct path *over = &s->now;
	lane_mask above = over->active | s->blocked;
	if (above)
		visit(context, over->pc, above, s->blocked ? WAITS_FOR_BARRIER : NULL);
	for (uint32_t i = s->count; i--; over = &s->below[i], above |= over->active) {
		const struct path *entry = &s->below[i];
		lane_mask here = entry->active & ~above;
		if (!here)
			continue;
		if (entry->depth < over->depth)
			visit(context, entry->pc, here, "the return of lanes that made a call");
		else
			visit(context, entry->pc, here,
				entry->active & above ? "lanes that have yet to reconverge" : WAITS_FOR_OTHER_SIDE);
	}
}

void stack_visit_entries(const struct stack *s, bool with_calls,
	void (*visit)(void *context, const struct divergence_entry *entry), void *context)
{
	lane_mask holders = 0; /* lanes of the retry entries so far */
	for (uint32_t i = 0; i <= s->count; i++) {
		bool top = i == s->count;
		const struct path *p = top ? &s->now : &s->below[i];
		lane_mask waiting = top ? s->blocked | s->locks.hidden : 0;
		struct divergence_entry entry = {
			p->pc, p->reconvergence_pc, p->depth, p->active | waiting, top, "-", NULL};
		if (with_calls && i && p->depth > s->below[i - 1].depth)
			entry.type = "call";
		if (p->kind & PATH_RETRY) {
			entry.type = "LR";
			holders |= entry.active;
		} else if (p->kind & PATH_LOCK) {
			entry.type = "L";
			entry.active &= holders;
		}
		if (entry.active)
			visit(context, &entry);
	}
}

void stack_each_entry(
	const void *state, void (*visit)(void *context, const struct divergence_entry *entry), void *context)
{
	stack_visit_entries(state, true, visit, context);
}

const struct divergence_model diverge_stack = {
	.name = "stack",
	.summary = "reconvergence stack at immediate post-dominators, with call entries (before Volta)",
	.state_size = stack_size,
	.state_used = stack_used,
	.start = stack_start,
	.reconverge = stack_reconverge,
	.branch = stack_branch,
	.call = stack_call,
	.ret = stack_ret,
	.exit = stack_exit,
	.block = stack_block,
	.unblock = stack_unblock,
	.sync = stack_sync,
	.each_path = stack_each_path,
	.each_entry = stack_each_entry,
};
