/* Apriori: the sets of items that many of a database's transactions have (paper 1, Chapter 2).  The device joins
 * frequent sets to candidates, inserts those into a hash tree under the locks of its nodes, and counts how many
 * transactions have them, once for each size.  The frequent sets of every size, and how many transactions have each,
 * must be those that the host finds. */
#include "common.h"

#include "apriori/levels.h"
#include "apriori/quest.h"

#include <stdio.h>
#include <stdlib.h>

/* As in apriori.cl. */
#define LONGEST 16   /* items of a set at most */
#define NODE_WORDS 5 /* of struct node */
enum counter { NODES, CANDIDATES, FREQUENT, COUNTERS };

/* What runs on the device, and where. */
struct mine {
	struct gpu gpu;
	const char *generate; /* the kernel */
	size_t threads, group;
	int32_t transactions, minimum, room, node_room;
	cl_mem starts, items;        /* the database */
	cl_mem sets, supports, next; /* candidates */
	cl_mem nodes;
	cl_mem kept, kept_supports;         /* frequent, in no order */
	cl_mem frequent, frequent_supports; /* sorted */
	cl_mem counters;
};

static struct mine mine_open(const struct database *database, const char *build, int32_t room, int32_t node_room)
{
	struct mine mine = {.transactions = (int32_t)database->transactions, .room = room, .node_room = node_room};
	size_t words = (size_t)room * LONGEST;
	mine.gpu = gpu_open("apriori.cl", build);
	mine.starts = gpu_buffer(&mine.gpu, (database->transactions + 1) * 4, database->starts);
	mine.items = gpu_buffer(&mine.gpu, database->starts[database->transactions] * 4, database->items);
	mine.sets = gpu_filled(&mine.gpu, words, 0);
	mine.supports = gpu_filled(&mine.gpu, (size_t)room, 0);
	mine.next = gpu_filled(&mine.gpu, (size_t)room, 0);
	mine.nodes = gpu_filled(&mine.gpu, (size_t)node_room * NODE_WORDS, 0);
	mine.kept = gpu_filled(&mine.gpu, words, 0);
	mine.kept_supports = gpu_filled(&mine.gpu, (size_t)room, 0);
	mine.frequent = gpu_filled(&mine.gpu, words, 0);
	mine.frequent_supports = gpu_filled(&mine.gpu, (size_t)room, 0);
	mine.counters = gpu_filled(&mine.gpu, COUNTERS, 0);
	return mine;
}

static void mine_close(struct mine *mine)
{
	cl_mem all[] = {mine->starts, mine->items, mine->sets, mine->supports, mine->next, mine->nodes, mine->kept,
		mine->kept_supports, mine->frequent, mine->frequent_supports, mine->counters};
	for (size_t k = 0; k < COUNT(all); k++)
		gpu_free(all[k]);
	gpu_close(&mine->gpu);
}

#define MINE(mine, kernel, ...) GPU_LAUNCH(&(mine)->gpu, kernel, (mine)->threads, (mine)->group, __VA_ARGS__)

static int32_t read_counter(const struct mine *mine, enum counter which)
{
	int32_t counters[COUNTERS];
	gpu_read(&mine->gpu, mine->counters, sizeof counters, counters);
	return counters[which];
}

static void begin(const struct mine *mine)
{
	GPU_LAUNCH(&mine->gpu, "begin", 1, 1, ARGUMENT(mine->counters), ARGUMENT(mine->nodes));
}

/* Of `count` candidates; how many are frequent. */
static int32_t keep(const struct mine *mine, cl_mem sets, cl_mem supports, int32_t count, int32_t size)
{
	MINE(mine, "keep", ARGUMENT(sets), ARGUMENT(supports), ARGUMENT(count), ARGUMENT(size), ARGUMENT(mine->minimum),
		ARGUMENT(mine->kept), ARGUMENT(mine->kept_supports), ARGUMENT(mine->counters));
	int32_t kept = read_counter(mine, FREQUENT);
	MINE(mine, "rank", ARGUMENT(mine->kept), ARGUMENT(mine->kept_supports), ARGUMENT(kept), ARGUMENT(size),
		ARGUMENT(mine->frequent), ARGUMENT(mine->frequent_supports));
	return kept;
}

/* Sets of one item: each is a candidate.  How many are frequent. */
static int32_t mine_first(const struct mine *mine, int32_t items)
{
	int32_t *each = allocate((size_t)items, sizeof *each), one = 1;
	for (int32_t k = 0; k < items; k++)
		each[k] = k;
	cl_mem sets = gpu_buffer(&mine->gpu, (size_t)items * sizeof *each, each),
	       supports = gpu_filled(&mine->gpu, (size_t)items, 0);
	begin(mine);
	MINE(mine, "count_items", ARGUMENT(mine->starts), ARGUMENT(mine->items), ARGUMENT(mine->transactions),
		ARGUMENT(supports));
	int32_t frequent = keep(mine, sets, supports, items, one);
	free(each);
	gpu_free(sets);
	gpu_free(supports);
	return frequent;
}

/* Candidates of `size` items from `count` frequent sets of one less, in the hash tree; how many. */
static int32_t generate(const struct mine *mine, int32_t count, int32_t size)
{
	begin(mine);
	MINE(mine, mine->generate, ARGUMENT(mine->frequent), ARGUMENT(count), ARGUMENT(mine->sets),
		ARGUMENT(mine->supports), ARGUMENT(mine->nodes), ARGUMENT(mine->next), ARGUMENT(mine->counters),
		ARGUMENT(size), ARGUMENT(mine->room), ARGUMENT(mine->node_room));
	int32_t candidates = read_counter(mine, CANDIDATES), nodes = read_counter(mine, NODES);
	if (candidates > mine->room)
		fail("size %d: %d candidates, more than --room %d", size, candidates, mine->room);
	if (nodes > mine->node_room)
		fail("size %d: the hash tree has more than %d nodes", size, mine->node_room);
	return candidates;
}

/* How many of the candidates are frequent. */
static int32_t count_support(const struct mine *mine, int32_t candidates, int32_t size)
{
	MINE(mine, "count_support", ARGUMENT(mine->starts), ARGUMENT(mine->items), ARGUMENT(mine->transactions),
		ARGUMENT(mine->sets), ARGUMENT(mine->supports), ARGUMENT(mine->nodes), ARGUMENT(mine->next),
		ARGUMENT(size));
	return keep(mine, mine->sets, mine->supports, candidates, size);
}

/* What the device found of this size must be the level. */
static void check(const struct mine *mine, int32_t count, const struct level *level)
{
	size_t words = (size_t)count * level->size;
	if (count != (int32_t)level->count)
		fail("%d sets of %u items are frequent, not %d", (int)level->count, level->size, count);
	uint32_t *items = allocate(words, sizeof *items), *supports = allocate((size_t)count, sizeof *supports);
	if (count) {
		gpu_read(&mine->gpu, mine->frequent, words * sizeof *items, items);
		gpu_read(&mine->gpu, mine->frequent_supports, (size_t)count * sizeof *supports, supports);
	}
	for (size_t k = 0; k < words; k++)
		if (items[k] != level->items[k])
			fail("frequent set %zu of %u items has item %u, not %u", k / level->size, level->size, items[k],
				level->items[k]);
	for (int32_t k = 0; k < count; k++)
		if (supports[k] != level->supports[k])
			fail("%u transactions have frequent set %d of %u items, not %u", level->supports[k], k,
				level->size, supports[k]);
	free(items);
	free(supports);
}

/* Until there is one frequent set, or no candidate. */
static void mine_all(const struct mine *mine, const struct database *database)
{
	struct level level = level_first(database, (uint32_t)mine->minimum);
	int32_t count = mine_first(mine, (int32_t)database->items_known), candidates = 1;
	check(mine, count, &level);
	while (count > 1 && candidates) {
		struct level next = level_next(database, (uint32_t)mine->minimum, &level);
		level_free(&level);
		level = next;
		if (level.size > LONGEST)
			fail("sets of more than %d items are frequent; raise --support", LONGEST);
		candidates = generate(mine, count, (int32_t)level.size);
		count = candidates ? count_support(mine, candidates, (int32_t)level.size) : 0;
		printf("size %u: %d candidates, %d frequent\n", level.size, candidates, count);
		check(mine, count, &level);
	}
	level_free(&level);
}

int main(int argc, char **argv)
{
	static const char *const words[] = {"atomics", "locks", "race", NULL};
	static const char *const kernels[] = {"generate_atomics", "generate_locks", "generate_race"};
	/* Paper 1 names no database, but for its lock requests 0.006 MB of 8 bytes each (Table 7.1): some 790; the
	 * paper size has 834. */
	struct number numbers[] = {
		{"transactions", "of the database", 128, 1024, 1, 1 << 24, 0},
		{"length", "of a transaction on average", 6, 8, 1, 1000, 0},
		{"items", "that there are", 40, 100, 2, 1 << 20, 0},
		{"patterns", "of items that are bought together", 40, 60, 1, 1 << 20, 0},
		{"pattern", "items of a pattern on average", 3, 3, 1, 1000, 0},
		{"correlation", "of a pattern with the one before, in percent", 50, 50, 0, 100, 0},
		{"support", "transactions in a thousand that have a frequent set", 80, 120, 1, 1000, 0},
		{"threshold", "candidates of a leaf", 8, 8, 1, 1 << 20, 0},
		{"fanout", "nodes below a node", 8, 8, 2, 64, 0},
		{"room", "candidates of one size", 4096, 16384, 1, 1 << 20, 0},
		{"threads", "of each kernel", 1024, 3840, 1, 1 << 20, 0},
		{"group", "threads of a work-group", 128, 128, 1, 1024, 0},
	};
	struct choice sync = {"sync", "spin locks of atomics, lock instructions, or a race left in", words, 0};
	uint64_t random = options_read_choice(argc, argv, "sets of items that many transactions have, by a hash tree",
		numbers, COUNT(numbers), &sync);
	struct quest quest = {(uint32_t)numbers[0].value, (uint32_t)numbers[1].value, (uint32_t)numbers[4].value,
		(uint32_t)numbers[3].value, (uint32_t)numbers[2].value, (double)numbers[5].value / 100};
	size_t threads = (size_t)numbers[10].value, group = (size_t)numbers[11].value;
	if (threads % group)
		options_refuse("--threads %zu: expected a multiple of --group %zu", threads, group);
	if (quest.items > numbers[9].value)
		options_refuse("--items %u: expected at most --room %d", quest.items, (int)numbers[9].value);

	struct database database = quest_draw(&quest, random);
	char build[128];
	snprintf(build, sizeof build, "-DTHRESHOLD=%d -DFANOUT=%d -DLONGEST=%d", (int)numbers[7].value,
		(int)numbers[8].value, LONGEST);
	int32_t room = (int32_t)numbers[9].value;
	struct mine mine = mine_open(&database, build, room, 1 + room * 2 * (int32_t)numbers[8].value);
	mine.generate = kernels[sync.value];
	mine.threads = threads;
	mine.group = group;
	mine.minimum = (int32_t)((quest.transactions * (uint64_t)numbers[6].value + 999) / 1000);
	mine_all(&mine, &database);
	mine_close(&mine);
	database_free(&database);
	return pass();
}
