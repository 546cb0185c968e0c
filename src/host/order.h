/* The order of commands and calls of the host, by the rules of the interface and not by the time at which they happen
 * to be carried out: vector clocks.
 *
 * A command comes after everything that its queue or stream, events and barriers make it wait for, and after everything
 * that the host had waited for when it enqueued the command.  The host comes after the commands that it has waited for
 * or seen to be over.  All threads of the host count as one, since how they order each other is not seen here.
 *
 * Commands that follow each other share an entry of the clocks, a chain.  Chain 0 counts what the host does.
 *
 * All is off, and costs nothing, until order_begin.  Every function here is called with driver_lock held. */
#ifndef LOCKSTEP_HOST_ORDER_H
#define LOCKSTEP_HOST_ORDER_H

#include <stdbool.h>
#include <stdint.h>

/* What comes before something: for each chain, the number of its last command.  All zero: nothing. */
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

/* Adds all of `from` to `to`. */
void order_join(struct order *to, const struct order *from);
/* The same, but for one command, `point`, and what its chain has after it. */
void order_join_but(struct order *to, const struct order *from, struct order_point point);
void order_free(struct order *order);
bool order_has(const struct order *order, struct order_point point);

/* Enqueues a command that comes after `order` and after what the host knows.  Adds the latter and the command itself to
 * `order`; returns the command's point. */
struct order_point order_enqueue(struct order *order);
/* The same for a command that another one enqueues, so not by what the host knows. */
struct order_point order_enqueue_part(struct order *order);
/* The host does something: returns its point.  order_host: what comes before what the host does next. */
struct order_point order_host_acts(void);
const struct order *order_host(void);
/* The host has waited for all of `order`; for everything. */
void order_host_knows(const struct order *order);
void order_host_knows_all(void);
/* For each chain, the number of its newest command. */
const struct order *order_newest(void);

#endif
