/* Our built-in functions: put together from the embedded files, compiled once for each clang. */
#include "compile/builtins.h"

#include "compile/cache.h"
#include "compile/device_files.h"
#include "compile/target.h"
#include "util/map.h"
#include "util/mutex.h"

#include <string.h>

static void append_file(struct text *source, const struct device_file *file)
{
	text_print(source, "#line 1 \"%s\"\n", file->name);
	text_append(source, file->text, strlen(file->text));
}

const char *builtins_source(struct arena *arena, size_t *length)
{
	struct text source = {.arena = arena};
	for (size_t k = 0; k < device_file_count; k++)
		if (!strcmp(device_files[k].name, "opencl/common.h"))
			append_file(&source, &device_files[k]);
	for (size_t k = 0; k < device_file_count; k++) {
		const char *dot = strrchr(device_files[k].name, '.');
		if (!strncmp(device_files[k].name, "opencl/", 7) && dot && !strcmp(dot, ".cl"))
			append_file(&source, &device_files[k]);
	}
	*length = source.length;
	return source.at;
}

static const char *compile(struct arena *arena, const char *clang, bool no_cache, size_t *length, struct text *log)
{
	static const char *const words[] = {"-cl-std=CL3.0", "-w", "-O1", "-emit-llvm", "-c", "-o", "-", "-", NULL};
	struct tool tool = {.arena = arena};
	struct digest key;
	struct cache_part part = {0};
	size_t source_length;
	const char *source = builtins_source(arena, &source_length);
	tool_add(&tool, clang);
	tool_add_all(&tool, target_words);
	tool_add_all(&tool, target_features_3);
	tool_add_all(&tool, words);
	digest_begin(&key, arena);
	digest_add_text(&key, "builtins");
	for (uint32_t k = 0; k < tool.words.count; k++)
		digest_add_text(&key, tool.words.at[k]);
	cache_add_file(&key, clang);
	digest_add(&key, source, source_length);
	digest_end(&key);
	if (no_cache || !cache_get(&key, &part, 1)) {
		bool good = tool_run(&tool, source, source_length, &part.data, &part.length, log);
		tool_end(&tool);
		if (!good)
			return NULL;
		if (!no_cache)
			cache_put(&key, &part, 1);
	}
	*length = part.length;
	return part.data;
}

/* Kept for the life of the process: where there is no cache, every program would compile them anew. */
const char *builtins_bitcode(struct arena *arena, const char *clang, bool no_cache, size_t *length, struct text *log)
{
	static pthread_mutex_t mutex = MUTEX_INITIALIZER;
	static struct arena forever;
	static struct map by_clang;
	const char *data;
	mutex_lock(&mutex);
	struct cache_part *kept = map_get(&by_clang, clang);
	if (!kept && (data = compile(arena, clang, no_cache, length, log))) {
		kept = arena_new(&forever, struct cache_part);
		*kept = (struct cache_part){arena_copy(&forever, data, *length), *length};
		map_put(&forever, &by_clang, clang, strlen(clang), kept);
	}
	mutex_unlock(&mutex);
	*length = kept ? kept->length : 0;
	return kept ? kept->data : NULL;
}
