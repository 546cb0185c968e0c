/* Vector clocks of very many threads: what each has come to know of the others.
 *
 * A clock has an epoch for every thread, 0 where nothing is known.  Threads are numbered so that those of a warp, and
 * those of a work-group, are neighbours: most clocks are then a few runs of equal epochs.  A clock is a tree with
 * CLOCK_FAN branches at a node; a run that fills a branch is the branch.  Trees share what they have in common, and
 * count the references to each node; one that is referred to once is changed in place.
 *
 * What a clock learns is joined only when somebody asks for it: see pending.c.
 *
 * Source of the idea: vector clocks compressed by the hierarchy of threads, BARRACUDA (PLDI 2017), section 4; the
 * persistent tree is ours. */
#ifndef LOCKSTEP_RACE_CLOCK_H
#define LOCKSTEP_RACE_CLOCK_H

#include "util/vector.h"

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>

#define CLOCK_FAN 16

/* The address, plus one, of a tree's node, or of a join that is done when somebody asks; or epoch << 1 for all threads.
 * A whole clock has only epoch 0 for all: CLOCK_NOTHING.  What is zeroed knows nothing. */
typedef uintptr_t vector_clock;
#define CLOCK_NOTHING ((vector_clock)0)

struct clock_node;
struct pending_clock;
struct free_parts;

#define CLOCKS_WAITING (1u << 17) /* joins that wait; what then comes is joined at once, so that memory has a bound */

struct clock_pool {
	struct arena *arena;
	struct clock_node *free[2]; /* nodes, leaves */
	/* of pending.c */
	struct pending_clock *free_pending;
	struct free_parts *free_list[10];         /* by size: see clock_memory */
	uint32_t waiting;                         /* joins */
	VECTOR(struct pending_clock *) unsettled; /* for pending_settle alone */
};

/* Memory for small lists: 32 << size bytes, size 0 to 9; and given back.  It may hold anything. */
void *clock_memory(struct clock_pool *pool, uint32_t size);
void clock_give_back(struct clock_pool *pool, void *memory, uint32_t size);

/* Another reference to it; and one less. */
vector_clock clock_keep(vector_clock clock);
void clock_drop(struct clock_pool *pool, vector_clock clock);

uint32_t clock_at(vector_clock clock, uint32_t thread);
/* Whether the clock has that epoch of the thread, or a later one, as far as that is seen without joining anything. */
enum clock_glance { CLOCK_LACKS, CLOCK_HAS, CLOCK_UNSURE };
enum clock_glance clock_glance(vector_clock clock, uint32_t thread, uint32_t epoch);
/* Threads first + k, for the bits k of `threads`, of which the clock lacks the epoch. */
uint64_t clock_lacking(vector_clock clock, uint32_t first, uint64_t threads, uint32_t epoch);
/* False: to ask it anything else means joining. */
bool clock_is_joined(vector_clock clock);
/* The clock with `epoch` for `count` threads from `first` on; takes over the caller's reference to `clock`. */
vector_clock clock_set(struct clock_pool *pool, vector_clock clock, uint32_t first, uint32_t count, uint32_t epoch);
/* Of each thread the later epoch; takes over the reference to `into`. */
vector_clock clock_join(struct clock_pool *pool, vector_clock into, vector_clock other);
/* A clock, and an epoch of a thread: a clock that has that epoch of that thread, or a later one, has all of this clock,
 * too.  So it is for what the thread knew when it ended that epoch by a release, and spares most comparisons. */
struct known {
	vector_clock clock;
	uint32_t thread, epoch; /* epoch 0: of no thread */
};
#define KNOWN_NOTHING ((struct known){0})

/* Whether the clock is seen to have all of that. */
bool known_is_in(vector_clock clock, const struct known *known);
/* Adds what `other` knows.  False: it was known. */
bool known_join(struct clock_pool *pool, struct known *into, const struct known *other);
/* The same for many, where few of them are known: *last is the last that was not.  The parts are changed. */
bool known_join_all(
	struct clock_pool *pool, struct known *into, struct known *part, uint32_t count, struct known *last);
/* A long list of what was learned, of which many will learn, is joined, once for all of them. */
void known_join_long(const struct known *known);
/* Becomes an event of the thread, which comes behind all that it knows. */
void known_mark(struct clock_pool *pool, struct known *known, uint32_t thread, uint32_t epoch);
/* Becomes what `what` is; and nothing. */
void known_become(struct clock_pool *pool, struct known *known, const struct known *what);
void known_forget(struct clock_pool *pool, struct known *known);

/* What several threads have handed on: all of the parts.  One that includes others takes their place, as it does when
 * each of them had what was handed on before, so there is mostly one. */
#define KNOWLEDGE_PARTS 4
struct knowledge {
	uint32_t count;
	union {
		struct known one;   /* if there is one */
		struct known *part; /* KNOWLEDGE_PARTS of them, of the pool, if there are several */
	};
};
#define KNOWLEDGE_NOTHING ((struct knowledge){0})

static inline const struct known *knowledge_part(const struct knowledge *k)
{
	assert(k->count <= KNOWLEDGE_PARTS);
	return k->count > 1 ? k->part : &k->one;
}

#define EACH_PART(p, knowledge)                                                                                        \
	for (const struct known *p = knowledge_part(knowledge), *end_of_##p = p + (knowledge)->count; p < end_of_##p;  \
		p++)

void knowledge_add(struct clock_pool *pool, struct knowledge *into, const struct known *what);
void knowledge_join(struct clock_pool *pool, struct knowledge *into, const struct knowledge *other);
void knowledge_become(struct clock_pool *pool, struct knowledge *knowledge, const struct knowledge *what);
void knowledge_forget(struct clock_pool *pool, struct knowledge *knowledge);

/* The lowest thread from `from` on, outside [first, first + count), of which `clock` has a later epoch than `known`. */
bool clock_beyond(
	vector_clock clock, vector_clock known, uint32_t from, uint32_t first, uint32_t count, uint32_t *thread);

#endif
