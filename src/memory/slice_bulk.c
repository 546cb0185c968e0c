/* Reads of the L2 for bulk copies: one read, and one reply, for all cores that get the line.
 *
 * In front of the slices of a GH100 a unit does this, the L2 request coalescer (Nsight Compute, "Metrics Decoder",
 * lrc): it serves multicasts, whose request names several cores, and joins requests for the same sectors that meet.
 * Here they meet if the later one comes before the answer to the earlier one has left.  It then takes the slice's port
 * in, and nothing else.  Its value is bound when it comes, as any request's is: slice.h. */
#include "memory/slice_parts.h"

#include <assert.h>
#include <string.h>

static const struct multicast *more_of(const struct waiter *w)
{
	assert(w->is_bulk);
	return w->is_big ? (const struct multicast *)(const void *)(w->data + LINE_BYTES / sizeof w->data[0]) : NULL;
}

/* To the core that has asked. */
static void post_own(
	struct slice *slice, struct outbox *out, const struct message *reply, const void *line, uint64_t left)
{
	struct message *m = outbox_write(out, reply->payload_bytes);

	assert(reply->kind == MESSAGE_LOADED);
	*m = *reply;
	m->time = slice_arrival(slice, m, left);
	slice->counters->replies++;
	slice->counters->reply_flits += flits_of(slice->model, m->data_bytes);
	slice_copy_line(message_payload(m), line, reply->payload_bytes);
	outbox_post(out, m->destination, m);
}

static void post_other(struct slice *slice, struct outbox *out, const struct message *reply,
	const struct multicast *more, uint32_t place, const void *line, uint64_t left)
{
	uint32_t bytes = more->bytes + reply->payload_bytes;
	struct message *m = outbox_write(out, bytes);

	assert(place < more->count);
	assert(more->bytes % 8 == 0);
	*m = *reply;
	m->kind = MESSAGE_MULTICAST;
	m->destination = more->core[place];
	m->lanes = (lane_mask)1 << place;
	m->payload_bytes = (uint16_t)bytes;
	m->time = slice_arrival(slice, m, left);
	memcpy(message_payload(m), more + 1, more->bytes);
	slice_copy_line((uint8_t *)message_payload(m) + more->bytes, line, reply->payload_bytes);
	outbox_post(out, m->destination, m);
}

static void post(struct slice *slice, struct outbox *out, const struct message *reply, const struct multicast *more,
	const void *line, uint64_t left)
{
	assert(!more || more->count <= MULTICAST_CORES);
	post_own(slice, out, reply, line, left);
	for (uint32_t k = 0; more && k < more->count; k++)
		post_other(slice, out, reply, more, k, line, left);
}

/* A reply will leave the slice: remembers until when others can get it. */
static uint64_t begin_reply(struct slice *slice, const struct message *reply, uint64_t ready)
{
	struct recent_place *recent = slice_place(slice, reply->line);
	uint64_t left = slice_leave(slice, reply, ready);

	assert(reply->sectors);
	recent->left = left;
	recent->left_sectors = reply->sectors;
	return left;
}

static struct message reply_of(const struct slice *slice, const struct message *m, uint8_t looked_up)
{
	assert(m->kind == MESSAGE_LOAD);
	assert(m->bulk);
	return (struct message){.line = m->line,
		.source = m->destination,
		.destination = m->source,
		.token = m->token,
		.sectors = m->sectors,
		.data_bytes = (uint16_t)((uint32_t)__builtin_popcount(m->sectors) * slice->model->sector_bytes),
		.payload_bytes = (uint16_t)slice->model->line_bytes,
		.loaded = looked_up,
		.bulk = true,
		.kind = MESSAGE_LOADED};
}

static bool is_for_far(const struct slice *slice, const struct message *m, const struct multicast *more)
{
	bool far = l2_parts_is_far(slice->parts, m->source);

	assert(slice->parts);
	for (uint32_t k = 0; more && k < more->count; k++)
		far |= l2_parts_is_far(slice->parts, more->core[k]);
	return far;
}

static struct waiter *wait(struct slice *slice, const struct message *reply, const struct multicast *more)
{
	struct waiter *w = slice_take_waiter(slice, more != NULL);

	assert(!more || sizeof *more + more->bytes + LINE_BYTES <= SLICE_BIG_DATA);
	w->reply = *reply;
	w->is_bulk = true;
	w->joined = NULL;
	slice_copy_line(w->data, space_host(slice->space, reply->line), reply->payload_bytes);
	if (more)
		memcpy((uint8_t *)w->data + LINE_BYTES, more, sizeof *more + more->bytes);
	return w;
}

void slice_answer_bulk(struct slice *slice, const struct message *m, struct outbox *out, const struct demand *demand,
	uint64_t now, uint64_t ready)
{
	const struct multicast *more = message_multicast(m);
	struct message reply = reply_of(slice, m, demand->looked_up);
	struct waiter *w;

	assert(demand->index != L2_NONE);
	if (slice->parts && is_for_far(slice, m, more))
		slice_keep_copy(slice, m, now);
	if (!(demand->missing | demand->awaited) && slice->l2.lines[demand->index].settled <= ready) {
		post(slice, out, &reply, more, space_host(slice->space, m->line), begin_reply(slice, &reply, ready));
		return;
	}
	w = wait(slice, &reply, more);
	w->index = demand->index;
	slice_wait(slice, w, demand, ready);
}

void slice_send_bulk(struct slice *slice, struct outbox *out, struct waiter *w, uint64_t ready)
{
	uint64_t left = begin_reply(slice, &w->reply, ready);

	assert(!w->missing);
	post(slice, out, &w->reply, more_of(w), w->data, left);
	while (w->joined) {
		struct waiter *joined = w->joined;

		w->joined = joined->joined;
		post(slice, out, &joined->reply, more_of(joined), joined->data, left);
		slice_free_waiter(slice, joined);
	}
}

/* The request that waits for all that this one lacks, and asks for no less. */
static struct waiter *find_joinable(struct l2_line *line, const struct message *m, uint8_t missing)
{
	struct waiter *w = line->waiters;

	assert(missing);
	while (w && !(w->is_bulk && !(m->sectors & ~w->reply.sectors) && !(missing & ~w->missing)))
		w = w->next;
	return w;
}

static void join(struct slice *slice, struct waiter *with, const struct message *m, const struct multicast *more)
{
	struct message reply = reply_of(slice, m, message_looked_up(0, 0));
	struct waiter *w = wait(slice, &reply, more), **link = &with->joined;

	assert(with->is_bulk);
	while (*link)
		link = &(*link)->joined;
	*link = w;
}

/* Whether an earlier request's answer has been given a time, which has not come. */
static bool leaves_later(
	const struct recent_place *recent, const struct l2_line *line, const struct message *m, uint64_t now)
{
	assert(m->sectors);
	return recent->left > now && line->settled <= recent->left && !(m->sectors & ~recent->left_sectors);
}

bool slice_coalesce(struct slice *slice, const struct message *m, struct outbox *out, uint64_t now)
{
	const struct multicast *more = message_multicast(m);
	struct recent_place *recent = slice_place(slice, m->line);
	uint32_t index = l2_find(&slice->l2, recent->place.set, m->line);
	struct l2_line *line = index == L2_NONE ? NULL : &slice->l2.lines[index];
	uint8_t missing = line ? slice_wanted(slice, m) & (uint8_t)~line->valid : 0;
	struct waiter *with = missing ? find_joinable(line, m, missing) : NULL;
	struct message reply;

	assert(slice->model->bulk_coalesce);
	if (!line || (missing ? !with : !leaves_later(recent, line, m, now)))
		return false;
	if (slice->parts && is_for_far(slice, m, more))
		slice_keep_copy(slice, m, now);
	slice->counters->coalesced++;
	if (with) {
		join(slice, with, m, more);
		return true;
	}
	reply = reply_of(slice, m, message_looked_up(0, 0));
	post(slice, out, &reply, more, space_host(slice->space, m->line), recent->left);
	return true;
}
