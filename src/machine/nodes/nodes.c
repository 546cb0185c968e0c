/* Nodes: addresses, which outbox reaches which inbox, a quantum of one node. */
#include "machine/nodes/nodes.h"

#include "machine/nodes/turns.h"
#include "machine/state/machine.h"

#include <assert.h>

#define NODE(name) extern const struct node_kind node_##name;
#include "machine/state/nodes.def"
#undef NODE

static const struct node_kind *const kinds[NODE_KINDS] = {
#define NODE(name) [NODE_##name] = &node_##name,
#include "machine/state/nodes.def"
#undef NODE
};

/* ---- Addresses ---- */

static uint32_t addresses_of(const struct gpu_model *model, uint32_t kind)
{
	assert(kind < NODE_KINDS);
	return kinds[kind]->count(model) * kinds[kind]->inboxes(model);
}

uint32_t node_first_address(const struct gpu_model *model, enum node_kinds kind)
{
	uint32_t first = 0;

	assert(kind < NODE_KINDS);
	for (uint32_t k = 0; k < kind; k++)
		first += addresses_of(model, k);
	return first;
}

/* One of two kinds asks the other, which answers. */
static bool talk(uint32_t a, uint32_t b)
{
	assert(a < NODE_KINDS);
	assert(b < NODE_KINDS);
	return kinds[a]->asks >> b & 1 || kinds[b]->asks >> a & 1;
}

static bool have_peers(const struct gpu_model *model, uint32_t kind)
{
	return kinds[kind]->asks_peers && kinds[kind]->asks_peers(model);
}

struct outbox *node_outbox(struct arena *arena, const struct gpu_model *model, enum node_kinds kind)
{
	uint32_t first = UINT32_MAX, end = 0;

	for (uint32_t k = 0; k < NODE_KINDS; k++) {
		uint32_t address = node_first_address(model, k), count = addresses_of(model, k);

		if (!count || !(talk(kind, k) || (k == kind && have_peers(model, k))))
			continue;
		first = address < first ? address : first;
		end = address + count;
	}
	assert(first < end);
	return outbox_create(arena, first, end - first);
}

void node_open(struct node *node)
{
	struct inbox **inboxes = arena_new_array(node->arena, struct inbox *, node->inbox_count);

	assert(!node->outbox);
	assert(node->inbox_count);
	for (uint32_t k = 0; k < node->inbox_count; k++)
		inboxes[k] = inbox_create(node->arena);
	node->inboxes = inboxes;
	node->outbox = node_outbox(node->arena, node->machine->model, node->which);
	turns_change(node->machine);
}

/* ---- Of a machine ---- */

static void create_kind(struct machine *machine, uint32_t kind)
{
	uint32_t count = kinds[kind]->count(machine->model), inboxes = kinds[kind]->inboxes(machine->model);
	uint32_t first = node_first_address(machine->model, kind);
	uint32_t together = kinds[kind]->together ? kinds[kind]->together(machine->model) : 1;

	assert(together);
	for (uint32_t k = 0; k < count; k++) {
		struct node *node = &machine->nodes.at[machine->nodes.count++];

		*node = (struct node){
			.kind = kinds[kind],
			.which = (enum node_kinds)kind,
			.machine = machine,
			.number = k,
			.address = first + k * inboxes,
			.inbox_count = inboxes,
			.together = k % together           ? 0
				    : together < count - k ? together
							   : count - k,
		};
		kinds[kind]->create(node);
	}
}

static struct senders senders_to(struct machine *machine, uint32_t kind)
{
	struct senders senders = {.at = arena_new_array(&machine->arena, uint32_t, machine->nodes.count)};

	for (uint32_t k = 0; k < machine->nodes.count; k++)
		if (talk(kind, machine->nodes.at[k].which))
			senders.at[senders.count++] = k;
	assert(senders.count <= machine->nodes.count);
	return senders;
}

void nodes_create(struct machine *machine)
{
	uint32_t count = 0;

	for (uint32_t k = 0; k < NODE_KINDS; k++)
		count += kinds[k]->count(machine->model);
	machine->nodes.at = arena_new_array(&machine->arena, struct node, count);
	for (uint32_t k = 0; k < 2; k++)
		machine->nodes.addressed[k] = arena_new_array(&machine->arena, uint64_t, count);
	for (uint32_t k = 0; k < NODE_KINDS; k++)
		create_kind(machine, k);
	for (uint32_t k = 0; k < NODE_KINDS; k++)
		machine->nodes.senders[k] = senders_to(machine, k);
	assert(machine->nodes.count == count);
	turns_create(machine);
}

static uint64_t own_bits(const struct node *node)
{
	uint64_t bits = 0;

	assert(node->inbox_count);
	for (uint32_t k = 0; k < node->inbox_count; k++)
		bits |= address_bit(node->address + k);
	return bits;
}

#define AT_A_TIME 4 /* senders that are tested together */

/* The bits of all of AT_A_TIME senders. */
static inline uint64_t addressed_by(const uint64_t *addressed, const uint32_t *at)
{
	return addressed[at[0]] | addressed[at[1]] | addressed[at[2]] | addressed[at[3]];
}

/* Most of the many senders have sent nothing to the node: their words tell, which lie side by side. */
static inline void collect(struct machine *machine, const struct node *node, const struct senders *senders)
{
	uint32_t last = 1 - machine->time.parity;
	const uint64_t *addressed = machine->nodes.addressed[last];
	uint64_t own = own_bits(node);

	assert(addressed);
	if (!(machine->nodes.sent & own))
		return;
	for (uint32_t s = 0; s < senders->count; s++) {
		if (s % AT_A_TIME == 0)
			while (s + AT_A_TIME <= senders->count && !(addressed_by(addressed, senders->at + s) & own))
				s += AT_A_TIME;
		if (s < senders->count && addressed[senders->at[s]] & own)
			inbox_collect(node->inboxes, node->inbox_count, machine->nodes.at[senders->at[s]].outbox, last,
				node->address);
	}
}

/* The same of those of its own kind; cores are the first nodes, and the first of a node's senders. */
static __attribute__((noinline)) void collect_peers(struct machine *machine, const struct node *node)
{
	struct senders peers = {.count = machine->cores.count, .at = machine->cores.peers};

	assert(machine->cores.count <= machine->nodes.count);
	collect(machine, node, &peers);
}

static __attribute__((noinline)) void prepare(struct node *node)
{
	assert(node->kind->prepare);
	node->kind->prepare(node);
	node->is_due = false;
	assert(node->outbox);
}

static inline void begin_quantum(struct machine *machine, const struct node *node)
{
	assert(node->outbox);
	assert(machine->time.parity < 2);
	outbox_begin(node->outbox, machine->time.parity);
	if (machine->cores.peers && node->kind->asks_peers)
		collect_peers(machine, node);
	collect(machine, node, &machine->nodes.senders[node->which]);
}

static inline void end_quantum(struct machine *machine, uint32_t index)
{
	const struct node *node = &machine->nodes.at[index];

	assert(machine->time.parity < 2);
	machine->nodes.addressed[machine->time.parity][index] = outbox_addressed(node->outbox);
	for (uint32_t k = 0; k < node->inbox_count; k++)
		inbox_keep(node->inboxes[k]);
}

static __attribute__((noinline)) void run_together(struct machine *machine, uint32_t first)
{
	struct node *nodes = &machine->nodes.at[first];

	assert(nodes->together);
	assert(first + nodes->together <= machine->nodes.count);
	for (uint32_t k = 0; k < nodes->together; k++)
		if (nodes[k].is_due)
			prepare(&nodes[k]);
	for (uint32_t k = 0; k < nodes->together; k++)
		if (nodes[k].outbox)
			begin_quantum(machine, &nodes[k]);
	nodes->kind->run_together(nodes, nodes->together, machine->time.cycle + machine->time.quantum);
	for (uint32_t k = 0; k < nodes->together; k++)
		if (nodes[k].outbox)
			end_quantum(machine, first + k);
}

void node_run(struct machine *machine, uint32_t index)
{
	struct node *node = &machine->nodes.at[index];

	assert(index < machine->nodes.count);
	assert(node->together);
	if (node->together != 1) {
		run_together(machine, index);
		return;
	}
	if (node->is_due)
		prepare(node);
	begin_quantum(machine, node);
	node->kind->run(node, machine->time.cycle + machine->time.quantum);
	end_quantum(machine, index);
}

/* What was sent in the last quantum is not in the inboxes yet, so then nothing is skipped. */
uint64_t nodes_next_event(const struct machine *machine)
{
	uint64_t next = UINT64_MAX;

	for (uint32_t k = 0; k < machine->nodes.count; k++) {
		const struct node *node = &machine->nodes.at[k];
		uint64_t event;

		if (!node->outbox)
			continue;
		if (outbox_count(node->outbox, machine->time.parity))
			return machine->time.cycle;
		event = node->kind->next_event(node);
		next = event < next ? event : next;
	}
	return next;
}
