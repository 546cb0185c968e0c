/* A queue in order of time, for items that mostly fall due soon.
 *
 * Items that are due at the same cycle come out in the order in which they went in.  Putting in and taking out cost a
 * few instructions.  What is due no sooner than all before it, as most is, joins a row.  Of the others a ring of single
 * cycles holds the near future, a ring of such rings the farther one, until its turn is over; a list has the rest.  The
 * queue owns nothing; items are links inside what the caller owns. */
#ifndef LOCKSTEP_UTIL_CALENDAR_H
#define LOCKSTEP_UTIL_CALENDAR_H

#include <stdbool.h>
#include <stdint.h>

/* First member of what is queued. */
struct calendar_item {
	struct calendar_item *next; /* the queue's */
	uint64_t time;              /* set before putting it in, not changed until it is out */
};

#define CALENDAR_NEAR 128 /* cycles; a multiple of 64 */
#define CALENDAR_FAR 64   /* rings of that many cycles; bits of a mask */

/* Empty when `first` is null; `last` means something otherwise, and its item's `next` is null. */
struct calendar_list {
	struct calendar_item *first, *last;
};

/* A zeroed calendar is empty. */
struct calendar {
	struct calendar_list row;    /* in order of time */
	uint64_t row_time;           /* of the last that has joined it, though it may be out again */
	struct calendar_item *first; /* of those in no row, `count`; null: none, or not looked for yet */
	uint64_t window;             /* number of the near ring: cycles window * CALENDAR_NEAR and on */
	uint32_t count;
	uint64_t near_used[CALENDAR_NEAR / 64], far_used;
	struct calendar_list near[CALENDAR_NEAR];
	struct calendar_list far[CALENDAR_FAR]; /* by window number modulo CALENDAR_FAR */
	struct calendar_list beyond;            /* of later turns */
};

/* For calendar_put only: what is sooner than the last of the row. */
void calendar_put_sooner(struct calendar *c, struct calendar_item *item);
struct calendar_item *calendar_look(struct calendar *c); /* for calendar_first only */

static inline void calendar_append(struct calendar_list *list, struct calendar_item *item)
{
	item->next = 0;
	if (list->first)
		list->last->next = item;
	else
		list->first = item;
	list->last = item;
}

static inline void calendar_put(struct calendar *c, struct calendar_item *item)
{
	if (item->time < c->row_time) {
		calendar_put_sooner(c, item);
		return;
	}
	c->row_time = item->time;
	calendar_append(&c->row, item);
}

static inline bool calendar_is_empty(const struct calendar *c)
{
	return !c->count && !c->row.first;
}

/* The item that is due first; null when there is none.  Of the same cycle those in the row went in before the others,
 * which are sooner than the last in the row then was. */
static inline struct calendar_item *calendar_first(struct calendar *c)
{
	struct calendar_item *other = c->first || !c->count ? c->first : calendar_look(c), *first = c->row.first;

	return other && (!first || other->time < first->time) ? other : first;
}

/* Takes the first item out; calendar_first has returned it. */
static inline void calendar_drop(struct calendar *c)
{
	struct calendar_item *item = c->first, *in_row = c->row.first;
	uint32_t slot;

	if (in_row && !(item && item->time < in_row->time)) {
		c->row.first = in_row->next;
		return;
	}
	slot = (uint32_t)(item->time % CALENDAR_NEAR);
	c->count--;
	c->near[slot].first = c->first = item->next;
	if (!item->next)
		c->near_used[slot / 64] &= ~(1ull << slot % 64);
}

#endif
