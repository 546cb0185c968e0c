/* Reads clang's list of dependencies: see makefile.h. */
#include "compile/makefile.h"

#include "compile/device_files.h"

#include <string.h>
#include <unistd.h>

const char *makefile_next(struct arena *arena, const char **at)
{
	for (;;) {
		while (**at == ' ' || **at == '\n' || !strncmp(*at, "\\\n", 2))
			++*at;
		if (!**at)
			return NULL;
		char *path = arena_alloc(arena, strlen(*at) + 1);
		size_t length = 0;
		for (; **at && **at != ' ' && **at != '\n'; path[length++] = *(*at)++)
			if ((**at == '\\' && (*at)[1] && strchr(" #", (*at)[1])) || !strncmp(*at, "$$", 2))
				++*at;
		if (path[length - 1] != ':') /* else it is the target */
			return path;
	}
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
