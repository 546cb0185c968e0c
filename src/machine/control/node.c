/* The control processor as a node: it asks the partitions.  Made when a launch with firmware joins the machine. */
#include "machine/state/node.h"
#include "machine/control/processor.h"
#include "machine/state/machine.h"
#include "policy/policy.h"

#include <string.h>

/* The policy is asked by its name, since the GPU's crossbar is made before its policies' pointers are known here. */
static uint32_t count(const struct gpu_model *model)
{
	return strcmp(model->control, "none") != 0;
}

static uint32_t inboxes(const struct gpu_model *model)
{
	(void)model;
	return 1;
}

static void create(struct node *node)
{
	(void)node;
}

static void run(struct node *node, uint64_t until)
{
	control_run(node->state, until);
}

static uint64_t next_event(const struct node *node)
{
	return control_next_event(node->state);
}

const struct node_kind node_control = {
	.count = count,
	.inboxes = inboxes,
	.asks = 1 << NODE_partition,
	.create = create,
	.run = run,
	.next_event = next_event,
};
