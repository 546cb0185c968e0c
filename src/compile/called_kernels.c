/* Functions for the kernels that are called, from the text of the PTX, as clang writes it:
 *
 *     .visible .entry sum(                    .func lockstep_called$sum(
 *             .param .u64 sum_param_0,                .param .b64 sum_param_0,
 *             .param .u8 sum_param_1                  .param .b32 sum_param_1
 *     )                                       )
 *     .reqntid 64, 1, 1
 *     {                                       {
 *
 * The body stays what it is: it reads its parameters by the same names, and variables of local memory are outside.  A
 * caller passes what is below 32 bits as 32, and aggregates as a kernel has them. */
#include "compile/rewrite.h"

#include "util/map.h"
#include "util/vector.h"

#include <ctype.h>
#include <string.h>

#define PREFIX "lockstep_called$"

/* One that is defined or declared here. */
struct kernel {
	const char *name, *parameters;
	const char *body, *end; /* from its brace, null where it is declared only, to past the last one */
	bool called;            /* and has a body: one that is declared only has its function elsewhere */
};

struct kernels {
	struct arena *arena;
	VECTOR(struct kernel) list;
	struct map by_name;
	struct text out;
};

static size_t name_length(const char *at)
{
	size_t length = 0;
	while (isalnum((unsigned char)at[length]) || (at[length] && strchr("_$.", at[length])))
		length++;
	return length;
}

static const char *next_line(const char *at)
{
	at += strcspn(at, "\n");
	return at + (*at == '\n');
}

/* ---- Which ---- */

/* Past a definition or a declaration: clang closes a body with a brace, and ends a declaration with a semicolon, that
 * stands first in its line. */
static const char *past_kernel(const char *line)
{
	while (*line && *line != '}' && *line != ';')
		line = next_line(line);
	return next_line(line);
}

static void find_kernels(struct kernels *k, const char *ptx)
{
	for (const char *line = ptx, *end; *line; line = end) {
		end = next_line(line);
		const char *word = memmem(line, (size_t)(end - line), ".entry ", strlen(".entry "));
		if (!word || (*line != '.' && *line != '\t'))
			continue;
		const char *name = word + strlen(".entry "), *body = line;
		size_t length = name_length(name);
		struct kernel *kernel = vector_push(k->arena, &k->list);
		end = past_kernel(line);
		while (body < end && *body != '{')
			body = next_line(body);
		*kernel = (struct kernel){.name = arena_copy(k->arena, name, length),
			.parameters = name + length,
			.body = body < end ? body : NULL,
			.end = end};
		map_put(k->arena, &k->by_name, name, length, (void *)(uintptr_t)kernel->name);
	}
}

/* Is it the second line of a call, which has the name alone: "\tsum, "? */
static const char *called_name(const struct kernels *k, const char *line)
{
	const char *name = line + 1;
	size_t length = *line == '\t' ? name_length(name) : 0;
	if (!length || name[length] != ',' || !strchr(" \n", name[length + 1]))
		return NULL;
	return map_get_length(&k->by_name, name, length);
}

static bool find_calls(struct kernels *k, const char *ptx)
{
	bool found = false, call = false;
	for (const char *line = ptx; *line; line = next_line(line)) {
		const char *name = call ? called_name(k, line) : NULL;
		for (uint32_t at = 0; name && at < k->list.count; at++)
			if (!strcmp(k->list.at[at].name, name)) {
				k->list.at[at].called = k->list.at[at].body;
				found = true;
			}
		if (*line != '$') /* a label may come between */
			call = !strncmp(line, "\tcall", 5);
	}
	return found;
}

/* ---- Text ---- */

static void append(struct kernels *k, const char *from, const char *to)
{
	text_append(&k->out, from, (size_t)(to - from));
}

/* With calls of kernels made calls of their functions. */
static void append_body(struct kernels *k, const char *from, const char *to)
{
	bool call = false;
	for (const char *line = from, *end; line < to; line = end) {
		end = next_line(line);
		if (call && called_name(k, line))
			text_print(&k->out, "\t" PREFIX), line++;
		append(k, line, end);
		if (*line != '$')
			call = !strncmp(line, "\tcall", 5);
	}
}

/* ".param .u8 .ptr .global .align 4 NAME,": without what only a kernel's may say, and as wide as it is passed. */
static void append_parameter(struct kernels *k, const char *line, const char *end)
{
	const char *type = memmem(line, (size_t)(end - line), ".param .", strlen(".param ."));
	const char *name = end;
	bool wide = memmem(line, (size_t)(end - line), "64 ", 3);
	if (!type || memmem(line, (size_t)(end - line), ".b8 ", 4)) {
		append(k, line, end);
		return;
	}
	while (name > line && name[-1] != ' ')
		name--;
	text_print(&k->out, "\t.param .b%s ", wide ? "64" : "32");
	append(k, name, end);
}

/* Its name, and its parameters up to the bracket that closes their list. */
static void append_head(struct kernels *k, const struct kernel *kernel)
{
	text_print(&k->out, ".func " PREFIX "%s", kernel->name);
	for (const char *line = kernel->parameters, *end; *line && *line != ')'; line = end) {
		end = next_line(line);
		append_parameter(k, line, end);
	}
	text_print(&k->out, ")\n");
}

/* In front of the first function all are declared: a call may come before what it calls. */
static void append_declarations(struct kernels *k)
{
	for (uint32_t at = 0; at < k->list.count; at++)
		if (k->list.at[at].called) {
			append_head(k, &k->list.at[at]);
			text_print(&k->out, ";\n\n");
		}
}

/* Where the first function begins, defined or declared. */
static const char *first_function(const char *ptx)
{
	for (const char *line = ptx; *line; line = next_line(line)) {
		size_t length = strcspn(line, "\n");
		if (*line == '.' && (memmem(line, length, ".func ", 6) || memmem(line, length, ".entry ", 7)))
			return line;
	}
	return ptx;
}

const char *called_kernels(struct arena *arena, const char *ptx)
{
	struct kernels k = {.arena = arena, .out = {.arena = arena}};
	find_kernels(&k, ptx);
	if (!find_calls(&k, ptx))
		return ptx;
	const char *at = first_function(ptx);
	append(&k, ptx, at);
	append_declarations(&k);
	for (uint32_t n = 0; n < k.list.count; n++) {
		const struct kernel *kernel = &k.list.at[n];
		if (!kernel->called)
			continue;
		append_body(&k, at, kernel->end);
		append_head(&k, kernel);
		append_body(&k, kernel->body, kernel->end);
		text_print(&k.out, "\n");
		at = kernel->end;
	}
	append_body(&k, at, at + strlen(at));
	return k.out.at;
}
