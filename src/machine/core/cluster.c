/* Clusters: what a group knows of the others, and the barrier of all their threads: barrier.cluster.arrive and .wait.
 *
 * Nothing waits for threads that have ended.  The waiting warps of a group are at its barrier of number
 * CLUSTER_BARRIER. */
#include "machine/core/cluster.h"

#include "machine/core/barrier.h"
#include "machine/core/executors.h"
#include "machine/core/fault.h"
#include "machine/core/fence.h"
#include "machine/core/observer.h"
#include "machine/core/path.h"
#include "machine/state/machine.h"

#include <assert.h>
#include <string.h>

/* ---- The groups ---- */

/* A core's, one for each place of a group, made when it first has one of a cluster. */
static struct group_cluster *state_of(const struct machine *machine, struct core *core, const struct group *group)
{
	assert(group >= core->groups.at);
	assert(group < core->groups.at + core->groups.count);
	if (!core->groups.clusters)
		core->groups.clusters =
			arena_new_array(&machine->cores.arenas[core->index], struct group_cluster, core->groups.count);
	return &core->groups.clusters[group - core->groups.at];
}

void cluster_begin(
	const struct machine *machine, struct core *const *cores, struct group *const *groups, uint32_t count)
{
	struct cluster_member members[CLUSTER_GROUPS];

	assert(count <= CLUSTER_GROUPS);
	for (uint32_t k = 0; k < count; k++)
		members[k] = (struct cluster_member){.core = (uint16_t)cores[k]->index,
			.place = (uint8_t)(groups[k] - cores[k]->groups.at),
			.number = groups[k]->number};
	for (uint32_t k = 0; k < count; k++) {
		struct group_cluster *cluster = state_of(machine, cores[k], groups[k]);

		*cluster = (struct group_cluster){.size = count, .rank = k};
		memcpy(cluster->members, members, count * sizeof *members);
		groups[k]->cluster = cluster;
	}
}

static struct group *group_at(const struct core *core, uint32_t place, uint64_t launch, uint32_t number)
{
	struct group *group = &core->groups.at[place];

	assert(place < core->groups.count);
	return group->used && group->launch == launch && group->number == number ? group : NULL;
}

struct group *cluster_group(const struct machine *machine, const struct group *of, uint32_t rank, struct core **core)
{
	const struct cluster_member *member = &of->cluster->members[rank];

	assert(rank < of->cluster->size);
	*core = &machine->cores.at[member->core];
	return group_at(*core, member->place, of->launch, member->number);
}

/* ---- The barrier ---- */

/* What MESSAGE_CLUSTER says. */
struct cluster_news {
	uint64_t launch;
	uint32_t number; /* of the receiving group */
	uint8_t place;
	uint8_t rank; /* of the sending group */
	uint8_t parity;
	uint8_t left; /* 1: it has ended; 0: it has come, in a phase of this parity */
};

_Static_assert(sizeof(struct cluster_news) % 8 == 0, "a message's payload");

static void end_phases(struct core *core, struct group *group, uint64_t at);

/* barrier.cluster.wait is an acquire. */
static const struct l1_fence acquire = {.scope = L1_SCOPE_WIDE};

static void hear(struct core *core, const struct cluster_news *news)
{
	struct group *group = group_at(core, news->place, news->launch, news->number);
	uint32_t bit = 1u << news->rank;

	assert(news->rank < CLUSTER_GROUPS);
	assert(news->parity < 2);
	if (!group)
		return;
	if (news->left)
		group->cluster->left |= bit;
	else
		group->cluster->arrived[news->parity] |= bit;
	end_phases(core, group, core->now);
}

void cluster_receive(struct core *core, const struct message *m)
{
	hear(core, message_payload(m));
}

static void send(struct core *core, uint32_t to, const struct cluster_news *news)
{
	struct message *m = outbox_write(core->outbox, sizeof *news);

	assert(to < core->machine->cores.count); /* also this core, where members share it */
	memcpy(message_payload(m), news, sizeof *news);
	m->payload_bytes = sizeof *news;
	m->source = (uint16_t)core->index;
	m->destination = (uint16_t)to;
	m->kind = MESSAGE_CLUSTER;
	m->data_bytes = 0;
	m->line = 0;
	m->token = 0;
	m->time = core->now + core->machine->model->cluster_barrier;
	outbox_post(core->outbox, to, m);
}

/* Tells all other groups. */
static void tell(struct core *core, const struct group *group, bool left)
{
	const struct group_cluster *cluster = group->cluster;

	assert(cluster->size <= CLUSTER_GROUPS);
	assert(cluster->rank < cluster->size);
	for (uint32_t k = 0; k < cluster->size; k++) {
		const struct cluster_member *member = &cluster->members[k];
		struct cluster_news news = {.launch = group->launch,
			.number = member->number,
			.place = member->place,
			.rank = (uint8_t)cluster->rank,
			.parity = cluster->phase & 1,
			.left = left};

		if (k == cluster->rank)
			continue;
		if (core->machine->mode->at_once)
			hear(&core->machine->cores.at[member->core], &news);
		else
			send(core, member->core, &news);
	}
}

/* All threads of the group that have not ended have come. */
static bool is_complete(const struct core *core, const struct group *group)
{
	const struct group_cluster *cluster = group->cluster;
	bool any = false;

	assert(group->used);
	assert(cluster);
	for (uint64_t m = group->slots; m; m &= m - 1) {
		uint32_t slot = (uint32_t)__builtin_ctzll(m);

		if (core->slots[slot].warp.live & ~cluster->came[slot])
			return false;
		any |= core->slots[slot].warp.live != 0;
	}
	return any;
}

static bool is_over(const struct group_cluster *cluster)
{
	assert(cluster->size);
	assert(cluster->size <= CLUSTER_GROUPS);
	return (cluster->arrived[cluster->phase & 1] | cluster->left) == (1u << cluster->size) - 1;
}

static void end_phase(struct core *core, struct group *group, uint64_t at)
{
	struct group_cluster *cluster = group->cluster;

	assert(cluster->rank < cluster->size);
	cluster->arrived[cluster->phase++ & 1] = 0;
	for (uint64_t m = group->slots; m; m &= m - 1) {
		struct warp_slot *r = &core->slots[__builtin_ctzll(m)];
		lane_mask waiting = r->waiting_lanes[CLUSTER_BARRIER];

		cluster->passed[core_slot(core, r)] |= cluster->came[core_slot(core, r)] & ~waiting;
		cluster->came[core_slot(core, r)] = 0;
		if (waiting)
			observe_cluster_over(core, r, waiting, cluster->phase - 1);
	}
	cluster->over_at = at;
	if (group->barriers[CLUSTER_BARRIER].waiting)
		fence_acquire(core, &acquire);
	barrier_open_at(core, group, CLUSTER_BARRIER, at);
}

/* The barrier opens when all groups have come, this one among them: so once, as its threads then have to come again.
 * Its warps go on at cycle `at`. */
static void end_phases(struct core *core, struct group *group, uint64_t at)
{
	const struct group_cluster *cluster = group->cluster;

	assert(at >= core->now);
	if (cluster->left >> cluster->rank & 1 || !(cluster->arrived[cluster->phase & 1] >> cluster->rank & 1))
		return;
	if (is_over(cluster))
		end_phase(core, group, at);
}

/* The group's own news is as long on its way to itself as to the others. */
static void look(struct core *core, struct group *group)
{
	struct group_cluster *cluster = group->cluster;
	uint32_t own = 1u << cluster->rank, *arrived = &cluster->arrived[cluster->phase & 1];

	if (*arrived & own || !is_complete(core, group))
		return;
	*arrived |= own;
	assert(!(cluster->left & own));
	tell(core, group, false);
	end_phases(core, group, core->now + core->machine->time.delays.cluster_barrier);
}

void cluster_lanes_exited(struct core *core, struct group *group)
{
	assert(group->cluster);
	if (group->live_warps) {
		look(core, group);
		return;
	}
	group->cluster->left |= 1u << group->cluster->rank;
	tell(core, group, true);
}

void cluster_open(const struct machine *machine, const struct group *group)
{
	assert(group->used);
	assert(group->cluster);
	for (uint32_t k = 0; k < group->cluster->size; k++) {
		struct core *core;
		struct group *member = cluster_group(machine, group, k, &core);

		if (member)
			end_phase(core, member, core->now);
	}
}

bool cluster_has_come(const struct core *core, const struct warp_slot *r, uint32_t lane)
{
	assert(lane < CORE_WARPS);
	return r->group->cluster && r->group->cluster->came[core_slot(core, r)] >> lane & 1;
}

bool cluster_is_same(const struct group *a, const struct group *b)
{
	return a == b || (a->cluster && b->cluster && a->launch == b->launch &&
				 a->cluster->members[0].number == b->cluster->members[0].number);
}

static void arrive(struct core *core, struct warp_slot *r, const struct insn *i, lane_mask lanes)
{
	struct group *group = r->group;
	struct group_cluster *cluster = group->cluster;
	uint32_t slot = core_slot(core, r);
	lane_mask again = lanes & (cluster->came[slot] | cluster->passed[slot]);

	assert(cluster);
	assert(lanes);
	if (again) {
		core_fault(core, r, i, (uint32_t)__builtin_ctzll(again), FAULT_barrier,
			"a thread arrives at the cluster's barrier twice, with no barrier.cluster.wait between");
		return;
	}
	group->barriers_used |= 1u << CLUSTER_BARRIER;
	core->counters.barrier_arrivals++;
	cluster->came[slot] |= lanes;
	observe_arrives(core, r, CLUSTER_BARRIER, lanes, false);
	observe_cluster_arrives(core, r, lanes, cluster->phase, i->modifiers.order == order_RELAXED);
	control_advance(core, r);
	look(core, group);
}

static void wait(struct core *core, struct warp_slot *r, const struct insn *i, lane_mask lanes)
{
	struct group *group = r->group;
	struct group_cluster *cluster = group->cluster;
	struct barrier *b = &group->barriers[CLUSTER_BARRIER];
	uint32_t slot = core_slot(core, r);
	lane_mask lost = lanes & ~(cluster->came[slot] | cluster->passed[slot]);

	assert(cluster);
	assert(lanes);
	if (lost) {
		core_fault(core, r, i, (uint32_t)__builtin_ctzll(lost), FAULT_barrier,
			"a thread waits at the cluster's barrier and has not arrived there");
		return;
	}
	if (!(lanes & cluster->came[slot])) {
		cluster->passed[slot] &= ~lanes;
		observe_cluster_over(core, r, lanes, cluster->phase - 1);
		fence_acquire(core, &acquire);
		r->hold_until = cluster->over_at > core->now ? cluster->over_at : r->hold_until;
		control_advance(core, r);
		return;
	}
	assert(!(lanes & cluster->passed[slot]));
	b->arrived++; /* it is never full by itself */
	b->expected = UINT32_MAX;
	barrier_wait(core, r, i, CLUSTER_BARRIER);
}

/* A cluster of one group: its barrier is that of the group, which `look` opens at once; it is made when the first of
 * its threads comes. */
static void ensure(struct core *core, struct group *group)
{
	if (!group->cluster)
		cluster_begin(core->machine, &core, &group, 1);
}

void cluster_execute(struct core *core, struct warp_slot *r, const struct insn *i, lane_mask lanes)
{
	bool waits = i->op == OP_cluster_wait;

	assert(lanes && (lanes & ~r->warp.live) == 0);
	ensure(core, r->group);
	if (!waits && i->modifiers.order != order_RELAXED && !fence_release_whole(core, r))
		return;
	if (waits)
		wait(core, r, i, lanes);
	else
		arrive(core, r, i, lanes);
}
