/* Lock units: what answers the lock instructions (paper 1). */
#ifndef LOCKSTEP_POLICY_LOCK_H
#define LOCKSTEP_POLICY_LOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LOCK_NO_RECORD UINT32_MAX

/* Where a request stands. */
enum lock_stage {
	LOCK_IS_WAITING, /* for its turn */
	LOCK_HAS_TURN,   /* it is tried as soon as the memory pipeline accepts it */
	LOCK_IS_HELD,    /* it has the lock, until that is released */
};

/* One lane's request in a memory partition's slice. */
struct lock_record {
	uint64_t address; /* of the lock's or semaphore's word */
	uint64_t since;   /* cycle at which it came */
	uint64_t until;   /* cycle at which it is refused if its turn has not come; UINT64_MAX: never */
	uint32_t id;      /* of the thread: what the word of a lock becomes */
	uint16_t core;
	uint8_t lane;
	uint8_t stage; /* enum lock_stage */
	uint32_t next; /* behind it in the queue of its address; LOCK_NO_RECORD: it is the last */
	/* The slice's own: */
	uint32_t previous; /* before it; of the first: the last */
	uint32_t timer;    /* its place among those that wait for `until`; LOCK_NO_RECORD: not among them */
	uint32_t token;    /* of the message that brought it */
	uint8_t op;        /* enum lock_op */
};

/* One state per slice, zeroed, in the arena of the launch; made when the first request comes. */
struct lock_unit {
	const char *name, *summary;
	/* A divergence model that has entries for lanes that hold a lock, or try again, uses them; else a lock
	 * instruction is a compare-and-swap in a loop. */
	bool has_entries;
	/* Requests wait in the memory partition, and are answered when it is their turn; else they are atomics,
	 * answered at once, and the core tries again.  The partition keeps the records of each address in a list, in
	 * order of arrival. */
	bool queues;
	size_t state_size;
	/* With `queues`: the lock has been released, or the semaphore signalled, and there are requests that wait:
	 * whose turn is it? records[first], records[records[first].next] and so on wait for this address, the oldest
	 * first.  `released` is the record of the one that had the lock; null at a semaphore, and when the lock was had
	 * without a record. */
	uint32_t (*next)(
		void *state, const struct lock_record *records, uint32_t first, const struct lock_record *released);
};

#endif
