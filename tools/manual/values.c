/* What may stand behind an option, or behind a command, as far as it is one of a list or a file. */
#include "manual.h"

#include "lockstep.h"

#include <ctype.h>
#include <stdio.h>

static void add(struct manual_values *v, const char *word)
{
	size_t k = 0;
	while (v->words[k] && strcmp(v->words[k], word))
		k++;
	if (k < WORDS_MOST)
		v->words[k] = word;
}

static void add_gpus(struct manual_values *v)
{
	const char *name;
	for (size_t k = 0; (name = lockstep_gpu_name(k)); k++)
		add(v, name);
}

/* The policies of this kind; of null: the kinds. */
static void add_policies(struct manual_values *v, const char *kind)
{
	struct lockstep_policy policy;
	for (size_t k = 0; lockstep_policy(k, &policy); k++)
		if (!kind || !strcmp(policy.kind, kind))
			add(v, kind ? policy.name : policy.kind);
}

/* "timing|functional": those in small letters are words as they stand; FILE and FOLDER are files. */
static void add_choices(struct manual_values *v, const char *text)
{
	snprintf(v->text, sizeof v->text, "%s", text);
	for (char *word = v->text, *end; word; word = end ? end + 1 : NULL) {
		end = strchr(word, '|');
		if (end)
			*end = '\0';
		bool is_word = *word != '\0';
		for (const char *c = word; *c; c++)
			is_word &= islower((unsigned char)*c) || *c == '-';
		if (is_word)
			add(v, word);
		v->file |= strstr(word, "FILE") || strstr(word, "FOLDER");
	}
}

void manual_values(const struct option_row *row, struct manual_values *v)
{
	*v = (struct manual_values){0};
	add_choices(v, row->value);
	if (!strcmp(row->name, "gpu"))
		add_gpus(v);
	if (row->is_policy)
		add_policies(v, row->name);
}

void manual_words(const struct command *command, struct manual_values *v)
{
	*v = (struct manual_values){0};
	if (!strcmp(command->name, "gpus"))
		add_gpus(v);
	else if (!strcmp(command->name, "policies"))
		add_policies(v, NULL);
	else if (!strcmp(command->name, "experiment"))
		add(v, "list");
	else if (!strcmp(command->name, "help"))
		for (const struct command *c = commands; c->name; c++)
			add(v, c->name);
	v->file = command->options != 0;
}
