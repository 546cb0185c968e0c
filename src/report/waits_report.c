/* The barriers and fences of a profile: as JSON, added up over launches by line and instruction, and for people. */
#include "report/members.h"
#include "report/profile.h"
#include "report/style.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define WAITS_SHOWN 8

/* ---- As JSON ---- */

#define AWAITED(of) MEMBER(of, stores), MEMBER(of, atomics), MEMBER(of, loads), MEMBER(of, others)
#define AT_FENCES(of) MEMBER_AS("missed_l2", of, missed), MEMBER(of, fixed), MEMBER_AS("emptied_l1", of, emptied)

static const struct member_row barrier_rows[] = {MEMBER(lockstep_barrier, file), MEMBER(lockstep_barrier, line),
	MEMBER(lockstep_barrier, text), MEMBER(lockstep_barrier, phases), MEMBER_IF_ANY(lockstep_barrier, words),
	MEMBER_IF_ANY(lockstep_barrier, waits), MEMBER(lockstep_barrier, waited), {0}};
static const struct member_row phase_rows[] = {MEMBER(lockstep_barrier, idle), MEMBER(lockstep_barrier, filling), {0}};
static const struct member_row last_rows[] = {
	MEMBER_AS("warp", lockstep_barrier, last_warp), MEMBER_AS("times", lockstep_barrier, last_times), {0}};
static const struct member_row fence_rows[] = {MEMBER(lockstep_fence, file), MEMBER(lockstep_fence, line),
	MEMBER(lockstep_fence, text), MEMBER(lockstep_fence, count), MEMBER(lockstep_fence, waited), {0}};
static const struct member_row awaited_rows[] = {AWAITED(lockstep_fence), {0}};
static const struct member_row cost_rows[] = {AT_FENCES(lockstep_fence), MEMBER(lockstep_fence, scope), {0}};

static json_object *barrier_object(const struct lockstep_barrier *b)
{
	json_object *object = members_object(barrier_rows, b);
	if (!b->words)
		members_add(object, phase_rows, b);
	profile_add_worst(object, b->worst, &b->worst_thread);
	if (b->last_times) {
		json_object *last = json_object_new_object();
		if (b->words)
			add_member(last, "group", triple_of(b->last_group));
		members_add(last, last_rows, b);
		add_member(object, "last", last);
	}
	return object;
}

static json_object *fence_object(const struct lockstep_fence *f)
{
	json_object *object = members_object(fence_rows, f);
	add_member(object, "awaited", members_object(awaited_rows, f));
	members_add(object, cost_rows, f);
	profile_add_worst(object, f->worst, &f->worst_thread);
	return object;
}

void profile_waits_to(json_object *launch, const struct lockstep_result *result)
{
	json_object *barriers = json_object_new_array(), *fences = json_object_new_array();
	for (size_t k = 0; k < result->barrier_count; k++)
		json_object_array_add(barriers, barrier_object(&result->barriers[k]));
	for (size_t k = 0; k < result->fence_count; k++)
		json_object_array_add(fences, fence_object(&result->fences_waited[k]));
	add_member(launch, "barriers", barriers);
	add_member(launch, "fences", fences);
}

/* ---- From JSON ---- */

static bool is_site(const struct profile_wait *wait, json_object *object)
{
	return wait->line == number_of(object, "line") && !strcmp(wait->file, text_of(object, "file")) &&
	       !strcmp(wait->text, text_of(object, "text"));
}

static const struct member_row sum_rows[] = {MEMBER(profile_wait, waited), MEMBER(profile_wait, words),
	MEMBER(profile_wait, waits), MEMBER(profile_wait, idle), MEMBER(profile_wait, filling), AT_FENCES(profile_wait),
	{0}};
static const struct member_row awaited_sum_rows[] = {AWAITED(profile_wait), {0}};

static struct profile_wait new_wait(struct arena *arena, json_object *object)
{
	return (struct profile_wait){.file = arena_text(arena, text_of(object, "file")),
		.text = arena_text(arena, text_of(object, "text")),
		.scope = arena_text(arena, text_of(object, "scope")),
		.line = number_of(object, "line")};
}

static void add_wait(struct arena *arena, struct profile_wait *wait, json_object *object, const char *times)
{
	json_object *last = member(object, "last");
	wait->times += number_of(object, times);
	members_add_up(wait, sum_rows, object);
	members_add_up(wait, awaited_sum_rows, member(object, "awaited"));
	profile_take_worst(arena, object, "warp of thread", &wait->worst, &wait->worst_thread);
	if (number_of(last, "times") > wait->last_times) {
		wait->last_times = number_of(last, "times");
		wait->last_warp = number_of(last, "warp");
		wait->last_group = member(last, "group") ? triple_text(arena, member(last, "group")) : NULL;
	}
}

/* `times`: the member that says how often. */
static void add_sites(struct arena *arena, struct profile_waits *waits, json_object *sites, const char *times)
{
	for (size_t k = 0; k < length_of(sites); k++) {
		json_object *object = element(sites, k);
		uint32_t at = 0;
		while (at < waits->list.count && !is_site(&waits->list.at[at], object))
			at++;
		if (at == waits->list.count)
			*vector_push(arena, &waits->list) = new_wait(arena, object);
		add_wait(arena, &waits->list.at[at], object, times);
	}
}

void profile_add_waits(struct arena *arena, struct profile_kernel *kernel, json_object *launch)
{
	add_sites(arena, &kernel->barriers, member(launch, "barriers"), "phases");
	add_sites(arena, &kernel->fences, member(launch, "fences"), "count");
}

static int by_wait(const void *left, const void *right)
{
	const struct profile_wait *a = left, *b = right;
	if (a->waited != b->waited)
		return a->waited < b->waited ? 1 : -1;
	if (a->line != b->line)
		return a->line < b->line ? -1 : 1;
	int order = strcmp(a->file, b->file);
	return order ? order : strcmp(a->text, b->text);
}

static void sort(struct profile_waits *waits)
{
	if (waits->list.count)
		qsort(waits->list.at, waits->list.count, sizeof *waits->list.at, by_wait);
}

void profile_sort_waits(struct profile_kernel *kernel)
{
	sort(&kernel->barriers);
	sort(&kernel->fences);
}

/* ---- For people ---- */

static void write_worst(struct text *out, const struct profile_wait *w)
{
	char worst[TEXT_DIGITS];
	if (w->worst)
		text_print(out, "  %12s %s waited longest, %s cycles\n", "", w->worst_thread,
			text_grouped(w->worst, worst));
}

static double a_phase(uint64_t sum, const struct profile_wait *w)
{
	return w->times ? (double)sum / (double)w->times : 0;
}

static void write_barrier(struct text *out, const struct profile_wait *w)
{
	char phases[TEXT_DIGITS], waited[TEXT_DIGITS], last[TEXT_DIGITS];
	text_print(out, "  %12s %15s %12.0f ", text_grouped(w->times, phases), text_grouped(w->waited, waited),
		a_phase(w->waited, w));
	if (w->words)
		text_print(out, "%8s %8s", "", "");
	else
		text_print(out, "%8.0f %8.0f", a_phase(w->idle, w), a_phase(w->filling, w));
	text_print(out, "   warp %-3" PRIu64 " %10s  %s:%" PRIu64 "  %s%s%s%s\n", w->last_warp,
		text_grouped(w->last_times, last), profile_base_of(w->file), w->line, w->text,
		w->words ? ", polled" : "", w->last_group ? "; last: of group " : "",
		w->last_group ? w->last_group : "");
	write_worst(out, w);
}

static void write_fence(struct text *out, const struct profile_wait *w)
{
	char count[TEXT_DIGITS], waited[TEXT_DIGITS], emptied[TEXT_DIGITS];
	double all = w->waited ? (double)w->waited / 100 : 1, times = w->times ? (double)w->times : 1;
	text_print(out,
		"  %12s %15s %10.0f %6.0f %6.0f%% %7.0f%% %6.0f%% %6.0f%% %7.0f%% %10s  %-7s  %s:%" PRIu64 "  %s\n",
		text_grouped(w->times, count), text_grouped(w->waited, waited), (double)w->waited / times,
		(double)w->fixed / times, (double)w->stores / all, (double)w->atomics / all, (double)w->loads / all,
		(double)w->others / all, (double)w->missed / all, text_grouped(w->emptied, emptied),
		w->scope ? w->scope : "", profile_base_of(w->file), w->line, w->text);
	write_worst(out, w);
}

void profile_text_waits(struct text *out, const struct profile_kernel *kernel)
{
	if (kernel->barriers.list.count)
		text_print(out,
			"\n  barriers, by warp cycles waited there; mean cycles: idle until a phase's first thread, "
			"filling until its end; last: the warp of its group that most often arrived last\n"
			"  %12s %15s %12s %8s %8s   %-8s %10s  %s\n",
			"phases", "waited", "a phase", "idle", "filling", "last", "times", "barrier");
	for (uint32_t k = 0; k < kernel->barriers.list.count && k < WAITS_SHOWN; k++)
		write_barrier(out, &kernel->barriers.list.at[k]);
	style_left(out, kernel->barriers.list.count, WAITS_SHOWN, "barriers");
	if (kernel->fences.list.count)
		text_print(out,
			"\n  fences, by warp cycles waited; share of what was answered last, and of that the L2 "
			"misses\n"
			"  %12s %15s %10s %6s %7s %8s %7s %7s %8s %10s  %-7s  %s\n",
			"fences", "waited", "each", "fixed", "stores", "atomics", "loads", "others", "L2 miss",
			"emptied L1", "scope", "fence");
	for (uint32_t k = 0; k < kernel->fences.list.count && k < WAITS_SHOWN; k++)
		write_fence(out, &kernel->fences.list.at[k]);
	style_left(out, kernel->fences.list.count, WAITS_SHOWN, "fences");
}
