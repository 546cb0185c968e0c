/* In what two results differ of all that they depend on: what a comparison says first. */
#include "report/comparison.h"

#include "report/members.h"
#include "report/provenance.h"

#include <stdlib.h>
#include <string.h>

static void add_part(struct comparison *c, struct arena *arena, const char *kind, const char *name, const char *before,
	const char *after)
{
	if (strcmp(before, after) != 0)
		*vector_push(arena, &c->parts) = (struct compared_part){kind, name, {before, after}};
}

static json_object *provenance_of(const struct comparison *c, int side)
{
	return member(c->report[side], "provenance");
}

static const char *version_of(struct arena *arena, json_object *provenance)
{
	const char *commit = text_of(provenance, "commit");
	return arena_printf(arena, "%s%s%s%s", text_of(provenance, "lockstep"), *commit ? " (commit " : "", commit,
		*commit ? ")" : "");
}

/* ---- The configuration ---- */

/* Of two models only what a user chooses is worth a word. */
static bool is_chosen(const struct comparison *c, const char *path)
{
	return !strcmp(c->gpu[BEFORE], c->gpu[AFTER]) || !strncmp(path, "policy.", 7) || !strncmp(path, "run.", 4) ||
	       member(member(provenance_of(c, BEFORE), "settings"), path) ||
	       member(member(provenance_of(c, AFTER), "settings"), path);
}

static void add_configuration(struct comparison *c, struct arena *arena, bool are_options)
{
	for (uint32_t k = 0; k < c->fields.count; k++) {
		const struct compared_field *f = &c->fields.at[k];
		bool is_option = !strncmp(f->path, "run.", 4);
		if (is_option == are_options && is_chosen(c, f->path))
			add_part(c, arena, is_option ? "option" : "setting", f->path,
				f->value[BEFORE] ? f->value[BEFORE] : "(not there)",
				f->value[AFTER] ? f->value[AFTER] : "(not there)");
		else if (!is_chosen(c, f->path) && !are_options)
			c->model_fields++;
	}
}

/* ---- Compilers ---- */

/* The words of one line that the other has not. */
static const char *words_of_one(struct arena *arena, const char *line, const char *other)
{
	struct text words = {.arena = arena};
	const char *padded = arena_printf(arena, " %s ", other);
	text_print(&words, "%s", "");
	for (; *line; line += strcspn(line, " "), line += strspn(line, " ")) {
		const char *word = arena_copy(arena, line, strcspn(line, " "));
		if (!strstr(padded, arena_printf(arena, " %s ", word)))
			text_print(&words, "%s%s", words.length ? " " : "", word);
	}
	return words.length ? words.at : "(none)";
}

static void add_options(struct comparison *c, struct arena *arena)
{
	const char *before = text_of(provenance_of(c, BEFORE), "compiler_options"),
		   *after = text_of(provenance_of(c, AFTER), "compiler_options");
	if (strcmp(before, after) != 0)
		*vector_push(arena, &c->parts) = (struct compared_part){.kind = "compiler options",
			.value = {words_of_one(arena, before, after), words_of_one(arena, after, before)}};
}

/* A member of all modules, each value once. */
static void add_of_modules(struct comparison *c, struct arena *arena, const char *kind, const char *key)
{
	add_part(c, arena, kind, NULL, provenance_joined(arena, member(provenance_of(c, BEFORE), "modules"), key),
		provenance_joined(arena, member(provenance_of(c, AFTER), "modules"), key));
}

/* "", "pinned", "for this run", or both. */
static const char *kinds_of(struct arena *arena, json_object *provenance)
{
	bool has[2] = {false, false};
	json_object *modules = member(provenance, "modules");
	for (size_t k = 0; k < length_of(modules); k++)
		if (member(element(modules, k), "compiler"))
			has[json_object_get_boolean(member(element(modules, k), "pinned"))] = true;
	return arena_printf(
		arena, "%s%s%s", has[1] ? "pinned" : "", has[0] && has[1] ? " and " : "", has[0] ? "for this run" : "");
}

/* ---- PTX ---- */

/* The digests of the modules that have the kernel; "": none has it. */
static const char *digests_of(struct arena *arena, json_object *provenance, const char *kernel)
{
	struct text all = {.arena = arena};
	json_object *modules = member(provenance, "modules");
	text_print(&all, "%s", "");
	for (size_t k = 0; k < length_of(modules); k++) {
		json_object *kernels = member(element(modules, k), "kernels");
		for (size_t n = 0; n < length_of(kernels); n++)
			if (!strcmp(json_object_get_string(element(kernels, n)), kernel))
				text_print(&all, "%s%s", all.length ? ", " : "", text_of(element(modules, k), "ptx"));
	}
	return all.at;
}

static void add_ptx(struct comparison *c, struct arena *arena)
{
	for (uint32_t k = 0; k < c->kernels.count; k++) {
		const char *kernel = c->kernels.at[k].name;
		const char *before = digests_of(arena, provenance_of(c, BEFORE), kernel),
			   *after = digests_of(arena, provenance_of(c, AFTER), kernel);
		if (*before && *after)
			add_part(c, arena, "PTX of kernel", kernel, before, after);
	}
}

/* Whether PTX was compiled for the run or before says nothing where it is the same. */
static void add_ptx_and_makers(struct comparison *c, struct arena *arena)
{
	uint32_t first = c->parts.count;
	const char *before = kinds_of(arena, provenance_of(c, BEFORE)),
		   *after = kinds_of(arena, provenance_of(c, AFTER));
	add_of_modules(c, arena, "compiler", "compiler");
	if (!strcmp(before, after)) /* else their words are of two kinds */
		add_options(c, arena);
	add_of_modules(c, arena, "producer of PTX", "producer");
	add_of_modules(c, arena, "target of PTX", "target");
	add_ptx(c, arena);
	if (c->parts.count > first)
		add_part(c, arena, "compilation", NULL, before, after);
}

/* ---- Inputs ---- */

static const char *input_of(json_object *inputs, size_t k)
{
	return k < length_of(inputs) ? json_object_get_string(element(inputs, k)) : "(none)";
}

static void add_inputs(struct comparison *c, struct arena *arena)
{
	json_object *before = member(provenance_of(c, BEFORE), "arguments"),
		    *after = member(provenance_of(c, AFTER), "arguments");
	for (size_t k = 0; k < length_of(before) || k < length_of(after); k++)
		add_part(c, arena, "input", arena_printf(arena, "%zu", k + 1), input_of(before, k), input_of(after, k));
}

void comparison_add_parts(struct comparison *c, struct arena *arena)
{
	json_object *before = provenance_of(c, BEFORE), *after = provenance_of(c, AFTER);
	bool knows_both = before && after;
	if (knows_both)
		add_part(c, arena, "version", NULL, version_of(arena, before), version_of(arena, after));
	add_part(c, arena, "GPU", NULL, c->gpu[BEFORE], c->gpu[AFTER]);
	add_configuration(c, arena, false);
	add_configuration(c, arena, true);
	if (!knows_both)
		return;
	add_ptx_and_makers(c, arena);
	add_inputs(c, arena);
}

/* ---- As text ---- */

#define NAMES_SHOWN 3 /* of one kind */

/* "setting core.count", "settings core.count, l2.ways and 4 more" of the parts from `k` on that are of one kind; how
 * many they are. */
static uint32_t write_kind(struct text *out, const struct comparison *c, uint32_t k)
{
	uint32_t count = 1;
	const struct compared_part *part = &c->parts.at[k];
	while (k + count < c->parts.count && !strcmp(part[count].kind, part->kind))
		count++;
	text_print(
		out, "%s%s%s%s", k ? "; " : "", part->kind, part->name && count > 1 ? "s" : "", part->name ? " " : "");
	for (uint32_t n = 0; part->name && n < count && n < NAMES_SHOWN; n++)
		text_print(out, "%s%s", n ? ", " : "", part[n].name);
	if (count > NAMES_SHOWN)
		text_print(out, " and %u more", count - NAMES_SHOWN);
	return count;
}

static const char *shown(struct arena *arena, const struct compared_part *part, int side)
{
	const char *value = part->value[side];
	return !*value ? "(none)" : strcmp(part->kind, "PTX of kernel") ? value : arena_printf(arena, "%.12s", value);
}

const char *comparison_summary(struct arena *arena, const struct comparison *c)
{
	struct text out = {.arena = arena};
	bool knows[2] = {provenance_of(c, BEFORE), provenance_of(c, AFTER)}, knows_all = knows[BEFORE] && knows[AFTER];
	if (c->parts.count)
		text_print(&out, "The two results differ %sin: ", knows_all ? "only " : "");
	else
		text_print(&out, knows_all ? "Nothing that a result depends on differs"
					   : "The configurations of the two results do not differ");
	for (uint32_t k = 0; k < c->parts.count;)
		k += write_kind(&out, c, k);
	text_print(&out, ".");
	if (!knows[BEFORE] && !knows[AFTER])
		text_print(&out, " Neither names its compiler, PTX and inputs.");
	else if (!knows_all)
		text_print(&out, " %s does not name its compiler, PTX and inputs.", c->file[knows[BEFORE]]);
	return out.at;
}

void comparison_parts_text(struct text *out, const struct comparison *c)
{
	text_print(out, "%s\n", comparison_summary(out->arena, c));
	for (uint32_t k = 0; k < c->parts.count; k++) {
		const struct compared_part *part = &c->parts.at[k];
		bool is_path = !strcmp(part->kind, "setting") || !strcmp(part->kind, "option");
		const char *what = is_path || !part->name ? "" : " ";
		text_print(out, "  %-32s %s -> %s\n",
			arena_printf(
				out->arena, "%s%s%s", is_path ? "" : part->kind, what, part->name ? part->name : ""),
			shown(out->arena, part, BEFORE), shown(out->arena, part, AFTER));
	}
	if (c->model_fields)
		text_print(out, "  %u field%s of the model (--report json has them)\n", c->model_fields,
			c->model_fields == 1 ? "" : "s");
	text_print(out, "\n");
}
