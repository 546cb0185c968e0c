/* Whether a test with loops comes to an end, under each progress model of docs/progress.md: each of its threads counts
 * as a work-group of its own, as in Sorensen et al., Specifying and Testing GPU Workgroup Progress Models, OOPSLA 2021.
 */
#ifndef LOCKSTEP_LITMUS_PROGRESS_H
#define LOCKSTEP_LITMUS_PROGRESS_H

#include "litmus/test.h"

enum litmus_ending { LITMUS_FINISHES, LITMUS_MAY_HANG, LITMUS_HANGS, LITMUS_UNDECIDED };

#define LITMUS_MODELS 6
extern const char *const litmus_model_names[LITMUS_MODELS]; /* as of --dispatch; the first is "fair" */

struct litmus_progress {
	enum litmus_ending endings[LITMUS_MODELS];
	uint32_t states;
};

struct litmus_progress litmus_progress(struct arena *arena, const struct litmus_test *test);
/* "always finishes", as `--schedules` says it. */
const char *litmus_ending_name(enum litmus_ending ending);

#endif
