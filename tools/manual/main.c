/* Prints a man page or a completion; the build calls it once for each.
 *
 *     manual page [COMMAND]
 *     manual bash|zsh|fish */
#include "manual.h"

#include "experiment/options.h"

#include <stdio.h>

bool manual_row(const struct command *command, size_t k, struct option_row *row)
{
	*row = (struct option_row){0};
	if (!strcmp(command->name, "experiment"))
		return experiment_options_row(k, &row->name, &row->value, &row->help);
	if (!strcmp(command->name, "cache") && !k) {
		row->name = "clear";
		row->value = "";
		row->help = "remove all entries";
		return true;
	}
	return command->options && options_row((enum options_user)command->options, k, row);
}

static int page(const char *name)
{
	const struct command *c = commands;
	while (name && c->name && strcmp(c->name, name))
		c++;
	if (name && !c->name)
		return fail_line("manual: there is no command '%s'", name);
	manual_page(name ? c : NULL);
	return 0;
}

int main(int count, char **words)
{
	static const struct {
		const char *name;
		void (*print)(void);
	} shells[] = {{"bash", manual_bash}, {"zsh", manual_zsh}, {"fish", manual_fish}};
	if (count > 1 && count < 4 && !strcmp(words[1], "page"))
		return page(words[2]);
	for (size_t k = 0; k < sizeof shells / sizeof *shells; k++) {
		if (count == 2 && !strcmp(words[1], shells[k].name)) {
			shells[k].print();
			return 0;
		}
	}
	return fail_line("manual: expected page [COMMAND], bash, zsh or fish");
}
