/* ATM: transfers between the accounts of a bank, each under the locks of both (paper 2, Section V and Fig. 6a). */
#include "bank.h"

int main(int argc, char **argv)
{
	/* 122 K and 24 K: multiples of 1024 that give each thread 5 transactions. */
	struct number numbers[] = {
		{"transactions", "between two accounts each", 8192, 122880, 1, 1 << 26, 0},
		{"threads", "that carry them out", 4096, 24576, 1, 1 << 24, 0},
		{"accounts", "each with a lock", 500, 1000, 2, 1 << 24, 0},
		{"group", "threads of a work-group", 256, 256, 1, 1024, 0},
	};
	uint64_t seed =
		options_read(argc, argv, "transfers between accounts, two nested locks", numbers, COUNT(numbers));
	struct bank bank = bank_of(numbers, seed);
	bank_run(&bank, "atm.cl", "transfer", 0);
	return pass();
}
