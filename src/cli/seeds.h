/* --seeds N of `lockstep kernel` and `lockstep run`: the command once for each seed, and all findings in the report of
 * the first. */
#ifndef LOCKSTEP_CLI_SEEDS_H
#define LOCKSTEP_CLI_SEEDS_H

#include "report/seeds.h"

#include "util/diagnostic.h"
#include "util/vector.h"

#define SEEDS_MOST 10000

struct options;

/* In struct options. */
struct seeds_options {
	uint64_t count; /* 0: --seeds is not given */
	VECTOR(const char *)
	kept;             /* words of the command for the other runs: how it runs, and not what is told of it */
	bool is_of_first; /* the option that was read last is not for those */
};

/* A word of the command has been read, with its value the words from `first` to before `end`. */
void seeds_keep(struct options *o, char *const *first, char *const *end);
/* Whether the options go together; else an error. */
void seeds_check(const struct options *o, struct diagnostic *diagnostic);

/* Runs the command with all seeds but the first, of which the caller has the result, and adds what they found to
 * `findings`.  *status, of the first run, becomes that of the first which went wrong.  The member "seeds" of the
 * report, the caller's; null: --seeds is not given, or an error. */
struct json_object *seeds_run(const struct options *o, const struct seed_result *first, struct json_object *findings,
	int *status, struct diagnostic *diagnostic);

#endif
