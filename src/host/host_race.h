/* Races of commands and calls of the host: the check `races` for what the race check of kernels (race/race.h) cannot
 * see.
 *
 * THE RULE.  Two of them race when they access the same bytes, one of them writes, and neither is before the other by
 * order.h: the finding is of kind "race", cause "host-without-wait".  What commands access is known when they are over:
 * of kernels by instruction (struct lockstep_access), of the others by what they copy.
 *
 * It must not tell of what is ordered by other means, so
 *   - launches that overlapped on the GPU are left to the race check of kernels, which sees how they synchronise;
 *   - atomic or volatile accesses race with nothing but plain ones of other kernels;
 *   - what a kernel has written by an atomic or volatile access, or a copy, and another kernel has read by such, is
 * taken for a release and an acquire;
 *   - a kernel that accesses memory by such which the host may access without a call (managed, pinned, shared) may talk
 *     with it: from then on they are taken to know of each other.
 * All that is judged when nothing is under way, in the order of enqueueing, so that what is found does not depend on
 * time.
 *
 * NOT SEEN: what the host reads and writes without a call, in managed, pinned, shared or mapped memory or in its own,
 * but for one thing: what a copy from such memory finds changed since it was enqueued.
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

/* The command accesses a box; `call` is how it is named, and stays.  driver_lock is NOT needed. */
void host_race_box(struct command *command, const char *call, const struct host_box *box, bool writes);
/* The same of a straight piece. */
void host_race_bytes(struct command *command, const char *call, const void *at, size_t bytes, bool writes);
/* A launch of the command has ended.  driver_lock is NOT held. */
void host_race_launch(struct command *command, const struct lockstep_result *result);
/* The command will copy from this box, which the host might change before; called when it is about to be enqueued, and
 * when it is carried out.  driver_lock is NOT needed. */
void host_race_source(struct command *command, const char *call, const struct host_box *box);
void host_race_copies(struct command *command);

/* The command is enqueued: its order, which has what the front end knows, and its point. */
void host_race_append(struct command *command);
/* The command is over; nothing is under way any more. */
void host_race_over(struct command *command);
void host_race_idle(void);
/* It goes, and was not enqueued. */
void host_race_discard(struct command *command);
/* The host accesses bytes by a call, now.  What was enqueued before `since`, a number of the host's, is not judged with
 * it. */
void host_race_call(const char *call, const void *at, size_t bytes, bool writes, uint64_t since);
/* Memory is there; is_new: it was allocated, so what accessed the place before is forgotten; else it is a variable,
 * which may have been accessed already.  It is called as `origin` says, or `name`; both may be null.  And memory
 * becomes the host's, too.  These need no lock. */
void host_race_placed(
	const void *at, size_t bytes, uint64_t address, const char *name, struct origin *origin, bool is_new);
void host_race_shared(uint64_t address);

#endif
