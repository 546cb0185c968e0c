/* The environment between `lockstep run` and the program: the variables of run_options.def, written and read. */
#include "options/run_options.h"
#include "util/text.h"

#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- Writing ---- */

/* The program may change its directory, so a file's name must say all. */
static const char *absolute(const struct run_option *option, const char *text, struct arena *arena)
{
	char here[PATH_MAX];
	bool is_file =
		option->names == RUN_OPTION_FILE || (strchr(text, '/') || strchr(text, '.')); /* as model_load has it */
	if (option->names == RUN_OPTION_NO_FILE || !is_file || *text == '/' || !getcwd(here, sizeof here))
		return text;
	return arena_printf(arena, "%s/%s", here, text);
}

/* A line for each. */
static const char *joined(const struct run_option *option, const char *const *list, struct arena *arena)
{
	struct text text = {.arena = arena};
	text_append(&text, "", 0);
	for (; *list; list++)
		text_print(&text, "%s\n", absolute(option, *list, arena));
	return text.at;
}

/* Null: it is not given. */
static const char *text_of(const struct run_option *option, const struct run_options *options, struct arena *arena)
{
	const char *text;
	switch (option->type) {
	case RUN_OPTION_NUMBER:
		return field_number(option, options)
			       ? arena_printf(arena, "%" PRIu64, run_option_number(option, options))
			       : NULL;
	case RUN_OPTION_CHOICE:
		return field_number(option, options) || option->passes_default ? run_option_word(option, options, arena)
									       : NULL;
	case RUN_OPTION_LIST: return joined(option, run_option_list(option, options), arena);
	case RUN_OPTION_TEXT: text = field_text(option, options); return text ? absolute(option, text, arena) : NULL;
	}
	return NULL;
}

void run_options_to_environment(const struct run_options *options, struct arena *arena)
{
	for (const struct run_option *o = run_options; o < run_options + RUN_OPTION_COUNT; o++) {
		const char *text = o->variable ? text_of(o, options, arena) : NULL;
		if (text && *text)
			setenv(o->variable, text, 1);
		else if (o->variable)
			unsetenv(o->variable);
	}
}

/* ---- Reading ---- */

const char *run_options_model_of_environment(void)
{
	const char *model = getenv(run_options[RUN_OPTION_gpu].variable);
	return model && *model ? model : NULL;
}

static void read_lines(
	const struct run_option *option, const char *text, struct run_options *options, struct arena *arena)
{
	while (*text) {
		size_t length = strcspn(text, "\n");
		if (length)
			field_add_text(option, options, arena_copy(arena, text, length), arena);
		text += length + (text[length] == '\n');
	}
}

static bool refuse(
	const struct run_option *option, const char *text, const char *expected, struct diagnostic *diagnostic)
{
	return diagnose(diagnostic, (struct place){0}, "%s=%s: expected %s", option->variable, text, expected);
}

static bool read_number(
	const struct run_option *option, const char *text, struct run_options *options, struct diagnostic *diagnostic)
{
	uint64_t number;
	if (!text_to_u64(text, &number))
		return refuse(option, text, "a whole number", diagnostic);
	if (option->bytes < sizeof number && number > option->highest)
		number = option->highest;
	field_give_number(option, options, number);
	return true;
}

static bool read_variable(const struct run_option *option, const char *text, struct run_options *options,
	struct arena *arena, struct diagnostic *diagnostic)
{
	switch (option->type) {
	case RUN_OPTION_NUMBER: return read_number(option, text, options, diagnostic);
	case RUN_OPTION_CHOICE:
		return field_give_word(option, options, text) ||
		       refuse(option, text, run_option_words(option, arena), diagnostic);
	case RUN_OPTION_LIST: read_lines(option, text, options, arena); break;
	case RUN_OPTION_TEXT: field_set_text(option, options, arena_text(arena, text)); break;
	}
	return !option->parse || option->parse(text, &options->setup, arena) ||
	       refuse(option, text, option->expected, diagnostic);
}

bool run_options_from_environment(struct run_options *options, struct arena *arena, struct diagnostic *diagnostic)
{
	run_options_init(options);
	for (const struct run_option *o = run_options; o < run_options + RUN_OPTION_COUNT && !diagnostic->failed; o++) {
		const char *text = o->variable ? getenv(o->variable) : NULL;
		if (text && *text)
			read_variable(o, text, options, arena, diagnostic);
	}
	return !diagnostic->failed;
}
