/* The text of schedules. */
#include "machine/progress/schedule_list.h"

#include "util/text.h"
#include "util/vector.h"

#include <assert.h>
#include <ctype.h>

#define MOST_STEPS 1000000000u /* of one run */
#define MOST_PART 1000000u

static bool read_number(const char **at, uint32_t most, uint32_t *number)
{
	uint64_t value = 0;
	const char *start = *at;
	for (; isdigit((unsigned char)**at) && value <= most; ++*at)
		value = value * 10 + (uint64_t)(**at - '0');
	*number = (uint32_t)value;
	return *at != start && value <= most;
}

/* "/PATH" behind the warp, or nothing. */
static bool read_path(const char **at, uint32_t *part)
{
	uint32_t path, warp = *part - PART_WARP(0);
	if (**at != '/')
		return true;
	++*at;
	if (!read_number(at, PART_PATHS - 1, &path) || !path || warp >= PART_PATHS)
		return false;
	*part = PART_PATH(warp, path);
	return true;
}

/* ".WARP", ".WARP/PATH", ".cCOPY" or nothing. */
static bool read_part(const char **at, uint32_t *part)
{
	bool copy;
	*part = PART_TURN;
	if (**at != '.')
		return true;
	++*at;
	copy = **at == 'c';
	*at += copy;
	if (!read_number(at, MOST_PART, part))
		return false;
	*part = copy ? PART_COPY + *part : PART_WARP(*part);
	return copy || read_path(at, part);
}

/* "GROUP" or "GROUP*STEPS", where GROUP may have a part, or "LLAUNCH" is in its place. */
static bool read_run(const char **at, struct schedule_run *run)
{
	bool is_launch = **at == 'L';
	run->count = 1;
	*at += is_launch;
	if (!read_number(at, UINT32_MAX - 2, &run->group) || !read_part(at, &run->part))
		return false;
	if (is_launch && run->part != PART_TURN)
		return false;
	run->part = is_launch ? PART_LAUNCH : run->part;
	if (**at != '*')
		return true;
	++*at;
	return read_number(at, MOST_STEPS, &run->count) && run->count;
}

bool schedule_list_read(
	struct arena *arena, const char *text, struct schedule_list *list, struct diagnostic *diagnostic)
{
	VECTOR(struct schedule_run) runs = {0};
	const char *at = text;
	bool good = true, loops = false, ends = false;
	uint32_t loop = 0;
	while (good && !ends) {
		if (*at == '(' && !loops) {
			loops = true;
			loop = runs.count;
			at++;
		}
		good = read_run(&at, vector_push(arena, &runs));
		if (good && loops && *at == ')') {
			at++;
			ends = true;
		} else if (good && !loops && !*at) {
			ends = true;
		} else {
			good = good && *at++ == ',';
		}
	}
	for (uint32_t k = 0; good && k < runs.count; k++)
		good = (runs.at[k].part == PART_LAUNCH) == (runs.at[0].part == PART_LAUNCH);
	if (!good || *at || (runs.at[0].part == PART_LAUNCH && loops)) {
		diagnose(diagnostic, (struct place){0},
			"schedule '%s': expected work-groups such as 1,0*3,(2,1), or their warps such as 0.1, where "
			"what is in () repeats, at its end; or launches such as L1*2,L0",
			text);
		return false;
	}
	assert(runs.count);
	assert(!loops || loop < runs.count);
	*list = (struct schedule_list){.runs = runs.at, .count = runs.count, .loop = loops ? loop : runs.count};
	return true;
}

const char *schedule_list_text(struct arena *arena, const struct schedule_list *list)
{
	struct text text = {.arena = arena};
	assert(list->loop <= list->count);
	for (uint32_t k = 0; k < list->count; k++) {
		const struct schedule_run *run = &list->runs[k];
		text_print(&text, "%s%s%s%u", k ? "," : "", k == list->loop ? "(" : "",
			run->part == PART_LAUNCH ? "L" : "", run->group);
		if (run->part & PART_COPY)
			text_print(&text, ".c%u", run->part - PART_COPY);
		else if (part_is_path(run->part))
			text_print(&text, ".%u/%u", part_path_warp(run->part), part_path(run->part));
		else if (run->part != PART_TURN && run->part != PART_LAUNCH)
			text_print(&text, ".%u", run->part - PART_WARP(0));
		if (run->count > 1)
			text_print(&text, "*%u", run->count);
	}
	text_print(&text, list->loop < list->count ? ")" : "");
	return text.length ? text.at : "";
}
