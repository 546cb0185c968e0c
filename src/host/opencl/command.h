/* Commands: an event each, whether the application asks for it or not.
 *
 *     cl_int why = command_check(queue, count, list);
 *     cl_event command = why ? NULL : command_new(queue, CL_COMMAND_COPY_BUFFER, count, list, copy, sizeof work);
 *     *(struct work *)command->work = ...; command_hold(command, buffer);
 *     return command_enqueue(command, blocking, event);
 *
 * A worker thread carries out what is flushed and has its dependencies complete, of several ready ones that which was enqueued
 * first: kernels are started, and run together when nothing else is ready; everything else is done one at a time.  Commands are flushed together when the application flushes any queue or
 * waits for anything, not one by one as it enqueues them: so the order does not depend on how fast the host is.
 *
 * Time is simulated, in nanoseconds.  The host's clock moves only when the application waits: to the end of what it
 * waited for.  A command begins when it was flushed, what it depends on has ended and its engine (copies, kernels) is
 * free; so copies and kernels of different queues overlap in time. */
#ifndef LOCKSTEP_HOST_OPENCL_COMMAND_H
#define LOCKSTEP_HOST_OPENCL_COMMAND_H

#include "host/opencl/objects.h"

enum engine { ENGINE_NONE, ENGINE_COPY, ENGINE_KERNEL, ENGINE_COUNT };

/* Does the work; the device's lock is held, but for ENGINE_NONE.  *nanoseconds is how long it
 * took, 0 when not set.  CL_SUCCESS, or the error that becomes the event's status. */
typedef cl_int run_function(cl_event command, uint64_t *nanoseconds);

/* A kernel instead: starts its next launch and sets *number to it, 0 when none is left; and hears of its end, with the time it took.
 * An error of either ends the command.  The device's lock is held. */
typedef cl_int start_function(cl_event command, uint64_t *number);
typedef cl_int ended_function(cl_event command, const struct lockstep_result *result, uint64_t *nanoseconds);

struct _cl_event {
	struct object object;
	struct _cl_context *context;
	struct _cl_command_queue *queue; /* null for user events */
	cl_command_type type;
	cl_int status;       /* CL_QUEUED ... CL_COMPLETE, or an error: then it is over, too */
	cl_event *wait;      /* held: must be complete; an error in one of them is an error of this */
	cl_uint wait_count;
	cl_event *before;    /* held: must be over, by the queue's order */
	cl_uint before_count;
	struct object **kept; /* held until it is over */
	cl_uint kept_count;
	enum engine engine;
	run_function *run;   /* null: nothing to do but to come after others */
	start_function *start; /* kernels only */
	ended_function *ended_launch;
	uint64_t launch;       /* that runs; 0: none */
	void (*discard)(void *work); /* frees what work points to; null: nothing */
	void *work;
	bool flushed;
	uint64_t queued, submitted, started, ended;
	struct callback *callbacks;
	cl_event previous, next; /* commands that are not over, in the order of enqueueing */
};

/* The queue's failure, or what is wrong with queue or list. */
cl_int command_check(cl_command_queue queue, cl_uint count, const cl_event *list);
/* Null when there is no memory.  `work` has `bytes` zero bytes. */
cl_event command_new(cl_command_queue queue, cl_command_type type, cl_uint count, const cl_event *list, enum engine engine,
	run_function *run, size_t bytes);
/* Keeps an object until the command is over; false when there is no memory. */
bool command_hold(cl_event command, void *object);
/* Throws away a command that was not enqueued. */
void command_discard(cl_event command);
/* Enqueues it and gives the application its event, if it wants it; blocking: waits, and returns its error if it has one. */
cl_int command_enqueue(cl_event command, bool blocking, cl_event *event);

/* Everything enqueued so far may be carried out. */
void command_flush(void);
/* Waits until these are over. CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST when one of them failed. */
cl_int command_wait(cl_uint count, const cl_event *list);
/* Waits until nothing of the queue is unfinished. */
cl_int command_finish(cl_command_queue queue);

/* The status, for an application that asks: it may go on asking until it changes, so this flushes, and is a kind of wait. */
cl_int command_status(cl_event event);
/* The event is over, with this status: its callbacks are called, and what waits for it may go on. driver_lock is NOT held. */
void command_settle(cl_event event, cl_int status);

/* How long a copy between host and device takes, or within the device. */
uint64_t command_copy_time(size_t bytes);

#endif
