/* Pinned PTX: see pinned.h. */
#include "compile/pinned.h"

#include "compile/makefile.h"
#include "compile/tools.h"
#include "util/digest.h"
#include "util/map.h"
#include "util/ptx_maker.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define FIRST "// lockstep.pinned "
#define READ "// read "
#define OPTIONS "// options"
#define COMPILER "// compiler "
#define DIGEST_LENGTH 32 /* characters */
#define MAKE "scripts/pin-ptx makes it anew"

/* The environment's value; null also where it is empty. */
static const char *wanted(const char *variable)
{
	const char *value = getenv(variable);
	return value && *value ? value : NULL;
}

static const char *last_part(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash ? slash + 1 : path;
}

/* ---- Folders ---- */

/* The k-th folder of the options, from 0; null past the last. */
static const char *folder_of(const struct pinned_source *source, uint32_t k)
{
	for (uint32_t word = 0; word < source->word_count; word++)
		if (!strncmp(source->words[word], "-I", 2) && !k--)
			return source->words[word] + 2;
	return NULL;
}

/* As clang writes it into .file, without the working folder where the source is no file. */
static const char *as_told(struct arena *arena, const struct pinned_source *source, const char *path)
{
	char here[4096];
	if (!getcwd(here, sizeof here))
		return path;
	const char *whole = *path == '/' ? path : arena_printf(arena, "%s/%s", here, path);
	bool is_below = !strncmp(whole, here, strlen(here)) && !strchr(here, '=');
	return source->is_no_file && is_below ? whole + strlen(here) : whole;
}

/* "<1>/sub/x.h" of a path in the second folder; null: it is in none. */
static const char *in_folder(struct arena *arena, const struct pinned_source *source, const char *path)
{
	const char *folder;
	for (uint32_t k = 0; (folder = folder_of(source, k)); k++) {
		size_t length = strlen(folder);
		if (!strncmp(path, folder, length) && path[length] == '/')
			return arena_printf(arena, "<%u>%s", k, path + length);
	}
	return NULL;
}

/* The other way round; null: there is no such folder. */
static const char *out_of_folder(struct arena *arena, const struct pinned_source *source, const char *name)
{
	char *behind;
	unsigned long k = *name == '<' ? strtoul(name + 1, &behind, 10) : UINT32_MAX;
	const char *folder = k < UINT32_MAX && *behind == '>' ? folder_of(source, (uint32_t)k) : NULL;
	return folder ? arena_printf(arena, "%s%s", folder, behind + 1) : NULL;
}

/* ---- What it is made of ---- */

/* What is not seen at the source: part of the file's name. */
static const char *options_line(struct arena *arena, const struct pinned_source *source)
{
	struct text line = {.arena = arena};
	uint32_t folders = 0;
	text_print(&line, OPTIONS);
	if (source->standard)
		text_print(&line, " -cl-std=%s", source->standard);
	for (uint32_t k = 0; k < source->word_count; k++) {
		const char *word = source->words[k];
		if (!strncmp(word, "-I", 2))
			text_print(&line, " -I<%u>", folders++);
		else
			text_print(&line, " %s", word);
	}
	if (source->device)
		text_print(&line, " for %s", source->device);
	for (char *c = line.at; *c; c++)
		if (*c == '\n' || *c == '\r')
			*c = ' ';
	return line.at;
}

/* The lines that are known without a compiler. */
struct known {
	const char *source, *options, *by, *built_ins;
};

static struct known known_lines(struct arena *arena, const struct pinned_source *source)
{
	return (struct known){
		.source = arena_printf(arena, "// source %s %s", last_part(source->name),
			digest_of(arena, source->text, source->length)),
		.options = options_line(arena, source),
		.by = arena_printf(arena, "// by %s", source->by),
		.built_ins = arena_printf(arena, "// built-ins %s",
			source->built_ins ? digest_of(arena, source->built_ins, source->built_ins_length) : "none"),
	};
}

static const char *compiler_line(struct arena *arena, const char *clang)
{
	return arena_printf(arena, COMPILER "%s", tool_version(arena, clang));
}

/* "program-0123456789abcdef.ptx" */
static const char *file_name(struct arena *arena, const struct pinned_source *source, const struct known *known)
{
	const char *name = last_part(source->name), *dot = strrchr(name, '.');
	const char *what = arena_printf(arena, "%s %s", name, known->options);
	return arena_printf(arena, "%.*s-%.16s.ptx", (int)(dot ? (size_t)(dot - name) : strlen(name)), name,
		digest_of(arena, what, strlen(what)));
}

/* ---- Reading ---- */

/* What follows the line that has the digest; null, and why, when the file is not whole. */
static const char *read_whole(struct arena *arena, const char *path, struct diagnostic *diagnostic)
{
	size_t length, head = strlen(FIRST) + DIGEST_LENGTH + 1;
	const char *text = text_read_file(arena, path, &length, diagnostic);
	if (!text)
		return NULL;
	if (length < head || strncmp(text, FIRST, strlen(FIRST)) || text[head - 1] != '\n' ||
		strncmp(text + strlen(FIRST), digest_of(arena, text + head, length - head), DIGEST_LENGTH)) {
		diagnose(diagnostic, (struct place){.file = path},
			"is damaged, expected pinned PTX as it was written: " MAKE);
		return NULL;
	}
	return text + head;
}

/* The line at *at, which moves past it; "" at the end. */
static const char *next_line(struct arena *arena, const char **at)
{
	size_t length = strcspn(*at, "\n");
	const char *line = arena_copy(arena, *at, length);
	*at += length + ((*at)[length] == '\n');
	return line;
}

/* The file is what was read, and no folder before its own has one of its name. */
static bool is_as_read(struct arena *arena, const struct pinned_source *source, const char *name, const char *expected)
{
	struct diagnostic ignored = {0};
	size_t length = 0;
	const char *ours = makefile_device_file(name), *path = ours ? NULL : out_of_folder(arena, source, name);
	const char *text = ours ? ours : path ? text_read_file(arena, path, &length, &ignored) : NULL;
	if (!text || strcmp(digest_of(arena, text, ours ? strlen(ours) : length), expected) != 0)
		return false;
	uint32_t own = path ? (uint32_t)strtoul(name + 1, NULL, 10) : 0;
	for (uint32_t k = 0; k < own; k++)
		if (!access(arena_printf(arena, "%s%s", folder_of(source, k), strchr(name, '>') + 1), F_OK))
			return false;
	return true;
}

/* Null: the lines are those of this source; else what differs. */
static const char *difference(struct arena *arena, const struct pinned_source *source, const struct known *known,
	const char *file, const char **at)
{
	if (strcmp(next_line(arena, at), known->source) != 0)
		return arena_printf(
			arena, "%s is not the source of its pinned PTX, %s: " MAKE, last_part(source->name), file);
	if (strcmp(next_line(arena, at), known->options) != 0)
		return arena_printf(arena, "%s is of other options: " MAKE, file);
	if (strcmp(next_line(arena, at), known->by) != 0 || strcmp(next_line(arena, at), known->built_ins) != 0)
		return arena_printf(arena, "%s is of another version of Lockstep: " MAKE, file);
	while (!strncmp(*at, READ, strlen(READ))) {
		const char *line = next_line(arena, at) + strlen(READ), *space = strrchr(line, ' ');
		const char *name = arena_copy(arena, line, (size_t)(space ? space - line : 0));
		if (!space || !is_as_read(arena, source, name, space + 1))
			return arena_printf(arena, "%s is not what was included into %s: " MAKE, name, file);
	}
	return NULL;
}

/* ".file 1 "<0>/x.h"" with the folder; the rest as it is. */
static void append_here(struct text *out, const struct pinned_source *source, const char *ptx)
{
	static const char before[] = "\t.file\t";
	for (const char *line; *ptx;) {
		size_t length = strcspn(ptx, "\n") + 1;
		const char *name = NULL, *quote = NULL;
		length -= !ptx[length - 1];
		if (!strncmp(ptx, before, strlen(before)) && (quote = memchr(ptx, '"', length))) {
			line = arena_copy(out->arena, quote + 1, strcspn(quote + 1, "\"\n"));
			name = !strcmp(line, "<source>") ? source->name : out_of_folder(out->arena, source, line);
		}
		if (name)
			text_print(out, "%.*s\"%s\"\n", (int)(quote - ptx), ptx, as_told(out->arena, source, name));
		else
			text_append(out, ptx, length);
		ptx += length;
	}
}

/* Where to look; null: nowhere. */
static const char *place_of(struct arena *arena, const char *name, bool is_no_file)
{
	const char *folder = wanted("LOCKSTEP_PINNED"), *last = last_part(name), *dot = strrchr(last, '.');
	if (folder || is_no_file || !dot)
		return folder;
	folder = arena_printf(arena, "%.*sptx/%.*s", (int)(last - name), name, (int)(dot - last), last);
	return access(folder, F_OK) ? NULL : folder;
}

bool pinned_is_asked(struct arena *arena, const char *name, bool is_no_file)
{
	return !pinned_is_wanted() && place_of(arena, name, is_no_file);
}

/* The file's outcome. */
static enum pinned_outcome find_in(struct arena *arena, const struct pinned_source *source, const struct known *known,
	const char *path, struct text *ptx, struct text *why)
{
	struct diagnostic diagnostic = {0};
	const char *at = read_whole(arena, path, &diagnostic);
	const char *differs = at ? difference(arena, source, known, path, &at) : diagnostic.message;
	if (differs) {
		text_print(why, "%s", differs);
		return diagnostic.failed ? PINNED_DAMAGED : PINNED_OTHER;
	}
	const char *compiler = next_line(arena, &at);
	next_line(arena, &at); /* the end of these lines */
	append_here(ptx, source, at);
	ptx_maker_write(
		ptx, &(struct ptx_maker){.compiler = compiler + strlen(COMPILER),
			     .options = known->options + strlen(OPTIONS) + (known->options[strlen(OPTIONS)] == ' '),
			     .is_pinned = true});
	return PINNED_FOUND;
}

/* What lies beside the source is for its results as they are stated: not for other options or another compiler, of
 * which there is nothing to say. */
enum pinned_outcome pinned_find(
	struct arena *arena, const struct pinned_source *source, const char *chosen, struct text *ptx, struct text *why)
{
	const char *folder = place_of(arena, source->name, source->is_no_file);
	enum pinned_outcome none = wanted("LOCKSTEP_PINNED") ? PINNED_OTHER : PINNED_NONE;
	struct known known = known_lines(arena, source);
	const char *path = arena_printf(arena, "%s/%s", folder, file_name(arena, source, &known));
	if (!chosen && !access(path, F_OK))
		return find_in(arena, source, &known, path, ptx, why);
	if (none == PINNED_NONE)
		return none;
	if (chosen)
		text_print(why, "%s was chosen", chosen);
	else
		text_print(why, "%s has no PTX of %s with%s", folder, last_part(source->name),
			known.options + strlen(OPTIONS));
	return none;
}

bool pinned_are_whole(struct diagnostic *diagnostic)
{
	const char *folder = wanted("LOCKSTEP_PINNED");
	DIR *files = folder ? opendir(folder) : NULL;
	if (folder && !files)
		diagnose(diagnostic, (struct place){.file = folder},
			"cannot be read: %s; expected a folder of pinned PTX", strerror(errno));
	for (struct dirent *entry; files && !diagnostic->failed && (entry = readdir(files));) {
		struct arena arena = {0};
		size_t length = strlen(entry->d_name);
		if (length > 4 && !strcmp(entry->d_name + length - 4, ".ptx"))
			read_whole(&arena, arena_printf(&arena, "%s/%s", folder, entry->d_name), diagnostic);
		arena_free(&arena);
	}
	if (files)
		closedir(files);
	return !diagnostic->failed;
}

/* ---- Writing ---- */

bool pinned_is_wanted(void)
{
	return wanted("LOCKSTEP_PIN_TO");
}

static const char *path_to(struct arena *arena, const struct pinned_source *source, const struct known *known)
{
	return arena_printf(arena, "%s/%s", wanted("LOCKSTEP_PIN_TO"), file_name(arena, source, known));
}

bool pinned_is_there(struct arena *arena, const struct pinned_source *source, const char *clang)
{
	struct diagnostic ignored = {0};
	struct known known = known_lines(arena, source);
	const char *path = path_to(arena, source, &known);
	const char *at = access(path, F_OK) ? NULL : read_whole(arena, path, &ignored);
	return at && !difference(arena, source, &known, path, &at) &&
	       !strcmp(next_line(arena, &at), compiler_line(arena, clang));
}

/* clang's own headers are part of the compiler, and so are the C library's, which CUDA C++ includes. */
static bool is_of_compiler(const char *path)
{
	static const char *const folders[] = {"/usr/include/", "/usr/lib/"};
	char whole[PATH_MAX];
	if (strstr(path, "/lib/clang/"))
		return true;
	if (!realpath(path, whole)) /* "/usr/bin/../lib/gcc/..." */
		return false;
	for (size_t k = 0; k < sizeof folders / sizeof *folders; k++)
		if (!strncmp(whole, folders[k], strlen(folders[k])))
			return true;
	return false;
}

/* A line for each file that was read; null, and why, where one could not be found again. */
static bool add_read(struct arena *arena, const struct pinned_source *source, const char *makefile, struct text *lines,
	struct map *told, struct diagnostic *diagnostic)
{
	const char *at = makefile, *path;
	while (!diagnostic->failed && (path = makefile_next(arena, &at))) {
		const char *ours = makefile_device_file(path), *name = ours ? path : in_folder(arena, source, path);
		size_t length = ours ? strlen(ours) : 0;
		if ((!ours && makefile_is_in_memory(path)) || is_of_compiler(path) ||
			(source->standard && ours && strstr(path, "/opencl/")))
			continue;
		if (name) {
			const char *text = ours ? ours : text_read_file(arena, path, &length, diagnostic);
			const char *shown = as_told(arena, source, path);
			if (text)
				text_print(lines, READ "%s %s\n", name, digest_of(arena, text, length));
			map_put(arena, told, shown, strlen(shown), arena_text(arena, name));
		} else if (strcmp(path, source->name) != 0)
			diagnose(diagnostic, (struct place){.file = path},
				"is included from no folder of -I, expected one: else the PTX cannot be pinned");
	}
	return !diagnostic->failed;
}

/* Without sections of debugging data, which nobody reads but .debug_str, and what names its maker, and with files by
 * what was told of them. */
static void append_there(struct text *out, const struct map *told, const char *ptx)
{
	static const char file[] = "\t.file\t", section[] = "\t.section\t";
	for (const char *name; *ptx;) {
		size_t length = strcspn(ptx, "\n") + 1;
		const char *quote = NULL;
		length -= !ptx[length - 1];
		if (!strncmp(ptx, section, strlen(section)) && strncmp(ptx + strlen(section), ".debug_str", 10) != 0) {
			length = strcspn(ptx, "}");
			length += strspn(ptx + length, "}\n");
		} else if (!strncmp(ptx, file, strlen(file)) && (quote = memchr(ptx, '"', length))) {
			size_t end = strcspn(quote + 1, "\"\n");
			name = map_get_length(told, quote + 1, end);
			text_print(out, "%.*s\"%s\"\n", (int)(quote - ptx), ptx,
				name ? name : arena_copy(out->arena, quote + 1, end));
		} else if (!ptx_maker_is_line(ptx)) {
			text_append(out, ptx, length);
		}
		ptx += length;
	}
}

void pinned_shear(struct text *out, const char *ptx)
{
	append_there(out, &(struct map){0}, ptx);
}

/* All but the first line. */
static bool add_rest(struct arena *arena, const struct pinned_source *source, const struct known *known,
	const struct text *ptx, const char *makefile, const char *clang, struct text *rest,
	struct diagnostic *diagnostic)
{
	struct map told = {0};
	const char *whole = as_told(arena, source, source->name);
	if (!source->is_no_file)
		map_put(arena, &told, whole, strlen(whole), arena_printf(arena, "<source>"));
	text_print(rest, "%s\n%s\n%s\n%s\n", known->source, known->options, known->by, known->built_ins);
	if (!makefile)
		diagnose(diagnostic, (struct place){.file = source->name},
			"cannot be pinned: what it includes is in no file");
	else if (add_read(arena, source, makefile, rest, &told, diagnostic)) {
		text_print(rest, "%s\n//\n", compiler_line(arena, clang));
		append_there(rest, &told, ptx->at);
	}
	return !diagnostic->failed;
}

static void make_folder(const char *folder, struct diagnostic *diagnostic)
{
	if (mkdir(folder, 0777) && errno != EEXIST)
		diagnose(diagnostic, (struct place){.file = folder}, "cannot make the folder: %s", strerror(errno));
}

bool pinned_write(struct arena *arena, const struct pinned_source *source, const struct text *ptx, const char *makefile,
	const char *clang, struct text *log)
{
	struct diagnostic diagnostic = {0};
	struct known known = known_lines(arena, source);
	struct text rest = {.arena = arena};
	if (add_rest(arena, source, &known, ptx, makefile, clang, &rest, &diagnostic))
		make_folder(wanted("LOCKSTEP_PIN_TO"), &diagnostic);
	if (!diagnostic.failed) {
		const char *text = arena_printf(arena, FIRST "%s\n%s", digest_of(arena, rest.at, rest.length), rest.at);
		text_write_file(path_to(arena, source, &known), text, strlen(text), &diagnostic);
	}
	if (diagnostic.failed)
		text_print(log, "lockstep: %s\n", diagnostic.message);
	return !diagnostic.failed;
}

/* ---- Telling ---- */

void pinned_tell(struct arena *arena, struct compile_unpinned *told, const char *why, const char *clang)
{
	if (!told)
		return;
	snprintf(told->why, sizeof told->why, "%s", why);
	snprintf(told->compiler, sizeof told->compiler, "%s", tool_version(arena, clang));
}
