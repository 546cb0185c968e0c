/* The locks of a profile: as JSON, added up over launches, and the worst for people. */
#include "report/members.h"
#include "report/profile.h"
#include "report/style.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define LOCKS_SHOWN 8

/* ---- As JSON ---- */

#define COUNTS(of)                                                                                                     \
	MEMBER(of, acquires), MEMBER(of, failed), MEMBER(of, longest_queue), MEMBER(of, waited), MEMBER(of, held),     \
		MEMBER(of, from_same_warp), MEMBER(of, from_same_core), MEMBER(of, from_other_core)

static const struct member_row lock_rows[] = {
	MEMBER(lockstep_lock, address), MEMBER_IF_ANY(lockstep_lock, groups), COUNTS(lockstep_lock), {0}};
static const struct member_row sum_rows[] = {MEMBER(profile_lock, groups), COUNTS(profile_lock), {0}};
static const struct member_row site_rows[] = {MEMBER(lockstep_lock_site, file), MEMBER(lockstep_lock_site, line),
	MEMBER(lockstep_lock_site, acquires), MEMBER(lockstep_lock_site, failed), {0}};

void profile_add_worst(json_object *object, uint64_t worst, const struct lockstep_thread *thread)
{
	static const struct member_row rows[] = {MEMBER(lockstep_thread, group), MEMBER(lockstep_thread, thread), {0}};
	if (!worst)
		return;
	json_object *member = members_object(rows, thread);
	add_number(member, "waited", worst);
	add_member(object, "worst", member);
}

json_object *profile_locks(const struct lockstep_result *result)
{
	json_object *locks = json_object_new_array();
	for (size_t k = 0; k < result->lock_count; k++) {
		const struct lockstep_lock *lock = &result->locks[k];
		json_object *object = add_object(locks);
		members_add(object, lock_rows, lock);
		profile_add_worst(object, lock->worst, &lock->worst_thread);
		add_member(object, "sites", MEMBERS_ARRAY(site_rows, lock->sites, lock->site_count));
	}
	return locks;
}

/* ---- From JSON ---- */

static struct profile_lock *find(struct arena *arena, struct profile_kernel *kernel, const char *address)
{
	uintptr_t number = (uintptr_t)map_get(&kernel->lock_numbers, address);
	if (number)
		return &kernel->locks.at[number - 1];
	struct profile_lock *lock = vector_push(arena, &kernel->locks);
	*lock = (struct profile_lock){.address = arena_text(arena, address)};
	map_put(arena, &kernel->lock_numbers, address, strlen(address), (void *)(uintptr_t)kernel->locks.count);
	return lock;
}

void profile_take_worst(
	struct arena *arena, json_object *object, const char *who, uint64_t *worst, const char **worst_thread)
{
	json_object *its = member(object, "worst"), *group = member(its, "group"), *thread = member(its, "thread");
	if (number_of(its, "waited") <= *worst || !group || !thread)
		return;
	*worst = number_of(its, "waited");
	*worst_thread =
		arena_printf(arena, "group %s %s %s", triple_text(arena, group), who, triple_text(arena, thread));
}

void profile_add_locks(struct arena *arena, struct profile_kernel *kernel, json_object *launch)
{
	json_object *locks = member(launch, "locks");
	for (size_t k = 0; k < length_of(locks); k++) {
		json_object *object = element(locks, k);
		struct profile_lock *lock = find(arena, kernel, text_of(object, "address"));
		uint64_t before = lock->longest_queue, queue = number_of(object, "longest_queue");
		members_add_up(lock, sum_rows, object);
		lock->longest_queue = queue > before ? queue : before; /* which does not add up */
		profile_take_worst(arena, object, "thread", &lock->worst, &lock->worst_thread);
	}
}

static int by_wait(const void *left, const void *right)
{
	const struct profile_lock *a = left, *b = right;
	if (a->waited != b->waited)
		return a->waited < b->waited ? 1 : -1;
	if (a->failed != b->failed)
		return a->failed < b->failed ? 1 : -1;
	return strcmp(a->address, b->address);
}

void profile_sort_locks(struct profile_kernel *kernel)
{
	if (kernel->locks.count)
		qsort(kernel->locks.at, kernel->locks.count, sizeof *kernel->locks.at, by_wait);
}

/* ---- For people ---- */

static void write_lock(struct text *out, const struct profile_lock *lock)
{
	char taken[TEXT_DIGITS], failed[TEXT_DIGITS], waited[TEXT_DIGITS], worst[TEXT_DIGITS];
	double held = lock->acquires ? (double)lock->held / (double)lock->acquires : 0;
	text_print(out, "  %10s %12s %8" PRIu64 " %15s %10.0f %7" PRIu64 " %7" PRIu64 " %7" PRIu64 "  %s",
		text_grouped(lock->acquires, taken), text_grouped(lock->failed, failed), lock->longest_queue,
		text_grouped(lock->waited, waited), held, lock->from_same_warp, lock->from_same_core,
		lock->from_other_core, lock->address);
	if (lock->groups)
		text_print(out, ", of %" PRIu64 " group%s", lock->groups, lock->groups == 1 ? "" : "s");
	text_print(out, "\n");
	if (lock->worst)
		text_print(out, "  %10s %s waited longest, %s cycles\n", "", lock->worst_thread,
			text_grouped(lock->worst, worst));
}

void profile_text_locks(struct text *out, const struct profile_kernel *kernel)
{
	if (!kernel->locks.count)
		return;
	text_print(out,
		"\n  locks, by lane cycles waited for them; queue: most lanes waiting at once; same, core, other: "
		"taken after the same warp, another warp of the core, another core\n"
		"  %10s %12s %8s %15s %10s %7s %7s %7s  %s\n",
		"taken", "failed", "queue", "waited", "held each", "same", "core", "other", "lock");
	for (uint32_t k = 0; k < kernel->locks.count && k < LOCKS_SHOWN; k++)
		write_lock(out, &kernel->locks.at[k]);
	style_left(out, kernel->locks.count, LOCKS_SHOWN, "locks");
}
