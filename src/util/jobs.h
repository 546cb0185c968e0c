/* Child processes, some at a time: each in a process group of its own, so that all of it can be ended.  SIGINT, SIGTERM
 * and SIGHUP stop them all. */
#ifndef LOCKSTEP_UTIL_JOBS_H
#define LOCKSTEP_UTIL_JOBS_H

#include "util/arena.h"
#include "util/diagnostic.h"

#include <signal.h>
#include <sys/resource.h>

/* A job that waits for something that does not come uses no processor time. */
#define JOBS_SLEEP_FACTOR 20

enum job_state { JOB_WAITING, JOB_RUNNING, JOB_ENDED };

struct job {
	enum job_state state;
	pid_t process;
	double start, seconds; /* jobs_now() then; how long it took */
	bool timed_out;
};

/* What is run: words[0] is the program's file, the last is null; what it prints goes to the file `log`. */
struct job_command {
	const char **words, *log;
};

struct jobs {
	uint32_t count, together;
	struct job *job; /* of each; one that has ended before is not run */
	/* of each: seconds of processor time, and on the wall JOBS_SLEEP_FACTOR times as many; 0: no limit */
	double time_limit;
	int stop_signal;                    /* by which a stop ends them */
	bool only_errors;                   /* standard output is not kept */
	const struct sigaction *file_limit; /* what they do at SIGXFSZ; null: as this process */
	/* What ends a job may be about to end this process, too, as Slurm does with all processes of a task. */
	bool end_together;

	void *context; /* of these functions; the index is of the job */
	struct job_command (*command)(void *context, struct arena *arena, uint32_t index);
	void (*end)(void *context, uint32_t index, int status, const struct rusage *usage); /* status: wait(2) */
	void (*forget)(void *context, uint32_t index); /* it was stopped: it leaves nothing, as if it had not begun */
	void (*show)(const void *context);             /* on a terminal: what is done, in one line */

	uint32_t running, next, done; /* done: that have ended now */
	int stopped;                  /* by this signal */
	sigset_t signals, before;
};

/* Processors of this machine that are online; at least 1. */
uint32_t jobs_processors(void);

/* Runs all that wait.  It ends before when it is stopped, or there is an error in `diagnostic`, where `end` may put
 * one; what runs then is stopped. */
void jobs_run(struct jobs *jobs, struct diagnostic *diagnostic);

/* Seconds since some time. */
double jobs_now(void);
/* Processor time of a group of processes, in seconds, user and system: of those that live, and of the children that
 * they have waited for (proc(5), /proc/PID/stat), in steps of the kernel's clock tick.  0 when there is none. */
double jobs_cpu_time(pid_t group);
/* Holds back the signals that stop, which are then taken by sigtimedwait(2); `before` is for sigprocmask(2). */
void jobs_hold_signals(sigset_t *signals, sigset_t *before);

#endif
