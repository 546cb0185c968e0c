/* The timeline writer: Chrome's JSON trace format, one event a line, straight to the file. */
#include "report/trace.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define BUFFER_BYTES (1 << 20)

struct trace {
	FILE *file;
	const char *path;
	bool any;      /* an event has been written: the next needs a comma */
	uint64_t span; /* of trace_span: the next one's identity */
};

struct trace *trace_open(struct arena *arena, const char *path, struct diagnostic *diagnostic)
{
	struct trace *trace = arena_new(arena, struct trace);
	trace->path = arena_copy(arena, path, strlen(path));
	trace->file = fopen(path, "w");
	if (!trace->file) {
		diagnose(diagnostic, (struct place){.file = path}, "cannot create: %s", strerror(errno));
		return NULL;
	}
	setvbuf(trace->file, arena_alloc(arena, BUFFER_BYTES), _IOFBF, BUFFER_BYTES);
	fputs("{\"displayTimeUnit\": \"ns\", \"otherData\": {\"producer\": \"lockstep\", \"unit\": \"1 us is 1 core "
	      "cycle\"},\n"
	      "\"traceEvents\": [",
		trace->file);
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
	fprintf(trace->file, "%s\n{\"ph\": \"%s\", \"pid\": %" PRIu32 ", \"name\": ", trace->any ? "," : "", phase,
		core);
	print_string(trace, name);
	trace->any = true;
}

static void end_event(struct trace *trace, const struct trace_argument *arguments, size_t count)
{
	fputs(", \"args\": {", trace->file);
	for (size_t k = 0; k < count; k++) {
		fputs(k ? ", " : "", trace->file);
		print_string(trace, arguments[k].name);
		fputs(": ", trace->file);
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

static void name_lane(
	struct trace *trace, const char *what, uint32_t core, uint32_t thread, const char *format, uint32_t number)
{
	char label[64];
	snprintf(label, sizeof label, "%s %" PRIu32, format, number);
	begin_event(trace, "M", core, what);
	fprintf(trace->file, ", \"tid\": %" PRIu32, thread);
	end_event(trace, &(struct trace_argument){.name = "name", .text = label}, 1);
}

void trace_core(struct trace *trace, uint32_t core, uint32_t schedulers)
{
	name_lane(trace, "process_name", core, 0, "core", core);
	begin_event(trace, "M", core, "process_sort_index");
	end_event(trace, &(struct trace_argument){.name = "sort_index", .number = core}, 1);
	for (uint32_t k = 0; k < schedulers; k++)
		name_lane(trace, "thread_name", core, thread_of(k), "scheduler", k);
}

void trace_slice(struct trace *trace, uint32_t core, uint32_t scheduler, const char *name, uint64_t start, uint64_t end,
	const struct trace_argument *arguments, size_t count)
{
	begin_event(trace, "X", core, name);
	fprintf(trace->file, ", \"tid\": %" PRIu32 ", \"ts\": %" PRIu64 ", \"dur\": %" PRIu64, thread_of(scheduler),
		start, end - start);
	end_event(trace, arguments, count);
}

void trace_span(struct trace *trace, uint32_t core, enum trace_wait kind, uint32_t warp, const char *name,
	uint64_t start, uint64_t end, const struct trace_argument *arguments, size_t count)
{
	static const char *const categories[] = {"barrier wait", "lock held", "lock wait"};
	const char *category = categories[kind];
	uint64_t id = trace->span++;
	/* Asynchronous events: the viewer gives overlapping ones rows of their own under one heading. */
	begin_event(trace, "b", core, name);
	fprintf(trace->file, ", \"cat\": \"%s\", \"id\": %" PRIu64 ", \"tid\": %" PRIu32 ", \"ts\": %" PRIu64, category,
		id, warp, start);
	end_event(trace, arguments, count);
	begin_event(trace, "e", core, name);
	fprintf(trace->file, ", \"cat\": \"%s\", \"id\": %" PRIu64 ", \"tid\": %" PRIu32 ", \"ts\": %" PRIu64, category,
		id, warp, end);
	end_event(trace, NULL, 0);
}

void trace_counter(struct trace *trace, uint32_t core, const char *name, uint64_t cycle, uint64_t value)
{
	begin_event(trace, "C", core, name);
	fprintf(trace->file, ", \"ts\": %" PRIu64, cycle);
	end_event(trace, &(struct trace_argument){.name = "value", .number = value}, 1);
}

bool trace_close(struct trace *trace, struct diagnostic *diagnostic)
{
	struct stat status;
	fputs("\n]}\n", trace->file);
	errno = 0;
	bool is_file = !fstat(fileno(trace->file), &status) && S_ISREG(status.st_mode);
	bool good = !ferror(trace->file) && !fflush(trace->file);
	int why = errno;
	if (fclose(trace->file) && good) {
		good = false;
		why = errno;
	}
	if (good)
		return true;
	if (is_file)
		unlink(trace->path);
	diagnose(diagnostic, (struct place){.file = trace->path}, "cannot write the timeline: %s",
		why ? strerror(why) : "write error");
	return false;
}
