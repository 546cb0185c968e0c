/* DWARF by libdw: the library itself, and types.  Private to src/debug. */
#ifndef LOCKSTEP_DEBUG_DWARF_H
#define LOCKSTEP_DEBUG_DWARF_H

#include "debug/variables.h"

#include <elfutils/libdw.h>

/* libdw by its functions.  It is loaded when a module has debug sections: with it come four libraries, which would
 * otherwise be loaded whenever Lockstep starts. */
extern struct libdw {
#define LIBDW(name) __typeof__(&name) name;
#include "debug/libdw.def"
#undef LIBDW
} libdw;
/* False: it is not there, or lacks one of them. */
bool libdw_load(void);

/* Malformed sections may have lists without end: what is visited is counted. */
struct dwarf_budget {
	uint64_t left; /* entries */
};
/* The children of an entry: `for (bool is = dwarf_first(b, parent, &die); is; is = dwarf_next(b, &die))`. */
bool dwarf_first(struct dwarf_budget *budget, Dwarf_Die *parent, Dwarf_Die *child);
bool dwarf_next(struct dwarf_budget *budget, Dwarf_Die *die);

/* An attribute of the entry, or of the one that it is a copy of.  A name as it lies in `arena`, "" without one. */
bool dwarf_number(Dwarf_Die *die, unsigned attribute, uint64_t *value);
const char *dwarf_text(struct arena *arena, Dwarf_Die *die, unsigned attribute);

struct dwarf_types;
struct dwarf_types *dwarf_types_new(struct arena *arena, struct dwarf_budget *budget);
/* The type that DW_AT_type of the entry names: void when it names none.  It is whole after dwarf_types_finish(). */
const struct variable_type *dwarf_type_of(struct dwarf_types *types, Dwarf_Die *die);
void dwarf_types_finish(struct dwarf_types *types);

#endif
