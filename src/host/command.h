/* Commands of a front end: what the application enqueued, carried out in order, and when it happened.
 *
 * A worker thread carries out the commands that are flushed and whose dependencies are over, in the order of
 * enqueueing: kernels are started, and run together when nothing else is ready; other commands are carried out one at a
 * time.  Commands are flushed together when the application flushes or waits for anything, not one by one as it
 * enqueues them: so the order does not depend on how fast the host is.
 *
 * Time is simulated, in nanoseconds.  The host's clock moves only when the application waits: to the end of what it
 * waited for.  A command begins when it was flushed, what it depends on has ended and its engine (copies, kernels) is
 * free; so copies and kernels of different queues overlap in time.
 *
 * Locks.  `driver_lock` guards all that changes in commands and in the front end's objects.  The device's lock
 * (device.h) is held while the simulated GPU is used, so also while a kernel runs; code that needs both takes the
 * device's first.  No lock is held while a callback of the application runs.  Every function here is called with
 * driver_lock held. */
#ifndef LOCKSTEP_HOST_COMMAND_H
#define LOCKSTEP_HOST_COMMAND_H

#include "host/actors.h"
#include "host/order.h"
#include "lockstep.h"
#include "report/channel.h"
#include "util/arena.h"
#include "util/mutex.h"

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

extern pthread_mutex_t driver_lock; /* by mutex_lock() and mutex_unlock() */

enum engine { ENGINE_NONE, ENGINE_COPY, ENGINE_KERNEL, ENGINE_COUNT };

/* The status counts down to COMMAND_COMPLETE, or ends in a negative error of the front end. */
enum { COMMAND_COMPLETE, COMMAND_RUNNING, COMMAND_SUBMITTED, COMMAND_QUEUED };

struct command;

/* Does the work; driver_lock is not held, the device's lock is, but for ENGINE_NONE.  *nanoseconds is how long it took,
 * 0 when not set.  0, or the error that becomes the command's status.  COMMAND_RUNNING: it is
 * called again when the part is over that it has enqueued (commands_continue_after). */
typedef int32_t run_function(struct command *command, uint64_t *nanoseconds);

/* Of kernels instead: start_function starts the next launch and sets *number to it, 0 when none is left; ended_function
 * is called at the launch's end, with the time it took.  An error of either ends the command.  The device's lock is
 * held, driver_lock is not. */
typedef int32_t start_function(struct command *command, uint64_t *number);
typedef int32_t ended_function(struct command *command, const struct lockstep_result *result, uint64_t *nanoseconds);

/* What the front end does at each step, with driver_lock held. */
struct command_owner {
	/* The error that the command gets before it begins, because an earlier one failed; 0: none. */
	int32_t (*inherited)(const struct command *command);
	/* Called when its status has changed; may be null.  May release the lock for a while. */
	void (*changed)(struct command *command);
	/* Describes what the command would do, if a kernel may wait for that, and why it cannot begin: it comes after
	 * `runner`, a kernel that runs, perhaps by way of other commands; null: it has not been flushed.  False: there
	 * is nothing to describe.  Texts and bytes are in the arena, or stay until the command is over.  May be null.
	 */
	bool (*queued)(const struct command *command, const struct command *runner, struct arena *arena,
		struct lockstep_queued *queued);
	/* Called when it is over and nothing here points to it any more: the front end frees it if it has no other use.
	 * May release the lock for a while. */
	void (*over)(struct command *command);
};

/* One command comes after another. */
struct command_order {
	struct command *earlier;    /* set by the front end */
	bool is_early;              /* likewise: the later one, a kernel, may begin before the earlier one is over */
	struct command *later;      /* set by command.c, as is what follows */
	struct command_order *next; /* of the same earlier one */
};

#define COMMAND_EARLY 4

/* Part of an object of the front end, which keeps it while it is enqueued. */
struct command {
	const struct command_owner *owner;
	enum engine engine;
	run_function *run; /* null: nothing to do but to come after others */
	bool (*may_begin)(
		const struct command *command); /* polled, once its dependencies are over, until true; null: always
						   true.  Running kernels are not interrupted for that */
	start_function *start;                  /* kernels only */
	const char *kernel;                     /* its name */
	uint32_t shown;                         /* the number by which `lockstep run` knows it while it has not begun */
	bool is_shown_begun;
	ended_function *ended_launch;
	struct command_order *before; /* those that must be over; kept by the front end until this one is */
	uint32_t before_count;
	struct command_order part;   /* .earlier: the newest part after which it continues; null: none */
	uint32_t unresolved;         /* of them, those that are not over */
	struct command_order *after; /* those that come after this one */
	int32_t status;
	bool flushed, has_waited; /* has_waited: may_begin was false */
	bool is_awaited;          /* a thread of the application waits for it, or has */
	uint64_t launch;          /* the one that runs; 0: none */
	uint64_t queued, submitted, started, ended;
	uint64_t sequence;               /* in the order of enqueueing */
	struct command *previous, *next; /* commands that are not over, in that order */
	struct command *next_ready;
	/* for order.h; what is before it is complete when it is over.  host_race_discard frees it */
	struct order order;
	struct order_point point;
	/* What it may overlap though it comes after it (is_early); more than there is room for come before it. */
	struct order_point early[COMMAND_EARLY];
	uint32_t early_count;
	struct host_accesses *accesses; /* host_race.h */
};

static inline bool command_is_over(const struct command *command)
{
	return command->status <= COMMAND_COMPLETE;
}

/* The first that it waits for and that is not over; null: none. */
static inline const struct command *command_pending_before(const struct command *command)
{
	for (uint32_t k = 0; k < command->before_count; k++)
		if (!command_is_over(command->before[k].earlier))
			return command->before[k].earlier;
	const struct command *part = command->part.earlier;
	return part && !command_is_over(part) ? part : NULL;
}

/* False: the host has no more threads. */
bool commands_start_worker(void);
/* In an interface without flushes the application may wait without a call to us.  Its commands then begin when it has
 * enqueued none for this many seconds.  0, the default: they never begin by themselves. */
void commands_set_patience(uint32_t seconds);
/* Enqueues it; the worker has been started. */
void commands_append(struct command *command);
/* Enqueues a part of a command that runs, flushed; called in that command's run function, with the lock. */
void commands_insert(struct command *part, struct command *whole);
/* Whether nothing but the command that runs, and what comes after it, can ever go on: no other may begin, and no thread
 * of the application can act.  For its run function. */
bool commands_wait_for(const struct command *command);
/* The command that runs continues after the part, which is its owner's to keep until then. */
void commands_continue_after(struct command *whole, struct command *part);
/* The newest command that is not over; `previous` leads to the others.  Null: none. */
struct command *commands_newest(void);
/* Whether something is flushed and not over. */
bool commands_are_under_way(void);
/* Everything enqueued so far may be carried out. */
void commands_flush(void);
/* Flushes and waits until it is over, which moves the host's clock; the caller keeps it meanwhile and is not the
 * worker. */
void commands_wait(struct command *command);
/* Called when the application has seen that the command is over: moves the host's clock, and orders what the
 * application does next after the command. */
void commands_seen(const struct command *command);
/* Whether the caller is the worker, in a callback: it must not wait for itself. */
bool commands_in_worker(void);
/* Called when the process ends: carries out what is enqueued, except what waits for something that can no longer
 * happen.  These three are called without the lock. */
enum channel_end commands_end(void);
/* Whether commands_end is running: memory of the application may then be gone, unless it waits for the command. */
bool commands_are_ending(void);
/* Called by the worker from time to time while kernels run: handles signals if the application has no thread left. */
void commands_look_around(void);
/* Whether a thread of the application can act; *seen says which.  For the worker, without the lock. */
bool commands_may_act(struct actors_seen *seen);
/* Ends a command that is never enqueued, as OpenCL's user events, with this status. */
void commands_settle(struct command *command, int32_t status);

#endif
