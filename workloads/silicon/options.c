/* Reads the options, each with a check of its own. */
#include "options.h"

#include "primitives.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static __attribute__((format(printf, 1, 2), noreturn)) void refuse(const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	fputs("silicon: ", stderr);
	vfprintf(stderr, format, arguments);
	fputs("\n", stderr);
	va_end(arguments);
	exit(2);
}

bool options_name(const char *list, const char *word)
{
	size_t length = strlen(word);
	if (!list)
		return true;
	for (const char *at = list; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL)
		if (strncmp(at, word, length) == 0 && (at[length] == ',' || at[length] == 0))
			return true;
	return false;
}

/* Every word of the list names a primitive, or is a type that one has. */
static void check_names(const char *option, const char *list, bool types)
{
	char word[64];
	for (const char *at = list; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL) {
		size_t length = strcspn(at, ","), known = 0;
		snprintf(word, sizeof word, "%.*s", (int)length, at);
		for (size_t k = 0; k < primitive_count && !known; k++)
			if (!types) {
				known = strcmp(primitives[k].name, word) == 0;
			} else {
				const char *found = length ? strstr(primitives[k].types, word) : NULL;
				known = found && (found == primitives[k].types || found[-1] == ' ') &&
					(found[length] == ' ' || found[length] == 0);
			}
		if (!known)
			refuse("%s %s: there is no %s '%s'; silicon --list names them", option, list,
				types ? "type" : "primitive", word);
	}
}

/* A number of the range, at the text's beginning; `rest` is behind it. */
static unsigned long number(
	const char *option, const char *text, const char *at, char **rest, unsigned long least, unsigned long most)
{
	bool digit = *at >= '0' && *at <= '9';
	errno = 0;
	unsigned long value = digit ? strtoul(at, rest, 10) : 0;
	if (!digit || errno || value < least || value > most)
		refuse("%s %s: expected a number from %lu to %lu", option, text, least, most);
	return value;
}

static unsigned long one(const char *option, const char *text, unsigned long least, unsigned long most)
{
	char *rest = NULL;
	unsigned long value = number(option, text, text, &rest, least, most);
	if (*rest)
		refuse("%s %s: expected a number from %lu to %lu", option, text, least, most);
	return value;
}

static struct numbers some(const char *option, const char *text, unsigned long most, bool cores)
{
	struct numbers list = {.count = 0};
	for (const char *at = text;;) {
		char *rest = NULL;
		if (list.count == LIST_MOST)
			refuse("%s %s: expected at most %d numbers", option, text, LIST_MOST);
		if (cores && strncmp(at, "half", 4) == 0) {
			list.value[list.count] = 500;
			list.of_cores[list.count] = true;
			rest = (char *)(size_t)at + 4;
		} else {
			list.value[list.count] = number(option, text, at, &rest, 1, most);
			if (cores && *rest == 'x') {
				list.value[list.count] *= 1000;
				list.of_cores[list.count] = true;
				rest++;
			}
		}
		list.count++;
		if (!*rest)
			return list;
		if (*rest != ',')
			refuse("%s %s: expected numbers with commas between%s", option, text,
				cores ? ", half, or Nx for N times the cores" : "");
		at = rest + 1;
	}
}

static const char *const help[] = {
	"silicon: cycles of synchronisation, memory and arithmetic on the GPU at hand, as CSV",
	"--list            what can be measured",
	"--primitive LIST  these alone",
	"--type LIST       of these types alone",
	"--threads LIST    threads of a group; 1,32,256,1024",
	"--groups LIST     groups; a number, `half` of the cores, or Nx for N times the cores; 1,1x",
	"--stride LIST     elements between own words, or between the nodes of a chain; 1 (of a chain 16)",
	"--footprint LIST  bytes of chains and sweeps; of sweeps powers of two; 1048576",
	"--iterations N    of the timed loop, of 20 places; 0, the default: as many as take --cycles",
	"--cycles N        that a timed loop may take; 400000",
	"--warm N          iterations before; 1 (of a chain, as many as go once through it)",
	"--repeat N        runs of which a figure is the median: an odd number; 9",
	"--spread          two more columns: the least and the greatest of the runs",
	"--drain           a thread stops its clock when all that it sent has been answered",
	"--hash            one more column: FNV-1a, 32 bits, of the first six",
	"--sample N        one point of N, by that hash",
	"--kernels FILE    PTX, a fat binary or machine code of kernels.cu instead of what is built in",
	"--points FILE     the points of a CSV that silicon has written, instead of those of the lists",
	"--gpu NAME        what the first column says; the device's name",
};

void options_help(void)
{
	for (size_t k = 0; k < sizeof help / sizeof *help; k++)
		puts(help[k]);
}

/* An option with a value. */
static void take(struct options *o, const char *option, const char *value)
{
	if (strcmp(option, "--primitive") == 0)
		check_names(option, o->primitives = value, false);
	else if (strcmp(option, "--type") == 0)
		check_names(option, o->types = value, true);
	else if (strcmp(option, "--threads") == 0)
		o->threads = some(option, value, 1024, false);
	else if (strcmp(option, "--groups") == 0)
		o->groups = some(option, value, 65535, true);
	else if (strcmp(option, "--stride") == 0)
		o->strides = some(option, value, 65536, false);
	else if (strcmp(option, "--footprint") == 0)
		o->footprints = some(option, value, 1ul << 31, false);
	else if (strcmp(option, "--iterations") == 0)
		o->iterations = one(option, value, 0, 1000000);
	else if (strcmp(option, "--cycles") == 0)
		o->cycles = one(option, value, 1, 1000000000);
	else if (strcmp(option, "--warm") == 0)
		o->warm = one(option, value, 0, 1000000);
	else if (strcmp(option, "--repeat") == 0)
		o->repeat = one(option, value, 1, 99) | 1;
	else if (strcmp(option, "--sample") == 0)
		o->sample = one(option, value, 1, 1000000);
	else if (strcmp(option, "--kernels") == 0)
		o->kernels = value;
	else if (strcmp(option, "--points") == 0)
		o->points = value;
	else
		o->gpu = value;
}

static bool has_value(const char *option)
{
	static const char *const names[] = {"--primitive", "--type", "--threads", "--groups", "--stride", "--footprint",
		"--iterations", "--cycles", "--warm", "--repeat", "--sample", "--kernels", "--points", "--gpu"};
	for (size_t k = 0; k < sizeof names / sizeof *names; k++)
		if (strcmp(option, names[k]) == 0)
			return true;
	return false;
}

struct options options_read(int argc, char **argv)
{
	struct options o = {.cycles = 400000, .warm = ~0ul, .repeat = 9, .sample = 1};
	o.threads = some("", "1,32,256,1024", 1024, false);
	o.groups = some("", "1,1x", 65535, true);
	o.footprints = some("", "1048576", 1ul << 31, false);
	for (int k = 1; k < argc; k++) {
		if (strcmp(argv[k], "--list") == 0)
			o.list = true;
		else if (strcmp(argv[k], "--help") == 0)
			o.help = true;
		else if (strcmp(argv[k], "--spread") == 0)
			o.spread = true;
		else if (strcmp(argv[k], "--drain") == 0)
			o.drain = true;
		else if (strcmp(argv[k], "--hash") == 0)
			o.hash = true;
		else if (!has_value(argv[k]))
			refuse("unknown option '%s'", argv[k]);
		else if (k + 1 == argc)
			refuse("%s: expected a value", argv[k]);
		else
			take(&o, argv[k], argv[k + 1]), k++;
	}
	return o;
}
