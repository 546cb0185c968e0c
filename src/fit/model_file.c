/* The model's file: what is proposed, with its source. */
#include "fit/fit.h"

#include "util/folder.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

/* A proposed value. */
struct setting {
	const char *path;
	int64_t value;
	const struct fit_search *from;
};

struct settings {
	VECTOR(struct setting) all;
};

static void add(
	const struct fit *fit, struct settings *settings, const struct fit_search *s, const char *path, int64_t value)
{
	*vector_push(fit->arena, &settings->all) = (struct setting){path, value, s};
}

static void collect(const struct fit *fit, struct settings *settings)
{
	for (uint32_t k = 0; k < fit->searches.count; k++) {
		const struct fit_search *s = &fit->searches.at[k];

		if (s->state != FIT_PROPOSED)
			continue;
		add(fit, settings, s, s->law->field, s->best);
		if (s->law->together)
			add(fit, settings, s, s->law->together, fit_together(s, s->best));
	}
}

/* The length of "fence" in "fence.latency". */
static size_t group_of(const char *path)
{
	assert(strchr(path, '.'));
	return strcspn(path, ".");
}

static bool is_of_group(const struct setting *setting, const char *path)
{
	size_t length = group_of(path);

	return group_of(setting->path) == length && !strncmp(setting->path, path, length);
}

/* libconfig's text in quotes. */
static void write_quoted(struct text *out, const char *words)
{
	text_print(out, "\"");
	for (; *words; words++)
		text_print(out, *words == '"' || *words == '\\' ? "\\%c" : "%c", *words);
	text_print(out, "\"");
}

static void write_setting(const struct fit *fit, const struct setting *setting, struct text *out)
{
	const struct fit_search *s = setting->from;

	text_print(out, "\t%s = (%" PRId64 ", ", setting->path + group_of(setting->path) + 1, setting->value);
	write_quoted(out, arena_printf(fit->arena,
				  "fitted by lockstep fit to %s of %s, half fit: %u point%s of %s, residual %.1f %%, "
				  "at most %.1f %%",
				  fit->card, fit->file, s->points.count, text_plural(s->points.count),
				  s->law->primitives, s->median * 100, s->worst * 100));
	text_print(out, ");\n");
}

/* The group of this setting, unless an earlier setting has begun it. */
static void write_group(const struct fit *fit, const struct settings *settings, uint32_t first, struct text *out)
{
	const char *path = settings->all.at[first].path;

	for (uint32_t k = 0; k < first; k++)
		if (is_of_group(&settings->all.at[k], path))
			return;
	text_print(out, "%.*s: {\n", (int)group_of(path), path);
	for (uint32_t k = first; k < settings->all.count; k++)
		if (is_of_group(&settings->all.at[k], path))
			write_setting(fit, &settings->all.at[k], out);
	text_print(out, "};\n");
}

void fit_write_model(const struct fit *fit, struct text *out)
{
	bool is_file = strpbrk(fit->model, "/.") != NULL;
	const char *whole = is_file ? folder_whole_path(fit->arena, fit->model) : NULL;
	struct settings settings = {0};

	collect(fit, &settings);
	text_print(out, "# What lockstep fit read off %s: the rows of %s.\nbase = ", fit->file, fit->card);
	write_quoted(out, whole ? whole : fit->model);
	text_print(out, ";\n");
	for (uint32_t k = 0; k < settings.all.count; k++)
		write_group(fit, &settings, k, out);
}
