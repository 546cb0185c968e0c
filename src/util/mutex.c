/* Locks that check their use. */
#include "util/mutex.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HELD_MAX 8

/* Of this thread, in no order; null: a free place. */
static _Thread_local const pthread_mutex_t *held[HELD_MAX];

static void check(const char *what, int error)
{
	if (!error)
		return;
	fprintf(stderr, "lockstep: internal error: %s: %s\n", what, strerror(error));
	abort();
}

static const pthread_mutex_t **place_of(const pthread_mutex_t *mutex)
{
	for (int k = 0; k < HELD_MAX; k++)
		if (held[k] == mutex)
			return &held[k];
	fputs(mutex ? "lockstep: internal error: a lock is not held\n"
		    : "lockstep: internal error: too many locks are held\n",
		stderr);
	abort();
}

void mutex_lock(pthread_mutex_t *mutex)
{
	check("a lock is taken", pthread_mutex_lock(mutex));
	*place_of(NULL) = mutex;
}

bool mutex_lock_until(pthread_mutex_t *mutex, const struct timespec *end)
{
	if (pthread_mutex_timedlock(mutex, end))
		return false;
	*place_of(NULL) = mutex;
	return true;
}

bool mutex_try_lock(pthread_mutex_t *mutex)
{
	if (pthread_mutex_trylock(mutex))
		return false;
	*place_of(NULL) = mutex;
	return true;
}

void mutex_unlock(pthread_mutex_t *mutex)
{
	*place_of(mutex) = NULL;
	check("a lock is given back", pthread_mutex_unlock(mutex));
}

void mutex_must_be_held(const pthread_mutex_t *mutex)
{
	place_of(mutex);
}
