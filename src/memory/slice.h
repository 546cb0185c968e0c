/* One L2 slice at work: ports, tags, atomic unit, requests that wait, replies.
 *
 * WHEN A REQUEST TAKES EFFECT
 *
 * A slice accepts requests one after another, in order of arrival.  At that moment a store writes the memory's bytes,
 * an atomic operates on them, and a load reads them: even a load that misses and will be answered only when DRAM has
 * brought the line.  Every request thus takes effect between its sending and its answer, and all effects on one line,
 * which belongs to one slice, are in the order of acceptance.  It follows that:
 *   - One location has one order of values (coherence).  Messages of one core to one slice are accepted in the order
 *     in which they were sent, so the core's second load of an address is never older than the first, its load after
 *     its own store sees that store, and its load before its own store does not see it, even if the load missed and
 *     the store did not wait.
 *   - A store is acknowledged after its acceptance; so when a fence has all acknowledgements, every load or atomic
 *     that any core sends from then on is accepted later and sees the stores.
 *   - Atomics are indivisible.
 * Reading a missing line's bytes at acceptance gives the values that hardware gives: an MSHR keeps the requests to one
 * line in order and replays them when the line arrives, and a later store is merged after the load.  Replaying in order
 * of acceptance and reading at acceptance give the same values, as requests to other lines do not change a line's
 * bytes.  Likewise atomics on one word, which are atomic.interval apart, take effect in order of acceptance: only their
 * answers are delayed, and with them the answers of later loads and stores of that line.
 *
 * Requests to a lock unit that queues (lock_service.h) are accepted like atomics: a release and a granted acquire write
 * the word; an acquire that must wait becomes a record.  When its turn comes, the slice itself makes it a request
 * again, which takes effect when it is accepted.  That request goes before all messages in the inbox; but where records
 * lie in memory, other requests may have been accepted between the release and it.  So locks are handed on in the
 * line's order of acceptance, the new owner is answered after the word has its id, and the loads that it then sends see
 * all stores accepted before the release.
 *
 * TIME
 *
 * A request enters through the slice's port (flits), takes the data array l2.port bytes a cycle, and is answered
 * l2.latency later if all its sectors are there.  Those that are not are asked of DRAM, a burst or more each; the
 * answer leaves when the last has come.  A request that cannot be accepted (all MSHRs in use, too many requests waiting
 * for one sector, all ways of the set with outstanding sectors, too many requests in DRAM's backlog) blocks those after
 * it; they stay in the inbox, which has no limit: back-pressure reaches cores as late answers, not as refused packets.
 * As no request overtakes another, none starves: a whole-line store waits only for those before it.  A lock request
 * that is next in its queue, and accesses to records of lock requests, go before the inbox: each belongs to a request
 * that was accepted before, so their number is bounded by that of requests.  They do not use the port; they can be
 * blocked like others, and then block the inbox.  A lock request that only has to wait takes the port, and the array
 * for one cycle, but no line.
 *
 * COHERENT L1S
 *
 * With a directory (directory.h) cores ask for lines, and loads, stores and atomics take effect in the L1 that has the
 * line; here they only cost time.  Since at no time one core may write a line and another unit read it, all of them
 * work on the bytes of memory itself, and messages only say which core may: each such word is handed on by messages, so
 * what a core finds does not depend on threads.  What does go past the L1s takes effect as above, when its line has
 * been recalled.
 *
 * A request takes the array for a cycle, or as long as it reads a line there; l2.latency later its probes leave, or its
 * grant if there are none.  A grant whose data another L1 gives leaves l2.latency after the last answer.  Answers and
 * evictions of unchanged lines take the port only; changed lines are written to the L2 like stores of whole lines.  A
 * request that waits for answers blocks only others for its line: answers are in the same inbox, so nothing may block
 * them for ever.  DRAM alone does that for a time, and it needs no answers. */
#ifndef LOCKSTEP_MEMORY_SLICE_H
#define LOCKSTEP_MEMORY_SLICE_H

#include "memory/address_map.h"
#include "memory/address_space.h"
#include "memory/atomic_unit.h"
#include "memory/directory.h"
#include "memory/dram.h"
#include "memory/journal.h"
#include "memory/l2.h"
#include "memory/l2_parts.h"
#include "memory/lock_service.h"
#include "memory/message.h"
#include "memory/partition_counters.h"
#include "memory/snapshot.h"
#include "memory/write_log.h"
#include "util/calendar.h"

/* Why the head of the queue is not accepted. */
enum slice_state {
	SLICE_READY,
	/* ready, but an access of the slice itself goes first: see lock_service.h; or a request that has waited in the
	 * directory */
	SLICE_HAS_ACCESS,
	SLICE_WAITS_FOR_ROOM, /* in DRAM's backlog */
	SLICE_WAITS_FOR_FILL, /* outstanding sectors */
};

/* A reply that cannot leave yet. */
struct waiter {
	struct calendar_item due; /* of a complete reply */
	struct waiter *next;      /* the next waiter for the same line, in order of acceptance; or in the free list */
	struct waiter *joined;    /* of a bulk copy: others, that leave with it */
	struct message reply;     /* all but its time */
	uint32_t index;           /* the line, in the L2 */
	uint8_t missing;          /* sectors */
	uint8_t is_big;
	uint8_t is_bulk;      /* of a bulk copy: see slice_bulk.c; a big one has struct multicast behind the line */
	uint8_t numbers;      /* of an atomic: enum atomic_numbers */
	uint32_t entry_count; /* of an atomic whose line is missing: the number of its entries */
	struct atomic_entry *entries;
	uint64_t data[]; /* the payload of the reply; a line's bytes, LINE_BYTES at most, or more in a big one */
};

#define SLICE_RECENT 64 /* a power of two */

/* Where a recently served line is in the L2: the lines of locks are requested again and again. */
struct recent_place {
	uint64_t line; /* 0: none */
	struct address_place place;
	uint32_t index; /* in the L2, if the tag there is still the line's */
	uint8_t left_sectors;
	uint64_t left; /* when the latest reply to a bulk copy leaves, with these sectors */
};

/* Who records what is written. */
struct slice_watch {
	struct journal *journal;    /* every write; null: none does */
	struct effect_log *effects; /* all atomics; null: none does */
	struct write_log *writes;   /* the writes to some words; null: none does */
	bool any;                   /* one of these does */
};

struct slice {
	const struct gpu_model *model;
	const struct lock_unit *lock_unit;
	const struct address_map *map;
	const struct address_space *space;
	struct dram *dram;
	struct slice *after; /* the next of the channel, behind the last the first */
	struct arena *arena;
	struct partition_counters *counters;
	struct l2 l2;
	struct l2_parts *parts; /* null: the L2 has one */
	struct atomic_unit atomics;
	uint32_t index, local; /* of the GPU, of the channel */
	struct recent_place recent[SLICE_RECENT];
	enum slice_state state;
	uint64_t port_in, array, port_out; /* next free cycles */
	uint32_t port_out_hundredths;      /* of a cycle, beyond port_out: of what cores load */
	bool takes_packets;                /* atomics take the port otherwise than by their flits: see slice.c */
	uint32_t port_in_part;             /* of a cycle, in parts as of the atomic unit, beyond port_in */
	uint64_t resume;                   /* accepts nothing before this cycle, in which its wait ended */
	uint64_t service_time;             /* of the next request, kept by partition_run */
	uint32_t mshrs;                    /* outstanding sectors */
	/* the mark of a line that can be written without more ado: LINE_SAVED or, without a snapshot, 0 */
	uint8_t plain_mark;
	struct snapshot_log *saved; /* with a snapshot */
	/* the space's, of each line from address 0 on, were there any below GLOBAL_BASE */
	const uint8_t *marks;
	struct slice_watch watch;
	struct lock_service *locks;  /* null: no lock request has come yet */
	struct directory *directory; /* of coherent L1s; null: they are not */
	bool lock_recalls;      /* the first access of `locks` waits until its line is recalled, and is parked in the
				   directory */
	struct waiter *free[2]; /* small, big */
	uint64_t late_time; /* when the first in `late` leaves, or the next lock request times out; UINT64_MAX: neither
			     */
	struct calendar late; /* complete replies, which leave at a known time */
};

void slice_create(struct slice *slice, struct arena *arena, uint32_t index);

/* When the slice will next look at a message; UINT64_MAX when there is none, or the head waits. */
static inline uint64_t slice_next_service(const struct slice *slice, struct inbox *inbox)
{
	uint64_t port = slice->port_in > slice->array ? slice->port_in : slice->array, time;
	if (slice->state == SLICE_READY)
		time = inbox_time(inbox);
	else if (slice->state == SLICE_HAS_ACCESS)
		time = 0;
	else
		return UINT64_MAX;
	time = slice->resume > time ? slice->resume : time;
	return port > time ? port : time;
}
/* Tries to accept the first message of `inbox` at cycle `now`, which slice_next_service has returned; sets
 * `state`. */
void slice_serve(struct slice *slice, struct inbox *inbox, struct outbox *out, uint64_t now);

/* partition_read_code.  Requests that come before it do not wait for it; those behind it wait as long as the array and
 * the port are taken for it. */
uint64_t slice_read_code(struct slice *slice, uint64_t from, uint64_t now);

/* DRAM has brought what `cookie` names, at cycle `now`. */
void slice_fill(struct slice *slice, struct outbox *out, uint64_t cookie, uint64_t now);

/* Sends the first of `late`, or refuses the lock request that times out. */
void slice_send_late(struct slice *slice, struct outbox *out);

/* The lock service has an access that may go on. */
static inline bool slice_has_lock_access(const struct slice *slice)
{
	return slice->locks && slice->locks->access_count && !slice->lock_recalls;
}

/* The state of a slice that is not blocked. */
static inline enum slice_state slice_ready_state(const struct slice *slice)
{
	return slice_has_lock_access(slice) || (slice->directory && directory_ready(slice->directory))
		       ? SLICE_HAS_ACCESS
		       : SLICE_READY;
}

/* The fields of a DRAM cookie, by their first bits: sectors, index of the line, slice of the channel. */
#define COOKIE_SECTORS 4
#define COOKIE_SLICE 36

#endif
