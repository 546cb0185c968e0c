/* The report of `lockstep run` for people: how it ended, where the time went, kernels, launches, streams, and last what
 * went wrong. */
#include "report/members.h"
#include "report/profile.h"
#include "report/provenance.h"
#include "report/reporter.h"
#include "report/seeds.h"
#include "report/source.h"
#include "report/suppressions.h"
#include "util/demangle.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define STREAMS_SHOWN 20

static double ratio(double a, double b)
{
	return b > 0 ? a / b : 0;
}

static void write_simulated(const struct run_summary *run, struct text *out)
{
	char cycles[TEXT_DIGITS];
	uint64_t kilohertz = number_of(run->configuration, "clock.core");
	if (run->simulated && kilohertz)
		text_print(out, "simulated time %s cycles, %s\n", text_grouped(run->simulated, cycles),
			style_time(out->arena, (double)run->simulated / (double)kilohertz / 1000));
}

static void write_head(const struct run_summary *run, struct text *out)
{
	text_print(out, "lockstep: ");
	if (run->configuration) {
		text_print(out, "GPU %s", run->gpu);
		for (size_t k = 0; k < run->setting_count; k++)
			text_print(out, "%s %s", k ? "," : " with", run->settings[k]);
		text_print(out, run->mode == LOCKSTEP_FUNCTIONAL ? "; functional mode; " : "; ");
	}
	text_print(out, "%s", run->words[0]);
	if (run->killed)
		text_print(out, " was killed by signal %d (%s)", run->status, strsignal(run->status));
	else
		text_print(out, " exited with status %d", run->status);
	size_t launches = run->launch_count;
	if (launches)
		text_print(out, "; %zu launch%s of %u kernel%s, simulated in %.3f s", launches,
			launches == 1 ? "" : "es", run->kernels.count, run->kernels.count == 1 ? "" : "s",
			run->seconds);
	text_print(out, "\n");
	provenance_text(out, run->provenance);
	write_simulated(run, out);
}

/* Of one stream there is nothing to say that the kernels do not. */
static void write_streams(const struct run_summary *run, struct text *out)
{
	char cycles[TEXT_DIGITS];
	if (run->streams.count < 2)
		return;
	text_print(out, "\nstreams and queues\n  %15s %7s %8s  %s\n", "cycles", "share", "launches", "stream");
	for (uint32_t k = 0; k < run->streams.count && k < STREAMS_SHOWN; k++) {
		const struct stream_sum *s = &run->streams.at[k];
		text_print(out, "  %15s %5.1f %% %8" PRIu64 "  %" PRIu64, text_grouped(s->cycles, cycles),
			100 * ratio((double)s->cycles, (double)run->cycles), s->launches, s->stream);
		if (s->process)
			text_print(out, " of process %" PRIu64, s->process);
		text_print(out, "\n");
	}
	style_left(out, run->streams.count, STREAMS_SHOWN, "");
}

static void write_kernels(const struct run_summary *run, uint64_t lanes, struct text *out)
{
	char cycles[TEXT_DIGITS], instructions[TEXT_DIGITS];
	text_print(out, "\nkernels, the costliest first\n  %15s %7s %8s %17s %7s %7s  %s\n", "cycles", "share",
		"launches", "warp instructions", "SIMD", "IPC", "kernel");
	for (uint32_t k = 0; k < run->kernels.count; k++) {
		const struct kernel_sum *s = &run->kernels.at[k];
		double warp = (double)s->warp_instructions;
		text_print(out, "  %15s %5.1f %% %8" PRIu64 " %17s %5.1f %% %7.3f  %s\n",
			text_grouped(s->cycles, cycles), 100 * ratio((double)s->cycles, (double)run->cycles),
			s->launches, text_grouped(s->warp_instructions, instructions),
			100 * ratio((double)s->thread_instructions, warp * (double)lanes),
			ratio(warp, (double)s->cycles), demangle_brief(out->arena, s->name));
	}
}

/* Whether all ran in timing mode, as most do: then a column of modes would only make the lines longer. */
static bool is_all_timing(json_object *launches)
{
	for (size_t k = 0; k < json_object_array_length(launches); k++)
		if (strcmp(text_of(element(launches, k), "mode"), "timing") != 0)
			return false;
	return true;
}

static void write_launch(json_object *launch, size_t number, bool has_modes, struct text *out)
{
	const char *grid = triple_text(out->arena, member(launch, "grid")),
		   *block = triple_text(out->arena, member(launch, "block"));
	char cycles[TEXT_DIGITS], instructions[TEXT_DIGITS];
	const char *mode = has_modes ? arena_printf(out->arena, " %-10s", text_of(launch, "mode")) : "";
	text_print(out, "  %5zu %13s %17s  %-10s%s %-19s %s\n", number,
		text_grouped(number_of(launch, "cycles"), cycles),
		text_grouped(number_of(launch, "warp_instructions"), instructions), text_of(launch, "outcome"), mode,
		arena_printf(out->arena, "%s x %s", grid, block),
		demangle_brief(out->arena, text_of(launch, "kernel")));
}

static void write_launches(const struct run_summary *run, struct text *out)
{
	size_t count = json_object_array_length(run->launches);
	bool has_modes = !is_all_timing(run->launches);
	text_print(out, "\nlaunches, in order\n  %5s %13s %17s  %-10s%s %-19s %s\n", "", "cycles", "warp instructions",
		"outcome", has_modes ? " mode      " : "", "grid x block", "kernel");
	for (size_t k = 0; k < count && k < LAUNCHES_SHOWN; k++) /* an interrupted one may follow */
		write_launch(element(run->launches, k), k, has_modes, out);
	style_left(out, run->launch_count, LAUNCHES_SHOWN, "");
}

/* Whether it said how to get lines of source that a finding lacks. */
static bool write_hint(struct text *out, json_object *finding)
{
	json_object *lines = member(finding, "lines");
	for (size_t k = 0; k < json_object_array_length(lines); k++)
		if (report_source_hint(out, text_of(element(lines, k), "file")))
			return true;
	return false;
}

static void write_findings(const struct run_summary *run, struct text *out)
{
	bool hinted = false;
	for (size_t k = 0; k < json_object_array_length(run->findings); k++) {
		json_object *finding = element(run->findings, k);
		if (suppressions_is_marked(run->findings, k))
			continue;
		finding_text(out, &run->style, finding);
		hinted = hinted || write_hint(out, finding);
	}
	seeds_text(out, run->seeds);
	suppressions_text(out, run->suppressions);
}

static bool has_search(const struct run_summary *run)
{
	for (size_t k = 0; k < length_of(run->launches); k++)
		if (member(element(run->launches, k), "progress"))
			return true;
	return false;
}

/* The kernel of a launch by its number for --launch, in the process of another; "": it has not ended. */
static const char *kernel_of(struct arena *arena, const struct run_summary *run, json_object *beside, uint64_t number)
{
	for (size_t k = 0; k < length_of(run->launches); k++) {
		json_object *launch = element(run->launches, k);
		if (member(launch, "begun") && number_of(launch, "begun") == number &&
			number_of(launch, "process") == number_of(beside, "process"))
			return arena_printf(arena, " (%s)", demangle_brief(arena, text_of(launch, "kernel")));
	}
	return "";
}

/* "launches 1 (serve), 2 (work) and 5 (work)" */
static void write_numbers(struct text *out, const struct run_summary *run, json_object *launch, json_object *launches)
{
	size_t count = length_of(launches);
	text_print(out, "launches ");
	for (size_t k = 0; k < count; k++) {
		uint64_t number = json_object_get_uint64(element(launches, k));
		text_print(out, "%s%" PRIu64 "%s",
			!k              ? ""
			: k + 1 < count ? ", "
					: " and ",
			number, kernel_of(out->arena, run, launch, number));
	}
}

/* "L2*8,L1" in words: a list of launches, and of how many of their groups. */
static void write_order(struct text *out, const struct run_summary *run, json_object *launch, const char *schedule)
{
	const char *at = schedule;
	text_print(out, "  resident first:");
	for (bool more = false; *at == 'L'; more = true) {
		char *end;
		uint64_t number = strtoull(at + 1, &end, 10), groups = 1;
		if (*end == '*')
			groups = strtoull(end + 1, &end, 10);
		text_print(out, "%s %" PRIu64 " work-group%s of launch %" PRIu64 "%s", more ? ", then" : "", groups,
			groups == 1 ? "" : "s", number, kernel_of(out->arena, run, launch, number));
		at = *end == ',' ? end + 1 : end;
	}
	text_print(out, "\n  under --schedule %s\n", schedule);
}

/* That none hangs is said of the placements that were tried, and no more. */
static void write_placements(
	struct text *out, const struct run_summary *run, json_object *launch, json_object *placements)
{
	char tried[TEXT_DIGITS], finished[TEXT_DIGITS];
	json_object *progress = member(launch, "progress");
	uint64_t count = number_of(progress, "schedules");
	const char *schedule = text_of(progress, "schedule");
	text_print(out, "progress of ");
	write_numbers(out, run, launch, member(placements, "launches"));
	text_print(out, ": %s (%s%s placement%s tried: the launches finish under %s%s)\n", text_of(progress, "verdict"),
		json_object_get_boolean(member(placements, "all")) ? "all " : "", text_grouped(count, tried),
		count == 1 ? "" : "s", text_grouped(number_of(placements, "finished"), finished),
		*schedule ? "" : "; orders of steps are not tried");
	if (*schedule)
		write_order(out, run, launch, schedule);
}

/* What a search of schedules found. */
static void write_searches(const struct run_summary *run, struct text *out)
{
	for (size_t k = 0; k < length_of(run->launches); k++) {
		json_object *launch = element(run->launches, k), *progress = member(launch, "progress");
		if (!progress)
			continue;
		style_gap(out);
		if (member(progress, "placements")) {
			write_placements(out, run, launch, member(progress, "placements"));
			continue;
		}
		text_print(out, "progress of launch %" PRIu64 ", kernel %s: ", number_of(progress, "launch"),
			demangle_brief(out->arena, text_of(launch, "kernel")));
		search_text(out, text_of(progress, "verdict"), number_of(progress, "schedules"),
			number_of(progress, "states"), text_of(progress, "schedule"));
	}
}

static void write_notes(const struct run_summary *run, struct text *out)
{
	for (size_t k = 0; k < json_object_array_length(run->notes); k++)
		text_print(out, "%snote: %s\n", k ? "" : "\n", json_object_get_string(element(run->notes, k)));
}

#define REFUSED_SHOWN 20

/* Launches that the driver refused, those of the same shape for the same reason in one row. */
static void write_refused(const struct run_summary *run, struct text *out)
{
	char digits[TEXT_DIGITS];
	size_t count = length_of(run->refused);
	if (!count)
		return;
	style_gap(out);
	text_print(out, "%s launch%s refused\n", text_grouped(run->refused_count, digits),
		run->refused_count == 1 ? "" : "es");
	for (size_t k = 0; k < count && k < REFUSED_SHOWN; k++) {
		json_object *refused = element(run->refused, k);
		const char *why = text_of(refused, "why");
		uint64_t times = number_of(refused, "count");
		text_print(out, "  %s, %s x %s: %s", demangle_brief(out->arena, text_of(refused, "kernel")),
			triple_text(out->arena, member(refused, "grid")),
			triple_text(out->arena, member(refused, "block")), text_of(refused, "error"));
		if (*why)
			text_print(out, " (%s)", why);
		if (times > 1)
			text_print(out, ", %s times", text_grouped(times, digits));
		text_append(out, "\n", 1);
	}
	style_left(out, count, REFUSED_SHOWN, "");
}

/* What all kernels did. */
static void write_time(const struct run_summary *run, struct text *out)
{
	size_t count = report_counter_count();
	uint64_t *all = arena_new_array(out->arena, uint64_t, count + 1);
	for (uint32_t k = 0; k < run->kernels.count; k++)
		for (size_t c = 0; c < count; c++)
			all[c] += run->kernels.at[k].counters[c];
	time_text(out, all, run->profile);
	if (run->cycles > run->simulated)
		text_print(out, "  launches overlapped: cycles in which several ran count for each of them\n");
	struct text rows = {.arena = out->arena};
	time_text_synchronisation(&rows, all);
	if (rows.length)
		text_print(out, "\nsynchronisation\n%s", rows.at);
}

#define COUNTED_KERNELS 8

/* Counters of the costliest kernels, all their launches together. */
static void write_counters(const struct run_summary *run, struct text *out)
{
	for (uint32_t k = 0; k < run->kernels.count && k < COUNTED_KERNELS; k++) {
		const struct kernel_sum *s = &run->kernels.at[k];
		style_gap(out);
		text_print(out, "kernel %s, all launches\n", demangle_brief(out->arena, s->name));
		time_text_counters(out, s->counters);
	}
	if (run->kernels.count > COUNTED_KERNELS)
		text_print(out, "\n  and %u more %s\n", run->kernels.count - COUNTED_KERNELS,
			run->kernels.count - COUNTED_KERNELS == 1 ? "kernel (--report json has it)"
								  : "kernels (--report json has them all)");
}

/* All but what went wrong. */
static void write_figures(const struct run_summary *run, struct text *out)
{
	if (!run->style.quiet) {
		write_time(run, out);
		write_kernels(run, number_of(run->configuration, "core.warp_size"), out);
		write_launches(run, out);
		write_streams(run, out);
	}
	profile_text(out, run->profile);
	if (run->style.counters)
		write_counters(run, out);
}

/* What went wrong comes last: on a terminal it is what stays on the screen. */
void report_run_text(struct text *out, const struct run_summary *run)
{
	bool any = suppressions_count_left(run->findings) || json_object_array_length(run->notes) ||
		   run->refused_count || has_search(run);
	text_append(out, "", 0);
	if (!run->style.quiet || any || run->nothing || run->went_wrong)
		write_head(run, out);
	if (!run->nothing)
		write_figures(run, out);
	if (!run->style.quiet) /* also of a program that copies and launches nothing */
		checked_text(out, &run->checked, run->findings);
	write_searches(run, out);
	write_refused(run, out);
	if (run->nothing)
		text_print(out, "nothing ran on the simulated GPU: %s\n", run->nothing);
	write_notes(run, out);
	write_findings(run, out);
}
