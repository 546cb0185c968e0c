/* What the load-store unit of a core consists of: operations, the queue of their transactions, the port, timers.
 * load_store.h has what it does. */
#ifndef LOCKSTEP_MACHINE_STATE_UNIT_H
#define LOCKSTEP_MACHINE_STATE_UNIT_H

#include "kernel/insn.h"
#include "memory/message.h"
#include "warp/memory.h"
#include "warp/warp.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RECENT_ALLOCATIONS 16
#define UNIT_TIMERS 2 /* of all memory kinds together */
#define UNIT_STARTS 2 /* likewise: kinds that are notified of new warps */

struct core;
struct group;
struct memory_kind;
struct port_passing;
struct warp_slot;

/* A warp's memory instruction between issue and completion: what all kinds have.  What one kind needs besides is in its
 * `state`.  Each reply touches the first two lines of the host's cache, and an access of shared
 * memory the third. */
struct operation {
	const struct memory_kind *kind;
	const struct insn *insn;
	struct warp_slot *slot;
	struct group *group;
	uint32_t *bank[2]; /* register frame at issue: narrow, wide */
	uint64_t *register_ready;
	lane_mask lanes;  /* that access */
	uint32_t pending; /* transactions not yet answered or not yet sent */
	uint32_t epoch;
	uint64_t done_at; /* latest data so far */
	/* These stay when it is freed: */
	uint64_t *address; /* per lane; shared: offset */
	uint8_t *data;     /* ACCESS_DATA_BYTES per lane: what stores and atomics have read from registers */
	void *state;       /* of its kind: memory_kind.state_bytes */
	lane_mask *predicates;
	uint64_t *predicate_ready;
	union {
		uint32_t signature; /* what messages say of the writer: see port_sign */
		uint32_t next_free; /* of one that is free */
	};
	/* that a transaction sends: one; a fetch one per line, an atomic one per element of its vectors */
	uint16_t messages;
	uint8_t space;      /* resolved */
	bool ordered : 1;   /* the warp is held until it completes */
	bool in_rows : 1;   /* its addresses are `rows`, of shared memory: `address` and `state` have nothing */
	bool is_remote : 1; /* another group of the cluster asks for it: `slot` is only one of the group's */
	bool part : 1; /* of a generic access to several spaces, or an atomic under atomic.waits: the warp is held until
			  all complete */
	_Alignas(64) struct memory_rows rows;
};

_Static_assert(offsetof(struct operation, rows) == 128, "two lines of the host's cache, and one of shared memory");

/* One line's worth of an operation, waiting for the load-store unit. */
struct transaction {
	uint32_t operation;
	uint64_t line;
	lane_mask lanes;
	uint32_t cycles;  /* of the load-store unit; shared memory: bank conflicts */
	uint32_t element; /* of its messages, the next: a fetch's line, an element of an atomic on vectors */
};

/* What a memory kind does by itself, without an instruction or a reply: see load_store_timer. */
struct unit_timer {
	uint64_t at;  /* cycle of its next step; NEVER: there is none */
	bool stalled; /* until a reply comes: its next step is in that cycle */
	void (*run)(struct core *core);
};

/* What cores share with crossbar.cores: they run together, on one thread (nodes/core.c). */
struct port_link {
	uint64_t free;       /* next free cycle */
	uint32_t last;       /* the core that used it last */
	uint32_t hundredths; /* of a cycle, for which it is taken longer than until `free` */
};

/* Where issues are noted (machine->notes_issues). */
struct unit_told {
	/* What it worked on when that was last told; null: nothing. */
	const struct insn *insn;
	const struct core_launch *on;
	uint8_t space;
	uint8_t reply; /* that it has taken in last: enum message_kind */
};

struct remote_access;

/* Accesses of the shared memory of another group of the cluster (lsu/remote.h). */
struct remote_way {
	/* A transaction is at the head of the queue. */
	void (*send)(struct core *core, struct operation *op, const struct transaction *t);
	/* Functional mode: carries the access out; `token` as of struct remote_access. */
	void (*at_once)(struct core *core, struct warp_slot *r, const struct insn *i, lane_mask lanes,
		uint64_t *address, uint32_t token);
};

struct load_store_unit {
	struct transaction *queue; /* ring */
	uint32_t queue_head, queue_count, queue_size;
	uint64_t queue_time;       /* next cycle it may work */
	bool queue_stalled;        /* until a reply comes */
	bool splitting;            /* a generic access to several spaces is being issued */
	uint32_t queue_operations; /* instructions with transactions in the queue; at most queue_limit */
	uint32_t queue_limit;
	/* Warps that have asked shared memory for values; those that wait until it begins with the access. */
	uint64_t shared_users, shared_queued;

	struct operation *operations;
	uint32_t operation_free, operation_fresh, operation_count; /* list; first never used */
	uint32_t operations_given;                                 /* so many from the first on have memory */
	uint32_t operations_used, operations_limit; /* an instruction that is to begin one finds fewer than the limit */
	size_t state_bytes;                         /* that an operation's state takes, of whatever kind */

	uint64_t next_arrival; /* cycle of what comes to the unit by itself: a reply that the port has taken in, a
				* timer; NEVER: nothing will */
	struct unit_timer timers[UNIT_TIMERS];
	const struct memory_kind *starts[UNIT_STARTS]; /* those that have start_warp; null after the last */
	void *kind_state[INSN_KINDS]; /* what a memory kind has of the core: see memory_kind.create; null: nothing */
	void (*receive[MESSAGE_KINDS])(struct core *core, const struct message *m); /* a reply */
	const struct remote_way *remote;
	const struct remote_access *serving; /* what is carried out here now for another group; null: nothing is */

	uint32_t *ways;               /* to each slice: cycles from the port to its inbox */
	uint64_t port_free;           /* crossbar injection */
	struct port_passing *passing; /* null: the port is a queue; see port.c */
	uint32_t port_hundredths;     /* of a cycle that the port is busy beyond port_free */
	uint64_t reply_port_free;     /* crossbar ejection */
	uint64_t remote_free;         /* the way to other cores of a cluster, in hundredths of cycles */
	/* Where accesses of global memory went last, by pc: an instruction mostly stays with one buffer.  Indices into
	 * the space's list, which may have changed since. */
	uint32_t allocations[RECENT_ALLOCATIONS];
	struct unit_told told;
};

#endif
