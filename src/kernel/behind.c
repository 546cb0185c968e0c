/* Where threads go that have left out a barrier: code that is behind it, for the check of barriers (sync/openings.c).
 *
 * Code is behind a barrier if it is reached from it, and leads back to it on no way; within a round of a loop around
 * it: on no way that does not begin a new round.  A thread enters such code by the barrier, or from elsewhere.  Where
 * it may come from elsewhere the first instruction that does anything is marked.  To return is nothing, so threads that
 * end early pass no mark.
 *
 * A mark within a round of a loop is in no loop within that, so a thread passes it once in a round at most.  If the
 * barrier is in an inner loop, a thread that comes by it may have left out a later turn of it: it comes from elsewhere,
 * too. */
#include "kernel/bits.h"
#include "kernel/decode.h"

#include <assert.h>

/* Around one barrier. */
struct search {
	struct decoder *d;
	const struct function_state *state;
	uint32_t barrier, home;       /* as written; its block */
	const struct flow_loop *loop; /* of marks within a round; null: of the kernel */
	uint64_t *behind, *entered;   /* blocks; those of them that threads may enter from elsewhere */
	uint32_t *entries, count;     /* the latter, in the order in which they were found */
	bool has_lines;
};

static const struct ptx_instruction *written(const struct search *s, uint32_t k)
{
	assert(k < s->state->ptx->code.count);
	return &s->state->ptx->code.at[k];
}

/* Where code has lines, what has none is of no statement: compilers may let a `return` from within a loop join others,
 * and branch once more; or make one store of two, of which one is before a `return`. */
static bool does_anything(const struct search *s, uint32_t k)
{
	const struct ptx_instruction *i = written(s, k);
	enum insn_kind kind = instruction_kind(i);

	if (s->state->pc_of[k] == s->state->pc_of[k + 1] || kind == INSN_RETURN || kind == INSN_EXIT ||
		(kind == INSN_BRANCH && !i->guard))
		return false;
	return i->loc.line || (kind != INSN_BRANCH && !s->has_lines);
}

/* From here to the block's end, the first instruction that does anything; NO_BLOCK: none. */
static uint32_t first_from(const struct search *s, uint32_t block, uint32_t from)
{
	const struct flow_block *b = &s->state->flow->blocks[block];

	assert(from >= b->first);
	for (uint32_t k = from; k < b->first + b->count; k++)
		if (does_anything(s, k))
			return k;
	return NO_BLOCK;
}

/* Whether it is for the innermost loop around the barrier, or that is in none. */
static bool is_exact(const struct search *s)
{
	uint32_t loop = s->state->flow->blocks[s->home].loop;

	return loop == NO_BLOCK ? !s->loop : s->loop == &s->state->flow->loops[loop];
}

static void mark(struct search *s, uint32_t at)
{
	struct kernel *kernel = s->d->kernel;
	struct kernel_behind *behind = &kernel->behind[kernel->behind_count];

	assert(at != s->barrier);
	if (kernel->behind_count == KERNEL_BEHIND)
		return;
	*behind = (struct kernel_behind){.barrier = s->state->pc_of[s->barrier + 1] - 1,
		.mark = s->state->pc_of[at],
		.is_round = s->loop != NULL,
		.is_exact = is_exact(s)};
	kernel->code[behind->mark].flags |= INSN_BEHIND;
	kernel->behind_count++;
}

static void enter(struct search *s, uint32_t block)
{
	if (!bits_has(s->behind, block) || bits_has(s->entered, block))
		return;
	bits_add(s->entered, block);
	s->entries[s->count++] = block;
}

/* The blocks behind the barrier: what is reached from it, without what leads to it. */
static void find_behind(struct search *s)
{
	struct arena *arena = s->d->arena;
	const struct flow *flow = s->state->flow;
	uint32_t header = s->loop ? s->loop->header : NO_BLOCK;
	struct flow_way way = {.from = s->home, .avoided = header, .leaves_first = true, .within = s->loop};
	uint64_t *leading;

	s->behind = flow_reach(flow, arena, way);
	way.backward = true;
	way.leaves_first = false;
	leading = flow_reach(flow, arena, way);
	bits_add(leading, s->home);
	for (uint32_t word = 0; word < bits_words(flow->block_count); word++)
		s->behind[word] &= ~leading[word];
}

/* Where threads come to the code behind from elsewhere, and pass on through blocks that do nothing. */
static void mark_entries(struct search *s)
{
	const struct flow *flow = s->state->flow;
	/* By a guard, threads may leave the barrier's own block without it. */
	bool skips = written(s, s->barrier)->guard && first_from(s, s->home, s->barrier + 1) == NO_BLOCK;
	uint32_t home = skips || !is_exact(s) ? NO_BLOCK : s->home;

	for (uint32_t b = 0; b < flow->block_count; b++)
		for (uint32_t p = 0; bits_has(s->behind, b) && p < flow->blocks[b].predecessor_count; p++) {
			uint32_t from = flow->blocks[b].predecessors[p];

			if (from != home && !bits_has(s->behind, from))
				enter(s, b);
		}
	for (uint32_t e = 0; e < s->count; e++) {
		const struct flow_block *block = &flow->blocks[s->entries[e]];
		uint32_t first = first_from(s, s->entries[e], block->first);

		if (first == NO_BLOCK)
			for (uint32_t k = 0; k < block->successor_count; k++)
				enter(s, block->successors[k]);
		else if (!s->loop || &flow->loops[block->loop] == s->loop)
			mark(s, first);
	}
}

/* A barrier with a guard: what follows it in its own block. */
static void mark_next(struct search *s)
{
	uint32_t next = first_from(s, s->home, s->barrier + 1);

	if (written(s, s->barrier)->guard && next != NO_BLOCK && is_exact(s))
		mark(s, next);
}

static void look_behind(struct search *s, const struct flow_loop *loop)
{
	const struct flow *flow = s->state->flow;

	s->loop = loop;
	s->count = 0;
	s->entered = arena_new_array(s->d->arena, uint64_t, bits_words(flow->block_count));
	s->entries = arena_new_array(s->d->arena, uint32_t, flow->block_count);
	find_behind(s);
	mark_next(s);
	mark_entries(s);
}

void find_behind_barriers(struct decoder *d)
{
	struct search s = {.d = d, .state = &d->functions.at[0]};
	const struct flow *flow = s.state->flow;

	for (uint32_t k = 0; k < s.state->ptx->code.count; k++)
		s.has_lines |= written(&s, k)->loc.line != 0;
	for (s.barrier = 0; s.barrier < s.state->ptx->code.count; s.barrier++) {
		uint32_t loop = flow->blocks[flow->block_of[s.barrier]].loop;

		if (instruction_kind(written(&s, s.barrier)) != INSN_BARRIER)
			continue;
		if (!d->kernel->behind)
			d->kernel->behind = arena_new_array(d->arena, struct kernel_behind, KERNEL_BEHIND);
		s.home = flow->block_of[s.barrier];
		for (; loop != NO_BLOCK; loop = flow->loops[loop].parent)
			look_behind(&s, &flow->loops[loop]);
		look_behind(&s, NULL);
		if (d->kernel->behind_count == KERNEL_BEHIND)
			return;
	}
}
