/* A bank whose accounts have locks: transactions are drawn, carried out by a kernel, and checked.  They commute, so the
 * balances must be those of a serial run, and their sum what it was. */
#ifndef LOCKSTEP_WORKLOADS_BANK_H
#define LOCKSTEP_WORKLOADS_BANK_H

#include "common.h"

struct bank {
	uint32_t transactions, accounts;
	size_t threads, group;
	uint64_t random;
};

/* The numbers --transactions, --threads, --accounts and --group in this order, as options_read has left them, and its
 * seed. */
struct bank bank_of(const struct number *numbers, uint64_t seed);

/* Fails when it goes wrong.  `free_word` is what a lock holds that nobody has.  The kernel of `file` has the parameters
 * (global const int4 *transactions, volatile global int *locks, volatile global int *balances, uint count); a
 * transaction is source, target, amount and nothing. */
void bank_run(const struct bank *bank, const char *file, const char *kernel, int32_t free_word);

#endif
