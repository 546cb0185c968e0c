/* cudaGraphSetConditional, which kernels call to set a condition of a graph: a store of the value, and of a mark that
 * it was set, to the two words at the handle (graph_condition.c).
 *
 * A call is replaced in the PTX, so that what is found out about the store has the place of the call.  Those that are
 * written in an unusual way call a function at the end. */
#include "host/cuda/objects.h"

#include "host/need.h"
#include "util/text.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define NAME "cudaGraphSetConditional"

static const char function[] = "\n.func " NAME "(.param .b64 handle, .param .b32 value)\n"
			       "{\n\t.reg .b32 %value;\n\t.reg .b64 %handle;\n"
			       "\tld.param.b64 %handle, [handle];\n\tld.param.b32 %value, [value];\n"
			       "\tst.global.v2.b32 [%handle], {%value, 1};\n\tret;\n}\n";

struct word {
	const char *at;
	size_t length;
};

static const char *skip_space(const char *at)
{
	while (isspace((unsigned char)*at))
		at++;
	return at;
}

/* Moves past the character and the space before it; false: another is there. */
static bool take(const char **at, char character)
{
	*at = skip_space(*at);
	if (**at != character)
		return false;
	++*at;
	return true;
}

static bool take_word(const char **at, struct word *word)
{
	word->at = *at = skip_space(*at);
	while (isalnum((unsigned char)**at) || (**at && strchr("_$%", **at)))
		++*at;
	word->length = (size_t)(*at - word->at);
	return word->length;
}

/* Where the statement "call.uni" before the name begins; null: it is none, or has a guard. */
static const char *find_call(const char *text, const char *name)
{
	static const char call[] = "call.uni";
	while (name > text && isspace((unsigned char)name[-1]))
		name--;
	if ((size_t)(name - text) < sizeof call || memcmp(name - sizeof call + 1, call, sizeof call - 1))
		return NULL;
	const char *start = name - sizeof call + 1, *before = start;
	while (before > text && isspace((unsigned char)before[-1]))
		before--;
	return before > text && strchr(";{}", before[-1]) ? start : NULL;
}

static void print_store(struct text *out, const struct word *handle, const struct word *value)
{
	int handle_length = (int)handle->length, value_length = (int)value->length;
	if (*handle->at == '%' && *value->at == '%')
		text_print(
			out, "st.global.v2.b32 [%.*s], {%.*s, 1};", handle_length, handle->at, value_length, value->at);
	else
		text_print(out,
			"{ .reg .b64 %%handle; .reg .b32 %%value; ld.param.b64 %%handle, [%.*s]; "
			"ld.param.b32 %%value, [%.*s]; st.global.v2.b32 [%%handle], {%%value, 1}; }",
			handle_length, handle->at, value_length, value->at);
}

/* Replaces the call around the name, and keeps its lines.  Returns its end; null: it is not replaced. */
static const char *replace(struct text *out, const char *from, const char *name)
{
	const char *start = find_call(from, name), *at = name + sizeof NAME - 1;
	struct word handle, value;
	if (!start || !take(&at, ',') || !take(&at, '(') || !take_word(&at, &handle) || !take(&at, ',') ||
		!take_word(&at, &value) || !take(&at, ')') || !take(&at, ';'))
		return NULL;
	text_append(out, from, (size_t)(start - from));
	print_store(out, &handle, &value);
	for (const char *c = start; c < at; c++)
		if (*c == '\n')
			text_append(out, c, 1);
	return at;
}

char *set_conditional_expand(char *ptx)
{
	struct arena arena = {0};
	struct text out = {.arena = &arena};
	const char *from = ptx;
	if (!strstr(ptx, NAME))
		return ptx;
	for (const char *name = ptx; (name = strstr(name, NAME)); name += sizeof NAME - 1) {
		const char *end = replace(&out, from, name);
		from = end ? end : from;
	}
	text_print(&out, "%s%s", from, function);
	free(ptx);
	ptx = need(strdup(out.at));
	arena_free(&arena);
	return ptx;
}
