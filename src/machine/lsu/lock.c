/* The lock instructions: requests, answers, what becomes of the lanes. */
#include "machine/lsu/lock.h"

#include "machine/core/executors.h"
#include "machine/core/fault.h"
#include "machine/core/fence.h"
#include "machine/core/observer.h"
#include "machine/core/path.h"
#include "machine/core/port.h"
#include "machine/core/schedule.h"
#include "machine/lsu/access.h"
#include "machine/lsu/atomic.h"
#include "machine/lsu/library_call.h"
#include "machine/lsu/load_store.h"
#include "machine/state/machine.h"
#include "policy/contract.h"

#include "warp/warp.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

/* Of a warp slot. */
struct asking {
	uint32_t attempts; /* since a lane got a lock */
	lane_mask asked;   /* for locks, and were not answered */
	lane_mask refused; /* the last answer to these was no */
	lane_mask trying;  /* in a try_lock_for that is not over */
};

/* Of a core. */
struct lock_instructions {
	struct asking *of_warp;  /* per slot */
	struct lock_wait *waits; /* per slot and lane */
	uint64_t used; /* slots in which a lane has asked: the waits of the others are zero, and never touched */
};

/* Of an operation, after what is an atomic's. */
struct request {
	lane_mask left; /* not answered */
	lane_mask granted;
};

static struct lock_instructions *unit_of(const struct core *core)
{
	return memory_kind_state(core, INSN_ACQUIRE);
}

static struct lock_wait *waits_of(const struct core *core, const struct warp_slot *r)
{
	assert(core_slot(core, r) < core->warps.count);
	return unit_of(core)->waits + (size_t)core_slot(core, r) * core->machine->model->warp_size;
}

static struct asking *asking_of(const struct core *core, const struct warp_slot *r)
{
	assert(core_slot(core, r) < core->warps.count);
	return &unit_of(core)->of_warp[core_slot(core, r)];
}

static struct request *request_of(const struct operation *op)
{
	assert(op->insn->kind == INSN_ACQUIRE || op->insn->kind == INSN_RELEASE);
	return op->state;
}

static void *create(struct core *core, struct arena *arena)
{
	struct lock_instructions *unit = arena_new(arena, struct lock_instructions);

	assert(core->warps.count && core->warps.count <= CORE_WARPS);
	unit->of_warp = arena_new_array(arena, struct asking, core->warps.count);
	unit->waits =
		arena_reserve(arena, (size_t)core->warps.count * core->machine->model->warp_size * sizeof *unit->waits);
	return unit;
}

static void clear(struct core *core, struct arena *arena)
{
	struct lock_instructions *unit = unit_of(core);
	uint32_t lanes = core->machine->model->warp_size;

	assert(core->warps.count == CORE_WARPS || !(unit->used >> core->warps.count));
	for (uint64_t m = unit->used; m; m &= m - 1)
		memset(unit->waits + (size_t)__builtin_ctzll(m) * lanes, 0, lanes * sizeof *unit->waits);
	arena_keep(arena, unit->waits, 0);
}

lane_mask lock_lanes_asking(const struct core *core, const struct warp_slot *r)
{
	assert(!(asking_of(core, r)->asked & asking_of(core, r)->refused));
	return asking_of(core, r)->asked;
}

lane_mask lock_lanes_waiting(const struct core *core, const struct warp_slot *r)
{
	return asking_of(core, r)->asked | asking_of(core, r)->refused;
}

const struct lock_wait *lock_wait_of(const struct core *core, const struct warp_slot *r, uint32_t lane)
{
	assert(lane < core->machine->model->warp_size);
	return lock_lanes_waiting(core, r) >> lane & 1 ? &waits_of(core, r)[lane] : NULL;
}

/* Which lanes ask: a warp none of whose paths can run waits for a lock as long as there are any. */
static void set_asked(struct core *core, struct warp_slot *r, lane_mask lanes)
{
	assert(!(lanes & ~r->warp.live));
	asking_of(core, r)->asked = lanes;
	r->parked_for = lanes ? WAIT_LOCK : WAIT_BARRIER;
}

/* The divergence model says how the lanes wait. */
static bool has_entries(const struct core *core, const struct insn *i)
{
	return core->machine->lock->has_entries && core->machine->divergence->lock &&
	       i->access.patience == PATIENCE_FOREVER;
}

void lock_addresses(uint64_t *address, const struct warp *w, const struct insn *i, lane_mask lanes)
{
	const struct insn_extra *extra = &w->kernel->extras[i->extra];

	assert(i->kind == INSN_ACQUIRE || i->kind == INSN_RELEASE);
	EACH_LANE(l, lanes)
		address[l] = library_argument(w, &extra->arguments[0], (uint32_t)l);
}

static uint32_t thread_of(const struct warp_slot *r, uint64_t lane)
{
	assert(lane < r->warp.lanes);
	return r->group->number * r->group->threads + r->warp.first_thread + (uint32_t)lane;
}

/* What a lane's atomic works with: `a`, then `b`, as atomic_send takes them. */
static void capture(uint32_t *data, const struct warp_slot *r, const struct insn *i, lane_mask lanes)
{
	assert(i->access.atomic != ATOMIC_ADD || i->kind == INSN_RELEASE);
	EACH_LANE(l, lanes) {
		data[2 * l] = i->access.atomic == ATOMIC_ADD ? 1 : LOCK_FREE;
		data[2 * l + 1] = thread_of(r, l);
	}
}

static bool got(const struct insn *i, uint32_t old)
{
	assert(i->kind == INSN_ACQUIRE);
	return i->access.atomic == ATOMIC_CAS ? old == LOCK_FREE : (int32_t)old > 0;
}

/* ---- Waiting ---- */

/* From now on the lanes, all that are active, wait. */
static bool begin_to_wait(
	struct core *core, struct warp_slot *r, const struct insn *i, lane_mask lanes, const uint64_t *address)
{
	struct lock_wait *waits = waits_of(core, r);
	struct asking *asking = asking_of(core, r);

	EACH_LANE(l, lanes) {
		waits[l].address = address[l];
		waits[l].pc = r->warp.path->pc;
	}
	assert(lanes && !(asking->asked & lanes));
	unit_of(core)->used |= r->bit;
	set_asked(core, r, asking->asked | lanes);
	asking->refused &= ~lanes;
	core->counters.lock_requests += (uint64_t)__builtin_popcountll(lanes);
	if (!has_entries(core, i))
		return true;
	observe_yields(core, r);
	if (!core->machine->divergence->lock(r->warp.divergence)) {
		core_fault(core, r, i, (uint32_t)__builtin_ctzll(lanes), FAULT_stack,
			"locks nested deeper than the divergence model has entries for");
		return false;
	}
	control_refresh(r);
	return true;
}

/* When a warp none of whose lanes got a lock tries again. */
static void back_off(struct core *core, struct warp_slot *r, bool any)
{
	struct asking *asking = asking_of(core, r);
	uint64_t delay;

	assert(any || asking->refused);
	asking->attempts = any ? 0 : asking->attempts + 1;
	if (any)
		return;
	delay = core->machine->retry->delay(&core->machine->retry_values, asking->attempts);
	if (delay > POLICY_DELAY_MAX)
		contract_broken(POLICY_retry, core->machine->retry,
			"delay returned %" PRIu64 " cycles, expected at most 2^40", delay);
	core->counters.lock_backoff_cycles += delay;
	if (delay)
		r->hold_until = core->now + delay;
}

/* The lanes' results of a try, in the frame of the path that waits. */
static void give_results(const struct warp_slot *r, const struct insn *i, lane_mask lanes, uint32_t value)
{
	assert(i->access.patience != PATIENCE_FOREVER);
	assert(!(lanes & ~r->warp.path->active));
	EACH_LANE(l, lanes)
		library_result(&r->warp, &r->warp.kernel->extras[i->extra], (uint32_t)l, value);
}

/* Those of refused lanes that have no more time. */
static lane_mask out_of_time(
	const struct core *core, const struct warp_slot *r, const struct insn *i, lane_mask refused)
{
	const struct lock_wait *waits = waits_of(core, r);
	lane_mask over = 0;

	assert(!(refused & ~r->warp.live));
	if (i->access.patience == PATIENCE_NONE)
		return refused;
	EACH_LANE(l, refused)
		over |= (lane_mask)(waits[l].deadline <= r->warp.now) << l;
	return i->access.patience == PATIENCE_TIMED ? over : 0;
}

/* The warp has waited for all answers.  It continues after the instruction, or issues it again. */
static void go_on(struct core *core, struct warp_slot *r, const struct insn *i, lane_mask granted, lane_mask refused)
{
	uint32_t pc = r->warp.path->pc;
	lane_mask over = out_of_time(core, r, i, refused), again = refused & ~over;
	struct asking *asking = asking_of(core, r);

	assert(!(granted & refused));
	assert(!((granted | refused) & ~r->warp.path->active));
	asking->trying &= ~(granted | over);
	asking->refused &= ~over;
	if (i->access.patience != PATIENCE_FOREVER) {
		give_results(r, i, granted, 1);
		give_results(r, i, over, 0);
		core->counters.lock_time_outs += (uint64_t)__builtin_popcountll(over);
	}
	if (!again)
		control_advance(core, r);
	if (!again || i->access.patience != PATIENCE_FOREVER)
		return;
	if (again != r->warp.path->active) {
		core->machine->divergence->branch(r->warp.divergence, again, pc, pc + 1, pc + 1);
		control_refresh(r);
	}
	if (core->machine->divergence->yield) {
		observe_yields(core, r);
		core->machine->divergence->yield(r->warp.divergence);
		control_refresh(r);
	}
}

/* Lanes have their answers. */
static void note(struct core *core, struct warp_slot *r, const struct insn *i, lane_mask granted, lane_mask refused)
{
	const struct lock_wait *waits = waits_of(core, r);
	uint64_t address[CORE_WARPS] = {0};

	assert(!((granted | refused) & ~asking_of(core, r)->asked));
	EACH_LANE(l, granted | refused)
		address[l] = waits[l].address;
	observe_lock_answered(core, r, i, address, granted, refused);
	set_asked(core, r, asking_of(core, r)->asked & ~(granted | refused));
	assert(!(granted & refused));
	asking_of(core, r)->refused |= refused;
}

/* All lanes that asked together are answered or, from a queue, some. */
static void answered(struct core *core, struct warp_slot *r, const struct insn *i, lane_mask granted, lane_mask refused)
{
	assert((granted | refused) && !(granted & refused));
	assert(!((granted | refused) & asking_of(core, r)->asked));
	back_off(core, r, granted);
	observe_lock_over(core, r);
	if (granted)
		fence_acquire(core, &(struct l1_fence){.scope = L1_SCOPE_WIDE});
	if (!has_entries(core, i)) {
		go_on(core, r, i, granted, refused);
		return;
	}
	core->machine->divergence->answered(r->warp.divergence, granted, refused);
	control_refresh(r);
}

/* A warp that was parked for want of answers. */
static void wake(struct core *core, struct warp_slot *r)
{
	assert(r->used && !r->finished);
	if (core->waiting[WAIT_LOCK] >> core_slot(core, r) & 1)
		core_schedule(core, r);
}

/* ---- At once: the functional mode ---- */

static uint32_t *word_at(const struct core *core, uint64_t address)
{
	assert(address >= GLOBAL_BASE);
	assert(address % sizeof(uint32_t) == 0);
	return (uint32_t *)(void *)(core->machine->space->bytes + (address - GLOBAL_BASE));
}

/* Carries out the lane's atomic; what the word was. */
static uint32_t atomic_at_once(
	struct core *core, const struct warp_slot *r, const struct insn *i, uint64_t lane, uint64_t address)
{
	uint32_t *word = word_at(core, address), before = *word, old;

	assert(core->machine->mode->at_once && r->warp.live >> lane & 1);
	access_will_write(core, address, sizeof *word);
	old = (uint32_t)atomic_apply(
		i->access.atomic, TYPE_U32, word, i->access.atomic == ATOMIC_ADD ? 1 : LOCK_FREE, thread_of(r, lane));
	observe_changed(core, r, (const uint8_t *)word, (const uint8_t *)&before, sizeof before);
	return old;
}

static void acquire_at_once(struct core *core, struct operation *op)
{
	struct warp_slot *r = op->slot;
	const struct insn *i = op->insn;
	lane_mask granted = 0, lanes = op->lanes;

	assert(i->kind == INSN_ACQUIRE && !op->pending);
	if (begin_to_wait(core, r, i, lanes, op->address)) {
		EACH_LANE(l, lanes)
			granted |= (lane_mask)got(i, atomic_at_once(core, r, i, l, op->address[l])) << l;
		note(core, r, i, granted, lanes & ~granted);
		answered(core, r, i, granted, lanes & ~granted);
	}
	load_store_free(core, op);
}

static void release_at_once(struct core *core, struct operation *op)
{
	assert(op->insn->kind == INSN_RELEASE && !op->pending);
	observe_written(core, op->slot, op->address, op->lanes, NULL);
	EACH_LANE(l, op->lanes)
		atomic_at_once(core, op->slot, op->insn, l, op->address[l]);
	load_store_free(core, op);
}

/* ---- Instructions ---- */

/* False: a finding. */
static bool find_locks(struct core *core, struct warp_slot *r, const struct insn *i, lane_mask lanes, uint64_t *address)
{
	assert(lanes && !(lanes & ~r->warp.path->active));
	lock_addresses(address, &r->warp, i, lanes);
	EACH_LANE(l, lanes)
		if (address[l] < GLOBAL_BASE && address[l] >= PARAMETER_BASE) {
			core_fault(core, r, i, (uint32_t)l, FAULT_space,
				"lock at 0x%llx, which is not in global memory", (unsigned long long)address[l]);
			return false;
		}
	if (!access_allowed(core, r, i, lanes, space_GLOBAL, address))
		return false;
	observe_access(core, r, i, lanes, space_GLOBAL, address);
	return true;
}

/* The lanes that take part in a lock instruction ask as a path of their own. */
static bool split_off(struct core *core, struct warp_slot *r, lane_mask lanes)
{
	uint32_t pc = r->warp.path->pc;

	assert(lanes && !(lanes & ~r->warp.path->active));
	if (lanes == r->warp.path->active)
		return false;
	core->machine->divergence->branch(r->warp.divergence, lanes, pc, pc + 1, pc + 1);
	control_refresh(r);
	return true;
}

/* A try_lock_for begins, for all of its lanes together, or goes on for those that have not got their lock. */
static lane_mask begin_trying(struct core *core, struct warp_slot *r, const struct insn *i, lane_mask lanes)
{
	const struct insn_extra *extra = &r->warp.kernel->extras[i->extra];
	struct lock_wait *waits = waits_of(core, r);
	struct asking *asking = asking_of(core, r);

	assert(!(lanes & asking->asked));
	if (i->access.patience != PATIENCE_TIMED)
		return lanes;
	if (lanes & asking->trying)
		return lanes & asking->trying;
	asking->trying |= lanes;
	EACH_LANE(l, lanes)
		waits[l].deadline =
			r->warp.now + (uint32_t)library_argument(&r->warp, &extra->arguments[1], (uint32_t)l);
	return lanes;
}

static void enter(struct core *core, struct operation *op, lane_mask lanes)
{
	assert(lanes && !(lanes & ~op->lanes));
	*request_of(op) = (struct request){.left = lanes};
	load_store_queue_lines(core, op, lanes);
	load_store_await_result(core, op);
}

static void queue_acquire(struct core *core, struct operation *op)
{
	assert(!op->slot->parked && !op->slot->held);
	if (!begin_to_wait(core, op->slot, op->insn, op->lanes, op->address)) {
		load_store_free(core, op);
		return;
	}
	op->slot->parked = !has_entries(core, op->insn);
	enter(core, op, op->lanes);
}

static void queue_release(struct core *core, struct operation *op)
{
	assert(!op->slot->parked && !op->slot->held);
	op->ordered = op->slot->held = true; /* until all are answered (paper 1, 6.2) */
	enter(core, op, op->lanes);
}

static void start(
	struct core *core, struct warp_slot *r, const struct insn *i, lane_mask lanes, const uint64_t *address)
{
	struct operation *op = load_store_take(core, r, i, lanes, space_GLOBAL);

	assert(!(lanes & lock_lanes_asking(core, r)));
	op->ordered = false;
	memcpy(op->address, address, r->warp.lanes * sizeof *address);
	capture((uint32_t *)(void *)op->data, r, i, lanes);
	load_store_start(core, op);
}

void lock_acquire(struct core *core, struct warp_slot *r, const struct insn *i, lane_mask lanes)
{
	uint64_t address[CORE_WARPS];

	assert(lanes && !(lanes & ~r->warp.path->active));
	if (has_entries(core, i) && split_off(core, r, lanes))
		return;
	lanes = begin_trying(core, r, i, lanes);
	if (!find_locks(core, r, i, lanes, address))
		return;
	start(core, r, i, lanes, address);
}

static void released(struct core *core, struct warp_slot *r, lane_mask lanes)
{
	assert(!(lanes & lock_lanes_waiting(core, r)));
	if (!core->machine->lock->has_entries || !core->machine->divergence->unlock) {
		control_advance(core, r);
		return;
	}
	core->machine->divergence->unlock(r->warp.divergence, lanes);
	control_refresh(r);
}

void lock_release(struct core *core, struct warp_slot *r, const struct insn *i, lane_mask lanes)
{
	uint64_t address[CORE_WARPS];

	assert(lanes && !(lanes & ~r->warp.path->active));
	if (load_store_must_wait_to_release(core, r, i) || !find_locks(core, r, i, lanes, address))
		return;
	core->counters.lock_releases += (uint64_t)__builtin_popcountll(lanes);
	start(core, r, i, lanes, address);
	released(core, r, lanes);
}

/* ---- Messages ---- */

/* In the token of a request whose operation is over when it is sent: the rest is the warp slot. */
#define TOKEN_WARP 0x80000000u

static void fill(struct core *core, struct lock_entry *entry, const struct operation *op, uint32_t lane)
{
	const struct lock_wait *wait = &waits_of(core, op->slot)[lane];
	uint64_t left = wait->deadline > core->now ? wait->deadline - core->now : 0;

	assert(op->lanes >> lane & 1);
	*entry = (struct lock_entry){.address = op->address[lane],
		.id = thread_of(op->slot, lane),
		.lane = lane,
		.patience = op->insn->access.patience == PATIENCE_FOREVER ? LOCK_FOREVER
			    : op->insn->access.patience == PATIENCE_TIMED ? left
									  : 0};
}

static uint8_t lock_op_of(const struct insn *i)
{
	assert(i->kind == INSN_ACQUIRE || i->kind == INSN_RELEASE);
	if (i->kind == INSN_ACQUIRE)
		return i->access.atomic == ATOMIC_CAS ? LOCK_ACQUIRE : LOCK_WAIT;
	return i->access.atomic == ATOMIC_EXCH ? LOCK_RELEASE : LOCK_SIGNAL;
}

static void send_request(struct core *core, struct operation *op, const struct transaction *t)
{
	uint32_t count = (uint32_t)__builtin_popcountll(t->lanes), k = 0;
	bool is_over_when_sent = has_entries(core, op->insn) && op->insn->kind == INSN_ACQUIRE;
	struct message *m =
		outbox_write(core->outbox, (uint32_t)(sizeof(struct lock_payload) + count * sizeof(struct lock_entry)));
	struct lock_payload *payload = message_payload(m);
	struct lock_entry *entries = (struct lock_entry *)(payload + 1);

	assert(t->lanes && !(t->lanes & ~op->lanes));
	assert(op->pending && core->machine->lock->queues);
	*payload = (struct lock_payload){.op = lock_op_of(op->insn), .count = count};
	EACH_LANE(l, t->lanes)
		fill(core, &entries[k++], op, (uint32_t)l);
	m->payload_bytes = (uint16_t)(sizeof *payload + count * sizeof *entries);
	port_post(core, m, MESSAGE_LOCK, t->line, count * 8,
		is_over_when_sent ? TOKEN_WARP | core_slot(core, op->slot) : load_store_index(core, op));
	core->in_flight--; /* it may wait for long, or for ever */
	if (op->insn->kind == INSN_RELEASE)
		observe_written(core, op->slot, op->address, t->lanes, NULL);
	if (is_over_when_sent || op->insn->kind == INSN_ACQUIRE)
		fence_answered(core, op->group, op->epoch);
	if (is_over_when_sent && --op->pending == 0)
		load_store_free(core, op);
}

/* An atomic, where locks do not queue. */
static bool send(struct core *core, struct operation *op, const struct transaction *t)
{
	assert(op->insn->kind == INSN_ACQUIRE || op->insn->kind == INSN_RELEASE);
	if (!core->machine->lock->queues)
		return atomic_send(core, op, t);
	send_request(core, op, t);
	return true;
}

/* A compare-and-swap, or what it is of a request, has found `old` in the words of these lanes. */
static void found(struct core *core, struct operation *op, lane_mask lanes, uint32_t element, const uint64_t *old)
{
	lane_mask *granted = &request_of(op)->granted;

	assert(!element && !(lanes & ~op->lanes));
	assert(!(lanes & *granted));
	(void)element;
	EACH_LANE(l, lanes)
		*granted |= (lane_mask)got(op->insn, (uint32_t)*old++) << l;
	note(core, op->slot, op->insn, lanes & *granted, lanes & ~*granted);
}

/* All transactions of a request are answered. */
static void completed(struct core *core, struct operation *op)
{
	struct warp_slot *r = op->slot;
	lane_mask granted = request_of(op)->granted;

	assert(!(granted & ~op->lanes));
	assert(core->machine->lock->queues ? !request_of(op)->left : !op->pending);
	r->parked &= has_entries(core, op->insn); /* another path may try meanwhile, and keep the warp */
	r->warp.now = core->now;
	answered(core, r, op->insn, granted, op->lanes & ~granted);
	if (op->done_at > r->hold_until)
		r->hold_until = op->done_at; /* of an atomic in the L1 */
	wake(core, r);
}

/* An answer to a path that the divergence model has put aside. */
static void receive_for_warp(struct core *core, struct warp_slot *r, const struct lock_answer *answer)
{
	lane_mask lanes = answer->granted | answer->refused;
	uint32_t pc = waits_of(core, r)[__builtin_ctzll(lanes)].pc;

	assert((lock_lanes_asking(core, r) & lanes) == lanes);
	assert(r->used && has_entries(core, &r->warp.kernel->code[pc]));
	r->warp.now = core->now;
	note(core, r, &r->warp.kernel->code[pc], answer->granted, answer->refused);
	answered(core, r, &r->warp.kernel->code[pc], answer->granted, answer->refused);
	wake(core, r);
}

static void receive(struct core *core, const struct message *m)
{
	const struct lock_answer *answer = message_payload(m);
	struct operation *op;
	struct request *request;

	assert(!(answer->granted & answer->refused) || (m->token & TOKEN_WARP));
	core->in_flight++;
	if (m->token & TOKEN_WARP) {
		assert((m->token & ~TOKEN_WARP) < core->warps.count);
		receive_for_warp(core, &core->slots[m->token & ~TOKEN_WARP], answer);
		return;
	}
	assert(m->token < core->lsu.operation_fresh);
	op = &core->lsu.operations[m->token];
	if (op->insn->kind == INSN_RELEASE) {
		assert(!answer->refused);
		load_store_answered(core, op, core->now);
		return;
	}
	note(core, op->slot, op->insn, answer->granted, answer->refused);
	request = request_of(op);
	assert(!((answer->granted | answer->refused) & ~request->left));
	request->granted |= answer->granted;
	request->left &= ~(answer->granted | answer->refused);
	if (request->left)
		return;
	completed(core, op);
	load_store_free(core, op);
}

/* ---- The kinds ---- */

const struct memory_kind memory_lock_acquire = {
	.noun = "atomic",
	.state_bytes = sizeof(struct request),
	.create = create,
	.clear = clear,
	.queue = queue_acquire,
	.execute = acquire_at_once,
	.send = send,
	.reply = MESSAGE_LOCK_ANSWER,
	.receive = receive,
	.found = found,
	.completed = completed,
};

const struct memory_kind memory_lock_release = {
	.noun = "atomic",
	.state_bytes = sizeof(struct request),
	.queue = queue_release,
	.execute = release_at_once,
	.send = send,
};
