/* Threads that meet: at barriers, and as lanes of a warp.
 *
 * A thread shares with those that it meets what its last fence.sc passed on, and what it has observed and no fence.sc
 * has followed: all threads may fence and arrive at a barrier, and one raises the flag after it; or one sees the flag,
 * and all fence after the barrier.  These fences are ordered among each other (8.9.3, Fence-SC order), which is why
 * programs may do so.  What other fences pass on is for their own threads' writes alone (8.8, release pattern). */
#include "race/parts.h"

#include <assert.h>

void meet_close(struct races *races, struct meeting *m)
{
	if (!m->is_open)
		return;
	known_forget(&races->clocks, &m->known);
	knowledge_forget(&races->clocks, &m->relaxed);
	for (uint32_t reach = 0; reach < REACHES; reach++) {
		known_forget(&races->clocks, &m->fenced_sc[reach]);
		knowledge_forget(&races->clocks, &m->observed_sc[reach]);
	}
	m->is_open = false;
}

static void add_run(struct races *races, struct meeting *m, uint32_t first, uint32_t count, uint32_t epoch)
{
	assert(count);
	assert(epoch);
	m->known.clock = clock_set(&races->clocks, m->known.clock, first, count, epoch);
	m->known.epoch = 0; /* no thread knew that */
}

/* Adds what strands know and did, neighbours with equal epochs at once, and begins their next epoch. */
static void gather(struct races *races, struct race_warp *warp, lane_mask strands, struct meeting *m, uint32_t *latest)
{
	vector_clock last = CLOCK_NOTHING;
	uint32_t reaches = warp->group->launch->meets_sc ? warp->group->launch->reaches : 0;

	assert(strands);
	assert(m->is_open);
	EACH_LANE(k, strands) {
		struct strand *u = &warp->strand[k];

		order_note_observed(races, warp, u);
		if (u->hears)
			word_pass_on(races, warp->group, u, order_number(warp, u));
		if (u->knows.clock != last)
			known_join(&races->clocks, &m->known, &u->knows);
		last = u->knows.clock;
		for (uint32_t reach = 0; reach < reaches; reach++) {
			known_join(&races->clocks, &m->fenced_sc[reach], &u->fenced_sc[reach]);
			knowledge_join(&races->clocks, &m->observed_sc[reach], &u->observed_sc[reach]);
		}
		if (u->epoch > *latest)
			*latest = u->epoch;
	}
	for (uint32_t k = 0; k < warp->strands;) {
		uint32_t first = k, epoch = warp->strand[k].epoch;

		for (; k < warp->strands && strands >> k & 1 && warp->strand[k].epoch == epoch; k++)
			;
		if (k > first)
			add_run(races, m, order_number(warp, &warp->strand[first]), k - first, epoch);
		else
			k++;
	}
	EACH_LANE(k, strands)
		warp->strand[k].epoch++;
}

/* The strands have waited for all that met, whose epochs are no later than `latest`. */
static void go_on(
	struct races *races, struct race_warp *warp, lane_mask strands, const struct meeting *m, uint32_t latest)
{
	uint32_t reaches = warp->group->launch->meets_sc ? warp->group->launch->reaches : 0;

	assert(!strands || latest);
	EACH_LANE(k, strands) {
		struct strand *u = &warp->strand[k];

		if (latest >= u->epoch)
			u->epoch = latest + 1;
		known_become(&races->clocks, &u->knows, &m->known);
		u->knows.thread = order_number(warp, u);
		u->knows.epoch = u->epoch;
		for (uint32_t reach = 0; reach < reaches; reach++) {
			known_become(&races->clocks, &u->fenced_sc[reach], &m->fenced_sc[reach]);
			knowledge_become(&races->clocks, &u->observed_sc[reach], &m->observed_sc[reach]);
			u->fenced_sc[reach].thread = order_number(warp, u); /* what knows the next epoch has all this */
			u->fenced_sc[reach].epoch = u->epoch;
		}
	}
}

void races_together(struct races *races, struct race_warp *warp, lane_mask lanes, lane_mask members)
{
	struct meeting m = {.is_open = true};
	uint32_t latest = 0;

	assert(lanes);
	if (warp->group->launch->shift)
		return;
	if (!(lanes & ~warp->together)) { /* they have met those that left before */
		warp->together &= ~lanes;
		return;
	}
	members |= lanes;
	put_off_end(races, warp->group);
	gather(races, warp, members, &m, &latest);
	EACH_LANE(k, members) /* one epoch for all: at the next barrier they are one run */
		add_run(races, &m, order_number(warp, &warp->strand[k]), 1, latest);
	go_on(races, warp, members, &m, latest);
	meet_close(races, &m);
	warp->together = members & ~lanes;
}

/* ---- Barriers ---- */

void races_arrive(struct races *races, struct race_warp *warp, uint32_t barrier, lane_mask lanes, bool waits)
{
	struct race_barrier *b = &warp->group->barrier[barrier];

	assert(barrier < sizeof warp->group->barrier / sizeof *warp->group->barrier);
	if (!b->meeting.is_open)
		*b = (struct race_barrier){.meeting.is_open = true};
	gather(races, warp, order_strands(warp, lanes), &b->meeting, &b->latest);
	if (rule_barrier_orders(waits))
		warp->waits[barrier] |= order_strands(warp, lanes);
	else
		b->arrives_only = true;
}

static lane_mask all_strands(const struct race_warp *warp)
{
	assert(warp->strands);
	assert(warp->strands <= 64);
	return warp->strands == 64 ? ~(lane_mask)0 : ((lane_mask)1 << warp->strands) - 1;
}

void races_open(struct races *races, struct race_group *group, uint32_t barrier)
{
	struct race_barrier *b = &group->barrier[barrier];
	const struct race_launch *launch = group->launch;
	bool all = !b->arrives_only;

	assert(barrier < sizeof group->barrier / sizeof *group->barrier);
	if (!b->meeting.is_open)
		return;
	for (uint32_t k = 0; k < launch->warps; k++)
		all &= group->warp[k].waits[barrier] == all_strands(&group->warp[k]);
	if (all) { /* what the threads did to shared memory cannot race any more; asynchronous copies still can */
		put_off_forget(races, group);
		assert(!group->put_off.count);
		if (launch->group_stride == launch->group_lanes)
			shadow_clear(races, &group->shared);
		add_run(races, &b->meeting, strand_number(launch, group->first), launch->group_lanes >> launch->shift,
			b->latest);
	} else {
		put_off_end(races, group);
	}
	for (uint32_t k = 0; k < launch->warps; k++) {
		struct race_warp *warp = &group->warp[k];
		lane_mask strands = warp->waits[barrier];

		go_on(races, warp, strands, &b->meeting, b->latest);
		if (all)
			EACH_LANE(n, strands)
				warp->strand[n].floor = b->latest;
		warp->waits[barrier] = 0;
	}
	meet_close(races, &b->meeting);
}

/* ---- Barriers of clusters ----
 *
 * A thread may do more between arriving and waiting, so what it learns then is added to what it knows.  No thread
 * arrives in a phase before all waiting ones have found the last but one complete: two are kept. */

static void open_phase(struct races *races, struct race_phase *p, uint32_t phase)
{
	assert(!p->meeting.is_open || (p->phase & 1) == (phase & 1));
	if (p->meeting.is_open && p->phase == phase)
		return;
	meet_close(races, &p->meeting);
	*p = (struct race_phase){.phase = phase, .meeting.is_open = true};
}

static struct race_phase *phases_of(struct race_group *group)
{
	return group->cluster ? group->cluster->phase : group->phase;
}

/* The strands pass on what their last fence released: to the cluster, or to their own group alone. */
static void arrive_relaxed(struct races *races, struct race_warp *warp, lane_mask strands, uint32_t phase)
{
	struct race_group *group = warp->group;
	struct race_phase *near = &group->phase[phase & 1];

	assert(phases_of(group)[phase & 1].meeting.is_open);
	assert(phases_of(group)[phase & 1].phase == phase);
	open_phase(races, near, phase);
	EACH_LANE(k, strands) {
		order_note_relaxed(
			races, warp, (uint32_t)k << group->launch->shift, &phases_of(group)[phase & 1].meeting.relaxed);
		known_join(&races->clocks, &near->meeting.known, &warp->strand[k].fenced[REACH_GROUP]);
		if (group->cluster)
			known_join(&races->clocks, &group->cluster->phase[phase & 1].meeting.known,
				&warp->strand[k].fenced[REACH_CLUSTER]);
	}
}

void races_cluster_arrive(struct races *races, struct race_warp *warp, lane_mask lanes, uint32_t phase, bool relaxed)
{
	struct race_phase *p = &phases_of(warp->group)[phase & 1];
	lane_mask strands = order_strands(warp, lanes);
	uint32_t latest = 0;

	assert(lanes);
	open_phase(races, p, phase);
	if (!rule_is_synchronizing(relaxed))
		arrive_relaxed(races, warp, strands, phase);
	else
		gather(races, warp, strands, &p->meeting, &latest);
}

static void learn_phase(struct races *races, struct race_warp *warp, lane_mask strands, const struct race_phase *p)
{
	const struct meeting *m = &p->meeting;
	const struct knowledge known = {.count = m->known.clock != CLOCK_NOTHING, .one = m->known};

	assert(m->is_open);
	EACH_LANE(k, strands) {
		struct strand *u = &warp->strand[k];

		order_get(races, warp, (uint32_t)k << warp->group->launch->shift, &known);
		knowledge_join(&races->clocks, &u->relaxed, &m->relaxed);
		for (uint32_t reach = 0; reach < warp->group->launch->reaches; reach++) {
			known_join(&races->clocks, &u->fenced_sc[reach], &m->fenced_sc[reach]);
			knowledge_join(&races->clocks, &u->observed_sc[reach], &m->observed_sc[reach]);
		}
	}
}

void races_cluster_over(struct races *races, struct race_warp *warp, lane_mask lanes, uint32_t phase)
{
	struct race_group *group = warp->group;
	const struct race_phase *all = &phases_of(group)[phase & 1], *own = &group->phase[phase & 1];
	lane_mask strands = order_strands(warp, lanes);

	assert(lanes);
	if (all->meeting.is_open && all->phase == phase)
		learn_phase(races, warp, strands, all);
	if (own != all && own->meeting.is_open && own->phase == phase)
		learn_phase(races, warp, strands, own);
}
