/* The core's crossbar port: messages to the slices. */
#ifndef LOCKSTEP_MACHINE_CORE_PORT_H
#define LOCKSTEP_MACHINE_CORE_PORT_H

#include "machine/state/core.h"

#include <assert.h>
#include <stddef.h>

/* The ways to the slices. */
void port_create(struct core *core, struct arena *arena);
uint64_t port_free_passing(const struct core *core, bool of_atomics); /* for port_free only */
/* Cycle from which the port takes the next packet: one of atomics, or another. */
static inline uint64_t port_free(const struct core *core, bool of_atomics)
{
	return core->lsu.passing ? port_free_passing(core, of_atomics) : core->lsu.port_free;
}
/* Posts a message, whose payload is written and counted. */
void port_post(struct core *core, struct message *m, uint8_t kind, uint64_t line, uint32_t data_bytes, uint32_t token);
/* Packets that one message stands for, one after another. */
struct port_packets {
	uint32_t flits;      /* of all */
	uint32_t arriving;   /* of all, as the slice's port counts them */
	uint32_t first;      /* of the first, with which the message arrives */
	uint32_t hundredths; /* of a cycle that the core needs to send them: no less than its flits take */
	uint32_t linked;     /* likewise, that they take a port that cores share */
};
void port_post_packets(struct core *core, struct message *m, uint8_t kind, uint64_t line,
	const struct port_packets *packets, uint32_t token);
struct port_load {
	bool kept;   /* an L1 may keep the line */
	bool passes; /* it is weak: crossbar.loads_pass is for it */
};
void port_send_load(struct core *core, uint64_t line, uint8_t sectors, struct port_load load, uint32_t token);
/* Of a bulk copy; `more`: the other cores that get the line, or null. */
void port_send_bulk(struct core *core, uint64_t line, uint8_t sectors, const struct multicast *more, uint32_t token);
void port_send_store(struct core *core, const struct operation *op, uint64_t line, const struct store_payload *payload,
	uint32_t bytes, uint32_t token);
/* A fence or a barrier of a work-group: loads after it do not pass loads that were sent before it. */
void port_fence_group(struct core *core);
/* Which instruction and work-group write, for the history of lines.  Before port_post, which sets the message's
 * kind. */
void port_sign(const struct operation *op, struct message *m);
/* In core->counters, as a packet of this kind: the rows of counters.def from load_packets on are in the order of enum
 * message_kind, requests, then replies. */
static inline void port_count(struct core *core, uint8_t kind)
{
	_Static_assert(offsetof(struct counters, probes) ==
			       offsetof(struct counters, load_packets) + MESSAGE_PROBE * sizeof(uint64_t),
		"a row for each kind of message");
	((uint64_t *)(void *)&core->counters)[offsetof(struct counters, load_packets) / sizeof(uint64_t) + kind]++;
}
/* Flits of a message with `data_bytes` of data. */
static inline uint32_t port_flits(const struct gpu_model *model, uint32_t data_bytes)
{
	assert(model->crossbar_flit);
	return (model->crossbar_header + data_bytes + model->crossbar_flit - 1) / model->crossbar_flit;
}

#endif
