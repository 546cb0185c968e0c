/* A launch that is run again: the struct of again.h, for the files that implement it. */
#ifndef LOCKSTEP_EXPLORE_AGAIN_PARTS_H
#define LOCKSTEP_EXPLORE_AGAIN_PARTS_H

#include "explore/again.h"

enum word_state { WORD_AS_IT_WAS, WORD_CHANGED, WORD_OF_ANOTHER };

struct again {
	struct arena arena;
	struct machine *machine; /* the one that hangs, with the launches that are run again */
	struct gpu gpu;
	struct gpu_model model;
	double until; /* by again_clock; of the run in progress */
	bool time_is_over;
	uint64_t random; /* state of the generator for shuffling */
	lane_mask *held; /* per core and warp slot: the lanes of a path that is held back */
	/* The code in which it waits: see again_note_waits */
	bool *waits;      /* per pc */
	uint64_t *issued; /* per pc, at the last look: lanes */
	uint64_t successes;
	bool waits_succeed; /* locks are taken or polling loops left even while it hangs */
	uint64_t ended;     /* threads of launches that have completed */
	/* The lock that is given back, or the word whose write is undone: again_words.c */
	const bool *uses; /* per pc, of the kernel of a MEND_LEAVE: see left.h */
	const struct change *word;
	enum word_state word_state;
	uint64_t word_value; /* that it gets: of a lock given back while its owner waits, when the owner has it again */
};

/* The warp of a thread that has not ended, its core and its lane; null: the thread has ended or not started. */
struct warp_slot *again_find_thread(
	const struct again *again, const struct change *change, struct core **core, uint32_t *lane);
/* The word's bits.  False: its work-group or memory is not there. */
bool again_read_word(const struct again *again, const struct change *change, uint64_t *value);
/* Makes the arrivals of a MEND_LEAVE or MEND_ARRIVAL for which a thread waits now. */
void again_arrive_now(const struct again *again, const struct change *change);

#endif
