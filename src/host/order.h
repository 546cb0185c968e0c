/* Which commands and calls of the host are before which, by the rules of the interface and not by the time at which
 * they happen to be carried out: vector clocks.
 *
 * A command is after what its queue or stream, events and barriers make it wait for, and after all that the host had
 * waited for when it enqueued it.  The host is after the commands that it has waited for, or seen to be over.  All
 * threads of the host count as one, since how they order each other is not seen here.
 *
 * Commands that come one after another share an entry of the clocks, a chain, as long as they last; chain 0 is the
 * host's: it counts what the host does.
 *
 * All is off, and costs nothing, until order_begin.  Every function here is called with driver_lock held. */
#ifndef LOCKSTEP_HOST_ORDER_H
#define LOCKSTEP_HOST_ORDER_H

#include <stdbool.h>
#include <stdint.h>

/* What is before something: of each chain the number of the last one; all zero: nothing. */
struct order {
	uint64_t *at;
	uint32_t count;
};

/* A command or call: the number-th of a chain; number 0: none. */
struct order_point {
	uint32_t chain;
	uint64_t number;
};

void order_begin(void);
bool order_is_on(void);

/* All that is in `from` is in `to`, too. */
void order_join(struct order *to, const struct order *from);
void order_free(struct order *order);
bool order_has(const struct order *order, struct order_point point);

/* A command is enqueued after what is in `order`, and what the host knows, which is added: its point, which is added,
 * too. */
struct order_point order_enqueue(struct order *order);
/* The host does something: its point; and what is before it. */
struct order_point order_host_acts(void);
const struct order *order_host(void);
/* The host has waited for all in `order`; for all that there is. */
void order_host_knows(const struct order *order);
void order_host_knows_all(void);
/* All that there is. */
const struct order *order_newest(void);

#endif
