/* Cores as nodes: each asks the partitions. */
#include "machine/lsu/load_store.h"
#include "machine/nodes/cycle.h"
#include "machine/nodes/start.h"
#include "machine/state/machine.h"

#include <assert.h>

#define CORES_TOGETHER 16 /* what the field crossbar.cores may be */

static uint32_t count(const struct gpu_model *model)
{
	return model->core_count;
}

static uint32_t inboxes(const struct gpu_model *model)
{
	(void)model;
	return 1;
}

static bool asks_peers(const struct gpu_model *model)
{
	return model->cluster_groups > 1;
}

/* A core is made when a group first goes there: see core_start_promised. */
static void create(struct node *node)
{
	struct core *core = &node->machine->cores.at[node->number];

	assert(node->number < node->machine->cores.count);
	node->state = core;
	node->inboxes = &core->inbox;
}

static void prepare(struct node *node)
{
	assert(node->is_due);
	core_start_promised(node->machine, node->number);
}

static void begin(const struct node *node)
{
	struct core *core = node->state;

	assert(core);
	assert(core->l1.now <= node->machine->space->now);
	core->lsu.next_arrival = load_store_next_arrival(core);
	core->l1.now = node->machine->space->now;
}

/* Most quanta have no news.  A group that ended has done so in this quantum if in a cycle from `since` on. */
static void tell_news(const struct node *node, uint64_t since)
{
	const struct core *core = node->state;
	uint32_t news = (core->deferred.pending ? NEWS_DEFERRED : 0) | (core->finding.found ? NEWS_FINDING : 0) |
			(core->emptied_at >= since ? NEWS_ROOM : 0);

	assert(core->now >= since);
	if (news)
		atomic_fetch_or_explicit(&node->machine->nodes.news, news, memory_order_relaxed);
}

static void run(struct node *node, uint64_t until)
{
	const struct core *core = node->state;
	uint64_t since = core->now;

	begin(node);
	core_run(node->state, until);
	tell_news(node, since);
}

/* --- Cores that share a port --- */

#define TURN 4 /* cycles: fewer than a port's backlog of packets takes */

static uint32_t together(const struct gpu_model *model)
{
	return model->crossbar_cores;
}

static uint64_t earliest(struct core *const *cores, uint32_t count)
{
	uint64_t next = NEVER;

	assert(count);
	for (uint32_t k = 0; k < count; k++) {
		uint64_t event = core_next_event(cores[k]);

		next = event < next ? event : next;
	}
	return next;
}

/* The core that goes first: the one after the core that used the port last, so that none starves. */
static uint32_t first_of(struct core *const *cores, uint32_t count)
{
	const struct machine *machine = cores[0]->machine;
	uint32_t last = machine->cores.links[cores[0]->index / machine->model->crossbar_cores].last, k = 0;

	assert(count);
	while (k < count && cores[k]->index <= last)
		k++;
	return k < count ? k : 0;
}

/* In turns of some cycles, in which they book the port one after another. */
static void run_together(struct node *nodes, uint32_t count, uint64_t until)
{
	struct core *cores[CORES_TOGETHER];
	uint64_t since[CORES_TOGETHER];
	uint32_t used = 0;

	assert(count <= CORES_TOGETHER);
	for (uint32_t k = 0; k < count; k++)
		if (nodes[k].outbox) {
			begin(&nodes[k]);
			cores[used] = nodes[k].state;
			since[used] = cores[used]->now;
			used++;
		}
	for (uint64_t now = 0; used && now < until;) {
		uint64_t event = earliest(cores, used);
		uint32_t first = first_of(cores, used);

		now = event < until - TURN ? event + TURN : until;
		for (uint32_t k = 0; k < used; k++)
			core_run(cores[(first + k) % used], now);
	}
	for (uint32_t k = 0, u = 0; k < count; k++)
		if (nodes[k].outbox)
			tell_news(&nodes[k], since[u++]);
}

static uint64_t next_event(const struct node *node)
{
	return core_next_event(node->state);
}

const struct node_kind node_core = {
	.count = count,
	.inboxes = inboxes,
	.asks = 1 << NODE_partition,
	.asks_peers = asks_peers,
	.create = create,
	.prepare = prepare,
	.run = run,
	.together = together,
	.run_together = run_together,
	.next_event = next_event,
};
