/* What the instructions of a launch did and cost, in its result. */
#include "machine/observe/profile.h"
#include "api/api.h"
#include "api/counter_names.h"
#include "machine/observe/contention.h"
#include "machine/observe/mbarriers.h"
#include "machine/observe/polls.h"
#include "machine/observe/waits.h"

#include <stdlib.h>
#include <string.h>

const char *lockstep_profiled(size_t k)
{
	switch (k) {
#define STALL(field)                                                                                                   \
	case PROFILE_##field:                                                                                          \
		return counter_names.core.field;
#define ISSUE STALL
#define UNIT STALL
#define ANSWER STALL
#define WAIT STALL
#define L2(field)                                                                                                      \
	case PROFILE_##field:                                                                                          \
		return counter_names.memory.field;
#define PROFILED(how, field) how(field)
#include "machine/observe/profile.def"
#undef PROFILED
	}
	return NULL;
}

size_t lockstep_profiled_stalls(void)
{
	return PROFILE_stall_sleep + 1;
}

static bool has_any(const struct launch_profile *p, uint32_t pc)
{
	static const struct profile_row nothing;

	return p->issued[pc].warps || memcmp(&p->rows[pc], &nothing, sizeof nothing) != 0;
}

static struct lockstep_cost cost_of(
	struct arena *arena, const struct kernel *kernel, const struct launch_profile *p, uint32_t pc)
{
	struct place place = kernel_place(kernel, pc);
	uint64_t *values = arena_new_array(arena, uint64_t, PROFILE_COLUMNS);

	memcpy(values, p->rows[pc].value, sizeof p->rows[pc].value);
	return (struct lockstep_cost){.pc = pc,
		.file = arena_text(arena, place.file),
		.line = place.line,
		.text = kernel_text(arena, kernel, pc),
		.issued = p->issued[pc].warps,
		.lanes = p->issued[pc].lanes,
		.values = values};
}

/* ---- Locks ---- */

static void add_sites(
	struct arena *arena, const struct kernel *kernel, const struct contended *from, struct lockstep_lock *lock)
{
	struct lockstep_lock_site *sites = arena_new_array(arena, struct lockstep_lock_site, from->sites.count);

	for (uint32_t k = 0; k < from->sites.count; k++) {
		struct place place = kernel_place(kernel, from->sites.at[k].pc);

		sites[k] = (struct lockstep_lock_site){.file = arena_text(arena, place.file),
			.line = place.line,
			.acquires = from->sites.at[k].acquires,
			.failed = from->sites.at[k].failed};
	}
	lock->sites = sites;
	lock->site_count = from->sites.count;
}

static struct lockstep_lock lock_of(const struct lockstep *lockstep, struct started *started, const struct contended *c)
{
	struct lockstep_lock lock = {.address = api_object(&started->arena, lockstep, started->kernel,
					     c->groups ? space_SHARED : space_GLOBAL, c->address),
		.groups = c->groups,
		.longest_queue = c->longest_queue,
		.acquires = c->acquires,
		.failed = c->failed,
		.waited = c->waited,
		.held = c->held,
		.from_same_warp = c->handovers[FROM_SAME_WARP],
		.from_same_core = c->handovers[FROM_SAME_CORE],
		.from_other_core = c->handovers[FROM_OTHER_CORE],
		.worst = c->worst};

	api_unflatten(c->worst_group, started->result.grid, lock.worst_thread.group);
	api_unflatten(c->worst_thread, started->result.block, lock.worst_thread.thread);
	add_sites(&started->arena, started->kernel, c, &lock);
	return lock;
}

static int by_wait(const void *left, const void *right)
{
	const struct contended *a = left, *b = right;

	if (a->waited != b->waited)
		return a->waited < b->waited ? 1 : -1;
	if (a->failed != b->failed)
		return a->failed < b->failed ? 1 : -1;
	return a->address < b->address ? -1 : a->address > b->address;
}

static void add_locks(const struct lockstep *lockstep, struct started *started, struct contention *c)
{
	struct lockstep_lock *list = arena_new_array(&started->arena, struct lockstep_lock, c->locks.count);

	if (c->locks.count)
		qsort(c->locks.at, c->locks.count, sizeof *c->locks.at, by_wait);
	for (uint32_t k = 0; k < c->locks.count; k++)
		list[k] = lock_of(lockstep, started, &c->locks.at[k]);
	started->result.locks = list;
	started->result.lock_count = c->locks.count;
}

/* ---- Barriers and fences ---- */

static struct lockstep_thread worst_of(const struct started *started, const struct wait_site *site)
{
	struct lockstep_thread thread = {0};

	api_unflatten(site->worst_group, started->result.grid, thread.group);
	api_unflatten(site->worst_thread, started->result.block, thread.thread);
	return thread;
}

static void add_barrier(struct started *started, struct lockstep_barrier *to, const struct wait_site *site)
{
	struct place place = kernel_place(started->kernel, site->pc);

	*to = (struct lockstep_barrier){.file = arena_text(&started->arena, place.file),
		.line = place.line,
		.text = kernel_text(&started->arena, started->kernel, site->pc),
		.phases = site->phases,
		.waited = site->waited,
		.worst = site->worst,
		.worst_thread = worst_of(started, site),
		.waits = site->waits,
		.idle = site->idle,
		.filling = site->filling,
		.last_times = site->last_times,
		.last_warp = site->last_warp};
}

/* An old membar.gl is of the GPU; so is an access that does not say. */
static const char *scope_of(const struct insn *i)
{
	static const char *const names[] = {[scope_NONE] = "gpu",
		[scope_CTA] = "cta",
		[scope_CLUSTER] = "cluster",
		[scope_GPU] = "gpu",
		[scope_SYS] = "sys"};

	if (i->kind == INSN_CLUSTER)
		return "cluster";
	if (i->kind != INSN_FENCE)
		return names[i->access.scope];
	return i->op == OP_membar_sys ? "sys" : names[i->modifiers.scope];
}

static void add_fence(struct started *started, struct lockstep_fence *to, const struct wait_site *site)
{
	struct place place = kernel_place(started->kernel, site->pc);

	*to = (struct lockstep_fence){.file = arena_text(&started->arena, place.file),
		.line = place.line,
		.text = kernel_text(&started->arena, started->kernel, site->pc),
		.count = site->fences,
		.waited = site->waited,
		.stores = site->awaited[AWAITED_STORES],
		.atomics = site->awaited[AWAITED_ATOMICS],
		.loads = site->awaited[AWAITED_LOADS],
		.others = site->awaited[AWAITED_OTHER],
		.worst = site->worst,
		.worst_thread = worst_of(started, site),
		.scope = scope_of(&started->kernel->code[site->pc]),
		.missed = site->missed,
		.fixed = site->fixed,
		.emptied = site->emptied};
}

/* Of those that came last as often it is the first that did. */
static const struct poll_writer *most_often(const struct poll_site *site)
{
	const struct poll_writer *most = NULL;

	for (uint32_t k = 0; k < site->writers.count; k++)
		if (!most || site->writers.at[k].times > most->times)
			most = &site->writers.at[k];
	return most;
}

static void add_polled(struct started *started, struct lockstep_barrier *to, const struct poll_site *site)
{
	struct place place = kernel_place(started->kernel, site->pc);
	const struct poll_writer *last = most_often(site);

	*to = (struct lockstep_barrier){.file = arena_text(&started->arena, place.file),
		.line = place.line,
		.text = kernel_text(&started->arena, started->kernel, site->pc),
		.phases = site->phases,
		.waited = site->waited,
		.worst = site->worst,
		.words = site->words};
	api_unflatten(site->worst_group, started->result.grid, to->worst_thread.group);
	api_unflatten(site->worst_thread, started->result.block, to->worst_thread.thread);
	if (!last)
		return;
	to->last_times = last->times;
	to->last_warp = last->warp / started->kernel->lanes;
	api_unflatten(last->group, started->result.grid, to->last_group);
}

static void add_waits(struct started *started, const struct waits *waits, const struct polls *polls)
{
	struct lockstep_barrier *barriers =
		arena_new_array(&started->arena, struct lockstep_barrier, waits->count + polls->sites.count);
	struct lockstep_fence *fences = arena_new_array(&started->arena, struct lockstep_fence, waits->count);

	for (uint32_t k = 0; k < waits->count; k++)
		if (waits->sites[k].last)
			add_barrier(started, &barriers[started->result.barrier_count++], &waits->sites[k]);
		else
			add_fence(started, &fences[started->result.fence_count++], &waits->sites[k]);
	for (uint32_t k = 0; k < polls->sites.count; k++)
		if (polls->sites.at[k].phases)
			add_polled(started, &barriers[started->result.barrier_count++], &polls->sites.at[k]);
	started->result.barriers = barriers;
	started->result.fences_waited = fences;
}

static void open_part(struct lockstep *lockstep, struct diagnostic *diagnostic)
{
	(void)diagnostic;
	if (lockstep->gpu.options.profile)
		lockstep->gpu.observe[OBSERVER_profile] = arena_new(&lockstep->arena, struct profiles);
}

static void add(struct lockstep *lockstep, struct started *started)
{
	struct profiles *profiles = lockstep->gpu.observe[OBSERVER_profile];
	struct launch_profile *p = profiles ? profile_take(profiles, started->result.number - 1) : NULL;
	struct lockstep_cost *list;
	size_t count = 0;

	if (!profiles)
		return;
	if (!p) {
		started->result.costs = arena_new_array(&started->arena, struct lockstep_cost, 1);
		return;
	}
	list = arena_new_array(&started->arena, struct lockstep_cost, p->code_count);
	for (uint32_t pc = 0; pc < p->code_count; pc++)
		if (has_any(p, pc))
			list[count++] = cost_of(&started->arena, started->kernel, p, pc);
	started->result.costs = list;
	started->result.cost_count = count;
	add_locks(lockstep, started, profile_contention(p));
	add_waits(started, profile_waits(p), profile_polls(p));
	api_add_mbarriers(lockstep, started, profile_mbarriers(p));
	profile_free(p);
}

static void close_part(struct lockstep *lockstep)
{
	struct profiles *profiles = lockstep->gpu.observe[OBSERVER_profile];

	for (struct launch_profile *p = profiles ? profiles->launches : NULL, *next; p; p = next) {
		next = p->next;
		profile_free(p);
	}
}

const struct result_part result_part_profile = {.open = open_part, .add = add, .close = close_part};
