/* Verdicts: an explanation, and the runs that confirm, contradict or do not separate it. */
#include "check/verdict.h"

#include "check/causes.h"
#include "check/change.h"
#include "check/hang.h"
#include "check/hang_text.h"
#include "explore/again.h"
#include "explore/counterfactual.h"
#include "machine/lsu/stale.h"
#include "machine/state/machine.h"
#include "util/text.h"

#include <assert.h>
#include <string.h>

/* What came of a change, by how much it explains.  A launch that is changed from its start may get further by chance
 * before it hangs; one that was the same until the change does not. */
enum effect {
	NO_EFFECT,
	RUNS_ON, /* changed from its start, it got further and was not found to hang */
	GOES_ON, /* changed at a moment, it got further */
	HIDES,   /* it completes, with races that the change has let happen: that is not the cause */
	COMPLETES,
};

#define HELPED 40

struct verdict {
	struct machine *machine;
	struct launch *launch;
	struct arena *arena;
	struct finding_detail *detail;
	double until;           /* by again_clock */
	bool own_contradicted;  /* a run with one of the explanation's own changes still hangs */
	struct change queued;   /* CHANGE_QUEUED: what is enqueued behind the launch and may be missed; value_count 0 */
	uint32_t queued_helped; /* which of these let it go on */
	bool queued_untried;
	uint32_t untried_count; /* changes that could not be tried */
	bool no_time;           /* one of them for lack of time */
	const char *doubt;      /* of the mend that explains most; null: none */
	/* with what the launch went on, in words */
	struct helped {
		enum effect effect;
		bool is_racy; /* COMPLETES, with what the checks find in the unchanged launch, too */
		const char *words;
	} helped[HELPED];
	uint32_t helped_count;
	/* with what it still hangs, and why other things could not be tried */
	struct text tried, untried;
};

/* ---- What may be the cause ----
 *
 * A cause is confirmed when the launch goes on without it, and does not when a rival is removed instead.  Rivals are
 * the causes that hide behind others: an old line in an L1, work-groups for which there is no room, lanes that wait for
 * each other.  A word that is not written, states that repeat, a thread that does not arrive at a barrier are symptoms:
 * their rivals are tried first, and take their place. */

struct suspect {
	enum hang_cause cause;
	struct change change;
	const struct finding_detail *told; /* what is said of it instead; null: nothing else */
	bool is_last;                      /* of a mend: see there ... */
	const char *doubt;                 /* ... likewise */
};

#define SUSPECTS FINDING_RIVALS

/* The cause that the explanation gives, or a rival that has taken its place. */
static enum hang_cause named_cause(const struct verdict *v)
{
	enum hang_cause cause = cause_of_name(v->launch->result.finding.cause);

	assert(cause < HANG_CAUSES);
	return cause;
}

static bool has_stale_reads(const struct verdict *v)
{
	return stale_next(v->machine, NULL);
}

static bool has_groups_to_start(const struct verdict *v)
{
	for (const struct launch *l = v->machine->launches.first; l; l = l->next)
		if (l->dispatch.next_group < l->total_groups)
			return true;
	return false;
}

static bool any_lane_is_parked(const struct verdict *v)
{
	EACH_WARP(v->launch, at)
		for (lane_mask m = at.r->warp.live; m; m &= m - 1) {
			struct thread t = thread_at(at.core, at.r, (uint32_t)__builtin_ctzll(m));

			if (thread_is_parked(&t))
				return true;
		}
	return false;
}

/* Whether threads arrive at a barrier does not depend on how lanes are scheduled. */
static bool may_be_parked(const struct verdict *v)
{
	enum hang_cause cause = named_cause(v);

	if (v->machine->independent || cause == CAUSE_BARRIER)
		return false;
	return cause_is_symptom(cause) || any_lane_is_parked(v);
}

static void add(struct suspect *list, uint32_t *count, enum hang_cause cause, const struct change *change)
{
	for (uint32_t k = 0; k < *count; k++)
		if (list[k].change.kind == change->kind && change->kind != CHANGE_MBARRIER &&
			(change->kind != CHANGE_WORD || list[k].change.address == change->address))
			return;
	if (*count < SUSPECTS)
		list[(*count)++] = (struct suspect){.cause = cause, .change = *change};
}

static void add_mend(const struct verdict *v, struct suspect *list, uint32_t *count, uint32_t k)
{
	const struct finding_mend *mend = &v->detail->mends[k];
	uint32_t before = *count;

	add(list, count, cause_of_name(mend->cause), &mend->change);
	if (*count > before)
		list[before].told = v->detail->told[k], list[before].is_last = mend->is_last,
		list[before].doubt = mend->doubt;
}

/* In the order in which they are tried. */
static const struct {
	enum hang_cause cause;
	enum change_kind change;
	bool (*may_be)(const struct verdict *v);
} rivals[] = {
	{CAUSE_STALE_CACHE, CHANGE_FRESH, has_stale_reads},
	{CAUSE_OCCUPANCY, CHANGE_RESIDENT, has_groups_to_start},
	{CAUSE_SIMT, CHANGE_INDEPENDENT, may_be_parked},
};

static uint32_t list_rivals(const struct verdict *v, struct suspect list[SUSPECTS])
{
	uint32_t count = 0;

	if (v->queued.value_count)
		add(list, &count, CAUSE_QUEUED_BEHIND, &v->queued);
	for (size_t k = 0; k < sizeof rivals / sizeof *rivals; k++)
		if (rivals[k].change != v->detail->change.kind && rivals[k].may_be(v))
			add(list, &count, rivals[k].cause, &(struct change){.kind = rivals[k].change});
	for (uint32_t k = 0; k < v->detail->mend_count; k++)
		add_mend(v, list, &count, k);
	return count;
}

static void add_words(const struct verdict *v, struct suspect *list, uint32_t *count,
	uint32_t (*words)(const struct thread *t, struct wait *waits, uint32_t most))
{
	struct wait waits[SUSPECTS];

	EACH_WARP(v->launch, at) {
		uint32_t found = wait_choose_lane(&at) ? words(&at, waits, SUSPECTS) : 0;

		for (uint32_t k = 0; k < found; k++) {
			struct change change = change_word(&at, &waits[k]);

			if (!waits[k].is_lock)
				add(list, count, CAUSE_MISSING_SIGNAL, &change);
		}
	}
}

/* What the waiting threads could be given; returns how many.  Threads that take and release locks without progress may
 * do so to poll a word that no thread writes. */
static uint32_t list_wishes(const struct verdict *v, struct suspect list[SUSPECTS])
{
	const struct finding_detail *d = v->detail;
	enum hang_cause cause = named_cause(v);
	uint32_t count = 0;

	if (!change_removes_cause(d->change.kind))
		add(list, &count, cause, &d->change);
	else if (d->wish.kind != CHANGE_NONE)
		add(list, &count, cause, &d->wish);
	if (cause == CAUSE_LIVELOCK) {
		add_words(v, list, &count, waits_of);
		add_words(v, list, &count, waits_of_unsteady);
	}
	return count;
}

/* ---- Words ---- */

/* With its first letter a capital one. */
static const char *capital(const struct verdict *v, const char *words)
{
	char *text = arena_printf(v->arena, "%s", words);

	hang_begin_sentence(text);
	return text;
}

/* A part of a message, with a stop at its end, too; "" if there is none. */
static const char *sentence(const struct verdict *v, const char *words)
{
	return capital(v, arena_printf(v->arena, "%s%s", words, *words ? "." : ""));
}

/* ---- Trying ---- */

/* Adds it to the text, once, as a sentence's part. */
static void note(struct text *text, const char *words)
{
	if (*words && (!text->length || !strstr(text->at, words)))
		text_print(text, "%s%s", text->length ? "; " : "", words);
}

/* *shown, unless null, gets what the run has shown. */
static enum effect try_suspect(
	struct verdict *v, const struct suspect *suspect, bool is_own, struct counterfactual *shown)
{
	struct gpu_experiment *experiment = &v->machine->gpu->experiment;

	experiment->test++;
	again_show(v->machine->gpu, 0);

	struct counterfactual c = counterfactual_try(v->machine, &suspect->change, v->until - again_clock(), v->arena);

	if (shown)
		*shown = c;
	v->own_contradicted |= is_own && c.verdict == COUNTERFACTUAL_CONTRADICTED;
	if (suspect->change.kind == CHANGE_QUEUED) {
		v->queued_helped = c.attempt;
		v->queued_untried = c.verdict == COUNTERFACTUAL_UNTRIED;
	}
	v->untried_count += c.verdict == COUNTERFACTUAL_UNTRIED;
	v->no_time |= c.no_time;
	if (c.verdict != COUNTERFACTUAL_WENT_ON && suspect->is_last && !c.no_time)
		return NO_EFFECT;
	if (c.verdict != COUNTERFACTUAL_WENT_ON) {
		note(c.verdict == COUNTERFACTUAL_UNTRIED ? &v->untried : &v->tried, c.words);
		return NO_EFFECT;
	}
	enum effect effect = c.hides                                       ? HIDES
			     : c.completed                                 ? COMPLETES
			     : change_is_at_a_moment(suspect->change.kind) ? GOES_ON
									   : RUNS_ON;

	if (v->helped_count < HELPED)
		v->helped[v->helped_count++] = (struct helped){effect, c.is_racy, c.words};
	return effect;
}

/* What the rivals have shown: the most effective, the first of several, and how many causes are. */
struct best_rival {
	struct suspect suspect;
	enum effect effect;
	uint32_t count;
	bool is_clean, is_racy; /* COMPLETES: see counterfactual.h */
	uint32_t racy_count;    /* of the causes */
};

static bool makes_for_ended(enum mbarrier_mend mend)
{
	return mend == MEND_LEAVE || mend == MEND_GONE;
}

static bool makes_arrivals(enum mbarrier_mend mend)
{
	return mend == MEND_ARRIVAL || mend == MEND_DUE || mend == MEND_TURN;
}

/* It lets waits, arrivals, expectations or copies go to another mbarrier. */
static bool goes_elsewhere(enum mbarrier_mend mend)
{
	return mend == MEND_OBJECT || mend == MEND_TO || mend == MEND_MAP;
}

static bool share_instructions(const struct change *a, const struct change *b)
{
	for (uint32_t k = 0; k < a->pc_count; k++)
		if (change_means(b, a->pcs[k]))
			return true;
	return false;
}

/* The same thing done at more places, or a first turn of another thread, or arrivals that go elsewhere by another rule:
 * it says nothing more. */
static bool is_wider(const struct suspect *a, const struct suspect *than)
{
	const struct change *x = &a->change, *y = &than->change;

	if (a->cause != than->cause || x->kind != CHANGE_MBARRIER || y->kind != CHANGE_MBARRIER ||
		(x->mend != y->mend && !(x->mend == MEND_MAP && y->mend == MEND_TO)))
		return false;
	if (x->mend != y->mend)
		return share_instructions(x, y);
	return x->mend == MEND_FIRST || (x->pc == y->pc && x->thread == y->thread && x->address == y->address);
}

static bool changes_parity(enum mbarrier_mend mend)
{
	return mend == MEND_IN_TURN || mend == MEND_PARITY;
}

/* Of changes of parities, beside those that have initialised the mbarriers. */
static bool share_waits(const struct kernel *kernel, const struct change *a, const struct change *b)
{
	assert(changes_parity(a->mend) && changes_parity(b->mend));
	for (uint32_t k = 0; k < a->pc_count; k++)
		if (kernel->code[a->pcs[k]].op != OP_mbarrier_init && change_means(b, a->pcs[k]))
			return true;
	return false;
}

/* Two changes with the same cause mend different things: the one lets other instructions name another mbarrier, or ask
 * for another parity, or is a first turn in place of a later one.  With other barrier numbers at either of two lines
 * these agree: that they do not is the cause. */
static bool mend_different_things(const struct kernel *kernel, const struct change *x, const struct change *y)
{
	if (changes_parity(x->mend) && changes_parity(y->mend))
		return !share_waits(kernel, x, y);
	if (goes_elsewhere(x->mend) || goes_elsewhere(y->mend) || (x->mend == MEND_DUE && y->mend == MEND_DUE))
		return !share_instructions(x, y);
	return (x->mend == MEND_FIRST) != (y->mend == MEND_FIRST);
}

/* The same cause; or an arrival that a thread leaves out, said of its end and of the arrival; or waits that go through
 * stages in order, of which those with the right parity are a part; or an arrival that is missing here, as it goes
 * to another rank, or once to another stage. */
static bool is_same_thing(const struct verdict *v, const struct suspect *a, const struct suspect *b)
{
	const struct change *x = &a->change, *y = &b->change;
	uint32_t lanes;
	bool is_leave = makes_for_ended(x->mend) || makes_for_ended(y->mend),
	     is_arrival = makes_arrivals(x->mend) || makes_arrivals(y->mend);

	if (x->kind != CHANGE_MBARRIER || y->kind != CHANGE_MBARRIER)
		return a->cause == b->cause;
	if (a->cause == b->cause)
		return !mend_different_things(v->launch->kernel, x, y);
	if ((x->mend == MEND_IN_ORDER && (y->mend == MEND_IN_ORDER || y->mend == MEND_IN_TURN)) ||
		(x->mend == MEND_IN_TURN && y->mend == MEND_IN_ORDER))
		return true;
	if (is_arrival && (x->mend == MEND_RANK || y->mend == MEND_RANK))
		return x->group == y->group;
	if ((x->mend == MEND_TO && y->mend == MEND_ARRIVAL) || (x->mend == MEND_ARRIVAL && y->mend == MEND_TO))
		return x->group == y->group;
	lanes = v->machine->model->warp_size;
	return is_leave && is_arrival && x->group == y->group && x->thread / lanes == y->thread / lanes;
}

/* Arrivals at named barriers that no warp makes.  Where a change of what warps do themselves helps as well, that
 * explains more. */
static bool makes_more_arrivals(const struct change *change)
{
	return change->kind == CHANGE_MBARRIER &&
	       (change->mend == MEND_FIRST || change->mend == MEND_TURN || change->mend == MEND_GONE);
}

static bool changes_arrivals(const struct change *change)
{
	return change->kind == CHANGE_MBARRIER &&
	       (change->mend == MEND_OTHER || change->mend == MEND_TWICE || change->mend == MEND_SINGLE);
}

/* Of two changes with which the launch completes, the one explains more with which the checks find nothing any more. */
static bool is_cleaner(const struct counterfactual *c, const struct best_rival *than)
{
	return c->is_clean && than->is_racy;
}

/* What has helped as much as the best so far. */
static void compare_equal(
	const struct verdict *v, struct best_rival *best, const struct suspect *rival, const struct counterfactual *c)
{
	bool differs = !is_same_thing(v, rival, &best->suspect) &&
		       !(makes_more_arrivals(&rival->change) && changes_arrivals(&best->suspect.change));

	assert(best->racy_count <= best->count);
	if (is_cleaner(c, best)) {
		*best = (struct best_rival){*rival, best->effect, best->count - best->racy_count + 1, .is_clean = true};
	} else if (!(c->is_racy && best->is_clean)) {
		best->count += differs;
		best->racy_count += differs && c->is_racy;
	}
}

/* What completes with a race, beside a change that removes the race, is told as less. */
static void set_back_racy(struct verdict *v)
{
	for (uint32_t k = 0; k < v->helped_count; k++)
		if (v->helped[k].is_racy) {
			v->helped[k].effect = GOES_ON;
			v->helped[k].words =
				arena_printf(v->arena, "%s, with a race that it has as it is", v->helped[k].words);
		}
}

static struct best_rival try_rivals(struct verdict *v)
{
	struct finding_detail *d = v->detail;
	struct best_rival best = {.effect = NO_EFFECT};
	struct suspect list[SUSPECTS];
	uint32_t count = list_rivals(v, list);

	for (uint32_t k = 0; k < count; k++) {
		uint32_t untried = v->untried_count;
		struct counterfactual c;
		enum effect effect;

		if (best.effect == COMPLETES && (list[k].is_last ? !best.is_racy : is_wider(&list[k], &best.suspect)))
			continue;
		effect = try_suspect(v, &list[k], false, &c);

		if (v->untried_count == untried && (effect != NO_EFFECT || !list[k].is_last))
			d->rivals[d->rival_count++] =
				(struct finding_rival){cause_name(list[k].cause), effect != NO_EFFECT};
		if (effect > best.effect)
			best = (struct best_rival){list[k], effect, 1, c.is_clean, c.is_racy, c.is_racy};
		else if (effect && effect == best.effect)
			compare_equal(v, &best, &list[k], &c);
	}
	if (best.is_clean)
		set_back_racy(v);
	return best;
}

static const char *remedy_for(const struct verdict *v, enum hang_cause cause)
{
	const struct stale_read *s = cause == CAUSE_STALE_CACHE ? stale_first(v->machine, v->launch) : NULL;

	return cause_remedy(
		cause, v->machine->independent, s && v->launch->kernel->code[s->pc].access.order > order_WEAK);
}

/* What is said of a mend takes the place of what was said of the first one. */
static void tell_instead(struct finding_detail *d, const struct finding_detail *told)
{
	d->what = told->what;
	d->who = told->who;
	d->barrier = told->barrier;
	d->line_count = told->line_count;
	memcpy(d->lines, told->lines, sizeof d->lines);
	memcpy(d->roles, told->roles, sizeof d->roles);
	d->thread_count = told->thread_count;
	memcpy(d->threads, told->threads, sizeof d->threads);
}

/* The rival takes the place of the cause that was named, and of what was said about that if it is another one. */
static void name_rival(struct verdict *v, const struct suspect *rival)
{
	struct finding_detail *d = v->detail;
	bool is_mend = rival->change.kind == CHANGE_MBARRIER; /* what was said are facts about the same mbarrier */
	const char *who = rival->cause == named_cause(v) || is_mend ? d->who : NULL;

	v->launch->result.finding.cause = cause_name(rival->cause);
	d->change = rival->change;
	d->remedy = remedy_for(v, rival->cause);
	d->who = rival->change.kind == CHANGE_QUEUED
			 ? queued_words(v->machine, &rival->change, v->queued_helped, true, v->arena)
			 : who;
	if (rival->told)
		tell_instead(d, rival->told);
	for (uint32_t k = 0; k < d->rival_count; k++)
		if (!strcmp(d->rivals[k].cause, cause_name(rival->cause)))
			d->rivals[k] = d->rivals[--d->rival_count];
}

/* The symptom stays the cause, as the record allows another one than the rival's. */
static void doubt_rival(struct verdict *v, const struct best_rival *rival)
{
	if (rival->suspect.told)
		tell_instead(v->detail, rival->suspect.told);
	v->doubt = rival->count == 1 ? rival->suspect.doubt : NULL;
}

/* What may write the word and cannot begin, where that could not be tried. */
static void name_queued(struct verdict *v)
{
	const char *words = v->queued_untried ? queued_words(v->machine, &v->queued, 0, false, v->arena)
			    : named_cause(v) == CAUSE_MISSING_SIGNAL
				    ? queued_grid_words(v->machine, &v->detail->change, v->arena)
				    : NULL;

	if (!words)
		return;
	v->launch->result.finding.cause = cause_name(CAUSE_QUEUED_BEHIND);
	v->detail->remedy = remedy_for(v, CAUSE_QUEUED_BEHIND);
	v->detail->who = words;
	v->own_contradicted = false; /* that was missing-signal */
}

/* Of a stale-cache that is confirmed: which load got the old value, and when it was overwritten. */
static void add_stale_read(struct verdict *v)
{
	struct finding_detail *d = v->detail;
	const char *stale =
		d->confirmed && d->change.kind == CHANGE_FRESH ? stale_words(v->machine, v->launch, v->arena) : NULL;

	if (stale)
		d->who = arena_printf(
			v->arena, "%s%s%s", d->who ? sentence(v, d->who) : "", d->who ? " " : "", capital(v, stale));
}

/* Gives the waiting threads what they wait for, one word after the other until one helps. */
static bool try_wishes(struct verdict *v)
{
	struct suspect list[SUSPECTS];
	uint32_t count = list_wishes(v, list);

	v->machine->gpu->experiment.tests += count;
	for (uint32_t k = 0; k < count; k++)
		if (try_suspect(v, &list[k], list[k].cause == named_cause(v), NULL)) {
			if (list[k].cause != named_cause(v)) {
				v->launch->result.finding.cause = cause_name(list[k].cause);
				v->detail->remedy = remedy_for(v, list[k].cause);
			}
			return true;
		}
	return false;
}

/* Those that are certain to come. */
static void count_tests(const struct verdict *v, bool removes)
{
	struct suspect list[SUSPECTS];
	struct gpu_experiment *experiment = &v->machine->gpu->experiment;

	experiment->test = 0;
	experiment->tests = list_rivals(v, list) + removes;
}

/* No change does more than hide what is wrong. */
static bool only_hides(enum effect own, enum effect rival)
{
	return (own > rival ? own : rival) == HIDES;
}

static void test(struct verdict *v)
{
	struct finding_detail *d = v->detail;
	const struct suspect own = {.cause = named_cause(v), .change = d->change};
	bool removes = change_removes_cause(d->change.kind), comes_first = !cause_is_symptom(own.cause);
	enum effect effect = NO_EFFECT;
	struct best_rival rival;

	if (own.cause == CAUSE_MISSING_SIGNAL)
		v->queued = queued_change(v->machine, &own.change);
	count_tests(v, removes);
	if (removes && comes_first)
		effect = try_suspect(v, &own, true, NULL);
	rival = try_rivals(v);
	if (removes && !comes_first && rival.effect != COMPLETES)
		effect = try_suspect(v, &own, true, NULL);
	if (rival.effect > effect && rival.effect != HIDES && rival.suspect.doubt)
		doubt_rival(v, &rival);
	else if (rival.effect > effect && rival.effect != HIDES)
		name_rival(v, &rival.suspect);
	d->confirmed = !v->no_time && !v->doubt && !only_hides(effect, rival.effect) &&
		       (rival.effect > effect ? rival.count == 1 : effect > rival.effect);
	d->would_go_on = !effect && !rival.effect && try_wishes(v);
	if (!effect && !rival.effect)
		name_queued(v);
	add_stale_read(v);
}

/* ---- All ---- */

static const char *words_of(const struct text *text)
{
	return text->length ? text->at : "";
}

static enum effect greatest_effect(const struct verdict *v)
{
	enum effect greatest = NO_EFFECT;

	for (uint32_t k = 0; k < v->helped_count; k++)
		greatest = v->helped[k].effect > greatest ? v->helped[k].effect : greatest;
	return greatest;
}

/* Of what has helped, what had the greatest effect; or, not `most`, the rest. */
static const char *what_helped(const struct verdict *v, bool most)
{
	struct text text = {.arena = v->arena};
	enum effect greatest = greatest_effect(v);

	for (uint32_t k = 0; k < v->helped_count; k++)
		if ((v->helped[k].effect == greatest) == most)
			note(&text, v->helped[k].words);
	return words_of(&text);
}

/* The words of a change before those of what came of it. */
static size_t length_of_change(const char *words, size_t length)
{
	static const char result[] = ", the kernel ";
	size_t at = length;

	assert(length <= strlen(words));
	while (at && strncmp(words + at, result, sizeof result - 1))
		at--;
	return at;
}

static bool is_of_helped(const struct verdict *v, const char *words, size_t length)
{
	size_t change = length_of_change(words, length);

	assert(v->helped_count <= HELPED);
	for (uint32_t k = 0; k < v->helped_count; k++) {
		const char *helped = v->helped[k].words;

		if (length_of_change(helped, strlen(helped)) == change && !strncmp(helped, words, change))
			return true;
	}
	return false;
}

/* With what the launch still hangs.  Not what has the words of a change that helped, at another mbarrier or in another
 * phase: a reader cannot tell the two apart. */
static const char *what_did_not_help(const struct verdict *v)
{
	struct text text = {.arena = v->arena};

	for (const char *at = words_of(&v->tried), *next; *at; at = next) {
		const char *end = strstr(at, "; ");
		size_t length = end ? (size_t)(end - at) : strlen(at);

		if (!is_of_helped(v, at, length))
			note(&text, arena_printf(v->arena, "%.*s", (int)length, at));
		next = end ? end + 2 : at + length;
	}
	return words_of(&text);
}

/* What was tried, and what it shows. */
static const char *checked(const struct verdict *v)
{
	const struct finding_detail *d = v->detail;
	const char *helped = what_helped(v, true), *less = sentence(v, what_helped(v, false)),
		   *still = sentence(v, what_did_not_help(v)), *untried = words_of(&v->untried),
		   *tried = arena_printf(v->arena, "%s%s%s", less, *less && *still ? " " : "", still),
		   *gap = *tried ? " " : "";

	if (d->confirmed)
		return arena_printf(v->arena, "Confirmed: %s.%s%s", helped, gap, tried);
	if (d->would_go_on)
		return arena_printf(v->arena, "Not confirmed: %s, but that shows what is missing, not why.%s%s", helped,
			gap, tried);
	if (v->doubt)
		return arena_printf(v->arena, "Not confirmed: %s. %s%s%s", helped, sentence(v, v->doubt), gap, tried);
	if (*helped && greatest_effect(v) == HIDES && !v->no_time)
		return arena_printf(v->arena, "Not confirmed: %s.%s%s", helped, gap, tried);
	if (*helped)
		return arena_printf(v->arena, "Not confirmed: %s: %s.%s%s",
			v->no_time ? "there was no time to try all possible causes (--explain-limit)"
				   : "more than one change helps",
			helped, gap, tried);
	if (named_cause(v) == CAUSE_UNKNOWN)
		return arena_printf(v->arena, "The cause is not known: %s%s%s.", words_of(&v->tried),
			*tried && *untried ? "; " : "", untried);
	return arena_printf(
		v->arena, "Not confirmed: %s%s%s.", untried, *tried && *untried ? "; " : "", words_of(&v->tried));
}

/* A cause that its run contradicts is not named.  One that could not be tried is, with the reason. */
static void say(struct verdict *v)
{
	struct finding_detail *d = v->detail;

	if (v->own_contradicted && !d->confirmed && !d->would_go_on && !v->helped_count)
		v->launch->result.finding.cause = cause_name(CAUSE_UNKNOWN);
	if (named_cause(v) == CAUSE_UNKNOWN)
		d->remedy = NULL;
	d->what = sentence(v, d->what);
	d->who = d->who ? sentence(v, d->who) : NULL;
	d->checked = checked(v);
	d->remedy = d->remedy ? sentence(v, d->remedy) : NULL;
	d->message = arena_printf(v->arena, "%s%s%s %s%s%s", d->what, d->who ? " " : "", d->who ? d->who : "",
		d->checked, d->remedy ? " " : "", d->remedy ? d->remedy : "");
}

void verdict_give(struct machine *machine, struct launch *launch, bool proved)
{
	struct verdict v = {.machine = machine, .launch = launch, .arena = machine->gpu->arena};

	if (firmware_hang_explain(machine, launch, proved))
		return;
	v.tried.arena = v.untried.arena = v.arena;
	v.until = again_clock() + machine->gpu->explain_seconds;
	hang_explain(machine, launch, proved);
	v.detail = (struct finding_detail *)(uintptr_t)launch->result.finding.detail; /* made by hang_explain, for us */
	test(&v);
	say(&v);
}
