/* Holding back SIGXFSZ in one thread. */
#include "util/file_limit.h"

#include <errno.h>
#include <sys/resource.h>
#include <time.h>

static sigset_t the_signal(void)
{
	sigset_t set;
	sigemptyset(&set);
	sigaddset(&set, SIGXFSZ);
	return set;
}

struct file_limit file_limit_begin(void)
{
	struct file_limit limit = {0};
	struct rlimit size;
	sigset_t pending, signal = the_signal();
	if (!getrlimit(RLIMIT_FSIZE, &size) && size.rlim_cur == RLIM_INFINITY)
		return limit;
	sigpending(&pending);
	limit.was_pending = sigismember(&pending, SIGXFSZ);
	limit.holds = !pthread_sigmask(SIG_BLOCK, &signal, &limit.before);
	return limit;
}

/* One that came meanwhile is ours. */
void file_limit_end(const struct file_limit *limit)
{
	int before = errno;
	sigset_t signal = the_signal();
	if (!limit->holds)
		return;
	while (!limit->was_pending && sigtimedwait(&signal, NULL, &(struct timespec){0}) < 0 && errno == EINTR)
		;
	pthread_sigmask(SIG_SETMASK, &limit->before, NULL);
	errno = before;
}
