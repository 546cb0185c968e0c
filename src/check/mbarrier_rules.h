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
	bool is_first;          /* no lower lane of the warp waits for the same phase of the same mbarrier */
	bool *count_is_right;   /* a rule has seen that threads leave out arrivals which make up the count */
	const bool *uses;       /* per pc: see left_find_uses */
	bool *bytes_are_right;  /* likewise, that copies which leave out a rank make up the bytes ... */
	bool *bytes_were_right; /* ... or copies that a warp has left out once */
};

/* The same line, and the same calls that were inlined around it. */
bool rule_same_line(const struct kernel *kernel, uint32_t a, uint32_t b);
/* Two objects with the same use, as the full mbarriers of all stages. */
bool rule_same_kind(const struct rule_case *c, const struct mbarrier_object *a, const struct mbarrier_object *b);
/* A change of all instructions of a line; of the initialisations of all objects of a kind. */
struct change rule_at_line(const struct rule_case *c, uint32_t pc, struct change change);
struct change rule_at_kind(const struct rule_case *c, const struct mbarrier_object *object, struct change change);
/* All copies of an instruction, also those of other calls around it. */
struct change rule_at_copies(const struct rule_case *c, uint32_t pc, struct change change);
/* One instruction more. */
void rule_mean(struct change *change, uint32_t pc);
/* Adds what may be wrong at the case's work-group, and the change that would mend it. */
void rule_add(const struct rule_case *c, enum hang_cause cause, struct change change);
/* Likewise, with a doubt (struct finding_mend). */
void rule_add_doubtful(const struct rule_case *c, enum hang_cause cause, struct change change, const char *doubt);

/* ---- What several rules ask ---- */

/* It has been added that a thread was lapped. */
bool rule_is_lapped(const struct rule_case *c);
/* An mbarrier of the group was initialised again while it was used: phases before and after that have nothing to do
 * with each other. */
bool rule_any_in_use(const struct rule_case *c);
/* A phase of an object of the case's kind is over in the case's work-group: what has never come there is not needed. */
bool rule_is_complete_without(const struct rule_case *c);
/* The mbarrier at the case's offset in another rank of the cluster; null: there is none, or it is the case's rank. */
const struct mbarrier_object *rule_object_of_rank(const struct rule_case *c, uint32_t rank);
/* The count is that of the arrivals of all work-groups of the cluster, of which the own one has made its part. */
bool rule_counts_cluster(const struct rule_case *c);
/* A thread of the group has asked twice for the same phase of an object, one after the other. */
bool rule_asked_again(const struct rule_case *c);
/* Of the arrivals of each warp at each line, as the last record of it has them, the sum. */
uint32_t rule_arrivals_of_all(const struct rule_case *c, const struct mbarrier_object *o);

/* ---- The rules, in the order in which they are tried ---- */

/* mbarrier_parity.c */
void rule_lapped(const struct rule_case *c);
void rule_before_first(const struct rule_case *c);
void rule_initialised_again(const struct rule_case *c);
/* mbarrier_bytes.c */
void rule_wrong_mbarrier(const struct rule_case *c);
/* mbarrier_copies.c */
void rule_copy_left_out(const struct rule_case *c);
/* mbarrier_counts.c */
void rule_no_arrival(const struct rule_case *c);
/* mbarrier_bytes.c */
void rule_wrong_bytes(const struct rule_case *c);
/* mbarrier_arrivals.c */
void rule_second_arrival(const struct rule_case *c);
void rule_ended_early(const struct rule_case *c);
/* mbarrier_ranks.c */
void rule_other_rank(const struct rule_case *c);
void rule_rank_left_out(const struct rule_case *c);
void rule_own_rank_alone(const struct rule_case *c);
/* mbarrier_stages.c: by what warps have done at the stages of a pipeline, one after the other. */
/* Warps have gone on without an arrival that they make after each such wait. */
void rule_left_out(const struct rule_case *c);
/* Warps of no other rank than the case's go on without an arrival that these make in their own. */
void rule_rank_without(const struct rule_case *c);
/* A warp has arrived at another stage than the one that it has waited for. */
void rule_other_stage(const struct rule_case *c);
/* A warp waits for stages out of order, or for another phase of one. */
void rule_out_of_order(const struct rule_case *c);
/* mbarrier_targets.c */
/* Arrivals go to another stage, or bytes are expected at another one, from the first time on. */
void rule_arrives_ahead(const struct rule_case *c);
void rule_expects_elsewhere(const struct rule_case *c);
/* Waits or arrivals name mbarriers of another array. */
void rule_other_array(const struct rule_case *c);
/* mbarrier_arrivals.c */
void rule_lanes_left_out(const struct rule_case *c);
void rule_fewer_lanes(const struct rule_case *c);
void rule_waits_without(const struct rule_case *c);
void rule_passed_without(const struct rule_case *c);
/* mbarrier_counts.c */
void rule_count_too_large(const struct rule_case *c);
void rule_never_arrives(const struct rule_case *c);
void rule_count_too_small(const struct rule_case *c);
/* mbarrier_parity.c */
void rule_parity_at_start(const struct rule_case *c);
void rule_first_turn(const struct rule_case *c);
void rule_same_parity(const struct rule_case *c);

#endif
