/* What a result depends on, as an object of its report. */
#include "report/provenance.h"

#include "report/members.h"
#include "report/reports.h"
#include "util/digest.h"
#include "util/folder.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- Lockstep ---- */

/* The first line of a file that the build leaves beside the command, and installing in share/.  It is no part of the
 * command: its bytes name the simulator in the keys of experiments' points, which a commit of a page must not change.
 */
const char *provenance_commit(struct arena *arena)
{
	static const char *const places[] = {"lockstep.commit", "../share/lockstep/lockstep.commit"};
	const char *own = folder_own(arena);
	for (size_t k = 0; k < sizeof places / sizeof *places; k++) {
		const char *path = arena_printf(arena, "%s/%s", own, places[k]);
		struct diagnostic failed = {0};
		size_t length;
		char *text = access(path, R_OK) ? NULL : text_read_file(arena, path, &length, &failed);
		if (text)
			text[strcspn(text, "\n")] = '\0';
		if (text && *text)
			return text;
		if (*failed.message)
			return arena_printf(arena, "unknown: %s", failed.message);
	}
	return NULL;
}

/* ---- What is known ---- */

void provenance_add_kernel(
	struct provenance *p, struct arena *arena, const char *kernel, const struct lockstep_origin *origin)
{
	for (uint32_t k = 0; k < p->kernels.count; k++)
		if (p->kernels.at[k].origin == origin && !strcmp(p->kernels.at[k].kernel, kernel))
			return;
	if (origin)
		*vector_push(arena, &p->kernels) =
			(struct provenance_kernel){.kernel = arena_text(arena, kernel), .origin = origin};
}

void provenance_add_input(struct provenance *p, struct arena *arena, const char *text)
{
	*vector_push(arena, &p->inputs) = text;
}

void provenance_add_file(struct provenance *p, struct arena *arena, const char *text, const char *path)
{
	struct arena scratch = {0};
	struct diagnostic failed = {0};
	size_t length;
	const char *slash = strrchr(path, '/'), *data = text_read_file(&scratch, path, &length, &failed);
	const char *digest = data ? digest_of(&scratch, data, length) : failed.message;
	provenance_add_input(p, arena,
		arena_printf(arena, "%.*s%s (%s)", (int)(path - text), text, slash ? slash + 1 : path, digest));
	arena_free(&scratch);
}

void provenance_add_files(struct provenance *p, struct arena *arena, const char *const *paths)
{
	for (; paths && *paths; paths++)
		provenance_add_file(p, arena, *paths, *paths);
}

bool provenance_is_file(const char *path)
{
	struct stat about;
	return !stat(path, &about) && S_ISREG(about.st_mode) && about.st_size <= (off_t)64 << 20;
}

json_object *provenance_settings(const struct lockstep *gpu)
{
	json_object *object = json_object_new_object();
	struct lockstep_field field;
	for (size_t k = 0; lockstep_configuration(gpu, k, &field); k++)
		if (lockstep_configuration_is_changed(gpu, k))
			add_member(object, field.path,
				field.text ? report_string(field.text) : json_object_new_uint64(field.number));
	return object;
}

/* ---- As an object ---- */

static const struct member_row module_rows[] = {MEMBER(lockstep_origin, ptx), MEMBER(lockstep_origin, target),
	MEMBER_IF_ANY(lockstep_origin, producer), MEMBER_IF_ANY(lockstep_origin, compiler),
	MEMBER_AS_IF_ANY("compiler_options", lockstep_origin, options),
	MEMBER_AS_IF_ANY("pinned", lockstep_origin, is_pinned), {0}};

json_object *provenance_module(const struct lockstep_origin *origin)
{
	return members_object(module_rows, origin);
}

static const char *text_or_null(json_object *object, const char *key)
{
	return member(object, key) ? text_of(object, key) : NULL;
}

struct lockstep_origin *provenance_origin(struct arena *arena, json_object *module)
{
	struct lockstep_origin *origin = arena_new(arena, struct lockstep_origin);
	*origin = (struct lockstep_origin){.ptx = text_of(module, "ptx"),
		.target = text_of(module, "target"),
		.producer = text_or_null(module, "producer"),
		.compiler = text_or_null(module, "compiler"),
		.options = text_or_null(module, "compiler_options"),
		.is_pinned = json_object_get_boolean(member(module, "pinned"))};
	return origin;
}

/* Each module once, with its kernels that ran. */
static json_object *modules_of(const struct provenance *p)
{
	json_object *modules = json_object_new_array();
	for (uint32_t k = 0; k < p->kernels.count; k++) {
		const struct lockstep_origin *origin = p->kernels.at[k].origin;
		uint32_t first = 0;
		while (p->kernels.at[first].origin != origin)
			first++;
		if (first < k)
			continue;
		json_object *module = provenance_module(origin), *names = json_object_new_array();
		for (uint32_t n = first; n < p->kernels.count; n++)
			if (p->kernels.at[n].origin == origin)
				json_object_array_add(names, report_string(p->kernels.at[n].kernel));
		add_member(module, "kernels", names);
		json_object_array_add(modules, module);
	}
	return modules;
}

const char *provenance_joined(struct arena *arena, json_object *modules, const char *key)
{
	struct text all = {.arena = arena};
	text_print(&all, "%s", "");
	for (size_t k = 0; k < length_of(modules); k++) {
		const char *value = text_of(element(modules, k), key);
		bool is_new = *value;
		for (size_t n = 0; n < k; n++)
			is_new = is_new && strcmp(value, text_of(element(modules, n), key)) != 0;
		if (is_new)
			text_print(&all, "%s%s", all.length ? "; " : "", value);
	}
	return all.at;
}

static void add_if_any(json_object *object, const char *key, const char *text)
{
	if (text && *text)
		add_text(object, key, text);
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Of all that ran, in whatever order. */
static const char *digest_of_kernels(struct arena *arena, const struct provenance *p)
{
	struct digest digest;
	const char **lines = arena_new_array(arena, const char *, p->kernels.count + 1);
	for (uint32_t k = 0; k < p->kernels.count; k++)
		lines[k] = arena_printf(arena, "%s %s", p->kernels.at[k].kernel, p->kernels.at[k].origin->ptx);
	qsort(lines, p->kernels.count, sizeof *lines, by_text);
	digest_begin(&digest, arena);
	digest_add_words(&digest, lines);
	digest_end(&digest);
	return digest_digits(&digest);
}

static const char *digest_of_inputs(struct arena *arena, const struct provenance *p)
{
	struct digest digest;
	digest_begin(&digest, arena);
	for (uint32_t k = 0; k < p->inputs.count; k++)
		digest_add_text(&digest, p->inputs.at[k]);
	digest_end(&digest);
	return digest_digits(&digest);
}

json_object *provenance_object(const struct provenance *p, json_object *settings)
{
	struct arena arena = {0};
	json_object *object = json_object_new_object(), *modules = modules_of(p), *inputs = json_object_new_array();
	add_text(object, "lockstep", LOCKSTEP_VERSION);
	add_if_any(object, "commit", provenance_commit(&arena));
	if (settings)
		add_member(object, "settings", json_object_get(settings));
	add_if_any(object, "compiler", provenance_joined(&arena, modules, "compiler"));
	add_if_any(object, "compiler_options", provenance_joined(&arena, modules, "compiler_options"));
	if (p->kernels.count)
		add_text(object, "ptx", digest_of_kernels(&arena, p));
	if (p->inputs.count)
		add_text(object, "inputs", digest_of_inputs(&arena, p));
	add_member(object, "modules", modules);
	for (uint32_t k = 0; k < p->inputs.count; k++)
		json_object_array_add(inputs, report_string(p->inputs.at[k]));
	add_member(object, "arguments", inputs);
	arena_free(&arena);
	return object;
}

/* ---- As text ---- */

void provenance_text(struct text *out, json_object *provenance)
{
	json_object *modules = member(provenance, "modules");
	for (size_t k = 0; k < length_of(modules); k++) {
		json_object *module = element(modules, k);
		const char *compiler = text_of(module, "compiler");
		bool is_pinned = json_object_get_boolean(member(module, "pinned")), is_new = *compiler;
		for (size_t n = 0; n < k; n++)
			is_new = is_new &&
				 (strcmp(compiler, text_of(element(modules, n), "compiler")) != 0 ||
					 is_pinned != json_object_get_boolean(member(element(modules, n), "pinned")));
		if (is_new)
			text_print(out, "compiled by %s%s\n", compiler, is_pinned ? " (pinned PTX)" : "");
	}
}
