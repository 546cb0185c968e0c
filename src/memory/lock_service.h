/* Lock requests at one slice: who gets a lock, who waits, whose turn comes (paper 1, 5.2 and 6.3).
 *
 * A lock has a record for the request that holds it and one for each that waits, a semaphore for those that wait.  When
 * a lock is released, or a semaphore signalled, the lock unit says whose turn it is (policy/lock/lock.h).  That request
 * is put into the memory pipeline again: it is an access of the slice's own, a message like those that cores send,
 * which the slice serves before the inbox's.  So it is subject to all that can hold up a request, and takes effect when
 * it is accepted.
 *
 * Words are written by others, too.  A request finds a lock without a list taken: it is refused, for nobody would tell
 * it of the release; likewise one whose turn it is.  Then the turn goes to the next.
 *
 * With queue.traffic, records lie in memory: RECORD_BYTES each, one behind the other in the slice's lines behind all
 * that can be allocated.  To append one writes it, and the next one's turn comes when it has been read: both are
 * accesses of the slice's own. */
#ifndef LOCKSTEP_MEMORY_LOCK_SERVICE_H
#define LOCKSTEP_MEMORY_LOCK_SERVICE_H

#include "memory/address_map.h"
#include "memory/address_space.h"
#include "memory/lock_table.h"
#include "memory/message.h"
#include "memory/partition.h"

#define RECORD_BYTES 8 /* an integer and a pointer of 4 bytes each: paper 1, 7.3 */
#define LOCK_LANES 64  /* entries of a message */

enum lock_access_kind {
	LOCK_ACCESS_TURN, /* the request is tried again */
	LOCK_ACCESS_READ, /* of the record whose turn it is next */
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
	/* Accesses of the slice's own, oldest first: a ring. */
	struct lock_access *accesses;
	uint32_t access_room, first_access, access_count; /* room: a power of two */
	/* The lines of the records, LINE_BYTES / RECORD_BYTES a line. */
	uint64_t *lines;
	uint32_t line_count, line_room;
	uint64_t next_line; /* to be looked at */
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

/* Requests that wait for a lock that somebody has, or a semaphore. */
uint32_t lock_service_waiting(const struct lock_service *service);

struct slice;
struct lock_service *lock_service_create(const struct slice *slice);

/* Whether a word is looked at, when a request from a core asks for this: not if it only has to wait in a list. */
bool lock_service_touches(const struct lock_service *service, enum lock_op op, uint64_t address);

/* Carries out a lock message that is accepted at cycle `now`, a core's or the own one; says which lanes have an
 * answer. */
void lock_service_apply(
	struct lock_service *service, const struct message *message, uint64_t now, struct lock_answer *answer);

/* The first of the slice's own accesses: MESSAGE_LOCK, one request tried again; MESSAGE_STORE or MESSAGE_LOAD of a
 * record, without bytes, whose token is the record. */
const struct message *lock_service_access(struct lock_service *service);
static inline bool lock_service_has_access(const struct lock_service *service)
{
	return service->access_count != 0;
}
/* It has been accepted, and carried out. */
void lock_service_drop_access(struct lock_service *service);
/* The record has been read: its turn begins. */
void lock_service_begin_turn(struct lock_service *service, uint32_t record);

/* When the next request has waited as long as it may; UINT64_MAX: none waits for a time. */
uint64_t lock_service_timeout(const struct lock_service *service);
/* Takes that request out; the refusal, all but its time and data_bytes. */
struct message lock_service_expire(struct lock_service *service, struct lock_answer *answer);

#endif
