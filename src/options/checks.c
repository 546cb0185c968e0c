/* The words of --check. */
#include "options/checks.h"

#include <string.h>

static const struct {
	const char *word;
	struct checks checks;
} all_words[] = {
	{"races", {.races = true}},
	{"races=strict", {.races = true, .strict = true}},
	{"races=all", {.races = true, .same_values = true}},
	{"races=volatile", {.races = true, .volatiles = true}},
	{"init", {.init = true}},
	{"barriers", {.sync = true}},
	{"barriers=all", {.sync = true, .sources = true}},
	{"all", {.races = true, .init = true, .sync = true}},
};

static bool add(const char *word, size_t length, struct checks *checks)
{
	for (size_t k = 0; k < sizeof all_words / sizeof *all_words; k++) {
		const struct checks *more = &all_words[k].checks;

		if (strlen(all_words[k].word) != length || memcmp(all_words[k].word, word, length))
			continue;
		checks->races |= more->races;
		checks->strict |= more->strict;
		checks->same_values |= more->same_values;
		checks->volatiles |= more->volatiles;
		checks->init |= more->init;
		checks->sync |= more->sync;
		checks->sources |= more->sources;
		return true;
	}
	return false;
}

bool checks_read(const char *words, struct checks *checks)
{
	*checks = (struct checks){0};
	while (words) {
		size_t length = strcspn(words, ",");

		if (!add(words, length, checks))
			return false;
		words = words[length] ? words + length + 1 : NULL;
	}
	return true;
}
