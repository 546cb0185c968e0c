/* What `lockstep litmus` says of its tests, as text and as JSON. */
#ifndef LOCKSTEP_LITMUS_REPORT_H
#define LOCKSTEP_LITMUS_REPORT_H

#include "litmus/model.h"
#include "litmus/progress.h"
#include "litmus/reach.h"
#include "util/text.h"

/* A test with all that is known of it. */
struct litmus_result {
	const struct litmus_test *test;
	struct litmus_outcomes outcomes; /* seen, allowed or both */
	uint64_t runs;
	bool several_gpus;               /* played as CTAs of one GPU */
	struct litmus_bound bound;       /* of the model */
	struct litmus_progress progress; /* of a test with loops or barriers */
	const char *unplayed;            /* why the model alone judges it; null: it was played */
	bool says_races;
};

/* Outcomes seen that are not allowed, all their counts.  When loops were not followed to their ends, an outcome that
 * the model does not know is none of these. */
uint64_t litmus_forbidden(const struct litmus_result *result);
/* How often an outcome that fulfils the condition was seen, and whether one is allowed. */
uint64_t litmus_seen(const struct litmus_result *result, bool *allowed);

/* A side of the race; the name of its location. */
const struct litmus_instruction *litmus_side(
	const struct litmus_result *result, const struct litmus_race *race, uint32_t side);
const char *litmus_raced(const struct litmus_result *result, const struct litmus_race *race);

/* Whether the report says how the test ends under the progress models: it has loops, or may wait for ever. */
bool litmus_says_progress(const struct litmus_result *result);

void litmus_write_text(struct text *out, const struct litmus_result *result);
/* Behind the last of `count` tests; `bad` files were no tests that can be played. */
void litmus_write_summary(struct text *out, const struct litmus_result *const *results, uint32_t count, uint32_t bad);

/* What memory of the GPU does, a field each. */
void litmus_write_freedoms(struct text *out, const char *gpu, const struct litmus_freedoms *freedoms);

/* The same for programs; the GPU's name, its memory and the seed in front. */
struct litmus_setting {
	const char *gpu;
	uint64_t seed;
	const struct litmus_freedoms *freedoms;
};
void litmus_write_json(struct text *out, const struct litmus_setting *setting,
	const struct litmus_result *const *results, uint32_t count, uint32_t bad);

#endif
