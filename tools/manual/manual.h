/* Man pages and completion, made from what `lockstep help` prints: the table of the commands and the rows of their
 * options. */
#ifndef LOCKSTEP_MANUAL_H
#define LOCKSTEP_MANUAL_H

#include "cli/cli.h"
#include "cli/options.h"

/* The k-th option of a command; false past the last. */
bool manual_row(const struct command *command, size_t k, struct option_row *row);
static inline const char *manual_help(const struct option_row *row)
{
	return row->help ? row->help : row->made;
}

/* lockstep.1 for null, else lockstep-COMMAND.1. */
void manual_page(const struct command *command);

/* What may stand behind an option: `words`, null-terminated, and a file where `file`. */
#define WORDS_MOST 64
struct manual_values {
	const char *words[WORDS_MOST + 1];
	bool file;
	char text[256]; /* what words may point into */
};
void manual_values(const struct option_row *row, struct manual_values *values);
/* Likewise for the words of a command that are no options: the names of GPUs, of kinds of policies, of commands. */
void manual_words(const struct command *command, struct manual_values *values);

void manual_bash(void);
void manual_zsh(void);
void manual_fish(void);

#endif
