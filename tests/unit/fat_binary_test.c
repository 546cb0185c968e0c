/* Fat binaries: those that nvcc made, in tests/unit/fat_binary, and each way in which one can be wrong. */
#include "host/cuda/fat_binary.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Where things stand in a fat binary whose first entry is of interest. */
enum { KIND = 16, HEADER = 20, PAYLOAD = 24, COMPRESSED = 32, FLAGS = 56, UNPACKED = 72 };

/* A file's bytes in memory of exactly its size, so that the sanitizers see one read too many; at an odd address. */
struct file {
	struct arena arena;
	unsigned char *block, *data;
	size_t bytes;
};

static void open_file(struct file *file, const char *name)
{
	struct diagnostic diagnostic = {0};
	*file = (struct file){.arena = {0}};
	char *path = arena_printf(&file->arena, LOCKSTEP_SOURCE_DIR "/tests/unit/fat_binary/%s.fatbin", name);
	char *text = text_read_file(&file->arena, path, &file->bytes, &diagnostic);
	assert_string_equal(diagnostic.message, "");
	file->block = malloc(file->bytes + 1);
	assert_non_null(file->block);
	file->data = file->block + 1;
	memcpy(file->data, text, file->bytes);
}

static void close_file(struct file *file)
{
	free(file->block);
	arena_free(&file->arena);
}

/* Overwrites a number in the file. */
static void put(struct file *file, size_t at, uint64_t value, size_t bytes)
{
	for (size_t k = 0; k < bytes; k++)
		file->data[at + k] = (unsigned char)(value >> 8 * k);
}

/* What the file's PTX is, or why there is none. */
static char *read_ptx(const struct file *file, struct diagnostic *diagnostic)
{
	struct fat_binary binary;
	*diagnostic = (struct diagnostic){0};
	if (!fat_binary_open(&binary, file->data, file->bytes, diagnostic))
		return NULL;
	return fat_binary_ptx(&binary, 75, diagnostic);
}

static void expect_error(const struct file *file, const char *message)
{
	struct diagnostic diagnostic;
	assert_null(read_ptx(file, &diagnostic));
	assert_string_equal(diagnostic.message, message);
}

/* Opens `name`, changes one number, and expects the error. */
static void expect_broken(const char *name, size_t at, uint64_t value, size_t bytes, const char *message)
{
	struct file file;
	open_file(&file, name);
	put(&file, at, value, bytes);
	expect_error(&file, message);
	close_file(&file);
}

/* The same text, whatever it was packed with; one entry, and the size that the header claims. */
static void test_packing(void **state)
{
	static const struct {
		const char *name;
		enum fat_packing packing;
	} cases[] = {
		{"plain", FAT_PLAIN}, {"zstd", FAT_ZSTD}, {"size", FAT_ZSTD}, {"lz4", FAT_LZ4}, {"named", FAT_ZSTD}};
	char *first = NULL;
	(void)state;
	for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
		struct file file;
		struct fat_binary binary;
		struct fat_entry entry;
		struct diagnostic diagnostic = {0};
		size_t at = 0;
		open_file(&file, cases[k].name);
		assert_int_equal(fat_binary_size(file.data), file.bytes);
		assert_true(fat_binary_open(&binary, file.data, file.bytes, &diagnostic));
		assert_true(fat_binary_next(&binary, &at, &entry));
		assert_int_equal(entry.kind, FAT_PTX);
		assert_int_equal(entry.packing, cases[k].packing);
		assert_int_equal(entry.architecture, 75);
		assert_int_equal(entry.variant, 0);
		assert_int_equal(entry.flags & 0x11, 0x11);
		char *text = fat_entry_text(&entry, &diagnostic);
		assert_false(fat_binary_next(&binary, &at, &entry));
		assert_false(fat_binary_next(&binary, &at, &entry));
		assert_non_null(text);
		assert_non_null(strstr(text, ".target sm_75\n"));
		assert_string_equal(text + strlen(text) - 4, "\n}\n\n");
		if (first)
			assert_string_equal(text, first);
		else
			first = strdup(text);
		free(text);
		close_file(&file);
	}
	free(first);
}

static void expect_target(const char *name, uint32_t capability, const char *line, const char *targets)
{
	struct file file;
	struct fat_binary binary;
	struct diagnostic diagnostic = {0};
	struct text out = {.arena = &file.arena};
	open_file(&file, name);
	assert_true(fat_binary_open(&binary, file.data, file.bytes, &diagnostic));
	char *text = fat_binary_ptx(&binary, capability, &diagnostic);
	assert_non_null(text);
	assert_non_null(strstr(text, line));
	free(text);
	fat_binary_targets(&binary, &out);
	assert_string_equal(out.at ? out.at : "", targets);
	close_file(&file);
}

static void test_targets(void **state)
{
	(void)state;
	expect_target("zstd", 75, ".target sm_75\n", "");
	expect_target("several", 75, ".target sm_75\n", "sm_75");
	expect_target("several", 89, ".target sm_80\n", "sm_75");
	expect_target("several", 120, ".target sm_90\n", "sm_75");
	expect_target("variants", 120, ".target sm_120a\n", "");
	expect_target("relocatable", 20, ".target sm_75\n", "sm_75");
}

/* The capabilities of all models, and of what came since. */
static const uint32_t capabilities[] = {13, 20, 35, 52, 61, 70, 75, 80, 86, 89, 90, 100, 103, 110, 120, 121, 129};

struct version {
	uint32_t architecture;
	char variant;
};

/* The rule, from the other end: versions from the best to the worst for a device, of which the first that is there is
 * taken. */
static struct version best_of(const struct version *there, size_t count, uint32_t capability)
{
	static const char variants[] = {'a', 'f', 0};
	for (uint32_t down = capability + 1; down-- > 0;)
		for (size_t v = 0; v < sizeof variants; v++)
			for (size_t k = 0; k < count; k++)
				if (there[k].architecture == down && there[k].variant == variants[v] &&
					(variants[v] != 'a' || down == capability) &&
					(variants[v] != 'f' || down / 10 == capability / 10))
					return there[k];
	for (uint32_t up = 0; up < 1000; up++)
		for (size_t v = sizeof variants; v-- > 0;)
			for (size_t k = 0; k < count; k++)
				if (there[k].architecture == up && there[k].variant == variants[v])
					return there[k];
	return (struct version){0};
}

/* `several` has four entries, the first of them machine code. */
static void expect_best(struct file *file, const struct version *there)
{
	struct fat_binary binary;
	struct fat_entry entry;
	struct diagnostic diagnostic = {0};
	size_t at = 0, next = 0;
	assert_true(fat_binary_open(&binary, file->data, file->bytes, &diagnostic));
	for (size_t k = 0; fat_binary_next(&binary, &next, &entry);) {
		size_t start = at ? at : binary.first;
		at = next;
		if (entry.kind != FAT_PTX)
			continue;
		put(file, start + 28, there[k].architecture, 4);
		put(file, start + 40,
			0x8011 | (there[k].variant == 'a' ? 0x100000 : 0) | (there[k].variant == 'f' ? 0x200000 : 0),
			8);
		k++;
	}
	for (size_t k = 0; k < sizeof capabilities / sizeof *capabilities; k++) {
		struct version best = best_of(there, 3, capabilities[k]);
		assert_true(fat_binary_choose(&binary, capabilities[k], &entry));
		assert_int_equal(entry.kind, FAT_PTX);
		assert_int_equal(entry.architecture, best.architecture);
		assert_int_equal(entry.variant, best.variant);
	}
}

/* Any three versions, in any order, for any device. */
static void test_every_three(void **state)
{
	static const struct version all[] = {{52, 0}, {75, 0}, {80, 0}, {90, 0}, {90, 'a'}, {100, 'f'}, {100, 'a'},
		{103, 0}, {120, 'f'}, {121, 'f'}, {120, 'a'}};
	enum { COUNT = sizeof all / sizeof *all };
	struct file file;
	(void)state;
	open_file(&file, "several");
	for (size_t a = 0; a < COUNT; a++)
		for (size_t b = 0; b < COUNT; b++)
			for (size_t c = 0; c < COUNT; c++)
				expect_best(&file, (const struct version[]){all[a], all[b], all[c]});
	close_file(&file);
}

static void test_no_ptx(void **state)
{
	static const char empty[16] = {0x50, (char)0xed, 0x55, (char)0xba, 1, 0, 16};
	struct file file;
	(void)state;
	open_file(&file, "sass");
	expect_error(&file, "no PTX, only code for sm_75, sm_90a: compile it with nvcc "
			    "-gencode arch=compute_90a,code=compute_90a");
	close_file(&file);
	expect_broken("zstd", KIND, 8, 2,
		"no PTX, only code for lto_75: compile it with nvcc "
		"-gencode arch=compute_75,code=compute_75");
	expect_broken("zstd", KIND, 64, 2, "no PTX: the fat binary is of kinds that are not known");
	open_file(&file, "zstd");
	memcpy(file.data, empty, sizeof empty);
	assert_int_equal(fat_binary_size(file.data), sizeof empty);
	expect_error(&file, "no PTX: the fat binary is empty");
	close_file(&file);
}

static void test_bad_headers(void **state)
{
	struct file file;
	struct diagnostic diagnostic;
	(void)state;
	expect_broken("plain", 0, 0x464c457f, 4, "no fat binary: it begins with 0x464c457f, not 0xba55ed50");
	expect_broken("plain", 4, 2, 2, "the fat binary has version 2; 1 is known");
	expect_broken("plain", 6, 8, 2, "the fat binary is corrupt: a header of 8 bytes");
	expect_broken("plain", 8, 641, 8, "the fat binary is cut short: its entries have 641 bytes, 656 are there");
	expect_broken("plain", 8, UINT64_MAX, 8,
		"the fat binary is cut short: its entries have 18446744073709551615 bytes, 656 are there");
	expect_broken("plain", 6, 65535, 2, "the fat binary is cut short: its entries have 640 bytes, 656 are there");
	open_file(&file, "plain");
	put(&file, 8, UINT64_MAX - 15, 8);
	assert_int_equal(fat_binary_size(file.data), 16);
	put(&file, 8, 640, 8);
	put(&file, 0, 0, 4);
	assert_int_equal(fat_binary_size(file.data), 16);
	close_file(&file);
	/* Every length that is too short, in memory of this length. */
	open_file(&file, "several");
	for (size_t bytes = 0; bytes < file.bytes; bytes++) {
		struct file cut = {.bytes = bytes, .data = malloc(bytes + !bytes)};
		assert_non_null(cut.data);
		memcpy(cut.data, file.data, bytes);
		assert_null(read_ptx(&cut, &diagnostic));
		assert_true(diagnostic.failed);
		free(cut.data);
	}
	close_file(&file);
}

static void test_bad_entries(void **state)
{
	static const char first[] = "entry 1 of the fat binary is corrupt: it does not fit in the 640 bytes left";
	static const char zstd[] = "entry 1 of the fat binary is corrupt: it does not fit in the 368 bytes left";
	(void)state;
	expect_broken("plain", HEADER, 63, 4, first);
	expect_broken("plain", HEADER, 641, 4, first);
	expect_broken("plain", HEADER, UINT32_MAX, 4, first);
	expect_broken("plain", PAYLOAD, 561, 8, first);
	expect_broken("plain", PAYLOAD, UINT64_MAX, 8, first);
	expect_broken("plain", PAYLOAD, UINT64_MAX - 79, 8, first);
	expect_broken(
		"plain", PAYLOAD, 552, 8, "entry 2 of the fat binary is corrupt: it does not fit in the 8 bytes left");
	expect_broken("zstd", COMPRESSED, 289, 4, zstd);
	expect_broken("zstd", COMPRESSED, UINT32_MAX, 4, zstd);
}

static void test_bad_payloads(void **state)
{
	(void)state;
	expect_broken("zstd", COMPRESSED, 280, 4, "the PTX for compute_75 is corrupt: zstd: Src size is incorrect");
	expect_broken("zstd", COMPRESSED, 0, 4, "the PTX for compute_75 is corrupt: 0 bytes do not decompress to 558");
	expect_broken("zstd", 96, 0, 1, "the PTX for compute_75 is corrupt: 281 bytes do not decompress to 558");
	expect_broken(
		"zstd", UNPACKED, 557, 8, "the PTX for compute_75 is corrupt: 281 bytes do not decompress to 557");
	expect_broken(
		"zstd", UNPACKED, 559, 8, "the PTX for compute_75 is corrupt: 281 bytes do not decompress to 559");
	expect_broken("zstd", UNPACKED, FAT_TEXT_MAXIMUM + 1, 8,
		"the PTX for compute_75 has 268435457 bytes; at most 268435456 are read");
	expect_broken("zstd", UNPACKED, UINT64_MAX, 8,
		"the PTX for compute_75 has 18446744073709551615 bytes; at most 268435456 are read");
	expect_broken("lz4", COMPRESSED, 361, 4, "the PTX for compute_75 is corrupt: LZ4: not a block");
	expect_broken("lz4", COMPRESSED, 0, 4, "the PTX for compute_75 is corrupt: 0 bytes do not decompress to 558");
	expect_broken("lz4", UNPACKED, 363 * 255, 8,
		"the PTX for compute_75 is corrupt: 362 bytes do not decompress to 92565");
	expect_broken("lz4", UNPACKED, 363 * 255 - 1, 8, /* as many as so many bytes may become */
		"the PTX for compute_75 is corrupt: LZ4: 558 bytes instead of 92564");
	expect_broken("zstd", UNPACKED, FAT_TEXT_MAXIMUM, 8,
		"the PTX for compute_75 is corrupt: 281 bytes do not decompress to 268435456");
	expect_broken("lz4", UNPACKED, 557, 8, "the PTX for compute_75 is corrupt: LZ4: not a block");
	expect_broken("lz4", UNPACKED, 600, 8, "the PTX for compute_75 is corrupt: LZ4: 558 bytes instead of 600");
	expect_broken("plain", 200, 0, 1, "the PTX for compute_75 is corrupt: a NUL stands in it");
	expect_broken(
		"zstd", FLAGS, 0xa011, 8, "the PTX for compute_75 is packed in a way that is not known: flags 0xa011");
	expect_broken("zstd", FLAGS, 0x18011, 8,
		"the PTX for compute_75 is packed in a way that is not known: flags 0x18011");
}

/* Plain text may fill its payload to the last byte. */
static void test_unpadded(void **state)
{
	struct file file;
	struct diagnostic diagnostic;
	(void)state;
	open_file(&file, "plain");
	memset(file.data + 96, ' ', file.bytes - 96);
	char *text = read_ptx(&file, &diagnostic);
	assert_non_null(text);
	assert_int_equal(strlen(text), 560);
	free(text);
	close_file(&file);
}

struct wrapper {
	uint32_t magic, version;
	const void *data, *last;
};

static void expect_bad_wrapper(struct wrapper raw, const char *message)
{
	struct fat_wrapper wrapper;
	struct diagnostic diagnostic = {0};
	assert_false(fat_wrapper_read(&wrapper, &raw, &diagnostic));
	assert_string_equal(diagnostic.message, message);
}

/* As a program with relocatable device code registers itself: machine code, and the modules that were linked. */
static void test_wrappers(void **state)
{
	struct file linked, module;
	struct fat_wrapper wrapper;
	struct diagnostic diagnostic = {0};
	(void)state;
	open_file(&linked, "sass");
	open_file(&module, "relocatable");
	const void *modules[] = {module.data, module.data, NULL};
	struct wrapper one = {0x466243b1, 1, module.data, module.data}, two = {0x466243b1, 2, linked.data, modules};
	unsigned char odd[FAT_WRAPPER_BYTES + 1];
	memcpy(odd + 1, &one, FAT_WRAPPER_BYTES);
	assert_true(fat_wrapper_read(&wrapper, odd + 1, &diagnostic));
	assert_int_equal(wrapper.version, 1);
	assert_ptr_equal(wrapper.data, module.data);
	assert_null(wrapper.modules);
	assert_true(fat_wrapper_read(&wrapper, &two, &diagnostic));
	assert_int_equal(wrapper.version, 2);
	assert_ptr_equal(wrapper.data, linked.data);
	assert_ptr_equal(wrapper.modules, modules);
	expect_bad_wrapper((struct wrapper){0x466243b1, 3, modules, modules},
		"the fat binary's wrapper has version 3; 1 and 2 are known");
	expect_bad_wrapper((struct wrapper){0xba55ed50, 1, modules, modules},
		"no wrapper of a fat binary: it begins with 0xba55ed50, not 0x466243b1");
	expect_bad_wrapper((struct wrapper){0x466243b1, 1, NULL, modules}, "the fat binary's wrapper is empty");
	expect_bad_wrapper((struct wrapper){0x466243b1, 2, modules, NULL}, "the fat binary's wrapper is empty");
	close_file(&linked);
	close_file(&module);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_packing),
		cmocka_unit_test(test_targets),
		cmocka_unit_test(test_every_three),
		cmocka_unit_test(test_no_ptx),
		cmocka_unit_test(test_bad_headers),
		cmocka_unit_test(test_bad_entries),
		cmocka_unit_test(test_bad_payloads),
		cmocka_unit_test(test_unpadded),
		cmocka_unit_test(test_wrappers),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
