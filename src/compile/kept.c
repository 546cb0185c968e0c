/* What a result was made of is a list of lines in its entry (compile/witness.h). */
#include "compile/kept.h"

#include "compile/device_files.h"
#include "compile/witness.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PART_PTX, PART_LOG, PART_FILES, PART_COUNT };

/* The last changes clang's words in any way. */
static const char *const variables_of_clang[] = {
	"CPATH", "C_INCLUDE_PATH", "CPLUS_INCLUDE_PATH", "SOURCE_DATE_EPOCH", "CCC_OVERRIDE_OPTIONS"};

void kept_begin(struct kept *kept, struct arena *arena, const char *version, const char *clang, const char *libclc)
{
	char folder[4096];
	struct digest *key = &kept->key;
	clock_gettime(CLOCK_REALTIME, &kept->begun);
	kept->libclc = libclc;
	digest_begin(key, arena);
	digest_add_text(key, version);
	digest_add_text(key, "names its maker");
	for (size_t k = 0; k < sizeof variables_of_clang / sizeof *variables_of_clang; k++)
		digest_add_text(key, getenv(variables_of_clang[k]));
	if (!getcwd(folder, sizeof folder)) {
		kept->is_nowhere = true;
		*folder = 0;
	}
	digest_add_text(key, folder);
	cache_add_file(key, clang);
	cache_add_file(key, libclc);
	for (size_t k = 0; k < device_file_count; k++)
		digest_add_text(key, device_files[k].text);
}

bool kept_find(const struct kept *kept, struct text *ptx, struct text *log)
{
	struct cache_part parts[PART_COUNT];
	if (!cache_get(&kept->key, parts, PART_COUNT) || !witness_holds(kept->key.arena, parts[PART_FILES].data))
		return false;
	text_append(ptx, parts[PART_PTX].data, parts[PART_PTX].length);
	text_append(log, parts[PART_LOG].data, parts[PART_LOG].length);
	return true;
}

void kept_put(struct kept *kept, const struct text *ptx, const struct text *log, const char *makefile,
	const struct text *lookups)
{
	const char *why, *lines = NULL;
	if (makefile && !kept->is_nowhere)
		lines = witness_lines(kept->key.arena, kept->begun, makefile, lookups, kept->libclc, &why);
	if (!lines)
		return;
	struct cache_part parts[PART_COUNT] = {
		[PART_PTX] = {ptx->at, ptx->length},
		[PART_LOG] = {log->at ? log->at : "", log->length},
		[PART_FILES] = {lines, strlen(lines)},
	};
	cache_put(&kept->key, parts, PART_COUNT);
}
