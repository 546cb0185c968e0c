/* What the threads of the application do while kernels wait for it: whether one of them can still act. */
#ifndef LOCKSTEP_HOST_ACTORS_H
#define LOCKSTEP_HOST_ACTORS_H

#include <stdbool.h>
#include <sys/types.h>

enum actors {
	/* None can: each waits without a time limit, for the GPU in a call of ours, or for a thread that does. */
	ACTORS_NONE,
	/* Those that do not are blocked in a system call without a time limit, and have not run since the last look. */
	ACTORS_BLOCKED,
	ACTORS_MAY_ACT, /* one runs, or sleeps until some time; or a handler of a timer will run */
};

/* A thread that waits for the GPU in a call of ours, without a time limit. */
struct waiting_thread {
	pid_t thread;
	const void *awaited; /* what it waits for: for the caller only */
	bool is_over;        /* that is over, and the thread is about to continue */
	struct waiting_thread *next;
};

struct actors_seen {
	enum actors actors;
	bool for_others; /* ACTORS_BLOCKED: one waits for something outside of the process, such as input */
	/* What a thread that does not wait for the GPU does: "thread 4711 (pool) is blocked in futex without a time
	 * limit"; empty with ACTORS_NONE. */
	char words[256];
};

/* The worker's threads are not the application's.  One caller at a time. */
void actors_look(const struct waiting_thread *waiting, struct actors_seen *seen);
/* Whether the application has a thread left. */
bool actors_are_there(void);

/* The name of our threads, which the threads that they start inherit. */
#define ACTORS_OURS "lockstep worker"

#endif
