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
	return fat_binary_ptx(&binary, diagnostic);
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

static void expect_target(const char *name, const char *line, const char *targets)
{
	struct file file;
	struct fat_binary binary;
	struct diagnostic diagnostic = {0};
	struct text out = {.arena = &file.arena};
	open_file(&file, name);
	assert_true(fat_binary_open(&binary, file.data, file.bytes, &diagnostic));
	char *text = fat_binary_ptx(&binary, &diagnostic);
	assert_non_null(text);
	assert_non_null(strstr(text, line));
	free(text);
	fat_binary_targets(&binary, &out);
	assert_string_equal(out.at ? out.at : "", targets);
	close_file(&file);
}

static void test_highest(void **state)
{
	(void)state;
	expect_target("zstd", ".target sm_75\n", "");
	expect_target("several", ".target sm_90\n", "sm_75");
	expect_target("variants", ".target sm_120\n", "");
	expect_target("relocatable", ".target sm_75\n", "sm_75");
}

/* Without the plain one, a family's goes before one GPU's. */
static void test_variants(void **state)
{
	static const char order[] = {'a', 0, 'f'};
	struct file file;
	struct fat_binary binary;
	struct fat_entry entry;
	struct diagnostic diagnostic = {0};
	size_t at = 0, plain = 0;
	(void)state;
	open_file(&file, "variants");
	assert_true(fat_binary_open(&binary, file.data, file.bytes, &diagnostic));
	for (size_t k = 0; k < sizeof order; k++) {
		plain = k == 1 ? at : plain;
		assert_true(fat_binary_next(&binary, &at, &entry));
		assert_int_equal(entry.variant, order[k]);
	}
	put(&file, plain, 64, 2); /* a kind that nobody knows */
	assert_true(fat_binary_highest(&binary, &entry));
	assert_int_equal(entry.variant, 'f');
	at = plain;
	assert_true(fat_binary_next(&binary, &at, &entry));
	assert_int_equal(entry.kind, FAT_OTHER);
	put(&file, plain, 1, 2);
	put(&file, FLAGS, 0x208011, 8); /* 'f' before the plain one, too */
	assert_true(fat_binary_highest(&binary, &entry));
	assert_int_equal(entry.variant, 0);
	close_file(&file);
}

static void test_no_ptx(void **state)
{
	static const char empty[16] = {0x50, (char)0xed, 0x55, (char)0xba, 1, 0, 16};
	struct file file;
	(void)state;
	open_file(&file, "sass");
	expect_error(&file, "no PTX in the program, only code for sm_75, sm_90a: compile it with nvcc "
			    "-gencode arch=compute_90a,code=compute_90a");
	close_file(&file);
	expect_broken("zstd", KIND, 8, 2,
		"no PTX in the program, only code for lto_75: compile it with nvcc "
		"-gencode arch=compute_75,code=compute_75");
	expect_broken("zstd", KIND, 64, 2, "no PTX in the program: its fat binary is of kinds that are not known");
	open_file(&file, "zstd");
	memcpy(file.data, empty, sizeof empty);
	assert_int_equal(fat_binary_size(file.data), sizeof empty);
	expect_error(&file, "no PTX in the program: its fat binary is empty");
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
		cmocka_unit_test(test_highest),
		cmocka_unit_test(test_variants),
		cmocka_unit_test(test_no_ptx),
		cmocka_unit_test(test_bad_headers),
		cmocka_unit_test(test_bad_entries),
		cmocka_unit_test(test_bad_payloads),
		cmocka_unit_test(test_unpadded),
		cmocka_unit_test(test_wrappers),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
