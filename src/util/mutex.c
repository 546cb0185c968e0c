/* A lock that checks its use. */
#include "util/mutex.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void check(const char *what, int error)
{
	if (!error)
		return;
	fprintf(stderr, "lockstep: internal error: %s: %s\n", what, strerror(error));
	abort();
}

void mutex_lock(pthread_mutex_t *mutex)
{
	check("a lock is taken", pthread_mutex_lock(mutex));
}

void mutex_unlock(pthread_mutex_t *mutex)
{
	check("a lock is given back", pthread_mutex_unlock(mutex));
}
