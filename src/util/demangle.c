/* Names of C++, read by libiberty's demangler, as binutils and gdb do. */
#include "util/demangle.h"

#include "util/lookup.h"
#include "util/text.h"

#include <libiberty/demangle.h>
#include <stdio.h>
#include <string.h>

/* libiberty's own limit, 1,024 characters, is for names made to exhaust the stack; those of templates are longer. */
#define MANGLED_LENGTH 8192

static void append(const char *part, size_t length, void *text)
{
	text_append(text, part, length);
}

const char *demangle(struct arena *arena, const char *name, bool parameters)
{
	struct text text = {.arena = arena};
	int options = DMGL_ANSI | DMGL_NO_RECURSE_LIMIT | (parameters ? DMGL_PARAMS : 0);
	if (strncmp(name, "_Z", 2) || strnlen(name, MANGLED_LENGTH) == MANGLED_LENGTH ||
		!cplus_demangle_v3_callback(name, options, append, &text))
		return NULL;
	return text.at;
}

const char *demangle_short(struct arena *arena, const char *name)
{
	const char *text = demangle(arena, name, false);
	return text ? text : name;
}

const char *demangle_function(struct arena *arena, const char *name)
{
	const char *text = demangle_short(arena, name);
	const char *inner = strncmp(text, "_INTERNAL_", strlen("_INTERNAL_")) ? NULL : strstr(text, "::");
	return inner ? inner + 2 : text;
}

/* ---- Brief names ---- */

/* Behind the '>' that closes the '<' at `open`; null: they are not in pairs, as in names of operators. */
static const char *behind_arguments(const char *open)
{
	uint32_t depth = 0;
	for (const char *at = open; *at; at++) {
		depth += *at == '<';
		if (*at == '>' && at[-1] != '-' && !--depth)
			return at + 1;
	}
	return NULL;
}

/* Template arguments become "<...>"; false: they are not in pairs. */
static bool append_bare(struct text *out, const char *at, const char *end)
{
	while (at < end) {
		const char *open = memchr(at, '<', (size_t)(end - at));
		text_append(out, at, (size_t)((open ? open : end) - at));
		if (!open)
			return true;
		at = behind_arguments(open);
		if (!at || at > end)
			return false;
		text_append(out, "<...>", 5);
	}
	return true;
}

/* The end of the template argument that begins here: a ',' or '>' outside of brackets. */
static const char *argument_end(const char *at, const char *end)
{
	uint32_t depth = 0;
	for (; at < end; at++) {
		if (!depth && (*at == ',' || *at == '>'))
			return at;
		depth += strchr("<({[", *at) != NULL;
		depth -= depth && strchr(">)}]", *at) && !(*at == '>' && at[-1] == '-');
	}
	return end;
}

/* The template arguments of a function's name, "A<int>::f<int, A<int>>": where the last ones begin; null: it ends
 * without.
 */
static const char *own_arguments(const char *name)
{
	for (const char *at = name; at && (at = strchr(at, '<'));) {
		const char *behind = behind_arguments(at);
		if (behind && !*behind)
			return at;
		at = behind;
	}
	return NULL;
}

/* As many as fit `room`, and "..." in place of the others. */
static void append_arguments(struct text *out, const char *open, size_t room)
{
	const char *end = behind_arguments(open) - 1;
	text_append(out, "<", 1);
	for (const char *at = open + 1; at < end;) {
		struct text one = {.arena = out->arena};
		const char *next = argument_end(at, end);
		size_t blanks = next > at && next[-1] == ' '; /* "> >" */
		if (!append_bare(&one, at, next - blanks) || out->length + one.length + strlen(", ...>") > room) {
			text_append(out, "...", 3);
			break;
		}
		text_print(out, "%s%s", one.at, next < end ? ", " : "");
		at = next + 1 + (next < end && next[1] == ' ');
	}
	text_append(out, ">", 1);
}

/* The name without its outer namespaces, as far as it has too many to fit. */
static const char *inner_name(const char *name, size_t room)
{
	for (const char *at = name; strlen(name) > room && at; name = at)
		if ((at = strstr(name, "::")))
			at += 2;
		else
			break;
	return name;
}

static void append_brief(struct text *out, const char *text, size_t room)
{
	struct text head = {.arena = out->arena};
	const char *open = own_arguments(text);
	size_t most = room - (open ? strlen("<...>") : 0);
	if (!append_bare(&head, text, open ? open : text + strlen(text)))
		head = (struct text){.arena = out->arena};
	const char *name = inner_name(head.length ? head.at : text, most);
	if (strlen(name) > most || !head.length)
		text_print(out, "%.*s...", (int)room - 3, name);
	else
		text_print(out, "%s", name);
	if (strlen(name) <= most && open)
		append_arguments(out, open, room);
}

const char *demangle_brief(struct arena *arena, const char *name)
{
	const char *text = demangle_function(arena, name);
	size_t length = strlen(text), room = DEMANGLE_COLUMNS - strlen("#1234");
	struct text out = {.arena = arena};
	uint64_t number = 0;
	if (length <= DEMANGLE_COLUMNS)
		return text;
	for (const char *at = name; *at; at++)
		number = lookup_mix(number, (unsigned char)*at);
	append_brief(&out, text, room);
	text_print(&out, "#%04x", (unsigned)(number & 0xffff));
	return out.at;
}

/* ---- What people call it ---- */

/* _Z, the length, the name, its parameters' types. */
static bool begins_with(const char *name, const char *called)
{
	char prefix[32];
	int digits = snprintf(prefix, sizeof prefix, "_Z%zu", strlen(called));
	return !strncmp(name, prefix, (size_t)digits) && !strncmp(name + digits, called, strlen(called));
}

bool demangle_is(const char *name, const char *called)
{
	struct arena arena = {0};
	bool is = !strcmp(name, called) || begins_with(name, called) ||
		  !strcmp(demangle_short(&arena, name), called) /* in a namespace */ ||
		  !strcmp(demangle_brief(&arena, name), called);
	arena_free(&arena);
	return is;
}

const char *demangle_all(struct arena *arena, const char *message)
{
	static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_$.";
	struct text out = {.arena = arena};
	for (size_t length; *message; message += length) {
		length = strspn(message, letters);
		length = length ? length : 1;
		const char *word = arena_copy(arena, message, length);
		text_print(&out, "%s", strncmp(word, "_Z", 2) ? word : demangle_short(arena, word));
	}
	return out.length ? out.at : "";
}
