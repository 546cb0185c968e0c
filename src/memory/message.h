/* Messages between cores and memory partitions: the only way they touch each other.
 *
 * A message sent at cycle t arrives at t + latency or later, and latency is at least the quantum, so everything that
 * arrives in one quantum was sent in an earlier one: units advance through a quantum in any order, on any thread, with
 * the same result. Each unit writes only its own outbox and reads only its own inbox; between quanta an inbox collects
 * from the outboxes what is addressed to it.  It is in order of arrival time; what arrives at the same cycle is in
 * order of the quantum in which it was sent, then of the source, then of sending.  Messages from one source to one
 * destination arrive as they were sent; with crossbar.jitter only those of one line do (machine/core/port.c).
 *
 * An outbox keeps messages for the quantum in which they are sent and the next one, in which they are collected, and
 * mostly read; what its receiver still has then it copies. */
#ifndef LOCKSTEP_MEMORY_MESSAGE_H
#define LOCKSTEP_MEMORY_MESSAGE_H

#include "kernel/insn.h"
#include "memory/address_space.h"
#include "util/arena.h"

#include <assert.h>
#include <stddef.h>
#include <stdint.h>

enum message_kind {
	MESSAGE_LOAD,   /* requests sectors of a line */
	MESSAGE_STORE,  /* struct store_payload */
	MESSAGE_ATOMIC, /* struct atomic_payload and its entries */
	MESSAGE_LOCK,   /* struct lock_payload and its entries */
	MESSAGE_LOADED, /* reply: a line of data, only `sectors` of it valid */
	MESSAGE_STORED, /* reply: no data */
	/* reply to an atomic: old values, uint64_t per entry (16 bytes: low, high); none when no_result */
	MESSAGE_DONE,
	MESSAGE_LOCK_ANSWER, /* reply: struct lock_answer; one or more to a request, until every lane has its answer */
	/* Of coherent L1s and their directory (directory.h); none has a payload, data_bytes says whether bytes travel.
	 */
	MESSAGE_SHARE,   /* requests a line for reading */
	MESSAGE_OWN,     /* requests a line for writing */
	MESSAGE_EVICTED, /* an L1 has let a line go: `line_state`; no reply */
	MESSAGE_PROBED,  /* answers a probe: `line_state` that the line had there */
	MESSAGE_GRANT,   /* reply to SHARE or OWN: the line, to be kept in `line_state` */
	MESSAGE_PROBE,   /* to an L1: `probe` */
	/* Of cores to each other, within a cluster; not counted as packets. */
	MESSAGE_CLUSTER,  /* a group has come to the cluster's barrier, or ended: core/cluster.c; no reply */
	MESSAGE_REMOTE,   /* an access of another group's shared memory: lsu/remote.c */
	MESSAGE_BLOCK,    /* a part of a bulk copy for another group: lsu/remote_block.c */
	MESSAGE_ANSWERED, /* reply to those */
	/* To a core, from a slice that another core of its cluster has asked for a line (struct multicast), or from
	 * that core itself: lsu/multicast.c; not counted as a packet, MESSAGE_ANSWERED goes to the core that asked. */
	MESSAGE_MULTICAST,
	MESSAGE_KINDS
};

/* How many sectors of the L2 a load or a store was looked up in, at most 8, and how many of them were there. */
static inline uint8_t message_looked_up(uint32_t sectors, uint32_t hits)
{
	assert(hits <= sectors);
	assert(sectors < 16);
	return (uint8_t)(sectors << 4 | hits);
}
static inline uint32_t message_l2_sectors(uint8_t looked_up)
{
	return looked_up >> 4;
}
static inline uint32_t message_l2_hits(uint8_t looked_up)
{
	return looked_up & 15;
}

struct message {
	uint64_t time; /* core cycle of arrival at the destination's port; bandwidth there may delay service */
	uint64_t line; /* global address, where a line begins */
	/* the sender's own, which come back unchanged in the reply; of an atomic of a core, lanes as in
	 * machine/lsu/atomic.c */
	lane_mask lanes;
	uint32_t token;
	/* addresses: cores are 0 .. core_count - 1; slice s is core_count + s; then others (machine/state/node.h) */
	uint16_t source, destination;
	/* bytes moved, for the crossbar's bandwidth: flits = ceil((header + data_bytes) / flit) */
	uint16_t data_bytes;
	uint16_t payload_bytes; /* that follow; multiple of 8 */
	union {
		/* MESSAGE_STORE, ATOMIC, STORED: of the instruction that writes, its low 16 bits */
		uint16_t pc;
		struct {
			union {
				struct { /* MESSAGE_LOAD: see struct port_load */
					bool kept : 1, passes : 1;
				};
				uint8_t loaded; /* MESSAGE_LOADED, GRANT: as message_looked_up says */
			};
			bool bulk; /* MESSAGE_LOAD, LOADED: of a bulk copy */
		};
	};
	union {
		uint8_t sectors;    /* MESSAGE_LOAD, LOADED: bit per sector of model->sector_bytes */
		uint8_t group;      /* MESSAGE_STORE, ATOMIC: place of the work-group that writes, on its core */
		uint8_t stored;     /* MESSAGE_STORED: as message_looked_up says */
		uint8_t line_state; /* MESSAGE_EVICTED, PROBED, GRANT: enum line_state */
		uint8_t probe;      /* MESSAGE_PROBE: enum probe */
	};
	uint8_t kind; /* enum message_kind */
};

static inline void *message_payload(const struct message *message)
{
	return (void *)(uintptr_t)(message + 1);
}

struct store_payload {
	uint64_t mask[2]; /* bit per byte of the line; none behind a short one */
	uint8_t data[LINE_BYTES];
};

struct atomic_entry {
	uint64_t a, b; /* operands; b is the new value of a compare-and-swap, a what to compare with */
	uint64_t address;
};
struct atomic_payload {
	uint8_t op, type; /* enum atomic_op, enum ptx_type */
	uint8_t bytes;    /* 1 2 4 8 16 */
	uint8_t no_result;
	/* entries that follow, served in order; behind them, of 16-byte exch and cas, the high halves of a and b of
	 * each
	 */
	uint32_t count;
};

static inline const struct atomic_entry *atomic_entries(const struct atomic_payload *atomic)
{
	return (const struct atomic_entry *)(const void *)(atomic + 1);
}

/* What a store does to the bytes of its line. */
void apply_store(uint8_t *line, const struct store_payload *store);

/* Serves the entries in order.  Old values go to `old`, unless it is null: one uint64_t an entry, two (low, high) for
 * 16 bytes. */
void apply_atomic(const struct address_space *space, const struct atomic_payload *atomic, uint64_t *old);

/* ---- Loads of bulk copies for several cores ---- */

#define MULTICAST_CORES 16

/* Payload of a MESSAGE_LOAD whose line also goes to other cores.  `bytes` bytes of the sender's follow, a multiple
 * of 8. Each of the others gets a MESSAGE_MULTICAST with those bytes and then the line; `lanes` has the bit of its
 * place in `core`. */
struct multicast {
	uint16_t core[MULTICAST_CORES];
	uint32_t bytes;
	uint32_t count; /* of `core` */
};
_Static_assert(sizeof(struct multicast) % 8 == 0, "a message's payload");

static inline const struct multicast *message_multicast(const struct message *m)
{
	assert(m->kind == MESSAGE_LOAD);
	return m->bulk && m->payload_bytes ? message_payload(m) : NULL;
}

/* ---- Lock requests, for lock units that queue (policy/lock/lock.h) ---- */

#define LOCK_FREE 0xffffffffu /* the word of a free lock: -1, paper 1, 4.2 */
#define LOCK_FOREVER UINT64_MAX

enum lock_op {
	LOCK_ACQUIRE, /* the word is LOCK_FREE and becomes `id`, or the request waits */
	LOCK_RELEASE, /* the word becomes LOCK_FREE, and the next that waits gets the lock */
	/* of a counting semaphore, a signed word: it is above 0 and becomes one less, or the request waits */
	LOCK_WAIT,
	LOCK_SIGNAL, /* the word becomes one more, and the first that waits tries again */
};

struct lock_entry {
	uint64_t address; /* of a word of 4 bytes; all entries of a message lie in its line */
	/* cycles the request may wait, from its acceptance on; 0: it is answered at once; LOCK_FOREVER */
	uint64_t patience;
	uint32_t id;   /* written as the owner */
	uint32_t lane; /* less than 64; of a message, each lane once */
};
struct lock_payload {
	uint8_t op;     /* enum lock_op */
	uint32_t count; /* entries that follow, served in order */
};

/* Lanes of the request with the same token, each of which is in one answer, once.  Releases and signals are granted, at
 * once. */
struct lock_answer {
	uint64_t granted, refused;
};

/* data_bytes: as an atomic's, a word and what is to be written; of the answer a word a lane. */
#define LOCK_ENTRY_BYTES 8
#define LOCK_ANSWER_BYTES 4

static inline struct lock_entry *lock_entries(const struct lock_payload *payload)
{
	return (struct lock_entry *)(uintptr_t)(payload + 1);
}

/* A message that was sent: when it arrives, and where it lies, in units of 8 bytes.  Messages to one address are
 * chained: `next` is an index plus one; 0: none. */
struct sent {
	uint64_t time;
	uint32_t place, next;
};
struct sent_chain {
	uint32_t first, last; /* likewise */
};

/* The messages of one quantum, one behind another in `bytes`.  Who collects them reads no more than `sent`. */
struct sent_box {
	uint8_t *bytes;
	struct sent *sent;
	struct sent_chain *to; /* per address */
	uint64_t used, capacity;
	uint64_t addressed;   /* see outbox_addressed */
	uint32_t count, room; /* of `sent` */
};

/* What one unit has sent in two quanta.  It grows from its arena: each unit that runs on a thread of its own needs an
 * arena of its own. */
struct outbox {
	struct sent_box *current;
	struct sent_box box[2];       /* by parity */
	uint32_t first, destinations; /* addresses it reaches */
	struct arena *arena;
};

/* Addresses 64 apart share a bit. */
static inline uint64_t address_bit(uint32_t address)
{
	return 1ull << address % 64;
}

/* It can send to `destinations` addresses, from `first` on. */
struct outbox *outbox_create(struct arena *arena, uint32_t first, uint32_t destinations);
/* Begins a quantum: what is sent from now on can be collected in the next one, whose parity is the other; what was sent
 * in the last one of this parity no longer. */
void outbox_begin(struct outbox *outbox, uint32_t parity);
void outbox_grow(struct outbox *outbox, uint64_t bytes); /* for outbox_write only */

#define OUTBOX_SLACK 64 /* bytes behind the last message, which may be read with it */

/* Room for a message with up to payload_bytes behind it.  The caller fills it in and posts it before asking for the
 * next. */
static inline struct message *outbox_write(struct outbox *outbox, uint32_t payload_bytes)
{
	assert(outbox->current->used % 8 == 0);
	struct sent_box *box = outbox->current;
	uint64_t end = box->used + sizeof(struct message) + payload_bytes + OUTBOX_SLACK;
	if (end > box->capacity || box->count == box->room)
		outbox_grow(outbox, end);
	return (struct message *)(void *)(box->bytes + box->used);
}

/* Sends what outbox_write returned, with its payload_bytes as they are then, to an address that the outbox
 * reaches. */
static inline void outbox_post(struct outbox *outbox, uint32_t destination, struct message *message)
{
	struct sent_box *box = outbox->current;
	struct sent_chain *to = &box->to[destination - outbox->first];
	assert(destination - outbox->first < outbox->destinations && message->payload_bytes % 8 == 0);
	assert((uint8_t *)message == box->bytes + box->used);
	assert(box->used / 8 <= UINT32_MAX && box->count < box->room);
	box->sent[box->count++] = (struct sent){message->time, (uint32_t)(box->used / 8), 0};
	*(to->first ? &box->sent[to->last - 1].next : &to->first) = box->count;
	to->last = box->count;
	box->used += sizeof *message + message->payload_bytes;
	box->addressed |= address_bit(destination);
}

/* messages sent in the latest quantum of this parity */
static inline uint32_t outbox_count(const struct outbox *outbox, uint32_t parity)
{
	assert(parity < 2);
	return outbox->box[parity].count;
}
/* For which addresses there are messages in the quantum that has begun last: the bits of all of them. */
static inline uint64_t outbox_addressed(const struct outbox *outbox)
{
	return outbox->current->addressed;
}

/* A message on its way, and when it arrives. */
struct delivery {
	uint64_t time;
	uintptr_t at; /* the message's address, 0: none; DELIVERY_SENT: it lies in an outbox still */
};
#define DELIVERY_SENT ((uintptr_t)1)

/* The messages that have been sent to one unit and not dropped by it.  It grows like an outbox.
 *
 * Those of a quantum are put in order at once, when the first is asked for, and read where the sender has written them;
 * what is left at the end of the quantum is copied.  What arrives much later than the first is put in order when it is
 * near. */
struct inbox {
	const struct delivery *next; /* in order, and behind the last one at UINT64_MAX without a message */
	uint64_t order_time;         /* when the next arrives later, others have to be put in order first */
	struct inbox_rest *rest;
};
struct inbox *inbox_create(struct arena *arena);
/* `count` inboxes, whose addresses follow each other from `destination` on, take everything that `outbox` got for them
 * in the latest quantum of this parity; once each quantum.  Nothing where the outbox does not reach. */
void inbox_collect(struct inbox *const *inboxes, uint32_t count, const struct outbox *outbox, uint32_t parity,
	uint32_t destination);
/* Ends the quantum: from now on the outboxes may be written to again. */
void inbox_keep(struct inbox *inbox);
void inbox_order(struct inbox *inbox); /* for inbox_next only */

static inline const struct delivery *inbox_next(struct inbox *inbox)
{
	if (inbox->order_time < inbox->next->time)
		inbox_order(inbox);
	return inbox->next;
}
/* Of the next message; UINT64_MAX when empty. */
static inline uint64_t inbox_time(struct inbox *inbox)
{
	return inbox_next(inbox)->time;
}
/* The next message, or null when empty.  It stays until inbox_drop or inbox_keep. */
static inline const struct message *inbox_first(struct inbox *inbox)
{
	return (const struct message *)(inbox_next(inbox)->at & ~DELIVERY_SENT);
}
/* The same when inbox_time has been asked and nothing was collected since; behind a dropped one, the next that is in
 * order already, or null. */
static inline const struct message *inbox_head(const struct inbox *inbox)
{
	return (const struct message *)(inbox->next->at & ~DELIVERY_SENT);
}
/* The message `k` behind the next one, of those that are in order already; or null. */
static inline const struct message *inbox_ahead(const struct inbox *inbox, uint32_t k)
{
	const struct delivery *d = inbox->next;
	assert(k < 8); /* each costs a step */
	for (; k && d->at; k--)
		d++;
	return (const struct message *)(d->at & ~DELIVERY_SENT);
}
void inbox_free(struct inbox *inbox, struct message *message); /* for inbox_drop only */
static inline void inbox_drop(struct inbox *inbox)
{
	uintptr_t at = inbox->next++->at;
	assert(at);
	if (!(at & DELIVERY_SENT))
		inbox_free(inbox, (struct message *)at);
}
uint32_t inbox_count(const struct inbox *inbox);

#endif
