/* A fat binary may be anybody's: whatever the bytes, its reader gives texts or says one line. */
#include "host/cuda/fat_binary.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Text, or an error of one line. */
static void check_text(char *text, const struct diagnostic *diagnostic)
{
	if (!text == !diagnostic->failed || !text != !!*diagnostic->message || strchr(diagnostic->message, '\n'))
		abort();
	if (text && strlen(text) > FAT_TEXT_MAXIMUM)
		abort();
	free(text);
}

/* Frames that claim many megabytes, and are refused only when all have been taken, cost time and show nothing more. */
static bool is_quick(const struct fat_entry *entry)
{
	return entry->unpacked <= 1 << 20 || entry->unpacked > FAT_TEXT_MAXIMUM;
}

static void check_entry(const struct fat_binary *binary, const struct fat_entry *entry)
{
	const unsigned char *end = binary->data + binary->bytes;
	if (entry->payload < binary->data || entry->payload > end || entry->bytes > (size_t)(end - entry->payload))
		abort();
	for (size_t k = 0; k < entry->bytes; k++)
		*(volatile const unsigned char *)&entry->payload[k];
	if (entry->kind == FAT_PTX && is_quick(entry)) {
		struct diagnostic diagnostic = {0};
		check_text(fat_entry_text(entry, &diagnostic), &diagnostic);
	}
}

static void check_targets(const struct fat_binary *binary)
{
	struct arena arena = {0};
	struct text targets = {.arena = &arena};
	fat_binary_targets(binary, &targets);
	arena_free(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fat_binary binary;
	struct fat_entry entry;
	struct diagnostic diagnostic = {0};
	size_t at = 0, last = 0;
	if (size >= 16 && fat_binary_size(data) < 16)
		abort();
	if (!fat_binary_open(&binary, data, size, &diagnostic)) {
		check_text(NULL, &diagnostic);
		return 0;
	}
	if (binary.bytes != fat_binary_size(data) || binary.bytes > size || diagnostic.failed)
		abort();
	while (fat_binary_next(&binary, &at, &entry)) {
		if (at <= last || at > binary.bytes)
			abort();
		last = at;
		check_entry(&binary, &entry);
	}
	if (last && last != binary.bytes)
		abort();
	check_targets(&binary);
	uint32_t capability = data[size - 1]; /* of the device, ten times */
	if (!fat_binary_choose(&binary, capability, &entry) || is_quick(&entry))
		check_text(fat_binary_ptx(&binary, capability, &diagnostic), &diagnostic);
	return 0;
}
