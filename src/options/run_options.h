/* How kernels are run: the options that `lockstep kernel` and `lockstep run` take from their words, and that `lockstep
 * run` passes to the program through its environment.  run_options.def has a row for each; all here is driven by the
 * rows. */
#ifndef LOCKSTEP_OPTIONS_RUN_OPTIONS_H
#define LOCKSTEP_OPTIONS_RUN_OPTIONS_H

#include "lockstep.h"

struct arena;
struct diagnostic;

/* The model of CUDA programs where none is named; of all else it is the standard of the row `gpu`. */
#define CUDA_GPU "rtx2070s"

/* Whose options: bits. */
enum options_user {
	OPTIONS_KERNEL = 1,
	OPTIONS_RUN = 2,
	OPTIONS_LINT = 4,
	OPTIONS_LITMUS = 8,
	OPTIONS_COMPARE = 16,
	OPTIONS_REPORT = 32,
	OPTIONS_SWEEP = 64,
	OPTIONS_FIT = 128,
	OPTIONS_DEBUG = 512,
	OPTIONS_FIRST = 256, /* a mark beside them: see run_options.def */
	OPTIONS_BOTH = OPTIONS_KERNEL | OPTIONS_RUN,
	OPTIONS_COMPILING = OPTIONS_KERNEL | OPTIONS_LINT,
	OPTIONS_ALL = OPTIONS_BOTH | OPTIONS_LINT
};

struct run_options {
	/* what the GPU is opened with; functions and their contexts are the caller's to fill in */
	struct lockstep_options setup;
	/* As they were given, for the environment; `setup` has what they mean. */
	struct {
		const char *check, *trace_window, *trace_cores, *launch;
	} words;
	/* What the simulator does not know of. */
	struct {
		const char *const *suppressions;                   /* files, null-terminated; null: none */
		const char *const *only;                           /* KERNEL or KERNEL:N, null-terminated; null: none */
		const char *opencl_version, *vendor, *device_name; /* null: not given */
	} program;
};

/* The rows by their fields' names: RUN_OPTION_seed. */
enum run_option_index {
#define RUN_OPTION(part, field, flag, value, type, variable, reported, users, help) RUN_OPTION_##field,
#include "options/run_options.def"
	RUN_OPTION_COUNT
};

/* NUMBER: uint32_t or uint64_t, 0 when it is not given.  Where 0 may be given and is not the standard, a given 0 is
 * kept as UINT64_MAX, which the simulator takes as "never" (LOCKSTEP_EXPLAIN_NEVER).  CHOICE: an enum.  TEXT: a string,
 * null when it is not given.  LIST: a null-terminated list of strings, or null. */
enum run_option_type { RUN_OPTION_NUMBER, RUN_OPTION_CHOICE, RUN_OPTION_TEXT, RUN_OPTION_LIST };

/* Whether a text names a file, which must be absolute for a program that may change its directory; MODEL: if it has a /
 * or a dot. */
enum run_option_names { RUN_OPTION_NO_FILE, RUN_OPTION_FILE, RUN_OPTION_MODEL };

struct run_option {
	const char *flag, *value, *variable, *key; /* key: "run.seed" */
	enum run_option_type type;
	enum run_option_names names;
	size_t offset, bytes; /* of its field in struct run_options */
	uint64_t lowest, highest, standard;
	bool is_switch;      /* a choice of off and on, whose flag may come alone */
	bool passes_default; /* of a choice: the variable is set for the first word, too */
	const char *expected, *standard_text;
	/* Of texts, one of the two: whether the value can be meant; or, where it can, puts what it means into the
	 * setup. */
	bool (*check)(const char *value);
	bool (*parse)(const char *value, struct lockstep_options *setup, struct arena *arena);
	uint32_t reported;
};
extern const struct run_option run_options[RUN_OPTION_COUNT];

/* Options of which none is given; all of it but the size and the standard texts is 0. */
void run_options_init(struct run_options *options);

/* For the simulator itself: what is not given becomes what that means. */
void run_options_complete(struct lockstep_options *setup);

/* A value is given: true, or false and an error.  Texts are not copied; lists grow in the arena. */
bool run_option_read(const struct run_option *option, const char *value, struct run_options *options,
	struct arena *arena, struct diagnostic *diagnostic);

/* A value was not what was expected: an error.  For the readers of other options, too; `flag` is without its dashes.
 * Always false. */
bool run_option_refuse(const char *flag, const char *value, const char *expected, struct diagnostic *diagnostic);
/* A whole number from lowest to highest: true, or false and an error. */
bool run_option_limited(const char *flag, const char *value, uint64_t lowest, uint64_t highest, uint64_t *number,
	struct diagnostic *diagnostic);

/* Sets the variables of all options in this process's environment; of those that are not given there is none, unless
 * the row says so. */
void run_options_to_environment(const struct run_options *options, struct arena *arena);
/* Everything that the environment says, in *options.  False and an error for what is no number, and for what the setup
 * has as no text; other texts and words are not checked. */
bool run_options_from_environment(struct run_options *options, struct arena *arena, struct diagnostic *diagnostic);

/* The model that the environment names; null: none. */
const char *run_options_model_of_environment(void);

/* What a choice may be: "timing or functional". */
const char *run_option_words(const struct run_option *option, struct arena *arena);
/* The k-th option among those in a report's configuration, null past the last; and its value there, by its type: what
 * not giving it means where it is not given. */
const struct run_option *run_option_reported(uint32_t k);
uint64_t run_option_number(const struct run_option *option, const struct run_options *options);
const char *run_option_word(const struct run_option *option, const struct run_options *options, struct arena *arena);
const char *const *run_option_list(const struct run_option *option, const struct run_options *options);

/* ---- Within this folder: the field of a row, read and written by the row's type ---- */

/* NUMBER and CHOICE; 0 where it is not given. */
uint64_t field_number(const struct run_option *option, const struct run_options *options);
/* The number must fit the field. */
void field_set_number(const struct run_option *option, struct run_options *options, uint64_t number);
/* Whether 0 may be given and means something else than not giving it: it is kept as UINT64_MAX. */
static inline bool field_zero_is_never(const struct run_option *option)
{
	return option->standard && !option->lowest;
}
/* As field_set_number, with that exchange. */
void field_give_number(const struct run_option *option, struct run_options *options, uint64_t number);
/* CHOICE: false, and nothing set, when it is none of the words. */
bool field_give_word(const struct run_option *option, struct run_options *options, const char *word);
/* TEXT; it is not copied. */
const char *field_text(const struct run_option *option, const struct run_options *options);
void field_set_text(const struct run_option *option, struct run_options *options, const char *text);
/* LIST: puts one more at its end; it is not copied. */
void field_add_text(
	const struct run_option *option, struct run_options *options, const char *text, struct arena *arena);

#endif
