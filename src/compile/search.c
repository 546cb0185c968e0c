/* The list is as clang's InitHeaderSearch.cpp writes it. */
#include "compile/search.h"

#include <string.h>

static const char first_line[] = "clang -cc1 version ", last_line[] = "End of search list.\n";

/* The first line that begins so. */
static char *find_line(char *at, const char *words)
{
	for (char *found = strstr(at, words); found; found = strstr(found + 1, words))
		if (found == at || found[-1] == '\n')
			return found;
	return NULL;
}

const char *search_take(struct text *log, size_t from)
{
	if (log->length <= from)
		return NULL;
	char *begin = find_line(log->at + from, first_line), *end = begin ? find_line(begin, last_line) : NULL;
	if (!end)
		return NULL;
	end += strlen(last_line);
	const char *search = arena_copy(log->arena, begin, (size_t)(end - begin));
	memmove(begin, end, log->length - (size_t)(end - log->at) + 1);
	log->length -= (size_t)(end - begin);
	return search;
}

static bool ends_in(const char *line, size_t length, const char *end)
{
	return length >= strlen(end) && !memcmp(line + length - strlen(end), end, strlen(end));
}

/* A line of the list proper: a blank and the folder. */
static bool read_listed(struct arena *arena, struct search_folders *folders, const char *line, size_t length)
{
	if (length < 2 || *line != ' ' || ends_in(line, length, " (framework directory)") ||
		ends_in(line, length, " (headermap)"))
		return false;
	*vector_push(arena, &folders->list) = arena_copy(arena, line + 1, length - 1);
	return true;
}

/* ignoring nonexistent directory "a": it may come to be. */
static bool read_ignored(struct arena *arena, struct search_folders *folders, const char *line, size_t length)
{
	const char *quote = memchr(line, '"', length);
	if (!quote || line[length - 1] != '"' || quote == line + length - 1)
		return false;
	*vector_push(arena, &folders->list) = arena_copy(arena, quote + 1, (size_t)(line + length - quote) - 2);
	return true;
}

bool search_read(struct arena *arena, struct search_folders *folders, const char *search)
{
	static const char ignoring[] = "ignoring ", reason[] = "  as it is a ", starts[] = "#include ";
	bool good = true;
	for (const char *line = search, *end; good && *line; line = end + 1) {
		end = strchr(line, '\n');
		size_t length = (size_t)(end - line);
		if (!strncmp(line, ignoring, strlen(ignoring)))
			good = read_ignored(arena, folders, line, length);
		else if (*line == ' ' && strncmp(line, reason, strlen(reason)) != 0)
			good = read_listed(arena, folders, line, length);
		else
			good = *line == ' ' || !strncmp(line, starts, strlen(starts)) || line == search ||
			       !strncmp(line, last_line, strlen(last_line));
	}
	return good;
}
