/* The report for people: what ran, how well, what went wrong, the counters in groups, the buffers asked for. */
#include "report/profile.h"
#include "report/reporter.h"
#include "report/source.h"
#include "report/suppressions.h"

#include "report/comparison.h"
#include "report/kernel_name.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static void print_label(struct text *out, const char *label)
{
	text_print(out, "  %-22s ", label);
}

static void print_count(struct text *out, const char *label, uint64_t value)
{
	char digits[TEXT_DIGITS];
	print_label(out, label);
	text_print(out, "%s\n", text_grouped(value, digits));
}

static uint64_t total_threads(const struct lockstep_result *r)
{
	return (uint64_t)r->grid[0] * r->grid[1] * r->grid[2] * r->block[0] * r->block[1] * r->block[2];
}

/* The configured number of this path; 0 when there is none. */
static uint64_t configured(const struct lockstep *gpu, const char *path)
{
	struct lockstep_field field;
	for (size_t k = 0; lockstep_configuration(gpu, k, &field); k++)
		if (!strcmp(field.path, path))
			return field.number;
	return 0;
}

static void print_ratios(struct text *out, const struct lockstep *gpu, const struct lockstep_result *r)
{
	double warp_instructions = (double)r->warp_instructions;
	uint64_t lanes = configured(gpu, "core.warp_size"), threads = configured(gpu, "core.threads");
	if (r->cycles) {
		print_label(out, "IPC");
		text_print(out, "%.3f warp instructions a cycle, whole GPU\n", warp_instructions / (double)r->cycles);
	}
	if (r->warp_instructions && lanes) {
		double efficiency = (double)r->thread_instructions / (warp_instructions * (double)lanes);
		print_label(out, "SIMD efficiency");
		text_print(out, "%.1f %% of the lanes\n", 100 * efficiency);
	}
	uint64_t resident = (uint64_t)r->groups_per_core * r->block[0] * r->block[1] * r->block[2];
	print_label(out, "occupancy");
	text_print(out, "%" PRIu32 " work-groups a core, limited by %s", r->groups_per_core, r->limiter);
	if (threads)
		text_print(out, " (%.0f %% of the threads)", 100.0 * (double)resident / (double)threads);
	text_print(out, "\n");
	if (r->wall_seconds > 0) {
		print_label(out, "simulated at");
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
	double seconds = (double)r->cycles / ((double)configured(gpu, "clock.core") * 1e3);
	const char *separator = ":";
	if (!(joules > 0 && seconds > 0))
		return;
	print_label(out, "energy");
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

static void print_launch(struct text *out, const struct lockstep *gpu, const struct lockstep_result *r)
{
	char digits[TEXT_DIGITS];
	text_print(out, "kernel %s: %s\n", kernel_name_short(out->arena, r->kernel), report_outcome(r->outcome));
	print_label(out, "grid x block");
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

/* What was found under all schedules that were tried. */
static void print_search(struct text *out, const struct lockstep_search *s)
{
	char digits[TEXT_DIGITS], others[TEXT_DIGITS];
	text_print(out, "\nprogress: %s (%s schedules, %s states)\n", report_verdict(s->verdict),
		text_grouped(s->schedules, digits), text_grouped(s->states, others));
	if (s->schedule)
		text_print(out, "  under --schedule %s\n", s->schedule);
}

/* Counters come in groups of one prefix: "sm__", "l1tex__", "sync__" ... */
static size_t prefix_length(const char *name)
{
	const char *end = strstr(name, "__");
	return end ? (size_t)(end - name) : 0;
}

static void print_counters(struct text *out, const struct lockstep_result *r)
{
	char digits[TEXT_DIGITS];
	const char *previous = NULL;
	size_t shown = 0;
	for (size_t k = 0; k < r->counter_count; k++) {
		const struct lockstep_counter *counter = &r->counters[k];
		size_t length = prefix_length(counter->name);
		if (!counter->value)
			continue;
		if (!previous || prefix_length(previous) != length || memcmp(previous, counter->name, length))
			text_print(out, "\n");
		text_print(out, "  %-52s %20s %-13s %s\n", counter->name, text_grouped(counter->value, digits),
			counter->unit, counter->meaning);
		previous = counter->name;
		shown++;
	}
	if (shown < r->counter_count)
		text_print(out, "\n  (%zu counters are 0)\n", r->counter_count - shown);
}

#define THREADS_SHOWN 16

void report_finding(struct text *out, const struct lockstep_finding *f)
{
	text_print(out, "\n%s (%s, %s%s): %s\n", f->kind, f->cause, f->certainty, f->confirmed ? ", confirmed" : "",
		f->message);
	for (size_t k = 0; k < f->line_count; k++) {
		const struct lockstep_line *line = &f->lines[k];
		text_print(out, "  at %s:%" PRIu32 "%s%s\n", line->file, line->line, line->role ? ": " : "",
			line->role ? line->role : "");
		report_source(out, line->file, line->line);
	}
	for (size_t k = 0; k < f->thread_count && k < THREADS_SHOWN; k++) {
		const struct lockstep_thread *t = &f->threads[k];
		text_print(out,
			"  group %" PRIu32 ",%" PRIu32 ",%" PRIu32 " thread %" PRIu32 ",%" PRIu32 ",%" PRIu32 ": %s\n",
			t->group[0], t->group[1], t->group[2], t->thread[0], t->thread[1], t->thread[2], t->state);
	}
	if (f->thread_count > THREADS_SHOWN)
		text_print(out, "  and %zu more thread%s\n", f->thread_count - THREADS_SHOWN,
			f->thread_count == THREADS_SHOWN + 1 ? "" : "s");
	for (size_t k = 0; k < f->address_count; k++)
		text_print(out, "  address %s\n", f->addresses[k]);
}

#define VALUES_A_LINE 8

static void print_dump(struct text *out, const struct dumped *dump)
{
	char text[VALUE_TEXT_BYTES];
	text_print(out, "\nbuffer %s (%s)", dump->name, dump->type->name);
	for (uint64_t k = 0; k < dump->count; k++) {
		if (k % VALUES_A_LINE == 0)
			text_print(out, "\n  %10" PRIu64 ":", dump->first + k);
		int length = value_plain(dump->type, value_load(dump->type, dump->values, k), text);
		text_append(out, " ", 1);
		text_append(out, text, (size_t)length);
	}
	text_print(out, "\n");
}

/* What differs from a plain run is said; the rest is in the JSON report. */
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

static void report_kernel(struct text *out, const struct lockstep *gpu, const struct lockstep_options *options,
	const struct report_findings *findings, const struct dumped *dumps, size_t dump_count)
{
	size_t number = 0;
	print_options(out, options);
	for (size_t k = 0; k < lockstep_result_count(gpu); k++) {
		const struct lockstep_result *result = lockstep_result(gpu, k);
		text_print(out, "\n");
		print_launch(out, gpu, result);
		if (result->search)
			print_search(out, result->search);
		for (size_t f = 0; f < result->finding_count; f++, number++)
			if (!suppressions_is_marked(findings->all, number))
				report_finding(out, &result->findings[f]);
		print_counters(out, result);
	}
	suppressions_text(out, findings->suppressions);
	profile_text(out, findings->profile);
	for (size_t k = 0; k < dump_count; k++)
		print_dump(out, &dumps[k]);
}

static void report_lint(struct text *out, const char *file, const struct lockstep_finding *findings, size_t count)
{
	for (size_t k = 0; k < count; k++)
		report_finding(out, &findings[k]);
	text_print(out, "%s%s: %zu spin loop%s, %zu of which can block a warp\n", count ? "\n" : "", file, count,
		count == 1 ? "" : "s", reporter_count_suspected(findings, count));
}

const struct reporter reporter_text = {.name = "text",
	.litmus = true,
	.kernel = report_kernel,
	.run = report_run_text,
	.lint = report_lint,
	.compare = comparison_text};
