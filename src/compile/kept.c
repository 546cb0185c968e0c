/* The files that a result was made of are a list of lines in its entry, "DIGEST PATH". */
#include "compile/kept.h"

#include "compile/device_files.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PART_PTX, PART_LOG, PART_FILES, PART_COUNT };

static const char *const read_by_clang[] = {"CPATH", "C_INCLUDE_PATH", "CPLUS_INCLUDE_PATH", "CCC_OVERRIDE_OPTIONS"};

/* ---- Keys ---- */

void kept_key_begin(
	struct cache_key *key, struct arena *arena, const char *version, const char *clang, const char *libclc)
{
	char folder[4096];
	cache_key_begin(key, arena);
	cache_key_add_text(key, version);
	for (size_t k = 0; k < sizeof read_by_clang / sizeof *read_by_clang; k++)
		cache_key_add_text(key, getenv(read_by_clang[k]));
	cache_key_add_text(key, getcwd(folder, sizeof folder));
	cache_key_add_file(key, clang);
	cache_key_add_file(key, libclc);
	for (size_t k = 0; k < device_file_count; k++)
		cache_key_add_text(key, device_files[k].text);
}

void kept_key_add_words(struct cache_key *key, const char *const *words)
{
	for (const char *const *word = words; *word; word++)
		cache_key_add_text(key, *word);
}

/* ---- Files ---- */

/* The next file of make's "-: a \<newline> b\ c"; null at the end. */
static const char *next_file(struct arena *arena, const char **at)
{
	for (;;) {
		if (**at == '\\' && (*at)[1] == '\n')
			*at += 2;
		else if (**at && strchr(" \n", **at))
			++*at;
		else
			break;
	}
	if (!**at)
		return NULL;
	char *path = arena_alloc(arena, strlen(*at) + 1);
	size_t length = 0;
	for (; **at && !strchr(" \n", **at); ++*at) {
		if (**at == '\\' && (*at)[1] && strchr(" #", (*at)[1]))
			++*at;
		else if (**at == '$' && (*at)[1] == '$')
			++*at;
		path[length++] = **at;
	}
	return path;
}

/* Its line in the list; the digest of a file that cannot be read is -, which never fits. */
static const char *describe(struct arena *arena, const char *path)
{
	struct text line = {.arena = arena};
	struct diagnostic diagnostic = {0};
	struct cache_key content;
	size_t length;
	const char *text = text_read_file(arena, path, &length, &diagnostic);
	if (!text)
		return arena_printf(arena, "- %s\n", path);
	cache_key_begin(&content, arena);
	cache_key_add(&content, text, length);
	cache_key_end(&content);
	for (size_t k = 0; k < sizeof content.digest; k++)
		text_print(&line, "%02x", content.digest[k]);
	text_print(&line, " %s\n", path);
	return line.at;
}

/* Files that exist for the compiler only are in the key. */
static bool is_given_in_memory(const char *path)
{
	return !strncmp(path, "/lockstep/", strlen("/lockstep/")) || !strcmp(path, "-") || !strcmp(path, "<stdin>");
}

static const char *list_files(struct arena *arena, const char *makefile)
{
	struct text list = {.arena = arena};
	const char *at = strchr(makefile, ':'), *path;
	text_print(&list, "%s", "");
	while (at && (path = next_file(arena, &at)))
		if (path[strlen(path) - 1] != ':' && !is_given_in_memory(path))
			text_print(&list, "%s", describe(arena, path));
	return list.at;
}

/* Are the files of a list what they were? */
static bool unchanged(struct arena *arena, const char *list)
{
	for (const char *at = list, *end; *at; at = end + 1) {
		const char *path = strchr(at, ' ');
		end = strchr(at, '\n');
		if (!path || !end || path > end || *at == '-')
			return false;
		path = arena_copy(arena, path + 1, (size_t)(end - path - 1));
		const char *now = describe(arena, path);
		if (strncmp(now, at, strlen(now)) != 0)
			return false;
	}
	return true;
}

/* ---- Results ---- */

bool kept_find(const struct cache_key *key, struct text *ptx, struct text *log)
{
	struct cache_part parts[PART_COUNT];
	if (!cache_get(key, parts, PART_COUNT) || !unchanged(key->arena, parts[PART_FILES].data))
		return false;
	text_append(ptx, parts[PART_PTX].data, parts[PART_PTX].length);
	text_append(log, parts[PART_LOG].data, parts[PART_LOG].length);
	return true;
}

void kept_put(const struct cache_key *key, const struct text *ptx, const struct text *log, const char *makefile)
{
	const char *files = list_files(key->arena, makefile);
	struct cache_part parts[PART_COUNT] = {
		[PART_PTX] = {ptx->at, ptx->length},
		[PART_LOG] = {log->at ? log->at : "", log->length},
		[PART_FILES] = {files, strlen(files)},
	};
	cache_put(key, parts, PART_COUNT);
}
