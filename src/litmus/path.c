/* The ways through a thread: each branch goes on or goes to its label, which is further down. */
#include "litmus/execution.h"

#define PATHS 256

struct walk {
	struct arena *arena;
	const struct litmus_thread *thread;
	VECTOR(struct litmus_path) paths;
};

static void walk_from(struct walk *w, uint32_t at, struct litmus_path path)
{
	while (at < w->thread->code.count && w->paths.count <= PATHS) {
		const struct litmus_instruction *i = &w->thread->code.at[at];
		uint32_t bit = 1u << at;
		path.done |= bit;
		if (i->kind == LITMUS_BRANCH) {
			struct litmus_path taken = {path.done, path.taken | bit};
			walk_from(w, i->jump, taken);
		}
		at++;
	}
	*vector_push(w->arena, &w->paths) = path;
}

const struct litmus_path *litmus_paths(
	struct arena *arena, const struct litmus_thread *thread, uint32_t *count, struct diagnostic *diagnostic)
{
	struct walk w = {.arena = arena, .thread = thread};
	walk_from(&w, 0, (struct litmus_path){0});
	*count = w.paths.count;
	if (*count <= PATHS)
		return w.paths.at;
	diagnose(diagnostic, thread->code.at[0].place,
		"the thread has too many branches, expected at most %u ways through it", PATHS);
	return NULL;
}
