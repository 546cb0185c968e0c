/* Leads to what lockstep has of device_functions.h; see cuda_kernel.h. */
#include "cuda_kernel.h"
