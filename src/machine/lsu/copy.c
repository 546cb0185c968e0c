/* Asynchronous copies (PTX ISA, "Data Movement and Conversion Instructions: Asynchronous copy").
 *
 * cp.async goes the way of a load, but what comes back is put into shared memory, and no register of the warp is
 * outstanding meanwhile.  An engine of the core carries out cp.async.bulk: it asks for a line a cycle, past the L1.  It
 * starts when the load-store unit comes to the instruction, so it sees all that the core has written before: the
 * asynchronous proxy never lags the generic one.  A value is bound where it is served: global memory at its slice,
 * shared memory when the engine reads it.
 *
 * PTX counts groups per thread.  Here a warp counts them for all of its lanes, by numbers that copies get as they
 * start: lanes that have diverged may wait for more of each other's copies than they need, never for fewer.
 *
 * In functional mode a copy is done when it is issued, and there is nothing to wait for; or, where a search tries all
 * orders, when copy_end says so. */
#include "machine/lsu/copy.h"

#include "machine/core/drop.h"
#include "machine/core/executors.h"
#include "machine/core/fault.h"
#include "machine/core/observer.h"
#include "machine/core/path.h"
#include "machine/core/port.h"
#include "machine/core/schedule.h"
#include "machine/lsu/access.h"
#include "machine/lsu/atomic.h"
#include "machine/lsu/load_store.h"
#include "machine/lsu/mbarrier.h"
#include "machine/lsu/mbarrier_ledger.h"
#include "machine/lsu/mbarrier_mend.h"
#include "machine/lsu/multicast.h"
#include "machine/lsu/tensor_copy.h"
#include "machine/lsu/through_l1.h"
#include "machine/state/launch_state.h"
#include "machine/state/machine.h"

#include <assert.h>
#include <string.h>

#define BULK_UNIT 16 /* sizes and addresses of bulk copies are multiples of it */

#define COPY_GROUPS 16 /* of a warp, that are told apart */

/* The copies of a warp that commit_group and wait_group count.  A copy's number is how many began before. */
struct copies {
	uint64_t started, groups;
	uint64_t commits[COPY_GROUPS]; /* `started` when a group was made, the latest ones */
	uint64_t sources_read;         /* bulk: copies whose source has been read */
	uint64_t wait_for;             /* the warp waits for those of lower number; 0: it does not */
	bool wait_read;                /* only until their sources are read */
	uint32_t first, last;          /* operations that are not over, in order; L1_NONE: none */
};

/* Of a core. */
struct copy_unit {
	struct copies (*of_warp)[2];      /* per slot: cp.async, cp.async.bulk */
	uint32_t bulk_first;              /* the engine's list of bulk copies; L1_NONE: empty */
	struct unit_timer *engine;        /* its next step */
	uint32_t *tracked, tracked_count; /* cp.async.mbarrier.arrive: operations that wait for copies */
	/* Where copies end later: those that have not, in order; whether one ended at once. */
	uint32_t *later, later_count;
	bool too_many;
	struct tensor_copies *tensors;
	uint32_t spread_count;         /* copies that have begun, from global memory to other groups of the cluster */
	struct copy_arrivals arrivals; /* of those of other cores */
};

static struct copy_unit *unit_of(const struct core *core)
{
	return memory_kind_state(core, INSN_COPY);
}

struct copy_arrivals *copy_arrivals(const struct core *core)
{
	assert(core->machine->model->cluster_groups > 1);
	return &unit_of(core)->arrivals;
}

static struct copying *copying_at(const struct core *core, uint32_t index)
{
	assert(index < core->lsu.operation_fresh);
	return core->lsu.operations[index].state;
}

static bool is_bulk(const struct insn *i)
{
	return i->op != OP_cp_async_ca && i->op != OP_cp_async_cg && i->op != OP_cp_async_arrive;
}

/* From shared to shared memory. */
static bool is_inside(const struct insn *i)
{
	return i->op == OP_cp_async_bulk_shared ||
	       (i->op >= OP_cp_reduce_shared_add && i->op <= OP_cp_reduce_shared_xor);
}

static bool is_multicast(const struct insn *i)
{
	return i->op == OP_cp_async_bulk_multicast || i->op == OP_cp_tensor_multicast;
}

/* Its destination may be in another group of the cluster. */
static bool may_spread(const struct insn *i)
{
	return i->op == OP_cp_async_bulk_load || i->op == OP_cp_tensor_load || is_multicast(i) || is_inside(i);
}

static bool has_object(const struct insn *i)
{
	return may_spread(i) || i->op == OP_cp_async_bulk_load_cta || i->op == OP_cp_tensor_load_cta;
}

static struct copies *copies_of_warp(const struct core *core, const struct warp_slot *r)
{
	assert(core_slot(core, r) < core->warps.count);
	return unit_of(core)->of_warp[core_slot(core, r)];
}

static struct copies *copies_of(const struct core *core, const struct operation *op)
{
	return &copies_of_warp(core, op->slot)[is_bulk(op->insn)];
}

/* A new warp has started no copies. */
static void start_warp(struct core *core, struct warp_slot *r)
{
	assert(r->used);
	for (uint32_t k = 0; k < 2; k++) {
		struct copies *copies = &copies_of_warp(core, r)[k];

		copies->started = copies->groups = copies->sources_read = copies->wait_for = 0;
		copies->first = copies->last = L1_NONE;
	}
}

/* --- Operands --- */

#define FAR_OFFSET                                                                                                     \
	0xfffffff0u /* beyond all shared memory; offsets that are larger become this, with their alignment             \
		     */

/* The offset in shared memory that an address operand means; it may be a generic one. */
static uint32_t shared_offset(const struct warp *w, const struct insn *i, uint32_t k, uint32_t lane, int64_t offset)
{
	uint64_t address = slot_value(w, i->s[k], i->s_bytes[k], lane) + (uint64_t)offset;

	assert(k < INSN_SOURCES && i->s[k] != SLOT_NONE);
	address -= address - SHARED_BASE < WINDOW_BYTES ? SHARED_BASE : 0;
	address = access_own_part(w, address);
	return address < FAR_OFFSET ? (uint32_t)address : FAR_OFFSET + (uint32_t)(address % 16);
}

/* The same of an address that may be in another group of the cluster, whose rank is *rank. */
static uint32_t cluster_offset(
	const struct warp *w, const struct insn *i, uint32_t k, uint32_t lane, int64_t offset, uint16_t *rank)
{
	uint32_t at = shared_offset(w, i, k, lane, offset);

	assert(may_spread(i));
	*rank = (uint16_t)launch_cluster_rank(w->launch, w->group);
	if (at < SHARED_PART_BYTES || at >= FAR_OFFSET || launch_cluster_size(w->launch) == 1)
		return at;
	*rank = (uint16_t)remote_rank(at);
	return (uint32_t)remote_offset(at);
}

static uint32_t bytes_to_copy(const struct warp *w, const struct insn *i, uint32_t lane)
{
	uint64_t bytes;

	assert(i->op != OP_cp_async_arrive);
	if (i->ps && (w->predicates[i->ps] >> lane & 1) != i->ps_invert) /* ignore-src */
		return 0;
	if (i->s[2] == SLOT_NONE)
		return i->access.bytes;
	bytes = slot_value(w, i->s[2], i->s_bytes[2], lane);
	return is_bulk(i) || bytes < i->access.bytes ? (uint32_t)bytes : i->access.bytes;
}

/* Where a lane's copy goes that may go to other groups. */
static void capture_places(const struct warp *w, const struct insn *i, uint32_t lane, struct lane_copy *copy)
{
	const struct insn_extra *extra = &w->kernel->extras[i->extra];

	assert(may_spread(i));
	assert(lane < w->lanes);
	copy->shared = cluster_offset(w, i, 1, lane, extra->offsets[0], &copy->rank);
	copy->object = cluster_offset(w, i, 3, lane, extra->offsets[1], &copy->object_rank);
	copy->ranks = (uint16_t)(copy->rank < CLUSTER_GROUPS ? 1u << copy->rank : 0);
	if (is_multicast(i))
		copy->ranks = (uint16_t)slot_value(w, i->s[4], i->s_bytes[4], lane);
}

/* Reads the operands of all lanes: s[0] the address in global memory (or the source in shared memory), s[1] that in
 * shared memory, s[2] the size, s[3] the mbarrier. */
static void capture(struct operation *op, const struct warp_slot *r, const struct insn *i)
{
	const struct warp *w = &r->warp;
	const struct insn_extra *extra = &w->kernel->extras[i->extra];

	assert(op->insn == i && op->slot == r);
	EACH_LANE(l, op->lanes) {
		uint32_t lane = (uint32_t)l;
		struct lane_copy *copy = lane_copy_of(op, lane);

		*copy = (struct lane_copy){.shared = shared_offset(w, i, 1, lane, extra->offsets[0])};
		if (i->op == OP_cp_async_arrive)
			continue;
		op->address[lane] = slot_value(w, i->s[0], i->s_bytes[0], lane) + (uint64_t)i->offset;
		copy->bytes = copy_is_tensor(i) ? 0 : bytes_to_copy(w, i, lane);
		if (is_inside(i))
			copy->source = shared_offset(w, i, 0, lane, i->offset);
		if (has_object(i) && !may_spread(i))
			copy->object = shared_offset(w, i, 3, lane, extra->offsets[1]);
		if (may_spread(i))
			capture_places(w, i, lane, copy);
	}
}

/* --- Checks --- */

/* A copy that others wait for by an mbarrier must be complete, so it is not dropped. */
static bool may_be_dropped(const struct insn *i)
{
	return !is_bulk(i) && i->op != OP_cp_async_arrive;
}

bool copy_fault(struct core *core, const struct operation *op, uint32_t lane, enum fault_cause cause, uint64_t address,
	const char *what)
{
	assert(op->lanes >> lane & 1);
	if (may_be_dropped(op->insn) && drop_again(op->slot, op->insn, cause))
		return false;
	core->finding.has_address = true;
	core->finding.address = address;
	core_fault(core, op->slot, op->insn, lane, cause, "%s: 0x%llx %s", ptx_ops[op->insn->op].spelling,
		(unsigned long long)address, what);
	if (may_be_dropped(op->insn))
		drop_take(core, op->slot, op->insn);
	return false;
}

bool copy_leaves(struct core *core, const struct operation *op, uint32_t lane, uint64_t address)
{
	const struct allocation *freed = space_find_freed(core->machine->space, address);
	char words[400] = "is in freed memory: ";
	size_t length = strlen(words);

	assert(op->lanes >> lane & 1);
	assert(length < sizeof words);
	if (!freed || space_find(core->machine->space, address, 1))
		return copy_fault(core, op, lane, FAULT_address, address,
			"is an address from which the copy leaves its allocation");
	freed_words(freed, words + length, sizeof words - length);
	return copy_fault(core, op, lane, FAULT_address, address, words);
}

static bool check_shared(struct core *core, const struct operation *op, uint32_t lane, uint32_t offset, uint32_t bytes,
	uint32_t alignment)
{
	assert(alignment && !(alignment & (alignment - 1)));
	if (offset & (alignment - 1))
		return copy_fault(core, op, lane, FAULT_misaligned, offset, "is a misaligned offset in shared memory");
	if ((uint64_t)offset + bytes > op->slot->warp.shared_bytes)
		return copy_fault(
			core, op, lane, FAULT_address, offset, "is an offset with which the copy leaves shared memory");
	return true;
}

static bool check_global(struct core *core, const struct operation *op, uint32_t lane, uint32_t alignment)
{
	const struct allocation *a;
	uint32_t bytes = lane_copy_of(op, lane)->bytes;

	assert(alignment && !(alignment & (alignment - 1)));
	if (op->address[lane] & (alignment - 1))
		return copy_fault(core, op, lane, FAULT_misaligned, op->address[lane],
			"is a misaligned address in global memory");
	a = bytes ? space_find(core->machine->space, op->address[lane], bytes) : NULL;
	if (bytes && !a)
		return copy_leaves(core, op, lane, op->address[lane]);
	if (a && a->constant && copy_goes_out(op->insn))
		return copy_fault(core, op, lane, FAULT_constant, op->address[lane], "is in constant memory");
	return true;
}

/* The groups of the cluster that get it. */
static bool check_ranks(struct core *core, const struct operation *op, uint32_t lane)
{
	const struct lane_copy *copy = lane_copy_of(op, lane);
	uint32_t size = launch_cluster_size(op->slot->warp.launch);

	assert(may_spread(op->insn));
	if (is_multicast(op->insn))
		return copy->ranks >> size == 0 || copy_fault(core, op, lane, FAULT_address, copy->ranks,
							   "is a mask with work-groups that the cluster does not have");
	if (copy->rank >= size)
		return copy_fault(core, op, lane, FAULT_address, copy->shared,
			"is an offset in the shared memory of a work-group that the cluster does not have");
	return copy->rank == copy->object_rank ||
	       copy_fault(core, op, lane, FAULT_space, copy->object,
		       "is an mbarrier's offset in another work-group than the destination's");
}

static bool check_lane(struct core *core, const struct operation *op, uint32_t lane)
{
	const struct insn *i = op->insn;
	const struct lane_copy *copy = lane_copy_of(op, lane);
	uint32_t alignment = is_bulk(i) ? BULK_UNIT : i->access.bytes;

	assert(is_bulk(i) || copy->bytes <= i->access.bytes);
	if (i->op == OP_cp_async_arrive)
		return check_shared(core, op, lane, copy->shared, 8, 8);
	if (is_bulk(i) && copy->bytes % BULK_UNIT)
		return copy_fault(
			core, op, lane, FAULT_misaligned, copy->bytes, "is a size that is not a multiple of 16");
	if (!check_shared(core, op, lane, copy->shared, is_bulk(i) ? copy->bytes : i->access.bytes, alignment))
		return false;
	if (has_object(i) && !check_shared(core, op, lane, copy->object, 8, 8))
		return false;
	if (may_spread(i) && !check_ranks(core, op, lane))
		return false;
	if (copy_is_tensor(i))
		return tensor_copy_check(core, unit_of(core)->tensors, op, lane);
	if (is_inside(i))
		return check_shared(core, op, lane, copy->source, copy->bytes, alignment);
	return check_global(core, op, lane, alignment);
}

/* The lanes whose copy is carried out; none after a finding. */
static lane_mask allowed(struct core *core, const struct operation *op)
{
	lane_mask good = 0;

	assert(op->lanes && !op->pending);
	EACH_LANE(l, op->lanes)
		if (check_lane(core, op, (uint32_t)l))
			good |= (lane_mask)1 << l;
		else if (core->stopped)
			return 0;
	return good;
}

/* --- Bytes --- */

static void zero_rest(const struct operation *op, uint32_t lane)
{
	const struct lane_copy *copy = lane_copy_of(op, lane);

	assert(copy->bytes <= op->insn->access.bytes);
	assert(copy->shared + op->insn->access.bytes <= op->group->core_launch->launch->group.shared_bytes);
	memset(op->group->shared + copy->shared + copy->bytes, 0, op->insn->access.bytes - copy->bytes);
}

/* The part of a line that a lane copies: from where in the line, how much; the copy's offset. */
static uint32_t part_of_line(const struct operation *op, uint32_t lane, uint64_t line, uint32_t *from, uint32_t *offset)
{
	uint64_t first = op->address[lane], end = first + lane_copy_of(op, lane)->bytes;
	uint64_t start = first > line ? first : line, next = line + access_line_bytes(op);
	uint64_t stop = end < next ? end : next;

	assert(line % LEAST_LINE == 0);
	*from = (uint32_t)(start - line);
	*offset = (uint32_t)(start - first);
	return stop > start ? (uint32_t)(stop - start) : 0;
}

static void deliver(struct core *core, const struct operation *op, lane_mask lanes, const uint8_t *data, uint64_t line)
{
	EACH_LANE(l, lanes) {
		uint32_t from, offset, bytes;

		if (copy_is_tensor(op->insn)) {
			tensor_copy_deliver(unit_of(core)->tensors, core, op, (uint32_t)l, data, line);
			continue;
		}
		bytes = part_of_line(op, (uint32_t)l, line, &from, &offset);
		assert(bytes && from + bytes <= LINE_BYTES);
		if (copying(op)->spreads) {
			spread_own(core, &core->lsu.operations[load_store_index(core, op)], (uint32_t)l, offset,
				data + from, bytes);
			continue;
		}
		memcpy(op->group->shared + lane_copy_of(op, (uint32_t)l)->shared + offset, data + from, bytes);
	}
}

static void readers(const struct operation *op, lane_mask lanes, uint64_t line, uint8_t reader[LINE_BYTES])
{
	EACH_LANE(l, lanes) {
		uint32_t from, offset, bytes = part_of_line(op, (uint32_t)l, line, &from, &offset);

		assert(bytes && from + bytes <= LINE_BYTES);
		for (uint32_t k = from; k < from + bytes; k++)
			reader[k] = l < reader[k] ? (uint8_t)l : reader[k];
	}
}

/* --- Groups --- */

/* Copies of the warp that groups are made of: cp.async, and bulk copies that no mbarrier tracks. */
static bool is_listed(const struct insn *i)
{
	return i->op == OP_cp_async_ca || i->op == OP_cp_async_cg || copy_goes_out(i);
}

/* All copies whose number is below `serial` are over. */
static bool is_over(const struct core *core, const struct copies *copies, uint64_t serial)
{
	assert((copies->first == L1_NONE) == (copies->last == L1_NONE));
	return copies->first == L1_NONE || copying_at(core, copies->first)->serial >= serial;
}

static void enlist(struct core *core, struct operation *op)
{
	struct copies *copies = copies_of(core, op);
	uint32_t index = load_store_index(core, op);

	assert(is_listed(op->insn));
	assert(copies->first == L1_NONE || copying_at(core, copies->last)->next_copy == L1_NONE);
	copying(op)->serial = copies->started++;
	copying(op)->next_copy = L1_NONE;
	if (copies->first == L1_NONE)
		copies->first = index;
	else
		copying_at(core, copies->last)->next_copy = index;
	copies->last = index;
}

static void strike(struct core *core, const struct operation *op)
{
	struct copies *copies = copies_of(core, op);
	uint32_t index = load_store_index(core, op), before = L1_NONE;

	assert(copies->first != L1_NONE);
	assert(is_listed(op->insn));
	assert(copying(op)->serial < copies->started);
	for (uint32_t k = copies->first; k != index; k = copying_at(core, k)->next_copy)
		before = k;
	if (before == L1_NONE)
		copies->first = copying(op)->next_copy;
	else
		copying_at(core, before)->next_copy = copying(op)->next_copy;
	if (copies->last == index)
		copies->last = before;
}

static void commit(struct copies *copies)
{
	assert(copies->started >= copies->sources_read);
	assert(!copies->groups || copies->commits[(copies->groups - 1) % COPY_GROUPS] <= copies->started);
	copies->commits[copies->groups++ % COPY_GROUPS] = copies->started;
}

/* The number below which copies must be over so that at most `pending` groups are not. */
static uint64_t first_pending(const struct copies *copies, uint64_t pending)
{
	if (pending >= copies->groups)
		return 0;
	if (pending >= COPY_GROUPS) /* older ones are forgotten: waits for a few more */
		pending = COPY_GROUPS - 1;
	assert(pending < copies->groups);
	return copies->commits[(copies->groups - 1 - pending) % COPY_GROUPS];
}

static bool may_go_on(const struct core *core, const struct copies *copies)
{
	assert(copies->wait_for <= copies->started);
	return copies->wait_read && !core->machine->mode->copies_end_later ? copies->sources_read >= copies->wait_for
									   : is_over(core, copies, copies->wait_for);
}

static bool is_commit(const struct insn *i)
{
	return i->op == OP_cp_async_commit || i->op == OP_cp_async_bulk_commit || i->op == OP_cp_async_wait_all;
}

void copy_wait(struct core *core, struct warp_slot *r, const struct insn *i, lane_mask lanes)
{
	bool bulk = i->op == OP_cp_async_bulk_commit || i->op == OP_cp_async_bulk_wait ||
		    i->op == OP_cp_async_bulk_wait_read;
	struct copies *copies = &copies_of_warp(core, r)[bulk];

	assert(!copies->wait_for);
	(void)lanes; /* the warp waits as one */
	if (is_commit(i))
		commit(copies);
	if (i->op == OP_cp_async_wait_all)
		copies->wait_for = first_pending(copies, 0);
	else if (!is_commit(i))
		copies->wait_for = first_pending(copies, *(const uint32_t *)slot_at(&r->warp, i->s[0]));
	copies->wait_read = i->op == OP_cp_async_bulk_wait_read;
	if (copies->wait_for && may_go_on(core, copies))
		copies->wait_for = 0;
	r->held = copies->wait_for != 0;
	control_advance(core, r);
}

/* What waits for copies of the warp goes on when they are over. */
static void resume_warp(struct core *core, struct warp_slot *r, struct copies *copies)
{
	if (!copies->wait_for || !may_go_on(core, copies))
		return;
	assert(r->held && !r->finished);
	copies->wait_for = 0;
	r->held = false;
	core_schedule(core, r);
}

/* The copies that an mbarrier tracks are over: its arrivals. */
static void arrive(struct core *core, struct operation *op)
{
	assert(op->insn->op == OP_cp_async_arrive && op->pending);
	EACH_LANE(l, op->lanes) {
		uint32_t object = lane_copy_of(op, (uint32_t)l)->shared;

		observe_copied(core, op, (uint32_t)l, object);
		mbarrier_arrive(core, op, (uint32_t)l, object);
	}
	load_store_answered(core, op, core->now);
}

static void arrive_where_over(struct core *core, const struct warp_slot *r)
{
	struct copy_unit *unit = unit_of(core);

	for (uint32_t k = 0; k < unit->tracked_count;) {
		struct operation *op = &core->lsu.operations[unit->tracked[k]];

		assert(unit->tracked[k] < core->lsu.operation_fresh);
		assert(op->insn->op == OP_cp_async_arrive);
		if (op->slot != r || !is_over(core, copies_of_warp(core, r), copying(op)->serial)) {
			k++;
			continue;
		}
		unit->tracked[k] = unit->tracked[--unit->tracked_count];
		arrive(core, op);
		k = 0; /* the list may be another now */
	}
}

void copy_complete_bytes(struct core *core, const struct operation *op, uint32_t lane)
{
	const struct lane_copy *copy = lane_copy_of(op, lane);

	assert(has_object(op->insn));
	observe_copied(core, op, lane, copy->object);
	mbarrier_complete(core, op, lane, copy->object, copy->bytes);
}

/* All transactions of a copy are over. */
static void completed(struct core *core, struct operation *op)
{
	struct warp_slot *r = op->slot;

	assert(!op->pending);
	observe_effect(core, r, EFFECT_COPY);
	EACH_LANE(l, has_object(op->insn) && !copying(op)->spreads ? op->lanes : 0)
		copy_complete_bytes(core, op, (uint32_t)l);
	if (copy_is_tensor(op->insn))
		tensor_copy_end(unit_of(core)->tensors, op);
	if (!is_listed(op->insn))
		return;
	strike(core, op);
	resume_warp(core, r, copies_of(core, op));
	if (unit_of(core)->tracked_count)
		arrive_where_over(core, r);
}

/* An arrival, which comes when the copies are over. */
static void note_step(struct core *core, const struct operation *op)
{
	uint64_t address[CORE_WARPS];

	assert(op->insn->op == OP_cp_async_arrive);
	EACH_LANE(l, op->lanes)
		address[l] = lane_copy_of(op, (uint32_t)l)->shared;
	mbarrier_ledger_step(core, op->slot, op->insn, STEP_ARRIVED, op->lanes, address,
		op->insn->modifiers.flags & FLAG_NOINC ? 1 : 0);
}

/* An mbarrier tracks the copies that the warp has started so far; without .noinc it also expects their arrival. */
static void track(struct core *core, struct operation *op)
{
	struct copy_unit *unit = unit_of(core);

	assert(op->insn->op == OP_cp_async_arrive);
	note_step(core, op);
	EACH_LANE(l, op->insn->modifiers.flags & FLAG_NOINC || mbarrier_mend_arrives(core, op->group, op->insn)
			     ? 0
			     : op->lanes)
		mbarrier_expect_arrival(core, op, (uint32_t)l, lane_copy_of(op, (uint32_t)l)->shared);
	if (is_over(core, copies_of_warp(core, op->slot), copying(op)->serial)) {
		arrive(core, op);
		return;
	}
	assert(unit->tracked_count < core->lsu.operation_count);
	assert(copying(op)->serial <= copies_of_warp(core, op->slot)->started);
	unit->tracked[unit->tracked_count++] = load_store_index(core, op);
}

/* --- Bulk copies: the engine --- */

/* The copies of the lanes begin, behind what the warp has done at their mbarriers before. */
static void note_copies(struct core *core, const struct operation *op, lane_mask lanes)
{
	assert(is_bulk(op->insn));
	EACH_LANE(l, has_object(op->insn) ? lanes : 0) {
		struct lane_copy *copy = lane_copy_of(op, (uint32_t)l);
		uint32_t own = launch_cluster_rank(op->slot->warp.launch, op->slot->warp.group);
		uint16_t ranks = copying(op)->spreads ? copy->ranks : (uint16_t)(1u << own);

		copy->object = mbarrier_mend_object(core, op, (uint32_t)l, copy->object);
		mbarrier_ledger_copies(core, op, (uint32_t)l, copy->object, ranks, copy->bytes);
		if (ranks >> own & 1)
			mbarrier_copies(core, op, (uint32_t)l, copy->object, copy->bytes, copy->shared);
	}
}

static void start_bulk(struct core *core, struct operation *op)
{
	struct copy_unit *unit = unit_of(core);
	struct unit_timer *engine = unit->engine;
	uint32_t *link = &unit->bulk_first;

	assert(op->lanes && is_bulk(op->insn));
	assert((unit->bulk_first == L1_NONE) == (engine->at == NEVER && !engine->stalled));
	while (*link != L1_NONE)
		link = &copying_at(core, *link)->next_bulk;
	*link = load_store_index(core, op);
	copying(op)->next_bulk = L1_NONE;
	copying(op)->left = op->lanes;
	copying(op)->copied = 0;
	note_copies(core, op, op->lanes);
	if (engine->at == NEVER && !engine->stalled)
		engine->at = core->now + 1;
	load_store_expect(core, engine->at);
	if (copying(op)->spreads && !is_inside(op->insn)) {
		copying(op)->number = unit->spread_count++;
		multicast_expect(op);
	}
	EACH_LANE(l, copying(op)->spreads ? op->lanes : 0)
		if (!lane_copy_of(op, (uint32_t)l)->bytes)
			spread_part(core, op, (uint32_t)l, 0, NULL, 0);
}

/* Asks for a line.  False: no room for the request. */
static bool load_line(struct core *core, struct operation *op, uint32_t lane, uint64_t line)
{
	uint32_t from, offset, bytes = part_of_line(op, lane, line, &from, &offset), token;
	uint8_t sectors = l1_sector_mask(&core->l1, from, bytes);
	struct l1_waiter waiter = {.lanes = 1ull << lane, .user = load_store_index(core, op)};
	struct multicast_line l;

	assert(bytes && from + bytes <= LINE_BYTES);
	assert(!copy_goes_out(op->insn));
	if (l1_join(&core->l1, line, sectors, true, waiter, &token) == L1_FULL)
		return false;
	core->counters.l1_bypassed++;
	if (copying(op)->spreads) {
		multicast_begin(&l, core, op, lane);
		multicast_add(&l, from, lane_copy_of(op, lane)->shared + offset, bytes);
	}
	port_send_bulk(core, line, sectors, copying(op)->spreads ? &l.more : NULL, token);
	return true;
}

static void store_line(struct core *core, struct operation *op, uint32_t lane, uint64_t line)
{
	struct store_payload payload = {0};
	uint32_t from, offset, bytes = part_of_line(op, lane, line, &from, &offset);

	assert(bytes && from + bytes <= LINE_BYTES);
	assert(lane_copy_of(op, lane)->shared + offset + bytes <= op->group->core_launch->launch->group.shared_bytes);
	memcpy(payload.data + from, op->group->shared + lane_copy_of(op, lane)->shared + offset, bytes);
	for (uint32_t k = from; k < from + bytes; k++)
		payload.mask[k / 64] |= 1ull << k % 64;
	l1_write(&core->l1, line, NULL, false);
	port_send_store(core, op, line, &payload, (bytes + 31) / 32 * 32, OPERATION_TOKEN | load_store_index(core, op));
}

/* Reduces elements of a line.  False: no room for the request. */
static bool reduce_line(struct core *core, struct operation *op, uint32_t lane, uint64_t line)
{
	uint32_t from, offset, bytes = part_of_line(op, lane, line, &from, &offset);

	assert(bytes && from + bytes <= LINE_BYTES);
	assert(op->insn->access.atomic && copy_goes_out(op->insn));
	return atomic_send_elements(core, op, lane, (enum ptx_type)op->insn->access.type, line + from,
		op->group->shared + lane_copy_of(op, lane)->shared + offset, bytes);
}

static bool send_line(struct core *core, struct operation *op, uint32_t lane, uint64_t line)
{
	assert(copy_goes_out(op->insn));
	if (op->insn->access.atomic)
		return reduce_line(core, op, lane, line);
	store_line(core, op, lane, line);
	return true;
}

/* One line of a lane's copy.  False: try again after a reply. */
static bool copy_line(struct core *core, struct operation *op, uint32_t lane)
{
	if (copy_is_tensor(op->insn))
		return tensor_copy_step(core, unit_of(core)->tensors, op, lane);
	uint64_t line = l1_line_of(&core->l1, op->address[lane] + copying(op)->copied);
	uint32_t from, offset;

	assert(copying(op)->copied < lane_copy_of(op, lane)->bytes);
	assert(copying(op)->left >> lane & 1);
	observe_works(core, op);
	if (!(copy_goes_out(op->insn) ? send_line : load_line)(core, op, lane, line))
		return false;
	core->counters.bulk_lines += !(copy_goes_out(op->insn) && op->insn->access.atomic);
	load_store_begin(op);
	copying(op)->copied += part_of_line(op, lane, line, &from, &offset);
	return true;
}

static uint32_t copy_in_shared(struct operation *op, uint32_t lane)
{
	const struct lane_copy *copy = lane_copy_of(op, lane);

	assert(copy->bytes % BULK_UNIT == 0);
	assert(copy->shared + copy->bytes <= op->group->core_launch->launch->group.shared_bytes);
	assert(copy->source + copy->bytes <= op->group->core_launch->launch->group.shared_bytes);
	if (op->insn->access.atomic)
		spread_apply(op->insn, op->group->shared + copy->shared, op->group->shared + copy->source, copy->bytes);
	else
		memmove(op->group->shared + copy->shared, op->group->shared + copy->source, copy->bytes);
	copying(op)->copied = copy->bytes;
	return copy->bytes / LINE_BYTES;
}

/* As much as a line to other groups. */
static uint32_t spread_from_shared(struct core *core, struct operation *op, uint32_t lane)
{
	uint32_t from = copying(op)->copied, left = lane_copy_of(op, lane)->bytes - from;
	uint32_t bytes = left < LINE_BYTES ? left : LINE_BYTES;

	assert(is_inside(op->insn));
	assert(left);
	copying(op)->copied += bytes;
	spread_part(core, op, lane, from, op->group->shared + lane_copy_of(op, lane)->source + from, bytes);
	return 0;
}

/* Returns how many cycles more than one that takes. */
static uint32_t step_inside(struct core *core, struct operation *op)
{
	uint32_t lane = (uint32_t)__builtin_ctzll(copying(op)->left);

	assert(copying(op)->left);
	assert(is_inside(op->insn));
	return copying(op)->spreads ? spread_from_shared(core, op, lane) : copy_in_shared(op, lane);
}

static void skip_copied_lanes(struct operation *op)
{
	assert(!(copying(op)->left & ~op->lanes));
	while (copying(op)->left &&
		copying(op)->copied >= lane_copy_of(op, (uint32_t)__builtin_ctzll(copying(op)->left))->bytes) {
		copying(op)->left &= copying(op)->left - 1;
		copying(op)->copied = 0;
	}
}

/* All of the head of the engine's list has been asked for, or sent: what remains are answers. */
static void leave_engine(struct core *core, struct operation *op)
{
	struct copies *copies = copies_of(core, op);

	assert(!copying(op)->left);
	assert(load_store_index(core, op) == unit_of(core)->bulk_first);
	unit_of(core)->bulk_first = copying(op)->next_bulk;
	if (copy_goes_out(op->insn)) {
		assert(copies->sources_read < copies->started);
		copies->sources_read++;
		if (copies->wait_read)
			resume_warp(core, op->slot, copies);
	}
	load_store_answered(core, op, core->now);
}

/* The next step of the bulk copies. */
static void run_engine(struct core *core)
{
	struct copy_unit *unit = unit_of(core);
	struct operation *op = &core->lsu.operations[unit->bulk_first];
	uint64_t queue = core->machine->model->l1_queue, next = core->now + 1;

	assert(unit->bulk_first < core->lsu.operation_fresh);
	assert(!unit->engine->stalled);
	if (port_free(core, op->insn->access.atomic) > core->now + queue) {
		unit->engine->at = port_free(core, op->insn->access.atomic) - queue;
		return;
	}
	skip_copied_lanes(op);
	if (copying(op)->left && is_inside(op->insn)) {
		next += step_inside(core, op);
	} else if (copying(op)->left && !copy_line(core, op, (uint32_t)__builtin_ctzll(copying(op)->left))) {
		unit->engine->stalled = true; /* until a reply comes */
		unit->engine->at = NEVER;
		return;
	}
	skip_copied_lanes(op);
	if (!copying(op)->left)
		leave_engine(core, op);
	unit->engine->at = unit->bulk_first == L1_NONE ? NEVER : next;
}

/* --- Issue --- */

/* The load-store unit has come to the instruction: zeroes what `lanes` do not copy, starts a bulk copy, makes an
 * mbarrier track the copies before. */
static void begin(struct core *core, struct operation *op, lane_mask lanes)
{
	assert(lanes && !(lanes & ~op->lanes));
	if (op->insn->op == OP_cp_async_arrive) {
		track(core, op);
	} else if (is_bulk(op->insn)) {
		start_bulk(core, op);
	} else {
		EACH_LANE(l, lanes)
			zero_rest(op, (uint32_t)l);
		load_store_answered(core, op, core->now + core->machine->model->shared_latency);
	}
}

static void store_at_once(
	struct core *core, const struct insn *i, uint64_t address, const uint8_t *from, uint32_t bytes)
{
	assert(core->machine->mode->at_once);
	if (i->access.atomic) {
		atomic_reduce_at_once(core, i, (enum ptx_type)i->access.type, address, from, bytes);
		return;
	}
	access_will_write(core, address, bytes);
	memcpy(space_host(core->machine->space, address), from, bytes);
}

static void copy_at_once(struct core *core, struct operation *op, uint32_t lane)
{
	const struct lane_copy *copy = lane_copy_of(op, lane);
	uint8_t *shared = op->group->shared + copy->shared;

	assert(op->pending == 1 && !core->stopped);
	if (is_bulk(op->insn))
		note_copies(core, op, (lane_mask)1 << lane);
	if (copy_is_tensor(op->insn)) {
		tensor_copy_at_once(core, unit_of(core)->tensors, op, lane);
		return;
	}
	if (copying(op)->spreads) {
		spread_at_once(core, op, lane, 0,
			is_inside(op->insn) ? op->group->shared + copy->source
					    : space_host(core->machine->space, op->address[lane]),
			copy->bytes);
		return;
	}
	if (is_inside(op->insn))
		copy_in_shared(op, lane);
	else if (copy_goes_out(op->insn))
		store_at_once(core, op->insn, op->address[lane], shared, copy->bytes);
	else if (copy->bytes)
		memcpy(shared, space_host(core->machine->space, op->address[lane]), copy->bytes);
	if (!is_bulk(op->insn))
		zero_rest(op, lane);
	if (has_object(op->insn))
		copy_complete_bytes(core, op, lane);
}

/* Of a reduction. */
static uint32_t element_bytes(const struct core *core, const struct operation *op, uint32_t lane)
{
	assert(op->insn->access.atomic);
	if (!copy_is_tensor(op->insn))
		return op->insn->access.bytes;
	return ptx_types[tensor_copy_type(tensor_copy_box(unit_of(core)->tensors, op, lane))].bits / 8u;
}

/* A lane's copy as observers have it, to memory of this group or to global memory. */
static struct observed_copy observed(const struct core *core, const struct operation *op, uint32_t lane)
{
	const struct insn *i = op->insn;
	const struct lane_copy *copy = lane_copy_of(op, lane);
	bool tracks = i->op == OP_cp_async_arrive, out = copy_goes_out(i), inside = is_inside(i);

	assert(op->lanes >> lane & 1);
	return (struct observed_copy){.from = out      ? copy->shared
					      : inside ? copy->source
						       : op->address[lane],
		.to = out ? op->address[lane] : copy->shared,
		.read = tracks ? 0 : copy->bytes,
		.written = tracks       ? 0
			   : is_bulk(i) ? copy->bytes
					: i->access.bytes,
		.object = tracks ? copy->shared : copy->object,
		.token = load_store_index(core, op),
		.from_space = out || inside ? space_SHARED : space_GLOBAL,
		.to_space = out ? space_GLOBAL : space_SHARED,
		.element = i->access.atomic ? (uint8_t)element_bytes(core, op, lane) : 0,
		.has_object = tracks || has_object(i)};
}

/* The next part of a lane's copy whose bytes are neighbours, from *offset on; false: there is none. */
static bool next_observed(const struct core *core, const struct operation *op, uint32_t lane, uint32_t *offset,
	struct observed_copy *told)
{
	assert(op->lanes >> lane & 1);
	*told = observed(core, op, lane);
	return copy_is_tensor(op->insn) ? tensor_copy_observed(unit_of(core)->tensors, op, lane, offset, told)
					: !(*offset)++;
}

static void tell_end(struct core *core, const struct operation *op, uint32_t lane)
{
	struct observed_copy told;

	assert(core->machine->mode->copies_end_later);
	if (!observer_hears(core, OBSERVE_copy_ends, op->slot->bit))
		return;
	for (uint32_t offset = 0; next_observed(core, op, lane, &offset, &told);)
		observe_copy_ends(core, op, &told);
}

/* --- Copies that end later --- */

uint32_t copy_count(const struct core *core, const struct group *group)
{
	const struct copy_unit *unit = unit_of(core);
	uint32_t count = 0;

	assert(unit->later_count <= core->lsu.operation_count);
	for (uint32_t k = 0; k < unit->later_count; k++)
		count += core->lsu.operations[unit->later[k]].group == group;
	return count;
}

bool copy_were_too_many(const struct core *core)
{
	assert(core->machine->mode->copies_end_later || !unit_of(core)->too_many);
	return unit_of(core)->too_many;
}

/* The copy will end later.  False: too many will. */
static bool put_off(struct core *core, struct operation *op)
{
	struct copy_unit *unit = unit_of(core);

	assert(core->machine->mode->copies_end_later);
	assert(op->pending == 1);
	if (copy_count(core, op->group) == COPIES_LATER ||
		core->lsu.operations_used + 1 >= core->lsu.operations_limit) {
		unit->too_many = true;
		return false;
	}
	if (is_listed(op->insn))
		enlist(core, op);
	copying(op)->left = op->lanes;
	unit->later[unit->later_count++] = load_store_index(core, op);
	return true;
}

/* The copy of that number among those of the group: its place in the list. */
static uint32_t find_later(const struct core *core, const struct group *group, uint32_t number)
{
	const struct copy_unit *unit = unit_of(core);
	uint32_t at = 0;

	assert(number < copy_count(core, group));
	for (;; at++)
		if (core->lsu.operations[unit->later[at]].group == group && !number--)
			return at;
}

static void end_whole(struct core *core, struct operation *op, uint32_t at)
{
	struct copy_unit *unit = unit_of(core);

	assert(!copying(op)->left);
	assert(op->pending == 1);
	assert(at < unit->later_count);
	memmove(&unit->later[at], &unit->later[at + 1], (--unit->later_count - at) * sizeof *unit->later);
	if (is_listed(op->insn)) {
		copies_of(core, op)->sources_read += is_bulk(op->insn);
		strike(core, op);
		resume_warp(core, op->slot, copies_of(core, op));
		if (unit->tracked_count)
			arrive_where_over(core, op->slot);
	}
	if (copy_is_tensor(op->insn))
		tensor_copy_end(unit->tensors, op);
	load_store_drop(core, op);
}

void copy_end(struct core *core, const struct group *group, uint32_t number)
{
	uint32_t at = find_later(core, group, number);
	struct operation *op = &core->lsu.operations[unit_of(core)->later[at]];

	assert(copying(op)->left && !(copying(op)->left & ~op->lanes));
	while (copying(op)->left && !core->stopped) {
		uint32_t lane = (uint32_t)__builtin_ctzll(copying(op)->left);

		copying(op)->left &= copying(op)->left - 1;
		tell_end(core, op, lane);
		copy_at_once(core, op, lane);
		if (is_bulk(op->insn))
			break;
	}
	if (!copying(op)->left && !core->stopped)
		end_whole(core, op, at);
}

/* How far behind the last copy one of these numbers lies; UINT64_MAX: it makes no difference any more. */
static uint64_t behind(const struct core *core, const struct copies *c, uint64_t serial)
{
	assert(serial <= c->started);
	return is_over(core, c, serial) ? UINT64_MAX : c->started - serial;
}

static bool visit_warp(const struct core *core, const struct copies *c,
	bool (*visit)(void *context, const void *at, size_t bytes), void *context)
{
	uint64_t words[COPY_GROUPS + 2] = {behind(core, c, c->wait_for), c->wait_read};

	assert(c->wait_for <= c->started);
	for (uint32_t k = 0; k < COPY_GROUPS; k++)
		words[k + 2] =
			k < c->groups ? behind(core, c, c->commits[(c->groups - 1 - k) % COPY_GROUPS]) : UINT64_MAX;
	return visit(context, words, sizeof words);
}

static bool visit_operation(const struct core *core, const struct operation *op,
	bool (*visit)(void *context, const void *at, size_t bytes), void *context)
{
	bool is_tracked = op->insn->op == OP_cp_async_arrive;
	uint64_t words[] = {launch_pc(op->slot->core_launch->launch, op->insn), op->lanes, op->slot->bit,
		is_tracked || is_listed(op->insn) ? behind(core, copies_of(core, op), copying(op)->serial) : 0,
		is_tracked ? 0 : copying(op)->left};

	assert(op->lanes);
	if (!visit(context, words, sizeof words))
		return false;
	EACH_LANE(l, op->lanes)
		if (!visit(context, &op->address[l], sizeof op->address[l]) ||
			!visit(context, lane_copy_of(op, (uint32_t)l), sizeof(struct lane_copy)) ||
			(copy_is_tensor(op->insn) &&
				!visit(context, tensor_copy_box(unit_of(core)->tensors, op, (uint32_t)l),
					sizeof(struct tensor_box))))
			return false;
	return true;
}

bool copy_visit(const struct core *core, const struct group *group,
	bool (*visit)(void *context, const void *at, size_t bytes), void *context)
{
	const struct copy_unit *unit = unit_of(core);

	for (uint32_t k = 0; k < unit->later_count + unit->tracked_count; k++) {
		uint32_t index = k < unit->later_count ? unit->later[k] : unit->tracked[k - unit->later_count];
		const struct operation *op = &core->lsu.operations[index];

		assert(index < core->lsu.operation_fresh);
		if (op->group == group && !visit_operation(core, op, visit, context))
			return false;
	}
	for (uint64_t m = group->slots; m; m &= m - 1) {
		const struct copies *of_warp = copies_of_warp(core, &core->slots[__builtin_ctzll(m)]);

		if (!visit_warp(core, &of_warp[0], visit, context) || !visit_warp(core, &of_warp[1], visit, context))
			return false;
	}
	return true;
}

static void execute_at_once(struct core *core, struct operation *op)
{
	assert(core->machine->mode->at_once && op->lanes);
	load_store_begin(op);
	if (op->insn->op == OP_cp_async_arrive) {
		copying(op)->serial = copies_of_warp(core, op->slot)->started;
		track(core, op);
		return;
	}
	if (core->machine->mode->copies_end_later && put_off(core, op))
		return;
	EACH_LANE(l, op->lanes)
		if (!core->stopped)
			copy_at_once(core, op, (uint32_t)l);
	if (copy_is_tensor(op->insn))
		tensor_copy_end(unit_of(core)->tensors, op);
	load_store_drop(core, op);
}

/* The lanes that copy fewer than `bytes`. */
static lane_mask lanes_below(const struct operation *op, uint32_t bytes)
{
	lane_mask lanes = 0;

	assert(!is_bulk(op->insn) && bytes <= op->insn->access.bytes);
	EACH_LANE(l, op->lanes)
		lanes |= (lane_mask)(lane_copy_of(op, (uint32_t)l)->bytes < bytes) << l;
	return lanes;
}

/* All transactions that the load-store unit makes of it: one for the lanes `first`, if any, then one per line of
 * `lanes`. */
static void queue_lanes(struct core *core, struct operation *op, lane_mask first, lane_mask lanes)
{
	assert(!(first & ~op->lanes) && !(lanes & ~op->lanes));
	if (first)
		load_store_queue(core, op, NO_LINE, first, 1);
	core->counters.global_load_instructions += lanes != 0;
	core->counters.global_load_transactions += load_store_queue_lines(core, op, lanes);
	load_store_await_result(core, op);
}

/* Of a copy to a group of the cluster: its own, or another. */
static void tell_of(struct core *core, struct warp_slot *r, const struct operation *op, uint32_t lane, uint32_t rank,
	struct observed_copy told)
{
	bool is_own = rank == launch_cluster_rank(r->warp.launch, r->warp.group);

	assert(may_spread(op->insn));
	assert(rank < launch_cluster_size(r->warp.launch));
	if (!is_own) {
		told.to_space = space_CLUSTER;
		told.to += SHARED_PART_BYTES * (rank + 1);
		told.object += SHARED_PART_BYTES * (rank + 1);
	}
	observe_copies(core, r, op->insn, lane, &told);
}

static void tell_of_lane(struct core *core, struct warp_slot *r, const struct operation *op, uint32_t lane)
{
	const struct insn *i = op->insn;
	struct observed_copy told;

	assert(op->slot == r);
	for (uint32_t offset = 0; next_observed(core, op, lane, &offset, &told);) {
		if (!may_spread(i))
			observe_copies(core, r, i, lane, &told);
		EACH_LANE(rank, may_spread(i) ? lane_copy_of(op, lane)->ranks : 0)
			tell_of(core, r, op, lane, (uint32_t)rank, told);
	}
}

/* Tells observers what is copied from where to where, and what mbarrier is to know. */
static void tell(struct core *core, struct warp_slot *r, const struct operation *op)
{
	assert(op->slot == r && op->lanes);
	EACH_LANE(l, copy_is_tensor(op->insn) && observer_hears(core, OBSERVE_map_reads, r->bit) ? op->lanes : 0)
		if (tensor_copy_map_may_change(core, op, (uint32_t)l))
			observe_map_reads(core, r, op->insn, (uint32_t)l, op->address[l]);
	if (!observer_hears(core, OBSERVE_copies, r->bit))
		return;
	EACH_LANE(l, op->lanes)
		tell_of_lane(core, r, op, (uint32_t)l);
}

static void issue(struct core *core, struct warp_slot *r, const struct insn *i, lane_mask lanes)
{
	struct operation *op = load_store_take(core, r, i, lanes, space_GLOBAL);

	assert(!(lanes & ~r->warp.path->active));
	observe_effect(core, r, EFFECT_COPY);
	capture(op, r, op->insn);
	if (copy_is_tensor(i) && copy_goes_out(i))
		op->lanes = tensor_copy_once(op);
	op->lanes = allowed(core, op);
	if (!op->lanes) {
		load_store_free(core, op);
		return;
	}
	copying(op)->spreads = may_spread(i) && spread_is_needed(op);
	tell(core, r, op);
	load_store_start(core, op);
}

/* Elements that the lanes reduce in global memory. */
static uint64_t reductions(const struct core *core, const struct operation *op)
{
	uint64_t elements = 0;

	assert(op->lanes);
	EACH_LANE(l, op->insn->access.atomic && copy_goes_out(op->insn) ? op->lanes : 0)
		elements += lane_copy_of(op, (uint32_t)l)->bytes / element_bytes(core, op, (uint32_t)l);
	return elements;
}

static void queue(struct core *core, struct operation *op)
{
	const struct insn *i = op->insn;

	assert(copies_of(core, op)->sources_read <= copies_of(core, op)->started);
	core->counters.atomic_lanes += reductions(core, op);
	if (is_listed(i))
		enlist(core, op);
	else
		copying(op)->serial = copies_of_warp(core, op->slot)->started;
	if (is_bulk(i) || i->op == OP_cp_async_arrive)
		queue_lanes(core, op, op->lanes, 0);
	else /* lanes whose copy is not whole begin with zeros */
		queue_lanes(core, op, lanes_below(op, i->access.bytes), op->lanes & ~lanes_below(op, 1));
}

void copy_execute(struct core *core, struct warp_slot *r, const struct insn *i, lane_mask lanes)
{
	assert(!copies_of_warp(core, r)[is_bulk(i)].wait_for);
	issue(core, r, i, lanes);
	control_advance(core, r);
}

/* --- The kind --- */

static void *create(struct core *core, struct arena *arena)
{
	struct copy_unit *unit = arena_new(arena, struct copy_unit);

	assert(core->warps.count && core->lsu.operation_count);
	unit->of_warp = arena_array(arena, core->warps.count, sizeof *unit->of_warp);
	unit->tracked = arena_new_array(arena, uint32_t, core->lsu.operation_count);
	unit->later = arena_new_array(arena, uint32_t, core->lsu.operation_count);
	unit->tensors = tensor_copies_create(arena);
	unit->bulk_first = L1_NONE;
	unit->engine = load_store_timer(core, run_engine);
	return unit;
}

static bool is_idle(const struct core *core)
{
	assert(unit_of(core)->tracked_count <= core->lsu.operation_count);
	return !unit_of(core)->tracked_count && unit_of(core)->bulk_first == L1_NONE;
}

bool copy_is_outstanding(const struct core *core, const struct warp_slot *r)
{
	const struct copies *copies = copies_of_warp(core, r);

	assert((copies[0].first == L1_NONE) == (copies[0].last == L1_NONE));
	assert((copies[1].first == L1_NONE) == (copies[1].last == L1_NONE));
	return copies[0].first != L1_NONE || copies[1].first != L1_NONE;
}

const struct memory_kind memory_copy = {
	.noun = "copy",
	.acquires = true,
	.has_elements = true,
	.state_bytes = sizeof(struct copying),
	.create = create,
	.start_warp = start_warp,
	.is_idle = is_idle,
	.queue = queue,
	.execute = execute_at_once,
	.send = through_l1_load,
	.begin = begin,
	.sectors = access_sectors,
	.deliver = deliver,
	.readers = readers,
	.completed = completed,
	.remote.execute = spread_execute,
};
