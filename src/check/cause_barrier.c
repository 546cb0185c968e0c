/* The explanation of a hang whose root is a barrier at which not all threads arrive. */
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
	hang_what(e, "%s waits at %s, at the barrier of its cluster: %u threads have arrived, it expects %u",
		hang_thread_of(e, &last->at), hang_place(e, last->position.pc), come, live);
	hang_who(e, "no remaining thread can arrive; threads of work-group %u have not arrived", missing);
	cause_conclude(e, CAUSE_BARRIER);
}

void cause_say_barrier(struct explanation *e, const struct chain *chain)
{
	const struct link *last = chain_last(chain);
	const struct group *group = last->at.r->group;
	const struct barrier *b = &group->barriers[last->barrier];
	uint32_t others = 0;

	if (last->barrier == CLUSTER_BARRIER) {
		say_cluster_barrier(e, last);
		return;
	}
	if (last->position.state == THREAD_AT_WARP_BARRIER) {
		hang_what(e, "%s", hang_warp_barrier(e, &last->at));
		cause_conclude_barrier(e, last);
		return;
	}
	for (uint32_t k = 0; k < GROUP_BARRIERS; k++)
		others += k == last->barrier ? 0 : group->barriers[k].arrived;
	hang_what(e, "%s waits at %s, at barrier %u: %u threads have arrived, it expects %u",
		hang_thread_of(e, &last->at), hang_place(e, last->position.pc), last->barrier, b->arrived,
		b->expected ? b->expected : group->live_threads);
	hang_who(e, "no remaining thread can arrive");
	if (group->threads > group->live_threads)
		hang_who(e, "%u threads of the group have ended", group->threads - group->live_threads);
	if (others)
		hang_who(e, "%u threads wait at other barriers", others);
	EACH_WARP(e->launch, at)
		hang_list_holder(e, &at, "");
	cause_conclude(e, CAUSE_BARRIER);
}
