/* The points of an experiment: each one process with one command line, which leaves one result file. */
#ifndef LOCKSTEP_EXPERIMENT_POINTS_H
#define LOCKSTEP_EXPERIMENT_POINTS_H

#include "experiment/plan.h"

#define KEY_BYTES 33 /* 128 bits in hexadecimal */

/* What runs: hashes of files, so that other files make other points. */
struct build {
	const char *folder, *command; /* of the `lockstep` that points run, and itself: whole paths */
	char simulator[KEY_BYTES];    /* of it and the front ends */
	const char **paths;           /* the programs' executables, in the plan's order */
	char (*programs)[KEY_BYTES];  /* of the executables and their sources, likewise */
	char plan[KEY_BYTES];         /* of experiment.cfg, and the views and tables that it names */
};

/* One command line. */
struct point {
	const struct program *program;
	const char *build; /* of the program */
	const char *gpu, *options, *arguments;
	const char *starts; /* options by which the seed draws when work-groups start; "": it does not */
	uint64_t seed;
	struct names words; /* the command line, but for --output FILE */
	/* Of them, those up to the GPU; all options but --pinned; all before the program. */
	uint32_t gpu_words, run_words, pinned_words;
	char key[KEY_BYTES]; /* hash of what is run: command line and builds, wherever they lie */
	const char *name;    /* of its files, without folder and ending; unique */
	const char *shown;   /* the command line for people, without folders */
};

/* A point as a set names it; several may share a point. */
struct entry {
	const struct set *set;
	const struct policy *policy;
	const struct variation *variation; /* null: none */
	uint32_t point;
};

struct points {
	enum size size;
	struct build build;
	VECTOR(struct point) points;
	VECTOR(struct entry) entries;
	const struct points *planned; /* of all sets of this size, as points_count has them; null: these are all */
};

/* All points of the plan in this size, those of these sets if `only` has any.  `folder` has `lockstep` and what it
 * needs; null: that of this program.  False and an error when a program or a file is missing. */
bool points_make(struct arena *arena, const struct plan *plan, enum size size, const struct names *only,
	const char *folder, struct points *points, struct diagnostic *diagnostic);

/* The same without looking at files: no keys, and none planned beyond. Enough to count. */
void points_count(
	struct arena *arena, const struct plan *plan, enum size size, const struct names *only, struct points *points);

/* Whether an entry is one of those that a claim or figure rests on. */
bool points_in_scope(const struct points *points, const struct entry *entry, const struct scope *scope);

/* How many of the scope's entries were planned and are not here, since they were not asked for. */
uint32_t points_left_out(const struct points *points, const struct scope *scope);

/* The point's command line for a POSIX shell: its result goes to FOLDER, and what it prints to FOLDER/NAME.log. */
const char *points_shell(struct arena *arena, const struct point *point, const char *folder);
/* The words for execv, null-terminated. */
const char **points_words(struct arena *arena, const struct point *point, const char *folder);

/* FOLDER/NAME.ENDING */
const char *points_file(struct arena *arena, const struct point *point, const char *folder, const char *ending);

#endif
