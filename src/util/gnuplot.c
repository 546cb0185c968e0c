/* gnuplot as a child process. */
#include "util/gnuplot.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

int gnuplot_run(const char *folder, const char *argument, const char *output)
{
	int status = 0, to = open(output, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	pid_t process = to < 0 ? -1 : fork();
	if (!process) {
		dup2(to, STDOUT_FILENO);
		dup2(to, STDERR_FILENO);
		setenv("LC_ALL", "C.UTF-8", 1);
		if (!chdir(folder))
			execlp("gnuplot", "gnuplot", argument, (char *)NULL);
		_exit(127);
	}
	int why = errno;
	if (to >= 0)
		close(to);
	errno = why;
	if (process < 0)
		return -1;
	while (waitpid(process, &status, 0) < 0 && errno == EINTR)
		;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}
