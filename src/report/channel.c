/* The memory file between `lockstep run` and the programs that it runs. */
#include "report/channel.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#define MAGIC 0x4c534852u /* before each record, to find the next one behind a record that was cut off by a kill */
#define SLOTS_BYTES (CHANNEL_SLOTS * sizeof(struct channel_slot))

struct header {
	uint32_t magic, kind, process, reserved;
	uint64_t length; /* of the text behind it */
};

static bool map_slots(struct channel *channel)
{
	void *slots = mmap(NULL, SLOTS_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, channel->file, 0);
	channel->slots = slots == MAP_FAILED ? NULL : slots;
	return channel->slots;
}

bool channel_create(struct channel *channel)
{
	*channel = (struct channel){.file = memfd_create("lockstep", MFD_CLOEXEC)};
	if (channel->file < 0)
		return false;
	if (!ftruncate(channel->file, SLOTS_BYTES) && map_slots(channel))
		return true;
	close(channel->file);
	return false;
}

void channel_close(struct channel *channel)
{
	munmap(channel->slots, SLOTS_BYTES);
	close(channel->file);
}

static char *read_file(const struct channel *channel, struct arena *arena, size_t *length)
{
	struct stat state;
	size_t got = 0;
	ssize_t more = 1;
	*length = 0;
	if (fstat(channel->file, &state) || (size_t)state.st_size <= SLOTS_BYTES)
		return NULL;
	size_t size = (size_t)state.st_size - SLOTS_BYTES;
	char *text = arena_alloc(arena, size + 1);
	while (got < size && more > 0) {
		more = pread(channel->file, text + got, size - got, (off_t)(SLOTS_BYTES + got));
		got += more > 0 ? (size_t)more : 0;
	}
	*length = got;
	return text;
}

/* The record at text[at], or what is behind a piece of one; the number of bytes to go on by. */
static size_t take_record(struct arena *arena, const char *text, size_t left, struct channel_record *record)
{
	struct header header;
	*record = (struct channel_record){0};
	if (left < sizeof header)
		return left;
	memcpy(&header, text, sizeof header);
	if (header.magic != MAGIC)
		return 1;
	if (header.length > left - sizeof header)
		return sizeof header;
	*record = (struct channel_record){
		.kind = header.kind,
		.process = header.process,
		.text = arena_copy(arena, text + sizeof header, header.length),
		.length = header.length,
	};
	return sizeof header + header.length;
}

struct channel_record *channel_read(const struct channel *channel, struct arena *arena, size_t *count)
{
	struct arena scratch = {0};
	size_t length, at = 0, capacity = 0;
	const char *text = read_file(channel, &scratch, &length);
	struct channel_record *records = NULL, record;
	*count = 0;
	while (at < length) {
		at += take_record(arena, text + at, length - at, &record);
		if (!record.text)
			continue;
		if (*count == capacity) {
			size_t more = capacity ? capacity * 2 : 16;
			records = arena_grow(arena, records, capacity * sizeof record, more * sizeof record);
			capacity = more;
		}
		records[(*count)++] = record;
	}
	arena_free(&scratch);
	return records;
}

static void claim_slot(struct channel *channel)
{
	uint32_t own = (uint32_t)getpid();
	channel->process = CHANNEL_SLOTS;
	channel->own = &channel->spare;
	for (uint32_t k = 0; k < CHANNEL_SLOTS; k++) {
		uint32_t none = 0;
		if (!atomic_compare_exchange_strong(&channel->slots[k].process, &none, own))
			continue;
		channel->process = k;
		channel->own = &channel->slots[k];
		return;
	}
}

bool channel_open(struct channel *channel, const char *path)
{
	struct stat state;
	*channel = (struct channel){.file = open(path, O_RDWR | O_APPEND | O_CLOEXEC)};
	if (channel->file < 0)
		return false;
	if (fstat(channel->file, &state) || !S_ISREG(state.st_mode) || (size_t)state.st_size < SLOTS_BYTES ||
		!map_slots(channel)) {
		close(channel->file);
		return false;
	}
	claim_slot(channel);
	return true;
}

void channel_reach(struct channel *channel, enum channel_stage stage)
{
	if (channel->own && atomic_load(&channel->own->stage) < (uint32_t)stage)
		atomic_store(&channel->own->stage, (uint32_t)stage);
}

/* One writev: the file's append lock makes it one piece beside those of other processes. */
void channel_send(struct channel *channel, enum channel_kind kind, const char *text, size_t length)
{
	struct header header = {.magic = MAGIC, .kind = kind, .process = channel->process, .length = length};
	struct iovec parts[2] = {
		{.iov_base = &header, .iov_len = sizeof header},
		{.iov_base = (void *)(uintptr_t)text, .iov_len = length},
	};
	if (!channel->own)
		return;
	while (writev(channel->file, parts, 2) < 0 && errno == EINTR)
		;
}
