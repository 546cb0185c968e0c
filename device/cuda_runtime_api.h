/* Leads to what lockstep has of cuda_runtime_api.h; see cuda_kernel.h. */
#include "cuda_kernel.h"
