/* The explanation of a hang in words, one function for each root of chains: see cause.h. */
#include "check/cause.h"

#include "check/cause_parts.h"
#include "check/change.h"
#include "machine/gpu/children.h"
#include "machine/state/launch_state.h"
#include "machine/state/machine.h"
#include "model/model.h"
#include "util/demangle.h"

#include <string.h>

/* `strong`: the load that waits is not a weak one. */
static void conclude(struct explanation *e, enum hang_cause cause, bool strong)
{
	e->finding->cause = cause_name(cause);
	e->detail->remedy = cause_remedy(cause, e->machine->independent, strong);
}

void cause_conclude(struct explanation *e, enum hang_cause cause)
{
	conclude(e, cause, false);
}

/* ---- A thread that never leaves its loop ---- */

/* How the thread of this link waits for that of the next link. */
static const char *waits_for_it_words(const struct explanation *e, const struct link *link)
{
	const char *name = hang_thread_of(e, &link->at);

	switch (link->kind) {
	case LINK_BARRIER: return arena_printf(e->arena, "%s waits for it %s", name, hang_barrier(e, &link->at));
	case LINK_PARKED:
		return arena_printf(e->arena, "%s of the same warp is stopped at %s until it continues", name,
			hang_place(e, link->position.pc));
	case LINK_LOCK:
		return arena_printf(
			e->arena, "%s, which it took at %s", hang_waiter(e, link), hang_place(e, link->owner.pc));
	case LINK_REGISTERS:
		return arena_printf(e->arena, "%s waits at %s for registers, which it would give back at %s", name,
			hang_place(e, link->position.pc), hang_place(e, link->giver.pc));
	case LINK_MBARRIER:
		return arena_printf(e->arena, "%s waits at %s for its arrival at an mbarrier", name,
			hang_place(e, link->mbarrier.pc));
	case LINK_MATRICES:
		return arena_printf(e->arena, "%s waits at %s for it to commit its part of a wgmma group", name,
			hang_place(e, link->position.pc));
	case LINK_WORD: break;
	}
	return arena_printf(e->arena, "%s, which it %s write at %s", hang_waiter(e, link), hang_would(&link->writer),
		hang_place(e, link->writer.store));
}

static void say_endless(struct explanation *e, const struct chain *chain)
{
	const struct link *last = chain_last(chain);

	hang_what(e, "%s spins at %s in a loop whose exit depends on nothing that it reads",
		hang_thread_of(e, &last->at), hang_place(e, last->position.pc));
	for (const struct link *link = last; link > chain->links && last - link < 2;)
		hang_what(e, "%s", waits_for_it_words(e, --link));
	cause_conclude(e, CAUSE_ENDLESS_LOOP);
}

/* ---- What was launched on the GPU ---- */

/* The launch that a child is; null: it has not begun. */
static const struct launch *launch_of(const struct machine *machine, const struct child *child)
{
	const struct launch *launch = machine->launches.first;

	while (launch && launch->child != child)
		launch = launch->next;
	return launch;
}

static void say_grids(struct explanation *e, const struct chain *chain)
{
	const struct link *last = chain_last(chain);
	uint32_t count;
	const struct child *first = children_awaited(e->launch->family, last->at.group, &count);
	const struct launch *begun = launch_of(e->machine, first);

	hang_what(e, "%s waits at %s, in cudaDeviceSynchronize, for %u %s that its work-group has launched",
		hang_thread_of(e, &last->at), hang_place(e, last->position.pc), count, count > 1 ? "grids" : "grid");
	if (begun)
		hang_who(e,
			count > 1 ? "the first of them runs kernel %s, which has not ended"
				  : "it runs kernel %s, which has not ended",
			demangle_brief(e->arena, begun->kernel->entry->name));
	else
		hang_who(e, count > 1 ? "the first of them cannot begin" : "it cannot begin");
	for (const struct link *link = last; link > chain->links && last - link < 2;)
		hang_who(e, "%s", waits_for_it_words(e, --link));
	cause_conclude(e, CAUSE_UNKNOWN);
}

/* ---- Work-groups and kernels that have not begun ---- */

static struct occupancy occupancy_on(const struct gpu_model *model, const struct launch *launch)
{
	return kernel_occupancy(model, launch->kernel, launch->group.threads,
		launch->group.shared_bytes - launch->kernel->shared.first);
}

/* What limits how many of the launch's groups a core holds. */
static const char *limiter_of(const struct launch *launch)
{
	static const char *const names[] = {[LIMIT_THREADS] = "threads",
		[LIMIT_GROUPS] = "groups",
		[LIMIT_REGISTERS] = "registers",
		[LIMIT_SHARED] = "shared memory"};

	return names[occupancy_on(launch->machine->model, launch).limiter];
}

/* The other models on which all its groups would be resident at once, "a, b, c"; null: none. */
static const char *models_for_all(struct arena *arena, const struct launch *launch)
{
	struct arena scratch = {0};
	struct text text = {.arena = arena};
	size_t count;
	const char *const *names = model_names(&count);

	for (size_t k = 0; k < count; k++) {
		struct diagnostic diagnostic = {0};
		const struct gpu_model *model = model_load(&scratch, names[k], NULL, &diagnostic);

		if (model && !model->simulator && strcmp(names[k], launch->machine->model->name) &&
			launch->group.threads <= model->group_threads &&
			launch_cluster_size(&launch->values) <= model->cluster_groups &&
			occupancy_on(model, launch).groups >= launch->total_groups)
			text_print(&text, "%s%s", text.length ? ", " : "", names[k]);
	}
	arena_free(&scratch);
	return text.length ? text.at : NULL;
}

static void say_unstarted_group(struct explanation *e, const struct chain *chain)
{
	const struct launch *launch = e->launch;
	const struct writer *writer = &chain->unstarted_writer;
	const char *fits = models_for_all(e->arena, launch);
	bool no_part = hang_takes_no_part(e, writer->at.group);

	hang_what_waits(e, chain_last(chain));
	hang_what(e,
		"%u of %u work-groups have not started: %u are resident (%u per core, limited by %s) and none of them "
		"ends",
		launch->total_groups - launch->dispatch.next_group, launch->total_groups,
		launch->dispatch.next_group - (uint32_t)launch_groups_done(launch), launch->group.per_core,
		limiter_of(launch));
	if (no_part)
		hang_who(e,
			"%s, which could write it at %s, does not take part: its group has no number, and all numbers "
			"went to others",
			hang_thread(e, writer->at.group, writer->at.number), hang_place(e, writer->store));
	else
		hang_who(e, "%s %s write it at %s, but has not started",
			hang_thread(e, writer->at.group, writer->at.number), hang_would(writer),
			hang_place(e, writer->store));
	hang_who(e,
		fits ? "all would be resident at once on %s" : "no other GPU model has room for all of them at once%s",
		fits ? fits : "");
	hang_list_thread(e, writer->at.group, writer->at.number, "has not started");
	hang_list_line(e, writer->store, no_part ? "it could be written here" : "it would be written here");
	cause_conclude(e, no_part ? CAUSE_NO_PART : CAUSE_OCCUPANCY);
}

static void say_unstarted_launch(struct explanation *e, const struct chain *chain)
{
	const struct launch *other = chain->unstarted_launch;

	hang_what_waits(e, chain_last(chain));
	hang_who(e, "the kernel %s has not %sbegun: ", demangle_brief(e->arena, other->kernel->entry->name),
		other->dispatch.next_group ? "fully " : "");
	if (other == e->machine->gpu->waiting && e->launch->dispatch.policy->guarantees)
		text_print(&e->who, "under a progress model (%s) each kernel runs alone",
			e->launch->dispatch.policy->name);
	else if (other == e->machine->gpu->waiting)
		text_print(&e->who, "it waits for running kernels to end (dispatch.concurrent_kernels is %u)",
			e->machine->model->concurrent_kernels);
	else
		text_print(&e->who, "the running kernels leave no room for it");
	cause_conclude(e, CAUSE_OCCUPANCY);
}

void cause_say_none_started(struct explanation *e)
{
	hang_what(e, "no work-group of this kernel can start: work-groups that never end occupy the cores");
	cause_conclude(e, CAUSE_OCCUPANCY);
}

static void say_stale(struct explanation *e, const struct chain *chain)
{
	const struct link *last = chain_last(chain);

	hang_what_waits(e, last);
	hang_who(e, "memory has another value, but the loop reads the old one from the L1");
	conclude(e, CAUSE_STALE_CACHE, e->kernel->code[last->wait.pc].access.order > order_WEAK);
}

static void say_full(struct explanation *e, const struct chain *chain)
{
	const struct link *last = chain_last(chain);
	const struct table *table = &chain->table;

	hang_what(
		e, "%s spins at %s, searching a full table", hang_thread_of(e, &last->at), hang_place(e, table->at.pc));
	hang_what(e, "it probes %u slots, from %s to %s", table->slots, hang_word(e, &table->at.word),
		hang_word(e, &(struct word){.space = table->at.word.space, .address = table->last}));
	if (table->has_empty)
		hang_who(e, "none of these slots is free (a free slot has the value %lld)",
			table->at.bytes == 4 ? (long long)(int32_t)table->empty : (long long)table->empty);
	else
		hang_who(e, "no slot has a value that ends the search");
	cause_conclude(e, CAUSE_FULL_TABLE);
}

static void say_runs(struct explanation *e, const struct chain *chain)
{
	const struct link *last = chain_last(chain);

	hang_what(e, "%s %s at %s", hang_thread_of(e, &last->at), e->detail->proved ? "spins" : "runs",
		hang_place(e, last->position.pc));
	hang_what(e, "Lockstep cannot tell what it waits for");
	cause_conclude(e, CAUSE_UNKNOWN);
}

void cause_say_livelock(struct explanation *e, const struct thread *waiter, const struct wait *wait)
{
	struct link link = {.at = *waiter, .wait = *wait};

	hang_what(e, e->machine->progress ? "every work-group that must be scheduled is scheduled, and memory changes, "
					    "but every state repeats"
					  : "threads keep writing, but every state repeats");
	EACH_WARP(e->launch, at)
		if (wait_choose_lane(&at)) {
			struct wait w = wait_of(&at);

			hang_list_waiter(e, &at, &w);
		}
	hang_what_waits(e, &link);
	e->detail->change = change_order(waiter);
	cause_conclude(e, CAUSE_LIVELOCK);
}

/* ---- All ---- */

static void say_root(struct explanation *e, const struct chain *chain, struct writers *writers)
{
	const struct link *last = chain_last(chain), *aliased = cause_aliased_link(chain);

	if (aliased) {
		cause_say_alias(e, aliased);
		return;
	}
	switch (chain->root) {
	case ROOT_ENDLESS: say_endless(e, chain); break;
	case ROOT_OWNER_ENDED: cause_say_owner_ended(e, chain, writers); break;
	case ROOT_PASSED: cause_say_passed(e, chain); break;
	case ROOT_RING: cause_say_ring(e, chain); break;
	case ROOT_FULL: say_full(e, chain); break;
	case ROOT_STALE: say_stale(e, chain); break;
	case ROOT_UNSTARTED_GROUP: say_unstarted_group(e, chain); break;
	case ROOT_BARRIER: cause_say_barrier(e, chain); break;
	case ROOT_REGISTERS: cause_say_registers(e, chain); break;
	case ROOT_MBARRIER: cause_say_mbarrier(e, chain); break;
	case ROOT_LIVELOCK: cause_say_livelock(e, &last->at, &last->wait); break;
	case ROOT_UNSTARTED_LAUNCH: say_unstarted_launch(e, chain); break;
	case ROOT_SIGNAL: cause_say_signal(e, chain, writers); break;
	case ROOT_GRIDS: say_grids(e, chain); break;
	case ROOT_RUNS: say_runs(e, chain); break;
	}
}

void cause_say(struct explanation *e, const struct chain *chain, struct writers *writers)
{
	e->detail->change = change_for(e->machine, chain);
	e->detail->wish = change_wish(chain);
	hang_list_chain(e, chain);
	say_root(e, chain, writers);
}
