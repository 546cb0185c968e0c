/* The rules by which barrier_mends.h finds what may be wrong, and what they add. */
#ifndef LOCKSTEP_CHECK_BARRIER_RULES_H
#define LOCKSTEP_CHECK_BARRIER_RULES_H

#include "check/barrier_uses.h"

/* All instructions of a line, with the calls that were inlined around it. */
void barrier_mean_line(const struct barrier_case *c, struct change *change, uint32_t pc);
/* Adds what may be wrong, and the change that would mend it. */
void barrier_add(const struct barrier_case *c, enum hang_cause cause, struct change change);
/* A new struct mend_turns, in which no number has another. */
struct mend_turns *barrier_new_turns(const struct barrier_case *c);

/* barrier_numbers.c: with other numbers at one line each barrier gets as many threads as it counts, which it does not
 * with those that the line gives. */
void barrier_rule_number(const struct barrier_case *c);
/* A first turn is given where its warps wait themselves. */
void barrier_rule_first_number(const struct barrier_case *c);

/* barrier_turns.c */
/* A barrier lacks the arrivals of warps whose arrivals come in another order than threads wait for them. */
bool barrier_out_of_order(const struct barrier_case *c);
/* Threads wait for each other's arrivals, and nobody has had the first turn. */
void barrier_rule_first(const struct barrier_case *c);
/* Warps have stopped without an arrival that they make after a wait.  True: which of them is said. */
bool barrier_rule_turn(const struct barrier_case *c);
/* Warps that came to the barriers have ended, or wait at a later barrier. */
void barrier_rule_gone(const struct barrier_case *c, bool is_said);
/* A warp has arrived twice in one phase. */
void barrier_rule_twice(const struct barrier_case *c);

#endif
