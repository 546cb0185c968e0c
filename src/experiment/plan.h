/* An experiment as its file says: programs and what of them is measured, points to run, claims, figures.
 *
 * The format of experiment.cfg is in docs/experiments-write.md; every key is a row of a table in plan.c. */
#ifndef LOCKSTEP_EXPERIMENT_PLAN_H
#define LOCKSTEP_EXPERIMENT_PLAN_H

#include "util/arena.h"
#include "util/diagnostic.h"
#include "util/vector.h"

/* How much work a point is: a few seconds, or what the paper did. */
enum size { SIZE_SMALL, SIZE_PAPER, SIZE_COUNT };
extern const char *const size_names[SIZE_COUNT];

struct names {
	const char **at;
	uint32_t count, capacity;
};

struct numbers {
	double *at;
	uint32_t count;
};

struct program {
	struct place place;
	const char *name;
	const char *file; /* as written: beside the command in workloads/, or with a '/' from the experiment's folder */
	struct names sources;              /* files that it reads and that are part of its build: kernels */
	const char *arguments[SIZE_COUNT]; /* words between blanks; {seed} is replaced by the seed */
	double seconds[SIZE_COUNT];        /* that a point takes, roughly, until some have been measured */
};

/* What has a name in the paper: some kernels of a program. */
struct benchmark {
	struct place place;
	const char *name, *program;
	struct names kernels; /* none: all */
};

struct policy {
	struct place place;
	const char *name;
	const char *options; /* of `lockstep run`: words between blanks */
};

struct variation {
	struct place place;
	const char *name;
	const char *arguments[SIZE_COUNT]; /* after the program's */
	double value;                      /* for an axis */
};

/* Points: programs x gpus x policies x variations x seeds. */
struct set {
	struct place place;
	const char *name, *text;
	struct names programs, gpus, policies, variations;
	struct numbers seeds;
	bool may_fail;    /* a hang or fault of these points is a result like any other */
	const char *size; /* it is of this size alone; null: of all */
};

/* The points that a claim or figure rests on: those of the sets, where given only of these programs, policies and
 * variations. */
struct scope {
	struct names sets, programs, policies, variations;
};

/* What may be taken away from the machine, or set otherwise, to see which claims depend on it: in the results, what ran
 * under the k-th policy is replaced by what ran under the k-th of `by`; with variations, likewise, only of that one by
 * that one. */
struct control {
	struct place place;
	const char *name, *text;
	const char *parameter; /* not null: it takes nothing away, but has this parameter at another value, its name */
	struct names policies, by, variations, by_variations;
};

/* What a claim's value shows of the mechanism. */
enum role {
	ROLE_FITTED,        /* a parameter was chosen on it: `parameter` */
	ROLE_CONFIRMED,     /* nothing was chosen on it */
	ROLE_DEFINITION,    /* arithmetic on the configuration */
	ROLE_OTHER_MACHINE, /* the paper measured it on a machine that this is no model of */
	ROLE_COUNT
};
extern const char *const role_names[ROLE_COUNT];

struct claim {
	struct place place;
	const char *id, *part, *where, *metric, *kind, *unit;
	const char *role, *parameter; /* parameter: of a fitted one, which, and what was chosen */
	const char *paper;            /* a number, "2.6 to 4.3" of the kind range, or text */
	const char *value;            /* SQL with one value, asked of the results of each seed */
	struct scope scope;
	struct numbers seeds; /* those it is asked of; none: all */
	/* of kind ratio: share of the paper's value; points: in the value's own unit; others have none */
	double tolerance;
	const char *explanation;
	struct numbers holds; /* of our value: from, to; outside of it the explanation is stale */
};

struct figure {
	struct place place;
	const char *id, *title, *caption, *paper, *shape;
	const char *rows;  /* SQL */
	const char *marks; /* SQL for the paper's values: the same columns; null: none */
	struct scope scope;
	const char *template, *setup; /* a gnuplot file in the folder, and commands before it */
	double width, height;         /* pixels */
};

struct plan {
	const char *name, *folder, *file;
	const char *title, *paper, *text, *views; /* views: SQL file of the folder, or null */
	struct names tables;                      /* CSV files of the folder */
	const char *pinned; /* a folder: PROGRAM/ of it is the pinned PTX of a program with sources; null: none */
	double time_limit[SIZE_COUNT]; /* seconds of processor time for a point */
	bool fixed_starts;             /* seeds do not draw when work-groups start: points.c */
	VECTOR(struct program) programs;
	VECTOR(struct benchmark) benchmarks;
	VECTOR(struct policy) policies;
	VECTOR(struct variation) variations;
	VECTOR(struct set) sets;
	VECTOR(struct control) controls;
	VECTOR(struct claim) claims;
	VECTOR(struct figure) figures;
};

/* Reads FOLDER/experiment.cfg; null and one line in `diagnostic` when it is not right. */
struct plan *plan_read(struct arena *arena, const char *folder, struct diagnostic *diagnostic);

/* Whether a plan that has been read makes sense (plan_check.c).  The first thing that does not goes to the diagnostic,
 * with its place in experiment.cfg: a name that is unknown or there twice, a value that its kind cannot judge, a role
 * or explanation that lacks what belongs to it. */
void plan_check(struct arena *arena, const struct plan *plan, struct diagnostic *diagnostic);

/* Leaves the first `count` seeds of each set. */
void plan_limit_seeds(struct plan *plan, uint32_t count);

/* By name; null when there is none. */
const struct program *plan_program(const struct plan *plan, const char *name);
const struct policy *plan_policy(const struct plan *plan, const char *name);
const struct variation *plan_variation(const struct plan *plan, const char *name);
enum role plan_role(const struct claim *claim);
/* What is claimed: the metric, and its part if it has one. */
const char *plan_claim_words(struct arena *arena, const struct claim *claim);
/* Its kind judges numbers: factor, points, ratio, range, atmost or atleast. */
bool plan_has_numbers(const struct claim *claim);

struct bounds {
	double from, to;
};

/* What the paper says of such a claim: twice the number, of a range its two, of atmost and atleast the number and an
 * infinite one.  NaN and NaN: the text is not so. */
struct bounds plan_paper(const struct claim *claim);

/* A path in the plan, as it is seen from the experiment's folder. */
const char *plan_path(struct arena *arena, const struct plan *plan, const char *path);

bool names_have(const struct names *names, const char *name);

#endif
