/* Leads to what lockstep has of device_launch_parameters.h; see cuda_kernel.h. */
#include "cuda_kernel.h"
