/* The worker that carries out commands, and the clock. */
#include "host/command.h"

#include "host/actors.h"
#include "host/debug.h"
#include "host/device.h"
#include "host/host_race.h"

#include <assert.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

pthread_mutex_t driver_lock = MUTEX_INITIALIZER;

/* All guarded by driver_lock. */
static struct command *first, *newest; /* commands that are not over */
/* flushed, their dependencies over, and not begun: in the order of enqueueing */
static struct command *ready;
static pthread_cond_t work_to_do = PTHREAD_COND_INITIALIZER;
static pthread_cond_t something_over = PTHREAD_COND_INITIALIZER;
/* Of commands_end alone: exit may be called in a handler that has interrupted a wait for the other, which then takes no
 * second waiter. */
static pthread_cond_t end_reached = PTHREAD_COND_INITIALIZER;
static uint64_t newest_end;                                     /* of the commands that are over */
static uint64_t host_time, engine_free[ENGINE_COUNT], appended; /* appended: commands so far */
static struct waiting_thread *waiting_threads;                  /* of the application: in commands_wait and _end */
static pthread_t worker;
static pid_t worker_process;            /* a forked child has no worker */
static sigset_t signals_of_application; /* the signal mask of the thread that started the worker */
static bool at_end;                     /* a thread of the application waits in commands_end */
static bool is_alone;                   /* the application's threads have all ended */

static uint64_t later(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

static void make_ready(struct command *command)
{
	assert(command->flushed && !command->unresolved && !command_is_over(command));
	struct command **at = &ready;
	while (*at && (*at)->sequence <= command->sequence)
		at = &(*at)->next_ready;
	command->next_ready = *at;
	*at = command;
}

/* Ready commands may still have to wait for a value in memory. */
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

/* `order` is the later command's, and has the earlier one, which is not over. */
static void link_order(struct command_order *order, struct command *later)
{
	assert(order->earlier != later && !command_is_over(order->earlier));
	order->later = later;
	order->next = order->earlier->after;
	order->earlier->after = order;
	later->unresolved++;
}

/* Links the command to those that it waits for, and counts them. */
static void resolve_before(struct command *command)
{
	for (uint32_t k = 0; k < command->before_count; k++)
		if (!command_is_over(command->before[k].earlier))
			link_order(&command->before[k], command);
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
	if (command->part.earlier)
		start = later(start, command->part.earlier->ended);
	return command->has_waited ? later(start, newest_end) : start; /* the end of another command let it begin */
}

/* It begins, or never will. */
static void show_dequeued(struct command *command)
{
	if (command->start && !command->is_shown_begun)
		device_dequeued(command->shown);
	command->is_shown_begun = true;
}

/* Threads that wait for it are about to go on, though they may not have run yet. */
static void mark_waiting(const void *awaited)
{
	for (struct waiting_thread *thread = waiting_threads; thread; thread = thread->next)
		thread->is_over |= thread->awaited == awaited;
}

static void change_status(struct command *command, int32_t status)
{
	assert(status < command->status); /* it only counts down */
	command->status = status;
	if (command_is_over(command))
		mark_waiting(command);
	if (command->owner->changed)
		command->owner->changed(command);
}

/* The command that is over and is freeing what it held, for which driver_lock is released for a while.  A thread that
 * waits for it continues only afterwards: otherwise it would depend on the host's timing whether memory that is
 * allocated next gets a freed place.  The command may itself be freed, so this pointer is only compared. */
static const struct command *letting_go;
static bool letting_go_is_awaited;

static void end_command(struct command *command, int32_t status)
{
	assert(first && newest && !command->launch && command->ended >= command->started);
	show_dequeued(command);
	*(command->previous ? &command->previous->next : &first) = command->next;
	*(command->next ? &command->next->previous : &newest) = command->previous;
	newest_end = later(newest_end, command->ended);
	host_race_over(command);
	if (!first)
		host_race_idle();
	change_status(command, status);
	resolve_after(command);
	letting_go = command;
	letting_go_is_awaited = command->is_awaited;
	command->owner->over(command);
	letting_go = NULL;
	if (letting_go_is_awaited)
		pthread_cond_broadcast(&something_over);
}

/* The kernel runs: those may begin that need not wait for its end. */
static void resolve_early(struct command *command)
{
	for (struct command_order **at = &command->after; *at;) {
		struct command_order *order = *at;
		if (!order->is_early) {
			at = &order->next;
			continue;
		}
		*at = order->next;
		if (!--order->later->unresolved && order->later->flushed)
			make_ready(order->later);
	}
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
	if (command->part.earlier)
		order_join(&command->order, &command->part.earlier->order);
	else
		change_status(command, COMMAND_SUBMITTED);
	if (!status) {
		if (command->status != COMMAND_RUNNING)
			change_status(command, COMMAND_RUNNING);
		mutex_unlock(&driver_lock);
		status = carry_out(command, &nanoseconds);
		mutex_lock(&driver_lock);
	}
	if (status == COMMAND_RUNNING)
		return;
	command->ended = command->started + nanoseconds;
	if (command->engine != ENGINE_NONE)
		engine_free[command->engine] = command->ended;
	end_command(command, status);
}

/* ---- Threads of the application ---- */

#define SECONDS_BETWEEN_LOOKS 1

/* The last thread of the application has ended by itself: without our threads, the process would have ended then. */
static void end_process(void)
{
	commands_flush();
	if (some_may_begin())
		return;
	is_alone = true;
	mutex_unlock(&driver_lock);
	pthread_sigmask(SIG_SETMASK, &signals_of_application, NULL);
	exit(0);
}

/* ---- Kernels ----
 *
 * Kernels that run together share an epoch: the moment on the host's clock at which the GPU's clock began. */

static uint64_t epoch_nanoseconds, epoch_cycle;
static uint32_t running; /* kernels */

/* Starts the kernel's next launch.  False: it has none, or an error. */
static bool start_launch(struct command *command, int32_t *status)
{
	uint64_t number = 0;
	mutex_unlock(&driver_lock);
	device_lock();
	*status = command->start(command, &number);
	device_unlock();
	mutex_lock(&driver_lock);
	command->launch = *status ? 0 : number;
	if (command->launch)
		show_dequeued(command);
	return command->launch;
}

static void start_kernel(struct command *command)
{
	int32_t status = command->owner->inherited(command);
	command->started = command->ended = start_of(command);
	change_status(command, COMMAND_SUBMITTED);
	if (!running) {
		epoch_nanoseconds = command->started;
		epoch_cycle = lockstep_cycle(device_get()->gpu); /* which this thread alone moves */
	}
	if (!status)
		change_status(command, COMMAND_RUNNING);
	if (status || !start_launch(command, &status)) {
		end_command(command, status);
		return;
	}
	running++;
	resolve_early(command);
}

/* When a launch began, on the host's clock.  In functional mode, which has none, those that run together began
 * together. */
static uint64_t start_of_launch(const struct command *command, const struct lockstep_result *result)
{
	if (result->mode == LOCKSTEP_FUNCTIONAL)
		return command->started;
	return later(command->started, epoch_nanoseconds + device_nanoseconds(result->start - epoch_cycle));
}

static struct command *command_of(uint64_t launch)
{
	struct command *command = first;
	while (command->launch != launch)
		command = command->next;
	return command;
}

#define SECOND 1000000000ull /* in nanoseconds */

static struct timespec from_now(uint64_t nanoseconds)
{
	struct timespec now;
	clock_gettime(CLOCK_REALTIME, &now);
	nanoseconds += (uint64_t)now.tv_nsec;
	return (struct timespec){now.tv_sec + (time_t)(nanoseconds / SECOND), (long)(nanoseconds % SECOND)};
}

/* Waits at most this long, until there may be something to do. */
static void wait_a_while(uint64_t nanoseconds)
{
	struct timespec end = from_now(nanoseconds);
	pthread_cond_timedwait(&work_to_do, &driver_lock, &end);
}

/* ---- Kernels that wait for the application ----
 *
 * They can go on only when something is written that the application enqueues, or writes itself.  While one of its
 * threads may act they wait, without a time limit of the host's: a hang is proved when none can, and nothing that is
 * enqueued may begin.  It is suspected when those that can are blocked in system calls for SECONDS_FOR_HELP: whether
 * they will ever go on is not known here. */
#define SECONDS_FOR_HELP 5
#define LONGEST_PAUSE (SECOND / 10) /* between looks at threads */

static uint32_t patience; /* seconds; 0: no limit */

static uint64_t nanoseconds_now(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * SECOND + (uint64_t)now.tv_nsec;
}

/* Whether the application has enqueued nothing during the patience, as far as this function was called. */
static bool is_silent(void)
{
	static uint64_t seen, since;
	if (seen != appended) {
		seen = appended;
		since = nanoseconds_now();
	}
	return nanoseconds_now() - since >= patience * SECOND;
}

/* In an interface without flushes, all that is enqueued would have begun by now if it could: when nobody enqueues more,
 * so that it is flushed together. */
static void flush_in_silence(bool none_acts)
{
	if (patience && newest && !newest->flushed && (none_acts || is_silent()))
		commands_flush();
}

/* Since when threads of the application are blocked and nothing has happened here; since when no thread can act.  0:
 * that is not so. */
static uint64_t blocked_since, none_since;

static void something_happened(void)
{
	mutex_must_be_held(&driver_lock);
	blocked_since = none_since = 0;
}

static void look_at_actors(struct actors_seen *seen)
{
	actors_look(waiting_threads, seen);
	if (seen->actors != ACTORS_NONE)
		none_since = 0;
	else if (!none_since)
		none_since = nanoseconds_now();
}

enum help { HELP_CAME, HELP_MAY_COME, HELP_IN_DOUBT, HELP_NEVER };

/* `seen` is set unless help came. */
static enum help look_for_help(struct actors_seen *seen)
{
	static uint64_t enqueued;
	if (some_may_begin())
		return HELP_CAME;
	look_at_actors(seen);
	flush_in_silence(seen->actors == ACTORS_NONE);
	if (some_may_begin())
		return HELP_CAME;
	if (seen->actors == ACTORS_NONE)
		return HELP_NEVER;
	/* No thread waits for the GPU, and one for another process: nobody misses what the kernels do, as in a server
	 * that is idle. */
	bool is_missed = at_end || waiting_threads || !seen->for_others;
	bool acts = (seen->actors == ACTORS_MAY_ACT && !at_end) || enqueued != appended || !is_missed;
	enqueued = appended;
	if (acts || !blocked_since)
		blocked_since = nanoseconds_now();
	return nanoseconds_now() - blocked_since < SECONDS_FOR_HELP * SECOND ? HELP_MAY_COME : HELP_IN_DOUBT;
}

#define MOST_QUEUED 64     /* waiting commands that a finding lists */
#define MOST_LOOKED_AT 512 /* commands */

/* The kernel that runs and that the command comes after, perhaps by others; null: none. */
static const struct command *runner_before(const struct command *command)
{
	while (command && !command->launch)
		command = command_pending_before(command);
	return command;
}

static size_t list_queued(struct lockstep_queued *list, struct arena *arena)
{
	size_t count = 0, looked_at = 0;
	for (const struct command *command = first; command && count < MOST_QUEUED && looked_at < MOST_LOOKED_AT;
		command = command->next, looked_at++) {
		if (command->launch || !command->owner->queued)
			continue;
		const struct command *runner = runner_before(command);
		list[count] = (struct lockstep_queued){.what = NULL};
		if (runner || !command->flushed)
			count += command->owner->queued(command, runner, arena, &list[count]);
	}
	return count;
}

/* Says once why nothing goes on; releases the lock for a while. */
static void say_who_acts(const struct actors_seen *seen)
{
	static bool said;
	struct arena arena = {0};
	struct lockstep_queued queued[MOST_QUEUED];
	if (said || !running)
		return;
	said = true;
	size_t count = list_queued(queued, &arena); /* of commands that only this thread ends */
	mutex_unlock(&driver_lock);
	device_lock();
	lockstep_host_waits(device_get()->gpu, false, NULL);
	lockstep_queue(device_get()->gpu, queued, count);
	const char *why = lockstep_why_stuck(device_get()->gpu);
	lockstep_queue(device_get()->gpu, NULL, 0);
	device_unlock();
	arena_free(&arena);
	device_say("the kernels that run wait for the program, and the simulated GPU pauses until it acts: %s%s%s",
		seen->words, why ? ". " : "", why ? why : "");
	mutex_lock(&driver_lock);
}

/* Until a command may begin, nothing can be expected, or `most` nanoseconds are over: HELP_MAY_COME. */
static enum help wait_for_commands(struct actors_seen *seen, uint64_t most)
{
	uint64_t begun = nanoseconds_now(), pause = SECOND / 1000;
	enum help help;
	while ((help = look_for_help(seen)) == HELP_MAY_COME && nanoseconds_now() - begun < most) {
		if (nanoseconds_now() - begun >= SECONDS_FOR_HELP * SECOND)
			say_who_acts(seen);
		wait_a_while(ready ? SECOND / 1000 : pause); /* ready ones wait for values in memory */
		pause = pause < LONGEST_PAUSE ? pause * 2 : pause;
	}
	return help;
}

/* The kernels that run have hung.  `doubt`: which thread may still help; null: none. */
static void give_up(const char *doubt)
{
	struct arena arena = {0};
	struct lockstep_queued queued[MOST_QUEUED];
	size_t count = list_queued(queued, &arena); /* of commands that only this thread ends */
	mutex_unlock(&driver_lock);
	device_lock();
	lockstep_host_waits(device_get()->gpu, !doubt, doubt);
	lockstep_queue(device_get()->gpu, queued, count);
	lockstep_give_up(device_get()->gpu);
	device_unlock();
	arena_free(&arena);
	mutex_lock(&driver_lock);
}

/* A thread may have written to shared memory just before it began to wait, so kernels may not have seen that yet: they
 * look once more, while nothing else writes. */
#define NEWS_SEEN (SECOND / 10) /* by then they have */

static void say_none_acts(void)
{
	mutex_unlock(&driver_lock);
	device_lock();
	lockstep_host_waits(device_get()->gpu, true, NULL);
	device_unlock();
	mutex_lock(&driver_lock);
}

/* Kernels that are only suspected to hang may continue by themselves: by the clock, or because the application has
 * written to memory that it shares with them.  They continue while a thread of the application may act: with shared
 * memory at once, otherwise after a while without help.  So commands that are enqueued meanwhile arrive at a moment
 * that does not depend on the host's speed. */
static void wait_for_help(bool is_for_ever, bool asks_host)
{
	struct actors_seen seen;
	bool may_be_news = asks_host && (!none_since || nanoseconds_now() - none_since < NEWS_SEEN);
	uint64_t most = is_for_ever            ? UINT64_MAX
			: asks_host && !at_end ? SECOND / 1000
					       : (SECONDS_FOR_HELP + 1) * SECOND;
	enum help help = wait_for_commands(&seen, most);
	if (help == HELP_CAME || help == HELP_MAY_COME)
		return;
	if (help == HELP_NEVER && may_be_news) {
		say_none_acts();
		return;
	}
	give_up(help == HELP_NEVER ? NULL : seen.words);
}

/* A kernel that was launched by another, whose command goes on.  The device's lock is held, and given back. */
static void end_child(const struct lockstep_result *result)
{
	fflush(stdout); /* of the kernel's printf */
	device_report(result, result->stream);
	device_complain_of(result);
	mutex_lock(&driver_lock);
	something_happened();
	struct command *command = command_of(result->root);
	mutex_unlock(&driver_lock);
	host_race_launch(command, result);
	lockstep_forget(device_get()->gpu, result);
	device_unlock();
	mutex_lock(&driver_lock);
}

/* A search plays a launch again and again, which the program must not see in memory that it shares with the GPU: it
 * begins when all threads of the program wait, or without that after a while. */
static void wait_for_threads(void)
{
	struct actors_seen seen;
	uint64_t begun = nanoseconds_now();
	mutex_must_be_held(&driver_lock);
	do {
		look_at_actors(&seen);
		if (seen.actors == ACTORS_NONE)
			break;
		wait_a_while(SECOND / 1000);
	} while (nanoseconds_now() - begun < SECONDS_FOR_HELP * SECOND);
	mutex_unlock(&driver_lock);
	device_lock();
	lockstep_host_waits(device_get()->gpu, seen.actors == ACTORS_NONE, NULL);
	device_unlock();
	mutex_lock(&driver_lock);
}

static bool searches_next(void)
{
	mutex_unlock(&driver_lock);
	device_lock();
	bool searches = lockstep_searches_next(device_get()->gpu);
	device_unlock();
	mutex_lock(&driver_lock);
	return searches;
}

/* Runs the GPU until a kernel's launch has ended. */
static void run_kernels(void)
{
	if (device_options()->setup.launch && searches_next()) {
		wait_for_threads();
		if (some_may_begin())
			return;
	}
	mutex_unlock(&driver_lock);
	device_lock();
	const struct lockstep_result *result = lockstep_finish(device_get()->gpu);
	lockstep_host_waits(device_get()->gpu, false, NULL);
	if (!result) {
		bool is_for_ever = lockstep_is_stuck_for_ever(device_get()->gpu);
		bool asks_host = lockstep_asks_host(device_get()->gpu);
		device_unlock();
		mutex_lock(&driver_lock);
		wait_for_help(is_for_ever, asks_host);
		return;
	}
	if (result->parent) {
		end_child(result);
		return;
	}
	mutex_lock(&driver_lock);
	something_happened();
	struct command *command = command_of(result->number);
	bool is_first = command->ended == command->started;
	mutex_unlock(&driver_lock);
	uint64_t nanoseconds = 0;
	int32_t status = command->ended_launch(command, result, &nanoseconds);
	struct lockstep_result numbers = *result;
	lockstep_forget(device_get()->gpu, result);
	device_unlock();
	mutex_lock(&driver_lock);
	if (is_first)
		command->started = command->ended = start_of_launch(command, &numbers);
	command->ended += nanoseconds;
	command->launch = 0;
	if (!status && start_launch(command, &status))
		return;
	assert(running);
	running--;
	engine_free[ENGINE_KERNEL] = later(engine_free[ENGINE_KERNEL], command->ended);
	end_command(command, status);
}

/* Waits for something to do; with patience, commands that are not flushed may begin if none is enqueued for so long. */
static void wait_for_work(void)
{
	bool counts = patience && newest && !newest->flushed;
	uint64_t seen = appended;
	if (ready) {
		wait_a_while(SECOND / 1000); /* for values that the application may write without a call */
		flush_in_silence(false);
		return;
	}
	struct timespec end = from_now((counts ? patience : SECONDS_BETWEEN_LOOKS) * SECOND);
	if (pthread_cond_timedwait(&work_to_do, &driver_lock, &end) != ETIMEDOUT || seen != appended)
		return;
	if (counts)
		commands_flush();
	else if (!actors_are_there())
		end_process();
}

void commands_look_around(void)
{
	static time_t last;
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
	if (now.tv_sec - last < SECONDS_BETWEEN_LOOKS)
		return;
	last = now.tv_sec;
	struct actors_seen seen;
	mutex_lock(&driver_lock);
	look_at_actors(&seen);
	mutex_unlock(&driver_lock);
	if (!actors_are_there())
		pthread_sigmask(SIG_SETMASK, &signals_of_application, NULL);
}

bool commands_may_act(struct actors_seen *seen)
{
	mutex_lock(&driver_lock);
	look_at_actors(seen);
	mutex_unlock(&driver_lock);
	return seen->actors != ACTORS_NONE;
}

void commands_set_patience(uint32_t seconds)
{
	patience = seconds;
}

/* Nothing is left to do, or only what waits for something that no longer can happen. */
static void end_wait_at_end(void)
{
	at_end = false;
	mark_waiting(&at_end);
	pthread_cond_broadcast(&end_reached);
}

/* The application ends, and what is enqueued waits for something. */
static bool help_comes_at_end(void)
{
	struct actors_seen seen;
	return wait_for_commands(&seen, UINT64_MAX) == HELP_CAME;
}

static void *work(void *nothing)
{
	prctl(PR_SET_NAME, ACTORS_OURS); /* threads that it starts have it, too */
	mutex_lock(&driver_lock);
	for (;;) {
		struct command *command = take_ready();
		if (command) {
			something_happened();
			debug_link_acts();
		}
		if (command && command->start)
			start_kernel(command);
		else if (command)
			run_command(command);
		else if (running)
			run_kernels();
		else if (at_end && !(first && help_comes_at_end()))
			end_wait_at_end();
		else
			wait_for_work();
	}
	return nothing;
}

/* The worker ends with the process.  It blocks all signals: the application's threads handle them. */
bool commands_start_worker(void)
{
	sigset_t all;
	if (worker_process == getpid())
		return true;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &signals_of_application);
	int why = pthread_create(&worker, NULL, work, NULL);
	pthread_sigmask(SIG_SETMASK, &signals_of_application, NULL);
	if (!why)
		worker_process = getpid();
	return !why;
}

bool commands_in_worker(void)
{
	return worker_process == getpid() && pthread_equal(worker, pthread_self());
}

/* ---- Called by the application's threads ---- */

void commands_append(struct command *command)
{
	mutex_must_be_held(&driver_lock);
	if (patience && (!newest || newest->flushed))
		pthread_cond_signal(&work_to_do); /* the worker begins to measure the silence */
	command->previous = newest;
	*(newest ? &newest->next : &first) = command;
	newest = command;
	assert(!command->flushed && !command->unresolved && !command->after);
	command->sequence = appended++;
	command->status = COMMAND_QUEUED;
	resolve_before(command);
	host_race_append(command);
	command->queued = host_time;
	if (command->start)
		command->shown = device_enqueued(command->kernel);
}

/* Before its whole, whose place in the order of enqueueing it has. */
void commands_insert(struct command *part, struct command *whole)
{
	mutex_must_be_held(&driver_lock);
	assert(whole->flushed && !command_is_over(whole) && !part->unresolved && !part->after);
	part->next = whole;
	part->previous = whole->previous;
	*(part->previous ? &part->previous->next : &first) = part;
	whole->previous = part;
	part->sequence = whole->sequence;
	part->status = COMMAND_QUEUED;
	resolve_before(part);
	host_race_insert(part, whole);
	part->queued = whole->queued;
	part->submitted = whole->started;
	part->flushed = true;
	if (part->start)
		part->shown = device_enqueued(part->kernel);
	if (!part->unresolved)
		make_ready(part);
}

bool commands_wait_for(const struct command *command)
{
	struct actors_seen seen;
	mutex_must_be_held(&driver_lock);
	assert(command->status == COMMAND_RUNNING);
	(void)command;
	if (running || some_may_begin())
		return false;
	look_at_actors(&seen);
	return seen.actors == ACTORS_NONE;
}

void commands_continue_after(struct command *whole, struct command *part)
{
	mutex_must_be_held(&driver_lock);
	whole->part.earlier = part;
	link_order(&whole->part, whole);
}

struct command *commands_newest(void)
{
	mutex_must_be_held(&driver_lock);
	return newest;
}

bool commands_are_under_way(void)
{
	mutex_must_be_held(&driver_lock);
	return first && first->flushed; /* those that are not come last */
}

void commands_flush(void)
{
	mutex_must_be_held(&driver_lock);
	host_race_flush();
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
	mutex_must_be_held(&driver_lock);
	if (!command_is_over(command))
		return;
	host_time = later(host_time, command->ended);
	order_host_knows(&command->order);
}

/* A thread that is cancelled while it waits ends afterwards: it would take the lock with it. */
static struct waiting_thread begin_wait(const void *awaited, int *cancel_state)
{
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, cancel_state);
	return (struct waiting_thread){
		.thread = (pid_t)syscall(SYS_gettid), .awaited = awaited, .next = waiting_threads};
}

static void end_wait(const struct waiting_thread *self, int cancel_state)
{
	struct waiting_thread **at = &waiting_threads;
	while (*at != self)
		at = &(*at)->next;
	*at = self->next;
	pthread_setcancelstate(cancel_state, NULL);
}

void commands_wait(struct command *command)
{
	mutex_must_be_held(&driver_lock);
	assert(!commands_in_worker()); /* it would wait for itself */
	command->is_awaited = true;
	letting_go_is_awaited |= letting_go == command;
	commands_flush();
	int cancel_state;
	struct waiting_thread self = begin_wait(command, &cancel_state);
	waiting_threads = &self;
	pthread_cond_signal(&work_to_do); /* the worker may be waiting for just this */
	while (!command_is_over(command) || letting_go == command)
		pthread_cond_wait(&something_over, &driver_lock);
	end_wait(&self, cancel_state);
	commands_seen(command);
}

bool commands_are_ending(void)
{
	mutex_lock(&driver_lock);
	bool ending = at_end;
	mutex_unlock(&driver_lock);
	return ending;
}

#define SECONDS_FOR_LOCK 5

/* exit may have been called in a signal handler, in a thread that holds the lock itself. */
enum channel_end commands_end(void)
{
	struct timespec end = from_now(SECONDS_FOR_LOCK * SECOND);
	if (worker_process != getpid())
		return CHANNEL_END_DONE;
	if (!mutex_lock_until(&driver_lock, &end))
		return CHANNEL_END_INSIDE;
	bool in_worker = commands_in_worker();
	if (!in_worker) {
		commands_flush();
		int cancel_state;
		struct waiting_thread self = begin_wait(&at_end, &cancel_state);
		waiting_threads = &self;
		at_end = true;
		something_happened();
		pthread_cond_signal(&work_to_do);
		while (at_end)
			pthread_cond_wait(&end_reached, &driver_lock);
		end_wait(&self, cancel_state);
	}
	host_race_idle();
	enum channel_end how = !first                   ? CHANNEL_END_DONE
			       : in_worker && !is_alone ? CHANNEL_END_INSIDE
							: CHANNEL_END_BLOCKED;
	mutex_unlock(&driver_lock);
	return how;
}

void commands_settle(struct command *command, int32_t status)
{
	mutex_must_be_held(&driver_lock);
	command->queued = command->submitted = command->started = command->ended = host_time;
	order_join(&command->order, order_host());
	change_status(command, status);
	resolve_after(command);
	pthread_cond_broadcast(&something_over);
	pthread_cond_signal(&work_to_do);
}
