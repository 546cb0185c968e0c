/* A scan for words, without the state of a preprocessor: a mistake can only add names. */
#include "compile/spellings.h"

#include "util/text.h"

#include <ctype.h>
#include <string.h>

struct scan {
	struct spellings *to;
	const char *at, *begin; /* the text, without spliced lines; ends in NUL */
};

/* They may be macros' arguments and bodies, so they count wherever they are. */
static const char *const lookups[] = {"__has_include", "__has_include_next", "__has_embed"};
static const char *const times[] = {"__DATE__", "__TIME__", "__TIMESTAMP__"};
static const char *const directives[] = {"include", "include_next", "import", "embed", "__include_macros"};
static const char *const tests[] = {"defined", "ifdef", "ifndef", "elifdef", "elifndef"};

#define COUNT(list) (sizeof(list) / sizeof *(list))

struct word {
	const char *at;
	size_t length;
};

static bool is_one_of(struct word word, const char *const *list, size_t count)
{
	for (size_t k = 0; k < count; k++)
		if (strlen(list[k]) == word.length && !memcmp(list[k], word.at, word.length))
			return true;
	return false;
}

static bool is_within_one_of(const char *word, const char *const *list, size_t count)
{
	for (size_t k = 0; k < count; k++)
		if (strstr(list[k], word))
			return true;
	return false;
}

static void give_up(struct spellings *spellings, const char *why)
{
	if (!spellings->unknown)
		spellings->unknown = why;
}

/* ---- Texts ---- */

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\v' || c == '\f';
}

static bool is_letter(char c)
{
	return isalnum((unsigned char)c) || c == '_' || (unsigned char)c >= 0x80;
}

/* A backslash at the end of a line, and blanks between them, as clang takes it; past the splice.  Null: there is none.
 */
static const char *splice(const char *at, const char *end)
{
	for (at++; at < end && is_blank(*at); at++)
		;
	if (at == end || (*at != '\n' && *at != '\r'))
		return NULL;
	return at + 1 + (at + 1 < end && (at[1] == '\n' || at[1] == '\r') && at[1] != *at);
}

static const char *without_splices(struct arena *arena, const char *text, size_t length)
{
	char *out = arena_alloc(arena, length + 1), *to = out;
	for (const char *at = text, *end = text + length, *past; at < end;) {
		if (*at == '\\' && (past = splice(at, end))) {
			at = past;
			continue;
		}
		*to++ = *at == '\r' ? '\n' : (char)(*at ? *at : ' ');
		at++;
	}
	*to = 0;
	return out;
}

/* Past the string or character that begins here; neither goes beyond its line. */
static const char *past_literal(const char *at)
{
	char quote = *at++;
	while (*at && *at != '\n' && *at != quote)
		at += *at == '\\' && at[1] && at[1] != '\n' ? 2 : 1;
	return at + (*at == quote);
}

/* Past the comment that begins here; null: none does. */
static const char *past_comment(const char *at)
{
	if (at[0] != '/' || (at[1] != '*' && at[1] != '/'))
		return NULL;
	const char *end = at[1] == '*' ? strstr(at + 2, "*/") : strchr(at, '\n');
	return !end ? at + strlen(at) : at[1] == '*' ? end + 2 : end;
}

/* With a blank for each comment.  The text as it is where what looks like one might be none: in raw strings and names
 * in <>. */
static const char *without_comments(struct arena *arena, const char *text)
{
	char *out = arena_alloc(arena, strlen(text) + 1), *to = out;
	bool is_directive = false, is_name = false;
	if (strstr(text, "R\""))
		return text;
	for (const char *at = text, *past; *at; at = past) {
		if ((past = past_comment(at))) {
			if (is_name)
				return text;
			*to++ = ' ';
			continue;
		}
		past = *at == '"' || *at == '\'' ? past_literal(at) : at + 1;
		is_directive = *at != '\n' && (is_directive || *at == '#' || *at == '%');
		is_name = is_directive && *at != '>' && (is_name || *at == '<');
		memcpy(to, at, (size_t)(past - at));
		to += past - at;
	}
	*to = 0;
	return out;
}

/* Past blanks and comments. */
static const char *skip(const char *at)
{
	for (;;) {
		const char *end;
		if (is_blank(*at))
			at++;
		else if (at[0] == '/' && at[1] == '*' && (end = strstr(at + 2, "*/")))
			at = end + 2;
		else
			return at;
	}
}

static struct word read_word(const char *at)
{
	struct word word = {at, 0};
	while (is_letter(at[word.length]))
		word.length++;
	return word;
}

/* ---- Names ---- */

static void add_name(struct spellings *spellings, const char *name, size_t length, bool is_quoted)
{
	const char *key = arena_printf(spellings->arena, "%c%.*s", is_quoted ? '"' : '<', (int)length, name);
	if (!length || map_get(&spellings->known, key))
		return;
	*vector_push(spellings->arena, &spellings->list) = (struct spelling){key + 1, is_quoted};
	map_put(spellings->arena, &spellings->known, key, strlen(key), spellings);
}

/* "name" or <name> at `at`. */
static void read_name(struct scan *s, const char *at, const char *why)
{
	char close = *at == '"' ? '"' : '>';
	const char *end = at;
	if (*at == '"' || *at == '<')
		for (end = at + 1; *end && *end != '\n' && *end != close; end++)
			;
	if (end == at || *end != close) {
		give_up(s->to, why);
		return;
	}
	add_name(s->to, at + 1, (size_t)(end - at) - 1, close == '"');
}

/* ---- Places ---- */

/* Is there nothing on this line but blanks and the end of a comment before it? */
static bool begins_line(const struct scan *s, const char *at)
{
	while (at > s->begin && is_blank(at[-1]))
		at--;
	return at == s->begin || at[-1] == '\n' || (at - s->begin >= 2 && at[-1] == '/' && at[-2] == '*');
}

/* Behind # or %: */
static void read_directive(struct scan *s)
{
	const char *at = skip(s->at);
	struct word word = read_word(at);
	if (!is_one_of(word, directives, COUNT(directives)))
		return;
	s->at = at + word.length;
	read_name(s, skip(s->at), "an #include without a name");
}

/* `defined(__has_include)` and `#ifdef __has_include` look for no file. */
static bool skip_test(struct scan *s)
{
	const char *at = skip(s->at);
	bool has_brace = *at == '(';
	if (has_brace)
		at = skip(at + 1);
	struct word word = read_word(at);
	if (!is_one_of(word, lookups, COUNT(lookups)))
		return false;
	at = skip(at + word.length);
	if (has_brace && *at == ')')
		at = skip(at + 1);
	if (*at == '(')
		return false;
	s->at = at;
	return true;
}

/* `#pragma GCC dependency` compares the times of files. */
static bool is_dependency(const char *at)
{
	struct word word = read_word(skip(at));
	return word.length == strlen("dependency") && !memcmp(word.at, "dependency", word.length);
}

static void add_piece(struct spellings *spellings, struct word word)
{
	char piece[24];
	if (word.length >= sizeof piece)
		return;
	memcpy(piece, word.at, word.length);
	piece[word.length] = 0;
	if (is_within_one_of(piece, lookups, COUNT(lookups)) || is_within_one_of(piece, times, COUNT(times)))
		map_put(spellings->arena, &spellings->pieces, piece, word.length, spellings);
}

static void read_identifier(struct scan *s)
{
	struct word word = read_word(s->at);
	s->at += word.length;
	if (is_one_of(word, tests, COUNT(tests)) && skip_test(s))
		return;
	if (is_one_of(word, lookups, COUNT(lookups))) {
		const char *at = skip(s->at);
		read_name(s, *at == '(' ? skip(at + 1) : at, "a __has_include without a name");
	} else if (is_one_of(word, times, COUNT(times))) {
		give_up(s->to, "the time of the compilation");
	} else if ((word.length == 3 && !memcmp(word.at, "GCC", 3)) ||
		   (word.length == 5 && !memcmp(word.at, "clang", 5))) {
		if (is_dependency(s->at))
			give_up(s->to, "the times of files");
	} else {
		add_piece(s->to, word);
	}
}

static void read_text(struct scan *s)
{
	while (*s->at) {
		bool is_digraph = s->at[0] == '%' && s->at[1] == ':';
		if (is_letter(*s->at)) {
			read_identifier(s);
		} else if (*s->at == '#' || is_digraph) {
			const char *place = s->at;
			s->at += is_digraph ? 2 : 1;
			if (*s->at == '#' || (s->at[0] == '%' && s->at[1] == ':'))
				s->to->pastes = true;
			if (begins_line(s, place))
				read_directive(s);
		} else {
			s->at++;
		}
	}
}

void spellings_add(struct spellings *spellings, const char *text, size_t length)
{
	const char *whole = without_comments(spellings->arena, without_splices(spellings->arena, text, length));
	struct scan scan = {.to = spellings, .at = whole, .begin = whole};
	if (strstr(whole, "?\?/") || strstr(whole, "?\?="))
		give_up(spellings, "a trigraph");
	read_text(&scan);
}

void spellings_join(struct spellings *spellings, const struct spellings *more)
{
	for (uint32_t k = 0; k < more->list.count; k++)
		add_name(spellings, more->list.at[k].name, strlen(more->list.at[k].name), more->list.at[k].is_quoted);
	for (uint32_t k = 0; k < more->pieces.count; k++)
		map_put(spellings->arena, &spellings->pieces, more->pieces.entry[k].key, more->pieces.entry[k].length,
			spellings);
	spellings->pastes |= more->pastes;
	give_up(spellings, more->unknown);
}

/* ---- Names made of pieces ---- */

/* Is the name some pieces in a row? */
static bool can_be_made(const struct map *pieces, const char *name)
{
	size_t length = strlen(name);
	bool reached[32] = {true}; /* as many letters of it can be made */
	for (size_t from = 0; from < length; from++)
		for (size_t to = from + 1; reached[from] && to <= length; to++)
			reached[to] = reached[to] || map_get_length(pieces, name + from, to - from);
	return reached[length];
}

static bool can_make_one_of(const struct map *pieces, const char *const *list, size_t count)
{
	for (size_t k = 0; k < count; k++)
		if (can_be_made(pieces, list[k]))
			return true;
	return false;
}

const char *spellings_unknown(const struct spellings *spellings)
{
	if (!spellings->unknown && spellings->pastes &&
		(can_make_one_of(&spellings->pieces, lookups, COUNT(lookups)) ||
			can_make_one_of(&spellings->pieces, times, COUNT(times))))
		return "a name made of pieces";
	return spellings->unknown;
}
