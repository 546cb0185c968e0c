/* Man pages. */
#include "manual.h"

#include <ctype.h>
#include <stdio.h>

/* Text of a line, as roff takes it. */
static void put(const char *text)
{
	for (bool first = true; *text; text++) {
		if (first && (*text == '.' || *text == '\''))
			printf("\\&");
		first = *text == '\n';
		if (*text == '\\')
			printf("\\e");
		else if (*text == '-')
			printf("\\-");
		else if (*text == '`' || *text == '\'')
			printf(*text == '`' ? "\\(ga" : "\\(aq");
		else
			putchar(*text);
	}
}

static void put_line(const char *before, const char *text, const char *after)
{
	printf("%s", before);
	put(text);
	printf("%s\n", after);
}

static void title(const char *name)
{
	printf(".TH LOCKSTEP");
	if (name)
		printf("\\-");
	for (; name && *name; name++)
		putchar(toupper((unsigned char)*name));
	printf(" 1 \"\" \"Lockstep " LOCKSTEP_VERSION "\" \"Lockstep\"\n.SH NAME\n");
}

static void see_also(const char *name)
{
	printf(".SH SEE ALSO\n");
	const char *between = "";
	if (name)
		printf(".BR lockstep (1),\n");
	for (const struct command *c = commands; c->name; c++) {
		if (name && !strcmp(c->name, name))
			continue;
		printf("%s.BR lockstep\\-%s (1)", between, c->name);
		between = ",\n";
	}
	printf("\n.PP\nThe pages in share/doc/lockstep; docs/README.md lists them by question.\n");
}

static void options(const struct command *command)
{
	struct option_row row;
	if (!manual_row(command, 0, &row))
		return;
	printf(".SH OPTIONS\n");
	for (size_t k = 0; manual_row(command, k, &row); k++) {
		if (row.topic)
			put_line(".SS ", row.topic, "");
		printf(".TP\n\\fB\\-\\-");
		put(row.name);
		put_line("\\fR \\fI", row.value, "\\fR");
		put_line("", manual_help(&row), "");
	}
}

static void page_of_command(const struct command *c)
{
	title(c->name);
	printf("lockstep\\-%s \\- ", c->name);
	put_line("", c->summary, "");
	printf(".SH SYNOPSIS\n.B lockstep %s\n", c->name);
	if (*c->usage)
		put_line("", c->usage, "");
	options(c);
	printf(".SH EXAMPLES\n");
	for (size_t k = 0; k < 2 && c->examples[k]; k++)
		put_line(k ? ".PP\n.B lockstep " : ".B lockstep ", c->examples[k], "");
	see_also(c->name);
}

void manual_page(const struct command *command)
{
	if (command) {
		page_of_command(command);
		return;
	}
	title(NULL);
	put_line("lockstep \\- ", "runs GPU programs on a simulated GPU", "");
	printf(".SH SYNOPSIS\n.B lockstep\n\\fICOMMAND\\fR ...\n.SH DESCRIPTION\n");
	put_line("", help_summary, "");
	printf(".SH COMMANDS\n");
	for (const struct command *c = commands; c->name; c++) {
		printf(".TP\n\\fBlockstep %s\\fR ", c->name);
		put_line("\\fI", c->usage, "\\fR");
		put_line("", c->summary, "");
	}
	put_line(".SH EXIT STATUS\n", strchr(help_status, ' ') ? help_status + sizeof "Exit status:" : "", "");
	see_also(NULL);
}
