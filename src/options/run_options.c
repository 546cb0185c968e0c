/* The rows of run_options.def as a table, the reading of values, and what a report says of them. */
#include "options/run_options.h"

#include "options/words.h"
#include "util/text.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

bool run_option_refuse(const char *flag, const char *value, const char *expected, struct diagnostic *diagnostic)
{
	return diagnose(diagnostic, (struct place){0}, "--%s %s: expected %s", flag, *value ? value : "''", expected);
}

bool run_option_limited(const char *flag, const char *value, uint64_t lowest, uint64_t highest, uint64_t *number,
	struct diagnostic *diagnostic)
{
	if (text_to_u64(value, number) && *number >= lowest && *number <= highest)
		return true;
	return diagnose(diagnostic, (struct place){0}, "--%s %s: expected a whole number from %" PRIu64 " to %" PRIu64,
		flag, value, lowest, highest);
}

/* ---- The field of a row ---- */

static const void *field_of(const struct run_option *option, const struct run_options *options)
{
	return (const char *)options + option->offset;
}

uint64_t field_number(const struct run_option *option, const struct run_options *options)
{
	const void *at = field_of(option, options);
	return option->bytes == sizeof(uint32_t) ? *(const uint32_t *)at : *(const uint64_t *)at;
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
	return *(const char *const *)field_of(option, options);
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

/* ---- What texts may be ---- */

static bool check_filled(const char *value)
{
	return *value;
}

static bool check_setting(const char *value)
{
	const char *equals = strchr(value, '=');
	return equals && equals > value;
}

static bool check_only(const char *value)
{
	const char *colon = strrchr(value, ':');
	uint64_t number = 1;
	return *value && colon != value && (!colon || (text_to_u64(colon + 1, &number) && number));
}

static bool check_opencl_version(const char *value)
{
	return !strcmp(value, "1.2") || !strcmp(value, "3.0");
}

/* What a program may print as a name. */
static bool check_name(const char *value)
{
	size_t length = strlen(value), printable = 0;
	while ((unsigned char)value[printable] >= ' ' && value[printable] != 127)
		printable++;
	return length && length < 100 && printable == length;
}

/* ---- The table ---- */

#define NUMBER(low, high, usual) .type = RUN_OPTION_NUMBER, .lowest = low, .highest = high, .standard = usual
#define CHOICE(passed) .type = RUN_OPTION_CHOICE, .passes_default = passed
#define SWITCH CHOICE(false), .is_switch = true
#define TEXT(is, what, usual) .type = RUN_OPTION_TEXT, .check = check_##is, .expected = what, .standard_text = usual
#define PARSED(is, what) .type = RUN_OPTION_TEXT, .parse = words_##is, .expected = what
#define PATH(is, what, usual) TEXT(is, what, usual), .names = RUN_OPTION_FILE
#define MODEL(is, what, usual) TEXT(is, what, usual), .names = RUN_OPTION_MODEL
#define LIST(is, what) .type = RUN_OPTION_LIST, .check = check_##is, .expected = what
#define PATHS(is, what) LIST(is, what), .names = RUN_OPTION_FILE

const struct run_option run_options[RUN_OPTION_COUNT] = {
#define RUN_OPTION(part, field, name, words, kind, in_environment, place, takers, text)                                \
	[RUN_OPTION_##field] = {.flag = name,                                                                          \
		.value = words,                                                                                        \
		.variable = in_environment,                                                                            \
		.key = "run." #field,                                                                                  \
		.offset = offsetof(struct run_options, part.field),                                                    \
		.bytes = sizeof((struct run_options *)0)->part.field,                                                  \
		.reported = place,                                                                                     \
		kind},
#include "options/run_options.def"
};

_Static_assert(LOCKSTEP_EXPLAIN_NEVER == UINT64_MAX, "what a given 0 becomes where the standard is another");
#define RUN_OPTION(part, field, ...)                                                                                   \
	_Static_assert(                                                                                                \
		sizeof((struct run_options *)0)->part.field == 4 || sizeof((struct run_options *)0)->part.field == 8,  \
		#field ": numbers and choices have 4 or 8 bytes, texts and lists are pointers");
#include "options/run_options.def"

void run_options_init(struct run_options *options)
{
	*options = (struct run_options){.setup.size = sizeof options->setup};
	for (const struct run_option *o = run_options; o < run_options + RUN_OPTION_COUNT; o++)
		if (o->standard_text)
			field_set_text(o, options, o->standard_text);
}

void run_options_complete(struct lockstep_options *setup)
{
	struct run_options options = {.setup = *setup};
	for (const struct run_option *o = run_options; o < run_options + RUN_OPTION_COUNT; o++)
		if (o->type == RUN_OPTION_NUMBER && !field_number(o, &options))
			field_set_number(o, &options, o->standard);
		else if (o->standard_text && !field_text(o, &options))
			field_set_text(o, &options, o->standard_text);
	*setup = options.setup;
}

/* ---- Reading ---- */

const char *run_option_words(const struct run_option *option, struct arena *arena)
{
	return text_replace(arena, option->value, "|", " or ");
}

static bool read_number(
	const struct run_option *option, const char *value, struct run_options *options, struct diagnostic *diagnostic)
{
	uint64_t number = 0;
	if (!run_option_limited(option->flag, value, option->lowest, option->highest, &number, diagnostic))
		return false;
	field_give_number(option, options, number);
	return true;
}

bool run_option_read(const struct run_option *option, const char *value, struct run_options *options,
	struct arena *arena, struct diagnostic *diagnostic)
{
	switch (option->type) {
	case RUN_OPTION_NUMBER: return read_number(option, value, options, diagnostic);
	case RUN_OPTION_CHOICE:
		return field_give_word(option, options, value) ||
		       run_option_refuse(option->flag, value, run_option_words(option, arena), diagnostic);
	case RUN_OPTION_TEXT: field_set_text(option, options, value); break;
	case RUN_OPTION_LIST: field_add_text(option, options, value, arena); break;
	}
	if (option->parse ? option->parse(value, &options->setup, arena) : option->check(value))
		return true;
	if (option->check != check_name)
		return run_option_refuse(option->flag, value, option->expected, diagnostic);
	/* It may have more than a line, so it is not repeated. */
	return diagnose(diagnostic, (struct place){0}, "--%s: expected %s", option->flag, option->expected);
}

/* ---- What a report says ---- */

const struct run_option *run_option_reported(uint32_t k)
{
	const struct run_option *o = run_options, *end = run_options + RUN_OPTION_COUNT;
	while (o < end && o->reported != k + 1)
		o++;
	return o < end ? o : NULL;
}

uint64_t run_option_number(const struct run_option *option, const struct run_options *options)
{
	uint64_t number = field_number(option, options);
	if (!number)
		return option->standard;
	return field_zero_is_never(option) && number == UINT64_MAX ? 0 : number;
}

const char *run_option_word(const struct run_option *option, const struct run_options *options, struct arena *arena)
{
	const char *word = option->value;
	for (uint64_t k = field_number(option, options); k; k--)
		word = strchr(word, '|') + 1;
	return arena_copy(arena, word, strcspn(word, "|"));
}

const char *const *run_option_list(const struct run_option *option, const struct run_options *options)
{
	static const char *const none[] = {NULL};
	const char *const *list = *(const char *const *const *)field_of(option, options);
	return list ? list : none;
}
