/* The locks of a profile: as JSON, added up over launches, and the worst for people. */
#include "report/members.h"
#include "report/profile.h"
#include "report/triple.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define LOCKS_SHOWN 8

/* ---- As JSON ---- */

/* A member that the object has not yet; `key` is a constant.  There may be thousands of locks, and json-c would copy
 * each key. */
static void add_value(json_object *object, const char *key, json_object *value)
{
	json_object_object_add_ex(object, key, value, JSON_C_OBJECT_ADD_KEY_IS_NEW | JSON_C_OBJECT_KEY_IS_CONSTANT);
}

static void add(json_object *object, const char *key, uint64_t value)
{
	add_value(object, key, json_object_new_uint64(value));
}

static json_object *sites_of(const struct lockstep_lock *lock)
{
	json_object *array = json_object_new_array();
	for (size_t k = 0; k < lock->site_count; k++) {
		json_object *site = json_object_new_object();
		add_value(site, "file", json_object_new_string(lock->sites[k].file ? lock->sites[k].file : ""));
		add(site, "line", lock->sites[k].line);
		add(site, "acquires", lock->sites[k].acquires);
		add(site, "failed", lock->sites[k].failed);
		json_object_array_add(array, site);
	}
	return array;
}

void profile_add_worst(json_object *object, uint64_t worst, const struct lockstep_thread *thread)
{
	if (!worst)
		return;
	json_object *member = json_object_new_object();
	add_value(member, "group", triple_of(thread->group));
	add_value(member, "thread", triple_of(thread->thread));
	add(member, "waited", worst);
	add_value(object, "worst", member);
}

static json_object *lock_object(const struct lockstep_lock *lock)
{
	json_object *object = json_object_new_object();
	add_value(object, "address", json_object_new_string(lock->address));
	if (lock->groups)
		add(object, "groups", lock->groups);
	add(object, "acquires", lock->acquires);
	add(object, "failed", lock->failed);
	add(object, "longest_queue", lock->longest_queue);
	add(object, "waited", lock->waited);
	add(object, "held", lock->held);
	add(object, "from_same_warp", lock->from_same_warp);
	add(object, "from_same_core", lock->from_same_core);
	add(object, "from_other_core", lock->from_other_core);
	profile_add_worst(object, lock->worst, &lock->worst_thread);
	add_value(object, "sites", sites_of(lock));
	return object;
}

json_object *profile_locks(const struct lockstep_result *result)
{
	json_object *locks = json_object_new_array();
	for (size_t k = 0; k < result->lock_count; k++)
		json_object_array_add(locks, lock_object(&result->locks[k]));
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
	for (size_t k = 0; locks && k < json_object_array_length(locks); k++) {
		json_object *object = json_object_array_get_idx(locks, k);
		struct profile_lock *lock = find(arena, kernel, text_of(object, "address"));
		lock->groups += number_of(object, "groups");
		lock->acquires += number_of(object, "acquires");
		if (number_of(object, "longest_queue") > lock->longest_queue)
			lock->longest_queue = number_of(object, "longest_queue");
		lock->failed += number_of(object, "failed");
		lock->waited += number_of(object, "waited");
		lock->held += number_of(object, "held");
		lock->from_same_warp += number_of(object, "from_same_warp");
		lock->from_same_core += number_of(object, "from_same_core");
		lock->from_other_core += number_of(object, "from_other_core");
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
		"\n  locks, by the lane cycles that were waited for them; queue: lanes that waited at a time, at most; "
		"taken after: "
		"the same warp, another of the core, another core\n"
		"  %10s %12s %8s %15s %10s %7s %7s %7s  %s\n",
		"taken", "failed", "queue", "waited", "held each", "same", "core", "other", "lock");
	for (uint32_t k = 0; k < kernel->locks.count && k < LOCKS_SHOWN; k++)
		write_lock(out, &kernel->locks.at[k]);
	if (kernel->locks.count > LOCKS_SHOWN)
		text_print(out, "  and %" PRIu32 " more locks (--report json has them all)\n",
			kernel->locks.count - LOCKS_SHOWN);
}
