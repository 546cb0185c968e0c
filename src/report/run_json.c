/* The JSON report of `lockstep run`, "lockstep-report/1". */
#include "report/reports.h"
#include "report/run_summary.h"
#include "report/sources.h"
#include "report/suppressions.h"

#include <json-c/json.h>

static json_object *kernels_of(const struct run_summary *run)
{
	json_object *array = json_object_new_array();
	for (uint32_t k = 0; k < run->kernels.count; k++) {
		const struct kernel_sum *sum = &run->kernels.at[k];
		json_object *object = json_object_new_object();
		json_object_object_add(object, "kernel", json_object_new_string(sum->name));
		json_object_object_add(object, "launches", json_object_new_uint64(sum->launches));
		json_object_object_add(object, "cycles", json_object_new_uint64(sum->cycles));
		json_object_object_add(object, "warp_instructions", json_object_new_uint64(sum->warp_instructions));
		json_object_object_add(object, "thread_instructions", json_object_new_uint64(sum->thread_instructions));
		json_object_object_add(object, "wall_seconds", json_object_new_double(sum->seconds));
		json_object_array_add(array, object);
	}
	return array;
}

static json_object *streams_of(const struct run_summary *run)
{
	json_object *array = json_object_new_array();
	for (uint32_t k = 0; k < run->streams.count; k++) {
		const struct stream_sum *sum = &run->streams.at[k];
		json_object *object = json_object_new_object();
		json_object_object_add(object, "process", json_object_new_uint64(sum->process));
		json_object_object_add(object, "stream", json_object_new_uint64(sum->stream));
		json_object_object_add(object, "launches", json_object_new_uint64(sum->launches));
		json_object_object_add(object, "cycles", json_object_new_uint64(sum->cycles));
		json_object_array_add(array, object);
	}
	return array;
}

static json_object *program_of(const struct run_summary *run)
{
	json_object *object = json_object_new_object(), *words = json_object_new_array();
	for (char *const *word = run->words; *word; word++)
		json_object_array_add(words, json_object_new_string(*word));
	json_object_object_add(object, "words", words);
	json_object_object_add(object, run->killed ? "signal" : "status", json_object_new_int(run->status));
	return object;
}

static json_object *notes_of(struct arena *arena, const struct run_summary *run)
{
	json_object *notes = json_object_new_array();
	for (size_t k = 0; k < json_object_array_length(run->notes); k++)
		json_object_array_add(notes, json_object_get(json_object_array_get_idx(run->notes, k)));
	if (run->nothing)
		json_object_array_add(notes, json_object_new_string(arena_printf(
						     arena, "nothing ran on the simulated GPU: %s", run->nothing)));
	return notes;
}

void report_run_json(struct text *out, const struct run_summary *run)
{
	json_object *report = json_object_new_object();
	json_object_object_add(report, "schema", json_object_new_string("lockstep-report/1"));
	json_object_object_add(report, "gpu", json_object_new_string(run->gpu));
	json_object_object_add(report, "configuration",
		run->configuration ? json_object_get(run->configuration) : json_object_new_object());
	json_object_object_add(report, "program", program_of(run));
	if (json_object_array_length(run->unpinned))
		json_object_object_add(report, "unpinned", json_object_get(run->unpinned));
	json_object_object_add(report, "launches", json_object_get(run->launches));
	json_object_object_add(report, "kernels", kernels_of(run));
	json_object_object_add(report, "streams", streams_of(run));
	json_object_object_add(report, "simulated_cycles", json_object_new_uint64(run->simulated));
	json_object_object_add(report, "findings", suppressions_left(run->findings));
	if (run->suppressions->list.count)
		json_object_object_add(report, "suppressed", suppressions_json(run->suppressions));
	sources_add_to(report);
	json_object_object_add(report, "notes", notes_of(out->arena, run));
	json_object_object_add(report, "buffers", json_object_new_object());
	report_print(out, report);
}
