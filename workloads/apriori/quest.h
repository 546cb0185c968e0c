/* Databases of transactions as Agrawal and Srikant draw them (Fast Algorithms for Mining Association Rules, VLDB 1994,
 * Section 4; known as the generator of IBM's Quest project): what people buy is put together of patterns that are
 * bought together.  All randomness is SplitMix64's. */
#ifndef LOCKSTEP_WORKLOADS_APRIORI_QUEST_H
#define LOCKSTEP_WORKLOADS_APRIORI_QUEST_H

#include <stdint.h>

/* The paper's parameters. */
struct quest {
	uint32_t transactions; /* |D| */
	uint32_t length;       /* |T|: average of a transaction */
	uint32_t pattern;      /* |I|: average length of a pattern */
	uint32_t patterns;     /* |L| */
	uint32_t items;        /* N */
	double correlation;    /* mean share of a pattern that is of the one before; 0.5 in the paper */
};

/* Transaction t has items[starts[t]] to items[starts[t + 1] - 1], ascending and different, each below the number of
 * items. */
struct database {
	uint32_t transactions, items_known;
	uint32_t *starts, *items;
};

/* No transaction is empty.  None of the parameters is 0, and items are 2 at least. */
struct database quest_draw(const struct quest *quest, uint64_t random);
void database_free(struct database *database);

#endif
