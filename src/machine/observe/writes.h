/* Who has written to a few words of memory, and what one thread has read there: of a launch that is run again to
 * explain why it hangs. */
#ifndef LOCKSTEP_MACHINE_OBSERVE_WRITES_H
#define LOCKSTEP_MACHINE_OBSERVE_WRITES_H

#include "util/lookup.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define WRITES_KEPT 8
#define WRITES_LOOKS 32
#define WRITES_WORDS 16

/* A write that has taken effect. */
struct word_write {
	bool known;              /* the thread that wrote: else only `when` and the values are */
	bool is_atomic, is_copy; /* is_copy: an asynchronous copy of that thread */
	uint64_t launch;         /* ordinal */
	uint32_t group, thread;  /* flat */
	uint32_t pc;
	uint64_t when; /* machine_clock */
	uint64_t before, after;
};

/* The reader found this value again and again, and no other between. */
struct word_look {
	uint64_t value, first, last; /* first, last: when it got it */
};

struct written_word {
	/* What is asked: a word of 4 or 8 bytes, of global memory or of a group's shared memory, and a thread that
	 * reads it. */
	uint8_t space, bytes;
	uint64_t address;
	uint64_t launch; /* ordinal, of the thread */
	uint32_t group, thread;

	/* What was recorded, the latest last: the k-th is at k % WRITES_KEPT. */
	bool has_initial;
	uint64_t initial, value; /* at the start; now */
	uint64_t count;          /* of writes that changed it */
	struct word_write at[WRITES_KEPT];
	struct word_write same; /* the last store that left it as it was */
	uint64_t same_after;    /* changes before that one, + 1; 0: there was none */
	uint64_t looks;
	struct word_look look[WRITES_LOOKS]; /* the k-th at k % WRITES_LOOKS */
	uint8_t *wrote; /* how often each thread of the launch has written, groups one after another; null: none has */
	bool has_unknown; /* a write of which the thread is not known */
};

/* A store or atomic to the buffer of the first word, or to the shared memory of its group: each once. */
struct sibling_write {
	uint64_t address;
	uint32_t group, thread, pc;
};

#define WRITES_SIBLINGS 4096u

/* What the observer is asked: gpu->observe[OBSERVER_writes]. */
struct writes {
	struct arena *arena; /* for what is recorded */
	struct written_word *words;
	uint32_t count;
	bool as_before;                 /* the run took just as long as the one that it repeats: all was the same */
	uint32_t group_threads, groups; /* of the launch of the words' threads */
	uint64_t first, end;            /* of the first word's buffer: addresses; shared memory: all offsets */
	/* Where accesses take effect at once: where words of shared memory lie, while their groups are on cores. */
	const uint8_t *shared[WRITES_WORDS];
	/* The first that were issued, in the order of their issue. */
	uint32_t sibling_count;
	struct sibling_write *siblings;
	struct lookup sibling_places; /* by a hash: of each, plus one */
};

/* How often that thread of the launch has stored to the word, or changed it by an atomic; WRITES_MOST: or more. */
#define WRITES_MOST UINT8_MAX
static inline uint8_t written_by(
	const struct written_word *word, uint32_t group_threads, uint32_t group, uint32_t thread)
{
	return word->wrote ? word->wrote[(uint64_t)group * group_threads + thread] : 0;
}

/* The last write that changed it; null: none. */
static inline const struct word_write *written_last(const struct written_word *word)
{
	return word->count ? &word->at[(word->count - 1) % WRITES_KEPT] : NULL;
}

/* The last store that left it as it was, if nothing has changed it since; null: none. */
static inline const struct word_write *written_same(const struct written_word *word)
{
	return word->same_after == word->count + 1 ? &word->same : NULL;
}

#endif
