/* Messages between cores and memory partitions: the only way they touch each other.
 *
 * A message sent at cycle t arrives at t + latency or later, and latency is at least the quantum, so everything that
 * arrives in one quantum was sent in an earlier one: units advance through a quantum in any order, on any thread, with
 * the same result. Each unit writes only its own outbox and reads only its own inbox; between quanta an inbox collects
 * from the outboxes what is addressed to it and orders it by (arrival time, source, sequence).  Messages from one
 * source to one destination never overtake. */
#ifndef LOCKSTEP_MEMORY_MESSAGE_H
#define LOCKSTEP_MEMORY_MESSAGE_H

#include "kernel/insn.h"
#include "util/arena.h"

#include <stdint.h>

#define LINE_BYTES 128

enum message_kind {
	MESSAGE_LOAD,   /* sectors of a line wanted */
	MESSAGE_STORE,  /* struct store_payload */
	MESSAGE_ATOMIC, /* struct atomic_payload and its entries */
	MESSAGE_LOADED, /* reply: LINE_BYTES of data, only `sectors` of it valid */
	MESSAGE_STORED, /* reply: no data */
	MESSAGE_DONE, /* reply to an atomic: old values, uint64_t per entry (16 bytes: low, high); none when no_result */
};

struct message {
	uint64_t time; /* core cycle of arrival at the destination's port; bandwidth there may delay service further */
	uint64_t line; /* global address, multiple of LINE_BYTES */
	uint32_t sequence;            /* per source, counts up */
	uint16_t source, destination; /* cores are 0 .. core_count - 1; slice s is core_count + s */
	uint8_t kind;                 /* enum message_kind */
	uint8_t sectors;              /* MESSAGE_LOAD, LOADED: bit per sector of model->sector_bytes */
	uint16_t data_bytes; /* bytes moved, for the crossbar's bandwidth: flits = ceil((header + data_bytes) / flit) */
	uint32_t token;      /* the core's own; comes back unchanged in the reply */
	uint32_t payload_bytes; /* that follow in the outbox; multiple of 8 */
	uint8_t borrowed;    /* the inbox's own: it still lies in the outbox */
	const void *payload;
};

struct store_payload {
	uint64_t mask[2]; /* bit per byte of the line */
	uint8_t data[LINE_BYTES];
};

struct atomic_entry {
	uint64_t a, b; /* operands; b is the new value of a compare-and-swap, a what to compare with */
	uint64_t address;
	uint32_t lane;
};
struct atomic_payload {
	uint8_t op, type; /* enum atomic_op, enum ptx_type */
	uint8_t bytes;    /* 1 2 4 8 16 */
	uint8_t no_result;
	uint32_t count; /* entries that follow, served in order */
	uint64_t a_high
		[0]; /* 16-byte exch and cas: see atomic_entry; high halves follow the entries, two per entry (a, b) */
};

/* What one unit sent during a quantum, by destination. Two of them per unit, used in turn.  Boxes grow from their
 * arena when they are full: each unit that runs on a thread of its own needs an arena of its own. */
struct outbox;
struct outbox *outbox_create(struct arena *arena, uint32_t destinations);
void outbox_clear(struct outbox *outbox);
/* Appends a copy of the message and room for its payload, which the caller fills: returns it. `destination` is an
 * index into `destinations`: the slice number for a core's outbox, the core number for a partition's. */
void *outbox_send(struct outbox *outbox, uint32_t destination, const struct message *message);
uint32_t outbox_count(const struct outbox *outbox); /* messages since the last clear */

/* What is on its way to one unit's port, in order of (time, source, sequence). Owns copies of the payloads. */
struct inbox;
struct inbox *inbox_create(struct arena *arena);
/* Takes everything that `outbox` holds for `destination`. */
void inbox_collect(struct inbox *inbox, const struct outbox *outbox, uint32_t destination);
uint64_t inbox_time(struct inbox *inbox); /* of the next message; UINT64_MAX when empty */
/* The same without copying: until inbox_keep the outbox must not be cleared.  Most messages are served in the quantum in which
 * they are borrowed and never copied; each record has one destination, so nobody else looks at it. */
void inbox_borrow(struct inbox *inbox, const struct outbox *outbox, uint32_t destination);
/* Copies what was borrowed and has not been dropped: before the next quantum. */
void inbox_keep(struct inbox *inbox);
/* The next message, or null when empty.  It stays until inbox_drop. */
const struct message *inbox_first(struct inbox *inbox);
void inbox_drop(struct inbox *inbox);
uint32_t inbox_count(const struct inbox *inbox);

#endif
