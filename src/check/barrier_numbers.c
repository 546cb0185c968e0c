/* Whether the instructions of one line give the wrong barrier numbers (barrier_rules.h): with others each barrier gets
 * as many threads as it counts, of which some wait and others arrive; with those that they give one does not. */
#include "check/barrier_rules.h"
#include "check/mbarrier_rules.h"

#include <string.h>

#define MOST_OTHERS 10 /* changes that are added */

/* The instructions of a line, of some warps, with other numbers. */
struct others {
	uint32_t line;  /* pc */
	uint32_t depth; /* the line and this many calls around it were the same, whatever was around these */
	uint64_t warps;
	uint8_t to[NAMED_BARRIERS];
};

/* What comes to a barrier. */
struct comers {
	uint64_t waiters, arrivers;
	uint32_t count;
	bool is_unclear; /* different counts, or one that is not known */
};

static bool is_same_place(const struct frame *a, const struct frame *b)
{
	return a->place.line == b->place.line && !strcmp(a->place.file, b->place.file);
}

static bool is_line(const struct barrier_case *c, uint32_t line, uint32_t depth, uint32_t pc)
{
	const struct kernel *kernel = c->e->kernel;
	struct frame of_line[KERNEL_FRAMES], of_pc[KERNEL_FRAMES];
	uint32_t a, b;

	if (line == pc || kernel->code[line].op != kernel->code[pc].op)
		return line == pc;
	a = kernel_frames(kernel, line, of_line);
	b = kernel_frames(kernel, pc, of_pc);
	for (uint32_t k = 1; k <= depth + 1; k++)
		if (k > a || k > b)
			return a == b;
		else if (!is_same_place(&of_line[a - k], &of_pc[b - k]))
			return false;
	return true;
}

static uint32_t number_of(const struct barrier_case *c, const struct barrier_user *u, const struct barrier_does *d,
	const struct others *o)
{
	bool is_other = o && d->number < NAMED_BARRIERS && o->warps >> u->warp & 1 &&
			o->to[d->number] < NAMED_BARRIERS && !d->is_first && is_line(c, o->line, o->depth, d->pc);

	return is_other ? o->to[d->number] : d->number;
}

/* *is_vague: a warp may come to more barriers, by numbers that are not known. */
static void list_comers(
	const struct barrier_case *c, const struct others *o, struct comers of[NAMED_BARRIERS], bool *is_vague)
{
	memset(of, 0, NAMED_BARRIERS * sizeof *of);
	for (uint32_t k = 0; k < c->count; k++)
		for (uint32_t j = 0; j < c->users[k].count; j++) {
			const struct barrier_user *u = &c->users[k];
			const struct barrier_does *d = &u->does[j];
			uint32_t number = number_of(c, u, d, o);

			*is_vague |= number == NAMED_BARRIERS;
			if (number == NAMED_BARRIERS || d->is_first)
				continue;
			*(d->waits ? &of[number].waiters : &of[number].arrivers) |= 1ull << u->warp;
			of[number].is_unclear |= !d->count || (of[number].count && of[number].count != d->count);
			of[number].count = d->count;
		}
}

static bool is_balanced(const struct barrier_case *c, const struct others *o)
{
	struct comers of[NAMED_BARRIERS];
	bool is_vague = false;

	list_comers(c, o, of, &is_vague);
	for (uint32_t k = 0; k < NAMED_BARRIERS; k++) {
		uint32_t threads = barrier_threads(c, of[k].waiters | of[k].arrivers);

		if (!threads)
			continue;
		if (of[k].is_unclear || !of[k].waiters || of[k].waiters & of[k].arrivers || threads > of[k].count ||
			(threads < of[k].count && !is_vague))
			return false;
	}
	return true;
}

static bool counts_differ(const struct barrier_case *c)
{
	struct comers of[NAMED_BARRIERS];
	bool is_vague = false;

	list_comers(c, NULL, of, &is_vague);
	for (uint32_t k = 0; k < NAMED_BARRIERS; k++)
		if (of[k].is_unclear)
			return true;
	return false;
}

/* ---- What is tried ---- */

/* Of a line: the numbers that its instructions give, and which warps give each. */
struct line {
	uint32_t pc, numbers;
	uint32_t depth;
	uint64_t warps[NAMED_BARRIERS], all;
};

static struct line line_of(const struct barrier_case *c, uint32_t pc, uint32_t depth)
{
	struct line line = {.pc = pc, .depth = depth};

	for (uint32_t k = 0; k < c->count; k++)
		for (uint32_t j = 0; j < c->users[k].count; j++) {
			const struct barrier_does *d = &c->users[k].does[j];

			if (d->number == NAMED_BARRIERS || d->is_first || !is_line(c, pc, depth, d->pc))
				continue;
			line.numbers |= 1u << d->number;
			line.warps[d->number] |= 1ull << c->users[k].warp;
			line.all |= 1ull << c->users[k].warp;
		}
	return line;
}

struct search {
	const struct barrier_case *c;
	uint32_t added;
};

/* Where one of the warps gives a number that another takes the place of. */
static uint32_t place_of(const struct barrier_case *c, const struct others *o)
{
	for (uint32_t k = 0; k < c->count; k++)
		for (uint32_t j = 0; j < c->users[k].count; j++) {
			const struct barrier_does *d = &c->users[k].does[j];

			if (number_of(c, &c->users[k], d, o) != d->number)
				return d->pc;
		}
	return o->line;
}

static void add_others(struct search *s, const struct others *o, enum hang_cause cause)
{
	struct mend_turns *turns = barrier_new_turns(s->c);
	struct change change = {.mend = MEND_OTHER, .pc = place_of(s->c, o), .turns = turns};

	turns->warps = o->warps;
	memcpy(turns->to, o->to, sizeof turns->to);
	change.thread = barrier_thread_of(s->c, (uint32_t)__builtin_ctzll(o->warps));
	change.values[2] = (uint64_t)__builtin_popcountll(o->warps) - 1;
	change.values[3] = o->warps != line_of(s->c, o->line, o->depth).all;
	for (uint32_t k = 0; k < s->c->e->kernel->code_count && change.pc_count < CHANGE_PCS; k++)
		if (s->c->e->kernel->code[k].kind == INSN_BARRIER && is_line(s->c, o->line, o->depth, k))
			change.pcs[change.pc_count++] = k;
	barrier_add(s->c, cause, change);
	s->added++;
}

/* With the other numbers somebody arrives at each of these barriers.  Where warps only wait, it is not known which of
 * them should meet. */
static bool is_turn(const struct barrier_case *c, const struct others *o)
{
	struct comers of[NAMED_BARRIERS];
	bool is_vague = false;

	list_comers(c, o, of, &is_vague);
	for (uint32_t k = 0; k < NAMED_BARRIERS; k++)
		if (o->to[k] < NAMED_BARRIERS && !of[o->to[k]].arrivers && !is_vague)
			return false;
	return true;
}

static void try_others(struct search *s, const struct others *o)
{
	if (s->added < MOST_OTHERS && o->warps && is_balanced(s->c, o) && is_turn(s->c, o))
		add_others(s, o, CAUSE_WRONG_NUMBER);
}

static uint32_t list_bits(uint32_t bits, uint32_t *list)
{
	uint32_t count = 0;

	for (; bits; bits &= bits - 1)
		list[count++] = (uint32_t)__builtin_ctz(bits);
	return count;
}

/* All numbers of the line become those of `targets`, as many, in their order and turned by any distance: all of them,
 * or as many parts of the same size, as where each stage has numbers of its own. */
static void try_turned(struct search *s, const struct line *line, uint32_t targets)
{
	uint32_t from[NAMED_BARRIERS], to[NAMED_BARRIERS], count = list_bits(line->numbers, from);

	if (list_bits(targets, to) != count)
		return;
	for (uint32_t part = 1; part <= count; part++)
		for (uint32_t distance = targets == line->numbers || part < count; distance < part; distance++) {
			struct others o = {.line = line->pc, .depth = line->depth, .warps = line->all};

			if (count % part)
				continue;
			memset(o.to, NAMED_BARRIERS, sizeof o.to);
			for (uint32_t k = 0; k < count; k++)
				o.to[from[k]] = (uint8_t)to[k / part * part + (k + distance) % part];
			try_others(s, &o);
		}
}

static void try_one(struct search *s, const struct line *line, uint32_t from, uint32_t to, uint64_t warps)
{
	struct others o = {.line = line->pc, .depth = line->depth, .warps = warps};

	memset(o.to, NAMED_BARRIERS, sizeof o.to);
	o.to[from] = (uint8_t)to;
	if (from != to)
		try_others(s, &o);
}

/* Warps that do the same, apart from the line: those that wait at the same barriers. */
static uint64_t class_of(const struct barrier_case *c, uint64_t warps, uint32_t warp)
{
	uint64_t same = warps;

	for (uint32_t k = 0; k < NAMED_BARRIERS; k++)
		same &= c->waiters[k] >> warp & 1 ? c->waiters[k] : ~c->waiters[k];
	return same;
}

/* Some of the warps that give a number give another one. */
static void try_some(struct search *s, const struct line *line, uint32_t from, uint32_t used)
{
	uint64_t at_both = s->c->waiters[from] & s->c->arrivers[from] & line->warps[from];

	for (uint32_t to = 0; to < NAMED_BARRIERS; to++) {
		if (!(used >> to & 1))
			continue;
		try_one(s, line, from, to, at_both);
		for (uint64_t m = line->warps[from]; m; m &= ~class_of(s->c, m, (uint32_t)__builtin_ctzll(m))) {
			uint64_t same = class_of(s->c, line->warps[from], (uint32_t)__builtin_ctzll(m));

			if (same != at_both)
				try_one(s, line, from, to, same);
		}
	}
}

/* Barriers where warps wait, fewer than are counted, and nobody arrives; and all that are used. */
static uint32_t waited_alone(const struct barrier_case *c, uint32_t *used)
{
	struct comers of[NAMED_BARRIERS];
	bool is_vague = false;
	uint32_t alone = 0;

	list_comers(c, NULL, of, &is_vague);
	for (uint32_t k = 0; k < NAMED_BARRIERS; k++) {
		*used |= of[k].waiters | of[k].arrivers ? 1u << k : 0;
		if (of[k].waiters && !of[k].arrivers && barrier_threads(c, of[k].waiters) < of[k].count)
			alone |= 1u << k;
	}
	return alone;
}

/* Barriers at which warps arrive and none waits. */
static uint32_t unawaited(const struct barrier_case *c)
{
	uint32_t found = 0;

	for (uint32_t k = 0; k < NAMED_BARRIERS; k++)
		found |= c->arrivers[k] && !c->waiters[k] ? 1u << k : 0;
	return found;
}

static void try_line(struct search *s, const struct line *line, uint32_t alone, uint32_t used)
{
	try_turned(s, line, line->numbers);
	if (alone != line->numbers)
		try_turned(s, line, alone);
	if (unawaited(s->c) != line->numbers)
		try_turned(s, line, unawaited(s->c));
	for (uint32_t k = 0; k < NAMED_BARRIERS; k++)
		if (line->numbers >> k & 1)
			try_some(s, line, k, used);
}

/* With fewer calls around it the line is also elsewhere. */
static bool is_elsewhere(const struct barrier_case *c, uint32_t pc, uint32_t depth)
{
	for (uint32_t k = 0; k < c->e->kernel->code_count; k++)
		if (c->e->kernel->code[k].kind == INSN_BARRIER && is_line(c, pc, depth, k) &&
			!is_line(c, pc, depth + 1, k))
			return true;
	return false;
}

/* The line with the calls that were inlined around it; and with fewer of them, as the number may be computed in what
 * was called. */
static void try_depths(struct search *s, uint32_t pc, uint32_t alone, uint32_t used)
{
	struct frame frames[KERNEL_FRAMES];
	uint32_t depth = kernel_frames(s->c->e->kernel, pc, frames) - 1;
	struct line line = line_of(s->c, pc, depth);

	try_line(s, &line, alone, used);
	while (depth > 0) {
		if (!is_elsewhere(s->c, pc, --depth))
			continue;
		line = line_of(s->c, pc, depth);
		try_line(s, &line, alone, used);
	}
}

static void try_lines(struct search *s, bool waits)
{
	struct change seen = {0};
	uint32_t used = 0, alone = waited_alone(s->c, &used);

	for (uint32_t k = 0; k < s->c->count; k++)
		for (uint32_t j = 0; j < s->c->users[k].count; j++) {
			const struct barrier_does *d = &s->c->users[k].does[j];

			if (d->waits != waits || d->is_first || change_means(&seen, d->pc))
				continue;
			barrier_mean_line(s->c, &seen, d->pc);
			try_depths(s, d->pc, alone, used);
		}
}

/* A warp waits and arrives at the same barrier. */
static void say_both(const struct barrier_case *c)
{
	for (uint32_t k = 0; k < NAMED_BARRIERS; k++) {
		uint64_t both = c->waiters[k] & c->arrivers[k];

		if (!both)
			continue;
		hang_who(c->e, "%s both waits and arrives at barrier %u",
			barrier_warp_words(c, (uint32_t)__builtin_ctzll(both)), k);
		return;
	}
}

void barrier_rule_number(const struct barrier_case *c)
{
	struct search s = {.c = c};

	if (counts_differ(c) || (is_balanced(c, NULL) && !barrier_out_of_order(c)))
		return;
	try_lines(&s, false);
	try_lines(&s, true);
	if (s.added)
		say_both(c);
}

/* ---- First turns ---- */

/* The warps that have arrived by the line, before their first wait, at a barrier where they wait themselves. */
static uint64_t first_at_own(const struct barrier_case *c, uint32_t line, uint32_t number)
{
	uint64_t warps = 0;

	for (uint32_t k = 0; k < c->count; k++)
		for (uint32_t j = 0; j < c->users[k].count; j++) {
			const struct barrier_does *d = &c->users[k].does[j];

			if (d->is_first && !d->waits && d->number == number &&
				rule_same_line(c->e->kernel, d->pc, line))
				warps |= 1ull << c->users[k].warp;
		}
	return warps & c->waiters[number];
}

static void add_first_at(struct search *s, const struct barrier_does *first, uint64_t warps, uint32_t to)
{
	struct others o = {.line = first->pc, .depth = KERNEL_FRAMES, .warps = warps};

	memset(o.to, NAMED_BARRIERS, sizeof o.to);
	o.to[first->number] = (uint8_t)to;
	if (s->added < MOST_OTHERS)
		add_others(s, &o, to == MEND_NONE ? CAUSE_DOUBLE_ARRIVAL : CAUSE_WRONG_NUMBER);
}

/* They give the turn to those that wait at another barrier instead, or none. */
static void try_first(struct search *s, const struct barrier_does *first, uint64_t warps)
{
	for (uint32_t to = 0; to < NAMED_BARRIERS; to++)
		if (s->c->waiters[to] && !(s->c->waiters[to] & warps))
			add_first_at(s, first, warps, to);
	add_first_at(s, first, warps, MEND_NONE);
}

void barrier_rule_first_number(const struct barrier_case *c)
{
	struct search s = {.c = c};
	struct change seen = {0};

	for (uint32_t k = 0; k < c->count; k++)
		for (uint32_t j = 0; j < c->users[k].count; j++) {
			const struct barrier_does *d = &c->users[k].does[j];
			uint64_t warps = d->is_first && !d->waits && d->number < NAMED_BARRIERS
						 ? first_at_own(c, d->pc, d->number)
						 : 0;

			if (!warps || change_means(&seen, d->pc))
				continue;
			barrier_mean_line(c, &seen, d->pc);
			try_first(&s, d, warps);
		}
}
