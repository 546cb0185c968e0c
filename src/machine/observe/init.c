/* `--check init`: what warps read and write, for the check for uninitialised reads (init/init.h).
 *
 * An observer; gpu->observe has the struct inits of the GPU.  Shared and local memory belong to the core, which judges
 * each access when it is issued: memory instructions of a warp, and of a core on shared memory, take effect in that
 * order.  So it is with global memory in functional mode.  In timing mode cores change global memory side by side.  Its
 * bits stay as they are through a quantum; what may be a finding is written down and judged between quanta, when all
 * that any core wrote in the quantum counts as written before.  Of a read and a write at about the same time it is not
 * known which was first: that is a race, not an uninitialised read. */
#include "init/init.h"

#include "machine/core/observer.h"
#include "machine/lsu/element.h"
#include "machine/lsu/remote.h"
#include "machine/state/launch_state.h"

#include <assert.h>
#include <string.h>

struct span {
	uint64_t at, bytes;
};

/* A read of global memory in timing mode that is yet to be judged. */
struct pending {
	struct found read; /* its address is that of the first byte that is read */
	uint32_t wanted;   /* its bytes: bit 0 is the first */
};

struct watched {
	struct found_list list;              /* found since the last flush */
	struct init_bits shared[CORE_WARPS]; /* by the lowest slot of the group's */
	struct init_bits local[CORE_WARPS];  /* by slot; lane after lane */
	uint64_t new_shared, new_local;      /* those that have not been accessed yet: their bits are of others */
	uint64_t carried_shared;             /* copies have brought bytes without contents; by the lowest slot */
	/* Of global memory, in this quantum of timing mode. */
	VECTOR(struct span) written;
	VECTOR(struct span) given;
	VECTOR(struct span) carried;
	VECTOR(struct pending) atomics;
	VECTOR(struct pending) reads;
};

/* An access of a warp. */
struct access {
	const struct warp_slot *r; /* of a group's that has the memory, if it came `from` another */
	const struct remote_access *from;
	const struct insn *insn;
	uint32_t bytes, wanted; /* wanted: those that are read and used; bit 0 is the first */
	bool writes;
	uint8_t space;
};

static struct inits *inits_of(const struct core *core)
{
	assert(core->machine->gpu->observe[OBSERVER_init]);
	return core->machine->gpu->observe[OBSERVER_init];
}

/* ---- Memory that begins with nothing in it ---- */

static void group_begins(struct core *core, void *state, struct group *group)
{
	assert(group->slots);
	(void)core;
	((struct watched *)state)->new_shared |= group->slots & -group->slots;
	((struct watched *)state)->carried_shared &= ~(group->slots & -group->slots);
}

static void warp_begins(struct core *core, void *state, struct warp_slot *r)
{
	assert(r->bit == 1ull << core_slot(core, r));
	(void)core;
	((struct watched *)state)->new_local |= r->bit;
}

static void gives(struct core *core, void *state, const struct warp_slot *r, uint64_t address, uint64_t bytes)
{
	struct watched *s = state;

	assert(!observer_at_once(core) || !s->given.count);
	(void)r;
	if (observer_at_once(core))
		init_bits_undefine(&inits_of(core)->global, address, bytes);
	else
		*vector_push(s->list.arena, &s->given) = (struct span){address, bytes};
}

/* ---- Judging ---- */

/* Where the object of an access begins: the allocation, or the shared variable. */
static uint64_t object_at(const struct core *core, const struct kernel *kernel, uint8_t space, uint64_t address)
{
	const struct shared_place *s;
	const struct allocation *a;

	assert(space == space_GLOBAL || space == space_SHARED || space == space_LOCAL);
	if (space == space_GLOBAL) {
		a = space_find(core->machine->space, address, 1);
		return a ? a->address : address;
	}
	if (space == space_LOCAL)
		return 0;
	s = kernel_shared_at(kernel, address);
	return s ? s->offset : kernel->shared.dynamic;
}

/* Whether copies have brought bytes without contents to such memory. */
static bool may_be_carried(const struct core *core, const struct watched *s, const struct access *a)
{
	assert(a->space != space_SHARED || a->r->group->slots & a->r->bit);
	if (a->space == space_GLOBAL)
		return inits_of(core)->carried;
	return a->space == space_SHARED && s->carried_shared & a->r->group->slots;
}

static struct found found_at(
	const struct core *core, const struct watched *s, const struct access *a, uint64_t lane, uint64_t address)
{
	static const enum found_cause causes[] = {
		[space_GLOBAL] = INIT_GLOBAL, [space_SHARED] = INIT_SHARED, [space_LOCAL] = INIT_LOCAL};
	const struct warp_slot *r = a->r;
	uint64_t launch = r->core_launch->launch->ordinal;
	struct found_side side = {.kernel = r->warp.kernel,
		.pc = launch_pc(r->core_launch->launch, a->insn),
		.group = a->from ? a->from->number : r->group->number,
		.thread = (a->from ? a->from->first_thread : r->warp.first_thread) + (uint32_t)lane,
		.launch = launch};

	assert(lane < r->warp.lanes);
	return (struct found){.cause = causes[a->space],
		.side = {side},
		.places = 1,
		.threads = 1,
		.owner = r->group->number,
		.has_owner = a->from != NULL,
		.launch = launch,
		.object = object_at(core, r->warp.kernel, a->space, address),
		.address = address,
		.bytes = a->bytes,
		.count = 1,
		.space = a->space,
		.may_be_carried = may_be_carried(core, s, a)};
}

/* Adds a read whose address is that of its first byte; `missing` of its bytes have no contents, of those wanted. */
static void add(struct found_list *list, struct found read, uint32_t missing, uint32_t wanted)
{
	assert(missing);
	assert(!(missing & ~wanted));
	read.address += (uint64_t)__builtin_ctz(missing);
	read.missing = (uint64_t)__builtin_popcount(missing);
	read.is_part = missing != wanted;
	found_add(list, &read);
}

static void write_down(struct watched *s, const struct span *span)
{
	struct span *last = s->written.count ? &s->written.at[s->written.count - 1] : NULL;

	assert(span->bytes);
	if (last && last->at + last->bytes == span->at) /* neighbouring lanes mostly do */
		last->bytes += span->bytes;
	else
		*vector_push(s->list.arena, &s->written) = *span;
}

/* A lane's access to global memory in timing mode, to bytes of which `missing` have had no contents in earlier
 * quanta. */
static void put_off(
	struct core *core, struct watched *s, const struct access *a, uint64_t lane, uint64_t address, uint32_t missing)
{
	struct pending *p;

	assert(a->space == space_GLOBAL);
	assert(!observer_at_once(core));
	assert(a->bytes <= INIT_MOST_BYTES);
	if (a->writes && !a->wanted) {
		write_down(s, &(struct span){address, a->bytes});
		return;
	}
	if (!(missing & a->wanted))
		return;
	p = a->writes ? vector_push(s->list.arena, &s->atomics) : vector_push(s->list.arena, &s->reads);
	p->read = found_at(core, s, a, lane, address);
	p->wanted = a->wanted;
}

/* A lane's access to memory whose accesses are heard in the order in which they happen.  `at` is where its bits are. */
static void judge(struct core *core, struct watched *s, const struct access *a, uint64_t lane, uint64_t address,
	struct init_bits *bits, uint64_t at)
{
	uint32_t missing = init_bits_at(bits, at, a->bytes);

	assert(a->bytes);
	assert(a->bytes <= INIT_MOST_BYTES);
	if (!missing)
		return;
	if (a->space == space_GLOBAL && !observer_at_once(core)) {
		put_off(core, s, a, lane, address, missing);
		return;
	}
	if (missing & a->wanted)
		add(&s->list, found_at(core, s, a, lane, address), missing & a->wanted, a->wanted);
	if (a->writes)
		init_bits_define(bits, at, a->bytes);
}

static struct init_bits *shared_of(struct watched *s, const struct warp_slot *r)
{
	uint32_t slot = (uint32_t)__builtin_ctzll(r->group->slots);

	assert(r->group->slots & r->bit);
	if (s->new_shared >> slot & 1)
		init_bits_begin(&s->shared[slot], s->list.arena, r->warp.shared_bytes);
	s->new_shared &= ~(1ull << slot);
	assert(!(s->new_shared & r->group->slots));
	return &s->shared[slot];
}

static struct init_bits *local_of(const struct core *core, struct watched *s, const struct warp_slot *r)
{
	struct init_bits *bits = &s->local[core_slot(core, r)];

	assert(core_slot(core, r) < core->warps.count);
	if (s->new_local & r->bit)
		init_bits_begin(bits, s->list.arena, (uint64_t)r->warp.local_bytes * r->warp.lanes);
	s->new_local &= ~r->bit;
	return bits;
}

static struct init_bits *bits_of(const struct core *core, struct watched *s, const struct warp_slot *r, uint8_t space)
{
	assert(space == space_SHARED || space == space_LOCAL || space == space_GLOBAL);
	return space == space_SHARED  ? shared_of(s, r)
	       : space == space_LOCAL ? local_of(core, s, r)
				      : &inits_of(core)->global;
}

#define NEAR 4096 /* bytes that are looked at together */

/* Most accesses are to neighbouring bytes, which have been written, or are now, all of them.  False: they are not. */
static bool judge_together(struct core *core, struct watched *s, const struct access *a, lane_mask lanes,
	const uint64_t *address, struct init_bits *bits)
{
	uint64_t low = UINT64_MAX, high = 0, next = address[__builtin_ctzll(lanes)], first, at = next;
	bool follow = true;

	assert(lanes);
	assert(a->bytes);
	EACH_LANE(l, lanes) {
		low = address[l] < low ? address[l] : low;
		high = address[l] > high ? address[l] : high;
		follow &= address[l] == next;
		next = address[l] + a->bytes;
	}
	assert(low <= high);
	if (high - low >= NEAR)
		return false;
	if (!init_bits_count(bits, low, high - low + a->bytes, &first))
		return true;
	if (!follow || !a->writes || a->wanted)
		return false;
	if (a->space == space_GLOBAL && !observer_at_once(core))
		write_down(s, &(struct span){at, next - at});
	else
		init_bits_define(bits, at, next - at);
	return true;
}

static void judge_lanes(
	struct core *core, struct watched *s, const struct access *a, lane_mask lanes, const uint64_t *address)
{
	struct init_bits *bits = bits_of(core, s, a->r, a->space);
	uint64_t stride = a->space == space_LOCAL ? a->r->warp.local_bytes : 0;

	assert(a->from || !(lanes & ~a->r->warp.full));
	if (!init_bits_any(bits) || (!stride && judge_together(core, s, a, lanes, address, bits)))
		return;
	EACH_LANE(l, lanes)
		judge(core, s, a, l, address[l], bits, address[l] + l * stride);
}

/* ---- Accesses ---- */

/* The bytes that a load puts into registers which are read later. */
static uint32_t used_bytes(const struct warp_slot *r, const struct insn *i)
{
	uint32_t used = 0, element = (uint32_t)((1ull << i->access.bytes) - 1);

	assert(i->access.bytes < 64);
	assert((uint32_t)i->access.bytes * i->access.elements <= INIT_MOST_BYTES);
	if (i->flags & INSN_NO_RESULT)
		return 0;
	for (uint32_t e = 0; e < i->access.elements; e++)
		if (i->access.elements == 1 || element_slot(i, r->warp.kernel, e, i->d) != SLOT_NONE)
			used |= element << e * i->access.bytes;
	return used;
}

static uint32_t all_bytes(const struct insn *i)
{
	assert(access_bytes(i));
	assert(access_bytes(i) <= INIT_MOST_BYTES);
	return (uint32_t)((1ull << access_bytes(i)) - 1);
}

/* The device runtime's own kernels, which copy and fill: that is no use of what they read.  What they write counts as
 * written. */
static bool copies_only(const struct core *core, const struct warp_slot *r)
{
	assert(r->core_launch->launch->kernel == r->warp.kernel);
	return r->warp.kernel->module == core->machine->gpu->device.module;
}

static void judge_access(
	struct core *core, struct watched *s, struct access a, lane_mask lanes, const uint64_t *address)
{
	const struct insn *i = a.insn;
	bool only_writes;

	s->list.checked += (uint32_t)__builtin_popcountll(lanes);
	a.bytes = access_bytes(i);
	switch (i->kind) {
	case INSN_LOAD: a.wanted = copies_only(core, a.r) ? 0 : used_bytes(a.r, i); break;
	case INSN_LOAD_LOCK: return; /* mostly the bit alone is meant, and not the word */
	case INSN_ASYNC:
		a.wanted = i->access.atomic ? all_bytes(i) : 0;
		a.writes = true;
		break;
	case INSN_ATOMIC:
		only_writes = i->access.atomic == ATOMIC_EXCH && i->flags & INSN_NO_RESULT;
		a.wanted = only_writes ? 0 : all_bytes(i);
		a.writes = true;
		break;
	default: a.writes = true; /* stores; objects and locks, which have checks of their own */
	}
	assert(!(a.wanted & ~all_bytes(i)));
	judge_lanes(core, s, &a, lanes, address);
}

static void accesses(struct core *core, void *state, const struct warp_slot *r, const struct insn *i, lane_mask lanes,
	uint8_t space, const uint64_t *address)
{
	assert(!(lanes & ~r->warp.full));
	if (i->op == OP_sust_formatted || space == space_CLUSTER) /* see `moves`, `served` */
		return;
	judge_access(core, state, (struct access){.r = r, .insn = i, .space = space}, lanes, address);
}

/* Blocks of any size, in parts that one access may have. */
static void judge_block(struct core *core, struct watched *s, struct access a, uint32_t lane, uint64_t address,
	uint64_t bytes, bool reads)
{
	struct init_bits *bits = bits_of(core, s, a.r, a.space);
	uint64_t at = address + (a.space == space_LOCAL ? lane * (uint64_t)a.r->warp.local_bytes : 0);

	assert(lane < a.r->warp.lanes);
	s->list.checked++;
	for (uint64_t done = 0; init_bits_any(bits) && done < bytes; done += a.bytes) {
		a.bytes = bytes - done < INIT_MOST_BYTES ? (uint32_t)(bytes - done) : INIT_MOST_BYTES;
		a.wanted = reads ? (uint32_t)((1ull << a.bytes) - 1) : 0;
		judge(core, s, &a, lane, address + done, bits, at + done);
	}
}

static void moves(struct core *core, void *state, const struct warp_slot *r, const struct insn *i, uint32_t lane,
	uint8_t space, uint64_t address, uint64_t bytes, bool writes)
{
	assert(lane < r->warp.lanes);
	judge_block(core, state, (struct access){.r = r, .insn = i, .writes = writes, .space = space}, lane, address,
		bytes, !writes);
}

/* What another group of the cluster does to shared memory here. */
static void matrix_reads(struct core *core, void *state, const struct warp_slot *r, const struct insn *i,
	uint64_t address, uint64_t bytes)
{
	assert(bytes);
	moves(core, state, r, i, (uint32_t)__builtin_ctzll(r->warp.path->active), space_SHARED, address, bytes, false);
}

static void served(struct core *core, void *state, const struct group *group, const struct remote_access *a)
{
	struct access access = {.r = &core->slots[__builtin_ctzll(group->slots)],
		.from = a,
		.insn = a->insn,
		.writes = a->insn->kind == INSN_COPY,
		.space = space_SHARED};
	uint32_t lane = (uint32_t)__builtin_ctzll(a->lanes);

	assert(!(a->swapped & ~a->lanes));
	if (a->insn->kind == INSN_COPY)
		judge_block(core, state, access, lane, a->offset[lane], a->bytes, a->insn->access.atomic);
	else
		judge_access(core, state, access, a->lanes, a->offset);
}

/* ---- Asynchronous copies: the destination is as the source was, and nothing is used ---- */

static uint32_t without(const struct span *span, uint64_t at, uint32_t bytes, uint32_t missing)
{
	assert(bytes <= INIT_MOST_BYTES);
	for (uint32_t k = 0; k < bytes; k++)
		if (at + k - span->at < span->bytes)
			missing &= ~(1u << k);
	return missing;
}

/* Of a copy's source the bytes without contents: of global memory in timing mode what this core has written in the
 * quantum has some; what others have comes from farther away than a quantum. */
static uint32_t missing_of_source(const struct core *core, struct watched *s, uint8_t space,
	const struct init_bits *bits, uint64_t at, uint32_t bytes)
{
	uint32_t missing = bytes ? init_bits_at(bits, at, bytes) : 0;

	assert(bytes <= INIT_MOST_BYTES);
	if (space != space_GLOBAL || observer_at_once(core))
		return missing;
	for (uint32_t k = 0; missing && k < s->written.count; k++)
		missing = without(&s->written.at[k], at, bytes, missing);
	for (uint32_t k = 0; missing && k < s->atomics.count; k++)
		missing = without(
			&(struct span){s->atomics.at[k].read.address, s->atomics.at[k].read.bytes}, at, bytes, missing);
	return missing;
}

static void carry(struct core *core, struct watched *s, const struct warp_slot *r, uint8_t space, uint64_t address,
	bool has_contents)
{
	struct init_bits *bits = bits_of(core, s, r, space);

	assert(space == space_GLOBAL || space == space_SHARED);
	if (space == space_GLOBAL && !observer_at_once(core)) {
		if (has_contents)
			write_down(s, &(struct span){address, 1});
		else
			*vector_push(s->list.arena, &s->carried) = (struct span){address, 1};
		return;
	}
	if (has_contents) {
		init_bits_define(bits, address, 1);
		return;
	}
	init_bits_undefine(bits, address, 1);
	if (space == space_SHARED)
		s->carried_shared |= r->group->slots & -r->group->slots;
	else
		inits_of(core)->carried = true;
}

/* A reduction uses both what it reads and what it updates. */
static void reduces(struct core *core, struct watched *s, const struct warp_slot *r, const struct insn *i,
	uint32_t lane, const struct observed_copy *copy)
{
	struct access from = {.r = r, .insn = i, .space = copy->from_space};
	struct access to = {.r = r, .insn = i, .writes = true, .space = copy->to_space};

	assert(i->access.atomic);
	judge_block(core, s, from, lane, copy->from, copy->read, true);
	if (copy->to_space != space_CLUSTER)
		judge_block(core, s, to, lane, copy->to, copy->written, true);
}

static void copies(struct core *core, void *state, const struct warp_slot *r, const struct insn *i, uint32_t lane,
	const struct observed_copy *copy)
{
	struct watched *s = state;
	struct init_bits *from;
	uint32_t part;

	assert(copy->read <= copy->written);
	assert(r->warp.full >> lane & 1);
	if (i->kind == INSN_COPY && i->access.atomic) {
		reduces(core, s, r, i, lane, copy);
		return;
	}
	if (i->kind == INSN_ASYNC || copy->to_space == space_CLUSTER) /* an access, or served */
		return;
	from = bits_of(core, s, r, copy->from_space);
	for (uint32_t done = 0; done < copy->written; done += part) {
		uint32_t read = copy->read > done ? copy->read - done : 0, missing;

		part = copy->written - done < INIT_MOST_BYTES ? copy->written - done : INIT_MOST_BYTES;
		missing = init_bits_any(from) ? missing_of_source(core, s, copy->from_space, from, copy->from + done,
							read < part ? read : part)
					      : 0;
		if (!missing)
			moves(core, state, r, i, lane, copy->to_space, copy->to + done, part, true);
		for (uint32_t k = 0; missing && k < part; k++)
			carry(core, s, r, copy->to_space, copy->to + done + k, !(missing >> k & 1));
	}
}

/* ---- Local memory that no store writes: arguments and results of calls ---- */

static bool wants(const struct gpu *gpu, bool functional, const struct insn *i)
{
	(void)gpu;
	(void)functional;
	return i->inserted == INSERTED_ARGUMENTS || i->inserted == INSERTED_RETURNS || i->kind == INSN_PRINTF ||
	       i->kind == INSN_MALLOC || i->kind == INSN_ACQUIRE || i->kind == INSN_DEVICE;
}

static void before(struct core *core, void *state, struct warp_slot *r, const struct insn *i, lane_mask lanes)
{
	const struct insn_extra *extra = &r->warp.kernel->extras[i->extra];
	bool arguments = i->inserted == INSERTED_ARGUMENTS;
	const struct call_copy *copies = arguments ? extra->arguments : extra->returns;
	uint32_t count = arguments ? extra->argument_count : extra->return_count;
	struct init_bits *bits = bits_of(core, state, r, space_LOCAL);

	assert(!(lanes & ~r->warp.path->active));
	assert(r->warp.stack_base <= r->warp.local_bytes);
	for (uint32_t k = 0; k < count; k++) {
		uint64_t end = (uint64_t)r->warp.stack_base + copies[k].to + copies[k].bytes;

		if (!copies[k].to_stack || end > r->warp.local_bytes)
			continue;
		EACH_LANE(l, lanes)
			init_bits_define(bits, l * r->warp.local_bytes + end - copies[k].bytes, copies[k].bytes);
	}
}

/* ---- Between quanta ---- */

/* The read of a quantum in timing mode, after all its writes. */
static void judge_pending(struct inits *inits, const struct pending *p)
{
	uint32_t missing = init_bits_at(&inits->global, p->read.address, (uint32_t)p->read.bytes) & p->wanted;

	assert(p->wanted);
	assert(p->read.bytes <= INIT_MOST_BYTES);
	assert(p->read.space == space_GLOBAL);
	if (missing)
		add(inits->found, p->read, missing, p->wanted);
}

static void judge_atomics(struct inits *inits, struct watched *s)
{
	assert(!s->written.count);
	assert(!s->carried.count);
	for (uint32_t k = 0; k < s->atomics.count; k++) {
		judge_pending(inits, &s->atomics.at[k]);
		init_bits_define(&inits->global, s->atomics.at[k].read.address, s->atomics.at[k].read.bytes);
	}
	s->atomics.count = 0;
}

static void judge_reads(struct inits *inits, struct watched *s)
{
	assert(!s->written.count);
	assert(!s->atomics.count);
	for (uint32_t k = 0; k < s->reads.count; k++)
		judge_pending(inits, &s->reads.at[k]);
	s->reads.count = 0;
	found_take(inits->found, &s->list);
}

/* Before what was written: of a write and a copy at about the same time the write counts. */
static void take_carried(struct inits *inits, struct watched *s)
{
	for (uint32_t k = 0; k < s->carried.count; k++)
		init_bits_undefine(&inits->global, s->carried.at[k].at, s->carried.at[k].bytes);
	inits->carried |= s->carried.count != 0;
	s->carried.count = 0;
}

static void take_writes(struct inits *inits, struct watched *s)
{
	assert(!s->carried.count);
	for (uint32_t k = 0; k < s->written.count; k++)
		init_bits_define(&inits->global, s->written.at[k].at, s->written.at[k].bytes);
	s->written.count = 0;
}

/* Blocks of malloc, which cannot have been used in the quantum in which it was asked for them. */
static void take_given(struct inits *inits, struct watched *s)
{
	assert(!s->written.count);
	assert(!s->reads.count);
	for (uint32_t k = 0; k < s->given.count; k++)
		init_bits_undefine(&inits->global, s->given.at[k].at, s->given.at[k].bytes);
	s->given.count = 0;
}

static void flush(struct machine *machine, bool at_end)
{
	static void (*const steps[])(struct inits * inits, struct watched * s) = {
		take_carried, take_writes, judge_atomics, judge_reads, take_given};
	struct inits *inits = machine->gpu->observe[OBSERVER_init];

	(void)at_end;
	for (size_t k = 0; k < sizeof steps / sizeof *steps; k++)
		for (uint32_t c = 0; c < machine->cores.count; c++) {
			struct watched *s = observer_state(&machine->cores.at[c], OBSERVER_init);

			assert(!s || !observer_at_once(&machine->cores.at[c]) ||
				!(s->written.count | s->reads.count | s->atomics.count));
			if (s)
				steps[k](inits, s);
		}
}

const struct observer observer_init = {
	.state_size = sizeof(struct watched),
	.wants = wants,
	.has_arena = true,
	.before = before,
	.on = {.group_begins = group_begins,
		.warp_begins = warp_begins,
		.access = accesses,
		.served = served,
		.moves = moves,
		.matrix_reads = matrix_reads,
		.copies = copies,
		.gives = gives},
	.flush = flush,
};
