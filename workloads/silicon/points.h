/* A point: one primitive in one configuration, and files with a list of them. */
#ifndef LOCKSTEP_SILICON_POINTS_H
#define LOCKSTEP_SILICON_POINTS_H

#include "primitives.h"

enum { CHAIN_STRIDE = 16 }; /* where none is given */

struct point {
	const struct primitive *primitive;
	char type[32];
	unsigned stride, footprint, groups, threads;
};

/* What the point cannot be, one line; else null. */
const char *point_impossible(const struct point *point);
/* The points of a CSV whose first six columns are those that silicon writes; further columns, comments, the header and
 * rows of primitives or types that silicon does not have are ignored.  A wrong file ends the program with one line and
 * status 2. */
struct point *points_read(const char *file, size_t *count);

#endif
