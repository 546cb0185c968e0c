/* A library to load before Lockstep (LD_PRELOAD) that makes one call of the system or of the C library fail;
 * tests/faults.py uses it.
 *
 *     LOCKSTEP_FAULT=KIND:N        the Nth call of this kind fails, counted from 1 over all processes
 *     LOCKSTEP_FAULT_COUNTS=FILE   of a page, where processes count together; without it nothing fails
 *     LOCKSTEP_FAULT_IN=NAME       only calls in processes of this name count
 *     LOCKSTEP_FAULT_CALLS=FILE    gets a line for each call, or where one is to fail, for that
 *
 * The line has the kind, the function, a hash of the frames that called it, the process, and the frames, FILE+OFFSET,
 * as addr2line takes them.
 *
 * Only calls count that Lockstep's own code makes: its commands, liblockstep and the front ends.  Those of other
 * libraries, of compilers and of simulated programs go on as ever.
 *
 * The C library's streams write by calls that nothing can come before.  So each stream that Lockstep opens, and the
 * standard output of its commands, is one of fopencookie(), which reads and writes through functions of this file. */
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

enum kind { ALLOC, MAP, OPEN, READ, WRITE, CLOSE, RENAME, PROCESS, THREAD, WAIT, LOAD, KINDS };
static const struct {
	const char *name;
	int error; /* what such a call gives as its reason */
} kinds[KINDS] = {
	[ALLOC] = {"alloc", ENOMEM},
	[MAP] = {"map", ENOMEM},
	[OPEN] = {"open", EMFILE}, /* whatever gives descriptors */
	[READ] = {"read", EIO},
	[WRITE] = {"write", ENOSPC},
	[CLOSE] = {"close", EIO},      /* of descriptors and streams: they are closed all the same */
	[RENAME] = {"rename", ENOSPC}, /* whatever changes folders */
	[PROCESS] = {"process", EAGAIN},
	[THREAD] = {"thread", EAGAIN},
	[WAIT] = {"wait", EINTR},
	[LOAD] = {"load", 0},
};

static struct {
	atomic_ulong *counts; /* [KINDS], shared; null: the library does nothing */
	const char *calls;
	enum kind kind; /* which kind's call number `number` fails; KINDS: none does */
	unsigned long number;
	char program[256]; /* this process's, without its folder: the first word that it was given may be any */
} plan = {.kind = KINDS};

/* ---- Who calls ---- */

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash ? slash + 1 : path;
}

static const char *object_name(const struct link_map *object)
{
	return base_name(*object->l_name ? object->l_name : plan.program);
}

static bool is_own_object(const struct link_map *object)
{
	static const char *const beginnings[] = {"lockstep", "liblockstep", "libcudart.so", "libcuda.so"};
	for (size_t k = 0; k < sizeof beginnings / sizeof *beginnings; k++)
		if (!strncmp(object_name(object), beginnings[k], strlen(beginnings[k])))
			return true;
	return false;
}

static bool is_own(void *caller)
{
	struct dl_find_object found;
	return plan.counts && !_dl_find_object(caller, &found) && is_own_object(found.dlfo_link_map);
}

/* ---- What is counted ---- */

enum { LINE = 4096, MOST_FRAMES = 24, HASHED_FRAMES = 7 };

static void add_line(const char *line, int length)
{
	int file = open(plan.calls, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
	if (file < 0 || write(file, line, (size_t)length) != length)
		abort();
	close(file);
}

/* The frames of Lockstep's own objects, FILE+OFFSET each, innermost first; and a hash of the first ones. */
static uint64_t describe(char *text, size_t room)
{
	void *frames[MOST_FRAMES];
	int count = backtrace(frames, MOST_FRAMES), own = 0;
	uint64_t hash = 0xcbf29ce484222325;
	size_t length = 0;

	*text = '\0';
	for (int k = 0; k < count && length + 256 < room; k++) {
		struct dl_find_object found;
		if (_dl_find_object(frames[k], &found) || !is_own_object(found.dlfo_link_map))
			continue;
		uintptr_t offset = (uintptr_t)frames[k] - found.dlfo_link_map->l_addr - 1; /* in the call */
		length += (size_t)snprintf(
			text + length, room - length, " %.128s+0x%lx", object_name(found.dlfo_link_map), offset);
		if (own++ < HASHED_FRAMES)
			hash = (hash ^ offset) * 0x100000001b3;
	}
	return hash;
}

/* Counts a call, and says whether it is to fail; then errno has the reason. */
static bool counts_and_fails(enum kind kind, const char *function)
{
	char frames[LINE], line[LINE + 256];
	int before = errno;
	bool chosen = atomic_fetch_add(&plan.counts[kind], 1) + 1 == plan.number && kind == plan.kind;

	if (plan.calls && (chosen || plan.kind == KINDS)) {
		uint64_t hash = describe(frames, sizeof frames);
		add_line(line, snprintf(line, sizeof line, "%s %s %016lx %s%s\n", kinds[kind].name, function, hash,
				       plan.program, frames));
	}
	errno = chosen ? kinds[kind].error : before;
	return chosen;
}

static bool fails(enum kind kind, const char *function, void *caller)
{
	return is_own(caller) && counts_and_fails(kind, function);
}

#define REAL(name)                                                                                                     \
	static __typeof__(&(name)) real;                                                                               \
	if (!real)                                                                                                     \
	real = (__typeof__(real))dlsym(RTLD_NEXT, #name)
#define FAILS(kind) fails(kind, __func__, __builtin_return_address(0))

/* ---- Memory ---- */

extern void *__libc_malloc(size_t size), *__libc_calloc(size_t count, size_t size),
	*__libc_realloc(void *old, size_t size);

void *malloc(size_t size)
{
	return FAILS(ALLOC) ? NULL : __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
	return FAILS(ALLOC) ? NULL : __libc_calloc(count, size);
}

void *realloc(void *old, size_t size)
{
	return FAILS(ALLOC) ? NULL : __libc_realloc(old, size);
}

char *strdup(const char *text)
{
	REAL(strdup);
	return FAILS(ALLOC) ? NULL : real(text);
}

char *strndup(const char *text, size_t size)
{
	REAL(strndup);
	return FAILS(ALLOC) ? NULL : real(text, size);
}

ssize_t getline(char **line, size_t *room, FILE *stream)
{
	REAL(getline);
	return FAILS(ALLOC) ? -1 : real(line, room, stream);
}

FILE *fmemopen(void *data, size_t size, const char *mode)
{
	REAL(fmemopen);
	return FAILS(ALLOC) ? NULL : real(data, size, mode);
}

FILE *open_memstream(char **data, size_t *size)
{
	REAL(open_memstream);
	return FAILS(ALLOC) ? NULL : real(data, size);
}

void *mmap(void *at, size_t size, int protection, int flags, int file, off_t offset)
{
	REAL(mmap);
	return FAILS(MAP) ? MAP_FAILED : real(at, size, protection, flags, file, offset);
}

void *mmap64(void *at, size_t size, int protection, int flags, int file, off_t offset)
{
	REAL(mmap64);
	return FAILS(MAP) ? MAP_FAILED : real(at, size, protection, flags, file, offset);
}

int mprotect(void *at, size_t size, int protection)
{
	REAL(mprotect);
	return FAILS(MAP) ? -1 : real(at, size, protection);
}

/* ---- Descriptors ---- */

#define OPEN_MODE(flags)                                                                                               \
	mode_t mode = 0;                                                                                               \
	if ((flags) & (O_CREAT | __O_TMPFILE)) {                                                                       \
		va_list list;                                                                                          \
		va_start(list, flags);                                                                                 \
		mode = va_arg(list, mode_t);                                                                           \
		va_end(list);                                                                                          \
	}

int open(const char *path, int flags, ...)
{
	OPEN_MODE(flags)
	REAL(open);
	return FAILS(OPEN) ? -1 : real(path, flags, mode);
}

int open64(const char *path, int flags, ...)
{
	OPEN_MODE(flags)
	REAL(open64);
	return FAILS(OPEN) ? -1 : real(path, flags, mode);
}

int openat(int folder, const char *path, int flags, ...)
{
	OPEN_MODE(flags)
	REAL(openat);
	return FAILS(OPEN) ? -1 : real(folder, path, flags, mode);
}

int mkstemp(char *path)
{
	REAL(mkstemp);
	return FAILS(OPEN) ? -1 : real(path);
}

int mkostemp(char *path, int flags)
{
	REAL(mkostemp);
	return FAILS(OPEN) ? -1 : real(path, flags);
}

int memfd_create(const char *name, unsigned flags)
{
	REAL(memfd_create);
	return FAILS(OPEN) ? -1 : real(name, flags);
}

int pipe(int ends[2])
{
	REAL(pipe);
	return FAILS(OPEN) ? -1 : real(ends);
}

int pipe2(int ends[2], int flags)
{
	REAL(pipe2);
	return FAILS(OPEN) ? -1 : real(ends, flags);
}

int socketpair(int domain, int type, int protocol, int ends[2])
{
	REAL(socketpair);
	return FAILS(OPEN) ? -1 : real(domain, type, protocol, ends);
}

int dup2(int from, int to)
{
	REAL(dup2);
	return FAILS(OPEN) ? -1 : real(from, to);
}

int ftruncate(int file, off_t size)
{
	REAL(ftruncate);
	return FAILS(WRITE) ? -1 : real(file, size);
}

int fsync(int file)
{
	REAL(fsync);
	return FAILS(CLOSE) ? -1 : real(file);
}

ssize_t read(int file, void *data, size_t size)
{
	REAL(read);
	return FAILS(READ) ? -1 : real(file, data, size);
}

ssize_t pread(int file, void *data, size_t size, off_t at)
{
	REAL(pread);
	return FAILS(READ) ? -1 : real(file, data, size, at);
}

ssize_t write(int file, const void *data, size_t size)
{
	REAL(write);
	return FAILS(WRITE) ? -1 : real(file, data, size);
}

ssize_t writev(int file, const struct iovec *parts, int count)
{
	REAL(writev);
	return FAILS(WRITE) ? -1 : real(file, parts, count);
}

int close(int file)
{
	REAL(close);
	int result = real(file);
	return FAILS(CLOSE) ? -1 : result;
}

/* ---- Folders ---- */

int rename(const char *from, const char *to)
{
	REAL(rename);
	return FAILS(RENAME) ? -1 : real(from, to);
}

int mkdir(const char *path, mode_t mode)
{
	REAL(mkdir);
	return FAILS(RENAME) ? -1 : real(path, mode);
}

/* ---- Streams ---- */

enum { MOST_STREAMS = 64 };
struct cookie {
	FILE *stream, *inner; /* inner: null for standard output, which has a descriptor only */
	int file;
};
static struct cookie cookies[MOST_STREAMS];
static pthread_mutex_t cookies_lock = PTHREAD_MUTEX_INITIALIZER;

static ssize_t cookie_read(void *cookie, char *data, size_t size)
{
	return counts_and_fails(READ, "stream_read") ? -1 : read(((struct cookie *)cookie)->file, data, size);
}

static ssize_t cookie_write(void *cookie, const char *data, size_t size)
{
	ssize_t written =
		counts_and_fails(WRITE, "stream_write") ? -1 : write(((struct cookie *)cookie)->file, data, size);
	return written < 0 ? 0 : written;
}

static int cookie_seek(void *cookie, off64_t *offset, int from)
{
	off64_t at = lseek64(((struct cookie *)cookie)->file, *offset, from);
	if (at >= 0)
		*offset = at;
	return at >= 0 ? 0 : -1;
}

static int cookie_close(void *cookie)
{
	struct cookie *c = cookie;
	int result = c->inner ? fclose(c->inner) : close(c->file);
	c->stream = NULL;
	return counts_and_fails(CLOSE, "stream_close") ? -1 : result;
}

/* A stream that reads and writes what `inner` would, or the descriptor.  With no room in the table: as it was. */
static FILE *watched(FILE *inner, int file, const char *mode)
{
	static const cookie_io_functions_t functions = {cookie_read, cookie_write, cookie_seek, cookie_close};
	FILE *stream = inner;

	pthread_mutex_lock(&cookies_lock);
	for (size_t k = 0; k < MOST_STREAMS; k++)
		if (!cookies[k].stream) {
			stream = fopencookie(&cookies[k], mode, functions);
			cookies[k] = (struct cookie){stream, inner, file};
			break;
		}
	pthread_mutex_unlock(&cookies_lock);
	return stream;
}

FILE *fopen(const char *path, const char *mode)
{
	REAL(fopen);
	if (FAILS(OPEN))
		return NULL;
	FILE *inner = real(path, mode);
	return inner && is_own(__builtin_return_address(0)) ? watched(inner, fileno(inner), mode) : inner;
}

FILE *fdopen(int file, const char *mode)
{
	REAL(fdopen);
	if (FAILS(ALLOC))
		return NULL;
	FILE *inner = real(file, mode);
	return inner && is_own(__builtin_return_address(0)) ? watched(inner, file, mode) : inner;
}

int fileno(FILE *stream)
{
	REAL(fileno);
	for (size_t k = 0; k < MOST_STREAMS; k++)
		if (stream && cookies[k].stream == stream)
			return cookies[k].file;
	return real(stream);
}

/* ---- Processes, threads, libraries ---- */

pid_t fork(void)
{
	REAL(fork);
	return FAILS(PROCESS) ? -1 : real();
}

int posix_spawn(pid_t *process, const char *path, const posix_spawn_file_actions_t *actions,
	const posix_spawnattr_t *attributes, char *const words[], char *const environment[])
{
	REAL(posix_spawn);
	return FAILS(PROCESS) ? errno : real(process, path, actions, attributes, words, environment);
}

int posix_spawnp(pid_t *process, const char *path, const posix_spawn_file_actions_t *actions,
	const posix_spawnattr_t *attributes, char *const words[], char *const environment[])
{
	REAL(posix_spawnp);
	return FAILS(PROCESS) ? errno : real(process, path, actions, attributes, words, environment);
}

int execv(const char *path, char *const words[])
{
	REAL(execv);
	return FAILS(PROCESS) ? -1 : real(path, words);
}

int execvp(const char *file, char *const words[])
{
	REAL(execvp);
	return FAILS(PROCESS) ? -1 : real(file, words);
}

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*work)(void *), void *argument)
{
	REAL(pthread_create);
	return FAILS(THREAD) ? errno : real(thread, attributes, work, argument);
}

pid_t waitpid(pid_t process, int *status, int options)
{
	REAL(waitpid);
	return FAILS(WAIT) ? -1 : real(process, status, options);
}

pid_t wait4(pid_t process, int *status, int options, struct rusage *usage)
{
	REAL(wait4);
	return FAILS(WAIT) ? -1 : real(process, status, options, usage);
}

void *dlopen(const char *file, int flags)
{
	REAL(dlopen);
	return real(FAILS(LOAD) ? "/nowhere/made-to-fail.so" : file, flags); /* so that dlerror() has a reason */
}

/* ---- The beginning ---- */

static void read_wish(const char *wish)
{
	const char *colon = wish ? strchr(wish, ':') : NULL;
	for (enum kind k = 0; colon && k < KINDS; k++)
		if (!strncmp(kinds[k].name, wish, (size_t)(colon - wish)) && !kinds[k].name[colon - wish])
			plan.kind = k;
	if (wish && plan.kind == KINDS)
		abort();
	plan.number = colon ? strtoul(colon + 1, NULL, 10) : 0;
}

static void read_program(void)
{
	char path[4096];
	ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
	if (length < 0)
		abort();
	path[length] = '\0';
	snprintf(plan.program, sizeof plan.program, "%.255s", base_name(path));
}

__attribute__((constructor)) static void begin(void)
{
	const char *counts = getenv("LOCKSTEP_FAULT_COUNTS"), *in = getenv("LOCKSTEP_FAULT_IN");
	void *frame;
	read_program();
	if (in && strcmp(in, plan.program))
		return;
	int file = counts ? open(counts, O_RDWR | O_CLOEXEC) : -1;
	if (file < 0)
		return;
	void *page = mmap(NULL, sizeof *plan.counts * KINDS, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
	close(file);
	if (page == MAP_FAILED)
		abort();
	backtrace(&frame, 1); /* loads what it needs */
	plan.calls = getenv("LOCKSTEP_FAULT_CALLS");
	read_wish(getenv("LOCKSTEP_FAULT"));
	if (!strncmp(plan.program, "lockstep", 8))
		stdout = watched(NULL, STDOUT_FILENO, "w");
	plan.counts = page;
}
