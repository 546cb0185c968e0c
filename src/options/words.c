/* Readers of --check, --trace-window and --trace-cores. */
#include "options/words.h"

#include "util/vector.h"

static const struct {
	const char *word;
	uint32_t bits;
} all_words[] = {
	{"races", LOCKSTEP_CHECK_RACES},
	{"races=strict", LOCKSTEP_CHECK_RACES_STRICT},
	{"races=volatile", LOCKSTEP_CHECK_RACES_VOLATILE},
	{"races=all", LOCKSTEP_CHECK_RACES_ALL},
	{"init", LOCKSTEP_CHECK_INIT},
	{"barriers", LOCKSTEP_CHECK_BARRIERS},
	{"barriers=all", LOCKSTEP_CHECK_BARRIERS_ALL},
	{"all", LOCKSTEP_CHECK_ALL},
};

const char *checks_word(size_t k, uint32_t *bits)
{
	if (k >= sizeof all_words / sizeof *all_words)
		return NULL;
	*bits = all_words[k].bits;
	return all_words[k].word;
}

static bool add(const char *word, size_t length, uint32_t *checks)
{
	const char *known;
	uint32_t bits;

	for (size_t k = 0; (known = checks_word(k, &bits)); k++)
		if (strlen(known) == length && !memcmp(known, word, length))
			return *checks |= bits;
	return false;
}

bool words_checks(const char *words, struct lockstep_options *setup, struct arena *arena)
{
	(void)arena;
	setup->check = 0;
	for (;; words++) {
		size_t length = strcspn(words, ",");

		if (!add(words, length, &setup->check))
			return false;
		words += length;
		if (!*words)
			return true;
	}
}

/* Decimal digits at *at, which moves past them; false: none, or too many. */
static bool read_number(const char **at, uint64_t *number)
{
	const char *start = *at;
	for (*number = 0; **at >= '0' && **at <= '9'; ++*at)
		if (__builtin_mul_overflow(*number, 10, number) ||
			__builtin_add_overflow(*number, (uint64_t)(**at - '0'), number))
			return false;
	return *at != start;
}

bool words_trace_window(const char *text, struct lockstep_options *setup, struct arena *arena)
{
	struct lockstep_window *window = &setup->trace_window;

	(void)arena;
	*window = (struct lockstep_window){.to = UINT64_MAX};
	if (*text != ':' && !read_number(&text, &window->from))
		return false;
	if (*text++ != ':' || (*text && !read_number(&text, &window->to)))
		return false;
	return !*text && window->from < window->to;
}

bool words_trace_cores(const char *list, struct lockstep_options *setup, struct arena *arena)
{
	VECTOR(struct lockstep_cores) cores = {0};
	uint64_t first, last;

	for (;; list++) {
		if (!read_number(&list, &first))
			return false;
		last = first;
		if ((*list == '-' && (list++, !read_number(&list, &last))) || (*list && *list != ',') || first > last ||
			last > UINT32_MAX)
			return false;
		*vector_push(arena, &cores) = (struct lockstep_cores){.first = (uint32_t)first, .last = (uint32_t)last};
		if (!*list)
			break;
	}
	setup->trace_cores = cores.at;
	setup->trace_core_count = cores.count;
	return true;
}

bool words_launch(const char *number, struct lockstep_options *setup, struct arena *arena)
{
	uint64_t *launch = arena_new(arena, uint64_t);

	setup->launch = launch;
	return read_number(&number, launch) && !*number;
}
