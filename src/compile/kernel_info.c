/* Reads the comments that compile/kernel_info.h describes. */
#include "compile/kernel_info.h"

#include <string.h>

/* The line that is read: words up to its end. */
struct line {
	const char *at, *end;
};

static void skip_blanks(struct line *line)
{
	while (line->at < line->end && *line->at == ' ')
		line->at++;
}

/* The next word; false when there is none or it is too long. */
static bool word(struct line *line, char *to, size_t size)
{
	skip_blanks(line);
	const char *blank = memchr(line->at, ' ', (size_t)(line->end - line->at));
	size_t length = (size_t)((blank ? blank : line->end) - line->at);
	if (!length || length >= size)
		return false;
	memcpy(to, line->at, length);
	to[length] = 0;
	line->at += length;
	return true;
}

static bool literal(struct line *line, const char *expected)
{
	char got[16];
	return word(line, got, sizeof got) && !strcmp(got, expected);
}

static bool number(struct line *line, uint32_t *value)
{
	char digits[12];
	uint64_t read = 0;
	bool good = word(line, digits, sizeof digits) && text_to_u64(digits, &read) && read <= UINT32_MAX;
	*value = (uint32_t)read;
	return good;
}

static bool numbers(struct line *line, const char *name, uint32_t value[3])
{
	return literal(line, name) && number(line, &value[0]) && number(line, &value[1]) && number(line, &value[2]);
}

/* A word in which - means nothing and ~ a blank. */
static bool phrase(struct line *line, char *to, size_t size)
{
	if (!word(line, to, size))
		return false;
	if (!strcmp(to, "-"))
		*to = 0;
	for (; *to; to++)
		if (*to == '~')
			*to = ' ';
	return true;
}

/* The position of a word in a null-terminated list. */
static bool choice(struct line *line, const char *const *list, int *value)
{
	char got[16];
	if (!word(line, got, sizeof got))
		return false;
	for (*value = 0; list[*value]; ++*value)
		if (!strcmp(got, list[*value]))
			return true;
	return false;
}

static bool qualifiers(struct line *line, uint32_t *value)
{
	static const char letters[] = "cvrp";
	char got[8];
	if (!phrase(line, got, sizeof got))
		return false;
	*value = 0;
	for (const char *g = got; *g; g++) {
		const char *letter = strchr(letters, *g);
		if (!letter)
			return false;
		*value |= 1u << (letter - letters);
	}
	return true;
}

static bool read_kernel(struct line *line, struct kernel_info *info)
{
	info->kind = KERNEL_INFO_KERNEL;
	if (!word(line, info->kernel, sizeof info->kernel) || !numbers(line, "reqd", info->required) ||
		!numbers(line, "hint", info->hint) || !literal(line, "vec") ||
		!phrase(line, info->vector, sizeof info->vector) || !literal(line, "subgroup") ||
		!number(line, &info->sub_group) || !literal(line, "attributes"))
		return false;
	skip_blanks(line);
	size_t length = (size_t)(line->end - line->at);
	if (!length || length >= sizeof info->attributes)
		return false;
	memcpy(info->attributes, line->at, length);
	if (!strcmp(info->attributes, "-"))
		*info->attributes = 0;
	return true;
}

static bool read_argument(struct line *line, struct kernel_info *info)
{
	static const char *const spaces[] = {"private", "global", "constant", "local", NULL};
	static const char *const accesses[] = {"none", "read_only", "write_only", "read_write", NULL};
	int space, access;
	info->kind = KERNEL_INFO_ARGUMENT;
	if (!word(line, info->kernel, sizeof info->kernel) || !number(line, &info->index) ||
		!choice(line, spaces, &space) || !choice(line, accesses, &access) ||
		!phrase(line, info->type, sizeof info->type) || !qualifiers(line, &info->qualifiers) ||
		!phrase(line, info->name, sizeof info->name))
		return false;
	info->space = (enum kernel_info_space)space;
	info->access = (enum kernel_info_access)access;
	skip_blanks(line);
	return line->at == line->end;
}

bool kernel_info_next(const char **at, struct kernel_info *info)
{
	static const char start[] = "// lockstep.";
	while (**at) {
		size_t length = strcspn(*at, "\n");
		struct line line = {*at, *at + length};
		char kind[8];
		*at += length + ((*at)[length] == '\n');
		if (length < sizeof start || memcmp(line.at, start, sizeof start - 1))
			continue;
		line.at += sizeof start - 1;
		memset(info, 0, sizeof *info);
		if (*line.at == ' ' || !word(&line, kind, sizeof kind))
			continue;
		if (!strcmp(kind, "kernel") ? read_kernel(&line, info)
					    : !strcmp(kind, "arg") && read_argument(&line, info))
			return true;
	}
	return false;
}
