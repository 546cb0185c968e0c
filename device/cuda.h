/* Leads to what lockstep has of cuda.h; see cuda_kernel.h. */
#include "cuda_kernel.h"
