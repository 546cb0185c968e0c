/* One memory partition for tests: its slices' inboxes and the cores', sending, running, receiving. */
#ifndef LOCKSTEP_TESTS_PARTITION_HARNESS_H
#define LOCKSTEP_TESTS_PARTITION_HARNESS_H

#include "memory/address_map.h"
#include "memory/partition.h"
#include "memory_model.h"
#include "util/text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define SLICES 2
#define CORES 15

static struct arena arena;
static const struct lock_unit *lock_unit; /* null: no lock messages come */
static struct gpu_model model;
static struct address_space space;
static struct partition *partition;
static struct inbox *slice_inboxes[SLICES], *core_inboxes[CORES];
static struct outbox *requests, *replies;
static uint32_t sequence[CORES], parity;
static uint64_t buffer, now;

static inline void build(void)
{
	space_create(&space, &arena, 8 << 20, LINE_BYTES, true);
	buffer = space_allocate(&space, 4 << 20, "buffer");
	partition = partition_create(&arena, &model, lock_unit, &space, 0);
	for (int k = 0; k < SLICES; k++)
		slice_inboxes[k] = inbox_create(&arena);
	for (int k = 0; k < CORES; k++)
		core_inboxes[k] = inbox_create(&arena);
	requests = outbox_create(&arena, 0, SLICES);
	replies = outbox_create(&arena, 0, CORES);
	memset(sequence, 0, sizeof sequence);
	now = parity = 0;
}

/* One channel, so that the partition has every address, and a DRAM clock like the core's. */
static inline int make(void **state)
{
	(void)state;
	model = memory_model();
	model.channels = 1;
	model.slices = SLICES;
	model.clock_dram = model.clock_core;
	build();
	return 0;
}

static inline int drop(void **state)
{
	(void)state;
	arena_free(&arena);
	return 0;
}

static inline uint32_t slice_of(const struct gpu_model *of, uint64_t address)
{
	struct address_map map = address_map_of(of);
	return address_slice(&map, address);
}

static inline struct message *send_message(
	uint16_t core, uint8_t kind, uint64_t line, uint64_t time, uint32_t data_bytes, uint32_t payload_bytes)
{
	uint32_t slice = slice_of(&model, line);
	struct message *m = outbox_write(requests, payload_bytes);
	*m = (struct message){.time = time,
		.line = line,
		.source = core,
		.token = sequence[core]++,
		.destination = (uint16_t)(CORES + slice),
		.kind = kind,
		.sectors = kind == MESSAGE_LOAD,
		.data_bytes = (uint16_t)data_bytes,
		.payload_bytes = (uint16_t)payload_bytes};
	outbox_post(requests, slice, m);
	return m;
}

static inline void *send(
	uint16_t core, uint8_t kind, uint64_t line, uint64_t time, uint32_t data_bytes, uint32_t payload_bytes)
{
	return message_payload(send_message(core, kind, line, time, data_bytes, payload_bytes));
}

static inline void send_load(uint16_t core, uint64_t line, uint64_t time)
{
	send(core, MESSAGE_LOAD, line, time, 0, 0);
}

static inline void send_store(uint16_t core, uint64_t address, uint32_t bytes, int value, uint64_t time)
{
	uint64_t line = address & ~127ull;
	struct store_payload *store = send(core, MESSAGE_STORE, line, time, bytes, sizeof *store);
	memset(store, 0, sizeof *store);
	for (uint64_t k = address - line; k < address - line + bytes; k++) {
		store->mask[k / 64] |= 1ull << k % 64;
		store->data[k] = (uint8_t)value;
	}
}

/* `count` additions of 1 to the 32-bit words at address, address + stride, ... */
static inline void send_adds(
	uint16_t core, uint64_t address, uint32_t count, uint32_t stride, bool no_result, uint64_t time)
{
	struct atomic_payload *atomic = send(core, MESSAGE_ATOMIC, address & ~127ull, time, count * 8,
		(uint32_t)(sizeof *atomic + count * sizeof(struct atomic_entry)));
	*atomic = (struct atomic_payload){
		.op = ATOMIC_ADD, .type = TYPE_U32, .bytes = 4, .no_result = no_result, .count = count};
	struct atomic_entry *entry = (struct atomic_entry *)(atomic + 1);
	for (uint32_t k = 0; k < count; k++)
		entry[k] = (struct atomic_entry){.a = 1, .address = address + k * stride};
}

static inline void run(uint64_t until)
{
	for (uint32_t k = 0; k < SLICES; k++)
		inbox_collect(&slice_inboxes[k], 1, requests, parity, k);
	outbox_begin(replies, parity);
	partition_run(partition, slice_inboxes, replies, until);
	for (uint32_t k = 0; k < CORES; k++)
		inbox_collect(&core_inboxes[k], 1, replies, parity, k);
	for (uint32_t k = 0; k < SLICES; k++)
		inbox_keep(slice_inboxes[k]);
	for (uint32_t k = 0; k < CORES; k++)
		inbox_keep(core_inboxes[k]);
	parity = 1 - parity;
	outbox_begin(requests, parity);
	now = until;
}

/* The reply, whose payload stays readable until the next is taken; null when there is none. */
static inline const struct message *receive(uint16_t core)
{
	static struct {
		struct message message;
		uint64_t payload[256];
	} copy;
	const struct message *first = inbox_first(core_inboxes[core]);
	if (!first)
		return NULL;
	copy.message = *first;
	memcpy(copy.payload, message_payload(first), first->payload_bytes);
	inbox_drop(core_inboxes[core]);
	return &copy.message;
}

static inline uint64_t reply_time(uint16_t core, uint8_t kind)
{
	const struct message *m = receive(core);
	assert_non_null(m);
	assert_int_equal(m->kind, kind);
	return m->time;
}

#endif
