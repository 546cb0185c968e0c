/* Stands for what nvcc puts into a program's host side: the kernels and variables of kernels.cu, registered before
 * main. */
#ifndef LOCKSTEP_TESTS_HOST_CUDA_KERNELS_H
#define LOCKSTEP_TESTS_HOST_CUDA_KERNELS_H

#include "host/cuda/runtime.h"

#include "../check.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A fat binary of this folder among the program's data, as `name`. */
#define EMBED(name, file)                                                                                              \
	__asm__(".section .nv_fatbin, \"a\"\n"                                                                         \
		".balign 8\n" #name ": .incbin \"" KERNELS_FOLDER "/" file "\"\n"                                      \
		".previous\n");                                                                                        \
	extern const char name[]

/* What __cudaRegisterFatBinary is given as `linked` where the unit's kernels launch kernels: nvcc's linker makes of PTX
 * alone an empty fat binary, and lists the units behind it. */
#define LINKED(unit)                                                                                                   \
	static const struct {                                                                                          \
		uint32_t magic;                                                                                        \
		uint16_t version, header_bytes;                                                                        \
		uint64_t bytes;                                                                                        \
	} empty = {0xba55ed50, 1, 16, 0};                                                                              \
	static const void *const units[] = {unit, NULL};                                                               \
	static const struct {                                                                                          \
		uint32_t magic, version;                                                                               \
		const void *data, *modules;                                                                            \
	} linked = {0x466243b1, 2, &empty, units}

/* The addresses by which the runtime knows them. */
extern const char add, insert, meet, fill, rounds, stray, say, scales;
extern char counter, scale;
extern int *total; /* managed: where the variable is, once the module is loaded */

/* total's module is loaded, as nvcc's code asks for before it touches a managed variable. */
void load_total(void);

/* LAUNCH(add, blocks, threads, stream, &a, &b, ...): as `add<<<blocks, threads, 0, stream>>>(a, b, ...)`. */
#define LAUNCH(kernel, blocks, threads, stream, ...)                                                                   \
	cudaLaunchKernel(&kernel, (dim3){blocks, 1, 1}, (dim3){threads, 1, 1}, (void *[]){__VA_ARGS__}, 0, stream)

#endif
