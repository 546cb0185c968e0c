/* Debug sections from text to bytes.  What compilers write there:
 *
 *     .section .debug_info { .b32 1034  .b8 2,0  .b32 .debug_abbrev  .b64 $L__func_begin0  .b32 .debug_loc+131 ... }
 *     .section .debug_str { $L__info_string0: .b8 95,90,0 } */
#include "debug/sections.h"

#include "ptx/lexer.h"
#include "util/text.h"

#include <assert.h>
#include <elf.h>
#include <string.h>

/* Addresses.  Code begins above 0, since 0 ends a list of DWARF; instructions are a byte apart.  A variable has 4 GB of
 * its own, which is more than PTX allows it. */
#define CODE_FIRST 1
#define VARIABLES_FIRST (1ull << 48)
#define VARIABLE_STEP_BITS 32

/* A number to be put into a section when all labels are known: a sum with terms of either sign. */
struct fixup {
	uint32_t section, at; /* of bytes */
	uint8_t width;
	bool negative;
	const char *name;
	uint32_t length, line;
};

struct section {
	const char *name;
	struct text bytes;
	struct map labels; /* to the offset, plus one */
};

struct assembler {
	struct arena *arena;
	struct sections *to;
	struct diagnostic *diagnostic;
	struct lexer lexer;
	struct token token;
	struct section *section;
	VECTOR(struct section) sections;
	VECTOR(struct fixup) fixups;
};

/* ---- Addresses of the module's own names ---- */

static void add_symbol(struct arena *arena, struct sections *s, const char *name, uint64_t value)
{
	if (map_get(&s->symbols, name))
		return;
	*vector_push(arena, &s->values) = value;
	map_put(arena, &s->symbols, name, strlen(name), (void *)(uintptr_t)s->values.count);
}

static void add_variable(struct arena *arena, struct sections *s, const struct ptx_variable *variable)
{
	uint64_t address = VARIABLES_FIRST + ((uint64_t)s->variable_count << VARIABLE_STEP_BITS);

	s->variables[s->variable_count++] = variable;
	add_symbol(arena, s, variable->name, address);
}

/* Those of functions and what they have in them; variables of the module come first where names are the same. */
static void add_symbols(struct arena *arena, struct sections *s)
{
	const struct ptx_module *m = s->module;
	uint32_t count = m->variables.count;
	uint64_t at = CODE_FIRST;

	for (uint32_t f = 0; f < m->functions.count; f++)
		count += m->functions.at[f]->variables.count;
	s->variables = arena_new_array(arena, const struct ptx_variable *, count + 1);
	s->code_of = arena_new_array(arena, uint64_t, m->functions.count + 1);
	for (uint32_t v = 0; v < m->variables.count; v++)
		add_variable(arena, s, m->variables.at[v]);
	for (uint32_t f = 0; f < m->functions.count; f++) {
		const struct ptx_function *function = m->functions.at[f];
		s->code_of[f] = at;
		for (uint32_t k = 0; k < function->labels.count; k++)
			add_symbol(arena, s, function->labels.at[k].name, at + function->labels.at[k].target);
		for (uint32_t v = 0; v < function->variables.count; v++)
			add_variable(arena, s, function->variables.at[v]);
		add_symbol(arena, s, function->name, at);
		at += function->code.count + 1; /* a label may stand behind the last instruction */
	}
	s->code_end = at;
}

uint64_t section_code(const struct sections *sections, const struct ptx_function *function, uint32_t instruction)
{
	assert(function->index < sections->module->functions.count && instruction <= function->code.count);
	return sections->code_of[function->index] + instruction;
}

const struct ptx_variable *section_variable(const struct sections *sections, uint64_t address, uint64_t *offset)
{
	uint64_t number = (address - VARIABLES_FIRST) >> VARIABLE_STEP_BITS;

	if (address < VARIABLES_FIRST || number >= sections->variable_count)
		return NULL;
	*offset = address & ((1ull << VARIABLE_STEP_BITS) - 1);
	return sections->variables[number];
}

/* ---- The text of a section ---- */

static void next(struct assembler *a)
{
	a->token = lexer_next(&a->lexer);
}

static void refuse(struct assembler *a, const char *expected)
{
	diagnose(a->diagnostic, (struct place){a->to->module->file, a->token.line, a->token.column},
		"expected %s in section .%s, found '%.*s'", expected, a->section->name, TOKEN_TEXT(&a->token));
	a->token.kind = TOKEN_END;
}

/* term = integer | name | "." section      the value that is known now */
static uint64_t assemble_term(struct assembler *a, uint8_t width, bool negative)
{
	const struct token *t = &a->token;
	uint64_t bits = 0;

	if (t->kind == TOKEN_INTEGER)
		bits = negative ? -t->bits : t->bits;
	else if ((t->kind == TOKEN_NAME || t->kind == TOKEN_WORD) && width >= 4)
		*vector_push(a->arena, &a->fixups) = (struct fixup){.section = a->sections.count - 1,
			.at = (uint32_t)a->section->bytes.length,
			.width = width,
			.negative = negative,
			.name = t->kind == TOKEN_WORD ? t->text - 1 : t->text, /* with the dot */
			.length = t->length + (t->kind == TOKEN_WORD),
			.line = t->line};
	else
		refuse(a, "a number or a label");
	next(a);
	return bits;
}

/* values = value ("," value)*      value = ("-")? term (("+" | "-") term)* */
static void assemble_values(struct assembler *a, uint8_t width)
{
	bool goes_on = true;

	while (goes_on && a->token.kind != TOKEN_END) {
		bool negative = token_is(&a->token, '-');
		if (negative)
			next(a);
		uint64_t bits = assemble_term(a, width, negative);
		while (token_is(&a->token, '+') || token_is(&a->token, '-')) {
			negative = token_is(&a->token, '-');
			next(a);
			bits += assemble_term(a, width, negative);
		}
		text_append(&a->section->bytes, (const char *)&bits, width); /* little endian, as we are */
		goes_on = token_is(&a->token, ',');
		if (goes_on)
			next(a);
	}
}

static uint8_t width_of(const struct token *token)
{
	static const char *const words[] = {
		"b8", "u8", "s8", "b16", "u16", "s16", "b32", "u32", "s32", "b64", "u64", "s64"};

	for (size_t k = 0; k < sizeof words / sizeof *words; k++)
		if (token_is_word(token, words[k]))
			return (uint8_t)(1u << (k / 3));
	return 0;
}

/* section = "{" (label ":" | type values | ";")* "}" */
static void assemble_section(struct assembler *a, const struct ptx_section *from)
{
	lexer_start(&a->lexer, a->to->module->file, from->text, a->diagnostic);
	a->lexer.line = from->line;
	a->lexer.line_start = from->text - (from->column - 1);
	next(a);
	assert(token_is(&a->token, '{'));
	next(a);
	while (!token_is(&a->token, '}') && a->token.kind != TOKEN_END) {
		struct token at = a->token;
		uint8_t width = width_of(&at);
		next(a);
		if (width) {
			assemble_values(a, width);
		} else if (at.kind == TOKEN_NAME && token_is(&a->token, ':')) {
			map_put(a->arena, &a->section->labels, at.text, at.length,
				(void *)(a->section->bytes.length + 1));
			next(a);
		} else if (!token_is(&at, ';')) {
			a->token = at;
			refuse(a, "a label or .b8, .b16, .b32 or .b64");
		}
	}
}

/* ---- Labels get their values ---- */

/* A label's offset in its section, a section's own 0, or an address of the module.  False: nothing has this name; then
 * it is 0, which is no address: compilers name variables that they have left out. */
static bool value_of(const struct assembler *a, const struct fixup *fixup, uint64_t *value)
{
	size_t place;

	*value = 0;
	if (fixup->name[0] == '.')
		return true;
	for (uint32_t k = 0; k < a->sections.count; k++)
		if ((place = (size_t)map_get_length(&a->sections.at[k].labels, fixup->name, fixup->length))) {
			*value = place - 1;
			return true;
		}
	uintptr_t number = (uintptr_t)map_get_length(&a->to->symbols, fixup->name, fixup->length);
	if (number)
		*value = a->to->values.at[number - 1];
	return number;
}

/* A sum is 0 if nothing has the name of one of its terms. */
static void apply(const struct assembler *a)
{
	const char *unknown = NULL;

	for (uint32_t k = 0; k < a->fixups.count; k++) {
		const struct fixup *fixup = &a->fixups.at[k];
		char *at = a->sections.at[fixup->section].bytes.at + fixup->at;
		uint64_t bits = 0, value;
		memcpy(&bits, at, fixup->width);
		if (!value_of(a, fixup, &value))
			unknown = at;
		bits = at == unknown ? 0 : bits + (fixup->negative ? -value : value);
		memcpy(at, &bits, fixup->width);
	}
}

/* ---- The file ---- */

#define ALIGNMENT 16

static size_t aligned(size_t size)
{
	return (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

/* Header, headers of sections, sections; the last has the names. */
static void build_elf(struct assembler *a)
{
	uint32_t count = a->sections.count + 2; /* the first is none */
	struct text names = {.arena = a->arena};
	size_t headers = sizeof(Elf64_Ehdr), at = aligned(headers + count * sizeof(Elf64_Shdr)), size = at,
	       names_size = 1;

	for (uint32_t k = 0; k < a->sections.count; k++) {
		size += aligned(a->sections.at[k].bytes.length);
		names_size += strlen(a->sections.at[k].name) + 2;
	}
	size += names_size;
	char *elf = arena_alloc(a->arena, size);
	Elf64_Shdr *header = arena_new_array(a->arena, Elf64_Shdr, count);
	text_append(&names, "", 1);
	for (uint32_t k = 0; k < a->sections.count; k++) {
		const struct section *section = &a->sections.at[k];
		header[k + 1] = (Elf64_Shdr){.sh_name = (Elf64_Word)names.length,
			.sh_type = SHT_PROGBITS,
			.sh_offset = at,
			.sh_size = section->bytes.length,
			.sh_addralign = ALIGNMENT};
		text_print(&names, ".%s", section->name);
		text_append(&names, "", 1);
		if (section->bytes.length)
			memcpy(elf + at, section->bytes.at, section->bytes.length);
		at += aligned(section->bytes.length);
	}
	assert(names.length == names_size && at + names_size == size);
	header[count - 1] =
		(Elf64_Shdr){.sh_type = SHT_STRTAB, .sh_offset = at, .sh_size = names_size, .sh_addralign = 1};
	memcpy(elf + at, names.at, names_size);
	Elf64_Ehdr ehdr = {.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB, EV_CURRENT},
		.e_type = ET_EXEC,
		.e_machine = EM_CUDA,
		.e_version = EV_CURRENT,
		.e_shoff = headers,
		.e_ehsize = sizeof(Elf64_Ehdr),
		.e_shentsize = sizeof(Elf64_Shdr),
		.e_shnum = (Elf64_Half)count,
		.e_shstrndx = (Elf64_Half)(count - 1)};
	memcpy(elf, &ehdr, sizeof ehdr);
	memcpy(elf + headers, header, count * sizeof *header);
	a->to->elf = elf;
	a->to->bytes = size;
}

/* More than compilers write: those of DWARF 5 are 14. */
#define SECTIONS_MOST 64

static void assemble_all(struct assembler *a)
{
	const struct ptx_module *module = a->to->module;

	for (uint32_t k = 0; k < module->sections.count; k++) {
		const struct ptx_section *from = &module->sections.at[k];
		struct place place = {module->file, from->line, 0};
		if (strncmp(from->name, "debug_", 6))
			continue;
		for (uint32_t s = 0; s < a->sections.count; s++)
			if (!strcmp(a->sections.at[s].name, from->name))
				diagnose(a->diagnostic, place, "section .%s is there already", from->name);
		if (a->sections.count == SECTIONS_MOST)
			diagnose(a->diagnostic, place, "there are more than %d debug sections", SECTIONS_MOST);
		if (a->diagnostic->failed)
			return;
		a->section = vector_push(a->arena, &a->sections);
		*a->section = (struct section){.name = from->name, .bytes = {.arena = a->arena}};
		assemble_section(a, from);
	}
}

static bool has_information(const struct assembler *a)
{
	for (uint32_t k = 0; k < a->sections.count; k++)
		if (!strcmp(a->sections.at[k].name, "debug_info") && a->sections.at[k].bytes.length)
			return true;
	return false;
}

struct sections sections_assemble(struct arena *arena, const struct ptx_module *module)
{
	struct sections sections = {.module = module};
	struct diagnostic diagnostic = {0};
	struct assembler a = {.arena = arena, .to = &sections, .diagnostic = &diagnostic};

	add_symbols(arena, &sections);
	assemble_all(&a);
	if (diagnostic.failed) {
		sections.why = arena_text(arena, diagnostic.message);
	} else if (has_information(&a)) {
		apply(&a);
		build_elf(&a);
	}
	return sections;
}
