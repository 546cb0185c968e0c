/* One L2 slice at work: ports, tags, atomic unit, requests that wait, replies.
 *
 * WHEN A REQUEST TAKES EFFECT
 *
 * A slice accepts requests one after another, in order of arrival.  At that moment a store writes the memory's bytes,
 * an atomic operates on them, and a load reads them: even a load that misses and will be answered only when DRAM has
 * brought the line.  The effect of every request thus lies between its being sent and its answer, and all effects on
 * one line, which belongs to one slice, are in one order: that of acceptance.  From this follows all that is wanted:
 *   - One location has one order of values (coherence).  Messages of one core to one slice are accepted in the order in
 *     which they were sent, so the core's second load of an address is never older than the first, its load behind its
 *     own store sees that store, and its load before its own store does not see it, even if the load missed and the
 *     store did not wait.
 *   - A store is acknowledged after its acceptance; so when a fence has all acknowledgements, every load or atomic
 *     that anybody sends from then on is accepted later and sees the stores.
 *   - Atomics are indivisible.
 * Reading a missing line's bytes at acceptance is what the hardware gives too: its MSHR keeps requests to one line in
 * order and replays them when the line comes; a later store to the line is merged behind the load.  Replaying in order
 * of acceptance and reading at acceptance give the same values, as requests to other lines do not matter to a line's
 * bytes. In the same way atomics on one word, which take turns atomic.interval apart, have done their work in order of
 * acceptance: what lags is the answer, and the answers of later loads and stores of that line with it.
 *
 * Lock requests of a unit that queues (lock_service.h) are accepted like atomics: a release writes the word, an
 * acquire that is granted does, and one that has to wait makes a record and is no request any more.  When its turn has
 * come it is a request again, of the slice's own, and takes effect when that is accepted: it goes before all that the
 * inbox has, but what was accepted since the release, which can be something only if records lie in memory, has had its
 * effect.  So a lock is handed on in the one order of the line, its new owner is told after the word has its id, and
 * the loads that it then sends see all stores accepted before the release.
 *
 * TIME
 *
 * A request enters through the slice's port (flits), takes the data array l2.port bytes a cycle, and is answered
 * l2.latency later if all its sectors are there.  Those that are not are asked of DRAM, a burst or more each; the
 * answer leaves when the last has come.  A request that cannot be accepted (all MSHRs taken, too many waiting on one
 * sector, all ways of the set on their way, too many requests before DRAM) holds up those behind it; they stay in the
 * inbox, which has no limit: back-pressure reaches cores as late answers, not as a refused packet.  As nothing
 * overtakes, nothing starves: a whole-line store waits for those before it and for nobody else.  A lock request whose
 * turn has come, and accesses to records of lock requests, go before the inbox's: each belongs to one that was accepted
 * before, so there are no more of them than there were requests.  They do not use the port; they are held up like
 * others, and then hold up the inbox.  A lock request that only has to wait takes the port, and the array for one
 * cycle, but no line. */
#ifndef LOCKSTEP_MEMORY_SLICE_H
#define LOCKSTEP_MEMORY_SLICE_H

#include "memory/address_map.h"
#include "memory/address_space.h"
#include "memory/atomic_unit.h"
#include "memory/dram.h"
#include "memory/journal.h"
#include "memory/l2.h"
#include "memory/lock_service.h"
#include "memory/message.h"
#include "memory/partition.h"
#include "memory/snapshot.h"

/* Why the head of the queue is not accepted. */
enum slice_state {
	SLICE_READY,
	SLICE_HAS_ACCESS,     /* ready, and an access of its own goes first: see lock_service.h */
	SLICE_WAITS_FOR_ROOM, /* in DRAM's backlog */
	SLICE_WAITS_FOR_FILL, /* of one of its own sectors */
};

/* A reply that cannot leave yet. */
struct waiter {
	struct calendar_item due; /* when it only waits for its time */
	struct waiter *next;      /* on the same line, in order of acceptance; or free */
	struct message reply;     /* all but its time */
	uint32_t index;           /* the line, in the L2 */
	uint8_t missing;          /* sectors */
	uint8_t is_big;
	uint32_t entry_count; /* atomics whose line is not there: of `entries` */
	struct atomic_entry *entries;
	uint64_t data[]; /* the payload of the reply; LINE_BYTES, or more in a big one */
};

#define SLICE_RECENT 64 /* a power of two */

/* Where a line that was served lately lies: the lines of locks are asked for over and over. */
struct recent_place {
	uint64_t line; /* 0: none */
	struct address_place place;
};

struct slice {
	const struct gpu_model *model;
	const struct lock_unit *lock_unit;
	const struct address_map *map;
	const struct address_space *space;
	struct dram *dram;
	struct arena *arena;
	struct partition_counters *counters;
	struct l2 l2;
	struct atomic_unit atomics;
	uint32_t index, local; /* of the GPU, of the channel */
	struct recent_place recent[SLICE_RECENT];
	enum slice_state state;
	uint64_t port_in, array, port_out; /* next free cycles */
	uint64_t resume;                   /* not before this cycle: when what it waited for happened */
	uint64_t service_time;             /* of the next request, kept by partition_run */
	uint32_t mshrs;                    /* sectors on their way */
	/* of a line for whose writing nothing is to be done beside: LINE_SAVED or, without a snapshot, 0 */
	uint8_t plain_mark;
	struct snapshot_log *saved; /* with a snapshot */
	/* the space's, of each line from address 0 on, were there any below GLOBAL_BASE */
	const uint8_t *marks;
	struct journal *journal;    /* told of every write; null: nobody asks */
	struct lock_service *locks; /* null: no lock request has come yet */
	struct waiter *free[2];     /* small, big */
	uint64_t late_time;         /* of the first in `late`, or of the next lock request whose time is over */
	struct calendar late;       /* replies that only wait for their time */
};

void slice_create(struct slice *slice, struct arena *arena, uint32_t index);

/* Forgets requests, replies and times, but not the tags; `arena`: for growth from now on. */
void slice_restart(struct slice *slice, struct arena *arena);

/* When the slice will next look at a message; UINT64_MAX when there is none, or the head waits. */
uint64_t slice_next_service(const struct slice *slice, struct inbox *inbox);
/* Tries to accept the first message of `inbox` at cycle `now`; sets `state`. */
void slice_serve(struct slice *slice, struct inbox *inbox, struct outbox *out, uint64_t now);

/* DRAM has brought what `cookie` names, at cycle `now`. */
void slice_fill(struct slice *slice, struct outbox *out, uint64_t cookie, uint64_t now);

/* When the first of the replies that only wait for their time leaves, or a lock request is refused because its time is
 * over; UINT64_MAX: there is none. */
static inline uint64_t slice_late_time(const struct slice *slice)
{
	return slice->late_time;
}
void slice_send_late(struct slice *slice, struct outbox *out);

/* The state when nothing holds up the slice. */
static inline enum slice_state slice_ready_state(const struct slice *slice)
{
	return slice->locks && lock_service_has_access(slice->locks) ? SLICE_HAS_ACCESS : SLICE_READY;
}

/* A cookie: sectors, index of the line, slice of the channel, each from its bit up. */
#define COOKIE_SECTORS 4
#define COOKIE_SLICE 36

#endif
