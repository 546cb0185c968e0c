/* Fields of a GPU model by where their values are from. */
#include "report/inherited.h"

#include "lockstep.h"
#include "util/vector.h"

#include <assert.h>
#include <json-c/json.h>
#include <string.h>

/* Fields with one kind of source. */
struct origin {
	const char *name; /* "v100", "sync" */
	VECTOR(const char *) fields;
};

struct origins {
	struct arena *arena;
	VECTOR(struct origin) all;
	uint32_t fields;
};

/* Groups of fields that are choices of the simulator's user, or limits of a driver. */
static bool is_of_chip(const char *path)
{
	static const char *const others[] = {"description", "simulator", "policy.", "spin.", "backoff.", "retry.",
		"limit.", "functional.", "control.", "queue.", "independent.", "heap.", "weak.",
		"core.registers_override", "shared.lock_bits", "shared.atomic_slots", "l2.prefill", "lesser."};

	for (size_t k = 0; k < sizeof others / sizeof *others; k++)
		if (!strncmp(path, others[k], strlen(others[k])))
			return false;
	return true;
}

static bool is_gpu(const char *name, size_t length)
{
	const char *known;

	for (size_t k = 0; (known = lockstep_gpu_name(k)); k++)
		if (strlen(known) == length && !strncmp(known, name, length))
			return true;
	return false;
}

/* The model of "as MODEL: source" and "as MODEL, in nanoseconds"; null: the source is the field's own. */
static const char *model_of(struct arena *arena, const char *source)
{
	if (strncmp(source, "as ", 3))
		return NULL;
	const char *name = source + 3;
	const char *colon = strstr(name, ": ");
	size_t word = strcspn(name, ",:; "),
	       length = colon && memchr(name, '.', (size_t)(colon - name)) ? (size_t)(colon - name) : word;

	return length > word || is_gpu(name, word) ? arena_copy(arena, name, length) : NULL;
}

/* "sync" of "sync: 25 cycles", "fitted" of "fitted to sync"; of a text that names no source "other". */
static const char *kind_of(struct arena *arena, const char *source)
{
	size_t word = strcspn(source, ":;, ");
	bool is_named = source[word] == ':' || source[word] == ',' || !source[word] || !strncmp(source, "fitted ", 7);

	return is_named ? arena_copy(arena, source, word) : "other";
}

static void add(struct origins *origins, const char *name, const char *field)
{
	struct origin *origin = NULL;

	for (uint32_t k = 0; k < origins->all.count && !origin; k++)
		if (!strcmp(origins->all.at[k].name, name))
			origin = &origins->all.at[k];
	if (!origin) {
		origin = vector_push(origins->arena, &origins->all);
		origin->name = name;
	}
	*vector_push(origins->arena, &origin->fields) = field;
	origins->fields++;
}

static void sort(const struct lockstep *gpu, struct origins *own, struct origins *inherited)
{
	struct lockstep_field field;

	for (size_t k = 0; lockstep_configuration(gpu, k, &field); k++) {
		if (!is_of_chip(field.path))
			continue;
		assert(field.source);
		const char *model = model_of(own->arena, field.source);
		add(model ? inherited : own, model ? model : kind_of(own->arena, field.source), field.path);
	}
}

/* "dram.tCL, tRP; fence.latency": a field that follows one of its group has no more than its last word. */
static void write_fields(struct text *out, const struct origin *origin)
{
	const char *group = "";

	for (uint32_t k = 0; k < origin->fields.count; k++) {
		const char *field = origin->fields.at[k];
		size_t length = strcspn(field, ".") + 1;
		bool is_same = k && !strncmp(group, field, length);

		text_print(out, "%s%s", !k ? "" : is_same ? ", " : "; ", is_same ? field + length : field);
		group = field;
	}
	text_print(out, "\n");
}

void inherited_text(struct text *out, const struct lockstep *gpu)
{
	struct origins own = {.arena = out->arena}, inherited = {.arena = out->arena};

	sort(gpu, &own, &inherited);
	text_print(out, "Of %u fields about the chip, %u have a source of their own:", own.fields + inherited.fields,
		own.fields);
	for (uint32_t k = 0; k < own.all.count; k++)
		text_print(out, "%s %s %u", k ? "," : "", own.all.at[k].name, own.all.at[k].fields.count);
	text_print(out, "\nNobody has measured or published %u for this chip:\n", inherited.fields);
	for (uint32_t k = 0; k < inherited.all.count; k++) {
		const struct origin *origin = &inherited.all.at[k];

		text_print(out, "  from %s, %u: ", origin->name, origin->fields.count);
		write_fields(out, origin);
	}
}

static json_object *origins_object(const struct origins *origins)
{
	json_object *object = json_object_new_object();

	for (uint32_t k = 0; k < origins->all.count; k++) {
		const struct origin *origin = &origins->all.at[k];
		json_object *fields = json_object_new_array();

		for (uint32_t n = 0; n < origin->fields.count; n++)
			json_object_array_add(fields, json_object_new_string(origin->fields.at[n]));
		json_object_object_add(object, origin->name, fields);
	}
	return object;
}

json_object *inherited_object(struct arena *arena, const struct lockstep *gpu)
{
	struct origins own = {.arena = arena}, inherited = {.arena = arena};
	json_object *object = json_object_new_object();

	sort(gpu, &own, &inherited);
	json_object_object_add(object, "own", origins_object(&own));
	json_object_object_add(object, "models", origins_object(&inherited));
	return object;
}
