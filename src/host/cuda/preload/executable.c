/* Which functions of the CUDA runtime an executable defines itself: ELF's section headers and symbol table (System V
 * ABI, "Object Files").  Each offset is checked, since anything may be executed under `lockstep run`. */
#include "host/cuda/preload/executable.h"

#include <elf.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* Only of functions of fewer bytes is it worth a search what follows. */
#define SHORT 16

struct image {
	const uint8_t *bytes;
	size_t length;
};

static bool map_file(const char *file, struct image *image)
{
	struct stat status;
	int descriptor = open(file, O_RDONLY | O_CLOEXEC);
	if (descriptor < 0)
		return false;
	bool good = !fstat(descriptor, &status) && status.st_size >= (off_t)sizeof(Elf64_Ehdr);
	if (good) {
		image->length = (size_t)status.st_size;
		image->bytes = mmap(NULL, image->length, PROT_READ, MAP_PRIVATE, descriptor, 0);
		good = image->bytes != MAP_FAILED;
	}
	close(descriptor);
	return good;
}

static bool is_within(const struct image *image, uint64_t offset, uint64_t bytes)
{
	return offset <= image->length && bytes <= image->length - offset;
}

/* `count` entries of `size` bytes that may lie anywhere; null: not all are in the file, or not aligned. */
static const void *table(const struct image *image, uint64_t offset, uint64_t count, size_t size)
{
	if (offset % 8 || count > image->length / size || !is_within(image, offset, count * size))
		return NULL;
	return image->bytes + offset;
}

/* The text at `at` of a section of texts that ends with NUL; "" where it has none. */
static const char *text_in(const struct image *image, const Elf64_Shdr *texts, uint64_t at)
{
	if (at >= texts->sh_size || !is_within(image, texts->sh_offset, texts->sh_size) ||
		image->bytes[texts->sh_offset + texts->sh_size - 1])
		return "";
	return (const char *)image->bytes + texts->sh_offset + at;
}

struct sections {
	const Elf64_Shdr *all;
	size_t count;
	const Elf64_Shdr *symbols; /* null: stripped */
	bool has_device_code;
};

static bool find_sections(const struct image *image, struct sections *found)
{
	const Elf64_Ehdr *header = (const Elf64_Ehdr *)(const void *)image->bytes;
	if (memcmp(header->e_ident, ELFMAG, SELFMAG) || header->e_ident[EI_CLASS] != ELFCLASS64 ||
		header->e_machine != EM_X86_64 || header->e_shentsize != sizeof(Elf64_Shdr))
		return false;
	found->all = table(image, header->e_shoff, header->e_shnum, sizeof *found->all);
	found->count = header->e_shnum;
	if (!found->all || header->e_shstrndx >= found->count)
		return false;
	for (const Elf64_Shdr *s = found->all; s < found->all + found->count; s++) {
		found->has_device_code |=
			!strcmp(text_in(image, &found->all[header->e_shstrndx], s->sh_name), ".nv_fatbin");
		if (s->sh_type == SHT_SYMTAB && s->sh_link < found->count)
			found->symbols = s;
	}
	return true;
}

static bool is_function(const Elf64_Sym *symbol)
{
	return ELF64_ST_TYPE(symbol->st_info) == STT_FUNC && symbol->st_shndx != SHN_UNDEF;
}

static bool is_cuda(const char *name)
{
	return !strncmp(name, "cuda", 4) || !strncmp(name, "__cuda", 6);
}

/* Where the next function begins, or the section ends: what is between is padding. */
static uint64_t next_after(const Elf64_Sym *symbols, size_t count, const struct sections *sections, const Elf64_Sym *of)
{
	uint64_t next = of->st_value;
	if (of->st_shndx < sections->count)
		next = sections->all[of->st_shndx].sh_addr + sections->all[of->st_shndx].sh_size;
	for (const Elf64_Sym *s = symbols; s < symbols + count; s++)
		if (s->st_shndx == of->st_shndx && s->st_value > of->st_value && s->st_value < next)
			next = s->st_value;
	return next;
}

static int by_address(const void *a, const void *b)
{
	uint64_t x = ((const struct function *)a)->address, y = ((const struct function *)b)->address;
	return (x > y) - (x < y);
}

static bool read_symbols(const struct image *image, const struct sections *sections, struct static_runtime *found)
{
	const Elf64_Shdr *texts = &sections->all[sections->symbols->sh_link];
	size_t count = sections->symbols->sh_size / sizeof(Elf64_Sym);
	const Elf64_Sym *symbols = table(image, sections->symbols->sh_offset, count, sizeof *symbols);
	bool registers = false;
	if (!symbols)
		return false;
	found->functions = calloc(count, sizeof *found->functions);
	found->version = 13;
	for (const Elf64_Sym *s = symbols; found->functions && s < symbols + count; s++) {
		const char *name = text_in(image, texts, s->st_name);
		if (!is_function(s) || !is_cuda(name))
			continue;
		registers |= !strcmp(name, "__cudaRegisterFatBinary");
		if (!strcmp(name, "cudaGetDeviceProperties_v2"))
			found->version = 12;
		bool is_short = s->st_size < SHORT;
		found->functions[found->count++] = (struct function){name, s->st_value,
			is_short ? next_after(symbols, count, sections, s) - s->st_value : s->st_size};
	}
	if (registers)
		qsort(found->functions, found->count, sizeof *found->functions, by_address);
	return registers;
}

bool static_runtime_find(const char *file, struct static_runtime *found)
{
	struct image image;
	struct sections sections = {0};
	*found = (struct static_runtime){0};
	if (!map_file(file, &image))
		return false;
	if (find_sections(&image, &sections) && sections.has_device_code && sections.symbols &&
		read_symbols(&image, &sections, found))
		return true;
	free(found->functions);
	munmap((void *)(uintptr_t)image.bytes, image.length);
	return false;
}
