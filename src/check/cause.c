/* The explanation of a hang in words, one function for each root of chains: see cause.h. */
#include "check/cause.h"

#include "check/absent.h"
#include "check/change.h"
#include "check/past.h"
#include "check/residence.h"
#include "machine/core/cluster.h"
#include "machine/gpu/children.h"
#include "machine/gpu/launch_state.h"
#include "machine/lsu/access.h"
#include "machine/lsu/lock_bits.h"
#include "machine/state.h"

#include <string.h>

static void conclude(struct explanation *e, enum hang_cause cause, bool already_done)
{
	e->finding->cause = cause_name(cause);
	e->detail->remedy = cause_remedy(cause, already_done);
}

void cause_conclude(struct explanation *e, enum hang_cause cause)
{
	conclude(e, cause, cause_except(cause) == EXCEPT_INDEPENDENT && e->machine->independent);
}

static const struct link *last_of(const struct chain *chain)
{
	return &chain->links[chain->count - 1];
}

/* The next link of a ring. */
static const struct link *next_link(const struct chain *chain, const struct link *link)
{
	return link == last_of(chain) ? &chain->links[chain->ring] : link + 1;
}

static const char *name_of(const struct explanation *e, const struct thread *t)
{
	return hang_thread(e, t->group, t->number);
}

/* Whether a compiler made the PTX from a source file. */
static bool has_source(const struct explanation *e, uint32_t pc)
{
	struct place source = kernel_place(e->kernel, pc), ptx = kernel_ptx_place(e->kernel, pc);

	return strcmp(source.file, ptx.file) != 0;
}

/* ---- A thread that never leaves its loop ---- */

/* Appends how the thread of this link waits for that of the next link. */
static void say_waits_for_it(struct explanation *e, const struct link *link)
{
	const char *name = name_of(e, &link->at);

	switch (link->kind) {
	case LINK_BARRIER:
		text_print(
			&e->message, "; %s waits for it at the barrier at %s", name, hang_place(e, link->position.pc));
		break;
	case LINK_PARKED:
		text_print(&e->message, "; %s of the same warp is stopped at %s until it continues", name,
			hang_place(e, link->position.pc));
		break;
	case LINK_LOCK:
		text_print(
			&e->message, "; %s, which it took at %s", hang_waiter(e, link), hang_place(e, link->owner.pc));
		break;
	case LINK_WORD:
		text_print(&e->message, "; %s, which it %s write at %s", hang_waiter(e, link),
			link->writer.reach >= REACH_AS_IS ? "would" : "may", hang_place(e, link->writer.store));
		break;
	}
}

static void say_endless(struct explanation *e, const struct chain *chain)
{
	const struct link *last = last_of(chain);

	text_print(&e->message, "%s spins at %s in a loop whose exit depends on nothing that it reads",
		name_of(e, &last->at), hang_place(e, last->position.pc));
	for (const struct link *link = last; link > chain->links && last - link < 2;)
		say_waits_for_it(e, --link);
	cause_conclude(e, CAUSE_ENDLESS_LOOP);
}

/* ---- What was launched on the GPU ---- */

/* The launch that a child is; null: it has not begun. */
static const struct launch *launch_of(const struct machine *machine, const struct child *child)
{
	const struct launch *launch = machine->launches;

	while (launch && launch->child != child)
		launch = launch->next;
	return launch;
}

static void say_grids(struct explanation *e, const struct chain *chain)
{
	const struct link *last = last_of(chain);
	uint32_t count;
	const struct child *first = children_awaited(e->launch->family, last->at.group, &count);
	const struct launch *begun = launch_of(e->machine, first);

	text_print(&e->message,
		"%s waits at %s, in cudaDeviceSynchronize, for %u %s that its work-group has launched, ",
		name_of(e, &last->at), hang_place(e, last->position.pc), count, count > 1 ? "grids" : "grid");
	if (begun)
		text_print(&e->message, "%sof kernel %s, which has not ended", count > 1 ? "the first " : "",
			begun->kernel->entry->name);
	else
		text_print(&e->message, "%swhich cannot begin", count > 1 ? "the first of " : "");
	for (const struct link *link = last; link > chain->links && last - link < 2;)
		say_waits_for_it(e, --link);
	cause_conclude(e, CAUSE_UNKNOWN);
}

/* ---- Locks and their owners ---- */

static bool say_taker(struct explanation *e, const struct link *last);
static void say_signal(struct explanation *e, const struct chain *chain, struct writers *writers);

static void say_owner_ended(struct explanation *e, const struct chain *chain, struct writers *writers)
{
	const struct link *last = last_of(chain);

	if (past_is_sent(e, last)) {
		say_signal(e, chain, writers);
		return;
	}
	if (say_taker(e, last))
		return;
	text_print(&e->message,
		last->owner.inferred
			? "%s, which %s tried to take at %s; that thread has ended, and its path had no release"
			: "%s, which %s took at %s; that thread has ended without a release",
		hang_waiter(e, last), name_of(e, &last->owner.at), hang_place(e, last->owner.pc));
	hang_list_thread(e, last->owner.at.group, last->owner.at.number, "took the lock and has ended");
	cause_conclude(e, CAUSE_LOST_RELEASE);
}

static void say_passed(struct explanation *e, const struct chain *chain)
{
	const struct link *last = last_of(chain);

	text_print(&e->message,
		"%s is stopped at %s, waiting for lanes of its warp that were to reconverge there: they passed it "
		"inside a critical section, unlocked after it and have ended, so that their stack entry is never "
		"popped (paper 1, 4.5)",
		name_of(e, &last->at), hang_place(e, last->position.pc));
	cause_conclude(e, CAUSE_PASSED_REJOIN);
}

/* The compiler may have made the loop: it takes the lock, and has no other store or atomic. */
static void add_compiler_hint(struct explanation *e, const struct link *link, struct code_range range)
{
	for (uint32_t pc = range.first; pc <= range.last; pc++)
		if (pc != link->wait.pc &&
			(e->kernel->code[pc].kind == INSN_ATOMIC || e->kernel->code[pc].kind == INSN_STORE))
			return;
	text_print(&e->message, "; the PTX at line %u spins before the critical section",
		kernel_ptx_place(e->kernel, range.last).line);
	if (has_source(e, link->wait.pc))
		text_print(&e->message, ": if the source releases the lock within the loop, the compiler has moved "
					"that out (clang -O2 does, -O1 does not)");
}

/* Whether the owner of a lock, if it were not parked, would reach a barrier of its work-group before it releases the
 * lock: then the threads that wait for the lock never arrive there, however lanes are scheduled. */
static bool owner_reaches_barrier(const struct link *waiter, const struct link *owner)
{
	struct ahead ahead;

	if (waiter->kind != LINK_LOCK)
		return false;
	ahead = ahead_to_barrier(
		owner->at.core, owner->at.r, owner->at.lane, owner->position.next_pc, &waiter->wait.word);
	return ahead.reach == REACH_NOT && ahead.reaches_barrier;
}

/* ---- Lock bits ---- */

/* A link of the chain, its ring if it ends in one, that waits for a bit taken for another word; null: none. */
static const struct link *aliased_link(const struct chain *chain)
{
	for (uint32_t k = chain->root == ROOT_RING ? chain->ring : 0; k < chain->count; k++)
		if (chain->links[k].kind == LINK_LOCK && chain->links[k].owner.is_alias)
			return &chain->links[k];
	return NULL;
}

/* What the thread that has the bit does meanwhile. */
static void say_holder_of_bit(struct explanation *e, const struct link *link)
{
	const struct thread *holder = &link->owner.at;
	struct position p = thread_position(holder);

	if (p.state == THREAD_ENDED)
		text_print(&e->message, "; that thread has ended");
	else if (holder->r == link->at.r && holder->lane == link->at.lane)
		text_print(&e->message, "; it is the same thread");
	else if (p.state == THREAD_AT_BARRIER)
		text_print(&e->message, "; that thread waits at the barrier at %s", hang_place(e, p.pc));
	else if (p.waiting)
		text_print(
			&e->message, "; that thread is stopped at %s, waiting for %s", hang_place(e, p.pc), p.waiting);
	else
		text_print(&e->message, "; that thread spins at %s", hang_place(e, p.pc));
}

static void say_alias(struct explanation *e, const struct link *link)
{
	const struct lock_bits *bits = lock_bits_of(link->at.core);
	const struct owner *owner = &link->owner;

	text_print(&e->message,
		"%s, which is lock bit %u of its core; %s took that bit at %s for another word, %s%s, which has it "
		"too: the core has %u (paper 3, 4.4.2)",
		hang_waiter(e, link), lock_bits_bit(bits, link->at.r->group, link->wait.word.address),
		name_of(e, &owner->at), hang_place(e, owner->pc),
		hang_word(e, &(struct word){space_SHARED, owner->word}),
		owner->at.group != link->at.group ? " of its own group" : "", bits->count);
	say_holder_of_bit(e, link);
	e->detail->change = (struct change){.kind = CHANGE_BITS};
	cause_conclude(e, CAUSE_ALIAS);
}

/* A lane waits for a parked lane of its own warp. */
static void say_parked(struct explanation *e, const struct link *waiter, const struct link *parked)
{
	const struct position *p = &parked->position;
	struct code_range range;

	if (waiter->kind == LINK_LOCK)
		text_print(&e->message,
			"%s, which %s of the same warp took at %s; the owner is stopped at %s, waiting for %s",
			hang_waiter(e, waiter), name_of(e, &parked->at), hang_place(e, waiter->owner.pc),
			hang_place(e, p->pc), p->waiting);
	else
		text_print(&e->message,
			"%s, which %s of the same warp %s write at %s; but that thread is stopped at %s until these "
			"lanes continue",
			hang_waiter(e, waiter), name_of(e, &parked->at),
			waiter->writer.reach >= REACH_AS_IS ? "would" : "may", hang_place(e, waiter->writer.store),
			hang_place(e, p->pc));
	if (waiter->kind == LINK_LOCK && e->kernel->code[waiter->wait.pc].kind != INSN_ACQUIRE && !waiter->wait.bit &&
		wait_loop(&waiter->at, &range)) {
		text_print(&e->message, " (the branch at %s, lanes reconverge at %s)", hang_place(e, range.last),
			hang_place(e, p->pc));
		add_compiler_hint(e, waiter, range);
	}
	if (owner_reaches_barrier(waiter, parked)) {
		text_print(&e->message, "; but before it releases the lock it would wait at a barrier of its "
					"work-group, for these lanes too");
		e->detail->change = change_word(&waiter->at, &waiter->wait);
		cause_conclude(e, CAUSE_BARRIER);
		return;
	}
	cause_conclude(e, CAUSE_SIMT);
}

/* The link of the ring that waits for a lock or a word, and whose next link is of kind `next`; null: none. */
static const struct link *waiter_in_ring(const struct chain *chain, enum link_kind next)
{
	for (const struct link *link = &chain->links[chain->ring]; link <= last_of(chain); link++)
		if ((link->kind == LINK_LOCK || link->kind == LINK_WORD) && next_link(chain, link)->kind == next)
			return link;
	return NULL;
}

static const struct link *any_waiter_in_ring(const struct chain *chain)
{
	for (const struct link *link = &chain->links[chain->ring]; link <= last_of(chain); link++)
		if (link->kind == LINK_LOCK)
			return link;
	for (const struct link *link = &chain->links[chain->ring]; link <= last_of(chain); link++)
		if (link->kind == LINK_WORD)
			return link;
	return &chain->links[chain->ring];
}

/* ", which B took at X" or ", which B would write at X": B is the thread of the next link. */
static void say_holder(struct explanation *e, const struct chain *chain, const struct link *link)
{
	const char *holder = name_of(e, &next_link(chain, link)->at);

	if (link->kind == LINK_LOCK)
		text_print(&e->message, ", which %s took at %s", holder, hang_place(e, link->owner.pc));
	else
		text_print(&e->message, ", which %s %s write at %s", holder,
			link->writer.reach >= REACH_AS_IS ? "would" : "may", hang_place(e, link->writer.store));
}

static void say_parked_ring(struct explanation *e, const struct chain *chain)
{
	const struct link *link = waiter_in_ring(chain, LINK_PARKED);
	const struct link *waiter = link ? link : any_waiter_in_ring(chain);
	const struct link *parked = next_link(chain, waiter);
	bool crosses = chain_ring_crosses(chain);

	if (!crosses && parked->kind == LINK_PARKED) {
		say_parked(e, waiter, parked);
		return;
	}
	text_print(&e->message,
		crosses ? "warps wait for each other: each for a lane of the next warp that is stopped until the "
			  "waiting lanes of that warp continue; %s"
			: "%s",
		hang_waiter(e, waiter));
	say_holder(e, chain, waiter);
	text_print(&e->message, "; that thread is stopped at %s, waiting for %s", hang_place(e, parked->position.pc),
		parked->position.waiting ? parked->position.waiting : "its turn to run");
	cause_conclude(e, crosses ? CAUSE_SIMT_CROSS : CAUSE_SIMT);
}

static void say_barrier_ring(struct explanation *e, const struct chain *chain)
{
	const struct link *waiter = waiter_in_ring(chain, LINK_BARRIER);

	waiter = waiter ? waiter : any_waiter_in_ring(chain);
	text_print(&e->message, "%s", hang_waiter(e, waiter));
	say_holder(e, chain, waiter);
	for (const struct link *link = next_link(chain, waiter); link != waiter; link = next_link(chain, link)) {
		text_print(&e->message,
			link->kind == LINK_BARRIER ? "; that thread waits at the barrier at %s"
						   : "; that thread spins at %s",
			hang_place(e, link->position.pc));
		if (link->kind == LINK_BARRIER)
			break;
		say_holder(e, chain, link);
	}
	cause_conclude(e, CAUSE_BARRIER);
}

static void say_lock_ring(struct explanation *e, const struct chain *chain)
{
	const struct link *waiter = any_waiter_in_ring(chain);

	if (chain->ring == chain->count - 1) {
		text_print(&e->message, "%s, which it holds itself", hang_waiter(e, waiter));
	} else {
		text_print(&e->message,
			chain_ring_has(chain, LINK_WORD)
				? "threads wait for each other's locks and signals, in a ring: %s"
				: "threads wait for each other's locks, in a ring: %s",
			hang_waiter(e, waiter));
		say_holder(e, chain, waiter);
	}
	cause_conclude(e, CAUSE_LOCK_ORDER);
}

static void say_signal_ring(struct explanation *e, const struct chain *chain)
{
	const struct link *waiter = any_waiter_in_ring(chain);

	text_print(&e->message, "threads wait for each other's signals, in a ring: %s", hang_waiter(e, waiter));
	say_holder(e, chain, waiter);
	cause_conclude(e, CAUSE_MISSING_SIGNAL);
}

static void say_ring(struct explanation *e, const struct chain *chain)
{
	if (chain_ring_has(chain, LINK_PARKED))
		say_parked_ring(e, chain);
	else if (chain_ring_has(chain, LINK_BARRIER))
		say_barrier_ring(e, chain);
	else if (chain_ring_has(chain, LINK_LOCK))
		say_lock_ring(e, chain);
	else
		say_signal_ring(e, chain);
}

/* ---- Work-groups and kernels that have not begun ---- */

static uint32_t resident_groups(const struct launch *launch)
{
	return launch->next_group - (uint32_t)launch_groups_done(launch);
}

static void say_unstarted_group(struct explanation *e, const struct chain *chain)
{
	const struct launch *launch = e->launch;
	const struct writer *writer = &chain->unstarted_writer;
	const char *fits = residence_models(e->arena, launch);
	bool no_part = hang_takes_no_part(e, writer->at.group);

	text_print(&e->message,
		"%s, while %u of %u work-groups have not started: %u are resident (%u a core, limited by %s) and none "
		"of them ends",
		hang_waiter(e, last_of(chain)), launch->total_groups - launch->next_group, launch->total_groups,
		resident_groups(launch), launch->groups_per_core, residence_limiter(launch));
	if (no_part)
		text_print(&e->message,
			"; %s, which could write it at %s, does not take part: its group has no number, and all that "
			"there are have been given to others",
			hang_thread(e, writer->at.group, writer->at.number), hang_place(e, writer->store));
	else
		text_print(&e->message, "; %s %s write it at %s", hang_thread(e, writer->at.group, writer->at.number),
			writer->reach >= REACH_AS_IS ? "would" : "may", hang_place(e, writer->store));
	text_print(&e->message,
		fits ? "; all would be resident on %s" : "; on none of the other models would all be resident%s",
		fits ? fits : "");
	hang_list_thread(e, writer->at.group, writer->at.number, "has not started");
	hang_list_line(e, writer->store, no_part ? "it could be written here" : "it would be written here");
	cause_conclude(e, no_part ? CAUSE_NO_PART : CAUSE_OCCUPANCY);
}

static void say_unstarted_launch(struct explanation *e, const struct chain *chain)
{
	const struct launch *other = chain->unstarted_launch;

	text_print(&e->message, "%s, while the kernel %s has not %sbegun: ", hang_waiter(e, last_of(chain)),
		other->kernel->entry->name, other->next_group ? "wholly " : "");
	if (other == e->machine->gpu->waiting)
		text_print(&e->message,
			"it waits until kernels that run have ended (dispatch.concurrent_kernels is %u)",
			e->machine->model->concurrent_kernels);
	else
		text_print(&e->message, "those that run leave it no room");
	cause_conclude(e, CAUSE_OCCUPANCY);
}

void cause_say_none_started(struct explanation *e)
{
	text_print(&e->message, "no work-group of this kernel can start: others that never end occupy the cores");
	cause_conclude(e, CAUSE_OCCUPANCY);
}

/* ---- Barriers and signals ---- */

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
	text_print(&e->message,
		"%s waits at %s, at the barrier of its cluster: %u threads have arrived, it expects %u, "
		"and no thread is left that can arrive; threads of work-group %u have not",
		name_of(e, &last->at), hang_place(e, last->position.pc), come, live, missing);
	cause_conclude(e, CAUSE_BARRIER);
}

static void say_barrier(struct explanation *e, const struct chain *chain)
{
	const struct link *last = last_of(chain);
	const struct group *group = last->at.r->group;
	const struct barrier *b = &group->barriers[last->barrier];
	uint32_t others = 0;

	if (last->barrier == CLUSTER_BARRIER) {
		say_cluster_barrier(e, last);
		return;
	}
	for (uint32_t k = 0; k < GROUP_BARRIERS; k++)
		others += k == last->barrier ? 0 : group->barriers[k].arrived;
	text_print(&e->message,
		"%s waits at %s, at barrier %u: %u threads have arrived, it expects %u, and no thread is left that can "
		"arrive",
		name_of(e, &last->at), hang_place(e, last->position.pc), last->barrier, b->arrived,
		b->expected ? b->expected : group->live_threads);
	if (group->threads > group->live_threads)
		text_print(&e->message, "; %u threads of the group have ended", group->threads - group->live_threads);
	if (others)
		text_print(&e->message, "; %u threads wait at other barriers", others);
	EACH_WARP(e->launch, at)
		hang_list_holder(e, &at, "");
	cause_conclude(e, CAUSE_BARRIER);
}

/* Of a thread that has ended.  True: by what the kernel has said, its group does not take part in what the waiter does.
 */
static bool say_group_ended(struct explanation *e, const struct thread *t)
{
	if (!hang_group_has_ended(e, t->group) || !hang_takes_no_part(e, t->group))
		return false;
	text_print(&e->message,
		"; all of its work-group has ended and does not take part: it has no number, and all that there are "
		"have been given to others");
	return true;
}

static const char *times_words(const struct explanation *e, uint32_t times)
{
	if (times == WRITES_MOST)
		return arena_printf(e->arena, "at least %u times", times);
	return times == 1 ? "once" : arena_printf(e->arena, "%u times", times);
}

/* A thread that has written the word less often than its peers, and what they have done. */
static void say_absent(struct explanation *e, const struct absent *absent)
{
	const char *name = hang_thread(e, absent->group, absent->thread);
	bool ended = writers_has_ended(e->launch, absent->group, absent->thread);

	if (!absent->wrote)
		text_print(&e->message, ended ? "; %s has ended, and never wrote it" : "; %s never wrote it", name);
	else
		text_print(&e->message, ended ? "; %s has ended, and wrote it %s" : "; %s wrote it %s", name,
			times_words(e, absent->wrote));
	if (absent->peers == 1)
		text_print(&e->message, ", but the same thread of another group wrote it %s",
			times_words(e, absent->others));
	else
		text_print(&e->message,
			absent->of_groups ? ", but the same thread of %u other groups wrote it %s each"
					  : ", but %u other threads of its group wrote it %s each",
			absent->peers, times_words(e, absent->others));
	hang_list_thread(e, absent->group, absent->thread, ended ? "has ended" : "wrote it less often than its peers");
}

/* A thread that would write the word, if it did as the others.  False: it can still do so. */
static bool say_pattern(struct explanation *e, const struct absent_pattern *p)
{
	if (!writers_has_ended(e->launch, p->group, p->thread))
		return false;
	text_print(&e->message, "; as the others do at %s, %s would write it; but that thread has ended",
		hang_place(e, p->pc), hang_thread(e, p->group, p->thread));
	if (p->wrote)
		text_print(&e->message, ", and wrote %s instead",
			hang_word(e, &(struct word){e->kernel->code[p->pc].access.space == space_SHARED ? space_SHARED
													: space_GLOBAL,
					     p->address}));
	else
		text_print(&e->message, " without that store");
	hang_list_thread(e, p->group, p->thread, "has ended");
	hang_list_line(e, p->pc, "it would be written here");
	return true;
}

/* The only thread that has written the word, and has ended. */
static bool say_only_writer(struct explanation *e, const struct written_word *word)
{
	uint64_t threads = (uint64_t)e->launch->total_groups * e->launch->group_threads, only = threads;

	for (uint64_t k = 0; word && word->count && word->wrote && k < threads; k++)
		if (word->wrote[k]) {
			if (only < threads)
				return false;
			only = k;
		}
	if (only == threads || word->has_unknown)
		return false;
	uint32_t group = (uint32_t)(only / e->launch->group_threads),
		 thread = (uint32_t)(only % e->launch->group_threads), times = word->wrote[only];

	if (!writers_has_ended(e->launch, group, thread))
		return false;
	text_print(&e->message, "; %s, the only thread that wrote it, %s, has ended", hang_thread(e, group, thread),
		times_words(e, times));
	hang_list_thread(e, group, thread, "has ended");
	return true;
}

/* The only thread that has ended and could have written it again. */
static bool say_rewriter(struct explanation *e, const struct written_word *past, const struct ended *ended)
{
	const struct writer *w = &ended->possible_writer;

	if (!past || ended->possible_writers != 1 || ended->more)
		return false;
	text_print(&e->message, "; %s, which wrote it %s and could have written it again at %s, has ended",
		name_of(e, &w->at),
		times_words(e, written_by(past, e->launch->group_threads, w->at.group, w->at.number)),
		hang_place(e, w->store));
	hang_list_thread(e, w->at.group, w->at.number, "has ended");
	hang_list_line(e, w->store, "it could have been written here");
	return true;
}

/* The last thread that gave it the value that is waited for, and has ended. */
static bool say_sender(struct explanation *e, const struct link *last)
{
	const struct word_write *sender = past_sender(e, last);

	if (!sender || !writers_has_ended(e->launch, sender->group, sender->thread))
		return false;
	text_print(&e->message, "; %s, which gave it that value last at %s",
		hang_thread(e, sender->group, sender->thread), hang_place(e, sender->pc));
	past_say_when(e, sender);
	text_print(&e->message, ", has ended");
	hang_list_thread(e, sender->group, sender->thread, "has ended");
	return true;
}

static void say_possible(struct explanation *e, const struct ended *ended)
{
	const struct writer *writer = &ended->possible_writer;

	if (ended->possible_writers == 1 && ended->more)
		text_print(&e->message, "; %s, for one, could have written it at %s, and has ended",
			name_of(e, &writer->at), hang_place(e, writer->store));
	else if (ended->possible_writers == 1)
		text_print(&e->message, "; %s, which could have written it at %s, has ended", name_of(e, &writer->at),
			hang_place(e, writer->store));
	else
		text_print(&e->message, "; %s%u threads that could have written it, %s at %s for one, have ended",
			ended->more ? "at least " : "", ended->possible_writers, name_of(e, &writer->at),
			hang_place(e, writer->store));
	hang_list_line(e, writer->store, "it could have been written here");
}

static void say_nonwriters(struct explanation *e, const struct ended *ended)
{
	const char *name = name_of(e, &ended->nonwriter.at);

	if (ended->nonwriters == 1)
		text_print(&e->message, "; %s has ended, and never reached a store to it", name);
	else
		text_print(&e->message, "; %s%u threads%s have ended and never reached a store to it, %s for one",
			ended->more ? "at least " : "", ended->nonwriters,
			ended->nonwriters_apart ? "" : " of one group", name);
}

/* Threads that have ended and may have been meant to write the word.  True: their group does not take part. */
static bool say_ended(struct explanation *e, const struct ended *ended)
{
	const struct thread *t = ended->possible_writer.reach ? &ended->possible_writer.at : &ended->nonwriter.at;

	if (ended->possible_writer.reach)
		say_possible(e, ended);
	else if (ended->any && !ended->nonwriter.reach)
		say_nonwriters(e, ended);
	else
		return false;
	hang_list_thread(e, t->group, t->number, "has ended");
	return say_group_ended(e, t);
}

/* "work-group 4 would write it at X, but the grid has only 4 work-groups (0 to 3)" */
static void say_beyond(struct explanation *e, const struct beyond *b)
{
	const uint32_t *grid = e->launch->values.grid;
	bool flat = grid[1] == 1 && grid[2] == 1;

	if (b->is_thread)
		text_print(&e->message,
			"; thread %u of the group would write it at %s, but the group has only %u threads (0 to %u)",
			b->thread, hang_place(e, b->store), e->launch->group_threads, e->launch->group_threads - 1);
	else if (flat)
		text_print(&e->message,
			"; work-group %u would write it at %s, but the grid has only %u work-group%s (0 to %u)",
			b->group[0], hang_place(e, b->store), grid[0], grid[0] > 1 ? "s" : "", grid[0] - 1);
	else
		text_print(&e->message,
			"; work-group (%u,%u,%u) would write it at %s, but the grid has only %u x %u x %u work-groups",
			b->group[0], b->group[1], b->group[2], hang_place(e, b->store), grid[0], grid[1], grid[2]);
	hang_list_line(e, b->store, "it would be written here");
}

/* Who should have written it, as far as that is known; returns the cause. */
static enum hang_cause say_who_should(struct explanation *e, const struct link *last, struct writers *writers)
{
	const struct written_word *past = past_of(e, last);
	struct ended ended;
	struct beyond beyond = {0};
	struct absent absent = {0};
	struct absent_pattern pattern = {0};
	uint32_t first_store;

	if (past)
		absent = absent_find(e->launch, past, &last->at);
	if (absent.found) {
		say_absent(e, &absent);
		return CAUSE_MISSING_SIGNAL;
	}
	ended = writers_ended_unwritten(writers, &last->at, &last->wait, past);
	if (past_has_one_store(e, last, &first_store) && (first_store != AHEAD_ALL || !ended.possible_writer.reach))
		beyond = writers_beyond(writers, &last->at, &last->wait, first_store);
	if (past && !past->count && !ended.possible_writer.reach)
		pattern = absent_by_pattern(e->launch, past_writes(e));
	if (beyond.found) {
		say_beyond(e, &beyond);
		return CAUSE_NO_SUCH_GROUP;
	}
	if (pattern.found && say_pattern(e, &pattern))
		return CAUSE_MISSING_SIGNAL;
	if (past && past->count && ended.possible_writers != 1) {
		struct ended all = writers_ended_unwritten(writers, &last->at, &last->wait, NULL);

		if (say_only_writer(e, past) || say_rewriter(e, past, &all) || say_sender(e, last) ||
			!ended.possible_writer.reach)
			return CAUSE_MISSING_SIGNAL;
	}
	return say_ended(e, &ended) ? CAUSE_NO_PART : CAUSE_MISSING_SIGNAL;
}

/* The thread that took the lock last, by its history, has ended. */
static bool say_taker(struct explanation *e, const struct link *last)
{
	const struct word_write *taker = past_taker(e, last);

	if (!taker || !writers_has_ended(e->launch, taker->group, taker->thread))
		return false;
	text_print(&e->message, "%s, which %s took at %s", hang_waiter(e, last),
		hang_thread(e, taker->group, taker->thread), hang_place(e, taker->pc));
	past_say_when(e, taker);
	text_print(&e->message, "; that thread has ended without a release");
	past_say_value(e, last);
	hang_list_thread(e, taker->group, taker->thread, "took the lock and has ended");
	hang_list_line(e, taker->pc, "the lock was taken here");
	cause_conclude(e, CAUSE_LOST_RELEASE);
	return true;
}

static void say_signal(struct explanation *e, const struct chain *chain, struct writers *writers)
{
	const struct link *last = last_of(chain);
	struct missed missed = past_missed(e, last);

	if (say_taker(e, last))
		return;
	text_print(&e->message, "%s, which no thread that can still run will write", hang_waiter(e, last));
	if (writers_doubt(writers) == DOUBT_POINTERS)
		text_print(&e->message, " as far as is known (some store through pointers that could not be followed)");
	if (writers_doubt(writers) == DOUBT_TOO_MANY)
		text_print(&e->message, " as far as is known (there are too many threads to follow each)");
	past_say_value(e, last);
	if (missed.found) {
		past_say_missed(e, last, &missed);
		cause_conclude(e, CAUSE_OVERWRITTEN_SIGNAL);
		return;
	}
	past_say_last(e, last);
	cause_conclude(e, say_who_should(e, last, writers));
	if (past_may_differ(e))
		text_print(&e->message,
			"; the writes are those of a second run of the launch, which began with other lines in "
			"the caches and ended likewise");
}

static void say_stale(struct explanation *e, const struct chain *chain)
{
	const struct link *last = last_of(chain);

	text_print(&e->message, "%s: memory has another value, but the loop reads the old one from the L1",
		hang_waiter(e, last));
	conclude(e, CAUSE_STALE_CACHE, e->kernel->code[last->wait.pc].access.order > order_WEAK);
}

/* The mbarrier that a thread polls in its loop, as an offset in shared memory; false: none. */
static bool polls_mbarrier(const struct explanation *e, const struct thread *t, uint64_t *offset)
{
	struct code_range range;
	uint64_t address[CORE_WARPS];

	if (!wait_loop(t, &range))
		return false;
	for (uint32_t pc = range.first; pc <= range.last; pc++) {
		lane_mask lane = (lane_mask)1 << t->lane;

		if (e->kernel->code[pc].kind != INSN_MBARRIER)
			continue;
		access_addresses_of(address, &t->r->warp, &e->kernel->code[pc], &lane);
		*offset = address[t->lane];
		return true;
	}
	return false;
}

static void say_runs(struct explanation *e, const struct chain *chain)
{
	const struct link *last = last_of(chain);

	uint64_t offset = 0;
	bool polls = polls_mbarrier(e, &last->at, &offset);

	if (polls)
		e->detail->change = (struct change){.kind = CHANGE_PHASE, .group = last->at.group, .address = offset};
	text_print(&e->message, "%s %s at %s; %s", name_of(e, &last->at), e->detail->proved ? "spins" : "runs",
		hang_place(e, last->position.pc),
		polls ? "it waits for a phase of an mbarrier to complete" : "what it waits for is not known");
	cause_conclude(e, polls ? CAUSE_MISSING_SIGNAL : CAUSE_UNKNOWN);
}

void cause_say_livelock(struct explanation *e, const struct thread *waiter, const struct wait *wait)
{
	struct link link = {.at = *waiter, .wait = *wait};

	text_print(&e->message, e->machine->progress
					? "all work-groups that must be scheduled are, and memory changes, but every "
					  "state repeats: "
					: "threads keep writing, but every state repeats: ");
	EACH_WARP(e->launch, at)
		if (wait_choose_lane(&at)) {
			struct wait w = wait_of(&at);

			hang_list_waiter(e, &at, &w);
		}
	text_print(&e->message, "%s", hang_waiter(e, &link));
	e->detail->change = change_order(waiter);
	cause_conclude(e, CAUSE_LIVELOCK);
}

/* ---- All ---- */

static void say_root(struct explanation *e, const struct chain *chain, struct writers *writers)
{
	const struct link *last = last_of(chain), *aliased = aliased_link(chain);

	if (aliased) {
		say_alias(e, aliased);
		return;
	}
	switch (chain->root) {
	case ROOT_ENDLESS: say_endless(e, chain); break;
	case ROOT_OWNER_ENDED: say_owner_ended(e, chain, writers); break;
	case ROOT_PASSED: say_passed(e, chain); break;
	case ROOT_RING: say_ring(e, chain); break;
	case ROOT_STALE: say_stale(e, chain); break;
	case ROOT_UNSTARTED_GROUP: say_unstarted_group(e, chain); break;
	case ROOT_BARRIER: say_barrier(e, chain); break;
	case ROOT_LIVELOCK: cause_say_livelock(e, &last->at, &last->wait); break;
	case ROOT_UNSTARTED_LAUNCH: say_unstarted_launch(e, chain); break;
	case ROOT_SIGNAL: say_signal(e, chain, writers); break;
	case ROOT_GRIDS: say_grids(e, chain); break;
	case ROOT_RUNS: say_runs(e, chain); break;
	}
}

void cause_say(struct explanation *e, const struct chain *chain, struct writers *writers)
{
	e->detail->change = change_for(e->machine, chain);
	hang_list_chain(e, chain);
	say_root(e, chain, writers);
}
