/* Points, and the reader of files with a list of them. */
#include "points.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINE_BYTES = 1024, COLUMNS = 6, GROUPS_MOST = 65535, THREADS_MOST = 1024, STRIDE_MOST = 65536 };

const char *point_impossible(const struct point *p)
{
	if (p->primitive->memory == CHAIN && p->footprint < 2ul * p->stride * sizeof(uint64_t))
		return "a chain has two nodes at least";
	if (p->primitive->memory >= SWEEP && (p->footprint & (p->footprint - 1) || p->footprint < 16))
		return "the footprint of a sweep is a power of two, from 16 on";
	return NULL;
}

/* `line` 0: of the whole file. */
static _Noreturn void refuse(const char *file, size_t line, const char *what)
{
	if (line)
		fprintf(stderr, "silicon: %s:%zu: %s\n", file, line, what);
	else
		fprintf(stderr, "silicon: %s: %s\n", file, what);
	exit(2);
}

/* The row's first columns, cut apart; how many there are. */
static int split(char *line, char *columns[COLUMNS])
{
	int count = 0;
	for (char *at = line; at && count < COLUMNS; count++) {
		columns[count] = at;
		at = strchr(at, ',');
		if (at)
			*at++ = 0;
	}
	return count;
}

/* Whether it is one of the words. */
static bool has_word(const char *words, const char *word)
{
	size_t length = strlen(word);
	for (const char *at = words; *at; at += strcspn(at, " "), at += *at == ' ')
		if (strncmp(at, word, length) == 0 && (at[length] == ' ' || !at[length]))
			return true;
	return false;
}

/* Null: silicon has no such primitive, or none of this type. */
static const struct primitive *find(const char *name, const char *type)
{
	for (size_t k = 0; k < primitive_count; k++)
		if (strcmp(primitives[k].name, name) == 0 && has_word(primitives[k].types, type))
			return &primitives[k];
	return NULL;
}

/* 0: it is no number of that range. */
static unsigned number(const char *text, unsigned long most)
{
	char *rest;
	unsigned long value = *text >= '0' && *text <= '9' ? strtoul(text, &rest, 10) : 0;
	return value && !*rest && value <= most ? (unsigned)value : 0;
}

/* What is wrong with the row; null: nothing. */
static const char *read_row(char *columns[COLUMNS], struct point *p)
{
	char *colon = strchr(columns[1], ':');
	if (colon)
		*colon = 0;
	p->primitive = find(columns[1], columns[3]);
	if (!p->primitive)
		return NULL;
	snprintf(p->type, sizeof p->type, "%s", columns[3]);
	p->stride = *columns[2] ? number(columns[2], STRIDE_MOST) : CHAIN_STRIDE;
	p->footprint = colon ? number(colon + 1, 1ul << 31) : 1;
	p->groups = number(columns[4], GROUPS_MOST);
	p->threads = number(columns[5], THREADS_MOST);
	if (!p->stride || !p->footprint || !p->groups || !p->threads)
		return "expected gpu,primitive[:bytes],stride,type,groups,threads";
	return point_impossible(p);
}

struct point *points_read(const char *file, size_t *count)
{
	struct point *points = NULL;
	char text[LINE_BYTES], *columns[COLUMNS];
	size_t room = 0, line = 0;
	FILE *from = fopen(file, "r");
	if (!from)
		refuse(file, 0, strerror(errno));
	*count = 0;
	while (fgets(text, sizeof text, from)) {
		struct point p = {.primitive = NULL};
		line++;
		text[strcspn(text, "\r\n")] = 0;
		if (*text == '#' || !*text || strncmp(text, "gpu,", 4) == 0)
			continue;
		const char *wrong = split(text, columns) == COLUMNS ? read_row(columns, &p) : "expected six columns";
		if (wrong)
			refuse(file, line, wrong);
		if (!p.primitive)
			continue;
		if (*count == room && !(points = realloc(points, (room = room ? 2 * room : 64) * sizeof *points)))
			refuse(file, line, "there is no memory for so many points");
		points[(*count)++] = p;
	}
	fclose(from);
	return points;
}
