/* Kinds of memory instructions: what the load-store unit asks of them.
 *
 * A kind is one const struct, in a file of its own, that a row of kernel/kinds.def names.  The unit consists of queue,
 * port and replies, and knows no kind by name.  An operation takes these steps; * marks hooks of the kind:
 *
 *   *issue      addresses, faults, *capture of what is stored, transactions into the queue
 *   *send       a transaction for global memory is at the head of the queue: through_l1_load (*sectors),
 *               through_l1_store (*gather), or messages of its own
 *   *serve_shared   a transaction for shared memory is at the head
 *   *deliver    loaded bytes have arrived; *receive: a reply of the kind's own message has arrived
 *   *results    all has arrived, and the results are not yet marked as ready; *completed: they are
 *
 * In functional mode *at_once takes their place, or *execute after an issue of the kind's own; for local memory, which
 * never leaves the core, *local.  Hooks that a kind does not need are null. */
#ifndef LOCKSTEP_MACHINE_LSU_MEMORY_KIND_H
#define LOCKSTEP_MACHINE_LSU_MEMORY_KIND_H

#include "machine/state/core.h"

/* Shared memory of another group of the cluster, by messages (remote.c), where `apply` is not null. */
struct memory_remote {
	/* Bytes that a lane sends, of op->data, and that it gets; null: none.  The first is carried out on the core
	 * that has the memory, the other where the operation is. */
	uint32_t (*sent)(const struct insn *i);
	uint32_t (*answered)(const struct insn *i);
	/* So many of the first take the time of data on their way; null: all. */
	uint32_t (*timed)(const struct insn *i);
	void (*apply)(const struct insn *i, uint8_t *where, const uint8_t *sent, uint8_t *answer);
	void (*take)(const struct operation *op, uint32_t lane, const uint8_t *answer);
	/* Instead of `apply` and at_once: all lanes of an operation as one of the group that has the memory would be,
	 * on that group's core, with their addresses there and their data.  No result. */
	void (*execute)(struct core *core, struct operation *op);
};

struct memory_kind {
	const char *noun;  /* what messages call an access of this kind */
	bool only_loads;   /* changes no memory: it may go to constant memory */
	bool acquires;     /* where its order says so it is an acquire, and holds the warp until it is complete */
	bool is_atomic;    /* the model's fields for atomics apply: crossbar.atomics_pass, atomic.waits */
	bool has_elements; /* a lane loads insn->access.bytes at once; otherwise words are assumed */
	bool moves_lanes;  /* insn->access.bytes of each lane's registers: lsu.width applies */
	bool is_fetch;     /* goes through the L1 even where only textures do (l1.texture) */
	/* Of an operation's state: its bytes, and how many more for each lane of a warp.  Not cleared. */
	uint32_t state_bytes, lane_bytes;

	/* Its part of a core.  `create` returns it, for memory_kind_state; `clear` makes it zero again and keeps its
	 * memory for the next core (core_clear); `start_warp`: a warp slot has a new warp. */
	void *(*create)(struct core *core, struct arena *arena);
	void (*clear)(struct core *core, struct arena *arena);
	void (*start_warp)(struct core *core, struct warp_slot *r);
	/* Nothing is outstanding; checked by audits when a core has no warps. */
	bool (*is_idle)(const struct core *core);

	/* Issues the instruction for `lanes`, at least one, whose addresses are in `space`: for load_store_issue, a
	 * kind with an executor of its own needs none.  The unit's own: load_store_issue_space. */
	void (*issue)(struct core *core, struct warp_slot *r, const struct insn *i, lane_mask lanes, uint8_t space);
	/* Copies what will be written out of the registers to op->data; sets op->messages where a transaction sends
	 * several. */
	void (*capture)(struct operation *op);
	/* Cycles that the banks of shared memory need. */
	uint32_t (*shared_cycles)(const struct core *core, const struct operation *op);
	/* Counts the instruction, global memory only; op->pending are its messages. */
	void (*count)(struct counters *c, const struct operation *op);

	/* Sends the transaction's next message.  False: it must stay at the head of the queue, which the kind has
	 * stalled. */
	bool (*send)(struct core *core, struct operation *op, const struct transaction *t);
	/* A transaction that goes to no line. */
	void (*begin)(struct core *core, struct operation *op, lane_mask lanes);
	/* Carries out a transaction on shared memory.  Results are there at cycle `at`; returns that or a later cycle,
	 * or NEVER: the kind will answer it. */
	uint64_t (*serve_shared)(struct core *core, struct operation *op, uint64_t at);
	/* The sectors of the line that a transaction loads: bits as of l1_sector_mask. */
	uint8_t (*sectors)(const struct core *core, const struct operation *op, const struct transaction *t);
	/* Fills a store's payload; returns how many bytes travel (whole 32-byte sectors). */
	uint32_t (*gather)(const struct operation *op, lane_mask lanes, uint64_t line, struct store_payload *payload);

	/* The bytes of a line are there: they go where the lanes want them. */
	void (*deliver)(
		struct core *core, const struct operation *op, lane_mask lanes, const uint8_t *data, uint64_t line);
	/* Of each byte of the line the lowest of `lanes` that loads it; bytes that none loads are left alone. */
	void (*readers)(const struct operation *op, lane_mask lanes, uint64_t line, uint8_t reader[LINE_BYTES]);
	/* Replies of this kind of message (enum message_kind) are for `receive`; 0: it has none of its own. */
	uint8_t reply;
	void (*receive)(struct core *core, const struct message *m);
	/* For atomic.c: an atomic of the operation's found `old` in the words of these lanes. */
	void (*found)(struct core *core, struct operation *op, lane_mask lanes, uint32_t element, const uint64_t *old);
	void (*results)(const struct operation *op);
	void (*completed)(struct core *core, struct operation *op);

	struct memory_remote remote; /* shared memory of another group of the cluster */

	/* What load_store_start does with an operation of a kind with an issue of its own, which is checked and
	 * captured: puts it into the queue; functional mode: carries it out, and frees it unless it goes on. */
	void (*queue)(struct core *core, struct operation *op);
	void (*execute)(struct core *core, struct operation *op);

	/* Functional mode: global or shared memory at once.  The addresses are checked. */
	void (*at_once)(struct core *core, struct warp_slot *r, const struct insn *i, lane_mask lanes, uint8_t space,
		uint64_t *address);
	/* The lanes' own local memory; the addresses are checked. */
	void (*local)(struct warp_slot *r, const struct insn *i, lane_mask lanes, const uint64_t *address);
};

/* By enum insn_kind; a kind that is not for the load-store unit has no hooks. */
extern const struct memory_kind *const memory_kinds[INSN_KINDS];

/* Whether registers are outstanding until the instruction's operation is complete. */
static inline bool memory_kind_has_result(const struct insn *i)
{
	return insn_kinds[i->kind].flags & KIND_RESULT && !(i->flags & INSN_NO_RESULT);
}

/* What the kind's `create` returned. */
static inline void *memory_kind_state(const struct core *core, enum insn_kind kind)
{
	return core->lsu.kind_state[kind];
}

#endif
