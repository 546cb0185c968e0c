/* One thread's loop played on, alone, with all memory as it is: what it looks at in a round, and whether it leaves. */
#ifndef LOCKSTEP_CHECK_PLAY_H
#define LOCKSTEP_CHECK_PLAY_H

#include "check/waits.h"

/* A load, or an atomic that changed nothing. */
struct play_look {
	uint32_t pc;
	struct word word;
	uint64_t value;   /* what it found, of 8 bytes at most */
	uint64_t operand; /* of an atomic: its first: what a compare-and-swap expects */
};

/* A word that is to have another value than it has. */
struct play_change {
	struct word word;
	uint64_t value;
};

enum play_end {
	PLAY_LEAVES, /* the code that it repeats, or it ends */
	PLAY_ROUNDS, /* it spins: it is back in an earlier state */
	PLAY_WRITES, /* it would change memory, by the last of its looks */
	PLAY_LOST,   /* what it does next depends on more, or took too long */
};

struct play {
	enum play_end end;
	struct play_look *looks; /* PLAY_ROUNDS: those of a round, else all */
	uint32_t count;
	uint32_t steps; /* instructions */
};

/* From where the thread is, which must run in its range of code; `change` may be null.  At most so many instructions.
 * In the arena. */
struct play play_on(struct arena *arena, const struct thread *t, struct code_range range,
	const struct play_change *change, uint32_t most_steps);

/* Whether with that change it would leave its range of code, or change memory; not in so many instructions: false. */
bool play_would_end(struct arena *arena, const struct thread *t, struct code_range range,
	const struct play_change *change, uint32_t most_steps);

/* The first operand of the atomic by which the thread waits, as it has it in its loop; false: not known. */
bool play_operand(const struct thread *t, const struct wait *wait, uint64_t *value);

/* Values that the word has not, each of which alone would let the thread leave, or write: of those by which a
 * comparison in the loop would come out equal.  Returns how many, at most `most`; 0: none, or it is not known. */
uint32_t play_wishes(const struct thread *t, const struct wait *wait, uint64_t *values, uint32_t most);

#endif
