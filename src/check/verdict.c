/* Verdicts: an explanation, and the runs that confirm or contradict it. */
#include "check/verdict.h"

#include "check/causes.h"
#include "check/change.h"
#include "check/firmware.h"
#include "check/hang.h"
#include "check/queued.h"
#include "check/stale_words.h"
#include "explore/again.h"
#include "explore/counterfactual.h"
#include "machine/lsu/stale.h"
#include "machine/state.h"
#include "util/text.h"

#include <assert.h>
#include <string.h>

struct verdict {
	struct machine *machine;
	struct launch *launch;
	struct arena *arena;
	struct finding_detail *detail;
	double until;          /* by again_clock */
	bool own_contradicted; /* the run with the explanation's own change still hangs */
	struct change queued;  /* CHANGE_QUEUED: what is enqueued behind the launch and may be missed; value_count 0 */
	bool queued_untried;
	struct text tried, untried; /* the changes with which it still hangs; and why others could not be tried */
};

/* ---- What may be the cause ----
 *
 * A word that is not written, states that repeat, a thread that does not arrive at a barrier: these are symptoms.
 * Before one of them is named as the cause, the causes that may lead to it are tried: an old line in an L1, work-groups
 * for which there is no room, lanes that wait for each other. They are also tried after any unconfirmed cause. */

struct suspect {
	enum hang_cause cause;
	struct change change;
};

#define SUSPECTS 8

/* The cause that the explanation gives, or a suspect that has been confirmed since. */
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
	for (const struct launch *l = v->machine->launches; l; l = l->next)
		if (l->next_group < l->total_groups)
			return true;
	return false;
}

/* Whether threads arrive at a barrier does not depend on how lanes are scheduled. */
static bool may_be_parked(const struct verdict *v)
{
	return !v->machine->independent && named_cause(v) != CAUSE_BARRIER;
}

static void add(struct suspect *list, uint32_t *count, enum hang_cause cause, const struct change *change)
{
	for (uint32_t k = 0; k < *count; k++)
		if (list[k].change.kind == change->kind &&
			(change->kind != CHANGE_WORD || list[k].change.address == change->address))
			return;
	if (*count < SUSPECTS)
		list[(*count)++] = (struct suspect){.cause = cause, .change = *change};
}

/* The causes that may lead to a symptom, in the order in which they are tried. */
static const struct {
	enum hang_cause cause;
	enum change_kind change;
	bool (*may_be)(const struct verdict *v);
} deeper[] = {
	{CAUSE_STALE_CACHE, CHANGE_FRESH, has_stale_reads},
	{CAUSE_OCCUPANCY, CHANGE_RESIDENT, has_groups_to_start},
	{CAUSE_SIMT, CHANGE_INDEPENDENT, may_be_parked},
};

static void add_deeper(const struct verdict *v, struct suspect *list, uint32_t *count)
{
	for (size_t k = 0; k < sizeof deeper / sizeof *deeper; k++)
		if (deeper[k].may_be(v))
			add(list, count, deeper[k].cause, &(struct change){.kind = deeper[k].change});
}

static void add_words(
	struct suspect *list, uint32_t *count, const struct thread *at, const struct wait *waits, uint32_t found)
{
	for (uint32_t k = 0; k < found; k++) {
		struct change change = change_word(at, &waits[k]);

		if (!waits[k].is_lock)
			add(list, count, CAUSE_MISSING_SIGNAL, &change);
	}
}

static void add_words_of(const struct verdict *v, struct suspect *list, uint32_t *count,
	uint32_t (*words)(const struct thread *t, struct wait *waits, uint32_t most))
{
	struct wait waits[SUSPECTS];

	EACH_WARP(v->launch, at)
		if (wait_choose_lane(&at))
			add_words(list, count, &at, waits, words(&at, waits, SUSPECTS));
}

/* Threads that take and release locks without progress may do so to poll a word that no thread writes. */
static void add_signals(const struct verdict *v, struct suspect *list, uint32_t *count)
{
	add_words_of(v, list, count, waits_of);
	add_words_of(v, list, count, waits_of_unsteady);
}

/* The suspects in the order in which they are tried; returns how many. */
static uint32_t list_suspects(const struct verdict *v, struct suspect list[SUSPECTS])
{
	enum hang_cause cause = named_cause(v);
	uint32_t count = 0;

	if (cause_is_symptom(cause))
		add_deeper(v, list, &count);
	if (v->queued.value_count)
		add(list, &count, CAUSE_QUEUED_BEHIND, &v->queued);
	add(list, &count, cause, &v->detail->change);
	add_deeper(v, list, &count);
	if (cause == CAUSE_LIVELOCK)
		add_signals(v, list, &count);
	return count;
}

/* ---- Trying ---- */

/* Notes for the message what did not help, or why something could not be tried; each once. */
static void note(struct verdict *v, const struct counterfactual *c)
{
	struct text *text = c->verdict == COUNTERFACTUAL_UNTRIED ? &v->untried : &v->tried;

	if (!text->length || !strstr(text->at, c->words))
		text_print(text, "%s%s", text->length ? "; " : "", c->words);
}

/* The suspect whose change lets the launch make progress; null: none. */
static const struct suspect *find_cause(
	struct verdict *v, const struct suspect *list, uint32_t count, struct counterfactual *c)
{
	for (uint32_t k = 0; k < count; k++) {
		*c = counterfactual_try(v->machine, &list[k].change, v->until - again_clock(), v->arena);
		if (c->verdict == COUNTERFACTUAL_CONFIRMED)
			return &list[k];
		v->queued_untried |= c->verdict == COUNTERFACTUAL_UNTRIED && list[k].change.kind == CHANGE_QUEUED;
		v->own_contradicted |=
			c->verdict == COUNTERFACTUAL_CONTRADICTED && list[k].change.kind == v->detail->change.kind;
		note(v, c);
	}
	return NULL;
}

/* ---- All ---- */

static void say_confirmed(struct verdict *v, const struct suspect *cause, const struct counterfactual *c)
{
	struct finding_detail *d = v->detail;
	const char *stale = cause->change.kind == CHANGE_FRESH ? stale_words(v->machine, v->launch, v->arena) : NULL;

	if (cause->change.kind == CHANGE_QUEUED)
		d->facts = arena_printf(v->arena, "%s%s", d->facts,
			queued_words(v->machine, &cause->change, c->attempt, true, v->arena));

	if (cause->change.kind != d->change.kind) {
		v->launch->result.finding.cause = cause_name(cause->cause);
		d->change = cause->change;
		d->remedy = cause_remedy(cause->cause, v->machine->independent);
	}
	d->confirmed = true;
	d->message = arena_printf(v->arena, "%s%s%s. Confirmed: %s. %s", d->facts, stale ? "; " : "",
		stale ? stale : "", c->words, d->remedy);
}

/* What may write the word and cannot begin, where that could not be tried. */
static void name_queued(struct verdict *v)
{
	struct finding_detail *d = v->detail;
	const char *words = v->queued_untried ? queued_words(v->machine, &v->queued, 0, false, v->arena)
			    : named_cause(v) == CAUSE_MISSING_SIGNAL
				    ? queued_grid_words(v->machine, &d->change, v->arena)
				    : NULL;

	if (!words)
		return;
	v->launch->result.finding.cause = cause_name(CAUSE_QUEUED_BEHIND);
	d->remedy = cause_remedy(CAUSE_QUEUED_BEHIND, false);
	d->facts = arena_printf(v->arena, "%s%s", d->facts, words);
}

/* A cause that its run contradicts is not named.  One that could not be tried is, with the reason. */
static void say_unconfirmed(struct verdict *v)
{
	struct finding_detail *d = v->detail;
	const char *tried = v->tried.length ? v->tried.at : "", *untried = v->untried.length ? v->untried.at : "",
		   *between = *tried && *untried ? "; " : "";

	if (v->own_contradicted)
		v->launch->result.finding.cause = cause_name(CAUSE_UNKNOWN);
	name_queued(v);
	if (named_cause(v) == CAUSE_UNKNOWN) {
		d->message =
			arena_printf(v->arena, "%s. The cause is not known: %s%s%s", d->facts, tried, between, untried);
		return;
	}
	d->message =
		arena_printf(v->arena, "%s. Not confirmed: %s%s%s. %s", d->facts, untried, between, tried, d->remedy);
}

void verdict_give(struct machine *machine, struct launch *launch, bool proved)
{
	struct verdict v = {.machine = machine, .launch = launch, .arena = machine->gpu->arena};
	struct suspect list[SUSPECTS];
	const struct suspect *cause;
	struct counterfactual c;

	if (launch->firmware) {
		firmware_hang_explain(machine, launch, proved);
		return;
	}
	v.tried.arena = v.untried.arena = v.arena;
	v.until = again_clock() + machine->gpu->explain_seconds;
	hang_explain(machine, launch, proved);
	v.detail = (struct finding_detail *)(uintptr_t)launch->result.finding.detail; /* made by hang_explain, for us */
	if (named_cause(&v) == CAUSE_MISSING_SIGNAL)
		v.queued = queued_change(machine, &v.detail->change);
	cause = find_cause(&v, list, list_suspects(&v, list), &c);
	if (cause && v.queued_untried && cause->change.kind == CHANGE_WORD) { /* it would go on, whoever writes */
		note(&v, &c);
		cause = NULL;
	}
	if (cause)
		say_confirmed(&v, cause, &c);
	else
		say_unconfirmed(&v);
}
