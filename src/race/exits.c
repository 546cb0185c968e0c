/* What still uses the shared memory of a work-group when the group ends: see exits.h.
 *
 * Clocks have an entry for each warp: how many accesses of other groups' memory it has made.  A group keeps the last
 * one of each warp to its memory, and the asynchronous operations that no wait has seen complete. */
#include "race/exits.h"

#include "race/clock.h"
#include "util/lookup.h"
#include "util/vector.h"

#include <assert.h>

struct exits_cluster {
	struct exits_group *of[EXITS_RANKS]; /* by rank; null: its threads have ended, or it has not begun */
	uint64_t key;                        /* in `clusters` */
	uint32_t running;                    /* groups, until they are gone */
	vector_clock arrived[2];             /* what those know that have come to its barrier, by the phase's parity */
	vector_clock ended;                  /* what warps knew that have ended */
	struct exits_cluster *next_free;
};

struct exits_object {
	uint64_t offset;
	vector_clock pending; /* what those know that have arrived in its present phase */
	vector_clock over;    /* and in all before */
};

enum copy_state {
	COPY_BEGUN,
	COPY_DONE, /* its mbarrier is told */
	COPY_OVER  /* and the phase, in which that was, is over */
};

struct open_copy {
	struct exits_copy copy;
	struct found_side by;
	uint8_t state; /* enum copy_state */
};

/* The last access of a warp of another group. */
struct outside {
	uint32_t warp, epoch; /* its entry in clocks */
	uint64_t offset;
	struct found_side by;
};

struct exits_warp {
	vector_clock knows;
	uint32_t epoch; /* of its last access of another group's memory */
	uint32_t waits; /* bit k: at barrier k */
};

struct exits_group {
	struct exits_shape shape;
	struct exits_cluster *cluster;
	struct exits_warp warp[EXITS_WARPS];
	uint32_t ended_warps;
	vector_clock barrier[16]; /* what those know that have come */
	vector_clock ended;       /* what warps of it knew that have ended */
	VECTOR(struct exits_object) objects;
	VECTOR(struct open_copy) copies;
	VECTOR(struct outside) outside;
	struct exits_group *next_free;
};

struct exits {
	struct found_list *found;
	struct arena *arena;
	struct clock_pool clocks;
	uint32_t running;    /* groups */
	struct lookup words; /* clocks */
	VECTOR(uint64_t) keys;
	struct lookup clusters; /* that run, by launch and number */
	struct exits_cluster *free_clusters;
	struct exits_group *free_groups;
};

/* ---- Clocks ---- */

static void drop(struct exits *exits, vector_clock *clock)
{
	assert(exits->clocks.arena);
	clock_drop(&exits->clocks, *clock);
	*clock = CLOCK_NOTHING;
}

static void add(struct exits *exits, vector_clock *into, vector_clock other)
{
	assert(exits->clocks.arena);
	*into = clock_join(&exits->clocks, *into, other);
}

static uint32_t entry_of(const struct exits_group *group, uint32_t warp)
{
	assert(warp < group->shape.warps);
	return group->shape.number * EXITS_WARPS + warp;
}

/* What the warp knows, its own accesses among that: it is in its clock once it has made some. */
static vector_clock known_to(const struct exits_at *at)
{
	assert(at->warp < at->group->shape.warps);
	return at->group->warp[at->warp].knows;
}

static void learn(struct exits *exits, const struct exits_at *at, vector_clock clock)
{
	assert(at->warp < at->group->shape.warps);
	add(exits, &at->group->warp[at->warp].knows, clock);
}

/* ---- Groups ---- */

static struct exits_cluster *cluster_of(struct exits *exits, const struct exits_shape *shape)
{
	uint64_t key = shape->launch << 32 | shape->cluster, *of = lookup_at(exits->arena, &exits->clusters, key);
	struct exits_cluster *cluster = (struct exits_cluster *)(uintptr_t)*of;

	if (cluster)
		return cluster;
	cluster = exits->free_clusters;
	if (cluster)
		exits->free_clusters = cluster->next_free;
	else
		cluster = arena_new(exits->arena, struct exits_cluster);
	*cluster = (struct exits_cluster){.key = key};
	*of = (uintptr_t)cluster;
	assert(!cluster->running);
	return cluster;
}

struct exits *exits_create(struct found_list *found)
{
	struct exits *exits = arena_new(found->arena, struct exits);

	assert(found->arena);
	exits->found = found;
	exits->arena = exits->clocks.arena = found->arena;
	return exits;
}

struct exits_group *exits_begin_group(struct exits *exits, const struct exits_shape *shape)
{
	struct exits_group *group = exits->free_groups;

	assert(shape->rank < shape->size && shape->size <= EXITS_RANKS);
	assert(shape->warps <= EXITS_WARPS);
	if (group)
		exits->free_groups = group->next_free;
	else
		group = arena_new(exits->arena, struct exits_group);
	group->shape = *shape;
	group->ended_warps = 0;
	group->cluster = cluster_of(exits, shape);
	for (uint32_t w = 0; w < shape->warps; w++)
		group->warp[w] = (struct exits_warp){0};
	assert(!group->cluster->of[shape->rank]);
	group->cluster->of[shape->rank] = group;
	group->cluster->running++;
	exits->running++;
	return group;
}

/* Of the cluster; null: it has ended. */
static struct exits_group *group_at(const struct exits_group *group, uint32_t rank)
{
	assert(rank < group->shape.size);
	return group->cluster->of[rank];
}

static void forget_words(struct exits *exits)
{
	for (uint32_t k = 0; k < exits->keys.count; k++)
		clock_drop(&exits->clocks, (vector_clock)lookup_get(&exits->words, exits->keys.at[k]));
	exits->keys.count = 0;
	lookup_clear(&exits->words);
	assert(!exits->words.count);
}

static void forget_cluster(struct exits *exits, struct exits_cluster *cluster)
{
	assert(!cluster->running);
	drop(exits, &cluster->arrived[0]);
	drop(exits, &cluster->arrived[1]);
	drop(exits, &cluster->ended);
	lookup_remove(&exits->clusters, cluster->key);
	cluster->next_free = exits->free_clusters;
	exits->free_clusters = cluster;
}

static void forget_group(struct exits *exits, struct exits_group *group)
{
	struct exits_cluster *cluster = group->cluster;

	assert(exits->running);
	for (uint32_t w = 0; w < group->shape.warps; w++)
		drop(exits, &group->warp[w].knows);
	for (uint32_t b = 0; b < sizeof group->barrier / sizeof *group->barrier; b++)
		drop(exits, &group->barrier[b]);
	for (uint32_t k = 0; k < group->objects.count; k++) {
		drop(exits, &group->objects.at[k].pending);
		drop(exits, &group->objects.at[k].over);
	}
	drop(exits, &group->ended);
	group->objects.count = group->copies.count = group->outside.count = 0;
	if (!--cluster->running)
		forget_cluster(exits, cluster);
	group->next_free = exits->free_groups;
	exits->free_groups = group;
	assert(cluster->of[group->shape.rank] != group);
	if (!--exits->running)
		forget_words(exits);
}

/* ---- Uses ---- */

static struct found_side side_of(const struct exits_at *at)
{
	assert(at->lanes);
	return (struct found_side){.kernel = at->group->shape.kernel,
		.pc = at->pc,
		.group = at->group->shape.number,
		.thread = at->warp * at->group->shape.lanes,
		.launch = at->group->shape.launch,
		.lanes = at->lanes};
}

void exits_access(struct exits *exits, const struct exits_at *at, uint32_t rank, uint64_t offset)
{
	struct exits_group *to = group_at(at->group, rank);
	struct exits_warp *warp = &at->group->warp[at->warp];
	uint32_t entry = entry_of(at->group, at->warp), k = 0;

	assert(rank != at->group->shape.rank);
	if (!to || warp->epoch == UINT32_MAX) /* the machine tells of a group that has ended */
		return;
	warp->knows = clock_set(&exits->clocks, warp->knows, entry, 1, ++warp->epoch);
	while (k < to->outside.count && to->outside.at[k].warp != entry)
		k++;
	if (k == to->outside.count)
		vector_push(exits->arena, &to->outside);
	to->outside.at[k] = (struct outside){.warp = entry, .epoch = warp->epoch, .offset = offset, .by = side_of(at)};
}

static struct exits_object *object_at(struct exits *exits, struct exits_group *group, uint64_t offset)
{
	struct exits_object *o;

	assert(offset % 8 == 0);
	for (uint32_t k = 0; k < group->objects.count; k++)
		if (group->objects.at[k].offset == offset)
			return &group->objects.at[k];
	o = vector_push(exits->arena, &group->objects);
	*o = (struct exits_object){.offset = offset};
	return o;
}

/* A copy that has begun and is not over; null: there is none. */
static struct open_copy *find_begun(const struct exits_group *group, uint64_t object, uint64_t token)
{
	assert(object % 8 == 0);
	for (uint32_t k = 0; k < group->copies.count; k++) {
		struct open_copy *c = &group->copies.at[k];

		if (c->state == COPY_BEGUN && c->copy.object == object && c->copy.token == token)
			return c;
	}
	return NULL;
}

void exits_copy(struct exits *exits, const struct exits_at *at, const struct exits_copy *copy)
{
	struct exits_group *to = group_at(at->group, copy->rank);

	assert(copy->object % 8 == 0);
	if (!to || find_begun(to, copy->object, copy->token)) /* another piece of it */
		return;
	*vector_push(exits->arena, &to->copies) = (struct open_copy){.copy = *copy, .by = side_of(at)};
	add(exits, &object_at(exits, to, copy->object)->pending, known_to(at));
}

void exits_copied(struct exits_group *group, uint64_t object, uint64_t token)
{
	struct open_copy *c = find_begun(group, object, token);

	assert(group->shape.warps);
	if (c)
		c->state = COPY_DONE;
}

/* ---- Order ---- */

void exits_arrive(struct exits *exits, const struct exits_at *at, uint32_t barrier, bool waits)
{
	assert(barrier < sizeof at->group->barrier / sizeof *at->group->barrier);
	add(exits, &at->group->barrier[barrier], known_to(at));
	at->group->warp[at->warp].waits |= (uint32_t)waits << barrier;
}

void exits_open(struct exits *exits, struct exits_group *group, uint32_t barrier)
{
	assert(barrier < sizeof group->barrier / sizeof *group->barrier);
	add(exits, &group->barrier[barrier], group->ended);
	for (uint32_t w = 0; w < group->shape.warps; w++) {
		if (!(group->warp[w].waits >> barrier & 1))
			continue;
		group->warp[w].waits &= ~(1u << barrier);
		add(exits, &group->warp[w].knows, group->barrier[barrier]);
	}
	drop(exits, &group->barrier[barrier]);
}

void exits_cluster_arrive(struct exits *exits, const struct exits_at *at, uint32_t phase)
{
	assert(at->group->cluster);
	add(exits, &at->group->cluster->arrived[phase & 1], known_to(at));
}

void exits_cluster_over(struct exits *exits, const struct exits_at *at, uint32_t phase)
{
	assert(at->group->cluster);
	learn(exits, at, at->group->cluster->arrived[phase & 1]);
	learn(exits, at, at->group->cluster->ended);
}

void exits_arrive_at(struct exits *exits, const struct exits_at *at, uint32_t rank, uint64_t object)
{
	struct exits_group *to = group_at(at->group, rank);

	assert(object % 8 == 0);
	if (to)
		add(exits, &object_at(exits, to, object)->pending, known_to(at));
}

void exits_end_phase(struct exits *exits, struct exits_group *group, uint64_t object)
{
	struct exits_object *o = object_at(exits, group, object);

	add(exits, &o->over, o->pending);
	drop(exits, &o->pending);
	for (uint32_t k = 0; k < group->copies.count; k++)
		if (group->copies.at[k].copy.object == object && group->copies.at[k].state == COPY_DONE)
			group->copies.at[k].state = COPY_OVER;
	assert(o->pending == CLOCK_NOTHING);
}

void exits_find_over(struct exits *exits, const struct exits_at *at, uint64_t object)
{
	struct exits_group *group = at->group;
	uint32_t kept = 0;

	learn(exits, at, object_at(exits, group, object)->over);
	for (uint32_t k = 0; k < group->copies.count; k++)
		if (group->copies.at[k].copy.object != object || group->copies.at[k].state != COPY_OVER)
			group->copies.at[kept++] = group->copies.at[k];
	assert(kept <= group->copies.count);
	group->copies.count = kept;
}

void exits_give(struct exits *exits, const struct exits_at *at, uint64_t word)
{
	vector_clock given = known_to(at);
	uint64_t *clock;

	assert(at->lanes);
	if (given == CLOCK_NOTHING)
		return;
	clock = lookup_at(exits->arena, &exits->words, word);
	if (!*clock)
		*vector_push(exits->arena, &exits->keys) = word;
	*clock = clock_join(&exits->clocks, (vector_clock)*clock, given);
}

void exits_get(struct exits *exits, const struct exits_at *at, uint64_t word)
{
	assert(at->lanes);
	assert(exits->keys.count == exits->words.count);
	if (exits->words.count)
		learn(exits, at, (vector_clock)lookup_get(&exits->words, word));
}

/* ---- Ends ---- */

/* The use by `by` of the group's memory at an offset is not ordered before the exit at `at`. */
static void tell(struct exits *exits, enum found_cause cause, const struct exits_at *at, const struct found_side *by,
	uint64_t offset)
{
	struct found found = {.cause = cause,
		.side = {*by, side_of(at)},
		.places = 2,
		.threads = 2,
		.space = space_SHARED,
		.address = offset,
		.has_owner = true,
		.owner = at->group->shape.number,
		.launch = at->group->shape.launch,
		.count = 1};

	assert(by->lanes);
	found_add(exits->found, &found);
}

static void judge(struct exits *exits, const struct exits_at *at)
{
	const struct exits_group *group = at->group;

	assert(group->ended_warps == group->shape.warps);
	for (uint32_t k = 0; k < group->outside.count; k++) {
		const struct outside *o = &group->outside.at[k];

		if (clock_at(group->ended, o->warp) < o->epoch)
			tell(exits, SYNC_LEFT, at, &o->by, o->offset);
	}
	for (uint32_t k = 0; k < group->copies.count; k++) {
		const struct open_copy *c = &group->copies.at[k];

		tell(exits, c->state == COPY_BEGUN ? SYNC_COPYING : SYNC_NOT_WAITED, at, &c->by, c->copy.to);
	}
	exits->found->checked += group->outside.count + group->copies.count;
}

void exits_end_warp(struct exits *exits, const struct exits_at *at)
{
	struct exits_group *group = at->group;

	assert(at->warp < group->shape.warps && group->ended_warps < group->shape.warps);
	add(exits, &group->ended, known_to(at));
	add(exits, &group->cluster->ended, known_to(at));
	if (++group->ended_warps < group->shape.warps)
		return;
	judge(exits, at);
	group->cluster->of[group->shape.rank] = NULL;
}

void exits_end_group(struct exits *exits, struct exits_group *group)
{
	assert(group->cluster->running && group->ended_warps == group->shape.warps);
	forget_group(exits, group);
}
