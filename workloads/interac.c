/* Interac: transactions of a bank that lock two accounts in the order of their numbers (paper 1, Section 6.5.3). */
#include "bank.h"

int main(int argc, char **argv)
{
	static const char *const words[] = {"atomics", "locks", NULL};
	static const char *const kernels[] = {"transact_atomics", "transact_locks"};
	static const int32_t free_words[] = {0, -1};
	/* Paper 1 names no size.  30,720 threads are all that its GPU has resident. */
	struct number numbers[] = {
		{"transactions", "between two accounts each", 4096, 122880, 1, 1 << 26, 0},
		{"threads", "that carry them out", 2048, 30720, 1, 1 << 24, 0},
		{"accounts", "each with a lock", 500, 20000, 2, 1 << 24, 0},
		{"group", "threads of a work-group", 256, 256, 1, 1024, 0},
	};
	struct choice sync = {"sync", "loops of compare-and-swap, or lock instructions", words, 0};
	uint64_t seed = options_read_choice(
		argc, argv, "transactions between accounts, two nested locks", numbers, COUNT(numbers), &sync);
	struct bank bank = bank_of(numbers, seed);
	bank_run(&bank, "interac.cl", kernels[sync.value], free_words[sync.value]);
	return pass();
}
