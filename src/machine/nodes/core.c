/* Cores as nodes: each asks the partitions. */
#include "machine/core/cycle.h"
#include "machine/lsu/load_store.h"
#include "machine/state.h"

static uint32_t count(const struct gpu_model *model)
{
	return model->core_count;
}

static uint32_t inboxes(const struct gpu_model *model)
{
	(void)model;
	return 1;
}

/* A core is made when a group first goes there: see machine_core. */
static void create(struct node *node)
{
	struct core *core = &node->machine->cores[node->number];

	node->state = core;
	node->inboxes = &core->inbox;
}

static void run(struct node *node, uint64_t until)
{
	struct core *core = node->state;

	core->lsu.next_arrival = load_store_next_arrival(core);
	core->l1.now = node->machine->space->now;
	core_run(core, until);
}

static uint64_t next_event(const struct node *node)
{
	return core_next_event(node->state);
}

const struct node_kind node_core = {
	.count = count,
	.inboxes = inboxes,
	.asks = 1 << NODE_partition,
	.create = create,
	.run = run,
	.next_event = next_event,
};
