/* The worker that carries out commands, and the clock. */
#include "host/command.h"

#include "host/device.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

pthread_mutex_t driver_lock = PTHREAD_MUTEX_INITIALIZER;

/* All guarded by driver_lock. */
static struct command *first, *newest; /* commands that are not over */
static struct command *ready;          /* flushed, with all before them over, and not begun: in the order of enqueueing */
static pthread_cond_t work_to_do = PTHREAD_COND_INITIALIZER;
static pthread_cond_t something_over = PTHREAD_COND_INITIALIZER;
static uint64_t newest_end; /* of the commands that are over */
static uint64_t host_time, engine_free[ENGINE_COUNT], appended; /* appended: commands so far */
static uint32_t waiting_threads;       /* of the application, in commands_wait */
static pthread_t worker;
static pid_t worker_process; /* a child that a fork made has no worker */

static uint64_t later(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

static void make_ready(struct command *command)
{
	struct command **at = &ready;
	while (*at && (*at)->sequence < command->sequence)
		at = &(*at)->next_ready;
	command->next_ready = *at;
	*at = command;
}

/* Commands may be ready and wait for what is in memory. */
static bool some_may_begin(void)
{
	for (const struct command *command = ready; command; command = command->next_ready)
		if (!command->may_begin || command->may_begin(command))
			return true;
	return false;
}

static struct command *take_ready(void)
{
	for (struct command **at = &ready; *at; at = &(*at)->next_ready) {
		struct command *command = *at;
		if (command->may_begin && !command->may_begin(command)) {
			command->has_waited = true;
			continue;
		}
		*at = command->next_ready;
		return command;
	}
	return NULL;
}

/* Notes what the command waits for. */
static void resolve_before(struct command *command)
{
	for (uint32_t k = 0; k < command->before_count; k++) {
		struct command_order *order = &command->before[k];
		if (command_is_over(order->earlier))
			continue;
		order->later = command;
		order->next = order->earlier->after;
		order->earlier->after = order;
		command->unresolved++;
	}
}

/* The command is over: those that came after it may be ready. */
static void resolve_after(struct command *command)
{
	for (struct command_order *order = command->after; order; order = order->next)
		if (!--order->later->unresolved && order->later->flushed)
			make_ready(order->later);
	command->after = NULL;
}

static uint64_t start_of(const struct command *command)
{
	uint64_t start = later(command->submitted, command->engine == ENGINE_NONE ? 0 : engine_free[command->engine]);
	for (uint32_t k = 0; k < command->before_count; k++)
		start = later(start, command->before[k].earlier->ended);
	return command->has_waited ? later(start, newest_end) : start; /* something that is over let it begin */
}

static void change_status(struct command *command, int32_t status)
{
	command->status = status;
	if (command->owner->changed)
		command->owner->changed(command);
}

static void end_command(struct command *command, int32_t status)
{
	*(command->previous ? &command->previous->next : &first) = command->next;
	*(command->next ? &command->next->previous : &newest) = command->previous;
	newest_end = later(newest_end, command->ended);
	change_status(command, status);
	resolve_after(command);
	if (command->is_awaited)
		pthread_cond_broadcast(&something_over);
	command->owner->over(command);
}

/* driver_lock is not held. */
static int32_t carry_out(struct command *command, uint64_t *nanoseconds)
{
	if (!command->run)
		return COMMAND_COMPLETE;
	if (command->engine == ENGINE_NONE)
		return command->run(command, nanoseconds);
	device_lock();
	int32_t status = command->run(command, nanoseconds);
	device_unlock();
	return status;
}

static void run_command(struct command *command)
{
	uint64_t nanoseconds = 0;
	int32_t status = command->owner->inherited(command);
	command->started = command->ended = start_of(command);
	change_status(command, COMMAND_SUBMITTED);
	if (!status) {
		change_status(command, COMMAND_RUNNING);
		pthread_mutex_unlock(&driver_lock);
		status = carry_out(command, &nanoseconds);
		pthread_mutex_lock(&driver_lock);
	}
	command->ended = command->started + nanoseconds;
	if (command->engine != ENGINE_NONE)
		engine_free[command->engine] = command->ended;
	end_command(command, status);
}

/* ---- Kernels ----
 *
 * Those that run together began at one moment of the GPU's clock, which is one of the host's: the epoch. */

static struct {
	uint64_t nanoseconds, cycle;
	bool has_cycle;
} epoch;
static uint32_t running; /* kernels */

/* Starts the kernel's next launch.  False: it has none, or an error. */
static bool start_launch(struct command *command, int32_t *status)
{
	uint64_t number = 0;
	pthread_mutex_unlock(&driver_lock);
	device_lock();
	*status = command->start(command, &number);
	device_unlock();
	pthread_mutex_lock(&driver_lock);
	command->launch = *status ? 0 : number;
	return command->launch;
}

static void start_kernel(struct command *command)
{
	int32_t status = command->owner->inherited(command);
	command->started = command->ended = start_of(command);
	change_status(command, COMMAND_SUBMITTED);
	if (!running) {
		epoch.nanoseconds = command->started;
		epoch.has_cycle = false;
	}
	if (!status)
		change_status(command, COMMAND_RUNNING);
	if (status || !start_launch(command, &status))
		end_command(command, status);
	else
		running++;
}

/* When a launch began, on the host's clock.  In functional mode, which has none, those that run together began together. */
static uint64_t start_of_launch(const struct command *command, const struct lockstep_result *result)
{
	if (result->mode == LOCKSTEP_FUNCTIONAL)
		return command->started;
	if (!epoch.has_cycle)
		epoch.cycle = result->start;
	epoch.has_cycle = true;
	return later(command->started, epoch.nanoseconds + device_nanoseconds(result->start - epoch.cycle));
}

static struct command *command_of(uint64_t launch)
{
	struct command *command = first;
	while (command->launch != launch)
		command = command->next;
	return command;
}

/* What is ready waits for what the application may write without a call: so it is asked again every millisecond. */
static void wait_a_moment(void)
{
	struct timespec end;
	clock_gettime(CLOCK_REALTIME, &end);
	end.tv_nsec += 1000000;
	end.tv_sec += end.tv_nsec / 1000000000;
	end.tv_nsec %= 1000000000;
	pthread_cond_timedwait(&work_to_do, &driver_lock, &end);
}

/* The kernels wait for what only the application can write, by a copy for instance.  It may yet, as long as one of its threads does not
 * wait for us; when none has enqueued anything for a while, that is the end of it. */
#define SECONDS_FOR_HELP 5

static uint32_t application_threads(void)
{
	char text[1024];
	uint32_t threads = 0;
	FILE *file = fopen("/proc/self/status", "r");
	while (file && fgets(text, sizeof text, file))
		if (sscanf(text, "Threads: %" SCNu32, &threads) == 1)
			break;
	if (file)
		fclose(file);
	return threads ? threads - 1 : UINT32_MAX; /* the worker is ours */
}

static void wait_for_help(void)
{
	struct timespec end, now;
	clock_gettime(CLOCK_REALTIME, &end);
	now = end;
	end.tv_sec += SECONDS_FOR_HELP;
	while (!some_may_begin() && now.tv_sec < end.tv_sec && waiting_threads < application_threads()) {
		if (ready)
			wait_a_moment();
		else
			pthread_cond_timedwait(&work_to_do, &driver_lock, &end);
		clock_gettime(CLOCK_REALTIME, &now);
	}
	if (some_may_begin())
		return;
	bool all_wait = waiting_threads >= application_threads();
	pthread_mutex_unlock(&driver_lock);
	device_lock();
	lockstep_host_waits(device_get()->gpu, all_wait);
	lockstep_give_up(device_get()->gpu);
	device_unlock();
	pthread_mutex_lock(&driver_lock);
}

/* Runs the GPU until a kernel's launch has ended. */
static void run_kernels(void)
{
	pthread_mutex_unlock(&driver_lock);
	device_lock();
	const struct lockstep_result *result = lockstep_finish(device_get()->gpu);
	if (!result) {
		device_unlock();
		pthread_mutex_lock(&driver_lock);
		wait_for_help();
		return;
	}
	pthread_mutex_lock(&driver_lock);
	struct command *command = command_of(result->number);
	bool is_first = command->ended == command->started;
	pthread_mutex_unlock(&driver_lock);
	uint64_t nanoseconds = 0;
	int32_t status = command->ended_launch(command, result, &nanoseconds);
	struct lockstep_result numbers = *result;
	lockstep_forget(device_get()->gpu, result);
	device_unlock();
	pthread_mutex_lock(&driver_lock);
	if (is_first)
		command->started = command->ended = start_of_launch(command, &numbers);
	command->ended += nanoseconds;
	command->launch = 0;
	if (!status && start_launch(command, &status))
		return;
	running--;
	engine_free[ENGINE_KERNEL] = later(engine_free[ENGINE_KERNEL], command->ended);
	end_command(command, status);
}

static uint32_t patience; /* seconds; 0: for ever */

/* Waits for something to do; with patience, what is enqueued and not flushed may begin after so long a silence. */
static void wait_for_work(void)
{
	struct timespec end;
	if (ready) {
		wait_a_moment();
		return;
	}
	if (!patience || !newest || newest->flushed) {
		pthread_cond_wait(&work_to_do, &driver_lock);
		return;
	}
	uint64_t seen = appended;
	clock_gettime(CLOCK_REALTIME, &end);
	end.tv_sec += patience;
	if (pthread_cond_timedwait(&work_to_do, &driver_lock, &end) == ETIMEDOUT && seen == appended)
		commands_flush();
}

void commands_set_patience(uint32_t seconds)
{
	patience = seconds;
}

static void *work(void *nothing)
{
	pthread_mutex_lock(&driver_lock);
	for (;;) {
		struct command *command = take_ready();
		if (command && command->start)
			start_kernel(command);
		else if (command)
			run_command(command);
		else if (running)
			run_kernels();
		else
			wait_for_work();
	}
	return nothing;
}

/* The worker ends with the process.  It blocks all signals: they are the application's threads' business. */
bool commands_start_worker(void)
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

bool commands_in_worker(void)
{
	return worker_process == getpid() && pthread_equal(worker, pthread_self());
}

/* ---- For the application's threads ---- */

void commands_append(struct command *command)
{
	if (patience && (!newest || newest->flushed))
		pthread_cond_signal(&work_to_do); /* the worker begins to count */
	command->previous = newest;
	*(newest ? &newest->next : &first) = command;
	newest = command;
	command->sequence = appended++;
	command->status = COMMAND_QUEUED;
	resolve_before(command);
	command->queued = host_time;
}

struct command *commands_newest(void)
{
	return newest;
}

void commands_flush(void)
{
	for (struct command *command = newest; command && !command->flushed; command = command->previous) {
		command->flushed = true;
		command->submitted = host_time;
		if (!command->unresolved)
			make_ready(command);
	}
	pthread_cond_signal(&work_to_do);
}

void commands_seen(const struct command *command)
{
	if (command_is_over(command))
		host_time = later(host_time, command->ended);
}

void commands_wait(struct command *command)
{
	command->is_awaited = true;
	commands_flush();
	waiting_threads++;
	pthread_cond_signal(&work_to_do); /* the worker may wait for nobody else */
	while (!command_is_over(command))
		pthread_cond_wait(&something_over, &driver_lock);
	waiting_threads--;
	commands_seen(command);
}

void commands_settle(struct command *command, int32_t status)
{
	command->queued = command->submitted = command->started = command->ended = host_time;
	change_status(command, status);
	resolve_after(command);
	pthread_cond_broadcast(&something_over);
	pthread_cond_signal(&work_to_do);
}
