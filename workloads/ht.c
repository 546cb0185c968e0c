/* HT: a chained hash table that all threads fill at once, one lock per bucket (paper 2, Section V and Fig. 1a).
 * Every key must hang exactly once in the chain of its bucket, and every lock must be free. */
#include "common.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

enum { ATOMICS, LOCKS };

/* unlocked: the word of a lock that nobody has. */
static void check(const uint32_t *keys, const int32_t *locks, const int32_t *heads, const int32_t *next, uint32_t items,
	uint32_t buckets, uint32_t lock_words, int32_t unlocked)
{
	uint8_t *seen = allocate(items, 1);
	uint32_t found = 0;
	for (uint32_t bucket = 0; bucket < buckets; bucket++) {
		if (locks[bucket * lock_words] != unlocked)
			fail("the lock of bucket %u is still taken", bucket);
		for (int32_t item = heads[bucket]; item != -1; item = next[item]) {
			if (item < 0 || (uint32_t)item >= items)
				fail("the chain of bucket %u has item %d of %u", bucket, item, items);
			if (keys[item] % buckets != bucket)
				fail("key %u hangs in bucket %u", keys[item], bucket);
			if (seen[item]++)
				fail("item %d hangs in the table twice", item);
			found++;
		}
	}
	if (found != items)
		fail("%u of %u items are in the table", found, items);
	free(seen);
}

int main(int argc, char **argv)
{
	/* 40 K and 3.2 M: multiples of 1024 that give each thread 80 insertions. */
	struct number numbers[] = {
		{"items", "insertions", 16384, 3276800, 1, INT32_MAX, 0},
		{"threads", "that insert", 8192, 40960, 1, 1 << 24, 0},
		{"buckets", "of the table, each with a lock", 256, 1024, 1, 1 << 24, 0},
		{"group", "threads of a work-group", 256, 256, 1, 1024, 0},
		{"lock-words", "of 4 bytes from one lock to the next", 1, 1, 1, 64, 0},
		{"barriers", "1: of the work-group between attempts", 0, 0, 0, 1, 0},
	};
	static const char *const words[] = {"atomics", "locks", NULL};
	struct choice sync = {"sync", "spin locks of atomics, or lock instructions", words, ATOMICS};
	uint64_t random = options_read_choice(
		argc, argv, "insertions into a hash table, a lock per bucket", numbers, COUNT(numbers), &sync);
	uint32_t items = (uint32_t)numbers[0].value, buckets = (uint32_t)numbers[2].value;
	uint32_t lock_words = (uint32_t)numbers[4].value, lock_count = buckets * lock_words;
	size_t threads = (size_t)numbers[1].value, group = (size_t)numbers[3].value;
	bool locked = sync.value == LOCKS, barriers = numbers[5].value != 0;
	int32_t unlocked = locked ? -1 : 0; /* lock instructions have thread numbers for locks */
	char options[80] = "";
	if (locked && barriers)
		options_refuse("--sync locks: expected no --barriers");
	if (threads % group)
		options_refuse("--threads %zu: expected a multiple of --group %zu", threads, group);

	uint32_t *keys = allocate(items, sizeof *keys);
	for (uint32_t k = 0; k < items; k++)
		keys[k] = (uint32_t)random_next(&random);
	if (lock_words > 1 || barriers || locked)
		snprintf(options, sizeof options, "-D LOCK_WORDS=%u%s%s", lock_words, barriers ? " -D BARRIERS" : "",
			locked ? " -D LOCK_INSTRUCTIONS" : "");
	struct gpu gpu = gpu_open("ht.cl", options);
	cl_mem device_keys = gpu_buffer(&gpu, items * sizeof *keys, keys),
	       locks = gpu_filled(&gpu, lock_count, unlocked);
	cl_mem heads = gpu_filled(&gpu, buckets, -1), next = gpu_filled(&gpu, items, -2);
	GPU_LAUNCH(&gpu, "insert", threads, group, ARGUMENT(device_keys), ARGUMENT(locks), ARGUMENT(heads),
		ARGUMENT(next), ARGUMENT(items), ARGUMENT(buckets));

	int32_t *found_locks = allocate(lock_count, 4), *found_heads = allocate(buckets, 4),
		*found_next = allocate(items, 4);
	gpu_read(&gpu, locks, lock_count * sizeof *found_locks, found_locks);
	gpu_read(&gpu, heads, buckets * sizeof *found_heads, found_heads);
	gpu_read(&gpu, next, items * sizeof *found_next, found_next);
	check(keys, found_locks, found_heads, found_next, items, buckets, lock_words, unlocked);
	free(keys);
	free(found_locks);
	free(found_heads);
	free(found_next);
	gpu_free(device_keys);
	gpu_free(locks);
	gpu_free(heads);
	gpu_free(next);
	gpu_close(&gpu);
	return pass();
}
