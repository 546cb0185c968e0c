/* Lines are made, and later made again of the same paths and compared. */
#include "compile/witness.h"

#include "compile/makefile.h"
#include "compile/resident/message.h"
#include "util/digest.h"
#include "util/map.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- States ---- */

/* The number of the first line of the same file or folder. */
static uint32_t first_line(struct arena *arena, struct map *same, const struct stat *about, uint32_t line)
{
	const char *identity =
		arena_printf(arena, "%llx:%llx", (unsigned long long)about->st_dev, (unsigned long long)about->st_ino);
	uint32_t *first = map_get(same, identity);
	if (!first) {
		first = arena_new(arena, uint32_t);
		*first = line;
		map_put(arena, same, identity, strlen(identity), first);
	}
	assert(*first <= line);
	return *first;
}

static const char *state_of(struct arena *arena, struct map *same, const char *path, uint32_t line, struct stat *about)
{
	if (stat(path, about))
		return "-";
	uint32_t first = first_line(arena, same, about, line);
	char kind = S_ISDIR(about->st_mode) ? '/' : access(path, R_OK) ? '!' : '+';
	return arena_printf(arena, "%c%u", kind, first);
}

static const char *state_of_content(struct arena *arena, const char *text, size_t length)
{
	return arena_printf(arena, "=%s", digest_of(arena, text, length));
}

/* A pipe is not waited for. */
static const char *read_regular(struct arena *arena, const char *path, size_t *length, struct stat *about)
{
	struct diagnostic diagnostic = {0};
	return stat(path, about) || !S_ISREG(about->st_mode) ? NULL : text_read_file(arena, path, length, &diagnostic);
}

/* ---- Now ---- */

struct maker {
	struct arena *arena;
	struct timespec begun; /* what changed later may not be what was read */
	const char *unknown;   /* why the lines do not say all; null: they do */
	struct text lines;
	uint32_t count;
	struct map paths, same; /* that were looked for; first_line */
	struct stat library;    /* whose lines are left out; zero: none */
};

static void give_up(struct maker *m, const char *why)
{
	if (!m->unknown)
		m->unknown = why;
}

static bool is_later(struct timespec a, struct timespec b)
{
	return a.tv_sec != b.tv_sec ? a.tv_sec > b.tv_sec : a.tv_nsec > b.tv_nsec;
}

static void add_line(struct maker *m, const char *state, const char *path)
{
	if (strchr(path, '\n'))
		give_up(m, strcmp(path, RESIDENT_TIME) ? "a path of two lines" : "the time of the compilation");
	text_print(&m->lines, "%s %s\n", state, path);
	m->count++;
}

/* Files in memory are of this compilation only. */
static void add_lookup(struct maker *m, const char *lookup)
{
	struct stat about;
	const char *path = lookup + 1;
	bool is_there = !stat(path, &about);
	bool is_library = is_there && about.st_dev == m->library.st_dev && about.st_ino == m->library.st_ino;
	if (is_library || !strncmp(path, "/proc/", strlen("/proc/")) ||
		map_put(m->arena, &m->paths, path, strlen(path), m))
		return;
	bool is_newer = is_there && !S_ISDIR(about.st_mode) && is_later(about.st_ctim, m->begun);
	if (is_newer || *lookup != (is_there ? RESIDENT_FOUND : RESIDENT_MISSING))
		give_up(m, "a file that changed meanwhile");
	add_line(m, state_of(m->arena, &m->same, path, m->count, &about), path);
}

bool witness_compares_times(const char *text)
{
	for (const char *at = text, *end; (at = strstr(at, "dependency")); at++) {
		for (end = at; end > text && strchr(" \t", end[-1]); end--)
			;
		if (end < at && ((end - text >= 3 && !memcmp(end - 3, "GCC", 3)) ||
					(end - text >= 5 && !memcmp(end - 5, "clang", 5))))
			return true;
	}
	return false;
}

static const char silent[] = "a compiler that does not say what it looks for";

static void add_read(struct maker *m, const char *path)
{
	struct stat about;
	size_t length;
	const char *text = read_regular(m->arena, path, &length, &about);
	if (!text)
		give_up(m, "a file that is gone");
	else if (first_line(m->arena, &m->same, &about, m->count) == m->count)
		give_up(m, silent);
	else if (witness_compares_times(text))
		give_up(m, "the times of files");
	else
		add_line(m, state_of_content(m->arena, text, length), path);
}

const char *witness_lines(struct arena *arena, struct timespec begun, const char *makefile, const struct text *lookups,
	const char *library, const char **why)
{
	struct maker m = {.arena = arena, .begun = begun, .lines = {.arena = arena}};
	const char *at = makefile, *path;
	if (!lookups->length)
		give_up(&m, silent);
	if (library && stat(library, &m.library))
		give_up(&m, "a library that is gone");
	for (size_t k = 0; k < lookups->length; k += strlen(lookups->at + k) + 1)
		add_lookup(&m, lookups->at + k);
	while ((path = makefile_next(arena, &at)))
		if (!makefile_is_in_memory(path))
			add_read(&m, path);
	*why = m.unknown;
	return m.unknown ? NULL : m.lines.at;
}

/* ---- Later ---- */

static const char *state_now(struct arena *arena, struct map *same, const char *before, const char *path, uint32_t line)
{
	struct stat about;
	size_t length;
	if (*before != '=')
		return state_of(arena, same, path, line, &about);
	const char *text = read_regular(arena, path, &length, &about);
	return text ? state_of_content(arena, text, length) : "-";
}

bool witness_holds(struct arena *arena, const char *lines)
{
	struct map same = {0};
	uint32_t line = 0;
	for (const char *at = lines, *end; *at; at = end + 1, line++) {
		const char *blank = strchr(at, ' ');
		end = strchr(at, '\n');
		if (!blank || !end || blank > end)
			return false;
		const char *path = arena_copy(arena, blank + 1, (size_t)(end - blank - 1));
		const char *now = state_now(arena, &same, at, path, line);
		if (strlen(now) != (size_t)(blank - at) || memcmp(now, at, (size_t)(blank - at)))
			return false;
	}
	return true;
}
