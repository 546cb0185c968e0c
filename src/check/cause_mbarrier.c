/* The explanation of a hang at an mbarrier: which phase is waited for, what has come and what is missing there. */
#include "check/barrier_mends.h"
#include "check/cause_parts.h"
#include "check/change.h"
#include "check/mbarrier_mends.h"
#include "explore/names.h"
#include "machine/gpu/machine.h"
#include "machine/lsu/mbarrier_ledger.h"
#include "machine/lsu/mbarrier_trace.h"
#include "util/demangle.h"

#include <string.h>

#define RECORDS_SAID 3

static bool has_ended(const struct explanation *e, const struct mbarrier_record *r)
{
	return writers_has_ended(e->launch, r->group, mbarrier_first_thread(r));
}

/* "phase 2 of the mbarrier 'full' (shared memory + 0x10)" */
static const char *object_words(const struct explanation *e, uint64_t offset)
{
	const struct shared_place *place = kernel_shared_at(e->kernel, offset);
	const char *where = name_of_word(e->arena, e->machine->space, space_SHARED, offset);

	if (!place)
		return arena_printf(e->arena, "the mbarrier at %s", where);
	return arena_printf(e->arena, "the mbarrier '%s'%s (%s)", demangle_brief(e->arena, place->variable->name),
		offset > place->offset
			? arena_printf(e->arena, " + 0x%llx", (unsigned long long)(offset - place->offset))
			: "",
		where);
}

/* `thread`: the first of a warp of `lanes` lanes. */
static const char *role_of(const struct core *core, const struct group *group, uint32_t thread, uint32_t lanes)
{
	const struct mbarrier_object *const *objects;
	uint32_t count = mbarrier_objects_of(core, group, &objects);
	bool empties = false;

	for (uint32_t k = 0; k < count; k++)
		EACH_KNOWN_RECORD(r, objects[k]) {
			bool fills = r->act != MBARRIER_BYTES && r->bytes;

			if (fills && r->thread == thread && !r->is_remote)
				return " (producer)";
			empties |= fills && objects[k]->looked >> (thread / lanes) & 1;
		}
	return empties ? " (consumer)" : "";
}

const char *cause_role_of(const struct thread *waiter, uint32_t thread)
{
	return role_of(waiter->core, waiter->r->group, thread, waiter->r->warp.lanes);
}

/* Of a group on a core, also another one than the waiter's. */
static const char *name_of(
	const struct explanation *e, const struct thread *waiter, uint32_t group_number, uint32_t thread)
{
	uint32_t lanes = waiter->r->warp.lanes;
	struct core *core = NULL;
	const struct group *group = machine_group(e->machine, e->launch->ordinal, group_number, &core);

	return arena_printf(e->arena, "%s%s", hang_thread(e, group_number, thread),
		group ? role_of(core, group, thread / lanes * lanes, lanes) : "");
}

static const char *thread_words(
	const struct explanation *e, const struct thread *waiter, const struct mbarrier_record *r)
{
	return name_of(e, waiter, r->group, mbarrier_first_thread(r));
}

static void say_phase(struct explanation *e, const struct thread *t, const struct mbarrier_wait *wait)
{
	hang_what(e, "%s waits at %s for phase %lld of %s", name_of(e, t, t->group, t->number), hang_place(e, wait->pc),
		(long long)wait->means, object_words(e, wait->offset));
}

/* What the present phase has and lacks. */
static void say_state(struct explanation *e, const struct mbarrier_wait *wait)
{
	const struct mbarrier *b = &wait->now;
	struct mbarrier_bytes bytes = mbarrier_bytes_of(wait);

	if (b->expected == 1)
		hang_what(e, "the only arrival of phase %lld has%s come", (long long)wait->object->phase,
			b->pending ? " not" : "");
	else
		hang_what(e, "%u of the %u arrivals of phase %lld %s come", b->expected - b->pending, b->expected,
			(long long)wait->object->phase, b->expected - b->pending == 1 ? "has" : "have");
	if (bytes.expected || bytes.come)
		text_print(&e->what,
			b->expected == 1 ? "; %llu bytes have come, where %llu are expected"
					 : ", and %llu bytes, where %llu are expected",
			(unsigned long long)bytes.come, (unsigned long long)bytes.expected);
	if (wait->object->copying)
		hang_what(
			e, "copies of %llu bytes have begun and not ended", (unsigned long long)wait->object->copying);
}

static void say_lapped(struct explanation *e, const struct mbarrier_wait *wait)
{
	const struct mbarrier_object *o = wait->object;

	hang_what(e,
		wait->means < 0 ? "it asks for the parity of phase -1, the one before the first, which counts as over"
				: "phase %lld is over, but the thread had not looked",
		(long long)wait->means);
	hang_what(e, "phase %lld is over, too, so its question is now about phase %lld, which has the same parity",
		(long long)wait->means + 1, (long long)o->phase);
}

static void say_init(struct explanation *e, const struct thread *t, const struct mbarrier_object *o)
{
	hang_who(e, "%s initialised it at %s with a count of %u", thread_words(e, t, &o->begun),
		hang_place(e, o->begun.pc), o->count);
	hang_list_line(e, o->begun.pc, "the mbarrier was initialised here");
	if (!o->was_in_use)
		return;
	text_print(&e->who, ", when it was in use: %s had initialised it at %s", thread_words(e, t, &o->before),
		hang_place(e, o->before.pc));
	hang_list_line(e, o->before.pc, "it was initialised here before");
}

/* The threads that have arrived in a phase, at most RECORDS_SAID of them by name, without those that have arrived in
 * phase `but` as well; `but` equal to `phase`: all. */
static void say_arrivals(struct explanation *e, const struct thread *t, const struct mbarrier_object *o, int64_t phase,
	const char *in_phase, int64_t but)
{
	uint32_t said = 0, more = 0;

	EACH_RECORD(r, o, phase, MBARRIER_ARRIVED) {
		if (but != phase && mbarrier_arrived_in(o, but, r))
			continue;
		if (said == RECORDS_SAID) {
			more++;
			continue;
		}
		if (!said++)
			hang_who(e, "%s %s arrived at %s", in_phase, thread_words(e, t, r), hang_place(e, r->pc));
		else
			text_print(&e->who, ", %s at %s", thread_words(e, t, r), hang_place(e, r->pc));
		if (r->count > 1)
			text_print(&e->who, " (%u arrivals)", r->count);
		if (but != phase && has_ended(e, r)) {
			text_print(&e->who, ", and has ended");
			hang_list_thread(e, r->group, mbarrier_first_thread(r), "has ended");
		}
		hang_list_line(e, r->pc, "an arrival");
	}
	if (more)
		text_print(&e->who, more == 1 ? ", and %u other" : ", and %u others", more);
}

static void say_expected(struct explanation *e, const struct thread *t, const struct mbarrier_wait *wait)
{
	uint32_t said = 0;

	EACH_RECORD(r, wait->object, wait->object->phase, MBARRIER_EXPECTED) {
		if (said++ || !r->bytes)
			continue;
		hang_who(e, "%s expected %llu bytes at %s, without an arrival", thread_words(e, t, r),
			(unsigned long long)r->bytes, hang_place(e, r->pc));
		hang_list_line(e, r->pc, "bytes are expected here");
	}
}

static void say_facts(struct explanation *e, const struct thread *t, const struct mbarrier_wait *wait)
{
	const struct mbarrier_object *o = wait->object;

	say_init(e, t, o);
	if (wait->now.pending < wait->now.expected)
		say_arrivals(e, t, o, o->phase, "in this phase", o->phase);
	say_expected(e, t, wait);
	if (wait->now.pending && o->phase)
		say_arrivals(e, t, o, o->phase - 1, "in the phase before", o->phase);
}

/* Of those that wait at an mbarrier in the chain, in its ring if it ends in one, the last. */
static const struct link *mbarrier_link(const struct chain *chain)
{
	for (const struct link *link = chain_last(chain); link > chain->links; link--)
		if (link->kind == LINK_MBARRIER)
			return link;
	return chain->links;
}

/* The link of the chain in which the thread waits; null: none. */
static const struct link *link_of(const struct chain *chain, const struct thread *t)
{
	for (const struct link *link = chain->links; link <= chain_last(chain); link++)
		if (link->kind == LINK_MBARRIER && link->at.r == t->r && link->at.lane == t->lane)
			return link;
	return NULL;
}

static const struct link *next_link(const struct chain *chain, const struct link *link)
{
	if (link < chain_last(chain))
		return link + 1;
	return chain->root == ROOT_RING ? &chain->links[chain->ring] : NULL;
}

/* A link of the chain at a barrier of the work-group; null: none. */
static const struct link *barrier_link(const struct chain *chain)
{
	for (const struct link *link = chain->links; link <= chain_last(chain); link++)
		if (link->kind == LINK_BARRIER && link->position.state == THREAD_AT_BARRIER &&
			link->barrier != CLUSTER_BARRIER)
			return link;
	return NULL;
}

/* Who would arrive where the link's thread waits, what that thread waits for itself, and so on. */
static void say_who_would(struct explanation *e, const struct chain *chain, const struct link *first)
{
	const struct link *link = first, *next = next_link(chain, link);

	for (uint32_t k = 0; k < RECORDS_SAID && next && link->kind == LINK_MBARRIER; k++) {
		hang_who(e, "%s%s %s arrive %sat %s", k ? "there " : "", hang_thread_of(e, &next->at),
			hang_would(&link->writer), k ? "" : "there ", hang_place(e, link->writer.store));
		hang_list_line(e, link->writer.store, "an arrival would be here");
		if (next == first) {
			text_print(&e->who, ": it is the thread that waits");
			return;
		}
		if (next->kind == LINK_MBARRIER)
			text_print(&e->who, ", but waits itself at %s for phase %lld of %s",
				hang_place(e, next->mbarrier.pc), (long long)next->mbarrier.means,
				object_words(e, next->mbarrier.offset));
		else
			text_print(&e->who, ", but is stopped at %s", hang_place(e, next->position.pc));
		link = next;
		next = next_link(chain, link);
	}
}

static void note_state(struct explanation *e, const struct mbarrier_wait *wait)
{
	struct mbarrier_bytes bytes = mbarrier_bytes_of(wait);

	e->detail->barrier = (struct finding_barrier){.found = true,
		.is_mbarrier = true,
		.address = wait->offset,
		.phase = wait->object->phase,
		.expected = wait->now.expected,
		.arrived = wait->now.expected - wait->now.pending,
		.bytes_expected = bytes.expected,
		.bytes_arrived = bytes.come,
		.initialised_at = wait->object->begun.pc};
}

/* What has been said of the mbarrier's state tells what may be wrong, whoever would arrive there later. */
static bool explains(const struct explanation *e, const struct change *change)
{
	enum mbarrier_mend mend = change->mend;

	return e->detail->mend_count && mend != MEND_PARITY && mend != MEND_IN_TURN && mend != MEND_LOOK;
}

/* What the thread has done in place of what is missing, where that is what may be wrong. */
static void say_instead(struct explanation *e, const struct thread *t, const struct change *change)
{
	const char *name = name_of(e, t, change->group, change->thread), *place = hang_place(e, change->pc);
	uint64_t others = change->mend == MEND_DUE ? change->values[2] : 0;

	if (change->mend == MEND_RANK) {
		hang_who(e,
			"the arrivals of %s at %s have gone to other ranks of the cluster, and none to rank %u in this "
			"phase",
			name, place, change->stages->rank);
	} else if (change->mend == MEND_DUE && change->values[1] == MEND_AS_OTHER_RANKS) {
		hang_who(e,
			"the %s of %s at %s have gone to other ranks of the cluster in this phase, but not to rank %u",
			change->of_copies ? "copies" : "arrivals", name, place, change->stages->rank);
	} else {
		hang_who(e, "%s has gone on without its %s at %s in this phase", name,
			change->of_copies ? "copy" : "arrival", place);
		if (others)
			text_print(&e->who, ", and so %s", others > 1 ? "have others" : "has another");
	}
}

/* What is true whether or not that is what is wrong: nothing has shown it. */
static void say_absent(struct explanation *e, const struct thread *t, const struct change *change)
{
	uint64_t others = change->mend == MEND_DUE ? change->values[2] : 0;

	hang_who(e, "%s has not %s at %s in this phase", name_of(e, t, change->group, change->thread),
		change->of_copies ? "begun a copy" : "arrived", hang_place(e, change->pc));
	if (others)
		text_print(&e->who, others > 1 ? ", and others have not" : ", and another has not");
	hang_list_thread(e, change->group, change->thread, "has not arrived in this phase");
	hang_list_line(e, change->pc, change->of_copies ? "the missing copy" : "the missing arrival");
}

/* The thread that has gone by, where that is what may be wrong.  `helps`: the kernel goes on with what is missing. */
static void say_passed(struct explanation *e, const struct thread *t, const struct change *change, bool helps)
{
	bool is_left_out = change->mend == MEND_DUE || change->mend == MEND_RANK ||
			   (change->mend == MEND_ARRIVAL && change->values[1] != MEND_EACH_PHASE);

	if (!e->detail->mend_count || !is_left_out)
		return;
	if (!helps && change->mend == MEND_DUE && change->values[1] != MEND_AS_OTHER_RANKS) {
		say_absent(e, t, change);
		return;
	}
	say_instead(e, t, change);
	hang_list_thread(e, change->group, change->thread,
		change->mend == MEND_RANK ? "has arrived in another rank"
		: change->of_copies       ? "has gone on without its copy"
					  : "has gone on without its arrival");
	hang_list_line(e, change->pc, change->of_copies ? "the missing copy" : "the missing arrival");
}

#define STAGES_SAID 8

/* A thread skips stages, so that waits which go through them in order may be what mends it; null: none does. */
static const struct change *order_of(const struct explanation *e)
{
	for (uint32_t k = 0; k < e->detail->mend_count; k++)
		if (e->detail->mends[k].change.mend == MEND_IN_ORDER && e->detail->mends[k].change.values[0])
			return &e->detail->mends[k].change;
	return NULL;
}

/* The stages for which a thread that does not go through them in order has waited, the last ones. */
static void say_stages(struct explanation *e, const struct thread *t, const struct mbarrier_wait *wait)
{
	const struct change *change = order_of(e);
	const struct mbarrier_trace *trace =
		mbarrier_trace_of(t->core, t->r->group, t->r->warp.first_thread / t->r->warp.lanes);
	uint32_t places[STAGES_SAID], count = 0;

	if (!change)
		return;
	for (uint32_t k = trace ? mbarrier_events(trace) : 0; k > 0 && count < STAGES_SAID; k--) {
		const struct mbarrier_event *event = mbarrier_event(trace, k - 1);

		for (uint32_t j = 0; j < change->stages->count && event->step == STEP_PASSED; j++)
			if (change->stages->from[j] == event->offset && event->lanes >> t->lane & 1 &&
				count < STAGES_SAID)
				places[count++] = j;
	}
	if (change->thread != t->number)
		return;
	hang_who(e, "%s has %swaited for stage%s", hang_thread(e, t->group, t->number),
		count == STAGES_SAID ? "last " : "", count > 1 ? "s" : "");
	for (uint32_t k = count; k > 0; k--)
		text_print(&e->who, "%s %u", k == count ? "" : ",", places[k - 1]);
	for (uint32_t j = 0; j < change->stages->count; j++)
		if (change->stages->from[j] == wait->offset)
			text_print(&e->who, count ? ", and waits now for stage %u" : " %u first", j);
	text_print(&e->who, " of the %u", change->stages->count);
}

/* All that is said of a wait, and of the change which may be what mends it; `helps`: which does. */
static void say_wait(struct explanation *e, const struct chain *chain, const struct thread *at,
	const struct mbarrier_wait *wait, const struct change *change, bool helps)
{
	const struct link *link = e->detail->mend_count ? link_of(chain, at) : mbarrier_link(chain);
	bool is_lapped = mbarrier_wait_is_lapped(wait);

	say_phase(e, at, wait);
	if (is_lapped)
		say_lapped(e, wait);
	say_state(e, wait);
	say_facts(e, at, wait);
	say_passed(e, at, change, helps);
	say_stages(e, at, wait);
	if (link && next_link(chain, link) && !explains(e, change))
		say_who_would(e, chain, link);
	else if (link && !next_link(chain, link) && !is_lapped && wait->now.pending)
		hang_who(e, "no thread that can still run will arrive there");
	note_state(e, wait);
}

/* What is to be said if the k-th of what may be wrong is. */
static const struct finding_detail *told_of(
	const struct explanation *e, const struct finding_detail *before, const struct chain *chain, uint32_t k)
{
	struct finding_detail *told = arena_new(e->arena, struct finding_detail);
	struct explanation other = *e;

	*told = *before;
	other.detail = told;
	other.what = other.who = (struct text){.arena = e->arena};
	told->mend_count = e->detail->mend_count;
	memcpy(told->mends, e->detail->mends, sizeof told->mends);
	say_wait(&other, chain, e->of_mend[k].t, e->of_mend[k].wait, &e->detail->mends[k].change, true);
	cause_end(&other);
	return told;
}

void cause_say_mbarrier(struct explanation *e, const struct chain *chain)
{
	const struct link *link = mbarrier_link(chain), *barrier = barrier_link(chain);
	struct finding_detail before = *e->detail;
	struct thread at = link->at;
	struct mbarrier_wait wait = link->mbarrier;
	bool has_mends = mbarrier_mends(e, &at, &wait);

	if (barrier && (!has_mends || barrier_mends_any(e, barrier))) {
		cause_say_group_barrier(e, barrier, next_link(chain, barrier));
		return;
	}
	say_wait(e, chain, &at, &wait, &e->detail->mends[0].change, false);
	mbarrier_mends_last(e);
	for (uint32_t k = 0; k < e->detail->mend_count; k++)
		e->detail->told[k] = told_of(e, &before, chain, k);
	e->detail->change = change_phase(&at, wait.offset);
	cause_conclude(e, wait.object->was_in_use ? CAUSE_MBARRIER_IN_USE
			  : wait.now.pending      ? CAUSE_MISSING_ARRIVAL
						  : CAUSE_MISSING_BYTES);
}
