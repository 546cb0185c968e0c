/* PTX text to tokens: see lexer.h. */
#include "ptx/lexer.h"

#include "util/text.h"

#include <string.h>

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* followsym: [a-zA-Z0-9_$] */
static bool continues_name(char c)
{
	return is_letter(c) || is_digit(c) || c == '_' || c == '$';
}

/* The value of a digit in bases up to 16; 99 when it is none. */
static unsigned digit_value(char c)
{
	if (is_digit(c))
		return (unsigned)(c - '0');
	if (c >= 'a' && c <= 'f')
		return (unsigned)(c - 'a') + 10;
	if (c >= 'A' && c <= 'F')
		return (unsigned)(c - 'A') + 10;
	return 99;
}

void lexer_start(struct lexer *lexer, const char *file, const char *text, struct diagnostic *diagnostic)
{
	*lexer = (struct lexer){.file = file, .at = text, .line_start = text, .line = 1, .diagnostic = diagnostic};
}

static struct place here(const struct lexer *lexer)
{
	return (struct place){lexer->file, lexer->line, (uint32_t)(lexer->at - lexer->line_start) + 1};
}

static void skip_line(struct lexer *lexer)
{
	while (*lexer->at && *lexer->at != '\n')
		lexer->at++;
}

/* Steps over one character, counting lines. */
static void step(struct lexer *lexer)
{
	if (*lexer->at++ == '\n') {
		lexer->line++;
		lexer->line_start = lexer->at;
	}
}

/* Steps past the closing mark of a comment. */
static void skip_comment(struct lexer *lexer)
{
	struct place start = here(lexer);

	lexer->at += 2;
	while (*lexer->at && !(lexer->at[0] == '*' && lexer->at[1] == '/'))
		step(lexer);
	if (*lexer->at)
		lexer->at += 2;
	else
		diagnose(lexer->diagnostic, start, "comment is not closed: expected */ before the end of the file");
}

/* Skips white space, comments and DWARF lines; true when there was any. */
static bool skip_blanks(struct lexer *lexer)
{
	const char *start = lexer->at;

	for (;;) {
		char c = *lexer->at;
		if (c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\f' || c == '\v')
			step(lexer);
		else if (c == '/' && lexer->at[1] == '/')
			skip_line(lexer);
		else if (c == '/' && lexer->at[1] == '*')
			skip_comment(lexer);
		else if (c == '@' && lexer->at[1] == '@')
			skip_line(lexer);
		else
			return lexer->at != start;
	}
}

/* name = [a-zA-Z] followsym* | [_$%] followsym*      a lone _ is the sink, a lone % an operator */
static void lex_name(struct lexer *lexer, struct token *token)
{
	token->kind = TOKEN_NAME;
	lexer->at++;
	while (continues_name(*lexer->at))
		lexer->at++;
	token->length = (uint32_t)(lexer->at - token->text);
}

/* word = "." (followsym | "::")+ */
static void lex_word(struct lexer *lexer, struct token *token)
{
	token->kind = TOKEN_WORD;
	token->text = ++lexer->at;
	while (continues_name(*lexer->at) || (lexer->at[0] == ':' && lexer->at[1] == ':')) {
		if (*lexer->at == ':')
			lexer->at++;
		lexer->at++;
	}
	token->length = (uint32_t)(lexer->at - token->text);
}

/* string = '"' (any character but a quote | "\" any)* '"' on one line */
static void lex_string(struct lexer *lexer, struct token *token)
{
	struct place start = here(lexer);

	token->kind = TOKEN_STRING;
	token->text = ++lexer->at;
	while (*lexer->at && *lexer->at != '"' && *lexer->at != '\n') {
		if (lexer->at[0] == '\\' && lexer->at[1] && lexer->at[1] != '\n')
			lexer->at++;
		lexer->at++;
	}
	token->length = (uint32_t)(lexer->at - token->text);
	if (*lexer->at == '"')
		lexer->at++;
	else
		diagnose(lexer->diagnostic, start, "string is not closed: expected a quote before the end of the line");
}

/* float = "0f" 8 hexadecimal digits | "0d" 16 hexadecimal digits */
static void lex_hexadecimal_float(struct lexer *lexer, struct token *token)
{
	token->is_float32 = (lexer->at[1] | 0x20) == 'f';
	unsigned wanted = token->is_float32 ? 8 : 16, found = 0;

	token->kind = TOKEN_FLOAT;
	for (lexer->at += 2; digit_value(*lexer->at) < 16; lexer->at++, found++)
		token->bits = token->bits << 4 | digit_value(*lexer->at);
	if (found != wanted)
		diagnose(lexer->diagnostic, (struct place){lexer->file, token->line, token->column},
			"expected %u hexadecimal digits behind 0%c, found %u", wanted, token->is_float32 ? 'f' : 'd',
			found);
}

/* float = digits "." digits? exponent? | digits exponent | "." digits exponent? */
static void lex_decimal_float(struct lexer *lexer, struct token *token)
{
	char copy[64];
	double value = 0;
	const char *end = lexer->at;

	while (is_digit(*end) || *end == '.' || *end == 'e' || *end == 'E' ||
		((*end == '-' || *end == '+') && (end[-1] | 0x20) == 'e'))
		end++;
	size_t length = (size_t)(end - lexer->at);
	if (length < sizeof copy) {
		memcpy(copy, lexer->at, length);
		copy[length] = 0;
	}
	if (length >= sizeof copy || !text_to_f64(copy, &value))
		diagnose(lexer->diagnostic, here(lexer), "malformed number '%.*s'", length > 40 ? 40 : (int)length,
			lexer->at);
	token->kind = TOKEN_FLOAT;
	memcpy(&token->bits, &value, sizeof value);
	lexer->at = end;
}

/* integer = ("0x" hexadecimal+ | "0b" binary+ | "0" octal* | decimal+) "U"? */
static void lex_integer(struct lexer *lexer, struct token *token)
{
	unsigned base = 10;
	bool overflow = false;
	const char *first;

	token->kind = TOKEN_INTEGER;
	if (lexer->at[0] == '0' && (lexer->at[1] | 0x20) == 'x')
		base = 16, lexer->at += 2;
	else if (lexer->at[0] == '0' && (lexer->at[1] | 0x20) == 'b')
		base = 2, lexer->at += 2;
	else if (lexer->at[0] == '0')
		base = 8;
	for (first = lexer->at; digit_value(*lexer->at) < base; lexer->at++) {
		overflow |= __builtin_mul_overflow(token->bits, (uint64_t)base, &token->bits);
		overflow |= __builtin_add_overflow(token->bits, (uint64_t)digit_value(*lexer->at), &token->bits);
	}
	bool empty = lexer->at == first;
	if (*lexer->at == 'U' || *lexer->at == 'u') {
		token->is_unsigned = true;
		lexer->at++;
	}
	token->is_unsigned |= token->bits >> 63;
	struct place place = {lexer->file, token->line, token->column};
	if (overflow)
		diagnose(lexer->diagnostic, place, "number does not fit 64 bits");
	else if (empty || continues_name(*lexer->at))
		diagnose(lexer->diagnostic, place, "malformed number '%.*s': '%c' is no digit of base %u",
			(int)(lexer->at - token->text), token->text, *lexer->at ? *lexer->at : ' ', base);
}

static void lex_number(struct lexer *lexer, struct token *token)
{
	const char *end = lexer->at;
	char second = lexer->at[0] == '0' ? (char)(lexer->at[1] | 0x20) : 0;

	while (is_digit(*end))
		end++;
	/* `0f` and `0d` are always float literals; 1e5 is one, 0x1e5 is not. */
	bool exponent =
		(*end | 0x20) == 'e' && (is_digit(end[1]) || ((end[1] == '-' || end[1] == '+') && is_digit(end[2])));
	if (second == 'f' || second == 'd')
		lex_hexadecimal_float(lexer, token);
	else if (*end == '.' || exponent)
		lex_decimal_float(lexer, token);
	else
		lex_integer(lexer, token);
	token->length = (uint32_t)(lexer->at - token->text);
}

static void lex_punctuation(struct lexer *lexer, struct token *token)
{
	static const char pairs[][3] = {"<<", ">>", "<=", ">=", "==", "!=", "&&", "||"};
	unsigned char c = (unsigned char)*lexer->at;

	token->kind = TOKEN_PUNCTUATION;
	token->punctuation = c;
	token->length = 1;
	for (unsigned i = 0; i < sizeof pairs / sizeof *pairs; i++)
		if (!memcmp(lexer->at, pairs[i], 1) && lexer->at[1] == pairs[i][1]) {
			token->punctuation = PAIR(pairs[i][0], pairs[i][1]);
			token->length = 2;
		}
	if (c == '#')
		diagnose(lexer->diagnostic, here(lexer),
			"preprocessor lines are not supported: run the file through cpp -P first, if it is PTX; "
			"OpenCL C is read from a file named .cl, CUDA C from .cu");
	else if (c < ' ' || c > '~')
		diagnose(lexer->diagnostic, here(lexer), "unexpected byte 0x%02x", c);
	else if (!strchr("@;,:{}[]()<>=+-*/%&|^~!?", c))
		diagnose(lexer->diagnostic, here(lexer), "unexpected character '%c'", c);
	lexer->at += token->length;
}

/* Whether the character before is a name's: then `.2d` is a word of an opcode, otherwise a number. */
static bool follows_name(const struct lexer *lexer)
{
	return lexer->at > lexer->line_start && continues_name(lexer->at[-1]);
}

struct token lexer_next(struct lexer *lexer)
{
	bool apart = skip_blanks(lexer);
	struct place place = here(lexer);
	struct token token = {.text = lexer->at, .line = place.line, .column = place.column, .touches = !apart};
	char c = *lexer->at, next = c ? lexer->at[1] : 0;

	if (!c || lexer->diagnostic->failed)
		return token;
	if (is_letter(c) || c == '_' || c == '$' || (c == '%' && continues_name(next)))
		lex_name(lexer, &token);
	else if (is_digit(c) || (c == '.' && is_digit(next) && (apart || !follows_name(lexer))))
		lex_number(lexer, &token);
	else if (c == '.' && continues_name(next))
		lex_word(lexer, &token);
	else if (c == '.')
		diagnose(lexer->diagnostic, place, "expected a directive, modifier or type behind '.'");
	else if (c == '"')
		lex_string(lexer, &token);
	else
		lex_punctuation(lexer, &token);
	if (lexer->diagnostic->failed)
		token.kind = TOKEN_END;
	return token;
}

static bool text_is(const struct token *token, const char *text)
{
	return strlen(text) == token->length && !memcmp(token->text, text, token->length);
}

bool token_is_name(const struct token *token, const char *name)
{
	return token->kind == TOKEN_NAME && text_is(token, name);
}

bool token_is_word(const struct token *token, const char *word)
{
	return token->kind == TOKEN_WORD && text_is(token, word);
}

bool token_is_string(const struct token *token, const char *string)
{
	return token->kind == TOKEN_STRING && text_is(token, string);
}

bool token_is(const struct token *token, int punctuation)
{
	return token->kind == TOKEN_PUNCTUATION && token->punctuation == punctuation;
}
