/* Reads clang's list of dependencies: see makefile.h. */
#include "compile/makefile.h"

#include "compile/device_files.h"

#include <string.h>
#include <unistd.h>

static bool is_between(char c)
{
	return c == ' ' || c == '\n';
}

static void skip_between(const char **at)
{
	for (;;) {
		if (**at == '\\' && (*at)[1] == '\n')
			*at += 2;
		else if (is_between(**at))
			++*at;
		else
			return;
	}
}

static const char *next_word(struct arena *arena, const char **at)
{
	skip_between(at);
	if (!**at)
		return NULL;
	char *path = arena_alloc(arena, strlen(*at) + 1);
	size_t length = 0;
	for (; **at && !is_between(**at); ++*at) {
		if (**at == '\\' && (*at)[1] && strchr(" #", (*at)[1]))
			++*at;
		else if (**at == '$' && (*at)[1] == '$')
			++*at;
		path[length++] = **at;
	}
	return path;
}

const char *makefile_next(struct arena *arena, const char **at)
{
	const char *word = next_word(arena, at);
	while (word && word[strlen(word) - 1] == ':') /* the target */
		word = next_word(arena, at);
	return word;
}

bool makefile_is_in_memory(const char *path)
{
	return (!strncmp(path, "/lockstep/", strlen("/lockstep/")) && access(path, F_OK)) || !strcmp(path, "-") ||
	       !strcmp(path, "<stdin>");
}

const char *makefile_device_file(const char *path)
{
	static const char folder[] = "/lockstep/device/";
	if (strncmp(path, folder, strlen(folder)) != 0)
		return NULL;
	for (size_t k = 0; k < device_file_count; k++)
		if (!strcmp(path + strlen(folder), device_files[k].name))
			return device_files[k].text;
	return NULL;
}
