/* The options of `lockstep experiment`. */
#ifndef LOCKSTEP_EXPERIMENT_OPTIONS_H
#define LOCKSTEP_EXPERIMENT_OPTIONS_H

#include "experiment/plan.h"

struct experiment_options {
	struct arena *arena; /* for its lists */
	const char *name;    /* or folder; null with help */
	enum size size;
	uint32_t jobs;  /* 0: not given */
	uint32_t seeds; /* of each set, the first so many; 0: all */
	const char *output;
	struct names only; /* sets; none: all */
	const char *clang; /* that compiles the kernels; null: not given */
	bool points, collect, strict, help;
	/* On a cluster: cluster.h. */
	bool on_slurm;
	const char *partition, *account;
	uint64_t memory_mib; /* 0: not given */
	double task_seconds;
	VECTOR(const char *) sbatch;
	const char *task; /* the list of tasks of which one is to be run; null: this is no task */
};

/* Reads words[1] ... words[count - 1], words[0] being "experiment"; false and an error when they are not right. */
bool experiment_options_read(struct arena *arena, struct experiment_options *options, int count, char **words,
	struct diagnostic *diagnostic);
/* The k-th option, for the manual; false past the last. */
bool experiment_options_row(size_t k, const char **name, const char **value, const char **help);
/* For --help. */
void experiment_options_print(void);

#endif
