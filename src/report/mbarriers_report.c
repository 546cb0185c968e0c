/* The mbarriers of a profile: as JSON, added up over launches by line, instruction and place, for people and pages. */
#include "report/members.h"
#include "report/profile.h"
#include "report/style.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define MBARRIERS_SHOWN 8

/* ---- As JSON ---- */

#define SITE(of) MEMBER(of, file), MEMBER(of, line), MEMBER(of, text)
#define PHASES(of)                                                                                                     \
	MEMBER(of, objects), MEMBER(of, phases), MEMBER(of, arrivals), MEMBER(of, bytes), MEMBER(of, idle),            \
		MEMBER(of, filling), MEMBER(of, ready), MEMBER(of, seen), MEMBER(of, unseen)
#define WAITS(of) MEMBER(of, passed), MEMBER(of, waits), MEMBER(of, failed), MEMBER(of, waited), MEMBER(of, suspended)

static const struct member_row mbarrier_rows[] = {
	SITE(lockstep_mbarrier), MEMBER(lockstep_mbarrier, address), PHASES(lockstep_mbarrier), {0}};
static const struct member_row wait_rows[] = {SITE(lockstep_mbarrier_wait), WAITS(lockstep_mbarrier_wait), {0}};

static json_object *waits_of(const struct lockstep_mbarrier *m)
{
	json_object *waits = json_object_new_array();
	for (size_t k = 0; k < m->wait_count; k++) {
		json_object *object = add_object(waits);
		members_add(object, wait_rows, &m->waits[k]);
		profile_add_worst(object, m->waits[k].worst, &m->waits[k].worst_thread);
	}
	return waits;
}

void profile_mbarriers_to(json_object *launch, const struct lockstep_result *result)
{
	json_object *mbarriers = result->mbarrier_count ? json_object_new_array() : NULL;
	for (size_t k = 0; k < result->mbarrier_count; k++) {
		json_object *object = add_object(mbarriers);
		members_add(object, mbarrier_rows, &result->mbarriers[k]);
		add_member(object, "waits", waits_of(&result->mbarriers[k]));
	}
	if (mbarriers)
		add_member(launch, "mbarriers", mbarriers);
}

/* ---- From JSON ---- */

static const struct member_row sum_rows[] = {PHASES(profile_mbarrier), {0}};
static const struct member_row wait_sum_rows[] = {WAITS(profile_mbarrier_wait), {0}};

static bool is_at(const char *file, uint64_t line, const char *text, json_object *object)
{
	return line == number_of(object, "line") && !strcmp(file, text_of(object, "file")) &&
	       !strcmp(text, text_of(object, "text"));
}

static struct profile_mbarrier *find(struct arena *arena, struct profile_mbarriers *mbarriers, json_object *object)
{
	for (uint32_t k = 0; k < mbarriers->list.count; k++) {
		struct profile_mbarrier *m = &mbarriers->list.at[k];
		if (is_at(m->file, m->line, m->text, object) && !strcmp(m->address, text_of(object, "address")))
			return m;
	}
	struct profile_mbarrier *m = vector_push(arena, &mbarriers->list);
	*m = (struct profile_mbarrier){.file = arena_text(arena, text_of(object, "file")),
		.text = arena_text(arena, text_of(object, "text")),
		.address = arena_text(arena, text_of(object, "address")),
		.line = number_of(object, "line")};
	return m;
}

static struct profile_mbarrier_wait *find_wait(struct arena *arena, struct profile_mbarrier *m, json_object *object)
{
	for (uint32_t k = 0; k < m->waits.count; k++)
		if (is_at(m->waits.at[k].file, m->waits.at[k].line, m->waits.at[k].text, object))
			return &m->waits.at[k];
	struct profile_mbarrier_wait *wait = vector_push(arena, &m->waits);
	*wait = (struct profile_mbarrier_wait){.file = arena_text(arena, text_of(object, "file")),
		.text = arena_text(arena, text_of(object, "text")),
		.line = number_of(object, "line")};
	return wait;
}

void profile_add_mbarriers(struct arena *arena, struct profile_kernel *kernel, json_object *launch)
{
	json_object *mbarriers = member(launch, "mbarriers");
	for (size_t k = 0; k < length_of(mbarriers); k++) {
		json_object *object = element(mbarriers, k), *waits = member(object, "waits");
		struct profile_mbarrier *m = find(arena, &kernel->mbarriers, object);
		members_add_up(m, sum_rows, object);
		for (size_t j = 0; j < length_of(waits); j++) {
			struct profile_mbarrier_wait *wait = find_wait(arena, m, element(waits, j));
			members_add_up(wait, wait_sum_rows, element(waits, j));
			profile_take_worst(
				arena, element(waits, j), "warp of thread", &wait->worst, &wait->worst_thread);
			m->waited += number_of(element(waits, j), "waited");
		}
	}
}

static int by_wait(const void *left, const void *right)
{
	const struct profile_mbarrier *a = left, *b = right;
	if (a->waited != b->waited)
		return a->waited < b->waited ? 1 : -1;
	if (a->line != b->line)
		return a->line < b->line ? -1 : 1;
	int order = strcmp(a->file, b->file);
	order = order ? order : strcmp(a->address, b->address);
	return order ? order : strcmp(a->text, b->text);
}

void profile_sort_mbarriers(struct profile_kernel *kernel)
{
	if (kernel->mbarriers.list.count)
		qsort(kernel->mbarriers.list.at, kernel->mbarriers.list.count, sizeof *kernel->mbarriers.list.at,
			by_wait);
}

/* ---- For pages ---- */

json_object *profile_mbarriers_object(const struct profile_kernel *kernel, uint32_t most)
{
	static const struct member_row rows[] = {SITE(profile_mbarrier), MEMBER(profile_mbarrier, address),
		PHASES(profile_mbarrier), MEMBER(profile_mbarrier, waited), {0}};
	static const struct member_row waits[] = {SITE(profile_mbarrier_wait), WAITS(profile_mbarrier_wait),
		MEMBER(profile_mbarrier_wait, worst), MEMBER(profile_mbarrier_wait, worst_thread), {0}};
	json_object *array = json_object_new_array();
	for (uint32_t k = 0; k < kernel->mbarriers.list.count && k < most; k++) {
		const struct profile_mbarrier *m = &kernel->mbarriers.list.at[k];
		json_object *object = add_object(array);
		members_add(object, rows, m);
		add_member(object, "waits", MEMBERS_ARRAY(waits, m->waits.at, m->waits.count));
	}
	return array;
}

/* ---- For people ---- */

static double mean(uint64_t sum, uint64_t times)
{
	return times ? (double)sum / (double)times : 0;
}

static void write_wait(struct text *out, const struct profile_mbarrier_wait *w)
{
	char waits[TEXT_DIGITS], passed[TEXT_DIGITS], waited[TEXT_DIGITS], failed[TEXT_DIGITS], worst[TEXT_DIGITS];
	text_print(out, "  %12s %s of %s waits found it open: %s warp cycles, %.0f each, %s looks in vain", "",
		text_grouped(w->waits, waits), text_grouped(w->passed, passed), text_grouped(w->waited, waited),
		mean(w->waited, w->waits), text_grouped(w->failed, failed));
	text_print(out, ", at %s:%" PRIu64 "  %s\n", profile_base_of(w->file), w->line, w->text);
	if (w->worst)
		text_print(out, "  %12s     %s waited longest, %s cycles\n", "", w->worst_thread,
			text_grouped(w->worst, worst));
}

static void write_mbarrier(struct text *out, const struct profile_mbarrier *m)
{
	char objects[TEXT_DIGITS], phases[TEXT_DIGITS], arrivals[TEXT_DIGITS], bytes[TEXT_DIGITS];
	text_print(out, "  %12s %12s %12s %15s %8.0f %8.0f %8.0f %8" PRIu64 "  %s:%" PRIu64 "  %s\n",
		text_grouped(m->objects, objects), text_grouped(m->phases, phases), text_grouped(m->arrivals, arrivals),
		text_grouped(m->bytes, bytes), mean(m->idle, m->phases), mean(m->filling, m->phases),
		mean(m->ready, m->seen), m->unseen, profile_base_of(m->file), m->line, m->address);
	for (uint32_t k = 0; k < m->waits.count; k++)
		write_wait(out, &m->waits.at[k]);
}

void profile_text_mbarriers(struct text *out, const struct profile_kernel *kernel)
{
	if (!kernel->mbarriers.list.count)
		return;
	text_print(out,
		"\n  mbarriers, by warp cycles waited for them; mean cycles: idle until a phase's first arrival or "
		"byte, filling until its end, ready until a wait has seen that\n"
		"  %12s %12s %12s %15s %8s %8s %8s %8s  %s\n",
		"objects", "phases", "arrivals", "bytes", "idle", "filling", "ready", "unseen", "initialised at");
	for (uint32_t k = 0; k < kernel->mbarriers.list.count && k < MBARRIERS_SHOWN; k++)
		write_mbarrier(out, &kernel->mbarriers.list.at[k]);
	style_left(out, kernel->mbarriers.list.count, MBARRIERS_SHOWN, "mbarriers");
}
