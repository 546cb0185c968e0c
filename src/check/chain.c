/* The chain of waits: see chain.h. */
#include "check/chain.h"

#include "machine/core/cluster.h"
#include "machine/core/matrix_groups.h"
#include "machine/core/registers.h"
#include "machine/lsu/access.h"

#include <string.h>

/* ---- Loops that no other thread can end ---- */

/* Its result comes from outside of the warp's state, and hang detection does not record it as it records loads and
 * atomics. */
static bool has_unseen_input(const struct insn *i)
{
	return i->kind == INSN_MBARRIER || i->kind == INSN_ACQUIRE || i->kind == INSN_TEXTURE ||
	       i->kind == INSN_CLOCK || i->kind == INSN_COPY_WAIT || i->kind == INSN_BARRIER ||
	       i->kind == INSN_CLUSTER || i->access.cluster;
}

static bool calls(const struct kernel *kernel, struct code_range range)
{
	for (uint32_t pc = range.first; pc <= range.last; pc++)
		if (kernel->code[pc].kind == INSN_CALL || kernel->code[pc].kind == INSN_CALL_INDIRECT)
			return true;
	return false;
}

/* Its warp repeats code without reading anything but its own registers. */
static bool repeats_without_reads(const struct thread *t)
{
	const struct kernel *kernel = t->r->warp.kernel;
	const struct watched_warp *w = thread_watched(t);
	struct code_range range;

	if (!w || (w->state != WATCH_BACK && w->state != WATCH_NOT) || !w->branches || w->round.count ||
		!wait_loop(t, &range))
		return false;
	if (calls(kernel, range))
		range = (struct code_range){0, kernel->code_count - 1};
	for (uint32_t pc = range.first; pc <= range.last; pc++)
		if (has_unseen_input(&kernel->code[pc]))
			return false;
	return true;
}

static bool is_endless(const struct thread *t, const struct position *p)
{
	struct ahead ahead = ahead_of(t, p->pc, NULL, false);

	return (!ahead.leaves && !ahead.external_branch) || repeats_without_reads(t);
}

/* ---- Words that threads write again and again ---- */

/* Whether a store or an exchange would give the word a value that it does not have now. */
static bool would_change_value(const struct thread *t, const struct insn *i, const struct wait *wait)
{
	bool puts = i->kind == INSN_STORE || i->access.atomic == ATOMIC_EXCH;

	return puts && i->s[1] != SLOT_NONE && i->access.elements == 1 && i->access.bytes == wait->bytes &&
	       i->s_bytes[1] == wait->bytes && thread_register(t, i->s[1], wait->bytes) != wait_value(t, wait);
}

/* Hang detection has recorded this load or atomic of the warp. */
static bool was_seen(const struct thread *t, uint32_t pc)
{
	const struct watched_warp *w = thread_watched(t);

	for (uint32_t k = 0; w && k < w->round.count; k++)
		if (w->round.at[k].pc == pc)
			return true;
	return false;
}

/* Its warp writes the word in each iteration of its loop.  With `another`, one of these writes must also give it
 * another value than it has: that is asked when memory was seen not to change, where only an atomic whose lanes undo
 * each other's work can do so. */
static bool writes_in_loop(const struct thread *t, const struct wait *wait, bool another)
{
	const struct word *word = &wait->word;
	uint64_t address[CORE_WARPS];
	struct code_range range;

	if (!wait_loop(t, &range))
		return false;
	for (uint32_t pc = range.first; pc <= range.last; pc++) {
		const struct insn *i = &t->r->warp.kernel->code[pc];
		lane_mask lanes = t->r->warp.path->active;

		if ((i->kind != INSN_STORE && i->kind != INSN_ATOMIC) ||
			(i->access.space != space_NONE && i->access.space != word->space) ||
			i->function != t->r->warp.kernel->code[t->r->warp.path->pc].function)
			continue;
		if (access_addresses_of(address, &t->r->warp, i, &lanes) != word->space)
			continue;
		for (; lanes; lanes &= lanes - 1) {
			struct thread at = thread_at(t->core, t->r, (uint32_t)__builtin_ctzll(lanes));

			if (address[at.lane] == word->address &&
				(!another || (was_seen(t, pc) && would_change_value(&at, i, wait))))
				return true;
		}
	}
	return false;
}

static bool is_unsteady(const struct thread *t)
{
	return watch_of(t->core) && watch_of(t->core)->unsteady;
}

static bool is_written_repeatedly(const struct thread *t, const struct wait *wait)
{
	bool unsteady = is_unsteady(t);

	if (unsteady && wait->is_lock)
		return true;
	EACH_WARP(t->r->core_launch->launch, at)
		if (at.r->warp.path->active && writes_in_loop(&at, wait, !unsteady))
			return true;
	return false;
}

/* Whether the other thread, which would have to act, can act no more.  While memory changes, the owner of a lock
 * may be about to release it, unless it has ended or its lane is parked outside of the loop that its warp repeats. */
static bool is_stuck(const struct thread *waiter, const struct thread *other)
{
	struct position p = thread_position(other);
	struct code_range range;

	if (!is_unsteady(waiter) || p.state == THREAD_ENDED)
		return true;
	return p.state == THREAD_PARKED && wait_loop(other, &range) && (p.pc < range.first || p.pc > range.last);
}

/* ---- One step ---- */

/* Each step is from a link's thread to *next.  False: the chain ends there. */

struct chain_walk {
	struct arena *arena;
	struct chain *chain;
	struct writers *writers;
	const struct launch *launch;
};

static bool end(struct chain_walk *walk, enum root root)
{
	walk->chain->root = root;
	return false;
}

/* Another launch with work-groups that have not started: there is no room for them, or no more kernels may run at once.
 * Null: none. */
static const struct launch *unstarted_launch(const struct launch *launch)
{
	for (const struct launch *l = launch->machine->launches.first; l; l = l->next)
		if (l != launch && l->dispatch.next_group < l->total_groups)
			return l;
	return launch->machine->gpu->waiting;
}

/* No known thread would write the word: the chain ends here. */
static bool step_unwritten(struct chain_walk *walk, struct link *link)
{
	struct writer inferred_owner = link->wait.is_lock
					       ? writers_ended(walk->writers, &link->at, &link->wait).inferred_owner
					       : (struct writer){0};

	if (inferred_owner.reach) {
		link->kind = LINK_LOCK;
		link->owner = (struct owner){
			.found = true, .inferred = true, .at = inferred_owner.at, .pc = inferred_owner.store};
		return end(walk, ROOT_OWNER_ENDED);
	}
	walk->chain->unstarted_launch = link->wait.word.space == space_GLOBAL ? unstarted_launch(walk->launch) : NULL;
	return end(walk, walk->chain->unstarted_launch ? ROOT_UNSTARTED_LAUNCH : ROOT_SIGNAL);
}

static bool step_word(struct chain_walk *walk, struct link *link, struct thread *next)
{
	struct writer parked = writers_parked(walk->writers, &link->at, &link->wait), living, unstarted;

	link->kind = LINK_WORD;
	if (wait_is_stale(&link->at, &link->wait))
		return end(walk, ROOT_STALE);
	if (parked.reach >= REACH_AS_IS && is_stuck(&link->at, &parked.at)) {
		link->writer = parked;
		*next = parked.at;
		return true;
	}
	if (is_written_repeatedly(&link->at, &link->wait))
		return end(walk, ROOT_LIVELOCK);
	unstarted = writers_unstarted(walk->writers, &link->at, &link->wait);
	living = writers_living(walk->writers, &link->at, &link->wait);
	if (unstarted.reach && unstarted.reach >= living.reach) {
		walk->chain->unstarted_writer = unstarted;
		return end(walk, ROOT_UNSTARTED_GROUP);
	}
	link->writer = parked.reach && parked.reach >= living.reach ? parked : living;
	if (!link->writer.reach)
		return step_unwritten(walk, link);
	*next = link->writer.at;
	return true;
}

/* From a thread that waits for a phase of an mbarrier to one that would arrive there. */
static bool step_mbarrier(struct chain_walk *walk, struct link *link, struct thread *next)
{
	struct wait wait = {.found = true,
		.pc = link->mbarrier.pc,
		.word = {space_SHARED, link->mbarrier.offset, true},
		.bytes = 8};
	struct writer parked;

	link->kind = LINK_MBARRIER;
	link->wait = wait;
	if (mbarrier_wait_is_lapped(&link->mbarrier))
		return end(walk, ROOT_MBARRIER);
	parked = writers_parked(walk->writers, &link->at, &wait);
	link->writer = parked.reach >= REACH_AS_IS ? parked : writers_living(walk->writers, &link->at, &wait);
	if (!link->writer.reach)
		return end(walk, ROOT_MBARRIER);
	*next = link->writer.at;
	return true;
}

/* Of the words that a thread polls, keeps those that would unblock it by themselves; all if there is none.  Returns how
 * many are left. */
static uint32_t keep_unblocking(struct wait *waits, uint32_t count)
{
	uint32_t kept = 0;

	for (uint32_t k = 0; k < count; k++)
		if (waits[k].unblocks)
			waits[kept++] = waits[k];
	return kept ? kept : count;
}

/* The first word that has a known writer, or that is read stale; else the first. */
static const struct wait *choose_word(
	struct chain_walk *walk, const struct thread *t, const struct wait *waits, uint32_t count)
{
	for (uint32_t k = 0; k < count && count > 1; k++)
		if (wait_is_stale(t, &waits[k]) || writers_parked(walk->writers, t, &waits[k]).reach ||
			writers_unstarted(walk->writers, t, &waits[k]).reach ||
			writers_living(walk->writers, t, &waits[k]).reach)
			return &waits[k];
	return waits;
}

/* It spins in a table that has no free slot; and no lane of its warp that is stopped would free the first. */
static bool is_in_full_table(struct chain_walk *walk, const struct link *link)
{
	struct table *table = &walk->chain->table;

	return link->position.state == THREAD_RUNS && !is_unsteady(&link->at) &&
	       table_find(walk->arena, &link->at, table, &walk->chain->steps) &&
	       writers_parked(walk->writers, &link->at, &table->at).reach < REACH_AS_IS;
}

/* From a thread that runs, or that has requested a lock by a lock instruction. */
static bool step_waiter(struct chain_walk *walk, struct link *link, struct thread *next)
{
	struct wait waits[WATCH_ACCESSES];
	uint32_t count = waits_of(&link->at, waits, WATCH_ACCESSES);

	link->kind = LINK_WORD;
	if (link->position.state == THREAD_RUNS && is_endless(&link->at, &link->position))
		return end(walk, ROOT_ENDLESS);
	if (is_in_full_table(walk, link)) {
		link->wait = walk->chain->table.at;
		return end(walk, ROOT_FULL);
	}
	if (count && waits[0].is_lock && !is_unsteady(&link->at) && is_written_repeatedly(&link->at, &waits[0])) {
		link->wait = waits[0];
		return end(walk, ROOT_LIVELOCK);
	}
	count = keep_unblocking(waits, count);
	for (uint32_t k = 0; k < count; k++) {
		struct owner owner = wait_owner(&link->at, &waits[k]);

		if (!owner.found || !is_stuck(&link->at, &owner.at))
			continue;
		link->kind = LINK_LOCK;
		link->wait = waits[k];
		link->owner = owner;
		if (thread_position(&owner.at).state == THREAD_ENDED)
			return end(walk, ROOT_OWNER_ENDED);
		*next = owner.at;
		return true;
	}
	if (!count && mbarrier_wait_of(&link->at, &link->mbarrier))
		return step_mbarrier(walk, link, next);
	if (!count)
		return end(walk, ROOT_RUNS);
	link->wait = *choose_word(walk, &link->at, waits, count);
	return step_word(walk, link, next);
}

/* From a parked lane to one that is not: one that spins on a known word or requests a lock if there is one, else one
 * that waits at a barrier. */
static bool step_parked(struct chain_walk *walk, struct link *link, struct thread *next)
{
	struct warp_slot *r = link->at.r;
	bool found = false;

	link->kind = LINK_PARKED;
	for (lane_mask m = r->warp.live; m; m &= m - 1) {
		struct thread at = thread_at(link->at.core, r, (uint32_t)__builtin_ctzll(m));
		struct position p = thread_position(&at);

		if (p.state == THREAD_PARKED || at.lane == link->at.lane)
			continue;
		if (!found)
			*next = at;
		found = true;
		if (p.state == THREAD_RUNS && wait_choose_lane(&at) && at.lane != link->at.lane &&
			!thread_is_parked(&at))
			*next = at;
		if (p.state == THREAD_RUNS || p.state == THREAD_AWAITS_LOCK)
			break;
	}
	return found || end(walk, ROOT_RUNS);
}

/* From a warp that waits in wgmma.wait_group to one of its warpgroup that has yet to commit the group. */
static bool step_warpgroup(struct chain_walk *walk, struct link *link, struct thread *next)
{
	const struct warp_slot *missing = matrix_groups_missing(link->at.core, link->at.r);

	link->kind = LINK_MATRICES;
	EACH_WARP(walk->launch, at)
		if (at.r == missing) {
			*next = at;
			return true;
		}
	return end(walk, ROOT_RUNS);
}

/* From a barrier of the warp to a member that has not arrived there: one that runs, else one that waits elsewhere. */
static bool step_warp_barrier(struct chain_walk *walk, struct link *link, struct thread *next)
{
	struct warp_slot *r = link->at.r;
	struct warp_wait wait;
	bool found = false;

	link->kind = LINK_BARRIER;
	warp_wait_of(&link->at, &wait);
	for (lane_mask m = wait.missing; m; m &= m - 1) {
		struct thread at = thread_at(link->at.core, r, (uint32_t)__builtin_ctzll(m));
		enum thread_state state = thread_position(&at).state;

		if (found && state != THREAD_RUNS)
			continue;
		found = true;
		*next = at;
		if (state == THREAD_RUNS)
			break;
	}
	return found || end(walk, ROOT_RUNS);
}

/* It has arrived at the barrier: by itself, or, with a reconvergence stack, with its warp. */
static bool has_arrived(const struct thread *t, uint32_t barrier)
{
	const struct group *group = t->r->group;

	if (barrier == CLUSTER_BARRIER)
		return cluster_has_come(t->core, t->r, t->lane);
	if (!(group->barriers[barrier].waiting >> core_slot(t->core, t->r) & 1))
		return false;
	return !t->core->machine->independent || t->r->waiting_lanes[barrier] >> t->lane & 1;
}

/* Whether the barrier at which the link's thread waits is for threads of the group. */
static bool waits_for_group(const struct link *link, const struct group *group)
{
	return link->barrier == CLUSTER_BARRIER ? cluster_is_same(group, link->at.r->group)
						: group == link->at.r->group;
}

/* From a barrier of the work-group, or the cluster, to the likeliest thread that has not arrived: one that runs, else a
 * parked one.  The chain ends here if all others have arrived or wait at other barriers. */
static bool step_barrier(struct chain_walk *walk, struct link *link, struct thread *next)
{
	uint32_t best = 0;

	link->kind = LINK_BARRIER;
	link->barrier = thread_barrier(&link->at);
	EACH_WARP(walk->launch, warp)
		for (lane_mask m = waits_for_group(link, warp.r->group) ? warp.r->warp.live : 0; m; m &= m - 1) {
			struct thread at = thread_at(warp.core, warp.r, (uint32_t)__builtin_ctzll(m));
			enum thread_state state = thread_position(&at).state;
			uint32_t rank = has_arrived(&at, link->barrier) ? 0
					: state == THREAD_AT_BARRIER    ? 1
					: state == THREAD_PARKED        ? 2
									: 3;

			if (rank > best) {
				best = rank;
				*next = at;
			}
		}
	return best > 1 || end(walk, ROOT_BARRIER);
}

/* How many registers a thread may still give back, and at which pc. */
static uint32_t can_give(const struct thread *t, uint32_t has, uint32_t *pc)
{
	struct ahead ahead = ahead_of(t, thread_position(t).next_pc, NULL, false);

	*pc = ahead.gives_registers;
	return ahead.registers && ahead.registers < has ? has - ahead.registers : 0;
}

/* The most that a thread of the warp may still give back; *giver: that one, if it gives any. */
static uint32_t find_giver(const struct thread *warp, struct giver *giver)
{
	uint32_t has = warp->r->group->pool->has[core_slot(warp->core, warp->r)], most = 0;

	for (lane_mask m = warp->r->warp.live; m; m &= m - 1) {
		struct thread t = thread_at(warp->core, warp->r, (uint32_t)__builtin_ctzll(m));
		uint32_t pc, gives = thread_is_repeated(&t) ? 0 : can_give(&t, has, &pc);

		if (gives <= most)
			continue;
		most = gives;
		*giver = (struct giver){.found = true, .at = t, .pc = pc};
	}
	return most;
}

/* The least that a warp of the group waits for, beyond what it has. */
static uint32_t least_wanted(const struct group *group)
{
	uint32_t least = UINT32_MAX;

	for (uint64_t m = group->barriers[REGISTER_WAIT].waiting; m; m &= m - 1) {
		uint32_t slot = (uint32_t)__builtin_ctzll(m), more = group->pool->wants[slot] - group->pool->has[slot];

		least = more < least ? more : least;
	}
	return least;
}

/* From a warp that waits for registers to one that could still give some back: one that runs, if there is such.  The
 * chain ends here if all that they could give is not enough for any. */
static bool step_registers(struct chain_walk *walk, struct link *link, struct thread *next)
{
	const struct group *group = link->at.r->group;
	uint64_t can_come = group->pool->free;

	link->kind = LINK_REGISTERS;
	EACH_WARP(walk->launch, at) {
		struct giver giver = {0};

		if (at.r->group != group || registers_awaited(at.r))
			continue;
		can_come += find_giver(&at, &giver);
		if (giver.found && (!link->giver.found || thread_position(&giver.at).state == THREAD_RUNS))
			link->giver = giver;
	}
	link->giver.can_come = can_come;
	link->giver.least = least_wanted(group);
	if (!link->giver.found || can_come < link->giver.least)
		return end(walk, ROOT_REGISTERS);
	*next = link->giver.at;
	return true;
}

/* It passes the barrier in every iteration of a loop: what it really waits for is the word that it polls between. */
static bool loops_through_barrier(const struct thread *t)
{
	const struct watched_warp *w = thread_watched(t);

	return w && (w->state == WATCH_BACK || w->state == WATCH_MOVING) && wait_of(t).found;
}

static bool step(struct chain_walk *walk, struct link *link, struct thread *next)
{
	switch (link->position.state) {
	case THREAD_PASSED: return end(walk, ROOT_PASSED);
	case THREAD_AWAITS_GRIDS: return end(walk, ROOT_GRIDS);
	case THREAD_AWAITS_REGISTERS: return step_registers(walk, link, next);
	case THREAD_PARKED:
		return matrix_groups_awaited(link->at.core, link->at.r) ? step_warpgroup(walk, link, next)
									: step_parked(walk, link, next);
	case THREAD_AT_BARRIER:
		return loops_through_barrier(&link->at) ? step_waiter(walk, link, next)
							: step_barrier(walk, link, next);
	case THREAD_AT_WARP_BARRIER: return step_warp_barrier(walk, link, next);
	default: return step_waiter(walk, link, next);
	}
}

/* ---- The chain ---- */

/* With a reconvergence stack, lanes of a warp that wait at a barrier count as one, and so do lanes that run together if
 * it is not known what they wait for. */
static bool is_same(const struct link *link, const struct thread *t, const struct position *p)
{
	if (link->at.r != t->r || link->at.lane == t->lane)
		return link->at.r == t->r;
	if (t->core->machine->independent || p->state != link->position.state)
		return false;
	return p->state == THREAD_AT_BARRIER || p->state == THREAD_AWAITS_REGISTERS ||
	       (p->state == THREAD_RUNS && !wait_of(t).found);
}

/* The link of the thread, if the chain has one; LONGEST_CHAIN: none. */
static uint32_t find_link(const struct chain *chain, const struct thread *t)
{
	struct position p = thread_position(t);

	for (uint32_t k = 0; k < chain->count; k++)
		if (is_same(&chain->links[k], t, &p))
			return k;
	return LONGEST_CHAIN;
}

bool chain_ring_has(const struct chain *chain, enum link_kind kind)
{
	for (uint32_t k = chain->ring; k < chain->count; k++)
		if (chain->links[k].kind == kind)
			return true;
	return false;
}

/* Goes on around the ring to the last link of it that is at a barrier of a warp, if there is one: it says more than one
 * of the work-group. */
static void go_on_to_warp_barrier(struct chain *chain)
{
	uint32_t first = chain->ring, behind = first;

	for (uint32_t k = first; k < chain->count; k++)
		if (chain->links[k].position.state == THREAD_AT_WARP_BARRIER)
			behind = k + 1;
	if (behind == chain->count || chain->count + (behind - first) > LONGEST_CHAIN)
		return;
	for (uint32_t k = first; k < behind; k++)
		chain->links[chain->count++] = chain->links[k];
}

/* A ring of barriers and of lanes that are stopped for each other has no word that could be said: it ends at a barrier
 * to which no thread is left that can come.  One with a wait for registers ends at that. */
static void end_ring(struct chain *chain)
{
	chain->root = ROOT_RING;
	if (chain_ring_has(chain, LINK_REGISTERS)) {
		while (chain_last(chain)->kind != LINK_REGISTERS)
			chain->count--;
		chain->root = ROOT_REGISTERS;
		return;
	}
	if (chain_ring_has(chain, LINK_LOCK) || chain_ring_has(chain, LINK_WORD) ||
		chain_ring_has(chain, LINK_MBARRIER) || !chain_ring_has(chain, LINK_BARRIER))
		return;
	go_on_to_warp_barrier(chain);
	while (chain_last(chain)->kind != LINK_BARRIER)
		chain->count--;
	chain->root = ROOT_BARRIER;
}

void chain_follow(struct arena *arena, struct chain *chain, struct writers *writers, struct thread from)
{
	struct chain_walk walk = {
		.arena = arena, .chain = chain, .writers = writers, .launch = from.r->core_launch->launch};
	struct thread at = from;

	chain->count = 0;
	for (;;) {
		struct link *link = &chain->links[chain->count++];
		struct thread next;

		*link = (struct link){.at = at, .position = thread_position(&at)};
		if (!step(&walk, link, &next))
			return;
		chain->ring = find_link(chain, &next);
		if (chain->ring < LONGEST_CHAIN) {
			end_ring(chain);
			return;
		}
		if (chain->count == LONGEST_CHAIN) {
			chain->root = ROOT_RUNS;
			return;
		}
		at = next;
	}
}

bool chain_ring_crosses(const struct chain *chain)
{
	for (uint32_t k = chain->ring; k < chain->count; k++)
		if (chain->links[k].at.r != chain->links[chain->ring].at.r)
			return true;
	return false;
}

const struct link *chain_waiting_link(const struct chain *chain)
{
	const struct link *found = NULL;

	for (uint32_t k = chain->root == ROOT_RING ? chain->ring : 0; k < chain->count; k++) {
		const struct link *link = &chain->links[k];

		if (link->kind == LINK_LOCK)
			return link;
		if (link->kind == LINK_WORD && link->wait.found && !found)
			found = link;
	}
	return found;
}

/* A link whose writer only may write the word makes the chain less certain. */
static bool is_vague(const struct chain *chain)
{
	for (uint32_t k = 0; k < chain->count; k++)
		if ((chain->links[k].kind == LINK_WORD || chain->links[k].kind == LINK_MBARRIER) &&
			chain->links[k].writer.reach == REACH_BUFFER)
			return true;
	return false;
}

uint32_t chain_certainty(const struct chain *chain)
{
	bool vague = is_vague(chain);

	switch (chain->root) {
	case ROOT_ENDLESS: return 20;
	case ROOT_REGISTERS: return vague ? 9 : 19;
	case ROOT_OWNER_ENDED: return chain_last(chain)->owner.inferred ? 9 : 19;
	case ROOT_FULL:
	case ROOT_PASSED: return 18;
	case ROOT_STALE: return 17;
	case ROOT_RING:
		if (chain_ring_has(chain, LINK_PARKED))
			return vague ? 9 : 16;
		if (chain_ring_has(chain, LINK_LOCK))
			return vague ? 8 : 15;
		return vague                                  ? 3
		       : chain_ring_has(chain, LINK_BARRIER)  ? 13
		       : chain_ring_has(chain, LINK_MBARRIER) ? 9
							      : 6;
	case ROOT_UNSTARTED_GROUP: return chain->unstarted_writer.reach >= REACH_AS_IS ? 14 : 7;
	case ROOT_BARRIER: return vague ? 4 : 12;
	case ROOT_MBARRIER: return mbarrier_wait_is_lapped(&chain_last(chain)->mbarrier) ? 13 : 10;
	case ROOT_LIVELOCK: return 11;
	case ROOT_UNSTARTED_LAUNCH: return 5;
	case ROOT_SIGNAL:
	case ROOT_GRIDS: return vague ? 2 : 10;
	case ROOT_RUNS: return 1;
	}
	return 0;
}
