/* The explanation of a hang whose root is a barrier at which not all threads arrive. */
#include "check/barrier_mends.h"
#include "check/cause_parts.h"
#include "machine/core/cluster.h"
#include "machine/state/machine.h"

/* At a barrier of its work-group, or of its warp. */
void cause_conclude_barrier(struct explanation *e, const struct link *link)
{
	const char *remedy = hang_barrier_remedy(&link->at);

	cause_conclude(e, CAUSE_BARRIER);
	e->detail->remedy = remedy ? remedy : e->detail->remedy;
}

static const char *threads_have(uint32_t count)
{
	return count == 1 ? "thread has" : "threads have";
}

/* The cluster's barrier: how many of its threads that are left have come, and of which group one has not. */
static void say_cluster_barrier(struct explanation *e, const struct link *last)
{
	uint32_t come = 0, live = 0, missing = last->at.r->group->number;

	EACH_WARP(e->launch, at) {
		if (!cluster_is_same(at.r->group, last->at.r->group))
			continue;
		for (lane_mask m = at.r->warp.live; m; m &= m - 1) {
			live++;
			if (cluster_has_come(at.core, at.r, (uint32_t)__builtin_ctzll(m)))
				come++;
			else
				missing = at.r->group->number;
		}
	}
	hang_what(e, "%s waits at %s, at the barrier of its cluster: %u %s arrived, it expects %u",
		hang_thread_of(e, &last->at), hang_place(e, last->position.pc), come, threads_have(come), live);
	hang_who(e, "no remaining thread can arrive; threads of work-group %u have not arrived", missing);
	cause_conclude(e, CAUSE_BARRIER);
}

/* Whence the threads have come that are there. */
static void say_sources(struct explanation *e, const struct barrier_note *b)
{
	if (!b->from[0].threads)
		return;
	hang_who(e, "%u %s come from %s", b->from[0].threads, threads_have(b->from[0].threads),
		hang_place(e, b->from[0].pc));
	hang_list_line(e, b->from[0].pc, "threads came from here");
	if (!b->from[1].threads)
		return;
	text_print(&e->who, ", and %u from %s", b->from[1].threads, hang_place(e, b->from[1].pc));
	hang_list_line(e, b->from[1].pc, "threads came from here");
}

static void note_state(struct explanation *e, const struct link *link)
{
	const struct group *group = link->at.r->group;
	const struct barrier *b = &group->barriers[link->barrier];

	e->detail->barrier = (struct finding_barrier){.found = true,
		.number = link->barrier,
		.phase = link->barrier < NAMED_BARRIERS ? group->barrier_notes[link->barrier].phase : 0,
		.expected = b->expected ? b->expected : group->live_threads,
		.arrived = b->arrived};
}

/* Why no thread comes.  `next`: one that has not come, and what it waits for; null: there is none. */
static void say_missing(struct explanation *e, const struct link *next)
{
	if (!next)
		hang_who(e, "no remaining thread can arrive");
	else if (next->kind == LINK_MBARRIER)
		hang_who(e, "%s has not arrived: it waits at %s for phase %lld of the mbarrier at %s",
			hang_thread_of(e, &next->at), hang_place(e, next->mbarrier.pc), (long long)next->mbarrier.means,
			hang_word(e, &(struct word){.space = space_SHARED, .address = next->mbarrier.offset}));
	else
		hang_who(e, "%s has not arrived: it is at %s", hang_thread_of(e, &next->at),
			hang_place(e, next->position.pc));
}

/* Others of the group wait at a barrier with a count, which is what keeps them from this one. */
static bool find_counted(const struct explanation *e, const struct link *link, struct link *other)
{
	const struct group *group = link->at.r->group;

	EACH_WARP(e->launch, at)
		for (uint32_t k = 0; at.r->group == group && k < NAMED_BARRIERS; k++) {
			if (!at.r->waiting_lanes[k] || !group->barriers[k].expected)
				continue;
			*other = (struct link){.kind = LINK_BARRIER,
				.at = thread_at(at.core, at.r, (uint32_t)__builtin_ctzll(at.r->waiting_lanes[k])),
				.barrier = k};
			other->position = thread_position(&other->at);
			return true;
		}
	return false;
}

void cause_say_group_barrier(struct explanation *e, const struct link *link, const struct link *next)
{
	const struct group *group = link->at.r->group;
	const struct barrier *b = &group->barriers[link->barrier];
	struct link counted;
	uint32_t others = 0;

	if (!b->expected && find_counted(e, link, &counted)) {
		if (e->detail->change.kind == CHANGE_BARRIER)
			e->detail->change.barrier = counted.barrier;
		cause_say_group_barrier(e, &counted, NULL);
		return;
	}

	for (uint64_t m = group->slots; m; m &= m - 1)
		for (uint32_t k = 0; k < GROUP_BARRIERS; k++)
			others += k == link->barrier
					  ? 0
					  : (uint32_t)__builtin_popcountll(
						    link->at.core->slots[__builtin_ctzll(m)].waiting_lanes[k]);
	hang_what(e, "%s waits at %s, at barrier %u: %u %s arrived, it expects %u", hang_thread_of(e, &link->at),
		hang_place(e, link->position.pc), link->barrier, b->arrived, threads_have(b->arrived),
		b->expected ? b->expected : group->live_threads);
	say_missing(e, next);
	if (group->threads > group->live_threads)
		hang_who(e, "%u thread%s of the group %s ended", group->threads - group->live_threads,
			text_plural(group->threads - group->live_threads),
			group->threads - group->live_threads == 1 ? "has" : "have");
	if (others)
		hang_who(e, others == 1 ? "%u thread waits at another barrier" : "%u threads wait at other barriers",
			others);
	if (b->expected && link->barrier < NAMED_BARRIERS)
		say_sources(e, &group->barrier_notes[link->barrier]);
	barrier_mends_add(e, link);
	note_state(e, link);
	EACH_WARP(e->launch, at)
		hang_list_holder(e, &at, "");
	cause_conclude(e, CAUSE_BARRIER);
}

void cause_say_barrier(struct explanation *e, const struct chain *chain)
{
	const struct link *last = chain_last(chain);

	if (last->barrier == CLUSTER_BARRIER) {
		say_cluster_barrier(e, last);
	} else if (last->position.state == THREAD_AT_WARP_BARRIER) {
		hang_what(e, "%s", hang_warp_barrier(e, &last->at));
		cause_conclude_barrier(e, last);
	} else {
		cause_say_group_barrier(e, last, NULL);
	}
}
