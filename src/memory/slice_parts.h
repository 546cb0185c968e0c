/* What the files of an L2 slice share. */
#ifndef LOCKSTEP_MEMORY_SLICE_PARTS_H
#define LOCKSTEP_MEMORY_SLICE_PARTS_H

#include "memory/slice.h"

#include <string.h>

/* What a request asks of the L2. */
struct demand {
	uint32_t index;    /* the line, L2_NONE when absent */
	uint8_t wanted;    /* sectors it touches */
	uint8_t missing;   /* of them, those to ask DRAM for */
	uint8_t awaited;   /* of them, those already outstanding */
	uint8_t looked_up; /* of a load or a store: as message_looked_up says */
};

static inline uint32_t flits_of(const struct gpu_model *model, uint32_t data_bytes)
{
	assert(model->crossbar_flit);
	return (model->crossbar_header + data_bytes + model->crossbar_flit - 1) / model->crossbar_flit;
}

/* When a reply has left through the port that can leave from `ready` on. */
static inline uint64_t slice_leave(struct slice *slice, const struct message *reply, uint64_t ready)
{
	uint32_t hundredths = slice->model->crossbar_slice_data;

	assert(reply->data_bytes || reply->kind != MESSAGE_LOADED);
	if (!hundredths || reply->kind != MESSAGE_LOADED)
		return slice->port_out = later(slice->port_out, ready) + flits_of(slice->model, reply->data_bytes);
	hundredths = reply->data_bytes * hundredths / 32;
	if (ready > slice->port_out)
		slice->port_out_hundredths = 0;
	hundredths += slice->port_out_hundredths;
	slice->port_out = later(slice->port_out, ready) + hundredths / 100;
	slice->port_out_hundredths = hundredths % 100;
	return slice->port_out + (slice->port_out_hundredths != 0);
}

/* As much as a line has, a constant where lines are long: as most are. */
static inline void slice_copy_line(void *to, const void *line, uint32_t bytes)
{
	assert(bytes == LINE_BYTES || bytes == LEAST_LINE);
	if (bytes == LINE_BYTES)
		memcpy(to, line, LINE_BYTES);
	else
		memcpy(to, line, LEAST_LINE);
}

/* A message has come through the port. */
static inline void slice_take_in(struct slice *slice, const struct message *m)
{
	uint32_t flits = flits_of(slice->model, m->data_bytes);
	slice->counters->request_flits += flits;
	slice->port_in = later(slice->port_in, m->time) + flits;
}

/* Takes a request through the tags and the array; *ready: when its answer may leave, if all its sectors are there.
 * False: it is blocked, as slice->state says. */
bool slice_pass(struct slice *slice, const struct message *m, struct demand *demand, uint64_t now, uint64_t *ready);
/* The request has been accepted. */
void slice_answer(struct slice *slice, const struct message *m, struct outbox *out, const struct demand *demand,
	uint64_t now, uint64_t ready);
/* The first access of the slice itself has been accepted. */
void slice_finish_access(struct slice *slice, const struct message *m, struct outbox *out, const struct demand *demand,
	uint64_t now, uint64_t ready);
/* Sends `reply` through the port, no sooner than `ready`. */
void slice_send(
	struct slice *slice, struct outbox *out, const struct message *reply, const void *payload, uint64_t ready);
/* Sends it when the sectors that are missing have come. */
void slice_send_filled(struct slice *slice, const struct message *reply, const struct demand *demand);
/* What was to be done about a line is over at cycle `now`. */
void slice_line_served(struct slice *slice, uint64_t line, uint64_t now);

/* ---- slice_bulk.c: loads of bulk copies ---- */

/* The request is answered with an earlier one.  False: it is not. */
bool slice_coalesce(struct slice *slice, const struct message *m, struct outbox *out, uint64_t now);
/* slice_answer of one that reads the L2. */
void slice_answer_bulk(struct slice *slice, const struct message *m, struct outbox *out, const struct demand *demand,
	uint64_t now, uint64_t ready);
/* One that has waited leaves, and those that have joined it; the caller frees it. */
void slice_send_bulk(struct slice *slice, struct outbox *out, struct waiter *w, uint64_t ready);

/* ---- slice.c, for that ---- */

#define SLICE_LANES 64
#define SLICE_BIG_DATA (SLICE_LANES * (16 + sizeof(struct atomic_entry))) /* old values, and the entries */

struct recent_place *slice_place(struct slice *slice, uint64_t line);
struct waiter *slice_take_waiter(struct slice *slice, bool big);
void slice_free_waiter(struct slice *slice, struct waiter *w);
/* `w`, whose line is known, leaves when all that it lacks has come, no sooner than `ready`. */
void slice_wait(struct slice *slice, struct waiter *w, const struct demand *demand, uint64_t ready);
/* The L2's sectors of a load. */
uint8_t slice_wanted(const struct slice *slice, const struct message *m);
/* A core of the other part loads the line: its part keeps a copy if there is room. */
void slice_keep_copy(struct slice *slice, const struct message *m, uint64_t now);
/* When a reply arrives that has left at `left`. */
uint64_t slice_arrival(struct slice *slice, const struct message *reply, uint64_t left);

/* slice_serve of a slice with a directory. */
void slice_serve_coherent(struct slice *slice, struct inbox *inbox, struct outbox *out, uint64_t now);

#endif
