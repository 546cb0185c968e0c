/* Hangs under a progress model that depend on its schedule: see cause.h. */
#include "check/cause.h"

#include "machine/lsu/lock.h"
#include "machine/progress/progress.h"

static bool starves(const struct progress *p, uint32_t group)
{
	return !p->groups[group].finished && !p->groups[group].runs;
}

static uint32_t starving_groups(const struct progress *p)
{
	uint32_t count = 0;

	for (uint32_t k = 0; k < p->view.groups; k++)
		count += starves(p, k);
	return count;
}

static struct thread first_thread_of(const struct progress_group *g)
{
	struct warp_slot *r = &g->core->slots[__builtin_ctzll(g->group->slots)];

	return thread_at(g->core, r, r->finished ? 0 : (uint32_t)__builtin_ctzll(r->warp.live));
}

static bool would_write(const struct thread *t, const struct word *word)
{
	struct position p = thread_position(t);

	return p.state != THREAD_ENDED && ahead_of(t, p.next_pc, word, false).reach >= REACH_AS_IS;
}

/* Of the groups that are never scheduled: that of the lock's owner, else one that would write the word, else the
 * lowest.  False: all are scheduled. */
static bool find_starving(
	const struct explanation *e, const struct thread *waiter, const struct wait *wait, struct thread *found)
{
	const struct progress *p = e->machine->progress;
	struct owner owner = wait_owner(waiter, wait);
	bool any = false;

	if (owner.found && owner.at.r && starves(p, owner.at.group)) {
		*found = owner.at;
		return true;
	}
	for (uint32_t k = 0; k < p->view.groups; k++) {
		struct thread at;

		if (!starves(p, k))
			continue;
		at = first_thread_of(&p->groups[k]);
		if (!any)
			*found = at;
		any = true;
		if (p->view.started[k] && would_write(&at, &wait->word)) {
			*found = at;
			break;
		}
	}
	return any;
}

static void say_starving(
	struct explanation *e, const struct thread *waiter, const struct wait *wait, const struct thread *starving)
{
	const struct progress *p = e->machine->progress;
	const char *name = hang_thread(e, starving->group, starving->number);
	struct link link = {.at = *waiter, .wait = *wait};

	hang_list_waiter(e, waiter, wait);
	hang_what_waits(e, &link);
	if (starving_groups(p) > 1)
		hang_who(e, "%u work-groups are never scheduled, including that of %s: ", starving_groups(p), name);
	else
		hang_who(e, "%s is never scheduled: ", name);
	if (p->view.started[starving->group]) {
		text_print(&e->who, "it is at %s", hang_place(e, thread_position(starving).pc));
		hang_list_holder(e, starving, "is never scheduled");
	} else {
		text_print(&e->who, "it has not started");
		hang_list_thread(e, starving->group, starving->number, "has not started");
	}
	hang_who(e, "the progress model '%s' need not schedule it", e->launch->dispatch.policy->name);
	e->detail->change = (struct change){.kind = CHANGE_FAIR};
	cause_conclude(e, CAUSE_PROGRESS);
}

/* A thread that runs and waits for a lock that is taken, else any that runs. */
static bool choose_waiter(const struct explanation *e, struct thread *waiter, struct wait *wait)
{
	bool any = false;

	EACH_WARP(e->launch, at) {
		struct wait w;
		bool has_owner;

		if ((!at.r->warp.path->active && !lock_lanes_asking(at.core, at.r)) || !wait_choose_lane(&at))
			continue;
		w = wait_of(&at);
		has_owner = w.is_lock && wait_owner(&at, &w).found;
		if (any && !has_owner)
			continue;
		any = true;
		*waiter = at;
		*wait = w;
		if (has_owner)
			break;
	}
	return any;
}

bool schedule_explain(struct explanation *e)
{
	struct thread starving, waiter;
	struct wait wait;

	if (!e->machine->progress || !choose_waiter(e, &waiter, &wait))
		return false;
	if (find_starving(e, &waiter, &wait, &starving))
		say_starving(e, &waiter, &wait, &starving);
	else if (watch_seen(e->machine).changed)
		cause_say_livelock(e, &waiter, &wait);
	else
		return false;
	return true;
}

void schedule_add(struct explanation *e)
{
	const char *schedule = e->machine->progress ? progress_schedule_text(e->machine->progress, e->arena) : NULL;

	if (schedule)
		hang_who(e, "the schedule is %s", schedule);
}
