/* Commands of OpenCL: an event each, whether the application asks for it or not.
 *
 *     cl_int why = command_check(queue, count, list);
 *     if (!why)
 *             event = command_new_on(buffer, queue, CL_COMMAND_COPY_BUFFER, count, list, copy, &work, sizeof work);
 * return why ? why : command_enqueue(event, blocking, out);
 *
 * host/command.h says how they are carried out, and what time is. */
#ifndef LOCKSTEP_HOST_OPENCL_COMMAND_H
#define LOCKSTEP_HOST_OPENCL_COMMAND_H

#include "host/opencl/objects.h"

struct _cl_event {
	struct object object;
	struct command command;          /* its status is the event's */
	struct _cl_command_queue *queue; /* null for user events */
	cl_command_type type;
	/* the first of command.before are the list to wait for: an error in one of them is an error of this */
	cl_uint wait_count;
	struct object **kept; /* held until it is over */
	cl_uint kept_count;
	/* What it would do, as command_owner's, but for `where`; null: nothing that a kernel may wait for. */
	void (*queued)(const void *work, struct arena *arena, struct lockstep_queued *queued);
	void (*discard)(void *work); /* frees what work points to; null: nothing */
	void *work;
	struct callback *callbacks;
};

/* The event that a command is part of. */
static inline cl_event command_event(const struct command *command)
{
	return (cl_event)((uintptr_t)command - offsetof(struct _cl_event, command));
}

/* What the driver does for the commands of events. */
extern const struct command_owner event_owner;

/* The queue's failure, or what is wrong with queue or list. */
cl_int command_check(cl_command_queue queue, cl_uint count, const cl_event *list);
/* Null when there is no memory.  `work` is copied; null: zero bytes. */
cl_event command_new(cl_command_queue queue, cl_command_type type, cl_uint count, const cl_event *list,
	enum engine engine, run_function *run, const void *work, size_t bytes);
/* The same for a copy (ENGINE_COPY) that keeps a memory object. */
cl_event command_new_on(cl_mem memory, cl_command_queue queue, cl_command_type type, cl_uint count,
	const cl_event *list, run_function *run, const void *work, size_t bytes);
/* Keeps an object until the command is over; false when there is no memory. */
bool command_hold(cl_event event, void *object);
/* Throws away a command that was not enqueued. */
void command_discard(cl_event event);
/* Enqueues it and gives the application its event, if it wants it; blocking: waits, and returns its error if it has
 * one.  Null: CL_OUT_OF_HOST_MEMORY. */
cl_int command_enqueue(cl_event event, bool blocking, cl_event *out);

/* The function by which it was enqueued, of those that access memory. */
const char *command_call(const struct command *command);

/* Everything enqueued so far may be carried out. */
void command_flush(void);
/* Waits until nothing of the queue is unfinished. */
cl_int command_finish(cl_command_queue queue);

#endif
