/* What can be measured: a row each, whose kernels are NAME_TYPE_1 and _2 in kernels.cu. */
#ifndef LOCKSTEP_SILICON_PRIMITIVES_H
#define LOCKSTEP_SILICON_PRIMITIVES_H

#include <stdbool.h>
#include <stddef.h>

/* What of a point the primitive depends on beside threads and groups. */
enum memory {
	NO_MEMORY,
	ONE_WORD,
	OWN_WORDS,     /* --stride elements apart */
	TWO_OWN_WORDS, /* likewise, in two arrays */
	CHAIN,         /* of loads through --footprint bytes, nodes --stride elements apart */
	SWEEP,         /* of all threads, over --footprint bytes */
	GROUP_SWEEP,   /* likewise, each group its own */
};

struct primitive {
	const char *name, *types; /* types: words with a blank between */
	enum memory memory;
	unsigned operations; /* that the difference of two iterations is */
	const char *what;
};

extern const struct primitive primitives[];
extern const size_t primitive_count;

/* Whether its points have a stride. */
bool primitive_is_strided(const struct primitive *primitive);
/* Bytes of an element of this type. */
unsigned primitive_bytes(const char *type);

#endif
