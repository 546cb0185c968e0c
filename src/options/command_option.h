/* The options of a command that say no more than their rows: where their values go, and what these may be. */
#ifndef LOCKSTEP_OPTIONS_COMMAND_OPTION_H
#define LOCKSTEP_OPTIONS_COMMAND_OPTION_H

#include "util/arena.h"
#include "util/diagnostic.h"

enum command_option_type {
	COMMAND_OPTION_OWN,    /* its command reads it */
	COMMAND_OPTION_SWITCH, /* bool; it takes no value */
	COMMAND_OPTION_NUMBER, /* uint32_t or uint64_t: a whole number from lowest to highest */
	COMMAND_OPTION_TEXT,   /* const char *; where something is expected, not empty */
	COMMAND_OPTION_TEXTS,  /* VECTOR(const char *), likewise; may be repeated */
};

struct command_option {
	enum command_option_type type;
	size_t offset, bytes; /* of the member in the command's struct; 0 bytes: it has none */
	uint64_t lowest, highest;
	const char *expected; /* what the message says was; of a number null: the range */
	const char *variable; /* of a text: the environment has it from here; null: it has not */
};

/* Columns of a command's table: the row, and the reader of one that its command reads itself, which is called
 * read_READER. COMMAND, which the table's file defines, is the command's struct. */
#define COMMAND_MEMBER(member) .offset = offsetof(COMMAND, member), .bytes = sizeof((COMMAND *)0)->member
#define SETS(member) {.type = COMMAND_OPTION_SWITCH, COMMAND_MEMBER(member)}, NULL
#define COUNT(member, from, to)                                                                                        \
	{.type = COMMAND_OPTION_NUMBER, COMMAND_MEMBER(member), .lowest = from, .highest = to}, NULL
#define COUNT_OF(member, from, to, what)                                                                               \
	{.type = COMMAND_OPTION_NUMBER, COMMAND_MEMBER(member), .lowest = from, .highest = to, .expected = what}, NULL
#define WORD(member, what) {.type = COMMAND_OPTION_TEXT, COMMAND_MEMBER(member), .expected = what}, NULL
#define WORDS(member, what) {.type = COMMAND_OPTION_TEXTS, COMMAND_MEMBER(member), .expected = what}, NULL
#define WORD_AND_VARIABLE(member, name, what)                                                                          \
	{.type = COMMAND_OPTION_TEXT, COMMAND_MEMBER(member), .expected = what, .variable = name}, NULL
#define VARIABLE(name, what) {.type = COMMAND_OPTION_TEXT, .expected = what, .variable = name}, NULL
#define READ(reader) {.type = COMMAND_OPTION_OWN}, read_##reader

/* A value is given: true, or false and an error.  Texts are not copied; lists grow in the arena. */
bool command_option_read(const struct command_option *option, const char *flag, const char *value, void *command,
	struct arena *arena, struct diagnostic *diagnostic);

#endif
