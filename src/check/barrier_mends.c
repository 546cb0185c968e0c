/* What may be wrong with the thread counts and the numbers of named barriers: see barrier_mends.h. */
#include "check/barrier_mends.h"

#include "check/barrier_rules.h"
#include "check/mbarrier_rules.h"
#include "machine/state/launch_state.h"

#include <string.h>

/* Numbers from there on are for uses that get another one, where all that the group uses are lower. */
#define OTHER_NUMBERS (NAMED_BARRIERS / 2)

static uint32_t uses_of(const struct barrier_note *n)
{
	uint32_t count = 0;

	while (count < BARRIER_USES && n->uses[count].slots)
		count++;
	return count;
}

static uint64_t users_of(const struct barrier_note *n)
{
	uint64_t slots = 0;

	for (uint32_t k = 0; k < uses_of(n); k++)
		slots |= n->uses[k].slots;
	return slots;
}

static const struct warp_slot *warp_at(const struct link *link, uint64_t slots)
{
	return &link->at.core->slots[__builtin_ctzll(slots)];
}

static const char *role_at(const struct link *link, uint64_t slots)
{
	return cause_role_of(&link->at, warp_at(link, slots)->warp.first_thread);
}

/* The role that all of the warps have; "": they have none, or different ones. */
static const char *role_of_all(const struct link *link, uint64_t slots)
{
	const char *role = slots ? role_at(link, slots) : "";

	for (uint64_t m = slots; m; m &= m - 1)
		if (strcmp(role, role_at(link, m)))
			return "";
	return role;
}

static uint64_t slots_of(const struct barrier_case *c, uint64_t warps)
{
	uint64_t slots = 0;

	for (uint32_t k = 0; k < c->count; k++)
		slots |= warps >> c->users[k].warp & 1 ? 1ull << c->users[k].slot : 0;
	return slots;
}

/* ---- Changes ---- */

void barrier_mean_line(const struct barrier_case *c, struct change *change, uint32_t pc)
{
	for (uint32_t k = 0; k < c->e->kernel->code_count; k++)
		if (c->e->kernel->code[k].kind == INSN_BARRIER && rule_same_line(c->e->kernel, k, pc) &&
			!change_means(change, k) && change->pc_count < CHANGE_PCS)
			change->pcs[change->pc_count++] = k;
}

void barrier_add(const struct barrier_case *c, enum hang_cause cause, struct change change)
{
	struct finding_detail *d = c->e->detail;

	change.kind = CHANGE_MBARRIER;
	change.launch = c->link->at.r->core_launch->launch->ordinal;
	change.group = c->link->at.group;
	if (d->mend_count < FINDING_MENDS && change.pc_count < CHANGE_PCS)
		d->mends[d->mend_count++] = (struct finding_mend){.cause = cause_name(cause), .change = change};
}

struct mend_turns *barrier_new_turns(const struct barrier_case *c)
{
	struct mend_turns *turns = arena_new(c->e->arena, struct mend_turns);

	memset(turns->to, MEND_NUMBERS, sizeof turns->to);
	return turns;
}

/* The instructions of the barrier that give the count, and those that give it at other barriers which they are used
 * for, too, as where the number is computed. */
static struct change at_uses(const struct barrier_case *c, uint32_t number, uint32_t count)
{
	const struct barrier_note *notes = c->group->barrier_notes;
	struct change change = {.barrier = number};
	uint32_t before = UINT32_MAX;

	for (uint32_t k = 0; k < uses_of(&notes[number]); k++)
		if (notes[number].uses[k].count == count) {
			change.pc = change.pc_count ? change.pc : notes[number].uses[k].pc;
			barrier_mean_line(c, &change, notes[number].uses[k].pc);
		}
	for (; change.pc_count != before && change.pc_count < CHANGE_PCS;) {
		before = change.pc_count;
		for (uint32_t b = 0; b < NAMED_BARRIERS; b++) {
			bool is_linked = false;

			for (uint32_t k = 0; k < uses_of(&notes[b]); k++)
				is_linked |= change_means(&change, notes[b].uses[k].pc);
			for (uint32_t k = 0; k < uses_of(&notes[b]) && is_linked; k++)
				if (notes[b].uses[k].count == count)
					barrier_mean_line(c, &change, notes[b].uses[k].pc);
		}
	}
	return change;
}

/* With this count the warps that wait at the barrier would not wait for those that arrive there. */
static bool is_without_arrivals(const struct barrier_case *c, uint32_t number, uint32_t count)
{
	return c->arrivers[number] && count <= barrier_threads(c, c->waiters[number]);
}

static void add_count(const struct barrier_case *c, struct change change, uint32_t from, uint32_t to)
{
	if (is_without_arrivals(c, change.barrier, to))
		return;
	change.mend = MEND_THREADS;
	change.values[0] = to;
	change.values[1] = from;
	barrier_add(c, CAUSE_THREAD_COUNT, change);
}

/* All instructions that give this count, at whichever barrier. */
static struct change at_count(const struct barrier_case *c, struct change change, uint32_t count)
{
	change.values[2] = true;
	for (uint32_t k = 0; k < c->count; k++)
		for (uint32_t j = 0; j < c->users[k].count; j++)
			if (c->users[k].does[j].count == count)
				barrier_mean_line(c, &change, c->users[k].does[j].pc);
	return change;
}

/* ---- Different counts ---- */

/* The two counts that the instructions give; false: there are more, or one. */
static bool two_counts(const struct barrier_note *n, uint32_t counts[2])
{
	uint32_t found = 0;

	for (uint32_t k = 0; k < uses_of(n); k++) {
		if (!n->uses[k].count)
			return false;
		if (found && n->uses[k].count == counts[0])
			continue;
		if (found == 2 && n->uses[k].count != counts[1])
			return false;
		if (found < 2)
			counts[found++] = n->uses[k].count;
	}
	return found == 2;
}

static void say_uses(const struct barrier_case *c, uint32_t number)
{
	const struct barrier_note *n = &c->group->barrier_notes[number];
	struct text text = {.arena = c->e->arena};

	for (uint32_t k = 0; k < uses_of(n); k++) {
		text_print(&text, "%s%u at %s%s", k ? ", " : "", n->uses[k].count, hang_place(c->e, n->uses[k].pc),
			role_of_all(c->link, n->uses[k].slots));
		hang_list_line(c->e, n->uses[k].pc, "uses the barrier");
	}
	if (number == c->link->barrier)
		hang_who(c->e, "its instructions give different thread counts: %s", text.at);
	else
		hang_who(c->e, "the instructions of barrier %u give different thread counts: %s", number, text.at);
}

/* At the barrier; and, where others have the same count, as where it is a constant, at all of them. */
static void add_counts(const struct barrier_case *c, uint32_t number, uint32_t from, uint32_t to)
{
	struct change here = at_uses(c, number, from), all = at_count(c, here, from);

	add_count(c, here, from, to);
	if (all.pc_count != here.pc_count)
		add_count(c, all, from, to);
}

/* Of the instructions that give the count some wait, if any arrive. */
static bool is_whole(const struct barrier_case *c, const struct barrier_note *n, uint32_t count)
{
	bool waits = false, arrives = false;

	for (uint32_t k = 0; k < uses_of(n); k++) {
		enum op op = (enum op)c->e->kernel->code[n->uses[k].pc].op;

		if (n->uses[k].count != count)
			continue;
		arrives |= op == OP_bar_arrive || op == OP_barrier_arrive;
		waits |= op != OP_bar_arrive && op != OP_barrier_arrive;
	}
	return waits || !arrives;
}

/* True: they do. */
static bool different_counts(const struct barrier_case *c, uint32_t number)
{
	const struct barrier_note *n = &c->group->barrier_notes[number];
	struct change other;
	uint32_t counts[2];

	if (n->more_uses || !two_counts(n, counts))
		return false;
	say_uses(c, number);
	add_counts(c, number, counts[0], counts[1]);
	add_counts(c, number, counts[1], counts[0]);
	if (c->group->barriers_used >> OTHER_NUMBERS & ((1u << OTHER_NUMBERS) - 1) || !is_whole(c, n, counts[0]) ||
		!is_whole(c, n, counts[1]))
		return true;
	other = at_uses(c, number, counts[1]);
	other.mend = MEND_NUMBER;
	other.values[0] = OTHER_NUMBERS;
	other.values[1] = counts[1];
	barrier_add(c, CAUSE_SHARED_NUMBER, other);
	return true;
}

/* The barrier where the link waits, else the first that has them. */
static bool any_different_counts(const struct barrier_case *c)
{
	if (different_counts(c, c->link->barrier))
		return true;
	for (uint32_t k = 0; k < NAMED_BARRIERS; k++)
		if (different_counts(c, k))
			return true;
	return false;
}

/* ---- A count that is too large ---- */

/* All barriers with a count have been used: no other code would come to one of them. */
static bool all_are_used(const struct explanation *e, const struct group *group)
{
	for (uint32_t pc = 0; pc < e->kernel->code_count; pc++) {
		const struct insn *i = &e->kernel->code[pc];
		bool used = i->kind != INSN_BARRIER || i->s[1] == SLOT_NONE;

		for (uint32_t b = 0; b < NAMED_BARRIERS && !used; b++)
			for (uint32_t k = 0; k < uses_of(&group->barrier_notes[b]) && !used; k++)
				used = group->barrier_notes[b].uses[k].pc == pc ||
				       kernel_same_line(e->kernel, group->barrier_notes[b].uses[k].pc, pc);
		if (!used)
			return false;
	}
	return true;
}

/* It goes on with other things, and has no way to a barrier with a count. */
static bool has_other_work(const struct barrier_user *u)
{
	return !u->has_ended && !u->count && thread_position(&u->at).state != THREAD_AT_BARRIER;
}

/* Whether warps of the group that do not come there may be those that are missing. */
static bool others_may_come(const struct barrier_case *c, uint64_t users, uint32_t missing)
{
	const char *role = role_of_all(c->link, slots_of(c, users));
	uint64_t others = 0;

	for (uint32_t k = 0; k < c->count; k++)
		others |= users >> c->users[k].warp & 1 || has_other_work(&c->users[k]) ? 0 : 1ull << c->users[k].warp;
	if (barrier_threads(c, others) < missing)
		return false;
	if (!*role || !all_are_used(c->e, c->group))
		return true;
	for (uint64_t m = slots_of(c, others); m; m &= m - 1)
		if (!*role_at(c->link, m) || !strcmp(role, role_at(c->link, m)))
			return true;
	return false;
}

/* Those that wait or arrive at the barrier, or may do so later.  False: not all of them are known, or they give
 * different counts. */
static bool comers_of(const struct barrier_case *c, uint32_t number, uint64_t *warps)
{
	bool is_sure = true;

	*warps = 0;
	for (uint32_t k = 0; k < c->count; k++)
		for (uint32_t j = 0; j < c->users[k].count; j++) {
			const struct barrier_does *d = &c->users[k].does[j];

			is_sure &= d->number != NAMED_BARRIERS &&
				   (d->number != number || d->count == c->group->barriers[number].expected);
			*warps |= d->number == number ? 1ull << c->users[k].warp : 0;
		}
	return is_sure;
}

/* All instructions of the barrier do. */
static bool give_count(const struct barrier_note *n, uint32_t count)
{
	for (uint32_t k = 0; k < uses_of(n); k++)
		if (n->uses[k].count != count)
			return false;
	return true;
}

/* True: it may be, and has been added. */
static bool too_large(const struct barrier_case *c, uint32_t number)
{
	const struct barrier_note *n = &c->group->barrier_notes[number];
	const struct barrier *b = &c->group->barriers[number];
	bool all_have_come = users_of(n) == n->came && !n->twice; /* with all their lanes */
	uint64_t warps;
	uint32_t threads;

	if (n->more_uses || n->phase || !barrier_lacks(c, number) || users_of(n) != n->came)
		return false;
	if (all_have_come && number == c->link->barrier)
		hang_who(c->e, "no other warp of the group has ever come to it");
	if (!comers_of(c, number, &warps) && (!all_have_come || !give_count(n, b->expected)))
		return false;
	threads = barrier_threads(c, warps);
	/* counts are of whole warps (PTX ISA, "bar"): else lanes of these may be missing */
	if (b->arrived % c->lanes || threads >= b->expected || c->waiters[number] & c->arrivers[number] ||
		others_may_come(c, warps, b->expected - threads))
		return false;
	add_counts(c, number, b->expected, threads);
	return true;
}

static bool any_too_large(const struct barrier_case *c)
{
	if (too_large(c, c->link->barrier))
		return true;
	for (uint32_t k = 0; k < NAMED_BARRIERS; k++)
		if (k != c->link->barrier && too_large(c, k))
			return true;
	return false;
}

void barrier_mends_add(struct explanation *e, const struct link *link)
{
	const struct barrier_case *c;

	if (link->barrier >= NAMED_BARRIERS || !link->at.r->group->barriers[link->barrier].expected)
		return;
	c = barrier_case_of(e, link);
	barrier_rule_twice(c);
	if (any_different_counts(c))
		return;
	any_too_large(c);
	barrier_rule_number(c);
	barrier_rule_first_number(c);
	barrier_rule_first(c);
	barrier_rule_gone(c, barrier_rule_turn(c));
}

bool barrier_mends_any(const struct explanation *e, const struct link *link)
{
	struct finding_detail detail = *e->detail;
	struct explanation aside = *e;

	aside.detail = &detail;
	aside.what = aside.who = (struct text){.arena = e->arena};
	barrier_mends_add(&aside, link);
	return detail.mend_count > e->detail->mend_count;
}
