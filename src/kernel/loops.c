/* Loops: one per header, made of every edge that goes back to it in reverse postorder.
 *
 * For a reducible loop the body is the usual one: what reaches the back edge without passing the header.  An
 * irreducible loop has several entries, so that walk would escape to the function's start; the body is therefore cut
 * down to what the header can reach, and the header is whichever entry comes first.  Loops are sorted so that inner
 * ones come first.
 *
 * Compilers give a loop and the loop that it begins with one header: in `for (...) { while (!try()); ... }` both
 * branches go to the attempt.  What lanes of a warp repeat while others wait for them after it is a loop of its own.
 *
 * Loops may hold each other, all of them nearly all blocks, so to find them all may take the square of the blocks.  So
 * small ones are searched for first, and the search ends after a number of steps in proportion to the blocks, large
 * enough for a thousand loops of a thousand blocks each: what is left out then are the largest loops of functions that
 * no compiler makes. */
#include "kernel/flow_parts.h"

#include <stdlib.h>

enum { STEPS = 1 << 20, STEPS_PER_BLOCK = 64, FIRST_SIZE = 32, MORE_SIZE = 32 };

struct search {
	struct arena *arena;
	const struct flow *flow;
	uint32_t *number;  /* per block: place in reverse postorder */
	uint32_t *mark;    /* per block: the last walk that came there, a number that only grows */
	uint32_t *inside;  /* likewise, of the loop whose inner ones are looked for */
	uint32_t *segment; /* per block: when it was reached in such a loop, a number that only grows */
	uint32_t walk, segments;
	uint32_t *stack, *list; /* as large as the function */
	uint64_t left;          /* steps */
	VECTOR(struct flow_loop) found;
};

static int ascending(const void *a, const void *b)
{
	uint32_t left = *(const uint32_t *)a, right = *(const uint32_t *)b;
	return left < right ? -1 : left > right;
}

bool flow_loop_has(const struct flow_loop *loop, uint32_t block)
{
	return loop->block_count && block >= loop->blocks[0] && block <= loop->blocks[loop->block_count - 1] &&
	       bsearch(&block, loop->blocks, loop->block_count, sizeof block, ascending);
}

/* Each edge is a step.  False: there are none left. */
static bool pay(struct search *s, uint32_t edges)
{
	bool enough = s->left > edges;
	s->left -= enough ? edges + 1u : s->left;
	return enough;
}

/* What reaches a back edge of the header without passing the header goes to s->list; false: more than `most` blocks, or
 * no steps left. */
static bool walk_back(struct search *s, uint32_t header, uint32_t most, uint32_t *count)
{
	const struct flow_block *blocks = s->flow->blocks;
	uint32_t depth = 0;
	*count = 0;
	s->list[(*count)++] = header;
	s->mark[header] = ++s->walk;
	for (uint32_t at = header, first = 1;; first = 0) {
		if (!pay(s, blocks[at].predecessor_count))
			return false;
		for (uint32_t p = 0; p < blocks[at].predecessor_count; p++) {
			uint32_t from = blocks[at].predecessors[p];
			if (s->mark[from] == s->walk ||
				(first && (s->number[from] == NO_BLOCK || s->number[from] < s->number[header])))
				continue;
			if (*count > most)
				return false;
			s->mark[from] = s->walk;
			s->list[(*count)++] = s->stack[depth++] = from;
		}
		if (!depth)
			return true;
		at = s->stack[--depth];
	}
}

/* Of the blocks with the mark `from`, those that the header reaches through others of them get the next mark. */
static bool walk_on(struct search *s, uint32_t header)
{
	uint32_t depth = 0, from = s->walk++;
	s->stack[depth++] = header;
	s->mark[header] = s->walk;
	while (depth) {
		const struct flow_block *block = &s->flow->blocks[s->stack[--depth]];
		if (!pay(s, block->successor_count))
			return false;
		for (uint32_t k = 0; k < block->successor_count; k++)
			if (s->mark[block->successors[k]] == from) {
				s->mark[block->successors[k]] = s->walk;
				s->stack[depth++] = block->successors[k];
			}
	}
	return true;
}

/* The loop of those in the list that have the last mark. */
static struct flow_loop loop_of(struct search *s, uint32_t header, const uint32_t *list, uint32_t count)
{
	struct flow_loop loop = {.header = header, .blocks = arena_new_array(s->arena, uint32_t, count)};
	for (uint32_t k = 0; k < count; k++)
		if (s->mark[list[k]] == s->walk)
			loop.blocks[loop.block_count++] = list[k];
	qsort(loop.blocks, loop.block_count, sizeof *loop.blocks, ascending);
	return loop;
}

/* ---- Loops that share their header ---- */

/* The part of the loop, whose blocks are marked as inside, that repeats without passing `avoided`.  False: it does not,
 * or no steps left. */
static bool find_inner(
	struct search *s, const struct flow_loop *loop, uint32_t inside, uint32_t avoided, struct flow_loop *inner)
{
	const struct flow_block *blocks = s->flow->blocks;
	uint32_t depth = 0, count = 0;
	bool repeats = false;
	s->walk++;
	s->stack[depth++] = loop->header;
	while (depth) { /* backward: what comes to the header */
		const struct flow_block *block = &blocks[s->stack[--depth]];
		if (!pay(s, block->predecessor_count))
			return false;
		for (uint32_t p = 0; p < block->predecessor_count; p++) {
			uint32_t from = block->predecessors[p];
			if (from == avoided || s->inside[from] != inside || s->mark[from] == s->walk)
				continue;
			s->mark[from] = s->walk;
			s->list[count++] = s->stack[depth++] = from;
			repeats |= from == loop->header;
		}
	}
	if (!repeats || !walk_on(s, loop->header))
		return false;
	*inner = loop_of(s, loop->header, s->list, count);
	return true;
}

/* Goes on from `from` to all that comes before `avoided`, and says whether an edge leads from there to what was reached
 * earlier, in segments after `before`, or to the header: only then does more of the loop repeat without passing
 * `avoided`. */
static bool reach_more(struct search *s, const struct flow_loop *loop, uint32_t inside, uint32_t before, uint32_t from,
	uint32_t avoided)
{
	uint32_t depth = 0, segment = ++s->segments;
	bool goes_back = false;
	s->segment[from] = segment;
	s->stack[depth++] = from;
	while (depth) {
		const struct flow_block *block = &s->flow->blocks[s->stack[--depth]];
		if (!pay(s, block->successor_count))
			return false;
		for (uint32_t k = 0; k < block->successor_count; k++) {
			uint32_t to = block->successors[k];
			if (to == avoided || s->inside[to] != inside)
				continue;
			goes_back |= to == loop->header || (s->segment[to] > before && s->segment[to] < segment);
			if (s->segment[to] > before)
				continue;
			s->segment[to] = segment;
			s->stack[depth++] = to;
		}
	}
	return goes_back;
}

/* Lanes that have left one loop wait for the others at a post-dominator of the header that lies in the next.  The
 * further that is, the more is reached before it, so each step goes on where the one before has ended. */
static void add_inner(struct search *s, const struct flow_loop *whole)
{
	uint32_t size = 0, from = whole->header, at = s->flow->blocks[from].post_dominator, inside,
		 before = s->segments;
	if (at == NO_BLOCK || !flow_loop_has(whole, at))
		return;
	inside = ++s->walk;
	for (uint32_t k = 0; k < whole->block_count; k++)
		s->inside[whole->blocks[k]] = inside;
	for (; at != NO_BLOCK && s->inside[at] == inside; from = at, at = s->flow->blocks[at].post_dominator) {
		struct flow_loop inner;
		if (!reach_more(s, whole, inside, before, from, at) || !find_inner(s, whole, inside, at, &inner) ||
			inner.block_count == size || inner.block_count >= whole->block_count)
			continue;
		size = inner.block_count;
		*vector_push(s->arena, &s->found) = inner;
	}
}

/* ---- All ---- */

static bool is_header(const struct search *s, uint32_t block)
{
	const struct flow_block *blocks = s->flow->blocks;
	for (uint32_t p = 0; s->number[block] != NO_BLOCK && p < blocks[block].predecessor_count; p++) {
		uint32_t from = s->number[blocks[block].predecessors[p]];
		if (from != NO_BLOCK && from >= s->number[block])
			return true;
	}
	return false;
}

/* The loops of the headers, up to `most` blocks each; headers of larger ones stay in the list.  Returns how many do. */
static uint32_t find_up_to(struct search *s, uint32_t *headers, uint32_t count, uint32_t most)
{
	uint32_t kept = 0;
	for (uint32_t k = 0; k < count && s->left; k++) {
		uint32_t header = headers[k], size;
		if (!walk_back(s, header, most, &size) || !walk_on(s, header)) {
			headers[kept++] = header;
			continue;
		}
		struct flow_loop loop = loop_of(s, header, s->list, size);
		*vector_push(s->arena, &s->found) = loop;
		add_inner(s, &loop);
	}
	return kept;
}

static int by_size(const void *a, const void *b)
{
	const struct flow_loop *left = a, *right = b;
	if (left->block_count != right->block_count)
		return left->block_count < right->block_count ? -1 : 1;
	return left->header < right->header ? -1 : left->header > right->header;
}

/* From the largest to the smallest, so that a block's last loop is its innermost; what a header had before is the
 * loop's parent. */
static void nest(struct flow *flow)
{
	for (uint32_t b = 0; b < flow->block_count; b++)
		flow->blocks[b].loop = NO_BLOCK;
	for (uint32_t l = flow->loop_count; l-- > 0;) {
		struct flow_loop *loop = &flow->loops[l];
		loop->parent = flow->blocks[loop->header].loop;
		for (uint32_t k = 0; k < loop->block_count; k++)
			flow->blocks[loop->blocks[k]].loop = l;
	}
}

void flow_find_loops(struct arena *arena, struct flow *flow)
{
	uint32_t count = flow->block_count, header_count = 0;
	uint32_t *headers = arena_new_array(arena, uint32_t, count);
	struct search s = {.arena = arena, .flow = flow, .left = STEPS + (uint64_t)STEPS_PER_BLOCK * count};
	s.number = arena_new_array(arena, uint32_t, count);
	s.mark = arena_new_array(arena, uint32_t, count);
	s.inside = arena_new_array(arena, uint32_t, count);
	s.segment = arena_new_array(arena, uint32_t, count);
	s.stack = arena_new_array(arena, uint32_t, count + 1);
	s.list = arena_new_array(arena, uint32_t, count + 1);
	flow_reverse_postorder(arena, flow, s.list, s.number);
	for (uint32_t b = 0; b < count; b++)
		if (is_header(&s, b))
			headers[header_count++] = b;
	for (uint64_t most = FIRST_SIZE; header_count && s.left; most *= MORE_SIZE) {
		header_count = find_up_to(&s, headers, header_count, most < count ? (uint32_t)most : count);
		if (most >= count)
			break;
	}
	if (s.found.count)
		qsort(s.found.at, s.found.count, sizeof *s.found.at, by_size);
	flow->loops = s.found.at;
	flow->loop_count = s.found.count;
	flow->steps += STEPS + (uint64_t)STEPS_PER_BLOCK * count - s.left;
	nest(flow);
}
