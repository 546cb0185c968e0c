/* The program's options.  A wrong one ends it with one line and status 2. */
#ifndef LOCKSTEP_SILICON_OPTIONS_H
#define LOCKSTEP_SILICON_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

enum { LIST_MOST = 64 };

/* Numbers with commas between; of --groups some are thousandths of the cores. */
struct numbers {
	unsigned long value[LIST_MOST];
	bool of_cores[LIST_MOST];
	size_t count;
};

struct options {
	const char *primitives, *types; /* words with commas between; null: all */
	struct numbers threads, groups, strides, footprints;
	unsigned long iterations; /* 0: as many as take `cycles` */
	unsigned long cycles;
	unsigned long warm;   /* iterations */
	unsigned long repeat; /* odd, so that one of them is the median */
	const char *kernels;  /* a file, or null */
	const char *points;   /* a file with the points to measure; null: those of the lists */
	const char *gpu;      /* the first column; null: the device's name */
	unsigned long sample; /* of so many points one is measured, chosen by its hash */
	bool spread, hash, drain, list, help;
};

struct options options_read(int argc, char **argv);
void options_help(void);
/* Is the word one of the list?  Null: any is. */
bool options_name(const char *list, const char *word);

#endif
