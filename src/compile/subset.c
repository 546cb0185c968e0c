/* The part of the libraries that a program may call: the names of all functions, the words of the program, and a module
 * that calls what both have in common, from which clang's own linker makes the subset. */
#include "compile/subset.h"

#include "compile/cache.h"
#include "compile/target.h"
#include "util/map.h"
#include "util/mutex.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* Bitcode or text in, bitcode or text out, and nothing done to it. */
static const char *const module_words[] = {"-x", "ir", "-target", "nvptx64--nvidiacl", "-w", "-emit-llvm", "-Xclang",
	"-disable-llvm-passes", "-o", "-", NULL};
static const char *const caller_words[] = {"-cl-std=CL3.0", "-cl-no-stdinc", "-w", "-O1", "-Xclang",
	"-disable-llvm-passes", "-S", "-emit-llvm", "-o", "-", "-", NULL};

/* A function of the libraries. */
struct known_name {
	const char *symbol;
	struct plain_name *plain;
};

/* What it is called in a program: "sin" of _Z3sinf and _Z3sinDv4_f. */
struct plain_name {
	uint32_t wanted; /* by the program of this number */
};

struct known_names {
	struct map plain, symbols;
	VECTOR(struct known_name) list; /* in the libraries' order */
	struct map subsets;             /* by digest, in hexadecimal */
	uint32_t programs;
};

/* Those that come first stay in memory; they take 10 to 600 KB each. */
#define SUBSETS_KEPT 64

static pthread_mutex_t mutex = MUTEX_INITIALIZER;
static struct arena forever; /* the rest of this file's data, for the life of the process */

/* ---- The names ---- */

static bool is_letter(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/* Past the end of the line. */
static const char *next_line(const char *line, const char *end)
{
	const char *newline = memchr(line, '\n', (size_t)(end - line));
	return newline ? newline + 1 : end;
}

static bool begins_with(const char *line, const char *next, const char *word)
{
	size_t length = strlen(word);
	return (size_t)(next - line) >= length && !memcmp(line, word, length);
}

/* Appends the name of the function when the line defines one for others. */
static void list_function(struct text *names, const char *line, const char *next)
{
	const char *name = begins_with(line, next, "define ") ? memchr(line, '@', (size_t)(next - line)) : NULL;
	if (!name || memmem(line, (size_t)(name - line), " internal ", strlen(" internal ")))
		return;
	name++;
	text_append(names, name, strcspn(name, "("));
	text_append(names, "\n", 1);
}

/* Appends a line for each function that the module defines for others. */
static bool list_module(struct text *names, const char *clang, const char *path, const char *data, size_t length)
{
	struct arena scratch = {0};
	struct text log = {.arena = &scratch};
	struct tool tool = {.arena = &scratch};
	const char *ir;
	size_t ir_length;
	tool_add(&tool, clang);
	tool_add_all(&tool, module_words);
	tool_add(&tool, "-S");
	tool_add(&tool, path);
	bool good = tool_run(&tool, data, length, &ir, &ir_length, &log);
	for (const char *line = ir, *next; good && line < ir + ir_length; line = next) {
		next = next_line(line, ir + ir_length);
		list_function(names, line, next);
	}
	tool_end(&tool);
	arena_free(&scratch);
	return good;
}

static void begin_key(struct digest *key, struct arena *arena, const struct libraries *libraries, const char *what)
{
	digest_begin(key, arena);
	digest_add_text(key, what);
	cache_add_file(key, libraries->clang);
	cache_add_file(key, libraries->libclc);
	digest_add(key, libraries->builtins, libraries->builtins_length);
	digest_add_words(key, module_words);
	digest_add_words(key, target_words);
	digest_add_words(key, caller_words);
}

/* One name a line; null when they cannot be found out. */
static const char *list_names(struct arena *arena, const struct libraries *libraries)
{
	struct digest key;
	struct cache_part part;
	struct text names = {.arena = arena};
	begin_key(&key, arena, libraries, "names 1");
	digest_end(&key);
	if (!libraries->no_cache && cache_get(&key, &part, 1))
		return part.data;
	text_print(&names, "%s", "");
	if (!list_module(&names, libraries->clang, "-", libraries->builtins, libraries->builtins_length) ||
		!list_module(&names, libraries->clang, libraries->libclc, "", 0))
		return NULL;
	part = (struct cache_part){names.at, names.length};
	if (!libraries->no_cache)
		cache_put(&key, &part, 1);
	return names.at;
}

/* _Z3sinf: "sin"; __to_local, clang's own name for it: "to_local". */
static const char *plain_name(const char *symbol, size_t *length)
{
	char *name;
	if (!strncmp(symbol, "__to_", strlen("__to_")))
		symbol += strlen("__");
	size_t size = strlen(symbol);
	if (!strncmp(symbol, "_Z", 2) && isdigit((unsigned char)symbol[2])) {
		unsigned long count = strtoul(symbol + 2, &name, 10);
		if (count <= size - (size_t)(name - symbol)) {
			*length = count;
			return name;
		}
	}
	*length = size;
	return symbol;
}

static void add_name(struct known_names *names, const char *symbol, size_t size)
{
	bool good = true;
	for (size_t k = 0; k < size; k++)
		good = good && is_letter(symbol[k]);
	if (!good || !size || map_get_length(&names->symbols, symbol, size))
		return;
	symbol = arena_copy(&forever, symbol, size);
	size_t length;
	const char *name = plain_name(symbol, &length);
	struct plain_name *plain = map_get_length(&names->plain, name, length);
	if (!plain) {
		plain = arena_new(&forever, struct plain_name);
		map_put(&forever, &names->plain, name, length, plain);
	}
	map_put(&forever, &names->symbols, symbol, size, plain);
	*vector_push(&forever, &names->list) = (struct known_name){symbol, plain};
}

/* Of these libraries.  Its list is empty where it is not known. */
static struct known_names *find_names(struct arena *arena, const struct libraries *libraries)
{
	static struct map by_libraries;
	const char *which = arena_printf(arena, "%s\n%s", libraries->clang, libraries->libclc);
	struct known_names *names = map_get(&by_libraries, which);
	if (names)
		return names;
	names = arena_new(&forever, struct known_names);
	map_put(&forever, &by_libraries, which, strlen(which), names);
	const char *list = list_names(arena, libraries);
	for (const char *line = list; line && *line; line += strcspn(line, "\n") + 1)
		add_name(names, line, strcspn(line, "\n"));
	return names;
}

/* ---- The words of a program ---- */

/* A program with images may have sampler constants, for which clang calls this. */
static const char sampler_maker[] = "__translate_sampler_initializer";

static void want_word(struct known_names *names, const char *word, size_t length)
{
	struct plain_name *plain = map_get_length(&names->plain, word, length);
	if (plain)
		plain->wanted = names->programs;
}

static void want_words(struct known_names *names, const char *text)
{
	if (strstr(text, "sampler"))
		want_word(names, sampler_maker, strlen(sampler_maker));
	while (*text) {
		size_t length = 0;
		while (is_letter(text[length]))
			length++;
		if (length)
			want_word(names, text, length);
		text += length ? length : 1;
	}
}

/* The caller: a module that calls all of them, by what they are called in bitcode.  Of their types it knows nothing,
 * and it is not run. */
static const char *write_caller(struct arena *arena, const struct known_names *names, size_t *length)
{
	struct text text = {.arena = arena}, calls = {.arena = arena};
	for (uint32_t k = 0; k < names->list.count; k++)
		if (names->list.at[k].plain->wanted == names->programs) {
			text_print(&text, "void f%u(void) __asm__(\"%s\");\n", k, names->list.at[k].symbol);
			text_print(&calls, "f%u();\n", k);
		}
	text_print(&text, "void __lockstep_subset(void)\n{\n%s}\n", calls.at ? calls.at : "");
	*length = text.length;
	return text.at;
}

/* ---- The subset ---- */

static bool link_caller(struct tool *tool, const struct libraries *libraries, const char *caller, size_t caller_length,
	const char **ir, size_t *length)
{
	struct text log = {.arena = tool->arena};
	const char *builtins = tool_file(tool, libraries->builtins, libraries->builtins_length);
	if (!builtins)
		return false;
	tool_add(tool, libraries->clang);
	tool_add_all(tool, target_words);
	tool_link(tool, builtins);
	tool_link(tool, libraries->libclc);
	tool_add_all(tool, caller_words);
	return tool_run(tool, caller, caller_length, ir, length, &log);
}

/* The linker has made the functions local ones: they are to be found by name again. */
static const char *make_visible(struct arena *arena, const char *ir, size_t *length)
{
	static const char local[] = "define internal ";
	struct text out = {.arena = arena};
	for (const char *line = ir, *end = ir + *length, *next; line < end; line = next) {
		next = next_line(line, end);
		if (begins_with(line, next, local)) {
			text_print(&out, "define ");
			line += strlen(local);
		}
		text_append(&out, line, (size_t)(next - line));
	}
	*length = out.length;
	return out.at;
}

static const char *assemble(struct arena *arena, const char *clang, const char *ir, size_t *length)
{
	struct tool tool = {.arena = arena};
	struct text log = {.arena = arena};
	const char *data;
	tool_add(&tool, clang);
	tool_add_all(&tool, module_words);
	tool_add(&tool, "-c");
	tool_add(&tool, "-");
	bool good = tool_run(&tool, ir, *length, &data, length, &log);
	tool_end(&tool);
	return good ? data : NULL;
}

static const char *make_subset(struct arena *arena, const struct libraries *libraries, const char *caller,
	size_t caller_length, size_t *length)
{
	struct tool tool = {.arena = arena};
	const char *ir;
	bool good = link_caller(&tool, libraries, caller, caller_length, &ir, length);
	tool_end(&tool);
	return good ? assemble(arena, libraries->clang, make_visible(arena, ir, length), length) : NULL;
}

/* From memory, from the cache, or made now.  Its data is null where it cannot be made. */
static struct cache_part find_subset(
	struct arena *arena, const struct libraries *libraries, const char *caller, size_t caller_length)
{
	struct digest key;
	struct cache_part part = {0};
	struct map *subsets = &libraries->names->subsets;
	begin_key(&key, arena, libraries, "subset 1");
	digest_add(&key, caller, caller_length);
	digest_end(&key);
	const char *digits = digest_digits(&key);
	const struct cache_part *kept = map_get(subsets, digits);
	if (kept)
		return *kept;
	if (libraries->no_cache || !cache_get(&key, &part, 1)) {
		part.data = make_subset(arena, libraries, caller, caller_length, &part.length);
		if (part.data && !libraries->no_cache)
			cache_put(&key, &part, 1);
	}
	if (part.data && subsets->count < SUBSETS_KEPT) {
		struct cache_part *keep = arena_new(&forever, struct cache_part);
		*keep = (struct cache_part){arena_copy(&forever, part.data, part.length), part.length};
		map_put(&forever, subsets, digits, strlen(digits), keep);
	}
	return part;
}

const char *subset_of(
	struct arena *arena, struct libraries *libraries, const char *const *texts, size_t count, size_t *length)
{
	struct cache_part subset = {0};
	size_t caller_length;
	mutex_lock(&mutex);
	struct known_names *names = libraries->names = find_names(arena, libraries);
	if (names->list.count) {
		names->programs++;
		for (size_t k = 0; k < count; k++)
			want_words(names, texts[k]);
		const char *caller = write_caller(arena, names, &caller_length);
		subset = find_subset(arena, libraries, caller, caller_length);
	}
	mutex_unlock(&mutex);
	*length = subset.length;
	return subset.data;
}

/* Names are only ever read after find_names, so no lock is needed. */
bool subset_was_enough(const struct libraries *libraries, const char *ir)
{
	for (const char *line = ir; (line = strstr(line, "\ndeclare ")); line++) {
		const char *name = strchr(line, '@');
		if (name && map_get_length(&libraries->names->symbols, name + 1, strcspn(name + 1, "(")))
			return false;
	}
	return true;
}
