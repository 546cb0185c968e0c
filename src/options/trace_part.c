/* Readers of --trace-window and --trace-cores. */
#include "options/trace_part.h"

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

bool trace_window_read(const char *text, uint64_t *from, uint64_t *to)
{
	*from = 0;
	*to = UINT64_MAX;
	if (!text)
		return true;
	if (*text != ':' && !read_number(&text, from))
		return false;
	if (*text++ != ':' || (*text && !read_number(&text, to)))
		return false;
	return !*text && *from < *to;
}

bool trace_cores_next(const char **list, uint32_t *first, uint32_t *last)
{
	const char *at = *list;
	uint64_t from, to;
	if (!*at || !read_number(&at, &from))
		return false;
	to = from;
	if (*at == '-' && (at++, !read_number(&at, &to)))
		return false;
	if ((*at && (*at != ',' || !at[1])) || from > to || to > UINT32_MAX)
		return false;
	*first = (uint32_t)from;
	*last = (uint32_t)to;
	*list = *at ? at + 1 : at;
	return true;
}
