/* The checks of --check: what they are asked for, and what they found, each thing once over all launches. */
#include "api/api.h"

#include "init/init.h"
#include "machine/observe/races.h"
#include "options/words.h"
#include "race/exits.h"
#include "sync/sync.h"

#include <assert.h>

#define HAS(bits, all) (((bits) & (all)) == (all))
#define ALL                                                                                                            \
	((uint32_t)LOCKSTEP_CHECK_ALL | LOCKSTEP_CHECK_RACES_STRICT | LOCKSTEP_CHECK_RACES_VOLATILE |                  \
		LOCKSTEP_CHECK_RACES_ALL | LOCKSTEP_CHECK_BARRIERS_ALL)

/* ---- A session ---- */

const char *lockstep_check_word(size_t k, uint32_t *check)
{
	return checks_word(k, check);
}

static void open_part(struct lockstep *lockstep, struct diagnostic *diagnostic)
{
	struct gpu *gpu = &lockstep->gpu;
	uint32_t bits = gpu->options.check;
	struct syncs_asked *asked = arena_new(&lockstep->arena, struct syncs_asked);

	if (bits & ~ALL)
		diagnose(diagnostic, (struct place){0}, "check %#x: expected bits of enum lockstep_check, %#x at most",
			bits, ALL);
	gpu->found = lockstep->found;
	for (enum found_kind kind = 0; kind < FOUND_KINDS; kind++)
		gpu->found[kind].arena = &lockstep->arena;
	if (bits & LOCKSTEP_CHECK_RACES)
		gpu->observe[OBSERVER_races] = races_create(&gpu->found[FOUND_RACE],
			&(struct races_asked){.strict = HAS(bits, LOCKSTEP_CHECK_RACES_STRICT),
				.same_values = HAS(bits, LOCKSTEP_CHECK_RACES_ALL),
				.volatiles = HAS(bits, LOCKSTEP_CHECK_RACES_VOLATILE),
				.all = HAS(bits, LOCKSTEP_CHECK_ALL)},
			GLOBAL_BASE, gpu->space.size);
	if (bits & LOCKSTEP_CHECK_INIT)
		gpu->observe[OBSERVER_init] = inits_create(&gpu->found[FOUND_INIT], GLOBAL_BASE, gpu->space.size);
	asked->all = HAS(bits, LOCKSTEP_CHECK_BARRIERS_ALL);
	asked->counts = HAS(bits, LOCKSTEP_CHECK_ALL) && !asked->all;
	asked->apart.arena = &lockstep->arena;
	if (bits & LOCKSTEP_CHECK_BARRIERS)
		gpu->observe[OBSERVER_sync] = gpu->observe[OBSERVER_phases] = asked;
	if (bits & LOCKSTEP_CHECK_BARRIERS)
		gpu->observe[OBSERVER_exits] = exits_create(&gpu->found[FOUND_SYNC]);
}

static void forget(struct lockstep *lockstep, const struct ptx_module *module)
{
	for (enum found_kind kind = 0; kind < FOUND_KINDS; kind++)
		found_forget(&lockstep->found[kind], module);
}

const struct result_part result_part_checked = {.open = open_part, .forget = forget};

/* ---- What was found ---- */

/* Calls the body with `f` for all that was found, a check after another. */
#define EACH_FOUND(f, lists)                                                                                           \
	for (struct found_list *list = (lists); list < (lists) + FOUND_KINDS; list++)                                  \
		for (struct found *f = list->of.at; f && f < list->of.at + list->of.count; f++)

bool api_has_checked(const struct lockstep *lockstep, uint64_t launch)
{
	EACH_FOUND(f, lockstep->gpu.found)
		if (f->told.is_told ? f->count > f->told.count : f->launch == launch)
			return true;
	return false;
}

uint32_t api_count_checked(const struct lockstep *lockstep)
{
	uint32_t count = 0;

	for (enum found_kind kind = 0; kind < FOUND_KINDS; kind++)
		count += lockstep->found[kind].of.count;
	return count;
}

void api_take_checked(struct lockstep *lockstep, struct lockstep_result *result)
{
	static_assert(LOCKSTEP_CHECKED_RACES == (int)FOUND_RACE && LOCKSTEP_CHECKED_INIT == (int)FOUND_INIT &&
			      LOCKSTEP_CHECKED_BARRIERS == (int)FOUND_SYNC,
		"the same in the interface");
	for (enum found_kind kind = 0; kind < FOUND_KINDS; kind++) {
		result->checked[kind] = lockstep->gpu.found[kind].checked;
		lockstep->gpu.found[kind].checked = 0;
		result->not_listed[kind] = lockstep->gpu.found[kind].more;
		lockstep->gpu.found[kind].more = 0;
	}
	if (lockstep->gpu.options.check & LOCKSTEP_CHECK_RACES) {
		static_assert(LOCKSTEP_APART_VOLATILE == (int)RACES_APART_VOLATILE &&
				      LOCKSTEP_APART_SAME_VALUE == (int)RACES_APART_SAME_VALUE,
			"the same in the interface");
		for (enum races_apart what = 0; what < RACES_APART; what++)
			result->apart[what] = races_apart(lockstep->gpu.observe[OBSERVER_races], what);
	}
	if (lockstep->gpu.options.check & LOCKSTEP_CHECK_BARRIERS)
		result->apart[LOCKSTEP_APART_BARRIERS] =
			((const struct syncs_asked *)lockstep->gpu.observe[OBSERVER_sync])->apart.of.count;
}

/* What happened to a thing that was found, since results have it. */
static void add_again(struct lockstep_result *result, struct lockstep_again *again, struct found *f)
{
	if (f->count == f->told.count)
		return;
	again[result->again_count++] = (struct lockstep_again){
		.launch = f->launch + 1, .finding = f->told.finding, .count = f->count - f->told.count};
	f->told.count = f->count;
}

/* With the schedule that shows it, if there is one; `k`: its number of its kind. */
static struct lockstep_finding finding_of(
	const struct lockstep *lockstep, struct started *started, const struct found *f, uint64_t k)
{
	struct lockstep_finding finding = api_found(lockstep, started, f);
	enum found_kind kind = found_causes[f->cause].kind;
	const struct schedule_list *shown =
		k < started->search.shown[kind].count ? &started->search.shown[kind].at[k] : NULL;

	if (shown && shown->count)
		finding.message = arena_printf(&started->arena, "%s; the schedule is %s", finding.message,
			schedule_list_text(&started->arena, shown));
	return finding;
}

struct lockstep_finding *api_add_checked(struct lockstep *lockstep, struct started *started, uint64_t launch,
	const struct lockstep_finding *first, struct lockstep_finding *next)
{
	struct lockstep_again *again =
		arena_new_array(&started->arena, struct lockstep_again, api_count_checked(lockstep));

	started->result.again = again;
	EACH_FOUND(f, lockstep->gpu.found) {
		if (f->told.is_told) {
			add_again(&started->result, again, f);
		} else if (f->launch == launch) {
			f->told.is_told = true;
			f->told.finding = (uint64_t)(next - first);
			f->told.count = f->count;
			*next++ = finding_of(lockstep, started, f, (uint64_t)(f - list->of.at));
		}
	}
	return next;
}
