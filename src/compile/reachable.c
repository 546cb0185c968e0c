/* Without the functions that nothing in the program can call.  OpenCL C's functions are for other programs, too, unless
 * they are `static`; libraries of headers leave that word out, and LLVM would optimise hundreds of functions that only
 * clLinkProgram could ask for.  The others keep their linkage, and with it what LLVM makes of them. */
#include "compile/rewrite.h"

#include "util/map.h"
#include "util/vector.h"

#include <string.h>

struct function {
	const char *at, *end; /* from "define" to past its last line, which is a brace */
	bool reached;
};

struct functions {
	struct arena *arena;
	struct map by_name;
	struct map elsewhere;              /* names of functions and variables that are not defined here */
	VECTOR(struct function *) reached; /* those in front have told what they name */
};

static const char *past_line(const char *line)
{
	line += strcspn(line, "\n");
	return line + (*line == '\n');
}

/* Of @name and @"name", behind the @. */
static struct span name_at(const char *at)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_$.-";
	return *at == '"' ? (struct span){at, strcspn(at + 1, "\"") + 1} : (struct span){at, strspn(at, letters)};
}

static void reach(struct functions *f, struct function *function)
{
	if (!function || function->reached)
		return;
	function->reached = true;
	*vector_push(f->arena, &f->reached) = function;
}

static void reach_named(struct functions *f, const char *from, const char *to)
{
	while ((from = memchr(from, '@', (size_t)(to - from)))) {
		struct span name = name_at(++from);
		reach(f, map_get_length(&f->by_name, name.at, name.length));
	}
}

/* The function that begins in this line; null: another line. */
static struct function *function_at(struct functions *f, const char *line)
{
	const char *name = strncmp(line, "define ", strlen("define ")) ? NULL : memchr(line, '@', strcspn(line, "\n"));
	struct span span = name ? name_at(name + 1) : (struct span){0};
	return name ? map_get_length(&f->by_name, span.at, span.length) : NULL;
}

static void find_elsewhere(struct functions *f, const char *ir)
{
	for (const char *line = ir; *line; line = past_line(line)) {
		const char *name = *line == '@'                    ? line
				   : !strncmp(line, "declare ", 8) ? memchr(line, '@', strcspn(line, "\n"))
								   : NULL;
		struct span span = name ? name_at(name + 1) : (struct span){0};
		if (name && (*line != '@' || !strncmp(span.at + span.length, " = external ", 12)) &&
			strncmp(span.at, "llvm.", 5))
			map_put(f->arena, &f->elsewhere, span.at, span.length, f);
	}
}

static bool names_elsewhere(const struct functions *f, const char *from, const char *to)
{
	while ((from = memchr(from, '@', (size_t)(to - from)))) {
		struct span name = name_at(++from);
		if (map_get_length(&f->elsewhere, name.at, name.length))
			return true;
	}
	return false;
}

static void find_functions(struct functions *f, const char *ir)
{
	for (const char *line = ir; (line = strstr(line, "\ndefine "));) {
		line++;
		const char *name = memchr(line, '@', strcspn(line, "\n")), *brace = strstr(line, "\n}");
		struct function *function = arena_new(f->arena, struct function);
		if (!name || !brace)
			return;
		struct span span = name_at(name + 1);
		function->at = line;
		function->end = past_line(brace + 1);
		map_put(f->arena, &f->by_name, span.at, span.length, function);
		line = brace;
	}
}

/* What has to be there without being named: a kernel, and a function of whose names one is missing, which the linker is
 * to say; not of an inline function, which is another program's. */
static bool is_root(const struct functions *f, const struct function *function)
{
	size_t head = strcspn(function->at, "@");
	return memmem(function->at, head, " spir_kernel ", strlen(" spir_kernel ")) ||
	       (!memmem(function->at, head, " available_externally ", strlen(" available_externally ")) &&
		       f->elsewhere.count && names_elsewhere(f, function->at, function->end));
}

/* And what is named outside of functions: by variables, lists and annotations. */
static void reach_roots(struct functions *f, const char *ir)
{
	for (const char *line = ir, *end; *line; line = end) {
		struct function *function = function_at(f, line);
		end = function ? function->end : past_line(line);
		if (!function)
			reach_named(f, line, end);
		else if (is_root(f, function))
			reach(f, function);
	}
}

const char *reachable_functions(struct arena *arena, const char *ir)
{
	struct functions f = {.arena = arena};
	struct text out = {.arena = arena};
	find_functions(&f, ir);
	find_elsewhere(&f, ir);
	reach_roots(&f, ir);
	for (uint32_t k = 0; k < f.reached.count; k++)
		reach_named(&f, f.reached.at[k]->at, f.reached.at[k]->end);
	if (!f.reached.count || f.reached.count == f.by_name.count)
		return ir;
	const char *from = ir;
	for (uint32_t k = 0; k < f.by_name.count; k++) {
		const struct function *function = f.by_name.entry[k].value;
		if (function->reached)
			continue;
		text_append(&out, from, (size_t)(function->at - from));
		from = function->end;
	}
	text_append(&out, from, strlen(from));
	return out.at;
}
