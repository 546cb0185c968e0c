/* Sums what /proc says of a process group: see cpu_time.h. */
#include "util/cpu_time.h"

#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Ticks of the process called `name` in /proc, if it is of the group; else 0. */
static unsigned long long ticks_of(const char *name, pid_t group)
{
	char path[300], line[1024];
	unsigned long long user, system;
	long long user_of_children, system_of_children;
	int its_group;
	snprintf(path, sizeof path, "/proc/%s/stat", name);
	FILE *file = fopen(path, "re");
	size_t length = file ? fread(line, 1, sizeof line - 1, file) : 0;
	if (file)
		fclose(file);
	line[length] = '\0';
	/* The command's name, in parentheses, may have any character: what follows the last one counts. */
	const char *behind = strrchr(line, ')');
	if (!behind || sscanf(behind + 1, " %*c %*d %d %*d %*d %*d %*u %*u %*u %*u %*u %llu %llu %lld %lld", &its_group,
			       &user, &system, &user_of_children, &system_of_children) != 5)
		return 0;
	return its_group == group ? user + system + (unsigned long long)(user_of_children + system_of_children) : 0;
}

double cpu_time_of_group(pid_t group)
{
	unsigned long long ticks = 0;
	DIR *folder = opendir("/proc");
	struct dirent *entry;
	while (folder && (entry = readdir(folder)))
		if (entry->d_name[0] >= '1' && entry->d_name[0] <= '9')
			ticks += ticks_of(entry->d_name, group);
	if (folder)
		closedir(folder);
	return (double)ticks / (double)sysconf(_SC_CLK_TCK);
}
