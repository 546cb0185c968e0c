/* Runs with several seeds: their findings as one list, and how they ended. */
#include "report/seeds.h"

#include "report/members.h"

#include <inttypes.h>
#include <string.h>

json_object *seeds_object(uint64_t first, uint64_t count)
{
	json_object *seeds = json_object_new_object();
	add_number(seeds, "first", first);
	add_number(seeds, "count", count);
	add_member(seeds, "runs", json_object_new_array());
	return seeds;
}

void seed_result_end(struct seed_result *result)
{
	if (result->status && !strcmp(result->outcome, "completed"))
		result->outcome = "failed";
}

#define RESULT(member) MEMBER(seed_result, member)

void seeds_add(json_object *seeds, const struct seed_result *result)
{
	static const struct member_row rows[] = {RESULT(seed), RESULT(options), RESULT(outcome), {0}},
				       counts[] = {RESULT(cycles), RESULT(warp_instructions), RESULT(findings), {0}};
	json_object *run = add_object(member(seeds, "runs"));
	members_add(run, rows, result);
	add_member(run, "status", json_object_new_int(result->status));
	members_add(run, counts, result);
}

/* ---- Findings ---- */

/* The first line of each; of a race the two lines in any order. */
static bool has_same_lines(json_object *a, json_object *b)
{
	json_object *ours = member(a, "lines"), *theirs = member(b, "lines");
	if (!length_of(ours) || !length_of(theirs))
		return length_of(ours) == length_of(theirs) && !strcmp(text_of(a, "message"), text_of(b, "message"));
	if (strcmp(text_of(a, "kind"), "race"))
		return is_same_place(element(ours, 0), element(theirs, 0));
	if (length_of(ours) != length_of(theirs))
		return false;
	if (length_of(ours) < 2)
		return is_same_place(element(ours, 0), element(theirs, 0));
	return (is_same_place(element(ours, 0), element(theirs, 0)) &&
		       is_same_place(element(ours, 1), element(theirs, 1))) ||
	       (is_same_place(element(ours, 0), element(theirs, 1)) &&
		       is_same_place(element(ours, 1), element(theirs, 0)));
}

static const char *state_of(json_object *finding, size_t thread)
{
	return text_of(element(member(finding, "threads"), thread), "state");
}

/* What the two threads of a race do, in any order: "a load of 4 bytes". */
static bool has_same_accesses(json_object *a, json_object *b)
{
	return (!strcmp(state_of(a, 0), state_of(b, 0)) && !strcmp(state_of(a, 1), state_of(b, 1))) ||
	       (!strcmp(state_of(a, 0), state_of(b, 1)) && !strcmp(state_of(a, 1), state_of(b, 0)));
}

/* How much two findings are one: SAME_NOT, or the more the greater.  A race is of a pair of lines, whatever the order
 * of a run makes of it; all else is of a cause. */
enum { SAME_NOT, SAME_LINES, SAME_CAUSE, SAME_ACCESSES };

static int sameness(json_object *a, json_object *b)
{
	bool is_race = !strcmp(text_of(a, "kind"), "race");
	if (strcmp(text_of(a, "kind"), text_of(b, "kind")) || !has_same_lines(a, b))
		return SAME_NOT;
	if (strcmp(text_of(a, "cause"), text_of(b, "cause")))
		return is_race ? SAME_LINES : SAME_NOT;
	return is_race && has_same_accesses(a, b) ? SAME_ACCESSES : SAME_CAUSE;
}

/* The most similar of the first `count`; null: none is the same. */
static json_object *find_same(json_object *all, size_t count, json_object *finding)
{
	json_object *found = NULL;
	int most = SAME_NOT;
	for (size_t k = 0; k < count; k++) {
		int same = sameness(element(all, k), finding);
		if (same <= most)
			continue;
		most = same;
		found = element(all, k);
	}
	return found;
}

static void mark(json_object *finding, const struct seed_result *result)
{
	json_object *seeds = member(finding, "seeds");
	if (!seeds) {
		seeds = json_object_new_array();
		add_member(finding, "seeds", seeds);
		add_text(finding, "first_with", result->options);
	}
	if (!length_of(seeds) || json_object_get_uint64(element(seeds, length_of(seeds) - 1)) != result->seed)
		json_object_array_add(seeds, json_object_new_uint64(result->seed));
}

void seeds_merge(json_object *all, json_object *findings, const struct seed_result *result)
{
	size_t before = all == findings ? 0 : json_object_array_length(all), count = length_of(findings);
	for (size_t k = 0; k < count; k++) {
		json_object *finding = element(findings, k), *same = find_same(all, before, finding);
		if (!same && all != findings)
			json_object_array_add(all, json_object_get(finding));
		mark(same ? same : finding, result);
	}
}

/* ---- Text ---- */

void seeds_finding_text(struct text *out, json_object *finding)
{
	json_object *seeds = member(finding, "seeds");
	if (!seeds)
		return;
	text_print(out, "  with %zu seed%s, first with %s\n", length_of(seeds), length_of(seeds) == 1 ? "" : "s",
		text_of(finding, "first_with"));
}

/* How many runs ended so; *first becomes the first of them. */
static size_t count_ended(json_object *runs, const char *outcome, json_object **first)
{
	size_t count = 0;
	*first = NULL;
	for (size_t k = 0; k < length_of(runs); k++) {
		if (strcmp(text_of(element(runs, k), "outcome"), outcome))
			continue;
		*first = *first ? *first : element(runs, k);
		count++;
	}
	return count;
}

/* The outcome of a run, if no run before it had the same; else null. */
static const char *new_outcome(json_object *runs, size_t k)
{
	const char *outcome = text_of(element(runs, k), "outcome");
	json_object *first;
	count_ended(runs, outcome, &first);
	return first == element(runs, k) ? outcome : NULL;
}

void seeds_text(struct text *out, json_object *seeds)
{
	json_object *runs = member(seeds, "runs"), *first;
	size_t found = 0;
	if (!seeds)
		return;
	text_print(out, "\nseeds: %" PRIu64 " run%s, --seed %" PRIu64 " to %" PRIu64, number_of(seeds, "count"),
		number_of(seeds, "count") == 1 ? "" : "s", number_of(seeds, "first"),
		number_of(seeds, "first") + number_of(seeds, "count") - 1);
	for (size_t k = 0; k < length_of(runs); k++) {
		const char *outcome = new_outcome(runs, k);
		found += number_of(element(runs, k), "findings") > 0;
		if (!outcome)
			continue;
		text_print(out, "%s %zu %s", k ? "," : ":", count_ended(runs, outcome, &first), outcome);
		if (strcmp(outcome, "completed"))
			text_print(out, " (first with %s)", text_of(first, "options"));
	}
	text_print(out, "; findings with %zu\n", found);
}
