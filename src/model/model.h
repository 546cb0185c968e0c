/* A GPU model: typed, validated fields, each with unit and source (fields.def), read from gpus/NAME.cfg or a user's
 * file.
 *
 * File format (libconfig): groups by dotted path; a value is `(15, "source")` or just `15`.  A file may begin with
 * `base = "gtx480";` and then give only what differs; without base every field must be present. */
#ifndef LOCKSTEP_MODEL_MODEL_H
#define LOCKSTEP_MODEL_MODEL_H

#include "util/arena.h"
#include "util/diagnostic.h"

#include <stddef.h>
#include <stdint.h>

#define MODEL_TYPE_U32 uint32_t
#define MODEL_TYPE_NAME const char *
struct gpu_model {
	const char *name; /* "gtx480", or the file's name */
#define FIELD(type, name, path, unit, minimum, maximum, meaning) MODEL_TYPE_##type name;
#include "model/fields.def"
#undef FIELD
};

struct model_field {
	const char *path, *unit, *meaning;
	uint32_t minimum, maximum; /* inclusive, for numbers */
	size_t offset;             /* in struct gpu_model */
	int is_name;
};
extern const struct model_field model_fields[];
extern const uint32_t model_field_count;

/* Loads a model: the name of an embedded file, or a path (contains '/' or '.').  Null and an error when it cannot;
 * an unknown name suggests the nearest.  Sources: `*sources` (may be null) receives one text per field. */
struct gpu_model *model_load(
	struct arena *arena, const char *name, const char ***sources, struct diagnostic *diagnostic);

/* Sets one field from "key=value"; the key may be any dotted path; errors name the nearest key, the range and the
 * unit. */
bool model_set(struct arena *arena, struct gpu_model *model, const char *assignment, struct diagnostic *diagnostic);

/* Cross-field checks after all settings: powers of two, slices a multiple of channels, at least one warp fits ... */
bool model_check(const struct gpu_model *model, struct diagnostic *diagnostic);

uint64_t model_value(const struct gpu_model *model, uint32_t field);   /* numbers */
const char *model_text(const struct gpu_model *model, uint32_t field); /* names */
/* What a core has: all are alike, but for the last lesser.cores. */
uint32_t model_core_threads(const struct gpu_model *model, uint32_t core);
uint32_t model_core_shared(const struct gpu_model *model, uint32_t core);
uint32_t model_core_warps(const struct gpu_model *model, uint32_t core);
/* Names of the embedded models, sorted; `*count` of them. */
const char *const *model_names(size_t *count);

#endif
