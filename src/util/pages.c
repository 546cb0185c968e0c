/* Images of the memory of all arenas (pages.h): compressed copies of its pages, which images share.
 *
 * A page that is all zero is in no image: what an image lacks is cleared when the image is put back.  Images are lists
 * of pages in the order of their addresses, so a new one is made by walking along the one that memory was last.
 * Whether a page has changed is told by a hash of 128 bits: as likely as that two differ and nobody notices is that the
 * host's memory fails. */
#include "util/pages.h"

#include "util/arena.h"

#include <assert.h>
#include <fcntl.h>
#include <lz4.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <xxhash.h>

enum { PAGE = 4096 };

/* Far from where the system, the sanitizers and GPUs' global memory put things. */
#define FIRST_ADDRESS ((uintptr_t)0x200000000000)
#define LAST_ADDRESS ((uintptr_t)0x280000000000)

struct range {
	uintptr_t at;
	size_t size;
};

#define MOST_RANGES (1u << 16)
#define MOST_STATICS 8

/* Of the process.  It is in no image: addresses that were given out stay so when an image is put back, and what is
 * behind those that the image knows is mapped anew before it is given out again. */
static struct {
	bool is_on;
	int pagemap;
	struct range ranges[MOST_RANGES];
	struct range statics[MOST_STATICS];
	uint32_t static_count;
} record;

/* What is in images, too: see pages_keep_static. */
static struct {
	uintptr_t next; /* address that is given out next */
	uint32_t range_count;
} given;

static bool others_apart;
static _Thread_local enum { SIDE_NOT_CHOSEN, SIDE_RECORDED, SIDE_APART } side;

static bool is_apart(void)
{
	return side == SIDE_NOT_CHOSEN ? others_apart : side == SIDE_APART;
}

bool pages_record(void)
{
	void *all;

	assert(!record.is_on);
	record.pagemap = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
	if (record.pagemap < 0)
		return false;
	all = mmap((void *)FIRST_ADDRESS, LAST_ADDRESS - FIRST_ADDRESS, PROT_NONE,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
	if (all != (void *)FIRST_ADDRESS) {
		if (all != MAP_FAILED)
			munmap(all, LAST_ADDRESS - FIRST_ADDRESS);
		close(record.pagemap);
		return false;
	}
	given.next = FIRST_ADDRESS;
	pages_keep_static(&given, sizeof given);
	record.is_on = true;
	return true;
}

bool pages_are_recorded(void)
{
	return record.is_on && !is_apart();
}

bool pages_apart(bool apart)
{
	bool before = is_apart();

	side = apart ? SIDE_APART : SIDE_RECORDED;
	return before;
}

void pages_others_apart(void)
{
	others_apart = true;
}

void pages_keep_static(void *at, size_t size)
{
	assert(record.static_count < MOST_STATICS);
	record.statics[record.static_count++] = (struct range){(uintptr_t)at, size};
}

void pages_add(void *at, size_t size)
{
	assert((uintptr_t)at % PAGE == 0);
	if (given.range_count == MOST_RANGES)
		arena_out_of_memory(size);
	record.ranges[given.range_count++] = (struct range){(uintptr_t)at, (size + PAGE - 1) / PAGE * PAGE};
}

void *pages_map(size_t size)
{
	size_t whole = (size + PAGE - 1) / PAGE * PAGE;
	void *at = (void *)given.next;

	assert(pages_are_recorded());
	if (whole > LAST_ADDRESS - given.next ||
		mmap(at, whole, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1,
			0) != at)
		return NULL;
	given.next += whole;
	pages_add(at, whole);
	return at;
}

/* The addresses stay as they are, and the range stays in the list: only the memory goes. */
bool pages_unmap(void *at, size_t size)
{
	uintptr_t address = (uintptr_t)at;

	if (!record.is_on)
		return false;
	if (address < FIRST_ADDRESS || address >= LAST_ADDRESS) {
		for (uint32_t k = 0; k < given.range_count; k++)
			if (record.ranges[k].at == address)
				record.ranges[k].size = 0;
		return false;
	}
	madvise(at, (size + PAGE - 1) / PAGE * PAGE, MADV_DONTNEED);
	return true;
}

/* ---- Pages that are there ---- */

/* Of one look: 2 MB of the range for each page of answers. */
enum { LOOKED_AT = 1 << 16 };
#define IS_THERE (1ull << 63 | 1ull << 62) /* in memory, or put aside on a disk */

/* Calls `visit` for each page of a range that has memory, in order. */
static void each_page(const struct range *range, void (*visit)(void *context, unsigned char *page), void *context)
{
	static uint64_t answers[LOOKED_AT];
	size_t pages = range->size / PAGE;

	for (size_t k = 0, count; k < pages; k += count) {
		off_t at = (off_t)((range->at / PAGE + k) * sizeof *answers);
		size_t wanted = pages - k < LOOKED_AT ? pages - k : LOOKED_AT;
		ssize_t got = pread(record.pagemap, answers, wanted * sizeof *answers, at);

		if (got < (ssize_t)sizeof *answers) { /* it has never failed: then all are looked at */
			memset(answers, 0xff, wanted * sizeof *answers);
			got = (ssize_t)(wanted * sizeof *answers);
		}
		count = (size_t)got / sizeof *answers;
		for (size_t p = 0; p < count; p++)
			if (answers[p] & IS_THERE)
				visit(context, (unsigned char *)range->at + (k + p) * PAGE);
	}
}

static int by_address(const void *a, const void *b)
{
	const struct range *x = a, *y = b;

	return (x->at > y->at) - (x->at < y->at);
}

/* Calls `visit` for all pages, in the order of their addresses. */
static void each_page_of_all(void (*visit)(void *context, unsigned char *page), void *context)
{
	/* Nearly in order already; those of pages_add are not. */
	qsort(record.ranges, given.range_count, sizeof *record.ranges, by_address);
	for (uint32_t k = 0; k < given.range_count; k++)
		each_page(&record.ranges[k], visit, context);
}

/* ---- Images ---- */

struct kept_page {
	uint32_t images; /* that have it */
	uint32_t size;   /* of `bytes`; PAGE: they are not compressed */
	XXH128_hash_t hash;
	unsigned char bytes[];
};

struct image_page {
	uintptr_t at;
	struct kept_page *page;
};

struct pages_image {
	struct pages_image *before, *after; /* in the order of taking */
	unsigned char *statics;
	size_t count, room;
	struct image_page *pages;
	uint32_t range_count;
	struct range *ranges;
};

static struct {
	struct pages_image *first, *last;
	struct pages_image *recent; /* what memory was last: taken, or put back; null: there is none */
	size_t bytes;
} images;

static void *need(void *memory, size_t size)
{
	if (!memory)
		arena_out_of_memory(size);
	return memory;
}

static size_t statics_size(void)
{
	size_t size = 0;

	for (uint32_t k = 0; k < record.static_count; k++)
		size += record.statics[k].size;
	return size;
}

static const unsigned char zeros[PAGE];

static bool is_zero(const unsigned char *page)
{
	return !memcmp(page, zeros, PAGE);
}

static size_t bytes_beside_pages(const struct pages_image *image)
{
	return sizeof *image + image->room * sizeof *image->pages + image->range_count * sizeof *image->ranges +
	       statics_size();
}

struct taking {
	struct pages_image *image;
	const struct pages_image *before; /* null: there is none */
	size_t at;                        /* in `before`: pages in front of it have lower addresses */
};

static void add_page(struct pages_image *image, uintptr_t at, struct kept_page *page)
{
	if (image->count == image->room) {
		image->room = image->room ? image->room * 2 : 1024;
		image->pages = need(realloc(image->pages, image->room * sizeof *image->pages), image->room);
	}
	image->pages[image->count++] = (struct image_page){at, page};
	page->images++;
}

static bool has_bytes(const struct kept_page *kept, const unsigned char *page)
{
	return XXH128_isEqual(kept->hash, XXH3_128bits(page, PAGE));
}

static struct kept_page *compress(const unsigned char *page)
{
	char room[LZ4_COMPRESSBOUND(PAGE)];
	int size = LZ4_compress_default((const char *)page, room, PAGE, sizeof room);
	bool is_less = size > 0 && size < PAGE;
	size_t bytes = is_less ? (size_t)size : PAGE;
	struct kept_page *kept = need(malloc(sizeof *kept + bytes), bytes);

	*kept = (struct kept_page){.size = (uint32_t)bytes, .hash = XXH3_128bits(page, PAGE)};
	memcpy(kept->bytes, is_less ? (const void *)room : page, bytes);
	return kept;
}

static void copy_back(void *to, const struct kept_page *kept)
{
	int size = PAGE;

	if (kept->size == PAGE)
		memcpy(to, kept->bytes, PAGE);
	else
		size = LZ4_decompress_safe((const char *)kept->bytes, to, (int)kept->size, PAGE);
	assert(size == PAGE);
	(void)size;
}

static void take_page(void *context, unsigned char *page)
{
	struct taking *t = context;
	const struct pages_image *before = t->before;
	struct kept_page *kept;

	while (before && t->at < before->count && before->pages[t->at].at < (uintptr_t)page)
		t->at++;
	if (before && t->at < before->count && before->pages[t->at].at == (uintptr_t)page &&
		has_bytes(before->pages[t->at].page, page)) {
		add_page(t->image, (uintptr_t)page, before->pages[t->at].page);
		return;
	}
	if (is_zero(page))
		return;
	kept = compress(page);
	images.bytes += sizeof *kept + kept->size;
	add_page(t->image, (uintptr_t)page, kept);
}

struct pages_image *pages_take(void)
{
	struct taking t = {.image = need(calloc(1, sizeof *t.image), sizeof *t.image), .before = images.recent};
	size_t at = 0;

	assert(record.is_on);
	each_page_of_all(take_page, &t);
	t.image->range_count = given.range_count;
	t.image->ranges = need(malloc(given.range_count * sizeof *t.image->ranges + 1), MOST_RANGES);
	memcpy(t.image->ranges, record.ranges, given.range_count * sizeof *t.image->ranges);
	t.image->statics = need(malloc(statics_size()), statics_size());
	for (uint32_t k = 0; k < record.static_count; at += record.statics[k++].size)
		memcpy(t.image->statics + at, (const void *)record.statics[k].at, record.statics[k].size);
	t.image->before = images.last;
	*(images.last ? &images.last->after : &images.first) = t.image;
	images.last = images.recent = t.image;
	images.bytes += bytes_beside_pages(t.image);
	return t.image;
}

struct putting {
	const struct pages_image *image;
	size_t at; /* pages in front of it are as they were */
};

/* Pages that have no memory now, and had. */
static void put_up_to(struct putting *p, uintptr_t end)
{
	const struct pages_image *image = p->image;

	for (; p->at < image->count && image->pages[p->at].at < end; p->at++)
		copy_back((void *)image->pages[p->at].at, image->pages[p->at].page);
}

static void put_page(void *context, unsigned char *page)
{
	struct putting *p = context;
	const struct pages_image *image = p->image;

	put_up_to(p, (uintptr_t)page);
	if (p->at < image->count && image->pages[p->at].at == (uintptr_t)page) {
		if (!has_bytes(image->pages[p->at].page, page))
			copy_back(page, image->pages[p->at].page);
		p->at++;
	} else if (!is_zero(page)) {
		memset(page, 0, PAGE);
	}
}

void pages_put_back(struct pages_image *image)
{
	struct putting p = {.image = image};
	size_t at = 0;

	assert(record.is_on && image);
	for (uint32_t k = 0; k < record.static_count; at += record.statics[k++].size)
		memcpy((void *)record.statics[k].at, image->statics + at, record.statics[k].size);
	assert(given.range_count == image->range_count);
	memcpy(record.ranges, image->ranges, image->range_count * sizeof *record.ranges);
	each_page_of_all(put_page, &p);
	put_up_to(&p, UINTPTR_MAX);
	images.recent = image;
}

void pages_drop(struct pages_image *image)
{
	for (size_t k = 0; k < image->count; k++)
		if (!--image->pages[k].page->images) {
			images.bytes -= sizeof(struct kept_page) + image->pages[k].page->size;
			free(image->pages[k].page);
		}
	if (images.recent == image)
		images.recent = image->before ? image->before : image->after;
	*(image->before ? &image->before->after : &images.first) = image->after;
	*(image->after ? &image->after->before : &images.last) = image->before;
	images.bytes -= bytes_beside_pages(image);
	free(image->pages);
	free(image->ranges);
	free(image->statics);
	free(image);
}

size_t pages_taken(void)
{
	return images.bytes;
}

/* ---- Out of the process ---- */

/* What is written first. */
struct written {
	uint64_t range_count, statics, pages;
};

bool pages_write(bool (*put)(void *context, const void *data, size_t size), void *context)
{
	struct pages_image *image = pages_take();
	struct written written = {image->range_count, statics_size(), image->count};
	bool good = put(context, &written, sizeof written) &&
		    put(context, image->ranges, image->range_count * sizeof *image->ranges) &&
		    put(context, image->statics, statics_size());

	for (size_t k = 0; good && k < image->count; k++)
		good = put(context, &image->pages[k].at, sizeof image->pages[k].at) &&
		       put(context, (const void *)image->pages[k].at, PAGE);
	pages_drop(image);
	return good;
}

/* The range is there, or can be: those of pages_map are mapped anew. */
static bool open_range(const struct range *range)
{
	if (range->at < FIRST_ADDRESS || range->at >= LAST_ADDRESS) {
		for (uint32_t k = 0; k < given.range_count; k++)
			if (record.ranges[k].at == range->at && record.ranges[k].size == range->size)
				return true;
		return false;
	}
	return range->size <= LAST_ADDRESS - range->at && range->at % PAGE == 0 && range->size % PAGE == 0 &&
	       mmap((void *)range->at, range->size, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0) == (void *)range->at;
}

static bool is_in_ranges(const struct range *ranges, size_t count, uintptr_t at)
{
	for (size_t k = 0; k < count; k++)
		if (at - ranges[k].at < ranges[k].size)
			return at % PAGE == 0;
	return false;
}

static bool read_pages(const struct written *written, const struct range *ranges,
	bool (*get)(void *context, void *data, size_t size), void *context)
{
	uintptr_t at;

	for (uint64_t k = 0; k < written->pages; k++)
		if (!get(context, &at, sizeof at) || !is_in_ranges(ranges, written->range_count, at) ||
			!get(context, (void *)at, PAGE))
			return false;
	return true;
}

static void clear_page(void *context, unsigned char *page)
{
	(void)context;
	memset(page, 0, PAGE);
}

bool pages_read(bool (*get)(void *context, void *data, size_t size), void *context)
{
	struct written written;
	struct range *ranges;
	bool good;

	assert(record.is_on);
	if (!get(context, &written, sizeof written) || !written.range_count || written.range_count > MOST_RANGES ||
		written.statics != statics_size())
		return false;
	each_page_of_all(clear_page, NULL);
	ranges = need(malloc(written.range_count * sizeof *ranges), MOST_RANGES);
	good = get(context, ranges, written.range_count * sizeof *ranges);
	for (uint64_t k = 0; good && k < written.range_count; k++)
		good = !ranges[k].size || open_range(&ranges[k]);
	for (uint32_t k = 0; good && k < record.static_count; k++)
		good = get(context, (void *)record.statics[k].at, record.statics[k].size);
	good = good && given.range_count == written.range_count;
	if (good)
		memcpy(record.ranges, ranges, written.range_count * sizeof *ranges);
	good = good && read_pages(&written, ranges, get, context);
	free(ranges);
	return good;
}
