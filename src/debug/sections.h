/* The debug sections of a PTX module as bytes: an ELF file in memory, as libdw reads it, in which labels have values.
 * Private to src/debug.
 *
 * A place in the code and a variable are addresses here, which mean nothing to the machine: section_code() and
 * section_variable() turn them back. */
#ifndef LOCKSTEP_DEBUG_SECTIONS_H
#define LOCKSTEP_DEBUG_SECTIONS_H

#include "ptx/module.h"

#include <stddef.h>

struct sections {
	const struct ptx_module *module;
	char *elf; /* null: there are no sections, or `why` */
	size_t bytes;
	const char *why;                       /* what is wrong, and where; null: nothing */
	uint64_t *code_of;                     /* per function of the module: address of its first instruction */
	uint64_t code_end;                     /* past all addresses of code */
	const struct ptx_variable **variables; /* those that have an address */
	uint32_t variable_count;
	struct map symbols; /* private to sections.c */
	VECTOR(uint64_t) values;
};

/* Never fails: `elf` is null where there is nothing to read. */
struct sections sections_assemble(struct arena *arena, const struct ptx_module *module);

/* The address of an instruction; of the place behind the last one, too. */
uint64_t section_code(const struct sections *sections, const struct ptx_function *function, uint32_t instruction);
/* The variable that has the address, and how far within it that is; null: none. */
const struct ptx_variable *section_variable(const struct sections *sections, uint64_t address, uint64_t *offset);

#endif
