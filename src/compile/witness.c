/* Lines are made, and later made again of the same paths and compared. */
#include "compile/witness.h"

#include "compile/cache.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define LINES_MAX 50000 /* folders that lead to themselves have very many */

struct witness_file {
	const char *path, *folder;
	char identity[48];
	struct spellings names; /* those of this file */
	bool explained;         /* some name in some folder leads to it */
};

/* ---- States ---- */

static const char *identity_of(const struct stat *about, char identity[48])
{
	snprintf(identity, 48, "%llx:%llx", (unsigned long long)about->st_dev, (unsigned long long)about->st_ino);
	return identity;
}

/* The number of the first line of the same file or folder. */
static uint32_t first_line(struct arena *arena, struct map *same, const struct stat *about, uint32_t line)
{
	char identity[48];
	identity_of(about, identity);
	uint32_t *first = map_get(same, identity);
	if (!first) {
		first = arena_new(arena, uint32_t);
		*first = line;
		map_put(arena, same, identity, strlen(identity), first);
	}
	return *first;
}

static const char *state_of(struct arena *arena, struct map *same, const char *path, uint32_t line, struct stat *about)
{
	if (stat(path, about))
		return "-";
	uint32_t first = first_line(arena, same, about, line);
	char kind = S_ISDIR(about->st_mode) ? '/' : access(path, R_OK) ? '!' : '+';
	return arena_printf(arena, "%c%u", kind, first);
}

static const char *state_of_content(struct arena *arena, const char *text, size_t length)
{
	struct text state = {.arena = arena};
	struct cache_key content;
	cache_key_begin(&content, arena);
	cache_key_add(&content, text, length);
	cache_key_end(&content);
	text_print(&state, "=");
	for (size_t k = 0; k < sizeof content.digest; k++)
		text_print(&state, "%02x", content.digest[k]);
	return state.at;
}

/* A pipe is not waited for. */
static const char *read_regular(struct arena *arena, const char *path, size_t *length, struct stat *about)
{
	struct diagnostic diagnostic = {0};
	return stat(path, about) || !S_ISREG(about->st_mode) ? NULL : text_read_file(arena, path, length, &diagnostic);
}

/* ---- Files ---- */

static void give_up(struct witness *w, const char *why)
{
	if (!w->unknown)
		w->unknown = why;
}

static const char *folder_of(struct arena *arena, const char *path)
{
	const char *slash = strrchr(path, '/');
	return !slash ? "." : slash == path ? "/" : arena_copy(arena, path, (size_t)(slash - path));
}

static const char changed[] = "a file that changed meanwhile";

static bool is_later(struct timespec a, struct timespec b)
{
	return a.tv_sec != b.tv_sec ? a.tv_sec > b.tv_sec : a.tv_nsec > b.tv_nsec;
}

static void add_line(struct witness *w, const char *state, const char *path)
{
	w->lines.arena = w->arena;
	if (strchr(path, '\n'))
		give_up(w, "a path of two lines");
	text_print(&w->lines, "%s %s\n", state, path);
	w->count++;
}

void witness_add_file(struct witness *w, const char *path)
{
	struct stat about, source;
	size_t length;
	const char *text = read_regular(w->arena, path, &length, &about);
	if (!text || stat(path, &about)) { /* as it is since it was read here */
		give_up(w, "a file that is gone");
		return;
	}
	if (is_later(about.st_ctim, w->begun))
		give_up(w, changed);
	struct witness_file *file = arena_new(w->arena, struct witness_file);
	*vector_push(w->arena, &w->files) = file;
	*file = (struct witness_file){.path = path,
		.folder = folder_of(w->arena, path),
		.explained = w->source && !stat(w->source, &source) && source.st_dev == about.st_dev &&
			     source.st_ino == about.st_ino,
		.names = {.arena = w->arena}};
	identity_of(&about, file->identity);
	add_line(w, state_of_content(w->arena, text, length), path);
	spellings_add(&file->names, text, length);
	spellings_join(w->names, &file->names);
}

/* ---- Places ---- */

/* A file that was read under this path or another: what it includes may be looked for beside this one, too. */
static void explain(struct witness *w, const char *path, const struct stat *about)
{
	char identity[48];
	identity_of(about, identity);
	for (uint32_t k = 0; k < w->files.count; k++)
		if (!strcmp(w->files.at[k]->identity, identity)) {
			w->files.at[k]->explained = true;
			*vector_push(w->arena, &w->pending) =
				(struct witness_beside){w->files.at[k], folder_of(w->arena, path)};
		}
}

/* Null: it has a line already, or there is no end. */
static const char *add_path(struct witness *w, const char *path, struct stat *about)
{
	if (map_get(&w->paths, path) || w->unknown)
		return NULL;
	if (w->count >= LINES_MAX)
		give_up(w, "too many places");
	map_put(w->arena, &w->paths, path, strlen(path), w);
	const char *state = state_of(w->arena, &w->same, path, w->count, about);
	add_line(w, state, path);
	return state;
}

/* Where a name has a folder that is not there, that is all there is to know. */
static void add_place(struct witness *w, const char *folder, const char *name)
{
	struct stat about;
	const char *path = *name == '/' ? name : arena_printf(w->arena, "%s/%s", folder, name);
	const char *above = strchr(name, '/') ? folder_of(w->arena, path) : NULL;
	if (above && stat(above, &about)) {
		add_path(w, above, &about);
		return;
	}
	const char *state = add_path(w, path, &about);
	if (!state || *state == '-' || *state == '/')
		return;
	if (is_later(about.st_ctim, w->begun))
		give_up(w, changed);
	else
		explain(w, path, &about);
}

/* All names in a folder of the search; a file there may be a list of names to clang (a header map). */
static void add_folder(struct witness *w, const char *folder)
{
	struct stat about;
	if (map_put(w->arena, &w->folders, folder, strlen(folder), w))
		return;
	add_path(w, folder, &about);
	if (stat(folder, &about))
		return;
	if (!S_ISDIR(about.st_mode))
		give_up(w, "a folder that is a file");
	for (uint32_t k = 0; k < w->names->list.count; k++)
		add_place(w, folder, w->names->list.at[k].name);
}

static void add_beside(struct witness *w, struct witness_beside beside)
{
	for (uint32_t k = 0; k < beside.file->names.list.count; k++)
		if (beside.file->names.list.at[k].is_quoted)
			add_place(w, beside.folder, beside.file->names.list.at[k].name);
}

const char *witness_lines(struct witness *w, const char *const *folders, size_t folder_count)
{
	if (spellings_unknown(w->names))
		give_up(w, spellings_unknown(w->names));
	add_folder(w, "."); /* of a text that no file holds */
	for (size_t k = 0; k < folder_count; k++)
		add_folder(w, folders[k]);
	for (uint32_t k = 0; k < w->files.count; k++)
		add_beside(w, (struct witness_beside){w->files.at[k], w->files.at[k]->folder});
	for (uint32_t k = 0; k < w->pending.count && !w->unknown; k++) /* which may grow */
		add_beside(w, w->pending.at[k]);
	for (uint32_t k = 0; k < w->files.count; k++)
		if (!w->files.at[k]->explained)
			give_up(w, "a file that no name leads to");
	return w->unknown ? NULL : w->lines.at;
}

/* ---- Later ---- */

static const char *state_now(struct arena *arena, struct map *same, const char *before, const char *path, uint32_t line)
{
	struct stat about;
	size_t length;
	if (*before != '=')
		return state_of(arena, same, path, line, &about);
	const char *text = read_regular(arena, path, &length, &about);
	return text ? state_of_content(arena, text, length) : "-";
}

bool witness_holds(struct arena *arena, const char *lines)
{
	struct map same = {0};
	uint32_t line = 0;
	for (const char *at = lines, *end; *at; at = end + 1, line++) {
		const char *blank = strchr(at, ' ');
		end = strchr(at, '\n');
		if (!blank || !end || blank > end)
			return false;
		const char *path = arena_copy(arena, blank + 1, (size_t)(end - blank - 1));
		const char *now = state_now(arena, &same, at, path, line);
		if (strlen(now) != (size_t)(blank - at) || memcmp(now, at, (size_t)(blank - at)))
			return false;
	}
	return true;
}
