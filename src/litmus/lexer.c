/* Cuts the text of a litmus test into tokens. */
#include "litmus/lexer.h"

#include "util/text.h"

#include <ctype.h>
#include <string.h>

static bool is_letter(char c)
{
	return isalpha((unsigned char)c) || c == '_';
}

static void step(struct litmus_lexer *lexer)
{
	if (*lexer->at++ != '\n')
		return;
	lexer->line++;
	lexer->line_start = lexer->at;
}

static void skip_comment(struct litmus_lexer *lexer)
{
	struct place place = {lexer->file, lexer->line, (uint32_t)(lexer->at - lexer->line_start) + 1};
	while (*lexer->at && strncmp(lexer->at, "*)", 2))
		step(lexer);
	if (!*lexer->at) {
		diagnose(lexer->diagnostic, place, "the comment does not end, expected '*)'");
		return;
	}
	step(lexer);
	step(lexer);
}

static void skip_blanks(struct litmus_lexer *lexer)
{
	for (;;) {
		if (*lexer->at && strchr(" \t\r\n\f\v", *lexer->at)) {
			step(lexer);
		} else if (!strncmp(lexer->at, "//", 2)) {
			while (*lexer->at && *lexer->at != '\n')
				step(lexer);
		} else if (!strncmp(lexer->at, "(*", 2)) {
			skip_comment(lexer);
		} else {
			return;
		}
	}
}

/* The longest mark that stands here; 1 for a character that is none. */
static size_t mark_length(const char *at)
{
	static const char *const marks[] = {"/\\", "\\/", "==", "!=", "<=", ">="};
	for (size_t k = 0; k < sizeof marks / sizeof *marks; k++)
		if (!strncmp(at, marks[k], 2))
			return 2;
	return 1;
}

static void read_text(struct litmus_lexer *lexer)
{
	step(lexer);
	const char *start = lexer->at;
	while (*lexer->at && *lexer->at != '"')
		step(lexer);
	lexer->token.text = arena_copy(lexer->arena, start, (size_t)(lexer->at - start));
	if (!*lexer->at)
		diagnose(lexer->diagnostic, lexer->token.place, "the text does not end, expected '\"'");
	else
		step(lexer);
}

static void read_plain(struct litmus_lexer *lexer)
{
	const char *start = lexer->at;
	struct litmus_token *token = &lexer->token;
	token->kind = is_letter(*start) ? LITMUS_WORD : isdigit((unsigned char)*start) ? LITMUS_NUMBER : LITMUS_MARK;
	if (token->kind == LITMUS_MARK)
		lexer->at += mark_length(start);
	else
		while (is_letter(*lexer->at) || isdigit((unsigned char)*lexer->at))
			lexer->at++;
	token->text = arena_copy(lexer->arena, start, (size_t)(lexer->at - start));
}

void litmus_next(struct litmus_lexer *lexer)
{
	skip_blanks(lexer);
	lexer->token = (struct litmus_token){.text = "",
		.start = lexer->at,
		.place = {lexer->file, lexer->line, (uint32_t)(lexer->at - lexer->line_start) + 1}};
	if (*lexer->at == '"') {
		lexer->token.kind = LITMUS_TEXT;
		read_text(lexer);
	} else if (*lexer->at) {
		read_plain(lexer);
	}
	lexer->token.end = lexer->at;
}

void litmus_lexer_init(struct litmus_lexer *lexer)
{
	lexer->line = 1;
	lexer->line_start = lexer->at;
	litmus_next(lexer);
}

const char *litmus_rest_of_line(struct litmus_lexer *lexer)
{
	const char *start = lexer->token.start;
	size_t length = strcspn(start, "\r\n");
	lexer->at = start + length;
	lexer->line = lexer->token.place.line;
	lexer->line_start = start - (lexer->token.place.column - 1);
	while (length && strchr(" \t", start[length - 1]))
		length--;
	litmus_next(lexer);
	return arena_copy(lexer->arena, start, length);
}

bool litmus_is(const struct litmus_lexer *lexer, const char *text)
{
	enum litmus_token_kind kind = lexer->token.kind;
	return (kind == LITMUS_WORD || kind == LITMUS_MARK) && !strcmp(lexer->token.text, text);
}

bool litmus_take(struct litmus_lexer *lexer, const char *text)
{
	if (!litmus_is(lexer, text))
		return false;
	litmus_next(lexer);
	return true;
}

bool litmus_unexpected(struct litmus_lexer *lexer, const char *expected)
{
	const struct litmus_token *token = &lexer->token;
	if (token->kind == LITMUS_END)
		diagnose(lexer->diagnostic, token->place, "the file ends here, expected %s", expected);
	else
		diagnose(lexer->diagnostic, token->place, "unexpected '%s', expected %s", token->text, expected);
	return false;
}

bool litmus_expect(struct litmus_lexer *lexer, const char *text)
{
	return litmus_take(lexer, text) || litmus_unexpected(lexer, arena_printf(lexer->arena, "'%s'", text));
}

bool litmus_number(struct litmus_lexer *lexer, int32_t *value)
{
	bool negative = litmus_take(lexer, "-");
	uint64_t number = 0;
	if (lexer->token.kind != LITMUS_NUMBER || !text_to_u64(lexer->token.text, &number) ||
		number > (negative ? 1ull << 31 : UINT32_MAX))
		return litmus_unexpected(lexer, "a whole number of 32 bits");
	*value = (int32_t)(uint32_t)(negative ? 0 - number : number);
	litmus_next(lexer);
	return true;
}

bool litmus_small(struct litmus_lexer *lexer, uint32_t beyond, uint32_t *value)
{
	uint64_t number = 0;
	if (lexer->token.kind != LITMUS_NUMBER || !text_to_u64(lexer->token.text, &number) || number >= beyond)
		return litmus_unexpected(lexer, arena_printf(lexer->arena, "a whole number from 0 to %u", beyond - 1));
	*value = (uint32_t)number;
	litmus_next(lexer);
	return true;
}
