/* Spin detection: which backward branches induce spinning. */
#ifndef LOCKSTEP_POLICY_SPIN_H
#define LOCKSTEP_POLICY_SPIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The model's fields spin.* that a detector may look at. */
struct spin_fields {
	bool modulo;                    /* hash by the low bits; else by exclusive or */
	uint32_t path_bits, value_bits; /* m and k, of a hashed pc and of a hashed source value */
	uint32_t history;               /* l, entries of a history */
	uint32_t threshold;             /* t, confidence at which a branch is confirmed */
	bool stays;                     /* a confirmed branch stays confirmed while it is in the table */
	uint32_t table;                 /* entries */
	bool replace_oldest;            /* of a full table; else the least confident, of several the oldest */
	bool sharing;                   /* one pair of histories, which warps use in turn */
	uint32_t epoch;                 /* cycles of a turn */
};

/* A warp executes a setp. */
struct spin_compare {
	uint64_t now;
	int warp;          /* slot of the core, from 0 to 63 */
	uint32_t kernel;   /* number of its launch */
	uint32_t pc;       /* instructions from the kernel's start */
	uint64_t value[2]; /* its sources in the first lane that executes it */
};

/* A warp executes a backward branch. */
struct spin_branch {
	uint64_t now;
	int warp;
	uint32_t kernel, pc;
	bool taken;  /* by a lane at least */
	bool marked; /* by the user */
};

/* One state per core, zeroed, in the machine's arena. */
struct spin_detector {
	const char *name, *summary;
	size_t state_size;
	void (*start)(void *state, const struct spin_fields *fields);   /* optional */
	void (*compare)(void *state, const struct spin_compare *event); /* optional: without it no setp is observed */
	bool (*branch)(
		void *state, const struct spin_branch *event); /* null: no detection; true: it is spin-inducing */
	void (*retire)(void *state, int warp);                 /* optional: the warp in this slot has finished */
};

#endif
