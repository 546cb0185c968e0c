/* The names of CUDA's device runtime. */
#include "util/device_runtime.h"

#include <string.h>

/* As nvcc 13.0 and libcudadevrt of CUDA 13.0 have them; cudaLaunchDevice and cudaGetParameterBuffer before CUDA 12:
 * CUDA C++ Programming Guide, "Device-side Launch from PTX". */
static const char *const beginnings[] = {"__cudaCDP2", "cnp", "cudaLaunchDevice", "cudaGetParameterBuffer"};

bool device_runtime_has(const char *name, size_t length)
{
	for (size_t k = 0; k < sizeof beginnings / sizeof *beginnings; k++)
		if (length >= strlen(beginnings[k]) && !memcmp(name, beginnings[k], strlen(beginnings[k])))
			return true;
	return false;
}
