/* What reports call outcomes, verdicts, modes, counters and causes of races. */
#include "report/reports.h"

#include "found/found.h"

#include <string.h>

const char *report_outcome(enum lockstep_outcome outcome)
{
	static const char *const names[] = {"completed", "hang", "fault", "limit", "interrupted"};
	return names[outcome];
}

const char *report_verdict(enum lockstep_verdict verdict)
{
	static const char *const names[] = {"always finishes", "may hang", "hangs", "faults", "undecided"};
	return names[verdict];
}

const char *report_mode(enum lockstep_mode mode)
{
	return mode == LOCKSTEP_FUNCTIONAL ? "functional" : "timing";
}

bool report_counter(const char *name, struct lockstep_counter *counter)
{
	for (size_t k = 0; lockstep_counter(k, counter); k++)
		if (!strcmp(counter->name, name))
			return true;
	return false;
}

size_t report_counter_count(void)
{
	struct lockstep_counter counter;
	size_t count = 0;
	while (lockstep_counter(count, &counter))
		count++;
	return count;
}

const char *report_host_cause(bool early)
{
	return found_causes[early ? RACE_GRID : RACE_HOST].name;
}

bool report_is_host_cause(const char *name)
{
	return !strcmp(name, report_host_cause(false)) || !strcmp(name, report_host_cause(true));
}

const char *report_host_cause_words(struct arena *arena, bool early)
{
	const struct found_cause_text *cause = &found_causes[early ? RACE_GRID : RACE_HOST];
	return arena_printf(arena, "%s. %c%s", cause->what, cause->remedy[0] - 'a' + 'A', cause->remedy + 1);
}
