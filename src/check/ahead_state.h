/* The states of the data-flow analysis in ahead.h: what is known of a lane's registers at a pc, and how plain
 * instructions change it. */
#ifndef LOCKSTEP_CHECK_AHEAD_STATE_H
#define LOCKSTEP_CHECK_AHEAD_STATE_H

#include "check/ahead.h"

/* What is known of a value, the least certain first. */
enum certainty {
	UNKNOWN,
	BASED /* a pointer into the same buffer as the recorded value */,
	AS_IS /* the value if memory does not change: computed from what it holds now */,
	KNOWN
};

struct value {
	uint64_t wide;
	uint32_t narrow;
	uint8_t certainty;
	bool external; /* it depends on memory, on other lanes or on time */
};

enum guard { GUARD_FALSE, GUARD_TRUE, GUARD_EITHER };

/* One analysis.  The entries of a state are the slots, then the predicates, then one for local memory (KNOWN: as it was
 * at the beginning). */
struct walk {
	struct arena arena;
	struct core *core;
	struct warp_slot
		scratch; /* its warp's registers hold the values of the present state, and `now` how certain they are */
	const struct kernel *kernel;
	uint32_t lane, first_pc, code_count, slots, predicates, count;
	struct value *now;
	struct value **at; /* per pc: the state there; null: not reached so far */
	bool *joins, *queued;
	uint32_t *todo, todo_count, steps;
	enum guard guard; /* of the instruction at hand: it may be executed */
	const struct word *word;
	bool past; /* the thread has ended */
	bool stops_at_barrier;
	bool frozen;             /* memory stays as it is, apart from the word; then: */
	struct code_range range; /* the code that the thread repeats */
	uint32_t ignored;        /* a store at this pc does not count; AHEAD_ALL: all do */
	const uint64_t *given;   /* what the word holds, instead of any other value; null: not known */
	bool escapes;
	const struct allocation *buffer; /* of the word; null: none */
	struct ahead ahead;
	struct barrier_ahead *barriers; /* null: they are not asked for */
	uint32_t barrier_count, barrier_most;
};

/* A walk from a living thread's own registers, at `pc`; and its end. */
struct walk *walk_begin_at(const struct thread *t, uint32_t pc);
void walk_end(struct walk *w);
/* So many bytes of memory; null: nothing is allocated there. */
const uint8_t *walk_memory(struct walk *w, const struct word *word, uint64_t bytes);
/* Loads what no thread writes: parameters, constants.  False: it cannot be loaded. */
bool walk_load_fixed(struct walk *w, const struct insn *i);
/* The entry of a state for local memory. */
struct value *walk_local_of(struct walk *w, struct value *state);
/* Writes the values of the present state into the registers of the copied warp. */
void walk_restore_bits(struct walk *w);
/* A path leads to `pc` with the present state: the state there becomes what all paths to it agree on. */
void walk_branch_to(struct walk *w, uint32_t pc);
/* What is known of a register. */
struct value walk_slot_value(const struct walk *w, slot_ref slot);
/* The least certain of an instruction's sources. */
struct value walk_sources_of(const struct walk *w, const struct insn *i);
/* Sets how certain its results are from now on. */
void walk_set_results(struct walk *w, const struct insn *i, enum certainty certainty, bool external);
/* Whether the guard lets the lane execute it; *external: that depends on memory, on other lanes or on time. */
enum guard walk_guard_of(const struct walk *w, const struct insn *i, bool *external);
/* The first 4 or 8 bytes of a register. */
uint64_t walk_bits(const struct walk *w, slot_ref slot, uint32_t bytes);
/* Whether a store or an atomic with its registers as they are would leave a word that holds `before` as it is: another
 * attempt to take a lock that is taken, or a store of the same value.  One that frees the word's lock bit too is no
 * such store. */
bool walk_changes_nothing(const struct walk *w, const struct insn *i, uint64_t before);
/* Executes a plain instruction on the present state. */
void walk_compute(struct walk *w, const struct insn *i);

#endif
