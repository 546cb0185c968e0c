/* Making and enqueueing commands, and what becomes of their events. */
#include "host/opencl/command.h"

#include "host/host_race.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

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
		if (list[k]->object.context != queue->object.context)
			return CL_INVALID_CONTEXT;
	return queue->failure;
}

/* Keeps an event until this one is over; there is room. */
static void come_after(cl_event event, cl_event earlier)
{
	object_hold(earlier);
	event->command.before[event->command.before_count++] = (struct command_order){.earlier = &earlier->command};
}

/* Lets go of what the command needs no longer once it is over. */
static void let_go(cl_event event)
{
	for (cl_uint k = 0; k < event->command.before_count; k++)
		object_drop(command_event(event->command.before[k].earlier));
	for (cl_uint k = 0; k < event->kept_count; k++)
		object_drop(event->kept[k]);
	event->command.before_count = event->wait_count = event->kept_count = 0;
	if (event->discard)
		event->discard(event->work);
	event->discard = NULL;
	free(event->command.before);
	free(event->kept);
	free(event->work);
	event->command.before = NULL;
	event->kept = NULL;
	event->work = NULL;
}

static void destroy(struct object *object)
{
	cl_event event = (cl_event)object;
	assert(!event->callbacks); /* a command's event is held until it is over, and all were called then */
	let_go(event);
	host_race_discard(&event->command);
	object_drop(event->queue);
}

cl_event command_new(cl_command_queue queue, cl_command_type type, cl_uint count, const cl_event *list,
	enum engine engine, run_function *run, const void *work, size_t bytes)
{
	cl_event event = object_new(OBJECT_EVENT, sizeof *event, destroy, queue->object.context, NULL);
	if (!event)
		return NULL;
	event->queue = queue;
	object_hold(queue);
	event->type = type;
	event->command =
		(struct command){.owner = &event_owner, .status = COMMAND_QUEUED, .engine = engine, .run = run};
	event->command.before = calloc(count + 1, sizeof *event->command.before);
	event->work = calloc(1, bytes + 1);
	if (!event->command.before || !event->work) {
		command_discard(event);
		return NULL;
	}
	if (work)
		memcpy(event->work, work, bytes);
	for (cl_uint k = 0; k < count; k++)
		come_after(event, list[k]);
	event->wait_count = count;
	return event;
}

bool command_hold(cl_event event, void *object)
{
	struct object **more = realloc(event->kept, (event->kept_count + 1) * sizeof *more);
	if (!more)
		return false;
	object_hold(object);
	event->kept = more;
	event->kept[event->kept_count++] = object;
	return true;
}

void command_discard(cl_event event)
{
	object_release(event);
}

cl_event command_new_on(cl_mem memory, cl_command_queue queue, cl_command_type type, cl_uint count,
	const cl_event *list, run_function *run, const void *work, size_t bytes)
{
	cl_event event = command_new(queue, type, count, list, ENGINE_COPY, run, work, bytes);
	if (!event || command_hold(event, memory))
		return event;
	command_discard(event);
	return NULL;
}

/* ---- While it is carried out ---- */

static int32_t inherited(const struct command *command)
{
	cl_event event = command_event(command);
	for (cl_uint k = 0; k < event->wait_count; k++)
		if (command->before[k].earlier->status < 0)
			return CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
	return event->queue->failure;
}

/* Takes the callbacks that are due, in the order in which they were registered. */
static struct callback *take_due(cl_event event)
{
	struct callback *due = NULL, **end = &due;
	for (struct callback **at = &event->callbacks; *at;) {
		struct callback *c = *at;
		if (c->status < event->command.status) {
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

/* Calls the callbacks that wait for the new status. */
static void changed(struct command *command)
{
	cl_event event = command_event(command);
	int32_t status = command->status;
	struct callback *due = take_due(event);
	if (!due)
		return;
	mutex_unlock(&driver_lock);
	while (due) {
		struct callback *next = due->next;
		due->call.event(event, status < 0 ? status : due->status, due->data);
		free(due);
		due = next;
	}
	mutex_lock(&driver_lock);
}

static bool is_in_order(const struct _cl_command_queue *queue)
{
	return !(queue->flags & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
}

/* What the event's command is before, from now on. */
static void note_order(cl_event event)
{
	cl_command_queue queue = event->queue;
	order_join(&queue->all, &event->command.order);
	if (is_in_order(queue) || event->type == CL_COMMAND_BARRIER)
		order_join(&queue->order, &event->command.order);
}

static void over(struct command *command)
{
	cl_event event = command_event(command);
	cl_command_queue queue = event->queue;
	note_order(event);
	if (queue->last == event)
		queue->last = NULL, object_drop(event);
	if (queue->barrier == event)
		queue->barrier = NULL, object_drop(event);
	mutex_unlock(&driver_lock);
	let_go(event); /* may destroy memory objects and so call back */
	object_drop(event);
	mutex_lock(&driver_lock);
}

static bool queued(const struct command *command, const struct command *runner, struct arena *arena,
	struct lockstep_queued *queued)
{
	const struct _cl_event *event = command_event(command);
	unsigned long long number = event->queue ? event->queue->number : 0;
	if (!event->queued || !event->queue)
		return false;
	queued->what = command_call(command);
	event->queued(event->work, arena, queued);
	if (!runner)
		queued->where = arena_printf(arena, "in command queue %llu, which has not been flushed since", number);
	else if (command_event(runner)->queue == event->queue)
		queued->where = arena_printf(arena, "behind kernel %s in command queue %llu", runner->kernel, number);
	else
		queued->where = arena_printf(arena,
			"in command queue %llu, which comes after kernel %s in command queue %llu by an event", number,
			runner->kernel, (unsigned long long)command_event(runner)->queue->number);
	return queued->what;
}

const struct command_owner event_owner = {.inherited = inherited, .changed = changed, .queued = queued, .over = over};

/* ---- Enqueueing ---- */

static bool comes_after_all(const struct _cl_event *event)
{
	bool is_order = event->type == CL_COMMAND_MARKER || event->type == CL_COMMAND_BARRIER;
	return is_order && !event->wait_count;
}

/* The newest command of a queue at or before `from` that is not over; null: none. */
static cl_event newest_of(cl_command_queue queue, const struct command *from)
{
	for (; from; from = from->previous)
		if (command_event(from)->queue == queue)
			return command_event(from);
	return NULL;
}

/* What the queue's order makes the command wait for. */
static bool add_order(cl_event event)
{
	cl_command_queue queue = event->queue;
	bool in_order = is_in_order(queue);
	size_t count = event->wait_count + 1;
	bool after_all = !in_order && comes_after_all(event);
	for (cl_event e = after_all ? newest_of(queue, commands_newest()) : NULL; e;
		e = newest_of(queue, e->command.previous))
		count++;
	struct command_order *more = realloc(event->command.before, count * sizeof *more);
	if (!more)
		return false;
	event->command.before = more;
	order_join(&event->command.order, after_all ? &queue->all : &queue->order);
	if (in_order) {
		if (queue->last)
			come_after(event, queue->last);
	} else if (after_all) {
		for (cl_event e = newest_of(queue, commands_newest()); e; e = newest_of(queue, e->command.previous))
			come_after(event, e);
	} else if (queue->barrier) {
		come_after(event, queue->barrier);
	}
	return true;
}

static void append(cl_event event)
{
	cl_command_queue queue = event->queue;
	object_hold(event);
	commands_append(&event->command);
	note_order(event);
	cl_event *last = is_in_order(queue) ? &queue->last : &queue->barrier;
	if (last == &queue->barrier && event->type != CL_COMMAND_BARRIER)
		return;
	object_hold(event);
	object_drop(*last); /* still in the list of commands, so this is not its last hold */
	*last = event;
}

const char *command_call(const struct command *command)
{
	static const struct {
		cl_command_type type;
		const char *call;
	} calls[] = {
		{CL_COMMAND_READ_BUFFER, "clEnqueueReadBuffer"},
		{CL_COMMAND_WRITE_BUFFER, "clEnqueueWriteBuffer"},
		{CL_COMMAND_COPY_BUFFER, "clEnqueueCopyBuffer"},
		{CL_COMMAND_READ_BUFFER_RECT, "clEnqueueReadBufferRect"},
		{CL_COMMAND_WRITE_BUFFER_RECT, "clEnqueueWriteBufferRect"},
		{CL_COMMAND_COPY_BUFFER_RECT, "clEnqueueCopyBufferRect"},
		{CL_COMMAND_FILL_BUFFER, "clEnqueueFillBuffer"},
		{CL_COMMAND_MAP_BUFFER, "clEnqueueMapBuffer"},
		{CL_COMMAND_MAP_IMAGE, "clEnqueueMapImage"},
		{CL_COMMAND_UNMAP_MEM_OBJECT, "clEnqueueUnmapMemObject"},
		{CL_COMMAND_SVM_MEMCPY, "clEnqueueSVMMemcpy"},
		{CL_COMMAND_SVM_MEMFILL, "clEnqueueSVMMemFill"},
		{CL_COMMAND_SVM_FREE, "clEnqueueSVMFree"},
		{CL_COMMAND_READ_IMAGE, "clEnqueueReadImage"},
		{CL_COMMAND_WRITE_IMAGE, "clEnqueueWriteImage"},
		{CL_COMMAND_COPY_IMAGE, "clEnqueueCopyImage"},
		{CL_COMMAND_FILL_IMAGE, "clEnqueueFillImage"},
		{CL_COMMAND_COPY_IMAGE_TO_BUFFER, "clEnqueueCopyImageToBuffer"},
		{CL_COMMAND_COPY_BUFFER_TO_IMAGE, "clEnqueueCopyBufferToImage"},
	};
	for (size_t k = 0; k < sizeof calls / sizeof *calls; k++)
		if (calls[k].type == command_event(command)->type)
			return calls[k].call;
	return "a command";
}

void command_flush(void)
{
	mutex_lock(&driver_lock);
	commands_flush();
	mutex_unlock(&driver_lock);
}

cl_int command_enqueue(cl_event event, bool blocking, cl_event *out)
{
	cl_int status = CL_SUCCESS;
	if (!event)
		return CL_OUT_OF_HOST_MEMORY;
	mutex_lock(&driver_lock);
	if (blocking && commands_in_worker())
		status = CL_INVALID_OPERATION; /* from a callback: it would wait for itself */
	else if (!commands_start_worker() || !add_order(event))
		status = CL_OUT_OF_HOST_MEMORY;
	if (!status)
		append(event);
	if (!status && blocking) {
		commands_wait(&event->command);
		status = event->command.status < 0 ? event->command.status : CL_SUCCESS;
	}
	mutex_unlock(&driver_lock);
	if (out && !status)
		*out = event;
	else
		object_release(event);
	return status;
}

/* ---- Waiting ---- */

cl_int command_finish(cl_command_queue queue)
{
	cl_int status = CL_SUCCESS;
	cl_event event;
	mutex_lock(&driver_lock);
	if (commands_in_worker())
		status = CL_INVALID_OPERATION;
	while (!status && (event = newest_of(queue, commands_newest()))) {
		object_hold(event);
		commands_wait(&event->command);
		mutex_unlock(&driver_lock);
		object_drop(event);
		mutex_lock(&driver_lock);
	}
	if (!status)
		order_host_knows(&queue->all);
	status = status ? status : queue->failure;
	mutex_unlock(&driver_lock);
	return status;
}
