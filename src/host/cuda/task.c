/* Tasks: the commands of streams, and the order among them. */
#include "host/cuda/objects.h"

#include "host/cuda/graph.h"
#include "util/demangle.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* Guarded by driver_lock. */
cudaError_t sticky_error;

cudaError_t error_before(void)
{
	if (!device_get())
		return cudaErrorNoDevice;
	device_reach(CHANNEL_CONTEXT);
	mutex_lock(&driver_lock);
	if (!error_is_muted())
		driver_follow_runtime();
	cudaError_t error = sticky_error;
	mutex_unlock(&driver_lock);
	return error;
}

cudaError_t error_unless(bool good)
{
	cudaError_t error = error_before();
	return error || good ? error : cudaErrorInvalidValue;
}

/* A workspace stays: freeing it takes driver_lock, which is held. */
void stream_drop(struct cuda_stream *stream)
{
	assert(stream->holds);
	if (--stream->holds)
		return;
	assert(!stream->last && !stream->capture && !stream->is_legacy);
	order_free(&stream->order);
	free(stream);
}

void task_drop(struct task *task)
{
	mutex_must_be_held(&driver_lock);
	assert(!task || task->holds);
	if (!task || --task->holds)
		return;
	assert(task->stream->last != task);
	for (uint32_t k = 0; k < task->command.before_count; k++)
		task_drop(task_of(task->command.before[k].earlier));
	if (task->kind && task->kind->discard)
		task->kind->discard(task->work);
	stream_drop(task->stream);
	host_race_discard(&task->command);
	free(task->command.before);
	free(task);
}

static int32_t inherited(const struct command *command)
{
	(void)command;
	return -(int32_t)sticky_error;
}

/* The tasks before it are not needed any more; the task itself may be, for its times. */
static void over(struct command *command)
{
	struct task *task = task_of(command);
	order_join(&task->stream->order, &command->order);
	for (uint32_t k = 0; k < command->before_count; k++)
		task_drop(task_of(command->before[k].earlier));
	command->before_count = 0;
	if (task->stream->last == task) {
		task->stream->last = NULL;
		task_drop(task);
	}
	task_drop(task);
}

/* ---- Commands that come after a kernel that runs ---- */

const char *stream_place(const struct cuda_stream *stream)
{
	return stream->is_legacy ? "the legacy default stream" : origin_place("stream", stream->id);
}

/* The first command on the way from `command` to what runs whose predecessor is in another stream; null: none. */
static const struct task *crossing(const struct command *command, const struct task **earlier)
{
	while (command && !command->launch) {
		const struct command *next = command_pending_before(command);
		*earlier = next ? task_of(next) : NULL;
		if (next && task_of(next)->stream != task_of(command)->stream)
			return task_of(command);
		command = next;
	}
	return NULL;
}

static bool waits_by_rule(const struct cuda_stream *later, const struct cuda_stream *earlier)
{
	return (later->is_legacy && !(earlier->flags & cudaStreamNonBlocking)) ||
	       (earlier->is_legacy && !(later->flags & cudaStreamNonBlocking));
}

/* "behind kernel waits in stream 2" */
static const char *place_behind(const struct command *command, const struct command *runner, struct arena *arena)
{
	const struct task *earlier = NULL, *later = crossing(command, &earlier);
	const char *kernel = demangle_brief(arena, runner->kernel);
	const char *own = stream_place(task_of(command)->stream), *other = stream_place(task_of(runner)->stream);
	if (!later)
		return arena_printf(arena, "behind kernel %s in %s", kernel, own);
	if (waits_by_rule(later->stream, earlier->stream))
		return arena_printf(arena,
			"in %s, which waits for kernel %s in %s: the legacy default stream and blocking streams "
			"wait for each other",
			own, kernel, other);
	return arena_printf(
		arena, "in %s, which comes after kernel %s in %s by an event or a graph", own, kernel, other);
}

static bool queued(const struct command *command, const struct command *runner, struct arena *arena,
	struct lockstep_queued *queued)
{
	const struct task *task = task_of(command);
	if (!runner || !task->kind || !task->kind->queued) /* without a flush it begins all the same */
		return false;
	task->kind->queued(task->work, arena, queued);
	queued->where = place_behind(command, runner, arena);
	return queued->what;
}

static const struct command_owner owner = {.inherited = inherited, .queued = queued, .over = over};

struct task *task_new(struct cuda_stream *stream, const struct work_kind *kind, const void *work)
{
	struct task *task = calloc(1, sizeof *task + (kind ? kind->bytes : 0));
	if (!task)
		return NULL;
	task->command = (struct command){.owner = &owner, .status = COMMAND_QUEUED};
	if (kind) {
		task->command.engine = kind->engine;
		task->command.run = kind->run;
		task->command.start = kind->start;
		task->command.may_begin = kind->may_begin;
		task->command.ended_launch = kind->ended_launch;
		memcpy(task->work, work, kind->bytes);
		if (kind == &launch_kind)
			task->command.kernel = ((const struct launch *)task->work)->what.kernel;
	}
	task->kind = kind;
	task->stream = stream;
	task->holds = 1;
	stream->holds++;
	return task;
}

/* The array has room for a power of two. */
static bool come_after(struct task *task, struct task *earlier)
{
	struct command *command = &task->command;
	uint32_t count = command->before_count;
	if (!earlier || command_is_over(&earlier->command))
		return true;
	if (!(count & (count - 1))) {
		struct command_order *more = realloc(command->before, (count ? count * 2 : 1) * sizeof *more);
		if (!more)
			return false;
		command->before = more;
	}
	assert(earlier != task && earlier->holds);
	earlier->holds++;
	command->before[command->before_count++] = (struct command_order){.earlier = &earlier->command};
	return true;
}

bool task_come_after(struct task *task, struct task *earlier)
{
	if (earlier)
		order_join(&task->command.order, &earlier->command.order);
	return come_after(task, earlier);
}

bool task_come_early(struct task *task, struct task *earlier)
{
	bool are_kernels = task->kind == &launch_kind && earlier->kind == &launch_kind;
	if (!are_kernels || !launches_may_be_early())
		return task_come_after(task, earlier);
	uint32_t count = task->command.before_count;
	if (!come_after(task, earlier))
		return false;
	for (; count < task->command.before_count; count++)
		task->command.before[count].is_early = true;
	return true;
}

static bool may_be_early(const struct task *task)
{
	return task->kind == &launch_kind && ((const struct launch *)task->work)->given.is_early;
}

/* After the stream's newest task, a kernel, but for what the task itself does before a griddepcontrol.wait. */
static bool come_early(struct task *task, const struct cuda_stream *stream)
{
	uint32_t count = task->command.before_count;
	if (stream->kernel.number)
		host_race_early(&task->command, &stream->order, stream->kernel);
	if (!come_after(task, stream->last))
		return false;
	for (; count < task->command.before_count; count++)
		task->command.before[count].is_early = true;
	return true;
}

static bool come_after_last(struct task *task, const struct cuda_stream *stream)
{
	bool is_kernel = stream->kernel.number || (stream->last && stream->last->kind == &launch_kind);
	if (stream == task->stream && is_kernel && may_be_early(task))
		return come_early(task, stream);
	order_join(&task->command.order, &stream->order);
	return task_come_after(task, stream->last);
}

/* A legacy stream's tasks come after all that is in blocking streams, and theirs after its. */
bool task_come_after_stream(struct task *task)
{
	const struct cuda_stream *stream = task->stream;
	bool good = come_after_last(task, stream);
	if (stream->is_legacy) {
		for (const struct cuda_stream *s = streams_first(); s; s = s->next)
			if (!(s->flags & cudaStreamNonBlocking))
				good = good && come_after_last(task, s);
		good = good && streams_come_after_destroyed(task);
	} else if (!(stream->flags & cudaStreamNonBlocking)) {
		good = good && come_after_last(task, streams_legacy());
	}
	return good;
}

void task_append(struct task *task)
{
	commands_append(&task->command);
	order_join(&task->stream->order, &task->command.order);
	if (task->kind == &host_call_kind) /* the host may learn by it that all before is over */
		order_host_knows(&task->command.order);
	task->stream->kernel = task->kind == &launch_kind ? task->command.point : (struct order_point){0};
	task_drop(task->stream->last);
	task->stream->last = task;
	task->holds++;
	if (task->stream->is_legacy)
		streams_forget_destroyed();
}

/* The error of a task that is over, as the application gets it. */
static cudaError_t error_of(const struct command *command)
{
	return command->status < 0 ? (cudaError_t)-command->status : cudaSuccess;
}

cudaError_t task_wait(struct task *task)
{
	cudaError_t error;
	mutex_must_be_held(&driver_lock);
	if (!task) {
		pools_waited();
		return sticky_error;
	}
	if (commands_in_worker())
		return cudaErrorNotPermitted;
	task->holds++;
	commands_wait(&task->command);
	error = error_of(&task->command);
	task_drop(task);
	pools_waited();
	return error;
}

cudaError_t task_enqueue(struct task *task, struct task *event, bool waits)
{
	cudaError_t error = waits && commands_in_worker() ? cudaErrorNotPermitted : cudaSuccess;
	if (!error && (!commands_start_worker() || !task_come_after(task, event) || !task_come_after_stream(task)))
		error = cudaErrorMemoryAllocation;
	if (error)
		task_drop(task);
	else
		task_append(task);
	if (!error && waits)
		error = task_wait(task);
	return error;
}

cudaError_t work_submit(struct cuda_stream *stream, const struct work_kind *kind, const void *work, bool waits)
{
	mutex_lock(&driver_lock);
	cudaError_t error = capture_check(stream, waits);
	if (!error && stream->capture) {
		error = capture_work(stream, kind, work);
		mutex_unlock(&driver_lock);
		return error;
	}
	struct task *task = error ? NULL : task_new(stream, kind, work);
	if (task && kind == &copy_kind && !waits)
		copy_watch(task);
	if (task)
		error = task_enqueue(task, NULL, waits);
	else if (kind->discard)
		kind->discard((void *)(uintptr_t)work);
	if (!task && !error)
		error = cudaErrorMemoryAllocation;
	mutex_unlock(&driver_lock);
	return error;
}

cudaError_t tasks_finish(void)
{
	cudaError_t error = cudaSuccess;
	mutex_lock(&driver_lock);
	while (!error && commands_newest())
		error = task_wait(task_of(commands_newest()));
	error = error ? error : sticky_error;
	order_host_knows_all();
	pools_waited();
	mutex_unlock(&driver_lock);
	return error;
}

/* An application may query in a loop: so each query flushes. */
cudaError_t task_query(struct task *const *at)
{
	cudaError_t error;
	mutex_lock(&driver_lock);
	const struct task *task = *at;
	commands_flush();
	error = sticky_error;
	if (!error && task && !command_is_over(&task->command))
		error = cudaErrorNotReady;
	else if (task)
		commands_seen(&task->command);
	mutex_unlock(&driver_lock);
	return error;
}
