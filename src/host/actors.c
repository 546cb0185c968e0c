/* Threads of the application, by what /proc/self/task says of them: see actors.h.
 *
 * A thread in pthread_join waits for another one by a shared futex, untimed, on the word that holds that thread's
 * number and that the kernel clears at its end; mutexes and condition variables never wait for a value that is the
 * number of a thread.  (A mutex with priority inheritance has it, but waits by another operation; a robust one sets a
 * bit beside it.)  So who waits in this way for a thread that waits for the GPU waits for the GPU. */
#include "host/actors.h"

#include "util/vector.h"

#include <assert.h>
#include <dirent.h>
#include <inttypes.h>
#include <linux/futex.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

/* ---- System calls ---- */

/* How a call that blocks says that it has a time limit. */
enum limit {
	LIMIT_NEVER,   /* it cannot have one */
	LIMIT_ALWAYS,  /* it is one */
	LIMIT_POINTER, /* that argument is not null */
	LIMIT_NUMBER,  /* that argument, an int, is not negative */
};

static const struct call {
	long number;
	const char *name;
	enum limit limit;
	uint32_t argument; /* from 0 */
	bool is_own;       /* waits for threads of the process, and not for something outside */
} calls[] = {
	{SYS_futex, "futex", LIMIT_POINTER, 3, true},
	{SYS_nanosleep, "nanosleep", LIMIT_ALWAYS, 0, false},
	{SYS_clock_nanosleep, "clock_nanosleep", LIMIT_ALWAYS, 0, false},
	{SYS_restart_syscall, "a system call that is restarted", LIMIT_ALWAYS, 0, false},
	{SYS_ppoll, "ppoll", LIMIT_POINTER, 2, false},
	{SYS_pselect6, "pselect6", LIMIT_POINTER, 4, false},
	{SYS_epoll_pwait, "epoll_pwait", LIMIT_NUMBER, 3, false},
	{SYS_rt_sigtimedwait, "rt_sigtimedwait", LIMIT_POINTER, 2, false},
	{SYS_semtimedop, "semtimedop", LIMIT_POINTER, 3, false},
	{SYS_mq_timedreceive, "mq_timedreceive", LIMIT_POINTER, 4, false},
	{SYS_recvmmsg, "recvmmsg", LIMIT_POINTER, 4, false},
	{SYS_io_getevents, "io_getevents", LIMIT_POINTER, 4, false},
#ifdef SYS_poll /* old calls, which newer processors' systems do without */
	{SYS_poll, "poll", LIMIT_NUMBER, 2, false},
	{SYS_select, "select", LIMIT_POINTER, 4, false},
	{SYS_epoll_wait, "epoll_wait", LIMIT_NUMBER, 3, false},
	{SYS_pause, "pause", LIMIT_NEVER, 0, false},
#endif
#ifdef SYS_futex_waitv
	{SYS_futex_waitv, "futex_waitv", LIMIT_POINTER, 3, true},
#endif
#ifdef SYS_epoll_pwait2
	{SYS_epoll_pwait2, "epoll_pwait2", LIMIT_POINTER, 3, false},
#endif
	{SYS_read, "read", LIMIT_NEVER, 0, false},
	{SYS_readv, "readv", LIMIT_NEVER, 0, false},
	{SYS_write, "write", LIMIT_NEVER, 0, false},
	{SYS_recvfrom, "recvfrom", LIMIT_NEVER, 0, false},
	{SYS_recvmsg, "recvmsg", LIMIT_NEVER, 0, false},
	{SYS_accept, "accept", LIMIT_NEVER, 0, false},
	{SYS_accept4, "accept4", LIMIT_NEVER, 0, false},
	{SYS_connect, "connect", LIMIT_NEVER, 0, false},
	{SYS_wait4, "wait4", LIMIT_NEVER, 0, false},
	{SYS_waitid, "waitid", LIMIT_NEVER, 0, false},
	{SYS_rt_sigsuspend, "rt_sigsuspend", LIMIT_NEVER, 0, false},
	{SYS_flock, "flock", LIMIT_NEVER, 0, false},
	{SYS_fcntl, "fcntl", LIMIT_NEVER, 0, false},
	{SYS_ioctl, "ioctl", LIMIT_NEVER, 0, false},
};

static const struct call *call_of(long number)
{
	for (size_t k = 0; k < sizeof calls / sizeof *calls; k++)
		if (calls[k].number == number)
			return &calls[k];
	return NULL;
}

/* ---- What is known of one thread ---- */

enum activity { ACTIVITY_WAITS, ACTIVITY_JOINS, ACTIVITY_BLOCKED, ACTIVITY_ACTS };

struct seen_thread {
	pid_t thread;
	enum activity activity;
	pid_t joined; /* of ACTIVITY_JOINS: the one that it waits for */
	bool is_timed;
	bool is_own;       /* as struct call has it */
	const char *state; /* null: it sleeps in `call` */
	const char *call;  /* null: its name is not known */
	long number;       /* of the system call */
};

/* Reads the beginning of a file in a thread's directory of /proc; false when the thread has ended. */
static bool read_about(const char *thread, const char *what, char *text, size_t size)
{
	char path[300];
	snprintf(path, sizeof path, "/proc/self/task/%s/%s", thread, what);
	FILE *file = fopen(path, "re");
	size_t got = file ? fread(text, 1, size - 1, file) : 0;
	if (file)
		fclose(file);
	text[got] = '\0';
	return got;
}

/* The letter by which /proc tells a thread's state; 0: it is none of the application's.  A main thread that has ended
 * before the others stays listed, as a zombie. */
static char state_of(const char *thread)
{
	char name[64], state[512];
	if (!read_about(thread, "comm", name, sizeof name) || !strcmp(name, ACTORS_OURS "\n"))
		return 0;
	const char *behind_name = read_about(thread, "stat", state, sizeof state) ? strrchr(state, ')') : NULL;
	return behind_name && behind_name[1] == ' ' && behind_name[2] != 'Z' && behind_name[2] != 'X' ? behind_name[2]
												      : (char)0;
}

/* For how long it has run; 0: the system does not say. */
static uint64_t time_run(const char *thread)
{
	char text[128];
	return read_about(thread, "schedstat", text, sizeof text) ? strtoull(text, NULL, 10) : 0;
}

/* Whether a futex call waits, without a time limit, for the end of a thread.  A mutex that processes share waits for 2,
 * and no thread of a program has a number that low. */
static bool is_join(const uint64_t *arguments)
{
	uint64_t what = arguments[1] & ~(uint64_t)FUTEX_CLOCK_REALTIME; /* not FUTEX_PRIVATE_FLAG */
	return (what == FUTEX_WAIT || what == FUTEX_WAIT_BITSET) && !arguments[3] && (uint32_t)arguments[2] > 2;
}

/* Whether the system call ends at some time by itself. */
static bool is_timed(const struct call *call, const uint64_t *arguments)
{
	switch (call ? call->limit : LIMIT_NEVER) {
	case LIMIT_ALWAYS: return true;
	case LIMIT_POINTER: return arguments[call->argument];
	case LIMIT_NUMBER: return (int)arguments[call->argument] >= 0;
	case LIMIT_NEVER: break;
	}
	return false;
}

/* Thread sanitizer has a thread of its own, which does nothing to us.  It sleeps again and again, by the system call
 * that the C library does not use. */
#if defined(__SANITIZE_THREAD__)
#define HAS_SLEEPER 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define HAS_SLEEPER 1
#endif
#endif
#ifndef HAS_SLEEPER
#define HAS_SLEEPER 0
#endif

/* Of a thread that sleeps: where.  False: it is the sanitizer's. */
static bool look_at_call(const char *name, struct seen_thread *seen)
{
	uint64_t arguments[6] = {0};
	char text[300];
	char *at = text;
	if (!read_about(name, "syscall", text, sizeof text))
		return true; /* `call` stays null: it may wait for anything */
	seen->number = strtol(text, &at, 10);
	if (at == text || seen->number < 0) { /* "running", or a fault of a page */
		seen->activity = ACTIVITY_ACTS;
		seen->state = "runs";
		return true;
	}
	if (HAS_SLEEPER && seen->number == SYS_nanosleep)
		return false;
	for (uint32_t k = 0; k < 6; k++)
		arguments[k] = strtoull(at, &at, 16);
	const struct call *call = call_of(seen->number);
	seen->call = call ? call->name : NULL;
	seen->is_own = call && call->is_own;
	seen->is_timed = is_timed(call, arguments);
	if (seen->is_timed)
		seen->activity = ACTIVITY_ACTS;
	if (seen->number == SYS_futex && is_join(arguments)) {
		seen->activity = ACTIVITY_JOINS;
		seen->joined = (pid_t)arguments[2];
	}
	return true;
}

/* False: it is none of the application's. */
static bool look_at_thread(const char *name, const struct waiting_thread *waiting, struct seen_thread *seen)
{
	*seen = (struct seen_thread){
		.thread = (pid_t)strtol(name, NULL, 10), .activity = ACTIVITY_BLOCKED, .number = -1};
	for (; waiting; waiting = waiting->next)
		if (waiting->thread == seen->thread && !waiting->is_over) {
			seen->activity = ACTIVITY_WAITS;
			return true;
		}
	char state = state_of(name);
	switch (state) {
	case 0: return false;
	case 'S':
	case 'I': return look_at_call(name, seen);
	case 'R': seen->state = "runs"; break;
	case 'T':
	case 't': seen->state = "is stopped"; break;
	default: seen->state = "waits for a device"; break;
	}
	seen->activity = ACTIVITY_ACTS;
	return true;
}

/* ---- All ---- */

static VECTOR(struct seen_thread) list;
static struct arena arena; /* of the list */
static uint64_t run_now;   /* for how long those that are not known to wait have run, all together */

/* False: the system does not say which there are. */
static bool list_threads(const struct waiting_thread *waiting)
{
	DIR *threads = opendir("/proc/self/task");
	assert(list.count <= list.capacity);
	list.count = 0;
	run_now = 0;
	for (const struct dirent *entry; threads && (entry = readdir(threads));) {
		struct seen_thread seen;
		if (entry->d_name[0] == '.' || !look_at_thread(entry->d_name, waiting, &seen))
			continue;
		*vector_push(&arena, &list) = seen;
		if (seen.activity != ACTIVITY_WAITS)
			run_now += time_run(entry->d_name);
	}
	return threads && !closedir(threads);
}

static const struct seen_thread *find(pid_t thread)
{
	for (uint32_t k = 0; k < list.count; k++)
		if (list.at[k].thread == thread)
			return &list.at[k];
	return NULL;
}

/* Those that join a thread that waits wait, too; others that join are blocked. */
static void follow_joins(void)
{
	for (bool any = true; any;) {
		any = false;
		for (uint32_t k = 0; k < list.count; k++) {
			const struct seen_thread *joined =
				list.at[k].activity == ACTIVITY_JOINS ? find(list.at[k].joined) : NULL;
			if (!joined || joined->activity != ACTIVITY_WAITS)
				continue;
			list.at[k].activity = ACTIVITY_WAITS;
			any = true;
		}
	}
}

static void say(const struct seen_thread *thread, struct actors_seen *seen)
{
	char name[64], number[16], call[48];
	snprintf(number, sizeof number, "%d", (int)thread->thread);
	if (!read_about(number, "comm", name, sizeof name))
		snprintf(name, sizeof name, "it has ended");
	name[strcspn(name, "\n")] = '\0';
	if (thread->call)
		snprintf(call, sizeof call, "%s", thread->call);
	else
		snprintf(call, sizeof call, "system call %ld", thread->number);
	const char *who = thread->thread == getpid() ? "the main thread" : "thread";
	if (thread->state)
		snprintf(seen->words, sizeof seen->words, "%s %s (%s) %s", who, number, name, thread->state);
	else if (thread->number < 0)
		snprintf(seen->words, sizeof seen->words, "%s %s (%s) sleeps; the system does not say in which call",
			who, number, name);
	else if (thread->is_timed)
		snprintf(seen->words, sizeof seen->words, "%s %s (%s) sleeps in %s with a time limit", who, number,
			name, call);
	else
		snprintf(seen->words, sizeof seen->words, "%s %s (%s) is blocked in %s without a time limit", who,
			number, name, call);
}

/* The thread that is named: one that acts; else one that is blocked, before those that join it. */
static const struct seen_thread *most_active(void)
{
	const struct seen_thread *found = NULL;
	for (uint32_t k = 0; k < list.count; k++) {
		const struct seen_thread *thread = &list.at[k];
		if (thread->activity != ACTIVITY_WAITS && (!found || thread->activity > found->activity))
			found = thread;
	}
	return found;
}

static bool is_handled(int signal)
{
	struct sigaction action;
	return !sigaction(signal, NULL, &action) && action.sa_handler != SIG_DFL && action.sa_handler != SIG_IGN;
}

static bool is_set(int failure, const struct itimerval *when)
{
	return !failure && (when->it_value.tv_sec || when->it_value.tv_usec);
}

/* Whether a timer of timer_create is set that sends a signal which is handled.  One that calls a function sends a
 * signal of the C library's to a thread of its own. */
static bool has_created_timer(void)
{
	FILE *timers = fopen("/proc/self/timers", "re");
	char line[128], to[16];
	int id = 0, number = 0;
	bool any = false;
	while (timers && !any && fgets(line, sizeof line, timers)) {
		struct { /* as the kernel has it: glibc's numbers of timers are others */
			struct timespec interval, left;
		} when = {0};
		if (sscanf(line, "ID: %d", &id) == 1 || sscanf(line, "signal: %d/", &number) == 1)
			continue;
		any = sscanf(line, "notify: signal/%3[a-z].", to) == 1 &&
		      (is_handled(number) || (!strcmp(to, "tid") && number >= __SIGRTMIN && number < SIGRTMIN)) &&
		      !syscall(SYS_timer_gettime, id, &when) && (when.left.tv_sec || when.left.tv_nsec);
	}
	if (timers)
		fclose(timers);
	return any;
}

/* A timer is set whose signal the program handles, in a thread that waits for the GPU, too. */
static bool has_timer(void)
{
	struct itimerval when;
	return has_created_timer() || (is_set(getitimer(ITIMER_REAL, &when), &when) && is_handled(SIGALRM)) ||
	       (is_set(getitimer(ITIMER_VIRTUAL, &when), &when) && is_handled(SIGVTALRM)) ||
	       (is_set(getitimer(ITIMER_PROF, &when), &when) && is_handled(SIGPROF));
}

void actors_look(const struct waiting_thread *waiting, struct actors_seen *seen)
{
	static uint64_t run; /* at the last look */
	*seen = (struct actors_seen){.actors = ACTORS_MAY_ACT};
	if (!list_threads(waiting)) {
		snprintf(seen->words, sizeof seen->words, "it is not known what its threads do");
		return;
	}
	follow_joins();
	const struct seen_thread *thread = most_active();
	bool has_run = run_now != run;
	run = run_now;
	if (has_timer()) {
		snprintf(seen->words, sizeof seen->words, "a timer of the program is set, whose signal it handles");
		return;
	}
	if (!thread) {
		seen->actors = ACTORS_NONE;
		return;
	}
	say(thread, seen);
	if (thread->activity != ACTIVITY_ACTS && !has_run)
		seen->actors = ACTORS_BLOCKED;
	for (uint32_t k = 0; k < list.count; k++)
		seen->for_others |= list.at[k].activity != ACTIVITY_WAITS && !list.at[k].is_own;
}

bool actors_are_there(void)
{
	bool any = false;
	DIR *threads = opendir("/proc/self/task");
	if (!threads)
		return true;
	for (const struct dirent *entry; !any && (entry = readdir(threads));)
		any = entry->d_name[0] != '.' && state_of(entry->d_name);
	closedir(threads);
	return any;
}
