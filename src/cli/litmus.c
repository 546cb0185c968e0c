/* `lockstep litmus`: litmus tests on the simulated GPU, judged by the memory model of PTX. */
#include "cli/options.h"
#include "litmus/barriers.h"
#include "litmus/files.h"
#include "litmus/model.h"
#include "litmus/play.h"
#include "litmus/reach.h"
#include "litmus/report.h"
#include "util/file_kind.h"

/* A forbidden outcome was seen. */
enum { STATUS_FORBIDDEN = 1 };

struct session {
	struct options *options;
	struct diagnostic *diagnostic;
	struct litmus_files files;
	VECTOR(const struct litmus_result *) results;
	struct litmus_freedoms freedoms; /* of the GPU's memory */
	uint32_t bad;                    /* files that are no test, or cannot be played */
};

/* Null and an error when the file is no test, or cannot be judged or played. */
static struct litmus_result *play_file(struct session *s, const char *file, struct diagnostic *diagnostic)
{
	struct arena *arena = s->options->arena;
	struct litmus_result *result = arena_new(arena, struct litmus_result);
	struct litmus_play play = {&s->options->run.setup, s->options->litmus.runs, s->options->jobs};
	size_t length = 0;
	const char *text = text_read_file(arena, file, &length, diagnostic);
	struct litmus_test *test = text ? litmus_read(arena, file, text, diagnostic) : NULL;
	file_kind_explain(file, FILE_LITMUS, "a litmus test", diagnostic);
	if (!test || !litmus_model(arena, test, &result->outcomes, &result->bound, diagnostic))
		return NULL;
	result->test = test;
	result->says_races = s->options->litmus.races;
	result->several_gpus = litmus_places(test, 1).several_gpus;
	result->progress = litmus_progress(arena, test);
	result->unplayed = litmus_unplayable_barriers(test);
	if (!result->unplayed && result->progress.endings[0] == LITMUS_HANGS && !test->loops)
		result->unplayed = "its threads wait for each other at barriers for ever";
	if (result->unplayed)
		return result;
	if (!litmus_play(arena, test, &play, &result->outcomes, &result->runs, diagnostic))
		return NULL;
	litmus_reach(test, &s->freedoms, arena, &result->outcomes);
	return result;
}

static bool look_at_gpu(struct session *s)
{
	struct lockstep_error error;
	struct lockstep *gpu = lockstep_open(&s->options->run.setup, &error);
	if (gpu)
		s->freedoms = litmus_freedoms(s->options->arena, gpu);
	lockstep_close(gpu);
	return gpu || diagnose(s->diagnostic, (struct place){0}, "%s", error.message);
}

/* One bad file does not keep the others from being played. */
static void play_files(struct session *s)
{
	for (uint32_t k = 0; k < s->files.list.count; k++) {
		struct diagnostic diagnostic = {0};
		struct litmus_result *result = play_file(s, s->files.list.at[k], &diagnostic);
		if (result) {
			*vector_push(s->options->arena, &s->results) = result;
		} else {
			fail(&diagnostic);
			s->bad++;
		}
	}
}

static bool write_report(const struct session *s)
{
	const struct options *o = s->options;
	struct text text = {.arena = o->arena};
	if (o->report.reporter->complete) {
		struct litmus_setting setting = {o->run.setup.gpu, o->run.setup.seed, &s->freedoms};
		litmus_write_json(&text, &setting, s->results.at, s->results.count, s->bad);
	} else if (o->litmus.reaches) {
		litmus_write_freedoms(&text, o->run.setup.gpu, &s->freedoms);
	} else {
		for (uint32_t k = 0; k < s->results.count; k++)
			litmus_write_text(&text, s->results.at[k]);
		litmus_write_summary(&text, s->results.at, s->results.count, s->bad);
	}
	return options_write(o, &text, s->diagnostic);
}

int command_litmus(struct options *o, struct diagnostic *diagnostic)
{
	struct session session = {.options = o, .diagnostic = diagnostic}, *s = &session;
	uint64_t forbidden = 0;
	if (o->litmus.races)
		o->run.setup.check = LOCKSTEP_CHECK_RACES_ALL;
	/* The GPU is opened once before: a file's error is not said of its options. */
	if (!look_at_gpu(s))
		return fail(diagnostic);
	if (o->litmus.reaches)
		return write_report(s) ? STATUS_COMPLETED : fail(diagnostic);
	if (!litmus_find_files(o->arena, o->file, &s->files, diagnostic))
		return fail(diagnostic);
	play_files(s);
	if ((s->results.count || s->files.list.count > 1) && !write_report(s))
		return fail(diagnostic);
	for (uint32_t k = 0; k < s->results.count; k++)
		forbidden += litmus_forbidden(s->results.at[k]);
	return forbidden ? STATUS_FORBIDDEN : s->bad ? STATUS_USAGE : STATUS_COMPLETED;
}
