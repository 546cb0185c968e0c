/* Making, enqueueing and carrying out commands. */
#include "host/opencl/command.h"

#include "host/opencl/device.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* All guarded by driver_lock. */
static cl_event first, newest;                  /* commands that are not over */
static pthread_cond_t work_to_do = PTHREAD_COND_INITIALIZER;
static pthread_cond_t something_over = PTHREAD_COND_INITIALIZER;
static uint64_t host_time, engine_free[ENGINE_COUNT];
static pthread_t worker;
static pid_t worker_process; /* a child that a fork made has no worker */

static bool is_over(const struct _cl_event *event)
{
	return event->status <= CL_COMPLETE;
}

uint64_t command_copy_time(size_t bytes)
{
	cl_device_id device = device_get();
	return device->copy_latency + (uint64_t)((__uint128_t)bytes * 1000000000u / device->copy_bandwidth);
}

/* ---- Making ---- */

cl_int command_check(cl_command_queue queue, cl_uint count, const cl_event *list)
{
	if (!object_is(queue, OBJECT_QUEUE))
		return CL_INVALID_COMMAND_QUEUE;
	if (!count != !list)
		return CL_INVALID_EVENT_WAIT_LIST;
	for (cl_uint k = 0; k < count; k++)
		if (!object_is(list[k], OBJECT_EVENT))
			return CL_INVALID_EVENT_WAIT_LIST;
	for (cl_uint k = 0; k < count; k++)
		if (list[k]->context != queue->context)
			return CL_INVALID_CONTEXT;
	return queue->failure;
}

/* Lets go of what the command needs no longer once it is over. */
static void let_go(cl_event event)
{
	for (cl_uint k = 0; k < event->wait_count; k++)
		object_drop(event->wait[k]);
	for (cl_uint k = 0; k < event->before_count; k++)
		object_drop(event->before[k]);
	for (cl_uint k = 0; k < event->kept_count; k++)
		object_drop(event->kept[k]);
	event->wait_count = event->before_count = event->kept_count = 0;
	if (event->discard)
		event->discard(event->work);
	event->discard = NULL;
	free(event->wait);
	free(event->before);
	free(event->kept);
	free(event->work);
	event->wait = event->before = NULL;
	event->kept = NULL;
	event->work = NULL;
}

static void destroy(struct object *object)
{
	cl_event event = (cl_event)object;
	let_go(event);
	while (event->callbacks) {
		struct callback *next = event->callbacks->next;
		free(event->callbacks);
		event->callbacks = next;
	}
	object_drop(event->queue);
	object_drop(event->context);
	free(event);
}

cl_event command_new(cl_command_queue queue, cl_command_type type, cl_uint count, const cl_event *list, enum engine engine,
	run_function *run, size_t bytes)
{
	cl_event event = object_new(OBJECT_EVENT, sizeof *event, destroy);
	if (!event)
		return NULL;
	event->context = queue->context;
	event->queue = queue;
	object_hold(queue->context);
	object_hold(queue);
	event->type = type;
	event->status = CL_QUEUED;
	event->engine = engine;
	event->run = run;
	event->wait = calloc(count + 1, sizeof *event->wait);
	event->work = calloc(1, bytes + 1);
	if (!event->wait || !event->work) {
		command_discard(event);
		return NULL;
	}
	for (cl_uint k = 0; k < count; k++) {
		object_hold(list[k]);
		event->wait[event->wait_count++] = list[k];
	}
	return event;
}

bool command_hold(cl_event command, void *object)
{
	struct object **more = realloc(command->kept, (command->kept_count + 1) * sizeof *more);
	if (!more)
		return false;
	object_hold(object);
	command->kept = more;
	command->kept[command->kept_count++] = object;
	return true;
}

void command_discard(cl_event command)
{
	object_release(command);
}

/* ---- The worker ---- */

static bool is_ready(const struct _cl_event *event)
{
	for (cl_uint k = 0; k < event->wait_count; k++)
		if (!is_over(event->wait[k]))
			return false;
	for (cl_uint k = 0; k < event->before_count; k++)
		if (!is_over(event->before[k]))
			return false;
	return event->flushed;
}

static cl_event first_ready(void)
{
	for (cl_event event = first; event; event = event->next)
		if (!event->launch && is_ready(event))
			return event;
	return NULL;
}

/* The error that the command has before it begins. */
static cl_int inherited_error(const struct _cl_event *event)
{
	for (cl_uint k = 0; k < event->wait_count; k++)
		if (event->wait[k]->status < 0)
			return CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
	return event->queue->failure;
}

static uint64_t later(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

static uint64_t start_of(const struct _cl_event *event)
{
	uint64_t start = later(event->submitted, event->engine == ENGINE_NONE ? 0 : engine_free[event->engine]);
	for (cl_uint k = 0; k < event->wait_count; k++)
		start = later(start, event->wait[k]->ended);
	for (cl_uint k = 0; k < event->before_count; k++)
		start = later(start, event->before[k]->ended);
	return start;
}

/* Takes the callbacks that are due, in the order in which they were registered. */
static struct callback *take_due(cl_event event)
{
	struct callback *due = NULL, **end = &due;
	for (struct callback **at = &event->callbacks; *at;) {
		struct callback *c = *at;
		if (c->status < event->status) {
			at = &c->next;
			continue;
		}
		*at = c->next;
		c->next = NULL;
		*end = c;
		end = &c->next;
	}
	return due;
}

/* Changes the status and calls who waits to hear of it.  driver_lock is held, but for the calls. */
static void change_status(cl_event event, cl_int status)
{
	event->status = status;
	struct callback *due = take_due(event);
	if (!due)
		return;
	pthread_mutex_unlock(&driver_lock);
	while (due) {
		struct callback *next = due->next;
		due->call.event(event, status < 0 ? status : due->status, due->data);
		free(due);
		due = next;
	}
	pthread_mutex_lock(&driver_lock);
}

static void unlink_command(cl_event event)
{
	*(event->previous ? &event->previous->next : &first) = event->next;
	*(event->next ? &event->next->previous : &newest) = event->previous;
}

/* driver_lock is held. */
static void end_command(cl_event event, cl_int status)
{
	cl_command_queue queue = event->queue;
	unlink_command(event);
	change_status(event, status);
	if (queue->last == event)
		queue->last = NULL, object_drop(event);
	if (queue->barrier == event)
		queue->barrier = NULL, object_drop(event);
	pthread_cond_broadcast(&something_over);
	pthread_mutex_unlock(&driver_lock);
	let_go(event); /* may destroy memory objects and so call back */
	object_drop(event);
	pthread_mutex_lock(&driver_lock);
}

static cl_int carry_out(cl_event event, uint64_t *nanoseconds)
{
	cl_int status;
	if (!event->run)
		return CL_COMPLETE;
	if (event->engine == ENGINE_NONE)
		return event->run(event, nanoseconds);
	device_lock();
	status = event->run(event, nanoseconds);
	device_unlock();
	return status;
}

/* driver_lock is held. */
static void run_command(cl_event event)
{
	uint64_t nanoseconds = 0;
	cl_int status = inherited_error(event);
	event->started = event->ended = start_of(event);
	change_status(event, CL_SUBMITTED);
	if (!status) {
		change_status(event, CL_RUNNING);
		pthread_mutex_unlock(&driver_lock);
		status = carry_out(event, &nanoseconds);
		pthread_mutex_lock(&driver_lock);
	}
	event->ended = event->started + nanoseconds;
	if (event->engine != ENGINE_NONE)
		engine_free[event->engine] = event->ended;
	end_command(event, status);
}

/* ---- Kernels ----
 *
 * Those that run together began at one moment of the GPU's clock, which is one of the host's: the epoch. */

static struct {
	uint64_t nanoseconds, cycle;
	bool has_cycle;
} epoch;
static cl_uint running; /* kernels */

/* Starts the kernel's next launch.  driver_lock is held; false: it has none, or an error. */
static bool start_launch(cl_event event, cl_int *status)
{
	uint64_t number = 0;
	pthread_mutex_unlock(&driver_lock);
	device_lock();
	*status = event->start(event, &number);
	device_unlock();
	pthread_mutex_lock(&driver_lock);
	event->launch = *status ? 0 : number;
	return event->launch;
}

/* driver_lock is held. */
static void start_kernel(cl_event event)
{
	cl_int status = inherited_error(event);
	event->started = event->ended = start_of(event);
	change_status(event, CL_SUBMITTED);
	if (!running) {
		epoch.nanoseconds = event->started;
		epoch.has_cycle = false;
	}
	if (!status)
		change_status(event, CL_RUNNING);
	if (status || !start_launch(event, &status))
		end_command(event, status);
	else
		running++;
}

/* When a launch began, on the host's clock.  In functional mode, which has none, those that run together began together. */
static uint64_t start_of_launch(const struct _cl_event *event, const struct lockstep_result *result)
{
	if (result->mode == LOCKSTEP_FUNCTIONAL)
		return event->started;
	if (!epoch.has_cycle)
		epoch.cycle = result->start;
	epoch.has_cycle = true;
	return later(event->started, epoch.nanoseconds + device_nanoseconds(result->start - epoch.cycle));
}

static cl_event event_of(uint64_t launch)
{
	for (cl_event event = first; event; event = event->next)
		if (event->launch == launch)
			return event;
	return NULL;
}

/* Runs the GPU until a kernel's launch has ended.  driver_lock is held. */
static void run_kernels(void)
{
	pthread_mutex_unlock(&driver_lock);
	device_lock();
	const struct lockstep_result *result = lockstep_finish(device_get()->gpu);
	pthread_mutex_lock(&driver_lock);
	cl_event event = event_of(result->number);
	bool is_first = event->ended == event->started;
	pthread_mutex_unlock(&driver_lock);
	uint64_t nanoseconds = 0;
	cl_int status = event->ended_launch(event, result, &nanoseconds);
	device_unlock();
	pthread_mutex_lock(&driver_lock);
	if (is_first)
		event->started = event->ended = start_of_launch(event, result);
	event->ended += nanoseconds;
	event->launch = 0;
	if (!status && start_launch(event, &status))
		return;
	running--;
	engine_free[ENGINE_KERNEL] = later(engine_free[ENGINE_KERNEL], event->ended);
	end_command(event, status);
}

static void *work(void *nothing)
{
	pthread_mutex_lock(&driver_lock);
	for (;;) {
		cl_event event = first_ready();
		if (event && event->start)
			start_kernel(event);
		else if (event)
			run_command(event);
		else if (running)
			run_kernels();
		else
			pthread_cond_wait(&work_to_do, &driver_lock);
	}
	return nothing;
}

/* The worker ends with the process.  It blocks all signals: they are the application's threads' business. */
static bool start_worker(void)
{
	sigset_t all, before;
	if (worker_process == getpid())
		return true;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	int why = pthread_create(&worker, NULL, work, NULL);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (!why)
		worker_process = getpid();
	return !why;
}

static bool in_worker(void)
{
	return worker_process == getpid() && pthread_equal(worker, pthread_self());
}

/* ---- Enqueueing ---- */

static bool comes_after_all(const struct _cl_event *event)
{
	bool is_order = event->type == CL_COMMAND_MARKER || event->type == CL_COMMAND_BARRIER;
	return is_order && !event->wait_count;
}

/* What the queue's order makes the command wait for. */
static bool add_order(cl_event event)
{
	cl_command_queue queue = event->queue;
	cl_uint count = 0;
	bool in_order = !(queue->flags & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
	for (cl_event e = first; e; e = e->next)
		count += e->queue == queue;
	event->before = calloc(in_order ? 1 : count + 1, sizeof *event->before);
	if (!event->before)
		return false;
	if (in_order) {
		if (queue->last)
			event->before[event->before_count++] = queue->last;
	} else if (comes_after_all(event)) {
		for (cl_event e = first; e; e = e->next)
			if (e->queue == queue)
				event->before[event->before_count++] = e;
	} else if (queue->barrier) {
		event->before[event->before_count++] = queue->barrier;
	}
	for (cl_uint k = 0; k < event->before_count; k++)
		object_hold(event->before[k]);
	return true;
}

static void append(cl_event event)
{
	cl_command_queue queue = event->queue;
	event->previous = newest;
	*(newest ? &newest->next : &first) = event;
	newest = event;
	event->queued = host_time;
	object_hold(event);
	cl_event *newest_of = queue->flags & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE ? &queue->barrier : &queue->last;
	if (newest_of == &queue->barrier && event->type != CL_COMMAND_BARRIER)
		return;
	object_hold(event);
	object_drop(*newest_of); /* still in the list of commands, so this is not its last hold */
	*newest_of = event;
}

static void flush(void)
{
	for (cl_event event = newest; event && !event->flushed; event = event->previous) {
		event->flushed = true;
		event->submitted = host_time;
	}
	pthread_cond_signal(&work_to_do);
}

void command_flush(void)
{
	pthread_mutex_lock(&driver_lock);
	flush();
	pthread_mutex_unlock(&driver_lock);
}

/* driver_lock is held. */
static void wait_for(cl_event event)
{
	flush();
	while (!is_over(event))
		pthread_cond_wait(&something_over, &driver_lock);
	host_time = later(host_time, event->ended);
}

cl_int command_enqueue(cl_event event, bool blocking, cl_event *out)
{
	cl_int status = CL_SUCCESS;
	pthread_mutex_lock(&driver_lock);
	if (blocking && in_worker())
		status = CL_INVALID_OPERATION; /* from a callback: it would wait for itself */
	else if (!start_worker() || !add_order(event))
		status = CL_OUT_OF_HOST_MEMORY;
	if (!status)
		append(event);
	if (!status && blocking) {
		wait_for(event);
		status = event->status < 0 ? event->status : CL_SUCCESS;
	}
	pthread_mutex_unlock(&driver_lock);
	if (out && !status)
		*out = event;
	else
		object_release(event);
	return status;
}

/* ---- Waiting ---- */

cl_int command_wait(cl_uint count, const cl_event *list)
{
	cl_int status = CL_SUCCESS;
	pthread_mutex_lock(&driver_lock);
	if (in_worker())
		status = CL_INVALID_OPERATION;
	for (cl_uint k = 0; k < count && status != CL_INVALID_OPERATION; k++) {
		wait_for(list[k]);
		if (list[k]->status < 0)
			status = CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
	}
	pthread_mutex_unlock(&driver_lock);
	return status;
}

static cl_event last_of(cl_command_queue queue)
{
	for (cl_event event = newest; event; event = event->previous)
		if (event->queue == queue)
			return event;
	return NULL;
}

cl_int command_finish(cl_command_queue queue)
{
	cl_int status = CL_SUCCESS;
	cl_event event;
	pthread_mutex_lock(&driver_lock);
	if (in_worker())
		status = CL_INVALID_OPERATION;
	while (!status && (event = last_of(queue))) {
		object_hold(event);
		wait_for(event);
		pthread_mutex_unlock(&driver_lock);
		object_drop(event);
		pthread_mutex_lock(&driver_lock);
	}
	status = status ? status : queue->failure;
	pthread_mutex_unlock(&driver_lock);
	return status;
}

cl_int command_status(cl_event event)
{
	pthread_mutex_lock(&driver_lock);
	flush();
	cl_int status = event->status;
	if (is_over(event))
		host_time = later(host_time, event->ended);
	pthread_mutex_unlock(&driver_lock);
	return status;
}

void command_settle(cl_event event, cl_int status)
{
	pthread_mutex_lock(&driver_lock);
	event->queued = event->submitted = event->started = event->ended = host_time;
	change_status(event, status);
	pthread_cond_broadcast(&something_over);
	pthread_cond_signal(&work_to_do);
	pthread_mutex_unlock(&driver_lock);
}
