/* The report for people: what ran, how well, what went wrong, the counters in groups, the buffers asked for. */
#include "report/members.h"
#include "report/profile.h"
#include "report/provenance.h"
#include "report/reporter.h"
#include "report/seeds.h"
#include "report/suppressions.h"

#include "report/checked.h"
#include "report/comparison.h"
#include "util/demangle.h"

#include <inttypes.h>
#include <string.h>

static void print_count(struct text *out, const char *label, uint64_t value)
{
	char digits[TEXT_DIGITS];
	style_label(out, label);
	text_print(out, "%s\n", text_grouped(value, digits));
}

static uint64_t total_threads(const struct lockstep_result *r)
{
	return (uint64_t)r->grid[0] * r->grid[1] * r->grid[2] * r->block[0] * r->block[1] * r->block[2];
}

static void print_ratios(struct text *out, const struct lockstep *gpu, const struct lockstep_result *r)
{
	double warp_instructions = (double)r->warp_instructions;
	uint64_t lanes = lockstep_field(gpu, "core.warp_size").number,
		 threads = lockstep_field(gpu, "core.threads").number;
	if (r->cycles) {
		style_label(out, "IPC");
		text_print(out, "%.3f warp instructions a cycle, whole GPU\n", warp_instructions / (double)r->cycles);
	}
	if (r->warp_instructions && lanes) {
		double efficiency = (double)r->thread_instructions / (warp_instructions * (double)lanes);
		style_label(out, "SIMD efficiency");
		text_print(out, "%.1f %% of the lanes\n", 100 * efficiency);
	}
	uint64_t resident = (uint64_t)r->groups_per_core * r->block[0] * r->block[1] * r->block[2];
	style_label(out, "occupancy");
	text_print(out, "%" PRIu32 " work-groups a core, limited by %s", r->groups_per_core, r->limiter);
	if (threads)
		text_print(out, " (%.0f %% of the threads)", 100.0 * (double)resident / (double)threads);
	text_print(out, "\n");
	double kilohertz = (double)lockstep_field(gpu, "clock.core").number;
	if (r->cycles && kilohertz > 0) {
		style_label(out, "simulated time");
		text_print(out, "%s\n", style_time(out->arena, (double)r->cycles / kilohertz / 1000));
	}
	if (r->wall_seconds > 0) {
		style_label(out, "simulated at");
		text_print(out, "%.2f million warp instructions a second, %.3f s\n",
			warp_instructions / r->wall_seconds / 1e6, r->wall_seconds);
	}
}

#define ENERGY "energy__"
#define SHARE_SHOWN 0.05

static uint64_t counted(const struct lockstep_result *r, const char *name)
{
	for (size_t k = 0; k < r->counter_count; k++)
		if (!strcmp(r->counters[k].name, name))
			return r->counters[k].value;
	return 0;
}

/* Average power, and the components that matter. */
static void print_energy(struct text *out, const struct lockstep *gpu, const struct lockstep_result *r)
{
	double joules = (double)counted(r, ENERGY "total.sum") * 1e-9;
	double seconds = (double)r->cycles / ((double)lockstep_field(gpu, "clock.core").number * 1e3);
	const char *separator = ":";
	if (!(joules > 0 && seconds > 0))
		return;
	style_label(out, "energy");
	text_print(out, "%.4g mJ, %.1f W on average", joules * 1e3, joules / seconds);
	for (size_t k = 0; k < r->counter_count; k++) {
		const char *name = r->counters[k].name;
		double share = (double)r->counters[k].value * 1e-9 / joules;
		if (strncmp(name, ENERGY, strlen(ENERGY)) || !strcmp(name, ENERGY "total.sum") || share < SHARE_SHOWN)
			continue;
		name += strlen(ENERGY);
		text_print(out, "%s %.*s %.0f %%", separator, (int)strcspn(name, "."), name, 100 * share);
		separator = ",";
	}
	text_print(out, "\n");
}

/* The verdict. */
static void print_outcome(struct text *out, const struct report_style *style, const struct lockstep_result *r)
{
	text_print(out, "kernel %s: ", demangle_brief(out->arena, r->kernel));
	style_print(
		out, style, r->outcome == LOCKSTEP_COMPLETED ? COLOUR_GOOD : COLOUR_BAD, report_outcome(r->outcome));
	text_append(out, "\n", 1);
}

static void print_launch(struct text *out, const struct lockstep *gpu, const struct lockstep_result *r)
{
	char digits[TEXT_DIGITS];
	style_label(out, "grid x block");
	text_print(out, "%" PRIu32 ",%" PRIu32 ",%" PRIu32 " x %" PRIu32 ",%" PRIu32 ",%" PRIu32 " = %s threads\n",
		r->grid[0], r->grid[1], r->grid[2], r->block[0], r->block[1], r->block[2],
		text_grouped(total_threads(r), digits));
	print_count(out, "cycles", r->cycles);
	print_count(out, "warp instructions", r->warp_instructions);
	print_count(out, "thread instructions", r->thread_instructions);
	print_count(out, "registers per thread", r->registers_per_thread);
	print_count(out, "shared bytes", r->shared_bytes);
	print_ratios(out, gpu, r);
	print_energy(out, gpu, r);
}

void search_text(struct text *out, const char *verdict, uint64_t schedules, uint64_t states, const char *schedule)
{
	char digits[TEXT_DIGITS], others[TEXT_DIGITS];
	text_print(out, "%s (%s schedule%s, %s state%s)\n", verdict, text_grouped(schedules, digits),
		schedules == 1 ? "" : "s", text_grouped(states, others), states == 1 ? "" : "s");
	if (schedule && *schedule)
		text_print(out, "  under --schedule %s\n", schedule);
}

/* What was found under all schedules that were tried. */
static void print_search(struct text *out, const struct lockstep_search *s)
{
	text_print(out, "\nprogress: ");
	search_text(out, report_verdict(s->verdict), s->schedules, s->states, s->schedule);
}

#define VALUES_A_LINE 8

static void print_dump(struct text *out, const struct dumped *dump)
{
	char text[VALUE_TEXT_BYTES];
	style_gap(out);
	text_print(out, "buffer %s (%s)", dump->name, dump->type->name);
	for (uint64_t k = 0; k < dump->count; k++) {
		if (k % VALUES_A_LINE == 0)
			text_print(out, "\n  %10" PRIu64 ":", dump->first + k);
		int length = value_plain(dump->type, value_load(dump->type, dump->values, k), text);
		text_append(out, " ", 1);
		text_append(out, text, (size_t)length);
	}
	text_print(out, "\n");
}

/* What differs from a plain run; the JSON report has the rest. */
static void print_options(struct text *out, const struct lockstep_options *options)
{
	text_print(out, "GPU %s", options->gpu);
	for (size_t k = 0; options->settings && options->settings[k]; k++)
		text_print(out, "%s %s", k ? "," : " with", options->settings[k]);
	text_print(out, "\n");
	if (options->mode == LOCKSTEP_FUNCTIONAL)
		text_print(out, "mode %s\n", report_mode(options->mode));
	if (options->seed)
		text_print(out, "seed %" PRIu64 "\n", options->seed);
}

static void print_provenance(struct text *out, const struct lockstep *gpu)
{
	json_object *provenance = report_kernel_provenance(gpu, NULL);
	provenance_text(out, provenance);
	json_object_put(provenance);
}

/* Whether a launch found something that is not suppressed: `count` of all findings, from `first` on. */
static bool has_findings(const struct report_findings *findings, size_t first, size_t count)
{
	for (size_t k = first; k < first + count; k++)
		if (!suppressions_is_marked(findings->all, k))
			return true;
	return false;
}

static void print_findings(struct text *out, const struct report_findings *findings, size_t first, size_t count)
{
	for (size_t k = first; k < first + count; k++)
		if (!suppressions_is_marked(findings->all, k))
			finding_text(out, &findings->style, element(findings->all, k));
}

static const uint64_t *counters_of(struct arena *arena, const struct lockstep_result *r)
{
	uint64_t *values = arena_new_array(arena, uint64_t, r->counter_count + 1);
	for (size_t k = 0; k < r->counter_count; k++)
		values[k] = r->counters[k].value;
	return values;
}

static void print_result(struct text *out, const struct lockstep *gpu, const struct report_findings *findings,
	const struct lockstep_result *result, size_t first)
{
	const struct report_style *style = &findings->style;
	const uint64_t *counters = counters_of(out->arena, result);
	bool any = has_findings(findings, first, result->finding_count);
	if (!style->quiet || any || result->outcome != LOCKSTEP_COMPLETED || result->search) {
		style_gap(out);
		print_outcome(out, style, result);
		if (result->search)
			print_search(out, result->search);
		print_findings(out, findings, first, result->finding_count);
	}
	if (!style->quiet) {
		text_print(out, any || result->search ? "\n" : "");
		print_launch(out, gpu, result);
		time_text_synchronisation(out, counters);
		time_text(out, counters, findings->profile);
	}
	if (style->counters)
		time_text_counters(out, counters);
}

static void report_kernel(struct text *out, const struct lockstep *gpu, const struct lockstep_options *options,
	const struct report_findings *findings, const struct dumped *dumps, size_t dump_count)
{
	size_t number = 0;
	struct checked checked = {.check = options->check};
	text_append(out, "", 0);
	if (!findings->style.quiet)
		print_options(out, options);
	if (!findings->style.quiet)
		print_provenance(out, gpu);
	for (size_t k = 0; k < lockstep_result_count(gpu); k++) {
		const struct lockstep_result *result = lockstep_result(gpu, k);
		print_result(out, gpu, findings, result, number);
		number += result->finding_count;
		checked_add(&checked, result);
	}
	print_findings(out, findings, number, length_of(findings->all) - number); /* of runs with other seeds */
	if (!findings->style.quiet)
		checked_text(out, &checked, findings->all);
	seeds_text(out, findings->seeds);
	suppressions_text(out, findings->suppressions);
	profile_text(out, findings->profile);
	for (size_t k = 0; k < dump_count; k++)
		print_dump(out, &dumps[k]);
}

static void report_lint(struct text *out, const char *file, const struct lockstep_finding *findings, size_t count)
{
	const struct report_style plain = {0};
	json_object *list = report_finding_list(findings, count, NULL);
	for (size_t k = 0; k < count; k++)
		finding_text(out, &plain, element(list, k));
	json_object_put(list);
	text_print(out, "%s%s: %zu spin loop%s, %zu of which can block a warp\n", count ? "\n" : "", file, count,
		count == 1 ? "" : "s", reporter_count_suspected(findings, count));
}

const struct reporter reporter_text = {.name = "text",
	.litmus = true,
	.kernel = report_kernel,
	.run = report_run_text,
	.lint = report_lint,
	.compare = comparison_text};
