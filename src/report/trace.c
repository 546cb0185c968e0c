/* The timeline writer: Chrome's JSON trace format, one event a line, as short as it can be, straight to the file.
 *
 * A process that exits before the file is whole leaves none of it: see forget_unfinished. */
#include "report/trace.h"

#include "util/new_file.h"
#include "util/vector.h"

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define BUFFER_BYTES (1 << 20)
#define HEAD "{\"displayTimeUnit\":\"ns\",\"traceEvents\":["
#define LAUNCHES 1000000 /* the process that has them; those of cores have their numbers */

/* Launches of one stream, one after another. */
struct row {
	uint64_t stream, end; /* of the last one */
};

struct trace {
	struct arena *arena;
	FILE *file;
	const char *path;
	struct new_file replaces;
	bool any;                        /* an event has been written: the next needs a comma */
	int why;                         /* the flush of a launch failed, an errno; 0: none did */
	uint64_t span;                   /* of trace_span: the next one's identity */
	uint64_t most, events, left_out; /* of trace_slice and trace_span */
	bool merges;
	uint64_t merged_from; /* cycle */
	VECTOR(struct row) rows;
};

/* The files that are being written, by this process; of more than there is room for nothing is known. */
#define MOST_OPEN 8
static struct {
	pthread_mutex_t lock;
	pid_t process; /* a child has copies of its parent's, which are not its own */
	char names[MOST_OPEN][PATH_MAX];
} unfinished = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* The entry `old` becomes `new`; "": there is none. */
static void note_unfinished(const char *old, const char *new)
{
	pthread_mutex_lock(&unfinished.lock);
	if (unfinished.process != getpid())
		memset(unfinished.names, 0, sizeof unfinished.names);
	unfinished.process = getpid();
	for (size_t k = 0; k < MOST_OPEN; k++)
		if (!strcmp(unfinished.names[k], old)) {
			snprintf(unfinished.names[k], sizeof unfinished.names[k], "%s", new);
			break;
		}
	pthread_mutex_unlock(&unfinished.lock);
}

/* Runs after the other destructors, one of which may complete a file. */
__attribute__((destructor(101))) static void forget_unfinished(void)
{
	if (unfinished.process != getpid() || pthread_mutex_trylock(&unfinished.lock))
		return;
	for (size_t k = 0; k < MOST_OPEN; k++)
		if (unfinished.names[k][0])
			unlink(unfinished.names[k]);
}

static bool open_stream(struct trace *trace)
{
	if (!new_file_begin(&trace->replaces, trace->path, getpid()))
		return false;
	trace->file = fdopen(trace->replaces.descriptor, "w");
	if (trace->file) {
		note_unfinished("", trace->replaces.beside);
		return true;
	}
	int why = errno;
	close(trace->replaces.descriptor);
	new_file_end(&trace->replaces, false);
	errno = why;
	return false;
}

struct trace *trace_open(struct arena *arena, const char *path, uint64_t most, struct diagnostic *diagnostic)
{
	struct trace *trace = arena_new(arena, struct trace);
	trace->arena = arena;
	trace->most = most;
	trace->path = arena_text(arena, path);
	if (!open_stream(trace)) {
		diagnose(diagnostic, (struct place){.file = path}, "cannot create: %s", strerror(errno));
		return NULL;
	}
	setvbuf(trace->file, arena_alloc(arena, BUFFER_BYTES), _IOFBF, BUFFER_BYTES);
	fputs(HEAD, trace->file);
	return trace;
}

static void print_string(struct trace *trace, const char *text)
{
	putc('"', trace->file);
	for (; *text; text++) {
		unsigned char c = (unsigned char)*text;
		if (c == '"' || c == '\\')
			fprintf(trace->file, "\\%c", c);
		else if (c < 0x20 || c > 0x7e)
			fprintf(trace->file, "\\u%04x", c);
		else
			putc(c, trace->file);
	}
	putc('"', trace->file);
}

/* What all events have in common; the caller adds its members and end_event. */
static void begin_event(struct trace *trace, const char *phase, uint32_t core, const char *name)
{
	fprintf(trace->file, "%s\n{\"ph\":\"%s\",\"pid\":%" PRIu32 ",\"name\":", trace->any ? "," : "", phase, core);
	print_string(trace, name);
	trace->any = true;
}

static void end_event(struct trace *trace, const struct trace_argument *arguments, size_t count)
{
	if (!count) {
		fputs("}", trace->file);
		return;
	}
	fputs(",\"args\":{", trace->file);
	for (size_t k = 0; k < count; k++) {
		fputs(k ? "," : "", trace->file);
		print_string(trace, arguments[k].name);
		putc(':', trace->file);
		if (arguments[k].text)
			print_string(trace, arguments[k].text);
		else
			fprintf(trace->file, "%" PRIu64, arguments[k].number);
	}
	fputs("}}", trace->file);
}

/* Thread 0 of a process has no lane of its own in some viewers. */
static uint32_t thread_of(uint32_t scheduler)
{
	return scheduler + 1;
}

static void name_lane(struct trace *trace, const char *what, uint32_t process, uint32_t thread, const char *label)
{
	begin_event(trace, "M", process, what);
	fprintf(trace->file, ",\"tid\":%" PRIu32, thread);
	end_event(trace, &(struct trace_argument){.name = "name", .text = label}, 1);
}

/* The place of a process among the others. */
static void place_process(struct trace *trace, uint32_t process, uint64_t place)
{
	begin_event(trace, "M", process, "process_sort_index");
	end_event(trace, &(struct trace_argument){.name = "sort_index", .number = place}, 1);
}

/* The caller adds end_event. */
static void begin_slice(
	struct trace *trace, uint32_t process, uint32_t thread, const char *name, uint64_t start, uint64_t end)
{
	begin_event(trace, "X", process, name);
	fprintf(trace->file, ",\"tid\":%" PRIu32 ",\"ts\":%" PRIu64 ",\"dur\":%" PRIu64, thread, start, end - start);
}

/* ---- Launches ---- */

static uint32_t add_row(struct trace *trace, uint64_t stream, bool is_first)
{
	char label[64];
	if (!trace->rows.count) {
		name_lane(trace, "process_name", LAUNCHES, 0, "launches");
		place_process(trace, LAUNCHES, 0);
	}
	*vector_push(trace->arena, &trace->rows) = (struct row){.stream = stream};
	snprintf(label, sizeof label, "stream %" PRIu64 "%s", stream, is_first ? "" : ", beside");
	name_lane(trace, "thread_name", LAUNCHES, thread_of(trace->rows.count - 1), label);
	return trace->rows.count - 1;
}

/* A row of the stream whose last launch had ended by then. */
static uint32_t find_row(struct trace *trace, uint64_t stream, uint64_t start)
{
	bool is_first = true;
	for (uint32_t k = 0; k < trace->rows.count; k++) {
		const struct row *row = &trace->rows.at[k];
		if (row->stream == stream && row->end <= start)
			return k;
		is_first &= row->stream != stream;
	}
	return add_row(trace, stream, is_first);
}

void trace_launch(struct trace *trace, uint64_t stream, const char *name, uint64_t start, uint64_t end,
	const struct trace_argument *arguments, size_t count)
{
	uint32_t row = find_row(trace, stream, start);
	trace->rows.at[row].end = end;
	begin_slice(trace, LAUNCHES, thread_of(row), name, start, end);
	end_event(trace, arguments, count);
	/* A program that is killed leaves all launches before. */
	if (fflush(trace->file) && !trace->why)
		trace->why = errno;
}

/* ---- Cores ---- */

void trace_core(struct trace *trace, uint32_t core, uint32_t schedulers)
{
	char label[32];
	snprintf(label, sizeof label, "core %" PRIu32, core);
	name_lane(trace, "process_name", core, 0, label);
	place_process(trace, core, core + 1ull);
	for (uint32_t k = 0; k < schedulers; k++) {
		snprintf(label, sizeof label, "scheduler %" PRIu32, k);
		name_lane(trace, "thread_name", core, thread_of(k), label);
	}
}

/* Whether there is room for one more. */
static bool has_room(struct trace *trace)
{
	if (trace->events < trace->most)
		return ++trace->events;
	trace->left_out++;
	return false;
}

void trace_slice(struct trace *trace, uint32_t core, uint32_t scheduler, const char *name, uint64_t start, uint64_t end,
	const struct trace_argument *arguments, size_t count)
{
	if (!has_room(trace))
		return;
	begin_slice(trace, core, thread_of(scheduler), name, start, end);
	end_event(trace, arguments, count);
}

/* Asynchronous events: the viewer gives overlapping ones rows of their own under one heading. */
static void add_span(struct trace *trace, uint32_t core, const char *category, const char *name, uint32_t warp,
	uint64_t start, uint64_t end, const struct trace_argument *arguments, size_t count)
{
	if (!has_room(trace))
		return;
	for (int is_end = 0; is_end <= 1; is_end++) {
		begin_event(trace, is_end ? "e" : "b", core, name);
		fprintf(trace->file, ",\"cat\":\"%s\",\"id\":%" PRIu64 ",\"tid\":%" PRIu32 ",\"ts\":%" PRIu64, category,
			trace->span, warp, is_end ? end : start);
		end_event(trace, arguments, is_end ? 0 : count);
	}
	trace->span++;
}

void trace_span(struct trace *trace, uint32_t core, const char *category, uint32_t warp, uint64_t start, uint64_t end,
	const struct trace_argument *arguments, size_t count)
{
	char name[64];
	snprintf(name, sizeof name, "%s, warp %" PRIu32, category, warp);
	add_span(trace, core, category, name, warp, start, end, arguments, count);
}

void trace_phase(struct trace *trace, uint32_t core, const char *category, const char *name, uint64_t start,
	uint64_t end, const struct trace_argument *arguments, size_t count)
{
	add_span(trace, core, category, name, 0, start, end, arguments, count);
}

uint64_t trace_events(const struct trace *trace)
{
	return trace->events;
}

void trace_leave_out(struct trace *trace)
{
	trace->left_out++;
}

void trace_note_merging(struct trace *trace, uint64_t cycle)
{
	if (!trace->merges)
		trace->merged_from = cycle;
	trace->merges = true;
}

/* ---- The end ---- */

#define END "\n],\"otherData\":{\"producer\":\"lockstep\",\"unit\":\"1 us is 1 core cycle\",\"left out\":"
#define LAST_LINE (64 << 10) /* bytes: no event is longer */

/* The last bytes of the file, and how many there are. */
static size_t read_tail(int file, off_t size, char tail[LAST_LINE + 1])
{
	ssize_t got = pread(file, tail, LAST_LINE, size > LAST_LINE ? size - LAST_LINE : 0);
	tail[got > 0 ? got : 0] = '\0';
	return got > 0 ? (size_t)got : 0;
}

/* Where the events that it has whole end: each line but the last, which may be a part of one. */
static off_t end_of_whole(const char *tail, size_t length, off_t size)
{
	size_t at = length;
	while (at && tail[at - 1] != '\n')
		at--;
	if (at < 2) /* no event, or one that is longer than any */
		return (off_t)strlen(HEAD);
	at -= tail[at - 2] == ',' ? 2 : 1;
	return size - (off_t)(length - at);
}

/* Ends the file after its last whole event; false: it cannot be written. */
static bool complete(int file, off_t size)
{
	static const char end[] = END "0,\"cut off\":1}}\n";
	char tail[LAST_LINE + 1];
	size_t length = read_tail(file, size, tail);
	if (strstr(tail, END))
		return true;
	off_t at = size ? end_of_whole(tail, length, size) : (off_t)strlen(HEAD);
	return (size || write(file, HEAD, strlen(HEAD)) == (ssize_t)strlen(HEAD)) && !ftruncate(file, at) &&
	       pwrite(file, end, strlen(end), at) == (ssize_t)strlen(end);
}

/* Whether it is empty, or begins as timelines do. */
static bool is_ours(int file, off_t size)
{
	char head[sizeof HEAD] = "";
	return !size || (pread(file, head, strlen(HEAD), 0) > 0 && !strcmp(head, HEAD));
}

void trace_complete(const char *path, pid_t process)
{
	struct new_file left;
	struct stat status;
	if (!new_file_left(&left, path, process))
		return;
	bool good = !fstat(left.descriptor, &status) && is_ours(left.descriptor, status.st_size) &&
		    complete(left.descriptor, status.st_size);
	good = !close(left.descriptor) && good;
	new_file_end(&left, good);
}

/* Closes the file, which takes its name if it was `good`; false, and errno, when it could not be written. */
static bool end_stream(struct trace *trace, bool good)
{
	int why = errno;
	if (fclose(trace->file) && good) {
		good = false;
		why = errno;
	}
	if (trace->replaces.beside[0])
		note_unfinished(trace->replaces.beside, "");
	errno = why;
	return new_file_end(&trace->replaces, good) && good;
}

bool trace_close(struct trace *trace, struct diagnostic *diagnostic)
{
	fprintf(trace->file, END "%" PRIu64, trace->left_out);
	if (trace->merges)
		fprintf(trace->file, ",\"merged from cycle\":%" PRIu64, trace->merged_from);
	fputs("}}\n", trace->file);
	errno = 0;
	bool good = !ferror(trace->file) && !fflush(trace->file);
	if (trace->why)
		errno = trace->why;
	if (end_stream(trace, good))
		return true;
	return diagnose(diagnostic, (struct place){.file = trace->path}, "cannot write the timeline: %s",
		errno ? strerror(errno) : "write error");
}

bool trace_is_empty(const struct trace *trace)
{
	return !trace->any;
}

void trace_discard(struct trace *trace)
{
	end_stream(trace, false);
}
