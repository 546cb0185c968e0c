/* What a result was made of is a list of lines in its entry (compile/witness.h). */
#include "compile/kept.h"

#include "compile/device_files.h"
#include "compile/makefile.h"
#include "compile/witness.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PART_PTX, PART_LOG, PART_FILES, PART_COUNT };

/* Of folders, with colons between them; and CCC_OVERRIDE_OPTIONS, which changes clang's words in any way. */
static const char *const paths_of_clang[] = {"CPATH", "C_INCLUDE_PATH", "CPLUS_INCLUDE_PATH"};
static const char override[] = "CCC_OVERRIDE_OPTIONS";

#define PATHS (sizeof paths_of_clang / sizeof *paths_of_clang)

/* ---- Keys ---- */

void kept_begin(struct kept *kept, struct arena *arena, const char *version, const char *clang, const char *libclc)
{
	char folder[4096];
	struct cache_key *key = &kept->key;
	clock_gettime(CLOCK_REALTIME, &kept->begun);
	kept->spellings.arena = arena;
	cache_key_begin(key, arena);
	cache_key_add_text(key, version);
	for (size_t k = 0; k < PATHS; k++)
		cache_key_add_text(key, getenv(paths_of_clang[k]));
	cache_key_add_text(key, getenv(override));
	if (!getcwd(folder, sizeof folder)) {
		kept->spellings.unknown = "the working folder";
		*folder = 0;
	}
	cache_key_add_text(key, folder);
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

/* ---- The compiler's files ---- */

/* Of our headers only names matter; they make none of pieces. */
static void add_device_file(struct kept *kept, const char *text)
{
	struct spellings ours = {.arena = kept->key.arena};
	spellings_add(&ours, text, strlen(text));
	ours.pastes = false;
	ours.pieces = (struct map){0};
	spellings_join(&kept->spellings, &ours);
}

/* What the compiler read. */
static void add_files(struct kept *kept, struct witness *witness, const char *makefile)
{
	const char *at = makefile, *path, *ours;
	while ((path = makefile_next(witness->arena, &at))) {
		if (!makefile_is_in_memory(path))
			witness_add_file(witness, path);
		else if ((ours = makefile_device_file(path)))
			add_device_file(kept, ours);
	}
}

/* ---- What the compiler was given ---- */

void kept_gave_text(struct kept *kept, const char *text, size_t length)
{
	spellings_add(&kept->spellings, text, length);
}

static void add_folder(struct kept *kept, const char *folder, size_t length)
{
	if (memchr(folder, '\n', length)) /* the list of folders has one a line */
		kept->spellings.unknown = "a folder of two lines";
	*vector_push(kept->key.arena, &kept->folders.list) = length ? arena_copy(kept->key.arena, folder, length) : ".";
}

void kept_gave_word(struct kept *kept, const char *word)
{
	if (!strncmp(word, "-I", 2))
		add_folder(kept, word + 2, strlen(word + 2));
	else
		spellings_add(&kept->spellings, word, strlen(word));
}

static void add_environment(struct kept *kept)
{
	for (size_t k = 0; k < PATHS; k++) {
		const char *path = getenv(paths_of_clang[k]);
		for (size_t length; path; path = path[length] ? path + length + 1 : NULL) {
			length = strcspn(path, ":");
			add_folder(kept, path, length);
		}
	}
	if (getenv(override) && *getenv(override))
		kept->spellings.unknown = override;
}

/* ---- Results ---- */

bool kept_find(const struct kept *kept, struct text *ptx, struct text *log)
{
	struct cache_part parts[PART_COUNT];
	if (!cache_get(&kept->key, parts, PART_COUNT) || !witness_holds(kept->key.arena, parts[PART_FILES].data))
		return false;
	text_append(ptx, parts[PART_PTX].data, parts[PART_PTX].length);
	text_append(log, parts[PART_LOG].data, parts[PART_LOG].length);
	return true;
}

const char *kept_put(
	struct kept *kept, const struct text *ptx, const struct text *log, const char *makefile, const char *search)
{
	struct witness witness = {
		.arena = kept->key.arena, .names = &kept->spellings, .begun = kept->begun, .source = kept->source};
	add_environment(kept);
	if (!search || !search_read(kept->key.arena, &kept->folders, search))
		return "where the compiler looks is not known";
	if (!makefile)
		return "what the compiler read is not known";
	add_files(kept, &witness, makefile);
	const char *lines = witness_lines(&witness, kept->folders.list.at, kept->folders.list.count);
	if (!lines)
		return witness.unknown;
	struct cache_part parts[PART_COUNT] = {
		[PART_PTX] = {ptx->at, ptx->length},
		[PART_LOG] = {log->at ? log->at : "", log->length},
		[PART_FILES] = {lines, strlen(lines)},
	};
	cache_put(&kept->key, parts, PART_COUNT);
	return NULL;
}
