/* How long warps wait at barriers and in fences: events of cores. */
#include "machine/observe/waits.h"

#include "machine/core/observer.h"
#include "machine/observe/barrier_phases.h"
#include "machine/state/launch_state.h"

#include <assert.h>

struct waiting {
	struct arena *arena; /* the core's: observer.has_arena */
	struct barrier_phases phases;
	/* At the barrier of a cluster warps come and wait at two instructions: the phase counts where the first of the
	 * group is let go.  By the group's place on the core: none has been yet. */
	bool is_uncounted[CORE_WARPS][GROUP_BARRIERS];
};

/* ---- Sites ---- */

/* Whether a warp may wait there.  Of others than barriers it is no matter if it never does. */
static bool may_wait(const struct insn *i)
{
	switch ((enum insn_kind)i->kind) {
	case INSN_PLAIN:
	case INSN_CLOCK:
	case INSN_BRANCH:
	case INSN_RETURN:
	case INSN_EXIT: return false;
	case INSN_LOAD:
	case INSN_STORE:
	case INSN_ATOMIC: return i->access.order > order_WEAK;
	default: return true;
	}
}

static bool is_barrier(const struct insn *i)
{
	return i->kind == INSN_BARRIER || (i->kind == INSN_CLUSTER && i->op == OP_cluster_wait);
}

static void launch_begins(struct core *core, void *state, struct core_launch *on)
{
	const struct kernel *kernel = on->launch->kernel;
	struct launch_profile *p = profile_of(core, on->launch);
	struct waits *all = profile_waits(p), *waits = arena_new(&p->arena, struct waits);
	uint32_t count = 0;

	(void)state;
	for (uint32_t pc = 0; pc < kernel->code_count; pc++)
		count += may_wait(&kernel->code[pc]);
	waits->sites = arena_new_array(&p->arena, struct wait_site, count);
	waits->at = arena_new_array(&p->arena, struct wait_site *, kernel->code_count);
	for (uint32_t pc = 0; pc < kernel->code_count; pc++)
		if (may_wait(&kernel->code[pc])) {
			struct wait_site *site = &waits->sites[waits->count++];

			site->pc = pc;
			waits->at[pc] = site;
			if (is_barrier(&kernel->code[pc]))
				site->last = arena_new_array(&p->arena, uint64_t, CORE_WARPS);
		}
	assert(waits->count == count);
	waits->next = all->next;
	all->next = waits;
	on->observed[OBSERVER_waits] = waits;
}

/* Null: none is known to wait there. */
static inline struct wait_site *site_at(const struct core_launch *on, uint32_t pc)
{
	assert(pc < on->launch->kernel->code_count);
	return ((const struct waits *)on->observed[OBSERVER_waits])->at[pc];
}

/* Whether the one waited longer than the other; of those that waited as long it is the first. */
static bool is_worse(const struct wait_site *one, const struct wait_site *other)
{
	assert(one != other);
	if (one->worst != other->worst)
		return one->worst > other->worst;
	if (one->worst_group != other->worst_group)
		return one->worst_group < other->worst_group;
	return one->worst_thread < other->worst_thread;
}

static void take_worst(struct wait_site *site, const struct wait_site *other)
{
	if (!other->worst || !is_worse(other, site))
		return;
	site->worst = other->worst;
	site->worst_group = other->worst_group;
	site->worst_thread = other->worst_thread;
	assert(!is_worse(other, site));
}

static void add_wait(struct wait_site *site, const struct warp_slot *r, uint64_t cycles)
{
	site->waited += cycles;
	assert(site->worst <= site->waited);
	if (cycles < site->worst)
		return;
	take_worst(
		site, &(struct wait_site){
			      .worst = cycles, .worst_group = r->group->number, .worst_thread = r->warp.first_thread});
}

/* ---- Events ---- */

static void arrives(
	struct core *core, void *state, const struct warp_slot *r, uint32_t number, lane_mask lanes, bool waits)
{
	struct waiting *s = state;

	(void)waits;
	assert(number <= CLUSTER_BARRIER && lanes);
	barrier_phases_come(core, s->arena, &s->phases, r, number, lanes);
}

static bool *uncounted(struct waiting *s, const struct core *core, const struct group *group, uint32_t number)
{
	assert(number < GROUP_BARRIERS);
	assert((size_t)(group - core->groups.at) < core->groups.count);
	return &s->is_uncounted[group - core->groups.at][number];
}

/* The phase that has just ended.  Whether it counts here. */
static bool count_phase(struct wait_site *site, const struct barrier_phase *p)
{
	assert(p->last_warp < CORE_WARPS);
	if (!site || !site->last)
		return false;
	site->phases++;
	site->idle += p->idle;
	site->filling += p->filling;
	site->last[p->last_warp]++;
	assert(site->last[p->last_warp] <= site->phases);
	return true;
}

static void opens(struct core *core, void *state, const struct group *group, uint32_t number)
{
	struct waiting *s = state;
	struct barrier_phase *p = barrier_phases_at(core, &s->phases, group, number);

	if (!p)
		return;
	assert(p->last_warp < group->warps);
	barrier_phases_next(core, p);
	*uncounted(s, core, group, number) = !count_phase(site_at(group->core_launch, p->open.last), p);
}

/* A warp whose paths wait at several barriers has the instruction of one: the others count where the last came. */
static void released(struct core *core, void *state, const struct warp_slot *r, uint32_t number, uint64_t since)
{
	struct waiting *s = state;
	const struct barrier_phase *p =
		number == REGISTER_WAIT ? NULL : barrier_phases_at(core, &s->phases, r->group, number);
	uint32_t pc = !p ? 0 : r->barrier.insn ? launch_pc(r->core_launch->launch, r->barrier.insn) : p->open.last;
	struct wait_site *site = p ? site_at(r->core_launch, pc) : NULL;

	assert(since <= core->now);
	if (!site)
		return;
	if (number == CLUSTER_BARRIER && *uncounted(s, core, r->group, number))
		*uncounted(s, core, r->group, number) = !count_phase(site, p);
	site->waits += core->now > since; /* not the warp that opens it */
	add_wait(site, r, core->now - since);
}

static void fenced(struct core *core, void *state, const struct warp_slot *r, uint64_t since, bool emptied)
{
	struct wait_site *site = site_at(r->core_launch, core_issued_pc(core, r));

	assert(since <= core->now);
	assert(core->now <= r->hold_until);
	(void)state;
	if (!site)
		return;
	site->fences++;
	add_wait(site, r, core->now - since);
	site->awaited[profile_last_reply(core)] += core->now - since;
	if (profile_last_missed(core))
		site->missed += core->now - since;
	site->fixed += r->hold_until - core->now;
	site->emptied += emptied;
	assert(site->emptied <= site->fences);
}

/* ---- The end ---- */

static void add_site(struct wait_site *site, const struct wait_site *part)
{
	assert(site->pc == part->pc);
	assert(!site->last == !part->last);
	assert(part->worst <= part->waited);
	site->phases += part->phases;
	site->idle += part->idle;
	site->filling += part->filling;
	site->waits += part->waits;
	site->fences += part->fences;
	site->waited += part->waited;
	site->missed += part->missed;
	site->fixed += part->fixed;
	site->emptied += part->emptied;
	take_worst(site, part);
	for (uint32_t k = 0; k < AWAITED; k++)
		site->awaited[k] += part->awaited[k];
	for (uint32_t k = 0; site->last && k < CORE_WARPS; k++)
		site->last[k] += part->last[k];
}

static void find_last(struct wait_site *site)
{
	assert(!site->last_times);
	for (uint32_t k = 0; site->last && k < CORE_WARPS; k++)
		if (site->last[k] > site->last_times) {
			site->last_times = site->last[k];
			site->last_warp = k;
		}
	assert(site->last_times <= site->phases);
}

static void merge(struct arena *arena, struct waits *all)
{
	const struct waits *parts = all->next;

	assert(!all->count);
	if (!parts)
		return;
	all->sites = arena_new_array(arena, struct wait_site, parts->count);
	for (uint32_t k = 0; k < parts->count; k++) {
		struct wait_site *site = &all->sites[all->count];

		*site = (struct wait_site){.pc = parts->sites[k].pc};
		if (parts->sites[k].last)
			site->last = arena_new_array(arena, uint64_t, CORE_WARPS);
		for (const struct waits *part = parts; part; part = part->next) {
			assert(part->count == parts->count);
			add_site(site, &part->sites[k]);
		}
		find_last(site);
		all->count += site->phases || site->fences || site->waited;
	}
}

static void take_waits(struct profile_row *row, const struct wait_site *site)
{
	uint64_t in_fences = 0;

	for (uint32_t k = 0; k < AWAITED; k++)
		in_fences += site->awaited[k];
	assert(in_fences <= site->waited);
	row->value[PROFILE_barrier_wait_cycles] = site->waited - in_fences;
	row->value[PROFILE_fence_wait_cycles] = in_fences;
}

static void sum_up(struct launch_profile *profile, void *part)
{
	const struct waits *all = part;

	assert(profile->rows);
	merge(&profile->arena, part);
	for (uint32_t k = 0; k < all->count; k++)
		take_waits(&profile->rows[all->sites[k].pc], &all->sites[k]);
}

const struct profile_part profile_part_waits = {.size = sizeof(struct waits), .sum_up = sum_up};

const struct observer observer_waits = {
	.state_size = sizeof(struct waiting),
	.has_arena = true,
	.profiles = true,
	.on = {.launch_begins = launch_begins,
		.arrives = arrives,
		.opens = opens,
		.released = released,
		.fenced = fenced},
};
