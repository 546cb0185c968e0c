/* What a result depends on: Lockstep itself, settings, compilers, PTX, inputs.  Reports have it as one object, which
 * pages pass on, texts say in words, and comparisons of results begin with (docs/report-json.md). */
#ifndef LOCKSTEP_REPORT_PROVENANCE_H
#define LOCKSTEP_REPORT_PROVENANCE_H

#include "lockstep.h"
#include "util/text.h"
#include "util/vector.h"

struct json_object;

/* What its caller knows of a result; all of it may be missing. */
struct provenance {
	VECTOR(struct provenance_kernel {
		const char *kernel;
		const struct lockstep_origin *origin;
	})
	kernels; /* that ran, each once for each origin */
	VECTOR(const char *) inputs;
};

/* The origin is to live as long; null: it is not known, and nothing is added. */
void provenance_add_kernel(
	struct provenance *p, struct arena *arena, const char *kernel, const struct lockstep_origin *origin);
/* Inputs: a text; a text of which the end, from `path` on, is the name of a file: without folders, with a digest of its
 * contents, which are left out where it cannot be read. */
void provenance_add_input(struct provenance *p, struct arena *arena, const char *text);
void provenance_add_file(struct provenance *p, struct arena *arena, const char *text, const char *path);

/* Each file of a list that ends in null; null: none. */
void provenance_add_files(struct provenance *p, struct arena *arena, const char *const *paths);
/* Whether it is worth a digest: a regular file of at most 64 MiB. */
bool provenance_is_file(const char *path);

/* Fields of the model that are not as its file has them, an object; the caller's. */
struct json_object *provenance_settings(const struct lockstep *gpu);
/* The object of a report.  `settings`: as above, which stays the caller's; null: there is no GPU. */
struct json_object *provenance_object(const struct provenance *p, struct json_object *settings);

/* What modules have for a member, each value once, as "a; b"; "": none has it. */
const char *provenance_joined(struct arena *arena, struct json_object *modules, const char *key);

/* What is needed for channel.h: an origin as an object, and back; the texts live as long as the object. */
struct json_object *provenance_module(const struct lockstep_origin *origin);
struct lockstep_origin *provenance_origin(struct arena *arena, struct json_object *module);

/* Of such an object: a line for each compiler of Lockstep's that made kernels; nothing, if there is none. */
void provenance_text(struct text *out, struct json_object *provenance);

/* Of which the command was built; null where that is not known. */
const char *provenance_commit(struct arena *arena);

#endif
