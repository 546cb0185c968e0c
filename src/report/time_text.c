/* Where the time went, for people: what schedulers did while a warp was resident, the costliest lines, what
 * synchronisation took; and all counters. */
#include "report/profile.h"
#include "report/style.h"

#include "lockstep.h"

#include <inttypes.h>
#include <string.h>

#define ISSUED "smsp__issue_active.sum"
#define STALLED "smsp__issue_stalled_"
#define NO_WARP "smsp__issue_stalled_no_warp.sum"
#define NOTHING_ISSUED "nothing issued: " /* how the meaning of a stall begins */
#define LINES_SHOWN 3
#define LEAST_SHARE 0.5  /* percent: what is less is summed up */
#define LEAST_SHOWN 0.05 /* percent: 0.1 in print */
#define MOST_PARTS 32

static uint64_t value_of(const uint64_t *counters, const char *name)
{
	struct lockstep_counter counter;
	for (size_t k = 0; lockstep_counter(k, &counter); k++)
		if (!strcmp(counter.name, name))
			return counters[k];
	return 0;
}

static double percent(uint64_t part, uint64_t whole)
{
	return whole ? 100 * (double)part / (double)whole : 0;
}

/* ---- What schedulers did ---- */

struct part {
	const char *words;
	uint64_t cycles;
};

static const char *without_prefix(const char *meaning)
{
	size_t length = strlen(NOTHING_ISSUED);
	return strncmp(meaning, NOTHING_ISSUED, length) ? meaning : meaning + length;
}

/* The largest first; of the same size in the order of the counters. */
static size_t list_parts(const uint64_t *counters, struct part parts[MOST_PARTS], uint64_t *all)
{
	struct lockstep_counter counter;
	size_t count = 0;
	*all = 0;
	for (size_t k = 0; lockstep_counter(k, &counter); k++) {
		bool is_stall = !strncmp(counter.name, STALLED, strlen(STALLED)) && strcmp(counter.name, NO_WARP);
		if (!counters[k] || count == MOST_PARTS || !(is_stall || !strcmp(counter.name, ISSUED)))
			continue;
		const char *words = is_stall ? without_prefix(counter.meaning) : "issuing an instruction";
		size_t place = count++;
		for (; place && parts[place - 1].cycles < counters[k]; place--)
			parts[place] = parts[place - 1];
		parts[place] = (struct part){words, counters[k]};
		*all += counters[k];
	}
	return count;
}

static void write_parts(struct text *out, const struct part *parts, size_t count, uint64_t all)
{
	char digits[TEXT_DIGITS];
	uint64_t rest = 0;
	text_print(
		out, "\nwhere the time went, of %s scheduler cycles with a warp resident\n", text_grouped(all, digits));
	for (size_t k = 0; k < count; k++) {
		if (percent(parts[k].cycles, all) >= LEAST_SHARE)
			text_print(out, "  %5.1f %%  %s\n", percent(parts[k].cycles, all), parts[k].words);
		else
			rest += parts[k].cycles;
	}
	if (percent(rest, all) >= LEAST_SHOWN)
		text_print(out, "  %5.1f %%  all else\n", percent(rest, all));
}

/* ---- Lines ---- */

struct costly {
	const struct profile_kernel *kernel;
	const struct profile_line *line;
	uint64_t cycles;
};

/* Of all kernels, whose lines are sorted. */
static size_t list_lines(const struct profile *profile, struct costly lines[LINES_SHOWN], uint64_t *all)
{
	size_t count = 0;
	*all = 0;
	for (uint32_t n = 0; n < profile->kernels.count; n++) {
		const struct profile_kernel *kernel = &profile->kernels.at[n];
		*all += profile_cycles(&kernel->cost);
		for (uint32_t k = 0; k < kernel->lines.count && k < LINES_SHOWN; k++) {
			struct costly costly = {
				kernel, &kernel->lines.at[k], profile_cycles(&kernel->lines.at[k].cost)};
			size_t place = count < LINES_SHOWN ? count++ : LINES_SHOWN;
			for (; place && lines[place - 1].cycles < costly.cycles; place--)
				if (place < LINES_SHOWN)
					lines[place] = lines[place - 1];
			if (place < LINES_SHOWN)
				lines[place] = costly;
		}
	}
	return count;
}

static void write_lines(struct text *out, const struct profile *profile)
{
	struct costly lines[LINES_SHOWN];
	uint64_t all;
	size_t count = list_lines(profile, lines, &all);
	text_print(out, "the costliest lines (details follow below)\n");
	for (size_t k = 0; k < count; k++) {
		const struct profile_cost *cost = &lines[k].line->cost;
		double share;
		size_t most = profile_main_stall(cost, &share);
		text_print(out, "  %5.1f %%  %s:%" PRIu64 "  %s", percent(lines[k].cycles, all),
			profile_base_of(lines[k].line->file), lines[k].line->line,
			profile_words(out->arena, lines[k].line));
		if (share >= PROFILE_LEAST_STALL)
			text_print(out, " (%.0f %% of that %s)", share, without_prefix(profile_meaning(most)));
		text_append(out, "\n", 1);
	}
}

void time_text(struct text *out, const uint64_t *counters, const struct profile *profile)
{
	struct part parts[MOST_PARTS];
	uint64_t all;
	size_t count = list_parts(counters, parts, &all);
	if (!count) /* functional mode has no clock */
		return;
	write_parts(out, parts, count, all);
	if (profile && profile->kernels.count)
		write_lines(out, profile);
	else
		text_print(out, "  for the costliest lines use --profile, for all counters --counters\n");
}

/* ---- Synchronisation ---- */

static void write_locks(struct text *out, const uint64_t *counters)
{
	char digits[TEXT_DIGITS];
	uint64_t taken = value_of(counters, "sync__lock_acquire_success.sum");
	uint64_t same = value_of(counters, "sync__lock_fail_same_warp.sum");
	uint64_t other = value_of(counters, "sync__lock_fail_other_warp.sum");
	if (!(taken + same + other))
		return;
	style_label(out, "locks");
	text_print(out, "%s taken", text_grouped(taken, digits));
	if (same + other) {
		text_print(out, "; %.1f %% of the attempts failed", percent(same + other, taken + same + other));
		text_print(out, ": %s held by the same warp", text_grouped(same, digits));
		text_print(out, ", %s by another", text_grouped(other, digits));
	}
	text_append(out, "\n", 1);
}

/* "LABEL  N WORDs, MORE WAITED": nothing where N is 0, and not the second where it is. */
static void write_waits(
	struct text *out, const char *label, uint64_t times, const char *word, uint64_t more, const char *waited)
{
	char digits[TEXT_DIGITS];
	if (!times)
		return;
	style_label(out, label);
	text_print(out, "%s %s%s", text_grouped(times, digits), word, times == 1 ? "" : "s");
	if (more)
		text_print(out, ", %s %s", text_grouped(more, digits), waited);
	text_append(out, "\n", 1);
}

void time_text_synchronisation(struct text *out, const uint64_t *counters)
{
	write_locks(out, counters);
	write_waits(out, "lock instructions", value_of(counters, "sync__lock_requests.sum"), "request",
		value_of(counters, "sync__lock_queue_refusals.sum"), "refused");
	write_waits(out, "polling", value_of(counters, "sync__wait_fail.sum"), "failed poll",
		value_of(counters, "sync__wait_success.sum"), "ended");
	write_waits(out, "barriers", value_of(counters, "sync__barrier_arrivals.sum"), "arrival",
		value_of(counters, "sync__barrier_wait_cycles.sum"), "warp cycles waited");
	write_waits(out, "register pools", value_of(counters, "sync__register_waits.sum"), "wait",
		value_of(counters, "sync__register_wait_cycles.sum"), "warp cycles waited");
	write_waits(out, "fences", value_of(counters, "sync__fences.sum"), "instruction",
		value_of(counters, "sync__fence_wait_cycles.sum"), "warp cycles waited");
	write_waits(out, "atomics", value_of(counters, "sync__atomic_lanes.sum"), "operation",
		value_of(counters, "sync__atomic_same_address_conflicts.sum"),
		"waited for another atomic on the same word");
}

/* ---- Counters ---- */

/* Counters come in groups of one prefix: "sm__", "l1tex__", "sync__" ... */
static size_t prefix_length(const char *name)
{
	const char *end = strstr(name, "__");
	return end ? (size_t)(end - name) : 0;
}

void time_text_counters(struct text *out, const uint64_t *counters)
{
	char digits[TEXT_DIGITS];
	struct lockstep_counter counter;
	const char *previous = NULL;
	size_t zeros = 0;
	for (size_t k = 0; lockstep_counter(k, &counter); k++) {
		size_t length = prefix_length(counter.name);
		if (!counters[k]) {
			zeros++;
			continue;
		}
		if (!previous || prefix_length(previous) != length || memcmp(previous, counter.name, length))
			style_gap(out);
		text_print(out, "  %-52s %20s %-16s %s\n", counter.name, text_grouped(counters[k], digits),
			counter.unit, counter.meaning);
		previous = counter.name;
	}
	if (zeros)
		text_print(out, "\n  (%zu counters are 0)\n", zeros);
}
