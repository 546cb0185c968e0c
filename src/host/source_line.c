/* The last `.loc FILE LINE COLUMN` before a place in a function, and the `.file FILE "PATH"` of that number; paths. */
#include "host/source_line.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The end of this word at the beginning of a line, after blanks; null: the line begins with another one. */
static const char *after_word(const char *line, const char *word)
{
	line += strspn(line, " \t");
	return strncmp(line, word, strlen(word)) ? NULL : line + strlen(word);
}

static const char *next_line(const char *line)
{
	line += strcspn(line, "\n");
	return line + (*line == '\n');
}

const char *source_path(struct arena *arena, const char *path, size_t length)
{
	char folder[4096];
	size_t below = getcwd(folder, sizeof folder) ? strlen(folder) : 0;
	if (below && length > below + 1 && !strncmp(path, folder, below) && path[below] == '/') {
		path += below + 1;
		length -= below + 1;
	}
	return arena_copy(arena, path, length);
}

/* The path of the file with this number. */
static const char *file_path(struct arena *arena, const char *ptx, unsigned long number)
{
	for (const char *line = ptx; *line; line = next_line(line)) {
		const char *at = after_word(line, ".file");
		char *open;
		if (!at || strtoul(at, &open, 10) != number || open[strspn(open, " \t")] != '"')
			continue;
		const char *path = strchr(open, '"') + 1;
		return source_path(arena, path, strcspn(path, "\"\n"));
	}
	return NULL;
}

const char *source_line(struct arena *arena, const char *ptx, const char *at)
{
	const char *loc = NULL;
	for (const char *line = ptx; line < at && *line; line = next_line(line)) {
		const char *file = after_word(line, ".loc");
		if (file)
			loc = file;
		else if (*line == '}')
			loc = NULL; /* the end of a function */
	}
	if (!loc)
		return NULL;
	char *end;
	unsigned long file = strtoul(loc, &end, 10), number = strtoul(end, NULL, 10);
	const char *path = number ? file_path(arena, ptx, file) : NULL;
	return path ? arena_printf(arena, "%s:%lu", path, number) : NULL;
}

const char *source_line_of_message(struct arena *arena, const char *ptx, const char *message)
{
	const char *colon = strchr(message, ':'), *at = ptx;
	unsigned long number = colon ? strtoul(colon + 1, NULL, 10) : 0;
	if (!number)
		return NULL;
	while (--number && *at)
		at = next_line(at);
	return source_line(arena, ptx, at);
}
