/* The directory of an L2 slice: which coherent L1s have which of the slice's lines, and what must happen before another
 * may.  It is the protocol alone, without time.
 *
 * A line is in an L1 in one of the five states of Sweazey and Smith (A Class of Compatible Cache Consistency Protocols,
 * ISCA 1986):
 *
 *     state      others have it  differs from the L2       may be written
 *     MODIFIED   no              yes                       yes
 *     OWNED      SHARED          yes                       no
 *     EXCLUSIVE  no              no                        yes, and becomes MODIFIED
 *     SHARED     perhaps         no, unless one has OWNED  no
 *     INVALID                                              no
 *
 * What a core asks for, and what the directory asks of L1s before:
 *
 *     request  line is    probe                 afterwards
 *     SHARE    nowhere    none                  requester EXCLUSIVE
 *              SHARED     none                  requester SHARED
 *              M, O or E  SHARE to the owner    M, O: owner OWNED; E: owner SHARED; requester SHARED, owner's data
 *     OWN      nowhere    none                  requester MODIFIED
 *              elsewhere  TAKE to the owner,    all others INVALID, requester MODIFIED; data of the owner, of the
 *                         INVALIDATE to others  L2, or none if the requester has it
 *
 * What goes past the L1s (copies in bulk, requests of lock queues) first recalls the line: for reading from its owner,
 * for writing from all.  An owner that has changed the line then evicts it, so that the L2 has it.
 *
 * The directory blocks: while it waits for answers to probes of a line, or a granted line has not left yet, requests
 * for that line wait, in order of their arrival.  L1s say so when they evict a line, also an unchanged one.  Messages
 * of one core about one line, and those of a slice to one core, arrive as they were sent.  From both follows:
 *   - Each L1 that has a line is known: evictions on their way aside, owner and sharers are exact.
 *   - A probe meets the line, or the line's eviction has been sent before the answer and has come before it.
 *   - A grant comes before every probe that was sent after it. */
#ifndef LOCKSTEP_MEMORY_DIRECTORY_H
#define LOCKSTEP_MEMORY_DIRECTORY_H

#include "memory/message.h"

enum line_state { LINE_INVALID, LINE_SHARED, LINE_EXCLUSIVE, LINE_OWNED, LINE_MODIFIED };

static inline bool line_is_owned(enum line_state state)
{
	return state > LINE_SHARED;
}
static inline bool line_is_dirty(enum line_state state)
{
	return state > LINE_EXCLUSIVE;
}
static inline bool line_may_be_written(enum line_state state)
{
	return state == LINE_MODIFIED || state == LINE_EXCLUSIVE;
}

enum probe {
	PROBE_SHARE,      /* an owner gives its data and keeps the line, OWNED or SHARED */
	PROBE_TAKE,       /* an owner gives its data and loses the line */
	PROBE_INVALIDATE, /* the line goes, without data */
	PROBE_RECALL,     /* the line goes; changed data goes to the L2, as MESSAGE_EVICTED before the answer */
};
static inline bool probe_wants_data(enum probe probe)
{
	return probe == PROBE_SHARE || probe == PROBE_TAKE;
}

#define DIRECTORY_NOBODY 0xffffu

struct directory_probe {
	uint16_t core;
	uint8_t probe; /* enum probe */
};

/* Where the data of a grant comes from. */
enum grant_data { GRANT_FROM_L2, GRANT_FORWARDED, GRANT_UPGRADES };

/* Grows in its arena. */
struct directory;
struct directory *directory_create(struct arena *arena, uint32_t cores);
/* No L1 has anything, and nothing is on its way. */
void directory_clear(struct directory *directory);

/* Whether requests for the line have to wait: then directory_park keeps a copy of the message, which directory_ready
 * gives back. */
bool directory_waits(const struct directory *directory, uint64_t line);
void directory_park(struct directory *directory, const struct message *request);
/* The first parked request that goes on; null: none.  It stays until directory_served. */
const struct message *directory_ready(const struct directory *directory);

/* What L1s must be asked before the request is served: *count of them, in order of the cores, good until the next call.
 * A request whose probes are answered needs none. */
const struct directory_probe *directory_probes(
	struct directory *directory, const struct message *request, uint32_t *count);
/* They are sent.  `request` is parked, if it is not yet. */
void directory_probing(struct directory *directory, const struct message *request, uint32_t count);
/* MESSAGE_PROBED, MESSAGE_EVICTED. */
void directory_probed(struct directory *directory, const struct message *answer);
void directory_evicted(struct directory *directory, const struct message *eviction);

/* MESSAGE_SHARE, MESSAGE_OWN with nothing left to be asked: where its data comes from; grants it, which blocks the line
 * until directory_served: the state for the requester. */
enum grant_data directory_data(const struct directory *directory, const struct message *request);
enum line_state directory_grant(struct directory *directory, const struct message *request);
/* A request past the L1s has been carried out, or a parked one been granted: it is forgotten. */
void directory_drop(struct directory *directory, const struct message *request);
/* The line's grant has left, or its request past the L1s has been carried out: the next that waits may go on. */
void directory_served(struct directory *directory, uint64_t line);

/* ---- For audits ---- */

/* Whether the directory knows that the core may have the line in this state. */
bool directory_allows(const struct directory *directory, uint64_t line, uint32_t core, enum line_state state);
/* Nothing waits. */
bool directory_is_idle(const struct directory *directory);

#endif
