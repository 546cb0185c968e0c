/* Memory partitions as nodes: an inbox for each slice.  They outlive the machine, with their caches. */
#include "machine/state/machine.h"

#include <assert.h>

static uint32_t count(const struct gpu_model *model)
{
	return model->channels;
}

static uint32_t inboxes(const struct gpu_model *model)
{
	return model->slices / model->channels;
}

static void create(struct node *node)
{
	const struct gpu *gpu = node->machine->gpu;

	assert(node->number < node->machine->model->channels);
	node->state = gpu->partitions[node->number];
	node->inboxes = &gpu->slice_inboxes[node->number * node->inbox_count];
	node->outbox = gpu->partition_outboxes[node->number];
	node->is_due = partition_is_to_be_filled(node->state);
}

static void prepare(struct node *node)
{
	assert(node->is_due);
	partition_fill(node->state);
}

static void run(struct node *node, uint64_t until)
{
	assert(until > node->machine->time.cycle);
	partition_run(node->state, node->inboxes, node->outbox, until);
}

static uint64_t next_event(const struct node *node)
{
	return partition_next_event(node->state, node->inboxes);
}

const struct node_kind node_partition = {
	.count = count,
	.inboxes = inboxes,
	.create = create,
	.prepare = prepare,
	.run = run,
	.next_event = next_event,
};
