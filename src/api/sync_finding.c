/* Misuse of barriers and member masks as findings of the public interface. */
#include "api/api.h"

#include "machine/observe/sync.h"
#include "util/text.h"

#include <string.h>

/* "lane 3", "lanes 0-15,20" */
static const char *lanes_text(struct arena *arena, lane_mask lanes)
{
	struct text out = {.arena = arena};
	bool first = true;

	text_print(&out, "lane%s ", lanes & (lanes - 1) ? "s" : "");
	while (lanes) {
		uint32_t from = (uint32_t)__builtin_ctzll(lanes);
		lane_mask rest = ~(lanes >> from);
		uint32_t length = rest ? (uint32_t)__builtin_ctzll(rest) : 64;

		text_print(&out, first ? "%u" : ",%u", from);
		if (length > 1)
			text_print(&out, "-%u", from + length - 1);
		lanes &= length + from >= 64 ? 0 : ~(lane_mask)0 << (from + length);
		first = false;
	}
	return out.at;
}

/* What was seen, behind "barrier misuse: ". */
static const char *what_of(struct arena *arena, const struct sync_found *f)
{
	const char *lanes = lanes_text(arena, f->lanes), *others = f->others ? lanes_text(arena, f->others) : "";
	const char *elsewhere = f->has_other ? kernel_place_text(arena, f->kernel, f->other_pc) : NULL;

	switch (f->cause) {
	case SYNC_SKIPPED:
	case SYNC_MISSING:
		return arena_printf(arena, "%s executed it without %s, seen later %s%s", lanes, others,
			elsewhere ? "at " : "here", elsewhere ? elsewhere : "");
	case SYNC_DIFFERENT: return arena_printf(arena, "%s came here, and %s to %s", lanes, others, elsewhere);
	case SYNC_IN_PARTS:
		return arena_printf(arena, "%s came first, and %s later%s%s", lanes, others, elsewhere ? ", at " : "",
			elsewhere ? elsewhere : "");
	case SYNC_COUNT: return arena_printf(arena, "%s gave the thread count %u", lanes, f->value);
	case SYNC_NO_COUNT: return arena_printf(arena, "%s gave the thread count 0", lanes);
	case SYNC_COUNTS:
		return arena_printf(arena, "%s gave the thread count %u, and another warp %u%s%s", lanes, f->value,
			f->other_value, elsewhere ? " at " : "", elsewhere ? elsewhere : "");
	case SYNC_FORMS:
		return arena_printf(arena,
			"%s and another warp%s%s came to it, one with the thread count %u and one without", lanes,
			elsewhere ? " at " : "", elsewhere ? elsewhere : "", f->value);
	case SYNC_MIXED:
		return arena_printf(arena, "%s came to a barrier in use by its other forms%s%s", lanes,
			elsewhere ? " at " : "", elsewhere ? elsewhere : "");
	case SYNC_OUTSIDER: return arena_printf(arena, "%s executed it, not in the mask", lanes);
	case SYNC_MASKS: return arena_printf(arena, "%s named %s, with another mask", lanes, others);
	case SYNC_SOURCE: return arena_printf(arena, "%s read from %s", lanes, others);
	case SYNC_CAUSES: break;
	}
	return "";
}

/* The first of the lanes, and the first of the others, as threads. */
static size_t threads_of(
	struct arena *arena, const struct started *started, const struct sync_found *f, struct lockstep_thread *threads)
{
	const lane_mask masks[2] = {f->lanes, f->others};
	size_t count = 0;

	for (uint32_t k = 0; k < 2; k++) {
		if (!masks[k])
			continue;
		threads[count].state = lanes_text(arena, masks[k]);
		api_unflatten(f->group, started->result.grid, threads[count].group);
		api_unflatten(f->first_thread + (uint32_t)__builtin_ctzll(masks[k]), started->result.block,
			threads[count].thread);
		count++;
	}
	return count;
}

static struct lockstep_finding finding_of(struct started *started, const struct sync_found *f)
{
	struct arena *arena = &started->arena;
	const struct sync_cause_text *cause = &sync_causes[f->cause];
	struct lockstep_line *lines = arena_new_array(arena, struct lockstep_line, 2);
	struct lockstep_thread *threads = arena_new_array(arena, struct lockstep_thread, 2);
	size_t thread_count = threads_of(arena, started, f, threads);
	uint32_t group[3];

	api_unflatten(f->group, started->result.grid, group);
	lines[0] = api_line(arena, f->kernel, f->pc, "the instruction");
	if (f->has_other)
		lines[1] = api_line(arena, f->kernel, f->other_pc, "the other place");
	return (struct lockstep_finding){.kind = "barrier-misuse",
		.certainty = cause->certainty,
		.cause = cause->name,
		.message = arena_printf(arena, "barrier misuse at %s (%s): group (%u,%u,%u) warp %u: %s: %s. %c%s",
			kernel_place_text(arena, f->kernel, f->pc), ptx_ops[f->kernel->code[f->pc].op].spelling,
			group[0], group[1], group[2], f->first_thread / f->kernel->lanes, what_of(arena, f),
			cause->rule, cause->remedy[0] - 'a' + 'A', cause->remedy + 1),
		.lines = lines,
		.line_count = f->has_other ? 2 : 1,
		.threads = threads,
		.thread_count = thread_count,
		.count = f->count};
}

static struct syncs *syncs_of(const struct lockstep *lockstep)
{
	return lockstep->gpu.observe[OBSERVER_sync];
}

static uint32_t count(const struct lockstep *lockstep)
{
	return syncs_of(lockstep) ? syncs_of(lockstep)->list.found.count : 0;
}

static struct seen seen(const struct lockstep *lockstep, uint32_t k)
{
	const struct sync_found *f = &syncs_of(lockstep)->list.found.at[k];

	return (struct seen){.launch = f->launch, .count = f->count};
}

static struct lockstep_finding finding(const struct lockstep *lockstep, struct started *started, uint32_t k)
{
	const struct schedule_list *shown = k < started->search.syncs.count ? &started->search.syncs.at[k] : NULL;
	struct lockstep_finding f = finding_of(started, &syncs_of(lockstep)->list.found.at[k]);

	f.message = api_with_schedule(&started->arena, f.message, shown);
	return f;
}

const struct check api_syncs = {.count = count, .seen = seen, .finding = finding};

static void open_part(struct lockstep *lockstep, struct diagnostic *diagnostic)
{
	struct gpu *gpu = &lockstep->gpu;

	(void)diagnostic;
	if (lockstep->checks.sync)
		gpu->observe[OBSERVER_sync] =
			syncs_create(&lockstep->arena, &(struct syncs_asked){.sources = lockstep->checks.sources});
}

static void forget(struct lockstep *lockstep, const struct ptx_module *module)
{
	if (syncs_of(lockstep))
		sync_list_forget(&syncs_of(lockstep)->list, module);
}

const struct result_part result_part_sync = {.open = open_part, .forget = forget};
