/* Apriori: the sets of items that many transactions have (paper 1, Chapter 2), one launch of each kernel for a size of sets.
 * A set is `size` items, ascending; set s has sets[s * size] on.  Candidates hang in a hash tree: an inner node has a table of FANOUT
 * nodes below it, by the item whose place in the set is the node's depth; a leaf has a list of candidates.  FANOUT, THRESHOLD (candidates
 * of a leaf before it is rehashed) and LONGEST (set) come from the host.
 * Memory is taken from empty lists: arrays whose next free element a counter says, set back for each size. */
#ifndef __LOCKSTEP__ /* elsewhere than under Lockstep */
#include "lockstep_locks.h"
#endif

#ifndef FANOUT
#define FANOUT 8
#define THRESHOLD 8
#define LONGEST 16
#endif

struct node {
	int lock; /* -1: free, else the owner's number */
	int leaf;
	int below;      /* of an inner node: the first of the FANOUT */
	int head, size; /* of a leaf: its candidates, the last inserted first; how many */
};

enum counter { NODES, CANDIDATES, FREQUENT }; /* elements in use, or more when there was no room */

#define NOTHING (-1)

/* ---- The hash tree ---- */

void make_leaf(volatile global struct node *node)
{
	node->lock = -1;
	node->leaf = 1;
	node->head = NOTHING;
	node->size = 0;
}

/* Sets what an iteration counts back; the tree is a leaf. */
kernel void begin(volatile global int *counters, volatile global struct node *nodes)
{
	counters[NODES] = 1;
	counters[CANDIDATES] = 0;
	counters[FREQUENT] = 0;
	make_leaf(nodes);
}

/* What insertion needs. */
struct tree {
	volatile global struct node *nodes;
	volatile global int *next; /* by candidate: the one behind it in the leaf's list */
	volatile global int *sets, *counters;
	int size, node_room;
};

void hang(struct tree tree, int node, int candidate)
{
	tree.next[candidate] = tree.nodes[node].head;
	tree.nodes[node].head = candidate;
	tree.nodes[node].size++;
}

/* A leaf becomes an inner node; its candidates go to new leaves.  Those may be above the threshold at once: the next insertion sees it.  When
 * there is no room, the counter says so. */
void rehash(struct tree tree, int node, int depth)
{
	int below = atomic_add(&tree.counters[NODES], FANOUT);
	if (below + FANOUT > tree.node_room)
		return;
	for (int k = 0; k < FANOUT; k++)
		make_leaf(&tree.nodes[below + k]);
	for (int at = tree.nodes[node].head, after; at != NOTHING; at = after) {
		after = tree.next[at];
		hang(tree, below + tree.sets[at * tree.size + depth] % FANOUT, at);
	}
	tree.nodes[node].below = below;
	tree.nodes[node].leaf = 0;
}

/* Within the node's critical section. */
void insert_here(struct tree tree, int node, int depth, int candidate)
{
	hang(tree, node, candidate);
	if (tree.nodes[node].size > THRESHOLD && depth < tree.size)
		rehash(tree, node, depth);
}

int below_of(struct tree tree, int node, int depth, int candidate)
{
	return tree.nodes[node].below + tree.sets[candidate * tree.size + depth] % FANOUT;
}

/* A spin lock as in Example 5.  Whether the node is a leaf is looked at under its lock (Section 2.2.2). */
void insert_atomics(struct tree tree, int candidate)
{
	int node = 0, depth = 0;
	bool done = false;
	while (!done) {
		volatile global int *lock = &tree.nodes[node].lock;
		if (atomic_cmpxchg(lock, -1, (int)get_global_id(0)) == -1) {
			mem_fence(CLK_GLOBAL_MEM_FENCE);
			if (tree.nodes[node].leaf) {
				insert_here(tree, node, depth, candidate);
				done = true;
			} else {
				node = below_of(tree, node, depth++, candidate);
			}
			mem_fence(CLK_GLOBAL_MEM_FENCE);
			atomic_xchg(lock, -1);
		}
	}
}

/* The same with lock instructions. */
void insert_locks(struct tree tree, int candidate)
{
	int node = 0, depth = 0;
	bool done = false;
	while (!done) {
		volatile global int *lock = &tree.nodes[node].lock;
		__lockstep_lock(lock);
		if (tree.nodes[node].leaf) {
			insert_here(tree, node, depth, candidate);
			done = true;
		} else {
			node = below_of(tree, node, depth++, candidate);
		}
		__lockstep_unlock(lock);
	}
}

/* Deliberately wrong, as the program that paper 1 ported was: whether the node is a leaf is looked at before its lock is taken, and it may
 * have been rehashed then. */
void insert_race(struct tree tree, int candidate)
{
	int node = 0, depth = 0;
	bool done = false;
	while (!tree.nodes[node].leaf)
		node = below_of(tree, node, depth++, candidate);
	while (!done) {
		volatile global int *lock = &tree.nodes[node].lock;
		if (atomic_cmpxchg(lock, -1, (int)get_global_id(0)) == -1) {
			mem_fence(CLK_GLOBAL_MEM_FENCE);
			insert_here(tree, node, depth, candidate);
			done = true;
			mem_fence(CLK_GLOBAL_MEM_FENCE);
			atomic_xchg(lock, -1);
		}
	}
}

/* ---- Candidates ---- */

/* The first `count` items of one set and those of another: negative, 0 or positive as they are in lexicographic order. */
int compare(const volatile global int *one, const volatile global int *other, int count)
{
	for (int k = 0; k < count; k++)
		if (one[k] != other[k])
			return one[k] < other[k] ? -1 : 1;
	return 0;
}

/* Item k of the candidate that joins two frequent sets. */
int item_of(const global int *one, const global int *other, int size, int k)
{
	return k < size - 1 ? one[k] : other[size - 2];
}

/* Whether the candidate without the item at this place is among the sorted frequent sets. */
bool is_frequent(const global int *frequent, int count, int size, const global int *one, const global int *other, int without)
{
	int low = 0, high = count;
	while (low < high) {
		int middle = (low + high) / 2, order = 0;
		for (int k = 0; k < size - 1 && !order; k++) {
			int item = item_of(one, other, size, k + (k >= without));
			order = item - frequent[middle * (size - 1) + k];
		}
		if (!order)
			return true;
		if (order < 0)
			high = middle;
		else
			low = middle + 1;
	}
	return false;
}

/* The Apriori property: all subsets of a frequent set are frequent.  The two joined ones are. */
bool subsets_are_frequent(const global int *frequent, int count, int size, const global int *one, const global int *other)
{
	for (int without = 0; without < size - 2; without++)
		if (!is_frequent(frequent, count, size, one, other, without))
			return false;
	return true;
}

/* A new candidate; NOTHING when there is no room. */
int join(struct tree tree, volatile global int *supports, int room, const global int *one, const global int *other)
{
	int candidate = atomic_inc(&tree.counters[CANDIDATES]);
	if (candidate >= room)
		return NOTHING;
	for (int k = 0; k < tree.size; k++)
		tree.sets[candidate * tree.size + k] = item_of(one, other, tree.size, k);
	supports[candidate] = 0;
	return candidate;
}

/* Joins frequent sets of size - 1 that differ in the last item, and inserts those candidates that may be frequent.  In sorted order sets
 * with the same first items are together. */
#define GENERATE(how)                                                                                                                          \
	kernel void generate_##how(const global int *frequent, int count, volatile global int *sets, volatile global int *supports,            \
		volatile global struct node *nodes, volatile global int *next, volatile global int *counters, int size, int room,              \
		int node_room)                                                                                                                 \
	{                                                                                                                                      \
		struct tree tree = {nodes, next, sets, counters, size, node_room};                                                             \
		for (int k = get_global_id(0); k < count; k += get_global_size(0)) {                                                           \
			const global int *one = frequent + k * (size - 1), *end = frequent + count * (size - 1);                               \
			for (const global int *other = one + (size - 1); other < end && !compare(one, other, size - 2); other += size - 1) {   \
				if (!subsets_are_frequent(frequent, count, size, one, other))                                                  \
					continue;                                                                                              \
				int candidate = join(tree, supports, room, one, other);                                                        \
				if (candidate != NOTHING)                                                                                      \
					insert_##how(tree, candidate);                                                                         \
			}                                                                                                                      \
		}                                                                                                                              \
	}

GENERATE(atomics)
GENERATE(locks)
GENERATE(race)

/* ---- Support ---- */

/* Counts of the transactions how many have each item. */
kernel void count_items(const global int *starts, const global int *items, int transactions, volatile global int *supports)
{
	for (int t = get_global_id(0); t < transactions; t += get_global_size(0))
		for (int at = starts[t]; at < starts[t + 1]; at++)
			atomic_inc(&supports[items[at]]);
}

/* A walk of one transaction through the tree: the items that led to where it is. */
struct walk {
	const global struct node *nodes;
	const global int *next, *sets, *items;
	volatile global int *supports;
	int size, end, chosen[LONGEST];
};

/* A candidate may be in a leaf that a transaction comes to on several ways.  It is counted on the one that chose its own items. */
bool is_in(const struct walk *walk, const global int *set, int depth, int from)
{
	for (int k = 0; k < depth; k++)
		if (set[k] != walk->chosen[k])
			return false;
	for (int k = depth; k < walk->size; k++) {
		while (from < walk->end && walk->items[from] < set[k])
			from++;
		if (from == walk->end || walk->items[from++] != set[k])
			return false;
	}
	return true;
}

/* Recursive, which OpenCL C does not allow and clang compiles. */
void subset(struct walk *walk, int node, int depth, int from)
{
	if (walk->nodes[node].leaf) {
		for (int at = walk->nodes[node].head; at != NOTHING; at = walk->next[at])
			if (is_in(walk, walk->sets + at * walk->size, depth, from))
				atomic_inc(&walk->supports[at]);
	} else {
		for (int at = from; at < walk->end; at++) {
			walk->chosen[depth] = walk->items[at];
			subset(walk, walk->nodes[node].below + walk->items[at] % FANOUT, depth + 1, at + 1);
		}
	}
}

/* Of each transaction, the candidates that it has. */
kernel void count_support(const global int *starts, const global int *items, int transactions, const global int *sets,
	volatile global int *supports, const global struct node *nodes, const global int *next, int size)
{
	for (int t = get_global_id(0); t < transactions; t += get_global_size(0)) {
		struct walk walk = {nodes, next, sets, items, supports, size, starts[t + 1]};
		subset(&walk, 0, 0, starts[t]);
	}
}

/* Keeps the sets that `minimum` transactions or more have. */
kernel void keep(const global int *sets, const global int *supports, int count, int size, int minimum, global int *kept, global int *kept_supports,
	volatile global int *counters)
{
	for (int k = get_global_id(0); k < count; k += get_global_size(0)) {
		if (supports[k] < minimum)
			continue;
		int place = atomic_inc(&counters[FREQUENT]);
		for (int item = 0; item < size; item++)
			kept[place * size + item] = sets[k * size + item];
		kept_supports[place] = supports[k];
	}
}

/* Sorts: a set's place is how many are before it. */
kernel void rank(const global int *kept, const global int *kept_supports, int count, int size, global int *frequent, global int *supports)
{
	for (int k = get_global_id(0); k < count; k += get_global_size(0)) {
		int place = 0;
		for (int other = 0; other < count; other++)
			place += compare(kept + other * size, kept + k * size, size) < 0;
		for (int item = 0; item < size; item++)
			frequent[place * size + item] = kept[k * size + item];
		supports[place] = kept_supports[k];
	}
}
