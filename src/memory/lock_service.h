/* Lock requests at one slice: which requests are granted, which wait, and which one is next (paper 1, 5.2 and 6.3).
 *
 * A lock has a record for the request that holds it and one for each that waits, a semaphore for those that wait.  When
 * a lock is released, or a semaphore signalled, the lock unit chooses the next request (policy/lock/lock.h).  That
 * request goes through the memory pipeline again, as an access of the slice itself: a message like those that cores
 * send, which the slice serves before the inbox.  So it can be delayed like any request, and takes effect when it is
 * accepted.
 *
 * Other instructions may write the words, too.  If a request finds a lock taken that has no list, it is refused, as its
 * release may go unnoticed; so is a request that finds the lock taken when its turn comes, and the next one gets its
 * turn.
 *
 * With queue.traffic, records lie in memory: RECORD_BYTES each, consecutively in lines of the slice above all that can
 * be allocated.  Appending a record writes it, and a request's turn comes when its record has been read: both are
 * accesses of the slice itself. */
#ifndef LOCKSTEP_MEMORY_LOCK_SERVICE_H
#define LOCKSTEP_MEMORY_LOCK_SERVICE_H

#include "memory/address_map.h"
#include "memory/address_space.h"
#include "memory/lock_table.h"
#include "memory/message.h"
#include "memory/partition_counters.h"
#include "util/vector.h"

#define RECORD_BYTES 8 /* an integer and a pointer of 4 bytes each: paper 1, 7.3 */
#define LOCK_LANES 64  /* entries of a message */

enum lock_access_kind {
	LOCK_ACCESS_TURN, /* the request is tried again */
	LOCK_ACCESS_READ, /* of the next request's record */
	LOCK_ACCESS_WRITE /* of a record */
};

struct lock_access {
	uint32_t record;
	uint8_t kind; /* enum lock_access_kind */
};

struct lock_service {
	const struct gpu_model *model;
	const struct lock_unit *unit;
	void *unit_state;
	const struct address_map *map;
	const struct address_space *space;
	struct partition_counters *counters;
	uint32_t slice;
	struct lock_table table;
	uint32_t most; /* records at one time */
	/* Accesses of the slice itself, oldest first: a ring. */
	struct lock_access *accesses;
	uint32_t access_room, first_access, access_count; /* room: a power of two */
	/* The lines of the records, as many as a line has room for. */
	VECTOR(uint64_t) lines;
	uint64_t next_line; /* where the search for further lines of this slice goes on */
	/* The words that the latest message had operated on, for the atomic unit. */
	struct atomic_entry touched[LOCK_LANES];
	uint32_t touched_count;
	/* The first access as a message. */
	struct {
		struct message message;
		union {
			struct store_payload store;
			struct {
				struct lock_payload lock;
				struct lock_entry entry;
			} again;
		} payload;
	} own;
};

/* Requests that wait for a lock that is held, or for a semaphore. */
uint32_t lock_service_waiting(const struct lock_service *service);

struct slice;
struct lock_service *lock_service_create(const struct slice *slice);

/* Whether this request from a core reads or writes the word: not if it only has to wait in a list. */
bool lock_service_touches(const struct lock_service *service, enum lock_op op, uint64_t address);

/* Carries out a lock message, from a core or the slice itself, that is accepted at cycle `now`.  *answer: the lanes
 * that can be answered. */
void lock_service_apply(
	struct lock_service *service, const struct message *message, uint64_t now, struct lock_answer *answer);

/* The first access of the slice itself: MESSAGE_LOCK, a request that is tried again; or MESSAGE_STORE or MESSAGE_LOAD
 * of a record, without bytes, whose token is the record. */
const struct message *lock_service_access(struct lock_service *service);
/* It has been accepted, and carried out. */
void lock_service_drop_access(struct lock_service *service);
/* The record has been read: its turn begins. */
void lock_service_begin_turn(struct lock_service *service, uint32_t record);

/* When the next request times out; UINT64_MAX: none has a time limit. */
uint64_t lock_service_timeout(const struct lock_service *service);
/* Removes that request; returns its refusal, without time and data_bytes. */
struct message lock_service_expire(struct lock_service *service, struct lock_answer *answer);

#endif
