/* The progress line. */
#include "cli/progress.h"

#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#define SECONDS_BETWEEN 0.1
#define SECONDS_SHOWN 120 /* of more time, minutes */

static double seconds_between(const struct timespec *from, const struct timespec *to)
{
	return (double)(to->tv_sec - from->tv_sec) + (double)(to->tv_nsec - from->tv_nsec) * 1e-9;
}

/* As long for each of the other work-groups as for those that have ended: nothing is known before the first. */
static void show_left(const struct progress_state *state)
{
	if (!state->groups_done || state->groups_done >= state->groups)
		return;
	double left = state->seconds * (double)(state->groups - state->groups_done) / (double)state->groups_done;
	fprintf(stderr, ", about %.0f %s left", left < SECONDS_SHOWN ? left : left / 60,
		left < SECONDS_SHOWN ? "s" : "min");
}

void progress_show(struct progress *progress, const struct progress_state *state)
{
	double rate = state->seconds > 0 ? (double)state->warp_instructions / state->seconds / 1e6 : 0;
	fprintf(stderr,
		"\r\033[K%s%s%" PRIu64 " cycles, %" PRIu64 " warp instructions, %.2f million/s, %" PRIu64 " of %" PRIu64
		" work-groups",
		state->kernel ? state->kernel : "", state->kernel ? ": " : "", state->cycles, state->warp_instructions,
		rate, state->groups_done, state->groups);
	show_left(state);
	fflush(stderr);
	progress->any = true;
}

static void show(void *context, uint64_t cycles, uint64_t warp_instructions, uint64_t groups_done, uint64_t groups)
{
	struct progress *p = context;
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	if (seconds_between(&p->shown, &now) < SECONDS_BETWEEN)
		return;
	p->shown = now;
	progress_show(p, &(struct progress_state){.seconds = seconds_between(&p->start, &now),
				 .cycles = cycles,
				 .warp_instructions = warp_instructions,
				 .groups_done = groups_done,
				 .groups = groups});
}

void progress_start(struct progress *progress, struct lockstep_options *options)
{
	*progress = (struct progress){0};
	clock_gettime(CLOCK_MONOTONIC, &progress->start);
	progress->shown = progress->start;
	if (!isatty(STDERR_FILENO))
		return;
	options->progress = show;
	options->progress_context = progress;
}

void progress_end(struct progress *progress)
{
	if (progress->any)
		fputs("\r\033[K", stderr);
	progress->any = false;
}
