/* The text report of litmus tests. */
#include "litmus/report.h"

#include "litmus/kernel.h"

#include <inttypes.h>

uint64_t litmus_forbidden(const struct litmus_result *result)
{
	uint64_t count = 0;
	for (uint32_t k = 0; k < result->outcomes.list.count && !result->bound.cut; k++)
		count += result->outcomes.list.at[k].allowed ? 0 : result->outcomes.list.at[k].count;
	return count;
}

uint64_t litmus_seen(const struct litmus_result *result, bool *allowed)
{
	uint64_t count = 0;
	*allowed = false;
	for (uint32_t k = 0; k < result->outcomes.list.count; k++) {
		const struct litmus_outcome *o = &result->outcomes.list.at[k];
		if (!litmus_fulfils(result->test->condition, o->values))
			continue;
		count += o->count;
		*allowed |= o->allowed;
	}
	return count;
}

static void write_needs(struct text *out, uint32_t needs)
{
	const char *before = "; only if ";
	if (!needs)
		text_print(out, "; nothing that --reaches lists would do");
	for (uint32_t k = 0; k < LITMUS_FREEDOMS; k++)
		if (needs >> k & 1) {
			text_print(out, "%s%s", before, litmus_freedom_words[k]);
			before = " and ";
		}
}

static void write_outcome(struct text *out, const struct litmus_result *result, const struct litmus_outcome *o)
{
	const struct litmus_test *test = result->test;
	bool fulfils = litmus_fulfils(test->condition, o->values);
	const char *verdict = o->allowed ? "allowed" : result->bound.cut ? "open" : "FORBIDDEN";
	text_print(out, "%12" PRIu64 "  %-9s %c ", o->count, verdict, fulfils ? '*' : ' ');
	for (uint32_t k = 0; k < test->variables.count; k++)
		text_print(out, " %s=%" PRId32, litmus_variable_name(out->arena, test, &test->variables.at[k]),
			o->values[k]);
	if (!o->count && o->allowed && o->shows == LITMUS_CANNOT)
		write_needs(out, o->needs);
	text_print(out, "\n");
}

bool litmus_says_progress(const struct litmus_result *result)
{
	return result->test->loops || result->progress.endings[0] != LITMUS_FINISHES;
}

/* Models of one verdict together, in their order. */
static void write_progress(struct text *out, const struct litmus_progress *progress)
{
	static const enum litmus_ending order[] = {LITMUS_FINISHES, LITMUS_MAY_HANG, LITMUS_HANGS, LITMUS_UNDECIDED};
	text_print(out, "    progress:");
	for (uint32_t ending = 0, some = 0; ending < sizeof order / sizeof *order; ending++) {
		const char *before = some ? "; " : " ";
		for (uint32_t model = 0; model < LITMUS_MODELS; model++)
			if (progress->endings[model] == order[ending]) {
				if (*before != ',')
					text_print(out, "%s%s under", before, litmus_ending_name(order[ending]));
				text_print(out, "%s %s", *before == ',' ? "," : "", litmus_model_names[model]);
				before = ",";
				some = 1;
			}
	}
	text_print(out, " (%u states)\n", progress->states);
}

static void write_bounds(struct text *out, const struct litmus_result *result)
{
	if (result->unplayed)
		text_print(out, "    note: not played: %s\n", result->unplayed);
	if (result->test->proxies)
		text_print(out, "    note: surfaces, textures, constants and aliases are global memory here; the model "
				"tells them apart\n");
	if (result->bound.cut)
		text_print(
			out, "    note: outcomes of loops are not followed beyond %u rounds\n", result->bound.rounds);
}

/* Those that were never seen, of which the GPU's model can show some. */
static void write_unseen(
	struct text *out, const struct litmus_result *result, const char *title, bool (*is_one)(enum litmus_shows))
{
	bool any = false;
	for (uint32_t k = 0; k < result->outcomes.list.count; k++) {
		const struct litmus_outcome *o = &result->outcomes.list.at[k];
		if (o->count || !is_one(o->shows))
			continue;
		if (!any)
			text_print(out, "    %s:\n", title);
		any = true;
		write_outcome(out, result, o);
	}
}

static bool may_show(enum litmus_shows shows)
{
	return shows != LITMUS_CANNOT;
}

static bool cannot_show(enum litmus_shows shows)
{
	return shows == LITMUS_CANNOT;
}

static void write_outcomes(struct text *out, const struct litmus_result *result)
{
	for (uint32_t k = 0; k < result->outcomes.list.count; k++)
		if (result->outcomes.list.at[k].count)
			write_outcome(out, result, &result->outcomes.list.at[k]);
	write_unseen(out, result, result->unplayed ? "by the model" : "never seen", may_show);
	write_unseen(out, result, "never seen, and this GPU cannot show it", cannot_show);
}

const struct litmus_instruction *litmus_side(
	const struct litmus_result *result, const struct litmus_race *race, uint32_t side)
{
	return &result->test->threads.at[race->thread[side]].code.at[race->instruction[side]];
}

const char *litmus_raced(const struct litmus_result *result, const struct litmus_race *race)
{
	return result->test->locations.at[litmus_side(result, race, 0)->location].name;
}

static void write_races(struct text *out, const struct litmus_result *result)
{
	const char *not_allowed = result->bound.cut ? "open" : "FORBIDDEN";
	text_print(out, "    %s\n",
		result->outcomes.races.count ? "races:" : "no races: none by the model, and none found");
	for (uint32_t k = 0; k < result->outcomes.races.count; k++) {
		const struct litmus_race *r = &result->outcomes.races.at[k];
		text_print(out, "%12" PRIu64 "  %-9s    %s: P%u line %u, P%u line %u\n", r->found,
			r->allowed ? "allowed" : not_allowed, litmus_raced(result, r), r->thread[0],
			litmus_side(result, r, 0)->place.line, r->thread[1], litmus_side(result, r, 1)->place.line);
	}
}

void litmus_write_text(struct text *out, const struct litmus_result *result)
{
	bool allowed, played = !result->unplayed;
	uint64_t seen = litmus_seen(result, &allowed), forbidden = litmus_forbidden(result);
	text_print(out, "%s: %s, %" PRIu64 " runs\n", result->test->file, result->test->name, result->runs);
	if (result->several_gpus)
		text_print(out, "    note: its GPUs are CTAs of one GPU here; the model judges them as GPUs\n");
	write_bounds(out, result);
	write_outcomes(out, result);
	if (result->outcomes.endless)
		text_print(out, "%12" PRIu64 "  does not end: a loop went back %d times\n", result->outcomes.endless,
			LITMUS_ROUNDS);
	text_print(out, "    %s\n    * ", result->test->condition_text);
	if (played)
		text_print(out, "seen %" PRIu64 " times, ", seen);
	text_print(out, "%s by the model: the test's expectation %s\n", allowed ? "allowed" : "forbidden",
		litmus_holds(result->test, &result->outcomes) ? "agrees" : "DISAGREES");
	if (result->says_races)
		write_races(out, result);
	if (litmus_says_progress(result))
		write_progress(out, &result->progress);
	if (forbidden)
		text_print(out, "    FORBIDDEN outcomes were seen %" PRIu64 " times\n", forbidden);
	text_print(out, "\n");
}

void litmus_write_summary(struct text *out, const struct litmus_result *const *results, uint32_t count, uint32_t bad)
{
	uint32_t agree = 0, forbidden = 0, can = 0, seen = 0, cannot = 0;
	for (uint32_t k = 0; k < count; k++) {
		agree += litmus_holds(results[k]->test, &results[k]->outcomes);
		forbidden += litmus_forbidden(results[k]) != 0;
		for (uint32_t n = 0; n < results[k]->outcomes.list.count; n++) {
			const struct litmus_outcome *o = &results[k]->outcomes.list.at[n];
			can += o->allowed && o->shows == LITMUS_CAN;
			seen += o->allowed && o->shows == LITMUS_CAN && o->count;
			cannot += o->allowed && o->shows == LITMUS_CANNOT;
		}
	}
	text_print(out, "%u test%s: %u agree with the model, %u do not; %u with forbidden outcomes; %u refused\n",
		count, count == 1 ? "" : "s", agree, count - agree, forbidden, bad);
	if (can || cannot)
		text_print(out, "allowed outcomes: %u of %u that this GPU can show were seen; %u that it cannot show\n",
			seen, can, cannot);
}

void litmus_write_freedoms(struct text *out, const char *gpu, const struct litmus_freedoms *freedoms)
{
	text_print(out, "%s: what its memory does, and by which field\n", gpu);
	if (!freedoms->known)
		text_print(out, "    a plug-in decides what an L1 keeps, so what is seen of tests is not known\n");
	for (uint32_t k = 0; k < LITMUS_FREEDOMS && freedoms->known; k++) {
		const struct lockstep_field *f = &freedoms->fields[k];
		text_print(out, "    %-3s  %s\n", freedoms->has >> k & 1 ? "yes" : "no", litmus_freedom_words[k]);
		if (f->path && f->text)
			text_print(out, "         %s = \"%s\": %s\n", f->path, f->text, f->source);
		else if (f->path)
			text_print(out, "         %s = %" PRIu64 ": %s\n", f->path, f->number, f->source);
		else
			text_print(out, "         %s\n", litmus_freedom_reasons[k]);
	}
}
