/* The changes that test the cause of a hang. */
#include "check/change.h"

static void add_value(struct change *change, uint64_t value)
{
	uint64_t bits = wait_cut(change->bytes, value);

	for (uint32_t k = 0; k < change->value_count; k++)
		if (change->values[k] == bits)
			return;
	if (change->value_count < CHANGE_VALUES)
		change->values[change->value_count++] = bits;
}

/* The values that a free lock may have: what the compare-and-swap compares with, -1 of lock instructions, and 0. */
static void add_free_values(struct change *change, const struct thread *t, const struct wait *wait)
{
	const struct insn *i = &t->r->warp.kernel->code[wait->pc];

	if (i->kind == INSN_ACQUIRE)
		add_value(change, ~0ull);
	if (insn_is_swap(i) && i->s[1] != SLOT_NONE)
		add_value(change, thread_register(t, i->s[1], i->s_bytes[1]));
	for (uint32_t k = 0; !wait->is_lock && k < wait->compared.count; k++)
		add_value(change, wait->compared.values[k]);
	add_value(change, 0);
}

/* Adds the value unless the word has it already. */
static void add_other(struct change *change, uint64_t value, uint64_t now)
{
	if (wait_cut(change->bytes, value) != now)
		add_value(change, value);
}

static void add_signals(struct change *change, const struct thread *t, const struct wait *wait)
{
	uint64_t now = wait_value(t, wait);
	struct ring ring;

	if (ring_find(t, wait, &ring))
		add_value(change, ring.wanted);
	for (uint32_t k = 0; k < wait->compared.count; k++)
		add_other(change, wait->compared.values[k], now);
	add_other(change, now + 1, now);
	for (uint32_t k = 0; k < wait->compared.count; k++)
		add_other(change, wait->compared.values[k] + 1, now);
	add_other(change, 1, now);
	add_other(change, 0, now);
	for (uint32_t k = 0; k < wait->compared.count; k++)
		add_other(change, wait->compared.values[k] - 1, now);
}

/* Of a thread that is on a core. */
static struct change change_of(enum change_kind kind, const struct thread *t)
{
	return (struct change){
		.kind = kind, .launch = t->r->core_launch->launch->ordinal, .group = t->group, .thread = t->number};
}

static struct change word_of(const struct thread *t, const struct wait *wait)
{
	struct change change = change_of(CHANGE_WORD, t);

	change.space = wait->word.space;
	change.bytes = wait->bytes == 8 ? 8 : 4;
	change.address = wait->word.address;
	return change;
}

struct change change_word(const struct thread *t, const struct wait *wait)
{
	struct change change = word_of(t, wait);

	if (wait->is_lock)
		add_free_values(&change, t, wait);
	else
		add_signals(&change, t, wait);
	return change;
}

static struct change change_lock(const struct link *link)
{
	struct change change = word_of(&link->at, &link->wait);

	if (link->wait.bit) {
		change.kind = CHANGE_BIT;
		return change;
	}
	add_free_values(&change, &link->at, &link->wait);
	return change;
}

struct change change_order(const struct thread *t)
{
	return change_of(CHANGE_ORDER, t);
}

struct change change_give_back(const struct link *link)
{
	struct change change = change_lock(link);
	bool is_own = link->owner.at.group == link->at.group && link->owner.at.number == link->at.number;

	if (change.kind != CHANGE_WORD && !is_own)
		return change;
	change.is_bit = change.kind == CHANGE_BIT;
	change.is_own = is_own;
	change.kind = CHANGE_GIVE_BACK;
	change.group = link->owner.at.group;
	change.thread = link->owner.at.number;
	return change;
}

struct change change_release(const struct link *link, uint32_t group, uint32_t thread)
{
	struct change change = change_lock(link);

	change.is_bit = change.kind == CHANGE_BIT;
	change.kind = CHANGE_RELEASE;
	change.group = group;
	change.thread = thread;
	return change;
}

struct change change_undo(const struct link *link, uint64_t sent, uint64_t lost, uint64_t when)
{
	struct change change = word_of(&link->at, &link->wait);

	change.kind = CHANGE_UNDO;
	change.values[0] = wait_cut(change.bytes, sent);
	change.values[1] = wait_cut(change.bytes, lost);
	change.value_count = 2;
	change.when = when;
	return change;
}

struct change change_wish(const struct chain *chain)
{
	const struct link *last = chain_last(chain);
	const struct link *link = chain->root == ROOT_RING ? chain_waiting_link(chain) : last;

	if (chain->root == ROOT_OWNER_ENDED || (chain->root == ROOT_RING && link && link->kind == LINK_LOCK))
		return change_lock(link);
	return (struct change){0};
}

/* The barrier of the work-group at which the chain ends, or that is in the ring where it ends at one of a warp: there
 * is no change that opens that. */
static struct change change_barrier(const struct chain *chain)
{
	for (uint32_t k = chain->count; k > 0 && (k == chain->count || k > chain->ring); k--) {
		const struct link *link = &chain->links[k - 1];
		struct change change;

		if (link->position.state == THREAD_AT_WARP_BARRIER || link->kind != LINK_BARRIER)
			continue;
		change = change_of(CHANGE_BARRIER, &link->at);
		change.barrier = link->barrier;
		return change;
	}
	return (struct change){0};
}

static struct change change_ring(const struct machine *machine, const struct chain *chain)
{
	const struct link *link = chain_waiting_link(chain);

	if (chain_ring_has(chain, LINK_PARKED) && !machine->independent)
		return (struct change){.kind = CHANGE_INDEPENDENT};
	if (!link)
		return change_barrier(chain);
	return link->kind == LINK_LOCK ? change_give_back(link) : change_word(&link->at, &link->wait);
}

struct change change_phase(const struct thread *t, uint64_t mbarrier)
{
	struct change change = change_of(CHANGE_PHASE, t);

	change.address = mbarrier;
	return change;
}

struct change change_for(const struct machine *machine, const struct chain *chain)
{
	const struct link *last = chain_last(chain);

	switch (chain->root) {
	case ROOT_FULL: /* all that look give up, as if they counted their probes: a free slot would let one go on */
	case ROOT_ENDLESS: return change_of(CHANGE_END, &last->at);
	case ROOT_OWNER_ENDED: return change_release(last, last->owner.at.group, last->owner.at.number);
	case ROOT_PASSED: return (struct change){.kind = CHANGE_INDEPENDENT};
	case ROOT_RING: return change_ring(machine, chain);
	case ROOT_STALE: return (struct change){.kind = CHANGE_FRESH};
	case ROOT_UNSTARTED_GROUP: return (struct change){.kind = CHANGE_RESIDENT};
	case ROOT_BARRIER: return change_barrier(chain);
	case ROOT_REGISTERS: return change_of(CHANGE_REGISTERS, &last->at);
	case ROOT_LIVELOCK: return change_order(&last->at);
	case ROOT_SIGNAL: return change_word(&last->at, &last->wait);
	case ROOT_UNSTARTED_LAUNCH:
	case ROOT_GRIDS:
	case ROOT_MBARRIER:
	case ROOT_RUNS: break;
	}
	return (struct change){0};
}
