/* Places in the code: what the instruction there does to memory. */
#include "race/judge.h"

#include "ptx/ops.h"

#include <assert.h>

enum race_scope race_scope_of(uint8_t scope)
{
	return scope == scope_CTA ? RACE_SCOPE_GROUP : scope == scope_CLUSTER ? RACE_SCOPE_CLUSTER : RACE_SCOPE_WIDE;
}

static bool is_strong(const struct insn *i)
{
	switch (i->kind) {
	case INSN_LOAD:
	case INSN_STORE: return rule_is_strong(i->access.order);
	case INSN_COPY:
	case INSN_ASYNC:
	case INSN_FRAGMENT:
	case INSN_MAP_COPY:
	case INSN_TEXTURE:
	case INSN_MBARRIER: return false; /* orders by its phases: copy.c */
	default: return true;
	}
}

/* An operation on an mbarrier: init and inval write it, all others do not race with each other. */
static struct site site_of_object(const struct kernel *kernel, uint32_t pc)
{
	uint16_t op = kernel->code[pc].op;
	bool plain = op == OP_mbarrier_init || op == OP_mbarrier_inval;

	return (struct site){.kernel = kernel,
		.pc = pc,
		.bytes = 8,
		.reads = !plain,
		.writes = ptx_ops[op].effects != EFFECT_READS,
		.is_atomic = !plain,
		.scope = RACE_SCOPE_WIDE,
		.is_object = true,
		.no_value = op != OP_mbarrier_init};
}

static struct site site_of(const struct races *races, const struct kernel *kernel, uint32_t pc)
{
	const struct insn *i = &kernel->code[pc];
	uint8_t order = i->access.order;
	bool is_lock_bit = i->kind == INSN_LOAD_LOCK || i->kind == INSN_STORE_UNLOCK;
	bool is_lock = i->kind == INSN_ACQUIRE || i->kind == INSN_RELEASE, strong = is_strong(i);
	bool is_rmw = i->kind == INSN_ATOMIC || is_lock;

	assert(pc < kernel->code_count);
	return (struct site){.kernel = kernel,
		.pc = pc,
		.bytes = is_lock || is_lock_bit ? 4 : i->access.bytes,
		.strong = strong,
		.is_atomic = strong && !(order == order_VOLATILE && (races->asked.volatiles || races->asked.all)),
		.is_volatile = order == order_VOLATILE,
		.is_rmw = is_rmw,
		.takes = insn_is_swap(i) || (i->kind == INSN_ATOMIC && i->access.atomic == ATOMIC_EXCH),
		.reads = i->kind == INSN_LOAD || i->kind == INSN_LOAD_LOCK || is_rmw,
		.writes = i->kind == INSN_STORE || i->kind == INSN_STORE_UNLOCK || is_rmw,
		.scope = is_lock_bit ? RACE_SCOPE_GROUP : (uint8_t)race_scope_of(i->access.scope),
		.acquires = strong && rule_is_acquire(order),
		.releases = strong && rule_is_release(order)};
}

enum race_scope race_fence_scope(const struct insn *i)
{
	if (i->op == OP_membar_cta)
		return RACE_SCOPE_GROUP;
	if (i->op == OP_fence_mbarrier)
		return RACE_SCOPE_CLUSTER;
	return i->op == OP_fence || i->op == OP_fence_tensormap_acquire || i->op == OP_fence_tensormap_release
		       ? race_scope_of(i->modifiers.scope)
		       : RACE_SCOPE_WIDE;
}

bool kernel_is_narrow(const struct races *races, const struct kernel *kernel)
{
	for (uint32_t pc = 0; pc < kernel->code_count; pc++) {
		const struct insn *i = &kernel->code[pc];
		struct site site = site_of(races, kernel, pc);

		if ((site.reads || site.writes) && site.strong && !site_is_wide(&site))
			return true;
		if (race_fence_scope(i) != RACE_SCOPE_WIDE)
			return true;
	}
	return false;
}

bool race_is_fence_sc(const struct insn *i)
{
	assert(i->op == OP_NONE || ptx_ops[i->op].spelling);
	return i->op == OP_membar_cta || i->op == OP_membar_gl || i->op == OP_membar_sys ||
	       (i->op == OP_fence && i->modifiers.order == order_SC);
}

bool kernel_meets_sc(const struct kernel *kernel)
{
	bool has_sc = false, meets = false;

	assert(kernel->code_count);
	for (uint32_t pc = 0; pc < kernel->code_count; pc++) {
		const struct insn *i = &kernel->code[pc];

		has_sc |= race_is_fence_sc(i);
		meets |= i->kind == INSN_BARRIER || i->kind == INSN_CLUSTER || i->op == OP_bar_warp_sync;
	}
	return has_sc && meets;
}

/* ---- x++ ---- */

#define UPDATE_LENGTH 64 /* instructions from such a load to its store, at most */

static bool is_at_same_address(const struct insn *a, const struct insn *b)
{
	assert(a != b);
	return a->s[0] == b->s[0] && a->offset == b->offset && a->access.space == b->access.space &&
	       a->access.bytes == b->access.bytes && a->access.elements == b->access.elements;
}

/* Whether a line loads from an address and stores to the same one, and this is the load or the store. */
static bool is_of_update(const struct kernel *kernel, uint32_t pc)
{
	const struct insn *i = &kernel->code[pc];
	bool loads = i->kind == INSN_LOAD;

	assert(pc < kernel->code_count);
	if ((!loads && i->kind != INSN_STORE) || is_strong(i))
		return false;
	for (uint32_t n = 0, k = pc; n < UPDATE_LENGTH; n++) {
		const struct insn *load = &kernel->code[loads ? k : k - 1], *other;

		if ((loads && k + 1 == kernel->code_count) || (!loads && !k))
			return false;
		if (load->d_bytes && load->d == i->s[0]) /* the address is another now */
			return false;
		k += loads ? 1 : -1u;
		other = &kernel->code[k];
		if (other->function != i->function)
			return false;
		if (other->kind == (loads ? INSN_STORE : INSN_LOAD) && is_at_same_address(i, other) &&
			kernel_same_line(kernel, pc, k))
			return true;
	}
	return false;
}

/* The number of a site: *number, where it has one already; 0: there are too many. */
static uint16_t number_of(struct races *races, uint16_t *number, const struct site *site)
{
	assert(site->kernel);
	if (!*number && races->sites.count < SITE_CROWD) {
		*number = (uint16_t)races->sites.count;
		*vector_push(races->arena, &races->sites) = *site;
		races->sites.at[*number].number = *number;
	}
	return *number;
}

uint16_t site_number(struct races *races, struct race_launch *launch, uint32_t pc)
{
	struct site site;

	assert(pc < launch->kernel->code_count);
	if (launch->site[pc])
		return launch->site[pc];
	site = launch->kernel->code[pc].kind == INSN_MBARRIER ? site_of_object(launch->kernel, pc)
							      : site_of(races, launch->kernel, pc);
	site.updates = is_of_update(launch->kernel, pc);
	return number_of(races, &launch->site[pc], &site);
}

uint16_t judge_block_site(struct races *races, struct race_launch *launch, uint32_t pc, bool source, uint8_t element)
{
	const struct kernel *kernel = launch->kernel;
	const struct insn *i = &kernel->code[pc];
	bool updates = element != 0;
	uint16_t *newest = &launch->site[source ? kernel->code_count + pc : pc], number = *newest;

	assert(pc < kernel->code_count);
	assert(!*newest || races->sites.at[*newest].no_value);
	assert(!updates || (!source && insn_kinds[i->kind].flags & KIND_ASYNC));
	while (number && races->sites.at[number].bytes != element) /* another tensor map, of another type */
		number = races->sites.at[number].other;
	if (number)
		return number;
	number_of(races, &number,
		&(struct site){.kernel = kernel,
			.pc = pc,
			.reads = source || updates,
			.writes = !source,
			.is_rmw = updates,
			.is_atomic = updates,
			.bytes = element,
			.scope = updates ? (uint8_t)race_scope_of(i->access.scope) : 0,
			.no_value = true,
			.other = *newest,
			.is_copy = insn_kinds[i->kind].flags & KIND_ASYNC || i->kind == INSN_WARPGROUP});
	if (number)
		*newest = number;
	return number;
}

uint16_t judge_map_site(struct races *races, struct race_launch *launch, uint32_t pc)
{
	const struct kernel *kernel = launch->kernel;

	assert(pc < kernel->code_count);
	assert(kernel->code[pc].kind == INSN_COPY);
	return number_of(races, &launch->site[2 * kernel->code_count + pc],
		&(struct site){.kernel = kernel, .pc = pc, .reads = true, .no_value = true, .is_map = true});
}

uint16_t site_of_failed(struct races *races, struct race_launch *launch, uint32_t pc, struct site *failed)
{
	assert(pc < launch->kernel->code_count);
	*failed = site_of(races, launch->kernel, pc);
	failed->writes = failed->releases = failed->is_rmw = false;
	failed->number = number_of(races, &launch->site[launch->kernel->code_count + pc], failed);
	return failed->number;
}
