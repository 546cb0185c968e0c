/* Readers of --trace-window and --trace-cores. */
#include "options/trace_part.h"

#include "lockstep.h"
#include "util/vector.h"

/* Decimal digits at *at, which moves behind them; false: none, or too many. */
static bool read_number(const char **at, uint64_t *number)
{
	const char *start = *at;
	for (*number = 0; **at >= '0' && **at <= '9'; ++*at)
		if (__builtin_mul_overflow(*number, 10, number) ||
			__builtin_add_overflow(*number, (uint64_t)(**at - '0'), number))
			return false;
	return *at != start;
}

bool trace_window_read(const char *text, struct lockstep_window *window)
{
	*window = (struct lockstep_window){.to = UINT64_MAX};
	if (*text != ':' && !read_number(&text, &window->from))
		return false;
	if (*text++ != ':' || (*text && !read_number(&text, &window->to)))
		return false;
	return !*text && window->from < window->to;
}

const struct lockstep_cores *trace_cores_read(const char *list, struct arena *arena, size_t *count)
{
	VECTOR(struct lockstep_cores) cores = {0};
	uint64_t first, last;

	for (;; list++) {
		if (!read_number(&list, &first))
			return NULL;
		last = first;
		if ((*list == '-' && (list++, !read_number(&list, &last))) || (*list && *list != ',') || first > last ||
			last > UINT32_MAX)
			return NULL;
		*vector_push(arena, &cores) = (struct lockstep_cores){.first = (uint32_t)first, .last = (uint32_t)last};
		*count = cores.count;
		if (!*list)
			return cores.at;
	}
}
