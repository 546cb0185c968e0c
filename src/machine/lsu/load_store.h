/* The load-store unit of a core: everything between the issue of a memory instruction and its completion. memory_kind.h
 * says how an instruction goes through it. */
#ifndef LOCKSTEP_MACHINE_LSU_LOAD_STORE_H
#define LOCKSTEP_MACHINE_LSU_LOAD_STORE_H

#include "machine/lsu/memory_kind.h"
#include "machine/state/core.h"

#define NO_LINE 0 /* of a transaction that goes to no line: to shared memory, or to `begin` */
/* of one operation: each half warp of 32 has a matrix with up to 32 rows, and a row may lie in two lines */
#define MOST_TRANSACTIONS(lanes) (2 * (lanes))

/* Makes the unit of a core; and for core_clear. */
void load_store_create(struct core *core, struct arena *arena);
void load_store_clear(struct core *core, struct arena *arena);
/* A warp slot has a new warp. */
void load_store_start_warp(struct core *core, struct warp_slot *r);
/* False: the queue in front of the unit is full; no warp may issue a memory instruction. */
static inline bool load_store_has_room(const struct core *core)
{
	return core->lsu.queue_operations < core->lsu.queue_limit &&
	       core->lsu.operations_used < core->lsu.operations_limit;
}

/* A load, store or atomic issues for `lanes`.  Addresses and operands are read now, so the registers are free again;
 * the access happens when the unit comes to it, in order. */
void load_store_issue(struct core *core, struct warp_slot *r, const struct insn *i, lane_mask lanes);
/* A release at gpu or sys scope waits like a fence, then is issued again: true when it must. */
bool load_store_must_wait_to_release(struct core *core, struct warp_slot *r, const struct insn *i);

/* Works on the queue in this cycle. */
void load_store_run(struct core *core);
/* Takes the replies that have come, and runs the timers whose time has come. */
void load_store_receive(struct core *core);
/* The same, with events for observers. */
void load_store_run_told(struct core *core);
void load_store_receive_told(struct core *core);
/* What next_arrival of the unit has to be. */
uint64_t load_store_next_arrival(const struct core *core);
uint64_t load_store_next_event(const struct core *core);
/* Something will arrive at cycle `at`. */
static inline void load_store_expect(struct core *core, uint64_t at)
{
	if (at < core->lsu.next_arrival)
		core->lsu.next_arrival = at;
}
/* Nothing is queued or outstanding in any memory kind. */
bool load_store_is_idle(const struct core *core);
/* The warp has asynchronous copies that are not over. */
bool copy_is_outstanding(const struct core *core, const struct warp_slot *r);

/* Functional mode, which has no cycles: the time of the next timer, NEVER: none; runs those whose time has come. */
uint64_t load_store_next_timer(const struct core *core);
void load_store_run_timers(struct core *core);

/* ---- For memory kinds ---- */

/* A timer for a kind, called by its `create`: `run` is called at cycle timer->at, which load_store_expect must also
 * know. */
struct unit_timer *load_store_timer(struct core *core, void (*run)(struct core *core));

/* Takes an operation of the instruction's kind for a warp, not queued yet; frees it. */
struct operation *load_store_take(
	struct core *core, struct warp_slot *r, const struct insn *i, lane_mask lanes, uint8_t space);
void load_store_free(struct core *core, struct operation *op);
uint32_t load_store_index(const struct core *core, const struct operation *op);

/* memory_kind.issue of kinds that load or store at an address per lane, in any space. */
void load_store_issue_space(
	struct core *core, struct warp_slot *r, const struct insn *i, lane_mask lanes, uint8_t space);
/* The same for lanes whose addresses are known. */
void load_store_issue_at(struct core *core, struct warp_slot *r, const struct insn *i, lane_mask lanes, uint8_t space,
	uint64_t *address);
/* Queues an operation of a kind that issues itself, or carries it out: memory_kind.queue, memory_kind.execute. */
void load_store_start(struct core *core, struct operation *op);
/* Puts an operation into the queue that is checked and captured. */
void load_store_enter(struct core *core, struct operation *op);
/* A transaction into the queue, `cycles` of the unit long; one per line of the addresses of `lanes`, returns how
 * many. */
void load_store_queue(struct core *core, struct operation *op, uint64_t line, lane_mask lanes, uint32_t cycles);
uint32_t load_store_queue_lines(struct core *core, struct operation *op, lane_mask lanes);
/* All its transactions are in the queue: it counts as one of queue_limit, and its results are outstanding. */
void load_store_await_result(struct core *core, const struct operation *op);

/* One more request of the operation is under way. */
void load_store_begin(struct operation *op);
/* One is answered by the L1, the shared memory or a partition; its data is there from cycle `at` on. */
void load_store_answered(struct core *core, struct operation *op, uint64_t at);
/* The same, but the answer that fences wait for is still to come: stores. */
void load_store_part_done(struct core *core, struct operation *op, uint64_t at);
/* The operation is over, and was never queued. */
void load_store_drop(struct core *core, struct operation *op);

#endif
