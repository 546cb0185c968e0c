/* The progress line. */
#include "cli/progress.h"

#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#define SECONDS_BETWEEN 0.1

static double seconds_between(const struct timespec *from, const struct timespec *to)
{
	return (double)(to->tv_sec - from->tv_sec) + (double)(to->tv_nsec - from->tv_nsec) * 1e-9;
}

static void show(void *context, uint64_t cycles, uint64_t warp_instructions, uint64_t groups_done, uint64_t groups)
{
	struct progress *p = context;
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	if (seconds_between(&p->shown, &now) < SECONDS_BETWEEN)
		return;
	double seconds = seconds_between(&p->start, &now);
	double rate = seconds > 0 ? (double)warp_instructions / seconds / 1e6 : 0;
	fprintf(stderr,
		"\r\033[K%" PRIu64 " cycles, %" PRIu64 " warp instructions, %.2f million/s, %" PRIu64 " of %" PRIu64
		" work-groups",
		cycles, warp_instructions, rate, groups_done, groups);
	fflush(stderr);
	p->shown = now;
	p->any = true;
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
