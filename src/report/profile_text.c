/* A profile for people: of each kernel the costliest lines with what happened there, then the source around them with
 * what each line cost, as `perf annotate` shows it, and the instructions of the costliest. */
#include "report/profile.h"
#include "report/reports.h"
#include "report/source.h"
#include "report/style.h"
#include "util/demangle.h"

#include <inttypes.h>
#include <string.h>

#define LINES_SHOWN 12
#define LINES_OPENED 3 /* whose instructions are shown */
#define LINES_AROUND 2
#define MOST_FILES 64

struct source {
	const char *file;
	const char *const *lines;
	size_t count;
};

struct sources {
	struct source files[MOST_FILES];
	size_t count;
};

static double percent(uint64_t part, uint64_t whole)
{
	return whole ? 100 * (double)part / (double)whole : 0;
}

const char *profile_base_of(const char *file)
{
	return *file ? basename(file) : "(no source)";
}

/* A line of a file, or "". */
static const char *source_text(struct arena *arena, struct sources *sources, const char *file, uint64_t line)
{
	size_t k = 0;
	while (k < sources->count && strcmp(sources->files[k].file, file))
		k++;
	if (k == MOST_FILES)
		return "";
	if (k == sources->count) {
		struct source *s = &sources->files[sources->count++];
		s->file = file;
		s->lines = report_source_lines(arena, file, &s->count);
	}
	return line && line <= sources->files[k].count ? sources->files[k].lines[line - 1] : "";
}

/* ---- What happened at a line ---- */

static void note(struct text *out, const char *format, uint64_t value, uint64_t all)
{
	char digits[TEXT_DIGITS];
	if (value)
		text_print(out, format, text_grouped(value, digits), percent(value, all));
}

static void write_locks(struct text *out, const struct profile_cost *c)
{
	uint64_t won = profile_value(c, "sync__lock_acquire_success.sum");
	uint64_t same = profile_value(c, "sync__lock_fail_same_warp.sum");
	uint64_t other = profile_value(c, "sync__lock_fail_other_warp.sum");
	uint64_t attempts = won + same + other;
	if (!attempts)
		return;
	note(out, "; %s lock attempts", attempts, attempts);
	note(out, ", %s failed (%.1f %%)", same + other, attempts);
	note(out, ", %s of them because of the same warp", same, same + other);
}

static void write_memory(struct text *out, const struct profile_cost *c)
{
	uint64_t requests =
		profile_value(c, "l1tex__t_requests_load.sum") + profile_value(c, "l1tex__t_requests_store.sum");
	uint64_t lines = profile_value(c, "l1tex__t_lines_load.sum") + profile_value(c, "l1tex__t_lines_store.sum");
	uint64_t lookups = profile_value(c, "l1tex__t_lookups.sum");
	uint64_t sectors =
		profile_value(c, "lts__t_sectors_op_read.sum") + profile_value(c, "lts__t_sectors_op_write.sum");
	uint64_t hits = profile_value(c, "lts__t_sectors_op_read_lookup_hit.sum") +
			profile_value(c, "lts__t_sectors_op_write_lookup_hit.sum");
	if (requests)
		text_print(out, "; %.2f lines a request", (double)lines / (double)requests);
	if (lookups)
		text_print(out, "; L1 hits %.1f %%", percent(profile_value(c, "l1tex__t_hits.sum"), lookups));
	if (sectors)
		text_print(out, "; L2 hits %.1f %%", percent(hits, sectors));
	note(out, "; %s atomic operations", profile_value(c, "sync__atomic_lanes.sum"), 0);
	note(out, "; %s cycles of bank conflicts", profile_value(c, "l1tex__shared_bank_conflict_cycles.sum"), 0);
}

static void write_flow(struct text *out, const struct profile_cost *c)
{
	uint64_t polls = profile_value(c, "sync__wait_fail.sum");
	note(out, "; %s branches diverged (%.1f %%)", profile_value(c, "smsp__branches_divergent.sum"),
		profile_value(c, "smsp__branches.sum"));
	note(out, "; %s lanes polled again (%.1f %%)", polls, polls + profile_value(c, "sync__wait_success.sum"));
	note(out, "; %s warp cycles at barriers", profile_value(c, "sync__barrier_wait_cycles.sum"), 0);
	note(out, "; %s warp cycles in fences", profile_value(c, "sync__fence_wait_cycles.sum"), 0);
}

/* "; a; b" on a line of its own, or nothing. */
static void write_notes(struct text *out, const struct profile_cost *cost)
{
	struct text notes = {.arena = out->arena};
	text_append(&notes, "", 0);
	write_locks(&notes, cost);
	write_memory(&notes, cost);
	write_flow(&notes, cost);
	if (notes.length)
		text_print(out, "%10s%s\n", "", notes.at + 2);
}

size_t profile_main_stall(const struct profile_cost *cost, double *share)
{
	size_t most = 0;
	for (size_t k = 1; k < lockstep_profiled_stalls(); k++)
		most = cost->values[k] > cost->values[most] ? k : most;
	*share = percent(cost->values[most], profile_cycles(cost));
	return most;
}

/* ---- The parts ---- */

static void write_head(struct text *out, const struct profile_kernel *kernel)
{
	char cycles[TEXT_DIGITS], idle[TEXT_DIGITS];
	uint64_t all = profile_cycles(&kernel->cost);
	style_gap(out);
	text_print(out, "profile of %s, %" PRIu64 " launch%s: ", demangle_brief(out->arena, kernel->name),
		kernel->launches, kernel->launches == 1 ? "" : "es");
	if (!profile_stalled(&kernel->cost)) { /* functional mode */
		text_print(out, "%s warp instructions\n", text_grouped(all, cycles));
		return;
	}
	text_print(out, "%s scheduler cycles, %.1f %% of them with an issue", text_grouped(all, cycles),
		percent(kernel->cost.issued, all));
	if (kernel->idle)
		text_print(out, "; no warp was resident in another %s", text_grouped(kernel->idle, idle));
	text_print(out, "\n");
}

static void write_costs(struct text *out, const struct profile_kernel *kernel, const struct profile_cost *cost)
{
	char cycles[TEXT_DIGITS], issued[TEXT_DIGITS], reason[PROFILE_REASON];
	double share, lanes = percent(cost->lanes, cost->issued * kernel->warp_size);
	size_t most = profile_main_stall(cost, &share);
	const char *stall = "";
	if (share >= PROFILE_LEAST_STALL)
		stall = arena_printf(out->arena, "%s %.0f %%", profile_reason(most, reason), share);
	text_print(out, "  %5.1f %% %15s %13s %5.1f %%  %-14s ",
		percent(profile_cycles(cost), profile_cycles(&kernel->cost)),
		text_grouped(profile_cycles(cost), cycles), text_grouped(cost->issued, issued), lanes, stall);
}

static const char *costliest_text(const struct profile_line *line)
{
	const struct profile_instruction *most = NULL;
	for (uint32_t k = 0; k < line->instructions.count; k++) {
		const struct profile_instruction *i = &line->instructions.at[k];
		if (!most || profile_cycles(&i->cost) > profile_cycles(&most->cost))
			most = i;
	}
	return most ? most->text : "";
}

/* Its source; where that is not to be had, the instruction that cost most. */
static const char *words_of_line(struct arena *arena, struct sources *sources, const struct profile_line *line)
{
	const char *text = source_text(arena, sources, line->file, line->line);
	return *text ? text + strspn(text, " \t") : costliest_text(line);
}

const char *profile_words(struct arena *arena, const struct profile_line *line)
{
	return words_of_line(arena, arena_new(arena, struct sources), line);
}

static void write_lines(struct text *out, const struct profile_kernel *kernel, struct sources *sources)
{
	text_print(
		out, "\n  %7s %15s %13s %7s  %-14s %s\n", "share", "cycles", "issued", "lanes", "stalled for", "line");
	for (uint32_t k = 0; k < kernel->lines.count && k < LINES_SHOWN; k++) {
		const struct profile_line *line = &kernel->lines.at[k];
		write_costs(out, kernel, &line->cost);
		text_print(out, "%s:%" PRIu64 "  %s\n", profile_base_of(line->file), line->line,
			words_of_line(out->arena, sources, line));
		write_notes(out, &line->cost);
	}
	style_left(out, kernel->lines.count, LINES_SHOWN, "lines");
}

static bool is_near(const struct profile_kernel *kernel, const char *file, uint64_t line)
{
	for (uint32_t k = 0; k < kernel->lines.count && k < LINES_SHOWN; k++) {
		const struct profile_line *l = &kernel->lines.at[k];
		if (!strcmp(l->file, file) && line + LINES_AROUND >= l->line && line <= l->line + LINES_AROUND)
			return true;
	}
	return false;
}

static void write_source(struct text *out, const struct profile_kernel *kernel, const struct source *source)
{
	uint64_t previous = 0;
	for (uint64_t n = 1; n <= source->count; n++) {
		if (!is_near(kernel, source->file, n))
			continue;
		if (!previous)
			text_print(out, "\n  %s\n", source->file);
		else if (n > previous + 1)
			text_print(out, "  %7s |\n", "...");
		previous = n;
		const struct profile_line *line = profile_line_at(kernel, source->file, n);
		if (line)
			text_print(out, "  %5.1f %% | %5" PRIu64 "  %s\n",
				percent(profile_cycles(&line->cost), profile_cycles(&kernel->cost)), n,
				source->lines[n - 1]);
		else
			text_print(out, "  %7s | %5" PRIu64 "  %s\n", "", n, source->lines[n - 1]);
	}
}

static void write_instructions(struct text *out, const struct profile_kernel *kernel)
{
	for (uint32_t k = 0; k < kernel->lines.count && k < LINES_OPENED; k++) {
		const struct profile_line *line = &kernel->lines.at[k];
		text_print(out, "\n  instructions of %s:%" PRIu64 "\n", profile_base_of(line->file), line->line);
		for (uint32_t i = 0; i < line->instructions.count; i++) {
			write_costs(out, kernel, &line->instructions.at[i].cost);
			text_print(
				out, "%5" PRIu64 "  %s\n", line->instructions.at[i].pc, line->instructions.at[i].text);
		}
	}
}

const char *profile_meaning(size_t k)
{
	struct lockstep_counter counter;
	return report_counter(lockstep_profiled(k), &counter) ? counter.meaning : "";
}

/* What the reasons mean, as far as any kernel has stalled for them. */
static void write_reasons(struct text *out, const struct profile *profile)
{
	char reason[PROFILE_REASON];
	bool any = false;
	for (size_t k = 0; k < lockstep_profiled_stalls(); k++) {
		uint64_t cycles = 0;
		for (uint32_t n = 0; n < profile->kernels.count; n++)
			cycles += profile->kernels.at[n].cost.values[k];
		if (!cycles)
			continue;
		text_print(out, "%s  %-10s %s\n", any ? "" : "\n", profile_reason(k, reason), profile_meaning(k));
		any = true;
	}
}

static void write_hint(struct text *out, const struct sources *sources)
{
	for (size_t k = 0; k < sources->count; k++)
		if (report_source_hint(out, sources->files[k].file))
			return;
}

static void write_kernel(struct text *out, const struct profile_kernel *kernel, struct sources *sources)
{
	write_head(out, kernel);
	write_lines(out, kernel, sources);
	profile_text_locks(out, kernel);
	profile_text_waits(out, kernel);
	profile_text_mbarriers(out, kernel);
	for (size_t f = 0; f < sources->count; f++)
		write_source(out, kernel, &sources->files[f]);
	write_instructions(out, kernel);
}

void profile_text(struct text *out, const struct profile *profile)
{
	struct sources *sources = arena_new(out->arena, struct sources);
	for (uint32_t k = 0; k < profile->kernels.count; k++) {
		const struct profile_kernel *kernel = &profile->kernels.at[k];
		if (kernel->lines.count)
			write_kernel(out, kernel, sources);
		profile_text_tables(out, kernel, profile->kernels.count == 1);
	}
	write_reasons(out, profile);
	write_hint(out, sources);
}
