/* Vector clocks as trees that share what they have in common. */
#include "race/nodes.h"

#include <assert.h>
#include <stddef.h>
#include <string.h>

#define FAN_BITS 4

_Static_assert(1 << FAN_BITS == CLOCK_FAN, "a branch is FAN_BITS of a thread's number");

#define LEAF_BYTES (offsetof(struct clock_node, epoch) + CLOCK_FAN * sizeof(uint32_t))

static vector_clock all(uint32_t epoch)
{
	return (vector_clock)epoch << 1;
}

static uint32_t epoch_of(vector_clock clock)
{
	assert(is_all(clock));
	return (uint32_t)(clock >> 1);
}

vector_clock clock_keep(vector_clock clock)
{
	assert(is_all(clock) || (node_of(clock)->references && node_of(clock)->references < UINT32_MAX));
	if (!is_all(clock))
		node_of(clock)->references++;
	return clock;
}

void clock_drop(struct clock_pool *pool, vector_clock clock)
{
	struct clock_node *node;

	if (is_all(clock))
		return;
	node = node_of(clock);
	assert(node->references);
	if (--node->references)
		return;
	if (node->shift == PENDING) {
		pending_drop(pool, pending_of(clock));
		return;
	}
	for (uint32_t k = 0; node->shift && k < CLOCK_FAN; k++)
		clock_drop(pool, node->branch[k]);
	node->branch[0] = (vector_clock)pool->free[!node->shift];
	pool->free[!node->shift] = node;
}

#define NODES_AT_ONCE 64 /* the arena rounds each piece up to 64 bytes */

static struct clock_node *take_more(struct clock_pool *pool, size_t bytes, struct clock_node **free)
{
	char *nodes = arena_array(pool->arena, NODES_AT_ONCE, bytes);

	assert(!*free);
	for (uint32_t k = NODES_AT_ONCE; k--;) {
		struct clock_node *node = (struct clock_node *)(void *)(nodes + k * bytes);

		node->branch[0] = (vector_clock)*free;
		*free = node;
	}
	return *free;
}

static struct clock_node *take(struct clock_pool *pool, uint32_t shift)
{
	struct clock_node **free = &pool->free[!shift], *node = *free;

	if (!node)
		node = take_more(pool, shift ? sizeof *node : LEAF_BYTES, free);
	*free = (struct clock_node *)node->branch[0];
	assert(shift % FAN_BITS == 0);
	node->references = 1;
	node->shift = shift;
	return node;
}

/* A node of so many threads a branch that says what the clock of one of its kind does, and that may be changed. */
static struct clock_node *own(struct clock_pool *pool, vector_clock clock, uint32_t shift)
{
	struct clock_node *node, *from = is_all(clock) ? NULL : node_of(clock);

	assert(!from || (from->shift == shift && from->references));
	if (from && from->references == 1)
		return from;
	node = take(pool, shift);
	if (shift)
		for (uint32_t k = 0; k < CLOCK_FAN; k++)
			node->branch[k] = from ? clock_keep(from->branch[k]) : clock;
	else
		for (uint32_t k = 0; k < CLOCK_FAN; k++)
			node->epoch[k] = from ? from->epoch[k] : epoch_of(clock);
	if (from)
		from->references--;
	return node;
}

static vector_clock branch_of(vector_clock clock, uint32_t k)
{
	assert(k < CLOCK_FAN);
	if (is_all(clock))
		return clock;
	return node_of(clock)->shift ? node_of(clock)->branch[k] : all(node_of(clock)->epoch[k]);
}

/* The branch that the node is, once its own branches all say the same. */
static vector_clock folded(struct clock_pool *pool, struct clock_node *node)
{
	vector_clock one = branch_of(clock_of(node), 0);
	assert(node->references == 1);

	for (uint32_t k = 0; k < CLOCK_FAN; k++)
		if (branch_of(clock_of(node), k) != one || !is_all(one))
			return clock_of(node);
	clock_drop(pool, clock_of(node));
	return one;
}

/* ---- The whole: its highest node is as high as it needs to be ---- */

static uint64_t threads_of(const struct clock_node *node)
{
	assert(node->shift < 32);
	return (uint64_t)CLOCK_FAN << node->shift;
}

/* A clock whose highest node has at least so many threads; takes over the reference. */
static vector_clock raised(struct clock_pool *pool, vector_clock clock, uint64_t threads)
{
	assert(threads);
	if (is_all(clock))
		clock = clock_of(own(pool, CLOCK_NOTHING, 0));
	while (threads_of(node_of(clock)) < threads) {
		struct clock_node *node = own(pool, CLOCK_NOTHING, node_of(clock)->shift + FAN_BITS);
		struct clock_node *low = node_of(clock);

		node->branch[0] = low->references == 1 ? folded(pool, low) : clock;
		clock = clock_of(node);
	}
	return clock;
}

/* The tree that a clock is; and in place of a reference to the clock one to that. */
static vector_clock tree_of(vector_clock clock)
{
	return is_pending(clock) ? pending_settle(pending_of(clock)) : clock;
}

static vector_clock become_tree(struct clock_pool *pool, vector_clock clock)
{
	vector_clock tree;

	if (!is_pending(clock))
		return clock;
	tree = clock_keep(tree_of(clock));
	clock_drop(pool, clock);
	return tree;
}

uint32_t clock_at(vector_clock clock, uint32_t thread)
{
	clock = tree_of(clock);
	if (!is_all(clock) && thread >= threads_of(node_of(clock)))
		return 0;
	while (!is_all(clock)) {
		const struct clock_node *node = node_of(clock);

		if (!node->shift)
			return node->epoch[thread & (CLOCK_FAN - 1)];
		clock = node->branch[thread >> node->shift & (CLOCK_FAN - 1)];
	}
	return epoch_of(clock);
}

/* The same for threads of one leaf. */
static uint64_t lacking_of_leaf(vector_clock clock, uint32_t first, uint64_t threads, uint32_t epoch)
{
	uint64_t lacking = 0;

	assert(first % CLOCK_FAN == 0);
	assert(threads >> CLOCK_FAN == 0);
	if (!is_all(clock) && first >= threads_of(node_of(clock)))
		return threads;
	while (!is_all(clock) && node_of(clock)->shift)
		clock = node_of(clock)->branch[first >> node_of(clock)->shift & (CLOCK_FAN - 1)];
	if (is_all(clock))
		return epoch_of(clock) < epoch ? threads : 0;
	for (uint32_t k = 0; k < CLOCK_FAN; k++)
		lacking |= (uint64_t)(node_of(clock)->epoch[k] < epoch) << k;
	return lacking & threads;
}

uint64_t clock_lacking(vector_clock clock, uint32_t first, uint64_t threads, uint32_t epoch)
{
	uint64_t lacking = 0, leaf = (1u << CLOCK_FAN) - 1;

	assert(epoch);
	clock = tree_of(clock);
	for (uint32_t k = 0; k < 64; k += CLOCK_FAN)
		if (threads >> k & leaf)
			lacking |= lacking_of_leaf(clock, first + k, threads >> k & leaf, epoch) << k;
	return lacking;
}

/* Sets threads [first, end) of those of a clock with `shift`, counted from its first. */
static struct clock_node *set(
	struct clock_pool *pool, vector_clock clock, uint32_t shift, uint64_t first, uint64_t end, uint32_t epoch)
{
	struct clock_node *node = own(pool, clock, shift);

	assert(first < end);
	assert(end <= (uint64_t)CLOCK_FAN << shift);
	if (!shift) {
		for (uint64_t k = first; k < end; k++)
			node->epoch[k] = epoch;
		return node;
	}
	for (uint64_t k = first >> shift; k <= (end - 1) >> shift; k++) {
		uint64_t from = k << shift, to = (k + 1) << shift;
		uint64_t low = first > from ? first : from, high = end < to ? end : to;
		vector_clock *branch = &node->branch[k];

		if (high - low == to - from) {
			clock_drop(pool, *branch);
			*branch = all(epoch);
		} else if (!is_all(*branch) || epoch_of(*branch) != epoch) {
			*branch = folded(pool, set(pool, *branch, shift - FAN_BITS, low - from, high - from, epoch));
		}
	}
	return node;
}

vector_clock clock_set(struct clock_pool *pool, vector_clock clock, uint32_t first, uint32_t count, uint32_t epoch)
{
	uint64_t end = (uint64_t)first + count;

	assert(count);
	clock = raised(pool, become_tree(pool, clock), end);
	return clock_of(set(pool, clock, node_of(clock)->shift, first, end, epoch));
}

/* ---- Two clocks ---- */

static void leaf_epochs(vector_clock clock, uint32_t *epoch)
{
	assert(is_all(clock) || !node_of(clock)->shift);
	if (!is_all(clock))
		memcpy(epoch, node_of(clock)->epoch, CLOCK_FAN * sizeof *epoch);
	else
		for (uint32_t k = 0; k < CLOCK_FAN; k++)
			epoch[k] = epoch_of(clock);
}

/* Of leaves, or of a leaf and of threads that all have the same epoch.  A check of many locks spends much of its time
 * here: the epochs are compared without branches. */
static vector_clock joined_leaves(struct clock_pool *pool, vector_clock a, vector_clock b)
{
	uint32_t epoch[CLOCK_FAN], of_a[CLOCK_FAN], of_b[CLOCK_FAN], beyond_a = 0, beyond_b = 0;
	struct clock_node *node;

	leaf_epochs(a, of_a);
	leaf_epochs(b, of_b);
	for (uint32_t k = 0; k < CLOCK_FAN; k++) {
		epoch[k] = of_a[k] > of_b[k] ? of_a[k] : of_b[k];
		beyond_a |= epoch[k] ^ of_a[k];
		beyond_b |= epoch[k] ^ of_b[k];
	}
	if (!beyond_a || !beyond_b)
		return clock_keep(beyond_a ? b : a);
	node = take(pool, 0);
	memcpy(node->epoch, epoch, sizeof epoch);
	return clock_of(node);
}

/* Of branches of the same size: a new reference; the branch itself where the other adds nothing to it. */
static vector_clock joined(struct clock_pool *pool, vector_clock a, vector_clock b)
{
	vector_clock branch[CLOCK_FAN];
	bool is_a = true, is_b = true;
	struct clock_node *node;

	if (a == b || b == CLOCK_NOTHING)
		return clock_keep(a);
	if (a == CLOCK_NOTHING)
		return clock_keep(b);
	if (is_all(a) && is_all(b))
		return a > b ? a : b;
	assert(is_all(a) || is_all(b) || node_of(a)->shift == node_of(b)->shift);
	if (!node_of(is_all(a) ? b : a)->shift)
		return joined_leaves(pool, a, b);
	for (uint32_t k = 0; k < CLOCK_FAN; k++) {
		vector_clock of_a = branch_of(a, k), of_b = branch_of(b, k);

		branch[k] = is_all(of_a) && is_all(of_b) ? (of_a > of_b ? of_a : of_b) : joined(pool, of_a, of_b);
		is_a &= branch[k] == of_a;
		is_b &= branch[k] == of_b;
	}
	if (is_a || is_b) {
		for (uint32_t k = 0; k < CLOCK_FAN; k++)
			clock_drop(pool, branch[k]);
		return clock_keep(is_a ? a : b);
	}
	node = take(pool, node_of(is_all(a) ? b : a)->shift);
	for (uint32_t k = 0; k < CLOCK_FAN; k++)
		node->branch[k] = branch[k];
	return clock_of(node);
}

vector_clock clock_join(struct clock_pool *pool, vector_clock into, vector_clock other)
{
	vector_clock result;

	into = become_tree(pool, into);
	other = tree_of(other);
	if (other == CLOCK_NOTHING || other == into)
		return into;
	if (into == CLOCK_NOTHING)
		return clock_keep(other);
	into = raised(pool, into, threads_of(node_of(other)));
	other = raised(pool, clock_keep(other), threads_of(node_of(into)));
	result = joined(pool, into, other);
	clock_drop(pool, into);
	clock_drop(pool, other);
	return result;
}

/* ---- Where one is beyond another ---- */

/* What is looked for: see clock_beyond. */
struct search {
	uint64_t from;
	uint64_t first, end; /* not these */
	uint32_t found;
};

/* The lowest thread from `base` on that counts. */
static uint64_t lowest(uint64_t base, const struct search *s)
{
	uint64_t thread = base > s->from ? base : s->from;

	return thread >= s->first && thread < s->end ? s->end : thread;
}

/* Of `size` threads from `base` on; `known` is of as many, or of the lowest of them. */
static bool beyond(vector_clock clock, vector_clock known, uint64_t base, uint64_t size, struct search *s)
{
	assert(size);
	if (clock == known || clock == CLOCK_NOTHING || lowest(base, s) >= base + size)
		return false;
	if (is_all(clock) && is_all(known)) {
		s->found = (uint32_t)lowest(base, s);
		return epoch_of(clock) > epoch_of(known);
	}
	for (uint32_t k = 0; k < CLOCK_FAN; k++) {
		uint64_t part = size / CLOCK_FAN;
		vector_clock of_known = branch_of(known, k);

		if (!is_all(known) && threads_of(node_of(known)) < size)
			of_known = k ? CLOCK_NOTHING : known;
		if (beyond(branch_of(clock, k), of_known, base + k * part, part, s))
			return true;
	}
	return false;
}

bool clock_beyond(
	vector_clock clock, vector_clock known, uint32_t from, uint32_t first, uint32_t count, uint32_t *thread)
{
	struct search s = {.from = from, .first = first, .end = (uint64_t)first + count};

	clock = tree_of(clock);
	known = tree_of(known);
	if (is_all(clock))
		return false;
	while (!is_all(known) && threads_of(node_of(known)) > threads_of(node_of(clock)))
		known = node_of(known)->branch[0];
	if (!beyond(clock, known, 0, threads_of(node_of(clock)), &s))
		return false;
	*thread = s.found;
	return true;
}
