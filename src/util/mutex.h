/* Locks that check their use, in every build: a thread that gives back what it does not hold, takes what it holds
 * already, or calls what wants a lock without it, ends the process with a line on stderr.  A lock left out is then an
 * error of every run, and not a race of few. */
#ifndef LOCKSTEP_UTIL_MUTEX_H
#define LOCKSTEP_UTIL_MUTEX_H

#include <pthread.h>
#include <stdbool.h>
#include <time.h>

#define MUTEX_INITIALIZER PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP

/* `mutex` was initialised with MUTEX_INITIALIZER; a thread holds a few at once.  pthread_cond_wait may be used with it.
 */
void mutex_lock(pthread_mutex_t *mutex);
void mutex_unlock(pthread_mutex_t *mutex);
/* False: another thread holds it still at that time (CLOCK_REALTIME), or this one does; or just now. */
bool mutex_lock_until(pthread_mutex_t *mutex, const struct timespec *end);
bool mutex_try_lock(pthread_mutex_t *mutex);
/* What a function calls that is to be called with the lock held. */
void mutex_must_be_held(const pthread_mutex_t *mutex);

#endif
