/* Which nodes run in a quantum, and which of them the host's threads take first. */
#include "machine/nodes/turns.h"

#include "machine/nodes/nodes.h"
#include "machine/state/machine.h"
#include "util/thread_pool.h"

#include <assert.h>
#include <time.h>

#define QUANTA_PER_LOOK 16 /* rare enough for the clock to cost nothing */
#define NEW_PART 4         /* a new time has a weight of 1 / NEW_PART in the mean */

void turns_create(struct machine *machine)
{
	assert(machine->nodes.count);
	machine->nodes.turns = (struct turns){
		.order = arena_new_array(&machine->arena, uint32_t, machine->nodes.count),
		.took = arena_new_array(&machine->arena, uint32_t, machine->nodes.count),
		.is_stale = true,
	};
}

void turns_change(struct machine *machine)
{
	machine->nodes.turns.is_stale = true;
}

/* A node that others run with has no turn of its own. */
static bool is_in_use(const struct node *node)
{
	for (uint32_t k = 0; k < node->together; k++)
		if (node[k].outbox || node[k].is_due)
			return true;
	return false;
}

static void list_nodes(struct machine *machine)
{
	struct turns *turns = &machine->nodes.turns;

	turns->count = 0;
	for (uint32_t k = 0; k < machine->nodes.count; k++)
		if (is_in_use(&machine->nodes.at[k]))
			turns->order[turns->count++] = k;
	assert(turns->count <= machine->nodes.count);
	turns->is_stale = false;
}

/* By what they took, the longest first.  They were ordered a few quanta ago, so few have to move. */
static void order_nodes(struct turns *turns)
{
	for (uint32_t k = 1; k < turns->count; k++) {
		uint32_t node = turns->order[k], to = k;

		for (; to && turns->took[turns->order[to - 1]] < turns->took[node]; to--)
			turns->order[to] = turns->order[to - 1];
		turns->order[to] = node;
	}
}

static uint64_t sent_in_last(const struct machine *machine)
{
	const uint64_t *addressed = machine->nodes.addressed[1 - machine->time.parity];
	uint64_t sent = 0;

	assert(machine->time.parity < 2);
	for (uint32_t k = 0; k < machine->nodes.count; k++)
		sent |= addressed[k];
	return sent;
}

void turns_take(struct machine *machine)
{
	struct turns *turns = &machine->nodes.turns;

	if (turns->is_stale)
		list_nodes(machine);
	machine->nodes.sent = sent_in_last(machine);
	turns->is_timed = machine->gpu->options.threads > 1 && machine->rounds % QUANTA_PER_LOOK == 0;
	assert(turns->count);
	assert(turns->count <= machine->nodes.count);
	thread_pool_round(machine->thread_pool, turns->count);
	machine->cores.starts.count = 0;
	if (turns->is_timed)
		order_nodes(turns);
}

static uint64_t now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

static uint32_t mean_with(uint32_t mean, uint64_t took)
{
	uint32_t new = took < UINT32_MAX / NEW_PART ? (uint32_t)took : UINT32_MAX / NEW_PART;

	return mean ? mean - mean / NEW_PART + new / NEW_PART : new;
}

static __attribute__((noinline)) void time_node(struct machine *machine, uint32_t index)
{
	uint64_t start = now();

	assert(index < machine->nodes.count);
	node_run(machine, index);
	machine->nodes.turns.took[index] = mean_with(machine->nodes.turns.took[index], now() - start);
}

void turns_take_one(void *machine_of_round, uint32_t item)
{
	struct machine *machine = machine_of_round;
	uint32_t index = machine->nodes.turns.order[item];

	assert(item < machine->nodes.turns.count);
	if (machine->nodes.turns.is_timed)
		time_node(machine, index);
	else
		node_run(machine, index);
}
