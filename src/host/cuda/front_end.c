/* What CUDA's front end has of its own: who writes CUDA today expects threads of a warp that go on independently. */
#include "host/device.h"
#include "options/run_options.h"

const char *const front_end_gpu = CUDA_GPU;
