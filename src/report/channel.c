/* The memory file between `lockstep run` and the programs that it runs. */
#include "report/channel.h"

#include "util/file_limit.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#define MAGIC 0x4c534852u /* before each record, to find the next one after a record that a kill has cut off */
#define SLOTS_BYTES (CHANNEL_SLOTS * sizeof(struct channel_slot))

struct header {
	uint32_t magic, kind, process, reserved;
	uint64_t length; /* of the text after it */
};

static bool map_slots(struct channel *channel)
{
	void *slots = mmap(NULL, SLOTS_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, channel->file, 0);
	channel->slots = slots == MAP_FAILED ? NULL : slots;
	return channel->slots;
}

bool channel_create(struct channel *channel)
{
	*channel = (struct channel){.file = memfd_create("lockstep", MFD_CLOEXEC | MFD_ALLOW_SEALING)};
	if (channel->file < 0)
		return false;
	/* Sealed: a program that cut it off would take from the command what it has mapped. */
	if (!ftruncate(channel->file, SLOTS_BYTES) && !fcntl(channel->file, F_ADD_SEALS, F_SEAL_SHRINK) &&
		map_slots(channel))
		return true;
	close(channel->file);
	return false;
}

void channel_close(struct channel *channel)
{
	munmap(channel->slots, SLOTS_BYTES);
	close(channel->file);
}

static bool read_whole(struct channel_reader *reader, void *to, size_t size, uint64_t at)
{
	size_t got = 0;
	ssize_t more = 1;
	while (got < size && more > 0) {
		more = pread(reader->channel->file, (char *)to + got, size - got, (off_t)(SLOTS_BYTES + at + got));
		got += more > 0 ? (size_t)more : 0;
	}
	if (more < 0)
		reader->why = errno;
	return got == size;
}

/* After a whole record comes the end, the next one's magic, or a part of it that is too short to tell. */
static bool ends_well(struct channel_reader *reader, uint64_t at)
{
	uint32_t magic;
	return !read_whole(reader, &magic, sizeof magic, at) || magic == MAGIC;
}

/* Where to look for the next record, one byte on, or after a hole: our own writes leave none, and reading through a
 * large one takes minutes. */
static uint64_t next_place(struct channel_reader *reader, const struct header *header, uint64_t size)
{
	uint64_t next = reader->at + 1;
	if (header->magic)
		return next;
	off_t data = lseek(reader->channel->file, (off_t)(SLOTS_BYTES + next), SEEK_DATA);
	uint64_t end = data < 0 ? size : (uint64_t)data - SLOTS_BYTES;
	if (data < 0 && errno != ENXIO)
		return next;
	reader->hole += end > next ? end - next : 0;
	return end > next ? end : next;
}

/* If the writer was killed after a header, the text is missing or cut off, and the length leads past the end or into
 * the next record: then the next whole record is searched for byte by byte. */
bool channel_next(struct channel_reader *reader, struct channel_record *record)
{
	struct header header;
	struct stat state;
	if (fstat(reader->channel->file, &state))
		return false;
	uint64_t size = (uint64_t)state.st_size < SLOTS_BYTES ? 0 : (uint64_t)state.st_size - SLOTS_BYTES;
	for (; read_whole(reader, &header, sizeof header, reader->at); reader->at = next_place(reader, &header, size)) {
		uint64_t text = reader->at + sizeof header;
		if (header.magic != MAGIC || header.process > CHANNEL_SLOTS || text > size ||
			header.length > size - text || !ends_well(reader, text + header.length))
			continue;
		if (header.length >= reader->capacity) {
			reader->capacity = header.length * 2 + 4096;
			reader->text = arena_alloc(&reader->arena, reader->capacity);
		}
		if (!read_whole(reader, reader->text, header.length, text))
			return false;
		reader->text[header.length] = '\0';
		reader->at = text + header.length;
		*record = (struct channel_record){
			.kind = header.kind, .process = header.process, .text = reader->text, .length = header.length};
		return true;
	}
	return false;
}

static uint64_t nanoseconds_now(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

double channel_seconds(const struct channel_slot *slot)
{
	return (double)(nanoseconds_now() - atomic_load(&slot->begun)) * 1e-9;
}

bool channel_slot_is_whole(const struct channel_slot *slot)
{
	return atomic_load(&slot->stage) <= CHANNEL_LAUNCHED && atomic_load(&slot->running) <= 1 &&
	       atomic_load(&slot->end) <= CHANNEL_END_INSIDE && memchr(slot->kernel, 0, sizeof slot->kernel) &&
	       memchr(slot->shown, 0, sizeof slot->shown);
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
	errno = ENOENT;
	if (fstat(channel->file, &state) || !S_ISREG(state.st_mode) || (size_t)state.st_size < SLOTS_BYTES ||
		!map_slots(channel)) {
		int why = errno;
		close(channel->file);
		errno = why;
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

void channel_begin(struct channel *channel)
{
	struct channel_slot *slot = channel->own;
	atomic_store(&slot->cycles, 0);
	atomic_store(&slot->warp_instructions, 0);
	atomic_store(&slot->groups_done, 0);
	atomic_store(&slot->test, 0);
	atomic_store(&slot->begun, nanoseconds_now());
	atomic_store(&slot->running, 1);
}

/* A kernel keeps its place for as long as a launch of it waits. */
uint32_t channel_enqueue(struct channel *channel, const char *kernel)
{
	struct channel_waiting *waiting = channel->own ? channel->own->waiting : NULL;
	uint32_t place = CHANNEL_KERNELS - 1;
	if (!waiting)
		return place;
	for (uint32_t k = CHANNEL_KERNELS - 1; k-- > 0;)
		if (!waiting[k].count)
			place = k;
		else if (!strncmp(waiting[k].kernel, kernel, sizeof waiting[k].kernel - 1)) {
			place = k;
			break;
		}
	if (!waiting[place].count && place < CHANNEL_KERNELS - 1)
		strncpy(waiting[place].kernel, kernel, sizeof waiting[place].kernel - 1);
	atomic_store_explicit(&waiting[place].count, waiting[place].count + 1, memory_order_release);
	return place;
}

void channel_dequeue(struct channel *channel, uint32_t number)
{
	struct channel_waiting *waiting = channel->own ? &channel->own->waiting[number] : NULL;
	if (waiting)
		atomic_store_explicit(&waiting->count, waiting->count - 1, memory_order_release);
}

void channel_end(struct channel *channel, enum channel_end end)
{
	if (channel->own)
		atomic_store(&channel->own->end, (uint32_t)end);
}

/* One writev: the file's append lock makes it one piece beside those of other processes. */
void channel_send(struct channel *channel, enum channel_kind kind, const char *text, size_t length)
{
	struct header header = {.magic = MAGIC, .kind = kind, .process = channel->process, .length = length};
	struct iovec parts[2] = {
		{.iov_base = &header, .iov_len = sizeof header},
		{.iov_base = (void *)(uintptr_t)text, .iov_len = length},
	};
	ssize_t written;
	if (!channel->own)
		return;
	struct file_limit limit = file_limit_begin();
	while ((written = writev(channel->file, parts, 2)) < 0 && errno == EINTR)
		;
	int why = errno;
	file_limit_end(&limit);
	if (written < 0 || (size_t)written < sizeof header + length) {
		atomic_store(&channel->own->lost_why, written < 0 ? why : EFBIG);
		atomic_fetch_add(&channel->own->lost, 1);
	}
}
