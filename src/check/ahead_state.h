/* The states of the data flow in ahead.h: what is known of a lane's registers at a place, and what plain instructions
 * make of it. */
#ifndef LOCKSTEP_CHECK_AHEAD_STATE_H
#define LOCKSTEP_CHECK_AHEAD_STATE_H

#include "check/ahead.h"

/* What is known of a value, the least first. */
enum certainty {
	UNKNOWN,
	BASED /* a pointer into the same buffer as the value that is noted */,
	AS_IS /* computed from memory as it is now */,
	KNOWN
};

struct value {
	uint64_t wide;
	uint32_t narrow;
	uint8_t certainty;
	bool external; /* it depends on memory, other lanes or time */
};

/* Entries of a state: slots, then predicates, then one for local memory (known: as it was in the beginning). */
struct walk {
	struct arena arena;
	struct core *core;
	struct warp_slot scratch; /* its warp's registers are the present state, but for what `now` says of them */
	const struct kernel *kernel;
	uint32_t lane, first_pc, code_count, slots, predicates, count;
	struct value *now;
	struct value **at; /* per pc: what is known there; null: not reached so far */
	bool *joins, *queued;
	uint32_t *todo, todo_count, steps;
	const struct word *word;
	bool past; /* the thread has ended */
	bool stops_at_barrier;
	bool frozen;          /* memory stays as it is, but for the word; then: */
	uint32_t first, last; /* the code that the thread is in */
	bool escapes;
	const struct allocation *buffer; /* that the word is in; null: none */
	struct ahead ahead;
};

enum guard { GUARD_FALSE, GUARD_TRUE, GUARD_EITHER };

/* What a state knows of local memory. */
struct value *walk_local_of(struct walk *w, struct value *state);
/* The bits of the present state go into the registers of the copy. */
void walk_restore_bits(struct walk *w);
/* A way leads to `pc` with the present state: what is known there is from now on what all ways agree on. */
void walk_branch_to(struct walk *w, uint32_t pc);
/* What is known of a register. */
struct value walk_slot_value(const struct walk *w, slot_ref slot);
/* The least that is known of an instruction's sources. */
struct value walk_sources_of(const struct walk *w, const struct insn *i);
/* So much is known of its results from now on. */
void walk_set_results(struct walk *w, const struct insn *i, enum certainty certainty, bool external);
/* Whether the guard lets the lane carry it out; *heard: that depends on memory, other lanes or time. */
enum guard walk_guard_of(const struct walk *w, const struct insn *i, bool *external);
/* Carries out a plain instruction on the present state. */
void walk_compute(struct walk *w, const struct insn *i, enum guard guard);

#endif
