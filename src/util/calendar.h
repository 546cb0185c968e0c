/* A queue in order of time, for items that mostly fall due soon.
 *
 * Items that are due at the same cycle come out in the order in which they went in.  Putting in and taking out cost a
 * few instructions: a ring of single cycles holds the near future, a ring of such rings the farther one, until its turn
 * is over; a list has the rest.  The queue owns nothing;
 * items are links inside what the caller owns. */
#ifndef LOCKSTEP_UTIL_CALENDAR_H
#define LOCKSTEP_UTIL_CALENDAR_H

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

struct calendar {
	struct calendar_item *first; /* of all; null: empty, or not looked for yet */
	uint64_t window;             /* number of the near ring: cycles window * CALENDAR_NEAR and on */
	uint32_t count;
	uint64_t near_used[CALENDAR_NEAR / 64], far_used;
	struct calendar_list near[CALENDAR_NEAR];
	struct calendar_list far[CALENDAR_FAR]; /* by window number modulo CALENDAR_FAR */
	struct calendar_list beyond;            /* of later turns */
};

/* A zeroed calendar is empty. */
void calendar_put_far(struct calendar *c, struct calendar_item *item); /* for calendar_put only */
struct calendar_item *calendar_look(struct calendar *c);               /* for calendar_first only */

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
	uint32_t slot = (uint32_t)(item->time % CALENDAR_NEAR);

	if (item->time / CALENDAR_NEAR != c->window) {
		calendar_put_far(c, item);
		return;
	}
	calendar_append(&c->near[slot], item);
	c->near_used[slot / 64] |= 1ull << slot % 64;
	c->count++;
	if (c->first && item->time < c->first->time)
		c->first = item;
}

/* The item that is due first; null when there is none. */
static inline struct calendar_item *calendar_first(struct calendar *c)
{
	return c->first || !c->count ? c->first : calendar_look(c);
}

/* Takes the first item out; calendar_first has returned it. */
static inline void calendar_drop(struct calendar *c)
{
	struct calendar_item *item = c->first;
	uint32_t slot = (uint32_t)(item->time % CALENDAR_NEAR);

	c->count--;
	c->near[slot].first = c->first = item->next;
	if (!item->next)
		c->near_used[slot / 64] &= ~(1ull << slot % 64);
}

#endif
