/* mbarrier objects (PTX ISA, "Parallel Synchronization and Communication Instructions: mbarrier").
 *
 * The lanes of an instruction are served one after another, the lowest first, when the load-store unit comes to it: so
 * any thread that sees the phase complete also sees what the warp has written to shared memory before.  try_wait waits
 * as a load does: its predicate is outstanding, the warp continues until it needs it, and no cycle is spent on polling.
 * It is answered when the phases of all its lanes are complete.  When its time limit is over, the model's
 * (mbarrier.try_wait) or the one given, it is answered with the state as it is; so lanes also continue whose phase
 * needs others of the same warp. */
#include "machine/lsu/mbarrier.h"

#include "machine/core/executors.h"
#include "machine/core/fault.h"
#include "machine/core/fence.h"
#include "machine/core/observer.h"
#include "machine/core/path.h"
#include "machine/lsu/access.h"
#include "machine/lsu/atomic.h"
#include "machine/lsu/banks.h"
#include "machine/lsu/load_store.h"
#include "machine/lsu/mbarrier_ledger.h"
#include "machine/lsu/mbarrier_mend.h"
#include "machine/lsu/mbarrier_trace.h"
#include "machine/lsu/remote.h"
#include "machine/state/machine.h"

#include "warp/mbarrier.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

/* Of a core: the operations that wait for a phase. */
struct mbarrier_unit {
	uint32_t *suspended, suspended_count;
	struct unit_timer *timer; /* at the earliest deadline of theirs */
	struct mbarrier_ledger *ledger;
	struct mbarrier_traces *traces;
};

/* Of an operation that waits. */
struct wait {
	uint64_t since, deadline;
};

static struct mbarrier_unit *unit_of(const struct core *core)
{
	return memory_kind_state(core, INSN_MBARRIER);
}

const struct mbarrier_ledger *mbarrier_ledger_of(const struct core *core)
{
	return unit_of(core)->ledger;
}

struct mbarrier_traces *mbarrier_traces_of(const struct core *core)
{
	return unit_of(core)->traces;
}

static struct wait *wait_of(const struct operation *op)
{
	assert(op->insn->kind == INSN_MBARRIER);
	return op->state;
}

/* Source k (1 or 2) of a lane. */
static uint64_t operand(const struct operation *op, uint32_t lane, uint32_t k)
{
	uint64_t value;

	assert((k == 1 || k == 2) && op->lanes >> lane & 1);
	memcpy(&value, op->data + (lane * 2 + k - 1) * sizeof value, sizeof value);
	return value;
}

static struct mbarrier read_object(const struct operation *op, uint64_t offset)
{
	uint64_t bits;

	assert(offset + sizeof bits <= op->group->core_launch->launch->group.shared_bytes);
	memcpy(&bits, op->group->shared + offset, sizeof bits);
	return mbarrier_unpack(bits);
}

/* Of a group; not valid outside of its shared memory. */
static struct mbarrier object_at(const struct group *group, uint64_t offset)
{
	uint64_t bits = 0;

	assert(group->used);
	if (offset + sizeof bits <= group->core_launch->launch->group.shared_bytes)
		memcpy(&bits, group->shared + offset, sizeof bits);
	return mbarrier_unpack(bits);
}

static void put_object(const struct group *group, uint64_t offset, struct mbarrier b)
{
	uint64_t bits = mbarrier_pack(b);

	assert(b.valid);
	memcpy(group->shared + offset, &bits, sizeof bits);
}

static void write_object(struct core *core, const struct operation *op, uint64_t offset, uint64_t bits)
{
	assert(offset + sizeof bits <= op->group->core_launch->launch->group.shared_bytes);
	if (observer_hears(core, OBSERVE_effect, op->slot->bit) &&
		memcmp(op->group->shared + offset, &bits, sizeof bits))
		observe_effect(core, op->slot, EFFECT_OBJECT);
	memcpy(op->group->shared + offset, &bits, sizeof bits);
}

static void give_state(const struct operation *op, uint32_t lane, uint64_t bits)
{
	const struct insn *i = op->insn;

	assert(op->lanes >> lane & 1);
	if (i->d != SLOT_NONE && !(i->flags & INSN_NO_RESULT))
		((uint64_t *)(void *)(op->bank[i->d >> 30] + (i->d & SLOT_OFFSET)))[lane] = bits;
}

static void give_answer(struct core *core, const struct operation *op, lane_mask complete)
{
	const struct insn *i = op->insn;

	assert(!(complete & ~op->lanes));
	mbarrier_ledger_step(core, op->slot, i, STEP_PASSED, core->stopped ? 0 : complete, op->address, 0);
	if (i->pd != NO_PREDICATE && !(i->flags & INSN_NO_RESULT))
		op->predicates[i->pd] = (op->predicates[i->pd] & ~op->lanes) | complete;
}

/* `why`: more of the sentence, or nothing. */
static bool fault_because(struct core *core, const struct operation *op, uint32_t lane, uint64_t offset,
	const char *what, const char *why)
{
	const struct remote_access *from = core->lsu.serving;
	char whose[64] = "";

	assert(op->lanes >> lane & 1);
	if (core->stopped)
		return false;
	if (from)
		snprintf(whose, sizeof whose, " of the work-group of rank %u of the cluster", from->rank);
	core->finding.has_address = true;
	core->finding.address = offset;
	core_fault(core, op->slot, op->insn, lane, FAULT_mbarrier, "%s: the object at shared offset 0x%llx%s %s%s",
		ptx_ops[op->insn->op].spelling, (unsigned long long)offset, whose, what, why);
	return false;
}

static bool fault_at(struct core *core, const struct operation *op, uint32_t lane, uint64_t offset, const char *what)
{
	return fault_because(core, op, lane, offset, what, "");
}

static bool fault_invalid(struct core *core, const struct operation *op, uint32_t lane, uint64_t offset)
{
	assert(!core->stopped);
	return fault_because(core, op, lane, offset, "is not initialised",
		mbarrier_ledger_why_invalid(core, unit_of(core)->ledger, op, offset));
}

static bool fault_arrivals(struct core *core, const struct operation *op, uint32_t lane, uint64_t offset)
{
	assert(!core->stopped);
	return fault_because(core, op, lane, offset, "gets more arrivals than it waits for",
		mbarrier_ledger_why_too_many(core, unit_of(core)->ledger, op, lane, offset));
}

static bool fault(struct core *core, const struct operation *op, uint32_t lane, const char *what)
{
	return fault_at(core, op, lane, op->address[lane], what);
}

/* --- One lane --- */

/* What instructions do to the current phase of an object. */
enum {
	ARRIVES = 1,
	DROPS = 2,         /* an arrival that later phases do not expect either */
	EXPECTS_BYTES = 4, /* the phase waits for more bytes; the arrival, if it is one, counts once */
	NO_COMPLETE = 8,   /* the arrival may not complete the phase */
	TESTS = 16,
	WAITS = 32, /* a test that waits until the phase is complete */
	BY_PARITY = 64,
};
static const uint8_t roles[OP_COUNT] = {
	[OP_mbarrier_expect_tx] = EXPECTS_BYTES,
	[OP_mbarrier_arrive] = ARRIVES,
	[OP_mbarrier_arrive_expect_tx] = ARRIVES | EXPECTS_BYTES,
	[OP_mbarrier_arrive_no_complete] = ARRIVES | NO_COMPLETE,
	[OP_mbarrier_drop] = ARRIVES | DROPS,
	[OP_mbarrier_drop_expect_tx] = ARRIVES | DROPS | EXPECTS_BYTES,
	[OP_mbarrier_drop_no_complete] = ARRIVES | DROPS | NO_COMPLETE,
	[OP_mbarrier_test] = TESTS,
	[OP_mbarrier_test_parity] = TESTS | BY_PARITY,
	[OP_mbarrier_try] = TESTS | WAITS,
	[OP_mbarrier_try_parity] = TESTS | WAITS | BY_PARITY,
};

/* Adds to the bytes that the phase waits for; false when there would be too many. */
static bool add_transactions(struct mbarrier *b, int64_t bytes)
{
	int64_t sum = b->transactions + bytes;

	assert(b->valid);
	b->transactions = (int32_t)sum;
	return sum >= -MBARRIER_COUNT_MAX && sum <= MBARRIER_COUNT_MAX;
}

/* How many arrive at once. */
static uint32_t arrivals(const struct operation *op, uint32_t lane)
{
	uint8_t role = roles[op->insn->op];

	if (!(role & ARRIVES))
		return 0;
	return role & EXPECTS_BYTES || op->insn->s[1] == SLOT_NONE ? 1 : (uint32_t)operand(op, lane, 1);
}

static void note(struct core *core, const struct operation *op, uint32_t lane, uint64_t offset,
	const struct mbarrier *now, struct mbarrier_record what)
{
	assert(op->lanes >> lane & 1);
	mbarrier_ledger_note(core, unit_of(core)->ledger, op, lane, offset, what);
	observe_mbarrier(core, op, lane, offset, &what, now);
}

/* The phase is over when it waits for nothing any more. */
static bool complete_phase(struct core *core, const struct group *group, uint64_t offset, struct mbarrier *b)
{
	assert(b->valid);
	assert(b->pending <= MBARRIER_COUNT_MAX);
	assert(b->expected <= MBARRIER_COUNT_MAX);
	if (b->pending || b->transactions || mbarrier_mend_holds(core, group, offset))
		return false;
	b->parity = !b->parity;
	b->pending = b->expected;
	mbarrier_ledger_next(unit_of(core)->ledger, group, offset);
	core->counters.mbarrier_phases++;
	return true;
}

/* An instruction that counts: expect_tx, complete_tx and the arrivals.  False: a finding. */
static bool change(struct core *core, struct operation *op, uint32_t lane, bool *completed)
{
	struct mbarrier b = read_object(op, op->address[lane]);
	uint8_t role = roles[op->insn->op];
	bool completes_bytes = op->insn->op == OP_mbarrier_complete_tx;
	uint64_t bytes = completes_bytes || role & EXPECTS_BYTES ? (uint32_t)operand(op, lane, 1) : 0;
	uint32_t count = arrivals(op, lane);
	bool over;

	assert(completes_bytes || role & (ARRIVES | EXPECTS_BYTES));
	if (!b.valid)
		return fault_invalid(core, op, lane, op->address[lane]);
	mbarrier_mend_arrival(core, op, lane, &count, &bytes);
	give_state(op, lane, mbarrier_pack(b));
	if (!add_transactions(&b, completes_bytes ? -(int64_t)bytes : (int64_t)bytes))
		return fault(core, op, lane,
			completes_bytes ? "would complete more bytes than 2^20 - 1"
					: "would expect more bytes than 2^20 - 1");
	if (count > b.pending || (role & DROPS && count > b.expected))
		return fault_arrivals(core, op, lane, op->address[lane]);
	b.pending -= count;
	b.expected -= role & DROPS ? count : 0;
	core->counters.mbarrier_arrivals += count;
	note(core, op, lane, op->address[lane], &b,
		(struct mbarrier_record){.act = completes_bytes ? MBARRIER_BYTES
						: count         ? MBARRIER_ARRIVED
								: MBARRIER_EXPECTED,
			.count = count,
			.bytes = bytes});
	over = complete_phase(core, op->group, op->address[lane], &b);
	if (over)
		observe_phase_ends(core, op, op->address[lane]);
	if (over && role & NO_COMPLETE)
		return fault(core, op, lane, "completes its phase, which .noComplete forbids");
	*completed |= over;
	write_object(core, op, op->address[lane], mbarrier_pack(b));
	return true;
}

static bool initialise(struct core *core, struct operation *op, uint32_t lane)
{
	uint32_t count = mbarrier_mend_count(core, op, (uint32_t)operand(op, lane, 1));
	struct mbarrier b = {.expected = count, .pending = count};

	assert(op->insn->op == OP_mbarrier_init);
	if (mbarrier_mend_skips(core, op, lane))
		return true;
	if (!count || count > MBARRIER_COUNT_MAX)
		return fault(core, op, lane, "is initialised with a count that is not 1 to 2^20 - 1");
	mbarrier_ledger_begins(core, unit_of(core)->ledger, op, lane, count);
	write_object(core, op, op->address[lane], mbarrier_pack(b));
	observe_mbarrier(core, op, lane, op->address[lane],
		&(struct mbarrier_record){.act = MBARRIER_INITIALISED, .count = count}, &b);
	return true;
}

static bool invalidate(struct core *core, struct operation *op, uint32_t lane)
{
	struct mbarrier b = read_object(op, op->address[lane]);

	assert(op->insn->op == OP_mbarrier_inval);
	if (!b.valid)
		return fault_invalid(core, op, lane, op->address[lane]);
	mbarrier_ledger_ends(core, unit_of(core)->ledger, op, lane);
	observe_mbarrier(core, op, lane, op->address[lane], &(struct mbarrier_record){.act = MBARRIER_INVALIDATED}, &b);
	write_object(core, op, op->address[lane], 0);
	return true;
}

static bool execute_lane(struct core *core, struct operation *op, uint32_t lane, bool *completed)
{
	switch (op->insn->op) {
	case OP_mbarrier_init: return initialise(core, op, lane);
	case OP_mbarrier_inval: return invalidate(core, op, lane);
	default: return change(core, op, lane, completed);
	}
}

/* --- Waiting --- */

/* The phase that a lane asks for: the one of a state, or of that parity. */
static bool parity_asked(const struct core *core, const struct operation *op, uint32_t lane)
{
	uint64_t asked = operand(op, lane, 1);

	assert(roles[op->insn->op] & TESTS);
	if (!(roles[op->insn->op] & BY_PARITY))
		return mbarrier_unpack(asked).parity;
	return core->machine->gpu->experiment.mend ? mbarrier_mend_odd(core, op, lane, asked & 1) : asked & 1;
}

/* Tells observers which lanes found their phase complete. */
static void tell_look(struct core *core, const struct operation *op, lane_mask odd, lane_mask complete, bool goes_on)
{
	assert(!((odd | complete) & ~op->lanes));
	if (!core->stopped && observer_hears(core, OBSERVE_looks, op->slot->bit))
		observe_looks(core, op, odd, complete, goes_on);
}

/* The lanes whose phase is complete, and in *asked_odd those that ask for odd parity.  Only the current phase and the
 * one before may be asked for, so the parity tells. */
static lane_mask complete_lanes(struct core *core, const struct operation *op, lane_mask *asked_odd)
{
	lane_mask complete = 0, odd = 0;

	assert(roles[op->insn->op] & TESTS);
	EACH_LANE(l, core->stopped ? 0 : op->lanes) {
		struct mbarrier b = read_object(op, op->address[l]);
		bool asked = parity_asked(core, op, (uint32_t)l);

		odd |= (lane_mask)asked << l;
		if (b.parity != asked)
			complete |= (lane_mask)1 << l;
		if (!b.valid) {
			fault_invalid(core, op, (uint32_t)l, op->address[l]);
			break;
		}
	}
	mbarrier_ledger_looks(core, unit_of(core)->ledger, op, odd, complete, roles[op->insn->op] & BY_PARITY);
	*asked_odd = odd;
	return complete;
}

/* Cycles that a try_wait may wait. */
static uint64_t time_limit(const struct core *core, const struct operation *op)
{
	const struct launch_values *v = op->slot->warp.launch;
	uint64_t longest = 0;

	assert(roles[op->insn->op] & WAITS);
	if (op->insn->s[2] == SLOT_NONE)
		return core->machine->model->try_wait;
	EACH_LANE(l, op->lanes) {
		uint64_t given = (uint32_t)operand(op, (uint32_t)l, 2);

		longest = given > longest ? given : longest;
	}
	return longest * v->nanoseconds_denominator / v->nanoseconds_numerator;
}

uint64_t mbarrier_longest_limit(const struct core *core)
{
	const struct mbarrier_unit *unit = unit_of(core);
	uint64_t longest = 0;

	assert(unit->suspended_count <= core->lsu.operation_count);
	for (uint32_t k = 0; k < unit->suspended_count; k++) {
		const struct wait *wait = wait_of(&core->lsu.operations[unit->suspended[k]]);

		assert(wait->since < wait->deadline);
		if (wait->deadline - wait->since > longest)
			longest = wait->deadline - wait->since;
	}
	return longest;
}

static void suspend(struct core *core, struct operation *op, uint64_t limit)
{
	struct mbarrier_unit *unit = unit_of(core);
	uint64_t deadline = core->now + limit;

	assert(limit);
	assert(unit->suspended_count < core->lsu.operation_count);
	assert(op->pending);
	assert(unit->suspended_count || unit->timer->at == NEVER);
	*wait_of(op) = (struct wait){.since = core->now, .deadline = deadline};
	unit->suspended[unit->suspended_count++] = load_store_index(core, op);
	fence_suspended(core, op->slot, op->epoch);
	if (deadline < unit->timer->at)
		unit->timer->at = deadline;
	load_store_expect(core, deadline);
}

/* Answers those that wait no more: of the group, when their phases are complete; of all, when their time is over. */
static void resume(struct core *core, const struct group *group)
{
	struct mbarrier_unit *unit = unit_of(core);
	uint32_t kept = 0, count = unit->suspended_count;

	assert(count <= core->lsu.operation_count);
	unit->timer->at = NEVER;
	for (uint32_t k = 0; k < count; k++) {
		struct operation *op = &core->lsu.operations[unit->suspended[k]];
		struct wait *wait = wait_of(op);
		bool is_late = wait->deadline <= core->now;
		assert(unit->suspended[k] < core->lsu.operation_fresh);
		assert(wait->since <= core->now);
		lane_mask odd = 0, complete = is_late || op->group == group ? complete_lanes(core, op, &odd) : 0;

		if (is_late || complete == op->lanes) {
			tell_look(core, op, odd, complete, true);
			give_answer(core, op, complete);
			if (!core->stopped)
				observe_mbarrier_answers(core, op, complete, wait->since);
			core->counters.mbarrier_wait_cycles += core->now - wait->since;
			fence_resumed(op->slot, op->epoch);
			load_store_answered(core, op, core->now + core->machine->model->shared_latency);
			continue;
		}
		unit->suspended[kept++] = unit->suspended[k];
		if (wait->deadline < unit->timer->at)
			unit->timer->at = wait->deadline;
	}
	unit->suspended_count = kept;
}

/* Phases that an experiment has held back until a thread has looked may be over now. */
static void go_on_after_look(struct core *core, const struct group *group)
{
	const struct mbarrier_object *const *objects;
	uint32_t count = mbarrier_objects_of(core, group, &objects);

	assert(core->machine->gpu->experiment.mend);
	for (uint32_t k = 0; k < count; k++) {
		struct mbarrier b = object_at(group, objects[k]->offset);

		if (!b.valid || !complete_phase(core, group, objects[k]->offset, &b))
			continue;
		put_object(group, objects[k]->offset, b);
		resume(core, group);
	}
}

/* Answers the waiting instructions whose time is over. */
static void time_out(struct core *core)
{
	assert(unit_of(core)->timer->at <= core->now);
	resume(core, NULL);
}

static bool test(struct core *core, struct operation *op)
{
	lane_mask complete, odd;
	bool waits;
	uint64_t limit;

	assert(roles[op->insn->op] & TESTS);
	mbarrier_mend_waits(core, op);
	complete = complete_lanes(core, op, &odd);
	waits = roles[op->insn->op] & WAITS && !core->machine->mode->never_waits;
	limit = waits && complete != op->lanes ? time_limit(core, op) : 0;
	if (core->machine->gpu->experiment.mend)
		go_on_after_look(core, op->group);
	tell_look(core, op, odd, complete, !limit);
	if (limit && !core->stopped) {
		suspend(core, op, limit);
		observe_mbarrier_waits(core, op, complete);
		return false;
	}
	give_answer(core, op, complete);
	if (!core->stopped)
		observe_mbarrier_answers(core, op, complete, core->now);
	return true;
}

/* The warp's own step, of what it does in its own work-group. */
static void note_step(struct core *core, const struct operation *op)
{
	assert(!(roles[op->insn->op] & TESTS));
	if (roles[op->insn->op] & (ARRIVES | EXPECTS_BYTES) && !op->is_remote && !core->stopped)
		mbarrier_ledger_step(core, op->slot, op->insn, STEP_ARRIVED, op->lanes, op->address,
			arrivals(op, (uint32_t)__builtin_ctzll(op->lanes)));
}

/* When the instruction's turn at shared memory has come.  False: it is a try_wait that waits, and is answered when the
 * phase completes or its time is over. */
static bool execute(struct core *core, struct operation *op)
{
	bool completed = false;

	assert(op->lanes);
	if (roles[op->insn->op] & TESTS)
		return test(core, op);
	mbarrier_mend_targets(core, op);
	note_step(core, op);
	EACH_LANE(l, core->stopped ? 0 : op->lanes)
		if (!execute_lane(core, op, (uint32_t)l, &completed))
			return true;
	if (op->insn->op == OP_mbarrier_init)
		observe_begins_objects(core, op);
	if (completed && unit_of(core)->suspended_count)
		resume(core, op->group);
	return true;
}

/* ---- For experiments, between quanta ---- */

bool mbarrier_end_phase(struct core *core, const struct group *group, uint64_t offset)
{
	struct mbarrier b = object_at(group, offset);

	assert(group->used);
	if (!b.valid)
		return false;
	b.pending = 0;
	b.transactions = 0;
	complete_phase(core, group, offset, &b);
	put_object(group, offset, b);
	resume(core, group);
	return true;
}

/* The warp's lanes arrive together: what any of them has done is then over. */
static void tell_credit(
	struct core *core, const struct group *group, uint64_t offset, const struct mbarrier_record *what, bool is_over)
{
	const struct warp_slot *r = what->group == group->number ? core_slot_of(core, group, what->thread) : NULL;

	assert(group->used && what->lanes);
	if (r && r->warp.live && what->act == MBARRIER_ARRIVED)
		observe_credited(core, r, r->warp.live, offset, is_over);
	else
		core->machine->gpu->experiment.is_untold = true;
}

bool mbarrier_credit(struct core *core, const struct group *group, uint64_t offset, const struct mbarrier_record *what)
{
	struct mbarrier b = object_at(group, offset);

	bool expects = what->act == MBARRIER_ARRIVED;

	assert(expects ? what->count : what->bytes && !what->count);
	if (!b.valid || what->count > b.pending || (!expects && (int64_t)what->bytes > b.transactions))
		return false;
	b.pending -= what->count;
	b.transactions += expects ? (int32_t)what->bytes : -(int32_t)what->bytes;
	mbarrier_ledger_credit(unit_of(core)->ledger, group, offset, *what);
	tell_credit(core, group, offset, what, complete_phase(core, group, offset, &b));
	put_object(group, offset, b);
	resume(core, group);
	return true;
}

/* --- What asynchronous copies do to objects --- */

static bool read_valid(
	struct core *core, const struct operation *op, uint32_t lane, uint32_t offset, struct mbarrier *b)
{
	*b = read_object(op, offset);
	return !core->stopped && (b->valid || fault_invalid(core, op, lane, offset));
}

static void settle(struct core *core, const struct operation *op, uint32_t offset, struct mbarrier *b)
{
	bool over = complete_phase(core, op->group, offset, b);

	assert(insn_kinds[op->insn->kind].flags & KIND_ASYNC);
	if (over)
		observe_phase_ends(core, op, offset);
	write_object(core, op, offset, mbarrier_pack(*b));
	if (over && unit_of(core)->suspended_count)
		resume(core, op->group);
}

void mbarrier_expect_arrival(struct core *core, const struct operation *op, uint32_t lane, uint32_t offset)
{
	struct mbarrier b;

	assert(op->insn->kind == INSN_COPY);
	offset = mbarrier_mend_tracked(core, op, offset);
	if (!read_valid(core, op, lane, offset, &b))
		return;
	if (b.pending == MBARRIER_COUNT_MAX) {
		fault_at(core, op, lane, offset, "would wait for more than 2^20 - 1 arrivals");
		return;
	}
	b.pending++;
	note(core, op, lane, offset, &b, (struct mbarrier_record){.act = MBARRIER_EXPECTED, .count = 1});
	write_object(core, op, offset, mbarrier_pack(b));
}

void mbarrier_arrive(struct core *core, const struct operation *op, uint32_t lane, uint32_t offset)
{
	struct mbarrier b;

	assert(op->insn->kind == INSN_COPY);
	offset = mbarrier_mend_tracked(core, op, offset);
	if (!read_valid(core, op, lane, offset, &b))
		return;
	if (!b.pending) {
		fault_arrivals(core, op, lane, offset);
		return;
	}
	b.pending--;
	core->counters.mbarrier_arrivals++;
	note(core, op, lane, offset, &b, (struct mbarrier_record){.act = MBARRIER_ARRIVED, .count = 1});
	settle(core, op, offset, &b);
}

void mbarrier_copies(
	struct core *core, const struct operation *op, uint32_t lane, uint32_t offset, uint32_t bytes, uint32_t to)
{
	struct mbarrier b = object_at(op->group, offset);

	assert(op->insn->kind == INSN_COPY);
	note(core, op, lane, offset, &b, (struct mbarrier_record){.act = MBARRIER_COPIES, .bytes = bytes, .to = to});
}

void mbarrier_complete(struct core *core, const struct operation *op, uint32_t lane, uint32_t offset, uint32_t bytes)
{
	struct mbarrier b;

	assert(insn_kinds[op->insn->kind].flags & KIND_ASYNC);
	if (!read_valid(core, op, lane, offset, &b))
		return;
	if (!add_transactions(&b, -(int64_t)bytes)) {
		fault_at(core, op, lane, offset, "would complete more bytes than 2^20 - 1");
		return;
	}
	note(core, op, lane, offset, &b, (struct mbarrier_record){.act = MBARRIER_BYTES, .bytes = bytes});
	settle(core, op, offset, &b);
}

/* --- The kind --- */

static void *create(struct core *core, struct arena *arena)
{
	struct mbarrier_unit *unit = arena_new(arena, struct mbarrier_unit);

	assert(core->lsu.operation_count);
	unit->suspended = arena_new_array(arena, uint32_t, core->lsu.operation_count);
	unit->timer = load_store_timer(core, time_out);
	unit->ledger = mbarrier_ledger_create(core, arena);
	unit->traces = mbarrier_traces_create(core, arena);
	return unit;
}

static bool is_idle(const struct core *core)
{
	assert(unit_of(core)->suspended_count || unit_of(core)->timer->at == NEVER);
	return !unit_of(core)->suspended_count;
}

static uint64_t serve_shared(struct core *core, struct operation *op, uint64_t at)
{
	assert(op->space == space_SHARED);
	return execute(core, op) ? at : NEVER;
}

/* mbarrier objects are younger than lock bits: where a model has those, its objects take an arrival a cycle. */
static uint32_t shared_cycles(const struct core *core, const struct operation *op)
{
	const struct gpu_model *model = core->machine->model;
	bool only_reads = ptx_ops[op->insn->op].effects == EFFECT_READS;
	uint32_t interval = only_reads ? 0 : model->shared_atomic_locks ? 1 : model->shared_atomic_interval;

	assert(op->space == space_SHARED && op->lanes);
	return banks_cycles(model, op->slot->warp.memory, op->insn, op->address, op->lanes) +
	       (banks_same_word(op->address, op->lanes) - 1) * interval;
}

/* Functional mode.  Only what waits takes a while; the warp's turn is then over. */
static void at_once(
	struct core *core, struct warp_slot *r, const struct insn *i, lane_mask lanes, uint8_t space, uint64_t *address)
{
	struct operation *op = load_store_take(core, r, i, lanes, space);

	assert(core->machine->mode->at_once && space == space_SHARED);
	memcpy(op->address, address, r->warp.lanes * sizeof *address);
	atomic_capture_operands(op);
	load_store_begin(op);
	if (execute(core, op))
		load_store_answered(core, op, core->now);
	else
		op->ordered = r->held = true;
}

static bool is_for_others(const struct insn *i)
{
	return !(roles[i->op] & TESTS) && i->op != OP_mbarrier_init && i->op != OP_mbarrier_inval &&
	       i->flags & INSN_NO_RESULT;
}

/* At an object of another group of the cluster: an arrival, or bytes that it is to expect. */
static void note_step_outside(struct core *core, const struct warp_slot *r, const struct insn *i, lane_mask lanes)
{
	uint64_t address[CORE_WARPS];

	assert(is_for_others(i));
	access_addresses(address, &r->warp, i, lanes, space_CLUSTER);
	if (roles[i->op] & (ARRIVES | EXPECTS_BYTES))
		mbarrier_ledger_step(core, r, i, STEP_ARRIVED, lanes, address, roles[i->op] & ARRIVES ? 1 : 0);
}

/* An object of another group of the cluster: threads here arrive there and no more. */
static void remote_execute(struct core *core, struct operation *op)
{
	assert(!(roles[op->insn->op] & TESTS));
	assert(op->insn->flags & INSN_NO_RESULT);
	observe_arrives_outside(core, op);
	execute(core, op);
}

static uint32_t remote_sent(const struct insn *i)
{
	return 2u * i->access.bytes;
}

static void tell_use(struct core *core, const struct warp_slot *r, const struct insn *i, lane_mask lanes)
{
	uint64_t object[CORE_WARPS], mapped[CORE_WARPS];

	assert(lanes);
	if (!observer_hears(core, OBSERVE_uses_objects, r->bit) || roles[i->op] & TESTS)
		return;
	access_addresses(object, &r->warp, i, lanes, space_SHARED);
	observe_uses_objects(core, r, i, lanes, mbarrier_mend_mapped(core, r, i, lanes, space_SHARED, object, mapped));
}

static void issue(struct core *core, struct warp_slot *r, const struct insn *i, lane_mask lanes, uint8_t space)
{
	assert(lanes && !(lanes & ~r->warp.live));
	if (space == space_CLUSTER && is_for_others(i)) {
		note_step_outside(core, r, i, lanes);
		load_store_issue_space(core, r, i, lanes, space);
	} else if (space == space_CLUSTER)
		core_fault(core, r, i, (uint32_t)__builtin_ctzll(lanes), FAULT_space,
			"%s on an object of another work-group of the cluster", ptx_ops[i->op].spelling);
	else if (space != space_SHARED)
		core_fault(core, r, i, (uint32_t)__builtin_ctzll(lanes), FAULT_space,
			"%s on an object outside shared memory", ptx_ops[i->op].spelling);
	else {
		tell_use(core, r, i, lanes);
		load_store_issue_space(core, r, i, lanes, space);
	}
}

/* Other lanes of the warp may be those that a path waits for. */
static void give_way(struct core *core, struct warp_slot *r)
{
	const struct divergence_model *divergence = core->machine->divergence;

	if (!core->machine->mode->takes_turns && divergence->yield && divergence->yield(r->warp.divergence))
		control_refresh(r);
}

void mbarrier_execute(struct core *core, struct warp_slot *r, const struct insn *i, lane_mask lanes)
{
	load_store_issue(core, r, i, lanes);
	if (roles[i->op] & WAITS)
		give_way(core, r);
}

const struct memory_kind memory_mbarrier = {
	.noun = "mbarrier",
	.acquires = true,
	.state_bytes = sizeof(struct wait),
	.create = create,
	.is_idle = is_idle,
	.issue = issue,
	.capture = atomic_capture_operands,
	.shared_cycles = shared_cycles,
	.serve_shared = serve_shared,
	.remote.sent = remote_sent,
	.remote.execute = remote_execute,
	.at_once = at_once,
};
