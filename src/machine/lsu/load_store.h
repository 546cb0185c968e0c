/* The load-store unit of a core: everything between the issue of a memory instruction and its completion. */
#ifndef LOCKSTEP_MACHINE_LSU_LOAD_STORE_H
#define LOCKSTEP_MACHINE_LSU_LOAD_STORE_H

#include "machine/core.h"
#include "memory/message.h"

void load_store_create(struct core *core, struct arena *arena);
/* For core_clear. */
void load_store_clear(struct core *core, struct arena *arena);
/* Room for the fetches of a kernel that reads textures. */
void load_store_prepare_fetches(struct core *core, struct arena *arena);
/* False: the queue in front of the unit is full; nobody may issue a memory instruction. */
static inline bool load_store_has_room(const struct core *core)
{
	return core->queue_operations < core->queue_limit && core->operations_used < core->operations_limit;
}

/* A load, store or atomic issues for `lanes`.  Addresses and operands are read now, so the registers are free again; the
 * access happens when the unit comes to it, in order. */
void load_store_issue(struct core *core, struct resident *r, const struct insn *i, lane_mask lanes);

/* The same for a texture. */
void load_store_fetch(struct core *core, struct resident *r, const struct insn *i, lane_mask lanes);

/* Works on the queue in this cycle. */
void load_store_run(struct core *core);
/* Takes the replies that have come, and answers who has waited long enough. */
void load_store_receive(struct core *core);
/* What next_arrival of the core has to be. */
uint64_t load_store_next_arrival(const struct core *core);
uint64_t load_store_next_event(const struct core *core);
/* Something will arrive at cycle `at`. */
static inline void load_store_expect(struct core *core, uint64_t at)
{
	if (at < core->next_arrival)
		core->next_arrival = at;
}
/* For copy.c.  Queues an operation on global memory: a first transaction for the lanes `before`, if any, then one per line that `lanes`
 * touch. */
void load_store_enqueue(struct core *core, struct operation *op, lane_mask before, lane_mask lanes);
/* One more request of the operation is under way. */
void load_store_begin(struct operation *op);
/* It is over, and was not queued. */
void load_store_drop(struct core *core, struct operation *op);
void load_store_send_load(struct core *core, uint64_t line, uint8_t sectors, bool kept, uint32_t token);
void load_store_send_store(struct core *core, const struct operation *op, uint64_t line, const struct store_payload *payload, uint32_t bytes,
			   uint32_t token);
#define COPY_TOKEN 0x80000000u /* in the token of a store: the rest is a bulk copy's operation */

/* For lock.c.  An operation of the warp's, not queued; puts it into the queue, one transaction per line of its addresses; frees it. */
struct operation *load_store_take(struct core *core, struct resident *r, const struct insn *i, lane_mask lanes);
void load_store_enqueue_lines(struct core *core, struct operation *op, lane_mask lanes);
void load_store_free(struct core *core, struct operation *op);
uint32_t load_store_index(const struct core *core, const struct operation *op);
/* A release at gpu or sys scope waits like a fence, then is issued again: true when it must. */
bool load_store_must_wait_to_release(struct core *core, struct resident *r, const struct insn *i);
/* Posts a message, whose payload is written and counted, through the core's crossbar port. */
void load_store_post(struct core *core, struct message *m, uint8_t kind, uint64_t line, uint32_t data_bytes, uint32_t token);

/* A transaction of the operation is over; its data is there from cycle `at` on. */
void load_store_answered(struct core *core, struct operation *op, uint64_t at);

/* The group's requests up to and including the warp's fence epoch are all answered. */
bool load_store_drained(const struct group *group, uint32_t epoch);

#endif
