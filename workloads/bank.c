/* A bank whose accounts have locks, as bank.h says. */
#include "bank.h"

#include <stdlib.h>

#define OPENING_BALANCE 1000

struct transaction {
	int32_t source, target, amount, unused;
};

static struct transaction *draw(const struct bank *bank)
{
	struct transaction *transactions = allocate(bank->transactions, sizeof *transactions);
	uint64_t random = bank->random;
	for (uint32_t k = 0; k < bank->transactions; k++) {
		uint32_t source = random_below(&random, bank->accounts);
		uint32_t target = (source + 1 + random_below(&random, bank->accounts - 1)) % bank->accounts;
		int32_t amount = 1 + (int32_t)random_below(&random, 100);
		transactions[k] = (struct transaction){(int32_t)source, (int32_t)target, amount, 0};
	}
	return transactions;
}

static void check(const struct bank *bank, const struct transaction *transactions, const int32_t *locks,
	const int32_t *balances, int32_t free_word)
{
	int64_t sum = 0, *serial = allocate(bank->accounts, sizeof *serial);
	for (uint32_t k = 0; k < bank->transactions; k++) {
		serial[transactions[k].source] -= transactions[k].amount;
		serial[transactions[k].target] += transactions[k].amount;
	}
	for (uint32_t k = 0; k < bank->accounts; k++)
		sum += balances[k];
	if (sum != (int64_t)bank->accounts * OPENING_BALANCE)
		fail("the balances sum up to %lld, not %lld", (long long)sum,
			(long long)bank->accounts * OPENING_BALANCE);
	for (uint32_t k = 0; k < bank->accounts; k++) {
		if (locks[k] != free_word)
			fail("the lock of account %u is still taken", k);
		if (balances[k] != OPENING_BALANCE + serial[k])
			fail("account %u has %d, %lld in a serial run", k, balances[k],
				(long long)(OPENING_BALANCE + serial[k]));
	}
	free(serial);
}

struct bank bank_of(const struct number *numbers, uint64_t seed)
{
	struct bank bank = {(uint32_t)numbers[0].value, (uint32_t)numbers[2].value, (size_t)numbers[1].value,
		(size_t)numbers[3].value, seed};
	if (bank.threads % bank.group)
		options_refuse("--threads %zu: expected a multiple of --group %zu", bank.threads, bank.group);
	return bank;
}

void bank_run(const struct bank *bank, const char *file, const char *kernel, int32_t free_word)
{
	struct transaction *transactions = draw(bank);
	struct gpu gpu = gpu_open(file, "");
	cl_mem device_transactions = gpu_buffer(&gpu, bank->transactions * sizeof *transactions, transactions);
	cl_mem locks = gpu_filled(&gpu, bank->accounts, free_word),
	       balances = gpu_filled(&gpu, bank->accounts, OPENING_BALANCE);
	GPU_LAUNCH(&gpu, kernel, bank->threads, bank->group, ARGUMENT(device_transactions), ARGUMENT(locks),
		ARGUMENT(balances), ARGUMENT(bank->transactions));

	int32_t *found_locks = allocate(bank->accounts, 4), *found_balances = allocate(bank->accounts, 4);
	gpu_read(&gpu, locks, bank->accounts * sizeof *found_locks, found_locks);
	gpu_read(&gpu, balances, bank->accounts * sizeof *found_balances, found_balances);
	check(bank, transactions, found_locks, found_balances, free_word);
	free(transactions);
	free(found_locks);
	free(found_balances);
	gpu_free(device_transactions);
	gpu_free(locks);
	gpu_free(balances);
	gpu_close(&gpu);
}
