/* The core's crossbar port. */
#include "machine/core/port.h"

#include "machine/state/machine.h"

#include "util/text.h"

#include <assert.h>
#include <stddef.h>
#include <string.h>

#define PASSING_LINES 1024 /* by the line's number; lines that share an entry are also kept in order */

/* Of a core whose packets may pass each other, or share their way with those of other cores.  What goes to one line
 * stays in order, so that a thread sees its own stores, and others see them in its order; but see crossbar.loads_pass.
 *
 * With crossbar.atomics_pass atomics and all other packets are two queues in front of the port.  Its flits are shared
 * as far as atomics make others wait that have not been given a time yet.
 *
 * With crossbar.jitter the order in which packets arrive is open.  Threads of a group need no more than the order of
 * lines: what their core sends is in the order in which it issues, so for them it is as if all happened there. */
struct port_passing {
	uint64_t atomics_free;        /* port_free of atomics */
	uint64_t left[PASSING_LINES]; /* when the last packet to a line has left */
	/* when the last store or atomic of a line arrives, and the last of its loads */
	uint64_t written[PASSING_LINES], read[PASSING_LINES];
	uint64_t latest_load, floor; /* no load may arrive before `floor`: see port_fence_group */
	uint64_t random;
	struct port_link *link; /* null: no other core shares the way to the slices */
};

/* The core's way to each slice.  One that is longer by a constant still keeps packets in order, but packets to two
 * slices may now arrive in either order: a program that must not see that needs a fence. */
void port_create(struct core *core, struct arena *arena)
{
	const struct gpu_model *model = core->machine->model;

	assert(core->index < core->machine->cores.count);
	core->lsu.passing = NULL;
	if (model->crossbar_atomics_pass || model->crossbar_jitter || model->crossbar_cores > 1) {
		uint64_t seed = core->machine->seed;

		core->lsu.passing = arena_new(arena, struct port_passing);
		/* Mixed first: else seeds that differ by little give the cores each other's numbers. */
		core->lsu.passing->random = splitmix64(&seed) ^ ~(uint64_t)core->index;
		if (model->crossbar_cores > 1)
			core->lsu.passing->link = &core->machine->cores.links[core->index / model->crossbar_cores];
	}
	core->lsu.ways = arena_new_array(arena, uint32_t, model->slices);
	for (uint32_t slice = 0; slice < model->slices; slice++) {
		uint64_t pair = (uint64_t)core->index << 32 | slice,
			 longer = splitmix64(&pair) % (model->crossbar_spread + 1);

		core->lsu.ways[slice] = model->crossbar_request_latency + (uint32_t)longer;
	}
}

static bool atomics_pass(const struct core *core)
{
	return core->lsu.passing && core->machine->model->crossbar_atomics_pass;
}

static inline uint64_t latest(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

uint64_t port_free_passing(const struct core *core, bool of_atomics)
{
	const struct port_passing *passing = core->lsu.passing;
	uint64_t free = of_atomics && atomics_pass(core) ? passing->atomics_free : core->lsu.port_free;

	assert(passing);
	return passing->link ? latest(free, passing->link->free) : free;
}

/* The cycle in which a packet begins to leave. */
static inline uint64_t leave(struct core *core, uint32_t flits)
{
	uint64_t leaves = latest(core->lsu.port_free, core->now);

	assert(flits);
	core->lsu.port_free = leaves + flits;
	return leaves;
}

/* The same of one that could leave at `leaves` and shares the way.  What a core has yet to finish before it can send
 * does not keep the way from the others: it is booked from now on. */
static uint64_t leave_shared(struct core *core, uint64_t leaves, uint32_t flits)
{
	struct port_link *link = core->lsu.passing->link;

	assert(flits);
	assert(core->lsu.passing);
	assert(core->lsu.passing->link);
	leaves = latest(leaves, link->free);
	link->free = latest(link->free, core->now) + flits;
	link->last = core->index;
	return leaves;
}

static uint64_t leave_linked(struct core *core, uint32_t flits)
{
	uint64_t leaves = leave_shared(core, latest(core->lsu.port_free, core->now), flits);

	assert(flits);
	core->lsu.port_free = leaves + flits;
	return leaves;
}

static uint64_t leave_beside(struct core *core, bool atomics, uint64_t *left, uint32_t flits)
{
	struct port_passing *passing = core->lsu.passing;
	uint64_t leaves = latest(latest(port_free(core, atomics), core->now), *left);

	assert(flits);
	if (passing->link)
		leaves = leave_shared(core, leaves, flits);
	if (atomics) {
		passing->atomics_free = leaves + flits;
		core->lsu.port_free = latest(core->lsu.port_free, core->now) + flits;
	} else {
		core->lsu.port_free = leaves + flits;
	}
	*left = leaves + flits;
	return leaves;
}

/* A way that would take until `arrives` takes longer by jitter.  `load`: null for what writes. */
static uint64_t delay(struct core *core, const struct message *load, uint32_t entry, uint64_t arrives)
{
	struct port_passing *passing = core->lsu.passing;
	const struct gpu_model *model = core->machine->model;

	assert(entry < PASSING_LINES);
	if (!model->crossbar_jitter)
		return arrives;
	arrives += splitmix64(&passing->random) % (model->crossbar_jitter + 1);
	arrives = latest(arrives, passing->written[entry]);
	if (load && load->passes && model->crossbar_loads_pass)
		arrives = latest(arrives, passing->floor);
	else
		arrives = latest(arrives, passing->read[entry]);
	if (load) {
		passing->read[entry] = latest(arrives, passing->read[entry]);
		passing->latest_load = latest(arrives, passing->latest_load);
	} else {
		passing->written[entry] = arrives;
	}
	return arrives;
}

/* When a packet that may pass others arrives, if its way takes `way` cycles; of several packets, the first. */
static __attribute__((noinline)) uint64_t arrive_passing(
	struct core *core, const struct message *m, uint8_t kind, uint32_t flits, uint32_t first, uint32_t way)
{
	struct port_passing *passing = core->lsu.passing;
	uint32_t entry = (uint32_t)((m->line >> core->l1.line_shift) % PASSING_LINES);
	uint64_t leaves = atomics_pass(core) ? leave_beside(core, kind == MESSAGE_ATOMIC, &passing->left[entry], flits)
			  : passing->link    ? leave_linked(core, flits)
					     : leave(core, flits);

	assert(first);
	assert(first <= flits);
	return delay(core, kind == MESSAGE_LOAD ? m : NULL, entry, leaves + first - 1 + way);
}

void port_fence_group(struct core *core)
{
	if (core->lsu.passing)
		core->lsu.passing->floor = core->lsu.passing->latest_load;
}

/* All of a message but its payload and when it arrives. */
static inline void send(struct core *core, struct message *m, uint8_t kind, uint32_t slice, uint32_t data_bytes,
	uint32_t flits, uint32_t token)
{
	m->source = (uint16_t)core->index;
	assert(m->time > core->now);
	m->destination = (uint16_t)(core->machine->cores.count + slice);
	m->kind = kind;
	m->data_bytes = (uint16_t)data_bytes;
	m->token = token;
	core->in_flight++;
	core->counters.crossbar_packets++;
	port_count(core, kind);
	core->counters.crossbar_flits += flits;
	outbox_post(core->outbox, m->destination, m);
}

void port_post(struct core *core, struct message *m, uint8_t kind, uint64_t line, uint32_t data_bytes, uint32_t token)
{
	const struct gpu_model *model = core->machine->model;
	uint32_t slice = address_slice(&core->machine->map, line);
	uint32_t flits = port_flits(model, data_bytes), way = core->lsu.ways[slice];

	assert(line % LEAST_LINE == 0);
	m->line = line;
	if (core->lsu.passing)
		m->time = arrive_passing(core, m, kind, flits, flits, way);
	else
		m->time = leave(core, flits) + flits - 1 + way;
	send(core, m, kind, slice, data_bytes, flits, token);
}

/* The core needs `hundredths` of a cycle for the `flits` that have left. */
static void slow_down(struct core *core, uint32_t flits, uint32_t hundredths)
{
	uint32_t more = hundredths + core->lsu.port_hundredths - flits * 100;

	assert(hundredths + core->lsu.port_hundredths >= flits * 100);
	core->lsu.port_hundredths = more % 100;
	core->lsu.port_free += more / 100;
}

/* The same of the port that cores share. */
static void slow_link(struct port_link *link, uint32_t flits, uint32_t hundredths)
{
	uint32_t more = hundredths + link->hundredths - flits * 100;

	assert(hundredths >= flits * 100);
	assert(link->hundredths < 100);
	link->hundredths = more % 100;
	link->free += more / 100;
}

void port_post_packets(struct core *core, struct message *m, uint8_t kind, uint64_t line,
	const struct port_packets *packets, uint32_t token)
{
	const struct gpu_model *model = core->machine->model;
	uint32_t slice = address_slice(&core->machine->map, line), way = core->lsu.ways[slice];
	uint32_t flits = packets->flits, bytes = packets->arriving * model->crossbar_flit;

	assert(packets->first);
	assert(packets->first <= flits);
	assert(packets->arriving);
	m->line = line;
	if (core->lsu.passing)
		m->time = arrive_passing(core, m, kind, flits, packets->first, way);
	else
		m->time = leave(core, flits) + packets->first - 1 + way;
	slow_down(core, flits, packets->hundredths);
	if (core->lsu.passing && core->lsu.passing->link)
		slow_link(core->lsu.passing->link, flits, packets->linked);
	bytes = bytes > model->crossbar_header ? bytes - model->crossbar_header : 0;
	send(core, m, kind, slice, bytes, packets->arriving, token);
}

void port_send_load(struct core *core, uint64_t line, uint8_t sectors, struct port_load load, uint32_t token)
{
	struct message *m = outbox_write(core->outbox, 0);

	assert(sectors);
	assert(line % LEAST_LINE == 0);
	m->payload_bytes = 0;
	m->sectors = sectors;
	m->kept = load.kept;
	m->passes = load.passes;
	m->bulk = false;
	port_post(core, m, MESSAGE_LOAD, line, 0, token);
}

void port_send_bulk(struct core *core, uint64_t line, uint8_t sectors, const struct multicast *more, uint32_t token)
{
	uint32_t bytes = more ? (uint32_t)sizeof *more + more->bytes : 0;
	struct message *m = outbox_write(core->outbox, bytes);

	assert(sectors);
	assert(bytes % 8 == 0);
	if (more)
		memcpy(message_payload(m), more, bytes);
	m->payload_bytes = (uint16_t)bytes;
	m->sectors = sectors;
	m->kept = m->passes = false;
	m->bulk = true;
	port_post(core, m, MESSAGE_LOAD, line, 0, token);
}

_Static_assert(offsetof(struct message, pc) % 4 == 0 &&
		       offsetof(struct message, group) == offsetof(struct message, pc) + 2 &&
		       offsetof(struct message, kind) == offsetof(struct message, pc) + 3,
	"load_store_take and port_sign write them as one word");

/* Pc and group, and a kind that is still to be set.  Of a spinning program, which sends little else than atomics, parts
 * of a percent. */
void port_sign(const struct operation *op, struct message *m)
{
	memcpy((char *)m + offsetof(struct message, pc), &op->signature, sizeof op->signature);
}

void port_send_store(struct core *core, const struct operation *op, uint64_t line, const struct store_payload *payload,
	uint32_t bytes, uint32_t token)
{
	struct message *m = outbox_write(core->outbox, sizeof *payload);

	assert(line % LEAST_LINE == 0);
	assert(bytes);
	port_sign(op, m);
	memcpy(message_payload(m), payload, sizeof *payload);
	m->payload_bytes = sizeof *payload;
	port_post(core, m, MESSAGE_STORE, line, bytes, token);
}
