/* Plays a litmus test: launches on several host threads, counted together. */
#include "litmus/play.h"

#include <pthread.h>
#include <stdatomic.h>

/* What the threads share; each launch is a GPU of its own, so that no launch depends on another. */
struct shared {
	const struct litmus_test *test;
	const struct litmus_play *play;
	_Atomic uint64_t next; /* launch */
	uint64_t launches;
	atomic_bool stop;
};

struct player {
	struct shared *shared;
	struct arena arena;
	struct litmus_outcomes outcomes;
	uint64_t runs;
	uint64_t failed; /* the launch that the diagnostic is of */
	struct diagnostic diagnostic;
	pthread_t thread;
	bool started;
};

static bool play_launch(struct player *p, uint64_t number)
{
	const struct lockstep_options *setup = p->shared->play->setup;
	uint64_t seed = setup->seed + number * 0x9E3779B97F4A7C15;
	struct arena arena = {0};
	struct litmus_outcomes outcomes = {.variables = p->outcomes.variables};
	bool good =
		litmus_launch(&arena, p->shared->test, setup, splitmix64(&seed), &outcomes, &p->runs, &p->diagnostic);
	litmus_outcomes_add(&p->arena, &p->outcomes, &outcomes);
	arena_free(&arena);
	if (!good)
		p->failed = number;
	return good;
}

static void *play_launches(void *context)
{
	struct player *p = context;
	uint64_t number;
	while (!atomic_load(&p->shared->stop) && (number = atomic_fetch_add(&p->shared->next, 1)) < p->shared->launches)
		if (!play_launch(p, number))
			atomic_store(&p->shared->stop, true);
	return NULL;
}

/* Adds what the player has; of errors the first launch's counts, so that it is the same for any number of threads. */
static void gather(struct arena *arena, struct player *p, struct litmus_outcomes *outcomes, uint64_t *runs,
	const struct player **bad)
{
	if (p->started)
		pthread_join(p->thread, NULL);
	litmus_outcomes_add(arena, outcomes, &p->outcomes);
	*runs += p->runs;
	if (p->diagnostic.failed && (!*bad || p->failed < (*bad)->failed))
		*bad = p;
}

bool litmus_play(struct arena *arena, const struct litmus_test *test, const struct litmus_play *play,
	struct litmus_outcomes *outcomes, uint64_t *runs, struct diagnostic *diagnostic)
{
	struct shared shared = {.test = test, .play = play, .launches = 1};
	uint32_t jobs = play->jobs ? play->jobs : 1;
	struct player *players = arena_new_array(arena, struct player, jobs);
	const struct player *bad = NULL;
	for (uint32_t k = 0; k < jobs; k++) {
		players[k].shared = &shared;
		players[k].outcomes.variables = test->variables.count;
	}
	/* The first launch says how many instances one has. */
	play_launches(&players[0]);
	atomic_store(&shared.next, 1);
	if (!players[0].diagnostic.failed)
		shared.launches = (play->runs + players[0].runs - 1) / players[0].runs;
	for (uint32_t k = 1; k < jobs && k < shared.launches; k++)
		players[k].started = !pthread_create(&players[k].thread, NULL, play_launches, &players[k]);
	play_launches(&players[0]);
	outcomes->variables = test->variables.count;
	for (uint32_t k = 0; k < jobs; k++)
		gather(arena, &players[k], outcomes, runs, &bad);
	if (bad)
		diagnose(diagnostic, (struct place){0}, "%s", bad->diagnostic.message);
	for (uint32_t k = 0; k < jobs; k++)
		arena_free(&players[k].arena);
	return !bad;
}
