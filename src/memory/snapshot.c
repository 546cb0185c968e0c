/* The undo log of global memory (snapshot.h). */
#include "memory/snapshot.h"

#include "util/lookup.h"

#include <assert.h>
#include <string.h>

#define FIRST_LINES 16
#define MOST_LINES 64 /* 11 KB with their bytes: an arena takes them from blocks that it keeps */

/* Most lines that a kernel writes were never written, and are zero. */
struct saved_line {
	uint64_t address_mark;     /* its address, and the mark, before the first write */
	struct line_record record; /* likewise */
	uint8_t *bytes;            /* likewise, null: all zero; while swapped, what memory held before that */
};

_Static_assert(LEAST_LINE > (LINE_LOADED | LINE_WRITTEN | LINE_SAVED), "addresses of lines leave room for marks");

struct saved_lines {
	struct saved_lines *next;
	uint32_t count, room;
	struct saved_line at[];
};

static uint32_t bytes_of_line(const struct address_space *space)
{
	assert(space->line_bits);
	return 1u << space->line_bits;
}

static uint64_t address_of(const struct saved_line *line)
{
	return line->address_mark & ~(uint64_t)(LEAST_LINE - 1);
}

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
	uint64_t address = address_of(line);
	uint8_t *mark = space_mark(space, address), before = (uint8_t)(line->address_mark - address);
	assert(!(before & LINE_SAVED));
	if (put_back && *mark & LINE_WRITTEN) /* a line that was written stays so */
		*space_line(space, address) = line->record;
	__atomic_store_n(mark, put_back ? before : (uint8_t)(*mark & ~LINE_SAVED), __ATOMIC_RELAXED);
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
 * grows first, nor on what memory holds. */
static struct saved_lines *add_lines(struct snapshot_log *log)
{
	assert(!log->last || log->last->count == log->last->room);
	uint32_t room = !log->last ? FIRST_LINES : log->last->room < MOST_LINES ? log->last->room * 2 : MOST_LINES;
	size_t bytes = sizeof(struct saved_lines) + room * sizeof(struct saved_line);
	struct snapshot *s = log->snapshot;
	if (__atomic_add_fetch(&s->used, bytes + room * bytes_of_line(s->space), __ATOMIC_RELAXED) > s->limit) {
		__atomic_store_n(&s->lost, true, __ATOMIC_RELAXED);
		return NULL;
	}
	struct saved_lines *lines = arena_alloc(&log->arena, bytes);
	lines->room = room;
	*(log->last ? &log->last->next : &log->first) = lines;
	log->last = lines;
	return lines;
}

static bool is_zero(const uint8_t *line, uint32_t bytes)
{
	uint64_t words[LINE_BYTES / sizeof(uint64_t)], any = 0;

	assert(bytes <= sizeof words);
	memcpy(words, line, bytes);
	for (uint32_t k = 0; k < bytes / sizeof(uint64_t); k++)
		any |= words[k];
	return !any;
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
	line->address_mark = space_line_start(s->space, address) + *mark;
	if (*mark & LINE_WRITTEN)
		line->record = *space_line(s->space, address);
	const uint8_t *bytes = space_host(s->space, address_of(line));
	uint32_t length = bytes_of_line(s->space);
	if (!is_zero(bytes, length))
		line->bytes = memcpy(arena_alloc(&log->arena, length), bytes, length);
	__atomic_store_n(mark, (uint8_t)(*mark | LINE_SAVED), __ATOMIC_RELAXED);
	return true;
}

void snapshot_save_range(struct snapshot_log *log, uint64_t address, uint64_t bytes)
{
	assert(bytes);
	assert(!log->snapshot->is_swapped);
	const struct address_space *space = log->snapshot->space;
	uint64_t line = space_line_start(space, address);
	for (; line < address + bytes; line += bytes_of_line(space))
		if (!(*space_mark(space, line) & LINE_SAVED) && !snapshot_save(log, line))
			return;
}

/* ---- Exchanging ---- */

static void swap_line(struct snapshot_log *log, struct saved_line *line)
{
	const struct address_space *space = log->snapshot->space;
	uint8_t *memory = space_host(space, address_of(line)), kept[LINE_BYTES];
	uint32_t bytes = bytes_of_line(space);
	assert(address_of(line));
	if (!line->bytes)
		line->bytes = arena_alloc(&log->arena, bytes);
	memcpy(kept, memory, bytes);
	memcpy(memory, line->bytes, bytes);
	memcpy(line->bytes, kept, bytes);
	*space_mark(space, address_of(line)) ^= LINE_SAVED; /* an inner snapshot saves what it writes */
}

bool snapshot_swap(struct snapshot *s)
{
	if (s->lost)
		return false;
	for (uint32_t k = 0; k < s->log_count; k++)
		for (struct saved_lines *lines = s->logs[k].first; lines; lines = lines->next)
			for (uint32_t l = 0; l < lines->count; l++)
				swap_line(&s->logs[k], &lines->at[l]);
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

/* ---- Differences ---- */

/* Lines come in the order in which they were written first, so that their hashes are added up. */
static void add_line(const struct address_space *space, const struct saved_line *line, uint64_t print[2])
{
	static const uint8_t zeroes[LINE_BYTES];
	const uint8_t *now = space_host(space, address_of(line));
	uint64_t words[LINE_BYTES / sizeof(uint64_t)], a = address_of(line), b = ~a;
	uint32_t bytes = bytes_of_line(space);
	if (!memcmp(now, line->bytes ? line->bytes : zeroes, bytes))
		return;
	memcpy(words, now, bytes);
	for (uint32_t k = 0; k < bytes / sizeof(uint64_t); k++) {
		a = lookup_mix(a, words[k]);
		b = lookup_mix(b, ~words[k]);
	}
	print[0] += a;
	print[1] += b;
}

void snapshot_print(const struct snapshot *s, uint64_t print[2])
{
	assert(!s->lost && !s->is_swapped);
	for (uint32_t k = 0; k < s->log_count; k++)
		for (const struct saved_lines *lines = s->logs[k].first; lines; lines = lines->next)
			for (uint32_t l = 0; l < lines->count; l++)
				add_line(s->space, &lines->at[l], print);
}
