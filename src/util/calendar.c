/* The paths of the calendar that are not a row: the rings, and moving the near one. */
#include "util/calendar.h"

#include <assert.h>
#include <stddef.h>

static void put(struct calendar *c, struct calendar_item *item)
{
	uint64_t window = item->time / CALENDAR_NEAR;
	uint32_t slot = (uint32_t)(item->time % CALENDAR_NEAR);

	assert(window >= c->window);
	if (window == c->window) {
		calendar_append(&c->near[slot], item);
		c->near_used[slot / 64] |= 1ull << slot % 64;
	} else if (window / CALENDAR_FAR == c->window / CALENDAR_FAR) {
		calendar_append(&c->far[window % CALENDAR_FAR], item);
		c->far_used |= 1ull << window % CALENDAR_FAR;
	} else {
		calendar_append(&c->beyond, item);
	}
}

/* Puts the items of a list, which is no longer anybody's, where they belong now; in their order. */
static void put_list(struct calendar *c, struct calendar_list list)
{
	struct calendar_item *item, *next;

	for (item = list.first; item; item = next) {
		next = item->next;
		put(c, item);
	}
}

/* Joins list `b`, which becomes empty, to the end of list `a`. */
static void join(struct calendar_list *a, struct calendar_list *b)
{
	if (!b->first)
		return;
	if (a->first)
		a->last->next = b->first;
	else
		a->first = b->first;
	a->last = b->last;
	b->first = NULL;
}

/* Takes everything out, in an order that keeps items of one cycle in theirs. */
static struct calendar_list take_all(struct calendar *c)
{
	struct calendar_list all = {NULL, NULL};

	for (uint32_t k = 0; k < CALENDAR_NEAR; k++)
		join(&all, &c->near[k]);
	for (uint32_t k = 0; k < CALENDAR_FAR; k++)
		join(&all, &c->far[k]);
	join(&all, &c->beyond);
	c->far_used = 0;
	for (uint32_t k = 0; k < CALENDAR_NEAR / 64; k++)
		c->near_used[k] = 0;
	return all;
}

/* The near ring lay too far ahead, since nothing was due sooner when it was placed. */
static void move_back(struct calendar *c, uint64_t window)
{
	struct calendar_list all = take_all(c);

	c->window = window;
	put_list(c, all);
}

void calendar_put_sooner(struct calendar *c, struct calendar_item *item)
{
	uint64_t window = item->time / CALENDAR_NEAR;

	if (!c->count)
		c->window = window;
	else if (window < c->window)
		move_back(c, window);
	put(c, item);
	c->count++;
	if (c->first && item->time < c->first->time)
		c->first = item;
}

static void bring_near(struct calendar *c, uint64_t window)
{
	struct calendar_list list = c->far[window % CALENDAR_FAR];

	c->far[window % CALENDAR_FAR].first = NULL;
	c->far_used &= ~(1ull << window % CALENDAR_FAR);
	c->window = window;
	put_list(c, list);
}

static uint64_t first_window_beyond(const struct calendar *c)
{
	uint64_t first = UINT64_MAX;

	for (const struct calendar_item *item = c->beyond.first; item; item = item->next)
		first = item->time / CALENDAR_NEAR < first ? item->time / CALENDAR_NEAR : first;
	return first;
}

/* The far ring is empty: it begins another turn.  What lay beyond comes into it before anything is put there directly,
 * and is gone through once a turn only, however much there is. */
static void turn(struct calendar *c)
{
	struct calendar_list beyond = c->beyond;

	c->window = first_window_beyond(c);
	c->beyond.first = NULL;
	put_list(c, beyond);
}

static void move_on(struct calendar *c)
{
	if (c->far_used)
		bring_near(c, c->window / CALENDAR_FAR * CALENDAR_FAR + (uint64_t)__builtin_ctzll(c->far_used));
	else
		turn(c);
}

static struct calendar_item *first_near(const struct calendar *c)
{
	for (uint32_t k = 0; k < CALENDAR_NEAR / 64; k++)
		if (c->near_used[k])
			return c->near[k * 64 + (uint32_t)__builtin_ctzll(c->near_used[k])].first;
	return NULL;
}

struct calendar_item *calendar_look(struct calendar *c)
{
	while (!(c->first = first_near(c)))
		move_on(c);
	return c->first;
}
