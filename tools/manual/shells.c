/* Completion for bash, zsh and fish. */
#include "manual.h"

#include <stdio.h>

/* Between single quotes; characters of `special` with a backslash in front. */
static void put_quoted(const char *text, const char *special, const char *quote)
{
	for (; *text; text++) {
		if (*text == '\'')
			printf("%s", quote);
		else
			printf("%s%c", strchr(special, *text) ? "\\" : "", *text);
	}
}

static void put_words(const struct manual_values *v)
{
	for (size_t k = 0; v->words[k]; k++)
		printf("%s%s", k ? " " : "", v->words[k]);
}

/* ---- bash ---- */

static void bash_reply(const struct manual_values *v)
{
	if (*v->words) {
		printf(" COMPREPLY=($(compgen %s-W '", v->file ? "-f " : "");
		put_words(v);
		printf("' -- \"$word\")) ;;\n");
	} else {
		printf("%s ;;\n", v->file ? " COMPREPLY=($(compgen -f -- \"$word\"))" : "");
	}
}

/* Behind an option that takes a value. */
static void bash_values(const struct command *c)
{
	struct option_row row;
	struct manual_values v;
	for (size_t k = 0; manual_row(c, k, &row); k++) {
		if (!*row.value || *row.value == '[')
			continue;
		manual_values(&row, &v);
		printf("\t'%s --%s')", c->name, row.name);
		bash_reply(&v);
	}
}

static void bash_words(const struct command *c)
{
	struct option_row row;
	struct manual_values v;
	printf("\t'%s -'*) COMPREPLY=($(compgen -W '", c->name);
	for (size_t k = 0; manual_row(c, k, &row); k++)
		printf("--%s ", row.name);
	printf("--help' -- \"$word\")) ;;\n");
	manual_words(c, &v);
	printf("\t'%s '*)", c->name);
	bash_reply(&v);
}

void manual_bash(void)
{
	printf("# Completion of lockstep for bash; made from the options' rows.\n_lockstep()\n{\n"
	       "\tlocal word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} command=${COMP_WORDS[1]}\n"
	       "\tCOMPREPLY=()\n\tif [ \"$COMP_CWORD\" = 1 ]; then\n\t\tCOMPREPLY=($(compgen -W '");
	for (const struct command *c = commands; c->name; c++)
		printf("%s%s", c == commands ? "" : " ", c->name);
	printf("' -- \"$word\"))\n\t\treturn\n\tfi\n\tcase \"$command $before\" in\n");
	for (const struct command *c = commands; c->name; c++)
		bash_values(c);
	printf("\t*)\n\t\tcase \"$command $word\" in\n");
	for (const struct command *c = commands; c->name; c++)
		bash_words(c);
	printf("\t\tesac ;;\n\tesac\n}\ncomplete -o filenames -F _lockstep lockstep\n");
}

/* ---- zsh ---- */

/* What _arguments says and tries for values. */
static void zsh_action(const char *what, const struct manual_values *v)
{
	printf(":");
	put_quoted(what, ":\\[]", "'\\''");
	if (*v->words && v->file) {
		printf(":{_alternative \"words\\:word\\:(");
		put_words(v);
		printf(")\" \"files\\:file\\:_files\"}");
	} else if (*v->words) {
		printf(":(");
		put_words(v);
		printf(")");
	} else {
		printf("%s", v->file ? ":_files" : ": ");
	}
}

static void zsh_command(const struct command *c)
{
	struct option_row row;
	struct manual_values v;
	printf("\t%s) _arguments", c->name);
	for (size_t k = 0; manual_row(c, k, &row); k++) {
		bool takes = *row.value && *row.value != '[';
		printf(" \\\n\t\t'*--%s%s[", row.name, takes ? "=" : "");
		put_quoted(manual_help(&row), ":\\[]", "'\\''");
		printf("]");
		manual_values(&row, &v);
		if (takes)
			zsh_action(row.value, &v);
		printf("'");
	}
	manual_words(c, &v);
	printf(" \\\n\t\t'--help[what the command takes]'");
	if (*v.words || v.file) {
		printf(" '*");
		zsh_action("word", &v);
		printf("'");
	}
	printf(" ;;\n");
}

void manual_zsh(void)
{
	printf("#compdef lockstep\n# Completion of lockstep for zsh; made from the options' rows.\nlocal -a "
	       "commands=(\n");
	for (const struct command *c = commands; c->name; c++) {
		printf("\t'%s:", c->name);
		put_quoted(c->summary, "\\:", "'\\''");
		printf("'\n");
	}
	printf(")\nif ((CURRENT == 2)); then\n\t_describe command commands\n\treturn\nfi\n"
	       "local command=$words[2]\nshift words\n((CURRENT--))\ncase $command in\n");
	for (const struct command *c = commands; c->name; c++)
		zsh_command(c);
	printf("esac\n");
}

/* ---- fish ---- */

static void fish_command(const struct command *c)
{
	struct option_row row;
	struct manual_values v;
	for (size_t k = 0; manual_row(c, k, &row); k++) {
		manual_values(&row, &v);
		printf("complete -c lockstep -n '__fish_seen_subcommand_from %s' -l %s", c->name, row.name);
		if (*row.value && *row.value != '[')
			printf(v.file ? " -r -F" : " -x");
		if (*v.words) {
			printf(" -a '");
			put_words(&v);
			printf("'");
		}
		printf(" -d '");
		put_quoted(manual_help(&row), "\\", "\\'");
		printf("'\n");
	}
	manual_words(c, &v);
	if (*v.words) {
		printf("complete -c lockstep -n '__fish_seen_subcommand_from %s' -f -a '", c->name);
		put_words(&v);
		printf("'\n");
	}
}

void manual_fish(void)
{
	printf("# Completion of lockstep for fish; made from the options' rows.\n");
	for (const struct command *c = commands; c->name; c++) {
		printf("complete -c lockstep -n __fish_use_subcommand -f -a %s -d '", c->name);
		put_quoted(c->summary, "\\", "\\'");
		printf("'\n");
	}
	for (const struct command *c = commands; c->name; c++)
		fish_command(c);
}
