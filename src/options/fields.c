/* The field of a row in struct run_options. */
#include "options/fields.h"

#include "util/arena.h"

#include <assert.h>
#include <string.h>

uint64_t field_number(const struct run_option *option, const struct run_options *options)
{
	const char *at = (const char *)options + option->offset;
	uint32_t small;
	uint64_t large;
	memcpy(&small, at, sizeof small);
	if (option->bytes == sizeof small)
		return small;
	memcpy(&large, at, sizeof large);
	return large;
}

void field_set_number(const struct run_option *option, struct run_options *options, uint64_t number)
{
	char *at = (char *)options + option->offset;
	uint32_t small = (uint32_t)number;
	assert(option->bytes == sizeof number || (option->bytes == sizeof small && small == number));
	memcpy(at, option->bytes == sizeof small ? (const void *)&small : &number, option->bytes);
}

void field_give_number(const struct run_option *option, struct run_options *options, uint64_t number)
{
	field_set_number(option, options, !number && field_zero_is_never(option) ? UINT64_MAX : number);
}

bool field_give_word(const struct run_option *option, struct run_options *options, const char *word)
{
	size_t length = strlen(word), index = 0;
	for (const char *at = option->value; *at; index++) {
		size_t end = strcspn(at, "|");
		if (end == length && !strncmp(at, word, length)) {
			field_set_number(option, options, index);
			return true;
		}
		at += end + (at[end] == '|');
	}
	return false;
}

const char *field_text(const struct run_option *option, const struct run_options *options)
{
	const char *text;
	memcpy(&text, (const char *)options + option->offset, sizeof text);
	return text;
}

void field_set_text(const struct run_option *option, struct run_options *options, const char *text)
{
	memcpy((char *)options + option->offset, &text, sizeof text);
}

void field_add_text(const struct run_option *option, struct run_options *options, const char *text, struct arena *arena)
{
	const char *const *before = run_option_list(option, options);
	size_t count = 0;
	while (before[count])
		count++;
	const char **list = arena_new_array(arena, const char *, count + 2); /* zeroed: it ends in a null */
	if (count)
		memcpy(list, before, count * sizeof *list);
	list[count] = text;
	memcpy((char *)options + option->offset, &list, sizeof list);
}
