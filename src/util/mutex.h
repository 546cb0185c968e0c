/* A lock that checks its use: a thread that gives back what it does not hold, or takes what it holds already, ends the
 * process with a line on stderr, in every build.  A lock left out is then an error of every run, and not a race of few.
 */
#ifndef LOCKSTEP_UTIL_MUTEX_H
#define LOCKSTEP_UTIL_MUTEX_H

#include <pthread.h>

#define MUTEX_INITIALIZER PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP

/* `mutex` was initialised with MUTEX_INITIALIZER. */
void mutex_lock(pthread_mutex_t *mutex);
void mutex_unlock(pthread_mutex_t *mutex);

#endif
