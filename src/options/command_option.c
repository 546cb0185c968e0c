/* Values of a command's own options, read by their rows. */
#include "options/command_option.h"

#include "options/run_options.h"
#include "util/text.h"
#include "util/vector.h"

#include <stdlib.h>
#include <string.h>

static bool read_number(const struct command_option *option, const char *flag, const char *value, void *to,
	struct diagnostic *diagnostic)
{
	uint64_t number = 0;
	if (!option->expected) {
		if (!run_option_limited(flag, value, option->lowest, option->highest, &number, diagnostic))
			return false;
	} else if (!text_to_u64(value, &number) || number < option->lowest || number > option->highest)
		return run_option_refuse(flag, value, option->expected, diagnostic);
	uint32_t small = (uint32_t)number;
	memcpy(to, option->bytes == sizeof small ? (const void *)&small : &number, option->bytes);
	return true;
}

static void add_text(void *to, const char *value, struct arena *arena)
{
	VECTOR(const char *) list;
	memcpy(&list, to, sizeof list);
	*vector_push(arena, &list) = value;
	memcpy(to, &list, sizeof list);
}

bool command_option_read(const struct command_option *option, const char *flag, const char *value, void *command,
	struct arena *arena, struct diagnostic *diagnostic)
{
	void *to = (char *)command + option->offset;
	if (option->type == COMMAND_OPTION_SWITCH)
		return *(bool *)to = true;
	if (option->type == COMMAND_OPTION_NUMBER)
		return read_number(option, flag, value, to, diagnostic);
	if (option->type == COMMAND_OPTION_TEXTS)
		add_text(to, value, arena);
	else
		memcpy(to, &value, option->bytes);
	if (option->expected && !*value)
		return run_option_refuse(flag, value, option->expected, diagnostic);
	return !option->variable || !setenv(option->variable, value, 1);
}
