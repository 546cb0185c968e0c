/* A profile in the format of valgrind's callgrind, version 1, which callgrind_annotate and KCachegrind read
 * (valgrind's manual, "Callgrind Format Specification").  A kernel is a function; the first event is its cycles. */
#include "report/profile.h"
#include "util/demangle.h"

#include <inttypes.h>
#include <string.h>

/* Which counters any line has a part of. */
static void find_used(const struct profile *profile, bool used[PROFILE_COUNTERS])
{
	for (uint32_t k = 0; k < profile->kernels.count; k++)
		for (size_t v = 0; lockstep_profiled(v); v++)
			used[v] |= profile->kernels.at[k].cost.values[v] != 0;
}

/* An event's name has no dots. */
static void write_events(struct text *out, const bool used[PROFILE_COUNTERS])
{
	text_print(out, "event: Cycles : scheduler cycles, issuing or stalled\nevent: Issued : warp instructions\n"
			"event: Lanes : lane instructions\nevents: Cycles Issued Lanes");
	for (size_t k = 0; lockstep_profiled(k); k++)
		if (used[k])
			text_print(out, " %.*s", (int)strcspn(lockstep_profiled(k), "."), lockstep_profiled(k));
	text_print(out, "\n");
}

static void write_cost(struct text *out, const struct profile_cost *cost, const bool used[PROFILE_COUNTERS])
{
	text_print(out, "%" PRIu64 " %" PRIu64 " %" PRIu64, profile_cycles(cost), cost->issued, cost->lanes);
	for (size_t k = 0; lockstep_profiled(k); k++)
		if (used[k])
			text_print(out, " %" PRIu64, cost->values[k]);
	text_print(out, "\n");
}

static const char *file_of(const struct profile_line *line)
{
	return *line->file ? line->file : "???";
}

/* Lines of other files, which headers have, are "included" in the kernel's: fi. */
static void write_kernel(struct text *out, const struct profile_kernel *kernel, const bool used[PROFILE_COUNTERS])
{
	const char *file = NULL;
	for (uint32_t k = 0; k < kernel->lines.count; k++) {
		const struct profile_line *line = &kernel->lines.at[k];
		if (!file)
			text_print(out, "\nfl=%s\nfn=%s\n", file_of(line), demangle_short(out->arena, kernel->name));
		else if (strcmp(file, file_of(line)))
			text_print(out, "fi=%s\n", file_of(line));
		file = file_of(line);
		text_print(out, "%" PRIu64 " ", line->line);
		write_cost(out, &line->cost, used);
	}
}

void profile_callgrind(struct text *out, const struct profile *profile)
{
	bool used[PROFILE_COUNTERS] = {false};
	struct profile_cost *sum = arena_new(out->arena, struct profile_cost);
	find_used(profile, used);
	for (uint32_t k = 0; k < profile->kernels.count; k++)
		profile_add_cost(sum, &profile->kernels.at[k].cost);
	text_print(out, "# callgrind format\nversion: 1\ncreator: lockstep\npositions: line\n");
	write_events(out, used);
	text_print(out, "summary: ");
	write_cost(out, sum, used);
	for (uint32_t k = 0; k < profile->kernels.count; k++)
		write_kernel(out, &profile->kernels.at[k], used);
}
