/* The explanation of a hang whose root is a lock, or a ring of waits: owners that have ended or are stopped, threads
 * that wait for each other. */
#include "check/cause_parts.h"
#include "check/change.h"
#include "check/past.h"
#include "machine/lsu/lock_bits.h"
#include "machine/state/machine.h"

#include <string.h>

#define LINKS_SAID 4 /* threads of a ring */

static const char release_before_barrier[] = "Release the lock before its owner waits at the barrier";

void cause_say_owner_ended(struct explanation *e, const struct chain *chain, struct writers *writers)
{
	const struct link *last = chain_last(chain);

	if (past_is_signal(e, last)) {
		e->detail->change = change_word(&last->at, &last->wait);
		e->detail->wish = (struct change){0};
		cause_say_signal(e, chain, writers);
		return;
	}
	if (cause_say_taker(e, last))
		return;
	hang_what_waits(e, last);
	hang_who(e,
		last->owner.inferred ? "%s tried to take it at %s and ended, with no release on its path"
				     : "%s took it at %s, and ended without releasing it",
		hang_thread_of(e, &last->owner.at), hang_place(e, last->owner.pc));
	hang_list_thread(e, last->owner.at.group, last->owner.at.number, "took the lock and has ended");
	cause_conclude(e, CAUSE_LOST_RELEASE);
}

void cause_say_passed(struct explanation *e, const struct chain *chain)
{
	const struct link *last = chain_last(chain);

	hang_what(e, "%s is stopped at %s, waiting for lanes of its warp that were to reconverge there",
		hang_thread_of(e, &last->at), hang_place(e, last->position.pc));
	hang_who(e, "those lanes passed it inside a critical section, unlocked after it and ended, so their stack "
		    "entry is never popped (paper 1, 4.5)");
	cause_conclude(e, CAUSE_PASSED_REJOIN);
}

/* The compiler may have made the loop: it takes the lock, and has no other store or atomic. */
static void add_compiler_hint(struct explanation *e, const struct link *link, struct code_range range)
{
	for (uint32_t pc = range.first; pc <= range.last; pc++)
		if (pc != link->wait.pc &&
			(e->kernel->code[pc].kind == INSN_ATOMIC || e->kernel->code[pc].kind == INSN_STORE))
			return;
	hang_who(e, "the PTX at line %u spins before the critical section",
		kernel_ptx_place(e->kernel, range.last).line);
	if (strcmp(kernel_place(e->kernel, link->wait.pc).file, kernel_ptx_place(e->kernel, link->wait.pc).file) != 0)
		text_print(&e->who,
			": if the source releases the lock within the loop, the compiler has moved the release "
			"out of it (clang -O2 does, -O1 does not)");
}

/* Whether the owner of a lock, if it were not parked, would reach a barrier of its work-group before it releases the
 * lock: then the threads that wait for the lock never arrive there, however lanes are scheduled. */
static bool owner_reaches_barrier(const struct link *waiter, const struct link *owner)
{
	struct ahead ahead;

	if (waiter->kind != LINK_LOCK)
		return false;
	ahead = ahead_of(&owner->at, owner->position.next_pc, &waiter->wait.word, true);
	return ahead.reach == REACH_NOT && ahead.reaches_barrier;
}

/* ---- Lock bits ---- */

const struct link *cause_aliased_link(const struct chain *chain)
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
		text_print(&e->who, ", and has ended");
	else if (holder->r == link->at.r && holder->lane == link->at.lane)
		text_print(&e->who, "; it is the same thread");
	else if (p.state == THREAD_AT_BARRIER || p.state == THREAD_AT_WARP_BARRIER)
		text_print(&e->who, "; it waits %s", hang_barrier(e, holder));
	else if (p.waiting)
		text_print(&e->who, "; it is stopped at %s, waiting for %s", hang_place(e, p.pc), p.waiting);
	else
		text_print(&e->who, "; it spins at %s", hang_place(e, p.pc));
}

void cause_say_alias(struct explanation *e, const struct link *link)
{
	const struct lock_bits *bits = lock_bits_of(link->at.core);
	const struct owner *owner = &link->owner;

	hang_what_waits(e, link);
	hang_what(e, "that is lock bit %u of its core, which has %u (paper 3, 4.4.2)",
		lock_bits_bit(bits, link->at.r->group, link->wait.word.address), bits->count);
	hang_who(e, "%s took that bit at %s for another word, %s%s", hang_thread_of(e, &owner->at),
		hang_place(e, owner->pc), hang_word(e, &(struct word){.space = space_SHARED, .address = owner->word}),
		owner->at.group != link->at.group ? " of its own group" : "");
	say_holder_of_bit(e, link);
	e->detail->change = (struct change){.kind = CHANGE_BITS};
	cause_conclude(e, CAUSE_ALIAS);
}

/* A lane waits for a parked lane of its own warp. */
static void say_parked(struct explanation *e, const struct link *waiter, const struct link *parked)
{
	const struct position *p = &parked->position;
	struct code_range range;

	hang_what_waits(e, waiter);
	if (waiter->kind == LINK_LOCK)
		hang_who(e, "%s of the same warp took it at %s, and is stopped at %s, waiting for %s",
			hang_thread_of(e, &parked->at), hang_place(e, waiter->owner.pc), hang_place(e, p->pc),
			p->waiting);
	else
		hang_who(e, "%s of the same warp %s write it at %s, but is stopped at %s until these lanes continue",
			hang_thread_of(e, &parked->at), hang_would(&waiter->writer),
			hang_place(e, waiter->writer.store), hang_place(e, p->pc));
	if (waiter->kind == LINK_LOCK && e->kernel->code[waiter->wait.pc].kind != INSN_ACQUIRE && !waiter->wait.bit &&
		wait_loop(&waiter->at, &range)) {
		text_print(&e->who, " (the branch at %s, lanes reconverge at %s)", hang_place(e, range.last),
			hang_place(e, p->pc));
		add_compiler_hint(e, waiter, range);
	}
	if (owner_reaches_barrier(waiter, parked)) {
		hang_who(e, "before releasing the lock it would wait at a work-group barrier, which these lanes must "
			    "reach, too");
		e->detail->change = change_give_back(waiter);
		e->detail->wish = change_word(&waiter->at, &waiter->wait);
		cause_conclude(e, CAUSE_BARRIER);
		e->detail->remedy = release_before_barrier;
		return;
	}
	cause_conclude(e, CAUSE_SIMT);
}

/* ---- Rings ---- */

/* The next link of a ring. */
static const struct link *next_link(const struct chain *chain, const struct link *link)
{
	return link == chain_last(chain) ? &chain->links[chain->ring] : link + 1;
}

/* The link of the ring that waits for a lock or a word, and whose next link is of kind `next`; null: none. */
static const struct link *waiter_in_ring(const struct chain *chain, enum link_kind next)
{
	for (const struct link *link = &chain->links[chain->ring]; link <= chain_last(chain); link++)
		if ((link->kind == LINK_LOCK || link->kind == LINK_WORD) && next_link(chain, link)->kind == next)
			return link;
	return NULL;
}

static const struct link *any_waiter_in_ring(const struct chain *chain)
{
	const struct link *waiter = chain_waiting_link(chain);

	return waiter ? waiter : &chain->links[chain->ring];
}

/* Of the link's thread and that of the next link: "B took it at X", "B would write it at X". */
static void say_holder(struct explanation *e, const struct chain *chain, const struct link *link)
{
	const char *holder = hang_thread_of(e, &next_link(chain, link)->at);

	if (link->kind == LINK_LOCK)
		hang_who(e, "%s took it at %s", holder, hang_place(e, link->owner.pc));
	else
		hang_who(e, "%s %s write it at %s", holder, hang_would(&link->writer),
			hang_place(e, link->writer.store));
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
	if (crosses)
		hang_what(e, "warps wait for each other: each for a lane of the next warp, which is stopped until the "
			     "waiting lanes of that warp continue");
	hang_what_waits(e, waiter);
	say_holder(e, chain, waiter);
	text_print(&e->who, ", and is stopped at %s, waiting for %s", hang_place(e, parked->position.pc),
		parked->position.waiting ? parked->position.waiting : "its turn to run");
	cause_conclude(e, crosses ? CAUSE_SIMT_CROSS : CAUSE_SIMT);
}

static void say_barrier_ring(struct explanation *e, const struct chain *chain)
{
	const struct link *waiter = waiter_in_ring(chain, LINK_BARRIER);

	waiter = waiter ? waiter : any_waiter_in_ring(chain);
	hang_what_waits(e, waiter);
	say_holder(e, chain, waiter);
	for (const struct link *link = next_link(chain, waiter); link != waiter; link = next_link(chain, link)) {
		hang_who(e, link->kind == LINK_BARRIER ? "that thread waits %s" : "that thread spins at %s",
			link->kind == LINK_BARRIER ? hang_barrier(e, &link->at) : hang_place(e, link->position.pc));
		cause_conclude_barrier(e, link);
		if (link->kind == LINK_BARRIER)
			break;
		say_holder(e, chain, link);
	}
	if (waiter->kind == LINK_LOCK)
		e->detail->remedy = release_before_barrier;
}

/* Each thread of a ring that has more than one. */
static void say_each(struct explanation *e, const struct chain *chain, const struct link *first)
{
	const struct link *link = first;

	for (uint32_t k = 0; k < LINKS_SAID; k++) {
		say_holder(e, chain, link);
		link = next_link(chain, link);
		if (link == first)
			return;
		text_print(&e->who, link->kind == LINK_LOCK ? ", and waits at %s for %s" : ", and polls at %s %s",
			hang_place(e, link->wait.pc), hang_word(e, &link->wait.word));
	}
	hang_who(e, "and so on, in a ring of %u threads", chain->count - chain->ring);
}

static void say_own_lock(struct explanation *e, const struct link *waiter)
{
	hang_what_waits(e, waiter);
	hang_who(e, "that thread holds the lock itself: it took it at %s", hang_place(e, waiter->owner.pc));
	cause_conclude(e, CAUSE_LOCK_ORDER);
	e->detail->remedy = "Release the lock before the same thread takes it again, or let the inner function rely on "
			    "the caller's lock";
}

/* Of locks, or only of signals. */
static void say_lock_ring(struct explanation *e, const struct chain *chain)
{
	const struct link *waiter = any_waiter_in_ring(chain);
	bool of_locks = chain_ring_has(chain, LINK_LOCK);

	if (of_locks && chain->ring == chain->count - 1) {
		say_own_lock(e, waiter);
		return;
	}
	hang_what(e, "threads wait for each other's %s, in a ring",
		!of_locks                          ? "signals"
		: chain_ring_has(chain, LINK_WORD) ? "locks and signals"
						   : "locks");
	hang_what_waits(e, waiter);
	say_each(e, chain, waiter);
	cause_conclude(e, of_locks ? CAUSE_LOCK_ORDER : CAUSE_MISSING_SIGNAL);
}

void cause_say_ring(struct explanation *e, const struct chain *chain)
{
	if (chain_ring_has(chain, LINK_PARKED))
		say_parked_ring(e, chain);
	else if (chain_ring_has(chain, LINK_MBARRIER))
		cause_say_mbarrier(e, chain);
	else if (chain_ring_has(chain, LINK_BARRIER))
		say_barrier_ring(e, chain);
	else
		say_lock_ring(e, chain);
}
