/* `lockstep gpus [NAME]`: the GPU models, or every field of one with its unit and source; or one of its views. */
#include "cli/gpus.h"
#include "cli/cli.h"

#include "lockstep.h"
#include "report/inherited.h"
#include "report/style.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static struct lockstep *open_gpu(const char *name, struct lockstep_error *error)
{
	struct lockstep_options options = {.size = sizeof options, .gpu = name};
	return lockstep_open(&options, error);
}

static int list_gpus(void)
{
	struct lockstep_error error;
	const char *name;
	for (size_t k = 0; (name = lockstep_gpu_name(k)); k++) {
		struct lockstep *gpu = open_gpu(name, &error);
		if (!gpu)
			return fail_line("%s", error.message);
		style_say(stdout, "%-15s  %s\n", name, lockstep_field(gpu, "description").text);
		lockstep_close(gpu);
	}
	return STATUS_COMPLETED;
}

static void print_field(const struct lockstep_field *field)
{
	char value[160];
	if (field->text)
		snprintf(value, sizeof value, "%s", field->text);
	else
		snprintf(value, sizeof value, "%" PRIu64 " %s", field->number, field->unit);
	style_say(stdout, "%-26s %-28s %s\n%-26s   from: %s\n", field->path, value, field->meaning, "", field->source);
}

static void print_fields(const struct lockstep *gpu)
{
	struct lockstep_field field;
	for (size_t k = 0; lockstep_configuration(gpu, k, &field); k++)
		print_field(&field);
}

/* `print` says it of the GPU of that name. */
static int show_gpu(const char *name, void (*print)(const struct lockstep *gpu))
{
	struct lockstep_error error;
	struct lockstep *gpu = open_gpu(name, &error);
	if (!gpu)
		return fail_line("%s", error.message);
	print(gpu);
	lockstep_close(gpu);
	return STATUS_COMPLETED;
}

static void print_inherited(const struct lockstep *gpu)
{
	struct arena arena = {0};
	struct text text = {.arena = &arena};

	inherited_text(&text, gpu);
	style_say(stdout, "%s", text.at);
	arena_free(&arena);
}

/* What is said of a GPU. */
static const struct view {
	const char *option;
	void (*print)(const struct lockstep *gpu);
} views[] = {{"--peaks", gpus_print_peaks}, {"--inherited", print_inherited}};

static const struct view *find_view(const char *word)
{
	for (size_t k = 0; k < sizeof views / sizeof *views; k++)
		if (!strcmp(views[k].option, word))
			return &views[k];
	return NULL;
}

int command_gpus(int count, char **words)
{
	const char *name = NULL;
	const struct view *view = NULL, *found;
	for (int k = 1; k < count; k++) {
		if (wants_help(words[k])) {
			print_usage(words[0]);
			return STATUS_COMPLETED;
		}
		if ((found = find_view(words[k])))
			view = found;
		else if (words[k][0] == '-')
			return fail_line("lockstep gpus: unknown option '%s', expected --peaks, --inherited or a name",
				words[k]);
		else if (name)
			return fail_line("lockstep gpus: unexpected '%s', expected one name", words[k]);
		else
			name = words[k];
	}
	if (!name)
		return view ? fail_line("lockstep gpus: %s needs a name, for example `lockstep gpus v100 %s`",
				      view->option, view->option)
			    : list_gpus();
	return show_gpu(name, view ? view->print : print_fields);
}
