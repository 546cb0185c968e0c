/* Fat binaries: the GPU code that nvcc puts into a program, once for each architecture that it was compiled for.
 *
 * A program hands them over in wrappers, to __cudaRegisterFatBinary.  From there to PTX:
 *
 *     struct fat_wrapper wrapper;
 *     struct fat_binary binary;
 *     struct diagnostic diagnostic = {0};
 *     if (fat_wrapper_read(&wrapper, pointer, &diagnostic) &&
 *         fat_binary_open(&binary, wrapper.data, fat_binary_size(wrapper.data), &diagnostic))
 *             ptx = fat_binary_ptx(&binary, 75, &diagnostic);
 *
 * With relocatable device code (nvcc -rdc=true) the PTX is in wrapper.modules instead: one fat binary for each of the
 * program's sources, each opened as above, and their PTX linked.
 *
 * Functions that can fail return false or null and add one line to `diagnostic`.  Nothing here changes or keeps what it
 * reads; pointers in structures point into the caller's memory. */
#ifndef LOCKSTEP_HOST_CUDA_FAT_BINARY_H
#define LOCKSTEP_HOST_CUDA_FAT_BINARY_H

#include "util/diagnostic.h"
#include "util/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- Wrappers: what lies in .nvFatBinSegment ---- */

#define FAT_WRAPPER_BYTES 24

struct fat_wrapper {
	uint32_t version; /* 1, or 2 for relocatable device code */
	/* The fat binary.  Of version 2: what the device linker made, which is machine code, or no entry where the
	 * program was compiled to PTX alone: nvcc 13.0 leaves no PTX there. */
	const void *data;
	/* Version 2: the fat binaries that went into it, with PTX to be linked, up to a null pointer; libcudadevrt's
	 * may be one of them, with PTX for one architecture, the highest there is.  Version 1: null. */
	const void *const *modules;
};

/* Reads the FAT_WRAPPER_BYTES at `at`, which must be readable and come from this process: they hold pointers. */
bool fat_wrapper_read(struct fat_wrapper *wrapper, const void *at, struct diagnostic *diagnostic);

/* ---- Fat binaries and their entries ---- */

struct fat_binary {
	const unsigned char *data;
	size_t bytes; /* of the whole, as its header says: another one may follow */
	size_t first; /* where entries begin */
};

/* The size that the header at `data` claims, itself included, for callers that have only a pointer: 16 bytes must be
 * readable.  It is these 16 if there is no fat binary or the size is impossible; fat_binary_open reports why. */
size_t fat_binary_size(const void *data);

/* Checks the fat binary that begins at `data`: its header and the bounds of every entry, not what is in the payloads.
 * `bytes` are readable; more than the fat binary has is allowed.  One without entries is valid. */
bool fat_binary_open(struct fat_binary *binary, const void *data, size_t bytes, struct diagnostic *diagnostic);

enum fat_kind {
	FAT_PTX,
	FAT_CUBIN, /* machine code (SASS) in an ELF file */
	FAT_LTO,   /* NVVM IR for the optimisation while linking, scrambled */
	FAT_OTHER
};
enum fat_packing { FAT_PLAIN, FAT_ZSTD, FAT_LZ4, FAT_UNKNOWN };

struct fat_entry {
	enum fat_kind kind;
	enum fat_packing packing;
	uint32_t architecture; /* 75: sm_75, compute_75 or lto_75 */
	char variant;          /* 'a' or 'f', as in sm_90a and sm_120f; 0: neither */
	uint64_t flags;        /* as they stand there; what is known of them is said above */
	const unsigned char *payload;
	size_t bytes;      /* of the payload; plain ones are padded with NULs */
	uint64_t unpacked; /* its bytes when decompressed, as the header claims; of plain ones: `bytes` */
};

/* The entry at *at, which it moves to the next; begin with *at = 0.  False at the end, always reached. */
bool fat_binary_next(const struct fat_binary *binary, size_t *at, struct fat_entry *entry);

/* ---- PTX ---- */

/* The PTX that a driver would compile for the device: the highest that runs on it.  Of compute_90, 90f and 90a the last
 * is the highest: the guide does not say so, but a program has it beside the others for no other reason.  If none runs
 * on the device, a driver refuses the program; here it is the lowest, which asks least of the device.  False: the fat
 * binary holds no PTX. */
bool fat_binary_choose(const struct fat_binary *binary, uint32_t capability, struct fat_entry *chosen);

/* Bytes of a text that is still read: a corrupt size must not take all memory.  The largest in the libraries of
 * CUDA 13.0 (cuDNN's) has 38 MiB. */
#define FAT_TEXT_MAXIMUM ((size_t)256 << 20)

/* The text of a PTX entry, decompressed, NUL-terminated, to be given to free().  Null and an error when it is corrupt,
 * or larger than FAT_TEXT_MAXIMUM, or when memory is short. */
char *fat_entry_text(const struct fat_entry *entry, struct diagnostic *diagnostic);

/* Both at once: the text of the PTX for the device, to be given to free().  Without PTX it is null, and the error names
 * the architectures that there is other code for, and the option of nvcc that adds PTX. */
char *fat_binary_ptx(const struct fat_binary *binary, uint32_t capability, struct diagnostic *diagnostic);

/* Appends what there is besides PTX, as "sm_75, sm_90a, lto_90"; nothing when there is only PTX, or nothing. */
void fat_binary_targets(const struct fat_binary *binary, struct text *out);

#endif
