/* Launches from the programs to the command: see launch_record.h. */
#include "report/launch_record.h"

#include "report/reports.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Behind it: the counters' values, in lockstep_counter's order; then what was seen again; then kernel, limiter,
 * findings, profile, the search's schedule and why there was no search, each with its NUL, and before all texts the
 * launches of placements. */
struct head {
	char ptx[36];                                                                       /* of its module */
	uint64_t process, stream;                                                           /* that it ran in */
	uint64_t counter_count, kernel_bytes, limiter_bytes, findings_bytes, profile_bytes; /* 0: none */
	uint64_t schedule_bytes, not_searched_bytes;
	struct lockstep_placements placements; /* likewise; 0 launches: none */
	struct lockstep_search search;         /* if the result has one */
	struct lockstep_result result;         /* pointers mean nothing */
};

/* With its NUL; of null 0. */
static uint64_t bytes_of(const char *text)
{
	return text ? strlen(text) + 1 : 0;
}

void launch_record_write(struct text *out, const struct lockstep_result *result, uint64_t stream)
{
	struct arena arena = {0};
	struct text findings = {.arena = &arena}, profile = {.arena = &arena};
	struct head head = {.process = (uint64_t)getpid(),
		.stream = stream,
		.counter_count = result->counter_count,
		.kernel_bytes = strlen(result->kernel) + 1,
		.limiter_bytes = strlen(result->limiter) + 1,
		.result = *result};
	snprintf(head.ptx, sizeof head.ptx, "%s", result->origin->ptx);
	if (result->search) {
		head.search = *result->search;
		head.schedule_bytes = bytes_of(result->search->schedule);
	}
	head.not_searched_bytes = bytes_of(result->not_searched);
	if (result->placements)
		head.placements = *result->placements;
	if (result->finding_count) {
		report_json_findings(&findings, result->findings, result->finding_count, result->kernel);
		head.findings_bytes = findings.length + 1;
	}
	if (result->costs || result->samples || result->table_count) {
		report_json_profile(&profile, result);
		head.profile_bytes = profile.length + 1;
	}
	text_append(out, (const char *)&head, sizeof head);
	for (size_t k = 0; k < result->counter_count; k++)
		text_append(out, (const char *)&result->counters[k].value, sizeof result->counters[k].value);
	text_append(out, (const char *)result->again, result->again_count * sizeof *result->again);
	text_append(out, (const char *)head.placements.launches,
		head.placements.launch_count * sizeof *head.placements.launches);
	text_append(out, result->kernel, head.kernel_bytes);
	text_append(out, result->limiter, head.limiter_bytes);
	text_append(out, findings.at, head.findings_bytes);
	text_append(out, profile.at, head.profile_bytes);
	text_append(out, result->search ? result->search->schedule : NULL, head.schedule_bytes);
	text_append(out, result->not_searched, head.not_searched_bytes);
	arena_free(&arena);
}

/* The texts that lie one behind another, of so many bytes each with its NUL; null: of 0 bytes.  False: they are not
 * all there is. */
static bool split(const char *data, uint64_t length, const uint64_t *bytes, size_t count, const char **texts)
{
	for (size_t k = 0; k < count; k++) {
		if (bytes[k] > length || (bytes[k] && data[bytes[k] - 1]))
			return false;
		texts[k] = bytes[k] ? data : NULL;
		data += bytes[k];
		length -= bytes[k];
	}
	return !length;
}

static const struct lockstep_search *read_search(
	struct arena *arena, const struct lockstep_search *written, const char *schedule)
{
	struct lockstep_search *search = arena_new(arena, struct lockstep_search);
	*search = *written;
	search->schedule = schedule;
	return search;
}

static const struct lockstep_placements *read_placements(
	struct arena *arena, const struct lockstep_placements *written, const char *launches)
{
	struct lockstep_placements *placements = arena_new(arena, struct lockstep_placements);
	uint64_t *copy = arena_new_array(arena, uint64_t, written->launch_count);
	*placements = *written;
	placements->launches = memcpy(copy, launches, written->launch_count * sizeof *copy);
	return placements;
}

bool launch_record_read(struct arena *arena, const char *data, size_t length, struct lockstep_result *result,
	struct launch_record *record)
{
	struct head head;
	uint64_t values = report_counter_count() * sizeof(uint64_t);
	if (length < sizeof head + values)
		return false;
	memcpy(&head, data, sizeof head);
	uint64_t rest = length - sizeof head - values, again = head.result.again_count * sizeof *result->again;
	if (head.result.again_count > rest / sizeof *result->again)
		return false;
	rest -= again;
	uint64_t placed = head.placements.launch_count * sizeof *head.placements.launches;
	if (head.placements.launch_count > rest / sizeof *head.placements.launches)
		return false;
	rest -= placed;
	const uint64_t bytes[] = {head.kernel_bytes, head.limiter_bytes, head.findings_bytes, head.profile_bytes,
		head.schedule_bytes, head.not_searched_bytes};
	const char *texts[sizeof bytes / sizeof *bytes], *next = data + sizeof head + values + again + placed;
	if (head.counter_count != report_counter_count() || !head.kernel_bytes || !head.limiter_bytes ||
		!split(next, rest, bytes, sizeof bytes / sizeof *bytes, texts))
		return false;
	const char *kernel = texts[0], *limiter = texts[1];
	if (head.result.outcome > LOCKSTEP_LIMIT || head.result.mode > LOCKSTEP_FUNCTIONAL ||
		head.search.verdict > LOCKSTEP_UNDECIDED)
		return false;
	struct lockstep_counter *counters = arena_new_array(arena, struct lockstep_counter, head.counter_count);
	for (size_t k = 0; k < head.counter_count; k++) {
		lockstep_counter(k, &counters[k]);
		memcpy(&counters[k].value, data + sizeof head + k * sizeof(uint64_t), sizeof(uint64_t));
	}
	*result = head.result;
	result->again = memcpy(arena_new_array(arena, struct lockstep_again, head.result.again_count),
		data + sizeof head + values, again);
	result->kernel = kernel;
	result->limiter = limiter;
	result->counters = counters;
	result->origin = NULL;
	result->findings = NULL;
	result->costs = NULL;
	result->locks = NULL;
	result->samples = NULL;
	result->tables = NULL;
	result->search = head.result.search ? read_search(arena, &head.search, texts[4]) : NULL;
	result->placements = placed ? read_placements(arena, &head.placements, next - placed) : NULL;
	result->not_searched = texts[5];
	result->finding_count = result->cost_count = result->lock_count = result->table_count = 0;
	*record = (struct launch_record){.ptx = arena_printf(arena, "%.*s", (int)sizeof head.ptx - 1, head.ptx),
		.process = head.process,
		.stream = head.stream,
		.findings = texts[2],
		.profile = texts[3]};
	return true;
}
