/* The explanation of loads that an L1 answered with old values. */
#ifndef LOCKSTEP_CHECK_STALE_WORDS_H
#define LOCKSTEP_CHECK_STALE_WORDS_H

#include "util/arena.h"

struct machine;
struct launch;
struct stale_read;

/* The first recorded load of the launch that got an old value; null: none.  Good until the machine runs again. */
const struct stale_read *stale_first(const struct machine *machine, const struct launch *launch);

/* "group (1,0,0) thread (0,0,0) read 0x10000000 (buf 'stop' + 0x0) at x.cl:12 in cycle 812 from a line of the L1 that
 * was overwritten around cycle 640 by group (0,0,0) at x.cl:20": of stale_first, and how many there were
 * in all; null: none. */
const char *stale_words(struct machine *machine, struct launch *launch, struct arena *arena);

#endif
