/* A memory partition: the events of a DRAM channel and its slices, in order of time.
 *
 * Within a cycle the order is: DRAM commands, data that has arrived, replies that leave, then requests, slice by slice,
 * beginning after the slice that was served last.  What happens depends on messages and their times only, not on how a
 * run is cut into calls of partition_run. */
#include "memory/partition.h"

#include "memory/slice.h"
#include "util/vector.h"

#include <assert.h>

struct partition {
	const struct gpu_model *model;
	struct address_map map;
	struct dram *dram;
	struct slice *slices;
	uint32_t first_slice, count;
	struct slice *turn; /* to look at first */
	struct partition_counters counters;
	struct effect_log effects;
	struct write_log writes;
	struct slice_watch watch; /* of each slice */
	VECTOR(uint64_t) copied;  /* lines that the L2 is to have */
};

struct partition *partition_create(struct arena *arena, const struct gpu_model *model,
	const struct lock_unit *lock_unit, struct address_space *space, uint32_t index)
{
	assert(index < model->channels);
	assert(model->slices == model->channels * (model->slices / model->channels));
	struct partition *p = arena_new(arena, struct partition);
	p->model = model;
	p->map = address_map_of(model);
	p->dram = dram_create(arena, model);
	p->count = p->map.per_channel;
	p->first_slice = index * p->count;
	p->slices = arena_new_array(arena, struct slice, p->count);
	for (uint32_t k = 0; k < p->count; k++) {
		struct slice *slice = &p->slices[k];
		slice->model = model;
		slice->lock_unit = lock_unit;
		slice->map = &p->map;
		slice->space = space;
		slice->marks = (const uint8_t *)((uintptr_t)space->marks - (GLOBAL_BASE >> space->line_bits));
		slice->dram = p->dram;
		slice->after = &p->slices[k + 1 < p->count ? k + 1 : 0];
		slice->counters = &p->counters;
		slice_create(slice, arena, p->first_slice + k);
	}
	p->turn = p->slices;
	return p;
}

void partition_make_coherent(struct partition *p)
{
	for (uint32_t k = 0; k < p->count; k++)
		p->slices[k].directory = directory_create(p->slices[k].arena, p->model->core_count);
}

void partition_forget_lines(struct partition *p, struct inbox *const *inboxes)
{
	for (uint32_t k = 0; k < p->count; k++) {
		if (!p->slices[k].directory)
			continue;
		directory_clear(p->slices[k].directory);
		while (inbox_first(inboxes[k])) {
			assert(inbox_first(inboxes[k])->kind == MESSAGE_EVICTED);
			inbox_drop(inboxes[k]);
		}
	}
}

const struct directory *partition_directory(const struct partition *p, uint64_t line)
{
	assert(address_slice(&p->map, line) - p->first_slice < p->count);
	return p->slices[address_slice(&p->map, line) - p->first_slice].directory;
}

static inline void look(struct slice *slice, struct inbox *const *inboxes)
{
	slice->service_time = slice_next_service(slice, inboxes[slice->local]);
}

/* The slice that accepts a request next. */
static inline struct slice *next_service(const struct partition *p)
{
	struct slice *best = p->turn;
	for (struct slice *slice = best->after; slice != p->turn; slice = slice->after)
		best = slice->service_time < best->service_time ? slice : best;
	return best;
}

static inline struct slice *next_late(const struct partition *p)
{
	struct slice *best = p->slices;
	for (struct slice *slice = best->after; slice != p->slices; slice = slice->after)
		best = slice->late_time < best->late_time ? slice : best;
	return best;
}

/* Runs DRAM up to `until`, and lets slices that wait for room in its backlog continue when there is some. */
static void run_dram(struct partition *p, struct inbox *const *inboxes, uint64_t until)
{
	bool waits = false;
	for (uint32_t k = 0; k < p->count; k++)
		waits |= p->slices[k].state == SLICE_WAITS_FOR_ROOM;
	uint64_t now = dram_run(p->dram, until, waits ? p->model->dram_backlog : 0);
	assert(now <= until);
	if (!waits || dram_backlog(p->dram) >= p->model->dram_backlog)
		return;
	for (uint32_t k = 0; k < p->count; k++)
		if (p->slices[k].state == SLICE_WAITS_FOR_ROOM) {
			p->slices[k].state = slice_ready_state(&p->slices[k]);
			p->slices[k].resume = now;
			look(&p->slices[k], inboxes);
		}
}

void partition_run(struct partition *p, struct inbox *const *inboxes, struct outbox *out, uint64_t until)
{
	for (uint32_t k = 0; k < p->count; k++)
		look(&p->slices[k], inboxes);
	for (;;) {
		struct slice *late = next_late(p), *service = next_service(p);
		uint64_t done = dram_done_time(p->dram), late_time = late->late_time;
		uint64_t limit = earlier(earlier(service->service_time, late_time), earlier(done, until));
		if (dram_next_event(p->dram) < limit) {
			run_dram(p, inboxes, limit);
		} else if (limit >= until) {
			return;
		} else if (limit == done) {
			uint64_t cookie = dram_take_done(p->dram);
			assert(cookie >> COOKIE_SLICE < p->count);
			struct slice *slice = &p->slices[cookie >> COOKIE_SLICE];
			slice_fill(slice, out, cookie, limit);
			look(slice, inboxes);
		} else if (limit == late_time) {
			slice_send_late(late, out);
			if (late->state == SLICE_HAS_ACCESS)
				look(late, inboxes);
		} else {
			slice_serve(service, inboxes[service->local], out, limit);
			look(service, inboxes);
			p->turn = service->after;
		}
	}
}

uint64_t partition_read_code(struct partition *p, uint64_t line, uint64_t from, uint64_t now)
{
	uint32_t index = address_slice(&p->map, line) - p->first_slice;

	assert(index < p->count);
	assert(from >= now);
	return slice_read_code(&p->slices[index], from, now);
}

uint64_t partition_next_event(const struct partition *p, struct inbox *const *inboxes)
{
	uint64_t next = earlier(dram_next_event(p->dram), dram_done_time(p->dram));
	for (uint32_t k = 0; k < p->count; k++) {
		next = earlier(next, slice_next_service(&p->slices[k], inboxes[k]));
		next = earlier(next, p->slices[k].late_time);
	}
	return next;
}

/* ---- Between launches ---- */

static void prefill_line(struct slice *slice, uint32_t set, uint64_t line)
{
	uint32_t index = l2_find(&slice->l2, set, line);
	if (index == L2_NONE) {
		index = l2_victim(&slice->l2, set);
		assert(index != L2_NONE);
		l2_take(&slice->l2, index, line);
	}
	l2_use(&slice->l2, index);
	assert(!slice->l2.lines[index].pending);
	slice->l2.lines[index].valid = (uint8_t)((1u << slice->l2.sectors) - 1);
}

#define MOST_COPIED (1u << 14) /* lines that wait, so that many buffers take no more memory */

bool partition_is_to_be_filled(const struct partition *p)
{
	assert(p->copied.count <= MOST_COPIED);
	return p->copied.count != 0;
}

void partition_fill(struct partition *p)
{
	for (uint32_t k = 0; k < p->copied.count; k++) {
		struct address_place place = address_place(&p->map, p->copied.at[k]);
		assert(place.slice - p->first_slice < p->count);
		prefill_line(&p->slices[place.slice - p->first_slice], place.set, p->copied.at[k]);
	}
	p->copied.count = 0;
}

void partitions_prefill(struct partition *const *partitions, uint64_t address, uint64_t bytes)
{
	const struct partition *any = partitions[0];
	if (!any->model->l2_prefill || !bytes)
		return;
	/* Only the end of a long copy can still be in the L2: four times the capacity of all slices is more than
	 * enough. */
	uint64_t capacity =
		4ull * any->model->slices * any->model->l2_sets * any->model->l2_ways * any->model->line_bytes;
	uint64_t end = address + bytes, first = bytes > capacity ? end - capacity : address;
	for (uint64_t line = first & ~(uint64_t)(any->model->line_bytes - 1); line < end;
		line += any->model->line_bytes) {
		struct partition *p = partitions[address_slice(&any->map, line) / any->count];
		if (p->copied.count == MOST_COPIED)
			partition_fill(p);
		*vector_push(p->slices[0].arena, &p->copied) = line;
	}
}

struct partition_counters partition_counters(const struct partition *p)
{
	struct partition_counters c = p->counters;
	const struct dram_counters *d = dram_counters(p->dram);
	c.dram_reads = d->reads;
	c.dram_writes = d->writes;
	c.dram_row_hits = d->row_hits;
	c.dram_row_misses = d->row_misses;
	c.dram_busy_cycles = d->busy_cycles;
	for (uint32_t k = 0; k < p->count; k++) {
		const struct atomic_unit *a = &p->slices[k].atomics;
		c.atomics += a->operations;
		c.atomic_conflicts += a->conflicts;
		c.atomic_conflict_cycles += a->conflict_cycles;
	}
	return c;
}

static void set_watch(struct partition *p)
{
	p->watch.any = p->watch.journal || p->watch.effects || p->watch.writes;
	for (uint32_t k = 0; k < p->count; k++)
		p->slices[k].watch = p->watch;
}

void partition_watch(struct partition *p, struct journal *journal)
{
	p->watch.journal = journal;
	set_watch(p);
}

const struct atomic_effect *partition_take_effects(struct partition *p, uint32_t *count)
{
	p->effects.arena = p->slices->arena;
	p->watch.effects = &p->effects;
	set_watch(p);
	*count = p->effects.effects.count;
	p->effects.effects.count = 0;
	return p->effects.effects.at;
}

const struct logged_write *partition_take_writes(
	struct partition *p, const struct logged_word *words, uint32_t word_count, uint32_t *count)
{
	assert(!word_count || words);
	p->writes.arena = p->slices->arena;
	p->writes.words = words;
	p->writes.count = word_count;
	p->watch.writes = &p->writes;
	set_watch(p);
	*count = p->writes.writes.count;
	p->writes.writes.count = 0;
	return p->writes.writes.at;
}

uint32_t partition_locks_waiting(const struct partition *p)
{
	uint32_t count = 0;
	for (uint32_t k = 0; k < p->count; k++)
		count += p->slices[k].locks ? lock_service_waiting(p->slices[k].locks) : 0;
	return count;
}

bool partition_is_idle(const struct partition *p)
{
	bool idle = dram_done_time(p->dram) == UINT64_MAX;
	for (uint32_t k = 0; k < p->count; k++) {
		const struct slice *slice = &p->slices[k];
		idle &= slice->state == SLICE_READY && !slice->mshrs && calendar_is_empty(&slice->late) &&
			(!slice->directory || directory_is_idle(slice->directory));
	}
	return idle;
}

void partition_save(struct partition *p, struct snapshot_log *log)
{
	for (uint32_t k = 0; k < p->count; k++) {
		p->slices[k].saved = log;
		p->slices[k].plain_mark = log ? LINE_SAVED : 0;
	}
}
