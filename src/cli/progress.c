/* The progress line. */
#include "cli/progress.h"

#include "util/terminal.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define SECONDS_BETWEEN 0.1
#define SECONDS_SHOWN 120 /* of more time, minutes */
#define LEAST_DONE 20     /* one work-group of so many must have ended for an estimate */
#define LEAST_NAME 12     /* columns of a kernel's name */

static double seconds_between(const struct timespec *from, const struct timespec *to)
{
	return (double)(to->tv_sec - from->tv_sec) + (double)(to->tv_nsec - from->tv_nsec) * 1e-9;
}

/* ---- Words ---- */

/* Appends them if they fit. */
__attribute__((format(printf, 3, 4))) static void add(struct text *out, uint32_t columns, const char *format, ...)
{
	char part[128];
	va_list list;
	va_start(list, format);
	vsnprintf(part, sizeof part, format, list);
	va_end(list);
	if (terminal_width(out->at, (uint32_t)out->length) + strlen(part) <= columns)
		text_append(out, part, strlen(part));
}

/* "KERNEL: ", at most a third of the line. */
static void add_kernel(struct text *out, const char *kernel, uint32_t columns)
{
	uint32_t most = columns / 3 > LEAST_NAME ? columns / 3 : LEAST_NAME, fit;
	if (!kernel)
		return;
	fit = terminal_fit(kernel, most);
	if (kernel[fit])
		text_print(out, "%.*s...: ", (int)terminal_fit(kernel, most - 3), kernel);
	else
		text_print(out, "%s: ", kernel);
}

/* As long for each of the other work-groups as for those that have ended.  Those must be some; and others must have
 * begun after them, which is sure when twice the time of the first has passed: if all run from the start, as in
 * persistent kernels, they end when they like, the last not long after the first. */
static bool can_tell(const struct progress_state *state)
{
	return state->groups_done >= (state->groups + LEAST_DONE - 1) / LEAST_DONE &&
	       state->seconds >= 2 * state->first_end;
}

static void add_left(struct text *out, const struct progress_state *state, uint32_t columns)
{
	if (state->groups_done >= state->groups || !can_tell(state))
		return;
	double left = state->seconds * (double)(state->groups - state->groups_done) / (double)state->groups_done;
	add(out, columns, ", about %.0f %s left", left < SECONDS_SHOWN ? left : left / 60,
		left < SECONDS_SHOWN ? "s" : "min");
}

/* Functional mode has no cycles. */
static void add_done(struct text *out, const struct progress_state *state, uint32_t columns)
{
	char digits[TEXT_DIGITS];
	bool timed = state->cycles != 0;
	add(out, columns, " %s %s", text_grouped(timed ? state->cycles : state->warp_instructions, digits),
		timed ? "cycles" : "warp instructions");
}

void progress_words(struct text *out, const struct progress_state *state, uint32_t columns)
{
	char digits[TEXT_DIGITS];
	text_append(out, "", 0);
	add_kernel(out, state->kernel, columns);
	if (state->test) {
		add(out, columns, "a hang, confirming the cause: %" PRIu32 " of %" PRIu32, state->test, state->tests);
		if (state->cycles)
			add(out, columns, ", %s cycles", text_grouped(state->cycles, digits));
		return;
	}
	add(out, columns, "running,");
	add_done(out, state, columns);
	add_left(out, state, columns);
	add(out, columns, ", %" PRIu64 " of %" PRIu64 " work-groups", state->groups_done, state->groups);
	if (state->seconds > 0)
		add(out, columns, ", %.2f million instructions/s",
			(double)state->warp_instructions / state->seconds / 1e6);
	if (state->groups_done < state->groups && !can_tell(state))
		add(out, columns, ", time left not known yet");
}

/* ---- The line ---- */

void progress_note(struct progress *progress, struct progress_state *state)
{
	if (!state->groups_done || state->seconds < progress->seconds) /* another kernel runs */
		progress->first_end = 0;
	if (state->groups_done && progress->first_end == 0)
		progress->first_end = state->seconds;
	progress->seconds = state->seconds;
	state->first_end = progress->first_end;
}

void progress_show(struct progress *progress, const struct progress_state *state)
{
	struct arena arena = {0};
	struct text line = {.arena = &arena};
	uint32_t columns = terminal_columns(STDERR_FILENO);
	progress_words(&line, state, columns ? columns - 1 : 0);
	terminal_show_line(line.at);
	arena_free(&arena);
	progress->any = true;
}

/* Not too often, but each new test of a cause. */
static void show_state(struct progress *p, struct progress_state state)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	state.seconds = seconds_between(&p->start, &now);
	progress_note(p, &state);
	if (state.test == p->test && seconds_between(&p->shown, &now) < SECONDS_BETWEEN)
		return;
	p->shown = now;
	p->test = state.test;
	state.kernel = p->kernel;
	progress_show(p, &state);
}

static void show(void *context, uint64_t cycles, uint64_t warp_instructions, uint64_t groups_done, uint64_t groups)
{
	show_state(context, (struct progress_state){.cycles = cycles,
				    .warp_instructions = warp_instructions,
				    .groups_done = groups_done,
				    .groups = groups});
}

static void show_test(void *context, uint32_t test, uint32_t tests, uint64_t cycles)
{
	show_state(context, (struct progress_state){.test = test, .tests = tests, .cycles = cycles});
}

void progress_start(struct progress *progress, struct lockstep_options *options)
{
	*progress = (struct progress){0};
	clock_gettime(CLOCK_MONOTONIC, &progress->start);
	progress->shown = progress->start;
	if (!terminal_has_codes(STDERR_FILENO))
		return;
	options->progress = show;
	options->confirming = show_test;
	options->progress_context = progress;
}

void progress_end(struct progress *progress)
{
	if (progress->any)
		terminal_erase_line();
	progress->any = false;
}
