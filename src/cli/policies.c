/* `lockstep policies [KIND] [--plugin FILE.so]`: what can be swapped, one line each, plug-ins' own with the others. */

#include "cli/options.h"

#include <stdio.h>
#include <string.h>

#define PLUGIN "--plugin"

struct request {
	struct arena arena;
	const char *kind; /* null: all */
	VECTOR(const char *) plugins;
	bool help;
	struct diagnostic diagnostic;
};

static const struct place here = {.file = "lockstep policies"};

/* A plug-in's file after "--plugin" or "--plugin=". */
static void read_plugin(struct request *r, const char *word, char ***next, char **end)
{
	const char *file = word[strlen(PLUGIN)] ? word + strlen(PLUGIN) + 1 : *next < end ? *(*next)++ : "";
	if (!*file)
		diagnose(&r->diagnostic, here, PLUGIN " without a value, expected FILE.so");
	*vector_push(&r->arena, &r->plugins) = file;
}

static void read_kind(struct request *r, const char *word)
{
	if (r->kind) {
		diagnose(&r->diagnostic, here, "unexpected '%s', expected one kind", word);
		return;
	}
	r->kind = word;
	options_check_kind(word, here, &r->arena, &r->diagnostic);
}

static void read_words(struct request *r, int count, char **words)
{
	char **next = words + 1, **end = words + count;
	while (next < end && !r->diagnostic.failed && !r->help) {
		const char *word = *next++;
		if (wants_help(word))
			r->help = true;
		else if (!strcmp(word, PLUGIN) || !strncmp(word, PLUGIN "=", strlen(PLUGIN "=")))
			read_plugin(r, word, &next, end);
		else
			read_kind(r, word);
	}
}

/* Opening a GPU loads them, and what is loaded stays listed. */
static void load_plugins(struct request *r)
{
	struct run_options run;
	if (!r->plugins.count)
		return;
	*vector_push(&r->arena, &r->plugins) = NULL;
	run_options_init(&run);
	run.setup.plugins = r->plugins.at;
	options_check_gpu(&run.setup, &r->diagnostic);
}

static void list(const char *kind)
{
	struct lockstep_policy policy;
	for (size_t k = 0; lockstep_policy(k, &policy); k++)
		if (!kind || !strcmp(policy.kind, kind))
			style_say(stdout, "%-12s %-28s %s\n", policy.kind, policy.name, policy.summary);
}

int command_policies(int count, char **words)
{
	struct request r = {0};
	int status = STATUS_COMPLETED;
	read_words(&r, count, words);
	if (!r.diagnostic.failed && !r.help)
		load_plugins(&r);
	if (r.help)
		print_usage(words[0]);
	else if (r.diagnostic.failed)
		status = fail(&r.diagnostic);
	else
		list(r.kind);
	arena_free(&r.arena);
	return status;
}
