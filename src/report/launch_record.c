/* Launches from the programs to the command: see launch_record.h. */
#include "report/launch_record.h"

#include "report/reports.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Behind it: the counters' values, in lockstep_counter's order; then what was seen again; then kernel, limiter,
 * findings and profile, each with its NUL. */
struct head {
	char ptx[36];                                                                       /* of its module */
	uint64_t process, stream;                                                           /* that it ran in */
	uint64_t counter_count, kernel_bytes, limiter_bytes, findings_bytes, profile_bytes; /* 0: none */
	struct lockstep_result result;                                                      /* pointers mean nothing */
};

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
	assert(!result->search); /* programs have no way to ask for one */
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
	text_append(out, result->kernel, head.kernel_bytes);
	text_append(out, result->limiter, head.limiter_bytes);
	text_append(out, findings.at, head.findings_bytes);
	text_append(out, profile.at, head.profile_bytes);
	arena_free(&arena);
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
	if (head.counter_count != report_counter_count() || !head.kernel_bytes || !head.limiter_bytes ||
		head.kernel_bytes > rest || head.limiter_bytes > rest - head.kernel_bytes ||
		head.findings_bytes > rest - head.kernel_bytes - head.limiter_bytes ||
		head.profile_bytes != rest - head.kernel_bytes - head.limiter_bytes - head.findings_bytes)
		return false;
	const char *kernel = data + sizeof head + values + again, *limiter = kernel + head.kernel_bytes;
	if (head.result.outcome > LOCKSTEP_LIMIT || head.result.mode > LOCKSTEP_FUNCTIONAL ||
		kernel[head.kernel_bytes - 1] || limiter[head.limiter_bytes - 1])
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
	result->finding_count = result->cost_count = result->lock_count = result->table_count = 0;
	*record = (struct launch_record){.ptx = arena_printf(arena, "%.*s", (int)sizeof head.ptx - 1, head.ptx),
		.process = head.process,
		.stream = head.stream,
		.findings = head.findings_bytes ? result->limiter + head.limiter_bytes : NULL,
		.profile = head.profile_bytes ? result->limiter + head.limiter_bytes + head.findings_bytes : NULL};
	return true;
}
