/* The rules by which mbarrier_mends.h finds what may be wrong: what they look at, and what they add. */
#ifndef LOCKSTEP_CHECK_MBARRIER_RULES_H
#define LOCKSTEP_CHECK_MBARRIER_RULES_H

#include "check/mbarrier_mends.h"

/* A thread that waits, and the rest that the rules look at. */
struct rule_case {
	struct explanation *e;
	const struct thread *t;
	const struct mbarrier_wait *wait;
	const struct mbarrier_object *object;
	const struct mbarrier_object *const *objects; /* all of its work-group */
	uint32_t object_count;
	struct thread *at; /* of the first mend */
	struct mbarrier_wait *of;
	bool *count_is_right; /* a rule has seen that threads leave out arrivals which make up the count */
};

/* The same line, and the same calls that were inlined around it. */
bool rule_same_line(const struct kernel *kernel, uint32_t a, uint32_t b);
/* Two objects with the same use, as the full mbarriers of all stages. */
bool rule_same_kind(const struct rule_case *c, const struct mbarrier_object *a, const struct mbarrier_object *b);
/* A change of all instructions of a line; of the initialisations of all objects of a kind. */
struct change rule_at_line(const struct rule_case *c, uint32_t pc, struct change change);
struct change rule_at_kind(const struct rule_case *c, const struct mbarrier_object *object, struct change change);
/* Adds what may be wrong at the case's work-group, and the change that would mend it. */
void rule_add(const struct rule_case *c, enum hang_cause cause, struct change change);

/* mbarrier_stages.c: rules by what warps have done at the stages of a pipeline, one after the other. */
/* Warps have gone on without an arrival that they make after each such wait. */
void rule_left_out(const struct rule_case *c);
/* A warp has arrived at another stage than the one that it has waited for. */
void rule_other_stage(const struct rule_case *c);
/* A warp waits for stages out of order, or for another phase of one. */
void rule_out_of_order(const struct rule_case *c);

#endif
