/* Loops: one per header, made of every edge that goes back to it in reverse postorder.
 *
 * For a reducible loop the body is the usual one: what reaches the back edge without passing the header.  An irreducible
 * loop has several entries, so that walk would escape to the function's start; the body is therefore cut down to what the
 * header can reach, and the header is whichever entry comes first.  Loops are sorted so that inner ones come first.
 *
 * Compilers give a loop and the loop that it begins with one header: in `for (...) { while (!try()); ... }` both branches go to the
 * attempt.  What lanes of a warp go round in while others wait for them behind it is a loop of its own. */
#include "kernel/bits.h"
#include "kernel/flow_parts.h"

#include <stdlib.h>

/* Adds to `set` what reaches (backward) or is reached (forward) from the blocks on the stack; members are not passed. */
static void spread(const struct flow *flow, uint64_t *set, uint32_t *stack, uint32_t depth, bool backward)
{
	while (depth) {
		const struct flow_block *block = &flow->blocks[stack[--depth]];
		uint32_t count = backward ? block->predecessor_count : block->successor_count;
		const uint32_t *next = backward ? block->predecessors : block->successors;
		for (uint32_t k = 0; k < count; k++)
			if (!bits_has(set, next[k])) {
				bits_add(set, next[k]);
				stack[depth++] = next[k];
			}
	}
}

static void fill_loop(
	struct arena *arena, const struct flow *flow, struct flow_loop *loop, const uint32_t *number, uint32_t *stack)
{
	uint32_t words = bits_words(flow->block_count), depth = 0;
	uint64_t *forward = arena_new_array(arena, uint64_t, words);
	loop->blocks = arena_new_array(arena, uint64_t, words);
	bits_add(loop->blocks, loop->header);
	const struct flow_block *header = &flow->blocks[loop->header];
	for (uint32_t p = 0; p < header->predecessor_count; p++) {
		uint32_t from = header->predecessors[p];
		if (number[from] != NO_BLOCK && number[from] >= number[loop->header] && !bits_has(loop->blocks, from)) {
			bits_add(loop->blocks, from);
			stack[depth++] = from;
		}
	}
	spread(flow, loop->blocks, stack, depth, true);
	bits_add(forward, loop->header);
	stack[0] = loop->header;
	spread(flow, forward, stack, 1, false);
	for (uint32_t w = 0; w < words; w++)
		loop->blocks[w] &= forward[w];
}

static uint32_t size_of(const struct flow_loop *loop, uint32_t words)
{
	uint32_t size = 0;
	for (uint32_t w = 0; w < words; w++)
		size += (uint32_t)__builtin_popcountll(loop->blocks[w]);
	return size;
}

/* The part of the loop that repeats without passing `avoided`. */
static void fill_inner(
	struct arena *arena, const struct flow *flow, const struct flow_loop *loop, uint32_t avoided, struct flow_loop *inner)
{
	uint32_t words = bits_words(flow->block_count);
	uint32_t *stack = arena_new_array(arena, uint32_t, flow->block_count + 1);
	uint64_t *both[2];
	*inner = (struct flow_loop){.header = loop->header, .blocks = arena_new_array(arena, uint64_t, words)};
	for (uint32_t backward = 0; backward < 2; backward++) {
		both[backward] = arena_new_array(arena, uint64_t, words);
		for (uint32_t w = 0; w < words; w++) /* as if reached already, so it goes no further */
			both[backward][w] = ~loop->blocks[w];
		bits_add(both[backward], avoided);
		stack[0] = loop->header;
		spread(flow, both[backward], stack, 1, backward);
	}
	for (uint32_t w = 0; w < words; w++)
		inner->blocks[w] = both[0][w] & both[1][w] & loop->blocks[w];
	bits_remove(inner->blocks, avoided);
}

static bool is_header(const struct flow *flow, const uint32_t *number, uint32_t block)
{
	for (uint32_t p = 0; number[block] != NO_BLOCK && p < flow->blocks[block].predecessor_count; p++) {
		uint32_t from = number[flow->blocks[block].predecessors[p]];
		if (from != NO_BLOCK && from >= number[block])
			return true;
	}
	return false;
}

struct sized {
	struct flow_loop loop;
	uint32_t size;
};

typedef VECTOR(struct sized) sized_list;

static int by_size(const void *a, const void *b)
{
	const struct sized *left = a, *right = b;
	if (left->size != right->size)
		return left->size < right->size ? -1 : 1;
	return left->loop.header < right->loop.header ? -1 : left->loop.header > right->loop.header;
}

/* With loops sorted by size, the first that holds a block is its innermost, and the next that holds a header its parent. */
static void nest(struct flow *flow)
{
	for (uint32_t l = 0; l < flow->loop_count; l++) {
		flow->loops[l].parent = NO_BLOCK;
		for (uint32_t outer = l + 1; outer < flow->loop_count && flow->loops[l].parent == NO_BLOCK; outer++)
			if (bits_has(flow->loops[outer].blocks, flow->loops[l].header))
				flow->loops[l].parent = outer;
	}
	for (uint32_t b = 0; b < flow->block_count; b++)
		flow->blocks[b].loop = NO_BLOCK;
	for (uint32_t l = flow->loop_count; l-- > 0;)
		for_each_bit (b, flow->loops[l].blocks, flow->block_count)
			flow->blocks[b].loop = l;
}

static bool is_smaller_loop(const struct flow *flow, const struct flow_loop *inner, const struct sized *than)
{
	return bits_has(inner->blocks, inner->header) && size_of(inner, bits_words(flow->block_count)) < than->size;
}

/* Those that share the header: lanes that have left one wait for the others at a post-dominator of the header that lies in the next. */
static void add_inner(struct arena *arena, const struct flow *flow, sized_list *found)
{
	struct sized whole = found->at[found->count - 1];
	uint32_t size = 0, at = flow->blocks[whole.loop.header].post_dominator;
	for (; at != NO_BLOCK && bits_has(whole.loop.blocks, at); at = flow->blocks[at].post_dominator) {
		struct flow_loop inner;
		fill_inner(arena, flow, &whole.loop, at, &inner);
		if (!is_smaller_loop(flow, &inner, &whole) || size_of(&inner, bits_words(flow->block_count)) == size)
			continue;
		size = size_of(&inner, bits_words(flow->block_count));
		*vector_push(arena, found) = (struct sized){inner, size};
	}
}

void flow_find_loops(struct arena *arena, struct flow *flow)
{
	uint32_t count = flow->block_count;
	uint32_t *order = arena_new_array(arena, uint32_t, count), *number = arena_new_array(arena, uint32_t, count);
	uint32_t *stack = arena_new_array(arena, uint32_t, count + 1);
	sized_list found = {0};
	flow_reverse_postorder(arena, flow, order, number);
	for (uint32_t b = 0; b < count; b++)
		if (is_header(flow, number, b)) {
			struct sized *sized = vector_push(arena, &found);
			sized->loop.header = b;
			fill_loop(arena, flow, &sized->loop, number, stack);
			sized->size = size_of(&sized->loop, bits_words(count));
			add_inner(arena, flow, &found);
		}
	if (found.count)
		qsort(found.at, found.count, sizeof *found.at, by_size);
	flow->loops = arena_new_array(arena, struct flow_loop, found.count);
	flow->loop_count = found.count;
	for (uint32_t l = 0; l < found.count; l++)
		flow->loops[l] = found.at[l].loop;
	nest(flow);
}
