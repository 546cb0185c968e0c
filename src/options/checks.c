/* The words of --check. */
#include "options/checks.h"

#include "lockstep.h"

#include <string.h>

static const struct {
	const char *word;
	uint32_t bits;
} all_words[] = {
	{"races", LOCKSTEP_CHECK_RACES},
	{"races=strict", LOCKSTEP_CHECK_RACES_STRICT},
	{"races=volatile", LOCKSTEP_CHECK_RACES_VOLATILE},
	{"races=all", LOCKSTEP_CHECK_RACES_ALL},
	{"init", LOCKSTEP_CHECK_INIT},
	{"barriers", LOCKSTEP_CHECK_BARRIERS},
	{"barriers=all", LOCKSTEP_CHECK_BARRIERS_ALL},
	{"all", LOCKSTEP_CHECK_ALL},
};

const char *checks_word(size_t k, uint32_t *bits)
{
	if (k >= sizeof all_words / sizeof *all_words)
		return NULL;
	*bits = all_words[k].bits;
	return all_words[k].word;
}

static bool add(const char *word, size_t length, uint32_t *checks)
{
	const char *known;
	uint32_t bits;

	for (size_t k = 0; (known = checks_word(k, &bits)); k++)
		if (strlen(known) == length && !memcmp(known, word, length))
			return *checks |= bits;
	return false;
}

bool checks_read(const char *words, uint32_t *checks)
{
	*checks = 0;
	for (;; words++) {
		size_t length = strcspn(words, ",");

		if (!add(words, length, checks))
			return false;
		words += length;
		if (!*words)
			return true;
	}
}
