/* What requests write to global memory, in the order in which the writes take effect: all atomics, and the writes to a
 * few words. */
#ifndef LOCKSTEP_MEMORY_WRITE_LOG_H
#define LOCKSTEP_MEMORY_WRITE_LOG_H

#include "memory/message.h"
#include "util/vector.h"

/* ---- Atomics ----
 *
 * The core that sent one hears of it only with the answer, and by then others may have read what it stored. */

/* Of a message. */
struct atomic_effect {
	uint64_t failed; /* its entries that were compare-and-swaps and found another value, a bit each */
	lane_mask lanes; /* these three are the message's */
	uint32_t token;
	uint16_t source;
};

struct effect_log {
	struct arena *arena; /* in which it grows */
	VECTOR(struct atomic_effect) effects;
};

/* A message of atomics has found `old`, as MESSAGE_DONE has it. */
void effect_log_add(struct effect_log *log, const struct message *m, const uint64_t *old);

/* ---- Writes to words ---- */

struct logged_word {
	uint64_t address; /* a multiple of `bytes` */
	uint32_t bytes;   /* 4 or 8; 0: the entry is no word of global memory */
};

/* A store to a word, or one entry of an atomic, also one that left the word as it was. */
struct logged_write {
	uint64_t time, before, after;
	uint32_t word;          /* index among the words */
	uint16_t source, pc;    /* as in the message */
	uint8_t group;          /* likewise */
	bool is_first;          /* of its message to this word */
	bool is_lock, is_store; /* by a lock unit, perhaps for an earlier request; by a store */
};

struct write_log {
	struct arena *arena; /* in which it grows */
	const struct logged_word *words;
	uint32_t count;
	VECTOR(struct logged_write) writes;
};

/* What has written: a request, or a core to a line that its L1 owns. */
struct logged_request {
	const void *payload; /* as in the message of that kind */
	uint64_t line, time;
	uint32_t line_bytes;
	uint16_t source, pc;
	uint8_t group, kind; /* kind: enum message_kind */
};

/* It has taken effect. `before`, `after`: the bytes of its line; `old`: what an atomic found, as MESSAGE_DONE has it.
 */
void write_log_add(struct write_log *log, const struct logged_request *request, const uint8_t *before,
	const uint8_t *after, const uint64_t *old);

#endif
