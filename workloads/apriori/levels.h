/* The frequent sets of a database, level by level, as the host finds them: without candidates, joins or a hash tree, to
 * check those who use them. */
#ifndef LOCKSTEP_WORKLOADS_APRIORI_LEVELS_H
#define LOCKSTEP_WORKLOADS_APRIORI_LEVELS_H

#include "quest.h"

/* All frequent sets of `size` items, in lexicographic order: set s has items[s * size] on, ascending, in supports[s]
 * transactions. */
struct level {
	uint32_t size, count;
	uint32_t *items, *supports;
};

/* Of size 1. */
struct level level_first(const struct database *database, uint32_t minimum);
/* Those with one item more, perhaps none. */
struct level level_next(const struct database *database, uint32_t minimum, const struct level *level);
void level_free(struct level *level);

#endif
