/* An L2 slice whose L1s are coherent: probes, grants, and requests that wait in the directory. */
#include "memory/slice_parts.h"

#include <assert.h>

/* A message of the inbox goes through the port, and is done with. */
static void take_in(struct slice *slice, struct inbox *inbox, const struct message *m)
{
	assert(inbox_first(inbox) == m);
	slice_take_in(slice, m);
	inbox_drop(inbox);
}

static void send_probes(struct slice *slice, struct outbox *out, const struct message *m,
	const struct directory_probe *probes, uint32_t count, uint64_t ready)
{
	for (uint32_t k = 0; k < count; k++) {
		struct message probe = {.line = m->line,
			.source = (uint16_t)(slice->model->core_count + slice->index),
			.destination = probes[k].core,
			.kind = MESSAGE_PROBE,
			.probe = probes[k].probe};
		assert(probe.destination < slice->model->core_count);
		slice->counters->probes++;
		slice->counters->recalls += probes[k].probe == PROBE_RECALL;
		slice_send(slice, out, &probe, NULL, ready);
	}
}

/* The grant of a line, without bytes if the core has them. */
static bool grant(struct slice *slice, const struct message *m, struct outbox *out, uint64_t now)
{
	assert(m->kind == MESSAGE_SHARE || m->kind == MESSAGE_OWN);
	enum grant_data from = directory_data(slice->directory, m);
	uint64_t ready = now + slice->model->l2_latency;
	struct demand demand = {0};
	if (from == GRANT_FROM_L2 && !slice_pass(slice, m, &demand, now, &ready))
		return false;
	if (from != GRANT_FROM_L2)
		slice->array = now + 1;
	slice->counters->forwards += from == GRANT_FORWARDED;
	slice->counters->upgrades += from == GRANT_UPGRADES;
	struct message reply = {.line = m->line,
		.source = m->destination,
		.destination = m->source,
		.token = m->token,
		.kind = MESSAGE_GRANT,
		.loaded = demand.looked_up,
		.data_bytes = (uint16_t)(from == GRANT_UPGRADES ? 0 : slice->model->line_bytes)};
	uint64_t line = m->line;
	reply.line_state = (uint8_t)directory_grant(slice->directory, m);
	if (!(demand.missing | demand.awaited)) {
		slice_send(slice, out, &reply, NULL, ready);
		slice_line_served(slice, line, now);
		return true;
	}
	slice_send_filled(slice, &reply, &demand);
	return true;
}

/* What the slice looks at next. */
struct candidate {
	const struct message *message; /* of the inbox, or: */
	bool is_parked;                /* in the directory, where it has waited */
	bool is_own;                   /* the first access of the lock service */
};

/* A request that goes past the L1s, which no longer have what would be in its way.  False: blocked. */
static bool serve_past(struct slice *slice, struct candidate c, struct outbox *out, uint64_t now)
{
	struct demand demand;
	const struct message *m = c.message;
	uint64_t ready, line = m->line;
	if (!slice_pass(slice, m, &demand, now, &ready))
		return false;
	if (c.is_own) {
		assert(slice->lock_recalls == c.is_parked);
		slice->lock_recalls = false;
		slice_finish_access(slice, m, out, &demand, now, ready);
	} else {
		slice_answer(slice, m, out, &demand, now, ready);
	}
	if (c.is_parked)
		directory_drop(slice->directory, directory_ready(slice->directory));
	slice_line_served(slice, line, now);
	return true;
}

/* Answers to probes and evictions: nothing waits for them to be accepted.  False: blocked. */
static bool note(struct slice *slice, struct inbox *inbox, const struct message *m, uint64_t now)
{
	assert(m->kind == MESSAGE_PROBED || m->kind == MESSAGE_EVICTED);
	struct demand demand;
	uint64_t ready;
	if (m->kind == MESSAGE_PROBED) {
		directory_probed(slice->directory, m);
		slice->resume = later(slice->resume, now);
	} else {
		if (line_is_dirty(m->line_state)) {
			if (!slice_pass(slice, m, &demand, now, &ready))
				return false;
			l2_write(&slice->l2, demand.index, (const uint64_t[]){UINT64_MAX, UINT64_MAX});
			slice->counters->copy_backs++;
		}
		directory_evicted(slice->directory, m);
	}
	take_in(slice, inbox, m);
	return true;
}

static struct candidate next_candidate(const struct slice *slice, struct inbox *inbox)
{
	const struct message *parked = directory_ready(slice->directory);
	if (parked && parked->kind == MESSAGE_LOCK && !parked->payload_bytes) /* it stands for: */
		return (struct candidate){lock_service_access(slice->locks), true, true};
	if (parked)
		return (struct candidate){parked, true, false};
	if (slice_has_lock_access(slice))
		return (struct candidate){lock_service_access(slice->locks), false, true};
	return (struct candidate){inbox_first(inbox), false, false};
}

/* An access of the lock service is parked as a message without entries. */
static void park_own(struct slice *slice, const struct message *m, uint32_t probes)
{
	assert(!slice->lock_recalls);
	assert(m->kind == MESSAGE_LOCK);
	struct message stands_for = *m;
	stands_for.payload_bytes = 0;
	slice->lock_recalls = true;
	if (probes)
		directory_probing(slice->directory, &stands_for, probes);
	else
		directory_park(slice->directory, &stands_for);
}

/* The request has to wait in the directory. */
static void park(struct slice *slice, struct inbox *inbox, struct candidate c, uint32_t probes)
{
	if (c.is_own && !c.is_parked) {
		park_own(slice, c.message, probes);
		return;
	}
	if (probes)
		directory_probing(slice->directory, c.message, probes);
	else
		directory_park(slice->directory, c.message);
	if (!c.is_parked)
		take_in(slice, inbox, c.message);
}

/* False: blocked. */
static bool serve(struct slice *slice, struct inbox *inbox, struct outbox *out, struct candidate c, uint64_t now)
{
	const struct message *m = c.message;
	assert(m);
	uint32_t count;
	if (m->kind == MESSAGE_PROBED || m->kind == MESSAGE_EVICTED)
		return note(slice, inbox, m, now);
	if (c.is_own && m->kind != MESSAGE_LOCK) /* to a record, which no L1 can have */
		return serve_past(slice, c, out, now);
	if (!c.is_parked && directory_waits(slice->directory, m->line)) {
		park(slice, inbox, c, 0);
		return true;
	}
	const struct directory_probe *probes = directory_probes(slice->directory, m, &count);
	if (count) {
		send_probes(slice, out, m, probes, count, now + slice->model->l2_latency);
		slice->array = now + 1;
		park(slice, inbox, c, count);
		return true;
	}
	bool asks_line = m->kind == MESSAGE_SHARE || m->kind == MESSAGE_OWN;
	if (!(asks_line ? grant(slice, m, out, now) : serve_past(slice, c, out, now)))
		return false;
	if (!c.is_parked && !c.is_own)
		take_in(slice, inbox, m);
	return true;
}

void slice_serve_coherent(struct slice *slice, struct inbox *inbox, struct outbox *out, uint64_t now)
{
	assert(slice->directory);
	if (serve(slice, inbox, out, next_candidate(slice, inbox), now))
		slice->state = slice_ready_state(slice);
}
