/* Interac: transactions of a bank that lock two accounts in the order of their numbers (paper 1, Section 6.5.3). */
#include "bank.h"

int main(int argc, char **argv)
{
	/* Paper 1 names no size.  30,720 threads are all that its GPU has resident. */
	struct number numbers[] = {
		{"transactions", "between two accounts each", 4096, 122880, 1, 1 << 26, 0},
		{"threads", "that carry them out", 2048, 30720, 1, 1 << 24, 0},
		{"accounts", "each with a lock", 500, 5000, 2, 1 << 24, 0},
		{"group", "threads of a work-group", 256, 256, 1, 1024, 0},
	};
	uint64_t seed =
		options_read(argc, argv, "transactions between accounts, two nested locks", numbers, COUNT(numbers));
	struct bank bank = bank_of(numbers, seed);
	bank_run(&bank, "interac.cl", "transact_atomics", 0);
	return pass();
}
