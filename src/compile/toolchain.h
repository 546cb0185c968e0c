/* Which clang compiles kernels, and which of libclc's libraries goes with it. */
#ifndef LOCKSTEP_COMPILE_TOOLCHAIN_H
#define LOCKSTEP_COMPILE_TOOLCHAIN_H

#include "util/arena.h"

struct toolchain {
	const char *clang;  /* its path; null: there is none */
	const char *libclc; /* nvptx64--nvidiacl.bc; null: there is none that this clang can read */
	int library;        /* its version of LLVM; 0: not known */
	const char *lacks;  /* which of them is missing, and what to do; null: none */
};

/* The clang is LOCKSTEP_CLANG's, else `given`, both a path or a name on PATH; else TOOLCHAIN_CLANG, the one that
 * scripts/packages installs, of whose PTX the results in the documentation are; else the newest clang-N on PATH, from
 * 14 on; else `clang`.
 *
 * libclc is LOCKSTEP_LIBCLC, else the first that this clang can read: what the build has put beside Lockstep, so that
 * the choice does not change with what is installed; beside that clang; where Debian has it.  A clang reads bitcode of
 * its own version of LLVM and of older ones.  If all are newer than a clang that nobody asked for, clang-N of their
 * version is taken if it is there: Debian's libclc-15, say, replaces libclc-14.
 *
 * All is in the arena. */
void toolchain_find(struct arena *arena, const char *given, struct toolchain *found);

/* What somebody has chosen instead of the usual ones, a clang or a libclc; null: nothing. */
const char *toolchain_chosen(const char *given);

#endif
