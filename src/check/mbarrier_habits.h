/* What warps do at the stages of a pipeline, for the rules of mbarrier_rules.h.
 *
 * A visit is a wait that a warp has passed, and what it does at mbarriers until it passes the next.  A habit is an
 * arrival, or a copy, that is part of most visits which begin at the same line: it goes to the stage of the same
 * number, or of one at a fixed distance.  Copies are looked at as far as they tell mbarriers of the case's rank. */
#ifndef LOCKSTEP_CHECK_MBARRIER_HABITS_H
#define LOCKSTEP_CHECK_MBARRIER_HABITS_H

#include "check/mbarrier_rules.h"

#include "machine/lsu/mbarrier_trace.h"

#define RING MEND_STAGES
#define HABITS 48
#define ARRIVALS 16 /* of a visit, and copies */

/* Mbarriers of the same use, one for each stage, by their offsets. */
struct stage_ring {
	uint32_t count, at[RING];
};

/* A warp of the case's work-group or of its cluster. */
struct actor {
	const struct core *core;
	const struct group *group;
	const struct mbarrier_trace *trace;
	uint32_t rank, warp, lane;
	bool has_stopped; /* the lane waits at an mbarrier, or has left (explore/left.h) */
};

struct visit {
	const struct mbarrier_event *pass, *arrivals[ARRIVALS];
	uint32_t count;
	bool is_over; /* the warp has passed another wait since, or waits, or has ended */
};

struct habit {
	uint32_t pass_pc, pc; /* of the wait and the arrival */
	uint32_t rank;        /* of the mbarrier's work-group */
	struct stage_ring from, to;
	uint32_t shifts[RING]; /* warps, by the distance of the stages in most of their visits */
	uint32_t arrivals;     /* at once; bytes of copies, the most of one visit to one mbarrier */
	uint32_t each;         /* bytes of the largest copy of a lane */
	bool is_remote;        /* threads of another work-group make it, too */
	bool is_copy;
	bool is_for_more; /* in one visit a warp does it in several ranks */
};

struct pipeline {
	const struct rule_case *c;
	uint32_t rank; /* of the case's work-group */
	struct actor *actors;
	uint32_t actor_count;
	struct habit habits[HABITS];
	uint32_t habit_count;
};

/* Null: the case's work-group has initialised none there. */
const struct mbarrier_object *stage_object(const struct rule_case *c, uint64_t offset);
/* The place of the mbarrier at an offset in a ring; -1: it is not there. */
int stage_place(const struct stage_ring *ring, uint64_t offset);
/* Those that are initialised or waited for at the same line as the one at `offset`, or as another of them. */
struct stage_ring stage_ring_of(const struct rule_case *c, uint64_t offset);

/* The actor's next visit, from event *k on; false: there is none. */
bool visit_next(const struct actor *a, uint32_t *k, struct visit *visit);
#define EACH_VISIT(v, actor)                                                                                           \
	struct visit v;                                                                                                \
	for (uint32_t v##_k = 0; visit_next((actor), &v##_k, &v);)

/* The ranks in which a visit has arrivals, or copies, at the habit's lines. */
uint32_t habit_ranks(const struct pipeline *p, const struct habit *h, const struct visit *v);
/* The arrival of a visit that is the habit; null: it has none. */
const struct mbarrier_event *habit_arrival(const struct pipeline *p, const struct habit *h, const struct visit *v);
/* The distance of an arrival's stage from that of the wait before; -1: it has none. */
int habit_shift(const struct habit *h, const struct visit *v, const struct mbarrier_event *arrival);
/* The distance that it has for most warps; where the visit's arrival goes by it, -1: not known. */
int habit_usual_shift(const struct habit *h);
int64_t habit_usual_target(const struct habit *h, const struct visit *v);

/* The stages of a habit, with its usual targets or those of another distance. */
struct mend_stages *stages_of_habit(
	const struct pipeline *p, const struct habit *h, const struct stage_ring *to, uint32_t shift);
/* Adds a MEND_DUE, and the same together with what is added already for other work-groups of the cluster. */
void rule_add_due(const struct pipeline *p, enum hang_cause cause, struct change change);

/* ---- Evidence that the habit is what differs ----
 *
 * A change may also let a kernel complete because it makes up for a fault at another place. */

/* In each turn of the actor by the habit's wait it has arrived where the habit goes, by whatever line, as far as the
 * stage has come round again since: where it has not, nothing was missed.  */
bool habit_in_each_turn(const struct pipeline *p, const struct habit *h, const struct actor *a);
/* Warps that have the habit do it in most of their turns by its wait. */
bool habit_is_usual(const struct pipeline *p, const struct habit *h);
/* In this visit the warp has arrived at another stage of those to which the habit goes than it does at other times. */
bool habit_went_elsewhere(const struct pipeline *p, const struct habit *h, const struct visit *v);
/* The actor has come to a stage more often than it has had turns that lead there, by the habit's line, or in another
 * rank by whatever line: what has not come to another stage, or rank, may have gone there. */
bool habit_came_too_often(const struct pipeline *p, const struct habit *h, const struct actor *a);
/* What is known of the warps of the case's work-group and its cluster. */
struct pipeline pipeline_of(const struct rule_case *c);

#endif
