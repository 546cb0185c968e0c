/* ATM: transfers between the accounts of a bank, each under the locks of both (paper 2, Section V and Fig. 6a).
 * Transfers commute, so the balances must be those of a serial run, and their sum what it was. */
#include "common.h"

#include <stdlib.h>

#define OPENING_BALANCE 1000

struct transaction {
	int32_t source, target, amount, unused;
};

static void draw(struct transaction *transactions, uint32_t count, uint32_t accounts, uint64_t random)
{
	for (uint32_t k = 0; k < count; k++) {
		uint32_t source = random_below(&random, accounts);
		uint32_t target = (source + 1 + random_below(&random, accounts - 1)) % accounts;
		int32_t amount = 1 + (int32_t)random_below(&random, 100);
		transactions[k] = (struct transaction){(int32_t)source, (int32_t)target, amount, 0};
	}
}

static void check(const struct transaction *transactions, uint32_t count, const int32_t *locks, const int32_t *balances,
	uint32_t accounts)
{
	int64_t sum = 0, *serial = allocate(accounts, sizeof *serial);
	for (uint32_t k = 0; k < count; k++) {
		serial[transactions[k].source] -= transactions[k].amount;
		serial[transactions[k].target] += transactions[k].amount;
	}
	for (uint32_t k = 0; k < accounts; k++)
		sum += balances[k];
	if (sum != (int64_t)accounts * OPENING_BALANCE)
		fail("the balances sum up to %lld, not %lld", (long long)sum, (long long)accounts * OPENING_BALANCE);
	for (uint32_t k = 0; k < accounts; k++) {
		if (locks[k])
			fail("the lock of account %u is still taken", k);
		if (balances[k] != OPENING_BALANCE + serial[k])
			fail("account %u has %d, %lld in a serial run", k, balances[k],
				(long long)(OPENING_BALANCE + serial[k]));
	}
	free(serial);
}

int main(int argc, char **argv)
{
	/* 122 K and 24 K: multiples of 1024 that give each thread 5 transactions. */
	struct number numbers[] = {
		{"transactions", "between two accounts each", 8192, 122880, 1, 1 << 26, 0},
		{"threads", "that carry them out", 4096, 24576, 1, 1 << 24, 0},
		{"accounts", "each with a lock", 500, 1000, 2, 1 << 24, 0},
		{"group", "threads of a work-group", 256, 256, 1, 1024, 0},
	};
	uint64_t random =
		options_read(argc, argv, "transfers between accounts, two nested locks", numbers, COUNT(numbers));
	uint32_t count = (uint32_t)numbers[0].value, accounts = (uint32_t)numbers[2].value;
	size_t threads = (size_t)numbers[1].value, group = (size_t)numbers[3].value;
	if (threads % group)
		options_refuse("--threads %zu: expected a multiple of --group %zu", threads, group);

	struct transaction *transactions = allocate(count, sizeof *transactions);
	draw(transactions, count, accounts, random);
	struct gpu gpu = gpu_open("atm.cl", "");
	cl_mem device_transactions = gpu_buffer(&gpu, count * sizeof *transactions, transactions);
	cl_mem locks = gpu_filled(&gpu, accounts, 0), balances = gpu_filled(&gpu, accounts, OPENING_BALANCE);
	GPU_LAUNCH(&gpu, "transfer", threads, group, ARGUMENT(device_transactions), ARGUMENT(locks), ARGUMENT(balances),
		ARGUMENT(count));

	int32_t *found_locks = allocate(accounts, 4), *found_balances = allocate(accounts, 4);
	gpu_read(&gpu, locks, accounts * sizeof *found_locks, found_locks);
	gpu_read(&gpu, balances, accounts * sizeof *found_balances, found_balances);
	check(transactions, count, found_locks, found_balances, accounts);
	free(transactions);
	free(found_locks);
	free(found_balances);
	gpu_free(device_transactions);
	gpu_free(locks);
	gpu_free(balances);
	gpu_close(&gpu);
	return pass();
}
