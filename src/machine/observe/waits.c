/* How long warps wait at barriers and in fences: events of cores. */
#include "machine/observe/waits.h"

#include "machine/core/observer.h"
#include "machine/state/launch_state.h"

#include <assert.h>

/* The warp that came to a barrier last, and at which instruction.  At that of a cluster warps come and wait at two
 * instructions: the phase counts where the first of the group is let go. */
struct arrival {
	uint32_t pc, warp; /* of its group */
	bool is_uncounted; /* the phase */
};

struct waiting {
	struct arrival last[CORE_WARPS][GROUP_BARRIERS]; /* by the group's place on the core */
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

static struct arrival *last_of(void *state, const struct core *core, const struct group *group, uint32_t number)
{
	assert(number < GROUP_BARRIERS);
	assert((size_t)(group - core->groups.at) < core->groups.count);
	return &((struct waiting *)state)->last[group - core->groups.at][number];
}

static void arrives(
	struct core *core, void *state, const struct warp_slot *r, uint32_t number, lane_mask lanes, bool waits)
{
	(void)lanes;
	(void)waits;
	*last_of(state, core, r->group, number) =
		(struct arrival){.pc = r->warp.path->pc, .warp = r->warp.first_thread / r->warp.lanes};
}

static void count_phase(struct wait_site *site, struct arrival *last)
{
	assert(last->warp < CORE_WARPS);
	last->is_uncounted = !site || !site->last;
	if (last->is_uncounted)
		return;
	site->phases++;
	site->last[last->warp]++;
	assert(site->last[last->warp] <= site->phases);
}

static void opens(struct core *core, void *state, const struct group *group, uint32_t number)
{
	struct arrival *last = last_of(state, core, group, number);

	assert(last->warp < group->warps);
	count_phase(site_at(group->core_launch, last->pc), last);
}

/* A warp whose paths wait at several barriers has the instruction of one: the others count where the last came. */
static void released(struct core *core, void *state, const struct warp_slot *r, uint32_t number, uint64_t since)
{
	uint32_t pc = r->barrier.insn ? launch_pc(r->core_launch->launch, r->barrier.insn)
				      : last_of(state, core, r->group, number)->pc;
	struct wait_site *site = site_at(r->core_launch, pc);

	assert(since <= core->now);
	if (!site || number == REGISTER_WAIT)
		return;
	if (number == CLUSTER_BARRIER && last_of(state, core, r->group, number)->is_uncounted)
		count_phase(site, last_of(state, core, r->group, number));
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
	.profiles = true,
	.on = {.launch_begins = launch_begins,
		.arrives = arrives,
		.opens = opens,
		.released = released,
		.fenced = fenced},
};
