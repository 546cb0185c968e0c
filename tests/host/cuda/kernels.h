/* Stands for what nvcc puts into a program's host side: the kernels and variables of kernels.cu, registered before main. */
#ifndef LOCKSTEP_TESTS_HOST_CUDA_KERNELS_H
#define LOCKSTEP_TESTS_HOST_CUDA_KERNELS_H

#include "host/cuda/runtime.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The addresses by which the runtime knows them. */
extern const char add, insert, meet, fill, rounds, stray, say;
extern char counter, scale;
extern int *total; /* managed: where the variable is, once the module is loaded */

/* total's module is loaded, as nvcc's code asks for before it touches a managed variable. */
void load_total(void);

/* Ends the test when `condition` does not hold. */
#define CHECK(condition)                                                                                               \
	do {                                                                                                           \
		if (!(condition)) {                                                                                    \
			fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition);                        \
			exit(1);                                                                                       \
		}                                                                                                      \
	} while (0)

/* Ends the test when `call` gives another error than this. */
#define GIVES(code, call)                                                                                              \
	do {                                                                                                           \
		cudaError_t got_ = (call);                                                                             \
		if (got_ != (cudaError_t)(code)) {                                                                     \
			fprintf(stderr, "%s:%d: %s, not %s: %s\n", __FILE__, __LINE__, cudaGetErrorName(got_), #code, #call); \
			exit(1);                                                                                       \
		}                                                                                                      \
	} while (0)
#define OK(call) GIVES(0, call)

/* LAUNCH(add, blocks, threads, stream, &a, &b, ...): as `add<<<blocks, threads, 0, stream>>>(a, b, ...)`. */
#define LAUNCH(kernel, blocks, threads, stream, ...)                                                                   \
	cudaLaunchKernel(&kernel, (dim3){blocks, 1, 1}, (dim3){threads, 1, 1}, (void *[]){__VA_ARGS__}, 0, stream)

#endif
