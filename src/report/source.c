/* The lines of source around a place, for reports that people read. */
#include "report/source.h"
#include "util/vector.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define LINES_AROUND 1
#define MOST_LINES 1000000
#define LARGEST (64u << 20)

struct kept {
	const char *name, *text; /* text null: there have been different ones */
	size_t length;
};

static struct arena kept_arena;
static VECTOR(struct kept) all_kept;

static struct kept *find_kept(const char *name)
{
	for (uint32_t k = 0; k < all_kept.count; k++)
		if (!strcmp(all_kept.at[k].name, name))
			return &all_kept.at[k];
	return NULL;
}

void report_source_keep(const char *name, const char *text, size_t length)
{
	struct kept *known = find_kept(name);
	if (!known)
		*vector_push(&kept_arena, &all_kept) = (struct kept){.name = name, .text = text, .length = length};
	else if (known->text && (known->length != length || memcmp(known->text, text, length) != 0))
		known->text = NULL;
}

/* A report without lines of a source says why, but where there is no such file for us: that is as usual as not. */
static void say_missing(const char *file, int why)
{
	static atomic_bool said;
	if (why != ENOENT && why != ENOTDIR && why != EACCES && why != ENAMETOOLONG && why != ELOOP && why != ENXIO &&
		!atomic_exchange(&said, true))
		fprintf(stderr, "lockstep: %s: cannot read, so the report lacks lines of it: %s\n", file,
			strerror(why));
}

/* The next line, without its end; false after the last one, and where the rest cannot be read. */
static bool next_line(FILE *stream, const char *file, char **text, size_t *room)
{
	if (!stream)
		return false;
	if (getline(text, room, stream) < 0) {
		if (!feof(stream))
			say_missing(file, errno);
		return false;
	}
	(*text)[strcspn(*text, "\r\n")] = '\0';
	return true;
}

static FILE *open_kept(const struct kept *kept)
{
	FILE *stream = kept->text ? fmemopen((void *)(uintptr_t)kept->text, kept->length, "r") : NULL;
	if (kept->text && !stream)
		say_missing(kept->name, errno);
	return stream;
}

/* PTX names whatever it likes: what is no regular file is not waited for, nor read. */
static FILE *open_source(const char *file)
{
	struct stat status;
	const struct kept *kept = find_kept(file);
	if (kept)
		return open_kept(kept);
	int descriptor = open(file, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	bool regular = descriptor >= 0 && !fstat(descriptor, &status) && S_ISREG(status.st_mode);
	FILE *stream = regular ? fdopen(descriptor, "r") : NULL;
	if (!stream && (regular || descriptor < 0))
		say_missing(file, errno);
	if (descriptor >= 0 && !stream)
		close(descriptor);
	return stream;
}

void report_source(struct text *out, const char *file, uint64_t line)
{
	FILE *stream = open_source(file);
	char *text = NULL;
	size_t room = 0;
	uint64_t number = 0;
	while (number < line + LINES_AROUND && next_line(stream, file, &text, &room)) {
		number++;
		if (number + LINES_AROUND < line)
			continue;
		text_print(out, "  %c %6" PRIu64 " | %s\n", number == line ? '>' : ' ', number, text);
	}
	free(text);
	if (stream)
		fclose(stream);
}

bool report_source_hint(struct text *out, const char *file)
{
	const char *end = strrchr(file, '.');
	FILE *stream = end && !strcmp(end, ".ptx") ? open_source(file) : NULL;
	bool is_needed = end && !strcmp(end, ".ptx") && !stream;
	if (stream)
		fclose(stream);
	if (is_needed)
		text_print(out,
			"\n  Lines of %s are those of PTX, which has none of its source: compile with nvcc -lineinfo "
			"for "
			"these.\n",
			file);
	return is_needed;
}

const char *const *report_source_lines(struct arena *arena, const char *file, size_t *count)
{
	FILE *stream = open_source(file);
	VECTOR(const char *) lines = {0};
	char *text = NULL;
	size_t room = 0;
	while (lines.count < MOST_LINES && next_line(stream, file, &text, &room))
		*vector_push(arena, &lines) = arena_text(arena, text);
	free(text);
	if (stream)
		fclose(stream);
	*count = lines.count;
	return lines.at;
}

const char *report_source_text(struct arena *arena, const char *file, size_t *length)
{
	FILE *stream = open_source(file);
	struct text text = {.arena = arena};
	char part[1 << 14];
	size_t got;
	*length = 0;
	if (!stream)
		return NULL;
	text_append(&text, "", 0);
	while (text.length <= LARGEST && (got = fread(part, 1, sizeof part, stream)))
		text_append(&text, part, got);
	if (ferror(stream))
		say_missing(file, errno);
	bool whole = !ferror(stream) && text.length <= LARGEST;
	fclose(stream);
	*length = text.length;
	return whole ? text.at : NULL;
}
