/* The JSON report of `lockstep run`, "lockstep-report/1". */
#include "report/members.h"
#include "report/reporter.h"
#include "report/sources.h"
#include "report/suppressions.h"

#define KERNEL(member) MEMBER(kernel_sum, member)
#define STREAM(member) MEMBER(stream_sum, member)

static const struct member_row kernel_rows[] = {MEMBER_AS("kernel", kernel_sum, name), KERNEL(launches), KERNEL(cycles),
	KERNEL(warp_instructions), KERNEL(thread_instructions), MEMBER_AS("wall_seconds", kernel_sum, seconds), {0}};
static const struct member_row stream_rows[] = {STREAM(process), STREAM(stream), STREAM(launches), STREAM(cycles), {0}};

static json_object *program_of(const struct run_summary *run)
{
	json_object *object = json_object_new_object(), *words = json_object_new_array();
	for (char *const *word = run->words; *word; word++)
		json_object_array_add(words, json_object_new_string(*word));
	add_member(object, "words", words);
	add_member(object, run->killed ? "signal" : "status", json_object_new_int(run->status));
	return object;
}

static json_object *notes_of(const struct run_summary *run)
{
	struct arena arena = {0};
	json_object *notes = json_object_new_array();
	for (size_t k = 0; k < json_object_array_length(run->notes); k++)
		json_object_array_add(notes, json_object_get(element(run->notes, k)));
	if (run->nothing)
		json_object_array_add(notes, json_object_new_string(arena_printf(
						     &arena, "nothing ran on the simulated GPU: %s", run->nothing)));
	arena_free(&arena);
	return notes;
}

json_object *report_run_object(const struct run_summary *run)
{
	json_object *report = json_object_new_object();
	add_text(report, "schema", "lockstep-report/1");
	add_text(report, "gpu", run->gpu);
	add_member(report, "configuration",
		run->configuration ? json_object_get(run->configuration) : json_object_new_object());
	add_member(report, "provenance", json_object_get(run->provenance));
	add_member(report, "program", program_of(run));
	if (json_object_array_length(run->unpinned))
		add_member(report, "unpinned", json_object_get(run->unpinned));
	add_member(report, "launches", json_object_get(run->launches));
	add_member(report, "kernels", MEMBERS_ARRAY(kernel_rows, run->kernels.at, run->kernels.count));
	add_member(report, "streams", MEMBERS_ARRAY(stream_rows, run->streams.at, run->streams.count));
	add_number(report, "simulated_cycles", run->simulated);
	add_member(report, "findings", suppressions_left(run->findings));
	checked_add_to(report, &run->checked, run->findings);
	if (length_of(run->refused))
		add_member(report, "refused", json_object_get(run->refused));
	if (run->suppressions->list.count)
		add_member(report, "suppressed", suppressions_json(run->suppressions));
	sources_add_to(report);
	if (run->seeds)
		add_member(report, "seeds", json_object_get(run->seeds));
	add_member(report, "notes", notes_of(run));
	add_member(report, "buffers", json_object_new_object());
	return report;
}

void report_run_json(struct text *out, const struct run_summary *run)
{
	report_print(out, report_run_object(run));
}
