/* Races between commands and calls of the host: the check `races` where the race check of kernels (race/race.h) cannot
 * see.
 *
 * THE RULE.  Two commands or calls race when they access the same bytes, one of them writes, and order.h orders neither
 * before the other.  The finding has the kind "race" and the cause "host-without-wait".  A command's accesses are known
 * when it is over: a kernel's by instruction (struct lockstep_access), the others' by what they copy.
 *
 * Accesses that are ordered by other means must not be reported.  So
 *   - launches that overlapped on the GPU are left to the race check of kernels, which sees how they synchronise;
 *   - atomic and volatile accesses race only with plain accesses of other kernels;
 *   - a value that a copy, or a kernel by an atomic or volatile access, has written, and that another kernel has read
 * by an atomic or volatile access, counts as a release and an acquire;
 *   - a kernel with such an access to memory that the host may access without a call (managed, pinned, shared) may
 *     communicate with the host: from then on each is taken to know what the other has done.
 * All pairs are judged when nothing is under way, in the order of enqueueing, so that the findings do not depend on
 * time.
 *
 * WRITES OF THE HOST.  Of what the host writes without a call to managed, pinned or shared memory, that is seen which
 * changes bytes while commands are enqueued and none is under way, as only the host can have done it: whenever a
 * command is enqueued, and when they are flushed, the memory is compared with a copy.  What has changed counts as a
 * call of the host between the two.  And a copy notices that its source has changed since it was enqueued.
 *
 * NOT SEEN: what the host reads without a call; what it writes so while commands are under way, or to mapped memory or
 * its own, or with the value that is there.
 *
 * Every function here is called with driver_lock held, unless it says otherwise; they do nothing while order.h is off.
 */
#ifndef LOCKSTEP_HOST_HOST_RACE_H
#define LOCKSTEP_HOST_HOST_RACE_H

#include "host/device.h"
#include "host/order.h"
#include "host/origin.h"
#include "lockstep.h"

#include <stddef.h>

struct command;

/* What a command accesses, while it is made, carried out, or ended; by the command itself, or with driver_lock. */

/* The command accesses a box.  `call` names the access; the text stays.  driver_lock is NOT needed. */
void host_race_box(struct command *command, const char *call, const struct host_box *box, bool writes);
/* The same for a straight piece; for one that it frees; and for a word, by an access that counts as atomic. */
void host_race_bytes(struct command *command, const char *call, const void *at, size_t bytes, bool writes);
void host_race_free(struct command *command, const char *call, const void *at, size_t bytes, const struct freed_by *by);
void host_race_word(struct command *command, const char *call, const void *at, size_t bytes, bool writes);
/* A launch of the command has ended.  driver_lock is NOT held. */
void host_race_launch(struct command *command, const struct lockstep_result *result);
/* The command will copy from this box, which the host might change before that.  The first is called before it is
 * enqueued, the second when it is carried out.  driver_lock is NOT needed. */
void host_race_source(struct command *command, const char *call, const struct host_box *box);
void host_race_copies(struct command *command);

/* The command, not enqueued, may begin before the one of this point is over, but comes after all else of `order`. */
void host_race_early(struct command *command, const struct order *order, struct order_point point);
/* The command is enqueued: completes its order, in which the front end has put what it knows, and sets its point. */
void host_race_append(struct command *command);
/* The same for a part of a command. */
void host_race_insert(struct command *part, struct command *whole);
/* What is enqueued may be carried out from now on. */
void host_race_flush(void);
/* The command is over; nothing is under way any more. */
void host_race_over(struct command *command);
void host_race_idle(void);
/* The command is freed; it may not have been enqueued. */
void host_race_discard(struct command *command);
/* The host accesses bytes by a call, now.  Commands enqueued before `since`, a number on the host's chain, are not
 * judged against it. */
void host_race_call(const char *call, const void *at, size_t bytes, bool writes, uint64_t since);
/* The same: the host frees them. */
void host_race_frees(const char *call, const void *at, size_t bytes, const struct freed_by *by);
/* There is memory at this place.  is_new: it was allocated, so earlier accesses to the place are forgotten; otherwise
 * it is a variable, which may have been accessed already.  `origin`, or else `name`, names it; both may be null.  No
 * lock is needed. */
void host_race_placed(
	const void *at, size_t bytes, uint64_t address, const char *name, struct origin *origin, bool is_new);
/* The host may access this memory without a call from now on.  No lock is needed. */
void host_race_shared(uint64_t address);

#endif
