/* The order of commands: see order.h. */
#include "host/order.h"

#include "util/arena.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static bool is_on;
static struct order host, last; /* last: for each chain, the number of its newest command */

void order_begin(void)
{
	is_on = true;
}

bool order_is_on(void)
{
	return is_on;
}

/* Makes room for `count` chains. */
static void grow(struct order *order, uint32_t count)
{
	if (count <= order->count)
		return;
	uint64_t *more = realloc(order->at, count * sizeof *more);
	if (!more)
		arena_out_of_memory(count * sizeof *more);
	memset(more + order->count, 0, (count - order->count) * sizeof *more);
	order->at = more;
	order->count = count;
}

void order_join(struct order *to, const struct order *from)
{
	if (!is_on)
		return;
	grow(to, from->count);
	for (uint32_t k = 0; k < from->count; k++)
		if (from->at[k] > to->at[k])
			to->at[k] = from->at[k];
}

void order_join_but(struct order *to, const struct order *from, struct order_point point)
{
	if (!is_on)
		return;
	assert(point.number);
	grow(to, from->count);
	for (uint32_t k = 0; k < from->count; k++) {
		uint64_t number = from->at[k];
		if (k == point.chain && number >= point.number)
			number = point.number - 1;
		if (number > to->at[k])
			to->at[k] = number;
	}
}

void order_free(struct order *order)
{
	free(order->at);
	*order = (struct order){0};
}

bool order_has(const struct order *order, struct order_point point)
{
	return point.chain < order->count && order->at[point.chain] >= point.number;
}

/* A chain whose newest command is in `order`, so that the next one can continue it; otherwise a new chain. */
static uint32_t chain_for(const struct order *order)
{
	for (uint32_t k = 1; k < last.count; k++)
		if (order_has(order, (struct order_point){k, last.at[k]}))
			return k;
	return last.count ? last.count : 1;
}

static struct order_point next_of(uint32_t chain)
{
	grow(&last, chain + 1);
	return (struct order_point){chain, ++last.at[chain]};
}

struct order_point order_enqueue_part(struct order *order)
{
	if (!is_on)
		return (struct order_point){0};
	struct order_point point = next_of(chain_for(order));
	assert(point.chain && !order_has(order, point)); /* chain 0 is the host's */
	grow(order, point.chain + 1);
	order->at[point.chain] = point.number;
	return point;
}

struct order_point order_enqueue(struct order *order)
{
	order_host_acts();
	order_join(order, &host);
	return order_enqueue_part(order);
}

struct order_point order_host_acts(void)
{
	if (!is_on)
		return (struct order_point){0};
	struct order_point point = next_of(0);
	grow(&host, 1);
	host.at[0] = point.number;
	return point;
}

const struct order *order_host(void)
{
	return &host;
}

void order_host_knows(const struct order *order)
{
	order_join(&host, order);
}

void order_host_knows_all(void)
{
	order_join(&host, &last);
}

const struct order *order_newest(void)
{
	return &last;
}
