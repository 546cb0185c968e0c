/* gnuplot as a child process. */
#include "util/gnuplot.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

int gnuplot_run(const char *folder, const char *argument, const char *output)
{
	int status = 0;
	pid_t process = fork();
	if (!process) {
		int to = open(output, O_WRONLY | O_CREAT | O_TRUNC, 0666);
		dup2(to, STDOUT_FILENO);
		dup2(to, STDERR_FILENO);
		setenv("LC_ALL", "C.UTF-8", 1);
		if (!chdir(folder))
			execlp("gnuplot", "gnuplot", argument, (char *)NULL);
		_exit(127);
	}
	if (process < 0)
		return 127;
	while (waitpid(process, &status, 0) < 0 && errno == EINTR)
		;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}
