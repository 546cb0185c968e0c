/* `lockstep gpus [NAME]`: the GPU models, or every field of one with its unit and source. */
#include "cli/cli.h"

#include "lockstep.h"
#include "report/style.h"

#include <inttypes.h>
#include <stdio.h>

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

static int show_gpu(const char *name)
{
	struct lockstep_error error;
	struct lockstep *gpu = open_gpu(name, &error);
	struct lockstep_field field;
	if (!gpu)
		return fail_line("%s", error.message);
	for (size_t k = 0; lockstep_configuration(gpu, k, &field); k++)
		print_field(&field);
	lockstep_close(gpu);
	return STATUS_COMPLETED;
}

int command_gpus(int count, char **words)
{
	if (count > 2)
		return fail_line("lockstep gpus: unexpected '%s', expected one name", words[2]);
	if (count == 1)
		return list_gpus();
	if (wants_help(words[1])) {
		print_usage(words[0]);
		return STATUS_COMPLETED;
	}
	if (words[1][0] == '-')
		return fail_line("lockstep gpus: unknown option '%s', expected a name", words[1]);
	return show_gpu(words[1]);
}
