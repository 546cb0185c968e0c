/* Fat binaries: finding the PTX among their entries, and decompressing it.
 *
 * The layout has no public description.  What is said here is as nvcc 13.0 (V13.0.88) writes it, seen in the output of
 * the commands in tests/unit/fat_binary/make; the wrapper alone is declared, in CUDA's fatbinary_section.h.  All
 * numbers are little-endian.  A standalone file (nvcc -fatbin) and the section .nv_fatbin of an object are the same,
 * byte for byte.
 *
 *     header          u32 magic, u16 version, u16 bytes of this header, u64 bytes of all entries
 *     entry, +0       u16 kind, u16 version (0x101), u32 bytes of the entry's header, u64 bytes of the payload after it
 *            +16      u32 compressed bytes, of which the payload is padded to 8; 0: plain
 *            +20      u32 offset of the compiler's options in the header; 0: there are none
 *            +24      u16 minor, u16 major: of PTX its version
 *            +28      u32 architecture
 *            +32      u32 offset of the source's name in the header, u32 its length; with -lineinfo and -G
 *            +40      u64 flags
 *            +48      u64 0; of NVVM IR something that differs
 *            +56      u64 uncompressed bytes; 0: plain
 *
 * The header is longer than these 64 bytes if it contains options or a name. */
#include "host/cuda/fat_binary.h"

#include "util/architecture.h"

#include <assert.h>
#include <lz4.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

enum { HEADER_BYTES = 16, ENTRY_BYTES = 64 };

static const uint32_t binary_magic = 0xba55ed50, wrapper_magic = 0x466243b1;

/* Flags of entries.  Besides: 0x1 for 64 bits, 0x2 for -G, 0x10 for Linux, 0x1000000 in cubins from sm_100 on. */
enum {
	FLAG_LZ4_OLD = 0x1000,    /* said of older toolkits; nvcc 13 does not write it */
	FLAG_LZ4 = 0x2000,        /* nvcc -Xfatbin=-compress-mode=speed: a raw block */
	FLAG_ZSTD = 0x8000,       /* the default, and -compress-mode=size: a frame */
	FLAG_SCRAMBLED = 0x10000, /* NVVM IR: flagged as zstd too, but no frame */
	FLAG_SPECIFIC = 0x100000, /* compute_90a */
	FLAG_FAMILY = 0x200000,   /* compute_120f */
	FLAGS_OF_PACKING = FLAG_LZ4_OLD | FLAG_LZ4 | FLAG_ZSTD | FLAG_SCRAMBLED
};

static const struct place nowhere = {0};

/* Little-endian, of any alignment: a compiler makes one load of it. */
static uint64_t read_number(const unsigned char *at, unsigned bytes)
{
	uint64_t value = 0;
	for (unsigned k = 0; k < bytes; k++)
		value |= (uint64_t)at[k] << (8 * k);
	return value;
}

static uint16_t read_u16(const unsigned char *at)
{
	return (uint16_t)read_number(at, 2);
}

static uint32_t read_u32(const unsigned char *at)
{
	return (uint32_t)read_number(at, 4);
}

static uint64_t read_u64(const unsigned char *at)
{
	return read_number(at, 8);
}

/* ---- Wrappers ---- */

bool fat_wrapper_read(struct fat_wrapper *wrapper, const void *at, struct diagnostic *diagnostic)
{
	/* __fatBinC_Wrapper_t of fatbinary_section.h; version 1 has a file name in the last field, never set. */
	struct {
		uint32_t magic, version;
		const void *data;
		const void *const *modules;
	} raw;
	_Static_assert(sizeof raw == FAT_WRAPPER_BYTES, "pointers have 64 bits");
	memcpy(&raw, at, sizeof raw);
	*wrapper = (struct fat_wrapper){.version = raw.version, .data = raw.data};
	if (raw.version == 2)
		wrapper->modules = raw.modules;
	if (raw.magic != wrapper_magic)
		diagnose(diagnostic, nowhere, "no wrapper of a fat binary: it begins with 0x%08x, not 0x%08x",
			raw.magic, wrapper_magic);
	else if (raw.version != 1 && raw.version != 2)
		diagnose(
			diagnostic, nowhere, "the fat binary's wrapper has version %u; 1 and 2 are known", raw.version);
	else if (!raw.data || (raw.version == 2 && !raw.modules))
		diagnose(diagnostic, nowhere, "the fat binary's wrapper is empty");
	else
		return true;
	return false;
}

/* ---- Entries ---- */

static enum fat_kind kind_of(uint16_t number)
{
	switch (number) {
	case 1: return FAT_PTX;
	case 2: return FAT_CUBIN;
	case 8: return FAT_LTO;
	default: return FAT_OTHER;
	}
}

static enum fat_packing packing_of(uint64_t flags)
{
	switch (flags & FLAGS_OF_PACKING) {
	case 0: return FAT_PLAIN;
	case FLAG_ZSTD: return FAT_ZSTD;
	case FLAG_LZ4: return FAT_LZ4;
	default: return FAT_UNKNOWN;
	}
}

/* The entry that begins `left` bytes before the end; returns its size, 0 when it does not fit in there. */
static size_t read_entry(struct fat_entry *entry, const unsigned char *at, size_t left)
{
	if (left < ENTRY_BYTES)
		return 0;
	size_t header = read_u32(at + 4);
	uint64_t payload = read_u64(at + 8), flags = read_u64(at + 40);
	bool plain = packing_of(flags) == FAT_PLAIN;
	uint64_t bytes = plain ? payload : read_u32(at + 16);
	if (header < ENTRY_BYTES || header > left || payload > left - header || bytes > payload)
		return 0;
	*entry = (struct fat_entry){
		.kind = kind_of(read_u16(at)),
		.packing = packing_of(flags),
		.architecture = read_u32(at + 28),
		.variant = flags & FLAG_SPECIFIC ? 'a'
			   : flags & FLAG_FAMILY ? 'f'
						 : 0,
		.flags = flags,
		.payload = at + header,
		.bytes = bytes,
		.unpacked = plain ? bytes : read_u64(at + 56),
	};
	return header + payload;
}

/* What the header claims, itself included; 0 when it claims more than there can be. */
static size_t claimed_size(const unsigned char *at)
{
	uint64_t header = read_u16(at + 6), entries = read_u64(at + 8);
	return entries <= PTRDIFF_MAX - header ? header + entries : 0;
}

size_t fat_binary_size(const void *data)
{
	size_t size = read_u32(data) == binary_magic ? claimed_size(data) : 0;
	return size > HEADER_BYTES ? size : HEADER_BYTES;
}

static bool check_header(const unsigned char *at, size_t bytes, struct diagnostic *diagnostic)
{
	if (bytes < HEADER_BYTES)
		diagnose(diagnostic, nowhere, "the fat binary is cut short: %zu bytes are less than its header", bytes);
	else if (read_u32(at) != binary_magic)
		diagnose(diagnostic, nowhere, "no fat binary: it begins with 0x%08x, not 0x%08x", read_u32(at),
			binary_magic);
	else if (read_u16(at + 4) != 1)
		diagnose(diagnostic, nowhere, "the fat binary has version %u; 1 is known", read_u16(at + 4));
	else if (read_u16(at + 6) < HEADER_BYTES)
		diagnose(diagnostic, nowhere, "the fat binary is corrupt: a header of %u bytes", read_u16(at + 6));
	else if (!claimed_size(at) || claimed_size(at) > bytes)
		diagnose(diagnostic, nowhere, "the fat binary is cut short: its entries have %llu bytes, %zu are there",
			(unsigned long long)read_u64(at + 8), bytes);
	else
		return true;
	return false;
}

bool fat_binary_open(struct fat_binary *binary, const void *data, size_t bytes, struct diagnostic *diagnostic)
{
	struct fat_entry entry;
	if (!check_header(data, bytes, diagnostic))
		return false;
	*binary = (struct fat_binary){.data = data, .bytes = claimed_size(data)};
	binary->first = read_u16(binary->data + 6);
	for (size_t at = binary->first, number = 1; at < binary->bytes; number++) {
		size_t size = read_entry(&entry, binary->data + at, binary->bytes - at);
		if (!size) {
			diagnose(diagnostic, nowhere,
				"entry %zu of the fat binary is corrupt: it does not fit in the %zu bytes left", number,
				binary->bytes - at);
			return false;
		}
		at += size;
	}
	return true;
}

bool fat_binary_next(const struct fat_binary *binary, size_t *at, struct fat_entry *entry)
{
	size_t start = *at ? *at : binary->first;
	size_t size = read_entry(entry, binary->data + start, binary->bytes - start);
	*at = start + size;
	return size;
}

/* ---- Choosing ---- */

/* On how few GPUs a variant of an architecture runs, compared with the others. */
static int narrowness(char variant)
{
	return variant == 'a' ? 2 : variant == 'f' ? 1 : 0;
}

static bool is_higher(const struct fat_entry *a, const struct fat_entry *b)
{
	if (a->architecture != b->architecture)
		return a->architecture > b->architecture;
	return narrowness(a->variant) > narrowness(b->variant);
}

/* The highest of one kind. */
static bool find_highest(const struct fat_binary *binary, enum fat_kind kind, struct fat_entry *highest)
{
	struct fat_entry entry;
	bool found = false;
	for (size_t at = 0; fat_binary_next(binary, &at, &entry);) {
		if (entry.kind != kind || (found && !is_higher(&entry, highest)))
			continue;
		*highest = entry;
		found = true;
	}
	return found;
}

static bool runs_on(const struct fat_entry *entry, uint32_t capability)
{
	return architecture_runs_on((struct architecture){entry->architecture, entry->variant}, capability);
}

static bool is_better(const struct fat_entry *a, const struct fat_entry *b, uint32_t capability)
{
	bool runs = runs_on(a, capability);
	if (runs != runs_on(b, capability))
		return runs;
	return runs ? is_higher(a, b) : is_higher(b, a);
}

bool fat_binary_choose(const struct fat_binary *binary, uint32_t capability, struct fat_entry *chosen)
{
	struct fat_entry entry;
	bool found = false;
	for (size_t at = 0; fat_binary_next(binary, &at, &entry);) {
		if (entry.kind != FAT_PTX || (found && !is_better(&entry, chosen, capability)))
			continue;
		*chosen = entry;
		found = true;
	}
	return found;
}

/* "90a" of sm_90a. */
static const char *name_architecture(const struct fat_entry *entry, char name[16])
{
	snprintf(name, 16, "%u%.1s", entry->architecture, &entry->variant);
	return name;
}

void fat_binary_targets(const struct fat_binary *binary, struct text *out)
{
	struct fat_entry entry;
	char name[16];
	const char *comma = "";
	for (size_t at = 0; fat_binary_next(binary, &at, &entry);) {
		if (entry.kind != FAT_CUBIN && entry.kind != FAT_LTO)
			continue;
		text_print(
			out, "%s%s_%s", comma, entry.kind == FAT_LTO ? "lto" : "sm", name_architecture(&entry, name));
		comma = ", ";
	}
}

/* ---- Text ---- */

/* Can the compressed bytes give as many as the entry claims? */
static bool is_believable(const struct fat_entry *entry)
{
	switch (entry->packing) {
	case FAT_ZSTD: /* nvcc's frames say how many they hold */
		return ZSTD_getFrameContentSize(entry->payload, entry->bytes) == entry->unpacked;
	case FAT_LZ4: /* a byte of a block expands to 255 bytes at most */ return entry->unpacked / 255 <= entry->bytes;
	default: return true;
	}
}

static bool unpack_zstd(const struct fat_entry *entry, char *text, const char *name, struct diagnostic *diagnostic)
{
	size_t size = ZSTD_decompress(text, (size_t)entry->unpacked, entry->payload, entry->bytes);
	if (size == entry->unpacked)
		return true;
	diagnose(diagnostic, nowhere, "the PTX for compute_%s is corrupt: zstd: %s", name, ZSTD_getErrorName(size));
	return false;
}

/* A block of at most FAT_TEXT_MAXIMUM bytes, so that `int` holds all sizes. */
static bool unpack_lz4(const struct fat_entry *entry, char *text, const char *name, struct diagnostic *diagnostic)
{
	int size = -1;
	if (entry->bytes <= FAT_TEXT_MAXIMUM)
		size = LZ4_decompress_safe((const char *)entry->payload, text, (int)entry->bytes, (int)entry->unpacked);
	if (size < 0)
		diagnose(diagnostic, nowhere, "the PTX for compute_%s is corrupt: LZ4: not a block", name);
	else if ((uint64_t)size != entry->unpacked)
		diagnose(diagnostic, nowhere, "the PTX for compute_%s is corrupt: LZ4: %d bytes instead of %llu", name,
			size, (unsigned long long)entry->unpacked);
	else
		return true;
	return false;
}

static bool unpack(const struct fat_entry *entry, char *text, const char *name, struct diagnostic *diagnostic)
{
	switch (entry->packing) {
	case FAT_PLAIN: memcpy(text, entry->payload, entry->bytes); return true;
	case FAT_ZSTD: return unpack_zstd(entry, text, name, diagnostic);
	case FAT_LZ4: return unpack_lz4(entry, text, name, diagnostic);
	case FAT_UNKNOWN: break;
	}
	diagnose(diagnostic, nowhere, "the PTX for compute_%s is packed in a way that is not known: flags 0x%llx", name,
		(unsigned long long)entry->flags);
	return false;
}

/* Text with nothing but NULs behind it?  What nvcc writes ends with one, compressed or not, and is then padded. */
static bool is_text(const char *text, size_t bytes)
{
	for (size_t k = strnlen(text, bytes); k < bytes; k++)
		if (text[k])
			return false;
	return true;
}

/* Asked before memory is taken. */
static bool check_claim(const struct fat_entry *entry, const char *name, struct diagnostic *diagnostic)
{
	unsigned long long claim = entry->unpacked;
	if (claim > FAT_TEXT_MAXIMUM)
		diagnose(diagnostic, nowhere, "the PTX for compute_%s has %llu bytes; at most %zu are read", name,
			claim, FAT_TEXT_MAXIMUM);
	else if (!is_believable(entry))
		diagnose(diagnostic, nowhere, "the PTX for compute_%s is corrupt: %zu bytes do not decompress to %llu",
			name, entry->bytes, claim);
	else
		return true;
	return false;
}

char *fat_entry_text(const struct fat_entry *entry, struct diagnostic *diagnostic)
{
	char name[16], *text;
	assert(entry->kind == FAT_PTX);
	if (!check_claim(entry, name_architecture(entry, name), diagnostic))
		return NULL;
	text = malloc((size_t)entry->unpacked + 1);
	if (!text) {
		diagnose(diagnostic, nowhere, "out of memory");
		return NULL;
	}
	text[entry->unpacked] = 0;
	if (unpack(entry, text, name, diagnostic)) {
		if (is_text(text, (size_t)entry->unpacked))
			return text;
		diagnose(diagnostic, nowhere, "the PTX for compute_%s is corrupt: a NUL stands in it", name);
	}
	free(text);
	return NULL;
}

/* Says that there is no PTX, what there is, and how to get PTX. */
static void report_no_ptx(const struct fat_binary *binary, struct diagnostic *diagnostic)
{
	struct arena arena = {0};
	struct text targets = {.arena = &arena};
	struct fat_entry entry;
	char name[16];
	fat_binary_targets(binary, &targets);
	if (find_highest(binary, FAT_CUBIN, &entry) || find_highest(binary, FAT_LTO, &entry)) {
		name_architecture(&entry, name);
		diagnose(diagnostic, nowhere,
			"no PTX, only code for %s: compile it with nvcc -gencode "
			"arch=compute_%s,code=compute_%s",
			targets.at, name, name);
	} else {
		diagnose(diagnostic, nowhere, "no PTX: the fat binary is %s",
			binary->first < binary->bytes ? "of kinds that are not known" : "empty");
	}
	arena_free(&arena);
}

char *fat_binary_ptx(const struct fat_binary *binary, uint32_t capability, struct diagnostic *diagnostic)
{
	struct fat_entry entry;
	if (fat_binary_choose(binary, capability, &entry))
		return fat_entry_text(&entry, diagnostic);
	report_no_ptx(binary, diagnostic);
	return NULL;
}
