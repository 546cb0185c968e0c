/* What may be wrong with the thread counts and the numbers of named barriers: see barrier_mends.h. */
#include "check/barrier_mends.h"

#include "check/change.h"
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

/* ---- Changes ---- */

static void mean_line(const struct explanation *e, struct change *change, uint32_t pc)
{
	for (uint32_t k = 0; k < e->kernel->code_count; k++)
		if (e->kernel->code[k].kind == INSN_BARRIER && (k == pc || kernel_same_line(e->kernel, k, pc)) &&
			!change_means(change, k) && change->pc_count < CHANGE_PCS)
			change->pcs[change->pc_count++] = k;
}

static void add(struct explanation *e, const struct link *link, enum hang_cause cause, struct change change)
{
	struct finding_detail *d = e->detail;

	change.kind = CHANGE_MBARRIER;
	change.launch = link->at.r->core_launch->launch->ordinal;
	change.group = link->at.group;
	change.barrier = link->barrier;
	if (d->mend_count < FINDING_MENDS && change.pc_count < CHANGE_PCS)
		d->mends[d->mend_count++] = (struct finding_mend){cause_name(cause), change};
}

/* The instructions of the barrier that give the count, and those that give it at other barriers which they are used
 * for, too, as where the number is computed. */
static struct change at_uses(const struct explanation *e, const struct link *link, uint32_t count)
{
	const struct barrier_note *notes = link->at.r->group->barrier_notes;
	struct change change = {0};
	uint32_t before = UINT32_MAX;

	for (uint32_t k = 0; k < uses_of(&notes[link->barrier]); k++)
		if (notes[link->barrier].uses[k].count == count) {
			change.pc = change.pc_count ? change.pc : notes[link->barrier].uses[k].pc;
			mean_line(e, &change, notes[link->barrier].uses[k].pc);
		}
	for (; change.pc_count != before && change.pc_count < CHANGE_PCS;) {
		before = change.pc_count;
		for (uint32_t b = 0; b < NAMED_BARRIERS; b++) {
			bool is_linked = false;

			for (uint32_t k = 0; k < uses_of(&notes[b]); k++)
				is_linked |= change_means(&change, notes[b].uses[k].pc);
			for (uint32_t k = 0; k < uses_of(&notes[b]) && is_linked; k++)
				if (notes[b].uses[k].count == count)
					mean_line(e, &change, notes[b].uses[k].pc);
		}
	}
	return change;
}

static void add_count(struct explanation *e, const struct link *link, uint32_t from, uint32_t to)
{
	struct change change = at_uses(e, link, from);

	change.mend = MEND_THREADS;
	change.values[0] = to;
	change.values[1] = from;
	add(e, link, CAUSE_THREAD_COUNT, change);
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

static void say_uses(struct explanation *e, const struct link *link, const struct barrier_note *n)
{
	struct text text = {.arena = e->arena};

	for (uint32_t k = 0; k < uses_of(n); k++) {
		text_print(&text, "%s%u at %s%s", k ? ", " : "", n->uses[k].count, hang_place(e, n->uses[k].pc),
			role_of_all(link, n->uses[k].slots));
		hang_list_line(e, n->uses[k].pc, "uses the barrier");
	}
	hang_who(e, "its instructions give different thread counts: %s", text.at);
}

static void different_counts(struct explanation *e, const struct link *link, const struct barrier_note *n)
{
	const struct group *group = link->at.r->group;
	struct change other;
	uint32_t counts[2];

	if (n->more_uses || !two_counts(n, counts))
		return;
	say_uses(e, link, n);
	add_count(e, link, counts[0], counts[1]);
	add_count(e, link, counts[1], counts[0]);
	if (group->barriers_used >> OTHER_NUMBERS & ((1u << OTHER_NUMBERS) - 1))
		return;
	other = at_uses(e, link, counts[1]);
	other.mend = MEND_NUMBER;
	other.values[0] = OTHER_NUMBERS;
	other.values[1] = counts[1];
	add(e, link, CAUSE_SHARED_NUMBER, other);
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

/* Whether warps of the group that have never come there may be those that are missing. */
static bool others_may_come(const struct explanation *e, const struct link *link, uint64_t users, uint32_t missing)
{
	const struct group *group = link->at.r->group;
	uint64_t others = group->slots & ~users;
	const char *role = role_of_all(link, users);
	uint32_t threads = 0;

	for (uint64_t m = others; m; m &= m - 1)
		threads += warp_at(link, m)->warp.lanes;
	if (threads < missing)
		return false;
	if (!*role || !all_are_used(e, group))
		return true;
	for (uint64_t m = others; m; m &= m - 1)
		if (!*role_at(link, m) || !strcmp(role, role_at(link, m)))
			return true;
	return false;
}

static void too_large(struct explanation *e, const struct link *link, const struct barrier_note *n)
{
	const struct barrier *b = &link->at.r->group->barriers[link->barrier];
	uint64_t users = users_of(n);

	if (n->more_uses || n->phase || n->twice || !b->arrived || b->arrived >= b->expected || users != n->came)
		return;
	for (uint32_t k = 0; k < uses_of(n); k++)
		if (n->uses[k].count != b->expected)
			return;
	hang_who(e, "no other warp of the group has ever come to it");
	/* counts are of whole warps (PTX ISA, "bar"): else lanes of these may be missing */
	if (b->arrived == (uint32_t)__builtin_popcountll(users) * link->at.r->warp.lanes &&
		!others_may_come(e, link, users, b->expected - b->arrived))
		add_count(e, link, b->expected, b->arrived);
}

void barrier_mends_add(struct explanation *e, const struct link *link)
{
	const struct group *group = link->at.r->group;

	if (link->barrier >= NAMED_BARRIERS || !group->barriers[link->barrier].expected)
		return;
	different_counts(e, link, &group->barrier_notes[link->barrier]);
	too_large(e, link, &group->barrier_notes[link->barrier]);
}
