/* What the files that know variables share.  Private to src/debug. */
#ifndef LOCKSTEP_DEBUG_VARIABLE_PARTS_H
#define LOCKSTEP_DEBUG_VARIABLE_PARTS_H

#include "debug/sections.h"
#include "debug/variables.h"

struct address_range {
	uint64_t start, end; /* of code, as struct sections has it; end exclusive */
};

/* Where a variable is while the code is in a range. */
struct known_place {
	struct address_range range;
	struct variable_place place;
	char reg[16]; /* VARIABLE_REGISTER, VARIABLE_POINTED: its name, which is of the function at hand */
};

struct known_variable {
	struct variable variable; /* first: a pointer to it is one to this */
	uint32_t parameter;       /* which of its scope's parameters it is, from 1; 0: none */
	VECTOR(struct known_place) places;
};

/* A function or a block of it; [0] is the module. */
struct known_scope {
	uint32_t depth;
	VECTOR(struct address_range) ranges;
	VECTOR(struct known_variable *) variables; /* in the order of the sections */
	uint32_t parameters;                       /* of them */
};

struct variables {
	const struct ptx_module *module;
	struct sections sections;
	const char *missing;
	VECTOR(struct known_scope) scopes; /* one within another comes after it */
	/* of the PTX, per function of the module and, last, of the module itself */
	struct known_scope *declared;
	struct variable_type *declared_types; /* per enum ptx_type */
};

/* dwarf.c: adds what the sections say to `scopes`, in which only [0] is.  What is wrong with them, or null. */
const char *dwarf_read(struct arena *arena, struct variables *to);

/* declared.c: fills `declared`. */
void declared_read(struct arena *arena, struct variables *to);

#endif
