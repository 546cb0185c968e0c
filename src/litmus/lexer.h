/* The tokens of a litmus test. */
#ifndef LOCKSTEP_LITMUS_LEXER_H
#define LOCKSTEP_LITMUS_LEXER_H

#include "util/arena.h"
#include "util/diagnostic.h"

enum litmus_token_kind {
	LITMUS_END,
	LITMUS_WORD,   /* letters, digits, '_'; the first is no digit */
	LITMUS_NUMBER, /* digits, or 0x and such; without a sign */
	LITMUS_TEXT,   /* in quotes */
	LITMUS_MARK    /* one of the marks, such as "/\" */
};

struct litmus_token {
	enum litmus_token_kind kind;
	const char *text; /* null-terminated, of the arena; TEXT: without its quotes */
	struct place place;
	const char *start, *end; /* in the file's text */
};

struct litmus_lexer {
	struct arena *arena;
	struct diagnostic *diagnostic;
	const char *file, *at, *line_start;
	uint32_t line;
	struct litmus_token token; /* the current one */
};

/* `at` is the file's text, null-terminated; the first token is the current one. */
void litmus_lexer_init(struct litmus_lexer *lexer);
/* Goes on to the next token.  Spaces, // and (* comments *) are skipped. */
void litmus_next(struct litmus_lexer *lexer);
/* The rest of the line from the token on, without blanks at its end; goes on after it. */
const char *litmus_rest_of_line(struct litmus_lexer *lexer);

/* Whether the token is this mark or word. */
bool litmus_is(const struct litmus_lexer *lexer, const char *text);
/* Goes on if it is. */
bool litmus_take(struct litmus_lexer *lexer, const char *text);
/* Goes on, or false and an error: expected `text`. */
bool litmus_expect(struct litmus_lexer *lexer, const char *text);
/* A number with its sign, of 32 bits; false and an error when there is none. */
bool litmus_number(struct litmus_lexer *lexer, int32_t *value);
/* As above, not negative and below `beyond`. */
bool litmus_small(struct litmus_lexer *lexer, uint32_t beyond, uint32_t *value);
/* An error at the token: "unexpected 'x', expected ...".  Always false. */
bool litmus_unexpected(struct litmus_lexer *lexer, const char *expected);

#endif
