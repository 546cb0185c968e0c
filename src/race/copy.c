/* Asynchronous copies, the mbarriers that are told of their end, and the fence between the proxies.
 *
 * A copy is performed as if by a thread of its own, which knows what the thread knew that began it, and which others
 * know only by the copy's completion.  So it has a number, as threads have, after those of its group's threads: 1 *
 * lanes + t   cp.async of thread t, source and destination: groups end in order, so an epoch is enough 2 * lanes + t
 * cp.async.bulk with groups, of thread t: its reads of the source 3 * lanes + t   ... and its writes 4 * lanes + t
 * wgmma of the warp whose first thread is t: its reads of shared memory 5 * lanes + k cp.async.bulk that completes on
 * the group's mbarrier k, in order of first use; if there are more, several share a number, and a wait for one of them
 * counts for some of the others with lanes = launch->group_lanes; under a
 * reconvergence stack, a strand has the copies of its lanes.  The epoch of a copy counts those of its strand, from 1
 * on. */
#include "race/parts.h"

#include <assert.h>

#define REGION_ASYNC 1
#define REGION_BULK_SOURCE 2
#define REGION_BULK 3
#define REGION_MATRICES 4
#define REGION_OBJECTS 5
#define REGIONS 8 /* a power of two, so that groups are branches of clocks */

uint32_t copy_numbers(const struct kernel *kernel, uint32_t threads)
{
	assert(threads);
	assert((threads & (threads - 1)) == 0);
	for (uint32_t pc = 0; pc < kernel->code_count; pc++)
		if (insn_kinds[kernel->code[pc].kind].flags & KIND_ASYNC || kernel->code[pc].kind == INSN_WARPGROUP)
			return REGIONS * threads;
	return threads;
}

/* ---- What is kept ---- */

static struct strand_copies *copies_of(struct races *races, struct race_warp *warp, uint32_t strand)
{
	assert(strand < warp->group->strands);
	if (!warp->copies)
		warp->copies = arena_new_array(races->arena, struct strand_copies, warp->group->strands);
	return &warp->copies[strand];
}

/* The group's, or its cluster's. */
static struct objects *objects_of(struct race_group *group)
{
	return group->cluster ? &group->cluster->objects : &group->objects;
}

/* The object's number among those of the group or cluster. */
static uint32_t object_number(struct races *races, struct race_group *group, uint64_t offset)
{
	struct objects *objects = objects_of(group);
	uint32_t k = 0;

	while (k < objects->list.count && objects->list.at[k].offset != offset)
		k++;
	if (k == objects->list.count)
		vector_push(races->arena, &objects->list)->offset = offset;
	return k;
}

static struct object *object_at(struct races *races, struct race_group *group, uint64_t offset)
{
	uint32_t number = object_number(races, group, offset);

	return &objects_of(group)->list.at[number];
}

static void forget_object(struct races *races, struct object *o)
{
	knowledge_forget(&races->clocks, &o->pending);
	knowledge_forget(&races->clocks, &o->over);
	knowledge_forget(&races->clocks, &o->relaxed_pending);
	knowledge_forget(&races->clocks, &o->relaxed);
	assert(!o->relaxed.count);
}

void copy_forget_objects(struct races *races, struct objects *objects)
{
	for (uint32_t k = 0; k < objects->list.count; k++) {
		forget_object(races, &objects->list.at[k]);
	}
	objects->list.count = 0;
}

void copy_end_group(struct races *races, struct race_group *group)
{
	for (uint32_t w = 0; w < group->launch->warps; w++)
		for (uint32_t k = 0; group->warp[w].copies && k < group->strands; k++) {
			clock_drop(&races->clocks, group->warp[w].copies[k].proxied[0]);
			clock_drop(&races->clocks, group->warp[w].copies[k].proxied[1]);
			group->warp[w].copies[k] = (struct strand_copies){0};
		}
	assert(!group->cluster || !group->objects.list.count);
	copy_forget_objects(races, &group->objects);
	group->copied.count = group->flights.count = 0;
}

/* ---- Copies ---- */

static uint32_t thread_in(const struct race_warp *warp, uint32_t region, uint32_t lane)
{
	assert(region);
	assert(region < REGION_OBJECTS);
	assert(lane < warp->group->launch->lanes);
	return warp->first + region * warp->group->launch->group_lanes + lane;
}

/* Which of the group's threads that copy for objects has this one. */
static uint32_t which_copies(struct races *races, struct race_group *group, uint64_t offset)
{
	uint32_t most = (REGIONS - REGION_OBJECTS) * group->launch->group_lanes >> group->launch->shift;

	assert(most);
	return object_number(races, group, offset) % most;
}

/* The number of that thread. */
static uint32_t thread_for(struct races *races, struct race_group *group, uint64_t offset)
{
	uint32_t k = which_copies(races, group, offset);

	assert(group->launch->group_stride > REGION_OBJECTS * group->launch->group_lanes);
	return group->first + REGION_OBJECTS * group->launch->group_lanes + (k << group->launch->shift);
}

/* The same, and its next epoch. */
static uint32_t thread_of_object(struct races *races, struct race_group *group, uint64_t offset, uint32_t *epoch)
{
	uint32_t k = which_copies(races, group, offset);

	assert(epoch);
	while (group->copied.count <= k)
		*vector_push(races->arena, &group->copied) = 0;
	*epoch = ++group->copied.at[k];
	return thread_for(races, group, offset);
}

static void fly(
	struct races *races, struct race_warp *warp, uint32_t lane, uint32_t token, uint32_t thread, uint32_t epoch)
{
	assert(thread - warp->group->first < warp->group->launch->group_stride);
	*vector_push(races->arena, &warp->group->flights) = (struct flight){
		.token = token, .lane = lane, .strand = strand_number(warp->group->launch, thread), .epoch = epoch};
}

static void copy_block(struct races *races, struct race_warp *warp, const struct race_copy *copy, bool source,
	uint32_t thread, uint32_t epoch)
{
	uint16_t number = judge_block_site(races, warp->group->launch, copy->pc, source, source ? 0 : copy->element);
	struct record record = {.thread = thread,
		.epoch = epoch,
		.site = number,
		.value = (uint16_t)(warp->first + copy->lane - warp->group->first)};

	assert(thread - warp->group->first < warp->group->launch->group_stride);
	assert(epoch);
	if (!number)
		return;
	races->sites.at[number].is_bulk = copy->is_bulk;
	races->sites.at[number].by = copy->by;
	judge_block(races, warp, copy->lane, &record, source ? copy->from_space : copy->to_space,
		source ? copy->from : copy->to, source ? copy->read : copy->written);
}

/* The epoch of a copy that is under way, of which this is another piece; 0: none is. */
static uint32_t epoch_under_way(const struct race_group *group, const struct race_copy *copy)
{
	assert(copy->by == RACE_BY_OBJECT);
	for (uint32_t k = group->flights.count; k--;)
		if (group->flights.at[k].token == copy->token && group->flights.at[k].lane == copy->lane)
			return group->flights.at[k].epoch;
	return 0;
}

/* The thread that copies for the object, and the copy's epoch. */
static uint32_t copy_for_object(
	struct races *races, struct race_warp *warp, const struct race_copy *copy, uint32_t *epoch)
{
	uint32_t known = epoch_under_way(warp->group, copy), thread;

	assert(copy->by == RACE_BY_OBJECT);
	if (known) {
		*epoch = known;
		return thread_for(races, warp->group, copy->object);
	}
	thread = thread_of_object(races, warp->group, copy->object, epoch);
	fly(races, warp, copy->lane, copy->token, thread, *epoch);
	return thread;
}

void races_copy(struct races *races, struct race_warp *warp, const struct race_copy *copy)
{
	uint32_t strand = copy->lane >> warp->group->launch->shift, epoch, reader, writer;
	struct strand_copies *copies = copies_of(races, warp, strand);

	assert(warp->group->launch->group_stride > warp->group->launch->group_lanes);
	if (copy->by == RACE_BY_OBJECT) {
		reader = writer = copy_for_object(races, warp, copy, &epoch);
	} else if (copy->by == RACE_BY_BULK_GROUP) {
		epoch = ++copies->begun[1];
		reader = thread_in(warp, REGION_BULK_SOURCE, copy->lane);
		writer = thread_in(warp, REGION_BULK, copy->lane);
	} else if (copy->by == RACE_BY_MATRICES) {
		epoch = ++copies->begun[COPY_MATRICES];
		reader = writer = thread_in(warp, REGION_MATRICES, copy->lane);
	} else {
		epoch = ++copies->begun[0];
		reader = writer = thread_in(warp, REGION_ASYNC, copy->lane);
	}
	copy_block(races, warp, copy, true, reader, epoch);
	if (copy->by != RACE_BY_MATRICES)
		copy_block(races, warp, copy, false, writer, epoch);
}

/* ---- Groups ---- */

static void commit(struct strand_copies *copies, uint32_t kind)
{
	assert(kind < COPY_KINDS);
	assert(copies->commits[kind][copies->groups[kind] % COPY_GROUPS] <= copies->begun[kind]);
	copies->commits[kind][copies->groups[kind]++ % COPY_GROUPS] = copies->begun[kind];
}

void races_commit(struct races *races, struct race_warp *warp, lane_mask lanes, bool bulk)
{
	EACH_LANE(k, order_strands(warp, lanes))
		commit(copies_of(races, warp, (uint32_t)k), bulk);
}

/* What follows from the end of a strand's copies up to `epoch`: that, and nothing else. */
static struct known known_of(struct races *races, uint32_t strand, uint32_t epoch)
{
	return (struct known){.clock = clock_set(&races->clocks, CLOCK_NOTHING, strand, 1, epoch)};
}

/* The lane knows that what such a thread has copied is over. */
static void learn_thread(struct races *races, struct race_warp *warp, uint32_t lane, uint32_t thread, uint32_t epoch)
{
	uint32_t strand = strand_number(warp->group->launch, thread);
	struct known known = known_of(races, strand, epoch);
	const struct knowledge what = {.count = 1, .one = known};

	assert(epoch);
	order_get(races, warp, lane, &what);
	known_forget(&races->clocks, &known);
}

/* It knows that copies of its own are over. */
static void learn_copies(struct races *races, struct race_warp *warp, uint32_t lane, uint32_t region, uint32_t epoch)
{
	learn_thread(races, warp, lane, thread_in(warp, region, lane), epoch);
}

void races_wait(struct races *races, struct race_warp *warp, lane_mask lanes, bool bulk, bool read, uint32_t pending)
{
	EACH_LANE(k, order_strands(warp, lanes)) {
		const struct strand_copies *copies = copies_of(races, warp, (uint32_t)k);
		uint32_t lane = (uint32_t)k << warp->group->launch->shift, epoch, groups = copies->groups[bulk];
		uint32_t left = pending < COPY_GROUPS ? pending : COPY_GROUPS - 1;

		epoch = pending < groups ? copies->commits[bulk][(groups - 1 - left) % COPY_GROUPS] : 0;
		assert(epoch <= copies->begun[bulk]);
		if (!epoch)
			continue;
		if (bulk)
			learn_copies(races, warp, lane, REGION_BULK_SOURCE, epoch);
		if (!read)
			learn_copies(races, warp, lane, bulk ? REGION_BULK : REGION_ASYNC, epoch);
	}
}

/* ---- Matrices ---- */

void races_commit_matrices(struct races *races, struct race_warp *warp)
{
	assert(warp->strands);
	commit(copies_of(races, warp, 0), COPY_MATRICES);
}

/* The warps of a warpgroup read together, so each of them knows of all. */
void races_wait_matrices(struct races *races, struct race_warp *warp, lane_mask lanes, uint32_t warps, uint32_t count)
{
	struct race_group *group = warp->group;
	uint32_t first = (uint32_t)(warp - group->warp) / warps * warps;

	assert(count && warps);
	for (uint32_t w = first; w < first + warps && w < group->launch->warps; w++) {
		const struct strand_copies *copies = group->warp[w].copies;
		uint32_t epoch;

		if (!copies || copies[0].groups[COPY_MATRICES] < count)
			continue;
		epoch = copies[0].commits[COPY_MATRICES][(count - 1) % COPY_GROUPS];
		EACH_LANE(k, epoch ? order_strands(warp, lanes) : 0)
			learn_thread(races, warp, (uint32_t)k << group->launch->shift,
				thread_in(&group->warp[w], REGION_MATRICES, 0), epoch);
	}
}

/* ---- mbarriers ---- */

void races_object(struct races *races, struct race_warp *warp, lane_mask lanes, const uint64_t *object)
{
	EACH_LANE(l, lanes) {
		struct object *o = object_at(races, warp->group, object[l]);

		forget_object(races, o);
		*o = (struct object){.offset = o->offset};
	}
}

void races_arrive_at(
	struct races *races, struct race_warp *warp, lane_mask lanes, enum race_arrival how, const uint64_t *object)
{
	EACH_LANE(l, lanes) {
		struct object *o = object_at(races, warp->group, object[l]);
		struct knowledge *pending = &o->pending;

		release_arrives(warp, o);
		if (rule_is_synchronizing(how != RACE_ARRIVES))
			order_give(races, warp, (uint32_t)l, pending);
		else
			order_give_fenced(races, warp, (uint32_t)l, pending);
		if (how == RACE_ARRIVES_RELAXED)
			order_note_relaxed(races, warp, (uint32_t)l, &o->relaxed_pending);
	}
}

void races_find_over(struct races *races, struct race_warp *warp, lane_mask lanes, bool relaxed, const uint64_t *object)
{
	EACH_LANE(l, lanes) {
		uint32_t number = object_number(races, warp->group, object[l]);
		const struct object *o = &objects_of(warp->group)->list.at[number];
		const struct knowledge *over = &o->over;

		release_found(races, warp, (uint32_t)l, o, number);
		knowledge_join(&races->clocks, &strand_of(warp, (uint32_t)l)->relaxed, &o->relaxed);
		if (rule_is_synchronizing(relaxed))
			order_get(races, warp, (uint32_t)l, over);
		else
			order_observe(races, warp, (uint32_t)l, over);
	}
}

/* All that wait for the phase learn the same: one clock serves all of them. */
static void make_one(struct races *races, struct knowledge *knowledge)
{
	struct known all = KNOWN_NOTHING;

	assert(knowledge->count > 1);
	EACH_PART(part, knowledge)
		known_join(&races->clocks, &all, part);
	known_join_long(&all);
	knowledge_forget(&races->clocks, knowledge);
	knowledge_add(&races->clocks, knowledge, &all);
	assert(knowledge->count == 1);
	known_forget(&races->clocks, &all);
}

void races_end_phase(struct races *races, struct race_group *group, uint64_t object)
{
	struct object *o = object_at(races, group, object);

	knowledge_join(&races->clocks, &o->over, &o->pending);
	knowledge_forget(&races->clocks, &o->pending);
	knowledge_join(&races->clocks, &o->relaxed, &o->relaxed_pending);
	knowledge_forget(&races->clocks, &o->relaxed_pending);
	assert(!o->pending.count);
	o->arrived[++o->done % ARRIVED_PHASES] = 0;
	if (o->over.count > 1)
		make_one(races, &o->over);
}

void races_track(struct races *races, struct race_warp *warp, uint32_t lane, uint32_t token)
{
	const struct strand_copies *copies = copies_of(races, warp, lane >> warp->group->launch->shift);

	fly(races, warp, lane, token, thread_in(warp, REGION_ASYNC, lane), copies->begun[0]);
}

void races_copied(struct races *races, struct race_group *group, uint32_t lane, uint32_t token, uint64_t object)
{
	for (uint32_t k = 0; k < group->flights.count; k++) {
		struct flight f = group->flights.at[k];
		struct known known;

		if (f.token != token || f.lane != lane)
			continue;
		known = known_of(races, f.strand, f.epoch);
		if (f.epoch)
			knowledge_add(&races->clocks, &object_at(races, group, object)->pending, &known);
		known_forget(&races->clocks, &known);
		group->flights.at[k] = group->flights.at[--group->flights.count];
		return;
	}
}

/* ---- Proxies ---- */

void races_proxy_fence(struct races *races, struct race_warp *warp, lane_mask lanes, bool global, bool shared)
{
	const bool of[2] = {shared, global};

	EACH_LANE(k, order_strands(warp, lanes)) {
		struct strand *u = &warp->strand[k];
		struct strand_copies *copies = copies_of(races, warp, (uint32_t)k);

		for (uint32_t space = 0; space < 2; space++) {
			if (!of[space])
				continue;
			clock_drop(&races->clocks, copies->proxied[space]);
			copies->proxied[space] = clock_set(
				&races->clocks, clock_keep(u->knows.clock), order_number(warp, u), 1, u->epoch);
		}
		u->epoch++;
	}
}

/* Any thread's fence counts, even one that is not on the way from the access to the copy. */
bool copy_is_proxied(const struct races *races, const struct race_warp *warp, const struct record *y, uint8_t space)
{
	const struct race_group *group = warp->group;
	uint32_t strand = strand_number(group->launch, y->thread);

	assert(y->epoch);
	for (uint32_t w = 0; w < group->launch->warps; w++) {
		const struct strand_copies *copies = group->warp[w].copies;

		for (uint32_t k = 0; copies && k < group->warp[w].strands; k++)
			if (chain_knows(races, copies[k].proxied[space == space_GLOBAL], strand, y->epoch))
				return true;
	}
	return false;
}

/* ---- Causes ---- */

static bool knows_copy(const struct races *races, const struct race_warp *warp, const struct record *y)
{
	assert(y->epoch);
	for (uint32_t k = 0; k < warp->strands; k++)
		if (chain_knows(races, warp->strand[k].knows.clock, strand_number(warp->group->launch, y->thread),
			    y->epoch))
			return true;
	return false;
}

enum found_cause copy_cause(
	const struct races *races, const struct race_warp *warp, const struct record *y, enum found_cause *detail)
{
	static const enum found_cause of[] = {[RACE_BY_GROUP] = RACE_DETAIL_GROUP,
		[RACE_BY_BULK_GROUP] = RACE_DETAIL_BULK,
		[RACE_BY_OBJECT] = RACE_DETAIL_OBJECT,
		[RACE_BY_MATRICES] = RACE_DETAIL_MATRICES};
	const struct race_group *group = warp->group;
	bool is_matrix = races->sites.at[y->site].by == RACE_BY_MATRICES;

	assert(races->sites.at[y->site].is_copy);
	if (y->thread - group->first >= group->launch->group_stride && races->sites.at[y->site].by != RACE_BY_OBJECT)
		return RACE_NO_ORDER;
	if (knows_copy(races, warp, y)) {
		*detail = is_matrix ? RACE_DETAIL_MATRICES_WAITED : RACE_DETAIL_WAITED_IN_WARP;
		return RACE_SYNCWARP;
	}
	for (uint32_t w = 0; w < group->launch->warps; w++)
		if (knows_copy(races, &group->warp[w], y)) {
			*detail = is_matrix ? RACE_DETAIL_MATRICES_WAITED : RACE_DETAIL_WAITED;
			return RACE_BARRIER;
		}
	*detail = of[races->sites.at[y->site].by];
	return RACE_NO_ORDER;
}
