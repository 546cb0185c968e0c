/* Fitting: a GPU model against a table that workloads/silicon has written on a card.
 *
 *     table -> points -> simulated by children -> errors
 *                             laws (laws.def): a search for the value of one field each -> proposals -> a model's file
 *
 * A hash puts each point into one of two halves (docs/silicon.md).  Laws see the half `fit` alone, so the errors of the
 * half `held out` say what the proposals are worth on points that nobody has fitted. */
#ifndef LOCKSTEP_FIT_FIT_H
#define LOCKSTEP_FIT_FIT_H

#include "util/text.h"
#include "util/vector.h"

struct lockstep;

/* A row of the table. */
struct fit_point {
	const char *name; /* the first six columns, as they stand in the table */
	const char *primitive, *type;
	uint32_t footprint, stride; /* 0: the primitive has none */
	uint32_t groups, threads;
	double measured;      /* cycles */
	bool held_out;        /* else of the half `fit` */
	bool sampled;         /* it is in the table of errors */
	double before, after; /* simulated cycles by the model and by the proposals; not above 0: not compared */
};

/* What one child simulates: some points, with some fields changed. */
struct fit_trial {
	VECTOR(const char *) settings; /* "FIELD=VALUE" */
	VECTOR(uint32_t) points;       /* indexes of fit->points */
	double *cycles;                /* of each; NAN: silicon has no such primitive */
};

/* One work-group; as many as cores; or any number up to that, where cores do not matter to each other. */
enum fit_groups { FIT_ONE, FIT_ALL, FIT_SOME };

/* Which points a law is about, and which field they determine.  The bounds of threads are inclusive. */
struct fit_law {
	const char *field;
	const char *together;           /* a field that moves by as much; null: none */
	const char *stands_for;         /* the field whose value a 0 means; null: 0 means 0 */
	uint32_t stage;                 /* laws of a lower stage come first, and their proposals are used */
	int sign;                       /* 1: a greater value makes the points take longer; -1: less long */
	const char *primitives, *types; /* words with a blank between; null: all types */
	uint32_t least_threads, most_threads;
	uint32_t stride;         /* 0: any */
	uint32_t most_footprint; /* bytes; 0: the primitive has none */
	enum fit_groups groups;
	uint32_t less_threads; /* compared is what it takes more than the point with so many threads; 0: all it takes */
};

enum fit_state {
	FIT_SEARCHING,
	FIT_NO_POINTS, /* the table has none of its shape in the half `fit` */
	FIT_NO_EFFECT, /* the points take as long whatever the value is */
	FIT_BAD,       /* the best value leaves large errors */
	FIT_KEPT,      /* the model's value is right */
	FIT_PROPOSED,
};

/* The search for a law's value.  `low` and `high` are values that have been tried, with the errors' medians. */
struct fit_search {
	const struct fit_law *law;
	enum fit_state state;
	VECTOR(uint32_t) points; /* of the half `fit` */
	VECTOR(uint32_t) bases;  /* with law->less_threads: of each, the point that is subtracted */
	int64_t start, together; /* the model's values */
	int64_t next;            /* to be tried now */
	int64_t low, high, best;
	double low_error, high_error, best_error; /* median of ln(simulated / measured) */
	bool has_low, has_high;
	double least, greatest; /* of all errors so far */
	uint32_t tries;
	bool is_done;
	double median, worst; /* errors of the points at `best`, 0.01: 1 % */
	double start_median;  /* at `start` */
};

struct fit {
	struct arena *arena;
	const char *model, *file; /* of the table */
	const char *card;         /* whose rows are taken; null: of the only one */
	const char *folder;       /* for what is written */
	const char *program;      /* workloads/silicon */
	struct lockstep *gpu;     /* the model, open: its fields */
	uint32_t jobs, sample; /* processes at a time; one point of so many is in the table of errors, 0: by itself */

	VECTOR(struct fit_point) points;
	uint32_t left_out;                  /* rows whose cycles are not above 0 */
	uint32_t unknown;                   /* points that silicon cannot simulate */
	uint32_t hidden;                    /* points that take the model no time */
	VECTOR(struct fit_search) searches; /* of each law, in the order of laws.def */
	int stopped;                        /* by this signal */
};

/* Reads the table.  False and an error, with its line and column. */
bool fit_read(struct fit *fit, struct diagnostic *diagnostic);
/* Simulates all trials.  False: fit->stopped, or an error. */
bool fit_simulate(struct fit *fit, struct fit_trial *trials, uint32_t count, struct diagnostic *diagnostic);
/* Simulates the points of the table of errors, with the proposals or without.  False likewise. */
bool fit_compare(struct fit *fit, bool proposed, struct diagnostic *diagnostic);

/* laws.c: the searches, all of them to their ends.  False likewise. */
bool fit_search_all(struct fit *fit, struct diagnostic *diagnostic);
/* The proposals of a stage below this one, as settings of a trial. */
void fit_add_settings(const struct fit *fit, uint32_t stage, struct fit_trial *trial);
#define FIT_ALL_STAGES UINT32_MAX

/* The value of law->together with this one. */
int64_t fit_together(const struct fit_search *search, int64_t value);

/* The search itself, apart from where its points' errors come from: the error at `next` is known.  It then has another
 * `next`, or is done.  `least` and `most`: of the field.  True: no value has been better. */
bool fit_step(struct fit_search *search, double error, int64_t least, int64_t most);

/* report.c, report_json.c: the report, as text and as JSON; and each point with its errors as CSV. */
void fit_write_report(const struct fit *fit, struct text *out);
void fit_write_json(const struct fit *fit, struct text *out);
void fit_write_csv(const struct fit *fit, struct text *out);
/* model_file.c: a model's file, for --gpu, whose base is the model; a base that is a file is named by its whole path.
 */
void fit_write_model(const struct fit *fit, struct text *out);
uint32_t fit_proposals(const struct fit *fit);

/* Sorts, and gives the share's quantile: the median of 0.5. */
double fit_quantile(double *values, uint32_t count, double share);

#endif
