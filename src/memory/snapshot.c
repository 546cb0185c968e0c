/* The undo log of global memory (snapshot.h). */
#include "memory/snapshot.h"

#include <assert.h>
#include <string.h>

#define FIRST_LINES 16
#define MOST_LINES 64 /* 11 KB: an arena takes them from blocks that it keeps */

struct saved_line {
	uint64_t address;
	struct line_record record; /* before the first write */
	uint8_t mark;              /* likewise */
	uint8_t bytes[LINE_BYTES]; /* likewise; while swapped, what memory held before that */
};

struct saved_lines {
	struct saved_lines *next;
	uint32_t count, room;
	struct saved_line at[];
};

struct snapshot *snapshot_open(struct arena *arena, const struct address_space *space, uint32_t writers, uint64_t limit)
{
	assert(writers);
	struct snapshot *s = arena_new(arena, struct snapshot);
	*s = (struct snapshot){.space = space,
		.logs = arena_new_array(arena, struct snapshot_log, writers),
		.log_count = writers,
		.limit = limit};
	for (uint32_t k = 0; k < writers; k++)
		s->logs[k].snapshot = s;
	return s;
}

/* ---- Saving ---- */

/* Other snapshots may save the line again.  If an inner snapshot puts memory back, the line gets its former history. */
static void forget_line(const struct address_space *space, const struct saved_line *line, bool put_back)
{
	assert(line->address % LINE_BYTES == 0);
	uint8_t *mark = space_mark(space, line->address);
	if (put_back && *mark & LINE_WRITTEN) /* a line that was written stays so */
		*space_line(space, line->address) = line->record;
	__atomic_store_n(mark, put_back ? line->mark : (uint8_t)(*mark & ~LINE_SAVED), __ATOMIC_RELAXED);
}

static void drop_log(struct snapshot_log *log, bool put_back)
{
	for (const struct saved_lines *lines = log->first; lines; lines = lines->next)
		for (uint32_t k = 0; k < lines->count; k++)
			forget_line(log->snapshot->space, &lines->at[k], put_back);
	log->first = log->last = NULL;
	arena_free(&log->arena);
}

/* More room, twice as much as the last time.  Whether all logs together exceed the limit does not depend on which log
 * grows first. */
static struct saved_lines *add_lines(struct snapshot_log *log)
{
	assert(!log->last || log->last->count == log->last->room);
	uint32_t room = !log->last ? FIRST_LINES : log->last->room < MOST_LINES ? log->last->room * 2 : MOST_LINES;
	size_t bytes = sizeof(struct saved_lines) + room * sizeof(struct saved_line);
	struct snapshot *s = log->snapshot;
	if (__atomic_add_fetch(&s->used, bytes, __ATOMIC_RELAXED) > s->limit) {
		__atomic_store_n(&s->lost, true, __ATOMIC_RELAXED);
		return NULL;
	}
	struct saved_lines *lines = arena_alloc(&log->arena, bytes);
	lines->room = room;
	*(log->last ? &log->last->next : &log->first) = lines;
	log->last = lines;
	return lines;
}

bool snapshot_save(struct snapshot_log *log, uint64_t address)
{
	struct snapshot *s = log->snapshot;
	struct saved_lines *lines = log->last;
	assert(!s->is_swapped && !(*space_mark(s->space, address) & LINE_SAVED));
	if (!lines || lines->count == lines->room)
		lines = __atomic_load_n(&s->lost, __ATOMIC_RELAXED) ? NULL : add_lines(log);
	if (!lines) {
		drop_log(log, false);
		return false;
	}
	struct saved_line *line = &lines->at[lines->count++];
	uint8_t *mark = space_mark(s->space, address);
	line->address = address & ~(uint64_t)(LINE_BYTES - 1);
	line->mark = *mark;
	if (*mark & LINE_WRITTEN)
		line->record = *space_line(s->space, address);
	memcpy(line->bytes, space_host(s->space, line->address), LINE_BYTES);
	__atomic_store_n(mark, (uint8_t)(*mark | LINE_SAVED), __ATOMIC_RELAXED);
	return true;
}

void snapshot_save_range(struct snapshot_log *log, uint64_t address, uint64_t bytes)
{
	assert(bytes);
	assert(!log->snapshot->is_swapped);
	const struct address_space *space = log->snapshot->space;
	uint64_t line = address & ~(uint64_t)(LINE_BYTES - 1);
	for (; line < address + bytes; line += LINE_BYTES)
		if (!(*space_mark(space, line) & LINE_SAVED) && !snapshot_save(log, line))
			return;
}

/* ---- Exchanging ---- */

static void swap_line(const struct address_space *space, struct saved_line *line)
{
	assert(line->address % LINE_BYTES == 0);
	uint8_t *memory = space_host(space, line->address), kept[LINE_BYTES];
	memcpy(kept, memory, LINE_BYTES);
	memcpy(memory, line->bytes, LINE_BYTES);
	memcpy(line->bytes, kept, LINE_BYTES);
	*space_mark(space, line->address) ^= LINE_SAVED; /* an inner snapshot saves what it writes */
}

bool snapshot_swap(struct snapshot *s)
{
	if (s->lost)
		return false;
	for (uint32_t k = 0; k < s->log_count; k++)
		for (struct saved_lines *lines = s->logs[k].first; lines; lines = lines->next)
			for (uint32_t l = 0; l < lines->count; l++)
				swap_line(s->space, &lines->at[l]);
	s->is_swapped = !s->is_swapped;
	return true;
}

void snapshot_close(struct snapshot *s, bool put_back)
{
	bool goes_back = put_back && !s->lost;
	if (goes_back && !s->is_swapped)
		snapshot_swap(s);
	for (uint32_t k = 0; k < s->log_count; k++)
		drop_log(&s->logs[k], goes_back);
}
