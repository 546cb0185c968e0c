/* PTX text to tokens.
 *
 * Names, words (a dot and what follows it: directives, modifiers and types), numbers, strings and punctuation.  White
 * space, comments and `@@DWARF` lines vanish here.  The first mistake goes to the diagnostic and from then on every
 * token is TOKEN_END, so a parser that stops at the end of its input needs no other test. */
#ifndef LOCKSTEP_PTX_LEXER_H
#define LOCKSTEP_PTX_LEXER_H

#include "util/diagnostic.h"

#include <stdbool.h>
#include <stdint.h>

enum token_kind {
	TOKEN_END,
	TOKEN_NAME,        /* add, foo, %r1, $L__BB0_2, _ */
	TOKEN_WORD,        /* .visible, .f32, .L1::evict_last: text is without the dot */
	TOKEN_INTEGER,     /* bits */
	TOKEN_FLOAT,       /* bits: of a double, or of a float when is_float32 */
	TOKEN_STRING,      /* text is without the quotes */
	TOKEN_PUNCTUATION, /* punctuation: the character, or PAIR of two */
};

/* The code of a two-character operator: PAIR('<', '<'). */
#define PAIR(first, second) ((first) | (second) << 8)

struct token {
	enum token_kind kind;
	int punctuation;
	const char *text; /* in the source, not terminated */
	uint32_t length;
	uint32_t line, column; /* from 1; a tab is one column */
	uint64_t bits;
	bool is_unsigned, is_float32;
	bool touches; /* nothing stands between this token and the one before it */
};

/* For a format's "%.*s". */
#define TOKEN_TEXT(token) (int)(token)->length, (token)->text

struct lexer {
	const char *file, *at, *line_start;
	uint32_t line;
	struct diagnostic *diagnostic;
};

/* Starts at the beginning of `text`, which ends at its first NUL. */
void lexer_start(struct lexer *lexer, const char *file, const char *text, struct diagnostic *diagnostic);
struct token lexer_next(struct lexer *lexer);

/* Whether the token is this name, word (given without the dot), string (without quotes) or punctuation. */
bool token_is_name(const struct token *token, const char *name);
bool token_is_word(const struct token *token, const char *word);
bool token_is_string(const struct token *token, const char *string);
bool token_is(const struct token *token, int punctuation);

#endif
