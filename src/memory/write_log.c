/* Logs of what requests write (write_log.h). */
#include "memory/write_log.h"

#include <assert.h>

/* ---- Atomics ---- */

/* Whether the entry's old value is what it is compared with; `high`: the high half of that, of 16 bytes. */
static bool is_equal(const struct atomic_entry *entry, const uint64_t *old, const uint64_t *high)
{
	return old[0] == entry->a && (!high || old[1] == *high);
}

void effect_log_add(struct effect_log *log, const struct message *m, const uint64_t *old)
{
	const struct atomic_payload *atomic = message_payload(m);
	const struct atomic_entry *entry = atomic_entries(atomic);
	const uint64_t *high = atomic->bytes == 16 ? (const uint64_t *)(const void *)(entry + atomic->count) : NULL;
	uint64_t failed = 0;

	assert(m->kind == MESSAGE_ATOMIC);
	assert(atomic->op != ATOMIC_CAS || atomic->count <= 64);
	for (uint32_t k = 0; atomic->op == ATOMIC_CAS && k < atomic->count; k++)
		if (!is_equal(&entry[k], old + (high ? 2 * k : k), high ? high + 2 * k : NULL))
			failed |= (uint64_t)1 << k;
	*vector_push(log->arena, &log->effects) =
		(struct atomic_effect){.failed = failed, .lanes = m->lanes, .token = m->token, .source = m->source};
}

/* ---- Writes to words ---- */

static uint64_t value_in(const uint8_t *line, uint64_t address, const struct logged_word *word)
{
	uint64_t value = 0;

	assert(word->bytes <= sizeof value);
	assert(word->address - address + word->bytes <= LINE_BYTES);
	memcpy(&value, line + (word->address - address), word->bytes);
	return value;
}

static struct logged_write *add(struct write_log *log, const struct logged_request *m, uint32_t word)
{
	struct logged_write *w = vector_push(log->arena, &log->writes);

	assert(word < log->count);
	*w = (struct logged_write){.time = m->time,
		.word = word,
		.source = m->source,
		.pc = m->pc,
		.group = m->group,
		.is_lock = m->kind == MESSAGE_LOCK,
		.is_store = m->kind == MESSAGE_STORE};
	return w;
}

static bool store_touches(const struct logged_request *m, const struct logged_word *word)
{
	const struct store_payload *store = m->payload;
	uint32_t offset = (uint32_t)(word->address - m->line);

	assert(m->kind == MESSAGE_STORE);
	return store->mask[offset / 64] >> offset % 64 & ((1ull << word->bytes) - 1);
}

/* Each entry on the word found what the one before it left. */
static void add_entries(struct write_log *log, const struct logged_request *m, uint32_t word, uint64_t before,
	uint64_t after, const uint64_t *old)
{
	const struct atomic_payload *atomic = m->payload;
	const struct atomic_entry *entry = atomic_entries(atomic);
	const struct logged_word *at = &log->words[word];
	bool is_whole = atomic->bytes == at->bytes;
	struct logged_write *last = NULL;

	assert(m->kind == MESSAGE_ATOMIC);
	assert(old);
	for (uint32_t k = 0; k < atomic->count; k++) {
		if (at->address + at->bytes <= entry[k].address || entry[k].address + atomic->bytes <= at->address)
			continue;
		if (last && !is_whole) /* what it found is not the word: the whole message is told as one write */
			break;
		if (last)
			last->after = at->bytes == 8 ? old[k] : (uint32_t)old[k];
		before = last ? last->after : before;
		bool is_first = !last;
		last = add(log, m, word);
		last->is_first = is_first;
		last->before = before;
		last->after = after;
	}
}

void write_log_add(struct write_log *log, const struct logged_request *m, const uint8_t *before, const uint8_t *after,
	const uint64_t *old)
{
	assert(m->line % LEAST_LINE == 0);
	for (uint32_t k = 0; k < log->count; k++) {
		const struct logged_word *word = &log->words[k];
		uint64_t was, is;

		if (!word->bytes || word->address - m->line >= m->line_bytes)
			continue;
		was = value_in(before, m->line, word);
		is = value_in(after, m->line, word);
		if (m->kind == MESSAGE_ATOMIC) {
			add_entries(log, m, k, was, is, old);
		} else if (m->kind == MESSAGE_STORE ? store_touches(m, word) : was != is) {
			struct logged_write *w = add(log, m, k);

			w->is_first = true;
			w->before = was;
			w->after = is;
		}
	}
}
