/* Databases of transactions, as quest.h says. */
#include "quest.h"

#include "../common.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

struct pattern {
	uint32_t *items, length;
	/* of [0, 1): a pattern is chosen when a uniform number is below this and not below that of the one before */
	double until;
	double corrupt; /* chance that an item is left out, and then another */
};

/* ---- Distributions ---- */

/* Of (0, 1]. */
static double draw_unit(uint64_t *random)
{
	return (double)((random_next(random) >> 11) + 1) * 0x1p-53;
}

static double draw_exponential(uint64_t *random, double mean)
{
	return -mean * log(draw_unit(random));
}

/* A sum of twelve uniform numbers has variance 1. */
static double draw_normal(uint64_t *random, double mean, double variance)
{
	double sum = -6;
	for (int k = 0; k < 12; k++)
		sum += draw_unit(random);
	return mean + sqrt(variance) * sum;
}

/* Arrivals within `mean` when the next is exponentially far. */
static uint32_t draw_poisson(uint64_t *random, double mean)
{
	uint32_t count = 0;
	for (double at = draw_exponential(random, 1); at < mean; at += draw_exponential(random, 1))
		count++;
	return count;
}

/* Poisson of that mean, but of 1 to most. */
static uint32_t draw_length(uint64_t *random, uint32_t mean, uint32_t most)
{
	uint32_t length = draw_poisson(random, mean);
	return length < 1 ? 1 : length > most ? most : length;
}

/* ---- Sets of items, in no order ---- */

static bool has(const uint32_t *items, uint32_t length, uint32_t item)
{
	for (uint32_t k = 0; k < length; k++)
		if (items[k] == item)
			return true;
	return false;
}

static void shuffle(uint32_t *items, uint32_t length, uint64_t *random)
{
	for (uint32_t k = length; k > 1; k--) {
		uint32_t other = random_below(random, k), item = items[k - 1];
		items[k - 1] = items[other];
		items[other] = item;
	}
}

/* ---- Patterns ---- */

/* Some of the items are of the pattern before, an exponentially distributed share; the others are any. */
static struct pattern draw_pattern(const struct quest *quest, const struct pattern *before, uint64_t *random)
{
	struct pattern pattern = {.length = draw_length(random, quest->pattern, quest->items)};
	pattern.items = allocate(pattern.length, sizeof *pattern.items);
	uint32_t done = 0;
	if (before) {
		double share = draw_exponential(random, quest->correlation);
		shuffle(before->items, before->length, random);
		for (; done < before->length && done < share * pattern.length && done < pattern.length; done++)
			pattern.items[done] = before->items[done];
	}
	while (done < pattern.length) {
		uint32_t item = random_below(random, quest->items);
		if (!has(pattern.items, done, item))
			pattern.items[done++] = item;
	}
	pattern.corrupt = draw_normal(random, 0.5, 0.1);
	return pattern;
}

static struct pattern *draw_patterns(const struct quest *quest, uint64_t *random)
{
	struct pattern *patterns = allocate(quest->patterns, sizeof *patterns);
	double sum = 0;
	for (uint32_t k = 0; k < quest->patterns; k++) {
		patterns[k] = draw_pattern(quest, k ? &patterns[k - 1] : NULL, random);
		sum += draw_exponential(random, 1);
		patterns[k].until = sum;
	}
	for (uint32_t k = 0; k < quest->patterns; k++)
		patterns[k].until /= sum;
	return patterns;
}

static const struct pattern *choose(const struct quest *quest, const struct pattern *patterns, uint64_t *random)
{
	double unit = draw_unit(random);
	uint32_t k = 0;
	while (k + 1 < quest->patterns && patterns[k].until < unit)
		k++;
	return &patterns[k];
}

/* ---- Transactions ---- */

/* A pattern on its way into a transaction, or left over for the next. */
struct rest {
	uint32_t *items, length; /* room for every item */
};

/* One item stays, so that no transaction is empty. */
static void corrupt(struct rest *rest, const struct pattern *pattern, uint64_t *random)
{
	rest->length = pattern->length;
	memcpy(rest->items, pattern->items, pattern->length * sizeof *rest->items);
	shuffle(rest->items, rest->length, random);
	while (rest->length > 1 && draw_unit(random) < pattern->corrupt)
		rest->length--;
}

static uint32_t add(uint32_t *items, uint32_t length, const struct rest *rest)
{
	for (uint32_t k = 0; k < rest->length; k++)
		if (!has(items, length, rest->items[k]))
			items[length++] = rest->items[k];
	return length;
}

/* A pattern that does not fit is put in anyway in half the cases, and else left for the next transaction.  Few patterns
 * may not have as many items as are wanted. */
static uint32_t draw_transaction(
	const struct quest *quest, const struct pattern *patterns, struct rest *rest, uint32_t *items, uint64_t *random)
{
	uint32_t wanted = draw_length(random, quest->length, quest->items / 2), length = 0;
	for (uint32_t tries = 0; length < wanted && tries < 8 * wanted; tries++) {
		if (!rest->length)
			corrupt(rest, choose(quest, patterns, random), random);
		if (length && length + rest->length > wanted && random_below(random, 2))
			break;
		length = add(items, length, rest);
		rest->length = 0;
	}
	return length;
}

static int compare(const void *a, const void *b)
{
	uint32_t one = *(const uint32_t *)a, other = *(const uint32_t *)b;
	return (one > other) - (one < other);
}

struct database quest_draw(const struct quest *quest, uint64_t random)
{
	struct pattern *patterns = draw_patterns(quest, &random);
	struct rest rest = {allocate(quest->items, sizeof *rest.items), 0};
	struct database database = {quest->transactions, quest->items, allocate(quest->transactions + 1, 4), NULL};
	uint32_t *items = allocate((size_t)quest->transactions * quest->items, sizeof *items), at = 0;
	for (uint32_t t = 0; t < quest->transactions; t++) {
		uint32_t length = draw_transaction(quest, patterns, &rest, items + at, &random);
		qsort(items + at, length, sizeof *items, compare);
		at += length;
		database.starts[t + 1] = at;
	}
	database.items = realloc(items, at * sizeof *items);
	for (uint32_t k = 0; k < quest->patterns; k++)
		free(patterns[k].items);
	free(patterns);
	free(rest.items);
	return database;
}

void database_free(struct database *database)
{
	free(database->starts);
	free(database->items);
}
