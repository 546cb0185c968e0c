/* The text report of litmus tests. */
#include "litmus/report.h"

#include "litmus/model.h"

#include <inttypes.h>

uint64_t litmus_forbidden(const struct litmus_result *result)
{
	uint64_t count = 0;
	for (uint32_t k = 0; k < result->outcomes.list.count; k++)
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

static void write_outcome(struct text *out, const struct litmus_result *result, const struct litmus_outcome *o)
{
	const struct litmus_test *test = result->test;
	bool fulfils = litmus_fulfils(test->condition, o->values);
	text_print(out, "%12" PRIu64 "  %-9s %c ", o->count, o->allowed ? "allowed" : "FORBIDDEN", fulfils ? '*' : ' ');
	for (uint32_t k = 0; k < test->variables.count; k++)
		text_print(out, " %s=%" PRId32, litmus_variable_name(out->arena, test, &test->variables.at[k]),
			o->values[k]);
	text_print(out, "\n");
}

/* Those seen, then those that never were. */
static void write_outcomes(struct text *out, const struct litmus_result *result)
{
	bool never = false;
	for (uint32_t k = 0; k < result->outcomes.list.count; k++)
		if (result->outcomes.list.at[k].count)
			write_outcome(out, result, &result->outcomes.list.at[k]);
		else
			never = true;
	if (never)
		text_print(out, "    never seen:\n");
	for (uint32_t k = 0; k < result->outcomes.list.count; k++)
		if (!result->outcomes.list.at[k].count)
			write_outcome(out, result, &result->outcomes.list.at[k]);
}

void litmus_write_text(struct text *out, const struct litmus_result *result)
{
	bool allowed;
	uint64_t seen = litmus_seen(result, &allowed), forbidden = litmus_forbidden(result);
	text_print(out, "%s: %s, %" PRIu64 " runs\n", result->test->file, result->test->name, result->runs);
	if (result->several_gpus)
		text_print(out, "    note: its GPUs are CTAs of one GPU here; the model judges them as GPUs\n");
	write_outcomes(out, result);
	text_print(out, "    %s\n", result->test->condition_text);
	text_print(out, "    * seen %" PRIu64 " times, %s by the model: the test's expectation %s\n", seen,
		allowed ? "allowed" : "forbidden",
		litmus_holds(result->test, &result->outcomes) ? "agrees" : "DISAGREES");
	if (forbidden)
		text_print(out, "    FORBIDDEN outcomes were seen %" PRIu64 " times\n", forbidden);
	text_print(out, "\n");
}

void litmus_write_summary(struct text *out, const struct litmus_result *const *results, uint32_t count, uint32_t bad)
{
	uint32_t agree = 0, forbidden = 0;
	for (uint32_t k = 0; k < count; k++) {
		agree += litmus_holds(results[k]->test, &results[k]->outcomes);
		forbidden += litmus_forbidden(results[k]) != 0;
	}
	text_print(out, "%u test%s: %u agree with the model, %u do not; %u with forbidden outcomes; %u refused\n",
		count, count == 1 ? "" : "s", agree, count - agree, forbidden, bad);
}
