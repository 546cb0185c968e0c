/* Preloaded into clang by compile/server.c: clang starts once and then forks for each run, and notes each path that it
 * looks for.
 *
 * Half of the time that a small kernel takes goes into starting clang, that is into the dynamic linker and
 * constructors, and most builds take two runs.  This library stands in for __libc_start_main.  When it is clang that
 * starts, it waits, at the door of main, for messages (compile/resident/message.h), and for each of them a forked child
 * enters main with the words, the environment, the folder and the files of the message, as if it had been started with
 * them.
 *
 * It leaves its parent, so that a program which waits for all of its children never meets it, keeps no file of the
 * program's open, and ends when the other end of its socket is closed, that is with the program. */
#include "compile/resident/message.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

typedef int main_function(int, char **, char **);

static main_function *program;
static int channel, status_file;

/* ---- What a run looks for: functions that take the place of the C library's ---- */

/* Where a path cannot be noted, those before it are lost as well: no file that was read may be missing. */
static void note(const char *path)
{
	const char *number = getenv(RESIDENT_LOOKUPS);
	int file = number ? (int)strtol(number, NULL, 10) : -1, why = errno;
	size_t length = strlen(path) + 1;
	struct stat about;
	if (!number)
		return;
	char state = fstatat(AT_FDCWD, path, &about, 0) ? RESIDENT_MISSING : RESIDENT_FOUND;
	struct iovec parts[] = {{&state, 1}, {(void *)(uintptr_t)path, length}};
	sighandler_t before = signal(SIGXFSZ, SIG_IGN); /* beyond ulimit -f the write fails */
	if (writev(file, parts, 2) != (ssize_t)length + 1 && ftruncate(file, 0))
		_exit(127);
	signal(SIGXFSZ, before);
	errno = why;
}

#define IN_PLACE_OF(function) __asm__(#function)
int noted_stat(const char *path, struct stat *about) IN_PLACE_OF(stat);
int noted_stat64(const char *path, struct stat *about) IN_PLACE_OF(stat64);
int noted_xstat(int version, const char *path, struct stat *about) IN_PLACE_OF(__xstat);
int noted_xstat64(int version, const char *path, struct stat *about) IN_PLACE_OF(__xstat64);
int noted_access(const char *path, int mode) IN_PLACE_OF(access);
int noted_open(const char *path, int flags, mode_t mode) IN_PLACE_OF(open);
int noted_open64(const char *path, int flags, mode_t mode) IN_PLACE_OF(open64);
struct tm *noted_localtime(const time_t *when) IN_PLACE_OF(localtime);

int noted_stat(const char *path, struct stat *about)
{
	note(path);
	return fstatat(AT_FDCWD, path, about, 0);
}

int noted_stat64(const char *path, struct stat *about)
{
	return noted_stat(path, about);
}

int noted_xstat(int version, const char *path, struct stat *about)
{
	(void)version;
	return noted_stat(path, about);
}

int noted_xstat64(int version, const char *path, struct stat *about)
{
	return noted_xstat(version, path, about);
}

int noted_access(const char *path, int mode)
{
	note(path);
	return faccessat(AT_FDCWD, path, mode, 0);
}

int noted_open(const char *path, int flags, mode_t mode)
{
	if ((flags & O_ACCMODE) == O_RDONLY) /* else it is not looked for but written: by a script around clang */
		note(path);
	return openat(AT_FDCWD, path, flags, mode);
}

int noted_open64(const char *path, int flags, mode_t mode)
{
	return noted_open(path, flags, mode);
}

/* By which clang makes __DATE__, __TIME__ and __TIMESTAMP__, and nothing else. */
struct tm *noted_localtime(const time_t *when)
{
	static struct tm parts;
	note(RESIDENT_TIME);
	tzset();
	return localtime_r(when, &parts);
}

/* ---- A run, in the child ---- */

/* Behind all that main registers, so that what clang has to write is written. */
static void tell_status(int status, void *unused)
{
	int32_t word = status;
	(void)unused;
	if (write(status_file, &word, sizeof word) != sizeof word)
		_exit(127); /* without the word the other side takes the run for failed, and runs clang itself */
}

/* Every file to the number that the words know it by.  First away from all of these numbers. */
static bool place_files(const struct resident_message *message, int *files)
{
	int beyond = 3;
	for (uint32_t k = 0; k < message->file_count; k++)
		if (message->number[k] >= beyond)
			beyond = message->number[k] + 1;
	status_file = fcntl(files[RESIDENT_STATUS], F_DUPFD_CLOEXEC, beyond);
	if (status_file < 0 || fchdir(files[RESIDENT_FOLDER]))
		return false;
	for (uint32_t k = 0; k < message->file_count; k++) {
		int away = fcntl(files[RESIDENT_FILES + k], F_DUPFD_CLOEXEC, beyond);
		if (away < 0)
			return false;
		close(files[RESIDENT_FILES + k]);
		files[RESIDENT_FILES + k] = away;
	}
	close(files[RESIDENT_STATUS]);
	close(files[RESIDENT_FOLDER]);
	close(channel);
	for (uint32_t k = 0; k < message->file_count; k++) {
		if (dup2(files[RESIDENT_FILES + k], message->number[k]) < 0)
			return false;
		close(files[RESIDENT_FILES + k]);
	}
	return true;
}

/* `count` words, each ended by NUL, as a vector ended by null. */
static char **read_words(char **at, const char *end, uint32_t count)
{
	char **words = calloc((size_t)count + 1, sizeof *words);
	for (uint32_t k = 0; words && k < count; k++) {
		char *stop = memchr(*at, 0, (size_t)(end - *at));
		if (!stop)
			return NULL;
		words[k] = *at;
		*at = stop + 1;
	}
	return words;
}

static int enter(const struct resident_message *message, int *files)
{
	struct stat about;
	if (fstat(files[RESIDENT_WORDS], &about))
		_exit(127);
	size_t size = (size_t)about.st_size;
	char *text = malloc(size), *at = text;
	if (!text || pread(files[RESIDENT_WORDS], text, size, 0) != about.st_size)
		_exit(127);
	close(files[RESIDENT_WORDS]);
	char **words = read_words(&at, text + size, message->word_count);
	char **variables = words ? read_words(&at, text + size, message->variable_count) : NULL;
	if (!variables || !place_files(message, files) || on_exit(tell_status, NULL))
		_exit(127);
	signal(SIGCHLD, SIG_DFL);
	environ = variables;
	return program((int)message->word_count, words, environ);
}

/* ---- Waiting, in the parent ---- */

/* The number of files that came with the message; negative: there will be no more. */
static int receive(struct resident_message *message, int *files)
{
	_Alignas(struct cmsghdr) char space[CMSG_SPACE(RESIDENT_FILES_MAX * sizeof(int))];
	struct iovec data = {message, sizeof *message};
	struct msghdr header = {
		.msg_iov = &data, .msg_iovlen = 1, .msg_control = space, .msg_controllen = sizeof space};
	if (recvmsg(channel, &header, MSG_CMSG_CLOEXEC) != (ssize_t)sizeof *message)
		return -1;
	struct cmsghdr *rights = CMSG_FIRSTHDR(&header);
	if (!rights || rights->cmsg_type != SCM_RIGHTS)
		return -1;
	size_t bytes = rights->cmsg_len - CMSG_LEN(0);
	memcpy(files, CMSG_DATA(rights), bytes);
	return (int)(bytes / sizeof(int));
}

static int serve(int argc, char **argv, char **variables)
{
	struct resident_message message;
	int files[RESIDENT_FILES_MAX], count, nowhere = open("/dev/null", O_RDWR);
	(void)argc, (void)argv, (void)variables;
	for (int k = 0; k < 3; k++)
		dup2(nowhere, k);
	channel = dup2(channel, 3);
	closefrom(4);
	if (chdir("/") || fork() || send(channel, "", 1, MSG_NOSIGNAL) != 1)
		_exit(0);
	signal(SIGCHLD, SIG_IGN); /* nobody waits for the children */
	while ((count = receive(&message, files)) >= 0) {
		if (count == (int)message.file_count + RESIDENT_FILES && !fork())
			return enter(&message, files);
		for (int k = 0; k < count; k++)
			close(files[k]);
	}
	_exit(0);
}

/* A script or another program in front of clang is started as usual, and what it starts as well: without a socket this
 * library stays in them, to note what they look for. */
int __libc_start_main(main_function *entry, int argc, char **argv, void (*init)(void), void (*fini)(void),
	void (*linker)(void), void *stack)
{
	typedef int start_function(
		main_function *, int, char **, void (*)(void), void (*)(void), void (*)(void), void *);
	start_function *start = (start_function *)(uintptr_t)dlsym(RTLD_NEXT, "__libc_start_main");
	const char *socket = getenv("LOCKSTEP_RESIDENT_SOCKET"), *wanted = getenv("LOCKSTEP_RESIDENT_PROGRAM");
	bool ours = socket && wanted && argc && !strcmp(wanted, argv[0]);
	if (socket) {
		channel = (int)strtol(socket, NULL, 10);
		unsetenv("LD_PRELOAD");
		unsetenv("LD_BIND_NOW");
		unsetenv("LOCKSTEP_RESIDENT_SOCKET");
		unsetenv("LOCKSTEP_RESIDENT_PROGRAM");
	}
	program = entry;
	return start(ours ? serve : entry, argc, argv, init, fini, linker, stack);
}
