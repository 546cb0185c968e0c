/* gnuplot as a child process. */
#include "util/gnuplot.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

void gnuplot_print_string(struct text *text, const char *string)
{
	text_print(text, "'");
	for (const char *c = string; *c; c++)
		text_print(text, *c == '\'' ? "''" : "%c", *c);
	text_print(text, "'");
}

int gnuplot_run(const char *folder, const char *argument, const char *output)
{
	int status = 0, to = open(output, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	pid_t process = to < 0 ? -1 : fork();
	if (!process) {
		bool good = dup2(to, STDOUT_FILENO) >= 0 && dup2(to, STDERR_FILENO) >= 0 && !chdir(folder);
		setenv("LC_ALL", "C.UTF-8", 1);
		if (good)
			execlp("gnuplot", "gnuplot", argument, (char *)NULL);
		if (good && errno == ENOENT)
			_exit(127);
		dprintf(to, "cannot run: %s\n", strerror(errno));
		_exit(126);
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
